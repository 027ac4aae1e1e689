// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'sizes' must have one range for each index argument; found 2 for 1}}
kernel.func @count loop sizeArgs = [1, 1] {sizes = #kernel.sizes<[1, 2, 3], [1, 2, 3]>} : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @dispatch(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{'sizes' must have one range for each index argument; found 0 for 1}}
  %r = kernel.dispatch loop (%x, %n) sizes(%n) sizeArgs = [1, 1] {sizes = #kernel.sizes<>} : (tensor<?xf32>, index) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>, %i: index):
    kernel.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// expected-error @below {{a size must have min <= opt <= max; found [4, 3, 8]}}
func.func private @order() attributes {a = #kernel.sizes<[1, 1, 1], [4, 3, 8]>}

// -----

// expected-error @below {{a size must have min <= opt <= max; found [1, 9, 8]}}
func.func private @above() attributes {a = #kernel.sizes<[1, 9, 8]>}

// -----

// expected-error @below {{expected ','}}
func.func private @two() attributes {a = #kernel.sizes<[1, 9]>}
