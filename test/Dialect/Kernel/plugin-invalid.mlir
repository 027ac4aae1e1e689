// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// What a plugin in a kernel is made of.

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{callee must be a tripy.plugin; found @unknown}}
  %r = kernel.plugin @unknown(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
func.func @operand(%x: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error @below {{operands, results, sizes and parameters must be those of the plugin, '(tensor<?xf32>) -> tensor<?xf32>'}}
  %r = kernel.plugin @k(%x) sizes() : (tensor<4xf16>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
func.func @sizes(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{operands, results, sizes and parameters must be those of the plugin, '(tensor<?xf32>) -> tensor<?xf32>'}}
  %r = kernel.plugin @k(%x) sizes() : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
func.func @source(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{source must be one of 1; found 1}}
  %r = kernel.plugin @k(%x) sizes() source = 1 arguments = [] : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{must have a source and its arguments, or neither}}
  %r = kernel.plugin @k(%x) sizes() source = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
kernel.func @root loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{must be the fusion root of its kernel; found loop}}
  %r = kernel.plugin @k(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
kernel.func @plugin_twice plugin sizeArgs = [] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{must make the results of a kernel of its own}}
  %r = kernel.plugin @k(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  kernel.yield %r, %r : tensor<4xf32>, tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
kernel.func @plugin_operand plugin sizeArgs = [] : () -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{operands must be arguments of its kernel, and sizes these or constants}}
  %r = kernel.plugin @k(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
kernel.func @size plugin sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%x: tensor<?xf32>, %n: index):
  %m = arith.addi %n, %n : index
  // expected-error @below {{operands must be arguments of its kernel, and sizes these or constants}}
  %r = kernel.plugin @k(%x) sizes(%m) : (tensor<?xf32>) -> tensor<?xf32>
  kernel.yield %r : tensor<?xf32>
}
