//===- Driver.h - State of the emulator's CUDA driver -----------*- C++ -*-===//
//
// A stand-in for libcuda.so.1 on machines without a GPU: one device whose
// memory is host memory and whose kernels run in the PTX emulator, on the
// calling thread. As with NVIDIA's driver, what a kernel does wrong is returned
// by the calls after the launch, all of them; its description goes to standard
// error.
//
// A kernel that may begin before its predecessor ended does: it runs up to its
// first griddepcontrol.wait, then the predecessor runs, then its rest. So
// launches wait in a chain until one comes that may not overlap, or a call
// that is no launch.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_CUDAEMULATOR_DRIVER_H
#define TRIPY_TOOLS_CUDAEMULATOR_DRIVER_H

#include "Machine.h"

#include "tripy/Runtime/Cuda/DriverApi.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/// A driver function: C linkage, and seen outside of the library.
#define TRIPY_DRIVER_CALL                                                      \
  extern "C" __attribute__((visibility("default"))) tripy::cuda::DriverResult

// What is behind the handles of the driver's interface.
namespace tripy::cuda {

struct OpaqueContext {};

struct OpaqueFunction {
  const emulator::Function *code = nullptr;
  uint32_t maxDynamicShared = 0;
  bool nonPortableCluster = false;
};

struct OpaqueModule {
  std::unique_ptr<emulator::Module> code;
  std::map<std::string, std::unique_ptr<OpaqueFunction>> functions;
};

struct OpaqueEvent {
  bool timed = true, recorded = false;
  /// Seconds on the host's steady clock.
  double time = 0;
};

} // namespace tripy::cuda

namespace tripy::emulatordriver {

using cuda::DriverResult;

/// Results that the runtime does not tell apart.
inline constexpr auto invalidHandle = static_cast<DriverResult>(400);
inline constexpr auto notSupported = static_cast<DriverResult>(801);
inline constexpr auto captureUnsupported = static_cast<DriverResult>(900);
inline constexpr auto invalidClusterSize = static_cast<DriverResult>(912);

/// Handles of one kind that exist, and what is behind them.
template <typename Object> class Handles {
public:
  Object *add(std::unique_ptr<Object> object) {
    Object *handle = object.get();
    objects.emplace(handle, std::move(object));
    return handle;
  }
  bool has(Object *handle) const { return objects.count(handle) != 0; }
  bool remove(Object *handle) { return objects.erase(handle) != 0; }
  void clear() { objects.clear(); }
  auto begin() const { return objects.begin(); }
  auto end() const { return objects.end(); }

private:
  std::map<Object *, std::unique_ptr<Object>> objects;
};

/// A kernel with all that a launch gives it.
struct KernelLaunch {
  cuda::OpaqueFunction *function = nullptr;
  emulator::LaunchShape shape;
  /// .param space.
  std::vector<uint8_t> params;
  /// May begin before the launch in front of it ended.
  bool overlaps = false;
};

/// A function of the host that runs in a stream's order.
struct HostFunction {
  void (*call)(void *data) = nullptr;
  void *data = nullptr;
};

} // namespace tripy::emulatordriver

namespace tripy::cuda {

struct OpaqueGraphNode {
  emulatordriver::KernelLaunch launch;
  /// In place of a launch: a function of the host.
  emulatordriver::HostFunction host;
  /// Predecessor -> whether the edge lets this node begin early.
  std::map<OpaqueGraphNode *, bool> predecessors;
};

struct OpaqueGraph {
  /// In the order of their creation.
  std::vector<std::unique_ptr<OpaqueGraphNode>> nodes;
};

struct OpaqueStream {
  /// What is launched goes here while the stream is captured.
  std::unique_ptr<OpaqueGraph> capture;
};

struct OpaqueGraphExec {
  struct Step {
    /// The node that it was made from; names the step, may be gone.
    OpaqueGraphNode *node;
    emulatordriver::KernelLaunch launch;
    emulatordriver::HostFunction host;
  };
  /// Every launch stands behind its predecessors.
  std::vector<Step> steps;
};

} // namespace tripy::cuda

namespace tripy::emulatordriver {

struct Driver {
  /// The process's driver. Never destroyed: callers may outlive everything.
  static Driver &get();

  /// Prints to standard error, each text once.
  void report(const std::string &text);
  /// Makes the primary context, with nothing in it.
  void createContext();
  /// Frees what the primary context holds.
  void destroyContext();

  std::mutex mutex;
  bool initialized = false;
  /// What every call returns once a kernel went wrong.
  DriverResult stuck = DriverResult::Success;
  Machine machine;
  /// Device memory, and the bytes of it that the host can spare.
  std::unique_ptr<emulator::Memory> memory;
  uint64_t memoryBytes = 0;
  cuda::OpaqueContext primary;
  unsigned contextUses = 0;
  std::set<void *> pinned;
  Handles<cuda::OpaqueModule> modules;
  Handles<cuda::OpaqueStream> streams;
  Handles<cuda::OpaqueEvent> events;
  Handles<cuda::OpaqueGraph> graphs;
  Handles<cuda::OpaqueGraphExec> execs;

  /// Runs a launch that was checked, now or with those that follow.
  void submit(const KernelLaunch &launch);
  /// Runs what was submitted. What goes wrong makes the driver stuck.
  void flush();

  /// Runs a function of the host behind what was submitted.
  void submit(const HostFunction &function);

  bool hasStream(cuda::StreamHandle stream) const;
  /// What is recorded of this stream, which exists; or null.
  cuda::OpaqueGraph *captureOf(cuda::StreamHandle stream) const;
  /// Success, or what a call says that works on this stream now.
  DriverResult checkStream(cuda::StreamHandle stream) const;
  bool hasFunction(cuda::FunctionHandle function) const;

private:
  Status run(size_t number);

  /// Each overlaps with the one in front of it.
  std::vector<KernelLaunch> chain;
  std::set<std::string> reported;
};

/// A call of the driver: holds its lock, and says whether the call may go on.
/// Those that need a context see all launches done; Submits adds one.
///
///   Call call(Call::NeedsContext);
///   if (!call)
///     return call.refusal();
class Call {
public:
  enum Needs { NeedsDriver, NeedsContext, Submits };
  explicit Call(Needs needs = NeedsContext);
  explicit operator bool() const { return result == DriverResult::Success; }
  DriverResult refusal() const { return result; }
  Driver *operator->() { return &driver; }
  Driver &operator*() { return driver; }

private:
  Driver &driver;
  std::lock_guard<std::mutex> lock;
  DriverResult result = DriverResult::Success;
};

/// Contexts of a thread. Nothing is left to destroy: threads call until they
/// have ended.
class ContextStack {
public:
  bool empty() const { return count == 0; }
  cuda::ContextHandle back() const { return contexts[count - 1]; }
  /// False where there is no room.
  bool push(cuda::ContextHandle context) {
    if (count == std::size(contexts))
      return false;
    contexts[count++] = context;
    return true;
  }
  void pop() { --count; }

private:
  cuda::ContextHandle contexts[64];
  size_t count;
};

/// The calling thread's stack of contexts.
ContextStack &contextStack();

/// A new node of a graph, behind the one made last; `overlaps` lets it begin
/// before that one ended.
cuda::OpaqueGraphNode &record(cuda::OpaqueGraph &graph, bool overlaps = false);

/// Copies parameter values into .param space. InvalidValue without values.
DriverResult packParams(KernelLaunch &launch, void **params);
/// Whether the device takes a launch; what it does not like is reported.
DriverResult checkLaunch(Driver &driver, const KernelLaunch &launch);

} // namespace tripy::emulatordriver

#endif // TRIPY_TOOLS_CUDAEMULATOR_DRIVER_H
