//===- tokenizer.cpp - GPT-2's byte-pair encoding -------------------------===//

#include "tokenizer.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

static std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw std::runtime_error("cannot read '" + path + "'");
  return text.str();
}

/// A character in UTF-8.
static std::string utf8(uint32_t code) {
  if (code < 0x80)
    return {char(code)};
  if (code < 0x800)
    return {char(0xc0 | code >> 6), char(0x80 | (code & 0x3f))};
  if (code < 0x10000)
    return {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 0x3f)),
            char(0x80 | (code & 0x3f))};
  return {char(0xf0 | code >> 18), char(0x80 | (code >> 12 & 0x3f)),
          char(0x80 | (code >> 6 & 0x3f)), char(0x80 | (code & 0x3f))};
}

//===-- encoder.json ------------------------------------------------------===//

namespace {
/// Reads {"text": number, ...}.
class VocabularyReader {
public:
  VocabularyReader(std::string_view text, const std::string &path)
      : text(text), path(path) {}

  std::map<std::string, int32_t> read() {
    std::map<std::string, int32_t> entries;
    expect('{');
    for (bool goes = !accept('}'); goes;) {
      std::string key = string();
      expect(':');
      entries[key] = number();
      goes = accept(',');
      if (!goes)
        expect('}');
    }
    return entries;
  }

private:
  [[noreturn]] void fail(const std::string &what) {
    throw std::runtime_error(path + ": expected " + what + " at byte " +
                             std::to_string(at));
  }
  char next() {
    if (at >= text.size())
      fail("more text");
    return text[at++];
  }
  bool accept(char wanted) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (at == text.size() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted))
      fail(std::string{'\'', wanted, '\''});
  }
  int32_t number() {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    int64_t value = 0;
    size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if ((value = value * 10 + (text[at] - '0')) >
          std::numeric_limits<int32_t>::max())
        fail("a number of 31 bits");
    if (at == begin)
      fail("a number");
    return int32_t(value);
  }
  uint32_t hexadecimal() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      std::string_view digits = "0123456789abcdef";
      size_t digit = digits.find(char(std::tolower(next())));
      if (digit == digits.npos)
        fail("a hexadecimal digit");
      code = code << 4 | digit;
    }
    return code;
  }
  std::string escaped() {
    static constexpr std::string_view names = "\"\\/bfnrt",
                                      values = "\"\\/\b\f\n\r\t";
    char name = next();
    if (size_t i = names.find(name); i != names.npos)
      return std::string(1, values[i]);
    if (name != 'u')
      fail("an escape");
    uint32_t code = hexadecimal();
    if (code >= 0xd800 && code < 0xdc00) { // the first half of a pair
      if (next() != '\\' || next() != 'u')
        fail("the second half of a character");
      code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal() - 0xdc00);
    }
    return utf8(code);
  }
  std::string string() {
    expect('"');
    std::string value;
    for (char c = next(); c != '"'; c = next())
      value += c == '\\' ? escaped() : std::string(1, c);
    return value;
  }

  std::string_view text;
  const std::string &path;
  size_t at = 0;
};
} // namespace

//===-- the tokenizer -----------------------------------------------------===//

BytePairTokenizer::BytePairTokenizer(const std::string &encoderPath,
                                     const std::string &mergesPath) {
  std::string encoder = readText(encoderPath);
  numbers = VocabularyReader(encoder, encoderPath).read();
  for (const auto &[text, number] : numbers)
    texts[number] = text;
  std::istringstream lines(readText(mergesPath));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string left, right;
    if (line.starts_with("#version") || !(words >> left >> right))
      continue;
    ranks.emplace(std::pair(left, right), int32_t(ranks.size()));
  }
  // Printable bytes are themselves; the others follow behind Latin-1.
  uint32_t behind = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    bool isPrintable = (byte >= '!' && byte <= '~') ||
                       (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    characterOfByte.push_back(utf8(isPrintable ? byte : behind++));
    byteOfCharacter[characterOfByte.back()] = char(byte);
  }
}

std::vector<std::string>
BytePairTokenizer::joinPairs(std::string_view word) const {
  std::vector<std::string> parts;
  for (char byte : word)
    parts.push_back(characterOfByte[uint8_t(byte)]);
  while (true) {
    auto first = ranks.end();
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      auto found = ranks.find({parts[i], parts[i + 1]});
      if (found != ranks.end() &&
          (first == ranks.end() || found->second < first->second))
        first = found;
    }
    if (first == ranks.end())
      return parts;
    std::vector<std::string> joined;
    for (size_t i = 0; i < parts.size(); ++i) {
      bool isPair = i + 1 < parts.size() && parts[i] == first->first.first &&
                    parts[i + 1] == first->first.second;
      joined.push_back(isPair ? parts[i] + parts[i + 1] : parts[i]);
      i += isPair;
    }
    parts = std::move(joined);
  }
}

std::vector<int32_t> BytePairTokenizer::encode(std::string_view text) const {
  std::vector<int32_t> tokens;
  for (std::string_view word : splitWords(text))
    for (const std::string &part : joinPairs(word)) {
      auto found = numbers.find(part);
      if (found == numbers.end())
        throw std::runtime_error("the vocabulary has no token '" + part + "'");
      tokens.push_back(found->second);
    }
  return tokens;
}

std::string
BytePairTokenizer::decode(const std::vector<int32_t> &tokens) const {
  std::string bytes;
  for (int32_t token : tokens) {
    auto entry = texts.find(token);
    if (entry == texts.end())
      throw std::runtime_error("the vocabulary has no token " +
                               std::to_string(token));
    const std::string &text = entry->second;
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      while (end < text.size() && (uint8_t(text[end]) & 0xc0) == 0x80)
        ++end;
      auto found = byteOfCharacter.find(text.substr(at, end - at));
      bytes += found == byteOfCharacter.end() ? text.substr(at, end - at)
                                              : std::string(1, found->second);
      at = end;
    }
  }
  return bytes;
}

int32_t BytePairTokenizer::endOfText() const {
  auto found = numbers.find("<|endoftext|>");
  return found == numbers.end() ? -1 : found->second;
}
