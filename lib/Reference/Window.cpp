//===- Window.cpp - Evaluation of sliding windows -------------------------===//

#include "Context.h"
#include "Elements.h"

#include "tripy/Base/Text.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include <cstring>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

/// The shape of the result; its dynamic sizes are operands.
static SmallVector<int64_t> shapeOf(flatir::WindowOp op,
                                    ArrayRef<Datum> operands) {
  SmallVector<int64_t> shape(op.getType().getShape());
  unsigned next = 1;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = std::get<int64_t>(operands[next++]);
  return shape;
}

/// Offsets, in elements of the input, of the positions of one dimension: one
/// for each window and position in it, -1 for what is no element.
static SmallVector<int64_t> offsetsOf(flatir::WindowOp op, size_t i,
                                      int64_t count, int64_t size,
                                      int64_t stride) {
  SmallVector<int64_t> offsets;
  for (int64_t k = 0; k < op.getWindow()[i]; ++k)
    for (int64_t window = 0; window < count; ++window) {
      int64_t at = window * op.getStrides()[i] + k * op.getDilations()[i] -
                   op.getLow()[i];
      int64_t interior = op.getInterior()[i];
      bool isElement = at >= 0 && at % interior == 0 && at / interior < size;
      offsets.push_back(isElement ? at / interior * stride : -1);
    }
  return offsets;
}

/// The bytes of an element that is `value`.
static void storeValue(TypedAttr value, DType dtype, void *bytes) {
  withElement(dtype, [&](auto element) {
    using E = decltype(element);
    if (auto number = dyn_cast<FloatAttr>(value))
      *E::at(bytes) = convertElement<E>(number.getValueAsDouble());
    else if (value.getType().isInteger(1))
      *E::at(bytes) =
          convertElement<E>(!cast<IntegerAttr>(value).getValue().isZero());
    else
      *E::at(bytes) =
          convertElement<E>(cast<IntegerAttr>(value).getValue().getSExtValue());
  });
}

namespace {
/// Copies elements to the windows of a result, which is not empty.
class Slider {
public:
  Slider(flatir::WindowOp op, const Tensor &input, Tensor &result);

  void run();

private:
  /// Offset in the input of the element at `index`, or -1.
  int64_t offsetAt(ArrayRef<int64_t> index) const;

  flatir::WindowOp op;
  const Tensor &input;
  Tensor &result;
  SmallVector<int64_t> strides;
  /// For each dimension of the input that windows slide over, see offsetsOf().
  SmallVector<SmallVector<int64_t>> offsets;
};
} // namespace

Slider::Slider(flatir::WindowOp op, const Tensor &input, Tensor &result)
    : op(op), input(input), result(result),
      strides(rowMajorStrides(input.shape())) {
  size_t windows = op.getDims().size();
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    offsets.push_back(offsetsOf(op, i, result.shape()[windows + dim],
                                input.shape()[dim], strides[dim]));
}

int64_t Slider::offsetAt(ArrayRef<int64_t> index) const {
  flatir::WindowOp window = op;
  size_t windows = offsets.size();
  int64_t offset = 0;
  ArrayRef<int64_t> dims = window.getDims();
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    const auto *found = llvm::find(dims, static_cast<int64_t>(dim));
    if (found == dims.end()) {
      offset += index[windows + dim] * stride;
      continue;
    }
    size_t i = found - dims.begin();
    int64_t own = offsets[i][index[i] * result.shape()[windows + dim] +
                             index[windows + dim]];
    if (own < 0)
      return -1;
    offset += own;
  }
  return offset;
}

void Slider::run() {
  size_t size = dtypeSize(input.dtype());
  char outside[8];
  storeValue(op.getValue(), input.dtype(), outside);
  const auto *from = static_cast<const char *>(input.data());
  auto *to = static_cast<char *>(result.mutableData());
  SmallVector<int64_t> index(result.rank(), 0);
  for (int64_t n = result.elements(); n > 0; --n, to += size) {
    int64_t offset = offsetAt(index);
    std::memcpy(to, offset < 0 ? outside : from + offset * size, size);
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < result.shape()[dim])
        break;
      index[dim] = 0;
    }
  }
}

std::optional<Tensor> reference::evaluateWindow(Context &context, Operation *op,
                                                ArrayRef<Datum> operands) {
  auto window = cast<flatir::WindowOp>(op);
  SmallVector<int64_t> shape = shapeOf(window, operands);
  const Tensor &input = std::get<Tensor>(operands[0]);
  auto fail = [&](const Twine &message) {
    (void)context.fail(
        op, message + "; found " +
                formatSizes({input.shape().data(), input.shape().size()}) +
                " and " + formatSizes({shape.data(), shape.size()}));
    return std::nullopt;
  };
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return fail("sizes are not negative");
  size_t windows = window.getDims().size();
  bool isEmpty = llvm::is_contained(shape, 0);
  for (auto [dim, size] : llvm::enumerate(input.shape())) {
    bool slides =
        llvm::is_contained(window.getDims(), static_cast<int64_t>(dim));
    if (!slides && size != shape[windows + dim])
      return fail("dimensions without windows keep their sizes");
    if (slides && size == 0 && !isEmpty)
      return fail("dims of the input are not empty, unless the result is");
  }
  std::optional<Tensor> result = context.allocate(op, input.dtype(), shape);
  if (!result || failed(context.spend(op, result->elements())))
    return std::nullopt;
  if (!isEmpty)
    Slider(window, input, *result).run();
  return result;
}
