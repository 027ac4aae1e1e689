#!/usr/bin/env python3
"""docs/configuration.md against the sources and the tools: each variable of the environment that code reads has a row, and no
other has one; the tables of options are what --help prints.

usage: check-configuration.py --bin DIR [--write] [--root DIR]

--write: writes the tables of options anew.
"""
import argparse
import os
import re
import subprocess
import sys

# Folders of the sources, and what reads a variable in them.
FOLDERS = ("lib", "tools", "include", "unittests", "test", "utils")
READS = (re.compile(r"""getenv\(\s*"(\w+)"""), re.compile(r'\bvariable\("(\w+)"\)'),
         re.compile(r"""environ(?:\.get\(|\.pop\(|\[)"(TRIPY_\w+)"""), re.compile(r"\$\{(TRIPY_\w+):-"))
# A loop over names, and what stands for them.
LOOPS = re.compile(r'for \(const char \*variable : \{([^}]*)\}\)')
# Files that name variables as an example, or set them for others.
SKIPPED = ("utils/check-configuration.py",)
ROW = re.compile(r"^\| `([A-Z][A-Z_]+)` \|", re.M)
TABLE = re.compile(r"<!-- options: ([\w-]+) -->\n(?:\n(?:\|.*\n)+)?")
# Where --help says what an option does.
COLUMN = 27


def variables(root):
    """Names, each with a file that reads it."""
    found = {}
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(place, name), root)
                if path in SKIPPED or name.endswith((".pyc", ".npy", ".npz")):
                    continue
                with open(os.path.join(root, path), errors="replace") as handle:
                    text = handle.read()
                for pattern in READS:
                    found.update({variable: path for variable in pattern.findall(text)})
                for loop in LOOPS.findall(text):
                    found.update({variable: path for variable in re.findall(r'"(\w+)"', loop)})
    return found


def options_of_help(text):
    """Rows of what --help prints: an option begins behind two blanks, what it does in COLUMN or in the next line."""
    rows = []
    for line in text.splitlines():
        if line.startswith("  -"):
            at = COLUMN if line[COLUMN - 1:COLUMN] in ("", " ") else len(line)
            rows.append([line[:at].strip(), line[at:].strip()])
        elif rows and line.startswith(" " * COLUMN):
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
        elif rows and line.strip() and not line.startswith("  "):
            break
    return rows


def options_of_opt(root):
    """Rows of the options that tripy-opt.cpp registers."""
    with open(os.path.join(root, "tools/tripy-opt/tripy-opt.cpp")) as handle:
        text = handle.read()
    rows = []
    for match in re.finditer(r'cl::opt<[\w:]+>\s+\w+\(\s*"([\w-]+)",\s*llvm::cl::desc\(((?:\s*"[^"]*")+)', text):
        rows.append(["--" + match.group(1), "".join(re.findall(r'"([^"]*)"', match.group(2)))])
    return rows


def table_of(tool, options):
    if tool == "tripy-opt":
        rows = options_of_opt(options.root)
    else:
        done = subprocess.run([os.path.join(options.bin, tool), "--help"], text=True, capture_output=True, check=True)
        rows = options_of_help(done.stdout)
    if len(rows) < 5:
        sys.exit(f"{tool} --help has {len(rows)} options")
    lines = ["| option | what it does |", "|---|---|"]
    for option, text in rows:
        text = text or "print the version, or the options"
        lines.append("| `" + option.replace("|", "\\|") + "` | " + text.replace("|", "\\|") + " |")
    return f"<!-- options: {tool} -->\n\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    path = os.path.join(options.root, "docs/configuration.md")
    with open(path) as handle:
        page = handle.read()
    current = TABLE.sub(lambda match: table_of(match.group(1), options), page)
    if options.write:
        with open(path, "w") as out:
            out.write(current)
        page = current
    problems = ["the tables of options are not current: run utils/check-configuration.py --write"] * (page != current)
    read, rows = variables(options.root), set(ROW.findall(page))
    problems += [f"docs/configuration.md has no row for {name}, which {read[name]} reads" for name in sorted(set(read) - rows)]
    problems += [f"docs/configuration.md has a row for {name}, which nothing reads" for name in sorted(rows - set(read))]
    for problem in problems:
        print(problem)
    print(f"check-configuration: {len(read)} variables, {len(TABLE.findall(page))} tables, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
