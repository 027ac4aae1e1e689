#!/usr/bin/env python3
"""Runs kernels of every kind at random odd shapes and checks them against float64 NumPy.

usage: random_shapes.py --bin DIR [--target cuda:sm_90a] [--device cpu|cuda:0] [--count 200] [--seed 1]
                        [--emitters loop,row,...] [--repeat 100] [--elements N] [--products N] [--jobs N]
       random_shapes.py --bin DIR --only gemm-simt:17 [--print]     one case again
       random_shapes.py --bin DIR --target cuda:sm_90a --emit FOLDER ...    for conformance-replay

DIR has tripy-compile; libtripy_runtime.so is there or in DIR/../lib. --count is the number of
programs for each emitter; half of them run at three shapes. Every element is within twice the
bound that follows from one rounding per operation and f32 sums (shape_program.py). --repeat runs
each shape that often: the bits never change (on a GPU they are compared there: cuda_repeats.py).
Needs numpy alone; a GPU that a kernel made unusable costs one worker process. --emit runs nothing:
each program becomes a folder with its inputs and results.
"""
import argparse
import collections
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
from cuda_repeats import CudaRepeats
from replay_files import write_case
from shape_program import compare
from tripy_runtime import CUDA, Failure, Runtime


#===-- one case ----------------------------------------------------------===#

def run_shape(options, runtime, repeats, context, program, run):
    rng = np.random.default_rng([options.seed, run])
    inputs = program.make_inputs(rng, run)
    dtypes = [program.dtypes[name] for name, _ in program.inputs]
    value, error = program.evaluate(inputs)
    shape, dtype = program.shape_of(program.result, run), program.dtypes[program.result]
    first = runtime.run(context, inputs, dtypes, shape, dtype)
    problem = compare(first, dtype, value, error)
    if problem:
        raise Failure(f"sizes {program.runs[run]}: {problem}")
    others = program.make_inputs(rng, run) if options.repeat > 1 else []
    differs = repeats.first_other(context, inputs, others, dtypes, first, dtype, options.repeat)
    if differs:
        raise Failure(f"sizes {program.runs[run]}: repetition {differs} has other bits")


def make_case(options, emitter, index, stem):
    """The program, compiled to stem.tpx."""
    program = shape_cases.make(emitter, index, options.seed, shape_cases.Limits(options.elements, options.products))
    with open(stem + ".mlir", "w") as out:
        out.write(program.text())
    tiles = options.tiles.split()

    def compile_with(tile):
        return subprocess.run([os.path.join(options.bin, "tripy-compile"), stem + ".mlir", "-o", stem + ".tpx",
                               f"--target={options.target}", *tile, *options.options.split()],
                              text=True, capture_output=True)
    compiled = compile_with([f"--gemm-tile={tiles[index % len(tiles)]}"] if tiles else [])
    # A tile that is legal for other contractions.
    if tiles and "the tile that is asked for" in compiled.stderr:
        compiled = compile_with([])
    if compiled.returncode != 0:
        raise Failure("does not compile: " + (compiled.stderr or compiled.stdout)[:2000])
    if "matrix instructions wait" in compiled.stderr:
        raise Failure("is slow: " + compiled.stderr[:2000])
    return program


def check_case(options, runtime, repeats, emitter, index):
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, "case")
        program = make_case(options, emitter, index, stem)
        context = runtime.load(stem + ".tpx")
        try:
            for run in range(len(program.runs)):
                run_shape(options, runtime, repeats, context, program, run)
        finally:
            runtime.free(context)
    return len(program.runs)


def emit_case(options, emitter, index):
    name = f"{emitter}-{index}"
    os.makedirs(os.path.join(options.emit, name))
    stem = os.path.join(options.emit, name, name)
    program = make_case(options, emitter, index, stem)
    write_case(stem + ".safetensors", program, options.seed)
    return len(program.runs)


def work(options):
    """Answers each line "emitter:index" with a line of JSON."""
    if not options.emit:
        runtime = Runtime(options.bin, options.device)
        repeats = CudaRepeats(runtime) if runtime.options.device == CUDA else runtime
    for line in sys.stdin:
        emitter, _, index = line.strip().partition(":")
        answer = {"shapes": 0, "problem": "", "lost": False}
        try:
            answer["shapes"] = (emit_case(options, emitter, int(index)) if options.emit
                                else check_case(options, runtime, repeats, emitter, int(index)))
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
        self.end = time.time() + options.seconds
        # For each emitter.
        self.programs, self.shapes, self.failed, self.seconds = (collections.Counter() for _ in range(4))

    def start(self):
        command = [sys.executable, os.path.abspath(__file__), "--worker"]
        for name in ("bin", "target", "device", "seed", "repeat", "elements", "products", "tiles", "options", "emit"):
            command.append(f"--{name}={getattr(self.options, name)}")
        # One thread for each worker: NumPy's products would take all processors otherwise.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        return subprocess.Popen(command, text=True, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
        while time.time() < self.end:
            try:
                case = self.cases.get_nowait()
            except queue.Empty:
                break
            worker = worker or self.start()
            begin = time.time()
            answer = self.ask(worker, case)
            with self.lock:
                emitter = case.partition(":")[0]
                self.programs[emitter] += 1
                self.shapes[emitter] += answer["shapes"]
                self.seconds[emitter] += time.time() - begin
                if answer["problem"]:
                    self.failed[emitter] += 1
                    print(f"FAIL {case}: {answer['problem']}", flush=True)
            if answer["lost"]:
                worker.kill()
                worker.wait()
                worker = None
        if worker:
            worker.stdin.close()
            worker.wait()

    def run(self):
        planned = [self.options.only] if self.options.only else [
            # All emitters share the machine from the first case on.
            f"{emitter}:{index}" for index in range(self.options.count) for emitter in self.options.emitters.split(",")]
        for case in planned:
            self.cases.put(case)
        begin = time.time()
        threads = [threading.Thread(target=self.serve) for _ in range(min(self.options.jobs, len(planned)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        bad = 0
        for emitter, count in collections.Counter(case.partition(":")[0] for case in planned).items():
            good = self.programs[emitter] == count and not self.failed[emitter]
            bad += not good
            late = "" if self.programs[emitter] == count else f" of {count}, then the time was over"
            print(f"{'PASS' if good else 'FAIL'} {emitter}: {self.programs[emitter]} programs{late}, "
                  f"{self.shapes[emitter]} shapes, each {self.options.repeat} times on {self.options.device}, "
                  f"{self.failed[emitter]} programs failed, {self.seconds[emitter]:.0f} s of a worker")
        print(f"{len(threads)} workers, {time.time() - begin:.0f} s")
        return 1 if bad else 0


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
    parser.add_argument("--options", default="", help="more of them for tripy-compile, such as --no-overlap")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each program")
    parser.add_argument("--seconds", type=float, default=1e9, help="no program starts later; a rest is a failure")
    parser.add_argument("--emit", default="", help="empty folder for the programs, which are not run")
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
