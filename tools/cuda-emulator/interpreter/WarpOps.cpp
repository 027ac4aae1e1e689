//===- WarpOps.cpp - Instructions of the lanes of a warp --------*- C++ -*-===//
//
// shfl, vote, match, redux, elect, activemask, bar.warp.sync. The lanes of a
// member mask meet first; lanes that have exited are not waited for.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Flow.h"

namespace tripy::emulator {

bool gather(Warp &warp, uint32_t members, uint32_t &mask) {
  uint32_t here = mask;
  eachLane(warp.blocked & members, [&](uint32_t lane) {
    if (warp.lanePc[lane] == warp.pc)
      here |= 1u << lane;
  });
  if (members & warp.alive() & ~here)
    return false;
  warp.active |= here;
  warp.blocked &= ~here;
  mask = here;
  return true;
}

namespace {
using GroupFunction = Next (*)(Warp &, const Instruction &, uint32_t group);

/// Runs f for each group of lanes with the same member mask (in c) that is
/// complete; the others wait.
template <GroupFunction f>
Next synchronized(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t waiting = 0;
  while (mask) {
    uint32_t lane = std::countr_zero(mask), group = 0;
    uint32_t members = warp.reg<uint32_t>(i.c)[lane];
    eachLane(mask, [&](uint32_t other) {
      if (warp.reg<uint32_t>(i.c)[other] == members)
        group |= 1u << other;
    });
    mask &= ~group;
    if (group & ~members)
      return faultAt(warp, i, std::countr_zero(group & ~members),
                     concat("the member mask ", hexadecimal(members),
                            " lacks the executing thread"));
    if (!gather(warp, members, group)) {
      waiting |= group;
      continue;
    }
    if (f(warp, i, group) == Next::Fault)
      return Next::Fault;
  }
  return waiting ? block(warp, waiting, "the other lanes of its member mask")
                 : Next::Continue;
}

/// What a lane reads from one that does not take part: any value.
constexpr uint32_t undefinedValue = 0xFDFDFDFD;

/// shfl: flags is the mode (up, down, bfly, idx), d the predicate.
Next shuffle(Warp &warp, const Instruction &i, uint32_t group) {
  std::array<uint32_t, 32> values;
  std::memcpy(values.data(), warp.reg<uint32_t>(i.a), sizeof(values));
  const auto *distance = warp.reg<uint32_t>(i.b);
  const uint32_t *list = launchOf(warp).body.lists.data() + i.list;
  const auto *clamps = warp.reg<uint32_t>(list[0]);
  uint32_t &predicate = warp.predicate(i.d);
  eachLane(group, [&](uint32_t lane) {
    int32_t b = distance[lane] & 31, clamp = clamps[lane] & 31;
    int32_t segments = clamps[lane] >> 8 & 31, self = lane;
    int32_t last = (self & segments) | (clamp & ~segments);
    int32_t j = i.flags == 0   ? self - b
                : i.flags == 1 ? self + b
                : i.flags == 2 ? self ^ b
                               : (self & segments) | (b & ~segments);
    bool valid = i.flags == 0 ? j >= last : j <= last;
    j = valid ? j : self;
    warp.reg<uint32_t>(i.dst)[lane] =
        group >> j & 1 ? values[j] : undefinedValue;
    predicate = (predicate & ~(1u << lane)) | uint32_t(valid) << lane;
  });
  return Next::Continue;
}

/// vote: flags is the mode (all, any, uni, ballot), 4 more for a negated
/// source.
Next vote(Warp &warp, const Instruction &i, uint32_t group) {
  uint32_t votes = (warp.predicate(i.a) ^ (i.flags & 4 ? ~0u : 0)) & group;
  uint32_t mode = i.flags & 3;
  if (mode == 3) {
    eachLane(group,
             [&](uint32_t lane) { warp.reg<uint32_t>(i.dst)[lane] = votes; });
    return Next::Continue;
  }
  bool result = mode == 0   ? votes == group
                : mode == 1 ? votes != 0
                            : votes == 0 || votes == group;
  uint32_t &d = warp.predicate(i.dst);
  d = (d & ~group) | (result ? group : 0);
  return Next::Continue;
}

/// match: flags 1 is .all, whose predicate is d.
template <typename T>
Next match(Warp &warp, const Instruction &i, uint32_t group) {
  const T *values = warp.reg<T>(i.a);
  std::array<uint32_t, 32> results = {};
  eachLane(group, [&](uint32_t lane) {
    eachLane(group, [&](uint32_t other) {
      if (values[other] == values[lane])
        results[lane] |= 1u << other;
    });
  });
  bool same = results[std::countr_zero(group)] == group;
  eachLane(group, [&](uint32_t lane) {
    warp.reg<uint32_t>(i.dst)[lane] = i.flags && !same ? 0 : results[lane];
  });
  if (i.flags) {
    uint32_t &d = warp.predicate(i.d);
    d = (d & ~group) | (same ? group : 0);
  }
  return Next::Continue;
}

/// redux: flags: add, min, max, and, or, xor.
template <typename T>
Next reduce(Warp &warp, const Instruction &i, uint32_t group) {
  const T *values = warp.reg<T>(i.a);
  T result = values[std::countr_zero(group)];
  eachLane(group & (group - 1), [&](uint32_t lane) {
    T x = values[lane];
    switch (i.flags) {
    case 0:
      result = uint32_t(result) + uint32_t(x);
      break;
    case 1:
      result = std::min(result, x);
      break;
    case 2:
      result = std::max(result, x);
      break;
    case 3:
      result &= x;
      break;
    case 4:
      result |= x;
      break;
    default:
      result ^= x;
    }
  });
  eachLane(group, [&](uint32_t lane) { warp.reg<T>(i.dst)[lane] = result; });
  return Next::Continue;
}

Next elect(Warp &warp, const Instruction &i, uint32_t group) {
  uint32_t leader = std::countr_zero(group);
  eachLane(group,
           [&](uint32_t lane) { warp.reg<uint32_t>(i.dst)[lane] = leader; });
  uint32_t &d = warp.predicate(i.d);
  d = (d & ~group) | 1u << leader;
  return Next::Continue;
}

Next meet(Warp &, const Instruction &, uint32_t) { return Next::Continue; }

Next activeMask(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask,
           [&](uint32_t lane) { warp.reg<uint32_t>(i.dst)[lane] = mask; });
  return Next::Continue;
}

/// The destination `d` or `d|p`: the number of operands it takes.
size_t pairDestination(Decoder &decoder) {
  Instruction &out = decoder.out;
  out.d = decoder.body.scratch;
  bool pair = decoder.statement.pairs & 1;
  if (!decoder.destination(0, 4, out.dst) ||
      (pair && !decoder.destination(1, 0, out.d)))
    return 0;
  return pair ? 2 : 1;
}

bool shfl(Decoder &decoder) {
  Instruction &out = decoder.out;
  int mode = decoder.takeOneOf({"up", "down", "bfly", "idx"});
  size_t first = pairDestination(decoder);
  uint32_t clamp = 0;
  out.flags = std::max(mode, 0);
  if (mode < 0 || !first || !decoder.take("sync") || !decoder.take("b32") ||
      !decoder.operands(first + 4, first + 4) ||
      !decoder.source(first, 4, out.a) ||
      !decoder.source(first + 1, 4, out.b) ||
      !decoder.source(first + 2, 4, clamp) ||
      !decoder.source(first + 3, 4, out.c))
    return false;
  out.list = decoder.list({clamp});
  return decoder.set(&synchronized<shuffle>);
}

bool voteOf(Decoder &decoder) {
  Instruction &out = decoder.out;
  int mode = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  if (mode < 0 || !decoder.take("sync") || !decoder.operands(3, 3))
    return false;
  Operand source = decoder.operand(1);
  out.flags = mode + (source.negated ? 4 : 0);
  source.negated = false;
  return decoder.takeOneOf({"pred", "b32"}) == (mode == 3 ? 1 : 0) &&
         decoder.destination(0, mode == 3 ? 4 : 0, out.dst) &&
         decoder.source(source, 0, out.a) && decoder.source(2, 4, out.c) &&
         decoder.set(&synchronized<vote>);
}

bool matchOf(Decoder &decoder) {
  Instruction &out = decoder.out;
  int mode = decoder.takeOneOf({"any", "all"});
  uint32_t bytes = bytesOf(decoder.takeType());
  size_t first = pairDestination(decoder);
  out.flags = mode == 1;
  return mode >= 0 && first && decoder.take("sync") &&
         decoder.operands(first + 2, first + 2) &&
         decoder.source(first, bytes, out.a) &&
         decoder.source(first + 1, 4, out.c) &&
         decoder.set(bytes == 4   ? &synchronized<match<uint32_t>>
                     : bytes == 8 ? &synchronized<match<uint64_t>>
                                  : nullptr);
}

bool redux(Decoder &decoder) {
  Instruction &out = decoder.out;
  int operation = decoder.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = decoder.takeType();
  out.flags = std::max(operation, 0);
  return operation >= 0 && decoder.take("sync") && bytesOf(type) == 4 &&
         !isFloat(type) && decoder.operands(3, 3) &&
         decoder.destination(0, 4, out.dst) && decoder.source(1, 4, out.a) &&
         decoder.source(2, 4, out.c) &&
         decoder.set(isSigned(type) ? &synchronized<reduce<int32_t>>
                                    : &synchronized<reduce<uint32_t>>);
}

bool electOf(Decoder &decoder) {
  return decoder.take("sync") && decoder.statement.pairs == 1 &&
         decoder.operands(3, 3) && pairDestination(decoder) == 2 &&
         decoder.source(2, 4, decoder.out.c) &&
         decoder.set(&synchronized<elect>);
}

bool activemask(Decoder &decoder) {
  return decoder.take("b32") && decoder.operands(1, 1) &&
         decoder.destination(0, 4, decoder.out.dst) && decoder.set(&activeMask);
}
} // namespace

bool decodeWarpBarrier(Decoder &decoder) {
  return decoder.take("warp") && decoder.take("sync") &&
         decoder.operands(1, 1) && decoder.source(0, 4, decoder.out.c) &&
         decoder.set(&synchronized<meet>);
}

void addWarpOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["shfl"] = shfl;
  table["vote"] = voteOf;
  table["match"] = matchOf;
  table["redux"] = redux;
  table["elect"] = electOf;
  table["activemask"] = activemask;
}

} // namespace tripy::emulator
