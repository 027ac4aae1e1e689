//===- CudaProgram.cpp - Loading a program onto a GPU ---------------------===//

#include "Image.h"
#include "ProgramImpl.h"

#include "tripy/Base/Text.h"

#include <new>

using namespace tripy;
using namespace tripy::cuda;

CudaProgram::~CudaProgram() {
  ContextScope scope(*device, ContextScope::Release);
  if (!scope.mayRelease()) {
    if (libraries)
      libraries->abandon();
    return;
  }
  libraries.reset();
  unloadModules();
}

void CudaProgram::unloadModules() {
  for (ModuleHandle module : modules)
    device->api.moduleUnload(module);
  modules.clear();
}

Status CudaProgram::load() {
  Result<const Image *> chosen =
      chooseImage(program, device->limits.computeMajor,
                  device->limits.computeMinor, device->name());
  if (!chosen)
    return chosen.status();
  image = *chosen;
  ContextScope scope(*device);
  if (!scope.status().isOk())
    return scope.status();
  if (Status status = loadCode(); !status.isOk())
    return status;
  functions.reserve(program.kernels.size());
  for (const Kernel &kernel : program.kernels)
    if (Status status = loadKernel(kernel); !status.isOk())
      return std::move(status).withContext("kernel '" +
                                           printable(kernel.symbol) + "'");
  findLibraries();
  return uploadConstants();
}

//===-- code --------------------------------------------------------------===//

Status CudaProgram::moduleFailure(DriverResult result, const char *log) {
  std::string gpu =
      nativeArch(device->limits.computeMajor, device->limits.computeMinor);
  switch (result) {
  case DriverResult::NoBinaryForGpu:
    return Status(
        Code::ArchMismatch,
        concat("the program holds machine code for ", printable(image->arch),
               ", which ", device->name(),
               " does not run: compile it anew with --target=cuda:", gpu));
  case DriverResult::InvalidImage:
    return Status(Code::Malformed,
                  concat("the driver finds the program's code for ",
                         printable(image->arch), " damaged"));
  case DriverResult::InvalidPtx:
    return Status(Code::Malformed,
                  concat("the driver cannot compile the program's PTX: ",
                         printable(log, 2000)));
  case DriverResult::UnsupportedPtxVersion:
    return Status(Code::DriverTooOld,
                  concat("the program's PTX is newer than the NVIDIA driver: "
                         "update the driver, or compile the program anew "
                         "with --target=cuda:",
                         gpu));
  case DriverResult::JitCompilerNotFound:
  case DriverResult::JitDisabled:
    return Status(
        Code::ArchMismatch,
        concat("the program holds no machine code for ", device->name(),
               " and the driver's PTX compiler is ",
               result == DriverResult::JitDisabled ? "disabled" : "missing",
               ": compile it anew with --target=cuda:", gpu));
  default:
    return device->check(result, "cuModuleLoadDataEx");
  }
}

Status CudaProgram::loadCode() {
  Status status = loadModules();
  if (status.code() != Code::ArchMismatch || image->kind != ImageKind::Cubin)
    return status;
  // A driver that does not take the machine code may still compile the PTX: it
  // is older than the code's format, or it executes PTX and nothing else.
  Result<const Image *> ptx =
      chooseImage(program, device->limits.computeMajor,
                  device->limits.computeMinor, device->name(), ImageKind::PTX);
  if (!ptx)
    return status;
  image = *ptx;
  unloadModules();
  return loadModules();
}

Status CudaProgram::loadModules() {
  // Nothing may fail between loading a module and storing its handle here.
  modules.reserve(program.images.size());
  for (const Image &part : program.images)
    if (part.kind == image->kind && part.arch == image->arch)
      if (Status status = loadModule(part); !status.isOk())
        return status;
  return Status::ok();
}

Status CudaProgram::loadModule(const Image &part) {
  std::span<const uint8_t> bytes =
      program.imageData.subspan(part.offset, part.size);
  bool ptx = part.kind == ImageKind::PTX;
  if (ptx && (bytes.empty() || bytes.back() != 0))
    return Status(Code::Malformed, "PTX text ends with a NUL byte");
  if (!ptx)
    if (Status status = checkCubin(bytes); !status.isOk())
      return status;
  // The driver's loader reads aligned words.
  constexpr size_t alignment = 64;
  std::unique_ptr<uint8_t[]> copy;
  const uint8_t *start = bytes.data();
  if (reinterpret_cast<uintptr_t>(start) % alignment != 0) {
    copy.reset(new (std::nothrow) uint8_t[bytes.size() + alignment]);
    if (!copy)
      return Status::outOfMemory("for the program's code");
    uintptr_t base = reinterpret_cast<uintptr_t>(copy.get());
    uint8_t *aligned = copy.get() + (alignment - base % alignment);
    std::copy(bytes.begin(), bytes.end(), aligned);
    start = aligned;
  }
  char log[2048] = {};
  JitOption options[] = {JitOption::ErrorLogBuffer,
                         JitOption::ErrorLogBufferBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  ModuleHandle module = nullptr;
  DriverResult result = device->api.moduleLoadDataEx(
      &module, start, ptx ? 2 : 0, ptx ? options : nullptr,
      ptx ? values : nullptr);
  if (result != DriverResult::Success)
    return moduleFailure(result, log);
  modules.push_back(module);
  return Status::ok();
}

Status CudaProgram::loadKernel(const Kernel &kernel) {
  FunctionHandle function = nullptr;
  DriverResult result = DriverResult::NotFound;
  for (ModuleHandle module : modules) {
    result =
        device->api.moduleGetFunction(&function, module, kernel.symbol.c_str());
    if (result != DriverResult::NotFound)
      break;
  }
  if (result == DriverResult::NotFound)
    return Status(Code::Malformed, "the program's code has no such kernel");
  if (Status status = device->check(result, "cuModuleGetFunction");
      !status.isOk())
    return status;
  if (Status status = checkParams(kernel, function); !status.isOk())
    return status;
  if (Status status = checkResources(kernel, function); !status.isOk())
    return status;
  functions.push_back(function);
  return Status::ok();
}

Status CudaProgram::checkParams(const Kernel &kernel, FunctionHandle function) {
  for (size_t i = 0; i <= kernel.params.size(); ++i) {
    size_t offset = 0, bytes = 0;
    DriverResult result =
        device->api.funcGetParamInfo(function, i, &offset, &bytes);
    // The driver says that there is no such parameter.
    bool none = result == DriverResult::InvalidValue;
    if (!none)
      if (Status status = device->check(result, "cuFuncGetParamInfo");
          !status.isOk())
        return status;
    if (none != (i == kernel.params.size()))
      return Status(Code::Malformed,
                    concat("the program passes ", kernel.params.size(),
                           " parameters, its code takes ",
                           none ? "fewer" : "more"));
    if (none)
      continue;
    auto kind = static_cast<ArgKind>(kernel.params[i]);
    size_t passed = kind == ArgKind::TensorMap ? sizeof(TensorMapValue)
                    : is32Bit(kind)            ? sizeof(uint32_t)
                                               : sizeof(uint64_t);
    if (bytes != passed)
      return Status(Code::Malformed,
                    concat("parameter ", i, " has ", bytes,
                           " bytes in the program's code, the program passes ",
                           passed));
  }
  return Status::ok();
}

Status CudaProgram::checkResources(const Kernel &kernel,
                                   FunctionHandle function) {
  int maxThreads = 0, shared = 0;
  if (Status status = device->check(
          device->api.funcGetAttribute(
              &maxThreads, FunctionAttribute::MaxThreadsPerBlock, function),
          "cuFuncGetAttribute");
      !status.isOk())
    return status;
  if (Status status =
          device->check(device->api.funcGetAttribute(
                            &shared, FunctionAttribute::SharedBytes, function),
                        "cuFuncGetAttribute");
      !status.isOk())
    return status;
  uint64_t threads =
      uint64_t(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  if (threads > static_cast<uint64_t>(maxThreads))
    return Status(Code::LimitExceeded,
                  concat("it needs blocks of ", threads, " threads, ",
                         device->name(), " has registers for ", maxThreads));
  uint64_t bytes = uint64_t(kernel.scratchBytes) +
                   static_cast<uint64_t>(std::max(shared, 0));
  if (bytes > static_cast<uint64_t>(std::max(device->limits.maxShared, 0)))
    return Status(Code::LimitExceeded,
                  concat("it needs ", bytes, " bytes of shared memory, ",
                         device->name(), " has ", device->limits.maxShared));
  uint64_t cluster =
      uint64_t(kernel.cluster[0]) * kernel.cluster[1] * kernel.cluster[2];
  if (cluster > 1 && !device->limits.clusters)
    return Status(Code::ArchMismatch, concat("it needs clusters of blocks, ",
                                             device->name(), " has none"));
  struct Setting {
    FunctionAttribute attribute;
    int value;
  };
  const Setting settings[] = {
      {FunctionAttribute::MaxDynamicSharedBytes,
       static_cast<int>(kernel.scratchBytes)},
      // All GPUs have clusters of 8, some of 16.
      {FunctionAttribute::NonPortableClusterAllowed, cluster > 8 ? 1 : 0}};
  for (const Setting &setting : settings)
    if (setting.value != 0)
      if (Status status =
              device->check(device->api.funcSetAttribute(
                                function, setting.attribute, setting.value),
                            "cuFuncSetAttribute");
          !status.isOk())
        return status;
  return Status::ok();
}

std::string cuda::describeImage(const runtime::DeviceProgram &base) {
  auto &program = static_cast<const CudaProgram &>(base);
  if (program.image->kind == ImageKind::Cubin)
    return concat("machine code for ", printable(program.image->arch));
  const DeviceLimits &limits = program.device->limits;
  return concat("PTX for ", printable(program.image->arch),
                ", compiled by the driver for sm_",
                limits.computeMajor * 10 + limits.computeMinor);
}

//===-- libraries ---------------------------------------------------------===//

static Result<const CublasLtApi *> systemOr(const CublasLtApi *given) {
  if (!given)
    return systemCublasLt();
  if (Status status = checkCublasLtVersion(*given); !status.isOk())
    return status;
  return given;
}

/// A library that is missing is no error: every launch has its own kernel.
void CudaProgram::findLibraries() {
  if (program.products.empty())
    return;
  Result<const CublasLtApi *> api = systemOr(device->options.cublasLt);
  libraries = std::make_unique<LibraryProducts>(
      api ? *api : nullptr, api ? "" : api.status().message(), program);
}

runtime::Backend CudaProgram::backend(TableIndex launch) const {
  if (launch >= program.launches.size() ||
      program.launches[launch].product == noIndex)
    return {};
  return {libraries->of(launch) != nullptr, libraries->describe(launch)};
}

//===-- constants ---------------------------------------------------------===//

Status CudaProgram::uploadConstants() {
  if (program.constants.empty())
    return Status::ok();
  Result<runtime::DeviceMemory> memory =
      runtime::DeviceMemory::allocate(device, program.constants.size());
  if (!memory)
    return std::move(Status(memory.status())).withContext("constants");
  constantMemory = std::move(*memory);
  if (Status status =
          device->copyToDevice(constantMemory.data(), program.constants.data(),
                               program.constants.size(), nullptr);
      !status.isOk())
    return std::move(status).withContext("constants");
  // Contexts run on any stream: the constants are there before the first.
  return device->synchronize(nullptr);
}

//===-- entry -------------------------------------------------------------===//

Result<std::unique_ptr<runtime::DeviceContext>> CudaProgram::createContext() {
  if (Status status = device->alive(); !status.isOk())
    return status;
  Result<runtime::DeviceMemory> workspace = runtime::DeviceMemory::allocate(
      device, libraries ? libraries->workspaceBytes() : 0);
  if (!workspace)
    return Status(workspace.status()).withContext("workspace of cuBLASLt");
  return std::unique_ptr<runtime::DeviceContext>(
      std::make_unique<CudaContext>(*this, std::move(*workspace)));
}

Result<std::unique_ptr<runtime::DeviceProgram>>
CudaDevice::prepare(const Program &program,
                    const runtime::PrepareOptions &options) {
  if (program.device != DeviceKind::CUDA)
    return Status(Code::DeviceMismatch,
                  "the program is compiled for the CPU, not for a GPU: "
                  "compile it anew with --target=cuda, or run it with "
                  "--device=cpu");
  auto result = std::make_unique<CudaProgram>(shared_from_this(), program);
  if (Status status = result->load(); !status.isOk())
    return status;
  return std::unique_ptr<runtime::DeviceProgram>(std::move(result));
}
