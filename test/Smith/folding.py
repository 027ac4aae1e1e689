"""Reductions, running sums, normalizations and matrix products over Sets.

Sums are in f32, in an order that the documentation leaves open.
"""
import numpy as np

import sets
from elements import F8, FLOATS, INTEGERS, integer_range, is_float, wrap
from pointwise import FEW, divide_truncating, exponential
from sets import Set

F32 = 2.0**-24
LARGEST = FLOATS["f32"].largest


def positive_dims(dims, rank):
    return tuple(sorted(dim % rank for dim in dims)) if dims else tuple(range(rank))


def size_of(magnitudes):
    return np.where(np.isfinite(magnitudes), magnitudes, 0.0)


def sum_of(s, axes, keep, relative=0.0):
    """The f32 sum before its last rounding; `relative`: error of each element."""
    with np.errstate(all="ignore"):
        lo, hi = (np.sum(part, axis=axes, keepdims=keep) for part in (np.where(s.num, s.lo, 0), np.where(s.num, s.hi, 0)))
        most = np.maximum(np.abs(s.lo), np.abs(s.hi))
        total = np.sum(size_of(most), axis=axes, keepdims=keep)
        count = s.lo.size // max(lo.size, 1)
        error = total * ((count + 2) * F32 + relative) + count * 2.0**-149
    infinite = np.any(sets.has_infinity(s), axis=axes, keepdims=keep)
    unsure = np.any(sets.has_infinity(s) & ~s.points(), axis=axes, keepdims=keep) | (total > LARGEST)
    nan = np.any(s.nan, axis=axes, keepdims=keep) | np.isnan(lo) | np.isnan(hi) | unsure
    num = np.all(s.num, axis=axes, keepdims=keep) & ~((np.isnan(lo) | np.isnan(hi)) & ~unsure)
    error = np.where(infinite, 0, error)
    bad = unsure | np.isnan(lo) | np.isnan(hi)
    return Set(np.where(bad, -np.inf, lo - error), np.where(bad, np.inf, hi + error), nan, num)


def exact_sum(s, dtype, axes, keep):
    lo, hi = np.sum(s.lo, axis=axes, keepdims=keep), np.sum(s.hi, axis=axes, keepdims=keep)
    low, high = integer_range(dtype)
    largest = np.sum(np.maximum(np.abs(s.lo.astype(float)), np.abs(s.hi.astype(float))), axis=axes, keepdims=keep)
    open_ = np.any(s.lo != s.hi, axis=axes, keepdims=keep) & (largest > high)
    return Set(np.where(open_, low, wrap(lo, dtype)), np.where(open_, high, wrap(hi, dtype)))


def exact_mean(s, dtype, axes, keep):
    """The sum in i64, and a quotient that rounds toward zero, of nothing -1."""
    total = exact_sum(s, "i64", axes, keep)
    count = s.lo.size // max(total.lo.size, 1)
    lo, hi = (divide_truncating(bound, np.int64(count)) for bound in (total.lo, total.hi))
    return Set(wrap(lo, dtype), wrap(hi, dtype))


def product_of(s, axes, keep):
    with np.errstate(all="ignore"):
        most, least = np.maximum(np.abs(s.lo), np.abs(s.hi)), np.minimum(np.abs(s.lo), np.abs(s.hi))
        up = np.sum(np.maximum(np.log2(most), 0), axis=axes, keepdims=keep)
        down = np.sum(np.minimum(np.where(least > 0, np.log2(least), 0), 0), axis=axes, keepdims=keep)
        value = np.prod(s.lo, axis=axes, keepdims=keep)
        size = np.prod(most, axis=axes, keepdims=keep)
    count = s.lo.size // max(value.size, 1)
    known = np.all(s.points(), axis=axes, keepdims=keep)
    nan, num = np.any(s.nan, axis=axes, keepdims=keep), np.all(s.num, axis=axes, keepdims=keep)
    infinite = np.any(sets.has_infinity(s), axis=axes, keepdims=keep)
    # Partial products may overflow or vanish; unknown signs.
    open_ = (up > 126) | (down < -124) | infinite | np.isnan(value)
    error = np.abs(value) * count * F32 + 2.0**-149
    lo = np.where(open_, -np.inf, np.where(known, value - error, -size * (1 + count * F32)))
    hi = np.where(open_, np.inf, np.where(known, value + error, size * (1 + count * F32)))
    return Set(lo, hi, nan | open_, num)


def exact_product(s, dtype, axes, keep):
    known = np.all(s.lo == s.hi, axis=axes, keepdims=keep)
    value = wrap(np.prod(s.lo, axis=axes, keepdims=keep, dtype=np.int64), dtype)
    low, high = integer_range(dtype)
    return Set(np.where(known, value, low), np.where(known, value, high))


def extreme_of(name, s, dtype, axes, keep):
    """An empty maximum is the lowest value, for floats infinite or the lowest number."""
    function = np.max if name in ("max", "any") else np.min
    if not is_float(dtype):
        low, high = integer_range(dtype)
        initial = low if name in ("max", "any") else high
        return Set(*(function(part, axis=axes, keepdims=keep, initial=initial) for part in (s.lo, s.hi)))
    near, far = FLOATS[dtype].largest, np.inf
    ends = (-far, -near) if name == "max" else (near, far)
    empty = s.lo.size == 0
    lo, hi = (function(part, axis=axes, keepdims=keep, initial=end if empty else ends[0] if name == "max" else ends[1])
              for part, end in ((s.lo, ends[0]), (s.hi, ends[1])))
    nan, num = np.any(s.nan, axis=axes, keepdims=keep), np.all(s.num, axis=axes, keepdims=keep)
    # An input that is NaN has no bounds; the result is NaN then.
    return Set(lo, hi, nan, num)


def mean_of(context, s, axes, keep):
    total = sum_of(s, axes, keep)
    count = np.float64(s.lo.size // max(total.lo.size, 1))
    if count == 0:
        return Set(total.lo, total.hi, np.ones(total.shape, bool), np.zeros(total.shape, bool))
    return sets.settle(sets.div(sets.settle(total, "f32"), sets.exact(count)), "f32", FEW, 2.0**-148)


def variance_of(context, s, axes, correction, keep):
    mean = mean_of(context, s, axes, True)
    distance = sets.settle(sets.sub(s, mean.broadcast(s.shape) if s.lo.size else Set(s.lo, s.hi, s.nan, s.num)), "f32")
    total = sets.settle(sum_of(sets.settle(sets.square(distance), "f32", 0, 2.0**-149), axes, keep), "f32")
    total = Set(np.maximum(total.lo, 0), total.hi, total.nan, total.num)
    count = s.lo.size // max(total.lo.size, 1)
    if count <= correction:  # a quotient by 0
        return Set(np.full(total.shape, np.inf), np.full(total.shape, np.inf), np.ones(total.shape, bool),
                   np.full(total.shape, count > 1))
    return sets.settle(sets.div(total, sets.exact(np.float64(count - correction))), "f32", FEW, 2.0**-148)


def reduce(name, context, dtype, s, attributes):
    axes, keep = positive_dims(attributes["dims"], s.lo.ndim), attributes["keepdim"]
    if name in ("max", "min", "any", "all"):
        return extreme_of(name, s, dtype, axes, keep)
    if dtype in INTEGERS:
        return {"sum": exact_sum, "prod": exact_product, "mean": exact_mean}[name](s, dtype, axes, keep)
    if name == "var":
        found = variance_of(context, s, axes, attributes["correction"], keep)
    else:
        found = {"sum": lambda: sum_of(s, axes, keep), "prod": lambda: product_of(s, axes, keep),
                 "mean": lambda: mean_of(context, s, axes, keep)}[name]()
    if s.lo.size == 0 and name in ("sum", "prod"):
        found = sets.exact(np.full(found.shape, 1.0 if name == "prod" else 0.0))
    return sets.settle(found, dtype)


def arg_extreme(name, dtype, s, attributes):
    """Of equal elements the first counts, and the first NaN before all numbers."""
    dim, keep = attributes["dim"], attributes["keepdim"]
    rank = s.lo.ndim
    if dim is None:
        s, axis, shape = s.moved(np.ravel), 0, (1,) * rank if keep else ()
    else:
        axis = dim % rank
        shape = None
    if name == "argmin":
        s = sets.neg(s) if is_float(dtype) else Set(-1 - s.hi, -1 - s.lo)  # -1 - x cannot wrap
    lowest, highest = (-np.inf, np.inf) if is_float(dtype) else integer_range("i64")
    best = np.max(np.where(s.nan | ~s.num, lowest, s.lo), axis=axis, keepdims=True)
    may = s.nan | (s.num & (s.hi >= best) & ~np.any(~s.num, axis=axis, keepdims=True))
    certain_nan = ~s.num
    certain = (s.num & ~s.nan & (s.lo >= np.max(np.where(s.num, s.hi, lowest), axis=axis, keepdims=True))
               & ~np.any(s.nan, axis=axis, keepdims=True)) | certain_nan
    count = s.lo.shape[axis]
    places = np.arange(count).reshape([-1 if i == axis else 1 for i in range(s.lo.ndim)])
    first = np.min(np.where(may, places, count), axis=axis)
    # No place behind one that wins for certain.
    last = np.minimum(np.max(np.where(may, places, -1), axis=axis), np.min(np.where(certain, places, count), axis=axis))
    result = Set(first.astype(np.int64), last.astype(np.int64))
    if shape is not None:
        return result.moved(lambda part: part.reshape(shape))
    return result.moved(lambda part: np.expand_dims(part, axis)) if keep else result


def cumsum(context, dtype, s, dim):
    axis = dim % s.lo.ndim
    if dtype in INTEGERS:
        lo, hi = np.cumsum(s.lo, axis=axis), np.cumsum(s.hi, axis=axis)
        low, high = integer_range(dtype)
        spread = np.cumsum(np.maximum(np.abs(s.lo.astype(float)), np.abs(s.hi.astype(float))), axis=axis)
        open_ = (np.cumsum(s.lo != s.hi, axis=axis) > 0) & (spread > high)
        return Set(np.where(open_, low, wrap(lo, dtype)), np.where(open_, high, wrap(hi, dtype)))
    if s.lo.size == 0:
        return s
    parts = [sum_of(s.moved(lambda part, i=i: np.take(part, range(i + 1), axis=axis)), (axis,), True)
             for i in range(s.lo.shape[axis])]
    whole = Set(*(np.concatenate([getattr(part, slot) for part in parts], axis=axis) for slot in Set.__slots__))
    # The running sum adds and takes away in some orders, in terms of all that came before.
    return sets.settle(whole, dtype)


#===-- normalizations ------------------------------------------------------===#

def softmax(context, dtype, s, dim):
    """Grows with its own element, falls with the others."""
    if s.lo.size == 0:
        return s
    axis = dim % s.lo.ndim
    largest = extreme_of("max", s, dtype, (axis,), True)
    powers = exponential(context, sets.settle(sets.sub(s, largest.broadcast(s.shape)), "f32"))
    powers = Set(powers.lo, np.minimum(powers.hi, 1 + 2.0**-10), powers.nan, powers.num)
    others = sum_of(powers, (axis,), True).broadcast(s.shape)
    with np.errstate(all="ignore"):
        lo = powers.lo / np.maximum(powers.lo + others.hi - powers.hi, powers.lo)
        low_rest = np.maximum(others.lo - powers.lo, 0)
        hi = np.minimum(powers.hi / (powers.hi + low_rest), 1)
    slack = np.float64(s.lo.shape[axis] + 4) * F32 + (2.0**-14 if context.cuda else 0)
    lo, hi = np.nan_to_num(lo, nan=0.0), np.nan_to_num(hi, nan=1.0)
    infinite = np.any(sets.has_infinity(s), axis=axis, keepdims=True)
    unsure = np.any(s.nan | ~s.num, axis=axis, keepdims=True) | infinite
    certain = np.any(~s.num, axis=axis, keepdims=True)
    plus = np.any(s.num & ~s.nan & (s.lo == np.inf), axis=axis, keepdims=True)
    result = Set(np.where(unsure, 0.0, lo), np.where(unsure, 1.0, hi), np.broadcast_to(unsure, s.shape),
                 np.broadcast_to(~(certain | plus), s.shape))
    return sets.settle(result, dtype, slack, 2.0**-125)


def scaled(context, dtype, centred, spread, eps, weight, bias=None):
    """centred / sqrt(spread + eps) * weight + bias."""
    variance = sets.settle(sets.add(spread, sets.exact(np.float64(eps))), "f32", FEW)
    root = sets.settle(sets.monotone(np.sqrt, variance, 0.0), "f32", FEW * 4)
    ratio = sets.settle(sets.div(centred, root.broadcast(centred.shape)), "f32", FEW * 4, 2.0**-147)
    if context.cuda:
        ratio = sets.settle(ratio, "f32", 2.0**-19)
    product = sets.mul(ratio, weight.broadcast(centred.shape))
    if bias is None:
        return sets.settle(product, dtype, FEW, 2.0**-147)
    return sets.settle(sets.add(sets.settle(product, "f32", FEW, 2.0**-147), bias.broadcast(centred.shape)), dtype)


def layer_norm(context, dtype, s, weight, bias, eps):
    axes = tuple(range(s.lo.ndim - weight.lo.ndim, s.lo.ndim))
    if s.lo.size == 0:
        return s
    mean = mean_of(context, s, axes, True)
    centred = sets.settle(sets.sub(s, mean.broadcast(s.shape)), "f32")
    return scaled(context, dtype, centred, variance_of(context, s, axes, 0, True), eps, weight, bias)


def rms_norm(context, dtype, s, weight, eps):
    axes = tuple(range(s.lo.ndim - weight.lo.ndim, s.lo.ndim))
    if s.lo.size == 0:
        return s
    squares = sets.settle(sets.square(s), "f32", 0, 2.0**-149)
    return scaled(context, dtype, s, mean_of(context, squares, axes, True), eps, weight)


#===-- contractions --------------------------------------------------------===#

def contraction_error(context, source, count, allow_tf32):
    """Of one product and of each of `count` sums, relative to the sum of magnitudes."""
    each = (count + 3) * F32
    if context.cuda and source in ("f16", "bf16"):
        each = (count + 3) * 2 * F32
    if context.cuda and source in F8:
        each = 2.0**-12
    return each + (2.0**-8.5 if allow_tf32 else 0)


def matmul(context, a, b, source, target, allow_tf32=False):
    """NumPy's matmul of Sets."""
    if source in INTEGERS:
        known = (a.lo == a.hi).all() and (b.lo == b.hi).all()
        value = np.matmul(a.lo, b.lo)
        low, high = integer_range(target)
        return sets.exact(wrap(value, target)) if known else Set(np.full(value.shape, low), np.full(value.shape, high))
    wild = [~np.isfinite(s.lo) | ~np.isfinite(s.hi) | s.nan | ~s.num for s in (a, b)]
    middle, radius = [], []
    for s, bad in ((a, wild[0]), (b, wild[1])):
        lo, hi = np.where(bad, 0, s.lo), np.where(bad, 0, s.hi)
        middle.append((lo + hi) / 2)
        radius.append((hi - lo) / 2)
    value = np.asarray(np.matmul(*middle))
    total = np.asarray(np.matmul(np.abs(middle[0]) + radius[0], np.abs(middle[1]) + radius[1]))
    spread = total - np.matmul(np.abs(middle[0]), np.abs(middle[1]))
    bad = np.matmul(wild[0].astype(float), np.ones(b.lo.shape)) + np.matmul(np.ones(a.lo.shape), wild[1].astype(float)) > 0
    bad = bad | (total > LARGEST)
    count = a.lo.shape[-1]
    # The spread is a difference of what float64 rounds as well.
    error = spread + total * (contraction_error(context, source, count, allow_tf32) + 2.0**-45) + count * 2.0**-149
    if allow_tf32:  # denormal numbers of TF32 are multiples of 2^-136
        left, right = (np.abs(m) + r for m, r in zip(middle, radius))
        error = error + 2.0**-136 * (np.matmul(left, np.ones(b.lo.shape)) + np.matmul(np.ones(a.lo.shape), right))
    if count == 0:
        error = np.zeros(value.shape)
    result = Set(np.where(bad, -np.inf, value - error), np.where(bad, np.inf, value + error), bad, np.ones(value.shape, bool))
    return result if target in F8 else sets.settle(result, target)
