//===- MmaAttention.cpp - Attention on the tensor cores of warps ----------===//
//
// A warp has 16 or 32 rows of queries. While it multiplies them with a block of
// keys, and what becomes of the scores with the values, the next block of both
// is being copied to shared memory. Scores, sums and the running maximum and
// sum stay in registers: what an instruction gives as results, two neighbours
// in a row, is what the next one takes as 16-bit factors.
//
// Shared memory is the limit: each warp reads all keys and values. 64 keys of
// 128 numbers and their values are 32 KiB for a warp, which shared memory
// delivers in 256 cycles (128 bytes a cycle); the tensor cores of a warp's
// quarter multiply 16 rows with them in about 208. Hence 32 rows, where there
// are as many and registers suffice.
//
//===----------------------------------------------------------------------===//

#include "AttentionPanel.h"

#include "tripy/Codegen/AttentionSpace.h"
#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

//===----------------------------------------------------------------------===//
// Blocks of queries
//===----------------------------------------------------------------------===//

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(CUDAKernel &kernel, ElementType elementType,
                   int64_t fragments);

  /// Whether a warp has rows, blocks, and registers for 32 rows.
  bool suitsPairs();
  int64_t sharedBytes() const {
    return std::max(queryBytes() + 2 * stageBytes(),
                    blockRows() * stagedFloats() * 4);
  }
  void emit();

private:
  /// What the loop over keys carries. `totals` are of the thread's scores.
  struct State {
    SmallVector<Value> maxima, totals;
    /// 4 of each 16 x 8 results: [fragment][column / 8].
    SmallVector<Value> sums;
    /// Addresses: of the block of keys and values, and of the next one.
    Value stage, next;
  };
  Index constant(int64_t value) { return math.constant(value); }
  /// Rows of a warp and of a block. Rows of a thread: lane / 4, and 8 behind,
  /// of each fragment.
  int64_t warpRows() const { return fragments * fragmentRows; }
  int64_t blockRows() const { return blockWarps * warpRows(); }
  int64_t ownRows() const { return 2 * fragments; }
  /// The row of a thread's number `i` of all that it has of `columns` columns.
  int64_t rowOf(size_t i, int64_t columns) const {
    int64_t ofFragment = columns / fragmentColumns * 4;
    int64_t number = static_cast<int64_t>(i);
    return number / ofFragment * 2 + number % 4 / 2;
  }
  int64_t stageBytes() const {
    return keys * (depth.lineBytes + width.lineBytes);
  }
  int64_t queryBytes() const { return blockRows() * depth.lineBytes; }
  /// Of a row of sums in shared memory: more than there are, so that rows begin
  /// in different banks.
  int64_t stagedFloats() const { return width.read + 8; }
  SmallVector<Value> pack(const State &state) const;
  State unpack(ValueRange all) const;

  void locate();
  void startQuery();
  void startKeys(Value stage, Index first);
  State start();
  SmallVector<Value> multiplyScores(Value stage);
  Value add(Value a, Value b) {
    return arith::AddFOp::create(e.b, e.loc, a, b);
  }
  void takeScores(Index first, bool areOfAll, MutableArrayRef<Value> scores);
  void takePowers(State &state, MutableArrayRef<Value> scores);
  Value referenceOf(Value max);
  Value powerOf(Value score, Value reference, bool isMaximum);
  Value packPair(Value low, Value high);
  void addValues(State &state, ArrayRef<Value> powers);
  void takeKeys(State &state, Index first, bool areOfAll);
  SmallVector<Value> takeRange(Index from, Index to, bool areOfAll,
                               ValueRange carried);
  void finish(const State &state);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  AttentionSpace space;
  ElementType elementType;
  /// 16 rows each, of a warp.
  int64_t fragments;
  Panel depth, width;
  /// Keys that are in shared memory at a time.
  int64_t keys;
  /// Scores are products that were not scaled: the exponent's factor scales.
  bool scalesLate;
  float factor;
  /// No product with `factor` is beyond f32: differences of such products may
  /// be fused.
  bool isBounded;
  Lines queryLines, valueLines;
  Value query;
  AttentionSpace::Block block;
  Index thread, lane, warpRow;
  SmallVector<AttentionSpace::Row, 4> rows;
  SmallVector<FragmentReader, 3> readers;
};
} // namespace

AttentionEmitter::AttentionEmitter(CUDAKernel &kernel, ElementType elementType,
                                   int64_t fragments)
    : kernel(kernel), e(kernel.e), math(e.math), words(e), space(e),
      elementType(elementType), fragments(fragments), depth(space.depth),
      width(space.width),
      keys(std::max(depth.read, width.read) <= 128 ? 64 : 32),
      queryLines{true, elementType, depth.lineBytes},
      valueLines{false, elementType, width.lineBytes} {
  double scale = space.op.getScale().convertToDouble();
  // The largest product has the largest score.
  scalesLate = scale > 0 && !space.hasBias();
  double exponentFactor = llvm::numbers::log2e * (scalesLate ? scale : 1);
  factor = static_cast<float>(exponentFactor);
  const double largest = 65504, maxF32 = std::numeric_limits<float>::max();
  isBounded = elementType == ElementType::F16 && scalesLate &&
              largest * largest * double(space.depth) * exponentFactor < maxF32;
}

/// Sums and scores of 32 rows take 4 registers a column and key. A block a
/// multiprocessor is the least that pays.
bool AttentionEmitter::suitsPairs() {
  if (std::max(depth.read, width.read) > 128)
    return false;
  std::optional<int64_t> rows = IndexMath::constantOf(space.rows);
  if (rows && *rows <= blockWarps * fragmentRows)
    return false;
  auto blocks = dyn_cast<AffineConstantExpr>(
      space.numBlocks(2 * blockWarps * fragmentRows));
  return !blocks || blocks.getValue() >= kernel.chip.multiprocessors;
}

SmallVector<Value> AttentionEmitter::pack(const State &state) const {
  SmallVector<Value> all(state.sums);
  llvm::append_range(all, state.maxima);
  llvm::append_range(all, state.totals);
  all.append({state.stage, state.next});
  return all;
}

AttentionEmitter::State AttentionEmitter::unpack(ValueRange all) const {
  State state;
  auto take = [&](SmallVector<Value> &to, int64_t count) {
    llvm::append_range(to, all.take_front(count));
    all = all.drop_front(count);
  };
  take(state.sums, fragments * width.read / fragmentColumns * 4);
  take(state.maxima, ownRows());
  take(state.totals, ownRows());
  state.stage = all[0];
  state.next = all[1];
  return state;
}

void AttentionEmitter::locate() {
  query = sharedAddress(kernel);
  thread = kernel.threadId();
  lane = math.rem(thread, constant(32));
  warpRow = math.mul(math.div(thread, constant(32)), constant(warpRows()));
  block = space.blockAt(kernel.blockId(), blockRows());
  Index first =
      math.add(math.add(block.firstRow, warpRow), math.div(lane, constant(4)));
  for (int64_t row = 0; row < ownRows(); ++row) {
    Index own = math.add(first, constant(8 * row));
    Value isRow = kernel.compare(arith::CmpIPredicate::ult, own, space.rows);
    rows.push_back(space.rowAt(block, kernel.clampTo(isRow, own)));
  }
  Value none = words.constant(0);
  readers.emplace_back(kernel, queryLines, true, 0, words.of(warpRow));
  readers.emplace_back(kernel, queryLines, false, 0, none);
  readers.emplace_back(kernel, valueLines, false, keys * depth.lineBytes, none);
}

//===-- copies ------------------------------------------------------------===//

void AttentionEmitter::startQuery() {
  PanelCopy copy(kernel, space.op.getQuery(), depth, queryLines, blockRows());
  copy.start(query, math.sub(space.rows, block.firstRow),
             [&](Index row, Index column) {
               AttentionSpace::Row from =
                   space.rowAt(block, math.add(block.firstRow, row));
               return space.ofQuery(block, from, column);
             });
}

/// Starts the copies of the keys and values from `first` on, as one group.
void AttentionEmitter::startKeys(Value stage, Index first) {
  // None, where all keys are before `first`.
  Index valid = math.sub(math.max(block.end, first), first);
  auto place = [&](Index row, Index column) {
    return space.ofKey(block, math.add(first, row), column);
  };
  PanelCopy(kernel, space.op.getKey(), depth, queryLines, keys)
      .start(stage, valid, place);
  PanelCopy(kernel, space.op.getValue(), width, valueLines, keys)
      .start(words.add(stage, keys * depth.lineBytes), valid, place);
  NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

AttentionEmitter::State AttentionEmitter::start() {
  State state;
  state.sums.assign(fragments * width.read / fragmentColumns * 4,
                    space.number(0));
  state.maxima.assign(ownRows(), space.minusInfinity());
  state.totals.assign(ownRows(), space.number(0));
  state.stage = words.add(query, queryBytes());
  state.next = words.add(state.stage, stageBytes());
  startQuery();
  startKeys(state.stage, constant(0));
  return state;
}

//===-- a block of keys ---------------------------------------------------===//

/// 4 products of a thread for each 16 rows and 8 keys.
SmallVector<Value> AttentionEmitter::multiplyScores(Value stage) {
  int64_t ofFragment = keys / fragmentColumns * 4;
  SmallVector<Value> products(fragments * ofFragment, space.number(0));
  for (int64_t step = 0; step < depth.read / perStep; ++step) {
    SmallVector<SmallVector<Value>> a;
    for (int64_t fragment = 0; fragment < fragments; ++fragment)
      a.push_back(readers[0].read(query, step, fragment * fragmentRows, 4));
    for (int64_t key = 0; key < keys; key += 2 * fragmentColumns) {
      SmallVector<Value> b = readers[1].read(stage, step, key, 4);
      for (int64_t fragment = 0; fragment < fragments; ++fragment)
        for (int64_t half : {0, 1})
          multiplyAdd(
              e, elementType, a[fragment], ArrayRef(b).slice(2 * half, 2),
              MutableArrayRef(products).slice(
                  fragment * ofFragment + (key / fragmentColumns + half) * 4,
                  4));
    }
  }
  return products;
}

/// Lanes that have the columns of one row of a fragment.
static constexpr int64_t rowLanes = 4;

/// products -> scores, of the keys from `first` on. `areOfAll`: all rows see
/// them, as far as the mask does not hide them.
void AttentionEmitter::takeScores(Index first, bool areOfAll,
                                  MutableArrayRef<Value> scores) {
  Index pair = math.mul(math.rem(lane, constant(4)), constant(2));
  int64_t ofFragment = keys / fragmentColumns * 4;
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t number = static_cast<int64_t>(i);
    int64_t behind = number % ofFragment / 4 * fragmentColumns + number % 2;
    Index key = math.add(first, math.add(pair, constant(behind)));
    Value inside;
    if (!areOfAll) {
      inside = kernel.compare(arith::CmpIPredicate::ult, key, block.end);
      key = kernel.clampTo(inside, key);
    }
    const AttentionSpace::Row &row = rows[rowOf(i, keys)];
    if (!scalesLate)
      score = space.scaled(block, row, key, score);
    score = space.unlessHidden(block, row, key, score, inside, areOfAll);
  }
}

/// What powers are relative to: the maximum, or its product with `factor`.
Value AttentionEmitter::referenceOf(Value max) {
  Value reference = space.reference(max);
  if (!isBounded)
    return reference;
  return arith::MulFOp::create(e.b, e.loc, reference, space.number(factor));
}

/// 2^(factor (score - maximum)). `isMaximum`: the score is one that powers were
/// relative to; its product was rounded.
Value AttentionEmitter::powerOf(Value score, Value reference, bool isMaximum) {
  Value scale = space.number(factor), exponent;
  if (!isBounded) {
    Value behind = arith::SubFOp::create(e.b, e.loc, score, reference);
    exponent = arith::MulFOp::create(e.b, e.loc, behind, scale);
  } else if (isMaximum) {
    Value product = arith::MulFOp::create(e.b, e.loc, score, scale);
    exponent = arith::SubFOp::create(e.b, e.loc, product, reference);
  } else {
    Value negated = arith::NegFOp::create(e.b, e.loc, reference);
    exponent = math::FmaOp::create(e.b, e.loc, score, scale, negated);
  }
  auto power = math::Exp2Op::create(e.b, e.loc, exponent);
  power->setAttr(feeds16Name, e.b.getUnitAttr());
  return power;
}

/// scores -> powers; what was summed is multiplied as the maximum grows.
void AttentionEmitter::takePowers(State &state, MutableArrayRef<Value> scores) {
  SmallVector<Value> references, factors;
  for (int64_t row = 0; row < ownRows(); ++row) {
    Value max = state.maxima[row];
    auto larger = [&](Value a, Value b) -> Value {
      return arith::MaximumFOp::create(e.b, e.loc, a, b);
    };
    for (auto [i, score] : llvm::enumerate(scores))
      if (rowOf(i, keys) == row)
        max = larger(max, score);
    max = kernel.overLanes(max, rowLanes, larger);
    references.push_back(referenceOf(max));
    factors.push_back(powerOf(state.maxima[row], references[row], true));
    state.maxima[row] = max;
    state.totals[row] =
        arith::MulFOp::create(e.b, e.loc, state.totals[row], factors[row]);
  }
  for (auto [i, score] : llvm::enumerate(scores)) {
    int64_t row = rowOf(i, keys);
    score = powerOf(score, references[row], false);
    state.totals[row] = add(state.totals[row], score);
  }
  for (auto [i, sum] : llvm::enumerate(state.sums))
    sum = arith::MulFOp::create(e.b, e.loc, sum, factors[rowOf(i, width.read)]);
}

/// Two neighbours as the instruction takes them.
Value AttentionEmitter::packPair(Value low, Value high) {
  Type element = elementTypeOf(space.op.getQuery());
  SmallVector<Value> both{e.elements.narrow(low, element),
                          e.elements.narrow(high, element)};
  Value pair = vector::FromElementsOp::create(
      e.b, e.loc, VectorType::get({2}, element), both);
  return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), pair);
}

void AttentionEmitter::addValues(State &state, ArrayRef<Value> powers) {
  int64_t ofFragment = keys / fragmentColumns * 4;
  int64_t sumsOfFragment = width.read / fragmentColumns * 4;
  for (int64_t step = 0; step < keys / perStep; ++step) {
    SmallVector<SmallVector<Value>> a(fragments);
    for (int64_t fragment = 0; fragment < fragments; ++fragment)
      for (int64_t i = 0; i < 8; i += 2) {
        int64_t at = fragment * ofFragment + step * 8 + i;
        a[fragment].push_back(packPair(powers[at], powers[at + 1]));
      }
    for (int64_t column = 0; column < width.read;
         column += 2 * fragmentColumns) {
      SmallVector<Value> b = readers[2].read(state.stage, step, column, 4);
      for (int64_t fragment = 0; fragment < fragments; ++fragment)
        for (int64_t half : {0, 1})
          multiplyAdd(e, elementType, a[fragment],
                      ArrayRef(b).slice(2 * half, 2),
                      MutableArrayRef(state.sums)
                          .slice(fragment * sumsOfFragment +
                                     (column / fragmentColumns + half) * 4,
                                 4));
    }
  }
}

void AttentionEmitter::takeKeys(State &state, Index first, bool areOfAll) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, 0);
  // All have copied these keys, and have read what the next ones overwrite.
  kernel.barrier();
  startKeys(state.next, math.add(first, constant(keys)));
  SmallVector<Value> scores = multiplyScores(state.stage);
  takeScores(first, areOfAll, scores);
  takePowers(state, scores);
  addValues(state, scores);
  std::swap(state.stage, state.next);
}

/// The keys between two multiples of a block of keys.
SmallVector<Value> AttentionEmitter::takeRange(Index from, Index to,
                                               bool areOfAll,
                                               ValueRange carried) {
  return e.reduceLoop(from, to, constant(keys), carried,
                      [&](Index first, ValueRange carried) {
                        State state = unpack(carried);
                        takeKeys(state, first, areOfAll);
                        return pack(state);
                      });
}

//===-- results -----------------------------------------------------------===//

/// Each warp brings its rows to shared memory, so that a thread gets neighbours
/// of a row.
void AttentionEmitter::finish(const State &state) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, 0);
  kernel.barrier();
  SmallVector<Value> results(state.sums);
  SmallVector<Value> divisors;
  for (Value total : state.totals)
    divisors.push_back(space.divisor(kernel.overLanes(
        total, rowLanes, [&](Value a, Value b) { return add(a, b); })));
  for (auto [i, result] : llvm::enumerate(results))
    result = arith::DivFOp::create(e.b, e.loc, result,
                                   divisors[rowOf(i, width.read)]);
  Value own =
      words.add(query, words.mul(words.of(warpRow), stagedFloats() * 4));
  size_t sumsOfFragment = results.size() / fragments;
  for (int64_t fragment = 0; fragment < fragments; ++fragment)
    storeFragments(
        kernel,
        ArrayRef(results).slice(fragment * sumsOfFragment, sumsOfFragment),
        words.add(own, fragment * fragmentRows * stagedFloats() * 4),
        stagedFloats());
  NVVM::SyncWarpOp::create(e.b, e.loc, words.constant(-1));
  Memory staging{words.pointer(own),
                 e.b.getF32Type(),
                 {constant(warpRows()), constant(stagedFloats())},
                 16,
                 false};
  int64_t vectorSize = std::gcd(space.width, perPiece);
  int64_t runs = space.width / vectorSize;
  e.loop(lane, constant(warpRows() * runs), constant(32), [&](Index run) {
    Index row = math.div(run, constant(runs));
    Index column =
        math.mul(math.rem(run, constant(runs)), constant(vectorSize));
    Index number = math.add(math.add(block.firstRow, warpRow), row);
    Value inside =
        kernel.compare(arith::CmpIPredicate::ult, number, space.rows);
    e.when(inside, [&] {
      Elements values = e.elements.load(staging, {row, column}, vectorSize);
      SmallVector<Index> at =
          space.ofQuery(block, space.rowAt(block, number), column);
      bindNeighbours(kernel, space.op.getResult(), values, at);
      e.emitResults(at, vectorSize);
    });
  });
}

void AttentionEmitter::emit() {
  e.setConfig({space.numBlocks(blockRows())}, {attentionThreads, 1, 1},
              sharedBytes());
  kernel.await();
  locate();
  Index whole = math.mul(math.div(block.all, constant(keys)), constant(keys));
  // Sizes that are known leave one of the two loops.
  std::optional<int64_t> begin = IndexMath::constantOf(whole),
                         end = IndexMath::constantOf(block.end);
  SmallVector<Value> state = pack(start());
  if (begin != int64_t(0))
    state = takeRange(constant(0), whole, true, state);
  if (!begin || begin != end)
    state = takeRange(whole, block.end, false, state);
  finish(unpack(state));
}

/// Bytes that each block has of the system's in shared memory.
static constexpr int64_t reservedBytes = 1024;

bool codegen::emitMmaAttention(CUDAKernel &kernel) {
  Type element = elementTypeOf(kernel.e.attention().getQuery());
  if (!kernel.chip.hasMma() || !(element.isF16() || element.isBF16()))
    return false;
  auto type = element.isF16() ? ElementType::F16 : ElementType::BF16;
  for (int64_t fragments : {2, 1}) {
    AttentionEmitter emitter(kernel, type, fragments);
    if (fragments > 1 && !emitter.suitsPairs())
      continue;
    if (emitter.sharedBytes() + reservedBytes > kernel.chip.sharedBytes)
      continue;
    emitter.emit();
    return true;
  }
  return false;
}
