#!/usr/bin/env python3
"""Runs the conformance programs on the CUDA emulator, or on a GPU, against the reference.

usage: run_conformance.py --build DIR [--target cuda:sm_90a] [--seeds 40] [--sample N --sample-seed S]
                          [--jobs N] [--keep FOLDER]

ConformanceTests compiles the programs and writes what the reference evaluator gives;
conformance-replay runs each in a process of its own, because a kernel that goes wrong costs its
process the device. With --sample, N programs chosen by --sample-seed run, of each family one at
least. The driver is whatever LD_LIBRARY_PATH leads to.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time


def compile_programs(options, folder):
    """Writes the programs to `folder`: a process for each part of the families, which take from a second to a minute."""
    parts = 8 * options.jobs
    environment = {**os.environ, "TRIPY_CONFORMANCE_TARGET": options.target, "TRIPY_CONFORMANCE_EMIT": folder,
                   "TRIPY_CONFORMANCE_SEEDS": str(options.seeds), "GTEST_TOTAL_SHARDS": str(parts)}
    command = [os.path.join(options.build, "unittests/ConformanceTests"), "--gtest_filter=Conformance.*"]

    def compile_part(part):
        return subprocess.run(command, env={**environment, "GTEST_SHARD_INDEX": str(part)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in pool.map(compile_part, range(parts)):
            if done.returncode != 0:
                sys.exit(f"FAILED: {' '.join(command)}\n{done.stdout[-8000:]}")
    return sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".tpx"))


def choose(options, names):
    """One program of each family, and others, `options.sample` in all."""
    if not options.sample or options.sample >= len(names):
        return names
    generator = random.Random(options.sample_seed)
    generator.shuffle(names)
    families = {}
    for name in names:
        families.setdefault(re.sub(r"_[a-z]+\d+\w*$|_\d+$", "", name), name)
    chosen = list(families.values())
    chosen += [name for name in names if name not in chosen][:max(0, options.sample - len(chosen))]
    return sorted(chosen)


def replay(options, folder, name):
    """(name, seconds, what went wrong or "", results compared)"""
    own = os.path.join(folder, name + ".case")
    os.makedirs(own)
    for suffix in (".tpx", ".safetensors"):
        os.rename(os.path.join(folder, name + suffix), os.path.join(own, name + suffix))
    start = time.time()
    try:
        result = subprocess.run([os.path.join(options.build, "bin/conformance-replay"), own], text=True,
                                capture_output=True, timeout=options.timeout)
        text, code = result.stdout + result.stderr, result.returncode
    except subprocess.TimeoutExpired:
        text, code = f"no answer after {options.timeout} s", 2
    compared = re.search(r"(\d+) results compared", text)
    number = int(compared.group(1)) if compared else 0
    if code == 0 and number == 0:
        text = "nothing was compared"
    return name, time.time() - start, "" if code == 0 and number else text, number


def run(options, folder):
    start = time.time()
    names = choose(options, compile_programs(options, folder))
    compiled, failed, results, slowest = time.time() - start, 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, seconds, problem, number in pool.map(lambda name: replay(options, folder, name), names):
            results += number
            slowest.append((seconds, name))
            if problem:
                failed += 1
                print(f"FAIL {name}: {problem[-1500:]}", flush=True)
    slowest.sort(reverse=True)
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slowest[:5]))
    print(f"{'FAIL' if failed else 'PASS'} {len(names)} programs for {options.target}, {results} results compared, "
          f"{failed} programs failed; {compiled:.0f} s to compile, {time.time() - start - compiled:.0f} s to run")
    return 1 if failed or not names else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--seeds", type=int, default=40, help="random programs")
    parser.add_argument("--sample", type=int, default=0, help="programs to run; 0: all")
    parser.add_argument("--sample-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each program")
    parser.add_argument("--keep", help="empty folder that keeps the programs")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        if os.listdir(options.keep):
            parser.error(f"{options.keep} is not empty")
        return run(options, options.keep)
    folder = tempfile.mkdtemp()
    try:
        return run(options, folder)
    finally:
        shutil.rmtree(folder)


sys.exit(main())
