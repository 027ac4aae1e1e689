"""Compiles and runs one program, and compares what it returns with its definition."""
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Models"))
from tripy_runtime import CUDA, Failure, Runtime, Tensor, describe, describe_packed  # noqa: E402

import shapes  # noqa: E402
from elements import F8, STORED, pack_i4, unpack_i4  # noqa: E402
from program import uses_short  # noqa: E402
from sets import Context  # noqa: E402

# What outputs hold before a run: what is not written is not there by chance.
POISON = 0x5A
# Bytes in front of an output and behind it, which nobody may write.
GUARD = 64
COMPILE_SECONDS = 60


class Found(Exception):
    """A failure: its kind ("wrong", "crash", "refused", "silent", "hang", "fails", "repeats", "shape",
    "accepts") and what was seen."""

    def __init__(self, kind, where, text, lost=False):
        super().__init__(text)
        self.kind, self.where, self.text, self.lost = kind, where, text, lost

    def key(self):
        """Equal for failures that are one and the same, as far as can be told."""
        if self.kind == "wrong":
            what = self.text.split(":")[0].partition(" ")[2]  # (operation, type)
            return f"{self.kind} {self.where} {what}"
        if self.kind in ("hang", "repeats", "shape", "accepts"):
            return f"{self.kind} {self.where}"
        words = re.sub(r"<[^>]*>|%\w+|[^a-zA-Z ]", "", self.text.splitlines()[0] if self.text else "")
        return f"{self.kind} {self.where} {words[:70].strip()}"


def stored(array, dtype):
    """The array as the runtime has it."""
    return pack_i4(array) if dtype == "i4" else array


def tensor_of(data, dtype, shape):
    return describe_packed(data, dtype, shape) if dtype == "i4" else describe(data, dtype)


def byte_count(dtype, shape):
    count = int(np.prod(shape))
    return (count + 1) // 2 if dtype == "i4" else count * np.dtype(STORED[dtype]).itemsize


def first_error(text):
    lines = [line for line in text.splitlines() if "error:" in line or "Assertion" in line or "LLVM ERROR" in line]
    return (re.sub(r"^\S+: (?=error)", "", lines[0]) if lines else "") + "\n" + text[:2500]


class Checker:
    """`targets`: of cpu, cpu:PROCESSOR, cuda and evaluate, for each program."""

    def __init__(self, folder, device="cuda:0", chip="sm_90a", options=(), repeat=2):
        self.folder, self.device, self.chip, self.options, self.repeat = folder, device, chip, list(options), repeat
        self.runtimes = {}

    def runtime(self, target):
        device = self.device if target == "cuda" else "cpu"
        if device not in self.runtimes:
            self.runtimes[device] = Runtime(self.folder, device)
            self.runtimes[device].options.threads = 2 if device == "cpu" else 0
        return self.runtimes[device]

    def tool(self, arguments, where, **options):
        try:
            result = subprocess.run([os.path.join(self.folder, "tripy-compile"), *arguments], text=True, capture_output=True,
                                    errors="replace", timeout=COMPILE_SECONDS, **options)
        except subprocess.TimeoutExpired:
            raise Found("hang", where, f"no answer after {COMPILE_SECONDS} s") from None
        said = result.stderr + result.stdout
        if result.returncode == 0:
            return
        if result.returncode != 1:
            raise Found("crash", where, f"{first_error(said)}\nexit code {result.returncode}")
        if not said.strip():
            raise Found("silent", where, "exit code 1 without a word")
        raise Found("refused", where, first_error(said))

    def check(self, program, targets):
        """Raises Found."""
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "p.mlir")
            with open(source, "w") as out:
                out.write(program.text())
            for target in targets:
                if target == "evaluate":
                    self.check_evaluator(program, source, folder)
                else:
                    self.check_target(program, source, folder, target)

    def check_target(self, program, source, folder, target):
        self.place = f"on {target}"
        executable = os.path.join(folder, "p.tpx")
        processor = target.partition(":")[2]
        to = [f"--target=cuda:{self.chip}"] if target == "cuda" else ["--target=cpu", *[f"--cpu={processor}"] * bool(processor)]
        try:
            self.tool([source, "-o", executable, *to, "--no-cache", *self.options], f"on {target}")
        except Found as found:
            # What fails at each run may be refused at once.
            if found.kind == "refused" and all(program.may_be_refused(run) for run in range(program.runs)):
                return
            # Bounds of sizes that are computed may be too large where the sizes are not.
            if found.kind == "refused" and "at most 2^40 bytes for the largest sizes" in found.text and not program.has_exact_bounds():
                return
            raise
        runtime = self.runtime(target)
        runtime.options.arena_limit = program.max_memory()
        try:
            context = runtime.load(executable)
        except Failure as failure:
            raise Found("fails", f"on {target}", f"loading: {failure}", failure.lost) from None
        try:
            for run in range(program.live_runs()):
                try:
                    self.check_run(program, run, runtime, context, target)
                except Failure as failure:
                    if not program.may_be_refused(run) or failure.lost or "divi" not in str(failure):
                        raise Found("fails", f"on {target}", str(failure), failure.lost) from None
        finally:
            runtime.free(context)

    def check_run(self, program, run, runtime, context, target):
        bits = program.input_bits(run)
        types = program.types[:len(bits)]
        expected = [shapes.shape_at(program.types[o], run) for o in program.outputs]
        data = [stored(a, t.dtype) for a, t in zip(bits, types)]
        inputs = [tensor_of(d, t.dtype, a.shape) for d, a, t in zip(data, bits, types)]
        sizes = ((ctypes.c_int64 * 8) * len(expected))()
        array = (Tensor * max(1, len(inputs)))(*inputs)
        runtime.check(runtime.library.tripy_context_output_shapes(context, array, ctypes.c_size_t(len(inputs)), sizes,
                                                                  ctypes.c_size_t(len(expected))))
        if program.refused(run):
            raise Found("accepts", f"on {target}", f"a size is divided by 0, but the program's sizes are computed (run {run})")
        found = [tuple(row[:len(shape)]) for row, shape in zip(sizes, expected)]
        if found != expected:
            raise Found("shape", f"on {target}", f"shapes of outputs are {found}, not {expected} (run {run})")
        results = self.run(program, run, runtime, context, bits, expected)
        problem = program.check(Context(target == "cuda", uses_short(program)), run, bits, results)
        if problem:
            raise Found("wrong", f"on {target}", f"{problem} (run {run})")
        for i in range(1, self.repeat):
            self.run(program, run, runtime, context, program.input_bits(run, 1), expected)
            again = self.run(program, run, runtime, context, bits, expected)
            if any(a.tobytes() != b.tobytes() for a, b in zip(results, again)):
                raise Found("repeats", f"on {target}", f"repetition {i} has other bits (run {run})")

    def run(self, program, run, runtime, context, bits, expected):
        dtypes = [program.types[o].dtype for o in program.outputs]
        guarded = [np.full(byte_count(t, shape) + 2 * GUARD, POISON, "u1") for shape, t in zip(expected, dtypes)]
        outputs = [array[GUARD:len(array) - GUARD] for array in guarded]
        outputs = [array if t == "i4" else array.view(STORED[t]).reshape(shape)
                   for array, shape, t in zip(outputs, expected, dtypes)]
        data = [stored(a, t.dtype) for a, t in zip(bits, program.types)]
        inputs = [tensor_of(d, t.dtype, a.shape) for d, a, t in zip(data, bits, program.types)]
        array = (Tensor * max(1, len(inputs)))(*inputs)
        results = (Tensor * len(outputs))(*map(tensor_of, outputs, dtypes, expected))
        runtime.check(runtime.library.tripy_context_run(context, array, ctypes.c_size_t(len(inputs)), results,
                                                        ctypes.c_size_t(len(outputs)), None))
        for i, array in enumerate(guarded):
            if (array[:GUARD] != POISON).any() or (array[len(array) - GUARD:] != POISON).any():
                raise Found("overruns", self.place, f"bytes around output {i} were written (run {run})")
            if dtypes[i] == "i4" and int(np.prod(expected[i])) % 2 and outputs[i][-1] >> 4:
                raise Found("overruns", self.place, f"the half behind the elements of output {i} is not 0 (run {run})")
        return [unpack_i4(array, shape) if t == "i4" else array for array, shape, t in zip(outputs, expected, dtypes)]

    def check_evaluator(self, program, source, folder):
        run = program.live_runs() - 1
        if program.may_be_refused(run):
            return
        bits = program.input_bits(run)
        arguments = []
        for i, array in enumerate(bits):
            path = os.path.join(folder, f"a{i}.npy")
            raw = {"bf16": "V2", **{dtype: "V1" for dtype in F8}, "i1": "?"}.get(program.types[i].dtype)
            np.save(path, array.view(raw) if raw else array)
            arguments += ["--input", f"a{i}=@{path}"]
        places = [os.path.join(folder, f"y{i}.npy") for i in range(len(program.outputs))]
        for i, place in enumerate(places):
            arguments += ["--result", f"y{i}=@{place}"]
        self.tool([source, "--evaluate", *arguments], "in the evaluator")
        results = []
        for place, output in zip(places, program.outputs):
            array = np.load(place)
            results.append(np.ascontiguousarray(array).view(STORED[program.types[output].dtype]).reshape(array.shape))
        expected = [shapes.shape_at(program.types[o], run) for o in program.outputs]
        if [r.shape for r in results] != expected:
            raise Found("shape", "in the evaluator", f"shapes are {[r.shape for r in results]}, not {expected}")
        problem = program.check(Context(), run, bits, results)
        if problem:
            raise Found("wrong", "in the evaluator", f"{problem} (run {run})")


def processors():
    """Kinds of code for CPUs that this one runs: its own, plain x86-64, and what is scheduled for another one."""
    with open("/proc/cpuinfo") as text:
        flags = set(re.search(r"^flags\s*:(.*)", text.read(), re.M)[1].split())
    wide = {"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"}
    return ["cpu", "cpu:x86-64", "cpu", "cpu:skylake-avx512" if wide <= flags else "cpu:haswell" if "avx2" in flags else "cpu"]


PROCESSORS = processors()


def targets_of(options, index):
    """What program number `index` runs on."""
    if options.device != "cpu":
        return ["cuda"]
    targets = [PROCESSORS[index % len(PROCESSORS)]]
    if options.emulate and index % options.emulate == 0:
        targets.append("cuda")
    if options.evaluate and index % options.evaluate == 1:
        targets.append("evaluate")
    return targets


__all__ = ["Checker", "Found", "targets_of", "CUDA"]
