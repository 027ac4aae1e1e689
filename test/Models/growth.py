"""Compiles programs of n and of 2n parts: time may not grow faster than the program.

usage: growth.py --bin DIR [--family NAME] [--print N]

Each family is compiled for the CPU and for CUDA, without cache. User CPU time of twice the program may be at most
three times as much, and a constant; what is measured to be more is measured twice again, and the least counts. No time
in seconds is a limit. --print N writes the program of a family with N parts instead.
"""
import argparse
import os
import subprocess
import sys
import tempfile

MAX, CONSTANT = 3.0, 0.1
RUNS = 8

T = "tensor<64xf32>"
D = "tensor<?xf32>"
DYNAMIC = D + " {tripy.profile = #tripy.profile<min = [1], opt = [2], max = [9]>}"
S = "tensor<?x?x?x?x?x?xf32>"
SIX = S + " {tripy.profile = #tripy.profile<min = [1, 1, 1, 1, 1, 1], opt = [2, 2, 2, 2, 2, 2], max = [9, 9, 9, 9, 9, 9]>}"
FUNCTIONS = ("exp", "tanh", "sin", "cos", "sigmoid", "erf", "log", "sqrt")


def program(arguments, body, results, types):
    """`body` is the lines of a function that returns `results`."""
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in arguments)
    kinds = ", ".join(types)
    return "\n".join([f"func.func @main({arguments}) -> ({kinds}) {{", *body,
                      f"return {', '.join(results)} : {kinds}", "}", ""])


def chain(step, first=T, argument=None, others=()):
    """y(i + 1) is `step`(i) of y(i); all have the type `first`."""
    def make(n):
        body = [f"%y{i + 1} = {step(i)}" for i in range(n)]
        return program([("y0", argument or first), *others], body, [f"%y{n}"], [first])
    return make


def unary(name, kind=T):
    return lambda i: f"trace.{name} %y{i} : ({kind}) -> {kind}"


def each(line, kind=T, argument=None):
    """n inputs x(i), n results y(i)."""
    def make(n):
        body = [f"%y{i} = {line(i)}" for i in range(n)]
        return program([(f"x{i}", argument or kind) for i in range(n)], body, [f"%y{i}" for i in range(n)], [kind] * n)
    return make


def resized(line, start, by):
    """A chain whose step i goes from size start + i * by to the next: `line`(i, type, next type)."""
    def make(n):
        kinds = [f"tensor<{start(n) + by * i}xf32>" for i in range(n + 1)]
        body = [f"%y{i + 1} = {line(i, kinds[i], kinds[i + 1], start(n) + by * i)}" for i in range(n)]
        return program([("y0", kinds[0]), ("x", "tensor<4xf32>")], body, [f"%y{n}"], [kinds[n]])
    return make


def gathered(line, argument=T):
    """A sum of one term for each of n inputs."""
    def make(n):
        body = [f"%y{i + 1} = {line(i)}" for i in range(n)]
        kind = D if argument == DYNAMIC else T
        return program([("y0", argument), *[(f"x{i}", argument) for i in range(n)]], body, [f"%y{n}"], [kind])
    return make


def distinct_outputs(n):
    """A kernel for each output."""
    body = [line for i in range(n) for line in (f"%c{i} = trace.constant dense<{i}.5> : {T}",
                                                 f"%y{i} = trace.add %x, %c{i} : ({T}, {T}) -> {T}")]
    return program([("x", T)], body, [f"%y{i}" for i in range(n)], [T] * n)


def planes(n):
    """Pads of both dimensions, each with a number of its own."""
    kinds = [f"tensor<{4 + 2 * i}x{4 + 2 * i}xf32>" for i in range(n + 1)]
    body = [f"%y{i + 1} = trace.pad %y{i} low [1, 1] high [1, 1] value = {i}.5 : f32 : ({kinds[i]}) -> {kinds[i + 1]}"
            for i in range(n)]
    return program([("y0", kinds[0])], body, [f"%y{n}"], [kinds[n]])


def dynamic_planes(n):
    kind = "tensor<?x?xf32>"
    body = [f"%y{i + 1} = trace.pad %y{i} low [1, 0] high [1, 1] value = {i}.5 : f32 : ({kind}) -> {kind}"
            for i in range(n)]
    profile = " {tripy.profile = #tripy.profile<min = [1, 1], opt = [2, 2], max = [9, 9]>}"
    return program([("y0", kind + profile)], body, [f"%y{n}"], [kind])


def slices(n):
    """A tree of sums of n slices of one input."""
    body = [f"%s{i} = trace.slice %x [{i}] to [{i + 64}] by [1] : (tensor<{n + 64}xf32>) -> {T}" for i in range(n)]
    names, count = [f"%s{i}" for i in range(n)], 0
    while len(names) > 1:
        body.append(f"%t{count} = trace.add {names[0]}, {names[1]} : ({T}, {T}) -> {T}")
        names, count = names[2:] + [f"%t{count}"], count + 1
    return program([("x", f"tensor<{n + 64}xf32>")], body, names, [T])


def concatenation(n):
    names = ", ".join(["%x"] * n)
    kind = f"tensor<{4 * n}xf32>"
    return program([("x", "tensor<4xf32>")], [f"%y = trace.concatenate {names} dim = 0 : "
                                              f"({', '.join(['tensor<4xf32>'] * n)}) -> {kind}"], ["%y"], [kind])


def plugins(n):
    """Calls of one plugin, which has code for both devices and different parameters in each."""
    kernel = (f"tripy.plugin @k : ({D}) -> {D} parameters [\"p\"] : [i32] sources [\n"
              "#tripy.plugin_source<ptx \"k\" code = \".version 8.0\\0A.target sm_80\\0A.address_size 64\\0A"
              ".visible .entry k(.param .u64 x, .param .u64 y, .param .u32 p) { ret; }\" block = [1, 1, 1]>,\n"
              "#tripy.plugin_source<c \"k\" library = \"libk.so\">] {\n^bb0(%n: index):\n"
              "%one = arith.constant 1 : index\ntripy.plugin_sizes results(%n) grid(%one, %one, %one)\n}\n")
    return kernel + chain(lambda i: f"trace.plugin @k(%y{i}) parameters {{p = {i} : i32}} : ({D}) -> {D}", D, DYNAMIC)(n)


def squares(end, result):
    """Each step reads the one before twice: 2^n ways lead back. `end` reads the last one."""
    def make(n):
        body = [f"%y{i + 1} = trace.{('mul', 'add')[i % 2]} %y{i}, %y{i} : ({MATRIX}, {MATRIX}) -> {MATRIX}" for i in range(n)]
        return program([("y0", MATRIX), ("w", MATRIX)], body + [line.format(f"%y{n}") for line in end], ["%r"], [result])
    return make


ROWS = "tensor<8x32xf32>"
MATRIX = "tensor<32x32xf32>"
# name: (n, what makes the program of n parts)
FAMILIES = {
    "outputs": (20, distinct_outputs),
    "equal-outputs": (1000, each(lambda i: f"trace.exp %x{i} : ({T}) -> {T}")),
    "dynamic-inputs": (500, each(lambda i: f"trace.exp %x{i} : ({D}) -> {D}", D, DYNAMIC)),
    "inputs": (1000, gathered(lambda i: f"trace.add %y{i}, %x{i} : ({T}, {T}) -> {T}")),
    "dynamic-sum": (500, gathered(lambda i: f"trace.add %y{i}, %x{i} : ({D}, {D}) -> {D}", DYNAMIC)),
    "dynamic-concat": (500, gathered(
        lambda i: f"trace.concatenate %y{i}, %x{i} dim = 0 : ({D}, {D}) -> {D}", DYNAMIC)),
    "pads": (500, resized(lambda i, a, b, size: f"trace.pad %y{i} low [1] high [0] value = 0.0 : f32 : ({a}) -> {b}",
                          lambda n: 4, 1)),
    "planes": (30, planes),
    "dynamic-planes": (60, dynamic_planes),
    "cuts": (1000, resized(lambda i, a, b, size: f"trace.slice %y{i} [1] to [{size}] by [1] : ({a}) -> {b}",
                           lambda n: n + 8, -1)),
    "concats": (150, resized(lambda i, a, b, size: f"trace.concatenate %y{i}, %x dim = 0 : ({a}, tensor<4xf32>) -> {b}",
                             lambda n: 4, 4)),
    "concatenation": (150, concatenation),
    "slices": (100, slices),
    "exp": (40, chain(unary("exp"))),
    "transcendental": (50, chain(lambda i: unary(FUNCTIONS[i % 8], S)(i), S, SIX)),
    "plugins": (300, plugins),
    "residual": (30, chain(lambda i: f"trace.exp %y{i} : ({T}) -> {T}\n%r{i} = trace.add %y{i}, %y{i} : ({T}, {T}) -> {T}")),
    "softmax": (12, chain(lambda i: f"trace.softmax %y{i} dim = 1 : ({ROWS}) -> {ROWS}", ROWS)),
    "matmul": (500, chain(lambda i: f"trace.matmul %y{i}, %w : ({MATRIX}, {MATRIX}) -> {MATRIX}", MATRIX,
                          others=[("w", MATRIX)])),
    "squares-sum": (12, squares([f"%r = trace.sum {{}} dims = [0] : ({MATRIX}) -> tensor<32xf32>"], "tensor<32xf32>")),
    "squares-product": (12, squares([f"%r = trace.matmul {{}}, %w : ({MATRIX}, {MATRIX}) -> {MATRIX}"], MATRIX)),
    "squares-softmax": (12, squares([f"%p = trace.softmax {{}} dim = 1 : ({MATRIX}) -> {MATRIX}",
                                     f"%r = trace.matmul %p, %w : ({MATRIX}, {MATRIX}) -> {MATRIX}"], MATRIX)),
    "locations": (1000, chain(lambda i: f"trace.add %y{i}, %y{i} : ({T}, {T}) -> {T} loc(callsite(\"a\":{i + 1}:1 at "
                                        f"fused[\"b\":{i + 1}:1, \"c\":{i + 1}:2]))")),
}


def seconds(compiler, path, target):
    """User CPU time of one compilation."""
    with subprocess.Popen([compiler, path, "-o", path + ".tpx", f"--target={target}", "--no-cache"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{path} for {target}: {errors}")
    return usage.ru_utime


def grows(compiler, folder, name, target):
    """Whether the time of family `name` grows too fast; prints it."""
    n, make = FAMILIES[name]
    paths = []
    for count in (n, 2 * n):
        paths.append(os.path.join(folder, f"{name}-{count}.mlir"))
        with open(paths[-1], "w") as out:
            out.write(make(count))
    least = [float("inf")] * 2
    for _ in range(RUNS):
        least = [min(old, seconds(compiler, path, target)) for old, path in zip(least, paths)]
        bad = least[1] > MAX * least[0] + CONSTANT
        if not bad:
            break
    print(f"{name:16} {target:5} {n:5}: {least[0]:6.2f} s, {2 * n:5}: {least[1]:6.2f} s{'  GROWS' if bad else ''}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin")
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--print", type=int)
    options = parser.parse_args()
    names = [options.family] if options.family else list(FAMILIES)
    if options.print:
        print(FAMILIES[options.family][1](options.print))
        return
    with tempfile.TemporaryDirectory() as folder:
        bad = sum(grows(os.path.join(options.bin, "tripy-compile"), folder, name, target)
                  for name in names for target in ("cpu", "cuda"))
    print(f"{2 * len(names)} measured, {bad} grow too fast")
    sys.exit(1 if bad else 0)


main()
