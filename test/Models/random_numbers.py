#!/usr/bin/env python3
"""Random numbers: the same bits on every device, and the distributions that they are documented to have.

usage: random_numbers.py --bin DIR [--emulator DIR] [--count 40000]

One program with sizes that the run gives makes numbers of every operation and type. The CPU and, with --emulator (the
folder of the CUDA emulator's libraries), CUDA give the same bits; an element depends on its number alone, whatever the
shape. Of fixed seeds, moments, a chi-square statistic, and the distance to the distribution function (Kolmogorov and
Smirnov) are within bounds that one of 10^6 true random samples would leave. Streams and seeds are not correlated.
"""
import argparse
import itertools
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

OPS = {**{f"{name}_{dtype}": (f"trace.random_{name} {{0}} [%n, %m] dtype = {dtype}", dtype)
          for name in ("uniform", "normal") for dtype in ("f32", "f16", "bf16", "f64")},
       "bernoulli": ("trace.random_bernoulli {0} [%n, %m] p = 0.3", "i1")}
# Neighbours in the kernel read them: dropout of a matrix of ones.
EXTRA = """  %ones = trace.full [%n, %m] value = 1.0 : f32 -> tensor<?x?xf32>
  %zero = trace.full [] value = 0.0 : f32 -> tensor<f32>
  %dropped = trace.where %bernoulli, %ones, %zero : (tensor<?x?xi1>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
"""
LIMITS = 1 << 16, 1 << 11


def program():
    rows, columns = (f"tripy.profile = #tripy.profile<min = [0], opt = [200], max = [{limit}]>" for limit in LIMITS)
    lines = [f"  %{name} = {text.format('%seed')} : (tensor<2xi64>) -> tensor<?x?x{dtype}>" for name, (text, dtype) in OPS.items()]
    results = [*((name, dtype) for name, (_, dtype) in OPS.items()), ("dropped", "f32")]
    types = ", ".join(f'tensor<?x?x{dtype}> {{tripy.name = "{name}"}}' for name, dtype in results)
    plain = ", ".join(f"tensor<?x?x{dtype}>" for _, dtype in results)
    return (f'func.func @main(%seed: tensor<2xi64> {{tripy.name = "seed"}}, %x: tensor<?xi8> {{tripy.name = "x", {rows}}}, '
            f'%y: tensor<?xi8> {{tripy.name = "y", {columns}}}) -> ({types}) {{\n'
            "  %n = trace.dim %x dim = 0 : (tensor<?xi8>) -> index\n  %m = trace.dim %y dim = 0 : (tensor<?xi8>) -> index\n"
            + "\n".join(lines) + "\n" + EXTRA + f"  return {', '.join('%' + name for name, _ in results)} : {plain}\n}}\n")


class Device:
    """Runs the program; results as stored bits."""

    def __init__(self, options, folder, target, emulator=None):
        self.options, self.folder, self.target = options, folder, target
        self.program = os.path.join(folder, target.split(":")[0] + ".tpx")
        self.environment = dict(os.environ, **({"LD_LIBRARY_PATH": emulator} if emulator else {}))
        path = os.path.join(folder, "program.mlir")
        with open(path, "w") as out:
            out.write(program())
        self.tool("tripy-compile", path, "-o", self.program, f"--target={target}")

    def tool(self, name, *arguments):
        ran = subprocess.run([os.path.join(self.options.bin, name), *arguments], text=True, capture_output=True, env=self.environment)
        if ran.returncode:
            sys.exit(f"{name} failed:\n{ran.stderr}")

    def run(self, seed, n, m):
        paths = {name: os.path.join(self.folder, f"{name}.npy") for name in [*OPS, "dropped"]}
        outputs = list(itertools.chain.from_iterable(("--output", f"{name}=@{path}") for name, path in paths.items()))
        self.tool("tripy-run", self.program, "--input", f"seed=2xi64={seed[0]},{seed[1]}", "--input", f"x=zeros:{n}",
                  "--input", f"y=zeros:{m}", *outputs)
        found = {name: np.load(path) for name, path in paths.items()}
        return {name: array.view(np.uint16) if name.endswith("bf16") else array for name, array in found.items()}


def floats(name, array):
    if name.endswith("bf16"):
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def distance(sorted_, function):
    """Kolmogorov and Smirnov's D times sqrt(n): over 2.8 once in 10^6 samples."""
    n = len(sorted_)
    at = function(sorted_)
    return max(np.max(np.arange(1, n + 1) / n - at), np.max(at - np.arange(n) / n)) * math.sqrt(n)


def chi_square(x, cells):
    """(statistic - mean) / deviation of the counts in equal cells of [0, 1)."""
    counts = np.bincount((x * cells).astype(int), minlength=cells)
    expected = len(x) / cells
    return (np.sum((counts - expected)**2) / expected - (cells - 1)) / math.sqrt(2 * (cells - 1))


def normal_function(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def check_distribution(name, x, bad):
    def require(what, value, limit):
        if not abs(value) <= limit:
            bad.append(f"{name}: {what} is {value:.3g}, at most {limit:.3g} was expected")
    n, short = len(x), name.endswith("16")
    if name.startswith("uniform"):
        kept = {"f32": 24, "f16": 11, "bf16": 8, "f64": 53}[name.split("_")[1]]
        if not (np.min(x) >= 0 and np.max(x) < 1 and (x * 2.0**kept == np.floor(x * 2.0**kept)).all()):
            bad.append(f"{name}: numbers are multiples of 2^-{kept} from 0 to below 1")
        require("the mean", (np.mean(x) + 2.0**-(kept + 1) - 0.5) * math.sqrt(12 * n), 5)
        require("the variance", (np.var(x) - 1 / 12) * math.sqrt(180 * n), 5)
        require("chi-square over 256 cells", chi_square(x, 256), 6)
        if not short:
            require("the distance to the distribution", distance(np.sort(x), lambda v: v), 2.8)
    elif name.startswith("normal"):
        require("the mean", np.mean(x) * math.sqrt(n), 5)
        require("the variance", (np.var(x) - 1) * math.sqrt(n / 2), 5)
        require("the third moment", np.mean(x**3) * math.sqrt(n / 15), 5)
        require("the fourth moment", (np.mean(x**4) - 3) * math.sqrt(n / 96), 6)
        if not short:
            require("the distance to the distribution", distance(np.sort(x), normal_function), 2.8)
    else:
        require("the share of the true", (np.mean(x) - 0.3) * math.sqrt(n / 0.21), 5)
    require("the correlation of neighbours", np.corrcoef(x[:-1], x[1:])[0, 1] * math.sqrt(n), 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--emulator")
    parser.add_argument("--count", type=int, default=40000)
    options = parser.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        cpu = Device(options, folder, "cpu")
        cuda = Device(options, folder, "cuda:sm_90a", options.emulator) if options.emulator else None
        for seed, n, m in [((1, 0), 1, 1), ((-5, 3), 7, 41), ((2**63 - 1, -1), 1, 1027), ((12345, 6), 0, 4), ((9, 9), 129, 64)]:
            found = cpu.run(seed, n, m)
            flat = cpu.run(seed, n * m, 1)
            other = cuda.run(seed, n, m) if cuda else found
            for name, array in found.items():
                if array.tobytes() != flat[name].tobytes():
                    bad.append(f"{name} of seed {seed}: {n} x {m} numbers are not those of {n * m} x 1")
                if array.tobytes() != other[name].tobytes():
                    bad.append(f"{name} of seed {seed}: {n} x {m} numbers differ between devices")
        samples = {seed: cpu.run(seed, options.count, 1) for seed in [(7, 0), (7, 1), (8, 0)]}
        for seed, found in samples.items():
            for name in OPS:
                check_distribution(f"{name}", floats(name, found[name]).reshape(-1), bad)
            if not np.array_equal(found["dropped"], found["bernoulli"].astype(np.float32)):
                bad.append(f"the matrix that was dropped out with seed {seed} is not that of random_bernoulli")
        for one, two in itertools.combinations(samples, 2):
            x, y = (floats("uniform_f32", samples[seed]["uniform_f32"]).reshape(-1) for seed in (one, two))
            if abs(np.corrcoef(x, y)[0, 1]) * math.sqrt(len(x)) > 5:
                bad.append(f"seeds {one} and {two} are correlated")
    for text in bad:
        print(text)
    print(f"{len(OPS)} operations and types, {len(bad)} failures")
    sys.exit(1 if bad else 0)


main()
