//===- DLPackTest.cpp - Tensors of other libraries, and for them ----------===//

#include "tripy/Frontend/DLPack.h"
#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <thread>

namespace tp = tripy;
using Floats = std::vector<float>;

namespace {

/// A tensor of another library, which counts how often it is deleted.
template <typename Managed> struct Foreign {
  explicit Foreign(std::vector<int64_t> sizes = {2, 3}) : shape(sizes) {
    managed.dl_tensor.data = values;
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = int32_t(shape.size());
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.shape = shape.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) {
      ++static_cast<Foreign *>(self->manager_ctx)->deleted;
    };
  }
  void setStrides(std::vector<int64_t> list) {
    strides = std::move(list);
    managed.dl_tensor.strides = strides.data();
  }
  Managed managed = {};
  std::vector<int64_t> shape, strides;
  alignas(64) float values[6] = {0, 1, 2, 3, 4, 5};
  int deleted = 0;
};
using Legacy = Foreign<DLManagedTensor>;
struct Versioned : Foreign<DLManagedTensorVersioned> {
  Versioned() { managed.version = {1, 0}; }
};

} // namespace

/// Code and sentence of the error, which is at this file's line.
template <typename F>
static std::string errorOf(F call, tp::Code code = tp::Code::InvalidArgument) {
  try {
    call();
  } catch (const tp::Error &error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.frames().front().loc.file).find("DLPackTest"),
              std::string::npos);
    return error.summary();
  }
  return "nothing was thrown";
}

/// The error of importing; the tensor stays the caller's.
static std::string refusal(Legacy &foreign,
                           tp::Code code = tp::Code::InvalidArgument) {
  std::string text =
      errorOf([&] { tp::Tensor::fromDLPack(&foreign.managed); }, code);
  EXPECT_EQ(foreign.deleted, 0);
  return text;
}

TEST(DLPack, InWithoutCopy) {
  Legacy foreign;
  {
    tp::Tensor x = tp::Tensor::fromDLPack(&foreign.managed);
    EXPECT_EQ(x.dtype(), tp::float32);
    EXPECT_EQ(x.shape(), tp::Shape({2, 3}));
    EXPECT_EQ(x.device(), tp::Device::cpu());
    DLManagedTensorVersioned *out = x.toDLPack();
    EXPECT_EQ(out->dl_tensor.data, foreign.values);
    tp::Tensor twice = x * 2;
    x = tp::Tensor();
    EXPECT_EQ(twice.toVector<float>(), (Floats{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(foreign.deleted, 0); // `out` has it
    out->deleter(out);
    EXPECT_EQ(foreign.deleted, 1); // `twice` needs it no more
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DLPack, VersionedIn) {
  Versioned foreign;
  foreign.managed.version.minor = 99; // a newer minor version has this layout
  foreign.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_EQ(tp::sum(tp::Tensor::fromDLPack(&foreign.managed)).item<float>(),
            15);
  EXPECT_EQ(foreign.deleted, 1);

  Versioned newer;
  newer.managed.version = {2, 0};
  newer.managed.dl_tensor.ndim = -7; // must not be looked at
  EXPECT_EQ(errorOf([&] { tp::Tensor::fromDLPack(&newer.managed); },
                    tp::Code::UnsupportedVersion),
            "the DLPack tensor has major version 1; found 2.0");
  EXPECT_EQ(newer.deleted, 0);
}

TEST(DLPack, DeletedOnceByTheLastThread) {
  Legacy foreign;
  {
    tp::Tensor x = tp::Tensor::fromDLPack(&foreign.managed);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([copy = x] { EXPECT_EQ(copy.rank(), 2); });
    x = tp::Tensor();
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_EQ(foreign.deleted, 1);
  Legacy immortal;
  immortal.managed.deleter = nullptr;
  EXPECT_EQ(tp::Tensor::fromDLPack(&immortal.managed).rank(), 2);
}

TEST(DLPack, WhereTheElementsBegin) {
  Legacy foreign({2});
  foreign.managed.dl_tensor.byte_offset = 3 * sizeof(float);
  EXPECT_EQ(tp::Tensor::fromDLPack(&foreign.managed).toVector<float>(),
            (Floats{3, 4}));
  // Less aligned than a kernel needs it.
  Legacy odd({5});
  odd.managed.dl_tensor.byte_offset = sizeof(float);
  EXPECT_EQ((tp::Tensor::fromDLPack(&odd.managed) + 1).toVector<float>(),
            (Floats{2, 3, 4, 5, 6}));
}

TEST(DLPack, Scalars) {
  Legacy foreign(std::vector<int64_t>{});
  foreign.managed.dl_tensor.shape = nullptr;
  foreign.values[0] = 7;
  EXPECT_EQ(tp::Tensor::fromDLPack(&foreign.managed).item<float>(), 7);
}

TEST(DLPack, NoElements) {
  Legacy foreign({0, 3});
  foreign.managed.dl_tensor.data = nullptr;
  foreign.setStrides({100, -5});
  tp::Tensor x = tp::Tensor::fromDLPack(&foreign.managed);
  EXPECT_TRUE((x + 1).toVector<float>().empty());
  DLManagedTensor *out = x.toLegacyDLPack();
  EXPECT_EQ(out->dl_tensor.shape[0], 0);
  out->deleter(out);
}

TEST(DLPack, Strides) {
  Legacy plain;
  plain.setStrides({3, 1});
  EXPECT_EQ(tp::Tensor::fromDLPack(&plain.managed).toVector<float>()[5], 5);
  // Of a dimension of size 1, a stride says nothing.
  Legacy unit({1, 2, 1, 3});
  unit.setStrides({77, 3, -1, 1});
  EXPECT_EQ(tp::Tensor::fromDLPack(&unit.managed).toVector<float>()[5], 5);

  Legacy transposed({3, 2});
  transposed.setStrides({1, 3});
  EXPECT_EQ(refusal(transposed),
            "the DLPack tensor is row-major without gaps: the stride of "
            "dimension 1 of the shape (3, 2) is 1; found 3; make it contiguous "
            "first");
  Legacy broadcast;
  broadcast.setStrides({0, 1});
  EXPECT_NE(refusal(broadcast).find("dimension 0 of the shape (2, 3) is 3; "
                                    "found 0"),
            std::string::npos);
}

TEST(DLPack, BadTensors) {
  EXPECT_EQ(errorOf([] {
              tp::Tensor::fromDLPack(static_cast<DLManagedTensor *>(nullptr));
            }),
            "the DLPack tensor is given; found null");
  Legacy null;
  null.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(refusal(null), "the DLPack tensor has elements of the shape "
                           "(2, 3); found null");
  Legacy shapeless;
  shapeless.managed.dl_tensor.shape = nullptr;
  EXPECT_EQ(refusal(shapeless), "the DLPack tensor has a shape; found null");
  Legacy deep({1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(refusal(deep), "the DLPack tensor has a rank from 0 to 8; found 9");
  Legacy negative({2, -1});
  EXPECT_NE(refusal(negative).find("has sizes from 0"), std::string::npos);
  Legacy huge({int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_NE(refusal(huge, tp::Code::LimitExceeded).find("too many elements"),
            std::string::npos);
}

TEST(DLPack, BadElementTypes) {
  Legacy vectors;
  vectors.managed.dl_tensor.dtype.lanes = 4;
  EXPECT_EQ(refusal(vectors, tp::Code::DTypeMismatch),
            "the DLPack tensor has elements of 1 lane; found 4 lanes");
  for (auto [type, text] :
       {std::pair(DLDataType{kDLUInt, 16, 1}, "found uint of 16 bits"),
        {DLDataType{kDLComplex, 64, 1}, "found complex of 64 bits"},
        {DLDataType{kDLInt, 4, 1}, "found int of 4 bits"},
        {DLDataType{99, 8, 1}, "found type code 99 of 8 bits"}}) {
    Legacy foreign;
    foreign.managed.dl_tensor.dtype = type;
    EXPECT_NE(refusal(foreign, tp::Code::DTypeMismatch).find(text),
              std::string::npos);
  }
  Legacy truth({1});
  truth.managed.dl_tensor.dtype = {kDLBool, 8, 1};
  reinterpret_cast<uint8_t *>(truth.values)[0] = 2;
  EXPECT_EQ(refusal(truth), "the DLPack tensor of bool has bytes 0 and 1; "
                            "found 2 as element 0");
}

TEST(DLPack, BadDevices) {
  Legacy amd;
  amd.managed.dl_tensor.device = {kDLROCM, 0};
  EXPECT_EQ(refusal(amd, tp::Code::DeviceMismatch),
            "the DLPack tensor is on the CPU (type 1 or 3) or on a CUDA GPU "
            "(type 2 or 13); found device type 10, number 0");
  Legacy second;
  second.managed.dl_tensor.device.device_id = 1;
  EXPECT_NE(refusal(second, tp::Code::DeviceMismatch).find("device number 0"),
            std::string::npos);
  Legacy before;
  before.managed.dl_tensor.device = {kDLCUDA, -1};
  EXPECT_NE(refusal(before, tp::Code::DeviceMismatch).find("from 0"),
            std::string::npos);
  Legacy none;
  none.managed.dl_tensor.device = {kDLCUDA, 4096};
  EXPECT_THROW(tp::Tensor::fromDLPack(&none.managed), tp::Error);
  EXPECT_EQ(none.deleted, 0);
}

TEST(DLPack, Out) {
  DLManagedTensorVersioned *out;
  {
    tp::Tensor x = tp::iota({2, 3}, 1) + 1;
    out = x.toDLPack();
  }
  EXPECT_EQ(out->version.major, 1u);
  EXPECT_EQ(out->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  const DLTensor &tensor = out->dl_tensor;
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.shape[0], 2);
  EXPECT_EQ(tensor.shape[1], 3);
  EXPECT_EQ(tensor.strides[0], 3);
  EXPECT_EQ(tensor.strides[1], 1);
  EXPECT_EQ(tensor.byte_offset, 0u);
  EXPECT_EQ(tensor.dtype.code, kDLFloat);
  EXPECT_EQ(tensor.dtype.bits, 32);
  EXPECT_EQ(tensor.dtype.lanes, 1);
  EXPECT_EQ(tensor.device.device_type, kDLCPU);
  EXPECT_EQ(static_cast<const float *>(tensor.data)[2], 3);
  out->deleter(out);
  EXPECT_THROW(tp::Tensor().toDLPack(), tp::Error);
}

TEST(DLPack, EveryElementTypeGoesAround) {
  for (tp::DType dtype : {tp::float64, tp::float32, tp::float16, tp::bfloat16,
                          tp::float8, tp::float8_e5m2, tp::int64, tp::int32,
                          tp::int16, tp::int8, tp::uint8, tp::boolean}) {
    tp::Tensor x({1, 0, 1}, tp::int32);
    tp::Tensor y = tp::cast(x, dtype).eval();
    tp::Tensor again = tp::Tensor::fromDLPack(y.toDLPack());
    EXPECT_EQ(again.dtype(), dtype);
    EXPECT_EQ(tp::cast(again, tp::int32).toVector<int32_t>(),
              (std::vector<int32_t>{1, 0, 1}))
        << dtype;
  }
  tp::Tensor small = tp::cast(tp::ones({1}), tp::float8);
  EXPECT_EQ(errorOf([&] { small.toLegacyDLPack(); }),
            "DLPack before 1.1 has no element type float8; toDLPack() gives "
            "it");
}

TEST(DLPack, OfACompiledFunction) {
  Legacy foreign;
  tp::Tensor x = tp::Tensor::fromDLPack(&foreign.managed);
  auto fast = tp::compile([](const tp::Tensor &in) { return in + 1; },
                          tp::InputInfo({2, 3}, tp::float32));
  tp::Tensor y = fast(tp::copy(x, fast.device()));
  x = tp::Tensor();
  tp::Tensor z = tp::Tensor::fromDLPack(y.toLegacyDLPack());
  EXPECT_EQ(z.toVector<float>(), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(foreign.deleted, 1);
  // While compiling there is no value.
  EXPECT_THROW(tp::compile(
                   [](const tp::Tensor &in) {
                     return tp::Tensor::fromDLPack(in.toDLPack());
                   },
                   tp::InputInfo({1}, tp::float32)),
               tp::Error);
}

TEST(DLPack, OnTheDefaultDevice) {
  tp::Tensor x = (tp::ones({3}) * 2).eval();
  DLManagedTensorVersioned *out = x.toDLPack();
  bool isGpu = tp::defaultDevice().isGpu();
  EXPECT_EQ(out->dl_tensor.device.device_type, isGpu ? kDLCUDA : kDLCPU);
  tp::Tensor again = tp::Tensor::fromDLPack(out);
  EXPECT_EQ(again.device(), tp::defaultDevice());
  x = tp::Tensor();
  EXPECT_EQ((again + 1).toVector<float>(), (Floats{3, 3, 3}));
}
