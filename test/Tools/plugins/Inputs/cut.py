"""Compiles a program with its cubin cut at many lengths.

usage: cut.py BIN PROGRAM CUBIN
"""
import os
import subprocess
import sys
import tempfile

tool, program, cubin = os.path.join(sys.argv[1], "tripy-compile"), *sys.argv[2:]
with open(cubin, "rb") as file:
    whole = file.read()
lengths = sorted({0, 1, 63, 64, 65, len(whole) // 3, len(whole) // 2, len(whole) - 65, len(whole) - 1})
accepted = crashes = 0
with tempfile.TemporaryDirectory() as folder:
    with open(program) as source, open(os.path.join(folder, "cut.mlir"), "w") as text:
        text.write(source.read())
    for length in lengths:
        with open(os.path.join(folder, "scale.cubin"), "wb") as file:
            file.write(whole[:length])
        done = subprocess.run([tool, "cut.mlir", "-o", "cut.tpx", "--target=cuda"], cwd=folder, capture_output=True, text=True)
        accepted += done.returncode == 0
        crashes += done.returncode not in (0, 1)
        if done.returncode != 1 or "violates [tripy.plugin C12]" not in done.stderr:
            print(length, done.returncode, done.stderr)
print(f"{len(lengths)} lengths, {accepted} accepted, {crashes} crashes")
