//===- InputText.cpp - What a tool asks of text before MLIR reads it ------===//

#include "tripy/ToolSupport/InputText.h"

#include "tripy/Base/Text.h"
#include "tripy/ToolSupport/SourceText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tripy;

/// The first bytes of MLIR's bytecode.
static constexpr StringLiteral bytecodeMagic = "ML\xefR";
/// Digits of a number in a list: more may not fit into 64 bits.
static constexpr size_t maxListDigits = 18;
/// Of a position in a struct or array: MLIR takes it for one of 32 bits.
static constexpr size_t maxPositionDigits = 9;
/// The number that MLIR keeps for a size that only the run decides.
static constexpr StringLiteral dynamicSize = "-9223372036854775808";

namespace {

/// What an alias stands for: how deep, and how much when written out.
struct Expansion {
  unsigned depth = 0;
  uint64_t uses = 1;
};

/// Follows brackets and aliases through a text.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}
  std::optional<InputTextError> run();

private:
  void error(size_t offset, const Twine &message) {
    if (!found)
      found = InputTextError{offset, message.str()};
  }
  bool startsWith(StringRef prefix) const {
    return text.substr(position).starts_with(prefix);
  }
  StringRef takeName(StringRef punctuation);
  void skipString();
  void open();
  void close();
  void alias();
  void useAlias(StringRef name, size_t start);
  void endDefinition();
  bool integersFollow() const;
  bool iteratorsFollow() const;
  bool dimensionFollows() const;
  bool positionsFollow() const;
  bool widthsFollow() const;
  void checkLists(StringRef name, size_t start);
  void checkBlob(StringRef literal, size_t start);
  void checkElements(StringRef kind, size_t start);
  void metadata();
  void number();
  void token();

  StringRef text;
  size_t position = 0;
  std::optional<InputTextError> found;
  /// Open brackets, by what closes them.
  SmallVector<char> brackets;
  /// The last token.
  StringRef previous;
  /// Whether the last token began the element type of `array<...>`.
  bool arrayElement = false;
  /// Within `{-# ... #-}`, where resources are.
  bool inMetadata = false;
  /// Where an affine map or set began, and the brackets around it.
  std::optional<std::pair<size_t, size_t>> affine;
  StringMap<Expansion> aliases;
  /// The alias whose value is being read, or "".
  StringRef defining;
  Expansion definition;
  uint64_t totalUses = 0;
  /// The last token's last character, and whether a line ended since.
  char last = '\0';
  bool newLine = true;
  /// A tensor.from_elements was read, and not its type.
  bool listsElements = false;
};

} // namespace

/// Without the spaces and comments that `text` starts with.
static StringRef skipSpace(StringRef text) {
  text = text.ltrim();
  while (text.starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

StringRef Scanner::takeName(StringRef punctuation) {
  StringRef name = text.substr(position).take_while(
      [&](char c) { return isAlnum(c) || punctuation.contains(c); });
  position += name.size();
  return name;
}

void Scanner::skipString() {
  ++position;
  while (position < text.size() && text[position] != '"' &&
         text[position] != '\n')
    position += text[position] == '\\' ? 2 : 1;
  ++position;
}

void Scanner::open() {
  char bracket = text[position];
  if (bracket == '<' && (previous == "affine_map" || previous == "affine_set"))
    affine = {position, brackets.size()};
  brackets.push_back(bracket == '('   ? ')'
                     : bracket == '[' ? ']'
                     : bracket == '{' ? '}'
                                      : '>');
  definition.depth = std::max<unsigned>(definition.depth, brackets.size());
  if (brackets.size() > maxNesting)
    error(position, "brackets are nested at most " + Twine(maxNesting) +
                        " deep; found one more");
  ++position;
}

void Scanner::close() {
  char bracket = text[position++];
  // A '<' may have been a comparison; every other bracket waits for its own
  // end, so that stray ends never hide depth.
  size_t keep = brackets.size();
  while (keep && brackets[keep - 1] == '>' && bracket != '>')
    --keep;
  if (keep && brackets[keep - 1] == bracket)
    brackets.truncate(keep - 1);
  if (affine && brackets.size() <= affine->second)
    affine.reset();
}

/// `#name` or `!name`: a definition when '=' follows outside of all brackets.
void Scanner::alias() {
  size_t start = position++;
  takeName("_$-");
  StringRef name = text.slice(start, position);
  StringRef rest = text.substr(position).ltrim(" \t");
  if (brackets.empty() && rest.starts_with("=") && !rest.starts_with("==")) {
    endDefinition();
    defining = name;
    definition = Expansion();
  } else {
    useAlias(name, start);
  }
}

void Scanner::useAlias(StringRef name, size_t start) {
  auto known = aliases.find(name);
  if (known == aliases.end())
    return;
  unsigned depth = brackets.size() + known->second.depth;
  definition.depth = std::max(definition.depth, depth);
  definition.uses += known->second.uses;
  totalUses += defining.empty() ? known->second.uses : 0;
  if (depth > maxNesting)
    error(start, "brackets are nested at most " + Twine(maxNesting) +
                     " deep, those of aliases included; found " + Twine(depth));
  if (!defining.empty() && definition.uses > maxAliasUses)
    error(start, "an alias stands for at most " + Twine(maxAliasUses) +
                     " others; '" + defining + "' stands for more");
  if (totalUses > maxTotalAliasUses)
    error(start, "the aliases of a file stand for at most " +
                     Twine(maxTotalAliasUses) + " others; found more");
}

void Scanner::endDefinition() {
  if (!defining.empty())
    aliases[defining] = definition;
  defining = StringRef();
}

/// Whether a list of integers stands behind the `=` that may follow. MLIR's
/// parsers of linalg.reduce, transpose and broadcast go on with a list that
/// they could not read, and crash.
bool Scanner::integersFollow() const {
  StringRef rest = skipSpace(text.substr(position));
  if (!rest.consume_front("="))
    return true;
  rest = skipSpace(rest);
  if (!rest.consume_front("["))
    return false;
  rest = skipSpace(rest);
  if (rest.starts_with("]"))
    return true;
  do {
    rest = skipSpace(rest);
    rest.consume_front("-");
    rest = skipSpace(rest);
    StringRef digits = rest.take_while(isDigit);
    if (digits.empty() || digits.size() > maxListDigits)
      return false;
    rest = skipSpace(rest.drop_front(digits.size()));
  } while (rest.consume_front(","));
  return rest.starts_with("]");
}

/// Whether a list of strings or attributes of a dialect stands behind the `=`
/// that may follow. MLIR's parser of linalg.generic casts them unasked.
bool Scanner::iteratorsFollow() const {
  StringRef rest = skipSpace(text.substr(position));
  if (!rest.consume_front("="))
    return true;
  rest = skipSpace(rest);
  if (!rest.consume_front("["))
    return false;
  rest = skipSpace(rest);
  if (rest.starts_with("]"))
    return true;
  do {
    rest = skipSpace(rest);
    char end = rest.starts_with("\"") ? '"' : '>';
    if (end == '>' && !rest.starts_with("#"))
      return false;
    size_t size = rest.find(end, 1);
    rest = rest.substr(size).drop_front(size == StringRef::npos ? 0 : 1);
    rest = skipSpace(rest);
  } while (rest.consume_front(","));
  return rest.starts_with("]");
}

/// Whether `(`, a number that is not negative, and `)` follow.
bool Scanner::dimensionFollows() const {
  StringRef rest = skipSpace(text.substr(position));
  if (!rest.consume_front("("))
    return true;
  rest = skipSpace(rest);
  StringRef digits = rest.take_while(isDigit);
  return !digits.empty() && digits.size() <= maxListDigits &&
         skipSpace(rest.drop_front(digits.size())).starts_with(")");
}

/// Whether the next list in brackets, if one comes before anything else than
/// operands, has numbers of at most `maxPositionDigits` digits.
bool Scanner::positionsFollow() const {
  StringRef rest = text.substr(position);
  rest = rest.drop_front(std::min(rest.find_first_of("[]{}:\""), rest.size()));
  if (!rest.consume_front("["))
    return true;
  for (StringRef list = rest.take_until([](char c) { return c == ']'; });
       !list.empty();) {
    auto [number, more] = list.split(',');
    if (number.trim().size() > maxPositionDigits)
      return false;
    list = more;
  }
  return true;
}

/// Whether the list in brackets that follows, if one does, lacks the number
/// that MLIR keeps for "dynamic": its printer looks for an operand.
bool Scanner::widthsFollow() const {
  StringRef rest = skipSpace(text.substr(position));
  return !rest.consume_front("[") ||
         !rest.take_until([](char c) { return c == ']'; })
              .contains(dynamicSize);
}

/// Lists and numbers that MLIR's parsers of operations do not check.
void Scanner::checkLists(StringRef name, size_t start) {
  // Not the name of an attribute in a dictionary, whose values are checked.
  bool inDictionary = last == '{' || last == ',';
  if ((name == "dimensions" || name == "permutation") && !inDictionary &&
      !integersFollow())
    error(start, "'" + name + "' is a list of integers; found something else");
  if ((name == "llvm.extractvalue" || name == "llvm.insertvalue") &&
      !positionsFollow())
    error(start, "positions of '" + name + "' have at most " +
                     Twine(maxPositionDigits) + " characters; found more");
  if (name == "iterator_types" && !iteratorsFollow())
    error(start,
          "'iterator_types' is a list of strings or of attributes such as "
          "#linalg.iterator_type<parallel>; found something else");
  if ((name == "low" || name == "high") && !widthsFollow())
    error(start, "widths of a pad are numbers above -2^63; found that one");
  if (name == "dim" && previous == "tensor.concat" && !dimensionFollows())
    error(start, "'dim' of tensor.concat is a number that is not negative; "
                 "found something else");
}

/// The first four bytes of a resource's data are its alignment, by which MLIR
/// allocates.
void Scanner::checkBlob(StringRef literal, size_t start) {
  constexpr size_t alignmentDigits = 8;
  constexpr uint32_t maximum = 1 << 16;
  StringRef digits = literal.drop_front(1).rtrim('"');
  std::string bytes;
  if (!digits.consume_front("0x") || digits.size() <= alignmentDigits ||
      !tryGetFromHex(digits.take_front(alignmentDigits), bytes))
    return;
  uint32_t alignment = support::endian::read32le(bytes.data());
  if (!isPowerOf2_32(alignment) || alignment > maximum)
    error(start, "the alignment of a resource is a power of two up to " +
                     Twine(maximum) + "; found " + Twine(alignment));
}

/// The sizes follow of a vector, or of the tensor of a tensor.from_elements.
void Scanner::checkElements(StringRef kind, size_t start) {
  StringRef rest = text.substr(position);
  uint64_t elements = 1;
  for (bool more = rest.consume_front("<"); more;
       more = rest.consume_front("x")) {
    rest = skipSpace(rest);
    rest.consume_front("[");
    uint64_t size = 0;
    // What is no size is the element type; what does not fit is too large.
    StringRef digits = rest.take_while(isDigit);
    if (digits.empty())
      return;
    rest = rest.drop_front(digits.size());
    rest.consume_front("]");
    if (digits.getAsInteger(10, size) || size > maxListedElements ||
        (elements *= size) > maxListedElements)
      return error(start, kind + " has at most " + Twine(maxListedElements) +
                              " elements; found more");
  }
}

/// An end of the section of resources.
void Scanner::metadata() {
  constexpr size_t marks = 2;
  inMetadata = text[position] == '{';
  if (inMetadata)
    open();
  position += marks;
  if (!inMetadata)
    close();
}

/// Digits, and what follows without a space: a number, or sizes of a type.
void Scanner::number() {
  size_t start = position;
  takeName("_.");
  StringRef digits = text.slice(start, position).take_while([](char c) {
    return isDigit(c) || StringRef(".eE").contains(c);
  });
  if (digits.size() > maxNumberLength)
    error(start, "a number has at most " + Twine(maxNumberLength) +
                     " characters; found " + Twine(digits.size()));
}

/// Reads what begins at `position`, which is no space or comment.
void Scanner::token() {
  size_t start = position;
  char c = text[position];
  // A definition goes on after a line's end only where a value is incomplete.
  if (newLine && brackets.empty() && !StringRef("=:>,").contains(last) &&
      (isAlpha(c) || StringRef("%\"@").contains(c)))
    endDefinition();
  // MLIR's parser asks the element type for its width before it knows that it
  // has one.
  if (arrayElement && (c == '!' || startsWith("index")))
    error(start, "elements of an array attribute are integers or floats; found "
                 "another type");
  if (c == '"')
    skipString();
  else if (startsWith("{-#") || startsWith("#-}"))
    metadata();
  else if (startsWith("->") || startsWith("=>") ||
           (affine && (startsWith("<=") || startsWith(">="))))
    position += 2;
  else if (StringRef("([{<").contains(c))
    open();
  else if (StringRef(")]}>").contains(c))
    close();
  else if (c == '#' || c == '!')
    alias();
  else if (isDigit(c))
    number();
  else if (isAlpha(c) || c == '_')
    takeName("_$.");
  else
    ++position;
  arrayElement = c == '<' && previous == "array";
  StringRef name = text.slice(start, position);
  checkLists(name, start);
  listsElements |= name == "tensor.from_elements";
  if (name == "vector" || (name == "tensor" && listsElements))
    checkElements(name == "vector" ? "a vector"
                                   : "the tensor of tensor.from_elements",
                  start);
  listsElements &= name != "tensor";
  if (c == '"' && inMetadata)
    checkBlob(name, start);
  // In `!llvm.array<...>` it is another word.
  previous = last == '.' && name == "array" ? StringRef() : name;
  last = name.empty() ? '\0' : name.back();
  newLine = false;
}

std::optional<InputTextError> Scanner::run() {
  while (position < text.size() && !found) {
    if (isSpace(text[position])) {
      newLine |= text[position++] == '\n';
      continue;
    }
    if (startsWith("//")) {
      position = std::min(text.find('\n', position), text.size());
      continue;
    }
    token();
    if (affine && position - affine->first > maxAffineLength)
      error(affine->first, "an affine map or set has at most " +
                               Twine(maxAffineLength) + " characters");
  }
  return found;
}

std::optional<InputTextError> tripy::checkInputText(StringRef text,
                                                    bool allowBytecode) {
  if (size_t offset = text.find(bytecodeMagic); offset != StringRef::npos) {
    if (!allowBytecode)
      return InputTextError{offset, "MLIR bytecode is read only with "
                                    "--allow-bytecode: its reader is not safe "
                                    "for untrusted input"};
    if (offset == 0) // Nothing here is text.
      return std::nullopt;
  }
  return Scanner(text).run();
}

LogicalResult tripy::verifyInputText(MemoryBufferRef buffer,
                                     bool allowBytecode) {
  std::optional<InputTextError> error =
      checkInputText(buffer.getBuffer(), allowBytecode);
  if (!error)
    return success();
  // Not SourceMgr's message: the line may be as long as the file.
  StringRef before = buffer.getBuffer().take_front(error->offset);
  size_t lineStart = before.rfind('\n') + 1, column = before.size() - lineStart;
  StringRef line = buffer.getBuffer().substr(lineStart).split('\n').first;
  Excerpt excerpt = makeExcerpt(line, column + 1);
  errs() << printable(buffer.getBufferIdentifier(), 1024) << ':'
         << before.count('\n') + 1 << ':' << column + 1
         << ": error: " << error->message << '\n'
         << excerpt.line << '\n'
         << excerpt.marker << '\n';
  return failure();
}
