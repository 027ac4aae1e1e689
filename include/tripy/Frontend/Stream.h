//===- Stream.h - Order of work on a device ---------------------*- C++ -*-===//
//
//   tripy::Stream stream;
//   auto y = fast.on(stream)(x);      // returns at once
//   auto done = stream.record();
//   ...
//   std::cout << y;                   // waits for y
//
// Calls of an executable return before their results are computed; whoever
// reads a result waits for it. Eager evaluation does the same on a GPU, on the
// calling thread's stream; on the CPU it computes before it returns. Work on
// one stream is done in the order of the calls, and work that reads a result of
// another stream waits for that result.
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

/// A point in the work of a stream. Copies are the same point.
class Event {
public:
  // What is moved from stays the same point.
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

/// A queue of work: a CUDA stream, or on the CPU a thread. Copies are the same
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
  // What is moved from stays the same queue.
  Stream(const Stream &) = default;
  Stream &operator=(const Stream &) = default;
  /// The calling thread's own stream of the device, which calls use that name
  /// no other.
  static Stream ofThread(const Device &device = defaultDevice(),
                         SourceLoc loc = SourceLoc::current());
  /// A CUstream of somebody else's, who keeps it until the last copy has gone.
  /// Errors: InvalidArgument for null or a device that is no GPU.
  static Stream ofHandle(void *handle, const Device &device = Device::gpu(),
                         SourceLoc loc = SourceLoc::current());

  /// Waits until all work is done. Errors: the first that it met since this
  /// was called last.
  void synchronize(SourceLoc loc = SourceLoc::current()) const;
  /// The point behind all work that the stream has been given.
  Event record(SourceLoc loc = SourceLoc::current()) const;
  /// Later work of this stream is done after the event.
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
