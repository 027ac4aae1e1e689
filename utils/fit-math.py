#!/usr/bin/env python3
"""Prints the polynomial coefficients of lib/Codegen/Math.

Each polynomial for f32 is the minimax fit (Lawson's method) of the function
divided by its known leading part, with a weight that makes the error relative
to the function's final result. Coefficients are rounded one by one to the
working precision, lowest power first, and the rest is fitted again after each
rounding, so that the rounding of one is made good by the others. Those for f64
("-wide") interpolate at Chebyshev points, of a degree at which the rounding of
the coefficients is what remains.

Needs mpmath and numpy. Usage: utils/fit-math.py [name ...]
"""

import struct
import sys

import mpmath as mp
import numpy

mp.mp.dps = 120


def round_f32(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def round_f64(x):
    return mp.mpf(float(x))


class Grid:
    """Samples of target and weight at Chebyshev points, end points included."""

    def __init__(self, target, weight, low, high, count=400):
        mid, half = (high + low) / 2, (high - low) / 2
        self.x = [mid - half * mp.cos(mp.pi * i / (count - 1))
                  for i in range(count)]
        self.y = [target(x) for x in self.x]
        self.w = [weight(x) for x in self.x]


def errors(grid, powers, coefficients):
    return [w * (mp.fsum(c * x**p for c, p in zip(coefficients, powers)) - y)
            for x, y, w in zip(grid.x, grid.y, grid.w)]


def minimax(grid, powers):
    """Minimax coefficients of sum c_i x**powers[i] on the grid.

    Lawson's reweighted least squares: unlike an exchange it needs no Haar
    condition, which powers without the constant break on intervals about 0.
    """
    scale = float(max(abs(x) for x in grid.x))
    x = numpy.array([float(v) for v in grid.x]) / scale
    w = numpy.array([float(v) for v in grid.w])
    y = w * numpy.array([float(v) for v in grid.y])
    a = w[:, None] * x[:, None] ** numpy.array(list(powers))[None, :]
    lawson = numpy.ones(len(x)) / len(x)
    best, solution = numpy.inf, None
    for _ in range(600):
        root = numpy.sqrt(lawson)
        candidate = numpy.linalg.lstsq(a * root[:, None], y * root,
                                       rcond=None)[0]
        error = numpy.abs(a @ candidate - y)
        if error.max() < best:
            best, solution = error.max(), candidate
        if error.max() == 0:
            break
        lawson *= error
        lawson /= lawson.sum()
    return [mp.mpf(float(c)) / mp.mpf(scale)**p
            for c, p in zip(solution, powers)]


def fit(target, weight, low, high, powers, rounding):
    grid = Grid(target, weight, mp.mpf(low), mp.mpf(high))
    rounded, rest = [], list(powers)
    residual = list(grid.y)
    while rest:
        value = rounding(minimax(grid, rest)[0])
        power = rest.pop(0)
        rounded.append(value)
        grid.y = [y - value * x**power for x, y in zip(grid.x, grid.y)]
    grid.y = residual
    return rounded, max(abs(e) for e in errors(grid, powers, rounded))


def fit_wide(target, weight, low, high, count):
    coefficients = mp.chebyfit(target, [mp.mpf(low), mp.mpf(high)], count)
    rounded = [round_f64(c) for c in reversed(coefficients)]
    grid = Grid(target, weight, mp.mpf(low), mp.mpf(high))
    return rounded, max(abs(e) for e in errors(grid, range(count), rounded))


def near(x):
    """Steps off zero, where a quotient such as (exp(r) - 1 - r) / r**2 is 0/0."""
    return x if abs(x) > mp.mpf("1e-25") else mp.mpf("1e-25")


def quotient(f):
    return lambda x: f(near(x))


def over_square_root(f):
    """f as a function of z = x * x."""
    return lambda z: f(mp.sqrt(near(z)))


LN2 = mp.log(2)
THIRD = mp.mpf(1) / 3
SMALL_TANH = mp.mpf("0.55") ** 2
SMALL_ERF = mp.mpf("0.92") ** 2
WIDE_LN2 = LN2 / 2 * mp.mpf("1.0001")
WIDE_QUARTER2 = (mp.pi / 4 * mp.mpf("1.0001"))**2
WIDE_EIGHTH2 = (mp.tan(mp.pi / 8) * mp.mpf("1.0001"))**2


def atanh_tail(z):
    """q, of log((1 + s) / (1 - s)) = s (2 + z q(z)) with z = s * s."""
    s = mp.sqrt(near(z))
    return ((mp.log((1 + s) / (1 - s)) - 2 * s) / s) / s**2


def erfc_argument(t):
    return 3 * (1 + t) / (1 - t)


QUARTER2 = (mp.pi / 4) ** 2 * mp.mpf("1.0001")
EIGHTH2 = mp.tan(mp.pi / 8) ** 2 * mp.mpf("1.0001")

FITS = {
    # exp(r) = 1 + r + r^2 q(r)
    "exp": lambda: fit(quotient(lambda r: (mp.exp(r) - 1 - r) / r**2),
                       lambda r: r**2 / mp.exp(r), -LN2 / 2, LN2 / 2,
                       range(5), round_f32),
    # 2^f = 1 + f q(f)
    "exp2": lambda: fit(quotient(lambda f: (2**f - 1) / f),
                        lambda f: abs(f) / 2**f, -0.5, 0.5, range(6),
                        round_f32),
    # log(1 + f) = f + f^2 q(f)
    "log": lambda: fit(quotient(lambda f: (mp.log1p(f) - f) / f**2),
                       lambda f: abs(f**2 / mp.log1p(near(f))), -THIRD, THIRD,
                       range(9), round_f32),
    # log2(1 + f) = f L + f^2 q(f), L = log2(e) rounded
    "log2": lambda: fit(quotient(lambda f: (mp.log1p(f) / LN2
                                            - f * round_f32(1 / LN2)) / f**2),
                        lambda f: abs(f**2 / mp.log1p(near(f))), -THIRD,
                        THIRD, range(9), round_f32),
    # tanh(x) = x + x^3 q(x^2)
    "tanh": lambda: fit(over_square_root(lambda x: (mp.tanh(x) - x) / x**3),
                        over_square_root(lambda x: x**3 / mp.tanh(x)), 0,
                        SMALL_TANH, range(5), round_f32),
    # erf(x) = x + x q(x^2)
    "erf-small": lambda: fit(over_square_root(lambda x: mp.erf(x) / x - 1),
                             over_square_root(lambda x: x / mp.erf(x)), 0,
                             SMALL_ERF, range(6), round_f32),
    # erf(x) = 1 - 2^q(x)
    "erf-large": lambda: fit(lambda x: mp.log(mp.erfc(x)) / LN2,
                             lambda x: LN2 * mp.erfc(x) / mp.erf(x), 0.92,
                             3.93, range(7), round_f32),
    # erf(x) = x q(x^2) on |x| <= 2.75, for results of 16 bits
    "erf-fast": lambda: fit(over_square_root(lambda x: mp.erf(x) / x),
                            over_square_root(lambda x: x / mp.erf(x)), 0,
                            mp.mpf("2.75")**2, range(8), round_f32),
    # tanh(x) = x + x^3 q(x^2) on |x| <= 0.35, for results of 16 bits
    "tanh-fast": lambda: fit(over_square_root(
        lambda x: (mp.tanh(x) - x) / x**3),
        over_square_root(lambda x: x**3 / mp.tanh(x)), 0,
        mp.mpf("0.3")**2, range(2), round_f32),
    # sin(r) = r + r^3 q(r^2)
    "sin": lambda: fit(over_square_root(lambda r: (mp.sin(r) - r) / r**3),
                       over_square_root(lambda r: r**3 / mp.sin(r)), 0,
                       QUARTER2, range(3), round_f32),
    # cos(r) = 1 - r^2 / 2 + r^4 q(r^2)
    "cos": lambda: fit(over_square_root(
        lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4),
        over_square_root(lambda r: r**4 / mp.cos(r)), 0, QUARTER2, range(3),
        round_f32),
    # The same functions in f64.
    "exp-wide": lambda: fit_wide(quotient(lambda r: (mp.exp(r) - 1 - r) / r**2),
                                 lambda r: r**2 / mp.exp(r), -WIDE_LN2,
                                 WIDE_LN2, 11),
    "log-wide": lambda: fit_wide(atanh_tail, lambda z: z / 2, 0, "0.0401", 10),
    # The same without its first coefficient, 2/3
    "pow-wide": lambda: fit_wide(lambda z: (atanh_tail(z) - mp.mpf(2) / 3)
                                 / near(z), lambda z: z**2 / 2, 0, "0.0401", 9),
    "erf-small-wide": lambda: fit_wide(
        over_square_root(lambda x: mp.erf(x) / x - 1),
        over_square_root(lambda x: x / mp.erf(x)), 0, SMALL_ERF, 13),
    # erf(x) = 1 - exp(-x^2) q(t) / (1 + 2 x), t = (x - 3) / (x + 3)
    "erf-large-wide": lambda: fit_wide(
        lambda t: mp.erfc(erfc_argument(t)) * mp.exp(erfc_argument(t)**2)
        * (1 + 2 * erfc_argument(t)),
        lambda t: mp.exp(-erfc_argument(t)**2) / (1 + 2 * erfc_argument(t)),
        mp.mpf("-2.08") / mp.mpf("3.92"), mp.mpf("2.95") / mp.mpf("8.95"), 17),
    # atan(t) = t + t^3 q(t^2)
    "atan-wide": lambda: fit_wide(
        over_square_root(lambda t: (mp.atan(t) - t) / t**3),
        lambda z: z, 0, WIDE_EIGHTH2, 12),
    "sin-wide": lambda: fit_wide(
        over_square_root(lambda r: (mp.sin(r) - r) / r**3),
        over_square_root(lambda r: r**3 / mp.sin(r)), 0, WIDE_QUARTER2, 7),
    "cos-wide": lambda: fit_wide(
        over_square_root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4),
        lambda z: z**2, 0, WIDE_QUARTER2, 7),
    # log2((1 + s) / (1 - s)) = s q(s^2), s = (m - 1) / (m + 1)
    "pow-log2": lambda: fit(over_square_root(lambda s: 2 * mp.atanh(s) / LN2
                                             / s), lambda z: LN2 / 2,
                            0, mp.mpf("0.2001")**2, range(5), round_f64),
    # exp(r) = 1 + r + r^2 q(r), in f64
    "exp-wide": lambda: fit(quotient(lambda r: (mp.exp(r) - 1 - r) / r**2),
                            lambda r: r**2 / mp.exp(r), -LN2 / 2, LN2 / 2,
                            range(7), round_f64),
    # exp(r) - 1 = r + r^2 q(r)
    "expm1": lambda: fit(quotient(lambda r: (mp.exp(r) - 1 - r) / r**2),
                         lambda r: abs(r**2 / mp.expm1(near(r))), -LN2 / 2,
                         LN2 / 2, range(7), round_f64),
    # sinh(x) = x + x^3 q(x^2)
    "sinh": lambda: fit(over_square_root(lambda x: (mp.sinh(x) - x) / x**3),
                        over_square_root(lambda x: x**3 / mp.sinh(x)), 0, 1,
                        range(4), round_f64),
    # atan(t) = t + t^3 q(t^2)
    "atan": lambda: fit(over_square_root(lambda t: (mp.atan(t) - t) / t**3),
                        over_square_root(lambda t: t**3 / mp.atan(t)), 0,
                        EIGHTH2, range(6), round_f64),
}


def print_two_over_pi():
    """2/pi in two f64 for |x| >= 2^exponent, without the bits that, times a
    multiple of 2^(exponent - 23), are multiples of 4."""
    for exponent in (None, 46, 68, 90, 112):
        rest = 2 / mp.pi
        if exponent is not None:
            unit = mp.mpf(2)**(25 - exponent)
            rest -= mp.nint(rest / unit) * unit
        high = round_f64(rest)
        low = round_f64(rest - high)
        print(f"  from 2^{exponent}: {float(high).hex()} {float(low).hex()}")


def main():
    names = sys.argv[1:] or list(FITS) + ["two-over-pi"]
    for name in names:
        if name == "two-over-pi":
            print(f"{name}:")
            print_two_over_pi()
            continue
        if name not in FITS:
            sys.exit(f"fit-math: the names are {', '.join(FITS)}, two-over-pi; "
                     f"found '{name}'")
        coefficients, error = FITS[name]()
        print(f"{name}: largest relative error 2^{float(mp.log(error, 2)):.1f}")
        for c in coefficients:
            print(f"  {float(c).hex():>26}  {mp.nstr(c, 17)}")


if __name__ == "__main__":
    main()
