"""The sides of the comparison: each makes a case into calls on the current stream.

A side has a name and `prepare(case, sets, outputs)`: `sets` are lists of input
tensors (torch, on the GPU), `outputs` a tuple of tensors for each set. It
returns a list of (label, call), where call(i) computes with set i and returns
the output, or a tuple of several; several labels are alternatives, of which the fastest counts.
Raises Skip when the case is not for it.
"""
import ctypes
import glob
import os
import subprocess

import torch


class Skip(Exception):
    pass


#===-- Tripy, through its C interface ------------------------------------===#

class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("dtype", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 3), ("ndim", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64))]


_CODES = {torch.float32: 1, torch.float16: 2, torch.bfloat16: 3, torch.int32: 4, torch.int64: 5, torch.bool: 6,
          torch.float8_e4m3fn: 11}


def _describe(tensor):
    shape = (ctypes.c_int64 * max(1, tensor.dim()))(*tensor.shape)
    return _Tensor(tensor.data_ptr(), 2, tensor.device.index or 0, _CODES[tensor.dtype], (ctypes.c_uint8 * 3)(),
                   tensor.dim(), shape)


class Tripy:
    name = "tripy"

    def __init__(self, library, folder):
        self.library = ctypes.CDLL(library)
        self.library.tripy_last_error.restype = ctypes.c_char_p
        self.folder = folder

    def _check(self, code):
        if code != 0:
            raise RuntimeError(self.library.tripy_last_error().decode())

    def _look_at(self, executable):
        """Raises Skip for a program that is not this side's."""

    def _path(self, case):
        return os.path.join(self.folder, case.executable + ".tpx")

    def prepare(self, case, sets, outputs):
        path = self._path(case)
        if not case.program:
            raise Skip("Tripy lacks the operation")
        if not os.path.exists(path):
            raise RuntimeError("the program was not compiled")
        executable, context = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self.library.tripy_executable_load(path.encode(), None, ctypes.byref(executable)))
        self._look_at(executable)
        self._check(self.library.tripy_context_create(executable, ctypes.byref(context)))
        self.library.tripy_executable_free(executable)
        arguments = [(_Tensor * len(tensors))(*map(_describe, tensors)) for tensors in sets]
        results = [(_Tensor * len(tensors))(*map(_describe, tensors)) for tensors in outputs]

        def call(i):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self._check(self.library.tripy_context_enqueue(
                context, arguments[i], ctypes.c_size_t(len(sets[i])), results[i], ctypes.c_size_t(len(outputs[i])), stream))
            return outputs[i]
        # Captured graphs contain the context's memory: it lives as long as the process.
        return [("", call)]


class TripyStatic(Tripy):
    """Programs that were compiled for the sizes of the case alone, where the first side's have dynamic sizes."""
    name = "tripy static"

    def _path(self, case):
        return os.path.join(self.folder, case.name + ".tpx")

    def prepare(self, case, sets, outputs):
        if not case.static_program:
            raise Skip("no dynamic sizes")
        return super().prepare(case, sets, outputs)


class TripyWithLibraries(Tripy):
    """Programs of which cuBLASLt computes a part; others are the first side's."""
    name = "tripy+libraries"

    def prepare(self, case, sets, outputs):
        if not case.has_product:
            raise Skip("no product")
        return super().prepare(case, sets, outputs)

    def _look_at(self, executable):
        count, used, texts = ctypes.c_size_t(), 0, set()
        self._check(self.library.tripy_executable_launch_count(executable, ctypes.byref(count)))
        for launch in range(count.value):
            is_library, text = ctypes.c_int32(), ctypes.c_char_p()
            self._check(self.library.tripy_executable_launch_backend(
                executable, ctypes.c_size_t(launch), ctypes.byref(is_library), ctypes.byref(text)))
            used += is_library.value
            texts.add(text.value.decode())
        if used == 0:
            self.library.tripy_executable_free(executable)
            raise Skip("; ".join(sorted(texts - {""})) or "no product that a library may compute")


#===-- PyTorch -----------------------------------------------------------===#

class Torch:
    """Eager, or compiled with one of torch.compile's modes; always replayed from a graph."""

    def __init__(self, name, mode=None, leaves_out=()):
        self.name, self.mode, self.leaves_out = name, mode, leaves_out

    def prepare(self, case, sets, outputs):
        if case.group in self.leaves_out:
            raise Skip("left out of a quick run")
        torch.backends.cuda.matmul.allow_tf32 = case.tf32

        def function(*inputs):
            return case.torch(torch, *inputs)
        if self.mode:
            torch._dynamo.reset()
            function = torch.compile(function, mode=None if self.mode == "default" else self.mode, dynamic=False)
        choices = [("", lambda i: function(*sets[i]))]
        if case.group == "attention" and not self.mode:
            choices += [(backend, self._attention(backend, function, sets)) for backend in ("CUDNN_ATTENTION", "FLASH_ATTENTION")]
        return choices

    @staticmethod
    def _attention(backend, function, sets):
        """With one of the libraries that PyTorch has for attention, of which it takes the first that can."""
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def call(i):
            with sdpa_kernel(getattr(SDPBackend, backend)):
                return function(*sets[i])
        return call


#===-- cuBLASLt ----------------------------------------------------------===#

class CublasLt:
    name = "cublaslt"
    workspace = 64 << 20

    def __init__(self, folder):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cublaslt.cpp")
        library = os.path.join(folder, "libbench_cublaslt.so")
        self._build(source, library)
        self.library = ctypes.CDLL(library)
        self.library.bench_lt_create.restype = ctypes.c_void_p
        self.buffer = torch.empty(self.workspace, dtype=torch.uint8, device="cuda")

    @staticmethod
    def _build(source, library):
        homes = [os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
        home = next((h for h in homes if h and os.path.exists(os.path.join(h, "include/cublasLt.h"))), None)
        headers = [os.path.join(home, "include")] if home else []
        shared = sorted(glob.glob(os.path.join(home, "lib64/libcublasLt.so*"))) if home else []
        # Python's packages carry both.
        site = os.path.dirname(os.path.dirname(torch.__file__))
        headers += [os.path.dirname(f) for f in glob.glob(f"{site}/nvidia/**/cublasLt.h", recursive=True)]
        headers += [os.path.dirname(f) for f in glob.glob(f"{site}/nvidia/**/cuda_runtime_api.h", recursive=True)]
        shared = sorted(glob.glob(f"{site}/nvidia/**/libcublasLt.so*", recursive=True)) + shared
        if not headers or not shared:
            raise Skip("cublasLt.h or libcublasLt.so is not there")
        result = subprocess.run(
            ["g++", "-O2", "-shared", "-fPIC", source, "-o", library, *[f"-I{h}" for h in headers], shared[0],
             f"-Wl,-rpath,{os.path.dirname(shared[0])}"], text=True, capture_output=True)
        if result.returncode != 0:
            raise Skip("cublaslt.cpp does not compile: " + result.stderr[-300:])

    def prepare(self, case, sets, outputs):
        if not case.gemm:
            raise Skip("no matrix product")
        types = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 3 if case.tf32 else 2, torch.float8_e4m3fn: 4}
        m, n, k, batch = (ctypes.c_int64(v) for v in case.gemm)
        product = self.library.bench_lt_create(
            m, n, k, batch, types[sets[0][0].dtype], int(case.layout[0] == "t"), int(case.layout[1] == "n"),
            ctypes.c_uint64(self.workspace), 16)
        if not product:
            raise Skip("the heuristic returns no algorithm")

        def algorithm(number):
            def call(i):
                code = self.library.bench_lt_run(
                    ctypes.c_void_p(product), number, ctypes.c_void_p(sets[i][0].data_ptr()),
                    ctypes.c_void_p(sets[i][1].data_ptr()), ctypes.c_void_p(outputs[i][0].data_ptr()),
                    ctypes.c_void_p(self.buffer.data_ptr()), ctypes.c_uint64(self.workspace),
                    ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
                if code != 0:
                    raise RuntimeError(f"cublasLtMatmul returns {code}")
                return outputs[i]
            return call
        count = self.library.bench_lt_count(ctypes.c_void_p(product))
        return [(f"algorithm {number + 1} of {count}", algorithm(number)) for number in range(count)]


#===-- JAX ---------------------------------------------------------------===#

class Jax:
    """One jitted function computes all sets; calls are issued back to back."""
    name = "jax"
    on_host_clock = True

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        try:
            import jax
            import jax.numpy as jnp
        except ImportError:
            raise Skip("jax is not installed")
        self.jax, self.jnp = jax, jnp
        if not any(device.platform == "gpu" for device in jax.devices()):
            raise Skip("jax sees no GPU")

    def prepare(self, case, sets, outputs):
        if not case.jax or case.tf32:
            raise Skip("no JAX form")
        arrays = [[self.jax.dlpack.from_dlpack(t) for t in tensors] for tensors in sets]
        precision = "highest" if case.inputs[0].dtype == "f32" else "default"

        def function(all_sets):
            with self.jax.default_matmul_precision(precision):
                return [case.jax(self.jnp, *inputs) for inputs in all_sets]
        jitted = self.jax.jit(function)

        def run(times):
            for _ in range(times):
                result = jitted(arrays)
            self.jax.block_until_ready(result)
            return result
        return [("", run)]

    def to_torch(self, array):
        return torch.utils.dlpack.from_dlpack(array)
