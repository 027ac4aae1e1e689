#!/usr/bin/env python3
"""Checks the benchmark's layers drawn at random (bench/zoo.py), without a GPU.

usage: zoo_programs.py --bin DIR --bench DIR [--count 400] [--seeds 1,2,3] [--compile 40] [--run 60]

Drawing is deterministic, and every family is drawn. All --count programs of each seed are valid; --compile of all of them
compile for cuda:sm_90a. --run programs of small sizes run on the CPU, where they are within the benchmark's tolerance of the
NumPy form of the same operations, at each measured size of their profile.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Models"))
from shape_program import STORED, from_bits, to_bits  # noqa: E402
from tripy_runtime import POISON, Runtime, Tensor, describe  # noqa: E402


def fail(text):
    sys.exit(f"zoo_programs: {text}")


def check_drawing(options, zoo):
    """The cases of all seeds."""
    found = []
    for seed in options.seeds:
        cases = zoo.draw(seed, options.count)
        # In a process of its own, where hashes of strings are others.
        listed = subprocess.run([sys.executable, os.path.join(options.bench, "zoo.py"), f"{seed},{options.count}"], text=True,
                                capture_output=True, check=True).stdout.splitlines()
        if [line.split()[1] for line in listed] != [case.name for case in cases] or len(cases) != options.count:
            fail(f"seed {seed} gives other cases in another process")
        if any(" ".join(line.split()).find(case.sizes) < 0 for line, case in zip(listed, cases)):
            fail(f"seed {seed} gives other sizes in another process")
        if [c.program for c in cases] != [c.program for c in zoo.draw(seed, options.count)]:
            fail(f"seed {seed} gives other programs the second time")
        found += cases
    if found[0].program == found[options.count].program and len(options.seeds) > 1:
        fail("two seeds give the same cases")
    missing = {name for _, names in zoo.GROUPS.values() for name in names} - {case.family for case in found}
    if missing:
        fail(f"{', '.join(sorted(missing))}: never drawn")
    for kind in ("expected", "away", None):
        if not any(case.which == kind for case in found):
            fail(f"no case at the sizes '{kind}'")
    if any(not case.place["model"] or (case.place["model"] != "at random" and not case.place["source"]) for case in found):
        fail("a case does not say where it comes from")
    return found


def check_validity(options, cases, folder):
    texts = os.path.join(folder, "all.mlir")
    with open(texts, "w") as out:
        out.write("// -----\n".join(case.program for case in cases))
        out.write("// -----\n".join(["", *(case.static_program for case in cases if case.which)]))
    result = subprocess.run([os.path.join(options.bin, "tripy-opt"), "--split-input-file", texts, "-o", os.devnull], text=True,
                            capture_output=True)
    if result.returncode != 0:
        fail(f"invalid: {result.stderr[:2000]}")


def compiled(options, text, target, file):
    result = subprocess.run([os.path.join(options.bin, "tripy-compile"), "-", "-o", file, f"--target={target}", "--no-cache"],
                            input=text, text=True, capture_output=True)
    if result.returncode != 0:
        fail(f"does not compile for {target}: {result.stderr[:1500]}\n{text}")


def check_compilation(options, cases, folder):
    step = max(1, len(cases) // options.compile)
    # Whatever the step, no family is left out for long.
    sample = {case.executable + str(i % 7): case for i, case in enumerate(cases[::step])}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda each: compiled(options, each[1].program, "cuda:sm_90a", os.path.join(folder, f"{each[0]}.tpx")),
                      enumerate(sample.values())))
    return len(sample)


def run_case(options, runtime, case, rng, folder):
    """The largest error, as the harness computes it."""
    file = os.path.join(folder, "case.tpx")
    compiled(options, case.program, "cpu", file)
    bits = [rng.integers(0, i.below, i.shape).astype("<i8") if i.below
            else to_bits(rng.standard_normal(i.shape) * i.scale, i.dtype) for i in case.inputs]
    exact = [from_bits(array, i.dtype) if not i.below else array for array, i in zip(bits, case.inputs)]
    reference = case.torch(np, *exact)
    reference = reference if isinstance(reference, tuple) else (reference,)
    outputs = [np.full(o.bytes, POISON, "u1").view(STORED[o.dtype]).reshape(o.shape) for o in case.outputs]
    context = runtime.load(file)
    arguments = (Tensor * len(bits))(*[describe(array, i.dtype) for array, i in zip(bits, case.inputs)])
    results = (Tensor * len(outputs))(*[describe(array, o.dtype) for array, o in zip(outputs, case.outputs)])
    runtime.check(runtime.library.tripy_context_run(context, arguments, len(bits), results, len(outputs), None))
    runtime.free(context)
    worst = 0.0
    for found, expected, o in zip(outputs, reference, case.outputs):
        if expected.shape != o.shape:
            fail(f"{case.name}: NumPy's result is {expected.shape} instead of {o.shape}")
        if o.dtype == "i32":
            worst = max(worst, float((found != expected).any()))
            continue
        error = np.abs(from_bits(found, o.dtype) - expected) / (np.abs(expected) + np.sqrt(np.mean(expected**2)) + 1e-30)
        worst = max(worst, float(np.nan_to_num(error, nan=np.inf).max(initial=0.0)))
    return worst


def check_results(options, zoo, folder):
    from zoo_draw import SMALL
    from zoo_models import TINY
    runtime, rng = Runtime(options.bin, "cpu"), np.random.default_rng(1)
    cases = zoo.draw(options.seeds[0], options.run, limits=SMALL, table=TINY)
    for case in cases:
        error = run_case(options, runtime, case, rng, folder)
        if not error <= case.tolerance:
            fail(f"{case.name}, inputs {case.sizes}: error {error:.3g} of at most {case.tolerance}\n{case.program}")
    return len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seeds", type=lambda text: [int(seed) for seed in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--compile", type=int, default=40)
    parser.add_argument("--run", type=int, default=60)
    options = parser.parse_args()
    sys.path.insert(0, options.bench)
    import zoo
    with tempfile.TemporaryDirectory() as folder:
        cases = check_drawing(options, zoo)
        check_validity(options, cases, folder)
        count = check_compilation(options, cases, folder)
        print(f"{len(cases)} cases drawn, {count} compiled, {check_results(options, zoo, folder)} run")


main()
