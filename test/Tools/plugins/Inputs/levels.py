"""Compiles programs as they are, and from the text of each level; compares.

usage: levels.py BIN PROGRAM...
"""
import os
import subprocess
import sys
import tempfile

LEVELS = ["trace", "flatir", "dispatches", "linalg", "kernels", "plan", "llvm"]


def main():
    tool = os.path.join(sys.argv[1], "tripy-compile")
    count = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        def compiled(source, *options):
            path = os.path.join(folder, "out")
            subprocess.run([tool, source, "-o", path, *options], check=True, capture_output=True)
            with open(path, "rb") as file:
                return file.read()

        for program in sys.argv[2:]:
            for target in ("--target=cpu", "--target=cuda"):
                whole = compiled(program, target)
                for level in LEVELS:
                    # Elsewhere than the files that the program names.
                    text = os.path.join(folder, "text.mlir")
                    with open(text, "wb") as file:
                        file.write(compiled(program, target, f"--stop-after={level}"))
                    count += 1
                    if compiled(text) != whole:
                        differ += 1
                        print(f"differs: {program} {target} from {level}")
    print(f"{count} programs, {differ} differ")


main()
