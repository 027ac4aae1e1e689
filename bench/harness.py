#!/usr/bin/env python3
"""Measures Tripy and its peers in one run on one GPU.

usage: harness.py --bin DIR [--output FILE.json] [--chart FILE.svg]
                  [--cases TEXT,...] [--sides NAME,...] [--seconds N]
       harness.py --bin DIR --zoo SEED,N [--groups linear,rows,movement,blocks] ...
       harness.py --bin DIR --attention SEED,N ...
       harness.py --compare FIRST.json SECOND.json

Sides: tripy, tripy+libraries (the same compiler, which leaves products to
cuBLASLt wherever it can; neither Tripy's own result nor a peer), torch (eager), compile, autotune (torch.compile), cublaslt (the
best of the algorithms that its heuristic returns, by rounds like those below), jax; with --zoo, also
static (Tripy, compiled for the sizes of a case whose program has dynamic ones; no peer). A peer that is
not installed is skipped by name. cuDNN is measured through torch, which calls it where it applies.

Each side becomes a CUDA graph of copies of the case, 20 or enough for 2 ms
(JAX: one jitted function, called back to back), over rotated buffers of random
normal data. Rounds interleave the sides in random order. A graph runs twice in a
round, and the second time counts: the GPU is then at work before and the host
ahead, so that what ran before and how long the host takes is no part of it. A
time is the median of the rounds, its spread the distance of the quartiles over it. Outputs are
poisoned, and compared with float64: the error of an element is |found -
reference| / (|reference| + typical size). Small cases fit into the L2 with all
their buffers; the copy bandwidth and the best 16-bit product of cuBLASLt in this
run are the ceilings. --zoo measures layers drawn at random (zoo.py), with less
time for each. DIR has tripy-compile, tripy-run and libtripy_runtime.so.
"""
import argparse
import concurrent.futures
import datetime
import gc
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import report
import zoo
import zoo_run

HERE = os.path.dirname(os.path.abspath(__file__))
ROTATED = 256 << 20


@dataclass
class Timing:
    rounds: int = 21
    # To choose among the algorithms of one side, and how many of them at most.
    alternative_rounds: int = 7
    alternatives: int = 100
    # Of a graph, and of calls by the host's clock.
    milliseconds: float = 2.0
    host_milliseconds: float = 25.0


TIMING = Timing()
# Many cases in little time.
ZOO_TIMING = Timing(11, 3, 4, 1.0, 8.0)


def log(text):
    print(text, flush=True)


#===-- preparing ---------------------------------------------------------===#

def compile_programs(options, cases, folder):
    """Compiles what Tripy runs, side by side; says what fails."""
    compiler = os.path.join(options.bin, "tripy-compile")

    def one(job):
        name, text, backend, target = job
        os.makedirs(os.path.dirname(target), exist_ok=True)
        result = subprocess.run([compiler, "-", "-o", target, f"--target={options.target}", f"--backend={backend}"],
                                input=text, text=True, capture_output=True, timeout=120)
        return "" if result.returncode == 0 else (f"tripy: {name} does not compile with --backend={backend}: "
                                                  f"{result.stderr[-400:]}")
    chosen, jobs = options.sides.split(","), {}
    for case in cases:
        if case.program:
            jobs["own", case.executable] = (case.program, "own")
            if case.has_product and "tripy+libraries" in chosen:
                jobs["libraries", case.executable] = (case.program, "libraries")
            if case.static_program and "static" in chosen:
                jobs["static", case.name] = (case.static_program, "own")
            with open(os.path.join(folder, case.executable + ".mlir"), "w") as out:
                out.write(case.program)
    jobs = [(name, *job, os.path.join(folder, kind, name + ".tpx")) for (kind, name), job in jobs.items()]
    with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 2) - 2)) as pool:
        for failure in pool.map(one, jobs):
            if failure:
                log(failure)


def make_sides(options, folder):
    import sides
    # Most of a run's time is max-autotune's for these, and most of what it chooses cuBLAS.
    products = ("gemm", "decode", "f32, tf32, f8")
    library = os.path.join(options.bin, "libtripy_runtime.so")
    makers = {
        "tripy": lambda: sides.Tripy(library, os.path.join(folder, "own")),
        "tripy+libraries": lambda: sides.TripyWithLibraries(library, os.path.join(folder, "libraries")),
        "static": lambda: sides.TripyStatic(library, os.path.join(folder, "static")),
        "torch": lambda: sides.Torch("torch eager"),
        "compile": lambda: sides.Torch("torch.compile", "default"),
        "autotune": lambda: sides.Torch("torch max-autotune", "max-autotune-no-cudagraphs",
                                        products if options.quick else ()),
        "cublaslt": lambda: sides.CublasLt(folder),
        "jax": sides.Jax,
    }
    made = []
    for name in options.sides.split(","):
        if name not in makers:
            sys.exit(f"harness: a side is one of {', '.join(makers)}, but is '{name}'")
        try:
            made.append(makers[name]())
        except (sides.Skip, OSError) as reason:
            log(f"{name}: skipped: {reason}")
    return made


def set_count(case):
    return max(1, min(20, math.ceil(ROTATED / case.bytes)))


def torch_type(torch, dtype):
    return {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i32": torch.int32, "i64": torch.int64,
            "f8E4M3FN": torch.float8_e4m3fn}[dtype]


def make_inputs(case, torch, count):
    def tensor(i):
        if i.below:
            return torch.randint(0, i.below, i.shape, device="cuda", dtype=torch_type(torch, i.dtype))
        if i.dtype == "f8E4M3FN":
            return (torch.randn(i.shape, device="cuda") * i.scale).to(torch_type(torch, i.dtype))
        return torch.randn(i.shape, device="cuda", dtype=torch_type(torch, i.dtype)) * i.scale
    return [[tensor(i) for i in case.inputs] for _ in range(count)]


def make_data(case, torch):
    """Sets of inputs, poisoned outputs, and the references of the first set, a tuple for each."""
    sets = make_inputs(case, torch, set_count(case))
    outputs = [tuple(torch.empty(o.shape, device="cuda", dtype=torch_type(torch, o.dtype)) for o in case.outputs) for _ in sets]
    exact = [t.double() if t.is_floating_point() else t for t in sets[0]]
    reference = (exact[0].amax(-1),) if case.is_place else as_tuple(case.torch(torch, *exact))
    return sets, outputs, reference


def as_tuple(found):
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


#===-- measuring ---------------------------------------------------------===#

def error_of(case, found, sets, reference, torch):
    """Largest error of an element of the results; infinity for what is not a number."""
    found = as_tuple(found)
    if case.is_place and tuple(found[0].shape) == tuple(reference[0].shape):
        places, rows = found[0].long(), sets[0][0].double()
        if bool(((places < 0) | (places >= rows.shape[-1])).any()):
            return math.inf
        found = (rows.gather(-1, places.unsqueeze(-1)).squeeze(-1),)
    if len(found) != len(reference):
        return math.inf
    return max(error_of_one(f, r, torch) for f, r in zip(found, reference))


def error_of_one(found, reference, torch):
    if not found.is_floating_point():
        return float((found != reference).double().mean())
    if tuple(found.shape) != tuple(reference.shape):
        return math.inf
    worst = 0.0
    typical = reference.square().mean().sqrt().clamp_min(1e-30)
    for f, r in zip(found.reshape(-1).split(1 << 26), reference.reshape(-1).split(1 << 26)):
        part = ((f.double() - r).abs() / (r.abs() + typical)).nan_to_num(nan=math.inf).max()
        worst = max(worst, float(part))
    return worst


class Graph:
    """Copies of a case in one CUDA graph."""

    def __init__(self, call, copies, sets, torch):
        self.torch, self.copies = torch, copies
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for i in range(sets):
                call(i)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        # A peer allocates its outputs. Held until their set is next, they are rotated as the inputs are: given back at once, each
        # would be written where the one before was, and one that fits into the L2 would never get to memory.
        held = [None] * sets
        with torch.cuda.graph(self.graph, capture_error_mode="relaxed"):
            for i in range(copies):
                held[i % sets] = call(i % sets)

    def time(self):
        """Milliseconds of one copy, by the GPU's clock, behind another replay."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.graph.replay()
        start.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / self.copies


class HostTimed:
    """Calls that are issued back to back and waited for."""

    def __init__(self, run, sets, milliseconds):
        self.run, self.sets = run, sets
        self.times = 1
        run(2)
        self.times = max(2, min(500, int(milliseconds / max(self.time(), 1e-4) / sets)))

    def time(self):
        start = time.perf_counter()
        self.run(self.times)
        return (time.perf_counter() - start) * 1e3 / self.times / self.sets


def poison(outputs):
    for output in (tensor for tensors in outputs for tensor in tensors):
        output.fill_(math.nan) if output.is_floating_point() else output.fill_(-1)


def fastest(graphs, rounds):
    """The number of one of `graphs`, measured as the sides are: in turn, in random order, by the median."""
    order, times = random.Random(0), [[] for _ in graphs]
    for _ in range(rounds):
        for number in order.sample(range(len(graphs)), len(graphs)):
            times[number].append(graphs[number].time())
    return min(range(len(graphs)), key=lambda number: statistics.median(times[number]))


def prepare(side, case, data, torch, timing):
    """The fastest alternative of a side, ready to be timed, and its error."""
    sets, outputs, reference = data
    ready = []
    for label, call in side.prepare(case, sets, outputs):
        poison(outputs)
        if getattr(side, "on_host_clock", False):
            found = tuple(side.to_torch(array) for array in as_tuple(call(1)[0]))
            return HostTimed(call, len(sets), timing.host_milliseconds), error_of(case, found, sets, reference, torch)
        try:
            found = call(0)
            torch.cuda.synchronize()
        except RuntimeError:
            if label:
                continue
            raise
        error = error_of(case, found, sets, reference, torch)
        graph = Graph(call, 1, 1, torch)
        estimate = min(graph.time() for _ in range(4))
        ready.append((estimate, call, error))
    if not ready:
        raise RuntimeError("no alternative runs")
    ready = sorted(ready, key=lambda each: each[0])[:timing.alternatives]
    least = ready[0][0]
    # Starting a graph and two events cost the GPU a few microseconds: little of 2 ms.
    copies = max(1, min(20, math.ceil(timing.milliseconds / least)))
    # A single call says little, but shows what is out of the question.
    likely = [(Graph(call, copies, len(sets), torch), error) for estimate, call, error in ready if estimate <= 1.5 * least]
    return likely[fastest([graph for graph, _ in likely], timing.alternative_rounds) if len(likely) > 1 else 0]


def measure(case, sides, torch, timing=TIMING):
    """Rows of one case, and what went wrong as text."""
    from sides import Skip
    data = make_data(case, torch)
    ready, problems = [], []
    for side in sides:
        try:
            ready.append((side.name, *prepare(side, case, data, torch, timing), []))
        except Skip as reason:
            if side.name == "tripy":
                problems.append(f"{case.name}: tripy: {reason}")
        except Exception as problem:  # A peer's failure is its own.
            problems.append(f"{case.name}: {side.name}: {type(problem).__name__}: {str(problem)[:300]}")
    order = random.Random(0)
    for round_number in range(timing.rounds + 2):
        # Who follows whom, such as a side that heats the GPU or leaves it idle, is nobody's advantage.
        for _, timed, _, times in order.sample(ready, len(ready)):
            milliseconds = timed.time()
            if round_number >= 2:
                times.append(milliseconds)
    rows = []
    for name, _, error, times in ready:
        quartiles = statistics.quantiles(times, n=4)
        middle = statistics.median(times)
        row = {"group": case.group, "case": case.name, "side": name, "ms": round(middle, 6),
               "spread": round((quartiles[2] - quartiles[0]) / middle, 4)}
        if case.flops:
            row["tflops"] = round(case.flops / middle * 1e-9, 2)
        else:
            row["gbps"] = round(case.bytes / middle * 1e-6, 1)
        row.update(of_ceiling=None, of_best_peer=None, max_error=float(f"{error:.3g}") if math.isfinite(error) else None)
        tolerance = case.tolerance if name.startswith("tripy") else case.peer_tolerance or case.tolerance
        if not error <= tolerance:
            problems.append(f"{case.name}: {name}: WRONG RESULT, error {error:.3g} of at most {tolerance:.3g}")
            row["wrong"] = True
        rows.append(row)
    return rows, problems


def measure_copy(torch):
    """GB/s of the driver's copies within the GPU: bytes read and written.

    Not in a graph, whose copies are a third slower."""
    import ctypes
    driver = ctypes.CDLL("libcuda.so.1")
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)

    def copy():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if driver.cuMemcpyDtoDAsync_v2(ctypes.c_uint64(target.data_ptr()), ctypes.c_uint64(source.data_ptr()),
                                       ctypes.c_size_t(source.numel()), stream) != 0:
            raise RuntimeError("the driver does not copy")
    times = []
    for _ in range(12):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(4):
            copy()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 4)
    return 2 * source.numel() / min(times) * 1e-6


#===-- latency and compile time ------------------------------------------===#

def latency_rows(options, case, folder, torch):
    """Host cost of a call, one replay of many, a synchronised round trip."""
    inputs = [part for i in case.inputs for part in ("--input", f"{i.name}=random")]
    result = subprocess.run([os.path.join(options.bin, "tripy-run"), os.path.join(folder, "own", case.name + ".tpx"), *inputs,
                             "--device=cuda:0", "--benchmark=3000", "--json"], text=True, capture_output=True)
    if result.returncode != 0:
        log(f"latency: tripy-run: {result.stderr.strip()}")
        return []
    found = json.loads(result.stdout)
    sets, _, _ = make_data(case, torch)
    graph = Graph(lambda i: case.torch(torch, *sets[0]), 1, 1, torch).graph
    calls, trips = [], []
    for i in range(3000):
        start = time.perf_counter()
        graph.replay()
        calls.append(time.perf_counter() - start)
        torch.cuda.synchronize()
        trips.append(time.perf_counter() - start)
    start = time.perf_counter()
    for i in range(3000):
        graph.replay()
    torch.cuda.synchronize()
    replay = (time.perf_counter() - start) / 3000
    rows = []
    for what, tripy, torch_seconds in (("host call", found["host_median_s"], statistics.median(calls)),
                                       ("replay", found["replay_s"], replay),
                                       ("round trip", found["median_s"], statistics.median(trips))):
        for side, seconds in (("tripy", tripy), ("torch graph, from Python", torch_seconds)):
            rows.append({"group": "latency", "case": f"{case.name}, {what}", "side": side, "ms": round(seconds * 1e3, 6),
                         "spread": 0.0, "gbps": None, "of_ceiling": None, "of_best_peer": None, "max_error": None})
    return rows


def compile_rows(options, folder):
    """Wall time of whole tripy-compile processes, on two cores where that can be said."""
    compiler = [os.path.join(options.bin, "tripy-compile")]
    if hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 2:
        cores = sorted(os.sched_getaffinity(0))[:2]
        compiler = ["taskset", "-c", ",".join(map(str, cores)), *compiler]
    many = os.path.join(folder, "hundred.mlir")
    functions = ["abs", "exp", "sqrt", "tanh", "sin", "relu", "sigmoid", "silu", "gelu", "neg"]
    arguments, lines, results = [], [], []
    for i in range(100):
        t = f"tensor<{64 + i}x32xf32>"
        arguments.append(f"%x{i}: {t}")
        lines.append(f"  %a{i} = trace.{functions[i % 10]} %x{i} : ({t}) -> {t}\n"
                     f"  %r{i} = trace.{functions[i // 10]} %a{i} : ({t}) -> {t}")
        results.append((f"%r{i}", t))
    with open(many, "w") as out:
        types = ", ".join(t for _, t in results)
        out.write(f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "\n".join(lines) +
                  f"\n  return {', '.join(v for v, _ in results)} : {types}\n}}\n")
    rows = []
    for case, source in (("geglu, cold", os.path.join(folder, "geglu_4096x1280x5120_f16.mlir")),
                         ("100 distinct element-wise kernels", many)):
        if not os.path.exists(source):
            continue
        times = []
        for _ in range(5):
            start = time.perf_counter()
            result = subprocess.run([*compiler, source, "-o", os.path.join(folder, "timed.tpx"),
                                     f"--target={options.target}"], text=True, capture_output=True)
            times.append((time.perf_counter() - start) * 1e3)
        if result.returncode != 0:
            log(f"compile: {case}: {result.stderr[-300:]}")
            continue
        middle = statistics.median(times)
        rows.append({"group": "compile", "case": case, "side": "tripy", "ms": round(middle, 2),
                     "spread": round((max(times) - min(times)) / middle, 4), "gbps": None, "of_ceiling": None,
                     "of_best_peer": None, "max_error": None})
    return rows


#===-- the whole run -----------------------------------------------------===#

def fill_ratios(rows, copy):
    flops = [r["tflops"] for r in rows if r["group"] == "gemm" and r["side"] == "cublaslt" and "tf32" not in r["case"]]
    ceiling = max(flops) if flops else None
    of_case = {}
    for row in rows:
        of_case.setdefault(row["case"], []).append(row)
    for row in rows:
        peers = [r["ms"] for r in of_case[row["case"]] if r is not row and not r.get("wrong")
                 and not r["side"].startswith("tripy")]
        if peers:
            row["of_best_peer"] = round(min(peers) / row["ms"], 4)
        if row.get("gbps"):
            row["of_ceiling"] = round(row["gbps"] / copy, 4)
        elif row.get("tflops") and ceiling and row["group"] in ("gemm", "blocks"):
            row["of_ceiling"] = round(row["tflops"] / ceiling, 4)


def describe(options, torch, copy):
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "cuda": torch.version.cuda,
                "cudnn": torch.backends.cudnn.version()}
    try:
        import importlib.metadata
        versions["jax"] = importlib.metadata.version("jax")
    except ImportError:
        pass
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True,
                            capture_output=True).stdout.strip()
    commit = options.commit or subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, text=True,
                                              capture_output=True).stdout.strip()
    return {"commit": commit, "card": torch.cuda.get_device_name(0), "driver": driver, "versions": versions,
            "date": datetime.date.today().isoformat(), "command": report.command("bench/harness.py"),
            "copy_gbps": round(copy, 1)}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin")
    parser.add_argument("--target", default="cuda:sm_90a")
    parser.add_argument("--output")
    parser.add_argument("--chart")
    parser.add_argument("--commit", help="what to note when this is no checkout")
    parser.add_argument("--cases", default="issue", help="parts of names, or 'issue', or 'all'")
    parser.add_argument("--zoo", type=zoo.parse_zoo, metavar="SEED,N", help="N layers drawn at random")
    parser.add_argument("--attention", type=zoo.parse_zoo, metavar="SEED,N", help="N shapes of attention drawn at random")
    parser.add_argument("--groups", type=zoo.parse_groups, default=list(zoo.GROUPS), help="of the zoo")
    parser.add_argument("--sides", help="default: all; of the zoo: without libraries and max-autotune")
    parser.add_argument("--seconds", type=float, help="start no further case after; default: 3600, of the zoo 540")
    parser.add_argument("--quick", action="store_true", help="no max-autotune of single products")
    parser.add_argument("--compare", nargs=2)
    options = parser.parse_args()
    if not options.compare and not options.bin:
        parser.error("--bin is needed")
    options.sides = options.sides or ("tripy,static,torch,compile,cublaslt,jax" if options.zoo
                                      else "tripy,tripy+libraries,torch,compile,autotune,cublaslt,jax")
    options.seconds = options.seconds or (540 if options.zoo else 3600)
    return options


def choose(options):
    import cases
    if options.zoo:
        return zoo.draw(*options.zoo, options.groups)
    if options.attention:
        import attention_cases
        return attention_cases.drawn_attention_cases(*options.attention)
    wanted = options.cases.split(",")
    return [c for c in cases.all_cases()
            if "all" in wanted or any(w in c.tags or w in c.name or w == c.group for w in wanted)]


def measure_all(options, chosen, sides, torch, begin):
    rows, problems, timing = [], [], ZOO_TIMING if options.zoo else TIMING
    for case in chosen:
        if time.monotonic() - begin > options.seconds:
            problems.append(f"{case.name}: not measured, no time left")
            continue
        found, wrong = measure(case, sides, torch, timing)
        rows += found
        problems += wrong
        log(f"{time.monotonic() - begin:6.1f} s  {case.name}: " + ", ".join(f"{r['side']} {r['ms']:.4f}" for r in found))
        gc.collect()
        torch.cuda.empty_cache()
    return rows, problems


def run(options, chosen, folder, torch, begin):
    """The result as it is written, the rows with what was wrong, and problems as text."""
    compile_programs(options, chosen, folder)
    log(f"compiled Tripy's programs in {time.monotonic() - begin:.1f} s")
    if options.zoo:
        log(zoo_run.warm(options, folder, begin))
    sides, copy = make_sides(options, folder), measure_copy(torch)
    log(f"compiled in {time.monotonic() - begin:.1f} s; a copy moves {copy:.0f} GB/s")
    rows, problems = measure_all(options, chosen, sides, torch, begin)
    copy = max(copy, measure_copy(torch))
    for case in chosen:
        if case.group == "latency":
            rows += latency_rows(options, case, folder, torch)
    if not options.zoo:
        rows += compile_rows(options, folder)
    fill_ratios(rows, copy)
    result = {"meta": {**describe(options, torch, copy), "notes": problems}}
    if options.zoo:
        rows.sort(key=lambda row: list(zoo.GROUPS).index(row["group"]))
        result["zoo"] = zoo_run.summary(options, chosen, rows, time.monotonic() - begin)
    result["rows"] = [{k: v for k, v in row.items() if k != "wrong"} for row in rows]
    return result, rows, problems


def main():
    options = parse()
    if options.compare:
        print(report.compare(*options.compare), end="")
        return
    begin, chosen = time.monotonic(), choose(options)
    with tempfile.TemporaryDirectory() as folder:
        if options.zoo:
            zoo_run.use_caches(folder)
        try:
            import torch
        except ImportError:
            sys.exit("harness: the harness itself needs torch")
        if not torch.cuda.is_available():
            sys.exit("harness: torch sees no GPU")
        with torch.no_grad():
            result, rows, problems = run(options, chosen, folder, torch, begin)
    if options.output:
        with open(options.output, "w") as out:
            json.dump(result, out, indent=1)
            out.write("\n")
    if options.chart:
        with open(options.chart, "w") as out:
            title = f"Tripy on {result['meta']['card']}, {result['meta']['date']}"
            out.write(report.distribution(result["zoo"], title) if options.zoo else report.chart(rows, title))
    print(report.format_table(rows) + (report.format_zoo(result["zoo"]) if options.zoo else "") + "".join(f"note: {p}\n" for p in problems), end="")
    sys.exit(1 if any("WRONG RESULT" in p and "tripy" in p for p in problems) else 0)


if __name__ == "__main__":
    main()
