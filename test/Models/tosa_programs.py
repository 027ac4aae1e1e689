#!/usr/bin/env python3
"""Networks of TOSA, lowered to linalg by mlir-opt, compiled and run, against
NumPy.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "Inputs/tosa"
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "linalg.md"
# What the page tells users to write.
PIPELINE = re.search(r"--pass-pipeline='([^']*)'", PAGE.read_text()).group(1)


def mlp(x, w1, b1, w2, b2):
    logits = np.maximum(x @ w1 + b1, 0) @ w2 + b2
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def windows(x, size, stride, pad, fill):
    """Parts of x (n, h, w, c) by position in the window: (kh, kw, n, oh, ow, c);
    pad is top, bottom, left, right."""
    x = np.pad(x, [(0, 0), pad[:2], pad[2:], (0, 0)], constant_values=fill)
    heights = (x.shape[1] - size[0]) // stride + 1
    widths = (x.shape[2] - size[1]) // stride + 1
    return np.array([[x[:, i:i + heights * stride:stride,
                        j:j + widths * stride:stride]
                      for j in range(size[1])] for i in range(size[0])])


def conv(x, w1, b1, w2, b2, w3):
    parts = windows(x, (3, 3), 2, (1, 1, 1, 0), 0)
    first = np.clip(np.einsum("ijnhwc,fijc->nhwf", parts, w1) + b1, 0, 6)
    parts = windows(first, (3, 3), 1, (1, 1, 1, 1), 0)
    deep = np.tanh(np.einsum("ijnhwc,ijc->nhwc", parts, w2[..., 0]) + b2)
    joined = np.concatenate([first, deep], 3)
    pooled = windows(joined, (2, 2), 2, (0, 1, 0, 0), -np.inf).max((0, 1))
    return pooled.mean((1, 2)) @ w3


NETWORKS = {
    "mlp": (mlp, [(5, 24), (24, 40), (1, 40), (40, 12), (1, 12)]),
    "conv": (conv, [(2, 9, 8, 3), (6, 3, 3, 3), (6,), (3, 3, 6, 1), (6,),
                    (12, 4)]),
}


def run(args, folder, name, target, operands):
    program = folder / f"{name}.mlir"
    subprocess.run([args.mlir_opt, FOLDER / f"{name}.mlir",
                    f"--pass-pipeline={PIPELINE}", "-o", program], check=True)
    tpx = folder / "p.tpx"
    subprocess.run([args.bin / "tripy-compile", program, f"--target={target}",
                    "-o", tpx], check=True)
    command = [args.bin / "tripy-run", tpx, "--output", f"@{folder}/r.npy"]
    environment = dict(os.environ)
    if target == "cuda":
        command.append("--device=cuda:0")
        environment["LD_LIBRARY_PATH"] = str(args.emulator)
    for i, value in enumerate(operands):
        np.save(folder / f"{i}.npy", value.astype(np.float32))
        command += ["--input", f"arg{i}=@{folder}/{i}.npy"]
    subprocess.run(command, check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    return np.load(folder / "r.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", type=pathlib.Path, required=True,
                        help="folder of the emulator's libcuda")
    parser.add_argument("--mlir-opt", required=True)
    args = parser.parse_args()
    random = np.random.default_rng(5)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (meaning, shapes) in NETWORKS.items():
            operands = [random.uniform(-1, 1, shape) for shape in shapes]
            expected = meaning(*operands)
            for target in ("cpu", "cuda"):
                found = run(args, pathlib.Path(folder), name, target, operands)
                error = (np.abs(found - expected).max()
                         if found.shape == expected.shape else np.inf)
                bad += not error < 1e-4
                print(f"{name} on {target}: largest error {error:.2g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
