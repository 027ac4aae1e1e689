// RUN: split-file %s %t
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=ROWS
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %s --check-prefix=ALONE
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tripy-compile %t/columns.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=COLUMNS
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s --check-prefix=MANY

// Few long rows: the 8 blocks of a cluster have a part of each. They read it twice, by vectors.
// ROWS: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (16, 1, 1), block = [256, 1, 1], cluster = [8, 1, 1]
// ALONE: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (2, 1, 1), block = [256, 1, 1]
// PTX: .entry
// PTX-COUNT-4: ld.global{{.*}}v4.b32
// PTX: barrier.cluster
// PTX-DAG: ld.global{{.*}}v4.b32
// PTX-DAG: st.global{{.*}}v4.b32

//--- rows.mlir
func.func @main(%a: tensor<2x262144xf32> {tripy.name = "a"}) -> (tensor<2x262144xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<2x262144xf32>) -> tensor<2x262144xf32>
  return %0 : tensor<2x262144xf32>
}

// 4096 columns are few: 8 threads have each, 32 columns are a block.
// COLUMNS: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (128, 1, 1), block = [256, 1, 1]
// COLUMNS: gpu.barrier

//--- columns.mlir
func.func @main(%a: tensor<4x1000x1024xf32> {tripy.name = "a"}) -> (tensor<4x1000x1024xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<4x1000x1024xf32>) -> tensor<4x1000x1024xf32>
  return %0 : tensor<4x1000x1024xf32>
}

// A thread for each column, where they fill the device.
// MANY: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (1024, 1, 1), block = [256, 1, 1]
// MANY-NOT: gpu.barrier

//--- many.mlir
func.func @main(%a: tensor<100x262144xf32> {tripy.name = "a"}) -> (tensor<100x262144xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<100x262144xf32>) -> tensor<100x262144xf32>
  return %0 : tensor<100x262144xf32>
}
