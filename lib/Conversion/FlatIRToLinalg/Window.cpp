//===- Window.cpp - Sliding windows to linalg -----------------------------===//
//
// Indexing maps of kernels permute and project, so that the place of an element
// is computed in the body. Where it may be outside, the first element is read
// instead, and the value outside is chosen: nothing reads outside of memory.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tripy;

namespace {
/// Where a position of a window lies in one dimension of the input.
struct Place {
  Value index;
  /// Whether it is an element of the input; null where that is known.
  Value isElement;
};
} // namespace

static Value scaled(ImplicitLocOpBuilder &b, Value index, int64_t factor) {
  if (factor == 1)
    return index;
  return arith::MulIOp::create(b, index,
                               arith::ConstantIndexOp::create(b, factor));
}

/// The place of the loops' position in dimension number `i` of the windowed
/// ones.
static Place placeOf(ImplicitLocOpBuilder &b, flatir::WindowOp op, size_t i,
                     OpFoldResult size, bool isInside) {
  using arith::CmpIPredicate;
  int64_t dim = op.getDims()[i], windows = op.getDims().size();
  Value at =
      scaled(b, linalg::IndexOp::create(b, windows + dim), op.getStrides()[i]);
  if (op.getWindow()[i] > 1)
    at = arith::AddIOp::create(
        b, at, scaled(b, linalg::IndexOp::create(b, i), op.getDilations()[i]));
  if (op.getLow()[i] != 0)
    at = arith::SubIOp::create(
        b, at, arith::ConstantIndexOp::create(b, op.getLow()[i]));
  if (isInside)
    return {at, {}};
  // What is in front of the input is a huge number without a sign.
  Value count = getValueOrCreateConstantIndexOp(b, op.getLoc(), size);
  int64_t interior = op.getInterior()[i];
  Value isElement = arith::CmpIOp::create(b, CmpIPredicate::ult, at,
                                          scaled(b, count, interior));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  if (interior > 1) {
    Value step = arith::ConstantIndexOp::create(b, interior);
    Value isWhole = arith::CmpIOp::create(
        b, CmpIPredicate::eq, arith::RemUIOp::create(b, at, step), zero);
    isElement = arith::AndIOp::create(b, isElement, isWhole);
    at = arith::DivUIOp::create(b, at, step);
  }
  return {arith::SelectOp::create(b, isElement, at, zero), isElement};
}

// flatir.window -> linalg.generic of tensor.extract
Value LinalgLowering::window(flatir::WindowOp op) {
  Location loc = op.getLoc();
  Sizes from = sizes.get(op.getInput());
  bool isInside = op.isInside();
  return generic(
      loc, op.getResult().getType(), sizes.get(op.getResult()), {},
      [&](OpBuilder &builder, ValueRange) -> Value {
        ImplicitLocOpBuilder inner(loc, builder);
        SmallVector<Value> at;
        Value isElement;
        for (int64_t dim = 0; dim < rankOf(op.getInput()); ++dim) {
          const auto *found = llvm::find(op.getDims(), dim);
          if (found == op.getDims().end()) {
            at.push_back(linalg::IndexOp::create(
                inner, static_cast<int64_t>(op.getDims().size()) + dim));
            continue;
          }
          Place place = placeOf(inner, op, found - op.getDims().begin(),
                                from[dim], isInside);
          at.push_back(place.index);
          if (place.isElement)
            isElement = isElement ? arith::AndIOp::create(inner, isElement,
                                                          place.isElement)
                                        .getResult()
                                  : place.isElement;
        }
        Value read = tensor::ExtractOp::create(inner, op.getInput(), at);
        if (!isElement)
          return read;
        Value outside = scalarConstant(inner, op.getLoc(), op.getValue());
        return arith::SelectOp::create(inner, isElement, read, outside);
      });
}
