//===- Diagnostics.cpp - Errors in the user's terms -----------------------===//

#include "tripy/ToolSupport/Diagnostics.h"

#include "ParserMessages.h"

#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/ToolSupport/SourceText.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tripy;

/// More of a kind than this are counted, not shown.
static constexpr size_t maxShown = 8;
static constexpr size_t maxOpText = 300;
/// Bytes of a name and of a message.
static constexpr size_t maxName = 300, maxMessage = 4000;
static constexpr StringLiteral currentOpPrefix = "see current operation: ";

namespace {

/// Where an input of a user's operation comes from.
struct Input {
  Location location;
  Type type;
};

} // namespace

class UserDiagnosticHandler::Printer {
public:
  Printer(raw_ostream &os, const llvm::SourceMgr *sources,
          ArrayRef<std::string> named)
      : os(os), text(sources, named) {}

  void print(Diagnostic &diagnostic);
  void remember(Operation *program);

private:
  void printPlace(const UserPlace &place, unsigned indent);
  void printOperation(StringRef text);
  void printWhys(Location location);
  void printOrigins(Location location, ArrayRef<UserPlace> stack);
  void printInputs(Location location);
  std::string messageOf(Diagnostic &diagnostic, ArrayRef<UserPlace> stack);
  void printNotes(Diagnostic &diagnostic, Location shown);
  const SmallVector<Input> *inputsOf(Location location) const;
  raw_ostream &line(unsigned indent = 4) { return os.indent(indent); }

  raw_ostream &os;
  SourceText text;
  /// Inputs of the user's operations, by location.
  DenseMap<Location, SmallVector<Input>> inputs;
};

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are covered");
}

//===-- source lines ------------------------------------------------------===//

void UserDiagnosticHandler::Printer::printPlace(const UserPlace &place,
                                                unsigned indent) {
  FileLineColRange range = place.range;
  os << "--> " << printable(range.getFilename().getValue(), maxName) << ':'
     << range.getStartLine();
  if (!place.function.empty())
    os << " in " << printable(place.function, maxName);
  os << '\n';
  std::optional<StringRef> source =
      text.getLine(range.getFilename().getValue(), range.getStartLine());
  if (!source)
    return;
  bool oneLine = range.getEndLine() == range.getStartLine();
  Excerpt excerpt = makeExcerpt(*source, range.getStartColumn(),
                                oneLine ? range.getEndColumn() : 0);
  auto gutter = [&](const Twine &number) -> raw_ostream & {
    return line(indent) << llvm::formatv("{0,5} |", number.str());
  };
  gutter("") << '\n';
  gutter(Twine(range.getStartLine())) << ' ' << excerpt.line << '\n';
  gutter("") << (excerpt.marker.empty() ? "" : " ") << excerpt.marker << '\n';
}

//===-- what is known about an operation ----------------------------------===//

void UserDiagnosticHandler::Printer::remember(Operation *program) {
  program->walk([&](Operation *op) {
    if (op->getNumOperands() == 0 || isa<UnknownLoc>(op->getLoc()))
      return;
    auto [it, isNew] = inputs.try_emplace(op->getLoc());
    if (!isNew)
      return;
    for (Value operand : op->getOperands())
      it->second.push_back({operand.getLoc(), operand.getType()});
  });
}

/// What an inlined operation was in its function; null when it was not.
static LocationAttr calleeOf(LocationAttr place) {
  if (auto call = dyn_cast<CallSiteLoc>(place))
    return LocationAttr(call.getCallee());
  auto name = dyn_cast<NameLoc>(place);
  return name && name.getName().getValue().ends_with("()")
             ? LocationAttr(name.getChildLoc())
             : LocationAttr();
}

const SmallVector<Input> *
UserDiagnosticHandler::Printer::inputsOf(Location location) const {
  for (Location user : userLocations(location))
    for (LocationAttr place = user; place; place = calleeOf(place))
      if (auto it = inputs.find(Location(place)); it != inputs.end())
        return &it->second;
  auto own = inputs.find(location);
  return own == inputs.end() ? nullptr : &own->second;
}

void UserDiagnosticHandler::Printer::printOperation(StringRef operation) {
  // The name follows the results, in quotes when the operation is invalid.
  StringRef name = operation;
  if (name.starts_with("%"))
    name = name.split(" = ").second;
  name = name.ltrim('"');
  if (operation.empty() || name.starts_with("trace."))
    return; // The source line shows it.
  StringRef level = name.starts_with("flatir.")   ? "FlatIR "
                    : name.starts_with("kernel.") ? "kernel "
                                                  : "";
  StringRef first = operation.split('\n').first;
  line() << "This error occurred while compiling the " << level
         << "operation:\n";
  bool isCut = first.size() > maxOpText || first.size() < operation.size();
  line(8) << printable(first.take_front(maxOpText), maxOpText)
          << (isCut ? " ..." : "") << '\n';
}

void UserDiagnosticHandler::Printer::printWhys(Location location) {
  SmallVector<WhyAttr> whys = whysOf(location);
  for (WhyAttr why : ArrayRef(whys).take_front(maxShown)) {
    line() << "Note: Tripy introduced this operation in order to "
           << printable(why.getReason(), maxMessage) << '\n';
    const SmallVector<Input> *known = inputsOf(location);
    if (known && why.getOperand() >= 0 &&
        why.getOperand() < static_cast<int64_t>(known->size()))
      line(8) << "operand " << why.getOperand() << " is "
              << (*known)[why.getOperand()].type << '\n';
  }
}

void UserDiagnosticHandler::Printer::printOrigins(Location location,
                                                  ArrayRef<UserPlace> stack) {
  // The outermost call is the header.
  for (auto [i, place] : llvm::enumerate(
           stack.drop_back(stack.empty() ? 0 : 1).take_front(maxShown))) {
    line() << (i == 0 ? "Note: this originated from the following expression:"
                      : "called from:")
           << '\n';
    line();
    printPlace(place, 4);
  }
  SmallVector<UserPlace> places = userPlaces(location);
  for (const UserPlace &place : ArrayRef(places)
                                    .drop_front(places.empty() ? 0 : 1)
                                    .take_front(maxShown)) {
    line() << "Note: this operation was fused with:\n";
    line();
    printPlace(place, 4);
  }
  if (places.size() > maxShown + 1)
    line() << "and " << places.size() - maxShown - 1 << " more\n";
}

void UserDiagnosticHandler::Printer::printInputs(Location location) {
  const SmallVector<Input> *known = inputsOf(location);
  if (!known)
    return;
  for (auto [i, input] :
       llvm::enumerate(ArrayRef(*known).take_front(maxShown))) {
    SmallVector<UserPlace> stack = callStack(input.location);
    if (stack.empty())
      continue;
    line() << "Input " << i << ": ";
    printPlace(stack.front(), 4);
  }
  if (known->size() > maxShown)
    line() << "and " << known->size() - maxShown << " more inputs\n";
}

//===-- diagnostics -------------------------------------------------------===//

void UserDiagnosticHandler::Printer::printNotes(Diagnostic &diagnostic,
                                                Location shown) {
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string message = note.str();
    if (StringRef(message).starts_with(currentOpPrefix) ||
        isListOfDialects(message))
      continue;
    line() << "Note: " << printableLines(message, maxMessage) << '\n';
    SmallVector<UserPlace> stack = callStack(note.getLocation());
    if (stack.empty() || note.getLocation() == shown)
      continue;
    line();
    printPlace(stack.front(), 4);
  }
}

/// "file:line:column: severity: text", on one line.
static void printLine(raw_ostream &os, Diagnostic &diagnostic) {
  SmallVector<UserPlace> stack = callStack(diagnostic.getLocation());
  if (!stack.empty()) {
    FileLineColRange range = stack.front().range;
    os << printable(range.getFilename().getValue(), maxName) << ':'
       << range.getStartLine() << ':' << range.getStartColumn() << ": ";
  }
  os << nameOf(diagnostic.getSeverity()) << ": "
     << printableLines(diagnostic.str(), maxMessage) << '\n';
  os.flush();
}

/// The text of a diagnostic, in the user's terms.
std::string
UserDiagnosticHandler::Printer::messageOf(Diagnostic &diagnostic,
                                          ArrayRef<UserPlace> stack) {
  std::string message = diagnostic.str();
  StringRef before;
  if (!stack.empty()) {
    FileLineColRange range = stack.front().range;
    if (std::optional<StringRef> source =
            text.getLine(range.getFilename().getValue(), range.getStartLine()))
      before = source->take_front(std::max(range.getStartColumn(), 1u) - 1);
  }
  return explainUnknown(message, before, diagnostic.getLocation().getContext())
      .value_or(message);
}

void UserDiagnosticHandler::Printer::print(Diagnostic &diagnostic) {
  Location location = diagnostic.getLocation();
  SmallVector<UserPlace> stack = callStack(location);
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    printLine(os, diagnostic); // They are many.
    return;
  }
  if (!stack.empty())
    printPlace(stack.back(), 0);
  os << nameOf(diagnostic.getSeverity()) << ": "
     << printableLines(messageOf(diagnostic, stack), maxMessage) << '\n';
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (isError)
    for (Diagnostic &note : diagnostic.getNotes())
      if (std::string message = note.str();
          StringRef(message).starts_with(currentOpPrefix))
        printOperation(StringRef(message).drop_front(currentOpPrefix.size()));
  printNotes(diagnostic, location);
  if (isError)
    printWhys(location);
  printOrigins(location, stack);
  printInputs(location);
  os.flush();
}

UserDiagnosticHandler::UserDiagnosticHandler(MLIRContext *context,
                                             raw_ostream &os,
                                             const llvm::SourceMgr *sources,
                                             ArrayRef<std::string> named)
    : ScopedDiagnosticHandler(context),
      printer(std::make_unique<Printer>(os, sources, named)) {
  setHandler([this](Diagnostic &diagnostic) {
    printer->print(diagnostic);
    if (afterError && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      afterError(diagnostic.str());
  });
}

UserDiagnosticHandler::~UserDiagnosticHandler() = default;

void UserDiagnosticHandler::remember(Operation *program) {
  printer->remember(program);
}

void UserDiagnosticHandler::afterErrors(
    std::function<void(StringRef message)> call) {
  afterError = std::move(call);
}

//===-- passes ------------------------------------------------------------===//

namespace {

/// Keeps the handler as long as the pass manager.
class DiagnosticsOfPasses : public PassInstrumentation {
public:
  DiagnosticsOfPasses(MLIRContext *context, ArrayRef<std::string> named)
      : handler(context, llvm::errs(), /*sources=*/nullptr, named) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    // The first pass runs on the root; nested ones run at the same time later.
    if (!started.exchange(true))
      handler.remember(op);
  }

private:
  UserDiagnosticHandler handler;
  std::atomic<bool> started = false;
};

class PlainDiagnosticsOfPasses : public PassInstrumentation {
public:
  explicit PlainDiagnosticsOfPasses(MLIRContext *context)
      : handler(context, [](Diagnostic &diagnostic) {
          printLine(llvm::errs(), diagnostic);
          for (Diagnostic &note : diagnostic.getNotes())
            printLine(llvm::errs(), note);
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

void tripy::printUserDiagnostics(PassManager &pm, ArrayRef<std::string> named,
                                 bool plain) {
  MLIRContext *context = pm.getContext();
  if (plain)
    pm.addInstrumentation(std::make_unique<PlainDiagnosticsOfPasses>(context));
  else
    pm.addInstrumentation(
        std::make_unique<DiagnosticsOfPasses>(context, named));
}
