//===- ContainerTest.cpp - The .tpx container, written and read -----------===//

#include "SampleProgram.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Verify.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace tripy;

namespace {

std::vector<uint8_t> sampleBytes() {
  return samples::container(*samples::cpuSample());
}

Code codeOf(const std::vector<uint8_t> &bytes) {
  Result<Program> program = parseExecutable(bytes);
  return program ? Code::Ok : program.status().code();
}

void put(std::vector<uint8_t> &bytes, size_t at, uint64_t value,
         size_t size = 8) {
  std::memcpy(&bytes[at], &value, size);
}

uint64_t get(const std::vector<uint8_t> &bytes, size_t at) {
  uint64_t value;
  std::memcpy(&value, &bytes[at], 8);
  return value;
}

TEST(Container, RoundTripKeepsEverything) {
  for (auto make :
       {samples::cpuSample, samples::cudaSample, samples::productSample,
        samples::hostPluginSample, samples::cudaPluginSample}) {
    auto sample = make();
    std::vector<uint8_t> bytes = samples::container(*sample);
    ASSERT_FALSE(bytes.empty());
    Result<Program> program = parseExecutable(bytes);
    ASSERT_TRUE(program) << program.status().message();
    // Writing it again gives the same bytes: no field was lost or changed.
    VectorSink again;
    ASSERT_TRUE(serialize(*program, again).isOk());
    EXPECT_EQ(again.data, bytes);
    EXPECT_TRUE(verifyProgram(*program).isOk());
  }
}

TEST(Container, RoundTripOfFields) {
  auto sample = samples::cpuSample();
  std::vector<uint8_t> bytes = samples::container(*sample);
  Result<Program> program = parseExecutable(bytes);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->device, DeviceKind::CPU);
  EXPECT_EQ(program->name, "sample");
  EXPECT_EQ(program->symbols[1].max, 4);
  EXPECT_EQ(program->symbols[1].name, "batch");
  EXPECT_EQ(program->inputs[1].name, "y");
  EXPECT_EQ(program->inputs[1].path, "arg0.a key");
  EXPECT_EQ(program->kernels[1].entry, 48u);
  EXPECT_EQ(program->launches[2].accesses[0].writes, true);
  EXPECT_EQ(program->whys[0].lines[1].line, 5u);
  EXPECT_EQ(program->arenaBytes, 512u);
  EXPECT_TRUE(std::equal(program->constants.begin(), program->constants.end(),
                         sample->constants.begin(), sample->constants.end()));
  EXPECT_TRUE(std::equal(program->imageData.begin(), program->imageData.end(),
                         sample->image.begin(), sample->image.end()));
}

TEST(Container, WritingIsDeterministic) {
  EXPECT_EQ(sampleBytes(), sampleBytes());
}

TEST(Container, SectionsAreAlignedAndContiguous) {
  std::vector<uint8_t> bytes = sampleBytes();
  Result<std::vector<Section>> sections = parseSectionTable(bytes);
  ASSERT_TRUE(sections);
  ASSERT_EQ(sections->size(), 4u);
  for (const Section &section : *sections)
    EXPECT_EQ(section.offset % 64, 0u);
  EXPECT_EQ(sections->back().offset + sections->back().size, bytes.size());
}

TEST(Container, ConstantsInPieces) {
  auto sample = samples::cpuSample();
  std::span<const uint8_t> all(sample->constants);
  ConstantPiece pieces[] = {{64, all.subspan(64, 20)},
                            {84, all.subspan(84, 28)}};
  VectorSink sink;
  ASSERT_TRUE(serialize(sample->program, {112, pieces}, sink).isOk());
  // The first 64 bytes are zero in the sample, too.
  EXPECT_EQ(sink.data, samples::container(*sample));
}

TEST(Container, RefusesPiecesOutOfOrderOrRange) {
  auto sample = samples::cpuSample();
  std::span<const uint8_t> all(sample->constants);
  VectorSink sink;
  ConstantPiece overlap[] = {{0, all.first(64)}, {63, all.first(8)}};
  EXPECT_EQ(serialize(sample->program, {112, overlap}, sink).code(),
            Code::InvalidArgument);
  ConstantPiece beyond[] = {{100, all.first(64)}};
  EXPECT_EQ(serialize(sample->program, {112, beyond}, sink).code(),
            Code::InvalidArgument);
  ConstantPiece wraps[] = {{UINT64_MAX - 3, all.first(64)}};
  EXPECT_EQ(serialize(sample->program, {112, wraps}, sink).code(),
            Code::InvalidArgument);
  EXPECT_TRUE(sink.data.empty());
}

TEST(Container, RefusesToWriteWhatCannotBeRead) {
  auto sample = samples::cpuSample();
  sample->program.name.assign(2000, 'n');
  VectorSink sink;
  EXPECT_EQ(serialize(sample->program, sink).code(), Code::LimitExceeded);
  sample->program.name = "n";
  sample->program.whys[0].lines[0].reason.assign(5000, 'r');
  EXPECT_EQ(serialize(sample->program, sink).code(), Code::LimitExceeded);
}

TEST(Container, WriteExecutableVerifies) {
  auto sample = samples::cpuSample();
  sample->program.launches[0].kernel = 7;
  std::string path = testing::TempDir() + "/refused.tpx";
  Status status = writeExecutable(path, sample->program);
  EXPECT_EQ(status.code(), Code::Malformed);
  EXPECT_EQ(readFile(path).status().code(), Code::NotFound);
}

/// One way to damage a container and the code it must give.
struct Damage {
  const char *what;
  void (*apply)(std::vector<uint8_t> &bytes);
  Code code;
  bool repair = true;
  /// Part of the message, where the code alone says too little.
  const char *message = "";
};

class ContainerDamage : public testing::TestWithParam<Damage> {};

TEST_P(ContainerDamage, IsRefused) {
  std::vector<uint8_t> bytes = sampleBytes();
  GetParam().apply(bytes);
  if (GetParam().repair)
    samples::repairHashes(bytes);
  EXPECT_EQ(codeOf(bytes), GetParam().code) << GetParam().what;
  EXPECT_NE(parseExecutable(bytes).status().message().find(GetParam().message),
            std::string::npos)
      << parseExecutable(bytes).status().message();
}

using Bytes = std::vector<uint8_t>;

INSTANTIATE_TEST_SUITE_P(
    All, ContainerDamage,
    testing::Values(
        Damage{"magic", [](Bytes &b) { b[0] = 'T'; }, Code::BadMagic},
        Damage{"text", [](Bytes &b) { b.assign({'h', 'i'}); }, Code::BadMagic},
        Damage{"empty", [](Bytes &b) { b.clear(); }, Code::Truncated},
        Damage{"header", [](Bytes &b) { b.resize(63); }, Code::Truncated, true,
               "the header needs 64 bytes, but the file has 63"},
        Damage{"newer major",
               [](Bytes &b) { put(b, 8, executableMajor + 1, 2); },
               Code::UnsupportedVersion},
        Damage{"newer minor",
               [](Bytes &b) { put(b, 10, executableMinor + 1, 2); },
               Code::UnsupportedVersion},
        Damage{"older major",
               [](Bytes &b) { put(b, 8, executableMajor - 1, 2); },
               Code::UnsupportedVersion},
        Damage{"cut", [](Bytes &b) { b.pop_back(); }, Code::Truncated},
        Damage{"longer", [](Bytes &b) { b.push_back(0); }, Code::Malformed},
        Damage{"no sections", [](Bytes &b) { put(b, 12, 0, 4); },
               Code::Malformed},
        Damage{"many sections", [](Bytes &b) { put(b, 12, 5, 4); },
               Code::Malformed},
        Damage{"most sections", [](Bytes &b) { put(b, 12, 0xffffffff, 4); },
               Code::Malformed},
        Damage{"table beyond the end",
               [](Bytes &b) {
                 b.resize(100);
                 put(b, 16, 100);
               },
               Code::Truncated},
        Damage{"header hash", [](Bytes &b) { b[48] ^= 1; },
               Code::ChecksumMismatch, false},
        Damage{"section hash", [](Bytes &b) { b[64 + 24] ^= 1; },
               Code::ChecksumMismatch, false},
        Damage{"constants", [](Bytes &b) { b.back() ^= 1; },
               Code::ChecksumMismatch, false},
        Damage{"reserved header", [](Bytes &b) { b[30] = 1; }, Code::Malformed},
        Damage{"reserved row", [](Bytes &b) { b[64 + 44] = 1; },
               Code::Malformed},
        Damage{"reserved row start", [](Bytes &b) { b[64 + 5] = 1; },
               Code::Malformed},
        Damage{"kind", [](Bytes &b) { b[64] = 9; }, Code::Malformed},
        Damage{"kind twice", [](Bytes &b) { b[64 + 48] = 1; }, Code::Malformed},
        Damage{"no plan", [](Bytes &b) { put(b, 64, 0, 4); }, Code::Malformed},
        Damage{"offset", [](Bytes &b) { put(b, 72, get(b, 72) + 64); },
               Code::Malformed},
        Damage{"size", [](Bytes &b) { put(b, 80, get(b, 80) + 64); },
               Code::Malformed},
        Damage{"empty section", [](Bytes &b) { put(b, 64 + 3 * 48 + 16, 0); },
               Code::Malformed, true,
               "must lie inside the file and have bytes"},
        Damage{"huge size", [](Bytes &b) { put(b, 80, UINT64_MAX - 100); },
               Code::Malformed, true, "must lie inside the file"},
        Damage{"smaller last section",
               [](Bytes &b) {
                 size_t at = 64 + 3 * 48 + 16;
                 put(b, at, get(b, at) - 1);
               },
               Code::Malformed},
        Damage{"smaller total", [](Bytes &b) { put(b, 16, get(b, 16) - 1); },
               Code::Malformed, true, "the header promises"},
        Damage{"constants alone",
               [](Bytes &b) {
                 VectorSink sink;
                 (void)serialize(Program(), sink).isOk();
                 b = sink.data;
                 put(b, 64, 4, 4);
               },
               Code::Malformed, true, "the first section must be the plan"},
        Damage{"hole",
               // The first 64 bytes of the constants are zero.
               [](Bytes &b) {
                 size_t row = 64 + 3 * 48;
                 put(b, row + 8, get(b, row + 8) + 64);
                 put(b, row + 16, get(b, row + 16) - 64);
               },
               Code::Malformed, true, "must start where the one before ends"},
        Damage{"padding",
               [](Bytes &b) {
                 // Behind the first section that has some.
                 auto end = [&](uint64_t row) {
                   return get(b, row + 8) + get(b, row + 16);
                 };
                 uint64_t row = executableHeaderBytes;
                 while (end(row) % executableAlignment == 0)
                   row += executableSectionBytes;
                 b[end(row)] = 1;
               },
               Code::Malformed}),
    [](const testing::TestParamInfo<Damage> &info) {
      std::string name = info.param.what;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST(Container, RefusesPlanWithRest) {
  // A plan section one byte longer than its records.
  auto sample = samples::cpuSample();
  sample->program.whys.clear();
  for (Launch &launch : sample->program.launches)
    launch.why = noIndex;
  sample->program.images.clear();
  sample->program.imageData = {};
  sample->program.constants = {};
  std::vector<uint8_t> bytes = samples::container(*sample);
  bytes.push_back(0);
  put(bytes, 16, bytes.size());
  put(bytes, 80, get(bytes, 80) + 1);
  samples::repairHashes(bytes);
  Result<Program> program = parseExecutable(bytes);
  ASSERT_FALSE(program);
  EXPECT_NE(program.status().message().find("after its last record"),
            std::string::npos);
}

TEST(Container, CountsBeyondLimitsTakeNoMemory) {
  // The first list of the plan (symbols) claims 65,536 and 65,537 entries.
  for (uint64_t count : {uint64_t(65536), uint64_t(65537), uint64_t(1) << 31}) {
    std::vector<uint8_t> bytes = sampleBytes();
    Result<std::vector<Section>> sections = parseSectionTable(bytes);
    ASSERT_TRUE(sections);
    // device, name ("sample"), arena.
    put(bytes, (*sections)[0].offset + 1 + 4 + 6 + 8, count, 4);
    samples::repairHashes(bytes);
    Code code = codeOf(bytes);
    EXPECT_TRUE(code == Code::Malformed || code == Code::LimitExceeded);
    if (count > 65536)
      EXPECT_EQ(code, Code::LimitExceeded);
  }
}

} // namespace
