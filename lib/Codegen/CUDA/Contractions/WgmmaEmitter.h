//===- WgmmaEmitter.h - Emission of one tensor-core kernel ------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. WgmmaGemm.cpp has the ring of k-blocks, the
// producer and the kernel's frame, WgmmaConsumer.cpp the consumers,
// WgmmaPrologue.cpp what they do with an A that is computed, WgmmaEpilogue.cpp,
// WgmmaNorm.cpp and WgmmaRows.cpp with their sums, WgmmaStreamK.cpp stream-K.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H

#include "WgmmaGemm.h"

#include "Codegen/Emit/ContractionSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tripy::codegen::wgmma {

/// Bytes of a row of a k-block: one swizzle atom.
inline constexpr int64_t rowBytes = 128;
/// Registers of a thread by role.
struct RoleRegisters {
  int64_t producer, consumer;
};
/// Where two or three consumers share a block with the producer, they take
/// registers from it: the threads begin with 168 or 128 each.
inline constexpr RoleRegisters ofTwoConsumers = {56, 224},
                               ofThreeConsumers = {32, 160};
static_assert(ofTwoConsumers.producer + 2 * ofTwoConsumers.consumer == 3 * 168);
static_assert(ofThreeConsumers.producer + 3 * ofThreeConsumers.consumer ==
              4 * 128);
/// Nothing where there is one consumer: then nobody is short of registers.
constexpr std::optional<RoleRegisters> roleRegisters(int64_t consumers) {
  if (consumers == 1)
    return std::nullopt;
  return consumers == 2 ? ofTwoConsumers : ofThreeConsumers;
}
/// A position in the ring of k-blocks: the stage, and the parity of its round.
struct RingPosition {
  mlir::Value stage, parity; // i32
};

/// The rows of a k-block of an operand: those of a tile, from `first` of `size`
/// on, in slices that one block of the cluster copies each. This one copies
/// slice `part`, where the tile goes beyond the end in boxes of `endBoxes`
/// rows, of which `edge` is the least. Tiles begin `step` rows apart.
struct KBlockRows {
  Index first, size;
  int64_t tile, step, slice, edge;
  Index part;
  llvm::SmallVector<int64_t> endBoxes;
};

/// Which operands' part of a k-block is copied.
enum class Operands {
  All,
  Steady,   ///< what no kernel in front writes (isSteady())
  Changing, ///< the others
};

/// Does its part of the current tile, from a position in the ring on.
using TileBody = llvm::function_ref<RingPosition(RingPosition)>;

class WgmmaEmitter {
public:
  /// `maps`: of A, of B of each contraction, and of each result that is stored
  /// in boxes. `workspace`: memory for sums and for flags, with stream-K.
  WgmmaEmitter(KernelEmission &e, const WgmmaSchedule &schedule,
               const ContractionSpace &space, mlir::ValueRange maps,
               mlir::ValueRange workspace, bool prefetches = false)
      : e(e), math(e.math), b(e.b), loc(e.loc), schedule(schedule),
        space(space), maps(maps.begin(), maps.end()),
        workspace(workspace.begin(), workspace.end()),
        stagingBegin(stagingAt(schedule)), prefetches(prefetches) {}

  void emit(mlir::LLVM::GlobalOp shared);
  /// For tile functions, whose results are stored as here: `base` is where
  /// shared memory begins.
  void openEpilogue(mlir::Value base, Index thread) {
    this->base = base;
    this->thread = thread;
  }
  /// Stores `sums`, one value for each group of 64 rows, of the tile at a
  /// batch, row and column, by warp group `consumer` of those that multiply,
  /// through the memory from `staging` on.
  void storeAt(mlir::ValueRange sums, Index batch, Index row, Index column,
               mlir::Value consumer, int64_t staging) {
    tileBatch = batch;
    rowBegin = row;
    columnBegin = column;
    this->consumer = consumer;
    stagingBegin = staging;
    storeTile(sums);
  }
  static int64_t sharedBytes(const WgmmaSchedule &schedule) {
    return exchangesAt(schedule) +
           schedule.consumers() * schedule.exchangeAreaBytes();
  }

private:
  int64_t stageBytesA() const { return schedule.tileM * rowBytes; }
  int64_t stageBytesB() const { return schedule.tileN * rowBytes; }
  static int64_t stagingAt(const WgmmaSchedule &schedule) {
    return schedule.stages * schedule.stageBytes();
  }
  static int64_t barriersAt(const WgmmaSchedule &schedule) {
    return stagingAt(schedule) + schedule.consumers() * schedule.stagingBytes();
  }

  static int64_t exchangesAt(const WgmmaSchedule &schedule) {
    return barriersAt(schedule) + schedule.stages * 16 +
           schedule.consumers() * schedule.boxBuffers * 8;
  }

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t y) {
    return mlir::arith::MulIOp::create(b, loc, x, i32(y));
  }
  mlir::Value toI32(Index index) {
    return mlir::arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                            math.value(index));
  }
  /// Shared memory at a byte address.
  mlir::Value pointer(mlir::Value address) {
    return mlir::LLVM::IntToPtrOp::create(
        b, loc, mlir::LLVM::LLVMPointerType::get(b.getContext(), 3), address);
  }
  mlir::Value fullBarrier(mlir::Value stage) {
    return pointer(add(add(base, i32(barriersAt(schedule))), mul(stage, 8)));
  }
  mlir::Value emptyBarrier(mlir::Value stage) {
    return pointer(
        add(add(base, i32(barriersAt(schedule) + 8 * schedule.stages)),
            mul(stage, 8)));
  }
  void waitFor(mlir::Value barrier, mlir::Value parity) {
    awaitPhase(b, loc, barrier, parity);
  }
  RingPosition next(RingPosition position);
  RingPosition skip(RingPosition position, mlir::Value kBlocks);
  void clearRows();
  void clearStages(mlir::Value first, mlir::Value rows, int64_t tile,
                   int64_t stageBytes);
  void initialiseBarriers();
  void forEachTile(Index first, int64_t step, RingPosition start,
                   llvm::function_ref<RingPosition(RingPosition)> body);
  Index divideTiles(Index a, Index divisor);
  void locate(Index tile);
  void produce();
  RingPosition produceTile(RingPosition position);
  void fillStage(RingPosition position, Index inTile, Index k);
  void startStage(RingPosition position, Index k, Operands which);
  void copyKBlock(RingPosition position, Index k, Operands which);
  bool isSteady(const WgmmaOperand &operand);
  int64_t stagesAhead();
  void copyAhead();
  Index locateFirst();
  void await();
  void copyOperand(const KBlockRows &of, const WgmmaOperand &operand,
                   mlir::Value map, llvm::ArrayRef<mlir::Value> endMaps,
                   mlir::Value at, mlir::Value full, mlir::Value k,
                   mlir::Value blocks);
  void whenMore(const KBlockRows &of, Index first, int64_t rows,
                llvm::function_ref<void()> then);
  /// Copies the rows from the second argument on, i32, with the map that is
  /// the first one.
  using CopyRows = llvm::function_ref<void(mlir::Value, mlir::Value)>;
  void copyKnownRows(const KBlockRows &of, Index first, mlir::Value map,
                     llvm::ArrayRef<mlir::Value> endMaps, CopyRows copy);
  void copyUnknownRows(const KBlockRows &of, Index first, mlir::Value map,
                       llvm::ArrayRef<mlir::Value> endMaps, CopyRows copy);
  /// The map of a box.
  struct RowBox {
    int64_t rows;
    mlir::Value map;
  };
  void copyBoxOf(mlir::Value rows, llvm::ArrayRef<RowBox> boxes,
                 llvm::function_ref<void(mlir::Value)> copy);
  KBlockRows rowsOfA();
  KBlockRows rowsOfB();
  mlir::Value rowsCopied(const KBlockRows &of, Index first, int64_t maxRows);
  mlir::Value rowsToExpect(const KBlockRows &of);
  mlir::Value rowsAtLeast(const KBlockRows &of);
  mlir::Value rowsLeft(const KBlockRows &of, Index first);
  void copyBox(mlir::Value to, mlir::Value map, mlir::ValueRange box,
               mlir::Value barrier, mlir::Value blocks = nullptr);
  void fenceAsync();
  Index rankRow();
  Index rankColumn();
  std::pair<Index, Index> kRange();
  Index rotated(Index k, Index size);
  void consume();
  void takeTiles();
  RingPosition consumeTile(RingPosition position);
  llvm::SmallVector<mlir::Value> multiplyTile(RingPosition &position);
  llvm::SmallVector<mlir::Value> multiplyKBlock(mlir::Value stage,
                                                mlir::ValueRange accumulators,
                                                bool fromZero = false);
  llvm::SmallVector<mlir::Value> multiplyPromotedTile(RingPosition &position,
                                                      mlir::ValueRange zeros);
  mlir::Value addSums(mlir::Value sums, mlir::Value others);
  /// The type of sums, f32 or i32, and the sum of two of them.
  mlir::Type sumType();
  mlir::Value addSum(mlir::Value mine, mlir::Value other);
  mlir::Value descriptor(const WgmmaOperand &operand, mlir::Value address);
  mlir::Value ownRows(mlir::Value kBlock);
  mlir::Value stageOfA(mlir::Value stage);
  mlir::Value stageOfB(mlir::Value stage);
  mlir::Value advance(mlir::Value start, int64_t bytes);
  /// Bytes from one step of K to the next.
  int64_t stepBytes(const WgmmaOperand &operand) const {
    return schedule.stepK() *
           (operand.kMajor ? schedule.elementBytes : rowBytes);
  }
  void release(mlir::Value stage, mlir::Value condition);
  void syncConsumer();
  void syncConsumers();
  void syncCluster(bool ordersMemory);
  mlir::Value isFirstOfConsumer();
  void awaitPingPong();
  void passPingPong();

  // A that is computed (WgmmaPrologue.cpp).
  mlir::Value multiplyComputedTile(RingPosition &position, mlir::Value zeros);
  mlir::Value multiplyComputed(mlir::Value stage,
                               llvm::ArrayRef<mlir::Value> words,
                               mlir::Value sums);
  mlir::Value multiplyWords(mlir::Value sums, llvm::ArrayRef<mlir::Value> words,
                            mlir::Value right);
  llvm::SmallVector<mlir::Value> computeKBlock(RingPosition position, Index k);
  llvm::SmallVector<mlir::Value> keepHere(llvm::ArrayRef<mlir::Value> words);
  mlir::Value computeWord(mlir::Value word, Index row, Index k);
  llvm::SmallVector<std::pair<Index, mlir::Value>> placesAlongK(Index k);
  llvm::SmallVector<Index> operandAt(Index row, Index k);
  void readVectors(Index row, Index k, bool alongK);
  void findOperandRows();

  // Stream-K.
  void forEachShare(RingPosition start, TileBody body);
  std::array<Index, 3> ownShares();
  void takeShare(Index i, Index cut, Index begin, Index end);
  mlir::Value isBelow(Index x, Index y);
  Index select(mlir::Value condition, Index x, Index y);
  Index firstKBlock(Index number);
  Index workerOf(Index kBlock);
  mlir::Value consumerOf(Index number);
  mlir::Value sumsAt(Index number);
  mlir::Value flagOf(Index number);
  void forEachQuad(
      mlir::ValueRange sums, mlir::Value from,
      llvm::function_ref<void(size_t group, int64_t first, mlir::Value place)>
          use);
  void finishShare(mlir::ValueRange sums);
  void leaveSums(mlir::ValueRange sums);
  void awaitSums(Index number);
  llvm::SmallVector<mlir::Value> reduceShares(mlir::ValueRange sums);

  // The epilogue.
  void storeTile(mlir::ValueRange sums);
  void storeByThreads(mlir::Value accumulators, int64_t group);
  void storeByWarps(mlir::ValueRange sums);
  /// Where results of 64 rows and some columns lie in shared memory: `offset`
  /// bytes behind `place`. Rows of 64 and 128 bytes are swizzled. Boxes of one
  /// place share the registers of addresses, whose ends are in instructions.
  struct Box {
    int64_t columns;
    mlir::Value place; ///< i32
    int64_t rowBytes;
    int64_t offset = 0;
  };
  /// Elements, how many elements of the result they lie behind the thread's
  /// first ones, and whether they are there.
  struct RowStore {
    mlir::Value elements;
    int64_t distance;
    mlir::Value inside;
  };
  /// What a warp stores at a time: of columns from `column` of the tile on,
  /// in a group of 64 rows.
  struct WarpRows {
    int64_t group, column, columns;
    Box box;
  };
  WarpRows rowsOfWarp(int64_t number);
  /// A lane's first row in a group of 64, and its number among those that share
  /// the row.
  struct LanePlace {
    Index row, number;
  };
  LanePlace placeOfLane(int64_t lanes);
  void requestRows(int64_t store);
  void requestChunk(mlir::Value first, int64_t distance, mlir::Value chunk,
                    mlir::Value bytes, mlir::Value isThere, mlir::Value to);
  void awaitRows(bool othersFollow);
  void writeRows(mlir::Value accumulators, unsigned result,
                 const WarpRows &rows);
  mlir::Value firstOfRow(const WarpRows &rows, Index row);
  Elements sourcePair(const Box &box, mlir::Value shift, int64_t column,
                      int64_t half);
  Index recomputedThread();
  void separateFromWait();
  void awaitBoxesRead();
  std::optional<int64_t> rowDistance(unsigned result);
  void storeRows(unsigned result, int64_t group, int64_t column,
                 const Box &box);
  void finishStores(llvm::ArrayRef<RowStore> stores, mlir::Value to);
  bool hasAllRows();
  mlir::Value isGreater(mlir::Value left, mlir::Value right);
  void loopOverRows(int64_t turn, llvm::function_ref<void(mlir::Value)> body);
  /// What a lane has of a window of the tile's columns, in shared memory.
  struct Window {
    mlir::Value from; ///< its first row there, i32
    mlir::Value to;   ///< the tile's first column of that row in memory, i64
    mlir::Value rows; ///< that the result has from it on
    mlir::Value part; ///< number of the lane among those of the row
    int64_t column;   ///< of the tile, that the window begins with
    int64_t bytes;    ///< of memory, from row to row
  };
  /// A row of it. `columns` columns from `start` on, where a sector begins, are
  /// this tile's to store.
  struct WindowRow {
    mlir::Value from, to, start, columns, exists;
  };
  void storeWindow(unsigned result, int64_t group, int64_t column,
                   mlir::Value box);
  Window windowOf(unsigned result, int64_t group, int64_t column,
                  mlir::Value box, int64_t lanes);
  WindowRow rowOf(const Window &window, int64_t row);
  void storeSectors(const Window &window, int64_t lanes);
  void storeHead(const Window &window, int64_t lanes);
  void storeTail(const Window &window, int64_t lanes);
  void storeRun(const WindowRow &row, mlir::Value inWindow, mlir::Value column,
                mlir::Value exists);
  void storeAtColumn(const WindowRow &row, mlir::Value column,
                     mlir::Value value, int64_t alignment);
  mlir::Value isLastOfRow();
  mlir::Value loadChunk(mlir::Value from, mlir::Value column);
  mlir::Value rowsFrom(Index atM, Index atN);
  mlir::Value elementAt(mlir::Value pointer, mlir::Type element, Index number);
  void storeByTMA(mlir::ValueRange sums);
  /// Where a box lies: columns of one of a consumer's groups of 64 rows, from
  /// `first` on; with swapAB, rows of a group of 64 columns.
  struct BoxPlace {
    int64_t group, first;
  };
  BoxPlace placeOfBox(int64_t number);
  void storeBox(mlir::Value accumulators, unsigned result, BoxPlace place,
                int64_t box);
  int64_t boxColumns();
  int64_t boxesOfTile();
  Box boxBuffer(int64_t box);
  mlir::Value sourceBarrier(int64_t buffer);
  void initialiseSources();
  void requestSources();
  void requestSource(int64_t box);
  void awaitSource(int64_t box);
  mlir::BlockArgument sourceArgument();
  void bindSource(const Box &box, int64_t column, int64_t half);
  llvm::SmallVector<mlir::Value> boxAt(BoxPlace place);
  int64_t boxesUnread(int64_t box);
  void writeBox(mlir::Value accumulators, int64_t group, unsigned result,
                int64_t column, const Box &box);
  /// A pair of what a box has at a column of it, in the upper or lower half of
  /// 16 rows.
  using PairOfBox = llvm::function_ref<Elements(int64_t column, int64_t half)>;
  void writePairs(mlir::Type element, const Box &box, PairOfBox pairAt);
  llvm::SmallVector<Index> pairPlace(int64_t group, int64_t column,
                                     int64_t half);
  Elements pairOf(mlir::Value tensor, mlir::Value accumulators, int64_t group,
                  int64_t column, int64_t half, const Elements &source = {});
  void sendBox(unsigned result, mlir::Value box, BoxPlace place);
  mlir::Value pairWord(const Elements &pair, mlir::Type element);
  void writeHalves(llvm::ArrayRef<Elements> values, mlir::Type element,
                   const Box &box, int64_t piece);
  void awaitTMAStores();

  // Boxes with swapAB (WgmmaTransposedBoxes.cpp).
  void writeTransposedBox(mlir::Value accumulators, unsigned result,
                          BoxPlace place, const Box &box);
  mlir::Value transposedAt(const Box &box, int64_t row);
  llvm::SmallVector<mlir::Value> readTransposed(mlir::Value at,
                                                int64_t matrices);
  Elements transposedPair(mlir::Value tensor, mlir::Value accumulators,
                          BoxPlace place, int64_t row, int64_t half,
                          mlir::Value source);

  // A norm of the rows (WgmmaNorm.cpp).
  /// This thread's rows of the tile: two of each group of 64.
  struct NormRow {
    int64_t group, half;
    llvm::SmallVector<Elements> input; ///< pairs, 8 columns apart
  };
  void initialiseExchanges();
  void storeNorm(mlir::ValueRange sums);
  llvm::SmallVector<NormRow> computeNormInput(mlir::ValueRange sums);
  void finishInputBox(llvm::ArrayRef<NormRow> rows, int64_t group,
                      int64_t column, int64_t box);
  void bindNormInput(const NormRow &row, int64_t column);
  mlir::Value reduceOwn(mlir::linalg::GenericOp op, const NormRow &row);
  llvm::SmallVector<mlir::Value> reduceRows(unsigned number,
                                            llvm::ArrayRef<NormRow> rows);
  void exchangeRows(unsigned number, llvm::ArrayRef<NormRow> rows,
                    llvm::MutableArrayRef<mlir::Value> totals);
  void loadColumnVectors();
  void sendRow(mlir::Value total, mlir::Value place, mlir::Value barrier);
  void storeNormResults(llvm::ArrayRef<NormRow> rows);
  void storeNormBox(const NormRow *rows, unsigned result, int64_t column,
                    int64_t box, bool isFree);
  void writeFloats(llvm::ArrayRef<Elements> values, const Box &box,
                   int64_t first);
  Elements accumulatorPair(mlir::Value accumulators, int64_t part,
                           int64_t column, int64_t half);
  void reduceSplitK(mlir::ValueRange accumulators);
  void sendShares();
  mlir::Value sumsOfBlock(mlir::Value number);
  mlir::Value sumsBarrier();
  void finishShareOfRows(Index begin, Index rows);
  void storeTransposed(mlir::ValueRange sums);
  void stageTransposed(mlir::ValueRange sums, mlir::Value to, int64_t firstRow,
                       int64_t rows);
  Memory stagedRows(mlir::Value address, int64_t rows);
  void finishRows(llvm::ArrayRef<Memory> sums, Index begin, Index rows,
                  int64_t most);
  void stage(mlir::Value accumulators, int64_t column, int64_t columns,
             mlir::Value to, int64_t rowFloats);
  void finishChunk(int64_t chunk, int64_t group);
  void finishRun(Index inTile, Index column, int64_t vectorSize,
                 llvm::function_ref<Elements(int64_t part)> load);
  /// Neighbours of a row of the tile, from a column of it on, and whether they
  /// are this thread's to store; null: they are.
  struct Run {
    Index row, column;
    mlir::Value isOwn;
  };
  void finishTogether(llvm::ArrayRef<Run> runs, int64_t vectorSize,
                      llvm::function_ref<Elements(size_t, int64_t)> load);
  Index clampedRow(Index row);
  Index clampedColumn(Index at);
  void bindParts(llvm::function_ref<Elements(int64_t part)> load);
  int64_t runSize();
  Index fragmentRow();
  Index consumerRow();
  Index groupRow(int64_t group);
  Index groupColumn(int64_t group);
  Index fragmentColumn();
  llvm::SmallVector<Index> resultAt(Index row, Index column);
  bool isRagged(llvm::ArrayRef<unsigned> loops, int64_t tile);

  KernelEmission &e;
  IndexMath &math;
  mlir::OpBuilder &b;
  mlir::Location loc;
  WgmmaSchedule schedule;
  ContractionSpace space;
  llvm::SmallVector<mlir::Value> maps, workspace;
  mlir::Value base;       ///< address of shared memory, i32
  int64_t stagingBegin;   ///< bytes from there
  bool prefetches;        ///< before the wait for the kernels in front
  Index thread;           ///< of the block
  mlir::Value warp;       ///< of the block, i32
  mlir::Value consumer;   ///< number of this consumer, i32
  Index rank;             ///< of this block in its cluster
  Index groupsM, groupsN; ///< tiles, or groups of tiles of a cluster
  Index tileBatch, rowBegin, columnBegin; ///< of the current tile
  mlir::Value isFirstTile;                ///< of this block, i1
  mlir::Value tileNumber;                 ///< of this warp group's tiles, i32
  llvm::SmallVector<Index> operandRows;   ///< findOperandRows()
  int64_t normRow = 0;                    ///< bindNormInput()
  bool rowsRequested = false;             ///< the first ones: requestRows()
  Index worker; ///< number of this cluster, with stream-K
  /// Stream-K: what this worker has of the current tile.
  struct {
    Index begin, size; ///< of K
    mlir::Value owns;  ///< whether it finishes the tile
    Index last;        ///< the last worker that has a part of it, then
  } share;
};

} // namespace tripy::codegen::wgmma

#endif // TRIPY_LIB_CODEGEN_CUDA_WGMMAEMITTER_H
