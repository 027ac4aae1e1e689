//===- Text.h - Small helpers for messages ----------------------*- C++ -*-===//
//
// Concatenation, number formats, checks of text from files, and "did you
// mean". Base only; anyone may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_TEXT_H
#define TRIPY_BASE_TEXT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tripy {

namespace detail {
template <typename T> void appendText(std::string &out, const T &part) {
  if constexpr (std::is_same_v<T, char>)
    out += part;
  else if constexpr (std::is_integral_v<T>)
    out += std::to_string(part);
  else
    out += std::string_view(part);
}
} // namespace detail

/// The parts one after the other; integers in decimal.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string out;
  (detail::appendText(out, parts), ...);
  return out;
}

/// "1.5 MiB", "12 bytes".
std::string formatBytes(uint64_t bytes);
/// Reads a number of bytes, or of K, M or G of them: "512M". None for anything
/// else.
std::optional<uint64_t> parseBytes(std::string_view text);
/// "1.53 ms", "12.0 us", "3.21 s".
std::string formatSeconds(double seconds);
/// "(2, 3)", "(5,)", "()".
std::string formatSizes(std::span<const int64_t> sizes);

/// True for well-formed UTF-8 without overlong forms and surrogates.
bool isUtf8(std::string_view text);
/// True when `text` is UTF-8 without control characters and marks that change
/// the direction of text: safe to print.
bool isPrintable(std::string_view text);
/// Bytes of a name, a path or a symbol in a program at most.
inline constexpr uint32_t maxNameBytes = 1024;
/// Whether files and command lines can have `text` as the name of an input, an
/// output or a dimension: 1 to maxNameBytes bytes, printable, none of them a
/// space, a quote, '=', '@' or ','.
bool isName(std::string_view text);
/// `text` with everything that isPrintable() refuses replaced by '?' and cut
/// to `limit` bytes, for messages that show foreign input.
std::string printable(std::string_view text, size_t limit = 80);
/// The same for text of several lines: those after the first are indented by
/// four spaces, so that none looks like another message.
std::string printableLines(std::string_view text, size_t limit);

/// printable() of each line, uncut; line feeds stay.
std::string printableOutput(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn `a`
/// into `b`; `limit` when there are as many or more. Takes time in the order of
/// `limit` times the length.
size_t editDistance(std::string_view a, std::string_view b,
                    size_t limit = SIZE_MAX);

/// Picks the candidate that `name` is probably a misspelling of; empty when
/// none is close. Long names are compared by their first 64 bytes. The texts
/// outlive this object.
class ClosestName {
public:
  explicit ClosestName(std::string_view name);
  void consider(std::string_view candidate);
  std::string_view best() const { return bestName; }
  /// "; did you mean 'x'?" or nothing.
  std::string suggestion() const;

private:
  std::string_view wanted, bestName;
  size_t bestDistance;
};

} // namespace tripy

#endif // TRIPY_BASE_TEXT_H
