//===- RunTestUtil.h - Helpers of the runtime's tests -----------*- C++ -*-===//
//
// Temporary folders, loaded samples, tensors with values. For unit tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_RUNTESTUTIL_H
#define TRIPY_UNITTESTS_RUNTIME_RUNTESTUTIL_H

#include "SampleProgram.h"
#include "tripy/Base/File.h"
#include "tripy/Base/Float.h"
#include "tripy/Runtime/ExecutionContext.h"
#include "tripy/runtime.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace tripy::runtests {

/// A folder that is removed at the end.
class Folder {
public:
  Folder() {
    std::string name = testing::TempDir() + "/tripy-run-XXXXXX";
    if (::mkdtemp(name.data()))
      folder = name;
  }
  ~Folder() { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const { return folder / name; }
  size_t entries() const {
    return size_t(
        std::distance(std::filesystem::directory_iterator(folder), {}));
  }

private:
  std::filesystem::path folder;
};

/// A tensor with values 0, 1, 2, ... times `step`.
inline runtime::HostTensor ramp(DType dtype, const runtime::Shape &shape,
                                double step = 1) {
  Result<runtime::HostTensor> tensor =
      runtime::HostTensor::create(dtype, shape);
  EXPECT_TRUE(tensor);
  for (uint64_t i = 0; i < tensor->elements(); ++i)
    storeFromDouble(dtype, tensor->data(), i, step * double(i));
  return std::move(*tensor);
}

inline std::shared_ptr<runtime::Executable>
loadSample(const samples::Sample &sample, uint32_t threads = 0) {
  runtime::LoadOptions options;
  options.trustHostCode = true;
  options.threads = threads;
  auto executable =
      runtime::Executable::loadBytes(samples::container(sample), options);
  EXPECT_TRUE(executable) << executable.status().message();
  return executable ? *executable : nullptr;
}

/// A sample loaded through the C interface.
struct SampleC {
  explicit SampleC(const samples::Sample &sample, uint32_t threads = 0) {
    std::vector<uint8_t> bytes = samples::container(sample);
    tripy_load_options options = tripy_load_options_default();
    options.trust_host_code = 1;
    options.threads = threads;
    EXPECT_EQ(tripy_executable_load_memory(bytes.data(), bytes.size(), &options,
                                           &executable),
              TRIPY_OK);
    EXPECT_EQ(tripy_context_create(executable, &context), TRIPY_OK);
  }
  SampleC(const SampleC &) = delete;
  SampleC &operator=(const SampleC &) = delete;
  ~SampleC() { free(); }

  void free() {
    tripy_context_free(std::exchange(context, nullptr));
    tripy_executable_free(std::exchange(executable, nullptr));
  }

  tripy_executable *executable = nullptr;
  tripy_context *context = nullptr;
};

/// Inputs and outputs of the CPU sample at one batch size.
struct SampleTensors {
  explicit SampleTensors(int64_t batch)
      : x(ramp(DType::F32, {batch, 3})), y(ramp(DType::F32, {batch, 3}, 10)),
        sum(ramp(DType::F32, {batch, 3}, 0)),
        count(ramp(DType::I64, {batch}, 0)), inputs{x.view(), y.view()},
        outputs{sum.view(), count.view()} {}

  void expectResult() const {
    for (size_t i = 0; i < sum.elements(); ++i)
      EXPECT_EQ(sum.as<float>()[i], 11.0f * float(i) + 100.0f + float(i));
    for (size_t i = 0; i < count.elements(); ++i)
      EXPECT_EQ(count.as<int64_t>()[i], int64_t(10 + i));
  }

  runtime::HostTensor x, y, sum, count;
  std::vector<runtime::TensorView> inputs, outputs;
};

} // namespace tripy::runtests

#endif // TRIPY_UNITTESTS_RUNTIME_RUNTESTUTIL_H
