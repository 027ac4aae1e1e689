//===- Functions.h - Functions of tensors -----------------------*- C++ -*-===//
//
// One function for each operation of trace, made from its definition by
// tripy-tblgen, and those that are written by hand because they read better so.
// Numbers may stand in the place of tensors.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_FUNCTIONS_H
#define TRIPY_FRONTEND_FUNCTIONS_H

#include "tripy/Frontend/Indexing.h"
#include "tripy/Frontend/Tensor.h"

namespace tripy {

#include "tripy/Frontend/Functions.h.inc"

//===-- operators ---------------------------------------------------------===//

// For bool the logical operation, for integers that on their bits.
Tensor operator&(const TensorLike &lhs, const TensorLike &rhs);
Tensor operator|(const TensorLike &lhs, const TensorLike &rhs);
Tensor operator^(const TensorLike &lhs, const TensorLike &rhs);
Tensor operator~(const TensorLike &input);
/// Of bool alone.
Tensor operator!(const TensorLike &input);
// a += b is a = a + b: other handles keep their value.
Tensor &operator+=(Tensor &lhs, const TensorLike &rhs);
Tensor &operator-=(Tensor &lhs, const TensorLike &rhs);
Tensor &operator*=(Tensor &lhs, const TensorLike &rhs);
Tensor &operator/=(Tensor &lhs, const TensorLike &rhs);

//===-- creation ----------------------------------------------------------===//

/// A tensor filled with `value`.
Tensor full(const Shape &shape, const Number &value,
            std::optional<DType> dtype = std::nullopt,
            SourceLoc loc = SourceLoc::current());
Tensor ones(const Shape &shape, DType dtype = float32,
            SourceLoc loc = SourceLoc::current());
Tensor zeros(const Shape &shape, DType dtype = float32,
             SourceLoc loc = SourceLoc::current());
/// Shape and element type of `input`, unless given.
Tensor fullLike(const Tensor &input, const Number &value,
                std::optional<DType> dtype = std::nullopt,
                SourceLoc loc = SourceLoc::current());
Tensor onesLike(const Tensor &input, std::optional<DType> dtype = std::nullopt,
                SourceLoc loc = SourceLoc::current());
Tensor zerosLike(const Tensor &input, std::optional<DType> dtype = std::nullopt,
                 SourceLoc loc = SourceLoc::current());
/// start, start + step, ... up to, not including, stop. Errors:
/// InvalidArgument for a step of 0, and where there is no element.
Tensor arange(const Number &start, const Number &stop, const Number &step = 1,
              DType dtype = float32, SourceLoc loc = SourceLoc::current());
Tensor arange(const Number &stop, DType dtype = float32,
              SourceLoc loc = SourceLoc::current());

//===-- shape -------------------------------------------------------------===//

/// Dimensions `start` to `end`, that one too, as one.
Tensor flatten(const Tensor &input, int64_t start = 0, int64_t end = -1,
               SourceLoc loc = SourceLoc::current());
/// A new dimension `dim` for tensors of one shape.
Tensor stack(const std::vector<Tensor> &inputs, int64_t dim = 0,
             SourceLoc loc = SourceLoc::current());
/// Cuts `dim` into `parts` of equal size, rounded up: the last ones may be
/// smaller.
std::vector<Tensor> split(const Tensor &input, int64_t parts, int64_t dim = 0,
                          SourceLoc loc = SourceLoc::current());
/// Cuts `dim` into parts of these sizes, which sum to it.
std::vector<Tensor> split(const Tensor &input,
                          const std::vector<int64_t> &sizes, int64_t dim = 0,
                          SourceLoc loc = SourceLoc::current());
/// Each element `repeats` times along `dim`.
Tensor repeat(const Tensor &input, const Size &repeats, int64_t dim,
              SourceLoc loc = SourceLoc::current());
/// Adds (low, high) elements before and after each dimension: of `value`.
Tensor pad(const Tensor &input,
           const std::vector<std::pair<Size, Size>> &widths,
           const Number &value = 0, SourceLoc loc = SourceLoc::current());
/// The same, with what is there: "edge", "reflect" or "wrap".
Tensor pad(const Tensor &input,
           const std::vector<std::pair<Size, Size>> &widths,
           const std::string &mode, SourceLoc loc = SourceLoc::current());

// Braces in the place of the mode would be a text of these characters.
template <typename... A>
Tensor resize(const Tensor &, const Shape &, const A &...) {
  static_assert(detail::isNever<A...>,
                "the sizes are an option of tripy::resize. Did you mean: "
                "tripy::resize(x, \"linear\", {.sizes = {...}})");
  return {};
}

//===-- others ------------------------------------------------------------===//

/// `value` where the mask is true.
Tensor maskedFill(const Tensor &input, const Tensor &mask, const Number &value,
                  SourceLoc loc = SourceLoc::current());
/// All products of two vectors' elements.
Tensor outer(const Tensor &a, const Tensor &b,
             SourceLoc loc = SourceLoc::current());
/// Whether |a - b| <= atol + rtol |b| everywhere; evaluates both.
bool allclose(const Tensor &a, const Tensor &b, double rtol = 1e-5,
              double atol = 1e-8, SourceLoc loc = SourceLoc::current());
/// Whether shapes and all elements are equal; evaluates both.
bool equal(const Tensor &a, const Tensor &b,
           SourceLoc loc = SourceLoc::current());

} // namespace tripy

#endif // TRIPY_FRONTEND_FUNCTIONS_H
