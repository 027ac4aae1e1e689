//===- UnitsMbarrierTest.cpp - Phases of barriers in shared memory --------===//

#include "../../interpreter/Units/Mbarrier.h"
#include "UnitsTestUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

bool isComplete(const Mbarrier &barrier, uint32_t parity) {
  bool complete = false;
  EXPECT_OK(barrier.testParity(parity, complete));
  return complete;
}

TEST(Mbarrier, APhaseEndsWithItsLastArrival) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(3));
  // Before the first phase ends, only the one "before" it is complete.
  EXPECT_FALSE(isComplete(barrier, 0));
  EXPECT_TRUE(isComplete(barrier, 1));
  for (uint32_t phase = 0; phase < 5; ++phase) {
    EXPECT_EQ(barrier.pending(), 3u);
    EXPECT_OK(barrier.arrive(1, state));
    EXPECT_OK(barrier.arrive(1, state));
    EXPECT_EQ(barrier.pending(), 1u);
    EXPECT_FALSE(isComplete(barrier, phase % 2));
    EXPECT_OK(barrier.arrive(1, state));
    EXPECT_TRUE(isComplete(barrier, phase % 2));
    EXPECT_FALSE(isComplete(barrier, 1 - phase % 2));
    EXPECT_EQ(barrier.expected(), 3u);
  }
}

TEST(Mbarrier, AnArrivalMayCountForSeveral) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(4));
  EXPECT_OK(barrier.arrive(3, state));
  EXPECT_EQ(Mbarrier::pendingOf(state), 4u);
  EXPECT_FALSE(isComplete(barrier, 0));
  EXPECT_FAULT(barrier.arrive(2, state), "2 arrivals, but 1 of 4 are pending");
  EXPECT_FAULT(barrier.arrive(0, state), "0 arrivals");
  EXPECT_OK(barrier.arrive(1, state));
  EXPECT_TRUE(isComplete(barrier, 0));
}

TEST(Mbarrier, TransactionsHoldThePhaseOpen) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(1));
  EXPECT_OK(barrier.arriveExpectTx(100, state));
  EXPECT_EQ(barrier.pending(), 0u);
  EXPECT_EQ(barrier.transactionBytes(), 100);
  EXPECT_OK(barrier.completeTx(60));
  EXPECT_FALSE(isComplete(barrier, 0));
  // Nobody may arrive any more, though the phase goes on.
  EXPECT_FAULT(barrier.arrive(1, state), "0 of 1 are pending");
  EXPECT_OK(barrier.completeTx(40));
  EXPECT_TRUE(isComplete(barrier, 0));
  EXPECT_EQ(barrier.pending(), 1u);
  EXPECT_EQ(barrier.transactionBytes(), 0);
}

TEST(Mbarrier, BytesMayArriveBeforeTheyAreExpected) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(1));
  EXPECT_OK(barrier.completeTx(48));
  EXPECT_EQ(barrier.transactionBytes(), -48);
  EXPECT_FALSE(isComplete(barrier, 0));
  EXPECT_OK(barrier.arriveExpectTx(48, state));
  EXPECT_TRUE(isComplete(barrier, 0));
  // Bytes that nobody expected keep the phase open even without arrivals.
  EXPECT_OK(barrier.completeTx(16));
  EXPECT_OK(barrier.arrive(1, state));
  EXPECT_FALSE(isComplete(barrier, 1));
  EXPECT_EQ(barrier.transactionBytes(), -16);
}

TEST(Mbarrier, ExpectedBytesDoNotArrive) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(2));
  EXPECT_OK(barrier.expectTx(32));
  EXPECT_EQ(barrier.pending(), 2u);
  EXPECT_OK(barrier.arrive(2, state));
  EXPECT_FALSE(isComplete(barrier, 0));
  EXPECT_OK(barrier.completeTx(32));
  EXPECT_TRUE(isComplete(barrier, 0));
}

TEST(Mbarrier, DroppedArrivalsAreNotExpectedAgain) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(3));
  EXPECT_OK(barrier.arriveDrop(1, state));
  EXPECT_EQ(Mbarrier::pendingOf(state), 3u);
  EXPECT_EQ(barrier.pending(), 2u);
  EXPECT_OK(barrier.arrive(2, state));
  EXPECT_TRUE(isComplete(barrier, 0));
  EXPECT_EQ(barrier.pending(), 2u);
  EXPECT_OK(barrier.arriveDrop(2, state));
  EXPECT_TRUE(isComplete(barrier, 1));
  EXPECT_FAULT(barrier.arrive(1, state), "0 of 0 are pending");
}

TEST(Mbarrier, ATokenKnowsItsPhase) {
  uint64_t word = 0, first = 0, second = 0;
  Mbarrier barrier(word);
  bool complete = true;
  EXPECT_OK(barrier.init(2));
  EXPECT_OK(barrier.arrive(1, first));
  EXPECT_OK(barrier.testState(first, complete));
  EXPECT_FALSE(complete);
  EXPECT_OK(barrier.arrive(1, second));
  EXPECT_OK(barrier.testState(first, complete));
  EXPECT_TRUE(complete);
  EXPECT_OK(barrier.testState(second, complete));
  EXPECT_TRUE(complete);
  EXPECT_FAULT(barrier.testState(1, complete), "not one that an arrival gave");
}

TEST(Mbarrier, CopiesOfAThreadAddAnArrival) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_OK(barrier.init(1));
  EXPECT_OK(barrier.addPending());
  EXPECT_OK(barrier.arrive(1, state));
  EXPECT_FALSE(isComplete(barrier, 0));
  EXPECT_OK(barrier.arrive(1, state));
  EXPECT_TRUE(isComplete(barrier, 0));
  EXPECT_EQ(barrier.pending(), 1u);
}

TEST(Mbarrier, CountsHaveLimits) {
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  EXPECT_FAULT(barrier.init(0), "must be 1 to 1048575");
  EXPECT_FAULT(barrier.init(uint64_t(1) << 20), "must be 1 to 1048575");
  EXPECT_EQ(word, 0u);
  EXPECT_OK(barrier.init(Mbarrier::maxCount));
  EXPECT_EQ(barrier.pending(), Mbarrier::maxCount);
  EXPECT_FAULT(barrier.addPending(), "which is the most");
  EXPECT_OK(barrier.expectTx(Mbarrier::maxCount));
  EXPECT_EQ(barrier.transactionBytes(), int32_t(Mbarrier::maxCount));
  EXPECT_FAULT(barrier.expectTx(1), "becomes 1048576");
  EXPECT_FAULT(barrier.arriveExpectTx(1, state), "becomes 1048576");
  EXPECT_EQ(barrier.pending(), Mbarrier::maxCount) << "a failed arrival counts";
  EXPECT_OK(barrier.completeTx(Mbarrier::maxCount));
  EXPECT_OK(barrier.completeTx(Mbarrier::maxCount));
  EXPECT_EQ(barrier.transactionBytes(), -int32_t(Mbarrier::maxCount));
  EXPECT_FAULT(barrier.completeTx(1), "becomes -1048576");
  EXPECT_FAULT(barrier.expectTx(uint64_t(1) << 40), "at most 1048575");
  EXPECT_OK(barrier.arrive(Mbarrier::maxCount, state));
}

TEST(Mbarrier, WhatIsNotInitialisedIsNoBarrier) {
  for (uint64_t poison : {uint64_t(0), ~uint64_t(0), 0xfdfdfdfdfdfdfdfd}) {
    uint64_t word = poison, state = 0;
    bool complete = false;
    Mbarrier barrier(word);
    EXPECT_FAULT(barrier.arrive(1, state), "not initialised");
    EXPECT_FAULT(barrier.arriveDrop(1, state), "not initialised");
    EXPECT_FAULT(barrier.arriveExpectTx(1, state), "not initialised");
    EXPECT_FAULT(barrier.expectTx(1), "not initialised");
    EXPECT_FAULT(barrier.completeTx(1), "not initialised");
    EXPECT_FAULT(barrier.addPending(), "not initialised");
    EXPECT_FAULT(barrier.testParity(0, complete), "not initialised");
    EXPECT_FAULT(barrier.testState(0, complete), "not initialised");
    EXPECT_FAULT(barrier.invalidate(), "not initialised");
    EXPECT_EQ(word, poison);
  }
  uint64_t word = 0, state = 0;
  Mbarrier barrier(word);
  bool complete = false;
  EXPECT_OK(barrier.init(1));
  EXPECT_FAULT(barrier.testParity(2, complete), "must be 0 or 1");
  EXPECT_OK(barrier.invalidate());
  EXPECT_FAULT(barrier.arrive(1, state), "not initialised");
}

} // namespace
