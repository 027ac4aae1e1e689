"""Compiles the programs of a folder for both devices; each must be refused.

A program ends in a line "// LINE: TEXT": the error's line and a part of its
text, where {{...}} is a regular expression.
"""

import pathlib
import re
import subprocess
import sys

compiler, folder = sys.argv[1:]
failed = False
for path in sorted(pathlib.Path(folder).glob("*.mlir")):
    line, text = re.search(r"^// (\S+): (.*)$", path.read_text(),
                           re.M).groups()
    parts = re.split(r"\{\{(.*?)\}\}", f"{path.name}:{line}\n{text}")
    where, what = "".join(part if i % 2 else re.escape(part)
                          for i, part in enumerate(parts)).split("\\\n")
    for target in ("cpu", "cuda"):
        result = subprocess.run(
            [compiler, path, "-o", "-", f"--target={target}"], text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
        if (result.returncode != 1 or not re.search(what, result.stderr)
                or not re.search(rf"^--> .*{where}$", result.stderr, re.M)):
            failed = True
            print(f"{path.name} for {target}: exit code {result.returncode}; "
                  f"expected {line}: {text}; found\n{result.stderr}")
sys.exit(failed)
