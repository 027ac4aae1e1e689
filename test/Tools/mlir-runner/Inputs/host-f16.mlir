  // ROWS rows of 64: x[i, j] = i + j, w[i, j] = 1 where i == j, as a model with a
  // dynamic number of rows gets them; prints the result.
  func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
  func.func @run() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %rows = arith.constant ROWS : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %x = memref.alloc(%rows) : memref<?x64xf16>
    %w = memref.alloc() : memref<64x64xf16>
    scf.for %j = %c0 to %c64 step %c1 {
      scf.for %i = %c0 to %rows step %c1 {
        %s = arith.addi %i, %j : index
        %n = arith.index_cast %s : index to i32
        %f = arith.sitofp %n : i32 to f32
        %f16 = arith.truncf %f : f32 to f16
        memref.store %f16, %x[%i, %j] : memref<?x64xf16>
      }
      scf.for %i = %c0 to %c64 step %c1 {
        %same = arith.cmpi eq, %i, %j : index
        %v = arith.select %same, %one, %zero : f32
        %v16 = arith.truncf %v : f32 to f16
        memref.store %v16, %w[%i, %j] : memref<64x64xf16>
      }
    }
    %t0 = gpu.wait async
    %dx, %t1 = gpu.alloc async [%t0] (%rows) : memref<?x64xf16>
    %dw, %t2 = gpu.alloc async [%t1] () : memref<64x64xf16>
    %t3 = gpu.memcpy async [%t2] %dx, %x : memref<?x64xf16>, memref<?x64xf16>
    %t4 = gpu.memcpy async [%t3] %dw, %w : memref<64x64xf16>, memref<64x64xf16>
    gpu.wait [%t4]
    %n = func.call @main_output_sizes(%dx, %dw) : (memref<?x64xf16>, memref<64x64xf16>) -> index
    %constant = func.call @main_constants() : () -> memref<64xf32>
    %t5 = gpu.wait async
    %dy, %t6 = gpu.alloc async [%t5] (%n) : memref<?x64xf32>
    gpu.wait [%t6]
    func.call @main(%dx, %dw, %constant, %dy) : (memref<?x64xf16>, memref<64x64xf16>, memref<64xf32>, memref<?x64xf32>) -> ()
    %y = memref.alloc(%n) : memref<?x64xf32>
    %t7 = gpu.wait async
    %t8 = gpu.memcpy async [%t7] %y, %dy : memref<?x64xf32>, memref<?x64xf32>
    gpu.wait [%t8]
    %u = memref.cast %y : memref<?x64xf32> to memref<*xf32>
    call @printMemrefF32(%u) : (memref<*xf32>) -> ()
    return
  }
}
