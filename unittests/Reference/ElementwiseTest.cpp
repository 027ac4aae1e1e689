//===- ElementwiseTest.cpp - Hand-computed values of element-wise ops -----===//

#include "Harness.h"

#include "tripy/Dialect/Common/ScalarFns.h"

#include "llvm/ADT/StringSet.h"

using namespace tripy;
using namespace tripy::reference;

static constexpr double inf = INFINITY, nan_ = NAN;

namespace {
struct Case {
  const char *op;
  DType dtype;
  std::vector<double> x, y, expected;
};

class ElementwiseTest : public ReferenceTest {
protected:
  std::string type(DType dtype, size_t count) {
    return "tensor<" + std::to_string(count) + "x" +
           std::string(dtypeInfo(dtype).mlir) + ">";
  }

  void check(const Case &c) {
    SCOPED_TRACE(c.op);
    std::string t = type(c.dtype, c.x.size());
    int64_t n = c.x.size();
    std::string text = "func.func @main(%x: " + t;
    llvm::SmallVector<Tensor> inputs{make(c.dtype, {n}, c.x)};
    if (!c.y.empty()) {
      text += ", %y: " + t;
      inputs.push_back(make(c.dtype, {n}, c.y));
    }
    text += ") -> " + t + " {\n  %r = flatir." + c.op + " %x" +
            (c.y.empty() ? "" : ", %y") + " : " + t +
            "\n  func.return %r : " + t + "\n}";
    expectTensor(runOne(text, inputs), c.dtype, {n}, c.expected);
  }

  Tensor convert(const Tensor &input, DType to) {
    std::string from = type(input.dtype(), input.elements());
    std::string into = type(to, input.elements());
    return runOne("func.func @main(%x: " + from + ") -> " + into +
                      " {\n  %r = flatir.convert %x : " + from + " -> " + into +
                      "\n  func.return %r : " + into + "\n}",
                  {input});
  }
};
} // namespace

/// An f32 near the double.
static double f(double value) { return static_cast<float>(value); }

static const Case floatCases[] = {
    {"add",
     DType::F32,
     {1, -0.0, inf, 16777216, 1e38, 0.1f},
     {2, -0.0, -inf, 1, 3e38, 0.2f},
     {3, -0.0, nan_, 16777216, inf, 0.3f}},
    {"sub",
     DType::F32,
     {1, 0, inf, 5, -0.0},
     {2, 0, inf, nan_, 0},
     {-1, 0, nan_, nan_, -0.0}},
    {"mul",
     DType::F32,
     {2, -0.0, inf, 3e38, 1e-45},
     {3, 5, 0, 10, 0.25},
     {6, -0.0, nan_, inf, 0}},
    {"div",
     DType::F32,
     {1, 1, -1, 0, 6},
     {3, 0, 0, 0, -2},
     {f(1.0 / 3), inf, -inf, nan_, -3}},
    {"floor_div",
     DType::F32,
     {7, -7, 7, 1, 6},
     {2, 2, -2, 0, 3},
     {3, -4, -4, inf, 2}},
    {"pow",
     DType::F32,
     {2, 4, 0, -8, 9},
     {10, 0.5, 0, 1.0 / 3, -1},
     {1024, 2, 1, nan_, f(1.0 / 9)}},
    {"maximum",
     DType::F32,
     {1, nan_, -0.0, 0.0, -inf},
     {2, 1, 0.0, -0.0, -5},
     {2, nan_, 0.0, 0.0, -5}},
    {"minimum",
     DType::F32,
     {1, 3, -0.0, 0.0, inf},
     {2, nan_, 0.0, -0.0, 5},
     {1, nan_, -0.0, -0.0, 5}},
    {"neg", DType::F32, {1, -2, 0, -0.0, inf}, {}, {-1, 2, -0.0, 0, -inf}},
    {"abs", DType::F32, {1, -2, -0.0, -inf, nan_}, {}, {1, 2, 0, inf, nan_}},
    {"exp",
     DType::F32,
     {0, 1, -inf, 100, -200},
     {},
     {1, f(2.718281828459045), 0, inf, 0}},
    {"log",
     DType::F32,
     {1, 0, -1, inf, 10},
     {},
     {0, -inf, nan_, inf, f(2.302585092994046)}},
    {"sqrt",
     DType::F32,
     {4, 2, -1, -0.0, inf},
     {},
     {2, f(1.4142135623730951), nan_, -0.0, inf}},
    {"rsqrt",
     DType::F32,
     {4, 0, inf, -1, 2},
     {},
     {0.5, inf, 0, nan_, f(0.7071067811865476)}},
    {"tanh",
     DType::F32,
     {0, 1, -1, 40, -inf},
     {},
     {0, f(0.7615941559557649), f(-0.7615941559557649), 1, -1}},
    {"erf",
     DType::F32,
     {0, 1, -1, 7, -inf},
     {},
     {0, f(0.8427007929497149), f(-0.8427007929497149), 1, -1}},
    {"sin",
     DType::F32,
     {0, 1, inf, -0.0, 100},
     {},
     {0, f(0.8414709848078965), nan_, -0.0, f(-0.5063656411097588)}},
    {"cos",
     DType::F32,
     {0, 1, inf, -1, 100},
     {},
     {1, f(0.5403023058681398), nan_, f(0.5403023058681398),
      f(0.8623188722876839)}},
    {"floor", DType::F32, {1.5, -1.5, -0.0, 2, inf}, {}, {1, -2, -0.0, 2, inf}},
    {"ceil",
     DType::F32,
     {1.5, -1.5, -0.5, 2, -inf},
     {},
     {2, -1, -0.0, 2, -inf}},
    {"mod",
     DType::F32,
     {7, -7, 7, -7, 5, inf, 5, -5, 6, -6, 1e30},
     {3, 3, -3, -3, 0, 3, inf, inf, -3, 3, 7},
     {1, 2, -2, -1, nan_, nan_, 5, inf, -0.0, 0, 1}},
    {"exp2", DType::F32, {0, 10, -1, 128, -inf}, {}, {1, 1024, 0.5, inf, 0}},
    {"expm1",
     DType::F32,
     {-0.0, 1, -inf, 1e-10, 100},
     {},
     {-0.0, f(1.718281828459045), -1, f(1e-10), inf}},
    {"log2", DType::F32, {8, 0.5, 0, -1, inf}, {}, {3, -1, -inf, nan_, inf}},
    {"log10", DType::F32, {1000, 1, 0, -1, inf}, {}, {3, 0, -inf, nan_, inf}},
    {"log1p",
     DType::F32,
     {-0.0, 1, -1, -2, 1e-10},
     {},
     {-0.0, f(0.6931471805599453), -inf, nan_, f(1e-10)}},
    {"cbrt",
     DType::F32,
     {8, -27, -0.0, inf, nan_},
     {},
     {2, -3, -0.0, inf, nan_}},
    {"tan",
     DType::F32,
     {-0.0, 1, inf, -1},
     {},
     {-0.0, f(1.5574077246549023), nan_, f(-1.5574077246549023)}},
    {"asin",
     DType::F32,
     {-0.0, 1, -1, 1.5, 0.5},
     {},
     {-0.0, f(1.5707963267948966), f(-1.5707963267948966), nan_,
      f(0.5235987755982989)}},
    {"acos",
     DType::F32,
     {1, -1, 0, -1.5, 0.5},
     {},
     {0, f(3.141592653589793), f(1.5707963267948966), nan_,
      f(1.0471975511965979)}},
    {"atan",
     DType::F32,
     {-0.0, 1, inf, -inf, nan_},
     {},
     {-0.0, f(0.7853981633974483), f(1.5707963267948966),
      f(-1.5707963267948966), nan_}},
    {"atan2",
     DType::F32,
     {0.0, -0.0, 0.0, 1, -1, inf, -inf, 1},
     {1, -1, -0.0, 1, -1, inf, -inf, nan_},
     {0, f(-3.141592653589793), f(3.141592653589793), f(0.7853981633974483),
      f(-2.356194490192345), f(0.7853981633974483), f(-2.356194490192345),
      nan_}},
    {"sinh",
     DType::F32,
     {-0.0, 1, -inf, 100},
     {},
     {-0.0, f(1.1752011936438014), -inf, inf}},
    {"cosh",
     DType::F32,
     {0, 1, -inf, 100},
     {},
     {1, f(1.5430806348152437), inf, inf}},
    {"asinh",
     DType::F32,
     {-0.0, 1, -inf, -1},
     {},
     {-0.0, f(0.881373587019543), -inf, f(-0.881373587019543)}},
    {"acosh",
     DType::F32,
     {1, 2, 0.5, inf},
     {},
     {0, f(1.3169578969248166), nan_, inf}},
    {"atanh",
     DType::F32,
     {-0.0, 0.5, 1, -1, 2},
     {},
     {-0.0, f(0.5493061443340549), inf, -inf, nan_}},
    {"round",
     DType::F32,
     {0.5, 1.5, 2.5, -0.5, -1.5, 8388609, inf},
     {},
     {0, 2, 2, -0.0, -2, 8388609, inf}},
    {"trunc",
     DType::F32,
     {1.9, -1.9, -0.5, inf, nan_},
     {},
     {1, -1, -0.0, inf, nan_}},
    {"sign",
     DType::F32,
     {3, -inf, -0.0, 0.0, nan_},
     {},
     {1, -1, -0.0, 0, nan_}},
};

static constexpr double low32 = -2147483648.0, high32 = 2147483647.0;

static const Case intCases[] = {
    {"add",
     DType::I32,
     {1, high32, low32, -5, 0},
     {2, 1, -1, 5, 0},
     {3, low32, high32, 0, 0}},
    {"sub",
     DType::I32,
     {1, low32, 0, high32, 7},
     {2, 1, low32, -1, 7},
     {-1, high32, low32, low32, 0}},
    {"mul",
     DType::I32,
     {3, 65536, low32, 46341, -1},
     {-4, 65536, -1, 46341, 0},
     {-12, 0, low32, -2147479015, 0}},
    {"div",
     DType::I32,
     {7, -7, 5, low32, 7, -8},
     {2, 2, 0, -1, -2, 0},
     {3, -3, -1, low32, -3, -1}},
    {"floor_div",
     DType::I32,
     {7, -7, 5, low32, 7, -8, 6},
     {2, 2, 0, -1, -2, 4, -3},
     {3, -4, -1, low32, -4, -2, -2}},
    {"mod",
     DType::I32,
     {7, -7, 7, -7, 5, low32},
     {3, 3, -3, -3, 0, -1},
     {1, 2, -2, -1, 5, 0}},
    {"maximum",
     DType::I32,
     {1, -1, low32, 0, 9},
     {2, -2, high32, 0, -9},
     {2, -1, high32, 0, 9}},
    {"minimum",
     DType::I32,
     {1, -1, low32, 0, 9},
     {2, -2, high32, 0, -9},
     {1, -2, low32, 0, -9}},
    {"neg",
     DType::I32,
     {1, -1, low32, 0, high32},
     {},
     {-1, 1, low32, 0, -high32}},
    {"abs", DType::I32, {1, -1, low32, 0, -5}, {}, {1, 1, low32, 0, 5}},
    {"pow",
     DType::I32,
     {2, -3, 0, 0, 2, 3, 1, -1, -1, 7},
     {10, 3, 0, -1, 32, 21, -5, -5, -4, -2},
     {1024, -27, 1, 0, 0, 1870418611, 1, -1, 1, 0}},
    {"sign", DType::I32, {5, -5, 0, low32, high32}, {}, {1, -1, 0, -1, 1}},
    {"bitwise_and", DType::I32, {12, -1, low32}, {10, 7, -1}, {8, 7, low32}},
    {"bitwise_or",
     DType::I32,
     {12, -1, low32},
     {10, 7, 1},
     {14, -1, low32 + 1}},
    {"bitwise_xor", DType::I32, {12, -1, low32}, {10, 7, -1}, {6, -8, high32}},
    {"bitwise_not", DType::I32, {0, -1, 5, low32}, {}, {-1, 0, -6, high32}},
    {"shift_left",
     DType::I32,
     {1, 3, -1, 1, 1, 1},
     {4, 31, 1, 32, -1, low32},
     {16, low32, -2, 0, 0, 0}},
    {"shift_right",
     DType::I32,
     {16, -16, -1, low32, 5, -5, 5},
     {2, 2, 31, 31, 32, 40, -1},
     {4, -4, -1, -1, 0, -1, 0}},
    {"tanh", DType::I32, {0, 1, -1, 30, -30}, {}, {0, 0, 0, 1, -1}},
    {"add",
     DType::I8,
     {127, -128, 1, 0, -7},
     {1, -1, 2, 0, 7},
     {-128, 127, 3, 0, 0}},
    {"div",
     DType::I8,
     {-128, -128, 7, 0, -7},
     {-1, 0, 2, 5, 2},
     {-128, -1, 3, 0, -3}},
    {"mul",
     DType::I16,
     {-32768, 300, 2, 0, -1},
     {-1, 300, 3, 9, 1},
     {-32768, 24464, 6, 0, -1}},
    {"sub",
     DType::U8,
     {0, 200, 255, 1, 7},
     {1, 201, 255, 0, 3},
     {255, 255, 0, 1, 4}},
    {"div",
     DType::U8,
     {200, 255, 7, 0, 128},
     {0, 2, 9, 1, 3},
     {255, 127, 0, 0, 42}},
    {"maximum",
     DType::U8,
     {200, 1, 128, 0, 255},
     {100, 2, 127, 0, 0},
     {200, 2, 128, 0, 255}},
};

static const Case boolCases[] = {
    {"logical_and",
     DType::Bool,
     {0, 0, 1, 1, 1},
     {0, 1, 0, 1, 1},
     {0, 0, 0, 1, 1}},
    {"logical_or",
     DType::Bool,
     {0, 0, 1, 1, 0},
     {0, 1, 0, 1, 0},
     {0, 1, 1, 1, 0}},
    {"logical_xor",
     DType::Bool,
     {0, 0, 1, 1, 0},
     {0, 1, 0, 1, 0},
     {0, 1, 1, 0, 0}},
    {"logical_not", DType::Bool, {0, 1, 0, 0, 1}, {}, {1, 0, 1, 1, 0}},
    {"add", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 1, 1, 1, 0}},
    {"sub", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 1, 1, 0, 0}},
    {"mul", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 0, 0, 1, 0}},
    {"div", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {1, 0, 1, 1, 1}},
    {"floor_div",
     DType::Bool,
     {0, 0, 1, 1, 0},
     {0, 1, 0, 1, 0},
     {1, 0, 1, 1, 1}},
    {"mod", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 0, 1, 0, 0}},
    {"maximum", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 1, 1, 1, 0}},
    {"minimum", DType::Bool, {0, 0, 1, 1, 0}, {0, 1, 0, 1, 0}, {0, 0, 0, 1, 0}},
};

TEST_F(ElementwiseTest, Floats) {
  for (const Case &c : floatCases)
    check(c);
}
TEST_F(ElementwiseTest, Integers) {
  for (const Case &c : intCases)
    check(c);
}
TEST_F(ElementwiseTest, Bools) {
  for (const Case &c : boolCases)
    check(c);
}

/// A row that is added to the table without values above is noticed here.
TEST_F(ElementwiseTest, EveryRowHasValues) {
  llvm::StringSet<> floats, ints, bools;
  for (const Case &c : floatCases)
    floats.insert(c.op);
  for (const Case &c : intCases)
    ints.insert(c.op);
  for (const Case &c : boolCases)
    bools.insert(c.op);
  for (const scalar::ScalarFnInfo &row : scalar::scalarFns()) {
    EXPECT_EQ(floats.contains(row.mnemonic), row.onFloat) << row.mnemonic.str();
    EXPECT_EQ(ints.contains(row.mnemonic), row.onInt) << row.mnemonic.str();
    EXPECT_EQ(bools.contains(row.mnemonic), row.onBool) << row.mnemonic.str();
  }
}

TEST_F(ElementwiseTest, Int64Wraps) {
  int64_t low = INT64_MIN, high = INT64_MAX;
  auto text = [](const char *op) {
    return std::string("func.func @main(%x: tensor<3xi64>, %y: tensor<3xi64>) "
                       "-> tensor<3xi64> {\n  %r = flatir.") +
           op + " %x, %y : tensor<3xi64>\n  func.return %r : tensor<3xi64>\n}";
  };
  auto values = [&](const char *op, llvm::ArrayRef<int64_t> x,
                    llvm::ArrayRef<int64_t> y) {
    Tensor r = runOne(text(op), {makeI64({3}, x), makeI64({3}, y)});
    return std::vector<int64_t>{r.toInt(0), r.toInt(1), r.toInt(2)};
  };
  EXPECT_EQ(values("add", {high, low, 1}, {1, -1, 2}),
            (std::vector<int64_t>{low, high, 3}));
  EXPECT_EQ(values("mul", {low, high, 1ll << 62}, {-1, 2, 4}),
            (std::vector<int64_t>{low, -2, 0}));
  EXPECT_EQ(values("div", {low, low, 9}, {-1, 0, -2}),
            (std::vector<int64_t>{low, -1, -4}));
  EXPECT_EQ(values("floor_div", {low, low, 9}, {-1, 0, -2}),
            (std::vector<int64_t>{low, -1, -5}));
  EXPECT_EQ(values("mod", {low, low, 9}, {-1, 0, -2}),
            (std::vector<int64_t>{0, low, -1}));
}

//===-- rounding ----------------------------------------------------------===//

TEST_F(ElementwiseTest, SixteenBitsRoundOnce) {
  // 2048 + 1 and 256 + 1 are halfway: ties go to even.
  check({"add",
         DType::F16,
         {2048, 2050, 65504, 65504, 6.103515625e-05},
         {1, 1, 15, 16, -6.0975551605224609e-05},
         {2048, 2052, 65504, inf, 5.9604644775390625e-08}});
  check({"add",
         DType::BF16,
         {256, 258, 3.3895313892515355e+38, 1, -1},
         {1, 1, 1e36, 0.00390625, 0.00390625},
         {256, 260, inf, 1, -0.99609375}});
  check({"exp",
         DType::F16,
         {0, 1, 11, 12, -20},
         {},
         {1, 2.71875, 59872, inf, 0}});
}

TEST_F(ElementwiseTest, ConvertFloats) {
  Tensor x = make(DType::F32, {6},
                  {1.0 + 0x1p-11, 1.0 + 0x1.8p-10, 65520, nan_, 1e-8, -70000});
  expectTensor(convert(x, DType::F16), DType::F16, {6},
               {1, 1.001953125, inf, nan_, 0, -inf});
  expectTensor(
      convert(make(DType::F32, {5}, {2.9, -2.9, nan_, 1e10, -inf}), DType::I32),
      DType::I32, {5}, {2, -2, 0, high32, low32});
  expectTensor(
      convert(make(DType::F32, {5}, {2.5, -0.0, nan_, 1e-30, 0}), DType::Bool),
      DType::Bool, {5}, {1, 0, 1, 1, 0});
  Tensor wide =
      convert(make(DType::F32, {4}, {1e30, -1e30, 9e18, -0.5}), DType::I64);
  EXPECT_EQ(wide.toInt(0), INT64_MAX);
  EXPECT_EQ(wide.toInt(1), INT64_MIN);
  EXPECT_EQ(wide.toInt(2), int64_t(float(9e18)));
  EXPECT_EQ(wide.toInt(3), 0);
}

TEST_F(ElementwiseTest, ConvertIntegers) {
  Tensor x = makeI64({5}, {4294967296 + 7, -1, 1ll << 31, INT64_MIN, 5});
  expectTensor(convert(x, DType::I32), DType::I32, {5}, {7, -1, low32, 0, 5});
  expectTensor(convert(x, DType::Bool), DType::Bool, {5}, {1, 1, 1, 1, 1});
  expectTensor(convert(make(DType::Bool, {2}, {0, 1}), DType::BF16),
               DType::BF16, {2}, {0, 1});
  // Just above halfway between two floats, by less than a double can say.
  int64_t above = (1ll << 62) + (1ll << 38) + 1;
  expectTensor(convert(makeI64({2}, {above, above - 1}), DType::F32),
               DType::F32, {2}, {0x1p62 + 0x1p39, 0x1p62});
  int64_t aboveB = (1ll << 62) + (1ll << 54) + 1;
  expectTensor(convert(makeI64({2}, {aboveB, -aboveB}), DType::BF16),
               DType::BF16, {2}, {0x1p62 + 0x1p55, -(0x1p62 + 0x1p55)});
}

//===-- compare and select ------------------------------------------------===//

TEST_F(ElementwiseTest, CompareFollowsIEEE) {
  struct Expected {
    const char *direction;
    std::vector<double> values;
  } expected[] = {{"eq", {0, 1, 0, 0, 1}}, {"ne", {1, 0, 1, 1, 0}},
                  {"lt", {1, 0, 0, 0, 0}}, {"le", {1, 1, 0, 0, 1}},
                  {"gt", {0, 0, 0, 1, 0}}, {"ge", {0, 1, 0, 1, 1}}};
  EXPECT_EQ(std::size(expected), scalar::comparisons().size());
  Tensor x = make(DType::F32, {5}, {1, 2, nan_, inf, -0.0});
  Tensor y = make(DType::F32, {5}, {2, 2, nan_, 5, 0.0});
  for (const Expected &e : expected) {
    SCOPED_TRACE(e.direction);
    std::string text =
        std::string("func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> "
                    "tensor<5xi1> {\n  %r = flatir.compare ") +
        e.direction +
        " %x, %y : tensor<5xf32> -> tensor<5xi1>\n"
        "  func.return %r : tensor<5xi1>\n}";
    expectTensor(runOne(text, {x, y}), DType::Bool, {5}, e.values);
  }
}

TEST_F(ElementwiseTest, CompareIntegersAndBools) {
  const char *text = R"(
    func.func @main(%x: tensor<5xi64>, %y: tensor<5xi64>, %a: tensor<4xi1>,
                    %b: tensor<4xi1>) -> (tensor<5xi1>, tensor<4xi1>) {
      %r = flatir.compare lt %x, %y : tensor<5xi64> -> tensor<5xi1>
      %s = flatir.compare lt %a, %b : tensor<4xi1> -> tensor<4xi1>
      func.return %r, %s : tensor<5xi1>, tensor<4xi1>
    })";
  auto results =
      run(text, {makeI64({5}, {INT64_MIN, -1, 0, INT64_MAX, INT64_MAX - 1}),
                 makeI64({5}, {INT64_MAX, 0, 0, INT64_MIN, INT64_MAX}),
                 make(DType::Bool, {4}, {0, 0, 1, 1}),
                 make(DType::Bool, {4}, {0, 1, 0, 1})});
  ASSERT_EQ(results.size(), 2u) << errors;
  expectTensor(results[0], DType::Bool, {5}, {1, 1, 0, 0, 1});
  expectTensor(results[1], DType::Bool, {4}, {0, 1, 0, 0});
}

TEST_F(ElementwiseTest, SelectPicksBits) {
  const char *text = R"(
    func.func @main(%c: tensor<5xi1>, %x: tensor<5xf16>, %y: tensor<5xf16>)
        -> tensor<5xf16> {
      %r = flatir.select %c, %x, %y : tensor<5xi1>, tensor<5xf16>
      func.return %r : tensor<5xf16>
    })";
  expectTensor(runOne(text, {make(DType::Bool, {5}, {1, 0, 1, 0, 1}),
                             make(DType::F16, {5}, {1, 2, nan_, 4, -0.0}),
                             make(DType::F16, {5}, {-1, nan_, -3, -inf, 0})}),
               DType::F16, {5}, {1, nan_, nan_, -inf, -0.0});
}
