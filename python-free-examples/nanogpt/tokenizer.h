//===- tokenizer.h - GPT-2's byte-pair encoding -----------------*- C++ -*-===//
//
// A text becomes numbers in two steps: it is cut into words, and the bytes of a
// word are joined pair by pair, in the order of the list of merges. Files are
// the published ones, encoder.json and vocab.bpe (vocab.json and merges.txt).
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_EXAMPLES_NANOGPT_TOKENIZER_H
#define TRIPY_EXAMPLES_NANOGPT_TOKENIZER_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class BytePairTokenizer {
public:
  /// Throws std::runtime_error for a file that cannot be read, or is none.
  BytePairTokenizer(const std::string &encoderPath,
                    const std::string &mergesPath);

  /// Throws std::runtime_error for a byte that the vocabulary lacks.
  std::vector<int32_t> encode(std::string_view text) const;
  /// Throws std::runtime_error for a number that is no token.
  std::string decode(const std::vector<int32_t> &tokens) const;
  size_t size() const { return texts.size(); }
  /// The token of the end of a text; -1 where there is none.
  int32_t endOfText() const;

private:
  std::vector<std::string> joinPairs(std::string_view word) const;

  std::map<std::string, int32_t> numbers;
  std::map<int32_t, std::string> texts;
  /// How early two parts are joined; smaller is earlier.
  std::map<std::pair<std::string, std::string>, int32_t> ranks;
  /// The vocabulary writes a byte as a printable character, in UTF-8.
  std::vector<std::string> characterOfByte;
  std::map<std::string, char> byteOfCharacter;
};

/// The words of a text: "I'm 12!" is "I", "'m", " 12", "!". This is the regular
/// expression of GPT-2:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> splitWords(std::string_view text);

#endif // TRIPY_EXAMPLES_NANOGPT_TOKENIZER_H
