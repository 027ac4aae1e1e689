//===- DiskCacheTest.cpp - Programs kept between processes ----------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace tp = tripy;
namespace fs = std::filesystem;

namespace {
class DiskCache : public testing::Test {
protected:
  void SetUp() override {
    // Several builds may be tested at the same time.
    folder = testing::TempDir() + "/eager-" + std::to_string(getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder);
    tp::setEagerCacheFolder(folder);
    tp::clearEagerCache();
  }
  void TearDown() override {
    tp::setEagerCacheFolder("");
    fs::remove_all(folder);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> list;
    std::error_code none;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(folder, none))
      list.push_back(entry.path());
    return list;
  }
  std::string folder;
};
} // namespace

/// What is evaluated, and whether it came from the folder.
static bool isFromDisk(int64_t size = 2) {
  tp::clearEagerCache(); // as in a new process
  EXPECT_EQ(tp::exp(tp::zeros({size})).toVector<float>(),
            std::vector<float>(size, 1));
  EXPECT_EQ(tp::eagerCacheStatistics().misses, 1u);
  return tp::eagerCacheStatistics().fromDisk == 1;
}

TEST_F(DiskCache, KeepsPrograms) {
  EXPECT_FALSE(isFromDisk());
  ASSERT_EQ(files().size(), 1u);
  EXPECT_TRUE(isFromDisk());
  EXPECT_FALSE(isFromDisk(3));
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(isFromDisk(3));
  // The folder is its user's alone.
  EXPECT_EQ(fs::status(folder).permissions() & fs::perms::others_all,
            fs::perms::none);
}

// A program from the folder would have no IR to write.
TEST_F(DiskCache, IsNotReadWhereLevelsAreDumped) {
  EXPECT_FALSE(isFromDisk());
  std::string dumped = folder + "-dumped";
  setenv("TRIPY_DUMP_IR", dumped.c_str(), 1);
  EXPECT_FALSE(isFromDisk());
  unsetenv("TRIPY_DUMP_IR");
  EXPECT_TRUE(fs::exists(fs::path(dumped) / "0001" / "trace.mlir"));
  fs::remove_all(dumped);
  EXPECT_TRUE(isFromDisk());
}

TEST_F(DiskCache, IsNotAsked) {
  tp::setEagerCacheFolder("");
  EXPECT_FALSE(isFromDisk());
  EXPECT_FALSE(isFromDisk());
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(DiskCache, ReplacesWhatIsDamaged) {
  EXPECT_FALSE(isFromDisk());
  fs::path file = files().at(0);
  uint64_t size = fs::file_size(file);
  for (uint64_t kept : {uint64_t(0), uint64_t(7), size / 2, size - 1}) {
    fs::resize_file(file, kept);
    EXPECT_FALSE(isFromDisk()) << kept;
    EXPECT_EQ(fs::file_size(file), size);
  }
  std::fstream stream(file, std::ios::in | std::ios::out);
  stream.seekp(int64_t(size) - 9).put('\x55');
  stream.close();
  EXPECT_FALSE(isFromDisk());
  EXPECT_TRUE(isFromDisk());
}

TEST_F(DiskCache, RemovesWhatWasUsedLongestAgo) {
  EXPECT_FALSE(isFromDisk(1));
  uint64_t one = fs::file_size(files().at(0));
  std::ofstream(folder + "/mine") << std::string(2 * one, 'x'); // not counted
  fs::path first =
      files().at(0).extension() == ".tpx" ? files()[0] : files()[1];
  fs::last_write_time(first,
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  tp::setEagerCacheFolder(folder, one + one / 2);
  EXPECT_TRUE(isFromDisk(1)); // used now
  EXPECT_FALSE(isFromDisk(2));
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(isFromDisk(2));
  EXPECT_FALSE(isFromDisk(1));
  EXPECT_TRUE(fs::exists(folder + "/mine"));
  tp::setEagerCacheFolder(folder, 10); // too small for any
  EXPECT_FALSE(isFromDisk(5));
  EXPECT_FALSE(isFromDisk(5));
}

TEST_F(DiskCache, FoldersThatCannotBe) {
  std::string file = testing::TempDir() + "/a-file-" + std::to_string(getpid());
  std::ofstream(file) << "text";
  for (const std::string &bad : {std::string("/proc/none/x"), file}) {
    tp::setEagerCacheFolder(bad);
    EXPECT_FALSE(isFromDisk());
    EXPECT_FALSE(isFromDisk());
  }
}

/// Run by the test below, in processes of their own.
TEST(DiskCacheProcess, Evaluates) {
  const char *folder = std::getenv("TRIPY_TEST_FOLDER");
  if (!folder)
    GTEST_SKIP() << "part of DiskCache.IsShared";
  tp::setEagerCacheFolder(folder, 6000);
  for (int round = 0; round < 3; ++round)
    for (int64_t size = 1; size <= 6; ++size)
      isFromDisk(size);
}

TEST_F(DiskCache, IsShared) {
  std::string self = fs::read_symlink("/proc/self/exe").string();
  std::string one =
      "TRIPY_TEST_FOLDER='" + folder + "' '" + self +
      "' --gtest_filter=DiskCacheProcess.* >/dev/null & pids=\"$pids $!\";";
  std::string command = "pids=;" + one + one + one + one +
                        "for pid in $pids; do wait $pid || exit 1; done";
  EXPECT_EQ(std::system(command.c_str()), 0);
  uint64_t sum = 0;
  for (const fs::path &file : files()) {
    EXPECT_TRUE(file.string().ends_with(".eager.tpx")) << file;
    sum += fs::file_size(file);
  }
  EXPECT_GT(sum, 0u);
  EXPECT_LE(sum, 6000u);
}
