"""Puts programs together: values drawn so far, fresh inputs and constants, sizes."""
import numpy as np

import shapes
from elements import CLASSES, FILLS, is_float
from ops import OPS
from program import Program, jumps
from shapes import Dim, Invalid, Type, require

# Elements of a tensor at the sizes that only a profile names.
WIDE_ELEMENTS = 2_000_000
STATIC = [1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65]


class Builder:
    """Values are pairs: ("in", number of the input) or (number of the operation, number of its result)."""

    def __init__(self, rng, limits):
        self.rng, self.limits = rng, limits
        self.dynamic = rng.random() < 0.5
        # Some profiles are much wider than what runs; then the last run is there for them alone.
        self.wide = self.dynamic and rng.random() < 0.4
        self.runs = 3 + self.wide if self.dynamic else 1
        self.inputs, self.ops, self.types, self.order = [], [], {}, []
        self.dims = [shapes.known(int(rng.choice(STATIC)), self.runs) for _ in range(3)]
        if rng.random() < 0.08:
            self.dims.append(shapes.known(0, self.runs))
        self.names = {}
        if self.dynamic:
            for i in range(int(rng.integers(1, 4))):
                dim = self.draw_dynamic()
                self.dims += [dim, dim]
                self.names[dim.sizes] = f"n{i}"

    #===-- chances ------------------------------------------------------------===#

    def chance(self, probability):
        return self.rng.random() < probability

    def one_of(self, items):
        return items[int(self.rng.integers(len(items)))]

    def some(self, low, high):
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    #===-- dimensions -----------------------------------------------------------===#

    def draw_dynamic(self):
        least = self.one_of([0, 1, 1, 1, 1, 2, 3])
        most = least + self.one_of([0, 1, 2, 3, 4, 6, 7, 8, 14, 15, 16, 30])
        sizes = [least, most, self.some(least, most)] + [self.one_of([20, 50, 100, 128])] * self.wide
        return Dim(tuple(sizes), False)

    def fits(self, dims, most=None):
        volumes = shapes.volumes(dims, self.runs)
        if self.wide and volumes.pop() > WIDE_ELEMENTS:
            return False
        return max(volumes) <= (most or self.limits.elements)

    def draw_dims(self, rank, most=None):
        dims = []
        for _ in range(rank):
            choice = self.one_of(self.dims)
            if self.chance(0.25):
                choice = shapes.known(int(self.one_of(STATIC)), self.runs)
            while not self.fits([*dims, choice], most):
                choice = shapes.known(self.one_of([1, 2, 3]) if self.fits(dims + [shapes.known(3, self.runs)], most) else 1, self.runs)
            dims.append(choice)
        return tuple(dims)

    def draw_rank(self):
        return self.one_of([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])

    #===-- values -----------------------------------------------------------------===#

    def type(self, value):
        return self.types[value]

    def add_type(self, value, type_):
        self.types[value] = type_
        self.order.append(value)
        return value

    def input(self, dtype, dims):
        names = []
        for dim in dims:
            shared = not dim.static and dim.sizes in self.names and self.chance(0.6)
            names.append(self.names[dim.sizes] if shared else "")
        kind = self.one_of(["normal"] * 6 + list(FILLS))
        self.inputs.append({"dtype": dtype, "dims": [[list(d.sizes), d.static] for d in dims], "fill": kind,
                            "seed": self.some(0, 1 << 30), "names": names})
        return self.add_type(("in", len(self.inputs) - 1), Type(dtype, tuple(dims)))

    def apply(self, op, args, attributes=None):
        """The results; Invalid when a rule is broken."""
        attributes = attributes or {}
        found = OPS[op].types([self.types[a] for a in args], attributes, self.runs)
        for type_ in found:
            require(len(type_.dims) <= 6 and (type_.dtype == "index" or self.fits(type_.dims)), "size")
        self.ops.append({"op": op, "args": list(args), "attributes": attributes})
        return [self.add_type((len(self.ops) - 1, i), type_) for i, type_ in enumerate(found)]

    def fresh(self, dtype, dims):
        """An input; or a constant, a splat or a count."""
        static = all(dim.static for dim in dims)
        sizes = [dim.sizes[0] for dim in dims]
        draw = self.rng.random()
        kind = self.one_of(["normal", "normal", "whole", "ties", "one", "positive", "special"])
        if static and draw < 0.12 and np.prod(sizes) <= 64:
            return self.apply("constant", [], {"dtype": dtype, "shape": sizes, "fill": kind, "seed": self.some(0, 1 << 30),
                                               "splat": self.chance(0.3)})[0]
        if draw < 0.2:
            entries, args = self.entries(dims)
            if entries is not None:
                return self.apply("full", args, {"dtype": dtype, "sizes": entries, "value": self.draw_number(dtype)})[0]
        if draw < 0.25 and dims and dtype != "i1":
            entries, args = self.entries(dims)
            if entries is not None:
                return self.apply("iota", args, {"dtype": dtype, "sizes": entries, "dim": self.draw_axis(len(dims))})[0]
        return self.input(dtype, dims)

    def draw_number(self, dtype):
        if dtype == "i1":
            return self.some(0, 1)
        if not is_float(dtype):
            return self.one_of([0, 1, -1, 2, 7, 2**31 - 1, -(2**31)])
        return self.one_of([0.0, 1.0, -1.0, 0.5, 1.5, -0.08, 3.0, 100.0, 0.1])

    def draw_axis(self, rank):
        axis = self.some(0, rank - 1)
        return axis - rank if self.chance(0.3) else axis

    def tensors(self, suits):
        return [v for v in self.order if self.types[v].dtype != "index" and suits(self.types[v])]

    def pick(self, suits):
        """A value so far, rather a late one; or None."""
        found = self.tensors(suits)
        if not found:
            return None
        return found[max(self.some(0, len(found) - 1), self.some(0, len(found) - 1))]

    def operand(self, dtypes, ranks=(0, 6), suits=lambda type_: True, dims=None):
        """A value of one of these types; fresh when there is none."""
        def good(type_):
            return type_.dtype in dtypes and ranks[0] <= len(type_.dims) <= ranks[1] and suits(type_)
        value = self.pick(good) if self.chance(0.9) else None
        if value is not None:
            return value
        for _ in range(8):
            shape = dims() if dims else self.draw_dims(min(max(self.draw_rank(), ranks[0]), ranks[1]))
            if suits(Type(None, tuple(shape))):
                return self.fresh(self.one_of(dtypes), shape)
        raise Invalid("no operand")

    def dtype_of(self, classes):
        """Of a class, rather one that is there."""
        names = [name for c in classes for name in CLASSES[c]]
        return self.one_of(names)

    def partner(self, value, dtype=None):
        """A value that broadcasts with another one."""
        type_ = self.types[value]
        dtype = dtype or type_.dtype

        def good(other):
            if other.dtype != dtype:
                return False
            try:
                return self.fits(shapes.broadcast([type_.dims, other.dims], self.runs))
            except Invalid:
                return False
        if self.chance(0.6):
            found = self.pick(good)
            if found is not None:
                return found
        dims = list(type_.dims)
        draw = self.rng.random()
        if draw < 0.25:
            dims = dims[self.some(0, len(dims)):]
        dims = [shapes.known(1, self.runs) if self.chance(0.2) else d for d in dims]
        if draw > 0.9 and len(dims) < 6:
            dims = [shapes.known(self.one_of([1, 2, 3]), self.runs)] + dims
        if not self.fits(shapes.broadcast([dims, type_.dims], self.runs)):
            dims = list(type_.dims)
        return self.fresh(dtype, dims)

    #===-- sizes --------------------------------------------------------------------===#

    def index_constant(self, value):
        return self.apply("index", [], {"value": value})[0]

    def size_value(self, depth=2):
        """Arithmetic on sizes; the value may be anything."""
        sources = self.tensors(lambda t: any(not d.static for d in t.dims)) or self.tensors(lambda t: t.dims)
        if depth == 0 or not sources or self.chance(0.3):
            if sources and self.chance(0.8):
                value = self.one_of(sources)
                axes = [i for i, d in enumerate(self.types[value].dims) if not d.static] or list(range(len(self.types[value].dims)))
                axis = self.one_of(axes)
                return self.apply("dim", [value], {"dim": axis - len(self.types[value].dims) if self.chance(0.3) else axis})[0]
            return self.index_constant(self.one_of([0, 1, 2, 3, 5, 7, -1, -2]))
        names = [name for name in OPS if name.startswith("arith.")]
        for _ in range(4):
            try:
                return self.apply(self.one_of(names), [self.size_value(depth - 1), self.size_value(depth - 1)])[0]
            except Invalid:
                pass
        return self.size_value(0)

    def size_within(self, low, high):
        """A size value in this range at all runs, or None."""
        have = [v for v in self.order if self.types[v].dtype == "index"
                and all(low <= s <= high for s in self.types[v].dims[0].sizes)]
        if have and self.chance(0.6):
            return self.one_of(have)
        for _ in range(3):
            value = self.size_value()
            if all(low <= s <= high for s in self.types[value].dims[0].sizes):
                return value
        return None

    def index_for(self, dim):
        """A size value that is this dimension's, or None."""
        have = [v for v in self.order if self.types[v].dtype == "index" and self.types[v].dims[0].sizes == dim.sizes]
        if have and self.chance(0.7):
            return self.one_of(have)
        for value in self.tensors(lambda t: any(d.sizes == dim.sizes and not d.static for d in t.dims)):
            dims = self.types[value].dims
            axes = [i for i, d in enumerate(dims) if d.sizes == dim.sizes and not d.static]
            return self.apply("dim", [value], {"dim": self.one_of(axes)})[0]
        if len(set(dim.sizes)) == 1:
            return self.index_constant(dim.sizes[0])
        pairs = [d for d in self.dims if all(d.sizes) and all(a % b == 0 for a, b in zip(dim.sizes, d.sizes))]
        for d in pairs:
            if d.sizes == dim.sizes or len(set(d.sizes)) == 1:
                continue
            rest = Dim(tuple(a // b for a, b in zip(dim.sizes, d.sizes)), False)
            first = self.index_for_simple(d)
            second = self.index_for_simple(rest) if first is not None else None
            if second is not None:
                return self.apply("arith.muli", [first, second])[0]
        return None

    def index_for_simple(self, dim):
        for value in self.tensors(lambda t: any(d.sizes == dim.sizes and not d.static for d in t.dims)):
            axes = [i for i, d in enumerate(self.types[value].dims) if d.sizes == dim.sizes and not d.static]
            return self.apply("dim", [value], {"dim": self.one_of(axes)})[0]
        return self.index_constant(dim.sizes[0]) if len(set(dim.sizes)) == 1 else None

    def entries(self, dims, first=0):
        """A list of sizes for these dimensions with its operands, or (None, None)."""
        entries, args = [], []
        for dim in dims:
            if dim.static and not self.chance(0.04):
                entries.append(dim.sizes[0])
                continue
            value = self.index_for(dim)
            if value is None:
                return None, None
            entries.append(f"#{first + len(args)}")
            args.append(value)
        return entries, args

    #===-- the end --------------------------------------------------------------------===#

    def draw_outputs(self):
        used, read_by_jumps = set(), set()
        for op in self.ops:
            used |= set(op["args"])
            read_by_jumps |= {a for k, a in enumerate(op["args"]) if jumps(op, k)}
        share = self.one_of([0.05, 0.05, 0.2, 1.0])
        shown = self.one_of([0.0, 0.7, 0.9])
        outputs = []
        for value in self.order:
            if self.types[value].dtype == "index":
                continue
            made = value[0] != "in"
            if (made and value not in used) or (made and self.chance(share)) or (not made and self.chance(0.04)) or (
                    made and value in read_by_jumps and self.chance(shown)):
                outputs.append(value)
        outputs = [v for v in outputs if self.chance(0.95)] or outputs
        if not outputs:
            outputs = [self.one_of(self.tensors(lambda t: True))]
        if self.chance(0.08):
            outputs.append(self.one_of(outputs))
        if self.chance(0.3):
            self.rng.shuffle(outputs)
        return [tuple(o) if isinstance(o, (list, np.ndarray)) else o for o in outputs]

    def finish(self):
        outputs = self.draw_outputs()
        numbers = {("in", i): i for i in range(len(self.inputs))}
        place = len(self.inputs)
        for i, op in enumerate(self.ops):
            results = OPS[op["op"]].types([self.types[a] for a in op["args"]], op["attributes"], self.runs)
            for k in range(len(results)):
                numbers[(i, k)] = place + k
            place += len(results)
        ops = [{**op, "args": [numbers[a] for a in op["args"]]} for op in self.ops]

        def number(value):
            return numbers[(value[0] if value[0] == "in" else int(value[0]), int(value[1]))]
        return Program(self.inputs, ops, [number(o) for o in outputs], self.runs, self.wide)
