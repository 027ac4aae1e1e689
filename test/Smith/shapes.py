"""Types of values at several runs, and the types of results.

A Dim has a size for each run of a program; `static` says whether the program's
text shows it. A list of sizes in an operation's attributes holds integers, and
"#k" for a size that is the operand number k, of type index.
"""
import collections

Dim = collections.namedtuple("Dim", "sizes static")
# dtype "index" has one Dim with the values.
Type = collections.namedtuple("Type", "dtype dims")


class Invalid(Exception):
    """The operation breaks one of its rules."""


def require(condition, text="a rule"):
    if not condition:
        raise Invalid(text)


def known(size, runs):
    return Dim((size,) * runs, True)


def runs_of(types):
    for type_ in types:
        for dim in type_.dims:
            return len(dim.sizes)
    return 1


def shape_at(type_, run):
    return tuple(dim.sizes[run] for dim in type_.dims)


def volumes(dims, runs):
    result = [1] * runs
    for dim in dims:
        result = [a * b for a, b in zip(result, dim.sizes)]
    return result


def text_of(type_):
    if type_.dtype == "index":
        return "index"
    return "tensor<" + "".join((str(d.sizes[0]) if d.static else "?") + "x" for d in type_.dims) + type_.dtype + ">"


def entry_values(entry, args, runs):
    """The sizes of a list's entry at each run, and whether the text shows them."""
    if isinstance(entry, str):
        return args[int(entry[1:])].dims[0].sizes, False
    return (entry,) * runs, True


def axis_of(dim, rank):
    require(-rank <= dim < rank, "dim")
    return dim % rank


#===-- broadcasting ----------------------------------------------------------===#

def join(a, b):
    """Broadcasts two dimensions, as the text of the types does."""
    sizes = []
    for x, y in zip(a.sizes, b.sizes):
        require(x == y or x == 1 or y == 1, "broadcast")
        sizes.append(y if x == 1 else x)
    one = [d.static and d.sizes[0] == 1 for d in (a, b)]
    if one[1]:
        static = a.static
    elif one[0]:
        static = b.static
    else:
        # A `?` beside a size over 1 takes that.
        static = a.static or b.static
        fixed = a if a.static else b
        require(not static or all(size == fixed.sizes[0] for size in sizes), "broadcast")
    return Dim(tuple(sizes), static)


def broadcast(shapes, runs):
    rank = max(len(shape) for shape in shapes)
    result = []
    for i in range(rank, 0, -1):
        dim = known(1, runs)
        for shape in shapes:
            if i <= len(shape):
                dim = join(dim, shape[-i])
        result.append(dim)
    return tuple(result)


def agree(a, b):
    """Sizes that must be equal at each run."""
    require(a.sizes == b.sizes, "sizes differ")
    return a if a.static else b


#===-- movement ----------------------------------------------------------------===#

def reshaped(type_, sizes, args, runs):
    whole = volumes(type_.dims, runs)
    dims, inferred, static = [], None, all(d.static for d in type_.dims) and not any(isinstance(s, str) for s in sizes)
    rest = [1] * runs
    for place, entry in enumerate(sizes):
        values, shown = entry_values(entry, args, runs)
        if entry == -1:
            require(inferred is None, "-1")
            inferred = place
            dims.append(None)
            continue
        require(min(values) >= 0, "negative")
        rest = [a * b for a, b in zip(rest, values)]
        dims.append(Dim(tuple(values), shown))
    if inferred is None:
        require(rest == whole, "volume")
    else:
        require(all(r > 0 and w % r == 0 for r, w in zip(rest, whole)), "volume")
        dims[inferred] = Dim(tuple(w // r for r, w in zip(rest, whole)), static)
    return tuple(dims)


def expanded(type_, sizes, args, runs):
    added = len(sizes) - len(type_.dims)
    require(added >= 0, "rank")
    dims = []
    for place, entry in enumerate(sizes):
        old = type_.dims[place - added] if place >= added else None
        if entry == -1:
            require(old is not None, "-1")
            dims.append(old)
            continue
        values, shown = entry_values(entry, args, runs)
        require(min(values) >= 0 and (old is None or all(o in (1, v) for o, v in zip(old.sizes, values))), "expand")
        dims.append(Dim(tuple(values), shown))
    return tuple(dims)


def slice_indices(size, start, stop, step):
    return range(*slice(start, stop, step).indices(size))


def sliced(type_, attributes, args, runs):
    dims = []
    for dim, start, stop, step in zip(type_.dims, attributes["starts"], attributes["stops"], attributes["steps"]):
        starts, first = entry_values(start, args, runs)
        stops, last = entry_values(stop, args, runs)
        dims.append(Dim(tuple(len(slice_indices(n, a, b, step)) for n, a, b in zip(dim.sizes, starts, stops)),
                        dim.static and first and last))
    return tuple(dims)


def parts_of(size, parts):
    share = -(-size // parts)
    return [min(max(size - i * share, 0), share) for i in range(parts)]


def split(type_, attributes, runs):
    axis = axis_of(attributes["dim"], len(type_.dims))
    dim = type_.dims[axis]
    if attributes.get("sizes") is not None:
        require(set(dim.sizes) == {sum(attributes["sizes"])} and min(attributes["sizes"]) >= 0, "sizes")
        dims = [known(size, runs) for size in attributes["sizes"]]
    else:
        columns = [parts_of(size, attributes["parts"]) for size in dim.sizes]
        dims = [Dim(tuple(column[i] for column in columns), dim.static) for i in range(attributes["parts"])]
    return [Type(type_.dtype, type_.dims[:axis] + (d,) + type_.dims[axis + 1:]) for d in dims]


def concatenated(types, dim, runs):
    rank = len(types[0].dims)
    require(all(len(t.dims) == rank and t.dtype == types[0].dtype for t in types), "rank")
    axis = axis_of(dim, rank)
    dims = []
    for i in range(rank):
        column = [t.dims[i] for t in types]
        if i == axis:
            dims.append(Dim(tuple(map(sum, zip(*(d.sizes for d in column)))), all(d.static for d in column)))
            continue
        found = column[0]
        for other in column[1:]:
            found = agree(found, other)
        dims.append(found)
    return tuple(dims)


def padded(type_, attributes, args, runs):
    dims = []
    for dim, low, high in zip(type_.dims, attributes["low"], attributes["high"]):
        lows, first = entry_values(low, args, runs)
        highs, last = entry_values(high, args, runs)
        require(min(lows) >= 0 and min(highs) >= 0, "width")
        dims.append(Dim(tuple(map(sum, zip(dim.sizes, lows, highs))), dim.static and first and last))
    return tuple(dims)


#===-- reductions, contractions ----------------------------------------------===#

def reduced(type_, dims, keep, runs):
    rank = len(type_.dims)
    axes = {axis_of(dim, rank) for dim in dims} if dims else set(range(rank))
    require(not dims or len(axes) == len(dims), "dims")
    return tuple(known(1, runs) if i in axes else d for i, d in enumerate(type_.dims) if keep or i not in axes)


def matmul(a, b, runs):
    require(a.dims and b.dims, "rank")
    agree(a.dims[-1], b.dims[-2] if len(b.dims) > 1 else b.dims[-1])
    dims = broadcast([a.dims[:-2], b.dims[:-2]], runs)
    return dims + (a.dims[-2:-1]) + (b.dims[-1:] if len(b.dims) > 1 else ())


def trailing(weight, input_):
    require(0 < len(weight.dims) <= len(input_.dims), "trailing")
    for a, b in zip(weight.dims, input_.dims[-len(weight.dims):]):
        agree(a, b)
