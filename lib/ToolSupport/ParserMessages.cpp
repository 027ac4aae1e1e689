//===- ParserMessages.cpp - What MLIR's parser says, in our terms ---------===//

#include "ParserMessages.h"

#include "tripy/Base/Text.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tripy;

/// Tools of MLIR know dozens of dialects: no line holds their names.
static constexpr size_t maxDialects = 24;
/// Bytes of a name that a message shows.
static constexpr size_t maxName = 300;
/// What users write programs in: an operation without a dialect is of these.
static constexpr StringRef userDialects[] = {"trace",  "flatir", "linalg",
                                             "tensor", "arith",  "math"};

/// What is between `begin` and `end` in `text`; "" without them.
static StringRef between(StringRef text, StringRef begin, StringRef end) {
  size_t at = text.find(begin);
  if (at == StringRef::npos)
    return StringRef();
  StringRef rest = text.drop_front(at + begin.size());
  size_t size = rest.find(end);
  return size == StringRef::npos ? StringRef() : rest.take_front(size);
}

/// "a, b and c".
static std::string listOf(ArrayRef<StringRef> names) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    text += i == 0 ? "" : i + 1 < names.size() ? ", " : " and ";
    text += name;
  }
  return text;
}

/// "; did you mean 'trace.softmax'?", or nothing. `name` has no dialect; those
/// of `dialects` count, the first of them where names are equally close.
static std::string suggestOperation(StringRef name,
                                    ArrayRef<StringRef> dialects,
                                    MLIRContext *context) {
  ClosestName closest(name);
  std::string best;
  for (StringRef dialect : dialects) {
    // A dialect that the text has not named yet may not be loaded.
    context->getOrLoadDialect(dialect);
    for (RegisteredOperationName op :
         context->getRegisteredOperationsByDialect(dialect)) {
      std::string_view before = closest.best();
      closest.consider(op.stripDialect());
      if (closest.best() != before)
        best = op.getStringRef().str();
    }
  }
  return best.empty() ? "" : concat("; did you mean '", best, "'?");
}

/// `what` must be of a dialect that the tool knows; `found` is of `dialect`.
static std::string unknownDialect(StringRef what, StringRef dialect,
                                  StringRef found, MLIRContext *context) {
  ClosestName closest(dialect);
  std::vector<StringRef> names = context->getAvailableDialects();
  llvm::sort(names);
  for (StringRef name : names)
    closest.consider(name);
  return concat(what,
                names.size() <= maxDialects
                    ? " must be of the dialects " + listOf(names)
                    : std::string(" must be of a dialect that this tool "
                                  "knows, which --show-dialects lists"),
                "; found '", printable(found, maxName), "'",
                closest.suggestion());
}

static std::string unknownOperation(StringRef name, MLIRContext *context) {
  auto [dialect, rest] = name.split('.');
  return concat("an operation must be one of its dialect; '",
                printable(dialect, maxName), "' has no '",
                printable(rest, maxName), "'",
                suggestOperation(rest, dialect, context));
}

/// The quoted name that ends where an error is reported.
static StringRef quotedBefore(StringRef before) {
  before = before.rtrim();
  if (!before.consume_back("\""))
    return StringRef();
  size_t begin = before.rfind('"');
  return begin == StringRef::npos ? StringRef() : before.drop_front(begin + 1);
}

std::optional<std::string> tripy::explainUnknown(StringRef message,
                                                 StringRef before,
                                                 MLIRContext *context) {
  constexpr StringLiteral custom = "custom op '";
  if (message.starts_with("Dialect `")) {
    StringRef name = between(message, custom, "'");
    return unknownDialect("operations", name.split('.').first, name, context);
  }
  // Of a known operation this is a message about what follows its name.
  if (message.starts_with(custom) && message.contains("' is unknown")) {
    StringRef name = between(message, custom, "'");
    if (name.contains('.'))
      return unknownOperation(name, context);
    return concat("an operation must be written with its dialect, as in "
                  "'trace.add'; found '",
                  printable(name, maxName), "'",
                  suggestOperation(name, userDialects, context));
  }
  if (message.starts_with("unregistered operation '"))
    return unknownOperation(between(message, "operation '", "'"), context);
  if (message.starts_with("operation being parsed with an unregistered")) {
    StringRef name = quotedBefore(before);
    return unknownDialect("operations", name.split('.').first, name, context);
  }
  for (auto [kind, what] :
       {std::pair(" type", "types"), std::pair(" attribute", "attributes")})
    if (message.contains(concat(kind, " created with unregistered dialect"))) {
      StringRef dialect = between(message, "\"", "\"");
      return unknownDialect(what, dialect, dialect, context);
    }
  return std::nullopt;
}

bool tripy::endsParser(StringRef message) {
  return message != "use of undeclared SSA value name";
}

bool tripy::isListOfDialects(StringRef note) {
  return note.starts_with("Available dialects: ") ||
         note.starts_with("Registered dialects: ");
}
