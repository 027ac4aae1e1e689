"""Programs of the zoo: operations as text that Tripy compiles, and as functions of torch, jax.numpy and NumPy.

A Program collects inputs and operations. A dimension is a number, or a Size, which the compiled program does not know. Peers and
references run the same operations one after the other, in the form that a user of PyTorch or JAX would write.
"""
import math
from dataclasses import dataclass

from cases import Input


@dataclass(frozen=True)
class Size:
    """A dynamic size, by its profile, and one value `away` from the expected one."""
    name: str
    least: int
    expected: int
    largest: int
    away: int

    def __add__(self, other):
        def each(name):
            return getattr(self, name) + (getattr(other, name) if isinstance(other, Size) else other)
        return Size("", *map(each, ("least", "expected", "largest", "away")))

    __radd__ = __add__


def value(dim, which):
    return getattr(dim, which) if isinstance(dim, Size) else dim


def is_torch(lib):
    return lib.__name__ == "torch"


def wide(lib, x):
    """What JAX computes a norm in; NumPy's values are float64."""
    return x if lib.__name__ == "numpy" else x.astype("float32")


#===-- operations in other libraries --------------------------------------===#

def gelu(lib, x):
    if is_torch(lib):
        return lib.nn.functional.gelu(x, approximate="tanh")
    return 0.5 * x * (1 + lib.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def silu(lib, x):
    return lib.nn.functional.silu(x) if is_torch(lib) else x / (1 + lib.exp(-x))


def relu(lib, x):
    return lib.relu(x) if is_torch(lib) else lib.maximum(x, 0)


def linear(lib, x, w, b=None):
    if is_torch(lib):
        return lib.nn.functional.linear(x, w, b)
    y = lib.matmul(x, w.T)
    return y if b is None else y + b


def softmax(lib, x, dim):
    if is_torch(lib):
        return lib.softmax(x, dim)
    f = wide(lib, x)
    e = lib.exp(f - f.max(dim, keepdims=True))
    return (e / e.sum(dim, keepdims=True)).astype(x.dtype)


def log_softmax(lib, x):
    if is_torch(lib):
        return lib.log_softmax(x, -1)
    f = wide(lib, x)
    f = f - f.max(-1, keepdims=True)
    return (f - lib.log(lib.exp(f).sum(-1, keepdims=True))).astype(x.dtype)


def layer_norm(lib, x, w, b):
    if is_torch(lib):
        return lib.nn.functional.layer_norm(x, (x.shape[-1],), w, b, 1e-5)
    f = wide(lib, x)
    mean = f.mean(-1, keepdims=True)
    var = ((f - mean) ** 2).mean(-1, keepdims=True)
    return ((f - mean) / lib.sqrt(var + 1e-5) * w + b).astype(x.dtype)


def rms_norm(lib, x, w):
    if is_torch(lib):
        return lib.nn.functional.rms_norm(x, (x.shape[-1],), w, 1e-5)
    f = wide(lib, x)
    return (f / lib.sqrt((f * f).mean(-1, keepdims=True) + 1e-5) * w).astype(x.dtype)


def group_norm(lib, x, w, b, groups):
    if is_torch(lib):
        return lib.nn.functional.group_norm(x, groups, w, b, 1e-5)
    f = wide(lib, x).reshape(x.shape[0], groups, -1)
    mean = f.mean(-1, keepdims=True)
    var = ((f - mean) ** 2).mean(-1, keepdims=True)
    of_channel = (1, -1) + (1,) * (len(x.shape) - 2)
    return (((f - mean) / lib.sqrt(var + 1e-5)).reshape(x.shape) * w.reshape(of_channel) + b.reshape(of_channel)).astype(x.dtype)


def reduce(lib, kind, x, dims, keepdim):
    """sum, mean, max, or var with the divisor n."""
    if is_torch(lib):
        if kind == "var":
            return lib.var(x, dims, correction=0, keepdim=keepdim)
        return getattr(lib, "amax" if kind == "max" else kind)(x, dims, keepdim=keepdim)
    return getattr(lib, kind)(x, axis=dims, keepdims=keepdim)


def permute(lib, x, order):
    return x.permute(order) if is_torch(lib) else lib.transpose(x, order)


def pad(lib, x, low, high):
    if is_torch(lib):
        return lib.nn.functional.pad(x, [n for pair in reversed(list(zip(low, high))) for n in pair])
    return lib.pad(x, tuple(zip(low, high)))


def concatenate(lib, tensors, dim):
    return lib.cat(tensors, dim) if is_torch(lib) else lib.concatenate(tensors, dim)


def part(x, starts, stops, steps):
    return x[tuple(slice(*each) for each in zip(starts, stops, steps))]


def split(lib, x, sizes, dim):
    if is_torch(lib):
        return lib.split(x, sizes, dim)
    places = [sum(sizes[:i]) for i in range(1, len(sizes))]
    return tuple(lib.split(x, places, dim))


def gather(lib, x, index, dim):
    return lib.index_select(x, dim, index) if is_torch(lib) else lib.take(x, index, dim)


def embedding(lib, table, index):
    return lib.nn.functional.embedding(index, table) if is_torch(lib) else lib.take(table, index, 0)


#===-- programs ------------------------------------------------------------===#

class Program:
    """`dtype` is the element type of what is not said otherwise."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.inputs, self.lines, self.steps, self.results = [], [], [], []
        # Name -> dimensions, element type.
        self.dims, self.dtypes = {}, {}
        # (M, N, K, batch) of each product.
        self.products = []

    def input(self, *dims, dtype=None, scale=1.0, below=0):
        name = f"a{len(self.inputs)}"
        self.inputs.append((name, scale, below))
        self.dims[name], self.dtypes[name] = dims, dtype or self.dtype
        return name

    def type(self, name, which=None):
        """Of a value; with sizes of the profile, without dynamic ones."""
        dims = [str(value(dim, which)) if which or not isinstance(dim, Size) else "?" for dim in self.dims[name]]
        return f"tensor<{'x'.join([*dims, self.dtypes[name]])}>"

    def many(self, text, arguments, results, function, dtype=None, constants=()):
        """Adds an operation with several results, of these dimensions. `text` has {0}, {1} ... for the arguments, and names
        the constants, of these types, behind them."""
        names = [f"v{len(self.lines)}_{i}" for i in range(len(results))]
        for name, dims in zip(names, results):
            self.dims[name], self.dtypes[name] = tuple(dims), dtype or self.dtype
        self.lines.append((names, text, arguments, constants))
        self.steps.append((names, arguments, function))
        return names

    def add(self, text, arguments, dims, function, dtype=None, constants=()):
        return self.many(text, arguments, [dims], lambda lib, *values: (function(lib, *values),), dtype, constants)[0]

    #===-- what layers are made of -----------------------------------------===#

    def unary(self, kind, x):
        forms = {"gelu": gelu, "silu": silu, "relu": relu}
        return self.add(f"trace.{kind} {{0}}", [x], self.dims[x], forms.get(kind, lambda lib, v: getattr(lib, kind)(v)))

    def binary(self, kind, x, y):
        forms = {"add": lambda lib, a, b: a + b, "sub": lambda lib, a, b: a - b, "mul": lambda lib, a, b: a * b,
                 "maximum": lambda lib, a, b: lib.maximum(a, b)}
        a, b = self.dims[x], self.dims[y]
        a, b = (1,) * (len(b) - len(a)) + a, (1,) * (len(a) - len(b)) + b
        return self.add(f"trace.{kind} {{0}}, {{1}}", [x, y], [n if m == 1 else m for m, n in zip(a, b)], forms[kind])

    def scaled(self, x, number):
        """Times a constant of the element type."""
        name, dtype = f"c{len(self.lines)}", self.dtypes[x]
        self.lines.append(f"%{name} = trace.full [] value = {number:.9e} : {dtype} -> tensor<{dtype}>")
        return self.add(f"trace.mul {{0}}, %{name}", [x], self.dims[x], lambda lib, a: a * number, constants=[f"tensor<{dtype}>"])

    def linear(self, x, w, b=None):
        """`w` is stored as columns x K."""
        dims = (*self.dims[x][:-1], self.dims[w][0])
        self.products.append((self.dims[x][:-1], self.dims[w][0], self.dims[w][1], ()))
        if b:
            return self.add("trace.linear {0}, {1}, {2}", [x, w, b], dims, linear)
        return self.add("trace.linear {0}, {1}", [x, w], dims, linear)

    def matmul(self, x, y):
        dims, right = self.dims[x], self.dims[y]
        self.products.append((dims[-2:-1], right[-1], dims[-1], dims[:-2]))
        return self.add("trace.matmul {0}, {1}", [x, y], (*dims[:-1], right[-1]), lambda lib, a, b: lib.matmul(a, b))

    def softmax(self, x, dim=-1):
        return self.add(f"trace.softmax {{0}} dim = {dim}", [x], self.dims[x], lambda lib, a: softmax(lib, a, dim))

    def log_softmax(self, x):
        """Tripy has no such operation: a user writes it out. The other libraries have one."""
        rows = (*self.dims[x][:-1], 1)
        first = len(self.steps)
        f = self.binary("sub", x, self.add("trace.max {0} dims = [-1] keepdim", [x], rows, None))
        total = self.add("trace.sum {0} dims = [-1] keepdim", [self.unary("exp", f)], rows, None)
        result = self.binary("sub", f, self.unary("log", total))
        self.steps[first:] = [([result], [x], lambda lib, a: (log_softmax(lib, a),))]
        return result

    def layer_norm(self, x, w, b):
        return self.add("trace.layer_norm {0}, {1}, {2} eps = 1.0e-5", [x, w, b], self.dims[x], layer_norm)

    def rms_norm(self, x, w):
        return self.add("trace.rms_norm {0}, {1} eps = 1.0e-5", [x, w], self.dims[x], rms_norm)

    def group_norm(self, x, w, b, groups):
        return self.add(f"trace.group_norm {{0}}, {{1}}, {{2}} groups = {groups} eps = 1.0e-5", [x, w, b], self.dims[x],
                        lambda lib, *a: group_norm(lib, *a, groups))

    def reduce(self, kind, x, dims, keepdim=False):
        rank = len(self.dims[x])
        dims = tuple(sorted(d % rank for d in dims))
        left = [1 if i in dims else n for i, n in enumerate(self.dims[x]) if keepdim or i not in dims]
        divisor = " correction = 0" if kind == "var" else ""
        return self.add(f"trace.{kind} {{0}} dims = {list(dims)}{divisor}{' keepdim' if keepdim else ''}", [x], left,
                        lambda lib, a: reduce(lib, kind, a, dims, keepdim))

    def argmax(self, x):
        return self.add("trace.argmax {0} dim = -1", [x], self.dims[x][:-1], lambda lib, a: a.argmax(-1), "i32")

    def cumsum(self, x, dim):
        return self.add(f"trace.cumsum {{0}} dim = {dim}", [x], self.dims[x], lambda lib, a: lib.cumsum(a, dim))

    def permute(self, x, order):
        return self.add(f"trace.permute {{0}} {list(order)}", [x], [self.dims[x][i] for i in order],
                        lambda lib, a: permute(lib, a, order))

    def pad(self, x, low, high):
        dims = [n + l + h for n, l, h in zip(self.dims[x], low, high)]
        return self.add(f"trace.pad {{0}} low {list(low)} high {list(high)} value = 0.0 : {self.dtypes[x]}", [x], dims,
                        lambda lib, a: pad(lib, a, low, high))

    def concatenate(self, tensors, dim):
        dims = list(self.dims[tensors[0]])
        dims[dim] = sum(self.dims[t][dim] for t in tensors)
        places = ", ".join(f"{{{i}}}" for i in range(len(tensors)))
        return self.add(f"trace.concatenate {places} dim = {dim}", tensors, dims, lambda lib, *a: concatenate(lib, a, dim))

    def slice(self, x, starts, stops, steps):
        dims = [-(-(b - a) // c) for a, b, c in zip(starts, stops, steps)]
        return self.add(f"trace.slice {{0}} {list(starts)} to {list(stops)} by {list(steps)}", [x], dims,
                        lambda lib, a: part(a, starts, stops, steps))

    def split(self, x, sizes, dim):
        dims = [[size if i == dim else n for i, n in enumerate(self.dims[x])] for size in sizes]
        return self.many(f"trace.split {{0}} dim = {dim} sizes = {list(sizes)}", [x], dims,
                         lambda lib, a: split(lib, a, tuple(sizes), dim))

    def gather(self, x, index, dim):
        dims = [*self.dims[x][:dim], *self.dims[index], *self.dims[x][dim + 1:]]
        return self.add(f"trace.gather {{0}}, {{1}} dim = {dim}", [x, index], dims, lambda lib, a, i: gather(lib, a, i, dim))

    def embedding(self, table, index):
        return self.add("trace.embedding {0}, {1}", [table, index], (*self.dims[index], self.dims[table][1]), embedding,
                        self.dtypes[table])

    def where_positive(self, condition, x, other):
        """`condition` decides by its sign."""
        name, dtype = f"c{len(self.lines)}", self.dtypes[condition]
        self.lines += [f"%{name} = trace.full [] value = 0.0 : {dtype} -> tensor<{dtype}>"]
        shape = self.dims[condition]
        mask = self.add(f"trace.gt {{0}}, %{name}", [condition], shape, lambda lib, a: a > 0, "i1", [f"tensor<{dtype}>"])
        return self.add("trace.where {0}, {1}, {2}", [mask, x, other], self.dims[x], lambda lib, m, a, b: lib.where(m, a, b))

    #===-- the whole program ------------------------------------------------===#

    def _line(self, line, which):
        if isinstance(line, str):
            return "  " + line
        names, text, arguments, constants = line
        operands = ", ".join([*(self.type(a, which) for a in arguments), *constants])
        types = ", ".join(self.type(name, which) for name in names)
        return (f"  {', '.join('%' + name for name in names)} = {text.format(*('%' + a for a in arguments))} : "
                f"({operands}) -> {types if len(names) == 1 else f'({types})'}")

    def text(self, which=None):
        """What Tripy compiles: with a profile, or for its sizes `which` alone."""
        arguments = []
        for name, _, _ in self.inputs:
            dims, attributes = self.dims[name], f'tripy.name = "{name}"'
            if not which and any(isinstance(dim, Size) for dim in dims):
                names = ", ".join(f'"{dim.name if isinstance(dim, Size) else ""}"' for dim in dims)
                least, expected, largest = ([value(dim, w) for dim in dims] for w in ("least", "expected", "largest"))
                attributes += (f", tripy.dims = [{names}], tripy.profile = "
                               f"#tripy.profile<min = {least}, opt = {expected}, max = {largest}>")
            arguments.append(f"%{name}: {self.type(name, which)} {{{attributes}}}")
        types = [self.type(name, which) for name in self.results]
        named = ", ".join(f'{type} {{tripy.name = "y{i}"}}' for i, type in enumerate(types))
        values = ", ".join("%" + name for name in self.results)
        lines = "\n".join(self._line(line, which) for line in self.lines)
        inputs = ",\n    ".join(arguments)
        return (f"func.func @main({inputs})\n    -> ({named}) {{\n{lines}\n"
                f"  return {values} : {', '.join(types)}\n}}\n")

    def shape(self, name, which):
        return tuple(value(dim, which) for dim in self.dims[name])

    def input_rows(self, which):
        return [Input(name, self.shape(name, which), self.dtypes[name], scale, below) for name, scale, below in self.inputs]

    def result_rows(self, which):
        return [Input(name, self.shape(name, which), self.dtypes[name]) for name in self.results]

    def function(self):
        """What the peers run: (library, *inputs) -> a tensor, or a tuple of several."""
        names, steps, results = [name for name, _, _ in self.inputs], list(self.steps), list(self.results)
        # PyTorch would return without having moved anything.
        views = self.lines[-1][1].startswith(("trace.permute", "trace.slice", "trace.split"))

        def run(lib, *inputs):
            known = dict(zip(names, inputs))
            for targets, arguments, function in steps:
                for name, found in zip(targets, function(lib, *[known[a] for a in arguments])):
                    known[name] = found
            found = tuple(known[name] for name in results)
            if views and is_torch(lib):
                found = tuple(t.clone(memory_format=lib.contiguous_format) for t in found)
            return found[0] if len(found) == 1 else found
        return run

    def flops(self, which):
        return sum(2 * n * k * math.prod(value(dim, which) for dim in (*rows, *batch)) for rows, n, k, batch in self.products)
