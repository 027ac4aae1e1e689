//===- Compare.cpp - Comparisons and selections -----------------*- C++ -*-===//
#include "Decoder.h"
#include "Lanes.h"
#include "Numbers.h"

namespace tripy::emulator {

namespace {
enum Relation : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };

template <Relation R, bool OrUnordered> struct Test {
  template <typename T> bool operator()(T a, T b) const {
    bool unordered = a != a || b != b;
    if constexpr (R == Num)
      return !unordered;
    if constexpr (R == Nan)
      return unordered;
    bool result = R == Eq   ? a == b
                  : R == Ne ? a != b && !unordered
                  : R == Lt ? a < b
                  : R == Le ? a <= b
                  : R == Gt ? a > b
                            : a >= b;
    return result || (OrUnordered && unordered);
  }
};

// How the bits of a register become a number.
template <typename T> struct AsIs {
  using Raw = T;
  static T value(T raw) { return raw; }
};
struct Flushed {
  using Raw = float;
  static float value(float raw) { return flush(raw); }
};
template <typename Format> struct AsHalf {
  using Raw = uint16_t;
  static double value(uint16_t raw) { return Format::unpack(raw); }
};

/// The low halves of pairs; High: the others.
template <typename Format> struct AsHighHalf {
  using Raw = uint32_t;
  static double value(uint32_t raw) { return Format::unpack(raw >> 16); }
};
template <typename Format> struct AsPair {
  using Raw = uint32_t;
  using High = AsHighHalf<Format>;
  static double value(uint32_t raw) { return Format::unpack(raw & 0xFFFF); }
};
template <typename View>
constexpr bool isPair = requires { typename View::High; };

template <typename View, typename F>
uint32_t compareLanes(Warp &warp, const Instruction &i) {
  auto *a = warp.reg<typename View::Raw>(i.a);
  auto *b = warp.reg<typename View::Raw>(i.b);
  uint8_t results[32];
  for (uint32_t lane = 0; lane < 32; ++lane)
    results[lane] = F{}(View::value(a[lane]), View::value(b[lane]));
  uint32_t mask = 0;
  for (uint32_t lane = 0; lane < 32; ++lane)
    mask |= uint32_t(results[lane]) << lane;
  return mask;
}

enum Combination : uint8_t { Alone, CombineAnd, CombineOr, CombineXor };

/// setp p|q, a, b, c: flags = combination + 4 where c is negated; d is q. Of
/// pairs, p compares the low halves and q the high ones.
template <typename View, typename F>
Next setPredicate(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t p = compareLanes<View, F>(warp, i), q = ~p;
  if constexpr (isPair<View>)
    q = compareLanes<typename View::High, F>(warp, i);
  uint32_t c = warp.predicate(i.c) ^ (i.flags & 4 ? ~0u : 0);
  switch (i.flags & 3) {
  case CombineAnd:
    p &= c, q &= c;
    break;
  case CombineOr:
    p |= c, q |= c;
    break;
  case CombineXor:
    p ^= c, q ^= c;
    break;
  }
  uint32_t &first = warp.predicate(i.dst), &second = warp.predicate(i.d);
  second = (second & ~mask) | (q & mask);
  first = (first & ~mask) | (p & mask);
  return Next::Continue;
}

/// set.type: all ones, or 1.0 for a float (flags: 1).
template <typename View, typename F>
Next setValue(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t result = compareLanes<View, F>(warp, i);
  uint32_t yes = i.flags ? 0x3F800000 : ~0u;
  eachLane(mask, [&](uint32_t lane) {
    warp.reg<uint32_t>(i.dst)[lane] = result >> lane & 1 ? yes : 0;
  });
  return Next::Continue;
}

template <typename View, Relation R, bool U> Handler handlerOf(bool value) {
  if constexpr (isPair<View>)
    return value ? nullptr : &setPredicate<View, Test<R, U>>;
  else
    return value ? &setValue<View, Test<R, U>>
                 : &setPredicate<View, Test<R, U>>;
}

template <typename View> Handler relate(std::string_view name, bool value) {
  if (name == "eq")
    return handlerOf<View, Eq, false>(value);
  if (name == "ne")
    return handlerOf<View, Ne, false>(value);
  if (name == "lt" || name == "lo")
    return handlerOf<View, Lt, false>(value);
  if (name == "le" || name == "ls")
    return handlerOf<View, Le, false>(value);
  if (name == "gt" || name == "hi")
    return handlerOf<View, Gt, false>(value);
  if (name == "ge" || name == "hs")
    return handlerOf<View, Ge, false>(value);
  return nullptr;
}
template <typename View>
Handler relateFloat(std::string_view name, bool value) {
  if (name == "equ")
    return handlerOf<View, Eq, true>(value);
  if (name == "neu")
    return handlerOf<View, Ne, true>(value);
  if (name == "ltu")
    return handlerOf<View, Lt, true>(value);
  if (name == "leu")
    return handlerOf<View, Le, true>(value);
  if (name == "gtu")
    return handlerOf<View, Gt, true>(value);
  if (name == "geu")
    return handlerOf<View, Ge, true>(value);
  if (name == "num")
    return handlerOf<View, Num, false>(value);
  if (name == "nan")
    return handlerOf<View, Nan, false>(value);
  return relate<View>(name, value);
}

Handler comparison(Type type, std::string_view name, bool ftz, bool value) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return relate<AsIs<uint16_t>>(name, value);
  case Type::B32:
  case Type::U32:
    return relate<AsIs<uint32_t>>(name, value);
  case Type::B64:
  case Type::U64:
    return relate<AsIs<uint64_t>>(name, value);
  case Type::S16:
    return relate<AsIs<int16_t>>(name, value);
  case Type::S32:
    return relate<AsIs<int32_t>>(name, value);
  case Type::S64:
    return relate<AsIs<int64_t>>(name, value);
  case Type::F16:
    return relateFloat<AsHalf<F16Format>>(name, value);
  case Type::BF16:
    return relateFloat<AsHalf<BF16Format>>(name, value);
  case Type::F16x2:
    return relateFloat<AsPair<F16Format>>(name, value);
  case Type::BF16x2:
    return relateFloat<AsPair<BF16Format>>(name, value);
  case Type::F32:
    return ftz ? relateFloat<Flushed>(name, value)
               : relateFloat<AsIs<float>>(name, value);
  case Type::F64:
    return relateFloat<AsIs<double>>(name, value);
  default:
    return nullptr;
  }
}

std::string_view takeRelation(Decoder &decoder) {
  constexpr std::string_view names[] = {
      "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
      "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (std::string_view name : names)
    if (decoder.take(name))
      return name;
  return {};
}

bool setp(Decoder &decoder) {
  std::string_view relation = takeRelation(decoder);
  int combination = decoder.takeOneOf({"and", "or", "xor"});
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  bool pair = decoder.statement.pairs & 1;
  size_t first = pair ? 2 : 1, sources = combination < 0 ? 2 : 3;
  Instruction &out = decoder.out;
  if (!decoder.operands(first + sources, first + sources) ||
      !decoder.destination(0, 0, out.dst) ||
      !decoder.source(first, bytes, out.a) ||
      !decoder.source(first + 1, bytes, out.b))
    return false;
  out.d = decoder.body.scratch;
  if (pair && !decoder.destination(1, 0, out.d))
    return false;
  out.c = decoder.body.scratch;
  if (combination >= 0) {
    Operand c = decoder.operand(first + 2);
    out.flags = combination + 1 + (c.negated ? 4 : 0);
    c.negated = false;
    if (!decoder.source(c, 0, out.c))
      return false;
  }
  return decoder.set(comparison(type, relation, ftz, false));
}

bool setRegister(Decoder &decoder) {
  std::string_view relation = takeRelation(decoder);
  bool ftz = decoder.take("ftz");
  Type result = decoder.takeType(), type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  decoder.out.flags = result == Type::F32;
  return bytesOf(result) == 4 && decoder.operands(3, 3) &&
         decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, bytes, decoder.out.b) &&
         decoder.set(comparison(type, relation, ftz, true));
}

template <typename T>
Next select(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t p = warp.predicate(i.c);
  T *d = warp.reg<T>(i.dst);
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (uint32_t lane = 0; lane < 32; ++lane)
      d[lane] = p >> lane & 1 ? a[lane] : b[lane];
  } else {
    eachLane(mask, [&](uint32_t lane) {
      d[lane] = p >> lane & 1 ? a[lane] : b[lane];
    });
  }
  return Next::Continue;
}

bool selp(Decoder &decoder) {
  uint32_t bytes = bytesOf(decoder.takeType());
  return decoder.operands(4, 4) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, bytes, decoder.out.b) &&
         decoder.source(3, 0, decoder.out.c) &&
         decoder.set(bytes == 2   ? &select<uint16_t>
                     : bytes == 4 ? &select<uint32_t>
                     : bytes == 8 ? &select<uint64_t>
                                  : nullptr);
}

/// slct d, a, b, c: a where c >= 0.
template <typename C, bool Ftz> struct SelectBySign {
  template <typename T> T operator()(T a, T b, C c) const {
    if constexpr (Ftz)
      c = flush(c);
    return c >= 0 ? a : b;
  }
};
template <typename T> Handler slctOf(Type type, bool ftz) {
  if (type == Type::S32)
    return &ternary<T, T, T, int32_t, SelectBySign<int32_t, false>>;
  if (type != Type::F32)
    return nullptr;
  return ftz ? &ternary<T, T, T, float, SelectBySign<float, true>>
             : &ternary<T, T, T, float, SelectBySign<float, false>>;
}
bool slct(Decoder &decoder) {
  bool ftz = decoder.take("ftz");
  uint32_t bytes = bytesOf(decoder.takeType());
  Type type = decoder.takeType();
  return decoder.operands(4, 4) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, bytes, decoder.out.b) &&
         decoder.source(3, 4, decoder.out.c) &&
         decoder.set(bytes == 4   ? slctOf<uint32_t>(type, ftz)
                     : bytes == 8 ? slctOf<uint64_t>(type, ftz)
                                  : nullptr);
}

/// testp.what: flags is the index of the property.
template <typename T>
Next testProperty(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t result = 0;
  eachLane(mask, [&](uint32_t lane) {
    T a = warp.reg<T>(i.a)[lane];
    int kind = std::fpclassify(a);
    bool values[] = {kind != FP_INFINITE && kind != FP_NAN,
                     kind == FP_INFINITE,
                     kind != FP_NAN,
                     kind == FP_NAN,
                     kind == FP_NORMAL,
                     kind == FP_SUBNORMAL};
    result |= uint32_t(values[i.flags]) << lane;
  });
  uint32_t &d = warp.predicate(i.dst);
  d = (d & ~mask) | result;
  return Next::Continue;
}
bool testp(Decoder &decoder) {
  int property = decoder.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = decoder.takeType();
  decoder.out.flags = std::max(property, 0);
  return property >= 0 && isFloat(type) && decoder.operands(2, 2) &&
         decoder.destination(0, 0, decoder.out.dst) &&
         decoder.source(1, bytesOf(type), decoder.out.a) &&
         decoder.set(type == Type::F32   ? &testProperty<float>
                     : type == Type::F64 ? &testProperty<double>
                                         : nullptr);
}
} // namespace

void addCompareOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["setp"] = setp;
  table["set"] = setRegister;
  table["selp"] = selp;
  table["slct"] = slct;
  table["testp"] = testp;
}

} // namespace tripy::emulator
