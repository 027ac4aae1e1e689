#!/usr/bin/env python3
"""Mutated programs must not crash the tools.

Takes the programs under test/ and python-free-examples/, mutates them
(text_mutations.py), and gives them to tripy-opt, many in one process, and to
what tripy-compile does with them (compile-texts, which starts a process for
each but loads LLVM once). A signal, a crash of the tool's child or a time-out
is a failure; its text is written to --keep. A limit of memory or time that the
tool reports is none. The seed makes a run repeatable.

With --level, the texts are what the compiler prints of the smaller programs at
that level, and tripy-opt also runs what follows it. With --code, mutations are
in the code of the kernels. MLIR's and LLVM's own verifiers abort there: the
child process ends and the tool says so in one sentence, which is counted; it is
a failure where tripy-opt does and tripy-compile does not.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

from text_mutations import Mutator

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEPARATOR = "\n// -----\n"
# How a tool tells that its child crashed, and that it met a limit.
CHILD_FAILED = 3
LIMIT = b", the limit that --"
SECONDS = 100
# Its programs crash MLIR's parser and verifiers, and show what follows.
CRASHING = ("child.test", "after-errors.test")
# What follows a level: passes for the texts that it prints, in turn.
LEVELS = {
    "flatir": [["--flatir-form-dispatches"], ["--tripy-cuda"]],
    "dispatches": [["--kernel-outline", "--flatir-to-linalg"]],
    "linalg": [["--kernel-emit-cpu"], ["--kernel-emit-cuda"]],
    "schedules": [["--kernel-choose-schedules"],
                  ["--kernel-build-tiles", "--tile-place", "--tile-check-protocol", "--kernel-emit-cuda",
                   "--tile-to-nvvm"]],
    "tiles": [["--tile-place", "--tile-check-protocol"],
              ["--tile-place", "--kernel-emit-cuda", "--tile-to-nvvm"]],
    "kernels": [["--kernel-plan"]],
    "plan": [["--kernel-to-gpu"], ["--kernel-merge-equal", "--code-to-llvm"]],
}
LEVEL_PROGRAMS, LEVEL_CHARACTERS = 40, 40000
# Batches, so that a process is not started for each text.
BATCH = 40


def programs():
    """The texts to start from, without comments (which expect errors)."""
    found = []
    for folder in ("test", "python-free-examples"):
        paths = [*(ROOT / folder).rglob("*.mlir"),
                 *(ROOT / folder).rglob("*.test")]
        for path in sorted(paths):
            if path.name in CRASHING:
                continue
            # Parts of split-file and of --split-input-file; what is before the
            # first part of a .test is prose.
            chunks = re.split(r"// -----|^//--- .*$",
                              path.read_text(errors="replace"), flags=re.M)
            for chunk in chunks[path.suffix == ".test":]:
                lines = [line for line in chunk.split("\n")
                         if not line.strip().startswith("//")]
                text = "\n".join(lines)
                if text.strip() and len(text) < 8000:
                    found.append(text)
    return found


def at_level(folder, level, texts, seed):
    """What the compiler prints of some of the texts at a level, for both targets."""
    compiler = os.path.join(folder, "tripy-compile")
    found = []
    texts = [text for text in texts if "@main" in text]
    targets, more = ("cpu", "cuda"), []
    if level == "tiles":
        # Attention alone has tile functions, on CUDA.
        texts, targets = [text for text in texts if "attention" in text], ("cuda",)
        more = ["--kernel-tiles=all"]
    if level == "schedules":
        targets = ("cuda", "cuda:sm_80")
    has = {"tiles": "tile.func", "schedules": "_schedule<"}.get(level, "")
    for text in random.Random(seed).sample(texts, len(texts)):
        target = targets[len(found) % len(targets)]
        result = subprocess.run([compiler, "-", "-o", "-", f"--stop-after={level}", f"--target={target}",
                                 *more],
                                input=text.encode(), capture_output=True, timeout=120)
        printed = result.stdout.decode(errors="replace")
        if result.returncode == 0 and printed.strip() and len(printed) < LEVEL_CHARACTERS and has in printed:
            found.append(printed)
        if len(found) == LEVEL_PROGRAMS:
            break
    return found


def opt_crashes(command, texts):
    """The texts on which tripy-opt or its child crashes; all of them where it
    takes all of them to crash it."""
    try:
        result = subprocess.run(
            command, input=SEPARATOR.join(texts).encode(), timeout=10 * SECONDS,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        # 128 and more are shells' way to tell a signal.
        code = result.returncode
        limit = code == CHILD_FAILED and LIMIT in result.stderr
        if 0 <= code < 128 and code != CHILD_FAILED or limit and len(texts) == 1:
            return []
    except subprocess.TimeoutExpired:
        pass
    if len(texts) == 1:
        return texts
    half = len(texts) // 2
    return (opt_crashes(command, texts[:half]) +
            opt_crashes(command, texts[half:])) or [SEPARATOR.join(texts)]


def compiled(command, texts):
    """For each text, the exit status of tripy-compile and what it says."""
    result = subprocess.run(command, input=SEPARATOR.join(texts).encode(),
                            capture_output=True)
    parts = re.split(rb"^// ----- (\d+)\n", result.stderr, flags=re.M)
    found = list(zip(map(int, parts[1::2]), parts[0::2]))
    if len(found) < len(texts):  # It ended at the next one.
        found.append((-1, result.stderr[-1000:]))
    rest = texts[len(found):]
    return found + compiled(command, rest) if rest else found


class Fuzzer:
    def __init__(self, args):
        self.bin = pathlib.Path(args.bin)
        self.keep = pathlib.Path(args.keep)
        self.keep.mkdir(parents=True, exist_ok=True)
        # Crashes in the code of kernels are MLIR's.
        self.in_code = args.code
        self.failures = self.limits = self.mlir_crashes = self.accepted = 0

    def fail(self, tool, text):
        self.failures += 1
        path = self.keep / f"{tool}-{self.failures}.mlir"
        path.write_text(text)
        print(f"crash: {tool} < {path}", flush=True)

    def opt(self, flags, texts):
        command = [self.bin / "tripy-opt", "--split-input-file",
                   f"--time-limit={SECONDS}", *flags]
        for start in range(0, len(texts), BATCH):
            for text in opt_crashes(command, texts[start:start + BATCH]):
                if self.in_code and SEPARATOR not in text and \
                        self.statuses([], [text])[0] == CHILD_FAILED:
                    continue
                self.fail("tripy-opt" + "".join(flags), text)

    def statuses(self, target, texts):
        """Compiles; returns a status for each text, -1 for a crash of the tool
        itself, and 0 for a limit."""
        found = []
        for status, said in compiled([self.bin / "compile-texts", *target], texts):
            if status == CHILD_FAILED and LIMIT in said:
                self.limits += 1
                status = 1
            found.append(status)
        return found

    def compile(self, target, texts):
        for start in range(0, len(texts), BATCH):
            group = texts[start:start + BATCH]
            for text, status in zip(group, self.statuses(target, group)):
                self.accepted += status == 0
                if status == CHILD_FAILED and self.in_code:
                    self.mlir_crashes += 1
                elif status not in (0, 1):
                    self.fail("tripy-compile" + "".join(target), text)


def fuzz_level(fuzzer, args, sources):
    """Each text goes through both tools."""
    level = at_level(args.bin, args.level, sources, args.seed)
    print(f"{len(level)} programs at the level {args.level}", flush=True)
    mutator = Mutator(args.seed, level, structured=True)
    texts = [mutator.next_part(args.code) for _ in range(args.count)]
    turns = LEVELS[args.level]
    for turn, flags in enumerate(turns):
        fuzzer.opt(flags, texts[turn::len(turns)])
    fuzzer.compile([], texts)
    print(f"{args.count} texts for tripy-opt and tripy-compile: "
          f"{fuzzer.accepted} compiled, {fuzzer.limits} met a limit, "
          f"{fuzzer.mlir_crashes} ended the child process, "
          f"{fuzzer.failures} crashes")


def fuzz_programs(fuzzer, args, sources):
    passes = [[], *(["--" + name] for name in args.passes)]
    mutator = Mutator(args.seed, sources)
    for flags in passes:
        fuzzer.opt(flags, [mutator.next() for _ in range(args.count)])
    texts = [re.sub(r"(func\.func )(?:private )?@\w+", r"\1@main",
                    mutator.next(), count=1)
             for _ in range(args.compile_count)]
    for target in ("cpu", "cuda"):
        fuzzer.compile([target], texts)
    print(f"{args.count} texts for tripy-opt ({len(passes)} times), "
          f"{args.compile_count} for tripy-compile (2 targets): "
          f"{fuzzer.limits} met a limit, {fuzzer.failures} crashes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--compile-count", type=int, default=500,
                        help="without --level: texts for tripy-compile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=".", help="folder for crashing texts")
    parser.add_argument("--pass", dest="passes", action="append", default=[],
                        help="also run tripy-opt with this pass or pipeline")
    parser.add_argument("--only", default="", help="start from texts that contain this")
    parser.add_argument("--level", choices=LEVELS, help="mutate what the compiler prints at this level")
    parser.add_argument("--code", action="store_true",
                        help="with --level: mutate the code of the kernels")
    args = parser.parse_args()
    sources = [text for text in programs() if args.only in text]
    fuzzer = Fuzzer(args)
    (fuzz_level if args.level else fuzz_programs)(fuzzer, args, sources)
    return 1 if fuzzer.failures else 0


if __name__ == "__main__":
    sys.exit(main())
