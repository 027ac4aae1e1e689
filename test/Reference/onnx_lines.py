"""A case of ONNX's node tests, and the lines of a trace program that say the same.

The types of results are what test/Smith says of the operations, so that a line is nothing but the operation's name, its
operands and attributes: `p.softmax(x, dim=1)`.
"""
import os
import sys

import numpy as np
import onnx

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in ("../Smith", "../Models")]

import ops  # noqa: E402
import shapes  # noqa: E402
from elements import CLASSES, STORED  # noqa: E402
from shapes import Dim, Type  # noqa: E402

# The random programs draw f64 where its bounds are known; here it is a float like others.
CLASSES["float"] += ("f64",)
# They draw indices of rank 0 and 1; any rank is allowed.
ops.OPS["scatter"].types = lambda args, attributes, runs: [args[0]]

KINDS = onnx.TensorProto
DTYPES = {KINDS.FLOAT: "f32", KINDS.FLOAT16: "f16", KINDS.DOUBLE: "f64", KINDS.BFLOAT16: "bf16", KINDS.INT8: "i8",
          KINDS.UINT8: "ui8", KINDS.INT16: "i16", KINDS.INT32: "i32", KINDS.INT64: "i64", KINDS.BOOL: "i1"}
# Attributes that test/Smith wants to be there.
DEFAULTS = {**{name: {"keepdim": False} for name in (*ops.REDUCTIONS, "argmax", "argmin")},
            "maxpool": {"ceil": False}, "avgpool": {"ceil": False}, "convolution": {"groups": 1}, "conv_transpose": {"groups": 1},
            "topk": {"descending": True}}
# Which dimensions of a case's arguments are dynamic, the most first: (number of the argument, of the dimension) -> bool.
MODES = {"all": lambda argument, dim: True, "first argument": lambda argument, dim: argument == 0,
         "first dimension": lambda argument, dim: argument == 0 and dim == 0, "none": lambda argument, dim: False}


class NeedsNumbers(Exception):
    """A size that the program's text needs is dynamic."""


class Case:
    """One node with its inputs, attributes and expected results."""

    def __init__(self, case):
        graph = case.model.graph
        self.name, self.nodes, self.node = case.name.removeprefix("test_"), len(graph.node), graph.node[0]
        self.op = self.node.op_type
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in self.node.attribute}
        inputs, self.expected = case.data_sets[0]
        self.inputs = {value.name: array for value, array in zip(graph.input, inputs)}
        self.kinds = {value.name: self.kind(value) for value in (*graph.input, *graph.output)}
        self.results = [value.name for value in graph.output]

    @staticmethod
    def kind(value):
        """The element type, "" where Tripy has none like it; None of what is no tensor."""
        if not value.type.HasField("tensor_type"):
            return None
        return DTYPES.get(value.type.tensor_type.elem_type, "")

    def stored(self, name, array):
        """As Tripy stores it."""
        return np.asarray(array).astype(STORED[self.kinds[name]])


class Value:
    def __init__(self, name, type_):
        self.name, self.type, self.dtype, self.rank = name, type_, type_.dtype, len(type_.dims)

    @property
    def shape(self):
        """The sizes as numbers."""
        if not all(dim.static for dim in self.type.dims):
            raise NeedsNumbers
        return tuple(dim.sizes[0] for dim in self.type.dims)


class Lines:
    """The lines of one case; p.NAME(operands, attributes) adds trace.NAME. A list in an attribute may have Values of type index."""

    def __init__(self, case, prefix, mode):
        self.case, self.prefix, self.name_of_mode, self.mode = case, prefix, mode, MODES[mode]
        self.lines, self.arguments, self.count, self.dynamic = [], {}, 0, False

    #===-- the node -----------------------------------------------------------===#

    def name_of(self, number):
        names = self.case.node.input
        return names[number] if number < len(names) else ""

    def has(self, number):
        return self.name_of(number) != ""

    def x(self, number=0):
        """An input, as an argument of the program."""
        name = self.name_of(number)
        if name not in self.arguments:
            dtype, place = self.case.kinds[name], len(self.arguments)
            array = self.case.stored(name, self.case.inputs[name])
            dims = tuple(Dim((size,), not self.mode(place, i)) for i, size in enumerate(array.shape))
            self.dynamic |= not all(dim.static for dim in dims)
            self.arguments[name] = (Value(f"%{self.prefix}x{place}", Type(dtype, dims)), array)
        return self.arguments[name][0]

    def inputs(self):
        return [self.x(i) for i in range(len(self.case.node.input))]

    def numbers(self, number, default=None):
        """An input that becomes part of the program's text."""
        return self.case.inputs[self.name_of(number)].tolist() if self.has(number) else default

    def attribute(self, name, default=None):
        value = self.case.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def result_dtype(self, number=0):
        return self.case.kinds[self.case.results[number]]

    #===-- lines --------------------------------------------------------------===#

    def fresh(self):
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def __getattr__(self, name):
        if name not in ops.OPS:
            raise AttributeError(name)
        return lambda *operands, **attributes: self.op(name, operands, attributes)

    def op(self, name, operands, attributes):
        operands, attributes = list(operands), {**DEFAULTS.get(name, {}), **attributes}
        for key, value in attributes.items():
            if isinstance(value, (list, tuple)):
                attributes[key] = [self.operand(operands, entry) if isinstance(entry, Value) else entry for entry in value]
        entry, types = ops.OPS[name], [operand.type for operand in operands]
        results = [Value(self.fresh(), type_) for type_ in entry.types(types, attributes, 1)]
        left, words = ", ".join(r.name for r in results), entry.words(attributes, [o.name for o in operands])
        if results[0].dtype == "index" and name != "dim":
            self.lines.append(f"{left} = {'arith.constant' if name == 'index' else name} {words} : index")
            return results[0]
        tensors = ", ".join(shapes.text_of(t) for t in types if t.dtype != "index")
        to = ", ".join(shapes.text_of(r.type) for r in results)
        colon = "" if name in ("full", "iota", "from_index") else f" : ({tensors})"
        self.lines.append(f"{left} = trace.{name} {words}{colon} -> " + (f"({to})" if len(results) > 1 else to))
        return results[0] if len(results) == 1 else results

    @staticmethod
    def operand(operands, value):
        operands.append(value)
        return f"#{len(operands) - 1}"

    def constant(self, array, dtype):
        array = np.asarray(array)
        value = Value(self.fresh(), Type(dtype, tuple(shapes.known(size, 1) for size in array.shape)))
        text = ops.literal(array, dtype) if array.size else ""
        self.lines.append(f"{value.name} = trace.constant dense<{text}> : {shapes.text_of(value.type)}")
        return value

    def number(self, value, dtype):
        return self.full(sizes=[], value=value, dtype=dtype)

    def size(self, x, dim):
        """A number where it is known, else of type index."""
        found = x.type.dims[dim]
        return found.sizes[0] if found.static else self.dim(x, dim=dim)

    def sizes(self, x):
        return [self.size(x, i) for i in range(x.rank)]

    def product(self, sizes):
        """Of numbers and Values of type index."""
        found = 1
        for size in sizes:
            if isinstance(found, int) and isinstance(size, int):
                found *= size
            else:
                a, b = (self.op("index", [], {"value": s}) if isinstance(s, int) else s for s in (found, size))
                found = self.op("arith.muli", [a, b], {})
        return found

    def size_tensor(self, size, dtype):
        return self.number(size, dtype) if isinstance(size, int) else self.from_index(size, dtype=dtype)

    #===-- a program ----------------------------------------------------------===#

    def argument_texts(self):
        for value, array in self.arguments.values():
            profile = ""
            if not all(dim.static for dim in value.type.dims):
                low, high = ([n if dim.static else f(n) for n, dim in zip(array.shape, value.type.dims)]
                             for f in (lambda n: min(n, 1), lambda n: n + 3))
                profile = f", tripy.profile = #tripy.profile<min = {low}, opt = {list(array.shape)}, max = {high}>"
            yield f'{value.name}: {shapes.text_of(value.type)} {{tripy.name = "{value.name[1:]}"{profile}}}'


def program(cases):
    """The text of one program for many cases, (Lines, results) each."""
    arguments = [text for lines, _ in cases for text in lines.argument_texts()]
    results = [(f"{lines.prefix}y{i}", value) for lines, values in cases for i, value in enumerate(values)]
    types = [shapes.text_of(value.type) for _, value in results]
    named = [f'{type_} {{tripy.name = "{name}"}}' for type_, (name, _) in zip(types, results)]
    body = [f"  {line}" for lines, _ in cases for line in (f"// {lines.case.op}: {lines.case.name}", *lines.lines)]
    return "\n".join(["func.func @main(\n    " + ",\n    ".join(arguments) + ")", "    -> (" + ", ".join(named) + ") {", *body,
                      f"  return {', '.join(value.name for _, value in results)} : {', '.join(types)}", "}", ""])
