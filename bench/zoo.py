#!/usr/bin/env python3
"""The zoo: benchmark cases drawn at random from layers of published models, and from shapes at random.

usage: zoo.py SEED,N [--groups linear,rows,movement,blocks] [--tiny] [--folder DIR]

Prints the N cases of a seed; with --folder, also writes their programs. The same arguments give the same cases, anywhere.
harness.py --zoo measures them. zoo_models.py has the models, zoo_layers.py the layers.
"""
import argparse
import math
import os
import random
import sys
from dataclasses import dataclass, field, replace

from cases import Case, Input
from zoo_draw import SMALL, Draw, Limits, Redraw
from zoo_layers import GROUPS
from zoo_models import TABLE, TINY
from zoo_program import Program

DTYPES = ("f16", "f16", "bf16", "f32")
# Largest error, relative to |reference| + typical size: for a result that was rounded a few times on its way.
TOLERANCE = {"f16": 1e-2, "bf16": 6e-2, "f32": 2e-4}
# Of a peer's running sum, where PyTorch adds 16-bit numbers in 16 bits.
PEER_SCAN = 0.5
DYNAMIC = 0.25


@dataclass
class ZooCase(Case):
    family: str = ""
    # Model, source and layer.
    place: dict = field(default_factory=dict)
    dtype: str = "f16"
    drawn: Program = None
    # The sizes of the profile at which this case runs; None for a static program.
    which: str = None
    # The name of its program, which cases at other sizes of one profile share.
    executable_name: str = ""
    results: list = field(default_factory=list)

    @property
    def executable(self):
        return self.executable_name

    @property
    def outputs(self):
        return self.results

    @property
    def program(self):
        return self.drawn.text()

    @property
    def static_program(self):
        """The same for the sizes of this case alone; None where that is the program."""
        return self.drawn.text(self.which) if self.which else None

    @property
    def sizes(self):
        return " ".join("x".join(map(str, i.shape)) or "1" for i in self.inputs)


def case_at(which, group, family, number, d):
    """The case at one of the sizes of its profile."""
    p, sizes = d.program, which or "expected"
    inputs, results = p.input_rows(sizes), p.result_rows(sizes)
    flops = p.flops(sizes)
    gemm, layout = None, "nt"
    if family in ("linear", "linear, batched"):
        _, n, k, _ = p.products[0]
        m, batch = (math.prod(inputs[0].shape[:-1]), 1) if family == "linear" else (inputs[0].shape[1], inputs[0].shape[0])
        gemm = (m, n, k, batch)
        text = p.text()
        layout = "nt" if "trace.linear" in text or "trace.permute" in text else "nn"
    words = family.replace(",", "").replace("-", "_").split()
    stem = f"{number:03}_{'_'.join(words)}_{d.dtype}"
    table = [i for i in inputs if i.below]
    moved = 0
    if table:
        # As much of the table as is read.
        moved = sum(i.bytes for i in inputs[1:]) + 2 * sum(r.bytes for r in results)
    return ZooCase(group, stem + (f"_{which}" if which else ""), inputs, results[0], "", p.function(), p.function(), flops=flops,
                   moved=moved, gemm=gemm, layout=layout, tolerance=TOLERANCE[d.dtype], family=family, place=d.place,
                   dtype=d.dtype, drawn=p, which=which, executable_name=stem, results=results,
                   peer_tolerance=max(PEER_SCAN if family == "cumsum" else 0.0, TOLERANCE[d.dtype]), is_place=family == "argmax")


def draw_layer(rng, group, family, limits, table):
    """A Draw whose program is complete."""
    while True:
        d = Draw(rng, table, limits, rng.choice(DTYPES), rng.random() < DYNAMIC)
        try:
            d.program.results = GROUPS[group][1][family](d)
        except Redraw:
            continue
        sizes = [math.prod(d.program.shape(name, "largest")) for name in d.program.dims]
        # What is there in float64 is the reference, and each set of inputs has a copy.
        if max(sizes) > 4 * limits.elements or sum(sizes) > 8 * limits.elements:
            continue
        # Few, of which launching is all the time.
        if max(math.prod(d.program.shape(name, "expected")) for name in d.program.dims) >= limits.least or rng.random() < 0.03:
            return d


def families(rng, group):
    """Without end, each as often as the others."""
    while True:
        names = list(GROUPS[group][1])
        rng.shuffle(names)
        yield from names


def draw(seed, count, groups=tuple(GROUPS), limits=Limits(), table=TABLE):
    """`count` cases. A dynamic program gives two: at the expected sizes of its profile, and away from them."""
    rng, cases, number = random.Random(f"zoo {seed}"), [], 0
    order = [group for group in groups for _ in range(GROUPS[group][0])]
    names = {group: families(rng, group) for group in groups}
    while len(cases) < count:
        # What a run has no time for is of no group more than of others.
        group = order[number % len(order)]
        family = next(names[group])
        d = draw_layer(rng, group, family, limits, table)
        is_dynamic = any(dim != shown for name, _, _ in d.program.inputs
                         for dim, shown in zip(d.program.dims[name], d.program.shape(name, "expected")))
        for which in ("expected", "away") if is_dynamic else (None,):
            cases.append(case_at(which, group, family, number, d))
        number += 1
    return cases[:count]


def parse_zoo(text):
    """SEED,N"""
    seed, comma, count = text.partition(",")
    if not comma or not seed.isdigit() or not count.isdigit() or int(count) == 0:
        raise argparse.ArgumentTypeError(f"'SEED,N' is two numbers, N at least 1; found '{text}'")
    return int(seed), int(count)


def parse_groups(text):
    groups = text.split(",")
    for group in groups:
        if group not in GROUPS:
            raise argparse.ArgumentTypeError(f"a group is one of {', '.join(GROUPS)}; found '{group}'")
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zoo", type=parse_zoo, metavar="SEED,N")
    parser.add_argument("--groups", type=parse_groups, default=list(GROUPS))
    parser.add_argument("--tiny", action="store_true", help="sizes for tests on a CPU")
    parser.add_argument("--folder", help="where to write the programs")
    options = parser.parse_args()
    sizes = (SMALL, TINY) if options.tiny else (Limits(), TABLE)
    for case in draw(*options.zoo, options.groups, *sizes):
        print(f"{case.group:9} {case.name:48} {case.sizes:60} {case.place['model']}: {case.place['layer']}")
        if options.folder:
            os.makedirs(options.folder, exist_ok=True)
            with open(os.path.join(options.folder, case.executable + ".mlir"), "w") as out:
                out.write(case.program)


if __name__ == "__main__":
    sys.exit(main())
