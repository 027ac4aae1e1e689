"""The operations: rules and types of results, text, and evaluation over Sets.

OPS has one entry for each operation that programs may have. The generator
(draw.py) chooses operands and attributes; tests compare the names with those
that the compiler's definitions have, so that none is forgotten.
"""
import numpy as np

import attending
import folding
import pointwise
import sets
import shapes
import windows
from elements import CLASSES, F8, fill, is_float, to_bits, from_bits, wrap
from shapes import Dim, Type, require
from sets import Set


class Op:
    """`types(args, attributes, runs)`, `words(attributes, names)` between the name and the types, `value(at)`."""

    def __init__(self, types, words, value, dialect="trace"):
        self.types, self.words, self.value, self.dialect = types, words, value, dialect
        # Elements of memory that it takes besides those of values: (args, attributes, runs) -> number.
        self.scratch = lambda args, attributes, runs: 0


class At:
    """One evaluation: sets of the tensor operands, types, attributes, the run."""

    def __init__(self, context, sets_, args, results, attributes, run):
        self.context, self.sets, self.args, self.results = context, sets_, args, results
        self.attributes, self.run = attributes, run
        self.dtype = args[0].dtype if args else None

    def entry(self, entry):
        return shapes.entry_values(entry, self.args, self.run + 1)[0][self.run]

    def shape(self, result=0):
        return shapes.shape_at(self.results[result], self.run)


OPS = {}


def is_one_of(dtype, classes):
    require(any(dtype in CLASSES[c] for c in classes), "element type")


def comma(attributes, names):
    return ", ".join(names)


#===-- element-wise ------------------------------------------------------------===#

UNARY = {**{name: ("float", "double", "integer") for name in ("neg", "abs", "tanh")},
         "relu": ("float", "double", "integer", "i4"),
         **{name: ("float", "double") for name in (
             "exp", "log", "sqrt", "rsqrt", "erf", "sin", "cos", "floor", "ceil", "expm1", "log10", "log1p", "cbrt", "sinh", "cosh",
             "asinh", "acosh", "atanh", "asin", "acos", "atan")},
         **{name: ("float", "integer") for name in ("sigmoid", "silu", "gelu", "sign")},
         **{name: ("float",) for name in (
             "exp2", "log2", "reciprocal", "tan", "round", "trunc", "softplus", "mish", "hard_swish", "elu", "leaky_relu",
             "hard_sigmoid")},
         "logical_not": ("bool",), "bitwise_not": ("integer",)}
# Parameters that are written after the operand.
PARAMETERS = {"elu": ("alpha",), "leaky_relu": ("slope",), "hard_sigmoid": ("alpha", "beta")}
CLASSIFICATIONS = ("isnan", "isinf", "isfinite")
BINARY = {**{name: ("float", "double", "integer", "bool") for name in ("add", "sub", "mul", "div", "maximum", "minimum")},
          "floor_div": ("float", "integer", "bool", "i4"), "mod": ("float", "double", "integer", "bool"),
          "pow": ("float", "double", "integer"), "atan2": ("float", "double"),
          **{name: ("bool",) for name in ("logical_and", "logical_or", "logical_xor")},
          **{name: ("integer",) for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right")}}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def unary_types(classes):
    def types(args, attributes, runs):
        is_one_of(args[0].dtype, classes)
        return [args[0]]
    return types


def unary_words(attributes, names):
    text = attributes.get("approximate")
    parameters = "".join(f" {name} = {value:.6e}" for name, value in attributes.items() if name != "approximate")
    return names[0] + parameters + (f' {{approximate = "{text}"}}' if text else "")


def binary_types(classes):
    def types(args, attributes, runs):
        require(args[0].dtype == args[1].dtype, "one element type")
        if classes:
            is_one_of(args[0].dtype, classes)
        return [Type(args[0].dtype if classes else "i1", shapes.broadcast([a.dims for a in args], runs))]
    return types


def where_types(args, attributes, runs):
    require(args[0].dtype == "i1" and args[1].dtype == args[2].dtype, "element types")
    return [Type(args[1].dtype, shapes.broadcast([a.dims for a in args], runs))]


def classification_types(args, attributes, runs):
    is_one_of(args[0].dtype, ("float",))
    return [Type("i1", args[0].dims)]


def clamp_types(args, attributes, runs):
    is_one_of(args[0].dtype, ("float", "integer"))
    require(len({a.dtype for a in args}) == 1, "one element type")
    return [Type(args[0].dtype, shapes.broadcast([a.dims for a in args], runs))]


for _name, _classes in UNARY.items():
    OPS[_name] = Op(unary_types(_classes), unary_words, lambda at, name=_name: [
        pointwise.unary(name, at.context, at.dtype, at.sets[0], at.attributes)])
for _name, _classes in BINARY.items():
    OPS[_name] = Op(binary_types(_classes), comma, lambda at, name=_name: [
        pointwise.binary(name, at.context, at.dtype, *at.sets)])
for _name in COMPARISONS:
    OPS[_name] = Op(binary_types(()), comma, lambda at, name=_name: [pointwise.compare(name, *at.sets)])
for _name in CLASSIFICATIONS:
    OPS[_name] = Op(classification_types, comma, lambda at, name=_name: [pointwise.classify(name, at.sets[0])])
OPS["clamp"] = Op(clamp_types, comma, lambda at: [pointwise.clamp(at.dtype, *at.sets)])
OPS["where"] = Op(where_types, comma, lambda at: [pointwise.where(*at.sets)])
OPS["cast"] = Op(lambda args, attributes, runs: [Type(attributes["dtype"], args[0].dims)],
                 lambda attributes, names: f"{names[0]} to {attributes['dtype']}",
                 lambda at: [pointwise.cast(at.sets[0], at.dtype, at.attributes["dtype"])])


#===-- creation, sizes ---------------------------------------------------------===#

def number(value, dtype):
    """A literal. Special values are written as bits."""
    if dtype == "i1":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(int(value))
    if np.isfinite(value):
        return np.format_float_scientific(value, trim="0").replace("e+", "e+") if value else ("-0.0" if np.signbit(value) else "0.0")
    return f"0x{int(to_bits(np.array([value]), dtype).view({1: 'u1', 2: '<u2', 4: '<u4', 8: '<u8'}[to_bits(np.array([value]), dtype).itemsize])[0]):X}"


def literal(array, dtype):
    if array.ndim == 0:
        return number(array[()], dtype)
    return "[" + ", ".join(literal(np.asarray(row), dtype) for row in array) + "]"


def constant_value(attributes):
    return fill(attributes["fill"], attributes["seed"], tuple(attributes["shape"]), attributes["dtype"])


def constant_types(args, attributes, runs):
    return [Type(attributes["dtype"], tuple(shapes.known(size, runs) for size in attributes["shape"]))]


def constant_words(attributes, names):
    value, type_ = constant_value(attributes), shapes.text_of(constant_types((), attributes, 1)[0])
    if value.size == 0:
        return f"dense<> : {type_}"
    if attributes["splat"]:
        return f"dense<{number(value.reshape(-1)[0], attributes['dtype'])}> : {type_}"
    return f"dense<{literal(value, attributes['dtype'])}> : {type_}"


def constant_result(at):
    value = constant_value(at.attributes)
    if at.attributes["splat"] and value.size:
        value = np.full(value.shape, value.reshape(-1)[0])
    return [sets.exact(value)]


def sized_types(args, attributes, runs):
    dims = []
    for entry in attributes["sizes"]:
        values, shown = shapes.entry_values(entry, args, runs)
        require(min(values) >= 0, "negative size")
        dims.append(Dim(tuple(values), shown))
    if "dim" in attributes:
        shapes.axis_of(attributes["dim"], len(dims))
    return [Type(attributes["dtype"], tuple(dims))]


def list_text(entries, names):
    return "[" + ", ".join(names[int(e[1:])] if isinstance(e, str) else str(e) for e in entries) + "]"


def scalar_of(attributes):
    """A value as the attribute holds it: the bits' value in its type."""
    return from_bits(to_bits(np.array([float(attributes["value"]) if is_float(attributes["dtype"]) else attributes["value"]]),
                             attributes["dtype"]), attributes["dtype"])[0]


def full_words(attributes, names):
    return f"{list_text(attributes['sizes'], names)} value = {attribute_text(attributes)}"


def attribute_text(attributes):
    text = number(scalar_of(attributes), attributes["dtype"])
    return text if attributes["dtype"] == "i1" else f"{text} : {attributes['dtype']}"


def iota_value(at):
    shape, axis = at.shape(), at.attributes["dim"] % len(at.attributes["sizes"])
    counts = np.arange(shape[axis], dtype=np.int64).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    dtype = at.attributes["dtype"]
    # The 9th number of i4 is -8.
    found = sets.exact(np.broadcast_to(wrap(counts, dtype), shape))
    return [pointwise.cast(found, "i64", dtype) if is_float(dtype) else found]


OPS["constant"] = Op(constant_types, constant_words, constant_result)
OPS["full"] = Op(sized_types, full_words,
                 lambda at: [sets.exact(np.full(at.shape(), scalar_of(at.attributes)))])
OPS["iota"] = Op(sized_types, lambda attributes, names: (
    f"{list_text(attributes['sizes'], names)} dim = {attributes['dim']} dtype = {attributes['dtype']}"), iota_value)
OPS["dim"] = Op(lambda args, attributes, runs: [
    Type("index", (Dim(args[0].dims[shapes.axis_of(attributes["dim"], len(args[0].dims))].sizes, False),))],
    lambda attributes, names: f"{names[0]} dim = {attributes['dim']}", None)

SIZE_MATH = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
             "minsi": min, "maxsi": max, "divsi": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
             "floordivsi": lambda a, b: a // b, "ceildivsi": lambda a, b: -(-a // b),
             "remsi": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
             "divui": lambda a, b: a // b, "remui": lambda a, b: a % b, "ceildivui": lambda a, b: -(-a // b)}


def divides(name):
    return "div" in name or "rem" in name


def size_math_types(name):
    def types(args, attributes, runs):
        pairs = list(zip(args[0].dims[0].sizes, args[1].dims[0].sizes))
        require(not name.endswith("ui") or all(a >= 0 and b >= 0 for a, b in pairs), "unsigned")
        # A run that divides by 0 is refused: any number will do (Program.refused()).
        return [Type("index", (Dim(tuple(SIZE_MATH[name](a, b or (1 if divides(name) else 0)) for a, b in pairs), False),))]
    return types


OPS["index"] = Op(lambda args, attributes, runs: [Type("index", (Dim((attributes["value"],) * runs, False),))],
                  lambda attributes, names: str(attributes["value"]), None, "arith.constant")
for _name in SIZE_MATH:
    OPS["arith." + _name] = Op(size_math_types(_name), comma, None, "arith")


#===-- movement ------------------------------------------------------------------===#

def moving(name, types, words, function):
    """`function(at, part)` moves one array of a Set."""
    OPS[name] = Op(types, words, lambda at: [at.sets[0].moved(lambda part: function(at, part))])


def same(dims):
    return lambda args, attributes, runs: [Type(args[0].dtype, tuple(dims(args, attributes, runs)))]


def permuted(args, attributes, runs):
    rank = len(args[0].dims)
    order = [shapes.axis_of(dim, rank) for dim in attributes["permutation"]]
    require(sorted(order) == list(range(rank)), "permutation")
    return [args[0].dims[i] for i in order]


def transposed(args, attributes, runs):
    dims = list(args[0].dims)
    a, b = (shapes.axis_of(dim, len(dims)) for dim in attributes["dims"])
    dims[a], dims[b] = dims[b], dims[a]
    return dims


def squeezed(args, attributes, runs):
    rank = len(args[0].dims)
    axes = {shapes.axis_of(dim, rank) for dim in attributes["dims"]}
    require(len(axes) == len(attributes["dims"]) and all(set(args[0].dims[i].sizes) == {1} for i in axes), "size 1")
    return [dim for i, dim in enumerate(args[0].dims) if i not in axes]


def unsqueezed(args, attributes, runs):
    dims = list(args[0].dims)
    require(len(dims) < 8, "rank")
    dims.insert(shapes.axis_of(attributes["dim"], len(dims) + 1), shapes.known(1, runs))
    return dims


def take_slice(at, part):
    return part[tuple(np.array(shapes.slice_indices(size, at.entry(a), at.entry(b), step), dtype=np.int64).reshape(
        [-1 if i == j else 1 for j in range(part.ndim)]) for i, (size, a, b, step) in enumerate(zip(
            part.shape, at.attributes["starts"], at.attributes["stops"], at.attributes["steps"])))]


moving("reshape", same(lambda args, a, runs: shapes.reshaped(args[0], a["sizes"], args, runs)),
       lambda a, names: f"{names[0]} to {list_text(a['sizes'], names)}", lambda at, part: part.reshape(at.shape()))
moving("permute", same(permuted), lambda a, names: f"{names[0]} {a['permutation']}",
       lambda at, part: part.transpose([dim % part.ndim for dim in at.attributes["permutation"]]))
moving("transpose", same(transposed), lambda a, names: f"{names[0]} dims = {a['dims'][0]}, {a['dims'][1]}",
       lambda at, part: np.swapaxes(part, *at.attributes["dims"]))
moving("expand", same(lambda args, a, runs: shapes.expanded(args[0], a["sizes"], args, runs)),
       lambda a, names: f"{names[0]} to {list_text(a['sizes'], names)}", lambda at, part: np.broadcast_to(part, at.shape()))
moving("squeeze", same(squeezed), lambda a, names: f"{names[0]} dims = {a['dims']}", lambda at, part: part.reshape(at.shape()))
moving("unsqueeze", same(unsqueezed), lambda a, names: f"{names[0]} dim = {a['dim']}", lambda at, part: part.reshape(at.shape()))
moving("slice", same(lambda args, a, runs: shapes.sliced(args[0], a, args, runs)),
       lambda a, names: f"{names[0]} {list_text(a['starts'], names)} to {list_text(a['stops'], names)} by {a['steps']}", take_slice)


def split_value(at):
    axis = at.attributes["dim"] % len(at.args[0].dims)
    ends = np.cumsum([at.shape(i)[axis] for i in range(len(at.results))])
    return [at.sets[0].moved(lambda part, end=end, size=at.shape(i)[axis]: np.take(part, range(end - size, end), axis=axis))
            for i, end in enumerate(ends)]


def split_words(a, names):
    return f"{names[0]} dim = {a['dim']} " + (f"sizes = {a['sizes']}" if a.get("sizes") is not None else f"parts = {a['parts']}")


def pad_value(at):
    widths = [(at.entry(low), at.entry(high)) for low, high in zip(at.attributes["low"], at.attributes["high"])]
    border = sets.exact(scalar_of(at.attributes))
    whole = {slot: np.full(at.shape(), getattr(border, slot)) for slot in Set.__slots__}
    for slot, array in whole.items():
        part = getattr(at.sets[0], slot)
        array[tuple(slice(low, low + size) for (low, _), size in zip(widths, part.shape))] = part
    return [Set(**whole)]


def pad_types(args, attributes, runs):
    require(attributes["dtype"] == args[0].dtype, "value")
    return [Type(args[0].dtype, shapes.padded(args[0], attributes, args, runs))]


OPS["split"] = Op(lambda args, a, runs: shapes.split(args[0], a, runs), split_words, split_value)
OPS["concatenate"] = Op(lambda args, a, runs: [Type(args[0].dtype, shapes.concatenated(args, a["dim"], runs))],
                        lambda a, names: f"{', '.join(names)} dim = {a['dim']}",
                        lambda at: [Set(*(np.concatenate([getattr(s, slot) for s in at.sets], axis=at.attributes["dim"])
                                          for slot in Set.__slots__))])
OPS["pad"] = Op(pad_types, lambda a, names: (
    f"{names[0]} low {list_text(a['low'], names)} high {list_text(a['high'], names)} value = {attribute_text(a)}"), pad_value)


#===-- indexing --------------------------------------------------------------------===#

def gather_types(args, attributes, runs):
    require(args[1].dtype in CLASSES["integer"], "index")
    axis = shapes.axis_of(attributes.get("dim", 0), len(args[0].dims))
    require(all(size or not volume for size, volume in zip(args[0].dims[axis].sizes, shapes.volumes(args[1].dims, runs))),
            "nothing to take")
    require(len(args[0].dims) + len(args[1].dims) - 1 <= 8, "rank")
    return [Type(args[0].dtype, args[0].dims[:axis] + args[1].dims + args[0].dims[axis + 1:])]


def gather_value(at):
    axis, index = at.attributes.get("dim", 0) % len(at.args[0].dims), at.sets[1]
    size = at.sets[0].shape[axis]
    if size == 0:
        return [at.sets[0].moved(lambda part: np.zeros(at.shape(), part.dtype))]

    def place(found):
        return np.clip(np.where(found < 0, found + size, found), 0, size - 1)
    first, last = place(index.lo), place(index.hi)
    if (index.lo == index.hi).all():
        return [at.sets[0].moved(lambda part: np.take(part, first, axis=axis))]
    # Between its bounds an index may be any; across 0 it may be all.
    crosses = (index.lo < 0) & (index.hi >= 0)
    first, last = np.where(crosses, 0, first), np.where(crosses, size - 1, last)
    result = at.sets[0].moved(lambda part: np.take(part, first, axis=axis))
    for step in range(1, size):
        next_ = np.minimum(first + step, last)
        result = sets.hull(result, at.sets[0].moved(lambda part, next_=next_: np.take(part, next_, axis=axis)))
    return [result]


def embedding_types(args, attributes, runs):
    require(len(args[0].dims) == 2, "rank 2")
    return gather_types(args, {}, runs)


OPS["gather"] = Op(gather_types, lambda a, names: f"{names[0]}, {names[1]} dim = {a['dim']}", gather_value)
OPS["embedding"] = Op(embedding_types, comma, gather_value)


#===-- reductions --------------------------------------------------------------------===#

REDUCTIONS = {**{name: ("float", "integer") for name in ("sum", "prod", "max", "min")},
              "all": ("bool",), "any": ("bool",), "mean": ("float", "integer"), "var": ("float",)}


def reduction_types(classes):
    def types(args, attributes, runs):
        is_one_of(args[0].dtype, classes)
        return [Type(args[0].dtype, shapes.reduced(args[0], attributes["dims"], attributes["keepdim"], runs))]
    return types


def reduction_words(a, names):
    correction = f" correction = {a['correction']}" if "correction" in a else ""
    return f"{names[0]} dims = {a['dims']}{correction}" + (" keepdim" if a["keepdim"] else "")


def arg_types(args, attributes, runs):
    is_one_of(args[0].dtype, ("float", "integer"))
    dim = attributes["dim"]
    dims = args[0].dims if dim is None else [args[0].dims[shapes.axis_of(dim, len(args[0].dims))]]
    require(min(shapes.volumes(dims, runs)) >= 1, "choices")
    return [Type("i32", shapes.reduced(args[0], [] if dim is None else [dim], attributes["keepdim"], runs))]


def along_types(classes):
    def types(args, attributes, runs):
        is_one_of(args[0].dtype, classes)
        shapes.axis_of(attributes["dim"], len(args[0].dims))
        return [args[0]]
    return types


def norm_types(args, attributes, runs):
    is_one_of(args[0].dtype, ("float",))
    require(len({a.dtype for a in args}) == 1, "element type")
    shapes.trailing(args[1], args[0])
    if len(args) == 3:
        require(args[1] == args[2], "bias")
    return [args[0]]


for _name, _classes in REDUCTIONS.items():
    OPS[_name] = Op(reduction_types(_classes), reduction_words, lambda at, name=_name: [
        folding.reduce(name, at.context, at.dtype, at.sets[0], at.attributes)])
for _name in ("argmax", "argmin"):
    OPS[_name] = Op(arg_types, lambda a, names: names[0] + (f" dim = {a['dim']}" if a["dim"] is not None else "")
                    + (" keepdim" if a["keepdim"] else ""), lambda at, name=_name: [
                        folding.arg_extreme(name, at.dtype, at.sets[0], at.attributes)])
ALONG = lambda a, names: f"{names[0]} dim = {a['dim']}"  # noqa: E731
OPS["cumsum"] = Op(along_types(("float", "integer")), ALONG,
                   lambda at: [folding.cumsum(at.context, at.dtype, at.sets[0], at.attributes["dim"])])
OPS["softmax"] = Op(along_types(("float",)), ALONG,
                    lambda at: [folding.softmax(at.context, at.dtype, at.sets[0], at.attributes["dim"])])
NORM = lambda a, names: f"{', '.join(names)} eps = {a['eps']:.1e}"  # noqa: E731
OPS["layer_norm"] = Op(norm_types, NORM, lambda at: [
    folding.layer_norm(at.context, at.dtype, *at.sets, at.attributes["eps"])])
OPS["rms_norm"] = Op(norm_types, NORM, lambda at: [
    folding.rms_norm(at.context, at.dtype, *at.sets, at.attributes["eps"])])


#===-- contractions ------------------------------------------------------------------===#

def contraction_types(linear):
    def types(args, attributes, runs):
        source = args[0].dtype
        is_one_of(source, ("float", "double", "integer", "f8"))
        target = attributes.get("dtype") or source
        require(args[1].dtype == source and (not attributes.get("tf32") or source == "f32"), "element type")
        require(target == source or (target == "f32" and source in CLASSES["float"] + F8)
                or (target == "i32" and source in ("i8", "i16", "ui8"))
                or (source in F8 and target in ("f16", "bf16")), "dtype")
        if not linear:
            return [Type(target, shapes.matmul(args[0], args[1], runs))]
        require(args[0].dims and len(args[1].dims) == 2, "rank")
        shapes.agree(args[0].dims[-1], args[1].dims[-1])
        if len(args) == 3:
            require(args[2].dtype == target and len(args[2].dims) == 1, "bias")
            shapes.agree(args[2].dims[0], args[1].dims[0])
        return [Type(target, args[0].dims[:-1] + args[1].dims[:1])]
    return types


def contraction_words(a, names):
    return ", ".join(names) + (" allow_tf32" if a.get("tf32") else "") + (f" dtype = {a['dtype']}" if a.get("dtype") else "")


def product(at, b):
    target = at.results[0].dtype
    found = folding.matmul(at.context, at.sets[0], b, at.dtype, target, bool(at.attributes.get("tf32")))
    return pointwise.cast(found, "f32", target) if target in F8 else found


def linear_value(at):
    target = at.results[0].dtype
    found = product(at, at.sets[1].moved(np.transpose))
    if len(at.sets) == 2:
        return [found]
    if target in F8:
        raw = folding.matmul(at.context, at.sets[0], at.sets[1].moved(np.transpose), at.dtype, target)
        whole = sets.hull(sets.add(raw, at.sets[2].broadcast(raw.shape)), sets.add(found, at.sets[2].broadcast(raw.shape)))
        return [sets.hull(pointwise.cast(whole, "f32", target), pointwise.cast(whole, "f32", target))]
    return [pointwise.binary("add", at.context, target, found, at.sets[2])]


OPS["matmul"] = Op(contraction_types(False), contraction_words, lambda at: [product(at, at.sets[1])])
OPS["linear"] = Op(contraction_types(True), contraction_words, linear_value)


#===-- windows and attention ---------------------------------------------------------===#

OPS.update(windows.entries(Op))
OPS.update(attending.entries(Op))

import ordering  # noqa: E402, F401, pylint: disable=cyclic-import
import arranging  # noqa: E402, F401, pylint: disable=cyclic-import; adds more entries to OPS
import quantizing  # noqa: E402, F401, pylint: disable=cyclic-import; and these
