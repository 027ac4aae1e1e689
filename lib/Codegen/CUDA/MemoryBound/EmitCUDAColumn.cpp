//===- EmitCUDAColumn.cpp - CUDA code of reductions down columns ----------===//
//
// Reductions that keep the last dimension. A block covers a strip of columns.
// Threads with neighbouring x read 16 bytes each of one row, threads with
// different y take different rows, and their sums are added in shared memory.
// Where the strips alone would not fill the GPU, the blocks of a cluster share
// the rows of one strip and send their sums to the first block. The order of
// summation depends on the kernel alone.
//
// Where there are outputs for all threads of the GPU, a thread has all rows of
// a column: windows of pooling are a few rows of many columns.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Common/ClusterExchange.h"
#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block.
static constexpr int64_t columnThreads = 256;
/// Rows that one thread adds up, at most, where threads are many: the error of
/// a running sum grows with them.
static constexpr int64_t longestOfThread = 256;
/// Rows that a thread reads before it adds them up.
static constexpr int64_t rowsInFlight = 8;

namespace {
class ColumnEmitter {
public:
  ColumnEmitter(CUDAKernel &kernel, linalg::GenericOp op)
      : kernel(kernel), e(kernel.e), math(e.math), op(op), dims(loopDims(op)) {}
  void emit();

private:
  int64_t chooseVector(int64_t maximum);
  void choose();
  void locate();
  Elements accumulate();
  SmallVector<Elements> fetch(Index row, SmallVector<Index> &loops);
  void loadFirst();
  Elements add(const SmallVector<Elements> &inputs, ArrayRef<Index> loops,
               ValueRange totals);
  void reduceRows(const Memory &shared);
  Elements reduceBlocks(const Memory &shared);
  void send(const Memory &shared);
  void writeResults(Elements joined);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  linalg::GenericOp op;
  LoopDims dims;
  int64_t vectorSize = 1, width = columnVectors, height = 8, blocks = 1;
  /// Vectors of `vectorSize` outputs, and sizes of the reduced space and of the
  /// outputs.
  Index vectors;
  SmallVector<Index> box, outputSizes;
  /// This thread's first output, its place in the block, and its block's in
  /// the cluster.
  SmallVector<Index> at;
  Index x, y, rank;
  Value inside;
  /// Of the blocks of a cluster; `parts`: what each of the others has summed.
  std::optional<ClusterExchange> exchange;
  Memory parts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reads that are no runs
//===----------------------------------------------------------------------===//

/// An index as a sum: what one step of each loop adds to it.
using Steps = SmallVector<int64_t>;

/// None where an index is no sum of loops and numbers; a choice between an
/// index and a number counts as the index.
static std::optional<Steps> stepsOf(Value index, unsigned loops) {
  if (matchPattern(index, m_Constant()))
    return Steps(loops, 0);
  Operation *made = index.getDefiningOp();
  if (!made)
    return std::nullopt;
  if (auto loop = dyn_cast<linalg::IndexOp>(made)) {
    Steps steps(loops, 0);
    steps[loop.getDim()] = 1;
    return steps;
  }
  auto of = [&](unsigned operand) {
    return stepsOf(made->getOperand(operand), loops);
  };
  if (auto select = dyn_cast<arith::SelectOp>(made))
    return matchPattern(select.getFalseValue(), m_Constant()) ? of(1)
                                                              : std::nullopt;
  bool isSum = isa<arith::AddIOp>(made),
       isDifference = isa<arith::SubIOp>(made);
  bool isProduct = isa<arith::MulIOp>(made);
  if (!isSum && !isDifference && !isProduct)
    return std::nullopt;
  std::optional<Steps> lhs = of(0), rhs = of(1);
  std::optional<int64_t> factor = getConstantIntValue(made->getOperand(1));
  if (!lhs || !rhs || (isProduct && !factor))
    return std::nullopt;
  for (auto [left, right] : llvm::zip_equal(*lhs, *rhs))
    left = isProduct ? left * *factor : isSum ? left + right : left - right;
  return lhs;
}

/// Whether a producer of `op` in its kernel reads elements for neighbouring
/// results that are no aligned run of `vectorSize`, as windows do: neighbouring
/// threads then read better than one thread.
static bool readsScattered(linalg::GenericOp op, int64_t vectorSize) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto maker = operand->get().getDefiningOp<linalg::GenericOp>();
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!maker || maker.getNumLoops() != map.getNumResults() ||
        !maker.getIndexingMapsArray().back().isIdentity())
      continue;
    SmallVector<tensor::ExtractOp> reads;
    maker.getBody()->walk(
        [&](tensor::ExtractOp read) { reads.push_back(read); });
    for (tensor::ExtractOp read : reads) {
      if (read.getIndices().empty())
        continue;
      std::optional<Steps> steps =
          stepsOf(read.getIndices().back(), maker.getNumLoops());
      if (!steps)
        continue;
      for (auto [step, expr] : llvm::zip_equal(*steps, map.getResults())) {
        bool isInner =
            expr == getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
        if (isInner ? step != 0 && step != 1 : step % vectorSize != 0)
          return true;
      }
    }
  }
  return false;
}

/// Whether neighbours in the last `inner` dimensions of all tensors of the
/// kernel are neighbours in memory, in the same order: one size may stand for
/// these dimensions.
static bool isFlat(kernel::FuncOp kernel, unsigned inner) {
  auto isRun = [&](AffineMap map) {
    unsigned loops = map.getNumDims(), results = map.getNumResults();
    if (loops < inner)
      return false;
    auto isInner = [&](AffineExpr expr) {
      for (unsigned i = 0; i < inner; ++i)
        if (expr.isFunctionOfDim(loops - 1 - i))
          return true;
      return false;
    };
    if (llvm::none_of(map.getResults(), isInner))
      return true;
    if (results < inner ||
        llvm::any_of(map.getResults().drop_back(inner), isInner))
      return false;
    for (unsigned i = 1; i <= inner; ++i)
      if (map.getResult(results - i) !=
          getAffineDimExpr(loops - i, map.getContext()))
        return false;
    return true;
  };
  return !kernel.getBody()
              .walk([&](Operation *each) {
                auto generic = dyn_cast<linalg::GenericOp>(each);
                bool isKnown =
                    generic
                        ? llvm::all_of(generic.getIndexingMapsArray(), isRun)
                        : !isa<linalg::IndexOp, tensor::ExtractOp>(each) &&
                              (!isa<tensor::TensorDialect>(
                                   each->getDialect()) ||
                               isa<tensor::EmptyOp>(each));
                return isKnown ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

/// Outputs that a thread has side by side, up to `maximum`.
int64_t ColumnEmitter::chooseVector(int64_t maximum) {
  AffineMap map = op.getIndexingMapsArray().back();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  // A result may have dimensions of size 1 besides, behind the others too.
  bool isLastOfAll = llvm::all_of(e.results, [&](const Memory &result) {
    return !result.sizes.empty() && result.sizes.back() == outputSizes.back();
  });
  if (!last || !isLastOfAll || last.getPosition() + 1 != op.getNumLoops() ||
      readsScattered(op, maximum))
    return 1;
  if (math.factorOf(outputSizes.back()) % maximum == 0)
    return maximum;
  // Rows that are no multiple of it may be so together with those around them,
  // as far as no reduced dimension is between.
  unsigned inner = op.getNumLoops();
  for (unsigned dim : dims.reduction)
    inner = std::min(inner, op.getNumLoops() - 1 - dim);
  inner = std::min<unsigned>(inner, outputSizes.size());
  Index ofRun = math.product(ArrayRef(outputSizes).take_back(inner));
  return math.factorOf(ofRun) % maximum == 0 && isFlat(e.kernel, inner)
             ? maximum
             : 1;
}

void ColumnEmitter::choose() {
  ArrayRef<Index> own = e.elements.sizesOf(op.getResult(0));
  outputSizes.assign(own.begin(), own.end());
  vectorSize = chooseVector(vectorSizeOf(e));
  vectors = math.div(math.product(outputSizes), math.constant(vectorSize));
  SmallVector<Index> sizes = loopSizes(op, e.elements);
  for (unsigned dim : dims.reduction)
    box.push_back(sizes[dim]);
  std::optional<int64_t> count = IndexMath::constantOf(vectors);
  // Rows that are expected, and the most that there may be.
  kernel::SizeRange range = extentRange(op, dims.reduction, /*unknown=*/0);
  std::optional<int64_t> rows;
  if (range.opt > 0 || range.isStatic())
    rows = range.opt;
  if (count)
    width = std::min<int64_t>(width, llvm::PowerOf2Ceil(*count));
  height = columnThreads / std::max<int64_t>(1, width);
  int64_t most = std::clamp<int64_t>(range.values.hi, 1, columnThreads);
  height = std::min<int64_t>(height, llvm::PowerOf2Ceil(most));
  int64_t expected =
      count ? *count
            : expectedExtent(op, dims.parallel, /*unknown=*/0) / vectorSize;
  // Fewer threads a column, as long as they fill the GPU; where each has few
  // rows, as long as each multiprocessor has a block.
  int64_t fewest = kernel.chip.multiprocessors * columnThreads;
  int64_t threads = fewest * kernel.chip.maxResident(columnThreads);
  while (
      rows && range.values.hi <= longestOfThread && height > 1 &&
      (expected * height / 2 >= threads ||
       (2 * *rows <= rowsInFlight * height && expected * height / 2 >= fewest)))
    height /= 2;
  width = columnThreads / height;
  if (!kernel.hasClusters)
    return;
  int64_t strips = expected > 0 ? llvm::divideCeil(expected, width)
                                : kernel.chip.columnBlocks / 4;
  // What the blocks of a cluster send, and what a block has itself, in static
  // shared memory.
  constexpr int64_t sharedBytes = 40 * 1024;
  Type type = elementTypeOf(op.getResult(0));
  int64_t bytes = type.getIntOrFloatBitWidth() > 32 ? 8 : 4;
  auto fits = [&](int64_t count) {
    return (count + height) * width * vectorSize * bytes <= sharedBytes;
  };
  while (blocks < 8 && strips * blocks < kernel.chip.columnBlocks &&
         fits(2 * blocks) &&
         (!rows || *rows >= 2 * blocks * height * rowsInFlight))
    blocks *= 2;
}

void ColumnEmitter::locate() {
  AffineExpr outputs =
      KernelEmission::product(e.sizeExprs(0), e.kernel.getContext());
  AffineExpr strips = outputs.floorDiv(vectorSize).ceilDiv(width);
  e.setConfig({strips * blocks}, {columnThreads, 1, 1}, 0, {blocks, 1, 1});
  Index id = kernel.threadId(), block = kernel.blockId();
  x = math.rem(id, math.constant(width));
  y = math.div(id, math.constant(width));
  rank = math.rem(block, math.constant(blocks));
  Index strip = math.div(block, math.constant(blocks));
  Index vector = math.add(math.mul(strip, math.constant(width)), x);
  inside = kernel.compare(arith::CmpIPredicate::ult, vector, vectors);
  Index first =
      math.mul(kernel.clampTo(inside, vector), math.constant(vectorSize));
  at = math.delinearize(first, outputSizes);
}

/// The operands at row `row` of the reduced space; `loops` becomes its point.
SmallVector<Elements> ColumnEmitter::fetch(Index row,
                                           SmallVector<Index> &loops) {
  for (auto [dim, index] :
       llvm::zip(dims.reduction, math.delinearize(row, box)))
    loops[dim] = index;
  SmallVector<Elements> inputs;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    inputs.push_back(e.elements.emitOperandElements(
        op, i, loops, op.getNumLoops() - 1, vectorSize));
  return inputs;
}

Elements ColumnEmitter::add(const SmallVector<Elements> &inputs,
                            ArrayRef<Index> loops, ValueRange totals) {
  Elements result;
  for (int64_t element = 0; element < vectorSize; ++element) {
    SmallVector<Value> operands;
    for (const Elements &input : inputs)
      operands.push_back(input[element]);
    operands.push_back(totals[element]);
    SmallVector<Index> point(loops);
    if (element > 0)
      point.back() = math.add(point.back(), math.constant(element));
    result.push_back(e.elements.emitBody(op, operands, point).front());
  }
  return result;
}

/// The first rows in flight, where there are so many.
void ColumnEmitter::loadFirst() {
  Index first = math.add(math.mul(rank, math.constant(height)), y);
  Index last =
      math.add(first, math.constant(height * blocks * (rowsInFlight - 1)));
  Value fits =
      kernel.compare(arith::CmpIPredicate::ult, last, math.product(box));
  e.when(fits, [&] {
    SmallVector<Index> loops = loopsOfResult(op, at, math);
    for (int64_t i = 0; i < rowsInFlight; ++i)
      fetch(math.add(first, math.constant(i * height * blocks)), loops);
  });
}

/// This thread's rows: several at a time, then those left over.
Elements ColumnEmitter::accumulate() {
  Index count = math.product(box), step = math.constant(height * blocks);
  Index first = math.add(math.mul(rank, math.constant(height)), y);
  Index stride = math.constant(height * blocks * rowsInFlight);
  Index reach = math.constant(height * blocks * (rowsInFlight - 1));
  // Where the last of the rows in flight is inside.
  Index bound = math.sub(count, math.min(count, reach));
  Index rounds = math.ceilDiv(math.sub(bound, math.min(bound, first)), stride);
  Elements totals(vectorSize, e.initialValue(op));
  SmallVector<Index> start = loopsOfResult(op, at, math);
  totals = e.reduceLoop(
      first, bound, stride, totals, [&](Index row, ValueRange carried) {
        SmallVector<SmallVector<Elements>> inputs;
        SmallVector<SmallVector<Index>> points;
        for (int64_t i = 0; i < rowsInFlight; ++i) {
          SmallVector<Index> loops(start);
          Index at = math.add(row, math.constant(i * height * blocks));
          inputs.push_back(fetch(at, loops));
          points.push_back(loops);
        }
        Elements sums(carried.begin(), carried.end());
        for (auto [input, point] : llvm::zip(inputs, points))
          sums = add(input, point, sums);
        return sums;
      });
  return e.reduceLoop(math.add(first, math.mul(rounds, stride)), count, step,
                      totals, [&](Index row, ValueRange carried) {
                        SmallVector<Index> loops(start);
                        SmallVector<Elements> inputs = fetch(row, loops);
                        return add(inputs, loops, carried);
                      });
}

/// Halves the rows of `shared` until row 0 has the block's results.
void ColumnEmitter::reduceRows(const Memory &shared) {
  Index column = math.mul(x, math.constant(vectorSize));
  for (int64_t half = height / 2; half > 0; half /= 2) {
    kernel.barrier();
    e.when(
        kernel.compare(arith::CmpIPredicate::ult, y, math.constant(half)), [&] {
          Elements own = e.elements.load(shared, {y, column}, vectorSize);
          Index below = math.add(y, math.constant(half));
          Elements other = e.elements.load(shared, {below, column}, vectorSize);
          for (auto [mine, theirs] : llvm::zip(own, other))
            mine = e.combine(op, mine, theirs);
          e.elements.store(shared, {y, column}, own);
        });
  }
}

/// The blocks but the first send the sums that their row 0 has.
void ColumnEmitter::send(const Memory &shared) {
  exchange->awaitStart();
  Index zero = math.constant(0);
  Value sends = arith::AndIOp::create(
      e.b, e.loc, kernel.compare(arith::CmpIPredicate::eq, y, zero),
      kernel.compare(arith::CmpIPredicate::ne, rank, zero));
  e.when(sends, [&] {
    Index column = math.mul(x, math.constant(vectorSize));
    Elements own = e.elements.load(shared, {zero, column}, vectorSize);
    Index row = math.mul(rank, math.constant(width * vectorSize));
    exchange->sendToFirst(own, kernel.elementOf(parts, math.add(row, column)));
  });
}

Elements ColumnEmitter::reduceBlocks(const Memory &shared) {
  Index column = math.mul(x, math.constant(vectorSize));
  Elements totals =
      e.elements.load(shared, {math.constant(0), column}, vectorSize);
  if (blocks > 1)
    exchange->await();
  for (int64_t block = 1; block < blocks; ++block) {
    Index first = math.add(math.constant(block * width * vectorSize), column);
    Elements part = e.elements.load(parts, {first}, vectorSize);
    for (auto [total, more] : llvm::zip(totals, part))
      total = e.combine(op, total, exchange->fromWord(more, total.getType()));
  }
  return totals;
}

void ColumnEmitter::writeResults(Elements joined) {
  e.elements.bindSource(op.getResult(0), [joined](ArrayRef<Index>, int64_t n) {
    assert(n == int64_t(joined.size()));
    return joined;
  });
  for (unsigned i = 0; i < e.numResults(); ++i)
    e.emitResult(i, placeIn(e.results[i], at, outputSizes, math), vectorSize);
}

void ColumnEmitter::emit() {
  choose();
  locate();
  kernel.streamArguments(loopSizes(op, e.elements));
  kernel.await([&] { loadFirst(); });
  Type type = e.initialValue(op).getType();
  if (blocks > 1) {
    exchange.emplace(kernel, blocks, 1);
    exchange->start(rank);
    exchange->expect(width, vectorSize, type);
    parts = kernel.sharedArray("parts", exchange->wordType(type),
                               {blocks * width * vectorSize});
  }
  Elements totals = accumulate();
  if (height == 1 && blocks == 1) {
    e.when(inside, [&] { writeResults(totals); });
    return;
  }
  Memory shared =
      kernel.sharedArray("partials", type, {height, width * vectorSize});
  e.elements.store(shared, {y, math.mul(x, math.constant(vectorSize))}, totals);
  reduceRows(shared);
  if (blocks > 1)
    send(shared);
  Index place = math.add(math.mul(rank, math.constant(height)), y);
  Value writes = arith::AndIOp::create(
      e.b, e.loc, inside,
      kernel.compare(arith::CmpIPredicate::eq, place, math.constant(0)));
  e.when(writes, [&] { writeResults(reduceBlocks(shared)); });
}

void codegen::emitCUDAColumn(CUDAKernel &kernel, linalg::GenericOp op) {
  ColumnEmitter(kernel, op).emit();
}
