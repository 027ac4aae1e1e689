//===- Convert.cpp - cvt ----------------------------------------*- C++ -*-===//
//
// A value is read as an exact whole number or double, converted, and rounded
// once to its new type. The common conversions have their own handlers.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Lanes.h"
#include "Numbers.h"

#include <algorithm>

namespace tripy::emulator {

namespace {
/// Packed into Instruction::immediate.
struct Form {
  Type to = Type::None, from = Type::None;
  int8_t rounding = 0; // rn, rz, rm, rp, rna
  bool toInteger = false, ftz = false, sat = false, relu = false;
};
static_assert(sizeof(Form) <= sizeof(int64_t));

using Whole = __int128;

uint64_t readRaw(Warp &warp, uint32_t offset, uint32_t bytes, uint32_t lane) {
  switch (bytes) {
  case 2:
    return warp.reg<uint16_t>(offset)[lane];
  case 4:
    return warp.reg<uint32_t>(offset)[lane];
  default:
    return warp.reg<uint64_t>(offset)[lane];
  }
}
void writeRaw(Warp &warp, uint32_t offset, uint32_t bytes, uint32_t lane,
              uint64_t value) {
  switch (bytes) {
  case 2:
    warp.reg<uint16_t>(offset)[lane] = value;
    break;
  case 4:
    warp.reg<uint32_t>(offset)[lane] = value;
    break;
  default:
    warp.reg<uint64_t>(offset)[lane] = value;
  }
}

Whole wholeOf(Type type, uint64_t raw) {
  uint32_t unused = 64 - 8 * bytesOf(type);
  if (isSigned(type))
    return int64_t(raw << unused) >> unused;
  return (raw << unused) >> unused;
}

double numberOf(Type type, uint64_t raw, bool ftz) {
  switch (type) {
  case Type::F16:
    return fromF16(raw);
  case Type::BF16:
    return fromBF16(raw);
  case Type::F32: {
    float value = std::bit_cast<float>(uint32_t(raw));
    return ftz ? flush(value) : value;
  }
  case Type::E4M3:
    return fromF8E4M3FN(raw);
  case Type::E5M2:
    return fromF8E5M2(raw);
  default:
    return std::bit_cast<double>(raw);
  }
}

/// The result of a conversion to nearest, moved to where directed rounding
/// puts it. The bits of a small float count up with its magnitude.
template <typename Pack, typename Unpack>
uint64_t roundSmall(double value, int rounding, Pack pack, Unpack unpack,
                    uint64_t signBit) {
  uint64_t bits = pack(value);
  double back = unpack(bits);
  if (rounding <= 0 || back == value || value != value)
    return bits;
  bool tooHigh = back > value, negative = value < 0;
  bool shrink = rounding == 1   ? tooHigh != negative
                : rounding == 2 ? tooHigh && !negative
                                : !tooHigh && negative;
  bool grow = rounding == 2   ? tooHigh && negative
              : rounding == 3 ? !tooHigh && !negative
                              : false;
  if (grow && (bits & ~signBit) == 0)
    bits = negative ? signBit : 0;
  return bits + (grow ? 1 : 0) - (shrink ? 1 : 0);
}

uint32_t toSingle(double value, int rounding) {
  float result = 0;
  if (rounding <= 0)
    result = static_cast<float>(value);
  else
    withRounding(hostRounding(rounding), [&] {
      volatile double kept = value;
      result = static_cast<float>(kept);
    });
  return std::bit_cast<uint32_t>(result);
}

/// Nearest with 10 bits of fraction; ties away from zero ("rna") or to even.
uint32_t toTF32(double value, int rounding) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if ((bits & 0x7F800000) == 0x7F800000)
    return bits;
  uint32_t half = rounding == 4 ? 0x1000 : 0x0FFF + (bits >> 13 & 1);
  return (rounding == 1 ? bits : bits + half) & ~0x1FFFu;
}

uint64_t packNumber(double value, const Form &form) {
  if (form.sat)
    value = saturate(value);
  if (form.relu && value < 0)
    value = 0;
  switch (form.to) {
  case Type::F16:
    return roundSmall(value, form.rounding, toF16, fromF16, 0x8000);
  case Type::BF16:
    return roundSmall(value, form.rounding, toBF16, fromBF16, 0x8000);
  case Type::F32: {
    uint32_t bits = toSingle(value, form.rounding);
    return form.ftz ? std::bit_cast<uint32_t>(flush(std::bit_cast<float>(bits)))
                    : bits;
  }
  case Type::TF32:
    return toTF32(value, form.rounding);
  case Type::E4M3:
    return toF8E4M3FN(value != value ? value
                                     : std::clamp(value, -448.0, 448.0));
  case Type::E5M2:
    return toF8E5M2(value != value ? value
                                   : std::clamp(value, -57344.0, 57344.0));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

Whole clampTo(Type type, Whole value) {
  uint32_t bits = 8 * bytesOf(type);
  Whole maximum = (Whole(1) << (isSigned(type) ? bits - 1 : bits)) - 1;
  return std::clamp(value, isSigned(type) ? -maximum - 1 : Whole(0), maximum);
}

double roundToWhole(double value, int rounding) {
  switch (rounding) {
  case 1:
    return std::trunc(value);
  case 2:
    return std::floor(value);
  case 3:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

uint64_t fromNumber(double value, const Form &form) {
  if (form.toInteger)
    value = roundToWhole(value, form.rounding);
  if (isFloat(form.to)) {
    Form rest = form;
    if (form.toInteger)
      rest.rounding = 0;
    return packNumber(value, rest);
  }
  if (value != value)
    return 0;
  // Beyond every integer type, so that it fits the whole number.
  value = std::clamp(value, -0x1p100, 0x1p100);
  return uint64_t(clampTo(form.to, Whole(value)));
}

uint64_t fromWhole(Whole value, const Form &form) {
  if (!isFloat(form.to))
    return uint64_t(
        wholeOf(form.to, uint64_t(form.sat ? clampTo(form.to, value) : value)));
  if (form.to == Type::F32 || form.to == Type::F64) {
    uint64_t bits = 0;
    withRounding(hostRounding(form.rounding), [&] {
      volatile uint64_t magnitude = uint64_t(value);
      volatile int64_t number = int64_t(value);
      bool large = value > INT64_MAX;
      if (form.to == Type::F32)
        bits =
            std::bit_cast<uint32_t>(large ? float(magnitude) : float(number));
      else
        bits =
            std::bit_cast<uint64_t>(large ? double(magnitude) : double(number));
    });
    return bits;
  }
  // Exact in double up to 2^53; beyond, a last bit records what lies below.
  if (value >> 53 != 0 && value >> 53 != -1 && (value & 0x7FF))
    value = (value & ~Whole(0x7FF)) | 0x400;
  return packNumber(double(value), form);
}

Form formOf(const Instruction &i) {
  Form form;
  std::memcpy(static_cast<void *>(&form), &i.immediate, sizeof(form));
  return form;
}

/// bytes: of the source register, count: of the destination register.
Next convertAny(Warp &warp, const Instruction &i, uint32_t mask) {
  Form form = formOf(i);
  eachLane(mask, [&](uint32_t lane) {
    uint64_t raw = readRaw(warp, i.a, i.bytes, lane);
    uint64_t result = isFloat(form.from)
                          ? fromNumber(numberOf(form.from, raw, form.ftz), form)
                          : fromWhole(wholeOf(form.from, raw), form);
    writeRaw(warp, i.dst, i.count, lane, result);
  });
  return Next::Continue;
}

/// Two values into one register: a is the high one. flags 1: both are f32 in a
/// and b; else the pair of halves or bytes in a.
Next convertPair(Warp &warp, const Instruction &i, uint32_t mask) {
  Form form = formOf(i);
  uint32_t toBits = 8 * bytesOf(form.to), fromBits = 8 * bytesOf(form.from);
  uint64_t keep = (uint64_t(1) << fromBits) - 1;
  eachLane(mask, [&](uint32_t lane) {
    uint64_t high = readRaw(warp, i.a, i.bytes, lane);
    uint64_t low = i.flags ? readRaw(warp, i.b, 4, lane) : high & keep;
    high = i.flags ? high : high >> fromBits;
    uint64_t result = fromNumber(numberOf(form.from, high, form.ftz), form)
                          << toBits |
                      fromNumber(numberOf(form.from, low, form.ftz), form);
    writeRaw(warp, i.dst, i.count, lane, result);
  });
  return Next::Continue;
}

// --- the common conversions ---
template <typename To> struct Plain {
  template <typename T> To operator()(T a) const { return To(a); }
};
struct HalfToSingle {
  float operator()(uint16_t a) const { return fromF16(a); }
};
struct SingleToHalf {
  uint16_t operator()(float a) const { return toF16(a); }
};
struct BHalfToSingle {
  float operator()(uint16_t a) const {
    return std::bit_cast<float>(uint32_t(a) << 16);
  }
};
struct SingleToBHalf {
  uint16_t operator()(float a) const { return toBF16(a); }
};
struct SinglesToHalves {
  uint32_t operator()(float a, float b) const {
    return uint32_t(toF16(a)) << 16 | toF16(b);
  }
};
struct SinglesToBHalves {
  uint32_t operator()(float a, float b) const {
    return uint32_t(toBF16(a)) << 16 | toBF16(b);
  }
};

Handler commonHandler(const Form &f, uint32_t fromBytes, uint32_t toBytes) {
  if (f.sat || f.relu || f.ftz || f.rounding > 0 || f.toInteger ||
      fromBytes != std::max(bytesOf(f.from), 2u) ||
      toBytes != std::max(bytesOf(f.to), 2u))
    return nullptr;
  bool to64 = f.to == Type::U64 || f.to == Type::S64;
  bool to32 = f.to == Type::U32 || f.to == Type::S32;
  if (f.from == Type::U32 && to64)
    return &unary<uint64_t, uint32_t, Plain<uint64_t>>;
  if (f.from == Type::S32 && to64)
    return &unary<int64_t, int32_t, Plain<int64_t>>;
  if ((f.from == Type::U64 || f.from == Type::S64) && to32)
    return &unary<uint32_t, uint64_t, Plain<uint32_t>>;
  if (f.from == Type::U16 && to32)
    return &unary<uint32_t, uint16_t, Plain<uint32_t>>;
  if (f.from == Type::S32 && f.to == Type::F32)
    return &unary<float, int32_t, Plain<float>>;
  if (f.from == Type::U32 && f.to == Type::F32)
    return &unary<float, uint32_t, Plain<float>>;
  if (f.from == Type::F16 && f.to == Type::F32)
    return &unary<float, uint16_t, HalfToSingle>;
  if (f.from == Type::BF16 && f.to == Type::F32)
    return &unary<float, uint16_t, BHalfToSingle>;
  if (f.from == Type::F32 && f.to == Type::F16)
    return &unary<uint16_t, float, SingleToHalf>;
  if (f.from == Type::F32 && f.to == Type::BF16)
    return &unary<uint16_t, float, SingleToBHalf>;
  return nullptr;
}

// --- decoding ---
Type elementOfPair(Type type) {
  switch (type) {
  case Type::F16x2:
    return Type::F16;
  case Type::BF16x2:
    return Type::BF16;
  case Type::E4M3x2:
    return Type::E4M3;
  case Type::E5M2x2:
    return Type::E5M2;
  default:
    return Type::None;
  }
}

void storeForm(Instruction &out, const Form &form) {
  std::memcpy(&out.immediate, &form, sizeof(form));
}

bool convertPairOf(Decoder &decoder, Form form) {
  uint32_t toBytes = bytesOf(form.to);
  Type fromElement = elementOfPair(form.from);
  bool fromSingles = form.from == Type::F32;
  uint32_t fromBytes = bytesOf(form.from);
  if (!fromSingles && fromElement == Type::None)
    return false;
  Instruction &out = decoder.out;
  size_t sources = fromSingles ? 2 : 1;
  if (!decoder.operands(1 + sources, 1 + sources) ||
      !decoder.destination(0, toBytes, out.dst) ||
      !decoder.source(1, fromBytes, out.a) ||
      (fromSingles && !decoder.source(2, 4, out.b)))
    return false;
  out.flags = fromSingles;
  out.bytes = fromBytes;
  out.count = toBytes;
  bool plain = fromSingles && form.rounding <= 0 && !form.relu;
  if (plain && form.to == Type::F16x2)
    return decoder.set(&binary<uint32_t, float, float, SinglesToHalves>);
  if (plain && form.to == Type::BF16x2)
    return decoder.set(&binary<uint32_t, float, float, SinglesToBHalves>);
  form.to = elementOfPair(form.to);
  form.from = fromSingles ? Type::F32 : fromElement;
  storeForm(out, form);
  return decoder.set(&convertPair);
}

bool convert(Decoder &decoder) {
  Form form;
  int whole = decoder.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  form.toInteger = whole >= 0;
  form.rounding =
      whole >= 0
          ? whole
          : std::max(0, decoder.takeOneOf({"rn", "rz", "rm", "rp", "rna"}));
  form.ftz = decoder.take("ftz");
  bool finite = decoder.take("satfinite");
  form.sat = decoder.take("sat");
  form.relu = decoder.take("relu");
  form.to = decoder.takeType();
  form.from = decoder.takeType();
  if (form.to == Type::None || form.from == Type::None)
    return false;
  bool small = form.to == Type::E4M3x2 || form.to == Type::E5M2x2;
  if (finite != small)
    return decoder.fail(".satfinite belongs to e4m3x2 and e5m2x2");
  if (elementOfPair(form.to) != Type::None)
    return convertPairOf(decoder, form);
  if (isFloat(form.from) && !isFloat(form.to) && !form.toInteger)
    return decoder.fail("a conversion to an integer needs its rounding");
  uint32_t fromBytes = 0, toBytes = 0;
  Instruction &out = decoder.out;
  if (!decoder.operands(2, 2) ||
      !decoder.wide(decoder.operand(0), bytesOf(form.to), false, out.dst,
                    toBytes) ||
      !decoder.wide(decoder.operand(1), bytesOf(form.from), true, out.a,
                    fromBytes))
    return false;
  if (Handler common = commonHandler(form, fromBytes, toBytes))
    return decoder.set(common);
  out.bytes = fromBytes;
  out.count = toBytes;
  storeForm(out, form);
  return decoder.set(&convertAny);
}
} // namespace

void addConvertOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["cvt"] = convert;
}

} // namespace tripy::emulator
