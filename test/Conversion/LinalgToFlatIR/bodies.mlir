// Bodies, element-wise arith and math, and numbers outside of bodies.
// RUN: tripy-opt %s --linalg-to-flatir --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (0, j)>

// CHECK-LABEL: @rows_of_the_table
// CHECK: %[[ROW:.*]] = flatir.broadcast %arg1 dims = [0] sizes() : tensor<2xf32> -> tensor<2x3xf32>
// CHECK: %[[SUM:.*]] = flatir.add %arg0, %[[ROW]]
// CHECK: %[[FLAT:.*]] = flatir.reshape %arg2 sizes() : tensor<1x3xf32> -> tensor<3xf32>
// CHECK: %[[COLUMN:.*]] = flatir.broadcast %[[FLAT]] dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK: %[[PRODUCT:.*]] = flatir.mul %[[SUM]], %[[COLUMN]]
// CHECK: %[[RESULT:.*]] = flatir.tanh %[[PRODUCT]]
// CHECK: return %[[RESULT]], %[[SUM]]
// CHECK-NOT: linalg
func.func @rows_of_the_table(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #column, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<2x3xf32>, tensor<2xf32>, tensor<1x3xf32>) outs(%e, %e : tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32, %p: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %z : f32
    %u = math.tanh %t : f32
    linalg.yield %u, %s : f32, f32
  } -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// A result in another order of the loops, and the result's own value.
// CHECK-LABEL: @transposed
// CHECK: %[[OLD:.*]] = flatir.transpose %arg1 [1, 0]
// CHECK: %[[SUM:.*]] = flatir.add %arg0, %[[OLD]] : tensor<2x3xf32>
// CHECK: %[[R:.*]] = flatir.transpose %[[SUM]] [1, 0]
// CHECK: return %[[R]]
func.func @transposed(%a: tensor<2x3xf32>, %old: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x3xf32>) outs(%old : tensor<3x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// What flatir means otherwise becomes what is equal: of maxnumf the number, of signed truth values true is -1, of trunci to
// i1 the last bit.
// CHECK-LABEL: @not_the_same
// CHECK: %[[MAX:.*]] = flatir.maximum %arg0, %arg1
// CHECK: flatir.compare ne %arg1, %arg1
// CHECK: flatir.select
// CHECK: flatir.compare ne %arg0, %arg0
// CHECK: flatir.select
// CHECK: flatir.convert %arg2 : tensor<4xi1> -> tensor<4xf32>
// CHECK: flatir.neg
// CHECK: flatir.mod %arg3
// CHECK: %[[BIT:.*]] = flatir.compare ne
// CHECK: flatir.compare lt %arg2, %[[BIT]] : tensor<4xi1>
// CHECK-NOT: flatir.convert %arg3
func.func @not_the_same(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi1>, %d: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  %0 = arith.maxnumf %a, %b : tensor<4xf32>
  %1 = arith.sitofp %c : tensor<4xi1> to tensor<4xf32>
  %2 = arith.trunci %d : tensor<4xi32> to tensor<4xi1>
  %3 = arith.cmpi slt, %2, %c : tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// Functions of bits are rows of the table; shifts, which are undefined for wide
// amounts here and not there, stay, and the fusion pass takes them.
// CHECK-LABEL: @bitwise
// CHECK: %[[X:.*]] = arith.shli %arg0, %arg1 : tensor<4xi32>
// CHECK: %[[Y:.*]] = flatir.bitwise_xor %[[X]], %arg1 : tensor<4xi32>
// CHECK: flatir.mul %[[Y]], %arg0
func.func @bitwise(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.shli %a, %b : tensor<4xi32>
  %1 = arith.xori %0, %b : tensor<4xi32>
  %2 = arith.muli %1, %a : tensor<4xi32>
  return %2 : tensor<4xi32>
}

// -----

// Numbers that tensors are computed from are tensors of rank 0: here 1 / n.
// CHECK-LABEL: @numbers
// CHECK: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK: %[[I:.*]] = flatir.from_index %[[N]] : tensor<i64>
// CHECK: %[[F:.*]] = flatir.convert %[[I]] : tensor<i64> -> tensor<f32>
// CHECK: %[[Q:.*]] = flatir.div %{{.*}}, %[[F]] : tensor<f32>
// CHECK: %[[ALL:.*]] = flatir.broadcast %[[Q]] dims = [] sizes(%[[N]]) : tensor<f32> -> tensor<?xf32>
// CHECK: flatir.mul %arg0, %[[ALL]]
func.func @numbers(%a: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [3], max = [8]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  %q = arith.divf %one, %f : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.map ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) (%x: f32, %o: f32) {
    %s = arith.mulf %x, %q : f32
    linalg.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// -----

// Dynamic sizes of operands are required to agree.
// CHECK-LABEL: @agree
// CHECK: flatir.require "equal" %{{.*}}, %{{.*}} "the operands of 'add' agree in loop 0"
// CHECK: flatir.add
func.func @agree(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// linalg between operations of trace.
// CHECK-LABEL: @mixed
// CHECK: %[[A:.*]] = trace.exp %arg0
// CHECK: %[[B:.*]] = flatir.sqrt %[[A]]
// CHECK: trace.softmax %[[B]]
func.func @mixed(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.exp %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.sqrt ins(%0 : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = trace.softmax %1 dim = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
