//===- MathHarness.h - Runs expanded math functions -------------*- C++ -*-===//
//
// Compiles a scalar function, given as MLIR text, to a loop over arrays for
// this machine, or to PTX. For the unit tests of lib/Codegen/Math.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CODEGEN_MATHHARNESS_H
#define TRIPY_UNITTESTS_CODEGEN_MATHHARNESS_H

#include "mlir/IR/Builders.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace tripy::test {

/// A function of one or two arguments, for example
///   {"math.powf %x, %y : f32", "f32", "f32"}
/// The first operation's result is %r. The types are those in memory, of LLVM.
/// `build`, where given, makes the body instead of the text.
struct ScalarFunction {
  std::string body;
  std::string input = "f32";
  std::string output = "f32";
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value, mlir::Value)>
      build = nullptr;
  /// The name of the value that is the function's result.
  std::string result = "r";
};

/// Its loop over `count` elements, y may be ignored.
using Loop = void (*)(const void *x, const void *y, void *out, int64_t count);

class CompiledLoop {
public:
  /// Aborts the test program when `function` does not compile.
  CompiledLoop(const ScalarFunction &function, bool fast16);
  ~CompiledLoop();
  Loop loop = nullptr;
  /// The optimised LLVM IR.
  std::string llvmIR;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// PTX for sm_90 of a kernel `run(x, y, out)` in which each thread computes one
/// element.
std::string compileToPTX(const ScalarFunction &function, bool fast16);

} // namespace tripy::test

#endif // TRIPY_UNITTESTS_CODEGEN_MATHHARNESS_H
