//===- ExecutionContext.h - Runs a loaded program ---------------*- C++ -*-===//
//
// What one thread needs to run an executable: the arena, staging memory, the
// device's cached state. Depends on Base and the runtime's interfaces.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_EXECUTIONCONTEXT_H
#define TRIPY_RUNTIME_EXECUTIONCONTEXT_H

#include "tripy/Runtime/Executable.h"

#include <memory>
#include <span>
#include <vector>

namespace tripy::runtime {

struct RunOptions {
  /// The caller's stream of the device. Null takes the context's own: on CUDA
  /// its work comes behind what the caller has put on the legacy default
  /// stream, and before what the caller puts there afterwards.
  Stream stream = nullptr;
  /// False returns once the work is enqueued on `stream`; tensors stay valid
  /// until the caller has synchronized. Until then the context may only be
  /// used to enqueue more on the same stream, with tensors on the device.
  bool synchronize = true;
};

/// Used by one thread at a time. Errors leave it usable, except ContextLost.
class ExecutionContext {
public:
  /// Allocates the arena. Errors: InvalidArgument (a parameter is not bound;
  /// the executable was loaded for inspection), out of memory.
  static Result<std::unique_ptr<ExecutionContext>>
  create(std::shared_ptr<const Executable> executable);
  ~ExecutionContext();
  ExecutionContext(const ExecutionContext &) = delete;
  ExecutionContext &operator=(const ExecutionContext &) = delete;

  const Executable &executable() const { return *shared; }

  /// Shapes that the outputs have for inputs of these shapes. Checks the inputs
  /// as run() does; their data is not read, but for the values of inputs that
  /// are sizes. `shapes` has one entry for each
  /// output.
  Status outputShapes(std::span<const TensorView> inputs,
                      std::span<Shape> shapes);

  /// Runs the program. `inputs` are those of Executable::argumentInputs(),
  /// `outputs` all outputs, in order and of exactly the shapes that
  /// outputShapes() gives. Tensors are in host memory or on the program's
  /// device; outputs overlap neither each other nor inputs. Nothing is written
  /// when a check fails. Allocates nothing once a shape has been seen.
  /// Errors: InvalidArgument, DTypeMismatch, ShapeOutOfRange, DeviceMismatch,
  /// each one sentence that names the tensor; those of the device.
  Status run(std::span<const TensorView> inputs,
             std::span<const TensorView> outputs,
             const RunOptions &options = {});

  /// As run(), with the time of each launch. `seconds` has one entry for each
  /// of Program::launches.
  Status profile(std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs,
                 std::span<double> seconds);

  /// Values of Program::exprs in the last call whose inputs passed all checks.
  std::span<const int64_t> lastSizes() const { return sizes; }

private:
  ExecutionContext() = default;
  Status initialize();
  Status clearZeroed();
  Status bindShapes(std::span<const TensorView> inputs);
  Status checkOutputs(std::span<const TensorView> outputs) const;
  Status checkOverlap(std::span<const TensorView> inputs,
                      std::span<const TensorView> outputs);
  Status execute(std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs, const RunOptions &options,
                 std::span<double> seconds);
  Status stageInputs(std::span<const TensorView> inputs, Stream stream);
  Status placeOutputs(std::span<const TensorView> outputs);
  Status launch(Stream stream, std::span<double> seconds);
  Status copyOutputs(std::span<const TensorView> outputs, Stream stream);
  Status place(const TensorView &tensor, DeviceMemory &staging, void *&address,
               bool &staged);
  void fillBuffers();

  std::shared_ptr<const Executable> shared;
  std::unique_ptr<DeviceContext> state;
  DeviceMemory arena;
  Stream ownStream = nullptr;
  /// Values for the shapes seen last; `shapesKnown` once there are some.
  std::vector<int64_t> symbols, nextSymbols, sizes;
  bool shapesKnown = false;
  /// By input and output: the device address of this run.
  std::vector<void *> inputAddresses, outputAddresses, buffers;
  std::vector<DeviceMemory> inputStaging, outputStaging;
  std::vector<uint8_t> outputStaged;
  struct Extent {
    uint64_t begin = 0, end = 0;
    TableIndex tensor = 0;
    bool output = false;
  };
  std::vector<Extent> extents;
};

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_EXECUTIONCONTEXT_H
