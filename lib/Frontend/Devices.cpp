//===- Devices.cpp - The devices of the process ---------------------------===//

#include "Devices.h"

#include "DeviceBlocks.h"
#include "Throw.h"

#include "tripy/Frontend/Error.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

using namespace tripy;
using namespace tripy::frontend;

namespace {

using Opened = Result<std::shared_ptr<runtime::Device>>;

/// A thread that opens a GPU.
class Opening {
public:
  /// Throws std::system_error where there can be no thread.
  explicit Opening(int32_t number)
      : process(getpid()), thread(new std::thread([this, number] {
          opened = runtime::createCudaDevice(number);
        })) {}
  /// A child of the process has the object, and not the thread.
  ~Opening() {
    if (!isForked())
      join();
  }
  Opening(const Opening &) = delete;
  Opening &operator=(const Opening &) = delete;

  bool isForked() const { return getpid() != process; }
  /// Waits for the thread. Call once.
  Opened finish() {
    join();
    return std::move(opened);
  }

private:
  void join() {
    if (thread)
      thread->join();
    delete std::exchange(thread, nullptr);
  }

  const pid_t process;
  Opened opened = Status(Code::Internal, "the GPU is not open yet");
  std::thread *thread;
};

struct OpenDevices {
  std::mutex mutex;
  /// By the number of the GPU; -1 is the CPU.
  std::map<int32_t, std::shared_ptr<runtime::Device>> list;
  std::map<int32_t, Opening> started;
  ~OpenDevices() { DeviceBlocks::instance().close(); }
};

} // namespace

static OpenDevices &openDevices() {
  static OpenDevices devices;
  return devices;
}

/// Under the mutex.
static Opened open(OpenDevices &devices, int32_t number) {
  if (number < 0)
    return runtime::createCpuDevice();
  auto started = devices.started.find(number);
  if (started == devices.started.end() || started->second.isForked())
    return runtime::createCudaDevice(number);
  Opened opened = started->second.finish();
  devices.started.erase(started);
  return opened;
}

std::shared_ptr<runtime::Device>
tripy::frontend::openDevice(const Device &device, SourceLoc loc) {
  int32_t number = device.isGpu() ? device.index() : -1;
  OpenDevices &devices = openDevices();
  std::lock_guard lock(devices.mutex);
  std::shared_ptr<runtime::Device> &known = devices.list[number];
  if (!known) {
    Opened opened = open(devices, number);
    check(opened.status(), loc);
    known = std::move(*opened);
  }
  return known;
}

static Status startOpening(int32_t number) {
  OpenDevices &devices = openDevices();
  std::lock_guard lock(devices.mutex);
  auto known = devices.list.find(number);
  if ((known != devices.list.end() && known->second) ||
      devices.started.contains(number))
    return Status::ok();
  if (Status status = cuda::findCudaDevice(number); !status.isOk())
    return status;
  try {
    devices.started.try_emplace(number, number);
  } catch (const std::system_error &) {
    // It is opened when it is needed.
  }
  return Status::ok();
}

void tripy::frontend::startOpening(const Device &gpu, SourceLoc loc) {
  check(::startOpening(gpu.index()), loc);
}

Device tripy::defaultDevice(SourceLoc loc) {
  static const Device device = [loc] {
    if (const char *text = std::getenv("TRIPY_DEVICE"); text && *text) {
      try {
        return Device(text, SourceLoc());
      } catch (const Error &error) {
        fail(error.code(), "TRIPY_DEVICE: " + error.summary(), loc);
      }
    }
    return ::startOpening(0).isOk() ? Device::gpu() : Device::cpu();
  }();
  return device;
}
