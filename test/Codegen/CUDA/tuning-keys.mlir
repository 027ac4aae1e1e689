// What a measured tile holds for: type, sizes, layouts, batch, contractions side
// by side, and stores.
// RUN: tripy-opt %s --split-input-file --tripy-cuda --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s

// CHECK: cycles for bf16 512x256x128 nn batch=1 parts=1 store=tma16"
func.func @main(%a: tensor<512x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<512x256xbf16> {
  %y = trace.matmul %a, %b : (tensor<512x128xbf16>, tensor<128x256xbf16>) -> tensor<512x256xbf16>
  return %y : tensor<512x256xbf16>
}

// -----

// CHECK: cycles for f16 512x256x128 tt batch=1 parts=1 store=tma16"
func.func @main(%a: tensor<128x512xf16>, %b: tensor<256x128xf16>) -> tensor<512x256xf16> {
  %t = trace.permute %a [1, 0] : (tensor<128x512xf16>) -> tensor<512x128xf16>
  %y = trace.linear %t, %b : (tensor<512x128xf16>, tensor<256x128xf16>) -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}

// -----

// CHECK: cycles for f16 128x256x64 nn batch=6 parts=1 store=tma16"
func.func @main(%a: tensor<6x128x64xf16>, %b: tensor<6x64x256xf16>) -> tensor<6x128x256xf16> {
  %y = trace.matmul %a, %b : (tensor<6x128x64xf16>, tensor<6x64x256xf16>) -> tensor<6x128x256xf16>
  return %y : tensor<6x128x256xf16>
}

// -----

// CHECK: cycles for tf32 512x256x128 nt batch=1 parts=1 store=tma32"
func.func @main(%a: tensor<512x128xf32>, %b: tensor<256x128xf32>) -> tensor<512x256xf32> {
  %y = trace.linear %a, %b allow_tf32 : (tensor<512x128xf32>, tensor<256x128xf32>) -> tensor<512x256xf32>
  return %y : tensor<512x256xf32>
}

// -----

// CHECK: cycles for e4m3 512x256x128 nt batch=1 parts=1 store=tma16"
func.func @main(%a: tensor<512x128xf8E4M3FN>, %b: tensor<256x128xf8E4M3FN>) -> tensor<512x256xf16> {
  %y = trace.linear %a, %b dtype = f16 : (tensor<512x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>) -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}

// -----

// The residual has as many elements as the result: it comes in boxes.
// CHECK: cycles for f16 512x256x128 nt batch=1 parts=1 store=tma16+source"
func.func @main(%a: tensor<512x128xf16>, %b: tensor<256x128xf16>, %r: tensor<512x256xf16>) -> tensor<512x256xf16> {
  %0 = trace.linear %a, %b : (tensor<512x128xf16>, tensor<256x128xf16>) -> tensor<512x256xf16>
  %y = trace.add %0, %r : (tensor<512x256xf16>, tensor<512x256xf16>) -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}

// -----

// Value and gate lie side by side in a tile.
// CHECK: cycles for f16 512x256x128 nt batch=1 parts=2 store=tma16"
func.func @main(%a: tensor<512x128xf16>, %b: tensor<512x128xf16>) -> tensor<512x256xf16> {
  %p = trace.linear %a, %b : (tensor<512x128xf16>, tensor<512x128xf16>) -> tensor<512x512xf16>
  %v, %g = trace.split %p dim = -1 parts = 2 : (tensor<512x512xf16>) -> (tensor<512x256xf16>, tensor<512x256xf16>)
  %s = trace.silu %g : (tensor<512x256xf16>) -> tensor<512x256xf16>
  %y = trace.mul %v, %s : (tensor<512x256xf16>, tensor<512x256xf16>) -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}

// -----

// Sizes that only the run tells have no key.
// CHECK: cycles for dynamic sizes"
func.func @main(%a: tensor<?x128xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [0, 128], opt = [512, 128], max = [4096, 128]>},
    %b: tensor<256x128xf16>) -> tensor<?x256xf16> {
  %y = trace.linear %a, %b : (tensor<?x128xf16>, tensor<256x128xf16>) -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// -----

// A that is computed within the kernel, by two operations for an element.
// CHECK: cycles for f16 512x256x128 nt batch=1 parts=1 store=tma16 prologue=2"
func.func @main(%a: tensor<512x128xf16>, %s: tensor<512x1xf16>, %b: tensor<256x128xf16>) -> tensor<512x256xf16> {
  %0 = trace.mul %a, %s : (tensor<512x128xf16>, tensor<512x1xf16>) -> tensor<512x128xf16>
  %1 = trace.relu %0 : (tensor<512x128xf16>) -> tensor<512x128xf16>
  %y = trace.linear %1, %b : (tensor<512x128xf16>, tensor<256x128xf16>) -> tensor<512x256xf16>
  return %y : tensor<512x256xf16>
}
