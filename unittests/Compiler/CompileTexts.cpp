//===- CompileTexts.cpp - Compiles many texts, each in its own process ----===//
//
// What tripy-compile does with a text, without starting the tool for each: the
// children are forked from a process that has loaded LLVM. utils/fuzz-text.py
// feeds it. Texts come on standard input, separated by lines "// -----". For
// each, standard error has what tripy-compile says, and then a line
// "// ----- N", where N is the exit status.
//
//===----------------------------------------------------------------------===//
#include "tripy/Compiler/Compiler.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/ToolSupport/ChildProcess.h"
#include "tripy/ToolSupport/Diagnostics.h"
#include "tripy/ToolSupport/InputText.h"
#include "tripy/ToolSupport/OutOfMemory.h"
#include "tripy/ToolSupport/ParseProgram.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tripy;

static constexpr llvm::StringLiteral separator = "\n// -----\n";

/// As tripy-compile, which takes the time of half an hour.
static constexpr uint64_t secondsForText = 100;

/// Before main(), as memory may end there.
static const OutOfMemoryHandler outOfMemory("compile-texts");

/// The exit status of tripy-compile for a text.
static int compileText(StringRef text, const CompileOptions &options) {
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(text, "text");
  if (failed(verifyInputText(buffer->getMemBufferRef(), false)))
    return 1;
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  UserDiagnosticHandler diagnostics(&context, llvm::errs(), sources.get());
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context, diagnostics);
  if (!module)
    return 1;
  FailureOr<func::FuncOp> function = findProgram(*module, options);
  if (failed(function) || failed(verifyProfiles(*function)))
    return 1;
  return failed(compileToBytes(*module, options)) ? 1 : 0;
}

int main(int argc, char **argv) {
  CompileOptions options;
  options.cache.enabled = false;
  if (argc > 2 || (argc == 2 && !options.setTarget(argv[1]).isOk())) {
    llvm::errs() << "usage: compile-texts [cpu|cuda] < TEXTS\n";
    return 2;
  }
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input) {
    llvm::errs() << "compile-texts: error: " << input.getError().message()
                 << '\n';
    return 2;
  }
  ChildLimits limits = defaultChildLimits();
  limits.seconds = secondsForText;
  SmallVector<StringRef> texts;
  (*input)->getBuffer().split(texts, separator);
  for (StringRef text : texts) {
    int exitStatus = runInChild("compile-texts", limits,
                                [&] { return compileText(text, options); });
    llvm::errs() << "// ----- " << exitStatus << '\n';
  }
  return 0;
}
