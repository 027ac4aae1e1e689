//===- CudaHardwareTest.cpp - The CUDA device on a real GPU ---------------===//
//
// Runs the test program of the fake driver as PTX, and measures what a run
// costs. Skipped on machines without an NVIDIA GPU of compute capability 9.0
// or later. On the CUDA emulator nothing is measured.
//
//===----------------------------------------------------------------------===//

#include "CudaTestProgram.h"

#include "Cuda/Image.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::cudatest;

namespace {

/// Each thread of scale and shift computes one element; a block of negate
/// moves 128 elements through shared memory by its tensor map.
constexpr const char *hardwarePtx = R"(.version 8.4
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 in, .param .u64 out, .param .u64 n) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;
  griddepcontrol.wait; griddepcontrol.launch_dependents;
  ld.param.u64 %d1, [n]; setp.ge.s64 %p, %d0, %d1; @%p bra END;
  ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out];
  shl.b64 %d4, %d0, 2; add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
  ld.global.f32 %f, [%d2]; add.f32 %f, %f, %f; st.global.f32 [%d3], %f;
END: ret;
}
.visible .entry shift(.param .u64 in, .param .u64 c, .param .u64 out,
                      .param .u64 n) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f<2>;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %d0, %r3;
  griddepcontrol.wait;
  ld.param.u64 %d1, [n]; setp.ge.s64 %p, %d0, %d1; @%p bra END;
  ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out]; ld.param.u64 %d5, [c];
  shl.b64 %d4, %d0, 2; add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
  ld.global.f32 %f0, [%d2]; ld.global.f32 %f1, [%d5];
  add.f32 %f0, %f0, %f1; st.global.f32 [%d3], %f0;
END: ret;
}
.visible .entry negate(.param .align 128 .b8 map[128], .param .u64 n) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<2>; .reg .f32 %f;
  .shared .align 128 .b8 tile[512]; .shared .align 8 .b64 bar;
  mov.b64 %d0, map; cvta.param.u64 %d0, %d0;
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 7;
  mov.u32 %r2, bar; mov.u32 %r3, tile;
  setp.ne.u32 %p, %r0, 0; @%p bra SYNC;
  mbarrier.init.shared::cta.b64 [%r2], 1;
  fence.mbarrier_init.release.cluster;
SYNC: bar.sync 0; @%p bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r2], 512;
  cp.async.bulk.tensor.1d.shared::cluster.global.tile
    .mbarrier::complete_tx::bytes [%r3], [%d0, {%r1}], [%r2];
WAIT: { .reg .pred %q;
  mbarrier.try_wait.parity.shared::cta.b64 %q, [%r2], 0; @!%q bra WAIT; }
  shl.b32 %r4, %r0, 2; add.s32 %r4, %r3, %r4;
  ld.shared.f32 %f, [%r4]; neg.f32 %f, %f; st.shared.f32 [%r4], %f;
  fence.proxy.async.shared::cta; bar.sync 0; @%p bra END;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group
    [%d0, {%r1}], [%r3];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: ret;
}
.visible .entry wild(.param .u64 n) {
  .reg .b64 %d; ld.param.u64 %d, [n]; st.global.u64 [%d], %d; ret;
}
)";

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class CudaHardware : public ::testing::Test {
protected:
  void SetUp() override {
    auto made = runtime::createCudaDevice(0);
    if (!made)
      GTEST_SKIP() << made.status().message();
    device = *made;
    test = makeTestProgram({});
    std::string text = hardwarePtx;
    test->addImage(
        ImageKind::PTX, "sm_90",
        std::vector<uint8_t>(text.c_str(), text.c_str() + text.size() + 1));
    auto prepared = device->prepare(test->program, {});
    if (prepared.status().code() == Code::ArchMismatch)
      GTEST_SKIP() << prepared.status().message();
    ASSERT_TRUE(prepared) << prepared.status().message();
  }
  bool isEmulated() const {
    return device->name().find("emulator") != std::string::npos;
  }
  void start(const CudaOptions &options) {
    Result<const DriverApi *> api = systemDriver();
    ASSERT_TRUE(api);
    auto made = cuda::createCudaDevice(**api, 0, options);
    ASSERT_TRUE(made) << made.status().message();
    context.reset();
    prepared.reset();
    buffers = {};
    device = *made;
    auto program = device->prepare(test->program, {});
    ASSERT_TRUE(program) << program.status().message();
    prepared = std::move(*program);
    context = std::move(*prepared->createContext());
    ASSERT_TRUE(buffers.allocate(device).isOk());
    ASSERT_TRUE(buffers.fill(*device).isOk());
  }
  void expectCorrect(int64_t n) {
    Status status = buffers.run(test->program, *prepared, *context, n);
    ASSERT_TRUE(status.isOk()) << status.message();
    Result<int64_t> correct = buffers.correct(*device);
    ASSERT_TRUE(correct) << correct.status().message();
    EXPECT_GE(*correct, n);
  }
  /// Host and GPU seconds of a run of `launches` launches of the first kernel.
  void measure(uint32_t launches, bool graph) {
    Launch launch = test->program.launches[0];
    test->program.launches.assign(launches, launch);
    ASSERT_NO_FATAL_FAILURE(start({graph ? 0 : launches, 16}));
    double host = 1e9, gpu = 1e9, update = 1e9;
    Result<CudaTimer> timer = CudaTimer::create(*device);
    ASSERT_TRUE(timer);
    void *other = buffers.x.data();
    Status status = buffers.with(
        test->program, *prepared, 256, [&](runtime::RunArguments a) {
          std::vector<void *> moved(a.buffers.begin(), a.buffers.end());
          std::swap(moved[0], moved[1]);
          for (int round = 0; round < 20; ++round) {
            constexpr int runs = 50;
            timer->start(nullptr).isOk();
            auto begin = Clock::now();
            for (int i = 0; i < runs; ++i)
              if (Status s = context->run(a, nullptr); !s.isOk())
                return s;
            host = std::min(host, secondsSince(begin) / runs);
            timer->stop(nullptr).isOk();
            gpu = std::min(gpu, *timer->seconds() / runs);
            begin = Clock::now();
            for (int i = 0; i < runs; ++i) {
              runtime::RunArguments b = a;
              if (i % 2 == 0)
                b.buffers = moved;
              if (Status s = context->run(b, nullptr); !s.isOk())
                return s;
            }
            update = std::min(update, secondsSince(begin) / runs);
            device->synchronize(nullptr).isOk();
          }
          return Status::ok();
        });
    ASSERT_TRUE(status.isOk()) << status.message();
    (void)other;
    std::printf("%3u launches %s: host %5.2f us, moved buffers %5.2f us, "
                "GPU %6.2f us a run\n",
                launches, graph ? "graph " : "direct", host * 1e6, update * 1e6,
                gpu * 1e6);
    // The machine may be busy: the figure is what counts, this is the fence.
    EXPECT_LT(host, graph ? 50e-6 : 20e-6 * launches);
  }

  std::unique_ptr<TestProgram> test;
  std::shared_ptr<runtime::Device> device;
  TestRun buffers;
  std::unique_ptr<runtime::DeviceProgram> prepared;
  std::unique_ptr<runtime::DeviceContext> context;
};

} // namespace

TEST_F(CudaHardware, ComputesWithGraphAndWithout) {
  for (uint32_t direct : {0, 8}) {
    ASSERT_NO_FATAL_FAILURE(start({direct, 4}));
    std::printf("%s, %s\n", device->name().c_str(),
                describeImage(*prepared).c_str());
    for (int64_t n : {1, 255, 256, 257, 1000, 4096, 1, 3, 0, 4095}) {
      ASSERT_NO_FATAL_FAILURE(expectCorrect(n));
      auto other = runtime::DeviceMemory::allocate(device, maxElements * 4);
      ASSERT_TRUE(other);
      std::swap(buffers.y, *other);
      ASSERT_NO_FATAL_FAILURE(expectCorrect(n));
    }
    // Overlapping launches read what their predecessor wrote, every time.
    for (int i = 0; i < (isEmulated() ? 10 : 1000); ++i)
      ASSERT_NO_FATAL_FAILURE(expectCorrect(4096));
  }
}

// A run may begin while the one before it runs, whose results it reads.
TEST_F(CudaHardware, ChainedRunsOverlap) {
  test->program.launches[0].overlapsPredecessor = true;
  test->program.launches[0].isOfFirstCall = true;
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/8, 4}));
  constexpr int length = 8;
  for (int repeat = 0; repeat < (isEmulated() ? 3 : 200); ++repeat) {
    ASSERT_TRUE(buffers.fill(*device).isOk());
    for (int i = 0; i < length; ++i) {
      Status status =
          buffers.run(test->program, *prepared, *context, maxElements);
      ASSERT_TRUE(status.isOk()) << status.message();
      std::swap(buffers.x, buffers.y);
    }
    std::vector<float> found(maxElements);
    ASSERT_TRUE(device
                    ->copyToHost(found.data(), buffers.x.data(),
                                 found.size() * 4, nullptr)
                    .isOk());
    ASSERT_TRUE(device->synchronize(nullptr).isOk());
    for (size_t i = 0; i < found.size(); ++i) {
      float value = static_cast<float>(i);
      for (int step = 0; step < length; ++step)
        value = -(2 * value + 3);
      ASSERT_EQ(found[i], value) << "at " << i << " of repeat " << repeat;
    }
  }
}

// Callers who pass no stream have their own work on the legacy default stream.
TEST_F(CudaHardware, KeepsTheOrderWithTheDefaultStream) {
  ASSERT_NO_FATAL_FAILURE(start({/*directLaunches=*/0, 4}));
  const DriverApi &api = **systemDriver();
  Result<runtime::Stream> stream = device->createStream();
  ASSERT_TRUE(stream);
  // Copies that take a while: 20 of 64 MB, some 600 us on an H200.
  const size_t large = isEmulated() ? 4096 : size_t(64) << 20;
  const size_t bytes = maxElements * sizeof(float);
  auto memory = [&](size_t size) {
    auto made = runtime::DeviceMemory::allocate(device, size);
    EXPECT_TRUE(made);
    return std::move(*made);
  };
  runtime::DeviceMemory from = memory(large), to = memory(large),
                        input = memory(bytes), found = memory(bytes);
  auto pointer = [](const runtime::DeviceMemory &m) {
    return reinterpret_cast<DevicePointer>(m.data());
  };
  auto copyByDefault = [&](const runtime::DeviceMemory &target,
                           const runtime::DeviceMemory &source, size_t size) {
    return api.memcpyDtoDAsync(pointer(target), pointer(source), size,
                               /*stream=*/nullptr);
  };
  std::vector<float> values(maxElements), zeros(maxElements);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  DeviceId id = 0;
  ContextHandle primary = nullptr;
  ASSERT_EQ(api.deviceGet(&id, 0), DriverResult::Success);
  ASSERT_EQ(api.devicePrimaryCtxRetain(&primary, id), DriverResult::Success);
  ASSERT_EQ(api.ctxPushCurrent(primary), DriverResult::Success);
  std::shared_ptr<void> release(nullptr, [&](void *) {
    api.ctxPopCurrent(&primary);
    api.devicePrimaryCtxRelease(id);
  });
  for (runtime::Stream used : {*stream, runtime::Stream()}) {
    for (int repeat = 0; repeat < (isEmulated() ? 2 : 50); ++repeat) {
      auto put = [&](const runtime::DeviceMemory &m, std::vector<float> &data) {
        return device->copyToDevice(m.data(), data.data(), bytes, nullptr)
            .isOk();
      };
      ASSERT_TRUE(put(input, values) && put(buffers.x, zeros) &&
                  put(buffers.y, zeros) && put(found, zeros));
      ASSERT_TRUE(device->synchronize(nullptr).isOk());
      // The input is late; the result is wanted at once.
      for (int i = 0; i < 20; ++i)
        ASSERT_EQ(copyByDefault(to, from, large), DriverResult::Success);
      ASSERT_EQ(copyByDefault(buffers.x, input, bytes), DriverResult::Success);
      Status status = buffers.with(test->program, *prepared, maxElements,
                                   [&](const runtime::RunArguments &a) {
                                     return context->run(a, used);
                                   });
      ASSERT_TRUE(status.isOk()) << status.message();
      ASSERT_EQ(copyByDefault(found, buffers.y, bytes), DriverResult::Success);
      ASSERT_EQ(api.streamSynchronize(nullptr), DriverResult::Success);
      std::swap(buffers.y, found);
      Result<int64_t> correct = buffers.correct(*device);
      ASSERT_TRUE(correct) << correct.status().message();
      ASSERT_EQ(*correct, maxElements) << "repeat " << repeat;
    }
  }
  device->destroyStream(*stream);
}

TEST_F(CudaHardware, MeasuresRuns) {
  if (isEmulated())
    GTEST_SKIP() << "the emulator's times say nothing";
  for (uint32_t launches : {1, 2, 3, 4, 6, 10, 50})
    for (bool graph : {false, true})
      ASSERT_NO_FATAL_FAILURE(measure(launches, graph));
}

TEST_F(CudaHardware, MeasuresCopies) {
  if (isEmulated())
    GTEST_SKIP() << "the emulator's times say nothing";
  Result<double> copy = measureCopyBandwidth(*device, uint64_t(1) << 30);
  ASSERT_TRUE(copy) << copy.status().message();
  std::printf("copy on the device: %.0f GB/s read and written\n", *copy / 1e9);
  EXPECT_GT(*copy, 1e11);
  std::vector<uint8_t> host(uint64_t(1) << 28, 7);
  auto memory = runtime::DeviceMemory::allocate(device, host.size());
  ASSERT_TRUE(memory);
  for (int i = 0; i < 3; ++i) {
    auto begin = Clock::now();
    ASSERT_TRUE(
        device->copyToDevice(memory->data(), host.data(), host.size(), nullptr)
            .isOk());
    ASSERT_TRUE(device->synchronize(nullptr).isOk());
    double in = secondsSince(begin);
    begin = Clock::now();
    ASSERT_TRUE(
        device->copyToHost(host.data(), memory->data(), host.size(), nullptr)
            .isOk());
    double out = secondsSince(begin), size = static_cast<double>(host.size());
    std::printf("pageable copies: to the device %.1f GB/s, back %.1f GB/s\n",
                size / in / 1e9, size / out / 1e9);
  }
}

TEST_F(CudaHardware, SurvivesWantOfMemory) {
  Status status = device->allocate(uint64_t(1) << 44).status();
  EXPECT_EQ(status.code(), Code::DeviceOutOfMemory);
  std::printf("%s\n", status.message().c_str());
  ASSERT_NO_FATAL_FAILURE(start({}));
  ASSERT_NO_FATAL_FAILURE(expectCorrect(100));
}

TEST_F(CudaHardware, RefusesForeignAndDamagedCode) {
  auto refused = [&](TestProgram &program) {
    Status status = device->prepare(program.program, {}).status();
    std::printf("%s\n", status.message().c_str());
    return status.code();
  };
  EXPECT_EQ(refused(*makeTestProgram({"sm_80"})), Code::ArchMismatch);
  // An ELF file that lies inside its bytes and is no machine code.
  EXPECT_NE(refused(*makeTestProgram({"sm_90a"})), Code::Ok);
  auto bad = makeTestProgram({});
  bad->addPtx("sm_80");
  EXPECT_NE(refused(*bad), Code::Ok) << "PTX without kernels";
  test->program.kernels[0].params.pop_back();
  EXPECT_EQ(refused(*test), Code::Malformed);
}

// Costs the process its GPU, so that it runs on request and by itself.
TEST_F(CudaHardware, DISABLED_IsLostAfterAnIllegalAddress) {
  Program &p = test->program;
  p.kernels.assign(1, p.kernels[2]);
  p.kernels[0].symbol = "wild";
  p.kernels[0].cluster = {1, 1, 1};
  p.kernels[0].params = {static_cast<uint8_t>(ArgKind::Size)};
  p.launches.resize(1);
  p.launches[0].args = {{ArgKind::Size, 0}};
  p.launches[0].accesses.clear();
  ASSERT_NO_FATAL_FAILURE(start({}));
  EXPECT_TRUE(buffers.run(p, *prepared, *context, 8).isOk());
  Status status = device->synchronize(nullptr);
  std::printf("%s\n", status.message().c_str());
  EXPECT_EQ(status.code(), Code::ContextLost);
  EXPECT_EQ(device->allocate(16).status().code(), Code::ContextLost);
}
