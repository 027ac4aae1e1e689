"""Element-wise operations over Sets, from the text of their definitions.

Every form takes (context, element type, operands) and gives the result's Set.
"""
import math

import numpy as np

import sets
from elements import FLOATS, INTEGERS, integer_range, integer_to_float64, is_float, round_to, wrap
from sets import Set

erf = np.vectorize(math.erf, otypes=[np.float64])


#===-- floats --------------------------------------------------------------===#

def arithmetic(function):
    return lambda context, dtype, a, b: sets.settle(function(a, b), dtype)


def quotient(context, dtype, a, b):
    return sets.settle(sets.div(a, b), dtype, context.division(dtype), 2.0**-149 if context.division(dtype) else 0.0)


def floor_quotient(context, dtype, a, b):
    """Exact while the quotient is below 2^24."""
    exact = sets.div(a, b)
    with np.errstate(all="ignore"):
        # Above, the quotient is rounded before the floor, and may reach the next integer.
        def error(x):
            return np.where(np.isfinite(x) & (np.abs(x) >= 2.0**24), np.abs(x) * 2.0**-22, 0.0)
        floors = Set(np.floor(exact.lo - error(exact.lo)), np.floor(exact.hi + error(exact.hi)), exact.nan, exact.num)
    return sets.settle(floors, dtype)


def power(context, dtype, a, b):
    """C's pow."""
    def raw(x, y):
        return np.where((x == 1) | (y == 0), 1.0, np.power(x, y))
    with np.errstate(all="ignore"):
        found = [raw(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        lo, hi = np.fmin.reduce(found), np.fmax.reduce(found)
        bad = np.isnan(found[0])
    known = a.points() & b.points() & a.num & b.num
    smooth = (a.lo > 0) & a.num & b.num & np.isfinite(a.hi) & np.isfinite(b.lo) & np.isfinite(b.hi)
    # The sign of a zero may be either.
    pole = known & (a.lo == 0) & (b.lo < 0)
    lo, hi = np.where(pole, -np.inf, lo), np.where(pole, np.inf, hi)
    known_number, open_ = known & ~bad, ~known & ~smooth
    result = Set(np.where(open_, -np.inf, np.where(known & bad, 0, lo)), np.where(open_, np.inf, np.where(known & bad, 0, hi)),
                 np.where(known, bad, open_), known_number | ~known)
    # pow(1, NaN) and pow(NaN, 0) are 1.
    nan = a.nan | b.nan
    result = Set(np.where(nan, -np.inf, result.lo), np.where(nan, np.inf, result.hi), result.nan | nan, result.num | nan)
    relative, absolute = context.function(dtype)
    return sets.settle(result, dtype, max(relative, 2.0**-20), absolute)


def function(form):
    def apply(context, dtype, a):
        return sets.settle(form(a), dtype, *context.function(dtype))
    return apply


def correct(form):
    return lambda context, dtype, a: sets.settle(form(a), dtype)


def reciprocal_root(s):
    zero = sets.has_zero(s)
    with np.errstate(all="ignore"):
        result = sets.monotone(lambda x: 1 / np.sqrt(x), s, 0.0, decreasing=True)
    return Set(np.where(zero, -np.inf, result.lo), np.where(zero, np.inf, result.hi), result.nan, result.num)


def in_f32(context, form):
    """A step of a composed function, in f32 with functions of `context`."""
    relative, absolute = context.function("f32") if not context.cuda else (2.0**-15, 2.0**-125)
    return lambda s: sets.settle(form(s), "f32", relative, absolute)


ONE, HALF = sets.exact(np.float64(1)), sets.exact(np.float64(0.5))
FEW = 2.0**-21  # relative error of a few roundings in f32


def exponential(context, s):
    return in_f32(context, lambda x: sets.monotone(np.exp, x))(s)


def logistic_divisor(context, s):
    return sets.settle(sets.add(ONE, exponential(context, sets.neg(s))), "f32", FEW)


def sigmoid(context, dtype, a):
    return sets.settle(sets.div(ONE, logistic_divisor(context, a)), dtype, FEW, 2.0**-148)


def silu(context, dtype, a):
    return sets.settle(sets.div(a, logistic_divisor(context, a)), dtype, FEW, 2.0**-148)


def gelu(approximate):
    def apply(context, dtype, a):
        if approximate == "tanh":
            cube = sets.settle(sets.mul(sets.settle(sets.square(a), "f32"), a), "f32", FEW)
            inner = sets.settle(sets.add(a, sets.mul(sets.exact(np.float64(0.044715)), cube)), "f32", FEW, 2.0**-148)
            inner = sets.settle(sets.mul(sets.exact(np.float64(math.sqrt(2 / math.pi))), inner), "f32", FEW)
            bell = in_f32(context, lambda x: sets.monotone(np.tanh, x))(inner)
        else:
            scaled = sets.settle(sets.mul(a, sets.exact(np.float64(math.sqrt(0.5)))), "f32", FEW, 2.0**-148)
            bell = in_f32(context, lambda x: sets.monotone(erf, x))(scaled)
            if dtype != "f32":  # shorter forms
                bell = sets.settle(bell, "f32", context.function(dtype)[0])
        bell = Set(np.maximum(bell.lo, -1), np.minimum(bell.hi, 1), bell.nan, bell.num)
        # Near -1 the sum cancels; some forms of it have a relative error instead.
        shifted = sets.settle(sets.add(ONE, bell), "f32", FEW)
        shifted = Set(np.maximum(shifted.lo, 0), shifted.hi, shifted.nan, shifted.num)
        return sets.settle(sets.mul(sets.mul(HALF, a), shifted), dtype, FEW, 2.0**-147)
    return apply


def magnitude(s):
    low = np.where((s.lo <= 0) & (s.hi >= 0), 0, np.minimum(np.abs(s.lo), np.abs(s.hi)))
    return Set(low, np.maximum(np.abs(s.lo), np.abs(s.hi)), s.nan, s.num)


def between(function_, s, low, high, decreasing=False):
    """A monotone function that is NaN outside of an interval."""
    inside = Set(np.clip(s.lo, low, high), np.clip(s.hi, low, high), s.nan, s.num & (s.hi >= low) & (s.lo <= high))
    result = sets.monotone(function_, inside, decreasing=decreasing)
    outside = s.num & ((s.lo < low) | (s.hi > high))
    return Set(result.lo, result.hi, result.nan | outside, result.num)


def even(function_, s):
    return sets.monotone(function_, magnitude(s))


def tangent(s):
    """Known where x is; else any number."""
    point = s.num & (s.lo == s.hi) & np.isfinite(s.lo)
    with np.errstate(all="ignore"):
        value = np.where(point, np.tan(np.where(point, s.lo, 0.0)), 0.0)
    infinite = sets.has_infinity(s)
    return Set(np.where(point, value, -np.inf), np.where(point, value, np.inf), s.nan | infinite,
               s.num & ~(infinite & (s.lo == s.hi)))


def float_modulo(context, dtype, a, b):
    """Exact, then the divisor is added where the signs differ."""
    known = a.points() & b.points() & a.num & b.num
    with np.errstate(all="ignore"):
        value = np.mod(a.lo, b.lo)
    bad = np.isnan(value)
    number_, clean = a.num & b.num & ~(known & bad), np.where(bad, 0.0, value)
    return sets.settle(Set(np.where(known, clean, -np.inf), np.where(known, clean, np.inf),
                           a.nan | b.nan | np.where(known, bad, True), number_), dtype, 2.0**-50)


def angle(context, dtype, a, b):
    """The sign of a zero is not known, and decides between pi and -pi."""
    known = a.points() & b.points() & a.num & b.num & (a.lo != 0)
    with np.errstate(all="ignore"):
        value = np.nan_to_num(np.arctan2(a.lo, b.lo))
    return sets.settle(Set(np.where(known, value, -np.pi), np.where(known, value, np.pi), a.nan | b.nan, a.num & b.num),
                       dtype, *context.function(dtype))


def of_number(value):
    """A parameter as the program holds it."""
    return sets.exact(np.float64(np.float32(value)))


def few_errors(context):
    """Relative and absolute error of a composed function of f32 functions."""
    return (2.0**-14, 2.0**-124) if context.cuda else (2.0**-19, 2.0**-146)


def softplus(context, dtype, a):
    return sets.settle(sets.monotone(lambda x: np.logaddexp(x, 0.0), a), dtype, *few_errors(context))


def mish(context, dtype, a):
    gate = sets.settle(sets.monotone(np.tanh, softplus(context, "f32", a)), "f32", *few_errors(context))
    return sets.settle(sets.mul(a, gate), dtype, FEW, 2.0**-147)


def rectified(below):
    """`below` of x where x is not above 0."""
    def apply(context, dtype, a, attributes):
        other = below(context, a, attributes)
        return sets.settle(where(compare("gt", a, sets.exact(np.float64(0))), a, other), dtype, 0.0)
    return apply


def elu_below(context, a, attributes):
    power = sets.settle(sets.monotone(np.expm1, a), "f32", *few_errors(context))
    return sets.settle(sets.mul(of_number(attributes["alpha"]), power), "f32", FEW, 2.0**-148)


def leaky_below(context, a, attributes):
    return sets.settle(sets.mul(a, of_number(attributes["slope"])), "f32", 0.0)


def hard_gate(a, alpha, beta):
    scaled = sets.settle(sets.mul(a, of_number(alpha)), "f32", FEW, 2.0**-148)
    moved = sets.settle(sets.add(scaled, of_number(beta)), "f32", FEW)
    return sets.minimum(sets.maximum(moved, sets.exact(np.float64(0))), sets.exact(np.float64(1)))


def hard_sigmoid(context, dtype, a, attributes):
    return sets.settle(hard_gate(a, attributes["alpha"], attributes["beta"]), dtype)


def hard_swish(context, dtype, a):
    return sets.settle(sets.mul(a, hard_gate(a, 1 / 6, 0.5)), dtype, FEW, 2.0**-148)


def classify(name, a):
    """isnan, isinf, isfinite."""
    infinite = a.num & np.isinf(a.lo) & (a.lo == a.hi)
    if name == "isnan":
        must, may = a.nan & ~a.num, a.nan
    elif name == "isinf":
        must, may = infinite & ~a.nan, sets.has_infinity(a)
    else:
        must, may = a.num & ~a.nan & np.isfinite(a.lo) & np.isfinite(a.hi), a.num & ~infinite
    return Set(must.astype(np.int64), may.astype(np.int64))


def clamp(dtype, a, low, high):
    shape = np.broadcast_shapes(a.shape, low.shape, high.shape)
    a, low, high = (s.broadcast(shape) for s in (a, low, high))
    return sets.minimum(sets.maximum(a, low), high)


FLOAT_UNARY = {
    "neg": lambda context, dtype, a: sets.neg(a),
    "abs": lambda context, dtype, a: magnitude(a),
    "relu": lambda context, dtype, a: sets.maximum(a, sets.exact(np.float64(0))),
    "floor": lambda context, dtype, a: sets.monotone(np.floor, a),
    "ceil": lambda context, dtype, a: sets.monotone(np.ceil, a),
    "sqrt": correct(lambda a: sets.monotone(np.sqrt, a, 0.0)),
    "exp": function(lambda a: sets.monotone(np.exp, a)),
    "log": function(lambda a: sets.monotone(np.log, a, 0.0)),
    "rsqrt": function(reciprocal_root),
    "tanh": function(lambda a: sets.monotone(np.tanh, a)),
    "erf": function(lambda a: sets.monotone(erf, a)),
    "sin": function(lambda a: sets.wave(np.sin, a)),
    "cos": function(lambda a: sets.wave(np.cos, a)),
    "exp2": function(lambda a: sets.monotone(np.exp2, a)),
    "expm1": function(lambda a: sets.monotone(np.expm1, a)),
    "log2": function(lambda a: sets.monotone(np.log2, a, 0.0)),
    "log10": function(lambda a: sets.monotone(np.log10, a, 0.0)),
    "log1p": function(lambda a: sets.monotone(np.log1p, a, -1.0)),
    "cbrt": function(lambda a: sets.monotone(np.cbrt, a)),
    "tan": function(tangent),
    "asin": function(lambda a: between(np.arcsin, a, -1.0, 1.0)),
    "acos": function(lambda a: between(np.arccos, a, -1.0, 1.0, decreasing=True)),
    "atan": function(lambda a: sets.monotone(np.arctan, a)),
    "sinh": function(lambda a: sets.monotone(np.sinh, a)),
    "cosh": function(lambda a: even(np.cosh, a)),
    "asinh": function(lambda a: sets.monotone(np.arcsinh, a)),
    "acosh": function(lambda a: sets.monotone(np.arccosh, a, 1.0)),
    "atanh": function(lambda a: between(np.arctanh, a, -1.0, 1.0)),
    "round": lambda context, dtype, a: sets.monotone(np.rint, a),
    "trunc": lambda context, dtype, a: sets.monotone(np.trunc, a),
    "sign": lambda context, dtype, a: sets.monotone(np.sign, a),
    "reciprocal": lambda context, dtype, a: quotient(context, dtype, ONE, a),
    "sigmoid": sigmoid, "silu": silu, "softplus": softplus, "mish": mish, "hard_swish": hard_swish}
# Of parameters, too.
FLOAT_PARAMETRIC = {"elu": rectified(elu_below), "leaky_relu": rectified(leaky_below), "hard_sigmoid": hard_sigmoid}
FLOAT_BINARY = {"add": arithmetic(sets.add), "sub": arithmetic(sets.sub), "mul": arithmetic(sets.mul), "div": quotient,
                "floor_div": floor_quotient, "pow": power, "mod": float_modulo, "atan2": angle,
                "maximum": lambda context, dtype, a, b: sets.maximum(a, b),
                "minimum": lambda context, dtype, a, b: sets.minimum(a, b)}


#===-- integers and truth values -------------------------------------------===#

def divide_truncating(x, y):
    safe = np.where((y == 0) | (y == -1), 1, y)
    with np.errstate(all="ignore"):
        # The lowest value has no magnitude, but x - x % y is a multiple of y.
        result = np.where((x % safe != 0) & ((x < 0) != (safe < 0)), x // safe + 1, x // safe)
        return np.where(y == 0, -1, np.where(y == -1, -x, result))


def divide_flooring(x, y):
    safe = np.where((y == 0) | (y == -1), 1, y)
    with np.errstate(all="ignore"):
        return np.where(y == 0, -1, np.where(y == -1, -x, x // safe))


def modulo(x, y):
    safe = np.where((y == 0) | (y == -1), 1, y)
    return np.where(y == 0, x, np.where(y == -1, 0, x % safe))


def integer_power(x, y):
    """A negative exponent is 1 / x^-y toward zero."""
    result, base, rest = np.ones_like(x), x, np.maximum(y, 0)
    for _ in range(63):
        result = np.where(rest & 1, result * base, result)
        base, rest = base * base, rest >> 1
    inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y & 1, -1, 1), 0))
    return np.where(y < 0, inverse, result)


def shift(left):
    def apply(x, y, bits):
        inside = (y >= 0) & (y < bits)
        # 63 moves all bits of an int64 out but the sign.
        amount = np.where(inside, y, 0 if left else 63)
        return np.where(inside, x << amount, 0) if left else x >> amount
    return apply


INT_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": divide_truncating,
              "floor_div": divide_flooring, "mod": modulo, "maximum": np.maximum, "minimum": np.minimum,
              "logical_and": np.minimum, "logical_or": np.maximum, "logical_xor": np.bitwise_xor, "pow": integer_power,
              "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
# Of the width, too.
SHIFTS = {"shift_left": shift(True), "shift_right": shift(False)}
# Of truth values, where it is not the same.
BOOL_BINARY = {"add": np.maximum, "sub": lambda x, y: (x != y).astype(np.int64), "mul": np.minimum,
               "div": lambda x, y: np.maximum(x, 1 - y), "floor_div": lambda x, y: np.maximum(x, 1 - y),
               "mod": lambda x, y: np.minimum(x, 1 - y)}
INT_UNARY = {"neg": np.negative, "abs": np.abs, "relu": lambda x: np.maximum(x, 0), "logical_not": lambda x: 1 - x,
             "sign": np.sign, "bitwise_not": np.invert}
MONOTONE = {"add", "sub", "mul", "maximum", "minimum", "logical_and", "logical_or", "neg", "relu", "logical_not", "sign",
            "bitwise_not"}


def on_integers(name, dtype, operands):
    """Exact where the operands are known; else the corners of what is monotone and does not wrap."""
    table = INT_UNARY if len(operands) == 1 else INT_BINARY
    function = BOOL_BINARY.get(name) if dtype == "i1" else None
    function = function or table.get(name) or (lambda x, y: SHIFTS[name](x, y, INTEGERS[dtype]))
    operands = [o.broadcast(np.broadcast_shapes(*(o.shape for o in operands))) for o in operands]
    with np.errstate(all="ignore"):
        known = wrap(function(*(o.lo for o in operands)), dtype)
        certain = np.logical_and.reduce([o.lo == o.hi for o in operands])
        low, high = integer_range(dtype)
        if np.all(certain):
            return Set(known, known)
        small = np.logical_and.reduce([(np.abs(o.lo.astype(float)) < 2.0**31) & (np.abs(o.hi.astype(float)) < 2.0**31)
                                       for o in operands])
        choices = [[o.lo, o.hi] for o in operands]
        found = ([function(x) for x in choices[0]] if len(operands) == 1
                 else [function(x, y) for x in choices[0] for y in choices[1]])
        lo, hi = np.min(found, axis=0), np.max(found, axis=0)
        fits = small & (lo >= low) & (hi <= high) & (name in MONOTONE) & (dtype != "i1" or name not in BOOL_BINARY)
    return Set(np.where(certain, known, np.where(fits, lo, low)), np.where(certain, known, np.where(fits, hi, high)))


def unary(name, context, dtype, a, attributes):
    if not is_float(dtype) and name not in INT_UNARY:  # in f32, and toward zero
        return cast(unary(name, context, "f32", cast(a, dtype, "f32"), attributes), "f32", dtype)
    if not is_float(dtype):
        return on_integers(name, dtype, [a])
    if name == "gelu":
        return gelu(attributes["approximate"])(context, dtype, a)
    if name in FLOAT_PARAMETRIC:
        return FLOAT_PARAMETRIC[name](context, dtype, a, attributes)
    return FLOAT_UNARY[name](context, dtype, a)


def binary(name, context, dtype, a, b):
    if not is_float(dtype):
        return on_integers(name, dtype, [a, b])
    shape = np.broadcast_shapes(a.shape, b.shape)
    return FLOAT_BINARY[name](context, dtype, a.broadcast(shape), b.broadcast(shape))


#===-- comparisons, where, cast --------------------------------------------===#

def compare(name, a, b):
    """IEEE 754: with NaN all are false but ne."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = a.broadcast(shape), b.broadcast(shape)
    if name in ("gt", "ge"):
        return compare({"gt": "lt", "ge": "le"}[name], b, a)
    if name == "ne":
        equal = compare("eq", a, b)
        return Set(1 - equal.hi, 1 - equal.lo)
    both = a.num & b.num
    if name == "eq":
        may = both & (a.lo <= b.hi) & (b.lo <= a.hi)
        may_not = ~((a.lo == a.hi) & (b.lo == b.hi) & (a.lo == b.lo))
    else:
        may = both & ((a.lo < b.hi) if name == "lt" else (a.lo <= b.hi))
        may_not = ~((a.hi < b.lo) if name == "lt" else (a.hi <= b.lo))
    may_not = may_not | a.nan | b.nan | ~both
    return Set((~may_not).astype(np.int64), may.astype(np.int64))


def where(condition, a, b):
    shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
    condition, a, b = (s.broadcast(shape) for s in (condition, a, b))
    return sets.choose(condition.lo == 1, a, sets.choose(condition.hi == 0, b, sets.hull(a, b)))


def to_integer(values, dtype):
    low, high = integer_range(dtype)
    with np.errstate(all="ignore"):
        whole = np.trunc(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf))
        inside = (whole > low) & (whole < high)
        return np.where(inside, np.where(inside, whole, 0).astype(np.int64), np.where(whole <= low, low, high))


def cast(a, source, target):
    """The result of a conversion is always rounded."""
    if target == "i1":
        if source in FLOATS:
            zero, other = sets.has_zero(a), (a.nan | (a.num & ((a.lo != 0) | (a.hi != 0))))
        else:
            zero, other = (a.lo <= 0) & (a.hi >= 0), (a.lo != 0) | (a.hi != 0)
        return Set((~zero).astype(np.int64), other.astype(np.int64))
    if target in INTEGERS:
        if source not in FLOATS:
            lo, hi = wrap(a.lo, target), wrap(a.hi, target)
            wide = (a.lo != a.hi) & ((lo != a.lo) | (hi != a.hi))
            low, high = integer_range(target)
            return Set(np.where(wide, low, lo), np.where(wide, high, hi))
        lo, hi = to_integer(a.lo, target), to_integer(a.hi, target)
        lo, hi = np.where(a.num, lo, 0), np.where(a.num, hi, 0)
        return Set(np.where(a.nan, np.minimum(lo, 0), lo), np.where(a.nan, np.maximum(hi, 0), hi))
    lo = a.lo if source in FLOATS else integer_to_float64(a.lo, target)
    hi = a.hi if source in FLOATS else integer_to_float64(a.hi, target)
    lo, hi = round_to(lo, target), round_to(hi, target)
    if target == "f8E4M3FN":  # what is too large is NaN
        gone = np.isnan(lo) | np.isnan(hi)
        none = a.num & np.isnan(lo) & np.isnan(hi) & (np.sign(a.lo) == np.sign(a.hi))
        return Set(np.where(np.isnan(lo), -448.0, lo), np.where(np.isnan(hi), 448.0, hi), a.nan | (gone & a.num), a.num & ~none)
    return Set(lo, hi, a.nan, a.num)
