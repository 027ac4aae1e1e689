#!/usr/bin/env python3
"""Runs clang-tidy, with the checks of .clang-tidy, on the sources that were changed.

Changed is what differs from where this branch left the upstream branch, or origin/main, or main: what is committed and
what is not. Only sources of the build's compilation database are read; a header is checked with those. Ends after
--seconds and says which files it did not reach. Exits 0 when nothing is found, 1 when something is, and 77 when it
cannot run, with the reason on the last line.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = "clang-tidy-22"
BASES = ("@{upstream}", "origin/main", "main")
SKIP = 77


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def git(*arguments):
    """What git prints, or nothing where it fails."""
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else ""


def changed(base):
    """The paths that differ from where this branch left `base`, or the first of BASES that there is."""
    for name in [base] if base else BASES:
        start = git("merge-base", "HEAD", name)
        if start:
            return git("diff", "--name-only", "--diff-filter=d", start).splitlines()
    return skip(f"there is no {' or '.join([base] if base else BASES)} to compare with")


def commands(build):
    """The paths, from ROOT, of the sources that the build compiles."""
    path = os.path.join(ROOT, build, "compile_commands.json")
    if not os.path.exists(path):
        return skip(f"{build} is not configured: it has no compile_commands.json")
    with open(path) as handle:
        return {os.path.relpath(entry["file"], ROOT) for entry in json.load(handle)}


def tidy(build, path, deadline):
    """The findings in one source, or None when the time was over."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        result = subprocess.run([TOOL, "-p", build, "--quiet", "--warnings-as-errors=*", path], cwd=ROOT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=left)
    except subprocess.TimeoutExpired:
        return None
    # What it counts of suppressed warnings goes to stderr; so does why it cannot run.
    return "" if result.returncode == 0 else result.stdout or result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", help="a branch or commit in place of " + ", ".join(BASES))
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--seconds", type=float, default=900)
    args = parser.parse_args()
    if not shutil.which(TOOL):
        skip(f"{TOOL} is not installed; utils/setup installs it")
    known = commands(args.build)
    paths = [path for path in changed(args.base) if path in known]
    deadline = time.monotonic() + args.seconds
    bad, late = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, found in zip(paths, pool.map(lambda path: tidy(args.build, path, deadline), paths)):
            if found is None:
                late.append(path)
            elif found:
                bad += 1
                print(found, flush=True)
    if late:
        print(f"not reached in {args.seconds:g} s: {', '.join(late)}")
    print(f"check-tidy: {len(paths)} changed sources, {bad} with findings, {len(late)} not reached")
    sys.exit(1 if bad else 0)


main()
