#!/usr/bin/env python3
"""Sorts and selections against NumPy's stable sort, to the bit: rows of every kernel and around its limits, every
element type, both directions, every order of the dimensions, equal keys, NaN, infinities and both zeros.

  sorts.py --bin build/dev/bin [--device cuda:0] [--target cuda:sm_90a] [--seed N] [--count N] [--only N]

The fixed cases come first, then `--count` random ones.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

# What a block sorts by its network, what it sorts at all, a tile of a longer row, and a row that is cut to be
# selected from.
NETWORK, BLOCK, LONG = 256, 4096, 32768
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.float32, "f8E4M3FN": np.float32,
          "f8E5M2": np.float32, "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "i4": np.int8,
          "ui8": np.uint8, "i1": np.bool_}
# NumPy has none of these: the program converts.
CONVERTED = ("bf16", "f8E4M3FN", "f8E5M2", "i4")
FLOATS = ("f64", "f32", "f16", *CONVERTED[:3])
# A significand's bits of what the program converts, and the largest exponent: all values are exact.
PRECISION = {"bf16": 8, "f8E4M3FN": 4, "f8E5M2": 3}


def values(rng, dtype, shape, kind):
    """Values of `kind`: any, few (many are equal), rare (most are equal, those that go first lie far apart), equal,
    sorted, reversed, special (NaN, infinities, zeros)."""
    if kind == "rare":
        # Two different values, in both directions.
        chosen = rng.random(shape) * max(shape[-1], 1)
        low, high = (0, 1) if dtype in ("i1", "ui8") else (-1, 1)
        return np.where(chosen < 8, high, np.where(chosen < 16, low, 0)).astype(DTYPES[dtype])
    if kind == "equal":
        return np.full(shape, 3 if dtype != "i1" else 1).astype(DTYPES[dtype])
    if dtype in FLOATS:
        data = rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 2, shape)
        if kind == "few":
            data = rng.integers(-3, 4, shape) / 2
        if kind == "special":
            chosen = [0.0, -0.0, 1.0, -1.0, np.nan] + ([] if dtype == "f8E4M3FN" else [np.inf, -np.inf])
            data = rng.choice(np.array(chosen), shape)
        if dtype in PRECISION:
            fraction, exponent = np.frexp(data)
            places = 2.0 ** PRECISION[dtype]
            # Not below the normal numbers.
            data = np.where(np.abs(data) < 2.0**-5, np.copysign(0.0, data),
                            np.ldexp(np.round(fraction * places) / places, exponent))
    else:
        low, high = {"i4": (-8, 8), "i1": (0, 2)}.get(dtype) or \
            (np.iinfo(DTYPES[dtype]).min, np.iinfo(DTYPES[dtype]).max)
        if kind == "few":
            low, high = max(low, -2), 3 if dtype != "i1" else 2
        data = rng.integers(low, high, shape, dtype=np.int64)
        if kind == "special" and dtype != "i1":
            data = rng.choice(np.array([low, high - 1, 0, 1]), shape)
    data = np.sort(data, axis=-1) if kind in ("sorted", "reversed") else data
    return (np.flip(data, -1) if kind == "reversed" else data).astype(DTYPES[dtype])


def order(data, dim, descending):
    """Positions in a stable order, NaN being the greatest; NumPy's own is that, in ascending order."""
    if not descending:
        return np.argsort(data, axis=dim, kind="stable")
    return data.shape[dim] - 1 - np.flip(np.argsort(np.flip(data, dim), axis=dim, kind="stable"), dim)


class Case:
    def __init__(self, shape, dtype="f32", dim=-1, largest=False, k=None, kind="any", runs=None, opt=None):
        """`runs`: sizes of the sorted dimension, which is dynamic then, and `opt` what the program is tuned for."""
        self.shape, self.dtype, self.dim, self.largest, self.k = list(shape), dtype, dim % len(shape), largest, k
        self.kind, self.runs, self.opt = kind, runs or [shape[dim]], opt

    def describe(self):
        sizes = "x".join(str(size) for size in self.shape)
        return (f"{sizes}x{self.dtype} dim={self.dim} {'largest' if self.largest else 'smallest'} first, k={self.k}, "
                f"{self.kind}" + (f", runs {self.runs}, opt {self.opt}" if self.opt else ""))

    def text(self):
        stored = {"i4": "i8"}.get(self.dtype, "f32") if self.dtype in CONVERTED else self.dtype
        dims = [str(size) for size in self.shape]
        profile = ""
        if self.opt:
            dims[self.dim] = "?"
            bounds = [[*self.shape[:self.dim], size, *self.shape[self.dim + 1:]]
                      for size in (min([self.opt, *self.runs]), self.opt, max([self.opt, *self.runs]))]
            profile = f", tripy.profile = #tripy.profile<min = {bounds[0]}, opt = {bounds[1]}, max = {bounds[2]}>"
        kept = dims if self.k is None else [*dims[:self.dim], str(self.k), *dims[self.dim + 1:]]

        def tensor(sizes, dtype):
            return f"tensor<{'x'.join([*sizes, dtype])}>"
        before, outer = tensor(dims, stored), tensor(kept, stored)
        source, values_, places = tensor(dims, self.dtype), tensor(kept, self.dtype), tensor(kept, "i32")
        if self.k is None:
            head = f"trace.sort %a dim = {self.dim}" + (" descending" if self.largest else "")
        else:
            head = f"trace.topk %a k = {self.k} dim = {self.dim}" + ("" if self.largest else " smallest")
        lines = [f'func.func @main(%x: {before} {{tripy.name = "x"{profile}}})',
                 f'    -> ({outer} {{tripy.name = "v"}}, {places} {{tripy.name = "p"}}) {{']
        if self.dtype in CONVERTED:
            lines += [f"  %a = trace.cast %x to {self.dtype} : ({before}) -> {source}"]
        lines += [f"  %r:2 = {head} : ({source}) -> ({values_}, {places})".replace("%a", "%a" if self.dtype in CONVERTED else "%x")]
        result = "%r#0"
        if self.dtype in CONVERTED:
            lines += [f"  %w = trace.cast %r#0 to {stored} : ({values_}) -> {outer}"]
            result = "%w"
        return "\n".join([*lines, f"  return {result}, %r#1 : {outer}, {places}", "}", ""])

    def inputs(self, rng):
        for size in self.runs:
            shape = [*self.shape[:self.dim], size, *self.shape[self.dim + 1:]]
            yield values(rng, self.dtype, shape, self.kind)

    def expected(self, data):
        places = order(data, self.dim, self.largest)
        if self.k is not None:
            places = np.take(places, np.arange(self.k), self.dim)
        return np.take_along_axis(data, places, self.dim), places.astype(np.int32)


def fixed_cases():
    around = [1, 2, 3, NETWORK - 1, NETWORK, NETWORK + 1, 511, 512, 513, 768, 1000, 2048, 2049, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1,
              2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK + 7]
    cases = [Case([1, size], kind=kind) for size in around for kind in ("any", "few")]
    for dtype in DTYPES:
        cases += [Case([2, size], dtype, largest=size % 2 == 0, kind=kind)
                  for size, kind in [(700, "any"), (BLOCK + 904, "any"), (701, "special"), (BLOCK + 905, "special")]]
    cases += [Case([1, size], dtype, kind=kind, largest=kind == "few") for size in (2000, 9000) for dtype in ("f32", "f64")
              for kind in ("equal", "sorted", "reversed", "few")]
    cases += [Case([3, 5003, 2], dim=1), Case([5003, 3], dim=0, largest=True, kind="few"), Case([0, 5000]),
              Case([3, 0]), Case([2, 0, 5000]), Case([40, 4100]), Case([700, 600], "f16"), Case([1, 1 << 17], kind="few"),
              Case([1, (1 << 17) + 1], "i16")]
    cases += [Case([3, 5000], runs=[5000, 1, 0, 4096, 4097, 12289], opt=opt, dtype=dtype)
              for opt, dtype in [(1000, "f32"), (9000, "f32"), (9000, "f64")]]
    cases += [Case([5000, 2], dim=0, runs=[5000, 8193, 0], opt=8000, kind="few", largest=True)]
    # Selections: in a block, by digits, from parts, and as the start of a sort.
    for largest in (True, False):
        for dtype in ("f32", "f16", "i64", "bf16", "i4", "ui8"):
            cases += [Case([2, 1000], dtype, k=10, largest=largest, kind="few"),
                      Case([1, LONG], dtype, k=40, largest=largest, kind="few"),
                      Case([3, LONG + 64], dtype, k=13, largest=largest, kind="rare"),
                      Case([1, LONG + 64], dtype, k=7, largest=largest, kind="special")]
    cases += [Case([1, 40009], k=40, largest=True), Case([1, 128256], "f16", k=40, largest=True),
              Case([1, LONG], k=1), Case([1, LONG], k=2048, largest=True, kind="few"), Case([1, LONG], k=2049),
              Case([LONG, 2], k=5, dim=0, largest=True, kind="few"), Case([2, LONG, 3], k=6, dim=1, kind="few"),
              Case([1, LONG], k=0), Case([2, LONG], k=3, kind="equal", largest=True)]
    return cases


def random_case(rng):
    def pick(options):
        return options[int(rng.integers(len(options)))]
    length = int(2 ** rng.uniform(8, 16)) + int(rng.integers(-1, 2))
    if rng.random() < 0.5:
        length = max(1, pick([NETWORK, 512, BLOCK]) * int(rng.integers(1, 6)) + int(rng.integers(-1, 2)))
    outer = [int(rng.integers(1, 5)) for _ in range(int(rng.integers(0, 3)))]
    if length < 2000 and rng.random() < 0.3:
        outer.append(int(rng.integers(1, 30)))
    dim = int(rng.integers(0, len(outer) + 1))
    shape = [*outer[:dim], length, *outer[dim:]]
    k = int(rng.integers(0, min(length, 3000))) if rng.random() < 0.3 else None
    runs, opt = None, None
    if k is None and rng.random() < 0.3:
        runs, opt = [length, int(rng.integers(0, length + 1)), length + 1], int(rng.integers(1, 2 * length))
    return Case(shape, pick(list(DTYPES)), dim, rng.random() < 0.5, k,
                pick(["any", "any", "few", "rare", "equal", "sorted", "reversed", "special"]), runs, opt)


def bits(array):
    """To compare with: NaNs as one, both zeros as two."""
    array = np.where(np.isnan(array), np.nan, array).astype(array.dtype) if array.dtype.kind == "f" else array
    return array.tobytes()


def check(case, number, options, folder):
    """Why the case fails; "" if it does not."""
    rng = np.random.default_rng([options.seed, number])
    program, compiled = os.path.join(folder, "p.mlir"), os.path.join(folder, "p.tpx")
    with open(program, "w", encoding="utf-8") as file:
        file.write(case.text())
    done = subprocess.run([f"{options.bin}/tripy-compile", program, "-o", compiled, f"--target={options.target}"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    for data in case.inputs(rng):
        np.save(os.path.join(folder, "x.npy"), data)
        expected, results = case.expected(data), []
        for _ in range(options.repeat):
            names = [os.path.join(folder, f"{name}.npy") for name in "vp"]
            done = subprocess.run([f"{options.bin}/tripy-run", compiled, f"--device={options.device}",
                                   "--input", f"x=@{folder}/x.npy", "--output", f"v=@{names[0]}",
                                   "--output", f"p=@{names[1]}"], capture_output=True, text=True, check=False)
            if done.returncode:
                return done.stderr
            results.append([np.load(name) for name in names])
        for found in results:
            for what, wanted, got in zip(("values", "positions"), expected, found):
                if wanted.shape != got.shape:
                    return f"{what} have shape {got.shape}, expected {wanted.shape}"
                if bits(wanted) != bits(got.astype(wanted.dtype)):
                    different = np.argwhere(~((wanted == got) | ((wanted != wanted) & (got != got))))
                    return f"{what} differ at {len(different)} places, first {different[:3].tolist()}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="random cases")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, which must give the same")
    parser.add_argument("--only", type=int, help="the number of one case")
    options = parser.parse_args()
    options.target = options.target or ("cpu" if options.device == "cpu" else "cuda:sm_90a")
    cases = fixed_cases()
    cases += [random_case(np.random.default_rng([options.seed, 1, i])) for i in range(options.count)]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            if options.only not in (None, number):
                continue
            if reason := check(case, number, options, folder):
                failures += 1
                print(f"case {number}: {case.describe()}\n{reason}\n{case.text()}", flush=True)
    print(f"{len(cases)} sorts, {failures} failed")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
