//===- ParseProgram.h - Reads a program, and what its text says -*- C++ -*-===//
//
// MLIR's parser forgets how values are called. A program's inputs and results
// are known by these names, so they are kept here. Tools and the compiler use
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_PARSEPROGRAM_H
#define TRIPY_PIPELINES_PARSEPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace mlir {
class ParserConfig;
} // namespace mlir

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tripy {

/// The attribute of a module that the compiler printed at a level: its options,
/// a dictionary with names as on the command line of tripy-compile.
constexpr llvm::StringLiteral optionsAttrName = "tripy.options";

class UserDiagnosticHandler;

/// Parses and verifies a program; diagnostics, those of wrong operations too,
/// know its inputs. Null after an error.
///
/// Arguments and results of functions that have no `tripy.name` get the name of
/// their value in the text: `%b` is 'b'. What MLIR's printer made up is no
/// name (`%0`, `%arg0`), nor are the parts of `%y:2`. A name that another
/// argument (or result) already has, or that would be the default of one, is
/// left out: the default stays.
///
/// `loc(unknown)` in a text becomes the place in the text. Bytecode has no
/// text: there it is an error, and there are no names.
mlir::OwningOpRef<mlir::ModuleOp>
parseProgram(std::shared_ptr<llvm::SourceMgr> sources,
             mlir::MLIRContext *context, UserDiagnosticHandler &handler);

/// The same with settings of the parser, which does not verify; it is done
/// afterwards with `verifies`.
mlir::OwningOpRef<mlir::ModuleOp>
parseProgram(std::shared_ptr<llvm::SourceMgr> sources,
             const mlir::ParserConfig &unverified,
             UserDiagnosticHandler &handler, bool verifies);

} // namespace tripy

#endif // TRIPY_PIPELINES_PARSEPROGRAM_H
