//===- ProgramImpl.h - Programs and contexts on a GPU -----------*- C++ -*-===//
//
// A loaded program, and what one execution context keeps per shape. Private to
// Runtime/Cuda.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_PROGRAMIMPL_H
#define TRIPY_RUNTIME_CUDA_PROGRAMIMPL_H

#include "DeviceImpl.h"
#include "LibraryProducts.h"

#include "tripy/Base/Program.h"

#include <memory>
#include <optional>
#include <vector>

namespace tripy::cuda {

class CudaProgram final : public runtime::DeviceProgram {
public:
  CudaProgram(std::shared_ptr<CudaDevice> device, const Program &program)
      : device(std::move(device)), program(program) {}
  ~CudaProgram() override;
  /// Everything that can fail in loading. Call once.
  Status load();

  const uint8_t *constants() const override { return constantMemory.data(); }
  runtime::Backend backend(TableIndex launch) const override;
  Result<std::unique_ptr<runtime::DeviceContext>> createContext() override;

  const std::shared_ptr<CudaDevice> device;
  const Program &program;
  /// One for each of Program::kernels.
  std::vector<FunctionHandle> functions;
  /// The best image, or the first of several that hold the code together.
  const Image *image = nullptr;
  /// Null for a program without products.
  std::unique_ptr<LibraryProducts> libraries;

private:
  /// Loads `image`, or the PTX where the driver refuses the machine code.
  Status loadCode();
  /// Loads all images of the kind and the architecture of `image`.
  Status loadModules();
  Status loadModule(const Image &part);
  void unloadModules();
  Status loadKernel(const Kernel &kernel);
  Status checkParams(const Kernel &kernel, FunctionHandle function);
  Status checkResources(const Kernel &kernel, FunctionHandle function);
  Status moduleFailure(DriverResult result, const char *log);
  Status uploadConstants();
  void findLibraries();

  std::vector<ModuleHandle> modules;
  runtime::DeviceMemory constantMemory;
};

/// A launch of a program at one shape. Its parameters are behind `params`:
/// pointers into the values and maps of the shape.
struct PlannedLaunch {
  /// Index into Program::launches.
  uint32_t launch = 0;
  std::array<uint32_t, 3> grid = {};
  /// First of its parameters in ShapeState::params.
  size_t firstParam = 0;
  /// Null in a captured graph.
  GraphNodeHandle node = nullptr;
  /// Computes the launch in its kernel's place; or null.
  LibraryProduct *product = nullptr;
};

/// What is kept for one shape.
struct ShapeState {
  std::vector<int64_t> symbols;
  std::vector<PlannedLaunch> launches;
  /// One pointer for each parameter, to its value.
  std::vector<void *> params;
  std::vector<uint64_t> values;
  std::vector<TensorMapValue> maps;
  /// The buffer addresses that the parameters hold.
  std::vector<void *> buffers;
  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
  /// A library launches kernels of its own, so that the graph has to be
  /// captured from a stream: before the first run, and anew when an address
  /// changed.
  bool isCaptured = false;
};

class CudaContext final : public runtime::DeviceContext {
public:
  CudaContext(CudaProgram &owner, runtime::DeviceMemory workspace)
      : owner(owner), device(*owner.device), program(owner.program),
        workspace(std::move(workspace)) {}
  ~CudaContext() override;
  Status run(const runtime::RunArguments &arguments,
             runtime::Stream stream) override;
  Status profile(const runtime::RunArguments &arguments, runtime::Stream stream,
                 std::span<double> seconds) override;

private:
  using Arguments = runtime::RunArguments;

  ShapeState *find(std::span<const int64_t> symbols);
  /// The state of the run's shape with parameters for its buffers.
  Result<ShapeState *> ready(const Arguments &arguments);
  Status launch(ShapeState &state, StreamHandle stream, bool capturing);
  Status launchOne(ShapeState &state, size_t index, StreamHandle stream);
  Status launchProduct(ShapeState &state, const PlannedLaunch &planned,
                       StreamHandle stream);
  /// Makes the state for a new shape.
  Status plan(ShapeState &state, const Arguments &arguments);
  Status planLaunch(ShapeState &state, uint32_t index,
                    const Arguments &arguments);
  Status buildGraph(ShapeState &state);
  /// Captures the graph. Where a library's work cannot be captured, the
  /// program's own kernels take its place.
  Status captureOrBuild(ShapeState &state);
  Status captureGraph(ShapeState &state);
  Status captureLaunches(ShapeState &state, StreamHandle stream);
  Status instantiate(ShapeState &state);
  Status addNode(ShapeState &state, size_t index);
  /// Updates the parameters to the buffer addresses of `arguments`.
  Status rebind(ShapeState &state, const Arguments &arguments);
  /// Writes the parameters of one launch. `all` is false when only buffers
  /// that moved are to be written; `changed` says whether any was.
  Status bind(ShapeState &state, const PlannedLaunch &planned,
              const Arguments &arguments, bool all, bool &changed);
  Status encode(const TensorMap &map, const Arguments &arguments,
                TensorMapValue &value, const Kernel &kernel);
  KernelNodeParams nodeParams(ShapeState &state, const PlannedLaunch &planned);
  void drop(ShapeState &state);
  Status launchFailure(DriverResult result, std::string_view call,
                       uint32_t launch);

  CudaProgram &owner;
  CudaDevice &device;
  const Program &program;
  /// For the libraries' algorithms, one after the other.
  runtime::DeviceMemory workspace;
  /// Most recently used first.
  std::vector<std::unique_ptr<ShapeState>> shapes;
  std::optional<CudaTimer> timer;
};

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_PROGRAMIMPL_H
