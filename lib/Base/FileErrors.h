//===- FileErrors.h - Messages about files ----------------------*- C++ -*-===//
//
// Private to lib/Base.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_BASE_FILEERRORS_H
#define TRIPY_LIB_BASE_FILEERRORS_H

#include "tripy/Base/Status.h"
#include "tripy/Base/Text.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace tripy {

inline std::string quotedPath(const std::string &path) {
  return concat("'", printable(path, 1024), "'");
}

/// "cannot read 'x': " and what the system says of `error`.
inline Status fileError(std::string_view what, const std::string &path,
                        int error) {
  return Status(error == ENOENT ? Code::NotFound : Code::Io,
                concat("cannot ", what, " ", quotedPath(path), ": ",
                       std::strerror(error)));
}

inline Status notRegular(const std::string &path, bool isDirectory) {
  return Status(Code::InvalidArgument,
                concat(quotedPath(path), " must be a regular file, but is ",
                       isDirectory ? "a directory" : "a special file"));
}

} // namespace tripy

#endif // TRIPY_LIB_BASE_FILEERRORS_H
