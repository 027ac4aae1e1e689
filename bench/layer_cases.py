"""Benchmark cases of one layer of published transformers: what they do between the products that all of them have.

As in transformer_cases.py, each line of the program stands beside what PyTorch calls for it, in the form that its users write.
"""
import math

from cases import gelu, silu
from transformer_cases import Model, Value


class Layer(Model):
    def case(self, name, result, flops=0):
        case = super().case(f"layer_{name}_f16", result, flops)
        case.group = "layer"
        return case

    #===-- tensors without an input ----------------------------------------===#

    def made(self, text, shape, dtype, call):
        """A tensor that the program makes, by "trace.TEXT -> type"."""
        result = Value(f"%v{len(self.steps)}", shape, dtype)
        self.lines.append(f"{result.name} = trace.{text} -> {result.type}")
        self.steps.append((call, [], [result.name]))
        return result

    def number(self, value):
        return self.made(f"full [] value = {value:e} : f16", (), "f16", lambda lib: value)

    def places(self, shape, dim):
        size = shape[dim]
        return self.made(f"iota {list(shape)} dim = {dim} dtype = i32", shape, "i32",
                         lambda lib: lib.arange(size, device="cuda", dtype=lib.int32).reshape(shape))

    #===-- element-wise ----------------------------------------------------===#

    def binary(self, name, x, y, call, dtype="f16"):
        rank = max(len(x.shape), len(y.shape))
        shapes = [(1,) * (rank - len(v.shape)) + v.shape for v in (x, y)]
        result = self.op(f"{name} {{}}, {{}}", [x, y], [tuple(map(max, *shapes))], call)
        if dtype != "f16":
            plain = result.type
            result.type = Value("", result.shape, dtype).type
            self.lines.append(self.lines.pop().replace(f"-> {plain}", f"-> {result.type}"))
        return result

    def scaled(self, x, value):
        return self.binary("mul", x, self.number(value), lambda lib, x, value: x * value)

    def moved(self, x, scale, shift):
        """x (1 + scale) + shift, as diffusion transformers condition their norms."""
        one = self.binary("add", scale, self.number(1), lambda lib, x, value: x + value)
        return self.binary("add", self.binary("mul", x, one, lambda lib, x, y: x * y), shift, lambda lib, x, y: x + y)

    def plain_norm(self, x):
        """Without weights: the program's have a norm with ones and zeros."""
        size = x.shape[-1]
        w, b = (self.made(f"full [{size}] value = {n:e} : f16", (size,), "f16", lambda lib: None) for n in (1, 0))
        return self.op("layer_norm {}, {}, {} eps = 1.0e-5", [x, w, b], [x.shape],
                       lambda lib, x, w, b: lib.nn.functional.layer_norm(x, x.shape[-1:], None, None, 1e-5))

    def slice(self, x, dim, begin, end):
        low, high, shape = [0] * len(x.shape), list(x.shape), list(x.shape)
        low[dim], high[dim], shape[dim] = begin, end, end - begin
        return self.op(f"slice {{}} {low} to {high} by {[1] * len(shape)}", [x], [tuple(shape)],
                       lambda lib, x: x.narrow(dim, begin, end - begin))

    #===-- attention -------------------------------------------------------===#

    def tables(self, tokens, depth):
        return self.input("cos", (tokens, depth)), self.input("sin", (tokens, depth))

    def rotated(self, x, cos, sin, depth=0):
        """Of the first `depth` numbers of each head alone, if there are more."""
        if not depth:
            return super().rotated(x, cos, sin)
        return self.concatenate([super().rotated(self.slice(x, 3, 0, depth), cos, sin), self.slice(x, 3, depth, x.shape[3])], 3)

    def rotated_end(self, x, cos, sin):
        """Of the last numbers of each head."""
        begin = x.shape[3] - cos.shape[1]
        return self.concatenate([self.slice(x, 3, 0, begin), self.rotated(self.slice(x, 3, begin, x.shape[3]), cos, sin)], 3)

    def attend(self, q, k, v, mask=None, causal=False, scale=None):
        """A mask is added to the scores, or says what is seen."""
        self.products += 2 * math.prod(q.shape[:-1]) * k.shape[2] * (q.shape[-1] + v.shape[-1]) // (2 if causal else 1)
        grouped, masks = q.shape[1] != k.shape[1], [mask] * (mask is not None)
        text = ("attention {}, {}, {}" + " mask = {}" * len(masks) + ' causal = "top_left"' * causal
                + (f" scale = {scale:e}" if scale else ""))
        return self.op(text, [q, k, v, *masks], [(*q.shape[:-1], v.shape[-1])],
                       lambda lib, q, k, v, *masks: lib.nn.functional.scaled_dot_product_attention(
                           q, k, v, *masks, is_causal=causal, scale=scale, enable_gqa=grouped))

    def softmax(self, x):
        return self.op("softmax {} dim = -1", [x], [x.shape], lambda lib, x: lib.softmax(x, -1))

    def matmul(self, x, y):
        self.products += 2 * math.prod(x.shape) * y.shape[-1]
        return self.op("matmul {}, {}", [x, y], [(*x.shape[:-1], y.shape[-1])], lambda lib, x, y: x @ y)

    def qkv(self, x, heads, shared, depth, bias):
        return (self.heads(self.linear(name, x, count * depth, bias), count)
                for name, count in (("q", heads), ("k", shared), ("v", shared)))

    def output(self, attended, width, bias):
        return self.linear("out", self.joined(attended), width, bias)

    #===-- feed-forward ----------------------------------------------------===#

    def gated(self, x, hidden, kind, call, joined=False):
        width = x.shape[-1]
        if joined:
            gate, up = self.split(self.linear("gate_up", x, 2 * hidden, False), 2)
        else:
            gate, up = self.linear("gate", x, hidden, False), self.linear("up", x, hidden, False)
        return self.linear("down", self.mul(self.unary(kind, gate, call), up), width, False)

    def mlp(self, x, hidden, kind="gelu", call=gelu, bias=True):
        return self.linear("down", self.unary(kind, self.linear("up", x, hidden, bias), call), x.shape[-1], bias)


def relu(lib, x):
    return lib.relu(x)


#===-- decoders --------------------------------------------------------------===#

def neox(batch, tokens):
    """Pythia 1.4B: a quarter of each head is rotated; attention and feed-forward side by side."""
    m, width, heads = Layer(), 2048, 16
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 32)
    q, k, v = m.qkv(m.layer_norm("n", x), heads, heads, 128, True)
    a = m.attend(m.rotated(q, cos, sin, 32), m.rotated(k, cos, sin, 32), v, causal=True)
    a, h = m.output(a, width, True), m.mlp(m.layer_norm("m", x), 4 * width)
    return m.case(f"neox_b{batch}_s{tokens}", m.add(m.add(x, a), h))


def phi(batch, tokens):
    """Phi-2: heads of 80, of which 32 numbers are rotated; one norm for both sides."""
    m, width, heads = Layer(), 2560, 32
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 32)
    n = m.layer_norm("n", x)
    q, k, v = m.qkv(n, heads, heads, 80, True)
    a = m.attend(m.rotated(q, cos, sin, 32), m.rotated(k, cos, sin, 32), v, causal=True)
    return m.case(f"phi_b{batch}_s{tokens}", m.add(m.add(x, m.output(a, width, True)), m.mlp(n, 4 * width)))


def llama(batch, tokens):
    """Llama 3 8B."""
    m, width = Layer(), 4096
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 128)
    q, k, v = m.qkv(m.rms_norm("n", x), 32, 8, 128, False)
    x = m.add(x, m.output(m.attend(m.rotated(q, cos, sin), m.rotated(k, cos, sin), v, causal=True), width, False))
    return m.case(f"llama_b{batch}_s{tokens}", m.add(x, m.gated(m.rms_norm("m", x), 14336, "silu", silu)))


def qwen(batch, tokens):
    """Qwen 3 0.6B: queries and keys are normalized, head by head."""
    m, width = Layer(), 1024
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 128)
    q, k, v = m.qkv(m.rms_norm("n", x), 16, 8, 128, False)
    q, k = m.rotated(m.rms_norm("qn", q), cos, sin), m.rotated(m.rms_norm("kn", k), cos, sin)
    x = m.add(x, m.output(m.attend(q, k, v, causal=True), width, False))
    return m.case(f"qwen_b{batch}_s{tokens}", m.add(x, m.gated(m.rms_norm("m", x), 3072, "silu", silu)))


def mistral(batch, tokens, window):
    """Mistral 7B's attention: a query sees a window of keys. What is seen is a tensor of truths, from places."""
    m, width = Layer(), 4096
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 128)
    q, k, v = m.qkv(m.rms_norm("n", x), 32, 8, 128, False)
    row, column = m.places((tokens, 1), 0), m.places((1, tokens), 1)
    behind = m.binary("le", column, row, lambda lib, c, r: c <= r, "i1")
    reach = m.made(f"full [] value = {window} : i32", (), "i32", lambda lib: window)
    end = m.binary("add", column, reach, lambda lib, c, r: c + r, "i32")
    near = m.binary("gt", end, row, lambda lib, e, r: e > r, "i1")
    seen = m.binary("logical_and", behind, near, lambda lib, a, b: a & b, "i1")
    a = m.attend(m.rotated(q, cos, sin), m.rotated(k, cos, sin), v, seen)
    return m.case(f"mistral_b{batch}_s{tokens}_w{window}", m.add(x, m.output(a, width, False)))


def gemma(batch, tokens):
    """Gemma 2 2B: scores go through tanh; norms behind attention and feed-forward as well."""
    m, width, heads, shared, depth = Layer(), 2304, 8, 4, 256
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, depth)
    mask = m.input("mask", (tokens, tokens))
    q, k, v = m.qkv(m.rms_norm("n", x), heads, shared, depth, False)
    q, k = m.rotated(q, cos, sin), m.rotated(k, cos, sin)
    # Heads that share keys are rows of one product.
    q = m.reshape(q, (batch, shared, heads // shared * tokens, depth))
    s = m.scaled(m.matmul(q, m.permute(k, [0, 1, 3, 2])), depth**-.5 / 50)
    s = m.scaled(m.unary("tanh", s, lambda lib, s: lib.tanh(s)), 50)
    s = m.reshape(s, (batch, shared, heads // shared, tokens, tokens))
    p = m.softmax(m.binary("add", s, mask, lambda lib, s, mask: s + mask))
    a = m.matmul(m.reshape(p, (batch, shared, heads // shared * tokens, tokens)), v)
    a = m.reshape(a, (batch, heads, tokens, depth))
    x = m.add(x, m.rms_norm("an", m.output(a, width, False)))
    return m.case(f"gemma_b{batch}_s{tokens}", m.add(x, m.rms_norm("fn", m.gated(m.rms_norm("m", x), 9216, "gelu", gelu))))


def falcon(batch, tokens):
    """Falcon 7B: 71 heads of queries over one of keys; one product for all of them, and no biases."""
    m, width, heads, depth = Layer(), 4544, 71, 64
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, depth)
    n = m.layer_norm("n", x)
    parts = m.heads(m.linear("qkv", n, (heads + 2) * depth, False), heads + 2)
    q, k, v = m.slice(parts, 1, 0, heads), m.slice(parts, 1, heads, heads + 1), m.slice(parts, 1, heads + 1, heads + 2)
    a = m.attend(m.rotated(q, cos, sin), m.rotated(k, cos, sin), v, causal=True)
    return m.case(f"falcon_b{batch}_s{tokens}", m.add(m.add(x, m.output(a, width, False)), m.mlp(n, 4 * width, bias=False)))


def bloom(batch, tokens):
    """BLOOM 1.1B: ALiBi, a bias of each head that falls with the distance, with the causal mask in it."""
    m, width, heads = Layer(), 1536, 16
    x, bias = m.input("x", (batch, tokens, width)), m.input("bias", (1, heads, tokens, tokens))
    q, k, v = (m.heads(part, heads) for part in m.split(m.linear("qkv", m.layer_norm("n", x), 3 * width), 3))
    x = m.add(x, m.output(m.attend(q, k, v, bias), width, True))
    return m.case(f"bloom_b{batch}_s{tokens}", m.add(x, m.mlp(m.layer_norm("m", x), 4 * width)))


def latent(batch, tokens):
    """DeepSeek-V2-Lite's attention: keys and values from 512 numbers; heads of 192 for scores, 64 of them rotated, of 128 for values."""
    m, width, heads = Layer(), 2048, 16
    x, (cos, sin) = m.input("x", (batch, tokens, width)), m.tables(tokens, 64)
    n = m.rms_norm("n", x)
    q = m.rotated_end(m.heads(m.linear("q", n, heads * 192, False), heads), cos, sin)
    down = m.linear("kv_down", n, 576, False)
    up = m.heads(m.linear("kv_up", m.rms_norm("kvn", m.slice(down, 2, 0, 512)), heads * 256, False), heads)
    turned = m.rotated(m.reshape(m.slice(down, 2, 512, 576), (batch, 1, tokens, 64)), cos, sin)
    turned = m.op(f"expand {{}} to {[batch, heads, tokens, 64]}", [turned], [(batch, heads, tokens, 64)],
                  lambda lib, x: x.expand(batch, heads, tokens, 64))
    k = m.concatenate([m.slice(up, 3, 0, 128), turned], 3)
    a = m.attend(q, k, m.slice(up, 3, 128, 256), causal=True)
    return m.case(f"deepseek_b{batch}_s{tokens}", m.add(x, m.output(a, width, False)))


#===-- encoders --------------------------------------------------------------===#

def t5(batch, tokens):
    """T5-large's encoder: a bias of places, and queries that are scaled in front of attention, not its scores."""
    m, width, heads = Layer(), 1024, 16
    x, bias = m.input("x", (batch, tokens, width)), m.input("bias", (1, heads, tokens, tokens))
    q, k, v = m.qkv(m.rms_norm("n", x), heads, heads, 64, False)
    x = m.add(x, m.output(m.attend(m.scaled(q, .125), k, v, bias, scale=1.0), width, False))
    return m.case(f"t5_b{batch}_s{tokens}", m.add(x, m.mlp(m.rms_norm("m", x), 4096, "relu", relu, False)))


def padded_bert(batch, tokens):
    """BERT-large with a mask of padding, which is added to the scores; products and a softmax, as its code has them."""
    m, width, heads = Layer(), 1024, 16
    x, mask = m.input("x", (batch, tokens, width)), m.input("mask", (batch, 1, 1, tokens))
    q, k, v = m.qkv(x, heads, heads, 64, True)
    s = m.binary("add", m.scaled(m.matmul(q, m.permute(k, [0, 1, 3, 2])), .125), mask, lambda lib, s, mask: s + mask)
    x = m.layer_norm("n", m.add(x, m.output(m.matmul(m.softmax(s), v), width, True)))
    return m.case(f"bert_padded_b{batch}_s{tokens}", m.layer_norm("m", m.add(x, m.mlp(x, 4 * width))))


def siglip(batch, tokens):
    """SigLIP so400m: heads of 72."""
    m, width, heads = Layer(), 1152, 16
    x = m.input("x", (batch, tokens, width))
    q, k, v = m.qkv(m.layer_norm("n", x), heads, heads, 72, True)
    x = m.add(x, m.output(m.attend(q, k, v), width, True))
    return m.case(f"siglip_b{batch}_s{tokens}", m.add(x, m.mlp(m.layer_norm("m", x), 4304)))


def dino(batch, tokens):
    """DINOv2-L: what attention and feed-forward add is scaled by channel."""
    m, width, heads = Layer(), 1024, 16
    x, first, second = m.input("x", (batch, tokens, width)), m.input("ls1", (width,)), m.input("ls2", (width,))
    q, k, v = (m.heads(part, heads) for part in m.split(m.linear("qkv", m.layer_norm("n", x), 3 * width), 3))
    x = m.add(x, m.mul(m.output(m.attend(q, k, v), width, True), first))
    return m.case(f"dino_b{batch}_s{tokens}", m.add(x, m.mul(m.mlp(m.layer_norm("m", x), 4 * width), second)))


def swin(batch, side, shift):
    """A stage of Swin-B: windows of 7x7, rolled, with a bias of places and what separates the parts of rolled windows."""
    m, width, heads, window = Layer(), 256, 8, 7
    count = (side // window)**2
    x, bias = m.input("x", (batch, side, side, width)), m.input("bias", (1, heads, 49, 49))
    apart = m.input("apart", (count, 1, 49, 49)) if shift else None

    def roll(x, by):
        return m.op(f"roll {{}} by [{by}, {by}] dims = [1, 2]", [x], [x.shape], lambda lib, x: lib.roll(x, (by, by), (1, 2)))
    n = m.layer_norm("n", x)
    n = roll(n, -3) if shift else n
    n = m.permute(m.reshape(n, (batch, side // 7, 7, side // 7, 7, width)), [0, 1, 3, 2, 4, 5])
    n = m.reshape(n, (batch * count, 49, width))
    q, k, v = (m.heads(part, heads) for part in m.split(m.linear("qkv", n, 3 * width), 3))
    mask = bias
    if shift:
        mask = m.binary("add", bias, apart, lambda lib, a, b: a + b)
        if batch > 1:
            mask = m.op(f"tile {{}} by {[batch, 1, 1, 1]}", [mask], [(batch * count, heads, 49, 49)],
                        lambda lib, x: x.repeat(batch, 1, 1, 1))
    y = m.output(m.attend(q, k, v, mask), width, True)
    y = m.permute(m.reshape(y, (batch, side // 7, side // 7, 7, 7, width)), [0, 1, 3, 2, 4, 5])
    y = m.reshape(y, (batch, side, side, width))
    x = m.add(x, roll(y, 3) if shift else y)
    return m.case(f"swin_b{batch}_{side}x{side}{'_shifted' if shift else ''}", m.add(x, m.mlp(m.layer_norm("m", x), 4 * width)))


#===-- cross-attention and diffusion -----------------------------------------===#

def whisper(batch, tokens):
    """A decoder layer of Whisper medium, 448 tokens or fewer over 1500 frames, whose keys and values were computed before."""
    m, width, heads = Layer(), 1024, 16
    x = m.input("x", (batch, tokens, width))
    keys, values = (m.input(name, (batch, heads, 1500, 64)) for name in ("keys", "values"))
    q, k, v = m.qkv(m.layer_norm("n", x), heads, heads, 64, True)
    x = m.add(x, m.output(m.attend(q, k, v, causal=True), width, True))
    q = m.heads(m.linear("cross_q", m.layer_norm("c", x), width), heads)
    x = m.add(x, m.linear("cross_out", m.joined(m.attend(q, keys, values)), width))
    return m.case(f"whisper_b{batch}_s{tokens}", m.add(x, m.mlp(m.layer_norm("m", x), 4 * width)))


def unet_cross(batch, side, width, heads):
    """Stable Diffusion 1.5: a picture's queries over 77 tokens, heads of 40 to 160, and GEGLU."""
    m, rows = Layer(), side * side
    x, text = m.input("x", (batch, rows, width)), m.input("text", (batch, 77, 768))
    q = m.heads(m.linear("q", m.layer_norm("n", x), width, False), heads)
    k, v = (m.heads(m.linear(name, text, width, False), heads) for name in "kv")
    x = m.add(x, m.output(m.attend(q, k, v), width, True))
    value, gate = m.split(m.linear("up", m.layer_norm("m", x), 8 * width), 2)
    return m.case(f"unet_b{batch}_{rows}x{width}", m.add(x, m.linear("down", m.mul(value, m.unary("gelu", gate, gelu)), width)))


def dit(batch, tokens):
    """DiT-XL: norms are moved, and what is added is scaled, by six vectors for each picture."""
    m, width, heads = Layer(), 1152, 16
    x, c = m.input("x", (batch, tokens, width)), m.input("c", (batch, width))
    parts = m.split(m.linear("ada", m.unary("silu", c, silu), 6 * width), 6)
    shift1, scale1, gate1, shift2, scale2, gate2 = (m.reshape(part, (batch, 1, width)) for part in parts)
    n = m.moved(m.plain_norm(x), scale1, shift1)
    q, k, v = (m.heads(part, heads) for part in m.split(m.linear("qkv", n, 3 * width), 3))
    times = lambda lib, x, y: x * y  # noqa: E731
    x = m.add(x, m.binary("mul", m.output(m.attend(q, k, v), width, True), gate1, times))
    n = m.moved(m.plain_norm(x), scale2, shift2)
    return m.case(f"dit_b{batch}_s{tokens}", m.add(x, m.binary("mul", m.mlp(n, 4 * width), gate2, times)))


def joint(batch, picture, text):
    """Attention of Stable Diffusion 3: text and picture have layers of their own, and attend to both; queries and keys normalized."""
    m, width, heads = Layer(), 1536, 24
    sides = []
    for name, tokens in (("t", text), ("p", picture)):
        x = m.input(name, (batch, tokens, width))
        q, k, v = (m.heads(m.linear(f"{name}{part}", x, width), heads) for part in "qkv")
        sides.append((m.rms_norm(name + "qn", q), m.rms_norm(name + "kn", k), v))
    q, k, v = (m.concatenate(list(parts), 2) for parts in zip(*sides))
    a = m.joined(m.attend(q, k, v))
    return m.case(f"sd3_b{batch}_s{picture}_t{text}", m.linear("out", m.slice(a, 1, text, text + picture), width))


def layer_cases():
    return [neox(1, 1024), phi(2, 512), llama(1, 1024), qwen(1, 2048), qwen(4, 300), mistral(1, 2048, 512), gemma(1, 1024), falcon(1, 512),
            bloom(2, 512), latent(1, 1024), t5(4, 512), padded_bert(8, 384), siglip(8, 729), dino(8, 257), swin(8, 56, False), swin(8, 56, True),
            whisper(1, 448), whisper(8, 64), unet_cross(2, 64, 320, 8), unet_cross(2, 32, 640, 8), dit(8, 256), joint(1, 1024, 154)]
