"""A run of the zoo: peers compile in many processes before anything is measured, and what the run found in short."""
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Of a run's time, for torch.compile and JAX.
WARM_SHARE = 0.45
# Sides that compile for seconds.
COMPILING = ("compile", "jax")


def use_caches(folder):
    """Before torch is imported: where Inductor, Triton and XLA keep code, and that one process compiles with one thread."""
    os.environ.update({
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"), "TRITON_CACHE_DIR": os.path.join(folder, "triton"),
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "1", "TORCHINDUCTOR_AUTOGRAD_CACHE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "JAX_COMPILATION_CACHE_DIR": os.path.join(folder, "xla"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})


def warm(options, folder, begin):
    """Compiles the peers' forms of all cases into those caches, in one process for each core; says how far that came."""
    wanted = [side for side in COMPILING if side in options.sides.split(",")]
    if not wanted:
        return "no peer compiles"
    start, claims = time.monotonic(), os.path.join(folder, "claims")
    os.makedirs(claims)
    end = begin + WARM_SHARE * options.seconds
    count = max(1, min(16, (os.cpu_count() or 2) - 1, options.zoo[1]))
    command = [sys.executable, os.path.join(HERE, "zoo_warm.py"), f"{options.zoo[0]},{options.zoo[1]}", ",".join(options.groups),
               ",".join(wanted), claims, str(end - time.monotonic())]
    logs = [open(os.path.join(folder, f"warm{i}.txt"), "w+") for i in range(count)]
    workers = [subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) for log in logs]
    for worker in workers:
        try:
            # Those that are in the middle of a case get a little longer.
            worker.wait(max(1.0, end + 20 - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    finished = sum(name.endswith(".done") for name in os.listdir(claims))
    text = (f"{', '.join(wanted)}: {finished} of {options.zoo[1]} cases compiled by {count} processes in "
            f"{time.monotonic() - start:.1f} s")
    for number, (worker, log) in enumerate(zip(workers, logs)):
        log.seek(0)
        found = log.read().strip()
        log.close()
        if worker.returncode != 0 and found:
            text += f"\nprocess {number} ended with {worker.returncode}: {found[-300:]}"
    return text


#===-- in short ------------------------------------------------------------===#

def quantiles(ratios):
    """`ratios`: (ratio, case) of each. Geometric mean, median, 5th percentile and worst."""
    values = sorted(ratio for ratio, _ in ratios)
    low = values[0] if len(values) == 1 else statistics.quantiles(values, n=20, method="inclusive")[0]
    return {"cases": len(values), "geometric_mean": round(statistics.geometric_mean(values), 4),
            "median": round(statistics.median(values), 4), "percentile_5": round(low, 4), "worst": round(values[0], 4),
            "worst_case": min(ratios)[1]}


def by(key, ratios, cases):
    """Quantiles for each value that the cases' `key` has, in the order of the cases."""
    kinds = {}
    for ratio, name in ratios:
        kinds.setdefault(key(cases[name]), []).append((ratio, name))
    return {kind: quantiles(each) for kind, each in kinds.items()}


def summary(options, chosen, rows, seconds):
    """The part "zoo" of a result: which layer each case is, and quantiles of the best peer's time over Tripy's."""
    cases = {case.name: case for case in chosen}
    ratios = [(row["of_best_peer"], row["case"]) for row in rows
              if row["side"] == "tripy" and row.get("of_best_peer") and not row.get("wrong")]
    times = {(row["case"], row["side"]): row["ms"] for row in rows}
    static = [(times[name, "tripy static"] / ms, name) for (name, side), ms in times.items()
              if side == "tripy" and (name, "tripy static") in times]
    described = {name: {"group": case.group, "family": case.family, "dtype": case.dtype, "sizes": case.sizes,
                        **({"profile": case.which} if case.which else {}), **case.place} for name, case in cases.items()}
    for ratio, name in ratios:
        described[name]["ratio"] = ratio
    for ratio, name in static:
        described[name]["of_static"] = round(ratio, 4)
    return {"seed": options.zoo[0], "count": options.zoo[1], "groups": list(options.groups), "seconds": round(seconds, 1),
            "measured": len(ratios), "quantiles": by(lambda case: case.group, ratios, cases),
            "families": by(lambda case: case.family, ratios, cases), "dtypes": by(lambda case: case.dtype, ratios, cases),
            "dynamic": by(lambda case: f"dynamic, {case.which}" if case.which else "static", ratios, cases),
            "of_static": by(lambda case: case.which, static, cases), "cases": described}


if __name__ == "__main__":
    # A result, as text again.
    import report
    with open(sys.argv[1]) as handle:
        print(report.format_zoo(json.load(handle)["zoo"]), end="")
