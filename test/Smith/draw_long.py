"""Draws reductions of tensors that are much larger than those of other operations."""
import shapes

# Sizes, where N is as many elements as there are, and the dimensions that are reduced.
FORMS = [(("N",), [0]), ((2, "N"), [1]), (("N", 12), [0]), ((5, "N", 3, 4), [1, 2, 3]), (("N", 2, 5, 4), [0, 1, 3]), ((3, "N", 8), [0, 1]),
         (("N", 4, 16), [0, 2]), ((64, 4, "N"), [0, 2])]


def reduction(b, name):
    """One that is computed in two steps, which 2 MB on the CPU and 256 KB or 16 MB on a GPU are worth."""
    dtype = b.one_of(["f32", "i32", "i64"])
    sizes, dims = b.one_of(FORMS)
    rest = 1 << b.one_of([19, 23])
    for size in (8 if dtype == "i64" else 4, *(size for size in sizes if size != "N")):
        rest //= 1 << (size - 1).bit_length()
    value = b.input(dtype, [shapes.known(rest if size == "N" else size, b.runs) for size in sizes])
    b.apply(name, [value], {"dims": dims, "keepdim": b.chance(0.4)})
