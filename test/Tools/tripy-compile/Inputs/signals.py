"""Sends signals to tools that wait for their input.

Each tool must end by the signal, and its child with it.
"""

import os
import signal
import subprocess
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition):
    for _ in range(1000):
        if condition():
            return True
        time.sleep(0.02)
    return False


def listen():
    """Who started this test may ignore signals."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def check(tool, number):
    process = subprocess.Popen([tool, "-", "-o", os.devnull],
                               stdin=subprocess.PIPE, preexec_fn=listen)
    found = wait_for(lambda: children(process.pid))
    child = children(process.pid)[0] if found else None
    # The child reads before the parent listens, or after.
    time.sleep(0.1)
    process.send_signal(number)
    code = process.wait(timeout=60)
    process.stdin.close()
    gone = child is None or wait_for(lambda: not is_alive(child))
    if not found or code != -number or not gone:
        print(f"{tool}: signal {number}: child {child}, exit code {code}, "
              f"child gone: {gone}")
    return found and code == -number and gone


results = [check(tool, number) for tool in sys.argv[1:]
           for number in SIGNALS + (signal.SIGKILL,)]
sys.exit(0 if all(results) else 1)
