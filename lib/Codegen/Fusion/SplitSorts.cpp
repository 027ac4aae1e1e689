//===- SplitSorts.cpp - Sorts of long rows by several kernels -------------===//
//
// A block sorts a row that fits in its shared memory. A longer one is sorted
// digit by digit of the elements' keys, the lowest one first (radix sort). Each
// pass is two kernels: blocks count the digits of their chunks of the row, and
// then move their elements to where these belong, which the counts of all
// chunks say. No block waits for another, so that nothing depends on which run
// at a time, and every run does the same. A row of 2^20 f32 takes four passes
// over 8 MB.
//
//===----------------------------------------------------------------------===//

#include "OpInfo.h"
#include "Prepare.h"
#include "Remarks.h"

#include "Codegen/Emit/SortOrder.h"
#include "tripy/Dialect/Tripy/Provenance.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Tiles of a chunk from which on a block does more in them than in front.
static constexpr int64_t manyTiles = 4;

namespace {
class SortSplit {
public:
  SortSplit(flatir::SortOp sort, Program &program);

  bool pays() const { return length > codegen::maxBlockSorted; }
  void rewrite();
  std::string describe() const;

private:
  int64_t chooseChunks() const;

  flatir::SortOp sort;
  Program &program;
  codegen::SortOrder order;
  /// At the profile's `opt` sizes.
  int64_t length, rows, chunks = 1;
};
} // namespace

SortSplit::SortSplit(flatir::SortOp sort, Program &program)
    : sort(sort), program(program),
      order(elementTypeOf(sort.getInput()), sort.getDescending(),
            /*shortKeys=*/true) {
  TensorSizes::Sizes sizes = program.sizes.get(sort.getInput());
  length = program.estimates.elements({sizes.back()});
  sizes.pop_back();
  rows = std::max<int64_t>(1, program.estimates.elements(sizes));
  chunks = chooseChunks();
}

/// Chunks of a row that fill the device, each of as many tiles as the others.
/// All read the counts of all: what they read grows with the square. Half as
/// many have one multiprocessor each, and keep up until a chunk has several
/// tiles.
int64_t SortSplit::chooseChunks() const {
  int64_t tiles = std::max<int64_t>(
      1, llvm::divideCeil(length, int64_t(kernel::DigitCountsOp::tile)));
  int64_t blocks = program.options.sortBlocks;
  blocks = std::clamp<int64_t>(saturatingMul(rows, tiles) / manyTiles,
                               llvm::divideCeil(blocks, 2), blocks);
  int64_t most = std::clamp<int64_t>(blocks / rows, 1, tiles);
  int64_t each = llvm::divideCeil(tiles, most);
  return llvm::divideCeil(tiles, each);
}

std::string SortSplit::describe() const {
  return "is sorted in " + std::to_string(order.digits() - order.firstDigit()) +
         " passes, with " + std::to_string(chunks) +
         " chunks of a row side by side: a row is longer than the " +
         std::to_string(codegen::maxBlockSorted) +
         " elements that a block sorts";
}

// sort(x) -> digit_scatter(... digit_scatter(x, digit_counts(x)))
void SortSplit::rewrite() {
  OpBuilder b(sort);
  Location loc =
      inserted(sort.getLoc(), {"split", "sort long rows by a digit at a time"});
  RankedTensorType type = sort.getInput().getType();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = chunks;
  shape.push_back(kernel::DigitCountsOp::digitValues);
  auto countsType = RankedTensorType::get(shape, b.getI32Type());
  StringAttr name = program.composites.lookup(sort);
  Value pairs;
  for (int64_t digit = order.firstDigit(); digit < order.digits(); ++digit) {
    bool isLast = digit + 1 == order.digits();
    // Pairs have 32 bits of a key.
    Value input = !pairs || digit % 4 == 0 ? sort.getInput() : Value();
    bool descending = input && sort.getDescending();
    auto counts = kernel::DigitCountsOp::create(
        b, loc, countsType, input, pairs, descending, digit, chunks);
    program.sizes.infer(counts, b);
    Type element = isLast ? b.getI32Type() : b.getI64Type();
    auto scatter = kernel::DigitScatterOp::create(
        b, isLast ? sort.getLoc() : loc, type.clone(element), input, pairs,
        counts.getResult(), descending, digit);
    program.sizes.infer(scatter, b);
    if (name)
      program.composites[counts] = program.composites[scatter] = name;
    pairs = scatter.getResult();
  }
  sort.getResult().replaceAllUsesWith(pairs);
  program.composites.erase(sort);
  program.sizes.forget(sort.getResult());
  sort.erase();
}

void fusion::splitSorts(Program &program) {
  if (program.options.sortBlocks == 0)
    return;
  SmallVector<flatir::SortOp> sorts(
      program.function.getBody().front().getOps<flatir::SortOp>());
  for (flatir::SortOp sort : sorts) {
    SortSplit split(sort, program);
    if (sort.getCount() || !split.pays())
      continue;
    remarkTaken(sort.getLoc(), program.function.getName(),
                "'" + shortName(sort).str() + "' " + split.describe());
    split.rewrite();
  }
}
