//===- ScanColumns.cpp - Running sums along other dimensions --------------===//
//
// Where columns are too few for a block to have all steps of some of them, the
// steps are cut into parts. A block has a part of a stripe of columns, and each
// of its warps a run of neighbouring steps. The block sums its part, leaves the
// sums of the columns in memory, and waits for those of the parts before it
// (see ScanParts.cpp for why that ends). Then it goes over its part again,
// which is in the caches.
//
// Every block reads the sums of all parts before it. Their bytes grow with the
// square of the parts of a stripe, and with the width of the stripes: a block
// has 512 threads, and stripes are narrow where they are few.
//
// The order of summation depends on the shape alone.
//
//===----------------------------------------------------------------------===//

#include "ScanColumns.h"
#include "ScanEmission.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Columns of which a thread has all (ScanParts), and blocks that a
/// multiprocessor runs at a time.
static constexpr int64_t maxColumns = 16, blocksInFlight = 2;
/// Steps that a thread loads at once. Where the distance between them is known
/// at run time only, each load has an address in registers, of which a thread
/// has 64 (`blocksInFlight`): ptxas spills some for 15 steps, none for 14, and
/// 12 leave room for what is fused; half as many of 8 bytes. Elements of 2
/// bytes are then 24 kB under way in a multiprocessor.
static constexpr int64_t minSteps = 4, maxSteps = 16, maxDynamicSteps = 12;
/// Steps below which one block has all.
static constexpr int64_t minLength = 256;
/// Stripes below which they are made narrower.
static constexpr int64_t minStripes = 4;

/// The width of stripes, of which there are `count` sets of `columns` columns.
/// Vectors are whole at every size, `last`, of the last dimension.
static int64_t chooseVector(kernel::FuncOp kernel, int64_t last,
                            int64_t columns, int64_t count) {
  int64_t word = std::max<int64_t>(1, vectorSizeOf(kernel) / 4);
  int64_t vectorSize = ShapedType::isDynamic(last) ? 1 : std::gcd(word, last);
  while (vectorSize > 1 &&
         llvm::divideCeil(columns, 32 * vectorSize) * count < minStripes)
    vectorSize /= 2;
  return vectorSize;
}

std::optional<ScanColumns> codegen::planScanColumns(kernel::FuncOp kernel,
                                                    const CudaChip &chip) {
  std::optional<ExpectedScan> scan = expectedScan(kernel);
  if (!scan || scan->innerShape().empty())
    return std::nullopt;
  std::optional<int64_t> length = scan->length, count = scan->outer,
                         columns = scan->inner;
  if (!columns || *columns <= maxColumns || !length || *length < minLength ||
      !count || *count < 1)
    return std::nullopt;
  ScanColumns plan;
  plan.blocks = blocksInFlight * chip.multiprocessors;
  plan.words = scan->words();
  plan.vectorSize =
      chooseVector(kernel, scan->innerShape().back(), *columns, *count);
  int64_t stripes = llvm::divideCeil(*columns, plan.width());
  if (*count > plan.blocks || *count * stripes * 2 > plan.blocks)
    return std::nullopt;
  int64_t parts = plan.blocks / (*count * stripes);
  int64_t ofWarp = llvm::divideCeil(*length, parts * ScanColumns::warps);
  int64_t most = ShapedType::isDynamicShape(scan->innerShape())
                     ? maxDynamicSteps / plan.words
                     : maxSteps;
  int64_t loads = llvm::divideCeil(ofWarp, most);
  plan.steps = std::max<int64_t>(minSteps, llvm::divideCeil(ofWarp, loads));
  return plan;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
class ColumnsEmitter : PartedScan {
public:
  ColumnsEmitter(CUDAKernel &kernel, const ScanColumns &plan)
      : PartedScan(kernel, plan.layout()), plan(plan) {}

  void emit();

private:
  void configure();
  void locate();
  void locateColumn(Index set);
  /// One step of this thread's columns.
  struct Step {
    SmallVector<Index> at;
    /// Whether it is one; null: it is.
    Value isStored;
    Elements values;
  };
  using Body =
      llvm::function_ref<SmallVector<Value>(ArrayRef<Step>, ValueRange)>;
  SmallVector<Step> load(Index first, bool isWhole);
  SmallVector<Value> overRun(SmallVector<Value> carried, Body body);
  void sumRuns(const Memory &runs);
  SmallVector<Value> sumBefore(ValueRange own);
  SmallVector<Value> storeAtOnce(ArrayRef<Step> steps, ValueRange carried);
  void scan(SmallVector<Value> before);

  SmallVector<Value> zeros() { return PartedScan::zeros(plan.vectorSize); }
  Index widthOf() { return math.constant(plan.width()); }
  Index ownColumn() { return math.mul(lane, math.constant(plan.vectorSize)); }

  const ScanColumns &plan;
  /// A set of columns, and its stripes, which are the rows.
  Index columns, stripes;
  /// Steps that the warp has.
  Index begin, end;
  /// This thread's place at step 0, and whether it has columns; null: it has.
  SmallVector<Index> place;
  Value hasColumns;
};
} // namespace

/// As many parts of each stripe as run at a time together, of whole tiles.
void ColumnsEmitter::configure() {
  findSizes();
  columns = math.product(innerSizes);
  stripes = math.ceilDiv(columns, widthOf());
  AffineExpr ofSet =
      KernelEmission::product(ArrayRef(e.sizeExprs(0)).drop_front(dim + 1),
                              e.kernel.getContext())
          .ceilDiv(plan.width());
  AffineExpr count = outerCount() * ofSet;
  AffineExpr most =
      atLeastOne(e.constantExpr(plan.blocks).floorDiv(atLeastOne(count)));
  SmallVector<Index> rows(outerSizes);
  rows.push_back(stripes);
  setParts(count, most, plan.tile(), rows);
  kernel.residentBlocks = blocksInFlight;
}

/// Finds the part and the warp's run of steps.
void ColumnsEmitter::locate() {
  takePart();
  locateColumn(math.div(row, stripes));
  Index ofWarp = math.mul(tilesOfPart(plan.tile()), math.constant(plan.steps));
  Index run = math.add(math.mul(rank, math.constant(ScanColumns::warps)), warp);
  begin = math.mul(run, ofWarp);
  end = math.max(begin, math.min(math.add(begin, ofWarp), length));
}

/// Finds this thread's columns, of a stripe of `set`.
void ColumnsEmitter::locateColumn(Index set) {
  Index column =
      math.add(math.mul(math.rem(row, stripes), widthOf()), ownColumn());
  if (math.factorOf(columns) % plan.width() != 0) {
    hasColumns = kernel.compare(CmpIPredicate::ult, column, columns);
    column = kernel.clampTo(hasColumns, column);
  }
  place = math.delinearize(set, outerSizes);
  place.push_back(math.constant(0));
  llvm::append_range(place, math.delinearize(column, innerSizes));
}

/// The steps from `first` on; zeros for what is not before `end`.
SmallVector<ColumnsEmitter::Step> ColumnsEmitter::load(Index first,
                                                       bool isWhole) {
  SmallVector<Step> steps;
  for (int64_t i = 0; i < plan.steps; ++i) {
    Index number = math.add(first, math.constant(i));
    Step step{place, hasColumns, {}};
    Value inside;
    if (!isWhole) {
      inside = kernel.compare(CmpIPredicate::ult, number, end);
      number = kernel.clampTo(inside, number);
      step.isStored = inside;
      if (hasColumns)
        step.isStored =
            arith::AndIOp::create(e.b, e.loc, inside, hasColumns).getResult();
    }
    step.at[dim] = number;
    step.values = e.elements.emit(op.getInput(), step.at, plan.vectorSize);
    if (inside)
      for (Value &value : step.values)
        value = kernel.select(inside, value, zero());
    steps.push_back(std::move(step));
  }
  return steps;
}

/// `body` for the warp's run, with what it gave for the steps before, at first
/// `carried`.
SmallVector<Value> ColumnsEmitter::overRun(SmallVector<Value> carried,
                                           Body body) {
  Index size = math.constant(plan.steps);
  bool isWhole = math.factorOf(length) % plan.steps == 0;
  Index whole =
      isWhole ? end
              : math.add(begin,
                         math.mul(math.div(math.sub(end, begin), size), size));
  carried = e.reduceLoop(begin, whole, size, carried,
                         [&](Index first, ValueRange before) {
                           return body(load(first, /*isWhole=*/true), before);
                         });
  if (isWhole)
    return carried;
  return e.reduceLoop(whole, end, size, carried,
                      [&](Index first, ValueRange before) {
                        return body(load(first, /*isWhole=*/false), before);
                      });
}

/// Replaces the sums of the warps' runs by what precedes each in the block, and
/// leaves the block's for those behind it.
void ColumnsEmitter::sumRuns(const Memory &runs) {
  Value hasColumn = kernel.compare(CmpIPredicate::ult, thread, widthOf());
  e.when(hasColumn, [&] {
    Elements ofRuns;
    for (int64_t i = 0; i < ScanColumns::warps; ++i)
      llvm::append_range(ofRuns,
                         e.elements.load(runs, {math.constant(i), thread}, 1));
    Value sum = zero();
    for (auto [i, own] : llvm::enumerate(ofRuns)) {
      e.elements.store(runs, {math.constant(i), thread}, {sum});
      sum = i == 0 ? own : add(sum, own);
    }
    whereShared([&] { partSums.publishOwn(sum, number); });
  });
}

/// What precedes the warp's run, whose sums are `own`: the parts before the
/// block's, then the warps before it.
SmallVector<Value> ColumnsEmitter::sumBefore(ValueRange own) {
  int64_t groups = ScanColumns::threads / plan.width();
  Memory runs =
      kernel.sharedArray("runs", type, {ScanColumns::warps, plan.width()});
  Memory before = kernel.sharedArray("before", type, {groups, plan.width()});
  e.elements.store(runs, {warp, ownColumn()}, SmallVector<Value>(own));
  kernel.barrier();
  sumRuns(runs);
  whereShared([&] {
    Value sum = partSums.awaitColumn(number, rank, parts);
    e.elements.store(before,
                     {math.div(thread, widthOf()), math.rem(thread, widthOf())},
                     {sum});
  });
  kernel.barrier();
  auto sumGroups = [&] {
    partSums.countReader(row, parts);
    Elements sums = zeros();
    for (int64_t group = 0; group < groups; ++group) {
      Elements part = e.elements.load(
          before, {math.constant(group), ownColumn()}, plan.vectorSize);
      for (auto [sum, value] : llvm::zip(sums, part))
        sum = add(sum, value);
    }
    return sums;
  };
  SmallVector<Value> sums = valuesWhereShared(plan.vectorSize, sumGroups);
  Elements ofBlock =
      e.elements.load(runs, {warp, ownColumn()}, plan.vectorSize);
  for (auto [sum, value] : llvm::zip(sums, ofBlock))
    sum = add(sum, value);
  return sums;
}

/// Stores the results of `steps`, in front of which the sums are `carried`;
/// gives those behind them. With a branch around each store, LLVM moves the
/// load of a step behind the store of the one before: sums come first, and
/// whole loads are stored in one branch.
SmallVector<Value> ColumnsEmitter::storeAtOnce(ArrayRef<Step> steps,
                                               ValueRange carried) {
  SmallVector<Value> sums(carried);
  SmallVector<Elements> results;
  for (const Step &step : steps) {
    for (auto [sum, value] : llvm::zip(sums, step.values))
      sum = add(sum, value);
    results.push_back(Elements(sums));
  }
  bool isWhole = steps.front().isStored == hasColumns;
  auto store = [&] {
    for (auto [step, result] : llvm::zip(steps, results))
      if (isWhole)
        finish(step.at, result);
      else
        e.when(step.isStored, [&] { finish(step.at, result); });
  };
  if (isWhole && hasColumns)
    e.when(hasColumns, store);
  else
    store();
  return sums;
}

/// Stores the results of the warp's run.
void ColumnsEmitter::scan(SmallVector<Value> before) {
  overRun(before, [&](ArrayRef<Step> steps, ValueRange carried) {
    if (!IndexMath::constantOf(columns))
      return storeAtOnce(steps, carried);
    SmallVector<Value> sums(carried);
    for (const Step &step : steps) {
      for (auto [sum, value] : llvm::zip(sums, step.values))
        sum = add(sum, value);
      auto store = [&] { finish(step.at, Elements(sums)); };
      if (step.isStored)
        e.when(step.isStored, store);
      else
        store();
    }
    return sums;
  });
}

void ColumnsEmitter::emit() {
  configure();
  start();
  locate();
  scan(
      sumBefore(overRun(zeros(), [&](ArrayRef<Step> steps, ValueRange carried) {
        SmallVector<Value> sums(carried);
        for (const Step &step : steps)
          for (auto [sum, value] : llvm::zip(sums, step.values))
            sum = add(sum, value);
        return sums;
      })));
  whereShared([&] { partSums.clear(row, parts); });
}

void codegen::emitCUDAScanColumns(CUDAKernel &kernel,
                                  const ScanColumns &columns) {
  ColumnsEmitter(kernel, columns).emit();
}
