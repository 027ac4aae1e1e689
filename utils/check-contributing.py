#!/usr/bin/env python3
"""Executes the section "How to add an element-wise operation" of CONTRIBUTING.md.

Applies its code blocks to a copy of the sources, builds the tools there,
runs the commands and compares what they print. Objects that the change does not
touch come from the build that is there, which is only read.

usage: check-contributing.py [BUILD [COPY]]

BUILD is a finished build by ninja; default: build/dev. COPY becomes a folder of
sources and their build; default: BUILD/contributing.
"""
import os
import re
import shutil
import subprocess
import sys

import reuse_objects

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def blocks(text):
    section = text.split("## How to add an element-wise operation")[1].split("\n## ")[0]
    found = {}
    for language, body in re.findall(r"```([a-z+]*)\n(.*?)```", section, re.S):
        found[language] = body
    return found


def edit(path, change):
    with open(path) as handle:
        text = handle.read()
    changed = change(text)
    if changed == text:
        sys.exit(f"check-contributing: nothing to change in {path}")
    with open(path, "w") as handle:
        handle.write(changed)


def apply(copy, parts):
    table = os.path.join(copy, "include/tripy/Dialect/Common/ScalarFns.td")
    removed = re.search(r"^-(.*)$", parts["diff"], re.M).group(1)
    added = re.search(r"^\+(.*)$", parts["diff"], re.M).group(1)
    edit(table, lambda t: t.replace(removed, parts["tablegen"] + "\n" + added, 1))
    header = os.path.join(copy, "include/tripy/Dialect/Common/ScalarOps.h")
    marker = "} // namespace tripy::scalar"
    edit(header, lambda t: t.replace(marker, parts["c++"] + "\n" + marker, 1))


def copy_sources(target):
    shutil.rmtree(target, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True).stdout.decode().split("\0")
    for path in filter(None, files):
        place = os.path.join(target, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.exists(os.path.join(ROOT, path)):
            shutil.copy2(os.path.join(ROOT, path), place)


def settings(build):
    """How a build was configured, as far as its objects depend on it."""
    found = []
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        for line in cache:
            if re.match(r"(CMAKE_BUILD_TYPE|CMAKE_C(XX)?_(COMPILER|FLAGS\w*)|TRIPY_(LINK_LLVM|SANITIZE\w*|QUICK_OPTIONS)):", line):
                found.append("-D" + line.strip())
    return found


def build_tools(original, copy, source):
    """The folder of the tools of `source`; objects come from `original` where they can."""
    build, table = os.path.join(copy, "build"), os.path.join(copy, "objects.json")
    shutil.rmtree(build, ignore_errors=True)
    for path in (table, table + ".log"):
        if os.path.exists(path):
            os.remove(path)
    reuse_objects.write_table(table, [[build, original], [source, ROOT]])
    launcher = ";".join([sys.executable, os.path.abspath(reuse_objects.__file__), table])
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DTRIPY_BUILD_TESTS=OFF",
                    "-DCMAKE_C_COMPILER_LAUNCHER=", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}", *settings(original)],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "tripy-compile", "tripy-run"], check=True)
    with open(table + ".log") as log:
        objects = log.read().split()
    print(f"check-contributing: {objects.count('taken')} objects taken from {original}, "
          f"{objects.count('compiled')} compiled")
    return os.path.join(build, "bin")


def main():
    original = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/dev"))
    copy = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(original, "contributing"))
    source = os.path.join(copy, "source")
    copy_sources(source)
    with open(os.path.join(ROOT, "CONTRIBUTING.md")) as handle:
        parts = blocks(handle.read())
    apply(source, parts)
    tools = build_tools(original, copy, source)
    with open(os.path.join(copy, "square.mlir"), "w") as handle:
        handle.write(parts["mlir"])
    environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"])
    printed = subprocess.run(["sh", "-ec", parts["sh"]], cwd=copy, env=environment, check=True,
                             text=True, capture_output=True).stdout
    if printed.strip() != parts["text"].strip():
        sys.exit(f"check-contributing: expected\n{parts['text']}found\n{printed}")
    print("check-contributing: the steps work")


main()
