//===- DeviceCodeTest.cpp - Hand-written kernels and their limits ---------===//
//
// Compiles gpu.modules. What needs NVIDIA's assembler is skipped without one.
//
//===----------------------------------------------------------------------===//

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Target/NVVM.h"
#include "tripy/Target/Translate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tripy;
using namespace tripy::target;

namespace {

class DeviceCodeTest : public testing::TestWithParam<bool> {
protected:
  DeviceCodeTest() {
    context.loadDialect<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                        mlir::NVVM::NVVMDialect, mlir::arith::ArithDialect>();
    context.printOpOnDiagnostic(false);
    ::setenv("TRIPY_ASSEMBLER", GetParam() ? "ptxas" : "nvjitlink", 1);
  }
  ~DeviceCodeTest() override { ::unsetenv("TRIPY_ASSEMBLER"); }

  /// Compiles a module with the body `text`; `messages` gets what is said.
  mlir::FailureOr<DeviceCode>
  compile(const std::string &text, const llvm::StringMap<LaunchShape> &shapes,
          const std::string &chip = "sm_90a") {
    messages.clear();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "gpu.module @device_code {" + text + "}", &context);
    EXPECT_TRUE(module);
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(messages);
          stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
        });
    CacheOptions cache;
    cache.enabled = false;
    auto code = *module->getOps<mlir::gpu::GPUModuleOp>().begin();
    return compileDeviceCode(code, *findCudaTarget(chip), shapes, cache);
  }

  /// What is said of a module that must be refused; none: no assembler.
  std::optional<std::string> refusal(const std::string &text,
                                     const LaunchShape &shape,
                                     const std::string &chip = "sm_90a") {
    mlir::FailureOr<DeviceCode> code = compile(text, {{"k", shape}}, chip);
    if (mlir::succeeded(code) && code->cubins.empty())
      return std::nullopt;
    EXPECT_TRUE(mlir::failed(code)) << text;
    return messages;
  }

  bool isAccepted(const std::string &text, const LaunchShape &shape,
                  const std::string &chip = "sm_90a") {
    return mlir::succeeded(compile(text, {{"k", shape}}, chip));
  }

  mlir::MLIRContext context;
  std::string messages;
};

/// A kernel that keeps `values` numbers in registers at once.
std::string manyValues(int values) {
  std::string loads, stores;
  for (int i = 0; i < values; ++i) {
    std::string n = std::to_string(i);
    loads += "%a" + n + " = llvm.getelementptr %p[" + n +
             "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n%v" + n +
             " = llvm.load volatile %a" + n + " : !llvm.ptr<1> -> i32\n";
    stores = "llvm.store volatile %v" + n + ", %a" + n +
             " : i32, !llvm.ptr<1>\n" + stores;
  }
  return "gpu.func @k(%p: !llvm.ptr<1>) kernel {\n" + loads + stores +
         "gpu.return } loc(\"model.mlir\":7:3)";
}

/// A kernel with `bytes` of static shared memory.
std::string sharedArray(int bytes) {
  return "llvm.mlir.global internal @k.array() {addr_space = 3 : i32, "
         "alignment = 16 : i64} : !llvm.array<" +
         std::to_string(bytes) + R"( x i8>
    gpu.func @k(%p: !llvm.ptr<1>, %i: i64) kernel {
      %a = llvm.mlir.addressof @k.array : !llvm.ptr<3>
      %b = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
      %v = llvm.load volatile %p : !llvm.ptr<1> -> i8
      llvm.store volatile %v, %b : i8, !llvm.ptr<3>
      gpu.barrier
      %w = llvm.load volatile %a : !llvm.ptr<3> -> i8
      llvm.store volatile %w, %p : i8, !llvm.ptr<1>
      gpu.return
    } loc("model.mlir":7:3))";
}

} // namespace

/// With nvJitLink and with ptxas.
INSTANTIATE_TEST_SUITE_P(Assemblers, DeviceCodeTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &info) {
                           return info.param ? "ptxas" : "nvJitLink";
                         });

/// What needs no assembler: block, cluster, dynamic shared memory.
TEST_P(DeviceCodeTest, ShapesAreChecked) {
  std::string text = manyValues(1);
  EXPECT_TRUE(isAccepted(text, {{1024, 1, 1}, {8, 1, 1}, 232448}));
  EXPECT_EQ(*refusal(text, {{32, 32, 2}}),
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_90a: a block must have at most 1024 threads; found 2048\n");
  EXPECT_EQ(*refusal(text, {{32, 1, 1}, {1, 1, 1}, 232449}),
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_90a: a block must use at most 232448 bytes of shared memory; "
            "it needs 232449\n");
  EXPECT_EQ(*refusal(text, {{32, 1, 1}, {4, 1, 1}}, "sm_80"),
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_80: clusters need sm_90 or later; found one of 4 blocks\n");
  EXPECT_EQ(*refusal(text, {{32, 1, 1}, {1, 1, 1}, 101377}, "sm_89"),
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_89: a block must use at most 101376 bytes of shared memory; "
            "it needs 101377\n");
}

TEST_P(DeviceCodeTest, RegistersOfAllThreadsFit) {
  std::string text = manyValues(150);
  std::optional<std::string> said = refusal(text, {{512, 1, 1}});
  if (!said)
    GTEST_SKIP() << "no assembler";
  EXPECT_TRUE(llvm::StringRef(*said).starts_with(
      "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on sm_90a: "
      "512 threads with 1"))
      << *said;
  EXPECT_TRUE(llvm::StringRef(*said).contains(
      "but a block has 65536, enough for 384 such threads"))
      << *said;
  EXPECT_TRUE(isAccepted(text, {{384, 1, 1}})) << messages;
  // Nothing is known of a launch: nothing is refused.
  EXPECT_TRUE(mlir::succeeded(compile(text, {})));
}

TEST_P(DeviceCodeTest, StaticAndDynamicSharedMemoryFit) {
  std::string text = sharedArray(8192);
  for (auto [chip, maximum] : {std::pair("sm_80", 166912),
                               {"sm_89", 101376},
                               {"sm_90a", 232448},
                               {"sm_100a", 232448},
                               {"sm_120a", 101376}}) {
    uint64_t fits = maximum - 8192;
    std::optional<std::string> said =
        refusal(text, {{32, 1, 1}, {1, 1, 1}, fits + 16}, chip);
    if (!said)
      GTEST_SKIP() << "no assembler";
    EXPECT_EQ(*said,
              "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on " +
                  std::string(chip) + ": a block must use at most " +
                  std::to_string(maximum) +
                  " bytes of shared memory; it needs " +
                  std::to_string(maximum + 16) + " (8192 static and " +
                  std::to_string(fits + 16) + " dynamic)\n");
    EXPECT_TRUE(isAccepted(text, {{32, 1, 1}, {1, 1, 1}, fits}, chip))
        << chip << messages;
  }
}

TEST_P(DeviceCodeTest, TooMuchStaticSharedMemory) {
  std::optional<std::string> said = refusal(sharedArray(49168), {{32, 1, 1}});
  if (!said)
    GTEST_SKIP() << "no assembler";
  EXPECT_EQ(*said,
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_90a: a block must use at most 49152 bytes of static shared "
            "memory; it needs 49168\n");
  EXPECT_TRUE(isAccepted(sharedArray(49152), {{32, 1, 1}})) << messages;
}

TEST_P(DeviceCodeTest, LocalMemoryIsRemarkedOn) {
  std::string text = R"(
    gpu.func @k(%p: !llvm.ptr<1>, %i: i64) kernel {
      %n = llvm.mlir.constant(64 : i64) : i64
      %a = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
      %b = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %v = llvm.load volatile %p : !llvm.ptr<1> -> i8
      llvm.store volatile %v, %b : i8, !llvm.ptr
      %w = llvm.load volatile %a : !llvm.ptr -> i8
      llvm.store volatile %w, %p : i8, !llvm.ptr<1>
      gpu.return
    } loc("model.mlir":7:3))";
  mlir::FailureOr<DeviceCode> code = compile(text, {{"k", {{32, 1, 1}}}});
  ASSERT_TRUE(mlir::succeeded(code)) << messages;
  if (code->cubins.empty())
    GTEST_SKIP() << "no assembler";
  EXPECT_EQ(messages,
            "loc(\"model.mlir\":7:3): the kernel 'k' keeps 64 bytes in local "
            "memory (register spills or local arrays)\n");
}

/// Kernels that are compiled on several threads are in one cubin each.
TEST_P(DeviceCodeTest, ManyKernelsAreInOneCubinEach) {
  std::string text;
  llvm::StringMap<LaunchShape> shapes;
  for (int i = 0; i < 20; ++i) {
    std::string name = "kernel_" + std::to_string(i);
    text += "gpu.func @" + name +
            "(%p: !llvm.ptr<1>) kernel { %v = llvm.mlir.constant(" +
            std::to_string(i) +
            " : i32) : i32\n llvm.store %v, %p : i32, !llvm.ptr<1>\n "
            "gpu.return }\n";
    shapes[name] = {{32, 1, 1}};
  }
  mlir::FailureOr<DeviceCode> code = compile(text, shapes);
  ASSERT_TRUE(mlir::succeeded(code)) << messages;
  if (code->cubins.empty())
    GTEST_SKIP() << "no assembler";
  std::string bytes;
  for (const std::vector<uint8_t> &cubin : code->cubins)
    bytes.append(cubin.begin(), cubin.end());
  for (const auto &shape : shapes) {
    EXPECT_NE(bytes.find((".text." + shape.getKey()).str()), std::string::npos);
    EXPECT_NE(code->ptx.find((".entry " + shape.getKey()).str() + "("),
              std::string::npos);
  }
  EXPECT_EQ(code->ptx.find(".version"), code->ptx.rfind(".version"));
}

/// A planned program that launches a hand-written kernel in a shape of its own:
/// the error is at the launch's line when its grid is too large, else at the
/// kernel's.
TEST_P(DeviceCodeTest, LaunchesOfProgramsAreChecked) {
  context.loadDialect<mlir::func::FuncDialect, kernel::KernelDialect>();
  auto translate = [&](const std::string &config, int64_t grid) {
    messages.clear();
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(messages);
          stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
        });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        R"(func.func @main(%x: tensor<4xf32>) attributes {kernel.arena = 0 : i64,
              kernel.constants = [], kernel.output_names = ["y"],
              kernel.outputs = [tensor<4xf32>]} {
            %one = arith.constant 1 : index
            %n = arith.constant 16 : index
            %g = arith.constant )" +
            std::to_string(grid) + R"( : index
            %a = kernel.buffer input 0
            %b = kernel.buffer output 0
            kernel.launch @k grid(%g, %one, %one) buffers(%a, %b) bytes(%n, %n)
              sizes() written = 1 loc("model.mlir":2:1)
            return
          }
          kernel.func @k loop sizeArgs = [] config = <grid = () -> (1, 1, 1), )" +
            config + R"(> : (tensor<4xf32>) -> tensor<4xf32> {
          ^bb0(%x: tensor<4xf32>):
            kernel.yield %x : tensor<4xf32>
          }
          gpu.module @device_code {
            gpu.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
              gpu.return
            } loc("model.mlir":7:3)
          })",
        &context);
    if (!module)
      return false;
    TranslateOptions options;
    options.device = DeviceKind::CUDA;
    options.cuda = *findCudaTarget("sm_89");
    options.cache.enabled = false;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return mlir::succeeded(translateToProgram(*module, function, options));
  };
  std::string one = "cluster = [1, 1, 1], ";
  std::string threads = "block = [32, 1, 1], ";
  EXPECT_TRUE(translate(threads + one + "scratch = 101376", 0x7fffffff))
      << messages;
  EXPECT_FALSE(translate(threads + one + "scratch = 101377", 1));
  EXPECT_EQ(messages,
            "loc(\"model.mlir\":7:3): the kernel 'k' cannot be launched on "
            "sm_89: a block must use at most 101376 bytes of shared memory; "
            "it needs 101377\n");
  EXPECT_FALSE(translate("block = [1024, 2, 1], " + one + "scratch = 0", 1));
  // No chip has such blocks: the dialect refuses them.
  EXPECT_NE(messages.find("whose product is at most 1024; found [1024, 2, 1]"),
            std::string::npos)
      << messages;
  EXPECT_FALSE(translate(threads + "cluster = [2, 1, 1], " + "scratch = 0", 2));
  EXPECT_NE(messages.find("clusters need sm_90 or later"), std::string::npos)
      << messages;
  EXPECT_FALSE(translate(threads + one + "scratch = 0", 0x80000000));
  EXPECT_TRUE(llvm::StringRef(messages).starts_with(
      "loc(\"model.mlir\":2:1): the kernel 'k' would need 2147483648 blocks"))
      << messages;
}
