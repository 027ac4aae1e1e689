//===- Executable.h - Compiled functions ------------------------*- C++ -*-===//
//
//   tripy::Executable fast = tripy::Executable::load("mlp.tpx");
//   tripy::Tensor y = fast(x);                     // returns at once
//   auto [a, b] = other.call<std::pair<tripy::Tensor, tripy::Tensor>>(x);
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_EXECUTABLE_H
#define TRIPY_FRONTEND_EXECUTABLE_H

#include "tripy/Frontend/Stream.h"
#include "tripy/Frontend/Structure.h"

namespace tripy {

class InputInfo;

/// A result of a compiled function.
struct OutputInfo {
  /// Sizes of a dimension for all inputs that the profile allows.
  struct Range {
    int64_t smallest, largest;
  };
  /// "result0", or its path in what the function returned.
  std::string name;
  DType dtype;
  std::vector<Range> shape;
  /// "OutputInfo(min=[1, 2], max=[4, 2], dtype=float32)".
  std::string str() const;
};
std::ostream &operator<<(std::ostream &os, const OutputInfo &info);

/// A compiled function. Copies share it; threads may call it at the same time.
/// Calls check their arguments, start the work and return; whoever reads a
/// result waits for it, and gets the error that the work met.
class Executable {
public:
  /// Argument of run().
  using Argument = TensorLike;
  // What is moved from stays the same function.
  Executable(const Executable &) = default;
  Executable &operator=(const Executable &) = default;

  /// Runs the program, which has one result, with any number of arguments:
  /// tensors, numbers, sizes and structures of them. Errors, at the line of the
  /// call: InvalidArgument (number of arguments, their structure, number of
  /// results), DTypeMismatch, ShapeOutOfRange, DeviceMismatch, each naming the
  /// argument, what was expected and what was found.
  Tensor operator()(SourceLoc loc = SourceLoc::current()) const {
    return single(start({}, loc), loc);
  }
  template <typename... A>
  Tensor operator()(const CallArgument &first, const A &...rest) const {
    return single(
        start({first, CallArgument(rest, first.loc())...}, first.loc()),
        first.loc());
  }
  /// The same for a program with any results, as a structure of type R: that
  /// of what the function returned.
  template <typename R> R call(SourceLoc loc = SourceLoc::current()) const {
    return structured<R>(start({}, loc), loc);
  }
  template <typename R, typename... A>
  R call(const CallArgument &first, const A &...rest) const {
    return structured<R>(
        start({first, CallArgument(rest, first.loc())...}, first.loc()),
        first.loc());
  }
  /// All results in order, for arguments in order or by name.
  std::vector<Tensor> run(const std::vector<Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;
  /// \code
  ///   auto twice = [](const tp::Tensor &x) { return x * 2; };
  ///   tp::InputInfo input({2}, tp::int32, "x");
  ///   tp::Executable fast = tp::compile(twice, input);
  ///   std::cout << fast.run({{"x", tp::Tensor({1, 2})}})[0];
  ///   // tensor([2, 4], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  std::vector<Tensor> run(const std::map<std::string, Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;

  /// The same program, whose calls are done on `stream`. Errors:
  /// DeviceMismatch unless the stream is of the program's device.
  Executable on(const Stream &stream,
                SourceLoc loc = SourceLoc::current()) const;

  /// What it takes, without weights. Inputs that are sizes have rank 0 and
  /// int64 here.
  std::vector<InputInfo> inputs() const;
  /// What it gives.
  std::vector<OutputInfo> outputs() const;
  /// Where it runs, and where the tensors are that it takes and gives.
  Device device() const;

  /// Writes a file of its own. Weights are inside; those that were compiled
  /// with CompileSettings::weightsOutside are written to a safetensors file
  /// beside it: "mlp.tpx" and "mlp.safetensors". Errors: Io.
  void save(const std::string &path,
            SourceLoc loc = SourceLoc::current()) const;
  /// Reads it. The machine code of a file for the CPU is run: load what comes
  /// from a trusted place. Errors: those of reading and verifying.
  /// \code
  ///   auto twice = [](const tp::Tensor &x) { return x * 2; };
  ///   tp::compile(twice, tp::InputInfo({2}, tp::int32)).save("twice.tpx");
  ///   tp::Executable fast = tp::Executable::load("twice.tpx");
  ///   std::cout << fast.device() << ' ' << fast(tp::Tensor({1, 2}));
  ///   // cpu:0 tensor([2, 4], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  static Executable load(const std::string &path,
                         SourceLoc loc = SourceLoc::current());
  /// The same with the file of the weights, where it lies elsewhere or has
  /// other values. Errors: NotFound for a weight that the file lacks,
  /// DTypeMismatch, ShapeOutOfRange; InvalidArgument for a program that has its
  /// weights inside.
  static Executable load(const std::string &path, const std::string &weights,
                         SourceLoc loc = SourceLoc::current());

private:
  friend class Tracer;
  struct Impl;
  explicit Executable(std::shared_ptr<const Impl> impl)
      : impl(std::move(impl)) {}
  std::vector<Tensor> start(const std::vector<CallArgument> &arguments,
                            SourceLoc loc) const;
  Tensor single(std::vector<Tensor> results, SourceLoc loc) const;
  std::vector<std::string> resultNames() const;
  template <typename R>
  R structured(const std::vector<Tensor> &results, SourceLoc loc) const {
    std::vector<std::string> names = resultNames();
    detail::ResultReader reader(names, results, loc);
    R value = detail::readResult<R>(reader, "");
    reader.finish();
    return value;
  }

  std::shared_ptr<const Impl> impl;
  std::optional<Stream> stream;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_EXECUTABLE_H
