"""Draws convolutions, pooling, resize and norms over channels."""
import shapes
from elements import ALL, CLASSES
from shapes import Dim, Invalid

FLOAT = CLASSES["float"]
NUMBERS = CLASSES["float"] + CLASSES["integer"]


def spatial_dims(b, rank):
    """Small ones, some of them dynamic."""
    dims = []
    for _ in range(rank):
        dynamic = [d for d in b.dims if not d.static and min(d.sizes) > 0 and max(d.sizes[:b.runs - b.wide]) <= 12]
        dims.append(b.one_of(dynamic) if dynamic and b.chance(0.4) else shapes.known(b.one_of([1, 2, 3, 4, 5, 6, 8]), b.runs))
    return dims


def numbers(b, rank, choices, missing):
    """A list for all spatial dimensions, or none."""
    found = [b.one_of(choices) for _ in range(rank)]
    return [] if b.chance(0.4) or all(n == missing for n in found) else found


def image(b, dtypes, rank, channels):
    """(batch, channels, spatial...): a value, or a fresh one."""
    def suits(type_):
        return min(type_.dims[1].sizes) > 0 and all(min(d.sizes) > 0 for d in type_.dims[2:])
    value = b.pick(lambda t: t.dtype in dtypes and len(t.dims) == rank + 2 and suits(t))
    if value is not None and b.chance(0.7):
        return value
    batch = b.one_of(b.dims) if b.chance(0.5) else shapes.known(b.one_of([0, 1, 1, 2, 3]), b.runs)
    dims = [batch, shapes.known(channels, b.runs), *spatial_dims(b, rank)]
    if not b.fits(dims):
        dims[0] = shapes.known(1, b.runs)
    if not b.fits(dims):
        raise Invalid("size")
    return b.fresh(b.one_of(dtypes), dims)


def check_products(b, dims):
    volumes = shapes.volumes(dims, b.runs)
    if max(volumes[:-1] if b.wide else volumes) > b.limits.products or volumes[-1] > 4_000_000:
        raise Invalid("products")


def convolution(transposed):
    def draw(b):
        rank = b.one_of([1, 1, 2, 2, 2, 3])
        value = image(b, NUMBERS, rank, b.one_of([1, 2, 3, 4, 6, 8]))
        type_ = b.type(value)
        channels = type_.dims[1]
        static = channels.static
        groups = b.one_of([g for g in (1, 1, 2, 3, channels.sizes[0]) if static and channels.sizes[0] % g == 0] or [1])
        window = [b.one_of([1, 1, 2, 3, 3, 4]) for _ in range(rank)] if b.chance(0.8) else [1] * rank
        outputs = b.one_of([1, 2, 3, 4])
        each = shapes.known(channels.sizes[0] // groups, b.runs) if static else channels
        if transposed:
            lead, total = [channels, shapes.known(outputs, b.runs)], outputs * groups
        else:
            lead, total = [shapes.known(outputs * groups, b.runs), each], outputs * groups
        attributes = {"stride": numbers(b, rank, [1, 1, 2, 3], 1), "dilation": numbers(b, rank, [1, 1, 1, 2], 1),
                      "low": numbers(b, rank, [0, 1, 1, 2], 0), "high": numbers(b, rank, [0, 1, 1, 2], 0), "groups": groups}
        if transposed:
            attributes["output_padding"] = numbers(b, rank, [0, 0, 1], 0)
        if type_.dtype == "f32" and b.chance(0.1):
            attributes["tf32"] = True
        weight = b.fresh(type_.dtype, [*lead, *(shapes.known(k, b.runs) for k in window)])
        args = [value, weight] + ([b.fresh(type_.dtype, [shapes.known(total, b.runs)])] if b.chance(0.5) else [])
        name = "conv_transpose" if transposed else "convolution"
        result = b.apply(name, args, attributes)[0]
        check_products(b, [*b.type(result).dims, each, *(shapes.known(k, b.runs) for k in window)])
        check_products(b, [*type_.dims[:2], *b.type(result).dims[2:], *(shapes.known(k, b.runs) for k in window)])
    return draw


def pool(name):
    def draw(b):
        value = b.operand((*FLOAT, "i8") if name == "avgpool" else NUMBERS, (1, 5), lambda t: min(t.dims[-1].sizes) > 0)
        dims = b.type(value).dims
        rank = b.some(1, min(3, len(dims)))
        window = [b.one_of([1, 2, 2, 3, 3, 5]) for _ in range(rank)]
        attributes = {"window": window, "stride": numbers(b, rank, [1, 2, 2, 3], 1), "dilation": numbers(b, rank, [1, 1, 1, 2], 1),
                      "ceil": b.chance(0.3)}
        for side in ("low", "high"):
            widths = [b.some(0, k - 1) for k in window]
            attributes[side] = widths if any(widths) and b.chance(0.6) else []
        if name == "avgpool" and b.chance(0.5):
            attributes["exclude"] = True
        result = b.apply(name, [value], attributes)[0]
        check_products(b, [*b.type(result).dims, *(shapes.known(k, b.runs) for k in window)])
    return draw


def channel_norm(name):
    def draw(b):
        spatial = name == "instance_norm"
        value = b.operand(FLOAT, (2 + spatial, 5), lambda t: t.dims[1].sizes[0] > 0)
        type_ = b.type(value)
        channels = type_.dims[1]
        attributes = {"eps": b.one_of([1e-5, 1e-3, 1.0])}
        if name == "group_norm":
            attributes["groups"] = b.one_of([g for g in (1, 2, 3, channels.sizes[0]) if channels.static and
                                             channels.sizes[0] % g == 0] or [1])
        vectors = 4 if name == "batch_norm" else 2
        b.apply(name, [value, *(b.fresh(type_.dtype, [channels]) for _ in range(vectors))], attributes)
    return draw


def constant(b, dtype, sizes, fill):
    return b.apply("constant", [], {"dtype": dtype, "shape": sizes, "fill": fill, "seed": b.some(0, 1 << 30), "splat": False})[0]


def folded_norm(b):
    """A norm of a convolution whose weights and statistics are constants, which the compiler makes one operation of."""
    dtype, rank, groups = b.one_of(["f32", "f32", "f64", "f16"]), b.one_of([1, 2]), b.one_of([1, 2, 3])
    each, outputs, transposed = b.some(1, 3), b.some(1, 3), b.chance(0.5)
    value = b.fresh(dtype, [shapes.known(b.some(0, 2), b.runs), shapes.known(each * groups, b.runs), *spatial_dims(b, rank)])
    lead = [each * groups, outputs] if transposed else [outputs * groups, each]
    args = [value, constant(b, dtype, [*lead, *(b.some(1, 3) for _ in range(rank))], "normal")]
    channels = [outputs * groups]
    if b.chance(0.5):
        args.append(constant(b, dtype, channels, "normal"))
    attributes = {"stride": numbers(b, rank, [1, 2], 1), "dilation": [], "low": [], "high": [], "groups": groups}
    if transposed:
        attributes["output_padding"] = []
    found = b.apply("conv_transpose" if transposed else "convolution", args, attributes)[0]
    statistics = [constant(b, dtype, channels, fill) for fill in ("normal", "positive", "normal", "normal")]
    b.apply("batch_norm", [found, *statistics], {"eps": b.one_of([1e-5, 1e-3, 1.0])})


def batch_norm(b):
    (folded_norm if b.chance(0.5) else channel_norm("batch_norm"))(b)


def resize(b):
    mode = b.one_of(["nearest", "linear", "linear", "cubic"])
    value = b.operand(ALL if mode == "nearest" else (*FLOAT, "i8"), (1, 5), lambda t: all(min(d.sizes) > 0 for d in t.dims))
    dims = b.type(value).dims
    attributes = {"mode": mode, "coordinates": b.one_of(["half_pixel", "asymmetric"] + ["align_corners"] * (mode != "nearest"))}
    changed = {b.some(0, len(dims) - 1) for _ in range(2)}
    args = []
    if b.chance(0.4):
        attributes["scales"] = [b.one_of([2.0, 0.5, 1.5, 3.0, 1.25]) if i in changed else 1.0 for i in range(len(dims))]
    else:
        sizes = []
        for i in range(len(dims)):
            found = b.size_within(1, 12) if i in changed and b.dynamic and b.chance(0.3) else None
            if found is not None:
                args.append(found)
                sizes.append(f"#{len(args)}")
            else:
                sizes.append(b.some(1, 9) if i in changed else -1)
        attributes["sizes"] = sizes
    b.apply("resize", [value, *args], attributes)


DRAW = {"convolution": (4.0, convolution(False)), "conv_transpose": (2.0, convolution(True)), "maxpool": (2.5, pool("maxpool")),
        "avgpool": (2.5, pool("avgpool")), "group_norm": (1.0, channel_norm("group_norm")),
        "instance_norm": (1.0, channel_norm("instance_norm")), "batch_norm": (1.5, batch_norm),
        "resize": (2.5, resize)}
