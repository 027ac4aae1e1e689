//===- Mbarrier.h - Barriers in shared memory -------------------*- C++ -*-===//
//
// The 8-byte mbarrier object. A phase is complete when no arrival is pending
// and the transaction count is 0; then the parity flips, the expected arrivals
// become pending again, and the transaction count is 0.
//
// The 64 bits, from the lowest: pending arrivals (20), expected arrivals of
// the next phase (20), transaction count (21, two's complement), parity (1),
// and the mark 0b10 of an initialised object: neither zeros nor a repeated
// poison byte of ones pass for a barrier.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_MBARRIER_H
#define TRIPY_LIB_EMULATOR_UNITS_MBARRIER_H

#include "tripy/Base/Status.h"

#include <cstdint>

namespace tripy::emulator {

/// A barrier of which `word` is the value in memory. Every member that returns
/// a Status fails with LaunchFailed when the object is not initialised, and
/// then leaves it alone.
class Mbarrier {
public:
  /// The largest number of arrivals and of transaction bytes.
  static constexpr uint32_t maxCount = (uint32_t(1) << 20) - 1;

  explicit Mbarrier(uint64_t &word) : word(word) {}

  /// mbarrier.init: 1 to maxCount arrivals complete a phase.
  Status init(uint64_t count);
  /// mbarrier.inval.
  Status invalidate();

  /// mbarrier.arrive: `count` of the pending arrivals. `state` is set to the
  /// token of the phase before.
  Status arrive(uint64_t count, uint64_t &state);
  /// mbarrier.arrive_drop: also lowers the arrivals of all later phases.
  Status arriveDrop(uint64_t count, uint64_t &state);
  /// mbarrier.arrive.expect_tx: expectTx, then one arrival.
  Status arriveExpectTx(uint64_t bytes, uint64_t &state);
  /// mbarrier.expect_tx.
  Status expectTx(uint64_t bytes);
  /// mbarrier.complete_tx, and what asynchronous copies do at their end. May
  /// come before the bytes are expected.
  Status completeTx(uint64_t bytes);
  /// cp.async.mbarrier.arrive without .noinc: one more pending arrival, for
  /// the one that follows once the copies are done.
  Status addPending();

  /// mbarrier.test_wait.parity: whether the phase of `parity` (0 or 1), which
  /// is the current one or the one before, is complete.
  Status testParity(uint32_t parity, bool &complete) const;
  /// mbarrier.test_wait with the token of an arrival.
  Status testState(uint64_t state, bool &complete) const;
  /// mbarrier.pending_count of a token.
  static uint32_t pendingOf(uint64_t state);

  bool initialised() const;
  uint32_t pending() const;
  uint32_t expected() const;
  int32_t transactionBytes() const;
  uint32_t parity() const;

private:
  Status check(const char *what) const;
  void set(uint64_t pending, uint64_t expected, int64_t bytes, uint64_t parity);
  Status changeBytes(int64_t difference);
  void completePhase();

  uint64_t &word;
};

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_MBARRIER_H
