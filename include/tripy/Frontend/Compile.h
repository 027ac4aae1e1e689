//===- Compile.h - Functions compiled once, for many shapes -----*- C++ -*-===//
//
//   auto fast = tripy::compile(mlp, tripy::InputInfo({{1, 2, 4}, 2},
//   tripy::float32)); auto out = fast(tripy::ones({2, 2}));
//   fast.save("mlp.tpx");
//   auto again = tripy::Executable::load("mlp.tpx");
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_COMPILE_H
#define TRIPY_FRONTEND_COMPILE_H

#include "tripy/Frontend/Tensor.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tripy {

/// The sizes that a dimension may have, and the one to be fastest for:
/// 2, or {1, 2, 4}, or with a name. Dimensions of one name have equal sizes in
/// each call. Errors: InvalidArgument unless 0 <= smallest <= usual <= largest.
class DimensionRange {
public:
  template <std::integral T>
  DimensionRange(T size) : DimensionRange(size, size, size) {}
  DimensionRange(int64_t smallest, int64_t usual, int64_t largest,
                 SourceLoc loc = SourceLoc::current())
      : DimensionRange("", smallest, usual, largest, loc) {}
  DimensionRange(std::string name, int64_t smallest, int64_t usual,
                 int64_t largest, SourceLoc loc = SourceLoc::current());

  int64_t smallest, usual, largest;
  std::string name;
  bool isStatic() const { return smallest == largest; }
};
/// A dimension with a name, to be used for several inputs.
using NamedDimension = DimensionRange;

/// An input of a function that is compiled: a tensor.
class InputInfo {
public:
  InputInfo(std::vector<DimensionRange> shape, DType dtype,
            std::string name = "", SourceLoc loc = SourceLoc::current())
      : dimensions(std::move(shape)), type(dtype), label(std::move(name)),
        place(loc) {}

  const std::vector<DimensionRange> &shape() const { return dimensions; }
  DType dtype() const { return type; }
  /// By which a call may name it; "arg0", "arg1", ... by default.
  const std::string &name() const { return label; }
  SourceLoc loc() const { return place; }
  /// "InputInfo(min=[1, 2], opt=[2, 2], max=[4, 2], dtype=float32)".
  std::string str() const;

private:
  std::vector<DimensionRange> dimensions;
  DType type;
  std::string label;
  SourceLoc place;
};
std::ostream &operator<<(std::ostream &os, const InputInfo &info);

/// An input of a function that is compiled: a Size.
class DimensionInputInfo {
public:
  DimensionInputInfo(DimensionRange range, std::string name = "",
                     SourceLoc loc = SourceLoc::current())
      : values(std::move(range)), label(std::move(name)), place(loc) {}
  const DimensionRange &range() const { return values; }
  const std::string &name() const { return label; }
  SourceLoc loc() const { return place; }

private:
  DimensionRange values;
  std::string label;
  SourceLoc place;
};

/// How to compile.
struct CompileSettings {
  /// "cpu", "cuda:sm_90a"; empty: for the default device.
  std::string target;
};

/// A compiled function. Copies share it; threads may call it at the same time.
class Executable {
public:
  /// Argument of a call: a tensor, a number, or a size.
  using Argument = TensorLike;

  /// Runs the program; it has one result. Errors: InvalidArgument (number of
  /// arguments, or of results), DTypeMismatch, ShapeOutOfRange, each naming the
  /// argument, what was expected and what was found.
  Tensor operator()(SourceLoc loc = SourceLoc::current()) const {
    return single({}, loc);
  }
  Tensor operator()(const Argument &a,
                    SourceLoc loc = SourceLoc::current()) const {
    return single({a}, loc);
  }
  Tensor operator()(const Argument &a, const Argument &b,
                    SourceLoc loc = SourceLoc::current()) const {
    return single({a, b}, loc);
  }
  Tensor operator()(const Argument &a, const Argument &b, const Argument &c,
                    SourceLoc loc = SourceLoc::current()) const {
    return single({a, b, c}, loc);
  }
  Tensor operator()(const Argument &a, const Argument &b, const Argument &c,
                    const Argument &d,
                    SourceLoc loc = SourceLoc::current()) const {
    return single({a, b, c, d}, loc);
  }
  /// All results, for any number of arguments, in order or by name.
  std::vector<Tensor> run(const std::vector<Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;
  std::vector<Tensor> run(const std::map<std::string, Argument> &arguments,
                          SourceLoc loc = SourceLoc::current()) const;

  /// What it takes. Inputs that are sizes have rank 0 and int64 here.
  std::vector<InputInfo> inputs() const;
  /// Names of the results.
  std::vector<std::string> outputs() const;

  /// Writes a file of its own, weights inside. Errors: Io.
  void save(const std::string &path,
            SourceLoc loc = SourceLoc::current()) const;
  /// Reads it. The machine code of a file for the CPU is run: load what comes
  /// from a trusted place. Errors: those of reading and verifying.
  static Executable load(const std::string &path,
                         SourceLoc loc = SourceLoc::current());

private:
  friend class Tracer;
  struct Impl;
  explicit Executable(std::shared_ptr<const Impl> impl)
      : impl(std::move(impl)) {}
  Tensor single(const std::vector<Argument> &arguments, SourceLoc loc) const;

  std::shared_ptr<const Impl> impl;
};

/// Records a function once: what compile() does. Its arguments are made, the
/// function is called with them, and its results finish it.
class Tracer {
public:
  explicit Tracer(const CompileSettings &settings);
  ~Tracer();
  Tensor argument(const InputInfo &info);
  Size argument(const DimensionInputInfo &info);
  /// As many inputs as the list has, one parameter of the function.
  std::vector<Tensor> argument(const std::vector<InputInfo> &infos) {
    std::vector<Tensor> tensors;
    for (const InputInfo &info : infos)
      tensors.push_back(argument(info));
    return tensors;
  }
  /// All others are part of the program.
  template <typename T> const T &argument(const T &value) { return value; }
  Executable finish(const std::vector<Tensor> &results);

private:
  struct State;
  std::unique_ptr<State> state;
};

namespace detail {
inline void flatten(const Tensor &value, std::vector<Tensor> &out) {
  out.push_back(value);
}
template <typename... T>
void flatten(const std::tuple<T...> &values, std::vector<Tensor> &out);
template <typename T>
  requires requires(const T &list) { list.begin() != list.end(); }
void flatten(const T &values, std::vector<Tensor> &out) {
  for (const auto &value : values)
    flatten(value, out);
}
template <typename A, typename B>
void flatten(const std::pair<A, B> &values, std::vector<Tensor> &out) {
  flatten(values.first, out);
  flatten(values.second, out);
}
template <typename... T>
void flatten(const std::tuple<T...> &values, std::vector<Tensor> &out) {
  std::apply([&](const auto &...value) { (flatten(value, out), ...); }, values);
}

} // namespace detail

/// Compiles `function`: it is called once, with a tensor for each InputInfo, a
/// size for each DimensionInputInfo, a vector of tensors for a vector of
/// InputInfo, and all other arguments as they are, which become part of the
/// program. It returns a tensor, or a vector, pair or tuple
/// of such. Errors: what the function throws, its own evaluations among them
/// ("cannot evaluate a tensor while compiling"), and the compiler's errors.
template <typename F, typename... A>
Executable compile(const CompileSettings &settings, const F &function,
                   const A &...arguments) {
  Tracer tracer(settings);
  std::vector<Tensor> results;
  // Arguments from left to right, whatever a call would do.
  std::tuple<decltype(tracer.argument(arguments))...> traced{
      tracer.argument(arguments)...};
  detail::flatten(std::apply(function, traced), results);
  return tracer.finish(results);
}
template <typename F, typename... A>
  requires(!std::is_same_v<F, CompileSettings>)
Executable compile(const F &function, const A &...arguments) {
  return compile(CompileSettings(), function, arguments...);
}

} // namespace tripy

#endif // TRIPY_FRONTEND_COMPILE_H
