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
// tensors, modules, vectors and maps of them, and optional ones. A module is a
// value: a copy has parameters of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_MODULE_H
#define TRIPY_FRONTEND_MODULE_H

#include "tripy/Frontend/Structure.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tripy {

class Module;

/// A tensor that a state dict holds, and the shape and element type that each
/// value of it has. Until it is set, its elements count from 0.
class Parameter {
public:
  Parameter(Shape shape, DType dtype = float32,
            SourceLoc loc = SourceLoc::current());

  operator const Tensor &() const { return value; }
  operator TensorLike() const { return TensorLike(value, value.loc()); }
  const Tensor &tensor() const { return value; }
  Shape shape() const { return value.shape(); }
  DType dtype() const { return value.dtype(); }
  /// Errors: InvalidArgument for another shape or element type.
  Parameter &operator=(const Tensor &tensor);
  void set(const Tensor &tensor, SourceLoc loc = SourceLoc::current());

private:
  Tensor value;
};

/// By name, in the order of the members.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

/// Called with each parameter and each child of a module.
class ModuleVisitor {
public:
  virtual ~ModuleVisitor() = default;
  virtual void parameter(const std::string &name, Parameter &parameter) = 0;
  virtual void child(const std::string &name, Module &module) = 0;

  void visit(const std::string &name, Parameter &value) {
    parameter(name, value);
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
};

/// The base of modules. Its members throw Error at the caller's line.
class Module {
public:
  virtual ~Module() = default;
  /// Visits what TRIPY_MODULE names.
  virtual void visitMembers(ModuleVisitor &visitor) = 0;
  virtual std::string typeName() const = 0;

  /// All parameters, those of children as "child.weight".
  StateDict stateDict() const;
  /// Sets parameters. With `strict` both have the same names. Errors:
  /// InvalidArgument for missing or unknown names, another shape or type;
  /// nothing is changed then.
  void loadStateDict(const StateDict &values, bool strict = true,
                     SourceLoc loc = SourceLoc::current());
  /// The same from and to a file of the safetensors format. Errors: those of
  /// reading and writing.
  void loadSafetensors(const std::string &path, bool strict = true,
                       SourceLoc loc = SourceLoc::current());
  void saveSafetensors(const std::string &path,
                       SourceLoc loc = SourceLoc::current()) const;
  /// The module's own, without those of children.
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
std::ostream &operator<<(std::ostream &os, const StateDict &dict);

namespace detail {
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
  void visitMembers(::tripy::ModuleVisitor &visitor) override {                \
    ::tripy::detail::visitNamed(visitor,                                       \
                                #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);      \
  }                                                                            \
  std::string typeName() const override { return #type; }

/// The same, and makes it callable: a call is a call of forward().
#define TRIPY_MODULE(type, ...)                                                \
  TRIPY_MODULE_MEMBERS(type, __VA_ARGS__)                                      \
  template <typename... A> auto operator()(A &&...arguments) const {           \
    return this->forward(std::forward<A>(arguments)...);                       \
  }

} // namespace tripy

#endif // TRIPY_FRONTEND_MODULE_H
