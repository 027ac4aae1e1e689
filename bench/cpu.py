#!/usr/bin/env python3
"""Times every operation on the CPU against PyTorch, on one thread, in turn.

usage: cpu.py --bin DIR [--only TEXT,...] [--rounds N] [--output FILE.json]

A time is the least processor time of the rounds, in which both run in turn: other work on the machine disturbs it less than
a median of wall time. It is that of the whole process, which must have one thread: threads of OpenBLAS that wait for work
do so by polling, for some 20 ms, and would double the time of whatever runs next. Data are random, sizes about 1e7 elements (cpu_cases.py). Results are compared where PyTorch's are
floats. PyTorch's matrix products are OpenBLAS's or oneDNN's, as its build chooses; the table says which.
"""
import os

# OpenBLAS reads these when NumPy loads it, and then starts its threads.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import concurrent.futures
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import report
from cpu_cases import cpu_cases

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for place in (os.path.join(ROOT, "test/Models"), os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/Models")):
    sys.path.insert(0, place)
import tripy_runtime  # noqa: E402

NUMPY = {"f32": "f4", "f16": "f2", "i32": "i4", "i8": "i1", "i1": "?"}


def aligned(shape, dtype):
    """Zeros at a multiple of 64 bytes, as both libraries allocate them."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(size + 64, "u1")
    start = -buffer.ctypes.data % 64
    return buffer[start:start + size].view(dtype).reshape(shape)


def draw(rng, shape, dtype, kind):
    if kind.startswith("<"):
        return rng.integers(0, int(kind[1:]), shape).astype(NUMPY[dtype])
    if dtype in ("i32", "i8"):
        return rng.integers(1, 1000 if dtype == "i32" else 100, shape).astype(NUMPY[dtype])
    values = rng.standard_normal(shape, dtype="f4")
    values = {"+": np.abs, "~": lambda v: np.clip(v / 5, -0.99, 0.99), ">": lambda v: 1 + np.abs(v)}.get(kind, lambda v: v)(values)
    return np.asarray(values, NUMPY[dtype])


def compile_case(options, case, folder):
    source, target = (os.path.join(folder, case.name + suffix) for suffix in (".mlir", ".tpx"))
    with open(source, "w") as out:
        out.write(case.program)
    result = subprocess.run([os.path.join(options.bin, "tripy-compile"), source, "-o", target, "--target=cpu"], text=True,
                            capture_output=True)
    return result.stderr.strip()


def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def difference(found, wanted):
    """The largest of the elements that are finite, over their size and the typical one."""
    with np.errstate(all="ignore"):
        size = np.abs(wanted) + np.sqrt(np.mean(np.square(wanted[np.isfinite(wanted)])))
        return float(np.nanmax(np.where(np.isfinite(wanted), np.abs(found - wanted) / size, 0)))


def measure(options, case, runtime, folder, torch):
    rng = np.random.default_rng(1)
    arrays = []
    for _, shape, dtype, kind in case.inputs:
        arrays.append(aligned(shape, NUMPY[dtype]))
        arrays[-1][...] = draw(rng, shape, dtype, kind)
    dims = case.result.removeprefix("tensor<").removesuffix(">").split("x")
    output = aligned([int(d) for d in dims[:-1]], NUMPY[dims[-1]])
    context = runtime.load(os.path.join(folder, case.name + ".tpx"))
    inputs = [tripy_runtime.describe(a, dtype) for a, (_, _, dtype, _) in zip(arrays, case.inputs)]
    result = tripy_runtime.describe(output, dims[-1])
    scope = {"T": torch, "F": torch.nn.functional, **{name: torch.from_numpy(a) for a, (name, *_) in zip(arrays, case.inputs)}}
    code = compile(case.torch, case.name, "eval")

    def ours():
        runtime.call(context, inputs, result)

    def theirs():
        return eval(code, scope)
    ours()
    expected, worst = theirs(), None
    if expected.is_floating_point() and not case.name.startswith("random"):
        wanted = expected.double().numpy()
        worst = difference(output.reshape(wanted.shape), wanted)
    times = [(timed(ours), timed(theirs)) for _ in range(options.rounds)]
    if (threads := len(os.listdir("/proc/self/task"))) != 1:
        sys.exit(f"cpu.py: {case.name} is to be measured on one thread, but the process has {threads}: waiting ones take time too")
    runtime.free(context)
    tripy, torch_time = (min(column) for column in zip(*times))
    return {"case": case.name, "tripy_ms": round(tripy * 1e3, 3), "torch_ms": round(torch_time * 1e3, 3),
            "torch_over_tripy": round(torch_time / tripy, 3), "difference": worst if worst is None else float(f"{worst:.2g}")}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="", help="parts of names")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output")
    parser.add_argument("--commit", help="what to note when this is no checkout")
    return parser.parse_args()


def describe(options, torch):
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown")
    commit = options.commit or subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True, capture_output=True).stdout.strip()
    libraries = [line.strip(" -") for line in torch.__config__.show().splitlines() if "BLAS_INFO" in line or "MKL" in line]
    return {"commit": commit, "processor": model, "threads": 1, "date": datetime.date.today().isoformat(),
            "versions": {"torch": torch.__version__, "numpy": np.__version__}, "torch_libraries": libraries,
            "command": report.command("bench/cpu.py")}


def main():
    options = parse()
    import torch
    torch.set_num_threads(1)
    cases = [c for c in cpu_cases() if any(part in c.name for part in options.only.split(","))]
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda case: compile_case(options, case, folder), cases))
        runtime = tripy_runtime.Runtime(options.bin, "cpu")
        runtime.options.threads = 1
        for case, problem in zip(cases, said):
            if problem:
                problems.append(f"{case.name}: {problem}")
                continue
            rows.append(measure(options, case, runtime, folder, torch))
            print(f"{rows[-1]['case']:24} {rows[-1]['tripy_ms']:10.3f} ms  PyTorch {rows[-1]['torch_ms']:10.3f} ms"
                  f"  {rows[-1]['torch_over_tripy']:7.2f}  {rows[-1]['difference'] or ''}", flush=True)
    ratios = [row["torch_over_tripy"] for row in rows]
    if ratios:
        print(f"{len(rows)} operations, PyTorch's time over Tripy's: geometric mean {statistics.geometric_mean(ratios):.2f}, "
              f"least {min(ratios):.2f}")
    if options.output:
        with open(options.output, "w") as out:
            json.dump({"meta": {**describe(options, torch), "notes": problems}, "rows": rows}, out, indent=1)
            out.write("\n")
    print("".join(f"note: {problem}\n" for problem in problems), end="")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
