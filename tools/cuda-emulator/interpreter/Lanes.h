//===- Lanes.h - Handlers that compute lane by lane -------------*- C++ -*-===//
//
// Templates over a function object: each lane reads its own values and writes
// its own result, so the loops over all 32 lanes may be vectorised even when
// the destination is also a source.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_LANES_H
#define TRIPY_LIB_EMULATOR_LANES_H

#include "Machine.h"

namespace tripy::emulator {

template <typename D, typename A, typename F>
Next unary(Warp &warp, const Instruction &i, uint32_t mask) {
  D *d = warp.reg<D>(i.dst);
  const A *a = warp.reg<A>(i.a);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (uint32_t lane = 0; lane < 32; ++lane)
      d[lane] = F{}(a[lane]);
  } else {
    eachLane(mask, [&](uint32_t lane) { d[lane] = F{}(a[lane]); });
  }
  return Next::Continue;
}

template <typename D, typename A, typename B, typename F>
Next binary(Warp &warp, const Instruction &i, uint32_t mask) {
  D *d = warp.reg<D>(i.dst);
  const A *a = warp.reg<A>(i.a);
  const B *b = warp.reg<B>(i.b);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (uint32_t lane = 0; lane < 32; ++lane)
      d[lane] = F{}(a[lane], b[lane]);
  } else {
    eachLane(mask, [&](uint32_t lane) { d[lane] = F{}(a[lane], b[lane]); });
  }
  return Next::Continue;
}

template <typename D, typename A, typename B, typename C, typename F>
Next ternary(Warp &warp, const Instruction &i, uint32_t mask) {
  D *d = warp.reg<D>(i.dst);
  const A *a = warp.reg<A>(i.a);
  const B *b = warp.reg<B>(i.b);
  const C *c = warp.reg<C>(i.c);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (uint32_t lane = 0; lane < 32; ++lane)
      d[lane] = F{}(a[lane], b[lane], c[lane]);
  } else {
    eachLane(mask,
             [&](uint32_t lane) { d[lane] = F{}(a[lane], b[lane], c[lane]); });
  }
  return Next::Continue;
}

template <typename T, typename F> constexpr Handler same1 = &unary<T, T, F>;
template <typename T, typename F> constexpr Handler same2 = &binary<T, T, T, F>;
template <typename T, typename F>
constexpr Handler same3 = &ternary<T, T, T, T, F>;

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_LANES_H
