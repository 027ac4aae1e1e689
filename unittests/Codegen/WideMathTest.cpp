//===- WideMathTest.cpp - Accuracy of the functions of f64 ----------------===//
//
// Compares with the C library's functions in long double, which has 64 bits of
// mantissa on x86-64. Prints the largest errors found: the source of
// docs/accuracy.md.
//
//===----------------------------------------------------------------------===//
#include "MathHarness.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace tripy::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// |got - want| in units of the last place of `want` as an f64; infinite when
/// NaN, an infinity or the sign of a zero is wrong.
double ulpError(double got, long double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : infinity;
  if (std::isinf(got) || std::isinf(want) || std::isinf(double(want)))
    return got == double(want) ? 0 : infinity;
  if (want == 0)
    return got == 0 && std::signbit(got) == std::signbit(want) ? 0 : infinity;
  // What underflows keeps its sign.
  if (std::signbit(got) != std::signbit(want))
    return infinity;
  int exponent = std::max(std::ilogb(want), -1022);
  return double(std::abs(got - want) / std::ldexp(1.0L, exponent - 52));
}

constexpr double specialInputs[] = {
    0.0, 1.0, 0.5, 2.0, NAN, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023,
    0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9, 0x1.74910d52d3051p9,
    0x1.921fb54442d18p0, 0x1.921fb54442d18p1,
    // The f64 closest to a multiple of pi/2.
    0x1.6ac5b262ca1ffp849, 0x1p53, 0x1p62, 22.0, 5.92, 0.92, INFINITY};

/// Inputs of all kinds: any bits, and numbers of moderate size.
std::vector<double> inputs() {
  std::vector<double> list;
  for (double x : specialInputs) {
    list.push_back(x);
    list.push_back(-x);
  }
  std::mt19937_64 random(1);
  uint64_t count = std::getenv("TRIPY_MATH_EXHAUSTIVE") ? 100'000'000 : 600'000;
  for (uint64_t i = 0; i < count; ++i) {
    double unit = double(int64_t(random())) * 0x1p-63;
    list.push_back(i % 3 == 0   ? std::bit_cast<double>(random())
                   : i % 3 == 1 ? unit * 8
                                : std::ldexp(unit, int(random() % 12)));
  }
  return list;
}

struct Case {
  const char *name;
  const char *body;
  long double (*reference)(long double);
  double bound;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class UnaryF64 : public testing::TestWithParam<Case> {};

TEST_P(UnaryF64, IsWithinItsBound) {
  const Case &c = GetParam();
  CompiledLoop compiled({c.body, "f64", "f64"}, /*fast16=*/false);
  std::vector<double> x = inputs(), got(x.size());
  compiled.loop(x.data(), x.data(), got.data(), x.size());
  double worst = 0, at = 0, value = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpError(got[i], c.reference(x[i]));
    if (!(error <= worst)) {
      worst = error;
      at = x[i];
      value = got[i];
    }
  }
  std::printf("  %s: largest error %.3f ULP at %a (%a)\n", c.name, worst, at,
              value);
  EXPECT_LE(worst, c.bound) << "at " << at << ": got " << value;
}

INSTANTIATE_TEST_SUITE_P(
    Math, UnaryF64,
    testing::Values(Case{"exp", "math.exp %x : f64", std::exp, 1},
                    Case{"exp2", "math.exp2 %x : f64", std::exp2, 1},
                    Case{"log", "math.log %x : f64", std::log, 1},
                    Case{"log2", "math.log2 %x : f64", std::log2, 1},
                    Case{"tanh", "math.tanh %x : f64", std::tanh, 1},
                    Case{"erf", "math.erf %x : f64", std::erf, 2},
                    Case{"sin", "math.sin %x : f64", std::sin, 1},
                    Case{"cos", "math.cos %x : f64", std::cos, 1},
                    Case{"tan", "math.tan %x : f64", std::tan, 3},
                    Case{"expm1", "math.expm1 %x : f64", std::expm1, 1},
                    Case{"log1p", "math.log1p %x : f64", std::log1p, 2},
                    Case{"log10", "math.log10 %x : f64", std::log10, 1},
                    Case{"cbrt", "math.cbrt %x : f64", std::cbrt, 1},
                    Case{"sinh", "math.sinh %x : f64", std::sinh, 1},
                    Case{"cosh", "math.cosh %x : f64", std::cosh, 1},
                    Case{"asinh", "math.asinh %x : f64", std::asinh, 2},
                    Case{"acosh", "math.acosh %x : f64", std::acosh, 2},
                    Case{"atanh", "math.atanh %x : f64", std::atanh, 2},
                    Case{"asin", "math.asin %x : f64", std::asin, 1},
                    Case{"acos", "math.acos %x : f64", std::acos, 1},
                    Case{"atan", "math.atan %x : f64", std::atan, 1},
                    Case{"rsqrt", "math.rsqrt %x : f64",
                         [](long double x) { return 1 / std::sqrt(x); }, 2},
                    // A correctly rounded result is half a unit off at most.
                    Case{"sqrt", "math.sqrt %x : f64", std::sqrt, 0.5},
                    Case{"floor", "math.floor %x : f64", std::floor, 0},
                    Case{"ceil", "math.ceil %x : f64", std::ceil, 0}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

namespace {
/// Pairs of all kinds: special values, any bits, and numbers of near and far
/// exponents.
void fillPairs(std::vector<double> &x, std::vector<double> &y) {
  for (double a : specialInputs)
    for (double b : specialInputs)
      for (int signs = 0; signs < 4; ++signs) {
        x.push_back(signs & 1 ? -a : a);
        y.push_back(signs & 2 ? -b : b);
      }
  std::mt19937_64 random(3);
  for (int i = 0; i < 400'000; ++i) {
    double a = double(int64_t(random())) * 0x1p-63;
    double b = double(int64_t(random())) * 0x1p-63;
    int near = int(random() % 2100) - 1060, apart = int(random() % 120) - 60;
    x.push_back(i % 4 == 0   ? std::bit_cast<double>(random())
                : i % 4 == 1 ? a
                             : std::ldexp(a, near));
    y.push_back(i % 4 == 0   ? std::bit_cast<double>(random())
                : i % 4 == 1 ? b
                             : std::ldexp(b, near + apart));
    // Multiples, and numbers beside them.
    if (i % 4 == 3)
      x.back() = y.back() * double(random() % 1000) *
                 (1 + double(random() % 3) * 0x1p-52);
  }
}

class BinaryF64
    : public testing::TestWithParam<
          std::tuple<const char *, const char *,
                     long double (*)(long double, long double), double>> {};
} // namespace

TEST_P(BinaryF64, IsWithinItsBound) {
  auto [name, body, reference, bound] = GetParam();
  CompiledLoop compiled({body, "f64", "f64"}, /*fast16=*/false);
  std::vector<double> x, y;
  fillPairs(x, y);
  std::vector<double> got(x.size());
  compiled.loop(x.data(), y.data(), got.data(), x.size());
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulpError(got[i], reference(x[i], y[i]));
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  std::printf("  %s: largest error %.3f ULP at %a, %a (%a)\n", name, worst,
              x[at], y[at], got[at]);
  EXPECT_LE(worst, bound) << "at " << x[at] << ", " << y[at] << ": got "
                          << got[at];
}

INSTANTIATE_TEST_SUITE_P(
    Math, BinaryF64,
    testing::Values(
        std::tuple(
            "atan2", "math.atan2 %x, %y : f64",
            static_cast<long double (*)(long double, long double)>(std::atan2),
            1.0),
        std::tuple(
            "remainder", "arith.remf %x, %y : f64",
            static_cast<long double (*)(long double, long double)>(std::fmod),
            0.0)),
    [](const auto &info) { return std::string(std::get<0>(info.param)); });

TEST(PowF64, IsWithinItsBound) {
  CompiledLoop compiled({"math.powf %x, %y : f64", "f64", "f64"}, false);
  std::vector<double> x, y;
  for (double a : specialInputs)
    for (double b : specialInputs)
      for (int signs = 0; signs < 4; ++signs) {
        x.push_back(signs & 1 ? -a : a);
        y.push_back(signs & 2 ? -b : b);
      }
  std::mt19937_64 random(2);
  for (int i = 0; i < 400'000; ++i) {
    double unit = double(int64_t(random())) * 0x1p-63;
    double a = std::ldexp(1 + std::abs(unit), int(random() % 600) - 300);
    if (i % 4 == 1)
      a = 1 + unit * 0x1p-20;
    // Results of all sizes.
    double result = double(int64_t(random())) * 0x1p-63 * 1080;
    double b = result / std::log2(a);
    x.push_back(i % 4 == 2   ? -a
                : i % 4 == 3 ? std::bit_cast<double>(random())
                             : a);
    y.push_back(i % 4 == 2 ? std::rint(b) : b);
  }
  std::vector<double> got(x.size());
  compiled.loop(x.data(), y.data(), got.data(), x.size());
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    long double want = std::pow((long double)(x[i]), (long double)(y[i]));
    double error = ulpError(got[i], want);
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  std::printf("  pow: largest error %.3f ULP at %a, %a (%a)\n", worst, x[at],
              y[at], got[at]);
  EXPECT_LE(worst, 1) << "at " << x[at] << ", " << y[at];
}

} // namespace
