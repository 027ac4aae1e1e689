"""More operations for OPS: sorts, selections, and random numbers."""
import numpy as np

import ops
import pointwise
import sets
import shapes
from elements import is_float
from ops import OPS, Op, is_one_of, list_text, number
from sets import Set
from shapes import Dim, Type, require


#===-- sort, topk --------------------------------------------------------------------===#

def sort_types(args, attributes, runs):
    axis = shapes.axis_of(attributes["dim"], len(args[0].dims))
    dims = list(args[0].dims)
    if "k" in attributes:
        require(attributes["k"] <= min(dims[axis].sizes), "k")
        dims[axis] = shapes.known(attributes["k"], runs)
    return [Type(args[0].dtype, tuple(dims)), Type("i32", tuple(dims))]


def bounds_of(s):
    """The least and the greatest that an element may be: pairs (whether it is NaN, number), NaN being the greatest."""
    low = ~s.num, np.where(s.num, s.lo, np.zeros_like(s.lo))
    high = s.nan, np.where(s.nan, np.zeros_like(s.hi), s.hi)
    return low, high


def ranks_of(s, descending):
    """Numbers in the order of the elements' least and greatest values, equal ones of equal values."""
    low, high = bounds_of(s)
    both = [np.concatenate(parts, axis=-1) for parts in zip(low, high)]
    order = np.lexsort((both[1], both[0]), axis=-1)
    nan, number = (np.take_along_axis(part, order, axis=-1) for part in both)
    steps = np.zeros(order.shape, np.int64)
    steps[..., 1:] = (nan[..., 1:] != nan[..., :-1]) | (number[..., 1:] != number[..., :-1])
    ranks = np.empty_like(steps)
    np.put_along_axis(ranks, order, np.cumsum(steps, axis=-1), axis=-1)
    least, greatest = ranks[..., :s.shape[-1]], ranks[..., s.shape[-1]:]
    return (2 * s.shape[-1] - greatest, 2 * s.shape[-1] - least) if descending else (least, greatest)


def cover(first, last, elements, function, nothing):
    """For each place in order, the least (np.minimum) or greatest element of those whose places, `first` to `last`, hold it."""
    rows, count = first.shape
    length = last - first + 1
    level = np.frexp(length)[1] - 1  # of the greatest power of two that is not above it
    row = np.broadcast_to(np.arange(rows)[:, None], first.shape)
    found = np.full((rows, count), nothing)
    for k in range(int(level.max()), -1, -1):
        # What holds for 2^(k + 1) places from here holds for both halves.
        half = np.full((rows, count), nothing)
        if 1 << k < count:
            half[:, 1 << k:] = found[:, :count - (1 << k)]
        found = function(found, half)
        here = level == k
        for start in (first, last + 1 - (1 << k)):
            function.at(found, (row[here], start[here]), elements[here])
    return found


def places_of(s, descending):
    """For each place in order, the first and the last element that may be there, of rows along the last dimension."""
    shape, count = s.shape, s.shape[-1]
    least, greatest = (part.reshape(-1, count) for part in ranks_of(s, descending))
    rows = np.arange(len(least))[:, None]
    # i comes before j for certain when its greatest value is below j's least, or equal and i < j.
    elements = np.broadcast_to(np.arange(count), least.shape)
    lows, highs = (((rows * (2 * count + 1) + part) * count + elements).ravel() for part in (least, greatest))
    begin = (rows * count).repeat(count)
    before = np.searchsorted(np.sort(highs), lows) - begin
    behind = begin + count - np.searchsorted(np.sort(lows), highs, side="right")
    first, last = (part.reshape(least.shape) for part in (before, count - 1 - behind))
    return (cover(first, last, elements, np.minimum, count).reshape(shape), cover(first, last, elements, np.maximum, -1).reshape(shape))


def sorted_values(s, descending, first, last):
    """The bounds in order bound the values in order."""
    if (first == last).all():
        return s.moved(lambda part: np.take_along_axis(part, first, axis=-1))
    low, high = bounds_of(s)

    def in_order(bound):
        order = np.lexsort((bound[1], bound[0]), axis=-1)
        return tuple(np.take_along_axis(part, order, axis=-1) for part in bound)
    (low_nan, lo), (high_nan, hi) = in_order(low), in_order(high)
    numbers = np.where(s.num, s.hi, s.lo.min())
    hi = np.where(high_nan, numbers.max(axis=-1, keepdims=True), hi)
    found = Set(np.where(low_nan, hi, lo), hi, high_nan, ~low_nan)
    return found.moved(lambda part: part[..., ::-1]) if descending else found


def sort_value(at):
    axis = at.attributes["dim"] % len(at.args[0].dims)
    descending = at.attributes["descending"]
    rows = at.sets[0].moved(lambda part: np.moveaxis(part, axis, -1))
    count = at.attributes.get("k", rows.shape[-1])
    if rows.lo.size == 0 or count == 0:
        shape = at.shape()
        empty = at.sets[0].moved(lambda part: np.zeros(shape, part.dtype))
        return [empty, sets.exact(np.zeros(shape, np.int64))]
    first, last = places_of(rows, descending)
    values = sorted_values(rows, descending, first, last)

    def back(part):
        return np.moveaxis(part[..., :count], -1, axis)
    return [values.moved(back), Set(first.astype(np.int64), last.astype(np.int64)).moved(back)]


def sort_words(attributes, names):
    return f"{names[0]} dim = {attributes['dim']}" + (" descending" if attributes["descending"] else "")


def topk_words(attributes, names):
    smallest = "" if attributes["descending"] else " smallest"
    return f"{names[0]} k = {attributes['k']} dim = {attributes['dim']}{smallest}"


OPS["sort"] = Op(sort_types, sort_words, sort_value)
OPS["topk"] = Op(sort_types, topk_words, sort_value)


#===-- random numbers ------------------------------------------------------------===#

def philox(counter, key):
    """Blocks of Philox 4x32-10: four arrays of words from four of a counter and two numbers of a key."""
    low32 = np.uint64(0xffffffff)
    c = [np.asarray(word, np.uint64) for word in counter]
    k = [np.uint64(word) for word in key]
    for turn in range(10):
        if turn:
            k = [(k[0] + np.uint64(0x9e3779b9)) & low32, (k[1] + np.uint64(0xbb67ae85)) & low32]
        first, second = c[0] * np.uint64(0xd2511f53), c[2] * np.uint64(0xcd9e8d57)
        c = [(second >> np.uint64(32)) ^ c[1] ^ k[0], second & low32, (first >> np.uint64(32)) ^ c[3] ^ k[1], first & low32]
    return c


def words_of(seed, count):
    """The words of the blocks 0 to `count` of a stream: an array of count x 4."""
    key, stream = (int(seed), 0) if seed.ndim == 0 else (int(seed[0]), int(seed[1]))

    def halves(value):
        value %= 1 << 64
        return value & 0xffffffff, value >> 32
    blocks = np.arange(count, dtype=np.uint64)
    low, high = halves(stream)
    zero = np.zeros_like(blocks)
    found = philox([blocks & np.uint64(0xffffffff), blocks >> np.uint64(32), zero + np.uint64(low), zero + np.uint64(high)],
                   halves(key))
    return np.stack(found, axis=-1)


def stream(seed, bits, count):
    """The first `count` numbers of `bits` bits."""
    words = words_of(seed, count // (128 // bits) + 1).reshape(-1)
    if bits == 64:
        words = words[0::2] | (words[1::2] << np.uint64(32))
    return words[:count]


def random_types(args, attributes, runs):
    require(args[0].dtype == "i64", "seed")
    dims = []
    for entry in attributes["sizes"]:
        values, shown = shapes.entry_values(entry, args, runs)
        require(min(values) >= 0, "negative size")
        dims.append(Dim(tuple(values), shown))
    seed = args[0].dims
    require(not seed or (len(seed) == 1 and set(seed[0].sizes) == {2}), "seed")
    if attributes["dtype"] != "i1":
        is_one_of(attributes["dtype"], ("float", "double"))
    return [Type(attributes["dtype"], tuple(dims))]


def uniform_numbers(at, seed, count):
    dtype = at.attributes["dtype"]
    kept = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}[dtype]
    width = 64 if dtype == "f64" else 32
    numbers = stream(seed, width, count) >> np.uint64(width - kept)
    return sets.exact(numbers.astype(np.float64) * 2.0**-kept)


def normal_numbers(at, seed, count):
    dtype = at.attributes["dtype"]
    if dtype == "f64":
        pairs = (stream(seed, 64, 2 * count) >> np.uint64(11)).reshape(-1, 2).astype(np.float64)
        u, v = (pairs[:, 0] + 1) * 2.0**-53, pairs[:, 1] * 2.0**-53
    else:
        pairs = stream(seed, 64, count)
        u = ((pairs & np.uint64(0xffffffff)).astype(np.float64) + 1).astype(np.float32) * 2.0**-32
        v = (pairs >> np.uint64(32)).astype(np.float64) * 2.0**-32
    distance = np.sqrt(-2 * np.log(u.astype(np.float64)))
    found = distance * np.cos(2 * np.pi * v)
    # f32 rounds the angle to 24 bits, and log its result; so do the types of f64.
    error = (2.0**-49 if dtype == "f64" else 2.0**-19) * (1 + distance)
    result = sets.settle(Set(found - error, found + error), "f64" if dtype == "f64" else "f32")
    return pointwise.cast(result, "f32", dtype) if dtype not in ("f64", "f32") else result


def bernoulli_numbers(at, seed, count):
    limit = np.uint64(int(np.rint(at.attributes["p"] * 2.0**32)))
    return sets.exact((stream(seed, 32, count) < limit).astype(np.int64))


def random_value(numbers):
    def value(at):
        seed, shape = at.sets[0], at.shape()
        if not (seed.lo == seed.hi).all():
            return [sets.unknown(shape, at.attributes["dtype"]) if is_float(at.attributes["dtype"])
                    else Set(np.zeros(shape, np.int64), np.ones(shape, np.int64))]
        return [numbers(at, seed.lo, int(np.prod(shape))).moved(lambda part: part.reshape(shape))]
    return value


def random_words(attributes, names):
    last = f"p = {number(attributes['p'], 'f64')}" if "p" in attributes else f"dtype = {attributes['dtype']}"
    return f"{names[0]} {list_text(attributes['sizes'], names)} {last}"


OPS["random_uniform"] = Op(random_types, random_words, random_value(uniform_numbers))
OPS["random_normal"] = Op(random_types, random_words, random_value(normal_numbers))
OPS["random_bernoulli"] = Op(random_types, random_words, random_value(bernoulli_numbers))

assert ops.OPS is OPS
