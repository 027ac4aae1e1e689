// Keys and values whose heads were repeated, one for each head of queries, are read as they were: kernels share heads. Written
// as expand and reshape, with sizes known at run time only as well, and as repeat.
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-form-dispatches="tensor-cores=1 chip=sm_90a" --kernel-outline --flatir-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @expanded(
// CHECK: kernel.call @expanded_attention_0_attention(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x32x100x64xf16>, tensor<1x8x100x64xf16>, tensor<1x8x100x64xf16>)
func.func @expanded(%q: tensor<1x32x100x64xf16>, %k: tensor<1x8x100x64xf16>, %v: tensor<1x8x100x64xf16>) -> tensor<1x32x100x64xf16> {
  %k1 = trace.unsqueeze %k dim = 2 : (tensor<1x8x100x64xf16>) -> tensor<1x8x1x100x64xf16>
  %k2 = trace.expand %k1 to [1, 8, 4, 100, 64] : (tensor<1x8x1x100x64xf16>) -> tensor<1x8x4x100x64xf16>
  %k3 = trace.reshape %k2 to [1, 32, 100, 64] : (tensor<1x8x4x100x64xf16>) -> tensor<1x32x100x64xf16>
  %v1 = trace.unsqueeze %v dim = 2 : (tensor<1x8x100x64xf16>) -> tensor<1x8x1x100x64xf16>
  %v2 = trace.expand %v1 to [1, 8, 4, 100, 64] : (tensor<1x8x1x100x64xf16>) -> tensor<1x8x4x100x64xf16>
  %v3 = trace.reshape %v2 to [1, 32, 100, 64] : (tensor<1x8x4x100x64xf16>) -> tensor<1x32x100x64xf16>
  %y = trace.attention %q, %k3, %v3 : (tensor<1x32x100x64xf16>, tensor<1x32x100x64xf16>, tensor<1x32x100x64xf16>) -> tensor<1x32x100x64xf16>
  return %y : tensor<1x32x100x64xf16>
}

// -----

// CHECK-LABEL: func.func @dynamic(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)
func.func @dynamic(%q: tensor<?x8x?x64xf16> {tripy.dims = ["b", "", "n", ""]}, %k: tensor<?x2x?x64xf16> {tripy.dims = ["b", "", "n", ""]}) -> tensor<?x8x?x64xf16> {
  %b = trace.dim %q dim = 0 : (tensor<?x8x?x64xf16>) -> index
  %n = trace.dim %q dim = 2 : (tensor<?x8x?x64xf16>) -> index
  %k1 = trace.unsqueeze %k dim = 2 : (tensor<?x2x?x64xf16>) -> tensor<?x2x1x?x64xf16>
  %k2 = trace.expand %k1 to [%b, 2, 4, %n, 64] : (tensor<?x2x1x?x64xf16>) -> tensor<?x2x4x?x64xf16>
  %k3 = trace.reshape %k2 to [%b, 8, %n, 64] : (tensor<?x2x4x?x64xf16>) -> tensor<?x8x?x64xf16>
  %y = trace.attention %q, %k3, %k3 : (tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>) -> tensor<?x8x?x64xf16>
  return %y : tensor<?x8x?x64xf16>
}

// -----

// CHECK-LABEL: func.func @repeated(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x6x10x64xf16>, tensor<2x2x10x64xf16>, tensor<2x2x10x64xf16>)
func.func @repeated(%q: tensor<2x6x10x64xf16>, %k: tensor<2x2x10x64xf16>, %v: tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16> {
  %k3 = trace.repeat %k by [1, 3, 1, 1] : (tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16>
  %v3 = trace.repeat %v by [1, 3, 1, 1] : (tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16>
  %y = trace.attention %q, %k3, %v3 : (tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>) -> tensor<2x6x10x64xf16>
  return %y : tensor<2x6x10x64xf16>
}

// -----

// Heads that were split from rows and repeated: their rows, which are apart in memory, are still those of a tensor, and no
// reshape joins them with others.
// CHECK-LABEL: func.func @of_rows(
// CHECK-NOT: tensor<4x1280xf16>
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x12x10x128xf16>, tensor<1x4x10x128xf16>, tensor<1x4x10x128xf16>)
func.func @of_rows(%q: tensor<1x12x10x128xf16>, %k: tensor<1x4x10x128xf16>, %x: tensor<1x10x512xf16>) -> tensor<1x12x10x128xf16> {
  %0 = trace.reshape %x to [1, 10, 4, 128] : (tensor<1x10x512xf16>) -> tensor<1x10x4x128xf16>
  %v = trace.permute %0 [0, 2, 1, 3] : (tensor<1x10x4x128xf16>) -> tensor<1x4x10x128xf16>
  %k3 = trace.repeat %k by [1, 3, 1, 1] : (tensor<1x4x10x128xf16>) -> tensor<1x12x10x128xf16>
  %v3 = trace.repeat %v by [1, 3, 1, 1] : (tensor<1x4x10x128xf16>) -> tensor<1x12x10x128xf16>
  %y = trace.attention %q, %k3, %v3 : (tensor<1x12x10x128xf16>, tensor<1x12x10x128xf16>, tensor<1x12x10x128xf16>) -> tensor<1x12x10x128xf16>
  return %y : tensor<1x12x10x128xf16>
}

// -----

// Not these: heads in another order, each key repeated, and keys whose heads are repeated more often than values'.
// CHECK-LABEL: func.func @tiled(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>)
func.func @tiled(%q: tensor<2x6x10x64xf16>, %k: tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16> {
  %k3 = trace.tile %k by [1, 3, 1, 1] : (tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16>
  %y = trace.attention %q, %k3, %k3 : (tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>) -> tensor<2x6x10x64xf16>
  return %y : tensor<2x6x10x64xf16>
}

// -----

// CHECK-LABEL: func.func @keys(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x6x10x64xf16>, tensor<2x6x30x64xf16>, tensor<2x6x30x64xf16>)
func.func @keys(%q: tensor<2x6x10x64xf16>, %k: tensor<2x6x10x64xf16>) -> tensor<2x6x10x64xf16> {
  %k3 = trace.repeat %k by [1, 1, 3, 1] : (tensor<2x6x10x64xf16>) -> tensor<2x6x30x64xf16>
  %y = trace.attention %q, %k3, %k3 : (tensor<2x6x10x64xf16>, tensor<2x6x30x64xf16>, tensor<2x6x30x64xf16>) -> tensor<2x6x10x64xf16>
  return %y : tensor<2x6x10x64xf16>
}

// -----

// CHECK-LABEL: func.func @unequal(
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>)
func.func @unequal(%q: tensor<2x6x10x64xf16>, %k: tensor<2x1x10x64xf16>, %v: tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16> {
  %k3 = trace.repeat %k by [1, 6, 1, 1] : (tensor<2x1x10x64xf16>) -> tensor<2x6x10x64xf16>
  %v3 = trace.repeat %v by [1, 3, 1, 1] : (tensor<2x2x10x64xf16>) -> tensor<2x6x10x64xf16>
  %y = trace.attention %q, %k3, %v3 : (tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>, tensor<2x6x10x64xf16>) -> tensor<2x6x10x64xf16>
  return %y : tensor<2x6x10x64xf16>
}

// -----

// Written out, with a batch of one: the result's 8x4 heads are 1x32 where the kernel stores them.
// CHECK-LABEL: func.func @written(
// CHECK: kernel.call @written_attention_0_attention(
// CHECK-NEXT: return
// CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4x1024x64xf16>, tensor<8x1x1024x64xf16>, tensor<8x1x1024x64xf16>)
func.func @written(%q: tensor<1x32x1024x64xf16>, %k: tensor<1x8x1024x64xf16>, %v: tensor<1x8x1024x64xf16>) -> tensor<1x32x1024x64xf16> {
  %k3 = trace.repeat %k by [1, 4, 1, 1] : (tensor<1x8x1024x64xf16>) -> tensor<1x32x1024x64xf16>
  %v3 = trace.repeat %v by [1, 4, 1, 1] : (tensor<1x8x1024x64xf16>) -> tensor<1x32x1024x64xf16>
  %kt = trace.permute %k3 [0, 1, 3, 2] : (tensor<1x32x1024x64xf16>) -> tensor<1x32x64x1024xf16>
  %s = trace.matmul %q, %kt : (tensor<1x32x1024x64xf16>, tensor<1x32x64x1024xf16>) -> tensor<1x32x1024x1024xf16>
  %p = trace.softmax %s dim = 3 : (tensor<1x32x1024x1024xf16>) -> tensor<1x32x1024x1024xf16>
  %y = trace.matmul %p, %v3 : (tensor<1x32x1024x1024xf16>, tensor<1x32x1024x64xf16>) -> tensor<1x32x1024x64xf16>
  return %y : tensor<1x32x1024x64xf16>
}
