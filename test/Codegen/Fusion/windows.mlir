// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches=tensor-cores=true | FileCheck %s
// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches | FileCheck %s --check-prefix=CORES
// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches=windows-in-products=true | FileCheck %s --check-prefix=SLIDES

// Windows are written once, as the contraction reads them, by a kernel that
// computes what is in front of them; what follows joins the contraction, or the
// kernel that puts the batch first.
// CHECK-LABEL: func.func @convolution(
// CHECK: kernel.dispatch loop(%arg1)
// CHECK: kernel.dispatch loop(%arg0) {{.*}} {name = "maximum_window"}
// CHECK: flatir.window
// CHECK: flatir.transpose
// CHECK: flatir.reshape {{.*}} -> tensor<576x6272xf16>
// CHECK: kernel.dispatch gemm({{.*}} {name = "dot_add"}
// CHECK: kernel.dispatch loop({{.*}} {name = "maximum"}
// CHECK: flatir.transpose
// CHECK-NOT: kernel.dispatch
// CORES-LABEL: func.func @convolution(
// CORES: kernel.dispatch loop(%arg0) {{.*}} {name = "maximum_window"}
// CORES: flatir.reshape {{.*}} -> tensor<576x6272xf16>
// CORES: kernel.dispatch gemm({{.*}} {name = "dot_add"}
// CORES: kernel.dispatch loop({{.*}} {name = "maximum"}
// CORES-NOT: kernel.dispatch
func.func @convolution(%x: tensor<8x64x28x28xf16>, %w: tensor<64x64x3x3xf16>, %b: tensor<64xf16>) -> tensor<8x64x28x28xf16> {
  %0 = trace.relu %x : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  %1 = trace.convolution %0, %w, %b low = [1, 1] high = [1, 1] : (tensor<8x64x28x28xf16>, tensor<64x64x3x3xf16>, tensor<64xf16>) -> tensor<8x64x28x28xf16>
  %2 = trace.relu %1 : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  return %2 : tensor<8x64x28x28xf16>
}

// A product of matrices for each image: nothing is copied.
// CHECK-LABEL: func.func @pointwise(
// CHECK: kernel.dispatch gemm(%arg1, %arg0)
// CHECK-NOT: kernel.dispatch
// CHECK-NOT: flatir.window
// CORES-LABEL: func.func @pointwise(
// CORES: kernel.dispatch gemm(%arg1, %arg0)
// CORES-NOT: kernel.dispatch
func.func @pointwise(%x: tensor<8x64x28x28xf16>, %w: tensor<128x64x1x1xf16>) -> tensor<8x128x28x28xf16> {
  %0 = trace.convolution %x, %w : (tensor<8x64x28x28xf16>, tensor<128x64x1x1xf16>) -> tensor<8x128x28x28xf16>
  return %0 : tensor<8x128x28x28xf16>
}

// A sum over windows, in one kernel.
// CORES-LABEL: func.func @depthwise(
// CHECK-LABEL: func.func @depthwise(
// CHECK: kernel.dispatch reduce(%arg0, %arg1) {{.*}} {name = "window_mul_sum"}
// CHECK-NOT: kernel.dispatch
func.func @depthwise(%x: tensor<8x64x28x28xf16>, %w: tensor<64x1x3x3xf16>) -> tensor<8x64x28x28xf16> {
  %0 = trace.convolution %x, %w low = [1, 1] high = [1, 1] groups = 64 : (tensor<8x64x28x28xf16>, tensor<64x1x3x3xf16>) -> tensor<8x64x28x28xf16>
  return %0 : tensor<8x64x28x28xf16>
}

// A function in front of windows that overlap a little is computed where they
// are read; one that each window would compute again is stored.
// CHECK-LABEL: func.func @pool(
// CHECK: kernel.dispatch reduce(%arg0) {{.*}} {name = "exp_window_max"}
// CHECK: kernel.dispatch loop(%arg0) {{.*}} {name = "neg_exp"}
// CHECK: kernel.dispatch reduce({{.*}} {name = "window_max"}
// CHECK-NOT: kernel.dispatch
func.func @pool(%x: tensor<8x64x28x28xf16>) -> (tensor<8x64x14x14xf16>, tensor<8x64x28x28xf16>) {
  %0 = trace.exp %x : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  %1 = trace.maxpool %0 window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] : (tensor<8x64x28x28xf16>) -> tensor<8x64x14x14xf16>
  %2 = trace.neg %x : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  %3 = trace.exp %2 : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  %4 = trace.maxpool %3 window = [3, 3] low = [1, 1] high = [1, 1] : (tensor<8x64x28x28xf16>) -> tensor<8x64x28x28xf16>
  return %1, %4 : tensor<8x64x14x14xf16>, tensor<8x64x28x28xf16>
}

// Where kernels slide windows as they read them, nothing is written in front of a product of many rows and columns, but for
// what each window would compute again.
// CHECK-LABEL: func.func @wide(
// SLIDES-LABEL: func.func @wide(
// SLIDES: kernel.dispatch loop(%arg0) {{.*}} {name = "maximum"}
// SLIDES-NOT: flatir.window
// SLIDES: kernel.dispatch gemm({{.*}} {name = "window_dot_add"}
// SLIDES: flatir.window
// SLIDES: kernel.dispatch loop({{.*}} {name = "reshape_transpose"}
// SLIDES-NOT: kernel.dispatch
func.func @wide(%x: tensor<8x64x32x32xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> tensor<8x64x32x32xf32> {
  %0 = trace.relu %x : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
  %1 = trace.convolution %0, %w, %b low = [1, 1] high = [1, 1] : (tensor<8x64x32x32xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<8x64x32x32xf32>
  return %1 : tensor<8x64x32x32xf32>
}

// Of 16 bits: few rows, few columns, many rows for a few thousand columns, short rows of windows.
// CHECK-LABEL: func.func @narrow(
// SLIDES-LABEL: func.func @narrow(
// SLIDES-COUNT-4: kernel.dispatch loop({{.*}}window
// SLIDES: return
func.func @narrow(%x: tensor<8x64x32x32xf16>, %v: tensor<8x64x3x3xf16>, %y: tensor<1x64x31x32xf16>, %w: tensor<64x64x3x3xf16>, %z: tensor<4x64x32x32xf16>, %u: tensor<256x64x3x3xf16>, %s: tensor<8x64x32x31xf16>)
    -> (tensor<8x8x32x32xf16>, tensor<1x64x31x32xf16>, tensor<4x256x32x32xf16>, tensor<8x64x32x31xf16>) {
  %0 = trace.convolution %x, %v low = [1, 1] high = [1, 1] : (tensor<8x64x32x32xf16>, tensor<8x64x3x3xf16>) -> tensor<8x8x32x32xf16>
  %1 = trace.convolution %y, %w low = [1, 1] high = [1, 1] : (tensor<1x64x31x32xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x31x32xf16>
  %2 = trace.convolution %z, %u low = [1, 1] high = [1, 1] : (tensor<4x64x32x32xf16>, tensor<256x64x3x3xf16>) -> tensor<4x256x32x32xf16>
  %3 = trace.convolution %s, %w low = [1, 1] high = [1, 1] : (tensor<8x64x32x31xf16>, tensor<64x64x3x3xf16>) -> tensor<8x64x32x31xf16>
  return %0, %1, %2, %3 : tensor<8x8x32x32xf16>, tensor<1x64x31x32xf16>, tensor<4x256x32x32xf16>, tensor<8x64x32x31xf16>
}

// Of 32 and 64 bits windows come as vectors: always slid, but where elements have zeros between them.
// CHECK-LABEL: func.func @vectors(
// SLIDES-LABEL: func.func @vectors(
// SLIDES-NOT: kernel.dispatch loop({{.*}}window
// SLIDES: kernel.dispatch gemm({{.*}} {name = "window_dot"} : (tensor<8x4x3x3xf32>
// SLIDES: kernel.dispatch gemm({{.*}} {name = "window_dot"} : (tensor<4x2x3x3xf64>
// SLIDES: kernel.dispatch loop({{.*}}window
// SLIDES: return
func.func @vectors(%x: tensor<8x4x7x7xf32>, %w: tensor<8x4x3x3xf32>, %y: tensor<1x4x7x7xf64>, %v: tensor<4x2x3x3xf64>, %z: tensor<1x4x7xf32>,
    %u: tensor<4x4x4xf32>) -> (tensor<8x8x7x7xf32>, tensor<1x4x7x7xf64>, tensor<1x4x31xf32>) {
  %0 = trace.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<8x4x7x7xf32>, tensor<8x4x3x3xf32>) -> tensor<8x8x7x7xf32>
  %1 = trace.convolution %y, %v low = [1, 1] high = [1, 1] groups = 2 : (tensor<1x4x7x7xf64>, tensor<4x2x3x3xf64>) -> tensor<1x4x7x7xf64>
  %2 = trace.conv_transpose %z, %u stride = [4] dilation = [2] : (tensor<1x4x7xf32>, tensor<4x4x4xf32>) -> tensor<1x4x31xf32>
  return %0, %1, %2 : tensor<8x8x7x7xf32>, tensor<1x4x7x7xf64>, tensor<1x4x31xf32>
}
