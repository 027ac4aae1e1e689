#!/usr/bin/env python3
"""Kernels whose result says less, or more, about its sizes than what they are built around.

usage: size_knowledge.py --bin DIR [--target cpu] [--emulator DIR] [--only TEXT] [--jobs 2]

Every kind of kernel (reductions of some and of all dimensions, softmax, scan, contraction, element-wise) is followed by
reshapes and broadcasts to sizes that are constants of the program but `?` in the types, by ranks that grow and shrink, and by
types that say a size which the input leaves open. Compiled programs give what the reference evaluator gives. --emulator is the
folder of the CUDA emulator's libraries, for --target=cuda.
"""
import argparse
import concurrent.futures
import itertools
import os
import subprocess
import sys
import tempfile

ROWS, COLUMNS = 8, 4


def tensor(sizes, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


class Builder:
    """The lines of a program; `types` are what types say ('?' or a number), `sizes` what is so."""

    def __init__(self, x_types):
        self.lines, self.count = [], 0
        self.x_types = x_types

    def op(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, value):
        return self.op(f"arith.constant {value} : index")


# Each returns the value, its types and its sizes.
def whole(keepdim):
    def build(b, kind="sum"):
        types = [1, 1] if keepdim else []
        value = b.op(f"trace.{kind} %x dims = [0, 1]{' keepdim' if keepdim else ''} : "
                     f"({tensor(b.x_types)}) -> {tensor(types)}")
        return value, types, list(types)
    return build


def along(dim, keepdim):
    def build(b):
        types, sizes = list(b.x_types), [ROWS, COLUMNS]
        if keepdim:
            types[dim] = sizes[dim] = 1
        else:
            del types[dim], sizes[dim]
        value = b.op(f"trace.max %x dims = [{dim}]{' keepdim' if keepdim else ''} : "
                     f"({tensor(b.x_types)}) -> {tensor(types)}")
        return value, types, sizes
    return build


def keeps(text):
    def build(b):
        value = b.op(f"trace.{text} : ({tensor(b.x_types)}) -> {tensor(b.x_types)}")
        return value, list(b.x_types), [ROWS, COLUMNS]
    return build


def product(b):
    transposed = b.op(f"trace.permute %x [1, 0] : ({tensor(b.x_types)}) -> {tensor(b.x_types[::-1])}")
    types = [b.x_types[0], b.x_types[0]]
    value = b.op(f"trace.matmul %x, {transposed} : ({tensor(b.x_types)}, {tensor(b.x_types[::-1])}) -> {tensor(types)}")
    return value, types, [ROWS, ROWS]


ROOTS = {"sum": whole(False), "sum-keepdim": whole(True), "max0": along(0, False), "max1": along(1, False),
          "max0-keepdim": along(0, True), "max1-keepdim": along(1, True), "softmax": keeps("softmax %x dim = 1"),
          "cumsum": keeps("cumsum %x dim = 1"), "exp": keeps("exp %x"), "matmul": product}


def reshape(to, known):
    """To sizes `to(sizes)`, of which those that `known` names are numbers in the type too."""
    def build(b, value, types, sizes):
        target = to(sizes)
        entries, new = [], []
        for i, size in enumerate(target):
            entries.append(str(size) if known(i) else b.constant(size))
            new.append(size if known(i) else "?")
        return b.op(f"trace.reshape {value} to [{', '.join(entries)}] : "
                    f"({tensor(types)}) -> {tensor(new)}"), new, target
    return build


def volume(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


NEVER, ALWAYS, FIRST = (lambda i: False), (lambda i: True), (lambda i: i == 0)
SHAPES = {"same": lambda sizes: list(sizes), "front": lambda sizes: [1, *sizes], "back": lambda sizes: [*sizes, 1],
          "both": lambda sizes: [1, *sizes, 1], "flat": lambda sizes: [volume(sizes)],
          "column": lambda sizes: [volume(sizes), 1]}
TAILS = {f"{shape}-{name}": reshape(to, known) for (shape, to), (name, known) in
         itertools.product(SHAPES.items(), (("open", NEVER), ("static", ALWAYS), ("first", FIRST)))}
INPUTS = {"static": [ROWS, COLUMNS], "dynamic": ["?", "?"], "rows": ["?", COLUMNS], "columns": [ROWS, "?"]}


def program(x_types, root, tail, after):
    b = Builder(x_types)
    value, types, sizes = TAILS[tail](b, *ROOTS[root](b))
    if after == "add":
        value = b.op(f"trace.add {value}, {value} : ({tensor(types)}, {tensor(types)}) -> {tensor(types)}")
    elif after == "expand":
        # Broadcast against a tensor of known sizes.
        target = [5] + sizes
        entries = [b.constant(size) for size in target]
        value = b.op(f"trace.expand {value} to [{', '.join(entries)}] : "
                     f"({tensor(types)}) -> {tensor(['?'] * len(target))}")
        types = ["?"] * len(target)
    profile = f"min = [1, 1], opt = [{ROWS}, {COLUMNS}], max = [16, 16]"
    low = [1 if size == "?" else size for size in x_types]
    high = [16 if size == "?" else size for size in x_types]
    profile = f"min = {low}, opt = {[ROWS, COLUMNS]}, max = {high}"
    return "\n".join([f'func.func @main(%x: {tensor(x_types)} {{tripy.name = "x", tripy.profile = '
                      f"#tripy.profile<{profile}>}}) -> {tensor(types)} {{", *b.lines,
                      f"  return {value} : {tensor(types)}", "}"]) + "\n"


def check(options, case):
    name = "/".join(case)
    text = program(INPUTS[case[0]], *case[1:])
    bin_ = options.bin
    with tempfile.TemporaryDirectory() as folder:
        source, target, result = (os.path.join(folder, file) for file in ("p.mlir", "p.tpx", "r.npy"))
        with open(source, "w") as out:
            out.write(text)
        environment = dict(os.environ, TRIPY_CUDA_HOME=folder, TRIPY_CACHE_DIR="")
        if options.emulator:
            environment["LD_LIBRARY_PATH"] = options.emulator
        given = ["--seed=7", "--input", f"x=random:{ROWS}x{COLUMNS}"]
        for command in ([os.path.join(bin_, "tripy-compile"), source, f"--target={options.target}", "-o", target],
                        [os.path.join(bin_, "tripy-compile"), source, "--evaluate", *given, "--result", "@" + result],
                        [os.path.join(bin_, "tripy-run"), target, *given, "--expect", "@" + result,
                         "--rtol", "1e-4", "--atol", "1e-5"]):
            done = subprocess.run(command, text=True, capture_output=True, timeout=300, env=environment)
            if done.returncode:
                return f"{name}: {command[0]} exits with {done.returncode}: {(done.stderr or done.stdout)[:800]}\n{text}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--emulator")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="one of this many cases")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cases = [case for case in itertools.product(INPUTS, ROOTS, TAILS, ("none", "add", "expand"))
             if options.only in "/".join(case)]
    cases = cases[::options.every]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        problems = [problem for problem in pool.map(lambda case: check(options, case), cases) if problem]
    for problem in problems:
        print(problem)
    print(f"{len(cases)} programs, {len(problems)} failures")
    sys.exit(1 if problems or not cases else 0)


if __name__ == "__main__":
    main()
