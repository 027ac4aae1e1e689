"""Benchmark cases of attention (forward, causal, one query over a cache, at random), of topk and of sort."""
import random

from cases import Case, Input, tensor


def sdpa(lib, q, k, v, bias=None, causal=False):
    if lib.__name__ == "torch":
        return lib.nn.functional.scaled_dot_product_attention(q, k, v, bias, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])
    import jax
    q, k, v = (lib.swapaxes(x, 1, 2) for x in (q, k, v))
    return lib.swapaxes(jax.nn.dot_product_attention(q, k, v, bias, is_causal=causal, implementation="cudnn"), 1, 2)


def attention_case(batch, heads, queries, keys, size, causal=False, parts=False, shared=0, bias=False, tags=()):
    """`parts`: matrix products and a softmax, by Tripy alone: what attention may not be slower than. `shared`: how many
    heads keys and values have, all of them where it is 0. `bias`: added to the scores, one for all of the batch."""
    shared = shared or heads
    q, y = Input("q", (batch, heads, queries, size)), Input("y", (batch, heads, queries, size))
    k, v = Input("k", (batch, shared, keys, size)), Input("v", (batch, shared, keys, size))
    inputs = [q, k, v] + [Input("bias", (1, heads, queries, keys))] * bias

    def fn(lib, *tensors):
        return sdpa(lib, *tensors, causal=causal)
    turned, scores, mask = tensor("f16", batch, heads, size, keys), tensor("f16", batch, heads, queries, keys), ""
    if causal:
        mask = ' causal = "top_left"'
    operands, types = ("".join(f", {text}" for text in texts)[2:]
                       for texts in ([f"%{i.name}" for i in inputs[:3]], [i.type for i in inputs]))
    body = f"%y = trace.attention {operands}{' mask = %bias' if bias else ''}{mask} : ({types}) -> {y.type}"
    if parts:
        body = f"""
        %t = trace.transpose %k dims = 2, 3 : ({k.type}) -> {turned}
        %c = trace.full [] value = {size**-.5} : f16 -> tensor<f16>
        %u = trace.mul %q, %c : ({q.type}, tensor<f16>) -> {q.type}
        %s = trace.matmul %u, %t : ({q.type}, {turned}) -> {scores}
        %p = trace.softmax %s dim = -1 : ({scores}) -> {scores}
        %y = trace.matmul %p, %v : ({scores}, {v.type}) -> {y.type}"""
    rows = f"{queries}" if queries == keys else f"{queries}x{keys}"
    name = (f"attention{'_in_parts' if parts else ''}_{batch}x{heads}{f'over{shared}' if shared != heads else ''}x{rows}x{size}"
            f"{'_causal' if causal else ''}{'_bias' if bias else ''}_f16")
    # A causal mask leaves half of the products. Time over a long cache goes by its bytes.
    flops = 0 if queries == 1 else 4 * batch * heads * queries * keys * size // (2 if causal else 1)
    return Case("attention", name, inputs, y, body, fn, None if parts else fn, flops=flops, tolerance=1e-2, tags=set(tags))


ISSUE = [(4, 32, 2048, 2048, 128), (16, 12, 512, 512, 64), (2, 8, 4096, 4096, 40), (8, 32, 1, 4096, 128)]
LONG = [(4, 16, 8192, 8192, 64), (1, 16, 16384, 16384, 128)]


def attention_cases():
    return ([attention_case(*size, tags={"issue"}) for size in ISSUE + LONG]
            + [attention_case(*size, causal=True, tags={"issue"}) for size in [*ISSUE[:2], *LONG]]
            + [attention_case(*size, parts=True, tags={"issue"}) for size in ISSUE])


def more_attention_cases():
    """Sizes of the head, short and odd lengths, biases, heads that share keys and values."""
    return ([attention_case(*size) for size in ((2, 16, 512, 512, 128), (2, 16, 1024, 1024, 32), (2, 8, 1024, 1024, 80),
                                                (4, 16, 2048, 2048, 256), (32, 12, 197, 197, 64), (1, 20, 1500, 1500, 64))]
            + [attention_case(*size, causal=True) for size in ((2, 16, 512, 512, 128), (4, 8, 2048, 2048, 80), (4, 16, 2048, 2048, 256))]
            + [attention_case(*size, bias=True) for size in ((8, 12, 512, 512, 64), (2, 16, 2048, 2048, 128))]
            + [attention_case(2, 32, 2048, 2048, 128, causal, shared=8) for causal in (False, True)])


def decode_attention_cases():
    """One query over a cache: 1 to 64 sequences, 512 to 32768 keys, 32 heads of 128, alone or 4 over one."""
    return [attention_case(batch, 32, 1, keys, 128, shared=shared)
            for shared in (8, 32) for batch, keys in ((1, 512), (1, 8192), (1, 32768), (8, 2048), (64, 512), (64, 4096))]


def drawn_attention_cases(seed, count):
    """Shapes at random, the same ones for a seed: as many queries as keys, any number, up to 32 or one."""
    drawn, cases = random.Random(seed), []
    while len(cases) < count:
        size = drawn.choice((32, 40, 48, 64, 64, 64, 72, 80, 96, 128, 128, 128, 160, 192, 256))
        kind = drawn.choice(("self", "self", "self", "cross", "decode", "few"))
        keys = (drawn.choice((77, 128, 197, 256, 257, 384, 512, 577, 729, 1000, 1024, 1500, 2048, 4096))
                if drawn.random() < .6 else int(2 ** drawn.uniform(6, 12.5)))
        queries = (keys if kind == "self" else 1 if kind == "decode"
                   else drawn.randint(2, 32) if kind == "few" else int(2 ** drawn.uniform(5, 12)))
        heads = drawn.choice((4, 6, 8, 12, 16, 20, 25, 32))
        shared = drawn.choice([heads, heads] + [heads // by if heads % by == 0 else heads for by in (2, 4)])
        batch = int(2 ** drawn.uniform(0, 5.5))
        elements = batch * shared * keys * size
        if 4 * batch * heads * queries * keys * size > 2e11 or elements > 5e8 or (kind == "decode" and elements < 1e5):
            continue
        causal = kind == "self" and drawn.random() < .4
        bias = not causal and kind in ("self", "cross") and drawn.random() < .2
        cases.append(attention_case(batch, heads, queries, keys, size, causal, shared=shared, bias=bias))
    return cases


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


def main():
    """`python3 attention_cases.py SEED,N FOLDER` writes the programs of N shapes at random."""
    import os
    import sys

    import zoo
    os.makedirs(sys.argv[2], exist_ok=True)
    for case in drawn_attention_cases(*zoo.parse_zoo(sys.argv[1])):
        with open(os.path.join(sys.argv[2], case.name + ".mlir"), "w", encoding="utf-8") as file:
            file.write(case.program)


if __name__ == "__main__":
    main()
