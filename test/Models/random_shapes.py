#!/usr/bin/env python3
"""Runs kernels of every kind at random odd shapes and checks them against float64 NumPy.

usage: random_shapes.py --bin DIR [--target cuda:sm_90a] [--device cpu|cuda:0] [--count 200] [--seed 1]
                        [--emitters loop,row,...] [--repeat 100] [--elements N] [--products N] [--jobs N]
       random_shapes.py --bin DIR --only gemm-simt:17 [--print]     one case again

DIR has tripy-compile; libtripy_runtime.so is there or in DIR/../lib. --count is the number of
programs for each emitter; half of them run at three shapes. Every element is within twice the
bound that follows from one rounding per operation and f32 sums (shape_program.py). --repeat runs
each shape that often: the bits never change. Needs numpy alone; a GPU that a kernel made unusable
costs one worker process.
"""
import argparse
import ctypes
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import shape_cases
from shape_program import STORED, compare

CODES = {"f32": 1, "f16": 2, "bf16": 3, "i32": 4, "i64": 5, "i1": 6, "f8E4M3FN": 11}
CPU, CUDA = 1, 2
CONTEXT_LOST = 20


class Failure(Exception):
    def __init__(self, text, lost=False):
        super().__init__(text)
        self.lost = lost


#===-- the runtime's C interface -----------------------------------------===#

class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("dtype", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 3), ("ndim", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64))]


class LoadOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("trust_host_code", ctypes.c_int32), ("threads", ctypes.c_uint32), ("arena_limit", ctypes.c_uint64),
                ("copy_file", ctypes.c_int32), ("inspect_only", ctypes.c_int32), ("show_source", ctypes.c_int32),
                ("reserved", ctypes.c_int32)]


def describe(array, dtype):
    shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    return Tensor(array.ctypes.data, CPU, 0, CODES[dtype], (ctypes.c_uint8 * 3)(), array.ndim, shape)


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

    def run(self, context, inputs, dtypes, shape, dtype):
        """The result's bits. What a kernel leaves out is not there by chance."""
        output = np.frombuffer(b"\x5a" * (int(np.prod(shape)) * np.dtype(STORED[dtype]).itemsize),
                               STORED[dtype]).reshape(shape).copy()
        arguments = (Tensor * max(1, len(inputs)))(*map(describe, inputs, dtypes))
        self.check(self.library.tripy_context_run(
            context, arguments, ctypes.c_size_t(len(inputs)), ctypes.byref(describe(output, dtype)),
            ctypes.c_size_t(1), None))
        return output


#===-- one case ----------------------------------------------------------===#

def run_shape(options, runtime, context, program, run):
    rng = np.random.default_rng([options.seed, run])
    inputs = program.make_inputs(rng, run)
    dtypes = [program.dtypes[name] for name, _ in program.inputs]
    value, error = program.evaluate(inputs)
    shape, dtype = program.shape_of(program.result, run), program.dtypes[program.result]
    first = runtime.run(context, inputs, dtypes, shape, dtype)
    problem = compare(first, dtype, value, error)
    if problem:
        raise Failure(f"sizes {program.runs[run]}: {problem}")
    # With other inputs between: nothing that a kernel left behind may count.
    others = program.make_inputs(rng, run) if options.repeat > 1 else []
    for i in range(1, options.repeat):
        if i == 1:
            runtime.run(context, others, dtypes, shape, dtype)
        again = runtime.run(context, inputs, dtypes, shape, dtype)
        if again.tobytes() != first.tobytes():
            raise Failure(f"sizes {program.runs[run]}: repetition {i} has other bits")


def check_case(options, runtime, emitter, index):
    limits = shape_cases.Limits(options.elements, options.products)
    program = shape_cases.make(emitter, index, options.seed, limits)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "case.mlir"), os.path.join(folder, "case.tpx")
        with open(source, "w") as out:
            out.write(program.text())
        tiles = options.tiles.split()
        tile = [f"--gemm-tile={tiles[index % len(tiles)]}"] if tiles else []
        compiled = subprocess.run([os.path.join(options.bin, "tripy-compile"), source, "-o", binary,
                                   f"--target={options.target}", *tile], text=True, capture_output=True)
        if compiled.returncode != 0:
            raise Failure("does not compile: " + (compiled.stderr or compiled.stdout)[:2000])
        context = runtime.load(binary)
        try:
            for run in range(len(program.runs)):
                run_shape(options, runtime, context, program, run)
        finally:
            runtime.free(context)
    return len(program.runs)


def work(options):
    """Answers each line "emitter:index" with a line of JSON."""
    runtime = Runtime(options.bin, options.device)
    for line in sys.stdin:
        emitter, _, index = line.strip().partition(":")
        answer = {"shapes": 0, "problem": "", "lost": False}
        try:
            answer["shapes"] = check_case(options, runtime, emitter, int(index))
        except Failure as failure:
            answer["problem"], answer["lost"] = str(failure), failure.lost
        print(json.dumps(answer), flush=True)
        if answer["lost"]:
            return


#===-- all cases ---------------------------------------------------------===#

class Runner:
    """Workers with a queue of cases; a worker that dies or hangs fails one case."""

    def __init__(self, options):
        self.options, self.cases, self.lock = options, queue.Queue(), threading.Lock()
        self.shapes, self.failed, self.seconds = {}, [], {}

    def start(self):
        command = [sys.executable, os.path.abspath(__file__), "--worker"]
        for name in ("bin", "target", "device", "seed", "repeat", "elements", "products", "tiles"):
            command += [f"--{name}", str(getattr(self.options, name))]
        return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE if self.options.quiet else None)

    def ask(self, worker, case):
        timer = threading.Timer(self.options.timeout, worker.kill)
        timer.start()
        try:
            worker.stdin.write(case + "\n")
            worker.stdin.flush()
            line = worker.stdout.readline()
        except BrokenPipeError:
            line = ""
        late = not timer.is_alive()
        timer.cancel()
        if line:
            return json.loads(line)
        return {"shapes": 0, "lost": True,
                "problem": f"no answer after {self.options.timeout} s" if late
                else f"the worker ended with exit code {worker.wait()}"}

    def serve(self):
        worker = None
        while True:
            try:
                case = self.cases.get_nowait()
            except queue.Empty:
                break
            worker = worker or self.start()
            begin = time.time()
            answer = self.ask(worker, case)
            with self.lock:
                emitter = case.partition(":")[0]
                self.shapes[emitter] = self.shapes.get(emitter, 0) + answer["shapes"]
                self.seconds[emitter] = self.seconds.get(emitter, 0.0) + time.time() - begin
                if answer["problem"]:
                    self.failed.append(case)
                    print(f"FAIL {case}: {answer['problem']}", flush=True)
            if answer["lost"]:
                worker.kill()
                worker.wait()
                worker = None
        if worker:
            worker.stdin.close()
            worker.wait()

    def run(self):
        emitters = self.options.emitters.split(",")
        # All emitters share the machine from the first case on.
        for index in range(self.options.count):
            for emitter in emitters:
                self.cases.put(f"{emitter}:{index}")
        if self.options.only:
            self.cases = queue.Queue()
            self.cases.put(self.options.only)
        threads = [threading.Thread(target=self.serve) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for emitter, shapes in self.shapes.items():
            failed = sum(case.startswith(emitter + ":") for case in self.failed)
            print(f"{'FAIL' if failed else 'PASS'} {emitter}: {shapes} shapes on {self.options.device}, "
                  f"{failed} programs failed, {self.seconds[emitter]:.0f} s")
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target", help="default: cpu, or cuda:sm_90a for a GPU")
    parser.add_argument("--count", type=int, default=200, help="programs for each emitter")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--emitters", default=",".join(shape_cases.EMITTERS))
    parser.add_argument("--repeat", type=int, default=1, help="runs of each shape, which give the same bits")
    parser.add_argument("--elements", type=int, default=1 << 20, help="of a tensor at most")
    parser.add_argument("--products", type=int, default=1 << 28, help="of a contraction at most")
    parser.add_argument("--tiles", default="", help="tiles of tensor-core kernels, taken in turn: '128x256 64x64,split=2'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each program")
    parser.add_argument("--only", help="one case, as in a FAIL line")
    parser.add_argument("--print", action="store_true", help="with --only: print the program")
    parser.add_argument("--quiet", action="store_true", help="leave out what the driver says")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.target = options.target or ("cpu" if options.device == "cpu" else "cuda:sm_90a")
    unknown = set(options.emitters.split(",")) - set(shape_cases.EMITTERS)
    if unknown:
        parser.error(f"no such emitter: {', '.join(sorted(unknown))}")
    if options.worker:
        return work(options)
    if options.only and options.print:
        emitter, _, index = options.only.partition(":")
        program = shape_cases.make(emitter, int(index), options.seed,
                                   shape_cases.Limits(options.elements, options.products))
        print(program.text(), f"runs: {program.runs}", sep="")
    return Runner(options).run()


if __name__ == "__main__":
    sys.exit(main())
