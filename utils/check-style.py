#!/usr/bin/env python3
"""House rules that a script can see: sizes, formatting, diagnostics, options.

Limits: .cpp and .h 600 lines, .td 400, .py 600, CMakeLists.txt 80, functions 60
lines, any file 400 KB; no program or data lies in the root folder. Exceptions stand
in EXCEPTIONS with their reason.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMITS = {".cpp": 600, ".h": 600, ".td": 400, ".py": 600, ".c": 600}
FUNCTION_LIMIT = 60
BYTE_LIMIT = 400_000
# What the root folder holds besides folders.
ROOT_FILES = {".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md",
              "LICENSE", "README.md"}
# path or "path:function" -> reason
EXCEPTIONS = {}

problems = []


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}")


def tracked():
    out = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True,
                         capture_output=True, check=True).stdout.split("\n")
    return [p for p in out if p and os.path.exists(os.path.join(ROOT, p))]


def check_size(path, lines):
    limit = LIMITS.get(os.path.splitext(path)[1])
    if os.path.basename(path) == "CMakeLists.txt":
        limit = 80
    if limit and len(lines) > limit and path not in EXCEPTIONS:
        problem(path, len(lines), f"{len(lines)} lines, the limit is {limit}")


def check_place(path):
    size = os.path.getsize(os.path.join(ROOT, path))
    if size > BYTE_LIMIT:
        problem(path, 1, f"{size} bytes, the limit is {BYTE_LIMIT}")
    if "/" not in path and path not in ROOT_FILES:
        problem(path, 1, "a file in the root folder that check-style does not know")


NOT_A_FUNCTION = re.compile(
    r"(if|for|while|switch|else|do|namespace|struct|class|enum|union|return|case|default|using|typedef|public|private|"
    r"protected|TEST\w*|static_assert|template)\b|extern \"C\" \{|#|//|\}|\{|\)")


def function_ends(lines, start, indent):
    """The lines of the opening and the closing brace of the function whose
    signature begins at `start`, or nothing."""
    for opening in range(start, min(start + 20, len(lines))):
        line = lines[opening]
        if opening > start and (not line.startswith(indent + "  ") or not line.strip()):
            return None
        if line.endswith("{"):
            signature = " ".join(text.strip() for text in lines[start:opening + 1])
            if "(" not in signature or re.search(r"[^=!<>]=\s*(\[|\{|\w*\(\)?\{$)", signature):
                return None
            closings = (i for i in range(opening + 1, len(lines)) if lines[i].startswith(indent + "}"))
            return opening, next(closings, len(lines) - 1)
        if line.endswith((";", "}", ">")):
            return None
    return None


def check_functions(path, lines):
    """Functions start at the left margin or in a class, their signatures may
    be wrapped, and their closing brace stands in the column of the first line:
    clang-format guarantees it."""
    end = -1
    for number, line in enumerate(lines):
        indent = line[:len(line) - len(line.lstrip(" "))]
        if number <= end or not line.strip() or len(indent) > 2 or NOT_A_FUNCTION.match(line.strip()):
            continue
        found = function_ends(lines, number, indent)
        if not found:
            continue
        end = found[1]
        length = end - number + 1
        if length > FUNCTION_LIMIT and f"{path}:{number + 1}" not in EXCEPTIONS:
            problem(path, number + 1, f"function of {length} lines, the limit is {FUNCTION_LIMIT}")


def check_lines(path, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"(^|[^A-Za-z0-9._-])/(work|root|home)/[a-z]", line):
            problem(path, number, "path of one machine")
        if path.startswith("lib/") and "cl::opt" in line:
            problem(path, number, "command-line option in a library")
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and path != "utils/check-style.py":
            problem(path, number, "promise of later work")
        if line.rstrip() != line and not path.endswith((".md", ".test", ".mlir", ".txt")):
            problem(path, number, "space at the end of the line")


def check_diagnostics(path, text):
    for match in re.finditer(r'emit(?:Op)?Error\(\s*(?:loc,\s*)?"([^"]+)"', text):
        message = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if message[:1].isupper() and not message[:2].isupper():
            problem(path, line, "diagnostic must start in lower case: " + message)
        if message.endswith("."):
            problem(path, line, "diagnostic must not end with a full stop: " + message)


def check_format(paths):
    tool = "clang-format-22"
    result = subprocess.run([tool, "--dry-run", "--Werror", *paths], cwd=ROOT,
                            text=True, capture_output=True)
    for path in sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", result.stderr, re.M))):
        problem(path, 1, "not formatted; run clang-format-22 -i")


def main():
    files = tracked()
    for path in files:
        check_place(path)
        if not path.endswith((".cpp", ".h", ".c", ".td", ".py", ".txt", ".md", ".mlir", ".cmake", ".test")):
            continue
        with open(os.path.join(ROOT, path), errors="replace") as handle:
            text = handle.read()
        lines = text.split("\n")
        check_size(path, lines[:-1] if lines and not lines[-1] else lines)
        check_lines(path, lines)
        if path.endswith((".cpp", ".h")):
            check_diagnostics(path, text)
        if path.endswith((".cpp", ".h")) and not path.startswith("unittests/"):
            check_functions(path, lines)
    check_format([p for p in files if p.endswith((".cpp", ".h", ".c"))])
    for text in problems:
        print(text)
    print(f"check-style: {len(files)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
