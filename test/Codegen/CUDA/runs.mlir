// RUN: split-file %s %t
// RUN: tripy-compile %t/bias.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=BIAS
// RUN: tripy-compile %t/channels.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=CHANNELS
// RUN: tripy-compile %t/join.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=JOIN
// RUN: tripy-compile %t/seams.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=SEAMS
// RUN: tripy-compile %t/pad.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=PAD
// RUN: tripy-compile %t/transposed.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=TRANSPOSED

// Rows that are no multiple of a vector: vectors go on in the next row. What is broadcast is read element by element.

// BIAS: .entry
// BIAS-DAG: ld.global{{.*}}v4.b32
// BIAS-DAG: st.global{{.*}}v4.b32
// BIAS-NOT: st.global
// BIAS: ret;

//--- bias.mlir
func.func @main(%a: tensor<64x512x49xf16> {tripy.name = "a"}, %b: tensor<49xf16> {tripy.name = "b"}) -> (tensor<64x512x49xf16> {tripy.name = "y"}) {
  %y = trace.add %a, %b : (tensor<64x512x49xf16>, tensor<49xf16>) -> tensor<64x512x49xf16>
  return %y : tensor<64x512x49xf16>
}

// 14 x 14 elements are whole vectors of 8 bytes: a channel's number is read once for each.

// CHANNELS: .entry
// CHANNELS-DAG: ld.global{{.*}}v2.b32
// CHANNELS-DAG: ld.global{{.*}}b16
// CHANNELS: st.global.v2.b32
// CHANNELS-NOT: ld.global
// CHANNELS: ret;

//--- channels.mlir
func.func @main(%a: tensor<8x512x14x14xf16> {tripy.name = "a"}, %b: tensor<512x1x1xf16> {tripy.name = "b"}) -> (tensor<8x512x14x14xf16> {tripy.name = "y"}) {
  %y = trace.mul %a, %b : (tensor<8x512x14x14xf16>, tensor<512x1x1xf16>) -> tensor<8x512x14x14xf16>
  return %y : tensor<8x512x14x14xf16>
}

// Inputs of whole vectors, whatever their rows: one load of 16 bytes, whose place is chosen.

// JOIN: .entry
// JOIN-COUNT-1: ld.global{{.*}}v4.b32
// JOIN-NOT: ld.global
// JOIN: st.global.v4.b32
// JOIN: ret;

//--- join.mlir
func.func @main(%a: tensor<8x64x49xf16> {tripy.name = "a"}, %b: tensor<8x32x49xf16> {tripy.name = "b"}) -> (tensor<8x96x49xf16> {tripy.name = "y"}) {
  %y = trace.concatenate %a, %b dim = 1 : (tensor<8x64x49xf16>, tensor<8x32x49xf16>) -> tensor<8x96x49xf16>
  return %y : tensor<8x96x49xf16>
}

// Seams anywhere: elements are loaded one by one, without branches, and stored together.

// SEAMS: .entry
// SEAMS-COUNT-8: ld.global{{.*}}b16
// SEAMS-NOT: ld.global
// SEAMS: st.global.v4.b32
// SEAMS-NOT: st.global
// SEAMS: ret;

//--- seams.mlir
func.func @main(%a: tensor<512x49xf16> {tripy.name = "a"}, %b: tensor<512x77xf16> {tripy.name = "b"}, %c: tensor<512x3xf16> {tripy.name = "c"}) -> (tensor<512x129xf16> {tripy.name = "y"}) {
  %y = trace.concatenate %a, %b, %c dim = 1 : (tensor<512x49xf16>, tensor<512x77xf16>, tensor<512x3xf16>) -> tensor<512x129xf16>
  return %y : tensor<512x129xf16>
}

// PAD: .entry
// PAD-COUNT-8: ld.global{{.*}}b16
// PAD-NOT: ld.global
// PAD: st.global.v4.b32
// PAD: ret;

//--- pad.mlir
func.func @main(%a: tensor<512x49xf16> {tripy.name = "a"}) -> (tensor<512x51xf16> {tripy.name = "y"}) {
  %y = trace.pad %a low [0, 1] high [0, 1] value = 0.0 : f16 : (tensor<512x49xf16>) -> tensor<512x51xf16>
  return %y : tensor<512x51xf16>
}

// An operand that is read in another order has no runs: neighbouring threads keep neighbouring elements.

// TRANSPOSED: .entry
// TRANSPOSED-NOT: v4.b32
// TRANSPOSED: ret;

//--- transposed.mlir
func.func @main(%a: tensor<9x7x11xf16> {tripy.name = "a"}, %b: tensor<7x9x11xf16> {tripy.name = "b"}) -> (tensor<9x7x11xf16> {tripy.name = "y"}) {
  %t = trace.permute %b [1, 0, 2] : (tensor<7x9x11xf16>) -> tensor<9x7x11xf16>
  %y = trace.add %a, %t : (tensor<9x7x11xf16>, tensor<9x7x11xf16>) -> tensor<9x7x11xf16>
  return %y : tensor<9x7x11xf16>
}
