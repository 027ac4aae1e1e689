"""Random programs whose values of 16-bit types have readers of all kinds, and what NumPy says of them.

make(index, seed) returns the same Program for the same arguments. A value is *known* when NumPy can tell its bits:
inputs; what follows from known values by operations of one correct rounding, by moves, choices and jumps; and
what the program returns. It is known to a reader only if the rule says that this reader gets the rounded value:
`pinned`, written here from docs/levels.md and not from the compiler's tables.
"""
import numpy as np

from shape_program import FLOATS, from_bits, to_bits


class Mismatch(Exception):
    pass


def rounded(value, dtype):
    """float64 values rounded to a float type."""
    with np.errstate(all="ignore"):
        return from_bits(to_bits(np.asarray(value, np.float64), dtype), dtype)


def is_narrow(dtype):
    return dtype in ("f16", "bf16")


class Node:
    """A value. `reads`: for each operand how it is read: "jump", "pass" (the result is the operand's number),
    "plain" (arithmetic). `exact`: one correct rounding of `function`; else nobody knows the last place."""

    def __init__(self, name, dims, dtype, text="", operands=(), reads="plain", exact=False, function=None):
        self.name, self.dims, self.dtype, self.text = name, tuple(dims), dtype, text
        self.operands, self.exact, self.function = list(operands), exact, function
        self.reads = [reads] * len(self.operands) if isinstance(reads, str) else reads


class Program:
    def __init__(self, index, runs, dynamic):
        self.index, self.runs, self.dynamic = index, runs, dynamic
        self.inputs, self.fills, self.nodes, self.returned = [], [], [], []
        # Returned node -> the value that it shows, and how: value = inverse(returned).
        self.shows = {}

    #===-- text ---------------------------------------------------------===#

    def size(self, dim, run):
        return self.runs[run][dim] if isinstance(dim, str) else dim

    def shape(self, node, run):
        return tuple(self.size(dim, run) for dim in node.dims)

    def type(self, node):
        sizes = ["?" if dim in self.dynamic else str(self.size(dim, 0)) for dim in node.dims]
        return f"tensor<{'x'.join([*sizes, node.dtype])}>"

    def argument(self, node):
        attributes = f'tripy.name = "{node.name[1:]}"'
        if any(dim in self.dynamic for dim in node.dims):
            names = ", ".join(f'"{dim if dim in self.dynamic else ""}"' for dim in node.dims)
            sizes = [[self.size(dim, run) for run in range(len(self.runs))] for dim in node.dims]
            attributes += (f", tripy.dims = [{names}], tripy.profile = #tripy.profile<min = {[min(s) for s in sizes]}, "
                           f"opt = {[s[0] for s in sizes]}, max = {[max(s) for s in sizes]}>")
        return f"{node.name}: {self.type(node)} {{{attributes}}}"

    def text(self):
        lines = []
        for node in self.nodes:
            types = ", ".join(self.type(operand) for operand in node.operands)
            names = [operand.name for operand in node.operands]
            lines.append(f"  {node.name} = {node.text.format(*names)} : ({types}) -> {self.type(node)}")
        results = ", ".join(self.type(node) for node in self.returned)
        return (f"func.func @main({', '.join(map(self.argument, self.inputs))}) -> ({results}) {{\n" + "\n".join(lines)
                + f"\n  return {', '.join(node.name for node in self.returned)} : {results}\n}}\n")

    #===-- the rule -----------------------------------------------------===#

    def readers(self, node):
        for reader in self.nodes:
            for operand, how in zip(reader.operands, reader.reads):
                if operand is node:
                    yield reader, how

    def shows_all_bits(self, node):
        """Whether somebody sees all bits of `node`, of a wide type, or of what is computed from it in that type."""
        if node in self.returned or not node.dtype == "f32":
            return True
        return any(how == "jump" or (reader.dtype == "f32" and self.shows_all_bits(reader))
                   for reader, how in self.readers(node))

    def is_needed(self, node):
        """Whether the caller or a reader that jumps sees `node`, of a 16-bit type, or what it is passed on as."""
        if node in self.returned:
            return True
        for reader, how in self.readers(node):
            if how == "jump" or (how == "pass" and self.is_needed(reader)):
                return True
            if how == "widen" and self.shows_all_bits(reader):
                return True
        return False

    def is_pinned(self, node):
        """Whether all readers of `node` get the bits that memory would hold."""
        if node in self.inputs or not is_narrow(node.dtype) or self.is_needed(node):
            return True
        passed = [operand for operand, how in zip(node.operands, node.reads) if how == "pass"]
        return bool(passed) and all(map(self.is_pinned, passed))

    #===-- NumPy --------------------------------------------------------===#

    def make_inputs(self, rng, run):
        return {node.name: rounded(fill(rng, self.shape(node, run)), node.dtype)
                for node, fill in zip(self.inputs, self.fills)}

    def check(self, known, found, run):
        """Compares what is known with what the program returned; returns how many results it compared."""
        known, compared = dict(known), 0
        pinned = {node.name: self.is_pinned(node) for node in self.inputs + self.nodes}
        shown = {value: (node, inverse) for node, (value, inverse) in self.shows.items()}
        for node in self.nodes:
            usable = all(pinned[operand.name] and operand.name in known for operand in node.operands)
            if usable and node.exact:
                with np.errstate(all="ignore"):
                    value = node.function(*[known[operand.name] for operand in node.operands])
                if node.dtype in FLOATS:
                    value = rounded(value, node.dtype)
                known[node.name] = np.broadcast_to(value, self.shape(node, run))
            elif node.name in found:
                known[node.name] = found[node.name]
                continue
            elif node in shown:
                by, inverse = shown[node]
                known[node.name] = inverse(found[by.name])
                if not same(rounded(known[node.name], node.dtype), known[node.name]):
                    raise Mismatch(f"{by.name} shows no number of {node.dtype} as {node.name}")
            if node.name in found and node.name in known:
                compared += 1
                expect(found[node.name], known[node.name], node, self.runs[run])
        return compared


def same(found, expected):
    """Equal numbers; all NaN are one."""
    with np.errstate(all="ignore"):
        equal = found == expected
        if np.asarray(found).dtype.kind == "f":
            equal = equal | (np.isnan(found) & np.isnan(expected))
    return bool(np.all(equal))


def expect(found, expected, node, sizes):
    if same(found, expected):
        return
    with np.errstate(all="ignore"):
        wrong = found != expected
        if found.dtype.kind == "f":
            wrong = wrong & ~(np.isnan(found) & np.isnan(expected))
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    raise Mismatch(f"sizes {sizes}: {node.name} = {node.text}: {int(wrong.sum())} of {found.size} differ; the first at "
                   f"{list(first)}: {found[first]!r} instead of {expected[first]!r}")


#===-- meanings ----------------------------------------------------------===#

def to_integer(bits):
    def cast(x):
        low, high = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1)
        inside = np.where((x >= low) & (x < high), x, 0)
        whole = np.trunc(inside).astype(np.int64)
        whole = np.where(x >= high, 2 ** (bits - 1) - 1, whole)
        return np.where(x < low, -(2 ** (bits - 1)), whole)
    return cast


def maximum(x, y):
    return np.maximum(x, y)


ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}
CASTS = {"i32": to_integer(32), "i64": to_integer(64), "i1": lambda x: x != 0, "f32": lambda x: x}
PASSES = {"neg": np.negative, "abs": np.abs, "relu": lambda x: maximum(x, 0.0)}


#===-- making programs ---------------------------------------------------===#

class Maker:
    """Grows a program over values of [r, c], with rows [r, 1] and columns [1, c] of them."""

    def __init__(self, index, seed):
        self.rng = np.random.default_rng([seed, index])
        runs, dynamic = self.sizes()
        self.program = Program(index, runs, dynamic)
        self.dtype = self.pick(["f16", "f16", "bf16"])
        self.number = 0

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability):
        return self.rng.random() < probability

    def sizes(self):
        rows, columns = [1, 2, 3, 4, 8, 17, 70], [1, 5, 8, 16, 31, 33, 64, 96, 130]
        dynamic = [dim for dim in "rc" if self.chance(0.3)]
        runs = [{"r": self.pick(rows), "c": self.pick(columns)}]
        for _ in range(2 if dynamic else 0):
            runs.append({"r": self.pick(rows) if "r" in dynamic else runs[0]["r"],
                         "c": self.pick(columns) if "c" in dynamic else runs[0]["c"]})
        for run in runs:
            run["d"] = run["c"] + 1
        return runs, dynamic + ["d"] * ("c" in dynamic)

    def input(self, dims, fill):
        node = Node(f"%a{len(self.program.inputs)}", dims, self.dtype)
        self.program.inputs.append(node)
        self.program.fills.append(fill)
        return node

    def add(self, text, operands, dims, dtype, **options):
        node = Node(f"%v{self.number}", dims, dtype, text, operands, **options)
        self.number += 1
        self.program.nodes.append(node)
        return node

    def fill(self):
        """Numbers whose sums need more bits than they have themselves."""
        kind, scale = int(self.rng.integers(4)), float(2.0 ** self.rng.integers(-3, 12))
        if kind == 0:
            return lambda rng, shape: rng.integers(-2048, 2049, shape).astype(np.float64)
        if kind == 1:
            return lambda rng, shape: rng.standard_normal(shape) * scale
        if kind == 2:
            return lambda rng, shape: rng.integers(-8, 9, shape) / 8 + scale
        return lambda rng, shape: rng.choice([0.0, 1.0, -1.0, 0.25, 3.0, 40000.0, 0.0009765625], shape)

    def floats(self, dims=None):
        """Narrow floats, the latest more often; computed ones where there are any."""
        found = [node for node in self.program.inputs + self.program.nodes
                 if node.dtype == self.dtype and (dims is None or node.dims == dims)]
        return found

    def value(self, dims=None):
        found = self.floats(dims)
        return found[-1 - int(self.rng.integers(min(len(found), 4)))] if self.chance(0.7) else self.pick(found)

    #===-- steps --------------------------------------------------------===#

    def arithmetic(self):
        name, x = self.pick(list(ARITHMETIC)), self.value(("r", "c"))
        y = self.pick([node for node in self.floats() if node.dims in (("r", "c"), ("r", 1), (1, "c"))])
        pair = [x, y] if self.chance(0.7) else [y, x]
        self.add(f"trace.{name} {{0}}, {{1}}", pair, ("r", "c"), self.dtype, exact=True, function=ARITHMETIC[name])

    def smooth(self):
        x = self.value(("r", "c"))
        name = self.pick(["exp", "tanh", "sigmoid", "gelu", "silu", "sin", "erf"])
        self.add(f"trace.{name} {{0}}", [x], ("r", "c"), self.dtype)

    def quotient(self):
        self.add("trace.div {0}, {1}", [self.value(("r", "c")), self.value(("r", "c"))], ("r", "c"), self.dtype)

    def choose(self):
        x, y = self.value(("r", "c")), self.value(("r", "c"))
        name = self.pick(["maximum", "minimum"])
        function = np.maximum if name == "maximum" else np.minimum
        self.add(f"trace.{name} {{0}}, {{1}}", [x, y], ("r", "c"), self.dtype, reads="pass", exact=True,
                 function=function)

    def passes(self):
        x, name = self.value(("r", "c")), self.pick(list(PASSES))
        self.add(f"trace.{name} {{0}}", [x], x.dims, self.dtype, reads="pass", exact=True, function=PASSES[name])

    def where(self):
        x, y = self.value(("r", "c")), self.value(("r", "c"))
        name = self.pick(list(COMPARISONS))
        flags = self.add(f"trace.{name} {{0}}, {{1}}", [x, y], ("r", "c"), "i1", reads="jump", exact=True,
                         function=COMPARISONS[name])
        self.add("trace.where {0}, {1}, {2}", [flags, x, self.value(("r", "c"))], ("r", "c"), self.dtype,
                 reads=["jump", "pass", "pass"], exact=True, function=np.where)

    def extreme(self):
        """The largest or smallest of rows or columns."""
        x, name, dim = self.value(("r", "c")), self.pick(["max", "min"]), int(self.rng.integers(2))
        function = np.max if name == "max" else np.min
        dims = (1, "c") if dim == 0 else ("r", 1)
        self.add(f"trace.{name} {{0}} dims = [{dim}] keepdim", [x], dims, self.dtype, reads="pass", exact=True,
                 function=lambda v: function(v, axis=dim, keepdims=True))

    def total(self):
        x, name, dim = self.value(("r", "c")), self.pick(["sum", "mean"]), int(self.rng.integers(2))
        self.add(f"trace.{name} {{0}} dims = [{dim}] keepdim", [x], (1, "c") if dim == 0 else ("r", 1), self.dtype)

    def along_rows(self):
        x = self.value(("r", "c"))
        text = self.pick(["trace.softmax {0} dim = 1", "trace.cumsum {0} dim = 1", "trace.cumsum {0} dim = 0"])
        self.add(text, [x], ("r", "c"), self.dtype)

    def product(self):
        matrix = [node for node in self.program.inputs if node.dims == ("c", "c")][0]
        if self.chance(0.3):
            matrix = self.add("trace.mul {0}, {1}", [matrix, self.pick(self.floats((1, "c")))], ("c", "c"), self.dtype,
                              exact=True, function=np.multiply)
        self.add("trace.matmul {0}, {1}", [self.value(("r", "c")), matrix], ("r", "c"), self.dtype)

    def there_and_back(self):
        """Moves that end where they began."""
        x, kind = self.value(("r", "c")), int(self.rng.integers(3))
        same_value = dict(reads="pass", exact=True)
        if kind == 0:
            turned = self.add("trace.permute {0} [1, 0]", [x], ("c", "r"), self.dtype, function=np.transpose,
                              **same_value)
            self.add("trace.permute {0} [1, 0]", [turned], ("r", "c"), self.dtype, function=np.transpose, **same_value)
        elif kind == 1:
            # One column more, which is cut off again.
            first = self.add("trace.concatenate {0}, {1} dim = 1", [self.value(("r", 1)), x], ("r", "d"), self.dtype,
                             function=lambda u, v: np.concatenate([u, v], 1), **same_value)
            self.add("trace.slice {0} [0, 1] to [4611686018427387904, 4611686018427387904] by [1, 1]", [first], ("r", "c"),
                     self.dtype, function=lambda v: v[:, 1:], **same_value)
        else:
            wide = self.add("trace.cast {0} to f32", [x], ("r", "c"), "f32", reads="widen", exact=True,
                            function=lambda v: v)
            if self.chance(0.5):
                wide = self.add("trace.tanh {0}", [wide], ("r", "c"), "f32")
            self.add("trace.cast {0} to " + self.dtype, [wide], ("r", "c"), self.dtype, exact=True,
                     function=lambda v: v)

    #===-- readers that jump --------------------------------------------===#

    def jump(self):
        x = self.value(("r", "c"))
        getattr(self, self.pick(["jump_argument", "jump_argument", "jump_compare", "jump_extreme", "jump_cast",
                                 "jump_round", "jump_gather"]))(x)

    def index_of(self, x, dim):
        name = self.pick(["argmax", "argmin"])
        function = np.argmax if name == "argmax" else np.argmin
        return self.add(f"trace.{name} {{0}} dim = {dim}", [x], ("c",) if dim == 0 else ("r",), "i32", reads="jump",
                        exact=True, function=lambda v: function(v, axis=dim))

    def jump_argument(self, x):
        self.give(self.index_of(x, int(self.rng.integers(2))))

    def jump_gather(self, x):
        index = self.index_of(x, 1)
        table = self.value(("r", "c"))
        turned = self.add("trace.permute {0} [1, 0]", [table], ("c", "r"), self.dtype, reads="pass", exact=True,
                          function=np.transpose)
        self.give(self.add("trace.gather {0}, {1} dim = 0", [turned, index], ("r", "r"), self.dtype,
                           reads=["pass", "jump"], exact=True, function=lambda t, i: t[i]))

    def jump_compare(self, x):
        name = self.pick(list(COMPARISONS))
        self.give(self.add(f"trace.{name} {{0}}, {{1}}", [x, self.value(("r", "c"))], ("r", "c"), "i1", reads="jump",
                           exact=True, function=COMPARISONS[name]))

    def jump_extreme(self, x):
        dim = int(self.rng.integers(2))
        most = self.add(f"trace.max {{0}} dims = [{dim}] keepdim", [x], (1, "c") if dim == 0 else ("r", 1), self.dtype,
                        reads="pass", exact=True, function=lambda v: np.max(v, axis=dim, keepdims=True))
        name = self.pick(["eq", "ge", "lt"])
        self.give(self.add(f"trace.{name} {{0}}, {{1}}", [x, most], ("r", "c"), "i1", reads="jump", exact=True,
                           function=COMPARISONS[name]))

    def jump_cast(self, x):
        to = self.pick(list(CASTS) + ["other"])
        other = "bf16" if self.dtype == "f16" else "f16"
        to, function = (other, lambda v: v) if to == "other" else (to, CASTS[to])
        self.give(self.add("trace.cast {0} to " + to, [x], ("r", "c"), to, reads="widen" if to == "f32" else "jump",
                           exact=True, function=function))

    def jump_round(self, x):
        name = self.pick(["floor", "ceil"])
        self.give(self.add(f"trace.{name} {{0}}", [x], ("r", "c"), self.dtype, reads="jump", exact=True,
                           function=np.floor if name == "floor" else np.ceil))

    def give(self, node):
        if node not in self.program.returned:
            self.program.returned.append(node)

    #===-- what is returned ---------------------------------------------===#

    def show(self, node):
        """Returns `node`, or something that says what it is."""
        ways = [("", None, None, None)] * 2 + [
            ("trace.cast {0} to f32", "f32", lambda v: v, lambda v: v),
            ("trace.neg {0}", self.dtype, np.negative, np.negative)]
        if len(node.dims) == 2:
            ways.append(("trace.permute {0} [1, 0]", self.dtype, np.transpose, np.transpose))
        text, dtype, function, inverse = self.pick(ways)
        if not text:
            return self.give(node)
        dims = node.dims[::-1] if "permute" in text else node.dims
        by = self.add(text, [node], dims, dtype, reads="widen" if dtype == "f32" else "pass", exact=True,
                      function=function)
        self.give(by)
        self.program.shows[by] = (node, inverse)

    def make(self):
        for dims in [("r", "c"), ("r", "c"), ("r", 1), (1, "c")]:
            self.input(dims, self.fill())
        self.input(("c", "c"), lambda rng, shape: rng.standard_normal(shape))
        self.arithmetic()
        steps = [self.arithmetic] * 5 + [self.smooth] * 2 + [self.passes, self.where, self.choose, self.extreme,
                                                             self.total, self.along_rows, self.there_and_back,
                                                             self.quotient]
        if self.chance(0.4):
            steps += [self.product] * 2
        for _ in range(int(self.rng.integers(1, 12))):
            self.pick(steps)()
            if self.chance(0.35):
                self.jump()
        self.jump()
        for node in list(self.program.nodes):
            if is_narrow(node.dtype) and node not in self.program.returned:
                jumps = any(how == "jump" for _, how in self.program.readers(node))
                if self.chance(0.6 if jumps and not node.exact else 0.15):
                    self.show(node)
        return self.program


def make(index, seed):
    return Maker(index, seed).make()
