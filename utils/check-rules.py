#!/usr/bin/env python3
"""Every rule of every operation is broken by a test, and every fold is tested.

The rules are those that tripy-tblgen -gen-rule-list prints. A test breaks one
when a file *-invalid.mlir under test/Dialect (or the generated tests of the
scalar table) expects the error "violates [<operation> <rule>] <text>" in a
function of the rule's name. Exits 1 and lists what is missing, and tests of
rules that do not exist (any more).

The rules of kernels and plans are written in C++: each of their messages is
expected by a test, too.

An operation that folds, or has patterns of its own (-gen-op-list), stands in a
test fold-*.mlir or canonicalize-*.mlir under test/Dialect.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIALECTS = ["Trace", "FlatIR", "Kernel", "Tile", "Tripy"]
FUNCTION = re.compile(r"(?:func|tile)\.func (?:private )?@(\w+)")
EXPECTED = re.compile(r"expected-error\s*(?:@[-+\w]+)?\s*\{\{.*?violates "
                      r"\[([\w.]+ C\d+)\] (.*?)(?:; .*)?\}\}")


# Verifiers in C++, and the beginning of a message, perhaps behind a name.
VERIFIERS = ["lib/Dialect/Kernel/KernelDialect.cpp",
             "lib/Dialect/Kernel/VerifyConfig.cpp",
             "lib/Dialect/Kernel/VerifyPlan.cpp",
             "lib/Codegen/Emit/VerifyForm.cpp"]
MESSAGE = re.compile(r'emit(?:Op)?Error\((?:\w+(?:, |\)\s*<<))?\s*((?:"[^"]*"\s*)+)')


def messages():
    """The messages of the verifiers in C++."""
    found = []
    for path in VERIFIERS:
        for literals in MESSAGE.findall((ROOT / path).read_text()):
            found.append("".join(re.findall('"([^"]*)"', literals)).strip())
    return found


def untested_messages():
    """The messages that no test expects, as far as they are constant."""
    tests = "\n".join(path.read_text() for folder in ("Dialect", "Codegen")
                      for path in (ROOT / "test" / folder).rglob("*.mlir"))
    expected = "\n".join(re.findall(r"expected-error.*?\{\{(.*?)\}\}", tests))
    return [message for message in messages() if message not in expected]


def run(tblgen, mode, dialect, mlir_include):
    """The output of one mode of tripy-tblgen for a dialect."""
    source = ROOT / "include/tripy/Dialect" / dialect / f"{dialect}Ops.td"
    command = [tblgen, mode, f"-I{ROOT}/include", f"-I{mlir_include}", source]
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def broken_rules(text, origin, problems):
    """The rules that a test file breaks, each in a function of its name."""
    found = set()
    function = None
    for line in text.splitlines():
        if match := FUNCTION.search(line):
            function = match.group(1)
        for rule, message in EXPECTED.findall(line):
            if function != rule.split()[1]:
                problems.append(f"{origin}: the test of {rule} is in "
                                f"@{function}, not in @{rule.split()[1]}")
            found.add((rule, message))
    return found


def untested_folds(args):
    """Operations that fold, in no test of folds."""
    tests = "\n".join(path.read_text() for path in (ROOT / "test/Dialect").rglob("*.mlir")
                      if path.name.startswith(("fold-", "canonicalize-")))
    used = set(re.findall(r"\b\w+\.\w+\b", tests))
    for dialect in DIALECTS:
        for line in run(args.tblgen, "-gen-op-list", dialect, args.mlir_include).splitlines():
            name, _, kinds = line.split("\t")
            if {"fold", "canonicalize"} & set(kinds.split()) and name not in used:
                yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True)
    args = parser.parse_args()

    problems = []
    rules = {}
    broken = set()
    for dialect in DIALECTS:
        for line in run(args.tblgen, "-gen-rule-list", dialect,
                        args.mlir_include).splitlines():
            rule, text = line.split("\t")
            rules[rule] = text
        generated = run(args.tblgen, "-gen-scalar-tests", dialect,
                        args.mlir_include)
        broken |= broken_rules(generated, f"tests of {dialect}", problems)
    for path in sorted((ROOT / "test/Dialect").rglob("*-invalid.mlir")):
        broken |= broken_rules(path.read_text(), path.relative_to(ROOT),
                               problems)

    for rule, message in sorted(broken):
        if rule not in rules:
            problems.append(f"a test expects {rule}, which does not exist")
        elif message != rules[rule]:
            problems.append(f"a test of {rule} expects '{message}'; the rule "
                            f"is '{rules[rule]}'")
    missing = sorted(set(rules) - {rule for rule, _ in broken})
    problems += [f"no test breaks {rule}: {rules[rule]}" for rule in missing]
    problems += [f"no test of folds has {name}" for name in untested_folds(args)]
    untested = untested_messages()
    problems += [f"no test expects '{message}'" for message in untested]
    for problem in problems:
        print(problem)
    number = len(rules) + len(messages())
    print(f"{number} rules, {number - len(missing) - len(untested)} with a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
