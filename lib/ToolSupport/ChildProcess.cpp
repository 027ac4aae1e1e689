//===- ChildProcess.cpp - Work whose death is an error message ------------===//

#include "tripy/ToolSupport/ChildProcess.h"

#include "tripy/Base/Signals.h"
#include "tripy/Base/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tripy;

/// What a child has to clean up after it was asked to end.
static constexpr unsigned graceSeconds = 2;

/// Signals that ask a tool to end; a tool whose child they ended ends by them.
static constexpr int endingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

//===-- limits ------------------------------------------------------------===//

ChildLimits tripy::defaultChildLimits() {
  constexpr uint64_t least = uint64_t(1) << 30, seconds = 1800;
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  uint64_t memory =
      pages > 0 && pageBytes > 0 ? uint64_t(pages) * uint64_t(pageBytes) : 0;
  return {std::max(memory / 2, least), seconds};
}

Result<uint64_t> tripy::parseMemoryLimit(std::string_view text) {
  constexpr uint64_t least = uint64_t(1) << 26;
  std::optional<uint64_t> bytes = parseBytes(text);
  if (text == "none")
    return uint64_t(0);
  if (!bytes || *bytes < least)
    return Status(Code::InvalidArgument,
                  concat("a memory limit must be at least 64M, such as 512M or "
                         "8G, or 'none', but is '",
                         printable(text), "'"));
  return *bytes;
}

Result<uint64_t> tripy::parseTimeLimit(std::string_view text) {
  constexpr uint64_t maximum = 1000000;
  uint64_t seconds = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text == "none")
    return uint64_t(0);
  if (error != std::errc() || end != text.data() + text.size() ||
      seconds == 0 || seconds > maximum)
    return Status(Code::InvalidArgument,
                  concat("a time limit must be 1 to ", maximum,
                         " seconds, or 'none', but is '", printable(text),
                         "'"));
  return seconds;
}

//===-- the child ---------------------------------------------------------===//

static bool isChild = false;

void tripy::leaveChild(int exitStatus) {
  if (!isChild)
    return;
  llvm::outs().flush();
  std::fflush(nullptr);
  _exit(exitStatus);
}

static std::string outOfMemoryText(const std::string &tool,
                                   const ChildLimits &limits) {
  return concat(
      tool, ": error: the compilation needs more memory than ",
      limits.memoryBytes ? formatBytes(limits.memoryBytes) : "there is",
      limits.memoryBytes ? ", the limit that --memory-limit sets\n" : "\n");
}

/// What the child says when its memory ends; made before, when there is some.
static std::string memoryMessage;

static void endWithoutMemory(void *, const char *, bool) {
  (void)!write(STDERR_FILENO, memoryMessage.data(), memoryMessage.size());
  removeTemporaryFiles();
  _exit(childFailedStatus);
}

static void endByFatalError(void *tool, const char *reason, bool) {
  llvm::errs() << *static_cast<const std::string *>(tool)
               << ": error: the compiler failed: " << printable(reason, 1000)
               << "\n";
  removeTemporaryFiles();
  _exit(childFailedStatus);
}

/// Limits this process; its failures become sentences.
static void becomeChild(const std::string &tool, const ChildLimits &limits,
                        pid_t parent) {
  // The parent may have ended before it said so.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(childFailedStatus);
  isChild = true;
  if (limits.memoryBytes) {
    rlimit limit = {limits.memoryBytes, limits.memoryBytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
  memoryMessage = outOfMemoryText(tool, limits);
  llvm::remove_bad_alloc_error_handler(); // The tool has its own.
  llvm::install_bad_alloc_error_handler(endWithoutMemory);
  llvm::install_out_of_memory_new_handler();
  llvm::install_fatal_error_handler(endByFatalError,
                                    const_cast<std::string *>(&tool));
}

//===-- the parent --------------------------------------------------------===//

/// What signal handlers know; one child at a time.
static std::atomic<pid_t> childId = 0;
static std::atomic<bool> timedOut = false;

static void forward(int number) {
  if (pid_t child = childId)
    kill(child, number);
}

/// The child is asked to end, and ended when it does not.
static void endChild(int) {
  forward(timedOut.exchange(true) ? SIGKILL : SIGTERM);
  alarm(graceSeconds);
}

namespace {

/// Handlers of the parent's signals while it waits.
class ParentSignals {
public:
  /// From here on signals wait.
  ParentSignals() {
    sigemptyset(&handled);
    for (int number : endingSignals)
      sigaddset(&handled, number);
    sigaddset(&handled, SIGALRM);
    sigprocmask(SIG_BLOCK, &handled, &before);
  }
  /// In both processes: they are heard again.
  void unblock() { sigprocmask(SIG_SETMASK, &before, nullptr); }
  void install() {
    struct sigaction action = {};
    action.sa_mask = handled;
    for (size_t i = 0; i < std::size(endingSignals); ++i) {
      sigaction(endingSignals[i], nullptr, &old[i]);
      action.sa_handler = forward;
      // As under nohup.
      if (old[i].sa_handler != SIG_IGN)
        sigaction(endingSignals[i], &action, nullptr);
    }
    action.sa_handler = endChild;
    sigaction(SIGALRM, &action, &oldAlarm);
  }
  void restore() {
    alarm(0);
    childId = 0;
    for (size_t i = 0; i < std::size(endingSignals); ++i)
      sigaction(endingSignals[i], &old[i], nullptr);
    sigaction(SIGALRM, &oldAlarm, nullptr);
  }

private:
  sigset_t handled, before;
  struct sigaction old[std::size(endingSignals)], oldAlarm;
};

} // namespace

/// Ends this process as the child ended.
static void endBySignal(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

/// A library that does not check whether it got memory crashes without it: the
/// process then holds three quarters of the limit or more.
static bool isOutOfMemory(int signal, const rusage &usage,
                          const ChildLimits &limits) {
  return limits.memoryBytes &&
         llvm::is_contained({SIGSEGV, SIGBUS, SIGABRT}, signal) &&
         uint64_t(usage.ru_maxrss) * 1024 >= limits.memoryBytes / 4 * 3;
}

static int explain(const std::string &tool, const ChildLimits &limits,
                   int status, const rusage &usage) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  if (timedOut) {
    llvm::errs() << tool << ": error: the compilation takes longer than "
                 << limits.seconds
                 << " seconds, the limit that --time-limit sets\n";
    return childFailedStatus;
  }
  int number = WTERMSIG(status);
  if (number == SIGPIPE || llvm::is_contained(endingSignals, number))
    endBySignal(number);
  if (isOutOfMemory(number, usage, limits)) {
    llvm::errs() << outOfMemoryText(tool, limits);
    return childFailedStatus;
  }
  llvm::errs() << tool << ": error: the compiler crashed with signal " << number
               << " (" << strsignal(number) << ")"
               << (number == SIGKILL
                       ? "; the system kills what takes too much memory"
                       : "; --in-process shows where")
               << "\n";
  return childFailedStatus;
}

int tripy::runInChild(const std::string &tool, const ChildLimits &limits,
                      llvm::function_ref<int()> work) {
  // What is in a buffer now would be written by both.
  llvm::outs().flush();
  std::fflush(nullptr);
  timedOut = false;
  pid_t parent = getpid();
  ParentSignals signals;
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    signals.unblock();
    llvm::errs() << tool << ": error: no process can be started: "
                 << std::strerror(error) << "; --in-process needs none\n";
    return childFailedStatus;
  }
  if (child == 0) {
    signals.unblock();
    becomeChild(tool, limits, parent);
    std::exit(work());
  }
  childId = child;
  signals.install();
  signals.unblock();
  alarm(static_cast<unsigned>(limits.seconds));
  int status = 0;
  rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  signals.restore();
  return explain(tool, limits, status, usage);
}
