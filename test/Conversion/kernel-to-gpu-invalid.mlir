// What is not a planned program with its code is refused by name.
//
// RUN: not tripy-opt %s --split-input-file --kernel-to-gpu 2>&1 | FileCheck %s
// RUN: not tripy-opt %s --split-input-file --device-code-to-binary=format=text 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tripy-opt %s --split-input-file --device-code-to-binary 2>&1 | FileCheck %s --check-prefix=CODE
// FORMAT: error: format must be 'ptx' or 'cubin'; found 'text'
// CODE: error: a program for CUDA must have a gpu.module @device_code

// CHECK-DAG: error: a program must be planned by --kernel-plan
module {
}

// -----

// CHECK-DAG: error: a program must have its code as gpu.binary @device_code, which --device-code-to-binary makes
module {
  func.func @main(%x: tensor<4xf32>) attributes {kernel.outputs = [tensor<4xf32>], kernel.constants = [], kernel.output_names = ["a"], kernel.arena = 0 : i64} {
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @device_code [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "">]
  func.func @main(%x: tensor<4xf32>) attributes {kernel.outputs = [tensor<4xf32>], kernel.constants = [], kernel.output_names = ["a"], kernel.arena = 0 : i64} {
    // CHECK-DAG: error: 'kernel.buffer' op must be one of 1 of kind input; found 7
    %0 = kernel.buffer input 7
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @device_code [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "">]
  func.func @main(%x: tensor<4xf32>) attributes {kernel.outputs = [tensor<4xf32>], kernel.constants = [], kernel.output_names = ["a"], kernel.arena = 0 : i64} {
    // CHECK-DAG: error: 'kernel.buffer' op must lie in the arena of 0 bytes; found 16 at 0
    %0 = kernel.buffer arena 0 offset = 0 size = 16
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @device_code [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = "">]
  func.func @main(%x: tensor<4xf32>) attributes {kernel.outputs = [tensor<4xf32>], kernel.constants = [], kernel.output_names = ["a"], kernel.arena = 0 : i64} {
    // CHECK-DAG: error: 'kernel.input_size' op must name a dynamic dimension; found 3 of 'tensor<4xf32>'
    %0 = kernel.input_size 0, 3
    return
  }
}
