//===- main.cpp - tripy-run -----------------------------------------------===//

#include "RunTool.h"
#include "tripy/Base/Signals.h"

#include <cstdio>

int main(int argc, char **argv) {
  tripy::handleSignals("tripy-run", 2);
  tripy::run::ToolResult result = tripy::run::runTool(
      {argv + (argc > 0 ? 1 : 0), size_t(argc > 0 ? argc - 1 : 0)});
  std::fwrite(result.out.data(), 1, result.out.size(), stdout);
  std::fwrite(result.err.data(), 1, result.err.size(), stderr);
  if (result.outOfMemory)
    std::fputs("tripy-run: error: no memory\n", stderr);
  if (std::fflush(stdout) != 0 && result.status == 0) {
    std::fputs("tripy-run: error: cannot write to the standard output\n",
               stderr);
    return 2;
  }
  return result.status;
}
