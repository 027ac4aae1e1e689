"""Draws reductions of tensors that are much larger than those of other operations."""
import shapes


def reduction(b, name):
    """One that is computed in two steps, which 2 MB on the CPU and 256 KB or 16 MB on a GPU are worth."""
    dtype = b.one_of(["f32", "f64", "i32", "i64"])
    size = 8 if dtype.endswith("64") else 4
    elements = (1 << b.one_of([19, 22])) // size
    sizes, dims = b.one_of([([elements], [0]), ([2, elements], [1]), ([elements // 4, 12], [0]), ([5, elements // 16, 3, 4], [1, 2, 3]),
                            ([2, 3, elements // 16, 4], [0, 1, 3]), ([3, elements // 8, 8], [0, 1]), ([4, elements // 32, 16], [0, 2])])
    limits = b.limits
    b.limits = limits._replace(elements=1 << 21)
    value = b.input(dtype, [shapes.known(size, b.runs) for size in sizes])
    b.apply(name, [value], {"dims": dims, "keepdim": b.chance(0.4)})
    b.limits = limits
