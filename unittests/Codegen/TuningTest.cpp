//===- TuningTest.cpp - The file of measured tiles ------------------------===//

#include "tripy/Codegen/Tuning.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::codegen;

namespace fs = std::filesystem;

namespace {

TuningRecord record(std::string contraction, std::string tile = "128x256",
                    double microseconds = 12.5) {
  TuningRecord made;
  made.chip = "sm_90a";
  made.device = "NVIDIA H200";
  made.contraction = std::move(contraction);
  made.tile = std::move(tile);
  made.microseconds = microseconds;
  return made;
}

/// A path of its own for each test.
class TuningFile : public ::testing::Test {
protected:
  TuningFile() {
    std::string pattern = ::testing::TempDir() + "/tripy-tuning-XXXXXX";
    root = ::mkdtemp(pattern.data());
    path = root + "/tuning.txt";
  }
  ~TuningFile() override {
    std::error_code error;
    fs::permissions(root, fs::perms::owner_all, error);
    fs::remove_all(root, error);
  }
  void write(std::string_view text) {
    auto bytes = reinterpret_cast<const uint8_t *>(text.data());
    ASSERT_TRUE(writeFile(path, {bytes, text.size()}).isOk());
  }
  std::string text() {
    Result<std::vector<uint8_t>> bytes = readFile(path);
    return bytes ? std::string(bytes->begin(), bytes->end()) : "";
  }
  TuningRecords read() {
    Result<TuningRecords> records = readTuningFile(path);
    EXPECT_TRUE(bool(records)) << records.status().message();
    return records ? *records : TuningRecords();
  }

  std::string root, path;
};

Code codeOf(std::string_view text) { return parseTuning(text).status().code(); }

const char *const good =
    "tripy-tuning 2\n"
    "sm_90a | NVIDIA H200 | 1 | f16 64x64x64 nt | 64x64,cluster=4 | 12.5\n"
    "sm_90a | NVIDIA H200 | 2 | f16 64x64x64 nt | 128x128,pingpong | 0.25\n"
    "sm_90a | NVIDIA H200 | 1 | product f16 64x64x64 nt | cublaslt | 11.5\n"
    "end\n";

} // namespace

TEST(TuningText, IsReadAsWritten) {
  TuningRecords records = {record("a", "64x16,split=8"),
                           record("b", "128x128,pingpong,cluster=2", 1e-3)};
  Result<TuningRecords> found = parseTuning(printTuning(records));
  ASSERT_TRUE(bool(found));
  EXPECT_EQ(*found, records);
  ASSERT_TRUE(bool(parseTuning(printTuning({}))));
  EXPECT_TRUE(parseTuning(printTuning({}))->empty());
  found = parseTuning(good);
  ASSERT_TRUE(bool(found));
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].tile, "64x64,cluster=4");
  EXPECT_EQ((*found)[1].kernels, 2u);
  EXPECT_EQ((*found)[2].tile, libraryBackend);
  EXPECT_EQ(printTuning(*found), good);
  // What the first version wrote is read.
  std::string older = good;
  older.replace(older.find('2'), 1, "1");
  ASSERT_TRUE(bool(parseTuning(older)));
  EXPECT_EQ(*parseTuning(older), *found);
}

TEST(TuningText, WhatIsCutIsRefused) {
  std::string_view whole = good;
  for (size_t size = 0; size < whole.size(); ++size) {
    Code code = codeOf(whole.substr(0, size));
    EXPECT_TRUE(code == Code::Truncated || code == Code::Malformed)
        << size << ": " << codeName(code);
  }
}

/// Whatever a byte becomes, what is read is well-formed, and reads the same
/// when it is written again.
TEST(TuningText, ChangedBytesDoNoHarm) {
  for (size_t at = 0; at < std::string_view(good).size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[at] = char(byte);
      Result<TuningRecords> found = parseTuning(text);
      if (!found)
        continue;
      for (const TuningRecord &each : *found)
        EXPECT_TRUE(isPrintable(each.contraction) && each.microseconds > 0 &&
                    std::isfinite(each.microseconds));
      Result<TuningRecords> again = parseTuning(printTuning(*found));
      ASSERT_TRUE(bool(again)) << text;
      EXPECT_EQ(again->size(), found->size());
    }
}

TEST(TuningText, ErrorsSayWhatItIs) {
  EXPECT_EQ(codeOf("func.func @main() {\n"), Code::BadMagic);
  EXPECT_EQ(codeOf(std::string(100000, '[')), Code::BadMagic);
  EXPECT_EQ(codeOf("tripy-tuning 3\nwhatever\n"), Code::UnsupportedVersion);
  EXPECT_EQ(codeOf("tripy-tuning 0\nend\n"), Code::Malformed);
  EXPECT_EQ(codeOf("tripy-tuning x\nend\n"), Code::Malformed);
  EXPECT_EQ(codeOf("tripy-tuning 1\n\nend\n"), Code::Malformed);
  auto with = [](std::string line) {
    return codeOf("tripy-tuning 1\n" + line + "\nend\n");
  };
  EXPECT_EQ(with("a | b | 1 | c | 64x64 | 1"), Code::Ok);
  EXPECT_EQ(with("a | b | 1 | c | 64x64"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | c | 64x64 | 1 | 2"), Code::Malformed);
  EXPECT_EQ(with("a | b | -1 | c | 64x64 | 1"), Code::Malformed);
  EXPECT_EQ(with("a |  | 1 | c | 64x64 | 1"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | c | 60x64 | 1"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | c | 128x256,pingpong | 1"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | product c | own | 1"), Code::Ok);
  EXPECT_EQ(with("a | b | 1 | product c | cublas | 1"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | product c | 64x64 | 1"), Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | c | cublaslt | 1"), Code::Malformed);
  for (const char *time : {"0", "-1", "nan", "inf", "1e999", "x", ""})
    EXPECT_EQ(with(std::string("a | b | 1 | c | 64x64 | ") + time),
              Code::Malformed)
        << time;
  EXPECT_EQ(with(std::string(201, 'a') + " | b | 1 | c | 64x64 | 1"),
            Code::Malformed);
  EXPECT_EQ(with("a | b | 1 | c | 64x64 | 1\na | b | 1 | c | 64x32 | 2"),
            Code::Malformed);
}

TEST(TuningUse, KeyHasToMatch) {
  TuningRecords records = {record("x"), record("y", "64x64")};
  const TuningRecord *found = findTuning(records, "sm_90a", "", "y");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tile, "64x64");
  EXPECT_TRUE(findTuning(records, "sm_90a", "NVIDIA H200", "y"));
  EXPECT_FALSE(findTuning(records, "sm_90a", "NVIDIA H100", "y"));
  EXPECT_FALSE(findTuning(records, "sm_90", "", "y"));
  EXPECT_FALSE(findTuning(records, "sm_90a", "", "z"));
  records[1].kernels = tunedKernels + 1;
  EXPECT_FALSE(findTuning(records, "sm_90a", "", "y"));
}

TEST(TuningUse, SeveralDevicesNeedAName) {
  TuningRecords records = {record("x"), record("x", "64x64")};
  records[1].device = "NVIDIA H100";
  EXPECT_FALSE(findTuning(records, "sm_90a", "", "x"));
  EXPECT_EQ(findTuning(records, "sm_90a", "NVIDIA H100", "x"), &records[1]);
}

TEST_F(TuningFile, MergeReplacesAndKeeps) {
  ASSERT_TRUE(mergeIntoTuningFile(path, {record("a"), record("b")}).isOk());
  TuningRecord other = record("a", "64x32");
  other.device = "NVIDIA H100";
  ASSERT_TRUE(mergeIntoTuningFile(path, {other}).isOk());
  ASSERT_TRUE(mergeIntoTuningFile(path, {record("a", "64x64", 3)}).isOk());
  EXPECT_EQ(read(),
            (TuningRecords{record("b"), other, record("a", "64x64", 3)}));
  ASSERT_TRUE(mergeIntoTuningFile(path, {}).isOk());
  EXPECT_EQ(read().size(), 3u);
  // Of one key the last counts; the order is that of recording.
  ASSERT_TRUE(mergeIntoTuningFile(
                  path, {record("d"), record("c"), record("d", "64x64")})
                  .isOk());
  EXPECT_EQ(read(), (TuningRecords{record("b"), other, record("a", "64x64", 3),
                                   record("c"), record("d", "64x64")}));
}

TEST_F(TuningFile, DamagedIsReplacedAndOthersAreLeftAlone) {
  for (std::string_view damaged :
       {std::string_view(good).substr(0, 50),
        std::string_view("tripy-tuning 1\nx\nend\n"), std::string_view("")}) {
    write(damaged);
    EXPECT_TRUE(mergeIntoTuningFile(path, {record("a")}).isOk());
    EXPECT_EQ(read(), TuningRecords{record("a")});
  }
  for (std::string_view other :
       {"tripy-tuning 3\nend\n", "func.func @main()\n", "{}"}) {
    write(other);
    EXPECT_FALSE(mergeIntoTuningFile(path, {record("a")}).isOk());
    EXPECT_EQ(text(), other);
  }
}

TEST_F(TuningFile, WhatCannotBeReadAgainIsNotWritten) {
  for (TuningRecord bad :
       {record(""), record("a|b"), record("a\n"), record("a", "1x1"),
        record("a", "64x64", 0), record("a", "64x64", NAN),
        record(std::string(201, 'a'))})
    EXPECT_EQ(mergeIntoTuningFile(path, {bad}).code(), Code::InvalidArgument);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TuningFile, OldestAreDropped) {
  TuningRecords many;
  for (size_t i = 0; i < maxTuningRecords; ++i)
    many.push_back(record(concat("c", i)));
  ASSERT_TRUE(mergeIntoTuningFile(path, many).isOk());
  EXPECT_EQ(read().size(), maxTuningRecords);
  ASSERT_TRUE(mergeIntoTuningFile(path, {record("new"), record("c1")}).isOk());
  TuningRecords left = read();
  EXPECT_EQ(left.size(), maxTuningRecords);
  EXPECT_FALSE(findTuning(left, "sm_90a", "", "c0"));
  EXPECT_TRUE(findTuning(left, "sm_90a", "", "c1"));
  EXPECT_TRUE(findTuning(left, "sm_90a", "", "c2"));
  EXPECT_TRUE(findTuning(left, "sm_90a", "", "new"));
}

/// Processes that add records at one time lose none, and whoever reads
/// meanwhile finds a whole file.
TEST_F(TuningFile, ProcessesShareIt) {
  constexpr int processes = 4, each = 15;
  ASSERT_TRUE(mergeIntoTuningFile(path, {}).isOk());
  std::vector<pid_t> children;
  for (int number = 0; number < processes; ++number) {
    pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < each; ++i)
        good &= mergeIntoTuningFile(path, {record(concat(number, " ", i))})
                    .isOk() &&
                bool(readTuningFile(path));
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read().size(), size_t(processes * each));
}

TEST_F(TuningFile, ErrorsOfTheFileSystem) {
  EXPECT_EQ(readTuningFile(path).status().code(), Code::NotFound);
  EXPECT_FALSE(mergeIntoTuningFile(root + "/no/folder", {record("a")}).isOk());
  EXPECT_FALSE(mergeIntoTuningFile(root, {record("a")}).isOk());
  write(std::string(9 << 20, 'x'));
  EXPECT_EQ(readTuningFile(path).status().code(), Code::LimitExceeded);
}
