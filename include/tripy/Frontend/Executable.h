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
  /// The range of a dimension's sizes, for all inputs that the profile allows.
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
/// Calls are asynchronous: they check their arguments, launch the work and
/// return. Reading a result waits for it, and reports errors of the work.
class Executable {
public:
  /// Argument of run().
  using Argument = TensorLike;
  /// An empty one, to be assigned. Errors of all its members: InvalidArgument.
  Executable() = default;
  // A moved-from executable stays the same function.
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
  /// The same for a program with any number of results. R is the type that the
  /// function returned.
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
  std::vector<Tensor> run(std::initializer_list<Argument> arguments,
                          SourceLoc loc = SourceLoc::current()) const {
    return run(std::vector<Argument>(arguments), loc);
  }
  std::vector<Tensor> run(const std::vector<Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;
  std::vector<Tensor> run(const std::vector<Tensor> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;
  std::vector<Tensor> run(SourceLoc loc = SourceLoc::current()) const {
    return run(std::vector<Argument>(), loc);
  }
  /// \code
  ///   auto twice = [](const tp::Tensor &x) { return x * 2; };
  ///   tp::InputInfo input({2}, tp::int32, "x");
  ///   tp::Executable fast = tp::compile(twice, input);
  ///   std::cout << fast.run({{"x", tp::Tensor({1, 2})}})[0];
  ///   // tensor([2, 4], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  std::vector<Tensor> run(const std::map<std::string, Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;

  /// The same program; its calls run on `stream`. Errors: DeviceMismatch unless
  /// the stream belongs to the program's device.
  Executable on(const Stream &stream,
                SourceLoc loc = SourceLoc::current()) const;

  /// The inputs, without weights. Inputs that are sizes have rank 0 and type
  /// int64 here.
  std::vector<InputInfo> inputs(SourceLoc loc = SourceLoc::current()) const;
  /// The results.
  std::vector<OutputInfo> outputs(SourceLoc loc = SourceLoc::current()) const;
  /// The device on which it runs, and of its inputs and results.
  Device device(SourceLoc loc = SourceLoc::current()) const;

  /// Writes the program to a file. It contains the weights, except with
  /// CompileSettings::weightsOutside: then they are written to a safetensors
  /// file next to it: "mlp.tpx" and "mlp.safetensors". Errors: Io.
  void save(const std::string &path,
            SourceLoc loc = SourceLoc::current()) const;
  /// Loads a saved program. The machine code of a file for the CPU is executed:
  /// only load files from trusted sources. Errors: those of reading and
  /// verifying.
  /// \code
  ///   auto twice = [](const tp::Tensor &x) { return x * 2; };
  ///   tp::compile(twice, tp::InputInfo({2}, tp::int32)).save("twice.tpx");
  ///   tp::Executable fast = tp::Executable::load("twice.tpx");
  ///   std::cout << fast.device() << ' ' << fast(tp::Tensor({1, 2}));
  ///   // cpu:0 tensor([2, 4], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  static Executable load(const std::string &path,
                         SourceLoc loc = SourceLoc::current());
  /// The same with a file of weights that is elsewhere or has other values.
  /// Errors: NotFound for a weight that the file lacks, DTypeMismatch,
  /// ShapeOutOfRange; InvalidArgument for a program that contains its weights.
  static Executable load(const std::string &path, const std::string &weights,
                         SourceLoc loc = SourceLoc::current());

private:
  friend class Tracer;
  struct Impl;
  explicit Executable(std::shared_ptr<const Impl> impl)
      : impl(std::move(impl)) {}
  void checkAssigned(SourceLoc loc) const;
  std::vector<Tensor> start(const std::vector<CallArgument> &arguments,
                            SourceLoc loc) const;
  Tensor single(std::vector<Tensor> results, SourceLoc loc) const;
  const std::vector<std::string> &resultNames() const;
  template <typename R>
  R structured(const std::vector<Tensor> &results, SourceLoc loc) const {
    detail::ResultReader reader(resultNames(), results, loc);
    R value = detail::readResult<R>(reader, "");
    reader.finish();
    return value;
  }

  std::shared_ptr<const Impl> impl;
  std::optional<Stream> stream;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_EXECUTABLE_H
