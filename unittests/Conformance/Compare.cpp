//===- Compare.cpp - Results against the reference ------------------------===//

#include "Compare.h"

#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace tripy;
using namespace tripy::conformance;

/// The bytes of an element as an integer, sign-extended.
static int64_t loadBits(DType dtype, const void *data, int64_t index) {
  size_t size = dtypeSize(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + index * size, size);
  unsigned unused = 64 - 8 * size;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// The number of a float among all of its type, in order of value; 0 and -0
/// are both 0.
static int64_t ordinal(DType dtype, const void *data, int64_t index) {
  int64_t bits = loadBits(dtype, data, index);
  int64_t magnitude = bits & (std::numeric_limits<int64_t>::max() >>
                              (64 - 8 * dtypeSize(dtype)));
  return bits < 0 ? -magnitude : magnitude;
}

/// |x - y|, which an int64_t may not hold.
static uint64_t distance(int64_t x, int64_t y) {
  return x < y ? uint64_t(y) - uint64_t(x) : uint64_t(x) - uint64_t(y);
}

static bool matches(DType dtype, const void *found, const void *expected,
                    int64_t i, const Tolerance &t) {
  if (loadBits(dtype, found, i) == loadBits(dtype, expected, i))
    return true;
  if (dtypeInfo(dtype).cls != DTypeClass::Float)
    return distance(loadBits(dtype, found, i), loadBits(dtype, expected, i)) <=
           static_cast<uint64_t>(t.absolute);
  double x = loadAsDouble(dtype, found, i);
  double y = loadAsDouble(dtype, expected, i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (t.ulp && distance(ordinal(dtype, found, i),
                        ordinal(dtype, expected, i)) <= uint64_t(t.ulp))
    return true;
  if (std::isinf(x) || std::isinf(y))
    return false;
  double bound = t.absolute + t.relative * std::fabs(y);
  return bound > 0 && std::fabs(x - y) <= bound;
}

static std::string print(DType dtype, const void *data, int64_t index) {
  if (dtypeInfo(dtype).cls != DTypeClass::Float)
    return std::to_string(loadBits(dtype, data, index));
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", loadAsDouble(dtype, data, index));
  return text;
}

Tolerance conformance::roundings(DType dtype, double wide) {
  switch (dtype) {
  case DType::F16:
    return {0, 8e-3, 8e-3};
  case DType::BF16:
    return {0, 6e-2, 6e-2};
  default:
    return {0, wide, wide};
  }
}

std::string conformance::compareElements(DType dtype, int64_t count,
                                         const void *found,
                                         const void *expected,
                                         const Tolerance &tolerance) {
  int64_t wrong = 0, first = 0;
  for (int64_t i = 0; i < count; ++i)
    if (!matches(dtype, found, expected, i, tolerance) && wrong++ == 0)
      first = i;
  if (!wrong)
    return "";
  return concat(wrong, " of ", count, " elements differ; element ", first,
                " is ", print(dtype, found, first), ", expected ",
                print(dtype, expected, first));
}
