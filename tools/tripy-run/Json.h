//===- Json.h - Results as JSON ---------------------------------*- C++ -*-===//
//
// Writes one JSON value, on one line. Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_JSON_H
#define TRIPY_TOOLS_TRIPYRUN_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tripy::run {

/// Calls follow each other as the parts of the text do: key() comes before each
/// value of an object.
class Json {
public:
  Json &beginObject() { return open('{'); }
  Json &endObject() { return close('}'); }
  Json &beginArray() { return open('['); }
  Json &endArray() { return close(']'); }
  Json &key(std::string_view name);
  /// What is not safe to print in `text` becomes '?'.
  Json &text(std::string_view text);
  /// With nine digits; null for what JSON has no number for.
  Json &number(double value);
  Json &number(uint64_t value);
  Json &boolean(bool value);
  /// The text, with a line feed.
  std::string take() { return std::move(out += '\n'); }

private:
  Json &open(char bracket);
  Json &close(char bracket);
  /// A comma, where something comes before.
  void separate();
  void appendQuoted(std::string_view text);

  std::string out;
  bool first = true;
};

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_JSON_H
