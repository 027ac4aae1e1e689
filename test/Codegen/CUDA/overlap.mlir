// Kernels start before their predecessors ended, and wait for them.
//
// RUN: tripy-opt %s --kernel-emit-cuda --kernel-plan | FileCheck %s
// RUN: tripy-opt %s --kernel-emit-cuda=overlap=false --kernel-plan | FileCheck %s --check-prefix=OFF
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 --kernel-plan | FileCheck %s --check-prefix=OFF

#id = affine_map<(i) -> (i)>

// The first launch of a program may overlap what ran before the program, which
// may write the arguments %x and %y. @add reads what another kernel writes in
// its second argument, in one of its calls; nothing writes parameters.
// CHECK: kernel.launch @negate {{.*}} written = 1 overlaps
// CHECK: kernel.launch @add {{.*}} written = 1 overlaps
// CHECK: kernel.launch @negate {{.*}} written = 1 overlaps
// CHECK: kernel.launch @add {{.*}} written = 1 overlaps
// OFF-NOT: overlaps
// OFF-NOT: waitsFor
// OFF-NOT: griddepcontrol
// OFF-NOT: prefetch
// RUN: tripy-opt %s --kernel-emit-cuda=prefetch=false --kernel-plan | FileCheck %s --check-prefix=PLAIN --implicit-check-not=prefetch
// PLAIN: griddepcontrol.wait
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %3 = kernel.call @negate(%y) sizes() : (tensor<64xf32>) -> tensor<64xf32>
  %0 = kernel.call @add(%x, %y) sizes() : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = kernel.call @negate(%0) sizes() : (tensor<64xf32>) -> tensor<64xf32>
  %2 = kernel.call @add(%x, %1) sizes() : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %2, %3 : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @first
// CHECK: kernel.launch @sum {{.*}} written = 1 overlaps
func.func @first(%x: tensor<64xf32>, %w: tensor<64xf32> {tripy.parameter}) -> tensor<64xf32> {
  %0 = kernel.call @sum(%x, %w) sizes() : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK: kernel.func @sum loop {{.*}} {waitsFor = array<i1: true, false>}
kernel.func @sum loop sizeArgs = [] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.addf %l, %r : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.yield %0 : tensor<64xf32>
}

// CHECK: kernel.func @add loop {{.*}} {waitsFor = array<i1: false, true>}
kernel.func @add loop sizeArgs = [] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.addf %l, %r : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.yield %0 : tensor<64xf32>
}

// CHECK: kernel.func @negate loop {{.*}} {waitsFor = array<i1: true>}
kernel.func @negate loop sizeArgs = [] : (tensor<64xf32>) -> tensor<64xf32> {
^bb0(%a: tensor<64xf32>):
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%l: f32, %o: f32):
    %1 = arith.negf %l : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  kernel.yield %0 : tensor<64xf32>
}

// What another kernel writes is neither invariant nor `noalias`, from which
// LLVM would conclude the same: such loads may pass the wait.
// CHECK: gpu.func @add(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias})
// No program begins with @add: it lets the next kernel start before it waits.
// CHECK: llvm.inline_asm has_side_effects "griddepcontrol.launch_dependents;", "~{memory}"
// CHECK-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
// CHECK-NOT: launch_dependents
// CHECK: llvm.load %{{.*}} invariant {
// CHECK: llvm.load %{{[0-9]+}} {
// CHECK: llvm.store
// CHECK: gpu.func @negate(
// Of what is emitted in front of the wait only the addresses are left.
// CHECK: scf.if
// CHECK-NOT: arith.negf
// CHECK: prefetch.global.L2
// CHECK-NOT: arith.negf
// CHECK-NOT: launch_dependents
// CHECK: griddepcontrol.wait
// CHECK-NEXT: griddepcontrol.launch_dependents
// CHECK-NOT: invariant
// CHECK: gpu.return
