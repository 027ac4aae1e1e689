//===- WgmmaGemm.h - Contractions on Hopper's tensor cores ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A persistent, warp-specialised kernel: one warp
// group copies k-blocks of both operands with the tensor memory accelerator
// (TMA), one to three multiply them (wgmma) and run the epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H
#define TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H

#include "Codegen/CUDA/Common/EmitCUDA.h"
#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>
#include <optional>

namespace tripy::codegen {

namespace wgmma {
/// Rows of tiles that are walked together, for locality in the L2 cache.
inline constexpr int64_t groupRows = 16;
/// Rows at the end, of which the number is not known, are copied in a box of a
/// multiple of these, and another one of what is left.
inline constexpr int64_t longEndBox = 32;
} // namespace wgmma

/// One operand as TMA sees it: [batch,] outer x inner, the inner side
/// contiguous. It may be a part of its buffer.
struct WgmmaOperand {
  /// Number among the kernel's tensors.
  int64_t buffer = 0;
  /// K is the contiguous side.
  bool kMajor = true;
  bool batched = false;
  /// Bytes from one row of the buffer to the next.
  int64_t rowBytes = 0;
  /// Where the part begins, and where it ends when that is not the buffer's
  /// end (-1), in elements of the inner and in rows of the outer side.
  int64_t innerBegin = 0, innerEnd = -1, outerBegin = 0, outerEnd = -1;

  /// Elements that `k` and `row`, counted in the operand, begin at.
  int64_t kBegin() const { return kMajor ? innerBegin : outerBegin; }
  int64_t rowBegin() const { return kMajor ? outerBegin : innerBegin; }
};

/// An element-wise function that A is of a tensor in memory.
struct WgmmaPrologue {
  /// The tensor that is copied in A's place; null when A is in memory.
  mlir::Value input;
  /// What else it reads: tensors whose elements do not vary with both the row
  /// and K, and their indices in terms of A's.
  llvm::SmallVector<std::pair<mlir::Value, mlir::AffineMap>> vectors;
  /// The operations that compute A.
  llvm::SmallPtrSet<mlir::Operation *, 8> ops;
  /// Scalar operations for one element.
  int64_t cost = 0;
};

/// A function of whole rows of the product in the epilogue, such as a norm.
struct WgmmaNorm {
  /// A tensor like the product that all of it is computed from; null where
  /// there is none.
  mlir::Value input;
  /// Over the columns, a number for each row, in their order.
  llvm::SmallVector<mlir::linalg::GenericOp> reductions;
};

/// Buffers for boxes of results with rows of 128 bytes: two in use in turn, up
/// to four where a source is read in them. With two, the third box of a source
/// is asked for when the second has been stored, and its way from memory delays
/// the epilogue.
inline constexpr int64_t minBoxBuffers = 2, maxBoxBuffers = 4;

/// How the epilogue brings the tile to memory.
enum class WgmmaStore {
  /// Accumulators go through shared memory in f32, so that a thread gets
  /// neighbours in a row, computes the epilogue and stores them itself.
  Threads,
  /// The epilogue is computed where the accumulators are; boxes of the results
  /// go through shared memory and are stored by TMA while work goes on.
  TMA,
};

/// The GPU whose kernels these are.
inline const CudaChip &wgmmaChip() {
  static const CudaChip &chip = CudaChip::of("sm_90a");
  return chip;
}

/// Clusters of `blocks` blocks that run at the same time.
inline int64_t residentClusters(int64_t blocks) {
  return wgmmaChip().clustersAtOnce(blocks);
}

/// How stream-K shares out work (WgmmaStreamK.cpp): of the tiles of `groups`
/// clusters, `kBlocks` of K each, the first `cut` are cut into a run of
/// k-blocks for each of `workers` clusters, and `whole` tiles for each worker
/// follow.
struct StreamKShares {
  /// `clusters` may run at the same time.
  StreamKShares(int64_t groups, int64_t kBlocks, int64_t clusters);
  int64_t kBlocks, workers, whole, cut;

  /// Workers beside its owner that may have a part of one tile.
  int64_t sharers() const {
    return std::max<int64_t>(1, llvm::divideCeil(workers, cut));
  }
};

/// Cooperative consumers of a tile of `m` x `n` with swapAB, which have as many
/// groups of 64 columns each: few rows leave work for one.
constexpr int64_t swapABConsumers(int64_t m, int64_t n) {
  return m <= 64 ? 1 : n % 128 == 0 ? 2 : n % 192 == 0 ? 3 : 1;
}

/// Bytes of a sector of the L2 cache, of which a store of a part costs more
/// than one of the whole, and 16-bit columns of one.
inline constexpr int64_t sectorBytes = 32, sectorColumns = sectorBytes / 2;
/// Columns that go through shared memory together where tiles overlap, and
/// bytes of a row there: with the next sector, and padded so that 8 rows lie in
/// different banks.
inline constexpr int64_t windowColumns = 128;
inline constexpr int64_t windowRowBytes =
    (windowColumns + sectorColumns) * 2 + 16;
/// The same where they do not overlap.
inline constexpr int64_t warpColumns = 64, warpRowBytes = warpColumns * 2 + 16;

/// Tiles of `tile` columns, `step` apart, that `columns` take.
constexpr int64_t tilesAcross(int64_t columns, int64_t tile, int64_t step) {
  return columns <= tile ? 1 : llvm::divideCeil(columns - tile, step) + 1;
}

/// Elements of a tile that each of two ping-pong consumers has the registers
/// for.
inline constexpr int64_t maxPingPongElements = 128 * 192;
/// Whether cooperative consumers have the registers for a tile with swapAB:
/// three of them have fewer each.
constexpr bool fitsSwapAB(int64_t m, int64_t n) {
  int64_t consumers = swapABConsumers(m, n);
  return consumers == 3 ? m <= 192 : m * n <= 128 * 160 * consumers;
}

/// What a contraction must be for this kernel, and how it is cut.
struct WgmmaSchedule {
  /// One contraction, or several of the same size with the same A: their
  /// columns lie side by side in the tile, so that the epilogue has column j
  /// of all of them together.
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  WgmmaOperand a; ///< or what A is computed from
  WgmmaPrologue prologue;
  WgmmaNorm norm;
  llvm::SmallVector<WgmmaOperand> b; ///< of each contraction
  mlir::NVVM::WGMMATypes type = mlir::NVVM::WGMMATypes::f16;
  int64_t elementBytes = 2;
  llvm::SmallVector<unsigned> batch, m, n, k;
  /// Tile of a block: rows, columns of all contractions together.
  int64_t tileM = 128, tileN = 256, stages = 4;
  /// Rows of A that are copied for a tile: fewer than it has where A is less
  /// than one tile. Those that TMA finds beyond the end cost it more time than
  /// others.
  int64_t rowsA = 128;
  /// Rows of the boxes that copy the last tile's rows of A, and of each B,
  /// where that tile goes beyond the end: only what there is. Where the size is
  /// not known, they have some multiple of this. 0: no tile does, or boxes
  /// would not be shorter. What is not copied is of no result.
  int64_t edgeA = 0, edgeB = 0;
  /// Consumers take tiles in turn, so that one multiplies while the other runs
  /// its epilogue; otherwise they share a tile, 64 rows each.
  bool pingPong = false;
  /// Blocks of a cluster: `clusterM` x `clusterN`. Those that have tiles one
  /// below the other share the k-blocks of B, those that have tiles side by
  /// side share those of A: each copies its part of a shared k-block to all of
  /// them. With a norm, `clusterN` blocks have all columns, and share nothing.
  int64_t clusterM = 1, clusterN = 1;
  /// Or all blocks of the cluster have the same tile, and a part of K each: as
  /// many as this.
  int64_t split = 1;
  /// Stream-K: clusters get equal shares of the work, which cut tiles along K.
  bool streamK = false;
  /// B's columns are the instruction's 64 rows and A's rows its columns: the
  /// sums of a tile are transposed.
  bool swapAB = false;
  /// Whether warps can store the results row by row (WgmmaWarpStores.cpp).
  bool mayStoreByWarps = false;
  /// Tiles side by side overlap by a sector of the L2 cache, so that each
  /// stores whole sectors of rows that begin anywhere.
  bool overlap = false;
  WgmmaStore store = WgmmaStore::Threads;
  /// Results of 128 bytes, when TMA can store them; else 0.
  int64_t boxColumns = 0;
  /// Number of a tensor like the result that the epilogue reads, such as a
  /// residual, when it can be brought to the place in shared memory that the
  /// result is stored from, by TMA or by warps; else -1.
  int64_t source = -1;
  /// Bytes of a row of a TMA box of results: 128, or 64 where the tile's
  /// columns are no multiple of that.
  int64_t boxRowBytes = 128;
  /// Rows of such a box.
  int64_t boxRows = 64;
  /// Buffers of a consumer for such boxes. Those of a source arrive in them,
  /// all but one ahead of the epilogue; also where warps store the results.
  int64_t boxBuffers = minBoxBuffers;

  mlir::linalg::GenericOp op() const { return ops.front(); }
  int64_t parts() const { return ops.size(); }
  /// Columns of one contraction in the tile.
  int64_t partN() const { return tileN / parts(); }
  /// Columns from one tile to the next.
  int64_t stepN() const { return partN() - (overlap ? sectorColumns : 0); }
  /// Tiles side by side, of a number of columns that is known.
  int64_t tilesN() const { return tilesAcross(extent(n, 0), partN(), stepN()); }
  /// Elements of a k-block: 128 bytes, one swizzle atom.
  int64_t tileK() const { return 128 / elementBytes; }
  /// K of one instruction: 32 bytes.
  int64_t stepK() const { return 32 / elementBytes; }
  int64_t consumers() const {
    return pingPong ? 2 : swapAB ? swapABConsumers(tileM, tileN) : tileM / 64;
  }
  /// Groups of 64 rows (of columns, with swapAB) that one consumer multiplies.
  int64_t rowGroups() const {
    int64_t groups = (swapAB ? tileN : tileM) / 64;
    return pingPong ? groups : groups / consumers();
  }
  /// Columns of an instruction.
  int64_t multipliedN() const { return swapAB ? tileM : tileN; }
  bool splitsK() const { return split > 1; }
  bool hasNorm() const { return norm.input != nullptr; }
  /// Products of i8, whose sums are i32 and wrap around.
  bool isInteger() const { return type == mlir::NVVM::WGMMATypes::s8; }
  /// Whether there is an instruction for so many columns: there is one for
  /// every multiple of 8, but for integers above 24 only those of 16.
  bool hasColumns(int64_t columns) const {
    return !isInteger() || columns <= 24 || columns % 16 == 0;
  }
  /// Sums of k-blocks are added up in f32.
  bool promotes() const {
    return type == mlir::NVVM::WGMMATypes::e4m3 ||
           type == mlir::NVVM::WGMMATypes::e5m2;
  }
  /// Blocks of a cluster.
  int64_t cluster() const { return clusterM * clusterN * split; }
  /// Blocks that copy to a block: those beside it, below it, and itself.
  int64_t sharers() const { return hasNorm() ? 1 : clusterM + clusterN - 1; }
  /// Rows of a k-block that one block copies; of B, for each contraction.
  int64_t copiedA() const { return hasNorm() ? rowsA : rowsA / clusterN; }
  int64_t copiedB() const { return partN() / clusterM; }
  /// Rows of the boxes that copy the end, of A and of each B. None where boxes
  /// are those of whole slices.
  llvm::SmallVector<int64_t> endBoxesA() const {
    return endBoxes(a, m, edgeA, copiedA());
  }
  llvm::SmallVector<int64_t> endBoxesB() const {
    return endBoxes(b.front(), n, edgeB, copiedB());
  }
  llvm::SmallVector<int64_t> endBoxes(const WgmmaOperand &operand,
                                      llvm::ArrayRef<unsigned> rows,
                                      int64_t edge, int64_t slice) const;
  /// Maps of A, of each B, and of both at the end.
  unsigned operandMaps() const {
    return 1 + endBoxesA().size() + parts() * (1 + endBoxesB().size());
  }
  /// Columns of each contraction that go through the staging area at a time.
  int64_t chunk() const {
    int64_t maximum = parts() == 1 ? 64 : parts() == 2 ? 32 : 16;
    return std::gcd(partN(), maximum);
  }
  /// Rows of a tile with swapAB that are transposed at a time, where TMA does
  /// not store them.
  int64_t transposedRows() const {
    return tileM > 64 ? std::gcd(tileM, int64_t(32)) : tileM;
  }
  /// Rows of a tile that each of those that split K finishes; the last ones
  /// may have fewer.
  int64_t shareRows() const { return llvm::divideCeil(rowsA, split); }
  /// Bytes of a stage: a k-block of both operands.
  int64_t stageBytes() const { return (tileM + tileN) * 128; }
  /// Bytes of a row of a whole tile of sums in shared memory.
  int64_t sumBytesOfRow() const;
  /// Bytes that an epilogue needs for each consumer.
  int64_t stagingBytes() const;
  /// Bytes of a TMA box of results.
  int64_t boxBytes() const { return boxRows * boxRowBytes; }
  /// Bytes that a consumer gets from all blocks of its cluster for a reduction
  /// of the norm: a number for each of its rows from each block.
  int64_t bytesPerExchange() const {
    return hasNorm() && clusterN > 1 ? clusterN * rowGroups() * 64 * 4 : 0;
  }
  /// Bytes of a consumer for two exchanges, each with an mbarrier.
  int64_t exchangeAreaBytes() const {
    return bytesPerExchange() == 0 ? 0 : 2 * (8 + bytesPerExchange());
  }
  /// As many as `boxes` of rows of 128 bytes hold.
  int64_t boxesLike(int64_t boxes) const { return boxes * 128 / boxRowBytes; }
  /// The tensors that the epilogue of `kernel` reads, such as a bias or a
  /// residual: the arguments but those that only contractions read, and what A
  /// is computed from.
  llvm::SmallVector<mlir::BlockArgument>
  epilogueTensors(kernel::FuncOp kernel) const;
  /// Whether the epilogue reads a tensor in the boxes of its result.
  bool readsSource() const { return source >= 0 && store == WgmmaStore::TMA; }
  /// Whether each warp stores its rows of the results.
  bool storesByWarps() const {
    return mayStoreByWarps && store == WgmmaStore::Threads && !splitsK() &&
           !swapAB && boxRowBytes == 128 && partN() % 16 == 0;
  }
  /// Columns of a tile that a warp stores at a time, of one contraction, and
  /// bytes of a row of them in shared memory.
  int64_t columnsOfWarp() const {
    return overlap ? windowColumns : std::gcd(partN(), warpColumns);
  }
  int64_t rowBytesOfWarp() const {
    return overlap ? windowRowBytes : warpRowBytes;
  }
  /// How often it does so for each group of 64 rows.
  int64_t storesOfWarp() const {
    return llvm::divideCeil(partN(), columnsOfWarp());
  }
  /// Whether it brings a tensor that the epilogue reads to where it stores
  /// from: to `boxBuffers`, one ahead of the epilogue.
  bool readsSourceByWarps() const { return source >= 0 && storesByWarps(); }
  /// Boxes of each result that a consumer stores of one of its groups, and of a
  /// tile. With swapAB, boxes are some rows of a group of 64 columns.
  int64_t boxesOfGroup() const {
    return swapAB ? llvm::divideCeil(tileM, boxRows)
                  : partN() * 128 / (boxColumns * boxRowBytes);
  }
  int64_t boxesOfTile() const { return rowGroups() * boxesOfGroup(); }
  /// Whether threads can transpose results on the way to boxes: of one
  /// contraction, in 16 bits.
  bool transposesBoxes() const { return boxColumns == 64 && parts() == 1; }
  /// With stream-K; all sizes are known.
  StreamKShares shares() const;
  /// Bytes of global memory for sums and for flags; nothing without stream-K.
  llvm::SmallVector<int64_t> workspace() const;
  /// Product of the static sizes of loops of `op`; dynamic ones count as
  /// `unknown`.
  int64_t extent(llvm::ArrayRef<unsigned> loops, int64_t unknown) const;
  /// The same by the profile; of what is not known either, the optimum is
  /// `unknown`.
  kernel::SizeRange range(llvm::ArrayRef<unsigned> loops,
                          int64_t unknown) const {
    return extentRange(op(), loops, unknown);
  }
};

/// Floats of a row of the staging area: 64 and padding against conflicts.
inline constexpr int64_t stagingRow = 68;

/// Floats of a row of a whole tile in shared memory: padded for the same
/// reason.
inline int64_t tileRow(const WgmmaSchedule &schedule) {
  return schedule.tileN + 4;
}

inline int64_t WgmmaSchedule::sumBytesOfRow() const {
  return tileRow(*this) * 4;
}

inline int64_t WgmmaSchedule::stagingBytes() const {
  // For all consumers; barriers follow.
  if (splitsK())
    return llvm::alignTo(
        llvm::divideCeil(split * shareRows() * sumBytesOfRow(), consumers()),
        8);
  if (swapAB && store != WgmmaStore::TMA)
    return llvm::alignTo(
        llvm::divideCeil(transposedRows() * sumBytesOfRow(), consumers()), 8);
  if (readsSourceByWarps())
    return boxBuffers * 64 * rowBytesOfWarp();
  if (overlap)
    return 64 * rowBytesOfWarp();
  return store == WgmmaStore::TMA ? boxBuffers * boxBytes()
                                  : 64 * stagingRow * 4;
}

/// A way to cut contractions.
struct WgmmaTile {
  int64_t m = 0, n = 0;
  bool pingPong = false;
  /// Blocks that share k-blocks, one below the other and side by side, or that
  /// split K.
  int64_t clusterM = 1, clusterN = 1, split = 1;
  bool streamK = false, swapAB = false;
  /// Of tiles side by side (WgmmaSchedule).
  bool overlap = false;

  /// Columns of each of `parts` contractions from one tile to the next.
  int64_t stepN(int64_t parts) const {
    return n / parts - (overlap ? sectorColumns : 0);
  }
  /// Blocks of a cluster.
  int64_t cluster() const { return clusterM * clusterN * split; }
  /// Whether TMA stores what lies across the tile with swapAB, and brings a
  /// residual in the same way, of results that threads can transpose
  /// (WgmmaSchedule::transposesBoxes()).
  bool storesAcross(bool transposesBoxes, bool hasSource) const {
    return swapAB && transposesBoxes && m > maxSwapABRows && split == 1 &&
           !(streamK && hasSource);
  }
  /// Sums that a thread of a consumer keeps in registers, with swapAB.
  int64_t sumsAcross() const {
    return m * n / 128 / (pingPong ? 1 : swapABConsumers(m, n));
  }

  /// As parseWgmmaTile() reads it.
  std::string str() const;
};

/// Reads "128x256", with ",pingpong" for ping-pong consumers, ",cluster=2"
/// or ",cluster=4x2" for blocks that share k-blocks, ",split=3", or ",stream"
/// for stream-K, ",overlap"; and "16x128,swapAB". Nothing when `text` is none
/// of these.
std::optional<WgmmaTile> parseWgmmaTile(llvm::StringRef text);

/// A tile and the cycles that the model expects of a kernel that uses it.
struct WgmmaCandidate {
  WgmmaTile tile;
  double cycles = 0;
};

/// What `kernel` computes, not cut yet, or nothing for operands that are not
/// tensors in memory, or parts of such, of a type that the instruction has, or
/// whose rows are not multiples of 16 bytes.
std::optional<WgmmaSchedule> recogniseWgmma(kernel::FuncOp kernel);

/// The function that A of the contractions in `schedule` is of a tensor of A's
/// shape and type; nothing when it is none that the kernel can compute.
std::optional<WgmmaPrologue> findPrologue(const WgmmaSchedule &schedule);

/// Takes the reductions in `schedule` for those of a norm of the product's
/// rows; false where the epilogue cannot compute it.
bool recogniseNorm(kernel::FuncOp kernel, WgmmaSchedule &schedule);

/// Cycles that the model expects of a tile, legal or not.
double expectedCycles(const WgmmaSchedule &schedule, const WgmmaTile &tile);
/// Share of the peak that main loops of any tile reach if nothing else limits
/// them.
double reachedShare(const WgmmaSchedule &schedule);
/// The tile of the least cost; nothing where none is legal.
std::optional<WgmmaCandidate> chooseTile(const WgmmaSchedule &schedule);
/// At most `limit` tiles to be measured: what chooseTile() takes, then others
/// from the least cost on.
llvm::SmallVector<WgmmaCandidate> listTiles(const WgmmaSchedule &schedule,
                                            unsigned limit);
/// The rule that a tile breaks, for any contractions or for these; empty where
/// it is legal.
llvm::StringRef brokenRule(const WgmmaTile &tile);
llvm::StringRef brokenRule(const WgmmaSchedule &schedule,
                           const WgmmaTile &tile);
/// Cuts `schedule` into a legal tile, with the model's number of stages.
void cutInto(WgmmaSchedule &schedule, const WgmmaTile &tile);
/// Sets the stages of what is cut; returns the rule that they break, as above.
llvm::StringRef setStages(WgmmaSchedule &schedule, int64_t stages);
/// What a measured tile holds for, as text: "f16 4096x4096x1024 nt batch=1
/// parts=1 store=tma16" says element type, rows, columns of each contraction
/// and K, whether the operands lie as written (n: A is MxK, B is KxN) or
/// transposed, how results are stored, and that A is computed (prologue=, the
/// operations for an element). Nothing when a size is dynamic.
std::optional<std::string> describeContraction(const WgmmaSchedule &schedule);

/// The tensor maps of A, of B of each contraction, and of each result that TMA
/// stores (and of the tensor that is read like it). `inputs`: tensors before
/// the results.
llvm::SmallVector<kernel::TensorMapAttr>
wgmmaTensorMaps(KernelEmission &e, const WgmmaSchedule &schedule,
                unsigned inputs);

/// Emits `kernel` into `module`. `prefetches`: what no kernel in front writes
/// is copied before the wait for these.
mlir::LogicalResult emitWgmma(kernel::FuncOp kernel,
                              const WgmmaSchedule &schedule,
                              mlir::gpu::GPUModuleOp module, mlir::OpBuilder &b,
                              bool prefetches);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_WGMMAGEMM_H
