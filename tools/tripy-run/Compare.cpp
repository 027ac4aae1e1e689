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

/// |a - b|.
static double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b))
    return 0;
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::infinity();
  return a == b ? 0 : std::fabs(a - b);
}

/// How far `a` is beyond the tolerance around `b`; 0 or less when within.
static double excess(double a, double b, double rtol, double atol) {
  double error = distance(a, b);
  // An infinite `b` would allow everything.
  return std::isinf(error) || error == 0 ? error
                                         : error - (atol + rtol * std::fabs(b));
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

/// The error of element `i`. 64-bit integers differ even where their doubles do
/// not.
static double errorAt(const TensorView &a, const TensorView &b, uint64_t i) {
  if (a.dtype == DType::I64 && b.dtype == DType::I64) {
    int64_t x = static_cast<const int64_t *>(a.data)[i];
    int64_t y = static_cast<const int64_t *>(b.data)[i];
    return double(x < y ? uint64_t(y) - uint64_t(x)
                        : uint64_t(x) - uint64_t(y));
  }
  return distance(loadAsDouble(a.dtype, a.data, i),
                  loadAsDouble(b.dtype, b.data, i));
}

std::string run::describeShapes(std::string_view name, const Shape &found,
                                const Shape &wanted) {
  return concat("output '", name, "' must have the reference's shape ",
                wanted.str(), ", but has ", found.str());
}

/// "(0, 1): 102 instead of 102.5".
static std::string describeElement(const TensorView &found,
                                   const TensorView &wanted, uint64_t i) {
  return concat(position(found.shape, i), ": ",
                number(loadAsDouble(found.dtype, found.data, i)),
                " instead of ",
                number(loadAsDouble(wanted.dtype, wanted.data, i)));
}

Comparison run::compareTensors(std::string_view name, const TensorView &found,
                               const TensorView &wanted, double rtol,
                               double atol) {
  Comparison result;
  if (!(found.shape == wanted.shape)) {
    result.text = describeShapes(name, found.shape, wanted.shape);
    return result;
  }
  result.elements = found.shape.elements().value_or(0);
  uint64_t worst = 0, largest = 0;
  double worstExcess = -1;
  for (uint64_t i = 0; i < result.elements; ++i) {
    double error = errorAt(found, wanted, i);
    if (error > result.largestError) {
      result.largestError = error;
      largest = i;
    }
    double over =
        excess(loadAsDouble(found.dtype, found.data, i),
               loadAsDouble(wanted.dtype, wanted.data, i), rtol, atol);
    bool exact = rtol == 0 && atol == 0 && error > 0;
    if (over <= 0 && !exact)
      continue;
    ++result.different;
    if (over > worstExcess) {
      worstExcess = over;
      worst = i;
    }
  }
  result.matches = result.different == 0;
  std::string tolerance = concat("within atol ", number(atol), " + rtol ",
                                 number(rtol), " of the reference");
  if (!result.matches)
    result.text = concat("output '", name, "' must be ", tolerance, ", but ",
                         result.different, " of ", result.elements,
                         " elements differ; the worst is at ",
                         describeElement(found, wanted, worst), ", off by ",
                         number(errorAt(found, wanted, worst)));
  else if (result.largestError == 0)
    result.text = concat("output '", name, "' equals the reference in all ",
                         result.elements, " elements");
  else
    result.text =
        concat("output '", name, "' is ", tolerance, "; the largest error of ",
               result.elements, " elements is ", number(result.largestError),
               " at ", describeElement(found, wanted, largest));
  return result;
}

void run::writeComparison(Json &json, std::string_view name,
                          const Comparison &comparison) {
  json.beginObject().key("output").text(name);
  json.key("matches").boolean(comparison.matches);
  json.key("elements").number(comparison.elements);
  json.key("different").number(comparison.different);
  json.key("largest_error").number(comparison.largestError);
  json.key("text").text(comparison.text).endObject();
}
