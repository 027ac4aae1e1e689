"""Draws random valid programs.

DRAW has one entry for each operation: how often it comes, and a function that
chooses operands and attributes. draw_program() is the same for the same seed
and index.
"""
import collections

import numpy as np

import attending
import draw_indexing
import draw_long
import draw_order
import draw_windows
import shapes
from builder import Builder
from elements import ALL, CLASSES, F8
from ops import BINARY, CLASSIFICATIONS, COMPARISONS, OPS, PARAMETERS, REDUCTIONS, UNARY
from reducing import without_dead_code
from shapes import Dim, Invalid, Type

# Elements of a tensor, products of a contraction, operations of a program: at most.
# `often`: operations that come 30 times as often, separated by commas.
Limits = collections.namedtuple("Limits", "elements products operations often", defaults=(600, 30000, 14, ""))
FLOAT = CLASSES["float"]
NUMBERS = CLASSES["float"] + CLASSES["integer"]
# More f16 and bf16 than their share: their rounding is where readers may differ.
MIXED = ("f32", "f32", "f16", "f16", "bf16", "f64", "i32", "i64", "i8", "i8", "i16", "i4", "ui8", "i1", "f8E4M3FN", "f8E5M2")


def of(classes):
    return tuple(name for c in classes for name in CLASSES[c])


def has_axis(type_):
    return len(type_.dims) > 0


#===-- element-wise ------------------------------------------------------------===#

def unary(name):
    def draw(b):
        value = b.operand(of(UNARY[name]))
        attributes = {"approximate": b.one_of(["tanh", "erf"])} if name == "gelu" else {}
        attributes |= {parameter: b.one_of([0.0, 0.01, 0.2, 1.0, 1.5, -0.5]) for parameter in PARAMETERS.get(name, ())}
        b.apply(name, [value], attributes)
    return draw


def binary(name, classes):
    def draw(b):
        value = b.operand(of(classes) if classes else ALL)
        other = value if b.chance(0.03) else b.partner(value)
        b.apply(name, [value, other] if b.chance(0.5) else [other, value])
    return draw


def classification(name):
    return lambda b: b.apply(name, [b.operand(FLOAT)])


def clamp(b):
    value = b.operand(NUMBERS)
    b.apply("clamp", [value, b.partner(value), b.partner(value)])


def scale_dims(b, dims):
    """Of one scale, of one for each index of a dimension, or for each block; and the attributes that say so."""
    form, rank = b.one_of(["tensor", "channel", "block"]), len(dims)
    if form == "channel" and rank:
        axis = b.some(0, rank - 1)
        return [dims[axis]], {"dim": axis - rank if b.chance(0.3) else axis}
    if form == "block" and 2 <= rank <= 7:
        sizes = dims[-2].sizes
        counts = [m for m in range(1, 7) if all(n % m == 0 for n in sizes)]
        return [*dims[:-2], shapes.known(b.one_of(counts), b.runs), dims[-1]], {}
    return [], {}


def quantize_ties(b):
    """Elements whose quotients lie between two integers: a reciprocal of the scale that is rounded shows."""
    sizes = [b.some(1, 2), b.some(30, 60)]
    value = b.apply("iota", [], {"dtype": "f32", "sizes": sizes, "dim": 1})[0]
    half, scale = (b.apply("full", [], {"dtype": "f32", "sizes": [], "value": number})[0]
                   for number in (0.5, b.one_of([0.3, 1.3, 3.3, 7.0, 13.0])))
    value = b.apply("mul", [b.apply("add", [value, half])[0], scale])[0]
    b.apply("quantize", [value, scale], {"dtype": b.one_of(["i8", "i8", "i4"])})


def quantize(b):
    if b.chance(0.1):
        quantize_ties(b)
        return
    value = b.operand(FLOAT, (0, 5))
    dims, attributes = scale_dims(b, b.type(value).dims)
    b.apply("quantize", [value, b.fresh(b.type(value).dtype, dims)], {"dtype": b.one_of(["i8", "i8", "i4", "i4", *F8]), **attributes})


def dequantize(b):
    value = b.operand(("i8", "i4", *F8), (0, 5))
    dims, attributes = scale_dims(b, b.type(value).dims)
    b.apply("dequantize", [value, b.fresh(b.one_of(FLOAT), dims)], attributes)


def where(b):
    value = b.operand(ALL)
    other, condition = b.partner(value), b.partner(value, "i1")
    b.apply("where", [condition, value, other] if b.chance(0.5) else [condition, other, value])


def cast_beside_ties(b):
    """Integers beside one that lies between two bf16: f32 holds no other near it."""
    dtype = b.one_of(["i32", "i64"])
    mask, tie = (b.apply("full", [], {"dtype": dtype, "sizes": [], "value": number})[0] for number in (3, 2**30 + 2**22))
    value = b.apply("bitwise_and", [b.input(dtype, [shapes.known(b.some(4, 9), b.runs)]), mask])[0]
    b.apply("cast", [b.apply(b.one_of(["add", "sub"]), [tie, value])[0]], {"dtype": "bf16"})


def cast(b):
    if b.chance(0.05):
        cast_beside_ties(b)
        return
    value = b.operand(ALL)
    b.apply("cast", [value], {"dtype": b.one_of(MIXED)})


#===-- arrangement ---------------------------------------------------------------===#

def axes(b, rank):
    chosen = [i for i in range(rank) if b.chance(0.5)]
    return [i - rank if b.chance(0.2) else i for i in chosen]


def flip(b):
    value = b.operand(ALL, (0, 6))
    b.apply("flip", [value], {"dims": axes(b, len(b.type(value).dims))})


def roll(b):
    value = b.operand(ALL, (1, 6))
    dims = axes(b, len(b.type(value).dims))
    b.apply("roll", [value], {"dims": dims, "shifts": [b.some(-9, 9) for _ in dims]})


def copies(name):
    def draw(b):
        value = b.operand(ALL, (0, 6))
        entries, args = [], []
        for _ in b.type(value).dims:
            count = b.size_within(0, 3) if b.dynamic and b.chance(0.15) else None
            if count is None:
                entries.append(b.one_of([1, 1, 1, 2, 3, 0]))
            else:
                args.append(count)
                entries.append(f"#{len(args)}")
        b.apply(name, [value, *args], {"counts": entries})
    return draw


def triangle(name):
    return lambda b: b.apply(name, [b.operand(ALL, (2, 6))], {"diagonal": b.some(-4, 4)})


def from_index(b):
    b.apply("from_index", [b.size_value()], {"sizes": ["#0"], "dtype": b.one_of([t for t in MIXED if t not in ("i1", "f8E4M3FN")])})


#===-- creation ----------------------------------------------------------------===#

def constant(b):
    dims = b.draw_dims(b.one_of([0, 1, 2, 3]), 48)
    sizes = [d.sizes[0] for d in dims]
    b.apply("constant", [], {"dtype": b.one_of(MIXED), "shape": sizes, "fill": b.one_of(["normal", "whole", "special"]),
                             "seed": b.some(0, 1 << 30), "splat": b.chance(0.3)})


def size_list(b, rank):
    entries, args = [], []
    for _ in range(rank):
        value = b.size_within(0, 12) if b.chance(0.4) else None
        if value is None:
            entries.append(b.one_of([0, 1, 1, 2, 3, 5, 8]))
        else:
            entries.append(f"#{len(args)}")
            args.append(value)
    return entries, args


def full(b):
    entries, args = size_list(b, b.one_of([0, 1, 2, 3]))
    dtype = b.one_of(MIXED)
    b.apply("full", args, {"dtype": dtype, "sizes": entries, "value": b.draw_number(dtype)})


def iota(b):
    entries, args = size_list(b, b.one_of([1, 2, 3]))
    b.apply("iota", args, {"dtype": b.one_of([t for t in MIXED if t != "i1"]), "sizes": entries, "dim": b.draw_axis(len(entries))})


def dim(b):
    value = b.operand(ALL, (1, 6))
    b.apply("dim", [value], {"dim": b.draw_axis(len(b.type(value).dims))})


#===-- movement ----------------------------------------------------------------===#

def grouped(b, dims):
    """The same elements with dimensions merged, cut or new: a list of Dims."""
    dims = list(dims)
    for _ in range(b.some(1, 2)):
        draw = b.rng.random()
        if draw < 0.5 and len(dims) > 1:
            i = b.some(0, len(dims) - 2)
            merged = Dim(tuple(x * y for x, y in zip(dims[i].sizes, dims[i + 1].sizes)), dims[i].static and dims[i + 1].static)
            dims[i:i + 2] = [merged]
        elif draw < 0.8 and dims and len(dims) < 6:
            i = b.some(0, len(dims) - 1)
            parts = [p for p in (2, 3, 4, 5, 8) if all(s % p == 0 for s in dims[i].sizes)]
            if parts:
                part = b.one_of(parts)
                rest = Dim(tuple(s // part for s in dims[i].sizes), dims[i].static)
                dims[i:i + 1] = [rest, shapes.known(part, b.runs)] if b.chance(0.5) else [shapes.known(part, b.runs), rest]
        elif len(dims) < 6:
            dims.insert(b.some(0, len(dims)), shapes.known(1, b.runs))
    return dims


def join_last(b, value):
    """The last two dimensions become one, whose size is their product; the first may be left to find."""
    dims = b.type(value).dims
    sizes = [b.apply("dim", [value], {"dim": axis})[0] for axis in (-2, -1)]
    joined = b.apply("arith.muli", sizes)[0]
    entries, args = b.entries(dims[1:-2], 1)
    if entries is None:
        raise Invalid("no size")
    result = b.apply("reshape", [value, *args, joined], {"sizes": [-1, *entries, f"#{1 + len(args)}"]})[0]
    for _ in range(b.one_of([0, 2, 3])):  # kernels that hand such a value on
        name = b.one_of(["softmax", "cumsum"] if b.type(result).dtype in FLOAT else ["cumsum"])
        if b.type(result).dtype in NUMBERS:
            result = b.apply(name, [result], {"dim": b.draw_axis(len(b.type(result).dims))})[0]


def reshape(b):
    value = b.operand(ALL)
    dims = b.type(value).dims
    if b.chance(0.25):
        flat = b.apply("reshape", [value], {"sizes": [-1]})[0]
        if b.chance(0.5):
            slice_(b, flat)
        return None
    if b.chance(0.5) and len(dims) > 2 and not (dims[-1].static and dims[-2].static):
        join_last(b, value)
        return None
    target = grouped(b, dims)
    entries, args = [], []
    inferred = b.chance(0.5)
    for d in target:
        if d.static and not (inferred and b.chance(0.3)) and not b.chance(0.06):
            entries.append(d.sizes[0])
            continue
        found = None if inferred and not d.static else b.index_for(d)
        if found is None:
            entries.append(-1)
            inferred = False
        else:
            entries.append(f"#{1 + len(args)}")
            args.append(found)
    return b.apply("reshape", [value, *args], {"sizes": entries})


def permute(b):
    value = b.operand(ALL, (1, 6))
    rank = len(b.type(value).dims)
    order = [int(i) for i in b.rng.permutation(rank)]
    b.apply("permute", [value], {"permutation": [i - rank if b.chance(0.1) else i for i in order]})


def transpose(b):
    value = b.operand(ALL, (1, 6))
    rank = len(b.type(value).dims)
    b.apply("transpose", [value], {"dims": [b.draw_axis(rank), b.draw_axis(rank)]})


def expand(b):
    value = b.operand(ALL, (0, 5), lambda t: b.fits(t.dims, b.limits.elements // 2))
    dims = [b.one_of(b.dims) if b.chance(0.3) else shapes.known(b.some(1, 3), b.runs)] * b.chance(0.6)
    dims += [b.one_of(b.dims) if set(d.sizes) == {1} and b.chance(0.6) else None for d in b.type(value).dims]
    entries, args = [], []
    for d in dims:
        if d is None:
            entries.append(-1)
            continue
        entry, more = b.entries([d], 1 + len(args))
        if entry is None:
            raise Invalid("no size")
        entries += entry
        args += more
    b.apply("expand", [value, *args], {"sizes": entries})


def squeeze(b):
    def ones(type_):
        return [i for i, d in enumerate(type_.dims) if set(d.sizes) == {1}]
    value = b.operand(ALL, (1, 6), lambda t: bool(ones(t)))
    axes, rank = ones(b.type(value)), len(b.type(value).dims)
    chosen = [i for i in axes if b.chance(0.7)] or axes[:1]
    b.apply("squeeze", [value], {"dims": [i - rank if b.chance(0.2) else i for i in chosen]})


def unsqueeze(b):
    value = b.operand(ALL, (0, 5))
    b.apply("unsqueeze", [value], {"dim": b.draw_axis(len(b.type(value).dims) + 1)})


FAR = 2**62


def bound(b, args, most, backward, is_stop):
    """A static bound or one that is computed."""
    if b.chance(0.25) and b.dynamic:
        args.append(b.size_value())
        return f"#{len(args)}"
    if b.chance(0.35):
        return -FAR if is_stop == backward else FAR if (is_stop or backward) else 0
    return b.some(-most - 1, most + 1)


def slice_(b, value=None):
    value = b.operand(ALL, (1, 6)) if value is None else value
    starts, stops, steps, first, last = [], [], [], [], []
    for d in b.type(value).dims:
        if b.chance(0.4):
            starts.append(0), stops.append(FAR), steps.append(1)
            continue
        steps.append(b.one_of([1, 1, 1, 2, 3, -1, -1, -2, 7]))
        most = max(d.sizes)
        starts.append(bound(b, first, most, steps[-1] < 0, False))
        stops.append(bound(b, last, most, steps[-1] < 0, True))
    # Operands: the input, all starts, all stops.
    stops = [f"#{int(s[1:]) + len(first)}" if isinstance(s, str) else s for s in stops]
    b.apply("slice", [value, *first, *last], {"starts": starts, "stops": stops, "steps": steps})


def split(b):
    value = b.operand(ALL, (1, 6))
    axis = b.draw_axis(len(b.type(value).dims))
    size = b.type(value).dims[axis]
    if len(set(size.sizes)) == 1 and b.chance(0.5):
        cuts = sorted(b.some(0, size.sizes[0]) for _ in range(b.some(0, 3)))
        ends = [*cuts, size.sizes[0]]
        return b.apply("split", [value], {"dim": axis, "sizes": [e - s for s, e in zip([0, *cuts], ends)]})
    return b.apply("split", [value], {"dim": axis, "parts": b.some(1, 4)})


def splat(b, dtype, dims):
    entries, args = b.entries(dims)
    if entries is None or not b.fits(dims):
        return None
    return b.apply("full", args, {"dtype": dtype, "sizes": entries, "value": b.draw_number(dtype)})[0]


def concatenate(b):
    value = b.operand(ALL, (1, 6))
    draw = b.rng.random()
    if draw >= 0.92:  # of very many operands
        value = b.fresh(b.one_of(MIXED), [shapes.known(b.some(1, 2), b.runs) for _ in range(b.some(1, 3))])
        b.limits = b.limits._replace(elements=max(b.limits.elements, 2500))
    type_ = b.type(value)
    axis = b.draw_axis(len(type_.dims))
    count = b.some(1, 4) if draw < 0.86 else b.some(5, 40) if draw < 0.92 else b.some(60, 300)
    values = [value]

    def suits(other):
        return other.dtype == type_.dtype and len(other.dims) == len(type_.dims) and all(
            x.sizes == y.sizes for i, (x, y) in enumerate(zip(other.dims, type_.dims)) if i != axis % len(type_.dims))
    for _ in range(count - 1):
        found = b.pick(suits) if b.chance(0.75 if count < 41 else 0.97) else None
        if found is None:
            dims = list(type_.dims)
            dims[axis] = b.one_of([*b.dims, shapes.known(b.some(0, 3), b.runs)])
            found = splat(b, type_.dtype, dims) if b.chance(0.25) else None
            if found is None:
                found = b.fresh(type_.dtype, dims) if b.fits(dims) else value
        values.append(found)
    b.apply("concatenate", values, {"dim": axis})


def pad(b):
    value = b.operand(ALL, (0, 6))
    lists, args = [], [[], []]
    for side in range(2):
        entries = []
        for _ in b.type(value).dims:
            width = b.size_within(0, 5) if b.dynamic and b.chance(0.15) else None
            if width is None:
                entries.append(b.one_of([0, 0, 0, 1, 1, 2, 3]))
            else:
                args[side].append(width)
                entries.append(f"#{len(args[0]) + len(args[1])}")
        lists.append(entries)
    dtype = b.type(value).dtype
    if b.chance(0.4):
        b.apply("pad", [value, *args[0], *args[1]],
                {"low": lists[0], "high": lists[1], "mode": b.one_of(["edge", "reflect", "wrap"])})
        return
    b.apply("pad", [value, *args[0], *args[1]], {"low": lists[0], "high": lists[1], "dtype": dtype, "value": b.draw_number(dtype)})


#===-- reductions ------------------------------------------------------------------===#

def dims_list(b, rank):
    if b.chance(0.2):
        return []
    chosen = [i for i in range(rank) if b.chance(0.4)] or ([b.some(0, rank - 1)] if rank else [])
    return [i - rank if b.chance(0.2) else i for i in chosen]


def reduction(name):
    def draw(b):
        if name in ("sum", "max", "min") and b.chance(0.15):
            draw_long.reduction(b, name)
            return
        value = b.operand(of(REDUCTIONS[name]))
        attributes = {"dims": dims_list(b, len(b.type(value).dims)), "keepdim": b.chance(0.4)}
        if name == "var":
            attributes["correction"] = b.one_of([0, 1, 1, 2])
        b.apply(name, [value], attributes)
    return draw


def arg_extreme(name):
    def draw(b):
        value = b.operand(NUMBERS, (0, 6), lambda t: any(min(d.sizes) > 0 for d in t.dims) or not t.dims)
        rank = len(b.type(value).dims)
        axis = None if rank == 0 or b.chance(0.2) else b.draw_axis(rank)
        b.apply(name, [value], {"dim": axis, "keepdim": b.chance(0.4)})
    return draw


def along(name, dtypes):
    def draw(b):
        value = b.operand(dtypes, (1, 6))
        b.apply(name, [value], {"dim": b.draw_axis(len(b.type(value).dims))})
    return draw


def norm(name):
    def draw(b):
        value = b.operand(FLOAT, (1, 6))
        type_ = b.type(value)
        tail = type_.dims[len(type_.dims) - b.some(1, min(2, len(type_.dims))):]
        weight = b.fresh(type_.dtype, tail)
        args = [value, weight] + ([b.fresh(type_.dtype, tail)] if name == "layer_norm" else [])
        b.apply(name, args, {"eps": b.one_of([1e-5, 1e-3, 1.0])})
    return draw


#===-- contractions ------------------------------------------------------------------===#

def contraction_attributes(b, dtype):
    attributes = {}
    if dtype == "f32" and b.chance(0.15):
        attributes["tf32"] = True
    if dtype in ("f16", "bf16") and b.chance(0.25):
        attributes["dtype"] = "f32"
    if dtype in F8 and b.chance(0.75):
        attributes["dtype"] = b.one_of(["f32", "f16", "bf16"])
    if dtype in ("i8", "i16", "ui8") and b.chance(0.75):
        attributes["dtype"] = "i32"
    return attributes


MATRIX = (*FLOAT, "f16", "f64", "i32", "i64", "i8", "i8", "i16", "ui8", *F8)


def products(b, dims, depth):
    volumes = shapes.volumes([*dims, depth], b.runs)
    return max(volumes[:-1] if b.wide else volumes) <= b.limits.products


def tile_operands(b):
    """Operands of a product with several rows, columns and matrices: most others have few rows, or one matrix."""
    dtype = b.one_of(MATRIX)
    batch, rows, columns = b.one_of([(2, 12, 17), (3, 9, 12), (5, 9, 9), (2, 16, 16), (1, 24, 20), (4, 10, 9)])
    depth = b.one_of([3, 8, 12, 16, 20, 33])
    batch, rows, depth, columns = (shapes.known(size, b.runs) for size in (batch, rows, depth, columns))
    return b.fresh(dtype, [batch, rows, depth]), b.fresh(dtype, [batch, depth, columns])


def matmul(b):
    if b.chance(0.15):
        value, other = tile_operands(b)
        b.apply("matmul", [value, other], contraction_attributes(b, b.type(value).dtype))
        return
    value = b.operand(MATRIX, (1, 5))
    type_ = b.type(value)
    depth = type_.dims[-1]
    columns = b.one_of([*b.dims, shapes.known(b.one_of([1, 3, 4, 8, 16, 32]), b.runs)])
    batch = [d for d in type_.dims[:-2]] if b.chance(0.4) else []
    batch = [shapes.known(1, b.runs) if b.chance(0.2) else d for d in batch]
    dims = [*batch, depth, columns] if b.chance(0.85) else [depth]

    def suits(other):
        axis = -2 if len(other.dims) > 1 else -1
        return other.dtype == type_.dtype and other.dims and other.dims[axis].sizes == depth.sizes
    found = b.pick(suits) if b.chance(0.4) else None
    other = found if found is not None else b.fresh(type_.dtype, dims)
    result = shapes.matmul(type_, b.type(other), b.runs)
    if not products(b, result, depth):
        raise Invalid("products")
    b.apply("matmul", [value, other], contraction_attributes(b, type_.dtype))


def linear(b):
    value = b.operand(MATRIX, (1, 5))
    type_ = b.type(value)
    rows = b.one_of([*b.dims, shapes.known(b.one_of([1, 3, 4, 8, 16, 32]), b.runs)])
    attributes = contraction_attributes(b, type_.dtype)
    if not products(b, [*type_.dims[:-1], rows], type_.dims[-1]):
        raise Invalid("products")
    args = [value, b.fresh(type_.dtype, [rows, type_.dims[-1]])]
    target = attributes.get("dtype", type_.dtype)
    if b.chance(0.7) and target not in F8:
        args.append(b.fresh(target, [rows]))
    b.apply("linear", args, attributes)


#===-- programs --------------------------------------------------------------------===#

DRAW = {
    **{name: (0.6, unary(name)) for name in UNARY},
    **{name: (0.6, classification(name)) for name in CLASSIFICATIONS}, "clamp": (1.0, clamp),
    "quantize": (3.0, quantize), "dequantize": (3.0, dequantize),
    "flip": (1.5, flip), "roll": (1.5, roll), "tile": (1.5, copies("tile")), "repeat": (1.5, copies("repeat")),
    "tril": (1.0, triangle("tril")), "triu": (1.0, triangle("triu")), "from_index": (0.5, from_index),

    **{name: (1.2, binary(name, classes)) for name, classes in BINARY.items()},
    **{name: (1.2, binary(name, ())) for name in COMPARISONS},
    **{name: (1.2, reduction(name)) for name in REDUCTIONS},
    "sub": (3.0, binary("sub", BINARY["sub"])), "add": (2.0, binary("add", BINARY["add"])),
    "mul": (2.0, binary("mul", BINARY["mul"])), "where": (3.0, where), "cast": (5.0, cast),
    "constant": (0.7, constant), "full": (0.7, full), "iota": (0.7, iota), "dim": (0.3, dim),
    "reshape": (5.0, reshape), "permute": (2.0, permute), "transpose": (2.0, transpose), "expand": (2.0, expand),
    "squeeze": (1.0, squeeze), "unsqueeze": (1.0, unsqueeze), "slice": (5.0, slice_), "split": (2.0, split),
    "concatenate": (4.0, concatenate), "pad": (2.5, pad),
    "argmax": (2.5, arg_extreme("argmax")), "argmin": (2.0, arg_extreme("argmin")),
    "cumsum": (1.5, along("cumsum", NUMBERS)), "softmax": (2.0, along("softmax", FLOAT)),
    "layer_norm": (1.0, norm("layer_norm")), "rms_norm": (1.0, norm("rms_norm")),
    "matmul": (4.0, matmul), "linear": (2.0, linear), **attending.DRAW, **draw_indexing.DRAW, **draw_order.DRAW, **draw_windows.DRAW}


def undrawn():
    """Operations with an oracle that nothing draws, and the other way round."""
    return sorted({name for name in OPS if "." not in name and name != "index"} ^ set(DRAW))


def draw_program(seed, index, limits=Limits()):
    rng = np.random.default_rng([seed, index])
    b = Builder(rng, limits)
    names = list(DRAW)
    often = limits.often.split(",")
    weights = np.array([DRAW[name][0] * (30 if name in often else 1) for name in names])
    # Each program prefers a few operations, so that chains of the same ones come.
    weights = weights * rng.choice([0.3, 1.0, 3.0], len(names))
    weights /= weights.sum()
    wanted = b.one_of([1, 2, 3, 4, 5, 6, 8, limits.operations])
    for _ in range(b.some(1, 2)):
        b.input(b.one_of(MIXED), b.draw_dims(b.draw_rank()))
    made = 0
    for _ in range(wanted * 4):
        if made >= wanted:
            break
        state = len(b.ops), len(b.inputs), len(b.order)
        try:
            DRAW[names[int(rng.choice(len(names), p=weights))]][1](b)
            made += 1
        except Invalid:
            forget(b, state)
    return without_dead_code(b.finish())


def forget(b, state):
    """Takes back what a failed attempt made."""
    for value in b.order[state[2]:]:
        del b.types[value]
    del b.ops[state[0]:], b.inputs[state[1]:], b.order[state[2]:]


__all__ = ["Limits", "draw_program", "undrawn", "Type", "has_axis"]
