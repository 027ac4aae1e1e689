//===- Json.cpp - Results as JSON -----------------------------------------===//

#include "Json.h"
#include "tripy/Base/Text.h"

#include <cmath>
#include <cstdio>

using namespace tripy;
using namespace tripy::run;

void Json::separate() {
  if (!first)
    out += ", ";
  first = false;
}

void Json::appendQuoted(std::string_view text) {
  out += '"';
  // What is left has no control characters, which JSON would want escaped.
  for (char c : printable(text, SIZE_MAX)) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '"';
}

Json &Json::open(char bracket) {
  separate();
  out += bracket;
  first = true;
  return *this;
}

Json &Json::close(char bracket) {
  out += bracket;
  first = false;
  return *this;
}

Json &Json::key(std::string_view name) {
  separate();
  appendQuoted(name);
  out += ": ";
  first = true;
  return *this;
}

Json &Json::text(std::string_view text) {
  separate();
  appendQuoted(text);
  return *this;
}

Json &Json::number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  separate();
  out += std::isfinite(value) ? text : "null";
  return *this;
}

Json &Json::number(uint64_t value) {
  separate();
  out += std::to_string(value);
  return *this;
}

Json &Json::boolean(bool value) {
  separate();
  out += value ? "true" : "false";
  return *this;
}
