"""The benchmark cases: one row each, with the program that Tripy compiles.

Used by harness.py and by utils/gpu-bundle. A case has inputs, the program's
text, and how a peer says the same: functions of (library, *inputs), where
library is torch or jax.numpy. `python3 cases.py FOLDER` writes the programs.
"""
import dataclasses
import math
import os
import sys
from dataclasses import dataclass, field
from typing import Callable, List, Optional

BYTES = {"f32": 4, "f16": 2, "bf16": 2, "f8E4M3FN": 1, "i32": 4, "i64": 8}


@dataclass
class Input:
    name: str
    shape: tuple
    dtype: str = "f16"
    scale: float = 1.0
    # Integers: uniform in [0, below).
    below: int = 0

    @property
    def type(self):
        return f"tensor<{'x'.join(map(str, (*self.shape, self.dtype)))}>"

    @property
    def bytes(self):
        return math.prod(self.shape) * BYTES[self.dtype]


@dataclass
class Case:
    group: str
    name: str
    inputs: List[Input]
    output: Input
    # Lines of the program, ending in the value %y; None where Tripy lacks the
    # operation.
    body: Optional[str]
    # torch: called as torch_fn(torch, *inputs). Also the float64 reference.
    torch: Callable
    jax: Optional[Callable] = None
    flops: int = 0
    # Bytes that count as moved; default: all inputs and the output.
    moved: int = 0
    # (M, N, K, batch): what cuBLASLt computes, as inputs[0] times inputs[1]^T,
    # or as stored when a letter of `layout` is 't' for A, 'n' for B.
    gemm: Optional[tuple] = None
    layout: str = "nt"
    # Largest error, relative to the reference's typical size.
    tolerance: float = 4e-3
    tf32: bool = False
    tags: set = field(default_factory=set)
    # Of a peer, where one computes with fewer digits by design; 0: the same.
    peer_tolerance: float = 0.0
    # The output is the place of a largest element of each row of the first input: ties make several of them right.
    is_place: bool = False

    @property
    def outputs(self):
        return [self.output]

    @property
    def executable(self):
        """The name of its program."""
        return self.name

    @property
    def static_program(self):
        """Of a case that runs a program with dynamic sizes: the program for these sizes alone."""
        return None

    @property
    def bytes(self):
        return self.moved or sum(i.bytes for i in self.inputs) + self.output.bytes

    @property
    def has_product(self):
        """Whether there may be a product for a library, or a tile to choose."""
        return bool(self.flops or self.gemm)

    @property
    def program(self):
        if self.body is None:
            return None
        arguments = ",\n    ".join(f'%{i.name}: {i.type} {{tripy.name = "{i.name}"}}' for i in self.inputs)
        lines = "\n".join("  " + line.strip() for line in self.body.strip().splitlines())
        return (f"func.func @main({arguments})\n    -> ({self.output.type} {{tripy.name = \"y\"}}) {{\n"
                f"{lines}\n  return %y : {self.output.type}\n}}\n")


def tensor(dtype, *shape):
    return Input("", shape, dtype).type


def gelu(lib, x):
    if lib.__name__ == "torch":
        return lib.nn.functional.gelu(x, approximate="tanh")
    import jax
    return jax.nn.gelu(x)


def silu(lib, x):
    if lib.__name__ == "torch":
        return lib.nn.functional.silu(x)
    import jax
    return jax.nn.silu(x)


def linear(lib, x, w, b=None):
    if lib.__name__ == "torch":
        return lib.nn.functional.linear(x, w, b)
    y = lib.matmul(x, w.T)
    return y if b is None else y + b


def softmax(lib, x):
    if lib.__name__ == "torch":
        return lib.softmax(x, -1)
    import jax
    return jax.nn.softmax(x, -1)


def layer_norm(lib, x, w, b):
    if lib.__name__ == "torch":
        return lib.nn.functional.layer_norm(x, (x.shape[-1],), w, b, 1e-5)
    import jax
    f = x.astype("float32")
    mean = f.mean(-1, keepdims=True)
    var = ((f - mean) ** 2).mean(-1, keepdims=True)
    return ((f - mean) * jax.lax.rsqrt(var + 1e-5) * w + b).astype(x.dtype)


def rms_norm(lib, x, w):
    if lib.__name__ == "torch":
        return lib.nn.functional.rms_norm(x, (x.shape[-1],), w, 1e-5)
    import jax
    f = x.astype("float32")
    return (f * jax.lax.rsqrt((f * f).mean(-1, keepdims=True) + 1e-5) * w).astype(x.dtype)


def permute(lib, x, order):
    if lib.__name__ == "torch":
        return x.permute(order).contiguous()
    return lib.transpose(x, order) + lib.zeros((), x.dtype)


def elementwise(name, text, dtypes, shape, out, fn, tags=("elementwise",), bias=False):
    """`text`: the program with {0}, {1} for the inputs' types and {y} for the output's."""
    names = ("a", "b", "c")
    inputs = [Input(names[i], shape if not (bias and i == 1) else shape[-1:], dtype)
              for i, dtype in enumerate(dtypes)]
    output = Input("y", shape, out)
    body = text.format(*[i.type for i in inputs], y=output.type)
    return Case("loop", name, inputs, output, body, fn, fn, tags=set(tags))


def loop_cases():
    wide, flat = (8192, 16384), (1 << 28,)
    return [
        elementwise("bias_gelu_8192x16384_f16",
                    "%s = trace.add %a, %b : ({0}, {1}) -> {y}\n%y = trace.gelu %s : ({y}) -> {y}",
                    ["f16", "f16"], wide, "f16", lambda lib, a, b: gelu(lib, a + b), bias=True,
                    tags=("elementwise", "issue")),
        elementwise("copy_scaled_256Mi_f32",
                    "%k = trace.full [] value = 0.5 : f32 -> tensor<f32>\n"
                    "%y = trace.mul %a, %k : ({0}, tensor<f32>) -> {y}",
                    ["f32"], flat, "f32", lambda lib, a: a * 0.5),
        elementwise("add_256Mi_f32", "%y = trace.add %a, %b : ({0}, {1}) -> {y}",
                    ["f32", "f32"], flat, "f32", lambda lib, a, b: a + b),
        elementwise("silu_mul_8192x16384_f16",
                    "%s = trace.silu %a : ({0}) -> {0}\n%y = trace.mul %s, %b : ({0}, {1}) -> {y}",
                    ["f16", "f16"], wide, "f16", lambda lib, a, b: silu(lib, a) * b),
        elementwise("cast_256Mi_f32_f16", "%y = trace.cast %a to f16 : ({0}) -> {y}",
                    ["f32"], flat, "f16", cast_f16),
        elementwise("relu_8192x16384_bf16", "%y = trace.relu %a : ({0}) -> {y}",
                    ["bf16"], wide, "bf16", lambda lib, a: lib.maximum(a, a * 0)),
        elementwise("exp_256Mi_f32", "%y = trace.exp %a : ({0}) -> {y}",
                    ["f32"], flat, "f32", lambda lib, a: lib.exp(a)),
    ]


def cast_f16(lib, a):
    if lib.__name__ == "torch":
        return a.to(lib.float16) if a.dtype == lib.float32 else a
    return a.astype("float16")


def row_case(name, shape, extra, line, fn, tags=("issue",)):
    x = Input("a", shape)
    inputs = [x] + [Input(n, shape[-1:]) for n in extra]
    types = ", ".join(i.type for i in inputs)
    body = f"%y = {line} : ({types}) -> {x.type}"
    return Case("row", name, inputs, Input("y", shape), body, fn, fn, tags=set(tags))


def row_cases():
    cases = []
    for rows, columns in ((8192, 8192), (131072, 1024), (512, 131072)):
        cases.append(row_case(f"softmax_{rows}x{columns}_f16", (rows, columns), "",
                              "trace.softmax %a dim = -1", softmax))
    for rows, columns in ((16384, 4096), (65536, 768)):
        cases.append(row_case(f"layer_norm_{rows}x{columns}_f16", (rows, columns), "wb",
                              "trace.layer_norm %a, %w, %b eps = 1.0e-5", layer_norm))
    cases.append(row_case("rms_norm_8192x8192_f16", (8192, 8192), "w",
                          "trace.rms_norm %a, %w eps = 1.0e-5", rms_norm))
    return cases


def reduce_cases():
    shape = (16384, 8192)
    x = Input("a", shape)

    def total(axis, size):
        return Case("row" if axis else "column", f"sum_{'last' if axis else 'first'}_16384x8192_f16", [x],
                    Input("y", (size,)),
                    f"%y = trace.sum %a dims = [{axis}] : ({x.type}) -> {tensor('f16', size)}",
                    lambda lib, a: a.sum(axis), lambda lib, a: a.sum(axis), tags={"issue"})
    return [total(1, 16384), total(0, 8192),
            Case("row", "argmax_last_16384x8192_f16", [x], Input("y", (16384,), "i32"),
                 f"%y = trace.argmax %a dim = 1 : ({x.type}) -> {tensor('i32', 16384)}",
                 lambda lib, a: a.argmax(-1), lambda lib, a: a.argmax(-1), tags={"issue"})]


def movement_cases():
    wide, four = Input("a", (8192, 16384)), Input("a", (32, 1024, 32, 128))
    turned, swapped = Input("y", (16384, 8192)), Input("y", (32, 32, 1024, 128))
    x = Input("a", (8192, 8192))
    half, big = Input("b", (4096, 16384)), Input("y", (8192, 16384))
    first = Input("a", (4096, 16384))
    cut = Input("y", (8192, 8192))
    table, rows = Input("w", (50304, 1024)), Input("i", (65536,), "i64", below=50304)
    return [
        Case("transpose", "transpose_8192x16384_f16", [wide], turned,
             f"%y = trace.permute %a [1, 0] : ({wide.type}) -> {turned.type}",
             lambda lib, a: permute(lib, a, (1, 0)), lambda lib, a: permute(lib, a, (1, 0)), tags={"issue"}),
        Case("transpose", "permute_0213_32x1024x32x128_f16", [four], swapped,
             f"%y = trace.permute %a [0, 2, 1, 3] : ({four.type}) -> {swapped.type}",
             lambda lib, a: permute(lib, a, (0, 2, 1, 3)), lambda lib, a: permute(lib, a, (0, 2, 1, 3)),
             tags={"issue"}),
        Case("scan", "cumsum_8192x8192_f16", [x], Input("y", x.shape),
             f"%y = trace.cumsum %a dim = 1 : ({x.type}) -> {x.type}",
             lambda lib, a: lib.cumsum(a, -1), lambda lib, a: lib.cumsum(a, -1), tags={"issue"}),
        Case("gather", "embedding_65536x1024_f16", [table, rows], Input("y", (65536, 1024)),
             f"%y = trace.embedding %w, %i : ({table.type}, {rows.type}) -> {tensor('f16', 65536, 1024)}",
             lambda lib, w, i: w[i], lambda lib, w, i: w[i], moved=4 * 65536 * 1024 + 8 * 65536, tags={"issue"}),
        Case("gather", "concat_256MB_f16", [first, half], big,
             f"%y = trace.concatenate %a, %b dim = 0 : ({first.type}, {half.type}) -> {big.type}",
             lambda lib, a, b: lib.cat([a, b]) if lib.__name__ == "torch" else lib.concatenate([a, b]),
             lambda lib, a, b: lib.concatenate([a, b]), tags={"issue"}),
        Case("gather", "slice_256MB_f16", [wide], cut,
             f"%y = trace.slice %a [0, 4096] to [8192, 12288] by [1, 1] : ({wide.type}) -> {cut.type}",
             lambda lib, a: a[:, 4096:12288] * 1, lambda lib, a: a[:, 4096:12288] * 1,
             moved=2 * cut.bytes, tags={"issue"}),
        Case("gather", "pad_256MB_f16", [x], big,
             f"%y = trace.pad %a low [0, 4096] high [0, 4096] value = 0.0 : f16 : ({x.type}) -> {big.type}",
             lambda lib, a: lib.nn.functional.pad(a, (4096, 4096)) if lib.__name__ == "torch"
             else lib.pad(a, ((0, 0), (4096, 4096))),
             lambda lib, a: lib.pad(a, ((0, 0), (4096, 4096))), tags={"issue"}),
    ]


def scaled_product(torch, a, b):
    """PyTorch's product of f8E4M3FN operands: f16, scales of 1."""
    if a.dtype == torch.float64:
        return a @ b.T
    if a.device not in ONES:
        ONES[a.device] = torch.ones((), device=a.device)
    one = ONES[a.device]
    return torch._scaled_mm(a, b.T, scale_a=one, scale_b=one, out_dtype=torch.float16)


# A scale for each device, made once: a graph of products has nothing else.
ONES = {}


def gemm_case(m, n, k, dtype="f16", group="gemm", layout="nt", tags=("issue",), tf32=False):
    """A row-major m x k (layout[0] == 't': stored k x m) times B^T, stored n x k ('n': k x n)."""
    is_f8 = dtype == "f8E4M3FN"
    out = "f16" if is_f8 else dtype
    a = Input("a", (k, m) if layout[0] == "t" else (m, k), dtype)
    b = Input("b", (k, n) if layout[1] == "n" else (n, k), dtype, scale=1.0 if is_f8 else k ** -0.5)
    y = Input("y", (m, n), out)
    lines, left = [], "%a"
    if layout[0] == "t":
        left = "%at"
        lines.append(f"%at = trace.permute %a [1, 0] : ({a.type}) -> {tensor(dtype, m, k)}")
    name = "matmul" if layout[1] == "n" else "linear"
    numbers = (" allow_tf32" if tf32 else "") + (f" dtype = {out}" if is_f8 else "")
    lines.append(f"%y = trace.{name} {left}, %b{numbers} : ({tensor(dtype, m, k)}, {b.type}) -> {y.type}")

    def fn(lib, a, b):
        return lib.matmul(a.T if layout[0] == "t" else a, b if layout[1] == "n" else b.T)
    kind = "tf32" if tf32 else "f8" if is_f8 else dtype
    name = f"gemm_{m}x{n}x{k}_{kind}" + ("" if layout == "nt" else f"_{layout}")
    tolerance = {"f16": 4e-3, "bf16": 3e-2, "f32": 4e-3 if tf32 else 2e-5}[out]
    return Case(group, name, [a, b], y, "\n".join(lines), scaled_product if is_f8 else fn, None if is_f8 else fn,
                flops=2 * m * n * k, gemm=(m, n, k, 1), layout=layout, tolerance=tolerance, tf32=tf32, tags=set(tags))


def gemm_cases():
    sizes = [(8192,) * 3, (4096,) * 3, (2048,) * 3, (1024,) * 3, (512,) * 3, (8192, 4096, 1024),
             (4096, 8192, 1024), (4096, 50304, 768), (16384, 1024, 4096), (128, 4096, 4096), (64, 4096, 4096),
             (16, 4096, 4096), (1, 4096, 4096), (1, 11008, 4096), (300, 3000, 6216), (4093,) * 3]
    cases = [gemm_case(*size) for size in sizes]
    for size in ((4096,) * 3, (8192, 4096, 1024), (128, 4096, 4096)):
        cases.append(gemm_case(*size, dtype="bf16"))
        cases.append(gemm_case(*size, layout="nn"))
        cases.append(gemm_case(*size, layout="tt"))
    # Few rows: bound by the matrix's way from memory, whichever way it lies; odd sizes; K or columns alone.
    for size in ((1, 1024, 4096), (1, 50304, 768), (1, 16, 65536), (1, 4093, 4093), (4096, 1, 4096)):
        cases.append(gemm_case(*size, tags=("gemv",)))
    for rows in (1, 4, 8):
        cases.append(gemm_case(rows, 4096, 4096, dtype="f32", tags=("gemv",)))
    # Columns of a vocabulary, and others that make rows no multiple of 16 bytes.
    for size in ((4096, 50257, 768), (512, 50257, 768), (4096, 50257, 1600), (4096, 4095, 1024), (8192, 1001, 4096)):
        cases.append(gemm_case(*size, tags=("unaligned",)))
    cases.append(gemm_case(1, 4096, 4096, layout="nn", tags=("gemv",)))
    cases.append(gemm_case(1, 11008, 4096, layout="nn", tags=("gemv",)))
    cases.append(gemm_case(1, 4096, 4096, dtype="bf16", tags=("gemv",)))
    a, b, y = Input("a", (64, 512, 64)), Input("b", (64, 64, 512), scale=0.125), Input("y", (64, 512, 512))
    cases.append(Case("gemm", "gemm_64x512x512x64_f16", [a, b], y,
                      f"%y = trace.matmul %a, %b : ({a.type}, {b.type}) -> {y.type}",
                      lambda lib, a, b: lib.matmul(a, b), lambda lib, a, b: lib.matmul(a, b),
                      flops=2 * 64 * 512 * 512 * 64, gemm=(512, 512, 64, 64), layout="nn", tags={"issue"}))
    cases.append(gemm_case(4096, 4096, 4096, "f32", "f32, tf32, f8"))
    cases.append(gemm_case(4096, 4096, 4096, "f32", "f32, tf32, f8", tf32=True))
    cases.append(gemm_case(4096, 4096, 4096, "f8E4M3FN", "f32, tf32, f8"))
    return cases


def mlp_case(rows):
    x, w1, b1 = Input("x", (rows, 1024)), Input("w1", (4096, 1024), scale=.03), Input("b1", (4096,))
    w2, b2 = Input("w2", (1024, 4096), scale=.02), Input("b2", (1024,))
    h, y = tensor("f16", rows, 4096), Input("y", (rows, 1024))

    def fn(lib, x, w1, b1, w2, b2):
        return linear(lib, gelu(lib, linear(lib, x, w1, b1)), w2, b2)
    return Case("blocks", f"mlp_{rows}x1024x4096_f16", [x, w1, b1, w2, b2], y, f"""
        %h = trace.linear %x, %w1, %b1 : ({x.type}, {w1.type}, {b1.type}) -> {h}
        %g = trace.gelu %h : ({h}) -> {h}
        %y = trace.linear %g, %w2, %b2 : ({h}, {w2.type}, {b2.type}) -> {y.type}""",
                fn, fn, flops=4 * rows * 1024 * 4096, tolerance=1e-2, tags={"issue"})


def prologue_case(name, columns, body, fn):
    """A linear layer of 1024 features of 8192 rows behind element-wise operations, which its kernel may compute."""
    x, s, n = Input("x", (8192, 1024)), Input("s", (8192, 1)), Input("n", (1024,))
    w, b, y = Input("w", (columns, 1024), scale=.03), Input("b", (columns,)), Input("y", (8192, columns))

    def behind(lib, x, s, n, w, b):
        return linear(lib, fn(lib, x, s, n), w, b)
    return Case("blocks", f"{name}_linear_8192x{columns}x1024_f16", [x, s, n, w, b], y,
                body.format(x=x.type, s=s.type, n=n.type) + f"""
        %y = trace.linear %l, %w, %b : ({x.type}, {w.type}, {b.type}) -> {y.type}""",
                behind, behind, flops=2 * 8192 * columns * 1024, tolerance=1e-2, tags={"prologue"})


def prologue_cases():
    scaled = """
        %0 = trace.mul %x, %s : ({x}, {s}) -> {x}
        %l = trace.mul %0, %n : ({x}, {n}) -> {x}"""
    activated = """
        %0 = trace.mul %x, %s : ({x}, {s}) -> {x}
        %1 = trace.add %0, %n : ({x}, {n}) -> {x}
        %2 = trace.sigmoid %1 : ({x}) -> {x}
        %l = trace.mul %1, %2 : ({x}, {x}) -> {x}"""

    def silu(lib, x, s, n):
        v = x * s + n
        return v / (1 + lib.exp(-v))
    return ([prologue_case("scaled", columns, scaled, lambda lib, x, s, n: x * s * n) for columns in (256, 1024, 4096)]
            + [prologue_case("silu", columns, activated, silu) for columns in (256, 1024)])


def block_cases():
    x, w, b = Input("x", (4096, 1280)), Input("w", (10240, 1280), scale=.03), Input("b", (10240,))
    p, y = tensor("f16", 4096, 10240), Input("y", (4096, 5120))

    def geglu(lib, x, w, b):
        value, gate = lib.split(linear(lib, x, w, b), 5120 if lib.__name__ == "torch" else 2, -1)
        return value * gelu(lib, gate)
    cases = [Case("blocks", "geglu_4096x1280x5120_f16", [x, w, b], y, f"""
        %p = trace.linear %x, %w, %b : ({x.type}, {w.type}, {b.type}) -> {p}
        %v, %g = trace.split %p dim = -1 sizes = [5120, 5120] : ({p}) -> ({y.type}, {y.type})
        %a = trace.gelu %g : ({y.type}) -> {y.type}
        %y = trace.mul %v, %a : ({y.type}, {y.type}) -> {y.type}""",
                  geglu, geglu, flops=2 * 4096 * 1280 * 10240, tolerance=1e-2, tags={"issue"}),
             mlp_case(8192), mlp_case(1)]
    x, n, m = Input("x", (8192, 1024)), Input("n", (1024,)), Input("m", (1024,))
    w, b, y = Input("w", (1024, 1024), scale=.03), Input("b", (1024,)), Input("y", (8192, 1024))

    def residual(lib, x, n, m, w, b):
        return x + linear(lib, layer_norm(lib, x, n, m), w, b)
    cases.append(Case("blocks", "norm_linear_residual_8192x1024_f16", [x, n, m, w, b], y, f"""
        %l = trace.layer_norm %x, %n, %m eps = 1.0e-5 : ({x.type}, {n.type}, {m.type}) -> {x.type}
        %h = trace.linear %l, %w, %b : ({x.type}, {w.type}, {b.type}) -> {x.type}
        %y = trace.add %x, %h : ({x.type}, {x.type}) -> {x.type}""",
                      residual, residual, flops=2 * 8192 * 1024 * 1024, tolerance=1e-2, tags={"issue"}))
    return cases


def swiglu_case(rows):
    """The feed-forward layer of a transformer that makes one token each for `rows` sequences."""
    x, w1, w2 = Input("x", (rows, 4096)), Input("w1", (22016, 4096), scale=.02), Input("w2", (4096, 11008), scale=.02)
    p, h, y = tensor("f16", rows, 22016), tensor("f16", rows, 11008), Input("y", (rows, 4096))

    def swiglu(lib, x, w1, w2):
        gate, value = lib.split(linear(lib, x, w1), 11008 if lib.__name__ == "torch" else 2, -1)
        return linear(lib, silu(lib, gate) * value, w2)
    return Case("blocks", f"swiglu_{rows}x4096x11008_f16", [x, w1, w2], y, f"""
        %p = trace.linear %x, %w1 : ({x.type}, {w1.type}) -> {p}
        %g, %v = trace.split %p dim = -1 sizes = [11008, 11008] : ({p}) -> ({h}, {h})
        %a = trace.silu %g : ({h}) -> {h}
        %m = trace.mul %a, %v : ({h}, {h}) -> {h}
        %y = trace.linear %m, %w2 : ({h}, {w2.type}) -> {y.type}""",
                swiglu, swiglu, flops=6 * rows * 4096 * 11008, tolerance=1e-2, tags={"decode"})


def attention_case(rows, along_k):
    """Scores of 4096 keys, or sums of their values, for 64 heads of 128 features, each with `rows` queries."""
    n, k = (4096, 128) if along_k else (128, 4096)
    a, y = Input("a", (64, rows, k)), Input("y", (64, rows, n))
    b = Input("b", (64, n, k) if along_k else (64, k, n), scale=k ** -.5)
    turned = f"%t = trace.permute %b [0, 2, 1] : ({b.type}) -> {tensor('f16', 64, k, n)}\n" if along_k else ""
    name = "%t" if along_k else "%b"

    def fn(lib, a, b):
        return lib.matmul(a, lib.swapaxes(b, 1, 2) if along_k else b)
    return Case("decode", f"{'scores' if along_k else 'values'}_64x{rows}x{n}x{k}_f16", [a, b], y,
                f"{turned}%y = trace.matmul %a, {name} : ({a.type}, {tensor('f16', 64, k, n)}) -> {y.type}",
                fn, fn, tags={"decode"})


def decode_cases():
    """Few rows: bound by the weights' way from memory, whichever way they lie."""
    sizes = [(rows, columns, k) for rows in (2, 4, 8, 16, 32)
             for columns, k in ((4096, 4096), (11008, 4096), (4096, 14336))]
    cases = [gemm_case(*size, layout=layout, tags=("decode",)) for size in sizes for layout in ("nt", "nn")
             if (*size, layout) != (16, 4096, 4096, "nt")]  # gemm_cases() has it
    cases += [gemm_case(rows, 4096, 4096, "f8E4M3FN", tags=("decode",)) for rows in (1, 4, 8)]
    # What counts is GB/s.
    return ([dataclasses.replace(case, group="decode", flops=0) for case in cases]
            + [attention_case(rows, along_k) for rows in (1, 4, 8) for along_k in (True, False)]
            + [swiglu_case(rows) for rows in (1, 4, 8, 32)])


def latency_cases():
    x, w1, b1 = Input("x", (1, 2), "f32"), Input("w1", (8, 2), "f32"), Input("b1", (8,), "f32")
    w2, b2, y = Input("w2", (2, 8), "f32"), Input("b2", (2,), "f32"), Input("y", (1, 2), "f32")
    h = tensor("f32", 1, 8)

    def fn(lib, x, w1, b1, w2, b2):
        return linear(lib, gelu(lib, linear(lib, x, w1, b1)), w2, b2)
    return [Case("latency", "tiny_mlp_f32", [x, w1, b1, w2, b2], y, f"""
        %h = trace.linear %x, %w1, %b1 : ({x.type}, {w1.type}, {b1.type}) -> {h}
        %g = trace.gelu %h : ({h}) -> {h}
        %y = trace.linear %g, %w2, %b2 : ({h}, {w2.type}, {b2.type}) -> {y.type}""",
                 fn, fn, tolerance=1e-5, tags={"issue"})]


def all_cases():
    from attention_cases import attention_cases, decode_attention_cases, more_attention_cases, ordering_cases
    from layer_cases import layer_cases
    from model_cases import model_cases
    from transformer_cases import transformer_cases
    from window_cases import window_cases
    return (loop_cases() + row_cases() + reduce_cases() + movement_cases() + block_cases() + prologue_cases()
            + latency_cases() + gemm_cases() + decode_cases() + window_cases() + attention_cases()
            + more_attention_cases() + decode_attention_cases() + ordering_cases() + layer_cases()
            + transformer_cases() + model_cases())


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: cases.py FOLDER")
    os.makedirs(sys.argv[1], exist_ok=True)
    for case in all_cases():
        if case.program:
            with open(os.path.join(sys.argv[1], case.name + ".mlir"), "w") as out:
                out.write(case.program)


if __name__ == "__main__":
    main()
