//===- Lexer.cpp - Tokens of PTX --------------------------------*- C++ -*-===//
#include "Lexer.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>

namespace tripy::emulator {

namespace {
bool startsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}
bool continuesName(char c) {
  return startsName(c) || std::isdigit(static_cast<unsigned char>(c));
}
} // namespace

void Lexer::skipLine() {
  rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
}

void Lexer::skipSpace() {
  while (!rest.empty()) {
    if (rest[0] == '\n') {
      ++line;
      rest.remove_prefix(1);
    } else if (std::isspace(static_cast<unsigned char>(rest[0]))) {
      rest.remove_prefix(1);
    } else if (rest.starts_with("//")) {
      skipLine();
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      size_t length = end == rest.npos ? rest.size() : end + 2;
      line += std::count(rest.begin(), rest.begin() + length, '\n');
      rest.remove_prefix(length);
    } else {
      return;
    }
  }
}

Token Lexer::name(Token token) {
  size_t length = 1;
  // "::" belongs to a name ("shared::cta"), a single ':' ends a label.
  while (length < rest.size()) {
    if (continuesName(rest[length]))
      ++length;
    else if (rest.substr(length).starts_with("::") &&
             length + 2 < rest.size() && continuesName(rest[length + 2]))
      length += 2;
    else
      break;
  }
  token.kind = TokenKind::Name;
  token.text = rest.substr(0, length);
  rest.remove_prefix(length);
  return token;
}

Token Lexer::number(Token token) {
  size_t length = 0;
  while (length < rest.size() &&
         (std::isalnum(static_cast<unsigned char>(rest[length])) ||
          rest[length] == '.' ||
          ((rest[length] == '+' || rest[length] == '-') && length &&
           (rest[length - 1] == 'e' || rest[length - 1] == 'E') &&
           !rest.starts_with("0x"))))
    ++length;
  std::string text(rest.substr(0, length));
  token.text = rest.substr(0, length);
  rest.remove_prefix(length);
  token.kind = TokenKind::Integer;
  char *end = nullptr;
  char second = text.size() > 1 ? text[1] : ' ';
  if (second == 'f' || second == 'F' || second == 'd' || second == 'D') {
    bool single = second == 'f' || second == 'F';
    token.kind = single ? TokenKind::Float32 : TokenKind::Float64;
    token.value = std::strtoull(text.c_str() + 2, &end, 16);
    if (text.size() != (single ? 10 : 18) || text[0] != '0')
      end = nullptr;
  } else if (second == 'b' || second == 'B') {
    token.value = std::strtoull(text.c_str() + 2, &end, 2);
  } else if (text.find('.') != text.npos) {
    token.kind = TokenKind::Float64;
    token.value = std::bit_cast<uint64_t>(std::strtod(text.c_str(), &end));
  } else {
    token.value = std::strtoull(text.c_str(), &end, 0);
    if (*end == 'U')
      ++end;
  }
  if (!end || *end)
    token.kind = TokenKind::Bad;
  return token;
}

Token Lexer::next() {
  skipSpace();
  Token token;
  token.line = line;
  if (rest.empty())
    return token;
  if (startsName(rest[0]))
    return name(token);
  if (std::isdigit(static_cast<unsigned char>(rest[0])))
    return number(token);
  size_t length = 1;
  token.kind = TokenKind::Punctuation;
  if (rest[0] == '"') {
    size_t end = rest.find('"', 1);
    token.kind = end == rest.npos ? TokenKind::Bad : TokenKind::String;
    length = end == rest.npos ? rest.size() : end + 1;
  }
  token.text = rest.substr(0, length);
  rest.remove_prefix(length);
  return token;
}

} // namespace tripy::emulator
