//===- Types.h - Element types, devices and small values --------*- C++ -*-===//
//
// What tensors are made of and described by. For users of tripy.h.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_TYPES_H
#define TRIPY_FRONTEND_TYPES_H

#include "tripy/Base/DType.h"
#include "tripy/Frontend/SourceLoc.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tripy {

inline constexpr DType float64 = DType::F64, float32 = DType::F32,
                       float16 = DType::F16, bfloat16 = DType::BF16,
                       float8 = DType::F8E4M3FN, int64 = DType::I64,
                       int32 = DType::I32, int16 = DType::I16, int8 = DType::I8,
                       int4 = DType::I4, uint8 = DType::U8,
                       boolean = DType::Bool;
// NOLINTNEXTLINE(readability-identifier-naming): the name that others use.
inline constexpr DType float8_e5m2 = DType::F8E5M2;

/// "float32".
std::ostream &operator<<(std::ostream &os, DType dtype);

/// The device of a tensor: "cpu", "gpu" or "gpu:1".
/// \code
///   std::cout << tp::Device::gpu(1) << ' ' << tp::Device("cpu");
///   // gpu:1 cpu:0
/// \endcode
class Device {
public:
  /// Errors: InvalidArgument, which says how a device is written.
  Device(std::string_view text, SourceLoc loc = SourceLoc::current());
  Device(const char *text, SourceLoc loc = SourceLoc::current())
      : Device(std::string_view(text), loc) {}
  static Device cpu() { return Device(false, 0); }
  static Device gpu(int32_t index = 0) { return Device(true, index); }

  bool isGpu() const { return gpuKind; }
  int32_t index() const { return number; }
  /// "gpu:0".
  std::string str() const;
  friend bool operator==(const Device &, const Device &) = default;

private:
  Device(bool isGpu, int32_t index) : gpuKind(isGpu), number(index) {}
  bool gpuKind;
  int32_t number;
};
std::ostream &operator<<(std::ostream &os, const Device &device);

/// The device of new tensors: the first GPU, or the CPU if there is no GPU. The
/// environment variable TRIPY_DEVICE selects another one. Errors: its first use
/// throws InvalidArgument if the variable is no device.
Device defaultDevice(SourceLoc loc = SourceLoc::current());

/// Indices of dimensions (negative ones count from the end), or other small
/// numbers, one for each dimension: 1, {0, -1} or a vector.
class Dims {
public:
  Dims() = default;
  // A truth value is no dimension: sum(x, true) forgets the dimensions.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Dims(T number, SourceLoc loc = SourceLoc::current())
      : list{detail::toInt64(number, loc)} {}
  Dims(std::initializer_list<int64_t> numbers) : list(numbers) {}
  Dims(std::vector<int64_t> numbers) : list(std::move(numbers)) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Dims(const std::vector<T> &numbers, SourceLoc loc = SourceLoc::current()) {
    for (T number : numbers)
      list.push_back(detail::toInt64(number, loc));
  }

  const std::vector<int64_t> &numbers() const { return list; }

private:
  std::vector<int64_t> list;
};

/// A C++ number and its element type: float32 for a floating-point number,
/// int32 for an integer (int64 if it does not fit), bool.
/// Errors: InvalidArgument for an integer that does not fit int64_t.
class Number {
public:
  // Pointers do not convert to bool here.
  template <std::same_as<bool> T>
  Number(T value) : held(value), type(boolean) {}
  template <std::floating_point T>
  Number(T value) : held(double(value)), type(float32) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Number(T value, SourceLoc loc = SourceLoc::current())
      : held(detail::toInt64(value, loc)),
        type(int64_t(value) == int32_t(value) ? int32 : int64) {}

  const std::variant<bool, int64_t, double> &value() const { return held; }
  DType dtype() const { return type; }
  /// The same number with another element type. Errors: InvalidArgument for a
  /// conversion that changes the value: 1.5 as int32, 2 as bool.
  Number as(DType dtype, SourceLoc loc = SourceLoc::current()) const;
  double toDouble() const;
  int64_t toInt() const;
  /// "1.5", "2", "true".
  std::string str() const;
  friend bool operator==(const Number &, const Number &) = default;

private:
  std::variant<bool, int64_t, double> held;
  DType type;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_TYPES_H
