"""Compares convolutions, pooling, resize and norms over channels with NumPy.

Usage: check_windows.py FOLDER TARGETS [CHECK], with the tools on the PATH. TARGETS
are of evaluate, cpu, cpu:PROCESSOR and cuda. Every case runs with static shapes, and with dynamic
ones as far as the operation allows. The definitions here are loops over the
elements of results, written from docs/operations and from nothing else.
"""
import itertools
import os
import subprocess
import sys

import numpy as np

FOLDER, TARGETS = sys.argv[1], sys.argv[2].split(",")
random = np.random.default_rng(7)
failures = []
count = 0
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i64": np.int64, "i8": np.int8}


def whole(*shape, dtype="f32"):
    """Small integers: sums of their products are exact in every order."""
    return random.integers(-4, 5, shape).astype(TYPES[dtype])


def tensor(shape, dtype, dynamic=()):
    sizes = "".join(("?" if i in dynamic else str(size)) + "x" for i, size in enumerate(shape))
    return f"tensor<{sizes}{dtype}>"


def dtype_of(array):
    return next(name for name, kind in TYPES.items() if array.dtype == kind)


def argument(name, array, dynamic):
    attributes = f'tripy.name = "{name}"'
    if dynamic:
        high = [max(size, 1) * 2 if i in dynamic else size for i, size in enumerate(array.shape)]
        low = [0 if i in dynamic else size for i, size in enumerate(array.shape)]
        attributes += f", tripy.profile = #tripy.profile<min = {low}, opt = {list(array.shape)}, max = {high}>"
    return f"%{name}: {tensor(array.shape, dtype_of(array), dynamic)} {{{attributes}}}"


def command(target, program, inputs):
    files = []
    for i, array in enumerate(inputs):
        np.save(f"{FOLDER}/x{i}.npy", array)
        files += ["--input", f"x{i}=@{FOLDER}/x{i}.npy"]
    if target == "evaluate":
        return [["tripy-compile", program, "--evaluate", *files, "--result", f"result0=@{FOLDER}/r.npy"]]
    target, _, processor = target.partition(":")
    return [["tripy-compile", program, "-o", f"{FOLDER}/p.tpx", f"--target={target}", "--no-cache",
             *([f"--cpu={processor}"] if processor else [])],
            ["tripy-run", f"{FOLDER}/p.tpx", *(["--device", "cuda:0"] if target == "cuda" else []), *files,
             "--output", f"result0=@{FOLDER}/r.npy"]]


def run(op, inputs, expected, dynamic=(), result_dynamic=(), rtol=0, atol=0):
    """`op`: text between the name's operands and the types; expected: an array, or None for refused sizes."""
    global count
    name, words = op
    shape = expected.shape if expected is not None else inputs[0].shape
    types = [tensor(a.shape, dtype_of(a), dynamic if i == 0 else ()) for i, a in enumerate(inputs)]
    if expected is None:
        result_dynamic = range(len(shape))
    result = tensor(shape, dtype_of(inputs[0]), result_dynamic)
    arguments = ", ".join(argument(f"x{i}", a, dynamic if i == 0 else ()) for i, a in enumerate(inputs))
    operands = ", ".join(f"%x{i}" for i in range(len(inputs)))
    program = f"{FOLDER}/program.mlir"
    with open(program, "w") as file:
        file.write(f'func.func @main({arguments}) -> ({result} {{tripy.name = "result0"}}) {{\n'
                   f"%0 = trace.{name} {operands} {words} : ({', '.join(types)}) -> {result}\nreturn %0 : {result}\n}}\n")
    for target in TARGETS:
        count += 1
        what = f"{target}: {name} {words}: {[a.shape for a in inputs]} {dtype_of(inputs[0])}" + (" dynamic" if dynamic else "")
        for step in command(target, program, inputs):
            done = subprocess.run(step, capture_output=True, text=True)
            if done.returncode:
                break
        if (done.returncode != 0) != (expected is None):
            failures.append(f"{what}: exit {done.returncode}: {done.stderr}\n{open(program).read()}")
        elif expected is not None:
            got = np.load(f"{FOLDER}/r.npy")
            if got.shape != expected.shape or not np.allclose(got.astype(float), expected.astype(float), rtol, atol, equal_nan=True):
                failures.append(f"{what}: {got.shape} {got.ravel()[:8]}, expected {expected.shape} {expected.ravel()[:8]}")


def both(op, inputs, expected, changed, **options):
    """With static shapes, and with a dynamic batch and dynamic dimensions `changed`."""
    run(op, inputs, expected, **options)
    dynamic = (0, *changed)
    run(op, inputs, expected, dynamic, dynamic, **options)


#===-- convolution -------------------------------------------------------------===#

def words_of(**lists):
    return " ".join(f"{name} = {value}" for name, value in lists.items() if value)


def convolution(x, w, stride, dilation, low, high, groups, bias=None):
    rank = x.ndim - 2
    stride, dilation = stride or [1] * rank, dilation or [1] * rank
    padded = np.pad(x.astype(float), [(0, 0), (0, 0), *zip(low or [0] * rank, high or [0] * rank)])
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(padded.shape[2:], w.shape[2:], stride, dilation)]
    result = np.zeros((x.shape[0], w.shape[0], *sizes))
    each, outputs = w.shape[1], w.shape[0] // groups
    for o in range(w.shape[0]):
        part = padded[:, o // outputs * each:(o // outputs + 1) * each]
        for place in np.ndindex(*sizes):
            box = tuple(slice(p * s, p * s + d * (k - 1) + 1, d) for p, s, d, k in zip(place, stride, dilation, w.shape[2:]))
            result[(slice(None), o) + place] = (part[(slice(None), slice(None)) + box] * w[o]).sum(axis=tuple(range(1, x.ndim)))
    if bias is not None:
        result += bias.reshape(-1, *[1] * rank)
    return result.astype(x.dtype)


def check_convolution():
    cases = [  # input, weight, stride, dilation, low, high, groups
        ((2, 3, 7, 6), (4, 3, 3, 3), None, None, [1, 1], [1, 1], 1),
        ((1, 3, 7, 6), (4, 3, 3, 2), [2, 1], [1, 2], [0, 2], [2, 1], 1),
        ((2, 4, 9), (6, 2, 3), [2], [2], [3], [0], 2),
        ((2, 4, 9), (4, 1, 3), None, None, [1], [1], 4),
        ((1, 4, 5, 5), (8, 1, 3, 3), [2, 2], None, [1, 1], [1, 1], 4),
        ((2, 2, 3, 4, 5), (3, 2, 2, 2, 3), [1, 2, 2], None, [1, 0, 1], [0, 1, 1], 1),
        ((1, 4, 3, 4, 5), (4, 2, 2, 1, 3), None, None, None, None, 2),
        ((2, 4, 3, 4, 5), (4, 1, 2, 2, 3), None, None, None, None, 4),
        ((2, 5, 4, 3), (3, 5, 1, 1), None, None, None, None, 1),
        ((1, 5, 4, 3), (3, 5, 1, 1), None, None, None, None, 1),
        ((2, 6, 4, 3), (4, 3, 1, 1), None, None, None, None, 2),
        ((2, 5, 5, 3), (3, 5, 1, 1), [2, 2], None, None, None, 1),
        ((1, 1, 1), (1, 1, 1), None, None, None, None, 1),
        ((0, 2, 4), (3, 2, 3), None, None, [1], [1], 1),
        ((1, 1, 8, 8), (2, 1, 5, 5), None, None, [4, 4], [4, 4], 1),
    ]
    for i, (shape, kernel, stride, dilation, low, high, groups) in enumerate(cases):
        words = words_of(stride=stride, dilation=dilation, low=low, high=high, groups=groups if groups > 1 else None)
        for dtype in ("f32", "f16", "i32") if i < 4 else ("f32",):
            x, w, bias = whole(*shape, dtype=dtype), whole(*kernel, dtype=dtype), whole(kernel[0], dtype=dtype)
            inputs = [x, w] + [bias] * (i % 2)
            expected = convolution(x, w, stride, dilation, low, high, groups, bias if i % 2 else None)
            both(("convolution", words), inputs, expected, range(2, len(shape)))
    run(("convolution", ""), [whole(1, 2, 2), whole(3, 2, 3)], None, (0, 2))
    run(("convolution", "low = [3] high = [3]"), [whole(1, 2, 0), whole(3, 2, 3)], None, (0, 2))
    x, w = whole(2, 4, 5), whole(2, 2, 3)
    run(("convolution", "groups = 2"), [x, w], convolution(x, w, None, None, None, None, 2), (1,))
    run(("convolution", "groups = 2"), [whole(2, 5, 5), w], None, (1,))


def check_wide_convolution():
    """Many windows of many outputs, whose product reads them from the input on the CPU."""
    cases = [  # input, weight, stride, dilation, low, high, groups
        ((2, 3, 17, 40), (17, 3, 3, 3), None, None, [1, 1], [1, 1], 1),
        ((1, 40, 27, 41), (16, 40, 3, 3), None, [2, 1], [2, 0], [0, 2], 1),
        ((3, 4, 21, 70), (34, 2, 2, 3), [1, 2], None, [0, 3], [1, 4], 2),
        ((2, 2, 600), (16, 2, 5), None, [3], [40], [40], 1),
        ((1, 2, 5, 6, 37), (20, 2, 2, 3, 4), None, None, [1, 0, 3], [0, 1, 1], 1),
        ((2, 2, 33, 33), (200, 2, 2, 2), None, None, [0, 1], [0, 0], 1),
        ((4, 1, 48, 48), (200, 1, 1, 2), None, None, [0, 1], [0, 0], 1),
        # No window is outside of the input.
        ((1, 3, 34, 40), (16, 3, 3, 3), None, None, None, None, 1),
    ]
    for i, (shape, kernel, stride, dilation, low, high, groups) in enumerate(cases):
        words = words_of(stride=stride, dilation=dilation, low=low, high=high, groups=groups if groups > 1 else None)
        for dtype in ("f32", "f16", "i32", "i64") if i < 1 else ("f32",):
            x, w, bias = whole(*shape, dtype=dtype), whole(*kernel, dtype=dtype), whole(kernel[0], dtype=dtype)
            expected = convolution(x, w, stride, dilation, low, high, groups, bias)
            run(("convolution", words), [x, w, bias], expected)
            run(("convolution", words), [x, w, bias], expected, (0,), (0,))


def transposed(x, w, stride, dilation, low, high, extra, groups, bias=None):
    rank = x.ndim - 2
    stride, dilation, extra = stride or [1] * rank, dilation or [1] * rank, extra or [0] * rank
    low, high = low or [0] * rank, high or [0] * rank
    full = [(n - 1) * s + d * (k - 1) + 1 + e for n, s, d, k, e in zip(x.shape[2:], stride, dilation, w.shape[2:], extra)]
    each, outputs = x.shape[1] // groups, w.shape[1]
    result = np.zeros((x.shape[0], outputs * groups, *full))
    for n, c in itertools.product(range(x.shape[0]), range(x.shape[1])):
        group = c // each
        for place in np.ndindex(*x.shape[2:]):
            box = tuple(slice(p * s, p * s + d * (k - 1) + 1, d) for p, s, d, k in zip(place, stride, dilation, w.shape[2:]))
            result[(n, slice(group * outputs, (group + 1) * outputs)) + box] += float(x[(n, c) + place]) * w[c]
    if bias is not None:
        result += bias.reshape(-1, *[1] * rank)
    return result[(slice(None), slice(None)) + tuple(slice(l, f - h) for l, f, h in zip(low, full, high))].astype(x.dtype)


def check_transposed():
    cases = [
        ((2, 3, 4, 3), (3, 2, 3, 3), [2, 2], None, [1, 1], [1, 1], [1, 1], 1),
        ((1, 4, 5), (4, 3, 3), [3], [2], [0], [2], [2], 2),
        ((2, 4, 5), (4, 1, 4), [2], None, [1], [1], None, 4),
        ((2, 4, 5), (4, 2, 2), None, None, None, None, None, 4),
        ((1, 2, 2, 3, 2), (2, 2, 2, 2, 3), [2, 1, 2], None, [0, 1, 0], [1, 0, 2], None, 1),
        ((2, 3, 4), (3, 2, 1), None, None, None, None, None, 1),
        ((1, 2, 3), (2, 2, 3), None, None, [2], [2], None, 1),
        # Every phase has as many taps; a window of one tap; steps beyond the window.
        ((2, 3, 4, 3), (3, 2, 4, 2), [2, 2], None, [1, 0], [1, 0], None, 1),
        ((2, 3, 4, 3), (3, 2, 2, 2), [2, 2], None, None, None, None, 1),
        ((2, 4, 4, 3), (4, 2, 2, 1), [5, 3], None, [1, 0], [0, 2], [4, 1], 2),
        ((2, 3, 4), (3, 2, 1), [3], None, [1], None, [2], 1),
        # Steps in one dimension alone; more padding than a step; one element.
        ((2, 3, 4, 3), (3, 2, 3, 3), [1, 3], None, [1, 1], [1, 1], [0, 2], 1),
        ((1, 2, 6), (2, 3, 5), [3], None, [7], [8], None, 1),
        ((1, 2, 1), (2, 3, 5), [3], None, [3], [1], [1], 1),
        # Dilations with and without a common divisor with the stride, more than it, and too many phases.
        ((2, 2, 5), (2, 3, 4), [3], [2], [2], [1], [1], 1),
        ((2, 2, 5), (2, 3, 4), [2], [3], [2], [3], [2], 1),
        ((1, 2, 4, 3), (2, 3, 3, 2), [4, 2], [2, 2], [1, 0], [0, 1], [3, 0], 1),
        ((1, 2, 3, 2), (2, 2, 5, 5), [5, 5], [2, 3], [1, 4], [2, 0], [1, 2], 1),
        # Groups of one channel with several outputs, in 3 dimensions; no images.
        ((2, 2, 3, 2, 2), (2, 3, 3, 3, 2), [2, 2, 3], None, [1, 0, 0], [1, 1, 0], [1, 0, 1], 2),
        ((1, 4, 3, 2, 2), (4, 2, 2, 3, 2), [2, 2, 2], None, [0, 1, 0], None, None, 2),
        ((0, 2, 4), (2, 3, 3), [2], None, [1], [1], [1], 1),
    ]
    for i, (shape, kernel, stride, dilation, low, high, extra, groups) in enumerate(cases):
        words = words_of(stride=stride, dilation=dilation, low=low, high=high, output_padding=extra,
                         groups=groups if groups > 1 else None)
        for dtype in ("f32", "f16", "i32") if i < 2 else ("f32",):
            x, w, bias = whole(*shape, dtype=dtype), whole(*kernel, dtype=dtype), whole(kernel[1] * groups, dtype=dtype)
            inputs = [x, w] + [bias] * (i % 2)
            expected = transposed(x, w, stride, dilation, low, high, extra, groups, bias if i % 2 else None)
            both(("conv_transpose", words), inputs, expected, range(2, len(shape)))
    # What is infinite reaches the elements that it is multiplied for, and no others.
    x, w = whole(1, 2, 5), np.abs(whole(2, 3, 3)) + 1
    x[0, 1, 2] = np.inf
    expected = transposed(x, w, [2], None, [1], None, None, 1)
    assert np.isfinite(expected).any() and not np.isnan(expected).any()
    run(("conv_transpose", "stride = [2] low = [1]"), [x, w], expected)


#===-- pooling -------------------------------------------------------------------===#

def pooled(x, window, stride, dilation, low, high, ceil, mean, counts_padding):
    rank = len(window)
    stride, dilation = stride or [1] * rank, dilation or [1] * rank
    low, high = low or [0] * rank, high or [0] * rank
    lead, from_ = x.shape[:-rank], x.shape[-rank:]
    sizes = []
    for n, k, s, d, l, h in zip(from_, window, stride, dilation, low, high):
        rest = n + l + h - d * (k - 1) - 1
        size = (-(-rest // s) if ceil else rest // s) + 1
        sizes.append(size - (ceil and (size - 1) * s >= n + l))
    result = np.zeros((*lead, *sizes))
    for place in np.ndindex(*sizes):
        values, number = [], 0
        for k in np.ndindex(*window):
            at = [p * s - l + i * d for p, s, l, i, d in zip(place, stride, low, k, dilation)]
            if all(0 <= a < n for a, n in zip(at, from_)):
                values.append(x[(...,) + tuple(at)].astype(float))
            number += all(-l <= a < n + h for a, l, n, h in zip(at, low, from_, high))
        if mean:
            divisor = number if counts_padding else len(values)
            result[(...,) + place] = sum(values, np.zeros(lead)) / divisor if divisor else np.nan
        elif values:
            result[(...,) + place] = np.max(values, axis=0)
        else:
            result[(...,) + place] = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return nearest(result) if mean and x.dtype == np.int8 else result.astype(x.dtype)


def nearest(numbers):
    """i8: ties to even, limited; 0 for what is no number."""
    return np.nan_to_num(np.clip(np.rint(numbers), -128, 127)).astype(np.int8)


def spread(*shape):
    """i8 from end to end."""
    return random.integers(-128, 128, shape).astype(np.int8)


def check_pooling():
    cases = [  # input, window, stride, dilation, low, high
        ((2, 3, 7, 6), [3, 3], [2, 2], None, [1, 1], [1, 1]),
        ((2, 3, 9), [2], [2], None, None, None),
        ((1, 2, 5, 6, 7), [2, 3, 2], [2, 2, 3], None, [1, 0, 1], [0, 2, 1]),
        ((3, 8), [3], [2], [2], [2], [4]),
        ((5,), [2], None, None, None, None),
        ((1, 1, 1, 1), [1, 1], None, None, None, None),
        ((1, 2, 1), [2], None, [2], [1], [2]),
        ((0, 3, 6), [3], [3], None, [1], [1]),
    ]
    for shape, window, stride, dilation, low, high in cases:
        rank = len(window)
        for ceil in (False, True):
            words = f"window = {window} " + words_of(stride=stride, dilation=dilation, low=low, high=high) + " ceil_mode" * ceil
            changed = range(max(1, len(shape) - rank), len(shape))
            for dtype in ("f32", "f16", "i32"):
                x = whole(*shape, dtype=dtype)
                both(("maxpool", words), [x], pooled(x, window, stride, dilation, low, high, ceil, False, False), changed)
            for counts in (True, False):
                x = whole(*shape)
                both(("avgpool", words + (" count_include_pad = false" if not counts else "")), [x],
                     pooled(x, window, stride, dilation, low, high, ceil, True, counts), changed, rtol=1e-6)
                x = spread(*shape)
                both(("avgpool", words + (" count_include_pad = false" if not counts else "")), [x],
                     pooled(x, window, stride, dilation, low, high, ceil, True, counts), changed)
    ends = np.array([[127, 127, -128, -128, 1, 2, -1, -2, 0, 1, 2, 3, 127, -128]], np.int8)
    run(("avgpool", "window = [2] stride = [2]"), [ends], np.array([[127, -128, 2, -2, 0, 2, 0]], np.int8))
    # A sum that 16 bits do not hold; a window of the padding alone.
    run(("avgpool", "window = [400]"), [np.full((1, 400), 127, np.int8)], np.array([[127]], np.int8))
    run(("avgpool", "window = [2] dilation = [2] low = [1] high = [1] count_include_pad = false"), [ends[:, :1]], np.array([[0]], np.int8))
    run(("maxpool", "window = [3]"), [whole(1, 2, 2)], None, (0, 2))


#===-- norms ---------------------------------------------------------------------===#

def normalized(x, axes, eps):
    x = x.astype(float)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def check_norms():
    for shape, groups in (((2, 6, 5), 3), ((2, 4), 2), ((1, 8, 3, 3), 1), ((3, 4, 2, 2, 2), 4), ((0, 4, 3), 2)):
        x = random.standard_normal(shape).astype(np.float32)
        vectors = [random.standard_normal(shape[1]).astype(np.float32) for _ in range(3)]
        wide = [v.reshape(-1, *[1] * (len(shape) - 2)) for v in vectors]
        variance = np.abs(vectors[2]) + np.float32(0.1)
        near = {"rtol": 2e-5, "atol": 2e-5}
        changed = range(2, len(shape))
        split = x.reshape(shape[0], groups, -1) if x.size else x.reshape(shape)
        grouped = normalized(split, -1, 1e-5).reshape(shape) if x.size else x
        both(("group_norm", f"groups = {groups} eps = 1.0e-5"), [x, *vectors[:2]], (grouped * wide[0] + wide[1]).astype(np.float32),
             changed, **near)
        if len(shape) > 2:
            alone = normalized(x, tuple(range(2, len(shape))), 1e-5) * wide[0] + wide[1]
            both(("instance_norm", "eps = 1.0e-5"), [x, *vectors[:2]], alone.astype(np.float32), changed, **near)
        given = (x - wide[2]) / np.sqrt(variance.reshape(wide[0].shape) + 1e-3) * wide[0] + wide[1]
        both(("batch_norm", "eps = 1.0e-3"), [x, vectors[2], variance, *vectors[:2]], given.astype(np.float32), changed, **near)


#===-- resize --------------------------------------------------------------------===#

def keys(distance, a=-0.75):
    d = abs(distance)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def resized(x, axis, size, scale, mode, coordinates):
    from_ = x.shape[axis]
    scale = scale if scale else size / from_
    parts = []
    for i in range(size):
        at = {"half_pixel": (i + 0.5) / scale - 0.5, "asymmetric": i / scale,
              "align_corners": i * (from_ - 1) / (size - 1) if size > 1 else 0.0}[coordinates]
        taps = {"linear": [(k, max(0.0, 1 - abs(at - k))) for k in range(int(np.floor(at)), int(np.floor(at)) + 2)],
                "cubic": [(k, keys(at - k)) for k in range(int(np.floor(at)) - 1, int(np.floor(at)) + 3)],
                "nearest": [(int(np.floor(at + (0.5 if coordinates == "half_pixel" else 0) + 1e-9)), 1.0)]}[mode]
        parts.append(sum(np.take(x, min(max(k, 0), from_ - 1), axis=axis).astype(float) * weight for k, weight in taps))
    return np.stack(parts, axis) if parts else np.zeros([size if i == axis else n for i, n in enumerate(x.shape)])


def check_resize():
    for mode, coordinates in itertools.product(("nearest", "linear", "cubic"), ("half_pixel", "asymmetric", "align_corners")):
        if (mode, coordinates) == ("nearest", "align_corners"):
            continue
        for shape, sizes, scales in (((1, 2, 5, 4), [-1, -1, 8, 3], None), ((2, 3, 4), None, [1.0, 1.0, 2.5]),
                                     ((2, 3, 6), [-1, -1, 1], None), ((1, 1, 1), [1, 1, 4], None),
                                     ((2, 7, 3), None, [1.0, 0.3, 1.0 / 3.0])):
            x = whole(*shape)
            expected = x.astype(float)
            for axis, size in enumerate(shape):
                to = int(size * scales[axis] + 1e-9) if scales else size if sizes[axis] == -1 else sizes[axis]
                if to != size:
                    expected = resized(expected, axis, to, scales and scales[axis], mode, coordinates)
            expected = expected.astype(np.float32)
            listed = f"to {sizes}" if sizes else f"scales = {scales}"
            words = f'{listed} mode = "{mode}" coordinates = "{coordinates}"'
            near = {"rtol": 1e-5, "atol": 1e-5}
            run(("resize", words), [x], expected, **near)
            kept = [i for i in range(len(shape)) if sizes and sizes[i] == -1]
            moved = range(len(shape)) if scales else kept
            run(("resize", words), [x], expected, tuple(range(len(shape))), tuple(moved), **near)
            if mode != "nearest":
                check_resize_of_bytes(words, spread(*shape), sizes, scales, mode, coordinates, tuple(moved))


def check_resize_of_bytes(words, x, sizes, scales, mode, coordinates, moved):
    """One rounding, at the end: half from the exact number, and what f32 adds."""
    expected = x.astype(float)
    for axis, size in enumerate(x.shape):
        to = int(size * scales[axis] + 1e-9) if scales else size if sizes[axis] == -1 else sizes[axis]
        if to != size:
            expected = resized(expected, axis, to, scales and scales[axis], mode, coordinates)
    expected = np.clip(expected, -128, 127)
    run(("resize", words), [x], expected, atol=0.5001)
    run(("resize", words), [x], expected, tuple(range(x.ndim)), moved, atol=0.5001)


def check_bytes_of_resize():
    """Weights that f32 holds: ties to even, and what cubic adds beyond the ends."""
    for mode, size in (("linear", 16), ("cubic", 16), ("linear", 4), ("cubic", 4)):
        for row in ([0, 1, 2, 3, -1, -2, -3, -4], [1, 2, 5, 2, 3, 6, 7, 10], [127, -128, -128, 127, 127, -128, 127, 127]):
            x = np.array([row], np.int8)
            expected = nearest(resized(x, 1, size, None, mode, "half_pixel"))
            both(("resize", f'to [-1, {size}] mode = "{mode}"'), [x], expected, ())


os.makedirs(FOLDER, exist_ok=True)
CHECKS = [check_convolution, check_wide_convolution, check_transposed, check_pooling, check_norms, check_resize, check_bytes_of_resize]
for check in CHECKS:
    if len(sys.argv) < 4 or sys.argv[3] in check.__name__:
        check()
print("\n".join(failures))
print(f"{count} cases, {len(failures)} failures")
sys.exit(bool(failures))
