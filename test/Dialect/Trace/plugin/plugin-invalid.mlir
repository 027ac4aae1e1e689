// RUN: tripy-opt %s --split-input-file --verify-diagnostics

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C1(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C1] the callee is a tripy.plugin of the program; found @other}}
  %r = trace.plugin @other(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C1(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C1] the callee is a tripy.plugin of the program; found @C1}}
  %r = trace.plugin @C1(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found nothing}}
  %r = trace.plugin @k() parameters {a = 1.0 : f32, n = 2 : i64} : () -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x4xf32>, tensor<?x4xf32>}}
  %r = trace.plugin @k(%x, %x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf16>) {
  // expected-error @below {{violates [trace.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x4xf16>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf16>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?xf32>) {
  // expected-error @below {{violates [trace.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?xf32>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x5xf32>) {
  // expected-error @below {{violates [trace.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x5xf32>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x5xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found none}}
  %r = trace.plugin @k(%x) : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32}}}
  %r = trace.plugin @k(%x) parameters {a = 1.000000e+00 : f32} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32, b = 2 : i64}}}
  %r = trace.plugin @k(%x) parameters {a = 1.000000e+00 : f32, b = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f64, n = 2 : i64}}}
  %r = trace.plugin @k(%x) parameters {a = 1.000000e+00 : f64, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = "1", n = 2 : i64}}}
  %r = trace.plugin @k(%x) parameters {a = "1", n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32, b = 1 : i64, n = 2 : i64}}}
  %r = trace.plugin @k(%x) parameters {a = 1.000000e+00 : f32, b = 1 : i64, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C4(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C4] the results have the types that the plugin's size function gives; these are tensor<?xf32>; found tensor<?xf16>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf16>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C4(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C4] the results have the types that the plugin's size function gives; these are tensor<?xf32>; found tensor<5xf32>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<5xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C4(%x: tensor<3x4xf32>) {
  // expected-error @below {{violates [trace.plugin C4] the results have the types that the plugin's size function gives; these are tensor<7xf32>; found tensor<?xf32>}}
  %r = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<3x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C4(%x: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.plugin C4] the results have the types that the plugin's size function gives; these are tensor<?xf32>; found tensor<?xf32>, tensor<?xf32>}}
  %r:2 = trace.plugin @k(%x) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}
