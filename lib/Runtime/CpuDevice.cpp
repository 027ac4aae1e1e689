//===- CpuDevice.cpp - Programs on the host's processor -------------------===//

#include "CpuFeatures.h"
#include "HostMemory.h"
#include "NoThrow.h"
#include "PluginLibraries.h"
#include "ThreadPool.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/Device.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/mman.h>
#include <vector>

using namespace tripy;
using namespace tripy::runtime;

namespace {

/// The signature of a host kernel; see Launch.
using HostKernel = void (*)(void *const *buffers, const int64_t *sizes,
                            int64_t begin, int64_t end, void *scratch);

/// A private copy of an image's code, executable and not writable.
class CodeBlock {
public:
  ~CodeBlock() {
    if (start)
      ::munmap(start, size);
  }
  Status map(std::span<const uint8_t> code) {
    void *block = ::mmap(nullptr, code.size(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
      return Status(
          Code::HostOutOfMemory,
          concat("no memory for ", formatBytes(code.size()), " of code"));
    start = block;
    size = code.size();
    std::memcpy(block, code.data(), code.size());
    if (::mprotect(block, size, PROT_READ | PROT_EXEC) != 0)
      return Status(Code::Unsupported,
                    concat("this system does not let a program make code "
                           "executable: ",
                           std::strerror(errno)));
    return Status::ok();
  }
  HostKernel entry(uint64_t offset) const {
    return reinterpret_cast<HostKernel>(static_cast<uint8_t *>(start) + offset);
  }

private:
  void *start = nullptr;
  size_t size = 0;
};

class CpuContext : public DeviceContext {
public:
  CpuContext(const Program &program, const CodeBlock &code,
             const std::vector<PluginFunction> &plugins, ThreadPool &pool)
      : program(program), code(code), plugins(plugins), pool(pool) {}

  Status initialize(const std::shared_ptr<Device> &device) {
    size_t maximum = 0;
    for (const Launch &launch : program.launches)
      maximum = std::max(maximum, launch.args.size());
    pointers.resize(maximum);
    // A value takes 8 bytes at most, and a call has one list of them.
    parameters.resize(maximum);
    values.resize(maximum);
    uint64_t scratchBytes = 0;
    for (const Kernel &kernel : program.kernels)
      scratchBytes = std::max<uint64_t>(scratchBytes, kernel.scratchBytes);
    // Whole cache lines, so that workers do not share one.
    workerScratch = (scratchBytes + 63) & ~uint64_t(63);
    Result<DeviceMemory> memory =
        DeviceMemory::allocate(device, workerScratch * pool.threads());
    if (!memory)
      return memory.status();
    scratch = std::move(*memory);
    return Status::ok();
  }

  Status run(const RunArguments &arguments, Stream stream) override {
    for (const Launch &launch : program.launches)
      if (Status status = runLaunch(launch, arguments); !status.isOk())
        return status;
    return Status::ok();
  }

  Status profile(const RunArguments &arguments, Stream stream,
                 std::span<double> seconds) override {
    using Clock = std::chrono::steady_clock;
    for (size_t i = 0; i < program.launches.size(); ++i) {
      Clock::time_point start = Clock::now();
      if (Status status = runLaunch(program.launches[i], arguments);
          !status.isOk())
        return status;
      seconds[i] = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return Status::ok();
  }

private:
  Status runLaunch(const Launch &launch, const RunArguments &arguments) {
    int64_t items = arguments.sizes[launch.grid[0]];
    if (items <= 0)
      return Status::ok();
    if (plugins[launch.kernel])
      return callPlugin(launch, arguments);
    size_t pointerCount = 0, valueCount = 0;
    for (const Arg &arg : launch.args)
      if (arg.kind == ArgKind::Buffer)
        pointers[pointerCount++] = arguments.buffers[arg.index];
      else
        values[valueCount++] = arguments.sizes[arg.index];
    current = code.entry(program.kernels[launch.kernel].entry);
    pool.run(items, &CpuContext::runItems, this);
    return Status::ok();
  }

  /// Operands, then results; sizes; parameters as members of a struct.
  Status callPlugin(const Launch &launch, const RunArguments &arguments) {
    size_t operands = 0, count = 0, sizes = 0, access = 0, bytes = 0;
    for (bool writes : {false, true}) {
      access = 0;
      for (const Arg &arg : launch.args)
        if (arg.kind == ArgKind::Buffer &&
            launch.accesses[access++].writes == writes)
          pointers[count++] = arguments.buffers[arg.index];
      operands = writes ? operands : count;
    }
    auto *members = reinterpret_cast<uint8_t *>(parameters.data());
    for (const Arg &arg : launch.args) {
      if (arg.kind == ArgKind::Size)
        values[sizes++] = arguments.sizes[arg.index];
      if (arg.kind != ArgKind::Value32 && arg.kind != ArgKind::Value64)
        continue;
      size_t size = is32Bit(arg.kind) ? 4 : 8;
      bytes = (bytes + size - 1) / size * size;
      std::memcpy(members + bytes, &arguments.sizes[arg.index], size);
      bytes += size;
    }
    const Kernel &kernel = program.kernels[launch.kernel];
    int32_t result = plugins[launch.kernel](
        pointers.data(), pointers.data() + operands, values.data(), members);
    if (result == 0)
      return Status::ok();
    return Status(Code::LaunchFailed,
                  concat("the function '", printable(kernel.symbol),
                         "' of the plugin library '", printable(kernel.library),
                         "' returned ", result));
  }

  static void runItems(void *state, int64_t begin, int64_t end,
                       uint32_t worker) {
    auto &self = *static_cast<CpuContext *>(state);
    self.current(self.pointers.data(), self.values.data(), begin, end,
                 self.workerScratch
                     ? self.scratch.data() + self.workerScratch * worker
                     : nullptr);
  }

  const Program &program;
  const CodeBlock &code;
  const std::vector<PluginFunction> &plugins;
  ThreadPool &pool;
  std::vector<int64_t> parameters;
  /// Arguments of the current launch.
  HostKernel current = nullptr;
  std::vector<void *> pointers;
  std::vector<int64_t> values;
  DeviceMemory scratch;
  uint64_t workerScratch = 0;
};

class CpuProgram : public DeviceProgram {
public:
  CpuProgram(const Program &program, std::shared_ptr<Device> device,
             ThreadPool &pool)
      : program(program), device(std::move(device)), pool(pool) {}

  Status initialize() {
    for (const Kernel &kernel : program.kernels) {
      plugins.push_back(nullptr);
      if (kernel.library.empty())
        continue;
      Result<PluginFunction> found =
          findPluginFunction(kernel.library, kernel.symbol);
      if (!found)
        return found.status();
      plugins.back() = *found;
    }
    if (program.images.empty())
      return Status::ok();
    const Image &image = program.images[0];
    if (Status status = checkCpuFeatures(image.arch); !status.isOk())
      return status;
    return code.map(program.imageData.subspan(image.offset, image.size));
  }

  const uint8_t *constants() const override { return program.constants.data(); }

  Result<std::unique_ptr<DeviceContext>> createContext() override {
    using Created = Result<std::unique_ptr<DeviceContext>>;
    return withoutExceptions("for a context", [&]() -> Created {
      auto context = std::make_unique<CpuContext>(program, code, plugins, pool);
      if (Status status = context->initialize(device); !status.isOk())
        return status;
      return std::unique_ptr<DeviceContext>(std::move(context));
    });
  }

private:
  const Program &program;
  std::shared_ptr<Device> device;
  ThreadPool &pool;
  CodeBlock code;
  /// Of each kernel; null for the program's own.
  std::vector<PluginFunction> plugins;
};

class CpuDevice : public Device,
                  public std::enable_shared_from_this<CpuDevice> {
public:
  explicit CpuDevice(uint32_t threads) : pool(threads) {}

  DeviceKind kind() const override { return DeviceKind::CPU; }
  int32_t ordinal() const override { return 0; }
  std::string name() const override { return cpuName(); }
  /// Code takes 16 bytes as given; wider vectors are read from any address.
  uint32_t alignment() const override { return 16; }

  Result<void *> allocate(uint64_t bytes) override {
    return allocateHost(bytes);
  }
  void free(void *address) override { freeHost(address); }

  Status copyToDevice(void *device, const void *host, uint64_t bytes,
                      Stream stream) override {
    return copyOnDevice(device, host, bytes, stream);
  }
  Status copyToHost(void *host, const void *device, uint64_t bytes,
                    Stream stream) override {
    return copyOnDevice(host, device, bytes, stream);
  }
  Status copyOnDevice(void *to, const void *from, uint64_t bytes,
                      Stream stream) override {
    if (bytes > 0)
      std::memcpy(to, from, bytes);
    return Status::ok();
  }

  Result<Stream> createStream() override { return Stream(nullptr); }
  void destroyStream(Stream stream) override {}
  Status synchronize(Stream stream) override { return Status::ok(); }

  Result<std::unique_ptr<DeviceProgram>>
  prepare(const Program &program, const PrepareOptions &options) override {
    using Prepared = Result<std::unique_ptr<DeviceProgram>>;
    return withoutExceptions("for a program", [&]() -> Prepared {
      if (program.device != DeviceKind::CPU)
        return Status(Code::DeviceMismatch,
                      "a program for a GPU cannot run on the CPU; recompile it "
                      "with --target=cpu");
      if (!program.kernels.empty() && !options.trustHostCode)
        return Status(Code::Unsupported,
                      "the executable contains machine code for the CPU, which "
                      "runs only when the caller trusts the file");
      auto prepared =
          std::make_unique<CpuProgram>(program, shared_from_this(), pool);
      if (Status status = prepared->initialize(); !status.isOk())
        return status;
      return std::unique_ptr<DeviceProgram>(std::move(prepared));
    });
  }

private:
  ThreadPool pool;
};

} // namespace

Result<std::shared_ptr<Device>> runtime::createCpuDevice(uint32_t threads) {
  using Created = Result<std::shared_ptr<Device>>;
  return withoutExceptions("for a device", [&]() -> Created {
    return std::shared_ptr<Device>(std::make_shared<CpuDevice>(threads));
  });
}
