//===- ScanRows.cpp - Running sums of rows in registers -------------------===//
//
// The lanes of a warp, or of half of it, have all of a row: vectors that are
// spaced by the lanes, which are loaded together. The sums of each lane's
// vectors are scanned by shuffles, so there are no barriers, and a block has
// several rows: the GPU starts 0.83 blocks in a nanosecond. Where the length is
// known at run time only, there are kernels for ranges of it, of which each has
// vectors for the longest row (Schedule/ScanVersions.cpp).
//
// Rows that vectors do not divide are read as runs of the tensor, by vectors
// over the ends of rows. Each row leaves out what is in front of it. What is
// behind it adds to nothing that is stored. The last vector of the tensor may
// pass its end: its elements are loaded alone. Where the length is known at run
// time only, there is code for both kinds of rows.
//
//===----------------------------------------------------------------------===//

#include "ScanRows.h"
#include "ScanEmission.h"

#include "Codegen/Emit/KernelSizes.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Registers for the sums of a thread; lanes of a row at least.
static constexpr int64_t maxRegisters = 32, minLanes = 16;
/// Warps of a multiprocessor below which rows have blocks.
static constexpr int64_t warpsOfFew = 4;
/// Lengths that other forms are for: of a static number of elements, and of a
/// dynamic one so many vectors.
static constexpr int64_t shortLength = 256, shortVectors = 8;
/// Lengths up to which few rows have warps, too.
static constexpr int64_t longLength = 2 * shortLength;
/// Threads of a block, where rows begin within vectors, and where they are few.
static constexpr int64_t maxThreads = 256, runThreads = 128, fewThreads = 64;
/// Threads that a multiprocessor has registers for.
static constexpr int64_t residentThreads = 640;

/// The lanes of a row of `vectors` vectors: those with which a warp has the
/// fewest instructions for it. Each vector is converted, summed, and shuffled
/// in log(lanes) steps. Finds `wholePieces`; false where a row is too long.
static bool chooseLanes(ScanRows &plan, int64_t vectors, int64_t words) {
  int64_t best = std::numeric_limits<int64_t>::max();
  int64_t v = plan.vectorSize;
  for (int64_t some = minLanes; some <= 32; some *= 2) {
    int64_t pieces = llvm::divideCeil(vectors, some);
    int64_t cost = pieces * some * (4 * v + 3 * int64_t(llvm::Log2_64(some)));
    if (pieces * v * words > maxRegisters || cost >= best)
      continue;
    best = cost;
    plan.lanes = some;
    plan.wholePieces = pieces;
  }
  return best < std::numeric_limits<int64_t>::max();
}

/// Whether there are expected to be so few rows that warps, one for each, do
/// not ask for enough at a time: blocks are for them (ScanTiles.cpp).
static bool areRowsFew(const ExpectedScan &scan, int64_t columns,
                       const CudaChip &chip) {
  return scan.outer && columns > longLength &&
         *scan.outer < warpsOfFew * chip.multiprocessors;
}

/// Where the length of rows is known at run time only.
static std::optional<ScanRows> planDynamic(kernel::FuncOp kernel, ScanRows plan,
                                           int64_t words) {
  int64_t v = plan.vectorSize;
  // Rows that may be much shorter would leave lanes idle.
  if (plan.least <= shortVectors * v || plan.most > 2 * plan.least + v ||
      !ElementEmitter::hasRuns(kernel.getBody().front(), /*inOrder=*/true) ||
      !chooseLanes(plan, llvm::divideCeil(plan.most, v), words))
    return std::nullopt;
  if (v > 1)
    plan.oddPieces =
        llvm::divideCeil(llvm::divideCeil(plan.most + v - 1, v), plan.lanes);
  return plan;
}

std::optional<ScanRows> codegen::planScanRows(kernel::FuncOp kernel,
                                              const CudaChip &chip) {
  std::optional<ExpectedScan> scan = expectedScan(kernel);
  if (!scan || scan->dim + 1 != static_cast<size_t>(scan->type.getRank()))
    return std::nullopt;
  std::optional<kernel::SizeRange> length = sizeRange(kernel, scan->size);
  if (!length || areRowsFew(*scan, length->values.hi, chip))
    return std::nullopt;
  ScanRows plan;
  plan.least = length->values.lo;
  plan.most = length->values.hi;
  plan.vectorSize = vectorSizeOf(kernel);
  if (!length->isStatic())
    return planDynamic(kernel, plan, scan->words());
  if (plan.most <= shortLength)
    return std::nullopt;
  int64_t widest = plan.vectorSize;
  plan.vectorSize = std::gcd(widest, plan.most);
  if (plan.vectorSize * 2 >= widest) {
    if (!chooseLanes(plan, plan.most / plan.vectorSize, scan->words()))
      return std::nullopt;
    return plan;
  }
  plan.vectorSize = widest;
  if (!ElementEmitter::hasRuns(kernel.getBody().front(), /*inOrder=*/true) ||
      !chooseLanes(plan, llvm::divideCeil(plan.most + widest - 1, widest),
                   scan->words()))
    return std::nullopt;
  plan.oddPieces = std::exchange(plan.wholePieces, 0);
  return plan;
}

SmallVector<int64_t> codegen::scanRowLimits(kernel::FuncOp kernel) {
  std::optional<ExpectedScan> scan = expectedScan(kernel);
  int64_t v = vectorSizeOf(kernel);
  SmallVector<int64_t> limits{shortVectors * v};
  if (!scan || !scan->length)
    return limits;
  if (*scan->length <= shortVectors * v)
    limits.insert(limits.begin(), maxScanOfThread);
  // Rows that begin within vectors have one more where they are as long as all.
  int64_t odd = *scan->length % v == 0 ? 0 : v - 1;
  int64_t most = 32 * maxRegisters / (v * scan->words());
  for (int64_t vectors = 2 * shortVectors; vectors <= most; vectors *= 2) {
    limits.push_back(vectors * v - odd);
    if (vectors > minLanes && vectors + vectors / 2 <= most)
      limits.push_back((vectors + vectors / 2) * v - odd);
  }
  return limits;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
class RowsEmitter : ScanEmission {
public:
  RowsEmitter(CUDAKernel &kernel, const ScanRows &plan)
      : ScanEmission(kernel), plan(plan) {
    lanes = plan.lanes;
  }

  void emit();

private:
  AffineExpr countRows();
  void locate(int64_t rows);
  void placeRow();
  /// A vector of the row.
  struct Piece {
    /// From the row's first vector on, i32; and in the tensor.
    Value place;
    Index flat;
    /// Whether any of it, and all of it, is of the row; null: it is.
    Value isSome, isWhole;
    Elements values;
  };
  void emitRow();
  Piece load(int64_t number);
  void markEnds(Piece &piece, int64_t number);
  void leaveOutFront(Piece &piece);
  void loadPast(MutableArrayRef<Piece> pieces);
  void scan(MutableArrayRef<Piece> pieces);
  void store(const Piece &piece);
  void storeCut(const Piece &piece);

  Value both(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return arith::AndIOp::create(e.b, e.loc, a, b);
  }
  Value no(Value condition) {
    return arith::XOrIOp::create(
        e.b, e.loc, condition,
        arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
  }
  Value toNumber(Index index) {
    return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                        math.value(index));
  }
  Value compare(CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(e.b, e.loc, predicate, a, b);
  }
  Value plus(Value a, int64_t b) {
    return arith::AddIOp::create(e.b, e.loc, a, number(b));
  }
  Index toIndex(Value number) {
    Value index =
        arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), number);
    math.setFactor(index, plan.vectorSize);
    return index;
  }
  SmallVector<Index> placeOf(Value column) {
    SmallVector<Index> at(row);
    at.push_back(toIndex(column));
    return at;
  }
  /// Whether rows are read as runs of the tensor.
  bool hasRuns() { return plan.oddPieces > 0; }
  int64_t pieces() { return isOdd ? plan.oddPieces : plan.wholePieces; }
  /// Whether vectors may pass the end of the tensor.
  bool mayPass() {
    return isOdd && math.factorOf(total) % plan.vectorSize != 0;
  }

  const ScanRows &plan;
  /// Whether rows begin within vectors.
  bool isOdd = false;
  /// The row's length, and the elements of the tensor.
  Index size, total;
  SmallVector<Index> rowSizes, row;
  Index rowNumber;
  /// Where the row's first vector begins in the tensor.
  Index base;
  /// From there on, i32: where the row begins and ends, where vectors end that
  /// are loaded whole, and the last vector of the tensor.
  Value lead, end, safeEnd, last;
  /// Whether this thread has a row.
  Value isRow;
};
} // namespace

AffineExpr RowsEmitter::countRows() {
  SmallVector<AffineExpr> sizes = e.sizeExprs(0);
  return KernelEmission::product(ArrayRef(sizes).drop_back(),
                                 e.kernel.getContext());
}

/// Finds this thread's row; of those that there are not, the first instead.
void RowsEmitter::locate(int64_t rows) {
  Index thread = kernel.threadId();
  lane = math.rem(thread, math.constant(lanes));
  size = e.results.front().sizes.back();
  total = math.product(e.results.front().sizes);
  rowSizes.assign(e.results.front().sizes);
  rowSizes.pop_back();
  rowNumber = math.add(math.mul(kernel.blockId(), math.constant(rows)),
                       math.div(thread, math.constant(lanes)));
  Index count = math.product(rowSizes);
  std::optional<int64_t> known = IndexMath::constantOf(count);
  if (!known || *known % rows != 0) {
    isRow = kernel.compare(CmpIPredicate::ult, rowNumber, count);
    rowNumber = kernel.clampTo(isRow, rowNumber);
  }
}

/// Finds the row's vectors.
void RowsEmitter::placeRow() {
  Index v = math.constant(plan.vectorSize);
  Index start = math.mul(rowNumber, size);
  lead = number(0);
  base = start;
  if (hasRuns())
    base = math.mul(math.div(start, v), v);
  else
    row = math.delinearize(rowNumber, rowSizes);
  end = toNumber(size);
  if (isOdd) {
    lead = toNumber(math.rem(start, v));
    end = arith::AddIOp::create(e.b, e.loc, lead, end);
  }
  safeEnd = end;
  if (mayPass()) {
    // Of the last row alone, that is not far away.
    Index ahead = math.sub(math.mul(math.div(total, v), v), base);
    last = toNumber(math.min(ahead, math.constant(1 << 30)));
    safeEnd = arith::MinUIOp::create(e.b, e.loc, end, last);
  }
}

/// Finds out what of a piece is of the row.
void RowsEmitter::markEnds(Piece &piece, int64_t number) {
  bool mayEnd = (number + 1) * lanes * plan.vectorSize > plan.least;
  if (mayEnd)
    piece.isSome = compare(CmpIPredicate::ult, piece.place, end);
  if (!isOdd)
    return;
  if (mayEnd)
    piece.isWhole =
        compare(CmpIPredicate::ule, plus(piece.place, plan.vectorSize), end);
  if (number == 0)
    piece.isWhole =
        both(piece.isWhole, compare(CmpIPredicate::uge, piece.place, lead));
}

/// Makes what is in front of the row zero, which the first lane may have.
void RowsEmitter::leaveOutFront(Piece &piece) {
  Value isFirst = kernel.compare(CmpIPredicate::eq, lane, math.constant(0));
  Value front = kernel.select(isFirst, lead, number(0));
  for (auto [i, value] : llvm::enumerate(piece.values))
    value = kernel.select(compare(CmpIPredicate::ule, front, number(i)), value,
                          zero());
}

/// Instead of a vector that is not of the row, its first one.
RowsEmitter::Piece RowsEmitter::load(int64_t number) {
  Piece piece;
  int64_t v = plan.vectorSize;
  piece.place =
      plus(toNumber(math.mul(lane, math.constant(v))), number * lanes * v);
  markEnds(piece, number);
  Value at = piece.place;
  if (piece.isSome) {
    Value isSafe =
        mayPass() ? compare(CmpIPredicate::ult, at, safeEnd) : piece.isSome;
    at = kernel.select(isSafe, at, this->number(0));
  }
  piece.flat = math.add(base, toIndex(at));
  piece.values = hasRuns() ? e.elements.emitRun(op.getInput(), piece.flat, v)
                           : e.elements.emit(op.getInput(), placeOf(at), v);
  return piece;
}

/// Gives the thread that has the vector over the tensor's end its elements.
void RowsEmitter::loadPast(MutableArrayRef<Piece> pieces) {
  int64_t v = plan.vectorSize;
  Elements whole;
  for (const Piece &piece : pieces)
    llvm::append_range(whole, piece.values);
  auto load = [&] {
    Index first = math.mul(math.div(total, math.constant(v)), math.constant(v));
    Elements values(whole), rest;
    for (int64_t i = 0; i < v; ++i) {
      Index at = math.add(first, math.constant(i));
      Value isSome = kernel.compare(CmpIPredicate::ult, at, total);
      llvm::append_range(
          rest,
          e.elements.emitRun(op.getInput(), kernel.clampTo(isSome, at), 1));
    }
    for (auto [number, piece] : llvm::enumerate(pieces)) {
      if (!piece.isSome)
        continue;
      Value isLast = compare(CmpIPredicate::eq, piece.place, last);
      for (auto [i, value] : llvm::enumerate(rest)) {
        Value &own = values[number * v + i];
        own = kernel.select(isLast, value, own);
      }
    }
    return values;
  };
  Elements values =
      kernel.valuesWhere(compare(CmpIPredicate::ult, last, end), whole, load);
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    auto own = ArrayRef(values).slice(number * v, v);
    piece.values.assign(own.begin(), own.end());
  }
}

/// Replaces the elements of the row by their running sums.
void RowsEmitter::scan(MutableArrayRef<Piece> pieces) {
  Value carry;
  SmallVector<Value> upTo;
  for (Piece &piece : pieces) {
    for (int64_t i = 1; i < plan.vectorSize; ++i)
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
  Index lastOfRow = math.add(ofWarp, math.sub(math.constant(lanes - 1), lane));
  Value lastLane = toNumber(lastOfRow);
  for (auto [piece, sum] : llvm::zip(pieces, upTo)) {
    Value before = kernel.select(isFirst, zero(), shuffleUp(sum, 1));
    if (carry)
      before = add(carry, before);
    for (Value &value : piece.values)
      value = add(before, value);
    Value ofPiece = kernel.shuffle(sum, lastLane, gpu::ShuffleMode::IDX);
    carry = carry ? add(carry, ofPiece) : ofPiece;
  }
}

/// Stores the elements of a vector that are of the row.
void RowsEmitter::storeCut(const Piece &piece) {
  for (int64_t i = 0; i < plan.vectorSize; ++i) {
    Value own = plus(piece.place, i);
    Value isOf = both(compare(CmpIPredicate::uge, own, lead),
                      compare(CmpIPredicate::ult, own, end));
    Index at = math.add(math.add(base, toIndex(piece.place)), math.constant(i));
    e.when(isOf, [&] { finishRun(at, Elements{piece.values[i]}); });
  }
}

void RowsEmitter::store(const Piece &piece) {
  auto storeVector = [&] {
    if (hasRuns())
      finishRun(math.add(base, toIndex(piece.place)), piece.values);
    else
      finish(placeOf(piece.place), piece.values);
  };
  Value isAll = both(isRow, piece.isWhole ? piece.isWhole : piece.isSome);
  if (isAll)
    e.when(isAll, storeVector);
  else
    storeVector();
  if (piece.isWhole)
    e.when(both(isRow, both(no(piece.isWhole), piece.isSome)),
           [&] { storeCut(piece); });
}

void RowsEmitter::emitRow() {
  placeRow();
  SmallVector<Piece> loaded;
  for (int64_t i = 0; i < pieces(); ++i)
    loaded.push_back(load(i));
  if (mayPass())
    loadPast(loaded);
  if (isOdd)
    leaveOutFront(loaded.front());
  scan(loaded);
  for (const Piece &piece : loaded)
    store(piece);
}

void RowsEmitter::emit() {
  AffineExpr count = countRows();
  std::optional<int64_t> expected = expectedSize(e.kernel, count);
  int64_t rows = (hasRuns() ? runThreads : maxThreads) / lanes;
  while (expected && rows * lanes > fewThreads &&
         *expected < rows * kernel.chip.multiprocessors)
    rows /= 2;
  e.setConfig({count.ceilDiv(rows)}, {rows * lanes, 1, 1}, 0);
  if (type.getIntOrFloatBitWidth() <= 32)
    kernel.residentBlocks = residentThreads / (rows * lanes);
  locate(rows);
  kernel.await();
  isOdd = plan.wholePieces == 0;
  if (plan.wholePieces == 0 || plan.oddPieces == 0)
    return emitRow();
  Value areWhole = kernel.compare(
      CmpIPredicate::eq, math.rem(size, math.constant(plan.vectorSize)),
      math.constant(0));
  e.when(areWhole, [&] { emitRow(); });
  isOdd = true;
  e.when(no(areWhole), [&] { emitRow(); });
}

void codegen::emitCUDAScanRows(CUDAKernel &kernel, const ScanRows &rows) {
  RowsEmitter(kernel, rows).emit();
}
