#!/usr/bin/env python3
"""Compares the code that two builds of the compiler make of the same programs.

    bench/same_code.py OLD NEW [program.mlir ...]

OLD and NEW are folders with tripy-compile. Without programs: those of
bench/cases.py and of the zoo's seed 1, and those under test/ that have a main. Each is compiled to PTX for each --target:

    same       the same text
    renamed    the same but for the names of registers and labels
    different  else; with --ptxas, registers, spills and shared memory too

Prints what differs, with the first line that does, and a line of totals. The
exit status is 1 where something differs that --allow does not name.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TARGETS = ("sm_80", "sm_89", "sm_90a")
NAME = re.compile(r"%[a-z]+\d+|\$[A-Za-z_]+\d+(?:_\d+)*|\$L__BB\d+_\d+")


def write_programs(folder):
    """The programs of the benchmarks, and those of tests that have a main."""
    subprocess.run([sys.executable, HERE / "cases.py", folder / "cases"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, HERE / "zoo.py", "1,60", "--folder", folder / "zoo"], check=True,
                   stdout=subprocess.DEVNULL)
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        text = path.read_text(errors="replace")
        if "func.func @main" in text and "expected-error" not in text and "split-input-file" not in text:
            (folder / ("test-" + "-".join(path.relative_to(ROOT / "test").parts))).write_text(text)
    return sorted(folder.rglob("*.mlir"))


def compiled(folder, program, target):
    """The PTX, or None where the program does not compile."""
    environment = dict(os.environ, TRIPY_CACHE_DIR="")
    result = subprocess.run([folder / "tripy-compile", program, f"--target=cuda:{target}", "--stop-after=ptx",
                             "-o", "-"], capture_output=True, text=True, env=environment)
    if result.returncode:
        return None
    # What the compiler says of itself, and locations.
    return "\n".join(line for line in result.stdout.splitlines()
                     if not re.match(r"\s*(//|\.loc|\.file)", line))


def renamed(ptx):
    """The text with registers and labels numbered in the order of their appearance."""
    names = {}
    return NAME.sub(lambda found: names.setdefault(
        found[0], f"{re.sub(r'[0-9]+', '', found[0])}#{len(names)}"), ptx)


def resources(ptx, target):
    """What ptxas says of each kernel: registers, spills, shared memory."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        result = subprocess.run(["ptxas", f"-arch={target}", "-v", "-o", "/dev/null", file.name],
                                capture_output=True, text=True)
    return re.findall(r"(\d+ bytes stack.*|Used \d+ registers.*)", result.stderr)


def compare(job):
    options, program, target = job
    old, new = (compiled(folder, program, target) for folder in (options.old, options.new))
    if old == new:
        return "same" if old is not None else "none", ""
    if old is None or new is None:
        return "different", f"does not compile with {options.old if old is None else options.new}"
    if renamed(old) == renamed(new):
        return "renamed", ""
    lines = [line for line in difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
             if not line.startswith(("---", "+++"))]
    said = f"{len(lines)} lines, first: " + " | ".join(lines[:4])
    if options.ptxas and resources(old, target) != resources(new, target):
        said += f"\n    {resources(old, target)}\n    {resources(new, target)}"
    return "different", said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    parser.add_argument("--target", action="append", choices=TARGETS, help="default: all")
    parser.add_argument("--ptxas", action="store_true", help="compare registers and spills of what differs")
    parser.add_argument("--allow", default=None, help="a pattern of programs that may differ")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    counts = {"same": 0, "renamed": 0, "different": 0, "none": 0}
    unexpected = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = options.programs or write_programs(pathlib.Path(folder))
        jobs = [(options, program, target) for program in programs for target in options.target or TARGETS]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for (_, program, target), (kind, said) in zip(jobs, pool.map(compare, jobs)):
                counts[kind] += 1
                if kind in ("renamed", "different"):
                    print(f"{kind}: {target} {program.name}: {said}", flush=True)
                if kind == "different":
                    unexpected += not (options.allow and re.search(options.allow, program.name))
    print(f"{counts['same']} same, {counts['renamed']} renamed, {counts['different']} different, "
          f"{counts['none']} compile with neither")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
