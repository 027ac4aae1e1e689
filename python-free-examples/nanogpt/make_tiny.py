#!/usr/bin/env python3
"""Writes a tiny model with the files of GPT-2: random weights, and a vocabulary of a small text.

usage: make_tiny.py FOLDER [--prefix]

FOLDER gets weights.safetensors, encoder.json and vocab.bpe. The network is that of numpy_gpt.py with 2 layers, 4 heads, a
width of 32 and room for 48 tokens. --prefix: names begin with "transformer.", as in some published files.
"""
import argparse
import json
import os
import struct

import numpy as np

TEXT = """The lazy tensor sleeps until it is needed. The compiler looks at the whole program and then it runs.
There are 10 layers, 12 heads and 768 numbers. They're here, aren't they? We'll see; I'd say so."""
LAYERS, HEADS, WIDTH, CONTEXT, MERGES = 2, 4, 32, 48, 60


def byte_characters():
    """The character that stands for each byte: printable ones are themselves."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {byte: chr(byte) for byte in printable}
    table.update({byte: chr(0x100 + i) for i, byte in enumerate(others)})
    return printable + others, table


def train_merges(text, table):
    """The most frequent pairs of a text, one after the other; words begin with their blank."""
    words = [[table[byte] for byte in word.encode()] for word in text.replace(" ", "\0 ").split("\0")]
    merges = []
    while len(merges) < MERGES:
        pairs = {}
        for word in words:
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for word in words:
            at = 0
            while at + 1 < len(word):
                if (word[at], word[at + 1]) == best:
                    word[at:at + 2] = ["".join(best)]
                at += 1
    return merges


def random_weights(vocabulary):
    random = np.random.default_rng(7)

    def normal(*shape, scale):
        return (random.standard_normal(shape) * scale).astype(np.float32)

    weights = {"wte.weight": normal(vocabulary, WIDTH, scale=0.5), "wpe.weight": normal(CONTEXT, WIDTH, scale=0.2)}
    for layer in range(LAYERS):
        at = f"h.{layer}."
        for name, rows, columns in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                    ("mlp.c_fc", WIDTH, 4 * WIDTH), ("mlp.c_proj", 4 * WIDTH, WIDTH)):
            weights[f"{at}{name}.weight"] = normal(rows, columns, scale=1.5 / rows**0.5)
            weights[f"{at}{name}.bias"] = normal(columns, scale=0.1)
        # Published files have the mask, too.
        weights[f"{at}attn.bias"] = np.tril(np.ones((1, 1, CONTEXT, CONTEXT), np.float32))
    for name in [f"h.{layer}.ln_{i}" for layer in range(LAYERS) for i in (1, 2)] + ["ln_f"]:
        weights[f"{name}.weight"] = 1 + normal(WIDTH, scale=0.1)
        weights[f"{name}.bias"] = normal(WIDTH, scale=0.1)
    return weights


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        kind = {"float32": "F32", "int64": "I64"}[value.dtype.name]
        header[name] = {"dtype": kind, "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--prefix", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    order, table = byte_characters()
    merges = train_merges(TEXT, table)
    tokens = [table[byte] for byte in order] + ["".join(pair) for pair in merges] + ["<|endoftext|>"]
    with open(os.path.join(options.folder, "encoder.json"), "w") as out:
        json.dump({token: i for i, token in enumerate(tokens)}, out)
    with open(os.path.join(options.folder, "vocab.bpe"), "w") as out:
        out.write("#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges))
    weights = random_weights(len(tokens))
    write_safetensors(os.path.join(options.folder, "weights.safetensors"),
                      {("transformer." if options.prefix else "") + name: value for name, value in weights.items()})


if __name__ == "__main__":
    main()
