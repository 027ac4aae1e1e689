// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%q: tensor<2x4x5x8xi32>, %k: tensor<2x4x7x8xi32>, %v: tensor<2x4x7x6xi32>) {
  // expected-error @below {{violates [trace.attention C1] the element type is one of: float; found 'i32'}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xi32>, tensor<2x4x7x8xi32>, tensor<2x4x7x6xi32>) -> tensor<2x4x5x6xi32>
  return
}

// -----

func.func @C2(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C2] query, key and value have one element type; found tensor<2x4x5x8xf32>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C3(%q: tensor<5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<7x6xf32>) {
  // expected-error @below {{violates [trace.attention C3] query, key and value have one rank, from 3 to 8; found tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<5x8xf32>, tensor<7x8xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @C3(%q: tensor<2x4x5x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C3] query, key and value have one rank, from 3 to 8; found tensor<2x4x5x8xf32>, tensor<4x7x8xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C4(%q: tensor<2x4x5x8xf32>, %k: tensor<3x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C4] the dimensions before the heads agree; found tensor<2x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C4(%q: tensor<?x4x5x8xf32>, %k: tensor<3x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C4] the dimensions before the heads agree; found tensor<?x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<?x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C5(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x2x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C5] key and value agree in heads and in keys; found tensor<2x4x7x8xf32>, tensor<2x2x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x2x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C5(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x8x6xf32>) {
  // expected-error @below {{violates [trace.attention C5] key and value agree in heads and in keys; found tensor<2x4x7x8xf32>, tensor<2x4x8x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C6(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x7x8xf32>, %v: tensor<2x3x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C6] the query's heads are a multiple of the key's, or as many where one number is dynamic; found tensor<2x4x5x8xf32>, tensor<2x3x7x8xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C6(%q: tensor<2x4x5x8xf32>, %k: tensor<2x0x7x8xf32>, %v: tensor<2x0x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C6] the query's heads are a multiple of the key's, or as many where one number is dynamic; found tensor<2x4x5x8xf32>, tensor<2x0x7x8xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x0x7x8xf32>, tensor<2x0x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C7(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x6xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C7] last dimensions are static, and the same of query and key, at least 1; found tensor<2x4x5x8xf32>, tensor<2x4x7x6xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x6xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C7(%q: tensor<2x4x5x?xf32>, %k: tensor<2x4x7x?xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C7] last dimensions are static, and the same of query and key, at least 1; found tensor<2x4x5x?xf32>, tensor<2x4x7x?xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x?xf32>, tensor<2x4x7x?xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C7(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x?xf32>) {
  // expected-error @below {{violates [trace.attention C7] last dimensions are static, and the same of query and key, at least 1; found tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x?xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x?xf32>) -> tensor<2x4x5x?xf32>
  return
}

// -----

func.func @C7(%q: tensor<2x4x5x0xf32>, %k: tensor<2x4x7x0xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C7] last dimensions are static, and the same of query and key, at least 1; found tensor<2x4x5x0xf32>, tensor<2x4x7x0xf32>, tensor<2x4x7x6xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<2x4x5x0xf32>, tensor<2x4x7x0xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C8(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<5x7xf16>) {
  // expected-error @below {{violates [trace.attention C8] the mask's element type is i1, the query's or f32; found 'f16'}}
  %r = trace.attention %q, %k, %v mask = %m : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<5x7xf16>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C9(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<5x6xi1>) {
  // expected-error @below {{violates [trace.attention C9] the mask broadcasts to (..., heads, queries, keys); found tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<5x6xi1>}}
  %r = trace.attention %q, %k, %v mask = %m : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<5x6xi1>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C9(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<1x2x4x5x7xi1>) {
  // expected-error @below {{violates [trace.attention C9] the mask broadcasts to (..., heads, queries, keys); found tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<1x2x4x5x7xi1>}}
  %r = trace.attention %q, %k, %v mask = %m : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<1x2x4x5x7xi1>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C9(%q: tensor<2x4x1x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<5x7xi1>) {
  // expected-error @below {{violates [trace.attention C9] the mask broadcasts to (..., heads, queries, keys); found tensor<2x4x1x8xf32>, tensor<2x4x7x8xf32>, tensor<5x7xi1>}}
  %r = trace.attention %q, %k, %v mask = %m : (tensor<2x4x1x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<5x7xi1>) -> tensor<2x4x1x6xf32>
  return
}

// -----

func.func @C10(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<2xi64>) {
  // expected-error @below {{violates [trace.attention C10] lengths are i32 and broadcast to the dimensions before the heads; found tensor<2x4x5x8xf32>, tensor<2xi64>}}
  %r = trace.attention %q, %k, %v lengths = %m : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<2xi64>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C10(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>, %m: tensor<2x4xi32>) {
  // expected-error @below {{violates [trace.attention C10] lengths are i32 and broadcast to the dimensions before the heads; found tensor<2x4x5x8xf32>, tensor<2x4xi32>}}
  %r = trace.attention %q, %k, %v lengths = %m : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>, tensor<2x4xi32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C11(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C11] causal is 'top_left' or 'bottom_right'; found 'lower'}}
  %r = trace.attention %q, %k, %v causal = "lower" : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C12(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) {
  // expected-error @below {{violates [trace.attention C12] scale is finite; scale is INF}}
  %r = trace.attention %q, %k, %v scale = 0x7FF0000000000000 : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return
}

// -----

func.func @C13(%q: tensor<1x2097152x1xf32>, %k: tensor<1x2097152x1xf32>, %v: tensor<1x2097152x1xf32>) {
  // expected-error @below {{violates [trace.attention C13] scores and result have at most 2^40 elements; found tensor<1x2097152x1xf32>, tensor<1x2097152x1xf32>, tensor<1x2097152x1xf32>}}
  %r = trace.attention %q, %k, %v : (tensor<1x2097152x1xf32>, tensor<1x2097152x1xf32>, tensor<1x2097152x1xf32>) -> tensor<1x2097152x1xf32>
  return
}
