// RUN: split-file %s %t
// RUN: tripy-compile %t/repeated.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=REPEATED
// RUN: tripy-compile %t/heads.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=HEADS
// RUN: tripy-compile %t/column.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=COLUMN
// RUN: tripy-compile %t/even.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=EVEN
// RUN: tripy-compile %t/large.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=LARGE

// Sizes are numbers of 32 bits. The one division by them is in front of the wait; what is behind divides the few elements after the
// last whole vector, in each of three versions.

// REPEATED: cvt.u32.u64
// REPEATED: rem.u32
// REPEATED-NOT: rem.u
// REPEATED: griddepcontrol.wait
// REPEATED-NOT: rem.u
// REPEATED-NOT: div.u
// REPEATED: ld.global{{.*}}.v4.b32
// REPEATED-COUNT-3: div.u32
// REPEATED-NOT: div.u

//--- repeated.mlir
func.func @main(%a: tensor<4x15x?xf16> {tripy.name = "a", tripy.dims = ["", "", "n"], tripy.profile = #tripy.profile<min = [4, 15, 1], opt = [4, 15, 3072], max = [4, 15, 6144]>},
    %b: tensor<15x?xf16> {tripy.name = "b", tripy.dims = ["", "n"], tripy.profile = #tripy.profile<min = [15, 1], opt = [15, 3072], max = [15, 6144]>})
    -> (tensor<4x15x?xf16> {tripy.name = "y"}) {
  %y = trace.sub %a, %b : (tensor<4x15x?xf16>, tensor<15x?xf16>) -> tensor<4x15x?xf16>
  return %y : tensor<4x15x?xf16>
}

// Rows of any length in another order: an element is in the row that its run begins in or in the next one, and the address is
// chosen from two, a constant behind which it lies.

// HEADS: griddepcontrol.wait
// HEADS-NOT: div.u64
// HEADS: setp.lt.u32 {{.*}}, 6;
// HEADS-NEXT: setp.lt.u32 {{.*}}, 7;
// HEADS-NEXT: setp.lt.u32 %[[END:p[0-9]+]], {{.*}}, 8;
// HEADS: selp.b64 %[[AT:rd[0-9]+]], {{.*}}, %[[END]];
// HEADS-NEXT: ld.global.b16 {{.*}}, [%[[AT]]+14];
// HEADS: st.global.v4.b32

//--- heads.mlir
func.func @main(%a: tensor<32x150x6x?xf16> {tripy.name = "a", tripy.dims = ["", "", "", "n"], tripy.profile = #tripy.profile<min = [32, 150, 6, 8], opt = [32, 150, 6, 64], max = [32, 150, 6, 256]>})
    -> (tensor<32x6x150x?xf16> {tripy.name = "y"}) {
  %y = trace.permute %a [0, 2, 1, 3] : (tensor<32x150x6x?xf16>) -> tensor<32x6x150x?xf16>
  return %y : tensor<32x6x150x?xf16>
}

// Only a dimension of one element moves: the elements keep their order, and there is one version, of vectors.

// COLUMN-NOT: div.u
// COLUMN: griddepcontrol.wait
// COLUMN: ld.global.v4.b32
// COLUMN-NEXT: st.global.v4.b32
// COLUMN-NOT: .v4.b32

//--- column.mlir
func.func @main(%a: tensor<?x1xf32> {tripy.name = "a", tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 1], opt = [100000, 1], max = [200000, 1]>})
    -> (tensor<1x?xf32> {tripy.name = "y"}) {
  %y = trace.permute %a [1, 0] : (tensor<?x1xf32>) -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// 1280 x 7 x 7 elements are whole vectors, whatever the batch: nothing is left behind the last one.

// EVEN: st.global.v4.b32
// EVEN-NOT: st.global
// EVEN: ret;

//--- even.mlir
func.func @main(%a: tensor<?x1280x7x7xf32> {tripy.name = "a", tripy.dims = ["n", "", "", ""], tripy.profile = #tripy.profile<min = [1, 1280, 7, 7], opt = [8, 1280, 7, 7], max = [16, 1280, 7, 7]>},
    %b: tensor<?x1280x1x1xf32> {tripy.name = "b", tripy.dims = ["n", "", "", ""], tripy.profile = #tripy.profile<min = [1, 1280, 1, 1], opt = [8, 1280, 1, 1], max = [16, 1280, 1, 1]>})
    -> (tensor<?x1280x7x7xf32> {tripy.name = "y"}) {
  %y = trace.mul %a, %b : (tensor<?x1280x7x7xf32>, tensor<?x1280x1x1xf32>) -> tensor<?x1280x7x7xf32>
  return %y : tensor<?x1280x7x7xf32>
}

// More elements than 2^32: places have 64 bits.

// LARGE: rem.u64
// LARGE: griddepcontrol.wait

//--- large.mlir
func.func @main(%a: tensor<65536x?xi8> {tripy.name = "a", tripy.dims = ["", "n"], tripy.profile = #tripy.profile<min = [65536, 1], opt = [65536, 1024], max = [65536, 131072]>},
    %b: tensor<?xi8> {tripy.name = "b", tripy.dims = ["n"], tripy.profile = #tripy.profile<min = [1], opt = [1024], max = [131072]>})
    -> (tensor<65536x?xi8> {tripy.name = "y"}) {
  %y = trace.add %a, %b : (tensor<65536x?xi8>, tensor<?xi8>) -> tensor<65536x?xi8>
  return %y : tensor<65536x?xi8>
}
