//===- AsyncCopy.cpp - Asynchronous copies of one thread ------------------===//

#include "AsyncCopy.h"

#include "../Emulator.h"
#include "tripy/Base/Text.h"

#include <array>
#include <cstring>
#include <memory>

using namespace tripy;
using namespace tripy::emulator;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Status AsyncGroups::readAll(Group &group) {
  for (Pending &pending : group) {
    if (pending.wasRead)
      continue;
    pending.wasRead = true;
    if (Status status = pending.operation.read(); !status.isOk())
      return status;
  }
  return Status::ok();
}

Status AsyncGroups::writeAll(Group &group) {
  if (Status status = readAll(group); !status.isOk())
    return status;
  for (Pending &pending : group)
    if (Status status = pending.operation.write(); !status.isOk())
      return status;
  return Status::ok();
}

Status AsyncGroups::add(AsyncOperation operation) {
  if (late) {
    open.push_back({std::move(operation), false});
    return Status::ok();
  }
  if (Status status = operation.read(); !status.isOk())
    return status;
  return operation.write();
}

void AsyncGroups::commit() {
  groups.push_back(std::move(open));
  open = {};
}

Status AsyncGroups::wait(uint64_t pendingGroups) {
  while (groups.size() > pendingGroups) {
    Group group = std::move(groups.front());
    groups.pop_front();
    if (Status status = writeAll(group); !status.isOk())
      return status;
  }
  return Status::ok();
}

Status AsyncGroups::waitRead(uint64_t pendingGroups) {
  for (size_t i = 0; i + pendingGroups < groups.size(); ++i)
    if (Status status = readAll(groups[i]); !status.isOk())
      return status;
  return Status::ok();
}

Status AsyncGroups::finish() {
  commit();
  return wait(0);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static Status checkAligned(const char *what, uint64_t to, uint64_t from,
                           uint64_t bytes) {
  for (uint64_t address : {to, from})
    if (address % bytes != 0)
      return fault(concat(what, ": both addresses must be multiples of ", bytes,
                          ", but one is ", hexadecimal(address)));
  return Status::ok();
}

/// Copies `sourceBytes` bytes and sets the rest of `bytes` to 0. A copy of what
/// was never written may not be read either.
static AsyncOperation makeCopy(uint64_t to, MemorySpace &destination,
                               uint64_t from, MemorySpace &source,
                               uint64_t bytes, uint64_t sourceBytes) {
  auto between = std::make_shared<std::vector<uint8_t>>();
  auto known = std::make_shared<std::vector<uint8_t>>();
  Access how = destination.writtenFlags(to) ? Access::Copy : Access::Read;
  AsyncOperation operation;
  operation.read = [=, &source] {
    between->assign(bytes, 0);
    uint8_t *place = nullptr;
    if (sourceBytes == 0)
      return Status::ok();
    Status status = source.access(from, sourceBytes, how, place);
    if (!status.isOk())
      return status;
    std::memcpy(between->data(), place, sourceBytes);
    known->assign(bytes, 1);
    if (uint8_t *flags = source.writtenFlags(from))
      std::memcpy(known->data(), flags, sourceBytes);
    return status;
  };
  operation.write = [=, &destination] {
    uint8_t *place = nullptr;
    if (bytes == 0)
      return Status::ok();
    Status status = destination.access(to, bytes, Access::Write, place);
    if (!status.isOk())
      return status;
    std::memcpy(place, between->data(), bytes);
    uint8_t *flags = destination.writtenFlags(to);
    if (flags && !known->empty())
      std::memcpy(flags, known->data(), bytes);
    return status;
  };
  return operation;
}

Status emulator::asyncCopy(uint64_t to, MemorySpace &shared, uint64_t from,
                           MemorySpace &global, uint64_t bytes,
                           uint64_t sourceBytes, bool bypassL1,
                           AsyncOperation &operation) {
  if (bypassL1 ? bytes != 16 : bytes != 4 && bytes != 8 && bytes != 16)
    return fault(concat("cp.async must copy ",
                        bypassL1 ? "16 bytes" : "4, 8 or 16 bytes", ", but is ",
                        bytes));
  if (sourceBytes > bytes)
    return fault(concat("cp.async: the source must be at most ", bytes,
                        " bytes, but is ", sourceBytes));
  if (Status status = checkAligned("cp.async", to, from, bytes); !status.isOk())
    return status;
  operation = makeCopy(to, shared, from, global, bytes, sourceBytes);
  return Status::ok();
}

Status emulator::bulkCopy(uint64_t to, MemorySpace &destination, uint64_t from,
                          MemorySpace &source, uint64_t bytes,
                          AsyncOperation &operation) {
  if (bytes % 16 != 0)
    return fault(concat("cp.async.bulk must copy a multiple of 16 bytes, but "
                        "copies ",
                        bytes));
  if (Status status = checkAligned("cp.async.bulk", to, from, 16);
      !status.isOk())
    return status;
  operation = makeCopy(to, destination, from, source, bytes, bytes);
  return Status::ok();
}
