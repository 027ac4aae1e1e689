//===- Movement.cpp - Broadcast, transpose, slice, concatenate to linalg --===//

#include "Lowering.h"

#include "tripy/Dialect/Common/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace tripy;

// flatir.broadcast -> linalg.generic whose input map projects. A dimension that
// is 1 at run time only is read through tensor.extract.
Value LinalgLowering::broadcast(flatir::BroadcastOp op) {
  RankedTensorType type = op.getResult().getType();
  Location loc = op.getLoc();
  Value input = op.getInput();
  Sizes from = sizes.get(input), to = sizes.get(op.getResult());
  if (TypedAttr value = splatValue(input)) {
    return generic(loc, type, to, {}, [&](OpBuilder &inner, ValueRange) {
      return scalarConstant(inner, loc, value);
    });
  }
  SmallVector<AffineExpr> exprs;
  bool decidedAtRunTime = false;
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    bool one = getConstantIntValue(from[i]) == int64_t(1) &&
               getConstantIntValue(to[dim]) != int64_t(1);
    decidedAtRunTime |= !one && isa<Value>(from[i]) && from[i] != to[dim];
    exprs.push_back(one ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(dim));
  }
  if (!decidedAtRunTime)
    return generic(
        loc, type, to,
        {{input, AffineMap::get(type.getRank(), 0, exprs, op.getContext())}},
        [](OpBuilder &, ValueRange in) { return in.front(); });
  return generic(loc, type, to, {}, [&](OpBuilder &inner, ValueRange) {
    Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
    Value one = arith::ConstantIndexOp::create(inner, loc, 1);
    SmallVector<Value> at;
    for (auto [i, dim] : llvm::enumerate(op.getDims())) {
      if (isa<AffineConstantExpr>(exprs[i])) {
        at.push_back(zero);
        continue;
      }
      Value index = linalg::IndexOp::create(inner, loc, dim);
      if (isa<Value>(from[i]) && from[i] != to[dim]) {
        Value isOne = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::eq, cast<Value>(from[i]), one);
        index = arith::SelectOp::create(inner, loc, isOne, zero, index);
      }
      at.push_back(index);
    }
    return tensor::ExtractOp::create(inner, loc, input, at).getResult();
  });
}

// flatir.transpose -> linalg.generic with a permuted input map
Value LinalgLowering::transpose(flatir::TransposeOp op) {
  RankedTensorType type = op.getResult().getType();
  SmallVector<AffineExpr> exprs(type.getRank());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    exprs[dim] = b.getAffineDimExpr(i);
  AffineMap map = AffineMap::get(type.getRank(), 0, exprs, op.getContext());
  return generic(op.getLoc(), type, sizes.get(op.getResult()),
                 {{op.getInput(), map}},
                 [](OpBuilder &, ValueRange in) { return in.front(); });
}

// flatir.slice -> tensor.extract_slice with static offsets and positive
// strides; otherwise linalg.generic of tensor.extract
Value LinalgLowering::slice(flatir::SliceOp op) {
  RankedTensorType type = op.getResult().getType();
  Location loc = op.getLoc();
  Sizes to = sizes.get(op.getResult());
  // tensor.extract_slice wants an offset inside, also where nothing is taken.
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  bool inside =
      llvm::all_of(llvm::zip(from, op.getStaticOffsets()), [](auto pair) {
        auto [size, offset] = pair;
        return ShapedType::isDynamic(size) || offset < size;
      });
  bool fixed = inside && op.getOffsets().empty() &&
               llvm::all_of(op.getStrides(), [](int64_t s) { return s > 0; });
  if (fixed) {
    Sizes offsets =
        getAsIndexOpFoldResult(op.getContext(), op.getStaticOffsets());
    Sizes strides = getAsIndexOpFoldResult(op.getContext(), op.getStrides());
    return tensor::ExtractSliceOp::create(b, loc, type, op.getInput(), offsets,
                                          to, strides);
  }
  return generic(loc, type, to, {}, [&](OpBuilder &inner, ValueRange) {
    SmallVector<Value> at;
    ValueRange offsets = op.getOffsets();
    for (auto [i, known] : llvm::enumerate(op.getStaticOffsets())) {
      Value offset;
      if (ShapedType::isDynamic(known)) {
        offset = offsets.front();
        offsets = offsets.drop_front();
      } else {
        offset = arith::ConstantIndexOp::create(inner, loc, known);
      }
      int64_t stride = op.getStrides()[i];
      Value index = linalg::IndexOp::create(inner, loc, i);
      Value step = arith::ConstantIndexOp::create(inner, loc, std::abs(stride));
      index = arith::MulIOp::create(inner, loc, index, step);
      at.push_back(
          stride < 0
              ? arith::SubIOp::create(inner, loc, offset, index).getResult()
              : arith::AddIOp::create(inner, loc, offset, index).getResult());
    }
    return tensor::ExtractOp::create(inner, loc, op.getInput(), at).getResult();
  });
}

// flatir.concatenate -> tensor.concat
Value LinalgLowering::concatenate(flatir::ConcatenateOp op) {
  RankedTensorType type = op.getResult().getType();
  int64_t dim = static_cast<int64_t>(op.getDim());
  // tensor.concat infers its type; what only we know is a cast.
  RankedTensorType inferred =
      tensor::ConcatOp::inferResultType(dim, op.getInputs().getTypes());
  Value joined =
      tensor::ConcatOp::create(b, op.getLoc(), inferred, dim, op.getInputs());
  if (inferred == type)
    return joined;
  // Upstream's size of a cast tensor is that of the tensor in front.
  Sizes known = sizes.get(op.getResult());
  sizes.set(joined, known);
  return tensor::CastOp::create(b, op.getLoc(), type, joined);
}

/// An element of an index tensor as a position in a dimension of `size`: from
/// the end when negative, then clamped.
static Value positionOf(OpBuilder &b, Location loc, Value index, Value size) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  index = scalar::createSigned(b, loc, index);
  Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
  Value fromEnd = arith::AddIOp::create(b, loc, at, size);
  Value isNegative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, zero);
  at = arith::SelectOp::create(b, loc, isNegative, fromEnd, at);
  at = arith::MinSIOp::create(b, loc, at,
                              arith::SubIOp::create(b, loc, size, one));
  return arith::MaxSIOp::create(b, loc, at, zero);
}

// flatir.gather -> linalg.generic over the index, of tensor.extract
Value LinalgLowering::gather(flatir::GatherOp op) {
  RankedTensorType type = op.getResult().getType();
  Location loc = op.getLoc();
  int64_t dim = static_cast<int64_t>(op.getDim());
  int64_t taken = rankOf(op.getIndex()), rank = rankOf(op.getInput());
  Sizes from = sizes.get(op.getInput());
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < taken; ++i)
    exprs.push_back(b.getAffineDimExpr(dim + i));
  AffineMap map = AffineMap::get(type.getRank(), 0, exprs, op.getContext());
  return generic(
      loc, type, sizes.get(op.getResult()), {{op.getIndex(), map}},
      [&](OpBuilder &inner, ValueRange in) {
        Value size = getValueOrCreateConstantIndexOp(inner, loc, from[dim]);
        SmallVector<Value> at;
        for (int64_t i = 0; i < rank; ++i)
          at.push_back(i == dim ? positionOf(inner, loc, in.front(), size)
                                : linalg::IndexOp::create(
                                      inner, loc, i < dim ? i : i - 1 + taken));
        return tensor::ExtractOp::create(inner, loc, op.getInput(), at)
            .getResult();
      });
}
