"""Benchmark cases of further models, a few layers of each: T5, Swin, DiT, Whisper's decoder, Gemma 2, MLP-Mixer, DLRM.

Each has something that the models of transformer_cases.py lack: a bias of places, windows that are shifted, norms that
other tensors scale, cross attention, capped scores, products over tokens, products of embeddings.
"""
import math

from cases import gelu
from transformer_cases import EPS, Model, Value


class MoreModel(Model):
    def constant(self, value, shape=()):
        """A value of the program alone: peers write numbers."""
        result = Value(f"%c{len(self.lines)}", shape)
        self.lines.append(f"{result.name} = trace.full {list(shape)} value = {float(value)} : f16 -> {result.type}")
        return result

    def scaled(self, x, factor):
        c = self.constant(factor)
        return self.op("mul {}, " + c.name, [x], [x.shape], lambda lib, x: x * factor, [c])

    def matmul(self, x, y):
        shape = (*x.shape[:-1], y.shape[-1])
        self.products += 2 * math.prod(shape) * x.shape[-1]
        return self.op("matmul {}, {}", [x, y], [shape], lambda lib, x, y: x @ y)

    def softmax(self, x):
        return self.op("softmax {} dim = -1", [x], [x.shape], lambda lib, x: lib.softmax(x, -1))

    def transposed(self, x):
        order = [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
        return self.permute(x, order)

    def masked_attention(self, q, k, v, mask):
        self.products += 4 * math.prod(q.shape) * k.shape[2]
        return self.op("attention {}, {}, {} mask = {}", [q, k, v, mask], [q.shape],
                       lambda lib, q, k, v, m: lib.nn.functional.scaled_dot_product_attention(q, k, v, m))

    def rolled(self, x, shift):
        return self.op(f"roll {{}} by [{shift}, {shift}] dims = [1, 2]", [x], [x.shape],
                       lambda lib, x: lib.roll(x, (shift, shift), (1, 2)))

    def plain_norm(self, x):
        w, b = self.constant(1, x.shape[-1:]), self.constant(0, x.shape[-1:])
        return self.op(f"layer_norm {{}}, {w.name}, {b.name} eps = 1.0e-5", [x], [x.shape],
                       lambda lib, x: lib.nn.functional.layer_norm(x, x.shape[-1:], None, None, EPS), [w, b])


def t5(batch, tokens):
    """The encoder of T5 1.1 base, six layers: scores that are not scaled, one bias of places for all layers, gated gelu."""
    m, width, heads, hidden = MoreModel(), 768, 12, 2048
    x = m.input("x", (batch, tokens, width))
    places = m.input("places", (1, heads, tokens, tokens))
    for i in range(6):
        n = m.rms_norm(f"n{i}", x)
        q, k, v = (m.heads(m.linear(f"{name}{i}", n, width, False), heads) for name in "qkv")
        scores = m.add(m.matmul(m.scaled(q, .125), m.transposed(k)), places)
        x = m.add(x, m.linear(f"out{i}", m.joined(m.matmul(m.softmax(scores), v)), width, False))
        n = m.rms_norm(f"m{i}", x)
        gate = m.unary("gelu", m.linear(f"gate{i}", n, hidden, False), gelu)
        x = m.add(x, m.linear(f"down{i}", m.mul(gate, m.linear(f"up{i}", n, hidden, False)), width, False))
    return m.case(f"model_t5_b{batch}_s{tokens}_f16", m.rms_norm("norm", x))


def swin(batch):
    """A stage of Swin-T: 14 x 14 places of 384 features, windows of 7 x 7, every other layer shifted by 3; six layers."""
    m, width, heads, side, window = MoreModel(), 384, 12, 14, 7
    count = side // window
    x = m.input("x", (batch, side, side, width))
    shape = (batch, count, window, count, window, width)
    for i in range(6):
        y = m.layer_norm(f"n{i}", x)
        y = m.rolled(y, -3) if i % 2 else y
        y = m.reshape(m.permute(m.reshape(y, shape), [0, 1, 3, 2, 4, 5]), (batch * count * count, window * window, width))
        q, k, v = (m.heads(part, heads) for part in m.split(m.linear(f"qkv{i}", y, 3 * width), 3))
        y = m.masked_attention(q, k, v, m.input(f"places{i}", (1, heads, 49, 49)))
        y = m.linear(f"out{i}", m.joined(y), width)
        y = m.reshape(y, (batch, count, count, window, window, width))
        y = m.reshape(m.permute(y, [0, 1, 3, 2, 4, 5]), (batch, side, side, width))
        x = m.add(x, m.rolled(y, 3) if i % 2 else y)
        h = m.unary("gelu", m.linear(f"fc{i}", m.layer_norm(f"m{i}", x), 4 * width), gelu)
        x = m.add(x, m.linear(f"proj{i}", h, width))
    return m.case(f"model_swin_b{batch}_f16", x)


def dit(batch):
    """DiT-L/2 at 256 x 256: 256 tokens of 1024 features, norms scaled, shifted and gated by the step; four layers."""
    m, width, heads = MoreModel(), 1024, 16
    x, step = m.input("x", (batch, 256, width)), m.input("step", (batch, width))
    step = m.unary("silu", step, lambda lib, x: lib.nn.functional.silu(x))

    def modulated(x, shift, scale):
        one = m.constant(1)
        scale = m.op("add {}, " + one.name, [scale], [scale.shape], lambda lib, x: x + 1, [one])
        return m.add(m.mul(m.plain_norm(x), scale), shift)
    for i in range(4):
        parts = m.split(m.reshape(m.linear(f"ada{i}", step, 6 * width), (batch, 1, 6 * width)), 6)
        y = modulated(x, parts[0], parts[1])
        q, k, v = (m.heads(part, heads) for part in m.split(m.linear(f"qkv{i}", y, 3 * width), 3))
        x = m.add(x, m.mul(m.linear(f"out{i}", m.joined(m.attention(q, k, v)), width), parts[2]))
        h = m.unary("gelu", m.linear(f"fc{i}", modulated(x, parts[3], parts[4]), 4 * width), gelu)
        x = m.add(x, m.mul(m.linear(f"proj{i}", h, width), parts[5]))
    return m.case(f"model_dit_b{batch}_f16", x)


def whisper(batch, tokens):
    """The decoder of Whisper small, four layers: causal attention and one over 1500 places of the encoder."""
    m, width, heads = MoreModel(), 768, 12
    x, sound = m.input("x", (batch, tokens, width)), m.input("sound", (batch, 1500, width))
    for i in range(4):
        n = m.layer_norm(f"n{i}", x)
        q, k, v = (m.heads(m.linear(f"{name}{i}", n, width, name != "k"), heads) for name in "qkv")
        x = m.add(x, m.linear(f"out{i}", m.joined(m.attention(q, k, v, True)), width))
        q = m.heads(m.linear(f"cq{i}", m.layer_norm(f"c{i}", x), width), heads)
        k, v = (m.heads(m.linear(f"{name}{i}", sound, width, name != "ck"), heads) for name in ("ck", "cv"))
        x = m.add(x, m.linear(f"cout{i}", m.joined(m.attention(q, k, v)), width))
        h = m.unary("gelu", m.linear(f"fc{i}", m.layer_norm(f"m{i}", x), 4 * width), gelu)
        x = m.add(x, m.linear(f"proj{i}", h, width))
    return m.case(f"model_whisper_decoder_b{batch}_s{tokens}_f16", m.layer_norm("norm", x))


def gemma(batch, tokens):
    """Gemma 2 2B, three layers: capped scores, heads of 256, norms before and behind, gated gelu."""
    m, width, heads, shared, depth, hidden = MoreModel(), 2304, 8, 4, 256, 9216
    x = m.input("x", (batch, tokens, width))
    cos, sin = m.input("cos", (tokens, depth)), m.input("sin", (tokens, depth))
    mask = m.input("mask", (1, 1, tokens, tokens))
    for i in range(3):
        n = m.rms_norm(f"n{i}", x)
        q, k, v = (m.heads(m.linear(f"{name}{i}", n, count * depth, False), count)
                   for name, count in (("q", heads), ("k", shared), ("v", shared)))
        q, k = m.rotated(q, cos, sin), m.rotated(k, cos, sin)
        k, v = (m.op(f"repeat {{}} by [1, {heads // shared}, 1, 1]", [t], [(batch, heads, tokens, depth)],
                     lambda lib, t: lib.repeat_interleave(t, heads // shared, 1)) for t in (k, v))
        scores = m.scaled(m.matmul(m.scaled(q, .0625), m.transposed(k)), .02)
        scores = m.scaled(m.unary("tanh", scores, lambda lib, x: lib.tanh(x)), 50.0)
        p = m.softmax(m.add(scores, mask))
        x = m.add(x, m.rms_norm(f"a{i}", m.linear(f"out{i}", m.joined(m.matmul(p, v)), width, False)))
        n = m.rms_norm(f"m{i}", x)
        gate = m.unary("gelu", m.linear(f"gate{i}", n, hidden, False), gelu)
        y = m.linear(f"down{i}", m.mul(gate, m.linear(f"up{i}", n, hidden, False)), width, False)
        x = m.add(x, m.rms_norm(f"b{i}", y))
    case = m.case(f"model_gemma2_b{batch}_s{tokens}_f16", m.rms_norm("norm", x))
    # Norms behind each block make more of what f16 leaves out: PyTorch's error is 0.1.
    case.tolerance = 0.15
    return case


def mixer(batch):
    """MLP-Mixer B/16: products over 196 tokens and over 768 features; six layers."""
    m, width, tokens = MoreModel(), 768, 196
    x = m.input("x", (batch, tokens, width))
    for i in range(6):
        t = m.permute(m.layer_norm(f"n{i}", x), [0, 2, 1])
        t = m.linear(f"t2{i}", m.unary("gelu", m.linear(f"t1{i}", t, 384), gelu), tokens)
        x = m.add(x, m.permute(t, [0, 2, 1]))
        h = m.unary("gelu", m.linear(f"fc{i}", m.layer_norm(f"m{i}", x), 4 * width), gelu)
        x = m.add(x, m.linear(f"proj{i}", h, width))
    return m.case(f"model_mixer_b{batch}_f16", m.layer_norm("norm", x))


def dlrm(batch):
    """A recommender: 26 embeddings of 128 and 13 numbers, products of all pairs of features, a tower."""
    m, width, features, words = MoreModel(), 128, 26, 100000
    ids, x = m.input("ids", (batch, features), "i64", below=words), m.input("x", (batch, 13))
    for i, columns in enumerate((512, 256, width)):
        x = m.unary("relu", m.linear(f"b{i}", x, columns), lambda lib, x: lib.relu(x))
    _, rows = m.embedding("words", ids, words, width)
    rows = m.concatenate([m.reshape(x, (batch, 1, width)), rows], 1)
    pairs = m.matmul(rows, m.transposed(rows))
    y = m.concatenate([x, m.reshape(m.scaled(pairs, .1), (batch, (features + 1) ** 2))], 1)
    for i, columns in enumerate((1024, 1024, 512, 256)):
        y = m.unary("relu", m.linear(f"t{i}", y, columns), lambda lib, x: lib.relu(x))
    return m.case(f"model_dlrm_b{batch}_f16", m.unary("sigmoid", m.linear("last", y, 1), lambda lib, x: lib.sigmoid(x)))


def model_cases():
    """Named model_..., so that --cases model_ draws them alone."""
    return [t5(8, 512), swin(32), dit(8), whisper(4, 224), gemma(1, 2048), mixer(32), dlrm(2048), t5(1, 128), dit(2)]
