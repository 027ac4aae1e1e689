//===- Stream.h - Streams and events ----------------------------*- C++ -*-===//
//
//   tripy::Stream stream;
//   auto y = fast.on(stream)(x);      // returns at once
//   auto done = stream.record();
//   ...
//   std::cout << y;                   // waits for y
//
// Calls of an executable are asynchronous: they return before their results are
// computed, and reading a result waits for it. Eager evaluation does the same
// on a GPU, on the calling thread's stream; on the CPU it computes before it
// returns. Work on one stream runs in the order of the calls, and work that
// reads a result of another stream waits for that result.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_STREAM_H
#define TRIPY_FRONTEND_STREAM_H

#include "tripy/Frontend/Types.h"

#include <memory>

namespace tripy {

namespace frontend {
class StreamState;
class Work;
} // namespace frontend

/// An event: a point in the work of a stream. Copies are the same point.
class Event {
public:
  // A moved-from event stays the same point.
  Event(const Event &) = default;
  Event &operator=(const Event &) = default;

  /// Waits until the work before the point is done. Errors: that of this work.
  void synchronize(SourceLoc loc = SourceLoc::current()) const;
  /// Whether the work before the point is done; does not wait. Errors: that of
  /// this work.
  bool isDone(SourceLoc loc = SourceLoc::current()) const;

private:
  friend class Stream;
  explicit Event(std::shared_ptr<frontend::Work> work)
      : work(std::move(work)) {}
  std::shared_ptr<frontend::Work> work;
};

/// A queue of work: a CUDA stream, or a thread on the CPU. Copies are the same
/// queue; threads may use it at the same time.
/// \code
///   tp::Stream stream;
///   auto next = [](const tp::Tensor &x) { return x + 1; };
///   tp::Executable fast = tp::compile(next, tp::InputInfo({2}, tp::int32));
///   tp::Tensor y = fast.on(stream)(tp::Tensor({1, 2})); // returns at once
///   std::cout << y.toVector<int>()[1];
///   // 3
/// \endcode
class Stream {
public:
  /// Errors: those of opening the device.
  explicit Stream(const Device &device = defaultDevice(),
                  SourceLoc loc = SourceLoc::current());
  // A moved-from stream stays the same queue.
  Stream(const Stream &) = default;
  Stream &operator=(const Stream &) = default;
  /// The calling thread's default stream on the device, which is used by calls
  /// that do not name a stream.
  static Stream ofThread(const Device &device = defaultDevice(),
                         SourceLoc loc = SourceLoc::current());
  /// Wraps a CUstream, whose owner must keep it alive until the last copy is
  /// destroyed. Errors: InvalidArgument for null or a device that is not a GPU.
  static Stream ofHandle(void *handle, const Device &device = Device::gpu(),
                         SourceLoc loc = SourceLoc::current());

  /// Waits until all work is done. Errors: the first error of the work since
  /// this was last called.
  void synchronize(SourceLoc loc = SourceLoc::current()) const;
  /// The point after all work that has been enqueued so far.
  Event record(SourceLoc loc = SourceLoc::current()) const;
  /// Later work of this stream waits for the event.
  void wait(const Event &event, SourceLoc loc = SourceLoc::current()) const;

  Device device() const;
  /// The CUstream; null on the CPU.
  void *handle() const;
  friend bool operator==(const Stream &a, const Stream &b) {
    return a.state == b.state;
  }

private:
  friend class Executable;
  explicit Stream(std::shared_ptr<frontend::StreamState> state)
      : state(std::move(state)) {}
  std::shared_ptr<frontend::StreamState> state;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_STREAM_H
