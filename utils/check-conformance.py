#!/usr/bin/env python3
"""Whether each operation of trace has a conformance case at each element type.

usage: check-conformance.py --tests build/dev/unittests/ConformanceTests [--page docs/coverage.md] [--verbose]

docs/coverage.md says which element types an operation takes; its own test keeps it true. The tests list the operations of
their programs without running them. The same programs run on the CPU (unit-ConformanceTests) and on the emulator
(emulated-conformance). A pair without a program is a failure, or has a reason in GAPS; a reason for what has a program is a
failure, too.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# (operation, element type or "*"): why no program has it.
GAPS = {
    ("trace.dim", "*"): "its result is a size: the programs of dynamic sizes have it as flatir.dim",
    ("trace.plugin", "*"): "its kernel is the user's: test/Tools/plugins runs some, on the CPU and on the emulator",
}
ROW = re.compile(r"^\| `(trace\.\w+)` \| \d+ \| ([^|]*) \|", re.M)


def listed(tests):
    """{(operation, element type): number of programs} of all of them."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        done = subprocess.run([tests, "--gtest_filter=Conformance.*"], capture_output=True, text=True,
                              env={**os.environ, "TRIPY_CONFORMANCE_LIST": path})
        if done.returncode:
            sys.exit(f"{tests}: {done.stdout[-3000:]}")
        with open(path) as lines:
            for name, type_, program in {tuple(line.rstrip("\n").split("\t")) for line in lines}:
                found[name, type_] = found.get((name, type_), 0) + 1
    return found


def wanted(page):
    """[(operation, element type)] of the page; "*" for an operation that its examples do not try."""
    pairs = []
    for name, types in ROW.findall(page.read_text()):
        known = re.fullmatch(r"[a-z]+\d\w*(, [a-z]+\d\w*)*", types)
        pairs += [(name, type_) for type_ in (types.split(", ") if known else ["*"])]
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", required=True, help="ConformanceTests")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/coverage.md")
    parser.add_argument("--verbose", action="store_true", help="print the number of programs of each pair")
    options = parser.parse_args()
    found, pairs = listed(options.tests), wanted(options.page)
    problems = [f"{name} of {type_} has no conformance case" for name, type_ in pairs
                if (name, type_) not in found and (name, type_) not in GAPS and (name, "*") not in GAPS]
    problems += [f"{name} of {type_} has a reason in GAPS, and a case" for name, type_ in GAPS if (name, type_) in found]
    problems += [f"{name} has a reason in GAPS, and is no operation of {options.page.name}" for name, _ in GAPS
                 if name not in {operation for operation, _ in pairs}]
    if len(pairs) < 500:
        problems.append(f"{options.page} has {len(pairs)} operations with element types: is it another page?")
    if options.verbose:
        print("\n".join(f"{name}\t{type_}\t{found.get((name, type_), 0)}" for name, type_ in pairs))
    print("\n".join(problems))
    print(f"check-conformance: {len(pairs)} operations with element types, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
