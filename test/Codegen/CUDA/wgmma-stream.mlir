// Stream-K: the work of the last tiles in equal shares.
// RUN: split-file %s %t
// RUN: tripy-compile %t/chosen.mlir --target=cuda --gemm-tile=128x256,stream --stop-after=plan -o - | FileCheck %t/chosen.mlir
// RUN: tripy-compile %t/chosen.mlir --target=cuda --gemm-tile=128x256,stream --stop-after=ptx -o - | FileCheck %t/chosen.mlir --check-prefix=PTX
// RUN: tripy-compile %t/chosen.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/chosen.mlir --check-prefix=FEW
// RUN: tripy-compile %t/little.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/little.mlir
// RUN: tripy-compile %t/two.mlir --target=cuda --gemm-tile=64x64,stream --stop-after=plan -o - | FileCheck %t/two.mlir
// RUN: tripy-compile %t/two.mlir --target=cuda --gemm-tile=128x64,cluster=2,stream --stop-after=kernels -o - | FileCheck %t/two.mlir --check-prefix=CLUSTER
// RUN: not tripy-compile %t/dynamic.mlir --target=cuda --gemm-tile=64x64,stream --stop-after=kernels -o - 2>&1 | FileCheck %t/dynamic.mlir
// RUN: not tripy-compile %t/whole.mlir --target=cuda --gemm-tile=128x256,stream --stop-after=kernels -o - 2>&1 | FileCheck %t/whole.mlir
// RUN: not tripy-compile %t/whole.mlir --target=cuda --gemm-tile=128x128,pingpong,stream --stop-after=kernels -o - 2>&1 | FileCheck %t/whole.mlir --check-prefix=BAD

//--- chosen.mlir
// 136 tiles: a second wave of four of them would take as long as the first.
// Every block has a place of 128 KiB for sums, and a flag for each consumer.
// The flags lie behind the rest of the arena.
// CHECK: %[[SUMS:.*]] = kernel.buffer arena 0 size = 17301504
// CHECK: %[[FLAGS:.*]] = kernel.buffer zeroed 0 offset = 17301504 size = 1056
// CHECK: kernel.launch @{{.*}} grid(%[[C132:.*]], %{{.*}}, %{{.*}}) buffers(%{{.*}}, %{{.*}}, %{{.*}}, %[[SUMS]], %[[FLAGS]]) {{.*}} written = 3
// CHECK: kernel.func
// CHECK-SAME: grid = () -> (132, 1, 1), block = [384, 1, 1], cluster = [1, 1, 1], {{.*}} workspace = [17301504, 1056], tensor_maps

// Nothing before the wait for the predecessor. Sums are written 16 bytes at a
// time; the flag is raised behind them, when all threads are done. The owner
// looks at a flag, clears it, and all its threads read the sums.
// PTX: griddepcontrol.wait
// PTX-COUNT-32: st.global.v4
// PTX-NEXT: bar.sync
// PTX-COUNT-32: ld.global.v4
// PTX-DAG: fence.acq_rel.gpu;
// PTX-DAG: st.release.gpu.global.u32 [{{.*}}], 1;
// PTX-DAG: ld.acquire.gpu.global.u32 flag
// PTX-DAG: st.relaxed.gpu.global.u32 [{{.*}}], 0;
// PTX-NOT: .local
//
// The model takes tiles that fill two waves instead: blocks at different places of K share no reads.
// FEW: kernel.func
// FEW-NOT: workspace
func.func @main(%x: tensor<2176x8192xf16>, %w: tensor<2048x8192xf16>) -> tensor<2176x2048xf16> {
  %y = trace.linear %x, %w : (tensor<2176x8192xf16>, tensor<2048x8192xf16>) -> tensor<2176x2048xf16>
  return %y : tensor<2176x2048xf16>
}

//--- little.mlir
// The last of 15.5 waves: less than three hundredths, so that K stays whole.
// CHECK: kernel.func
// CHECK-NOT: workspace
func.func @main(%x: tensor<8192x8192xf16>, %w: tensor<8192x8192xf16>) -> tensor<8192x8192xf16> {
  %y = trace.linear %x, %w : (tensor<8192x8192xf16>, tensor<8192x8192xf16>) -> tensor<8192x8192xf16>
  return %y : tensor<8192x8192xf16>
}

//--- two.mlir
// Kernels follow each other: their flags are the same bytes, which each leaves
// zero. So few k-blocks make fewer shares than there are multiprocessors.
// CHECK: %[[FLAGS:.*]] = kernel.buffer zeroed 0 offset = {{[0-9]+}} size = 528
// CHECK-NOT: kernel.buffer zeroed
// CHECK: kernel.launch {{.*}}, %[[FLAGS]]) {{.*}} written = 3
// CHECK-NOT: kernel.buffer zeroed
// CHECK: kernel.launch {{.*}}, %[[FLAGS]]) {{.*}} written = 3 overlaps
// CHECK: grid = () -> (132, 1, 1), {{.*}} workspace = [2162688, 528]
// CHECK: grid = () -> (33, 1, 1), {{.*}} workspace = [540672, 132]

// A share is a cluster's: each of its blocks has sums and flags of its own.
// CLUSTER: grid = () -> (26, 1, 1), block = [384, 1, 1], cluster = [2, 1, 1], {{.*}} workspace = [851968, 208]
func.func @main(%x: tensor<300x1024xf16>, %w: tensor<520x1024xf16>, %v: tensor<136x520xf16>) -> tensor<300x136xf16> {
  %y = trace.linear %x, %w : (tensor<300x1024xf16>, tensor<520x1024xf16>) -> tensor<300x520xf16>
  %z = trace.linear %y, %v : (tensor<300x520xf16>, tensor<136x520xf16>) -> tensor<300x136xf16>
  return %z : tensor<300x136xf16>
}

//--- dynamic.mlir
// Shares are cut when the kernel is compiled.
// CHECK: error: the tile that is asked for, 64x64,stream, is illegal: with stream-K, all sizes are static
func.func @main(%x: tensor<?x1024xf16> {tripy.profile = #tripy.profile<min = [1, 1024], opt = [300, 1024], max = [4096, 1024]>}, %w: tensor<200x1024xf16>) -> tensor<?x200xf16> {
  %y = trace.linear %x, %w : (tensor<?x1024xf16>, tensor<200x1024xf16>) -> tensor<?x200xf16>
  return %y : tensor<?x200xf16>
}

//--- whole.mlir
// 264 tiles are two waves already.
// CHECK: error: the tile that is asked for, 128x256,stream, is illegal: with stream-K, the tiles are not a whole number of waves
// BAD: error: a tile must be such as
func.func @main(%x: tensor<4224x1024xf16>, %w: tensor<2048x1024xf16>) -> tensor<4224x2048xf16> {
  %y = trace.linear %x, %w : (tensor<4224x1024xf16>, tensor<2048x1024xf16>) -> tensor<4224x2048xf16>
  return %y : tensor<4224x2048xf16>
}
