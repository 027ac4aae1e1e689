//===- Staging.cpp - Copies through pinned memory -------------------------===//

#include "DeviceImpl.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;

Status Staging::prepare() {
  for (Chunk &chunk : chunks) {
    if (!chunk.memory) {
      DriverResult result =
          device.api.memHostAlloc(&chunk.memory, chunkBytes, 0);
      if (result == DriverResult::OutOfMemory)
        return Status(Code::HostOutOfMemory,
                      "no pinned host memory for copies to the GPU");
      if (Status status = device.check(result, "cuMemHostAlloc");
          !status.isOk())
        return status;
    }
    if (!chunk.event)
      if (Status status = device.check(
              device.api.eventCreate(&chunk.event, eventDisableTiming),
              "cuEventCreate");
          !status.isOk()) {
        chunk.event = nullptr;
        return status;
      }
  }
  return Status::ok();
}

void Staging::release() {
  for (Chunk &chunk : chunks) {
    if (chunk.event)
      device.api.eventDestroy(chunk.event);
    if (chunk.memory)
      device.api.memFreeHost(chunk.memory);
    chunk = {};
  }
}

Status Staging::wait(Chunk &chunk) {
  return device.check(device.api.eventSynchronize(chunk.event),
                      "cuEventSynchronize", Code::LaunchFailed);
}

Status Staging::mark(Chunk &chunk, StreamHandle stream) {
  Status status = device.check(device.api.eventRecord(chunk.event, stream),
                               "cuEventRecord");
  // Without the event nobody would know when the memory is free again.
  if (!status.isOk())
    device.api.streamSynchronize(stream);
  return status;
}

Status Staging::toDevice(DevicePointer to, const uint8_t *from, uint64_t bytes,
                         StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Status status = prepare(); !status.isOk())
    return status;
  for (uint64_t done = 0, turn = 0; done < bytes; ++turn) {
    Chunk &chunk = chunks[turn % chunks.size()];
    uint64_t size = std::min(chunkBytes, bytes - done);
    if (Status status = wait(chunk); !status.isOk())
      return status;
    std::memcpy(chunk.memory, from + done, size);
    if (Status status = device.check(
            device.api.memcpyHtoDAsync(to + done, chunk.memory, size, stream),
            "cuMemcpyHtoDAsync");
        !status.isOk())
      return status;
    if (Status status = mark(chunk, stream); !status.isOk())
      return status;
    done += size;
  }
  return Status::ok();
}

Status Staging::toHost(uint8_t *to, DevicePointer from, uint64_t bytes,
                       StreamHandle stream) {
  std::lock_guard lock(mutex);
  if (Status status = prepare(); !status.isOk())
    return status;
  // One chunk is on the bus while the one before it is copied out.
  uint64_t count = (bytes + chunkBytes - 1) / chunkBytes;
  auto sizeOf = [&](uint64_t i) {
    return std::min(chunkBytes, bytes - i * chunkBytes);
  };
  for (uint64_t i = 0; i <= count; ++i) {
    if (i < count) {
      Chunk &chunk = chunks[i % chunks.size()];
      if (Status status = wait(chunk); !status.isOk())
        return status;
      if (Status status = device.check(
              device.api.memcpyDtoHAsync(chunk.memory, from + i * chunkBytes,
                                         sizeOf(i), stream),
              "cuMemcpyDtoHAsync");
          !status.isOk())
        return status;
      if (Status status = mark(chunk, stream); !status.isOk())
        return status;
    }
    if (i == 0)
      continue;
    Chunk &chunk = chunks[(i - 1) % chunks.size()];
    if (Status status = wait(chunk); !status.isOk())
      return status;
    std::memcpy(to + (i - 1) * chunkBytes, chunk.memory, sizeOf(i - 1));
  }
  return Status::ok();
}

//===-- single small copies -----------------------------------------------===//

void *PinnedSlots::take() {
  std::lock_guard lock(mutex);
  if (!idle.empty()) {
    void *slot = idle.back();
    idle.pop_back();
    return slot;
  }
  all.reserve(all.size() + 1);
  idle.reserve(all.size() + 1);
  void *slot = nullptr;
  if (device.api.memHostAlloc(&slot, Staging::threshold, 0) !=
      DriverResult::Success)
    return nullptr;
  all.push_back(slot);
  return slot;
}

void PinnedSlots::giveBack(void *slot) {
  std::lock_guard lock(mutex);
  idle.push_back(slot); // take() has made room
}

void PinnedSlots::release() {
  for (void *slot : all)
    device.api.memFreeHost(slot);
  all.clear();
  idle.clear();
}
