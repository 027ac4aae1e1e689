//===- tripy-lsp-server.cpp - Language server for IR ----------------------===//
//
// mlir-lsp-server with Tripy's dialects: diagnostics, definitions, completion
// and hovers in editors (docs/editors.md). A hover over an operation shows its
// page too: a process of its own adds it to the answers on their way out.
//
//===----------------------------------------------------------------------===//
#include "HoverPages.h"

#include "tripy/Pipelines/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tripy::registerTripyAndUpstreamDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

/// The exit status of the server, when all of its answers are written.
static int relay(int answers, pid_t server) {
  tripy::lsp::relayMessages(answers, STDOUT_FILENO);
  close(answers);
  int status = 0;
  waitpid(server, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
  int ends[2];
  pid_t server = -1;
  if (pipe(ends) == 0)
    server = fork();
  if (server < 0) {
    llvm::errs() << "tripy-lsp-server: error: cannot start the server: "
                 << strerror(errno) << "\n";
    return 1;
  }
  close(ends[server == 0 ? 0 : 1]);
  if (server > 0)
    return relay(ends[0], server);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  return serve(argc, argv);
}
