"""Programs of one kernel with their reference in float64 and its error bounds.

A Program collects inputs and operations. Sizes are numbers, or names of sizes
that are dynamic: one executable then runs several shapes. Every operation has a
NumPy form over pairs (value, error): the exact result in float64, and how far a
computation in f32 with one rounding at the end may be from it. random_shapes.py
compares with twice the error of the last value.
"""
import warnings

import numpy as np

# Type -> NumPy type of the stored bits, spacing of 1 divided by 2, smallest step.
FLOATS = {"f32": ("<f4", 2.0**-24, 2.0**-149), "f16": ("<f2", 2.0**-11, 2.0**-25), "bf16": ("<u2", 2.0**-8, 2.0**-133)}
STORED = {"f32": "<f4", "f16": "<f2", "bf16": "<u2", "i32": "<i4", "i64": "<i8", "i8": "i1", "i1": "u1", "f8E4M3FN": "u1"}
LARGEST = {"f32": 3.4028235e38, "f16": 65504.0, "bf16": 3.3895314e38}
F32 = 2.0**-24


def f8_values():
    """The 256 values of f8E4M3FN: sign, 4 bits of exponent with bias 7, 3 of mantissa; all ones is NaN."""
    bits = np.arange(256)
    exponent, mantissa = (bits >> 3) & 15, bits & 7
    value = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    return np.where((bits & 127) == 127, np.nan, np.where(bits & 128, -value, value))


F8 = f8_values()


def to_bits(values, dtype):
    """float64 values rounded to `dtype`, as an array of the stored type; for f8E4M3FN to the next smaller magnitude."""
    if dtype == "f8E4M3FN":
        magnitudes = np.minimum(np.abs(values), 448.0)
        places = np.searchsorted(F8[:127], magnitudes, side="right") - 1
        return np.asarray(places + 128 * np.signbit(values), "u1")
    if dtype != "bf16":
        return np.asarray(values, STORED[dtype], order="C")
    values = np.asarray(values)
    bits = values.reshape(-1).astype("<f4").view("<u4")
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2").reshape(values.shape)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def from_bits(bits, dtype):
    if dtype == "f8E4M3FN":
        return F8[bits]
    if dtype != "bf16":
        return bits.astype(np.float64)
    wide = bits.reshape(-1).astype("<u4") << 16
    return wide.view("<f4").astype(np.float64).reshape(bits.shape)


def summation_error(count):
    """Of a sum in f32 in any order with partial sums, relative to the sum of magnitudes."""
    return (16 + 2 * np.sqrt(count)) * F32


class Program:
    """`runs`: one dict of sizes for each run; names in `dynamic` are sizes that the program does not know."""

    def __init__(self, runs, dynamic=()):
        self.runs, self.dynamic = runs, set(dynamic)
        # Dynamic sizes that the profile expects, greater than those of the runs.
        self.expected = {}
        self.inputs, self.steps, self.lines, self.dims, self.dtypes = [], [], [], {}, {}

    def size(self, dim, run=0):
        return self.runs[run][dim] if isinstance(dim, str) else dim

    def type(self, dims, dtype):
        texts = ["?" if dim in self.dynamic else str(self.size(dim)) for dim in dims]
        return f"tensor<{'x'.join([*texts, dtype])}>"

    def type_of(self, name):
        return self.type(self.dims[name], self.dtypes[name])

    def input(self, dims, dtype, fill):
        """`fill(rng, shape)` makes its values, which are rounded to `dtype`."""
        name = f"%a{len(self.inputs)}"
        self.inputs.append((name, fill))
        self.dims[name], self.dtypes[name] = list(dims), dtype
        return name

    def apply(self, text, arguments, dims, dtype, function, exact=False):
        """Adds an operation; `text` has {0}, {1} ... for arguments, without types.

        `function` takes pairs (value, error) and returns one. The result is
        rounded to `dtype` unless `exact` says that it always fits.
        """
        name = f"%v{len(self.steps)}"
        self.dims[name], self.dtypes[name] = list(dims), dtype
        types = ", ".join(self.type_of(a) for a in arguments)
        self.lines.append(f"  {name} = {text.format(*arguments)} : ({types}) -> {self.type_of(name)}")
        self.steps.append((name, arguments, function, exact))
        return name

    def text(self):
        result = self.steps[-1][0]
        arguments = []
        for name, _ in self.inputs:
            attributes = f'tripy.name = "{name[1:]}"'
            dims = self.dims[name]
            if any(dim in self.dynamic for dim in dims):
                sizes = [[self.size(dim, run) for run in range(len(self.runs))] for dim in dims]
                names = ", ".join(f'"{dim if dim in self.dynamic else ""}"' for dim in dims)
                opt = [self.expected.get(dim, s[0]) for dim, s in zip(dims, sizes)]
                attributes += (f", tripy.dims = [{names}], tripy.profile = #tripy.profile<min = {[min(s) for s in sizes]}, "
                               f"opt = {opt}, max = {[max([o, *s]) for o, s in zip(opt, sizes)]}>")
            arguments.append(f"{name}: {self.type_of(name)} {{{attributes}}}")
        return (f"func.func @main(\n    {(',' + chr(10) + '    ').join(arguments)})\n"
                f"    -> ({self.type_of(result)} {{tripy.name = \"y\"}}) {{\n"
                + "\n".join(self.lines) + f"\n  return {result} : {self.type_of(result)}\n}}\n")

    def shape_of(self, name, run):
        return tuple(self.size(dim, run) for dim in self.dims[name])

    def make_inputs(self, rng, run):
        return [to_bits(fill(rng, self.shape_of(name, run)), self.dtypes[name]) for name, fill in self.inputs]

    def evaluate(self, bits):
        """Value and error of the result for stored inputs."""
        known = {name: (from_bits(array, self.dtypes[name]), 0.0) for (name, _), array in zip(self.inputs, bits)}
        # Empty rows have no mean: it is NaN.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, arguments, function, exact in self.steps:
                value, error = function(*[known[a] for a in arguments])
                if self.dtypes[name] in FLOATS and not exact:
                    _, epsilon, step = FLOATS[self.dtypes[name]]
                    error = error + epsilon * (np.abs(value) + error) + step
                    if name != self.result and self.dtypes[name] in LARGEST:
                        # Infinite or not; nothing is known of what follows from it.
                        error = np.where(np.abs(value) + 2 * error > LARGEST[self.dtypes[name]], np.inf, error)
                known[name] = (np.asarray(value, np.float64), np.asarray(error, np.float64))
        return known[self.steps[-1][0]]

    @property
    def result(self):
        return self.steps[-1][0]


def compare(found, dtype, value, error):
    """"" or what differs. `found` is stored bits; two errors are allowed."""
    got = from_bits(found, dtype)
    if got.shape != value.shape:
        return f"shape {got.shape} instead of {value.shape}"
    with np.errstate(all="ignore"):
        good = (got == value) | (np.isnan(got) & np.isnan(value)) | (np.abs(got - value) <= 2 * error)
        if dtype in LARGEST:
            # Values that the rounding may push out of range.
            good |= np.isinf(got) & (np.sign(got) * value + 2 * error > LARGEST[dtype])
        good |= ~np.isfinite(error) & ~np.isnan(value)
    if np.all(good):
        return ""
    wrong = np.argwhere(~good)
    first = tuple(int(i) for i in wrong[0])
    bound = 2 * float(np.broadcast_to(error, value.shape)[first])
    return (f"{len(wrong)} of {value.size} elements differ; the first at {list(first)}: "
            f"{got[first]!r} instead of {value[first]!r} +- {bound:.3g}")


#===-- values of inputs --------------------------------------------------===#

def normal(rng, shape):
    return rng.standard_normal(shape)


def whole(low, high):
    return lambda rng, shape: rng.integers(low, high, shape).astype(np.float64)


#===-- NumPy forms over (value, error) -----------------------------------===#

def moving(function):
    """For operations that move elements alone: the error moves with them."""
    def apply(*pairs):
        errors = [np.broadcast_to(error, value.shape) for value, error in pairs]
        return function(*[value for value, _ in pairs]), function(*errors)
    return apply


def lipschitz(function, slope, ulps=8):
    """A function of one number whose derivative is at most `slope`."""
    def apply(pair):
        value = function(pair[0])
        return value, slope * pair[1] + ulps * F32 * (np.abs(value) + np.abs(pair[0]))
    return apply


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Name -> form; those of the first list are exact.
EXACT_UNARY = {"neg": lambda p: (-p[0], p[1]), "abs": lambda p: (np.abs(p[0]), p[1]),
               "relu": lambda p: (np.maximum(p[0], 0), p[1])}
UNARY = {**EXACT_UNARY,
         "tanh": lipschitz(np.tanh, 1), "sigmoid": lipschitz(sigmoid, 0.25), "gelu": lipschitz(gelu, 1.2),
         "silu": lipschitz(lambda x: x * sigmoid(x), 1.2), "sin": lipschitz(np.sin, 1), "cos": lipschitz(np.cos, 1)}
BINARY = {"add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
          "sub": lambda a, b: (a[0] - b[0], a[1] + b[1]),
          "mul": lambda a, b: (a[0] * b[0], np.abs(a[0]) * b[1] + np.abs(b[0]) * a[1] + a[1] * b[1]),
          "maximum": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
          "minimum": lambda a, b: (np.minimum(a[0], b[0]), np.maximum(a[1], b[1]))}
