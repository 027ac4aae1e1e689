//===- StructureTest.cpp - Movement, reductions, contractions, sizes ------===//

#include "../ProcessorTime.h"
#include "Harness.h"

#include <limits>

using namespace tripy;
using namespace tripy::reference;

static constexpr double inf = INFINITY, nan_ = NAN;

using StructureTest = ReferenceTest;

/// A program of one operation on %x.
static std::string program(const std::string &arguments,
                           const std::string &result, const std::string &body) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body +
         "\n  func.return %r : " + result + "\n}";
}

//===-- creation ----------------------------------------------------------===//

TEST_F(StructureTest, Constants) {
  const char *text = R"(
    func.func @main() -> (tensor<2x3xf32>, tensor<3xf16>, tensor<9xi1>,
                          tensor<4xi1>, tensor<0x2xf32>, tensor<i64>) {
      %a = flatir.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
      %b = flatir.constant dense<0.1> : tensor<3xf16>
      %c = flatir.constant dense<[true, false, false, true, true, false, true, false, true]> : tensor<9xi1>
      %d = flatir.constant dense<true> : tensor<4xi1>
      %e = flatir.constant dense<> : tensor<0x2xf32>
      %f = flatir.constant dense<-7> : tensor<i64>
      func.return %a, %b, %c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf16>,
        tensor<9xi1>, tensor<4xi1>, tensor<0x2xf32>, tensor<i64>
    })";
  auto r = run(text, {});
  ASSERT_EQ(r.size(), 6u) << errors;
  expectTensor(r[0], DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(r[1], DType::F16, {3},
               {0.0999755859375, 0.0999755859375, 0.0999755859375});
  expectTensor(r[2], DType::Bool, {9}, {1, 0, 0, 1, 1, 0, 1, 0, 1});
  expectTensor(r[3], DType::Bool, {4}, {1, 1, 1, 1});
  expectTensor(r[4], DType::F32, {0, 2}, {});
  expectTensor(r[5], DType::I64, {}, {-7});
  // What lies in the attribute as it should is not copied.
  EXPECT_FALSE(r[0].ownsData());
}

TEST_F(StructureTest, ResourceConstants) {
  const char *text = R"(
    func.func @main() -> (tensor<2xf32>, tensor<3xi1>) {
      %a = flatir.constant dense_resource<a> : tensor<2xf32>
      %b = flatir.constant dense_resource<b> : tensor<3xi1>
      func.return %a, %b : tensor<2xf32>, tensor<3xi1>
    }
    {-# dialect_resources: { builtin: {
      a: "0x040000000000803F000000C0", b: "0x01000000010001" } } #-})";
  auto r = run(text, {});
  ASSERT_EQ(r.size(), 2u) << errors;
  expectTensor(r[0], DType::F32, {2}, {1, -2});
  expectTensor(r[1], DType::Bool, {3}, {1, 0, 1});
}

TEST_F(StructureTest, Iota) {
  Tensor r =
      runOne(program("", "tensor<2x3x2xf16>",
                     "  %r = flatir.iota dim = 1 sizes() : tensor<2x3x2xf16>"),
             {});
  expectTensor(r, DType::F16, {2, 3, 2}, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  // Beyond 2048 not every integer is an f16.
  r = runOne(program("", "tensor<2052xf16>",
                     "  %r = flatir.iota dim = 0 sizes() : tensor<2052xf16>"),
             {});
  EXPECT_EQ(r.toDouble(2049), 2048);
  EXPECT_EQ(r.toDouble(2051), 2052);
}

TEST_F(StructureTest, SizesBecomeTensorsAndBack) {
  const char *text = R"(
    func.func @main(%x: tensor<?x4xf32>) -> (tensor<?xi32>, tensor<f32>) {
      %n = flatir.dim %x, 0 : tensor<?x4xf32>
      %m = flatir.dim %x, 1 : tensor<?x4xf32>
      %c1 = arith.constant 1 : index
      %0 = arith.muli %n, %m : index
      %1 = arith.subi %0, %c1 : index
      %2 = arith.floordivsi %1, %m : index
      %3 = arith.maxsi %2, %c1 : index
      %4 = arith.ceildivsi %1, %m : index
      %5 = arith.cmpi sgt, %4, %3 : index
      %6 = arith.select %5, %4, %3 : index
      %r = flatir.iota dim = 0 sizes(%6) : tensor<?xi32>
      %s = flatir.from_index %0 : tensor<f32>
      func.return %r, %s : tensor<?xi32>, tensor<f32>
    })";
  auto r = run(text, {make(DType::F32, {3, 4}, std::vector<double>(12))});
  ASSERT_EQ(r.size(), 2u) << errors;
  expectTensor(r[0], DType::I32, {3}, {0, 1, 2});
  expectTensor(r[1], DType::F32, {}, {12});
}

//===-- movement ----------------------------------------------------------===//

TEST_F(StructureTest, Broadcast) {
  Tensor r =
      runOne(program("%x: tensor<3x1xi32>", "tensor<2x3x2xi32>",
                     "  %r = flatir.broadcast %x dims = [1, 2] sizes() : "
                     "tensor<3x1xi32> -> tensor<2x3x2xi32>"),
             {make(DType::I32, {3, 1}, {1, 2, 3})});
  expectTensor(r, DType::I32, {2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
  std::string dynamic = program(
      "%x: tensor<?xf32>", "tensor<?xf32>",
      "  %n = arith.constant 4 : index\n  %r = flatir.broadcast %x dims = [0] "
      "sizes(%n) : tensor<?xf32> -> tensor<?xf32>");
  expectTensor(runOne(dynamic, {make(DType::F32, {1}, {7})}), DType::F32, {4},
               {7, 7, 7, 7});
  expectTensor(runOne(dynamic, {make(DType::F32, {4}, {1, 2, 3, 4})}),
               DType::F32, {4}, {1, 2, 3, 4});
  EXPECT_TRUE(run(dynamic, {make(DType::F32, {3}, {1, 2, 3})}).empty());
  EXPECT_EQ(errors, "size of operand dimension 0 (3) is not compatible with "
                    "size of result dimension 0 (4)\n");
}

TEST_F(StructureTest, ReshapeAndTranspose) {
  Tensor x = make(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(
      runOne(program("%x: tensor<2x3xf32>", "tensor<3x2xf32>",
                     "  %r = flatir.reshape %x sizes() : tensor<2x3xf32> -> "
                     "tensor<3x2xf32>"),
             {x}),
      DType::F32, {3, 2}, {1, 2, 3, 4, 5, 6});
  expectTensor(runOne(program("%x: tensor<2x3xf32>", "tensor<3x2xf32>",
                              "  %r = flatir.transpose %x [1, 0] : "
                              "tensor<2x3xf32> -> tensor<3x2xf32>"),
                      {x}),
               DType::F32, {3, 2}, {1, 4, 2, 5, 3, 6});
  // Dimension i of the result is dimension permutation[i] of the input.
  expectTensor(runOne(program("%x: tensor<1x2x3xf32>", "tensor<3x1x2xf32>",
                              "  %r = flatir.transpose %x [2, 0, 1] : "
                              "tensor<1x2x3xf32> -> tensor<3x1x2xf32>"),
                      {x.withShape({1, 2, 3})}),
               DType::F32, {3, 1, 2}, {1, 4, 2, 5, 3, 6});
}

TEST_F(StructureTest, ReshapeChecksTheVolume) {
  std::string text = program(
      "%x: tensor<?xf32>", "tensor<?x2xf32>",
      "  %n = arith.constant 2 : index\n  %r = flatir.reshape %x sizes(%n) : "
      "tensor<?xf32> -> tensor<?x2xf32>");
  expectTensor(runOne(text, {make(DType::F32, {4}, {1, 2, 3, 4})}), DType::F32,
               {2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(run(text, {make(DType::F32, {3}, {1, 2, 3})}).empty());
  EXPECT_EQ(errors, "the number of elements stays the same; found (3,) and "
                    "(2, 2)\n");
}

TEST_F(StructureTest, Slice) {
  Tensor x = make(DType::I32, {2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  expectTensor(
      runOne(program("%x: tensor<2x5xi32>", "tensor<2x3xi32>",
                     "  %r = flatir.slice %x [1, 4] strides = [-1, -2] sizes() "
                     ": tensor<2x5xi32> -> tensor<2x3xi32>"),
             {x}),
      DType::I32, {2, 3}, {9, 7, 5, 4, 2, 0});
  std::string dynamic =
      program("%x: tensor<2x5xi32>, %y: tensor<?xi32>", "tensor<1x?xi32>",
              "  %n = flatir.dim %y, 0 : tensor<?xi32>\n"
              "  %r = flatir.slice %x [1, %n] strides = [1, 1] sizes(%n) : "
              "tensor<2x5xi32> -> tensor<1x?xi32>");
  expectTensor(runOne(dynamic, {x, make(DType::I32, {2}, {0, 0})}), DType::I32,
               {1, 2}, {7, 8});
  expectTensor(runOne(dynamic, {x, make(DType::I32, {0}, {})}), DType::I32,
               {1, 0}, {});
  EXPECT_TRUE(run(dynamic, {x, make(DType::I32, {3}, {0, 0, 0})}).empty());
  EXPECT_EQ(errors, "all elements are inside the input; found offset 3, stride "
                    "1 and size 3 in dimension 1 of size 5\n");
}

TEST_F(StructureTest, BackwardSliceStartsInside) {
  std::string text = program(
      "%x: tensor<5xi32>, %y: tensor<?xi32>", "tensor<2xi32>",
      "  %n = flatir.dim %y, 0 : tensor<?xi32>\n"
      "  %r = flatir.slice %x [%n] strides = [-3] sizes() : tensor<5xi32> -> "
      "tensor<2xi32>");
  Tensor x = make(DType::I32, {5}, {0, 1, 2, 3, 4});
  auto start = [](int64_t n) {
    return make(DType::I32, {n}, std::vector<double>(n));
  };
  expectTensor(runOne(text, {x, start(4)}), DType::I32, {2}, {4, 1});
  EXPECT_TRUE(run(text, {x, start(2)}).empty());
  EXPECT_TRUE(run(text, {x, start(5)}).empty());
  EXPECT_EQ(errors, "all elements are inside the input; found offset 5, stride "
                    "-3 and size 2 in dimension 0 of size 5\n");
}

TEST_F(StructureTest, Concatenate) {
  std::string text = program(
      "%x: tensor<2x?xi32>, %y: tensor<2x?xi32>", "tensor<2x?xi32>",
      "  %r = flatir.concatenate %x, %y, %x dim = 1 : (tensor<2x?xi32>, "
      "tensor<2x?xi32>, tensor<2x?xi32>) -> tensor<2x?xi32>");
  expectTensor(runOne(text, {make(DType::I32, {2, 2}, {1, 2, 3, 4}),
                             make(DType::I32, {2, 1}, {5, 6})}),
               DType::I32, {2, 5}, {1, 2, 5, 1, 2, 3, 4, 6, 3, 4});
  expectTensor(runOne(text, {make(DType::I32, {2, 0}, {}),
                             make(DType::I32, {2, 1}, {5, 6})}),
               DType::I32, {2, 1}, {5, 6});
  expectTensor(runOne(text, {make(DType::I32, {2, 0}, {}),
                             make(DType::I32, {2, 0}, {})}),
               DType::I32, {2, 0}, {});
  std::string outer =
      program("%x: tensor<?x2xi32>, %y: tensor<?x?xi32>", "tensor<?x2xi32>",
              "  %r = flatir.concatenate %x, %y dim = 0 : (tensor<?x2xi32>, "
              "tensor<?x?xi32>) -> tensor<?x2xi32>");
  expectTensor(runOne(outer, {make(DType::I32, {1, 2}, {1, 2}),
                              make(DType::I32, {2, 2}, {3, 4, 5, 6})}),
               DType::I32, {3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(run(outer, {make(DType::I32, {1, 2}, {1, 2}),
                          make(DType::I32, {1, 3}, {3, 4, 5})})
                  .empty());
  EXPECT_EQ(errors, "all dimensions but 0 agree; found (1, 2) and (1, 3)\n");
}

//===-- reductions --------------------------------------------------------===//

namespace {
class ReduceTest : public ReferenceTest {
protected:
  Tensor reduce(const std::string &kind, const Tensor &x,
                const std::string &from, const std::string &dims,
                const std::string &to) {
    return runOne(program("%x: " + from, to,
                          "  %r = flatir.reduce " + kind + " %x dims = " +
                              dims + " : " + from + " -> " + to),
                  {x});
  }
};
} // namespace

TEST_F(ReduceTest, Kinds) {
  Tensor x = make(DType::F32, {2, 3}, {1, 2, 3, 4, -5, 6});
  std::string from = "tensor<2x3xf32>";
  expectTensor(reduce("sum", x, from, "[1]", "tensor<2xf32>"), DType::F32, {2},
               {6, 5});
  expectTensor(reduce("sum", x, from, "[0]", "tensor<3xf32>"), DType::F32, {3},
               {5, -3, 9});
  expectTensor(reduce("prod", x, from, "[0, 1]", "tensor<f32>"), DType::F32, {},
               {-720});
  expectTensor(reduce("max", x, from, "[1]", "tensor<2xf32>"), DType::F32, {2},
               {3, 6});
  expectTensor(reduce("min", x, from, "[0]", "tensor<3xf32>"), DType::F32, {3},
               {1, -5, 3});
  Tensor b = make(DType::Bool, {2, 2}, {1, 1, 0, 1});
  expectTensor(reduce("and", b, "tensor<2x2xi1>", "[1]", "tensor<2xi1>"),
               DType::Bool, {2}, {1, 0});
  expectTensor(reduce("or", b, "tensor<2x2xi1>", "[0]", "tensor<2xi1>"),
               DType::Bool, {2}, {1, 1});
}

TEST_F(ReduceTest, EmptyGivesTheIdentity) {
  auto empty = [&](const std::string &kind, DType dtype) {
    std::string element(dtypeInfo(dtype).mlir);
    return reduce(kind, make(dtype, {2, 0}, {}), "tensor<2x0x" + element + ">",
                  "[1]", "tensor<2x" + element + ">")
        .toDouble(1);
  };
  EXPECT_EQ(empty("sum", DType::F32), 0);
  EXPECT_EQ(empty("prod", DType::F16), 1);
  EXPECT_EQ(empty("max", DType::F32), -inf);
  EXPECT_EQ(empty("min", DType::BF16), inf);
  EXPECT_EQ(empty("max", DType::I32), -2147483648.0);
  EXPECT_EQ(empty("min", DType::I32), 2147483647.0);
  EXPECT_EQ(empty("and", DType::Bool), 1);
  EXPECT_EQ(empty("or", DType::Bool), 0);
}

TEST_F(ReduceTest, NaNWins) {
  Tensor x = make(DType::F32, {3}, {1, nan_, 5});
  for (const char *kind : {"sum", "prod", "max", "min"})
    EXPECT_TRUE(std::isnan(
        reduce(kind, x, "tensor<3xf32>", "[0]", "tensor<f32>").toDouble(0)))
        << kind;
}

TEST_F(ReduceTest, SumsRoundOnce) {
  // In f16 steps 2048 + 1 + 1 stays 2048; in f32 steps 2^24 + 1 + 1 does.
  Tensor x = make(DType::F16, {3}, {2048, 1, 1});
  expectTensor(reduce("sum", x, "tensor<3xf16>", "[0]", "tensor<f16>"),
               DType::F16, {}, {2050});
  Tensor y = make(DType::F32, {3}, {0x1p24, 1, 1});
  expectTensor(reduce("sum", y, "tensor<3xf32>", "[0]", "tensor<f32>"),
               DType::F32, {}, {0x1p24 + 2});
  Tensor z = make(DType::I32, {2}, {2147483647.0, 1});
  expectTensor(reduce("sum", z, "tensor<2xi32>", "[0]", "tensor<i32>"),
               DType::I32, {}, {-2147483648.0});
}

TEST_F(ReduceTest, MiddleDimension) {
  Tensor x = make(DType::I32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expectTensor(reduce("sum", x, "tensor<2x2x2xi32>", "[1]", "tensor<2x2xi32>"),
               DType::I32, {2, 2}, {4, 6, 12, 14});
  expectTensor(reduce("sum", x, "tensor<2x2x2xi32>", "[0, 2]", "tensor<2xi32>"),
               DType::I32, {2}, {14, 22});
}

//===-- contractions ------------------------------------------------------===//

TEST_F(StructureTest, DotMatrices) {
  Tensor a = make(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = make(DType::F32, {3, 2}, {7, 8, 9, 10, 11, 12});
  expectTensor(
      runOne(program("%x: tensor<2x3xf32>, %y: tensor<3x2xf32>",
                     "tensor<2x2xf32>",
                     "  %r = flatir.dot %x, %y batch = [] x [] contract = [1] "
                     "x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> "
                     "tensor<2x2xf32>"),
             {a, b}),
      DType::F32, {2, 2}, {58, 64, 139, 154});
  expectTensor(
      runOne(program("%x: tensor<2x3xf32>, %y: tensor<2x3xf32>",
                     "tensor<3x3xf32>",
                     "  %r = flatir.dot %x, %y batch = [] x [] contract = [0] "
                     "x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                     "tensor<3x3xf32>"),
             {a, a}),
      DType::F32, {3, 3}, {17, 22, 27, 22, 29, 36, 27, 36, 45});
}

TEST_F(StructureTest, DotBatchesVectorsAndTwoContractions) {
  Tensor a = make(DType::I32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expectTensor(
      runOne(program("%x: tensor<2x2x2xi32>", "tensor<2x2x2xi32>",
                     "  %r = flatir.dot %x, %x batch = [2] x [0] contract = "
                     "[1] x [1] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> "
                     "tensor<2x2x2xi32>"),
             {a}),
      DType::I32, {2, 2, 2}, {10, 14, 26, 38, 38, 44, 86, 100});
  expectTensor(
      runOne(program("%x: tensor<2x2x2xi32>", "tensor<2x2xi32>",
                     "  %r = flatir.dot %x, %x batch = [] x [] contract = "
                     "[0, 1] x [1, 0] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) "
                     "-> tensor<2x2xi32>"),
             {a}),
      DType::I32, {2, 2},
      {1 + 15 + 15 + 49, 2 + 18 + 20 + 56, 2 + 20 + 18 + 56, 4 + 24 + 24 + 64});
  Tensor v = make(DType::F32, {2}, {3, -1});
  expectTensor(
      runOne(program("%x: tensor<2xf32>", "tensor<f32>",
                     "  %r = flatir.dot %x, %x batch = [] x [] contract = [0] "
                     "x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>"),
             {v}),
      DType::F32, {}, {10});
}

TEST_F(StructureTest, DotRoundsOnceAndWidens) {
  Tensor a = make(DType::F16, {1, 3}, {2048, 1, 1});
  Tensor b = make(DType::F16, {3, 1}, {1, 1, 1});
  auto text = [](const std::string &to) {
    return program("%x: tensor<1x3xf16>, %y: tensor<3x1xf16>",
                   "tensor<1x1x" + to + ">",
                   "  %r = flatir.dot %x, %y batch = [] x [] contract = [1] x "
                   "[0] : (tensor<1x3xf16>, tensor<3x1xf16>) -> tensor<1x1x" +
                       to + ">");
  };
  expectTensor(runOne(text("f16"), {a, b}), DType::F16, {1, 1}, {2050});
  Tensor c = make(DType::F16, {3, 1}, {1, 1, 0});
  expectTensor(runOne(text("f32"), {a, c}), DType::F32, {1, 1}, {2049});
}

TEST_F(StructureTest, DotOfQuantisedNumbers) {
  // 448 * 448 is no number of f16; nothing is rounded before the end.
  Tensor a = make(DType::F8E4M3FN, {1, 3}, {448, -448, 0x1p-9});
  Tensor b = make(DType::F8E4M3FN, {3, 1}, {448, 447, 416});
  auto text = [](const std::string &to) {
    return program("%x: tensor<1x3xf8E4M3FN>, %y: tensor<3x1xf8E4M3FN>",
                   "tensor<1x1x" + to + ">",
                   "  %r = flatir.dot %x, %y batch = [] x [] contract = [1] x "
                   "[0] : (tensor<1x3xf8E4M3FN>, tensor<3x1xf8E4M3FN>) -> "
                   "tensor<1x1x" +
                       to + ">");
  };
  // 447 is 448 in f8E4M3FN: the large products cancel.
  expectTensor(runOne(text("f32"), {a, b}), DType::F32, {1, 1}, {0.8125});
  expectTensor(runOne(text("f16"), {a, b}), DType::F16, {1, 1}, {0.8125});
  expectTensor(runOne(text("bf16"), {a, b}), DType::BF16, {1, 1}, {0.8125});
  expectTensor(runOne(text("f8E4M3FN"), {a, b}), DType::F8E4M3FN, {1, 1},
               {0.8125});
  // Beyond the largest number.
  Tensor c = make(DType::F8E4M3FN, {3, 1}, {448, -448, 0});
  expectTensor(runOne(text("f16"), {a, c}), DType::F16, {1, 1},
               {std::numeric_limits<double>::infinity()});
}

TEST_F(StructureTest, DotIsExactWhereTF32IsAllowed) {
  // 2^12 + 1 has 12 bits after the first: TF32 would lose the last.
  Tensor a = make(DType::F32, {1, 1}, {4097});
  expectTensor(
      runOne(program("%x: tensor<1x1xf32>", "tensor<1x1xf32>",
                     "  %r = flatir.dot %x, %x batch = [] x [] contract = [1] "
                     "x [0] allow_tf32 : (tensor<1x1xf32>, tensor<1x1xf32>) -> "
                     "tensor<1x1xf32>"),
             {a}),
      DType::F32, {1, 1}, {16785408});
}

TEST_F(StructureTest, DotOfNothing) {
  std::string text =
      program("%x: tensor<?x?xf32>, %y: tensor<?x?xf32>", "tensor<?x?xf32>",
              "  %r = flatir.dot %x, %y batch = [] x [] contract = [1] x [0] : "
              "(tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>");
  expectTensor(runOne(text, {make(DType::F32, {2, 0}, {}),
                             make(DType::F32, {0, 2}, {})}),
               DType::F32, {2, 2}, {0, 0, 0, 0});
  expectTensor(runOne(text, {make(DType::F32, {0, 2}, {}),
                             make(DType::F32, {2, 1}, {1, 2})}),
               DType::F32, {0, 1}, {});
  EXPECT_TRUE(run(text, {make(DType::F32, {1, 2}, {1, 2}),
                         make(DType::F32, {1, 2}, {1, 2})})
                  .empty());
  EXPECT_EQ(errors, "paired dimensions agree; found (1, 2) and (1, 2)\n");
}

/// A product of 512 terms takes no longer than 100 additions, element by
/// element.
TEST_F(StructureTest, DotIsFastEnough) {
  std::vector<double> ones(512 * 512, 1);
  Tensor x = make(DType::F32, {512, 512}, ones);
  const std::string type = "tensor<512x512xf32>";
  auto timeOf = [&](const std::string &line, double expected) {
    std::string text = program("%x: " + type, type, line);
    return leastTime([&] {
      EXPECT_EQ(runOne(text, {x}).toDouble(512 * 512 - 1), expected);
    });
  };
  double add = timeOf("  %r = flatir.add %x, %x : " + type, 2);
  double dot =
      timeOf("  %r = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : "
             "(" +
                 type + ", " + type + ") -> " + type,
             512);
  std::printf("dot %g s, add %g s\n", dot, add);
  EXPECT_LT(dot, 512 * add);
}
