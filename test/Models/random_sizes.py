#!/usr/bin/env python3
"""Compares arithmetic on sizes: compiled, as the reference evaluator has it, and with Python's exact integers.

usage: random_sizes.py --bin DIR [--count 100] [--seed 1] [--only N [--print]] [--jobs 2]

DIR has tripy-compile and tripy-run. Each program computes one number from the sizes of its input, and an input that is a size, by a random expression
over all operations that sizes may use (docs/sizes.md), with constants up to the ends of 64 bits and random profiles, and
returns it as a tensor. For random sizes all three give the same number, or all three report an error; a program may be
refused when it is compiled where no size has a result. Sizes that the compiler warns of have none, and all that
--strict-shapes accepts have one.
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

LOWEST, HIGHEST = -2**63, 2**63 - 1


class NoResult(Exception):
    """The exact result does not fit 64 bits, or there is none."""


#===-- what the operations mean (docs/sizes.md) -------------------------------===#

def fits(value):
    if not LOWEST <= value <= HIGHEST:
        raise NoResult
    return value


def division(rounded):
    def divide(a, b):
        if b == 0:
            raise NoResult
        return fits(rounded(a, b))
    return divide


def to_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def unsigned(operation):
    def apply(a, b):
        if a < 0 or b < 0:
            raise NoResult
        return operation(a, b)
    return apply


quotient = division(to_zero)
remainder = division(lambda a, b: a - b * to_zero(a, b))
ceiling = division(lambda a, b: -(-a // b))
NUMBERS = {
    "addi": lambda a, b: fits(a + b),
    "subi": lambda a, b: fits(a - b),
    "muli": lambda a, b: fits(a * b),
    "divsi": quotient,
    "floordivsi": division(lambda a, b: a // b),
    "ceildivsi": ceiling,
    "remsi": remainder,
    "minsi": min,
    "maxsi": max,
    "divui": unsigned(quotient),
    "ceildivui": unsigned(ceiling),
    "remui": unsigned(remainder),
    "minui": unsigned(min),
    "maxui": unsigned(max),
}
BITS = {"andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b}
COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
for sign, wrap in (("s", lambda f: f), ("u", unsigned)):
    COMPARISONS[sign + "lt"] = wrap(lambda a, b: a < b)
    COMPARISONS[sign + "le"] = wrap(lambda a, b: a <= b)
    COMPARISONS[sign + "gt"] = wrap(lambda a, b: a > b)
    COMPARISONS[sign + "ge"] = wrap(lambda a, b: a >= b)


#===-- programs ---------------------------------------------------------------===#

class Program:
    """Steps are (result's type, text of the operation, function of the operands' values, operands)."""

    def __init__(self, seed, index):
        self.random = random.Random(f"{seed}:{index}")
        draw = self.random
        self.profile = []
        for _ in range(2):
            low = draw.choice([0, 0, 1, 2, 5])
            self.profile.append((low, low + draw.choice([0, 1, 3, 5, 7])))
        self.steps = []
        self.indices, self.truths = [], []
        for dim in range(2):
            self.add("index", f"flatir.dim %x, {dim} : tensor<?x?xi1>", lambda sizes, dim=dim: sizes[dim], None)
        low = draw.choice([0, 0, 1, 7, 2**31])
        self.profile.append((low, min(low + draw.choice([0, 1, 6, 2**32, 2**40]), 2**40 - 1)))
        self.add("index", "arith.minsi %n, %n : index", lambda sizes: sizes[2], None)
        # Programs that stay near small numbers have results; the others have errors.
        self.extreme = draw.random() < 0.4
        for _ in range(draw.randint(1, 12)):
            self.step()

    def add(self, kind, text, function, operands):
        number = len(self.steps)
        self.steps.append((kind, text, function, operands))
        (self.indices if kind == "index" else self.truths).append(number)
        return number

    def constant(self):
        draw = self.random
        value = draw.randint(-4, 9)
        if self.extreme and draw.random() < 0.5:
            near = draw.randint(-2, 2)
            value = draw.choice([LOWEST + abs(near), HIGHEST - abs(near), 2**62 + near, -2**62 + near, 2**31 + near,
                                 2**40 + near, -2**32 + near])
        return self.add("index", f"arith.constant {value} : index", lambda: value, [])

    def index(self):
        if self.random.random() < 0.3:
            return self.constant()
        # Later ones more often: chains.
        return self.indices[max(self.random.randrange(len(self.indices)), self.random.randrange(len(self.indices)))]

    def truth(self):
        if not self.truths or self.random.random() < 0.4:
            return self.compare()
        return self.random.choice(self.truths)

    def compare(self):
        name = self.random.choice(list(COMPARISONS))
        a, b = self.index(), self.index()
        return self.add("i1", f"arith.cmpi {name}, %{a}, %{b} : index",
                        lambda x, y: int(COMPARISONS[name](x, y)), [a, b])

    def step(self):
        draw = self.random
        form = draw.random()
        if form < 0.6:
            name = draw.choice(list(NUMBERS))
            a, b = self.index(), self.index()
            self.add("index", f"arith.{name} %{a}, %{b} : index", NUMBERS[name], [a, b])
        elif form < 0.7:
            name = draw.choice(list(BITS))
            a, b = self.index(), self.index()
            self.add("index", f"arith.{name} %{a}, %{b} : index", BITS[name], [a, b])
        elif form < 0.8:
            name = draw.choice(list(BITS))
            a, b = self.truth(), self.truth()
            self.add("i1", f"arith.{name} %{a}, %{b} : i1", BITS[name], [a, b])
        elif form < 0.9:
            c, a, b = self.truth(), self.index(), self.index()
            self.add("index", f"arith.select %{c}, %{a}, %{b} : index", lambda t, x, y: x if t else y, [c, a, b])
        elif form < 0.95:
            c, a, b = self.truth(), self.truth(), self.truth()
            self.add("i1", f"arith.select %{c}, %{a}, %{b} : i1", lambda t, x, y: x if t else y, [c, a, b])
        else:
            a = self.truth()
            self.add("index", f"arith.index_castui %{a} : i1 to index", lambda t: t, [a])

    def text(self):
        def profile(part):
            mins, maxs = zip(*part)
            return f"tripy.profile = #tripy.profile<min = {list(mins)}, opt = {list(maxs)}, max = {list(maxs)}>"
        lines = [f'func.func @main(%x: tensor<?x?xi1> {{tripy.name = "x", {profile(self.profile[:2])}}},'
                 f' %n: index {{tripy.name = "n", {profile(self.profile[2:])}}}) -> tensor<i64> {{']
        lines += [f"  %{number} = {text}" for number, (_, text, _, _) in enumerate(self.steps)]
        lines += [f"  %r = flatir.from_index %{self.indices[-1]} : tensor<i64>", "  return %r : tensor<i64>", "}"]
        # Names that are numbers follow each other; others may stand between them.
        return re.sub(r"%(\d+)", r"%v\1", "\n".join(lines)) + "\n"

    def evaluate(self, sizes):
        """All steps, used or not; None for an error."""
        values = []
        try:
            for _, _, function, operands in self.steps:
                values.append(function(sizes) if operands is None else function(*(values[i] for i in operands)))
        except NoResult:
            return None
        return values[self.indices[-1]]


#===-- one case ---------------------------------------------------------------===#

def run(command):
    """Exit code, the number printed, and what was said."""
    done = subprocess.run(command, text=True, capture_output=True, timeout=120)
    number = re.search(r"tensor\((-?\d+)", done.stdout)
    return done.returncode, int(number.group(1)) if number else None, done.stderr


def check_warnings(program, compiler, runner, source, target, said):
    """Sizes that the compiler warns of have no result. Returns what is wrong, and whether it warns of none."""
    warnings = re.findall(r"the smallest (?:is|are) (.*), where ", said)
    for warning in warnings:
        shape = [low for low, _ in program.profile]
        for size, dim in re.findall(r"(\d+) for dimension (\d+) of 'x'", warning):
            shape[int(dim)] = int(size)
        for size in re.findall(r"(\d+) for 'n'", warning):
            shape[2] = int(size)
        code, value, _ = run([runner, target, "--input", f"x=zeros:{shape[0]}x{shape[1]}", "--input", f"n={shape[2]}"])
        if code == 0 or program.evaluate(tuple(shape)) is not None:
            return f"{shape}: the compiler warns of it, but the program says {value}", False
    code, _, said = run([compiler, source, "-o", "/dev/null", "--target=cpu", "--strict-shapes"])
    if (code == 1) != bool(warnings) and "it was not found out" not in said:
        return f"--strict-shapes exits with {code} after {len(warnings)} warnings: {said[:500]}", False
    return None, code == 0


def check(options, index):
    """What is wrong, or None, and how many results and errors there were."""
    program = Program(options.seed, index)
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "p.mlir"), os.path.join(folder, "p.tpx")
        with open(source, "w") as out:
            out.write(program.text())
        if options.print:
            print(program.text())
        compiler, runner = os.path.join(options.bin, "tripy-compile"), os.path.join(options.bin, "tripy-run")
        refused, _, said = run([compiler, source, "-o", target, "--target=cpu"])
        if refused not in (0, 1):
            return f"tripy-compile exits with {refused}: {said[:500]}", counts
        strict = False
        if refused == 0:
            problem, strict = check_warnings(program, compiler, runner, source, target, said)
            if problem:
                return problem, counts
        shapes = {tuple(program.random.randint(*bounds) for bounds in program.profile) for _ in range(options.shapes)}
        for shape in sorted(shapes):
            expected = program.evaluate(shape)
            if strict and expected is None:
                return f"{shape}: has no result, but --strict-shapes accepts the program", counts
            counts[expected is None] += 1
            given = ["--input", f"x=zeros:{shape[0]}x{shape[1]}", "--input", f"n={shape[2]}"]
            results = {"the evaluator": run([compiler, source, "--evaluate", *given])}
            results["the program"] = (refused, None, said) if refused else run([runner, target, *given])
            for who, (code, value, text) in results.items():
                if code not in (0, 1, 2):
                    return f"{shape}: {who} exits with {code}: {text[:500]}", counts
                if value != expected or (code != 0) != (expected is None):
                    return f"{shape}: {who} says {value}, exactly it is {expected}; {text[:500]}", counts
                if expected is None and "p.mlir" not in text:
                    return f"{shape}: {who} names no line of the program: {text[:500]}", counts
    return None, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    numbers = range(options.count) if options.only is None else [options.only]
    failures, results, errors = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (problem, counts) in zip(numbers, pool.map(lambda i: check(options, i), numbers)):
            results, errors = results + counts[0], errors + counts[1]
            if problem:
                failures += 1
                print(f"--seed {options.seed} --only {number}: {problem}", flush=True)
    print(f"{len(numbers)} programs, {results} results, {errors} errors, {failures} failures")
    # A generator that makes errors alone, or none, tests half.
    lopsided = len(numbers) >= 50 and min(results, errors) < len(numbers) // 5
    if lopsided:
        print("too few results or errors")
    sys.exit(1 if failures or lopsided else 0)


if __name__ == "__main__":
    main()
