//===- EmitCUDARow.cpp - CUDA code of rows and reductions -----------------===//
//
// A part of a warp, a warp, a block or a cluster of blocks has each row
// (RowPlan.h). Where the row's length is static and moderate, each thread's
// elements are unrolled, so that what the first pass loads stays in registers
// for the later passes: memory is read once and written once. A cluster's row
// stays in shared memory where bulk copies can bring it there (StagedRow.h).
// Other rows are looped over, several pieces at a time.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "RowEmitter.h"

#include "Codegen/Emit/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// What planRows() decides by.
RowFacts RowEmitter::facts() {
  RowFacts facts;
  std::optional<kernel::SizeRange> rows = sizeRange(e.kernel, rowsExpr());
  if (rows)
    facts.rows = rows->opt;
  facts.mayGrow = !rows || mayGrow(*rows, kernel.chip);
  facts.columns = columns;
  // Rows without columns have no element that others may load in their stead.
  if (std::optional<kernel::SizeRange> range = columnRange();
      range && !columns && range->values.lo > 0) {
    facts.columns = range->opt;
    facts.maxColumns = range->values.hi;
  }
  if (!facts.columns)
    facts.expectedColumns = math.expectedOf(math.product(columnSizes));
  // Rows of several dimensions that nothing else reads are one run.
  bool isRun = !writesRows && llvm::all_of(reductions, isInOrder);
  Index inner = isRun ? math.product(columnSizes) : columnSizes.back();
  facts.inner = IndexMath::constantOf(inner).value_or(math.factorOf(inner));
  facts.vectorSize = vectorSizeOf(e);
  facts.reductions = passesOf(reductions).size();
  facts.writesRows = writesRows;
  Index points = math.product(loopSizes(reductions.front(), e.elements));
  facts.elementBytes = 16;
  auto count = [&](const Memory &memory) {
    int64_t bits =
        ElementEmitter::storageType(memory.elementType).getIntOrFloatBitWidth();
    bool isRow = math.product(memory.sizes) == points;
    if (facts.columns && isRow)
      facts.bytes += llvm::divideCeil(*facts.columns * bits, 8);
    facts.elementBytes =
        std::min<int64_t>(facts.elementBytes, llvm::divideCeil(bits, 8));
    return isRow;
  };
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument))
      ++(count(*memory) ? facts.rowInputs : facts.sharedInputs);
  for (const Memory &result : e.results)
    count(result);
  facts.hasRuns = mayHaveRuns(points);
  return facts;
}

void RowEmitter::choose() {
  reductions = e.reductions();
  linalg::GenericOp first = reductions.front();
  rowRank = loopDims(first).parallel.size();
  llvm::append_range(
      rowSizes, ArrayRef<Index>(e.results.front().sizes).take_front(rowRank));
  SmallVector<Index> sizes = loopSizes(first, e.elements);
  for (unsigned dim : loopDims(first).reduction)
    columnSizes.push_back(sizes[dim]);
  columns = IndexMath::constantOf(math.product(columnSizes));
  std::optional<kernel::SizeRange> range = columnRange();
  minColumns = columns.value_or(range ? range->values.lo : 0);
  writesRows = llvm::any_of(e.results, [&](const Memory &result) {
    return IndexMath::constantOf(math.product(
               ArrayRef<Index>(result.sizes).drop_front(rowRank))) !=
           int64_t(1);
  });
  RowFacts known = facts();
  plan = planRows(known, kernel.chip, kernel.hasClusters);
  if (plan.blocks > 1)
    staged = StagedRow::schedule(
        kernel, first, {rowSizes, columnSizes, *columns, plan.blocks});
  if (staged)
    planStaged(plan, known);
  plan.atOnce = blocksAtOnce(plan, known.rows, kernel.chip);
  if (staged && plan.atOnce == 1)
    kernel.startAlone();
  // Rows that may be more get registers for blocks that follow each other.
  if (staged)
    kernel.residentBlocks =
        staged->residentBlocks(known.mayGrow ? 0 : plan.atOnce);
  else if (!known.mayGrow && !plan.anyColumns)
    kernel.residentBlocks = plan.toldBlocks(known);
}

/// Adds the place of piece number `piece` where the columns of a block lie side
/// by side.
RowPiece RowEmitter::placePieceOfPart(int64_t piece) {
  int64_t own = plan.threads / plan.blocks;
  Index vector = math.add(kernel.threadId(), math.constant(piece * own));
  Index local = math.mul(vector, math.constant(plan.vectorSize));
  Value inside;
  if ((piece + 1) * own * plan.vectorSize > staged->lastPart()) {
    inside =
        kernel.compare(arith::CmpIPredicate::ult, local, staged->partSize());
    local = kernel.clampTo(inside, local);
  }
  Index column = math.add(staged->partBegin(), local);
  places.push_back({column, inside});
  return {position(column), local};
}

/// What the first reduction loads of the row: all, or in a loop's first round.
void RowEmitter::loadFirst() {
  linalg::GenericOp op = reductions.front();
  Value initial = e.initialValue(op);
  if (plan.overEnds) {
    placeRuns();
    reduceRuns({op}, {initial});
    return;
  }
  for (int64_t piece = 0; piece < plan.pieces; ++piece)
    accumulate(op, pieceAt(piece).first, initial, plan.vectorSize);
  if (plan.pieces > 0)
    return;
  Index column = math.mul(thread, math.constant(plan.vectorSize));
  e.when(kernel.compare(arith::CmpIPredicate::ult, column,
                        math.product(columnSizes)),
         [&] { accumulate(op, column, initial, plan.vectorSize); });
}

/// Finds the places of all pieces, and waits for a row that is staged.
void RowEmitter::placePieces() {
  if (plan.overEnds)
    return placeRuns();
  SmallVector<RowPiece> ofPart;
  for (int64_t piece = 0; piece < plan.pieces; ++piece)
    if (staged)
      ofPart.push_back(placePieceOfPart(piece));
    else
      places.push_back(pieceAt(piece));
  if (staged)
    staged->await(ofPart);
  if (plan.pieces > 0 || !columns)
    return;
  // The rest of a loop.
  for (int64_t piece = loopedPieces();
       piece * plan.threads * plan.vectorSize < *columns; ++piece)
    places.push_back(pieceAt(piece));
}

/// Pieces of a thread that a loop has, of a row of known length.
int64_t RowEmitter::loopedPieces() {
  int64_t step = plan.threads * plan.vectorSize * unrolled();
  return *columns / step * unrolled();
}

int64_t RowEmitter::unrolled() {
  return plan.vectorSize > 1 ? unrolledVectors : unrolledElements;
}

std::pair<Index, Value> RowEmitter::pieceAt(int64_t piece) {
  Index vector = math.add(thread, math.constant(piece * plan.threads));
  Index column = math.mul(vector, math.constant(plan.vectorSize));
  if ((piece + 1) * plan.threads * plan.vectorSize <= minColumns)
    return {column, Value()};
  Value inside = kernel.compare(arith::CmpIPredicate::ult, column,
                                math.product(columnSizes));
  return {kernel.clampTo(inside, column), inside};
}

Value RowEmitter::accumulate(linalg::GenericOp op, Index column,
                             Value accumulator, int64_t count) {
  SmallVector<Index> loops = loopsOfResult(op, row, math);
  LoopDims dims = loopDims(op);
  for (auto [dim, index] :
       llvm::zip(dims.reduction, math.delinearize(column, columnSizes)))
    loops[dim] = index;
  SmallVector<Elements> inputs;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    inputs.push_back(e.elements.emitOperandElements(
        op, i, loops, dims.reduction.back(), count));
  for (int64_t element = 0; element < count; ++element) {
    SmallVector<Value> operands;
    for (Elements &input : inputs)
      operands.push_back(input[element]);
    operands.push_back(accumulator);
    accumulator = e.elements.emitBody(op, operands, loops).front();
  }
  return accumulator;
}

Elements RowEmitter::reduceStraight(const Pass &pass, Elements totals) {
  if (plan.overEnds)
    return reduceRuns(pass, totals);
  for (auto [column, inside] : places)
    for (auto [op, total] : llvm::zip(pass, totals)) {
      Value next = accumulate(op, column, total, plan.vectorSize);
      total = inside ? kernel.select(inside, next, total) : next;
    }
  return totals;
}

/// What all threads of a row have summed, from what each has.
Value RowEmitter::combine(linalg::GenericOp op, Value value) {
  if (plan.threads <= 32)
    return kernel.reduceWarp(op, value, plan.threads);
  unsigned number =
      std::distance(reductions.begin(), llvm::find(reductions, op));
  Memory shared = kernel.sharedArray("partials" + std::to_string(number),
                                     value.getType(), {32});
  value = kernel.reduceBlock(op, value, plan.threads / plan.blocks, shared);
  if (plan.blocks == 1)
    return value;
  if (op == reductions.front())
    exchange->awaitStart();
  return exchange->combine(op, number, value);
}

/// The reductions in their order, in as few passes over the row as can be: one
/// that reads no result of its pass joins it, and what both read is loaded
/// once.
SmallVector<RowPass> codegen::passesOf(ArrayRef<linalg::GenericOp> reductions) {
  SmallVector<RowPass> found;
  for (linalg::GenericOp op : reductions) {
    llvm::SetVector<Value> read;
    for (Value input : op.getDpsInputs())
      read.insert_range(computedFrom(input));
    bool waits = found.empty() ||
                 llvm::any_of(found.back(), [&](linalg::GenericOp before) {
                   return read.contains(before.getResult(0));
                 });
    if (waits)
      found.emplace_back();
    found.back().push_back(op);
  }
  return found;
}

/// Loads what all rows read, such as the weights of a norm, together with the
/// row: where no other block hides it, the way there and back is not to follow
/// the reductions. Where blocks follow each other it is better read late:
/// layer_norm of 16384 x 4096 took 70 us, not 66.8.
void RowEmitter::loadShared() {
  if (staged)
    return;
  for (BlockArgument argument : e.kernel.getBody().getArguments()) {
    Memory *memory = e.elements.memoryOf(argument);
    if (!memory || memory->sizes.size() < columnSizes.size() ||
        math.product(memory->sizes) != math.product(columnSizes) ||
        ArrayRef<Index>(memory->sizes).take_back(columnSizes.size()) !=
            ArrayRef<Index>(columnSizes))
      continue;
    auto load = [&](Index column, int64_t count) {
      SmallVector<Index> at(memory->sizes.size() - columnSizes.size(),
                            math.constant(0));
      llvm::append_range(at, math.delinearize(column, columnSizes));
      e.elements.emit(argument, at, count);
    };
    for (auto [column, inside] : places)
      load(column, plan.vectorSize);
    for (const RowRun &run : runs)
      for (Index column : run.columns)
        load(column, 1);
  }
}

Elements RowEmitter::reduce(const Pass &pass) {
  Elements totals;
  for (linalg::GenericOp op : pass)
    totals.push_back(e.initialValue(op));
  totals = reduceStraight(pass, reduceLooping(pass, totals));
  if (plan.atOnce > 0 && pass.front() == reductions.front())
    loadShared();
  for (auto [op, total] : llvm::zip(pass, totals))
    total = combine(op, total);
  return totals;
}

/// `inside` and `isRow`; null for what always holds.
Value RowEmitter::storesWhere(Value inside) {
  if (!inside || !isRow)
    return inside ? inside : isRow;
  return arith::AndIOp::create(e.b, e.loc, inside, isRow);
}

void RowEmitter::emitStraight(unsigned number) {
  for (auto [column, inside] : places) {
    SmallVector<Index> at = position(column);
    Value condition = storesWhere(inside);
    if (!condition) {
      e.emitResult(number, at, plan.vectorSize);
      continue;
    }
    Elements values = e.elements.emit(e.yielded()[number], at, plan.vectorSize);
    e.when(condition, [&] { e.elements.store(e.results[number], at, values); });
  }
}

void RowEmitter::emitResult(unsigned number) {
  ArrayRef<Index> sizes = e.results[number].sizes;
  SmallVector<Index> own(sizes.drop_front(rowRank));
  // One element for each row, of whatever rank: rows of one column too, whose
  // results may have other dimensions of size 1 than the reduced tensor.
  if (IndexMath::constantOf(math.product(own)) == int64_t(1)) {
    SmallVector<Index> at(row);
    at.append(own.size(), math.constant(0));
    Value isFirst =
        kernel.compare(arith::CmpIPredicate::eq, thread, math.constant(0));
    e.when(storesWhere(isFirst), [&] { e.emitResult(number, at); });
    return;
  }
  if (plan.overEnds)
    return emitRuns(number);
  emitLooping(number);
  emitStraight(number);
}

/// The row of this thread, and where the last vector may be none of the
/// tensors, code without vectors.
void RowEmitter::emitRow() {
  if (!isBeforeEnd)
    return emitPasses();
  auto branch =
      scf::IfOp::create(e.b, e.loc, isBeforeEnd, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  for (bool isVector : {true, false}) {
    ElementEmitter::Scope scope(e.elements);
    Block *block = isVector ? branch.thenBlock() : branch.elseBlock();
    e.b.setInsertionPoint(block->getTerminator());
    loadsVectors = isVector;
    emitPasses();
  }
}

/// Computes the reductions, and binds their results to the row's.
void RowEmitter::reducePasses() {
  // What is staged each pass reads again: no register is to keep it.
  std::optional<ElementEmitter::Scope> scope;
  for (const Pass &pass : passesOf(reductions)) {
    if (staged)
      scope.emplace(e.elements);
    Elements totals = reduce(pass);
    scope.reset();
    for (auto [op, total] : llvm::zip(pass, totals))
      e.elements.bindSource(linalg::GenericOp(op).getResult(0),
                            [total = Value(total)](ArrayRef<Index>, int64_t n) {
                              return Elements(n, total);
                            });
  }
}

void RowEmitter::emitPasses() {
  placePieces();
  reducePasses();
  std::optional<ElementEmitter::Scope> scope;
  if (staged)
    scope.emplace(e.elements);
  for (unsigned i = 0; i < e.numResults(); ++i)
    emitResult(i);
}

std::optional<kernel::SizeRange> RowEmitter::columnRange() {
  linalg::GenericOp op = reductions.front();
  AffineExpr size = extentExpr(op, loopDims(op).reduction);
  return size ? sizeRange(e.kernel, size) : std::nullopt;
}

AffineExpr RowEmitter::rowsExpr() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.resize(rowRank);
  return KernelEmission::product(exprs, e.kernel.getContext());
}

void RowEmitter::setConfig() {
  e.setConfig({rowsExpr().ceilDiv(plan.rowsPerBlock) * plan.blocks},
              {plan.blockThreads(), 1, 1}, staged ? staged->bytes() : 0,
              {plan.blocks, 1, 1});
}

/// An argument with as many elements as the rows of the first blocks have them
/// to themselves, and no line is asked for by many.
Index RowEmitter::prefetchedFrom() {
  Index points = math.product(loopSizes(reductions.front(), e.elements));
  if (!columns || !math.expectedOf(points))
    return points;
  int64_t wave =
      firstWave(plan, kernel.chip) * plan.rowsPerBlock / plan.blocks * *columns;
  return math.min(points, math.constant(wave));
}

/// Rows that share a block.
void RowEmitter::emitSharedBlock() {
  Index id = kernel.threadId();
  thread = math.rem(id, math.constant(plan.threads));
  Index begin = math.mul(kernel.blockId(), math.constant(plan.rowsPerBlock));
  Index linear = math.add(begin, math.div(id, math.constant(plan.threads)));
  // The lanes of a warp exchange values: all of them go on where one has a row.
  int64_t ofWarp = std::max<int64_t>(1, 32 / plan.threads);
  Index first = math.add(
      begin, math.mul(math.div(id, math.constant(32)), math.constant(ofWarp)));
  Index rows = math.product(rowSizes);
  std::optional<int64_t> count = IndexMath::constantOf(rows);
  bool isWhole = ofWarp == 1 || (count && *count % ofWarp == 0);
  Value someRow =
      kernel.compare(arith::CmpIPredicate::ult, isWhole ? linear : first, rows);
  auto ofRow = [&](llvm::function_ref<void()> body) {
    e.when(someRow, [&] {
      Index own = linear;
      if (!isWhole) {
        isRow = kernel.compare(arith::CmpIPredicate::ult, linear, rows);
        own = kernel.clampTo(isRow, linear);
      }
      row = math.delinearize(own, rowSizes);
      body();
    });
  };
  if (plan.overEnds && mayPassEnd())
    isBeforeEnd = endsBefore(math.add(first, math.constant(ofWarp)));
  kernel.await([&] { ofRow([&] { prefetchFirst(); }); }, prefetchedFrom());
  ofRow([&] { emitRow(); });
}

/// Prefetches what loadFirst() loads, but no vector past the end of the
/// tensors.
void RowEmitter::prefetchFirst() {
  if (!isBeforeEnd)
    return loadFirst();
  e.when(isBeforeEnd, [&] { loadFirst(); });
}

void RowEmitter::emit() {
  choose();
  // Vectors over the ends of rows are read twice.
  if (!writesRows && !staged && !plan.overEnds)
    kernel.streamArguments(loopSizes(reductions.front(), e.elements));
  setConfig();
  if (plan.overEnds)
    bindRuns();
  if (plan.rowsPerBlock > 1)
    return emitSharedBlock();
  Index block = kernel.blockId(), count = math.constant(plan.blocks);
  Index number = math.div(block, count), rank = math.rem(block, count);
  thread = math.add(math.mul(rank, math.constant(plan.threads / plan.blocks)),
                    kernel.threadId());
  row = math.delinearize(number, rowSizes);
  if (staged)
    staged->locate(number, rank);
  if (plan.overEnds && mayPassEnd())
    isBeforeEnd = endsBefore(math.add(number, math.constant(1)));
  kernel.await([&] { staged ? staged->prefetch() : prefetchFirst(); },
               prefetchedFrom());
  if (staged)
    staged->request();
  // No code of its own for the last row: it takes registers, 89 instead of 56
  // for a layer_norm of rows of 50257 f32, of which two blocks were to fit.
  loadsToEnd = std::exchange(isBeforeEnd, nullptr) != nullptr;
  if (plan.blocks > 1) {
    exchange.emplace(kernel, plan.blocks, reductions.size());
    exchange->start(rank);
  }
  emitRow();
}

void codegen::emitCUDARow(CUDAKernel &kernel) { RowEmitter(kernel).emit(); }
