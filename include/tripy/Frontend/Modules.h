//===- Modules.h - Layers ---------------------------------------*- C++ -*-===//
//
// The modules that Tripy has: a parameter for each operand of their operation.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_MODULES_H
#define TRIPY_FRONTEND_MODULES_H

#include "tripy/Frontend/Callable.h"
#include "tripy/Frontend/Functions.h"
#include "tripy/Frontend/Module.h"

#include <concepts>
#include <memory>

namespace tripy {

// A layer is called at the user's line.
#define TRIPY_LAYER(type, ...)                                                 \
  TRIPY_MODULE_MEMBERS(type, __VA_ARGS__)                                      \
  Tensor operator()(const Tensor &x, SourceLoc loc = SourceLoc::current())     \
      const {                                                                  \
    detail::ModuleScope scope(*this, loc, /*isLayer=*/true);                   \
    return forward(x, loc);                                                    \
  }

/// Optional parameters of a Linear.
struct LinearLayerOptions {
  bool hasBias = true;
  DType dtype = float32;
  /// Weights, and inputs where input_scale is set, are rounded to multiples of
  /// scales with elements of this type: int8, float8 or float8_e5m2.
  std::optional<DType> quantDtype = {};
  /// The dimension of the weight that has a scale for each index; none: one
  /// scale for all.
  std::optional<int64_t> weightQuantDim = {};
};
/// x times the transposed weight (out, in), plus bias (out). Errors of the
/// constructor: InvalidArgument for a type or dimension that is none of those.
/// \code
///   tp::Linear layer(2, 3);
///   std::cout << layer(tp::ones({5, 2})).shape();
///   // (5, 3)
/// \endcode
struct Linear : Module {
  Linear(int64_t inFeatures, int64_t outFeatures, bool hasBias = true,
         DType dtype = float32, SourceLoc loc = SourceLoc::current());
  Linear(int64_t inFeatures, int64_t outFeatures,
         const LinearLayerOptions &options,
         SourceLoc loc = SourceLoc::current());
  LinearLayerOptions options;
  Parameter weight;
  std::optional<Parameter> bias;
  // NOLINTBEGIN(readability-identifier-naming): names in state dicts.
  /// Of quantized layers; 1 until it is set. Rank 0, or a vector.
  std::optional<Parameter> weight_scale;
  /// Of rank 0. Not with weightQuantDim 1.
  std::optional<OptionalParameter> input_scale;
  // NOLINTEND(readability-identifier-naming)
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(Linear, weight, bias, weight_scale, input_scale)
};

/// Looks up rows of the weight (count, dimension) by a tensor of indices.
/// \code
///   tp::Embedding layer(10, 4);
///   std::cout << layer(tp::Tensor({1, 0, 9})).shape();
///   // (3, 4)
/// \endcode
struct Embedding : Module {
  Embedding(int64_t count, int64_t dimension, DType dtype = float32,
            SourceLoc loc = SourceLoc::current());
  Parameter weight;
  Tensor forward(const Tensor &indices,
                 SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(Embedding, weight)
};

/// Over the trailing dimensions, of this shape.
/// \code
///   tp::LayerNorm layer({4});
///   std::cout << layer(tp::ones({2, 4})).shape();
///   // (2, 4)
/// \endcode
struct LayerNorm : Module {
  explicit LayerNorm(Shape shape, DType dtype = float32, double eps = 1e-5,
                     SourceLoc loc = SourceLoc::current());
  Parameter weight, bias;
  double eps;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(LayerNorm, weight, bias)
};
/// \code
///   tp::RMSNorm layer({4});
///   std::cout << layer(tp::ones({2, 4})).shape();
///   // (2, 4)
/// \endcode
struct RMSNorm : Module {
  explicit RMSNorm(Shape shape, DType dtype = float32, double eps = 1e-5,
                   SourceLoc loc = SourceLoc::current());
  Parameter weight;
  double eps;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(RMSNorm, weight)
};
/// Over groups of channels of (batch, channels, ...).
/// \code
///   tp::GroupNorm layer(2, 4);
///   std::cout << layer(tp::ones({1, 4, 8})).shape();
///   // (1, 4, 8)
/// \endcode
struct GroupNorm : Module {
  GroupNorm(int64_t groups, int64_t channels, DType dtype = float32,
            double eps = 1e-5, SourceLoc loc = SourceLoc::current());
  int64_t groups;
  Parameter weight, bias;
  double eps;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(GroupNorm, weight, bias)
};
/// \code
///   tp::InstanceNorm layer(4);
///   std::cout << layer(tp::ones({1, 4, 8})).shape();
///   // (1, 4, 8)
/// \endcode
struct InstanceNorm : Module {
  explicit InstanceNorm(int64_t channels, DType dtype = float32,
                        double eps = 1e-5,
                        SourceLoc loc = SourceLoc::current());
  Parameter weight, bias;
  double eps;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(InstanceNorm, weight, bias)
};
/// Normalizes with the loaded statistics, as in inference.
/// \code
///   tp::BatchNorm layer(4);
///   std::cout << layer(tp::ones({1, 4, 8})).shape();
///   // (1, 4, 8)
/// \endcode
struct BatchNorm : Module {
  explicit BatchNorm(int64_t features, DType dtype = float32, double eps = 1e-5,
                     SourceLoc loc = SourceLoc::current());
  // NOLINTNEXTLINE(readability-identifier-naming): names in state dicts.
  Parameter weight, bias, running_mean, running_var;
  double eps;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(BatchNorm, weight, bias, running_mean, running_var)
};

/// Optional parameters of a convolution module; like ConvolutionOptions.
struct ConvOptions {
  Dims stride = {}, dilation = {}, low = {}, high = {};
  int64_t groups = 1;
  bool hasBias = true;
  DType dtype = float32;
};
/// Over 1, 2 or 3 spatial dimensions; the weight is (out, in / groups, window).
/// Errors of the constructor: InvalidArgument for groups that do not divide the
/// channels.
/// \code
///   tp::Conv layer(3, 8, {3, 3}, {.low = {1, 1}, .high = {1, 1}});
///   std::cout << layer(tp::ones({1, 3, 4, 4})).shape();
///   // (1, 8, 4, 4)
/// \endcode
struct Conv : Module {
  Conv(int64_t inChannels, int64_t outChannels, const Dims &window,
       const ConvOptions &options = {}, SourceLoc loc = SourceLoc::current());
  ConvOptions options;
  Parameter weight;
  std::optional<Parameter> bias;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(Conv, weight, bias)
};
/// The weight is (in, out / groups, window).
/// \code
///   tp::ConvTranspose layer(3, 8, {2, 2}, {.stride = {2, 2}});
///   std::cout << layer(tp::ones({1, 3, 4, 4})).shape();
///   // (1, 8, 8, 8)
/// \endcode
struct ConvTranspose : Module {
  ConvTranspose(int64_t inChannels, int64_t outChannels, const Dims &window,
                const ConvOptions &options = {},
                SourceLoc loc = SourceLoc::current());
  ConvOptions options;
  Parameter weight;
  std::optional<Parameter> bias;
  Tensor forward(const Tensor &x, SourceLoc loc = SourceLoc::current()) const;
  TRIPY_LAYER(ConvTranspose, weight, bias)
};

#undef TRIPY_LAYER

namespace detail {
/// A module of any type that is called with one tensor; a copy has a module of
/// its own.
class AnyModule {
public:
  AnyModule() = default;
  template <std::derived_from<Module> T>
  explicit AnyModule(T module)
      : held(std::make_unique<T>(std::move(module))), copy(copyOf<T>),
        call(callOf<T>) {}
  AnyModule(const AnyModule &other)
      : held(other.held ? other.copy(*other.held) : nullptr), copy(other.copy),
        call(other.call) {}
  AnyModule(AnyModule &&) = default;
  AnyModule &operator=(AnyModule other) {
    held = std::move(other.held);
    copy = other.copy;
    call = other.call;
    return *this;
  }
  explicit operator bool() const { return held != nullptr; }
  Module &operator*() const { return *held; }
  /// The call stands where the innermost one does.
  Tensor operator()(const Tensor &x) const { return call(*held, x); }

private:
  template <typename T>
  static std::unique_ptr<Module> copyOf(const Module &module) {
    return std::make_unique<T>(static_cast<const T &>(module));
  }
  template <typename T> static Tensor callOf(Module &module, const Tensor &x) {
    T &callee = static_cast<T &>(module);
    if constexpr (requires { callee(x, SourceLoc()); })
      return callee(x, ModuleScope::currentCall());
    else
      return callee(x);
  }
  std::unique_ptr<Module> held;
  std::unique_ptr<Module> (*copy)(const Module &) = nullptr;
  Tensor (*call)(Module &, const Tensor &) = nullptr;
};
} // namespace detail

/// A chain of modules and functions, named "0", "1", ..., or as given. Copying
/// it copies the parameters.
/// \code
///   tp::Sequential layers;
///   layers.add(tp::Linear(2, 8))
///       .add([](const tp::Tensor &x) { return tp::relu(x); })
///       .add(tp::Linear(8, 1));
///   std::cout << layers(tp::ones({5, 2})).shape();
///   // (5, 1)
/// \endcode
class Sequential : public Module {
public:
  using Function = Callable<Tensor(const Tensor &)>;
  Sequential() = default;

  /// Adds a copy of a module, or a function of one tensor. Errors:
  /// InvalidArgument for a name that another step has, and for one that is
  /// empty or has a full stop, which separates names in state dicts.
  template <typename T>
  Sequential &add(T step, SourceLoc loc = SourceLoc::current()) {
    return add(std::to_string(steps.size()), std::move(step), loc);
  }
  template <typename T>
  Sequential &add(std::string name, T step,
                  SourceLoc loc = SourceLoc::current()) {
    if constexpr (std::is_base_of_v<Module, T>)
      append(std::move(name), detail::AnyModule(std::move(step)), {}, loc);
    else
      append(std::move(name), {}, std::move(step), loc);
    return *this;
  }
  size_t size() const { return steps.size(); }
  /// Errors: NotFound.
  const Module &operator[](const detail::Placed<std::string> &name) const;

  Tensor forward(Tensor x) const;
  Tensor operator()(const Tensor &x,
                    SourceLoc loc = SourceLoc::current()) const {
    detail::ModuleScope scope(*this, loc);
    return forward(x);
  }
  void visitMembers(ModuleVisitor &visitor) final;
  std::string typeName() const override { return "Sequential"; }

private:
  /// One of both.
  void append(std::string name, detail::AnyModule module, Function function,
              SourceLoc loc);
  struct Step {
    std::string name;
    detail::AnyModule module;
    /// Where there is no module.
    Function function;
  };
  std::vector<Step> steps;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_MODULES_H
