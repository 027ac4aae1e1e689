//===- Shape.h - Sizes of dimensions ----------------------------*- C++ -*-===//
//
// A size is a number or, in a program with dynamic shapes that is being
// compiled, a symbolic value, which is only known when the program runs.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_SHAPE_H
#define TRIPY_FRONTEND_SHAPE_H

#include "tripy/Frontend/SourceLoc.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tripy {

namespace frontend {
class Node;
class Call;
/// A result of a node.
struct Value {
  std::shared_ptr<Node> node;
  uint32_t result = 0;
  explicit operator bool() const { return node != nullptr; }
};
} // namespace frontend

/// The size of a dimension, or a number computed from sizes.
/// \code
///   tp::Size n = tp::ones({2, 3}).shape()[-1];
///   std::cout << n * 2 << ' ' << n.isStatic();
///   // 6 1
/// \endcode
class Size {
public:
  /// Errors: InvalidArgument for a number that does not fit int64_t.
  template <std::integral T>
  Size(T value, SourceLoc loc = SourceLoc::current())
      : number(detail::toInt64(value, loc)) {}

  /// Whether it is a known number.
  bool isStatic() const { return !symbol; }
  /// The number. Errors: InvalidArgument for a dynamic size.
  int64_t value(SourceLoc loc = SourceLoc::current()) const;
  /// "4", or "?".
  std::string str() const;

  // Division rounds down. Errors: InvalidArgument for division by 0,
  // LimitExceeded for a number that does not fit int64_t.
  friend Size operator+(const Size &a, const detail::Placed<Size> &b);
  friend Size operator-(const Size &a, const detail::Placed<Size> &b);
  friend Size operator*(const Size &a, const detail::Placed<Size> &b);
  friend Size operator/(const Size &a, const detail::Placed<Size> &b);
  friend Size operator%(const Size &a, const detail::Placed<Size> &b);
  template <std::integral T>
  friend Size operator+(T a, const detail::Placed<Size> &b) {
    return Size(a, b.loc) + b;
  }
  template <std::integral T>
  friend Size operator-(T a, const detail::Placed<Size> &b) {
    return Size(a, b.loc) - b;
  }
  template <std::integral T>
  friend Size operator*(T a, const detail::Placed<Size> &b) {
    return Size(a, b.loc) * b;
  }
  template <std::integral T>
  friend Size operator/(T a, const detail::Placed<Size> &b) {
    return Size(a, b.loc) / b;
  }
  template <std::integral T>
  friend Size operator%(T a, const detail::Placed<Size> &b) {
    return Size(a, b.loc) % b;
  }
  // Errors: InvalidArgument for a dynamic size.
#define TRIPY_SIZE_COMPARISON(op)                                              \
  friend bool operator op(const Size &a, const detail::Placed<Size> &b) {      \
    return a.value(b.loc) op b.value.value(b.loc);                             \
  }                                                                            \
  template <std::integral T>                                                   \
  friend bool operator op(T a, const detail::Placed<Size> &b) {                \
    return Size(a, b.loc) op b;                                                \
  }
  TRIPY_SIZE_COMPARISON(<)
  TRIPY_SIZE_COMPARISON(<=)
  TRIPY_SIZE_COMPARISON(>)
  TRIPY_SIZE_COMPARISON(>=)
#undef TRIPY_SIZE_COMPARISON
  /// A dynamic size is only equal to itself.
  friend bool operator==(const Size &a, const Size &b) {
    return a.number == b.number && a.symbol.node == b.symbol.node;
  }

private:
  friend class frontend::Call;
  explicit Size(frontend::Value value) : number(-1), symbol(std::move(value)) {}

  int64_t number;
  frontend::Value symbol;
};
std::ostream &operator<<(std::ostream &os, const Size &size);

/// Sizes of a tensor's dimensions, outermost first.
/// \code
///   tp::Shape shape = tp::ones({2, 3}).shape();
///   std::cout << shape << ' ' << shape.rank() << ' ' << shape.volume();
///   // (2, 3) 2 6
/// \endcode
class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<Size> sizes) : list(sizes) {}
  Shape(std::vector<Size> sizes) : list(std::move(sizes)) {}
  template <std::integral T>
  Shape(const std::vector<T> &sizes, SourceLoc loc = SourceLoc::current()) {
    for (T size : sizes)
      list.emplace_back(size, loc);
  }

  size_t rank() const { return list.size(); }
  /// A negative `dim` counts from the end. Errors: InvalidArgument if it is out
  /// of range.
  const Size &operator[](const detail::Placed<int64_t> &dim) const;
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  const std::vector<Size> &sizes() const { return list; }
  /// Number of elements. Errors: LimitExceeded if it does not fit int64_t.
  Size volume(SourceLoc loc = SourceLoc::current()) const;
  /// "(2, 3)", "(5,)", "()".
  std::string str() const;
  friend bool operator==(const Shape &, const Shape &) = default;

private:
  std::vector<Size> list;
};
std::ostream &operator<<(std::ostream &os, const Shape &shape);

} // namespace tripy

#endif // TRIPY_FRONTEND_SHAPE_H
