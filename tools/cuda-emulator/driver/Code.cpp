//===- Code.cpp - Modules and functions of the emulator -------------------===//

#include "Driver.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

//===-- modules -----------------------------------------------------------===//

/// Puts `text` where the caller wants the compiler's errors; prints it when
/// there is no such place.
static void logError(Driver &driver, const std::string &text, unsigned count,
                     const JitOption *options, void **values) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == JitOption::ErrorLogBuffer)
      buffer = static_cast<char *>(values[i]);
    // The driver's interface passes numbers as pointers; this one is 32 bits.
    if (options[i] == JitOption::ErrorLogBufferBytes)
      bytes = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (!buffer || bytes == 0)
    return driver.report(text);
  size_t size = std::min(text.size(), bytes - 1);
  std::memcpy(buffer, text.data(), size);
  buffer[size] = 0;
}

static DriverResult loadPtx(Driver &driver, std::string_view ptx,
                            OpaqueModule &module, std::string &problem) {
  Result<std::unique_ptr<emulator::Module>> code =
      emulator::Module::parse(ptx, *driver.memory);
  if (!code) {
    problem = code.status().message();
    return DriverResult::InvalidPtx;
  }
  if (!driver.machine.runs((*code)->target())) {
    problem = concat("PTX for ", printable((*code)->target()),
                     " does not run on compute capability ",
                     driver.machine.architecture->number / 10, ".",
                     driver.machine.architecture->number % 10);
    return DriverResult::NoBinaryForGpu;
  }
  module.code = std::move(*code);
  for (const emulator::Function &function : module.code->functions()) {
    auto made = std::make_unique<OpaqueFunction>();
    made->code = &function;
    made->maxDynamicShared = static_cast<uint32_t>(
        std::max(0, defaultSharedPerBlock -
                        static_cast<int>(function.staticSharedBytes)));
    module.functions[function.name] = std::move(made);
  }
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuModuleLoadDataEx(ModuleHandle *module, const void *image,
                                     unsigned optionCount, JitOption *options,
                                     void **values) {
  Call call;
  if (!call)
    return call.refusal();
  if (!module || !image)
    return DriverResult::InvalidValue;
  auto *text = static_cast<const char *>(image);
  // Machine code: cubins are ELF files, fat binaries begin with their magic.
  constexpr uint8_t elf[] = {0x7f, 'E', 'L', 'F'},
                    fatbin[] = {0x50, 0xed, 0x55, 0xba};
  if (std::equal(text, text + 4, elf, elf + 4) ||
      std::equal(text, text + 4, fatbin, fatbin + 4))
    return DriverResult::NoBinaryForGpu;
  auto made = std::make_unique<OpaqueModule>();
  std::string problem;
  DriverResult result = loadPtx(*call, text, *made, problem);
  if (result != DriverResult::Success) {
    logError(*call, problem, optionCount, options, values);
    return result;
  }
  *module = call->modules.add(std::move(made));
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuModuleUnload(ModuleHandle module) {
  Call call;
  if (!call)
    return call.refusal();
  return call->modules.remove(module) ? DriverResult::Success : invalidHandle;
}

TRIPY_DRIVER_CALL cuModuleGetFunction(FunctionHandle *function,
                                      ModuleHandle module, const char *name) {
  Call call;
  if (!call)
    return call.refusal();
  if (!function || !name)
    return DriverResult::InvalidValue;
  if (!call->modules.has(module))
    return invalidHandle;
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return DriverResult::NotFound;
  *function = found->second.get();
  return DriverResult::Success;
}

//===-- functions ---------------------------------------------------------===//

TRIPY_DRIVER_CALL cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                                     FunctionHandle function) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->hasFunction(function))
    return invalidHandle;
  if (!value)
    return DriverResult::InvalidValue;
  switch (attribute) {
  case FunctionAttribute::MaxThreadsPerBlock:
    *value = static_cast<int>(function->code->maxThreads);
    return DriverResult::Success;
  case FunctionAttribute::SharedBytes:
    *value = static_cast<int>(function->code->staticSharedBytes);
    return DriverResult::Success;
  case FunctionAttribute::Registers:
    // PTX has as many as it likes; a thread of a GPU has at most 255.
    *value = static_cast<int>(std::min(function->code->registers, 255u));
    return DriverResult::Success;
  case FunctionAttribute::MaxDynamicSharedBytes:
    *value = static_cast<int>(function->maxDynamicShared);
    return DriverResult::Success;
  case FunctionAttribute::NonPortableClusterAllowed:
    *value = function->nonPortableCluster;
    return DriverResult::Success;
  }
  return DriverResult::InvalidValue;
}

TRIPY_DRIVER_CALL cuFuncSetAttribute(FunctionHandle function,
                                     FunctionAttribute attribute, int value) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->hasFunction(function))
    return invalidHandle;
  if (attribute == FunctionAttribute::NonPortableClusterAllowed) {
    function->nonPortableCluster = value != 0;
    return DriverResult::Success;
  }
  if (attribute != FunctionAttribute::MaxDynamicSharedBytes || value < 0 ||
      static_cast<int64_t>(value) + function->code->staticSharedBytes >
          call->machine.architecture->sharedPerBlock)
    return DriverResult::InvalidValue;
  function->maxDynamicShared = static_cast<uint32_t>(value);
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuFuncGetParamInfo(FunctionHandle function, size_t index,
                                     size_t *offset, size_t *bytes) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->hasFunction(function))
    return invalidHandle;
  if (!offset || index >= function->code->parameters.size())
    return DriverResult::InvalidValue;
  const emulator::Parameter &parameter = function->code->parameters[index];
  *offset = parameter.offset;
  if (bytes)
    *bytes = parameter.bytes;
  return DriverResult::Success;
}
