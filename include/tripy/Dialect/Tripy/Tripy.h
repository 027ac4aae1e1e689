//===- Tripy.h - The tripy dialect ------------------------------*- C++ -*-===//
//
// Attributes that all levels carry: profiles, names, parameters, reasons; and
// plugins. See TripyOps.td. All dialects and everything above them may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_TRIPY_H
#define TRIPY_DIALECT_TRIPY_TRIPY_H

#include "tripy/Dialect/Common/Contract.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tripy/Dialect/Tripy/TripyDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Tripy/TripyAttrs.h.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Tripy/TripyOps.h.inc"

namespace tripy {

/// The argument attributes; see the dialect's description.
constexpr llvm::StringLiteral nameAttrName = "tripy.name";
constexpr llvm::StringLiteral pathAttrName = "tripy.path";
constexpr llvm::StringLiteral profileAttrName = "tripy.profile";
constexpr llvm::StringLiteral dimsAttrName = "tripy.dims";
constexpr llvm::StringLiteral parameterAttrName = "tripy.parameter";

/// The unit attribute of a contraction on linalg that may use TF32.
constexpr llvm::StringLiteral allowTF32AttrName = "tripy.allow_tf32";

/// What default names start with: "arg0", "result0", ...
constexpr llvm::StringLiteral argumentPrefix = "arg";
constexpr llvm::StringLiteral resultPrefix = "result";

/// The name of an argument or result in the executable: its tripy.name, which
/// may come from the text (ToolSupport/ParseProgram.h), or the default.
std::string argumentName(mlir::FunctionOpInterface function, unsigned index);
std::string resultName(mlir::FunctionOpInterface function, unsigned index);

/// The profile of an argument, or null.
ProfileAttr profileOf(mlir::FunctionOpInterface function, unsigned index);
/// Whether an argument is a weight.
bool isParameter(mlir::FunctionOpInterface function, unsigned index);

/// What the verifier cannot ask of every function, but a function that is
/// compiled needs: each argument of dynamic shape, and each that is a size
/// (`index`), has a profile. Reports all arguments without, at their lines.
llvm::LogicalResult verifyProfiles(mlir::FunctionOpInterface function);

} // namespace tripy

#endif // TRIPY_DIALECT_TRIPY_TRIPY_H
