//===- CudaTestProgram.h - A small CUDA program for tests -------*- C++ -*-===//
//
// y = -(2 x + 3) in three launches over the fake driver: one with plain
// buffers, one with a constant that overlaps its predecessor, one in clusters
// that works through a tensor map. For the unit tests of Runtime/Cuda.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_CUDATESTPROGRAM_H
#define TRIPY_UNITTESTS_RUNTIME_CUDATESTPROGRAM_H

#include "CudaFakeDriver.h"

#include "tripy/Base/Program.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Verify.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"
#include "tripy/Runtime/Device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tripy::cudatest {

/// The smallest ELF file that has what the loader checks: one empty section.
inline std::vector<uint8_t> tinyElf() {
  std::vector<uint8_t> elf(128, 0);
  const uint8_t start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::copy(std::begin(start), std::end(start), elf.begin());
  elf[40] = 64; // section table
  elf[58] = 64; // bytes of a section header
  elf[60] = 1;  // sections
  return elf;
}

inline constexpr const char *testPtx = ".version 8.4\n.target sm_80\n";
inline constexpr int64_t maxElements = 4096;

/// The program and the bytes that it points to.
struct TestProgram {
  Program program;
  std::vector<uint8_t> images;
  alignas(64) float constant[16] = {3};

  void addImage(ImageKind kind, std::string arch,
                const std::vector<uint8_t> &bytes) {
    images.resize((images.size() + 63) / 64 * 64);
    program.images.push_back(
        {kind, std::move(arch), images.size(), bytes.size()});
    images.insert(images.end(), bytes.begin(), bytes.end());
    program.imageData = images;
  }
  void addPtx(std::string arch) {
    std::string text = testPtx;
    addImage(
        ImageKind::PTX, std::move(arch),
        std::vector<uint8_t>(text.c_str(), text.c_str() + text.size() + 1));
  }
};

/// Expressions of the test program by name.
namespace expr {
inline constexpr TableIndex n = 0, four = 2, one = 4, blocks = 5, bytes = 6,
                            pairs = 7;
} // namespace expr

/// The three launches of the test program.
inline void addLaunches(Program &p) {
  using namespace expr;
  p.launches = {
      {0,
       {blocks, one, one},
       {{ArgKind::Buffer, 0}, {ArgKind::Buffer, 3}, {ArgKind::Size, n}},
       {{true, false, bytes}, {false, true, bytes}},
       0,
       false},
      {1,
       {blocks, one, one},
       {{ArgKind::Buffer, 3},
        {ArgKind::Buffer, 2},
        {ArgKind::Buffer, 1},
        {ArgKind::Size, n}},
       {{true, false, bytes}, {true, false, four}, {false, true, bytes}},
       0,
       true},
      {2,
       {pairs, one, one},
       {{ArgKind::TensorMap, 0}, {ArgKind::Size, n}},
       {{true, true, bytes}},
       noIndex,
       false}};
}

/// `images` names the architectures of machine code; none: sm_90a.
inline std::unique_ptr<TestProgram>
makeTestProgram(std::vector<std::string> archs = {"sm_90a"}) {
  using namespace expr;
  auto test = std::make_unique<TestProgram>();
  Program &p = test->program;
  p.device = DeviceKind::CUDA;
  p.name = "test";
  p.symbols = {{0, 0, 0, 256, maxElements, "n"}};
  // 0: n, 1: blocks, 2: one, 3: bytes, 4: twice the blocks, 5: constant bytes
  auto constant = [](int64_t value) {
    return SizeExpr{SizeOp::Constant, 0, 0, value};
  };
  p.exprs = {{SizeOp::Symbol, 0, 0, 0},
             constant(256),
             constant(4),
             constant(2),
             constant(1),
             {SizeOp::CeilDiv, 0, 1, 0},
             {SizeOp::Mul, 0, 2, 0},
             {SizeOp::Mul, 5, 3, 0}};
  p.inputs = {{"x", InputKind::Argument, DType::F32, {n}, noIndex}};
  p.outputs = {{"y", DType::F32, {n}, noIndex}};
  p.buffers = {{BufferKind::Input, 0, 0, 0},
               {BufferKind::Output, 0, 0, 0},
               {BufferKind::Constant, 0, 0, 64},
               {BufferKind::Arena, 0, 0, maxElements * 4}};
  p.arenaBytes = maxElements * 4;
  constexpr auto buffer = static_cast<uint8_t>(ArgKind::Buffer),
                 size = static_cast<uint8_t>(ArgKind::Size),
                 map = static_cast<uint8_t>(ArgKind::TensorMap);
  p.kernels = {{"scale", 0, {256, 1, 1}, {1, 1, 1}, 0, {buffer, buffer, size}},
               {"shift",
                0,
                {256, 1, 1},
                {1, 1, 1},
                4096,
                {buffer, buffer, buffer, size}},
               {"negate", 0, {128, 1, 1}, {2, 1, 1}, 0, {map, size}}};
  p.tensorMaps = {{1, DType::F32, {n}, {}, {128}, 0}};
  addLaunches(p);
  p.whys = {{{{"model.cpp", 12, 3, "trace.mul", ""}}}};
  p.constants = {reinterpret_cast<const uint8_t *>(test->constant), 64};
  for (std::string &arch : archs)
    test->addImage(ImageKind::Cubin, arch, tinyElf());
  return test;
}

/// Registers the program's kernels with the fake.
inline void addTestKernels(FakeDriver &driver) {
  driver.addKernel({"scale", {8, 8, 8}, [](const FakeLaunch &l) {
                      for (int64_t i = 0; i < l.param<int64_t>(2); ++i)
                        l.param<float *>(1)[i] = 2 * l.param<float *>(0)[i];
                    }});
  driver.addKernel({"shift", {8, 8, 8, 8}, [](const FakeLaunch &l) {
                      for (int64_t i = 0; i < l.param<int64_t>(3); ++i)
                        l.param<float *>(2)[i] =
                            l.param<float *>(0)[i] + *l.param<float *>(1);
                    }});
  driver.addKernel({"negate", {128, 8}, [](const FakeLaunch &l) {
                      auto *y = reinterpret_cast<float *>(l.param<uint64_t>(0));
                      for (int64_t i = 0; i < l.param<int64_t>(1); ++i)
                        y[i] = -y[i];
                    }});
}

/// Buffers for runs of a program, and the runs.
struct TestRun {
  runtime::DeviceMemory x, y, arena;

  Status allocate(std::shared_ptr<runtime::Device> device) {
    for (runtime::DeviceMemory *memory : {&x, &y, &arena}) {
      if (memory->data())
        continue;
      auto made = runtime::DeviceMemory::allocate(device, maxElements * 4);
      if (!made)
        return made.status();
      *memory = std::move(*made);
    }
    return Status::ok();
  }

  template <typename Call>
  Status with(const Program &program, const runtime::DeviceProgram &prepared,
              int64_t n, Call call) {
    std::vector<int64_t> symbols = {n}, sizes(program.exprs.size());
    if (Status status = evaluateSizes(program, symbols, sizes); !status.isOk())
      return status;
    void *buffers[] = {x.data(), y.data(),
                       const_cast<uint8_t *>(prepared.constants()),
                       arena.data()};
    return call(runtime::RunArguments{buffers, sizes, symbols});
  }

  Status run(const Program &program, const runtime::DeviceProgram &prepared,
             runtime::DeviceContext &context, int64_t n) {
    return with(program, prepared, n, [&](const runtime::RunArguments &a) {
      return context.run(a, nullptr);
    });
  }

  /// Sets x to 0, 1, 2 ...
  Status fill(runtime::Device &device) {
    std::vector<float> values(maxElements);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i);
    if (Status s = device.copyToDevice(x.data(), values.data(),
                                       values.size() * 4, nullptr);
        !s.isOk())
      return s;
    return device.synchronize(nullptr);
  }

  /// The number of leading elements of y that are right.
  Result<int64_t> correct(runtime::Device &device) {
    std::vector<float> values(maxElements);
    if (Status s = device.copyToHost(values.data(), y.data(), values.size() * 4,
                                     nullptr);
        !s.isOk())
      return s;
    if (Status s = device.synchronize(nullptr); !s.isOk())
      return s;
    int64_t i = 0;
    while (i < maxElements &&
           values[static_cast<size_t>(i)] == -(2 * static_cast<float>(i) + 3))
      ++i;
    return i;
  }
};

} // namespace tripy::cudatest

#endif // TRIPY_UNITTESTS_RUNTIME_CUDATESTPROGRAM_H
