//===- Executable.cpp - A loaded program ----------------------------------===//

#include "tripy/Runtime/Executable.h"
#include "HostMemory.h"
#include "InputCheck.h"
#include "NoThrow.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/File.h"
#include "tripy/Base/Packed.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"
#include "tripy/Runtime/IO/SafeTensors.h"
#include "tripy/Runtime/Report.h"

#include <algorithm>
#include <cstring>

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
  return withoutExceptions(
      "to load the executable", [&]() -> Result<std::shared_ptr<Executable>> {
        std::shared_ptr<Executable> executable(new Executable);
        executable->settings = options;
        executable->storage = std::make_unique<Storage>();
        Status status;
        if (options.copyFile) {
          Result<HostTensor> copy = readBytes(path);
          if (!copy)
            return copy.status();
          executable->storage->copy = std::move(*copy);
          status = executable->initialize(executable->storage->copy.span());
        } else {
          Result<MappedFile> file = MappedFile::open(path);
          if (!file)
            return file.status();
          executable->storage->file = std::move(*file);
          status = executable->initialize(executable->storage->file.bytes());
        }
        if (status.isOk())
          return executable;
        return std::move(status).withContext(
            concat("'", printable(path, 1024), "'"));
      });
}

Result<std::shared_ptr<Executable>>
Executable::loadBytes(std::span<const uint8_t> bytes,
                      const LoadOptions &options) {
  return withoutExceptions(
      "to load the executable", [&]() -> Result<std::shared_ptr<Executable>> {
        std::shared_ptr<Executable> executable(new Executable);
        executable->settings = options;
        executable->storage = std::make_unique<Storage>();
        if (Status status = executable->initializeCopy(bytes); !status.isOk())
          return status;
        return executable;
      });
}

Status Executable::initializeCopy(std::span<const uint8_t> bytes) {
  Result<HostTensor> copy = copyBytes(bytes);
  if (!copy)
    return copy.status();
  storage->copy = std::move(*copy);
  return initialize(storage->copy.span());
}

/// The names of inputs, outputs or symbols.
template <typename Named>
static std::vector<std::string_view> namesOf(const std::vector<Named> &list) {
  std::vector<std::string_view> names;
  names.reserve(list.size());
  for (const Named &named : list)
    names.push_back(named.name);
  return names;
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
  for (TableIndex i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].kind != InputKind::Parameter)
      arguments.push_back(i);
  inputNames = NameTable(namesOf(contents.inputs));
  outputNames = NameTable(namesOf(contents.outputs));
  NameTable symbolNames(namesOf(contents.symbols));
  for (TableIndex i = 0; i < contents.symbols.size(); ++i) {
    const std::string &name = contents.symbols[i].name;
    sameAs.push_back(name.empty() ? i : *symbolNames.find(name));
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

Result<DeviceMemory> Executable::copyParameter(TableIndex number,
                                               const TensorView &value) {
  const InputDescription &input = contents.inputs[number];
  if (frozen || bound[number])
    return Status(Code::InvalidArgument,
                  concat("parameter '", input.name, "' is bound already"));
  if (Status status =
          checkInput(contents, number, value, {}, settings.showSource);
      !status.isOk())
    return status;
  if (Status status =
          checkPlace(value, DeviceKind::CPU, 0, "parameter", input.name);
      !status.isOk())
    return status;
  uint64_t bytes = value.shape.bytes(value.dtype).value_or(0);
  Result<DeviceMemory> memory = DeviceMemory::allocate(place, bytes);
  if (!memory || bytes == 0)
    return memory;
  if (Status status =
          place->copyToDevice(memory->data(), value.data, bytes, nullptr);
      !status.isOk())
    return status;
  if (Status status = place->synchronize(nullptr); !status.isOk())
    return status;
  return memory;
}

static Status notForInspection() {
  return Status(Code::InvalidArgument,
                "an executable loaded for inspection has no parameters");
}

/// The error for a name that no parameter has.
static Status unknownParameter(const Program &program, std::string_view name) {
  ClosestName closest(name);
  for (const InputDescription &input : program.inputs)
    if (input.kind == InputKind::Parameter)
      closest.consider(input.name);
  return Status(Code::NotFound,
                concat("no parameter is named '", printable(name), "'",
                       closest.suggestion()));
}

Status Executable::bindParameter(std::string_view name,
                                 const TensorView &value) {
  return withoutExceptions("to bind a parameter", [&]() -> Status {
    std::lock_guard lock(bindMutex);
    if (!place)
      return notForInspection();
    std::optional<TableIndex> input = findInput(name);
    if (!input || contents.inputs[*input].kind != InputKind::Parameter)
      return unknownParameter(contents, name);
    Result<DeviceMemory> memory = copyParameter(*input, value);
    if (!memory)
      return memory.status();
    parameters[*input] = std::move(*memory);
    bound[*input] = true;
    return Status::ok();
  });
}

/// `declared`, or the parameter's own type and shape where the file has the
/// bytes of elements that share them.
TensorView Executable::asWanted(const InputDescription &parameter,
                                const TensorView &declared) const {
  TensorView wanted = declared;
  Shape shape;
  // The sizes of parameters are static.
  for (TableIndex dim : parameter.dims)
    shape.push(contents.exprs[dim].value);
  if (holdsPacked(parameter.dtype, shape.sizes(), declared.dtype,
                  declared.shape.sizes())) {
    wanted.dtype = parameter.dtype;
    wanted.shape = shape;
  }
  return wanted;
}

/// All or none: after a failure the caller can try again.
Status Executable::bindAll(const io::SafeTensors &file) {
  std::lock_guard lock(bindMutex);
  if (!place && hasParameters())
    return notForInspection();
  std::vector<DeviceMemory> copies(contents.inputs.size());
  for (TableIndex i = 0; i < contents.inputs.size(); ++i) {
    if (contents.inputs[i].kind != InputKind::Parameter)
      continue;
    // Type and shape first: a file must not ask for more memory than the
    // program.
    const std::string &name = contents.inputs[i].name;
    Result<TensorView> declared = file.describe(name);
    if (!declared)
      return declared.status();
    TensorView wanted = asWanted(contents.inputs[i], *declared);
    if (Status status =
            checkInput(contents, i, wanted, {}, settings.showSource);
        !status.isOk())
      return status;
    Result<HostTensor> value = file.read(name);
    if (!value)
      return value.status();
    wanted.data = value->data();
    Result<DeviceMemory> memory = copyParameter(i, wanted);
    if (!memory)
      return memory.status();
    copies[i] = std::move(*memory);
  }
  for (TableIndex i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].kind == InputKind::Parameter) {
      parameters[i] = std::move(copies[i]);
      bound[i] = true;
    }
  return Status::ok();
}

Status Executable::bindParameters(const io::SafeTensors &file) {
  return withoutExceptions("to bind the parameters",
                           [&] { return bindAll(file); });
}

Status Executable::bindParameters(const std::string &path) {
  return withoutExceptions("to read the parameters", [&]() -> Status {
    Result<io::SafeTensors> file = io::SafeTensors::open(path);
    Status status = file ? bindAll(*file) : file.status();
    if (status.isOk())
      return status;
    return std::move(status).withContext(
        concat("'", printable(path, 1024), "'"));
  });
}

Status Executable::freeze() const {
  std::lock_guard lock(bindMutex);
  if (!prepared)
    return Status(Code::InvalidArgument,
                  "an executable loaded for inspection cannot run");
  for (TableIndex i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].kind == InputKind::Parameter && !bound[i])
      return Status(Code::InvalidArgument,
                    concat("parameter '", contents.inputs[i].name,
                           "' is not bound; give a safetensors file that has "
                           "it"));
  frozen = true;
  return Status::ok();
}

//===-- names -------------------------------------------------------------===//

std::optional<size_t> Executable::argumentOf(TableIndex input) const {
  auto found = std::lower_bound(arguments.begin(), arguments.end(), input);
  if (found == arguments.end() || *found != input)
    return std::nullopt;
  return size_t(found - arguments.begin());
}

namespace {

/// Sorts named tensors by a list of `count` inputs or outputs.
class Arranger {
public:
  /// `nameOf` gives the name of each.
  template <typename NameOf>
  Arranger(std::string_view what, size_t count, NameOf nameOf)
      : what(what), arranged(count), given(count) {
    for (size_t i = 0; i < count; ++i)
      names.push_back(nameOf(i));
  }

  /// `number` is the tensor's place in the list.
  Status add(const runtime::NamedTensor &tensor, std::optional<size_t> number) {
    if (!number)
      return unknown(tensor.name);
    if (given[*number])
      return Status(Code::InvalidArgument,
                    concat(what, " '", tensor.name, "' is given twice"));
    given[*number] = true;
    arranged[*number] = tensor.tensor;
    return Status::ok();
  }

  Result<std::vector<TensorView>> finish() {
    for (size_t i = 0; i < names.size(); ++i)
      if (!given[i])
        return Status(Code::InvalidArgument, concat(what, " '", names[i],
                                                    "' is missing; the program "
                                                    "has ",
                                                    list()));
    return std::move(arranged);
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
  std::vector<TensorView> arranged;
  std::vector<bool> given;
};

} // namespace

Result<std::vector<TensorView>>
Executable::arrangeInputs(std::span<const NamedTensor> tensors) const {
  using Arranged = Result<std::vector<TensorView>>;
  return withoutExceptions("to sort tensors", [&]() -> Arranged {
    Arranger arranger("input", arguments.size(), [&](size_t i) {
      return std::string_view(contents.inputs[arguments[i]].name);
    });
    for (const NamedTensor &tensor : tensors) {
      std::optional<TableIndex> input = findInput(tensor.name);
      if (input && contents.inputs[*input].kind == InputKind::Parameter)
        return Status(Code::InvalidArgument,
                      concat("'", tensor.name,
                             "' is a parameter: it is bound once, not given "
                             "at each call"));
      Status status = arranger.add(tensor, input ? argumentOf(*input)
                                                 : std::optional<size_t>());
      if (!status.isOk())
        return status;
    }
    return arranger.finish();
  });
}

Result<std::vector<TensorView>>
Executable::arrangeOutputs(std::span<const NamedTensor> tensors) const {
  using Arranged = Result<std::vector<TensorView>>;
  return withoutExceptions("to sort tensors", [&]() -> Arranged {
    Arranger arranger("output", contents.outputs.size(), [&](size_t i) {
      return std::string_view(contents.outputs[i].name);
    });
    for (const NamedTensor &tensor : tensors)
      if (Status status = arranger.add(tensor, findOutput(tensor.name));
          !status.isOk())
        return status;
    return arranger.finish();
  });
}

Status Executable::checkArgument(size_t argument,
                                 const TensorView &tensor) const {
  return withoutExceptions("to check an input", [&]() -> Status {
    if (argument >= arguments.size())
      return Status(Code::InvalidArgument,
                    concat("the program takes ", arguments.size(),
                           " inputs, but number ", argument, " is checked"));
    return checkInput(contents, arguments[argument], tensor, {},
                      settings.showSource);
  });
}
