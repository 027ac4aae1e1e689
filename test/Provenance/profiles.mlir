// Missing profiles are reported before anything else is done, all of them, each
// at its argument.
// RUN: not tripy-opt %s --tripy-cuda --mlir-print-ir-before-all 2>&1 | FileCheck %s --implicit-check-not="IR Dump Before TraceToFlatIR"
// RUN: not tripy-opt %s --tripy-cpu --mlir-print-ir-before-all 2>&1 | FileCheck %s --implicit-check-not="IR Dump Before TraceToFlatIR"
// RUN: not tripy-compile %s --target=cpu -o %t.tpx 2>&1 | FileCheck %s --check-prefix=COMPILE --implicit-check-not=error:
// The GPU is not even looked for.
// RUN: not tripy-compile %s --target=cuda --tune=cuda:1000 2>&1 | FileCheck %s --check-prefix=COMPILE --implicit-check-not=error:

// COMPILE: --> {{.*}}profiles.mlir:[[#@LINE+7]]
// COMPILE: error: argument 1 ('b') of dynamic shape needs a 'tripy.profile'; its type is 'tensor<?xf32>'
// COMPILE: --> {{.*}}profiles.mlir:[[#@LINE+6]]
// COMPILE: error: argument 2 ('c') of dynamic shape needs a 'tripy.profile'; its type is 'tensor<2x?xf32>'
// CHECK: error: argument 1 ('b') of dynamic shape needs a 'tripy.profile'; its type is 'tensor<?xf32>'
// CHECK: error: argument 2 ('c') of dynamic shape needs a 'tripy.profile'; its type is 'tensor<2x?xf32>'
func.func @main(%a: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [1], max = [1]>},
                %b: tensor<?xf32>,
                %c: tensor<2x?xf32>) -> tensor<?xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf64>
  %1 = trace.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// What is called, or only declared, gets no value from outside.
func.func private @inner(%d: tensor<?xf32>) -> tensor<?xf32> {
  return %d : tensor<?xf32>
}
func.func private @declared(%d: tensor<?xf32>)
