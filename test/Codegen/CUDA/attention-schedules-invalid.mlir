// Schedules of attention that break a rule, in the text: each is an error that names it.
// DEFINE: %{schedule} =
// DEFINE: %{refuse} = sed 's/#kernel.attention_schedule<[^>]*>/#kernel.attention_schedule<%{schedule}>/' %t.mlir | not tripy-compile - -o %t.tpx 2>&1
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules -o %t.mlir
// REDEFINE: %{schedule} = tile = [96, 128], stages = 2, producer = 24, consumer = 240
// RUN: %{refuse} | FileCheck %s --check-prefix=QUERIES
// REDEFINE: %{schedule} = tile = [128, 120], stages = 2, producer = 24, consumer = 240
// RUN: %{refuse} | FileCheck %s --check-prefix=KEYS
// REDEFINE: %{schedule} = tile = [128, 128], stages = 17, producer = 24, consumer = 240
// RUN: %{refuse} | FileCheck %s --check-prefix=STAGES
// REDEFINE: %{schedule} = tile = [128, 128], stages = 2, producer = 24, consumer = 236
// RUN: %{refuse} | FileCheck %s --check-prefix=EIGHT
// REDEFINE: %{schedule} = tile = [128, 128], stages = 2, producer = 32, consumer = 240
// RUN: %{refuse} | FileCheck %s --check-prefix=TOGETHER
// REDEFINE: %{schedule} = tile = [192, 128], stages = 2, producer = 32, consumer = 168
// RUN: %{refuse} | FileCheck %s --check-prefix=TOGETHER
// REDEFINE: %{schedule} = tile = [128, 128], stages = 2, producer = 24, consumer = 152
// RUN: %{refuse} | FileCheck %s --check-prefix=FEW
// REDEFINE: %{schedule} = tile = [128, 128], stages = 7, producer = 24, consumer = 240
// RUN: %{refuse} | FileCheck %s --check-prefix=SHARED

// QUERIES: error: the schedule is illegal: a tile has 64, 128 or 192 queries
// KEYS: error: the schedule is illegal: keys are a multiple of 16 up to 256
// STAGES: error: the schedule is illegal: there are 2 to 16 stages of keys
// EIGHT: error: the schedule is illegal: a role's threads have a multiple of 8 registers
// TOGETHER: error: the schedule is illegal: all roles together have at most the registers that a block begins with
// FEW: error: the schedule is illegal: a consumer has too few registers
// SHARED: error: the schedule is illegal: its stages do not fit in shared memory
func.func @main(%q: tensor<2x4x256x64xf16>, %k: tensor<2x4x256x64xf16>, %v: tensor<2x4x256x64xf16>) -> tensor<2x4x256x64xf16> {
  %0 = trace.attention %q, %k, %v : (tensor<2x4x256x64xf16>, tensor<2x4x256x64xf16>, tensor<2x4x256x64xf16>) -> tensor<2x4x256x64xf16>
  return %0 : tensor<2x4x256x64xf16>
}
