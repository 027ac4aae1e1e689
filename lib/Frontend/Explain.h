//===- Explain.h - Why an operation is there --------------------*- C++ -*-===//
//
// Errors of operations that the user did not write say what they are for, as
// the compiler's do: operations of functions that are written by hand, and the
// broadcast of an operand. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_EXPLAIN_H
#define TRIPY_LIB_FRONTEND_EXPLAIN_H

#include "Lowering.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::frontend {

/// What is recorded while it lives is introduced by Tripy, in order to do what
/// `reason` says: "broadcast the bias of 'outer'". Not copied: a literal.
class IntroducedScope {
public:
  explicit IntroducedScope(const char *reason);
  ~IntroducedScope();
  IntroducedScope(const IntroducedScope &) = delete;
  IntroducedScope &operator=(const IntroducedScope &) = delete;

  const char *const reason;
  /// The scope around it, on the same thread.
  const IntroducedScope *const outer;
};

/// Notes on an operation whose rule is broken with `message`, each a line.
std::vector<std::string> explain(Op op, std::string_view message,
                                 std::span<const TypeInfo *const> operands);

/// "float32 of shape (3, ?)", or "size".
std::string describe(const TypeInfo &type);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_EXPLAIN_H
