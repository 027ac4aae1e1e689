//===- ScanParts.cpp - Running sums by blocks that share rows -------------===//
//
// Few long rows are cut into parts, one for each block. A block sums its part,
// leaves the sum in memory, and waits for those of the parts before it. Then it
// goes over its part again, which is in the caches, and writes the results.
//
// Blocks take numbers from a counter as they start: each waits for lower
// numbers alone, whose blocks run or have ended, and have left their sums
// before they wait themselves. So all come to an end, however many of them run
// at a time. The last block to have read the sums of a row makes them zero
// again.
//
// A row may begin and end within vectors. The steps before its first whole
// vector, and those behind its last whole tile, are read one by one.
//
// The order of summation depends on the shape alone.
//
//===----------------------------------------------------------------------===//

#include "ScanParts.h"
#include "ScanEmission.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Columns that a thread has side by side at most, and its elements of them.
static constexpr int64_t maxColumns = 16, maxElements = 48;
/// Loads of a thread for a tile, where they are vectors and where they are not.
static constexpr int64_t fullVectors = 2, fullElements = 8;
/// Columns from which on the threads of a block share them when they add sums
/// of warps, or read those of other blocks. Read by a thread for each part,
/// sums of 16 columns are 16 loads that have a sector for each lane: all blocks
/// together ask the L2 cache for some 10 us before they find that one sum is
/// missing.
static constexpr int64_t sharedColumns = 5;
/// Blocks of a multiprocessor that have enough loads in flight, and those that
/// there are registers for where a thread has many columns.
static constexpr int64_t blocksInFlight = 4, blocksOfColumns = 2;
/// Tiles of a row, below which one block has it; and where that would read
/// single elements, or columns that lie together.
static constexpr int64_t minTiles = 4, minOddTiles = 2;

int64_t ScanParts::alignment() const {
  return vectorSize / std::gcd(vectorSize, columns);
}

std::optional<ScanParts> codegen::planScanParts(kernel::FuncOp kernel,
                                                const CudaChip &chip) {
  std::optional<ExpectedScan> scan = expectedScan(kernel);
  if (!scan || ShapedType::isDynamicShape(scan->innerShape()))
    return std::nullopt;
  ScanParts parts;
  parts.columns = ShapedType::getNumElements(scan->innerShape());
  if (parts.columns < 1 || parts.columns > maxColumns)
    return std::nullopt;
  int64_t size = scan->type.getDimSize(scan->dim);
  parts.hasRuns = ElementEmitter::hasRuns(kernel.getBody().front(),
                                          /*inOrder=*/true);
  parts.vectorSize = vectorSizeOf(kernel);
  if (!parts.hasRuns) {
    if (parts.columns > 1)
      return std::nullopt;
    parts.vectorSize =
        ShapedType::isDynamic(size) ? 1 : std::gcd(parts.vectorSize, size);
  }
  while (parts.alignment() * parts.columns > maxElements)
    parts.vectorSize /= 2;
  int64_t full =
      parts.vectorSize > 1 ? fullVectors * parts.vectorSize : fullElements;
  int64_t group = parts.alignment() * parts.columns;
  parts.steps = parts.alignment();
  (parts.columns > 1 ? parts.steps : parts.groups) *=
      std::max<int64_t>(1, full / group);
  parts.blocks =
      (parts.columns < sharedColumns ? blocksInFlight : blocksOfColumns) *
      chip.multiprocessors;
  parts.words = scan->words();
  std::optional<int64_t> length = scan->length, rows = scan->outer;
  bool isOdd = parts.columns > 1 || ShapedType::isDynamic(size) ||
               size % vectorSizeOf(kernel) != 0;
  int64_t least = (isOdd ? minOddTiles : minTiles) * parts.tile();
  if (!length || !rows || *length < least || *rows < 1 ||
      *rows * 2 > parts.blocks)
    return std::nullopt;
  return parts;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// The steps of a tile that a thread has, some of them one after the other.
struct TileShape {
  StringRef name;
  int64_t steps = 1, groups = 1;
  /// Whole vectors, all inside of the part; else each step may be outside.
  bool isWhole = false;
  int64_t size() const { return ScanParts::threads * steps * groups; }
};

class PartsEmitter : PartedScan {
public:
  PartsEmitter(CUDAKernel &kernel, const ScanParts &plan)
      : PartedScan(kernel, plan.layout()), plan(plan),
        whole{"whole", plan.steps, plan.groups, true} {}

  void emit();

private:
  void configure();
  void locate();
  /// Of one group of neighbouring steps: the columns of the first, those of the
  /// second, and so on.
  struct Group {
    Index step;
    Value inside;
    Elements values;
  };
  using Body = llvm::function_ref<SmallVector<Value>(
      ArrayRef<Group>, Index, ValueRange, const TileShape &)>;
  SmallVector<Value> overPart(SmallVector<Value> carried, Body body);
  SmallVector<Value> overTiles(Index begin, Index end, const TileShape &shape,
                               SmallVector<Value> carried, Body body);
  Group loadGroup(Index step, Index end, const TileShape &shape);
  void storeGroup(const Group &group, const TileShape &shape);
  SmallVector<Value> scanTile(ArrayRef<Group> groups, Index number,
                              ValueRange carried, const TileShape &shape);
  SmallVector<Value> sumWarps(const Memory &ofWarps, Index number,
                              SmallVectorImpl<Value> &totals);
  SmallVector<Value> sumWarpsByColumns(StringRef name, const Memory &ofWarps,
                                       Index number,
                                       SmallVectorImpl<Value> &totals);
  SmallVector<Value> sumOverBlock(StringRef name, ValueRange values);
  SmallVector<Value> sumBefore(ValueRange own);
  SmallVector<Value> sumColumnsBefore();

  SmallVector<Index> placeOf(Index step, int64_t column);
  Index flatOf(Index step) {
    return math.mul(math.add(firstStep, step), math.constant(plan.columns));
  }
  SmallVector<Value> zeros() { return PartedScan::zeros(plan.columns); }

  const ScanParts &plan;
  TileShape whole;
  /// The outer indices of the row.
  SmallVector<Index> rowAt;
  /// Steps of all rows before this one, and those before the first whole vector
  /// of the row.
  Index firstStep, lead;
  /// The part without `lead`.
  Index begin, end;
};
} // namespace

/// As many parts of each row as fill the GPU together, of whole tiles.
void PartsEmitter::configure() {
  findSizes();
  AffineExpr count = outerCount();
  setParts(count, e.constantExpr(plan.blocks).ceilDiv(atLeastOne(count)),
           plan.tile(), outerSizes);
}

/// Finds the row and the part of this block.
void PartsEmitter::locate() {
  takePart();
  rowAt = math.delinearize(row, outerSizes);
  firstStep = math.mul(row, length);
  lead = math.constant(0);
  Index unit = math.constant(plan.alignment());
  bool isOne = IndexMath::constantOf(math.product(outerSizes)) == int64_t(1);
  if (isOne)
    firstStep = math.constant(0);
  if (!isOne && plan.hasRuns && math.factorOf(length) % plan.alignment() != 0)
    lead = math.min(
        math.sub(math.mul(math.ceilDiv(firstStep, unit), unit), firstStep),
        length);
  Index tile = math.constant(plan.tile());
  Index size = math.mul(tilesOfPart(plan.tile()), tile);
  begin = math.mul(rank, size);
  end =
      math.max(begin, math.min(math.add(begin, size), math.sub(length, lead)));
}

SmallVector<Index> PartsEmitter::placeOf(Index step, int64_t column) {
  SmallVector<Index> at(rowAt);
  at.push_back(step);
  llvm::append_range(at, math.delinearize(math.constant(column), innerSizes));
  return at;
}

/// The elements from `step` on; zeros for what is not before `end`. Of whole
/// tiles, steps are counted from the first whole vector on.
PartsEmitter::Group PartsEmitter::loadGroup(Index step, Index end,
                                            const TileShape &shape) {
  Group group{step, {}, {}};
  if (!shape.isWhole) {
    group.inside = kernel.compare(CmpIPredicate::ult, step, end);
    group.step = kernel.clampTo(group.inside, step);
    for (int64_t column = 0; column < plan.columns; ++column)
      group.values.push_back(kernel.select(
          group.inside,
          e.elements.emitOne(op.getInput(), placeOf(group.step, column)),
          zero()));
    return group;
  }
  int64_t v = plan.vectorSize;
  for (int64_t i = 0; i < shape.steps * plan.columns; i += v) {
    if (plan.hasRuns)
      llvm::append_range(
          group.values,
          e.elements.emitRun(op.getInput(),
                             math.add(flatOf(step), math.constant(i)), v));
    else
      llvm::append_range(
          group.values,
          e.elements.emit(op.getInput(),
                          placeOf(math.add(step, math.constant(i)), 0), v));
  }
  return group;
}

/// Stores the results of a group, whose sums are its values.
void PartsEmitter::storeGroup(const Group &group, const TileShape &shape) {
  int64_t v = shape.isWhole ? plan.vectorSize : 1;
  if (!shape.isWhole) {
    e.when(group.inside, [&] {
      for (auto [column, sum] : llvm::enumerate(group.values)) {
        ElementEmitter::Scope scope(e.elements);
        finish(placeOf(group.step, column), {sum});
      }
    });
    return;
  }
  for (size_t i = 0; i < group.values.size(); i += v) {
    ArrayRef<Value> sums = ArrayRef(group.values).slice(i, v);
    if (!plan.hasRuns) {
      finish(placeOf(math.add(group.step, math.constant(i)), 0),
             Elements(sums));
      continue;
    }
    finishRun(math.add(flatOf(group.step), math.constant(i)), Elements(sums));
  }
}

SmallVector<Value> PartsEmitter::overTiles(Index from, Index to,
                                           const TileShape &shape,
                                           SmallVector<Value> carried,
                                           Body body) {
  Index size = math.constant(shape.size());
  return e.reduceLoop(
      from, to, size, carried, [&](Index first, ValueRange before) {
        SmallVector<Group> groups;
        Index own = math.add(
            first,
            math.mul(warp, math.constant(32 * shape.groups * shape.steps)));
        own = math.add(own, math.mul(lane, math.constant(shape.steps)));
        for (int64_t i = 0; i < shape.groups; ++i)
          groups.push_back(loadGroup(
              math.add(own, math.constant(i * 32 * shape.steps)), to, shape));
        Index tile = math.div(math.sub(first, from), size);
        return body(groups, math.rem(tile, math.constant(2)), before, shape);
      });
}

/// `body` for the tiles of the part, in order.
SmallVector<Value> PartsEmitter::overPart(SmallVector<Value> carried,
                                          Body body) {
  if (IndexMath::constantOf(lead) != int64_t(0)) {
    Value isFirst = kernel.compare(CmpIPredicate::eq, rank, math.constant(0));
    carried = overTiles(math.constant(0), kernel.clampTo(isFirst, lead),
                        {"lead", 1, 1}, carried, body);
  }
  Index size = math.constant(plan.tile());
  Index last =
      math.add(begin, math.mul(math.div(math.sub(end, begin), size), size));
  {
    // Whole vectors begin at multiples of their size in the tensors.
    Index usual = firstStep, unit = math.constant(plan.alignment());
    firstStep = math.mul(math.ceilDiv(firstStep, unit), unit);
    carried = overTiles(begin, last, whole, carried, body);
    firstStep = usual;
  }
  // Less than a whole tile, and so no more groups than that has.
  int64_t groups = std::min<int64_t>(4, plan.tile() / ScanParts::threads);
  return overTiles(math.add(lead, last), math.add(lead, end),
                   {"rest", 1, groups}, carried, body);
}

/// The sums of all threads, for every thread.
SmallVector<Value> PartsEmitter::sumOverBlock(StringRef name,
                                              ValueRange values) {
  int64_t warps = ScanParts::threads / 32;
  Memory shared = kernel.sharedArray(name, type, {warps, plan.columns});
  SmallVector<Value> sums;
  for (Value value : values)
    sums.push_back(kernel.overLanes(
        value, 32, [&](Value lhs, Value rhs) { return add(lhs, rhs); }));
  e.when(kernel.compare(CmpIPredicate::eq, lane, math.constant(0)), [&] {
    for (auto [column, sum] : llvm::enumerate(sums))
      e.elements.store(shared, {warp, math.constant(column)}, {sum});
  });
  kernel.barrier();
  for (auto [column, sum] : llvm::enumerate(sums)) {
    sum = zero();
    for (int64_t i = 0; i < warps; ++i)
      sum = add(
          sum,
          e.elements.load(shared, {math.constant(i), math.constant(column)}, 1)
              .front());
  }
  return sums;
}

/// Adds the sums of all warps, which are in `ofWarps`, to `totals`. Gives those
/// up to this warp.
SmallVector<Value> PartsEmitter::sumWarps(const Memory &ofWarps, Index number,
                                          SmallVectorImpl<Value> &totals) {
  SmallVector<Value> from(totals.begin(), totals.end());
  for (int64_t column = 0; column < plan.columns; ++column)
    for (int64_t i = 0; i < ScanParts::threads / 32; ++i) {
      Value part =
          e.elements
              .load(ofWarps, {number, math.constant(i), math.constant(column)},
                    1)
              .front();
      totals[column] = add(totals[column], part);
      Value precedes =
          kernel.compare(CmpIPredicate::ugt, warp, math.constant(i));
      from[column] = kernel.select(precedes, totals[column], from[column]);
    }
  return from;
}

/// The same, a thread for each column: where each thread reads the sums of all
/// warps and columns, a multiprocessor has registers for one block.
SmallVector<Value>
PartsEmitter::sumWarpsByColumns(StringRef name, const Memory &ofWarps,
                                Index number, SmallVectorImpl<Value> &totals) {
  int64_t warps = ScanParts::threads / 32;
  Memory upTo = kernel.sharedArray((name + " up to warp").str(), type,
                                   {2, warps + 1, plan.columns});
  e.when(
      kernel.compare(CmpIPredicate::ult, thread, math.constant(plan.columns)),
      [&] {
        Value sum = zero();
        for (int64_t i = 0; i < warps; ++i) {
          Index at = math.constant(i);
          e.elements.store(upTo, {number, at, thread}, {sum});
          sum = add(sum,
                    e.elements.load(ofWarps, {number, at, thread}, 1).front());
        }
        e.elements.store(upTo, {number, math.constant(warps), thread}, {sum});
      });
  kernel.barrier();
  SmallVector<Value> from;
  for (auto [column, total] : llvm::enumerate(totals)) {
    auto sumUpTo = [&](Index at) {
      return e.elements.load(upTo, {number, at, math.constant(column)}, 1)
          .front();
    };
    from.push_back(add(total, sumUpTo(warp)));
    total = add(total, sumUpTo(math.constant(warps)));
  }
  return from;
}

/// Replaces the values of a tile by their running sums, and stores the results.
/// Gives the sums of the row up to the tile's end. Tiles use two arrays in
/// turn: a warp may be one tile ahead of the others.
SmallVector<Value> PartsEmitter::scanTile(ArrayRef<Group> loaded, Index number,
                                          ValueRange carried,
                                          const TileShape &shape) {
  SmallVector<Group> groups(loaded);
  int64_t columns = plan.columns, warps = ScanParts::threads / 32;
  Memory shared = kernel.sharedArray(shape.name, type, {2, warps, columns});
  Value isFirstLane = kernel.compare(CmpIPredicate::eq, lane, math.constant(0));
  // Of each group and column: what the warp has before the thread's own.
  SmallVector<SmallVector<Value>> before;
  SmallVector<Value> sums;
  for (Group &group : groups) {
    before.emplace_back();
    for (int64_t column = 0; column < columns; ++column) {
      for (size_t i = columns + column; i < group.values.size(); i += columns)
        group.values[i] = add(group.values[i - columns], group.values[i]);
      Value own = group.values[group.values.size() - columns + column];
      Value upTo = sumOverWarp(own);
      Value below = kernel.select(isFirstLane, zero(), shuffleUp(upTo, 1));
      bool isFirst = before.size() == 1;
      before.back().push_back(isFirst ? below : add(sums[column], below));
      Value all = kernel.shuffle(upTo, 31, gpu::ShuffleMode::IDX);
      if (isFirst)
        sums.push_back(all);
      else
        sums[column] = add(sums[column], all);
    }
  }
  e.when(isFirstLane, [&] {
    for (auto [column, sum] : llvm::enumerate(sums))
      e.elements.store(shared, {number, warp, math.constant(column)}, {sum});
  });
  kernel.barrier();
  SmallVector<Value> totals(carried);
  SmallVector<Value> from =
      columns < sharedColumns
          ? sumWarps(shared, number, totals)
          : sumWarpsByColumns(shape.name, shared, number, totals);
  for (int64_t column = 0; column < columns; ++column)
    for (auto [group, sum] : llvm::zip(groups, before)) {
      Value offset = add(from[column], sum[column]);
      for (size_t i = column; i < group.values.size(); i += columns)
        group.values[i] = add(offset, group.values[i]);
    }
  for (const Group &group : groups)
    storeGroup(group, shape);
  return totals;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The sums of the parts before this one. Behind it, all threads of the block
/// have read what they need: it is counted.
SmallVector<Value> PartsEmitter::sumBefore(ValueRange own) {
  partSums.publish(own, number);
  SmallVector<Value> before =
      plan.columns < sharedColumns
          ? sumOverBlock("before", partSums.await(number, rank, parts))
          : sumColumnsBefore();
  partSums.countReader(row, parts);
  return before;
}

/// The same where neighbouring threads read the sums of neighbouring columns.
SmallVector<Value> PartsEmitter::sumColumnsBefore() {
  int64_t groups = ScanParts::threads / plan.columns;
  Index width = math.constant(plan.columns);
  Memory ofGroups =
      kernel.sharedArray("groups", type, {groups + 1, plan.columns});
  Memory before = kernel.sharedArray("before", type, {plan.columns});
  Value sum = partSums.awaitColumn(number, rank, parts);
  e.elements.store(ofGroups, {math.div(thread, width), math.rem(thread, width)},
                   {sum});
  kernel.barrier();
  e.when(kernel.compare(CmpIPredicate::ult, thread, width), [&] {
    Value all = zero();
    for (int64_t group = 0; group < groups; ++group)
      all = add(
          all,
          e.elements.load(ofGroups, {math.constant(group), thread}, 1).front());
    e.elements.store(before, {thread}, {all});
  });
  kernel.barrier();
  SmallVector<Value> sums;
  for (int64_t column = 0; column < plan.columns; ++column)
    sums.push_back(e.elements.load(before, {math.constant(column)}, 1).front());
  return sums;
}

void PartsEmitter::emit() {
  configure();
  start();
  locate();
  auto sumOwn = [&] {
    SmallVector<Value> own =
        overPart(zeros(), [&](ArrayRef<Group> groups, Index, ValueRange carried,
                              const TileShape &) {
          SmallVector<Value> sums(carried);
          for (const Group &group : groups)
            for (auto [i, value] : llvm::enumerate(group.values)) {
              Value &sum = sums[i % plan.columns];
              sum = add(sum, value);
            }
          return sums;
        });
    return sumBefore(sumOverBlock("own", own));
  };
  SmallVector<Value> carried =
      valuesWhereShared(plan.columns, [&] { return Elements(sumOwn()); });
  overPart(carried, [&](ArrayRef<Group> groups, Index number, ValueRange before,
                        const TileShape &shape) {
    return scanTile(groups, number, before, shape);
  });
  whereShared([&] { partSums.clear(row, parts); });
}

void codegen::emitCUDAScanParts(CUDAKernel &kernel, const ScanParts &parts) {
  PartsEmitter(kernel, parts).emit();
}
