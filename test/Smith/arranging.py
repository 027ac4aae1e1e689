"""More operations for OPS: turned, repeated and cut tensors, and tensors that are changed in places."""
import numpy as np

import ops
import pointwise
import sets
import shapes
from elements import CLASSES
from ops import OPS, Op, list_text, moving, same
from sets import Set
from shapes import Dim, Type, require


#===-- flip, roll, tile, repeat, tril, triu ----------------------------------------===#

def flip_types(args, attributes, runs):
    rank = len(args[0].dims)
    axes = [shapes.axis_of(dim, rank) for dim in attributes["dims"]]
    require(len(set(axes)) == len(axes), "dims")
    require(len(attributes.get("shifts", axes)) == len(axes), "shifts")
    return args[0].dims


def copied(args, attributes, runs):
    dims = []
    require(len(attributes["counts"]) == len(args[0].dims), "counts")
    for dim, count in zip(args[0].dims, attributes["counts"]):
        counts, shown = shapes.entry_values(count, args, runs)
        require(min(counts) >= 0, "count")
        dims.append(Dim(tuple(a * b for a, b in zip(dim.sizes, counts)), dim.static and shown))
    return dims


def repeat_all(at, part):
    for axis, count in enumerate(at.attributes["counts"]):
        part = part.repeat(at.entry(count), axis)
    return part


def triangle_types(args, attributes, runs):
    require(len(args[0].dims) >= 2, "rank")
    return [args[0]]


def triangle(function):
    def value(at):
        rows, columns = at.sets[0].shape[-2:]
        kept = function(np.ones((rows, columns), bool), at.attributes["diagonal"])
        zero = sets.exact(np.zeros((), at.sets[0].lo.dtype))
        return [pointwise.where(sets.exact(kept.astype(np.int64)), at.sets[0], zero)]
    return value


moving("flip", same(flip_types), lambda a, names: f"{names[0]} dims = {a['dims']}",
       lambda at, part: np.flip(part, tuple(at.attributes["dims"])))
moving("roll", same(flip_types), lambda a, names: f"{names[0]} by {a['shifts']} dims = {a['dims']}",
       lambda at, part: np.roll(part, at.attributes["shifts"], at.attributes["dims"]) if part.size else part)
moving("tile", same(copied), lambda a, names: f"{names[0]} by {list_text(a['counts'], names)}",
       lambda at, part: np.tile(part, [at.entry(count) for count in at.attributes["counts"]]))
moving("repeat", same(copied), lambda a, names: f"{names[0]} by {list_text(a['counts'], names)}", repeat_all)
for _name, _function in (("tril", np.tril), ("triu", np.triu)):
    OPS[_name] = Op(triangle_types, lambda a, names: f"{names[0]} diagonal = {a['diagonal']}", triangle(_function))


#===-- pad with a mode -------------------------------------------------------------===#

value_pad = OPS["pad"]


def pad_types(args, attributes, runs):
    if "mode" not in attributes:
        return value_pad.types(args, attributes, runs)
    dims = shapes.padded(args[0], attributes, args, runs)
    require(all(size or not grown for old, new in zip(args[0].dims, dims) for size, grown in zip(old.sizes, new.sizes)), "empty")
    return [Type(args[0].dtype, dims)]


def pad_words(a, names):
    if "mode" not in a:
        return value_pad.words(a, names)
    return f'{names[0]} low {list_text(a["low"], names)} high {list_text(a["high"], names)} mode = "{a["mode"]}"'


def pad_by_mode(part, widths, mode):
    """By the places that are taken: some versions of np.pad are wrong for wide borders that wrap."""
    for axis, (low, high) in enumerate(widths):
        size = part.shape[axis]
        places = np.arange(-low, size + high)
        if mode == "wrap":
            places = places % size
        elif mode == "edge":
            places = np.clip(places, 0, size - 1)
        else:
            period = max(2 * (size - 1), 1)
            places = np.minimum(places % period, period - places % period)
        if low or high:
            part = np.take(part, places, axis=axis)
    return part


def pad_value(at):
    if "mode" not in at.attributes:
        return value_pad.value(at)
    widths = [(at.entry(low), at.entry(high)) for low, high in zip(at.attributes["low"], at.attributes["high"])]
    if 0 in at.shape():
        return [at.sets[0].moved(lambda part: np.zeros(at.shape(), part.dtype))]
    return [at.sets[0].moved(lambda part: pad_by_mode(part, widths, at.attributes["mode"]))]


OPS["pad"] = Op(pad_types, pad_words, pad_value)


#===-- from_index, scatter, update_slice -------------------------------------------===#

def from_index_types(args, attributes, runs):
    return [Type(attributes["dtype"], ())]


def from_index_value(at):
    found = sets.exact(np.array(at.entry("#0"), dtype=np.int64))
    return [pointwise.cast(found, "i64", at.attributes["dtype"]) if at.attributes["dtype"] != "i64" else found]


def update_types(args, attributes, runs):
    target, update, start = args
    axis = shapes.axis_of(attributes["dim"], len(target.dims))
    require(start.dtype in CLASSES["integer"] and update.dtype == target.dtype, "element types")
    require(len(update.dims) == len(target.dims) and not start.dims, "rank")
    for i, (a, b) in enumerate(zip(target.dims, update.dims)):
        if i != axis:
            shapes.agree(a, b)
    return [target]


def scatter_types(args, attributes, runs):
    """The update has the index's dimensions where the input has `dim`."""
    target, index, update = args
    axis = shapes.axis_of(attributes["dim"], len(target.dims))
    require(index.dtype in CLASSES["integer"] and update.dtype == target.dtype, "element types")
    expected = [*target.dims[:axis], *index.dims, *target.dims[axis + 1:]]
    require(len(update.dims) == len(expected), "rank")
    for a, b in zip(expected, update.dims):
        shapes.agree(a, b)
    return [target]


def changed_value(at, input_, update, lows, highs):
    """Slices of `update` go, one after the other, to one of the places between `lows` and `highs`."""
    axis = at.attributes["dim"] % len(at.args[0].dims)
    size = input_.shape[axis]
    result = {slot: np.array(np.moveaxis(getattr(input_, slot), axis, 0)) for slot in Set.__slots__}
    rows = update.moved(lambda part: np.moveaxis(part, axis, 0))
    for i, (low, high) in enumerate(zip(lows, highs)):
        row = Set(*(getattr(rows, slot)[i] for slot in Set.__slots__))
        if low < 0 <= high:  # from the end, or from the front
            low, high = min(low + size, 0), max(high, size - 1)
        elif high < 0:
            low, high = low + size, high + size
        for place in range(max(low, 0), min(high, size - 1) + 1):
            new = row if low == high else sets.hull(Set(*(result[slot][place] for slot in Set.__slots__)), row)
            for slot in Set.__slots__:
                result[slot][place] = getattr(new, slot)
    return [Set(**result).moved(lambda part: np.moveaxis(part, 0, axis))]


def scatter_value(at):
    """Of an index of any rank, in row-major order."""
    input_, index, update = at.sets
    axis = at.attributes["dim"] % len(at.args[0].dims)
    joined = (*input_.shape[:axis], index.lo.size, *input_.shape[axis + 1:])
    rows = update.moved(lambda part: part.reshape(joined))
    return changed_value(at, input_, rows, [int(x) for x in index.lo.ravel()], [int(x) for x in index.hi.ravel()])


def update_value(at):
    input_, update, start = at.sets
    axis = at.attributes["dim"] % len(at.args[0].dims)
    size, low, high = input_.shape[axis], int(start.lo), int(start.hi)
    if low != high:
        # Between its bounds a start may be any: any slice may be anywhere, or nowhere.
        result = input_
        for i in range(update.shape[axis]):
            row = update.moved(lambda part, i=i: np.take(part, [i], axis=axis))
            result = sets.hull(result, row.broadcast(result.shape))
        return [result]
    first = low + size if low < 0 else low
    places = [first + i if 0 <= first + i < size else size for i in range(update.shape[axis])]
    return changed_value(at, input_, update, places, places)


OPS["from_index"] = Op(from_index_types, lambda a, names: f"{names[0]} dtype = {a['dtype']}", from_index_value)
OPS["scatter"] = Op(scatter_types, lambda a, names: f"{', '.join(names)} dim = {a['dim']}", scatter_value)
OPS["update_slice"] = Op(update_types, lambda a, names: f"{', '.join(names)} dim = {a['dim']}", update_value)

assert ops.OPS is OPS
