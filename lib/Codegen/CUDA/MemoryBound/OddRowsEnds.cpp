//===- OddRowsEnds.cpp - Elements of words that rows share ----------------===//
//
// What EmitCUDAOddRows.cpp handles one by one: the last elements of a tensor,
// and the ends of the results' rows.
//
//===----------------------------------------------------------------------===//

#include "OddRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// The last elements of a tensor that are no word, in the tiles that have its
/// last rows.
void OddRowsEmitter::loadTail(const OddTensor &odd, const Memory &shared) {
  Index total = sizeOf(output), rest = within(total), zero = number(0);
  if (!oddReads || IndexMath::constantOf(rest) == int64_t(0))
    return;
  using arith::CmpIPredicate;
  Value isLast =
      kernel.compare(CmpIPredicate::uge,
                     math.add(innerFirst, number(tile + per)), sizeOf(inner));
  isLast = both(isLast, kernel.compare(CmpIPredicate::ne, rest, zero));
  e.when(isLast, [&] {
    kernel.barrier();
    Index id = kernel.threadId();
    e.when(kernel.compare(CmpIPredicate::ult, id, rest), [&] {
      Index at = math.sub(math.sub(total, number(1)), id);
      SmallVector<Index> all;
      for (unsigned dim : odd.tensor.order)
        all.push_back(sizeOf(dim));
      Value isOwn;
      Index row = zero, column = zero;
      for (auto [dim, index] :
           llvm::zip(odd.tensor.order, math.delinearize(at, all))) {
        if (dim == inner)
          row = math.sub(math.add(index, number(lead())), innerFirst);
        else if (dim == across)
          column = math.sub(index, acrossFirst);
        else
          isOwn = both(isOwn,
                       kernel.compare(CmpIPredicate::eq, index, origin[dim]));
      }
      isOwn =
          both(isOwn, kernel.compare(CmpIPredicate::ult, row, number(rows())));
      isOwn =
          both(isOwn, kernel.compare(CmpIPredicate::ult, column, number(tile)));
      e.when(isOwn, [&] {
        Memory memory = flat(*e.elements.memoryOf(odd.tensor.tensor));
        Index place = math.add(slotOf(row),
                               math.add(within(math.sub(at, column)), column));
        e.elements.store(shared, {place}, e.elements.load(memory, {at}, 1));
      });
    });
  });
}

/// Stores the element in `column` of row `row` of the tile if its word has
/// elements of other rows too.
void OddRowsEmitter::writeEnd(Index column, Index row, Value valid) {
  using arith::CmpIPredicate;
  Index global = math.add(acrossFirst, row);
  valid =
      both(valid, kernel.compare(CmpIPredicate::ult, global, sizeOf(across)));
  valid =
      both(valid, kernel.compare(CmpIPredicate::ult, column, sizeOf(inner)));
  Index at = math.add(math.add(outBegin, math.mul(global, outStride)), column);
  Index place = within(at);
  Value before = kernel.compare(CmpIPredicate::ugt, place, column);
  Value behind =
      kernel.compare(CmpIPredicate::ugt, math.add(column, number(per)),
                     math.add(sizeOf(inner), place));
  valid = both(valid, arith::OrIOp::create(e.b, e.loc, before, behind));
  e.when(valid, [&] {
    OddPiece piece;
    piece.points.push_back(pointOf(global, column));
    Index local = math.sub(math.add(column, number(lead())), innerFirst);
    for (const OddTensor &odd : tensors) {
      Index offset = math.add(odd.begin, math.mul(column, odd.stride));
      Index shift = within(math.add(offset, acrossFirst));
      piece.sources.push_back({math.add(slotOf(local), math.add(shift, row))});
    }
    for (const PermutedTensor &tensor : along)
      piece.along.push_back(
          e.elements.load(flat(*e.elements.memoryOf(tensor.tensor)), {at}, 1));
    for (auto [memory, result] : llvm::zip(e.results, e.yielded()))
      e.elements.store(flat(memory), {at}, compute(result, piece));
  });
}

/// The elements at the ends of the results' rows that share words with others.
void OddRowsEmitter::writeEnds() {
  if (!oddWrites)
    return;
  using arith::CmpIPredicate;
  Index id = kernel.threadId();
  Index row = math.rem(id, number(tile)), more = math.div(id, number(tile));
  auto emit = [&](Value isEnd, llvm::function_ref<Index()> column) {
    e.when(isEnd, [&] {
      writeEnd(column(), row,
               kernel.compare(CmpIPredicate::ult, more, number(per - 1)));
    });
  };
  emit(kernel.compare(CmpIPredicate::eq, innerFirst, number(0)),
       [&] { return more; });
  emit(kernel.compare(CmpIPredicate::uge, math.add(innerFirst, number(tile)),
                      sizeOf(inner)),
       [&] { return math.sub(math.sub(sizeOf(inner), number(1)), more); });
}
