//===- MemoryTest.cpp - The emulator's device memory
//-----------------------===//
#include "../../interpreter/Emulator.h"

#include <gtest/gtest.h>

using namespace tripy;
using namespace tripy::emulator;

namespace {

TEST(EmulatorMemory, KnowsItsAllocations) {
  Memory memory;
  Result<uint64_t> start = memory.allocate(100, "weights");
  ASSERT_TRUE(start);
  EXPECT_EQ(*start % 512, 0u);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(*start + 99), 0xFD);
  EXPECT_TRUE(memory.contains(*start, 100));
  EXPECT_TRUE(memory.contains(*start + 99, 1));
  EXPECT_FALSE(memory.contains(*start + 99, 2));
  EXPECT_FALSE(memory.contains(*start - 1, 1));
  EXPECT_FALSE(memory.contains(*start + 1, ~uint64_t(0)));
  EXPECT_EQ(memory.liveBytes(), 100u);
  EXPECT_NE(memory.describe(*start + 103)
                .find("3 bytes after the end of the "
                      "weights of 100 bytes"),
            std::string::npos)
      << memory.describe(*start + 103);
  EXPECT_TRUE(memory.free(*start).isOk());
  EXPECT_FALSE(memory.contains(*start, 1));
  EXPECT_NE(memory.describe(*start + 7).find("in freed memory"),
            std::string::npos);
  EXPECT_EQ(memory.free(*start).code(), Code::NotFound);
  EXPECT_EQ(memory.liveBytes(), 0u);
}

TEST(EmulatorMemory, RefusesNothingAndTooMuch) {
  Memory memory;
  memory.setLimit(1000);
  EXPECT_EQ(memory.allocate(0).status().code(), Code::InvalidArgument);
  EXPECT_EQ(memory.allocate(1001).status().code(), Code::DeviceOutOfMemory);
  ASSERT_TRUE(memory.allocate(600));
  EXPECT_EQ(memory.allocate(600).status().code(), Code::DeviceOutOfMemory);
}

TEST(EmulatorMemory, AdoptsTheCallersRanges) {
  Memory memory;
  alignas(16) uint8_t host[64] = {};
  auto start = reinterpret_cast<uint64_t>(host);
  EXPECT_TRUE(memory.adopt(host, 64, "pinned memory").isOk());
  EXPECT_EQ(memory.adopt(host + 8, 8, "twice").code(), Code::InvalidArgument);
  EXPECT_EQ(memory.adopt(nullptr, 8, "null").code(), Code::InvalidArgument);
  EXPECT_TRUE(memory.contains(start, 64));
  EXPECT_TRUE(memory.free(start).isOk());
  EXPECT_FALSE(memory.contains(start, 1));
}

} // namespace
