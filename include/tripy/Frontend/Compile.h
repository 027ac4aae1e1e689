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

#include "tripy/Frontend/Callable.h"
#include "tripy/Frontend/Executable.h"
#include "tripy/Frontend/Module.h"

#include <array>
#include <memory>

namespace tripy {

/// The sizes that a dimension may have, and the one to optimize for:
/// 2, or {1, 2, 4}, or with a name. Dimensions with the same name have equal
/// sizes in each call. Names have at most 1024 bytes of UTF-8 without spaces,
/// quotes, '=', '@', ',' and control characters. Errors: InvalidArgument for
/// any other name, and unless 0 <= smallest <= usual <= largest.
class DimensionRange {
public:
  template <std::integral T>
  DimensionRange(T size, SourceLoc loc = SourceLoc::current())
      : DimensionRange(size, size, size, loc) {}
  DimensionRange(int64_t smallest, int64_t usual, int64_t largest,
                 SourceLoc loc = SourceLoc::current())
      : DimensionRange("", smallest, usual, largest, loc) {}
  DimensionRange(std::string name, int64_t smallest, int64_t usual,
                 int64_t largest, SourceLoc loc = SourceLoc::current());

  int64_t smallest, usual, largest;
  std::string name;
  bool isStatic() const { return smallest == largest; }
};
/// A named dimension, which may be used for several inputs.
using NamedDimension = DimensionRange;

/// A tensor input of a compiled function. The rules for names are those of
/// dimensions. Errors: InvalidArgument for any other name.
class InputInfo {
public:
  InputInfo(std::vector<DimensionRange> shape, DType dtype,
            std::string name = "", SourceLoc loc = SourceLoc::current());

  const std::vector<DimensionRange> &shape() const { return dimensions; }
  DType dtype() const { return type; }
  /// The name for passing it by name; "arg0", "arg1", ... by default.
  const std::string &name() const { return label; }
  SourceLoc loc() const { return place; }
  /// "InputInfo(min=[1, 2], opt=[2, 2], max=[4, 2], dtype=float32)"; if
  /// dimensions have names, with ", names=['batch', '']".
  std::string str() const;

private:
  std::vector<DimensionRange> dimensions;
  DType type;
  std::string label;
  SourceLoc place;
};
std::ostream &operator<<(std::ostream &os, const InputInfo &info);

/// A Size that is an input of a compiled function.
class DimensionInputInfo {
public:
  DimensionInputInfo(DimensionRange range, std::string name = "",
                     SourceLoc loc = SourceLoc::current());
  const DimensionRange &range() const { return values; }
  const std::string &name() const { return label; }
  SourceLoc loc() const { return place; }

private:
  DimensionRange values;
  std::string label;
  SourceLoc place;
};

/// The progress of a compilation.
struct CompileProgress {
  /// "passes", which counts the levels that the program has passed; "LLVM" and
  /// "assembler", which count kernels whose code is finished; or "cache", if
  /// they were found there.
  std::string stage;
  size_t done = 0, total = 0;
};

/// How to compile. Settings that do not apply to the target are errors.
struct CompileSettings {
  /// "cpu", "cuda:sm_90a"; empty: for the default device. A program for another
  /// machine can be saved, but not called.
  std::string target = {};
  /// CPU: "native", or a processor by LLVM's name, such as "x86-64-v3".
  std::string cpu = "native";
  /// CUDA: what computes products: "own" kernels alone, "auto" or "libraries"
  /// (docs/libraries.md).
  std::string backends = "own";
  /// CUDA: a tuning file, and the GPU whose records are used (docs/tuning.md).
  std::string tuningFile = {}, tuningDevice = {};
  /// Constant tensors of at least 1 KiB are stored separately: the program's
  /// file is small, and several programs may share one file of weights. The
  /// compiler does not use their values.
  bool weightsOutside = false;
  /// It is an error if the profile allows sizes that the program refuses.
  bool strictShapes = false;
  /// Called during the compilation, by one thread at a time; returning false
  /// ends it with an Error of Code::Cancelled, after the passes of the current
  /// level or the code of each thread's kernels are finished. Exceptions that
  /// it throws are passed on by compile().
  Callable<bool(const CompileProgress &)> progress = {};
  /// Called with the compiler's warnings, including the user's lines, after a
  /// successful compilation. If empty, they are printed to standard error.
  Callable<void(const std::string &)> warnings = {};
};

class Tracer;

namespace detail {

/// What a function is called with for an argument of compile().
template <typename T> struct Traced {
  using Type = T;
  static constexpr bool isInput = false;
  static const T &trace(Tracer &, const T &value, const std::string &) {
    return value;
  }
};

} // namespace detail

/// Records a function once: what compile() does. Its arguments are made, the
/// function is called with them, and its results finish it.
class Tracer {
public:
  /// `loc` is where compile() is called; without line, that of the first
  /// argument stands for it.
  explicit Tracer(const CompileSettings &settings, SourceLoc loc = {});
  ~Tracer();
  /// `path` is the name where the description has none.
  Tensor argument(const InputInfo &info, const std::string &path = "");
  Size argument(const DimensionInputInfo &info, const std::string &path = "");
  /// A structure of descriptions; all others are part of the program.
  template <typename T> decltype(auto) argument(const T &value) {
    return detail::Traced<T>::trace(
        *this, value, detail::Traced<T>::isInput ? nextName() : std::string());
  }
  /// Names of tensors that the program may consist of: a module's parameters.
  void nameTensors(std::vector<std::pair<std::string, Tensor>> tensors);
  /// Throws Error for a part of a list or map of results that has no tensor:
  /// the program would not know of it.
  [[noreturn]] void refuseEmpty(const std::string &path) const;
  /// Results with their paths.
  Executable finish(const std::vector<std::pair<std::string, Tensor>> &results);
  SourceLoc loc() const;

private:
  /// "arg0", "arg1", ...: a structure has one name, as a tensor has.
  std::string nextName();
  struct State;
  std::unique_ptr<State> state;
};

namespace detail {

template <> struct Traced<InputInfo> {
  using Type = Tensor;
  static constexpr bool isInput = true;
  static Tensor trace(Tracer &tracer, const InputInfo &info,
                      const std::string &path) {
    return tracer.argument(info, path);
  }
};
template <> struct Traced<DimensionInputInfo> {
  using Type = Size;
  static constexpr bool isInput = true;
  static Size trace(Tracer &tracer, const DimensionInputInfo &info,
                    const std::string &path) {
    return tracer.argument(info, path);
  }
};

template <typename T>
  requires Traced<T>::isInput
struct Traced<std::vector<T>> {
  using Type = std::vector<typename Traced<T>::Type>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const std::vector<T> &list,
                    const std::string &path) {
    Type traced;
    for (const T &item : list)
      traced.push_back(
          Traced<T>::trace(tracer, item, memberPath(path, traced.size())));
    return traced;
  }
};
template <typename T>
  requires Traced<T>::isInput
struct Traced<std::map<std::string, T>> {
  using Type = std::map<std::string, typename Traced<T>::Type>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const std::map<std::string, T> &map,
                    const std::string &path) {
    Type traced;
    for (const auto &[key, item] : map)
      traced.emplace(key,
                     Traced<T>::trace(tracer, item, memberPath(path, key)));
    return traced;
  }
};

/// Of a tuple, pair or array, from left to right.
template <typename Type, typename From, size_t... I>
Type traceTuple(Tracer &tracer, const From &values, const std::string &path,
                std::index_sequence<I...>) {
  return Type{Traced<std::tuple_element_t<I, From>>::trace(
      tracer, std::get<I>(values), memberPath(path, I))...};
}
template <typename... T>
  requires(Traced<T>::isInput || ...)
struct Traced<std::tuple<T...>> {
  using Type = std::tuple<typename Traced<T>::Type...>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const std::tuple<T...> &values,
                    const std::string &path) {
    return traceTuple<Type>(tracer, values, path,
                            std::index_sequence_for<T...>());
  }
};
template <typename A, typename B>
  requires(Traced<A>::isInput || Traced<B>::isInput)
struct Traced<std::pair<A, B>> {
  using Type = std::pair<typename Traced<A>::Type, typename Traced<B>::Type>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const std::pair<A, B> &values,
                    const std::string &path) {
    return traceTuple<Type>(tracer, values, path,
                            std::index_sequence_for<A, B>());
  }
};

template <typename T, size_t N>
  requires Traced<T>::isInput
struct Traced<std::array<T, N>> {
  using Type = std::array<typename Traced<T>::Type, N>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const std::array<T, N> &values,
                    const std::string &path) {
    return traceTuple<Type>(tracer, values, path,
                            std::make_index_sequence<N>());
  }
};

/// Batch<InputInfo> becomes Batch<Tensor>: their fields have one order.
template <template <typename> typename S>
  requires HasFields<S<InputInfo>>
struct Traced<S<InputInfo>> {
  using Type = S<Tensor>;
  static constexpr bool isInput = true;
  static Type trace(Tracer &tracer, const S<InputInfo> &value,
                    const std::string &path) {
    std::vector<std::string> names;
    value.visitFields([&](const std::string &name, const auto &) {
      names.push_back(memberPath(path, name));
    });
    Type traced;
    auto from = value.fieldReferences();
    auto to = traced.fieldReferences();
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(to) =
            Traced<std::remove_cvref_t<decltype(std::get<I>(from))>>::trace(
                tracer, std::get<I>(from), names[I])),
       ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(from)>>());
    return traced;
  }
};

template <typename F>
concept IsSettings = std::is_same_v<std::remove_cvref_t<F>, CompileSettings>;
/// One call operator, or a function: its parameters are known without a call.
template <typename F>
concept HasOneCall = std::is_function_v<F> || requires { &F::operator(); };

/// Calls what is compiled at `loc`: a place that it takes as its last argument
/// is the user's line, and none of this header or of the standard library.
template <typename F, typename... A>
decltype(auto) callAt(SourceLoc loc, F &function, A &...arguments) {
  using Plain = std::remove_const_t<F>;
  if constexpr (!std::is_base_of_v<Module, Plain> && !HasOneCall<Plain>)
    return function(arguments...);
  else if constexpr (std::is_invocable_v<F &, A &..., SourceLoc &>)
    return function(arguments..., loc);
  else
    return function(arguments...);
}
template <typename F, typename... A>
concept TakesArguments = std::is_invocable_v<F &, A &...> ||
                         (HasOneCall<std::remove_const_t<F>> &&
                          std::is_invocable_v<F &, A &..., SourceLoc &>);

/// The tensors that a function returned, with their paths.
struct ResultCollector {
  const Tracer &tracer;
  std::vector<std::pair<std::string, Tensor>> results = {};
  void operator()(const std::string &path, const Tensor &tensor) {
    results.emplace_back(path, tensor);
  }
  void emptyPart(const std::string &path) const { tracer.refuseEmpty(path); }
};

template <typename F, typename... A>
Executable compileAt(SourceLoc loc, const CompileSettings &settings,
                     F &function, const A &...arguments) {
  Tracer tracer(settings, loc);
  if constexpr (requires { function.stateDict(); })
    tracer.nameTensors(function.stateDict());
  ResultCollector collector{tracer};
  // Arguments from left to right, whatever a call would do.
  using Arguments = std::tuple<decltype(tracer.argument(arguments))...>;
  Arguments traced{tracer.argument(arguments)...};
  constexpr bool fits = TakesArguments<
      F, std::remove_reference_t<decltype(tracer.argument(arguments))>...>;
  static_assert(fits,
                "the function is called with a Tensor for each InputInfo "
                "of compile(), a Size for each DimensionInputInfo and "
                "all other arguments as they are; it does not take these");
  if constexpr (fits)
    [&]<size_t... I>(std::index_sequence<I...>) {
      visitLeaves<IsTensor>(
          callAt(tracer.loc(), function, std::get<I>(traced)...), "",
          collector);
    }(std::index_sequence_for<A...>());
  return tracer.finish(collector.results);
}

} // namespace detail

/// Compiles `function`: it is called once, with a tensor for each InputInfo, a
/// size for each DimensionInputInfo, a structure of tensors for each structure
/// of these, and all other arguments unchanged, which become constants of the
/// program. It returns a tensor, or a structure of tensors, in which each part
/// of a list or map has at least one. In errors, the call of a module has the
/// line of compile(), with more than 6 arguments that of the first input.
/// Errors: those that the function throws, including those of evaluations in it
/// ("cannot evaluate a tensor while compiling"), and the compiler's errors.
/// \code
///   tp::Linear linear(2, 3);
///   tp::InputInfo input({{1, 2, 8}, 2}, tp::float32);
///   tp::Executable fast = tp::compile(linear, input);
///   std::cout << fast(tp::ones({4, 2})).shape();
///   // (4, 3)
/// \endcode
template <typename F, typename... A>
  requires(sizeof...(A) > 6)
Executable compile(const CompileSettings &settings, F &&function,
                   const A &...arguments) {
  return detail::compileAt(SourceLoc(), settings, function, arguments...);
}
template <typename F, typename... A>
  requires(!detail::IsSettings<F> && sizeof...(A) > 6)
Executable compile(F &&function, const A &...arguments) {
  return detail::compileAt(SourceLoc(), CompileSettings(), function,
                           arguments...);
}

/// The same with a list of inputs: compile(mlp, {InputInfo(...), ...}).
/// \code
///   auto sum = [](const tp::Tensor &a, const tp::Tensor &b) { return a + b; };
///   tp::InputInfo pair({2}, tp::int32);
///   tp::Executable fast = tp::compile(sum, {pair, pair});
///   std::cout << fast(tp::Tensor({1, 2}), tp::Tensor({3, 4}));
///   // tensor([4, 6], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
template <typename F, size_t N>
Executable compile(const CompileSettings &settings, F &&function,
                   const InputInfo (&inputs)[N],
                   SourceLoc loc = SourceLoc::current()) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return detail::compileAt(loc, settings, function, inputs[I]...);
  }(std::make_index_sequence<N>());
}
template <typename F, size_t N>
  requires(!detail::IsSettings<F>)
Executable compile(F &&function, const InputInfo (&inputs)[N],
                   SourceLoc loc = SourceLoc::current()) {
  return compile(CompileSettings(), function, inputs, loc);
}

// Up to 6 arguments: then the place of the call has a parameter.
#define TRIPY_COMPILE(types, parameters, ...)                                  \
  template <typename F TRIPY_UNPACK types>                                     \
  Executable compile(const CompileSettings &settings,                          \
                     F &&function TRIPY_UNPACK parameters,                     \
                     SourceLoc loc = SourceLoc::current()) {                   \
    return detail::compileAt(loc, settings,                                    \
                             function __VA_OPT__(, ) __VA_ARGS__);             \
  }                                                                            \
  template <typename F TRIPY_UNPACK types>                                     \
    requires(!detail::IsSettings<F>)                                           \
  Executable compile(F &&function TRIPY_UNPACK parameters,                     \
                     SourceLoc loc = SourceLoc::current()) {                   \
    return detail::compileAt(loc, CompileSettings(),                           \
                             function __VA_OPT__(, ) __VA_ARGS__);             \
  }
#define TRIPY_UNPACK(...) __VA_ARGS__
TRIPY_COMPILE((), ())
TRIPY_COMPILE((, typename A), (, const A &a), a)
TRIPY_COMPILE((, typename A, typename B), (, const A &a, const B &b), a, b)
TRIPY_COMPILE((, typename A, typename B, typename C),
              (, const A &a, const B &b, const C &c), a, b, c)
TRIPY_COMPILE((, typename A, typename B, typename C, typename D),
              (, const A &a, const B &b, const C &c, const D &d), a, b, c, d)
TRIPY_COMPILE((, typename A, typename B, typename C, typename D, typename E),
              (, const A &a, const B &b, const C &c, const D &d, const E &e), a,
              b, c, d, e)
TRIPY_COMPILE((, typename A, typename B, typename C, typename D, typename E,
               typename G),
              (, const A &a, const B &b, const C &c, const D &d, const E &e,
               const G &g),
              a, b, c, d, e, g)
#undef TRIPY_COMPILE
#undef TRIPY_UNPACK

} // namespace tripy

#endif // TRIPY_FRONTEND_COMPILE_H
