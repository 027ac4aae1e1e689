#!/usr/bin/env python3
"""Builds Tripy and runs all tests; prints "N passed, N failed" last.

Steps: style and size checks; the compiler (preset dev) with its unit tests, lit
tests and scripts; the runtime and its tests under AddressSanitizer and
UndefinedBehaviorSanitizer (preset asan).
"""
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
passed, failed = 0, []


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
    """One command that counts as one test."""
    global passed
    result = run(command)
    if result.returncode == 0:
        passed += 1
        return True
    failed.append(name)
    print(result.stdout[-20000:], flush=True)
    return False


def ctest(preset):
    """All tests of a build; the cases of lit and gtest count one by one."""
    global passed
    result = run(["ctest", "--test-dir", f"build/{preset}", "--verbose",
                  "--timeout", "1500", "-j", "2"])
    text = result.stdout
    counts = 0
    for pattern in (r"\[  PASSED  \] (\d+) tests?", r"Passed\s*: +(\d+)"):
        counts += sum(int(n) for n in re.findall(pattern, text))
    bad = sorted(set(re.findall(r"\[  FAILED  \] (\S+\.\S+)(?: \(|$)", text, re.M)))
    bad += sorted(set(re.findall(r"^\d+: FAIL: (.*?) \(\d+ of", text, re.M)))
    others = re.findall(r"^ *\d+/\d+ Test +#\d+: (\S+) \.+ *(\**\w+)", text, re.M)
    for name, verdict in others:
        if verdict == "Passed":
            counts += 0 if name.startswith("unit-") or name == "lit" else 1
        elif not any(name.startswith(prefix) for prefix in ("unit-", "lit")) or not bad:
            bad.append(name)
    passed += counts
    failed.extend(f"{preset}: {name}" for name in bad)
    if result.returncode != 0 and not bad:
        failed.append(f"{preset}: ctest")
    if result.returncode != 0:
        print(text[-30000:], flush=True)


def main():
    step("style", ["python3", "utils/check-style.py"])
    for preset in ("dev", "asan"):
        if step(f"configure {preset}", ["cmake", "--preset", preset]) and step(
                f"build {preset}", ["cmake", "--build", f"build/{preset}"]):
            ctest(preset)
    for name in failed:
        print("FAILED:", name)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
