#!/usr/bin/env python3
"""Mutated programs must not crash the tools.

Takes the programs under test/ and python-free-examples/, mutates them (single
tokens: removed, doubled, swapped, replaced by others or by extreme numbers; or
one size, element type or number everywhere), and gives them to tripy-opt, many
in one process, and to tripy-compile, one by one. A signal, a crash of the
tool's child or a time-out is a failure; its text is written to --keep. A limit
of memory or time that the tool reports is none. The seed makes a run
repeatable.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEPARATOR = "\n// -----\n"
TOKEN = re.compile(r"[A-Za-z_][\w.$-]*|%[\w#]+|-?\d+(?:\.\d+(?:e[-+]?\d+)?)?|"
                   r"[!#@^][\w.]+|->|\s+|.", re.S)
NUMBERS = ["-1", "0", "1", "2", "7", "255", "4294967296", "1099511627776",
           "9223372036854775807", "-9223372036854775808"]
ELEMENTS = ["f32", "f16", "bf16", "i1", "i32", "i64"]
TYPES = ELEMENTS + ["index", "f64", "i8", "i4", "i7", "f4E2M1FN", "f8E4M3FN",
                    "f80", "complex<f32>", "tuple<>", "none", "tensor<*xf32>",
                    "tensor<?xf32>", "tensor<0xf32>", "vector<2xf32>",
                    'tensor<2xf32, "x">', "memref<2xf32>"]
SIZES = ["?", "0", "1", "2", "3", "1024", "1048576", "1099511627776"]
# How a tool tells that its child crashed, and that it met a limit.
CHILD_FAILED = 3
LIMIT = b", the limit that --"
# Its programs crash MLIR's parser and verifiers, and show what follows.
CRASHING = "child.test"
# Batches, so that a process is not started for each text; tripy-compile
# compiles one program.
BATCH = 40


def programs():
    """The texts to start from, without comments (which expect errors)."""
    found = []
    for folder in ("test", "python-free-examples"):
        paths = [*(ROOT / folder).rglob("*.mlir"),
                 *(ROOT / folder).rglob("*.test")]
        for path in sorted(paths):
            if path.name == CRASHING:
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


class Mutator:
    def __init__(self, seed, texts):
        self.random = random.Random(seed)
        self.texts = texts
        self.operations = sorted({
            name for text in texts for name in
            re.findall(r"\b(?:linalg|tensor|arith|math|trace|flatir)\.\w+",
                       text)})
        self.pool = [token for text in texts for token in TOKEN.findall(text)
                     if not token.isspace()]

    def everywhere(self, text):
        """One size, element type or number becomes another wherever it is."""
        pattern, values = self.random.choice([
            (r"(?<=[<x])(?:\d+|\?)(?=x)", SIZES),
            (r"(?<![\w.])(?:b?f16|f32|i1|i32|i64)\b|"
             r"(?<=[\dx?]x)(?:b?f16|f32|i1|i32|i64)\b", ELEMENTS),
            (r"\b(?:linalg|tensor|arith|math|trace|flatir)\.\w+",
             self.operations),
            (r"(?<=[\[ ])-?\d+(?=[,\] ])", NUMBERS)])
        present = re.findall(pattern, text)
        if not present:
            return text
        old, new = self.random.choice(present), self.random.choice(values)
        return re.sub(pattern, lambda match: new if match.group() == old
                      else match.group(), text)

    def one_token(self, text):
        tokens = TOKEN.findall(text)
        place = self.random.randrange(len(tokens))
        other = self.random.randrange(len(tokens))
        match self.random.randrange(6):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, self.random.choice(self.pool))
            case 2:
                tokens[place] = self.random.choice(self.pool)
            case 3:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 4:
                end = place + self.random.randrange(1, 12)
                tokens[place:place] = tokens[place:end]
            case _:
                self.replace_kind(tokens)
        return "".join(tokens)

    def replace_kind(self, tokens):
        """A number becomes an extreme one, or a type another."""
        values = self.random.choice([NUMBERS, TYPES])
        kind = r"-?\d+" if values is NUMBERS else "|".join(ELEMENTS)
        places = [i for i, token in enumerate(tokens)
                  if re.fullmatch(kind, token)]
        if places:
            tokens[self.random.choice(places)] = self.random.choice(values)

    def next(self):
        text = self.random.choice(self.texts)
        for _ in range(self.random.choice([1, 1, 1, 2, 4])):
            kind = self.random.choice([self.everywhere, self.everywhere,
                                       self.one_token])
            text = kind(text)
            if not text:
                break
        return text


def crashes(command, text):
    """Whether the tool or its child ends by a signal, or not at all."""
    try:
        result = subprocess.run(command, input=text.encode(), timeout=120,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return True
    # 128 and more are shells' way to tell a signal.
    code = result.returncode
    return (code < 0 or code >= 128 or
            code == CHILD_FAILED and LIMIT not in result.stderr)


def fuzz(command, texts, batch, keep):
    """Gives the texts to the tool; returns how many crash it."""
    bad = 0
    for start in range(0, len(texts), batch):
        group = texts[start:start + batch]
        if not crashes(command, SEPARATOR.join(group)):
            continue
        guilty = [t for t in group if crashes(command, t)] or [
            SEPARATOR.join(group)]
        for text in guilty:
            bad += 1
            path = keep / f"{pathlib.Path(command[0]).name}-{start}-{bad}.mlir"
            path.write_text(text)
            print(f"crash: {' '.join(command)} < {path}", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="folder of the tools")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--compile-count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=".", help="folder for crashing texts")
    parser.add_argument("--pass", dest="passes", action="append", default=[],
                        help="also run tripy-opt with this pass or pipeline")
    args = parser.parse_args()

    keep = pathlib.Path(args.keep)
    keep.mkdir(parents=True, exist_ok=True)
    mutator = Mutator(args.seed, programs())
    opt = [os.path.join(args.bin, "tripy-opt"), "--split-input-file"]
    bad = 0
    for flags in [[]] + [["--" + name] for name in args.passes]:
        texts = [mutator.next() for _ in range(args.count)]
        bad += fuzz(opt + flags, texts, BATCH, keep)
    compiler = os.path.join(args.bin, "tripy-compile")
    if os.path.exists(compiler):
        texts = [re.sub(r"(func\.func )(?:private )?@\w+", r"\1@main",
                        mutator.next(), count=1)
                 for _ in range(args.compile_count)]
        for target in ("cpu", "cuda"):
            bad += fuzz([compiler, "-", "-o", "-", f"--target={target}"],
                        texts, 1, keep)
    print(f"{args.count} texts for tripy-opt ({len(args.passes) + 1} times), "
          f"{args.compile_count} for tripy-compile (2 targets): {bad} crashes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
