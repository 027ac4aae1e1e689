"""One of the processes that compile the peers' forms of the zoo's cases before the harness measures.

usage: zoo_warm.py SEED,N GROUPS SIDES FOLDER SECONDS

Whoever makes a case's file in FOLDER first compiles it. What comes of it is in the caches that the environment names
(zoo_run.use_caches); a case that fails is left to the harness, which says why.
"""
import os
import sys
import time

import zoo


def claim(folder, name):
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def main():
    seed, groups, wanted, folder, seconds = sys.argv[1:]
    end = time.monotonic() + float(seconds)
    import torch

    import harness
    import sides
    ready = []
    for name in wanted.split(","):
        try:
            ready.append(sides.Torch("torch.compile", "default") if name == "compile" else sides.Jax())
        except sides.Skip:
            pass
    with torch.no_grad():
        for case in zoo.draw(*zoo.parse_zoo(seed), zoo.parse_groups(groups)):
            if time.monotonic() > end:
                return
            if not claim(folder, case.name):
                continue
            for side in ready:
                try:
                    # The same number of sets: JAX compiles them all as one function.
                    sets = harness.make_inputs(case, torch, 1 if side.name != "jax" else harness.set_count(case))
                    side.prepare(case, sets, None)[0][1](1 if side.name == "jax" else 0)
                    torch.cuda.synchronize()
                except Exception as problem:
                    print(f"{case.name}: {side.name}: {type(problem).__name__}: {str(problem)[:200]}", flush=True)
                del sets
                torch.cuda.empty_cache()
            claim(folder, case.name + ".done")


if __name__ == "__main__":
    main()
