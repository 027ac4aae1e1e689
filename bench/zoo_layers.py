"""The layers of the zoo, by group. Each function takes a Draw, adds to its program and returns the results."""
import math

from zoo_draw import Redraw


def vector(d, size, scale=1.0):
    return d.program.input(size, scale=scale)


def weight(d, columns, k):
    return d.program.input(columns, k, scale=k ** -0.5)


def activation(d, kind, x):
    return d.program.unary(kind, x) if kind else x


#===-- linear --------------------------------------------------------------===#

def plain_linear(d):
    rows, columns, k = d.linear_place()
    x = d.program.input(d.dim(rows, max(columns, k)), k)
    if d.chance(0.35):
        return [d.program.matmul(x, d.program.input(k, columns, scale=k ** -0.5))]
    return [d.program.linear(x, weight(d, columns, k))]


def linear_and_more(d, bias, kinds, residual):
    rows, columns, k = d.linear_place()
    p, rows = d.program, d.dim(rows, max(columns, k))
    x = p.input(rows, k)
    if d.chance(0.3):
        y = p.matmul(x, p.input(k, columns, scale=k ** -0.5))
        y = p.binary("add", y, vector(d, columns)) if bias else y
    else:
        w = weight(d, columns, k)
        y = p.linear(x, w, vector(d, columns) if bias else None)
    y = activation(d, d.choice(kinds), y)
    return [p.binary("add", p.input(rows, columns), y) if residual else y]


def batched(d):
    """Scores of attention, or what they weigh."""
    batch, tokens, heads, size = d.attention_place()
    flops = d.limits.flops_f32 if d.dtype == "f32" else d.limits.flops
    many = min(batch * heads, d.limits.elements // (tokens * max(tokens, size)), flops // (2 * tokens * tokens * size))
    if many < 1:
        raise Redraw
    p = d.program
    if d.chance(0.5):
        return [p.matmul(p.input(many, tokens, tokens, scale=tokens ** -0.5), p.input(many, tokens, size))]
    # The left operand is the first input: the harness gives both to cuBLASLt in this order.
    queries, keys = p.input(many, tokens, size), p.input(many, tokens, size, scale=size ** -0.5)
    return [p.matmul(queries, p.permute(keys, (0, 2, 1)))]


LINEAR = {
    "linear": plain_linear,
    "linear, bias": lambda d: linear_and_more(d, True, [None], False),
    "linear, activation": lambda d: linear_and_more(d, d.chance(0.7), ["gelu", "silu", "relu"], False),
    "linear, residual": lambda d: linear_and_more(d, d.chance(0.6), [None, None, None, "gelu"], True),
    "linear, batched": batched,
}


#===-- rows ----------------------------------------------------------------===#

def row_input(d, rows=None, columns=None):
    if rows is None:
        rows, columns = d.row_place()
    if d.chance(0.2) and rows % 4 == 0 and not d.dynamic:
        return d.program.input(4, rows // 4, columns), columns
    return d.program.input(d.dim(rows, columns), columns), columns


def masked_softmax(d):
    """Scores of attention; the mask is one for all heads."""
    batch, tokens, heads, size = d.attention_place()
    heads = min(batch * heads, d.limits.elements // (tokens * tokens))
    if heads < 1:
        raise Redraw
    heads = d.dim(heads, tokens * tokens)
    p = d.program
    x = p.scaled(p.input(heads, tokens, tokens, scale=3.0), size ** -0.5)
    mask = p.input(tokens, tokens)
    if d.chance(0.3):
        x = p.where_positive(mask, x, p.input(1, 1, tokens, scale=0.1))
    else:
        x = p.binary("add", x, mask)
    return [p.softmax(x)]


def norm(d, kind, x, columns):
    if kind == "layer":
        return d.program.layer_norm(x, vector(d, columns), vector(d, columns))
    return d.program.rms_norm(x, vector(d, columns))


def residual_norm(d):
    x, columns = row_input(d)
    p = d.program
    y = p.binary("add", x, p.input(*p.dims[x]))
    n = norm(d, d.choice(["layer", "rms"]), y, columns)
    return [n, y] if d.chance(0.5) else [n]


def reduction_pair(d):
    """Two reductions of one input."""
    x, _ = row_input(d)
    p, kind = d.program, d.choice(["mean and var", "mean and mean of squares", "max and sum", "sum and sum of silu"])
    d.place = {**d.place, "layer": f"{d.place['layer']}, {kind}"}
    if kind == "mean and var":
        return [p.reduce("mean", x, [-1]), p.reduce("var", x, [-1])]
    if kind == "mean and mean of squares":
        return [p.reduce("mean", x, [-1]), p.reduce("mean", p.binary("mul", x, x), [-1])]
    if kind == "max and sum":
        return [p.reduce("max", x, [-1]), p.reduce("sum", x, [-1])]
    return [p.reduce("sum", x, [-1]), p.reduce("sum", p.unary("silu", x), [-1])]


def group_norm(d):
    batch, channels, height, width = d.image_place()
    groups = next(g for g in (32, 16, 8, 4, 2, 1) if channels % g == 0)
    p = d.program
    y = p.group_norm(p.input(d.dim(batch, channels * height * width), channels, height, width),
                     vector(d, channels), vector(d, channels), groups)
    return [activation(d, d.choice([None, "silu"]), y)]


def of_rows(function):
    def layer(d):
        x, columns = row_input(d)
        return [function(d, x, columns)]
    return layer


ROWS = {
    "softmax": of_rows(lambda d, x, n: d.program.softmax(x)),
    "log_softmax": of_rows(lambda d, x, n: d.program.log_softmax(x)),
    "softmax, masked": masked_softmax,
    "layer_norm": of_rows(lambda d, x, n: norm(d, "layer", x, n)),
    "rms_norm": of_rows(lambda d, x, n: norm(d, "rms", x, n)),
    "norm, residual": residual_norm,
    "group_norm": group_norm,
    "sum of rows": of_rows(lambda d, x, n: d.program.reduce("sum", x, [-1])),
    "max of rows": of_rows(lambda d, x, n: d.program.reduce("max", x, [-1])),
    "argmax": of_rows(lambda d, x, n: d.program.argmax(x)),
    "two reductions": reduction_pair,
}


#===-- movement and the rest -----------------------------------------------===#

def shaped(d, shape, place=None):
    """An input of this shape; in a dynamic case one dimension, at `place` or any, is dynamic."""
    if d.dynamic:
        place = d.rng.randrange(len(shape)) if place is None else place
        shape = [d.dim(n, math.prod(shape) // n) if i == place else n for i, n in enumerate(shape)]
    return d.program.input(*shape)


def bias_last(d):
    x = shaped(d, d.any_shape())
    p = d.program
    y = p.binary("add", x, p.input(p.dims[x][-1]))
    return [activation(d, d.choice([None, "gelu", "silu", "relu"]), y)]


def per_channel(d):
    """Scale and shift, or the factors of a squeeze-and-excitation layer."""
    shape = d.image_place()
    x, p = shaped(d, shape, 0), d.program
    if d.chance(0.4):
        return [p.binary("mul", x, p.input(p.dims[x][0], shape[1], 1, 1))]
    y = p.binary("add", p.binary("mul", x, p.input(shape[1], 1, 1)), p.input(shape[1], 1, 1))
    y = p.binary("add", y, p.input(*p.dims[x])) if d.chance(0.3) else y
    return [activation(d, d.choice([None, "relu", "silu"]), y)]


def broadcast(d):
    """Operands of which each lacks some of the dimensions."""
    shape = d.any_shape()
    p, x = d.program, shaped(d, shape)
    full = p.dims[x]
    for _ in range(d.choice([1, 1, 2])):
        dims = [1 if d.chance(0.5) else n for n in full]
        first = next((i for i, n in enumerate(dims) if n != 1), len(dims) - 1) if d.chance(0.5) else 0
        x = p.binary(d.choice(["add", "mul", "sub", "maximum"]), x, p.input(*dims[first:]))
    return [x]


def outer(d):
    """Neither operand has the shape of the result."""
    rows, columns = d.row_place()
    p = d.program
    return [p.binary(d.choice(["add", "mul"]), p.input(d.dim(rows, columns), 1), p.input(1, columns))]


def gated(d):
    x, p = shaped(d, d.any_shape()), d.program
    return [p.binary("mul", p.unary(d.choice(["silu", "gelu"]), x), p.input(*p.dims[x]))]


def permuted(d):
    p = d.program
    if d.chance(0.4):
        x, order = shaped(d, d.attention_place()), d.choice([(0, 2, 1, 3), (0, 2, 3, 1)])
    elif d.chance(0.3):
        x, order = shaped(d, d.image_place()), d.choice([(0, 2, 3, 1), (0, 3, 1, 2)])
    else:
        x = shaped(d, d.random_shape(2, 4))
        rank = len(p.dims[x])
        order = d.rng.sample(range(rank), rank)
        if order == sorted(order):
            order.reverse()
    return [p.permute(x, tuple(order))]


def add_transposed(d):
    rows, columns = d.row_place()
    p = d.program
    x = shaped(d, (rows, columns))
    turned = p.input(*reversed(p.dims[x]))
    return [p.binary("add", x, p.permute(turned, (1, 0)))]


def other_reduction(d, kinds=("sum", "mean", "max")):
    """Over dimensions that may be any but the last alone."""
    shape = d.image_place() if d.chance(0.3) else d.random_shape(2, 4)
    rank = len(shape)
    dims = d.rng.sample(range(rank), d.rng.randint(1, rank - 1))
    if dims == [rank - 1]:
        dims = [0]
    return [d.program.reduce(d.choice(kinds), shaped(d, shape), dims, d.chance(0.2))]


def whole_reduction(d):
    shape = d.any_shape()
    return [d.program.reduce(d.choice(["sum", "mean", "max"]), shaped(d, shape), range(len(shape)))]


def global_pool(d):
    return [d.program.reduce("mean", shaped(d, d.image_place(), 0), [2, 3])]


def cumulative_sum(d):
    shape = d.random_shape(1, 3) if d.chance(0.7) else d.row_place()
    return [d.program.cumsum(shaped(d, shape), d.rng.randrange(len(shape)))]


def concatenated(d):
    shape = d.image_place() if d.chance(0.4) else d.any_shape()
    dim = 1 if len(shape) == 4 and d.chance(0.6) else d.rng.randrange(len(shape))
    p, tensors = d.program, []
    others = [i for i in range(len(shape)) if i != dim]
    first = shaped(d, shape, d.choice(others)) if others else p.input(*shape)
    for _ in range(d.choice([1, 1, 2, 3])):
        dims = list(p.dims[first])
        dims[dim] = dims[dim] if d.chance(0.5) else d.number(1, dims[dim])
        tensors.append(p.input(*dims))
    return [p.concatenate([first, *tensors], dim)]


def sliced(d):
    shape = d.any_shape()
    starts = [d.choice([0, 0, d.rng.randrange(n)]) for n in shape]
    stops = [d.choice([n, d.rng.randint(a + 1, n)]) for a, n in zip(starts, shape)]
    steps = [1] * len(shape)
    if d.chance(0.15):
        steps[d.rng.randrange(len(shape))] = 2
    if all(a == 0 and b == n for a, b, n in zip(starts, stops, shape)):
        raise Redraw
    return [d.program.slice(d.program.input(*shape), starts, stops, steps)]


def padded(d):
    shape = d.image_place() if d.chance(0.5) else d.any_shape()
    dims = {len(shape) - 1, max(0, len(shape) - 2)} if d.chance(0.6) else {d.rng.randrange(len(shape))}
    most = d.choice([1, 1, 3, 8, 64])
    low, high = ([d.rng.randint(0, most) if i in dims else 0 for i in range(len(shape))] for _ in range(2))
    if not any(low + high):
        raise Redraw
    return [d.program.pad(d.program.input(*shape), low, high)]


def embedded(d):
    p = d.program
    if d.chance(0.5):
        model = d.choice(d.table.transformers)
        table, columns, count = model.vocabulary, model.width, d.tokens(model)
    else:
        model = d.choice(d.table.recommenders)
        table, columns, count = d.choice(model.tables), model.embedding, d.near(256, 65536)
    if table * columns > d.limits.elements * 2:
        raise Redraw
    d.at(model, "embedding")
    weights = p.input(table, columns)
    index = p.input(d.dim(d.fit(count, columns), columns), dtype="i64", below=table)
    y = p.embedding(weights, index)
    return [p.binary("add", y, p.input(columns)) if d.chance(0.2) else y]


def gathered(d):
    """Along any dimension."""
    shape = d.random_shape(2, 3)
    dim = d.rng.randrange(len(shape))
    count = d.fit(d.number(1, 2 * shape[dim]), math.prod(shape) // shape[dim])
    return [d.program.gather(d.program.input(*shape), d.program.input(count, dtype="i64", below=shape[dim]), dim)]


def divided(d):
    """Queries, keys and values that were computed together, or parts of any size."""
    p = d.program
    if d.chance(0.5):
        batch, tokens, heads, size = d.attention_place()
        rows = d.fit(batch * tokens, 3 * heads * size)
        return p.split(p.input(d.dim(rows, 3 * heads * size), 3 * heads * size), [heads * size] * 3, 1)
    shape = d.random_shape(1, 3)
    dim = max(range(len(shape)), key=lambda i: shape[i])
    if shape[dim] < 2:
        raise Redraw
    first = d.rng.randint(1, shape[dim] - 1)
    return p.split(p.input(*shape), [first, shape[dim] - first], dim)


MOVEMENT = {
    "bias": bias_last, "per channel": per_channel, "broadcast": broadcast, "outer": outer, "gated": gated,
    "permute": permuted, "add transposed": add_transposed, "reduce other dimensions": other_reduction,
    "reduce all": whole_reduction, "global pool": global_pool, "cumsum": cumulative_sum, "concatenate": concatenated,
    "slice": sliced, "pad": padded, "embedding": embedded, "gather": gathered, "split": divided,
}


#===-- blocks --------------------------------------------------------------===#

def transformer(d, products, layer):
    model = d.choice(d.table.transformers)
    d.at(model, layer)
    rows = d.fit_linear(d.tokens(model), model.ffn, model.width, products)
    return model, d.dim(rows, model.ffn)


def feed_forward(d, order):
    """Two linear layers, with a residual and a norm in front of all (`order` pre), behind all (post), or neither."""
    model, rows = transformer(d, 2, f"feed-forward, norm: {order}")
    p, kind = d.program, "relu" if model.activation == "relu" else "gelu"
    x = p.input(rows, model.width)
    h = norm(d, model.norm, x, model.width) if order == "pre" else x
    h = p.unary(kind, p.linear(h, weight(d, model.ffn, model.width), vector(d, model.ffn) if model.bias else None))
    h = p.linear(h, weight(d, model.width, model.ffn), vector(d, model.width) if model.bias else None)
    if order != "none":
        h = p.binary("add", x, h)
    return [norm(d, model.norm, h, model.width) if order == "post" else h]


def gated_feed_forward(d):
    """GEGLU or SwiGLU, its two linear layers joined or not."""
    model, rows = transformer(d, 3, "gated feed-forward")
    p, kind = d.program, "gelu" if model.activation == "geglu" else "silu"
    x = p.input(rows, model.width)
    if d.chance(0.5):
        gate, up = p.split(p.linear(x, weight(d, 2 * model.ffn, model.width)), [model.ffn] * 2, 1)
    else:
        gate, up = (p.linear(x, weight(d, model.ffn, model.width)) for _ in range(2))
    h = p.binary("mul", p.unary(kind, gate), up)
    return [h if d.chance(0.4) else p.linear(h, weight(d, model.width, model.ffn))]


def unet_geglu(d):
    model = d.choice(d.table.diffusion)
    channels, size = d.choice(model.levels)
    d.at(model, "GEGLU")
    rows = d.dim(d.fit_linear(d.choice([1, 2, 4]) * size * size, 8 * channels, channels), 8 * channels)
    p = d.program
    h = p.linear(p.input(rows, channels), weight(d, 8 * channels, channels), vector(d, 8 * channels))
    value, gate = p.split(h, [4 * channels] * 2, 1)
    return [p.binary("mul", value, p.unary("gelu", gate))]


def joined_linear(d):
    """Three linear layers of one input."""
    model = d.choice(d.table.transformers)
    d.at(model, "query, key and value")
    heads, keys = model.heads * model.head, model.kv_heads * model.head
    rows = d.dim(d.fit_linear(d.tokens(model), heads, model.width, 3), heads)
    p = d.program
    x = p.input(rows, model.width)
    if d.chance(0.4):
        x = norm(d, model.norm, x, model.width)
    return [p.linear(x, weight(d, n, model.width), vector(d, n) if model.bias else None) for n in (heads, keys, keys)]


def attention_output(d):
    """The linear layer behind attention, the residual and the norm of the next layer."""
    model = d.choice(d.table.transformers)
    d.at(model, "attention output, residual, norm")
    k = model.heads * model.head
    rows = d.dim(d.fit_linear(d.tokens(model), model.width, k), max(model.width, k))
    p = d.program
    h = p.linear(p.input(rows, k), weight(d, model.width, k), vector(d, model.width) if model.bias else None)
    y = p.binary("add", p.input(rows, model.width), h)
    return [norm(d, model.norm, y, model.width), y]


def tower(d):
    """The linear layers of a recommender."""
    model = d.choice(d.table.recommenders)
    d.at(model, "tower")
    p, rows = d.program, d.near(128, 32768) if d.limits.elements > 1 << 20 else d.near(1, 20)
    k, x = model.features, None
    rows = d.dim(rows, max(model.layers))
    x = p.input(rows, k)
    for columns in model.layers[:d.choice([2, 3])]:
        x, k = p.unary("relu", p.linear(x, weight(d, columns, k), vector(d, columns))), columns
    return [x]


BLOCKS = {
    "feed-forward": lambda d: feed_forward(d, "none"),
    "feed-forward, residual, norm": lambda d: feed_forward(d, d.choice(["pre", "post"])),
    "gated feed-forward": gated_feed_forward,
    "GEGLU of a U-Net": unet_geglu,
    "joined linear": joined_linear,
    "attention output": attention_output,
    "tower": tower,
}

# Group -> its share of the cases, its families.
GROUPS = {"linear": (2, LINEAR), "rows": (2, ROWS), "movement": (3, MOVEMENT), "blocks": (1, BLOCKS)}
