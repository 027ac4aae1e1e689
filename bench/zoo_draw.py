"""Random choices of the zoo: places in published models where a layer stands, sizes at random, dynamic sizes."""
import math
from dataclasses import dataclass

from zoo_program import Program, Size


class Redraw(Exception):
    """What was drawn is too large."""


@dataclass(frozen=True)
class Limits:
    """Of one case: elements of a tensor, operations of its products in 16 bits, and in f32 without TF32."""
    elements: int = 1 << 27
    flops: int = 2 * 10**12
    flops_f32: int = 10**11
    # Elements of the largest tensor of nearly all cases.
    least: int = 1 << 17


# For the reference evaluator and one core.
SMALL = Limits(20000, 10**6, 10**6, 1)
# Sizes that no vector width divides, where the models have them: windows of 7 x 7 and of 3, tokens, classes, vocabularies.
ODD = (3, 12, 49, 77, 197, 1000, 30011, 50257)


class Draw:
    """One case: what the layers of zoo_layers.py draw from. They note in `place` where in which model they stand."""

    def __init__(self, rng, table, limits, dtype, dynamic):
        self.rng, self.table, self.limits, self.dtype, self.dynamic = rng, table, limits, dtype, dynamic
        self.place = None
        self.program = Program(dtype)

    def chance(self, probability):
        return self.rng.random() < probability

    def choice(self, options):
        return self.rng.choice(options)

    #===-- sizes -------------------------------------------------------------===#

    def near(self, low, high):
        """Logarithmic, any integer."""
        return min(high, max(low, round(math.exp(self.rng.uniform(math.log(low), math.log(high + 1))))))

    def number(self, low, high):
        """A size at random: a power of two, a multiple of 8, one of ODD, or any."""
        size, kind = self.near(low, high), self.rng.random()
        if kind < 0.25:
            size = 1 << round(math.log2(size))
        elif kind < 0.45:
            size = max(1, round(size / 8)) * 8
        elif kind < 0.6:
            size = self.choice([n for n in ODD if low <= n <= high] or [size])
        return size if low <= size <= high else self.near(low, high)

    def fit(self, rows, columns):
        """As many of `rows` as the limits leave to a tensor of so many columns."""
        if columns > self.limits.elements:
            raise Redraw
        return max(1, min(rows, self.limits.elements // columns))

    def dim(self, size, others):
        """This size, or where the case is dynamic, a dynamic one with this size as the expected one. `others`: elements for each."""
        if not self.dynamic or size < 2:
            return size
        self.dynamic = False
        largest = max(size, self.fit(self.choice([size, 2 * size, 4 * size]), others))
        return Size("n", 1, size, largest, self.near(max(1, size // 16), largest))

    #===-- places ------------------------------------------------------------===#

    def at(self, model, layer):
        self.place = {"model": model.name, "source": model.source, "layer": layer} if model else {
            "model": "at random", "source": "", "layer": layer}

    def tokens(self, model):
        """Rows of a transformer: all tokens of a batch, a prompt of any length, or one token for each sequence."""
        kind = self.rng.random()
        if kind < 0.2:
            return self.choice([1, 2, 4, 8, 12, 16, 24, 32, 48, 64])
        length = model.tokens if kind < 0.7 else self.near(8, model.tokens)
        return self.choice([1, 1, 2, 4, 8, 16]) * length

    def row_place(self):
        """(rows, columns) of a tensor whose rows a layer reduces or normalizes."""
        kind = self.rng.random()
        if kind < 0.4:
            model = self.choice(self.table.transformers)
            columns, layer = self.choice([(model.width, "hidden"), (model.width, "hidden"), (model.ffn, "feed-forward"),
                                          (model.vocabulary, "logits"), (model.heads * model.head, "heads")])
            rows = self.tokens(model)
        elif kind < 0.5:
            model = self.choice(self.table.convolutional)
            columns, size = self.choice(model.stages)
            rows, layer = self.choice(model.batches) * size * size, "channels last"
        elif kind < 0.6:
            model = self.choice(self.table.diffusion)
            columns, size = self.choice(model.levels)
            rows, layer = self.choice([1, 2, 4]) * size * size, "transformer of a U-Net"
        elif kind < 0.65:
            model = self.choice(self.table.recommenders)
            rows, columns, layer = self.near(256, 65536), model.embedding, "embeddings"
        else:
            model, layer = None, "rows"
            columns = self.number(3, min(self.limits.elements // 4, 70000))
            rows = self.number(1, max(1, min(self.limits.elements // columns, 300000)))
        self.at(model, layer)
        return self.fit(rows, columns), columns

    def linear_place(self):
        """(rows, columns, K) of a linear layer."""
        kind = self.rng.random()
        if kind < 0.5:
            model = self.choice(self.table.transformers)
            width, heads, keys = model.width, model.heads * model.head, model.kv_heads * model.head
            columns, k, layer = self.choice([
                (heads, width, "query"), (keys, width, "key"), (heads + 2 * keys, width, "query, key and value"),
                (width, heads, "attention output"), (model.ffn, width, "feed-forward, up"), (width, model.ffn, "feed-forward, down"),
                (model.vocabulary, width, "logits")])
            rows = self.tokens(model)
        elif kind < 0.6:
            model = self.choice(self.table.convolutional)
            k, size = self.choice(model.stages)
            columns, rows = k * model.expansion, self.choice(model.batches) * size * size
            layer = "1 x 1 convolution, channels last"
            if model.classes and self.chance(0.2):
                rows, columns, k, layer = self.choice(model.batches), model.classes, model.stages[-1][0], "classes"
            elif self.chance(0.5):
                columns, k = k, columns
        elif kind < 0.7:
            model = self.choice(self.table.diffusion)
            channels, size = self.choice(model.levels)
            rows = self.choice([1, 2, 4]) * size * size
            columns, k, layer = self.choice([(channels, channels, "attention of a U-Net"), (8 * channels, channels, "GEGLU"),
                                             (channels, 4 * channels, "feed-forward, down"), (channels, model.context, "text")])
            if layer == "text":
                rows = self.choice([1, 2, 4]) * model.text_tokens
        elif kind < 0.77:
            model = self.choice(self.table.recommenders)
            place = self.rng.randrange(len(model.layers))
            rows, columns, layer = self.near(64, 65536), model.layers[place], "tower"
            k = model.layers[place - 1] if place else model.features
        else:
            model, layer = None, "linear"
            rows, columns, k = self.number(1, 9000), self.number(8, 17000), self.number(8, 17000)
            if self.limits.elements < 1 << 20:
                rows, columns, k = 1 + rows % 40, 1 + columns % 50, 1 + k % 60
        self.at(model, layer)
        return self.fit_linear(rows, columns, k), columns, k

    def fit_linear(self, rows, columns, k, products=1):
        """As many of `rows` as the limits leave to so many products of this size."""
        if columns * k > self.limits.elements:
            raise Redraw
        flops = self.limits.flops_f32 if self.dtype == "f32" else self.limits.flops
        return max(1, min(self.fit(rows, max(columns, k)), flops // (2 * products * columns * k)))

    def attention_place(self):
        """(batch, tokens, heads, features of a head)"""
        model = self.choice(self.table.transformers)
        length = model.tokens if self.chance(0.6) else self.near(min(8, model.tokens), model.tokens)
        self.at(model, "attention")
        batch = self.fit(self.choice([1, 2, 4, 8, 16, 32]), length * model.heads * model.head)
        return batch, length, model.heads, model.head

    def image_place(self):
        """(batch, channels, height, width)"""
        model = self.choice(self.table.convolutional + self.table.diffusion)
        is_diffusion = hasattr(model, "levels")
        channels, size = self.choice(model.levels if is_diffusion else model.stages)
        self.at(model, "feature map")
        batch = self.choice([1, 2, 4, 8]) if is_diffusion else self.choice(model.batches)
        return self.fit(batch, channels * size * size), channels, size, size

    def random_shape(self, least=1, most=4):
        """Dimensions at random within the limit."""
        rank = self.rng.randint(least, most)
        left, dims = self.near(min(4096, self.limits.elements // 2), self.limits.elements), []
        for i in range(rank):
            size = self.number(1, max(1, left)) if i == rank - 1 else self.number(1, max(1, round(left ** (1.5 / (rank - i)))))
            size = min(size, 1 << 24)
            dims.append(size)
            left //= size
        self.rng.shuffle(dims)
        self.at(None, "any shape")
        return tuple(dims)

    def any_shape(self):
        """Of a tensor that is moved or computed with element by element."""
        kind = self.rng.random()
        if kind < 0.2:
            batch, tokens, heads, size = self.attention_place()
            return self.choice([(batch, tokens, heads * size), (batch, tokens, heads, size), (batch * tokens, heads * size)])
        if kind < 0.45:
            return self.image_place()
        if kind < 0.6:
            return self.row_place()
        return self.random_shape()
