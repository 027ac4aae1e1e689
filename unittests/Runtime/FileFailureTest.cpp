//===- FileFailureTest.cpp - Every call on a file fails in turn -----------===//
//
// Replaces the calls that write files: fails the n-th of a kind, for n = 1, 2,
// ... until none is left. Whatever fails, no file has a part of the contents,
// no temporary file stays, and somebody says so.
//
//===----------------------------------------------------------------------===//

#include "RunTestUtil.h"
#include "RunTool.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/Npy.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <map>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::runtests;
namespace fs = std::filesystem;

namespace {

enum class Call { None, Open, Write, Fsync, Close, Rename, Lock };

Call failing = Call::None;
/// Calls of the kind `failing` until one fails.
int untilFailure = 0;
bool hasFailed = false;

/// Whether this call is the one that fails.
bool fails(Call call) {
  if (call != failing || hasFailed || --untilFailure > 0)
    return false;
  hasFailed = true;
  return true;
}

template <typename... Arguments>
long invoke(long call, Arguments... arguments) {
  return ::syscall(call, arguments...);
}

} // namespace

extern "C" {
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if ((flags & O_CREAT) && fails(Call::Open)) {
    errno = ENOSPC;
    return -1;
  }
  return int(invoke(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t write(int file, const void *bytes, size_t size) {
  if (file > 2 && fails(Call::Write)) {
    errno = ENOSPC;
    return -1;
  }
  // A short write is legal, and has to be carried on.
  if (file > 2 && size > 1)
    size = size / 2;
  return invoke(SYS_write, file, bytes, size);
}
int fsync(int file) {
  if (fails(Call::Fsync)) {
    errno = EIO;
    return -1;
  }
  return int(invoke(SYS_fsync, file));
}
int close(int file) {
  int result = int(invoke(SYS_close, file));
  if (fails(Call::Close)) {
    errno = EIO;
    return -1;
  }
  return result;
}
int rename(const char *from, const char *to) noexcept {
  if (fails(Call::Rename)) {
    errno = EXDEV;
    return -1;
  }
  return int(invoke(SYS_rename, from, to));
}
int flock(int file, int operation) noexcept {
  if (fails(Call::Lock)) {
    errno = ENOLCK;
    return -1;
  }
  return int(invoke(SYS_flock, file, operation));
}
}

namespace {

/// A writer under test: how it says that it failed, or "".
using Action = std::function<std::string(const std::string &folder)>;

std::map<std::string, std::vector<uint8_t>>
contents(const std::string &folder) {
  std::map<std::string, std::vector<uint8_t>> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    files[entry.path().filename()] = *readFile(entry.path());
  return files;
}

/// Fails each call of `action` in turn, in folders that hold old files, and
/// in new ones.
void failEach(const std::vector<std::string> &names, const Action &action) {
  Folder whole;
  ASSERT_EQ(action(whole.path("")), "");
  auto wanted = contents(whole.path(""));
  ASSERT_EQ(wanted.size(), names.size());
  unsigned failures = 0;
  for (bool isOld : {false, true})
    for (Call call : {Call::Open, Call::Write, Call::Fsync, Call::Close,
                      Call::Rename, Call::Lock})
      for (int number = 1;; ++number) {
        Folder folder;
        for (const std::string &name : names)
          if (isOld)
            ASSERT_TRUE(
                writeFile(folder.path(name), std::vector<uint8_t>(7)).isOk());
        auto before = contents(folder.path(""));
        failing = call;
        untilFailure = number;
        hasFailed = false;
        std::string message = action(folder.path(""));
        failing = Call::None;
        if (!hasFailed)
          break;
        auto after = contents(folder.path(""));
        std::string where =
            concat("call ", int(call), ", number ", number, ": ", message);
        // Locks, and the disk's view of a folder's names, are a bonus.
        if (message.empty()) {
          EXPECT_EQ(after, wanted) << where;
          EXPECT_TRUE(call == Call::Lock || call == Call::Fsync ||
                      call == Call::Close)
              << where;
          continue;
        }
        ++failures;
        bool isPartial = false;
        for (const auto &[name, bytes] : after) {
          bool isOldFile = before.contains(name) && before[name] == bytes;
          bool isNewFile = wanted.contains(name) && wanted[name] == bytes;
          EXPECT_TRUE(isOldFile || isNewFile) << where << ", file " << name;
          isPartial |= isNewFile;
        }
        // Only a later rename leaves earlier results, and says which.
        EXPECT_EQ(isPartial,
                  message.find("written before it: ") != std::string::npos)
            << where;
        EXPECT_TRUE(!isPartial || call == Call::Rename) << where;
      }
  EXPECT_GE(failures, 5u * names.size()) << "the calls were replaced";
}

std::string messageOf(const Status &status) {
  return status.isOk() ? "" : concat("! ", status.message());
}

TEST(FileFailure, Bytes) {
  failEach({"a"}, [](const std::string &folder) {
    return messageOf(writeFile(folder + "a", std::vector<uint8_t>(100, 1)));
  });
}

TEST(FileFailure, Executables) {
  auto sample = samples::cpuSample();
  failEach({"m.tpx"}, [&](const std::string &folder) {
    return messageOf(writeExecutable(folder + "m.tpx", sample->program));
  });
}

TEST(FileFailure, Tensors) {
  runtime::HostTensor x = ramp(DType::F32, {4, 5});
  failEach({"x.npy"}, [&](const std::string &folder) {
    return messageOf(io::writeNpy(folder + "x.npy", x.view()));
  });
  failEach({"x.npz"}, [&](const std::string &folder) {
    io::NpzTensor tensors[] = {{"a", x.view()}, {"b", x.view()}};
    return messageOf(io::writeNpz(folder + "x.npz", tensors));
  });
  failEach({"x.safetensors"}, [&](const std::string &folder) {
    io::NamedTensor tensors[] = {{"a", x.view()}, {"b", x.view()}};
    return messageOf(io::writeSafeTensors(folder + "x.safetensors", tensors));
  });
}

TEST(FileFailure, Tool) {
  Folder models;
  std::string model = models.path("m.tpx");
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::cpuSample())).isOk());
  failEach({"sum.npy", "count.npy"}, [&](const std::string &folder) {
    std::string sum = "sum=@" + folder + "sum.npy",
                count = "count=@" + folder + "count.npy";
    const char *arguments[] = {model.c_str(), "--input",    "x=ones:1x3",
                               "--input",     "y=ones:1x3", "--output",
                               sum.c_str(),   "--output",   count.c_str()};
    run::ToolResult result = run::runTool(arguments);
    EXPECT_EQ(result.status, result.err.empty() ? 0 : 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  });
}

} // namespace
