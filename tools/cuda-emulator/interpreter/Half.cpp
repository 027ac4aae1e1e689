//===- Half.cpp - f16 and bf16 arithmetic -----------------------*- C++ -*-===//
//
// Computed in double and rounded once. Sums and products of two 16-bit numbers
// and the product in an fma are exact in double or far from a tie; the sum in
// an fma is rounded to odd first.
//
//===----------------------------------------------------------------------===//
#include "Half.h"

#include "FloatOps.h"
#include "Lanes.h"

namespace tripy::emulator {

namespace {
struct MultiplyAddOnce {
  double operator()(double a, double b, double c) const {
    return addToOdd(a * b, c);
  }
};

/// Options: 1 .ftz, 2 .sat, 4 .relu.
template <typename Format, typename Op, uint32_t Options> struct HalfOp {
  template <typename... T> uint16_t operator()(T... bits) const {
    double value = Op{}(Format::unpack(Options & 1 ? flushHalf<Format>(bits)
                                                   : uint16_t(bits))...);
    if (Options & 2)
      value = saturate(value);
    if (Options & 4)
      value = value < 0 ? 0 : value;
    uint16_t result = Format::pack(value);
    return Options & 1 ? flushHalf<Format>(result) : result;
  }
};
/// The sign bit alone: a NaN stays as it is.
struct NegateBits {
  uint16_t operator()(uint16_t a) const { return a ^ 0x8000; }
};
struct AbsoluteBits {
  uint16_t operator()(uint16_t a) const { return a & 0x7FFF; }
};

/// Both halves of 32 bits.
template <typename F> struct Pair {
  template <typename... T> uint32_t operator()(T... bits) const {
    uint32_t low = F{}(uint16_t(bits)...);
    uint32_t high = F{}(uint16_t(bits >> 16)...);
    return high << 16 | low;
  }
};

template <uint32_t Operands, typename F> Handler single(bool pair) {
  if constexpr (Operands == 1)
    return pair ? same1<uint32_t, Pair<F>> : same1<uint16_t, F>;
  else if constexpr (Operands == 2)
    return pair ? same2<uint32_t, Pair<F>> : same2<uint16_t, F>;
  else
    return pair ? same3<uint32_t, Pair<F>> : same3<uint16_t, F>;
}
template <typename Format, uint32_t Operands, typename Op>
Handler withOptions(bool pair, uint32_t options) {
  switch (options) {
  case 0:
    return single<Operands, HalfOp<Format, Op, 0>>(pair);
  case 1:
    return single<Operands, HalfOp<Format, Op, 1>>(pair);
  case 2:
    return single<Operands, HalfOp<Format, Op, 2>>(pair);
  case 3:
    return single<Operands, HalfOp<Format, Op, 3>>(pair);
  case 4:
    return single<Operands, HalfOp<Format, Op, 4>>(pair);
  case 5:
    return single<Operands, HalfOp<Format, Op, 5>>(pair);
  default:
    return nullptr;
  }
}
template <uint32_t Operands, typename Op>
Handler pick(Type type, uint32_t options) {
  switch (type) {
  case Type::F16:
    return withOptions<F16Format, Operands, Op>(false, options);
  case Type::F16x2:
    return withOptions<F16Format, Operands, Op>(true, options);
  case Type::BF16:
    return withOptions<BF16Format, Operands, Op>(false, options);
  case Type::BF16x2:
    return withOptions<BF16Format, Operands, Op>(true, options);
  default:
    return nullptr;
  }
}

Handler handlerOf(Decoder &decoder, Type type, uint32_t options,
                  uint32_t &sources) {
  std::string_view name = decoder.head();
  bool pair = type == Type::F16x2 || type == Type::BF16x2;
  sources = 2;
  if (name == "add")
    return pick<2, ops::Add>(type, options);
  if (name == "sub")
    return pick<2, ops::Subtract>(type, options);
  if (name == "mul")
    return pick<2, ops::Multiply>(type, options);
  bool propagate = decoder.take("NaN");
  if (name == "min")
    return propagate ? pick<2, ops::Propagating<ops::Minimum>>(type, options)
                     : pick<2, ops::Minimum>(type, options);
  if (name == "max")
    return propagate ? pick<2, ops::Propagating<ops::Maximum>>(type, options)
                     : pick<2, ops::Maximum>(type, options);
  sources = 3;
  if (name == "fma")
    return pick<3, MultiplyAddOnce>(type, options);
  sources = 1;
  if (name == "neg")
    return single<1, NegateBits>(pair);
  if (name == "abs")
    return single<1, AbsoluteBits>(pair);
  if (!decoder.take("approx"))
    return nullptr;
  if (name == "ex2")
    return pick<1, ops::Exponential2>(type, options);
  return name == "tanh" ? pick<1, ops::HyperbolicTangent>(type, options)
                        : nullptr;
}
} // namespace

bool decodeHalfArithmetic(Decoder &decoder, Type type) {
  decoder.take("rn");
  uint32_t options = (decoder.take("ftz") ? 1 : 0) |
                     (decoder.take("sat") ? 2 : 0) |
                     (decoder.take("relu") ? 4 : 0);
  uint32_t sources = 0, bytes = bytesOf(type);
  Handler handler = handlerOf(decoder, type, options, sources);
  return decoder.operands(sources + 1, sources + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         (sources < 2 || decoder.source(2, bytes, decoder.out.b)) &&
         (sources < 3 || decoder.source(3, bytes, decoder.out.c)) &&
         decoder.set(handler);
}

} // namespace tripy::emulator
