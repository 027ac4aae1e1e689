#!/usr/bin/env python3
"""The tools without memory, as processes.

usage: tool_memory.py FAILING_MALLOC TRIPY_RUN TRIPY_COMPILE

tripy-run has no memory from its n-th allocation on, for every n: each run ends with its result or with
status 2 and one sentence, and leaves no file behind. tripy-compile has none for some n, and little for
weights with a header of 99.9 MB: it ends with a sentence and a status, never by a signal.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile

PROGRAM = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def run(command, folder, preload=None, number=0, limit=None):
    def set_limit():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    environment = dict(os.environ)
    if preload:
        environment.update(LD_PRELOAD=preload, TRIPY_FAIL_ALLOCATION=str(number))
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60,
                          preexec_fn=set_limit)


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


def check_compiler(result, what):
    if result.returncode not in (0, 1, 3) or result.returncode and "tripy-compile: error: " not in result.stderr:
        sys.exit(f"tripy-compile, {what}: {result}")


def fail_compiler(preload, tripy_compile, folder):
    """Takes memory from one of about fifty allocations on; the number of the last."""
    command = [tripy_compile, "m.mlir", "-o", "n.tpx", "--target=cpu", "--no-cache"]
    number = 0
    while True:
        result = run(command, folder, preload, number)
        check_compiler(result, f"allocation {number}")
        if result.returncode == 0:
            return number
        number = number * 5 // 4 + 7


def limit_compiler(tripy_compile, folder):
    """Reads a large header with little memory; the statuses by limit in MiB."""
    entry = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
    with open(os.path.join(folder, "w.safetensors"), "wb") as weights:
        weights.write(struct.pack("<Q", 99_900_000) + entry + b" " * (99_900_000 - len(entry) - 1) + b"}" + bytes(8))
    statuses = {}
    for mebibytes in range(128, 1025, 64):
        result = run([tripy_compile, "m.mlir", "-o", "n.tpx", "--weights=w.safetensors"], folder,
                     limit=mebibytes << 20)
        statuses[mebibytes] = result.returncode
        # The loader ends with 127 before there is a tool.
        if result.returncode != 127:
            check_compiler(result, f"{mebibytes} MiB")
    return statuses


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
        print("tripy-compile,", fail_compiler(preload, tripy_compile, folder), "allocations")
        print("tripy-compile,", limit_compiler(tripy_compile, folder))


if __name__ == "__main__":
    main()
