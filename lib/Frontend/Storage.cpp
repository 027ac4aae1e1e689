//===- Storage.cpp - Elements of tensors ----------------------------------===//

#include "Storage.h"

#include "Streams.h"
#include "Throw.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

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
  wait(loc);
  if (bytes() == 0)
    return;
  if (place.device == DeviceKind::CPU) {
    std::memcpy(data, place.data, bytes());
    return;
  }
  std::shared_ptr<runtime::Device> from =
      owner ? owner : openDevice(device(), loc);
  check(from->copyToHost(data, place.data, bytes(), nullptr), loc);
  check(from->synchronize(nullptr), loc);
}

//===-- devices -----------------------------------------------------------===//

namespace {
struct OpenDevices {
  std::mutex mutex;
  /// By the number of the GPU; -1 is the CPU.
  std::map<int32_t, std::shared_ptr<runtime::Device>> list;
};
} // namespace

static OpenDevices &openDevices() {
  static OpenDevices devices;
  return devices;
}

static Result<std::shared_ptr<runtime::Device>> findDevice(int32_t number) {
  OpenDevices &open = openDevices();
  std::lock_guard lock(open.mutex);
  auto known = open.list.find(number);
  if (known != open.list.end())
    return known->second;
  auto device = number < 0 ? runtime::createCpuDevice()
                           : runtime::createCudaDevice(number);
  if (device)
    open.list[number] = *device;
  return device;
}

std::shared_ptr<runtime::Device>
tripy::frontend::openDevice(const Device &device, SourceLoc loc) {
  auto found = findDevice(device.isGpu() ? device.index() : -1);
  check(found.status(), loc);
  return *found;
}

Device tripy::defaultDevice() {
  static const Device device = [] {
    if (const char *text = std::getenv("TRIPY_DEVICE"); text && *text) {
      try {
        return Device(text, SourceLoc());
      } catch (const Error &error) {
        throw Error(error.code(), "TRIPY_DEVICE: " + error.summary());
      }
    }
    return findDevice(0) ? Device::gpu() : Device::cpu();
  }();
  return device;
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
  auto memory = runtime::DeviceMemory::allocate(owner, *bytes);
  check(memory.status(), loc);
  runtime::TensorView view{dtype, DeviceKind::CUDA, device.index(), shape,
                           memory->data()};
  return std::make_shared<Storage>(std::move(*memory), view, owner);
}
