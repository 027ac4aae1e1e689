"""Inputs and results of odd-products.mlir: every third row is NaN.

What is read behind the end of a row is often NaN, and must not spread."""

import sys

import numpy as np

prefix = sys.argv[1]
random = np.random.default_rng(1)


def operand(*shape):
    """Rows of `shape`, with K last."""
    rows = random.standard_normal(shape).astype(np.float16) / 4
    rows[..., 1::3, :] = np.nan
    return rows


def save(**arrays):
    for name, array in arrays.items():
        np.save(f"{prefix}.{name}.npy", np.ascontiguousarray(array))


def product(left, right):
    return (left.astype(np.float64) @ right.astype(np.float64).swapaxes(-1, -2)).astype(np.float16)


a, b, c, d = operand(65, 129), operand(67, 129), operand(2, 77, 63), operand(2, 31, 63)
save(a=a, b=b.T, c=c.swapaxes(1, 2), d=d, y=product(a, b), z=product(c, d))
