//===- Executable.h - A loaded program --------------------------*- C++ -*-===//
//
// Loads a .tpx file, verifies it, and makes it ready on a device.
//
//   auto executable = Executable::load("model.tpx", {.trustHostCode = true});
//   auto context = ExecutionContext::create(*executable);
//   (*context)->run(inputs, outputs);
//
// For users of the runtime; depends on Base and the runtime's interfaces.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_EXECUTABLE_H
#define TRIPY_RUNTIME_EXECUTABLE_H

#include "tripy/Base/NameTable.h"
#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Runtime/Device.h"
#include "tripy/Runtime/TensorView.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::io {
class SafeTensors;
} // namespace tripy::io

namespace tripy::runtime {

struct LoadOptions {
  /// A program for the CPU contains machine code. It is mapped and executed
  /// only when the caller says that the file comes from a trusted place.
  bool trustHostCode = false;
  /// Where to run; null takes the program's own kind: the CPU, or GPU 0.
  std::shared_ptr<Device> device = nullptr;
  /// Threads of the CPU device when `device` is null; 0: one for each
  /// processor.
  uint32_t threads = 0;
  /// Most bytes the execution arena may have; 0: the machine's memory.
  uint64_t arenaLimit = 0;
  /// Reads the file into memory instead of mapping it, for files that somebody
  /// else may change in place while the program is loaded.
  bool copyFile = false;
  /// Verify and describe only; no device is touched and nothing can run.
  bool inspectOnly = false;
  /// Messages quote the user's source line when its file can be read. Off, the
  /// file names of an executable are never opened.
  bool showSource = false;
};

/// A tensor and the name of the input or output it is meant for.
struct NamedTensor {
  std::string_view name;
  TensorView tensor;
};

/// A verified program on a device. After parameters are bound it does not
/// change: any number of threads may share it, each with its own
/// ExecutionContext.
class Executable {
public:
  /// Errors: those of MappedFile, parseExecutable and verifyProgram;
  /// DeviceMismatch; Unsupported (host code that is not trusted); those of
  /// the device.
  static Result<std::shared_ptr<Executable>>
  load(const std::string &path, const LoadOptions &options = {});
  /// The same for a file in memory, which is copied.
  static Result<std::shared_ptr<Executable>>
  loadBytes(std::span<const uint8_t> bytes, const LoadOptions &options = {});

  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  const Program &program() const { return contents; }
  /// Null after inspectOnly.
  const std::shared_ptr<Device> &device() const { return place; }
  const LoadOptions &options() const { return settings; }
  /// Indices of the inputs that are given at each call, in order.
  std::span<const TableIndex> argumentInputs() const { return arguments; }
  bool hasParameters() const {
    return arguments.size() != contents.inputs.size();
  }

  /// What computes a launch that a library may compute; empty for others, and
  /// after inspectOnly. `launch` is a number of program().launches.
  Backend backend(TableIndex launch) const {
    return prepared ? prepared->backend(launch) : Backend();
  }

  /// Copies one parameter to the device. Once for each, before the first
  /// context. Errors: NotFound, DTypeMismatch, ShapeOutOfRange,
  /// InvalidArgument (bound before, not in host memory), and of the device.
  Status bindParameter(std::string_view name, const TensorView &value);
  /// Binds every parameter from a safetensors file, or none after an error;
  /// other tensors in the file are ignored.
  Status bindParameters(const io::SafeTensors &file);
  Status bindParameters(const std::string &path);

  /// Number of the input or output of this name, among program().inputs or
  /// outputs.
  std::optional<TableIndex> findInput(std::string_view name) const {
    return inputNames.find(name);
  }
  std::optional<TableIndex> findOutput(std::string_view name) const {
    return outputNames.find(name);
  }
  /// Number of an input among argumentInputs(); none for a parameter.
  std::optional<size_t> argumentOf(TableIndex input) const;

  /// Sorts named tensors into the order that ExecutionContext::run() takes.
  /// Errors: InvalidArgument naming a missing, repeated or unknown input, with
  /// the nearest name.
  Result<std::vector<TensorView>>
  arrangeInputs(std::span<const NamedTensor> tensors) const;
  Result<std::vector<TensorView>>
  arrangeOutputs(std::span<const NamedTensor> tensors) const;

  /// Element type, rank and sizes of argument number `argument` against the
  /// profile; data is not looked at. Errors: those of ExecutionContext::run().
  Status checkArgument(size_t argument, const TensorView &tensor) const;

private:
  friend class ExecutionContext;
  Executable();
  /// What the file's bytes live in.
  struct Storage;

  Status initialize(std::span<const uint8_t> bytes);
  Status initializeCopy(std::span<const uint8_t> bytes);
  Status prepare();
  /// Ok when each parameter is bound; from then on none can be bound.
  Status freeze() const;
  /// A parameter's value on the device, not bound yet. Under `bindMutex`.
  Result<DeviceMemory> copyParameter(TableIndex input, const TensorView &value);
  Status bindAll(const io::SafeTensors &file);

  LoadOptions settings;
  std::unique_ptr<Storage> storage;
  Program contents;
  std::vector<TableIndex> arguments;
  NameTable inputNames, outputNames;
  /// For each symbol, the first one of the same name, or itself.
  std::vector<TableIndex> sameAs;
  std::shared_ptr<Device> place;
  std::unique_ptr<DeviceProgram> prepared;
  /// One entry for each input; empty for arguments and unbound parameters.
  std::vector<DeviceMemory> parameters;
  std::vector<bool> bound;
  mutable std::mutex bindMutex;
  mutable bool frozen = false;
};

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_EXECUTABLE_H
