#!/usr/bin/env python3
"""Attention as users write it, in random spellings, against float64 NumPy.

usage: random_attention.py --bin DIR [--target cpu|cuda:sm_90a] [--device cpu|cuda:0] [--seed 1] [--count 30] [--long] [--write FOLDER]

Draws the order of dimensions of queries, keys and values, whether they are parts of one tensor, where they are scaled,
heads that share keys and how these are repeated, masks (causal, windows, of truth values, added; with minus infinity or a finite
number), how softmax is written, element types, and dynamic sizes. Each program must have one kernel.attention, but those
whose probabilities have another use, and the same numbers as NumPy, NaN where a query sees no key.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

from run_models import to_bits, write_safetensors

TOLERANCE = {"f32": 2e-5, "f16": 6e-3, "bf16": 5e-2}


class Program:
    """Lines of trace, with the numbers of each value."""

    def __init__(self, draw, dtype):
        self.draw, self.dtype = draw, dtype
        self.arguments, self.lines, self.inputs = [], [], []
        self.rng = np.random.default_rng(draw.randrange(1 << 30))
        self.dynamic = set()

    def type(self, dims, dtype):
        return f"tensor<{''.join(('?' if d in self.dynamic else str(SIZES[d]) if isinstance(d, str) else str(d)) + 'x' for d in dims)}{dtype}>"

    def input(self, dims, dtype=None, value=None):
        dtype = dtype or self.dtype
        shape = [SIZES[d] if isinstance(d, str) else d for d in dims]
        if value is None:
            value = self.rng.standard_normal(shape)
        if dtype == "i1":
            stored = value = value.astype(bool)
        elif dtype == "bf16":
            stored = value
            value = to_bits(value, dtype)[1]
        else:
            value = to_bits(value, dtype)[1]
            stored = value.astype({"f32": np.float32, "f16": np.float16}[dtype])
        name = f"%a{len(self.arguments)}"
        names = ", ".join(f'"{d}"' if d in self.dynamic else '""' for d in dims)
        extra = ""
        if any(d in self.dynamic for d in dims):
            low = [1 if d in self.dynamic else s for d, s in zip(dims, shape)]
            high = [3 * s if d in self.dynamic else s for d, s in zip(dims, shape)]
            extra = (f", tripy.dims = [{names}], tripy.profile = #tripy.profile<min = {low}, opt = {shape}, max = {high}>")
        self.arguments.append(f'{name}: {self.type(dims, dtype)} {{tripy.name = "{name[1:]}"{extra}}}')
        self.inputs.append((name[1:], dtype, stored))
        return name, tuple(dims), dtype, value

    def op(self, text, operands, dims, value, dtype=None):
        name = f"%{len(self.lines)}"
        dtype = dtype or operands[0][2]
        types = ", ".join(self.type(o[1], o[2]) for o in operands)
        text = text.format(*(o[0] for o in operands))
        arrow = f" : ({types}) ->" if operands else " ->"
        self.lines.append(f"  {name} = trace.{text}{arrow} {self.type(dims, dtype)}")
        return name, tuple(dims), dtype, value

    def number(self, value, dtype):
        text = {np.inf: {"f32": "0x7F800000", "f16": "0x7C00", "bf16": "0x7F80"}[dtype],
                -np.inf: {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[dtype]}.get(value, f"{value:.9e}")
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = trace.constant dense<{text}> : tensor<{dtype}>")
        return name, (), dtype, to_bits(np.array([value]), dtype)[1][0] if np.isfinite(value) else np.array(value)

    def size(self, dim):
        """An index value, or a number in the text."""
        if dim not in self.dynamic:
            return str(SIZES[dim]) if isinstance(dim, str) else str(dim)
        for name, dims, dtype, _ in self.tensors:
            if dim in dims:
                line = f"%{len(self.lines)}"
                self.lines.append(f"  {line} = trace.dim {name} dim = {dims.index(dim)} : ({self.type(dims, dtype)}) -> index")
                return line
        raise KeyError(dim)

    def permute(self, x, dims):
        order = [x[1].index(d) for d in dims]
        if order == list(range(len(order))):
            return x
        if sorted(order)[:-2] == order[:-2] and order[-2:] == [len(order) - 1, len(order) - 2] and self.draw.random() < 0.5:
            return self.op(f"transpose {{0}} dims = {len(order) - 2}, {len(order) - 1}", [x], dims, x[3].transpose(order))
        return self.op(f"permute {{0}} {order}", [x], dims, x[3].transpose(order))

    def reshape(self, x, dims):
        sizes = ", ".join(self.size(d) for d in dims)
        shape = [SIZES[d] if isinstance(d, str) else d for d in dims]
        return self.op(f"reshape {{0}} to [{sizes}]", [x], dims, x[3].reshape(shape))

    def binary(self, op, x, y, dtype=None):
        functions = {"mul": np.multiply, "div": np.divide, "add": np.add, "sub": np.subtract}
        with np.errstate(all="ignore"):
            value = functions[op](x[3], y[3])
        dims = [b if a == 1 else a for a, b in zip((1,) * (len(y[1]) - len(x[1])) + x[1], (1,) * (len(x[1]) - len(y[1])) + y[1])]
        return self.op(op + " {0}, {1}", [x, y], dims, value)

    def cast(self, x, dtype):
        return x if x[2] == dtype else self.op(f"cast {{0}} to {dtype}", [x], x[1], x[3], dtype)


def operand(p, dims, joint):
    """A tensor of these dimensions, written in another order."""
    if joint is not None:
        return p.permute(joint, dims)
    order = list(dims)
    if p.draw.random() < 0.7:
        p.draw.shuffle(order)
    x = p.input(order)
    p.tensors.append(x)
    return p.permute(x, dims)


def repeated(p, x):
    """(b, k, n, d) -> (b, h, n, d), each head g times in a row."""
    five = p.reshape(x, ("b", "k", 1, *x[1][2:]))
    sizes = ", ".join(p.size(d) for d in ("b", "k", "g", *x[1][2:]))
    wide = p.op(f"expand {{0}} to [{sizes}]", [five], ("b", "k", "g", *x[1][2:]), np.repeat(five[3], SIZES["g"], axis=2))
    return p.reshape(wide, ("b", "h", *x[1][2:]))


def softmax(p, x):
    with np.errstate(all="ignore"):
        powers = np.exp(x[3] - x[3].max(-1, keepdims=True))
        value = powers / powers.sum(-1, keepdims=True)
        if p.draw.random() < 0.5:
            return p.op("softmax {0} dim = -1", [x], x[1], value)
        row = (*x[1][:-1], 1)
        highest = p.op("max {0} dims = [-1] keepdim", [x], row, x[3].max(-1, keepdims=True))
        centered = p.op("sub {0}, {1}", [x, highest], x[1], x[3] - highest[3])
        e = p.op("exp {0}", [centered], x[1], powers)
        total = p.op("sum {0} dims = [-1] keepdim", [e], row, powers.sum(-1, keepdims=True))
        if p.draw.random() < 0.3:
            inverse = p.binary("div", p.number(1.0, x[2]), total)
            return p.op("mul {0}, {1}", [e, inverse], x[1], value)
        return p.op("div {0}, {1}", [e, total], x[1], value)


def causal(p, offset):
    """A tensor (m, n) of truth values: which keys are not behind each query."""
    m, n = p.size("m"), p.size("n")
    row = p.op(f"iota [{m}, 1] dim = 0 dtype = i32", [], ("m", 1), np.arange(SIZES["m"])[:, None], "i32")
    column = p.op(f"iota [1, {n}] dim = 1 dtype = i32", [], (1, "n"), np.arange(SIZES["n"])[None], "i32")
    if offset:
        constant = f"%{len(p.lines)}"
        p.lines.append(f"  {constant} = trace.constant dense<{offset}> : tensor<i32>")
        row = p.op("add {0}, {1}", [row, (constant, (), "i32", np.array(offset))], row[1], row[3] + offset)
    return p.draw.choice([
        lambda: (p.op("le {0}, {1}", [column, row], ("m", "n"), column[3] <= row[3], "i1"), True),
        lambda: (p.op("ge {0}, {1}", [row, column], ("m", "n"), column[3] <= row[3], "i1"), True),
        lambda: (p.op("gt {0}, {1}", [column, row], ("m", "n"), column[3] > row[3], "i1"), False)])()


def constant(p, dims, dtype, value, texts):
    """A constant of two dimensions, as a model that was exported has it."""
    text = ", ".join("[" + ", ".join(line) + "]" for line in texts)
    p.lines.append(f"  %{len(p.lines)} = trace.constant dense<[{text}]> : {p.type(dims, dtype)}")
    return f"%{len(p.lines) - 1}", dims, dtype, value


def band(d, offset):
    """Truth values (m, n): keys near each query."""
    left, right = d.choice([None, 0, d.randrange(SIZES["n"])]), d.choice([None, 0, 0, d.randrange(SIZES["n"])])
    row, column = np.arange(SIZES["m"])[:, None] + offset, np.arange(SIZES["n"])[None]
    seen = np.ones((SIZES["m"], SIZES["n"]), bool)
    seen &= (column >= row - left) if left is not None else seen
    seen &= (column <= row + right) if right is not None else seen
    return seen


def window(p, offset):
    """A tensor (m, n) of truth values: keys that are near each query, and whether it is true for these."""
    d = p.draw
    m, n = p.size("m"), p.size("n")
    if d.random() < 0.2 and not {"m", "n"} & p.dynamic:
        seen = band(d, offset)
        return constant(p, ("m", "n"), "i1", seen, np.where(seen, "true", "false")), True
    row = p.op(f"iota [{m}, 1] dim = 0 dtype = i32", [], ("m", 1), np.arange(SIZES["m"])[:, None], "i32")
    column = p.op(f"iota [1, {n}] dim = 1 dtype = i32", [], (1, "n"), np.arange(SIZES["n"])[None], "i32")

    def number(value):
        name = f"%{len(p.lines)}"
        p.lines.append(f"  {name} = trace.constant dense<{value}> : tensor<i32>")
        return (name, (), "i32", np.array(value))

    def binary(op, a, b, value, dtype="i32"):
        dims = tuple(x if x != 1 else y for x, y in zip(a[1], b[1])) if len(a[1]) == len(b[1]) else a[1] or b[1]
        return p.op(f"{op} {{0}}, {{1}}", [a, b], dims, value, dtype)

    if offset:
        row = binary("add", row, number(offset), row[3] + offset)
    reach = d.choice([0, 1, d.randrange(SIZES["n"] + 2)])
    kind = d.choice(["abs", "left", "left", "both", "outside"])
    away = binary("sub", column, row, column[3] - row[3])
    if kind in ("abs", "outside"):
        away = p.op("abs {0}", [away], away[1], np.abs(away[3]), "i32")
        if kind == "outside":
            return binary("gt", away, number(reach), away[3] > reach, "i1"), False
        return binary("le", away, number(reach), away[3] <= reach, "i1"), True
    near = d.choice([
        lambda: binary("ge", away, number(-reach), away[3] >= -reach, "i1"),
        lambda: binary("gt", binary("add", column, number(reach + 1), column[3] + reach + 1), row, column[3] + reach + 1 > row[3], "i1"),
        lambda: binary("le", binary("sub", row, number(reach), row[3] - reach), column, row[3] - reach <= column[3], "i1")])()
    if kind == "left":
        return near, True
    ahead = d.choice([0, 0, d.randrange(SIZES["n"])])
    behind = binary("le", away, number(ahead), away[3] <= ahead, "i1")
    pair = d.choice([(near, behind), (behind, near)])
    return binary("logical_and", *pair, near[3] & behind[3], "i1"), True


def hide(p, s, mask, seen_where_true, fill):
    number = p.number(fill, s[2])
    seen = mask[3] if seen_where_true else ~mask[3]
    value = np.where(seen, s[3], number[3])
    chosen = [s, number] if seen_where_true else [number, s]
    return p.op("where {0}, {1}, {2}", [mask, *chosen], s[1], value, s[2])


def masked(p, s):
    d = p.draw
    kind = d.choice(["none", "none", "causal", "causal", "padding", "random", "bias", "alibi", "causal+padding", "bias+causal",
                     "window", "window", "causal+window", "band", "band", "twice", "window+padding", "bias+window"])
    low = -np.inf if d.random() < 0.6 else (-1e4 if s[2] == "f16" else -1e9)
    batched = len(s[1]) == 4
    if "bias" in kind:
        dims = d.choice([s[1], s[1][-2:], (1, *s[1][-2:])])
        s = p.binary("add", s, p.cast(p.input(dims), s[2]))
    if kind == "alibi":
        # Powers of two, as models have: their products with places are exact.
        slopes = p.cast(p.input((s[1][-3], 1, 1), value=2.0**-p.rng.integers(1, 8, (SIZES[s[1][-3]], 1, 1))), s[2])
        n = p.size("n")
        column = p.op(f"iota [{n}] dim = 0 dtype = {s[2]}", [], ("n",), np.arange(SIZES["n"]).astype(float), s[2])
        s = p.binary("add", s, p.binary("mul", slopes, column))
    if "causal" in kind:
        # With a finite number and a bias, the parts are kept.
        fill = -np.inf if "bias" in kind else low
        offset = SIZES["n"] - SIZES["m"] if d.random() < 0.3 and not p.dynamic else 0
        s = hide(p, s, *causal(p, offset), fill)
    if "window" in kind:
        offset = SIZES["n"] - SIZES["m"] if d.random() < 0.3 and not p.dynamic else 0
        s = hide(p, s, *window(p, offset), -np.inf if "bias" in kind else low)
    if kind == "twice" and SIZES["m"] == SIZES["n"] and not {"m", "n"} & p.dynamic:
        # One mask, of queries by keys and of keys by queries.
        mask = p.input(("m", "n"), "i1", p.rng.random((SIZES["m"], SIZES["n"])) < 0.8)
        turned = (*s[1][:-2], s[1][-1], s[1][-2])
        straight = s[1]
        s = p.permute(hide(p, s, mask, True, low), turned)
        s = p.permute(hide(p, s, mask, True, low), straight)
    if kind == "band" and not {"m", "n"} & p.dynamic:
        # Added: minus infinity, or the least number of f32.
        seen = band(d, d.choice([0, 0, SIZES["n"] - SIZES["m"]]))
        lowest = -np.inf if s[2] != "f32" or d.random() < 0.5 else float(np.finfo("f4").min)
        infinity = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[s[2]]
        text = infinity if np.isinf(lowest) else "-3.40282347E+38"
        s = p.binary("add", s, constant(p, ("m", "n"), s[2], np.where(seen, 0, lowest), np.where(seen, "0.0", text)))
    if "padding" in kind or kind == "random":
        dims = ("b", 1, 1, "n") if batched and "padding" in kind else ("m", "n")
        shape = [SIZES[x] if isinstance(x, str) else x for x in dims]
        s = hide(p, s, p.input(dims, "i1", p.rng.random(shape) < 0.7), True, low)
    return s


def build(p):
    d = p.draw
    form = d.choice(["4d", "4d", "4d", "3d", "grouped", "broadcast"])
    p.tensors = []
    if form in ("4d", "3d") and d.random() < 0.5 and SIZES["m"] == SIZES["n"]:
        p.dynamic -= {"m", "n"}
        # One projection, cut in three.
        whole = p.input(("b", "m", 3, "h", "d"))
        parts = []
        for i, rows in enumerate(("m", "n", "n")):
            part = p.op(f"slice {{0}} [0, 0, {i}, 0, 0] to [{SIZES['b']}, {SIZES['m']}, {i + 1}, {SIZES['h']}, {SIZES['d']}] by [1, 1, 1, 1, 1]",
                        [whole], ("b", "m", 1, "h", "d"), whole[3][:, :, i:i + 1])
            parts.append(p.reshape(part, ("b", rows, "h", "d")))
        q, k, v = (operand(p, ("b", "h", x[1][1], "d"), x) for x in parts)
    else:
        shared = "h" if form in ("4d", "3d") else "k"
        q = operand(p, ("b", "h", "m", "d"), None)
        k = operand(p, ("b", shared, "n", "d"), None)
        v = operand(p, ("b", shared, "n", "w"), None)
    width = v[1][-1]
    scale = SIZES["d"] ** -0.5
    where = d.choice(["q", "k", "mul", "div", "none", "both"])
    if where == "q":
        q = p.binary("mul", q, p.number(scale, q[2]))
    if where == "k":
        k = p.binary("mul", k, p.number(0.25, q[2]))
    if where == "both":
        q, k = (p.binary("div", x, p.number(2.0, x[2])) for x in (q, k))
    if form == "grouped":
        k, v = repeated(p, k), repeated(p, v)
    if form == "broadcast":
        q = p.reshape(q, ("b", "k", "g", "m", "d"))
        k, v = p.reshape(k, ("b", "k", 1, "n", "d")), p.reshape(v, ("b", "k", 1, "n", width))
    if form == "3d":
        q, k, v = (p.reshape(x, ("bh", *x[1][2:])) for x in (q, k, v))
    if p.dtype != "f32" and d.random() < 0.2:
        q, k = p.cast(q, "f32"), p.cast(k, "f32")
    k = p.permute(k, (*k[1][:-2], "d", "n"))
    s = p.op("matmul {0}, {1}", [q, k], (*q[1][:-1], "n"), q[3] @ k[3])
    if where in ("mul", "div"):
        s = p.binary(where, s, p.number(scale if where == "mul" else 1 / scale, s[2]))
    if p.dtype != "f32" and d.random() < 0.5:
        s = p.cast(s, "f32")
    if form == "3d" and d.random() < 0.5:
        s = p.reshape(s, ("b", "h", "m", "n"))
    if form == "broadcast" and d.random() < 0.7:
        s = p.reshape(s, ("b", "h", "m", "n"))
    s = masked(p, s) if len(s[1]) < 5 else s
    w = p.cast(softmax(p, s), p.dtype)
    if form == "3d" and len(w[1]) == 4:
        w = p.reshape(w, ("bh", "m", "n"))
    if form == "broadcast" and len(w[1]) == 4:
        w = p.reshape(w, ("b", "k", "g", "m", "n"))
    r = p.op("matmul {0}, {1}", [w, v], (*w[1][:-1], width), w[3] @ v[3])
    if form != "4d":
        r = p.reshape(r, ("b", "h", "m", width))
    if d.random() < 0.7:
        r = p.permute(r, ("b", "m", "h", width))
        if d.random() < 0.5:
            SIZES["hw"] = SIZES["h"] * SIZES[width]
            r = p.reshape(r, ("b", "m", "hw"))
    return [r, w] if d.random() < 0.1 else [r]


def draw_sizes(d, long):
    sizes = {"b": d.choice([1, 2]), "k": d.choice([1, 2]), "g": d.choice([2, 3]), "m": d.choice([1, 5, 33]),
             "d": d.choice([4, 8, 20, 40]), "w": d.choice([4, 8, 24])}
    sizes["h"] = sizes["k"] * sizes["g"]
    sizes["n"] = sizes["m"] if d.random() < 0.4 and sizes["m"] > 1 else d.choice([2, 7, 70])
    if long:
        sizes.update({"b": 1, "k": 1, "m": d.choice([1, 5, 97, 200, 385]), "d": d.choice([64, 64, 80, 128]), "w": d.choice([64, 64, 128])})
        sizes["n"] = sizes["m"] if d.random() < 0.6 and sizes["m"] > 1 else d.choice([130, 333, 512])
    sizes["h"] = sizes["k"] * sizes["g"]
    sizes["bh"] = sizes["b"] * sizes["h"]
    return sizes


def check(options, seed, folder):
    global SIZES
    d = random.Random(seed)
    SIZES = draw_sizes(d, options.long)
    p = Program(d, d.choice(["f32", "f16", "f16", "bf16"]))
    if d.random() < 0.3:
        p.dynamic = {"m", "n"} if SIZES["m"] != SIZES["n"] else set()
    results = build(p)
    at = lambda file: os.path.join(folder, file)
    types = ", ".join(f'{p.type(r[1], r[2])} {{tripy.name = "r{i}"}}' for i, r in enumerate(results))
    names = ", ".join(r[0] for r in results)
    plain = ", ".join(p.type(r[1], r[2]) for r in results)
    text = f"func.func @main({', '.join(p.arguments)}) -> ({types}) {{\n" + "\n".join(p.lines) + f"\n  return {names} : {plain}\n}}\n"
    with open(at("p.mlir"), "w") as out:
        out.write(text)
    tool = lambda name: os.path.join(options.bin, name)
    compile_ = [tool("tripy-compile"), at("p.mlir"), f"--target={options.target}", "--attention=always", "--remarks", "-o", at("p.tpx")]
    made = subprocess.run(compile_, text=True, capture_output=True)
    matched = "fused two products and a softmax into 'attention'" in made.stdout + made.stderr
    run = [tool("tripy-run"), at("p.tpx"), f"--device={options.device}", f"--rtol={TOLERANCE[p.dtype]}"]
    for name, dtype, value in p.inputs:
        if dtype == "bf16":
            write_safetensors(at(f"{name}.safetensors"), {"x": value}, dtype)
            run += ["--input", f"{name}=@{at(name + '.safetensors')}:x"]
            continue
        np.save(at(f"{name}.npy"), value)
        run += ["--input", f"{name}=@{at(name + '.npy')}"]
    magnitude = 1.0
    for i, r in enumerate(results):
        np.save(at(f"r{i}.npy"), r[3])
        run += ["--expect", f"r{i}=@{at(f'r{i}.npy')}"]
        finite = r[3][np.isfinite(r[3])]
        magnitude = min(magnitude, float(np.sqrt(np.mean(finite**2))) if finite.size else 1.0)
    run += [f"--atol={TOLERANCE[p.dtype]}"]
    environment = dict(os.environ)
    if options.emulator:
        environment["LD_LIBRARY_PATH"] = options.emulator
    done = made if made.returncode else subprocess.run(run, text=True, capture_output=True, env=environment)
    wanted = len(results) == 1
    if done.returncode or matched != wanted:
        print(f"FAILED seed {seed} ({p.dtype}, {SIZES}): {'matched' if matched else 'not matched'}\n{text}\n{made.stdout[-1500:]}{done.stderr}{done.stdout[-600:]}")
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--emulator", help="the folder of the CUDA emulator's libraries")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--long", action="store_true", help="hundreds of queries and keys, so that windows leave blocks of keys out")
    parser.add_argument("--write", help="keep the last program here")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            failed += not check(options, seed, options.write or folder)
    print(f"{options.count - failed} of {options.count} spellings of attention on {options.device}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
