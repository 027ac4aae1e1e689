//===- ParserMessages.h - What MLIR's parser says, in our terms -*- C++ -*-===//
//
// Private to lib/Pipelines. MLIR's parser reports a name that it does not know
// in words for those who build tools.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_PIPELINES_PARSERMESSAGES_H
#define TRIPY_LIB_PIPELINES_PARSERMESSAGES_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace tripy {

/// The message about an unknown operation, type, attribute or dialect: what is
/// accepted, what was found, and what may have been meant. `before` is the line
/// of text up to the place of the error. None for other messages.
std::optional<std::string> explainUnknown(llvm::StringRef message,
                                          llvm::StringRef before,
                                          mlir::MLIRContext *context);

/// Whether MLIR's parser ends at an error. It goes on after one alone, to list
/// all values that are not defined.
bool endsParser(llvm::StringRef message);

/// Whether a note of MLIR's parser says what explainUnknown() says.
bool isListOfDialects(llvm::StringRef note);

} // namespace tripy

#endif // TRIPY_LIB_PIPELINES_PARSERMESSAGES_H
