"""Benchmark cases of attention (forward, causal, one query over a cache), of topk and of sort."""
from cases import Case, Input, tensor


def sdpa(lib, q, k, v, causal=False):
    if lib.__name__ == "torch":
        return lib.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    import jax
    q, k, v = (lib.swapaxes(x, 1, 2) for x in (q, k, v))
    return lib.swapaxes(jax.nn.dot_product_attention(q, k, v, is_causal=causal, implementation="cudnn"), 1, 2)


def attention_case(batch, heads, queries, keys, size, causal=False, parts=False):
    """`parts`: matrix products and a softmax, by Tripy alone: what attention may not be slower than."""
    q, y = Input("q", (batch, heads, queries, size)), Input("y", (batch, heads, queries, size))
    k, v = Input("k", (batch, heads, keys, size)), Input("v", (batch, heads, keys, size))

    def fn(lib, q, k, v):
        return sdpa(lib, q, k, v, causal)
    turned, scores, mask = tensor("f16", batch, heads, size, keys), tensor("f16", batch, heads, queries, keys), ""
    if causal:
        mask = ' causal = "top_left"'
    body = f"%y = trace.attention %q, %k, %v{mask} : ({q.type}, {k.type}, {v.type}) -> {y.type}"
    if parts:
        body = f"""
        %t = trace.transpose %k dims = 2, 3 : ({k.type}) -> {turned}
        %c = trace.full [] value = {size**-.5} : f16 -> tensor<f16>
        %u = trace.mul %q, %c : ({q.type}, tensor<f16>) -> {q.type}
        %s = trace.matmul %u, %t : ({q.type}, {turned}) -> {scores}
        %p = trace.softmax %s dim = -1 : ({scores}) -> {scores}
        %y = trace.matmul %p, %v : ({scores}, {v.type}) -> {y.type}"""
    rows = f"{queries}" if queries == keys else f"{queries}x{keys}"
    name = f"attention{'_in_parts' if parts else ''}_{batch}x{heads}x{rows}x{size}{'_causal' if causal else ''}_f16"
    # A causal mask leaves half of the products.
    return Case("attention", name, [q, k, v], y, body, fn, None if parts else fn,
                flops=4 * batch * heads * queries * keys * size // (2 if causal else 1), tolerance=1e-2, tags={"issue"})


def attention_cases():
    sizes = [(4, 32, 2048, 2048, 128), (16, 12, 512, 512, 64), (2, 8, 4096, 4096, 40), (8, 32, 1, 4096, 128)]
    long = [(4, 16, 8192, 8192, 64), (1, 16, 16384, 16384, 128)]
    return ([attention_case(*size) for size in sizes + long]
            + [attention_case(*size, causal=True) for size in [sizes[0], sizes[1], *long]]
            + [attention_case(*size, parts=True) for size in sizes])


def topk_case(rows, columns, k):
    x = Input("x", (rows, columns))
    return Case("row", f"topk_{rows}x{columns}_k{k}_f16", [x], Input("y", (rows, k)), f"""
        %y, %i = trace.topk %x k = {k} dim = -1 : ({x.type}) -> ({tensor("f16", rows, k)}, {tensor("i32", rows, k)})""",
                lambda lib, x: lib.topk(x, k).values, tags={"issue"})


def sort_case(rows, columns):
    x = Input("x", (rows, columns), "f32")
    return Case("row", f"sort_{rows}x{columns}_f32", [x], Input("y", (rows, columns), "f32"), f"""
        %y, %i = trace.sort %x dim = -1 : ({x.type}) -> ({x.type}, {tensor("i32", rows, columns)})""",
                lambda lib, x: lib.sort(x).values, lambda lib, x: lib.sort(x))


def ordering_cases():
    return [topk_case(64, 50304, 50), topk_case(1, 128256, 40), sort_case(1024, 4096), sort_case(1, 1 << 20)]
