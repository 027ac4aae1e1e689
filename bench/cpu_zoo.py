#!/usr/bin/env python3
"""Times random layers on the CPU against PyTorch, on one thread, in turn.

usage: cpu_zoo.py SEED,N --bin DIR [--groups linear,rows,movement,blocks,convolutions] [--dtype f32|bf16] [--output FILE.json]

The first four groups are those of zoo.py, with smaller limits; N cases of them, and N / 2 convolutions of the sizes of
convolution networks: plain, grouped, depthwise, dilated, transposed, of one and of three dimensions. A time is the least
processor time of at least three calls. Results are compared with PyTorch's in float64. Prints quantiles of PyTorch's time
over Tripy's for each family, and the slowest cases.
"""
import os

# OpenBLAS reads these when NumPy loads it.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import ctypes
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import cpu
import zoo
import zoo_run
from zoo_draw import Limits

LIMITS = Limits(1 << 23, int(1.5e9), int(1.5e9), 1 << 12)
KINDS = ("plain", "plain", "plain", "1x1", "1d", "3d", "dilated", "grouped", "depthwise", "transposed")
CHANNELS = (3, 16, 24, 32, 64, 96, 128, 192, 256, 320, 512)
TOLERANCE = {"f32": 1e-3, "bf16": 0.1}


@dataclass
class Layer:
    """What zoo.ZooCase has, of a convolution."""
    name: str
    family: str
    sizes: str
    program: str
    shapes: list
    result: tuple
    fn: object


def convolution(rng, number):
    """One whose work is within limits."""
    while True:
        kind = rng.choice(KINDS)
        rank = {"1d": 1, "3d": 3}.get(kind, 2)
        size = rng.choice({1: (100, 1500, 3000), 2: (7, 8, 14, 19, 28, 33, 56, 112, 224), 3: (8, 14, 16)}[rank])
        batch, channels, outputs = rng.choice((1, 1, 2, 4, 8)), rng.choice(CHANNELS), rng.choice(CHANNELS[1:])
        window = 1 if kind == "1x1" else 3 if rank == 3 else rng.choice((3, 3, 5, 7))
        stride, dilation, groups = rng.choice((1, 1, 2)), 1, 1
        if kind == "dilated":
            dilation = rng.choice((2, 4))
        if kind == "grouped":
            groups = rng.choice((2, 4, 8, 32))
        if kind == "depthwise":
            outputs = groups = channels
        pad = window // 2 * dilation
        if kind == "transposed":
            stride, out = 2, (size - 1) * 2 - 2 * pad + window
            weight, work = (channels, outputs) + (window,) * rank, batch * outputs * channels * (window * size) ** rank
        else:
            out = (size + 2 * pad - dilation * (window - 1) - 1) // stride + 1
            weight = (outputs, channels // groups) + (window,) * rank
            work = batch * outputs * (channels // groups) * (window * out) ** rank
        elements = batch * channels * size ** rank
        if channels % groups or outputs % groups or out < 1 or not 2e6 < work < 1.5e9 or elements > 8e6:
            continue
        return layer(number, kind, rank, (batch, channels) + (size,) * rank, weight, (batch, outputs) + (out,) * rank,
                     stride, dilation, pad, groups)


def layer(number, kind, rank, data, weight, result, stride, dilation, pad, groups):
    def tensor(shape):
        return f"tensor<{'x'.join(map(str, shape))}xf32>"

    def each(value):
        return str([value] * rank)
    operation = "conv_transpose" if kind == "transposed" else "convolution"
    dilated = f" dilation = {each(dilation)}" if dilation > 1 else ""
    grouped = f" groups = {groups}" if groups > 1 else ""
    program = (f"func.func @main(%x: {tensor(data)}, %w: {tensor(weight)}) -> {tensor(result)} {{\n"
               f"  %r = trace.{operation} %x, %w stride = {each(stride)}{dilated} low = {each(pad)} high = {each(pad)}{grouped} : "
               f"({tensor(data)}, {tensor(weight)}) -> {tensor(result)}\n  return %r : {tensor(result)}\n}}\n")

    def fn(torch, x, w):
        functions = torch.nn.functional
        name = f"conv_transpose{rank}d" if kind == "transposed" else f"conv{rank}d"
        more = {} if kind == "transposed" else {"dilation": dilation, "groups": groups}
        return getattr(functions, name)(x, w, stride=stride, padding=pad, **more)
    sizes = f"{'x'.join(map(str, data))} {'x'.join(map(str, weight))}"
    return Layer(f"{number:03}_{kind}", f"convolution, {kind}", sizes, program, [data, weight], result, fn)


class Measure:
    def __init__(self, options, torch, folder):
        self.options, self.torch, self.folder = options, torch, folder
        self.runtime = cpu.tripy_runtime.Runtime(options.bin, "cpu")
        self.runtime.options.threads = 1
        self.types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i32": torch.int32, "i64": torch.int64}

    def compile(self, case):
        source, target = (os.path.join(self.folder, "case" + suffix) for suffix in (".mlir", ".tpx"))
        with open(source, "w") as out:
            out.write(case.program)
        command = [os.path.join(self.options.bin, "tripy-compile"), source, "-o", target, "--target=cpu"]
        subprocess.run(command, check=True)
        return self.runtime.load(target)

    def describe(self, tensor, dtype):
        bits = tensor.view(self.torch.int16) if tensor.dtype == self.torch.bfloat16 else tensor
        return cpu.tripy_runtime.describe(bits.numpy(), dtype)

    def inputs(self, case):
        torch = self.torch
        if isinstance(case, Layer):
            return [(torch.randn(shape), "f32") for shape in case.shapes], [(torch.zeros(case.result), "f32")]
        drawn = [torch.randint(0, i.below, i.shape) if i.below else torch.randn(i.shape) * i.scale for i in case.inputs]
        return ([(value.to(self.types[i.dtype]), i.dtype) for value, i in zip(drawn, case.inputs)],
                [(torch.zeros(r.shape, dtype=self.types[r.dtype]), r.dtype) for r in case.outputs])

    def call(self, context, inputs, outputs):
        tensors = cpu.tripy_runtime.Tensor
        given, made = (tensors * len(inputs))(*inputs), (tensors * len(outputs))(*outputs)
        self.runtime.check(self.runtime.library.tripy_context_run(context, given, ctypes.c_size_t(len(inputs)), made,
                                                                  ctypes.c_size_t(len(outputs)), None))

    def error(self, case, inputs, outputs):
        wanted = self.peer(case, [x.double() if x.is_floating_point() else x.long() for x, _ in inputs])
        if getattr(case, "is_place", False):
            return 0.0 if (wanted.reshape(-1) == outputs[0][0].reshape(-1)).double().mean() > 0.99 else 9.0
        pairs = zip(wanted if isinstance(wanted, tuple) else (wanted,), outputs)
        return max(float(((found.double().reshape(w.shape) - w).abs() / (w.abs() + w.square().mean().sqrt() + 1e-30)).max())
                   for w, (found, _) in pairs)

    def peer(self, case, values):
        return (case.fn if isinstance(case, Layer) else case.torch)(self.torch, *values)

    def row(self, case):
        context = self.compile(case)
        inputs, outputs = self.inputs(case)
        given, made = ([self.describe(*pair) for pair in pairs] for pairs in (inputs, outputs))
        values = [x.long() if not x.is_floating_point() else x for x, _ in inputs]
        times, begin = [], time.monotonic()
        self.call(context, given, made)
        error = self.error(case, inputs, outputs)
        while len(times) < 3 or (len(times) < 8 and time.monotonic() - begin < 0.5):
            times.append((cpu.timed(lambda: self.call(context, given, made)), cpu.timed(lambda: self.peer(case, values))))
        self.runtime.free(context)
        ours, theirs = (min(column) for column in zip(*times))
        return {"case": case.name, "family": case.family, "sizes": case.sizes, "tripy_ms": round(ours * 1e3, 4),
                "torch_ms": round(theirs * 1e3, 4), "ratio": round(theirs / ours, 4), "error": float(f"{error:.2g}")}


def report(rows):
    """Quantiles of each family."""
    found = {}
    for row in rows:
        found.setdefault(row["family"], []).append((row["ratio"], row["case"]))
    result = {family: zoo_run.quantiles(each) for family, each in sorted(found.items())}
    for family, q in result.items():
        print(f"{family:32} {q['cases']:4} cases, geometric mean {q['geometric_mean']:.2f}, worst {q['worst']:.2f}")
    for row in sorted(rows, key=lambda row: row["ratio"])[:20]:
        print(f"{row['ratio']:.2f} {row['tripy_ms']:9.3f} ms, PyTorch {row['torch_ms']:9.3f}  {row['case']} {row['sizes']}")
    return result


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=zoo.parse_zoo, metavar="SEED,N")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--groups", default="linear,rows,movement,blocks,convolutions")
    parser.add_argument("--dtype", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--output")
    parser.add_argument("--commit", help="what to note when this is no checkout")
    return parser.parse_args()


def rms_norm(x, _, weight, eps):
    """For a PyTorch that has none."""
    import torch
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def main():
    options = parse()
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(options.zoo[0])
    if not hasattr(torch.nn.functional, "rms_norm"):
        torch.nn.functional.rms_norm = rms_norm
    zoo.DTYPES = (options.dtype,)
    groups = options.groups.split(",")
    cases = zoo.draw(*options.zoo, [g for g in groups if g != "convolutions"], LIMITS) if groups != ["convolutions"] else []
    rng = random.Random(options.zoo[0])
    if "convolutions" in groups and options.dtype == "f32":
        cases += [convolution(rng, number) for number in range(max(1, options.zoo[1] // 2))]
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        measure = Measure(options, torch, folder)
        rows = [measure.row(case) for case in cases]
    summary = report(rows)
    wrong = [row for row in rows if not row["error"] <= TOLERANCE[options.dtype]]
    for row in wrong:
        print(f"wrong: {row['case']} {row['sizes']}: {row['error']}")
    if options.output:
        with open(options.output, "w") as out:
            json.dump({"meta": {**cpu.describe(options, torch), "command": cpu.report.command("bench/cpu_zoo.py")},
                       "families": summary, "rows": rows}, out, indent=1)
            out.write("\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
