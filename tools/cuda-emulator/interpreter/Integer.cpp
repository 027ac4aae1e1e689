//===- Integer.cpp - Integer arithmetic -------------------------*- C++ -*-===//
#include "Decoder.h"
#include "Lanes.h"

#include <limits>
#include <type_traits>

namespace tripy::emulator {

namespace {
// Computed in the unsigned type of at least 32 bits, where it wraps around.
template <typename T>
using Wrap =
    std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
template <typename T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using type = int64_t;
};
template <> struct WideOf<uint64_t> {
  using type = unsigned __int128;
};
template <> struct WideOf<int64_t> {
  using type = __int128;
};
template <typename T> using Wide = typename WideOf<T>::type;

template <typename T> struct Add {
  T operator()(T a, T b) const { return Wrap<T>(a) + Wrap<T>(b); }
};
template <typename T> struct AddSaturated {
  T operator()(T a, T b) const {
    Wide<T> sum = Wide<T>(a) + b;
    if (sum > std::numeric_limits<T>::max())
      return std::numeric_limits<T>::max();
    return sum < std::numeric_limits<T>::min() ? std::numeric_limits<T>::min()
                                               : T(sum);
  }
};
template <typename T> struct Subtract {
  T operator()(T a, T b) const { return Wrap<T>(a) - Wrap<T>(b); }
};
template <typename T> struct SubtractSaturated {
  T operator()(T a, T b) const {
    Wide<T> sum = Wide<T>(a) - b;
    if (sum > std::numeric_limits<T>::max())
      return std::numeric_limits<T>::max();
    return sum < std::numeric_limits<T>::min() ? std::numeric_limits<T>::min()
                                               : T(sum);
  }
};
template <typename T> struct MultiplyLow {
  T operator()(T a, T b) const { return Wrap<T>(a) * Wrap<T>(b); }
};
template <typename T> struct MultiplyHigh {
  T operator()(T a, T b) const { return (Wide<T>(a) * b) >> (8 * sizeof(T)); }
};
template <typename T> struct MultiplyWide {
  Wide<T> operator()(T a, T b) const { return Wide<T>(a) * b; }
};
template <typename T> struct MultiplyAddLow {
  T operator()(T a, T b, T c) const {
    return Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c);
  }
};
template <typename T> struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const {
    return Wrap<T>(MultiplyHigh<T>{}(a, b)) + Wrap<T>(c);
  }
};
template <typename T> struct MultiplyAddWide {
  using W = Wide<T>;
  W operator()(T a, T b, W c) const {
    return std::make_unsigned_t<W>(W(a) * b) + std::make_unsigned_t<W>(c);
  }
};
// The result of a division by zero is machine-specific: all ones here.
template <typename T> struct Divide {
  T operator()(T a, T b) const {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(Wrap<T>(0) - Wrap<T>(a));
    return a / b;
  }
};
template <typename T> struct Remainder {
  T operator()(T a, T b) const {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
};
template <typename T> struct Minimum {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct Maximum {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct MinimumRelu {
  T operator()(T a, T b) const { return std::max<T>(b < a ? b : a, 0); }
};
template <typename T> struct MaximumRelu {
  T operator()(T a, T b) const { return std::max<T>(a < b ? b : a, 0); }
};
template <typename T> struct Absolute {
  T operator()(T a) const { return a < 0 ? T(Wrap<T>(0) - Wrap<T>(a)) : a; }
};
template <typename T> struct Negate {
  T operator()(T a) const { return Wrap<T>(0) - Wrap<T>(a); }
};
template <typename T> struct AbsoluteDifference {
  T operator()(T a, T b, T c) const {
    Wrap<T> difference =
        a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
    return difference + Wrap<T>(c);
  }
};

/// Each half of a register by itself.
template <template <typename> class F, typename T> struct Halves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    auto half = [&](uint32_t shift) {
      uint16_t result = F<T>{}(T(a >> shift), T(b >> shift));
      return uint32_t(result) << shift;
    };
    return half(0) | half(16);
  }
};

/// For pairs, which some instructions have since sm_90.
template <template <typename> class F> Handler pickPair(Type type) {
  return type == Type::S16x2   ? same2<uint32_t, Halves<F, int16_t>>
         : type == Type::U16x2 ? same2<uint32_t, Halves<F, uint16_t>>
                               : nullptr;
}

template <template <typename> class F> Handler pick1(Type type) {
  switch (type) {
  case Type::S16:
    return same1<int16_t, F<int16_t>>;
  case Type::S32:
    return same1<int32_t, F<int32_t>>;
  case Type::S64:
    return same1<int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class F> Handler pick2(Type type) {
  switch (type) {
  case Type::U16:
    return same2<uint16_t, F<uint16_t>>;
  case Type::U32:
    return same2<uint32_t, F<uint32_t>>;
  case Type::U64:
    return same2<uint64_t, F<uint64_t>>;
  case Type::S16:
    return same2<int16_t, F<int16_t>>;
  case Type::S32:
    return same2<int32_t, F<int32_t>>;
  case Type::S64:
    return same2<int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class F> Handler pick3(Type type) {
  switch (type) {
  case Type::U16:
    return same3<uint16_t, F<uint16_t>>;
  case Type::U32:
    return same3<uint32_t, F<uint32_t>>;
  case Type::U64:
    return same3<uint64_t, F<uint64_t>>;
  case Type::S16:
    return same3<int16_t, F<int16_t>>;
  case Type::S32:
    return same3<int32_t, F<int32_t>>;
  case Type::S64:
    return same3<int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}
template <typename T>
constexpr Handler wide2 = &binary<Wide<T>, T, T, MultiplyWide<T>>;
template <typename T>
constexpr Handler wide3 = &ternary<Wide<T>, T, T, Wide<T>, MultiplyAddWide<T>>;

/// add.cc, addc, sub.cc, subc, mad.cc is not known. flags: 1 use the carry, 2
/// set it, 4 subtract.
template <typename T>
Next withCarry(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](uint32_t lane) {
    Wide<T> a = warp.reg<T>(i.a)[lane], b = warp.reg<T>(i.b)[lane];
    Wide<T> carry = i.flags & 1 ? (warp.carry >> lane) & 1 : 0;
    Wide<T> sum = i.flags & 4 ? a - b - carry : a + b + carry;
    warp.reg<T>(i.dst)[lane] = T(sum);
    if (i.flags & 2) {
      uint32_t out = (sum >> (8 * sizeof(T))) != 0;
      warp.carry = (warp.carry & ~(1u << lane)) | out << lane;
    }
  });
  return Next::Continue;
}

bool sources(Decoder &decoder, uint32_t bytes, size_t count) {
  return bytes != 0 && decoder.operands(count + 1, count + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         (count < 2 || decoder.source(2, bytes, decoder.out.b)) &&
         (count < 3 || decoder.source(3, bytes, decoder.out.c));
}

bool decodeCarry(Decoder &decoder, bool in) {
  bool subtract = decoder.head().starts_with("sub");
  bool out = decoder.take("cc");
  Type type = decoder.takeType();
  decoder.out.flags = (in ? 1 : 0) | (out ? 2 : 0) | (subtract ? 4 : 0);
  uint32_t bytes = bytesOf(type);
  return sources(decoder, bytes, 2) &&
         decoder.set(bytes == 4   ? &withCarry<uint32_t>
                     : bytes == 8 ? &withCarry<uint64_t>
                                  : nullptr);
}

bool addOrSubtract(Decoder &decoder) {
  bool subtract = decoder.head() == "sub";
  if (decoder.statement.opcode.find(".cc") != std::string::npos)
    return decodeCarry(decoder, false);
  if (decoder.take("f32x2"))
    return decodePackedSingles(decoder);
  Type type = decoder.takeType();
  if (isFloat(type))
    return decodeFloatArithmetic(decoder, type);
  if (decoder.take("sat") && type == Type::S32)
    return sources(decoder, 4, 2) &&
           decoder.set(subtract ? same2<int32_t, SubtractSaturated<int32_t>>
                                : same2<int32_t, AddSaturated<int32_t>>);
  Handler handler = subtract ? pick2<Subtract>(type) : pick2<Add>(type);
  if (!handler && !subtract)
    handler = pickPair<Add>(type);
  return sources(decoder, bytesOf(type), 2) && decoder.set(handler);
}

bool carryIn(Decoder &decoder) { return decodeCarry(decoder, true); }

bool multiply(Decoder &decoder) {
  bool add = decoder.head() == "mad";
  if (!add && decoder.take("f32x2"))
    return decodePackedSingles(decoder);
  int part = decoder.takeOneOf({"lo", "hi", "wide"});
  Type type = decoder.takeType();
  if (isFloat(type))
    return decodeFloatArithmetic(decoder, type);
  uint32_t bytes = bytesOf(type);
  if (part == 0)
    return sources(decoder, bytes, add ? 3 : 2) &&
           decoder.set(add ? pick3<MultiplyAddLow>(type)
                           : pick2<MultiplyLow>(type));
  if (part == 1)
    return sources(decoder, bytes, add ? 3 : 2) &&
           decoder.set(add ? pick3<MultiplyAddHigh>(type)
                           : pick2<MultiplyHigh>(type));
  if (part != 2 || !decoder.operands(add ? 4 : 3, add ? 4 : 3) ||
      !decoder.destination(0, 2 * bytes, decoder.out.dst) ||
      !decoder.source(1, bytes, decoder.out.a) ||
      !decoder.source(2, bytes, decoder.out.b) ||
      (add && !decoder.source(3, 2 * bytes, decoder.out.c)))
    return false;
  switch (type) {
  case Type::U16:
    return decoder.set(add ? wide3<uint16_t> : wide2<uint16_t>);
  case Type::S16:
    return decoder.set(add ? wide3<int16_t> : wide2<int16_t>);
  case Type::U32:
    return decoder.set(add ? wide3<uint32_t> : wide2<uint32_t>);
  case Type::S32:
    return decoder.set(add ? wide3<int32_t> : wide2<int32_t>);
  default:
    return false;
  }
}

template <template <typename> class F> bool integerOrFloat(Decoder &decoder) {
  bool relu = decoder.statement.opcode.find(".relu") != std::string::npos;
  Type type = decoder.takeType();
  if (isFloat(type))
    return decodeFloatArithmetic(decoder, type);
  if (relu && type == Type::S32 && decoder.take("relu"))
    return sources(decoder, 4, 2) &&
           decoder.set(decoder.head() == "min"
                           ? same2<int32_t, MinimumRelu<int32_t>>
                           : same2<int32_t, MaximumRelu<int32_t>>);
  return sources(decoder, bytesOf(type), 2) && decoder.set(pick2<F>(type));
}

template <template <typename> class F> bool extremum(Decoder &decoder) {
  for (Type pair : {Type::S16x2, Type::U16x2})
    if (decoder.take(pair == Type::S16x2 ? "s16x2" : "u16x2"))
      return sources(decoder, 4, 2) && decoder.set(pickPair<F>(pair));
  return integerOrFloat<F>(decoder);
}

template <template <typename> class F> bool signedOrFloat(Decoder &decoder) {
  Type type = decoder.takeType();
  if (isFloat(type))
    return decodeFloatArithmetic(decoder, type);
  return sources(decoder, bytesOf(type), 1) && decoder.set(pick1<F>(type));
}

bool absoluteDifference(Decoder &decoder) {
  Type type = decoder.takeType();
  return sources(decoder, bytesOf(type), 3) &&
         decoder.set(pick3<AbsoluteDifference>(type));
}

/// dp4a: four products of bytes. A, B: signedness.
template <typename A, typename B> struct DotOfBytes {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (uint32_t shift = 0; shift < 32; shift += 8)
      c += uint32_t(int32_t(A(a >> shift)) * int32_t(B(b >> shift)));
    return c;
  }
};

bool dotOfBytes(Decoder &decoder) {
  Type a = decoder.takeType(), b = decoder.takeType();
  bool signedA = a == Type::S32, signedB = b == Type::S32;
  using T = uint32_t;
  Handler handler = signedA
                        ? (signedB ? same3<T, DotOfBytes<int8_t, int8_t>>
                                   : same3<T, DotOfBytes<int8_t, uint8_t>>)
                        : (signedB ? same3<T, DotOfBytes<uint8_t, int8_t>>
                                   : same3<T, DotOfBytes<uint8_t, uint8_t>>);
  return bytesOf(a) == 4 && bytesOf(b) == 4 && sources(decoder, 4, 3) &&
         decoder.set(handler);
}
} // namespace

void addIntegerOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["add"] = table["sub"] = addOrSubtract;
  table["addc"] = table["subc"] = carryIn;
  table["mul"] = table["mad"] = multiply;
  table["div"] = integerOrFloat<Divide>;
  table["rem"] = integerOrFloat<Remainder>;
  table["min"] = extremum<Minimum>;
  table["max"] = extremum<Maximum>;
  table["abs"] = signedOrFloat<Absolute>;
  table["neg"] = signedOrFloat<Negate>;
  table["sad"] = absoluteDifference;
  table["dp4a"] = dotOfBytes;
}

} // namespace tripy::emulator
