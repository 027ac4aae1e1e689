// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C1] there is one low and one high width for each dimension; found 1 and 2, rank is 2}}
  %r = trace.pad %a low [0] high [0, 0] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C1(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C1] there is one low and one high width for each dimension; found 2 and 3, rank is 2}}
  %r = trace.pad %a low [0, 0] high [0, 0, 1] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C2(%a: tensor<4x8xf32>) {
  // The generic form: the short one has an operand for each dynamic width.
  // expected-error @below {{violates [trace.pad C2] each dynamic width has one operand}}
  %r = "trace.pad"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0>, staticLow = array<i64: 0, -9223372036854775808>, staticHigh = array<i64: 0, 0>, value = 0.0 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C3] widths are not negative; found [0, 0] and [0, -1]}}
  %r = trace.pad %a low [0, 0] high [0, -1] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C4] the value is a number of the input's element type; found 1.000000e+00 : f16 for 'tensor<4x8xf32>'}}
  %r = trace.pad %a low [0, 0] high [0, 0] value = 1.0 : f16 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C4] the value is a number of the input's element type; found 1 : i32 for 'tensor<4x8xf32>'}}
  %r = trace.pad %a low [0, 0] high [0, 0] value = 1 : i32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C5] the result has at most 2^40 elements; input is 'tensor<4x8xf32>', widths are [0, 0] and [1099511627776, 0]}}
  %r = trace.pad %a low [0, 0] high [1099511627776, 0] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C5] the result has at most 2^40 elements; input is 'tensor<4x8xf32>', widths are [0, 9223372036854775807] and [0, 9223372036854775807]}}
  %r = trace.pad %a low [0, 9223372036854775807] high [0, 9223372036854775807] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C6(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C6] either a value or a mode is given}}
  %r = trace.pad %a low [0, 0] high [0, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C6(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C6] either a value or a mode is given}}
  %r = trace.pad %a low [0, 0] high [0, 0] value = 0.0 : f32 mode = "edge" : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C7(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.pad C7] mode is 'edge', 'reflect' or 'wrap'; found 'constant'}}
  %r = trace.pad %a low [0, 0] high [0, 0] mode = "constant" : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @C8(%a: tensor<4x0xf32>) {
  // expected-error @below {{violates [trace.pad C8] a mode has elements to repeat: a dimension that grows is not empty; input is 'tensor<4x0xf32>', widths are [1, 0] and [0, 2]}}
  %r = trace.pad %a low [1, 0] high [0, 2] mode = "wrap" : (tensor<4x0xf32>) -> tensor<5x2xf32>
  return
}
