//===- Callable.h - A lightweight std::function -----------------*- C++ -*-===//
#ifndef TRIPY_FRONTEND_CALLABLE_H
#define TRIPY_FRONTEND_CALLABLE_H

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace tripy {

template <typename Signature> class Callable;

/// Like std::function, for functions and function objects, without the cost of
/// <functional>: a tenth of the time that tripy/tripy.h takes to compile.
/// Copying copies the function object; an empty one must not be called.
template <typename Result, typename... Arguments>
class Callable<Result(Arguments...)> {
public:
  Callable() = default;
  Callable(std::nullptr_t) {}
  /// From anything that can be called with these arguments. A null pointer or
  /// an empty std::function gives an empty one.
  template <typename Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, Callable> &&
             !std::is_member_pointer_v<std::decay_t<Body>> &&
             std::is_invocable_r_v<Result, std::decay_t<Body> &, Arguments...>)
  Callable(Body &&body) {
    std::decay_t<Body> own(std::forward<Body>(body));
    if constexpr (requires { own == nullptr; })
      if (own == nullptr)
        return;
    object = std::make_unique<Holder<std::decay_t<Body>>>(std::move(own));
  }
  Callable(const Callable &other)
      : object(other.object ? other.object->copy() : nullptr) {}
  Callable(Callable &&other) noexcept = default;
  Callable &operator=(Callable other) noexcept {
    object = std::move(other.object);
    return *this;
  }

  explicit operator bool() const { return object != nullptr; }
  Result operator()(Arguments... arguments) const {
    return object->call(std::forward<Arguments>(arguments)...);
  }

private:
  struct Object {
    virtual ~Object() = default;
    virtual Result call(Arguments... arguments) = 0;
    virtual std::unique_ptr<Object> copy() const = 0;
  };
  template <typename Body> struct Holder final : Object {
    explicit Holder(Body body) : body(std::move(body)) {}
    Result call(Arguments... arguments) override {
      return static_cast<Result>(body(std::forward<Arguments>(arguments)...));
    }
    std::unique_ptr<Object> copy() const override {
      return std::make_unique<Holder>(body);
    }
    Body body;
  };
  std::unique_ptr<Object> object;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_CALLABLE_H
