#!/usr/bin/env python3
"""Largest errors of the element-wise functions on a GPU, over every input, against PyTorch in float64.

usage: accuracy.py --bin DIR [--functions NAME,...] [--write docs/accuracy.md] [--card TEXT]
       accuracy.py --bin DIR --compile-only

f32: all 2^32 inputs of each function of one operand. f16 and bf16: all 65,536. Errors are in units in the last place (ULP) of the
exact result; a NaN, an infinity or a sign of zero that is not the exact one's counts as infinitely wrong. --write puts the
table into the page, between its markers. Prints PASS and FAIL lines against the bounds of docs/accuracy.md. --compile-only needs
neither a GPU nor PyTorch.
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
CHUNK = 1 << 27
# Mantissa bits that are stored, exponent of the smallest normal number, largest finite number.
FORMATS = {"f32": (23, -126, (2 - 2.0 ** -23) * 2.0 ** 127), "f16": (10, -14, 65504.0),
           "bf16": (7, -126, (2 - 2.0 ** -7) * 2.0 ** 127)}
BEGIN, END = "<!-- measured by accuracy.py -->\n", "<!-- end of accuracy.py -->\n"


@dataclass
class Function:
    name: str
    # (torch, x in float64) -> the exact result in float64.
    exact: Callable
    # The largest error in f32, in ULP; of 16-bit types it is 1.
    bound: float = 1


def cube_root(t, x):
    """One of Newton's steps after pow, which alone is off by some ULP of float64."""
    root = x.abs().pow(1 / 3)
    better = root - (root * root * root - x.abs()) / (3 * root * root)
    return t.where((root > 0) & t.isfinite(root), better, root).copysign(x)


FUNCTIONS = [
    Function("exp", lambda t, x: t.exp(x), 2), Function("exp2", lambda t, x: t.exp2(x), 2),
    Function("log", lambda t, x: t.log(x), 2), Function("log2", lambda t, x: t.log2(x), 2),
    Function("tanh", lambda t, x: t.tanh(x), 2), Function("erf", lambda t, x: t.erf(x), 2),
    Function("sin", lambda t, x: t.sin(x), 2), Function("cos", lambda t, x: t.cos(x), 2),
    Function("tan", lambda t, x: t.tan(x), 4), Function("rsqrt", lambda t, x: 1 / t.sqrt(x), 2),
    Function("sqrt", lambda t, x: t.sqrt(x), 0.5), Function("expm1", lambda t, x: t.expm1(x)),
    Function("log1p", lambda t, x: t.log1p(x)), Function("log10", lambda t, x: t.log10(x)),
    Function("cbrt", cube_root), Function("sinh", lambda t, x: t.sinh(x)), Function("cosh", lambda t, x: t.cosh(x)),
    Function("asinh", lambda t, x: t.asinh(x)), Function("acosh", lambda t, x: t.acosh(x)),
    Function("atanh", lambda t, x: t.atanh(x)), Function("asin", lambda t, x: t.asin(x)),
    Function("acos", lambda t, x: t.acos(x)), Function("atan", lambda t, x: t.atan(x)),
]


def program(name, dtype, count):
    kind = f"tensor<{count}x{dtype}>"
    return f"""func.func @main(%x: {kind}) -> {kind} {{
  %y = trace.{name} %x : ({kind}) -> {kind}
  return %y : {kind}
}}
"""


def compile_program(options, folder, function, dtype, count):
    path = os.path.join(folder, f"{function.name}-{dtype}")
    with open(path + ".mlir", "w") as out:
        out.write(program(function.name, dtype, count))
    result = subprocess.run([os.path.join(options.bin, "tripy-compile"), path + ".mlir", "-o", path + ".tpx",
                             f"--target={options.target}"], text=True, capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr[-400:])


def errors_of(torch, found, exact, dtype):
    """In ULP of the exact result; infinite where the kind of the result is another."""
    bits, lowest, largest = FORMATS[dtype]
    exponent = torch.frexp(exact.abs()).exponent - 1
    unit = torch.ldexp(torch.ones_like(exact), exponent.clamp_min(lowest) - bits)
    errors = (found - exact).abs() / unit
    # What rounds to more than the largest number is infinite, by half a unit above it.
    half = 2.0 ** (torch.frexp(torch.tensor(largest, dtype=torch.float64)).exponent.item() - 1 - bits) / 2
    beyond = exact.abs() >= largest + half
    same = (found.isnan() & exact.isnan()) | (beyond & found.isinf() & (found.sign() == exact.sign()))
    errors = torch.where(same, torch.zeros_like(errors), errors)
    # One ULP below infinity: the largest number in place of an infinity, and the other way round, by the distance to it.
    near = found.isinf() & exact.isfinite() & (exact.abs() > largest)
    errors = torch.where(near & (found.sign() == exact.sign()), (largest + 2 * half - exact.abs()) / unit, errors)
    zero = (exact == 0) & (found == 0) & (torch.signbit(exact) != torch.signbit(found))
    return torch.where(errors.isnan() | zero, torch.full_like(errors, float("inf")), errors)


def measure(options, torch, sides, folder, function, dtype):
    """The largest error, and the input it belongs to."""
    wide = dtype == "f32"
    count, chunks = (CHUNK, (1 << 32) // CHUNK) if wide else (1 << 16, 1)
    compile_program(options, folder, function, dtype, count)
    stored = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    integer = torch.int32 if wide else torch.int16
    patterns = torch.empty(count, dtype=integer, device="cuda")
    output = torch.empty(count, dtype=stored, device="cuda")
    case = argparse.Namespace(name=f"{function.name}-{dtype}", program="compiled")
    side = sides.Tripy(os.path.join(options.bin, "libtripy_runtime.so"), folder)
    call = side.prepare(case, [[patterns.view(stored)]], [output])[0][1]
    worst, place = -1.0, 0.0
    for chunk in range(chunks):
        first = chunk * count if wide else 0
        numbers = torch.arange(first, first + count, dtype=torch.int64, device="cuda")
        top = 1 << (32 if wide else 16)
        patterns.copy_(torch.where(numbers >= top // 2, numbers - top, numbers).to(integer))
        output.fill_(123.0)
        call(0)
        torch.cuda.synchronize()
        for i in range(0, count, 1 << 25):
            part = slice(i, min(count, i + (1 << 25)))
            x = patterns[part].view(stored).double()
            errors = errors_of(torch, output[part].double(), function.exact(torch, x), dtype)
            largest = errors.max()
            if float(largest) > worst:
                worst, place = float(largest), float(x[errors.argmax()])
    return worst, place


def hexadecimal(x):
    """As C prints it, without the zeros of a mantissa that f32 does not have."""
    mantissa, exponent = x.hex().split("p") if "p" in x.hex() else (x.hex(), None)
    return mantissa.rstrip("0").rstrip(".") + ("p" + exponent if exponent else "")


def table(found, card):
    lines = [f"Measured on an {card}. f32: all 2^32 inputs; f16, bf16: all 65,536.", "",
             "| function | bound, f32 | f32 | at | f16 | bf16 |", "|---|---|---|---|---|---|"]
    for function in FUNCTIONS:
        if function.name in found:
            errors = found[function.name]
            lines.append(f"| `{function.name}` | {function.bound:g} | {errors['f32'][0]:.4f} | `{hexadecimal(errors['f32'][1])}` | "
                         f"{errors['f16'][0]:.4f} | {errors['bf16'][0]:.4f} |")
    return "\n".join(lines) + "\n"


def write(path, text):
    with open(path, encoding="utf-8") as page:
        whole = page.read()
    before, rest = whole.split(BEGIN)
    with open(path, "w", encoding="utf-8") as page:
        page.write(before + BEGIN + text + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--functions", default="")
    parser.add_argument("--write", metavar="PAGE")
    parser.add_argument("--card", default="GPU")
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()
    wanted = options.functions.split(",") if options.functions else [f.name for f in FUNCTIONS]
    chosen = [f for f in FUNCTIONS if f.name in wanted]
    found, failed, count = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        if not options.compile_only:
            import sides
            import torch
        for function in chosen:
            for dtype in FORMATS:
                count += 1
                try:
                    if options.compile_only:
                        compile_program(options, folder, function, dtype, 1 << 16)
                        good, detail = True, "compiles"
                    else:
                        worst, place = measure(options, torch, sides, folder, function, dtype)
                        found.setdefault(function.name, {})[dtype] = (worst, place)
                        bound = function.bound if dtype == "f32" else 1
                        good, detail = worst <= bound, f"{worst:.4f} of {bound:g} ULP, at {hexadecimal(place)}"
                except Exception as problem:  # One function's failure is its own.
                    good, detail = False, f"{type(problem).__name__}: {str(problem)[:300]}"
                failed += not good
                print(f"{'PASS' if good else 'FAIL'} accuracy of {function.name} in {dtype}: {detail}", flush=True)
    if not options.compile_only:
        complete = {name: errors for name, errors in found.items() if len(errors) == len(FORMATS)}
        text = table(complete, options.card)
        print(text)
        if options.write:
            write(options.write, text)
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
