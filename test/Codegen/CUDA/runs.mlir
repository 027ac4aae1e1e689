// RUN: split-file %s %t
// RUN: tripy-compile %t/bias.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=BIAS
// RUN: tripy-compile %t/channels.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=CHANNELS
// RUN: tripy-compile %t/join.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=JOIN
// RUN: tripy-compile %t/seams.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=SEAMS
// RUN: tripy-compile %t/pad.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=PAD
// RUN: tripy-compile %t/mask.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=MASK
// RUN: tripy-compile %t/even-seams.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=EVEN
// RUN: tripy-compile %t/slice.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=SLICE
// RUN: tripy-compile %t/pad-planes.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=PLANES
// RUN: tripy-compile %t/pad-rows.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=BORDER
// RUN: tripy-compile %t/units.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=UNITS
// RUN: tripy-compile %t/permuted-rows.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=ROWS
// RUN: tripy-compile %t/outer.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=OUTER
// RUN: tripy-compile %t/odd-outer.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=ODDOUTER
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

// 14 x 14 elements of a channel: at most one ends within a vector, and two numbers of channels are enough.

// CHANNELS: .entry
// CHANNELS-COUNT-2: ld.global{{.*}}b16
// CHANNELS: ld.global{{.*}}v4.b32
// CHANNELS-NOT: ld.global
// CHANNELS: st.global.v4.b32
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

// Of a padded row, each element is loaded where its column says, from the row that the run begins in or from the next one; a
// border is in no register but the one that is loaded.

// PAD: .entry
// PAD-COUNT-8: @%p{{[0-9]+}} ld.global.nc.b16
// PAD-NOT: bra
// PAD: st.global.v4.b32
// PAD: ret;

//--- pad.mlir
func.func @main(%a: tensor<512x49xf16> {tripy.name = "a"}) -> (tensor<512x51xf16> {tripy.name = "y"}) {
  %y = trace.pad %a low [0, 1] high [0, 1] value = 0.0 : f16 : (tensor<512x49xf16>) -> tensor<512x51xf16>
  return %y : tensor<512x51xf16>
}

// The dimensions of a mask are joined: 28 elements hold vectors of 8 bytes.

// MASK: .entry
// MASK-DAG: ld.global{{.*}}v4.b32
// MASK-DAG: ld.global{{.*}}v2.b32
// MASK-NOT: b16
// MASK: ret;

//--- mask.mlir
func.func @main(%a: tensor<512x2x14xf16> {tripy.name = "a"}, %b: tensor<1x2x14xf16> {tripy.name = "b"}) -> (tensor<512x2x14xf16> {tripy.name = "y"}) {
  %y = trace.mul %a, %b : (tensor<512x2x14xf16>, tensor<1x2x14xf16>) -> tensor<512x2x14xf16>
  return %y : tensor<512x2x14xf16>
}

// Rows of whole vectors with seams at even places: loads of 4 bytes.

// EVEN: .entry
// EVEN-COUNT-4: ld.global{{.*}}b32
// EVEN-NOT: ld.global
// EVEN: st.global.v4.b32
// EVEN-NOT: st.global
// EVEN: ret;

//--- even-seams.mlir
func.func @main(%a: tensor<512x62xf16> {tripy.name = "a"}, %b: tensor<512x2xf16> {tripy.name = "b"}) -> (tensor<512x64xf16> {tripy.name = "y"}) {
  %y = trace.concatenate %a, %b dim = 1 : (tensor<512x62xf16>, tensor<512x2xf16>) -> tensor<512x64xf16>
  return %y : tensor<512x64xf16>
}

// The rows of a slice are those of its source from the cut dimension on: 252 x 28 x 28 elements at a multiple of 8.

// SLICE: .entry
// SLICE-COUNT-1: ld.global{{.*}}v4.b32
// SLICE-NOT: ld.global
// SLICE: st.global.v4.b32
// SLICE: ret;

//--- slice.mlir
func.func @main(%a: tensor<32x256x28x28xbf16> {tripy.name = "a"}) -> (tensor<32x252x28x28xbf16> {tripy.name = "y"}) {
  %y = trace.slice %a [0, 4, 0, 0] to [32, 256, 28, 28] by [1, 1, 1, 1] : (tensor<32x256x28x28xbf16>) -> tensor<32x252x28x28xbf16>
  return %y : tensor<32x252x28x28xbf16>
}

// Two padded dimensions: loads without a branch between them. Most planes' rows are the tensor's: no branch skips those of the border.

// PLANES: .entry
// PLANES: bra
// PLANES-NOT: bra
// PLANES-COUNT-8: @%p{{[0-9]+}} ld.global.nc.b16
// PLANES-NOT: bra
// PLANES: st.global.v4.b32
// PLANES: ret;

//--- pad-planes.mlir
func.func @main(%a: tensor<64x64x64xf16> {tripy.name = "a"}) -> (tensor<64x74x77xf16> {tripy.name = "y"}) {
  %y = trace.pad %a low [0, 6, 5] high [0, 4, 8] value = 0.0 : f16 : (tensor<64x64x64xf16>) -> tensor<64x74x77xf16>
  return %y : tensor<64x74x77xf16>
}

// Most rows are border: runs without a row of the tensor skip the loads.

// BORDER: .entry
// BORDER: bra
// BORDER: bra
// BORDER-COUNT-8: @%p{{[0-9]+}} ld.global.nc.b16
// BORDER: st.global.v4.b32

//--- pad-rows.mlir
func.func @main(%a: tensor<64x64x64xf16> {tripy.name = "a"}) -> (tensor<64x174x77xf16> {tripy.name = "y"}) {
  %y = trace.pad %a low [0, 56, 5] high [0, 54, 8] value = 0.0 : f16 : (tensor<64x64x64xf16>) -> tensor<64x174x77xf16>
  return %y : tensor<64x174x77xf16>
}

// Moving a dimension of one element is a copy.

// UNITS: .entry
// UNITS-COUNT-1: ld.global{{.*}}v4.b32
// UNITS-NOT: ld.global
// UNITS: st.global.v4.b32

//--- units.mlir
func.func @main(%a: tensor<1x19x1000x24xf32> {tripy.name = "a"}) -> (tensor<19x1000x24x1xf32> {tripy.name = "y"}) {
  %y = trace.permute %a [1, 2, 3, 0] : (tensor<1x19x1000x24xf32>) -> tensor<19x1000x24x1xf32>
  return %y : tensor<19x1000x24x1xf32>
}

// Rows of 1437 elements in another order: whole vectors go through shared memory, and single elements are stored where a row ends.

// ROWS: .entry
// ROWS: ld.global{{.*}}v4.b32
// ROWS: st.shared.v4.b32
// ROWS: bar.sync
// ROWS: st.global.v4.b32
// ROWS: ret;

//--- permuted-rows.mlir
func.func @main(%a: tensor<19x280x1437xf32> {tripy.name = "a"}) -> (tensor<280x19x1437xf32> {tripy.name = "y"}) {
  %y = trace.permute %a [1, 0, 2] : (tensor<19x280x1437xf32>) -> tensor<280x19x1437xf32>
  return %y : tensor<280x19x1437xf32>
}

// Nearly all bytes are written: a thread has two vectors.

// OUTER: .entry
// OUTER-COUNT-2: st.global.v4.b32
// OUTER: ret;

//--- outer.mlir
func.func @main(%a: tensor<6144x1xf32> {tripy.name = "a"}, %b: tensor<1x1024xf32> {tripy.name = "b"}) -> (tensor<6144x1024xf32> {tripy.name = "y"}) {
  %y = trace.mul %a, %b : (tensor<6144x1xf32>, tensor<1x1024xf32>) -> tensor<6144x1024xf32>
  return %y : tensor<6144x1024xf32>
}

// The same of odd rows, of which a vector has the end of one and the begin of the next; the elements behind the last vector are single.

// ODDOUTER: .entry
// ODDOUTER-COUNT-2: st.global.v4.b32
// ODDOUTER: st.global.b32
// ODDOUTER: ret;

//--- odd-outer.mlir
func.func @main(%a: tensor<613x1xf32> {tripy.name = "a"}, %b: tensor<1x10007xf32> {tripy.name = "b"}) -> (tensor<613x10007xf32> {tripy.name = "y"}) {
  %y = trace.mul %a, %b : (tensor<613x1xf32>, tensor<1x10007xf32>) -> tensor<613x10007xf32>
  return %y : tensor<613x10007xf32>
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

// Seams that are rare: runs of one input have a branch of their own, with words that elements are shifted out of.

// RUN: tripy-compile %t/rare-seams.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=RARE
// RARE: .entry
// RARE-DAG: ld.global.b32
// RARE-DAG: shf.r
// RARE: st.global.v4.b32
// RARE-NOT: st.global
// RARE: ret;

//--- rare-seams.mlir
func.func @main(%a: tensor<512x2000xf16> {tripy.name = "a"}, %b: tensor<512x35xf16> {tripy.name = "b"}) -> (tensor<512x2035xf16> {tripy.name = "y"}) {
  %y = trace.concatenate %a, %b dim = 1 : (tensor<512x2000xf16>, tensor<512x35xf16>) -> tensor<512x2035xf16>
  return %y : tensor<512x2035xf16>
}
