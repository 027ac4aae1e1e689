//===- JsonCursor.cpp - A strict reader of flat JSON ----------------------===//

#include "JsonCursor.h"

#include "tripy/Base/Text.h"

#include <cstdio>

using namespace tripy;
using namespace tripy::io;

void JsonCursor::skipSpace() {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                              text[at] == '\r' || text[at] == '\t'))
    ++at;
}

Status JsonCursor::error(std::string_view what) const {
  std::string message = "the header is not valid JSON at byte ";
  message += std::to_string(at);
  message += ": ";
  message += what;
  return Status(Code::Malformed, std::move(message));
}

bool JsonCursor::consume(char c) {
  skipSpace();
  if (at == text.size() || text[at] != c)
    return false;
  ++at;
  return true;
}

/// The text at `at`, for a message.
static std::string describe(std::string_view text, size_t at) {
  if (at >= text.size())
    return "the end";
  unsigned char c = static_cast<unsigned char>(text[at]);
  if (c > 0x20 && c < 0x7f)
    return std::string("'") + static_cast<char>(c) + "'";
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), "byte 0x%02x", c);
  return buffer;
}

Status JsonCursor::expect(char c, std::string_view where) {
  if (consume(c))
    return Status::ok();
  std::string what = "expected '";
  what += c;
  what += "' in ";
  what += where;
  what += ", found " + describe(text, at);
  return error(what);
}

bool JsonCursor::atEnd() {
  skipSpace();
  return at == text.size();
}

Status JsonCursor::readInteger(uint64_t &out, std::string_view where) {
  skipSpace();
  size_t start = at;
  uint64_t value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    uint64_t digit = static_cast<uint64_t>(text[at] - '0');
    if (value > (INT64_MAX - digit) / 10)
      return error(std::string(where) + " must be below 2^63");
    value = value * 10 + digit;
    ++at;
  }
  if (at == start)
    return error(std::string(where) +
                 " must be a non-negative integer, found " +
                 describe(text, at));
  if (at - start > 1 && text[start] == '0')
    return error(std::string(where) + " has a leading zero");
  if (at < text.size() &&
      (text[at] == '.' || text[at] == 'e' || text[at] == 'E'))
    return error(std::string(where) + " must be an integer");
  out = value;
  return Status::ok();
}

Status JsonCursor::readString(std::string_view &out, std::string_view where) {
  if (Status status = expect('"', where); !status.isOk())
    return status;
  size_t start = at, end = at;
  while (at < text.size()) {
    unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == '"') {
      ++at;
      out = text.substr(start, end - start);
      // Escapes only yield whole characters, so that checking the result
      // checks the file's bytes.
      return isUtf8(out) ? Status::ok()
                         : error(std::string(where) + " is not UTF-8");
    }
    if (c == '\\') {
      ++at;
      if (Status status = readEscape(end, where); !status.isOk())
        return status;
      continue;
    }
    if (c < 0x20)
      return error(std::string(where) + " holds a control character");
    put(end, text[at++]);
  }
  return error(std::string(where) + " has no closing quote");
}

Status JsonCursor::readHex4(uint32_t &out, std::string_view where) {
  out = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    char c = at < text.size() ? text[at] : '\0';
    uint32_t digit;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<uint32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<uint32_t>(c - 'A' + 10);
    else
      return error(std::string(where) +
                   " has a \\u escape without four hexadecimal digits");
    out = out * 16 + digit;
  }
  return Status::ok();
}

/// Writes the code point (no surrogate, at most 0x10ffff) as UTF-8.
static size_t encodeUtf8(uint32_t code, char *out) {
  auto tail = [&](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    out[0] = static_cast<char>(0xc0 | (code >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    out[0] = static_cast<char>(0xe0 | (code >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | (code >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

/// Resolves the escape behind a backslash; its text ends at `end`, which is
/// before what is read.
Status JsonCursor::readEscape(size_t &end, std::string_view where) {
  static constexpr std::string_view letters = "\"\\/bfnrt";
  static constexpr std::string_view values = "\"\\/\b\f\n\r\t";
  char c = at < text.size() ? text[at] : '\0';
  if (size_t i = letters.find(c); c != '\0' && i != std::string_view::npos) {
    put(end, values[i]);
    ++at;
    return Status::ok();
  }
  if (c != 'u')
    return error(std::string(where) + " has an unknown escape");
  ++at;
  uint32_t code = 0;
  if (Status status = readHex4(code, where); !status.isOk())
    return status;
  if (code >= 0xd800 && code < 0xdc00 && text.substr(at, 2) == "\\u") {
    at += 2;
    uint32_t low = 0;
    if (Status status = readHex4(low, where); !status.isOk())
      return status;
    if (low < 0xdc00 || low > 0xdfff)
      return error(std::string(where) + " has a lone surrogate");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xd800 && code <= 0xdfff) {
    return error(std::string(where) + " has a lone surrogate");
  }
  if (code == 0)
    return error(std::string(where) + " holds a NUL character");
  end += encodeUtf8(code, writable + end);
  return Status::ok();
}

bool io::isTensorName(std::string_view text) {
  return !text.empty() && isUtf8(text) &&
         text.find('\0') == std::string_view::npos;
}

void io::appendJsonString(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += buffer;
    } else {
      out += c;
    }
  }
  out += '"';
}
