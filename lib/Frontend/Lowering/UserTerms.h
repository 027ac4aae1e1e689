//===- UserTerms.h - Messages in the frontend's terms -----------*- C++ -*-===//
//
// Private to the lowering of graphs.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_USERTERMS_H
#define TRIPY_LIB_FRONTEND_LOWERING_USERTERMS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tripy::frontend {

/// "found 'tensor<2x?xf32>'" -> "found float32 of shape (2, ?)". Of a rule's
/// message, whose words for element types are MLIR's: "found 'i1'" -> "found
/// 'bool'". Numbers are short: "1.500000e+00" -> "1.5", "INF" -> "inf".
std::string inUserTerms(llvm::StringRef message);

/// The same for the text of the compiler's diagnostics, in which only types of
/// tensors are replaced: quoted words may be the user's names. Lines of source
/// and IR stay as they are. A program without profile has no text about one.
std::string diagnosticsInUserTerms(llvm::StringRef text, bool hasProfile);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_USERTERMS_H
