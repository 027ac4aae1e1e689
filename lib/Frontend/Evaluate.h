//===- Evaluate.h - Computes the values of nodes ----------------*- C++ -*-===//
//
// Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_EVALUATE_H
#define TRIPY_LIB_FRONTEND_EVALUATE_H

#include "Graph.h"

#include <functional>

namespace tripy::frontend {

/// The value of each, which is computed where there is none: in one program.
/// Those that other work computes are waited for. Throws Error: what the
/// compiler says, or at `loc`.
std::vector<std::shared_ptr<const Storage>>
evaluate(std::span<const Value> values, SourceLoc loc);

/// The same without waiting: see Storage::work().
std::vector<std::shared_ptr<const Storage>>
evaluateWithoutWaiting(std::span<const Value> values, SourceLoc loc);

/// For one value whose elements are copied, which waits for them.
inline std::shared_ptr<const Storage> startEvaluation(const Value &value,
                                                      SourceLoc loc) {
  return evaluateWithoutWaiting(std::span(&value, 1), loc).front();
}

inline std::shared_ptr<const Storage> evaluate(const Value &value,
                                               SourceLoc loc) {
  return evaluate(std::span(&value, 1), loc).front();
}

/// Makes the copies to other devices that the values are computed from. Throws
/// Error.
void makeCopies(std::span<const Value> values, SourceLoc loc);

/// The elements in memory of `device`, which may have them already; see
/// Storage::work(). Throws Error at `loc`.
std::shared_ptr<const Storage> bringTo(const Device &device,
                                       std::shared_ptr<const Storage> storage,
                                       SourceLoc loc);

/// The copies that `values` are computed from and that have no value yet, each
/// behind those that it is computed from itself. Under graphMutex().
std::vector<std::shared_ptr<Node>> pendingCopies(std::span<const Value> values);

/// What values depend on, as a program.
struct Collected {
  GraphProgram program;
  /// The leaves that are inputs, in order, with their values; null for
  /// arguments of a function that is being compiled.
  std::vector<std::shared_ptr<const Storage>> inputs;
  std::vector<Value> leaves;
  /// The nodes of the steps, which must not go before the program.
  std::vector<std::shared_ptr<Node>> nodes;
};

/// Collects all results of the nodes of `values`; inputs are first `arguments`,
/// then the others as they are met. Under graphMutex().
Collected collect(std::span<const Value> values,
                  std::span<const Value> arguments = {});

/// The same for an evaluation, which appends to `values` what an earlier one
/// has computed and not kept, where something new is computed from it: of a
/// loop that carries a state and prints only its sum, each state is computed
/// twice. Where `isCompiled`, asked for the program that computes all of it
/// again, says that there is one, that program serves up to 15 times: the
/// second iteration of a loop that calls a model on a lazy input compiles
/// nothing. Under graphMutex().
Collected
collectAndKeep(std::vector<Value> &values,
               const std::function<bool(const Collected &)> &isCompiled);

/// Identifies a program, but for the values of its inputs.
std::string structureOf(const Collected &collected);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_EVALUATE_H
