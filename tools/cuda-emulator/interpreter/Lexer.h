//===- Lexer.h - Tokens of PTX ----------------------------------*- C++ -*-===//
//
// Names (with their dots and "::"), numbers, strings and punctuation. Comments
// and line breaks are skipped; every token knows its line.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_LEXER_H
#define TRIPY_LIB_EMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tripy::emulator {

enum class TokenKind : uint8_t {
  End,
  Name,    // add.s32, %r1, .reg, $L__BB0_1
  Integer, // value
  Float32, // 0f..: value is the bits
  Float64, // 0d.. or 1.5: value is the bits
  String,
  Punctuation, // one character
  Bad,         // text says what
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint64_t value = 0;
  uint32_t line = 1;
  bool is(char c) const {
    return kind == TokenKind::Punctuation && text[0] == c;
  }
  bool is(std::string_view name) const {
    return kind == TokenKind::Name && text == name;
  }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) {}
  Token next();
  /// Drops the rest of the current line.
  void skipLine();

private:
  void skipSpace();
  Token name(Token token);
  Token number(Token token);
  std::string_view rest;
  uint32_t line = 1;
};

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_LEXER_H
