//===- ThreadTexts.h - Texts that the C interface hands out -----*- C++ -*-===//
//
// The texts that tripy_last_error() and similar functions return live here, for
// each thread its own.
// Nothing that happens in a thread's first call can end the process: a
// thread_local object with a destructor would, when there is no memory to
// register it. Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_THREADTEXTS_H
#define TRIPY_LIB_RUNTIME_THREADTEXTS_H

#include <string>
#include <string_view>

namespace tripy::runtime {

struct ThreadTexts {
  std::string error;
  std::string why, backend;
};

/// Those of the calling thread; null when there is no memory for them.
ThreadTexts *threadTexts() noexcept;

/// Stores the sentence of a failure, or "no memory".
void setLastError(std::string_view message) noexcept;
/// The sentence of this thread's last failure, or "".
const char *lastError() noexcept;

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_THREADTEXTS_H
