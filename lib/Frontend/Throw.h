//===- Throw.h - Errors of the frontend -------------------------*- C++ -*-===//
//
// Private to the frontend: from a status, or a sentence, to an exception.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_THROW_H
#define TRIPY_LIB_FRONTEND_THROW_H

#include "tripy/Frontend/Error.h"

namespace tripy::frontend {

/// Throws Error at the user's line.
[[noreturn]] void fail(Code code, const std::string &summary, SourceLoc loc,
                       std::vector<ErrorFrame> inputs = {});

/// Throws what `status` says, unless it is ok.
void check(const Status &status, SourceLoc loc);

/// The text of an error with a terminal's colours.
std::string colored(std::string_view text);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_THROW_H
