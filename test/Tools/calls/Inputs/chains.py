"""Prints a program of many calls: a chain that is COUNT calls deep, or a tree in which each function calls the next one twice."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
text = "tensor<2xf32>"
for i in range(count):
    print(f"func.func private @f{i}(%x: {text}) -> {text} {{")
    if i == 0:
        print(f"  %0 = trace.exp %x : ({text}) -> {text}")
    else:
        print(f"  %0 = func.call @f{i - 1}(%x) : ({text}) -> {text}")
    if i > 0 and kind == "tree":
        print(f"  %1 = func.call @f{i - 1}(%0) : ({text}) -> {text}")
    print(f"  return %{1 if i > 0 and kind == 'tree' else 0} : {text}\n}}")
print(f"func.func @main(%x: {text}) -> {text} {{")
print(f"  %0 = func.call @f{count - 1}(%x) : ({text}) -> {text}\n  return %0 : {text}\n}}")
