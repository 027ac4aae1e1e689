//===- Arena.h - Intervals of the execution arena ---------------*- C++ -*-===//
//
// Private to lib/Codegen/Plan. Places buffers with lifetimes in one block of
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_PLAN_ARENA_H
#define TRIPY_LIB_CODEGEN_PLAN_ARENA_H

#include "tripy/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tripy::codegen {

using kernel::arenaAlignment;

/// A buffer that is needed from launch `first` to launch `last`, both included.
struct ArenaRequest {
  uint64_t bytes = 0;
  unsigned first = 0, last = 0;
};

struct ArenaLayout {
  /// One for each request; multiples of `arenaAlignment`.
  llvm::SmallVector<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// Places the largest buffers first, each into the smallest gap that fits
/// between those alive at the same time. None when the sum exceeds 2^63.
std::optional<ArenaLayout> layOutArena(llvm::ArrayRef<ArenaRequest> requests);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_PLAN_ARENA_H
