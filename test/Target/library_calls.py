"""Compiles every operation of trace with every element type for several processors.

usage: library_calls.py --bin DIR --llvm DIR -I DIR -I DIR ...

Operations and element types are those of the TableGen definitions; an operation that TEMPLATES lacks is
element-wise. The linker of host code refuses what calls a library: a program that compiles has no undefined symbol.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# The native one is that of all tests that run.
PROCESSORS = ["x86-64", "x86-64-v3"]
# What computes a result from ARGUMENTS of element type {t} and %n, the size of %s.
X, S, W = "tensor<6x37x{t}>", "tensor<?x37x{t}>", "tensor<37x{t}>"
REDUCED = ["trace.{op} %x dims = [1] : (" + X + ") -> tensor<6x{r}>",
           "trace.{op} %x dims = [0] : (" + X + ") -> tensor<37x{r}>",
           "trace.{op} %s dims = [0, 1] keepdim : (" + S + ") -> tensor<1x1x{r}>"]
ARG_REDUCED = ["trace.{op} %x dim = 1 : (" + X + ") -> tensor<6xi32>",
               "trace.{op} %s dim = 0 : (" + S + ") -> tensor<37xi32>"]
Z, C = "tensor<2x4x8x8x{t}>", "tensor<4x{t}>"
POOLED = ["trace.{op} %z window = [3, 2] stride = [2, 2] low = [1, 1] high = [1, 0] : (" + Z + ") -> tensor<2x4x4x4x{t}>"]
TEMPLATES = {
    "attention": ["trace.attention %z, %z, %z : (" + ", ".join([Z] * 3) + ") -> " + Z,
                  'trace.attention %z, %z, %z causal = "bottom_right" : (' + ", ".join([Z] * 3) + ") -> " + Z],
    "avgpool": POOLED, "maxpool": POOLED,
    "batch_norm": ["trace.batch_norm %z, %q, %q, %q, %q eps = 1.0e-5 : (" + ", ".join([Z, C, C, C, C]) + ") -> " + Z],
    "clamp": ["trace.clamp %x, %w, %w : (" + ", ".join([X, W, W]) + ") -> " + X],
    "conv_transpose": ["trace.conv_transpose %z, %f stride = [2, 2] : (" + Z + ", tensor<4x6x3x3x{t}>) -> tensor<2x6x17x17x{t}>"],
    "convolution": ["trace.convolution %z, %g low = [1, 1] high = [1, 1] : (" + Z + ", tensor<6x4x3x3x{t}>) -> tensor<2x6x8x8x{t}>",
                    "trace.convolution %z, %h groups = 4 : (" + Z + ", tensor<4x1x3x3x{t}>) -> tensor<2x4x6x6x{t}>"],
    "group_norm": ["trace.group_norm %z, %q, %q groups = 2 eps = 1.0e-5 : (" + ", ".join([Z, C, C]) + ") -> " + Z],
    "instance_norm": ["trace.instance_norm %z, %q, %q eps = 1.0e-5 : (" + ", ".join([Z, C, C]) + ") -> " + Z],
    "resize": ['trace.resize %z to [-1, -1, 16, 5] mode = "linear" : (' + Z + ") -> tensor<2x4x16x5x{t}>",
               'trace.resize %z to [-1, -1, 16, 5] mode = "cubic" : (' + Z + ") -> tensor<2x4x16x5x{t}>"],
    **{op: REDUCED for op in ("sum", "prod", "max", "min", "all", "any", "mean", "var")},
    "argmax": ARG_REDUCED, "argmin": ARG_REDUCED,
    "cast": ["trace.cast %x to {other} : (" + X + ") -> tensor<6x37x{other}>"],
    "concatenate": ["trace.concatenate %x, %s, %y dim = 0 : (" + ", ".join([X, S, X]) + ") -> " + S],
    "constant": ["trace.constant dense<{plain}> : " + X],
    "cumsum": ["trace.cumsum %x dim = 1 : (" + X + ") -> " + X, "trace.cumsum %s dim = 0 : (" + S + ") -> " + S],
    "dim": ["trace.full [%n, 3] value = {one} -> tensor<?x3x{t}>"],
    "elu": ["trace.elu %x alpha = 1.5 : (" + X + ") -> " + X],
    "embedding": ["trace.embedding %x, %i : (" + X + ", tensor<5xi32>) -> tensor<5x37x{t}>"],
    "expand": ["trace.expand %w to [4, 37] : (" + W + ") -> tensor<4x37x{t}>"],
    "flip": ["trace.flip %s dims = [0, 1] : (" + S + ") -> " + S],
    "from_index": ["trace.from_index %n dtype = {t} -> tensor<{t}>"],
    "full": ["trace.full [%n] value = {one} -> tensor<?x{t}>"],
    "gather": ["trace.gather %x, %i dim = 0 : (" + X + ", tensor<5xi32>) -> tensor<5x37x{t}>"],
    "hard_sigmoid": ["trace.hard_sigmoid %x alpha = 0.2 beta = 0.5 : (" + X + ") -> " + X],
    "iota": ["trace.iota [%n, 3] dim = 0 dtype = {t} -> tensor<?x3x{t}>"],
    "leaky_relu": ["trace.leaky_relu %x slope = 0.1 : (" + X + ") -> " + X],
    "layer_norm": ["trace.layer_norm %s, %w, %b eps = 1.0e-5 : (" + ", ".join([S, W, W]) + ") -> " + S],
    "linear": ["trace.linear %x, %y : (" + ", ".join([X, X]) + ") -> tensor<6x6x{t}>",
               "trace.linear %s, %y : (" + ", ".join([S, X]) + ") -> tensor<?x6x{t}>"],
    "matmul": ["trace.matmul %m, %m : (tensor<37x37x{t}>, tensor<37x37x{t}>) -> tensor<37x37x{t}>",
               "trace.matmul %x, %m : (" + X + ", tensor<37x37x{t}>) -> " + X,
               "trace.matmul %w, %m : (" + W + ", tensor<37x37x{t}>) -> " + W],
    "pad": ["trace.pad %s low [1, %n] high [0, 2] value = {one} : (" + S + ") -> tensor<?x?x{t}>",
            'trace.pad %s low [1, 0] high [0, 2] mode = "reflect" : (' + S + ") -> tensor<?x39x{t}>"],
    "dequantize": ["trace.dequantize %x, %a dim = 1 : (" + X + ", tensor<37xf32>) -> tensor<6x37xf32>",
                   "trace.dequantize %s, %a dim = 1 : (" + S + ", tensor<37xf32>) -> tensor<?x37xf32>"],
    "quantize": ["trace.quantize %x, %w to " + to + " dim = 1 : (" + ", ".join([X, W]) + ") -> tensor<6x37x" + to + ">"
                 for to in ("i8", "f8E4M3FN", "f8E5M2")],
    "permute": ["trace.permute %x [1, 0] : (" + X + ") -> tensor<37x6x{t}>"],
    **{op: ["trace.{op} %k [%n, 3] dtype = {t} : (tensor<2xi64>) -> tensor<?x3x{t}>"] for op in ("random_normal", "random_uniform")},
    "random_bernoulli": ["trace.random_bernoulli %k [%n, 3] p = 0.3 : (tensor<2xi64>) -> tensor<?x3xi1>"],
    "reshape": ["trace.reshape %s to [-1] : (" + S + ") -> tensor<?x{t}>"],
    **{op: ["trace.{op} %s by [%n, 2] : (" + S + ") -> tensor<?x74x{t}>"] for op in ("repeat", "tile")},
    "rms_norm": ["trace.rms_norm %s, %w eps = 1.0e-5 : (" + ", ".join([S, W]) + ") -> " + S],
    "roll": ["trace.roll %s by [1, -3] dims = [0, 1] : (" + S + ") -> " + S],
    "scatter": ["trace.scatter %s, %i, %v dim = 0 : (" + S + ", tensor<5xi32>, tensor<5x37x{t}>) -> " + S],
    "sort": ["trace.sort %x dim = 1 : (" + X + ") -> (" + X + ", tensor<6x37xi32>)",
             "trace.sort %s dim = 0 descending : (" + S + ") -> (" + S + ", tensor<?x37xi32>)"],
    "slice": ["trace.slice %x [5, 1] to [0, 30] by [-2, 3] : (" + X + ") -> tensor<3x10x{t}>"],
    "softmax": ["trace.softmax %x dim = 1 : (" + X + ") -> " + X, "trace.softmax %s dim = 0 : (" + S + ") -> " + S],
    "split": ["trace.split %x dim = 0 sizes = [6] : (" + X + ") -> " + X],
    "squeeze": ["trace.squeeze %o dims = [0] : (tensor<1x37x{t}>) -> " + W],
    "topk": ["trace.topk %s k = 3 dim = 1 : (" + S + ") -> (tensor<?x3x{t}>, tensor<?x3xi32>)"],
    "transpose": ["trace.transpose %s dims = 0, 1 : (" + S + ") -> tensor<37x?x{t}>"],
    **{op: ["trace.{op} %s diagonal = 1 : (" + S + ") -> " + S] for op in ("tril", "triu")},
    "unsqueeze": ["trace.unsqueeze %w dim = 0 : (" + W + ") -> tensor<1x37x{t}>"],
    "update_slice": ["trace.update_slice %x, %v, %p dim = 0 : (" + X + ", tensor<5x37x{t}>, tensor<i32>) -> " + X],
    "where": ["trace.where %c, %x, %y : (tensor<6x37xi1>, " + ", ".join([X, X]) + ") -> " + X],
}
# Element-wise, of truth values.
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite")
ARGUMENTS = [("x", X), ("y", X), ("s", S), ("w", W), ("b", W), ("m", "tensor<37x37x{t}>"), ("o", "tensor<1x37x{t}>"),
             ("i", "tensor<5xi32>"), ("p", "tensor<i32>"), ("v", "tensor<5x37x{t}>"), ("c", "tensor<6x37xi1>"), ("z", Z), ("q", C),
             ("f", "tensor<4x6x3x3x{t}>"), ("g", "tensor<6x4x3x3x{t}>"), ("h", "tensor<4x1x3x3x{t}>"),
             ("a", "tensor<37xf32>"), ("k", "tensor<2xi64>")]
PROFILE = "{tripy.profile = #tripy.profile<min = [1, 37], opt = [7, 37], max = [300, 37]>}"

# Several constants of which one is chosen at run time become data of the code.
SELECTED = """%one{k} = trace.full [%n] value = {one} -> {d}
  %two{k} = trace.full [%n] value = {two} -> {d}
  %r{k} = trace.concatenate %one{k}, %two{k}, %one{k}, %two{k} dim = 0 : ({d}, {d}, {d}, {d}) -> {d}"""


def definitions(includes):
    """The operations' names with their tensor operands, and the element types."""
    path = next(path for path in (os.path.join(folder, "tripy/Dialect/Trace/TraceOps.td") for folder in includes)
                if os.path.exists(path))
    text = subprocess.run(["llvm-tblgen", "--dump-json", *[f"-I{folder}" for folder in includes], path],
                          text=True, capture_output=True, check=True).stdout
    records = json.loads(text)
    operations = {records[name]["opName"]: records[name]["arguments"]["args"]
                  for name in records["!instanceof"]["Trace_Op"]}
    summary = records["Tripy_Tensor"]["summary"]
    return operations, re.findall(r"\b(?:f|bf|ui|i)\d\w*", summary)


def elementwise(name, arguments):
    """The line of an operation that maps tensors of one shape, or an error."""
    if any(kind.get("def") != "Tripy_Tensor" for kind, _ in arguments) and name != "gelu":
        sys.exit(f"trace.{name} is not element-wise: describe it in TEMPLATES")
    count = sum(kind.get("def") == "Tripy_Tensor" for kind, _ in arguments)
    operands, result = ", ".join(["%x", "%y", "%x"][:count]), "tensor<6x37xi1>" if name in COMPARISONS else X
    return [f"trace.{name} {operands} : ({', '.join([X] * count)}) -> {result}"]


def number(element, text):
    """1.5 or the like as a number of `element`, with its type."""
    if element == "i1":
        return "true"
    return f"{text if element.startswith(('f', 'bf')) else round(float(text))} : {element}"


def lines(operations, element, elements):
    """(what it is, lines that compute %r<k>, its type) of every operation on `element`; the k are counted."""
    found = []
    values = {"t": element, "r": element, "d": f"tensor<?x{element}>", "one": number(element, "1.5"),
              "two": number(element, "-0.08"), "plain": number(element, "1.5").split()[0]}
    for name, arguments in operations.items():
        for line in TEMPLATES.get(name) or elementwise(name, arguments):
            for other in elements if "{other}" in line else [element]:
                text = line.format(**values, op=name, other=other)
                result, count = re.split(r" -> | : ", text)[-1], ""
                if result.startswith("("):  # the first of two results, which depends on the other
                    result, count = result[1:].split(", ")[0], ":2"
                found.append((f"trace.{name} of {element}", f"%r{len(found)}{count} = {text}", result))
    found.append((f"constants of {element}", SELECTED.format(**values, k=len(found)), values["d"]))
    return found


def function(element, chosen):
    """The program that returns the results of `chosen`."""
    types = ", ".join(result for _, _, result in chosen)
    arguments = ", ".join(f"%{name}: {kind.format(t=element)}" + (PROFILE if name == "s" else "")
                          for name, kind in ARGUMENTS)
    names = ", ".join(re.findall(r"^ *(%r\d+)(?::2)? =", "\n".join(text for _, text, _ in chosen), re.M))
    return "\n".join([f"func.func @main({arguments}) -> ({types}) {{",
                      f"  %n = trace.dim %s dim = 0 : ({S.format(t=element)}) -> index",
                      *[f"  {text}" for _, text, _ in chosen], f"  return {names} : {types}", "}", ""])


def allowed(folder, element, candidates):
    """Those of `candidates` that break no rule of their operation."""
    path = os.path.join(folder, f"{element}-each.mlir")
    with open(path, "w") as out:
        out.write("// -----\n".join(function(element, [candidate]) for candidate in candidates))
    ran = subprocess.run(["tripy-opt", path, "--split-input-file"], text=True, capture_output=True)
    # An error for each function that is refused; each function has one line of a result more.
    refused, at = set(), {}
    line = 1
    for number_, candidate in enumerate(candidates):
        count = function(element, [candidate]).count("\n") + 1
        at.update({line + offset: number_ for offset in range(count)})
        line += count
    # "--> file:line", the line, and the error below it.
    for place, message in re.findall(r"^--> .*:(\d+)\n(?: .*\n)*error: (.*)", ran.stderr, re.M):
        if "violates [trace." not in message:
            sys.exit(f"{candidates[at[int(place)]]}: {message}")
        refused.add(at[int(place)])
    return [candidate for i, candidate in enumerate(candidates) if i not in refused]


def compiles(folder, element, chosen, processor):
    path = os.path.join(folder, f"{element}.mlir")
    with open(path, "w") as out:
        out.write(function(element, chosen))
    return subprocess.run(["tripy-compile", path, "-o", path + ".tpx", "--target=cpu", f"--cpu={processor}"], text=True,
                          capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="folder of Tripy's tools")
    parser.add_argument("--llvm", required=True, help="folder of LLVM's tools")
    parser.add_argument("-I", dest="include", action="append", required=True)
    options = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([options.bin, options.llvm, os.environ["PATH"]])
    includes = options.include
    operations, elements = definitions(includes)
    bad, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for element in elements:
            chosen = allowed(folder, element, lines(operations, element, elements))
            count += len(chosen)
            for processor in PROCESSORS:
                if compiles(folder, element, chosen, processor).returncode == 0:
                    continue
                for one in chosen:
                    ran = compiles(folder, element, [one], processor)
                    if ran.returncode:
                        bad.append(f"{one[0]} for {processor}: {one[1]}\n{ran.stderr}")
                if not bad:
                    sys.exit(f"the operations of {element} compile for {processor} alone, but not together")
    for text in bad:
        print(text)
    print(f"{len(operations)} operations, {len(elements)} element types, {count} cases, {len(bad)} failed")
    sys.exit(1 if bad else 0)


main()
