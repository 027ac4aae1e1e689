#!/usr/bin/env python3
"""Finds types of one name that are defined twice: undefined behaviour when they meet in one program.

usage: check-names.py [ROOT]

Each class, struct, union and enum at namespace scope has one definition in the sources below ROOT, by its qualified
name, unless it is in an unnamed namespace of a .cpp file. Headers count wherever they lie, also those that are private
to a folder. In a header, an unnamed namespace is refused: each source would have a type of its own.
"""
import collections
import os
import re
import sys

# Comments, and what may hold braces that are no code.
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[^\n\\]*(?:\\\n[^\n\\]*)*", re.M)
TOKEN = re.compile(r"\bnamespace\b\s*(?P<space>[\w:]*)\s*\{|"
                   r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(?P<type>\w+(?:::\w+)*)\s*"
                   r"(?:final\s*)?(?::[^;{(]*)?\{|(?P<brace>[{}])")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def definitions(path):
    """(qualified name, line) of the types at namespace scope; the name is None in a header's unnamed namespace."""
    with open(path, errors="replace") as handle:
        text = DIRECTIVE.sub(blank, SKIPPED.sub(blank, handle.read()))
    scopes = []
    for match in TOKEN.finditer(text):
        if match["brace"] == "}":
            if scopes:
                scopes.pop()
        elif match["brace"]:
            scopes.append(("block", ""))
        elif match["type"]:
            spaces = [name for kind, name in scopes if kind == "namespace"]
            if len(spaces) == len(scopes):
                line = text.count("\n", 0, match.start()) + 1
                if all(spaces):
                    yield "::".join([*spaces, match["type"]]), line
                elif path.endswith(".h"):
                    yield None, line
            scopes.append(("type", match["type"]))
        else:
            scopes.append(("namespace", match["space"]))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found, problems = collections.defaultdict(list), []
    for folder in ("include", "lib", "tools", "unittests"):
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                path = os.path.join(place, name)
                for qualified, line in definitions(path) if name.endswith((".h", ".cpp")) else ():
                    where = f"{os.path.relpath(path, root)}:{line}"
                    if qualified:
                        found[qualified].append(where)
                    else:
                        problems.append(f"{where}: a type in an unnamed namespace of a header")
    for qualified, places in sorted(found.items()):
        if len(places) > 1:
            problems.append(f"{qualified} is defined {len(places)} times: {', '.join(sorted(places))}")
    for problem in problems:
        print(problem)
    print(f"check-names: {len(found)} types, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
