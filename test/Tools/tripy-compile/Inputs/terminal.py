"""Runs a command with standard error on a terminal; prints what it wrote."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
with subprocess.Popen(sys.argv[1:], stderr=slave) as process:
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # The other end is closed.
            break
        if not part:
            break
        written += part
print(repr(written.decode()))
sys.exit(process.returncode)
