#!/usr/bin/env python3
"""Named operations of linalg and tensor, compiled and run on the CPU and on the
CUDA emulator, against NumPy. One line for each: the operation, its operands and
result, and what NumPy says.
"""
import argparse
import os
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


def inserted(x):
    result = x.copy()
    result[1:3, 2:5] = x[:2, :3]
    return result


def windows_of(x, size, axis=None):
    return np.lib.stride_tricks.sliding_window_view(x, size, axis)


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
    ("div_unsigned", "2x3 2x3", "2x3", "i32 i64", lambda x, y: np.where(
        (x < 0) | (y <= 0), np.nan, x // np.where(y <= 0, 1, y))),
    ("round", "2x3", "2x3", "f32 f16",
     lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
    ("batch_matvec", "2x5x7 2x7", "2x5", "f32 i32",
     lambda x, y: np.einsum("bij,bj->bi", x, y)),
    ("batch_reduce_matmul", "2x5x7 2x7x4", "5x4", "f32 f16 i64",
     lambda x, y: np.einsum("bij,bjk->ik", x, y)),
    ("mmt4d", "2x3x4x2 5x3x6x2", "2x5x4x6", "f32 i32",
     lambda x, y: np.einsum("mkab,nkcb->mnac", x, y)),
    ("conv_1d", "9 3", "7", "f32 i32",
     lambda x, y: np.correlate(x, y, "valid")),
    ("conv_2d", "6x7 2x3", "5x5", "f32 i64", lambda x, y: np.einsum(
        "hwij,ij->hw", windows_of(x, (2, 3)), y)),
    ("conv_2d_nhwc_hwcf", "2x6x7x3 2x3x3x4", "2x5x5x4", "f32 f16 i32",
     lambda x, y: np.einsum("nhwcij,ijcf->nhwf",
                            windows_of(x, (2, 3), (1, 2)), y)),
    ("conv_2d_nchw_fchw", "2x3x6x7 4x3x2x3", "2x4x5x5", "f32 f16 i32",
     lambda x, y: np.einsum("nchwij,fcij->nfhw",
                            windows_of(x, (2, 3), (2, 3)), y)),
    ("conv_3d_ndhwc_dhwcf", "1x4x5x6x2 2x2x3x2x3", "1x3x4x4x3", "f32",
     lambda x, y: np.einsum("ndhwcijk,ijkcf->ndhwf",
                            windows_of(x, (2, 2, 3), (1, 2, 3)), y)),
    ("depthwise_conv_2d_nhwc_hwc", "2x6x7x3 2x3x3", "2x5x5x3", "f32 i32",
     lambda x, y: np.einsum("nhwcij,ijc->nhwc",
                            windows_of(x, (2, 3), (1, 2)), y)),
    ("depthwise_conv_2d_nhwc_hwcm", "2x6x7x3 2x3x3x2", "2x5x5x3x2", "f32",
     lambda x, y: np.einsum("nhwcij,ijcm->nhwcm",
                            windows_of(x, (2, 3), (1, 2)), y)),
    ("pooling_nhwc_sum", "2x6x7x3 2x3", "2x5x5x3", "f32 f16 i64",
     lambda x, y: windows_of(x, (2, 3), (1, 2)).sum((-2, -1))),
    ("pooling_nchw_max", "2x3x6x7 2x3", "2x3x5x5", "f32 f16 i32",
     lambda x, y: np.maximum(windows_of(x, (2, 3), (2, 3)).max((-2, -1)), 0)),
    ("pooling_nhwc_min", "2x6x7x3 2x3", "2x5x5x3", "f32 i32",
     lambda x, y: np.minimum(windows_of(x, (2, 3), (1, 2)).min((-2, -1)), 0)),
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
    ("%s = arith.constant $2 : $T\n"
     "%r = tensor.pad %x low[1, 0] high[2, 3] {\n^bb0(%i: index, %j: index):\n"
     "tensor.yield %s : $T } : tensor<4x6x$T> to tensor<7x9x$T>", "7x9",
     lambda x: np.pad(x, [(1, 2), (0, 3)], constant_values=2)),
    ("%v = tensor.extract_slice %x[0, 0][2, 3][1, 1] : tensor<4x6x$T> to "
     "tensor<2x3x$T>\n"
     "%r = tensor.insert_slice %v into %x[1, 2][2, 3][1, 1] : tensor<2x3x$T> "
     "into tensor<4x6x$T>", "4x6", inserted),
    ("%e = tensor.empty() : tensor<2x2x2x3x$T>\n"
     "%r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e "
     ": tensor<4x6x$T> -> tensor<2x2x2x3x$T>", "2x2x2x3",
     lambda x: x.reshape(2, 2, 2, 3).transpose(0, 2, 1, 3)),
    ("%v = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [2, 2, 2, 3] : "
     "tensor<4x6x$T> into tensor<2x2x2x3x$T>\n"
     "%e = tensor.empty() : tensor<4x6x$T>\n"
     "%r = linalg.unpack %v inner_dims_pos = [0, 1] inner_tiles = [2, 3] into "
     "%e : tensor<2x2x2x3x$T> -> tensor<4x6x$T>", "4x6",
     lambda x: x.reshape(2, 2, 2, 3).transpose(0, 2, 1, 3).reshape(4, 6)),
    ("%r = tensor.generate {\n^bb0(%i: index, %j: index):\n"
     "%c1 = arith.constant 1 : index\n%k = arith.addi %i, %c1 : index\n"
     "%v = tensor.extract %x[%k, %j] : tensor<4x6x$T>\n"
     "tensor.yield %v : $T } : tensor<3x5x$T>", "3x5", lambda x: x[1:, :5]),
    ("%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
     "%v = tensor.extract %x[%c1, %c2] : tensor<4x6x$T>\n"
     "%r = tensor.splat %v : tensor<2x3x$T>", "2x3",
     lambda x: np.full((2, 3), x[1, 2])),
    ("%q = tensor.extract_slice %x[0, 0][4, 3][1, 1] : tensor<4x6x$T> to "
     "tensor<4x3x$T>\n"
     "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, i + j)>, "
     "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], "
     "iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %q : "
     "tensor<4x6x$T>, tensor<4x3x$T>) outs(%q : tensor<4x3x$T>) {\n"
     "^bb0(%a: $T, %b: $T, %o: $T):\nlinalg.yield %a : $T } -> "
     "tensor<4x3x$T>", "4x3",
     lambda x: np.array([[x[i, i + j] for j in range(3)] for i in range(4)])),
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
            f"return %r : {out}\n}}\n").replace("$T", element).replace(
                "$2", "2.0" if element.startswith("f") else "2")


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


def run(args, folder, text, operands, target):
    (folder / "p.mlir").write_text(text)
    subprocess.run([args.bin / "tripy-compile", folder / "p.mlir",
                    f"--target={target}", "-o", folder / "p.tpx"], check=True)
    environment, device = dict(os.environ), []
    if target == "cuda":
        environment["LD_LIBRARY_PATH"] = str(args.emulator)
        device = ["--device=cuda:0"]
    inputs = []
    for i, value in enumerate(operands):
        np.save(folder / f"{i}.npy", value)
        name = "" if len(operands) == 1 else f"a{i}="
        inputs += ["--input", f"{name}@{folder}/{i}.npy"]
    subprocess.run([args.bin / "tripy-run", folder / "p.tpx", *inputs, *device,
                    "--output", f"@{folder}/r.npy"], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    return np.load(folder / "r.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", type=pathlib.Path, required=True,
                        help="folder of the emulator's libcuda")
    args = parser.parse_args()
    random = np.random.default_rng(1)
    bad = count = 0
    with tempfile.TemporaryDirectory() as name:
        for title, text, shapes, element, meaning in cases():
            operands = [draw(random, shape, element) for shape in shapes]
            wide = np.float64 if element.startswith("f") else np.int64
            expected = meaning(*[value.astype(wide) for value in operands])
            known = ~np.isnan(expected.astype(float))
            limit = TOLERANCE[element] * max(1, np.abs(expected[known]).max())
            for target in ("cpu", "cuda"):
                found = run(args, pathlib.Path(name), text, operands, target)
                count += 1
                error = np.abs(found.astype(wide) - expected)
                if found.shape != np.shape(expected) or (
                        error[known] > limit).any():
                    bad += 1
                    print(f"{title} on {target}: found {found}, expected "
                          f"{expected}")
    print(f"{count} programs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
