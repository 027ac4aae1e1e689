//===- KernelSchedules.td - How kernels are cut -----------*- tablegen -*-===//
//
// What --kernel-choose-schedules decides, and users may edit. What is legal
// depends on the kernel and the GPU: lib/Codegen/CUDA/Schedule says it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_KERNELSCHEDULES
#define TRIPY_DIALECT_KERNEL_KERNELSCHEDULES

include "tripy/Dialect/Kernel/KernelBase.td"

def Kernel_Origin : I32EnumAttr<"Origin", "who chose a schedule", [
    I32EnumAttrCase<"User", 0, "user">, I32EnumAttrCase<"Model", 1, "model">,
    I32EnumAttrCase<"Tuning", 2, "tuning">]> {
  let cppNamespace = "::tripy::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_Consumers : I32EnumAttr<"Consumers", "how warp groups share tiles", [
    I32EnumAttrCase<"Cooperative", 0, "cooperative">, I32EnumAttrCase<"PingPong", 1, "pingpong">]> {
  let cppNamespace = "::tripy::kernel";
  let genSpecializedAttr = 0;
  let description = [{
    cooperative: 64 rows of a tile each. pingpong: every other tile each, so
    that one multiplies while the other one runs its epilogue.
  }];
}

// The model, the tuning file or, where nothing is said, a user.
defvar Kernel_From = DefaultValuedParameter<"::tripy::kernel::Origin", "::tripy::kernel::Origin::User">;
defvar Kernel_One = DefaultValuedParameter<"int64_t", "1">;
defvar Kernel_No = DefaultValuedParameter<"bool", "false">;
defvar Kernel_Tile = ArrayRefParameter<"int64_t", "rows and columns">;

/// All numbers are positive; `tile` has two.
class Kernel_Schedule<string name, string mnemonic_> : AttrDef<Kernel_Dialect, name # "Schedule"> {
  let mnemonic = mnemonic_ # "_schedule";
  let genVerifyDecl = 1;
}

def Kernel_WgmmaScheduleAttr : Kernel_Schedule<"Wgmma", "wgmma"> {
  let summary = "A contraction on tensor cores with wgmma (sm_90a)";
  let description = [{
    - `tile`: rows and columns of the result that a block computes; the columns
      of several contractions of one kernel are adjacent.
    - `stages`: number of stages of the ring in shared memory, each a k-block of
      128 bytes per row.
    - `consumers`: cooperative or pingpong.
    - `clusterM`, `clusterN`: number of blocks of a cluster along the rows, which
      share the k-blocks of B, and along the columns, which share those of A. With
      a norm in the epilogue, `clusterN` blocks have all columns, and share nothing.
    - `splitK`: number of blocks of a cluster that compute the same tile, each a
      part of K.
    - `streamK`: clusters get equal shares of the work, which split tiles along K.
    - `swapAB`: B's columns are the instruction's rows, for few rows or tiles of
      any multiple of 8 rows.
    - `overlap`: adjacent tiles overlap by 32 bytes of the result, a sector of
      the L2 cache, so that each stores whole sectors even if rows are unaligned.

    ```mlir
    #kernel.wgmma_schedule<tile = [128, 256], stages = 4, clusterM = 2, from = model>
    ```
  }];
  let parameters = (ins Kernel_Tile:$tile, "int64_t":$stages,
                        DefaultValuedParameter<"::tripy::kernel::Consumers", "::tripy::kernel::Consumers::Cooperative">:$consumers,
                        Kernel_One:$clusterM, Kernel_One:$clusterN, Kernel_One:$splitK, Kernel_No:$streamK, Kernel_No:$swapAB, Kernel_No:$overlap,
                        Kernel_From:$from);
  let assemblyFormat = "`<` `tile` `=` `[` $tile `]` `,` struct($stages, $consumers, $clusterM, $clusterN, $splitK, $streamK, $swapAB, $overlap, $from) `>`";
}

def Kernel_MmaScheduleAttr : Kernel_Schedule<"Mma", "mma"> {
  let summary = "A contraction on tensor cores with mma.sync";
  let description = [{
    - `tile`: rows and columns of the result that a block computes: one of
      128x256, 128x128, 64x128, 128x64, 64x64, 32x64 and 16x128.
    - `stages`: number of stages of the ring in shared memory, each a k-block of
      `kBytes` bytes per row: 64 or 128.
    - `tailSplitK`: split-K, by 1 to 16, of the tiles of the last, partial wave:
      blocks store partial sums in memory, and the last block of each tile adds
      them in order.
    - `resident`: blocks that fit on a multiprocessor (occupancy).

    ```mlir
    #kernel.mma_schedule<tile = [128, 128], stages = 4, kBytes = 64, resident = 2, from = model>
    ```
  }];
  let parameters = (ins Kernel_Tile:$tile, "int64_t":$stages, "int64_t":$kBytes, Kernel_One:$tailSplitK, "int64_t":$resident, Kernel_From:$from);
  let assemblyFormat = "`<` `tile` `=` `[` $tile `]` `,` struct($stages, $kBytes, $tailSplitK, $resident, $from) `>`";
}

def Kernel_SimtScheduleAttr : Kernel_Schedule<"Simt", "simt"> {
  let summary = "A contraction on CUDA cores";
  let description = [{
    - `tile`: rows and columns that a block of `threads` computes: one of 128x128
      (128 or 256 threads), 128x64, 64x128, 64x64, 32x64, 16x128 and 128x16.
    - `stages`: number of stages of the ring in shared memory, each a k-block of
      `k` elements per row: 8 or 16.
    - `splitK`: number of blocks of a cluster that compute the same tile, each a
      part of K: 1, 2, 4 or 8.
    - `tailSplitK`: as in `mma_schedule`; if it is more than 1, `splitK` is 1.
    - `resident`: threads that fit on a multiprocessor (occupancy).

    ```mlir
    #kernel.simt_schedule<tile = [128, 128], threads = 256, stages = 2, k = 16, resident = 512, from = model>
    ```
  }];
  let parameters = (ins Kernel_Tile:$tile, "int64_t":$threads, "int64_t":$stages, "int64_t":$k, Kernel_One:$splitK, Kernel_One:$tailSplitK,
                        "int64_t":$resident, Kernel_From:$from);
  let assemblyFormat = "`<` `tile` `=` `[` $tile `]` `,` struct($threads, $stages, $k, $splitK, $tailSplitK, $resident, $from) `>`";
}

def Kernel_GemvScheduleAttr : Kernel_Schedule<"Gemv", "gemv"> {
  let summary = "A contraction with few rows (gemv), which streams the matrix once";
  let description = [{
    - `width`, `groups`, `parts`: the threads of a block are width x groups x
      parts, of which `width` varies fastest. `width` threads read along the
      contiguous dimension of the matrix, each group has separate columns, and
      parts have different k-blocks.
    - `columns`: columns per thread, if the matrix is contiguous along K.
    - `depth`: accesses of `vector` elements that a thread has in flight for each
      column.
    - `cluster`: number of blocks that compute the same columns, each a part of K.
    - `resident`: blocks that fit on a multiprocessor (occupancy).

    ```mlir
    #kernel.gemv_schedule<width = 32, groups = 1, parts = 8, columns = 1, depth = 4, vector = 8, cluster = 1, resident = 4, from = model>
    ```
  }];
  let parameters = (ins "int64_t":$width, Kernel_One:$groups, Kernel_One:$parts, Kernel_One:$columns, Kernel_One:$depth, Kernel_One:$vector,
                        Kernel_One:$cluster, Kernel_One:$resident, Kernel_From:$from);
  let assemblyFormat = "`<` struct($width, $groups, $parts, $columns, $depth, $vector, $cluster, $resident, $from) `>`";
}

def Kernel_AttentionScheduleAttr : Kernel_Schedule<"Attention", "attention"> {
  let summary = "Attention as a tile function (sm_90a)";
  let description = [{
    - `tile`: queries per block, 64 for each consumer, and keys per step.
    - `stages`, `queryStages`: number of blocks of keys (and of values), and of
      queries, in shared memory.
    - `producer`, `consumer`: registers per thread of the producer and of the
      consumers (setmaxnreg).

    ```mlir
    #kernel.attention_schedule<tile = [128, 128], stages = 2, producer = 24, consumer = 240, from = model>
    ```
  }];
  let parameters = (ins Kernel_Tile:$tile, "int64_t":$stages, Kernel_One:$queryStages, "int64_t":$producer, "int64_t":$consumer, Kernel_From:$from);
  let assemblyFormat = "`<` `tile` `=` `[` $tile `]` `,` struct($stages, $queryStages, $producer, $consumer, $from) `>`";
}

def Kernel_SplitAttentionScheduleAttr : Kernel_Schedule<"SplitAttention", "split_attention"> {
  let summary = "Attention with few queries, whose keys are split over blocks and warps";
  let description = [{
    - `splits`: number of parts of a tile's keys, one block each; if sizes are
      dynamic, the maximum.
    - `keys`, `warps`, `stages`: keys per step, warps of a block, and stages of
      each warp's ring.

    ```mlir
    #kernel.split_attention_schedule<splits = 8, keys = 16, warps = 4, stages = 3, from = model>
    ```
  }];
  let parameters = (ins "int64_t":$splits, "int64_t":$keys, "int64_t":$warps, "int64_t":$stages, Kernel_From:$from);
  let assemblyFormat = "`<` struct($splits, $keys, $warps, $stages, $from) `>`";
}

defvar Kernel_GemmSchedules = [Kernel_WgmmaScheduleAttr, Kernel_MmaScheduleAttr, Kernel_SimtScheduleAttr, Kernel_GemvScheduleAttr];
defvar Kernel_AttentionSchedules = [Kernel_AttentionScheduleAttr, Kernel_SplitAttentionScheduleAttr];
def Kernel_AnySchedule : AnyAttrOf<!listconcat(Kernel_GemmSchedules, Kernel_AttentionSchedules),
                                   "a schedule", "::mlir::Attribute", "$_self">;

#endif // TRIPY_DIALECT_KERNEL_KERNELSCHEDULES
