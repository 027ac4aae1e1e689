// A plugin of two results, whose sizes are computed, with all kinds of
// parameters. Its gpu.func keeps a sum in memory of the module.
tripy.plugin @split : (tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xi32>) parameters ["n", "d", "f", "i"] : [i64, f64, f32, i32]
    sources [#tripy.plugin_source<mlir "split" module = @m block = [32, 1, 1]>,
             #tripy.plugin_source<c "split_sizes" library = "libplugins.so">] {
^bb0(%r: index, %c: index):
  %one = arith.constant 1 : index
  %s = arith.addi %r, %c : index
  %d = arith.subi %r, %c : index
  %w = arith.maxsi %d, %one : index
  tripy.plugin_sizes results(%s, %c, %w) grid(%one, %one, %one) numbers(%d)
}
gpu.module @m {
  memref.global "private" @sum : memref<1xf32, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @split(%a: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?x?xi32>, %d: i64, %n: i64, %dd: f64, %f: f32, %i: i32) kernel {
    %t = gpu.thread_id x
    %z = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eq = arith.cmpi eq, %t, %z : index
    scf.if %eq {
      %sv = memref.dim %v, %z : memref<?xf32>
      %s0 = memref.dim %w, %z : memref<?x?xi32>
      %s1 = memref.dim %w, %one : memref<?x?xi32>
      %d32 = arith.trunci %d : i64 to i32
      %n32 = arith.trunci %n : i64 to i32
      %ff = arith.truncf %dd : f64 to f32
      %sum = arith.addf %f, %ff : f32
      %shared = memref.get_global @sum : memref<1xf32, #gpu.address_space<workgroup>>
      memref.store %sum, %shared[%z] : memref<1xf32, #gpu.address_space<workgroup>>
      %sum0 = memref.load %shared[%z] : memref<1xf32, #gpu.address_space<workgroup>>
      scf.for %j = %z to %sv step %one {
        memref.store %sum0, %v[%j] : memref<?xf32>
      }
      %p0 = arith.addi %d32, %n32 : i32
      %p1 = arith.addi %p0, %i : i32
      scf.for %j = %z to %s0 step %one {
        scf.for %k = %z to %s1 step %one {
          memref.store %p1, %w[%j, %k] : memref<?x?xi32>
        }
      }
    }
    gpu.return
  }
}
func.func @main(%x: tensor<?x?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 1], opt = [4, 3], max = [40, 30]>}) -> (tensor<?xf32>, tensor<?x?xi32>, tensor<?xf32>) {
  %v, %w = trace.plugin @split(%x) parameters {n = 1000 : i64, d = 0.25 : f64, f = 0.5 : f32, i = -7 : i32} : (tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xi32>)
  %u = trace.concatenate %v, %v dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %v, %w, %u : tensor<?xf32>, tensor<?x?xi32>, tensor<?xf32>
}
