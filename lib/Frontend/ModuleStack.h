//===- ModuleStack.h - Calls of modules that go on now ----------*- C++ -*-===//
//
// Which modules a line of the user's program is in: "MLP.c_fc". Private to the
// frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_MODULESTACK_H
#define TRIPY_LIB_FRONTEND_MODULESTACK_H

#include "Lowering.h"

#include "tripy/Frontend/Module.h"

#include <memory>

namespace tripy::frontend {

/// Calls that lead to an operation, for all operations of one module's call.
struct ModuleCalls {
  /// "MLP.c_fc"; "" for functions outside of modules.
  std::string path;
  /// Where they stand, innermost first, but for the line of the operation.
  std::vector<Place> callers;
  /// The operation stands where the innermost module is called.
  bool isLayer = false;

  /// "MLP.c_fc.forward", for a line in `function`; lives as long as the
  /// process.
  const char *functionText(const char *function) const;
};

/// The calling thread's; null outside of modules and of functions that name
/// their caller.
std::shared_ptr<const ModuleCalls> currentModuleCalls();
/// The same while a function is being compiled, else null: what an evaluation
/// reports stands at the user's line.
std::shared_ptr<const ModuleCalls> tracedModuleCalls();

/// Whether a function is being compiled by this thread.
bool isTracing();
/// It is, as long as this lives.
class TraceScope {
public:
  TraceScope();
  ~TraceScope();
  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;
};

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_MODULESTACK_H
