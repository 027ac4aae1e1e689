//===- Arena.cpp - Intervals of the execution arena -----------------------===//

#include "Arena.h"

#include "tripy/Base/CheckedMath.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace tripy;
using namespace tripy::codegen;

namespace {
struct Placed {
  uint64_t begin, end;
  unsigned first, last;
};
} // namespace

/// Start of the smallest gap of at least `bytes` between the placed buffers
/// that are alive together with `request`; `placed` is sorted by `begin`.
static uint64_t findGap(llvm::ArrayRef<Placed> placed,
                        const ArenaRequest &request, uint64_t bytes) {
  uint64_t best = 0, bestSize = UINT64_MAX, end = 0;
  for (const Placed &other : placed) {
    if (other.last < request.first || request.last < other.first)
      continue;
    if (other.begin > end && other.begin - end >= bytes &&
        other.begin - end < bestSize) {
      best = end;
      bestSize = other.begin - end;
    }
    end = std::max(end, other.end);
  }
  return bestSize == UINT64_MAX ? end : best;
}

std::optional<ArenaLayout>
codegen::layOutArena(llvm::ArrayRef<ArenaRequest> requests) {
  ArenaLayout layout;
  layout.offsets.resize(requests.size());
  llvm::SmallVector<unsigned> order(requests.size());
  std::iota(order.begin(), order.end(), 0u);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return requests[a].bytes > requests[b].bytes;
  });
  llvm::SmallVector<Placed> placed;
  for (unsigned number : order) {
    const ArenaRequest &request = requests[number];
    if (request.bytes == 0)
      continue;
    std::optional<uint64_t> bytes =
        checkedAlignUp(request.bytes, arenaAlignment);
    if (!bytes || *bytes >> 63)
      return std::nullopt;
    uint64_t begin = findGap(placed, request, *bytes);
    std::optional<uint64_t> end = checkedAdd(begin, *bytes);
    if (!end || *end >> 63)
      return std::nullopt;
    layout.offsets[number] = begin;
    layout.bytes = std::max(layout.bytes, *end);
    Placed made{begin, *end, request.first, request.last};
    placed.insert(llvm::upper_bound(placed, made,
                                    [](const Placed &a, const Placed &b) {
                                      return a.begin < b.begin;
                                    }),
                  made);
  }
  return layout;
}
