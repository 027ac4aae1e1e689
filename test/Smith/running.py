"""Worker processes that check programs; a worker that dies or hangs fails one program."""
import json
import os
import queue
import subprocess
import sys
import threading
import time

from checking import Checker, Found, targets_of
from draw import Limits, draw_program
from program import Program
from reducing import reduce_program

# One thread for each worker: NumPy's products would take all processors otherwise.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Lines of failures of one kind; failures after which no further program is drawn.
MAX_SHOWN, MAX_FAILURES = 5, 300


def limits_of(options):
    return Limits(options.elements, options.products, options.operations, options.often)


def work(options):
    """Answers each line, a request as JSON, with a line of JSON."""
    checker = Checker(options.bin, options.device if options.device != "cpu" else "cuda:0", options.chip,
                      options.options.split(), options.repeat)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"kind": "", "key": "", "text": "", "lost": False}
        try:
            program = (Program.load(request["program"]) if "program" in request
                       else draw_program(options.seed, request["index"], limits_of(options)))
            checker.check(program, request["targets"])
        except Found as found:
            answer = {"kind": f"{found.kind} {found.where}", "key": found.key(), "text": found.text, "lost": found.lost}
        print(json.dumps(answer), flush=True)
        if answer["lost"]:
            return


class Worker:
    def __init__(self, options):
        self.options, self.process = options, None

    def start(self):
        command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "main.py"), "--worker"]
        for name in ("bin", "device", "chip", "seed", "repeat", "elements", "products", "operations", "often", "options"):
            command.append(f"--{name}={getattr(self.options, name)}")
        self.process = subprocess.Popen(command, text=True, env={**os.environ, **SINGLE}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=None if self.options.verbose else subprocess.DEVNULL)

    def ask(self, request):
        if self.process is None:
            self.start()
        timer = threading.Timer(self.options.timeout, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        late = not timer.is_alive()
        timer.cancel()
        if line:
            answer = json.loads(line)
        else:
            status = self.process.wait()
            kind = "hang" if late else "dies"
            where = "/".join(request["targets"])
            text = f"no answer after {self.options.timeout} s" if late else f"the process that ran it ended with status {status}"
            answer = {"kind": f"{kind} on {where}", "key": f"{kind} on {where}", "text": text, "lost": True}
        if answer["lost"]:
            self.stop()
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Runner:
    """Programs `first`, `first` + 1, ... until `count` of them are checked or the time is over."""

    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.next, self.end = options.first, time.time() + options.seconds
        self.done, self.targets = 0, 0
        self.failures, self.groups, self.reduced = [], {}, queue.Queue()

    def take(self):
        with self.lock:
            if (self.next >= self.options.first + self.options.count or time.time() >= self.end
                    or len(self.failures) >= MAX_FAILURES):
                return None
            self.next += 1
            return self.next - 1

    def serve(self):
        worker = Worker(self.options)
        while (index := self.take()) is not None:
            targets = self.options.only_targets or targets_of(self.options, index)
            answer = worker.ask({"index": index, "targets": targets})
            with self.lock:
                self.done += 1
                self.targets += len(targets)
                if answer["kind"]:
                    self.failures.append(index)
                    first = answer["key"] not in self.groups
                    self.groups.setdefault(answer["key"], []).append(index)
                    if len(self.groups[answer["key"]]) <= MAX_SHOWN:
                        print(f"FAIL {index}: {answer['kind']}: {answer['text'].strip().splitlines()[0][:300]}", flush=True)
            if answer["kind"] and first and len(self.groups) <= self.options.reduce:
                self.show_reduced(worker, index, targets, answer)
        worker.stop()

    def show_reduced(self, worker, index, targets, answer):
        """Prints the smallest program that fails in the same way."""
        program = draw_program(self.options.seed, index, limits_of(self.options))
        where = [t for t in targets if t in answer["kind"] or (t == "evaluate" and "evaluator" in answer["kind"])] or targets
        last = [answer]

        def fails(candidate):
            found = worker.ask({"program": candidate.dump(), "targets": where})
            same = found["kind"] == answer["kind"] and (answer["kind"].split()[0] not in ("refused", "crash", "fails")
                                                        or found["key"] == answer["key"])
            if same:
                last[0] = found
            return same
        small = reduce_program(program, fails, self.options.reduce_seconds)
        text = (f"// {answer['kind']}: {last[0]['text'].strip().splitlines()[0][:400]}\n"
                f"// utils/smith --seed {self.options.seed} --only {index}{self.repeat_options()}\n{small.text()}")
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            stem = os.path.join(self.options.keep, f"{self.options.seed}-{index}")
            with open(stem + ".mlir", "w") as out:
                out.write(text)
            with open(stem + ".json", "w") as out:
                out.write(small.dump())
        with self.lock:
            print(f"---- {answer['key']}, reduced:\n{text}----", flush=True)

    def repeat_options(self):
        found = ""
        for name, usual in (("device", "cpu"), ("elements", 600), ("products", 30000), ("operations", 14), ("often", ""), ("options", "")):
            if getattr(self.options, name) != usual:
                found += f" --{name}='{getattr(self.options, name)}'"
        return found

    def run(self):
        begin = time.time()
        threads = [threading.Thread(target=self.serve) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for key, indices in sorted(self.groups.items(), key=lambda item: -len(item[1])):
            print(f"{len(indices):5} {key}: {' '.join(map(str, sorted(indices)[:12]))}{' ...' if len(indices) > 12 else ''}")
        late = self.options.timed is False and self.done < self.options.count
        reason = "too many failed" if len(self.failures) >= MAX_FAILURES else "the time was over"
        missing = f" of {self.options.count}, then {reason}" if late else ""
        verdict = "FAIL" if self.failures or late else "PASS"
        print(f"{verdict} smith: {self.done} programs{missing}, {self.targets} compilations, seed {self.options.seed}, "
              f"{len(self.failures)} failed, {time.time() - begin:.0f} s")
        return 1 if verdict == "FAIL" else 0
