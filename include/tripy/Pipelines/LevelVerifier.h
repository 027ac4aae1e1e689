//===- LevelVerifier.h - Checks where a level ends --------------*- C++ -*-===//
//
// The compiler checks what it made of a program at each level's end: once, and
// not after each pass, so that it can afford to in releases.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_LEVELVERIFIER_H
#define TRIPY_PIPELINES_LEVELVERIFIER_H

#include "tripy/Pipelines/Pipelines.h"
#include "tripy/Pipelines/Provenance.h"

#include "mlir/IR/BuiltinOps.h"

namespace tripy {

class LevelVerifier {
public:
  /// `module` is valid now. The user may have left out locations.
  explicit LevelVerifier(mlir::ModuleOp module)
      : module(module), before(module), needsLocations(before.isComplete()) {}

  /// Runs the verifiers of the IR and compares provenance with the level
  /// before. The first breach is one error, at its operation, that names the
  /// level: the compiler's fault, whatever the program.
  mlir::LogicalResult verify(Level reached);

private:
  mlir::ModuleOp module;
  ProvenanceSnapshot before;
  bool needsLocations;
};

} // namespace tripy

#endif // TRIPY_PIPELINES_LEVELVERIFIER_H
