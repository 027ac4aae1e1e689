//===- PluginDeclaration.h - Kernels that users bring -----------*- C++ -*-===//
//
// A tripy.plugin as plain data: what tripy::plugin() makes, calls hold on to,
// and the lowering inserts into the program.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_PLUGINDECLARATION_H
#define TRIPY_LIB_FRONTEND_PLUGINDECLARATION_H

#include "Lowering.h"

namespace tripy::frontend {

/// The code of a plugin for one kind of device.
struct PluginCode {
  /// "ptx", "cubin", "mlir" or "c".
  std::string kind, entry;
  /// The bytes of PTX or a cubin, or the text of a gpu.module.
  std::string code;
  /// Of "c": the name of the library, without folders.
  std::string library;
  std::vector<int64_t> block;
  std::vector<std::string> arguments;
};

/// A step of a size function: arithmetic on two earlier values, or a constant.
struct PluginSizeStep {
  Op op;
  int64_t number = 0;
  uint32_t lhs = 0, rhs = 0;
};

struct PluginDeclaration {
  std::string name;
  std::vector<TypeInfo> operands, results;
  std::vector<std::pair<std::string, DType>> parameters;
  std::vector<PluginCode> sources;
  /// The size function. Its values have numbers: first all sizes of all
  /// operands, then the steps.
  std::vector<PluginSizeStep> steps;
  std::vector<uint32_t> shapes, grid, shared, numbers;
  Place place;
  /// Equal for declarations that are the same but for their place; set when
  /// all else is.
  std::string identity;
};

/// What `identity` is to be.
std::string identityOf(const PluginDeclaration &declaration);

/// Whether the declaration keeps the rules of tripy.plugin. Errors:
/// InvalidArgument with the broken rule, or what is wrong with the text of a
/// gpu.module.
Status checkPlugin(const PluginDeclaration &declaration);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_PLUGINDECLARATION_H
