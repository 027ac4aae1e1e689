//===- HoverPages.h - Pages of operations in answers of the server --------===//
//
// MLIR's language server answers a hover over an operation with its name and
// its generic form. This adds the operation's page to the answer.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_LSP_HOVERPAGES_H
#define TRIPY_TOOLS_LSP_HOVERPAGES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tripy::lsp {

/// The page of an operation in Markdown, as its definition has it; empty for
/// operations that are not Tripy's.
llvm::StringRef operationPage(llvm::StringRef name);

/// The JSON text of a message of the server with the page added, when it is an
/// answer to a hover over an operation that has one; else nothing.
std::optional<std::string> addOperationPage(llvm::StringRef message);

/// Copies messages, each behind a header with its length, from file descriptor
/// `from` to `to`, with pages added, until `from` ends. A stream that is no
/// sequence of messages is copied as it is.
void relayMessages(int from, int to);

} // namespace tripy::lsp

#endif // TRIPY_TOOLS_LSP_HOVERPAGES_H
