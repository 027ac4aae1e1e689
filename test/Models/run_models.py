#!/usr/bin/env python3
"""Runs real-size models and checks them against float64 NumPy.

usage: run_models.py --bin DIR [--target cpu|cuda:sm_90a] [--device cpu|cuda:0]
                     [--dtypes f32,f16,bf16] [--rows 4096,4093,1,0] [--models geglu,mlp] [--scale 1]

Models: the GEGLU block of a diffusion U-Net (rows x 1280 -> 2 x 5120), and a
two-layer transformer perceptron with layer_norm and a residual (1024 -> 4096 ->
1024). The weights come from a safetensors file; geglu is compiled with them
baked in, mlp binds them at load time. The number of rows is dynamic: one
executable runs all of --rows. --scale divides the widths. An element passes when
|found - reference| <= tolerance * (typical magnitude of the reference).
"""
import argparse
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}
# Rounding of inputs and weights is part of the reference's data, so what is
# left is the rounding of intermediate tensors and of the result.
TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}


def to_bits(array, dtype):
    """Values rounded to `dtype`, as little-endian bytes and as float64."""
    if dtype == "f32":
        stored = array.astype("<f4")
        return stored.tobytes(), stored.astype(np.float64)
    if dtype == "f16":
        stored = array.astype("<f2")
        return stored.tobytes(), stored.astype(np.float64)
    bits = array.astype("<f4").view("<u4")
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")
    value = (rounded.astype("<u4") << 16).view("<f4").astype(np.float64)
    return rounded.tobytes(), value


def write_safetensors(path, tensors, dtype):
    """`tensors`: name -> array; returns name -> the stored values as float64."""
    header, blobs, offset, values = {}, [], 0, {}
    for name, array in tensors.items():
        blob, values[name] = to_bits(array, dtype)
        header[name] = {"dtype": DTYPES[dtype], "shape": list(array.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
    return values


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Geglu:
    """x W^T + b, split in two, value * gelu(gate)."""
    baked = True

    def __init__(self, scale):
        self.width, self.half = 1280 // scale, 5120 // scale

    def weights(self, rng):
        return {"proj.weight": rng.standard_normal((2 * self.half, self.width)) / math.sqrt(self.width),
                "proj.bias": rng.standard_normal(2 * self.half)}

    def reference(self, x, w):
        value, gate = np.split(x @ w["proj.weight"].T + w["proj.bias"], 2, axis=-1)
        return value * gelu(gate)

    def text(self, t):
        k, n = self.width, self.half
        x, p, v = f"tensor<?x{k}x{t}>", f"tensor<?x{2 * n}x{t}>", f"tensor<?x{n}x{t}>"
        w, b = f"tensor<{2 * n}x{k}x{t}>", f"tensor<{2 * n}x{t}>"
        return f"""
func.func @main(
    %x: {x} {{tripy.name = "x", tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [0, {k}], opt = [4096, {k}], max = [4096, {k}]>}},
    %w: {w} {{tripy.name = "proj.weight", tripy.parameter}},
    %b: {b} {{tripy.name = "proj.bias", tripy.parameter}})
    -> ({v} {{tripy.name = "y"}}) {{
  %p = trace.linear %x, %w, %b : ({x}, {w}, {b}) -> {p}
  %v, %g = trace.split %p dim = -1 sizes = [{n}, {n}] : ({p}) -> ({v}, {v})
  %a = trace.gelu %g : ({v}) -> {v}
  %y = trace.mul %v, %a : ({v}, {v}) -> {v}
  return %y : {v}
}}
"""


class Mlp:
    """x + W2 gelu(W1 layer_norm(x) + b1) + b2."""
    baked = False

    def __init__(self, scale):
        self.width, self.hidden = 1024 // scale, 4096 // scale

    def weights(self, rng):
        n, h = self.width, self.hidden
        return {"norm.weight": 1 + 0.1 * rng.standard_normal(n),
                "norm.bias": 0.1 * rng.standard_normal(n),
                "fc1.weight": rng.standard_normal((h, n)) / math.sqrt(n),
                "fc1.bias": rng.standard_normal(h),
                "fc2.weight": rng.standard_normal((n, h)) / math.sqrt(h),
                "fc2.bias": rng.standard_normal(n)}

    def reference(self, x, w):
        mean = x.mean(axis=-1, keepdims=True)
        var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        n = (x - mean) / np.sqrt(var + 1e-5) * w["norm.weight"] + w["norm.bias"]
        h = gelu(n @ w["fc1.weight"].T + w["fc1.bias"])
        return x + h @ w["fc2.weight"].T + w["fc2.bias"]

    def text(self, t):
        def parameter(name, shape):
            value = "%" + name.replace(".", "_")
            return f'{value}: tensor<{shape}x{t}> {{tripy.name = "{name}", tripy.parameter}}'
        k, m = self.width, self.hidden
        x, h = f"tensor<?x{k}x{t}>", f"tensor<?x{m}x{t}>"
        v, w1, w2, b1 = (f"tensor<{s}x{t}>" for s in (k, f"{m}x{k}", f"{k}x{m}", m))
        return f"""
func.func @main(
    %x: {x} {{tripy.name = "x", tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [0, {k}], opt = [4096, {k}], max = [4096, {k}]>}},
    {parameter("norm.weight", k)}, {parameter("norm.bias", k)},
    {parameter("fc1.weight", f"{m}x{k}")}, {parameter("fc1.bias", m)},
    {parameter("fc2.weight", f"{k}x{m}")}, {parameter("fc2.bias", k)})
    -> ({x} {{tripy.name = "y"}}) {{
  %n = trace.layer_norm %x, %norm_weight, %norm_bias eps = 1.0e-5 : ({x}, {v}, {v}) -> {x}
  %h = trace.linear %n, %fc1_weight, %fc1_bias : ({x}, {w1}, {b1}) -> {h}
  %a = trace.gelu %h : ({h}) -> {h}
  %o = trace.linear %a, %fc2_weight, %fc2_bias : ({h}, {w2}, {v}) -> {x}
  %y = trace.add %x, %o : ({x}, {x}) -> {x}
  return %y : {x}
}}
"""


MODELS = {"geglu": Geglu, "mlp": Mlp}


def run(command):
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(f"FAILED ({result.returncode}): {' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(options, name, dtype, rows_list):
    model = MODELS[name](options.scale)
    rng = np.random.default_rng(len(name) + len(dtype))
    with tempfile.TemporaryDirectory() as folder:
        def at(file):
            return os.path.join(folder, file)
        weights = write_safetensors(at("weights.safetensors"), model.weights(rng), dtype)
        with open(at("model.mlir"), "w") as out:
            out.write(model.text(dtype))
        compile_command = [os.path.join(options.bin, "tripy-compile"), at("model.mlir"), "-o",
                           at("model.tpx"), f"--target={options.target}"]
        run_command = [os.path.join(options.bin, "tripy-run"), at("model.tpx"), f"--device={options.device}"]
        if model.baked:
            compile_command += ["--weights", at("weights.safetensors")]
        else:
            run_command += ["--weights", at("weights.safetensors")]
        run(compile_command)
        for rows in rows_list:
            x = write_safetensors(at("x.safetensors"), {"x": rng.standard_normal((rows, model.width))}, dtype)["x"]
            reference = model.reference(x, weights)
            np.save(at("y.npy"), reference)
            scale = float(np.sqrt(np.mean(reference**2))) if reference.size else 1.0
            tolerance = TOLERANCE[dtype]
            run([*run_command, "--input", f"x=@{at('x.safetensors')}:x", "--expect", f"y=@{at('y.npy')}",
                       "--rtol", str(tolerance), "--atol", str(tolerance * scale)])
            print(f"PASS {name} {dtype} {rows} rows on {options.device}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--rows", default="4096,4093,1,0")
    parser.add_argument("--models", default="geglu,mlp")
    parser.add_argument("--scale", type=int, default=1, help="what the widths are divided by")
    options = parser.parse_args()
    rows = [int(r) for r in options.rows.split(",")]
    for name in options.models.split(","):
        for dtype in options.dtypes.split(","):
            check(options, name, dtype, rows)


if __name__ == "__main__":
    main()
