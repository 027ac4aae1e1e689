"""quantize and dequantize on the reference evaluator, on the CPU and on the CUDA emulator: the bits of their definition.

usage: check_quantize.py FOLDER, with tripy-compile and tripy-run on the PATH

Scales per tensor, per channel and per block, of all types; values with ties, limits, infinities and NaN; scales of 0,
of infinity, negative and denormal ones.
"""
import os
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
ROWS, COLUMNS = 24, 37
random = np.random.default_rng(3)
LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0}
BITS = {"f8E4M3FN": (4, -9), "f8E5M2": (3, -16), "f16": (11, -24), "bf16": (8, -133)}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, -127.5, -128.5, 448.0, 464.0,
                    463.9, 1e30, -1e30, 57344.0, 61440.0, 2.0**-10, 2.0**-9 * 1.5, 2.0**-17], np.float32)
SCALES = np.array([1.0, 0.0, -0.0, np.inf, np.nan, -2.0, 2.0**-149, 2.0**-126, 3.4e38, 0.1, 1 / 3, 0.5], np.float32)


def rounded(values, element):
    """f32 to a narrower float and back, to nearest even; an infinity beyond the largest number."""
    if element == "f32":
        return values
    if element == "f16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float32)
    bits, step = BITS[element]
    wide = values.astype(np.float64)
    _, exponent = np.frexp(wide)
    quantum = np.ldexp(1.0, np.maximum(exponent - bits, step))
    result = np.where(np.isfinite(wide), np.rint(wide / quantum) * quantum, wide)
    return result.astype(np.float32)


def quantized(x, scale, element):
    """The definition: one division in f32, then one rounding, with limits."""
    value = x / scale
    if element == "i8":
        return np.nan_to_num(np.clip(np.rint(value), -128, 127), nan=0).astype(np.int8).astype(np.float32)
    return rounded(np.clip(value, -LARGEST[element], LARGEST[element]), element)


def run(command):
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)}\n{result.stdout}{result.stderr}")


def scale_of(form, element):
    shape = {"tensor": (), "rows": (ROWS,), "columns": (COLUMNS,), "block": (ROWS // 4, COLUMNS)}[form]
    if form == "tensor":
        return rounded(np.array(0.3, np.float32), element)
    values = np.abs(random.standard_normal(shape)).astype(np.float32) + np.float32(0.01)
    flat = values.reshape(-1)
    places = random.choice(flat.size, min(len(SCALES), flat.size), replace=False)
    flat[places] = SCALES[:len(places)]
    return rounded(values, element)


def spread(scale, form):
    if form == "block":
        return np.repeat(scale, 4, axis=0)
    return scale[:, None] if form == "rows" else scale


def check(form, element, target):
    sizes = "x".join(str(size) for size in np.shape(scale_of(form, element)))
    scale_type = f"tensor<{sizes}x{{}}>" if sizes else "tensor<{}>"
    dim = {"rows": " dim = 0", "columns": " dim = -1"}.get(form, "")
    scale = scale_of(form, element)
    x = random.standard_normal((ROWS, COLUMNS)).astype(np.float32) * 30
    x.reshape(-1)[:240] = np.repeat(SPECIAL, 10)
    x = rounded(random.permutation(x.reshape(-1)).reshape(x.shape), element)
    t = f"tensor<{ROWS}x{COLUMNS}x{{}}>"
    text = f"""func.func @main(%x0: {t.format('f32')} {{tripy.name = "x"}}, %s0: {scale_type.format('f32')} {{tripy.name = "s"}})
    -> ({t.format('f32')} {{tripy.name = "q"}}, {t.format('f32')} {{tripy.name = "d"}}) {{
  %x = trace.cast %x0 to {element} : ({t.format('f32')}) -> {t.format(element)}
  %s = trace.cast %s0 to {element} : ({scale_type.format('f32')}) -> {scale_type.format(element)}
  %q = trace.quantize %x, %s to {target}{dim} : ({t.format(element)}, {scale_type.format(element)}) -> {t.format(target)}
  %d = trace.dequantize %q, %s{dim} : ({t.format(target)}, {scale_type.format(element)}) -> {t.format(element)}
  %q1 = trace.cast %q to f32 : ({t.format(target)}) -> {t.format('f32')}
  %d1 = trace.cast %d to f32 : ({t.format(element)}) -> {t.format('f32')}
  return %q1, %d1 : {t.format('f32')}, {t.format('f32')}
}}
"""
    program = os.path.join(FOLDER, "program.mlir")
    with open(program, "w") as file:
        file.write(text)
    np.save(os.path.join(FOLDER, "x"), x)
    np.save(os.path.join(FOLDER, "s"), scale)
    with np.errstate(all="ignore"):
        q = quantized(x, spread(scale, form), target)
        want = {"q": q, "d": rounded(q * spread(scale, form), element)}
    inputs = [f"--input=x=@{FOLDER}/x.npy", f"--input=s=@{FOLDER}/s.npy"]
    results = lambda option: [f"{option}={name}=@{FOLDER}/{name}.npy" for name in want]  # noqa: E731
    for target_device, device in (("", ""), ("cpu", "cpu"), ("cuda:sm_90a", "cuda:0")):
        if not target_device:
            run(["tripy-compile", program, "--evaluate", *inputs, *results("--result")])
        else:
            run(["tripy-compile", program, "-o", f"{FOLDER}/p.tpx", f"--target={target_device}"])
            run(["tripy-run", f"{FOLDER}/p.tpx", f"--device={device}", *inputs, *results("--output")])
        for name, value in want.items():
            found = np.load(os.path.join(FOLDER, name + ".npy"))
            same = (found.view(np.uint32) == value.view(np.uint32)) | (np.isnan(found) & np.isnan(value))
            if not same.all():
                at = tuple(np.argwhere(~same)[0])
                sys.exit(f"{form} {element} {target} on '{target_device}': {name}{list(at)} is {found[at]}, not {value[at]} "
                         f"(x {x[at]}, s {np.broadcast_to(spread(scale, form), x.shape)[at]})")


os.makedirs(FOLDER, exist_ok=True)
for form_ in ("tensor", "rows", "columns", "block"):
    for element_, target_ in (("f32", "i8"), ("f16", "i8"), ("bf16", "i8"), ("f32", "f8E4M3FN"), ("bf16", "f8E4M3FN"),
                              ("f16", "f8E5M2"), ("f32", "f8E5M2")):
        check(form_, element_, target_)
