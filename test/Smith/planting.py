"""Plants the faults of mutations.py in a copy of the sources, and tries which of them smith finds.

usage: smith-mutations plant FOLDER               changes the sources in FOLDER, a copy of the repository
       smith-mutations run --bin DIR [--output TABLE.md] [--count 2000] [--only N,N]

After `plant`, build tripy-compile and the runtime in FOLDER. One build has all
faults; TRIPY_FAULT=N in the environment of tripy-compile chooses the one that
acts, and without it there is none. `run` first looks which programs fail
without a fault: those tell nothing. A fault is found by the first program that
fails with it alone.
"""
import argparse
import collections
import os
import re
import sys
import threading
import time

from mutations import MUTATIONS

CHOICE = """#include <cstdlib>
namespace {
/// Whether fault `number` acts.
inline bool isPlanted(int number) {
  static const int chosen = [] {
    const char *text = std::getenv("TRIPY_FAULT");
    return text ? std::atoi(text) : 0;
  }();
  return chosen == number;
}
} // namespace
"""


def planted(number, row):
    """The text that takes the place of row.old."""
    test = f"isPlanted({number})"
    return {"expression": f"({test} ? ({row.new}) : ({row.old}))",
            "value": f"({test} ? mlir::Value({row.new}) : mlir::Value({row.old}))",
            "statement": f"{{ if ({test}) {{ {row.new} }} else {{ {row.old} }} }}",
            "text": row.new.replace("PLANTED", test)}[row.form]


def plant(folder):
    """Problems: rows whose text is not there, or more than once."""
    problems, places = [], collections.defaultdict(list)
    for number, row in enumerate(MUTATIONS, 1):
        places[row.file].append((number, row))
    for file, rows in places.items():
        path = os.path.join(folder, file)
        with open(path) as source:
            text = original = source.read()
        for number, row in rows:
            # Rows of one file do not overlap: all are looked for in what was there.
            if original.count(row.old) != 1:
                problems.append(f"{file}: fault {number} ({row.what}): its text is there {original.count(row.old)} times")
                continue
            text = text.replace(row.old, planted(number, row))
        with open(path, "w") as out:
            out.write(CHOICE + text)
    return problems


def target_of(row):
    """Where a fault of this file acts."""
    if "/CUDA/" in row.file:
        return ["cuda"]
    # The evaluator takes composites apart that kernels take whole, and rounds as the host does.
    if row.file in ("lib/Conversion/TraceToFlatIR/Attention.cpp", "lib/Base/Float.cpp"):
        return ["cpu", "evaluate"]
    return ["cpu"] if "/CPU/" in row.file or "/Emit/" not in row.file else ["cpu", "cuda"]


class Hunt:
    def __init__(self, options):
        self.options = options
        self.failing = {}  # target -> programs that fail without a fault
        self.lock = threading.Lock()
        self.results, self.names = {}, {}

    def worker(self, fault):
        from running import Worker
        if fault:
            os.environ["TRIPY_FAULT"] = str(fault)
        worker = Worker(self.options)
        worker.start()
        os.environ.pop("TRIPY_FAULT", None)
        return worker

    def fails(self, fault, target, index, holder):
        with self.lock:
            if holder[0] is None or holder[0].process is None:
                holder[0] = self.worker(fault)
        return holder[0].ask({"index": index, "targets": [target]})["kind"]

    def known(self, target, index, holder):
        """Whether a program fails without any fault."""
        key = (target, index)
        if key not in self.failing:
            self.failing[key] = self.fails(0, target, index, holder)
        return self.failing[key]

    def operations(self, index):
        """The names of the operations of a program."""
        from draw import draw_program
        from running import limits_of
        if index not in self.names:
            program = draw_program(self.options.seed, index, limits_of(self.options))
            self.names[index] = {op["op"] for op in program.ops}
        return self.names[index]

    def try_fault(self, number, row, clean):
        """(number of programs until it was found, or 0; how)."""
        holder = [None]
        tried = 0
        for index in range(self.options.count):
            tried += 1
            if row.ops and not self.operations(index) & set(row.ops):
                continue
            for target in target_of(row):
                kind = self.fails(number, target, index, holder)
                if kind and not self.known(target, index, clean):
                    if holder[0]:
                        holder[0].stop()
                    return tried, kind
        if holder[0]:
            holder[0].stop()
        return 0, ""

    def serve(self, numbers):
        clean = [None]
        while True:
            with self.lock:
                if not numbers:
                    break
                number = numbers.pop(0)
            row = MUTATIONS[number - 1]
            begin = time.time()
            found = self.try_fault(number, row, clean)
            with self.lock:
                self.results[number] = found
                print(f"{'found' if found[0] else 'MISSED'} {number} {row.file}: {row.what}: "
                      f"{f'program {found[0]}, {found[1]}' if found[0] else f'{self.options.count} programs'}, "
                      f"{time.time() - begin:.0f} s", flush=True)
        if clean[0]:
            clean[0].stop()

    def run(self):
        numbers = [int(n) for n in self.options.only.split(",") if n] or list(range(1, len(MUTATIONS) + 1))
        threads = [threading.Thread(target=self.serve, args=(numbers,)) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = sum(bool(f[0]) for f in self.results.values())
        lines = [f"{found} of {len(self.results)} planted faults were found, with at most {self.options.count} programs of seed "
                 f"{self.options.seed} for each.", "", "| | file | fault | found by program | how |", "|---|---|---|---|---|"]
        for number, (tried, kind) in sorted(self.results.items()):
            row = MUTATIONS[number - 1]
            file = re.sub(r"^lib/", "", row.file)
            lines.append(f"| {number} | `{file}` | {row.what} | {tried or 'not found'} | {kind} |")
        if self.options.output:
            with open(self.options.output, "w") as out:
                out.write("\n".join(lines) + "\n")
        print(lines[0])
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["plant", "run"])
    parser.add_argument("folder", nargs="?", help="of plant")
    parser.add_argument("--bin", default="", help="folder of the planted tripy-compile")
    parser.add_argument("--count", type=int, default=2000, help="programs for each fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="numbers of faults")
    parser.add_argument("--output", default="", help="file for the table")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.command == "plant":
        if not options.folder:
            parser.error("plant needs a folder")
        problems = plant(options.folder)
        print("\n".join(problems) or f"{len(MUTATIONS)} faults are planted")
        return 1 if problems else 0
    options.bin = os.path.abspath(options.bin)
    # What running.py needs besides: the programs of utils/smith as they are.
    usual = {"device": "cpu", "chip": "sm_90a", "repeat": 1, "elements": 600, "products": 30000, "operations": 14, "options": "",
             "timeout": 60, "verbose": False}
    for name, value in usual.items():
        setattr(options, name, value)
    return Hunt(options).run()


if __name__ == "__main__":
    sys.exit(main())
