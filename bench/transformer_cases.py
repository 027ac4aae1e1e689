"""Benchmark cases of whole transformers: GPT-2, BERT, ViT and a decoder as LLaMA has it, with random weights.

A builder writes each line of the program beside what PyTorch calls for it, so that both compute the same network.
"""
import math

from cases import Case, Input, gelu, linear, silu, tensor

EPS = 1.0e-5
WORDS = {"gpt2": 50257, "bert": 30522, "llama": 128256}


class Value:
    def __init__(self, name, shape, dtype="f16"):
        self.name, self.shape, self.type = name, tuple(shape), tensor(dtype, *shape)


class Model:
    """Lines of a program, and the calls that compute the same by name of the value."""

    def __init__(self):
        self.inputs, self.lines, self.steps, self.products = [], [], [], 0

    def input(self, name, shape, dtype="f16", scale=1.0, below=0):
        self.inputs.append(Input(name, tuple(shape), dtype, scale, below))
        return Value(f"%{name}", shape, dtype)

    def op(self, text, operands, shapes, call, constants=()):
        """Adds "trace.TEXT", in which {} are the operands; `shapes` has one for each result. `constants` are further
        operands, which the text names and peers do not take."""
        number = len(self.steps)
        many = len(shapes) > 1
        results = [Value(f"%v{number}#{i}" if many else f"%v{number}", shape) for i, shape in enumerate(shapes)]
        types = ", ".join(r.type for r in results)
        self.lines.append(f"%v{number}{f':{len(shapes)}' if many else ''} = trace.{text.format(*(o.name for o in operands))} : "
                          f"({', '.join(o.type for o in [*operands, *constants])}) -> {f'({types})' if many else types}")
        self.steps.append((call, [o.name for o in operands], [r.name for r in results]))
        return results if many else results[0]

    def case(self, name, result, flops=0):
        self.lines.append(self.lines.pop().replace(result.name + " =", "%y =", 1))
        inputs, steps = self.inputs, self.steps

        def fn(lib, *tensors):
            found = {f"%{i.name}": t for i, t in zip(inputs, tensors)}
            for call, operands, results in steps:
                values = call(lib, *(found[o] for o in operands))
                found.update(zip(results, values if len(results) > 1 else [values]))
            return found[result.name]
        return Case("transformer", name, inputs, Input("y", result.shape), "\n".join(self.lines), fn,
                    flops=flops + self.products, tolerance=6e-2)

    #===-- layers --------------------------------------------------------===#

    def linear(self, name, x, columns, bias=True, weight=None):
        depth = x.shape[-1]
        w = weight or self.input(name + "_w", (columns, depth), scale=depth ** -.5)
        b = [self.input(name + "_b", (columns,), scale=.1)] if bias else []
        self.products += 2 * math.prod(x.shape) * columns
        return self.op("linear {}, {}" + ", {}" * bias, [x, w, *b], [(*x.shape[:-1], columns)], linear)

    def layer_norm(self, name, x):
        w, b = self.input(name + "_w", x.shape[-1:]), self.input(name + "_b", x.shape[-1:], scale=.1)
        return self.op(f"layer_norm {{}}, {{}}, {{}} eps = 1.0e-5", [x, w, b], [x.shape],
                       lambda lib, x, w, b: lib.nn.functional.layer_norm(x, x.shape[-1:], w, b, EPS))

    def rms_norm(self, name, x):
        return self.op(f"rms_norm {{}}, {{}} eps = 1.0e-5", [x, self.input(name + "_w", x.shape[-1:])], [x.shape],
                       lambda lib, x, w: lib.nn.functional.rms_norm(x, x.shape[-1:], w, EPS))

    def add(self, x, y):
        return self.op("add {}, {}", [x, y], [x.shape], lambda lib, x, y: x + y)

    def mul(self, x, y):
        return self.op("mul {}, {}", [x, y], [x.shape], lambda lib, x, y: x * y)

    def unary(self, name, x, call):
        return self.op(f"{name} {{}}", [x], [x.shape], call)

    def embedding(self, name, ids, words, width):
        table = self.input(name, (words, width))
        return table, self.op("embedding {}, {}", [table, ids], [(*ids.shape, width)],
                              lambda lib, table, ids: lib.nn.functional.embedding(ids, table))

    def split(self, x, parts):
        size = x.shape[-1] // parts
        return self.op(f"split {{}} dim = {len(x.shape) - 1} parts = {parts}", [x], [(*x.shape[:-1], size)] * parts,
                       lambda lib, x: lib.split(x, size, -1))

    def reshape(self, x, shape):
        return self.op(f"reshape {{}} to {list(shape)}", [x], [shape], lambda lib, x: x.reshape(shape))

    def permute(self, x, order):
        return self.op(f"permute {{}} {order}", [x], [[x.shape[i] for i in order]], lambda lib, x: x.permute(order))

    def heads(self, x, heads):
        """(batch, rows, heads * depth) => (batch, heads, rows, depth)."""
        return self.permute(self.reshape(x, (*x.shape[:2], heads, x.shape[2] // heads)), [0, 2, 1, 3])

    def joined(self, x):
        rows = self.permute(x, [0, 2, 1, 3])
        return self.reshape(rows, (*rows.shape[:2], rows.shape[2] * rows.shape[3]))

    def concatenate(self, parts, dim):
        shape = list(parts[0].shape)
        shape[dim] = sum(part.shape[dim] for part in parts)
        return self.op(f"concatenate {', '.join(['{}'] * len(parts))} dim = {dim}", parts, [tuple(shape)],
                       lambda lib, *parts: lib.cat(parts, dim))

    def rotated(self, x, cos, sin):
        """In halves, as most models do."""
        a, b = self.split(x, 2)
        turned = self.concatenate([self.unary("neg", b, lambda lib, b: -b), a], 3)
        return self.add(self.mul(x, cos), self.mul(turned, sin))

    def attention(self, q, k, v, causal=False):
        grouped = q.shape[1] != k.shape[1]
        self.products += 4 * math.prod(q.shape) * k.shape[2] // (2 if causal else 1)
        return self.op("attention {}, {}, {}" + ' causal = "top_left"' * causal, [q, k, v], [q.shape],
                       lambda lib, q, k, v: lib.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped))

    def update(self, cache, new, start, at):
        """The peer writes into the cache, as users do."""
        def call(lib, cache, new, start):
            cache[:, :, at:at + new.shape[2]] = new
            return cache
        return self.op("update_slice {}, {}, {} dim = 2", [cache, new, start], [cache.shape], call)


#===-- networks --------------------------------------------------------------===#

def gpt2(batch, tokens, keys=0):
    """GPT-2 124M: logits of all tokens. With `keys`: of one token behind keys - 1 others, whose keys and values are kept."""
    m, width, heads = Model(), 768, 12
    ids = m.input("ids", (batch, tokens), "i64", below=WORDS["gpt2"])
    places = m.input("places", (tokens, width))
    start = m.input("start", (), "i32", below=1) if keys else None
    table, x = m.embedding("words", ids, WORDS["gpt2"], width)
    x = m.op("add {}, {}", [x, places], [x.shape], lambda lib, x, y: x + y)
    for i in range(12):
        q, k, v = (m.heads(part, heads) for part in m.split(m.linear(f"qkv{i}", m.layer_norm(f"n{i}", x), 3 * width), 3))
        if keys:
            k, v = (m.update(m.input(f"{name}{i}", (batch, heads, keys, width // heads)), new, start, 0)
                    for name, new in (("keys", k), ("values", v)))
        x = m.add(x, m.linear(f"out{i}", m.joined(m.attention(q, k, v, not keys)), width))
        h = m.unary("gelu", m.linear(f"fc{i}", m.layer_norm(f"m{i}", x), 4 * width), gelu)
        x = m.add(x, m.linear(f"proj{i}", h, width))
    y = m.linear("logits", m.layer_norm("norm", x), WORDS["gpt2"], False, table)
    return m.case(f"gpt2_decode_b{batch}_k{keys}_f16" if keys else f"gpt2_b{batch}_s{tokens}_f16", y)


def bert(batch, tokens):
    """BERT-base: the last hidden state."""
    m, width, heads = Model(), 768, 12
    ids = m.input("ids", (batch, tokens), "i64", below=WORDS["bert"])
    places = m.input("places", (tokens, width))
    _, x = m.embedding("words", ids, WORDS["bert"], width)
    x = m.layer_norm("n", m.op("add {}, {}", [x, places], [x.shape], lambda lib, x, y: x + y))
    for i in range(12):
        q, k, v = (m.heads(m.linear(f"{name}{i}", x, width), heads) for name in "qkv")
        x = m.layer_norm(f"n{i}", m.add(x, m.linear(f"out{i}", m.joined(m.attention(q, k, v)), width)))
        h = m.unary("gelu", m.linear(f"fc{i}", x, 4 * width), gelu)
        x = m.layer_norm(f"m{i}", m.add(x, m.linear(f"proj{i}", h, width)))
    return m.case(f"bert_b{batch}_s{tokens}_f16", x)


def vit(batch):
    """ViT-B/16: the last hidden state of pictures of 224 x 224."""
    m, width, heads = Model(), 768, 12
    image = m.input("image", (batch, 3, 224, 224))
    w, b = m.input("patch_w", (width, 3, 16, 16), scale=768 ** -.5), m.input("patch_b", (width,), scale=.1)
    m.products += 2 * batch * 196 * 768 * width
    x = m.op("convolution {}, {}, {} stride = [16, 16]", [image, w, b], [(batch, width, 14, 14)],
             lambda lib, x, w, b: lib.nn.functional.conv2d(x, w, b, 16))
    x = m.permute(m.reshape(x, (batch, width, 196)), [0, 2, 1])
    token, places = m.input("token", (batch, 1, width)), m.input("places", (197, width))
    x = m.op("concatenate {}, {} dim = 1", [token, x], [(batch, 197, width)], lambda lib, t, x: lib.cat([t, x], 1))
    x = m.op("add {}, {}", [x, places], [x.shape], lambda lib, x, y: x + y)
    for i in range(12):
        q, k, v = (m.heads(part, heads) for part in m.split(m.linear(f"qkv{i}", m.layer_norm(f"n{i}", x), 3 * width), 3))
        x = m.add(x, m.linear(f"out{i}", m.joined(m.attention(q, k, v)), width))
        h = m.unary("gelu", m.linear(f"fc{i}", m.layer_norm(f"m{i}", x), 4 * width), gelu)
        x = m.add(x, m.linear(f"proj{i}", h, width))
    return m.case(f"vit_b{batch}_f16", m.layer_norm("norm", x))


def llama(batch, tokens, keys=0):
    """A decoder of 1.2 billion weights as Llama 3.2 1B has it; `keys` as in gpt2()."""
    m, width, heads, shared, depth, hidden = Model(), 2048, 32, 8, 64, 8192
    ids = m.input("ids", (batch, tokens), "i64", below=WORDS["llama"])
    cos, sin = m.input("cos", (tokens, depth)), m.input("sin", (tokens, depth))
    start = m.input("start", (), "i32", below=1) if keys else None
    table, x = m.embedding("words", ids, WORDS["llama"], width)
    for i in range(16):
        n = m.rms_norm(f"n{i}", x)
        q, k, v = (m.heads(m.linear(f"{name}{i}", n, count * depth, False), count)
                   for name, count in (("q", heads), ("k", shared), ("v", shared)))
        q, k = m.rotated(q, cos, sin), m.rotated(k, cos, sin)
        if keys:
            k, v = (m.update(m.input(f"{name}{i}", (batch, shared, keys, depth)), new, start, 0)
                    for name, new in (("keys", k), ("values", v)))
        x = m.add(x, m.linear(f"out{i}", m.joined(m.attention(q, k, v, not keys)), width, False))
        n = m.rms_norm(f"m{i}", x)
        gate = m.unary("silu", m.linear(f"gate{i}", n, hidden, False), silu)
        x = m.add(x, m.linear(f"down{i}", m.mul(gate, m.linear(f"up{i}", n, hidden, False)), width, False))
    y = m.linear("logits", m.rms_norm("norm", x), WORDS["llama"], False, table)
    return m.case(f"llama_decode_b{batch}_k{keys}_f16" if keys else f"llama_b{batch}_s{tokens}_f16", y)


def transformer_cases():
    return ([gpt2(*size) for size in ((1, 128), (1, 1024), (8, 1024), (1, 1, 512))]
            + [bert(*size) for size in ((1, 128), (8, 384))] + [vit(32)]
            + [llama(*size) for size in ((1, 2048), (1, 1, 512), (8, 1, 512), (32, 1, 512))])
