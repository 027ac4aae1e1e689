#!/usr/bin/env python3
"""Compares resnet50 with NumPy: a picture is read, resized, cropped, and classified.

usage: check.py PROGRAM [--weights F.safetensors --picture F.ppm --resize N --crop N]

Without files: a small network of ResNet-50's structure with random weights, and a picture of random patches. NumPy computes
in float64. Fails where a logit differs by more than 1e-3 of the largest. Then the same picture as PNG, and one as JPEG, where
the program reads them.
"""
import argparse
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

TOLERANCE = 1e-3
# JPEG rounds colors: its logits may differ by this much of the largest.
JPEG_TOLERANCE = 5e-2
# 32 x 24 pixels, in patches of 8 x 8 of the colors jpeg_pixels(), as libjpeg wrote them.
JPEG = """
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ
EBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAARCAAY
ACADAREAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAACgkI/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABkBAAMAAwAAAAAAAAAAAAAAAAgJCg
YHC//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AM7qGBQEQOfOMAe9VAg/THMoWMHoJ1wLpXqCD2EVyP0J6iBnA8Bf2DmsHII5
xcDHnkC4T3afLPf/2Q=="""


def read_safetensors(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], {"F32": np.float32, "I64": np.int64}[entry["dtype"]])
            .reshape(entry["shape"]) for name, entry in header.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    header, data = {}, b""
    # Those of eight bytes first, so that each is aligned.
    for name, value in sorted(tensors.items(), key=lambda item: -item[1].itemsize):
        kind = {"float32": "F32", "int64": "I64"}[value.dtype.name]
        header[name] = {"dtype": kind, "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def random_network(width, blocks, classes):
    random, weights = np.random.default_rng(3), {}

    def conv(name, out, into, window):
        weights[f"{name}.weight"] = random.standard_normal((out, into, window, window)) / (into * window * window)**0.5

    def norm(name, size):
        for part, value in (("weight", random.uniform(0.5, 1.5, size)), ("bias", random.uniform(-0.2, 0.2, size)),
                            ("running_mean", random.uniform(-0.2, 0.2, size)), ("running_var", random.uniform(0.5, 2, size))):
            weights[f"{name}.{part}"] = value
        weights[f"{name}.num_batches_tracked"] = np.array(1)

    conv("conv1", width, 3, 7)
    norm("bn1", width)
    into = width
    for layer, count in enumerate(blocks):
        out = width << layer
        for block in range(count):
            at = f"layer{layer + 1}.{block}"
            for i, sizes in enumerate(((out, into, 1), (out, out, 3), (4 * out, out, 1)), 1):
                conv(f"{at}.conv{i}", *sizes)
                norm(f"{at}.bn{i}", sizes[0])
            if block == 0:
                conv(f"{at}.downsample.0", 4 * out, into, 1)
                norm(f"{at}.downsample.1", 4 * out)
            into = 4 * out
    weights["fc.weight"] = random.standard_normal((classes, into)) / into**0.5
    weights["fc.bias"] = random.standard_normal(classes)
    return {name: value.astype(np.int64 if name.endswith("tracked") else np.float32) for name, value in weights.items()}


# --- the picture --------------------------------------------------------------

def write_picture(path, width, height):
    patches = np.random.default_rng(5).integers(0, 256, (height // 7 + 1, width // 5 + 1, 3), np.uint8)
    pixels = patches.repeat(7, 0).repeat(5, 1)[:height, :width]
    with open(path, "wb") as out:
        out.write(f"P6\n# patches\n{width} {height}\n255\n".encode() + pixels.tobytes())


def read_picture(path):
    with open(path, "rb") as file:
        words, line = [], b""
        while len(words) < 4:
            line = file.readline().split(b"#")[0]
            words += line.split()
        width, height = int(words[1]), int(words[2])
        return np.frombuffer(file.read(), np.uint8).reshape(height, width, 3).astype(np.float64)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, pixels):
    """One filter for each row, in turn, as encoders choose them."""
    height, width, _ = pixels.shape
    rows, before = b"", np.zeros((width, 3), np.uint8)
    for y, row in enumerate(pixels.astype(np.uint8)):
        kind = y % 3  # none, left, up
        left = np.vstack([np.zeros((1, 3), np.uint8), row[:-1]])
        rows += bytes([kind]) + (row - (0, left, before)[kind]).astype(np.uint8).tobytes()
        before = row
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                  + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def jpeg_pixels():
    colors = np.random.default_rng(7).integers(0, 256, (3, 4, 3), np.uint8)
    return colors.repeat(8, 0).repeat(8, 1).astype(np.float64)


def filter_matrix(size, new):
    """What each new pixel takes of the old ones: a triangle, as wide as a pixel of the coarser grid."""
    scale = size / new
    support = max(scale, 1)
    centers = (np.arange(new)[:, None] + 0.5) * scale
    weights = np.maximum(1 - np.abs(np.arange(size)[None] + 0.5 - centers) / support, 0)
    return weights / weights.sum(1, keepdims=True)


def prepare(pixels, resize, crop):
    height, width, _ = pixels.shape
    shorter = min(height, width)
    for axis, size in ((1, width), (0, height)):
        matrix = filter_matrix(size, size * resize // shorter)
        pixels = np.moveaxis(np.tensordot(matrix, pixels, ([1], [axis])), 0, axis)
        pixels = np.clip(np.floor(pixels + 0.5), 0, 255)
    top, left = (round((size - crop) / 2) for size in pixels.shape[:2])
    pixels = pixels[top:top + crop, left:left + crop] / 255
    return ((pixels - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]).transpose(2, 0, 1)


# --- the network --------------------------------------------------------------

def windows(x, window, stride, padding, value):
    """(channels, rows, columns, window, window)"""
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding)), constant_values=value)
    return np.lib.stride_tricks.sliding_window_view(x, (window, window), (1, 2))[:, ::stride, ::stride]


def classify(x, weights):
    def conv(x, name, stride=1):
        weight = weights[f"{name}.weight"]
        return np.tensordot(weight, windows(x, weight.shape[2], stride, weight.shape[2] // 2, 0), ([1, 2, 3], [0, 3, 4]))

    def norm(x, name):
        scale, bias, mean, var = (weights[f"{name}.{part}"][:, None, None]
                                  for part in ("weight", "bias", "running_mean", "running_var"))
        return (x - mean) / np.sqrt(var + 1e-5) * scale + bias

    def relu(x):
        return np.maximum(x, 0)

    x = relu(norm(conv(x, "conv1", 2), "bn1"))
    x = windows(x, 3, 2, 1, -np.inf).max((-2, -1))
    for layer in range(1, 5):
        block = 0
        while f"layer{layer}.{block}.conv1.weight" in weights:
            at, stride = f"layer{layer}.{block}", 2 if layer > 1 and block == 0 else 1
            y = relu(norm(conv(x, f"{at}.conv1"), f"{at}.bn1"))
            y = relu(norm(conv(y, f"{at}.conv2", stride), f"{at}.bn2"))
            y = norm(conv(y, f"{at}.conv3"), f"{at}.bn3")
            if f"{at}.downsample.0.weight" in weights:
                x = norm(conv(x, f"{at}.downsample.0", stride), f"{at}.downsample.1")
            x = relu(x + y)
            block += 1
    return weights["fc.weight"] @ x.mean((1, 2)) + weights["fc.bias"]


def run_program(options, picture, folder):
    """The logits and what is printed; None where the program does not read the format."""
    logits = os.path.join(folder, "logits.txt")
    done = subprocess.run([options.program, "--weights", options.weights, "--resize", str(options.resize), "--crop",
                           str(options.crop), "--logits", logits, picture], text=True, capture_output=True)
    if done.returncode and "was built without" in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"exit status {done.returncode}: {done.stderr}")
    return np.loadtxt(logits), done.stdout


def check_formats(options, weights, expected, folder):
    """The picture as PNG, and another one as JPEG; each damaged, too."""
    png, jpeg = (os.path.join(folder, "picture." + kind) for kind in ("png", "jpg"))
    write_png(png, read_picture(options.picture))
    with open(jpeg, "wb") as out:
        out.write(base64.b64decode(JPEG))
    for path, wanted, tolerance in ((png, lambda: expected, TOLERANCE),
                                    (jpeg, lambda: classify(prepare(jpeg_pixels(), options.resize, options.crop), weights),
                                     JPEG_TOLERANCE)):
        kind = path[-3:].upper()
        found = run_program(options, path, folder)
        if not found:
            print(f"{kind}: the program was built without it")
            continue
        difference = np.abs(found[0] - wanted()).max() / np.abs(wanted()).max()
        if not difference <= tolerance:
            sys.exit(f"{kind}: logits differ by {difference:.2g} of the largest; allowed is {tolerance:g}")
        with open(path, "rb+") as out:
            out.truncate(os.path.getsize(path) * 2 // 3)
        done = subprocess.run([options.program, "--weights", options.weights, path], text=True, capture_output=True)
        if done.returncode != 1 or path not in done.stderr:
            sys.exit(f"{kind}: a picture that was cut off is no error: {done.stderr}")
        print(f"{kind}: read as well")


def compare(found, text, expected):
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    order = np.argsort(-expected, kind="stable")[:5]
    chances = np.exp(expected - expected.max())
    lines = [f"{100 * chances[i] / chances.sum():6.2f} %  class {i}" for i in order]
    if not difference <= TOLERANCE or len(found) != len(expected):
        sys.exit(f"{len(found)} logits differ by {difference:.2g} of the largest; allowed is {TOLERANCE:g}")
    if [line.split()[-1] for line in text.splitlines()] != [str(i) for i in order]:
        sys.exit("the five best are\n" + "\n".join(lines) + f"\nfound\n{text}")
    print(text + f"{len(found)} classes have the same logits, within {TOLERANCE:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--weights")
    parser.add_argument("--picture")
    parser.add_argument("--resize", type=int, default=256)
    parser.add_argument("--crop", type=int, default=224)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        is_small = not options.weights
        if is_small:
            options.weights, options.picture = os.path.join(folder, "weights"), os.path.join(folder, "picture.ppm")
            options.resize, options.crop = 70, 64
            write_safetensors(options.weights, random_network(8, (3, 4, 6, 3), 20))
            write_picture(options.picture, 151, 97)
        found, text = run_program(options, options.picture, folder)
        weights = {name: value.astype(np.float64) for name, value in read_safetensors(options.weights).items()}
        expected = classify(prepare(read_picture(options.picture), options.resize, options.crop), weights)
        compare(found, text, expected)
        if is_small:
            check_formats(options, weights, expected, folder)


if __name__ == "__main__":
    main()
