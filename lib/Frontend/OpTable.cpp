//===- OpTable.cpp - The operations of a graph ----------------------------===//

#include "OpTable.h"

#include <vector>

using namespace tripy::frontend;

namespace {
struct Row {
  std::string_view name;
  std::vector<OpField> operands, attributes;
};
} // namespace

static const std::vector<Row> &rows() {
  static const std::vector<OpField> pair = {{"lhs", Kind::Size},
                                            {"rhs", Kind::Size}};
#define TRIPY_LIST(...) __VA_ARGS__
#define TRIPY_OP(id, name, operands, attributes)                               \
  {name, TRIPY_LIST operands, TRIPY_LIST attributes},
  static const std::vector<Row> table = {
#include "tripy/Frontend/OpTable.inc"
      {"arith.addi", pair, {}},
      {"arith.subi", pair, {}},
      {"arith.muli", pair, {}},
      {"arith.floordivsi", pair, {}},
      {"arith.constant", {}, {{"value", Kind::Index}}},
      {"trace.plugin", {{"inputs", Kind::Tensors}}, {}},
      {"", {}, {}},
  };
#undef TRIPY_OP
#undef TRIPY_LIST
  return table;
}

const OpInfo &tripy::frontend::opInfo(Op op) {
  static const std::vector<OpInfo> infos = [] {
    std::vector<OpInfo> list;
    for (const Row &row : rows())
      list.push_back({row.name, row.operands, row.attributes});
    return list;
  }();
  return infos[size_t(op)];
}
