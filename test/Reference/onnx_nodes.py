#!/usr/bin/env python3
"""Compares Tripy with the expected values of ONNX's node tests.

usage: onnx_nodes.py --bin DIR [--only NAME [--print]] [--jobs 2] [--list] [--paths evaluator,cpu,cuda]

The tests come with version 1.12 of ONNX (Debian package python3-onnx); without it the script ends with 77. onnx_table.py says what each
operation of ONNX is in trace, or why a case is left out; a case of which it says neither is a failure. Many cases become
one program, which runs on the reference evaluator and on the CPU, and with --paths on a GPU or its emulator. Every second case has dynamic dimensions, as many as its
lines allow. Integers and truth values are equal, floats differ by TOLERANCE at most.
"""
import argparse
import builtins
import collections
import concurrent.futures
import ctypes
import functools
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

SKIP = 77
# Of ONNX: the table names this version's cases.
VERSION = "1.12."
# For one call of a tool.
SECONDS = 300
# Cases in one program.
TOGETHER = 40
# |found - expected| <= a * (largest magnitude of what is expected) + r * |expected|: ONNX's own values are f32, and its own
# tolerance, an r of 1e-3, would hide a wrong weight of an interpolation.
TOLERANCE = {"f64": (1e-14, 1e-12), "f32": (2e-7, 1e-5), "f16": (5e-4, 1e-3), "bf16": (0, 0)}
# The relative one of operations whose cases sum thousands of f32: adding one of few weights rounds the same way for long.
SUMS = {"SoftmaxCrossEntropyLoss": 5e-5}


def collect():
    """ONNX's tests, or a sentence that says why there are none."""
    # Names that NumPy 1.24 no longer has.
    for name in ("float", "int", "bool", "object"):
        if name not in np.__dict__:
            setattr(np, name, getattr(builtins, name))
    try:
        import onnx
        from onnx.backend.test.case.node import collect_testcases
    except ImportError as error:
        return f"python3-onnx is not installed ({error})"
    if not onnx.__version__.startswith(VERSION):
        return f"the version of ONNX is {onnx.__version__}, not {VERSION}x"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.random.seed(0)
        return collect_testcases(None)


class Wrong(Exception):
    """A difference, or what a tool said."""


def tool(arguments):
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{os.path.basename(arguments[0])} gives no answer in {SECONDS} s") from None
    if result.returncode:
        said = [line for line in result.stderr.splitlines() if "error:" in line] or result.stderr.splitlines() or ["nothing"]
        raise Wrong(f"{os.path.basename(arguments[0])} says {said[0]} (exit code {result.returncode})")


def evaluate(options, folder, cases):
    """The results on the reference evaluator."""
    command = [os.path.join(options.bin, "tripy-compile"), f"{folder}/p.mlir", "--evaluate"]
    arrays = {}
    for lines, _ in cases:
        for value, array in lines.arguments.values():
            arrays[value.name[1:]] = array.view({"bf16": "V2", "i1": "?"}.get(value.dtype, array.dtype))
    np.savez(f"{folder}/in.npz", **arrays)
    for name in arrays:
        command += ["--input", f"{name}=@{folder}/in.npz:{name}"]
    names = [f"{lines.prefix}y{i}" for lines, values in cases for i in range(len(values))]
    for name in names:
        command += ["--result", f"{name}=@{folder}/{name}.npy"]
    tool(command)
    found = iter([np.load(f"{folder}/{name}.npy") for name in names])
    return [[next(found) for _ in values] for _, values in cases]


def run_on(target, options, folder, cases):
    """The results of machine code."""
    tool([os.path.join(options.bin, "tripy-compile"), f"{folder}/p.mlir", "-o", f"{folder}/p.tpx", f"--target={target}", "--no-cache"])
    runtime = options.runtimes[target]
    context = runtime.load(f"{folder}/p.tpx")
    try:
        inputs = [(array, value.dtype) for lines, _ in cases for value, array in lines.arguments.values()]
        outputs = [(np.full(expected.nbytes, POISON, "u1").view(expected.dtype).reshape(expected.shape), value.dtype)
                   for lines, values in cases for value, expected in zip(values, expected_of(lines))]
        described = [(Tensor * max(1, len(group)))(*(describe(*one) for one in group)) for group in (inputs, outputs)]
        runtime.check(runtime.library.tripy_context_run(context, described[0], ctypes.c_size_t(len(inputs)), described[1],
                                                        ctypes.c_size_t(len(outputs)), None))
    finally:
        runtime.free(context)
    found = iter(array for array, _ in outputs)
    return [[next(found) for _ in values] for _, values in cases]


def expected_of(lines):
    case = lines.case
    return [case.stored(name, array) for name, array in zip(case.results, case.expected)]


def compare(op, found, expected, dtype):
    """"" or how two arrays of stored elements differ."""
    if found.shape != expected.shape:
        return f"the shape is {list(found.shape)}, not {list(expected.shape)}"
    found = np.ascontiguousarray(found).view(expected.dtype).reshape(expected.shape)
    a, b = from_bits(found, dtype), from_bits(expected, dtype)
    good = a == b
    if dtype in TOLERANCE and good.size:
        absolute, relative = TOLERANCE[dtype][0], SUMS.get(op, TOLERANCE[dtype][1])
        finite = np.isfinite(b)
        with np.errstate(all="ignore"):
            good |= np.abs(a - b) <= absolute * np.abs(np.where(finite, b, 0)).max() + relative * np.where(finite, np.abs(b), 0)
        good |= np.isnan(a) & np.isnan(b)
    if good.all():
        return ""
    place = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{np.sum(~good)} of {good.size} elements differ; element {list(place)} is {a[place]}, not {b[place]}"


PATHS = {"evaluator": evaluate, "cpu": functools.partial(run_on, "cpu"), "cuda": functools.partial(run_on, "cuda")}


def check(options, path, cases):
    """Failures: (name of the case, what is wrong). Where the program as a whole fails, each case is tried alone."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/p.mlir", "w") as out:
            out.write(program(cases))
        try:
            results = PATHS[path](options, folder, cases)
        except (Wrong, Failure) as error:
            if len(cases) == 1:
                return [(cases[0][0].case.name, str(error))]
            alone = [failure for case in cases for failure in check(options, path, [case])]
            return alone or [(f"{cases[0][0].case.name} and those behind it", str(error))]
    for (lines, values), arrays in zip(cases, results):
        for i, (value, array, expected) in enumerate(zip(values, arrays, expected_of(lines))):
            difference = compare(lines.case.op, array, expected, value.dtype)
            if difference:
                failures.append((lines.case.name, f"result {i}: {difference}"))
    return failures


def build(case, number):
    """The lines of a case and its results: of every second one, with as many dynamic dimensions as its lines allow."""
    modes = list(MODES) if number % 2 else ["none"]
    for mode in modes:
        lines = Lines(case, f"c{number}_", mode)
        try:
            results = TABLE[case.op](lines)
        except (NeedsNumbers, Invalid):
            if mode == "none":
                raise
            continue
        return lines, results if isinstance(results, (list, tuple)) else [results]
    raise AssertionError("the last mode is 'none'")


def sort_out(cases, only):
    """Pairs of lines and results; what is left out, by reason; failures."""
    built, left, failures = [], collections.defaultdict(list), []
    for number, case in enumerate(cases):
        if only and case.name != only:
            continue
        reason = reason_of(case)
        if reason:
            left[reason].append(case.name)
            continue
        if case.op not in TABLE:
            failures.append((case.name, f"'{case.op}' has neither an entry in TABLE nor a reason to be left out"))
            continue
        lines, values = build(case, number)
        wanted = [case.kinds[name] for name in case.results]
        if [value.dtype for value in values] != wanted:
            failures.append((case.name, f"the results are of {[value.dtype for value in values]}, not {wanted}"))
            continue
        built.append((lines, values))
    if not only:
        known = {case.name for case in cases} | {case.op for case in cases}
        failures += [(name, "the table has it, ONNX has not") for name in (*TABLE, *REASONS, *CASE_REASONS) if name not in known]
        failures += [(name, "it is mapped and left out") for name in TABLE if name in REASONS]
    return built, left, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", help="one case")
    parser.add_argument("--print", action="store_true", help="print the programs")
    parser.add_argument("--list", action="store_true", help="print the names of the cases that are left out")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--paths", default="evaluator,cpu", help="of evaluator, cpu and cuda")
    options = parser.parse_args()
    paths = options.paths.split(",")
    options.runtimes = {path: Runtime(options.bin, path) for path in paths if path != "evaluator"}
    cases = [Case(case) for case in FOUND]
    built, left, failures = sort_out(cases, options.only)
    groups = [built[i:i + TOGETHER] for i in range(0, len(built), TOGETHER)]
    if options.print:
        print("\n".join(map(program, groups)))
    wrong = collections.defaultdict(set)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(path, pool.submit(check, options, path, group)) for group in groups for path in paths]
        for path, job in jobs:
            for name, text in job.result():
                failures.append((f"{name} ({path})", text))
                wrong[path].add(name)
    for name, text in failures:
        print(f"FAIL {name}: {text}")
    for reason, names in sorted(left.items()):
        print(f"left out, {reason}: {len(names)} cases" + (f": {', '.join(names)}" if options.list else ""))
    dynamic = collections.Counter(lines.name_of_mode for lines, _ in built if lines.dynamic)
    print(f"{len(cases)} cases: {len(built)} mapped, {sum(map(len, left.values()))} left out; dynamic dimensions: "
          + ", ".join(f"{mode}: {count}" for mode, count in dynamic.items()))
    print("passed: " + ", ".join(f"{len(built) - len(wrong[path])} ({path})" for path in paths))
    return 1 if failures else 0


FOUND = collect()
if isinstance(FOUND, str):
    print(FOUND)
    sys.exit(SKIP)
from onnx_lines import MODES, Case, Lines, NeedsNumbers, program  # noqa: E402
from onnx_table import CASE_REASONS, REASONS, TABLE, reason_of  # noqa: E402
from elements import from_bits  # noqa: E402
from shapes import Invalid  # noqa: E402
from tripy_runtime import POISON, Failure, Runtime, Tensor, describe  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
