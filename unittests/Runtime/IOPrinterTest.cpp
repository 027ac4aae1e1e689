//===- IOPrinterTest.cpp - Tensors as text --------------------------------===//

#include "IOTestUtil.h"

#include "tripy/Base/Float.h"
#include "tripy/Runtime/IO/TensorPrinter.h"

#include <cmath>
#include <limits>

using namespace tripy;
using namespace tripy::io;
using namespace tripy::iotest;
using runtime::HostTensor;
using runtime::Shape;

namespace {

std::string onGpu(const HostTensor &tensor) {
  return formatTensor(tensor.view(), formatLocation(DeviceKind::CUDA, 0));
}

/// A tensor of `dtype` that counts from 0.
HostTensor counting(DType dtype, const Shape &shape) {
  Result<HostTensor> tensor = HostTensor::create(dtype, shape);
  EXPECT_TRUE(tensor);
  for (uint64_t i = 0; i < tensor->elements(); ++i)
    storeFromDouble(dtype, tensor->data(), i, static_cast<double>(i));
  return std::move(*tensor);
}

std::string elements(const HostTensor &tensor) {
  return formatElements(tensor.view());
}

} // namespace

TEST(TensorPrinter, PrintsOneLine) {
  EXPECT_EQ(onGpu(floats({2}, {1.5f, 2.5f})),
            "tensor([1.5000, 2.5000], dtype=float32, loc=gpu:0, shape=(2,))");
  EXPECT_EQ(onGpu(floats({1, 1}, {6})),
            "tensor([[6.0000]], dtype=float32, loc=gpu:0, shape=(1, 1))");
  EXPECT_EQ(onGpu(floats({}, {1.5f})),
            "tensor(1.5000, dtype=float32, loc=gpu:0, shape=())");
  EXPECT_EQ(formatLocation(DeviceKind::CPU, 0), "cpu:0");
}

TEST(TensorPrinter, PrintsSeveralLines) {
  EXPECT_EQ(onGpu(floats({2, 1}, {18, 42})),
            "tensor(\n"
            "    [[18.0000],\n"
            "     [42.0000]], \n"
            "    dtype=float32, loc=gpu:0, shape=(2, 1))");
  EXPECT_EQ(onGpu(floats({1, 2}, {447.9999f, 1183.7289f})),
            "tensor(\n"
            "    [[447.9999, 1183.7289]], \n"
            "    dtype=float32, loc=gpu:0, shape=(1, 2))");
}

TEST(TensorPrinter, BreaksRowsAfterTen) {
  EXPECT_EQ(elements(counting(DType::I32, {12})),
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9,\n 10, 11]");
  EXPECT_EQ(elements(counting(DType::I32, {2, 11})),
            "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9,\n  10],\n"
            " [11, 12, 13, 14, 15, 16, 17, 18, 19, 20,\n  21]]");
}

TEST(TensorPrinter, SummarizesAboveForty) {
  EXPECT_EQ(elements(counting(DType::I32, {40})).find("..."),
            std::string::npos);
  EXPECT_EQ(elements(counting(DType::I32, {41})), "[0, 1, 2, ..., 38, 39, 40]");
  EXPECT_EQ(elements(counting(DType::I64, {8, 8})),
            "[[0, 1, 2, ..., 5, 6, 7],\n"
            " [8, 9, 10, ..., 13, 14, 15],\n"
            " [16, 17, 18, ..., 21, 22, 23],\n"
            " ...,\n"
            " [40, 41, 42, ..., 45, 46, 47],\n"
            " [48, 49, 50, ..., 53, 54, 55],\n"
            " [56, 57, 58, ..., 61, 62, 63]]");
  // Dimensions of at most six are kept whole.
  EXPECT_EQ(elements(counting(DType::I32, {6, 7})).substr(0, 30),
            "[[0, 1, 2, ..., 4, 5, 6],\n [7,");
}

TEST(TensorPrinter, SeparatesHigherRanksByBlankLines) {
  EXPECT_EQ(elements(counting(DType::I32, {2, 2, 1})),
            "[[[0],\n  [1]],\n\n [[2],\n  [3]]]");
  EXPECT_EQ(elements(counting(DType::I32, {2, 1, 1, 1})),
            "[[[[0]]],\n\n\n [[[1]]]]");
  EXPECT_EQ(onGpu(counting(DType::I32, {2, 1, 1})),
            "tensor(\n    [[[0]],\n\n     [[1]]], \n"
            "    dtype=int32, loc=gpu:0, shape=(2, 1, 1))");
}

TEST(TensorPrinter, PrintsIntegersInFull) {
  Result<HostTensor> tensor = HostTensor::create(DType::I64, {3});
  ASSERT_TRUE(tensor);
  tensor->as<int64_t>()[0] = std::numeric_limits<int64_t>::min();
  tensor->as<int64_t>()[1] = std::numeric_limits<int64_t>::max();
  tensor->as<int64_t>()[2] = 1234567;
  EXPECT_EQ(elements(*tensor),
            "[-9223372036854775808, 9223372036854775807, 1234567]");
  auto bytes = [](DType dtype, std::vector<uint8_t> data, Shape shape) {
    Result<HostTensor> made = HostTensor::create(dtype, shape);
    std::memcpy(made->data(), data.data(), data.size());
    return formatElements(made->view());
  };
  EXPECT_EQ(bytes(DType::I8, {0x80, 0x7f}, {2}), "[-128, 127]");
  EXPECT_EQ(bytes(DType::U8, {0x80, 0xff}, {2}), "[128, 255]");
  EXPECT_EQ(bytes(DType::I16, {0x00, 0x80}, {1}), "[-32768]");
  EXPECT_EQ(bytes(DType::I32, {0xff, 0xff, 0xff, 0xff}, {1}), "[-1]");
  EXPECT_EQ(bytes(DType::Bool, {1, 0}, {2}), "[True, False]");
  EXPECT_EQ(bytes(DType::Bool, {1}, {}), "True");
}

TEST(TensorPrinter, PrintsSmallFloats) {
  for (DType dtype :
       {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2, DType::F64})
    EXPECT_EQ(elements(counting(dtype, {3})), "[0.0000, 1.0000, 2.0000]")
        << dtypeName(dtype);
}

TEST(TensorPrinter, PrintsSpecialValues) {
  float inf = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(elements(floats({6}, {nan, -nan, inf, -inf, -0.0f, 1e38f})),
            "[nan, nan, inf, -inf, -0.0000, "
            "99999996802856924650656260769173209088.0000]");
  Result<HostTensor> huge = HostTensor::create(DType::F64, {1});
  huge->as<double>()[0] = -std::numeric_limits<double>::max();
  EXPECT_EQ(elements(*huge).size(), 2u + 310u + 5u);
}

TEST(TensorPrinter, PrintsEmptyTensors) {
  EXPECT_EQ(onGpu(floats({0}, {})),
            "tensor([], dtype=float32, loc=gpu:0, shape=(0,))");
  EXPECT_EQ(elements(floats({2, 0}, {})), "[[],\n []]");
  EXPECT_EQ(elements(floats({0, 1280}, {})), "[]");
  // Rows without elements are many and are cut all the same.
  EXPECT_LT(
      elements(floats({int64_t(1) << 40, int64_t(1) << 40, 0}, {})).size(),
      300u);
}

TEST(TensorPrinter, ReadsUnalignedData) {
  std::vector<uint8_t> bytes(9, 0);
  float one = 1;
  std::memcpy(bytes.data() + 1, &one, 4);
  std::memcpy(bytes.data() + 5, &one, 4);
  runtime::TensorView view{DType::F32, DeviceKind::CPU, 0, Shape{2},
                           bytes.data() + 1};
  EXPECT_EQ(formatElements(view), "[1.0000, 1.0000]");
}
