//===- MathTest.cpp - Accuracy of the expanded math functions -------------===//
//
// Compares with the C library's functions in f64. By default about 2^22 inputs
// of each function; with TRIPY_MATH_EXHAUSTIVE=1 in the environment, all 2^32.
// Prints the largest error found: the source of docs/accuracy.md.
//
//===----------------------------------------------------------------------===//
#include "MathErrors.h"
#include "MathHarness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace tripy::test;

namespace {

bool exhaustive() { return std::getenv("TRIPY_MATH_EXHAUSTIVE") != nullptr; }

struct Case {
  const char *name;
  const char *body;
  double (*reference)(double);
  double bound;
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class UnaryF32 : public testing::TestWithParam<Case> {};

TEST_P(UnaryF32, IsWithinItsBound) {
  const Case &c = GetParam();
  CompiledLoop compiled({c.body, "f32", "f32"}, /*fast16=*/false);
  constexpr size_t batch = 1 << 16;
  std::vector<float> x, got(batch);
  Worst worst;
  auto flush = [&] {
    compiled.loop(x.data(), x.data(), got.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i)
      worst.see(ulpError(got[i], c.reference(x[i]), f32Format), x[i], 0,
                got[i]);
    x.clear();
  };
  x.assign(std::begin(specialInputs), std::end(specialInputs));
  flush();
  const uint64_t step = exhaustive() ? 1 : 1021;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += step) {
    x.push_back(std::bit_cast<float>(uint32_t(bits)));
    if (x.size() == batch)
      flush();
  }
  flush();
  std::printf("  %s: largest error %.3f ULP at %a (%a)\n", c.name, worst.error,
              worst.x, worst.got);
  EXPECT_LE(worst.error, c.bound) << "at " << worst.x << ": got " << worst.got;
}

double rsqrt(double x) { return 1.0 / std::sqrt(x); }
double exp_(double x) { return std::exp(x); }
double exp2_(double x) { return std::exp2(x); }
double log_(double x) { return std::log(x); }
double log2_(double x) { return std::log2(x); }
double tanh_(double x) { return std::tanh(x); }
double erf_(double x) { return std::erf(x); }
double sin_(double x) { return std::sin(x); }
double cos_(double x) { return std::cos(x); }
double tan_(double x) { return std::tan(x); }
double sqrt_(double x) { return std::sqrt(x); }
double floor_(double x) { return std::floor(x); }
double ceil_(double x) { return std::ceil(x); }

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Math, UnaryF32,
    testing::Values(Case{"exp", "math.exp %x : f32", exp_, 2},
                    Case{"exp2", "math.exp2 %x : f32", exp2_, 2},
                    Case{"log", "math.log %x : f32", log_, 2},
                    Case{"log2", "math.log2 %x : f32", log2_, 2},
                    Case{"tanh", "math.tanh %x : f32", tanh_, 2},
                    Case{"erf", "math.erf %x : f32", erf_, 2},
                    Case{"sin", "math.sin %x : f32", sin_, 2},
                    Case{"cos", "math.cos %x : f32", cos_, 2},
                    Case{"tan", "math.tan %x : f32", tan_, 4},
                    Case{"rsqrt", "math.rsqrt %x : f32", rsqrt, 2},
                    // A correctly rounded result is half a unit off at most.
                    Case{"sqrt", "math.sqrt %x : f32", sqrt_, 0.5},
                    Case{"floor", "math.floor %x : f32", floor_, 0},
                    Case{"ceil", "math.ceil %x : f32", ceil_, 0}),
    nameOf);

//===-- pow ---------------------------------------------------------------===//

/// Pairs of all kinds: any bits; results spread over the range of f32; negative
/// numbers to integers; numbers near 1.
std::pair<float, float> randomPair(std::mt19937_64 &random, uint64_t i) {
  uint64_t bits = random();
  float x = std::bit_cast<float>(uint32_t(bits));
  float y = std::bit_cast<float>(uint32_t(bits >> 32));
  if (i % 4 == 0)
    return {x, y};
  uint32_t exponent = 100 + uint32_t(bits >> 40) % 56;
  x = std::bit_cast<float>((uint32_t(bits) & 0x7fffff) | exponent << 23);
  if (i % 4 == 3)
    x = 1.0f + float(int64_t(bits) >> 40) * 0x1p-30f;
  double result = double(int64_t(random())) * 0x1p-63 * 152;
  y = float(result / std::log2(double(x)));
  if (i % 4 == 2)
    return {-x, std::rint(y)};
  return {x, y};
}

TEST(PowF32, IsWithinItsBound) {
  CompiledLoop compiled({"math.powf %x, %y : f32", "f32", "f32"}, false);
  constexpr size_t batch = 1 << 16;
  std::vector<float> x(batch), y(batch), got(batch);
  std::mt19937_64 random(1);
  Worst worst;
  uint64_t count = exhaustive() ? 1'000'000'000 : 1 << 22;
  for (uint64_t i = 0; i < count; i += batch) {
    for (size_t j = 0; j < batch; ++j)
      std::tie(x[j], y[j]) = randomPair(random, j);
    compiled.loop(x.data(), y.data(), got.data(), batch);
    for (size_t j = 0; j < batch; ++j)
      worst.see(
          ulpError(got[j], std::pow(double(x[j]), double(y[j])), f32Format),
          x[j], y[j], got[j]);
  }
  std::printf("  pow: largest error %.3f ULP at %a, %a (%a)\n", worst.error,
              worst.x, worst.y, worst.got);
  EXPECT_LE(worst.error, 4) << "at " << worst.x << ", " << worst.y;
}

TEST(PowF32, HasTheSpecialCasesOfC99) {
  CompiledLoop compiled({"math.powf %x, %y : f32", "f32", "f32"}, false);
  std::vector<float> values(std::begin(specialInputs), std::end(specialInputs));
  for (float v :
       {3.0f, 1.5f, 2.5f, 8388607.0f, 8388607.5f, 8388609.0f, 16777215.0f,
        16777216.0f, 33554434.0f, 0x1.fffffep-1f, 0x1.000002p0f, 1.0f / 3}) {
    values.push_back(v);
    values.push_back(-v);
  }
  for (float x : values)
    for (float y : values) {
      float got;
      compiled.loop(&x, &y, &got, 1);
      EXPECT_LE(ulpError(got, std::pow(double(x), double(y)), f32Format), 4)
          << x << " to " << y << " gave " << got;
    }
}

//===-- 16-bit types
//--------------------------------------------------------===//

class Unary16 : public testing::TestWithParam<Case> {};

TEST_P(Unary16, IsWithinOneUlpForEveryInput) {
  const Case &c = GetParam();
  for (bool brain : {false, true}) {
    std::string type = brain ? "bf16" : "f16";
    std::string body = std::string(c.body) + type;
    CompiledLoop compiled({body, type, type}, /*fast16=*/true);
    std::vector<uint16_t> x(1 << 16), got(1 << 16);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint16_t(i);
    compiled.loop(x.data(), x.data(), got.data(), x.size());
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i) {
      double in = decode(x[i], brain), out = decode(got[i], brain);
      worst.see(ulpError(out, c.reference(in), brain ? bf16Format : f16Format),
                float(in), 0, float(out));
    }
    std::printf("  %s %s: largest error %.3f ULP at %a (%a)\n", c.name,
                type.c_str(), worst.error, worst.x, worst.got);
    EXPECT_LE(worst.error, c.bound)
        << type << " at " << worst.x << ": got " << worst.got;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Math, Unary16,
    testing::Values(Case{"exp", "math.exp %x : ", exp_, 1},
                    Case{"exp2", "math.exp2 %x : ", exp2_, 1},
                    Case{"log", "math.log %x : ", log_, 1},
                    Case{"log2", "math.log2 %x : ", log2_, 1},
                    Case{"tanh", "math.tanh %x : ", tanh_, 1},
                    Case{"erf", "math.erf %x : ", erf_, 1},
                    Case{"sin", "math.sin %x : ", sin_, 1},
                    Case{"cos", "math.cos %x : ", cos_, 1},
                    Case{"tan", "math.tan %x : ", tan_, 1},
                    Case{"rsqrt", "math.rsqrt %x : ", rsqrt, 1},
                    Case{"sqrt", "math.sqrt %x : ", sqrt_, 0.501},
                    Case{"floor", "math.floor %x : ", floor_, 0.5}),
    nameOf);

TEST(Pow16, IsWithinOneUlp) {
  constexpr size_t count = 1 << 20;
  std::mt19937_64 random(4);
  for (bool brain : {false, true}) {
    std::string type = brain ? "bf16" : "f16";
    CompiledLoop compiled({"math.powf %x, %y : " + type, type, type}, true);
    std::vector<uint16_t> x(count), y(count), got(count);
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = random();
      x[i] = uint16_t(bits);
      y[i] = uint16_t(bits >> 16);
    }
    compiled.loop(x.data(), y.data(), got.data(), count);
    Worst worst;
    for (size_t i = 0; i < count; ++i) {
      double a = decode(x[i], brain), b = decode(y[i], brain);
      double out = decode(got[i], brain);
      worst.see(ulpError(out, std::pow(a, b), brain ? bf16Format : f16Format),
                float(a), float(b), float(out));
    }
    std::printf("  pow %s: largest error %.3f ULP at %a, %a (%a)\n",
                type.c_str(), worst.error, worst.x, worst.y, worst.got);
    EXPECT_LE(worst.error, 1) << type << " at " << worst.x << ", " << worst.y;
  }
}

//===-- vectors
//-------------------------------------------------------------===//

TEST(Vectors, HaveTheBitsOfScalars) {
  constexpr size_t count = 1 << 12;
  std::mt19937 random(5);
  std::vector<float> x(count), y(count), scalar(count), vector(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = std::ldexp(float(random()) * 0x1p-31f - 1, int(random() % 12) - 4);
    y[i] = std::ldexp(float(random()) * 0x1p-31f - 1, 3);
  }
  for (const char *op : {"exp", "exp2", "log", "log2", "tanh", "erf", "sin",
                         "cos", "tan", "rsqrt", "powf"}) {
    std::string body = std::string("math.") + op + " %x" +
                       (std::string(op) == "powf" ? ", %y : " : " : ");
    CompiledLoop scalars({body + "f32", "f32", "f32"}, false);
    std::string four = "vector<4xf32>";
    CompiledLoop vectors({body + four, four, four}, false);
    scalars.loop(x.data(), y.data(), scalar.data(), count);
    vectors.loop(x.data(), y.data(), vector.data(), count / 4);
    for (size_t i = 0; i < count; ++i)
      ASSERT_TRUE(scalar[i] == vector[i] ||
                  (std::isnan(scalar[i]) && std::isnan(vector[i])))
          << op << " of " << x[i] << ": " << scalar[i] << ", " << vector[i];
  }
}

} // namespace
