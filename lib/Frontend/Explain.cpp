//===- Explain.cpp - Why an operation is there ----------------------------===//

#include "Explain.h"

#include <algorithm>
#include <optional>

using namespace tripy;
using namespace tripy::frontend;

static thread_local const IntroducedScope *innermost = nullptr;

IntroducedScope::IntroducedScope(const char *reason)
    : reason(reason), outer(innermost) {
  innermost = this;
}
IntroducedScope::~IntroducedScope() { innermost = outer; }

//===-- types -------------------------------------------------------------===//

static std::string describe(const std::vector<int64_t> &sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += i ? ", " : "";
    text += sizes[i] < 0 ? "?" : std::to_string(sizes[i]);
  }
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::string tripy::frontend::describe(const TypeInfo &type) {
  if (type.isSize)
    return "size";
  return std::string(dtypeName(type.dtype)) + " of shape " +
         ::describe(type.sizes);
}

//===-- broadcasts --------------------------------------------------------===//

/// The rule of operations that broadcast their operands (TraceElementwise.td).
static constexpr std::string_view broadcastRule =
    "aligned at the last dimension, sizes are equal or one of them is 1";

/// "the right operand", or "the operand 'other'" of more than two.
static std::string operandName(Op op, size_t number, size_t count) {
  if (count == 2)
    return number == 0 ? "the left operand" : "the right operand";
  return "the operand '" + std::string(opInfo(op).operands[number].name) + "'";
}

namespace {
/// An operand that cannot have the shape of those in front of it.
struct Misfit {
  size_t operand, other;
  /// Of the operand, and the sizes that are no equals.
  size_t dim;
  int64_t size, wanted;
};
} // namespace

/// Sizes that operands are broadcast to: the first one that is not 1. Stops at
/// the first operand that does not fit, or finds none.
static std::optional<Misfit>
findMisfit(std::span<const TypeInfo *const> operands,
           std::vector<int64_t> &shape) {
  size_t rank = 0;
  for (const TypeInfo *type : operands)
    rank = std::max(rank, type->sizes.size());
  shape.assign(rank, 1);
  std::vector<size_t> from(rank, 0);
  std::optional<Misfit> misfit;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::vector<int64_t> &sizes = operands[i]->sizes;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      size_t at = rank - sizes.size() + dim;
      if (shape[at] == 1) {
        shape[at] = sizes[dim];
        from[at] = i;
      } else if (sizes[dim] != 1 && sizes[dim] >= 0 && shape[at] >= 0 &&
                 sizes[dim] != shape[at] && !misfit) {
        misfit = {i, from[at], dim, sizes[dim], shape[at]};
      }
    }
  }
  return misfit;
}

static std::string explainBroadcast(Op op,
                                    std::span<const TypeInfo *const> operands) {
  std::vector<int64_t> shape;
  std::optional<Misfit> misfit = findMisfit(operands, shape);
  if (!misfit)
    return "";
  size_t count = operands.size();
  return "Note: Tripy introduces an operation in order to broadcast " +
         operandName(op, misfit->operand, count) + " of '" +
         std::string(opInfo(op).shortName()) + "' from " +
         ::describe(operands[misfit->operand]->sizes) + " to " +
         ::describe(shape) + ", to be compatible with " +
         operandName(op, misfit->other, count) + "; the size " +
         std::to_string(misfit->size) + " of its dimension " +
         std::to_string(misfit->dim) + " is neither 1 nor " +
         std::to_string(misfit->wanted);
}

std::vector<std::string>
tripy::frontend::explain(Op op, std::string_view message,
                         std::span<const TypeInfo *const> operands) {
  std::vector<std::string> notes;
  if (message.find(broadcastRule) != message.npos)
    if (std::string note = explainBroadcast(op, operands); !note.empty())
      notes.push_back(std::move(note));
  for (auto *scope = innermost; scope; scope = scope->outer)
    notes.push_back(
        std::string("Note: Tripy introduced this operation in order to ") +
        scope->reason);
  return notes;
}
