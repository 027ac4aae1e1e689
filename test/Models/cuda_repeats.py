"""Repeated runs on a GPU, whose bits are compared there: nothing crosses the bus but one word for each run.

Memory and the comparing kernel go through the driver that the runtime uses, in the same context: libcuda.so.1, or the
emulator's where LD_LIBRARY_PATH leads to it.
"""
import ctypes

import numpy as np

from tripy_runtime import Failure, POISON, describe

# Sets *differ to 1 when a word of `found` is another than in `expected`.
COMPARE = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry compare(.param .u64 found, .param .u64 expected, .param .u64 words, .param .u64 differ)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [found];
  ld.param.u64 %d2, [expected];
  ld.param.u64 %d3, [words];
  ld.param.u64 %d4, [differ];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.s32 %r5, %r1, %r2, %r3;
  mul.lo.s32 %r6, %r2, %r4;
  cvt.u64.u32 %d5, %r5;
  cvt.u64.u32 %d6, %r6;
NEXT:
  setp.ge.u64 %p1, %d5, %d3;
  @%p1 bra DONE;
  shl.b64 %d7, %d5, 2;
  add.s64 %d8, %d1, %d7;
  ld.global.b32 %r7, [%d8];
  add.s64 %d8, %d2, %d7;
  ld.global.b32 %r8, [%d8];
  add.s64 %d5, %d5, %d6;
  setp.eq.b32 %p2, %r7, %r8;
  @%p2 bra NEXT;
  mov.u32 %r7, 1;
  st.global.b32 [%d4], %r7;
DONE:
  ret;
}
\0"""
BLOCKS, THREADS = 512, 256


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("attribute_count", ctypes.c_uint)]


class CudaRepeats:
    """Keeps the device's context alive, which otherwise ends with each program and is made anew for the next."""

    def __init__(self, runtime):
        self.runtime, self.ordinal = runtime, runtime.options.device_id
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, module, self.kernel, self.stream = (ctypes.c_void_p() for _ in range(4))
        device = ctypes.c_int()
        self.call("cuInit", ctypes.c_uint(0))
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(self.ordinal))
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        self.call("cuModuleLoadDataEx", ctypes.byref(module), COMPARE, ctypes.c_uint(0), None, None)
        self.call("cuModuleGetFunction", ctypes.byref(self.kernel), module, b"compare")
        self.call("cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(1))
        self.buffers = []

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code != 0:
            raise Failure(f"{name}: CUDA error {code}", lost=True)

    def wait(self):
        self.call("cuStreamSynchronize", self.stream)

    def upload(self, data):
        """A block of the GPU's memory with the array's bytes, and poison up to the next whole word."""
        count = -(-data.nbytes // 4) * 4
        if count == 0:
            return 0
        padded = np.full(count, POISON, "u1")
        padded[:data.nbytes] = np.frombuffer(data.tobytes(), "u1")
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(count))
        self.buffers.append(address)
        self.call("cuMemcpyHtoDAsync_v2", address, padded.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(count),
                  self.stream)
        self.wait()
        return address.value

    def compare(self, found, expected, count, differ):
        words = count // 4
        grid = (ctypes.c_uint * 3)(min(BLOCKS, -(-words // THREADS)), 1, 1)
        config = LaunchConfig(grid, (ctypes.c_uint * 3)(THREADS, 1, 1), 0, self.stream, None, 0)
        values = [ctypes.c_uint64(value) for value in (found, expected, words, differ)]
        arguments = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
        self.call("cuLaunchKernelEx", ctypes.byref(config), self.kernel, arguments, None)

    def first_other(self, context, inputs, others, dtypes, first, dtype, count):
        """As Runtime.first_other()."""
        if count < 2 or first.nbytes == 0:
            return 0
        try:
            return self.enqueue_all(context, inputs, others, dtypes, first, dtype, count)
        finally:
            for address in self.buffers:
                self.driver.cuMemFree_v2(address)
            self.buffers = []

    def enqueue_all(self, context, inputs, others, dtypes, first, dtype, count):
        size = -(-first.nbytes // 4) * 4
        expected, poison, found = self.upload(first), *(self.upload(np.full(size, POISON, "u1")) for _ in range(2))
        flags = np.zeros(count, "u4")
        differ = self.upload(flags)
        tensors, other_tensors = ([describe(array, dtype, self.upload(array), self.ordinal)
                                   for array, dtype in zip(arrays, dtypes)] for arrays in (inputs, others))
        output = describe(first, dtype, found, self.ordinal)
        # A comparison that finds nothing here would find nothing later.
        self.compare(poison, expected, size, differ)
        for i in range(count):
            self.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(found), ctypes.c_uint64(poison), ctypes.c_size_t(size),
                      self.stream)
            self.runtime.call(context, tensors if i else other_tensors, output, self.stream)
            if i:
                self.compare(found, expected, size, differ + 4 * i)
        self.call("cuMemcpyDtoHAsync_v2", flags.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(differ),
                  ctypes.c_size_t(flags.nbytes), self.stream)
        self.wait()
        if not flags[0]:
            raise Failure("the comparison on the GPU finds no difference between the result and poison")
        return int(np.argmax(flags[1:] != 0)) + 1 if np.any(flags[1:]) else 0
