"""first_places.py FOLDER: rows with equal elements, NaN, zeros of both signs, and the initial values alone; and the first places of the extremes of each row."""
import sys

import numpy as np

folder = sys.argv[1]
random = np.random.default_rng(5)


def rows(count, columns, dtype):
    x = random.standard_normal((count, columns))
    for row in range(count):
        kind = row % 7
        if kind == 1:
            x[row] = np.round(x[row])
        elif kind == 2:
            x[row, random.integers(columns, size=2)] = np.nan
        elif kind == 3:
            x[row] = np.where(x[row] < 0, -0.0, 0.0)
        elif kind == 4:
            x[row] = -np.inf
        elif kind == 5:
            x[row] = np.inf
        elif kind == 6:
            x[row, [0, -1]] = [9, 9] if row % 2 else [-9, 9]
    return x.astype(dtype)


for name, x in [("a", rows(140, 3001, np.float16)), ("b", rows(2200, 197, np.float16)), ("c", rows(133, 2051, np.float32)),
                ("d", np.round(random.standard_normal((140, 2500)) * 40).clip(-128, 127).astype(np.int8))]:
    np.save(f"{folder}/{name}.npy", x)
    np.save(f"{folder}/{name}max.npy", np.argmax(x, axis=-1).astype(np.int32))
    np.save(f"{folder}/{name}min.npy", np.argmin(x, axis=-1).astype(np.int32))
