//===- Sort.cpp - Evaluation of sorting -----------------------------------===//

#include "Context.h"
#include "Elements.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

/// Whether `x` comes before `y` in ascending order; NaN is the greatest.
template <typename T> static bool isLess(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(x) || std::isnan(y))
      return !std::isnan(x) && std::isnan(y);
  return x < y;
}

/// The first `count` positions of each row of `columns` elements.
static void sortRows(const Tensor &input, int64_t columns, int64_t count,
                     bool descending, Tensor &out) {
  withElement(input.dtype(), [&](auto element) {
    using E = decltype(element);
    const auto *data = E::at(input.data());
    auto *result = static_cast<int32_t *>(out.mutableData());
    SmallVector<int32_t> order(columns);
    for (int64_t row = 0, n = count ? out.elements() / count : 0; row < n;
         ++row, data += columns) {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int32_t i, int32_t j) {
        auto x = E::load(data[i]), y = E::load(data[j]);
        return descending ? isLess(y, x) : isLess(x, y);
      });
      result = std::copy_n(order.begin(), count, result);
    }
  });
}

std::optional<Tensor> reference::evaluateSort(Context &context, Operation *op,
                                              ArrayRef<Datum> operands) {
  auto sort = cast<flatir::SortOp>(op);
  const Tensor &input = std::get<Tensor>(operands[0]);
  SmallVector<int64_t> shape(input.shape());
  int64_t columns = shape.back();
  if (sort.getCount())
    shape.back() = static_cast<int64_t>(*sort.getCount());
  if (shape.back() > columns || columns > std::numeric_limits<int32_t>::max()) {
    (void)context.fail(op, "the last dimension has count elements, and at most "
                           "2^31 - 1; found " +
                               Twine(columns));
    return std::nullopt;
  }
  std::optional<Tensor> out = context.allocate(op, DType::I32, shape);
  // Every row is sorted whole.
  if (!out || failed(context.spend(op, input.elements())) ||
      failed(context.spend(op, out->elements())))
    return std::nullopt;
  sortRows(input, columns, shape.back(), sort.getDescending(), *out);
  return out;
}
