#!/usr/bin/env python3
"""Compiles and runs the programs of docs/guide, and compares what they print.

usage: guide.py --build DIR [--cxx COMPILER] [PAGE...]

The blocks of the language cpp of a page are one program: those behind `<!-- top level -->` stand in front of main(), all
others in it, in order. Headers and namespace of the first page go without saying in the others. `<!-- prints -->` before a block says what the statements since the block before it print; "..." in it
stands for any text, and alone on a line for any lines. What commands print is compared by test/Utils/doc-commands.py.

All pages are compiled as one program, each in a namespace of its own; a page's lines are those of its file, so that errors show
them. Each page runs alone.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w ]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.S)
INCLUDE = re.compile(r"^#include .*$", re.M)
# What no program prints by itself.
MARK = "\x1e"


class Page:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.function = re.sub(r"\W", "_", self.name)
        self.outside, self.inside, self.wanted, self.includes = [], [], [], []
        with open(path) as handle:
            text = handle.read()
        last = None
        for block in BLOCK.finditer(text):
            if block["language"] == "cpp":
                line = text.count("\n", 0, block.start("text")) + 1
                code = INCLUDE.sub("", block["text"])
                self.includes += INCLUDE.findall(block["text"])
                (self.outside if block["mark"] == "top level" else self.inside).append(f'#line {line} "{self.name}"\n{code}')
            elif block["mark"] == "prints" and last == "cpp":
                self.wanted.append(block["text"])
                self.inside.append('std::cout << "\\x1e" << std::flush;\n')
            last = last if block["mark"] == "prints" else block["language"]

    def program(self):
        return "\n".join([f"namespace {self.function} {{", "namespace tp = tripy;", *self.outside, "int main() {", *self.inside, "return 0;", "}", "}\n"])


def program_of(pages):
    """All pages; the argument is the name of one."""
    includes = dict.fromkeys(["#include <tripy/tripy.h>", "#include <cstring>", "#include <iostream>", *(line for page in pages for line in page.includes)])
    calls = [f'  if (!std::strcmp(argv[1], "{page.name}"))\n    return {page.function}::main();' for page in pages]
    return "\n".join([*includes, *(page.program() for page in pages), "int main(int, char **argv) {", *calls, "  return 2;", "}\n"])


def expected_pattern(text):
    pattern = ""
    for line in text.split("\n")[:-1]:
        if line == "...":
            pattern += r"(?:.*\n)*?"
        elif re.fullmatch(r"[ |]*\^+", line):  # compilers differ in where an expression begins
            pattern += r"[ |]*\^+\n"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("...")) + "\n"
    return pattern


def compile_pages(pages, folder, options):
    """What the compiler says is wrong."""
    source, binary, libraries = (os.path.join(folder, "pages.cpp"), os.path.join(folder, "pages"),
                                 os.path.join(options.build, "lib"))
    with open(source, "w") as out:
        out.write(program_of(pages))
    done = subprocess.run(
        [options.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-value", f"-I{ROOT}/include",
         f"-I{options.build}/include", source, "-o", binary, f"-L{libraries}", "-ltripy_frontend",
         f"-Wl,-rpath,{libraries}"], text=True, capture_output=True)
    return f"the pages do not compile:\n{done.stderr}" if done.returncode else ""


def check(page, folder):
    if not page.wanted:
        return [f"{page.name}: prints nothing"]
    work = os.path.join(folder, page.function)
    os.mkdir(work)
    shutil.copy(page.path, work)  # errors quote it
    done = subprocess.run([os.path.join(folder, "pages"), page.name], text=True, capture_output=True, cwd=work,
                          env=dict(os.environ, TRIPY_DEVICE="cpu"))
    found = done.stdout.split(MARK)[:-1]
    if done.returncode or len(found) != len(page.wanted):
        return [f"{page.name}: exit status {done.returncode}, {len(found)} of {len(page.wanted)} parts\n{done.stdout}{done.stderr}"]
    return [f"{page.name}: expected\n{want}found\n{have}" for want, have in zip(page.wanted, found)
            if not re.fullmatch(expected_pattern(want), have)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    pages = [Page(path) for path in options.pages or sorted(glob.glob(os.path.join(ROOT, "docs/guide/*.md")))]
    with tempfile.TemporaryDirectory() as folder:
        problem = compile_pages(pages, folder, options)
        problems = [problem] if problem else [problem for page in pages for problem in check(page, folder)]
    for problem in problems:
        print(problem)
    print(f"guide: {len(pages)} pages, {len(problems)} problems")
    sys.exit(bool(problems) or not pages)


if __name__ == "__main__":
    main()
