// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// Broadcasting: the verifier compares each result type with the inferred one.

// CHECK-LABEL: @broadcast
func.func @broadcast(%s: tensor<f32>, %v: tensor<3xf32>, %c: tensor<4x1xf32>,
                     %m: tensor<4x3xf32>, %z: tensor<0xf32>, %o: tensor<1xf32>) {
  // CHECK: trace.add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = trace.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: trace.sub {{.*}} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = trace.sub %v, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: trace.mul {{.*}} : (tensor<3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %2 = trace.mul %v, %c : (tensor<3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  // CHECK: trace.div {{.*}} : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %3 = trace.div %m, %c : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  // CHECK: trace.add {{.*}} : (tensor<0xf32>, tensor<1xf32>) -> tensor<0xf32>
  %4 = trace.add %z, %o : (tensor<0xf32>, tensor<1xf32>) -> tensor<0xf32>
  return
}

// A dynamic size beside 1 stays dynamic; beside a larger size it is that size.
// CHECK-LABEL: @dynamic
func.func @dynamic(%a: tensor<?x3xf32>, %b: tensor<?x1xf32>, %c: tensor<4x3xf32>,
                   %d: tensor<1x3xf32>, %e: tensor<?xf32>) {
  // CHECK: trace.pow {{.*}} -> tensor<?x3xf32>
  %0 = trace.pow %a, %b : (tensor<?x3xf32>, tensor<?x1xf32>) -> tensor<?x3xf32>
  // CHECK: trace.maximum {{.*}} -> tensor<4x3xf32>
  %1 = trace.maximum %a, %c : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // CHECK: trace.minimum {{.*}} -> tensor<?x3xf32>
  %2 = trace.minimum %d, %a : (tensor<1x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  // CHECK: trace.floor_div {{.*}} -> tensor<?x?xf32>
  %3 = trace.floor_div %b, %e : (tensor<?x1xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @compare
func.func @compare(%a: tensor<?x3xf16>, %b: tensor<3xf16>, %c: tensor<2xi1>) {
  // CHECK: trace.lt {{.*}} : (tensor<?x3xf16>, tensor<3xf16>) -> tensor<?x3xi1>
  %0 = trace.lt %a, %b : (tensor<?x3xf16>, tensor<3xf16>) -> tensor<?x3xi1>
  // CHECK: trace.eq {{.*}} : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %1 = trace.eq %c, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
