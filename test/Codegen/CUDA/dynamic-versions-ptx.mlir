// RUN: split-file %s %t
// RUN: tripy-compile %t/turned.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=TURNED
// RUN: tripy-compile %t/ahead.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=AHEAD
// RUN: tripy-compile %t/joined.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=JOINED
// RUN: tripy-compile %t/rows.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=ROWS

// Tiles are those of the expected sizes, 32 x 32 by 128 threads; one barrier in each of the versions for vectors, for words and for
// elements, and one more in each for tiles that go over the ends of a side. The tile that a block has is computed in
// front of the wait, by one division for all of them.

// TURNED: .entry main_loop_0_add_193_to_689(
// TURNED: .maxntid 128
// TURNED: div.u32
// TURNED-NOT: div.u
// TURNED: griddepcontrol.wait
// TURNED-NOT: div.u
// TURNED-NOT: rem.u
// TURNED-COUNT-6: bar.sync
// TURNED-NOT: bar.sync
// TURNED: .entry

//--- turned.mlir
func.func @main(%a: tensor<784x?xf16> {tripy.name = "a", tripy.dims = ["", "n"], tripy.profile = #tripy.profile<min = [784, 1], opt = [784, 192], max = [784, 768]>},
    %b: tensor<?x784xf16> {tripy.name = "b", tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 784], opt = [192, 784], max = [768, 784]>})
    -> (tensor<784x?xf16> {tripy.name = "y"}) {
  %t = trace.permute %b [1, 0] : (tensor<?x784xf16>) -> tensor<784x?xf16>
  %y = trace.add %a, %t : (tensor<784x?xf16>, tensor<784x?xf16>) -> tensor<784x?xf16>
  return %y : tensor<784x?xf16>
}

// What does not go through the tile is loaded along with it, in front of the barrier.

// AHEAD-COUNT-8: ld.global
// AHEAD: bar.sync
// AHEAD-NOT: ld.global
// AHEAD: ret;

//--- ahead.mlir
func.func @main(%a: tensor<4096x200xf32> {tripy.name = "a"}, %b: tensor<200x4096xf32> {tripy.name = "b"}) -> (tensor<4096x200xf32> {tripy.name = "y"}) {
  %t = trace.permute %b [1, 0] : (tensor<200x4096xf32>) -> tensor<4096x200xf32>
  %y = trace.add %a, %t : (tensor<4096x200xf32>, tensor<4096x200xf32>) -> tensor<4096x200xf32>
  return %y : tensor<4096x200xf32>
}

// 40 x n is one dimension on both sides: it is not divided into two in order to store.

// JOINED: .entry main_loop_0_transpose_6_to_119(
// JOINED-COUNT-4: bar.sync
// JOINED-NOT: div.u
// JOINED: .entry

//--- joined.mlir
func.func @main(%a: tensor<32x110x40x?xf32> {tripy.name = "a", tripy.dims = ["", "", "", "n"], tripy.profile = #tripy.profile<min = [32, 110, 40, 1], opt = [32, 110, 40, 128], max = [32, 110, 40, 256]>})
    -> (tensor<32x40x?x110xf32> {tripy.name = "y"}) {
  %y = trace.permute %a [0, 2, 3, 1] : (tensor<32x110x40x?xf32>) -> tensor<32x40x?x110xf32>
  return %y : tensor<32x40x?x110xf32>
}

// A broadcast operand is read once where rows are whole vectors, twice in the two versions of rows that end within a run at most
// once, and for each of 8 elements in that of shorter rows; the rest of a run, of three versions, has one element of either operand.

// ROWS-COUNT-19: ld.global{{.*}}.b16
// ROWS-NOT: ld.global{{.*}}.b16
// ROWS: ret;

//--- rows.mlir
func.func @main(%a: tensor<8x384x14x?xf16> {tripy.name = "a", tripy.dims = ["", "", "", "n"], tripy.profile = #tripy.profile<min = [8, 384, 14, 1], opt = [8, 384, 14, 14], max = [8, 384, 14, 56]>},
    %b: tensor<8x1x14x1xf16> {tripy.name = "b"}) -> (tensor<8x384x14x?xf16> {tripy.name = "y"}) {
  %y = trace.sub %a, %b : (tensor<8x384x14x?xf16>, tensor<8x1x14x1xf16>) -> tensor<8x384x14x?xf16>
  return %y : tensor<8x384x14x?xf16>
}

// Offsets that the profile keeps below 2^32 are divided as numbers of 32 bits, once for the prefetch and the load. What the first
// blocks read is brought to the L2 cache before what runs in front of them has ended, as of static sizes.

// RUN: tripy-compile %t/narrow.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=NARROW
// RUN: sed 's/max = .3152/max = [315200000/' %t/narrow.mlir | tripy-compile - -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=WIDE
// NARROW-NOT: mul.hi.u64
// NARROW: mul.hi.u32
// NARROW: prefetch.global.L2
// NARROW-NOT: mul.hi
// NARROW: griddepcontrol.wait
// NARROW-NOT: mul.hi
// WIDE: mul.hi.u64

//--- narrow.mlir
func.func @main(%x: tensor<?x2304xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 2304], opt = [3152, 2304], max = [3152, 2304]>}) -> (tensor<?x768xf16> {tripy.name = "y"}) {
  %y, %z, %w = trace.split %x dim = 1 sizes = [768, 768, 768] : (tensor<?x2304xf16>) -> (tensor<?x768xf16>, tensor<?x768xf16>, tensor<?x768xf16>)
  return %y : tensor<?x768xf16>
}
