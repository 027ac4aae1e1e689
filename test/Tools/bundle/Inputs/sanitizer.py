#!/usr/bin/env python3
"""Stands in for compute-sanitizer and for conformance-replay: the names of the folders say what happens."""
import os
import sys
import time

arguments = sys.argv[1:]
if "--tool" not in arguments:
    sys.exit("no tool")
tool = arguments[arguments.index("--tool") + 1]
command = arguments[arguments.index("--error-exitcode") + 2:]
names = [os.path.basename(folder) for folder in command[1:]]
clean = 0
for name in names:
    if "hang" in name:
        time.sleep(60)
    if "unsupported" in name:
        print("========= Error: Device not supported. Please refer to the documentation\n=========")
        sys.exit(1)
    if "crash" in name:
        sys.exit(3)
    if "race" in name and tool == "racecheck":
        print(f"========= Error: Race reported between Write access at main_{name}+0x1a0\n"
              f"=========     and Read access at main_{name}+0x2b0 [12 hazards]\n=========")
        continue
    if "bounds" in name and tool == "memcheck":
        print(f"========= Invalid __global__ read of size 4 bytes\n=========     at main_{name}+0x70\n=========")
        continue
    clean += 1
print(f"{len(names)} programs, {0 if 'nothing' in names else len(names)} results compared, 0 differ, 0 programs failed")
wrong = len(names) - clean
if "silent" not in names:
    print(f"========= ERROR SUMMARY: {wrong} errors" if tool == "memcheck" else
          f"========= RACECHECK SUMMARY: {wrong} hazards displayed ({wrong} errors, 0 warnings)")
sys.exit(9 if wrong else 0)
