#!/usr/bin/env python3
"""Compares nanogpt with GPT-2 in NumPy: tokens of texts, logits of each step, and the tokens that are drawn.

usage: check.py PROGRAM FOLDER [--heads N] [--prompt TEXT] [--tokens N] [--float16]

FOLDER has model.safetensors, vocab.json and merges.txt, or weights.safetensors, encoder.json and vocab.bpe. NumPy computes the
whole text anew for each token, in float64 and without a cache. Fails where a logit differs by more than 1e-3 of the step's
largest; with --float16, 2e-2.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import unicodedata

import numpy as np

# Of the weights, the vocabulary and the merges; the second ones are those of make_tiny.py.
NAMES = (("model.safetensors", "weights.safetensors"), ("vocab.json", "encoder.json"), ("merges.txt", "vocab.bpe"))
TOLERANCE, HALF_TOLERANCE = 1e-3, 2e-2
TEXTS = ["Hello, world", "  two  blanks and a tab\t\tend ", "I'm sure they've said: don't! 'sixties", "x=3.14159, y=1e10;\n\n\nnext",
         "Gr\u00fc\u00dfe \u4f60\u597d \u0440\u0443\u0441\u0441\u043a\u0438\u0439 \u0661\u0662\u0663 \u00bd\u00b2",
         "\U0001f600 emoji\u00a0no-break\u3000wide", "the the the compiler compiler", "'", " '", "a'", "   ", "e\u0301 combining"]


def read_safetensors(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        dtype = {"F32": np.float32, "F16": np.float16, "I64": np.int64, "U8": np.uint8, "BOOL": np.bool_}[entry["dtype"]]
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    return tensors


# --- the tokenizer ----------------------------------------------------------

def kind_of(character):
    if character in "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" or "\u2000" <= character <= "\u200a":
        return "space"
    return {"L": "letter", "N": "digit"}.get(unicodedata.category(character)[0], "other")


def split_words(text):
    """GPT-2's words, from right to left of the rules: runs of one kind first, then blanks and endings."""
    words, at = [], 0
    while at < len(text):
        ending = next((e for e in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(e, at)), None)
        if ending:
            words.append(ending)
            at += len(ending)
            continue
        runs = at + 1 if text[at] == " " and at + 1 < len(text) and kind_of(text[at + 1]) != "space" else at
        end, kind = runs, kind_of(text[runs])
        while end < len(text) and kind_of(text[end]) == kind:
            end += 1
        if kind == "space" and end < len(text) and end - at > 1:
            end -= 1
        words.append(text[at:end])
        at = end
    return words


def byte_characters():
    """The character that stands for each byte."""
    printable = [*range(33, 127), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def encode(text, encoder, merges):
    table, tokens = byte_characters(), []
    for word in split_words(text):
        # Parts are separated by a character that no word has.
        joined = "\0" + "\0".join(table[byte] for byte in word.encode()) + "\0"
        while True:
            parts = joined.strip("\0").split("\0")
            ranks = [merges[pair] for pair in zip(parts, parts[1:]) if pair in merges]
            if not ranks:
                break
            left, right = next(pair for pair, rank in merges.items() if rank == min(ranks))
            joined = joined.replace(f"\0{left}\0{right}\0", f"\0{left}{right}\0")
        tokens += [encoder[part] for part in joined.strip("\0").split("\0")]
    return tokens


def decode(tokens, encoder):
    bytes_of = {character: byte for byte, character in byte_characters().items()}
    texts = {number: token for token, number in encoder.items()}
    return bytes(bytes_of[character] for token in tokens for character in texts[token])


# --- the network ------------------------------------------------------------

def layer_norm(x, weight, bias):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight + bias


def logits_of(tokens, weights, heads):
    """Of the token behind the last one."""
    def norm(x, name):
        return layer_norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def dense(x, name):
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    count = len(tokens)
    x = weights["wte.weight"][tokens] + weights["wpe.weight"][:count]
    hidden = np.triu(np.ones((count, count), bool), 1)
    layer = 0
    while f"h.{layer}.ln_1.weight" in weights:
        at = f"h.{layer}"
        q, k, v = (part.reshape(count, heads, -1).transpose(1, 0, 2)
                   for part in np.split(dense(norm(x, f"{at}.ln_1"), f"{at}.attn.c_attn"), 3, -1))
        scores = np.where(hidden, -np.inf, q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1]))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        y = (scores / scores.sum(-1, keepdims=True)) @ v
        x = x + dense(y.transpose(1, 0, 2).reshape(count, -1), f"{at}.attn.c_proj")
        y = dense(norm(x, f"{at}.ln_2"), f"{at}.mlp.c_fc")
        y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        x = x + dense(y, f"{at}.mlp.c_proj")
        layer += 1
    return norm(x, "ln_f")[-1] @ weights["wte.weight"].T


# --- sampling ---------------------------------------------------------------

def random_words(seed):
    """The 64-bit Mersenne Twister of C++'s std::mt19937_64."""
    mask, state = (1 << 64) - 1, [seed]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) & mask)
    while True:
        for i in range(312):
            word = state[i] & ~0x7fffffff & mask | state[(i + 1) % 312] & 0x7fffffff
            state[i] = state[(i + 156) % 312] ^ word >> 1 ^ (0xb5026f5aa96619e9 if word & 1 else 0)
            word = state[i]
            word ^= word >> 29 & 0x5555555555555555
            word ^= word << 17 & 0x71d67fffeda60000
            word ^= word << 37 & 0xfff7eee000000000
            yield (word ^ word >> 43) & mask


def draw(logits, temperature, top_k, words):
    """A token of the `top_k` likeliest; `logits` are float32, as the program has them."""
    order = np.lexsort((np.arange(len(logits)), -logits))[:top_k]
    chances = np.exp((logits[order] - logits[order[0]]).astype(np.float64) / temperature)
    left = (next(words) >> 11) * 2.0**-53 * sum(chances.tolist())
    for token, chance in zip(order, chances):
        left -= chance
        if left < 0:
            return int(token)
    return int(order[-1])


def files_of(folder):
    """The paths of the weights, the vocabulary and the merges."""
    paths = [[os.path.join(folder, name) for name in names] for names in NAMES]
    return [first if os.path.exists(first) else second for first, second in paths]


def read_vocabulary(encoder_path, merges_path):
    with open(encoder_path) as handle:
        encoder = json.load(handle)
    with open(merges_path) as handle:
        pairs = [tuple(line.split()) for line in handle if line.strip() and not line.startswith("#version")]
    return encoder, {pair: rank for rank, pair in enumerate(pairs)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--heads", type=int, default=0)
    parser.add_argument("--prompt", default="The compiler looks at")
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--float16", action="store_true")
    options = parser.parse_args()
    weights_path, encoder_path, merges_path = files_of(options.folder)
    encoder, merges = read_vocabulary(encoder_path, merges_path)
    vocabulary = ["--encoder", encoder_path, "--merges", merges_path]

    def run(*arguments):
        done = subprocess.run([options.program, *vocabulary, *arguments], capture_output=True)
        if done.returncode:
            sys.exit(f"exit status {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    for text in TEXTS:
        numbers, rest = run("--ids", text).decode().split("\n", 1)
        if [int(number) for number in numbers.split()] != encode(text, encoder, merges) or rest != text + "\n":
            sys.exit(f"{text!r}: expected {encode(text, encoder, merges)}, found {numbers} and {rest!r}")
    print(f"{len(TEXTS)} texts have the same tokens")

    weights = {name.removeprefix("transformer."): value.astype(np.float64)
               for name, value in read_safetensors(weights_path).items()}
    heads = options.heads or weights["wte.weight"].shape[1] // 64
    tokens, largest = encode(options.prompt, encoder, merges), 0
    tolerance = HALF_TOLERANCE if options.float16 else TOLERANCE
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "logits.txt")
        text = run("--weights", weights_path, "--heads", str(heads), "--tokens", str(options.tokens),
                   "--temperature", "0", "--logits", path, *["--float16"][:options.float16], options.prompt)
        found = np.loadtxt(path, ndmin=2)
    for step in found:
        expected = logits_of(tokens, weights, heads)
        largest = max(largest, np.abs(step - expected).max() / np.abs(expected).max())
        tokens.append(int(np.argmax(expected)))
    if not largest <= tolerance or len(found) != options.tokens:
        sys.exit(f"{len(found)} steps, logits differ by {largest:.2g} of the largest; allowed is {tolerance:g}")
    if text != decode(tokens, encoder) + b"\n":
        sys.exit(f"other tokens are the likeliest: {text}")
    print(f"{len(found)} steps have the same logits, within {tolerance:g}")

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "logits.txt")
        text = run("--weights", weights_path, "--heads", str(heads), "--tokens", str(options.tokens),
                   "--temperature", "1.5", "--top-k", "20", "--seed", "11", "--logits", path, options.prompt)
        tokens, words = encode(options.prompt, encoder, merges), random_words(11)
        tokens += [draw(step, 1.5, 20, words) for step in np.loadtxt(path, np.float32, ndmin=2)]
    if text != decode(tokens, encoder) + b"\n":
        sys.exit(f"other tokens are drawn: {text}, not {decode(tokens, encoder)}")
    print(f"{options.tokens} draws are the same")


if __name__ == "__main__":
    main()
