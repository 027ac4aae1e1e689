//===- OpTable.h - The operations of a graph --------------------*- C++ -*-===//
//
// One row for each operation of trace, made by tripy-tblgen, and for the
// arithmetic on sizes. Shared by the graph and its lowering; knows no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_OPTABLE_H
#define TRIPY_LIB_FRONTEND_OPTABLE_H

#include <cstdint>
#include <span>
#include <string_view>

namespace tripy::frontend {

/// What an operand or an attribute is in C++, and in MLIR.
enum class Kind : uint8_t {
  // Operands.
  Tensor,
  Optional,
  Tensors,
  Size,
  Sizes,
  // Attributes; a list of sizes has `Integers`.
  Integer,
  Integer32,
  Float,
  Float32,
  Unit,
  Bool,
  String,
  Type,
  Integers,
  DenseFloats,
  Floats,
  Number,
  Elements,
  /// A size that is known.
  Index,
};

struct OpField {
  std::string_view name;
  Kind kind;
};

enum class Op : uint16_t {
#define TRIPY_OP(id, name, operands, attributes) id,
#include "tripy/Frontend/OpTable.inc"
#undef TRIPY_OP
  SizeAdd,
  SizeSub,
  SizeMul,
  SizeDiv,
  SizeConstant,
  /// A kernel of the user's; its declaration is its first attribute, and values
  /// of its parameters follow.
  Plugin,
  /// A value that no operation computes: a constant or an argument.
  Leaf,
};

struct OpInfo {
  /// In MLIR: "trace.add".
  std::string_view name;
  std::span<const OpField> operands, attributes;

  /// "add".
  std::string_view shortName() const { return name.substr(name.find('.') + 1); }
};

/// The row of an operation; of a leaf, one without name.
const OpInfo &opInfo(Op op);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_OPTABLE_H
