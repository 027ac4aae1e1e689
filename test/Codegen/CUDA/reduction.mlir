// RUN: split-file %s %t
// RUN: tripy-compile %t/whole.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=WHOLE
// RUN: tripy-compile %t/whole.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=WHOLE-PTX
// RUN: tripy-compile %t/columns.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=COLUMNS
// RUN: tripy-compile %t/columns.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=COLUMNS-PTX
// RUN: tripy-compile %t/groups.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=GROUPS
// RUN: tripy-compile %t/apart.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=APART
// RUN: tripy-compile %t/apart.mlir -o - --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=APART-PTX
// RUN: tripy-compile %t/few.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=FEW
// RUN: tripy-compile %t/spread.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=SPREAD
// RUN: tripy-compile %t/keepdim.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=KEEPDIM
// RUN: tripy-compile %t/rows.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=ROWS
// RUN: tripy-compile %t/many.mlir -o - --target=cuda --stop-after=kernels | FileCheck %s --check-prefix=MANY

// A whole tensor is a run of elements, whatever its shape: 16 bytes of each load, as many blocks as are worth it at the size
// of a run of the program, 528 at most. The last one joins what they have.

// WHOLE: kernel.func {{.*}} config = <grid = ()[s0] -> ({{.*}}s0 * 40415) floordiv 8{{.*}}, block = [256, 1, 1], {{.*}}workspace = [2112, 4]>
// WHOLE-NOT: kernel.func

// Eight loads at a time, and what is left in one more round, of eight or of four; a tail of less than 16 bytes.
// WHOLE-PTX: griddepcontrol.wait
// WHOLE-PTX-COUNT-20: ld.global{{.*}}.v4.b32
// WHOLE-PTX: ld.global{{.*}}.b16
// WHOLE-PTX: bar.sync
// WHOLE-PTX: atom.acq_rel.gpu.global.inc.u32
// WHOLE-PTX: bar.sync
// WHOLE-PTX-COUNT-8: ld.global
// WHOLE-PTX-NOT: .local

//--- whole.mlir
func.func @main(%x: tensor<?x40415xf16> {tripy.name = "x", tripy.dims = ["n", ""],
    tripy.profile = #tripy.profile<min = [1, 40415], opt = [49, 40415], max = [49, 40415]>}) -> (tensor<f16> {tripy.name = "y"}) {
  %y = trace.max %x dims = [0, 1] : (tensor<?x40415xf16>) -> tensor<f16>
  return %y : tensor<f16>
}

// 49 columns are no vectors, but eight rows of them are, which are one step. 83 blocks share the rows, whose 16 partial results for
// each thread the last one joins, or more of many rows, up to 264. The rows that are less than eight are added one by one.

// COLUMNS: kernel.func {{.*}} config = <grid = ()[s0] -> ({{.*}}s0 floordiv 8{{.*}} + 83{{.*}}, block = [256, 1, 1], {{.*}}workspace = [51744, 4]>

// COLUMNS-PTX: griddepcontrol.wait
// COLUMNS-PTX-COUNT-20: ld.global{{.*}}.v4.b32
// COLUMNS-PTX-COUNT-7: ld.global{{.*}}.b16
// COLUMNS-PTX-NOT: .local

//--- columns.mlir
func.func @main(%x: tensor<?x49xf16> {tripy.name = "x", tripy.dims = ["n", ""],
    tripy.profile = #tripy.profile<min = [1, 49], opt = [16384, 49], max = [16384, 49]>}) -> (tensor<49xf16> {tripy.name = "y"}) {
  %y = trace.sum %x dims = [0] : (tensor<?x49xf16>) -> tensor<49xf16>
  return %y : tensor<49xf16>
}

// Rows of eight f32 are two loads of 16 bytes each: 16 threads side by side have all eight outputs.

// GROUPS: kernel.func {{.*}} config = <grid = () -> (125, 1, 1), block = [256, 1, 1], {{.*}}workspace = [
// GROUPS-NOT: kernel.func

//--- groups.mlir
func.func @main(%x: tensor<8x1000x8x8xf32> {tripy.name = "x"}) -> (tensor<8xf32> {tripy.name = "y"}) {
  %y = trace.mean %x dims = [0, 1, 3] : (tensor<8x1000x8x8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// There are blocks enough: none shares outputs with another.

// APART: kernel.func {{.*}} config = <grid = () -> (1024, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 0>
// APART-NOT: kernel.func

// APART-PTX-COUNT-8: ld.global.L1::no_allocate.v4.b32
// APART-PTX-NOT: ld.global
// APART-PTX-NOT: atom

//--- apart.mlir
func.func @main(%x: tensor<256x1024x512xf16> {tripy.name = "x"}) -> (tensor<1024xf16> {tripy.name = "y"}) {
  %y = trace.max %x dims = [0, 2] : (tensor<256x1024x512xf16>) -> tensor<1024xf16>
  return %y : tensor<1024xf16>
}

// Eight steps of seven elements for each of many outputs: four steps a thread, 18 outputs a block. A block of 224 threads for each
// four outputs, one step each, takes 2.5 times as long.

// FEW: kernel.func {{.*}} config = <grid = () -> (448, 1, 1), block = [256, 1, 1], {{.*}}scratch = 0>

//--- few.mlir
func.func @main(%x: tensor<8x1152x7x7xf16> {tripy.name = "x"}) -> (tensor<1152x7xf16> {tripy.name = "y"}) {
  %y = trace.sum %x dims = [0, 3] : (tensor<8x1152x7x7xf16>) -> tensor<1152x7xf16>
  return %y : tensor<1152x7xf16>
}

// A warp's worth of outputs, ten, would be blocks for 20 multiprocessors.

// SPREAD: kernel.func {{.*}} config = <grid = () -> (197, 1, 1), {{.*}}scratch = 0>

//--- spread.mlir
func.func @main(%x: tensor<128x197x12xf32> {tripy.name = "x"}) -> (tensor<197xf32> {tripy.name = "y"}) {
  %y = trace.sum %x dims = [0, 2] : (tensor<128x197x12xf32>) -> tensor<197xf32>
  return %y : tensor<197xf32>
}

// Rows of dynamic length: as many parts of each as fill the GPU, by their number at run time.

// ROWS: kernel.func {{.*}} config = <grid = ()[s0, s1] -> ({{.*}}s1{{.*}}, block = [256, 1, 1], {{.*}}workspace = [

//--- rows.mlir
func.func @main(%x: tensor<?x?xf32> {tripy.name = "x", tripy.dims = ["m", "n"],
    tripy.profile = #tripy.profile<min = [1, 1], opt = [64, 30011], max = [64, 60000]>}) -> (tensor<?xf32> {tripy.name = "y"}) {
  %y = trace.sum %x dims = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Dimensions that are kept with size 1 take no kernel of their own.

// KEEPDIM: kernel.func {{.*}} : (tensor<1x512x126x126xf16>) -> tensor<1x512x1x1xf16> {
// KEEPDIM-NOT: kernel.func

//--- keepdim.mlir
func.func @main(%x: tensor<1x512x126x126xf16> {tripy.name = "x"}) -> (tensor<1x512x1x1xf16> {tripy.name = "y"}) {
  %y = trace.mean %x dims = [0, 2, 3] keepdim : (tensor<1x512x126x126xf16>) -> tensor<1x512x1x1xf16>
  return %y : tensor<1x512x1x1xf16>
}

// 512 outputs, which fill most of what the GPU has room for, 528 blocks: no parts that would have to be joined.

// MANY: kernel.func {{.*}} config = <grid = () -> (512, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 0>

//--- many.mlir
func.func @main(%x: tensor<4x512x44x44xf32>) -> tensor<512xf32> {
  %y = trace.sum %x dims = [0, 2, 3] : (tensor<4x512x44x44xf32>) -> tensor<512xf32>
  return %y : tensor<512xf32>
}
