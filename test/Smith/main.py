#!/usr/bin/env python3
"""Draws random programs of trace operations, runs them, and compares with their definitions in NumPy.

usage: smith [--count 2000] [--seed 1]           programs 0, 1, ... of a seed
       smith --minutes N [--seed S]              fresh seeds; prints the seed it took
       smith --seed S --only INDEX [--print]     one program again
       smith --program FILE.json                 a reduced program that --keep left

Each program is compiled for the CPU, every 8th also for CUDA and run on the emulator when libcuda.so.1 can be loaded
(LD_LIBRARY_PATH=build/dev/lib/cuda-emulator), every 8th also by the reference evaluator. --device cuda:0 compiles for a
GPU alone. What fails is made small and printed with its seed. docs/random-testing.md says more.
"""
import argparse
import ctypes
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(HERE, "../../build/dev/bin"), help="folder of tripy-compile")
    parser.add_argument("--count", type=int, help="programs; 2000 unless --minutes is given")
    parser.add_argument("--minutes", type=float, help="draw programs for so long")
    parser.add_argument("--seed", type=int, help="1, or with --minutes one that is printed")
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--only", type=int, help="one program")
    parser.add_argument("--program", help="a program from a file")
    parser.add_argument("--targets", default="", help="of cpu, cpu:PROCESSOR, cuda and evaluate, instead of the usual ones")
    parser.add_argument("--print", action="store_true", help="print the programs instead of running them")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda:0 for CUDA alone")
    parser.add_argument("--chip", default="sm_90a", help="architecture that CUDA programs are compiled for")
    parser.add_argument("--emulate", type=int, default=8, help="every so many programs run on CUDA too; 0: none")
    parser.add_argument("--evaluate", type=int, default=8, help="every so many run on the reference evaluator too; 0: none")
    parser.add_argument("--often", default="", help="operations that come 30 times as often, separated by commas")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each shape, which give the same bits")
    parser.add_argument("--elements", type=int, default=600, help="of a tensor at most")
    parser.add_argument("--products", type=int, default=30000, help="of a contraction at most")
    parser.add_argument("--operations", type=int, default=14, help="of a program at most, about")
    parser.add_argument("--options", default="", help="more of them for tripy-compile")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each program")
    parser.add_argument("--seconds", type=float, default=1e9, help="no program starts later; a rest is a failure")
    parser.add_argument("--reduce", type=int, default=20, help="kinds of failures to reduce")
    parser.add_argument("--reduce-seconds", type=float, default=60, help="for each of them")
    parser.add_argument("--keep", default="", help="folder for reduced programs")
    parser.add_argument("--verbose", action="store_true", help="show what the emulator and the workers say")
    parser.add_argument("--tblgen", help="tripy-tblgen: fail when it defines an operation that is not drawn")
    parser.add_argument("--mlir-include", default="/usr/lib/llvm-22/include", help="for --tblgen")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def settle(options):
    options.bin = os.path.abspath(options.bin)
    options.timed = options.minutes is not None
    if options.timed:
        options.seconds = options.minutes * 60
        options.count = options.count or 10**9
        options.seed = options.seed if options.seed is not None else int(time.time())
    options.seed = 1 if options.seed is None else options.seed
    if options.only is not None:
        options.first, options.count, options.jobs = options.only, 1, 1
    options.count = options.count or 2000
    options.only_targets = [t for t in options.targets.split(",") if t]
    unknown = {t for t in options.only_targets if not re.fullmatch(r"cpu(:.*)?|cuda|evaluate", t)}
    if unknown:
        sys.exit(f"smith: no such target: {', '.join(sorted(unknown))}")
    if options.device == "cpu" and options.emulate and not options.worker:
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            options.emulate = 0
            print("libcuda.so.1 is not there: no program is compiled for CUDA")


def run_file(options):
    from program import Program
    from running import Worker
    with open(options.program) as source:
        program = Program.load(source.read())
    print(program.text())
    if options.print:
        return 0
    targets = options.only_targets or (["cpu"] if options.device == "cpu" else ["cuda"])
    worker = Worker(options)
    answer = worker.ask({"program": program.dump(), "targets": targets})
    worker.stop()
    print(f"{answer['kind']}: {answer['text']}" if answer["kind"] else "PASS")
    return 1 if answer["kind"] else 0


def main():
    options = parse()
    settle(options)
    # These need NumPy, which --help does not.
    from definitions import missing_operations
    from draw import draw_program
    from running import Runner, limits_of, work
    if options.worker:
        return work(options)
    problems = missing_operations(options)
    if problems:
        print(problems)
        return 1
    if options.program:
        return run_file(options)
    if options.print:
        for index in range(options.first, options.first + options.count):
            print(f"// program {index}\n{draw_program(options.seed, index, limits_of(options)).text()}")
        return 0
    if options.timed:
        print(f"seed {options.seed}", flush=True)
    return Runner(options).run()


if __name__ == "__main__":
    sys.exit(main())
