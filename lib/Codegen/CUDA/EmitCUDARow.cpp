//===- EmitCUDARow.cpp - CUDA code of rows and reductions -----------------===//
//
// A warp, a block or a cluster of blocks has each row. Where the row's length
// is static and moderate, each thread's elements are unrolled, so that what the
// first pass loads stays in registers for the later passes: memory is read once
// and written once. A cluster's row stays in shared memory where bulk copies
// can bring it there (StagedRow.h).
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"
#include "StagedRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// Emits one row kernel.
class RowEmitter {
public:
  explicit RowEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math) {}

  void emit();

private:
  void choose();
  void emitRow();
  /// Reductions that one pass over the row computes.
  using Pass = SmallVector<linalg::GenericOp>;
  SmallVector<Pass> passes();
  Elements reduce(const Pass &pass);
  Elements reduceStraight(const Pass &pass, Elements totals);
  Elements reduceLooping(const Pass &pass, Elements totals);
  Value combine(linalg::GenericOp op, Value value);
  Value accumulate(linalg::GenericOp op, Index column, Value accumulator);
  void emitResult(unsigned number);
  void emitStraight(unsigned number);
  SmallVector<Index> position(Index column) {
    SmallVector<Index> at(row);
    llvm::append_range(at, math.delinearize(column, columnSizes));
    return at;
  }
  /// First column of this thread's piece number `piece`, and where the row's
  /// end may lie before it, whether it is inside.
  std::pair<Index, Value> pieceAt(int64_t piece);
  void placePieces();
  void loadFirst();
  RowPiece placePieceOfPart(int64_t piece);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  SmallVector<linalg::GenericOp> reductions;
  unsigned rowRank = 0;
  /// `threads` of one row, which are a warp of a block of several rows, or all
  /// of a cluster's `blocks`.
  int64_t threads = 256, rowsPerBlock = 1, blocks = 1, vectorSize = 1;
  /// Pieces of `vectorSize` columns of each thread; 0 when loops are needed.
  int64_t pieces = 0;
  std::optional<int64_t> columns;
  SmallVector<Index> row, rowSizes, columnSizes;
  /// Whether a result has rows, not one element for each.
  bool writesRows = false;
  Index thread;
  /// How the blocks of a cluster exchange their partial results.
  std::optional<ClusterExchange> exchange;
  /// pieceAt() of each piece: the same values in all passes, so that elements
  /// are found again.
  SmallVector<std::pair<Index, Value>> places;
  /// Where a cluster's row stays in shared memory.
  std::optional<StagedRow> staged;
};
} // namespace

/// Longest row whose elements stay in registers of one block: 32 for each of
/// 1024 threads.
static constexpr int64_t longestRow = 32 * 1024;
/// Where rows are written too, more threads have fewer elements each: 65.3 us
/// for a softmax of 8192 x 8192, not 66.2. Short rows go to smaller blocks, for
/// the same reason: 128.0 us for 131072 x 1024, not 130.2.
static constexpr int64_t fewElements = 16, threadsOfFewElements = 512;
/// Of blocks of a cluster: 32 for each of fewer threads, so that a processor
/// has two blocks, and one loads while the other waits for its cluster. With
/// the row in shared memory there are more blocks, of fewer threads.
static constexpr int64_t clusterThreads = 512, longestPart = 16 * 1024;
static constexpr int64_t stagedThreads = 256;
static constexpr int64_t maxBlocks = 8;

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
  writesRows = llvm::any_of(e.results, [&](const Memory &result) {
    return IndexMath::constantOf(math.product(
               ArrayRef<Index>(result.sizes).drop_front(rowRank))) !=
           int64_t(1);
  });
  vectorSize = vectorSizeOf(e);
  std::optional<int64_t> inner = IndexMath::constantOf(columnSizes.back());
  if (!inner || *inner % vectorSize != 0)
    vectorSize = 1;
  if (kernel.hasClusters && columns && *columns > longestRow &&
      *columns <= longestPart * maxBlocks) {
    blocks = llvm::PowerOf2Ceil(llvm::divideCeil(*columns, longestPart));
    staged = StagedRow::schedule(kernel, first,
                                 {rowSizes, columnSizes, *columns, blocks});
    threads = (staged ? stagedThreads : clusterThreads) * blocks;
    pieces = llvm::divideCeil(*columns, threads * vectorSize);
    return;
  }
  if (!columns || *columns > longestRow || *columns == 0) {
    threads = columns && *columns > longestRow ? 1024 : 256;
    return;
  }
  if (*columns <= 1024) {
    threads = 32;
    rowsPerBlock = writesRows && *columns > 256 ? 2 : 4;
  } else {
    int64_t size = llvm::PowerOf2Ceil(*columns);
    threads = std::clamp<int64_t>(size / 32, 128, 1024);
    if (writesRows)
      threads =
          std::max(threads, std::min(size / fewElements, threadsOfFewElements));
  }
  pieces = llvm::divideCeil(*columns, threads * vectorSize);
}

/// Adds the place of piece number `piece` where the columns of a block lie side
/// by side.
RowPiece RowEmitter::placePieceOfPart(int64_t piece) {
  int64_t own = threads / blocks;
  Index vector = math.add(kernel.threadId(), math.constant(piece * own));
  Index local = math.mul(vector, math.constant(vectorSize));
  Value inside;
  if ((piece + 1) * own * vectorSize > staged->lastPart()) {
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
  for (int64_t piece = 0; piece < pieces; ++piece)
    accumulate(op, pieceAt(piece).first, initial);
  if (pieces > 0)
    return;
  Index column = math.mul(thread, math.constant(vectorSize));
  e.when(kernel.compare(arith::CmpIPredicate::ult, column,
                        math.product(columnSizes)),
         [&] { accumulate(op, column, initial); });
}

/// Finds the places of all pieces, and waits for a row that is staged.
void RowEmitter::placePieces() {
  SmallVector<RowPiece> ofPart;
  for (int64_t piece = 0; piece < pieces; ++piece)
    if (staged)
      ofPart.push_back(placePieceOfPart(piece));
    else
      places.push_back(pieceAt(piece));
  if (staged)
    staged->await(ofPart);
}

std::pair<Index, Value> RowEmitter::pieceAt(int64_t piece) {
  Index vector = math.add(thread, math.constant(piece * threads));
  Index column = math.mul(vector, math.constant(vectorSize));
  if ((piece + 1) * threads * vectorSize <= *columns)
    return {column, Value()};
  Value inside = kernel.compare(arith::CmpIPredicate::ult, column,
                                math.constant(*columns));
  return {kernel.clampTo(inside, column), inside};
}

/// Combines the `vectorSize` elements from `column` on into `accumulator`.
Value RowEmitter::accumulate(linalg::GenericOp op, Index column,
                             Value accumulator) {
  SmallVector<Index> loops = loopsOfResult(op, row, math);
  LoopDims dims = loopDims(op);
  for (auto [dim, index] :
       llvm::zip(dims.reduction, math.delinearize(column, columnSizes)))
    loops[dim] = index;
  SmallVector<Elements> inputs;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    inputs.push_back(e.elements.emitOperandElements(
        op, i, loops, dims.reduction.back(), vectorSize));
  for (int64_t element = 0; element < vectorSize; ++element) {
    SmallVector<Value> operands;
    for (Elements &input : inputs)
      operands.push_back(input[element]);
    operands.push_back(accumulator);
    accumulator = e.elements.emitBody(op, operands, loops).front();
  }
  return accumulator;
}

Elements RowEmitter::reduceStraight(const Pass &pass, Elements totals) {
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto [column, inside] = places[piece];
    for (auto [op, total] : llvm::zip(pass, totals)) {
      Value next = accumulate(op, column, total);
      total = inside ? kernel.select(inside, next, total) : next;
    }
  }
  return totals;
}

Elements RowEmitter::reduceLooping(const Pass &pass, Elements totals) {
  Index begin = math.mul(thread, math.constant(vectorSize));
  return e.reduceLoop(begin, math.product(columnSizes),
                      math.constant(threads * vectorSize), totals,
                      [&](Index column, ValueRange carried) {
                        Elements next;
                        for (auto [op, total] : llvm::zip(pass, carried))
                          next.push_back(accumulate(op, column, total));
                        return next;
                      });
}

/// What all threads of a row have summed, from what each has.
Value RowEmitter::combine(linalg::GenericOp op, Value value) {
  if (threads == 32)
    return kernel.reduceWarp(op, value);
  unsigned number =
      std::distance(reductions.begin(), llvm::find(reductions, op));
  Memory shared = kernel.sharedArray("partials" + std::to_string(number),
                                     value.getType(), {32});
  value = kernel.reduceBlock(op, value, threads / blocks, shared);
  if (blocks == 1)
    return value;
  if (op == reductions.front())
    exchange->awaitStart();
  return exchange->combine(op, number, value);
}

/// The reductions in their order, in as few passes over the row as can be: one
/// that reads no result of its pass joins it, and what both read is loaded
/// once.
SmallVector<RowEmitter::Pass> RowEmitter::passes() {
  SmallVector<Pass> found;
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

Elements RowEmitter::reduce(const Pass &pass) {
  Elements totals;
  for (linalg::GenericOp op : pass)
    totals.push_back(e.initialValue(op));
  totals =
      pieces > 0 ? reduceStraight(pass, totals) : reduceLooping(pass, totals);
  for (auto [op, total] : llvm::zip(pass, totals))
    total = combine(op, total);
  return totals;
}

void RowEmitter::emitStraight(unsigned number) {
  for (int64_t piece = 0; piece < pieces; ++piece) {
    auto [column, inside] = places[piece];
    SmallVector<Index> at = position(column);
    if (!inside) {
      e.emitResult(number, at, vectorSize);
      continue;
    }
    Elements values = e.elements.emit(e.yielded()[number], at, vectorSize);
    e.when(inside, [&] { e.elements.store(e.results[number], at, values); });
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
    e.when(kernel.compare(arith::CmpIPredicate::eq, thread, math.constant(0)),
           [&] { e.emitResult(number, at); });
    return;
  }
  if (pieces > 0)
    return emitStraight(number);
  e.loop(math.mul(thread, math.constant(vectorSize)), math.product(columnSizes),
         math.constant(threads * vectorSize), [&](Index column) {
           e.emitResult(number, position(column), vectorSize);
         });
}

void RowEmitter::emitRow() {
  placePieces();
  // What is staged each pass reads again: no register is to keep it.
  std::optional<ElementEmitter::Scope> scope;
  for (const Pass &pass : passes()) {
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
  if (staged)
    scope.emplace(e.elements);
  for (unsigned i = 0; i < e.numResults(); ++i)
    emitResult(i);
}

void RowEmitter::emit() {
  choose();
  if (!writesRows && !staged)
    kernel.streamArguments(loopSizes(reductions.front(), e.elements));
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  exprs.resize(rowRank);
  AffineExpr rows = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({rows.ceilDiv(rowsPerBlock) * blocks},
              {threads * rowsPerBlock / blocks, 1, 1},
              staged ? staged->bytes() : 0, {blocks, 1, 1});
  if (rowsPerBlock == 1) {
    Index block = kernel.blockId(), count = math.constant(blocks);
    Index number = math.div(block, count), rank = math.rem(block, count);
    thread = math.add(math.mul(rank, math.constant(threads / blocks)),
                      kernel.threadId());
    row = math.delinearize(number, rowSizes);
    if (staged) {
      kernel.residentBlocks = staged->residentBlocks();
      staged->locate(number, rank);
    }
    kernel.await([&] { staged ? staged->prefetch() : loadFirst(); });
    if (staged)
      staged->request();
    if (blocks > 1) {
      exchange.emplace(kernel, blocks, reductions.size());
      exchange->start(rank);
    }
    return emitRow();
  }
  Index id = kernel.threadId();
  thread = math.rem(id, math.constant(threads));
  Index linear =
      math.add(math.mul(kernel.blockId(), math.constant(rowsPerBlock)),
               math.div(id, math.constant(threads)));
  Value isRow =
      kernel.compare(arith::CmpIPredicate::ult, linear, math.product(rowSizes));
  auto ofRow = [&](llvm::function_ref<void()> body) {
    e.when(isRow, [&] {
      row = math.delinearize(linear, rowSizes);
      body();
    });
  };
  kernel.await([&] { ofRow([&] { loadFirst(); }); },
               math.product(loopSizes(reductions.front(), e.elements)));
  ofRow([&] { emitRow(); });
}

void codegen::emitCUDARow(CUDAKernel &kernel) { RowEmitter(kernel).emit(); }

//===----------------------------------------------------------------------===//
// Reductions over other dimensions
//===----------------------------------------------------------------------===//

/// Threads of a block of a reduction.
static constexpr int64_t reduceThreads = 256;

/// Sizes of the space that `op` reduces.
static SmallVector<Index> reducedBox(KernelEmission &e, linalg::GenericOp op) {
  SmallVector<Index> sizes = loopSizes(op, e.elements), box;
  for (unsigned dim : loopDims(op).reduction)
    box.push_back(sizes[dim]);
  return box;
}

/// Combines `accumulator` with the point `linear` of the reduced space.
static Value reducePoint(KernelEmission &e, linalg::GenericOp op,
                         ArrayRef<Index> out, Index linear, Value accumulator) {
  SmallVector<Index> loops = loopsOfResult(op, out, e.math);
  for (auto [dim, index] :
       llvm::zip(loopDims(op).reduction,
                 e.math.delinearize(linear, reducedBox(e, op))))
    loops[dim] = index;
  return e.step(op, loops, accumulator);
}

/// Combines the points of the reduced space from `first` on, `step` apart.
static Value reduceStrided(KernelEmission &e, linalg::GenericOp op,
                           ArrayRef<Index> out, Index first, Index step) {
  return e
      .reduceLoop(first, e.math.product(reducedBox(e, op)), step,
                  e.initialValue(op),
                  [&](Index linear, ValueRange carried) {
                    return SmallVector<Value>{
                        reducePoint(e, op, out, linear, carried.front())};
                  })
      .front();
}

void codegen::emitCUDAReduce(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  linalg::GenericOp op = e.reductions().front();
  LoopDims dims = loopDims(op);
  AffineExpr outputs =
      KernelEmission::product(e.sizeExprs(0), e.kernel.getContext());
  SmallVector<Index> shape(e.results.front().sizes);
  auto finish = [&](ArrayRef<Index> at, Value total) {
    e.elements.bindSource(op.getResult(0), [total](ArrayRef<Index>, int64_t n) {
      return Elements(n, total);
    });
    e.emitResults(at);
  };
  bool keepsLast =
      !dims.parallel.empty() && dims.parallel.back() + 1 == op.getNumLoops();
  if (keepsLast)
    return emitCUDAColumn(kernel, op);
  e.setConfig({outputs}, {reduceThreads, 1, 1}, 0);
  SmallVector<Index> at = math.delinearize(kernel.blockId(), shape);
  kernel.await([&] {
    Index first = kernel.threadId();
    Value inside = kernel.compare(arith::CmpIPredicate::ult, first,
                                  math.product(reducedBox(e, op)));
    e.when(inside, [&] { reducePoint(e, op, at, first, e.initialValue(op)); });
  });
  Value partial =
      reduceStrided(e, op, at, kernel.threadId(), math.constant(reduceThreads));
  Memory shared = kernel.sharedArray("partials", partial.getType(), {32});
  Value total = kernel.reduceBlock(op, partial, reduceThreads, shared);
  e.when(kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                        math.constant(0)),
         [&] { finish(at, total); });
}
