//===- Tensor.h - Lazily evaluated tensors ----------------------*- C++ -*-===//
//
//   tripy::Tensor a({{1.0, 2.0}, {3.0, 4.0}});
//   tripy::Tensor b = a + 1.5;         // nothing has run yet
//   std::cout << b;                    // compiles, runs, prints
//
// A tensor is a handle on a node of a graph that never changes; copies are
// cheap. Threads may use the same tensors at the same time.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_TENSOR_H
#define TRIPY_FRONTEND_TENSOR_H

#include "tripy/Frontend/Error.h"
#include "tripy/Frontend/Shape.h"
#include "tripy/Frontend/Types.h"

#include <iosfwd>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Of the DLPack standard: dlpack.h or tripy/Frontend/DLPack.h defines them.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace tripy {

class Index;

namespace detail {
template <typename... A> inline constexpr bool isNever = false;

template <typename T> Number makeNumber(T value, SourceLoc loc) {
  if constexpr (std::constructible_from<Number, T, SourceLoc>)
    return Number(value, loc);
  else
    return Number(value);
}
/// Throws Error at `loc` for a number that is no integer.
int64_t integerOf(const Number &number, SourceLoc loc);
[[noreturn]] void failConversion(const Number &number, SourceLoc loc);
[[noreturn]] void failMemory(size_t elements, SourceLoc loc);

/// A nested list of numbers.
class Literal {
public:
  template <typename T>
    requires std::is_arithmetic_v<T>
  Literal(T value, SourceLoc loc = SourceLoc::current())
      : number(makeNumber(value, loc)), place(loc) {}
  Literal(std::initializer_list<Literal> items) : number(0), items(items) {
    isList = true;
  }

  Number number;
  SourceLoc place;
  std::vector<Literal> items;
  bool isList = false;
};

/// Where the first number stands.
SourceLoc placeOf(std::span<const Literal> items);

/// As T. Throws Error at `loc` where T does not have the number.
template <typename T> T numberAs(const Number &number, SourceLoc loc) {
  if constexpr (std::same_as<T, bool>) {
    return number.toDouble() != 0;
  } else if constexpr (std::integral<T>) {
    int64_t value = integerOf(number, loc);
    if (!std::in_range<T>(value))
      failConversion(number, loc);
    return T(value);
  } else {
    return T(number.toDouble());
  }
}

template <typename T> struct ElementType;
#define TRIPY_ELEMENT_TYPE(type, dtype)                                        \
  template <> struct ElementType<type> {                                       \
    static constexpr DType value = dtype;                                      \
  };
TRIPY_ELEMENT_TYPE(double, float64)
TRIPY_ELEMENT_TYPE(float, float32)
TRIPY_ELEMENT_TYPE(int64_t, int64)
TRIPY_ELEMENT_TYPE(int32_t, int32)
TRIPY_ELEMENT_TYPE(int16_t, int16)
TRIPY_ELEMENT_TYPE(int8_t, int8)
TRIPY_ELEMENT_TYPE(uint8_t, uint8)
TRIPY_ELEMENT_TYPE(bool, boolean)
#undef TRIPY_ELEMENT_TYPE
// Types of equal size that have other names.
template <> struct ElementType<long long> : ElementType<int64_t> {};

/// A vector, an array or a span of elements.
template <typename R>
concept Elements = requires(const R &values) {
  std::data(values);
  std::size(values);
  ElementType<std::remove_cv_t<
      std::remove_reference_t<decltype(*std::data(values))>>>::value;
};
} // namespace detail

/// A tensor of rank at most 8. Errors of its members are tripy::Error, at the
/// caller's line.
/// \code
///   tp::Tensor a({{1.0, 2.0}, {3.0, 4.0}});
///   tp::Tensor b = a + 1.5; // nothing has run yet
///   std::cout << b;
///   // tensor(
///   //     [[2.5000, 3.5000],
///   //      [4.5000, 5.5000]],
///   //     dtype=float32, loc=cpu:0, shape=(2, 2))
/// \endcode
class Tensor {
public:
  /// An empty handle, to be assigned later. Any use except isEmpty() is an
  /// error.
  Tensor() = default;
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;
  Tensor &operator=(const Tensor &) & = default;
  Tensor &operator=(Tensor &&) & = default;
  // x[0] = y would have no effect: x[0] is a new tensor. Use
  // update_slice(x, y, ...) or where(mask, y, x).
  Tensor &operator=(const Tensor &) && = delete;
  Tensor &operator=(Tensor &&) && = delete;
  /// From nested lists: {1.0, 2.0}, {{1, 2}, {3, 4}}. The element type is
  /// `dtype` if given; else float32 if an element is floating-point, else int32
  /// or bool. Errors: InvalidArgument for lists of different lengths.
  /// \code
  ///   std::cout << tp::Tensor({1, 2}, tp::float16);
  ///   // tensor([1.0000, 2.0000], dtype=float16, loc=cpu:0, shape=(2,))
  /// \endcode
  Tensor(std::initializer_list<detail::Literal> items,
         std::optional<DType> dtype = std::nullopt,
         SourceLoc loc = SourceLoc::current());
  /// A scalar, of rank 0.
  explicit Tensor(Number value, SourceLoc loc = SourceLoc::current());
  /// Copies `values`, row-major. Without `shape`, the rank is 1. Errors:
  /// InvalidArgument if the shape has a different number of elements.
  template <typename T>
    requires requires { detail::ElementType<T>::value; }
  explicit Tensor(std::span<const T> values,
                  std::optional<Shape> shape = std::nullopt,
                  SourceLoc loc = SourceLoc::current())
      : Tensor(fromBytes(detail::ElementType<T>::value,
                         shape ? *shape : Shape({values.size()}), values.data(),
                         values.size(), loc)) {}
  /// Of a vector, an array or a span.
  template <detail::Elements R>
  explicit Tensor(const R &values, std::optional<Shape> shape = std::nullopt,
                  SourceLoc loc = SourceLoc::current())
      : Tensor(
            std::span<const std::remove_cv_t<
                std::remove_reference_t<decltype(*std::data(values))>>>(values),
            std::move(shape), loc) {}
  template <detail::Elements R>
  Tensor(const R &values, std::initializer_list<Size> shape,
         SourceLoc loc = SourceLoc::current())
      : Tensor(values, std::optional<Shape>(Shape(shape)), loc) {}
  explicit Tensor(const std::vector<bool> &values,
                  std::optional<Shape> shape = std::nullopt,
                  SourceLoc loc = SourceLoc::current());
  /// Reads a NumPy file (.npy). Errors: those of reading, with the file's name.
  static Tensor fromNpy(const std::string &path,
                        SourceLoc loc = SourceLoc::current());
  /// Evaluates the tensor and writes it as a NumPy file. Of the element types
  /// that NumPy lacks, int4 becomes int8, and bfloat16 and 8-bit floats become
  /// raw bytes, which fromNpy() reads as bfloat16 and float8. Errors: Io, those
  /// of eval().
  /// \code
  ///   tp::Tensor({1, 2}).saveNpy("a.npy");
  ///   std::cout << tp::Tensor::fromNpy("a.npy");
  ///   // tensor([1, 2], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  void saveNpy(const std::string &path,
               SourceLoc loc = SourceLoc::current()) const;
  /// Imports a tensor from another library without copying it: from the CPU
  /// (also pinned) or a CUDA GPU (also managed), row-major without gaps. It
  /// stays on that device. The deleter is called once, when no tensor or
  /// program needs the memory anymore, on any thread. GPU work that writes the
  /// elements must be complete, or on the legacy default stream; the elements
  /// must not change afterwards. Errors, after which the caller still owns
  /// `managed`:
  /// InvalidArgument (null, strides, sizes), DTypeMismatch (an element type
  /// that Tripy does not have), DeviceMismatch, NotFound (no such GPU),
  /// UnsupportedVersion (a newer major version: the caller may only call the
  /// deleter).
  static Tensor fromDLPack(DLManagedTensor *managed,
                           SourceLoc loc = SourceLoc::current());
  static Tensor fromDLPack(DLManagedTensorVersioned *managed,
                           SourceLoc loc = SourceLoc::current());
  /// Exports the tensor to another library without copying it: evaluates it,
  /// and keeps it alive until the deleter is called. The elements are
  /// read-only; the flags say so. Errors: those of eval().
  /// \code
  ///   tp::Tensor a({1, 2});
  ///   std::cout << tp::Tensor::fromDLPack(a.toDLPack());
  ///   // tensor([1, 2], dtype=int32, loc=cpu:0, shape=(2,))
  /// \endcode
  DLManagedTensorVersioned *
  toDLPack(SourceLoc loc = SourceLoc::current()) const;
  /// For a library that supports DLPack up to version 0.8. Errors:
  /// InvalidArgument for float8, which was added in 1.1; those of eval().
  DLManagedTensor *toLegacyDLPack(SourceLoc loc = SourceLoc::current()) const;

  bool isEmpty() const { return !source; }
  DType dtype(SourceLoc loc = SourceLoc::current()) const;
  /// Sizes; while compiling, dynamic ones are symbolic.
  /// \code
  ///   tp::Tensor a({{1, 2}, {3, 4}});
  ///   std::cout << a.shape() << ' ' << a.dtype();
  ///   // (2, 2) int32
  /// \endcode
  Shape shape(SourceLoc loc = SourceLoc::current()) const;
  int64_t rank(SourceLoc loc = SourceLoc::current()) const;
  /// The device of the tensor, now or once it is evaluated: that of its
  /// operands, or the default device. tripy::copy() copies it to another one.
  Device device(SourceLoc loc = SourceLoc::current()) const;
  /// Used in error messages and as the name of inputs; "" by default.
  std::string name() const;
  Tensor &setName(std::string name);
  SourceLoc loc() const;

  /// Computes the value, once; returns the tensor. On a GPU this is
  /// asynchronous: reading the value waits for the work. Errors: those of
  /// compiling and launching; errors of the work itself are reported by the
  /// next read.
  const Tensor &eval(SourceLoc loc = SourceLoc::current()) const;
  /// The elements, row-major, in host memory; int4 as int8_t. Errors:
  /// DTypeMismatch if T is not the element type; those of eval().
  /// \code
  ///   tp::Tensor a({1, 2});
  ///   std::vector<int> values = tp::flip(a, 0).toVector<int>();
  ///   std::cout << values[0] << ' ' << values[1];
  ///   // 2 1
  /// \endcode
  template <typename T>
  std::vector<T> toVector(SourceLoc loc = SourceLoc::current()) const {
    size_t count = elements(detail::ElementType<T>::value, loc);
    std::vector<T> out;
    try {
      out.resize(count);
    } catch (const std::bad_alloc &) {
      detail::failMemory(count, loc);
    }
    copyTo(out.data(), loc);
    return out;
  }
  /// The only element. Errors: InvalidArgument unless there is exactly one, and
  /// if an integral T cannot represent its value, such as 5.7 or, for int8_t,
  /// 300.
  /// \code
  ///   std::cout << tp::sum(tp::Tensor({1, 2})).item<int>();
  ///   // 3
  /// \endcode
  template <typename T> T item(SourceLoc loc = SourceLoc::current()) const {
    checkSingle(loc);
    return detail::numberAs<T>(single(loc), loc);
  }
  /// The text that printing the tensor writes.
  std::string str(SourceLoc loc = SourceLoc::current()) const;

  /// x[0], x[-1], x[slice(1, end)], x[{0, slice(), newaxis}], x[indices].
  /// Indices that are known to be out of range are errors; slice bounds are
  /// clamped.
  Tensor operator[](const Index &index) const;
  Tensor operator[](std::initializer_list<Index> indices) const;
  /// The same, for a list that is made when the program runs.
  Tensor operator[](const detail::Placed<std::vector<Index>> &indices) const;

#include "tripy/Frontend/TensorMembers.inc"
  // Names that other libraries use.
#define TRIPY_NO_MEMBER(name, instead)                                         \
  template <typename... A> void name(A &&...) const {                          \
    static_assert(detail::isNever<A...>, "tripy::Tensor has no member '" #name \
                                         "'. Did you mean: " instead);         \
  }                                                                            \
  template <typename... A>                                                     \
  void name(std::initializer_list<Size>, A &&...) const {                      \
    static_assert(detail::isNever<A...>, "tripy::Tensor has no member '" #name \
                                         "'. Did you mean: " instead);         \
  }
  // NOLINTNEXTLINE(readability-identifier-naming): the name that others use.
  TRIPY_NO_MEMBER(T, "tripy::transpose(x, 0, 1), or "
                     "tripy::permute(x, {1, 0})")
  TRIPY_NO_MEMBER(to, "tripy::cast(x, dtype), or tripy::copy(x, device)")
  TRIPY_NO_MEMBER(view, "tripy::reshape(x, shape)")
  TRIPY_NO_MEMBER(size, "x.shape()[dim]")
  TRIPY_NO_MEMBER(dim, "x.rank()")
  TRIPY_NO_MEMBER(ndim, "x.rank()")
  TRIPY_NO_MEMBER(numel, "x.shape().volume()")
  TRIPY_NO_MEMBER(clone, "a copy, Tensor y = x; tensors never change")
#undef TRIPY_NO_MEMBER

private:
  friend class frontend::Call;
  explicit Tensor(frontend::Value value) : source(std::move(value)) {}
  static Tensor fromBytes(DType dtype, const Shape &shape, const void *data,
                          size_t elements, SourceLoc loc);
  /// Evaluates the tensor, so that there is memory for as many elements.
  size_t elements(DType expected, SourceLoc loc) const;
  void copyTo(void *data, SourceLoc loc) const;
  void checkSingle(SourceLoc loc) const;
  Number single(SourceLoc loc) const;

  frontend::Value source;
};

template <> std::vector<bool> Tensor::toVector<bool>(SourceLoc loc) const;

/// Prints the tensor's str().
std::ostream &operator<<(std::ostream &os,
                         const detail::Placed<Tensor> &tensor);

/// Evaluates several tensors in one program; otherwise like Tensor::eval().
/// \code
///   tp::Tensor a = tp::ones({2}), b = a + 1, c = a * 3;
///   tp::eval({b, c});
///   std::cout << b.toVector<float>()[0] + c.toVector<float>()[1];
///   // 5
/// \endcode
void eval(std::initializer_list<Tensor> tensors,
          SourceLoc loc = SourceLoc::current());
void eval(const std::vector<Tensor> &tensors,
          SourceLoc loc = SourceLoc::current());

/// An operand: a tensor, or a number, which gets the element type of the other
/// operands. It records its location in the user's program.
class TensorLike {
public:
  TensorLike(const Tensor &tensor, SourceLoc loc = SourceLoc::current())
      : held(tensor), place(loc) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  TensorLike(T value, SourceLoc loc = SourceLoc::current())
      : number(detail::makeNumber(value, loc)), place(loc) {}
  /// A size is a number, too: int32, or the element type of the other operands.
  TensorLike(const Size &size, SourceLoc loc = SourceLoc::current());

  /// Empty for a number.
  const Tensor &tensor() const { return held; }
  bool isNumber() const { return number.has_value(); }
  /// Whether the tensor is a dynamic size.
  bool isSize() const { return isDynamicSize; }
  const std::optional<Number> &literal() const { return number; }
  SourceLoc loc() const { return place; }
  /// The tensor, or the number as a tensor.
  Tensor toTensor() const;

private:
  Tensor held;
  std::optional<Number> number;
  bool isDynamicSize = false;
  SourceLoc place;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_TENSOR_H
