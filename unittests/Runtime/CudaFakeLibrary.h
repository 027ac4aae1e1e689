//===- CudaFakeLibrary.h - cuBLASLt over the fake driver --------*- C++ -*-===//
//
// Computes the product of SampleProgram.h as a kernel of the fake driver,
// counts what lives, and can fail any function. For unit tests; one fake exists
// at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_CUDAFAKELIBRARY_H
#define TRIPY_UNITTESTS_RUNTIME_CUDAFAKELIBRARY_H

#include "CudaFakeDriver.h"

#include "tripy/Runtime/Cuda/CublasLtApi.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tripy::cudatest {

namespace lt = cuda::lt;

/// A library whose calls can fail, and which counts what lives.
struct FakeLt {
  explicit FakeLt(FakeDriver &driver) : driver(driver) {
    now = this;
    driver.addKernel({"library", {8}, [](const FakeLaunch &launch) {
                        compute(*launch.param<Call *>(0));
                      }});
  }
  ~FakeLt() { now = nullptr; }

  /// What one call of matmul is given. Column-major.
  struct Call {
    const float *a, *b, *bias;
    float *d;
    int m, n, k, batch;
  };
  static void compute(const Call &call);

  cuda::CublasLtApi table();
  lt::Result enter(const std::string &function) {
    hooks::ShelteredAllocations shelter;
    ++calls[function];
    return function == broken ? lt::Result::InvalidValue : lt::Result::Success;
  }

  static inline FakeLt *now = nullptr;
  FakeDriver &driver;
  /// The function that fails.
  std::string broken;
  size_t version = 130100, workspaceBytes = 512;
  bool hasAlgorithm = true;
  std::map<std::string, int> calls, live;
  const void *bias = nullptr;
  int32_t batch = 1;
  std::vector<std::unique_ptr<Call>> made;
};

/// x (2, 3, 5) times w (2, 7, 5), transposed, plus a bias.
inline void FakeLt::compute(const Call &call) {
  for (int batch = 0; batch < 2; ++batch)
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 7; ++column) {
        float sum = call.bias[column];
        for (int k = 0; k < 5; ++k)
          sum += call.b[(batch * 3 + row) * 5 + k] *
                 call.a[(batch * 7 + column) * 5 + k];
        call.d[(batch * 3 + row) * 7 + column] = sum;
      }
}

template <typename Handle>
lt::Result make(const char *kind, const std::string &function, Handle *handle) {
  hooks::ShelteredAllocations shelter;
  lt::Result result = FakeLt::now->enter(function);
  if (result != lt::Result::Success)
    return result;
  ++FakeLt::now->live[kind];
  *handle = reinterpret_cast<Handle>(FakeLt::now);
  return result;
}

inline lt::Result drop(const char *kind) {
  hooks::ShelteredAllocations shelter;
  if (--FakeLt::now->live[kind] == 0)
    FakeLt::now->live.erase(kind);
  return lt::Result::Success;
}

inline lt::Result matmul(lt::Handle, lt::Desc, const void *, const void *a,
                         lt::Layout, const void *b, lt::Layout, const void *,
                         const void *, lt::Layout, void *d, lt::Layout,
                         const lt::Algorithm *, void *workspace, size_t bytes,
                         cuda::StreamHandle stream) {
  hooks::ShelteredAllocations shelter;
  FakeLt &fake = *FakeLt::now;
  lt::Result result = fake.enter("matmul");
  if (result != lt::Result::Success)
    return result;
  EXPECT_EQ(bytes, fake.workspaceBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(workspace) % 256, 0u);
  EXPECT_EQ(workspace != nullptr, bytes > 0);
  fake.made.push_back(std::make_unique<FakeLt::Call>(
      FakeLt::Call{static_cast<const float *>(a), static_cast<const float *>(b),
                   static_cast<const float *>(fake.bias),
                   static_cast<float *>(d), 7, 3, 5, 2}));
  FakeLt::Call *call = fake.made.back().get();
  void *params[] = {&call};
  const cuda::DriverApi &api = fake.driver.api();
  cuda::FunctionHandle function = fake.driver.function("library");
  cuda::LaunchConfig config = {1, 1, 1, 32, 1, 1, 0, stream, nullptr, 0};
  return api.launchKernelEx(&config, function, params, nullptr) == success
             ? lt::Result::Success
             : lt::Result::ExecutionFailed;
}

inline lt::Result heuristic(lt::Handle, lt::Desc, lt::Layout, lt::Layout,
                            lt::Layout, lt::Layout, lt::Preference, int,
                            lt::HeuristicResult *results, int *found) {
  FakeLt &fake = *FakeLt::now;
  *found = fake.hasAlgorithm ? 1 : 0;
  results[0] = {};
  results[0].workspaceBytes = fake.workspaceBytes;
  return fake.enter("heuristic");
}

inline cuda::CublasLtApi FakeLt::table() {
  cuda::CublasLtApi api = {};
  api.getVersion = [] { return now->version; };
  api.getStatusString = [](lt::Result) { return "a fault"; };
  api.create = [](lt::Handle *handle) {
    return make("handle", "create", handle);
  };
  api.destroy = [](lt::Handle) { return drop("handle"); };
  api.matmulDescCreate = [](lt::Desc *desc, lt::ComputeType compute,
                            lt::DataType) {
    EXPECT_EQ(compute, lt::ComputeType::FastTF32);
    return make("desc", "descCreate", desc);
  };
  api.matmulDescDestroy = [](lt::Desc) { return drop("desc"); };
  api.matmulDescSetAttribute = [](lt::Desc, lt::DescAttribute attribute,
                                  const void *value, size_t bytes) {
    if (attribute == lt::DescAttribute::BiasPointer)
      now->bias = *static_cast<const void *const *>(value);
    return now->enter("descSet" + std::to_string(int(attribute)));
  };
  api.matrixLayoutCreate = [](lt::Layout *layout, lt::DataType, uint64_t rows,
                              uint64_t, int64_t leading) {
    hooks::ShelteredAllocations shelter;
    EXPECT_EQ(int64_t(rows), leading);
    return make("layout",
                "layoutCreate" +
                    std::to_string(now->calls["layoutCreated"]++ % 3),
                layout);
  };
  api.matrixLayoutDestroy = [](lt::Layout) { return drop("layout"); };
  api.matrixLayoutSetAttribute = [](lt::Layout, lt::LayoutAttribute attribute,
                                    const void *, size_t) {
    return now->enter("layoutSet" + std::to_string(int(attribute)));
  };
  api.matmulPreferenceCreate = [](lt::Preference *preference) {
    return make("preference", "preferenceCreate", preference);
  };
  api.matmulPreferenceDestroy = [](lt::Preference) {
    return drop("preference");
  };
  api.matmulPreferenceSetAttribute = [](lt::Preference,
                                        lt::PreferenceAttribute attribute,
                                        const void *value, size_t) {
    // Constants are aligned less than memory.
    if (attribute == lt::PreferenceAttribute::ReductionSchemeMask)
      EXPECT_EQ(*static_cast<const uint32_t *>(value), lt::reduceInComputeType);
    return now->enter("preferenceSet" + std::to_string(int(attribute)));
  };
  api.matmulAlgoGetHeuristic = heuristic;
  api.matmul = matmul;
  return api;
}

} // namespace tripy::cudatest

#endif // TRIPY_UNITTESTS_RUNTIME_CUDAFAKELIBRARY_H
