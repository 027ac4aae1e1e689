#!/usr/bin/env python3
"""Compiles and runs the programs of docs/guide, and compares what they print.

usage: guide.py --build DIR [--cxx COMPILER] [PAGE...]

The blocks of the language cpp of a page are one program: those behind `<!-- top level -->` stand in front of main(), all
others in it, in order. `<!-- prints -->` before a block says what the statements since the block before it print.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w ]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.S)
# What no program prints by itself.
MARK = "\x1e"


def program_of(page):
    """The program's text, and what it prints, part by part."""
    outside, inside, wanted = [], [], []
    for block in BLOCK.finditer(page):
        if block["language"] == "cpp":
            (outside if block["mark"] == "top level" else inside).append(block["text"])
        elif block["mark"] == "prints":
            wanted.append(block["text"])
            inside.append(f'std::cout << "\\x1e" << std::flush;\n')
    return "\n".join([*outside, "int main() {", *inside, "}\n"]), wanted


def check(path, options):
    name = os.path.relpath(path, ROOT)
    with open(path) as handle:
        text, wanted = program_of(handle.read())
    if not wanted:
        return [f"{name}: prints nothing"]
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "page.cpp"), os.path.join(folder, "page")
        with open(source, "w") as out:
            out.write(text)
        libraries = os.path.join(options.build, "lib")
        done = subprocess.run(
            [options.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-value", f"-I{ROOT}/include",
             f"-I{options.build}/include", source, "-o", binary, f"-L{libraries}", "-ltripy_frontend",
             f"-Wl,-rpath,{libraries}"], text=True, capture_output=True)
        if done.returncode:
            return [f"{name}: does not compile:\n{done.stderr}"]
        done = subprocess.run([binary], text=True, capture_output=True, cwd=folder,
                              env=dict(os.environ, TRIPY_DEVICE="cpu"))
    found = done.stdout.split(MARK)[:-1]
    if done.returncode or len(found) != len(wanted):
        return [f"{name}: exit status {done.returncode}, {len(found)} of {len(wanted)} parts\n{done.stdout}{done.stderr}"]
    return [f"{name}: expected\n{want}found\n{have}" for want, have in zip(wanted, found) if want != have]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    pages = options.pages or sorted(glob.glob(os.path.join(ROOT, "docs/guide/*.md")))
    problems = [problem for page in pages for problem in check(os.path.abspath(page), options)]
    for problem in problems:
        print(problem)
    print(f"guide: {len(pages)} pages, {len(problems)} problems")
    sys.exit(bool(problems) or not pages)


if __name__ == "__main__":
    main()
