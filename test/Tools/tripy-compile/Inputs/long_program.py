"""Prints a program of many operations: `long_program.py COUNT`."""
import sys

print("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {")
last = "%x"
for i in range(int(sys.argv[1])):
    print(f"  %v{i} = trace.neg {last} : (tensor<4xf32>) -> tensor<4xf32>")
    last = f"%v{i}"
print(f"  return {last} : tensor<4xf32>\n}}")
