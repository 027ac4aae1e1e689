#!/usr/bin/env python3
"""Executes the section "How to add an element-wise operation" of CONTRIBUTING.md.

Applies its code blocks to a copy of the tracked files, builds the tools there,
runs the commands and compares what they print.

usage: check-contributing.py [BUILD_FOLDER]
"""
import os
import re
import shutil
import subprocess
import sys

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


def main():
    copy = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/contributing")
    source = os.path.join(copy, "source")
    shutil.rmtree(source, ignore_errors=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True,
                           check=True).stdout.decode().split("\0")
    for path in filter(None, files):
        target = os.path.join(source, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(os.path.join(ROOT, path)):
            shutil.copy2(os.path.join(ROOT, path), target)
    with open(os.path.join(ROOT, "CONTRIBUTING.md")) as handle:
        parts = blocks(handle.read())
    apply(source, parts)
    build = os.path.join(source, "build/dev")
    subprocess.run(["cmake", "--preset", "dev", "-DTRIPY_BUILD_TESTS=OFF"], cwd=source,
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "tripy-compile", "tripy-run"],
                   cwd=source, check=True)
    with open(os.path.join(copy, "square.mlir"), "w") as handle:
        handle.write(parts["mlir"])
    environment = dict(os.environ, PATH=os.path.join(build, "bin") + os.pathsep + os.environ["PATH"])
    printed = subprocess.run(["sh", "-ec", parts["sh"]], cwd=copy, env=environment, check=True,
                             text=True, capture_output=True).stdout
    if printed.strip() != parts[""].strip():
        sys.exit(f"check-contributing: expected\n{parts['']}found\n{printed}")
    print("check-contributing: the steps work")


main()
