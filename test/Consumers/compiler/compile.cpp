// compile PROGRAM OUTPUT [TARGET]: a program's text to an executable file.
#include "tripy/Compiler/Compiler.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/ToolSupport/Diagnostics.h"
#include "tripy/ToolSupport/InputText.h"
#include "tripy/ToolSupport/ParseProgram.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  tripy::CompileOptions options;
  if (argc > 3)
    if (tripy::Status status = options.setTarget(argv[3]); !status.isOk()) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 2;
    }

  // Text from a stranger is scanned before MLIR's parser sees it.
  auto text = llvm::MemoryBuffer::getFile(argv[1]);
  if (!text || failed(tripy::verifyInputText((*text)->getMemBufferRef())))
    return 1;
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*text), llvm::SMLoc());

  mlir::DialectRegistry registry;
  tripy::registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);

  // Prints a diagnostic with the user's lines and reasons, here to a string.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  tripy::UserDiagnosticHandler printer(&context, stream, sources.get());

  // Looks at it first; failure() passes it on to the printer.
  mlir::ScopedDiagnosticHandler reader(&context, [](mlir::Diagnostic &found) {
    if (found.getSeverity() == mlir::DiagnosticSeverity::Error)
      for (const tripy::UserPlace &place :
           tripy::userPlaces(found.getLocation()))
        std::printf("line %u, column %u\n", place.range.getStartLine(),
                    place.range.getStartColumn());
    return mlir::failure();
  });

  mlir::OwningOpRef<mlir::ModuleOp> module =
      tripy::parseProgram(sources, &context, printer);
  if (!module || failed(tripy::compileToFile(*module, argv[2], options))) {
    std::printf("%s", printed.c_str());
    return 1;
  }
  return 0;
}
