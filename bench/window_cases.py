"""Benchmark cases of convolutions, pooling, resize and norms over channels."""
from cases import Case, Input


def convolution_case(batch, channels, size, outputs, window, stride=1):
    pad, to = window // 2, size // stride
    x, y = Input("x", (batch, channels, size, size)), Input("y", (batch, outputs, to, to))
    w = Input("w", (outputs, channels, window, window), scale=(channels * window**2)**-.5)

    def fn(lib, x, w):
        return lib.nn.functional.conv2d(x, w, stride=stride, padding=pad)
    return Case("windows", f"conv_{batch}x{channels}x{size}x{size}_to_{outputs}_k{window}_s{stride}_f16", [x, w], y, f"""
        %y = trace.convolution %x, %w stride = [{stride}, {stride}] low = [{pad}, {pad}] high = [{pad}, {pad}] : ({x.type}, {w.type}) -> {y.type}""",
                fn, flops=2 * batch * outputs * to**2 * channels * window**2, tags={"issue"})


def maxpool_case():
    x, y = Input("x", (32, 64, 112, 112)), Input("y", (32, 64, 56, 56))
    return Case("windows", "maxpool_32x64x112x112_k3_s2_f16", [x], y, f"""
        %y = trace.maxpool %x window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] : ({x.type}) -> {y.type}""",
                lambda lib, x: lib.nn.functional.max_pool2d(x, 3, 2, 1), tags={"issue"})


def resize_case():
    x, y = Input("x", (2, 320, 64, 64)), Input("y", (2, 320, 128, 128))
    return Case("windows", "resize_linear_2x320x64x64_to_128x128_f16", [x], y, f"""
        %y = trace.resize %x to [-1, -1, 128, 128] mode = "linear" : ({x.type}) -> {y.type}""",
                lambda lib, x: lib.nn.functional.interpolate(x, size=(128, 128), mode="bilinear"), tags={"issue"})


def group_norm_case():
    x, w, b = Input("x", (2, 320, 64, 64)), Input("w", (320,)), Input("b", (320,))
    return Case("windows", "group_norm_2x320x64x64_f16", [x, w, b], Input("y", x.shape), f"""
        %y = trace.group_norm %x, %w, %b groups = 32 eps = 1.0e-5 : ({x.type}, {w.type}, {b.type}) -> {x.type}""",
                lambda lib, x, w, b: lib.nn.functional.group_norm(x, 32, w, b, 1e-5), tags={"issue"})


def window_cases():
    return [convolution_case(32, 64, 56, 64, 3), convolution_case(32, 256, 14, 256, 3), convolution_case(2, 320, 64, 320, 3),
            convolution_case(32, 3, 224, 64, 7, stride=2), maxpool_case(), resize_case(), group_norm_case()]
