#!/usr/bin/env python3
"""Tensors of more than 2^31 elements, whose indices need 64 bits, on a GPU against PyTorch in float64.

usage: large_tensors.py --bin DIR [--cases TEXT] [--compile-only FOLDER]

One program for each way that kernels walk over tensors, at odd sizes. Needs some 60 GB of GPU memory; with
--compile-only neither that nor PyTorch: programs are written to the folder and compiled. Prints PASS and FAIL lines.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../bench"))
import cases  # noqa: E402
from cases import Input  # noqa: E402

ROWS, COLUMNS = 3000017, 1001  # 3.003e9 elements


@dataclass
class Large:
    name: str
    inputs: list
    output: Input
    body: str
    # (torch, *inputs) -> the result; on rows of the inputs and of the result alike, unless `whole`.
    torch: Callable
    whole: bool = False
    tolerance: float = 4e-3

    @property
    def program(self):
        return cases.Case("large", self.name, self.inputs, self.output, self.body, self.torch).program


def make():
    x = Input("a", (ROWS, COLUMNS))
    other = Input("b", x.shape)
    y = Input("y", x.shape)
    found = []

    def add(name, inputs, output, body, torch, **more):
        found.append(Large(name, inputs, output, body.format(*(i.type for i in inputs), y=output.type), torch, **more))

    def product(name, m, n, k, dtype="f16", **more):
        a, b = Input("a", (m, k), dtype), Input("b", (n, k), dtype, scale=k ** -0.5)
        add(name, [a, b], Input("y", (m, n), dtype), "%y = trace.linear %a, %b : ({0}, {1}) -> {y}",
            lambda t, a, b: a @ b.T, **more)
    add("loop", [x, other], y, "%s = trace.add %a, %b : ({0}, {1}) -> {y}\n%y = trace.tanh %s : ({y}) -> {y}",
        lambda t, a, b: t.tanh(a + b))
    add("row", [x], y, "%y = trace.softmax %a dim = 1 : ({0}) -> {y}", lambda t, a: t.softmax(a, -1))
    add("arg", [x], Input("y", (ROWS,), "i32"), "%y = trace.argmax %a dim = 1 : ({0}) -> {y}",
        lambda t, a: a.argmax(1), tolerance=0)
    add("column", [x], Input("y", (COLUMNS,)), "%y = trace.max %a dims = [0] : ({0}) -> {y}", lambda t, a: a.amax(0),
        whole=True, tolerance=0)
    long = Input("a", (3, 1000000008))
    add("long rows", [long], Input("y", (3,)), "%y = trace.max %a dims = [1] : ({0}) -> {y}", lambda t, a: a.amax(1),
        whole=True, tolerance=0)
    wide = Input("a", (60013, 50021))
    add("transpose", [wide], Input("y", (50021, 60013)), "%y = trace.permute %a [1, 0] : ({0}) -> {y}",
        lambda t, a: a.T, whole=True, tolerance=0)
    add("scan", [x], Input("y", x.shape), "%y = trace.cumsum %a dim = 1 : ({0}) -> {y}", lambda t, a: a.cumsum(1),
        tolerance=2e-2)
    places = Input("i", (70001,), "i64", below=ROWS)
    add("rows of a large table", [x, places], Input("y", (70001, COLUMNS)),
        "%y = trace.embedding %a, %i : ({0}, {1}) -> {y}", lambda t, a, i: a[i], whole=True, tolerance=0)
    table, many = Input("a", (1013, COLUMNS)), Input("i", (ROWS,), "i64", below=1013)
    add("many rows of a table", [table, many], y, "%y = trace.embedding %a, %i : ({0}, {1}) -> {y}",
        lambda t, a, i: a[i], whole=True, tolerance=0)
    half = Input("a", (ROWS // 2, COLUMNS))
    rest = Input("b", (ROWS - ROWS // 2, COLUMNS))
    add("concatenate", [half, rest], y, "%y = trace.concatenate %a, %b dim = 0 : ({0}, {1}) -> {y}",
        lambda t, a, b: t.cat([a, b]), whole=True, tolerance=0)
    add("slice", [x], Input("y", (ROWS, 997)), f"%y = trace.slice %a [0, 3] to [{ROWS}, 1000] by [1, 1] : ({{0}}) -> {{y}}",
        lambda t, a: a[:, 3:1000], tolerance=0)
    add("pad", [Input("a", (ROWS, 997))], y, "%y = trace.pad %a low [0, 3] high [0, 1] value = 0.0 : f16 : ({0}) -> {y}",
        lambda t, a: t.nn.functional.pad(a, (3, 1)), tolerance=0)
    product("product, large result", 60016, 50024, 64)
    product("product, large left operand", 3000017, 64, 1024)
    product("product, large right operand", 24, 3000016, 1024, whole=True)
    product("one row", 1, 3000017, 1024, whole=True)
    product("product, odd rows", 3000017, 33, 1001)
    product("product, f32", 60013, 50021, 17, "f32", tolerance=2e-5)
    return found


def compile_program(options, case, folder):
    source = os.path.join(folder, case.name.replace(" ", "-").replace(",", "") + ".mlir")
    with open(source, "w") as out:
        out.write(case.program)
    path = source[:-5] + ".tpx"
    result = subprocess.run([os.path.join(options.bin, "tripy-compile"), source, "-o", path,
                             f"--target={options.target}"], text=True, capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr[-400:])
    return path


def error_of(found, expected, torch):
    """Relative to an element and the typical size; of integers, how many differ."""
    if not found.is_floating_point():
        return float((found != expected).sum())
    typical = expected.double().square().mean().sqrt().clamp_min(1e-30)
    return float(((found.double() - expected).abs() / (expected.abs() + typical)).nan_to_num(nan=1e30).max())


def run(options, case, folder, torch, sides):
    path = compile_program(options, case, folder)
    types = {"f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "i64": torch.int64}

    def tensor(i):
        if i.below:
            return torch.randint(0, i.below, i.shape, device="cuda")
        return torch.randn(i.shape, device="cuda", dtype=types[i.dtype]) * i.scale
    inputs = [tensor(i) for i in case.inputs]
    output = torch.empty(case.output.shape, device="cuda", dtype=types[case.output.dtype])
    output.fill_(float("nan") if output.is_floating_point() else -1)
    side = sides.Tripy(os.path.join(options.bin, "libtripy_runtime.so"), folder)
    case.name, name = os.path.basename(path)[:-4], case.name
    side.prepare(case, [inputs], [(output,)])[0][1](0)
    case.name = name
    torch.cuda.synchronize()
    if case.whole and case.tolerance == 0:
        expected = case.torch(torch, *inputs)
        return float(sum((f != e).sum() for f, e in zip(output.split(1 << 12), expected.split(1 << 12))))
    if case.whole:
        # Columns of a product: rows of its second operand.
        step = max(1, (1 << 26) // case.inputs[1].shape[1])
        return max(error_of(output[:, i:i + step], case.torch(torch, inputs[0].double(), inputs[1][i:i + step].double()),
                            torch) for i in range(0, output.shape[1], step))
    rows = output.shape[0]
    step = max(1, (1 << 27) // max(i.shape[-1] for i in (*case.inputs, case.output)))
    worst = 0.0
    for i in range(0, rows, step):
        # The second operand of a product is the same for all rows.
        parts = [t[i:i + step] if t.shape[0] == rows else t for t in inputs]
        exact = [t.double() if t.is_floating_point() and case.tolerance else t for t in parts]
        expected = case.torch(torch, *exact)
        worst = max(worst, error_of(output[i:i + step], expected, torch) if case.tolerance
                    else float((output[i:i + step] != expected).sum()))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--cases", default="")
    parser.add_argument("--compile-only", metavar="FOLDER")
    options = parser.parse_args()
    chosen = [case for case in make() if options.cases in case.name]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        if not options.compile_only:
            import sides
            import torch
        for case in chosen:
            try:
                if options.compile_only:
                    os.makedirs(options.compile_only, exist_ok=True)
                    compile_program(options, case, options.compile_only)
                    verdict, detail = True, "compiles"
                else:
                    error = run(options, case, folder, torch, sides)
                    verdict, detail = error <= case.tolerance, f"error {error:.3g} of {case.tolerance:.3g}"
                    torch.cuda.empty_cache()
            except Exception as problem:  # One case's failure is its own.
                verdict, detail = False, f"{type(problem).__name__}: {str(problem)[:300]}"
            failed += not verdict
            print(f"{'PASS' if verdict else 'FAIL'} large tensors, {case.name}: {detail}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
