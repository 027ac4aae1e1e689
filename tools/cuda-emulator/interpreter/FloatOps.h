//===- FloatOps.h - Operations on one or two numbers ------------*- C++ -*-===//
//
// The functions behind the floating-point instructions, for float and double.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_FLOATOPS_H
#define TRIPY_LIB_EMULATOR_FLOATOPS_H

#include "Numbers.h"

#include <limits>

namespace tripy::emulator::ops {

struct Add {
  template <typename T> T operator()(T a, T b) const { return a + b; }
};
struct Subtract {
  template <typename T> T operator()(T a, T b) const { return a - b; }
};
struct Multiply {
  template <typename T> T operator()(T a, T b) const { return a * b; }
};
struct Divide {
  template <typename T> T operator()(T a, T b) const { return a / b; }
};
struct MultiplyAdd {
  template <typename T> T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
};
/// A NaN loses against a number; -0 is smaller than +0.
struct Minimum {
  template <typename T> T operator()(T a, T b) const {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Maximum {
  template <typename T> T operator()(T a, T b) const {
    if (a != a)
      return b;
    if (b != b)
      return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
/// .NaN: a NaN wins.
template <typename Op> struct Propagating {
  template <typename T> T operator()(T a, T b) const {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : Op{}(a, b);
  }
};
struct Absolute {
  template <typename T> T operator()(T a) const { return std::fabs(a); }
};
struct Negate {
  template <typename T> T operator()(T a) const { return -a; }
};
struct Reciprocal {
  template <typename T> T operator()(T a) const { return T(1) / a; }
};
struct SquareRoot {
  template <typename T> T operator()(T a) const { return std::sqrt(a); }
};
struct ReciprocalSquareRoot {
  template <typename T> T operator()(T a) const {
    return T(1.0 / std::sqrt(double(a)));
  }
};
struct Exponential2 {
  template <typename T> T operator()(T a) const { return std::exp2(a); }
};
struct Logarithm2 {
  template <typename T> T operator()(T a) const { return std::log2(a); }
};
struct Sine {
  template <typename T> T operator()(T a) const { return std::sin(a); }
};
struct Cosine {
  template <typename T> T operator()(T a) const { return std::cos(a); }
};
struct HyperbolicTangent {
  template <typename T> T operator()(T a) const { return std::tanh(a); }
};
/// copysign d, a, b: the sign of a on b.
struct CopySign {
  template <typename T> T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

} // namespace tripy::emulator::ops

#endif // TRIPY_LIB_EMULATOR_FLOATOPS_H
