#!/usr/bin/env python3
"""Runs programs under compute-sanitizer, many in a process; prints PASS and FAIL lines.

usage: sanitize.py --tool memcheck|racecheck [--sanitizer PATH] [--replay PATH] [--batch 12] [--jobs N]
                   [--seconds S] [--limit S] [--arguments TEXT] [--also COMMAND] [--log FILE] FOLDER...

Each sub-folder of the FOLDERs is a program for conformance-replay. The tool takes a second to start
and one process runs a batch of programs; where that is not clean, each of its programs runs alone, so
that a FAIL line names the program and what the tool reports first. Clean is: exit code 0, a summary of
the tool without errors and warnings, and results that were compared. --also adds a command that counts
as a program. A device that the tool does not support ends it. After --seconds nothing more starts, and what did not run is a failure. The log has the
whole output of what failed; equal reports are counted at the end, without their addresses.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shlex
import signal
import subprocess
import sys
import time

# The runtime asks the driver for parameters until there is none: that is no error. Racecheck counts the mbarriers in the
# compiler's notes, which does not know of all of them.
TOOLS = {"memcheck": ["--report-api-errors", "no"], "racecheck": ["--num-cuda-barriers", "64"]}
SUMMARY = {"memcheck": r"ERROR SUMMARY: (\d+) errors?", "racecheck": r"RACECHECK SUMMARY: (\d+) hazards?"}
# The lines that say what is wrong; where it happened is on the next one.
REPORT = re.compile(r"^=+ +((?:Error|Warning|Invalid|Potential|Program hit|Deadlock|Internal|Target)(?!.* SUMMARY).*)\n"
                    r"(?:=+ +(.*))?", re.M | re.I)


class Sanitizer:
    def __init__(self, options):
        self.options, self.end = options, time.time() + options.seconds
        self.command = [options.sanitizer, "--tool", options.tool, *TOOLS[options.tool], "--error-exitcode", "9",
                        *shlex.split(options.arguments)]

    def execute(self, command):
        """(what went wrong or "", output)"""
        left = min(self.options.limit, self.end - time.time())
        if left < 1:
            return "not run: the time is over", ""
        # The tool starts processes of its own, which would outlive it.
        process = subprocess.Popen([*self.command, *command], text=True, errors="replace", stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return f"no answer after {left:.0f} s", output
        summary = re.search(SUMMARY[self.options.tool], output)
        if summary and summary[1] != "0":
            return summary[0], output
        if "overflow of tracked cuda::barrier" in output:
            return "too few barriers: --arguments='--num-cuda-barriers N'", output
        if process.returncode != 0:
            return f"exit code {process.returncode}", output
        return "" if summary else f"no summary of {self.options.tool}", output

    def replay(self, folders):
        problem, output = self.execute([self.options.replay, *folders])
        done = re.search(r"(\d+) programs, (\d+) results compared", output)
        if not problem and (not done or int(done[1]) != len(folders) or int(done[2]) < len(folders)):
            problem = "not all was compared"
        return problem, output


def first_report(output):
    """In one line."""
    lines = REPORT.search(output)
    if lines:
        return " ".join(part for part in lines.groups() if part)
    return " ".join(line for line in output.splitlines()[-4:] if not line.startswith("====="))


class Verdicts:
    def __init__(self, options):
        self.options, self.reports, self.passed, self.failed = options, collections.Counter(), 0, 0
        self.log = open(options.log, "w") if options.log else None

    def add(self, name, problem, output):
        self.passed += not problem
        self.failed += bool(problem)
        if not problem:
            print(f"PASS {self.options.tool} {name}", flush=True)
            return
        print(f"FAIL {self.options.tool} {name}: {problem}: {first_report(output)}"[:600], flush=True)
        if self.log:
            self.log.write(f"### {name}: {problem}\n{output[:self.options.log_bytes]}\n")
        # Of one program each counts once.
        self.reports.update({re.sub(r"\+0x[0-9a-f]+|0x[0-9a-f]+|\[\d+ hazards?\]", "", " ".join(filter(None, found))).strip()
                             for found in REPORT.findall(output)})

    def close(self, seconds):
        for report, count in self.reports.most_common(40):
            print(f"{count} programs: {report}"[:400])
        print(f"{self.options.tool}: {self.passed} programs clean, {self.failed} not, {seconds:.0f} s", flush=True)
        if self.log:
            self.log.close()


def run(options, folders):
    sanitizer, verdicts, begin = Sanitizer(options), Verdicts(options), time.time()
    problem, output = sanitizer.replay(folders[:1])
    if "not supported" in output:
        verdicts.add("on this machine", problem or "the tool has doubts", output)
        return 1
    # Neighbours are alike, and take alike time: each batch gets some of all.
    count = max(1, -(-len(folders) // options.batch))
    batches = [folders[i::count] for i in range(count)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(sanitizer.execute, shlex.split(command)): [command] for command in options.also}
        waiting.update({pool.submit(sanitizer.replay, batch): batch for batch in batches})
        while waiting:
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                names, (problem, output) = waiting.pop(future), future.result()
                if problem and len(names) > 1 and not problem.startswith("not run"):
                    waiting.update({pool.submit(sanitizer.replay, [name]): [name] for name in names})
                    continue
                for name in names:
                    verdicts.add(os.path.basename(name) if os.path.isdir(name) else name, problem, output)
    verdicts.close(time.time() - begin)
    return 1 if verdicts.failed or not verdicts.passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--tool", choices=list(TOOLS), required=True)
    parser.add_argument("--sanitizer", default="compute-sanitizer")
    parser.add_argument("--replay", default="conformance-replay")
    parser.add_argument("--batch", type=int, default=12, help="programs of a process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9, help="for all")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a process")
    parser.add_argument("--arguments", default="", help="more of them for the tool, such as --force-blocking-launches")
    parser.add_argument("--also", action="append", default=[], help="another command to check")
    parser.add_argument("--log")
    parser.add_argument("--log-bytes", type=int, default=20000, help="of each program")
    options = parser.parse_args()
    folders = [os.path.join(folder, name) for folder in options.folders for name in sorted(os.listdir(folder))]
    return run(options, folders)


if __name__ == "__main__":
    sys.exit(main())
