//===- words.cpp - Cuts a text into words ---------------------------------===//

#include "tokenizer.h"

#include <algorithm>
#include <iterator>

namespace {
struct CodeRange {
  uint32_t first, last;
};
/// A character of a text. Bytes that are no UTF-8 are characters of their own.
struct TextCharacter {
  uint32_t code;
  size_t offset;
};
} // namespace

static constexpr CodeRange letterRanges[] = {
#define LETTERS(first, last) {first, last},
#include "unicode.inc"
#undef LETTERS
};
static constexpr CodeRange digitRanges[] = {
#define DIGITS(first, last) {first, last},
#include "unicode.inc"
#undef DIGITS
};

template <size_t N>
static bool isIn(const CodeRange (&ranges)[N], uint32_t code) {
  auto range = std::lower_bound(
      std::begin(ranges), std::end(ranges), code,
      [](const CodeRange &range, uint32_t code) { return range.last < code; });
  return range != std::end(ranges) && range->first <= code;
}
static bool isLetter(uint32_t code) { return isIn(letterRanges, code); }
static bool isDigit(uint32_t code) { return isIn(digitRanges, code); }
static bool isSpace(uint32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
         code == 0x3000;
}
static bool isOther(uint32_t code) {
  return !isSpace(code) && !isLetter(code) && !isDigit(code);
}

/// The number of bytes of the character that begins with `first`; 1 where it is
/// none.
static size_t lengthOf(std::string_view text) {
  uint8_t first = text.front();
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (text.size() < length)
    return 1;
  for (size_t i = 1; i < length; ++i)
    if ((uint8_t(text[i]) & 0xc0) != 0x80)
      return 1;
  return length;
}

static std::vector<TextCharacter> charactersOf(std::string_view text) {
  std::vector<TextCharacter> characters;
  for (size_t at = 0; at < text.size();) {
    size_t length = lengthOf(text.substr(at));
    uint8_t first = text[at];
    uint32_t code = length == 1 ? first : first & (0x7f >> length);
    // A byte alone that is not ASCII is neither letter, digit nor space.
    if (length == 1 && first >= 0x80)
      code = 0xfffd;
    for (size_t i = 1; i < length; ++i)
      code = code << 6 | (uint8_t(text[at + i]) & 0x3f);
    characters.push_back({code, at});
    at += length;
  }
  characters.push_back({0, text.size()});
  return characters;
}

/// Where the word that begins at `begin` ends.
static size_t endOfWord(const std::vector<TextCharacter> &text, size_t begin,
                        std::string_view rest) {
  size_t size = text.size() - 1;
  for (std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (rest.starts_with(ending))
      return begin + ending.size();
  // One blank belongs to the word behind it.
  size_t start = begin + (text[begin].code == ' ' && begin + 1 < size);
  for (auto *isKind : {isLetter, isDigit, isOther})
    if (isKind(text[start].code)) {
      size_t end = start;
      while (end < size && isKind(text[end].code))
        ++end;
      return end;
    }
  size_t end = begin;
  while (end < size && isSpace(text[end].code))
    ++end;
  // The last space stays for the word behind it.
  return end == size || end == begin + 1 ? end : end - 1;
}

std::vector<std::string_view> splitWords(std::string_view text) {
  std::vector<TextCharacter> characters = charactersOf(text);
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin + 1 < characters.size();) {
    size_t offset = characters[begin].offset;
    size_t end = endOfWord(characters, begin, text.substr(offset));
    words.push_back(text.substr(offset, characters[end].offset - offset));
    begin = end;
  }
  return words;
}
