"""Compiles one program with many processes at once, one cache for all.

usage: many.py PROGRAM FOLDER
"""
import os
import subprocess
import sys

program, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
processes = []
for number in range(20):
    command = ["tripy-compile", program, "-o", f"{folder}/{number}.tpx", "--target=cuda",
               f"--function={'main' if number % 2 else 'other'}", f"--cache-dir={folder}/cache"]
    processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
for process in processes:
    output = process.communicate()[0].decode()
    if process.returncode != 0 or output:
        sys.exit(f"{process.args}: {process.returncode}\n{output}")
for parity in (0, 1):
    contents = {open(f"{folder}/{number}.tpx", "rb").read() for number in range(parity, 20, 2)}
    if len(contents) != 1:
        sys.exit(f"{len(contents)} different executables of one program")
kept = os.listdir(f"{folder}/cache")
if len(kept) != 2 or not all(name.endswith(".tripycode") for name in kept):
    sys.exit(f"expected 2 entries, found {kept}")
