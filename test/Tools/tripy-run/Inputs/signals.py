"""Interrupts a command at different moments of its run.

usage: signals.py FOLDER COMMAND...

The command writes o.npy and p.npy to FOLDER. Whenever it is interrupted, each of the two is whole
or not there, and there is nothing else.
"""
import os
import signal
import subprocess
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]
NAMES = ["o.npy", "p.npy"]


def run(number=None, delay=0.0):
    """Exit status, and seconds until the end or the signal."""
    for name in NAMES:
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if number is not None:
        time.sleep(delay)
        process.send_signal(number)
    error = process.communicate()[1]
    if process.returncode not in (0, -(number or 0)):
        sys.exit(f"{command}: {process.returncode}\n{error.decode()}")
    return process.returncode, time.monotonic() - start


_, whole = run()
sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in NAMES}
ended = written = 0
for i in range(30):
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
    status, _ = run(number, whole * i / 30)
    ended += status != 0
    for name in os.listdir(folder):
        if name not in sizes:
            sys.exit(f"after {number!r} there is {name}")
        written += 1
        if os.path.getsize(os.path.join(folder, name)) != sizes[name]:
            sys.exit(f"after {number!r} {name} has a part of its bytes")
print(f"{ended} of 30 were interrupted")
# Nobody promises more of a busy machine.
sys.exit(0 if ended > 0 else "no signal came in time")
