// The order of operands, one tensor as both, and a constant as one: the first
// argument of the kernel is the second operand.
gpu.module @m {
  gpu.func @difference(%b: memref<?xf32>, %n: index, %r: !llvm.ptr, %a: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %inside = arith.cmpi ult, %t, %n : index
    scf.if %inside {
      %x = memref.load %a[%t] : memref<?xf32>
      %y = memref.load %b[%t] : memref<?xf32>
      %d = arith.subf %x, %y : f32
      %i = arith.index_cast %t : index to i64
      %place = llvm.getelementptr %r[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %d, %place : f32, !llvm.ptr
    }
    gpu.return
  }
}
tripy.plugin @difference : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    sources [#tripy.plugin_source<c "difference" library = "libplugins.so">,
             #tripy.plugin_source<mlir "difference" module = @m block = [64, 1, 1]
               arguments = ["operand 1", "number 0", "result 0", "operand 0"]>] {
^bb0(%n: index, %m: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%one, %one, %one) numbers(%n)
}
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c = trace.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %p = trace.plugin @difference(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %q = trace.plugin @difference(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %r = trace.plugin @difference(%c, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %s = trace.plugin @difference(%p, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %dead = trace.plugin @difference(%b, %r) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %p, %q, %r, %s : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
