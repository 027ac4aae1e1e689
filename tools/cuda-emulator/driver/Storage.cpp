//===- Storage.cpp - Memory and copies of the emulator --------------------===//

#include "Driver.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

TRIPY_DRIVER_CALL cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call;
  if (!call)
    return call.refusal();
  if (!free || !total)
    return DriverResult::InvalidValue;
  *total = call->memoryBytes;
  *free = *total - std::min<size_t>(*total, call->memory->liveBytes());
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  Call call;
  if (!call)
    return call.refusal();
  if (!pointer || bytes == 0)
    return DriverResult::InvalidValue;
  Result<uint64_t> address = call->memory->allocate(bytes);
  if (!address)
    return DriverResult::OutOfMemory;
  *pointer = *address;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuMemFree_v2(DevicePointer pointer) {
  Call call;
  if (!call)
    return call.refusal();
  if (pointer == 0)
    return DriverResult::Success;
  // Pinned memory and the variables of modules are not the caller's to free.
  const emulator::Allocation *range = call->memory->find(pointer, 1);
  if (!range || range->address != pointer || range->what != "allocation")
    return DriverResult::InvalidValue;
  return call->memory->free(pointer).isOk() ? DriverResult::Success
                                            : DriverResult::InvalidValue;
}

TRIPY_DRIVER_CALL cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  Call call;
  if (!call)
    return call.refusal();
  if (!pointer || bytes == 0)
    return DriverResult::InvalidValue;
  constexpr size_t page = 4096;
  void *memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (!memory)
    return DriverResult::OutOfMemory;
  if (!call->memory->adopt(memory, bytes, "pinned host memory").isOk()) {
    std::free(memory);
    return DriverResult::OutOfMemory;
  }
  call->pinned.insert(memory);
  *pointer = memory;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuMemFreeHost(void *pointer) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->pinned.erase(pointer))
    return DriverResult::InvalidValue;
  Status status = call->memory->free(reinterpret_cast<uint64_t>(pointer));
  std::free(pointer);
  return status.isOk() ? DriverResult::Success : DriverResult::InvalidValue;
}

//===-- copies ------------------------------------------------------------===//

/// Copies when `device` (and `second`, a second range of device memory or 0)
/// lie in live allocations.
static DriverResult copy(void *to, const void *from, size_t bytes,
                         StreamHandle stream, DevicePointer device,
                         DevicePointer second = 0) {
  Call call;
  if (!call)
    return call.refusal();
  if (DriverResult result = call->checkStream(stream);
      result != DriverResult::Success)
    return result;
  if (bytes == 0)
    return DriverResult::Success;
  for (DevicePointer range : {device, second})
    if (range && !call->memory->contains(range, bytes)) {
      call->report(concat("a copy of ", bytes, " bytes at ",
                          emulator::hexadecimal(range), ", which is ",
                          call->memory->describe(range)));
      return DriverResult::InvalidValue;
    }
  if (!to || !from)
    return DriverResult::InvalidValue;
  std::memmove(to, from, bytes);
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                       size_t bytes, StreamHandle stream) {
  return copy(reinterpret_cast<void *>(to), from, bytes, stream, to);
}

TRIPY_DRIVER_CALL cuMemcpyDtoHAsync_v2(void *to, DevicePointer from,
                                       size_t bytes, StreamHandle stream) {
  return copy(to, reinterpret_cast<const void *>(from), bytes, stream, from);
}

TRIPY_DRIVER_CALL cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                       size_t bytes, StreamHandle stream) {
  return copy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes, stream, to, from);
}

/// Whichever of the two lies in device memory must lie there completely; the
/// other one is the host's.
TRIPY_DRIVER_CALL cuMemcpyAsync(DevicePointer to, DevicePointer from,
                                size_t bytes, StreamHandle stream) {
  auto device = [](DevicePointer pointer) -> DevicePointer {
    Call call;
    return call && call->memory->find(pointer, 1) ? pointer : 0;
  };
  return copy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes, stream, device(to),
              device(from));
}

template <typename Element>
static DriverResult fill(DevicePointer to, Element value, size_t count,
                         StreamHandle stream) {
  if (to % sizeof(Element) != 0 || count > SIZE_MAX / sizeof(Element))
    return DriverResult::InvalidValue;
  std::vector<Element> values(count, value);
  return copy(reinterpret_cast<void *>(to), values.data(),
              count * sizeof(Element), stream, to);
}

TRIPY_DRIVER_CALL cuMemsetD16Async(DevicePointer to, unsigned short value,
                                   size_t count, StreamHandle stream) {
  return fill(to, value, count, stream);
}

TRIPY_DRIVER_CALL cuMemsetD32Async(DevicePointer to, unsigned value,
                                   size_t count, StreamHandle stream) {
  return fill(to, value, count, stream);
}

//===-- memory of the host ------------------------------------------------===//

TRIPY_DRIVER_CALL cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  Call call;
  if (!call)
    return call.refusal();
  if (!pointer || bytes == 0)
    return DriverResult::InvalidValue;
  return call->memory->adopt(pointer, bytes, "registered host memory").isOk()
             ? DriverResult::Success
             : DriverResult::InvalidValue;
}

TRIPY_DRIVER_CALL cuMemHostUnregister(void *pointer) {
  Call call;
  if (!call)
    return call.refusal();
  auto address = reinterpret_cast<uint64_t>(pointer);
  const emulator::Allocation *range = call->memory->find(address, 1);
  if (!range || range->address != address ||
      range->what != "registered host memory")
    return DriverResult::InvalidValue;
  return call->memory->free(address).isOk() ? DriverResult::Success
                                            : DriverResult::InvalidValue;
}
