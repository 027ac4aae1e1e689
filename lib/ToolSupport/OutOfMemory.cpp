//===- OutOfMemory.cpp - What a tool says without memory ------------------===//

#include "tripy/ToolSupport/OutOfMemory.h"

#include "tripy/Base/Signals.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace tripy;

static const char *toolName = "";

[[noreturn]] static void endWithoutMemory() {
  for (const char *part : {toolName, ": error: no memory\n"})
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  removeTemporaryFiles();
  _exit(EXIT_FAILURE);
}

OutOfMemoryHandler::OutOfMemoryHandler(const char *tool) {
  toolName = tool;
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endWithoutMemory(); });
}
