// RUN: tripy-opt %s --split-input-file --verify-diagnostics

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C1(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C1] the callee is a tripy.plugin of the program; found @other}}
  %r = flatir.plugin @other(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C1(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C1] the callee is a tripy.plugin of the program; found @C1}}
  %r = flatir.plugin @C1(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found nothing}}
  %r = flatir.plugin @k() sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : () -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x4xf32>, tensor<?x4xf32>}}
  %r = flatir.plugin @k(%x, %x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x4xf16>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x4xf16>}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf16>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?xf32>}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C2(%x: tensor<?x5xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C2] there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives; the plugin takes tensor<?x4xf32>; found tensor<?x5xf32>}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x5xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found none}}
  %r = flatir.plugin @k(%x) sizes(%s) : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32}}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.000000e+00 : f32} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32, b = 2 : i64}}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.000000e+00 : f32, b = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f64, n = 2 : i64}}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.000000e+00 : f64, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = "1", n = 2 : i64}}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = "1", n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C3(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C3] the parameters are those of the plugin, each of its type; the plugin has a : f32 n : i64; found {a = 1.000000e+00 : f32, b = 1 : i64, n = 2 : i64}}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.000000e+00 : f32, b = 1 : i64, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C4(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C4] the results have the plugin's element types and ranks, and sizes that its results may have}}
  %r = flatir.plugin @k(%x) sizes(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf16>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C5(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C5] there is one size for each dynamic dimension of the results, and as many other sizes as the plugin's size function gives}}
  %r = flatir.plugin @k(%x) sizes() parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C5(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C5] there is one size for each dynamic dimension of the results, and as many other sizes as the plugin's size function gives}}
  %r = flatir.plugin @k(%x) sizes(%s) grid(%s, %s, %s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C5(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C5] there is one size for each dynamic dimension of the results, and as many other sizes as the plugin's size function gives}}
  %r = flatir.plugin @k(%x) sizes(%s) shared(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}

// -----

tripy.plugin @k : (tensor<?x4xf32>) -> tensor<?xf32> parameters ["a", "n"] : [f32, i64]
    sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%m: index, %n: index):
  %sum = arith.addi %m, %n : index
  tripy.plugin_sizes results(%sum)
}
func.func @C5(%x: tensor<?x4xf32>, %s: index) {
  // expected-error @below {{violates [flatir.plugin C5] there is one size for each dynamic dimension of the results, and as many other sizes as the plugin's size function gives}}
  %r = flatir.plugin @k(%x) sizes(%s) numbers(%s) parameters {a = 1.0 : f32, n = 2 : i64} : (tensor<?x4xf32>) -> tensor<?xf32>
  return
}
