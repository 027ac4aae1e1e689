#!/usr/bin/env python3
"""Named operations of linalg and tensor, compiled and run on the CPU, against
NumPy. One line for each: the operation, its operands and result, and what NumPy
says.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

MLIR = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64}
TOLERANCE = {"f32": 1e-5, "f16": 2e-3, "i32": 0, "i64": 0}


def quotient_of(x, y):
    """The quotient toward zero; x / 0 is -1."""
    safe = np.where(y == 0, 1, y)
    quotient = np.sign(x) * np.sign(safe) * (np.abs(x) // np.abs(safe))
    return np.where(y == 0, -1, quotient)


# Operation, shapes of the operands, shape of the result, types, the meaning.
STRUCTURED = [
    ("add", "2x3 2x3", "2x3", "f32 f16 i32 i64", np.add),
    ("sub", "2x3 2x3", "2x3", "f32 f16 i32 i64", np.subtract),
    ("div", "2x3 2x3", "2x3", "i32 i64", quotient_of),
    ("max", "2x3 2x3", "2x3", "f32 f16 i32 i64", np.maximum),
    ("exp", "2x3", "2x3", "f32 f16", np.exp),
    ("square", "2x3", "2x3", "f32 f16", np.square),
    ("negf", "2x3", "2x3", "f32 f16", np.negative),
    ("matmul", "5x7 7x4", "5x4", "f32 f16 i32 i64", np.matmul),
    ("batch_matmul", "2x5x7 2x7x4", "2x5x4", "f32 i32", np.matmul),
    ("matvec", "5x7 7", "5", "f32 i32", np.matmul),
    ("vecmat", "7 7x4", "4", "f32 i32", np.matmul),
    ("dot", "7 7", "", "f32 i32", np.dot),
]
# The body of a function of %x: tensor<4x6x$T>, the result's shape, the meaning.
OTHERS = [
    ("%r = tensor.extract_slice %x[1, 2][2, 3][2, 1] : tensor<4x6x$T> to "
     "tensor<2x3x$T>", "2x3", lambda x: x[1:4:2, 2:5]),
    ("%r = tensor.concat dim(1) %x, %x : (tensor<4x6x$T>, tensor<4x6x$T>) -> "
     "tensor<4x12x$T>", "4x12", lambda x: np.concatenate([x, x], 1)),
    ("%r = tensor.collapse_shape %x [[0, 1]] : tensor<4x6x$T> into "
     "tensor<24x$T>", "24", np.ravel),
    ("%r = tensor.expand_shape %x [[0], [1, 2]] output_shape [4, 2, 3] : "
     "tensor<4x6x$T> into tensor<4x2x3x$T>", "4x2x3",
     lambda x: x.reshape(4, 2, 3)),
    ("%e = tensor.empty() : tensor<6x4x$T>\n"
     "%r = linalg.transpose ins(%x : tensor<4x6x$T>) outs(%e : tensor<6x4x$T>) "
     "permutation = [1, 0]", "6x4", np.transpose),
    ("%e = tensor.empty() : tensor<5x4x6x$T>\n"
     "%r = linalg.broadcast ins(%x : tensor<4x6x$T>) outs(%e : "
     "tensor<5x4x6x$T>) dimensions = [0]", "5x4x6",
     lambda x: np.broadcast_to(x, (5, 4, 6))),
]


def shape_of(text):
    return tuple(int(size) for size in text.split("x")) if text else ()


def tensor(shape, element):
    return f"tensor<{shape}{'x' if shape else ''}{element}>"


def structured_program(name, inputs, output, element):
    types = [tensor(shape, element) for shape in inputs]
    names = [f"%a{i}" for i in range(len(types))]
    out = tensor(output, element)
    zero = "0.0" if element.startswith("f") else "0"
    arguments = ", ".join(map(": ".join, zip(names, types)))
    return f"""func.func @main({arguments}) -> {out} {{
  %zero = arith.constant {zero} : {element}
  %e = tensor.empty() : {out}
  %f = linalg.fill ins(%zero : {element}) outs(%e : {out}) -> {out}
  %r = linalg.{name} ins({", ".join(names)} : {", ".join(types)}) outs(%f : {out}) -> {out}
  return %r : {out}
}}
"""


def other_program(body, output, element):
    out = tensor(output, element)
    return (f"func.func @main(%x: tensor<4x6x$T>) -> {out} {{\n{body}\n"
            f"return %r : {out}\n}}\n").replace("$T", element)


def cases():
    for name, inputs, output, elements, meaning in STRUCTURED:
        for element in elements.split():
            yield (f"linalg.{name} of {element}",
                   structured_program(name, inputs.split(), output, element),
                   [shape_of(shape) for shape in inputs.split()], element,
                   meaning)
    for body, output, meaning in OTHERS:
        for element in ("f32", "i64"):
            yield (f"{body.split('%r = ')[1].split()[0]} of {element}",
                   other_program(body, output, element), [(4, 6)], element,
                   meaning)


def draw(random, shape, element):
    if element.startswith("f"):
        return random.uniform(-2, 2, shape).astype(MLIR[element])
    return random.integers(-9, 10, shape).astype(MLIR[element])


def run(bin_folder, folder, text, operands):
    (folder / "p.mlir").write_text(text)
    subprocess.run([bin_folder / "tripy-compile", folder / "p.mlir", "-o",
                    folder / "p.tpx"], check=True)
    inputs = []
    for i, value in enumerate(operands):
        np.save(folder / f"{i}.npy", value)
        name = "" if len(operands) == 1 else f"arg{i}="
        inputs += ["--input", f"{name}@{folder}/{i}.npy"]
    subprocess.run([bin_folder / "tripy-run", folder / "p.tpx", *inputs,
                    "--output", f"@{folder}/r.npy"], check=True,
                   stdout=subprocess.DEVNULL)
    return np.load(folder / "r.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    args = parser.parse_args()
    random = np.random.default_rng(1)
    bad = count = 0
    with tempfile.TemporaryDirectory() as name:
        for title, text, shapes, element, meaning in cases():
            operands = [draw(random, shape, element) for shape in shapes]
            found = run(args.bin, pathlib.Path(name), text, operands)
            wide = np.float64 if element.startswith("f") else np.int64
            expected = meaning(*[value.astype(wide) for value in operands])
            count += 1
            limit = TOLERANCE[element] * max(1, np.abs(expected).max())
            if found.shape != np.shape(expected) or np.abs(
                    found.astype(wide) - expected).max() > limit:
                bad += 1
                print(f"{title}: found {found}, expected {expected}")
    print(f"{count} programs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
