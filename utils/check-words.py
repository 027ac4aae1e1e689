#!/usr/bin/env python3
"""Refuses the project's own words where the field has one.

usage: check-words.py [ROOT]

WORDS says what is refused, where, and which term of docs/glossary.md it is. Results of benchmarks are as they were
measured.
"""
import os
import re
import sys

GEMM = r"lib/Codegen/CUDA/(Wgmma|Mma|Simt|EmitCUDAGemm|EmitCUDAMma)"
# what is refused, in files whose path begins with, the term
WORDS = [(re.compile(word), re.compile(where), term) for word, where, term in (
    (r"\b[hH]ero(es)?\b|\bhero[A-Z]|[a-z]Hero(?!n)", "", "fusion root"),
    (r",turns\b|\b[cC]onsumers (that )?take turns\b", "", "ping-pong"),
    (r"\bexchanged? roles\b|,swap\b|[sS]wapped(Rows|Consumers|Columns)\b", "", "swapAB"),
    (r"\bslices? of K\b|\bSliceCopy\b|\b(await|multiply|copy|compute|first|short)Slices?\b", GEMM, "k-block"),
    (r"\b[sS]lots?\b|[a-z]Slot\b", GEMM, "stage"),
    (r"\btall\b", GEMM, "cluster M x N"),
    (r"\bWgmmaStore::Boxes\b|\bstore=boxes|\b(store|await)Boxes\b", "", "TMA store"),
    (r"\bNumber::|\benum class Number\b", GEMM, "element type"),
    (r"\b[bB]ids?\b|\b\w*BidLibraries\w*|\bLibraryBids\b|\bbid-libraries\b", "", "library candidate"),
    (r"\bmost[A-Z]\w*|\bMOST_\w+", "", "max"),
    (r"\b[lL]anes?\b|[a-z]Lanes?\b", r"lib/Codegen/(Emit|CPU)/|include/tripy/Codegen/", "element"),
    (r"\b[pP]lanner\b|\bPlannerOptions\b", "", "fusion"),
    (r"\b(Wgmma|Gemv|Mma|Simt)Plan\b|\b(mma|simt)::Plan\b", "", "schedule"),
    (r"\bjoin(Split|Parts|Blocks|Shares)\b", GEMM, "split-K"),
    (r"\bNameIndex\b", "", "table index"),
)]
FOLDERS = ("bench", "cmake", "docs", "include", "lib", "python-free-examples", "test", "tools", "unittests", "utils")
TEXTS = (".c", ".cmake", ".cpp", ".h", ".md", ".mlir", ".py", ".td", ".test", ".txt")
SKIPPED = ("bench/results/", "test/Tools/check-words/", "utils/check-words.py")


def texts(root):
    """The paths below `root` of the texts that are checked."""
    for name in sorted(os.listdir(root)):
        if name.endswith(TEXTS):
            yield name
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(place, name), root)
                if name.endswith(TEXTS) and not path.startswith(SKIPPED):
                    yield path


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems, count = [], 0
    for path in texts(root):
        count += 1
        with open(os.path.join(root, path), errors="replace") as handle:
            lines = handle.read().split("\n")
        words = [(word, term) for word, where, term in WORDS if where.match(path)]
        for number, line in enumerate(lines, 1):
            problems += [f"{path}:{number}: '{match.group(0)}': the word is {term}"
                         for word, term in words for match in word.finditer(line)]
    glossary = os.path.join(root, "docs", "glossary.md")
    if os.path.exists(glossary):
        with open(glossary) as handle:
            known = re.findall(r"^\| ([^|]+?) \|", handle.read(), re.M)
        problems += [f"docs/glossary.md: there is no line for '{term}'"
                     for _, _, term in WORDS if term not in (*known, "max")]
    for problem in problems:
        print(problem)
    print(f"check-words: {count} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
