"""Assembles PTX with what tripy-compile finds: ptxas, on PATH or of CUDA.

usage: assemble.py PTX CHIP CUBIN
"""
import os
import shutil
import subprocess
import sys

ptx, chip, cubin = sys.argv[1:]
folder = os.environ.get("CUDA_HOME", "/usr/local/cuda")
ptxas = shutil.which("ptxas") or os.path.join(folder, "bin/ptxas")
subprocess.run([ptxas, f"-arch={chip}", ptx, "-o", cubin], check=True)
