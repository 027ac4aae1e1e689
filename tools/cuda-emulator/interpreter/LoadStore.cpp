//===- LoadStore.cpp - ld, st, cvta, mapa, prefetch -------------*- C++ -*-===//
#include "Decoder.h"

#include <algorithm>
#include <type_traits>

namespace tripy::emulator {

namespace {
/// flags of loads and stores: the access orders others (volatile, acquire,
/// ...), so other warps may run before the next instruction.
constexpr uint8_t ordering = 1;

/// The value of bytes that a load does not use.
constexpr int poison = 0xFD;

/// T: in memory, D: in the register. extra: bytes at the end that are not used.
template <typename T, typename D>
Next load(Warp &warp, const Instruction &i, uint32_t mask) {
  std::array<uint8_t *, 32> places;
  auto bytes = uint32_t(sizeof(T)) * i.count, used = bytes - i.extra;
  if (!resolveLanes(warp, i, mask, bytes, Access::Read, places, i.extra))
    return Next::Fault;
  const uint32_t *list = launchOf(warp).body.lists.data() + i.list;
  for (uint32_t k = 0; k < i.count; ++k) {
    D *d = warp.reg<D>(list[k]);
    uint32_t first = k * sizeof(T);
    uint32_t part =
        first < used ? std::min<uint32_t>(used - first, sizeof(T)) : 0;
    eachLane(mask, [&](uint32_t lane) {
      T value;
      if (part == sizeof(T)) {
        std::memcpy(&value, places[lane] + first, sizeof(T));
      } else {
        std::memset(&value, poison, sizeof(T));
        std::memcpy(&value, places[lane] + first, part);
      }
      d[lane] = D(value);
    });
  }
  return i.flags & ordering ? Next::Yield : Next::Continue;
}

template <typename T, typename D>
Next store(Warp &warp, const Instruction &i, uint32_t mask) {
  std::array<uint8_t *, 32> places;
  if (!resolveLanes(warp, i, mask, sizeof(T) * i.count, Access::Write, places))
    return Next::Fault;
  const uint32_t *list = launchOf(warp).body.lists.data() + i.list;
  for (uint32_t k = 0; k < i.count; ++k) {
    const D *d = warp.reg<D>(list[k]);
    eachLane(mask, [&](uint32_t lane) {
      T value = T(d[lane]);
      std::memcpy(places[lane] + k * sizeof(T), &value, sizeof(T));
    });
  }
  return i.flags & ordering ? Next::Yield : Next::Continue;
}

template <typename T, typename D> Handler either(bool isLoad) {
  if constexpr (sizeof(D) < sizeof(T))
    return nullptr;
  else
    return isLoad ? &load<T, D> : &store<T, D>;
}
template <typename T> Handler bySize(uint32_t registerBytes, bool isLoad) {
  using Signed = std::is_signed<T>;
  switch (registerBytes) {
  case 2:
    return either<T, std::conditional_t<Signed::value, int16_t, uint16_t>>(
        isLoad);
  case 4:
    return either<T, std::conditional_t<Signed::value, int32_t, uint32_t>>(
        isLoad);
  case 8:
    return either<T, std::conditional_t<Signed::value, int64_t, uint64_t>>(
        isLoad);
  default:
    return nullptr;
  }
}
Handler accessHandler(Type type, uint32_t registerBytes, bool isLoad) {
  if (isSigned(type))
    switch (bytesOf(type)) {
    case 1:
      return bySize<int8_t>(registerBytes, isLoad);
    case 2:
      return bySize<int16_t>(registerBytes, isLoad);
    case 4:
      return bySize<int32_t>(registerBytes, isLoad);
    default:
      return bySize<int64_t>(registerBytes, isLoad);
    }
  switch (bytesOf(type)) {
  case 1:
    return bySize<uint8_t>(registerBytes, isLoad);
  case 2:
    return bySize<uint16_t>(registerBytes, isLoad);
  case 4:
    return bySize<uint32_t>(registerBytes, isLoad);
  case 8:
    return bySize<uint64_t>(registerBytes, isLoad);
  default:
    return nullptr;
  }
}

/// The registers of the data operand into the list of the instruction.
bool dataOperand(Decoder &decoder, const Operand &operand, Type type,
                 bool isLoad, uint32_t count, uint32_t &registerBytes) {
  std::vector<const Operand *> elements = {&operand};
  if (operand.kind == OperandKind::Vector) {
    elements.clear();
    for (const Operand &element : operand.elements)
      elements.push_back(&element);
  }
  if (elements.size() != count)
    return decoder.fail("the vector has another number of elements");
  std::vector<uint32_t> offsets;
  // Sinks and constants take the size of the registers beside them.
  registerBytes = std::max(2u, bytesOf(type));
  for (const Operand *element : elements)
    if (element->kind == OperandKind::Register)
      registerBytes = element->reg.bytes;
  for (const Operand *element : elements) {
    uint32_t offset = 0;
    if (isLoad ? !decoder.destination(*element, registerBytes, offset)
               : !decoder.source(*element, registerBytes, offset))
      return false;
    offsets.push_back(offset);
  }
  decoder.out.list = decoder.list(offsets);
  decoder.out.count = count;
  return true;
}

bool loadOrStore(Decoder &decoder) {
  bool isLoad = decoder.head() != "st";
  if (!isLoad && decoder.take("async"))
    return decodeStoreAsync(decoder);
  Instruction &out = decoder.out;
  takeMemoryModifiers(decoder);
  int vector = decoder.takeOneOf({"v2", "v4", "v8"});
  uint32_t count = vector < 0 ? 1 : 2u << vector;
  Type type = decoder.takeType();
  uint32_t bytes = bytesOf(type);
  if (!bytes || count * bytes > 32 || !decoder.operands(2, 3))
    return false;
  uint32_t registerBytes = 0;
  if (!dataOperand(decoder, decoder.operand(isLoad ? 0 : 1), type, isLoad,
                   count, registerBytes) ||
      !decoder.address(isLoad ? 1 : 0))
    return false;
  out.bytes = bytes;
  if (isLoad)
    out.extra = std::min<uint32_t>(
        std::countl_zero(decoder.statement.usedBytes << (64 - count * bytes)),
        count * bytes);
  return decoder.set(accessHandler(type, registerBytes, isLoad));
}

// --- addresses ---

/// cvta: adds or takes off the window of a space; immediate is the base.
template <bool To>
Next convertAddress(Warp &warp, const Instruction &i, uint32_t mask) {
  Launch &launch = launchOf(warp);
  uint64_t base = i.space == Space::Param
                      ? reinterpret_cast<uint64_t>(launch.parameterBase)
                      : uint64_t(i.immediate);
  const auto *from = warp.reg<uint64_t>(i.a);
  auto *to = warp.reg<uint64_t>(i.dst);
  eachLane(mask, [&](uint32_t lane) {
    to[lane] = To ? from[lane] - base : from[lane] + base;
  });
  return Next::Continue;
}

bool cvta(Decoder &decoder) {
  bool to = decoder.take("to");
  takeSpace(decoder);
  Space space = decoder.out.space;
  decoder.out.immediate = space == Space::Shared  ? int64_t(sharedWindow)
                          : space == Space::Local ? int64_t(localWindow)
                                                  : 0;
  return decoder.takeOneOf({"u64", "b64"}) >= 0 && decoder.operands(2, 2) &&
         decoder.destination(0, 8, decoder.out.dst) &&
         decoder.source(1, 8, decoder.out.a) &&
         decoder.set(to ? &convertAddress<true> : &convertAddress<false>);
}

/// mapa d, a, rank: the same variable in another block of the cluster.
template <typename T>
Next mapAddress(Warp &warp, const Instruction &i, uint32_t mask) {
  Next next = Next::Continue;
  size_t blocks = warp.block->cluster->blocks.size();
  eachLane(mask, [&](uint32_t lane) {
    uint64_t address = warp.reg<T>(i.a)[lane];
    uint32_t rank = warp.reg<uint32_t>(i.b)[lane], offset = 0;
    Block *own = sharedTarget(*warp.block, address, offset);
    if (rank >= blocks || !own) {
      next = faultAt(warp, i, lane,
                     concat("maps ", hexadecimal(address), " to block ", rank,
                            " of a cluster of ", blocks));
      return;
    }
    uint64_t window = address >= sharedWindow ? sharedWindow : 0;
    warp.reg<T>(i.dst)[lane] =
        T(window | uint64_t(rank + 1) << rankShift | (offset + sharedStart));
  });
  return next;
}

bool mapa(Decoder &decoder) {
  decoder.take("shared::cluster");
  uint32_t bytes = bytesOf(decoder.takeType());
  return decoder.operands(3, 3) &&
         decoder.destination(0, bytes, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.source(2, 4, decoder.out.b) &&
         decoder.set(bytes == 4   ? &mapAddress<uint32_t>
                     : bytes == 8 ? &mapAddress<uint64_t>
                                  : nullptr);
}

/// getctarank d, a: the rank of the block that holds a shared address.
template <typename T>
Next blockRank(Warp &warp, const Instruction &i, uint32_t mask) {
  Next next = Next::Continue;
  eachLane(mask, [&](uint32_t lane) {
    uint32_t offset = 0;
    Block *target = sharedTarget(*warp.block, warp.reg<T>(i.a)[lane], offset);
    if (target)
      warp.reg<uint32_t>(i.dst)[lane] = target->rank;
    else
      next = faultAt(warp, i, lane, "the address is in no block's memory");
  });
  return next;
}
bool getctarank(Decoder &decoder) {
  decoder.take("shared::cluster");
  uint32_t bytes = bytesOf(decoder.takeType());
  return decoder.operands(2, 2) && decoder.destination(0, 4, decoder.out.dst) &&
         decoder.source(1, bytes, decoder.out.a) &&
         decoder.set(bytes == 4   ? &blockRank<uint32_t>
                     : bytes == 8 ? &blockRank<uint64_t>
                                  : nullptr);
}

Next isInSpace(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t result = 0;
  eachLane(mask, [&](uint32_t lane) {
    uint64_t address = warp.reg<uint64_t>(i.a)[lane];
    bool local = address >= localWindow;
    bool shared = !local && address >= sharedWindow;
    uint32_t offset = 0;
    if (shared && !i.cluster)
      shared = sharedTarget(*warp.block, address, offset) == warp.block;
    bool yes = i.space == Space::Shared  ? shared
               : i.space == Space::Local ? local
                                         : address < sharedWindow;
    result |= uint32_t(yes) << lane;
  });
  uint32_t &d = warp.predicate(i.dst);
  d = (d & ~mask) | result;
  return Next::Continue;
}
bool isspacep(Decoder &decoder) {
  takeSpace(decoder);
  return decoder.out.space != Space::Generic && decoder.operands(2, 2) &&
         decoder.destination(0, 0, decoder.out.dst) &&
         decoder.source(1, 8, decoder.out.a) && decoder.set(&isInSpace);
}

Next nothing(Warp &, const Instruction &, uint32_t) { return Next::Continue; }

/// The hardware ignores an invalid address, but a kernel that prefetches one is
/// wrong about what it will read.
Next prefetchGlobal(Warp &warp, const Instruction &i, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    uint32_t lane = std::countr_zero(mask);
    uint64_t address = addressOf(warp, i, lane);
    const Memory &memory = launchOf(warp).memory;
    if (!memory.contains(address, 1))
      return faultAt(warp, i, lane,
                     concat("prefetches global memory at ",
                            hexadecimal(address), ": ",
                            memory.describe(address)));
  }
  return Next::Continue;
}

/// prefetch and prefetchu: hints.
bool prefetch(Decoder &decoder) {
  takeMemoryModifiers(decoder);
  bool isMap = decoder.take("tensormap");
  decoder.takePrefix("L");
  if (isMap || decoder.out.space != Space::Global)
    return decoder.operands(1, 1) && decoder.set(&nothing);
  return decoder.operands(1, 1) && decoder.address(0) &&
         decoder.set(&prefetchGlobal);
}

/// createpolicy: an opaque 64-bit value that only hints.
Next makePolicy(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](uint32_t lane) { warp.reg<uint64_t>(i.dst)[lane] = 0; });
  return Next::Continue;
}
bool createpolicy(Decoder &decoder) {
  decoder.takeOneOf({"fractional", "range", "cvt"});
  while (!decoder.takePrefix("L2").empty())
    continue;
  decoder.take("global");
  return decoder.takeOneOf({"b64"}) == 0 && decoder.operands(1, 4) &&
         decoder.destination(0, 8, decoder.out.dst) && decoder.set(&makePolicy);
}
} // namespace

void takeSpace(Decoder &decoder) {
  constexpr std::pair<std::string_view, Space> spaces[] = {
      {"global", Space::Global},
      {"const", Space::Const},
      {"shared", Space::Shared},
      {"shared::cta", Space::Shared},
      {"shared::cluster", Space::Shared},
      {"local", Space::Local},
      {"param", Space::Param},
      {"param::entry", Space::Param}};
  for (auto [name, space] : spaces)
    if (decoder.take(name)) {
      decoder.out.space = space;
      decoder.out.cluster = name == "shared::cluster";
      return;
    }
}

void takeMemoryModifiers(Decoder &decoder) {
  if (decoder.takeOneOf(
          {"volatile", "relaxed", "acquire", "release", "mmio"}) >= 0)
    decoder.out.flags |= ordering;
  decoder.take("weak");
  // The scope of the order comes before the space; ".cta" and ".cluster" are
  // no spaces.
  decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  takeSpace(decoder);
  decoder.take("nc");
  decoder.takeOneOf({"ca", "cg", "cs", "cv", "lu", "wb", "wt"});
  while (!decoder.takePrefix("L1::").empty())
    continue;
  while (!decoder.takePrefix("L2::").empty())
    continue;
}

void addMemoryOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["ld"] = table["ldu"] = table["st"] = loadOrStore;
  table["cvta"] = cvta;
  table["mapa"] = mapa;
  table["getctarank"] = getctarank;
  table["isspacep"] = isspacep;
  table["prefetch"] = table["prefetchu"] = prefetch;
  table["createpolicy"] = createpolicy;
}

} // namespace tripy::emulator
