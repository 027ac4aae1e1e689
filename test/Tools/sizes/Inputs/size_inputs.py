"""Runs 0, 1, ... n - 1 for several n in one context, through the C interface: BIN DEVICE PROGRAM."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Models"))
import numpy as np
from tripy_runtime import Failure, Runtime, describe, size

runtime = Runtime(sys.argv[1], sys.argv[2])
context = runtime.load(sys.argv[3])
# On CUDA each value has a graph, and the first ones are used again.
for n in (3, 5, 0, 8, 3, 5, 1, 7):
    output = np.full(n, -1, "f4")
    runtime.call(context, [size(n)], describe(output, "f32"))
    assert (output == np.arange(n)).all(), (n, output)
for n in (9, -1, 2**63 - 1, -2**63):
    try:
        runtime.call(context, [size(n)], describe(np.zeros(1, "f4"), "f32"))
        sys.exit(f"{n} is not refused")
    except Failure as failure:
        assert str(failure).startswith(f"input 'n' must be 0 to 8, but is {n}"), failure
runtime.free(context)
print("all values")
