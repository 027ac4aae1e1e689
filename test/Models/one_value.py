#!/usr/bin/env python3
"""Checks that a value of a 16-bit type is one value, whoever reads it (docs/levels.md), without tolerance.

usage: one_value.py --bin DIR [--target cpu|cuda:sm_90a] [--device cpu|cuda:0] [--count 200] [--first 0] [--seed 1]
                    [--options "--gemm-prologues=always"] [--only N [--print]]

Random programs on f16 and bf16 (value_programs.py): results of arithmetic, reductions and contractions are read by
what jumps (comparisons, argmax and a gather behind it, casts, floor) and by arithmetic, in one kernel or several.
What a reader jumps at must be NumPy's answer, exactly, for the value that NumPy computes or, where that may
differ in the last place (exp, sums), for the value that the program returns.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

import value_programs
from shape_program import STORED, from_bits, to_bits
from tripy_runtime import POISON, Failure, Runtime, Tensor, describe


def run(runtime, context, inputs, outputs):
    """`inputs`, `outputs`: (array of stored bits, dtype)."""
    given = [describe(np.ascontiguousarray(array), dtype) for array, dtype in inputs]
    made = [describe(array, dtype) for array, dtype in outputs]
    runtime.check(runtime.library.tripy_context_run(
        context, (Tensor * max(1, len(given)))(*given), ctypes.c_size_t(len(given)), (Tensor * len(made))(*made),
        ctypes.c_size_t(len(made)), None))


def decode(array, dtype):
    if dtype in ("f16", "bf16", "f32"):
        return from_bits(array, dtype)
    return array != 0 if dtype == "i1" else array.astype(np.int64)


def check_run(runtime, context, program, number, seed):
    rng = np.random.default_rng([seed, program.index, number])
    values = program.make_inputs(rng, number)
    inputs = [(to_bits(values[node.name], node.dtype), node.dtype) for node in program.inputs]
    outputs = []
    for node in program.returned:
        shape = program.shape(node, number)
        count = int(np.prod(shape)) * np.dtype(STORED[node.dtype]).itemsize
        outputs.append((np.full(count, POISON, "u1").view(STORED[node.dtype]).reshape(shape), node.dtype))
    run(runtime, context, inputs, outputs)
    found = {node.name: decode(array, dtype) for node, (array, dtype) in zip(program.returned, outputs)}
    return program.check(values, found, number)


def check_program(options, runtime, index):
    """Returns how many results were compared exactly."""
    program = value_programs.make(index, options.seed)
    if options.print:
        print(program.text())
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, "case")
        with open(stem + ".mlir", "w") as out:
            out.write(program.text())
        compiled = subprocess.run([os.path.join(options.bin, "tripy-compile"), stem + ".mlir", "-o", stem + ".tpx",
                                   f"--target={options.target}", *options.options.split()],
                                  text=True, capture_output=True)
        if compiled.returncode != 0:
            raise Failure("does not compile: " + (compiled.stderr or compiled.stdout)[:2000])
        context = runtime.load(stem + ".tpx")
        try:
            return sum(check_run(runtime, context, program, number, options.seed)
                       for number in range(len(program.runs)))
        finally:
            runtime.free(context)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--only", type=int)
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    runtime = Runtime(options.bin, options.device or ("cpu" if options.target == "cpu" else "cuda:0"))
    indices = [options.only] if options.only is not None else range(options.first, options.first + options.count)
    compared, failed = 0, []
    for index in indices:
        try:
            compared += check_program(options, runtime, index)
        except (Failure, value_programs.Mismatch) as problem:
            failed.append(index)
            print(f"program {index}: {problem}", flush=True)
            if getattr(problem, "lost", False):
                break
    print(f"{len(indices)} programs, {compared} results compared exactly, {len(failed)} failed")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
