//===- UserTerms.cpp - Messages in the frontend's terms ------------------===//

#include "UserTerms.h"

#include "tripy/Base/DType.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tripy;
using namespace tripy::frontend;

static StringRef toRef(std::string_view text) {
  return {text.data(), text.size()};
}

/// "2x?xf32" -> "float32 of shape (2, ?)"; "" if it is no type of Tripy's.
static std::string describeTensor(StringRef body) {
  SmallVector<StringRef> sizes;
  while (!body.empty() && (isDigit(body.front()) || body.front() == '?')) {
    auto [size, rest] = body.split('x');
    sizes.push_back(size);
    body = rest;
  }
  std::optional<DType> dtype =
      findDType(body.split(',').first, &DTypeInfo::mlir);
  if (!dtype)
    return "";
  return (toRef(dtypeName(*dtype)) + " of shape (" + join(sizes, ", ") +
          (sizes.size() == 1 ? ",)" : ")"))
      .str();
}

/// Replaces types of tensors, with the quotes around them.
static std::string withoutTensorTypes(StringRef text) {
  constexpr StringLiteral opening("tensor<");
  std::string out;
  for (;;) {
    size_t begin = text.find(opening), end = text.find('>', begin);
    if (end == StringRef::npos)
      return out + text.str();
    std::string type = describeTensor(text.slice(begin + opening.size(), end));
    StringRef before = text.take_front(begin), after = text.drop_front(end + 1);
    if (type.empty())
      type = text.slice(begin, end + 1).str();
    else if (before.ends_with("'") && after.consume_front("'"))
      before = before.drop_back();
    out += before.str() + type;
    text = after;
  }
}

/// Replaces numbers in MLIR's format.
static std::string withShortNumbers(std::string text) {
  static constexpr StringLiteral pattern("[0-9]\\.[0-9]{6}e[+-][0-9]+");
  SmallVector<StringRef> found;
  std::string out;
  StringRef rest = text;
  for (Regex number(pattern); number.match(rest, &found);) {
    double value = 0;
    found.front().getAsDouble(value);
    out += rest.take_front(found.front().data() - rest.data()).str();
    raw_string_ostream(out) << format("%g", value);
    rest = rest.drop_front(found.front().end() - rest.begin());
  }
  return out + rest.str();
}

/// Replaces MLIR's names of element types and infinity.
static std::string withoutElementTypes(StringRef text) {
  std::string out;
  while (!text.empty()) {
    StringRef word =
        text.take_while([](char c) { return isAlnum(c) || c == '_'; });
    if (word.empty())
      word = text.take_front();
    std::optional<DType> dtype = findDType(word, &DTypeInfo::mlir);
    out += dtype ? toRef(dtypeName(*dtype)) : word == "INF" ? "inf" : word;
    text = text.drop_front(word.size());
  }
  return out;
}

std::string tripy::frontend::inUserTerms(StringRef message) {
  return withShortNumbers(withoutElementTypes(withoutTensorTypes(message)));
}

std::string tripy::frontend::diagnosticsInUserTerms(StringRef text,
                                                    bool hasProfile) {
  constexpr StringLiteral profile(" for the largest sizes of the profile");
  std::string out;
  for (StringRef line : split(text, '\n')) {
    StringRef start = line.ltrim();
    std::string user = line.str();
    if (start.starts_with("error: ") || start.starts_with("warning: ") ||
        start.starts_with("Note: ") || start.starts_with("operand ")) {
      user = withoutTensorTypes(line);
      if (size_t at = user.find(profile); !hasProfile && at != user.npos)
        user.erase(at, profile.size());
    }
    out += user + '\n';
  }
  out.pop_back();
  return out;
}
