//===- CorruptionTest.cpp - Every damaged byte of a container -------------===//
//
// Parsing and verifying a damaged file may fail, and must when the hashes do
// not match; it may never crash, hang or ask for much memory. Run this under
// the sanitizers (preset asan).
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Verify.h"

#include <gtest/gtest.h>
#include <random>

using namespace tripy;

namespace {

using Bytes = std::vector<uint8_t>;

/// A copy whose end is the end of its heap block, aligned as a mapping is, so
/// that AddressSanitizer sees reads beyond it.
struct ExactCopy {
  explicit ExactCopy(std::span<const uint8_t> bytes)
      : data(new (std::align_val_t(64)) uint8_t[bytes.size()]),
        size(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data);
  }
  ~ExactCopy() { ::operator delete[](data, std::align_val_t(64)); }
  uint8_t *data;
  size_t size;
};

/// Parses and verifies; evaluates what the verifier lets through.
bool accepts(std::span<const uint8_t> bytes) {
  ExactCopy copy(bytes);
  Result<Program> program =
      parseExecutable({copy.data, copy.size}, {.threads = 1});
  if (!program) {
    EXPECT_FALSE(program.status().message().empty());
    return false;
  }
  if (!verifyProgram(*program).isOk())
    return false;
  for (bool highest : {false, true}) {
    std::vector<int64_t> symbols, values(program->exprs.size());
    for (const SizeSymbol &symbol : program->symbols)
      symbols.push_back(highest ? symbol.max : symbol.min);
    EXPECT_TRUE(evaluateSizes(*program, symbols, values).isOk());
    // Either answer will do; it must be one.
    (void)checkAccesses(*program, values).isOk();
  }
  return true;
}

struct Counts {
  size_t tried = 0, accepted = 0;
};

/// Every single-byte change of `bytes`.
Counts changeEveryByte(const Bytes &bytes, bool repair) {
  Counts counts;
  for (size_t at = 0; at < bytes.size(); ++at) {
    uint8_t old = bytes[at];
    std::vector<uint8_t> values = {0, 0xff, uint8_t(old + 1)};
    for (int bit = 0; bit < 8; ++bit)
      values.push_back(old ^ uint8_t(1 << bit));
    for (uint8_t value : values) {
      if (value == old)
        continue;
      Bytes changed = bytes;
      changed[at] = value;
      if (repair)
        samples::repairHashes(changed);
      ++counts.tried;
      counts.accepted += accepts(changed);
    }
  }
  return counts;
}

TEST(Corruption, SamplesAreAccepted) {
  EXPECT_TRUE(accepts(samples::container(*samples::cpuSample())));
  EXPECT_TRUE(accepts(samples::container(*samples::cudaSample())));
  EXPECT_TRUE(accepts(samples::container(*samples::productSample())));
  EXPECT_TRUE(accepts(samples::container(*samples::hostPluginSample())));
  EXPECT_TRUE(accepts(samples::container(*samples::cudaPluginSample())));
  EXPECT_TRUE(accepts(samples::container(*samples::sizeSample())));
}

TEST(Corruption, EveryTruncationIsRefused) {
  for (auto make : {samples::cpuSample, samples::cudaSample,
                    samples::productSample, samples::sizeSample,
                    samples::hostPluginSample, samples::cudaPluginSample}) {
    Bytes bytes = samples::container(*make());
    for (size_t size = 0; size < bytes.size(); ++size) {
      Bytes cut(bytes.begin(), bytes.begin() + size);
      Result<Program> program = parseExecutable(cut);
      ASSERT_FALSE(program);
      EXPECT_EQ(program.status().code(), Code::Truncated) << size;
    }
  }
}

TEST(Corruption, EveryTruncationWithMatchingHashesIsRefused) {
  Bytes bytes = samples::container(*samples::cpuSample());
  for (size_t size = 64; size < bytes.size(); ++size) {
    Bytes cut(bytes.begin(), bytes.begin() + size);
    for (int i = 0; i < 8; ++i)
      cut[16 + i] = uint8_t(uint64_t(size) >> (8 * i));
    samples::repairHashes(cut);
    EXPECT_FALSE(accepts(cut)) << size;
  }
}

TEST(Corruption, EveryChangedByteIsRefused) {
  for (auto make : {samples::cpuSample, samples::cudaSample,
                    samples::productSample, samples::sizeSample,
                    samples::hostPluginSample, samples::cudaPluginSample}) {
    Bytes bytes = samples::container(*make());
    Counts counts = changeEveryByte(bytes, false);
    EXPECT_EQ(counts.accepted, 0u);
    EXPECT_GT(counts.tried, bytes.size() * 8);
    RecordProperty("changes", int(counts.tried));
  }
}

TEST(Corruption, EveryChangedByteWithMatchingHashesIsSafe) {
  for (auto make : {samples::cpuSample, samples::cudaSample,
                    samples::productSample, samples::sizeSample,
                    samples::hostPluginSample, samples::cudaPluginSample}) {
    Bytes bytes = samples::container(*make());
    Counts counts = changeEveryByte(bytes, true);
    // Names and constants may change, most other bytes may not.
    EXPECT_GT(counts.accepted, 0u);
    EXPECT_LT(counts.accepted, counts.tried);
  }
}

TEST(Corruption, ManyChangedBytesWithMatchingHashesAreSafe) {
  std::mt19937_64 random(1);
  for (auto make : {samples::cpuSample, samples::cudaSample,
                    samples::productSample, samples::sizeSample,
                    samples::hostPluginSample, samples::cudaPluginSample}) {
    Bytes bytes = samples::container(*make());
    for (int round = 0; round < 20000; ++round) {
      Bytes changed = bytes;
      for (uint64_t i = 0, count = 1 + random() % 8; i < count; ++i) {
        size_t at = random() % changed.size();
        // Small numbers make more sense than random ones.
        changed[at] = random() % 2 ? uint8_t(random() % 8) : uint8_t(random());
      }
      samples::repairHashes(changed);
      accepts(changed);
    }
  }
}

TEST(Corruption, SwappedSectionsAreRefused) {
  Bytes bytes = samples::container(*samples::cpuSample());
  for (size_t a = 0; a < 4; ++a)
    for (size_t b = a + 1; b < 4; ++b) {
      Bytes changed = bytes;
      std::swap_ranges(changed.begin() + 64 + 48 * a,
                       changed.begin() + 64 + 48 * (a + 1),
                       changed.begin() + 64 + 48 * b);
      samples::repairHashes(changed);
      EXPECT_FALSE(accepts(changed));
    }
}

} // namespace
