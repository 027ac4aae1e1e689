#!/usr/bin/env python3
"""Runs whole networks and checks them against float64, by NumPy or by PyTorch.

usage: networks.py --bin DIR [--target cpu|cuda:sm_90a] [--device cpu|cuda:0] [--dtypes f32,f16] [--scale 1] [--depth N]
                   [--networks resnet18,unet,vit,decoder] [--write FOLDER] [--reference numpy|torch]

resnet18: ResNet-18. unet: a block of a diffusion U-Net, two convolutions with group_norm and silu, then twice the size.
vit: ViT-B/16, a class token in front of the patches. decoder: two layers of a decoder as LLaMA has them (rotary
embedding, heads that share keys, rms_norm, SwiGLU), whose keys and values are kept in a cache from step to step.

Weights are random. A builder writes the program, line by line, and computes each line in float64. The batch is
dynamic, of the decoder also the number of tokens: one executable runs all sizes. --scale divides the widths, --depth
limits the layers of vit. --write keeps programs and weights. An element passes when
|found - reference| <= tolerance * (typical magnitude of the reference).
"""
import argparse
import os
import sys
import tempfile

import numpy as np

from layers import NumpyLayers, torch_layers
from run_models import run, to_bits, write_safetensors

# Of the typical magnitude: what the layers' roundings add up to.
TOLERANCE = {"f32": 2e-5, "f16": 1e-2, "bf16": 6e-2}


class Tensor:
    """A value of the program, and its numbers."""

    def __init__(self, name, dims, dtype, value):
        self.name, self.dims, self.dtype, self.value = name, tuple(dims), dtype, value

    def type(self):
        return f"tensor<{''.join(f'{dim}x' for dim in self.dims)}{self.dtype}>"


class Net:
    """Writes a program and computes it. Dimensions are numbers, or '?' for the dynamic ones."""

    def __init__(self, dtype, rng, layers):
        self.dtype, self.rng, self.layers = dtype, rng, layers
        self.arguments, self.lines, self.weights, self.inputs = [], [], {}, {}

    def fresh(self):
        return f"%{len(self.lines)}"

    def input(self, name, value, dims, profile, dtype=None):
        dtype = dtype or self.dtype
        if dtype == "i32":
            value = value.astype(np.int32)
        else:
            value = to_bits(value, dtype)[1]
        bounds = ", ".join(f"{key} = {list(sizes)}" for key, sizes in zip(("min", "opt", "max"), profile))
        tensor = Tensor(f"%{name}", dims, dtype, value)
        dynamic = f", tripy.profile = #tripy.profile<{bounds}>" if "?" in dims else ""
        self.arguments.append(f'%{name}: {tensor.type()} {{tripy.name = "{name}"{dynamic}}}')
        self.inputs[name] = tensor
        return tensor

    def weight(self, name, dims, around=0.0, spread=1.0):
        value = around + spread * self.rng.standard_normal(dims)
        self.weights[name] = value
        tensor = Tensor(f"%{name.replace('.', '_')}", dims, self.dtype, to_bits(value, self.dtype)[1])
        self.arguments.append(f'{tensor.name}: {tensor.type()} {{tripy.name = "{name}", tripy.parameter}}')
        return tensor

    def op(self, text, operands, dims, value, dtype=None):
        """Adds "trace.TEXT", in which {} are the operands."""
        result = Tensor(self.fresh(), dims, dtype or operands[0].dtype, value)
        types = f"({', '.join(t.type() for t in operands)}) -> " if operands else "-> "
        text = text.format(*(t.name for t in operands))
        self.lines.append(f"  {result.name} = trace.{text} {':' if operands else ''} {types}{result.type()}")
        return result

    def dim(self, x, dim):
        name = self.fresh()
        self.lines.append(f"  {name} = trace.dim {x.name} dim = {dim} : ({x.type()}) -> index")
        return name

    # Layers.

    def unary(self, name, x):
        return self.op(name + " {}", [x], x.dims, self.layers.unary[name](x.value))

    def binary(self, name, x, y):
        value = {"add": np.add, "mul": np.multiply}[name](x.value, y.value)
        dims = [a if b == 1 else b for a, b in zip((1,) * (len(y.dims) - len(x.dims)) + x.dims,
                                                   (1,) * (len(x.dims) - len(y.dims)) + y.dims)]
        return self.op(name + " {}, {}", [x, y], dims, value)

    def linear(self, name, x, features, bias=True):
        w = self.weight(name + ".weight", (features, x.dims[-1]), spread=x.dims[-1] ** -0.5)
        b = [self.weight(name + ".bias", (features,), spread=0.1)] if bias else []
        value = self.layers.linear(x.value, w.value, b[0].value if bias else None)
        return self.op("linear {}, {}" + ", {}" * bias, [x, w, *b], (*x.dims[:-1], features), value)

    def convolution(self, name, x, channels, kernel, stride=1, bias=False):
        fan, low = x.dims[1] * kernel * kernel, kernel // 2
        w = self.weight(name + ".weight", (channels, x.dims[1], kernel, kernel), spread=(2 / fan) ** 0.5)
        b = [self.weight(name + ".bias", (channels,), spread=0.1)] if bias else []
        value = self.layers.convolution(x.value, w.value, b[0].value if bias else None, stride, low)
        sizes = f"stride = [{stride}, {stride}] low = [{low}, {low}] high = [{low}, {low}]"
        return self.op("convolution {}, {}" + ", {}" * bias + " " + sizes, [x, w, *b], (x.dims[0], channels, *value.shape[2:]), value)

    def maxpool(self, x, kernel, stride):
        low = kernel // 2
        value = self.layers.maxpool(x.value, kernel, stride, low)
        sizes = f"window = [{kernel}, {kernel}] stride = [{stride}, {stride}] low = [{low}, {low}] high = [{low}, {low}]"
        return self.op("maxpool {} " + sizes, [x], (*x.dims[:2], *value.shape[2:]), value)

    def batch_norm(self, name, x):
        channels = (x.dims[1],)
        mean, bias = self.weight(name + ".running_mean", channels, spread=0.1), self.weight(name + ".bias", channels, spread=0.1)
        scale = self.weight(name + ".weight", channels, 1, 0.1)
        variance = self.weight(name + ".running_var", channels, 1, 0.1)
        value = self.layers.batch_norm(x.value, mean.value, variance.value, scale.value, bias.value)
        return self.op("batch_norm {}, {}, {}, {}, {} eps = 1.0e-5", [x, mean, variance, scale, bias], x.dims, value)

    def group_norm(self, name, x, groups):
        scale, bias = self.weight(name + ".weight", (x.dims[1],), 1, 0.1), self.weight(name + ".bias", (x.dims[1],), spread=0.1)
        value = self.layers.group_norm(x.value, groups, scale.value, bias.value)
        return self.op(f"group_norm {{}}, {{}}, {{}} groups = {groups} eps = 1.0e-5", [x, scale, bias], x.dims, value)

    def layer_norm(self, name, x):
        scale, bias = self.weight(name + ".weight", (x.dims[-1],), 1, 0.1), self.weight(name + ".bias", (x.dims[-1],), spread=0.1)
        value = self.layers.layer_norm(x.value, scale.value, bias.value)
        return self.op("layer_norm {}, {}, {} eps = 1.0e-5", [x, scale, bias], x.dims, value)

    def rms_norm(self, name, x):
        scale = self.weight(name + ".weight", (x.dims[-1],), 1, 0.1)
        value = self.layers.rms_norm(x.value, scale.value)
        return self.op("rms_norm {}, {} eps = 1.0e-5", [x, scale], x.dims, value)

    def twice(self, x):
        value = self.layers.twice(x.value)
        text = 'resize {} scales = [1.0, 1.0, 2.0, 2.0] mode = "nearest" coordinates = "asymmetric"'
        return self.op(text, [x], (*x.dims[:2], *value.shape[2:]), value)

    def mean(self, x, dims):
        kept = [d for i, d in enumerate(x.dims) if i not in dims]
        return self.op(f"mean {{}} dims = {list(dims)}", [x], kept, x.value.mean(axis=tuple(dims)))

    def reshape(self, x, dims, names):
        """`names`: of the sizes that are '?' in `dims`, in order."""
        names = iter(names)
        sizes = ", ".join(next(names) if d == "?" else str(d) for d in dims)
        shape = [-1 if d == "?" and i else (x.value.shape[0] if d == "?" else d) for i, d in enumerate(dims)]
        return self.op(f"reshape {{}} to [{sizes}]", [x], dims, x.value.reshape(shape))

    def permute(self, x, order):
        return self.op(f"permute {{}} {order}", [x], [x.dims[i] for i in order], x.value.transpose(order))

    def heads(self, x, heads, sizes):
        """(batch, rows, heads * depth) => (batch, heads, rows, depth)."""
        split = self.reshape(x, (*x.dims[:2], heads, x.dims[2] // heads), [s for s, d in zip(sizes, x.dims) if d == "?"])
        return self.permute(split, [0, 2, 1, 3])

    def joined(self, x, sizes):
        """heads() backwards."""
        rows = self.permute(x, [0, 2, 1, 3])
        return self.reshape(rows, (*rows.dims[:2], rows.dims[2] * rows.dims[3]), [s for s, d in zip(sizes, rows.dims) if d == "?"])

    def attention(self, q, k, v, length=None):
        """With `length`, queries are the last of so many keys, and see none behind their own."""
        rows, columns, hidden = q.value.shape[2], k.value.shape[2], None
        if length is not None:
            hidden = np.arange(columns) > np.arange(rows)[:, None] + int(length.value) - rows
        value = self.layers.attention(q.value, k.value, v.value, hidden)
        text = "attention {}, {}, {}" + (' lengths = {} causal = "bottom_right"' if length is not None else "")
        return self.op(text, [q, k, v] + [length] * (length is not None), q.dims, value)

    def concatenate(self, parts, dim):
        dims = list(parts[0].dims)
        dims[dim] = sum(p.dims[dim] for p in parts)
        text = f"concatenate {', '.join(['{}'] * len(parts))} dim = {dim}"
        return self.op(text, parts, dims, np.concatenate([p.value for p in parts], axis=dim))

    def halves(self, x):
        """The first and the second half of the last dimension."""
        size = x.dims[-1] // 2
        dims = (*x.dims[:-1], size)
        parts = [Tensor(f"%{len(self.lines)}#{i}", dims, x.dtype, v) for i, v in enumerate(np.split(x.value, 2, axis=-1))]
        self.lines.append(f"  %{len(self.lines)}:2 = trace.split {x.name} dim = {len(dims) - 1} parts = 2 : ({x.type()}) -> "
                          f"({parts[0].type()}, {parts[1].type()})")
        return parts

    def program(self, outputs):
        results = ", ".join(f'{t.type()} {{tripy.name = "{name}"}}' for name, t in outputs.items())
        types = ", ".join(t.type() for t in outputs.values())
        return "\n".join([f"func.func @main({', '.join(self.arguments)}) -> ({results}) {{", *self.lines,
                          f"  return {', '.join(t.name for t in outputs.values())} : {types}", "}", ""])


def resnet18(net, options, batch):
    size, width = max(32, 64 // options.scale), 64 // options.scale
    image = net.rng.standard_normal((batch, 3, size, size))
    profile = [(n, 3, size, size) for n in (1, 2, 4)]
    x = net.input("image", image, ("?", 3, size, size), profile)
    x = net.unary("relu", net.batch_norm("bn1", net.convolution("conv1", x, width, 7, 2)))
    x = net.maxpool(x, 3, 2)
    for stage in range(4):
        for block in range(2):
            name, channels = f"layer{stage + 1}.{block}", width << stage
            stride = 2 if stage and not block else 1
            y = net.unary("relu", net.batch_norm(name + ".bn1", net.convolution(name + ".conv1", x, channels, 3, stride)))
            y = net.batch_norm(name + ".bn2", net.convolution(name + ".conv2", y, channels, 3))
            if stride == 2:
                x = net.batch_norm(name + ".downsample.1", net.convolution(name + ".downsample.0", x, channels, 1, 2))
            x = net.unary("relu", net.binary("add", x, y))
    return {"logits": net.linear("fc", net.mean(x, (2, 3)), 1000 // options.scale)}


def unet(net, options, batch):
    channels, size = max(1, 10 // options.scale) * 32, 16
    x = net.input("x", net.rng.standard_normal((batch, channels, size, size)), ("?", channels, size, size),
                  [(n, channels, size, size) for n in (1, 2, 4)])
    y = x
    for i in (1, 2):
        y = net.unary("silu", net.group_norm(f"norm{i}", y, 32))
        y = net.convolution(f"conv{i}", y, channels, 3, bias=True)
    return {"y": net.convolution("up", net.twice(net.binary("add", x, y)), channels, 3, bias=True)}


def vit(net, options, batch):
    size, width, heads = 224 if options.scale == 1 else 64, 768 // options.scale, 12 // min(options.scale, 4)
    x = net.input("image", net.rng.standard_normal((batch, 3, size, size)), ("?", 3, size, size),
                  [(n, 3, size, size) for n in (1, 1, 2)])
    sizes = (net.dim(x, 0), None)
    # A convolution whose windows do not overlap: patches of 16 x 16 as rows of a product.
    grid = size // 16
    x = net.reshape(x, ("?", 3, grid, 16, grid, 16), sizes[:1])
    x = net.permute(x, [0, 2, 4, 1, 3, 5])
    x = net.linear("patch", net.reshape(x, ("?", grid * grid, 768), sizes[:1]), width)
    token = net.weight("class_token", (1, 1, width))
    token = net.op(f"expand {{}} to [{sizes[0]}, 1, {width}]", [token], ("?", 1, width), token.value.repeat(batch, axis=0))
    x = net.concatenate([token, x], 1)
    x = net.binary("add", x, net.weight("positions", (1, grid * grid + 1, width), spread=0.1))
    for i in range(min(options.depth, 12)):
        y = net.layer_norm(f"block{i}.norm1", x)
        q, k, v = (net.heads(net.linear(f"block{i}.{name}", y, width), heads, sizes) for name in "qkv")
        x = net.binary("add", x, net.linear(f"block{i}.out", net.joined(net.attention(q, k, v), sizes), width))
        y = net.unary("gelu", net.linear(f"block{i}.fc1", net.layer_norm(f"block{i}.norm2", x), 4 * width))
        x = net.binary("add", x, net.linear(f"block{i}.fc2", y, width))
    x = net.layer_norm("norm", x)
    first = net.op(f"slice {{}} [0, 0, 0] to [{sizes[0]}, 1, {width}] by [1, 1, 1]", [x], ("?", 1, width), x.value[:, :1])
    return {"logits": net.linear("head", net.reshape(first, ("?", width), sizes[:1]), 1000 // options.scale)}


class Cache:
    """Keys and values of a decoder between its steps, by layer."""

    def __init__(self):
        self.filled, self.tensors = 0, {}


def rotated(net, x, cos, sin):
    a, b = net.halves(x)
    turned = net.concatenate([net.unary("neg", b), a], 3)
    return net.binary("add", net.binary("mul", x, cos), net.binary("mul", turned, sin))


def decoder(net, options, batch, tokens, cache):
    width, heads, shared, places, words = 512 // options.scale, 8, 2, 24, 1000
    depth = width // heads
    ids = net.input("ids", net.rng.integers(0, words, (batch, tokens)), ("?", "?"), [(1, 1), (2, 1), (3, 12)], "i32")
    start = net.input("start", np.array(cache.filled), (), [], "i32")
    sizes = (net.dim(ids, 0), net.dim(ids, 1))
    table = net.weight("embedding", (words, width))
    x = net.op("embedding {}, {}", [table, ids], ("?", "?", width), table.value[ids.value])
    number = net.op(f"iota [{sizes[1]}] dim = 0 dtype = i32", [], ("?",), np.arange(tokens), "i32")
    number = net.binary("add", number, start)
    count = net.op(f"from_index {sizes[1]} dtype = i32", [], (), np.array(tokens), "i32")
    length = net.binary("add", start, count)
    rows = net.op("cast {} to f32", [number], ("?",), number.value.astype(float), "f32")
    rows = net.op("unsqueeze {} dim = 1", [rows], ("?", 1), rows.value[:, None])
    frequencies = 10000.0 ** (-np.arange(depth // 2) / (depth // 2))
    text = ", ".join(repr(float(np.float32(f))) for f in np.tile(frequencies, 2))
    steps = net.op(f"constant dense<[{text}]> : tensor<{depth}xf32>", [], (depth,), np.float32(np.tile(frequencies, 2)).astype(float), "f32")
    net.lines[-1] = net.lines[-1].split("  -> ")[0]
    angles = net.binary("mul", rows, steps)
    cos, sin = (net.op(f"cast {{}} to {net.dtype}", [t], t.dims, t.value, net.dtype)
                for t in (net.unary("cos", angles), net.unary("sin", angles)))
    outputs = {}
    for i in range(2):
        y = net.rms_norm(f"block{i}.norm1", x)
        q, k, v = (net.heads(net.linear(f"block{i}.{n}", y, h * depth, bias=False), h, sizes)
                   for n, h in (("q", heads), ("k", shared), ("v", shared)))
        q, k = rotated(net, q, cos, sin), rotated(net, k, cos, sin)
        kept = []
        for name, new in ((f"keys{i}", k), (f"values{i}", v)):
            old = cache.tensors.get(name, np.zeros((batch, shared, places, depth)))
            dims = ("?", shared, places, depth)
            old = net.input(name, old, dims, [(n, shared, places, depth) for n in (1, 2, 3)])
            value = old.value.copy()
            value[:, :, cache.filled:cache.filled + tokens] = new.value
            kept.append(net.op("update_slice {}, {}, {} dim = 2", [old, new, start], dims, value))
            outputs["new_" + name] = kept[-1]
        mixed = net.joined(net.attention(q, *kept, length), sizes)
        x = net.binary("add", x, net.linear(f"block{i}.out", mixed, width, bias=False))
        y = net.rms_norm(f"block{i}.norm2", x)
        gate = net.unary("silu", net.linear(f"block{i}.gate", y, 2 * width, bias=False))
        y = net.binary("mul", gate, net.linear(f"block{i}.up", y, 2 * width, bias=False))
        x = net.binary("add", x, net.linear(f"block{i}.down", y, width, bias=False))
    logits = net.linear("head", net.rms_norm("norm", x), words, bias=False)
    for name, tensor in outputs.items():
        cache.tensors[name.removeprefix("new_")] = tensor.value
    cache.filled += tokens
    return {"logits": logits, **outputs}


class Runs:
    """Of one network: what its builder is given, run by run."""

    def __init__(self, name, options):
        self.build, self.options = globals()[name], options
        self.layers = torch_layers() if options.reference == "torch" else NumpyLayers
        self.sizes = {"decoder": [(2, 5), (2, 1), (2, 12), (1, 1)], "vit": [(1,), (2,)]}.get(name, [(2,), (1,), (3,)])
        self.name, self.cache = name, Cache()

    def net(self, dtype, number):
        """Draws the same weights for each run."""
        net = Net(dtype, np.random.default_rng(7), self.layers)
        sizes = self.sizes[number]
        if self.name == "decoder":
            if number == 0 or self.sizes[number - 1][0] != sizes[0]:
                self.cache = Cache()
            sizes = (*sizes, self.cache)
        draw = net.weight
        rng = np.random.default_rng(11)

        def weight(*arguments, **named):
            net.rng, kept = rng, net.rng
            tensor = draw(*arguments, **named)
            net.rng = kept
            return tensor
        net.weight = weight
        return net, self.build(net, self.options, *sizes)


def check(options, name, dtype):
    runs = Runs(name, options)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.write or scratch
        os.makedirs(folder, exist_ok=True)

        def at(file):
            return os.path.join(folder, f"{name}-{dtype}-{file}")
        text = None
        for number, sizes in enumerate(runs.sizes):
            net, outputs = runs.net(dtype, number)
            program = net.program(outputs)
            if text is None:
                text = program
                write_safetensors(at("weights.safetensors"), net.weights, dtype)
                with open(at("model.mlir"), "w") as out:
                    out.write(text)
                run([os.path.join(options.bin, "tripy-compile"), at("model.mlir"), "-o", at("model.tpx"),
                     f"--target={options.target}", "--weights", at("weights.safetensors")])
            if program != text:
                sys.exit(f"{name}: the program depends on the sizes of a run")
            compare(options, net, outputs, dtype, at)
            print(f"PASS {name} {dtype} {sizes} on {options.device}", flush=True)


def compare(options, net, outputs, dtype, at):
    command = [os.path.join(options.bin, "tripy-run"), at("model.tpx"), f"--device={options.device}"]
    floats = {key: t.value for key, t in net.inputs.items() if t.dtype == dtype}
    write_safetensors(at("inputs.safetensors"), floats, dtype)
    for key, tensor in net.inputs.items():
        if key in floats:
            command += ["--input", f"{key}=@{at('inputs.safetensors')}:{key}"]
        else:
            np.save(at(f"{key}.npy"), tensor.value)
            command += ["--input", f"{key}=@{at(f'{key}.npy')}"]
    scale = 0.0
    for key, tensor in outputs.items():
        np.save(at(f"{key}.npy"), tensor.value)
        command += ["--expect", f"{key}=@{at(f'{key}.npy')}"]
        scale = max(scale, float(np.sqrt(np.mean(tensor.value**2))))
    said = run([*command, "--rtol", "0", "--atol", str(TOLERANCE[dtype] * scale)])
    if options.verbose:
        print(said, "scale", scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtypes", default="f32,f16")
    parser.add_argument("--networks", default="resnet18,unet,vit,decoder")
    parser.add_argument("--scale", type=int, default=1, help="what the widths are divided by")
    parser.add_argument("--depth", type=int, default=12, help="layers of vit")
    parser.add_argument("--write", default="", help="folder that keeps programs, weights and values")
    parser.add_argument("--verbose", action="store_true", help="print what tripy-run says")
    parser.add_argument("--reference", choices=["numpy", "torch"], default="numpy",
                        help="whose layers say what is right, in float64: formulas in NumPy, or PyTorch 2.4 or later")
    options = parser.parse_args()
    if options.reference == "torch" and torch_layers() is None:
        sys.exit("networks: --reference torch needs PyTorch 2.4 or later")
    for name in options.networks.split(","):
        for dtype in options.dtypes.split(","):
            check(options, name, dtype)


main()
