//===- Movement.cpp - Raises operations of tensor -------------------------===//

#include "Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;

namespace {

/// Raises one operation that moves elements.
class Movement {
public:
  Movement(Operation *op, Raising &program)
      : op(op), program(program), b(program.builderFor(op)) {}

  /// Null after an error.
  Value raise(tensor::CastOp op);
  Value raise(tensor::CollapseShapeOp op);
  Value raise(tensor::ConcatOp op);
  Value raise(tensor::ExpandShapeOp op);
  Value raise(tensor::ExtractOp op);
  Value raise(tensor::ExtractSliceOp op);
  Value raise(tensor::FromElementsOp op);
  Value raise(tensor::InsertSliceOp op);
  Value raise(tensor::PadOp op);
  Value raise(tensor::ReshapeOp op);
  Value raise(tensor::SplatOp op);
  Value raise(linalg::FillOp op);

private:
  Value operand(Value value) { return program.valueOf(value, op); }
  SizeList mixed(ArrayRef<OpFoldResult> list);
  std::optional<SmallVector<int64_t>> stridesOf(ArrayRef<OpFoldResult> list);
  bool checkBox(const Space &whole, ArrayRef<Size> offsets,
                ArrayRef<Size> sizes, ArrayRef<int64_t> strides);
  Value border(Value number, const Space &space);
  void appendBorder(SmallVectorImpl<Value> &parts, Value tensor, int64_t dim,
                    Size width, Value number);
  Value insert(Value part, Value whole, ArrayRef<Size> offsets, int64_t dim);
  Value part(Value tensor, int64_t dim, Size offset, Size size);

  Operation *op;
  Raising &program;
  Lowering b;
};

} // namespace

/// Sizes or offsets, of which constants are known.
SizeList Movement::mixed(ArrayRef<OpFoldResult> list) {
  SizeList sizes;
  for (OpFoldResult size : list) {
    std::optional<int64_t> known = getConstantIntValue(size);
    sizes.push_back(known ? b.math.constant(*known) : size);
  }
  return sizes;
}

static Shape shapeOf(ArrayRef<Size> sizes) {
  Shape shape;
  for (Size size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return shape;
}

//===-- shapes ------------------------------------------------------------===//

Value Movement::raise(tensor::CastOp cast) {
  auto type = dyn_cast<RankedTensorType>(cast.getType());
  if (!type)
    return cast.emitOpError("must have a rank to be compiled"), Value();
  Value from = operand(cast.getSource());
  return from ? withType(from, type, b) : from;
}

Value Movement::raise(tensor::CollapseShapeOp collapse) {
  Value from = operand(collapse.getSrc());
  if (!from)
    return from;
  SizeList sizes = b.sizesOf(from);
  Space to{Shape(collapse.getResultType().getShape()), {}};
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    SizeList factors;
    for (int64_t dim : group)
      factors.push_back(sizes[dim]);
    to.sizes.push_back(b.math.product(factors));
  }
  for (auto [size, known] : llvm::zip(to.sizes, to.shape))
    if (ShapedType::isDynamic(known))
      size = b.math.value(size);
  return raise::reshape(from, to, b);
}

Value Movement::raise(tensor::ExpandShapeOp expand) {
  Value from = operand(expand.getSrc());
  if (!from)
    return from;
  SizeList sizes = b.sizesOf(from);
  Space to{Shape(expand.getResultType().getShape()),
           mixed(expand.getMixedOutputShape())};
  b.requireSizes(to.sizes);
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    SizeList factors;
    for (int64_t i : group)
      factors.push_back(to.sizes[i]);
    b.require("equal", sizes[dim], b.math.product(factors),
              "'expand_shape' keeps the elements of dimension " + Twine(dim));
  }
  return raise::reshape(from, to, b);
}

/// Of a shape that the type says.
Value Movement::raise(tensor::ReshapeOp reshape) {
  auto type = dyn_cast<RankedTensorType>(reshape.getType());
  if (!type || !type.hasStaticShape())
    return reshape.emitOpError("must have a static result to be compiled; "
                               "found ")
               << reshape.getType(),
           Value();
  Value from = operand(reshape.getSource());
  if (!from)
    return from;
  Space to{Shape(type.getShape()), {}};
  for (int64_t size : type.getShape())
    to.sizes.push_back(b.math.constant(size));
  b.require("equal", b.math.product(b.sizesOf(from)), b.math.product(to.sizes),
            "'reshape' keeps the elements");
  return raise::reshape(from, to, b);
}

//===-- parts -------------------------------------------------------------===//

/// Strides are positive constants, where they are known.
std::optional<SmallVector<int64_t>>
Movement::stridesOf(ArrayRef<OpFoldResult> list) {
  SmallVector<int64_t> strides;
  for (OpFoldResult stride : list) {
    strides.push_back(getConstantIntValue(stride).value_or(0));
    if (strides.back() <= 0 || !stepsValid(strides)) {
      op->emitOpError("strides must be constants of at least 1 to be compiled");
      return std::nullopt;
    }
  }
  return strides;
}

/// Checks that a box is inside, where only run-time sizes tell. False, after an
/// error, where it never is.
bool Movement::checkBox(const Space &whole, ArrayRef<Size> offsets,
                        ArrayRef<Size> sizes, ArrayRef<int64_t> strides) {
  b.requireSizes(sizes);
  for (int64_t dim = 0; dim < whole.rank(); ++dim) {
    std::string name = ("the part of '" + b.sourceName() +
                        "' is inside in dimension " + Twine(dim))
                           .str();
    std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
    if (offset && *offset < 0) {
      op->emitOpError("offsets must not be negative to be compiled; found ")
          << *offset;
      return false;
    }
    Size zero = b.math.constant(0);
    b.require("at_most", zero, offsets[dim], name);
    // (size - 1) * stride + 1 elements, none where size is 0.
    Size extent = sizes[dim];
    if (strides[dim] != 1) {
      Size steps =
          b.math.maximum(b.math.sub(sizes[dim], b.math.constant(1)), zero);
      extent = b.math.add(b.math.mul(steps, b.math.constant(strides[dim])),
                          b.math.minimum(sizes[dim], b.math.constant(1)));
    }
    b.require("at_most", b.math.add(offsets[dim], extent), whole.sizes[dim],
              name);
  }
  return true;
}

Value Movement::raise(tensor::ExtractSliceOp extract) {
  Value from = operand(extract.getSource());
  std::optional<SmallVector<int64_t>> strides =
      stridesOf(extract.getMixedStrides());
  if (!from || !strides)
    return {};
  SizeList offsets = mixed(extract.getMixedOffsets());
  Space box;
  box.sizes = mixed(extract.getMixedSizes());
  box.shape = shapeOf(box.sizes);
  if (!checkBox(spaceOf(from, b), offsets, box.sizes, *strides))
    return {};
  Value taken = slice(from, offsets, *strides, box, b);
  // Dimensions of size 1 may be dropped.
  Space to;
  llvm::SmallBitVector dropped = extract.getDroppedDims();
  for (int64_t dim = 0; dim < box.rank(); ++dim)
    if (!dropped[dim]) {
      to.shape.push_back(box.shape[dim]);
      to.sizes.push_back(box.sizes[dim]);
    }
  return withType(raise::reshape(taken, to, b), extract.getType(), b);
}

/// Those of joined tensors that a part is of, so that what is written over is
/// not read. `offset` becomes the part's in these.
static Value narrow(Value tensor, int64_t dim, Size &offset, Size size,
                    Lowering &b) {
  auto joined = tensor.getDefiningOp<flatir::ConcatenateOp>();
  std::optional<int64_t> begin = getConstantIntValue(offset);
  std::optional<int64_t> count = getConstantIntValue(size);
  if (!joined || asSigned(joined.getDim()) != dim || !begin || !count)
    return tensor;
  SmallVector<Value> parts;
  int64_t at = 0, first = 0;
  for (Value input : joined.getInputs()) {
    int64_t length = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(length))
      return tensor;
    if (at + length > *begin && at < *begin + *count) {
      first = parts.empty() ? at : first;
      parts.push_back(input);
    }
    at += length;
  }
  if (parts.empty() || parts.size() == joined.getInputs().size())
    return tensor;
  offset = b.math.constant(*begin - first);
  return concatenate(parts, dim, b);
}

/// `size` elements from `offset` on in dimension `dim`; null for none.
Value Movement::part(Value tensor, int64_t dim, Size offset, Size size) {
  if (getConstantIntValue(size) == int64_t(0))
    return {};
  tensor = narrow(tensor, dim, offset, size, b);
  Space box = spaceOf(tensor, b);
  if (box.sizes[dim] == size)
    return tensor;
  SizeList offsets(box.rank(), b.math.constant(0));
  offsets[dim] = offset;
  box.sizes[dim] = size;
  box.shape[dim] = shapeOf(size).front();
  return slice(tensor, offsets, SmallVector<int64_t>(box.rank(), 1), box, b);
}

/// `whole` with `part` at `offsets`; the dimensions before `dim` are cut.
Value Movement::insert(Value inserted, Value whole, ArrayRef<Size> offsets,
                       int64_t dim) {
  if (dim == rankOf(whole))
    return inserted;
  Size size = b.sizesOf(inserted)[dim], all = b.sizesOf(whole)[dim];
  Size end = b.math.add(offsets[dim], size);
  SmallVector<Value> parts;
  if (Value before = part(whole, dim, b.math.constant(0), offsets[dim]))
    parts.push_back(before);
  if (Value middle = part(whole, dim, offsets[dim], size))
    parts.push_back(insert(inserted, middle, offsets, dim + 1));
  if (Value after = part(whole, dim, end, b.math.sub(all, end)))
    parts.push_back(after);
  return parts.empty() ? whole : concatenate(parts, dim, b);
}

Value Movement::raise(tensor::InsertSliceOp insert) {
  Value source = operand(insert.getSource());
  if (!source)
    return {};
  Value whole;
  // What is never written is 0.
  if (auto empty = insert.getDest().getDefiningOp<tensor::EmptyOp>()) {
    RankedTensorType type = empty.getType();
    TypedAttr zero = b.getBuilder().getZeroAttr(type.getElementType());
    whole = splat(zero, spaceOf(empty, b), b);
  } else {
    whole = operand(insert.getDest());
  }
  std::optional<SmallVector<int64_t>> strides =
      stridesOf(insert.getMixedStrides());
  if (!whole || !strides)
    return {};
  if (llvm::any_of(*strides, [](int64_t stride) { return stride != 1; }))
    return op->emitOpError("strides must be 1 to be compiled"), Value();
  SizeList offsets = mixed(insert.getMixedOffsets());
  Space box;
  box.sizes = mixed(insert.getMixedSizes());
  box.shape = shapeOf(box.sizes);
  if (!checkBox(spaceOf(whole, b), offsets, box.sizes, *strides))
    return {};
  // The source may lack dimensions of size 1.
  b.require("equal", b.math.product(b.sizesOf(source)),
            b.math.product(box.sizes), "'insert_slice' writes its source");
  source = raise::reshape(source, box, b);
  return withType(this->insert(source, whole, offsets, 0), insert.getType(), b);
}

//===-- joins and numbers -------------------------------------------------===//

Value Movement::raise(tensor::ConcatOp concat) {
  SmallVector<Value> parts;
  for (Value input : concat.getInputs()) {
    parts.push_back(operand(input));
    if (!parts.back())
      return {};
  }
  Value joined = concatenate(parts, static_cast<int64_t>(concat.getDim()), b);
  return withType(joined, concat.getType(), b);
}

/// A number, of rank 0, at each point.
Value Movement::border(Value number, const Space &space) {
  if (TypedAttr known = splatOf(number))
    return splat(known, space, b);
  return spread(number, {}, space, b);
}

/// `width` slices of `number` along `dim`, where there are any.
void Movement::appendBorder(SmallVectorImpl<Value> &parts, Value tensor,
                            int64_t dim, Size width, Value number) {
  if (getConstantIntValue(width) == int64_t(0))
    return;
  b.require("at_most", b.math.constant(0), width,
            "the widths of 'pad' in dimension " + Twine(dim) +
                " are not negative");
  Space space = spaceOf(tensor, b);
  space.sizes[dim] = width;
  space.shape[dim] = shapeOf(width).front();
  parts.push_back(border(number, space));
}

/// Whether there is an operand for each width that is no constant: MLIR's
/// verifier does not count them.
static bool hasAllWidths(tensor::PadOp pad) {
  auto count = [](ArrayRef<int64_t> widths) {
    return static_cast<size_t>(llvm::count(widths, ShapedType::kDynamic));
  };
  return count(pad.getStaticLow()) == pad.getLow().size() &&
         count(pad.getStaticHigh()) == pad.getHigh().size();
}

Value Movement::raise(tensor::PadOp pad) {
  if (!hasAllWidths(pad))
    return pad.emitOpError("must have an operand for each dynamic width"),
           Value();
  Value tensor = operand(pad.getSource());
  Value padding = pad.getConstantPaddingValue();
  if (!padding)
    return pad.emitOpError("must pad with one number to be compiled"), Value();
  Value number;
  if (auto constant = padding.getDefiningOp<arith::ConstantOp>())
    number = splat(constant.getValue(), {}, b);
  else
    number = operand(padding);
  if (!tensor || !number)
    return {};
  SizeList low = mixed(pad.getMixedLowPad()),
           high = mixed(pad.getMixedHighPad());
  // The last dimension first, so that the borders of the others are contiguous.
  for (int64_t dim = rankOf(tensor); dim-- > 0;) {
    SmallVector<Value> parts;
    appendBorder(parts, tensor, dim, low[dim], number);
    parts.push_back(tensor);
    appendBorder(parts, tensor, dim, high[dim], number);
    tensor = concatenate(parts, dim, b);
  }
  return withType(tensor, pad.getResultType(), b);
}

Value Movement::raise(tensor::FromElementsOp from) {
  SmallVector<Value> parts;
  Space one{{1}, {b.math.constant(1)}};
  for (Value element : from.getElements()) {
    Value number = operand(element);
    if (!number)
      return {};
    parts.push_back(raise::reshape(number, one, b));
  }
  RankedTensorType type = from.getType();
  Space to{Shape(type.getShape()), {}};
  for (int64_t size : type.getShape())
    to.sizes.push_back(b.math.constant(size));
  if (parts.empty())
    return splat(b.getBuilder().getZeroAttr(type.getElementType()), to, b);
  return raise::reshape(concatenate(parts, 0, b), to, b);
}

/// A number, of rank 0.
Value Movement::raise(tensor::ExtractOp extract) {
  Value tensor = operand(extract.getTensor());
  for (auto [i, index] : llvm::enumerate(extract.getIndices())) {
    Value at = tensor ? operand(index) : Value();
    if (!at)
      return {};
    // Taken dimensions are gone.
    tensor = gather(tensor, at, 0, b);
  }
  return tensor;
}

Value Movement::raise(tensor::SplatOp op) {
  Value number = operand(op.getInput());
  RankedTensorType type = op.getType();
  Space to{Shape(type.getShape()),
           b.mixedSizes(type.getShape(), op.getDynamicSizes())};
  b.requireSizes(to.sizes);
  return number ? border(number, to) : number;
}

Value Movement::raise(linalg::FillOp fill) {
  if (!fill.hasPureTensorSemantics())
    return fill.emitOpError("must work on tensors to be compiled"), Value();
  Value number = operand(fill.getInputs().front());
  Value init = fill.getDpsInits().front();
  return number ? border(number, spaceOf(init, b)) : number;
}

//===-- the list ----------------------------------------------------------===//

std::optional<Raised> raise::raiseMovement(Operation *op, Raising &program) {
  using Result = std::optional<Raised>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
            tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
            tensor::FromElementsOp, tensor::InsertSliceOp, tensor::PadOp,
            tensor::ReshapeOp, tensor::SplatOp, linalg::FillOp>(
          [&](auto typed) -> Result {
            Value made = Movement(op, program).raise(typed);
            return made ? Raised{made} : Raised();
          })
      .Default(Result());
}
