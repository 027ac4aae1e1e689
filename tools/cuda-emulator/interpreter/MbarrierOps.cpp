//===- MbarrierOps.cpp - mbarrier instructions ------------------*- C++ -*-===//
#include "Decoder.h"
#include "Flow.h"
#include "Races.h"
#include "Units/Mbarrier.h"

namespace tripy::emulator {

namespace {
enum Operation : uint8_t {
  Init,
  Invalidate,
  Arrive,
  ArriveExpect,
  ArriveDrop,
  Expect,
  Complete,
  TestParity,
  TestState,
  TryParity,
  TryState,
};

uint64_t &wordAt(uint8_t *place) {
  return *reinterpret_cast<uint64_t *>(place);
}

Status change(Operation operation, Mbarrier barrier, uint32_t count,
              uint64_t &state) {
  switch (operation) {
  case Init:
    return barrier.init(count);
  case Invalidate:
    return barrier.invalidate();
  case Arrive:
    return barrier.arrive(count, state);
  case ArriveExpect:
    return barrier.arriveExpectTx(count, state);
  case ArriveDrop:
    return barrier.arriveDrop(count, state);
  case Expect:
    return barrier.expectTx(count);
  default:
    return barrier.completeTx(count);
  }
}

/// Everything that changes a barrier; b: count or bytes, dst: the state.
Next update(Warp &warp, const Instruction &i, uint32_t mask) {
  std::array<uint8_t *, 32> places;
  auto operation = Operation(i.flags);
  Access how = operation == Init ? Access::Write : Access::ReadWrite;
  if (!resolveLanes(warp, i, mask, 8, how, places))
    return Next::Fault;
  Next next = Next::Continue;
  RaceChecker *races = warp.block->cluster->races.get();
  eachLane(mask, [&](uint32_t lane) {
    if (next == Next::Fault)
      return;
    uint64_t state = 0;
    if (races && operation != Init)
      races->releaseTo(warp, places[lane]);
    Status status = change(operation, Mbarrier(wordAt(places[lane])),
                           warp.reg<uint32_t>(i.b)[lane], state);
    if (!status.isOk())
      next = faultAt(warp, i, lane, status);
    warp.reg<uint64_t>(i.dst)[lane] = state;
  });
  return next;
}

/// test_wait and try_wait; b: parity or state, d: the predicate. try_wait
/// waits until the phase is complete, which its time limit allows.
Next wait(Warp &warp, const Instruction &i, uint32_t mask) {
  std::array<uint8_t *, 32> places;
  if (!resolveLanes(warp, i, mask, 8, Access::ReadWrite, places))
    return Next::Fault;
  bool tries = i.flags == TryParity || i.flags == TryState;
  bool parity = i.flags == TestParity || i.flags == TryParity;
  RaceChecker *races = warp.block->cluster->races.get();
  uint32_t done = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    uint32_t lane = std::countr_zero(rest);
    Mbarrier barrier(wordAt(places[lane]));
    bool complete = false;
    Status status =
        parity ? barrier.testParity(warp.reg<uint32_t>(i.b)[lane], complete)
               : barrier.testState(warp.reg<uint64_t>(i.b)[lane], complete);
    if (!status.isOk())
      return faultAt(warp, i, lane, status);
    if (complete && races)
      races->acquireFrom(warp, places[lane]);
    done |= uint32_t(complete) << lane;
  }
  uint32_t &predicate = warp.predicate(i.d);
  predicate = (predicate & ~mask) | done;
  if (done == mask)
    return Next::Continue;
  return tries ? block(warp, mask & ~done, "a phase of the mbarrier")
               : Next::Yield;
}

Next pendingCount(Warp &warp, const Instruction &i, uint32_t mask) {
  eachLane(mask, [&](uint32_t lane) {
    warp.reg<uint32_t>(i.dst)[lane] =
        Mbarrier::pendingOf(warp.reg<uint64_t>(i.a)[lane]);
  });
  return Next::Continue;
}

bool decodeWait(Decoder &decoder, bool tries) {
  bool parity = decoder.take("parity");
  takeMemoryModifiers(decoder);
  Instruction &out = decoder.out;
  out.flags = parity ? (tries ? TryParity : TestParity)
                     : (tries ? TryState : TestState);
  uint32_t hint = 0;
  return decoder.take("b64") && decoder.operands(3, tries ? 4 : 3) &&
         decoder.destination(0, 0, out.d) && decoder.address(1) &&
         decoder.source(2, parity ? 4 : 8, out.b) &&
         (decoder.count() < 4 || decoder.source(3, 4, hint)) &&
         decoder.set(&wait);
}

bool mbarrier(Decoder &decoder) {
  int kind = decoder.takeOneOf({"init", "inval", "arrive", "arrive_drop",
                                "expect_tx", "complete_tx", "test_wait",
                                "try_wait", "pending_count"});
  Instruction &out = decoder.out;
  if (kind == 8)
    return decoder.take("b64") && decoder.operands(2, 2) &&
           decoder.destination(0, 4, out.dst) && decoder.source(1, 8, out.a) &&
           decoder.set(&pendingCount);
  if (kind == 6 || kind == 7)
    return decodeWait(decoder, kind == 7);
  constexpr Operation operations[] = {Init,       Invalidate, Arrive,
                                      ArriveDrop, Expect,     Complete};
  if (kind < 0)
    return false;
  bool arrives = kind == 2 || kind == 3;
  bool expects = arrives && decoder.take("expect_tx");
  if (kind == 3 && expects)
    return false;
  decoder.take("noComplete");
  takeMemoryModifiers(decoder);
  out.flags = expects ? ArriveExpect : operations[kind];
  out.dst = decoder.body.scratch;
  out.b = decoder.constant(4, 1);
  size_t first = arrives ? 1 : 0;
  bool needsCount = kind == 0 || expects || kind == 4 || kind == 5;
  size_t maximum = first + (kind == 1 ? 1 : 2);
  return decoder.take("b64") &&
         decoder.operands(needsCount ? maximum : first + 1, maximum) &&
         (!arrives || decoder.destination(0, 8, out.dst)) &&
         decoder.address(first) &&
         (decoder.count() == first + 1 ||
          decoder.source(first + 1, 4, out.b)) &&
         decoder.set(&update);
}
} // namespace

void addMbarrierOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["mbarrier"] = mbarrier;
}

} // namespace tripy::emulator
