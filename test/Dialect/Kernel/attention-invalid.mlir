// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @rank(%q: tensor<5x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x8xf32>) {
  // expected-error @below {{query, key and value must have one rank of at least 3; found 'tensor<5x8xf32>', 'tensor<5x8xf32>' and 'tensor<5x8xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @element(%q: tensor<1x5x8xf16>, %k: tensor<1x5x8xf16>, %v: tensor<1x5x8xf16>) {
  // expected-error @below {{query, key and value must be f32, f16 or bf16, and the result f32; found 'f16' and 'f16'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf16>, tensor<1x5x8xf16>, tensor<1x5x8xf16>) -> tensor<1x5x8xf16>
  return
}

// -----

func.func @f64(%q: tensor<1x5x8xf64>, %k: tensor<1x5x8xf64>, %v: tensor<1x5x8xf64>) {
  // expected-error @below {{query, key and value must be f32, f16 or bf16, and the result f32; found 'f64' and 'f32'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf64>, tensor<1x5x8xf64>, tensor<1x5x8xf64>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @depth(%q: tensor<1x5x257xf32>, %k: tensor<1x5x257xf32>, %v: tensor<1x5x8xf32>) {
  // expected-error @below {{heads must have static sizes from 1 to 256; found 'tensor<1x5x257xf32>' and 'tensor<1x5x8xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x257xf32>, tensor<1x5x257xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @dynamic_depth(%q: tensor<1x5x8xf32>, %k: tensor<1x5x8xf32>, %v: tensor<1x5x?xf32>) {
  // expected-error @below {{heads must have static sizes from 1 to 256; found 'tensor<1x5x8xf32>' and 'tensor<1x5x?xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x?xf32>) -> tensor<1x5x?xf32>
  return
}

// -----

func.func @groups(%q: tensor<3x5x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) {
  // expected-error @below {{heads of the query must be a static multiple of the key's, or as many; found 'tensor<3x5x8xf32>' and 'tensor<2x5x8xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<3x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<3x5x8xf32>
  return
}

// -----

func.func @key(%q: tensor<1x5x8xf32>, %k: tensor<1x7x9xf32>, %v: tensor<1x7x8xf32>) {
  // expected-error @below {{the key must have the shape of 'tensor<1x7x8xf32>'; found 'tensor<1x7x9xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x9xf32>, tensor<1x7x8xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @value(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x6x8xf32>) {
  // expected-error @below {{the value must have the shape of 'tensor<1x7x8xf32>'; found 'tensor<1x6x8xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x6x8xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @result(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>) {
  // expected-error @below {{the result must have the shape of 'tensor<1x5x8xf32>'; found 'tensor<1x7x8xf32>'}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x7x8xf32>
  return
}

// -----

func.func @mask(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>, %m: tensor<1x1x7xi1>) {
  // expected-error @below {{the mask must have the shape of 'tensor<1x5x7xi1>'; found 'tensor<1x1x7xi1>'}}
  %r = kernel.attention %q, %k, %v mask = %m causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x1x7xi1>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @mask_element(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>, %m: tensor<1x5x7xi32>) {
  // expected-error @below {{the mask must be of i1 or floats; found 'tensor<1x5x7xi32>'}}
  %r = kernel.attention %q, %k, %v mask = %m causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x5x7xi32>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @lengths(%q: tensor<2x1x5x8xf32>, %k: tensor<2x1x7x8xf32>, %v: tensor<2x1x7x8xf32>, %m: tensor<1xi32>) {
  // expected-error @below {{lengths must have the shape of 'tensor<2xi32>'; found 'tensor<1xi32>'}}
  %r = kernel.attention %q, %k, %v lengths = %m causal = none scale = 1.0 : (tensor<2x1x5x8xf32>, tensor<2x1x7x8xf32>, tensor<2x1x7x8xf32>, tensor<1xi32>) -> tensor<2x1x5x8xf32>
  return
}

// -----

func.func @lengths_element(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>, %m: tensor<i64>) {
  // expected-error @below {{lengths must be i32; found 'tensor<i64>'}}
  %r = kernel.attention %q, %k, %v lengths = %m causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<i64>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @hidden(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>, %m: tensor<1x5x7xi1>) {
  // expected-error @below {{a hidden score is finite, and a mask of i1 alone hides keys then; found -1.000000e+04}}
  %r = kernel.attention %q, %k, %v mask = %m causal = top_left scale = 1.0 hidden = -1.0e4 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x5x7xi1>) -> tensor<1x5x8xf32>
  return
}

// -----

func.func @window(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>) -> tensor<1x5x8xf32> {
  // expected-error @below {{a side of a window has 0 to 2^30 keys; found -1}}
  %r = kernel.attention %q, %k, %v causal = none window_left = -1 scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}

// -----

func.func @window_wide(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>) -> tensor<1x5x8xf32> {
  // expected-error @below {{a side of a window has 0 to 2^30 keys; found 1073741825}}
  %r = kernel.attention %q, %k, %v causal = none window_right = 1073741825 scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}

// -----

func.func @window_causal(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>) -> tensor<1x5x8xf32> {
  // expected-error @below {{a causal mask is the right side of a window; found both, and window_right = 2}}
  %r = kernel.attention %q, %k, %v causal = top_left window_left = 3 window_right = 2 scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}

// -----

func.func @window_hidden(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>, %m: tensor<1x5x7xi1>) -> tensor<1x5x8xf32> {
  // expected-error @below {{a hidden score is finite, and a mask of i1 alone hides keys then; found -1.000000e+04}}
  %r = kernel.attention %q, %k, %v mask = %m causal = none window_left = 3 scale = 1.0 hidden = -1.0e4 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x5x7xi1>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}

// -----

func.func @cap(%q: tensor<1x5x8xf32>, %k: tensor<1x7x8xf32>, %v: tensor<1x7x8xf32>) -> tensor<1x5x8xf32> {
  // expected-error @below {{a cap of scores is positive and finite; found -5.000000e+01}}
  %r = kernel.attention %q, %k, %v causal = none scale = 1.0 cap = -5.0e1 : (tensor<1x5x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x5x8xf32>
  return %r : tensor<1x5x8xf32>
}
