#!/usr/bin/env python3
"""Pages of the documentation: links to files and headings that are not there,
pages that the index docs/README.md does not list, and quoted files, `<!-- file:
PATH -->` before a block, that differ from the block."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
QUOTE = re.compile(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```", re.S | re.M)
FENCE = re.compile(r"^```.*?^```", re.S | re.M)


def anchors(page):
    """Headings as GitHub names them."""
    names = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M):
        heading = LINK.sub(lambda m: m.group(0)[1:].split("]")[0], heading)
        names.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return names


def main():
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/*.md")])
    problems, listed = [], set()
    for page in pages:
        for path, block in QUOTE.findall(page.read_text()):
            if not (ROOT / path).is_file() or (ROOT / path).read_text() != block:
                problems.append(f"{page.relative_to(ROOT)}: the block is not {path}")
        for link in LINK.findall(FENCE.sub("", page.read_text())):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if page == ROOT / "docs" / "README.md":
                listed.add(target)
            if not target.exists():
                problems.append(f"{page.relative_to(ROOT)}: there is no {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                problems.append(f"{page.relative_to(ROOT)}: there is no heading {link}")
    for page in ROOT.glob("docs/**/*.md"):
        if page != ROOT / "docs" / "README.md" and page not in listed:
            problems.append(f"docs/README.md does not list {page.relative_to(ROOT)}")
    print("\n".join(problems) or f"{len(pages)} pages")
    sys.exit(1 if problems else 0)


main()
