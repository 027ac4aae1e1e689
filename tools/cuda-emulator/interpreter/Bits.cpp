//===- Bits.cpp - Bitwise instructions, shifts and moves --------*- C++ -*-===//
#include "Decoder.h"
#include "Lanes.h"

#include <algorithm>
#include <type_traits>

namespace tripy::emulator {

namespace {
struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
struct Not {
  template <typename T> T operator()(T a) const { return ~a; }
};
struct LogicalNot {
  template <typename T> T operator()(T a) const { return a == 0; }
};
struct Copy {
  template <typename T> T operator()(T a) const { return a; }
};
struct CountLeadingZeros {
  template <typename T> uint32_t operator()(T a) const {
    return std::countl_zero(a);
  }
};
struct CountOnes {
  template <typename T> uint32_t operator()(T a) const {
    return std::popcount(a);
  }
};
struct Reverse {
  template <typename T> T operator()(T a) const {
    T result = 0;
    for (uint32_t bit = 0; bit < 8 * sizeof(T); ++bit)
      result |= ((a >> bit) & 1) << (8 * sizeof(T) - 1 - bit);
    return result;
  }
};
// Amounts beyond the width shift everything out.
template <typename T> struct ShiftLeft {
  T operator()(T a, uint32_t n) const {
    return n >= 8 * sizeof(T) ? 0 : T(a << n);
  }
};
template <typename T> struct ShiftRight {
  T operator()(T a, uint32_t n) const {
    if (n >= 8 * sizeof(T))
      n = std::is_signed_v<T> ? 8 * sizeof(T) - 1 : n;
    return n >= 8 * sizeof(T) ? 0 : T(a >> n);
  }
};
template <typename T> struct ExtractField {
  T operator()(T a, uint32_t position, uint32_t length) const {
    constexpr uint32_t bits = 8 * sizeof(T);
    using U = std::make_unsigned_t<T>;
    position &= 0xFF;
    length &= 0xFF;
    if (length == 0)
      return 0;
    U value = position < bits ? U(a) >> position : 0;
    uint32_t top = std::min(position + length - 1, bits - 1);
    U sign = std::is_signed_v<T> ? (U(a) >> top) & 1 : 0;
    // Bits of the field that lie in the value.
    uint32_t kept = position < bits ? std::min(length, bits - position) : 0;
    U mask = kept >= bits ? ~U(0) : (U(1) << kept) - 1;
    return T((value & mask) | (sign ? ~mask : U(0)));
  }
};
template <typename T> struct FindLeading {
  uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    U value = std::is_signed_v<T> && a < 0 ? ~U(a) : U(a);
    return value ? 8 * sizeof(T) - 1 - std::countl_zero(value) : ~0u;
  }
};
template <typename T> struct FindShift {
  uint32_t operator()(T a) const {
    uint32_t at = FindLeading<T>{}(a);
    return at == ~0u ? at : 8 * sizeof(T) - 1 - at;
  }
};

bool operandsOf(Decoder &decoder, uint32_t bytes, size_t count) {
  return decoder.operands(count + 1, count + 1) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         (count < 2 || decoder.source(2, bytes, decoder.out.b));
}

template <typename F>
Next predicates2(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t value = F{}(warp.predicate(i.a), warp.predicate(i.b));
  uint32_t &d = warp.predicate(i.dst);
  d = (d & ~mask) | (value & mask);
  return Next::Continue;
}
template <typename F>
Next predicates1(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t value = F{}(warp.predicate(i.a));
  uint32_t &d = warp.predicate(i.dst);
  d = (d & ~mask) | (value & mask);
  return Next::Continue;
}

template <typename F> Handler logic2(Type type) {
  switch (type) {
  case Type::Pred:
    return &predicates2<F>;
  case Type::B16:
    return same2<uint16_t, F>;
  case Type::B32:
    return same2<uint32_t, F>;
  case Type::B64:
    return same2<uint64_t, F>;
  default:
    return nullptr;
  }
}
template <typename F> bool logic(Decoder &decoder) {
  Type type = decoder.takeType();
  return operandsOf(decoder, bytesOf(type), 2) && decoder.set(logic2<F>(type));
}
template <typename F> bool logicNot(Decoder &decoder) {
  Type type = decoder.takeType();
  Handler handler = type == Type::Pred  ? &predicates1<F>
                    : type == Type::B16 ? same1<uint16_t, F>
                    : type == Type::B32 ? same1<uint32_t, F>
                    : type == Type::B64 ? same1<uint64_t, F>
                                        : nullptr;
  return operandsOf(decoder, bytesOf(type), 1) && decoder.set(handler);
}

template <template <typename> class F> Handler shiftOf(Type type) {
  using Amount = uint32_t;
  switch (type) {
  case Type::B16:
  case Type::U16:
    return &binary<uint16_t, uint16_t, Amount, F<uint16_t>>;
  case Type::B32:
  case Type::U32:
    return &binary<uint32_t, uint32_t, Amount, F<uint32_t>>;
  case Type::B64:
  case Type::U64:
    return &binary<uint64_t, uint64_t, Amount, F<uint64_t>>;
  case Type::S16:
    return &binary<int16_t, int16_t, Amount, F<int16_t>>;
  case Type::S32:
    return &binary<int32_t, int32_t, Amount, F<int32_t>>;
  case Type::S64:
    return &binary<int64_t, int64_t, Amount, F<int64_t>>;
  default:
    return nullptr;
  }
}
template <template <typename> class F> bool shift(Decoder &decoder) {
  Type type = decoder.takeType();
  return decoder.operands(3, 3) &&
         decoder.destination(0, bytesOf(type), decoder.out.dst) &&
         decoder.source(1, bytesOf(type), decoder.out.a) &&
         decoder.source(2, 4, decoder.out.b) && decoder.set(shiftOf<F>(type));
}

bool extractField(Decoder &decoder) {
  Type type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  using N = uint32_t;
  Handler handler =
      type == Type::U32
          ? &ternary<uint32_t, uint32_t, N, N, ExtractField<uint32_t>>
      : type == Type::S32
          ? &ternary<int32_t, int32_t, N, N, ExtractField<int32_t>>
      : type == Type::U64
          ? &ternary<uint64_t, uint64_t, N, N, ExtractField<uint64_t>>
      : type == Type::S64
          ? &ternary<int64_t, int64_t, N, N, ExtractField<int64_t>>
          : nullptr;
  return decoder.operands(4, 4) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, 4, decoder.out.b) &&
         decoder.source(3, 4, decoder.out.c) && decoder.set(handler);
}

/// bfi d, a, b, position, length: a into b.
template <typename T>
Next insertField(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](uint32_t lane) {
    uint32_t position = warp.reg<uint32_t>(i.c)[lane] & 0xFF;
    uint32_t length = warp.reg<uint32_t>(i.d)[lane] & 0xFF;
    constexpr uint32_t bits = 8 * sizeof(T);
    T value = warp.reg<T>(i.b)[lane];
    if (position < bits && length) {
      T field = length >= bits ? ~T(0) : (T(1) << length) - 1;
      value = (value & ~T(field << position)) |
              ((warp.reg<T>(i.a)[lane] & field) << position);
    }
    warp.reg<T>(i.dst)[lane] = value;
  });
  return Next::Continue;
}

bool insertFieldOf(Decoder &decoder) {
  uint32_t bytes = bytesOf(decoder.takeType());
  return decoder.operands(5, 5) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, bytes, decoder.out.b) &&
         decoder.source(3, 4, decoder.out.c) &&
         decoder.source(4, 4, decoder.out.d) &&
         decoder.set(bytes == 4   ? &insertField<uint32_t>
                     : bytes == 8 ? &insertField<uint64_t>
                                  : nullptr);
}

template <typename F> bool countBits(Decoder &decoder) {
  Type type = decoder.takeType();
  return decoder.operands(2, 2) && decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, bytesOf(type), decoder.out.a) &&
         decoder.set(type == Type::B32   ? &unary<uint32_t, uint32_t, F>
                     : type == Type::B64 ? &unary<uint32_t, uint64_t, F>
                                         : nullptr);
}

bool reverseBits(Decoder &decoder) {
  Type type = decoder.takeType();
  return operandsOf(decoder, bytesOf(type), 1) &&
         decoder.set(type == Type::B32   ? same1<uint32_t, Reverse>
                     : type == Type::B64 ? same1<uint64_t, Reverse>
                                         : nullptr);
}

template <template <typename> class F> Handler findOf(Type type) {
  switch (type) {
  case Type::U32:
    return &unary<uint32_t, uint32_t, F<uint32_t>>;
  case Type::S32:
    return &unary<uint32_t, int32_t, F<int32_t>>;
  case Type::U64:
    return &unary<uint32_t, uint64_t, F<uint64_t>>;
  case Type::S64:
    return &unary<uint32_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}
bool findLeading(Decoder &decoder) {
  bool shiftAmount = decoder.take("shiftamt");
  Type type = decoder.takeType();
  return decoder.operands(2, 2) && decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, bytesOf(type), decoder.out.a) &&
         decoder.set(shiftAmount ? findOf<FindShift>(type)
                                 : findOf<FindLeading>(type));
}

/// prmt in its general mode: each selector nibble takes one of 8 bytes, its
/// top bit replicates the sign of that byte.
struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t nibble = selector >> (4 * i);
      uint32_t byte = (bytes >> (8 * (nibble & 7))) & 0xFF;
      if (nibble & 8)
        byte = byte & 0x80 ? 0xFF : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};

template <bool Left, bool Wrapped> struct Funnel {
  uint32_t operator()(uint32_t low, uint32_t high, uint32_t n) const {
    n = Wrapped ? n & 31 : std::min(n, 32u);
    uint64_t both = uint64_t(high) << 32 | low;
    return Left ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  }
};

bool ternaryOf32(Decoder &decoder, Handler handler) {
  return decoder.take("b32") && decoder.operands(4, 4) &&
         decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, 4, decoder.out.a) &&
         decoder.source(2, 4, decoder.out.b) &&
         decoder.source(3, 4, decoder.out.c) && decoder.set(handler);
}
bool permuteBytes(Decoder &decoder) {
  return ternaryOf32(decoder, same3<uint32_t, Permute>);
}
bool funnel(Decoder &decoder) {
  using T = uint32_t;
  bool left = decoder.takeOneOf({"l", "r"}) == 0;
  bool wrapped = decoder.takeOneOf({"clamp", "wrap"}) == 1;
  return ternaryOf32(decoder, left
                                  ? (wrapped ? same3<T, Funnel<true, true>>
                                             : same3<T, Funnel<true, false>>)
                                  : (wrapped ? same3<T, Funnel<false, true>>
                                             : same3<T, Funnel<false, false>>));
}

Next lookup3(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](uint32_t lane) {
    uint32_t a = warp.reg<uint32_t>(i.a)[lane];
    uint32_t b = warp.reg<uint32_t>(i.b)[lane];
    uint32_t c = warp.reg<uint32_t>(i.c)[lane];
    uint32_t result = 0;
    for (uint32_t row = 0; row < 8; ++row)
      if (i.immediate >> row & 1)
        result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    warp.reg<uint32_t>(i.dst)[lane] = result;
  });
  return Next::Continue;
}
bool lookup(Decoder &decoder) {
  return decoder.take("b32") && decoder.operands(5, 5) &&
         decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, 4, decoder.out.a) &&
         decoder.source(2, 4, decoder.out.b) &&
         decoder.source(3, 4, decoder.out.c) &&
         decoder.integer(4, decoder.out.immediate) && decoder.set(&lookup3);
}

// --- mov ---------------------------------------------------------------------

/// A vector to one register (flags 0) or back (flags 1); the first element is
/// the lowest. bytes: of one element.
template <typename Whole, typename Part>
Next repack(Warp &warp, const Instruction &i, uint32_t mask) {
  const uint32_t *list =
      warp.block->cluster->launch->body.lists.data() + i.list;
  constexpr uint32_t count = sizeof(Whole) / sizeof(Part);
  eachLane(mask, [&](uint32_t lane) {
    Part parts[count];
    if (i.flags) {
      Whole value = warp.reg<Whole>(i.a)[lane];
      std::memcpy(parts, &value, sizeof(Whole));
      for (uint32_t k = 0; k < count; ++k)
        warp.reg<Part>(list[k])[lane] = parts[k];
    } else {
      for (uint32_t k = 0; k < count; ++k)
        parts[k] = warp.reg<Part>(list[k])[lane];
      std::memcpy(&warp.reg<Whole>(i.dst)[lane], parts, sizeof(Whole));
    }
  });
  return Next::Continue;
}

bool moveVector(Decoder &decoder, uint32_t bytes) {
  bool unpack = decoder.operand(0).kind == OperandKind::Vector;
  const Operand &vector = decoder.operand(unpack ? 0 : 1);
  size_t count = vector.elements.size();
  uint32_t part = count ? bytes / count : 0;
  std::vector<uint32_t> offsets(count);
  for (size_t k = 0; k < count; ++k)
    if (unpack ? !decoder.destination(vector.elements[k], part, offsets[k])
               : !decoder.source(vector.elements[k], part, offsets[k]))
      return false;
  decoder.out.list = decoder.list(offsets);
  decoder.out.flags = unpack;
  if (unpack ? !decoder.source(1, bytes, decoder.out.a)
             : !decoder.destination(0, bytes, decoder.out.dst))
    return false;
  Handler handler = nullptr;
  if (bytes == 4 && count == 2)
    handler = &repack<uint32_t, uint16_t>;
  else if (bytes == 8 && count == 2)
    handler = &repack<uint64_t, uint32_t>;
  else if (bytes == 8 && count == 4)
    handler = &repack<uint64_t, uint16_t>;
  return decoder.set(handler);
}

/// Clocks count the warp instructions of the launch: the emulator has no time.
template <typename T>
Next readClock(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t now = launchOf(warp).clock();
  eachLane(mask, [&](uint32_t lane) {
    warp.reg<T>(i.dst)[lane] = T(i.flags ? now >> 32 : now);
  });
  return Next::Yield;
}

bool move(Decoder &decoder) {
  Type type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  if (!decoder.operands(2, 2) || type == Type::None)
    return false;
  const Operand &from = decoder.operand(1);
  if (from.kind == OperandKind::Vector ||
      decoder.operand(0).kind == OperandKind::Vector)
    return moveVector(decoder, bytes);
  if (!decoder.destination(0, bytes, decoder.out.dst))
    return false;
  if (from.kind == OperandKind::Special && from.special > Special::LastFixed) {
    decoder.out.flags = from.special == Special::ClockHi;
    return decoder.set(bytes == 4 ? &readClock<uint32_t>
                                  : &readClock<uint64_t>);
  }
  return decoder.source(1, bytes, decoder.out.a) &&
         decoder.set(bytes == 0   ? &predicates1<Copy>
                     : bytes == 2 ? same1<uint16_t, Copy>
                     : bytes == 4 ? same1<uint32_t, Copy>
                     : bytes == 8 ? same1<uint64_t, Copy>
                                  : nullptr);
}
} // namespace

void addBitOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["and"] = logic<And>;
  table["or"] = logic<Or>;
  table["xor"] = logic<Xor>;
  table["not"] = logicNot<Not>;
  table["cnot"] = logicNot<LogicalNot>;
  table["shl"] = shift<ShiftLeft>;
  table["shr"] = shift<ShiftRight>;
  table["bfe"] = extractField;
  table["bfi"] = insertFieldOf;
  table["bfind"] = findLeading;
  table["clz"] = countBits<CountLeadingZeros>;
  table["popc"] = countBits<CountOnes>;
  table["brev"] = reverseBits;
  table["prmt"] = permuteBytes;
  table["shf"] = funnel;
  table["lop3"] = lookup;
  table["mov"] = move;
}

} // namespace tripy::emulator
