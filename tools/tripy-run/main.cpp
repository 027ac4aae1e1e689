//===- main.cpp - tripy-run -----------------------------------------------===//

#include "RunTool.h"
#include "tripy/Base/Signals.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <unistd.h>

static constexpr char outOfMemory[] = "tripy-run: error: no memory\n";

/// Without memory for an exception there is none to catch.
[[noreturn]] static void endWithoutException() {
  if (std::current_exception())
    std::abort();
  tripy::removeTemporaryFiles();
  (void)!::write(STDERR_FILENO, outOfMemory, sizeof(outOfMemory) - 1);
  ::_exit(2);
}

int main(int argc, char **argv) {
  tripy::handleSignals("tripy-run", 2);
  std::set_terminate(endWithoutException);
  tripy::run::ToolResult result = tripy::run::runTool(
      {argv + (argc > 0 ? 1 : 0), size_t(argc > 0 ? argc - 1 : 0)});
  std::fwrite(result.out.data(), 1, result.out.size(), stdout);
  std::fwrite(result.err.data(), 1, result.err.size(), stderr);
  if (result.outOfMemory)
    std::fputs(outOfMemory, stderr);
  if (std::fflush(stdout) != 0 && result.status == 0) {
    std::fputs("tripy-run: error: cannot write to the standard output\n",
               stderr);
    return 2;
  }
  return result.status;
}
