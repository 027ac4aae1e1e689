"""Rows of the benchmark as a table, as a bar chart in SVG, and compared with others."""
import html
import json
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
