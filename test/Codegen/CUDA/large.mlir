// Tensors of more than 2^32 elements. No emitter cuts an index to 32 bits, but (by index_castui) those that are below 2^32
// as the sizes say; the grids hold all elements.

// RUN: tripy-compile %s --target=cuda --function=flat --stop-after=kernels | FileCheck %s --check-prefix=FLAT --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=flat -o %t.tpx
// FLAT: kernel.func @flat_loop_0{{.*}}grid = () -> (2097153, 1, 1)
func.func @flat(%x: tensor<4294967299xf16>) -> tensor<4294967299xf16> {
  %0 = trace.exp %x : (tensor<4294967299xf16>) -> tensor<4294967299xf16>
  return %0 : tensor<4294967299xf16>
}

// RUN: tripy-compile %s --target=cuda --function=permuted --stop-after=kernels | FileCheck %s --check-prefix=PERMUTED --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=permuted -o %t.tpx
// PERMUTED: kernel.func @permuted_loop_0
func.func @permuted(%x: tensor<3x1431655766xi1>) -> tensor<1431655766x3xi1> {
  %0 = trace.permute %x [1, 0] : (tensor<3x1431655766xi1>) -> tensor<1431655766x3xi1>
  return %0 : tensor<1431655766x3xi1>
}

// RUN: tripy-compile %s --target=cuda --function=tiles --stop-after=kernels | FileCheck %s --check-prefix=TILES --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=tiles -o %t.tpx
// TILES: kernel.func @tiles_loop_0
func.func @tiles(%x: tensor<64x4294967299xi1>) -> tensor<4294967299x64xi1> {
  %0 = trace.permute %x [1, 0] : (tensor<64x4294967299xi1>) -> tensor<4294967299x64xi1>
  return %0 : tensor<4294967299x64xi1>
}

// RUN: tripy-compile %s --target=cuda --function=rows --stop-after=kernels | FileCheck %s --check-prefix=ROWS --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=rows -o %t.tpx
// ROWS: kernel.func @rows_row_0{{.*}}grid = () -> (8388609, 1, 1)
func.func @rows(%x: tensor<4294967299x2xf16>) -> tensor<4294967299x2xf16> {
  %0 = trace.softmax %x dim = 1 : (tensor<4294967299x2xf16>) -> tensor<4294967299x2xf16>
  return %0 : tensor<4294967299x2xf16>
}

// RUN: tripy-compile %s --target=cuda --function=longrows --stop-after=kernels | FileCheck %s --check-prefix=LONGROWS --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=longrows -o %t.tpx
// LONGROWS: kernel.func @longrows_row_0{{.*}}grid = () -> (16, 1, 1)
// Blocks of a cluster are numbered in 32 bits.
// LONGROWS: index to i32
// LONGROWS-NEXT: nvvm.mapa
// LONGROWS: index to i32
// LONGROWS-NEXT: nvvm.mapa
// LONGROWS: index to i32
// LONGROWS-NEXT: nvvm.mapa
// LONGROWS: index to i32
// LONGROWS-NEXT: nvvm.mapa
func.func @longrows(%x: tensor<2x4294967299xf16>) -> tensor<2x4294967299xf16> {
  %0 = trace.softmax %x dim = 1 : (tensor<2x4294967299xf16>) -> tensor<2x4294967299xf16>
  return %0 : tensor<2x4294967299xf16>
}

// RUN: tripy-compile %s --target=cuda --function=columns --stop-after=kernels | FileCheck %s --check-prefix=COLUMNS
// RUN: tripy-compile %s --target=cuda --function=columns -o %t.tpx
// COLUMNS: kernel.func @columns_reduce_0
func.func @columns(%x: tensor<2x4294967299xf16>) -> tensor<4294967299xf16> {
  %0 = trace.sum %x dims = [0] : (tensor<2x4294967299xf16>) -> tensor<4294967299xf16>
  return %0 : tensor<4294967299xf16>
}

// RUN: tripy-compile %s --target=cuda --function=scan --stop-after=kernels | FileCheck %s --check-prefix=SCAN --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=scan -o %t.tpx
// SCAN: kernel.func @scan_scan_0{{.*}}grid = () -> (16777217, 1, 1)
func.func @scan(%x: tensor<2x4294967299xf16>) -> tensor<2x4294967299xf16> {
  %0 = trace.cumsum %x dim = 0 : (tensor<2x4294967299xf16>) -> tensor<2x4294967299xf16>
  return %0 : tensor<2x4294967299xf16>
}

// RUN: tripy-compile %s --target=cuda --function=gathered --stop-after=kernels | FileCheck %s --check-prefix=GATHERED --implicit-check-not="index_cast %{{[0-9]+}} : index to i32"
// RUN: tripy-compile %s --target=cuda --function=gathered -o %t.tpx
// GATHERED: kernel.func @gathered_loop_0
func.func @gathered(%x: tensor<1000x2xf16>, %i: tensor<4294967299xi32>) -> tensor<4294967299x2xf16> {
  %0 = trace.gather %x, %i dim = 0 : (tensor<1000x2xf16>, tensor<4294967299xi32>) -> tensor<4294967299x2xf16>
  return %0 : tensor<4294967299x2xf16>
}
