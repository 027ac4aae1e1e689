#!/usr/bin/env python3
"""Trains a tiny GPT-2 on a short text, character by character, and writes it with the published names.

usage: train_tiny.py FOLDER [--steps N] [--seed N] [--prompt TEXT] [--tokens N]
       train_tiny.py --check-gradients

FOLDER gets model.safetensors, vocab.json and merges.txt. The vocabulary has the 256 bytes and no merges, so that each
character of the text is a token. The network has 2 layers, 4 heads, a width of 48 and room for 64 tokens. Prints the loss in
nats per character, and what the network writes behind --prompt if it takes the likeliest token each time.

--check-gradients compares the gradients of a network in float64 with differences of its loss.
"""
import argparse
import json
import os
import sys
import time

import numpy as np
from make_tiny import byte_characters, write_safetensors

TEXT = """Tripy compiles a tensor program before it runs. First it looks for operations that can share one kernel, which reads \
each value once. Then it generates machine code for a processor or a graphics card, and saves it in a file. A small runtime \
starts the kernels. When a shape is wrong, an error names the line of the program and says what was found.
"""
LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 2, 4, 48, 64, 8
RATE, WARM_UP, DECAYS, EPSILON = 8e-3, 20, (0.9, 0.98), 1e-8
# Of the gradients: the step of the differences, the places that are compared in each tensor, and the largest error.
STEP, PLACES, TOLERANCE = 1e-5, 6, 1e-6


# --- the network ------------------------------------------------------------

class Network:
    """Each function returns its result, and a function that turns the result's gradient into that of the input. The gradients
    of the weights are written to `gradients` on the way."""

    def __init__(self, weights):
        self.weights, self.gradients = weights, {}

    def dense(self, x, name):
        weight = self.weights[f"{name}.weight"]

        def backward(d):
            self.gradients[f"{name}.weight"] = x.T @ d
            self.gradients[f"{name}.bias"] = d.sum(0)
            return d @ weight.T
        return x @ weight + self.weights[f"{name}.bias"], backward

    def norm(self, x, name):
        weight = self.weights[f"{name}.weight"]
        x = x - x.mean(-1, keepdims=True)
        scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        x = x * scale

        def backward(d):
            self.gradients[f"{name}.weight"] = (d * x).sum(0)
            self.gradients[f"{name}.bias"] = d.sum(0)
            d = d * weight
            return scale * (d - d.mean(-1, keepdims=True) - x * (d * x).mean(-1, keepdims=True))
        return x * weight + self.weights[f"{name}.bias"], backward

    def gelu(self, x):
        # Few arrays are made: this is where most of the time goes.
        factor = float(np.sqrt(2 / np.pi))
        tanh = x * x
        tanh *= 0.044715 * factor
        tanh += factor
        tanh *= x
        np.tanh(tanh, out=tanh)
        y = tanh + 1
        y *= x
        y *= 0.5

        def backward(d):
            slope = x * x
            slope *= 3 * 0.044715 * factor
            slope += factor
            slope *= x
            slope *= 1 - tanh
            slope += 1
            slope *= 1 + tanh
            slope *= d
            slope *= 0.5
            return slope
        return y, backward

    def attention(self, x, name, count):
        """`count` tokens in each row of the batch; a token sees itself and those before it."""
        size = WIDTH // HEADS
        scale = size**-0.5
        joined, backward_joined = self.dense(x, f"{name}.c_attn")
        q, k, v = joined.reshape(-1, count, 3, HEADS, size).transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-1, -2) * scale + np.triu(np.full((count, count), -1e9, x.dtype), 1)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        y, backward_y = self.dense((scores @ v).transpose(0, 2, 1, 3).reshape(-1, WIDTH), f"{name}.c_proj")

        def backward(d):
            d = backward_y(d).reshape(-1, count, HEADS, size).transpose(0, 2, 1, 3)
            inner = d @ v.swapaxes(-1, -2)
            inner = scores * (inner - (inner * scores).sum(-1, keepdims=True)) * scale
            parts = np.stack([inner @ k, inner.swapaxes(-1, -2) @ q, scores.swapaxes(-1, -2) @ d])
            return backward_joined(parts.transpose(1, 3, 0, 2, 4).reshape(-1, 3 * WIDTH))
        return y, backward

    def block(self, x, name, count):
        y, backward_norm1 = self.norm(x, f"{name}.ln_1")
        y, backward_attention = self.attention(y, f"{name}.attn", count)
        x = x + y
        y, backward_norm2 = self.norm(x, f"{name}.ln_2")
        y, backward_fc = self.dense(y, f"{name}.mlp.c_fc")
        y, backward_gelu = self.gelu(y)
        y, backward_proj = self.dense(y, f"{name}.mlp.c_proj")

        def backward(d):
            d = d + backward_norm2(backward_fc(backward_gelu(backward_proj(d))))
            return d + backward_norm1(backward_attention(d))
        return x + y, backward

    def forward(self, tokens):
        """The logits of all tokens of [batch, count], and the function that takes their gradient."""
        count = tokens.shape[1]
        table = self.weights["wte.weight"]
        x = (table[tokens] + self.weights["wpe.weight"][:count]).reshape(-1, WIDTH)
        steps = []
        for layer in range(LAYERS):
            x, step = self.block(x, f"h.{layer}", count)
            steps.append(step)
        x, step = self.norm(x, "ln_f")
        steps.append(step)

        def backward(d):
            gradient = d.T @ x
            d = d @ table
            for step in reversed(steps):
                d = step(d)
            # The table is the embedding and the last layer: the sum of both gradients.
            self.gradients["wte.weight"] = gradient + np.eye(len(table), dtype=d.dtype)[tokens.reshape(-1)].T @ d
            self.gradients["wpe.weight"] = np.zeros_like(self.weights["wpe.weight"])
            self.gradients["wpe.weight"][:count] = d.reshape(-1, count, WIDTH).sum(0)
        return x @ table.T, backward

    def loss(self, windows):
        """The mean cross entropy of each token of [batch, count + 1] behind those before it, and what computes gradients."""
        logits, backward = self.forward(windows[:, :-1])
        expected = (np.arange(len(logits)), windows[:, 1:].reshape(-1))
        logits -= logits.max(-1, keepdims=True)
        chances = np.exp(logits)
        sums = chances.sum(-1, keepdims=True)
        value = float((np.log(sums[:, 0]) - logits[expected]).mean())

        def compute_gradients():
            d = chances / sums
            d[expected] -= 1
            backward(d / len(d))
        return value, compute_gradients

    def generate(self, tokens, count):
        """The likeliest token `count` times; the whole text is computed anew for each."""
        for _ in range(count):
            tokens = [*tokens, int(np.argmax(self.forward(np.array([tokens]))[0][-1]))]
        return tokens


# --- training ---------------------------------------------------------------

def initial_weights(vocabulary, random, dtype=np.float32):
    def normal(*shape, scale):
        return (random.standard_normal(shape) * scale).astype(dtype)

    weights = {"wte.weight": normal(vocabulary, WIDTH, scale=0.2), "wpe.weight": normal(CONTEXT, WIDTH, scale=0.02)}
    for layer in range(LAYERS):
        at = f"h.{layer}."
        for name, rows, columns in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                    ("mlp.c_fc", WIDTH, 4 * WIDTH), ("mlp.c_proj", 4 * WIDTH, WIDTH)):
            weights[f"{at}{name}.weight"] = normal(rows, columns, scale=(2 * LAYERS)**-0.5 * rows**-0.5)
            weights[f"{at}{name}.bias"] = np.zeros(columns, dtype)
    for name in [f"h.{layer}.ln_{i}" for layer in range(LAYERS) for i in (1, 2)] + ["ln_f"]:
        weights[f"{name}.weight"] = np.ones(WIDTH, dtype)
        weights[f"{name}.bias"] = np.zeros(WIDTH, dtype)
    return weights


def windows_of(text):
    """All pieces of the text with one token more than the context; behind its end the text begins anew."""
    return np.lib.stride_tricks.sliding_window_view(np.concatenate([text, text[:CONTEXT]]), CONTEXT + 1)


def train(network, windows, steps, random):
    """Adam; the rate rises at first, and then falls to zero."""
    means = {name: np.zeros_like(value) for name, value in network.weights.items()}
    squares = {name: np.zeros_like(value) for name, value in network.weights.items()}
    for step in range(1, steps + 1):
        network.loss(windows[random.integers(len(windows), size=BATCH)])[1]()
        rate = RATE * min(1, step / WARM_UP) * (1 - (step - 1) / steps)
        first, second = (1 - decay**step for decay in DECAYS)
        for name, gradient in network.gradients.items():
            means[name] += (1 - DECAYS[0]) * (gradient - means[name])
            squares[name] += (1 - DECAYS[1]) * (gradient * gradient - squares[name])
            network.weights[name] -= rate / first * means[name] / (np.sqrt(squares[name] / second) + EPSILON)


def unigram_loss(text):
    """Of a model that knows how often each token is in the text, and nothing else."""
    chances = np.bincount(text) / len(text)
    return float(-np.log(chances[text]).mean())


# --- gradients --------------------------------------------------------------

def check_gradients(tokens):
    """The largest error of a gradient, relative to the tensor's largest one."""
    random = np.random.default_rng(3)
    network = Network(initial_weights(257, random, np.float64))
    for value in network.weights.values():
        value += random.standard_normal(value.shape) * 0.1
    windows = windows_of(tokens)[[0, 100, 200]]
    network.loss(windows)[1]()
    gradients, largest = dict(network.gradients), 0
    for name, value in network.weights.items():
        # Rows of tokens that the text has.
        rows = tokens[:PLACES] if name == "wte.weight" else random.integers(len(value), size=PLACES)
        for row in rows:
            place = (row, *(random.integers(size) for size in value.shape[1:]))
            before, losses = value[place], []
            for sign in (1, -1):
                value[place] = before + sign * STEP
                losses.append(network.loss(windows)[0])
            value[place] = before
            error = abs((losses[0] - losses[1]) / (2 * STEP) - gradients[name][place])
            largest = max(largest, error / np.abs(gradients[name]).max())
    if not largest <= TOLERANCE:
        sys.exit(f"gradients differ by {largest:.2g} of the largest; allowed is {TOLERANCE:g}")
    print(f"the gradients of {len(gradients)} tensors are those of differences, within {TOLERANCE:g}")


# --- files ------------------------------------------------------------------

def write_files(folder, weights, vocabulary):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "vocab.json"), "w") as out:
        json.dump({token: i for i, token in enumerate(vocabulary)}, out)
    with open(os.path.join(folder, "merges.txt"), "w") as out:
        out.write("#version: 0.2\n")
    write_safetensors(os.path.join(folder, "model.safetensors"), weights)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompt", default="Tripy compiles")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--check-gradients", action="store_true")
    options = parser.parse_args()
    order, table = byte_characters()
    numbers = {byte: i for i, byte in enumerate(order)}
    text = np.array([numbers[byte] for byte in TEXT.encode()])
    if options.check_gradients:
        check_gradients(text)
        return
    if not options.folder:
        parser.error("FOLDER is missing")
    prompt = [numbers[byte] for byte in options.prompt.encode()]
    if not prompt or len(prompt) + options.tokens - 1 > CONTEXT:
        parser.error(f"the model has room for {CONTEXT} tokens; found {len(prompt)} and --tokens {options.tokens}")
    vocabulary = [table[byte] for byte in order] + ["<|endoftext|>"]
    random = np.random.default_rng(options.seed)
    network = Network(initial_weights(len(vocabulary), random))
    windows, start = windows_of(text), time.perf_counter()
    train(network, windows, options.steps, random)
    seconds = time.perf_counter() - start
    write_files(options.folder, network.weights, vocabulary)
    print(f"{len(text)} characters, {options.steps} steps in {seconds:.1f} s")
    print(f"loss {network.loss(windows)[0]:.2f}, of a unigram model {unigram_loss(text):.3f}")
    written = network.generate(prompt, options.tokens)
    print(bytes(order[token] for token in written if token < len(order)).decode(errors="replace"))


if __name__ == "__main__":
    main()
