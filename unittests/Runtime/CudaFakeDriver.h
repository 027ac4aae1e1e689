//===- CudaFakeDriver.h - A CUDA driver in host memory ----------*- C++ -*-===//
//
// Implements the driver table without a GPU: device memory is host memory,
// kernels are C++ functions by name, work runs when it is submitted. It checks
// what the real driver would crash on, counts every resource, and can fail any
// call with any result. For unit tests; one fake exists at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_CUDAFAKEDRIVER_H
#define TRIPY_UNITTESTS_RUNTIME_CUDAFAKEDRIVER_H

#include "AllocationHooks.h"
#include "tripy/Runtime/Cuda/DriverApi.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tripy::cudatest {

using cuda::DriverResult;

/// A launch as a kernel sees it.
struct FakeLaunch {
  std::array<unsigned, 3> grid = {}, block = {}, cluster = {1, 1, 1};
  unsigned sharedBytes = 0;
  /// May start before its predecessor ended.
  bool overlaps = false;
  bool inGraph = false;
  /// In a graph: the kernels that it follows, one for each edge.
  std::vector<std::string> behind;
  std::vector<std::vector<uint8_t>> params;

  template <typename T> T param(size_t index) const {
    return *reinterpret_cast<const T *>(params.at(index).data());
  }
};

struct FakeKernel {
  std::string name;
  std::vector<size_t> paramBytes;
  std::function<void(const FakeLaunch &)> body;
  int maxThreads = 1024, sharedBytes = 0;
};

class FakeDriver {
public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver &) = delete;
  FakeDriver &operator=(const FakeDriver &) = delete;
  const cuda::DriverApi &api() const { return table; }

  //===-- what the machine is like ----------------------------------------===//
  int version = 13000, devices = 1, major = 9, minor = 0, clusters = 1;
  int maxShared = 232448;
  /// Takes PTX alone, as a driver does that does not know the machine code.
  bool refusesMachineCode = false;
  /// Flags of the stream that was made last.
  unsigned streamFlags = ~0u;
  /// All streams are being captured.
  bool capturing = false;
  uint64_t memory = uint64_t(64) << 20;
  std::string name = "Fake H200";
  void addKernel(FakeKernel kernel);
  cuda::FunctionHandle function(const std::string &name) {
    return reinterpret_cast<cuda::FunctionHandle>(kernels.at(name).get());
  }

  //===-- failures --------------------------------------------------------===//
  /// Call number `nth` from now (1 is the next) returns `result`; a sticky one
  /// is returned by all later calls as well.
  void failCall(uint64_t nth, DriverResult result);
  /// Every call of this function returns `result`.
  void failFunction(std::string function, DriverResult result);
  /// The function that failCall() hit, empty when it was not reached.
  std::string failed;
  /// Called when failCall() hits.
  std::function<void()> onFailure;
  /// Ends all failures and the sticky state.
  void heal();
  bool isStuck() const { return stuck != DriverResult::Success; }

  //===-- what happened ---------------------------------------------------===//
  /// Resources that exist: "memory", "pinned", "module", "stream", "event",
  /// "graph", "exec", "context". Empty when everything was given back.
  std::map<std::string, int> live() const;
  /// Calls so far, of all functions or of one.
  uint64_t calls() const { return callCount; }
  uint64_t callsOf(const std::string &function) const;
  uint64_t bytesInUse() const { return used; }
  std::vector<FakeLaunch> launches;
  std::vector<std::string> launched;
  /// Depth of the calling thread's stack of contexts.
  static size_t contextDepth();
  std::string jitLog;

private:
  friend struct FakeCalls;
  friend struct FakeGraphCalls;
  struct Node {
    FakeKernel *kernel = nullptr;
    FakeLaunch launch;
  };
  struct Graph {
    std::vector<Node *> nodes;
  };
  struct Exec {
    std::vector<Node *> order;
    std::map<Node *, Node> nodes;
  };
  struct Event {
    uint64_t time = 0;
  };

  /// Counts a call and says whether it is to fail.
  DriverResult enter(const char *function, bool needsContext = true);
  void run(FakeKernel &kernel, const FakeLaunch &launch);
  bool inside(uint64_t address, uint64_t bytes) const;

  cuda::DriverApi table;
  mutable std::recursive_mutex mutex;
  uint64_t callCount = 0, failAt = 0, used = 0, clock = 0;
  DriverResult failWith = DriverResult::Success, stuck = DriverResult::Success;
  std::map<std::string, uint64_t> counts;
  std::map<std::string, DriverResult> broken;
  std::map<std::string, std::unique_ptr<FakeKernel>> kernels;
  std::map<uint64_t, uint64_t> allocations;
  std::set<void *> pinned, modules, streams;
  std::set<Event *> events;
  std::map<Graph *, std::unique_ptr<Graph>> graphs;
  std::map<Node *, std::unique_ptr<Node>> nodes;
  std::map<Exec *, std::unique_ptr<Exec>> execs;
  /// What is launched on a stream goes into its graph.
  std::map<cuda::StreamHandle, Graph *> captures;
  int contextUses = 0;
};

/// Results that end a context, by the driver's documentation: written down a
/// second time, so that the runtime's list is tested.
inline bool endsContext(DriverResult result) {
  static const std::set<int> codes = {4,   46,  214, 220, 226, 700, 702, 709,
                                      710, 714, 715, 716, 717, 718, 719};
  return codes.count(static_cast<int>(result)) != 0;
}

/// Held by each call of the driver, in which the test's own failing allocations
/// do not fail.
class DriverLock {
public:
  explicit DriverLock(std::recursive_mutex &mutex) : lock(mutex) {}

private:
  std::lock_guard<std::recursive_mutex> lock;
  hooks::ShelteredAllocations shelter;
};

/// The fake behind the table's functions.
extern FakeDriver *current;
inline constexpr auto success = DriverResult::Success;
inline constexpr auto invalidValue = DriverResult::InvalidValue;

inline FakeKernel *kernelOf(cuda::FunctionHandle function) {
  return reinterpret_cast<FakeKernel *>(function);
}

/// Fills in launches, graphs and tensor maps.
void addGraphCalls(cuda::DriverApi &api);

} // namespace tripy::cudatest

#endif // TRIPY_UNITTESTS_RUNTIME_CUDAFAKEDRIVER_H
