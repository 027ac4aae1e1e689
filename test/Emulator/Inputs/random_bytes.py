"""Writes FOLDER/NAME.npy of all i8 values for each NAME=SHAPE: random_bytes.py FOLDER a=67x101 ..."""
import os
import sys

import numpy as np

random = np.random.default_rng(5)
os.makedirs(sys.argv[1], exist_ok=True)
for word in sys.argv[2:]:
    name, shape = word.split("=")
    values = random.integers(-128, 128, [int(size) for size in shape.split("x")], np.int8)
    # The products of largest size, beside each other.
    values.reshape(-1)[:600] = -128
    np.save(os.path.join(sys.argv[1], name), values)
