// Tiles of a dynamic number of rows are found without quotients that the
// assembler makes calls of: calls would serialise the matrix instructions.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s

// CHECK: .visible .entry main_gemm
// CHECK-NOT: {{div|rem}}.{{[us]}}{{16|64}}
// CHECK: wgmma.mma_async
// CHECK-NOT: {{div|rem}}.{{[us]}}{{16|64}}
func.func @main(%x: tensor<?x1024xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [0, 1024], opt = [4096, 1024], max = [4096, 1024]>},
    %w: tensor<4096x1024xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x1024xf16>, tensor<4096x1024xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
