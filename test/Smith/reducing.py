"""Makes a failing program small."""
import json
import time

import shapes
from program import Program
from shapes import Invalid


def without_dead_code(program, spare=True):
    """Without operations that no output needs (`spare` leaves a few: the compiler has to remove them) and unused inputs."""
    needed = set(program.outputs)
    keep = []
    for i in reversed(range(len(program.ops))):
        op, first = program.ops[i], program.first[i]
        if any(first + k in needed for k in range(program.results_of(i))) or (spare and i % 13 == 7 and op["op"] != "index"):
            keep.append(i)
            needed |= set(op["args"])
    return renumbered(program, sorted(keep), {}, [n for n in range(len(program.inputs)) if n in needed], program.outputs)


def renumbered(program, ops, replaced, inputs, outputs, extra=()):
    """The program with some operations and inputs alone; `replaced`: value -> value that readers take instead."""
    numbers = {value: i for i, value in enumerate(inputs)}
    new_inputs = [program.inputs[i] for i in inputs] + [e for _, e in extra]
    for i, (value, _) in enumerate(extra):
        numbers[value] = len(inputs) + i
    place = len(new_inputs)
    new_ops = []

    def number(value):
        while value in replaced:
            value = replaced[value]
        return numbers[value]
    for i in ops:
        op, first = program.ops[i], program.first[i]
        new_ops.append({**op, "args": [number(a) for a in op["args"]]})
        for k in range(program.results_of(i)):
            numbers[first + k] = place + k
        place += program.results_of(i)
    return Program(new_inputs, new_ops, [number(o) for o in outputs], program.runs, program.wide)


#===-- smaller programs ----------------------------------------------------------===#

def copy_of(program):
    return json.loads(program.dump())


def build(data):
    """A program without dead code, or None."""
    try:
        return without_dead_code(Program(data["inputs"], data["ops"], data["outputs"], data["runs"], data["wide"]), spare=False)
    except (Invalid, ValueError, IndexError, KeyError):
        return None


def fewer_outputs(program):
    count = len(program.outputs)
    size = count // 2
    while size >= 1:
        for start in range(0, count, size):
            kept = program.outputs[:start] + program.outputs[start + size:]
            if kept:
                yield {**copy_of(program), "outputs": kept}
        size //= 2
    for i, op in enumerate(program.ops):  # an earlier value instead
        for a in op["args"]:
            if program.types[a].dtype != "index" and a >= len(program.inputs) and a not in program.outputs and count == 1:
                yield {**copy_of(program), "outputs": [a]}


def without_operations(program):
    """Each operation's results become an operand, or an input."""
    everything = list(range(len(program.ops)))
    for i in reversed(everything):
        op, first = program.ops[i], program.first[i]
        rest = [k for k in everything if k != i]
        inputs = list(range(len(program.inputs)))
        count = program.results_of(i)
        for a in op["args"]:
            if count == 1 and program.types[a] == program.types[first]:
                yield lambda a=a, rest=rest, first=first: renumbered(program, rest, {first: a}, inputs, [
                    a if o == first else o for o in program.outputs])
        if program.types[first].dtype != "index":
            new = [(first + k, as_input(program.types[first + k], i)) for k in range(count)]
            yield lambda rest=rest, new=new: renumbered(program, rest, {}, inputs, program.outputs, new)


def as_input(type_, seed):
    return {"dtype": type_.dtype, "dims": [[list(d.sizes), d.static] for d in type_.dims], "fill": "normal", "seed": seed,
            "names": [""] * len(type_.dims)}


def fewer_operands(program):
    for i, op in enumerate(program.ops):
        if op["op"] == "concatenate" and len(op["args"]) > 1:
            for cut in (op["args"][:len(op["args"]) // 2], op["args"][1:], op["args"][:-1]):
                data = copy_of(program)
                data["ops"][i]["args"] = cut
                yield data


def one_run(program):
    if program.runs == 1:
        return
    for run in reversed(range(program.runs)):
        data = copy_of(program)
        data["runs"], data["wide"] = 1, False
        for each in data["inputs"]:
            each["dims"] = [[[sizes[run]], static] for sizes, static in each["dims"]]
        yield data


def static_sizes(program):
    if program.runs > 1:
        return
    names = {tuple(sizes) for each in program.inputs for sizes, static in each["dims"] if not static}
    for chosen in [names, *({n} for n in names)] if names else []:
        data = copy_of(program)
        for each in data["inputs"]:
            each["dims"] = [[sizes, static or tuple(sizes) in chosen] for sizes, static in each["dims"]]
        yield data


def smaller_sizes(program):
    found = {tuple(sizes) for each in program.inputs for sizes, _ in each["dims"] if max(sizes) > 1}
    for sizes in sorted(found, reverse=True):
        for make in (lambda s: min(s, 1), lambda s: min(s, 2), lambda s: s // 2, lambda s: s - 1):
            data = copy_of(program)
            smaller = [max(make(s), 0) for s in sizes]
            for each in data["inputs"]:
                each["dims"] = [[smaller if tuple(old) == sizes else old, static] for old, static in each["dims"]]
            if len(set(sizes)) == 1:
                for op in data["ops"]:
                    for name in ("sizes", "shape"):
                        if op["attributes"].get(name):
                            op["attributes"][name] = [smaller[0] if e == sizes[0] else e for e in op["attributes"][name]]
            yield data


def plainer(program):
    for i, each in enumerate(program.inputs):
        for change in ({"fill": "whole"}, {"fill": "normal"}, {"names": [""] * len(each["dims"])}):
            if any(each[k] != v for k, v in change.items()) and each["fill"] != "whole":
                data = copy_of(program)
                data["inputs"][i].update(change)
                yield data


PASSES = (fewer_outputs, without_operations, fewer_operands, one_run, static_sizes, smaller_sizes, plainer)


def weight(program):
    """What becomes smaller: operations, then outputs, inputs, dynamic sizes, elements."""
    volume = sum(max(shapes.volumes(t.dims, program.runs)) for t in program.types if t.dtype != "index")
    dynamic = sum(not d.static for t in program.types for d in t.dims)
    plain = sum(i["fill"] != "whole" for i in program.inputs) + sum(any(i["names"]) for i in program.inputs)
    operands = sum(len(op["args"]) for op in program.ops)
    return len(program.ops), operands, len(program.outputs), len(program.inputs), program.runs, dynamic, volume, plain


def reduce_program(program, fails, seconds):
    """The smallest program found for which `fails` is true."""
    end = time.time() + seconds
    changed = True
    while changed and time.time() < end:
        changed = False
        for each in PASSES:
            again = True
            while again and time.time() < end:
                again = False
                for candidate in each(program):
                    try:
                        smaller = build(candidate if isinstance(candidate, dict) else copy_of(candidate()))
                    except (Invalid, KeyError):
                        continue
                    if smaller is None or weight(smaller) >= weight(program) or time.time() >= end:
                        continue
                    if fails(smaller):
                        program, changed, again = smaller, True, True
                        break
    return program
