//===- SimtGemm.h - Contractions on CUDA cores ------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. A block computes a tile of the result from
// k-blocks of both operands in a ring in shared memory; a thread keeps up to
// 8 x 16 elements in registers. SimtSchedule.cpp chooses the tile,
// SimtCopies.cpp fills the ring, EmitCUDAGemm.cpp multiplies and finishes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SIMTGEMM_H
#define TRIPY_LIB_CODEGEN_CUDA_SIMTGEMM_H

#include "OperandSource.h"
#include "SplitTail.h"

namespace tripy::codegen::simt {

/// Columns or rows of a quad, the part of a tile that a thread reads from
/// shared memory in one access.
inline constexpr int64_t quad = 4;

/// How a block's tile of m x n elements is divided: into warps, into quads
/// (quad x quad elements) of a thread that lie one warp's lanes apart.
struct Tile {
  int64_t warpsM, warpsN, lanesM, lanesN, quadsM, quadsN;

  constexpr int64_t threads() const { return 32 * warpsM * warpsN; }
  constexpr int64_t warpM() const { return lanesM * quadsM * quad; }
  constexpr int64_t warpN() const { return lanesN * quadsN * quad; }
  constexpr int64_t m() const { return warpsM * warpM(); }
  constexpr int64_t n() const { return warpsN * warpN(); }
  /// A thread has more elements than fit in 128 registers.
  constexpr bool isWide() const { return quadsM * quadsN > 4; }
  /// Rows of 4 neighbouring results that a thread has.
  constexpr int64_t runs() const { return quadsM * quad * quadsN; }
};

/// How the contractions of a kernel are computed. `paired` of them share their
/// blocks; numbers have `bytes` bytes.
struct Schedule {
  Tile tile;
  int64_t paired, bytes;
  /// K of a k-block, k-blocks in the ring, blocks of a cluster that share K.
  int64_t depth = 16, stages = 2, split = 1;
  TailSplit tail = {};
  /// Threads that a multiprocessor runs: 512 leave 128 registers to each.
  int64_t resident = 512;

  // Elements of the ring. Rows of a k-block are padded by a quad: what lies in
  // one column, and is written by neighbouring threads, is in other banks.
  int64_t strideA() const { return tile.m() + quad; }
  int64_t strideB() const { return tile.n() + quad; }
  int64_t startB(int64_t pair) const {
    return depth * (strideA() + pair * strideB());
  }
  int64_t stageSize() const { return startB(paired); }
  int64_t ringSize() const { return stages * stageSize(); }
  /// Partial results of a block.
  int64_t partialSize() const {
    return paired * tile.runs() * quad * tile.threads();
  }
};

/// The sizes of one group of contractions; what is dynamic is a guess.
struct Extent {
  int64_t batch, m, n, k;
};

/// What a kernel computes: groups of up to `paired` contractions of numbers of
/// up to `bytes` bytes. K-blocks that pass through registers are short; code
/// for rows that are a dynamic distance apart takes more registers.
struct Demand {
  /// As expected, and at most.
  llvm::SmallVector<Extent> groups, largest;
  int64_t paired = 1, bytes = 0;
  bool throughRegisters = false, dynamicRows = false, dynamicSizes = false,
       dynamicColumns = false;
  /// Tiles that the tails of all groups have at most.
  int64_t tailTiles(const Schedule &schedule) const;
  /// K is the contiguous side of all operands.
  bool isAlongK = true;
  const CudaChip *chip = nullptr;
  /// The widest type of numbers.
  mlir::Type widest;

  /// `loops`: of the first contraction of each group.
  static Demand of(llvm::ArrayRef<ContractionGroup> groups,
                   llvm::ArrayRef<ContractionLoops> loops,
                   const CudaChip &chip);
};

/// The schedule that an analytic model expects to take least time, and its
/// `cycles`; none when there are too many contractions side by side.
std::optional<Schedule> chooseSchedule(const Demand &demand,
                                       double *cycles = nullptr);
/// Cycles that the model expects of `schedule`.
double expectedCycles(const Schedule &schedule, const Demand &demand);
/// Whether a multiprocessor has room for more blocks than its share of those
/// that the kernel is expected to have.
bool leavesRoom(const Schedule &schedule, const Demand &demand);
/// What `attribute` says; nothing, and the `rule` that it breaks, where that is
/// illegal.
std::optional<Schedule> readSchedule(kernel::SimtScheduleAttr attribute,
                                     const Demand &demand,
                                     llvm::StringRef &rule);

/// Where a thread and its block are: the block's tile, and its part of K.
struct BlockPlace {
  llvm::SmallVector<Index> batchLoops;
  Index thread, mBegin, nBegin, kBegin, kEnd;
};

/// Copies k-blocks of one operand of a contraction to the ring.
class KBlockCopy {
public:
  /// `rows` of the tile from `begin` on, along the loops `outer`; row k of a
  /// k-block starts `start` + k * `stride` elements from its stage.
  struct Target {
    unsigned operand;
    llvm::ArrayRef<unsigned> outer;
    Index begin;
    int64_t rows, start, stride;
  };
  KBlockCopy(CUDAKernel &kernel, mlir::linalg::GenericOp op,
             const ContractionSpace &space, const Schedule &schedule,
             const BlockPlace &place, const Memory &ring, Target target);

  /// Copies go to shared memory past the registers.
  bool isAsync() const { return asyncSource.has_value(); }
  /// Copies that each thread makes for a k-block.
  int64_t pieces() const { return innerPasses * outerPasses; }

  /// The position in memory of a k-block; carried by the loop over K.
  mlir::Value firstPointer();
  mlir::Value nextPointer(mlir::Value pointer);
  /// Starts copy `piece` of the k-block at `k` to a stage.
  void startPiece(int64_t piece, mlir::Value pointer, Index k, Index stage);

  /// For copies through registers: the thread's part of the k-block at `k`. The
  /// operand has elements, unless it `mayBeEmpty`.
  llvm::SmallVector<Elements> load(Index k, bool mayBeEmpty);
  void store(llvm::ArrayRef<Elements> values, Index stage);

private:
  /// Piece `piece` of this thread, from the start of the tile and the k-block.
  struct Place {
    Index row, depth;
  };

  std::optional<OperandSource> findSource();
  void choosePattern();
  bool setPattern(int64_t width);
  bool areRunsAligned(int64_t width);
  Index firstOffset(Place place);
  Place placeOf(int64_t piece);
  Place placeOfThread() { return placeOf(0); }
  Index elementOf(Place place, Index stage);
  mlir::Value rowsFrom(mlir::Value isInK);
  mlir::Value isInside(Place place, Index k, bool wholeRows);
  bool isWholeRows() const;
  Elements loadPiece(Place place, Index k, mlir::Value inside);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  mlir::linalg::GenericOp op;
  const ContractionSpace &space;
  const Schedule &schedule;
  const BlockPlace &block;
  const Memory &ring;
  Target target;
  std::optional<OperandSource> asyncSource;
  /// Memory is contiguous along K, not along rows.
  bool alongK = false;
  /// Elements of a copy; threads side by side along the contiguous direction;
  /// rows, or values of K, of the others; passes in both directions.
  int64_t vectorSize = 1, units = 1, perPass = 1, innerPasses = 1,
          outerPasses = 1;
};

/// A run of neighbours of a thread: which, and its sums of each contraction.
struct SimtRun {
  explicit SimtRun(Index number) : number(number) {}
  Index number;
  llvm::SmallVector<Elements> values;
};

/// Computes and stores what the results are of the sums of a group.
class SimtResults {
public:
  /// `row` and `column`: the thread's first ones in the tile.
  SimtResults(CUDAKernel &kernel, const ContractionGroup &group,
              const ContractionSpace &space, const Tile &tile,
              const BlockPlace &place, Index row, Index column)
      : kernel(kernel), e(kernel.e), math(e.math), group(group),
        op(group.ops.front()), space(space), tile(tile), place(place), row(row),
        column(column) {}
  void finish(llvm::ArrayRef<SimtRun> runs);

private:
  /// Neighbours of a row: sums of each of the group's contractions.
  struct Piece {
    Index atM, atN;
    llvm::SmallVector<Elements> values;
  };

  bool hasNeighbours();
  bool hasVectorRuns();
  bool exchangesRuns(const SimtRun &run);
  bool readsTensors();
  llvm::SmallVector<Piece> exchange(const SimtRun &run);
  llvm::SmallVector<Piece> piecesOf(const SimtRun &run);
  mlir::Value allLanes();
  mlir::Value isInside(const Piece &piece);
  std::pair<Index, Index> placeOf(Index run);
  llvm::SmallVector<Index> resultAt(Index atM, Index atN);
  mlir::Value isInside(Index index, llvm::ArrayRef<unsigned> loops);
  Index clamped(Index index, llvm::ArrayRef<unsigned> loops, int64_t tile,
                int64_t neighbours);
  void emitRun(Index atM, Index atN, llvm::ArrayRef<Elements> values);
  void finishRun(const SimtRun &run);
  void finishTogether(llvm::ArrayRef<SimtRun> runs);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  const ContractionGroup &group;
  mlir::linalg::GenericOp op;
  const ContractionSpace &space;
  const Tile &tile;
  const BlockPlace &place;
  Index row, column;
};

} // namespace tripy::codegen::simt

#endif // TRIPY_LIB_CODEGEN_CUDA_SIMTGEMM_H
