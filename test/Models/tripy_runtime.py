"""The runtime's C interface (tripy/runtime.h) for the tests' scripts, with NumPy arrays of stored bits."""
import ctypes
import os

import numpy as np

from shape_program import STORED

# The numbers of tripy/runtime.h.
CODES = {"f32": 1, "f16": 2, "bf16": 3, "i32": 4, "i64": 5, "i1": 6, "i8": 7, "ui8": 8, "i16": 9, "f64": 10, "f8E4M3FN": 11,
         "f8E5M2": 12, "i4": 13}
CPU, CUDA = 1, 2
CONTEXT_LOST = 20
# What outputs hold before a run: what a kernel leaves out is not there by chance.
POISON = 0x5A


class Failure(Exception):
    """`lost`: the device is of no more use to this process."""

    def __init__(self, text, lost=False):
        super().__init__(text)
        self.lost = lost


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("dtype", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 3), ("ndim", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64))]


class LoadOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("trust_host_code", ctypes.c_int32), ("threads", ctypes.c_uint32), ("arena_limit", ctypes.c_uint64),
                ("copy_file", ctypes.c_int32), ("inspect_only", ctypes.c_int32), ("show_source", ctypes.c_int32),
                ("reserved", ctypes.c_int32)]


def describe(array, dtype, address=None, ordinal=0):
    """The array as a tensor: in host memory, or its copy at `address` on a GPU."""
    shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    place = (array.ctypes.data, CPU, 0) if address is None else (address, CUDA, ordinal)
    return Tensor(*place, CODES[dtype], (ctypes.c_uint8 * 3)(), array.ndim, shape)


def describe_packed(data, dtype, shape):
    """A tensor of `shape` whose elements share the bytes of `data`."""
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    return Tensor(data.ctypes.data, CPU, 0, CODES[dtype], (ctypes.c_uint8 * 3)(), len(shape), sizes)


def size(value):
    """A size as a tensor: one i64 in host memory. Keep it until the call has returned."""
    array = np.array(value, "<i8")
    tensor = describe(array, "i64")
    tensor.array = array
    return tensor


class Runtime:
    def __init__(self, folder, device):
        places = [os.path.join(folder, "libtripy_runtime.so"), os.path.join(folder, "../lib/libtripy_runtime.so")]
        self.library = ctypes.CDLL(next((place for place in places if os.path.exists(place)), places[1]))
        self.library.tripy_last_error.restype = ctypes.c_char_p
        self.library.tripy_load_options_default.restype = LoadOptions
        self.options = self.library.tripy_load_options_default()
        kind, _, number = device.partition(":")
        self.options.device = CUDA if kind == "cuda" else CPU
        self.options.device_id = int(number or 0)
        self.options.trust_host_code = 1
        if kind == "cuda":
            self.keep_context(self.options.device_id)

    @staticmethod
    def keep_context(number):
        """Retains the GPU's primary context. Otherwise it ends with the last executable, and the next one waits a
        tenth of a second for a new one."""
        driver, device, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_void_p()
        if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), number) == 0:
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)

    def check(self, code):
        if code != 0:
            raise Failure(self.library.tripy_last_error().decode(), code == CONTEXT_LOST)

    def load(self, path):
        """A context to run the program with; free() it."""
        executable, context = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.library.tripy_executable_load(path.encode(), ctypes.byref(self.options),
                                                      ctypes.byref(executable)))
        code = self.library.tripy_context_create(executable, ctypes.byref(context))
        error = self.library.tripy_last_error()
        self.library.tripy_executable_free(executable)
        if code != 0:
            raise Failure(error.decode(), code == CONTEXT_LOST)
        return context

    def free(self, context):
        self.library.tripy_context_free(context)

    def call(self, context, inputs, output, stream=None):
        """Runs with tensors; with a stream, it is the caller who waits."""
        function = self.library.tripy_context_enqueue if stream else self.library.tripy_context_run
        arguments = (Tensor * max(1, len(inputs)))(*inputs)
        self.check(function(context, arguments, ctypes.c_size_t(len(inputs)), ctypes.byref(output),
                            ctypes.c_size_t(1), stream))

    def run(self, context, inputs, dtypes, shape, dtype):
        """The result's bits."""
        count = int(np.prod(shape)) * np.dtype(STORED[dtype]).itemsize
        output = np.full(count, POISON, "u1").view(STORED[dtype]).reshape(shape)
        self.call(context, list(map(describe, inputs, dtypes)), describe(output, dtype))
        return output

    def first_other(self, context, inputs, others, dtypes, first, dtype, count):
        """The first of the runs 1 to count - 1 that gives other bits than `first`, or 0.

        One with the inputs `others` comes before: nothing that a kernel left behind may count."""
        for i in range(1, count):
            if i == 1:
                self.run(context, others, dtypes, first.shape, dtype)
            again = self.run(context, inputs, dtypes, first.shape, dtype)
            if again.tobytes() != first.tobytes():
                return i
        return 0
