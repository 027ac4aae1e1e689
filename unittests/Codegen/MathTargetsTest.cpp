//===- MathTargetsTest.cpp - The code that expanded functions become ------===//
//
// Vector code without calls on the CPU, and PTX whose every rounding is fixed:
// what makes the bits equal. With TRIPY_MATH_DUMP=<folder>, writes <name>.ll
// and <name>.ptx there, for a comparison on a GPU.
//
//===----------------------------------------------------------------------===//
#include "MathHarness.h"

#include "tripy/Codegen/Math.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <regex>

using namespace tripy::test;

namespace {

struct Named {
  const char *name;
  const char *body;
};

void PrintTo(const Named &named, std::ostream *out) { *out << named.name; }

class Targets : public testing::TestWithParam<Named> {
protected:
  static void dump(const std::string &file, const std::string &text) {
    if (const char *folder = std::getenv("TRIPY_MATH_DUMP"))
      std::ofstream(std::string(folder) + "/" + file) << text;
  }
};

bool contains(const std::string &text, const char *pattern) {
  return std::regex_search(text, std::regex(pattern));
}

TEST_P(Targets, IsVectorCodeWithoutCallsOnTheCPU) {
  const Named &named = GetParam();
  CompiledLoop compiled({named.body, "f32", "f32"}, /*fast16=*/true);
  dump(std::string(named.name) + ".ll", compiled.llvmIR);
  EXPECT_TRUE(contains(compiled.llvmIR, "<(4|8|16) x float>"));
  EXPECT_FALSE(contains(compiled.llvmIR, "declare [^@]*@(?!llvm\\.)"))
      << compiled.llvmIR;
}

TEST_P(Targets, HasFixedRoundingOnCUDA) {
  const Named &named = GetParam();
  std::string ptx = compileToPTX({named.body, "f32", "f32"}, /*fast16=*/true);
  dump(std::string(named.name) + ".ptx", ptx);
  EXPECT_FALSE(contains(ptx, "\\bcall\\b|\\bbra\\b|approx|\\.full|\\.ftz"));
  // Without .rn the assembler may contract a product and a sum.
  EXPECT_FALSE(contains(ptx, "(add|sub|mul)\\.f(32|64)")) << ptx;
  EXPECT_TRUE(contains(ptx, "\\.rn\\.f32")) << ptx;
}

INSTANTIATE_TEST_SUITE_P(
    Math, Targets,
    testing::Values(
        Named{"exp", "math.exp %x : f32"}, Named{"exp2", "math.exp2 %x : f32"},
        Named{"log", "math.log %x : f32"}, Named{"log2", "math.log2 %x : f32"},
        Named{"tanh", "math.tanh %x : f32"}, Named{"erf", "math.erf %x : f32"},
        Named{"sin", "math.sin %x : f32"}, Named{"cos", "math.cos %x : f32"},
        Named{"tan", "math.tan %x : f32"},
        Named{"rsqrt", "math.rsqrt %x : f32"},
        Named{"sqrt", "math.sqrt %x : f32"},
        Named{"div", "arith.divf %x, %y : f32"},
        Named{"pow", "math.powf %x, %y : f32"},
        Named{"expm1", "math.expm1 %x : f32"},
        Named{"log1p", "math.log1p %x : f32"},
        Named{"log10", "math.log10 %x : f32"},
        Named{"cbrt", "math.cbrt %x : f32"},
        Named{"sinh", "math.sinh %x : f32"},
        Named{"cosh", "math.cosh %x : f32"},
        Named{"asinh", "math.asinh %x : f32"},
        Named{"acosh", "math.acosh %x : f32"},
        Named{"atanh", "math.atanh %x : f32"},
        Named{"asin", "math.asin %x : f32"},
        Named{"acos", "math.acos %x : f32"},
        Named{"atan", "math.atan %x : f32"},
        Named{"atan2", "math.atan2 %x, %y : f32"},
        Named{"fmod", "arith.remf %x, %y : f32"}),
    [](const testing::TestParamInfo<Named> &info) { return info.param.name; });

TEST_P(Targets, HasNoCallsFor16BitsOnCUDA) {
  const Named &named = GetParam();
  for (const char *type : {"f16", "bf16"}) {
    std::string body = named.body;
    body.replace(body.rfind("f32"), 3, type);
    std::string ptx = compileToPTX({body, type, type}, /*fast16=*/true);
    dump(std::string(named.name) + "." + type + ".ptx", ptx);
    EXPECT_FALSE(contains(ptx, "\\bcall\\b|\\bbra\\b")) << ptx;
  }
}

//===-- what 16-bit results allow
//-------------------------------------------===//

/// PTX of `body`, whose operands and %`result` are of type `type`.
std::string ptxOf(const std::string &body, const char *type, bool fast16,
                  const char *result = "r") {
  return compileToPTX({body, type, type, nullptr, result}, fast16);
}

TEST(Approximations, SixteenBitResultsUseTheHardware) {
  EXPECT_TRUE(
      contains(ptxOf("math.exp %x : f16", "f16", true), "ex2\\.approx"));
  EXPECT_TRUE(
      contains(ptxOf("math.tanh %x : bf16", "bf16", true), "tanh\\.approx"));
  EXPECT_FALSE(
      contains(ptxOf("math.tanh %x : f16", "f16", true), "tanh\\.approx"));
  EXPECT_TRUE(
      contains(ptxOf("arith.divf %x, %y : f16", "f16", true), "rcp\\.approx"));
  EXPECT_TRUE(
      contains(ptxOf("math.rsqrt %x : bf16", "bf16", true), "rsqrt\\.approx"));
}

TEST(Approximations, AreOffWithoutFast16) {
  for (const char *body : {"math.exp %x : f16", "math.tanh %x : f16",
                           "arith.divf %x, %y : f16", "math.rsqrt %x : f16"})
    EXPECT_FALSE(contains(ptxOf(body, "f16", false), "approx|full")) << body;
}

/// x / (1 + exp(-x)), with f32 between: %x, %y and the result are f16.
constexpr const char *silu = R"(arith.extf %x : f16 to f32
  %minus = arith.negf %r : f32
  %exp = math.exp %minus : f32
  %one = arith.constant 1.0 : f32
  %sum = arith.addf %exp, %one : f32
  %quotient = arith.divf %r, %sum : f32
  %r16 = arith.truncf %quotient : f32 to f16
)";

TEST(Approximations, ReachThroughArithmeticToItsRounding) {
  std::string ptx = ptxOf(silu, "f16", true, "r16");
  EXPECT_TRUE(contains(ptx, "ex2\\.approx")) << ptx;
  EXPECT_TRUE(contains(ptx, "rcp\\.approx")) << ptx;
}

TEST(Approximations, StopAtOtherUses) {
  // The exponential also decides a comparison.
  std::string body = silu;
  body += R"(%large = arith.cmpf ogt, %exp, %one : f32
  %picked = arith.select %large, %r16, %x : f16
)";
  EXPECT_FALSE(contains(ptxOf(body, "f16", true, "picked"), "ex2\\.approx"));
}

} // namespace
