//===- Executable.cpp - A loaded program ----------------------------------===//

#include "tripy/Runtime/Executable.h"
#include "HostMemory.h"
#include "InputCheck.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"
#include "tripy/Runtime/IO/SafeTensors.h"
#include "tripy/Runtime/Report.h"

#include <cstring>
#include <new>
#include <unordered_map>

using namespace tripy;
using namespace tripy::runtime;

struct Executable::Storage {
  MappedFile file;
  /// Used instead of `file` when the bytes were copied; starts aligned.
  HostTensor copy;
};

Executable::Executable() = default;
Executable::~Executable() = default;

//===-- loading -----------------------------------------------------------===//

/// Copies `bytes` to aligned memory, as the container needs it.
static Result<HostTensor> copyBytes(std::span<const uint8_t> bytes) {
  Result<HostTensor> copy =
      HostTensor::create(DType::U8, Shape({int64_t(bytes.size())}));
  if (copy && !bytes.empty())
    std::memcpy(copy->data(), bytes.data(), bytes.size());
  return copy;
}

/// Reads a file to aligned memory.
static Result<HostTensor> readBytes(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  Result<HostTensor> copy =
      HostTensor::create(DType::U8, Shape({int64_t(file->size())}));
  if (copy)
    if (Status status = file->read(0, {copy->data(), copy->bytes()});
        !status.isOk())
      return status;
  return copy;
}

Result<std::shared_ptr<Executable>>
Executable::load(const std::string &path, const LoadOptions &options) {
  try {
    std::shared_ptr<Executable> executable(new Executable);
    executable->settings = options;
    executable->storage = std::make_unique<Storage>();
    Storage &storage = *executable->storage;
    std::span<const uint8_t> bytes;
    if (options.copyFile) {
      Result<HostTensor> copy = readBytes(path);
      if (!copy)
        return copy.status();
      storage.copy = std::move(*copy);
      bytes = storage.copy.span();
    } else {
      Result<MappedFile> file = MappedFile::open(path);
      if (!file)
        return file.status();
      storage.file = std::move(*file);
      bytes = storage.file.bytes();
    }
    if (Status status = executable->initialize(bytes); !status.isOk())
      return std::move(status).withContext(
          concat("'", printable(path, 1024), "'"));
    return executable;
  } catch (const std::bad_alloc &) {
    return Status(Code::HostOutOfMemory, "no memory to load the executable");
  }
}

Result<std::shared_ptr<Executable>>
Executable::loadBytes(std::span<const uint8_t> bytes,
                      const LoadOptions &options) {
  try {
    std::shared_ptr<Executable> executable(new Executable);
    executable->settings = options;
    executable->storage = std::make_unique<Storage>();
    Result<HostTensor> copy = copyBytes(bytes);
    if (!copy)
      return copy.status();
    executable->storage->copy = std::move(*copy);
    if (Status status =
            executable->initialize(executable->storage->copy.span());
        !status.isOk())
      return status;
    return executable;
  } catch (const std::bad_alloc &) {
    return Status(Code::HostOutOfMemory, "no memory to load the executable");
  }
}

Status Executable::initialize(std::span<const uint8_t> bytes) {
  Result<Program> parsed =
      parseExecutable(bytes, {.threads = settings.threads});
  if (!parsed)
    return parsed.status();
  contents = std::move(*parsed);
  ProgramLimits limits;
  limits.arenaBytes = settings.arenaLimit                  ? settings.arenaLimit
                      : contents.device == DeviceKind::CPU ? physicalMemory()
                                                           : limits.arenaBytes;
  if (Status status = verifyProgram(contents, limits); !status.isOk())
    return status;
  for (Index i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].kind == InputKind::Argument)
      arguments.push_back(i);
  std::unordered_map<std::string_view, Index> firstOfName;
  for (Index i = 0; i < contents.symbols.size(); ++i) {
    const std::string &name = contents.symbols[i].name;
    sameAs.push_back(
        name.empty() ? i : firstOfName.try_emplace(name, i).first->second);
  }
  parameters.resize(contents.inputs.size());
  bound.resize(contents.inputs.size());
  return settings.inspectOnly ? Status::ok() : prepare();
}

Status Executable::prepare() {
  place = settings.device;
  if (!place) {
    Result<std::shared_ptr<Device>> opened =
        contents.device == DeviceKind::CPU ? createCpuDevice(settings.threads)
                                           : createCudaDevice(0);
    if (!opened)
      return opened.status();
    place = std::move(*opened);
  }
  if (place->kind() != contents.device)
    return Status(
        Code::DeviceMismatch,
        concat("the executable was compiled for ",
               contents.device == DeviceKind::CPU ? "the CPU" : "a GPU",
               ", but is to run on ",
               place->kind() == DeviceKind::CPU ? "the CPU" : "a GPU",
               "; recompile it with --target=",
               place->kind() == DeviceKind::CPU ? "cpu" : "cuda:sm_90a"));
  Result<std::unique_ptr<DeviceProgram>> ready =
      place->prepare(contents, {.trustHostCode = settings.trustHostCode});
  if (!ready)
    return ready.status();
  prepared = std::move(*ready);
  return Status::ok();
}

//===-- parameters --------------------------------------------------------===//

Status Executable::bindParameter(std::string_view name,
                                 const TensorView &value) {
  std::lock_guard lock(bindMutex);
  if (!place)
    return Status(Code::InvalidArgument,
                  "an executable loaded for inspection has no parameters");
  ClosestName closest(name);
  for (Index i = 0; i < contents.inputs.size(); ++i) {
    const InputInfo &input = contents.inputs[i];
    if (input.kind != InputKind::Parameter)
      continue;
    if (input.name != name) {
      closest.consider(input.name);
      continue;
    }
    if (frozen || bound[i])
      return Status(Code::InvalidArgument,
                    concat("parameter '", name, "' is bound already"));
    if (Status status = checkInput(contents, i, value, {}, settings.showSource);
        !status.isOk())
      return status;
    if (Status status =
            checkPlace(value, DeviceKind::CPU, 0, "parameter", name);
        !status.isOk())
      return status;
    uint64_t bytes = value.shape.bytes(value.dtype).value_or(0);
    Result<DeviceMemory> memory = DeviceMemory::allocate(place, bytes);
    if (!memory)
      return memory.status();
    if (bytes > 0) {
      if (Status status =
              place->copyToDevice(memory->data(), value.data, bytes, nullptr);
          !status.isOk())
        return status;
      if (Status status = place->synchronize(nullptr); !status.isOk())
        return status;
    }
    parameters[i] = std::move(*memory);
    bound[i] = true;
    return Status::ok();
  }
  return Status(Code::NotFound,
                concat("no parameter is named '", printable(name), "'",
                       closest.suggestion()));
}

Status Executable::bindParameters(const io::SafeTensors &file) {
  for (const InputInfo &input : contents.inputs) {
    if (input.kind != InputKind::Parameter)
      continue;
    // Type and shape first: a file must not ask for more memory than the
    // program.
    Result<TensorView> declared = file.describe(input.name);
    if (!declared)
      return declared.status();
    if (Status status =
            checkInput(contents, Index(&input - contents.inputs.data()),
                       *declared, {}, settings.showSource);
        !status.isOk())
      return status;
    Result<HostTensor> value = file.read(input.name);
    if (!value)
      return value.status();
    if (Status status = bindParameter(input.name, value->view());
        !status.isOk())
      return status;
  }
  return Status::ok();
}

Status Executable::bindParameters(const std::string &path) {
  try {
    Result<io::SafeTensors> file = io::SafeTensors::open(path);
    Status status = file ? bindParameters(*file) : file.status();
    if (status.isOk())
      return status;
    return std::move(status).withContext(
        concat("'", printable(path, 1024), "'"));
  } catch (const std::bad_alloc &) {
    return Status(Code::HostOutOfMemory, "no memory to read the parameters");
  }
}

Status Executable::freeze() const {
  std::lock_guard lock(bindMutex);
  if (!prepared)
    return Status(Code::InvalidArgument,
                  "an executable loaded for inspection cannot run");
  for (Index i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].kind == InputKind::Parameter && !bound[i])
      return Status(Code::InvalidArgument,
                    concat("parameter '", contents.inputs[i].name,
                           "' is not bound; give a safetensors file that has "
                           "it"));
  frozen = true;
  return Status::ok();
}

//===-- names -------------------------------------------------------------===//

namespace {

/// Sorts named tensors by a list of names.
class Arranger {
public:
  Arranger(std::string_view what, std::vector<std::string_view> names)
      : what(what), names(std::move(names)) {
    for (size_t i = 0; i < this->names.size(); ++i)
      numbers.emplace(this->names[i], i);
  }

  Result<std::vector<TensorView>>
  arrange(std::span<const runtime::NamedTensor> tensors) const {
    std::vector<TensorView> arranged(names.size());
    std::vector<bool> given(names.size());
    for (const runtime::NamedTensor &tensor : tensors) {
      auto found = numbers.find(tensor.name);
      if (found == numbers.end())
        return unknown(tensor.name);
      if (given[found->second])
        return Status(Code::InvalidArgument,
                      concat(what, " '", tensor.name, "' is given twice"));
      given[found->second] = true;
      arranged[found->second] = tensor.tensor;
    }
    for (size_t i = 0; i < names.size(); ++i)
      if (!given[i])
        return Status(Code::InvalidArgument, concat(what, " '", names[i],
                                                    "' is missing; the program "
                                                    "has ",
                                                    list()));
    return arranged;
  }

private:
  Status unknown(std::string_view name) const {
    ClosestName closest(name);
    for (std::string_view known : names)
      closest.consider(known);
    return Status(Code::InvalidArgument,
                  concat("no ", what, " is named '", printable(name), "'",
                         closest.best().empty()
                             ? concat("; the program has ", list())
                             : closest.suggestion()));
  }
  std::string list() const {
    if (names.empty())
      return "none";
    std::string text;
    for (size_t i = 0; i < names.size() && i < 8; ++i)
      text += concat(i ? ", '" : "'", names[i], "'");
    return names.size() > 8 ? text + ", ..." : text;
  }

  std::string_view what;
  std::vector<std::string_view> names;
  std::unordered_map<std::string_view, size_t> numbers;
};

} // namespace

Result<std::vector<TensorView>>
Executable::arrangeInputs(std::span<const NamedTensor> tensors) const {
  std::vector<std::string_view> names;
  for (Index input : arguments)
    names.push_back(contents.inputs[input].name);
  for (const NamedTensor &tensor : tensors)
    for (const InputInfo &input : contents.inputs)
      if (input.kind == InputKind::Parameter && input.name == tensor.name)
        return Status(Code::InvalidArgument,
                      concat("'", tensor.name,
                             "' is a parameter: it is bound "
                             "once, not given at each call"));
  return Arranger("input", std::move(names)).arrange(tensors);
}

Result<std::vector<TensorView>>
Executable::arrangeOutputs(std::span<const NamedTensor> tensors) const {
  std::vector<std::string_view> names;
  for (const OutputInfo &output : contents.outputs)
    names.push_back(output.name);
  return Arranger("output", std::move(names)).arrange(tensors);
}

Status Executable::checkArgument(size_t argument,
                                 const TensorView &tensor) const {
  if (argument >= arguments.size())
    return Status(Code::InvalidArgument,
                  concat("the program takes ", arguments.size(),
                         " inputs, but number ", argument, " is checked"));
  std::vector<int64_t> symbols(contents.symbols.size());
  return checkInput(contents, arguments[argument], tensor, symbols,
                    settings.showSource);
}
