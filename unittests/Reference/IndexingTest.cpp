//===- IndexingTest.cpp - Gather and scan ---------------------------------===//

#include "Harness.h"

using namespace tripy;
using namespace tripy::reference;

using IndexingTest = ReferenceTest;

TEST_F(IndexingTest, GatherClampsAndCountsFromTheEnd) {
  const char *text = R"(
    func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>)
        -> (tensor<2x2x3xf32>, tensor<2x3x3xf32>) {
      %a = flatir.gather %x, %i dim = 1 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x2x3xf32>
      %b = flatir.gather %x, %i dim = 0 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3x3xf32>
      func.return %a, %b : tensor<2x2x3xf32>, tensor<2x3x3xf32>
    })";
  Tensor x = make(DType::F32, {2, 3}, {10, 11, 12, 20, 21, 22});
  Tensor i = makeI64({2, 3}, {0, 2, -1, -3, std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max()});
  auto r = run(text, {x, i});
  ASSERT_EQ(r.size(), 2u) << errors;
  expectTensor(r[0], DType::F32, {2, 2, 3},
               {10, 12, 12, 10, 10, 12, 20, 22, 22, 20, 20, 22});
  expectTensor(
      r[1], DType::F32, {2, 3, 3},
      {10, 11, 12, 20, 21, 22, 20, 21, 22, 10, 11, 12, 10, 11, 12, 20, 21, 22});
}

TEST_F(IndexingTest, GatherFromNothing) {
  const char *text = R"(
    func.func @main(%x: tensor<?x3xf32>, %i: tensor<?xi32>) -> tensor<?x3xf32> {
      %a = flatir.gather %x, %i dim = 0 : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<?x3xf32>
      func.return %a : tensor<?x3xf32>
    })";
  Tensor none = make(DType::F32, {0, 3}, {});
  auto r = run(text, {none, make(DType::I32, {0}, {})});
  ASSERT_EQ(r.size(), 1u) << errors;
  expectTensor(r[0], DType::F32, {0, 3}, {});
  EXPECT_TRUE(run(text, {none, make(DType::I32, {1}, {0})}).empty());
  EXPECT_NE(errors.find("the dimension is not empty, unless the index is"),
            std::string::npos)
      << errors;
}

TEST_F(IndexingTest, ScanSumsAlongOneDimension) {
  const char *text = R"(
    func.func @main(%x: tensor<2x3xf16>, %i: tensor<3xi32>)
        -> (tensor<2x3xf16>, tensor<2x3xf16>, tensor<3xi32>) {
      %a = flatir.scan %x dim = 1 : tensor<2x3xf16>
      %b = flatir.scan %x dim = 0 : tensor<2x3xf16>
      %c = flatir.scan %i dim = 0 : tensor<3xi32>
      func.return %a, %b, %c : tensor<2x3xf16>, tensor<2x3xf16>, tensor<3xi32>
    })";
  // 2048 + 1 rounds to 2048, but the sum goes on from 2049.
  Tensor x = make(DType::F16, {2, 3}, {2048, 1, 1, -1, 2, INFINITY});
  Tensor i = make(DType::I32, {3}, {2147483647, 1, 5});
  auto r = run(text, {x, i});
  ASSERT_EQ(r.size(), 3u) << errors;
  expectTensor(r[0], DType::F16, {2, 3}, {2048, 2048, 2050, -1, 1, INFINITY});
  expectTensor(r[1], DType::F16, {2, 3}, {2048, 1, 1, 2047, 3, INFINITY});
  expectTensor(r[2], DType::I32, {3},
               {2147483647, -2147483648.0, -2147483643.0});
}
