//===- FileWriterTest.cpp - Files written whole or not at all -------------===//

#include "tripy/Base/File.h"
#include "tripy/Base/Signals.h"
#include "tripy/Base/Text.h"

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tripy;
namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<uint8_t>;

class FileWriterTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/tripy-writer-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(std::string_view name) const { return folder / name; }
  std::string temporary(std::string_view name, int number = 0) const {
    return concat(path(name), temporarySuffix, number);
  }
  size_t entries() const {
    return size_t(std::distance(fs::directory_iterator(folder), {}));
  }
  /// Leaves a file behind that no process holds.
  void leave(const std::string &name) const {
    std::ofstream(name) << "left behind";
  }
  /// Runs `body`, which returns 0 on success, in a process of its own, and
  /// returns its wait status.
  template <typename Body> int inChild(Body body) const {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  fs::path folder;
  const Bytes before = {9, 9, 9, 9}, bytes = {1, 2, 3};
};

//===-- names -------------------------------------------------------------===//

TEST_F(FileWriterTest, LongNames) {
  std::string umlauts;
  for (int i = 0; i < 127; ++i)
    umlauts += "\xc3\xa9";
  for (const std::string &name :
       {std::string(NAME_MAX, 'n'), std::string(NAME_MAX - 5, 'n'),
        umlauts + "x"}) {
    Result<FileWriter> writer = FileWriter::create(path(name));
    ASSERT_TRUE(writer) << writer.status().message();
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
      EXPECT_TRUE(isUtf8(entry.path().filename().string()));
    ASSERT_TRUE(writer->write(bytes).isOk());
    ASSERT_TRUE(writer->commit().isOk());
    EXPECT_EQ(*readFile(path(name)), bytes);
    EXPECT_EQ(entries(), 1u);
    fs::remove(path(name));
  }
  Status status = writeFile(path(std::string(NAME_MAX + 1, 'n')), bytes);
  EXPECT_EQ(status.code(), Code::Io) << status.message();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileWriterTest, LinksStay) {
  fs::create_directory(folder / "far");
  ASSERT_TRUE(writeFile(path("far/target"), before).isOk());
  fs::create_symlink("far/target", folder / "link");
  fs::create_symlink(folder / "link", folder / "second");
  fs::create_symlink("far/none", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  for (auto [link, target] : {std::pair{"link", "far/target"},
                              {"second", "far/target"},
                              {"dangling", "far/none"}}) {
    ASSERT_TRUE(writeFile(path(link), bytes).isOk()) << link;
    EXPECT_TRUE(fs::is_symlink(folder / link));
    EXPECT_EQ(*readFile(path(target)), bytes);
    ASSERT_TRUE(writeFile(path(target), before).isOk());
  }
  EXPECT_EQ(writeFile(path("loop"), bytes).code(), Code::Io);
}

//===-- devices, pipes and descriptors ------------------------------------===//

TEST_F(FileWriterTest, DevicesGetTheBytes) {
  fs::create_symlink("/dev/null", folder / "link");
  for (const std::string &device : {std::string("/dev/null"), path("link")}) {
    ASSERT_TRUE(writeFile(device, bytes).isOk());
    EXPECT_TRUE(fs::is_character_file(device));
  }
  EXPECT_EQ(entries(), 1u);
  Status full = writeFile("/dev/full", bytes);
  EXPECT_EQ(full.code(), Code::Io);
  EXPECT_NE(full.message().find("'/dev/full'"), std::string::npos);
}

TEST_F(FileWriterTest, APipeGetsTheBytesAtTheEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  // More than a pipe holds.
  Bytes many(1 << 20);
  for (size_t i = 0; i < many.size(); ++i)
    many[i] = uint8_t(i * 7);
  int writing = 0;
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(writeFile(path("pipe"), many).isOk() ? 0 : 1);
  std::ifstream pipe(path("pipe"), std::ios::binary);
  Bytes found((std::istreambuf_iterator<char>(pipe)), {});
  EXPECT_EQ(::waitpid(child, &writing, 0), child);
  EXPECT_EQ(writing, 0);
  EXPECT_EQ(found, many);
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

TEST_F(FileWriterTest, APipeWithoutReaderIsAnError) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  // The reader goes away once the writer has the pipe.
  int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  Result<FileWriter> writer = FileWriter::create(path("pipe"));
  ASSERT_TRUE(writer) << writer.status().message();
  ASSERT_TRUE(writer->write(bytes).isOk());
  ::close(reader);
  Status status = writer->commit();
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_NE(status.message().find("Broken pipe"), std::string::npos)
      << status.message();
}

/// Standard output, whatever it is, is written where it stands.
TEST_F(FileWriterTest, DescriptorsAreWrittenWhereTheyStand) {
  for (bool hasName : {true, false}) {
    int file = ::open(path("log").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ASSERT_GE(file, 0);
    ASSERT_EQ(::write(file, before.data(), before.size()), 4);
    if (!hasName)
      fs::remove(folder / "log");
    ASSERT_TRUE(writeFile(concat("/dev/fd/", file), bytes).isOk());
    ASSERT_TRUE(writeFile(concat("/proc/self/fd/", file), bytes).isOk());
    Bytes found(16), wanted = {9, 9, 9, 9, 1, 2, 3, 1, 2, 3};
    found.resize(size_t(::pread(file, found.data(), found.size(), 0)));
    EXPECT_EQ(found, wanted) << hasName;
    ::close(file);
  }
  EXPECT_FALSE(writeFile("/proc/self/fd/12345", bytes).isOk());
}

TEST_F(FileWriterTest, PermissionsOfAnOldFileStay) {
  ASSERT_TRUE(writeFile(path("a"), before).isOk());
  ASSERT_EQ(::chmod(path("a").c_str(), 0600), 0);
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  struct stat info;
  ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(FileWriterTest, Identity) {
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  ASSERT_TRUE(writeFile(path("b"), bytes).isOk());
  fs::create_hard_link(folder / "a", folder / "hard");
  fs::create_symlink("a", folder / "soft");
  fs::create_symlink("new", folder / "to-new");
  fs::create_directory(folder / "d");
  auto identity = [&](std::string_view name) {
    return identifyFile(path(name));
  };
  for (const char *name : {"./a", "d/../a", "hard", "soft", "d/.././soft"})
    EXPECT_EQ(identity(name), identity("a")) << name;
  for (const char *name : {"./new", "d/../new", "to-new"})
    EXPECT_EQ(identity(name), identity("new")) << name;
  EXPECT_NE(identity("a"), identity("b"));
  EXPECT_NE(identity("new"), identity("newer"));
  EXPECT_NE(identity("new"), identity("d/new"));
  EXPECT_EQ(identity("none/a"), std::nullopt);
}

//===-- what was left behind ----------------------------------------------===//

TEST_F(FileWriterTest, TheNextWriterRemovesWhatWasLeft) {
  leave(temporary("a"));
  leave(temporary("a", 5));
  // Another file's, no writer's, and a living one's.
  leave(temporary("b"));
  leave(path("a.tmp-0"));
  Result<FileWriter> living = FileWriter::create(path("a"));
  ASSERT_TRUE(living);
  ASSERT_TRUE(living->write(bytes).isOk());
  ASSERT_TRUE(writeFile(path("a"), before).isOk());
  EXPECT_FALSE(fs::exists(temporary("a", 5)));
  EXPECT_TRUE(fs::exists(temporary("a"))) << "a living writer's";
  EXPECT_TRUE(fs::exists(temporary("b")));
  EXPECT_TRUE(fs::exists(path("a.tmp-0")));
  ASSERT_TRUE(living->commit().isOk());
  EXPECT_EQ(*readFile(path("a")), bytes);
  EXPECT_EQ(entries(), 3u);
}

TEST_F(FileWriterTest, AKilledProcessLeavesNothingForLong) {
  auto body = [&] {
    Result<FileWriter> writer = FileWriter::create(path("a"));
    if (!writer || !writer->write(bytes).isOk())
      return 1;
    return ::raise(SIGKILL);
  };
  int status = inChild(body);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(), 1u);
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(fs::exists(path("a")));
}

TEST_F(FileWriterTest, ManyWritersOfOneFile) {
  std::vector<FileWriter> writers;
  Status status;
  while (status.isOk() && writers.size() < 100) {
    Result<FileWriter> writer = FileWriter::create(path("a"));
    status = writer.status();
    if (writer)
      writers.push_back(std::move(*writer));
  }
  EXPECT_GE(writers.size(), 20u);
  EXPECT_NE(status.message().find("other writers"), std::string::npos)
      << status.message();
  for (FileWriter &writer : writers)
    EXPECT_TRUE(writer.commit().isOk());
  EXPECT_EQ(entries(), 1u);
}

/// Twelve processes write one file and are killed now and then: each file that
/// is seen is whole, and in the end nothing is left but it.
TEST_F(FileWriterTest, ManyProcesses) {
  auto work = [&](uint8_t number) {
    for (int i = 0; i < 60; ++i) {
      Bytes content(1000, number);
      if (!writeFile(path("a"), content).isOk())
        return 1;
      Result<Bytes> found = readFile(path("a"));
      if (!found || found->size() != 1000 ||
          std::count(found->begin(), found->end(), found->front()) != 1000)
        return 2;
      if (number % 3 == 0 && i == 20) {
        Result<FileWriter> writer = FileWriter::create(path("a"));
        return ::raise(SIGKILL);
      }
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (uint8_t number = 0; number < 12; ++number) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(work(number));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
  }
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  EXPECT_EQ(entries(), 1u);
}

//===-- signals -----------------------------------------------------------===//

TEST_F(FileWriterTest, SignalsRemoveTemporaryFiles) {
  for (int number : {SIGHUP, SIGINT, SIGTERM}) {
    leave(path("other"));
    auto body = [&] {
      handleSignals("test", 7);
      Result<FileWriter> first = FileWriter::create(path("a"));
      Result<FileWriter> second = FileWriter::create(path("b"));
      if (!first || !second || !writeFile(path("c"), bytes).isOk() ||
          entries() != 4)
        return 1;
      ::raise(number);
      return 2;
    };
    int status = inChild(body);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_EQ(entries(), 2u) << "what is complete stays";
    fs::remove(path("c"));
  }
}

TEST_F(FileWriterTest, IgnoredSignalsStayIgnored) {
  int status = inChild([&] {
    ::signal(SIGHUP, SIG_IGN);
    handleSignals("test", 7);
    Result<FileWriter> writer = FileWriter::create(path("a"));
    ::raise(SIGHUP);
    return writer && writer->commit().isOk() ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path("a")));
}

TEST_F(FileWriterTest, AMappedFileThatBecomesShorter) {
  ASSERT_TRUE(writeFile(path("a"), Bytes(1 << 16, 1)).isOk());
  auto body = [&] {
    handleSignals("some-tool", 7);
    Result<MappedFile> file = MappedFile::open(path("a"));
    Result<FileWriter> writer = FileWriter::create(path("b"));
    if (!file || !writer || ::truncate(path("a").c_str(), 0) != 0)
      ::_exit(1);
    volatile uint8_t last = file->bytes().back();
    ::_exit(last);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(7),
              "some-tool: error: a mapped file became shorter while it was "
              "read");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileWriterTest, AReadFileThatBecomesShorter) {
  ASSERT_TRUE(writeFile(path("a"), Bytes(1 << 16, 1)).isOk());
  Result<InputFile> file = InputFile::open(path("a"));
  ASSERT_TRUE(file);
  ASSERT_EQ(::truncate(path("a").c_str(), 100), 0);
  Bytes out(200);
  EXPECT_TRUE(file->read(0, {out.data(), 100}).isOk());
  Status status = file->read(0, out);
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_NE(status.message().find("became shorter while it was read"),
            std::string::npos)
      << status.message();
}

//===-- several files, and files that cannot be replaced ------------------===//

TEST_F(FileWriterTest, AllOrWhatIsSaid) {
  auto open = [&](std::vector<const char *> names) {
    std::vector<FileWriter> writers;
    for (const char *name : names) {
      Result<FileWriter> writer = FileWriter::create(path(name));
      EXPECT_TRUE(writer && writer->write(bytes).isOk());
      writers.push_back(std::move(*writer));
    }
    return writers;
  };
  {
    std::vector<FileWriter> writers = open({"a", "b", "c"});
    ASSERT_TRUE(FileWriter::commitAll(writers).isOk());
  }
  EXPECT_EQ(entries(), 3u);
  {
    std::vector<FileWriter> writers = open({"d", "e", "f"});
    // A folder takes the second one's name at the last moment.
    fs::create_directory(folder / "e");
    Status status = FileWriter::commitAll(writers);
    EXPECT_EQ(status.code(), Code::Io);
    EXPECT_NE(status.message().find("written before it: '" + path("d")),
              std::string::npos)
        << status.message();
  }
  EXPECT_TRUE(fs::exists(path("d")));
  EXPECT_FALSE(fs::exists(path("f")));
  EXPECT_EQ(entries(), 5u) << "no temporary file";
}

TEST_F(FileWriterTest, AFileInAFolderThatMayNotBeWritten) {
  fs::create_directory(folder / "d");
  ASSERT_TRUE(writeFile(path("d/a"), before).isOk());
  if (::geteuid() == 0) {
    ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
    ASSERT_EQ(::chown(path("d/a").c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chmod(path("d").c_str(), 0555), 0);
  int status = inChild([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0)
      return 1;
    Result<FileWriter> writer = FileWriter::create(path("d/a"));
    if (!writer || !writer->write(bytes).isOk())
      return 2;
    if (*readFile(path("d/a")) != before)
      return 3;
    if (!writer->commit().isOk())
      return 4;
    // A file that is not there cannot be made.
    Status status = writeFile(path("d/new"), bytes);
    return status.message().find("Permission denied") != std::string::npos ? 0
                                                                           : 5;
  });
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(*readFile(path("d/a")), bytes) << "shorter than before, too";
  ASSERT_EQ(::chmod(path("d").c_str(), 0755), 0);
}

TEST_F(FileWriterTest, MountPoints) {
  ASSERT_TRUE(writeFile(path("source"), before).isOk());
  ASSERT_TRUE(writeFile(path("target"), {}).isOk());
  int status = inChild([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(path("source").c_str(), path("target").c_str(), nullptr,
                MS_BIND, nullptr) != 0)
      return 77;
    return writeFile(path("target"), bytes).isOk() ? 0 : 1;
  });
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "mounting needs a privilege";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*readFile(path("source")), bytes);
  EXPECT_TRUE(readFile(path("target"))->empty());
}

} // namespace
