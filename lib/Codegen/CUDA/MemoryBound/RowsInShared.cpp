//===- RowsInShared.cpp - Rows that a block computes for itself -----------===//
//
// A warp has each row, or all warps have one row after the other, whichever
// takes less time: an exchange among the warps costs as much as some vectors
// more of a thread. Registers hold the elements of a short row between the
// passes over it; of others each pass reads the row again, from the L1 cache,
// since the part of the matrix that is on its way needs registers too.
//
//===----------------------------------------------------------------------===//

#include "RowsInShared.h"

#include "RowEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Vectors of a thread that take as long as what a row costs besides: exchanges
/// through shared memory with their barriers.
static constexpr int64_t vectorsOfExchange = 2;
/// Elements of a row that a thread keeps, at most.
static constexpr int64_t maxHeld = 16;

/// Threads of a row and their vectors, for a block of `threads`.
void RowEmitter::planShared(int64_t threads, int64_t rows) {
  plan.vectorSize = vectorSizeOf(e);
  int64_t inner = *IndexMath::constantOf(columnSizes.back());
  while (inner % plan.vectorSize != 0)
    plan.vectorSize /= 2;
  auto pieces = [&](int64_t ofRow) {
    return llvm::divideCeil(*columns, ofRow * plan.vectorSize);
  };
  int64_t byWarps = llvm::divideCeil(rows, threads / 32) * pieces(32);
  int64_t byBlock = rows * (pieces(threads) + vectorsOfExchange);
  plan.threads = byWarps < byBlock ? 32 : threads;
  plan.pieces = pieces(plan.threads);
  if (plan.pieces * plan.vectorSize > maxHeld)
    plan.pieces = 0;
  // What all rows read is loaded together with a row that is held.
  plan.atOnce = plan.pieces > 0 ? 1 : 0;
}

/// Computes row number `number` of `tensor`.
void RowEmitter::emitShared(Value tensor, Index number, const Memory &memory) {
  ElementEmitter::Scope scope(e.elements);
  row = math.delinearize(number, rowSizes);
  places.clear();
  placePieces();
  reducePasses();
  using At = SmallVector<Index>;
  auto read = [&](Index column) {
    At at = position(column);
    return std::pair(at, e.elements.emit(tensor, at, plan.vectorSize));
  };
  for (const Loop &loop : loops())
    e.loop(loop.begin, loop.end,
           math.constant(loop.pieces * plan.threads * plan.vectorSize),
           [&](Index first) {
             SmallVector<std::pair<At, Elements>> found;
             for (Index column : piecesFrom(first, loop))
               found.push_back(read(column));
             for (auto &[at, values] : found)
               e.elements.store(memory, at, values);
           });
  for (auto [column, inside] : places) {
    auto [at, values] = read(column);
    auto store = [&, &at = at, &values = values] {
      e.elements.store(memory, at, values);
    };
    if (inside)
      e.when(inside, store);
    else
      store();
  }
  for (linalg::GenericOp op : reductions)
    e.elements.unbindSource(op.getResult(0));
}

void RowEmitter::emitShared(Value tensor, ArrayRef<linalg::GenericOp> ofRows,
                            int64_t threads, const Memory &memory) {
  reductions.assign(ofRows.begin(), ofRows.end());
  rowRank = loopDims(reductions.front()).parallel.size();
  ArrayRef<Index> sizes = memory.sizes;
  rowSizes.assign(sizes.begin(), sizes.begin() + rowRank);
  columnSizes.assign(sizes.begin() + rowRank, sizes.end());
  columns = IndexMath::constantOf(math.product(columnSizes));
  minColumns = columns.value_or(0);
  int64_t rows = *IndexMath::constantOf(math.product(rowSizes));
  planShared(threads, rows);
  Index id = kernel.threadId();
  if (plan.threads > 32) {
    thread = id;
    for (int64_t number = 0; number < rows; ++number) {
      emitShared(tensor, math.constant(number), memory);
      kernel.barrier();
    }
    return;
  }
  thread = math.rem(id, math.constant(32));
  int64_t warps = threads / 32;
  for (int64_t first = 0; first < rows; first += warps) {
    Index own = math.add(math.constant(first), math.div(id, math.constant(32)));
    if (first + warps <= rows)
      emitShared(tensor, own, memory);
    else
      e.when(
          kernel.compare(arith::CmpIPredicate::ult, own, math.constant(rows)),
          [&] { emitShared(tensor, own, memory); });
  }
  kernel.barrier();
}

void codegen::emitRowsInShared(CUDAKernel &kernel, Value tensor,
                               ArrayRef<linalg::GenericOp> ofRows,
                               int64_t threads, const Memory &memory) {
  RowEmitter(kernel).emitShared(tensor, ofRows, threads, memory);
}
