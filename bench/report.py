"""Rows of the benchmark as a table, as a bar chart in SVG, and compared with others."""
import html
import json
import math
import os
import sys


def command(script):
    """What was run, for the results: without the folders of this machine."""
    arguments = [os.path.basename(a) if os.path.isabs(a) else a for a in sys.argv[1:]]
    return " ".join([script, *arguments])


def key(row):
    return row["group"], row["case"], row["side"]


def format_table(rows):
    lines = [f"{'case':40} {'side':24} {'ms':>10} {'spread':>7} {'rate':>14} {'ceiling':>8} {'peer':>6} {'error':>9}"]
    group = None
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            lines.append(f"-- {group}")
        rate = (f"{row['tflops']:.1f} TFLOP/s" if row.get("tflops") is not None
                else f"{row['gbps']:.0f} GB/s" if row.get("gbps") is not None else "")
        ceiling = f"{100 * row['of_ceiling']:.1f} %" if row.get("of_ceiling") is not None else ""
        peer = f"{row['of_best_peer']:.2f}" if row.get("of_best_peer") is not None else ""
        error = f"{row['max_error']:.1e}" if row.get("max_error") is not None else ""
        lines.append(f"{row['case']:40} {row['side']:24} {row['ms']:10.5f} {100 * row['spread']:6.1f}% {rate:>14} "
                     f"{ceiling:>8} {peer:>6} {error:>9}")
    return "\n".join(lines) + "\n"


def chart(rows, title):
    """Bars: how fast Tripy is, the best peer being 1. One bar for each case."""
    bars = [r for r in rows if r["side"] == "tripy" and r.get("of_best_peer") is not None]
    left, width, high, top = 330, 420, 18, 54
    most = max([2.0] + [min(r["of_best_peer"], 4.0) for r in bars])
    height = top + high * len(bars) + 20
    unit = width / most
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="100%" height="100%" fill="white"/><text x="10" y="20" font-size="15">{html.escape(title)}'
             '</text><text x="10" y="38" fill="#555">speed, the best peer of the same run being 1; longer is faster'
             '</text>']
    for i, row in enumerate(bars):
        y, value = top + i * high, row["of_best_peer"]
        color = "#2e7d32" if value >= 1 else "#f9a825" if value >= 0.9 else "#c62828"
        parts.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{html.escape(row["case"])}</text>'
                     f'<rect x="{left}" y="{y + 2}" width="{unit * min(value, most):.1f}" height="{high - 5}" '
                     f'fill="{color}"/><text x="{left + unit * min(value, most) + 4:.1f}" y="{y + 12}">{value:.2f}</text>')
    parts.append(f'<line x1="{left + unit:.1f}" x2="{left + unit:.1f}" y1="{top - 6}" y2="{height - 14}" '
                 'stroke="#333" stroke-dasharray="4 3"/></svg>\n')
    return "\n".join(parts)


def format_zoo(zoo):
    """Quantiles of the best peer's time over Tripy's, by group, family, element type and profile; the slowest cases."""
    lines = [f"-- zoo, seed {zoo['seed']}: {zoo['measured']} of {zoo['count']} cases in {zoo['seconds']:.0f} s; the best peer's time "
             "over Tripy's", f"{'':32} {'cases':>5} {'geometric mean':>15} {'median':>7} {'5th percentile':>15} {'worst':>6}"]
    for part, title in (("quantiles", "by group"), ("families", "by family"), ("dtypes", "by element type"),
                        ("dynamic", "by profile"), ("of_static", "the static program's time over the dynamic one's")):
        lines.append(f"-- {title}")
        for kind, found in zoo[part].items():
            lines.append(f"{kind or 'static':32} {found['cases']:5} {found['geometric_mean']:15.2f} {found['median']:7.2f} "
                         f"{found['percentile_5']:15.2f} {found['worst']:6.2f}  {found['worst_case']}")
    lines.append("-- the slowest")
    measured = [(case["ratio"], name, case) for name, case in zoo["cases"].items() if "ratio" in case]
    for ratio, name, case in sorted(measured, key=lambda each: each[:2])[:40]:
        lines.append(f"{ratio:6.2f}  {name:48} {case['sizes']:40} {case['model']}: {case['layer']}")
    return "\n".join(lines) + "\n"


def distribution(zoo, title):
    """How many cases of a group are at most as fast as this, over the ratio: one line for each group."""
    left, top, width, height, low, high = 60, 60, 640, 360, 0.1, 4.0
    colors = {"linear": "#1565c0", "rows": "#2e7d32", "movement": "#ef6c00", "blocks": "#6a1b9a"}

    def x(ratio):
        return left + width * math.log(min(high, max(low, ratio)) / low) / math.log(high / low)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{top + height + 50}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="100%" height="100%" fill="white"/><text x="10" y="20" font-size="15">{html.escape(title)}, zoo, seed '
             f'{zoo["seed"]}</text><text x="10" y="38" fill="#555">part of the cases whose speed, the best peer of the same run '
             'being 1, is at most this</text>']
    for ratio in (0.1, 0.2, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0):
        parts.append(f'<line x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{top}" y2="{top + height}" '
                     f'stroke="{"#333" if ratio == 1 else "#ddd"}"/><text x="{x(ratio):.1f}" y="{top + height + 16}" '
                     f'text-anchor="middle">{ratio:g}</text>')
    for percent in (0, 5, 25, 50, 75, 100):
        y = top + height * (1 - percent / 100)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>')
    for i, (group, found) in enumerate(zoo["quantiles"].items()):
        ratios = sorted(case["ratio"] for case in zoo["cases"].values() if case["group"] == group and "ratio" in case)
        points = [f"{x(ratios[0]):.1f},{top + height:.1f}"]
        for number, ratio in enumerate(ratios):
            points += [f"{x(ratio):.1f},{top + height * (1 - part / len(ratios)):.1f}" for part in (number, number + 1)]
        color = colors.get(group, "#000")
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{color}" stroke-width="2"/>'
                     f'<text x="{left + 10}" y="{top + 20 + 18 * i}" fill="{color}">{html.escape(group)}: {found["cases"]} cases, '
                     f'geometric mean {found["geometric_mean"]:.2f}, 5th percentile {found["percentile_5"]:.2f}</text>')
    return "\n".join(parts) + "</svg>\n"


def compare(first, second):
    """Rows that both files have: times, and how much faster the second is."""
    with open(first) as handle:
        before = json.load(handle)
    with open(second) as handle:
        after = json.load(handle)
    old = {key(row): row for row in before["rows"]}
    lines = [f"first:  {first}: {before['meta'].get('commit')}, {before['meta'].get('card')}",
             f"second: {second}: {after['meta'].get('commit')}, {after['meta'].get('card')}",
             f"{'case':40} {'side':24} {'first ms':>10} {'second ms':>10} {'speed-up':>9}"]
    for row in after["rows"]:
        match = old.pop(key(row), None)
        if match is None:
            lines.append(f"{row['case']:40} {row['side']:24} {'':>10} {row['ms']:10.5f} {'new':>9}")
            continue
        ratio = match["ms"] / row["ms"]
        # Within the spread of both runs nothing can be said.
        noise = max(row["spread"], match["spread"])
        mark = "" if abs(ratio - 1) <= noise else "  faster" if ratio > 1 else "  SLOWER"
        lines.append(f"{row['case']:40} {row['side']:24} {match['ms']:10.5f} {row['ms']:10.5f} {ratio:8.3f}x{mark}")
    lines += [f"{case:40} {side:24} only in the first" for _, case, side in old]
    return "\n".join(lines) + "\n"
