//===- Plugin.h - Kernels that users bring ----------------------*- C++ -*-===//
//
// What operations that call a tripy.plugin are checked against, and what their
// kernels take. All dialects and everything above them may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_PLUGIN_H
#define TRIPY_DIALECT_TRIPY_PLUGIN_H

#include "tripy/Dialect/Tripy/Tripy.h"

#include <array>
#include <optional>
#include <string>

namespace tripy {

/// Most blocks of a grid in x, y and z.
inline constexpr std::array<int64_t, 3> maxPluginGrid = {0x7fffffff, 65535,
                                                         65535};

/// What a kernel takes at one place.
struct PluginArgument {
  enum class Kind {
    Operand,    ///< pointer to operand `index`
    Result,     ///< pointer to result `index`
    Number,     ///< number `index` of the size function, as an i64
    Number32,   ///< the same as an i32
    Parameter,  ///< parameter `name`
    OperandDim, ///< size `dim` of operand `index`, as an i64
    ResultDim,  ///< size `dim` of result `index`, as an i64
  };
  Kind kind = Kind::Operand;
  unsigned index = 0, dim = 0;
  llvm::StringRef name = {};
};

/// Reads "operand 0", "result 0", "number 0", "number 0 as i32" or "parameter
/// alpha", and "dim of operand 0 1", "dim of result 0 1"; none for others.
std::optional<PluginArgument> parsePluginArgument(llvm::StringRef text);

/// The arguments of a source for CUDA: those that it states, or all.
llvm::SmallVector<std::string> argumentsOf(PluginOp plugin,
                                           PluginSourceAttr source);

/// The plugin of this name in the program that `from` is in; null if there is
/// none, or one that breaks rules of its own.
PluginOp findPlugin(mlir::Operation *from, llvm::StringRef name);

/// The rules of operations that call a plugin, and what is said of those that
/// are broken. `plugin` may not be null.
bool takesOperands(PluginOp plugin, mlir::TypeRange operands);
std::string describeOperands(PluginOp plugin, mlir::TypeRange operands);
bool takesParameters(PluginOp plugin, mlir::DictionaryAttr parameters);
std::string describeParameters(PluginOp plugin,
                               mlir::DictionaryAttr parameters);
bool givesResults(PluginOp plugin, mlir::TypeRange results);
std::string describeResults(PluginOp plugin, mlir::TypeRange operands,
                            mlir::TypeRange results);
bool hasPluginSizes(PluginOp plugin, mlir::TypeRange results, size_t sizes,
                    size_t grid, bool shared, size_t numbers);

/// The types that the size function gives for operands that the plugin takes:
/// sizes that it decides are static.
llvm::SmallVector<mlir::Type> resultTypes(PluginOp plugin,
                                          mlir::TypeRange operands);

/// Whether the PTX text has a kernel of this name.
bool hasPtxEntry(llvm::StringRef ptx, llvm::StringRef name);

} // namespace tripy

#endif // TRIPY_DIALECT_TRIPY_PLUGIN_H
