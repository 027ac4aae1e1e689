//===- OutOfMemory.cpp - What a tool says without memory ------------------===//

#include "tripy/Pipelines/OutOfMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace tripy;

static const char *toolName = "";

[[noreturn]] static void endWithoutMemory() {
  for (const char *part : {toolName, ": error: no memory\n"})
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  llvm::sys::RunInterruptHandlers();
  _exit(EXIT_FAILURE);
}

OutOfMemoryHandler::OutOfMemoryHandler(const char *tool) {
  toolName = tool;
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithoutMemory(); });
}
