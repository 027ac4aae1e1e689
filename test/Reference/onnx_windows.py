"""ONNX's operations that have windows or interpolate, in trace: a part of onnx_table.py."""
import fractions

import numpy as np

from onnx_lines import NeedsNumbers


def spatial(p, x, window, transposed=False):
    """stride, dilation, low and high of a window over the last dimensions of x."""
    rank = len(window)
    stride, dilation = (list(p.attribute(name, [1] * rank)) for name in ("strides", "dilations"))
    pads = list(p.attribute("pads", [0] * 2 * rank))
    low, high, mode = pads[:rank], pads[rank:], p.attribute("auto_pad", "NOTSET")
    if mode.startswith("SAME"):
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, window)]
        sizes = [p.size(x, x.rank - rank + i) for i in range(rank)]
        if not all(isinstance(size, int) for size in sizes):
            raise NeedsNumbers
        if transposed:
            total = [(n - 1) * s + r - n * s for n, s, r in zip(sizes, stride, reach)]
        else:
            total = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(sizes, stride, reach)]
        less, more = [t // 2 for t in total], [t - t // 2 for t in total]
        low, high = (less, more) if mode == "SAME_UPPER" else (more, less)
    return {"stride": stride, "dilation": dilation, "low": low, "high": high}


def pool(name):
    def lines(p):
        x, window = p.x(), list(p.attribute("kernel_shape"))
        exclude = {"exclude": not p.attribute("count_include_pad", 0)} if name == "avgpool" else {}
        return p.op(name, [x], {"window": window, **spatial(p, x, window), "ceil": bool(p.attribute("ceil_mode", 0)), **exclude})
    return lines


def conv(p, x=None, w=None):
    x, w, bias = x or p.x(0), w or p.x(1), [p.x(2)] if p.has(2) and p.case.op == "Conv" else []
    return p.convolution(x, w, *bias, groups=p.attribute("group", 1), **spatial(p, x, w.shape[2:]))


def conv_transpose(p):
    """output_shape says the size of the result; what it has more than the windows reach is output_padding."""
    x, w = p.x(0), p.x(1)
    window, rank = w.shape[2:], w.rank - 2
    places, more = spatial(p, x, window, True), list(p.attribute("output_padding", [0] * rank))
    if p.attribute("output_shape"):
        for i, size in enumerate(p.attribute("output_shape")):
            reach = (x.shape[2 + i] - 1) * places["stride"][i] + places["dilation"][i] * (window[i] - 1) + 1 + more[i]
            places["high"][i] = max(reach - size, 0) // 2
            places["low"][i] = max(reach - size, 0) - places["high"][i]
            more[i] += max(size - reach, 0)
    return p.conv_transpose(x, w, groups=p.attribute("group", 1), output_padding=more, **places)


def unpool(p):
    """Each element goes to its place in the flattened result."""
    x, index, window = p.x(0), p.x(1), p.attribute("kernel_shape")
    sizes = [*x.shape[:2], *((n - 1) * s + k for n, s, k in zip(x.shape[2:], p.attribute("strides"), window))]
    zeros = p.full(sizes=[int(np.prod(sizes))], value=0, dtype=x.dtype)
    found = p.reshape(p.scatter(zeros, index, x, dim=0), sizes=sizes)
    to = p.numbers(2, sizes)
    return p.pad(found, low=[0] * len(to), high=[b - a for a, b in zip(sizes, to)], value=0, dtype=x.dtype)


def channel_norm(p):
    """LRN: divided by a power of the sum of squares of neighbouring channels."""
    x, size = p.x(), p.attribute("size")
    n = p.size(x, 1)
    if not isinstance(n, int):
        raise NeedsNumbers
    low, high = ([0, side] + [0] * (x.rank - 2) for side in ((size - 1) // 2, size // 2))
    squares = p.pad(p.mul(x, x), low=low, high=high, value=0, dtype=x.dtype)
    total = None
    for i in range(size):
        starts, stops = [0, i] + [0] * (x.rank - 2), [2**62, n + i] + [2**62] * (x.rank - 2)
        part = p.slice(squares, starts=starts, stops=stops, steps=[1] * x.rank)
        total = part if total is None else p.add(total, part)
    base = p.add(p.mul(total, p.number(p.attribute("alpha", 1e-4) / size, x.dtype)), p.number(p.attribute("bias", 1.0), x.dtype))
    return p.div(x, p.pow(base, p.number(p.attribute("beta", 0.75), x.dtype)))


def whole_dims(p, name):
    return p.op(name, [p.x()], {"dims": list(range(2, p.x().rank)), "keepdim": True})


def halfway(x, sizes):
    """Whether some position of a result of `sizes` is as near to two elements of x."""
    return any(((i + fractions.Fraction(1, 2)) * n / m).denominator == 1 for n, m in zip(x.shape, sizes) if n != m for i in range(m))


def resize(p):
    """pytorch_half_pixel is half_pixel but for a dimension that gets one element, which is the input's first.

    Of two elements that are as near, trace.resize takes the second and ONNX the first: the same in the other order."""
    x, mode, coordinates = p.x(0), p.attribute("mode", "nearest"), p.attribute("coordinate_transformation_mode", "half_pixel")
    scales, sizes = p.numbers(2), p.numbers(3)
    if coordinates == "pytorch_half_pixel":
        coordinates = "half_pixel"
        stops = [1 if size == 1 else 2**62 for size in sizes]
        x = p.slice(x, starts=[0] * x.rank, stops=stops, steps=[1] * x.rank)
    to = {"scales": scales} if scales else {"sizes": sizes}
    if mode == "nearest" and sizes and halfway(x, sizes):
        dims = list(range(x.rank))
        return p.flip(p.resize(p.flip(x, dims=dims), mode=mode, coordinates=coordinates, **to), dims=dims)
    return p.resize(x, mode=mode, coordinates=coordinates, **to)


def cosine_window(*weights):
    """weights[0] - weights[1] cos(2 pi n / N) + weights[2] cos(4 pi n / N) ... ONNX's definition has 3.1415 for pi."""
    def lines(p):
        size = p.numbers(0)
        step = 2 * 3.1415 / (size if p.attribute("periodic", 1) else size - 1)
        n, found = p.iota(sizes=[size], dim=0, dtype="f32"), p.number(weights[0], "f32")
        for k, weight in enumerate(weights[1:], 1):
            term = p.cos(p.mul(n, p.number(k * step, "f32")))
            found = p.add(found, p.mul(term, p.number(weight * (-1)**k, "f32")))
        return found
    return lines


WINDOWS = {"AveragePool": pool("avgpool"), "MaxPool": pool("maxpool"), "Conv": conv, "ConvTranspose": conv_transpose,
           "MaxUnpool": unpool, "LRN": channel_norm, "Resize": resize,
           "GlobalAveragePool": lambda p: whole_dims(p, "mean"), "GlobalMaxPool": lambda p: whole_dims(p, "max"),
           "Upsample": lambda p: p.resize(p.x(0), scales=p.numbers(1), mode="nearest", coordinates="asymmetric"),
           "HannWindow": cosine_window(0.5, 0.5), "HammingWindow": cosine_window(25 / 46, 21 / 46),
           "BlackmanWindow": cosine_window(0.42, 0.5, 0.08)}
