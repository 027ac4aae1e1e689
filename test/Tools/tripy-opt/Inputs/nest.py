"""Writes deep, wide or foreign input for input-text.test to standard output.

  nest.py [--close|--type] TEXT COUNT   TEXT, COUNT times; closed; as a type
  nest.py --alias-chain N               aliases, each one around the last
  nest.py --alias-double N              aliases, each one twice the last
  nest.py --affine N                    an affine map with N signs
  nest.py --chunk FILE                  FILE after "// -----"
"""

import sys

CLOSE = {"(": ")", "[": "]", "{": "}", "<": ">"}


def nested(arguments):
    mode = arguments.pop(0) if arguments[0].startswith("--") else ""
    text, count = arguments[0].replace("\\n", "\n"), int(arguments[1])
    ends = "".join(CLOSE.get(c, "") for c in reversed(text)) * count
    if mode == "--close":
        return text * count + ends
    if mode == "--type":
        return f"func.func private @f({text * count}i32{ends})\n"
    return text * count


def aliases(count, value):
    lines = ["!a0 = tuple<i32>"]
    lines += [f"!a{i} = " + value.format(f"!a{i - 1}")
              for i in range(1, count)]
    return "\n".join(lines + [f"func.func private @f(!a{count - 1})", ""])


def main(arguments):
    if arguments[0] == "--alias-chain":
        return aliases(int(arguments[1]), "tuple<{0}>")
    if arguments[0] == "--alias-double":
        return aliases(int(arguments[1]), "({0}) ->\n{0}")
    if arguments[0] == "--affine":
        return "#m = affine_map<(d0) -> ({}d0)>\n".format(
            "-" * int(arguments[1]))
    if arguments[0] == "--chunk":
        with open(arguments[1], "rb") as file:
            return b"module {}\n// -----\n" + file.read()
    return nested(arguments)


output = main(sys.argv[1:])
sys.stdout.buffer.write(output if isinstance(output, bytes)
                        else output.encode())
