//===- Mbarrier.cpp - Barriers in shared memory ---------------------------===//

#include "Mbarrier.h"

#include "tripy/Base/Text.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {
constexpr uint32_t countBits = 20, bytesBits = 21;
constexpr uint32_t expectedAt = countBits, bytesAt = 2 * countBits,
                   parityAt = bytesAt + bytesBits, markAt = parityAt + 1;
constexpr uint64_t mark = 2;

Status failed(std::string text) {
  return Status(Code::LaunchFailed, std::move(text));
}
uint64_t field(uint64_t word, uint32_t at, uint32_t bits) {
  return (word >> at) & ((uint64_t(1) << bits) - 1);
}
} // namespace

bool Mbarrier::initialised() const { return word >> markAt == mark; }
uint32_t Mbarrier::pending() const { return field(word, 0, countBits); }
uint32_t Mbarrier::expected() const {
  return field(word, expectedAt, countBits);
}
int32_t Mbarrier::transactionBytes() const {
  auto bits = int32_t(field(word, bytesAt, bytesBits));
  return bits > int32_t(maxCount) ? bits - (1 << bytesBits) : bits;
}
uint32_t Mbarrier::parity() const { return field(word, parityAt, 1); }
uint32_t Mbarrier::pendingOf(uint64_t state) {
  return field(state, 0, countBits);
}

Status Mbarrier::check(const char *what) const {
  if (!initialised())
    return failed(concat(what, ": the barrier is not initialised"));
  return Status::ok();
}

void Mbarrier::set(uint64_t pending, uint64_t expected, int64_t bytes,
                   uint64_t parity) {
  uint64_t bytesField = field(uint64_t(bytes), 0, bytesBits);
  word = pending | expected << expectedAt | bytesField << bytesAt |
         parity << parityAt | mark << markAt;
}

/// Starts the next phase when this one is complete.
void Mbarrier::completePhase() {
  if (pending() == 0 && transactionBytes() == 0)
    set(expected(), expected(), 0, parity() ^ 1);
}

Status Mbarrier::init(uint64_t count) {
  if (count < 1 || count > maxCount)
    return failed(concat("mbarrier.init: the count must be 1 to ", maxCount,
                         ", but is ", count));
  set(count, count, 0, 0);
  return Status::ok();
}

Status Mbarrier::invalidate() {
  if (Status status = check("mbarrier.inval"); !status.isOk())
    return status;
  word = 0;
  return Status::ok();
}

Status Mbarrier::arrive(uint64_t count, uint64_t &state) {
  if (Status status = check("mbarrier.arrive"); !status.isOk())
    return status;
  if (count < 1 || count > pending())
    return failed(concat("mbarrier.arrive: ", count, " arrivals, but ",
                         pending(), " of ", expected(), " are pending"));
  state = word;
  set(pending() - count, expected(), transactionBytes(), parity());
  completePhase();
  return Status::ok();
}

Status Mbarrier::arriveDrop(uint64_t count, uint64_t &state) {
  if (Status status = check("mbarrier.arrive_drop"); !status.isOk())
    return status;
  if (count < 1 || count > pending() || count > expected())
    return failed(concat("mbarrier.arrive_drop: ", count, " arrivals, but ",
                         pending(), " of ", expected(), " are pending"));
  uint64_t before = word;
  set(pending(), expected() - count, transactionBytes(), parity());
  Status status = arrive(count, state);
  state = before;
  return status;
}

Status Mbarrier::arriveExpectTx(uint64_t bytes, uint64_t &state) {
  if (Status status = check("mbarrier.arrive.expect_tx"); !status.isOk())
    return status;
  uint64_t before = word;
  Status status = expectTx(bytes);
  uint64_t after;
  if (status.isOk())
    status = arrive(1, after);
  if (status.isOk())
    state = before;
  else
    word = before;
  return status;
}

Status Mbarrier::changeBytes(int64_t difference) {
  int64_t bytes = transactionBytes() + difference;
  if (bytes < -int64_t(maxCount) || bytes > int64_t(maxCount))
    return failed(concat("mbarrier: the transaction count must be -", maxCount,
                         " to ", maxCount, ", but becomes ", bytes));
  set(pending(), expected(), bytes, parity());
  return Status::ok();
}

Status Mbarrier::expectTx(uint64_t bytes) {
  if (Status status = check("mbarrier.expect_tx"); !status.isOk())
    return status;
  if (bytes > maxCount)
    return failed(concat("mbarrier.expect_tx: at most ", maxCount,
                         " bytes, but ", bytes));
  return changeBytes(int64_t(bytes));
}

Status Mbarrier::completeTx(uint64_t bytes) {
  if (Status status = check("mbarrier.complete_tx"); !status.isOk())
    return status;
  if (bytes > maxCount)
    return failed(concat("mbarrier.complete_tx: at most ", maxCount,
                         " bytes, but ", bytes));
  Status status = changeBytes(-int64_t(bytes));
  if (status.isOk())
    completePhase();
  return status;
}

Status Mbarrier::addPending() {
  if (Status status = check("cp.async.mbarrier.arrive"); !status.isOk())
    return status;
  if (pending() == maxCount)
    return failed(concat("cp.async.mbarrier.arrive: ", maxCount,
                         " arrivals are pending, which is the most"));
  set(pending() + 1, expected(), transactionBytes(), parity());
  return Status::ok();
}

Status Mbarrier::testParity(uint32_t asked, bool &complete) const {
  if (Status status = check("mbarrier.test_wait.parity"); !status.isOk())
    return status;
  if (asked > 1)
    return failed(concat("mbarrier.test_wait.parity: the parity must be 0 or "
                         "1, but is ",
                         asked));
  complete = parity() != asked;
  return Status::ok();
}

Status Mbarrier::testState(uint64_t state, bool &complete) const {
  if (Status status = check("mbarrier.test_wait"); !status.isOk())
    return status;
  if (state >> markAt != mark)
    return failed("mbarrier.test_wait: the state is not one that an arrival "
                  "gave");
  complete = field(state, parityAt, 1) != parity();
  return Status::ok();
}
