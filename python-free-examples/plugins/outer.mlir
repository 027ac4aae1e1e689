// outer(a, b)[i, j] = a[i] * b[j] as a function of MLIR's gpu dialect.
gpu.module @kernels {
  gpu.func @outer(%a: memref<?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>) kernel {
    %row = gpu.block_id x
    %zero = arith.constant 0 : index
    %start = gpu.thread_id x
    %threads = gpu.block_dim x
    %columns = memref.dim %b, %zero : memref<?xf32>
    %x = memref.load %a[%row] : memref<?xf32>
    scf.for %j = %start to %columns step %threads {
      %y = memref.load %b[%j] : memref<?xf32>
      %product = arith.mulf %x, %y : f32
      memref.store %product, %r[%row, %j] : memref<?x?xf32>
    }
    gpu.return
  }
}

tripy.plugin @outer : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
    sources [#tripy.plugin_source<mlir "outer" module = @kernels block = [128, 1, 1]>] {
^bb0(%rows: index, %columns: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%rows, %columns) grid(%rows, %one, %one)
}

func.func @main(%a: tensor<?xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [0], opt = [2], max = [100]>},
                %b: tensor<?xf32> {tripy.name = "b", tripy.profile = #tripy.profile<min = [0], opt = [3], max = [1000]>})
    -> (tensor<?x?xf32> {tripy.name = "r"}) {
  %r = trace.plugin @outer(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
