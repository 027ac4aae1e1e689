#!/usr/bin/env python3
"""tripy-run without memory: as a process, from its n-th allocation on, for every n.

usage: tool_memory.py FAILING_MALLOC TRIPY_RUN TRIPY_COMPILE

Each run ends with its result or with status 2 and one sentence, and leaves no file behind.
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def run(command, folder, preload=None, number=0):
    environment = dict(os.environ)
    if preload:
        environment.update(LD_PRELOAD=preload, TRIPY_FAIL_ALLOCATION=str(number))
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def fail_each(preload, command, folder, right):
    """Runs `command` until it has no allocation left that could fail; the number of runs."""
    files = set(os.listdir(folder))
    wanted = run(command, folder)
    assert wanted.returncode == right, wanted
    for number in range(100000):
        for name in set(os.listdir(folder)) - files:
            os.remove(os.path.join(folder, name))
        result = run(command, folder, preload, number)
        left = set(os.listdir(folder)) - files
        if result.returncode == right and (right != 2 or "no memory" not in result.stderr):
            # Output buffers, which the C library does without, come last.
            if result.stdout == wanted.stdout and result.stderr == wanted.stderr:
                return number
        lines = result.stderr.splitlines()
        if result.returncode != 2 or len(lines) != 1 or not lines[0].startswith("tripy-run: error: ") \
                or result.stdout or left:
            sys.exit(f"{command}, allocation {number}: {result}, left: {left}")
    sys.exit(f"{command}: never succeeds")


def main():
    preload, tripy_run, tripy_compile = (os.path.abspath(path) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "m.mlir"), "w") as source:
            source.write(PROGRAM)
        compiled = run([tripy_compile, "m.mlir", "-o", "m.tpx", "--target=cpu"], folder)
        assert compiled.returncode == 0, compiled
        for arguments, right in ((["m.tpx", "--info"], 0),
                                 (["m.tpx", "--input", "4xf32=1,2,3,4", "--threads=2"], 0),
                                 (["m.tpx", "--input", "ones", "--output", "@o.npy"], 0),
                                 (["m.tpx"], 2), (["missing.tpx"], 2), (["--nonsense"], 2)):
            print(arguments, fail_each(preload, [tripy_run, *arguments], folder, right), "allocations")


if __name__ == "__main__":
    main()
