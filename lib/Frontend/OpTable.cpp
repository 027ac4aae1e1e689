//===- OpTable.cpp - The operations of a graph ----------------------------===//
//
// Constant data: to make the table when it is first asked for would take longer
// than a process' first tensor may.
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

#include <array>

using namespace tripy::frontend;

namespace {
struct Nothing {};
} // namespace

static constexpr std::array<OpField, 0> fields(Nothing) { return {}; }
template <size_t N>
static constexpr std::array<OpField, N> fields(const OpField (&list)[N]) {
  return std::to_array(list);
}

#define TRIPY_LIST(...) __VA_ARGS__

namespace lists {
#define TRIPY_OP(id, name, operands, attributes)                               \
  static constexpr auto operandsOf##id = fields(TRIPY_LIST operands);          \
  static constexpr auto attributesOf##id = fields(TRIPY_LIST attributes);
#include "tripy/Frontend/OpTable.inc"
#undef TRIPY_OP
static constexpr auto pair = fields({{"lhs", Kind::Size}, {"rhs", Kind::Size}});
static constexpr auto value = fields({{"value", Kind::Index}});
static constexpr auto inputs = fields({{"inputs", Kind::Tensors}});
} // namespace lists

#define TRIPY_OP(id, name, operands, attributes)                               \
  {name, lists::operandsOf##id, lists::attributesOf##id},
static constexpr OpInfo table[] = {
#include "tripy/Frontend/OpTable.inc"
    {"arith.addi", lists::pair, {}},
    {"arith.subi", lists::pair, {}},
    {"arith.muli", lists::pair, {}},
    {"arith.floordivsi", lists::pair, {}},
    {"arith.constant", {}, lists::value},
    {"trace.plugin", lists::inputs, {}},
    {"", {}, {}},
};
#undef TRIPY_OP
#undef TRIPY_LIST
static_assert(std::size(table) == size_t(Op::Leaf) + 1);

const OpInfo &tripy::frontend::opInfo(Op op) { return table[size_t(op)]; }
