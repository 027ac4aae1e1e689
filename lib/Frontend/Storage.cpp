//===- Storage.cpp - Elements of tensors ----------------------------------===//

#include "Storage.h"

#include "DeviceBlocks.h"
#include "Streams.h"
#include "Throw.h"

#include <cstring>

using namespace tripy;
using namespace tripy::frontend;

Storage::Storage(runtime::HostTensor tensor)
    : host(std::move(tensor)), place(host.view()) {}

Storage::Storage(runtime::DeviceMemory memory, runtime::TensorView view,
                 std::shared_ptr<runtime::Device> owner)
    : memory(std::move(memory)), place(view), owner(std::move(owner)) {}

Storage::Storage(runtime::TensorView view, std::function<void()> release)
    : place(view), release(std::move(release)) {}

Storage::~Storage() {
  if (release)
    release();
  // Streams keep what their work uses. The driver's release waits for the work
  // of others.
  if (!isLent)
    DeviceBlocks::instance().giveBack(std::move(memory));
}

Device Storage::device() const {
  return place.device == DeviceKind::CPU ? Device::cpu()
                                         : Device::gpu(place.ordinal);
}

void Storage::wait(SourceLoc loc) const {
  if (pending)
    waitFor(*pending, loc);
}

/// What the CPU's kernels rely on; see runtime::Device::alignment().
static constexpr uintptr_t hostAlignment = 16;

runtime::TensorView Storage::alignedView(SourceLoc loc) const {
  bool isAligned = reinterpret_cast<uintptr_t>(place.data) % hostAlignment == 0;
  if (place.device != DeviceKind::CPU || isAligned || bytes() == 0)
    return place;
  std::lock_guard lock(alignMutex);
  if (aligned.bytes() == 0) {
    auto copy = runtime::HostTensor::create(place.dtype, place.shape);
    check(copy.status(), loc);
    std::memcpy(copy->data(), place.data, bytes());
    aligned = std::move(*copy);
  }
  return aligned.view();
}

std::shared_ptr<const Storage> Storage::copyOn(const Device &wanted) const {
  std::lock_guard lock(copyMutex);
  return copy && copy->device() == wanted ? copy : nullptr;
}
void Storage::keepCopy(std::shared_ptr<const Storage> made) const {
  std::lock_guard lock(copyMutex);
  copy = std::move(made);
}

void Storage::copyToHost(void *data, SourceLoc loc) const {
  uint64_t size = bytes();
  if (size > 0 && pending)
    if (auto status = pending->read(data, place.data, size)) {
      checkWork(*status, *pending, loc);
      return;
    }
  wait(loc);
  if (size == 0)
    return;
  if (place.device == DeviceKind::CPU) {
    std::memcpy(data, place.data, size);
    return;
  }
  std::shared_ptr<runtime::Device> from =
      owner ? owner : openDevice(device(), loc);
  check(from->read(data, place.data, size, nullptr), loc);
}

std::shared_ptr<Storage> tripy::frontend::allocate(const Device &device,
                                                   DType dtype,
                                                   const runtime::Shape &shape,
                                                   SourceLoc loc) {
  if (!device.isGpu()) {
    Result<runtime::HostTensor> tensor =
        runtime::HostTensor::create(dtype, shape);
    check(tensor.status(), loc);
    return std::make_shared<Storage>(std::move(*tensor));
  }
  std::shared_ptr<runtime::Device> owner = openDevice(device, loc);
  std::optional<uint64_t> bytes = shape.bytes(dtype);
  if (!bytes)
    fail(Code::LimitExceeded, "a tensor of shape " + shape.str(), loc);
  auto memory = DeviceBlocks::instance().allocate(owner, *bytes);
  check(memory.status(), loc);
  runtime::TensorView view{dtype, DeviceKind::CUDA, device.index(), shape,
                           memory->data()};
  return std::make_shared<Storage>(std::move(*memory), view, owner);
}
