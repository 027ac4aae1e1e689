//===- Indexing.h - Indexing and slicing ------------------------*- C++ -*-===//
//
//   x[0]                      x[{0, slice(1, end)}]      x[slice(end, 0, -1)]
//   x[{ellipsis, newaxis}]    x[indices]                 x[{slice(), slice({},
//   {}, -2)}]
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_INDEXING_H
#define TRIPY_FRONTEND_INDEXING_H

#include "tripy/Frontend/Tensor.h"

namespace tripy {

/// Stands for all dimensions without another index; allowed once.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis;
/// A new dimension of size 1.
struct NewAxis {};
inline constexpr NewAxis newaxis;
/// An omitted bound: the first or the last element.
struct End {};
inline constexpr End end;

/// Every step-th element from `start` up to, not including, `stop`. Negative
/// bounds count from the end, and out-of-range bounds are clamped.
class Slice {
public:
  class Bound {
  public:
    Bound() = default;
    Bound(End) {}
    template <std::integral T>
    Bound(T value, SourceLoc loc = SourceLoc::current())
        : size(Size(value, loc)) {}
    Bound(Size size) : size(std::move(size)) {}
    std::optional<Size> size;
  };

  Bound start, stop;
  int64_t step = 1;
};
/// slice() is all elements, slice(n) the first n.
/// \code
///   tp::Tensor a({1, 2, 3, 4});
///   std::cout << a[tp::slice(1, tp::end)];
///   // tensor([2, 3, 4], dtype=int32, loc=cpu:0, shape=(3,))
/// \endcode
inline Slice slice() { return {}; }
inline Slice slice(Slice::Bound stop) { return {{}, std::move(stop), 1}; }
inline Slice slice(Slice::Bound start, Slice::Bound stop, int64_t step = 1) {
  return {std::move(start), std::move(stop), step};
}

/// One index: a number, a slice, a tensor of integers, newaxis or ellipsis. A
/// tensor selects elements of its dimension, and several tensors select all
/// combinations: the result has the dimensions of each.
/// \code
///   tp::Tensor a({{1, 2}, {3, 4}});
///   std::cout << a[{tp::slice(), 0}] << '\n' << a[{tp::newaxis, -1}];
///   // tensor([1, 3], dtype=int32, loc=cpu:0, shape=(2,))
///   // tensor(
///   //     [[3, 4]],
///   //     dtype=int32, loc=cpu:0, shape=(1, 2))
/// \endcode
class Index {
public:
  template <std::integral T>
  Index(T number, SourceLoc loc = SourceLoc::current())
      : kind(Kind::Number), place(loc), number(Size(number, loc)) {}
  Index(Size size, SourceLoc loc = SourceLoc::current())
      : kind(Kind::Number), place(loc), number(std::move(size)) {}
  Index(Slice slice, SourceLoc loc = SourceLoc::current())
      : kind(Kind::Slice), place(loc), range(std::move(slice)) {}
  Index(Tensor indices, SourceLoc loc = SourceLoc::current())
      : kind(Kind::Tensor), place(loc), indices(std::move(indices)) {}
  Index(Ellipsis, SourceLoc loc = SourceLoc::current())
      : kind(Kind::Ellipsis), place(loc) {}
  Index(NewAxis, SourceLoc loc = SourceLoc::current())
      : kind(Kind::NewAxis), place(loc) {}

private:
  friend class Indexer;
  enum class Kind { Number, Slice, Tensor, Ellipsis, NewAxis };
  friend class Tensor;
  Kind kind;
  SourceLoc place;
  Size number = 0;
  Slice range;
  Tensor indices;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_INDEXING_H
