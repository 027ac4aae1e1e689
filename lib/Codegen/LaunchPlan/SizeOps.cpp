//===- SizeOps.cpp - Arithmetic on sizes as operations --------------------===//

#include "SizeOps.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;

Value codegen::makeSizeOp(OpBuilder &b, Location loc, SizeOp op, Value a,
                          Value c, llvm::function_ref<Value()> one) {
  auto equal = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  switch (op) {
  case SizeOp::Add:
    return arith::AddIOp::create(b, loc, a, c);
  case SizeOp::Sub:
    return arith::SubIOp::create(b, loc, a, c);
  case SizeOp::Mul:
    return arith::MulIOp::create(b, loc, a, c);
  case SizeOp::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, a, c);
  case SizeOp::CeilDiv:
    return arith::CeilDivSIOp::create(b, loc, a, c);
  case SizeOp::Div:
    return arith::DivSIOp::create(b, loc, a, c);
  // Of operands that are not negative.
  case SizeOp::Mod:
  case SizeOp::Rem:
    return arith::RemSIOp::create(b, loc, a, c);
  case SizeOp::And:
    return arith::AndIOp::create(b, loc, a, c);
  case SizeOp::Or:
    return arith::OrIOp::create(b, loc, a, c);
  case SizeOp::Xor:
    return arith::XOrIOp::create(b, loc, a, c);
  case SizeOp::Min:
    return arith::MinSIOp::create(b, loc, a, c);
  case SizeOp::Max:
    return arith::MaxSIOp::create(b, loc, a, c);
  case SizeOp::Broadcast: {
    return arith::SelectOp::create(b, loc, equal(a, one()), c, a);
  }
  case SizeOp::Equal:
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), equal(a, c));
  case SizeOp::Constant:
  case SizeOp::Symbol:
    break;
  }
  llvm_unreachable("all size operations are above");
}

FailureOr<TableIndex> codegen::bytesOfTensor(Location loc,
                                             RankedTensorType type,
                                             ArrayRef<TableIndex> dynamic,
                                             kernel::SizeTable &sizes) {
  // Static factors first: they become one constant.
  bool isPacked = isInt4(type.getElementType());
  SmallVector<TableIndex> factors = {
      sizes.constant(isPacked ? 1 : bytesOf(type.getElementType(), 1))};
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      factors.push_back(sizes.constant(size));
  llvm::append_range(factors, dynamic);
  TableIndex bytes = sizes.product(factors);
  if (isPacked)
    bytes = sizes.binary(SizeOp::CeilDiv, bytes, sizes.constant(2));
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t maximum = sizes.bounds(bytes).hi;
  if (maximum <= limit)
    return bytes;
  InFlightDiagnostic diag = emitError(
      loc, "a tensor must have at most 2^40 bytes for the largest sizes of the "
           "profile; ");
  diag << type << " needs "
       << (maximum < anySize.hi ? std::to_string(maximum) : "more than 2^63")
       << " bytes";
  return failure();
}
