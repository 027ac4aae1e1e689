#!/usr/bin/env python3
"""What compiling and loading cost, in numbers that hold on any machine.

usage: costs.py --bin DIR

No limit is in seconds: those are bench/host.py's. This counts runs of the
assembler (a script in its place), kernels and bytes, and compares processor time
with that of a program of half the size, measured in turn in the same run.
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import host  # noqa: E402

# Twice the program may take this much more: 2 where costs are linear, 4 where
# they are quadratic, and other work on the machine disturbs both.
GROWTH = 3.0
# What a process may take besides the file that it maps.
PROCESS_BYTES = 64 << 20
# Stands for ptxas: counts its runs, and "assembles" by copying.
ASSEMBLER = """#!/bin/sh
echo run >> "$(dirname "$0")/runs"
cp "$2" "$4"
"""

failures = 0


def expect(what, found, holds, wanted):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'FAILED'}: {what}: {found}, must be {wanted}", flush=True)


def run(command, environment, cores=None):
    """Seconds of processor time, and the peak memory in bytes."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    said = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def in_turn(commands, environment, repeats=5):
    """The least time and memory of each command."""
    results = [[run(command, environment) for command in commands] for _ in range(repeats)]
    return [tuple(map(min, zip(*of_one))) for of_one in zip(*results)]


def check_growth(what, commands, environment):
    (half, half_bytes), (whole, whole_bytes) = in_turn(commands, environment)
    expect(f"{what}: processor time of 2 n over n", f"{whole / half:.2f} ({whole:.3f} s, {half:.3f} s)",
           whole <= GROWTH * half, f"at most {GROWTH}")
    expect(f"{what}: peak memory of 2 n over n", f"{whole_bytes / half_bytes:.2f}", whole_bytes <= GROWTH * half_bytes,
           f"at most {GROWTH}")


class Assembler:
    def __init__(self, folder):
        self.home = os.path.join(folder, "cuda")
        self.log = os.path.join(self.home, "bin", "runs")
        os.makedirs(os.path.dirname(self.log))
        path = os.path.join(self.home, "bin", "ptxas")
        with open(path, "w") as out:
            out.write(ASSEMBLER)
        os.chmod(path, 0o755)

    def runs(self):
        """How often it ran since it was asked last."""
        if not os.path.exists(self.log):
            return 0
        with open(self.log) as log:
            count = len(log.readlines())
        os.remove(self.log)
        return count


def check_compilations(tools, folder, environment, assembler):
    """How often a program is assembled: by parts, and not again."""
    compiler, runner = tools
    program, out = host.hundred_kernels(folder), os.path.join(folder, "out.tpx")
    cuda = [compiler, program, "-o", out, "--target=cuda:sm_90a"]
    for cores in (1, 2):
        run(cuda + ["--no-cache"], environment, cores)
        count = assembler.runs()
        expect(f"runs of the assembler for 100 kernels on {cores} processors", count, 1 <= count <= cores,
               f"at most {cores}")
    info = subprocess.run([runner, out, "--info"], text=True, capture_output=True, check=True).stdout
    expect("kernels", "kernels: 100, launches: 100" in info, "kernels: 100, launches: 100" in info, True)
    cached = cuda + [f"--cache-dir={folder}/cache"]
    run(cached, environment)
    count = assembler.runs()
    expect("runs of the assembler for a new cache", count, count > 0, "at least 1")
    with open(out, "rb") as handle:
        first = handle.read()
    (cold, _), (warm, _) = in_turn([cuda + ["--no-cache"], cached], environment, repeats=3)
    assembler.runs()
    run(cached, environment)
    count = assembler.runs()
    expect("runs of the assembler for kernels that are kept", count, count == 0, 0)
    with open(out, "rb") as handle:
        same = handle.read() == first
    expect("the executable from kept code is the same", same, same, True)
    expect("processor time from kept code over that of compiling", f"{warm / cold:.2f}", warm <= cold / 2, "at most 0.5")


def check_loading(tools, folder, environment):
    """A file is mapped: it is never in memory twice."""
    compiler, runner = tools
    commands = []
    for megabytes in (128, 256):
        place = os.path.join(folder, str(megabytes))
        os.makedirs(place)
        program, weights = host.large_model(place, megabytes / 1024)
        out = os.path.join(place, "large.tpx")
        run([compiler, program, "-o", out, "--target=cpu", "--weights", weights], environment)
        os.remove(weights)
        commands.append([runner, out, "--info"])
    check_growth("loading", commands, environment)
    size = os.path.getsize(commands[1][1])
    _, peak = run(commands[1], environment)
    expect("bytes of loading beyond the file", peak - size, peak <= size + PROCESS_BYTES, f"at most {PROCESS_BYTES}")


def check_frontend(benchmark, environment):
    """A first tensor starts no compiler, which takes megabytes; and graphs cost what they have operations."""
    done = subprocess.run([benchmark, "--one=bytes"], env=environment, text=True, capture_output=True, check=True)
    size = float(done.stdout)
    expect("bytes of the first tensor of a process", size, 0 < size <= 1 << 16, f"at most {1 << 16}")
    check_growth("recording and hashing a graph", [[benchmark, f"--one=graph:{n}"] for n in (250000, 500000)], environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    tools = [os.path.join(options.bin, tool) for tool in ("tripy-compile", "tripy-run")]
    with tempfile.TemporaryDirectory() as folder:
        assembler = Assembler(folder)
        environment = dict(os.environ, TRIPY_CUDA_HOME=assembler.home, TRIPY_ASSEMBLER="ptxas", TRIPY_CACHE_DIR="")
        check_compilations(tools, folder, environment, assembler)
        for target in ("cpu", "cuda:sm_90a"):
            commands = []
            for count in (50, 100):
                place = os.path.join(folder, f"{target}-{count}")
                os.makedirs(place)
                program = host.hundred_kernels(place, count)
                commands.append([tools[0], program, "-o", f"{place}/out.tpx", f"--target={target}"])
            check_growth(f"compiling kernels, {target}", commands, environment)
        out = os.path.join(folder, "geglu.tpx")
        run([tools[0], os.path.join(ROOT, "python-free-examples/geglu.mlir"), "-o", out, "--target=cpu"], environment)
        _, peak = run([tools[1], out, "--input", "x=ones", "--device=cpu"], environment)
        expect("bytes of tripy-run of the GEGLU example", peak, peak <= PROCESS_BYTES, f"at most {PROCESS_BYTES}")
        check_loading(tools, folder, environment)
        check_frontend(os.path.join(options.bin, "frontend-benchmark"), dict(environment, TRIPY_DEVICE="cpu"))
    sys.exit(1 if failures else 0)


main()
