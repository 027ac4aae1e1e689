//===- NoThrow.h - No exception leaves the runtime --------------*- C++ -*-===//
//
// The runtime's functions return a Status or a Result; what the standard
// library throws ends at the functions of its interface. Private to
// lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_NOTHROW_H
#define TRIPY_LIB_RUNTIME_NOTHROW_H

#include "tripy/Base/Status.h"

#include <new>
#include <string_view>

namespace tripy::runtime {

/// What `body` returns, a Status or a Result. Without memory HostOutOfMemory:
/// "no memory `purpose`".
template <typename Body>
auto withoutExceptions(std::string_view purpose, Body body)
    -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory(purpose);
  }
}

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_NOTHROW_H
