//===- Shapes.cpp - Movement of elements for raised operations ------------===//

#include "Raise.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;

Space Space::select(ArrayRef<int64_t> dims) const {
  Space part;
  for (int64_t dim : dims) {
    part.shape.push_back(shape[dim]);
    part.sizes.push_back(sizes[dim]);
  }
  return part;
}

Space raise::spaceOf(Value tensor, Lowering &b) {
  return {Shape(cast<RankedTensorType>(tensor.getType()).getShape()),
          b.sizesOf(tensor)};
}

Type raise::elementFor(Type scalar) {
  return scalar.isIndex() ? IntegerType::get(scalar.getContext(), 64) : scalar;
}

Value raise::splat(TypedAttr value, const Space &space, Lowering &b) {
  Type element = value.getType();
  if (element.isIndex()) {
    element = elementFor(element);
    value = IntegerAttr::get(element, cast<IntegerAttr>(value).getInt());
  }
  RankedTensorType type = space.type(element);
  if (type.hasStaticShape())
    return b.step<flatir::ConstantOp>("provide a number",
                                      DenseElementsAttr::get(type, value));
  Value number = b.step<flatir::ConstantOp>(
      "provide a number",
      DenseElementsAttr::get(RankedTensorType::get({}, element), value));
  return spread(number, {}, space, b);
}

Value raise::splatNumber(double value, Type element, const Space &space,
                         Lowering &b) {
  if (auto number = dyn_cast<FloatType>(element))
    return splat(FloatAttr::get(number, value), space, b);
  return splat(IntegerAttr::get(element, static_cast<int64_t>(value)), space,
               b);
}

TypedAttr raise::splatOf(Value tensor) {
  while (auto broadcast = tensor.getDefiningOp<flatir::BroadcastOp>())
    tensor = broadcast.getInput();
  auto constant = tensor.getDefiningOp<flatir::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  return splat ? splat.getSplatValue<TypedAttr>() : TypedAttr();
}

Value raise::spread(Value tensor, ArrayRef<int64_t> dims, const Space &space,
                    Lowering &b) {
  RankedTensorType type = space.type(elementTypeOf(tensor));
  if (b.hasShape(tensor, type, space.sizes))
    return tensor;
  return b.step<flatir::BroadcastOp>("repeat an operand", type, tensor,
                                     b.dynamicSizes(type, space.sizes), dims);
}

Value raise::transpose(Value tensor, ArrayRef<int64_t> permutation,
                       Lowering &b) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return tensor;
  Space to = spaceOf(tensor, b).select(permutation);
  // Dimensions of size 1 move without their elements.
  SmallVector<int64_t> moved(permutation);
  llvm::erase_if(moved, [&](int64_t dim) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 1;
  });
  if (llvm::is_sorted(moved))
    return reshape(tensor, to, b);
  return b.step<flatir::TransposeOp>("order the dimensions",
                                     to.type(elementTypeOf(tensor)), tensor,
                                     permutation);
}

Value raise::slice(Value tensor, ArrayRef<Size> offsets,
                   ArrayRef<int64_t> strides, const Space &space, Lowering &b) {
  SmallVector<int64_t> fixed;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(offsets, dynamic, fixed);
  RankedTensorType type = space.type(elementTypeOf(tensor));
  return b.step<flatir::SliceOp>("take a part", type, tensor, dynamic,
                                 b.dynamicSizes(type, space.sizes), fixed,
                                 strides);
}

Value raise::reshape(Value tensor, const Space &space, Lowering &b) {
  Why why{"reshape", ("reshape for '" + b.sourceName() + "'").str()};
  return b.reshape(tensor, space.sizes, space.type(elementTypeOf(tensor)), why);
}

Value raise::withType(Value tensor, RankedTensorType type, Lowering &b) {
  if (tensor.getType() == type)
    return tensor;
  Space space = spaceOf(tensor, b);
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    space.shape[dim] = size;
    if (ShapedType::isDynamic(size))
      continue;
    b.require("equal", space.sizes[dim], b.math.constant(size),
              "dimension " + Twine(dim) + " of '" + b.sourceName() + "' is " +
                  Twine(size));
    space.sizes[dim] = b.math.constant(size);
  }
  SizeList zeros(type.getRank(), b.math.constant(0));
  return slice(tensor, zeros, SmallVector<int64_t>(type.getRank(), 1), space,
               b);
}

Value raise::concatenate(ArrayRef<Value> tensors, int64_t dim, Lowering &b) {
  if (tensors.size() == 1)
    return tensors.front();
  Space joined = spaceOf(tensors.front(), b);
  for (Value tensor : tensors.drop_front()) {
    Space part = spaceOf(tensor, b);
    for (int64_t i = 0; i < joined.rank(); ++i) {
      if (i == dim)
        continue;
      b.require("equal", joined.sizes[i], part.sizes[i],
                "the operands of '" + b.sourceName() + "' agree in dimension " +
                    Twine(i));
      if (!ShapedType::isDynamic(part.shape[i])) {
        joined.shape[i] = part.shape[i];
        joined.sizes[i] = part.sizes[i];
      }
    }
    bool known = !ShapedType::isDynamic(joined.shape[dim]) &&
                 !ShapedType::isDynamic(part.shape[dim]);
    joined.shape[dim] =
        known ? joined.shape[dim] + part.shape[dim] : ShapedType::kDynamic;
    joined.sizes[dim] = b.math.add(joined.sizes[dim], part.sizes[dim]);
    if (!known)
      joined.sizes[dim] = b.math.value(joined.sizes[dim]);
  }
  Value result = b.step<flatir::ConcatenateOp>(
      "join parts", joined.type(elementTypeOf(tensors.front())), tensors, dim);
  b.setSizes(result, joined.sizes);
  return result;
}
