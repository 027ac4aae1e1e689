//===- Float.cpp - f32 and f64 arithmetic -----------------------*- C++ -*-===//
//
// Since sm_100 there is f32 arithmetic on pairs in 64 bits (.f32x2), and with
// 16-bit operands (.f32.f16, .f32.bf16), each of which is a number of f32 too;
// and there are extrema of three f32.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "FloatOps.h"
#include "Half.h"
#include "Lanes.h"

namespace tripy::emulator {

namespace {
/// An operation with .ftz on its operands and result, and .sat on the result.
template <typename Op, bool Ftz, bool Sat> struct Modified {
  template <typename... T> auto operator()(T... values) const {
    auto result = flushIf<Ftz>(Op{}(flushIf<Ftz>(values)...));
    return Sat ? saturate(result) : result;
  }
};

/// The same in the rounding mode that flags names.
template <Handler inner>
Next directed(Warp &warp, const Instruction &i, uint32_t mask) {
  withRounding(hostRounding(i.flags), [&] { inner(warp, i, mask); });
  return Next::Continue;
}

template <typename T, uint32_t Operands, typename F> constexpr Handler plain() {
  if constexpr (Operands == 1)
    return same1<T, F>;
  else if constexpr (Operands == 2)
    return same2<T, F>;
  else
    return same3<T, F>;
}
template <typename T, uint32_t Operands, typename F>
Handler rounded(bool isDirected) {
  constexpr Handler handler = plain<T, Operands, F>();
  return isDirected ? &directed<handler> : handler;
}

struct Modifiers {
  bool ftz = false, sat = false;
  int rounding = 0;
};

template <typename Op, uint32_t Operands>
Handler pickSingle(const Modifiers &m) {
  bool isDirected = m.rounding > 0;
  if (m.ftz)
    return m.sat
               ? rounded<float, Operands, Modified<Op, true, true>>(isDirected)
               : rounded<float, Operands, Modified<Op, true, false>>(
                     isDirected);
  return m.sat
             ? rounded<float, Operands, Modified<Op, false, true>>(isDirected)
             : rounded<float, Operands, Modified<Op, false, false>>(isDirected);
}
template <typename Op, uint32_t Operands>
Handler pick(Type type, const Modifiers &m) {
  if (type == Type::F64)
    return rounded<double, Operands, Modified<Op, false, false>>(m.rounding >
                                                                 0);
  return type == Type::F32 ? pickSingle<Op, Operands>(m) : nullptr;
}

/// Both numbers of a pair.
template <typename Op, bool Ftz> struct PackedSingles {
  template <typename... T> uint64_t operator()(T... pairs) const {
    return at(0, pairs...) | at(32, pairs...) << 32;
  }

private:
  template <typename... T> static uint64_t at(uint32_t shift, T... pairs) {
    return std::bit_cast<uint32_t>(Modified<Op, Ftz, false>{}(
        std::bit_cast<float>(uint32_t(pairs >> shift))...));
  }
};
template <typename Op, uint32_t Operands>
Handler pickPacked(const Modifiers &m) {
  bool isDirected = m.rounding > 0;
  return m.ftz
             ? rounded<uint64_t, Operands, PackedSingles<Op, true>>(isDirected)
             : rounded<uint64_t, Operands, PackedSingles<Op, false>>(
                   isDirected);
}

/// Operands of f32 and of a 16-bit format.
template <typename Format, typename Op, bool Sat> struct MixedSingles {
  template <typename... T> float operator()(T... values) const {
    return Modified<Op, false, Sat>{}(single(values)...);
  }

private:
  static float single(uint16_t bits) { return float(Format::unpack(bits)); }
  static float single(float value) { return value; }
};
/// All operands but the last are 16-bit numbers.
template <uint32_t Operands, typename F> Handler mixedHandler(bool isDirected) {
  if constexpr (Operands == 2) {
    constexpr Handler handler = &binary<float, uint16_t, float, F>;
    return isDirected ? &directed<handler> : handler;
  } else {
    constexpr Handler handler = &ternary<float, uint16_t, uint16_t, float, F>;
    return isDirected ? &directed<handler> : handler;
  }
}
template <typename Op, uint32_t Operands>
Handler pickMixed(Type narrow, const Modifiers &m) {
  bool isDirected = m.rounding > 0;
  if (narrow == Type::F16)
    return m.sat ? mixedHandler<Operands, MixedSingles<F16Format, Op, true>>(
                       isDirected)
                 : mixedHandler<Operands, MixedSingles<F16Format, Op, false>>(
                       isDirected);
  if (narrow != Type::BF16)
    return nullptr;
  return m.sat ? mixedHandler<Operands, MixedSingles<BF16Format, Op, true>>(
                     isDirected)
               : mixedHandler<Operands, MixedSingles<BF16Format, Op, false>>(
                     isDirected);
}

Modifiers takeModifiers(Decoder &decoder) {
  Modifiers result;
  result.rounding = decoder.takeOneOf({"rn", "rz", "rm", "rp"});
  result.ftz = decoder.take("ftz");
  result.sat = decoder.take("sat");
  decoder.out.flags = std::max(result.rounding, 0);
  return result;
}

template <typename Op> struct OfThree {
  float operator()(float a, float b, float c) const {
    return Op{}(Op{}(a, b), c);
  }
};
template <typename Op>
Handler pickExtremum(Type type, const Modifiers &m, uint32_t sources) {
  if (sources == 2)
    return pick<Op, 2>(type, m);
  return type == Type::F32 ? pickSingle<OfThree<Op>, 3>(m) : nullptr;
}

Handler minimumOrMaximum(Decoder &decoder, Type type, const Modifiers &m,
                         uint32_t &sources) {
  sources = decoder.count() == 4 ? 3 : 2;
  bool propagate = decoder.take("NaN");
  if (decoder.head() == "min")
    return propagate
               ? pickExtremum<ops::Propagating<ops::Minimum>>(type, m, sources)
               : pickExtremum<ops::Minimum>(type, m, sources);
  return propagate
             ? pickExtremum<ops::Propagating<ops::Maximum>>(type, m, sources)
             : pickExtremum<ops::Maximum>(type, m, sources);
}

/// Opcode -> handler and number of sources.
Handler handlerOf(Decoder &decoder, Type type, const Modifiers &m,
                  uint32_t &sources) {
  std::string_view name = decoder.head();
  sources = 2;
  if (name == "add")
    return pick<ops::Add, 2>(type, m);
  if (name == "sub")
    return pick<ops::Subtract, 2>(type, m);
  if (name == "mul")
    return pick<ops::Multiply, 2>(type, m);
  if (name == "div") {
    // .approx and .full may be off by 2 units in the last place; IEEE
    // division is among what they may give.
    decoder.takeOneOf({"approx", "full"});
    return pick<ops::Divide, 2>(type, m);
  }
  if (name == "min" || name == "max")
    return minimumOrMaximum(decoder, type, m, sources);
  if (name == "copysign")
    return pick<ops::CopySign, 2>(type, m);
  sources = 3;
  if (name == "fma" || name == "mad")
    return pick<ops::MultiplyAdd, 3>(type, m);
  sources = 1;
  if (name == "abs")
    return pick<ops::Absolute, 1>(type, m);
  if (name == "neg")
    return pick<ops::Negate, 1>(type, m);
  bool approximate = decoder.take("approx");
  if (name == "rcp")
    return pick<ops::Reciprocal, 1>(type, m);
  if (name == "sqrt")
    return pick<ops::SquareRoot, 1>(type, m);
  if (!approximate)
    return nullptr;
  if (name == "rsqrt")
    return pick<ops::ReciprocalSquareRoot, 1>(type, m);
  if (name == "ex2")
    return pick<ops::Exponential2, 1>(type, m);
  if (name == "lg2")
    return pick<ops::Logarithm2, 1>(type, m);
  if (name == "sin")
    return pick<ops::Sine, 1>(type, m);
  if (name == "cos")
    return pick<ops::Cosine, 1>(type, m);
  return name == "tanh" ? pick<ops::HyperbolicTangent, 1>(type, m) : nullptr;
}

Handler packedHandler(std::string_view name, const Modifiers &m) {
  if (name == "add")
    return pickPacked<ops::Add, 2>(m);
  if (name == "sub")
    return pickPacked<ops::Subtract, 2>(m);
  if (name == "mul")
    return pickPacked<ops::Multiply, 2>(m);
  return name == "fma" ? pickPacked<ops::MultiplyAdd, 3>(m) : nullptr;
}

Handler mixedHandlerOf(std::string_view name, Type narrow, const Modifiers &m) {
  if (name == "add")
    return pickMixed<ops::Add, 2>(narrow, m);
  if (name == "sub")
    return pickMixed<ops::Subtract, 2>(narrow, m);
  return name == "fma" ? pickMixed<ops::MultiplyAdd, 3>(narrow, m) : nullptr;
}

/// In these forms an fma has no rounding that goes without saying.
bool hasRounding(Decoder &decoder, const Modifiers &modifiers) {
  return decoder.head() != "fma" || modifiers.rounding >= 0 ||
         decoder.fail("an fma needs its rounding");
}

/// add d, a, c; fma d, a, b, c: a and b have the type `narrow`.
bool decodeMixed(Decoder &decoder, Type narrow, const Modifiers &modifiers) {
  uint32_t bytes = bytesOf(narrow), sources = decoder.head() == "fma" ? 3 : 2;
  Instruction &out = decoder.out;
  if (modifiers.ftz)
    return decoder.fail("'.ftz' is not known here");
  Handler handler = mixedHandlerOf(decoder.head(), narrow, modifiers);
  return hasRounding(decoder, modifiers) &&
         decoder.operands(sources + 1, sources + 1) &&
         decoder.destination(0, 4, out.dst) &&
         decoder.source(1, bytes, out.a) &&
         decoder.source(2, sources == 2 ? 4 : bytes, out.b) &&
         (sources == 2 || decoder.source(3, 4, out.c)) && decoder.set(handler);
}

bool decodeFloat(Decoder &decoder) {
  if (decoder.head() == "fma" && decoder.take("f32x2"))
    return decodePackedSingles(decoder);
  Type type = decoder.takeType();
  return type != Type::None && decodeFloatArithmetic(decoder, type);
}
} // namespace

bool decodeFloatArithmetic(Decoder &decoder, Type type) {
  if (type != Type::F32 && type != Type::F64)
    return decodeHalfArithmetic(decoder, type);
  uint32_t sources = 0, bytes = bytesOf(type);
  Modifiers modifiers = takeModifiers(decoder);
  if (Type narrow = decoder.takeType(); narrow != Type::None)
    return type == Type::F32 ? decodeMixed(decoder, narrow, modifiers)
                             : decoder.set(nullptr);
  Handler handler = handlerOf(decoder, type, modifiers, sources);
  return decoder.operands(sources + 1, sources + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         (sources < 2 || decoder.source(2, bytes, decoder.out.b)) &&
         (sources < 3 || decoder.source(3, bytes, decoder.out.c)) &&
         decoder.set(handler);
}

bool decodePackedSingles(Decoder &decoder) {
  constexpr uint32_t bytes = 8;
  uint32_t sources = decoder.head() == "fma" ? 3 : 2;
  Modifiers modifiers = takeModifiers(decoder);
  if (modifiers.sat)
    return decoder.fail("'.sat' is not known here");
  return hasRounding(decoder, modifiers) &&
         decoder.operands(sources + 1, sources + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, bytes, decoder.out.b) &&
         (sources == 2 || decoder.source(3, bytes, decoder.out.c)) &&
         decoder.set(packedHandler(decoder.head(), modifiers));
}

void addFloatOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  for (const char *name : {"fma", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin",
                           "cos", "tanh", "copysign"})
    table[name] = decodeFloat;
}

} // namespace tripy::emulator
