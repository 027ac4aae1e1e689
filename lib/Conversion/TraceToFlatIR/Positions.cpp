//===- Positions.cpp - Positions along dimensions as data -----------------===//

#include "Positions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

Value tripy::positionsAlong(Size count, int64_t shown, Lowering &b) {
  Type i64 = b.getBuilder().getI64Type();
  auto type = RankedTensorType::get({shown}, i64);
  return b.step<flatir::IotaOp>("count the positions", type,
                                b.dynamicSizes(type, count), int64_t(0));
}

Value tripy::sizeLike(Size size, Value like, Lowering &b) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return b.splat(static_cast<double>(*known), like);
  auto type = cast<RankedTensorType>(like.getType());
  Value scalar = b.step<flatir::FromIndexOp>(
      "provide a size", RankedTensorType::get({}, type.getElementType()),
      b.math.value(size));
  return b.broadcast({scalar, "the size", -1}, ArrayRef<int64_t>(), type,
                     b.sizesOf(like));
}

Value tripy::fromFront(Value index, Size size, Lowering &b) {
  Type i64 = b.getBuilder().getI64Type();
  index = b.convert(index, i64, "compute in 64 bits");
  Value moved = b.step<flatir::AddOp>("count from the end", index,
                                      sizeLike(size, index, b));
  Value isNegative = b.step<flatir::CompareOp>(
      "find the negative indices",
      withElementType(index.getType(), b.getBuilder().getI1Type()),
      flatir::ComparisonDirection::Lt, index, b.splat(0, index));
  return b.step<flatir::SelectOp>("count those from the end", isNegative, moved,
                                  index);
}
