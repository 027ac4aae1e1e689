// The assembler serialises no matrix instructions where the epilogue of rows
// that are no multiple of 16 bytes follows the wait for the sums: it did with
// functions of the sums in batches, with tiles in turns, and with one slice.
// RUN: split-file %s %t
// RUN: tripy-compile %t/batch.mlir --target=cuda:sm_90a -o %t.tpx
// RUN: tripy-compile %t/turns.mlir --target=cuda:sm_90a -o %t.tpx
// RUN: tripy-compile %t/slice.mlir --target=cuda:sm_90a -o %t.tpx

//--- batch.mlir
func.func @main(%a: tensor<3x2219x456xf16>, %b: tensor<3x456x56xf16>) -> tensor<3x2219x49xf16> {
  %w = trace.slice %b [0, 0, 0] to [3, 456, 49] by [1, 1, 1] : (tensor<3x456x56xf16>) -> tensor<3x456x49xf16>
  %y = trace.matmul %a, %w : (tensor<3x2219x456xf16>, tensor<3x456x49xf16>) -> tensor<3x2219x49xf16>
  %z = trace.rsqrt %y : (tensor<3x2219x49xf16>) -> tensor<3x2219x49xf16>
  return %z : tensor<3x2219x49xf16>
}

//--- turns.mlir
func.func @main(%a: tensor<3x10721x440xf16>, %b: tensor<3x440x128xf16>) -> tensor<3x10721x125xf16> {
  %w = trace.slice %b [0, 0, 0] to [3, 440, 125] by [1, 1, 1] : (tensor<3x440x128xf16>) -> tensor<3x440x125xf16>
  %y = trace.matmul %a, %w : (tensor<3x10721x440xf16>, tensor<3x440x125xf16>) -> tensor<3x10721x125xf16>
  %z = trace.tanh %y : (tensor<3x10721x125xf16>) -> tensor<3x10721x125xf16>
  return %z : tensor<3x10721x125xf16>
}

//--- slice.mlir
func.func @main(%a: tensor<240x56xbf16>, %b: tensor<56x16384xbf16>, %c: tensor<16383xbf16>) -> tensor<240x16383xbf16> {
  %w = trace.slice %b [0, 0] to [56, 16383] by [1, 1] : (tensor<56x16384xbf16>) -> tensor<56x16383xbf16>
  %y = trace.matmul %a, %w : (tensor<240x56xbf16>, tensor<56x16383xbf16>) -> tensor<240x16383xbf16>
  %s = trace.add %y, %c : (tensor<240x16383xbf16>, tensor<16383xbf16>) -> tensor<240x16383xbf16>
  %z = trace.silu %s : (tensor<240x16383xbf16>) -> tensor<240x16383xbf16>
  return %z : tensor<240x16383xbf16>
}
