#!/usr/bin/env python3
"""Finds slow kernels of the zoo without a GPU: counts the instructions that the CUDA emulator executes.

usage: zoo_instructions.py SEED,N --bin DIR [--groups rows,movement] [--megabytes M] [--most I] [--times T]

Compiles each case that moves at most M megabytes, runs it on the emulator of the same build, and prints its launches, and warp
instructions for every 512 bytes that it has to move: a load or store of 16 bytes by each lane of a warp is one such. A kernel
with accesses as wide as they can be has some 20. What has more than I is marked "many"; what is dynamic and has more than T
times the instructions of the program for these sizes alone, "dynamic"; and what has other launches than that, "launches". They
say nothing of bytes in flight and of blocks that wait: it is a way to find cases to look at, not a time.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import zoo
from zoo_draw import Limits
from zoo_models import TABLE

LAUNCH = re.compile(r"(\w+), grid ([\dx ]+), block ([\dx ]+): (\d+) warp instructions")


def execute(options, text, case, folder):
    """The launches of a program at the sizes of the case: (kernel, grid, block, instructions), or what went wrong."""
    source, program = os.path.join(folder, "case.mlir"), os.path.join(folder, "case.tpx")
    with open(source, "w") as out:
        out.write(text)
    compiled = subprocess.run([os.path.join(options.bin, "tripy-compile"), source, f"--target=cuda:{options.chip}", "-o", program],
                              capture_output=True, text=True)
    if compiled.returncode:
        return compiled.stderr.strip().splitlines()[0]
    # Element 0 is in every table.
    inputs = [f"{i.name}={'zeros' if i.below else 'random'}:{'x'.join(map(str, i.shape))}" for i in case.inputs]
    arguments = [argument for text in inputs for argument in ("--input", text)]
    results = [argument for i in range(len(case.outputs)) for argument in ("--output", f"y{i}=@{folder}/y{i}.npy")]
    environment = dict(os.environ, TRIPY_EMULATOR_OPTIONS="statistics,no-races,no-uninitialized",
                       LD_LIBRARY_PATH=os.path.join(options.bin, "..", "lib", "cuda-emulator"))
    ran = subprocess.run([os.path.join(options.bin, "tripy-run"), program, "--device", "cuda:0", *arguments, *results],
                         capture_output=True, text=True, env=environment)
    if ran.returncode:
        return ran.stderr.strip().splitlines()[-1]
    return [(kernel, grid, block, int(count)) for kernel, grid, block, count in LAUNCH.findall(ran.stderr)]


def moved(case):
    return case.moved or sum(i.bytes for i in [*case.inputs, *case.outputs])


def look_at(options, case, folder):
    """The lines that are printed, and whether the case is marked."""
    launches = execute(options, case.program, case, folder)
    if isinstance(launches, str):
        return [f"{case.name}: {launches}"], True
    total = sum(count for *_, count in launches)
    pieces = max(1, moved(case) / 512)
    marks = ["many"] if total > options.most * pieces else []
    against = ""
    if case.static_program:
        static = execute(options, case.static_program, case, folder)
        if isinstance(static, str):
            return [f"{case.name}, static: {static}"], True
        fewest = sum(count for *_, count in static)
        against = f", {total / max(1, fewest):.2f} of the static program's"
        marks += ["dynamic"] if total > options.times * fewest else []
        marks += ["launches"] if len(static) != len(launches) else []
    lines = [f"{case.name}: {total / pieces:.1f}{against}  {case.sizes}  {' '.join(marks)}"]
    if marks:
        lines += [f"    {kernel}, grid {grid}, block {block}: {count}" for kernel, grid, block, count in launches]
    return lines, bool(marks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=zoo.parse_zoo, metavar="SEED,N")
    parser.add_argument("--bin", required=True, help="the folder of tripy-compile and tripy-run")
    parser.add_argument("--groups", type=zoo.parse_groups, default=["rows", "movement"])
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--megabytes", type=float, default=4.0)
    parser.add_argument("--most", type=float, default=60.0)
    parser.add_argument("--times", type=float, default=1.5)
    options = parser.parse_args()
    seen = found = 0
    for case in zoo.draw(*options.zoo, options.groups, Limits(), TABLE):
        if moved(case) > options.megabytes * 1e6:
            continue
        with tempfile.TemporaryDirectory() as folder:
            lines, marked = look_at(options, case, folder)
        print("\n".join(lines), flush=True)
        seen, found = seen + 1, found + marked
    print(f"{found} of {seen} cases are marked")


if __name__ == "__main__":
    sys.exit(main())
