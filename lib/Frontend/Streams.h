//===- Streams.h - Work that goes on after a call ---------------*- C++ -*-===//
//
// A stream starts calls of programs and makes their results wait for them. On
// CUDA it is the driver's stream; on the CPU a thread. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_STREAMS_H
#define TRIPY_LIB_FRONTEND_STREAMS_H

#include "ProgramCache.h"
#include "Storage.h"

#include "tripy/Frontend/Stream.h"
#include "tripy/Runtime/Cuda/CudaDevice.h"

#include <atomic>
#include <optional>
#include <vector>

namespace tripy::frontend {

/// Work that a stream was given. Threads may wait at the same time.
class Work {
public:
  explicit Work(SourceLoc call) : place(call) {}
  virtual ~Work() = default;
  /// Waits until it is done; ok, or what it met.
  Status wait() { return isDone ? Status::ok() : waitForIt(); }
  /// Whether it has succeeded, without waiting; or what it met.
  Result<bool> poll() { return isDone ? Result<bool>(true) : pollIt(); }
  /// Where the call stands.
  SourceLoc call() const { return place; }
  /// Waits, and copies from the device's memory to the host's, where one wait
  /// of the driver does both; else nothing is done.
  virtual std::optional<Status> read(void *host, const void *device,
                                     uint64_t bytes) {
    return std::nullopt;
  }
  /// For work of a GPU, what another stream can wait for without the host.
  /// Errors: what the driver says.
  virtual Result<cuda::CudaEvent *> event() { return nullptr; }

protected:
  virtual Status waitForIt() = 0;
  virtual Result<bool> pollIt() = 0;
  /// It has succeeded.
  std::atomic<bool> isDone = false;

private:
  SourceLoc place;
};

/// Throws Error at `loc`, with the line of the call, where the work failed.
void waitFor(Work &work, SourceLoc loc);
/// The same for what the work met.
void checkWork(const Status &status, const Work &work, SourceLoc loc);

using Storages = std::vector<std::shared_ptr<const Storage>>;
std::vector<runtime::TensorView> viewsOf(const Storages &storages);

/// The state of a stream; its functions may be called from several threads.
class StreamState {
public:
  virtual ~StreamState() = default;
  virtual Device device() const = 0;
  virtual void *handle() const { return nullptr; }
  /// Starts `program`, and returns its results. Inputs have been checked but
  /// for what the program checks. Throws Error at `loc`.
  virtual std::vector<std::shared_ptr<Storage>>
  start(const std::shared_ptr<CompiledProgram> &program, Storages inputs,
        SourceLoc loc) = 0;
  /// The elements of a tensor in the host's memory in that of the device.
  virtual std::shared_ptr<const Storage>
  bring(const std::shared_ptr<const Storage> &input, SourceLoc loc) {
    return input;
  }
  /// Work that is done when all that was given before is.
  virtual std::shared_ptr<Work> record(SourceLoc loc) = 0;
  /// What is given from now on begins after `work`, of any stream.
  virtual void delay(const std::shared_ptr<Work> &work, SourceLoc loc) = 0;
  /// Waits for all; the first failure that nobody has been told of.
  virtual Status synchronize() = 0;
};

/// A new stream. Throws Error at `loc`.
std::shared_ptr<StreamState> makeStream(const Device &device, SourceLoc loc);
/// The calling thread's.
std::shared_ptr<StreamState> threadStream(const Device &device, SourceLoc loc);

std::shared_ptr<StreamState> makeHostStream();
/// `handle`: of somebody else's stream, or null.
std::shared_ptr<StreamState> makeCudaStream(const Device &device, void *handle,
                                            SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_STREAMS_H
