#!/usr/bin/env python3
"""Checks that repeated runs with other bits are found, on the host and on the GPU.

usage: repeats_test.py --bin DIR [--device cpu|cuda:0]
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

from cuda_repeats import CudaRepeats
from tripy_runtime import CUDA, Runtime, describe

PROGRAM = """func.func @main(%x: tensor<?xf16> {tripy.name = "x", tripy.dims = ["n"],
    tripy.profile = #tripy.profile<min = [0], opt = [8], max = [200000]>}) -> tensor<?xf16> {
  %y = trace.neg %x : (tensor<?xf16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}
"""


class Wavering(Runtime):
    """Its call number `wrong` computes with the last element changed."""

    calls, wrong, change = 0, -1, None

    def call(self, context, inputs, output, stream=None):
        if self.calls == self.wrong:
            inputs = [self.change(inputs[0])]
        self.calls += 1
        super().call(context, inputs, output, stream)


def changer(repeats, values):
    """Gives a tensor with `values` where the device reads it."""
    if not isinstance(repeats, CudaRepeats):
        return lambda _: describe(values, "f16")
    return lambda _: describe(values, "f16", repeats.upload(values), repeats.ordinal)


def check(runtime, repeats, context, count):
    """Runs an array of `count` elements five times; each run in turn is wrong."""
    values = (np.arange(count) % 2000).astype("<f2")
    first = runtime.run(context, [values], ["f16"], values.shape, "f16")
    for wrong in (-1, 0, 1, 2, 4):
        runtime.calls, runtime.wrong = 0, wrong
        found = repeats.first_other(context, [values], [values], ["f16"], first, "f16", 5)
        # The first call is the one with other inputs, and is not compared.
        expected = max(wrong, 0) if count else 0
        if found != expected:
            sys.exit(f"{count} elements, run {wrong} differs: found {found} instead of {expected}")
    runtime.wrong = -1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    runtime = Wavering(options.bin, options.device)
    repeats = CudaRepeats(runtime) if runtime.options.device == CUDA else runtime
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "case.tpx")
        target = "cuda:sm_90a" if runtime.options.device == CUDA else "cpu"
        subprocess.run([os.path.join(options.bin, "tripy-compile"), "-", "-o", binary, f"--target={target}"],
                       input=PROGRAM, text=True, check=True)
        context = runtime.load(binary)
        for count in (0, 1, 3, 1000, 150001):
            # Another array of that size, whose last element alone is another.
            values = (np.arange(count) % 2000).astype("<f2")
            values[-1:] = 7.5
            runtime.change = changer(repeats, values)
            check(runtime, repeats, context, count)
        runtime.free(context)
    print(f"PASS {options.device}")


if __name__ == "__main__":
    main()
