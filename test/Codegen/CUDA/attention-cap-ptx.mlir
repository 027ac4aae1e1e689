// Capped scores: where the program rounds them to 16 bits, tanh.approx is as accurate; scores in f32 have the accurate form, also where queries
// and values are of 16 bits.
//
// RUN: tripy-compile %s --function=rounded --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=ROUNDED
// RUN: tripy-compile %s --function=whole --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=WHOLE

// ROUNDED: .entry rounded_attention_0_attention
// ROUNDED: tanh.approx.f32
func.func @rounded(%q: tensor<1x4x128x64xf16>, %k: tensor<1x4x128x64xf16>, %v: tensor<1x4x128x64xf16>) -> tensor<1x4x128x64xf16> {
  %c = trace.constant dense<50.0> : tensor<1xf16>
  %0 = trace.permute %k [0, 1, 3, 2] : (tensor<1x4x128x64xf16>) -> tensor<1x4x64x128xf16>
  %1 = trace.matmul %q, %0 : (tensor<1x4x128x64xf16>, tensor<1x4x64x128xf16>) -> tensor<1x4x128x128xf16>
  %2 = trace.div %1, %c : (tensor<1x4x128x128xf16>, tensor<1xf16>) -> tensor<1x4x128x128xf16>
  %3 = trace.tanh %2 : (tensor<1x4x128x128xf16>) -> tensor<1x4x128x128xf16>
  %4 = trace.mul %3, %c : (tensor<1x4x128x128xf16>, tensor<1xf16>) -> tensor<1x4x128x128xf16>
  %5 = trace.softmax %4 dim = 3 : (tensor<1x4x128x128xf16>) -> tensor<1x4x128x128xf16>
  %6 = trace.matmul %5, %v : (tensor<1x4x128x128xf16>, tensor<1x4x128x64xf16>) -> tensor<1x4x128x64xf16>
  return %6 : tensor<1x4x128x64xf16>
}

// WHOLE: .entry whole_attention_0_attention
// WHOLE-NOT: tanh.approx
func.func @whole(%q: tensor<4x64x64xf16>, %k: tensor<4x64x64xf16>, %v: tensor<4x64x64xf16>) -> tensor<4x64x64xf16> {
  %q32 = trace.cast %q to f32 : (tensor<4x64x64xf16>) -> tensor<4x64x64xf32>
  %k32 = trace.cast %k to f32 : (tensor<4x64x64xf16>) -> tensor<4x64x64xf32>
  %s = trace.matmul %q32, %k32 : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %cap = trace.constant dense<50.0> : tensor<1xf32>
  %d = trace.div %s, %cap : (tensor<4x64x64xf32>, tensor<1xf32>) -> tensor<4x64x64xf32>
  %t = trace.tanh %d : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %m = trace.mul %t, %cap : (tensor<4x64x64xf32>, tensor<1xf32>) -> tensor<4x64x64xf32>
  %p = trace.softmax %m dim = -1 : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %p16 = trace.cast %p to f16 : (tensor<4x64x64xf32>) -> tensor<4x64x64xf16>
  %o = trace.matmul %p16, %v : (tensor<4x64x64xf16>, tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
  return %o : tensor<4x64x64xf16>
}
