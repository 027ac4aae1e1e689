#!/usr/bin/env python3
"""Times what the host does: compiling, starting, loading.

usage: host.py --bin DIR [--output results/host-DATE.json] [--gib 1.0]

Measures, each the median of several whole processes:
- tripy-compile of the GEGLU example for the CPU and for CUDA (sm_90a);
- tripy-run of it on the CPU, start to finish;
- loading an executable with 1 GiB of weights: `tripy-run --info`, which maps and
  verifies the file, its time and its peak memory.
Prints a table and the machine's name; exits 1 when a limit is missed.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def machine():
    model = platform.processor()
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
                break
    with open("/proc/meminfo") as info:
        memory = int(info.readline().split()[1]) // 2**20
    return f"{model}, {os.cpu_count()} cores, {memory} GiB"


def timed(command, repeats=7):
    """Median seconds and the largest peak memory in bytes."""
    seconds, peak = [], 0
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        peak = max(peak, usage.ru_maxrss * 1024)
        if status != 0:
            sys.exit(f"{' '.join(command)} failed: {process.stderr.read().decode()}")
        process.stderr.close()
    return statistics.median(seconds), peak


def large_model(folder, gib):
    """A program whose parameter has `gib` GiB, and its weights (random data)."""
    columns = 16384
    rows = max(1, int(gib * 2**30 / 4 / columns))
    program = os.path.join(folder, "large.mlir")
    with open(program, "w") as out:
        out.write(f"""
func.func @main(%x: tensor<1x{columns}xf32> {{tripy.name = "x"}},
    %w: tensor<{rows}x{columns}xf32> {{tripy.name = "w", tripy.parameter}}) -> tensor<1x{rows}xf32> {{
  %y = trace.linear %x, %w : (tensor<1x{columns}xf32>, tensor<{rows}x{columns}xf32>) -> tensor<1x{rows}xf32>
  return %y : tensor<1x{rows}xf32>
}}
""")
    weights = os.path.join(folder, "large.safetensors")
    size = rows * columns * 4
    header = json.dumps({"w": {"dtype": "F32", "shape": [rows, columns], "data_offsets": [0, size]}}).encode()
    header += b" " * (-len(header) % 8)
    with open(weights, "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header)
        block = os.urandom(2**20)
        for _ in range(size // len(block)):
            out.write(block)
        out.write(block[:size % len(block)])
    return program, weights


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--output")
    parser.add_argument("--gib", type=float, default=1.0)
    options = parser.parse_args()
    compiler, runner = (os.path.join(options.bin, tool) for tool in ("tripy-compile", "tripy-run"))
    example = os.path.join(ROOT, "python-free-examples/geglu.mlir")
    rows = []

    def record(case, seconds, limit, peak=None, peak_limit=None):
        rows.append({"case": case, "seconds": round(seconds, 4), "limit": limit,
                     "peak_bytes": peak, "peak_limit": peak_limit})

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "geglu.tpx")
        for target, limit in (("cuda:sm_90a", 1.0), ("cpu", 0.5)):
            seconds, _ = timed([compiler, example, "-o", out, f"--target={target}"])
            record(f"compile GEGLU, {target}", seconds, limit)
        seconds, _ = timed([runner, out, "--input", "x=ones", "--device=cpu"])
        record("tripy-run GEGLU, start to finish, cpu", seconds, 0.2)
        program, weights = large_model(folder, options.gib)
        large = os.path.join(folder, "large.tpx")
        timed([compiler, program, "-o", large, "--target=cpu", "--weights", weights], repeats=1)
        size = os.path.getsize(large)
        seconds, peak = timed([runner, large, "--info"])
        record(f"load {size / 2**30:.2f} GiB", seconds, 0.5, peak, int(1.1 * size))
    missed = 0
    print(f"machine: {machine()}")
    for row in rows:
        good = row["seconds"] <= row["limit"] and (row["peak_bytes"] is None or row["peak_bytes"] <= row["peak_limit"])
        missed += not good
        memory = f", peak {row['peak_bytes'] / 2**20:.0f} MiB" if row["peak_bytes"] else ""
        print(f"{row['case']:45} {row['seconds']:8.3f} s  (limit {row['limit']} s){memory}{'' if good else '  MISSED'}")
    if options.output:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True, capture_output=True).stdout.strip()
        with open(options.output, "w") as handle:
            json.dump({"meta": {"machine": machine(), "commit": commit,
                                "date": datetime.date.today().isoformat(), "command": " ".join(sys.argv)},
                       "rows": rows}, handle, indent=1)
            handle.write("\n")
    sys.exit(1 if missed else 0)


main()
