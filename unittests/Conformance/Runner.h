//===- Runner.h - Compiles, runs and compares a case ------------*- C++ -*-===//
//
// In one process: the reference evaluator, the compiler, and the runtime. The
// target is the CPU, or that of TRIPY_CONFORMANCE_TARGET ("cuda:sm_90a"). With
// TRIPY_CONFORMANCE_EMIT, programs are written to that folder instead of run,
// for conformance-replay; with TRIPY_CONFORMANCE_LIST, a line for each of their
// operations to that file. For the conformance tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CONFORMANCE_RUNNER_H
#define TRIPY_UNITTESTS_CONFORMANCE_RUNNER_H

#include "ProgramBuilder.h"

#include "tripy/Compiler/Compiler.h"

#include "mlir/IR/MLIRContext.h"

namespace tripy::conformance {

class Runner {
public:
  Runner();

  /// Reports every result that differs, and everything that fails, as a
  /// failure of the running test.
  void check(const Case &test);
  void check(const std::vector<Case> &tests);

  bool isForGPU() const { return options.device == DeviceKind::CUDA; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const Case &test);
  using Results = std::vector<std::vector<Tensor>>;
  /// What the program means, run by run; empty after a failure.
  Results expect(const Case &test);
  Results compute(const Case &test);
  void emit(const Case &test, const Results &expected,
            const std::string &folder);
  /// Appends "trace.exp<tab>f32<tab>NAME OF CASE" for each operation to `file`.
  void list(const Case &test, const std::string &file);
  /// The program as a .tpx file; empty after a failure.
  std::vector<uint8_t> compile(const Case &test);

  mlir::MLIRContext context;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
  CompileOptions options;
};

} // namespace tripy::conformance

#endif // TRIPY_UNITTESTS_CONFORMANCE_RUNNER_H
