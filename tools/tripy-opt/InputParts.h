//===- InputParts.h - The parts of tripy-opt's input ------------*- C++ -*-===//
//
// mlir-opt's own parsing prints whole lines of whatever file a location names,
// may crash after an error, and forgets how values are called. So each part of
// the input is parsed before mlir-opt sees it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPY_OPT_INPUTPARTS_H
#define TRIPY_TOOLS_TRIPY_OPT_INPUTPARTS_H

#include "tripy/ToolSupport/ChildProcess.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tripy {

/// What a text calls an argument or a result of a function.
struct TextName {
  std::string function;
  bool isResult;
  unsigned index;
  std::string name;
};

class InputParts {
public:
  /// Each of several parts is parsed in a process of its own, unless there are
  /// no `limits`: then everything happens in this one.
  InputParts(const mlir::MlirOptMainConfig &config,
             mlir::DialectRegistry &registry, std::optional<ChildLimits> limits)
      : config(config), registry(registry), limits(limits) {}

  /// Parses and verifies each part, prints the errors, and takes the parts that
  /// have some away; all lines keep their numbers. Where diagnostics are
  /// expected, they are left to mlir-opt, and nothing is taken away.
  void read(std::unique_ptr<llvm::MemoryBuffer> &buffer);

  /// Adds `pipeline` for the next part; while it runs, its functions' arguments
  /// and results have their names, as `tripy.name`. To be called once
  /// for each part that parses, in their order.
  llvm::LogicalResult
  addNamed(mlir::PassManager &passes,
           llvm::function_ref<llvm::LogicalResult()> pipeline);

  /// That of the tool, as far as parsing decides it.
  int exitStatus() const { return status; }

private:
  int parse(llvm::MemoryBufferRef text, llvm::raw_ostream &os,
            std::vector<TextName> &names);
  bool readPart(llvm::MemoryBufferRef text, bool isOnly);

  const mlir::MlirOptMainConfig &config;
  mlir::DialectRegistry &registry;
  std::optional<ChildLimits> limits;
  /// Of the parts that mlir-opt has not seen yet.
  std::deque<std::vector<TextName>> names;
  int status = 0;
};

} // namespace tripy

#endif // TRIPY_TOOLS_TRIPY_OPT_INPUTPARTS_H
