#!/usr/bin/env python3
"""Counts the tests in the log of `ctest --verbose`, case by case.

usage: testlog.py LOG [--lit FOLDER]

Cases of gtest and lit count one by one; another test is one case. Skipped are
cases that gtest skips, that lit does not support (with FOLDER, where <test>.xml
is what lit wrote), that CTest skips, and what a script leaves out: a line
"SKIPPED: <case>: <reason>".
"""
import argparse
import os
import re
import xml.etree.ElementTree as xml


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add(self, other, prefix):
        """Adds the cases of another log, whose names get the prefix."""
        self.passed += other.passed
        self.failed += [prefix + name for name in other.failed]
        self.skipped += [(prefix + name, reason) for name, reason in other.skipped]

    def report(self):
        """The last lines of a check: reasons, failures, and the closing line."""
        lines = [f"SKIPPED: {name}: {reason}" for name, reason in self.skipped]
        lines += [f"FAILED: {name}" for name in self.failed]
        lines.append(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped")
        return "\n".join(lines)


def outputs(text):
    """What each test printed, by its number: tests run at one time mix their lines."""
    found = {}
    for number, line in re.findall(r"^(\d+): ?(.*)$", text, re.M):
        found.setdefault(int(number), []).append(line)
    return {number: "\n".join(lines) for number, lines in found.items()}


def gtest(output, counts):
    counts.passed += sum(int(n) for n in re.findall(r"^\[  PASSED  \] (\d+) tests?", output, re.M))
    counts.failed += sorted(set(re.findall(r"^\[  FAILED  \] (\S+\.\S+)(?: \(|,|$)", output, re.M)))
    for name, body in re.findall(r"^\[ RUN      \] (\S+)\n(.*?)^\[  SKIPPED \] \1 \(", output, re.M | re.S):
        reason = re.search(r": Skipped\n(.+)", body)
        counts.skipped.append((name, reason.group(1) if reason else "it does not say why"))


def lit(name, output, folder, counts):
    counts.passed += sum(int(n) for n in re.findall(r"^ *Passed\s*: +(\d+)", output, re.M))
    counts.failed += sorted(set(re.findall(r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): (.*?) \(\d+ of", output, re.M)))
    path = os.path.join(folder, f"{name}.xml") if folder else ""
    if not os.path.exists(path):
        return
    for case in xml.parse(path).iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None:
            counts.skipped.append((f"{case.get('classname').removeprefix('tripy.')}/{case.get('name')}",
                                   skipped.get("message")))


def count(text, folder=None):
    """The cases in a log; `folder` is where lit wrote <test>.xml."""
    counts, printed = Counts(), outputs(text)
    for number, name, verdict in re.findall(r"^ *\d+/\d+ Test +#(\d+): (\S+) \.+ *\**(\w+(?: Run)?)", text, re.M):
        output, cases = printed.get(int(number), ""), Counts()
        if name.startswith("lit"):
            lit(name, output, folder, cases)
        elif re.search(r"^\[==========\] Running", output, re.M):
            gtest(output, cases)
        elif verdict == "Passed":
            cases.passed = 1
        elif verdict == "Skipped":
            cases.skipped.append(("all of it", (output.strip().splitlines() or ["it does not say why"])[-1]))
        cases.skipped += re.findall(r"^SKIPPED: (.*?): (.*)$", output, re.M)
        if verdict not in ("Passed", "Skipped") and not cases.failed:
            cases.failed.append(f"{name} ({verdict})")
        counts.add(cases, "" if cases.failed == [f"{name} ({verdict})"] else f"{name}: ")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log")
    parser.add_argument("--lit", help="folder of what lit wrote")
    options = parser.parse_args()
    with open(options.log, errors="replace") as handle:
        print(count(handle.read(), options.lit).report())


if __name__ == "__main__":
    main()
