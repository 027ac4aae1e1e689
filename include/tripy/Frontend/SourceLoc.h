//===- SourceLoc.h - A place in the user's program --------------*- C++ -*-===//
//
// The location of a call. Tripy's functions take it as their last parameter,
// whose default is the caller's line.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_SOURCELOC_H
#define TRIPY_FRONTEND_SOURCELOC_H

#include <concepts>
#include <cstdint>
#include <source_location>
#include <utility>

namespace tripy {

/// A source location in the user's program. The strings must have static
/// lifetime; lines and columns count from 1, 0 means unknown.
struct SourceLoc {
  const char *file = "";
  /// Without parameters: "forward".
  const char *function = "";
  uint32_t line = 0, column = 0;

  static constexpr SourceLoc
  current(std::source_location where = std::source_location::current(),
          const char *function = __builtin_FUNCTION()) {
    return {where.file_name(), function, where.line(), where.column()};
  }
};

/// Adds the call of a user's function to errors that occur while this object
/// lives ("called from"):
///   Tensor add(const Tensor &a, const Tensor &b,
///              SourceLoc caller = SourceLoc::current()) {
///     CallFrame frame(caller);
///     return a + b;
///   }
/// Frames may be nested. A frame must end on the thread that created it.
class [[nodiscard]] CallFrame {
public:
  explicit CallFrame(SourceLoc caller);
  ~CallFrame();
  CallFrame(const CallFrame &) = delete;
  CallFrame &operator=(const CallFrame &) = delete;
};

namespace detail {
/// An operand with its location: operators have no parameter for it.
template <typename T> struct Placed {
  template <typename U>
    requires std::convertible_to<U, T>
  Placed(U &&value, SourceLoc loc = SourceLoc::current())
      : value(std::forward<U>(value)), loc(loc) {}
  T value;
  SourceLoc loc;
};

[[noreturn]] void failTooLarge(uint64_t value, SourceLoc loc);
/// The same number. Throws Error at `loc` where it is no int64_t.
template <std::integral T> int64_t toInt64(T value, SourceLoc loc) {
  if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(int64_t))
    if (uint64_t(value) > uint64_t(INT64_MAX))
      failTooLarge(value, loc);
  return int64_t(value);
}
} // namespace detail

} // namespace tripy

#endif // TRIPY_FRONTEND_SOURCELOC_H
