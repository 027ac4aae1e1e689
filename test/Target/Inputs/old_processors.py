"""Code for plain x86-64 gives the bits that code for this processor gives.

usage: old_processors.py --bin DIR

All f16, and f32 of all exponents and both signs, with the neighbours of what rounds to even, go through conversions,
rounding and the functions that need fused multiply-add. Conversions are compared with NumPy as well.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

UNARY = ("floor", "ceil", "exp", "log", "tanh", "sin", "cos", "erf", "sigmoid", "gelu")
BINARY = ("pow", "floor_div")


def numbers():
    """f32: every exponent with mantissas near those at which 16-bit floats round, and random ones."""
    rng = np.random.default_rng(7)
    ends = [0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfff, 0x1000, 0x1001, 0x1fff, 0x3000, 0x2fff, 0x3001, 0x7fefff,
            0x7ff000, 0x7fffff, 0x400000, 0x18000, 0x17fff, 0x18001]
    edges = (np.arange(256, dtype=np.uint32)[:, None] << 23) | np.array(ends, np.uint32)
    drawn = rng.integers(0, 1 << 32, 60000, dtype=np.uint32)
    ordinary = rng.normal(0, 20, 40000).astype(np.float32).view(np.uint32)
    halves = (rng.integers(-4000, 4000, 4000) / 2).astype(np.float32).view(np.uint32)
    positive = np.concatenate([edges.ravel(), drawn, ordinary, halves])
    return np.concatenate([positive, positive ^ np.uint32(1 << 31)]).view(np.float32)


def program(x, h):
    f32, f16, bf16 = (f"tensor<{n}x{t}>" for n, t in ((x.size, "f32"), (h.size, "f16"), (x.size, "bf16")))
    short, rounded = f"tensor<{h.size}xf32>", f"tensor<{x.size}xf16>"
    steps = [("widened", short, f"trace.cast %h to f32 : ({f16}) -> {short}"),
             ("half", rounded, f"trace.cast %x to f16 : ({f32}) -> {rounded}"),
             ("b", bf16, f"trace.cast %x to bf16 : ({f32}) -> {bf16}"),
             ("brain", f32, f"trace.cast %b to f32 : ({bf16}) -> {f32}"),
             ("sum", f16, f"trace.add %h, %h : ({f16}, {f16}) -> {f16}")]
    steps += [(name, f32, f"trace.{name} %x : ({f32}) -> {f32}") for name in UNARY]
    steps += [(name, f32, f"trace.{name} %x, %y : ({f32}, {f32}) -> {f32}") for name in BINARY]
    shown = [step for step in steps if step[0] != "b"]
    types = ", ".join(f'{kind} {{tripy.name = "{name}"}}' for name, kind, _ in shown)
    return [name for name, _, _ in shown], "\n".join(
        [f'func.func @main(%x: {f32} {{tripy.name = "x"}}, %y: {f32} {{tripy.name = "y"}}, %h: {f16} {{tripy.name = "h"}}) '
         f"-> ({types}) {{", *[f"%{name} = {line}" for name, _, line in steps],
         f"return {', '.join('%' + name for name, _, _ in shown)} : {', '.join(kind for _, kind, _ in shown)}", "}", ""])


def run(tools, folder, processor, inputs, names):
    path = os.path.join(folder, processor)
    subprocess.run([os.path.join(tools, "tripy-compile"), os.path.join(folder, "program.mlir"), "-o", path + ".tpx",
                    f"--cpu={processor}"], check=True)
    command = [os.path.join(tools, "tripy-run"), path + ".tpx", "--device=cpu"]
    for name, value in inputs.items():
        np.save(os.path.join(folder, name + ".npy"), value)
        command += ["--input", f"{name}=@{folder}/{name}.npy"]
    for name in names:
        command += ["--output", f"{name}=@{path}-{name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {name: np.load(f"{path}-{name}.npy") for name in names}


def differing(a, b):
    """Places with other bits; all NaN are one."""
    return np.flatnonzero(~((a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")) | (np.isnan(a) & np.isnan(b))))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    tools = parser.parse_args().bin
    x, h = numbers(), np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    y = np.random.default_rng(8).permutation(x)
    names, text = program(x, h)
    bad = 0
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        with open(os.path.join(folder, "program.mlir"), "w") as out:
            out.write(text)
        results = {processor: run(tools, folder, processor, {"x": x, "y": y, "h": h}, names)
                   for processor in ("native", "x86-64", "x86-64-v2")}
        wanted = {"widened": h.astype(np.float32), "half": x.astype(np.float16), "floor": np.floor(x), "ceil": np.ceil(x)}
    for processor, result in results.items():
        for name in names:
            for other, want in (("native", results["native"].get(name)), ("NumPy", wanted.get(name))):
                places = differing(result[name], want) if want is not None else []
                if len(places):
                    bad += 1
                    at = places[0]
                    print(f"{name} for {processor}: {len(places)} differ from {other}, the first at {at}: "
                          f"{result[name][at]!r}, not {want[at]!r}")
    print(f"{len(results)} processors, {len(names)} functions, {bad} differ")
    sys.exit(1 if bad else 0)


main()
