//===- Atomic.cpp - atom and red --------------------------------*- C++ -*-===//
//
// The lanes of a warp access memory one after the other, and a warp is never
// interrupted inside an instruction: plain reads and writes are atomic.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "FloatOps.h"

namespace tripy::emulator {

namespace {
struct Add {
  template <typename T> T operator()(T old, T b, T) const { return old + b; }
};
struct Exchange {
  template <typename T> T operator()(T, T b, T) const { return b; }
};
struct CompareExchange {
  template <typename T> T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};
struct Minimum {
  template <typename T> T operator()(T old, T b, T) const {
    return b < old ? b : old;
  }
};
struct Maximum {
  template <typename T> T operator()(T old, T b, T) const {
    return old < b ? b : old;
  }
};
struct And {
  template <typename T> T operator()(T old, T b, T) const { return old & b; }
};
struct Or {
  template <typename T> T operator()(T old, T b, T) const { return old | b; }
};
struct Xor {
  template <typename T> T operator()(T old, T b, T) const { return old ^ b; }
};
struct Increment {
  template <typename T> T operator()(T old, T b, T) const {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  template <typename T> T operator()(T old, T b, T) const {
    return old == 0 || old > b ? b : old - 1;
  }
};
template <typename Format> struct AddHalf {
  uint16_t operator()(uint16_t old, uint16_t b, uint16_t) const {
    return Format::pack(Format::unpack(old) + Format::unpack(b));
  }
};
template <typename Format> struct AddPair {
  uint32_t operator()(uint32_t old, uint32_t b, uint32_t) const {
    AddHalf<Format> add;
    return uint32_t(add(old >> 16, b >> 16, 0)) << 16 | add(old, b, 0);
  }
};

template <typename T, typename F>
Next atomic(Warp &warp, const Instruction &i, uint32_t mask) {
  std::array<uint8_t *, 32> places;
  uint32_t whole = i.count * sizeof(T);
  if (!resolveLanes(warp, i, mask, whole, Access::ReadWrite, places))
    return Next::Fault;
  const uint32_t *list = launchOf(warp).body.lists.data() + i.list;
  eachLane(mask, [&](uint32_t lane) {
    for (uint32_t k = 0; k < i.count; ++k) {
      T old, b = warp.reg<T>(list[i.count + k])[lane];
      T c = warp.reg<T>(i.c)[lane];
      std::memcpy(&old, places[lane] + k * sizeof(T), sizeof(T));
      T result = F{}(old, b, c);
      std::memcpy(places[lane] + k * sizeof(T), &result, sizeof(T));
      warp.reg<T>(list[k])[lane] = old;
    }
  });
  return Next::Yield;
}

template <typename F> Handler bits(Type type) {
  switch (type) {
  case Type::B16:
    return &atomic<uint16_t, F>;
  case Type::B32:
  case Type::U32:
    return &atomic<uint32_t, F>;
  case Type::B64:
  case Type::U64:
    return &atomic<uint64_t, F>;
  default:
    return nullptr;
  }
}
template <typename F> Handler ordered(Type type) {
  if (type == Type::S32)
    return &atomic<int32_t, F>;
  return type == Type::S64 ? &atomic<int64_t, F> : bits<F>(type);
}
Handler addition(Type type) {
  switch (type) {
  case Type::F32:
    return &atomic<float, Add>;
  case Type::F64:
    return &atomic<double, Add>;
  case Type::F16:
    return &atomic<uint16_t, AddHalf<F16Format>>;
  case Type::BF16:
    return &atomic<uint16_t, AddHalf<BF16Format>>;
  case Type::F16x2:
    return &atomic<uint32_t, AddPair<F16Format>>;
  case Type::BF16x2:
    return &atomic<uint32_t, AddPair<BF16Format>>;
  case Type::S32:
    return bits<Add>(Type::U32);
  case Type::S64:
    return bits<Add>(Type::U64);
  default:
    return bits<Add>(type);
  }
}

Handler operation(int index, Type type) {
  switch (index) {
  case 0:
    return addition(type);
  case 1:
    return bits<Exchange>(type);
  case 2:
    return bits<CompareExchange>(type);
  case 3:
    return ordered<Minimum>(type);
  case 4:
    return ordered<Maximum>(type);
  case 5:
    return bits<And>(type);
  case 6:
    return bits<Or>(type);
  case 7:
    return bits<Xor>(type);
  case 8:
    return type == Type::U32 ? bits<Increment>(type) : nullptr;
  case 9:
    return type == Type::U32 ? bits<Decrement>(type) : nullptr;
  default:
    return nullptr;
  }
}

bool elements(const Operand &operand, std::vector<const Operand *> &result) {
  if (operand.kind != OperandKind::Vector) {
    result.push_back(&operand);
    return true;
  }
  for (const Operand &element : operand.elements)
    result.push_back(&element);
  return true;
}

/// The previous values (sinks for red), then the operands.
bool dataLists(Decoder &decoder, bool isReduction, uint32_t count,
               uint32_t bytes, size_t sourceIndex) {
  std::vector<const Operand *> results, sources;
  elements(decoder.operand(sourceIndex), sources);
  if (!isReduction)
    elements(decoder.operand(0), results);
  if (sources.size() != count || (!isReduction && results.size() != count))
    return decoder.fail("the vector has another number of elements");
  std::vector<uint32_t> offsets(2 * count, decoder.body.scratch);
  for (uint32_t k = 0; k < count; ++k)
    if ((!isReduction &&
         !decoder.destination(*results[k], bytes, offsets[k])) ||
        !decoder.source(*sources[k], bytes, offsets[count + k]))
      return false;
  decoder.out.list = decoder.list(offsets);
  return true;
}

bool atom(Decoder &decoder) {
  bool isReduction = decoder.head() == "red";
  if (decoder.take("async"))
    return decodeStoreAsync(decoder);
  // "acq_rel" is a semantic of atomics alone.
  decoder.take("acq_rel");
  decoder.take("sem");
  takeMemoryModifiers(decoder);
  int index = decoder.takeOneOf(
      {"add", "exch", "cas", "min", "max", "and", "or", "xor", "inc", "dec"});
  decoder.take("noftz");
  int vector = decoder.takeOneOf({"v2", "v4", "v8"});
  uint32_t count = vector < 0 ? 1 : 2u << vector;
  Type type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  size_t first = isReduction ? 0 : 1;
  Instruction &out = decoder.out;
  bool compares = index == 2;
  out.bytes = bytes;
  out.count = count;
  out.c = decoder.body.scratch;
  return decoder.operands(first + 2 + compares, first + 3 + compares) &&
         decoder.address(first) &&
         dataLists(decoder, isReduction, count, bytes, first + 1) &&
         (!compares || decoder.source(first + 2, bytes, out.c)) &&
         decoder.set(operation(index, type));
}
} // namespace

void addAtomicOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["atom"] = table["red"] = atom;
}

} // namespace tripy::emulator
