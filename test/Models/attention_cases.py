"""Random programs of attention, for shape_cases.py."""
import numpy as np

from shape_program import F32, normal, summation_error, whole


def hidden_keys(causal, lengths, queries, keys):
    """Which keys each query of each batch does not see, but for the mask: (batch..., 1, queries, keys)."""
    row, column = np.arange(queries)[:, None], np.arange(keys)[None, :]
    limit = np.full((1, 1, 1), keys) if lengths is None else np.clip(lengths, 0, keys)[..., None, None, None]
    hidden = column >= limit
    if causal == "top_left":
        hidden = hidden | (column > row)
    if causal == "bottom_right":
        hidden = hidden | (column + queries > row + limit)
    return hidden


def grouped(value, heads):
    """Key or value with a head for each of the query's."""
    shared = value.shape[-3]
    return np.repeat(value, heads // shared if shared else 1, axis=-3)


def attention(scale, causal, has_mask, is_bias, has_lengths, epsilon):
    """The NumPy form over (value, error). `epsilon`: what powers are rounded to before they are multiplied."""
    def form(query, key, value, *rest):
        q, rest = query[0], [r[0] for r in rest]
        k, v = grouped(key[0], q.shape[-3]), grouped(value[0], q.shape[-3])
        mask = rest.pop(0) if has_mask else None
        hidden = hidden_keys(causal, rest[0] if has_lengths else None, q.shape[-2], k.shape[-2])
        flat = np.swapaxes(k, -1, -2)
        score, size = scale * np.matmul(q, flat), abs(scale) * np.matmul(np.abs(q), np.abs(flat))
        wrong = (16 + q.shape[-1] / 8) * 2 * F32 * size
        if has_mask and is_bias:
            score, wrong = score + mask, wrong + 2 * F32 * (np.abs(score) + np.abs(mask))
        elif has_mask:
            hidden = hidden | (mask == 0)
        score = np.where(hidden, -np.inf, score)
        most = score.max(-1, keepdims=True, initial=-np.inf)
        distance = score - np.where(np.isinf(most), 0, most)
        power = np.exp(distance)
        total = power.sum(-1, keepdims=True)
        share = power / np.where(total == 0, 1, total)
        relative = wrong + wrong.max(-1, keepdims=True, initial=0) + epsilon
        relative = np.where(share > 0, relative + (8 + 4 * np.abs(distance)) * F32, 0)
        # What is hidden by lengths may be NaN.
        kept = np.where(np.swapaxes(hidden.all(-2, keepdims=True), -1, -2), 0, v)
        size = np.matmul(share, np.abs(kept))
        error = np.matmul(share * relative, np.abs(kept)) + size * (share * relative).sum(-1, keepdims=True)
        # The smallest f16 that a power may be.
        error = error + size * summation_error(k.shape[-2]) + np.abs(kept).sum(-2, keepdims=True) * 2.0**-25 * (epsilon > 0)
        return np.matmul(share, kept), error
    return form


def rounding(dtype):
    """Half the spacing of the type that powers may be rounded to, with that of their sum."""
    return {"f32": 0.0, "f16": 2.0**-11, "bf16": 2.0**-8}[dtype]


def program(m):
    """Heads of all sizes, shared heads, masks, lengths; the batch and the numbers of queries and keys may be dynamic."""
    batch = m.sizes([f"b{i}" for i in range(m.pick([0, 1, 1, 2]))], 3)
    groups, heads = m.pick([1, 1, 2, 3]), m.pick([1, 2, 3])
    depth = m.pick([8, 16, 32, 40, 64, 64, 80, 96, 128, 160, 256, 1, 7, 33])
    width = depth if m.chance(0.7) else m.pick([1, 5, 16, 24, 64, 72, 256])
    count = int(np.prod([max(1, max(run[b] for run in m.runs)) for b in batch], initial=groups * heads))
    most = max(64, m.limits.products // (8 * count * (depth + width)))
    m.sizes(["m", "n"], most, 200, even=3)
    if m.chance(0.3):
        # A decoder's step, over several blocks of keys.
        keys = int(m.rng.integers(100, 330))
        for i, run in enumerate(m.runs):
            run["m"], run["n"] = m.pick([1, 1, 2, 20]) if "m" in m.dynamic else 1, keys + (7 * i if "n" in m.dynamic else 0)
    p, dtype = m.program(), m.pick(["f32", "f16", "f16", "bf16"])
    inputs = [p.input([*batch, groups * heads, "m", depth], dtype, normal),
              p.input([*batch, heads, "n", depth], dtype, normal), p.input([*batch, heads, "n", width], dtype, normal)]
    causal = m.pick(["", "", "top_left", "bottom_right"])
    mask = m.pick(["", "", "i1", dtype, "f32"])
    words, has_lengths = "{0}, {1}, {2}", m.chance(0.3)
    if mask:
        full = [*batch, groups * heads, "m", "n"]
        dims = [1 if m.chance(0.3) else dim for dim in full[int(m.rng.integers(0, len(full))):]]
        words += " mask = {3}"
        inputs.append(p.input(dims, mask, whole(0, 2) if mask == "i1" else normal))
    if has_lengths:
        words += f" lengths = {{{len(inputs)}}}"
        longest = max(run["n"] for run in m.runs)
        inputs.append(p.input(batch[int(m.rng.integers(0, len(batch) + 1)):], "i32", whole(-1, longest + 3)))
    words += f' causal = "{causal}"' if causal else ""
    scale = 1 / np.sqrt(depth)
    if m.chance(0.3):
        scale = 0.5
        words += " scale = 5.0e-1"
    form = attention(scale, causal, bool(mask), mask != "i1", has_lengths, rounding(dtype))
    p.apply(f"trace.attention {words}", inputs, [*batch, groups * heads, "m", width], dtype, form)
    return p
