//===- TemporaryFiles.h - Names to remove at a signal -----------*- C++ -*-===//
//
// A table of fixed size with the temporary files of this process, which a
// signal handler can read. Private to lib/Base.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_BASE_TEMPORARYFILES_H
#define TRIPY_LIB_BASE_TEMPORARYFILES_H

#include <string>

namespace tripy {

/// Most temporary files of a process at one time. More descriptors than that
/// are rarely allowed.
inline constexpr int maxTemporaryFiles = 1024;

/// Puts a name into the table, before its file is made. Returns the number of
/// the entry; -1 when there is no room.
int reserveTemporary(const std::string &path);
/// Says that the file is there and `descriptor` is open for it.
void ownTemporary(int entry, int descriptor);
/// Takes the name out of the table; call it before `descriptor` is closed.
void releaseTemporary(int entry);

} // namespace tripy

#endif // TRIPY_LIB_BASE_TEMPORARYFILES_H
