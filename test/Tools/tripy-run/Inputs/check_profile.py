"""Checks the JSON of block.mlir's profile at 7 tokens."""

import json
import sys

with open(sys.argv[1]) as file:
    text = file.read()
assert text.count("\n") == 1, "one line"
found = json.loads(text)
assert found["device"] == "cpu:0" and found["runs"] == 5 and found["warm_up"] == 2, found

times = [found[name + "_s"] for name in ("min", "p5", "p25", "median", "p75", "p95", "p99", "max")]
assert times == sorted(times) and times[0] > 0, times

profile = found["profile"]
kernels = {kernel["kernel"]: kernel for kernel in profile["kernels"]}
assert profile["launches"] == 9 and len(kernels) == 8 and profile["peaks"] == [], profile
assert sorted(kernel["calls"] for kernel in kernels.values()) == [1] * 7 + [2]
assert abs(sum(kernel["seconds"] for kernel in kernels.values()) - profile["seconds"]) < 1e-9
assert profile["kernels"] == sorted(profile["kernels"], key=lambda kernel: -kernel["seconds"])

# What the program's products alone have, at 7 tokens: operations and elements of f16.
T = 7
scores = next(k for name, k in kernels.items() if [line["line"] for line in k["lines"]] == [11])
assert scores["operations"] == 2 * T * T * 256, scores
assert scores["bytes_read"] == 2 * (T * 256 + T * 256), scores
assert scores["bytes_written"] == 2 * T * T, scores
assert scores["bound_by"] == "operations"
assert abs(scores["per_second"] * scores["seconds"] / scores["operations"] - 1) < 1e-6

hidden = next(k for k in kernels.values() if any(line["operation"] == "trace.gelu" for line in k["lines"]))
assert 2 * T * 1024 * 256 < hidden["operations"] < 2 * T * 1024 * 256 + 30 * T * 1024, hidden
assert hidden["bytes_read"] == 2 * (T * 256 + 1024 * 256), hidden
gelu = next(line for line in hidden["lines"] if line["operation"] == "trace.gelu")
assert gelu["line"] == 18 and gelu["file"].endswith("block.mlir") and len(gelu["reasons"]) > 5, gelu
assert len(set(gelu["reasons"])) == len(gelu["reasons"]), gelu

for kernel in kernels.values():
    places = [(line["file"], line["line"], line["operation"]) for line in kernel["lines"]]
    assert places and len(set(places)) == len(places), places
