//===- Float.cpp - f32 and f64 arithmetic -----------------------*- C++ -*-===//
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
Handler pick(Type type, const Modifiers &m) {
  bool isDirected = m.rounding > 0;
  if (type == Type::F64)
    return rounded<double, Operands, Modified<Op, false, false>>(isDirected);
  if (type != Type::F32)
    return nullptr;
  if (m.ftz)
    return m.sat
               ? rounded<float, Operands, Modified<Op, true, true>>(isDirected)
               : rounded<float, Operands, Modified<Op, true, false>>(
                     isDirected);
  return m.sat
             ? rounded<float, Operands, Modified<Op, false, true>>(isDirected)
             : rounded<float, Operands, Modified<Op, false, false>>(isDirected);
}

Modifiers takeModifiers(Decoder &decoder) {
  Modifiers result;
  result.rounding = decoder.takeOneOf({"rn", "rz", "rm", "rp"});
  result.ftz = decoder.take("ftz");
  result.sat = decoder.take("sat");
  decoder.out.flags = std::max(result.rounding, 0);
  return result;
}

Handler minimumOrMaximum(Decoder &decoder, Type type, const Modifiers &m) {
  bool propagate = decoder.take("NaN");
  if (decoder.head() == "min")
    return propagate ? pick<ops::Propagating<ops::Minimum>, 2>(type, m)
                     : pick<ops::Minimum, 2>(type, m);
  return propagate ? pick<ops::Propagating<ops::Maximum>, 2>(type, m)
                   : pick<ops::Maximum, 2>(type, m);
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
    return minimumOrMaximum(decoder, type, m);
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

bool decodeFloat(Decoder &decoder) {
  Type type = decoder.takeType();
  return type != Type::None && decodeFloatArithmetic(decoder, type);
}
} // namespace

bool decodeFloatArithmetic(Decoder &decoder, Type type) {
  if (type != Type::F32 && type != Type::F64)
    return decodeHalfArithmetic(decoder, type);
  uint32_t sources = 0, bytes = bytesOf(type);
  Modifiers modifiers = takeModifiers(decoder);
  Handler handler = handlerOf(decoder, type, modifiers, sources);
  return decoder.operands(sources + 1, sources + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         (sources < 2 || decoder.source(2, bytes, decoder.out.b)) &&
         (sources < 3 || decoder.source(3, bytes, decoder.out.c)) &&
         decoder.set(handler);
}

void addFloatOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  for (const char *name : {"fma", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin",
                           "cos", "tanh", "copysign"})
    table[name] = decodeFloat;
}

} // namespace tripy::emulator
