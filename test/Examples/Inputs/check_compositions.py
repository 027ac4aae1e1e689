"""Runs every program of docs/compositions.md and compares with the NumPy next to it: bit by bit, unless that is in f64.

Usage: check_compositions.py PAGE FOLDER, with tripy-compile and tripy-run on the PATH.
"""
import os
import re
import subprocess
import sys

import numpy as np

PAGE, FOLDER = sys.argv[1:]
DTYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64, "i1": np.bool_, "i8": np.int8, "i16": np.int16}
random = np.random.default_rng(3)
failures = count = 0


def drawn(sizes, dtype, dynamic):
    shape = [dynamic if size == "?" else int(size) for size in sizes.split("x") if size]
    if dtype == "f32":
        return random.standard_normal(shape).astype(np.float32)
    if dtype == "i8":
        return random.integers(-128, 128, shape).astype(np.int8)
    return random.integers(0, 2 if dtype == "i1" else 6, shape).astype(DTYPES[dtype])


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")


def agrees(found, meaning):
    """A meaning in f64 was not rounded as f32 is."""
    if meaning.dtype == np.float64:
        return np.allclose(found, meaning, rtol=1e-5, atol=1e-5)
    return np.array_equal(found, meaning)


def check(name, program, meaning, dynamic):
    text = os.path.join(FOLDER, "program.mlir")
    with open(text, "w") as file:
        file.write(program)
    arguments, results = program.split("->")[0], program.split("{\n")[0].split("->")[1]
    values = {argument: drawn(sizes, dtype, dynamic)
              for argument, sizes, dtype in re.findall(r"%(\w+): tensor<((?:[\d?]+x)*)(\w+)>", arguments)}
    files = []
    for argument, value in values.items():
        np.save(f"{FOLDER}/{argument}.npy", value)
        files += ["--input", f"{argument}=@{FOLDER}/{argument}.npy"]
    outputs = re.findall(r'tripy.name = "(\w+)"', results)
    run("tripy-compile", text, "--target=cpu", "-o", f"{FOLDER}/program.tpx")
    run("tripy-run", f"{FOLDER}/program.tpx", *files, *(f"--output={out}=@{FOLDER}/{out}.out.npy" for out in outputs))
    results = {out: np.load(f"{FOLDER}/{out}.out.npy") for out in outputs}
    # A random result is given to the meaning of what is computed from it, which comes last.
    assigned = set(re.findall(r"\b(\w+)\b(?=[\w, ]*=[^=])", meaning))
    assert outputs[-1] in assigned, "the meaning of the last result"
    expected = dict(values, np=np, **{out: found for out, found in results.items() if out not in assigned})
    exec(meaning, expected)
    right = True
    for out, found in results.items():
        right &= found.shape == expected[out].shape and agrees(found, expected[out])
    if not right:
        print(f"{name}: size {dynamic}: another result than NumPy's")
    return right


os.makedirs(FOLDER, exist_ok=True)
SECTION = re.compile(r"^## (.+?)\n.*?```mlir\n(.*?)```.*?```python\n(.*?)```", re.S | re.M)
with open(PAGE) as page:
    whole = page.read()
sections = SECTION.findall(whole)
assert len(sections) == whole.count("```mlir") == whole.count("\n## "), "a section has one program and its meaning"
for title, mlir, python in sections:
    for size in (0, 1, 7) if "?" in mlir else (0,):
        count += 1
        failures += not check(title, mlir, python, size)
print(f"{count} programs, {failures} failures")
sys.exit(bool(failures))
