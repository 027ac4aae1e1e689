//===- Populate.cpp - The frontend's code is there when it is called ------===//
//
// The system maps a library's code in pieces of 64 KiB when it is first called,
// 5 us for each. To record a first graph would take 50 us for that alone; all
// at once, while the library is loaded, it is one call.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Numbers.h"

#include "tripy/Base/Float.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace tripy;

/// Of Linux 5.14; older systems refuse it, which does no harm.
static constexpr int populateRead = 22;
/// The frontend's own code has 1 MiB; else the linker has put something
/// between.
static constexpr uintptr_t maxBytes = 4 << 20;

/// The frontend's constants have 40 KiB.
static constexpr uintptr_t tableBytes = 64 << 10;

/// Maps the pages from the one address to the other.
static void populate(uintptr_t from, uintptr_t to) {
  uintptr_t page = sysconf(_SC_PAGESIZE);
  from &= ~(page - 1);
  if (from < to && to - from <= maxBytes)
    madvise(reinterpret_cast<void *>(from), to - from, populateRead);
}

template <typename F> static uintptr_t addressOf(F *function) {
  return reinterpret_cast<uintptr_t>(function);
}

/// From the first file that records graphs to the last, in the linker's order.
[[gnu::constructor]] static void populateFrontend() {
  populate(addressOf(&frontend::numberTensor),
           addressOf(&frontend::storeNumber) + 1);
  populate(addressOf(&storeFromDouble), addressOf(&storeFromDouble) + 1);
  // Around the names of operations lie the tables of switches.
  auto names = reinterpret_cast<uintptr_t>(
      frontend::opInfo(frontend::Op::Leaf).name.data());
  populate(names - tableBytes, names + tableBytes);
}
