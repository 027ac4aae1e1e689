//===- CApi.cpp - The runtime's C interface -------------------------------===//

#include "ThreadTexts.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/ExecutionContext.h"
#include "tripy/Runtime/PluginLibraries.h"
#include "tripy/Runtime/Report.h"
#include "tripy/runtime.h"

#include <cstring>
#include <exception>
#include <new>

using namespace tripy;
using namespace tripy::runtime;

static_assert(TRIPY_INTERNAL == int(Code::Internal));
static_assert(TRIPY_HOST_OUT_OF_MEMORY == int(Code::HostOutOfMemory));
static_assert(TRIPY_F8E5M2 == int(DType::F8E5M2));
static_assert(TRIPY_MAX_RANK == maxRank);
static_assert(TRIPY_CUDA == int(DeviceKind::CUDA));

struct tripy_executable {
  std::shared_ptr<Executable> shared;
  std::vector<Interval> bounds;
};

struct tripy_context {
  std::unique_ptr<ExecutionContext> context;
  /// Reused between runs, so that a run allocates nothing.
  std::vector<TensorView> inputs, outputs;
  std::vector<Shape> shapes;
};

namespace {

tripy_code record(const Status &status) noexcept {
  if (!status.isOk())
    setLastError(status.message());
  return tripy_code(status.code());
}

tripy_code record(Code code, const char *message) noexcept {
  setLastError(message);
  return tripy_code(code);
}

/// Runs `body`, which returns a Status, and lets no exception out.
template <typename Body> tripy_code guarded(Body body) noexcept {
  try {
    return record(body());
  } catch (const std::bad_alloc &) {
    return record(Code::HostOutOfMemory, "no memory");
  } catch (const std::exception &error) {
    return record(Code::Internal, error.what());
  } catch (...) {
    return record(Code::Internal, "unknown failure");
  }
}

Status nullArgument(const char *name) {
  return Status(Code::InvalidArgument,
                concat("argument '", name, "' may not be null"));
}

/// Fields without a meaning yet are zero: a later version may give them one.
Status checkReserved(bool areZero, const char *what) {
  return areZero
             ? Status::ok()
             : Status(Code::InvalidArgument,
                      concat("the reserved fields of ", what, " must be zero"));
}

Status convert(const tripy_tensor &tensor, TensorView &view) {
  const uint8_t (&reserved)[3] = tensor.reserved;
  if (Status status = checkReserved(
          (reserved[0] | reserved[1] | reserved[2]) == 0, "a tensor");
      !status.isOk())
    return status;
  if (tensor.device != TRIPY_CPU && tensor.device != TRIPY_CUDA)
    return Status(Code::InvalidArgument,
                  concat("the device of a tensor must be 1 (CPU) or 2 (CUDA), "
                         "but is ",
                         tensor.device));
  if (tensor.ndim < 0 || tensor.ndim > TRIPY_MAX_RANK)
    return Status(
        Code::InvalidArgument,
        concat("the rank of a tensor must be 0 to 8, but is ", tensor.ndim));
  if (tensor.ndim > 0 && !tensor.shape)
    return nullArgument("shape");
  view.dtype = DType(tensor.dtype);
  view.device = DeviceKind(tensor.device);
  view.ordinal = tensor.device_id;
  view.data = tensor.data;
  view.shape = Shape();
  for (int32_t i = 0; i < tensor.ndim; ++i)
    view.shape.push(tensor.shape[i]);
  return Status::ok();
}

Status convert(const tripy_tensor *tensors, size_t count, size_t expected,
               const char *name, std::vector<TensorView> &views) {
  if (count > 0 && !tensors)
    return nullArgument(name);
  if (count != expected)
    return Status(Code::InvalidArgument,
                  concat("the program has ", expected, " ", name, ", but ",
                         count, " are given"));
  for (size_t i = 0; i < count; ++i)
    if (Status status = convert(tensors[i], views[i]); !status.isOk())
      return status;
  return Status::ok();
}

Status convert(const tripy_load_options *options, LoadOptions &result) {
  if (!options)
    return Status::ok();
  if (options->struct_size != sizeof(tripy_load_options))
    return Status(Code::InvalidArgument,
                  concat("struct_size of load options must be ",
                         sizeof(tripy_load_options), ", but is ",
                         options->struct_size));
  if (Status status = checkReserved(options->reserved == 0, "load options");
      !status.isOk())
    return status;
  result.trustHostCode = options->trust_host_code != 0;
  result.threads = options->threads;
  result.arenaLimit = options->arena_limit;
  result.copyFile = options->copy_file != 0;
  result.inspectOnly = options->inspect_only != 0;
  result.showSource = options->show_source != 0;
  if (result.inspectOnly || options->device == TRIPY_DEVICE_DEFAULT)
    return Status::ok();
  if (options->device != TRIPY_CPU && options->device != TRIPY_CUDA)
    return Status(Code::InvalidArgument,
                  concat("the device to load for must be 0, 1 or 2, but is ",
                         options->device));
  Result<std::shared_ptr<Device>> device =
      options->device == TRIPY_CPU ? createCpuDevice(options->threads)
                                   : createCudaDevice(options->device_id);
  if (!device)
    return device.status();
  result.device = std::move(*device);
  return Status::ok();
}

/// Wraps a loaded executable.
Status wrap(Result<std::shared_ptr<Executable>> loaded,
            tripy_executable **result) {
  if (!loaded)
    return loaded.status();
  auto wrapped = std::make_unique<tripy_executable>();
  Result<std::vector<Interval>> bounds = boundSizes((*loaded)->program());
  if (!bounds)
    return bounds.status();
  wrapped->bounds = std::move(*bounds);
  wrapped->shared = std::move(*loaded);
  *result = wrapped.release();
  return Status::ok();
}

template <typename Info>
void describe(const tripy_executable &executable, const Info &source,
              bool parameter, tripy_tensor_info &info) {
  const Program &program = executable.shared->program();
  std::memset(&info, 0, sizeof(info));
  info.name = source.name.c_str();
  info.dtype = tripy_dtype(source.dtype);
  info.is_parameter = parameter;
  info.ndim = int32_t(source.dims.size());
  for (size_t i = 0; i < source.dims.size(); ++i) {
    Interval bound = executable.bounds[source.dims[i]];
    const SizeExpr &expr = program.exprs[source.dims[i]];
    info.dims[i] = {bound.lo, bound.isPoint() ? bound.lo : -1, bound.hi, ""};
    if (expr.op == SizeOp::Symbol) {
      const SizeSymbol &symbol = program.symbols[expr.a];
      info.dims[i].opt = symbol.opt;
      info.dims[i].name = symbol.name.c_str();
    }
  }
}

Status outOfRange(const char *what, size_t index, size_t count) {
  return Status(Code::InvalidArgument,
                concat("the program has ", count, " ", what, ", but number ",
                       index, " is asked for"));
}

Status runProgram(tripy_context *context, const tripy_tensor *inputs,
                  size_t inputCount, const tripy_tensor *outputs,
                  size_t outputCount, void *stream, bool synchronize) {
  if (!context)
    return nullArgument("context");
  if (Status status = convert(inputs, inputCount, context->inputs.size(),
                              "inputs", context->inputs);
      !status.isOk())
    return status;
  if (Status status = convert(outputs, outputCount, context->outputs.size(),
                              "outputs", context->outputs);
      !status.isOk())
    return status;
  return context->context->run(context->inputs, context->outputs,
                               {.stream = stream, .synchronize = synchronize});
}

} // namespace

//===-- general -----------------------------------------------------------===//

void tripy_version(int32_t *major, int32_t *minor) {
  if (major)
    *major = TRIPY_VERSION_MAJOR;
  if (minor)
    *minor = TRIPY_VERSION_MINOR;
}

const char *tripy_code_name(tripy_code code) {
  return codeName(Code(code)).data();
}

const char *tripy_last_error(void) { return lastError(); }

size_t tripy_dtype_size(tripy_dtype dtype) {
  const DTypeInfo *info = findDTypeInfo(DType(dtype));
  return info && !isPacked(info->dtype) ? info->size : 0;
}

size_t tripy_tensor_bytes(tripy_dtype dtype, int32_t rank,
                          const int64_t *sizes) {
  if (!findDTypeInfo(DType(dtype)) || rank < 0 || rank > TRIPY_MAX_RANK ||
      (rank > 0 && !sizes))
    return SIZE_MAX;
  runtime::Shape shape({sizes, size_t(rank)});
  return shape.bytes(DType(dtype)).value_or(SIZE_MAX);
}

tripy_load_options tripy_load_options_default(void) {
  tripy_load_options options;
  std::memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  return options;
}

//===-- executables -------------------------------------------------------===//

tripy_code tripy_plugin_library_load(const char *path) {
  return guarded(
      [&] { return path ? loadPluginLibrary(path) : nullArgument("path"); });
}

tripy_code tripy_executable_load(const char *path,
                                 const tripy_load_options *options,
                                 tripy_executable **result) {
  return guarded([&] {
    if (!path || !result)
      return nullArgument(path ? "result" : "path");
    LoadOptions converted;
    if (Status status = convert(options, converted); !status.isOk())
      return status;
    return wrap(Executable::load(path, converted), result);
  });
}

tripy_code tripy_executable_load_memory(const void *data, size_t size,
                                        const tripy_load_options *options,
                                        tripy_executable **result) {
  return guarded([&] {
    if ((!data && size > 0) || !result)
      return nullArgument(result ? "data" : "result");
    LoadOptions converted;
    if (Status status = convert(options, converted); !status.isOk())
      return status;
    return wrap(Executable::loadBytes(
                    {static_cast<const uint8_t *>(data), size}, converted),
                result);
  });
}

void tripy_executable_free(tripy_executable *executable) { delete executable; }

tripy_code tripy_executable_input_count(const tripy_executable *executable,
                                        size_t *count) {
  return guarded([&] {
    if (!executable || !count)
      return nullArgument(executable ? "count" : "executable");
    *count = executable->shared->program().inputs.size();
    return Status::ok();
  });
}

tripy_code tripy_executable_input(const tripy_executable *executable,
                                  size_t index, tripy_tensor_info *info) {
  return guarded([&] {
    if (!executable || !info)
      return nullArgument(executable ? "info" : "executable");
    const auto &inputs = executable->shared->program().inputs;
    if (index >= inputs.size())
      return outOfRange("inputs", index, inputs.size());
    describe(*executable, inputs[index],
             inputs[index].kind == InputKind::Parameter, *info);
    info->is_size = inputs[index].kind == InputKind::Size;
    info->ndim = int32_t(inputs[index].rank());
    return Status::ok();
  });
}

tripy_code tripy_executable_output_count(const tripy_executable *executable,
                                         size_t *count) {
  return guarded([&] {
    if (!executable || !count)
      return nullArgument(executable ? "count" : "executable");
    *count = executable->shared->program().outputs.size();
    return Status::ok();
  });
}

tripy_code tripy_executable_output(const tripy_executable *executable,
                                   size_t index, tripy_tensor_info *info) {
  return guarded([&] {
    if (!executable || !info)
      return nullArgument(executable ? "info" : "executable");
    const auto &outputs = executable->shared->program().outputs;
    if (index >= outputs.size())
      return outOfRange("outputs", index, outputs.size());
    describe(*executable, outputs[index], false, *info);
    return Status::ok();
  });
}

tripy_code tripy_executable_device(const tripy_executable *executable,
                                   tripy_device_kind *device) {
  return guarded([&] {
    if (!executable || !device)
      return nullArgument(executable ? "device" : "executable");
    *device = tripy_device_kind(executable->shared->program().device);
    return Status::ok();
  });
}

tripy_code tripy_executable_launch_count(const tripy_executable *executable,
                                         size_t *count) {
  return guarded([&] {
    if (!executable || !count)
      return nullArgument(executable ? "count" : "executable");
    *count = executable->shared->program().launches.size();
    return Status::ok();
  });
}

tripy_code tripy_executable_launch_why(const tripy_executable *executable,
                                       size_t launch, const char **kernel,
                                       const char **why) {
  return guarded([&] {
    if (!executable || !kernel || !why)
      return nullArgument(!executable ? "executable"
                          : !kernel   ? "kernel"
                                      : "why");
    const Program &program = executable->shared->program();
    if (launch >= program.launches.size())
      return outOfRange("launches", launch, program.launches.size());
    const Launch &found = program.launches[launch];
    ThreadTexts *texts = threadTexts();
    if (!texts)
      return Status::outOfMemory("for a text");
    texts->why =
        formatWhy(program, found.why, executable->shared->options().showSource);
    *kernel = program.kernels[found.kernel].symbol.c_str();
    *why = texts->why.c_str();
    return Status::ok();
  });
}

tripy_code tripy_executable_launch_backend(const tripy_executable *executable,
                                           size_t launch, int32_t *is_library,
                                           const char **text) {
  return guarded([&] {
    if (!executable || !is_library || !text)
      return nullArgument(!executable   ? "executable"
                          : !is_library ? "is_library"
                                        : "text");
    size_t count = executable->shared->program().launches.size();
    if (launch >= count)
      return outOfRange("launches", launch, count);
    ThreadTexts *texts = threadTexts();
    if (!texts)
      return Status::outOfMemory("for a text");
    Backend backend =
        executable->shared->backend(static_cast<TableIndex>(launch));
    texts->backend = std::move(backend.text);
    *is_library = backend.isLibrary ? 1 : 0;
    *text = texts->backend.c_str();
    return Status::ok();
  });
}

tripy_code tripy_executable_bind_parameters(tripy_executable *executable,
                                            const char *safetensors_path) {
  return guarded([&] {
    if (!executable || !safetensors_path)
      return nullArgument(executable ? "safetensors_path" : "executable");
    return executable->shared->bindParameters(std::string(safetensors_path));
  });
}

tripy_code tripy_executable_bind_parameter(tripy_executable *executable,
                                           const char *name,
                                           const tripy_tensor *value) {
  return guarded([&] {
    if (!executable || !name || !value)
      return nullArgument(!executable ? "executable"
                          : !name     ? "name"
                                      : "value");
    TensorView view;
    if (Status status = convert(*value, view); !status.isOk())
      return status;
    return executable->shared->bindParameter(name, view);
  });
}

//===-- contexts ----------------------------------------------------------===//

tripy_code tripy_context_create(tripy_executable *executable,
                                tripy_context **result) {
  return guarded([&] {
    if (!executable || !result)
      return nullArgument(executable ? "result" : "executable");
    Result<std::unique_ptr<ExecutionContext>> created =
        ExecutionContext::create(executable->shared);
    if (!created)
      return created.status();
    auto context = std::make_unique<tripy_context>();
    context->context = std::move(*created);
    context->inputs.resize(executable->shared->argumentInputs().size());
    context->outputs.resize(executable->shared->program().outputs.size());
    context->shapes.resize(context->outputs.size());
    *result = context.release();
    return Status::ok();
  });
}

void tripy_context_free(tripy_context *context) { delete context; }

tripy_code tripy_context_output_shapes(tripy_context *context,
                                       const tripy_tensor *inputs,
                                       size_t input_count,
                                       int64_t (*shapes)[TRIPY_MAX_RANK],
                                       size_t output_count) {
  return guarded([&] {
    if (!context || (!shapes && output_count > 0))
      return nullArgument(context ? "shapes" : "context");
    if (output_count != context->shapes.size())
      return Status(Code::InvalidArgument,
                    concat("the program has ", context->shapes.size(),
                           " outputs, but ", output_count, " are asked for"));
    if (Status status = convert(inputs, input_count, context->inputs.size(),
                                "inputs", context->inputs);
        !status.isOk())
      return status;
    if (Status status =
            context->context->outputShapes(context->inputs, context->shapes);
        !status.isOk())
      return status;
    for (size_t i = 0; i < output_count; ++i)
      for (uint32_t dim = 0; dim < context->shapes[i].rank(); ++dim)
        shapes[i][dim] = context->shapes[i][dim];
    return Status::ok();
  });
}

tripy_code tripy_context_run(tripy_context *context, const tripy_tensor *inputs,
                             size_t input_count, const tripy_tensor *outputs,
                             size_t output_count, void *stream) {
  return guarded([&] {
    return runProgram(context, inputs, input_count, outputs, output_count,
                      stream, true);
  });
}

tripy_code tripy_context_enqueue(tripy_context *context,
                                 const tripy_tensor *inputs, size_t input_count,
                                 const tripy_tensor *outputs,
                                 size_t output_count, void *stream) {
  return guarded([&] {
    return runProgram(context, inputs, input_count, outputs, output_count,
                      stream, false);
  });
}
