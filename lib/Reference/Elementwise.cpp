//===- Elementwise.cpp - Evaluation of element-wise operations ------------===//

#include "Context.h"
#include "Elements.h"

#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;
using scalar::ScalarFn;

static std::optional<ScalarFn> rowOf(Operation *op) {
  if (!isa_and_nonnull<flatir::FlatIRDialect>(op->getDialect()))
    return std::nullopt;
  return scalar::lookupScalarFn(op->getName().stripDialect());
}

bool reference::isElementwiseOp(Operation *op) {
  return isa<flatir::CompareOp, flatir::SelectOp, flatir::ConvertOp>(op) ||
         rowOf(op).has_value();
}

static void applyRow(ScalarFn fn, const Tensor &x, const Tensor &y,
                     Tensor &out) {
  withElement(x.dtype(), [&](auto element) {
    using E = decltype(element);
    const auto *left = E::at(x.data()), *right = E::at(y.data());
    auto *result = E::at(out.mutableData());
    for (int64_t i = 0, n = x.elements(); i < n; ++i)
      result[i] = E::store(scalar::evaluateAs<typename E::Value>(
          fn, E::load(left[i]), E::load(right[i]), E::bits));
  });
}

static void applyCompare(scalar::ComparisonFn fn, const Tensor &x,
                         const Tensor &y, Tensor &out) {
  withElement(x.dtype(), [&](auto element) {
    using E = decltype(element);
    // i1 compares as 0 and 1.
    using Value = std::conditional_t<std::is_same_v<typename E::Value, bool>,
                                     int64_t, typename E::Value>;
    const auto *left = E::at(x.data()), *right = E::at(y.data());
    auto *result = static_cast<uint8_t *>(out.mutableData());
    for (int64_t i = 0, n = x.elements(); i < n; ++i)
      result[i] = scalar::evaluate(fn, Value(E::load(left[i])),
                                   Value(E::load(right[i])));
  });
}

static void applySelect(const Tensor &condition, const Tensor &x,
                        const Tensor &y, Tensor &out) {
  const auto *choice = static_cast<const uint8_t *>(condition.data());
  withElement(x.dtype(), [&](auto element) {
    using E = decltype(element);
    const auto *left = E::at(x.data()), *right = E::at(y.data());
    auto *result = E::at(out.mutableData());
    for (int64_t i = 0, n = x.elements(); i < n; ++i)
      result[i] = choice[i] ? left[i] : right[i];
  });
}

static void applyConvert(const Tensor &x, Tensor &out) {
  withElement(x.dtype(), [&](auto from) {
    withElement(out.dtype(), [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const auto *input = From::at(x.data());
      auto *result = To::at(out.mutableData());
      for (int64_t i = 0, n = x.elements(); i < n; ++i)
        result[i] = convertElement<To>(From::load(input[i]));
    });
  });
}

std::optional<Tensor> reference::evaluateElementwise(Context &context,
                                                     Operation *op,
                                                     ArrayRef<Datum> operands) {
  SmallVector<Tensor, 3> inputs;
  for (const Datum &operand : operands) {
    inputs.push_back(std::get<Tensor>(operand));
    if (inputs.back().shape() == inputs.front().shape())
      continue;
    (void)context.fail(op, "operands have equal shapes; they differ");
    return std::nullopt;
  }
  DType dtype = *dtypeOf(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  std::optional<Tensor> out =
      context.allocate(op, dtype, inputs.front().shape());
  if (!out || failed(context.spend(op, out->elements())))
    return std::nullopt;
  if (auto compare = dyn_cast<flatir::CompareOp>(op))
    applyCompare(static_cast<scalar::ComparisonFn>(compare.getDirection()),
                 inputs[0], inputs[1], *out);
  else if (isa<flatir::SelectOp>(op))
    applySelect(inputs[0], inputs[1], inputs[2], *out);
  else if (isa<flatir::ConvertOp>(op))
    applyConvert(inputs[0], *out);
  else
    applyRow(*rowOf(op), inputs.front(), inputs.back(), *out);
  return out;
}
