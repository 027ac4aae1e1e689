//===- MathWideTest.cpp - Accuracy of the functions computed in f64 -------===//
//
// Compares with the C library's functions in f64: about 2^22 inputs of f32
// spread over all bits, 2^21 near 0, and all 65,536 of f16 and bf16; pairs of
// two operands. With TRIPY_MATH_TABLE=docs/accuracy.md in the environment,
// writes what was measured to the table there.
//
//===----------------------------------------------------------------------===//
#include "MathErrors.h"
#include "MathHarness.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <vector>

using namespace tripy::test;

namespace {

struct Function {
  const char *name;
  const char *op;
  double (*reference)(double, double);
  bool isBinary = false;
};

void PrintTo(const Function &function, std::ostream *out) {
  *out << function.name;
}

const Function functions[] = {
    {"expm1", "math.expm1", [](double x, double) { return std::expm1(x); }},
    {"log1p", "math.log1p", [](double x, double) { return std::log1p(x); }},
    {"log10", "math.log10", [](double x, double) { return std::log10(x); }},
    {"cbrt", "math.cbrt", [](double x, double) { return std::cbrt(x); }},
    {"sinh", "math.sinh", [](double x, double) { return std::sinh(x); }},
    {"cosh", "math.cosh", [](double x, double) { return std::cosh(x); }},
    {"asinh", "math.asinh", [](double x, double) { return std::asinh(x); }},
    {"acosh", "math.acosh", [](double x, double) { return std::acosh(x); }},
    {"atanh", "math.atanh", [](double x, double) { return std::atanh(x); }},
    {"asin", "math.asin", [](double x, double) { return std::asin(x); }},
    {"acos", "math.acos", [](double x, double) { return std::acos(x); }},
    {"atan", "math.atan", [](double x, double) { return std::atan(x); }},
    {"atan2", "math.atan2", [](double x, double y) { return std::atan2(x, y); },
     true},
    {"fmod", "arith.remf", [](double x, double y) { return std::fmod(x, y); },
     true},
};

//===-- the table ---------------------------------------------------------===//

/// Largest errors by function and type; written when all tests ran.
class Table : public testing::Environment {
public:
  static std::map<std::pair<std::string, std::string>, double> errors;

  void TearDown() override {
    const char *path = std::getenv("TRIPY_MATH_TABLE");
    if (!path)
      return;
    ASSERT_EQ(errors.size(), 3 * std::size(functions)) << "not all were run";
    const std::string begin = "<!-- measured by MathWideTest.cpp -->\n",
                      end = "<!-- end -->\n";
    std::ifstream in(path);
    std::stringstream page;
    page << in.rdbuf();
    std::string text = page.str();
    size_t from = text.find(begin), to = text.find(end);
    ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << path;
    std::string rows = begin + "| function | f32 | f16 | bf16 |\n|---|---|---|"
                               "---|\n";
    for (const Function &function : functions) {
      rows += std::string("| `") + function.name + "` |";
      for (const char *type : {"f32", "f16", "bf16"}) {
        char error[16];
        std::snprintf(error, sizeof(error), " %.4f |",
                      errors.at({function.name, type}));
        rows += error;
      }
      rows += "\n";
    }
    std::ofstream(path) << text.substr(0, from) << rows << text.substr(to);
  }
};
std::map<std::pair<std::string, std::string>, double> Table::errors;
const testing::Environment *const table =
    testing::AddGlobalTestEnvironment(new Table);

void report(const Function &function, const std::string &type,
            const Worst &worst) {
  Table::errors[{function.name, type}] = worst.error;
  std::printf("  %s %s: largest error %.4f ULP at %a, %a (%a)\n", function.name,
              type.c_str(), worst.error, worst.x, worst.y, worst.got);
  EXPECT_LE(worst.error, 0.51)
      << type << " at " << worst.x << ", " << worst.y << ": got " << worst.got;
}

//===-- inputs ------------------------------------------------------------===//

/// Special values in all pairs, all kinds of bits, and small numbers. Half of
/// the pairs are near each other: their quotient is small.
void fillInputs(bool isBinary, std::vector<float> &x, std::vector<float> &y) {
  for (float a : specialInputs)
    for (float b : specialInputs) {
      x.push_back(a);
      y.push_back(b);
    }
  std::mt19937_64 random(6);
  auto any = [&] { return std::bit_cast<float>(uint32_t(random())); };
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 1021) {
    float value = std::bit_cast<float>(uint32_t(bits));
    x.push_back(isBinary ? any() : value);
    y.push_back(any());
  }
  for (int i = 0; i < (1 << 21); ++i) {
    float value = float(int64_t(random())) * 0x1p-62f;
    x.push_back(value);
    y.push_back(value * std::ldexp(1.0f + float(random() >> 40) * 0x1p-24f,
                                   int(random() % 64) - 40));
  }
}

class Wide : public testing::TestWithParam<Function> {};

std::string bodyOf(const Function &function, const std::string &type) {
  return std::string(function.op) + " %x" +
         (function.isBinary ? ", %y : " : " : ") + type;
}

TEST_P(Wide, F32IsNearlyCorrectlyRounded) {
  const Function &function = GetParam();
  CompiledLoop compiled({bodyOf(function, "f32"), "f32", "f32"},
                        /*fast16=*/false);
  std::vector<float> x, y;
  fillInputs(function.isBinary, x, y);
  std::vector<float> got(x.size());
  compiled.loop(x.data(), y.data(), got.data(), x.size());
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i)
    worst.see(ulpError(got[i], function.reference(x[i], y[i]), f32Format), x[i],
              y[i], got[i]);
  report(function, "f32", worst);
}

TEST_P(Wide, SixteenBitsAreRoundedOnce) {
  const Function &function = GetParam();
  std::mt19937 random(7);
  for (bool brain : {false, true}) {
    std::string type = brain ? "bf16" : "f16";
    CompiledLoop compiled({bodyOf(function, type), type, type},
                          /*fast16=*/true);
    std::vector<uint16_t> x(function.isBinary ? 1 << 20 : 1 << 16), y(x.size()),
        got(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = uint16_t(i);
      y[i] = uint16_t(random());
    }
    compiled.loop(x.data(), y.data(), got.data(), x.size());
    Worst worst;
    for (size_t i = 0; i < x.size(); ++i) {
      double a = decode(x[i], brain), b = decode(y[i], brain);
      double out = decode(got[i], brain);
      worst.see(ulpError(out, function.reference(a, b),
                         brain ? bf16Format : f16Format),
                float(a), float(b), float(out));
    }
    report(function, type, worst);
  }
}

INSTANTIATE_TEST_SUITE_P(Math, Wide, testing::ValuesIn(functions),
                         [](const testing::TestParamInfo<Function> &info) {
                           return info.param.name;
                         });

//===-- integers ----------------------------------------------------------===//

TEST(IntegerPower, WrapsAround) {
  CompiledLoop compiled({"math.ipowi %x, %y : i32", "i32", "i32"}, false);
  const int32_t x[] = {2, -3, 3, 0, 0, 1, -1, -1, 7, 2, INT32_MIN, 5},
                y[] = {10, 3, 21, 0, -1, -9, -5, -4, -2, 32, 1, INT32_MAX};
  int32_t got[12];
  compiled.loop(x, y, got, 12);
  // 5^(2^31 - 1) modulo 2^32 is the inverse of 5, whose powers repeat after
  // 2^30.
  const int32_t want[] = {1024, -27, 1870418611, 1, 0,         1,
                          -1,   1,   0,          0, INT32_MIN, -858993459};
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(got[i], want[i]) << x[i] << " to " << y[i];
}

} // namespace
