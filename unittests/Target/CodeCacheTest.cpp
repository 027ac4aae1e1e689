//===- CodeCacheTest.cpp - Kept code is whole, or not there ---------------===//

#include "tripy/Target/CodeCache.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::target;

namespace fs = std::filesystem;

namespace {

CacheKey keyOf(std::string_view text) {
  std::string_view parts[] = {text};
  return CacheKey::of(parts);
}

bool equal(const CachedCode &a, const CachedCode &b) {
  return a.ptx == b.ptx && a.cubins == b.cubins && a.log == b.log;
}

/// A folder of its own for each test.
class CodeCacheTest : public ::testing::Test {
protected:
  CodeCacheTest() {
    std::string pattern = ::testing::TempDir() + "/tripy-cache-XXXXXX";
    root = ::mkdtemp(pattern.data());
  }
  ~CodeCacheTest() override {
    std::error_code error;
    fs::permissions(root, fs::perms::owner_all, error);
    fs::remove_all(root, error);
  }
  CodeCache cache(uint64_t limit = uint64_t(1) << 20) {
    return CodeCache(folder(), limit);
  }
  std::string folder() { return root + "/a/b"; }

  std::string root;
  CachedCode code{"ptx text", {{1, 2, 3, 0, 255}, {}, {7}}, "used 3 registers"};
};

/// Sets variables of the environment for one test.
class Environment {
public:
  void set(const char *name, const char *value) {
    const char *old = std::getenv(name);
    saved.push_back(
        {name, old ? std::optional<std::string>(old) : std::nullopt});
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Environment() {
    for (auto it = saved.rbegin(); it != saved.rend(); ++it)
      it->second ? ::setenv(it->first, it->second->c_str(), 1)
                 : ::unsetenv(it->first);
  }

private:
  std::vector<std::pair<const char *, std::optional<std::string>>> saved;
};

} // namespace

TEST(CacheKey, DependsOnEachPartAndOnWhereItEnds) {
  auto of = [](std::vector<std::string_view> parts) {
    return CacheKey::of(parts).str();
  };
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"abc"}), of({"abc", ""}));
  EXPECT_NE(of({}), of({""}));
  EXPECT_EQ(of({"x"}).size(), 64u);
}

TEST(CacheKey, CompilerHasAnIdentity) {
  EXPECT_FALSE(compilerIdentity().empty());
  EXPECT_EQ(compilerIdentity(), compilerIdentity());
}

TEST_F(CodeCacheTest, MissThenHit) {
  EXPECT_FALSE(cache().find(keyOf("k")));
  EXPECT_TRUE(cache().store(keyOf("k"), code).isOk());
  std::optional<CachedCode> found = cache().find(keyOf("k"));
  ASSERT_TRUE(found);
  EXPECT_TRUE(equal(*found, code));
  EXPECT_FALSE(cache().find(keyOf("other")));
}

TEST_F(CodeCacheTest, EmptyPartsAreKept) {
  CachedCode empty;
  EXPECT_TRUE(cache().store(keyOf("k"), empty).isOk());
  ASSERT_TRUE(cache().find(keyOf("k")));
  EXPECT_TRUE(equal(*cache().find(keyOf("k")), empty));
}

/// Every damage is a miss, and the next store repairs it.
TEST_F(CodeCacheTest, DamagedEntriesAreMisses) {
  CacheKey key = keyOf("k");
  ASSERT_TRUE(cache().store(key, code).isOk());
  std::string path = cache().pathOf(key);
  std::vector<uint8_t> good = *readFile(path);
  auto isMiss = [&](std::span<const uint8_t> bytes) {
    EXPECT_TRUE(writeFile(path, bytes).isOk());
    return !cache().find(key);
  };
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_TRUE(isMiss(std::span(good).first(length))) << length;
  for (size_t at = 0; at < good.size(); ++at)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> bad = good;
      bad[at] ^= flip;
      EXPECT_TRUE(isMiss(bad)) << at;
    }
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_TRUE(isMiss(longer));
  ASSERT_TRUE(cache().store(key, code).isOk());
  EXPECT_TRUE(cache().find(key));
  EXPECT_EQ(*readFile(path), good);
}

TEST_F(CodeCacheTest, ForeignFilesAreMisses) {
  CacheKey key = keyOf("k"), other = keyOf("other");
  ASSERT_TRUE(cache().store(other, code).isOk());
  // Another key's entry under this name, a text, a folder, a pipe.
  fs::copy_file(cache().pathOf(other), cache().pathOf(key));
  EXPECT_FALSE(cache().find(key));
  std::string text = "no entry";
  ASSERT_TRUE(writeFile(cache().pathOf(key),
                        {reinterpret_cast<uint8_t *>(text.data()), text.size()})
                  .isOk());
  EXPECT_FALSE(cache().find(key));
  fs::remove(cache().pathOf(key));
  ASSERT_EQ(::mkfifo(cache().pathOf(key).c_str(), 0600), 0);
  EXPECT_FALSE(cache().find(key));
  EXPECT_TRUE(cache().store(key, code).isOk());
  EXPECT_TRUE(cache().find(key));
  // A link is replaced, and what it leads to is not touched.
  fs::rename(cache().pathOf(key), root + "/elsewhere");
  fs::create_symlink(root + "/elsewhere", cache().pathOf(key));
  CachedCode changed{"other text", {}, ""};
  EXPECT_TRUE(cache().store(key, changed).isOk());
  EXPECT_FALSE(fs::is_symlink(cache().pathOf(key)));
  EXPECT_TRUE(equal(*cache().find(key), changed));
  EXPECT_NE(*readFile(root + "/elsewhere"), *readFile(cache().pathOf(key)));
  fs::remove(cache().pathOf(key));
  fs::create_directory(cache().pathOf(key));
  EXPECT_FALSE(cache().find(key));
  EXPECT_FALSE(cache().store(key, code).isOk());
  // Nothing temporary stays behind.
  size_t files = std::distance(fs::directory_iterator(folder()), {});
  EXPECT_EQ(files, 2u);
}

/// The entries used longest ago go first; files of others stay.
TEST_F(CodeCacheTest, SizeIsBounded) {
  code.cubins = {std::vector<uint8_t>(1000, 7)};
  uint64_t limit = 10 * 1300;
  std::string foreign = folder() + "/notes.txt";
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(cache(limit).store(keyOf(std::to_string(i)), code).isOk());
    // Files may be made within one tick of the clock.
    fs::last_write_time(cache().pathOf(keyOf(std::to_string(i))),
                        fs::file_time_type::clock::now() -
                            std::chrono::minutes(60 - i));
  }
  std::vector<uint8_t> large(20000);
  ASSERT_TRUE(writeFile(foreign, large).isOk());
  ASSERT_TRUE(cache(limit).find(keyOf("0")));
  for (int i = 8; i < 40; ++i) {
    ASSERT_TRUE(cache(limit).store(keyOf(std::to_string(i)), code).isOk());
    uint64_t total = 0;
    for (const auto &file : fs::directory_iterator(folder()))
      total += file.path() == foreign ? 0 : file.file_size();
    EXPECT_LE(total, limit);
    EXPECT_TRUE(cache(limit).find(keyOf(std::to_string(i))));
    if (i < 12) {
      EXPECT_TRUE(cache(limit).find(keyOf("0")));
    }
  }
  EXPECT_FALSE(cache(limit).find(keyOf("1")));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(CodeCacheTest, WhatIsLargerThanTheCacheIsNotKept) {
  ASSERT_TRUE(cache().store(keyOf("small"), code).isOk());
  CachedCode large{std::string(4000, 'x'), {}, ""};
  EXPECT_TRUE(cache(2000).store(keyOf("k"), large).isOk());
  EXPECT_FALSE(cache().find(keyOf("k")));
  EXPECT_TRUE(cache().find(keyOf("small")));
  EXPECT_TRUE(cache(0).store(keyOf("k"), code).isOk());
  EXPECT_FALSE(cache(0).find(keyOf("k")));
}

TEST_F(CodeCacheTest, TemporaryFilesOfDeadProcessesGo) {
  ASSERT_TRUE(cache().store(keyOf("k"), code).isOk());
  auto temporary = [&](const char *key) {
    return concat(cache().pathOf(keyOf(key)), temporarySuffix, 0);
  };
  // A process that is at work, and one that ended in the middle.
  Result<FileWriter> living = FileWriter::create(cache().pathOf(keyOf("a")));
  ASSERT_TRUE(living);
  ASSERT_TRUE(writeFile(temporary("b"), std::vector<uint8_t>(10)).isOk());
  ASSERT_TRUE(cache().store(keyOf("l"), code).isOk());
  EXPECT_TRUE(fs::exists(temporary("a")));
  EXPECT_FALSE(fs::exists(temporary("b")));
}

TEST_F(CodeCacheTest, EntriesThatAreWrittenTwiceAreEqual) {
  CodeCache other(root + "/c", uint64_t(1) << 20);
  for (const CodeCache &place : {cache(), other, cache()})
    ASSERT_TRUE(place.store(keyOf("k"), code).isOk());
  EXPECT_EQ(*readFile(cache().pathOf(keyOf("k"))),
            *readFile(other.pathOf(keyOf("k"))));
}

/// 20 processes that store and find the same few keys within a small bound:
/// what is found is always what was stored.
TEST_F(CodeCacheTest, ManyProcesses) {
  auto codeOf = [](int number) {
    return CachedCode{std::string(3000 + number, char('a' + number)),
                      {std::vector<uint8_t>(2000, uint8_t(number))},
                      "log"};
  };
  auto work = [&](int seed) {
    CodeCache shared(folder(), 5 * 5200);
    for (int i = 0; i < 300; ++i) {
      int number = (seed * 7 + i * 3) % 8;
      CacheKey key = keyOf(std::to_string(number));
      if (!shared.store(key, codeOf(number)).isOk())
        return 1;
      std::optional<CachedCode> found = shared.find(key);
      if (found && !equal(*found, codeOf(number)))
        return 2;
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 20; ++i) {
    pid_t child = ::fork();
    if (child == 0)
      ::_exit(work(i));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  for (const auto &file : fs::directory_iterator(folder()))
    EXPECT_EQ(file.path().extension(), ".tripycode");
}

/// A file stands where a folder of the path should be, which even a privileged
/// user cannot write below.
TEST_F(CodeCacheTest, FolderThatCannotBeMade) {
  std::string file = root + "/file";
  ASSERT_TRUE(writeFile(file, std::vector<uint8_t>(1)).isOk());
  CodeCache broken(file + "/cache", 1000);
  EXPECT_FALSE(broken.find(keyOf("k")));
  EXPECT_EQ(broken.store(keyOf("k"), code).code(), Code::Io);
}

/// Runs `body` in a process of its own; true when it returns true.
template <typename Body> static bool inChild(Body body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST_F(CodeCacheTest, ReadOnlyFolderIsStillRead) {
  ASSERT_TRUE(cache().store(keyOf("k"), code).isOk());
  auto readable = static_cast<fs::perms>(0555);
  for (std::string path : {root, root + "/a", folder()})
    fs::permissions(path, readable);
  fs::permissions(cache().pathOf(keyOf("k")), readable);
  EXPECT_TRUE(inChild([&] {
    // Permissions do not stop a privileged user.
    if (::geteuid() == 0 && ::setuid(65534) != 0)
      return false;
    return cache().find(keyOf("k")) &&
           cache().store(keyOf("l"), code).code() == Code::Io &&
           !cache().find(keyOf("l"));
  }));
  for (std::string path : {root, root + "/a", folder()})
    fs::permissions(path, fs::perms::owner_all);
}

TEST_F(CodeCacheTest, FullDiskKeepsNothing) {
  // A limit on the size of files stands for the disk.
  EXPECT_TRUE(inChild([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{200, 200};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    code.cubins = {std::vector<uint8_t>(10000, 1)};
    return !cache().store(keyOf("k"), code).isOk() && fs::is_empty(folder()) &&
           !cache().find(keyOf("k"));
  }));
}

//===-- options -----------------------------------------------------------===//

TEST(CacheOptions, Sizes) {
  EXPECT_EQ(*parseCacheSize("0"), 0u);
  EXPECT_EQ(*parseCacheSize("4096"), 4096u);
  EXPECT_EQ(*parseCacheSize("3K"), 3072u);
  EXPECT_EQ(*parseCacheSize("512M"), uint64_t(512) << 20);
  EXPECT_EQ(*parseCacheSize("17179869183G"), uint64_t(17179869183) << 30);
  for (std::string_view bad : {"", "G", "1T", "1GB", "-1", " 1", "1 G", "1.5G",
                               "17179869184G", "18446744073709551616"})
    EXPECT_FALSE(parseCacheSize(bad)) << bad;
}

TEST(CacheOptions, FolderComesFromTheEnvironment) {
  auto folderOf = [](const CacheOptions &options) -> std::string {
    auto cache = CodeCache::open(options);
    std::string path = *cache ? (*cache)->pathOf(keyOf("k")) : "none";
    return path.substr(0, path.rfind('/'));
  };
  CacheOptions options;
  Environment environment;
  environment.set("TRIPY_CACHE_DIR", nullptr);
  environment.set("TRIPY_CACHE_SIZE", nullptr);
  environment.set("XDG_CACHE_HOME", nullptr);
  environment.set("HOME", nullptr);
  EXPECT_EQ(folderOf(options), "none");
  environment.set("HOME", "relative");
  EXPECT_EQ(folderOf(options), "none");
  environment.set("HOME", "/h");
  EXPECT_EQ(folderOf(options), "/h/.cache/tripy");
  environment.set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(folderOf(options), "/h/.cache/tripy");
  environment.set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(folderOf(options), "/x/tripy");
  environment.set("TRIPY_CACHE_DIR", "/t");
  EXPECT_EQ(folderOf(options), "/t");
  environment.set("TRIPY_CACHE_DIR", "");
  EXPECT_EQ(folderOf(options), "none");
  options.folder = "here";
  EXPECT_EQ(folderOf(options), "here");
  environment.set("TRIPY_CACHE_SIZE", "many");
  EXPECT_EQ(CodeCache::open(options).status().code(), Code::InvalidArgument);
  options.bytes = 100;
  EXPECT_EQ(folderOf(options), "here");
  options.enabled = false;
  EXPECT_EQ(folderOf(options), "none");
}
