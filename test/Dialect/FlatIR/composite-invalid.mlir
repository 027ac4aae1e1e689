// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: f32) {
  // expected-error @below {{violates [flatir.composite C1] operands are tensors and sizes}}
  flatir.composite "f" (%x) {} : (f32) -> () {
  ^bb0(%a: f32):
    flatir.yield
  }
  return
}

// -----

func.func @C2(%x: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.composite C2] the region's arguments have the operands' types}}
  flatir.composite "f" (%x) {} : (tensor<2xf32>) -> () {
  ^bb0(%a: tensor<3xf32>):
    flatir.yield
  }
  return
}

// -----

func.func @C3(%x: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.composite C3] the region yields the results' types}}
  %r = flatir.composite "f" (%x) {} : (tensor<2xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<2xf32>):
    flatir.yield %a : tensor<2xf32>
  }
  return
}

// -----

// Another terminator, or none.
func.func @C3(%x: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.composite C3] the region yields the results' types}}
  %r = "flatir.composite"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %0 = "flatir.exp"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  }) {name = "f", config = {}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
