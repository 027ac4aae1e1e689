//===- Text.cpp - Small helpers for messages ------------------------------===//

#include "tripy/Base/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>
#include <vector>

using namespace tripy;

std::string tripy::formatBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"KiB", "MiB", "GiB",
                                          "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return concat(bytes, bytes == 1 ? " byte" : " bytes");
  double value = double(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024; ++unit)
    value /= 1024;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]);
  return text.data();
}

std::optional<uint64_t> tripy::parseBytes(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(end - text.data());
  constexpr std::string_view units[] = {"", "K", "M", "G"};
  size_t power = std::ranges::find(units, unit) - units;
  if (error != std::errc() || power == std::size(units) ||
      value > UINT64_MAX >> (10 * power))
    return std::nullopt;
  return value << (10 * power);
}

std::string tripy::formatSeconds(double seconds) {
  std::array<char, 48> text;
  if (seconds < 1e-3)
    std::snprintf(text.data(), text.size(), "%.2f us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text.data(), text.size(), "%.3f ms", seconds * 1e3);
  else
    std::snprintf(text.data(), text.size(), "%.3f s", seconds);
  return text.data();
}

std::string tripy::formatSizes(std::span<const int64_t> sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

/// Length of the well-formed UTF-8 sequence that `text` starts with; 0 when it
/// starts with none.
static size_t utf8Sequence(std::string_view text) {
  auto byte = [&](size_t i) { return uint8_t(text[i]); };
  uint8_t first = byte(0);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length)
    return 0;
  // The second byte's range excludes overlong forms, surrogates and what lies
  // beyond U+10FFFF.
  uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high)
    return 0;
  for (size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  return length;
}

bool tripy::isUtf8(std::string_view text) {
  while (!text.empty()) {
    size_t length = utf8Sequence(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The code point of a well-formed UTF-8 sequence.
static uint32_t codePoint(std::string_view sequence) {
  uint32_t code = uint8_t(sequence[0]);
  if (sequence.size() > 1)
    code &= 0x7fu >> sequence.size();
  for (char c : sequence.substr(1))
    code = code << 6 | (uint8_t(c) & 0x3f);
  return code;
}

/// True for the C0 and C1 control characters, for separators of lines and
/// paragraphs, and for marks that change the direction of the text after them:
/// with those a line can be made to look like another one.
static bool isControl(std::string_view sequence) {
  static constexpr struct {
    uint32_t first, last;
  } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
  uint32_t code = codePoint(sequence);
  return std::any_of(std::begin(ranges), std::end(ranges), [&](auto &range) {
    return range.first <= code && code <= range.last;
  });
}

bool tripy::isPrintable(std::string_view text) {
  while (!text.empty()) {
    size_t length = utf8Sequence(text);
    if (length == 0 || isControl(text.substr(0, length)))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

bool tripy::isName(std::string_view text) {
  return !text.empty() && text.size() <= maxNameBytes && isPrintable(text) &&
         text.find_first_of(" \"'`=@,") == text.npos;
}

std::string tripy::printable(std::string_view text, size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    size_t length = utf8Sequence(text);
    bool good = length && !isControl(text.substr(0, length));
    std::string_view part = good ? text.substr(0, length) : "?";
    if (out.size() + part.size() > limit)
      return out + "...";
    out += part;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string tripy::printableOutput(std::string_view text) {
  std::string out;
  for (;;) {
    size_t end = text.find('\n');
    out += printable(text.substr(0, end), text.size());
    if (end == std::string_view::npos)
      return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string tripy::printableLines(std::string_view text, size_t limit) {
  std::string out;
  while (true) {
    size_t end = text.find('\n');
    out += printable(text.substr(0, end), limit - std::min(limit, out.size()));
    if (end == text.npos || end + 1 == text.size() || out.size() >= limit)
      return out;
    out += "\n    ";
    text.remove_prefix(end + 1);
  }
}

size_t tripy::editDistance(std::string_view a, std::string_view b,
                           size_t limit) {
  limit = std::min(limit, std::max(a.size(), b.size()) + 1);
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit)
    return limit;
  // Rows of the usual table: two back, one back, current. What is further than
  // the limit from the diagonal stays at the limit.
  std::vector<size_t> before(b.size() + 1, limit), last(b.size() + 1, limit),
      row(b.size() + 1, limit);
  for (size_t j = 0; j <= std::min(b.size(), limit); ++j)
    last[j] = j;
  size_t lastLeast = 0;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t first = i > limit ? i - limit : 1;
    size_t end = std::min(b.size(), i + limit - 1);
    row[first - 1] = first == 1 ? std::min(i, limit) : limit;
    size_t least = row[first - 1];
    for (size_t j = first; j <= end; ++j) {
      size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace, limit});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (end < b.size())
      row[end + 1] = limit;
    // A row follows from the two before it.
    if (least >= limit && lastLeast >= limit)
      return limit;
    lastLeast = least;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit);
}

ClosestName::ClosestName(std::string_view name)
    : wanted(name.substr(0, 64)), bestDistance(wanted.size() / 3 + 2) {}

void ClosestName::consider(std::string_view candidate) {
  std::string_view start = candidate.substr(0, 64);
  // A "correction" that replaces everything is no help.
  size_t limit = std::min(bestDistance, std::max(wanted.size(), start.size()));
  size_t distance = editDistance(wanted, start, limit);
  if (distance < limit) {
    bestDistance = distance;
    bestName = candidate;
  }
}

std::string ClosestName::suggestion() const {
  return bestName.empty() ? std::string()
                          : concat("; did you mean '", bestName, "'?");
}
