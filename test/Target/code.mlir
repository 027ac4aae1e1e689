// Machine code as text: position-independent, without calls of libraries, for
// the processor asked for.
// RUN: tripy-compile %s --stop-after=asm --cpu=x86-64-v3 | FileCheck %s --check-prefix=ASM --implicit-check-not=callq
// ASM: main_loop_0
// ASM: {{vmulps|vaddps|vfmadd}}{{.*}}%ymm

// The plain processor has no wide vectors.
// RUN: tripy-compile %s --stop-after=asm --cpu=x86-64 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=%ymm
// PLAIN: main_loop_0

// RUN: tripy-compile %s --cpu=x86-64-v3 -o %t.tpx
// RUN: tripy-run %t.tpx --info | FileCheck %s --check-prefix=INFO
// INFO: x86-64 code for {{.*}}avx2

// RUN: tripy-compile %s --stop-after=ptx --target=cuda:sm_90a | FileCheck %s --check-prefix=PTX
// PTX: .version 8.4
// PTX-NEXT: .target sm_90a
// PTX: .entry main_loop_0{{.*}}(
// PTX-NOT: .version
// PTX-NOT: .local
// PTX: ld.global.v4
// PTX: st.global.{{.*}}v4
// RUN: tripy-compile %s --stop-after=ptx --target=cuda:sm_100a | FileCheck %s --check-prefix=NEWER
// NEWER: .version 8.6
// NEWER-NEXT: .target sm_100a
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = trace.tanh %x : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
