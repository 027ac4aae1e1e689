// Without an assembler, the executable holds PTX alone, and a warning says so.
// RUN: env TRIPY_CUDA_HOME=%t.none tripy-compile %s -o %t.tpx --target=cuda 2>&1 | FileCheck %s
// CHECK: warning: the executable holds PTX only, which the driver assembles at each load: neither ptxas nor libnvJitLink.so is in TRIPY_CUDA_HOME
// RUN: tripy-run %t.tpx --info | FileCheck %s --check-prefix=INFO --implicit-check-not=cubin
// INFO: PTX for sm_90a
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = trace.exp %x : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
