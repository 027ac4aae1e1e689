// RUN: tripy-opt %s --flatir-fold-constants | FileCheck %s

// Windows of 3 with a step of 2, from one place in front of the input on.
// CHECK-LABEL: func.func @windows
// CHECK: dense<{{\[}}[9.000000e+00, 2.000000e+00, 4.000000e+00], [1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 9.000000e+00]]> : tensor<3x3xf32>
func.func @windows() -> tensor<3x3xf32> {
  %a = flatir.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %r = flatir.window %a dims = [0] window = [3] strides = [2] dilations = [1] interior = [1] low = [1] value = 9.0 : f32 sizes() : tensor<5xf32> -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// Two places between elements, windows read from their end.
// CHECK-LABEL: func.func @apart
// CHECK: dense<{{\[}}[1, 0, 0, 2, 0, 0, 3], [0, 1, 0, 0, 2, 0, 0]]> : tensor<2x7xi32>
func.func @apart() -> tensor<2x7xi32> {
  %a = flatir.constant dense<[1, 2, 3]> : tensor<3xi32>
  %r = flatir.window %a dims = [0] window = [2] strides = [1] dilations = [-1] interior = [3] low = [0] value = 0 : i32 sizes() : tensor<3xi32> -> tensor<2x7xi32>
  return %r : tensor<2x7xi32>
}

// Over the middle one of three dimensions.
// CHECK-LABEL: func.func @middle
// CHECK: dense<{{\[}}{{\[}}{{\[}}[true, false]], {{\[}}[false, true]]], {{\[}}{{\[}}[false, false]], {{\[}}[true, true]]]]> : tensor<2x2x1x2xi1>
func.func @middle() -> tensor<2x2x1x2xi1> {
  %a = flatir.constant dense<[[[true, false], [false, false]], [[false, true], [true, true]]]> : tensor<2x2x2xi1>
  %r = flatir.window %a dims = [1] window = [2] strides = [1] dilations = [1] interior = [1] low = [0] value = false sizes() : tensor<2x2x2xi1> -> tensor<2x2x1x2xi1>
  return %r : tensor<2x2x1x2xi1>
}
