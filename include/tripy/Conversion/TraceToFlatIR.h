//===- TraceToFlatIR.h - Makes trace programs explicit ----------*- C++ -*-===//
//
// The patterns of --trace-to-flatir, for passes that convert more at once.
// Conversion and everything above it may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CONVERSION_TRACETOFLATIR_H
#define TRIPY_CONVERSION_TRACETOFLATIR_H

#include "mlir/IR/PatternMatch.h"

#include <memory>

namespace tripy {

/// The lowering of trace to flatir for one dialect conversion. It lives as long
/// as the patterns.
class TraceLowering {
public:
  TraceLowering();
  ~TraceLowering();

  /// Adds a pattern for each operation of trace. They are for operations that
  /// are converted in the order of their block.
  void populatePatterns(mlir::RewritePatternSet &patterns);

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace tripy

#endif // TRIPY_CONVERSION_TRACETOFLATIR_H
