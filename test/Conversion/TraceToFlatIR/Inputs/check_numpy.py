"""Compares trace programs on the reference evaluator with NumPy.

Usage: check_numpy.py FOLDER, with tripy-compile on the PATH. Dimensions of None
are dynamic, from 0 to MAX_SIZE.
"""
import itertools
import math
import os
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
MAX_SIZE = 8
FAR = 2**62
random = np.random.default_rng(1)
failures = []
count = 0


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def tensor(shape, element="f32"):
    sizes = "".join(("?" if size is None else str(size)) + "x" for size in shape)
    return f"tensor<{sizes}{element}>"


def argument(name, shape, element):
    attributes = f'tripy.name = "{name}"'
    if None in shape:
        low = [0 if size is None else size for size in shape]
        high = [MAX_SIZE if size is None else size for size in shape]
        attributes += (f", tripy.profile = #tripy.profile<min = {low}, "
                       f"opt = {high}, max = {high}>")
    return f"%{name}: {tensor(shape, element)} {{{attributes}}}"


def run(inputs, body, results, cases, rtol=2e-5, atol=1e-5):
    """Runs one program on several cases.

    inputs: name to (shape, element type); results: value to type; cases: pairs
    of arrays and of expected arrays, or None when the sizes must be refused.
    """
    global count
    program = os.path.join(FOLDER, "program.mlir")
    arguments = ", ".join(argument(name, *kind) for name, kind in inputs.items())
    named = ", ".join(f'{kind} {{tripy.name = "result{i}"}}' for i, kind in enumerate(results.values()))
    with open(program, "w") as file:
        file.write(f"func.func @main({arguments}) -> ({named}) {{\n"
                   f"{body}\nreturn {', '.join(results)} : {', '.join(results.values())}\n}}\n")
    for arrays, expected in cases:
        count += 1
        command = ["tripy-compile", program, "--evaluate"]
        for name, array in zip(inputs, arrays):
            np.save(os.path.join(FOLDER, name), array)
            command += ["--input", f"{name}=@{FOLDER}/{name}.npy"]
        for i in range(len(results)):
            command += ["--result", f"result{i}=@{FOLDER}/result{i}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        shapes = [array.shape for array in arrays]
        if (done.returncode != 0) != (expected is None):
            failures.append(f"{body}: {shapes}: exit {done.returncode}: {done.stderr}")
        elif expected is not None:
            compare(expected, f"{body}: {shapes}", rtol, atol)


def compare(expected, what, rtol, atol):
    for i, want in enumerate(expected):
        got = np.load(f"{FOLDER}/result{i}.npy")
        want = np.asarray(want)
        if got.shape != want.shape or not np.allclose(got, want, rtol, atol, equal_nan=True):
            failures.append(f"{what}: result {i}: {got.shape} {got.ravel()[:6]}, "
                            f"expected {want.shape} {want.ravel()[:6]}")


def refused(function):
    """What NumPy gives, or None when it refuses."""
    try:
        return [function()]
    except ValueError:
        return None


ROWS = tensor((None, 3))
ROW_INPUT = {"a": ((None, 3), "f32")}


def check_slices():
    bounds = [(0, 3, 1), (1, -1, 1), (-3, 100, 2), (-100, -1, 3), (5, 1, -2), (-1, -100, -1),
              (FAR, -FAR, -1), (3, 3, 1), (4, 2, 1), (-2, 0, -1), (FAR, 1, -3), (0, 0, -1)]
    for start, stop, step in bounds:
        part = slice(*(None if abs(bound) == FAR else bound for bound in (start, stop)), step)
        arrays = [normal(n, 3) for n in (0, 1, 2, 5, 8)]
        run(ROW_INPUT, f"%0 = trace.slice %a [{start}, 0] to [{stop}, 3] by [{step}, 1] : ({ROWS}) -> {ROWS}",
            {"%0": ROWS}, [([array], [array[part]]) for array in arrays])


def check_splits():
    for parts in (1, 2, 3, 5):
        cases = []
        for n in (0, 1, 4, 7, 8):
            array, share = normal(n, 3), -(-n // parts)
            cases.append(([array], [array[i * share:(i + 1) * share] for i in range(parts)]))
        types = ", ".join([ROWS] * parts)
        run(ROW_INPUT, f"%0:{parts} = trace.split %a dim = 0 parts = {parts} : ({ROWS}) -> ({types})",
            {f"%0#{i}": ROWS for i in range(parts)}, cases)


def check_broadcasts():
    cases = []
    for n, m in itertools.product((0, 1, 4), repeat=2):
        a, b = normal(n, 3), normal(m, 3)
        cases.append(([a, b], refused(lambda: (a + b) * b - a)))
    run(ROW_INPUT | {"b": ((None, 3), "f32")},
        f"%0 = trace.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}\n"
        f"%1 = trace.mul %0, %b : ({ROWS}, {ROWS}) -> {ROWS}\n"
        f"%2 = trace.sub %1, %a : ({ROWS}, {ROWS}) -> {ROWS}", {"%2": ROWS}, cases)
    condition = tensor((None, 1), "i1")
    cases = []
    for n, m in ((0, 0), (1, 5), (5, 1), (5, 5), (2, 5)):
        c, a, b = random.random((n, 1)) > 0.5, normal(m, 3), normal(3)
        cases.append(([c, a, b], refused(lambda: np.where(c, a, b))))
    run({"c": ((None, 1), "i1")} | ROW_INPUT | {"b": ((3,), "f32")},
        f"%0 = trace.where %c, %a, %b : ({condition}, {ROWS}, tensor<3xf32>) -> {ROWS}", {"%0": ROWS}, cases)


def check_matmul():
    def matmul(left, right, result, cases):
        run({"a": (left, "f32"), "b": (right, "f32")},
            f"%0 = trace.matmul %a, %b : ({tensor(left)}, {tensor(right)}) -> {tensor(result)}",
            {"%0": tensor(result)}, cases)

    for left, right in [((2, 3), (3, 5)), ((3,), (3,)), ((4, 2, 3), (3,)), ((3,), (4, 3, 5)),
                        ((4, 2, 3), (3, 5)), ((4, 2, 3), (1, 3, 5)), ((2, 3), (4, 3, 5)),
                        ((6, 4, 2, 3), (6, 1, 3, 5)), ((6, 1, 2, 3), (6, 4, 3, 5)),
                        ((7, 1, 2, 3), (4, 3, 5)), ((1, 2, 3), (1, 3, 5)), ((2, 3), (1, 3, 5)),
                        ((1, 4, 2, 3), (6, 1, 3, 5)), ((5, 1, 4, 2, 3), (5, 6, 1, 3, 2)),
                        ((0, 2, 3), (3, 5)), ((2, 0), (0, 5))]:
        a, b = normal(*left), normal(*right)
        product = np.matmul(a.astype(np.float64), b)
        matmul(left, right, product.shape, [([a, b], [product])])
    cases = []
    for n, m, k, l in [(1, 4, 3, 3), (4, 1, 3, 3), (4, 4, 3, 3), (0, 1, 3, 3), (2, 4, 3, 3), (2, 2, 3, 2)]:
        a, b = normal(n, 2, k), normal(m, l, 5)
        cases.append(([a, b], refused(lambda: np.matmul(a, b))))
    matmul((None, 2, None), (None, None, 5), (None, 2, 5), cases)


def check_reductions():
    array = normal(4, 5)
    wide = array.astype(np.float64)
    functions = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean}
    for dims, axis in [([1], 1), ([-1, 0], (0, 1)), ([], None)]:
        for keep in (False, True):
            wanted = {f"{name} %a dims = {dims}": np.asarray(function(wide, axis=axis, keepdims=keep))
                      for name, function in functions.items()}
            wanted[f"var %a dims = {dims} correction = 2"] = np.asarray(np.var(wide, axis=axis, ddof=2, keepdims=keep))
            type_ = tensor(wanted[f"sum %a dims = {dims}"].shape)
            body = "\n".join(f"%{i} = trace.{op}{' keepdim' if keep else ''} : (tensor<4x5xf32>) -> {type_}"
                             for i, op in enumerate(wanted))
            run({"a": ((4, 5), "f32")}, body, {f"%{i}": type_ for i in range(len(wanted))},
                [([array], list(wanted.values()))])
    cases = []
    for n in (0, 1, 2, 5):
        array = normal(n, 3)
        with np.errstate(all="ignore"):
            mean = array.astype(np.float64).sum(0) / n if n else np.full(3, np.nan)
            var = ((array - mean)**2).sum(0) / np.float64(max(n - 2, 0))
        cases.append(([array], [mean, var]))
    run(ROW_INPUT, f"%0 = trace.mean %a dims = [0] : ({ROWS}) -> tensor<3xf32>\n"
        f"%1 = trace.var %a dims = [0] correction = 2 : ({ROWS}) -> tensor<3xf32>",
        {"%0": "tensor<3xf32>", "%1": "tensor<3xf32>"}, cases)


def check_norms():
    def softmax(x):
        power = np.exp(x - x.max(1, keepdims=True))
        return power / power.sum(1, keepdims=True)

    run(ROW_INPUT, f"%0 = trace.softmax %a dim = -1 : ({ROWS}) -> {ROWS}", {"%0": ROWS},
        [([array], [softmax(array.astype(np.float64))]) for array in (normal(0, 3), normal(1, 3), normal(7, 3) * 50)])
    matrix, vector = tensor((None, None)), tensor((None,))
    cases = [([normal(3, 4), normal(5), normal(4)], None), ([normal(3, 4), normal(4), normal(5)], None)]
    for n, d in ((3, 4), (0, 4), (2, 1), (5, 8)):
        x, w, b = normal(n, d), normal(d), normal(d)
        wide = x.astype(np.float64)
        mean, var = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
        square = (wide**2).mean(-1, keepdims=True)
        cases.append(([x, w, b], [(wide - mean) / np.sqrt(var + 1e-5) * w + b, wide / np.sqrt(square + 1e-5) * w]))
    run({"x": ((None, None), "f32"), "w": ((None,), "f32"), "b": ((None,), "f32")},
        f"%0 = trace.layer_norm %x, %w, %b eps = 1.0e-5 : ({matrix}, {vector}, {vector}) -> {matrix}\n"
        f"%1 = trace.rms_norm %x, %w eps = 1.0e-5 : ({matrix}, {vector}) -> {matrix}",
        {"%0": matrix, "%1": matrix}, cases, rtol=1e-4, atol=1e-4)


def check_activations():
    array = normal(64) * 4
    x = array.astype(np.float64)
    erf = np.array([math.erf(value / math.sqrt(2)) for value in x])
    wanted = {"gelu %a": 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
              'gelu %a {approximate = "erf"}': 0.5 * x * (1 + erf),
              "silu %a": x / (1 + np.exp(-x)), "sigmoid %a": 1 / (1 + np.exp(-x)), "relu %a": np.maximum(x, 0)}
    softplus = np.logaddexp(x, 0)
    wanted |= {"softplus %a": softplus, "mish %a": x * np.tanh(softplus), "reciprocal %a": 1 / x,
               "elu %a alpha = 1.5": np.where(x > 0, x, 1.5 * np.expm1(x)),
               "leaky_relu %a slope = 0.25": np.where(x > 0, x, 0.25 * x),
               "hard_sigmoid %a alpha = 0.2 beta = 0.5": np.clip(0.2 * x + 0.5, 0, 1),
               "hard_swish %a": x * np.clip(x / 6 + 0.5, 0, 1)}
    type_ = tensor((64,))
    run({"a": ((64,), "f32")}, "\n".join(f"%{i} = trace.{op} : ({type_}) -> {type_}" for i, op in enumerate(wanted)),
        {f"%{i}": type_ for i in range(len(wanted))}, [([array], list(wanted.values()))])


def check_shapes():
    wide, pairs, flat = tensor((None, 8)), tensor((None, 2)), tensor((None,))
    arrays = [normal(n, 8) for n in (0, 1, 3, 4)]
    run({"a": ((None, 8), "f32")},
        f"%0 = trace.reshape %a to [-1, 2] : ({wide}) -> {pairs}\n"
        f"%1 = trace.reshape %a to [-1] : ({wide}) -> {flat}\n"
        f"%2 = trace.slice %a [0, 100] to [100, -100] by [1, -1] : ({wide}) -> {wide}\n"
        f"%3 = trace.concatenate %a, %a, %2 dim = 0 : ({wide}, {wide}, {wide}) -> {wide}",
        {"%0": pairs, "%1": flat, "%3": wide},
        [([a], [a.reshape(4 * len(a), 2), a.reshape(-1), np.concatenate([a, a, a[:, ::-1]])]) for a in arrays])
    run({"a": ((None, 4), "f32")}, f"%0 = trace.reshape %a to [-1, 8] : ({tensor((None, 4))}) -> {wide}",
        {"%0": wide}, [([a], refused(lambda: a.reshape(len(a) * 4 // 8, 8))) for a in map(lambda n: normal(n, 4), (0, 2, 3, 8))])
    run({"a": ((None, 1), "f32")}, f"%0 = trace.expand %a to [2, 4, 3] : ({tensor((None, 1))}) -> tensor<2x4x3xf32>",
        {"%0": "tensor<2x4x3xf32>"},
        [([a], refused(lambda: np.broadcast_to(a, (2, 4, 3)))) for a in map(lambda n: normal(n, 1), (0, 1, 3, 4))])
    column = tensor((None, 1, 3))
    run(ROW_INPUT, f"%0 = trace.squeeze %a dims = [0] : ({ROWS}) -> tensor<3xf32>\n"
        f"%1 = trace.unsqueeze %a dim = 1 : ({ROWS}) -> {column}", {"%0": "tensor<3xf32>", "%1": column},
        [([a], [a[0], a[:, None]] if len(a) == 1 else None) for a in (normal(1, 3), normal(2, 3), normal(0, 3))])


def check_composed():
    special = np.array([0.0, -0.0, 1.5, -2.5, np.nan, np.inf, -np.inf, 1e-45, 3e38], dtype=np.float32)
    for element in ("f32", "f16"):
        array = special.astype({"f32": np.float32, "f16": np.float16}[element]) if element == "f32" else special[:7].astype(np.float16)
        vector, truth = tensor(array.shape, element), tensor(array.shape, "i1")
        run({"a": (array.shape, element)},
            "\n".join(f"%{i} = trace.{op} %a : ({vector}) -> {truth}" for i, op in enumerate(("isnan", "isinf", "isfinite"))),
            {f"%{i}": truth for i in range(3)}, [([array], [np.isnan(array), np.isinf(array), np.isfinite(array)])])
    cases = []
    for n, m in ((0, 1), (1, 4), (4, 4), (3, 1), (2, 3)):
        a, low, high = normal(n, 3) * 3, normal(3), normal(m, 1)
        cases.append(([a, low, high], refused(lambda: np.minimum(np.maximum(a, low), high))))
    column = tensor((None, 1))
    run(ROW_INPUT | {"low": ((3,), "f32"), "high": ((None, 1), "f32")},
        f"%0 = trace.clamp %a, %low, %high : ({ROWS}, tensor<3xf32>, {column}) -> {ROWS}", {"%0": ROWS}, cases)
    ints = np.array([[7, -7, 5], [2**31 - 1, -2**31, 0]], dtype=np.int32)
    run({"a": ((2, 3), "i32")}, "%0 = trace.mean %a dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>", {"%0": "tensor<2xi32>"},
        [([ints], [[1, 0]])])


def check_arrange():
    arrays = [normal(n, 3) for n in (0, 1, 2, 5, 8)]
    run(ROW_INPUT, f"%0 = trace.flip %a dims = [-1, 0] : ({ROWS}) -> {ROWS}\n"
        f"%1 = trace.flip %a dims = [] : ({ROWS}) -> {ROWS}", {"%0": ROWS, "%1": ROWS},
        [([a], [a[::-1, ::-1], a]) for a in arrays])
    for shifts in ((1, 0), (-2, 1), (5, -4), (-7, 3), (8, 2)):
        run(ROW_INPUT, f"%0 = trace.roll %a by [{shifts[0]}, {shifts[1]}] dims = [0, 1] : ({ROWS}) -> {ROWS}", {"%0": ROWS},
            [([a], [np.roll(a, shifts, (0, 1))]) for a in arrays])
    for counts in ((2, 1), (1, 3), (0, 2), (3, 2)):
        result = tensor((None, 3 * counts[1]))
        run(ROW_INPUT, f"%0 = trace.tile %a by [{counts[0]}, {counts[1]}] : ({ROWS}) -> {result}\n"
            f"%1 = trace.repeat %a by [{counts[0]}, {counts[1]}] : ({ROWS}) -> {result}", {"%0": result, "%1": result},
            [([a], [np.tile(a, counts), a.repeat(counts[0], 0).repeat(counts[1], 1)]) for a in arrays])
    run({"a": ((None,), "f32"), "b": ((None,), "f32")},
        f"%n = trace.dim %b dim = 0 : (tensor<?xf32>) -> index\n"
        f"%0 = trace.tile %a by [%n] : (tensor<?xf32>) -> tensor<?xf32>\n"
        f"%1 = trace.repeat %a by [%n] : (tensor<?xf32>) -> tensor<?xf32>", {"%0": "tensor<?xf32>", "%1": "tensor<?xf32>"},
        [([a, b], [np.tile(a, len(b)), a.repeat(len(b))]) for a, b in ((normal(n), normal(m)) for n in (0, 1, 5) for m in (0, 1, 3))])
    one = normal()
    run({"a": ((), "f32")}, "%0 = trace.tile %a by [] : (tensor<f32>) -> tensor<f32>\n"
        "%1 = trace.flip %a dims = [] : (tensor<f32>) -> tensor<f32>", {"%0": "tensor<f32>", "%1": "tensor<f32>"}, [([one], [one, one])])
    deep = normal(2, 1, 2, 1, 3, 1, 1, 2)
    result = tensor((2, 2, 2, 1, 3, 1, 3, 2))
    run({"a": (deep.shape, "f32")}, f"%0 = trace.tile %a by [1, 2, 1, 1, 1, 1, 3, 1] : ({tensor(deep.shape)}) -> {result}\n"
        f"%1 = trace.flip %a dims = [0, 4, 7] : ({tensor(deep.shape)}) -> {tensor(deep.shape)}", {"%0": result, "%1": tensor(deep.shape)},
        [([deep], [np.tile(deep, (1, 2, 1, 1, 1, 1, 3, 1)), np.flip(deep, (0, 4, 7))])])
    for diagonal in (0, 1, -2, 9):
        run({"a": ((2, None, 3), "f32")},
            f"%0 = trace.tril %a diagonal = {diagonal} : (tensor<2x?x3xf32>) -> tensor<2x?x3xf32>\n"
            f"%1 = trace.triu %a diagonal = {diagonal} : (tensor<2x?x3xf32>) -> tensor<2x?x3xf32>",
            {"%0": "tensor<2x?x3xf32>", "%1": "tensor<2x?x3xf32>"},
            [([a], [np.tril(a, diagonal), np.triu(a, diagonal)]) for a in (normal(2, n, 3) for n in (0, 1, 4))])


def padded(array, widths, mode):
    """np.pad, but for "wrap", where some versions are wrong for wide borders."""
    if mode != "wrap":
        return np.pad(array, widths, mode)
    for axis, (low, high) in enumerate(widths):
        if low + high and not array.shape[axis]:
            raise ValueError("nothing to repeat")
        places = np.arange(-low, array.shape[axis] + high) % max(array.shape[axis], 1)
        array = np.moveaxis(np.moveaxis(array, axis, 0)[places], 0, axis)
    return array


def check_pads():
    for mode, (low, high) in itertools.product(("edge", "reflect", "wrap"), ((0, 0), (1, 2), (7, 0), (3, 11))):
        result = tensor((None, 3 + 2))
        run(ROW_INPUT, f'%0 = trace.pad %a low [{low}, 1] high [{high}, 1] mode = "{mode}" : ({ROWS}) -> {result}',
            {"%0": result}, [([a], refused(lambda: padded(a, ((low, high), (1, 1)), mode))) for a in (
                normal(n, 3) for n in (0, 1, 2, 5))])
    run({"a": ((None,), "f32"), "b": ((None,), "f32")},
        f"%n = trace.dim %b dim = 0 : (tensor<?xf32>) -> index\n"
        f'%0 = trace.pad %a low [%n] high [1] mode = "reflect" : (tensor<?xf32>) -> tensor<?xf32>', {"%0": "tensor<?xf32>"},
        [([a, b], [np.pad(a, (len(b), 1), "reflect")]) for a, b in ((normal(n), normal(m)) for n in (1, 4) for m in (0, 3, 8))])


def check_changes():
    def updated(a, u, start):
        result, start = a.copy(), start + len(a) * (start < 0)
        for i, row in enumerate(u):
            if 0 <= start + i < len(a):
                result[start + i] = row
        return [result]

    def scattered(a, index, u):
        result = a.copy()
        for i, row in zip(index, u):
            if -len(a) <= i < len(a):
                result[i] = row
        return [result]

    cases = [([a, u, np.int32(start)], updated(a, u, start)) for a, u in
             ((normal(n, 3), normal(m, 3)) for n, m in ((5, 2), (4, 4), (0, 2), (3, 0), (2, 5), (1, 1)))
             for start in (0, 1, -1, 4, -7, 2**31 - 1, -2**31)]
    run(ROW_INPUT | {"u": ((None, 3), "f32"), "s": ((), "i32")},
        f"%0 = trace.update_slice %a, %u, %s dim = 0 : ({ROWS}, {ROWS}, tensor<i32>) -> {ROWS}", {"%0": ROWS}, cases)
    cases = [([a, np.array(index, dtype=np.int64), u], scattered(a, index, u)) for a, index in
             ((normal(n, 3), index) for n in (0, 1, 5) for index in
              ([], [0], [4, 4, 1], [-1, 7, -6, 2], [2**62, -2**63, 0, 0])) for u in [normal(len(index), 3)]]
    run(ROW_INPUT | {"i": ((None,), "i64"), "u": ((None, 3), "f32")},
        f"%0 = trace.scatter %a, %i, %u dim = 0 : ({ROWS}, tensor<?xi64>, {ROWS}) -> {ROWS}", {"%0": ROWS}, cases)
    a, index, u = normal(2, 4, 3), np.array([[3, 0], [1, 3]], dtype=np.int32), normal(2, 2, 2, 3)
    want = a.copy()
    for i, j in itertools.product(range(2), repeat=2):
        want[:, index[i, j]] = u[:, i, j]
    run({"a": (a.shape, "f32"), "i": (index.shape, "i32"), "u": (u.shape, "f32")},
        "%0 = trace.scatter %a, %i, %u dim = 1 : (tensor<2x4x3xf32>, tensor<2x2xi32>, tensor<2x2x2x3xf32>) -> tensor<2x4x3xf32>",
        {"%0": "tensor<2x4x3xf32>"}, [([a, index, u], [want])])
    run(ROW_INPUT, f"%0:2 = trace.split %a dim = 0 sizes = [2, 1] : ({ROWS}) -> (tensor<2x3xf32>, tensor<1x3xf32>)\n"
        f"%n = trace.dim %a dim = 0 : ({ROWS}) -> index\n%1 = trace.from_index %n dtype = i64 -> tensor<i64>",
        {"%0#0": "tensor<2x3xf32>", "%0#1": "tensor<1x3xf32>", "%1": "tensor<i64>"},
        [([a], [a[:2], a[2:], 3] if len(a) == 3 else None) for a in (normal(3, 3), normal(2, 3), normal(0, 3))])


os.makedirs(FOLDER, exist_ok=True)
for check in (check_slices, check_splits, check_broadcasts, check_matmul, check_reductions, check_norms,
              check_activations, check_shapes, check_composed, check_arrange, check_pads, check_changes):
    check()
print("\n".join(failures))
print(f"{count} cases, {len(failures)} failures")
sys.exit(bool(failures))
