// Nested loops of a product with ends on all sides are not unrolled into each
// other: its assembly is some thousand lines.
// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v3 --stop-after=asm -o - | wc -l > %t
// RUN: %python -c "lines = int(open('%t').read()); assert 300 < lines < 4000, lines"
func.func @main(%x: tensor<97x163xf32>, %w: tensor<211x163xf32>) -> tensor<97x211xf32> {
  %0 = trace.linear %x, %w : (tensor<97x163xf32>, tensor<211x163xf32>) -> tensor<97x211xf32>
  return %0 : tensor<97x211xf32>
}
