//===- TensorPrinter.cpp - Tensors as text --------------------------------===//

#include "tripy/Runtime/IO/TensorPrinter.h"

#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace tripy;
using namespace tripy::io;
using runtime::Shape;
using runtime::TensorView;

namespace {

constexpr uint64_t summaryThreshold = 40;
constexpr int64_t edgeItems = 3, rowItems = 10;

class Printer {
public:
  explicit Printer(const TensorView &tensor) : tensor(tensor) {
    // Empty dimensions count as one: a tensor without elements can still have
    // any number of rows to show.
    uint64_t shown = 1;
    for (int64_t size : tensor.shape.sizes())
      if (size > 1 && __builtin_mul_overflow(shown, uint64_t(size), &shown))
        shown = UINT64_MAX;
    summarize = shown > summaryThreshold;
    uint64_t step = 1;
    for (uint32_t dim = tensor.shape.rank(); dim-- > 0;) {
      stride[dim] = step;
      step *= static_cast<uint64_t>(tensor.shape[dim]);
    }
  }

  std::string print() {
    if (tensor.shape.rank() == 0)
      element(0);
    else
      dimension(0, 0);
    return std::move(out);
  }

private:
  /// Appends one element.
  void element(uint64_t index);
  /// Appends everything below `dim`, starting at element `base`.
  void dimension(uint32_t dim, uint64_t base);
  /// Whether `dim` is shown with "..." in place of its middle.
  bool isCut(uint32_t dim) const {
    return summarize && tensor.shape[dim] > 2 * edgeItems;
  }

  const TensorView &tensor;
  bool summarize = false;
  std::array<uint64_t, runtime::maxRank> stride = {};
  std::string out;
};

/// The integer of `size` bytes at `from`, which need not be aligned.
int64_t loadInteger(const uint8_t *from, size_t size, bool isSigned) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  if (isSigned && size < 8 && (bits >> (8 * size - 1)))
    bits |= ~uint64_t(0) << (8 * size);
  return static_cast<int64_t>(bits);
}

} // namespace

void Printer::element(uint64_t index) {
  const DTypeInfo &info = dtypeInfo(tensor.dtype);
  if (isPacked(tensor.dtype)) {
    auto bytes = static_cast<const uint8_t *>(tensor.data);
    out += std::to_string(unpackI4(bytes[index / 2], index % 2));
    return;
  }
  // Copied: tensors of mapped files need not be aligned.
  alignas(8) uint8_t value[8] = {};
  std::memcpy(value,
              static_cast<const uint8_t *>(tensor.data) + index * info.size,
              info.size);
  if (info.cls == DTypeClass::Bool) {
    out += value[0] ? "True" : "False";
    return;
  }
  if (info.cls == DTypeClass::Int) {
    out += std::to_string(loadInteger(value, info.size, !info.isUnsigned()));
    return;
  }
  double number = loadAsDouble(tensor.dtype, value, 0);
  if (std::isnan(number)) {
    // Without the sign that printf would show.
    out += "nan";
    return;
  }
  char buffer[336];
  std::snprintf(buffer, sizeof(buffer), "%.4f", number);
  out += buffer;
}

void Printer::dimension(uint32_t dim, uint64_t base) {
  bool innermost = dim + 1 == tensor.shape.rank();
  int64_t size = tensor.shape[dim];
  bool cut = isCut(dim);
  uint32_t newlines = innermost ? 1 : tensor.shape.rank() - dim - 1;
  out += '[';
  int64_t printed = 0;
  for (int64_t i = 0; i < size; ++i, ++printed) {
    bool wrap = !innermost || (!cut && printed % rowItems == 0);
    if (printed > 0 && wrap) {
      out += ',';
      out.append(newlines, '\n');
      out.append(dim + 1, ' ');
    } else if (printed > 0) {
      out += ", ";
    }
    if (cut && i == edgeItems) {
      out += "...";
      i = size - edgeItems - 1;
    } else if (innermost) {
      element(base + static_cast<uint64_t>(i) * stride[dim]);
    } else {
      dimension(dim + 1, base + static_cast<uint64_t>(i) * stride[dim]);
    }
  }
  out += ']';
}

std::string io::formatElements(const TensorView &tensor) {
  return Printer(tensor).print();
}

std::string io::formatLocation(DeviceKind device, int32_t ordinal) {
  return concat(device == DeviceKind::CUDA ? "gpu:" : "cpu:", ordinal);
}

std::string io::formatTensor(const TensorView &tensor,
                             std::string_view location) {
  std::string data = formatElements(tensor);
  std::string metadata =
      concat("dtype=", dtypeName(tensor.dtype), ", loc=", location,
             ", shape=", tensor.shape.str());
  bool tall = false;
  for (int64_t size : tensor.shape.sizes())
    tall |= tensor.shape.rank() > 1 && size > 1;
  if (!tall)
    return concat("tensor(", data, ", ", metadata, ")");
  std::string out = "tensor(";
  size_t at = 0;
  while (at <= data.size()) {
    size_t end = std::min(data.find('\n', at), data.size());
    // Blank lines stay blank.
    out += end > at ? "\n    " : "\n";
    out.append(data, at, end - at);
    at = end + 1;
  }
  return concat(out, ", \n    ", metadata, ")");
}
