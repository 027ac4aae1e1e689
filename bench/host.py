#!/usr/bin/env python3
"""Times what the host does: compiling, starting, loading.

usage: host.py --bin DIR [--output results/host-DATE.json] [--gib 1.0]

Measures, each the median of several whole processes:
- tripy-compile of the GEGLU example for the CPU, and for CUDA (sm_90a) of the
  example and of a large GEGLU: cold, without a cache of code, and warm, from one;
- tripy-compile of GPT-2 124M for CUDA, cold, on 2 cores: 1 x 128, 1 x 1024 and 8 x 1024
  tokens, and one token behind 511 others;
- tripy-compile of 100 distinct element-wise kernels for CUDA, cold, on 2 cores;
- tripy-run of it on the CPU, start to finish;
- compiling a program that includes tripy/tripy.h, with the compilers that are there;
- loading an executable with 1 GiB of weights: `tripy-run --info`, which maps and
  verifies the file, its time and its peak memory.
Prints a table and the machine's name; exits 1 when a limit is missed, which says
something on a machine that does nothing else. test/Host/costs.py checks what holds
on any machine.
"""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import report
import transformer_cases

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


def timed(command, repeats=7, cores=None):
    """Median seconds and the largest peak memory in bytes; on `cores` processors, or all."""
    seconds, peak = [], 0
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: os.sched_setaffinity(0, allowed))
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


def geglu(folder):
    """GEGLU on 4096 rows, 1280 to 5120 columns, in f16."""
    program = os.path.join(folder, "geglu.mlir")
    with open(program, "w") as out:
        out.write("""
func.func @main(%x: tensor<4096x1280xf16>, %w: tensor<10240x1280xf16> {tripy.parameter},
    %b: tensor<10240xf16> {tripy.parameter}) -> tensor<4096x5120xf16> {
  %proj = trace.linear %x, %w, %b : (tensor<4096x1280xf16>, tensor<10240x1280xf16>, tensor<10240xf16>) -> tensor<4096x10240xf16>
  %value, %gate = trace.split %proj dim = -1 sizes = [5120, 5120] : (tensor<4096x10240xf16>) -> (tensor<4096x5120xf16>, tensor<4096x5120xf16>)
  %activated = trace.gelu %gate : (tensor<4096x5120xf16>) -> tensor<4096x5120xf16>
  %result = trace.mul %value, %activated : (tensor<4096x5120xf16>, tensor<4096x5120xf16>) -> tensor<4096x5120xf16>
  return %result : tensor<4096x5120xf16>
}
""")
    return program


def hundred_kernels(folder, count=100):
    """A program of up to 100 element-wise kernels, each a pair of functions of its own."""
    functions = ["neg", "abs", "exp", "sin", "cos", "tanh", "sigmoid", "silu", "sqrt", "erf"]
    arguments, body, results, types = [], [], [], []
    for number in range(count):
        tensor = f"tensor<{1024 + number}xf32>"
        first, second = functions[number // 10], functions[number % 10]
        arguments.append(f"%x{number}: {tensor}")
        body.append(f"  %a{number} = trace.{first} %x{number} : ({tensor}) -> {tensor}")
        body.append(f"  %b{number} = trace.{second} %a{number} : ({tensor}) -> {tensor}")
        results.append(f"%b{number}")
        types.append(tensor)
    program = os.path.join(folder, "hundred.mlir")
    with open(program, "w") as out:
        out.write("\n".join([f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{", *body,
                             f"  return {', '.join(results)} : {', '.join(types)}", "}", ""]))
    return program


def include(folder, compiler, bin_folder):
    """Compiles a program that only includes the frontend's header; some headers are generated."""
    source = os.path.join(folder, "include.cpp")
    with open(source, "w") as out:
        out.write("#include <tripy/tripy.h>\n")
    return [compiler, "-std=c++20", "-O2", "-c", source, "-o", source + ".o", "-I", os.path.join(ROOT, "include"), "-I",
            os.path.join(bin_folder, "../include")]


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
        cuda = "--target=cuda:sm_90a"
        for name, program in (("GEGLU", example), ("GEGLU 4096x1280x5120", geglu(folder))):
            seconds, _ = timed([compiler, program, "-o", out, cuda, "--no-cache"])
            record(f"compile {name}, cold, cuda:sm_90a", seconds, 1.0)
            warm = [compiler, program, "-o", out, cuda, f"--cache-dir={folder}/cache"]
            timed(warm, repeats=1)
            if not os.path.exists(os.path.join(folder, "cache")):
                print(f"compile {name}, warm: left out, there is no assembler whose code is kept")
                continue
            seconds, _ = timed(warm)
            record(f"compile {name}, warm, cuda:sm_90a", seconds, 0.1)
        for size in ((1, 128), (1, 1024), (8, 1024), (1, 1, 512)):
            case = transformer_cases.gpt2(*size)
            program = os.path.join(folder, case.name + ".mlir")
            with open(program, "w") as text:
                text.write(case.program)
            seconds, _ = timed([compiler, program, "-o", out, cuda, "--no-cache"], cores=2)
            record(f"compile {case.name}, cold, 2 cores, cuda:sm_90a", seconds, 1.0)
        many = hundred_kernels(folder)
        seconds, _ = timed([compiler, many, "-o", out, cuda, "--no-cache"], cores=2)
        record("compile 100 kernels, cold, 2 cores, cuda:sm_90a", seconds, 2.0)
        info = subprocess.run([runner, out, "--info"], text=True, capture_output=True, check=True).stdout
        if "kernels: 100, launches: 100" not in info:
            sys.exit("the program of 100 kernels has another number of them")
        seconds, _ = timed([compiler, example, "-o", out, "--target=cpu"])
        record("compile GEGLU, cpu", seconds, 0.5)
        seconds, _ = timed([runner, out, "--input", "x=ones", "--device=cpu"])
        record("tripy-run GEGLU, start to finish, cpu", seconds, 0.2)
        for compiler_name in ("clang++-22", "g++-12"):
            if not shutil.which(compiler_name):
                print(f"include tripy/tripy.h: left out, there is no {compiler_name}")
                continue
            seconds, _ = timed(include(folder, compiler_name, options.bin))
            record(f"include tripy/tripy.h, {compiler_name} -O2", seconds, 1.0)
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
        print(f"{row['case']:50} {row['seconds']:8.3f} s  (limit {row['limit']} s){memory}{'' if good else '  MISSED'}")
    if options.output:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True, capture_output=True).stdout.strip()
        with open(options.output, "w") as handle:
            json.dump({"meta": {"machine": machine(), "commit": commit,
                                "date": datetime.date.today().isoformat(), "command": report.command("bench/host.py")},
                       "rows": rows}, handle, indent=1)
            handle.write("\n")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
