"""Element types: their values, their stored bits and rounding to them."""
import collections

import numpy as np

# bits of the significand; exponent of the smallest step; largest number
Float = collections.namedtuple("Float", "bits step largest")
FLOATS = {"f64": Float(53, -1074, 1.7976931348623157e308), "f32": Float(24, -149, 3.4028234663852886e38),
          "f16": Float(11, -24, 65504.0), "bf16": Float(8, -133, 3.3895313892515355e38),
          "f8E4M3FN": Float(4, -9, 448.0), "f8E5M2": Float(3, -16, 57344.0)}
INTEGERS = {"i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "ui8": 8}
STORED = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
          "i4": "i1", "ui8": "u1", "i1": "u1", "f8E4M3FN": "u1", "f8E5M2": "u1"}
# The classes that rules name; floats of 8 bits and i4 are of none: the latter are moved, compared and converted, the
# former contracted too. What is known of f64 here are one operation's roundings: "double" is drawn where that is enough.
CLASSES = {"float": ("f32", "f16", "bf16"), "double": ("f64",), "integer": ("i32", "i64", "i8", "i16", "ui8"),
           "bool": ("i1",), "i4": ("i4",), "f8": ("f8E4M3FN", "f8E5M2")}
ALL = tuple(STORED)
SHORT = ("f16", "bf16")
F8 = CLASSES["f8"]


def is_float(dtype):
    return dtype in FLOATS


def round_to(values, dtype):
    """float64 values rounded to nearest even, once; beyond the largest number infinity, for f8E4M3FN NaN."""
    kind = FLOATS[dtype]
    if dtype == "f64":
        return values
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)
        quantum = np.ldexp(1.0, np.maximum(exponent - kind.bits, kind.step))
        rounded = np.where(np.isfinite(values), np.rint(values / quantum) * quantum, values)
        beyond = np.nan if dtype == "f8E4M3FN" else np.copysign(np.inf, rounded)
        return np.where(np.abs(rounded) > kind.largest, beyond, rounded)


def integer_to_float64(values, dtype):
    """Integers as float64 that round to `dtype` as the integers themselves would."""
    values = np.asarray(values, np.int64)
    if dtype == "f64" or dtype not in FLOATS or not values.size or np.abs(values.astype(np.float64)).max() < 2.0**53:
        return values.astype(np.float64)
    sticky = (values & ~np.int64(0x7FF)) | (((values & 0x7FF) != 0).astype(np.int64) << 11)
    return np.where(np.abs(values.astype(np.float64)) < 2.0**53, values, sticky).astype(np.float64)


def _f8_values(dtype):
    """The number of each code."""
    bits = np.arange(256)
    width = FLOATS[dtype].bits - 1
    exponent, mantissa = (bits & 127) >> width, (bits & (1 << width) - 1) / 2**width
    bias = (1 << (6 - width)) - 1
    value = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias), (1 + mantissa) * 2.0 ** (exponent - float(bias)))
    beyond = np.where(mantissa == 0, np.inf, np.nan) if dtype == "f8E5M2" else np.nan
    value = np.where(value > FLOATS[dtype].largest, beyond, value)
    return np.where(bits & 128, -value, value)


F8_VALUES = {dtype: _f8_values(dtype) for dtype in F8}


def to_bits(values, dtype):
    """Values, rounded to `dtype`, as an array of the stored type."""
    values = np.asarray(values)
    if dtype in ("f64", "f32", "f16") or not is_float(dtype):
        with np.errstate(all="ignore"):
            return np.asarray(values, STORED[dtype], order="C")
    values = round_to(values.astype(np.float64), dtype)
    if dtype in F8:
        numbers = F8_VALUES[dtype][:128]
        place = np.searchsorted(numbers[~np.isnan(numbers)], np.abs(np.where(np.isnan(values), 0.0, values)))
        return np.asarray(np.where(np.isnan(values), 127, place + 128 * np.signbit(values)), "u1")
    bits = (np.ascontiguousarray(values.reshape(-1).astype("<f4")).view("<u4") >> 16).astype("<u2").reshape(values.shape)
    return np.where(np.isnan(values), np.uint16(0x7FC0), bits).astype("<u2")


def from_bits(bits, dtype):
    """float64 for floats, int64 for the rest; stored truth values are 0 and 1."""
    if dtype in F8:
        return F8_VALUES[dtype][bits]
    if dtype == "bf16":
        wide = np.ascontiguousarray(bits).reshape(-1).astype("<u4") << 16
        return wide.view("<f4").astype(np.float64).reshape(bits.shape)
    return bits.astype(np.float64 if is_float(dtype) else np.int64)


def wrap(values, dtype):
    """Integers modulo 2^bits."""
    if dtype == "i4":
        return ((values + 8) & 15) - 8
    return values.astype(STORED[dtype]).astype(np.int64) if dtype in INTEGERS else values


def integer_range(dtype):
    if dtype == "i1":
        return 0, 1
    if dtype.startswith("u"):
        return 0, 2 ** INTEGERS[dtype] - 1
    return -(2 ** (INTEGERS[dtype] - 1)), 2 ** (INTEGERS[dtype] - 1) - 1


def pack_i4(values):
    """Two elements in a byte, the first one in its low half; the last half of an odd number is 0."""
    flat = np.asarray(values, np.int8).reshape(-1).view(np.uint8) & 15
    flat = np.append(flat, np.zeros(flat.size % 2, np.uint8))
    return flat[0::2] | flat[1::2] << 4


def unpack_i4(data, shape):
    """The inverse."""
    count = int(np.prod(shape))
    flat = np.stack([data & 15, data >> 4], axis=1).reshape(-1)[:count].astype(np.int8)
    return (((flat + 8) & 15) - 8).astype(np.int8).reshape(shape)


#===-- values of inputs ----------------------------------------------------===#

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0**-149, 2.0**-126, -(2.0**-24), 65504.0, 65520.0,
                    3.4e38, -3.4e38, 2049.0, 0.5, 1.5, 2.5, -0.5, 448.0, 464.0, 1e30])
FILLS = ("normal", "whole", "ties", "wide", "special", "one", "positive")


def fill(kind, seed, shape, dtype):
    """Values of an input or a constant, representable in `dtype`."""
    rng = np.random.default_rng(seed)
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(np.int64)
    if dtype in INTEGERS:
        low, high = integer_range(dtype)
        if kind in ("wide", "special"):
            values = rng.integers(low, high, shape, endpoint=True)
            return np.where(rng.random(shape) < 0.2, rng.choice(np.array([low, high, 0, max(low, -1), 1]), shape), values)
        if kind in ("positive", "one"):
            return rng.integers(1, min(high, 8) + 1, shape)
        return rng.integers(max(low, -9), min(high, 9) + 1, shape)
    values = {"normal": lambda: rng.standard_normal(shape),
              "whole": lambda: rng.integers(-8, 9, shape).astype(np.float64),
              "ties": lambda: rng.integers(-3, 4, shape) / 2.0,
              "wide": lambda: np.ldexp(rng.standard_normal(shape), rng.integers(-12, 13, shape)),
              "special": lambda: np.where(rng.random(shape) < 0.25, rng.choice(SPECIAL, shape), rng.standard_normal(shape)),
              "one": lambda: 1 + rng.standard_normal(shape) / 64,
              "positive": lambda: 0.1 + rng.random(shape) * 4}[kind]()
    return round_to(np.asarray(values, np.float64), dtype)
