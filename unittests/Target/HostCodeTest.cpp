//===- HostCodeTest.cpp - Compiled and linked code runs -------------------===//

#include "tripy/Target/HostCode.h"

#include "tripy/Base/Float.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <regex>
#include <sys/mman.h>

using namespace tripy;
using namespace tripy::target;

namespace {

using Kernel = void (*)(void *const *, const int64_t *, int64_t, int64_t,
                        void *);

class HostCodeTest : public testing::Test {
protected:
  HostCodeTest() {
    context.loadDialect<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                        mlir::scf::SCFDialect, mlir::arith::ArithDialect>();
    context.printOpOnDiagnostic(false);
  }
  ~HostCodeTest() override {
    if (block)
      ::munmap(block, size);
  }

  mlir::FailureOr<HostCode> compile(const std::string &text,
                                    std::vector<std::string> kernels) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    Result<HostTarget> host = findHostTarget("x86-64");
    EXPECT_TRUE(host);
    mlir::ScopedDiagnosticHandler handler(
        &context,
        [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str(); });
    return compileHostCode(*module, kernels, *host);
  }

  /// Maps the code as the runtime does and returns entry `number`.
  Kernel map(const HostCode &code, size_t number) {
    size = code.bytes.size();
    block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(block, code.bytes.data(), size);
    ::mprotect(block, size, PROT_READ | PROT_EXEC);
    return reinterpret_cast<Kernel>(static_cast<char *>(block) +
                                    code.entries[number]);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string message;
  void *block = nullptr;
  size_t size = 0;
};

constexpr const char *header =
    "%buffers: !llvm.ptr, %sizes: !llvm.ptr, %begin: i64, %end: i64, "
    "%scratch: !llvm.ptr";

} // namespace

// A table of constants, reached by a relocation into another section.
TEST_F(HostCodeTest, Constants) {
  mlir::FailureOr<HostCode> code = compile(std::string(R"(
llvm.mlir.global internal constant @table(dense<[2.5, -1.0, 7.25, 0.5]> : tensor<4xf32>) : !llvm.array<4 x f32>
func.func @first()") + header + R"() { return }
func.func @lookup()" + header + R"() {
  %out = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %three = arith.constant 3 : i64
  %one = arith.constant 1 : index
  %from = arith.index_cast %begin : i64 to index
  %to = arith.index_cast %end : i64 to index
  scf.for %i = %from to %to step %one {
    %n = arith.index_cast %i : index to i64
    %k = arith.andi %n, %three : i64
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %from_p = llvm.getelementptr %table[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %x = llvm.load %from_p : !llvm.ptr -> f32
    %to_p = llvm.getelementptr %out[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %x, %to_p : f32, !llvm.ptr
  }
  return
})",
                                           {"first", "lookup"});
  ASSERT_TRUE(mlir::succeeded(code)) << message;
  EXPECT_NE(code->entries[0], code->entries[1]);
  float out[6] = {};
  void *buffers[] = {out};
  map(*code, 1)(buffers, nullptr, 1, 6, nullptr);
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[1], -1.0f);
  EXPECT_EQ(out[2], 7.25f);
  EXPECT_EQ(out[4], 2.5f);
}

// What LLVM calls by itself is in the block: copies, forward, backward, fills.
TEST_F(HostCodeTest, MemoryFunctions) {
  mlir::FailureOr<HostCode> code = compile(std::string(R"(
func.func @copy()") + header + R"() {
  %to = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %from = llvm.getelementptr %to[64] : (!llvm.ptr) -> !llvm.ptr, i8
  %up = llvm.getelementptr %to[3] : (!llvm.ptr) -> !llvm.ptr, i8
  %value = arith.constant 9 : i8
  "llvm.intr.memcpy"(%to, %from, %begin) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memmove"(%up, %to, %begin) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memset"(%from, %value, %end) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  return
})",
                                           {"copy"});
  ASSERT_TRUE(mlir::succeeded(code)) << message;
  uint8_t bytes[128];
  for (int i = 0; i < 128; ++i)
    bytes[i] = uint8_t(i);
  uint8_t expected[128];
  std::memcpy(expected, bytes, 128);
  std::memcpy(expected, expected + 64, 20);
  std::memmove(expected + 3, expected, 20);
  std::memset(expected + 64, 9, 5);
  void *buffers[] = {bytes};
  map(*code, 0)(buffers, nullptr, 20, 5, nullptr);
  EXPECT_EQ(std::memcmp(bytes, expected, 128), 0);
}

// x86-64 has no instruction that rounds f64 to f16 once: a support function.
TEST_F(HostCodeTest, RoundsF64ToF16) {
  mlir::FailureOr<HostCode> code = compile(std::string(R"(
func.func @round()") + header + R"() {
  %out = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %next = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %in = llvm.load %next : !llvm.ptr -> !llvm.ptr
  %one = arith.constant 1 : index
  %from = arith.index_cast %begin : i64 to index
  %to = arith.index_cast %end : i64 to index
  scf.for %i = %from to %to step %one {
    %n = arith.index_cast %i : index to i64
    %in_p = llvm.getelementptr %in[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f64
    %x = llvm.load %in_p : !llvm.ptr -> f64
    %y = llvm.fptrunc %x : f64 to f16
    %out_p = llvm.getelementptr %out[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f16
    llvm.store %y, %out_p : f16, !llvm.ptr
  }
  return
})",
                                           {"round"});
  ASSERT_TRUE(mlir::succeeded(code)) << message;
  // All f16 numbers, what lies half way between two, and its neighbours.
  std::vector<double> in = {0x1p-1074, 0x1p-1022, 1e-300, 1e300, INFINITY, NAN};
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
    double above = bits == 0x7bff ? 65536 : fromF16(bits + 1);
    double middle = (fromF16(bits) + above) / 2;
    in.insert(in.end(), {fromF16(bits), std::nextafter(middle, 0.0), middle,
                         std::nextafter(middle, INFINITY)});
  }
  for (size_t i = 0, n = in.size(); i < n; ++i)
    in.push_back(-in[i]);
  std::vector<uint16_t> out(in.size());
  void *buffers[] = {out.data(), in.data()};
  map(*code, 0)(buffers, nullptr, 0, int64_t(in.size()), nullptr);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(out[i], toF16(in[i])) << in[i];
}

// LLVM 22 stores the four bytes that the i16 was made of: two too many.
TEST_F(HostCodeTest, MaskedStoresOfOneLane) {
  module = mlir::parseSourceString<mlir::ModuleOp>(
      std::string("func.func @store(") + header + R"() {
  %out = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %next = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %in = llvm.load %next : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %in : !llvm.ptr -> vector<8xi32>
  %y = llvm.trunc %x : vector<8xi32> to vector<8xi16>
  %third = llvm.mlir.constant(dense<[false, false, true, false, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
  llvm.intr.masked.store %y, %out, %third {alignment = 2 : i32} : vector<8xi16>, vector<8xi1> into !llvm.ptr
  return
})",
      &context);
  ASSERT_TRUE(module);
  Result<HostTarget> host = findHostTarget("skylake-avx512");
  ASSERT_TRUE(host);
  mlir::FailureOr<std::string> text = printHostAssembly(*module, *host);
  ASSERT_TRUE(mlir::succeeded(text));
  // To 4(%address), two bytes.
  EXPECT_TRUE(
      std::regex_search(*text, std::regex("(movw|pextrw)\\s.*, 4\\(%r..\\)\n")))
      << *text;
}

TEST_F(HostCodeTest, RefusesLibraries) {
  mlir::FailureOr<HostCode> code = compile(std::string(R"(
llvm.func @sinf(f32) -> f32
func.func @call()") + header + R"() {
  %out = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %out : !llvm.ptr -> f32
  %y = llvm.call @sinf(%x) : (f32) -> f32
  llvm.store %y, %out : f32, !llvm.ptr
  return
})",
                                           {"call"});
  EXPECT_TRUE(mlir::failed(code));
  EXPECT_NE(message.find("may not call a library, but needs 'sinf'"),
            std::string::npos)
      << message;
}

TEST_F(HostCodeTest, RefusesWritableData) {
  mlir::FailureOr<HostCode> code = compile(std::string(R"(
llvm.mlir.global external @state(1 : i64) : i64
func.func @count()") + header + R"() {
  %p = llvm.mlir.addressof @state : !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> i64
  %y = arith.addi %x, %begin : i64
  llvm.store %y, %p : i64, !llvm.ptr
  return
})",
                                           {"count"});
  EXPECT_TRUE(mlir::failed(code));
  EXPECT_NE(message.find("may not have writable"), std::string::npos)
      << message;
}

TEST_F(HostCodeTest, NamesAMissingKernel) {
  mlir::FailureOr<HostCode> code = compile(
      std::string("func.func @here(") + header + ") { return }", {"there"});
  EXPECT_TRUE(mlir::failed(code));
  EXPECT_NE(message.find("no kernel 'there'"), std::string::npos) << message;
}
