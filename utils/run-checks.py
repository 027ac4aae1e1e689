#!/usr/bin/env python3
"""Builds Tripy and runs all tests; prints "N passed, N failed, N skipped" last,
and before it what failed and what was skipped, and why.

Steps: style and size checks; the compiler (preset dev), clang-tidy on the sources
that were changed, unit tests, lit tests and scripts, Tripy's own code under
UndefinedBehaviorSanitizer; the runtime and its tests under AddressSanitizer and
UndefinedBehaviorSanitizer (preset asan).
"""
import os
import subprocess
import sys
import time

import testlog

# As in CTest: a command could not run, and its last line says why.
SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
counts = testlog.Counts()


def run(command, **options):
    print("+", " ".join(command), flush=True)
    start = time.time()
    result = subprocess.run(command, cwd=ROOT, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            **options)
    print(f"  {time.time() - start:.1f} s, exit code {result.returncode}",
          flush=True)
    return result


def step(name, command):
    """One command that counts as one test; skipped where it exits with SKIP."""
    result = run(command)
    if result.returncode == SKIP:
        counts.skipped.append((name, result.stdout.strip().splitlines()[-1]))
        return False
    if result.returncode == 0:
        counts.passed += 1
        return True
    counts.failed.append(name)
    print(result.stdout[-20000:], flush=True)
    return False


def ctest(preset):
    """All tests of a build; the cases of lit and gtest count one by one."""
    result = run(["ctest", "--test-dir", f"build/{preset}", "--verbose",
                  "--timeout", "1500", "-j", "2"])
    found = testlog.count(result.stdout, os.path.join(ROOT, "build", preset, "test"))
    if result.returncode != 0 and not found.failed:
        found.failed.append("ctest")
    counts.add(found, f"{preset}: ")
    if result.returncode != 0:
        print(result.stdout[-30000:], flush=True)


def main():
    step("style", ["python3", "utils/check-style.py"])
    for preset in ("dev", "asan"):
        if step(f"configure {preset}", ["cmake", "--preset", preset]) and step(
                f"build {preset}", ["cmake", "--build", f"build/{preset}"]):
            if preset == "dev":
                step("clang-tidy on what was changed", ["python3", "utils/check-tidy.py"])
            ctest(preset)
    print(counts.report())
    sys.exit(1 if counts.failed else 0)


main()
