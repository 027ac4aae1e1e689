//===- WgmmaTransposedBoxes.cpp - Boxes of a tile with swapAB -------------===//
//
// With swapAB, a thread has pairs of a column, and TMA stores rows. Threads
// compute the epilogue where their sums are, and the instruction that stores
// matrices of 8 x 8 elements transposes them on the way to a box: some rows of
// the tile, and the 64 columns of one of the consumer's groups. A residual
// comes in such a box, and is transposed on the way back.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

/// Computes the epilogue of a box: 16 of its rows at a time, or the 8 that are
/// left.
void WgmmaEmitter::writeTransposedBox(Value accumulators, unsigned result,
                                      BoxPlace place, const Box &box) {
  Type element =
      cast<RankedTensorType>(e.kernel.getFunctionType().getResult(result))
          .getElementType();
  for (int64_t row = 0; row < schedule.boxRows; row += 16) {
    int64_t matrices = schedule.boxRows - row > 8 ? 4 : 2;
    Value at = transposedAt(box, row);
    SmallVector<Value> sources(matrices), words;
    if (schedule.readsSource())
      sources = readTransposed(at, matrices);
    for (auto [matrix, source] : llvm::enumerate(sources)) {
      int64_t block = row + int64_t(matrix) / 2 * 8;
      Elements pair = transposedPair(e.yielded()[result], accumulators, place,
                                     block, matrix % 2, source);
      words.push_back(pairWord(pair, element));
    }
    NVVM::StMatrixOp::create(
        b, loc, at, words, NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
}

/// What this lane says of four matrices of 8 x 8, or two: two groups of the
/// warp's 8 columns, each in 8 rows from `row` of the box on and in the next 8.
/// Lane l has the address of row l % 8 of matrix l / 8. 16-byte piece i of row
/// r lies at i XOR r % 8.
Value WgmmaEmitter::transposedAt(const Box &box, int64_t row) {
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index matrix = math.div(lane, math.constant(8));
  Index inMatrix = math.rem(lane, math.constant(8));
  Index inBox = math.add(
      math.mul(math.div(matrix, math.constant(2)), math.constant(8)), inMatrix);
  Index piece =
      math.add(math.mul(math.div(t, math.constant(32)), math.constant(2)),
               math.rem(matrix, math.constant(2)));
  Value swizzled = arith::XOrIOp::create(b, loc, toI32(piece), toI32(inMatrix));
  Value at =
      add(add(box.place, mul(toI32(inBox), box.rowBytes)), mul(swizzled, 16));
  return pointer(add(at, i32(box.offset + row * box.rowBytes)));
}

/// This thread's pairs of a column of each of the matrices at `at`, i32.
SmallVector<Value> WgmmaEmitter::readTransposed(Value at, int64_t matrices) {
  SmallVector<Type> types(matrices, b.getI32Type());
  Value loaded = NVVM::LdMatrixOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), at,
      matrices, NVVM::MMALayout::col,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> words;
  for (int64_t i = 0; i < matrices; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  return words;
}

/// Elements of `tensor`, like the result, of two rows below each other, from
/// `row` of the box (+ the thread's) on, in the lower or upper 8 of the warp's
/// columns. `source` has the pair of the tensor that the epilogue reads there,
/// if there is one.
Elements WgmmaEmitter::transposedPair(Value tensor, Value accumulators,
                                      BoxPlace place, int64_t row, int64_t half,
                                      Value source) {
  Elements sums = accumulatorPair(accumulators, 0, place.first + row, half);
  Index column = math.add(math.add(columnBegin, groupColumn(place.group)),
                          math.add(fragmentRow(), math.constant(half * 8)));
  Elements pair;
  for (int64_t i = 0; i < 2; ++i) {
    auto sumOf = [&](int64_t) { return Elements{sums[i]}; };
    bindParts(sumOf);
    if (source) {
      BlockArgument argument = sourceArgument();
      Type element =
          cast<RankedTensorType>(argument.getType()).getElementType();
      Value both = LLVM::BitcastOp::create(
          b, loc, VectorType::get({2}, element), source);
      Value wide = arith::ExtFOp::create(
          b, loc, b.getF32Type(),
          vector::ExtractOp::create(b, loc, both, i).getResult());
      e.elements.bindSource(argument, [wide](ArrayRef<Index>, int64_t) {
        return Elements{wide};
      });
    }
    Index inTile =
        math.add(fragmentColumn(), math.constant(place.first + row + i));
    SmallVector<Index> at =
        resultAt(clampedRow(math.add(rowBegin, inTile)), clampedColumn(column));
    llvm::append_range(pair, e.elements.emit(tensor, at, 1));
  }
  return pair;
}
