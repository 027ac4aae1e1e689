// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// One error when the declared type is not the inferred one.

func.func @size(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error @below {{'trace.add' op result type 'tensor<3xf32>' differs from the inferred type 'tensor<2xf32>'}}
  %r = trace.add %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----

// A size that inference knows may not be hidden.
func.func @dynamic(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error @below {{result type 'tensor<?xf32>' differs from the inferred type 'tensor<2xf32>'}}
  %r = trace.add %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @element(%a: tensor<2xf32>) {
  // expected-error @below {{result type 'tensor<2xf32>' differs from the inferred type 'tensor<2xi1>'}}
  %r = trace.gt %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @count(%a: tensor<4xf32>) {
  // expected-error @below {{has 1 results, 2 are inferred}}
  %r = trace.split %a dim = 0 parts = 2 : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// What is no tensor is refused before any rule.
func.func @encoding(%a: tensor<2xf32, "x">) {
  // expected-error @below {{operand #0 must be ranked tensor of rank at most 8 and at most 2^40 elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8, i4, ui8 or i1, but got 'tensor<2xf32, "x">'}}
  %r = trace.exp %a : (tensor<2xf32, "x">) -> tensor<2xf32>
  return
}

// -----

func.func @unranked(%a: tensor<*xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor}}
  %r = trace.exp %a : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @huge(%a: tensor<9223372036854775807x9223372036854775807xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor}}
  %r = trace.exp %a : (tensor<9223372036854775807x9223372036854775807xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @dtype(%a: tensor<2xf80>) {
  // expected-error @below {{operand #0 must be ranked tensor}}
  %r = trace.exp %a : (tensor<2xf80>) -> tensor<2xf80>
  return
}
