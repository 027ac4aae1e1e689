#!/usr/bin/env python3
"""Every level that tripy-compile prints is an entrance: its text compiles to the same bytes as the program.

The examples, each level by itself; then random programs of utils/smith, each level's text made from the text of the one
before: --at-least so many, and up to --count until --seconds are over.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEVELS = ["trace", "flatir", "dispatches", "linalg", "schedules", "tiles", "kernels", "plan", "llvm"]
TARGETS = ["cpu", "cuda:sm_90a", "cuda:sm_80"]
# What a compilation may be told besides: it has to find its way through the texts.
OPTIONS = [[], ["--no-overlap"], ["--backend=libraries"], ["--gemm-prologues=always", "--no-prefetch"]]


class Compiler:
    def __init__(self, bin_folder, scratch):
        self.tool = str(pathlib.Path(bin_folder).resolve() / "tripy-compile")
        self.scratch = pathlib.Path(scratch)

    def run(self, source, output, options):
        command = [self.tool, "--in-process", "--no-cache", str(source), "-o", str(output), *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.scratch)
        if done.returncode != 0:
            raise RuntimeError(" ".join(command) + "\n" + done.stderr[:4000])
        return output

    def path(self, name, suffix):
        return self.scratch / re.sub(r"[^\w.-]", "_", f"{name}.{suffix}")


def operations(path):
    """The lines of a text without locations: arguments of loops have none that is printed."""
    text = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", path.read_text())
    return [line for line in text.splitlines() if not line.startswith(("#loc", "module attributes"))]


def differs(name, level, made, wanted):
    if made.read_bytes() == wanted.read_bytes():
        return []
    return [f"{name}: what is printed of the level '{level}' compiles to other bytes: {made} and {wanted}"]


def check_example(compiler, source, target, options):
    """Each level by itself: its text says all that is needed, and passes on what it was told."""
    name = f"{source.stem}-{target}-{''.join(options)}"
    wanted = compiler.run(source, compiler.path(name, "tpx"), [f"--target={target}", *options])
    errors, before = [], source
    for level in LEVELS:
        text = compiler.run(source, compiler.path(name, f"{level}.mlir"),
                            [f"--target={target}", f"--stop-after={level}", *options])
        errors += differs(name, level, compiler.run(text, compiler.path(name, f"{level}.tpx"), []), wanted)
        # The same text, by way of the level before.
        options_before = [f"--target={target}", *options] if before == source else []
        again = compiler.run(before, compiler.path(name, f"{level}-again.mlir"),
                             [f"--stop-after={level}", *options_before])
        errors += list(difflib.unified_diff(operations(text), operations(again), str(text), str(again), lineterm=""))[:10]
        before = text
    return errors


def check_chain(compiler, source, target):
    """All levels one after the other; nothing of a program whose sizes have no value, which is refused."""
    name = f"{source.stem}-{target}"
    try:
        wanted = compiler.run(source, compiler.path(name, "tpx"), [f"--target={target}"])
    except RuntimeError as error:
        if "by another number than 0" in str(error):
            return None
        raise
    options, text = [f"--target={target}"], source
    for level in LEVELS:
        text = compiler.run(text, compiler.path(name, f"{level}.mlir"), [f"--stop-after={level}", *options])
        options = []
    return differs(name, "llvm", compiler.run(text, compiler.path(name, "llvm.tpx"), []), wanted)


def random_programs(options, scratch):
    smith = [sys.executable, str(ROOT / "utils/smith"), "--bin", options.bin, "--count", str(options.count),
             "--seed", str(options.seed), "--print"]
    printed = subprocess.run(smith, capture_output=True, text=True, check=True).stdout
    programs = []
    for number, text in enumerate(re.split(r"^// program \d+\n", printed, flags=re.M)[1:]):
        programs.append(pathlib.Path(scratch) / f"random-{number}.mlir")
        programs[-1].write_text(text)
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of tripy-compile")
    parser.add_argument("--count", type=int, default=40, help="random programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="after which no further random program starts")
    parser.add_argument("--at-least", type=int, default=8, help="random programs that are compiled whatever the time")
    parser.add_argument("--keep", help="folder for all files")
    options = parser.parse_args()
    errors, done = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = options.keep or scratch
        os.makedirs(scratch, exist_ok=True)
        compiler = Compiler(options.bin, scratch)
        examples = sorted((ROOT / "python-free-examples").glob("*.mlir")) + [ROOT / "test/Models/Inputs/levels.mlir"]
        start = time.monotonic()

        def check(source, target, more, must):
            if more is not None:
                return check_example(compiler, source, target, more)
            if not must and time.monotonic() - start > options.seconds:
                return None
            return check_chain(compiler, source, target)

        jobs = [(source, target, [], True) for source in examples for target in TARGETS[:2]]
        jobs += [(examples[-1], TARGETS[1], more, True) for more in OPTIONS[1:]]
        jobs += [(source, TARGETS[number % len(TARGETS)], None, number < options.at_least)
                 for number, source in enumerate(random_programs(options, scratch))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job, future in [(job, pool.submit(check, *job)) for job in jobs]:
                try:
                    found = future.result()
                except RuntimeError as error:
                    found = [str(error)]
                errors += found or []
                done += job[2] is None and found is not None
    print("\n".join(errors) or f"{len(jobs) - options.count} examples and {done} of {options.count} random programs are "
          "the same by way of every level")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
