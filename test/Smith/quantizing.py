"""quantize and dequantize for OPS: types, text, and evaluation over Sets.

A product of two dequantized operands may be computed in either form: what is
known of it covers both (ops.py, contracted()).
"""
import numpy as np

import ops
import pointwise
import sets
import shapes
from elements import CLASSES, F8, FLOATS, INTEGERS, round_to
from ops import OPS, Op
from sets import Set
from shapes import Type, require

QUANTIZED = ("i8", "i4", *F8)


def check_scale(value, scale, attributes):
    rank, count = len(value.dims), len(scale.dims)
    if "dim" in attributes:
        axis = shapes.axis_of(attributes["dim"], rank)
        require(count == 1 and scale.dims[0].sizes == value.dims[axis].sizes, "scales of a dimension")
    elif count:
        require(count == rank and 2 <= rank <= 7, "rank")
        for i, (n, m) in enumerate(zip(value.dims, scale.dims)):
            blocked = i == rank - 2
            require(m.static and m.sizes[0] > 0 and all(size % m.sizes[0] == 0 for size in n.sizes) if blocked
                    else n.sizes == m.sizes, "blocks")


def quantize_types(args, attributes, runs):
    value, scale = args
    require(value.dtype in CLASSES["float"] and scale.dtype == value.dtype and attributes["dtype"] in QUANTIZED, "types")
    check_scale(value, scale, attributes)
    return [Type(attributes["dtype"], value.dims)]


def dequantize_types(args, attributes, runs):
    value, scale = args
    require(value.dtype in QUANTIZED and scale.dtype in CLASSES["float"], "types")
    check_scale(value, scale, attributes)
    return [Type(scale.dtype, value.dims)]


def spread(at):
    """The scale of each element."""
    shape, scale = at.shape(), at.sets[1]
    if "dim" in at.attributes:
        axis = at.attributes["dim"] % len(shape)
        scale = scale.moved(lambda part: part.reshape([-1 if i == axis else 1 for i in range(len(shape))])
                            if part.size else np.zeros(shape, part.dtype))
    elif scale.shape:
        blocked = len(shape) - 2
        block = shape[blocked] // scale.shape[blocked]
        scale = scale.moved(lambda part: np.repeat(part, block, axis=blocked))
    return scale.broadcast(shape)


def quantize_value(at):
    dtype = at.attributes["dtype"]
    value = sets.settle(sets.div(at.sets[0], spread(at)), "f32")
    if dtype in INTEGERS:
        return [pointwise.cast(sets.monotone(np.rint, value), "f32", dtype)]
    largest = FLOATS[dtype].largest
    return [Set(round_to(np.clip(value.lo, -largest, largest), dtype), round_to(np.clip(value.hi, -largest, largest), dtype),
                value.nan, value.num)]


def dequantize_value(at):
    value = at.sets[0]
    if at.dtype in INTEGERS:
        value = sets.Set(value.lo.astype(np.float64), value.hi.astype(np.float64))
    return [sets.settle(sets.mul(value, spread(at)), at.results[0].dtype)]


def scale_words(attributes, names):
    to = f" to {attributes['dtype']}" if "dtype" in attributes else ""
    return ", ".join(names) + to + (f" dim = {attributes['dim']}" if "dim" in attributes else "")


OPS["quantize"] = Op(quantize_types, scale_words, quantize_value)
OPS["dequantize"] = Op(dequantize_types, scale_words, dequantize_value)

assert ops.OPS is OPS
