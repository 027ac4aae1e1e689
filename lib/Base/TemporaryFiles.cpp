//===- TemporaryFiles.cpp - Names to remove at a signal -------------------===//
//
// A writer holds a lock (flock) on its temporary file, which ends with its
// process, whatever ends that. Who gets the lock may remove the file: this
// holds between containers and machines too, where process numbers say nothing.
//
// Everything that a handler calls is a system call or a lock-free atomic.
//
//===----------------------------------------------------------------------===//

#include "TemporaryFiles.h"
#include "tripy/Base/File.h"
#include "tripy/Base/Signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tripy;

namespace {

struct Entry {
  /// Whoever exchanges it for null owns the memory: nobody frees a name that
  /// a handler reads.
  std::atomic<char *> name = nullptr;
  /// -1 while the file is about to be made.
  std::atomic<int> descriptor = -1;
};
static_assert(std::atomic<char *>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

std::array<Entry, maxTemporaryFiles> table;

/// Whether `path` leads to the file that `descriptor` is open for.
bool isSameFile(int descriptor, const char *path) {
  struct stat open, named;
  return ::fstat(descriptor, &open) == 0 && ::lstat(path, &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

} // namespace

int tripy::reserveTemporary(const std::string &path) {
  char *copy = ::strdup(path.c_str());
  if (!copy)
    throw std::bad_alloc();
  for (int i = 0; i < maxTemporaryFiles; ++i) {
    char *expected = nullptr;
    if (table[i].name.compare_exchange_strong(expected, copy))
      return i;
  }
  ::free(copy);
  return -1;
}

void tripy::ownTemporary(int entry, int descriptor) {
  table[entry].descriptor = descriptor;
}

void tripy::releaseTemporary(int entry) {
  table[entry].descriptor = -1;
  ::free(table[entry].name.exchange(nullptr));
}

void tripy::removeAbandoned(const char *path) {
  int file =
      ::open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0)
    return;
  struct stat info;
  bool ours = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
              info.st_uid == ::geteuid();
  // With the lock held nobody else removes the file, so that the name cannot
  // become another one's in between.
  if (ours && ::flock(file, LOCK_EX | LOCK_NB) == 0 && isSameFile(file, path))
    ::unlink(path);
  ::close(file);
}

//===-- signals -----------------------------------------------------------===//

static constexpr int endingSignals[] = {SIGHUP, SIGINT, SIGTERM};
static struct sigaction previous[std::size(endingSignals)];
static const char *toolName = "";
static int busStatus = 1;

void tripy::removeTemporaryFiles() {
  for (Entry &entry : table) {
    char *name = entry.name.exchange(nullptr);
    if (!name)
      continue;
    int descriptor = entry.descriptor;
    if (descriptor < 0)
      removeAbandoned(name);
    else if (isSameFile(descriptor, name))
      ::unlink(name);
  }
}

static void removeAndEnd(int number) {
  removeTemporaryFiles();
  for (size_t i = 0; i < std::size(endingSignals); ++i)
    if (endingSignals[i] == number)
      ::sigaction(number, &previous[i], nullptr);
  // Held back until this function returns, and then what it was before.
  ::raise(number);
}

static void explainBusError(int number, siginfo_t *info, void *) {
  if (info->si_code != BUS_ADRERR) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  removeTemporaryFiles();
  constexpr char message[] =
      ": error: a mapped file became shorter while it was read\n";
  (void)!::write(STDERR_FILENO, toolName, std::strlen(toolName));
  (void)!::write(STDERR_FILENO, message, sizeof(message) - 1);
  ::_exit(busStatus);
}

void tripy::handleSignals(const char *tool, int exitStatus) {
  toolName = tool;
  busStatus = exitStatus;
  struct sigaction action = {};
  ::sigemptyset(&action.sa_mask);
  // One handler at a time: they share the table.
  for (int number : endingSignals)
    ::sigaddset(&action.sa_mask, number);
  for (size_t i = 0; i < std::size(endingSignals); ++i) {
    ::sigaction(endingSignals[i], nullptr, &previous[i]);
    action.sa_handler = removeAndEnd;
    if (previous[i].sa_handler != SIG_IGN)
      ::sigaction(endingSignals[i], &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = explainBusError;
  ::sigaction(SIGBUS, &action, nullptr);
}
