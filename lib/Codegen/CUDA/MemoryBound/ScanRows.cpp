//===- ScanRows.cpp - Running sums of rows in registers -------------------===//
//
// The lanes of a warp, or of half of it, have all of a row of known length:
// vectors that are spaced by the lanes, which are loaded together. The sums of
// each lane's vectors are scanned by shuffles, so there are no barriers, and a
// block has several rows: the GPU starts 0.83 blocks in a nanosecond.
//
// Rows that vectors do not divide are read as runs of the tensor, by vectors
// over the ends of rows, of which each row leaves out what is another's. The
// last one of the tensor may pass its end: the last block reads elements.
//
//===----------------------------------------------------------------------===//

#include "ScanEmission.h"

#include "Codegen/Emit/KernelSizes.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

/// Registers for the sums of a thread; lanes of a row at least.
static constexpr int64_t maxRegisters = 32, minLanes = 16;
/// Warps of a multiprocessor below which rows have blocks.
static constexpr int64_t warpsOfFew = 4;
/// Lengths that other forms are for.
static constexpr int64_t shortLength = 256;
/// Threads of a block, where rows begin within vectors, and where they are few.
static constexpr int64_t maxThreads = 256, runThreads = 128, fewThreads = 64;
/// Threads that a multiprocessor has registers for.
static constexpr int64_t residentThreads = 640;

namespace {
class RowsEmitter : ScanEmission {
public:
  explicit RowsEmitter(CUDAKernel &kernel) : ScanEmission(kernel) {}

  bool emit();

private:
  bool choose();
  bool chooseLanes(int64_t vectors);
  AffineExpr countRows();
  bool areRowsFew();
  void locate(int64_t rows);
  /// A vector of the row.
  struct Piece {
    /// From the row's first vector on, and in the tensor; its column, where
    /// rows are whole vectors.
    Index offset, flat, column;
    /// Whether any of it, and all of it, is of the row; null: it is. Where it
    /// may be neither, which elements are.
    Value isSome, isWhole;
    SmallVector<Value> valid;
    Elements values;
  };
  void emitRow(bool bySingles);
  Piece load(int64_t number, bool bySingles);
  void markEnds(Piece &piece, int64_t number);
  Elements loadSingles(const Piece &piece);
  void scan(MutableArrayRef<Piece> pieces);
  void store(const Piece &piece);
  void storeSingles(const Piece &piece);

  Value both(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return arith::AndIOp::create(e.b, e.loc, a, b);
  }
  SmallVector<Index> placeOf(Index column) {
    SmallVector<Index> at(row);
    at.push_back(column);
    return at;
  }
  /// The column of element `i` of a piece, below 0 where it is not of the row.
  Index columnOf(const Piece &piece, int64_t i) {
    return math.sub(math.add(piece.offset, math.constant(i)), lead);
  }

  /// The row's length.
  int64_t columns = 0;
  Index size;
  int64_t vectorSize = 1, pieceCount = 1;
  /// Whether rows begin within vectors.
  bool isRun = false;
  SmallVector<Index> rowSizes, row;
  /// Elements before the first vector of the row, and those of it that are the
  /// row's before.
  Index base, lead;
  /// Whether this thread has a row.
  Value isRow;
};
} // namespace

/// The lanes of a row: those with which a warp has the fewest instructions for
/// it. Each vector is converted, summed, and shuffled in log(lanes) steps.
bool RowsEmitter::chooseLanes(int64_t vectors) {
  int64_t words = llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t some = minLanes; some <= 32; some *= 2) {
    int64_t pieces = llvm::divideCeil(vectors, some);
    int64_t cost =
        pieces * some * (4 * vectorSize + 3 * int64_t(llvm::Log2_64(some)));
    if (pieces * vectorSize * words > maxRegisters || cost >= best)
      continue;
    best = cost;
    lanes = some;
    pieceCount = pieces;
  }
  return best < std::numeric_limits<int64_t>::max();
}

AffineExpr RowsEmitter::countRows() {
  SmallVector<AffineExpr> sizes = e.sizeExprs(0);
  return KernelEmission::product(ArrayRef(sizes).drop_back(),
                                 e.kernel.getContext());
}

/// Whether there are expected to be so few rows that warps, one for each, do
/// not ask for enough at a time: blocks are for them (ScanTiles.cpp).
bool RowsEmitter::areRowsFew() {
  std::optional<int64_t> expected = expectedSize(e.kernel, countRows());
  return expected && columns > 2 * shortLength &&
         *expected < warpsOfFew * kernel.chip.multiprocessors;
}

/// False where a row is too short or too long, or cannot be read by vectors.
bool RowsEmitter::choose() {
  auto shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  columns = shape.back();
  if (static_cast<size_t>(op.getDim()) + 1 != shape.size() ||
      ShapedType::isDynamic(columns) || columns <= shortLength)
    return false;
  if (areRowsFew())
    return false;
  size = e.results.front().sizes.back();
  int64_t widest = vectorSizeOf(e);
  vectorSize = std::gcd(widest, columns);
  if (vectorSize * 2 >= widest)
    return chooseLanes(columns / vectorSize);
  vectorSize = widest;
  isRun = true;
  if (!ElementEmitter::hasRuns(e.kernel.getBody().front(), /*inOrder=*/true))
    return false;
  return chooseLanes(llvm::divideCeil(columns + widest - 1, widest));
}

/// Finds this thread's row; of those that there are not, the first instead.
void RowsEmitter::locate(int64_t rows) {
  Index thread = kernel.threadId();
  lane = math.rem(thread, math.constant(lanes));
  rowSizes.assign(e.results.front().sizes);
  rowSizes.pop_back();
  Index number = math.add(math.mul(kernel.blockId(), math.constant(rows)),
                          math.div(thread, math.constant(lanes)));
  Index count = math.product(rowSizes);
  std::optional<int64_t> known = IndexMath::constantOf(count);
  if (!known || *known % rows != 0) {
    isRow = kernel.compare(CmpIPredicate::ult, number, count);
    number = kernel.clampTo(isRow, number);
  }
  row = math.delinearize(number, rowSizes);
  base = math.mul(number, size);
  lead = math.constant(0);
  if (!isRun)
    return;
  lead = math.rem(base, math.constant(vectorSize));
  base = math.mul(math.div(base, math.constant(vectorSize)),
                  math.constant(vectorSize));
}

/// Finds out what of a piece is of the row.
void RowsEmitter::markEnds(Piece &piece, int64_t number) {
  int64_t end = (number + 1) * lanes * vectorSize;
  bool mayEnd = end > columns, mayBegin = isRun && number == 0;
  Index rowEnd = math.add(lead, size);
  if (mayEnd)
    piece.isSome = kernel.compare(CmpIPredicate::ult, piece.offset, rowEnd);
  if (!isRun || (!mayEnd && !mayBegin))
    return;
  if (mayEnd)
    piece.isWhole = kernel.compare(
        CmpIPredicate::ule, math.add(piece.offset, math.constant(vectorSize)),
        rowEnd);
  if (mayBegin)
    piece.isWhole = both(
        piece.isWhole, kernel.compare(CmpIPredicate::uge, piece.offset, lead));
  for (int64_t i = 0; i < vectorSize; ++i) {
    Index at = math.add(piece.offset, math.constant(i));
    Value valid;
    if (mayEnd)
      valid = kernel.compare(CmpIPredicate::ult, at, rowEnd);
    if (mayBegin)
      valid = both(valid, kernel.compare(CmpIPredicate::uge, at, lead));
    piece.valid.push_back(valid);
  }
}

Elements RowsEmitter::loadSingles(const Piece &piece) {
  Elements values;
  for (int64_t i = 0; i < vectorSize; ++i) {
    Index column = columnOf(piece, i);
    Value valid = kernel.compare(CmpIPredicate::ult, column, size);
    values.push_back(e.elements.emitOne(
        op.getInput(), placeOf(kernel.clampTo(valid, column))));
  }
  return values;
}

/// What is not of the row is zero. `bySingles`: where it may be at the row's
/// end, by elements of the row.
RowsEmitter::Piece RowsEmitter::load(int64_t number, bool bySingles) {
  Piece piece;
  piece.offset = math.add(math.mul(lane, math.constant(vectorSize)),
                          math.constant(number * lanes * vectorSize));
  markEnds(piece, number);
  Index at =
      piece.isSome ? kernel.clampTo(piece.isSome, piece.offset) : piece.offset;
  piece.flat = math.add(base, at);
  piece.column = at;
  if (bySingles && piece.isSome)
    piece.values = loadSingles(piece);
  else if (isRun)
    piece.values = e.elements.emitRun(op.getInput(), piece.flat, vectorSize);
  else
    piece.values = e.elements.emit(op.getInput(), placeOf(at), vectorSize);
  for (auto [i, value] : llvm::enumerate(piece.values)) {
    Value valid = piece.valid.empty() ? piece.isSome : piece.valid[i];
    if (valid)
      value = kernel.select(valid, value, zero());
  }
  return piece;
}

/// Replaces the elements of the row by their running sums.
void RowsEmitter::scan(MutableArrayRef<Piece> pieces) {
  Value carry;
  SmallVector<Value> upTo;
  for (Piece &piece : pieces) {
    for (int64_t i = 1; i < vectorSize; ++i)
      piece.values[i] = add(piece.values[i - 1], piece.values[i]);
    upTo.push_back(piece.values.back());
  }
  // All pieces step by step: shuffles of one do not wait for another's.
  for (int32_t distance = 1; distance < lanes; distance *= 2) {
    Value inside =
        kernel.compare(CmpIPredicate::uge, lane, math.constant(distance));
    for (Value &sum : upTo)
      sum = kernel.select(inside, add(shuffleUp(sum, distance), sum), sum);
  }
  Value isFirst = kernel.compare(CmpIPredicate::eq, lane, math.constant(0));
  Index ofWarp = math.rem(kernel.threadId(), math.constant(32));
  Index last = math.add(ofWarp, math.sub(math.constant(lanes - 1), lane));
  Value lastLane = arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                                math.value(last));
  for (auto [piece, sum] : llvm::zip(pieces, upTo)) {
    Value before = kernel.select(isFirst, zero(), shuffleUp(sum, 1));
    if (carry)
      before = add(carry, before);
    for (Value &value : piece.values)
      value = add(before, value);
    Value total = kernel.shuffle(sum, lastLane, gpu::ShuffleMode::IDX);
    carry = carry ? add(carry, total) : total;
  }
}

void RowsEmitter::storeSingles(const Piece &piece) {
  for (int64_t i = 0; i < vectorSize; ++i) {
    Index column = columnOf(piece, i);
    Value valid = both(isRow, piece.valid[i]);
    e.when(valid, [&] { finish(placeOf(column), {piece.values[i]}); });
  }
}

void RowsEmitter::store(const Piece &piece) {
  auto storeVector = [&] {
    if (isRun)
      finishRun(piece.flat, piece.values);
    else
      finish(placeOf(piece.column), piece.values);
  };
  Value isAll = both(isRow, piece.isWhole ? piece.isWhole : piece.isSome);
  if (isAll)
    e.when(isAll, storeVector);
  else
    storeVector();
  if (!piece.isWhole)
    return;
  Value isCut = arith::XOrIOp::create(
      e.b, e.loc, piece.isWhole,
      arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
  e.when(both(isCut, piece.isSome), [&] { storeSingles(piece); });
}

void RowsEmitter::emitRow(bool bySingles) {
  SmallVector<Piece> pieces;
  for (int64_t i = 0; i < pieceCount; ++i)
    pieces.push_back(load(i, bySingles));
  scan(pieces);
  for (const Piece &piece : pieces)
    store(piece);
}

bool RowsEmitter::emit() {
  if (!choose())
    return false;
  AffineExpr count = countRows();
  std::optional<int64_t> expected = expectedSize(e.kernel, count);
  int64_t rows = (isRun ? runThreads : maxThreads) / lanes;
  while (expected && rows * lanes > fewThreads &&
         *expected < rows * kernel.chip.multiprocessors)
    rows /= 2;
  e.setConfig({count.ceilDiv(rows)}, {rows * lanes, 1, 1}, 0);
  locate(rows);
  kernel.await();
  Index all = math.product(e.results.front().sizes);
  bool isSafe = !isRun || math.factorOf(all) % vectorSize == 0;
  if (type.getIntOrFloatBitWidth() <= 32)
    kernel.residentBlocks = residentThreads / (rows * lanes);
  if (isSafe) {
    emitRow(/*bySingles=*/false);
    return true;
  }
  Index last = math.sub(
      gpu::GridDimOp::create(e.b, e.loc, gpu::Dimension::x).getResult(),
      math.constant(1));
  Value isLast = kernel.compare(CmpIPredicate::eq, kernel.blockId(), last);
  Value isCut = kernel.compare(CmpIPredicate::ne,
                               math.rem(all, math.constant(vectorSize)),
                               math.constant(0));
  Value isSlow = both(isLast, isCut);
  e.when(isSlow, [&] { emitRow(/*bySingles=*/true); });
  e.when(arith::XOrIOp::create(
             e.b, e.loc, isSlow,
             arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true))),
         [&] { emitRow(/*bySingles=*/false); });
  return true;
}

bool codegen::emitCUDAScanRows(CUDAKernel &kernel) {
  return RowsEmitter(kernel).emit();
}
