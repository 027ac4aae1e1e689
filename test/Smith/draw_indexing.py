"""Draws what takes or changes parts by numbers: gather, embedding, scatter, update_slice."""
import shapes
from elements import ALL, CLASSES
from shapes import Invalid


def index_tensor(b, max_rank):
    """Rather one that was computed."""
    value = b.pick(lambda t: t.dtype in CLASSES["integer"] and len(t.dims) <= max_rank)
    if value is not None and b.chance(0.8):
        return value
    return b.fresh(b.one_of(["i32", "i64"]), b.draw_dims(b.some(0, min(max_rank, 2)), 40))


def gather(b):
    value = b.operand(ALL, (1, 6), lambda t: any(min(d.sizes) > 0 for d in t.dims))
    rank = len(b.type(value).dims)
    axis = b.one_of([i for i, d in enumerate(b.type(value).dims) if min(d.sizes) > 0])
    b.apply("gather", [value, index_tensor(b, 7 - rank)], {"dim": axis - rank if b.chance(0.3) else axis})


def embedding(b):
    value = b.operand(ALL, (2, 2), lambda t: min(t.dims[0].sizes) > 0)
    b.apply("embedding", [value, index_tensor(b, 4)])


def update_slice(b):
    value = b.operand(ALL, (1, 5))
    dims, rank = list(b.type(value).dims), len(b.type(value).dims)
    axis = b.some(0, rank - 1)
    dims[axis] = b.one_of([*b.dims, shapes.known(b.some(0, 4), b.runs)])
    if not b.fits(dims):
        raise Invalid("size")
    update, start = b.fresh(b.type(value).dtype, dims), b.fresh(b.one_of(["i32", "i64"]), [])
    b.apply("update_slice", [value, update, start], {"dim": axis - rank if b.chance(0.3) else axis})


def scatter(b):
    value = b.operand(ALL, (1, 5))
    dims, rank = b.type(value).dims, len(b.type(value).dims)
    axis = b.some(0, rank - 1)
    if b.chance(0.4):
        index = b.fresh(b.one_of(["i32", "i64"]), [b.one_of([*b.dims, shapes.known(b.some(0, 4), b.runs)])])
    else:
        index = index_tensor(b, min(3, 7 - rank))
    target = [*dims[:axis], *b.type(index).dims, *dims[axis + 1:]]
    # Each position is compared with each index.
    volumes = shapes.volumes([*target, dims[axis]], b.runs)
    if not b.fits(target) or max(volumes[:-1] if b.wide else volumes) > b.limits.products:
        raise Invalid("size")
    b.apply("scatter", [value, index, b.fresh(b.type(value).dtype, target)], {"dim": axis - rank if b.chance(0.3) else axis})


DRAW = {"gather": (4.0, gather), "embedding": (1.0, embedding), "scatter": (2.5, scatter), "update_slice": (2.0, update_slice)}
