//===- LoadTest.cpp - Loading executables ---------------------------------===//

#include "../ProcessorTime.h"
#include "RunTestUtil.h"
#include "tripy/Base/ExecutableFormat.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

class Load : public testing::Test {
protected:
  std::string write(const std::string &name,
                    const std::vector<uint8_t> &bytes) {
    EXPECT_TRUE(writeFile(folder.path(name), bytes).isOk());
    return folder.path(name);
  }
  Folder folder;
  const std::vector<uint8_t> good = samples::container(*samples::cpuSample());
};

TEST_F(Load, FromAFile) {
  std::string path = write("m.tpx", good);
  for (bool copy : {false, true}) {
    auto executable =
        Executable::load(path, {.trustHostCode = true, .copyFile = copy});
    ASSERT_TRUE(executable) << executable.status().message();
    auto context = ExecutionContext::create(*executable);
    ASSERT_TRUE(context);
    SampleTensors tensors(4);
    ASSERT_TRUE((*context)->run(tensors.inputs, tensors.outputs).isOk());
    tensors.expectResult();
  }
}

/// With copyFile nobody else can change what was loaded.
TEST_F(Load, ACopiedFileMayBecomeShorter) {
  std::string path = write("m.tpx", good);
  auto executable =
      Executable::load(path, {.trustHostCode = true, .copyFile = true});
  ASSERT_TRUE(executable);
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  auto context = ExecutionContext::create(*executable);
  ASSERT_TRUE(context);
  SampleTensors tensors(4);
  ASSERT_TRUE((*context)->run(tensors.inputs, tensors.outputs).isOk());
  tensors.expectResult();
}

/// The file may be replaced while it is in use.
TEST_F(Load, FileIsReplacedByRename) {
  std::string path = write("m.tpx", good);
  auto executable = Executable::load(path, {.trustHostCode = true});
  ASSERT_TRUE(executable);
  write("m.tpx", {1, 2, 3});
  auto context = ExecutionContext::create(*executable);
  ASSERT_TRUE(context);
  SampleTensors tensors(4);
  ASSERT_TRUE((*context)->run(tensors.inputs, tensors.outputs).isOk());
  tensors.expectResult();
}

TEST_F(Load, ErrorsNameTheFile) {
  auto message = [&](const std::string &path) {
    auto executable = Executable::load(path, {.trustHostCode = true});
    EXPECT_FALSE(executable);
    return executable.status().message();
  };
  std::string missing = folder.path("none.tpx");
  EXPECT_EQ(message(missing),
            "cannot open '" + missing + "': No such file or directory");
  std::string text = write("text.tpx", {'h', 'e', 'l', 'l', 'o'});
  EXPECT_EQ(message(text), "'" + text +
                               "': not a Tripy executable: the first bytes are "
                               "not those of a .tpx file");
  std::string empty = write("empty.tpx", {});
  EXPECT_EQ(message(empty), "'" + empty +
                                "': the header needs 64 bytes, but the file "
                                "has 0");
  EXPECT_EQ(message(folder.path("")),
            "'" + folder.path("") +
                "' must be a regular file, but is a directory");
}

TEST_F(Load, InspectOnly) {
  // A program for GPUs, on a machine that may have none.
  auto executable = Executable::loadBytes(
      samples::container(*samples::cudaSample()), {.inspectOnly = true});
  ASSERT_TRUE(executable) << executable.status().message();
  EXPECT_EQ((*executable)->program().outputs[0].name, "b");
  EXPECT_EQ((*executable)->device(), nullptr);
  EXPECT_EQ(ExecutionContext::create(*executable).status().code(),
            Code::InvalidArgument);
  EXPECT_EQ((*executable)->bindParameter("x", {}).code(),
            Code::InvalidArgument);
}

TEST_F(Load, DamagedFilesNeverReachTheDevice) {
  for (size_t at = 0; at < good.size(); ++at) {
    std::vector<uint8_t> bytes = good;
    bytes[at] ^= 0x10;
    EXPECT_FALSE(Executable::loadBytes(bytes, {.trustHostCode = true}))
        << "byte " << at;
  }
  // With matching hashes: loaded or refused, but not run, as the code may be
  // anything now.
  for (size_t at = 0; at < good.size(); ++at) {
    std::vector<uint8_t> bytes = good;
    bytes[at] ^= 0x04;
    samples::repairHashes(bytes);
    auto executable = Executable::loadBytes(
        bytes, {.trustHostCode = true, .arenaLimit = 1 << 20});
    if (executable)
      (void)ExecutionContext::create(*executable);
  }
}

/// Writes a container without spending disk on zeros.
class SparseSink : public ByteSink {
public:
  explicit SparseSink(const std::string &path)
      : file(std::fopen(path.c_str(), "wb")) {}
  ~SparseSink() override { std::fclose(file); }
  Status write(std::span<const uint8_t> bytes) override {
    bool zero = bytes.size() == 4096 && bytes[0] == 0 &&
                std::memcmp(bytes.data(), bytes.data() + 1, 4095) == 0;
    bool good =
        zero ? std::fseek(file, 4096, SEEK_CUR) == 0
             : std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    return good ? Status() : Status(Code::Io, "cannot write");
  }

private:
  std::FILE *file;
};

/// 1 GiB of constants: a load hashes each byte once and keeps none. In a
/// process of its own, with the file in the page cache.
TEST_F(Load, GigabyteIsReadOnceAndNotCopied) {
  constexpr uint64_t size = uint64_t(1) << 30;
  std::string path = folder.path("large.tpx");
  auto sample = samples::cpuSample();
  {
    SparseSink sink(path);
    uint8_t last = 1;
    ConstantPiece pieces[] = {{64, std::span(sample->constants).subspan(64)},
                              {size - 1, {&last, 1}}};
    ASSERT_TRUE(serialize(sample->program, {size, pieces}, sink).isOk());
  }
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The child begins with the memory of the tests before this one.
    struct rusage before;
    ::getrusage(RUSAGE_SELF, &before);
    bool good = true;
    double load = leastTime(
        [&] { good &= bool(Executable::load(path, {.trustHostCode = true})); });
    struct rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    double hash = leastTime([&] {
      Result<MappedFile> file = MappedFile::open(path);
      good &= file && treeHash(file->bytes()) != Hash128();
    });
    double result[3] = {load, hash,
                        double(usage.ru_maxrss - before.ru_maxrss) * 1024};
    good &= ::write(channel[1], result, sizeof(result)) == sizeof(result);
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  double result[3];
  ASSERT_EQ(::read(channel[0], result, sizeof(result)),
            ssize_t(sizeof(result)));
  auto [load, hash, memory] = result;
  std::printf("load of 1 GiB: %.3f s, its hash alone: %.3f s, peak memory %.3f "
              "x the file\n",
              load, hash, memory / double(size));
  EXPECT_LT(load, 2.5 * hash);
  // The C++ standard library of a sanitizer build is larger.
  EXPECT_LT(memory / double(size), sanitized ? 3 : 1.1);
}

} // namespace
