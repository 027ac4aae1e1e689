//===- Lowering.cpp - Lowers one operation of trace -----------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tripy;

RankedTensorType tripy::typeWith(ArrayRef<Size> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (Size size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

SmallVector<int64_t> tripy::leadingDims(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

std::string tripy::describeShape(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(type.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << ')';
  return text;
}

Type tripy::accumulatorOf(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  return element;
}

//===-- sizes -------------------------------------------------------------===//

void Lowering::created(Operation *op) {
  // Concatenations get their sizes elsewhere: TensorSizes would add them up
  // without a reason. Of composites and plugins it knows nothing.
  if (op->getNumResults() != 1 || op->getDialect()->getNamespace() != "flatir")
    return;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.hasStaticShape() ||
      isa<flatir::ConcatenateOp, flatir::CompositeOp, flatir::PluginOp>(op))
    return;
  state.sizes.infer(op, rewriter,
                    [&](Value tensor) { return sizesOf(tensor); });
}

/// What a size is read from, for a reason: "argument 'x'".
static std::string describeTensor(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument)
    return ("'" + tensor.getDefiningOp()->getName().getStringRef() + "'").str();
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (function && argument.getOwner()->isEntryBlock())
    return "argument '" + argumentName(function, argument.getArgNumber()) + "'";
  return "a block's argument";
}

/// The name of a dimension of a function's argument, or "".
static StringRef dimensionName(Value tensor, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return "";
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return "";
  auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                    dimsAttrName);
  if (!names || static_cast<int64_t>(names.size()) <= dim)
    return "";
  auto name = dyn_cast<StringAttr>(names[dim]);
  return name ? name.getValue() : "";
}

/// The argument beside `tensor` that is itself the size of this name, or null.
static Value sizeArgument(Value tensor, StringRef name) {
  for (BlockArgument argument : tensor.getParentBlock()->getArguments())
    if (argument.getType().isIndex() && dimensionName(argument, 0) == name)
      return argument;
  return nullptr;
}

Value Lowering::readSize(Value tensor, int64_t dim) {
  Block *block = tensor.getParentBlock();
  Value *named = nullptr;
  if (StringRef name = dimensionName(tensor, dim); !name.empty()) {
    named = &state.named[{block, name.str()}];
    if (!*named)
      *named = sizeArgument(tensor, name);
    if (*named)
      return *named;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  Operation *&last = state.lastRead[block];
  if (!isa<BlockArgument>(tensor))
    rewriter.setInsertionPointAfterValue(tensor);
  else if (last)
    rewriter.setInsertionPointAfter(last);
  else
    rewriter.setInsertionPointToStart(block);
  Why why{"size", ("read the size of dimension " + Twine(dim) + " of " +
                   describeTensor(tensor))
                      .str()};
  auto read = insert<flatir::DimOp>(why, tensor, dim);
  if (isa<BlockArgument>(tensor))
    last = read;
  if (named)
    *named = read;
  return read;
}

SizeList Lowering::sizesOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape() || state.sizes.contains(tensor))
    return state.sizes.get(tensor);
  SizeList sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(size) ? Size(readSize(tensor, i))
                                                : math.constant(size));
  state.sizes.set(tensor, sizes);
  return sizes;
}

SizeList Lowering::mixedSizes(ArrayRef<int64_t> staticSizes,
                              ValueRange dynamicSizes) {
  SizeList sizes;
  for (int64_t size : staticSizes) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(math.constant(size));
      continue;
    }
    sizes.push_back(dynamicSizes.front());
    dynamicSizes = dynamicSizes.drop_front();
  }
  return sizes;
}

SmallVector<Value> Lowering::dynamicSizes(RankedTensorType type,
                                          ArrayRef<Size> sizes) {
  SmallVector<Value> values;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(i))
      values.push_back(math.value(size));
  return values;
}

bool Lowering::hasShape(Value tensor, RankedTensorType type,
                        ArrayRef<Size> sizes) {
  if (tensor.getType() != type)
    return false;
  SizeList found = sizesOf(tensor);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(i) && found[i] != size)
      return false;
  return true;
}

void Lowering::require(StringRef kind, Size lhs, Size rhs,
                       const Twine &message) {
  bool holds = lhs == rhs || (kind == "at_most" && isAtMost(lhs, rhs)) ||
               decide(findCheckKind(std::string_view(kind))->kind, rangeOf(lhs),
                      rangeOf(rhs)) == true;
  if (holds)
    return;
  Value x = math.value(lhs), y = math.value(rhs);
  // The same condition in other words would never be the one to fail.
  if (!state.required
           .insert({rewriter.getInsertionBlock(), kind.str(),
                    x.getAsOpaquePointer(), y.getAsOpaquePointer()})
           .second)
    return;
  std::string text = message.str();
  insert<flatir::RequireOp>(Why{"check", "check that " + text}, kind, x, y,
                            text);
}

Size Lowering::broadcastSize(Size a, Size b, const Twine &message) {
  if (isConstantIntValue(b, 1) || isBroadcastOf(a, b))
    return a;
  if (isConstantIntValue(a, 1) || isBroadcastOf(b, a))
    return b;
  require("broadcastable", a, b, message);
  return getConstantIntValue(a) ? a : math.ifOne(a, b, a);
}

void Lowering::requireSizes(ArrayRef<Size> sizes) {
  for (auto [i, size] : llvm::enumerate(sizes))
    require("at_most", math.constant(0), size,
            "size " + Twine(i) + " of '" + sourceName() + "' is not negative");
}

//===-- tensors -----------------------------------------------------------===//

Value Lowering::broadcast(const NamedTensor &tensor, ArrayRef<int64_t> dims,
                          RankedTensorType type, ArrayRef<Size> sizes) {
  auto from = cast<RankedTensorType>(tensor.value.getType());
  type = type.clone(from.getElementType());
  if (hasShape(tensor.value, type, sizes))
    return tensor.value;
  Why why{"broadcast",
          ("broadcast " + Twine(tensor.name) + " of '" + sourceName() +
           "' from " + describeShape(from) + " to " + describeShape(type))
              .str(),
          tensor.operand};
  return insert<flatir::BroadcastOp>(why, type, tensor.value,
                                     dynamicSizes(type, sizes), dims);
}

Value Lowering::broadcast(const NamedTensor &tensor, RankedTensorType type,
                          ArrayRef<Size> sizes) {
  int64_t rank = rankOf(tensor.value);
  return broadcast(
      tensor, llvm::to_vector(llvm::seq(type.getRank() - rank, type.getRank())),
      type, sizes);
}

/// Names the tensors that have a dimension: "the left operand and ...".
static std::string joinNames(ArrayRef<NamedTensor> tensors) {
  std::string text;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    if (i)
      text += i + 1 == tensors.size() ? " and " : ", ";
    text += tensor.name;
  }
  return text;
}

SmallVector<Value> Lowering::broadcastTogether(ArrayRef<NamedTensor> tensors,
                                               ArrayRef<int64_t> shape) {
  SizeList result;
  for (auto [i, size] : llvm::enumerate(shape)) {
    bool known = !ShapedType::isDynamic(size);
    Size common = math.constant(known ? size : 1);
    for (const NamedTensor &tensor : tensors) {
      SizeList sizes = sizesOf(tensor.value);
      int64_t dim = i + sizes.size() - shape.size();
      if (dim < 0)
        continue;
      Size both = broadcastSize(
          common, sizes[dim],
          joinNames(tensors) + " of '" + sourceName() +
              "' have equal sizes, or size 1, in dimension " + Twine(i));
      common = known ? common : both;
    }
    result.push_back(common);
  }
  SmallVector<Value> values;
  for (const NamedTensor &tensor : tensors)
    values.push_back(broadcast(
        tensor, RankedTensorType::get(shape, elementTypeOf(tensor.value)),
        result));
  return values;
}

/// `value` as a number of an element type.
static TypedAttr numberOf(double value, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, value);
  return IntegerAttr::get(element, static_cast<int64_t>(value));
}

/// "provide 0.5 for 'gelu'".
static Why provides(double value, StringRef source) {
  std::string reason;
  llvm::raw_string_ostream(reason)
      << "provide " << llvm::format("%.6g", value) << " for '" << source << "'";
  return {"constant", reason};
}

Value Lowering::scalar(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  return insert<flatir::ConstantOp>(
      provides(value, sourceName()),
      DenseElementsAttr::get(type, numberOf(value, element)));
}

Value Lowering::splat(double value, Value like, Type element) {
  auto type = cast<RankedTensorType>(like.getType());
  if (element)
    type = type.clone(element);
  element = type.getElementType();
  Why why = provides(value, sourceName());
  if (type.hasStaticShape())
    return insert<flatir::ConstantOp>(
        why, DenseElementsAttr::get(type, numberOf(value, element)));
  return insert<flatir::BroadcastOp>(why, type, scalar(value, element),
                                     dynamicSizes(type, sizesOf(like)),
                                     ArrayRef<int64_t>());
}

Value Lowering::convert(Value tensor, Type element, const Twine &reason) {
  if (elementTypeOf(tensor) == element)
    return tensor;
  Why why{"convert", (reason + " for '" + sourceName() + "'").str()};
  return insert<flatir::ConvertOp>(
      why, withElementType(tensor.getType(), element), tensor);
}

Value Lowering::reshape(Value tensor, ArrayRef<Size> sizes,
                        RankedTensorType type, const Why &why) {
  if (hasShape(tensor, type, sizes))
    return tensor;
  return insert<flatir::ReshapeOp>(why, type, tensor,
                                   dynamicSizes(type, sizes));
}

Value Lowering::composite(StringRef name, ArrayRef<NamedAttribute> config,
                          ValueRange tensors,
                          function_ref<Value(ValueRange)> body,
                          RankedTensorType type, SizeList shape) {
  if (!type) {
    type = cast<RankedTensorType>(tensors.front().getType());
    shape = sizesOf(tensors.front());
  }
  llvm::SetVector<Value> sizes;
  for (Value tensor : tensors) {
    auto type = cast<RankedTensorType>(tensor.getType());
    sizes.insert_range(dynamicSizes(type, sizesOf(tensor)));
  }
  SmallVector<Value> operands(tensors);
  llvm::append_range(operands, sizes);
  auto op = primary<flatir::CompositeOp>(TypeRange(type), operands, name,
                                         rewriter.getDictionaryAttr(config));
  state.sizes.set(op->getResult(0), shape);

  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Location> locations(operands.size(), getSource()->getLoc());
  Block *block = rewriter.createBlock(
      &op.getBody(), {}, ValueRange(operands).getTypes(), locations);
  ValueRange arguments = block->getArguments();
  for (auto [tensor, argument] : llvm::zip(tensors, arguments)) {
    SizeList inside = sizesOf(tensor);
    for (Size &size : inside)
      if (auto value = dyn_cast<Value>(size)) {
        size_t index = llvm::find(sizes, value) - sizes.begin();
        size = arguments[tensors.size() + index];
      }
    state.sizes.set(argument, inside);
  }
  Value result = body(arguments.take_front(tensors.size()));
  flatir::YieldOp::create(rewriter, getSource()->getLoc(), result);
  return op->getResult(0);
}
