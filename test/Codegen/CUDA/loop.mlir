// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// A pointwise kernel is flat: 16 bytes for a thread, the rest one by one.
// CHECK: kernel.func @pointwise loop {{.*}} config = <grid = ()[s0] -> (((s0 * 3) floordiv 8 + (s0 * 3) mod 8) ceildiv 256, 1, 1), block = [256, 1, 1]
kernel.func @pointwise loop sizeArgs = [1, 1] : (tensor<?x3xf16>, index) -> tensor<?x3xf16> {
^bb0(%a: tensor<?x3xf16>, %n: index):
  %e = tensor.empty(%n) : tensor<?x3xf16>
  %c = arith.constant 1.0 : f16
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x3xf16>) outs(%e : tensor<?x3xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.addf %x, %c : f16
    linalg.yield %y : f16
  } -> tensor<?x3xf16>
  kernel.yield %0 : tensor<?x3xf16>
}

// The last dimension is even: whole vectors, the bias as well.
// CHECK: kernel.func @bias loop {{.*}} config = <grid = ()[s0] -> ((s0 * 2) ceildiv 256, 1, 1), block = [256, 1, 1]
kernel.func @bias loop sizeArgs = [2, 2] : (tensor<?x16xf16>, tensor<16xf16>, index) -> tensor<?x16xf16> {
^bb0(%a: tensor<?x16xf16>, %b: tensor<16xf16>, %n: index):
  %e = tensor.empty(%n) : tensor<?x16xf16>
  %0 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x16xf16>, tensor<16xf16>) outs(%e : tensor<?x16xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %z = arith.addf %x, %y : f16
    linalg.yield %z : f16
  } -> tensor<?x16xf16>
  kernel.yield %0 : tensor<?x16xf16>
}

// The last dimension is odd: whole vectors go over the ends of rows, and the bias is read element by element.
// CHECK: kernel.func @odd loop {{.*}} config = <grid = ()[s0] -> (((s0 * 5) floordiv 8 + (s0 * 5) mod 8) ceildiv 256, 1, 1)
kernel.func @odd loop sizeArgs = [2, 2] : (tensor<?x5xf16>, tensor<5xf16>, index) -> tensor<?x5xf16> {
^bb0(%a: tensor<?x5xf16>, %b: tensor<5xf16>, %n: index):
  %e = tensor.empty(%n) : tensor<?x5xf16>
  %0 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x5xf16>, tensor<5xf16>) outs(%e : tensor<?x5xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %z = arith.addf %x, %y : f16
    linalg.yield %z : f16
  } -> tensor<?x5xf16>
  kernel.yield %0 : tensor<?x5xf16>
}

// The last dimension is known at run time only: rows of whole vectors, where it is a multiple, or vectors over the ends of rows.
// CHECK: kernel.func @versions loop {{.*}} config = <grid = ()[s0, s1] -> (((s0 * s1) floordiv 8 + (s0 * s1) mod 8) ceildiv 256, 1, 1)
kernel.func @versions loop sizeArgs = [2, 3, 3, 2, 3] : (tensor<?x?xf16>, tensor<?xf16>, index, index) -> tensor<?x?xf16> {
^bb0(%a: tensor<?x?xf16>, %b: tensor<?xf16>, %m: index, %n: index):
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %0 = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<?x?xf16>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %z = arith.addf %x, %y : f16
    linalg.yield %z : f16
  } -> tensor<?x?xf16>
  kernel.yield %0 : tensor<?x?xf16>
}

// A slice at an offset of 4 elements allows 8-byte accesses only.
// CHECK: kernel.func @slice loop
kernel.func @slice loop sizeArgs = [1, 1] : (tensor<?x16xf16>, index) -> tensor<?x8xf16> {
^bb0(%a: tensor<?x16xf16>, %n: index):
  %0 = tensor.extract_slice %a[0, 4] [%n, 8] [1, 1] : tensor<?x16xf16> to tensor<?x8xf16>
  %e = tensor.empty(%n) : tensor<?x8xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x8xf16>) outs(%e : tensor<?x8xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  } -> tensor<?x8xf16>
  kernel.yield %1 : tensor<?x8xf16>
}

// i1 is one byte an element.
// CHECK: kernel.func @not loop
kernel.func @not loop sizeArgs = [] : (tensor<32xi1>) -> tensor<32xi1> {
^bb0(%a: tensor<32xi1>):
  %e = tensor.empty() : tensor<32xi1>
  %t = arith.constant true
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<32xi1>) outs(%e : tensor<32xi1>) {
  ^bb0(%x: i1, %o: i1):
    %y = arith.xori %x, %t : i1
    linalg.yield %y : i1
  } -> tensor<32xi1>
  kernel.yield %0 : tensor<32xi1>
}

// CHECK: gpu.module @device_code [#nvvm.target<{{.*}}chip = "sm_90a"
// CHECK: gpu.func @pointwise(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// The sum is computed in f32 and rounded once.
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK-LABEL: gpu.func @bias
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT: -> f16
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-LABEL: gpu.func @odd
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-8: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-LABEL: gpu.func @versions
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c7 : index
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0 : index
// CHECK: scf.if %[[WHOLE]]
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK: } else {
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-8: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-LABEL: gpu.func @slice
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-LABEL: gpu.func @not
// CHECK: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr<1> -> vector<8xi8>
// CHECK: arith.cmpi eq
