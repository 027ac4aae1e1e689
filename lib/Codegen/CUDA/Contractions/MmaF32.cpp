//===- MmaF32.cpp - f32 on tensor cores, which multiply TF32 --------------===//
//
// TF32 has f32's exponent and 11 bits of its significand. x = high + low, with
// high rounded to nearest. What is left has up to 12 bits, of which the tensor
// core drops the last one: 23 bits of x are multiplied, and all 24 of three
// numbers in four. A product is
//   low_a high_b + high_a low_b + high_a high_b,
// and low_a low_b, at most 2^-22 of it and typically 2^-25, is left out. TF32
// has nothing below 2^-136.
//
// Tensor cores round sums toward zero. They add up the products of 8 values of
// K, and the sum over K is one of ordinary additions in f32.
//
// Infinities have no such parts, and become NaN. A tile with a result that is
// not finite is therefore computed again with fused multiply-adds of f32, by
// MmaGemm::sumExactly().
//
//===----------------------------------------------------------------------===//

#include "MmaGemm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// Bits of f32's significand that TF32 does not have, and half of the last one
/// that it has.
static constexpr uint32_t cutBits = 0x1FFF, halfBit = 0x1000;

SplitWords mma::splitF32(KernelEmission &e, ArrayRef<Value> words) {
  auto constant = [&](uint32_t bits) {
    return arith::ConstantOp::create(e.b, e.loc,
                                     e.b.getI32IntegerAttr(int32_t(bits)));
  };
  auto asFloat = [&](Value word) {
    return arith::BitcastOp::create(e.b, e.loc, e.b.getF32Type(), word);
  };
  Value half = constant(halfBit), kept = constant(~cutBits);
  SplitWords split;
  for (Value word : words) {
    Value high = arith::AndIOp::create(
        e.b, e.loc, arith::AddIOp::create(e.b, e.loc, word, half), kept);
    Value low = arith::SubFOp::create(e.b, e.loc, asFloat(word), asFloat(high));
    split.high.push_back(high);
    split.low.push_back(
        arith::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), low));
  }
  return split;
}

void mma::multiplyAddF32(KernelEmission &e, const SplitWords &a,
                         const SplitWords &b, MutableArrayRef<Value> sums) {
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getF32FloatAttr(0.0f));
  SmallVector<Value> products(sums.size(), zero);
  // The smallest first; instructions of one kind do not wait for each other.
  std::pair<ArrayRef<Value>, ArrayRef<Value>> factors[] = {
      {a.low, b.high}, {a.high, b.low}, {a.high, b.high}};
  for (auto [ofA, ofB] : factors)
    for (size_t j = 0; 4 * j < sums.size(); ++j)
      multiplyAdd(e, ElementType::TF32, ofA, ofB.slice(2 * j, 2),
                  MutableArrayRef(products).slice(4 * j, 4));
  for (auto [sum, product] : llvm::zip_equal(sums, products))
    sum = arith::AddFOp::create(e.b, e.loc, sum, product);
}

Value mma::isAnyNotFinite(CUDAKernel &kernel, ArrayRef<Value> sums,
                          Value address, int64_t warps) {
  KernelEmission &e = kernel.e;
  Words words(e);
  // What is not finite makes this NaN.
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getF32FloatAttr(0.0f));
  Value check = zero;
  for (Value sum : sums)
    check = math::FmaOp::create(e.b, e.loc, sum, zero, check);
  Value isOwn = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNO,
                                      check, check);
  Value ofWarp =
      NVVM::VoteSyncOp::create(e.b, e.loc, e.b.getI1Type(), words.constant(-1),
                               isOwn, NVVM::VoteSyncKind::any);
  Value thread = words.of(kernel.threadId());
  Value own = words.add(address, words.mul(words.div(thread, 32), 4));
  Value isFirst =
      arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                            words.rem(thread, 32), words.constant(0));
  e.when(isFirst, [&] {
    Value word = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), ofWarp);
    LLVM::StoreOp::create(e.b, e.loc, word, words.pointer(own), 4);
  });
  kernel.barrier();
  Value all = words.constant(0);
  for (int64_t warp = 0; warp < warps; ++warp) {
    Value from = words.pointer(words.add(address, 4 * warp));
    all = arith::OrIOp::create(
        e.b, e.loc, all,
        LLVM::LoadOp::create(e.b, e.loc, e.b.getI32Type(), from, 4));
  }
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, all,
                               words.constant(0));
}

//===----------------------------------------------------------------------===//
// Tiles with results that are not finite
//===----------------------------------------------------------------------===//

/// Adds the products of the k-block in the first stage, number by number.
SmallVector<Value> MmaGemm::addExactly(ArrayRef<Value> sums) {
  Value row = words.add(words.of(warpRow), words.div(words.of(lane), 4));
  Value column = words.add(words.of(warpColumn),
                           words.mul(words.rem(words.of(lane), 4), 2));
  int64_t columns = layout.fragments(), perRow = layout.parts * columns * 4;
  return e.reduceLoop(
      math.constant(0), math.constant(layout.depth()), math.constant(1), sums,
      [&](Index depth, ValueRange carried) {
        SmallVector<Value> a, b, added;
        for (int64_t half = 0; half < 2 * tile.fragmentsM; ++half)
          a.push_back(readers[0].readF32(ring, words.add(row, 8 * half),
                                         words.of(depth)));
        for (int64_t part = 0; part < layout.parts; ++part)
          for (int64_t i = 0; i < 2 * columns; ++i)
            b.push_back(readers[1 + part].readF32(
                ring, words.add(column, i / 2 * fragmentColumns + i % 2),
                words.of(depth)));
        for (auto [i, sum] : llvm::enumerate(carried)) {
          size_t inRow = i % perRow;
          added.push_back(
              math::FmaOp::create(e.b, e.loc, a[i / perRow * 2 + inRow % 4 / 2],
                                  b[inRow / 4 * 2 + inRow % 2], sum));
        }
        return added;
      });
}

/// The sums by fused multiply-adds in f32. All copies have landed.
SmallVector<Value> MmaGemm::sumExactly() {
  SmallVector<Value> first = initialSums();
  size_t count = first.size();
  llvm::append_range(first, firstPointers());
  SmallVector<Value> carried =
      e.reduceLoop(place.kBegin, place.kEnd, math.constant(layout.depth()),
                   first, [&](Index k, ValueRange values) {
                     State state;
                     state.pointers = llvm::to_vector(values.drop_front(count));
                     SmallVector<SmallVector<Elements>> loaded =
                         load(state, k, false);
                     kernel.barrier();
                     startCopies(state, k, ring);
                     store(loaded, ring);
                     awaitKBlock(0);
                     SmallVector<Value> next =
                         addExactly(llvm::to_vector(values.take_front(count)));
                     llvm::append_range(next, state.pointers);
                     return next;
                   });
  carried.resize(count);
  return carried;
}

/// `sums`, or, where the tile has one that is not finite, those of
/// sumExactly().
SmallVector<Value> MmaGemm::exactWhereNotFinite(ArrayRef<Value> sums) {
  awaitKBlock(0);
  Value isAny = isAnyNotFinite(kernel, sums, ring, tile.threads() / 32);
  auto choice = scf::IfOp::create(e.b, e.loc, TypeRange(ValueRange(sums)),
                                  isAny, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  ElementEmitter::Scope scope(e.elements);
  e.b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(e.b, e.loc, sums);
  e.b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(e.b, e.loc, sumExactly());
  return llvm::to_vector_of<Value>(choice.getResults());
}
