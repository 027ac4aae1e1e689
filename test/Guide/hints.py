#!/usr/bin/env python3
"""Calls that do not compile, and what the compiler says to write instead.

usage: hints.py --build DIR [--cxx COMPILER]

All are in one program: compilers report every one of them.
"""
import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# statement | part of the error
CALLS = [
    ("x.softmax(1);", "Did you mean: tripy::softmax(x, ...)"),
    ("x.relu();", "Did you mean: tripy::relu(x, ...)"),
    ("x.reshape({2, 1});", "Did you mean: tripy::reshape(x, ...)"),
    ("x.permute({1, 0});", "Did you mean: tripy::permute(x, ...)"),
    ("x.sum({0, 1}, true);", "Did you mean: tripy::sum(x, ...)"),
    ("x.T();", "Did you mean: tripy::transpose(x, 0, 1), or tripy::permute(x, {1, 0})"),
    ("x.to(tp::float16);", "Did you mean: tripy::cast(x, dtype), or tripy::copy(x, device)"),
    ("x.view({2, 1});", "Did you mean: tripy::reshape(x, shape)"),
    ("x.size(0);", "Did you mean: x.shape()[dim]"),
    ("x.dim();", "Did you mean: x.rank()"),
    ("x.numel();", "Did you mean: x.shape().volume()"),
    ("x.clone();", "tensors never change"),
    ("tp::resize(x, {1, 1, 4, 4});", 'Did you mean: tripy::resize(x, "linear", {.sizes = {...}})'),
    ("x[0] = x;", "deleted"),
    # A warning: tensors never change.
    ("tp::relu(x);", "nodiscard"),
    # Members that a state dict would lack.
    ("struct Visitor : tp::ModuleVisitor { void run(tp::Tensor x) { visit(\"x\", x); } };", "a tensor is a tripy::Parameter"),
    ("struct Derived : tp::Linear { void visitMembers(tp::ModuleVisitor &) override {} };", "final function"),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cxx", default="clang++-22")
    options = parser.parse_args()
    program = "\n".join(["#include <tripy/tripy.h>", "namespace tp = tripy;", "void run(tp::Tensor x) {", *(call for call, _ in CALLS), "}"])
    done = subprocess.run([options.cxx, "-std=c++20", "-fsyntax-only", f"-I{ROOT}/include", f"-I{options.build}/include", "-x", "c++", "-"],
                          input=program, text=True, capture_output=True)
    text = done.stderr.replace("\\\"", '"').replace("'final'", "final")
    missing = [call for call, hint in CALLS if hint not in text]
    for call in missing:
        print(f"hints.py: no hint at {call}")
    if missing:
        print(done.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
