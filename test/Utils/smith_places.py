"""Places of elements in order, as the random programs' checker finds them, against all pairs, and for long rows."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Smith"))
import definitions  # noqa: E402,F401  (first: the modules read each other)
import ordering  # noqa: E402
from sets import Set  # noqa: E402


def all_pairs(s, descending):
    low, high = ordering.bounds_of(s)

    def less(a, i, b, j):
        return (a[0][i], a[1][i]) < (b[0][j], b[1][j])
    count = len(s.lo)
    before = np.zeros((count, count), bool)
    for i in range(count):
        for j in range(count):
            if descending:
                before[i, j] = less(high, j, low, i) or (not less(low, i, high, j) and i < j)
            else:
                before[i, j] = less(high, i, low, j) or (not less(low, j, high, i) and i < j)
    first, last = before.sum(axis=0), count - 1 - before.sum(axis=1)
    may = [[i for i in range(count) if first[i] <= p <= last[i]] for p in range(count)]
    return [min(m) for m in may], [max(m) for m in may]


def main():
    rng = np.random.default_rng(1)
    for draw in range(400):
        count = int(rng.integers(1, 10))
        low = np.where(rng.random(count) < 0.1, -np.inf, np.round(2 * rng.normal(size=count)) / 2)
        nan = rng.random(count) < 0.2
        s = Set(low, low + rng.integers(0, 3, count) * (rng.random(count) < 0.4), nan, ~nan | (rng.random(count) < 0.5))
        for descending in (False, True):
            found, expected = ordering.places_of(s, descending), all_pairs(s, descending)
            assert all((a == b).all() for a, b in zip(found, expected)), (s.lo, s.hi, s.nan, s.num, descending)
    values = rng.normal(size=(2, 1 << 18))
    first, last = ordering.places_of(Set(values, values), False)
    assert (first == np.argsort(values, axis=-1, kind="stable")).all() and (first == last).all()
    print("800 rows and two long ones: right")


main()
