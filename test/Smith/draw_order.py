"""Draws sorts, selections and random numbers."""
import shapes
from elements import ALL
from shapes import Invalid


def rows_of(b):
    """What is sorted: a value, or a few rows that are longer than others."""
    if b.chance(0.75):
        return b.operand(ALL, (1, 6))
    dims = [shapes.known(b.one_of([1, 1, 2, 3]), b.runs) for _ in range(b.some(0, 2))]
    dims.insert(b.some(0, len(dims)), shapes.known(b.one_of([63, 64, 65, 100, 130]), b.runs))
    if not b.fits(dims):
        raise Invalid("size")
    return b.fresh(b.one_of(ALL), dims)


def sort(b):
    value = rows_of(b)
    b.apply("sort", [value], {"dim": b.draw_axis(len(b.type(value).dims)), "descending": b.chance(0.5)})


def tied_rows(b):
    """Rows of a size that the run decides, with more equal elements than are wanted."""
    sizes = [dim for dim in b.dims if not dim.static and min(dim.sizes) > 0]
    if not sizes:
        raise Invalid("no dynamic size")
    rows = [shapes.known(b.some(1, 3), b.runs)] if b.chance(0.5) else []
    value = b.fresh(b.one_of(["i1", "i4", "f8E5M2"]), [*rows, b.one_of(sizes)])
    b.apply("topk", [value], {"dim": -1, "k": 1, "descending": b.chance(0.5)})


def topk(b):
    if b.chance(0.15):
        tied_rows(b)
        return
    value = rows_of(b)
    dims = b.type(value).dims
    axis = b.draw_axis(len(dims))
    most = min(dims[axis].sizes)
    k = b.one_of([0, 1, 1, 2, 3, most, b.some(0, most)])
    if k > most:
        raise Invalid("k")
    b.apply("topk", [value], {"dim": axis, "k": k, "descending": b.chance(0.5)})


def random(name):
    def draw(b):
        seed = b.fresh("i64", [shapes.known(2, b.runs)] if b.chance(0.4) else [])
        entries, args = [], [seed]
        for _ in range(b.one_of([0, 1, 2, 2, 3])):
            value = b.size_within(0, 12) if b.chance(0.4) else None
            if value is None:
                entries.append(b.one_of([0, 1, 1, 2, 3, 5, 8]))
            else:
                entries.append(f"#{len(args)}")
                args.append(value)
        if name == "random_bernoulli":
            more = {"dtype": "i1", "p": b.one_of([0.0, 0.25, 0.3, 0.999, 1.0])}
        else:
            more = {"dtype": b.one_of(["f32", "f16", "bf16", "f64"])}
        b.apply(name, args, {"sizes": entries, **more})
    return draw


DRAW = {"sort": (2.5, sort), "topk": (2.5, topk),
        **{name: (0.7, random(name)) for name in ("random_uniform", "random_normal", "random_bernoulli")}}
