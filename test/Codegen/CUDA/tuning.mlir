// A tuning file takes the place of the model where its key matches.
// RUN: printf 'tripy-tuning 1\nsm_90a | A | 2 | f16 512x512x256 nt batch=1 parts=1 store=tma16 | 128x64,cluster=2 | 12.5\nend\n' > %t.one
// RUN: sed 's/ A / B /' %t.one > %t.other
// RUN: sed 's/128x64,cluster=2/64x48/' %t.one > %t.unusual
// RUN: sed 's/| 2 |/| 999 |/' %t.one > %t.generation
// RUN: sed 's/sm_90a/sm_90/' %t.one > %t.chip
// RUN: sed 's/512x256/512x128/' %t.one > %t.shape
// RUN: sed '2{p;s/ A / B /;s/128x64,cluster=2/128x128/}' %t.one > %t.two
// RUN: sed 's/128x64,cluster=2/64x64,split=8/' %t.one > %t.split

// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels | FileCheck %s --check-prefix=MODEL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.one | FileCheck %s --check-prefix=TUNED
// RUN: env TRIPY_TUNING_FILE=%t.one tripy-compile %s --target=cuda:sm_90a --stop-after=kernels | FileCheck %s --check-prefix=TUNED
// RUN: env TRIPY_TUNING_FILE=%t.one tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.other --tuning-device=A | FileCheck %s --check-prefix=MODEL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.unusual | FileCheck %s --check-prefix=UNUSUAL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.one --gemm-tile=64x48 | FileCheck %s --check-prefix=UNUSUAL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.generation | FileCheck %s --check-prefix=MODEL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.chip | FileCheck %s --check-prefix=MODEL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.shape | FileCheck %s --check-prefix=MODEL
// More k-blocks than there are.
// RUN: not tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.split 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// Of several devices one has to be named.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.two | FileCheck %s --check-prefix=MODEL
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.two --tuning-device=A | FileCheck %s --check-prefix=TUNED

// What cannot be used is said, and changes nothing.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.none 2>&1 | FileCheck %s --check-prefixes=MODEL,NONE
// NONE: warning: the tuning file is not used: {{.*}}.none
// RUN: head -c 100 %t.one > %t.cut
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.cut 2>&1 | FileCheck %s --check-prefixes=MODEL,CUT
// CUT: warning: the tuning file is not used: '{{.*}}.cut': its last line is missing
// RUN: sed 's/tuning 1/tuning 7/' %t.one > %t.later
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%t.later 2>&1 | FileCheck %s --check-prefixes=MODEL,LATER
// LATER: warning: the tuning file is not used: '{{.*}}.later': its version is 7
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels --tuning-file=%s 2>&1 | FileCheck %s --check-prefixes=MODEL,FOREIGN
// FOREIGN: warning: the tuning file is not used: '{{.*}}tuning.mlir': it is not a tuning file

// ILLEGAL: error: the tile of the tuning file for 'f16 512x512x256 nt batch=1 parts=1 store=tma16', 64x64,split=8, is illegal: with split-K, each block has a k-block

// MODEL: kernel.func
// MODEL-SAME: grid = () -> (132, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
// MODEL-SAME: box = [64, 64]
// MODEL-SAME: box = [64, 64]
// TUNED: kernel.func
// TUNED-SAME: grid = () -> (132, 1, 1), block = [384, 1, 1], cluster = [2, 1, 1]
// TUNED-SAME: box = [64, 128]
// TUNED-SAME: box = [64, 32]
// UNUSUAL: kernel.func
// UNUSUAL-SAME: block = [256, 1, 1], cluster = [1, 1, 1]
// UNUSUAL-SAME: box = [64, 48]

// A remark says which tile was taken, and why.
// RUN: tripy-opt %s --tripy-cuda='tuning-file=%t.one' --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: remark: [Passed] tile | Category:gemm | Function=main_gemm_0_dot | Remark="tile 128x64,cluster=2: measured on A, 12.5 us"
// RUN: tripy-opt %s --tripy-cuda --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s --check-prefix=WHYNOT
// WHYNOT: Remark="tile 64x64: by the model, {{[0-9]+}} cycles for f16 512x512x256 nt batch=1 parts=1 store=tma16"
func.func @main(%x: tensor<512x256xf16>, %w: tensor<512x256xf16>) -> tensor<512x512xf16> {
  %y = trace.linear %x, %w : (tensor<512x256xf16>, tensor<512x256xf16>) -> tensor<512x512xf16>
  return %y : tensor<512x512xf16>
}
