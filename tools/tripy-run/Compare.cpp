//===- Compare.cpp - An output against its reference ----------------------===//

#include "Compare.h"
#include "tripy/Base/Float.h"
#include "tripy/Base/Text.h"

#include <cmath>
#include <cstdio>
#include <limits>

using namespace tripy;
using namespace tripy::run;
using runtime::Shape;
using runtime::TensorView;

static std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// How far `a` is beyond the tolerance around `b`; 0 or less when within.
static double excess(double a, double b, double rtol, double atol) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b)
               ? 0
               : std::numeric_limits<double>::infinity();
  if (a == b)
    return 0;
  if (std::isinf(a) || std::isinf(b))
    return std::numeric_limits<double>::infinity();
  return std::fabs(a - b) - (atol + rtol * std::fabs(b));
}

/// "(1, 2)" of element `index`.
static std::string position(const Shape &shape, uint64_t index) {
  Shape place = shape;
  for (uint32_t dim = shape.rank(); dim-- > 0;) {
    place[dim] = int64_t(index % uint64_t(shape[dim]));
    index /= uint64_t(shape[dim]);
  }
  return place.str();
}

/// 64-bit integers differ even where their doubles do not.
static bool integersDiffer(const TensorView &a, const TensorView &b,
                           uint64_t i) {
  return a.dtype == DType::I64 && b.dtype == DType::I64 &&
         static_cast<const int64_t *>(a.data)[i] !=
             static_cast<const int64_t *>(b.data)[i];
}

std::string run::describeShapes(std::string_view name, const Shape &found,
                                const Shape &wanted) {
  return concat("output '", name, "' must have the reference's shape ",
                wanted.str(), ", but has ", found.str());
}

std::string run::compareTensors(std::string_view name, const TensorView &found,
                                const TensorView &wanted, double rtol,
                                double atol) {
  if (!(found.shape == wanted.shape))
    return describeShapes(name, found.shape, wanted.shape);
  uint64_t count = found.shape.elements().value_or(0);
  uint64_t different = 0, worst = 0;
  double worstExcess = -1;
  for (uint64_t i = 0; i < count; ++i) {
    double over =
        excess(loadAsDouble(found.dtype, found.data, i),
               loadAsDouble(wanted.dtype, wanted.data, i), rtol, atol);
    bool exact = rtol == 0 && atol == 0 && integersDiffer(found, wanted, i);
    if (over <= 0 && !exact)
      continue;
    ++different;
    if (over > worstExcess) {
      worstExcess = over;
      worst = i;
    }
  }
  if (different == 0)
    return "";
  double a = loadAsDouble(found.dtype, found.data, worst);
  double b = loadAsDouble(wanted.dtype, wanted.data, worst);
  return concat("output '", name, "' must be within atol ", number(atol),
                " + rtol ", number(rtol), " of the reference, but ", different,
                " of ", count, " elements differ; the worst is at ",
                position(found.shape, worst), ": ", number(a), " instead of ",
                number(b), ", off by ", number(std::fabs(a - b)));
}
