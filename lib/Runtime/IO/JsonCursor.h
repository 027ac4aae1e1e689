//===- JsonCursor.h - A strict reader of flat JSON --------------*- C++ -*-===//
//
// Reads the JSON of tensor file headers token by token, without recursion and
// without building a tree: the format has a fixed depth, so nothing that a
// file says can deepen the stack. Strings stay where they are: with its escapes
// resolved, a text is never longer. Private to Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_JSONCURSOR_H
#define TRIPY_RUNTIME_IO_JSONCURSOR_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tripy::io {

/// A position in JSON text. Every function skips white space first and leaves
/// the position behind what it read; errors are Malformed and name the byte.
class JsonCursor {
public:
  /// Resolves escapes in `text`, which the strings that are read refer to.
  explicit JsonCursor(std::span<char> text)
      : text(text.data(), text.size()), writable(text.data()) {}

  /// Reads `c` if it comes next.
  bool consume(char c);
  /// Reads `c` or fails; `where` says what was being read.
  Status expect(char c, std::string_view where);
  /// Reads a string, escapes resolved; `out` is a part of the text. Refuses
  /// control characters, NUL (also escaped), lone surrogates and bytes that are
  /// not UTF-8.
  Status readString(std::string_view &out, std::string_view where);
  /// Reads a non-negative integer below 2^63, without sign, fraction,
  /// exponent or leading zeros.
  Status readInteger(uint64_t &out, std::string_view where);
  /// True when only white space is left.
  bool atEnd();
  /// A Malformed status at the present position.
  Status error(std::string_view what) const;

private:
  void skipSpace();
  Status readEscape(size_t &end, std::string_view where);
  Status readHex4(uint32_t &out, std::string_view where);

  void put(size_t &end, char c) { writable[end++] = c; }

  std::string_view text;
  char *writable;
  size_t at = 0;
};

/// Whether `text` may name a tensor: not empty, well-formed UTF-8, no NUL.
bool isTensorName(std::string_view text);

/// Appends `text` as a JSON string, with quotes.
void appendJsonString(std::string &out, std::string_view text);

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_JSONCURSOR_H
