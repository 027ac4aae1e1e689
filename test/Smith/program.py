"""Programs: inputs, operations and outputs, as text and over Sets."""
import json
import zlib

import numpy as np

import sets
import shapes
from elements import CLASSES, F8, SHORT, fill, from_bits, is_float, to_bits
from ops import OPS, At, divides
from shapes import Dim, Invalid, Type, require

# Operations that read a value by steps: their results jump where their operands move a little.
JUMPING = {"eq", "ne", "lt", "le", "gt", "ge", "argmax", "argmin", "floor", "ceil", "floor_div", "round", "trunc",
           "sign", "mod", "isnan", "isinf", "isfinite", "quantize", "sort", "topk"}
# Of one tensor; more is slow.
MAX_ELEMENTS = 1 << 16


def jumps(op, operand):
    if op["op"] == "cast":
        return op["attributes"]["dtype"] not in CLASSES["float"] + CLASSES["double"]
    if op["op"] == "where":
        return operand == 0
    return op["op"] in JUMPING


class Program:
    """Values are numbered: inputs first, then the results of each operation.

    `inputs`: dicts with dtype, dims (sizes at each run, static), fill, seed, names (of dimensions).
    `ops`: dicts with op, args (numbers), attributes. `outputs`: numbers. `wide`: the last run, of large sizes, only widens
    the profile. Raises Invalid.
    """

    def __init__(self, inputs, ops, outputs, runs, wide=False):
        self.inputs, self.ops, self.outputs, self.runs, self.wide = inputs, ops, outputs, runs, wide
        self.types = [Type(i["dtype"], tuple(Dim(tuple(sizes), static) for sizes, static in i["dims"])) for i in inputs]
        self.first = []
        for op in ops:
            self.first.append(len(self.types))
            require(all(0 <= a < len(self.types) for a in op["args"]), "order")
            self.types += self.result_types(op)
        require(outputs and all(0 <= o < len(self.types) and self.types[o].dtype != "index" for o in outputs), "outputs")

    def result_types(self, op):
        """Of an operation behind all others."""
        args = [self.types[a] for a in op["args"]]
        sizes = op["op"].startswith("arith.")
        for k, arg in enumerate(args):
            require((arg.dtype == "index") == (sizes or any(f"#{k}" in v for v in op["attributes"].values()
                                                              if isinstance(v, list))), "kinds of operands")
        found = OPS[op["op"]].types(args, op["attributes"], self.runs)
        for type_ in found:
            require(len(type_.dims) <= 8, "rank")
            require(type_.dtype == "index" or max(shapes.volumes(type_.dims, self.runs)[:self.live_runs()]) <= MAX_ELEMENTS,
                    "elements")
            for dim in type_.dims:
                # Sizes that the text shows are the same at each run.
                require(not dim.static or len(set(dim.sizes)) == 1, "static")
        return found

    def results_of(self, i):
        """How many results operation number `i` has."""
        return (self.first[i + 1] if i + 1 < len(self.ops) else len(self.types)) - self.first[i]

    @staticmethod
    def load(text):
        data = json.loads(text)
        return Program(data["inputs"], data["ops"], data["outputs"], data["runs"], data["wide"])

    def dump(self):
        return json.dumps({"inputs": self.inputs, "ops": self.ops, "outputs": self.outputs, "runs": self.runs,
                           "wide": self.wide})

    def refused(self, run):
        """Whether a size that the outputs depend on is divided by 0 at this run."""
        needed, found = set(self.outputs), False
        for i in reversed(range(len(self.ops))):
            op = self.ops[i]
            if any(self.first[i] + k in needed for k in range(self.results_of(i))):
                needed |= set(op["args"])
                found |= (op["op"].startswith("arith.") and divides(op["op"])
                          and self.types[op["args"][1]].dims[0].sizes[run] == 0)
        return found

    def may_be_refused(self, run):
        """The same of any size: what nothing depends on may be computed or not."""
        return any(op["op"].startswith("arith.") and divides(op["op"]) and self.types[op["args"][1]].dims[0].sizes[run] == 0
                   for op in self.ops)

    def has_exact_bounds(self):
        """Whether sizes are only read and multiplied: the bounds of other arithmetic on sizes are looser than the sizes."""
        return all(op["op"] in ("arith.muli", "dim", "index") or not any(self.types[a].dtype == "index" for a in op["args"])
                   or op["op"] in ("reshape", "full", "iota", "expand") or op["op"].startswith("random_") for op in self.ops)

    def max_memory(self):
        """Bytes of intermediate values that suffice for the largest sizes of the profile: the volumes of the values, with room
        for what operations are made of.
        """
        volume = sum(max(shapes.volumes(t.dims, self.runs)) for t in self.types if t.dtype != "index")
        volume += sum(OPS[op["op"]].scratch([self.types[a] for a in op["args"]], op["attributes"], self.runs) for op in self.ops)
        return (1 << 20) + 8 * 16 * volume if self.has_exact_bounds() else 1 << 30

    def live_runs(self):
        """The runs that take place; the last may be there for the profile alone."""
        return self.runs - (1 if self.wide else 0)

    #===-- text ---------------------------------------------------------------===#

    def name(self, value):
        return f"%a{value}" if value < len(self.inputs) else f"%v{value}"

    def argument_text(self, number):
        type_, names = self.types[number], self.inputs[number]["names"]
        attributes = f'tripy.name = "a{number}"'
        if not all(dim.static for dim in type_.dims):
            # A profile names the least, the usual and the greatest size.
            bounds = [(min(d.sizes), sorted(d.sizes)[(len(d.sizes) - 1) // 2], max(d.sizes)) for d in type_.dims]
            least, usual, most = (list(column) for column in zip(*bounds))
            if any(names):
                quoted = ", ".join(f'"{name}"' for name in names)
                attributes += f", tripy.dims = [{quoted}]"
            attributes += f", tripy.profile = #tripy.profile<min = {least}, opt = {usual}, max = {most}>"
        return f"%a{number}: {shapes.text_of(type_)} {{{attributes}}}"

    def op_text(self, op, first):
        spec, types = OPS[op["op"]], [self.types[a] for a in op["args"]]
        results = self.types[first:first + self.results_of(self.first.index(first))]
        names = [self.name(a) for a in op["args"]]
        left = ", ".join(self.name(first + i) for i in range(len(results)))
        words = spec.words(op["attributes"], names)
        if spec.dialect != "trace":
            name = "arith.constant" if op["op"] == "index" else op["op"]
            return f"  {left} = {name} {words} : index"
        tensors = [shapes.text_of(t) for t in types if t.dtype != "index"]
        if op["op"] == "constant":
            return f"  {left} = trace.constant {words}"
        to = ", ".join(shapes.text_of(t) for t in results)
        to = f"({to})" if len(results) > 1 else to
        colon = "" if op["op"] in ("full", "iota", "from_index") else f" : ({', '.join(tensors)})"
        return f"  {left} = trace.{op['op']} {words}{colon} -> {to}"

    def text(self):
        arguments = ",\n    ".join(self.argument_text(i) for i in range(len(self.inputs)))
        results = ", ".join(f'{shapes.text_of(self.types[o])} {{tripy.name = "y{i}"}}' for i, o in enumerate(self.outputs))
        lines = [self.op_text(op, first) for op, first in zip(self.ops, self.first)]
        types = ", ".join(shapes.text_of(self.types[o]) for o in self.outputs)
        return (f"func.func @main(\n    {arguments})\n    -> ({results}) {{\n" + "".join(line + "\n" for line in lines)
                + f"  return {', '.join(self.name(o) for o in self.outputs)} : {types}\n}}\n")

    #===-- evaluation ---------------------------------------------------------===#

    def input_bits(self, run, other=0):
        """Stored inputs; `other` chooses another set of values."""
        found = []
        for i, type_ in zip(self.inputs, self.types):
            seed = zlib.crc32(f"{i['seed']} {run} {other}".encode())
            found.append(to_bits(fill(i["fill"], seed, shapes.shape_at(type_, run), type_.dtype), type_.dtype))
        return found

    def pinned(self):
        """Values that some reader sees rounded: it jumps, or it is the caller."""
        found = set(self.outputs)
        live = self.live()
        for op, first in zip(self.ops, self.first):
            if live & set(range(first, first + self.results_of(self.first.index(first)))):
                found |= {a for k, a in enumerate(op["args"]) if jumps(op, k)}
        return found

    def live(self):
        """Values that outputs depend on. Nothing depends on tensors whose type has no elements."""
        found = {value for value in self.outputs if self.may_have_elements(value)}
        for number in reversed(range(len(self.ops))):
            op, first = self.ops[number], self.first[number]
            if found & set(range(first, first + self.results_of(number))):
                found |= {a for a in op["args"] if self.may_have_elements(a)}
        return found

    def may_have_elements(self, value):
        return not any(dim.static and dim.sizes[0] == 0 for dim in self.types[value].dims)

    def check(self, context, run, bits, results):
        """"" or what is wrong with the stored results of a run."""
        pinned = self.pinned()
        seen = {}  # value -> Set of what was returned
        place = {}
        for output, found in zip(self.outputs, results):
            if output in place and place[output].tobytes() != found.tobytes():
                return f"{self.name(output)}: returned twice, with other bits"
            place[output] = found
        known = {}
        with np.errstate(all="ignore"):
            for i, array in enumerate(bits):
                known[i] = sets.exact(from_bits(array, self.types[i].dtype))
                if i in place and not equal_values(array, place[i], self.types[i].dtype):
                    return f"{self.name(i)}: an input that is an output has other values"
            for op, first in zip(self.ops, self.first):
                problem = self.evaluate(context, run, op, first, known, seen, place, pinned)
                if problem:
                    return problem
        return ""

    def evaluate(self, context, run, op, first, known, seen, place, pinned):
        spec = OPS[op["op"]]
        if spec.value is None:
            return ""
        args = [self.types[a] for a in op["args"]]
        operands = []
        for k, a in enumerate(op["args"]):
            if self.types[a].dtype == "index":
                continue
            # Functions that end in 16 bits may be approximated although f32 results of the same text are not.
            loose = context.approximate and self.types[a].dtype == "f32" and not jumps(op, k)
            operands.append(seen[a] if a in seen and not loose else known[a])
        results = self.types[first:first + self.results_of(self.first.index(first))]
        found = spec.value(At(context, operands, args, results, op["attributes"], run))
        for i, (set_, type_) in enumerate(zip(found, results)):
            number = first + i
            if set_.shape != shapes.shape_at(type_, run):
                raise AssertionError(f"{op['op']} gives {set_.shape} for {type_}")
            if number in pinned or op["op"] == "cast":
                set_ = sets.strict(set_, type_.dtype)
            known[number] = set_
            if number in place:
                values = from_bits(place[number], type_.dtype)
                good = sets.contains(set_, values)
                if not good.all():
                    return self.describe(number, op, set_, values, good)
                seen[number] = sets.exact(values)
        return ""

    def describe(self, number, op, set_, values, good):
        at = tuple(int(i) for i in np.argwhere(~good)[0])
        nan = " or NaN" if set_.nan[at] else ""
        span = f"[{set_.lo[at]!r}, {set_.hi[at]!r}]{nan}" if set_.num[at] else "NaN"
        return (f"{self.name(number)} ({op['op']}, {self.types[number].dtype}): {np.sum(~good)} of {good.size} elements are wrong; "
                f"element {list(at)} is {values[at]!r}, not in {span}")


def equal_values(a, b, dtype):
    if not is_float(dtype):
        return a.tobytes() == b.tobytes()
    x, y = from_bits(a, dtype), from_bits(b, dtype)
    return bool(np.all((x == y) | (np.isnan(x) & np.isnan(y))))


def uses_short(program):
    return any(t.dtype in SHORT or t.dtype in F8 for t in program.types)


__all__ = ["Program", "Invalid", "uses_short", "equal_values"]
