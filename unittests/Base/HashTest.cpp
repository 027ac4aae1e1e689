//===- HashTest.cpp - Content hashes --------------------------------------===//

#include "tripy/Base/Hash.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

using namespace tripy;

namespace {

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

TEST(Hash, KnownValue) {
  // XXH3-128 of no bytes, seed 0; from the specification's test vectors.
  EXPECT_EQ(hashBytes({}).str(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(treeHash({}), treeHash(bytesOf("")));
  EXPECT_NE(treeHash({}).str(), hashBytes({}).str());
}

TEST(Hash, TreeIsIndependentOfThreadsAndPieces) {
  std::vector<uint8_t> bytes(2 * treeHashChunk + 12345);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 31 + (i >> 11));
  Hash128 expected = treeHash(bytes, 1);
  EXPECT_EQ(treeHash(bytes, 2), expected);
  EXPECT_EQ(treeHash(bytes, 7), expected);
  EXPECT_EQ(treeHash(bytes), expected);
  TreeHasher hasher;
  std::span<const uint8_t> rest(bytes);
  for (size_t size = 1; !rest.empty(); size = size * 3 + 1) {
    size_t part = std::min(size, rest.size());
    hasher.update(rest.first(part));
    rest = rest.subspan(part);
  }
  EXPECT_EQ(hasher.finish(), expected);
}

TEST(Hash, TreeOfWholeChunks) {
  std::vector<uint8_t> bytes(treeHashChunk);
  TreeHasher hasher;
  hasher.updateZeros(treeHashChunk);
  EXPECT_EQ(hasher.finish(), treeHash(bytes));
}

TEST(Hash, EveryByteAndTheLengthMatter) {
  std::vector<uint8_t> bytes(100);
  Hash128 before = treeHash(bytes);
  for (uint8_t &byte : bytes) {
    byte = 1;
    EXPECT_NE(treeHash(bytes).str(), before.str());
    byte = 0;
  }
  bytes.push_back(0);
  EXPECT_NE(treeHash(bytes).str(), before.str());
}

} // namespace
