#!/usr/bin/env python3
"""Random programs of linalg on tensors, compiled and run, against NumPy.

A program is a chain: linalg.generic with random bodies, maps that permute,
repeat, stride and window, reductions from random starts, contractions, and
operations of tensor. Integers must agree to the last bit, which shows
wrapping, division by zero, shifts and unsigned operations; floats nearly. The
seed makes a run repeatable.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NUMPY = {"f32": np.float32, "f16": np.float16, "i32": np.int32,
         "i64": np.int64, "i1": np.bool_}
BITS = {"i32": 32, "i64": 64}


def unsigned(x):
    return x.view(np.uint32 if x.dtype == np.int32 else np.uint64)


def divide(x, y, rounding):
    """Python's integers: no quotient wraps on the way."""
    def one(a, b):
        a, b = int(a), int(b)
        if b == 0:
            return -1
        exact = a // b
        if rounding == "floor":
            return exact
        if rounding == "ceil":
            return -((-a) // b)
        return exact if exact >= 0 or a % b == 0 else exact + 1
    limit = 1 << (x.dtype.itemsize * 8)

    def wrap(v):
        v %= limit
        return v - limit if v >= limit // 2 else v
    flat = [wrap(one(a, b)) for a, b in zip(x.ravel(), y.ravel())]
    return np.array(flat, x.dtype).reshape(x.shape)


def remainder(x, y):
    return (x - divide(x, y, "zero") * y).astype(x.dtype)


def by_bits(fn):
    return lambda x, y: fn(unsigned(x), unsigned(y)).view(x.dtype)


# Operations of a body: name, meaning. Those on truth values come from
# comparisons.
FLOAT_BINARY = [
    ("arith.addf", np.add), ("arith.subf", np.subtract),
    ("arith.mulf", np.multiply), ("arith.maximumf", np.maximum),
    ("arith.minimumf", np.minimum), ("arith.maxnumf", np.fmax),
    ("arith.minnumf", np.fmin)]
FLOAT_UNARY = [
    ("arith.negf", np.negative), ("math.absf", np.abs),
    ("math.tanh", np.tanh), ("math.sin", np.sin), ("math.floor", np.floor),
    ("math.ceil", np.ceil), ("math.trunc", np.trunc),
    ("math.round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
    ("math.roundeven", np.round)]
INT_BINARY = [
    ("arith.addi", np.add), ("arith.subi", np.subtract),
    ("arith.muli", np.multiply), ("arith.maxsi", np.maximum),
    ("arith.minsi", np.minimum), ("arith.maxui", by_bits(np.maximum)),
    ("arith.minui", by_bits(np.minimum)), ("arith.andi", np.bitwise_and),
    ("arith.ori", np.bitwise_or), ("arith.xori", np.bitwise_xor),
    ("arith.divsi", lambda x, y: divide(x, y, "zero")),
    ("arith.floordivsi", lambda x, y: divide(x, y, "floor")),
    ("arith.ceildivsi", lambda x, y: divide(x, y, "ceil")),
    ("arith.remsi", remainder),
    ("arith.divui", by_bits(lambda x, y: np.where(
        y == 0, ~y, x // np.maximum(y, 1)))),
    ("arith.remui", by_bits(lambda x, y: np.where(
        y == 0, x, x % np.maximum(y, 1))))]
INT_UNARY = [("math.absi", np.abs)]
COMPARE_INT = [
    ("eq", np.equal), ("ne", np.not_equal), ("slt", np.less),
    ("sle", np.less_equal), ("sgt", np.greater), ("sge", np.greater_equal),
    ("ult", lambda x, y: unsigned(x) < unsigned(y)),
    ("uge", lambda x, y: unsigned(x) >= unsigned(y))]
COMPARE_FLOAT = [
    ("oeq", np.equal), ("une", np.not_equal), ("olt", np.less),
    ("oge", np.greater_equal), ("ult", lambda x, y: ~(x >= y)),
    ("ugt", lambda x, y: ~(x <= y)), ("one", np.not_equal),
    ("ord", lambda x, y: ~(np.isnan(x) | np.isnan(y)))]
REDUCE_FLOAT = [("arith.addf", np.add), ("arith.maximumf", np.maximum),
                ("arith.minimumf", np.minimum), ("arith.maxnumf", np.fmax)]
REDUCE_INT = [("arith.addi", np.add), ("arith.muli", np.multiply),
              ("arith.maxsi", np.maximum), ("arith.minsi", np.minimum),
              ("arith.maxui", by_bits(np.maximum)),
              ("arith.minui", by_bits(np.minimum))]


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def affine(loops, exprs):
    names = [f"d{i}" for i in range(loops)]
    return f"affine_map<({', '.join(names)}) -> ({', '.join(exprs)})>"


class Program:
    """Text, and the meaning as it grows."""

    def __init__(self, random, element):
        self.random = random
        self.element = element
        self.lines = []
        self.arguments = []
        self.inputs = []
        self.count = 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def is_float(self):
        return self.element.startswith("f")

    def draw(self, shape):
        if self.is_float():
            value = self.random.uniform(-3, 3, shape).astype(np.float32)
            if self.random.random() < 0.3:
                value[self.random.random(shape) < 0.1] = np.nan
            return value.astype(NUMPY[self.element])
        bits = BITS[self.element]
        value = self.random.integers(-9, 10, shape)
        wild = self.random.random(shape) < 0.2
        edges = np.array([-(1 << bits - 1), (1 << bits - 1) - 1, -1, 0, 1])
        value = np.where(wild, self.random.choice(edges, shape), value)
        return value.astype(NUMPY[self.element])

    def argument(self, shape):
        value = self.draw(tuple(shape))
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {tensor(shape, self.element)}")
        self.inputs.append(value)
        return name, value

    def scalar(self):
        value = self.draw(())
        while not np.isfinite(value):
            value = self.draw(())
        text = f"{float(value):.9e}" if self.is_float() else str(int(value))
        return (self.emit(f"arith.constant {text} : {self.element}"),
                np.array(value))

    def start(self, shape):
        """What a result is written into: empty, filled, or a tensor."""
        kind = self.random.integers(3)
        type_ = tensor(shape, self.element)
        if kind == 2:
            return self.argument(shape)
        empty = self.emit(f"tensor.empty() : {type_}")
        if kind == 0:
            return empty, None
        number, value = self.scalar()
        return (self.emit(f"linalg.fill ins({number} : {self.element}) "
                          f"outs({empty} : {type_}) -> {type_}"),
                np.full(shape, value))

    def operand(self, loops):
        """A tensor, its map, and its elements over the loops."""
        rank = len(loops)
        dims = list(self.random.permutation(rank)[:self.random.integers(
            0, rank + 1)])
        dims = [int(d) for d in dims]
        shape, exprs, steps = [], [], []
        for d in dims:
            stride, offset = (int(self.random.integers(1, 3)),
                              int(self.random.integers(0, 3)))
            if self.random.random() < 0.6:
                stride, offset = 1, 0
            extra = int(self.random.integers(0, 2)) if offset else 0
            shape.append((loops[d] - 1) * stride + offset + 1 + extra)
            exprs.append(f"d{d}" if (stride, offset) == (1, 0) else
                         f"d{d} * {stride} + {offset}")
            steps.append((d, stride, offset))
        if rank >= 2 and self.random.random() < 0.2:
            # A window: one dimension that two loops read.
            p, q = (int(d) for d in self.random.permutation(rank)[:2])
            exprs.append(f"d{p} * 2 + d{q}")
            shape.append((loops[p] - 1) * 2 + loops[q])
            steps.append((p, 2, q))
            window = True
        else:
            window = False
        name, value = self.argument(shape)
        grid = np.indices(loops)
        at = []
        for i, (d, stride, offset) in enumerate(steps):
            if window and i + 1 == len(steps):
                at.append(grid[d] * 2 + grid[offset])
            else:
                at.append(grid[d] * stride + offset)
        return name, shape, exprs, value[tuple(at)] if at else np.broadcast_to(
            value, loops)

    def body(self, values, loops):
        """Random steps on (name, elements); returns the last."""
        lines = []
        pool = list(values)

        def step(text, value):
            self.count += 1
            name = f"%s{self.count}"
            lines.append(f"    {name} = {text}")
            pool.append((name, value))

        def pick():
            return pool[self.random.integers(len(pool))]
        e = self.element
        for _ in range(int(self.random.integers(1, 5))):
            (x, a), (y, b) = pick(), pick()
            kind = self.random.random()
            if kind < 0.15:
                table = COMPARE_FLOAT if self.is_float() else COMPARE_INT
                predicate, meaning = table[self.random.integers(len(table))]
                op = "cmpf" if self.is_float() else "cmpi"
                truth = meaning(a, b)
                if predicate == "one":
                    truth &= ~(np.isnan(a) | np.isnan(b))
                self.count += 1
                c = f"%s{self.count}"
                lines.append(f"    {c} = arith.{op} {predicate}, {x}, {y} : {e}")
                step(f"arith.select {c}, {x}, {y} : {e}",
                     np.where(truth, a, b))
            elif kind < 0.3:
                table = FLOAT_UNARY if self.is_float() else INT_UNARY
                name, meaning = table[self.random.integers(len(table))]
                step(f"{name} {x} : {e}", meaning(a))
            elif kind < 0.36 and not self.is_float():
                self.count += 1
                d = int(self.random.integers(len(loops)))
                i, j = f"%i{self.count}", f"%j{self.count}"
                lines.append(f"    {i} = linalg.index {d} : index")
                lines.append(f"    {j} = arith.index_cast {i} : index to {e}")
                pool.append((j, np.indices(loops)[d].astype(NUMPY[e])))
            else:
                table = FLOAT_BINARY if self.is_float() else INT_BINARY
                name, meaning = table[self.random.integers(len(table))]
                step(f"{name} {x}, {y} : {e}", meaning(a, b))
        return lines, *pool[-1]

    def generic(self, chained=None):
        """One linalg.generic; its first operand may be what `chained` is."""
        if chained and chained[1].ndim:
            loops = chained[1].shape
        else:
            loops = tuple(int(n) for n in self.random.integers(
                1, 5, self.random.integers(1, 4)))
        rank = len(loops)
        operands = []
        if chained and chained[1].ndim:
            operands.append((chained[0], list(loops),
                             [f"d{i}" for i in range(rank)], chained[1]))
        while len(operands) < 2:
            operands.append(self.operand(loops))
        # Each loop is a dimension of an operand.
        operands.append((*self.argument(loops)[:1], list(loops),
                         [f"d{i}" for i in range(rank)], self.inputs[-1]))
        reduced = [d for d in range(rank) if self.random.random() < 0.3]
        kept = [int(d) for d in self.random.permutation(
            [d for d in range(rank) if d not in reduced])]
        shape = [loops[d] for d in kept]
        arguments = [(f"%x{self.count}_{i}", op[3])
                     for i, op in enumerate(operands)]
        init, start = self.start(shape)
        filled = not init.startswith("%a")
        if reduced and start is None:
            number, value = self.scalar()
            type_ = tensor(shape, self.element)
            init = self.emit(f"linalg.fill ins({number} : {self.element}) "
                             f"outs({init} : {type_}) -> {type_}")
            start = np.full(shape, value)
        lines, name, value = self.body(arguments, loops)
        value = np.broadcast_to(value, loops)
        out = f"%o{self.count}"
        if reduced:
            table = REDUCE_FLOAT if self.is_float() else REDUCE_INT
            fn, meaning = table[self.random.integers(len(table))]
            # It starts from a number that is known not to be NaN.
            if fn == "arith.maxnumf" and not filled:
                fn, meaning = table[1]
            lines.append(f"    {out}r = {fn} {out}, {name} : {self.element}")
            name = f"{out}r"
            order = [*kept, *reduced]
            flat = value.transpose(order).reshape(*shape, -1)
            total = np.array(start)
            for i in range(flat.shape[-1]):
                total = meaning(total, flat[..., i]).astype(flat.dtype)
            value = total
        else:
            value = value.transpose(kept)
        maps = [affine(rank, op[2]) for op in operands]
        maps.append(affine(rank, [f"d{d}" for d in kept]))
        types = ", ".join(tensor(op[1], self.element) for op in operands)
        heads = ", ".join(f"{n}: {self.element}" for n, _ in arguments)
        kinds = ", ".join('"reduction"' if d in reduced else '"parallel"'
                          for d in range(rank))
        result = self.emit(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{kinds}]}} ins("
            f"{', '.join(op[0] for op in operands)} : {types}) "
            f"outs({init} : {tensor(shape, self.element)}) {{\n"
            f"  ^bb0({heads}, {out}: {self.element}):\n" + "\n".join(lines) +
            f"\n    linalg.yield {name} : {self.element}\n  }} -> "
            f"{tensor(shape, self.element)}")
        return result, np.array(value)

    def move(self, chained):
        """An operation of tensor."""
        name, value = chained
        if value.ndim == 0:
            return chained
        e, shape = self.element, list(value.shape)
        kind = self.random.integers(4)
        if kind == 0:
            low = [int(n) for n in self.random.integers(0, 3, value.ndim)]
            high = [int(n) for n in self.random.integers(0, 3, value.ndim)]
            number, fill = self.scalar()
            to = np.pad(value, list(zip(low, high)), constant_values=fill)
            at = ", ".join(f"%p{self.count}_{i}: index"
                           for i in range(value.ndim))
            return self.emit(
                f"tensor.pad {name} low{low} high{high} {{\n  ^bb0({at}):\n"
                f"    tensor.yield {number} : {e}\n  }} : {tensor(shape, e)} to "
                f"{tensor(to.shape, e)}"), to
        if kind == 1:
            offsets = [int(self.random.integers(0, n)) for n in shape]
            sizes = [int(self.random.integers(1, n - o + 1))
                     for n, o in zip(shape, offsets)]
            box = tuple(slice(o, o + n) for o, n in zip(offsets, sizes))
            return self.emit(
                f"tensor.extract_slice {name}{offsets} {sizes} "
                f"{[1] * value.ndim} : {tensor(shape, e)} to "
                f"{tensor(sizes, e)}"), value[box]
        if kind == 2:
            dim = int(self.random.integers(value.ndim))
            to = np.concatenate([value, value], dim)
            return self.emit(
                f"tensor.concat dim({dim}) {name}, {name} : "
                f"({tensor(shape, e)}, {tensor(shape, e)}) -> "
                f"{tensor(to.shape, e)}"), to
        offsets = [int(self.random.integers(0, n)) for n in shape]
        sizes = [int(self.random.integers(1, n - o + 1))
                 for n, o in zip(shape, offsets)]
        part, elements = self.argument(sizes)
        to = value.copy()
        to[tuple(slice(o, o + n) for o, n in zip(offsets, sizes))] = elements
        return self.emit(
            f"tensor.insert_slice {part} into {name}{offsets} {sizes} "
            f"{[1] * value.ndim} : {tensor(sizes, e)} into "
            f"{tensor(shape, e)}"), to

    def build(self):
        value = self.generic()
        for _ in range(int(self.random.integers(0, 4))):
            if self.random.random() < 0.4:
                value = self.move(value)
            elif value[1].size <= 512:
                value = self.generic(value)
        name, elements = value
        type_ = tensor(elements.shape, self.element)
        text = (f"func.func @main({', '.join(self.arguments)}) -> {type_} {{\n"
                + "\n".join(self.lines) + f"\n  return {name} : {type_}\n}}\n")
        return text, elements


def run(args, folder, text, inputs, target):
    (folder / "p.mlir").write_text(text)
    subprocess.run([args.bin / "tripy-compile", folder / "p.mlir",
                    f"--target={target}", "-o", folder / "p.tpx"], check=True)
    command = [args.bin / "tripy-run", folder / "p.tpx", "--output",
               f"@{folder}/r.npy"]
    environment = dict(os.environ)
    if target == "cuda":
        command.append("--device=cuda:0")
        environment["LD_LIBRARY_PATH"] = str(args.emulator)
    for i, value in enumerate(inputs):
        np.save(folder / f"{i}.npy", value)
        command += ["--input", ("" if len(inputs) == 1 else f"a{i}=") +
                    f"@{folder}/{i}.npy"]
    subprocess.run(command, check=True, env=environment,
                   stdout=subprocess.DEVNULL)
    return np.load(folder / "r.npy")


def agrees(found, expected, element):
    if found.shape != expected.shape:
        return False
    if not element.startswith("f"):
        return np.array_equal(found, expected)
    size = np.nanmax(np.abs(np.where(np.isfinite(expected), expected, 0)),
                     initial=1)
    return np.allclose(found, expected, rtol=1e-4, atol=2e-5 * size,
                       equal_nan=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", type=pathlib.Path, required=True,
                        help="folder of the emulator's libcuda")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default="cpu,cuda")
    args = parser.parse_args()
    np.seterr(all="ignore")
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(args.seed, args.seed + args.count):
            random = np.random.default_rng(number)
            element = str(random.choice(["f32", "i32", "i64"]))
            program = Program(random, element)
            text, expected = program.build()
            for target in args.targets.split(","):
                try:
                    found = run(args, pathlib.Path(name), text, program.inputs,
                                target)
                except subprocess.CalledProcessError as error:
                    bad += 1
                    print(f"seed {number}: {error}\n{text}")
                    break
                if not agrees(found, expected, element):
                    bad += 1
                    print(f"seed {number} on {target}: found\n{found}\n"
                          f"expected\n{expected}\n{text}")
                    break
    print(f"{args.count} programs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
