"""What a value may be, element by element: all numbers between two bounds, or NaN.

A Set holds float64 bounds for floats and int64 bounds for integers and truth
values. Operations on Sets give a superset of what a computation may give that
rounds each operation once, to the value's type. Values of f16 and bf16 may be
kept in f32 between operations of one kernel: their Sets hold both, the rounded
numbers and the others, and strict() gives the rounded ones alone.
"""
import numpy as np

from elements import FLOATS, SHORT, integer_range, round_to


class Set:
    __slots__ = ("lo", "hi", "nan", "num")

    def __init__(self, lo, hi, nan=None, num=None):
        self.lo, self.hi = np.broadcast_arrays(lo, hi)
        self.nan = np.broadcast_to(np.asarray(False if nan is None else nan), self.lo.shape)
        self.num = np.broadcast_to(np.asarray(True if num is None else num), self.lo.shape)

    @property
    def shape(self):
        return self.lo.shape

    def moved(self, function):
        return Set(*(function(np.asarray(part)) for part in (self.lo, self.hi, self.nan, self.num)))

    def points(self):
        """Where the value is known: one number, or NaN and nothing else."""
        return np.where(self.num, (self.lo == self.hi) & ~self.nan, True)

    def broadcast(self, shape):
        return self.moved(lambda part: np.broadcast_to(part, shape))


class Context:
    """What the documentation allows a device. `approximate`: functions of f32 may end in 16 bits."""

    def __init__(self, cuda=False, approximate=False):
        self.cuda, self.approximate = cuda, cuda and approximate

    def function(self, dtype):
        """Relative and absolute error of a transcendental function."""
        if dtype == "f64":
            return 2.0**-49, 2.0**-1070
        if dtype == "f32" and not self.approximate:
            return 2.0**-21, 2.0**-147
        return {"f32": 2.0**-15, "f16": 2.0**-13, "bf16": 2.0**-10}[dtype], 2.0**-125

    def division(self, dtype):
        return 2.0**-21 if self.cuda and (dtype in SHORT or self.approximate) else 0.0


def exact(values):
    """Known values of floats or integers."""
    values = np.asarray(values)
    if values.dtype != np.float64:
        return Set(values.astype(np.int64), values.astype(np.int64))
    nan = np.isnan(values)
    clean = np.where(nan, 0.0, values)
    return Set(clean, clean, nan, ~nan)


def unknown(shape, dtype):
    if dtype in FLOATS:
        return Set(np.full(shape, -np.inf), np.full(shape, np.inf), np.ones(shape, bool))
    low, high = integer_range(dtype)
    return Set(np.full(shape, low, np.int64), np.full(shape, high, np.int64))


def choose(condition, a, b):
    return Set(*(np.where(condition, getattr(a, part), getattr(b, part)) for part in Set.__slots__))


def hull(a, b):
    lo = np.where(a.num & b.num, np.minimum(a.lo, b.lo), np.where(a.num, a.lo, b.lo))
    hi = np.where(a.num & b.num, np.maximum(a.hi, b.hi), np.where(a.num, a.hi, b.hi))
    return Set(lo, hi, a.nan | b.nan, a.num | b.num)


def strict(s, dtype):
    """The value rounded to its type, as all readers see it that can tell."""
    return Set(round_to(s.lo, dtype), round_to(s.hi, dtype), s.nan, s.num) if dtype in SHORT else s


def settle(s, dtype, relative=0.0, absolute=0.0):
    """Rounds to f32, and perhaps to 16 bits, after an error; f64 has the roundings of the bounds themselves."""
    if dtype == "f64":
        relative, absolute = relative + 2.0**-50, absolute + 2.0**-1072
    wide = "f64" if dtype == "f64" else "f32"
    with np.errstate(all="ignore"):
        def error(x):
            return np.where(np.isfinite(x), np.abs(x) * relative + absolute, 0.0)
        lo, hi = round_to(s.lo - error(s.lo), wide), round_to(s.hi + error(s.hi), wide)
        if dtype in SHORT:
            lo, hi = np.minimum(lo, round_to(lo, dtype)), np.maximum(hi, round_to(hi, dtype))
    return Set(lo, hi, s.nan, s.num)


#===-- interval arithmetic on floats, before rounding ----------------------===#

def corners(function, a, b):
    """Of a function that is monotone in each argument; NaN at a corner says nothing unless both are known."""
    with np.errstate(all="ignore"):
        found = [function(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        lo, hi = np.fmin.reduce(found), np.fmax.reduce(found)
        bad = np.isnan(found).any(axis=0)
    known = a.points() & b.points() & a.num & b.num
    nan, num = a.nan | b.nan, a.num & b.num
    result = Set(np.where(bad, -np.inf, lo), np.where(bad, np.inf, hi), nan | bad, num & ~(bad & known))
    return result.moved(lambda part: part)


def add(a, b):
    return corners(np.add, a, b)


def sub(a, b):
    return corners(np.subtract, a, b)


def has_zero(s):
    return s.num & (s.lo <= 0) & (s.hi >= 0)


def has_infinity(s):
    return s.num & (np.isinf(s.lo) | np.isinf(s.hi))


def mul(a, b):
    result = corners(np.multiply, a, b)
    inner = (has_zero(a) & has_infinity(b)) | (has_infinity(a) & has_zero(b))
    return Set(result.lo, result.hi, result.nan | inner, result.num)


def div(a, b):
    """A zero divides with either sign."""
    result = corners(np.divide, a, b)
    zero = has_zero(b)
    known = a.points() & b.points() & a.num & b.num
    certain = known & zero & (a.lo == 0)  # 0 / 0
    inner = (zero & has_zero(a)) | (has_infinity(a) & has_infinity(b))
    nan = result.nan | (inner & ~known)
    return Set(np.where(zero, -np.inf, result.lo), np.where(zero, np.inf, result.hi), np.where(known & zero, certain, nan),
               np.where(known & zero, ~certain, result.num))


def neg(a):
    return Set(-a.hi, -a.lo, a.nan, a.num)


def monotone(function, s, lowest=None, decreasing=False):
    """A function that grows (or falls) from `lowest` on; below it is NaN."""
    below = s.num & (s.lo < lowest) if lowest is not None else np.zeros(s.shape, bool)
    inside = s.hi >= lowest if lowest is not None else np.ones(s.shape, bool)
    with np.errstate(all="ignore"):
        lo, hi = s.lo, s.hi
        if lowest is not None:
            lo, hi = np.where(lo > lowest, lo, lowest), np.where(hi > lowest, hi, lowest)
        first, last = function(np.asarray(lo)), function(np.asarray(hi))
    if decreasing:
        first, last = last, first
    return Set(np.nan_to_num(first, nan=0.0, posinf=np.inf, neginf=-np.inf),
               np.nan_to_num(last, nan=0.0, posinf=np.inf, neginf=-np.inf), s.nan | below, s.num & inside)


def wave(function, s):
    """sin or cos: the slope is at most 1."""
    with np.errstate(all="ignore"):
        middle, radius = (s.lo + s.hi) / 2, (s.hi - s.lo) / 2
        value = function(middle)
        lo, hi = np.maximum(value - radius, -1), np.minimum(value + radius, 1)
    infinite = has_infinity(s)
    wide = np.isnan(value) | (radius > 1)
    return Set(np.where(wide, -1.0, lo), np.where(wide, 1.0, hi), s.nan | infinite, s.num & ~(infinite & (s.lo == s.hi)))


def maximum(a, b):
    return Set(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi), a.nan | b.nan, a.num & b.num)


def minimum(a, b):
    return Set(np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi), a.nan | b.nan, a.num & b.num)


def square(a):
    low = np.where((a.lo <= 0) & (a.hi >= 0), 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi)))
    high = np.maximum(np.abs(a.lo), np.abs(a.hi))
    with np.errstate(all="ignore"):
        return Set(low * low, high * high, a.nan, a.num)


def contains(s, values):
    """Which of the found values may be."""
    if values.dtype != np.float64:
        return (s.lo <= values) & (values <= s.hi)
    with np.errstate(all="ignore"):
        return np.where(np.isnan(values), s.nan, s.num & (s.lo <= values) & (values <= s.hi))
