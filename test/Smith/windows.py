"""Convolutions, pooling, resize and norms over channels: types, text, and evaluation over Sets.

Windows are Sets, too: elements at computed places, and one value for places outside.
"""
import fractions
import math

import numpy as np

import folding
import pointwise
import sets
import shapes
from elements import CLASSES, is_float, integer_range
from sets import Set
from shapes import Dim, Type, require

LISTS = ("stride", "dilation", "low", "high", "output_padding")


def number(attributes, name, i):
    given = attributes.get(name) or []
    return given[i] if given else 0 if name in ("low", "high", "output_padding") else 1


def list_words(attributes):
    return "".join(f" {name} = {attributes[name]}" for name in LISTS if attributes.get(name))


def is_one_of(dtype, *classes):
    require(any(dtype in CLASSES[c] for c in classes), "element type")


def is_averaged(dtype):
    require(dtype in CLASSES["float"] + ("i8",), "element type")


def in_floats(s):
    """Of integers that f32 holds."""
    return Set(s.lo.astype(np.float64), s.hi.astype(np.float64))


def rounded(s, dtype):
    """Floats as the result's element type, integers by the nearest, ties to even."""
    return sets.settle(s, dtype) if is_float(dtype) else pointwise.cast(sets.monotone(np.rint, s), "f32", dtype)


#===-- windows -----------------------------------------------------------------===#

def slide(s, window, counts, source, outside):
    """(positions..., leading..., windows...) of a Set; `source(i, k, p)`: the place in dimension i from the end, or None."""
    rank, lead = len(window), s.lo.ndim - len(window)
    taken = s
    known = np.ones((), bool)
    for i, (size, count) in enumerate(zip(window, counts)):
        places = [[source(i, k, p) for p in range(count)] for k in range(size)]
        inside = np.array([[p is not None and 0 <= p < s.lo.shape[lead + i] for p in row] for row in places], bool).reshape(size, count)
        index = np.array([[p if p is not None else 0 for p in row] for row in places], np.int64).reshape(size, count)
        index = np.where(inside, index, 0)
        # One dimension becomes two: positions and windows.
        axis = lead + 2 * i
        if s.lo.shape[lead + i]:
            taken = taken.moved(lambda part: np.take(part, index, axis=axis))
        else:
            taken = taken.moved(lambda part: np.zeros(part.shape[:axis] + index.shape + part.shape[axis + 1:], part.dtype))
        known = known[..., None, None] & inside
    order = [lead + 2 * i for i in range(rank)] + list(range(lead)) + [lead + 2 * i + 1 for i in range(rank)]
    taken = taken.moved(lambda part: part.transpose(order))
    known = known.transpose([2 * i for i in range(rank)] + [2 * i + 1 for i in range(rank)])
    known = known.reshape(*window, *[1] * lead, *counts)
    fill = sets.exact(np.float64(outside) if isinstance(outside, float) else np.int64(outside))
    return sets.choose(np.broadcast_to(known, taken.shape), taken, fill.broadcast(taken.shape))


def forward(attributes):
    def source(i, k, p):
        return p * number(attributes, "stride", i) + k * number(attributes, "dilation", i) - number(attributes, "low", i)
    return source


def backward(attributes):
    def source(i, k, p):
        at = p + number(attributes, "low", i) - k * number(attributes, "dilation", i)
        return None if at % number(attributes, "stride", i) else at // number(attributes, "stride", i)
    return source


def count(size, window, attributes, i, ceil=False):
    low, stride = number(attributes, "low", i), number(attributes, "stride", i)
    rest = size + low + number(attributes, "high", i) - number(attributes, "dilation", i) * (window - 1) - 1
    require(size > 0 and rest >= 0, "window")
    if not ceil:
        return rest // stride + 1
    found = -(-rest // stride) + 1
    return found - ((found - 1) * stride >= size + low)


#===-- convolution -------------------------------------------------------------===#

def convolution_types(transposed):
    def types(args, attributes, runs):
        x, w, groups = args[0], args[1], attributes["groups"]
        is_one_of(x.dtype, "float", "integer")
        require(all(a.dtype == x.dtype for a in args) and 3 <= len(x.dims) == len(w.dims) <= 5, "types")
        window = [d.sizes[0] for d in w.dims[2:]]
        require(all(d.static and d.sizes[0] > 0 for d in w.dims[2:]) and groups >= 1, "window")
        require(not attributes.get("tf32") or x.dtype == "f32", "tf32")
        if transposed:
            require(x.dims[1].sizes == w.dims[0].sizes and all(c % groups == 0 for c in x.dims[1].sizes), "channels")
            channels = Dim(tuple(c * groups for c in w.dims[1].sizes), w.dims[1].static)
        else:
            require(all(c == groups * each for c, each in zip(x.dims[1].sizes, w.dims[1].sizes)), "channels")
            require(all(c % groups == 0 for c in w.dims[0].sizes), "groups")
            channels = w.dims[0]
        if len(args) == 3:
            require(len(args[2].dims) == 1 and args[2].dims[0].sizes == channels.sizes, "bias")
        dims = [x.dims[0], channels]
        for i, (d, k) in enumerate(zip(x.dims[2:], window)):
            if not transposed:
                dims.append(Dim(tuple(count(n, k, attributes, i) for n in d.sizes), d.static))
                continue
            stride, dilation = number(attributes, "stride", i), number(attributes, "dilation", i)
            extra = number(attributes, "output_padding", i)
            require(0 <= extra < max(stride, dilation), "output padding")
            sizes = tuple((n - 1) * stride + dilation * (k - 1) + 1 + extra - number(attributes, "low", i)
                          - number(attributes, "high", i) for n in d.sizes)
            require(min(sizes) > 0 and min(d.sizes) > 0, "size")
            dims.append(Dim(sizes, d.static))
        return [Type(x.dtype, tuple(dims))]
    return types


def convolution_words(attributes, names):
    return (", ".join(names) + list_words(attributes) + (f" groups = {attributes['groups']}" if attributes["groups"] > 1 else "")
            + (" allow_tf32" if attributes.get("tf32") else ""))


def convolution_value(transposed):
    def value(at):
        x, w, attributes = at.sets[0], at.sets[1], at.attributes
        groups, shape = attributes["groups"], at.shape()
        window, spatial = w.shape[2:], shape[2:]
        zero = 0.0 if is_float(at.dtype) else 0
        windows = slide(x, window, spatial, (backward if transposed else forward)(attributes), zero)
        rank, channels = len(window), x.shape[1] // groups
        volume, places = math.prod(window), math.prod(spatial)
        # (k..., n, c, p...) as (n, g, (c, k...), (p...)).
        order = [rank, rank + 1, *range(rank), *range(rank + 2, 2 * rank + 2)]
        columns = windows.moved(lambda part: part.transpose(order).reshape(shape[0], groups, channels * volume, places))
        if transposed:
            outputs = w.shape[1]
            rows = w.moved(lambda part: part.reshape(groups, channels, outputs, volume).transpose(0, 2, 1, 3)
                           .reshape(groups, outputs, channels * volume))
        else:
            outputs = w.shape[0] // groups
            rows = w.moved(lambda part: part.reshape(groups, outputs, channels * volume))
        found = folding.matmul(at.context, rows, columns, at.dtype, at.dtype, bool(attributes.get("tf32")))
        found = found.moved(lambda part: part.reshape(shape))
        if len(at.sets) == 3:
            bias = at.sets[2].moved(lambda part: part.reshape(-1, *[1] * rank))
            found = pointwise.binary("add", at.context, at.dtype, found, bias)
        return [found]
    return value


def convolution_scratch(args, attributes, runs):
    """Elements of the windows: the batch and channels times the result's spatial sizes and the window's, at most."""
    result = convolution_types("output_padding" in attributes)(args, attributes, runs)[0]
    dims = [*args[0].dims[:2], *result.dims[2:], *args[1].dims[2:]]
    return 2 * max(shapes.volumes(dims, runs))


#===-- pooling -----------------------------------------------------------------===#

def pool_types(mean):
    def types(args, attributes, runs):
        is_averaged(args[0].dtype) if mean else is_one_of(args[0].dtype, "float", "integer")
        window, dims = attributes["window"], args[0].dims
        require(1 <= len(window) <= 3 and len(window) <= len(dims) and min(window) >= 1, "window")
        require(len(dims) + len(window) <= 8, "rank")
        for i, k in enumerate(window):
            for name in ("low", "high"):
                require(0 <= number(attributes, name, i) <= number(attributes, "dilation", i) * (k - 1), "padding")
        found = list(dims[:len(dims) - len(window)])
        for i, (d, k) in enumerate(zip(dims[len(found):], window)):
            found.append(Dim(tuple(count(n, k, attributes, i, attributes["ceil"]) for n in d.sizes), d.static))
        return [Type(args[0].dtype, tuple(found))]
    return types


def pool_words(attributes, names):
    return (f"{names[0]} window = {attributes['window']}" + list_words(attributes) + " ceil_mode" * attributes["ceil"]
            + (" count_include_pad = false" if attributes.get("exclude") else ""))


def maxpool_value(at):
    window = at.attributes["window"]
    lowest = -np.inf if is_float(at.dtype) else integer_range(at.dtype)[0]
    rank = len(window)
    windows = slide(at.sets[0], window, at.shape()[len(at.shape()) - rank:], forward(at.attributes), lowest)
    return [folding.extreme_of("max", windows, at.dtype, tuple(range(rank)), False)]


def avgpool_value(at):
    window, attributes, rank = at.attributes["window"], at.attributes, len(at.attributes["window"])
    from_, to = at.sets[0].shape[len(at.shape()) - rank:], at.shape()[len(at.shape()) - rank:]
    source = forward(attributes)
    windows = slide(at.sets[0], window, to, source, 0.0 if is_float(at.dtype) else 0)
    axes = tuple(range(rank))
    total = folding.sum_of(windows, axes, False) if is_float(at.dtype) else in_floats(folding.exact_sum(windows, "i64", axes, False))
    total = sets.settle(total, "f32")
    number_ = np.ones((), np.int64)
    for i, (n, k, size) in enumerate(zip(from_, window, to)):
        first, end = (0, n) if attributes.get("exclude") else (-number(attributes, "low", i), n + number(attributes, "high", i))
        own = np.array([sum(first <= source(i, j, p) < end for j in range(k)) for p in range(size)], np.int64)
        number_ = number_[..., None] * own
    number_ = np.broadcast_to(number_, at.shape()).astype(float)
    mean = sets.settle(sets.div(total, sets.exact(np.maximum(number_, 1))), "f32", pointwise.FEW, 2.0**-148)
    none = Set(np.zeros(at.shape()), np.zeros(at.shape()), np.ones(at.shape(), bool), np.zeros(at.shape(), bool))
    return [rounded(sets.choose(number_ == 0, none, mean), at.dtype)]


#===-- norms over channels -----------------------------------------------------===#

def channel_types(spatial):
    def types(args, attributes, runs):
        x = args[0]
        is_one_of(x.dtype, "float")
        require(len(x.dims) >= 2 + spatial and all(a.dtype == x.dtype for a in args), "types")
        require(all(len(a.dims) == 1 and a.dims[0].sizes == x.dims[1].sizes for a in args[1:]), "channels")
        require(all(c % attributes.get("groups", 1) == 0 for c in x.dims[1].sizes), "groups")
        return [x]
    return types


def channel_words(attributes, names):
    groups = f" groups = {attributes['groups']}" if "groups" in attributes else ""
    return f"{', '.join(names)}{groups} eps = {attributes['eps']:.1e}"


def group_norm(at, groups):
    x, shape = at.sets[0], at.sets[0].shape
    if x.lo.size == 0:
        return [x]
    s = x.moved(lambda part: part.reshape(shape[0], groups, -1))
    each = s.shape[2] // (shape[1] // groups)
    weight, bias = (v.moved(lambda part: np.repeat(part.reshape(groups, -1), each, axis=1)[None]) for v in at.sets[1:])
    mean = folding.mean_of(at.context, s, (2,), True)
    centred = sets.settle(sets.sub(s, mean.broadcast(s.shape)), "f32")
    variance = folding.variance_of(at.context, s, (2,), 0, True)
    found = folding.scaled(at.context, at.dtype, centred, variance, at.attributes["eps"], weight, bias)
    return [found.moved(lambda part: part.reshape(shape))]


def batch_norm(at):
    x = at.sets[0]
    wide = [v.moved(lambda part: part.reshape(-1, *[1] * (x.lo.ndim - 2))) for v in at.sets[1:]]
    mean, variance, weight, bias = (v.broadcast(x.shape) for v in wide)
    centred = sets.settle(sets.sub(x, mean), "f32")
    scale = folding.scaled(at.context, "f32", weight, variance, at.attributes["eps"], sets.exact(np.ones(x.shape)))
    product = sets.settle(sets.mul(centred, scale), "f32", folding.FEW, 2.0**-147)
    if at.dtype == "f32":
        # As a part of a convolution it has one more rounding, of what is added to all products of a channel.
        with np.errstate(all="ignore"):
            terms = [bias, sets.mul(mean, scale), sets.mul(x, scale)]
            more = sum(np.fmax(np.abs(term.lo), np.abs(term.hi)) for term in terms) * folding.F32
        more = np.where(np.isfinite(more), more, 0.0)
        product = Set(product.lo - more, product.hi + more, product.nan, product.num)
    return [sets.settle(sets.add(product, bias), at.dtype)]


#===-- resize ------------------------------------------------------------------===#

def fraction(scale):
    return fractions.Fraction(scale).limit_denominator(1 << 12)


def resize_types(args, attributes, runs):
    x, sizes, scales = args[0], attributes.get("sizes"), attributes.get("scales")
    if attributes["mode"] != "nearest":
        is_averaged(x.dtype)
    require(len(sizes or scales) == len(x.dims), "one for each dimension")
    require(attributes["mode"] != "nearest" or attributes["coordinates"] != "align_corners", "coordinates")
    dims = []
    for i, d in enumerate(x.dims):
        if scales:
            to = d if scales[i] == 1 else Dim(tuple(int(n * fraction(scales[i])) for n in d.sizes), d.static)
        elif sizes[i] == -1:
            to = d
        else:
            values, shown = shapes.entry_values(sizes[i], args, runs)
            require(min(values) >= 0, "negative")
            to = Dim(tuple(values), shown)
        require(to.sizes == d.sizes or all(n > 0 or not m for n, m in zip(d.sizes, to.sizes)), "empty")
        dims.append(to)
    return [Type(x.dtype, tuple(dims))]


def resize_words(attributes, names):
    sizes, scales = attributes.get("sizes"), attributes.get("scales")
    if sizes:
        shown = ", ".join(names[int(s[1:])] if isinstance(s, str) else str(s) for s in sizes)
    words = f"to [{shown}]" if sizes else f"scales = [{', '.join(f'{s:.6e}' for s in scales)}]"
    return f'{names[0]} {words} mode = "{attributes["mode"]}" coordinates = "{attributes["coordinates"]}"'


def keys(d, a=-0.75):
    return (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a


def weigh(s, axis, size, scale, attributes):
    """One dimension: sums of a few elements times weights."""
    mode, coordinates, n = attributes["mode"], attributes["coordinates"], s.shape[axis]
    scale = scale or fractions.Fraction(size, n)
    half = fractions.Fraction(1, 2)
    places = [{"half_pixel": lambda i: (i + half) / scale - half, "asymmetric": lambda i: i / scale,
               "align_corners": lambda i: fractions.Fraction(i * (n - 1), max(size - 1, 1))}[coordinates](fractions.Fraction(i))
              for i in range(size)]

    def take(offset, shift=0):
        index = [min(max(math.floor(p + shift) + offset, 0), n - 1) for p in places]
        return s.moved(lambda part: np.take(part, np.array(index, np.int64), axis=axis))
    if mode == "nearest":
        return take(0, half if coordinates == "half_pixel" else 0)
    behind = [float(p - math.floor(p)) for p in places]
    weights = {"linear": [(0, lambda t: 1 - t), (1, lambda t: t)],
               "cubic": [(-1, lambda t: keys(t + 1)), (0, keys), (1, lambda t: keys(1 - t)), (2, lambda t: keys(2 - t))]}[mode]
    shape = [-1 if i == axis else 1 for i in range(s.lo.ndim)]
    lo = hi = total = 0.0
    bad = False
    for offset, weight in weights:
        part, w = take(offset), np.array([weight(t) for t in behind]).reshape(shape)
        wild = ~np.isfinite(part.lo) | ~np.isfinite(part.hi) | part.nan | ~part.num
        low, high = np.where(wild, 0, part.lo), np.where(wild, 0, part.hi)
        bad = bad | wild
        lo = lo + np.minimum(w * low, w * high)
        hi = hi + np.maximum(w * low, w * high)
        total = total + np.maximum(np.abs(low), np.abs(high))
    # Of weights, products and sums.
    error = total * 2.0**-17 + 2.0**-140
    bad = bad | (total > folding.LARGEST / 4)
    return sets.settle(Set(np.where(bad, -np.inf, lo - error), np.where(bad, np.inf, hi + error), bad), "f32")


def resize_value(at):
    found, shape, scales, is_average = at.sets[0], at.shape(), at.attributes.get("scales"), at.attributes["mode"] != "nearest"
    if is_average and not is_float(at.dtype):
        found = in_floats(found)
    for axis, size in enumerate(shape):
        from_, to = at.args[0].dims[axis], at.results[0].dims[axis]
        # What the text does not show to be equal may be weighed with 1 and 0, which makes NaN of an infinite neighbour.
        kept = scales[axis] == 1 if scales else at.attributes["sizes"][axis] == -1 or from_ == to and to.static
        if kept:
            continue
        if found.shape[axis] == 0 or size == 0:
            found = found.moved(lambda part: np.zeros([size if i == axis else n for i, n in enumerate(part.shape)], part.dtype))
            continue
        found = weigh(found, axis, size, fraction(scales[axis]) if scales else None, at.attributes)
    return [rounded(found, at.dtype) if is_average else found]


#===-- entries -----------------------------------------------------------------===#

def entries(Op):
    """name -> entry of OPS."""
    convolution = Op(convolution_types(False), convolution_words, convolution_value(False))
    transposed = Op(convolution_types(True), convolution_words, convolution_value(True))
    convolution.scratch = transposed.scratch = convolution_scratch
    return {"convolution": convolution, "conv_transpose": transposed,
            "maxpool": Op(pool_types(False), pool_words, maxpool_value),
            "avgpool": Op(pool_types(True), pool_words, avgpool_value),
            "group_norm": Op(channel_types(0), channel_words, lambda at: group_norm(at, at.attributes["groups"])),
            "instance_norm": Op(channel_types(1), channel_words, lambda at: group_norm(at, at.sets[0].shape[1])),
            "batch_norm": Op(channel_types(0), channel_words, lambda at: batch_norm(at)),
            "resize": Op(resize_types, resize_words, resize_value)}
