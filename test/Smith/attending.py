"""Attention: types, text, evaluation over Sets, and how it is drawn.

Scores and their exponentials are f32, which 16 bits may hold until they are multiplied; sums are in any order.
"""
import numpy as np

import folding
import sets
import shapes
from elements import CLASSES, SHORT
from sets import Set
from shapes import Type, require

F32 = 2.0**-24
# A little less than the largest f32.
MOST = 3.4e38
# Of what exponentials may be rounded to: half the spacing at 1, and of the smallest numbers.
SHORT_ERROR = {"f16": (2.0**-11, 2.0**-25), "bf16": (2.0**-8, 2.0**-133)}


#===-- types and text ----------------------------------------------------------===#

def same(*dims):
    """What is known of sizes that are equal."""
    require(all(dim.sizes == dims[0].sizes for dim in dims), "sizes")
    return next((dim for dim in dims if dim.static), dims[0])


def operands(attributes, values):
    """Query, key, value, mask and lengths; None where there is none."""
    rest = list(values[3:])
    return [*values[:3], rest.pop(0) if attributes["mask"] else None, rest.pop(0) if attributes["lengths"] else None]


def broadcasts(dims, full):
    require(len(dims) <= len(full), "rank")
    for dim, target in zip(dims, full[len(full) - len(dims):]):
        require(all(a in (1, b) for a, b in zip(dim.sizes, target.sizes)), "broadcast")


def types(args, attributes, runs):
    query, key, value, mask, lengths = operands(attributes, args)
    require(query.dtype in CLASSES["float"] and key.dtype == value.dtype == query.dtype, "element type")
    q, k, v = query.dims, key.dims, value.dims
    require(3 <= len(q) == len(k) == len(v), "rank")
    batch = [same(*dims) for dims in zip(q[:-3], k[:-3], v[:-3])]
    shared, keys = same(k[-3], v[-3]), same(k[-2], v[-2])
    heads = q[-3]
    if heads.static and shared.static:
        n, m = heads.sizes[0], shared.sizes[0]
        require(n == m or (m > 0 and n % m == 0), "heads")
    else:
        heads = same(heads, shared)
    require(q[-1].static and k[-1].static and v[-1].static and q[-1].sizes == k[-1].sizes and q[-1].sizes[0] > 0, "head sizes")
    if mask:
        require(mask.dtype in ("i1", "f32", query.dtype), "mask")
        broadcasts(mask.dims, [*batch, heads, q[-2], keys])
    if lengths:
        require(lengths.dtype == "i32", "lengths")
        broadcasts(lengths.dims, batch)
    return [Type(query.dtype, (*batch, heads, q[-2], v[-1]))]


def words(attributes, names):
    query, key, value, mask, lengths = operands(attributes, names)
    text = f"{query}, {key}, {value}" + (f" mask = {mask}" if mask else "") + (f" lengths = {lengths}" if lengths else "")
    text += f' causal = "{attributes["causal"]}"' if attributes["causal"] else ""
    return text + (f" scale = {attributes['scale']:.6e}" if attributes["scale"] is not None else "")


#===-- evaluation --------------------------------------------------------------===#

def visible(at, mask, lengths, shape):
    """Which keys are seen for certain, which may be, and which values are read: arrays of the scores' shape."""
    row, column = np.arange(shape[-2])[:, None], np.arange(shape[-1])[None, :]
    limits = [np.full((1,) * len(shape), shape[-1])] * 2
    if lengths is not None:
        limits = [np.clip(part, 0, shape[-1])[..., None, None, None] for part in (lengths.lo, lengths.hi)]
    found = []
    for limit in limits:
        seen = column < limit
        if at.attributes["causal"] == "top_left":
            seen = seen & (column <= row)
        if at.attributes["causal"] == "bottom_right":
            seen = seen & (column + shape[-2] <= row + limit)
        found.append(np.broadcast_to(seen, shape))
    certain, possible = found
    read = np.broadcast_to(column < limits[1], shape)
    if mask is not None and at.args[3].dtype == "i1":
        certain, possible = certain & (mask.lo > 0), possible & (mask.hi > 0)
    return certain, possible, read


def scores(at, query, key, mask):
    depth = query.shape[-1]
    found = folding.matmul(at.context, query, key.moved(lambda part: np.swapaxes(part, -1, -2)), at.dtype, "f32")
    scale = at.attributes["scale"] if at.attributes["scale"] is not None else 1 / np.sqrt(depth)
    found = sets.settle(sets.mul(found, sets.exact(np.float64(np.float32(scale)))), "f32", 4 * F32, 2.0**-148)
    if mask is not None and at.args[3].dtype != "i1":
        found = sets.settle(sets.add(found, mask.broadcast(found.shape)), "f32", 4 * F32)
    return found


def shares(at, score, certain, possible):
    """Of each key, between 0 and 1; and the rows of which nothing is known."""
    minus = score.points() & score.num & (score.lo == -np.inf)
    seen = possible & ~minus
    wild = seen & (score.nan | ~score.num | ~np.isfinite(score.lo) | ~np.isfinite(score.hi))
    unsure = np.any(wild | (possible != certain), axis=-1, keepdims=True)
    lo, hi = (np.where(seen & ~wild, part, -np.inf) for part in (score.lo, score.hi))
    most = np.max(hi, axis=-1, keepdims=True, initial=-np.inf)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(all="ignore"):
        low, high = np.exp(lo - most), np.exp(hi - most)
        others = [part.sum(-1, keepdims=True) - part for part in (low, high)]
        p = Set(np.where(low > 0, low / (low + np.maximum(others[1], 0)), 0.0),
                np.where(high > 0, high / (high + np.maximum(others[0], 0)), 0.0))
    # Denormal exponentials may be 0; rounding relative to the largest one.
    relative, absolute = SHORT_ERROR.get(at.dtype, (0.0, 2.0**-125))
    count = score.shape[-1]
    slack = 2 * relative + (count + 16) * F32 + 8 * F32 * np.where(seen, np.abs(np.where(seen & ~wild, lo - most, 0)), 0)
    slack = slack + (2.0**-12 if at.context.cuda and at.dtype in SHORT else 0.0)
    lo = np.maximum(p.lo * (1 - slack) - absolute, 0)
    hi = np.where(seen, p.hi * (1 + slack) + 2 * absolute, 0.0)
    return Set(np.where(seen, lo, 0.0), hi), unsure


def value(at):
    query, key, values, mask, lengths = operands(at.attributes, at.sets)
    shape = (*at.shape()[:-1], key.shape[-2])
    if 0 in at.shape():
        return [sets.exact(np.zeros(at.shape()))]
    if shape[-1] == 0:
        return [sets.exact(np.zeros(at.shape()))]
    groups = shape[-3] // key.shape[-3]
    key, values = (s.moved(lambda part: np.repeat(part, groups, axis=-3)) for s in (key, values))
    certain, possible, read = visible(at, mask, lengths, shape)
    p, unsure = shares(at, scores(at, query, key, mask), certain, possible)
    # Values behind the lengths are not read; those that are hidden otherwise are multiplied by 0, or not read.
    kept = np.swapaxes(read[..., :1, :], -1, -2)
    values = sets.choose(np.broadcast_to(kept, values.shape), values, sets.exact(np.zeros(values.shape)))
    found = folding.matmul(at.context, p, values, at.dtype, at.dtype)
    everything = sets.unknown(found.shape, at.dtype)
    # Sums are divided at their end: what adds up to more than f32 holds may be infinite, or NaN.
    with np.errstate(all="ignore"):
        magnitudes = np.where(values.num, np.maximum(np.abs(values.lo), np.abs(values.hi)), 0.0)
        large = np.matmul(possible.astype(np.float64), np.where(np.isfinite(magnitudes), magnitudes, 0.0)) > MOST
    return [sets.choose(np.broadcast_to(unsure | large, found.shape), everything, found)]


#===-- drawing -----------------------------------------------------------------===#

def draw_mask(b, dtype, full):
    dims = [shapes.known(1, b.runs) if b.chance(0.3) else d for d in full[b.some(0, len(full) - 1):]]
    return b.fresh(b.one_of(["i1", "i1", dtype, "f32"]), dims)


def draw_heads(b, heads):
    if not heads.static or heads.sizes[0] == 0:
        return heads
    return shapes.known(b.one_of([n for n in range(1, heads.sizes[0] + 1) if heads.sizes[0] % n == 0]), b.runs)


def draw(b):
    query = b.operand(CLASSES["float"], (3, 5), lambda t: t.dims[-1].static and t.dims[-1].sizes[0] > 0)
    type_ = b.type(query)
    *batch, heads, rows, depth = type_.dims
    shared = draw_heads(b, heads)
    keys = b.one_of([*b.dims, shapes.known(b.one_of([0, 1, 2, 5, 9, 17, 100, 130]), b.runs)])
    width = depth if b.chance(0.6) else shapes.known(b.one_of([1, 2, 3, 8, 16]), b.runs)
    for dims in ([*batch, heads, rows, keys, depth], [*batch, heads, rows, keys, width], [*batch, shared, keys, depth]):
        volumes = shapes.volumes(dims, b.runs)
        if max(volumes[:-1] if b.wide else volumes) > b.limits.products or volumes[-1] > 1_000_000:
            raise shapes.Invalid("products")
    args = [query]
    if b.chance(0.15) and shared == heads:
        keys, width = rows, depth
        args += [query, query]
    else:
        args += [b.fresh(type_.dtype, [*batch, shared, keys, depth]), b.fresh(type_.dtype, [*batch, shared, keys, width])]
    attributes = {"mask": b.chance(0.4), "lengths": b.chance(0.3), "causal": b.one_of(["", "", "top_left", "bottom_right"]),
                  "scale": b.one_of([None, None, 0.5, 1.0, 0.0, -1.0])}
    if attributes["mask"]:
        args.append(draw_mask(b, type_.dtype, [*batch, heads, rows, keys]))
    if attributes["lengths"]:
        args.append(b.fresh("i32", batch[b.some(0, len(batch)):] if batch else []))
    b.apply("attention", args, attributes)


DRAW = {"attention": (3.0, draw)}


def entries(Op):
    """name -> entry of OPS."""
    return {"attention": Op(types, words, value)}
