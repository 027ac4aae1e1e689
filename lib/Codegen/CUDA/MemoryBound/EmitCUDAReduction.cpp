//===- EmitCUDAReduction.cpp - CUDA code of reductions that blocks share --===//
//
// A block has a part of a strip of outputs (Reduction.h). Its threads step
// through the part with several loads in flight, and add up what they have in
// shared memory. Where a strip has parts, a block writes its sums to memory and
// counts itself; the last one joins all of them in the order of the parts. So
// one kernel reads the input once, with as many blocks as fill the GPU, at any
// size, and the result has the same bits in every run.
//
//===----------------------------------------------------------------------===//

#include "ReductionEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using Kind = ReductionPlan::Kind;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Sizes and places
//===----------------------------------------------------------------------===//

void ReductionEmitter::measure() {
  loops = loopSizes(first, e.elements);
  for (unsigned dim : loopDims(first).parallel)
    outputSizes.push_back(loops[dim]);
  outputs = math.product(outputSizes);
  Index v = math.constant(plan.vectorSize);
  for (auto [number, dim] : llvm::enumerate(plan.dims)) {
    SmallVector<Index> factors;
    for (unsigned loop : dim.loops)
      factors.push_back(loops[loop]);
    sizes.push_back(math.product(factors));
    (dim.isReduced ? reduced : kept).push_back(number);
  }
  Index fold = math.constant(plan.fold);
  unfolded = sizes[0];
  if (plan.fold > 1)
    sizes = {math.div(sizes[0], fold), math.mul(sizes[1], fold)};
  stepped = reduced;
  // The dimensions at the end are those of the threads.
  if (plan.kind == Kind::Groups)
    for (unsigned last = sizes.size();
         !stepped.empty() && stepped.back() + 1 == last; --last)
      stepped.pop_back();
  for (unsigned dim : stepped)
    box.push_back(sizes[dim]);
  if (plan.kind == Kind::Rows)
    box.back() = math.div(box.back(), v);
  steps = math.product(box);
  strips = math.ceilDiv(outputs, math.constant(plan.outputs()));
}

/// `size` in the symbols of a launch configuration.
std::optional<AffineExpr> ReductionEmitter::exprOf(Index size) {
  if (std::optional<int64_t> known = IndexMath::constantOf(size))
    return e.constantExpr(*known);
  // In 32 bits, it is the argument in other types (narrowSizes()).
  auto value = cast<Value>(size);
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastUIOp, LLVM::InlineAsmOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  Block *entry = argument.getOwner();
  unsigned symbol = 0;
  for (BlockArgument each : entry->getArguments()) {
    if (each == argument)
      return getAffineSymbolExpr(symbol, e.kernel.getContext());
    symbol += each.getType().isIndex() ? 1 : 0;
  }
  return std::nullopt;
}

/// Parts of each of `strips` that make `steps` together: what fills the GPU, as
/// long as each has some. The launch evaluates it.
AffineExpr ReductionEmitter::partsOf(AffineExpr strips, AffineExpr steps) {
  // A thread of the joining block has 8 partial results in flight, as others
  // have steps: p parts cost p * outputs / (threads * 8) rounds, and save as
  // many where p * p is steps * threads / (height * outputs). Above fewParts,
  // this approaches the parts that fill the GPU: a square root, or a minimum,
  // launch configurations cannot say.
  int64_t full = plan.strips >= 0 ? plan.maxParts() : plan.blocks;
  int64_t half =
      full * full * plan.height * plan.outputs() / (4 * plan.threads());
  AffineExpr budget = e.constantExpr(full), most = steps + half + 1;
  int64_t few = std::min(full, plan.fewParts);
  if (plan.strips < 0)
    budget = e.constantExpr(full).ceilDiv(
                 strips + std::max<int64_t>(1, full / plan.fewParts)) +
             (steps * full).floorDiv(most * (strips + 1));
  else if (few < full)
    budget = (steps * (full - few)).floorDiv(most) + few;
  // An empty reduction has one part as well: one step when there is none.
  AffineExpr some = steps + e.constantExpr(1).floorDiv(steps + 1);
  int64_t least = plan.worthSteps * plan.height;
  AffineExpr rounds = some.ceilDiv(budget * least);
  return some.ceilDiv(rounds * least);
}

/// Sets the launch configuration and the number of a strip's parts. Where the
/// sizes are no symbols, there are as many parts as may be.
void ReductionEmitter::configure() {
  AffineExpr allStrips =
      KernelEmission::product(e.sizeExprs(0), e.kernel.getContext())
          .ceilDiv(plan.outputs());
  AffineExpr count = e.constantExpr(1);
  if (plan.mayShare()) {
    // The factors of `box`, and what they are divided by.
    std::optional<AffineExpr> all = e.constantExpr(1);
    for (unsigned dim : stepped)
      for (unsigned loop : plan.dims[dim].loops)
        if (std::optional<AffineExpr> size = exprOf(loops[loop]); size && all)
          all = *all * *size;
        else
          all = std::nullopt;
    if (all && plan.kind == Kind::Rows)
      all = all->floorDiv(plan.vectorSize);
    if (all && plan.kind == Kind::Columns)
      all = all->floorDiv(plan.fold);
    // More steps than any tensor has.
    constexpr int64_t many = int64_t(1) << 40;
    count = partsOf(allStrips, all ? *all : e.constantExpr(many));
  }
  // All loads of a round are on the way together, which the assembler would
  // not have registers for: it would wait for the first three of eight.
  if (plan.kind != ReductionPlan::Kind::Groups)
    kernel.residentBlocks = kernel.chip.residentReductions;
  e.setConfig({allStrips * count}, {plan.threads(), 1, 1}, 0, {1, 1, 1}, {},
              plan.workspace());
  if (auto known = dyn_cast<AffineConstantExpr>(count)) {
    parts = math.constant(known.getValue());
    return;
  }
  Index blocks =
      gpu::GridDimOp::create(e.b, e.loc, gpu::Dimension::x).getResult();
  parts = math.div(blocks, strips);
}

void ReductionEmitter::locate() {
  Index width = math.constant(plan.width), height = math.constant(plan.height);
  thread = kernel.threadId();
  bool isAlongY = plan.kind == Kind::Rows;
  x = isAlongY ? math.div(thread, height) : math.rem(thread, width);
  y = isAlongY ? math.rem(thread, height) : math.div(thread, width);
  // The parts of neighbouring strips are read at the same time.
  Index block = kernel.blockId();
  bool isShared = plan.mayShare();
  strip = isShared ? math.rem(block, strips) : block;
  part = isShared ? math.div(block, strips) : math.constant(0);
  locateOutput();
}

/// The thread's loops, its steps, and the output that it writes.
void ReductionEmitter::locateOutput() {
  SmallVector<Index> space;
  for (unsigned dim : kept)
    space.push_back(sizes[dim]);
  Index lane = math.constant(0), count = math.constant(plan.width);
  Index number = x, v = math.constant(plan.vectorSize);
  if (plan.kind == Kind::Columns) {
    space.back() = math.div(space.back(), v);
  } else if (plan.kind == Kind::Groups) {
    count = math.constant(plan.outputs());
    number = math.div(x, math.constant(plan.group));
    lane = math.mul(math.rem(x, math.constant(plan.group)), v);
  }
  number = math.add(math.mul(strip, count), number);
  Value inside = isBelow(number, math.product(space));
  SmallVector<Index> at =
      math.delinearize(kernel.clampTo(inside, number), space);
  if (plan.kind == Kind::Columns)
    at.back() = math.mul(at.back(), v);
  base.assign(sizes.size(), math.constant(0));
  for (auto [dim, index] : llvm::zip(kept, at))
    base[dim] = index;
  auto last = ArrayRef(reduced).drop_front(stepped.size());
  SmallVector<Index> lasts;
  for (unsigned dim : last)
    lasts.push_back(sizes[dim]);
  for (auto [dim, index] : llvm::zip(last, math.delinearize(lane, lasts)))
    base[dim] = index;
  if (plan.threads() > plan.width * plan.height)
    inside = arith::AndIOp::create(e.b, e.loc, inside,
                                   isBelow(y, math.constant(plan.height)));
  begin = math.add(math.mul(part, math.constant(plan.height)), y);
  stride = math.mul(parts, math.constant(plan.height));
  end = kernel.select(inside, math.value(steps), math.value(math.constant(0)));

  own = plan.kind == Kind::Rows ? x : thread;
  Index output = math.add(math.mul(strip, math.constant(plan.outputs())), own);
  owns = isBelow(output, outputs);
  Value writes = plan.kind == Kind::Rows
                     ? kernel.compare(CmpIPredicate::eq, y, math.constant(0))
                     : isBelow(own, math.constant(plan.outputs()));
  owns = arith::AndIOp::create(e.b, e.loc, owns, writes);
}

/// The loops of the first element that step number `step` reads.
SmallVector<Index> ReductionEmitter::pointOf(Index step) {
  SmallVector<Index> place(base), at = math.delinearize(step, box);
  if (plan.kind == Kind::Rows)
    at.back() = math.mul(at.back(), math.constant(plan.vectorSize));
  for (auto [dim, index] : llvm::zip(stepped, at))
    place[dim] = index;
  if (plan.isInOrder)
    return math.delinearize(math.linearize(place, sizes), loops);
  SmallVector<Index> point(loops.size());
  for (auto [dim, index] : llvm::zip(plan.dims, place))
    point[dim.loops.front()] = index;
  return point;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

ReductionEmitter::Read ReductionEmitter::fetch(ArrayRef<Index> point,
                                               int64_t count) {
  Read read;
  for (linalg::GenericOp op : plan.ops) {
    SmallVector<Elements> inputs;
    for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
      inputs.push_back(e.elements.emitOperandElements(
          op, i, point, op.getNumLoops() - 1, count));
    read.push_back(inputs);
  }
  return read;
}

/// `count` accumulators of each reduction, and what was read for them.
Elements ReductionEmitter::add(const Read &read, ArrayRef<Index> point,
                               ValueRange totals, int64_t count) {
  Elements sums;
  for (auto [number, op] : llvm::enumerate(plan.ops))
    for (int64_t element = 0; element < count; ++element) {
      SmallVector<Value> operands;
      for (const Elements &input : read[number])
        operands.push_back(input[element]);
      operands.push_back(totals[number * count + element]);
      SmallVector<Index> at(point);
      if (element > 0)
        at.back() = math.add(at.back(), math.constant(element));
      sums.push_back(e.elements.emitBody(op, operands, at).front());
    }
  return sums;
}

/// `count` steps in flight from `from` on, which is one of the thread's;
/// `checks`: the others may be behind its end.
Elements ReductionEmitter::addSteps(Index from, int64_t count, bool checks,
                                    ValueRange totals) {
  SmallVector<SmallVector<Index>> points;
  SmallVector<Value> inside;
  SmallVector<Read> reads;
  for (int64_t i = 0; i < count; ++i) {
    Index step = math.add(from, math.mul(math.constant(i), stride));
    inside.push_back(checks && i > 0 ? isBelow(step, end) : Value());
    if (inside.back())
      step = kernel.select(inside.back(), math.value(step), math.value(from));
    points.push_back(pointOf(step));
    reads.push_back(fetch(points.back(), plan.vectorSize));
  }
  Elements sums(totals);
  for (int64_t i = 0; i < count; ++i) {
    Elements next = add(reads[i], points[i], sums, plan.vectorSize);
    for (auto [sum, value] : llvm::zip(sums, next))
      sum = inside[i] ? kernel.select(inside[i], value, sum) : value;
  }
  return sums;
}

/// Whether the whole rounds of a thread may leave `least` to `most` steps.
bool ReductionEmitter::mayLeave(int64_t least, int64_t most) {
  std::optional<int64_t> all = IndexMath::constantOf(steps);
  std::optional<int64_t> apart = IndexMath::constantOf(stride);
  if (!all || !apart)
    return true;
  auto isIn = [&](int64_t left) {
    return left % plan.inFlight >= least && left % plan.inFlight <= most;
  };
  int64_t each = *all / *apart;
  return isIn(each) || (*all % *apart > 0 && isIn(each + 1));
}

/// The thread's steps: rounds of several, and what is left in one more, of half
/// as many where these are enough. Steps that are not there cost what others
/// do.
Elements ReductionEmitter::stepThrough() {
  Elements totals;
  for (linalg::GenericOp op : plan.ops)
    totals.append(plan.vectorSize, e.initialValue(op));
  totals.push_back(math.value(begin));
  auto rounds = [&](int64_t count, int64_t least, bool checks) {
    Index round = math.mul(stride, math.constant(count));
    // Where `least` steps are left.
    Index reach = math.mul(stride, math.constant(least - 1));
    Index bound = math.sub(end, math.min(end, reach));
    totals = e.reduceLoop(totals.back(), bound, round, totals,
                          [&](Index step, ValueRange carried) {
                            Elements sums = addSteps(step, count, checks,
                                                     carried.drop_back());
                            sums.push_back(math.value(math.add(step, round)));
                            return sums;
                          });
  };
  int64_t half = llvm::divideCeil(plan.inFlight, 2);
  rounds(plan.inFlight, plan.inFlight, /*checks=*/false);
  if (mayLeave(half + 1, plan.inFlight - 1))
    rounds(plan.inFlight, half + 1, /*checks=*/true);
  if (mayLeave(1, half))
    rounds(half, 1, /*checks=*/true);
  totals.pop_back();
  return totals;
}

/// The first steps, for a prefetch.
void ReductionEmitter::loadFirst() {
  std::optional<int64_t> all = IndexMath::constantOf(steps);
  std::optional<int64_t> apart = IndexMath::constantOf(stride);
  int64_t most = all && apart ? llvm::divideCeil(*all, *apart) : plan.inFlight;
  e.when(isBelow(begin, end), [&] {
    for (int64_t i = 0; i < std::min(plan.inFlight, most); ++i) {
      Index step = math.add(begin, math.mul(math.constant(i), stride));
      Value inside = isBelow(step, end);
      fetch(pointOf(kernel.select(inside, math.value(step), math.value(begin))),
            plan.vectorSize);
    }
  });
}

/// Where `takes` holds: `totals`, one for each reduction, and element number
/// `place` of the space.
Elements ReductionEmitter::addOne(Value takes, Index place, ValueRange totals) {
  auto branch = scf::IfOp::create(e.b, e.loc, totals.getTypes(), takes,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  {
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Index> point = math.delinearize(place, loops);
    scf::YieldOp::create(e.b, e.loc, add(fetch(point, 1), point, totals, 1));
  }
  e.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e.b, e.loc, totals);
  return Elements(branch.getResults());
}

/// The elements of a run that are no vector: a thread of the first part has one
/// each.
void ReductionEmitter::addRest(Elements &totals) {
  Index all = math.product(loops);
  Index rest = math.rem(all, math.constant(plan.vectorSize));
  if (!plan.isFlat || IndexMath::constantOf(rest) == int64_t(0))
    return;
  Value takes = arith::AndIOp::create(
      e.b, e.loc, isBelow(thread, rest),
      kernel.compare(CmpIPredicate::eq, part, math.constant(0)));
  Elements mine;
  for (size_t i = 0; i < plan.ops.size(); ++i)
    mine.push_back(totals[i * plan.vectorSize]);
  mine = addOne(takes, math.add(math.sub(all, rest), thread), mine);
  for (auto [i, value] : llvm::enumerate(mine))
    totals[i * plan.vectorSize] = value;
}

/// The rows that are less than a fold's, added by the first part to the
/// `values` of the threads that own an output.
SmallVector<Value> ReductionEmitter::addRestOfRows(ValueRange values) {
  Index folds = math.mul(sizes[0], math.constant(plan.fold));
  Index columns = outputs;
  Index rows = math.sub(unfolded, folds);
  Elements sums(values);
  if (plan.fold == 1 || IndexMath::constantOf(rows) == int64_t(0))
    return sums;
  Value isFirst = arith::AndIOp::create(
      e.b, e.loc, owns,
      kernel.compare(CmpIPredicate::eq, part, math.constant(0)));
  for (int64_t i = 0; i + 1 < plan.fold; ++i) {
    Index row = math.constant(i);
    Value takes =
        arith::AndIOp::create(e.b, e.loc, isFirst, isBelow(row, rows));
    Index place = math.add(math.mul(math.add(folds, row), columns), own);
    sums = addOne(takes, place, sums);
  }
  return sums;
}

/// Where a thread's elements are of one output: one total for each reduction.
void ReductionEmitter::collapse(Elements &totals) {
  if (plan.kind == Kind::Columns || plan.vectorSize == 1)
    return;
  Elements joined;
  for (auto [number, op] : llvm::enumerate(plan.ops)) {
    SmallVector<Value> mine(ArrayRef<Value>(totals).slice(
        number * plan.vectorSize, plan.vectorSize));
    for (size_t half = mine.size() / 2; half > 0; half /= 2)
      for (size_t i = 0; i < half; ++i)
        mine[i] = e.combine(op, mine[i], mine[i + half]);
    joined.push_back(mine.front());
  }
  totals = joined;
}

void ReductionEmitter::emit() {
  measure();
  configure();
  locate();
  kernel.streamArguments(loops);
  kernel.await([&] { loadFirst(); }, math.product(loops));
  Elements totals = stepThrough();
  addRest(totals);
  collapse(totals);
  SmallVector<Value> values = addRestOfRows(reduceBlock(totals));
  auto join = [&] {
    e.when(isLast(values), [&] { write(joinParts(values)); });
  };
  std::optional<int64_t> known = IndexMath::constantOf(parts);
  if (known)
    return *known > 1 ? join() : write(values);
  Value isShared = kernel.compare(CmpIPredicate::ugt, parts, math.constant(1));
  auto branch =
      scf::IfOp::create(e.b, e.loc, isShared, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  {
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    join();
  }
  ElementEmitter::Scope scope(e.elements);
  e.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  write(values);
}

void codegen::emitCUDAReduction(CUDAKernel &kernel, const ReductionPlan &plan) {
  ReductionEmitter(kernel, plan).emit();
}
