//===- ParseProgram.cpp - Reads a program, and what its text says ---------===//

#include "tripy/ToolSupport/ParseProgram.h"

#include "ParserMessages.h"

#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/ToolSupport/ChildProcess.h"
#include "tripy/ToolSupport/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tripy;

//===-- names -------------------------------------------------------------===//

/// The name in a place of the text that starts with '%'; "" when there is none.
static StringRef nameAt(SMRange range) {
  if (!range.isValid())
    return StringRef();
  const char *begin = range.Start.getPointer();
  StringRef text(begin, range.End.getPointer() - begin);
  return text.consume_front("%") ? text : StringRef();
}

/// The name of a value in the text, or "".
static StringRef nameOf(Value value, const AsmParserState &text) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const auto *block = text.getBlockDef(argument.getOwner());
    unsigned number = argument.getArgNumber();
    return block && number < block->arguments.size()
               ? nameAt(block->arguments[number].loc)
               : StringRef();
  }
  auto result = cast<OpResult>(value);
  const auto *op = text.getOpDef(result.getOwner());
  if (!op)
    return StringRef();
  for (auto [i, group] : llvm::enumerate(op->resultGroups)) {
    unsigned end = i + 1 < op->resultGroups.size()
                       ? op->resultGroups[i + 1].startIndex
                       : result.getOwner()->getNumResults();
    if (group.startIndex == result.getResultNumber())
      return end == group.startIndex + 1 ? nameAt(group.definition.loc)
                                         : StringRef();
  }
  return StringRef();
}

/// Whether `name` is `prefix` and a number, as what has no name is called.
static bool isNumbered(StringRef name, StringRef prefix) {
  return name.consume_front(prefix) && llvm::all_of(name, llvm::isDigit);
}

/// The names of `values` that can be used beside those that are `given`, and
/// beside the defaults, which start with `prefix`; null where there is none.
static SmallVector<StringAttr> namesOf(ValueRange values,
                                       ArrayRef<StringAttr> given,
                                       StringRef prefix,
                                       const AsmParserState &text) {
  llvm::StringSet<> used;
  for (StringAttr name : given)
    if (name)
      used.insert(name.getValue());
  SmallVector<StringAttr> names;
  for (auto [value, own] : llvm::zip_equal(values, given)) {
    names.emplace_back();
    StringRef name = own ? StringRef() : nameOf(value, text);
    if (isName(std::string_view(name)) && !isNumbered(name, "") &&
        !isNumbered(name, "arg") && !isNumbered(name, prefix) &&
        used.insert(name).second)
      names.back() = StringAttr::get(value.getContext(), name);
  }
  return names;
}

/// Notes the names of arguments and results in the text as their tripy.name;
/// the function is valid.
static void keepNames(func::FuncOp function, const AsmParserState &text) {
  if (!function.getBody().hasOneBlock())
    return;
  Block &body = function.getBody().front();
  SmallVector<StringAttr> given;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    given.push_back(function.getArgAttrOfType<StringAttr>(i, nameAttrName));
  for (auto [i, name] : llvm::enumerate(
           namesOf(body.getArguments(), given, argumentPrefix, text)))
    if (name)
      function.setArgAttr(i, nameAttrName, name);
  Operation *end = body.getTerminator();
  if (!isa<func::ReturnOp>(end))
    return;
  given.clear();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    given.push_back(function.getResultAttrOfType<StringAttr>(i, nameAttrName));
  for (auto [i, name] :
       llvm::enumerate(namesOf(end->getOperands(), given, resultPrefix, text)))
    if (name)
      function.setResultAttr(i, nameAttrName, name);
}

//===-- places ------------------------------------------------------------===//

/// `location` with the place of `range` wherever it is unknown.
static Location located(Location location, SMRange range,
                        const llvm::SourceMgr &sources) {
  if (isKnownLocation(location) || !range.isValid())
    return location;
  unsigned buffer = sources.getMainFileID();
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  LocationAttr place = FileLineColLoc::get(
      location.getContext(),
      sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](UnknownLoc) -> Attribute { return place; });
  return cast<LocationAttr>(replacer.replace(LocationAttr(location)));
}

static void keepPlaces(const AsmParserState &text,
                       const llvm::SourceMgr &sources) {
  for (const AsmParserState::OperationDefinition &known : text.getOpDefs())
    known.op->setLoc(located(known.op->getLoc(), known.loc, sources));
  for (const AsmParserState::BlockDefinition &known : text.getBlockDefs())
    for (auto [argument, place] :
         llvm::zip(known.block->getArguments(), known.arguments))
      argument.setLoc(located(argument.getLoc(), place.loc, sources));
}

/// Without a text nobody can say where an operation comes from but its
/// location.
static LogicalResult verifyPlaces(ModuleOp program) {
  WalkResult result = program->walk([&](Operation *op) {
    if (op == program || op->hasTrait<OpTrait::ConstantLike>() ||
        op->hasTrait<OpTrait::IsTerminator>() || isKnownLocation(op->getLoc()))
      return WalkResult::advance();
    op->emitOpError("in bytecode, which has no text to point to, must have a "
                    "location; found loc(unknown)");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===-- reading -----------------------------------------------------------===//

/// MLIR's parser, when it ends at an error, destroys values that operations in
/// front of their region refer to. That may crash, so it is not waited for.
static LogicalResult parseBlock(const llvm::SourceMgr &sources, Block &block,
                                const ParserConfig &config,
                                AsmParserState &text,
                                UserDiagnosticHandler &handler) {
  handler.afterErrors([](StringRef message) {
    if (endsParser(message))
      leaveChild(EXIT_FAILURE);
  });
  llvm::scope_exit done([&] { handler.afterErrors(nullptr); });
  return parseAsmSourceFile(sources, &block, config, &text);
}

static OwningOpRef<ModuleOp> parseText(const llvm::SourceMgr &sources,
                                       const ParserConfig &config,
                                       AsmParserState &text,
                                       UserDiagnosticHandler &handler) {
  Block block;
  if (failed(parseBlock(sources, block, config, text, handler)))
    return nullptr;
  auto only = block.empty() ? ModuleOp() : dyn_cast<ModuleOp>(block.front());
  // What the compiler printed has the places that it knew.
  if (!only || !only->hasAttr(optionsAttrName))
    keepPlaces(text, sources);
  if (only && llvm::hasSingleElement(block)) {
    only->remove();
    return only;
  }
  StringRef name =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  OwningOpRef<ModuleOp> program = ModuleOp::create(
      FileLineColLoc::get(config.getContext(), name, /*line=*/0, /*column=*/0));
  Block *body = program->getBody();
  body->getOperations().splice(body->end(), block.getOperations());
  return program;
}

OwningOpRef<ModuleOp>
tripy::parseProgram(std::shared_ptr<llvm::SourceMgr> sources,
                    const ParserConfig &unverified,
                    UserDiagnosticHandler &handler, bool verifies) {
  bool isText =
      !isBytecode(*sources->getMemoryBuffer(sources->getMainFileID()));
  AsmParserState text;
  OwningOpRef<ModuleOp> program =
      isText ? parseText(*sources, unverified, text, handler)
             : parseSourceFile<ModuleOp>(sources, unverified);
  if (!program)
    return nullptr;
  handler.remember(*program);
  if (verifies &&
      (failed(verify(*program)) || (!isText && failed(verifyPlaces(*program)))))
    return nullptr;
  // The same holds for names.
  if (!(*program)->hasAttr(optionsAttrName))
    for (auto function : program->getOps<func::FuncOp>())
      keepNames(function, text);
  return program;
}

OwningOpRef<ModuleOp>
tripy::parseProgram(std::shared_ptr<llvm::SourceMgr> sources,
                    MLIRContext *context, UserDiagnosticHandler &handler) {
  // Verified once it is whole, so that errors can name inputs.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  return parseProgram(std::move(sources), config, handler, /*verifies=*/true);
}
