"""Compiles the operations of arith and math that docs/linalg.md lists."""
import re
import subprocess
import sys

compiler, page = sys.argv[1:]
BINARY = {"math.atan2", "math.ipowi", "math.powf"}


def is_unary(op):
    return op == "arith.negf" or (op.startswith("math.") and op not in BINARY)


def line(op, result, x, y, type_, truth):
    if op == "arith.select":
        return f"{result} = {op} %c, {x}, {y} : {truth}{type_}"
    if op.startswith("arith.cmp"):
        predicate = "oge" if op == "arith.cmpf" else "uge"
        return f"{result} = {op} {predicate}, {x}, {y} : {type_}"
    operands = x if is_unary(op) else f"{x}, {y}"
    return f"{result} = {op} {operands} : {type_}"


def on_tensors(op, element):
    type_, truth = f"tensor<4x{element}>", "tensor<4xi1>"
    out = truth if op.startswith("arith.cmp") else type_
    body = line(op, "%r", "%x", "%y", type_, f"{truth}, ")
    return (f"func.func @main(%x: {type_}, %y: {type_}, %c: {truth}) -> {out} "
            f"{{\n{body}\nreturn %r : {out}\n}}\n")


def on_index(op):
    """Of loops' indices."""
    body = line(op, "%r", "%i", "%i", "index", "")
    result = "%r" if op.startswith("arith.cmp") else "%k"
    cast = "" if result == "%r" else "%k = arith.index_cast %r : index to i64"
    out = "i1" if result == "%r" else "i64"
    return (f"func.func @main() -> tensor<4x{out}> {{\n"
            f"%g = tensor.generate {{\n^bb0(%i: index):\n{body}\n{cast}\n"
            f"tensor.yield {result} : {out}\n}} : tensor<4x{out}>\n"
            f"return %g : tensor<4x{out}>\n}}\n")


failed = count = 0
rows = re.findall(r"^\| (`(?:arith|math)\..*?) \| (.*?) \|$", open(page).read(),
                  re.M)
for names, types in rows:
    for op in re.findall(r"`(.*?)`", names):
        for element in types.split():
            text = on_index(op) if element == "index" else on_tensors(op,
                                                                      element)
            for target in ("cpu", "cuda"):
                # Up to the code that the target's compiler takes.
                result = subprocess.run(
                    [compiler, "-", "-o", "-", "--stop-after=kernels",
                     f"--target={target}"], input=text, text=True,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                count += 1
                if result.returncode:
                    failed += 1
                    print(f"{op} of {element} for {target}:\n{result.stderr}")
print(f"{count} programs, {failed} failed")
sys.exit(failed > 0 or not count)
