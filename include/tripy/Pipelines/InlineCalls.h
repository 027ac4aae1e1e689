//===- InlineCalls.h - Calls of functions become what they call -*- C++ -*-===//
//
// A program is one function in the end: what it calls is put in the place of
// the calls, before anything else looks at it. Layer pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_INLINECALLS_H
#define TRIPY_PIPELINES_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tripy {

/// Operations that a program may have once its calls are inlined: as many as an
/// executable may have launches.
constexpr uint64_t maxInlinedOperations = 1'000'000;

/// Calls above one another that a location keeps: the outermost ones, and the
/// innermost.
constexpr unsigned maxCallDepth = 64;

/// Replaces all calls below `function`, with those that appear with them, by
/// the bodies of what they call. Operations have the locations of call sites:
/// the callee's place, in "f()", called from the caller's. Attributes of the
/// callee's arguments are for programs that start with it, and do not count
/// here.
///
/// Errors, at the call: a function that calls itself, directly or not; one
/// without body or with several blocks; more than maxInlinedOperations.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp function);

/// inlineCalls() for the functions that are public or that nobody calls; erases
/// the others, which are part of these then.
std::unique_ptr<mlir::Pass> createInlineCallsPass();
/// Registers tripy-inline-calls.
void registerInlineCallsPass();

} // namespace tripy

#endif // TRIPY_PIPELINES_INLINECALLS_H
