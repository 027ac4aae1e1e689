#!/usr/bin/env python3
"""Writes unicode.inc: the letters and the digits of Unicode, as ranges of code points."""
import os
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))


def ranges(category):
    found, first = [], None
    for code in range(0x110001):
        inside = code < 0x110000 and unicodedata.category(chr(code))[0] == category
        if inside and first is None:
            first = code
        if not inside and first is not None:
            found.append((first, code - 1))
            first = None
    return found


def main():
    with open(os.path.join(HERE, "unicode.inc"), "w") as out:
        out.write(f"// Unicode {unicodedata.unidata_version}, made by make_unicode.py.\n")
        for macro, category in (("LETTERS", "L"), ("DIGITS", "N")):
            out.write(f"#ifdef {macro}\n")
            line = ""
            for first, last in ranges(category):
                item = f"{macro}({first:#x}, {last:#x})"
                if len(line) + len(item) > 110:
                    out.write(line.rstrip() + "\n")
                    line = ""
                line += item + " "
            out.write(line.rstrip() + "\n#endif\n")


if __name__ == "__main__":
    main()
