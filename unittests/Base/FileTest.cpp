//===- FileTest.cpp - Files, read and written whole -----------------------===//

#include "tripy/Base/File.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tripy;
namespace fs = std::filesystem;

namespace {

class FileTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/tripy-file-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const char *name) const { return folder / name; }
  size_t entries() const {
    return size_t(std::distance(fs::directory_iterator(folder), {}));
  }
  fs::path folder;
  const std::vector<uint8_t> bytes = {1, 2, 3};
};

TEST_F(FileTest, WriteAndRead) {
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  Result<std::vector<uint8_t>> read = readFile(path("a"));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, bytes);
  Result<MappedFile> mapped = MappedFile::open(path("a"));
  ASSERT_TRUE(mapped);
  MappedFile moved = std::move(*mapped);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), moved.bytes().begin(),
                         moved.bytes().end()));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, EmptyFile) {
  ASSERT_TRUE(writeFile(path("a"), {}).isOk());
  EXPECT_TRUE(readFile(path("a")));
  Result<MappedFile> mapped = MappedFile::open(path("a"));
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(mapped->bytes().empty());
}

TEST_F(FileTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string &name :
       {folder.string(), path("pipe"), std::string("/dev/zero")}) {
    EXPECT_EQ(readFile(name).status().code(), Code::InvalidArgument) << name;
    EXPECT_EQ(MappedFile::open(name).status().code(), Code::InvalidArgument);
  }
  EXPECT_EQ(writeFile(folder.string(), bytes).code(), Code::InvalidArgument);
  EXPECT_EQ(writeFile("", bytes).code(), Code::InvalidArgument);
  EXPECT_EQ(writeFile(path("x/"), bytes).code(), Code::InvalidArgument);
  EXPECT_EQ(readFile(std::string("a\0b", 3)).status().code(),
            Code::InvalidArgument);
}

TEST_F(FileTest, MissingFiles) {
  EXPECT_EQ(readFile(path("none")).status().code(), Code::NotFound);
  EXPECT_EQ(MappedFile::open(path("none")).status().code(), Code::NotFound);
  EXPECT_EQ(writeFile(path("none/file"), bytes).code(), Code::NotFound);
  EXPECT_NE(readFile(path("none")).status().message().find("none"),
            std::string::npos);
}

TEST_F(FileTest, Limit) {
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  EXPECT_TRUE(readFile(path("a"), 3));
  EXPECT_EQ(readFile(path("a"), 2).status().code(), Code::LimitExceeded);
}

TEST_F(FileTest, NothingIsLeftWithoutCommit) {
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  {
    Result<FileWriter> writer = FileWriter::create(path("a"));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write({}).isOk());
    EXPECT_EQ(entries(), 2u);
  }
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(*readFile(path("a")), bytes);
}

TEST_F(FileTest, TwoWritersOfOneFile) {
  Result<FileWriter> first = FileWriter::create(path("a"));
  Result<FileWriter> second = FileWriter::create(path("a"));
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->write(bytes).isOk());
  ASSERT_TRUE(second->commit().isOk());
  ASSERT_TRUE(first->commit().isOk());
  EXPECT_EQ(*readFile(path("a")), bytes);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FullDiskIsReported) {
  auto writeWithLimit = [&] {
    // A process may not write more than this to a file; the signal that comes
    // with it is ignored.
    ::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = 2;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Status status = writeFile(path("a"), bytes);
    ::_exit(status.code() == Code::Io && entries() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(writeWithLimit(), testing::ExitedWithCode(0), "");
}

TEST_F(FileTest, PermissionsFollowTheMask) {
  mode_t old = ::umask(027);
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  ::umask(old);
  struct stat info;
  ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

} // namespace
