//===- Module.h - Functions with parameters ---------------------*- C++ -*-===//
//
//   struct MLP : tripy::Module {
//     tripy::Linear c_fc, c_proj;
//     explicit MLP(int64_t n) : c_fc(n, 4 * n), c_proj(4 * n, n) {}
//     tripy::Tensor forward(const tripy::Tensor &x) const {
//       return c_proj(tripy::gelu(c_fc(x)));
//     }
//     TRIPY_MODULE(MLP, c_fc, c_proj)
//   };
//
//   MLP mlp(2);
//   mlp(tripy::ones({1, 2}));
//   mlp.stateDict();              // "c_fc.weight", "c_fc.bias", ...
//
// Members that TRIPY_MODULE names are the module's parameters and children:
// parameters, modules, vectors and maps of them, and optional ones. A module is
// a value: copying it copies its parameters. A member that must not change
// after construction should be const. A class derived from a module names its
// own members with TRIPY_DERIVED_MODULE; TRIPY_MODULE does not compile there.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_MODULE_H
#define TRIPY_FRONTEND_MODULE_H

#include "tripy/Frontend/Structure.h"

#include <concepts>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tripy {

class Module;

/// A tensor that is part of the state dict; its shape and element type are
/// fixed. Until it is set, its elements are 0, 1, 2 and so on.
class Parameter {
public:
  Parameter(Shape shape, DType dtype = float32,
            SourceLoc loc = SourceLoc::current());
  /// Starts with this value; values that are set later must have its shape and
  /// element type.
  // A template, since {2} is a shape and not a list of elements.
  template <std::same_as<Tensor> T>
  explicit Parameter(const T &value, SourceLoc loc = SourceLoc::current())
      : value(checked(value, loc)) {}
  // A moved-from parameter keeps its value: a moved-from module still works.
  Parameter(const Parameter &) = default;
  Parameter &operator=(const Parameter &) = default;

  operator const Tensor &() const { return value; }
  operator TensorLike() const { return TensorLike(value, value.loc()); }
  const Tensor &tensor() const { return value; }
  Shape shape() const { return value.shape(); }
  DType dtype() const { return value.dtype(); }
  // Those of the tensor.
  int64_t rank() const { return value.rank(); }
  Device device() const { return value.device(); }
  const Tensor &eval(SourceLoc loc = SourceLoc::current()) const {
    return value.eval(loc);
  }
  template <typename T>
  std::vector<T> toVector(SourceLoc loc = SourceLoc::current()) const {
    return value.toVector<T>(loc);
  }
  template <typename T> T item(SourceLoc loc = SourceLoc::current()) const {
    return value.item<T>(loc);
  }
  std::string str(SourceLoc loc = SourceLoc::current()) const {
    return value.str(loc);
  }
  Tensor operator[](const Index &index) const;
  Tensor operator[](std::initializer_list<Index> indices) const;
  Tensor operator[](const detail::Placed<std::vector<Index>> &indices) const;
  /// Errors: InvalidArgument for another shape or element type.
  Parameter &operator=(const detail::Placed<Tensor> &tensor);
  Parameter &operator=(std::initializer_list<detail::Literal> items);
  void set(const Tensor &tensor, SourceLoc loc = SourceLoc::current());

private:
  static const Tensor &checked(const Tensor &value, SourceLoc loc);
  Tensor value;
};

/// A parameter that may have no value; then it is not in the state dict.
class OptionalParameter {
public:
  explicit OptionalParameter(Shape shape, DType dtype = float32)
      : sizes(std::move(shape)), type(dtype) {}
  OptionalParameter(const OptionalParameter &) = default;
  OptionalParameter &operator=(const OptionalParameter &) = default;

  bool isSet() const { return value.has_value(); }
  /// Errors: InvalidArgument if there is none.
  const Tensor &tensor(SourceLoc loc = SourceLoc::current()) const;
  const Shape &shape() const { return sizes; }
  DType dtype() const { return type; }
  /// Errors: InvalidArgument for another shape or element type.
  OptionalParameter &operator=(const detail::Placed<Tensor> &tensor);
  OptionalParameter &operator=(std::initializer_list<detail::Literal> items);
  void set(const Tensor &tensor, SourceLoc loc = SourceLoc::current());
  void reset() { value.reset(); }

private:
  Shape sizes;
  DType type;
  std::optional<Tensor> value;
};

/// By name, in the order of the members.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

/// The tensors of a safetensors file, in its order; for files whose names
/// differ from the module's. The file is mapped into memory: while its tensors
/// are in use, only replace it by renaming another file over it; if it is
/// truncated instead, reading the missing part ends the process with SIGBUS.
/// Errors: those of reading.
StateDict readSafetensors(const std::string &path,
                          SourceLoc loc = SourceLoc::current());

/// Called with each parameter and each child of a module.
class ModuleVisitor {
public:
  virtual ~ModuleVisitor() = default;
  virtual void parameter(const std::string &name, Parameter &parameter) = 0;
  virtual void child(const std::string &name, Module &module) = 0;
  virtual void optional(const std::string & /*name*/,
                        OptionalParameter & /*parameter*/) {}

  void visit(const std::string &name, Parameter &value) {
    parameter(name, value);
  }
  void visit(const std::string &name, OptionalParameter &value) {
    optional(name, value);
  }
  void visit(const std::string &name, Module &value) { child(name, value); }
  template <typename T>
  void visit(const std::string &name, std::optional<T> &value) {
    if (value)
      visit(name, *value);
  }
  template <typename T>
  void visit(const std::string &name, std::vector<T> &values) {
    for (size_t i = 0; i < values.size(); ++i)
      visit(name + "." + std::to_string(i), values[i]);
  }
  template <typename T>
  void visit(const std::string &name, std::map<std::string, T> &values) {
    for (auto &[key, value] : values)
      visit(name + "." + key, value);
  }
  template <typename T>
    requires(!std::derived_from<T, Module>)
  void visit(const std::string &, T &) {
    static_assert(detail::isNever<T>,
                  "members that TRIPY_MODULE names are tripy::Parameter, "
                  "modules, and std::vector, std::map with std::string keys "
                  "and std::optional of these; a tensor is a tripy::Parameter");
  }
};

/// Names of parameters that a module has and a state dict lacks, and the other
/// way round.
struct StateDictDifference {
  std::vector<std::string> missing, unknown;
};

/// The base of modules. Its members throw Error at the caller's line.
class Module {
public:
  virtual ~Module() = default;
  /// Visits the members that TRIPY_MODULE names.
  virtual void visitMembers(ModuleVisitor &visitor) = 0;
  /// Visits those that TRIPY_DERIVED_MODULE names; visitMembers() calls it.
  virtual void visitDerivedMembers(ModuleVisitor & /*visitor*/) {}
  virtual std::string typeName() const = 0;

  /// All parameters; those of children are named "child.weight".
  /// \code
  ///   tp::Linear linear(2, 3);
  ///   for (const auto &[name, tensor] : linear.stateDict())
  ///     std::cout << name << ' ' << tensor.shape() << '\n';
  ///   // weight (3, 2)
  ///   // bias (3,)
  /// \endcode
  StateDict stateDict() const;
  /// Sets parameters. With `strict`, the names must be the same as in
  /// stateDict(); without, the result has those that differ. Errors:
  /// InvalidArgument for missing, unknown or duplicate names, and for another
  /// shape or type; then nothing is changed.
  /// \code
  ///   tp::Linear from(2, 3), to(2, 3);
  ///   to.loadStateDict(from.stateDict());
  ///   std::cout << tp::equal(to.weight, from.weight);
  ///   // 1
  /// \endcode
  StateDictDifference loadStateDict(const StateDict &values, bool strict = true,
                                    SourceLoc loc = SourceLoc::current());
  /// The same from and to a safetensors file, which is mapped into memory when
  /// it is read (readSafetensors()). Errors: those of reading and writing.
  StateDictDifference loadSafetensors(const std::string &path,
                                      bool strict = true,
                                      SourceLoc loc = SourceLoc::current());
  void saveSafetensors(const std::string &path,
                       SourceLoc loc = SourceLoc::current()) const;
  /// The module's parameters, without those of its children.
  StateDict namedParameters() const;
  std::vector<std::pair<std::string, const Module *>> namedChildren() const;
  /// The tree of modules, with parameters:
  ///   MLP(
  ///       c_fc: Module = Linear(
  ///           weight: Parameter = (shape=(8, 2), dtype=float32),
  std::string str() const;

protected:
  Module() = default;
  Module(const Module &) = default;
  Module &operator=(const Module &) = default;
};
std::ostream &operator<<(std::ostream &os, const Module &module);
/// {"name": tensor, ...}, each with its value.
std::ostream &operator<<(std::ostream &os,
                         const detail::Placed<StateDict> &dict);

namespace detail {
/// A call of a module goes on: what is recorded meanwhile is in the module.
class ModuleScope {
public:
  /// `call`: where it stands; that of the operations of a layer, too.
  ModuleScope(const Module &module, SourceLoc call, bool isLayer = false);
  ~ModuleScope();
  ModuleScope(const ModuleScope &) = delete;
  ModuleScope &operator=(const ModuleScope &) = delete;
  /// Where the innermost call stands.
  static SourceLoc currentCall();
};

template <typename... T>
void visitNamed(ModuleVisitor &visitor, std::string_view names, T &...members) {
  forEachNamed([&](const std::string &name,
                   auto &member) { visitor.visit(name, member); },
               names, members...);
}
} // namespace detail

/// In the body of a module: its type, then its parameters and children.
#define TRIPY_MODULE_MEMBERS(type, ...)                                        \
public:                                                                        \
  /* Final: a derived class names its members by TRIPY_DERIVED_MODULE. */      \
  void visitMembers(::tripy::ModuleVisitor &visitor) final {                   \
    ::tripy::detail::visitNamed(visitor,                                       \
                                #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);      \
    this->visitDerivedMembers(visitor);                                        \
  }                                                                            \
  std::string typeName() const override { return #type; }

/// The same, and makes it callable: a call, of up to 6 arguments, is a call of
/// forward(), and its line is named in errors.
#define TRIPY_MODULE(type, ...)                                                \
  TRIPY_MODULE_MEMBERS(type, __VA_ARGS__)                                      \
  TRIPY_MODULE_CALLS(type, )                                                   \
  TRIPY_MODULE_CALLS(type, const)

/// In the body of a class derived from a module: its type, its base, and the
/// members that it adds, which follow those of the base.
#define TRIPY_DERIVED_MODULE(type, base, ...)                                  \
public:                                                                        \
  void visitDerivedMembers(::tripy::ModuleVisitor &visitor) override {         \
    base::visitDerivedMembers(visitor);                                        \
    ::tripy::detail::visitNamed(visitor,                                       \
                                #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);      \
  }                                                                            \
  std::string typeName() const override { return #type; }                      \
  TRIPY_MODULE_CALLS(type, )                                                   \
  TRIPY_MODULE_CALLS(type, const)
// Those of const modules and those of others, whose forward() need not be
// const.
#define TRIPY_MODULE_CALLS(type, qualifier)                                    \
  template <typename Self = type>                                              \
  auto operator()(::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return static_cast<qualifier Self *>(this)->forward();                     \
  }                                                                            \
  template <typename A>                                                        \
  auto operator()(A &&a, ::tripy::SourceLoc tripyCall =                        \
                             ::tripy::SourceLoc::current()) qualifier {        \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a));                                  \
  }                                                                            \
  template <typename A, typename B>                                            \
  auto operator()(A &&a, B &&b,                                                \
                  ::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a), std::forward<B>(b));              \
  }                                                                            \
  template <typename A, typename B, typename C>                                \
  auto operator()(A &&a, B &&b, C &&c,                                         \
                  ::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a), std::forward<B>(b),               \
                         std::forward<C>(c));                                  \
  }                                                                            \
  template <typename A, typename B, typename C, typename D>                    \
  auto operator()(A &&a, B &&b, C &&c, D &&d,                                  \
                  ::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a), std::forward<B>(b),               \
                         std::forward<C>(c), std::forward<D>(d));              \
  }                                                                            \
  template <typename A, typename B, typename C, typename D, typename E>        \
  auto operator()(A &&a, B &&b, C &&c, D &&d, E &&e,                           \
                  ::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a), std::forward<B>(b),               \
                         std::forward<C>(c), std::forward<D>(d),               \
                         std::forward<E>(e));                                  \
  }                                                                            \
  template <typename A, typename B, typename C, typename D, typename E,        \
            typename F>                                                        \
  auto operator()(A &&a, B &&b, C &&c, D &&d, E &&e, F &&f,                    \
                  ::tripy::SourceLoc tripyCall =                               \
                      ::tripy::SourceLoc::current()) qualifier {               \
    ::tripy::detail::ModuleScope scope(*this, tripyCall);                      \
    return this->forward(std::forward<A>(a), std::forward<B>(b),               \
                         std::forward<C>(c), std::forward<D>(d),               \
                         std::forward<E>(e), std::forward<F>(f));              \
  }

} // namespace tripy

#endif // TRIPY_FRONTEND_MODULE_H
