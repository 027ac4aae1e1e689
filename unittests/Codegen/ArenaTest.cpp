//===- ArenaTest.cpp - Buffers of an arena never collide ------------------===//

#include "Codegen/LaunchPlan/Arena.h"

#include "gtest/gtest.h"

#include <random>

using namespace tripy;
using namespace tripy::codegen;

TEST(Arena, ReusesMemoryOfTheDead) {
  // A chain: each buffer lives from its launch to the next.
  std::optional<ArenaLayout> layout =
      layOutArena({{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 2048u);
  EXPECT_EQ(layout->offsets[0], layout->offsets[2]);
  EXPECT_EQ(layout->offsets[1], layout->offsets[3]);
  EXPECT_NE(layout->offsets[0], layout->offsets[1]);
}

TEST(Arena, TakesTheSmallestGap) {
  // At launch 2, the gaps are [0, 1024) and [1280, 1536): the small one fits.
  std::optional<ArenaLayout> layout = layOutArena(
      {{1024, 0, 1}, {256, 0, 4}, {256, 0, 1}, {256, 0, 4}, {200, 2, 3}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 1792u);
}

TEST(Arena, RefusesOverflow) {
  uint64_t half = uint64_t(1) << 62;
  EXPECT_TRUE(layOutArena({{half, 0, 0}}));
  EXPECT_FALSE(layOutArena({{half, 0, 0}, {half, 0, 0}}));
  EXPECT_FALSE(layOutArena({{UINT64_MAX, 0, 0}}));
}

TEST(Arena, EmptyBuffersTakeNothing) {
  std::optional<ArenaLayout> layout = layOutArena({{0, 0, 9}, {0, 0, 9}});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 0u);
}

TEST(Arena, RandomBuffersNeverCollide) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    llvm::SmallVector<ArenaRequest> requests;
    uint64_t sum = 0;
    for (int i = 0; i < 40; ++i) {
      unsigned first = random() % 30;
      requests.push_back(
          {random() % 5000, first, first + unsigned(random() % 6)});
      sum += (requests.back().bytes + 255) / 256 * 256;
    }
    std::optional<ArenaLayout> layout = layOutArena(requests);
    ASSERT_TRUE(layout);
    EXPECT_LE(layout->bytes, sum);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(layout->offsets[i] % arenaAlignment, 0u);
      EXPECT_LE(layout->offsets[i] + requests[i].bytes, layout->bytes);
      for (size_t j = 0; j < i; ++j) {
        const ArenaRequest &a = requests[i], &b = requests[j];
        bool together = a.first <= b.last && b.first <= a.last;
        bool apart = layout->offsets[i] + a.bytes <= layout->offsets[j] ||
                     layout->offsets[j] + b.bytes <= layout->offsets[i];
        EXPECT_TRUE(!together || apart || !a.bytes || !b.bytes);
      }
    }
  }
}
