//===- InputParts.cpp - The parts of tripy-opt's input --------------------===//

#include "InputParts.h"

#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/ToolSupport/Diagnostics.h"
#include "tripy/ToolSupport/InputText.h"
#include "tripy/ToolSupport/ParseProgram.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

using namespace mlir;
using namespace tripy;

//===-- names -------------------------------------------------------------===//

/// Of the functions' arguments and results that have one.
static std::vector<TextName> namesOf(ModuleOp program) {
  std::vector<TextName> names;
  for (auto function : program.getOps<func::FuncOp>()) {
    auto add = [&](bool isResult, unsigned index, StringAttr name) {
      if (name)
        names.push_back(
            {function.getSymName().str(), isResult, index, name.str()});
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      add(false, i, function.getArgAttrOfType<StringAttr>(i, nameAttrName));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      add(true, i, function.getResultAttrOfType<StringAttr>(i, nameAttrName));
  }
  return names;
}

namespace {

/// Names that are attributes only while passes run.
using Names = std::shared_ptr<std::vector<TextName>>;

/// Gives arguments and results that have no `tripy.name` that of the text,
/// before the first pass. No pass: what passes are checked for is not for it.
class AddNames : public PassInstrumentation {
public:
  explicit AddNames(Names names) : names(std::move(names)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // The first pass runs on the root; nested ones run at the same time later.
    if (!started.exchange(true))
      llvm::erase_if(*names, [&](const TextName &row) {
        return !add(cast<ModuleOp>(op), row);
      });
  }

private:
  static bool add(ModuleOp program, const TextName &row) {
    auto function = program.lookupSymbol<func::FuncOp>(row.function);
    auto name = StringAttr::get(program.getContext(), row.name);
    if (!function ||
        (row.isResult ? function.getResultAttr(row.index, nameAttrName)
                      : function.getArgAttr(row.index, nameAttrName)))
      return false;
    if (row.isResult)
      function.setResultAttr(row.index, nameAttrName, name);
    else
      function.setArgAttr(row.index, nameAttrName, name);
    return true;
  }

  Names names;
  std::atomic<bool> started = false;
};

/// Takes those away again that are left.
struct RemoveNames : PassWrapper<RemoveNames, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RemoveNames)
  explicit RemoveNames(Names names) : names(std::move(names)) {}
  StringRef getName() const override { return "RemoveNames"; }
  void runOnOperation() override {
    for (const TextName &row : *names)
      if (auto function =
              getOperation().lookupSymbol<func::FuncOp>(row.function))
        remove(function, row);
  }

private:
  void remove(func::FuncOp function, const TextName &row) {
    auto key = StringAttr::get(&getContext(), nameAttrName);
    auto name = StringAttr::get(&getContext(), row.name);
    if (row.isResult) {
      if (row.index < function.getNumResults() &&
          function.getResultAttr(row.index, key) == name)
        function.removeResultAttr(row.index, key);
    } else if (row.index < function.getNumArguments() &&
               function.getArgAttr(row.index, key) == name) {
      function.removeArgAttr(row.index, key);
    }
  }

  Names names;
};

} // namespace

LogicalResult
InputParts::addNamed(PassManager &passes,
                     llvm::function_ref<LogicalResult()> pipeline) {
  auto own = std::make_shared<std::vector<TextName>>();
  if (!names.empty()) {
    *own = std::move(names.front());
    names.pop_front();
  }
  if (failed(pipeline()))
    return failure();
  if (passes.empty() || own->empty() ||
      passes.getOpAnchorName() != ModuleOp::getOperationName())
    return success();
  passes.addInstrumentation(std::make_unique<AddNames>(own));
  passes.addPass(std::make_unique<RemoveNames>(own));
  return success();
}

//===-- parsing -----------------------------------------------------------===//

/// Parses and verifies a part, whose names are noted; the exit status of a tool
/// that does nothing else.
int InputParts::parse(llvm::MemoryBufferRef text, raw_ostream &os,
                      std::vector<TextName> &found) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text),
                              llvm::SMLoc());
  UserDiagnosticHandler handler(&context, os, sources.get());
  FallbackAsmResourceMap resources;
  bool verifies = config.shouldVerifyOnParsing();
  if (config.shouldUseExplicitModule() ||
      isBytecode(*sources->getMemoryBuffer(sources->getMainFileID()))) {
    ParserConfig parser(&context, verifies, &resources);
    return parseSourceFileForTool(sources, parser,
                                  !config.shouldUseExplicitModule())
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
  }
  ParserConfig parser(&context, /*verifyAfterParse=*/false, &resources);
  OwningOpRef<ModuleOp> program =
      parseProgram(sources, parser, handler, verifies);
  if (!program)
    return EXIT_FAILURE;
  found = namesOf(*program);
  return EXIT_SUCCESS;
}

/// Whether a part parses.
bool InputParts::readPart(llvm::MemoryBufferRef text, bool isOnly) {
  bool expected = config.shouldVerifyDiagnostics();
  std::vector<TextName> found;
  int own = EXIT_SUCCESS;
  // MLIR's parser may crash after an error: it gets a process for each of
  // several parts, or when an error is not the end.
  if (limits && (!isOnly || expected)) {
    own = runInChild("tripy-opt", *limits, [&] {
      return parse(text, expected ? llvm::nulls() : llvm::errs(), found);
    });
    if (own == EXIT_SUCCESS)
      (void)parse(text, llvm::nulls(), found);
  } else {
    own = parse(text, expected ? llvm::nulls() : llvm::errs(), found);
  }
  if (own == EXIT_SUCCESS)
    names.push_back(std::move(found));
  if (!expected)
    status = std::max(status, own);
  return own == EXIT_SUCCESS;
}

void InputParts::read(std::unique_ptr<llvm::MemoryBuffer> &buffer) {
  StringRef name = buffer->getBufferIdentifier();
  std::string whole = buffer->getBuffer().str();
  size_t end = 0, line = 0;
  bool allParse = true, isOnly = true;
  auto check = [&](std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &) {
    StringRef text = part->getBuffer();
    size_t start = whole.find(text, end);
    line += StringRef(whole).slice(end, start).count('\n');
    isOnly &= text.size() == whole.size();
    std::string padded = std::string(line, '\n') + text.str();
    if (!readPart({padded, name}, isOnly)) {
      allParse = false;
      std::replace_if(
          whole.begin() + start, whole.begin() + start + text.size(),
          [](char c) { return c != '\n'; }, ' ');
      if (!config.shouldVerifyDiagnostics())
        names.emplace_back(); // mlir-opt sees an empty part.
    }
    end = start + text.size();
    line += text.count('\n');
    return success();
  };
  (void)splitAndProcessBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer->getMemBufferRef(), false), check,
      llvm::nulls(), config.inputSplitMarker());
  if (!allParse && !config.shouldVerifyDiagnostics())
    buffer = llvm::MemoryBuffer::getMemBufferCopy(whole, name);
}
