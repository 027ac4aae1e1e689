//===- HostMemory.h - Aligned host memory -----------------------*- C++ -*-===//
//
// Host memory for tensors and arenas. A request beyond the machine's memory is
// refused before the allocator sees it. Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_HOSTMEMORY_H
#define TRIPY_LIB_RUNTIME_HOSTMEMORY_H

#include "tripy/Base/Status.h"

#include <cstdint>

namespace tripy::runtime {

inline constexpr uint32_t hostAlignment = 256;

/// Bytes of memory that this machine has.
uint64_t physicalMemory();

/// `bytes` > 0, aligned to hostAlignment. Errors: HostOutOfMemory.
Result<void *> allocateHost(uint64_t bytes);
void freeHost(void *address);

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_HOSTMEMORY_H
