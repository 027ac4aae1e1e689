//===- Reduction.cpp - Reductions and contractions to linalg --------------===//

#include "Lowering.h"

#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;

Type tripy::accumulatorType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.getIntOrFloatBitWidth() >= 32 || element.isInteger(1))
    return element;
  return isa<FloatType>(element) ? Type(Float32Type::get(context))
                                 : IntegerType::get(context, 32);
}

Value LinalgLowering::accumulate(
    Operation *op, TypedAttr identity, ArrayRef<Input> inputs,
    ArrayRef<int64_t> results, unsigned loops,
    function_ref<Value(OpBuilder &, ValueRange)> body,
    ArrayRef<NamedAttribute> attributes) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Sizes shape = sizes.get(op->getResult(0));
  Type sumType = identity.getType();
  Value start = arith::ConstantOp::create(b, loc, identity);
  Value empty = tensor::EmptyOp::create(b, loc, shape, sumType);
  Value init = linalg::FillOp::create(b, loc, start, empty).getResult(0);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::reduction);
  SmallVector<AffineExpr> exprs;
  for (int64_t loop : results) {
    iterators[loop] = utils::IteratorType::parallel;
    exprs.push_back(b.getAffineDimExpr(loop));
  }
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    operands.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(AffineMap::get(loops, 0, exprs, op->getContext()));
  auto sum = linalg::GenericOp::create(
      b, loc, init.getType(), operands, init, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        SmallVector<Value> wide;
        for (Value argument : arguments)
          wide.push_back(argument.getType() == sumType
                             ? argument
                             : castScalar(inner, loc, argument, sumType));
        linalg::YieldOp::create(inner, loc, body(inner, wide));
      },
      attributes);
  if (sumType == type.getElementType())
    return sum.getResult(0);
  return generic(
      loc, type, shape, {{sum.getResult(0), identityMap(type.getRank())}},
      [&](OpBuilder &inner, ValueRange in) {
        return castScalar(inner, loc, in.front(), type.getElementType());
      });
}

/// What a reduction of `element` starts from, in the type in which it
/// accumulates. The largest of elements is one of them: it needs no more bits
/// than they have.
static TypedAttr startOf(flatir::ReduceKind kind, Type element) {
  using flatir::ReduceKind;
  auto number = dyn_cast<FloatType>(element);
  bool startsInType =
      !number || APFloat::semanticsHasInf(number.getFloatSemantics());
  bool chooses = kind == ReduceKind::Max || kind == ReduceKind::Min;
  if (!chooses || !startsInType)
    return flatir::identityOf(kind, accumulatorType(element));
  TypedAttr identity = flatir::identityOf(kind, element);
  if (!isUnsigned(element))
    return identity;
  Type bits =
      IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return IntegerAttr::get(bits, cast<IntegerAttr>(identity).getValue());
}

/// `type` is that of the reduced tensor's elements.
static Value combine(flatir::ReduceKind kind, Type type, OpBuilder &b,
                     Location loc, Value element, Value sum) {
  using flatir::ReduceKind;
  bool isFloat = isa<FloatType>(element.getType());
  if (isUnsigned(type) && kind == ReduceKind::Max)
    return arith::MaxUIOp::create(b, loc, sum, element);
  if (isUnsigned(type) && kind == ReduceKind::Min)
    return arith::MinUIOp::create(b, loc, sum, element);
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, loc, sum, element).getResult()
                   : arith::AddIOp::create(b, loc, sum, element).getResult();
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, loc, sum, element).getResult()
                   : arith::MulIOp::create(b, loc, sum, element).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, loc, sum, element).getResult()
                   : arith::MaxSIOp::create(b, loc, sum, element).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, sum, element).getResult()
                   : arith::MinSIOp::create(b, loc, sum, element).getResult();
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, sum, element);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, sum, element);
  }
  llvm_unreachable("all kinds are covered");
}

// flatir.scan -> kernel.scan, in 32 bits for numbers of fewer
Value LinalgLowering::scan(flatir::ScanOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  Type sumType = accumulatorType(type.getElementType());
  auto cast = [&](Value tensor, Type element) {
    if (elementTypeOf(tensor) == element)
      return tensor;
    return generic(loc, type.clone(element), sizes.get(op.getInput()),
                   {{tensor, identityMap(type.getRank())}},
                   [&](OpBuilder &inner, ValueRange in) {
                     return castScalar(inner, loc, in.front(), element);
                   });
  };
  Value sums =
      kernel::ScanOp::create(b, loc, type.clone(sumType),
                             cast(op.getInput(), sumType), op.getDimAttr());
  return cast(sums, type.getElementType());
}

// flatir.sort -> kernel.sort
Value LinalgLowering::sort(flatir::SortOp op) {
  return kernel::SortOp::create(b, op.getLoc(), op.getResult().getType(),
                                op.getInput(), op.getDescendingAttr(),
                                op.getCountAttr());
}

// flatir.reduce -> linalg.generic with reduction loops, dimensions in order
Value LinalgLowering::reduce(flatir::ReduceOp op) {
  int64_t rank = rankOf(op.getInput());
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(op.getDims(), dim))
      kept.push_back(dim);
  Type element = elementTypeOf(op.getInput());
  return accumulate(
      op, startOf(op.getKind(), element), {{op.getInput(), identityMap(rank)}},
      kept, rank, [&](OpBuilder &inner, ValueRange in) {
        return combine(op.getKind(), element, inner, op.getLoc(), in[0], in[1]);
      });
}

/// The loops of a dot's operands: batch, left, right, contracted.
static void dotMaps(flatir::DotOp op, AffineMap &lhs, AffineMap &rhs) {
  MLIRContext *context = op.getContext();
  int64_t leftRank = rankOf(op.getLhs()), rightRank = rankOf(op.getRhs());
  auto left = flatir::freeDims(leftRank, op.getLhsBatch(), op.getLhsContract());
  auto right =
      flatir::freeDims(rightRank, op.getRhsBatch(), op.getRhsContract());
  SmallVector<AffineExpr> leftExprs(leftRank), rightExprs(rightRank);
  unsigned loop = 0;
  for (auto [l, r] : llvm::zip(op.getLhsBatch(), op.getRhsBatch()))
    leftExprs[l] = rightExprs[r] = getAffineDimExpr(loop++, context);
  for (int64_t dim : left)
    leftExprs[dim] = getAffineDimExpr(loop++, context);
  for (int64_t dim : right)
    rightExprs[dim] = getAffineDimExpr(loop++, context);
  for (auto [l, r] : llvm::zip(op.getLhsContract(), op.getRhsContract()))
    leftExprs[l] = rightExprs[r] = getAffineDimExpr(loop++, context);
  lhs = AffineMap::get(loop, 0, leftExprs, context);
  rhs = AffineMap::get(loop, 0, rightExprs, context);
}

// flatir.dot -> linalg.generic: batch, left and right loops, then reductions
Value LinalgLowering::dot(flatir::DotOp op) {
  if (op.getLhsContract().empty())
    return outer(op);
  AffineMap lhs, rhs;
  dotMaps(op, lhs, rhs);
  Location loc = op.getLoc();
  Type sumType = accumulatorType(elementTypeOf(op.getLhs()));
  int64_t rank = rankOf(op.getResult());
  SmallVector<int64_t> results = llvm::to_vector(llvm::seq<int64_t>(rank));
  NamedAttrList attributes;
  if (op.getAllowTF32())
    attributes.append(allowTF32AttrName, b.getUnitAttr());
  return accumulate(
      op, b.getZeroAttr(sumType), {{op.getLhs(), lhs}, {op.getRhs(), rhs}},
      results, lhs.getNumDims(),
      [&](OpBuilder &inner, ValueRange in) {
        if (isa<FloatType>(sumType)) {
          Value product = arith::MulFOp::create(inner, loc, in[0], in[1]);
          return arith::AddFOp::create(inner, loc, in[2], product).getResult();
        }
        Value product = arith::MulIOp::create(inner, loc, in[0], in[1]);
        return arith::AddIOp::create(inner, loc, in[2], product).getResult();
      },
      attributes);
}

/// Without contracted dimensions a dot is a product of broadcasts.
Value LinalgLowering::outer(flatir::DotOp op) {
  AffineMap lhs, rhs;
  dotMaps(op, lhs, rhs);
  RankedTensorType type = op.getResult().getType();
  Location loc = op.getLoc();
  Type element = type.getElementType();
  Type wide = accumulatorType(elementTypeOf(op.getLhs()));
  return generic(loc, type, sizes.get(op.getResult()),
                 {{op.getLhs(), lhs}, {op.getRhs(), rhs}},
                 [&](OpBuilder &inner, ValueRange in) -> Value {
                   Value l = castScalar(inner, loc, in[0], wide);
                   Value r = castScalar(inner, loc, in[1], wide);
                   Value product =
                       isa<FloatType>(wide)
                           ? arith::MulFOp::create(inner, loc, l, r).getResult()
                           : arith::MulIOp::create(inner, loc, l, r);
                   return castScalar(inner, loc, product, element);
                 });
}
