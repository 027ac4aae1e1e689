"""counts.py N STEP...: checks the lines that --progress prints of the steps.

Each step counts up to N of N and never down; LLVM names every kernel.
"""

import re
import sys

number, steps = int(sys.argv[1]), sys.argv[2:]
text = sys.stdin.read()
found = {}
for step, done, of in re.findall(r"^(\w+): (\d+) of (\d+) kernels?$", text, re.M):
    found.setdefault(step, []).append(int(done))
    if int(of) != number:
        sys.exit(f"{step}: {of} kernels in all, not {number}\n{text}")
if sorted(found) != sorted(steps):
    sys.exit(f"steps: {sorted(found)}\n{text}")
for step, counts in found.items():
    if counts[-1] != number or counts != sorted(set(counts)):
        sys.exit(f"{step}: {counts}\n{text}")
    if step == "LLVM" and counts != list(range(1, number + 1)):
        sys.exit(f"{step} leaves kernels out: {counts}")
