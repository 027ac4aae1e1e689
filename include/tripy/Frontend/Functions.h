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
#include "tripy/Frontend/Structure.h"
#include "tripy/Frontend/Tensor.h"

namespace tripy {

#include "tripy/Frontend/Functions.h.inc"

//===-- operators ---------------------------------------------------------===//

/// Both: for bool the logical operation, for integers that on their bits.
/// \code
///   tp::Tensor i({5, -3});
///   i & 4;
///   // tensor([4, 4], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor operator&(const TensorLike &lhs, const TensorLike &rhs);
/// One or both: logical for bool, on bits for integers.
/// \code
///   tp::Tensor i({5, -3});
///   i | 4;
///   // tensor([5, -3], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor operator|(const TensorLike &lhs, const TensorLike &rhs);
/// Exactly one: logical for bool, on bits for integers.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   (x > 1) ^ (x > 4);
///   // tensor(
///   //     [[False, True, True],
///   //      [True, False, False]],
///   //     dtype=bool, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor operator^(const TensorLike &lhs, const TensorLike &rhs);
/// The opposite: logical for bool, of each bit for integers.
/// \code
///   tp::Tensor i({5, -3});
///   ~i;
///   // tensor([-6, 2], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor operator~(const TensorLike &input);
/// The opposite, of bool alone.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   !(x > 2);
///   // tensor(
///   //     [[True, True, False],
///   //      [False, False, False]],
///   //     dtype=bool, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor operator!(const TensorLike &input);
/// lhs = lhs + rhs: other handles keep their value.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   y += 1;
///   // tensor([1.5000, -0.5000, 3.0000], dtype=float32, loc=cpu:0, shape=(3,))
/// \endcode
Tensor &operator+=(Tensor &lhs, const TensorLike &rhs);
/// lhs = lhs - rhs: other handles keep their value.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   y -= 1;
///   // tensor([-0.5000, -2.5000, 1.0000], dtype=float32, loc=cpu:0,
///   //     shape=(3,))
/// \endcode
Tensor &operator-=(Tensor &lhs, const TensorLike &rhs);
/// lhs = lhs * rhs: other handles keep their value.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   y *= 2;
///   // tensor([1.0000, -3.0000, 4.0000], dtype=float32, loc=cpu:0, shape=(3,))
/// \endcode
Tensor &operator*=(Tensor &lhs, const TensorLike &rhs);
/// lhs = lhs / rhs: other handles keep their value.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   y /= 2;
///   // tensor([0.2500, -0.7500, 1.0000], dtype=float32, loc=cpu:0, shape=(3,))
/// \endcode
Tensor &operator/=(Tensor &lhs, const TensorLike &rhs);

//===-- creation ----------------------------------------------------------===//

/// A tensor filled with `value`, of its element type unless given.
/// \code
///   tp::full({2, 2}, 1.5);
///   // tensor(
///   //     [[1.5000, 1.5000],
///   //      [1.5000, 1.5000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 2))
/// \endcode
[[nodiscard]] Tensor full(const Shape &shape, const Number &value,
                          std::optional<DType> dtype = std::nullopt,
                          SourceLoc loc = SourceLoc::current());
/// A tensor filled with 1.
/// \code
///   tp::ones({2}, tp::int32);
///   // tensor([1, 1], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor ones(const Shape &shape, DType dtype = float32,
                          SourceLoc loc = SourceLoc::current());
/// A tensor filled with 0.
/// \code
///   tp::zeros({2});
///   // tensor([0.0000, 0.0000], dtype=float32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor zeros(const Shape &shape, DType dtype = float32,
                           SourceLoc loc = SourceLoc::current());
/// Filled with `value`: shape and element type of `input`, unless given.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::fullLike(x, 7);
///   // tensor(
///   //     [[7.0000, 7.0000, 7.0000],
///   //      [7.0000, 7.0000, 7.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor fullLike(const Tensor &input, const Number &value,
                              std::optional<DType> dtype = std::nullopt,
                              SourceLoc loc = SourceLoc::current());
/// Filled with 1: shape and element type of `input`, unless given.
/// \code
///   tp::Tensor i({5, -3});
///   tp::onesLike(i);
///   // tensor([1, 1], dtype=int32, loc=cpu:0, shape=(2,))
/// \endcode
[[nodiscard]] Tensor onesLike(const Tensor &input,
                              std::optional<DType> dtype = std::nullopt,
                              SourceLoc loc = SourceLoc::current());
/// Filled with 0: shape and element type of `input`, unless given.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::zerosLike(x, tp::float16);
///   // tensor(
///   //     [[0.0000, 0.0000, 0.0000],
///   //      [0.0000, 0.0000, 0.0000]],
///   //     dtype=float16, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor zerosLike(const Tensor &input,
                               std::optional<DType> dtype = std::nullopt,
                               SourceLoc loc = SourceLoc::current());
/// start, start + step, ... up to, not including, stop. Errors:
/// InvalidArgument for a step of 0, where there is no element, and for integers
/// that `dtype` cannot represent.
/// \code
///   tp::arange(0, 1, 0.25);
///   // tensor([0.0000, 0.2500, 0.5000, 0.7500], dtype=float32, loc=cpu:0,
///   //     shape=(4,))
/// \endcode
[[nodiscard]] Tensor arange(const Number &start, const Number &stop,
                            const Number &step = 1, DType dtype = float32,
                            SourceLoc loc = SourceLoc::current());
[[nodiscard]] Tensor arange(const Number &stop, DType dtype = float32,
                            SourceLoc loc = SourceLoc::current());

//===-- shape -------------------------------------------------------------===//

/// Dimensions `start` to `end`, that one too, as one.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::flatten(x);
///   // tensor([1.0000, 2.0000, 3.0000, 4.0000, 5.0000, 6.0000], dtype=float32,
///   //     loc=cpu:0, shape=(6,))
/// \endcode
[[nodiscard]] Tensor flatten(const Tensor &input, int64_t start = 0,
                             int64_t end = -1,
                             SourceLoc loc = SourceLoc::current());
/// A new dimension `dim` for tensors of one shape.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   tp::stack({y, y}, 1);
///   // tensor(
///   //     [[0.5000, 0.5000],
///   //      [-1.5000, -1.5000],
///   //      [2.0000, 2.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(3, 2))
/// \endcode
[[nodiscard]] Tensor stack(const std::vector<Tensor> &inputs, int64_t dim = 0,
                           SourceLoc loc = SourceLoc::current());
/// Cuts `dim` into `parts` of equal size, rounded up: the last ones may be
/// smaller.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::split(x, {1, 2}, 1);
///   // tensor(
///   //     [[1.0000],
///   //      [4.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 1))
///   // tensor(
///   //     [[2.0000, 3.0000],
///   //      [5.0000, 6.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 2))
/// \endcode
[[nodiscard]] std::vector<Tensor> split(const Tensor &input, int64_t parts,
                                        int64_t dim = 0,
                                        SourceLoc loc = SourceLoc::current());
/// Cuts `dim` into parts of these sizes, which sum to it.
[[nodiscard]] std::vector<Tensor> split(const Tensor &input,
                                        const std::vector<int64_t> &sizes,
                                        int64_t dim = 0,
                                        SourceLoc loc = SourceLoc::current());
/// Each element `repeats` times along `dim`.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   tp::repeat(y, 2, 0);
///   // tensor([0.5000, 0.5000, -1.5000, -1.5000, 2.0000, 2.0000],
///   //     dtype=float32, loc=cpu:0, shape=(6,))
/// \endcode
[[nodiscard]] Tensor repeat(const Tensor &input, const Size &repeats,
                            int64_t dim, SourceLoc loc = SourceLoc::current());
/// Adds (low, high) elements before and after each dimension: of `value`.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   tp::pad(y, {{1, 2}}, "edge");
///   // tensor([0.5000, 0.5000, -1.5000, 2.0000, 2.0000, 2.0000],
///   //     dtype=float32, loc=cpu:0, shape=(6,))
/// \endcode
[[nodiscard]] Tensor pad(const Tensor &input,
                         const std::vector<std::pair<Size, Size>> &widths,
                         const Number &value = 0,
                         SourceLoc loc = SourceLoc::current());
/// The same, with what is there: "edge", "reflect" or "wrap".
[[nodiscard]] Tensor pad(const Tensor &input,
                         const std::vector<std::pair<Size, Size>> &widths,
                         const std::string &mode,
                         SourceLoc loc = SourceLoc::current());

// Braces in the place of the mode would be a text of these characters.
template <typename... A>
Tensor resize(const Tensor &, const Shape &, const A &...) {
  static_assert(detail::isNever<A...>,
                "the sizes are an option of tripy::resize. Did you mean: "
                "tripy::resize(x, \"linear\", {.sizes = {...}})");
  return {};
}

//===-- devices -----------------------------------------------------------===//

/// The tensor on another device, copied when it is evaluated; on its own
/// device, the tensor itself. A copy from a GPU to the CPU waits for the
/// elements. Errors: NotFound or DriverMissing where there is no such GPU, and
/// DeviceMismatch in a function that is compiled, which runs on one device.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::copy(x, tp::Device::cpu());
///   // tensor(
///   //     [[1.0000, 2.0000, 3.0000],
///   //      [4.0000, 5.0000, 6.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor copy(const Tensor &input, const Device &device,
                          SourceLoc loc = SourceLoc::current());

//===-- others ------------------------------------------------------------===//

/// `value` where the mask is true.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::maskedFill(x, x > 2, -1);
///   // tensor(
///   //     [[1.0000, 2.0000, -1.0000],
///   //      [-1.0000, -1.0000, -1.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 3))
/// \endcode
[[nodiscard]] Tensor maskedFill(const Tensor &input, const Tensor &mask,
                                const Number &value,
                                SourceLoc loc = SourceLoc::current());
/// All products of two vectors' elements.
/// \code
///   tp::Tensor y({0.5, -1.5, 2.0});
///   tp::outer(y, y);
///   // tensor(
///   //     [[0.2500, -0.7500, 1.0000],
///   //      [-0.7500, 2.2500, -3.0000],
///   //      [1.0000, -3.0000, 4.0000]],
///   //     dtype=float32, loc=cpu:0, shape=(3, 3))
/// \endcode
[[nodiscard]] Tensor outer(const Tensor &a, const Tensor &b,
                           SourceLoc loc = SourceLoc::current());
/// Whether |a - b| <= atol + rtol |b| everywhere; evaluates both.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::allclose(x, x + 1e-7);
///   // true
/// \endcode
[[nodiscard]] bool allclose(const Tensor &a, const Tensor &b,
                            double rtol = 1e-5, double atol = 1e-8,
                            SourceLoc loc = SourceLoc::current());
/// Whether shapes and all elements are equal; evaluates both.
/// \code
///   tp::Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
///   tp::equal(x, x);
///   // true
/// \endcode
[[nodiscard]] bool equal(const Tensor &a, const Tensor &b,
                         SourceLoc loc = SourceLoc::current());

} // namespace tripy

#endif // TRIPY_FRONTEND_FUNCTIONS_H
