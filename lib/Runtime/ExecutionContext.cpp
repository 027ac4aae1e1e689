//===- ExecutionContext.cpp - Runs a loaded program -----------------------===//

#include "tripy/Runtime/ExecutionContext.h"
#include "InputCheck.h"
#include "NoThrow.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::runtime;

//===-- life --------------------------------------------------------------===//

Result<std::unique_ptr<ExecutionContext>>
ExecutionContext::create(std::shared_ptr<const Executable> executable) {
  using Created = Result<std::unique_ptr<ExecutionContext>>;
  return withoutExceptions("for an execution context", [&]() -> Created {
    if (Status status = executable->freeze(); !status.isOk())
      return status;
    std::unique_ptr<ExecutionContext> context(new ExecutionContext);
    context->shared = std::move(executable);
    if (Status status = context->initialize(); !status.isOk())
      return status;
    return context;
  });
}

Status ExecutionContext::initialize() {
  const Program &program = shared->program();
  Result<DeviceMemory> memory =
      DeviceMemory::allocate(shared->device(), program.arenaBytes);
  if (!memory)
    return Status(memory.status()).withContext("the execution arena");
  arena = std::move(*memory);
  Result<std::unique_ptr<DeviceContext>> created =
      shared->prepared->createContext();
  if (!created)
    return created.status();
  state = std::move(*created);
  Result<Stream> stream = shared->device()->createStream();
  if (!stream)
    return stream.status();
  ownStream = *stream;
  if (Status status = clearZeroed(); !status.isOk())
    return status;

  symbols.resize(program.symbols.size());
  nextSymbols.resize(program.symbols.size());
  sizes.resize(program.exprs.size());
  inputAddresses.resize(program.inputs.size());
  outputAddresses.resize(program.outputs.size());
  buffers.resize(program.buffers.size());
  inputStaging.resize(program.inputs.size());
  outputStaging.resize(program.outputs.size());
  outputStaged.resize(program.outputs.size());
  extents.reserve(program.inputs.size() + program.outputs.size());
  for (TableIndex i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].kind == InputKind::Parameter)
      inputAddresses[i] = shared->parameters[i].data();
  return Status::ok();
}

/// Cleared once: kernels leave this memory zero again.
Status ExecutionContext::clearZeroed() {
  Device &device = *shared->device();
  std::vector<uint8_t> zeros;
  for (const Buffer &buffer : shared->program().buffers) {
    if (buffer.kind != BufferKind::Zeroed || buffer.size == 0)
      continue;
    // No work that reads them is in flight.
    zeros.assign(buffer.size, 0);
    Status status = device.copyToDevice(arena.data() + buffer.offset,
                                        zeros.data(), buffer.size, ownStream);
    if (status.isOk())
      status = device.synchronize(ownStream);
    if (!status.isOk())
      return std::move(status).withContext("the execution arena");
  }
  return Status::ok();
}

ExecutionContext::~ExecutionContext() {
  if (ownStream) {
    // Nothing can be done about a failure here, not even to say so without
    // memory; a later call reports it.
    (void)withoutExceptions("to wait", [&] {
      return shared->device()->synchronize(ownStream);
    }).isOk();
    shared->device()->destroyStream(ownStream);
  }
}

//===-- checks ------------------------------------------------------------===//

Status ExecutionContext::bindShapes(std::span<const TensorView> inputs) {
  const Program &program = shared->program();
  std::span<const TableIndex> arguments = shared->argumentInputs();
  bool showSource = shared->options().showSource;
  if (inputs.size() != arguments.size())
    return Status(Code::InvalidArgument,
                  concat("the program takes ", arguments.size(),
                         " inputs, but ", inputs.size(), " are given"));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (Status status = checkInput(program, arguments[i], inputs[i],
                                   nextSymbols, showSource);
        !status.isOk())
      return status;
  if (shapesKnown && nextSymbols == symbols)
    return Status::ok();
  if (Status status =
          checkNamedDims(program, shared->sameAs, nextSymbols, showSource);
      !status.isOk())
    return status;
  shapesKnown = false;
  if (Status status = evaluateSizes(program, nextSymbols, sizes);
      !status.isOk())
    return status;
  if (Status status = checkSizes(program, sizes, showSource); !status.isOk())
    return status;
  if (Status status = checkAccesses(program, sizes); !status.isOk())
    return status;
  symbols = nextSymbols;
  shapesKnown = true;
  return Status::ok();
}

Status ExecutionContext::outputShapes(std::span<const TensorView> inputs,
                                      std::span<Shape> shapes) {
  const Program &program = shared->program();
  Status bound = withoutExceptions("to check the inputs", [&]() -> Status {
    if (shapes.size() != program.outputs.size())
      return Status(Code::InvalidArgument,
                    concat("the program has ", program.outputs.size(),
                           " outputs, but ", shapes.size(), " are asked for"));
    return bindShapes(inputs);
  });
  if (!bound.isOk())
    return bound;
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = Shape();
    for (TableIndex dim : program.outputs[i].dims)
      shapes[i].push(sizes[dim]);
  }
  return Status::ok();
}

Status
ExecutionContext::checkOutputs(std::span<const TensorView> outputs) const {
  const Program &program = shared->program();
  if (outputs.size() != program.outputs.size())
    return Status(Code::InvalidArgument,
                  concat("the program has ", program.outputs.size(),
                         " outputs, but ", outputs.size(), " are given"));
  for (TableIndex i = 0; i < outputs.size(); ++i)
    if (Status status = checkOutput(program, i, outputs[i], sizes);
        !status.isOk())
      return status;
  return Status::ok();
}

/// Kernels are compiled for tensors that do not overlap when one is written.
Status ExecutionContext::checkOverlap(std::span<const TensorView> inputs,
                                      std::span<const TensorView> outputs) {
  const Program &program = shared->program();
  extents.clear();
  auto add = [&](const TensorView &tensor, TableIndex index, bool output) {
    uint64_t begin = reinterpret_cast<uint64_t>(tensor.data);
    uint64_t bytes = *tensor.shape.bytes(tensor.dtype);
    if (bytes > 0)
      extents.push_back({begin, begin + bytes, index, output});
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    add(inputs[i], shared->argumentInputs()[i], false);
  for (size_t i = 0; i < outputs.size(); ++i)
    add(outputs[i], TableIndex(i), true);
  std::sort(extents.begin(), extents.end(),
            [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  // The extents that reach furthest so far: of any tensor and of an output.
  const Extent *furthest = nullptr, *furthestOutput = nullptr;
  for (const Extent &extent : extents) {
    const Extent *before = extent.output ? furthest : furthestOutput;
    if (before && extent.begin < before->end) {
      const Extent &output = extent.output ? extent : *before;
      const Extent &other = extent.output ? *before : extent;
      return Status(Code::InvalidArgument,
                    concat("output '", program.outputs[output.tensor].name,
                           "' may not overlap another tensor, but overlaps ",
                           other.output ? "output '" : "input '",
                           other.output ? program.outputs[other.tensor].name
                                        : program.inputs[other.tensor].name,
                           "'"));
    }
    if (!furthest || extent.end > furthest->end)
      furthest = &extent;
    if (extent.output && (!furthestOutput || extent.end > furthestOutput->end))
      furthestOutput = &extent;
  }
  return Status::ok();
}

//===-- memory ------------------------------------------------------------===//

/// The address that kernels use for `tensor`: its own, or staging memory when
/// it is elsewhere or not aligned.
Status ExecutionContext::place(const TensorView &tensor, DeviceMemory &staging,
                               void *&address, bool &staged) {
  Device &device = *shared->device();
  uint64_t bytes = *tensor.shape.bytes(tensor.dtype);
  address = nullptr;
  staged = false;
  if (bytes == 0)
    return Status::ok();
  address = tensor.data;
  if (tensor.device == device.kind() &&
      reinterpret_cast<uint64_t>(tensor.data) % device.alignment() == 0)
    return Status::ok();
  staged = true;
  if (staging.bytes() < bytes) {
    // Frees the smaller block first: both may not fit.
    staging = DeviceMemory();
    Result<DeviceMemory> memory =
        DeviceMemory::allocate(shared->device(), bytes);
    if (!memory)
      return memory.status();
    staging = std::move(*memory);
  }
  address = staging.data();
  return Status::ok();
}

Status ExecutionContext::stageInputs(std::span<const TensorView> inputs,
                                     Stream stream) {
  Device &device = *shared->device();
  for (size_t i = 0; i < inputs.size(); ++i) {
    TableIndex input = shared->argumentInputs()[i];
    // Its value has been read, and no kernel takes its address.
    if (shared->program().inputs[input].kind == InputKind::Size)
      continue;
    const TensorView &tensor = inputs[i];
    bool staged = false;
    if (Status status =
            place(tensor, inputStaging[input], inputAddresses[input], staged);
        !status.isOk())
      return status;
    if (!staged)
      continue;
    uint64_t bytes = *tensor.shape.bytes(tensor.dtype);
    void *to = inputAddresses[input];
    Status status = tensor.device == DeviceKind::CPU
                        ? device.copyToDevice(to, tensor.data, bytes, stream)
                        : device.copyOnDevice(to, tensor.data, bytes, stream);
    if (!status.isOk())
      return status;
  }
  return Status::ok();
}

Status ExecutionContext::placeOutputs(std::span<const TensorView> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    bool staged = false;
    if (Status status =
            place(outputs[i], outputStaging[i], outputAddresses[i], staged);
        !status.isOk())
      return status;
    outputStaged[i] = staged;
  }
  return Status::ok();
}

Status ExecutionContext::copyOutputs(std::span<const TensorView> outputs,
                                     Stream stream) {
  Device &device = *shared->device();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputStaged[i])
      continue;
    uint64_t bytes = *outputs[i].shape.bytes(outputs[i].dtype);
    void *from = outputAddresses[i], *to = outputs[i].data;
    Status status = outputs[i].device == DeviceKind::CPU
                        ? device.copyToHost(to, from, bytes, stream)
                        : device.copyOnDevice(to, from, bytes, stream);
    if (!status.isOk())
      return status;
  }
  return Status::ok();
}

void ExecutionContext::fillBuffers() {
  const Program &program = shared->program();
  const uint8_t *constants = shared->prepared->constants();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    switch (buffer.kind) {
    case BufferKind::Input:
      buffers[i] = inputAddresses[buffer.index];
      break;
    case BufferKind::Output:
      buffers[i] = outputAddresses[buffer.index];
      break;
    case BufferKind::Constant:
      // Kernels only read constants; the verifier has seen to that.
      buffers[i] = buffer.size == 0
                       ? nullptr
                       : const_cast<uint8_t *>(constants) + buffer.offset;
      break;
    case BufferKind::Arena:
    case BufferKind::Zeroed:
      buffers[i] = buffer.size == 0 ? nullptr : arena.data() + buffer.offset;
      break;
    }
  }
}

//===-- running -----------------------------------------------------------===//

Status ExecutionContext::launch(Stream stream, std::span<double> seconds) {
  fillBuffers();
  RunArguments arguments{buffers, sizes, symbols};
  return seconds.empty() ? state->run(arguments, stream)
                         : state->profile(arguments, stream, seconds);
}

Status ExecutionContext::execute(std::span<const TensorView> inputs,
                                 std::span<const TensorView> outputs,
                                 const RunOptions &options,
                                 std::span<double> seconds) {
  const Program &program = shared->program();
  Device &device = *shared->device();
  if (Status status = bindShapes(inputs); !status.isOk())
    return status;
  if (Status status = checkOutputs(outputs); !status.isOk())
    return status;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (Status status =
            checkPlace(inputs[i], device.kind(), device.ordinal(), "input",
                       program.inputs[shared->argumentInputs()[i]].name);
        !status.isOk())
      return status;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (Status status = checkPlace(outputs[i], device.kind(), device.ordinal(),
                                   "output", program.outputs[i].name);
        !status.isOk())
      return status;
  if (Status status = checkOverlap(inputs, outputs); !status.isOk())
    return status;

  Stream stream = options.stream ? options.stream : ownStream;
  Status status = placeOutputs(outputs);
  if (status.isOk())
    status = stageInputs(inputs, stream);
  if (status.isOk())
    status = launch(stream, seconds);
  if (status.isOk())
    status = copyOutputs(outputs, stream);
  // After a failure too: the caller may free its tensors when this returns.
  if (options.synchronize || !status.isOk()) {
    Status waited = device.synchronize(stream);
    if (status.isOk())
      status = std::move(waited);
  }
  return status;
}

Status ExecutionContext::run(std::span<const TensorView> inputs,
                             std::span<const TensorView> outputs,
                             const RunOptions &options) {
  return withoutExceptions("to run the program", [&] {
    return execute(inputs, outputs, options, {});
  });
}

Status ExecutionContext::profile(std::span<const TensorView> inputs,
                                 std::span<const TensorView> outputs,
                                 std::span<double> seconds) {
  return withoutExceptions("to run the program", [&]() -> Status {
    size_t launches = shared->program().launches.size();
    if (seconds.size() != launches)
      return Status(Code::InvalidArgument,
                    concat("the program has ", launches, " launches, but ",
                           seconds.size(), " times are asked for"));
    std::fill(seconds.begin(), seconds.end(), 0.0);
    return execute(inputs, outputs, {}, seconds);
  });
}
