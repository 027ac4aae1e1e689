//===- Movement.cpp - Evaluation of creation and movement -----------------===//
//
// Everything that moves elements without looking at them is a copy of a
// strided box: broadcasts have a stride of 0, reversals a negative one.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Elements.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

using MaybeTensor = std::optional<Tensor>;

SmallVector<int64_t> reference::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

//===-- shared ------------------------------------------------------------===//

namespace {
/// An operation under evaluation.
struct Job {
  Context &context;
  Operation *op;
  ArrayRef<Datum> operands;

  const Tensor &tensor(unsigned i) const {
    return std::get<Tensor>(operands[i]);
  }
  RankedTensorType type() const {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }
  DType dtype() const { return *dtypeOf(type().getElementType()); }
  std::nullopt_t fail(const Twine &message) const {
    (void)context.fail(op, message);
    return std::nullopt;
  }
  MaybeTensor allocate(ArrayRef<int64_t> shape) const {
    MaybeTensor out = context.allocate(op, dtype(), shape);
    if (!out || failed(context.spend(op, out->elements())))
      return std::nullopt;
    return out;
  }
};
} // namespace

static std::string text(ArrayRef<int64_t> sizes) {
  return formatSizes({sizes.data(), sizes.size()});
}

/// The result's shape: the type's, with the operands from `first` on for `?`.
static std::optional<SmallVector<int64_t>> resultShape(const Job &job,
                                                       unsigned first) {
  SmallVector<int64_t> shape(job.type().getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = std::get<int64_t>(job.operands[first++]);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return job.fail("sizes are not negative; found " + text(shape));
  return shape;
}

template <typename T>
static void copyBoxAs(const Tensor &input, ArrayRef<int64_t> strides,
                      int64_t offset, Tensor &out) {
  const T *from = static_cast<const T *>(input.data());
  T *to = static_cast<T *>(out.mutableData());
  BoxWalker walker(out.shape(), strides, offset);
  for (int64_t i = 0, n = out.elements(); i < n; ++i, walker.next())
    to[i] = from[walker.offset()];
}

/// A tensor of `shape` whose neighbours along each dimension are `strides`
/// elements of `input` apart, from `offset` on. All are inside.
static MaybeTensor copyBox(const Job &job, const Tensor &input,
                           ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                           int64_t offset = 0) {
  MaybeTensor out = job.allocate(shape);
  if (!out)
    return std::nullopt;
  switch (dtypeSize(input.dtype())) {
  case 1:
    copyBoxAs<uint8_t>(input, strides, offset, *out);
    break;
  case 2:
    copyBoxAs<uint16_t>(input, strides, offset, *out);
    break;
  case 4:
    copyBoxAs<uint32_t>(input, strides, offset, *out);
    break;
  default:
    copyBoxAs<uint64_t>(input, strides, offset, *out);
    break;
  }
  return out;
}

//===-- creation ----------------------------------------------------------===//

static MaybeTensor evaluateConstant(const Job &job, ElementsAttr value) {
  // A splat takes memory that nobody wrote down: ask for it first.
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat() &&
      !job.context.allocate(job.op, job.dtype(), job.type().getShape()))
    return std::nullopt;
  if (MaybeTensor tensor = readConstant(value, job.context.meter()))
    return tensor;
  return job.fail("a constant has its data in the program; this has none, or "
                  "of another size");
}

static MaybeTensor evaluateIota(const Job &job, flatir::IotaOp op) {
  auto shape = resultShape(job, 0);
  if (!shape)
    return std::nullopt;
  MaybeTensor out = job.allocate(*shape);
  if (!out)
    return std::nullopt;
  int64_t dim = op.getDim();
  int64_t inner = volumeOf(ArrayRef(*shape).drop_front(dim + 1)).value_or(0);
  int64_t count = (*shape)[dim];
  withElement(out->dtype(), [&](auto element) {
    using E = decltype(element);
    auto *data = E::at(out->mutableData());
    for (int64_t i = 0, n = out->elements(); i < n; ++i)
      data[i] = convertElement<E>(i / inner % count);
  });
  return out;
}

static MaybeTensor evaluateFromIndex(const Job &job) {
  MaybeTensor out = job.allocate({});
  if (!out)
    return std::nullopt;
  withElement(out->dtype(), [&](auto element) {
    using E = decltype(element);
    *E::at(out->mutableData()) =
        convertElement<E>(std::get<int64_t>(job.operands[0]));
  });
  return out;
}

//===-- movement ----------------------------------------------------------===//

static MaybeTensor evaluateBroadcast(const Job &job, flatir::BroadcastOp op) {
  auto shape = resultShape(job, 1);
  if (!shape)
    return std::nullopt;
  const Tensor &input = job.tensor(0);
  SmallVector<int64_t> strides(shape->size(), 0);
  for (auto [i, stride] : llvm::enumerate(rowMajorStrides(input.shape()))) {
    int64_t dim = op.getDims()[i], from = input.shape()[i], to = (*shape)[dim];
    if (from != 1 && from != to)
      return job.fail("size of operand dimension " + Twine(i) + " (" +
                      Twine(from) +
                      ") is not compatible with size of result dimension " +
                      Twine(dim) + " (" + Twine(to) + ")");
    strides[dim] = from == 1 ? 0 : stride;
  }
  return copyBox(job, input, *shape, strides);
}

static MaybeTensor evaluateReshape(const Job &job) {
  auto shape = resultShape(job, 1);
  if (!shape)
    return std::nullopt;
  const Tensor &input = job.tensor(0);
  if (volumeOf(*shape) != input.elements())
    return job.fail("the number of elements stays the same; found " +
                    text(input.shape()) + " and " + text(*shape));
  return input.withShape(*shape);
}

static MaybeTensor evaluateTranspose(const Job &job, flatir::TransposeOp op) {
  const Tensor &input = job.tensor(0);
  SmallVector<int64_t> from = rowMajorStrides(input.shape()), shape, strides;
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(input.shape()[dim]);
    strides.push_back(from[dim]);
  }
  return copyBox(job, input, shape, strides);
}

/// Whether all of offset, offset + stride, ... (count of them) are in
/// [0, size).
static bool isInside(int64_t offset, int64_t stride, int64_t count,
                     int64_t size) {
  if (count == 0)
    return true;
  std::optional<int64_t> span = checkedMul(count - 1, stride);
  std::optional<int64_t> last = span ? checkedAdd(offset, *span) : std::nullopt;
  return last && offset >= 0 && offset < size && *last >= 0 && *last < size;
}

static MaybeTensor evaluateSlice(const Job &job, flatir::SliceOp op) {
  auto shape = resultShape(job, 1 + op.getOffsets().size());
  if (!shape)
    return std::nullopt;
  const Tensor &input = job.tensor(0);
  bool empty = llvm::is_contained(*shape, 0);
  SmallVector<int64_t> strides = rowMajorStrides(input.shape());
  int64_t start = 0;
  unsigned next = 1;
  for (auto [i, offset] : llvm::enumerate(op.getStaticOffsets())) {
    int64_t at = ShapedType::isDynamic(offset)
                     ? std::get<int64_t>(job.operands[next++])
                     : offset;
    int64_t stride = op.getStrides()[i], size = input.shape()[i];
    if (!isInside(at, stride, (*shape)[i], size))
      return job.fail("all elements are inside the input; found offset " +
                      Twine(at) + ", stride " + Twine(stride) + " and size " +
                      Twine((*shape)[i]) + " in dimension " + Twine(i) +
                      " of size " + Twine(size));
    // Of no elements, the offsets and strides mean nothing.
    start = empty ? 0 : start + at * strides[i];
    strides[i] = empty || (*shape)[i] == 1 ? 0 : strides[i] * stride;
  }
  return copyBox(job, input, *shape, strides, start);
}

static MaybeTensor evaluateConcatenate(const Job &job,
                                       flatir::ConcatenateOp op) {
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape(job.tensor(0).shape());
  shape[dim] = 0;
  for (unsigned i = 0; i < job.operands.size(); ++i) {
    ArrayRef<int64_t> from = job.tensor(i).shape();
    for (int64_t d = 0; d < static_cast<int64_t>(from.size()); ++d)
      if (d != dim && from[d] != shape[d])
        return job.fail("all dimensions but " + Twine(dim) + " agree; found " +
                        text(job.tensor(0).shape()) + " and " + text(from));
    std::optional<int64_t> sum = checkedAdd(shape[dim], from[dim]);
    if (!sum)
      return job.fail("sizes are at most 2^63 - 1");
    shape[dim] = *sum;
  }
  MaybeTensor out = job.allocate(shape);
  if (!out)
    return std::nullopt;
  // Each input gives, for each index of the outer dimensions, one block.
  int64_t outer = volumeOf(ArrayRef(shape).take_front(dim)).value_or(0);
  char *to = static_cast<char *>(out->mutableData());
  for (int64_t i = 0, n = out->elements() ? outer : 0; i < n; ++i) {
    for (const Datum &operand : job.operands) {
      const Tensor &input = std::get<Tensor>(operand);
      size_t block = input.bytes() / outer;
      if (block)
        std::memcpy(to, static_cast<const char *>(input.data()) + i * block,
                    block);
      to += block;
    }
  }
  return out;
}

/// Positions in a dimension of `size` for the elements of an index tensor:
/// from the end when negative, then clamped.
static SmallVector<int64_t> positionsOf(const Tensor &index, int64_t size) {
  SmallVector<int64_t> positions;
  for (int64_t i = 0, n = index.elements(); i < n; ++i) {
    int64_t at = index.toInt(i);
    positions.push_back(
        std::clamp<int64_t>(at < 0 ? at + size : at, 0, size - 1));
  }
  return positions;
}

static MaybeTensor evaluateGather(const Job &job, flatir::GatherOp op) {
  const Tensor &input = job.tensor(0), &index = job.tensor(1);
  int64_t dim = op.getDim(), size = input.shape()[dim];
  SmallVector<int64_t> shape(input.shape().take_front(dim));
  llvm::append_range(shape, index.shape());
  llvm::append_range(shape, input.shape().drop_front(dim + 1));
  if (size == 0 && index.elements() > 0)
    return job.fail("the dimension is not empty, unless the index is; found " +
                    text(input.shape()) + " and " + text(index.shape()));
  MaybeTensor out = job.allocate(shape);
  if (!out || failed(job.context.spend(job.op, index.elements())))
    return std::nullopt;
  if (out->elements() == 0)
    return out;
  SmallVector<int64_t> positions = positionsOf(index, size);
  int64_t outer = volumeOf(input.shape().take_front(dim)).value_or(0);
  size_t slice = input.bytes() / (outer * size);
  const auto *from = static_cast<const char *>(input.data());
  auto *to = static_cast<char *>(out->mutableData());
  for (int64_t i = 0; i < outer; ++i, from += slice * size)
    for (int64_t position : positions) {
      std::memcpy(to, from + position * slice, slice);
      to += slice;
    }
  return out;
}

//===-- dispatch ----------------------------------------------------------===//

bool reference::isMovementOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isTensorType(constant.getType());
  return isa<flatir::ConstantOp, flatir::IotaOp, flatir::FromIndexOp,
             flatir::BroadcastOp, flatir::ReshapeOp, flatir::TransposeOp,
             flatir::SliceOp, flatir::ConcatenateOp, flatir::GatherOp>(op);
}

MaybeTensor reference::evaluateMovement(Context &context, Operation *op,
                                        ArrayRef<Datum> operands) {
  Job job{context, op, operands};
  return llvm::TypeSwitch<Operation *, MaybeTensor>(op)
      .Case([&](flatir::ConstantOp constant) {
        return evaluateConstant(job, constant.getValue());
      })
      .Case([&](arith::ConstantOp constant) {
        return evaluateConstant(job, cast<ElementsAttr>(constant.getValue()));
      })
      .Case([&](flatir::IotaOp iota) { return evaluateIota(job, iota); })
      .Case([&](flatir::FromIndexOp) { return evaluateFromIndex(job); })
      .Case([&](flatir::BroadcastOp broadcast) {
        return evaluateBroadcast(job, broadcast);
      })
      .Case([&](flatir::ReshapeOp) { return evaluateReshape(job); })
      .Case([&](flatir::TransposeOp transpose) {
        return evaluateTranspose(job, transpose);
      })
      .Case([&](flatir::SliceOp slice) { return evaluateSlice(job, slice); })
      .Case([&](flatir::ConcatenateOp concatenate) {
        return evaluateConcatenate(job, concatenate);
      })
      .Case(
          [&](flatir::GatherOp gather) { return evaluateGather(job, gather); });
}
