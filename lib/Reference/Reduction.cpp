//===- Reduction.cpp - Evaluation of reductions and contractions ----------===//
//
// Floats accumulate in double and are rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Elements.h"

#include "tripy/Base/Text.h"
#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;
using flatir::ReduceKind;
using scalar::ScalarFn;

bool reference::isReductionOp(Operation *op) {
  return isa<flatir::ReduceOp, flatir::ScanOp, flatir::DotOp>(op);
}

//===-- reduce ------------------------------------------------------------===//

static ScalarFn combinerOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return ScalarFn::Add;
  case ReduceKind::Prod:
    return ScalarFn::Mul;
  case ReduceKind::Max:
    return ScalarFn::Maximum;
  case ReduceKind::Min:
    return ScalarFn::Minimum;
  case ReduceKind::And:
    return ScalarFn::LogicalAnd;
  case ReduceKind::Or:
    return ScalarFn::LogicalOr;
  }
  llvm_unreachable("all kinds are covered");
}

/// What an empty reduction gives.
template <typename E> static typename E::Value identityOf(ReduceKind kind) {
  using Storage = typename E::Storage;
  constexpr bool isFloat = std::is_same_v<typename E::Value, double>;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
    return 0;
  case ReduceKind::Prod:
  case ReduceKind::And:
    return 1;
  case ReduceKind::Max:
    if constexpr (isFloat)
      return -std::numeric_limits<double>::infinity();
    else if constexpr (E::dtype == DType::I4)
      return -8;
    else
      return std::numeric_limits<Storage>::min();
  case ReduceKind::Min:
    if constexpr (isFloat)
      return std::numeric_limits<double>::infinity();
    else if constexpr (E::dtype == DType::I4)
      return 7;
    else
      return std::numeric_limits<Storage>::max();
  }
  llvm_unreachable("all kinds are covered");
}

namespace {
/// A choice of a tensor's dimensions, as a box of its own.
struct Box {
  SmallVector<int64_t> shape, strides;

  void add(const Tensor &tensor, ArrayRef<int64_t> all, int64_t dim) {
    shape.push_back(tensor.shape()[dim]);
    strides.push_back(all[dim]);
  }
  /// Of some dimensions of a tensor: only other dimensions of size 0 let it
  /// overflow, and then nothing is walked over.
  int64_t volume() const { return volumeOf(shape).value_or(0); }
};
} // namespace

static void applyReduce(ReduceKind kind, const Tensor &input, const Box &kept,
                        const Box &reduced, Tensor &out) {
  ScalarFn fn = combinerOf(kind);
  withElement(input.dtype(), [&](auto element) {
    using E = decltype(element);
    const auto *data = E::at(input.data());
    auto *result = E::at(out.mutableData());
    int64_t count = reduced.volume();
    BoxWalker outer(kept.shape, kept.strides);
    for (int64_t i = 0, n = out.elements(); i < n; ++i, outer.next()) {
      auto value = identityOf<E>(kind);
      BoxWalker inner(reduced.shape, reduced.strides, outer.offset());
      for (int64_t j = 0; j < count; ++j, inner.next())
        value = scalar::evaluateAs<typename E::Value>(
            fn, value, E::load(data[inner.offset()]), E::bits);
      result[i] = E::store(value);
    }
  });
}

static std::optional<Tensor>
evaluateReduce(Context &context, flatir::ReduceOp op, const Tensor &input) {
  SmallVector<int64_t> strides = rowMajorStrides(input.shape());
  Box kept, reduced;
  for (int64_t dim = 0; dim < input.rank(); ++dim)
    (llvm::is_contained(op.getDims(), dim) ? reduced : kept)
        .add(input, strides, dim);
  std::optional<Tensor> out = context.allocate(op, input.dtype(), kept.shape);
  if (!out || failed(context.spend(op, out->elements())) ||
      failed(context.spend(op, input.elements())))
    return std::nullopt;
  applyReduce(op.getKind(), input, kept, reduced, *out);
  return out;
}

//===-- scan --------------------------------------------------------------===//

static std::optional<Tensor> evaluateScan(Context &context, flatir::ScanOp op,
                                          const Tensor &input) {
  std::optional<Tensor> out =
      context.allocate(op, input.dtype(), input.shape());
  if (!out || failed(context.spend(op, out->elements())))
    return std::nullopt;
  int64_t dim = op.getDim(), length = input.shape()[dim];
  int64_t stride = rowMajorStrides(input.shape())[dim];
  withElement(input.dtype(), [&](auto element) {
    using E = decltype(element);
    using Value = typename E::Value;
    const auto *data = E::at(input.data());
    auto *result = E::at(out->mutableData());
    for (int64_t i = 0, n = out->elements(); i < n; ++i) {
      if (i / stride % length != 0)
        continue;
      auto sum = Value(0);
      for (int64_t j = 0; j < length; ++j) {
        sum = scalar::evaluateAs<Value>(ScalarFn::Add, sum,
                                        E::load(data[i + j * stride]), E::bits);
        result[i + j * stride] = E::store(sum);
      }
    }
  });
  return out;
}

//===-- dot ---------------------------------------------------------------===//

namespace {
/// The sizes of a contraction: `batch` products of rows x inner and inner x
/// columns.
struct DotSizes {
  int64_t batch = 1, rows = 1, columns = 1, inner = 1;
};
} // namespace

/// The elements of `input` in the order of `box`, as double or int64_t.
template <typename Value>
static void pack(const Tensor &input, const Box &box, void *out) {
  withElement(input.dtype(), [&](auto element) {
    using E = decltype(element);
    const auto *data = E::at(input.data());
    auto *to = static_cast<Value *>(out);
    BoxWalker walker(box.shape, box.strides);
    for (int64_t i = 0, n = input.elements(); i < n; ++i, walker.next())
      to[i] = static_cast<Value>(E::load(data[walker.offset()]));
  });
}

/// sums += a scaled row: the inner loop of everything below.
static void accumulate(double *sums, double a, const double *row, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    sums[j] += a * row[j];
}
static void accumulate(int64_t *sums, int64_t a, const int64_t *row,
                       int64_t n) {
  // Unsigned arithmetic wraps.
  for (int64_t j = 0; j < n; ++j)
    sums[j] = static_cast<int64_t>(static_cast<uint64_t>(sums[j]) +
                                   static_cast<uint64_t>(a) *
                                       static_cast<uint64_t>(row[j]));
}

/// One product of packed matrices. Some rows at a time share each pass over
/// the right one.
template <typename To, typename Value>
static void multiply(const Value *lhs, const Value *rhs, const DotSizes &sizes,
                     typename To::Storage *out) {
  constexpr int64_t rowsAtOnce = 8;
  SmallVector<Value> sums(rowsAtOnce * sizes.columns);
  for (int64_t row = 0; row < sizes.rows; row += rowsAtOnce) {
    int64_t rows = std::min(rowsAtOnce, sizes.rows - row);
    llvm::fill(sums, Value(0));
    for (int64_t k = 0; k < sizes.inner; ++k)
      for (int64_t r = 0; r < rows; ++r)
        accumulate(sums.data() + r * sizes.columns,
                   lhs[(row + r) * sizes.inner + k], rhs + k * sizes.columns,
                   sizes.columns);
    for (int64_t i = 0; i < rows * sizes.columns; ++i)
      out[row * sizes.columns + i] = To::store(sums[i]);
  }
}

template <typename To>
static void multiplyAll(const Tensor &lhs, const Tensor &rhs,
                        const DotSizes &sizes, Tensor &out) {
  using Value = typename To::Value;
  for (int64_t b = 0; b < sizes.batch; ++b)
    multiply<To, Value>(
        static_cast<const Value *>(lhs.data()) + b * sizes.rows * sizes.inner,
        static_cast<const Value *>(rhs.data()) +
            b * sizes.inner * sizes.columns,
        sizes, To::at(out.mutableData()) + b * sizes.rows * sizes.columns);
}

static std::optional<Tensor> packed(Context &context, Operation *op,
                                    const Tensor &input, const Box &box) {
  bool isInt = dtypeInfo(input.dtype()).cls == DTypeClass::Int;
  std::optional<Tensor> out =
      context.allocate(op, isInt ? DType::I64 : DType::F64, box.shape);
  if (!out)
    return std::nullopt;
  if (isInt)
    pack<int64_t>(input, box, out->mutableData());
  else
    pack<double>(input, box, out->mutableData());
  return out;
}

/// Adds dimensions to a box; returns their volume.
static int64_t addDims(Box &box, const Tensor &tensor,
                       ArrayRef<int64_t> strides, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims) {
    box.add(tensor, strides, dim);
    sizes.push_back(tensor.shape()[dim]);
  }
  // As in Box::volume(): too large only for a tensor of no elements.
  return volumeOf(sizes).value_or(0);
}

static LogicalResult checkPairs(Context &context, flatir::DotOp op,
                                const Tensor &lhs, const Tensor &rhs) {
  auto agree = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    return llvm::all_of(llvm::zip(left, right), [&](auto pair) {
      return lhs.shape()[std::get<0>(pair)] == rhs.shape()[std::get<1>(pair)];
    });
  };
  if (agree(op.getLhsBatch(), op.getRhsBatch()) &&
      agree(op.getLhsContract(), op.getRhsContract()))
    return success();
  auto text = [](const Tensor &tensor) {
    return formatSizes({tensor.shape().data(), tensor.shape().size()});
  };
  return context.fail(op, "paired dimensions agree; found " + text(lhs) +
                              " and " + text(rhs));
}

static std::optional<Tensor> evaluateDot(Context &context, flatir::DotOp op,
                                         const Tensor &lhs, const Tensor &rhs) {
  if (failed(checkPairs(context, op, lhs, rhs)))
    return std::nullopt;
  auto lhsFree =
      flatir::freeDims(lhs.rank(), op.getLhsBatch(), op.getLhsContract());
  auto rhsFree =
      flatir::freeDims(rhs.rank(), op.getRhsBatch(), op.getRhsContract());
  SmallVector<int64_t> lhsStrides = rowMajorStrides(lhs.shape());
  SmallVector<int64_t> rhsStrides = rowMajorStrides(rhs.shape());
  Box left, right;
  DotSizes sizes;
  sizes.batch = addDims(left, lhs, lhsStrides, op.getLhsBatch());
  sizes.rows = addDims(left, lhs, lhsStrides, lhsFree);
  sizes.inner = addDims(left, lhs, lhsStrides, op.getLhsContract());
  addDims(right, rhs, rhsStrides, op.getRhsBatch());
  addDims(right, rhs, rhsStrides, op.getRhsContract());
  sizes.columns = addDims(right, rhs, rhsStrides, rhsFree);

  SmallVector<int64_t> shape;
  for (int64_t dim : llvm::concat<const int64_t>(op.getLhsBatch(), lhsFree))
    shape.push_back(lhs.shape()[dim]);
  for (int64_t dim : rhsFree)
    shape.push_back(rhs.shape()[dim]);
  DType dtype = *dtypeOf(elementTypeOf(op.getResult()));
  std::optional<Tensor> out = context.allocate(op, dtype, shape);
  if (!out || failed(context.spend(
                  op, saturatingMul(out->elements(),
                                    std::max<int64_t>(sizes.inner, 1)))))
    return std::nullopt;
  // Without elements the volumes above need not be exact: leave before use.
  if (out->elements() == 0)
    return out;
  auto a = packed(context, op, lhs, left), b = packed(context, op, rhs, right);
  if (!a || !b)
    return std::nullopt;
  withElement(dtype, [&](auto element) {
    using E = decltype(element);
    if constexpr (!std::is_same_v<typename E::Value, bool>)
      multiplyAll<E>(*a, *b, sizes, *out);
  });
  return out;
}

std::optional<Tensor> reference::evaluateReduction(Context &context,
                                                   Operation *op,
                                                   ArrayRef<Datum> operands) {
  const Tensor &first = std::get<Tensor>(operands[0]);
  if (auto reduce = dyn_cast<flatir::ReduceOp>(op))
    return evaluateReduce(context, reduce, first);
  if (auto scan = dyn_cast<flatir::ScanOp>(op))
    return evaluateScan(context, scan, first);
  return evaluateDot(context, cast<flatir::DotOp>(op), first,
                     std::get<Tensor>(operands[1]));
}
