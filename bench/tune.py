#!/usr/bin/env python3
"""Measures the tiles of tensor-core kernels on a GPU, for the products and blocks of cases.py.

usage: tune.py --bin build/release/bin --output tune.json [--tuning-file h200.txt]

Each program is tuned by `tripy-compile --tune` (docs/tuning.md). Writes a row for each tile, in the format of the
results under bench/results/, and prints them; the side is "tripy" and the tile. The fastest tiles are put into the
tuning file. Needs neither numpy nor torch.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import cases  # noqa: E402
import report  # noqa: E402


def flops_of(contraction):
    """Of "f16 4096x4096x1024 nt batch=1 parts=1 store=tma16"."""
    m, n, k, batch, parts = map(int, re.fullmatch(
        r"\S+ (\d+)x(\d+)x(\d+) [nt]{2} batch=(\d+) parts=(\d+) store=\S+", contraction).groups())
    return 2 * m * n * k * batch * parts


def rows_of(case, kernel):
    """Of one kernel of a case, the compiler's own choice first."""
    times = [tile["us"] for tile in kernel["tiles"] if "us" in tile]
    rows = []
    for number, tile in enumerate(kernel["tiles"]):
        if "us" not in tile:
            continue
        rows.append({"group": case.group, "case": case.name, "side": "tripy " + tile["tile"], "ms": tile["us"] * 1e-3,
                     "spread": tile["spread"], "tflops": flops_of(kernel["contraction"]) / tile["us"] * 1e-6,
                     "kernel": kernel["kernel"], "contraction": kernel["contraction"], "cycles": tile["cycles"],
                     "by_the_model": number == 0, "of_best_tile": min(times) / tile["us"]})
    return rows


def tune(options, case, folder):
    """Rows, the GPU's name, and what went wrong."""
    source, found = os.path.join(folder, case.name + ".mlir"), os.path.join(folder, case.name + ".json")
    with open(source, "w") as out:
        out.write(case.program)
    command = [os.path.join(options.bin, "tripy-compile"), source, f"--target={options.target}",
               f"--tune={options.device}", f"--tuning-file={options.tuning_file}", f"--tune-report={found}",
               f"--tune-candidates={options.candidates}", f"--tune-runs={options.runs}"]
    if options.copies:
        command.append(f"--tune-copies={options.copies}")
    try:
        result = subprocess.run(command, text=True, capture_output=True, timeout=options.case_seconds)
    except subprocess.TimeoutExpired:
        return [], None, [f"{case.name}: no answer after {options.case_seconds} s"]
    notes = [f"{case.name}: {line}" for line in result.stderr.splitlines()]
    if result.returncode != 0:
        return [], None, notes or [f"{case.name}: exit status {result.returncode}"]
    with open(found) as text:
        measured = json.load(text)
    return [row for kernel in measured["kernels"] for row in rows_of(case, kernel)], measured["device"], notes


def first_line(command):
    try:
        return subprocess.run(command, text=True, capture_output=True, cwd=HERE).stdout.split("\n")[0].strip()
    except OSError:
        return ""


def summary(rows):
    """How far the compiler's own choices are from the fastest tiles."""
    lines = []
    for row in rows:
        if not row["by_the_model"] or row["of_best_tile"] >= 0.98:
            continue
        best = max((r for r in rows if (r["case"], r["kernel"]) == (row["case"], row["kernel"])),
                   key=lambda r: r["of_best_tile"])
        lines.append(f"{row['case']}: {best['side'][6:]} instead of {row['side'][6:]} takes "
                     f"{row['of_best_tile']:.2f} of the time\n")
    return "".join(lines) or "no tile is 2 % faster than the model's\n"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--output")
    parser.add_argument("--tuning-file", default="tuning.txt")
    parser.add_argument("--commit", help="what to note when this is no checkout")
    parser.add_argument("--cases", default="", help="parts of names; default: all products and blocks")
    parser.add_argument("--candidates", type=int, default=12)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--copies", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=3600, help="start no further case after")
    parser.add_argument("--case-seconds", type=float, default=120, help="time for one case")
    return parser.parse_args()


def write(options, rows, notes, device):
    driver = first_line(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    meta = {"commit": options.commit or first_line(["git", "rev-parse", "HEAD"]), "card": device, "driver": driver,
            "date": datetime.date.today().isoformat(), "command": report.command("bench/tune.py"),
            "notes": notes}
    with open(options.output + ".tmp", "w") as out:
        json.dump({"meta": meta, "rows": rows}, out, indent=1)
        out.write("\n")
    os.replace(options.output + ".tmp", options.output)


def main():
    options = parse()
    chosen = [c for c in cases.all_cases()
              if c.program and c.has_product and any(part in c.name for part in options.cases.split(","))]
    begin, rows, notes, card = time.monotonic(), [], [], None
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen:
            if time.monotonic() - begin > options.seconds:
                notes.append(f"{case.name}: not measured, no time left")
                continue
            found, device, problems = tune(options, case, folder)
            rows += found
            notes += problems
            card = device or card
            print(f"{time.monotonic() - begin:6.1f} s  {case.name}: {len(found)} tiles", file=sys.stderr, flush=True)
            # What was measured is kept when the rest is cut off.
            if options.output:
                write(options, rows, notes, card)
    print(report.format_table(rows) + summary(rows) + "".join(f"note: {note}\n" for note in notes), end="")
    sys.exit(0 if rows else 1)


if __name__ == "__main__":
    main()
