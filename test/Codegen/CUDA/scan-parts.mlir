// RUN: split-file %s %t
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=ROWS
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %s --check-prefix=ROWS80
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tripy-compile %t/ragged.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=RAGGED
// RUN: tripy-compile %t/three.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=THREE
// RUN: tripy-compile %t/columns.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=COLUMNS
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=MANY

// Few long rows: 128 blocks have a part of each, two tiles of 8 KB. They read it twice, by vectors, and wait for the sums of
// the parts before it: no clusters, so GPUs of any kind.
// ROWS: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (256, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [16, {{[0-9]+}}]>
// ROWS80: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (256, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
// PTX: .entry
// PTX: atom.acq_rel.gpu.global.inc.u32
// PTX-COUNT-2: ld.global{{.*}}v4.b32
// PTX: st.relaxed.gpu.global.u64
// PTX: ld.relaxed.gpu.global.u64
// PTX-COUNT-2: ld.global{{.*}}v4.b32
// PTX-COUNT-2: st.global{{.*}}v4.b32

//--- rows.mlir
func.func @main(%a: tensor<2x262144xf32> {tripy.name = "a"}) -> (tensor<2x262144xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<2x262144xf32>) -> tensor<2x262144xf32>
  return %0 : tensor<2x262144xf32>
}

// 4096 short columns are few: 8 threads have each, 32 columns are a block.
// COLUMNS: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (128, 1, 1), block = [256, 1, 1]
// COLUMNS: gpu.barrier

//--- columns.mlir
func.func @main(%a: tensor<4x200x1024xf32> {tripy.name = "a"}) -> (tensor<4x200x1024xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<4x200x1024xf32>) -> tensor<4x200x1024xf32>
  return %0 : tensor<4x200x1024xf32>
}

// A thread for each column, where they fill the device.
// MANY: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (1024, 1, 1), block = [256, 1, 1]
// MANY-NOT: gpu.barrier

//--- many.mlir
func.func @main(%a: tensor<100x262144xf32> {tripy.name = "a"}) -> (tensor<100x262144xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<100x262144xf32>) -> tensor<100x262144xf32>
  return %0 : tensor<100x262144xf32>
}

// Rows of any length are vectors: one block's elements are single at the ends alone.
// RAGGED: ld.global{{.*}}v4.b32
// RAGGED: st.global{{.*}}v4.b32

//--- ragged.mlir
func.func @main(%a: tensor<?x?xf16> {tripy.name = "a", tripy.dims = ["m", "n"], tripy.profile = #tripy.profile<min = [1, 1], opt = [2, 100001], max = [9, 1000000]>}) -> (tensor<?x?xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// So are three columns that lie together: eight steps of a thread are three vectors.
// THREE: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (489, 1, 1), block = [256, 1, 1]

//--- three.mlir
func.func @main(%a: tensor<1000000x3xf16> {tripy.name = "a"}) -> (tensor<1000000x3xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<1000000x3xf16>) -> tensor<1000000x3xf16>
  return %0 : tensor<1000000x3xf16>
}
