//===- AsyncCopy.h - Asynchronous copies of one thread ----------*- C++ -*-===//
//
// cp.async, cp.async.bulk (without a tensor map), and the groups in which a
// thread waits for them. A late queue carries a copy out only when a wait
// demands it, which is the order that shows a missing wait.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_ASYNCCOPY_H
#define TRIPY_LIB_EMULATOR_UNITS_ASYNCCOPY_H

#include "MemorySpace.h"

#include <deque>
#include <functional>
#include <vector>

namespace tripy::emulator {

/// The halves of a copy: `read` takes the source, `write` sets the
/// destination. Each runs once, `read` first.
struct AsyncOperation {
  std::function<Status()> read;
  std::function<Status()> write;
};

/// The groups of one thread: one object for cp.async, another for bulk copies.
class AsyncGroups {
public:
  /// Without `late`, copies are carried out when they are added.
  explicit AsyncGroups(bool late = true) : late(late) {}

  Status add(AsyncOperation operation);
  /// cp.async.commit_group, cp.async.bulk.commit_group: what was added since
  /// the last commit becomes one group, which may be empty.
  void commit();
  /// cp.async.wait_group n, cp.async.bulk.wait_group n: all groups but the
  /// latest n are complete.
  Status wait(uint64_t pendingGroups);
  /// cp.async.bulk.wait_group.read n: the same, but only the sources have been
  /// read.
  Status waitRead(uint64_t pendingGroups);
  /// cp.async.wait_all, cp.async.mbarrier.arrive, and the end of the thread:
  /// also what was not committed.
  Status finish();

  /// Nothing is left to be done.
  bool empty() const { return groups.empty() && open.empty(); }

private:
  struct Pending {
    AsyncOperation operation;
    bool wasRead = false;
  };
  using Group = std::vector<Pending>;
  static Status readAll(Group &group);
  static Status writeAll(Group &group);

  bool late;
  std::deque<Group> groups;
  Group open;
};

/// cp.async of `bytes` (4, 8 or 16; with `bypassL1`, as .cg, 16 only) from
/// global to shared memory, of which the first `sourceBytes` are read and the
/// rest are 0. Checks sizes and alignment, and the source when it is read. The
/// spaces must outlive the operation.
Status asyncCopy(uint64_t to, MemorySpace &shared, uint64_t from,
                 MemorySpace &global, uint64_t bytes, uint64_t sourceBytes,
                 bool bypassL1, AsyncOperation &operation);

/// cp.async.bulk of `bytes`: both addresses and the size are multiples of 16.
Status bulkCopy(uint64_t to, MemorySpace &destination, uint64_t from,
                MemorySpace &source, uint64_t bytes, AsyncOperation &operation);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_ASYNCCOPY_H
