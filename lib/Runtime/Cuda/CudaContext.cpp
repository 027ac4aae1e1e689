//===- CudaContext.cpp - Running a program on a GPU -----------------------===//
//
// The first run of a shape writes all kernel parameters and, when there are
// several launches, builds a CUDA graph. Later runs compare the buffer
// addresses with those in the parameters, rewrite what moved in place, and
// submit once. A graph with calls of a library is captured from a stream, and
// captured again when an address moved.
//
//===----------------------------------------------------------------------===//

#include "ProgramImpl.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::cuda;

CudaContext::~CudaContext() {
  ContextScope scope(device, ContextScope::Release);
  if (!scope.mayRelease())
    return;
  for (std::unique_ptr<ShapeState> &state : shapes)
    drop(*state);
}

void CudaContext::drop(ShapeState &state) {
  // A graph that still runs is freed by the driver when it ends.
  if (state.exec)
    device.api.graphExecDestroy(state.exec);
  if (state.graph)
    device.api.graphDestroy(state.graph);
  state.exec = nullptr;
  state.graph = nullptr;
}

ShapeState *CudaContext::find(std::span<const int64_t> symbols) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!std::equal(symbols.begin(), symbols.end(), shapes[i]->symbols.begin(),
                    shapes[i]->symbols.end()))
      continue;
    std::rotate(shapes.begin(), shapes.begin() + static_cast<ptrdiff_t>(i),
                shapes.begin() + static_cast<ptrdiff_t>(i) + 1);
    return shapes.front().get();
  }
  return nullptr;
}

Result<ShapeState *> CudaContext::ready(const Arguments &arguments) {
  ShapeState *state = find(arguments.symbols);
  bool known = state != nullptr;
  if (!known) {
    while (shapes.size() >= std::max(device.options.maxShapes, 1u)) {
      drop(*shapes.back());
      shapes.pop_back();
    }
    shapes.insert(shapes.begin(), std::make_unique<ShapeState>());
    state = shapes.front().get();
  }
  // Half-written parameters are not kept, whether a call failed or memory ran
  // out: a later run would find them by their shape.
  struct Undo {
    CudaContext *context;
    ~Undo() {
      if (!context)
        return;
      context->drop(*context->shapes.front());
      context->shapes.erase(context->shapes.begin());
    }
  } undo{this};
  if (Status status =
          known ? rebind(*state, arguments) : plan(*state, arguments);
      !status.isOk())
    return status;
  undo.context = nullptr;
  return state;
}

Status CudaContext::run(const Arguments &arguments, runtime::Stream stream) {
  ContextScope scope(device);
  if (!scope.status().isOk())
    return scope.status();
  Result<ShapeState *> state = ready(arguments);
  if (!state)
    return state.status();
  int capturing = 0;
  if (stream)
    if (Status status = device.check(
            device.api.streamIsCapturing(device.resolve(stream), &capturing),
            "cuStreamIsCapturing");
        !status.isOk())
      return status;
  return launch(**state, device.resolve(stream), capturing != 0);
}

Status CudaContext::profile(const Arguments &arguments, runtime::Stream stream,
                            std::span<double> seconds) {
  ContextScope scope(device);
  if (!scope.status().isOk())
    return scope.status();
  if (!timer) {
    Result<CudaTimer> created = CudaTimer::create(device);
    if (!created)
      return created.status();
    timer = std::move(*created);
  }
  Result<ShapeState *> state = ready(arguments);
  if (!state)
    return state.status();
  std::fill(seconds.begin(), seconds.end(), 0.0);
  for (size_t i = 0; i < (*state)->launches.size(); ++i) {
    if (Status status = timer->start(stream); !status.isOk())
      return status;
    if (Status status = launchOne(**state, i, device.resolve(stream));
        !status.isOk())
      return status;
    if (Status status = timer->stop(stream); !status.isOk())
      return status;
    Result<double> time = timer->seconds();
    if (!time)
      return time.status();
    seconds[(*state)->launches[i].launch] = *time;
  }
  return Status::ok();
}

//===-- launching ---------------------------------------------------------===//

Status CudaContext::launchFailure(DriverResult result, std::string_view call,
                                  uint32_t launch) {
  const Launch &what = program.launches[launch];
  std::string kernel = printable(program.kernels[what.kernel].symbol);
  std::string origin;
  if (what.why < program.whys.size() && !program.whys[what.why].lines.empty()) {
    const WhyLine &line = program.whys[what.why].lines.front();
    origin = concat(" from ", printable(line.file), ":", line.line);
  }
  return device.check(result, call, Code::LaunchFailed)
      .withContext(concat("kernel '", kernel, "'", origin));
}

Status CudaContext::launch(ShapeState &state, StreamHandle stream,
                           bool capturing) {
  if (state.isCaptured && !state.exec && !capturing)
    if (Status status = captureOrBuild(state); !status.isOk())
      return status;
  // A graph that the caller captures cannot contain a launch of ours.
  if (state.exec && !capturing)
    return device.check(device.api.graphLaunch(state.exec, stream),
                        "cuGraphLaunch", Code::LaunchFailed);
  for (size_t i = 0; i < state.launches.size(); ++i)
    if (Status status = launchOne(state, i, stream); !status.isOk())
      return status;
  return Status::ok();
}

Status CudaContext::launchProduct(ShapeState &state,
                                  const PlannedLaunch &planned,
                                  StreamHandle stream) {
  const Launch &launch = program.launches[planned.launch];
  const MatrixProduct &product = program.products[launch.product];
  auto address = [&](TableIndex position) {
    return *static_cast<void **>(state.params[planned.firstParam + position]);
  };
  Status status = planned.product->enqueue(
      owner.libraries->handle(), address(product.a), address(product.b),
      product.bias == noIndex ? nullptr : address(product.bias),
      address(product.result), workspace.data(), stream);
  if (status.isOk())
    return status;
  return std::move(status).withContext(
      concat("in place of kernel '",
             printable(program.kernels[launch.kernel].symbol), "'"));
}

Status CudaContext::launchOne(ShapeState &state, size_t index,
                              StreamHandle stream) {
  const PlannedLaunch &planned = state.launches[index];
  if (planned.product)
    return launchProduct(state, planned, stream);
  const Launch &launch = program.launches[planned.launch];
  const Kernel &kernel = program.kernels[launch.kernel];
  LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 1) {
    attributes[count].id = LaunchAttributeId::ClusterDimension;
    attributes[count++].value.clusterDim = {
        kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
  }
  // The launch of the program's first call may overlap what runs before the
  // program. Others do not wait for that, and may be in front when those of the
  // first call are left out, as their grids are empty. Launches of a library
  // know nothing of what comes behind.
  bool overlaps =
      launch.overlapsPredecessor &&
      (index > 0 ? !state.launches[index - 1].product : launch.isOfFirstCall);
  if (overlaps) {
    attributes[count].id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attributes[count++].value.programmaticStreamSerializationAllowed = 1;
  }
  LaunchConfig config = {planned.grid[0],     planned.grid[1],
                         planned.grid[2],     kernel.block[0],
                         kernel.block[1],     kernel.block[2],
                         kernel.scratchBytes, stream,
                         attributes,          count};
  DriverResult result = device.api.launchKernelEx(
      &config, owner.functions[launch.kernel],
      state.params.data() + planned.firstParam, nullptr);
  return result == DriverResult::Success
             ? Status()
             : launchFailure(result, "cuLaunchKernelEx", planned.launch);
}

//===-- planning ----------------------------------------------------------===//

Status CudaContext::plan(ShapeState &state, const Arguments &arguments) {
  state.symbols.assign(arguments.symbols.begin(), arguments.symbols.end());
  state.buffers.assign(arguments.buffers.begin(), arguments.buffers.end());
  size_t values = 0, maps = 0;
  for (const Launch &launch : program.launches)
    for (const Arg &arg : launch.args)
      ++(arg.kind == ArgKind::TensorMap ? maps : values);
  // Parameters point into these: they never grow beyond the reservation.
  state.values.reserve(values);
  state.maps.reserve(maps);
  state.params.reserve(values + maps);
  for (uint32_t i = 0; i < program.launches.size(); ++i)
    if (Status status = planLaunch(state, i, arguments); !status.isOk())
      return status;
  if (state.launches.size() <= device.options.directLaunches)
    return Status::ok();
  state.isCaptured =
      std::any_of(state.launches.begin(), state.launches.end(),
                  [](const PlannedLaunch &l) { return l.product != nullptr; });
  return state.isCaptured ? Status::ok() : buildGraph(state);
}

Status CudaContext::planLaunch(ShapeState &state, uint32_t index,
                               const Arguments &arguments) {
  const Launch &launch = program.launches[index];
  const Kernel &kernel = program.kernels[launch.kernel];
  static constexpr int64_t limits[3] = {INT32_MAX, 65535, 65535};
  PlannedLaunch planned;
  planned.launch = index;
  planned.firstParam = state.params.size();
  bool empty = false;
  for (size_t dim = 0; dim < 3; ++dim) {
    int64_t blocks = arguments.sizes[launch.grid[dim]];
    empty |= blocks == 0;
    if (blocks < 0 || blocks > limits[dim] || blocks % kernel.cluster[dim] != 0)
      return Status(Code::LaunchFailed,
                    concat("kernel '", printable(kernel.symbol), "': ", blocks,
                           " blocks in dimension ", dim, ", a grid has 0 to ",
                           limits[dim], ", in multiples of the cluster's ",
                           kernel.cluster[dim]));
    planned.grid[dim] = static_cast<uint32_t>(blocks);
  }
  if (empty)
    return Status::ok();
  for (const Arg &arg : launch.args) {
    if (arg.kind == ArgKind::TensorMap)
      state.params.push_back(&state.maps.emplace_back());
    else
      state.params.push_back(&state.values.emplace_back());
  }
  bool changed = false;
  if (owner.libraries)
    planned.product = owner.libraries->of(index);
  state.launches.push_back(planned);
  return bind(state, planned, arguments, /*all=*/true, changed);
}

Status CudaContext::bind(ShapeState &state, const PlannedLaunch &planned,
                         const Arguments &arguments, bool all, bool &changed) {
  const Launch &launch = program.launches[planned.launch];
  auto moved = [&](TableIndex buffer) {
    return all || state.buffers[buffer] != arguments.buffers[buffer];
  };
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const Arg &arg = launch.args[i];
    void *place = state.params[planned.firstParam + i];
    if (isNumber(arg.kind)) {
      // Of a number of 32 bits, the driver reads the low ones.
      if (all)
        *static_cast<int64_t *>(place) = arguments.sizes[arg.index];
      continue;
    }
    if (arg.kind == ArgKind::Buffer) {
      if (!moved(arg.index))
        continue;
      *static_cast<uint64_t *>(place) =
          reinterpret_cast<uint64_t>(arguments.buffers[arg.index]);
    } else {
      const TensorMap &map = program.tensorMaps[arg.index];
      if (!moved(map.buffer))
        continue;
      if (Status status =
              encode(map, arguments, *static_cast<TensorMapValue *>(place),
                     program.kernels[launch.kernel]);
          !status.isOk())
        return status;
    }
    changed = true;
  }
  return Status::ok();
}

Status CudaContext::rebind(ShapeState &state, const Arguments &arguments) {
  if (std::equal(state.buffers.begin(), state.buffers.end(),
                 arguments.buffers.begin(), arguments.buffers.end()))
    return Status::ok();
  for (const PlannedLaunch &planned : state.launches) {
    bool changed = false;
    if (Status status = bind(state, planned, arguments, /*all=*/false, changed);
        !status.isOk())
      return status;
    if (!changed || !state.exec || state.isCaptured)
      continue;
    KernelNodeParams params = nodeParams(state, planned);
    DriverResult result = device.api.graphExecKernelNodeSetParams(
        state.exec, planned.node, &params);
    if (result != DriverResult::Success)
      return launchFailure(result, "cuGraphExecKernelNodeSetParams",
                           planned.launch);
  }
  std::copy(arguments.buffers.begin(), arguments.buffers.end(),
            state.buffers.begin());
  if (state.isCaptured)
    drop(state);
  return Status::ok();
}
