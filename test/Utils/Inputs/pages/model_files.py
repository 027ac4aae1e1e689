"""Writes what docs/runtime.md gives model.mlir: x.npy, model.safetensors with the weight w, and ref.npz with what y is."""
import json
import math

import numpy

rng = numpy.random.default_rng(1)
x = rng.standard_normal((8, 128)).astype(numpy.float32)
w = (rng.standard_normal((128, 128)) / 16).astype(numpy.float32)
header = json.dumps({"w": {"dtype": "F32", "shape": w.shape, "data_offsets": [0, w.nbytes]}}).encode()
header += b" " * (-len(header) % 8)
with open("model.safetensors", "wb") as out:
    out.write(len(header).to_bytes(8, "little") + header + w.tobytes())
numpy.save("x.npy", x)
product = x.astype(numpy.float64) @ w
tanh = numpy.tanh(math.sqrt(2 / math.pi) * (product + 0.044715 * product**3))
numpy.savez("ref.npz", y=(product * (1 + tanh) / 2).astype(numpy.float32))
