//===- AllocationFailureTest.cpp - The CPU without memory -----------------===//
//
// Every allocation of every function of the C interface, of the C++ interface
// and of tripy-run fails in turn, once and lastingly: the outcome is the right
// one or an error that says so, and a later call works. AddressSanitizer finds
// what leaks.
//
//===----------------------------------------------------------------------===//

#include "AllocationFailures.h"
#include "RunTestUtil.h"
#include "RunTool.h"
#include "tripy/Runtime/IO/SafeTensors.h"
#include "tripy/Runtime/Report.h"
#include "tripy/runtime.h"

#include <cstring>
#include <type_traits>

using namespace tripy;
using namespace tripy::hooks;
using namespace tripy::runtests;
using namespace tripy::runtime;

namespace {

/// `code` is what a call returned that returns `right` with memory.
Outcome outcomeOf(tripy_code code, tripy_code right = TRIPY_OK) {
  Outcome outcome;
  outcome.isRight = code == right;
  // The thread's last error is there even when its text had no memory.
  outcome.isOutOfMemory = code == TRIPY_HOST_OUT_OF_MEMORY &&
                          std::strstr(tripy_last_error(), "no memory");
  outcome.describe(code == TRIPY_OK ? "ok" : tripy_last_error());
  return outcome;
}

Outcome outcomeOf(const Status &status, Code right = Code::Ok) {
  Outcome outcome;
  outcome.isRight = status.code() == right;
  outcome.isOutOfMemory = status.code() == Code::HostOutOfMemory &&
                          std::strstr(status.message().c_str(), "no memory");
  outcome.describe(status.message().c_str());
  return outcome;
}

tripy_tensor tensorOf(void *data, tripy_dtype dtype, int32_t rank,
                      const int64_t *shape) {
  return {data, TRIPY_CPU, 0, dtype, {}, rank, shape};
}

//===-- the C interface ---------------------------------------------------===//

/// The sample with y as a parameter, in files and loaded.
class CInterface : public testing::Test {
protected:
  void SetUp() override {
    bytes = samples::container(*samples::parameterSample());
    model = folder.path("m.tpx");
    weights = folder.path("w.safetensors");
    damaged = folder.path("damaged.tpx");
    ASSERT_TRUE(writeFile(model, bytes).isOk());
    ASSERT_TRUE(
        writeFile(damaged, std::span(bytes).first(bytes.size() / 2)).isOk());
    io::NamedTensor weight{"y", tensors.y.view()};
    ASSERT_TRUE(io::writeSafeTensors(weights, {&weight, 1}).isOk());
    options = tripy_load_options_default();
    options.trust_host_code = 1;
    options.threads = 2;
    x = tensorOf(tensors.x.data(), TRIPY_F32, 2, shape);
    y = tensorOf(tensors.y.data(), TRIPY_F32, 2, shape);
    outputs[0] = tensorOf(tensors.sum.data(), TRIPY_F32, 2, shape);
    outputs[1] = tensorOf(tensors.count.data(), TRIPY_I64, 1, shape);
    executable = load();
    ASSERT_EQ(tripy_executable_bind_parameter(executable, "y", &y), TRIPY_OK);
    ASSERT_EQ(tripy_context_create(executable, &context), TRIPY_OK);
  }
  void TearDown() override {
    tripy_context_free(context);
    tripy_executable_free(executable);
  }
  tripy_executable *load() {
    tripy_executable *loaded = nullptr;
    EXPECT_EQ(tripy_executable_load(model.c_str(), &options, &loaded),
              TRIPY_OK);
    return loaded;
  }
  /// `call` allocates something, and each of it fails; it returns `right`, or
  /// an Outcome.
  template <typename Call>
  void fails(const char *name, tripy_code right, Call call) {
    SCOPED_TRACE(name);
    auto action = [&] {
      if constexpr (std::is_same_v<decltype(call()), Outcome>)
        return call();
      else
        return outcomeOf(call(), right);
    };
    EXPECT_GT(failEachAllocation(name, action), 0u);
  }
  /// `call` is right without memory.
  template <typename Call> void succeeds(const char *name, Call call) {
    SCOPED_TRACE(name);
    EXPECT_EQ(failEachAllocation(name, [&] { return outcomeOf(call()); }), 0u);
  }
  /// A load whose result is freed; no result comes with an error.
  template <typename Load> tripy_code loadOnce(Load by) {
    tripy_executable *loaded = nullptr;
    tripy_code code = by(&loaded);
    if ((loaded != nullptr) != (code == TRIPY_OK))
      return TRIPY_INTERNAL;
    tripy_executable_free(loaded);
    return code;
  }
  /// Binds in an executable of its own: a parameter is bound once. What failed
  /// for want of memory has changed nothing.
  template <typename Bind> Outcome bindOnce(Bind bind) {
    tripy_executable *fresh = nullptr;
    {
      ShelteredAllocations shelter;
      fresh = load();
    }
    Outcome outcome = outcomeOf(bind(fresh));
    ShelteredAllocations shelter;
    EXPECT_EQ(tripy_executable_bind_parameter(fresh, "y", &y),
              outcome.isRight ? TRIPY_INVALID_ARGUMENT : TRIPY_OK)
        << tripy_last_error();
    tripy_executable_free(fresh);
    return outcome;
  }
  /// The first run of a context.
  Outcome runFirst() {
    tripy_context *made = nullptr;
    {
      ShelteredAllocations shelter;
      EXPECT_EQ(tripy_context_create(executable, &made), TRIPY_OK);
    }
    Outcome outcome =
        outcomeOf(tripy_context_run(made, &x, 1, outputs, 2, nullptr));
    ShelteredAllocations shelter;
    EXPECT_EQ(tripy_context_run(made, &x, 1, outputs, 2, nullptr), TRIPY_OK);
    tensors.expectResult();
    tripy_context_free(made);
    return outcome;
  }

  Folder folder;
  std::vector<uint8_t> bytes;
  std::string model, weights, damaged;
  SampleTensors tensors{4};
  int64_t shape[2] = {4, 3};
  tripy_load_options options;
  tripy_tensor x, y, outputs[2];
  tripy_executable *executable = nullptr;
  tripy_context *context = nullptr;
};

TEST_F(CInterface, Loads) {
  for (int copy : {0, 1}) {
    options.copy_file = copy;
    fails("load", TRIPY_OK, [&] {
      return loadOnce([&](tripy_executable **result) {
        return tripy_executable_load(model.c_str(), &options, result);
      });
    });
  }
  options.device = TRIPY_CPU;
  fails("load_memory", TRIPY_OK, [&] {
    return loadOnce([&](tripy_executable **result) {
      return tripy_executable_load_memory(bytes.data(), bytes.size(), &options,
                                          result);
    });
  });
  options.inspect_only = 1;
  fails("load to inspect", TRIPY_OK, [&] {
    return loadOnce([&](tripy_executable **result) {
      return tripy_executable_load(model.c_str(), &options, result);
    });
  });
}

TEST_F(CInterface, RefusesToLoad) {
  fails("a missing file", TRIPY_NOT_FOUND, [&] {
    return loadOnce([&](tripy_executable **result) {
      return tripy_executable_load("missing.tpx", &options, result);
    });
  });
  fails("a damaged file", TRIPY_TRUNCATED, [&] {
    return loadOnce([&](tripy_executable **result) {
      return tripy_executable_load(damaged.c_str(), &options, result);
    });
  });
  fails("host code", TRIPY_UNSUPPORTED, [&] {
    return loadOnce([&](tripy_executable **result) {
      return tripy_executable_load(model.c_str(), nullptr, result);
    });
  });
  fails("null", TRIPY_INVALID_ARGUMENT,
        [&] { return tripy_executable_load(nullptr, nullptr, nullptr); });
}

TEST_F(CInterface, Describes) {
  size_t count = 0;
  tripy_tensor_info info;
  tripy_device_kind device;
  const char *kernel = nullptr, *text = nullptr;
  int32_t isLibrary = 0;
  succeeds("input_count",
           [&] { return tripy_executable_input_count(executable, &count); });
  succeeds("input",
           [&] { return tripy_executable_input(executable, 1, &info); });
  succeeds("output_count",
           [&] { return tripy_executable_output_count(executable, &count); });
  succeeds("output",
           [&] { return tripy_executable_output(executable, 1, &info); });
  succeeds("device",
           [&] { return tripy_executable_device(executable, &device); });
  succeeds("launch_count",
           [&] { return tripy_executable_launch_count(executable, &count); });
  fails("input out of range", TRIPY_INVALID_ARGUMENT,
        [&] { return tripy_executable_input(executable, 9, &info); });
  fails("output out of range", TRIPY_INVALID_ARGUMENT,
        [&] { return tripy_executable_output(executable, 9, &info); });
  fails("launch_why", TRIPY_OK, [&] {
    return tripy_executable_launch_why(executable, 0, &kernel, &text);
  });
  EXPECT_STREQ(kernel, "add_f32");
  fails("launch_backend", TRIPY_OK, [&] {
    return tripy_executable_launch_backend(executable, 0, &isLibrary, &text);
  });
  for (tripy_code code = 0; code < 30; ++code)
    succeeds("code_name", [&] { return tripy_code_name(code) ? 0 : 1; });
  succeeds("the rest", [&] {
    int32_t major = 0, minor = 0;
    tripy_version(&major, &minor);
    return tripy_dtype_size(TRIPY_F32) == 4 && tripy_last_error() &&
                   tripy_load_options_default().struct_size > 0
               ? 0
               : 1;
  });
}

TEST_F(CInterface, Binds) {
  fails("bind_parameter", TRIPY_OK, [&] {
    return bindOnce([&](tripy_executable *fresh) {
      return tripy_executable_bind_parameter(fresh, "y", &y);
    });
  });
  fails("bind_parameters", TRIPY_OK, [&] {
    return bindOnce([&](tripy_executable *fresh) {
      return tripy_executable_bind_parameters(fresh, weights.c_str());
    });
  });
  fails("an unknown parameter", TRIPY_NOT_FOUND,
        [&] { return tripy_executable_bind_parameter(executable, "why", &y); });
  fails("a missing file", TRIPY_NOT_FOUND, [&] {
    return tripy_executable_bind_parameters(executable, "missing.safetensors");
  });
}

TEST_F(CInterface, Runs) {
  fails("context_create", TRIPY_OK, [&] {
    tripy_context *made = nullptr;
    tripy_code code = tripy_context_create(executable, &made);
    if ((made != nullptr) != (code == TRIPY_OK))
      return tripy_code(TRIPY_INTERNAL);
    tripy_context_free(made);
    return code;
  });
  int64_t shapes[2][TRIPY_MAX_RANK];
  succeeds("output_shapes", [&] {
    return tripy_context_output_shapes(context, &x, 1, shapes, 2);
  });
  succeeds("run", [&] {
    return tripy_context_run(context, &x, 1, outputs, 2, nullptr);
  });
  succeeds("enqueue", [&] {
    return tripy_context_enqueue(context, &x, 1, outputs, 2, nullptr);
  });
  tensors.expectResult();
  // A context that stages what is misaligned.
  std::vector<uint8_t> misaligned(49);
  std::memcpy(misaligned.data() + 1, tensors.x.data(), 48);
  x.data = misaligned.data() + 1;
  fails("the first run", TRIPY_OK, [&] { return runFirst(); });
  fails("too few inputs", TRIPY_INVALID_ARGUMENT,
        [&] { return tripy_context_run(context, &x, 0, outputs, 2, nullptr); });
  shape[0] = 9;
  fails("a wrong size", TRIPY_SHAPE_OUT_OF_RANGE,
        [&] { return tripy_context_run(context, &x, 1, outputs, 2, nullptr); });
}

//===-- C++ ---------------------------------------------------------------===//

TEST(AllocationFailure, TheCppInterfaceThrowsNothing) {
  auto executable = loadSample(*samples::parameterSample(), 2);
  SampleTensors tensors(4);
  auto arrange = [&](std::string_view name, bool inputs) {
    return [&executable, &tensors, name, inputs] {
      NamedTensor named{name, tensors.x.view()};
      auto arranged = inputs ? executable->arrangeInputs({&named, 1})
                             : executable->arrangeOutputs({&named, 1});
      return outcomeOf(arranged.status(),
                       name == "x" ? Code::Ok : Code::InvalidArgument);
    };
  };
  EXPECT_GT(failEachAllocation("arrangeInputs", arrange("x", true)), 0u);
  EXPECT_GT(failEachAllocation("a parameter", arrange("y", true)), 0u);
  EXPECT_GT(failEachAllocation("arrangeOutputs", arrange("summ", false)), 0u);
  EXPECT_GT(failEachAllocation("checkArgument",
                               [&] {
                                 return outcomeOf(executable->checkArgument(
                                                      3, tensors.x.view()),
                                                  Code::InvalidArgument);
                               }),
            0u);
  EXPECT_GT(
      failEachAllocation("createCpuDevice",
                         [] { return outcomeOf(createCpuDevice(3).status()); }),
      0u);
  EXPECT_GT(
      failEachAllocation("HostTensor",
                         [] {
                           return outcomeOf(
                               HostTensor::create(DType::F32, {3, 4}).status());
                         }),
      0u);
  EXPECT_GT(
      failEachAllocation("a shape",
                         [] {
                           return outcomeOf(
                               HostTensor::create(DType::F32, {-3, 4}).status(),
                               Code::InvalidArgument);
                         }),
      0u);
  ASSERT_TRUE(executable->bindParameter("y", tensors.y.view()).isOk());
  auto context = ExecutionContext::create(executable);
  ASSERT_TRUE(context);
  std::vector<double> seconds(1);
  EXPECT_GT(failEachAllocation("profile",
                               [&] {
                                 return outcomeOf((*context)->profile(
                                                      tensors.inputs,
                                                      tensors.outputs, seconds),
                                                  Code::InvalidArgument);
                               }),
            0u);
}

//===-- tripy-run ---------------------------------------------------------===//

/// Runs tripy-run; an error is a status of 2 with a sentence.
Outcome runTool(const std::vector<const char *> &arguments, int right) {
  run::ToolResult result = run::runTool(arguments);
  Outcome outcome;
  outcome.isRight = result.status == right && !result.outOfMemory;
  outcome.isOutOfMemory =
      result.status == 2 && result.out.empty() &&
      (result.outOfMemory || std::strstr(result.err.c_str(), "no memory"));
  outcome.describe(result.err.c_str());
  return outcome;
}

TEST(AllocationFailure, TripyRun) {
  Folder folder;
  std::string model = folder.path("m.tpx"), plain = folder.path("plain.tpx"),
              weights = folder.path("w.safetensors"),
              reference = "sum=@" + folder.path("r.npy"),
              output = "count=@" + folder.path("o.npy");
  SampleTensors tensors(4);
  io::NamedTensor weight{"y", tensors.y.view()};
  ASSERT_TRUE(io::writeSafeTensors(weights, {&weight, 1}).isOk());
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::parameterSample())).isOk());
  ASSERT_TRUE(
      writeFile(plain, samples::container(*samples::cpuSample())).isOk());
  auto check = [&](std::vector<const char *> arguments, int right = 0) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    EXPECT_GT(failEachAllocation(arguments.back(),
                                 [&] { return runTool(arguments, right); }),
              0u);
  };
  check({"--help"});
  check({"--unknown"}, 2);
  check({plain.c_str(), "--info"});
  check({"missing.tpx", "--info"}, 2);
  check({plain.c_str(), "--input", "x=ones", "--input", "y=random",
         "--threads=2"});
  check({plain.c_str(), "--input", "z=ones"}, 2);
  check({model.c_str(), "--input=x=ones:4x3", "--profile=why", "--weights",
         weights.c_str()});
  check({model.c_str(), "--input=x=ones:4x3", "--benchmark=1", "--json",
         "--weights", weights.c_str()});
  size_t entries = folder.entries();
  check({model.c_str(), "--input=x=ones:4x3", "--weights", weights.c_str(),
         "--output", output.c_str()});
  // The result, and nothing that an attempt has left.
  EXPECT_EQ(folder.entries(), entries + 1);
}

} // namespace
