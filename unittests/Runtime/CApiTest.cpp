//===- CApiTest.cpp - The C interface -------------------------------------===//

#include "RunTestUtil.h"
#include "tripy/runtime.h"

#include <cstring>
#include <thread>

extern "C" {
int tripy_c_test_run(const char *path);
int tripy_c_test_errors(void);
int tripy_c_test_bad_tensors(const void *bytes, size_t size);
}

using namespace tripy;
using namespace tripy::runtests;

namespace {

TEST(CApi, RunsFromC) {
  Folder folder;
  ASSERT_TRUE(
      writeFile(folder.path("m.tpx"), samples::container(*samples::cpuSample()))
          .isOk());
  EXPECT_EQ(tripy_c_test_run(folder.path("m.tpx").c_str()), 0)
      << "line of CApiTest.c; " << tripy_last_error();
}

TEST(CApi, Errors) {
  EXPECT_EQ(tripy_c_test_errors(), 0)
      << "line of CApiTest.c; " << tripy_last_error();
}

TEST(CApi, BadTensors) {
  std::vector<uint8_t> bytes = samples::container(*samples::cpuSample());
  EXPECT_EQ(tripy_c_test_bad_tensors(bytes.data(), bytes.size()), 0)
      << "line of CApiTest.c; " << tripy_last_error();
}

TEST(CApi, LastErrorBelongsToTheThread) {
  tripy_executable *executable = nullptr;
  EXPECT_NE(tripy_executable_load(nullptr, nullptr, &executable), TRIPY_OK);
  std::thread other([] { EXPECT_STREQ(tripy_last_error(), ""); });
  other.join();
  EXPECT_STRNE(tripy_last_error(), "");
}

TEST(CApi, CodesAreThoseOfStatus) {
  // Spot checks at both ends; the numbers are written twice.
  EXPECT_STREQ(tripy_code_name(TRIPY_OK), "Ok");
  EXPECT_STREQ(tripy_code_name(TRIPY_SHAPE_OUT_OF_RANGE), "ShapeOutOfRange");
  EXPECT_STREQ(tripy_code_name(TRIPY_MALFORMED), "Malformed");
  EXPECT_STREQ(tripy_code_name(TRIPY_CONTEXT_LOST), "ContextLost");
  EXPECT_STREQ(tripy_code_name(TRIPY_INTERNAL), "Internal");
  for (const DTypeInfo &info : dtypeTable)
    EXPECT_EQ(tripy_dtype_size(tripy_dtype(info.dtype)),
              isPacked(info.dtype) ? 0 : info.size);
}

TEST(CApi, BytesOfTensors) {
  const int64_t sizes[] = {3, 5};
  for (const DTypeInfo &info : dtypeTable) {
    auto dtype = tripy_dtype(info.dtype);
    EXPECT_EQ(tripy_tensor_bytes(dtype, 2, sizes),
              info.dtype == DType::I4 ? 8u : 15u * info.size);
    EXPECT_EQ(tripy_tensor_bytes(dtype, 0, nullptr), info.size);
  }
  const int64_t none[] = {5, 0}, negative[] = {-1},
                huge[] = {int64_t(1) << 62, 8};
  EXPECT_EQ(tripy_tensor_bytes(TRIPY_I4, 2, none), 0u);
  EXPECT_EQ(tripy_tensor_bytes(TRIPY_I4, 1, negative), SIZE_MAX);
  EXPECT_EQ(tripy_tensor_bytes(TRIPY_I4, 2, huge), SIZE_MAX);
  EXPECT_EQ(tripy_tensor_bytes(TRIPY_I4, 9, huge), SIZE_MAX);
  EXPECT_EQ(tripy_tensor_bytes(TRIPY_I4, 1, nullptr), SIZE_MAX);
  EXPECT_EQ(tripy_tensor_bytes(200, 0, nullptr), SIZE_MAX);
}

} // namespace
