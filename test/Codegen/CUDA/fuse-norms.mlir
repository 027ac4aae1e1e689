// A norm that only a contraction with few rows reads is computed by each block of that contraction.
//
// RUN: tripy-opt %s --kernel-fuse-norms | FileCheck %s
// RUN: tripy-opt %s --kernel-fuse-norms | tripy-compile - --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

#row = affine_map<(m, k) -> (m, k)>
#one = affine_map<(m, k) -> (m)>
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// The norm and its contraction are one kernel, for both calls; results that are stored stay.
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = kernel.call @norm(%{{.*}})
// CHECK-NEXT: %[[A:.*]] = kernel.call @dot_0(%[[S]], %{{.*}})
// CHECK-NEXT: %[[B:.*]] = kernel.call @dot_0(%[[A]], %{{.*}})
// CHECK-NEXT: %[[C:.*]] = kernel.call @norm(%[[B]])
// CHECK-NEXT: %[[D:.*]] = kernel.call @dot(%[[C]], %{{.*}})
// CHECK-NEXT: %[[E:.*]] = kernel.call @norm(%[[D]])
// CHECK-NEXT: %[[F:.*]] = kernel.call @many(%[[E]], %{{.*}})
// CHECK-NEXT: return %[[S]], %[[C]], %[[D]], %[[F]]
func.func @main(%x: tensor<2x256xf16> {tripy.name = "x"}, %w: tensor<256x256xf16> {tripy.name = "w"}, %v: tensor<65536x256xf16> {tripy.name = "v"})
    -> (tensor<2x256xf16> {tripy.name = "s"}, tensor<2x256xf16> {tripy.name = "c"}, tensor<2x256xf16> {tripy.name = "d"}, tensor<2x65536xf16> {tripy.name = "f"}) {
  %s = kernel.call @norm(%x) sizes() : (tensor<2x256xf16>) -> tensor<2x256xf16>
  %0 = kernel.call @norm(%s) sizes() : (tensor<2x256xf16>) -> tensor<2x256xf16>
  %1 = kernel.call @dot(%0, %w) sizes() : (tensor<2x256xf16>, tensor<256x256xf16>) -> tensor<2x256xf16>
  %2 = kernel.call @norm(%1) sizes() : (tensor<2x256xf16>) -> tensor<2x256xf16>
  %3 = kernel.call @dot(%2, %w) sizes() : (tensor<2x256xf16>, tensor<256x256xf16>) -> tensor<2x256xf16>
  %4 = kernel.call @norm(%3) sizes() : (tensor<2x256xf16>) -> tensor<2x256xf16>
  %5 = kernel.call @dot(%4, %w) sizes() : (tensor<2x256xf16>, tensor<256x256xf16>) -> tensor<2x256xf16>
  %6 = kernel.call @norm(%5) sizes() : (tensor<2x256xf16>) -> tensor<2x256xf16>
  %7 = kernel.call @many(%6, %v) sizes() : (tensor<2x256xf16>, tensor<65536x256xf16>) -> tensor<2x65536xf16>
  return %s, %4, %5, %7 : tensor<2x256xf16>, tensor<2x256xf16>, tensor<2x256xf16>, tensor<2x65536xf16>
}

kernel.func @norm row sizeArgs = [] : (tensor<2x256xf16>) -> tensor<2x256xf16> {
^bb0(%x: tensor<2x256xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x256xf16>) outs(%f : tensor<2xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    %3 = arith.mulf %1, %1 : f32
    %2 = arith.addf %o, %3 : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  %r = tensor.empty() : tensor<2x256xf16>
  %n = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<2x256xf16>, tensor<2xf32>) outs(%r : tensor<2x256xf16>) {
  ^bb0(%a: f16, %t: f32, %o: f16):
    %1 = arith.extf %a : f16 to f32
    %2 = math.rsqrt %t : f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<2x256xf16>
  kernel.yield %n : tensor<2x256xf16>
}

// The body of the norm comes first.
// CHECK-LABEL: kernel.func @dot_0 gemm
// CHECK-SAME: gemv_schedule
// CHECK: math.rsqrt
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]

// The matrix is loaded before the kernel waits for the one in front, the rows behind the wait; the products read these in shared memory.
// PTX-LABEL: .entry dot_0
// PTX: ld.global.nc{{.*}}.v4.b32
// PTX: griddepcontrol.wait
// PTX: ld.global{{.*}}.v4.b32
// PTX: rsqrt
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, groups = 4, depth = 1, vector = 8, resident = 4, from = model>} : (tensor<2x256xf16>, tensor<256x256xf16>) -> tensor<2x256xf16> {
^bb0(%x: tensor<2x256xf16>, %w: tensor<256x256xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x256xf32>) -> tensor<2x256xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x256xf16>, tensor<256x256xf16>) outs(%f : tensor<2x256xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x256xf32>
  %h = tensor.empty() : tensor<2x256xf16>
  %c = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<2x256xf32>) outs(%h : tensor<2x256xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<2x256xf16>
  kernel.yield %c : tensor<2x256xf16>
}

// More blocks than run in two waves: the norm stays a kernel.
kernel.func @many gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, groups = 8, depth = 1, vector = 8, resident = 4, from = model>} : (tensor<2x256xf16>, tensor<65536x256xf16>) -> tensor<2x65536xf16> {
^bb0(%x: tensor<2x256xf16>, %w: tensor<65536x256xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x65536xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x65536xf32>) -> tensor<2x65536xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x256xf16>, tensor<65536x256xf16>) outs(%f : tensor<2x65536xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x65536xf32>
  %h = tensor.empty() : tensor<2x65536xf16>
  %c = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<2x65536xf32>) outs(%h : tensor<2x65536xf16>) {
  ^bb0(%a: f32, %o: f16):
    %1 = arith.truncf %a : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<2x65536xf16>
  kernel.yield %c : tensor<2x65536xf16>
}
