//===- UnitsAsyncCopyTest.cpp - Groups of asynchronous copies -------------===//

#include "../../interpreter/Units/AsyncCopy.h"
#include "UnitsTestUtil.h"

using namespace tripy;
using namespace tripy::emulator;

namespace {

/// Writes `name` in lower case when read and in upper case when written.
AsyncOperation traced(std::string &trace, char name) {
  return {[&trace, name] {
            trace += name;
            return Status::ok();
          },
          [&trace, name] {
            trace += char(name - 'a' + 'A');
            return Status::ok();
          }};
}

TEST(AsyncGroups, WaitsForAllButTheLatestGroups) {
  std::string trace;
  AsyncGroups groups;
  EXPECT_OK(groups.add(traced(trace, 'a')));
  EXPECT_OK(groups.add(traced(trace, 'b')));
  groups.commit();
  EXPECT_OK(groups.add(traced(trace, 'c')));
  groups.commit();
  groups.commit(); // an empty group counts
  EXPECT_OK(groups.add(traced(trace, 'd')));
  EXPECT_OK(groups.wait(3));
  EXPECT_EQ(trace, "") << "a copy came before anybody waited for it";
  EXPECT_OK(groups.wait(2));
  EXPECT_EQ(trace, "abAB");
  EXPECT_OK(groups.wait(0));
  EXPECT_EQ(trace, "abABcC") << "not committed: belongs to no group";
  EXPECT_FALSE(groups.empty());
  EXPECT_OK(groups.finish());
  EXPECT_EQ(trace, "abABcCdD");
  EXPECT_TRUE(groups.empty());
  EXPECT_OK(groups.wait(0));
}

TEST(AsyncGroups, ReadsWithoutWriting) {
  std::string trace;
  AsyncGroups groups;
  for (char name : {'a', 'b', 'c'}) {
    EXPECT_OK(groups.add(traced(trace, name)));
    groups.commit();
  }
  EXPECT_OK(groups.waitRead(1));
  EXPECT_EQ(trace, "ab");
  EXPECT_OK(groups.waitRead(1));
  EXPECT_OK(groups.waitRead(5));
  EXPECT_EQ(trace, "ab") << "a source is read once";
  EXPECT_OK(groups.wait(1));
  EXPECT_EQ(trace, "abAB");
  EXPECT_OK(groups.waitRead(0));
  EXPECT_OK(groups.finish());
  EXPECT_EQ(trace, "abABcC");
}

TEST(AsyncGroups, MayBeAtOnce) {
  std::string trace;
  AsyncGroups groups(/*late=*/false);
  EXPECT_OK(groups.add(traced(trace, 'a')));
  EXPECT_EQ(trace, "aA");
  groups.commit();
  EXPECT_OK(groups.wait(0));
  EXPECT_EQ(trace, "aA");
}

TEST(AsyncGroups, PassesFaultsOn) {
  auto bad = [] { return fault("no such memory"); };
  auto good = [] { return Status::ok(); };
  AsyncGroups groups;
  EXPECT_OK(groups.add({bad, good}));
  groups.commit();
  EXPECT_FAULT(groups.wait(0), "no such memory");
  EXPECT_OK(groups.add({good, bad}));
  EXPECT_FAULT(groups.finish(), "no such memory");
  EXPECT_OK(groups.add({bad, good}));
  groups.commit();
  EXPECT_FAULT(groups.waitRead(0), "no such memory");
}

class CopyTest : public ::testing::Test {
protected:
  CopyTest() : shared(256, 0x400), global(256, 0x10000) {
    for (size_t i = 0; i < global.bytes.size(); ++i)
      global.bytes[i] = uint8_t(i + 1);
  }
  Status carryOut(Status status, AsyncOperation &operation) {
    if (status.isOk())
      status = operation.read();
    return status.isOk() ? operation.write() : status;
  }
  Status copy(uint64_t to, uint64_t from, uint64_t bytes, uint64_t source,
              bool bypassL1 = false) {
    AsyncOperation operation;
    return carryOut(asyncCopy(to, shared.space, from, global.space, bytes,
                              source, bypassL1, operation),
                    operation);
  }
  Status bulk(uint64_t to, uint64_t from, uint64_t bytes) {
    AsyncOperation operation;
    return carryOut(
        bulkCopy(to, shared.space, from, global.space, bytes, operation),
        operation);
  }

  TestSpace shared, global;
};

TEST_F(CopyTest, FillsWithZerosWhatTheSourceLacks) {
  for (uint64_t bytes : {4, 8, 16})
    for (uint64_t source = 0; source <= bytes; ++source) {
      std::fill(shared.bytes.begin(), shared.bytes.end(), 0xfd);
      EXPECT_OK(copy(0x420, 0x10010, bytes, source));
      for (uint64_t i = 0; i < 32; ++i) {
        uint8_t want = i >= bytes ? 0xfd : i >= source ? 0 : uint8_t(17 + i);
        EXPECT_EQ(*shared.at(0x420 + i), want) << bytes << " " << source;
      }
      EXPECT_EQ(*shared.at(0x41f), 0xfd);
    }
}

TEST_F(CopyTest, ReadsNoMoreThanTheSource) {
  // The last bytes of global memory, and none behind it.
  EXPECT_OK(copy(0x400, 0x100f0, 16, 16));
  EXPECT_OK(copy(0x400, 0x10100, 16, 0));
  EXPECT_FAULT(copy(0x400, 0x10100, 16, 1), "out of bounds: 1 bytes");
  EXPECT_FAULT(copy(0x500, 0x10000, 16, 0), "out of bounds: 16 bytes");
}

TEST_F(CopyTest, RefusesSizesAndAddresses) {
  EXPECT_FAULT(copy(0x400, 0x10000, 12, 12), "4, 8 or 16 bytes");
  EXPECT_FAULT(copy(0x400, 0x10000, 8, 8, true), "must copy 16 bytes");
  EXPECT_FAULT(copy(0x400, 0x10000, 8, 9), "at most 8 bytes");
  EXPECT_FAULT(copy(0x404, 0x10000, 8, 8), "multiples of 8");
  EXPECT_FAULT(copy(0x400, 0x10008, 16, 16), "multiples of 16");
  EXPECT_FAULT(bulk(0x400, 0x10000, 24), "multiple of 16 bytes");
  EXPECT_FAULT(bulk(0x408, 0x10000, 32), "multiples of 16");
  EXPECT_FAULT(bulk(0x400, 0x10008, 32), "multiples of 16");
  EXPECT_FAULT(bulk(0x400, 0x100f0, 32), "out of bounds");
}

TEST_F(CopyTest, BulkCopiesAreDense) {
  EXPECT_OK(bulk(0x410, 0x10020, 48));
  for (uint64_t i = 0; i < 48; ++i)
    EXPECT_EQ(*shared.at(0x410 + i), 33 + i);
  EXPECT_EQ(*shared.at(0x40f), 0xfd);
  EXPECT_EQ(*shared.at(0x440), 0xfd);
  EXPECT_OK(bulk(0x410, 0x10020, 0));
}

TEST_F(CopyTest, TheSourceIsTakenWhenItIsRead) {
  AsyncOperation operation;
  EXPECT_OK(
      bulkCopy(0x400, shared.space, 0x10000, global.space, 16, operation));
  global.bytes[0] = 77;
  EXPECT_OK(operation.read());
  global.bytes[0] = 78;
  EXPECT_EQ(shared.bytes[0], 0xfd);
  EXPECT_OK(operation.write());
  EXPECT_EQ(shared.bytes[0], 77);
}

} // namespace
