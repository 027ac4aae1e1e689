#!/usr/bin/env python3
"""How many places an operation of trace has: the files that define it.

A file is a place where it names the operation of trace, outside of comments: its
definition, its result types, its lowering, and rewrites of it. Who makes its
flatir counterpart as a part of something else is a user, and no place. A row of
include/tripy/Frontend/Functions.td, which says what C++ calls an operation, and
descriptions of passes do not count.

The limits are 1 for element-wise operations (rows of ScalarFns*.td), 2 for those
that are composed of others, 5 for all others. Exits 1 and lists what is above.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = {"element-wise": 1, "composed": 2, "structured": 5}
COMPOSED = {"TraceActivation.td", "TraceComposed.td", "TraceElementwise.td", "TraceNormalization.td"}
# Operation: how many more places, and why.
MORE = {
    "add": (1, "the example of a message about syntax"),
    "batch_norm": (1, "it is folded into convolutions"),
}
ROW = re.compile(r'^def (?:Fn|Cmp)\w+\s*:\s*\w+<"(\w+)",\s*"(\w+)"', re.M)
DEFINITION = re.compile(r'^def Trace_(\w+)Op\b[^<]*<(?:Trace_Dialect, )?"(\w+)"', re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*(?:(?:::|\.)\w+)*")
# Where the classes of trace need no namespace in front of them.
INSIDE = ("lib/Dialect/Trace/", "lib/Conversion/TraceToFlatIR/")


def sources():
    """{path: text without comments}."""
    found = {}
    for folder in ("include", "lib"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".td", ".h", ".cpp") and path.name not in ("Passes.td", "Functions.td"):
                found[str(path.relative_to(ROOT))] = re.sub(r"//.*", "", path.read_text())
    return found


def operations(texts):
    """{name: (class, kind, defining file)}."""
    found = {}
    for path, text in texts.items():
        name = path.rsplit("/", 1)[1]
        if name.startswith("ScalarFns"):
            found.update({op: (cls, "element-wise", path) for op, cls in ROW.findall(text)})
        elif path.startswith("include/tripy/Dialect/Trace/") and path.endswith(".td"):
            kind = "composed" if name in COMPOSED else "structured"
            found.update({op: (cls, kind, path) for cls, op in DEFINITION.findall(text)})
    return found


def places(name, cls, defined, tokens):
    wanted = {f"trace.{name}", f"trace::{cls}Op"}
    return [path for path, words in tokens.items()
            if path == defined or words & wanted or (path.startswith(INSIDE) and f"{cls}Op" in words)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("--list", action="store_true", help="print the places of each operation")
    args = parser.parse_args()
    texts = sources()
    tokens = {path: set(TOKEN.findall(text)) for path, text in texts.items()}
    found = operations(texts)
    listed = subprocess.run([args.tblgen, "-gen-op-list", f"-I{ROOT}/include", f"-I{args.mlir_include}",
                             ROOT / "include/tripy/Dialect/Trace/TraceOps.td"], check=True, capture_output=True, text=True).stdout
    problems, most = [], dict.fromkeys(LIMITS, 0)
    for line in listed.splitlines():
        name = line.split("\t")[0].removeprefix("trace.")
        if name not in found:
            problems.append(f"trace.{name}: its definition was not found")
            continue
        cls, kind, defined = found[name]
        where = places(name, cls, defined, tokens)
        if args.list:
            print(len(where), f"trace.{name}", kind, *where)
        count = len(where) - MORE.get(name, (0, ""))[0]
        most[kind] = max(most[kind], count)
        if count > LIMITS[kind]:
            problems.append(f"trace.{name}, {kind}, has {len(where)} places: {', '.join(where)}")
    for problem in problems:
        print(problem)
    print(f"{len(listed.splitlines())} operations; the most places: " + ", ".join(f"{kind} {n}" for kind, n in most.items()))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
