// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_100a | FileCheck %s --check-prefix=SM100
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_103 | FileCheck %s --check-prefix=SM103
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_120 | FileCheck %s --check-prefix=SM120
// RUN: not tripy-opt %s --kernel-emit-cuda=chip=sm_91 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The module asks for the version of PTX that the chip's instructions need.

// SM80: #nvvm.target<O = 3, chip = "sm_80", features = "+ptx84">
// SM100: #nvvm.target<O = 3, chip = "sm_100a", features = "+ptx86">
// SM103: #nvvm.target<O = 3, chip = "sm_103", features = "+ptx88">
// SM120: #nvvm.target<O = 3, chip = "sm_120", features = "+ptx87">
// UNKNOWN: error: a GPU architecture must be one of sm_75, {{.*}} but is 'sm_91'

kernel.func @copy loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  kernel.yield %a : tensor<4xf32>
}
