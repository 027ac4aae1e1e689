"""Random programs with odd shapes, for each kind of kernel that the compiler emits.

make(emitter, index, seed, limits) returns the same Program for the same arguments. Half
of the programs have dynamic sizes and run at three shapes.
"""
from dataclasses import dataclass

import numpy as np

import attention_cases
from shape_program import (BINARY, EXACT_UNARY, F32, FLOATS, Program, UNARY, moving, normal, summation_error,
                           whole)


@dataclass
class Limits:
    # Elements of a tensor, and products of a contraction.
    elements: int = 1 << 20
    products: int = 1 << 28


class Maker:
    """A program being made: random sizes within the limits."""

    def __init__(self, rng, limits):
        self.rng, self.limits = rng, limits
        self.run_count = 3 if rng.random() < 0.5 else 1
        self.runs, self.dynamic = [{} for _ in range(self.run_count)], []

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability):
        return self.rng.random() < probability

    def number(self, value, most):
        """A size near `value`, 1 to `most`: odd, beside a power of two, a multiple of 8, or tiny."""
        value, kind = max(1, min(int(value), most)), self.rng.random()
        if kind < 0.25:
            value = (1 << value.bit_length() - 1) + int(self.rng.integers(-1, 2))
        elif kind < 0.4:
            value = (value + 7) // 8 * 8
        elif kind < 0.6:
            value = value | 1
        elif kind < 0.7:
            value = int(self.rng.integers(1, 5))
        return max(1, min(value, most))

    def sizes(self, names, total, most=1 << 40, static=(), even=1.5):
        """Sizes called `names` with a product of at most `total` and up to 300 times less.

        The greater `even`, the closer they are to each other. With several runs a size is dynamic in most cases,
        unless `static` names it.
        """
        dynamic = [name for name in names if self.run_count > 1 and name not in static and self.chance(0.6)]
        self.dynamic += dynamic
        for i, run in enumerate(self.runs):
            left = total
            goal = total * 10 ** -self.rng.uniform(0, 2.5)
            shares = self.rng.dirichlet([even] * len(names)) if names else []
            fixed = [name for name in names if i > 0 and name not in dynamic]
            for name in fixed:
                run[name] = self.runs[0][name]
                left //= max(1, run[name])
            for name, share in zip(names, shares):
                if name not in fixed:
                    run[name] = self.number(goal ** share, max(1, min(left, most)))
                    left //= run[name]
        if dynamic and self.chance(0.2):
            self.runs[-1][self.pick(dynamic)] = 0 if self.chance(0.5) else 1
        return names

    def shape(self, rank, total=None, static=()):
        """`rank` sizes d0, d1, ... of at most `total` elements together."""
        names = [f"d{i}" for i in range(rank)]
        return self.sizes(names, total or self.limits.elements, static=[names[i] for i in static])

    def program(self):
        return Program(self.runs, self.dynamic)

    def float_type(self):
        return self.pick(["f32", "f16", "bf16"])


def unary(p, name, x):
    return p.apply(f"trace.{name} {{0}}", [x], p.dims[x], p.dtypes[x], UNARY[name], exact=name in EXACT_UNARY)


def binary(p, name, a, b, dims):
    exact = name in ("maximum", "minimum")
    return p.apply(f"trace.{name} {{0}}, {{1}}", [a, b], dims, p.dtypes[a], BINARY[name], exact=exact)


def cast(p, x, dtype):
    return p.apply(f"trace.cast {{0}} to {dtype}", [x], p.dims[x], dtype, lambda a: a)


def prologue(m, p, x):
    """Nothing, or an exact function that can be fused with what follows."""
    return unary(p, m.pick(list(EXACT_UNARY)), x) if m.chance(0.4) else x


def epilogue(m, p, x):
    return unary(p, m.pick(list(UNARY)), x) if m.chance(0.4) and p.dtypes[x] in FLOATS else x


#===-- loop --------------------------------------------------------------===#

def loop(m):
    dims = m.shape(int(m.rng.integers(1, 5)))
    p, dtype = m.program(), m.float_type()
    x = p.input(dims, dtype, normal)
    for _ in range(int(m.rng.integers(1, 5))):
        kind = m.rng.random()
        if kind < 0.45:
            x = unary(p, m.pick(list(UNARY)), x)
        elif kind < 0.9:
            # Broadcast over leading dimensions, or over any.
            first = int(m.rng.integers(0, len(dims))) if m.chance(0.3) else 0
            other = [1 if m.chance(0.2) else dim for dim in dims[first:]]
            y = p.input(other, p.dtypes[x], normal)
            x = binary(p, m.pick(list(BINARY)), x, y, dims)
        else:
            x = cast(p, x, m.float_type())
    return p


#===-- row and column ----------------------------------------------------===#

def reduction(p, x, kind, axes, rank):
    """sum, mean, max, min of `x` over `axes`."""
    dims = [dim for i, dim in enumerate(p.dims[x]) if i not in axes]

    def count(value):
        return int(np.prod([value.shape[axis] for axis in axes]))

    def add(pair):
        value, error = pair
        total = value.sum(axes)
        wrong = np.abs(value).sum(axes) * summation_error(count(value)) + np.broadcast_to(error, value.shape).sum(axes)
        if kind == "sum":
            return total, wrong
        number = np.float64(count(value))
        return total / number, wrong / number + 2 * F32 * np.abs(total / number)

    def extreme(pair):
        value, error = pair
        function, start = (np.max, -np.inf) if kind == "max" else (np.min, np.inf)
        return function(value, axes, initial=start), np.max(np.broadcast_to(error, value.shape), axes, initial=0)
    text = f"trace.{kind} {{0}} dims = {[a if a < rank - 1 else -1 for a in axes]}"
    function = add if kind in ("sum", "mean") else extreme
    return p.apply(text, [x], dims, p.dtypes[x], function, exact=kind in ("max", "min"))


def softmax(p, x, axis):
    def form(pair):
        value, error = pair[0], np.broadcast_to(pair[1], pair[0].shape)
        # Rows without elements have no largest one.
        shifted = value - value.max(axis, keepdims=True, initial=-np.inf)
        powers = np.exp(shifted)
        result = powers / powers.sum(axis, keepdims=True)
        count = value.shape[axis]
        inherited = error + (powers * error).sum(axis, keepdims=True) / powers.sum(axis, keepdims=True)
        return result, result * (summation_error(count) + (8 + 4 * np.abs(shifted)) * F32 + 1.1 * inherited) + 2.0**-140
    return p.apply(f"trace.softmax {{0}} dim = {axis}", [x], p.dims[x], p.dtypes[x], form)


def norm(m, p, x, kind):
    dtype, last = p.dtypes[x], p.dims[x][-1:]
    w = p.input(last, dtype, normal)
    arguments = [x, w] + ([p.input(last, dtype, normal)] if kind == "layer_norm" else [])

    def form(pair, weight, bias=(0.0, 0.0)):
        value, error, count = pair[0], np.broadcast_to(pair[1], pair[0].shape), max(1, pair[0].shape[-1])
        mean = value.mean(-1, keepdims=True) if kind == "layer_norm" else 0.0
        centred = value - mean
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        scaled = centred / spread
        # The mean is rounded, and with it each distance from it.
        wrong = (np.abs(value).mean(-1, keepdims=True) / spread + np.abs(scaled)) * 2 * summation_error(count)
        wrong = wrong * (1 + np.abs(scaled))
        # Errors of the elements, of their mean and of the spread.
        inherited = error + (error.sum(-1, keepdims=True) + np.abs(scaled) * (np.abs(scaled) * error).sum(-1, keepdims=True)) / count
        wrong = wrong + 1.1 * inherited / spread
        return scaled * weight[0] + bias[0], np.abs(weight[0]) * wrong + 4 * F32 * np.abs(bias[0])
    text = f"trace.{kind} " + ", ".join(f"{{{i}}}" for i in range(len(arguments))) + " eps = 1.0e-5"
    return p.apply(text, arguments, p.dims[x], dtype, form)


def row(m):
    rank = int(m.rng.integers(1, 4))
    dims = m.shape(rank)
    p = m.program()
    x = prologue(m, p, p.input(dims, m.float_type(), normal))
    kind = m.pick(["softmax", "layer_norm", "rms_norm", "sum", "mean", "max", "min"])
    if kind == "softmax":
        x = softmax(p, x, rank - 1)
    elif kind.endswith("norm"):
        x = norm(m, p, x, kind)
    else:
        first = int(m.rng.integers(0, rank)) if m.chance(0.3) else rank - 1
        x = reduction(p, x, kind, tuple(range(first, rank)), rank)
    epilogue(m, p, x)
    return p


def long_row(m):
    """Rows that clusters of blocks share; of many rows each cluster takes several, known or not."""
    columns = m.pick([33000, 33000, 40000, 66000]) + m.pick([0, 8, 16, 24, 40, 1, 4])
    m.dynamic += ["d0"] if m.run_count > 1 else []
    most = 220 if columns < 34000 else 100
    for run in m.runs:
        run["d0"] = int(m.rng.integers(1 if m.dynamic else 50, 40 if m.dynamic and m.chance(0.3) else most))
    p = m.program()
    x = prologue(m, p, p.input(["d0", columns], m.float_type(), normal))
    if m.chance(0.3):
        x = binary(p, "add", x, p.input(p.dims[x], p.dtypes[x], normal), p.dims[x])
    kind = m.pick(["softmax", "layer_norm", "rms_norm", "sum", "max"])
    if kind == "softmax":
        x = softmax(p, x, 1)
    elif kind.endswith("norm"):
        x = norm(m, p, x, kind)
    else:
        x = reduction(p, x, kind, (1,), 2)
    epilogue(m, p, x)
    return p


def column(m):
    rank = int(m.rng.integers(2, 5))
    dims = m.shape(rank)
    p = m.program()
    x = prologue(m, p, p.input(dims, m.float_type(), normal))
    axes = (0,) if m.chance(0.6) else (int(m.rng.integers(0, rank - 1)),)
    if m.chance(0.2):
        axes = tuple(range(rank - 1))
    kind = m.pick(["softmax", "sum", "mean", "max", "min"])
    x = softmax(p, x, axes[0]) if kind == "softmax" else reduction(p, x, kind, axes, rank)
    epilogue(m, p, x)
    return p


def shared(m):
    """Reductions of any dimensions: blocks share their outputs where these are few."""
    rank = int(m.rng.integers(1, 5))
    dims = m.shape(rank)
    p = m.program()
    x = prologue(m, p, p.input(dims, m.float_type(), normal))
    axes = m.rng.choice(rank, size=int(m.rng.integers(1, rank + 1)), replace=False)
    x = reduction(p, x, m.pick(["sum", "mean", "max", "min"]), tuple(sorted(int(i) for i in axes)), rank)
    epilogue(m, p, x)
    return p


#===-- movement ----------------------------------------------------------===#

def transpose(m):
    rank = int(m.rng.integers(2, 5))
    dims = m.shape(rank)
    p, order = m.program(), [int(i) for i in m.rng.permutation(rank)]
    dtype = m.pick(["f32", "f16", "bf16", "i32", "i64"])
    x = p.input(dims, dtype, normal if dtype in FLOATS else whole(-1000, 1000))
    if dtype in FLOATS:
        x = prologue(m, p, x)
    x = p.apply(f"trace.permute {{0}} {order}", [x], [dims[i] for i in order], dtype,
                moving(lambda value: value.transpose(order)), exact=True)
    epilogue(m, p, x)
    return p


def take(m, p, x, axis, dtype, index_dims):
    def form(pair, index):
        value, size = pair[0], pair[0].shape[axis]
        places = index[0].astype(np.int64)
        places = np.clip(np.where(places < 0, places + size, places), 0, size - 1)
        return np.take(value, places, axis), 0.0
    most = max(p.size(p.dims[x][axis], run) for run in range(len(p.runs)))
    index = p.input(index_dims, dtype, whole(-most - 2, most + 2))
    dims = p.dims[x][:axis] + index_dims + p.dims[x][axis + 1:]
    rows = len(p.dims[x]) == 2 and axis == 0 and m.chance(0.5)
    text = "trace.embedding {0}, {1}" if rows else f"trace.gather {{0}}, {{1}} dim = {axis}"
    return p.apply(text, [x, index], dims, p.dtypes[x], form, exact=True)


def gather(m):
    """gather, embedding, concatenate, slice and pad; what they cut or join is static."""
    kind = m.pick(["take", "concatenate", "slice", "pad"])
    rank = int(m.rng.integers(1, 5))
    axis = int(m.rng.integers(0, rank))
    dims = m.shape(rank, m.limits.elements // 4, static=range(rank) if kind in ("slice", "pad") else (axis,))
    # Indices for one slice of the input give a result of the input's size.
    extra = m.sizes(["i0"], max(2, m.runs[0][dims[axis]]))[0]
    parts = [int(m.rng.integers(0, m.runs[0][dims[axis]] + 9)) for _ in range(int(m.rng.integers(1, 4)))]
    p = m.program()
    x = p.input(dims, m.float_type(), normal)
    if kind == "take":
        x = take(m, p, x, axis, m.pick(["i32", "i64"]), [extra] if m.chance(0.6) else [2, extra])
    elif kind == "concatenate":
        others = [p.input([*dims[:axis], part, *dims[axis + 1:]], p.dtypes[x], normal) for part in parts]
        total = sum(p.size(d) for d in [dims[axis], *parts])
        text = "trace.concatenate " + ", ".join(f"{{{i}}}" for i in range(1 + len(others))) + f" dim = {axis}"
        x = p.apply(text, [x, *others], [*dims[:axis], total, *dims[axis + 1:]], p.dtypes[x],
                    lambda *pairs: (np.concatenate([value for value, _ in pairs], axis), 0.0), exact=True)
    elif kind == "slice":
        x = cut(m, p, x)
    else:
        x = border(m, p, x)
    epilogue(m, p, x)
    return p


def cut(m, p, x):
    slices, starts, stops, steps, dims = [], [], [], [], []
    for dim in p.dims[x]:
        size, step = p.size(dim), m.pick([1, 1, 1, 2, 3, -1, -2])
        bounds = sorted(int(i) for i in m.rng.integers(0, size + 1, 2))
        start, stop = bounds if step > 0 else (min(bounds[1], size - 1), bounds[0] - 1)
        # A stop before the first element is one that counts from the end, too far.
        stop = -size - 1 if stop < 0 else stop
        slices.append(slice(start, stop, step))
        dims.append(len(range(size)[slices[-1]]))
        starts.append(start)
        stops.append(stop)
        steps.append(step)
    return p.apply(f"trace.slice {{0}} {starts} to {stops} by {steps}", [x], dims, p.dtypes[x],
                   moving(lambda value: value[tuple(slices)]), exact=True)


def border(m, p, x):
    rank, dtype = len(p.dims[x]), p.dtypes[x]
    low, high = ([m.pick([0, 0, 1, 3, 8]) for _ in range(rank)] for _ in range(2))
    dims = [p.size(dim) + a + b for dim, a, b in zip(p.dims[x], low, high)]
    name = f"%v{len(p.steps)}"
    p.dims[name], p.dtypes[name] = dims, dtype
    p.lines.append(f"  {name} = trace.pad {x} low {low} high {high} value = -1.5 : {dtype} : ({p.type_of(x)}) -> "
                   f"{p.type_of(name)}")
    p.steps.append((name, [x], lambda pair: (np.pad(pair[0], list(zip(low, high)), constant_values=-1.5), 0.0), True))
    return name


#===-- scan and places ---------------------------------------------------===#

def scan(m):
    rank = int(m.rng.integers(1, 4))
    dims, axis = m.shape(rank), int(m.rng.integers(0, rank))
    p, dtype = m.program(), m.pick(["f32", "f16", "bf16", "i32", "i64"])
    x = p.input(dims, dtype, normal if dtype in FLOATS else whole(-1000, 1000))

    def form(pair):
        value = pair[0]
        error = np.cumsum(np.abs(value), axis) * summation_error(value.shape[axis]) if dtype in FLOATS else 0.0
        return np.cumsum(value, axis), error
    if dtype in FLOATS:
        x = prologue(m, p, x)
    x = p.apply(f"trace.cumsum {{0}} dim = {axis}", [x], dims, dtype, form)
    epilogue(m, p, x)
    return p


def arg(m):
    rank = int(m.rng.integers(1, 4))
    axis = int(m.rng.integers(0, rank)) if m.chance(0.8) else None
    # What is chosen from is never empty: its sizes are static.
    dims = m.shape(rank, static=range(rank) if axis is None else (axis,))
    p, dtype = m.program(), m.pick(["f32", "f16", "bf16", "i32", "i64"])
    kind = m.pick(["argmax", "argmin"])
    # Few values: many are equal, and the first counts.
    fill = m.pick([normal, whole(-4, 4)]) if dtype in FLOATS else whole(-5, 5)
    x = p.input(dims, dtype, fill)
    function = np.argmax if kind == "argmax" else np.argmin

    def form(pair):
        return function(pair[0], axis).astype(np.float64), 0.0
    result = [] if axis is None else dims[:axis] + dims[axis + 1:]
    text = f"trace.{kind} {{0}}" + ("" if axis is None else f" dim = {axis}")
    p.apply(text, [x], result, "i32", form)
    return p


#===-- contractions ------------------------------------------------------===#

def product(pair_a, pair_b):
    (a, error_a), (b, error_b) = pair_a, pair_b
    size = np.matmul(np.abs(a), np.abs(b))
    # Tensor cores cut off instead of rounding: their error grows with each step.
    bound = (16 + a.shape[-1] / 8) * 2 * F32
    error = bound * size
    if np.any(error_a) or np.any(error_b):
        error = error + np.matmul(np.abs(a), np.broadcast_to(error_b, b.shape))
        error = error + np.matmul(np.broadcast_to(error_a, a.shape), np.abs(b))
    return np.matmul(a, b), error


def transposed(p, x):
    rank = len(p.dims[x])
    order = [*range(rank - 2), rank - 1, rank - 2]
    return p.apply(f"trace.permute {{0}} {order}", [x], [p.dims[x][i] for i in order], p.dtypes[x],
                   moving(lambda value: value.transpose(order)), exact=True)


def multiply(m, p, a, b, dims, tf32):
    """matmul; f8E4M3FN gives another float, i8 gives i32, and with `tf32` f32 operands may lose 13 bits."""
    dtype = p.dtypes[a]
    if dtype == "i8":
        return p.apply("trace.matmul {0}, {1} dtype = i32", [a, b], dims, "i32", product)
    if dtype == "f8E4M3FN":
        dtype = m.pick(["f32", "f16", "bf16"])

        def summed(x, y):
            # Hopper's tensor cores keep some 14 bits of the sums of 128 products.
            value, error = product(x, y)
            return value, error + 2.0**-13 * np.matmul(np.abs(x[0]), np.abs(y[0]))
        return p.apply(f"trace.matmul {{0}}, {{1}} dtype = {dtype}", [a, b], dims, dtype, summed)

    def rounded(x, y):
        value, error = product(x, y)
        return value, error + 2 * 2.0**-10 * np.matmul(np.abs(x[0]), np.abs(y[0]))
    return p.apply("trace.matmul {0}, {1}" + (" allow_tf32" if tf32 else ""), [a, b], dims, dtype,
                   rounded if tf32 else product)


def gemm(m, dtypes, few=None):
    """Batches of products; the size called `few` is 1 to 8 in all runs."""
    batch = m.sizes([f"b{i}" for i in range(m.pick([0, 0, 1, 2]))], 12)
    count = int(np.prod([max(1, max(run[b] for run in m.runs)) for b in batch], initial=1))
    m.sizes(["m", "n", "k"], max(1, m.limits.products // count), max(1, m.limits.elements // 64), even=5,
            static=[few])
    rows = int(m.rng.integers(1, 9)) if few else 0
    for run in m.runs if few else []:
        run[few] = rows
    turn_a, turn_b, bias = m.chance(0.4), m.chance(0.5), m.chance(0.4)
    # One side may be shared by the batch.
    batch_a = [1 if m.chance(0.15) else b for b in batch]
    batch_b = batch if m.chance(0.6) else ([] if m.chance(0.5) else [1] * len(batch))
    batch_a = batch if batch_b != batch else batch_a
    p, dtype = m.program(), m.pick(dtypes)
    tf32 = dtype == "tf32"
    dtype = "f32" if tf32 else dtype
    fill = normal if dtype in FLOATS or dtype == "f8E4M3FN" else whole(-9, 10)
    a = p.input([*batch_a, *(["k", "m"] if turn_a else ["m", "k"])], dtype, fill)
    b = p.input([*batch_b, *(["n", "k"] if turn_b else ["k", "n"])], dtype, fill)
    dims = [*batch, "m", "n"]
    a = prologue(m, p, a) if dtype in FLOATS and m.chance(0.3) else a
    a = transposed(p, a) if turn_a else a
    b = transposed(p, b) if turn_b else b
    y = multiply(m, p, a, b, dims, tf32)
    if bias and p.dtypes[y] != "i32":
        y = binary(p, "add", y, p.input(["n"], p.dtypes[y], normal), dims)
        y = binary(p, "mul", y, p.input(dims, p.dtypes[y], normal), dims) if m.chance(0.3) else y
    epilogue(m, p, y)
    return p


def gated(m):
    """Two or three products of one operand that meet in one result."""
    m.sizes(["m", "n", "k"], m.limits.products // 3, max(1, m.limits.elements // 64), even=5)
    turn_a, turn_b, bias = m.chance(0.3), m.chance(0.6), m.chance(0.5)
    p, dtype = m.program(), m.pick(["f16", "f16", "bf16", "f32"])
    a = p.input(["k", "m"] if turn_a else ["m", "k"], dtype, normal)
    a = transposed(p, a) if turn_a else a
    dims, parts = ["m", "n"], []
    for _ in range(m.pick([2, 2, 3])):
        b = p.input(["n", "k"] if turn_b else ["k", "n"], dtype, normal)
        y = multiply(m, p, a, transposed(p, b) if turn_b else b, dims, False)
        parts.append(binary(p, "add", y, p.input(["n"], p.dtypes[y], normal), dims) if bias else y)
    y = unary(p, m.pick(["sigmoid", "relu", "silu"]), parts[0])
    for part in parts[1:]:
        y = binary(p, m.pick(["mul", "sub"]), y, part, dims)
    epilogue(m, p, y)
    return p


def logarithm(p, x):
    def form(pair):
        value, error = pair
        return np.log(value), error / np.abs(value) * 2 + 8 * F32 * (1 + np.abs(np.log(value)))
    return p.apply("trace.log {0}", [x], p.dims[x], p.dtypes[x], form)


def computed(m):
    """Products whose left operand is computed on its way to the tensor cores.

    The profile expects many rows, as it takes for them, and some of the runs have few.
    """
    batch = ["b0"] if m.chance(0.3) else []
    # A long K goes round the ring of slices.
    k = 8 * int(m.rng.integers(1, 26) if m.chance(0.6) else m.rng.integers(64, 120))
    sizes = {"k": k, "n": int(m.rng.integers(1, 140)), "b0": int(m.rng.integers(2, 4))}
    turn_b = m.chance(0.5)
    sizes["n"] = sizes["n"] if turn_b else 8 * (1 + sizes["n"] // 8)
    m.runs, m.dynamic = [dict(sizes, m=int(m.rng.integers(1, 400))) for _ in range(2)], ["m"]
    p, dtype = m.program(), m.pick(["f16", "f16", "bf16"])
    p.expected["m"] = max(2**25 // (sizes["k"] * sizes["n"]) + 9, min(run["m"] for run in m.runs))
    dims = [*batch, "m", "k"]
    # The logarithm of what TMA fills with is infinite.
    hasLog = m.chance(0.3)
    x = p.input(dims, dtype, (lambda rng, shape: rng.uniform(0.25, 4, shape)) if hasLog else normal)
    x = logarithm(p, x) if hasLog else x
    for _ in range(int(m.rng.integers(0 if hasLog else 1, 4))):
        if m.chance(0.4):
            x = unary(p, m.pick(["relu", "neg", "abs", "sigmoid", "tanh", "silu", "gelu", "cos"]), x)
        else:
            other = m.pick([["k"], ["k"], [*batch, "m", 1], ["m", 1], [1], [*batch, 1, "k"]])
            x = binary(p, m.pick(["add", "mul", "maximum", "sub"]), x, p.input(other, dtype, normal), dims)
    parts, bias = [], m.chance(0.4)
    for _ in range(m.pick([1, 1, 2, 3])):
        b = p.input([*batch, *(["n", "k"] if turn_b else ["k", "n"])], dtype, normal)
        y = multiply(m, p, x, transposed(p, b) if turn_b else b, [*batch, "m", "n"], False)
        parts.append(binary(p, "add", y, p.input(["n"], dtype, normal), p.dims[y]) if bias else y)
    y = parts[0]
    for part in parts[1:]:
        y = binary(p, m.pick(["mul", "sub"]), y, part, p.dims[y])
    epilogue(m, p, y)
    return p


def aligned(m, few=False):
    """One to four products of one operand, of static sizes and with rows that are multiples of 16 bytes: the kernels
    that copy by TMA. `few`: 1 to 8 rows, mostly with a matrix that tensor cores take; else up to 40, or some tiles of
    them, and a K of several slices."""
    m.runs, m.run_count = m.runs[:1], 1
    run, dtype = m.runs[0], m.pick(["f16", "f16", "bf16", "bf16", "f8E4M3FN" if few else "tf32", "f8E4M3FN"])
    step = {"tf32": 4, "f8E4M3FN": 16}.get(dtype, 8)

    def size(least, most, multiple):
        value = int(m.rng.integers(least, max(least, most) + 1))
        return max(multiple, value // multiple * multiple)
    count, batch = m.pick([1, 1, 1, 2, 3, 4]), m.pick([[], [], [], ["b0"]])
    turn_a, turn_b = step == 8 and not few and m.chance(0.25), step != 8 or m.chance(0.2 if few else 0.6)
    run.update({name: size(2, 3, 1) for name in batch})
    most = m.limits.products // (count * int(np.prod([run[b] for b in batch], initial=1)))
    run["m"] = size(1, 8 if few else 40 if m.chance(0.4) else most // 20000, step if turn_a else 1)
    # Large matrices, which tensor cores take, are slow to make and to check.
    most = min(most, 12_000_000 * run["m"]) if few else most
    run["n"] = size(16, most // max(8 if few else 16, run["m"]) // 400, 1 if turn_b and m.chance(0.3) else step)
    run["k"] = size(256, most // run["m"] // run["n"], step)
    p, tf32 = m.program(), dtype == "tf32"
    dtype, dims, parts = "f32" if tf32 else dtype, [*batch, "m", "n"], []
    a = p.input([*batch, *(["k", "m"] if turn_a else ["m", "k"])], dtype, normal)
    a, to = transposed(p, a) if turn_a else a, m.pick(["f32", "f16", "bf16"])
    for _ in range(count):
        b = p.input([*batch, *(["n", "k"] if turn_b else ["k", "n"])], dtype, normal)
        y = multiply(m, p, a, transposed(p, b) if turn_b else b, dims, tf32)
        y = cast(p, y, to) if count > 1 and dtype.startswith("f8") else y
        parts.append(binary(p, "add", y, p.input(["n"], p.dtypes[y], normal), dims) if m.chance(0.5) else y)
    y = parts[0]
    for part in parts[1:]:
        y = binary(p, m.pick(["mul", "sub"]), y, part, dims)
    y = binary(p, "add", y, p.input(dims, p.dtypes[y], normal), dims) if m.chance(0.3) else y
    epilogue(m, p, y)
    return p


def normalized(m):
    """A product, mostly with a residual, and a norm of its rows: clusters whose blocks have whole rows compute both."""
    m.runs, m.run_count = m.runs[:1], 1
    n = 32 * int(m.rng.integers(1, 25))
    k = 8 * int(m.rng.integers(1, 40))
    most = max(2, min(m.limits.products // (n * k), m.limits.elements // 4 // n))
    m.runs[0].update({"m": int(m.rng.integers(1, most)), "n": n, "k": k, "b0": int(m.rng.integers(2, 4))})
    batch = ["b0"] if m.chance(0.2) else []
    p, dtype = m.program(), m.pick(["f16", "f16", "bf16"])
    dims = [*batch, "m", "n"]
    a, b = p.input([*batch, "m", "k"], dtype, normal), p.input(["n", "k"], dtype, normal)
    y = multiply(m, p, a, transposed(p, b), dims, False)
    y = binary(p, "add", y, p.input(["n"], dtype, normal), dims) if m.chance(0.6) else y
    y = unary(p, m.pick(["relu", "tanh"]), y) if m.chance(0.2) else y
    y = binary(p, m.pick(["add", "add", "mul"]), y, p.input(dims, dtype, normal), dims) if m.chance(0.7) else y
    kind = m.pick(["layer_norm", "layer_norm", "rms_norm", "softmax"])
    y = softmax(p, y, len(dims) - 1) if kind == "softmax" else norm(m, p, y, kind)
    epilogue(m, p, y)
    return p


EMITTERS = {"loop": loop, "row": row, "long-row": long_row, "column": column, "shared": shared, "transpose": transpose,
            "gather": gather, "scan": scan, "arg": arg, "gemm-simt": lambda m: gemm(m, ["f32", "f32", "i32"]),
            "gemv": lambda m: gemm(m, ["f32", "f16", "f16", "bf16", "i32", "i8", "f8E4M3FN"], m.pick(["m", "m", "n"])),
            "gemm-tensor": lambda m: gemm(m, ["f16", "f16", "bf16", "bf16", "tf32", "f8E4M3FN", "i8", "i8"]),
            "gemm-gated": gated, "gemm-computed": computed, "gemm-aligned": aligned, "gemm-norm": normalized,
            "gemm-few": lambda m: aligned(m, few=True), "attention": attention_cases.program}


def make(emitter, index, seed, limits):
    rng = np.random.default_rng([seed, index, *emitter.encode()])
    return EMITTERS[emitter](Maker(rng, limits))
