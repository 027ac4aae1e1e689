//===- Mma.h - Contractions on the tensor cores of warps --------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA: the form for GPUs without wgmma, and for
// operands that wgmma does not take. A block computes a tile from k-blocks of
// both operands in a ring in shared memory, a warp a part of it with mma.sync
// (16 x 8 results at a time). MmaSchedule.cpp chooses the tile, MmaCopies.cpp
// fills the ring, MmaFragments.cpp reads it, EmitCUDAMma.cpp multiplies and
// finishes.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_MMA_H
#define TRIPY_LIB_CODEGEN_CUDA_MMA_H

#include "OperandSource.h"
#include "SplitTail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

namespace tripy::codegen::mma {

/// Shared memory is copied and swizzled in pieces of 16 bytes. One instruction
/// multiplies 32 bytes of K.
inline constexpr int64_t pieceBytes = 16, stepBytes = 32;
/// Rows and columns of the results of one instruction.
inline constexpr int64_t fragmentRows = 16, fragmentColumns = 8;

/// What is multiplied. An F32 is the sum of two numbers of TF32, so that a
/// product is three instructions (3xTF32, MmaF32.cpp); TF32 is f32 that may be
/// rounded.
enum class ElementType : uint8_t { F16, BF16, TF32, F32, E4M3, E5M2, S8 };

constexpr bool isFloat8(ElementType elementType) {
  return elementType == ElementType::E4M3 || elementType == ElementType::E5M2;
}

constexpr int64_t bytesOf(ElementType elementType) {
  if (elementType == ElementType::TF32 || elementType == ElementType::F32)
    return 4;
  return isFloat8(elementType) || elementType == ElementType::S8 ? 1 : 2;
}

/// Instructions that multiply two fragments.
constexpr int64_t instructionsOf(ElementType elementType) {
  return elementType == ElementType::F32 ? 3 : 1;
}

/// How a block's tile is divided: into warps, into the results of a warp's
/// instructions.
struct Tile {
  int64_t warpsM, warpsN, fragmentsM, fragmentsN;
  /// Blocks of a multiprocessor that registers suffice for; of f32, 0: for
  /// none.
  int64_t resident, residentF32;

  constexpr int64_t threads() const { return 32 * warpsM * warpsN; }
  constexpr int64_t warpM() const { return fragmentsM * fragmentRows; }
  constexpr int64_t m() const { return warpsM * warpM(); }
  /// Columns of all contractions that are computed side by side.
  constexpr int64_t warpN() const { return fragmentsN * fragmentColumns; }
  constexpr int64_t n() const { return warpsN * warpN(); }
};

/// How the contractions of a kernel are computed.
struct Schedule {
  Tile tile;
  /// Blocks of a multiprocessor. Bytes of K in a k-block, for each row of the
  /// tile; k-blocks in the ring.
  int64_t resident, rowBytes = 64, stages = 3;
  TailSplit tail = {};

  int64_t steps() const { return rowBytes / stepBytes; }
  int64_t sharedBytes() const {
    return stages * (tile.m() + tile.n()) * rowBytes;
  }
};

/// The schedule for one group of contractions: `parts` side by side, of numbers
/// of one type. A warp has the same columns of all of them.
struct Layout {
  Schedule schedule;
  int64_t parts;
  ElementType elementType;

  int64_t bytes() const { return bytesOf(elementType); }
  /// What sums are: i32 of integers, which wraps around, else f32.
  mlir::Type sumType(mlir::Builder &b) const {
    return elementType == ElementType::S8 ? mlir::Type(b.getI32Type())
                                          : b.getF32Type();
  }
  /// Numbers of a piece, and K of a k-block.
  int64_t perPiece() const { return pieceBytes / bytes(); }
  int64_t depth() const { return schedule.rowBytes / bytes(); }
  int64_t fragments() const { return schedule.tile.fragmentsN / parts; }
  int64_t partN() const {
    return schedule.tile.warpsN * fragments() * fragmentColumns;
  }
  /// Bytes from the start of a stage.
  int64_t startB(int64_t part) const {
    return (schedule.tile.m() + part * partN()) * schedule.rowBytes;
  }
  int64_t stageBytes() const { return startB(parts); }
};

/// What a schedule depends on. Sizes of a group of `parts` contractions side by
/// side, of numbers of `bytes` bytes that take some `instructions` for each
/// product of fragments; what is dynamic is as expected.
struct Extent {
  int64_t batch, m, n, k, parts, bytes, instructions;
};
struct Problem {
  explicit Problem(const CudaChip &chip) : chip(chip) {}

  const CudaChip &chip;
  /// Of each group, as expected, and at most.
  llvm::SmallVector<Extent> extents, largest;
  llvm::SmallVector<ElementType> elementTypes;
  /// Copies take registers, so that k-blocks are short. Element by element,
  /// they take more of them.
  bool shortKBlocks = false, byElements = false;
  /// Whether rows along K that begin within lines are read through the L1
  /// cache.
  bool readsThroughCache = false;
  /// Bytes of the copies, 4 or 8, that bring such rows of each operand; 0 where
  /// copies are of 16 bytes or pass through registers.
  std::array<int64_t, 2> shortCopies = {};
  /// Some size is not known.
  bool dynamicSizes = false;
  bool hasF32() const {
    return llvm::is_contained(elementTypes, ElementType::F32);
  }
  /// Tiles that the tails of all groups have at most.
  int64_t tailTiles(const Schedule &schedule) const;

  /// Nothing where contractions are not for these instructions. `loops`: of the
  /// first of each group.
  static std::optional<Problem> find(llvm::ArrayRef<ContractionGroup> groups,
                                     llvm::ArrayRef<ContractionLoops> loops,
                                     const CudaChip &chip);
};

/// The schedule that the model expects to take least time, and its `cycles`, or
/// the one with a tile that is asked for; none when no tile has room for a
/// group's parts.
std::optional<Schedule> chooseSchedule(const Problem &problem,
                                       TileSize asked = {},
                                       double *cycles = nullptr);
/// Cycles that the model expects of `schedule`.
double expectedCycles(const Schedule &schedule, const Problem &problem);
/// The same of `tiles` of f32, of which `tail` are left behind whole waves.
double cyclesOfF32(const Schedule &schedule, int64_t tiles, int64_t tail,
                   const Problem &problem);
/// Dynamic shared memory of a block, in bytes: the ring, or so much that a
/// multiprocessor has room for no more blocks than it gets when all of them run
/// at once. Those that start while the kernel before ends would otherwise share
/// the multiprocessors that become free first. sm_90a only.
int64_t sharedBytes(const Schedule &schedule, const Problem &problem);
/// What `attribute` says; nothing, and the `rule` that it breaks, where that is
/// illegal.
std::optional<Schedule> readSchedule(kernel::MmaScheduleAttr attribute,
                                     const Problem &problem,
                                     llvm::StringRef &rule);

/// 32-bit arithmetic, for addresses of shared memory.
class Words {
public:
  explicit Words(KernelEmission &e) : e(e) {}

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantOp::create(e.b, e.loc,
                                           e.b.getI32IntegerAttr(value));
  }
  mlir::Value of(Index index) {
    if (auto known = IndexMath::constantOf(index))
      return constant(*known);
    return mlir::arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                            e.math.value(index));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return e.b.createOrFold<mlir::arith::AddIOp>(e.loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b)); }
  mlir::Value mul(mlir::Value a, int64_t b) {
    return e.b.createOrFold<mlir::arith::MulIOp>(e.loc, a, constant(b));
  }
  mlir::Value exclusiveOr(mlir::Value a, mlir::Value b) {
    return e.b.createOrFold<mlir::arith::XOrIOp>(e.loc, a, b);
  }
  mlir::Value exclusiveOr(mlir::Value a, int64_t b) {
    return exclusiveOr(a, constant(b));
  }
  mlir::Value div(mlir::Value a, int64_t b) {
    return e.b.createOrFold<mlir::arith::DivUIOp>(e.loc, a, constant(b));
  }
  mlir::Value rem(mlir::Value a, int64_t b) {
    return e.b.createOrFold<mlir::arith::RemUIOp>(e.loc, a, constant(b));
  }
  /// Shared memory at a byte address.
  mlir::Value pointer(mlir::Value address);

private:
  KernelEmission &e;
};

/// How lines of pieces lie in shared memory: the pieces of a line are permuted,
/// so that those that are read together are in different banks.
struct Lines {
  /// A line has the K of one row, otherwise the rows of one k.
  bool alongK;
  ElementType elementType;
  int64_t bytes;

  int64_t pieces() const { return bytes / pieceBytes; }
  /// Piece i of line `line` lies at i XOR this.
  mlir::Value permutation(Words &words, mlir::Value line) const;
};

/// Where a thread and its block are.
struct BlockPlace {
  llvm::SmallVector<Index> batchLoops;
  Index thread, mBegin, nBegin;
  /// The part of K, in whole k-blocks but at its end.
  Index kBegin, kEnd;
};

/// Copies k-blocks of one operand of a contraction to the ring.
class KBlockCopy {
public:
  /// `rows` of the tile from `begin` on, along the loops `outer`, to `start`
  /// bytes behind the start of a stage.
  struct Target {
    unsigned operand;
    llvm::ArrayRef<unsigned> outer;
    Index begin;
    int64_t rows, start;
  };
  KBlockCopy(CUDAKernel &kernel, mlir::linalg::GenericOp op,
             const ContractionSpace &space, const Layout &layout,
             const BlockPlace &place, Target target);

  const Lines &lines() const { return inRing; }
  /// Copies go to shared memory past the registers.
  bool isAsync() const { return width * layout.bytes() >= 4 && source; }
  /// Copies are of the words of memory that have the elements of a line, which
  /// may begin within a word.
  bool isInWords() const { return inWords; }
  bool hasPointer() const { return isAsync() || inWords; }

  /// The position in memory of a k-block; carried by the loop over K.
  mlir::Value firstPointer();
  mlir::Value nextPointer(mlir::Value pointer);
  /// Starts the copies of the k-block at `k` to a stage, at an address.
  void start(mlir::Value pointer, Index k, mlir::Value stage);

  /// For copies through registers: the thread's part of the k-block at `k`, as
  /// bits. The operand has elements, unless it `mayBeEmpty`.
  llvm::SmallVector<Elements> load(Index k, bool mayBeEmpty);
  /// The same in words, five for each piece: storeWords() shifts them.
  llvm::SmallVector<Elements> loadWords(mlir::Value pointer, Index k);
  void store(llvm::ArrayRef<Elements> values, mlir::Value stage);

private:
  /// A piece of this thread: its line, and its number there.
  struct Piece {
    Index line, number;
  };
  /// A number, from the start of the tile and the k-block.
  struct Place {
    Index row, depth;
  };

  void choosePattern();
  bool areRunsWhole();
  bool areRunsAligned();
  int64_t numLines() const {
    return inRing.alongK ? target.rows : layout.depth();
  }
  int64_t numPieces() const { return numLines() * inRing.pieces(); }
  int64_t perThread() const {
    return std::max<int64_t>(1, numPieces() / layout.schedule.tile.threads());
  }
  /// `body` for each piece of this thread.
  void forEachPiece(llvm::function_ref<void(int64_t number, Piece)> body);
  Piece pieceOf(int64_t number);
  Place placeOf(Piece piece, int64_t element);
  mlir::Value addressOf(Piece piece, mlir::Value stage);
  llvm::SmallVector<Index> loopsAt(Index row, Index depth);
  Index firstOffset();
  mlir::Value isInside(Place place, Index k);
  mlir::Value bytesInside(Place place, Index k);
  Elements loadRun(Place place, Index k, bool mayBeEmpty);
  Elements loadInside(Place place, Index k, mlir::Value inside);
  mlir::Type bits();

  bool canBeInWords();
  int64_t linesApart() const {
    return layout.schedule.tile.threads() / inRing.pieces();
  }
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value isBelow(int64_t number, mlir::Value limit);
  bool areLinesInTile() const {
    return numPieces() >= layout.schedule.tile.threads();
  }
  /// Whether a tile always ends where the rows do, or before.
  bool areRowsInside();
  mlir::Value numbersLeft(Index begin, Index end, int64_t most);
  mlir::Value rowsLeft();
  mlir::Value depthLeft(Index k);
  mlir::Value hasLine(Piece piece, mlir::Value left);
  mlir::Value endOf(Piece piece, mlir::Value left);
  mlir::Value isWholeKBlock(Index k);
  /// The access to `bytes` bytes, `byte` bytes behind the first word of piece
  /// `number` at `pointer`, where `condition` holds.
  mlir::Value loadWhere(mlir::Value condition, mlir::Value pointer,
                        int64_t number, int64_t byte, int64_t bytes,
                        mlir::Value otherwise);
  Elements loadWhole(mlir::Value pointer);
  Elements loadEnd(mlir::Value pointer, Index k);
  void storeWords(llvm::ArrayRef<Elements> values, mlir::Value stage);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  mlir::linalg::GenericOp op;
  const ContractionSpace &space;
  const Layout &layout;
  const BlockPlace &block;
  Target target;
  std::optional<OperandSource> source;
  Lines inRing;
  /// Memory is contiguous along K, not along rows; neighbours of one access.
  bool alongK = false;
  int64_t width = 1;
  /// For copies in words: 16 where this thread's lines begin in the upper half
  /// of a word, else 0; the same for all k-blocks.
  bool inWords = false;
  mlir::Value shift;
};

/// Reads what the instructions multiply from a stage of the ring.
class FragmentReader {
public:
  /// `first`: the first of the warp's rows. Its lines begin `start` bytes
  /// behind a stage.
  FragmentReader(CUDAKernel &kernel, const Lines &lines, bool isA,
                 int64_t start, mlir::Value first);

  /// 32 bytes of K of `words` x 8 rows (A, 4 words: 16 rows) or of words / 2 x
  /// 8 columns (B), `row` behind the warp's first: values of type i32.
  llvm::SmallVector<mlir::Value> read(mlir::Value stage, int64_t step,
                                      int64_t row, int64_t count);
  /// The f32 of a row, counted from the tile's first, at `depth` of the
  /// k-block.
  mlir::Value readF32(mlir::Value stage, mlir::Value row, mlir::Value depth);

private:
  llvm::SmallVector<mlir::Value> readRows(mlir::Value stage, int64_t step,
                                          int64_t row, int64_t count);
  llvm::SmallVector<mlir::Value> readTransposed(mlir::Value stage, int64_t step,
                                                int64_t row, int64_t count);
  llvm::SmallVector<mlir::Value> readWords(mlir::Value stage, int64_t step,
                                           int64_t row, int64_t count);
  llvm::SmallVector<mlir::Value> matrices(mlir::Value address, int64_t count,
                                          bool transposed);

  KernelEmission &e;
  Words words;
  Lines lines;
  bool isA;
  int64_t start;
  mlir::Value first, lane;
};

/// sums += a b, of 16 x 8 results: 4 words of A, 2 of B, 4 sums, which lane l
/// has of columns l % 4 * 2 (+ 1) of rows l / 4 and l / 4 + 8.
void multiplyAdd(KernelEmission &e, ElementType elementType,
                 llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
                 llvm::MutableArrayRef<mlir::Value> sums);

/// The words of f32 as sums of two numbers of TF32.
struct SplitWords {
  llvm::SmallVector<mlir::Value> high, low;
};
SplitWords splitF32(KernelEmission &e, llvm::ArrayRef<mlir::Value> words);

/// sums += a b of f32, of 16 rows and any number of fragments of 8 columns, of
/// which `b` has 2 words and `sums` 4 each.
void multiplyAddF32(KernelEmission &e, const SplitWords &a, const SplitWords &b,
                    llvm::MutableArrayRef<mlir::Value> sums);

/// Whether any thread of the block has a sum that is infinite or NaN: i1, the
/// same in all. Shared memory from `address` on has a word for each of `warps`.
mlir::Value isAnyNotFinite(CUDAKernel &kernel, llvm::ArrayRef<mlir::Value> sums,
                           mlir::Value address, int64_t warps);

/// Brings the results of instructions that have 16 rows, side by side, to
/// shared memory: rows of `rowFloats` f32 or i32 from `address` on.
void storeFragments(CUDAKernel &kernel, llvm::ArrayRef<mlir::Value> sums,
                    mlir::Value address, int64_t rowFloats);

/// The address of the kernel's dynamic shared memory, i32.
mlir::Value sharedAddress(CUDAKernel &kernel);

} // namespace tripy::codegen::mma

namespace tripy::codegen {

/// Emits the contractions of a kernel with mma.sync.
void emitCUDAMma(CUDAKernel &kernel, llvm::ArrayRef<ContractionGroup> groups,
                 llvm::ArrayRef<ContractionSpace> spaces,
                 const mma::Schedule &schedule, const mma::Problem &problem);

/// Emits attention of 16-bit floats with mma.sync. False, and nothing emitted,
/// where it does not suit.
bool emitMmaAttention(CUDAKernel &kernel);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_MMA_H
