//===- Error.cpp - What the frontend throws -------------------------------===//
//
// The text of an error: the call's line, the sentence, then the lines of the
// inputs, as the compiler's diagnostics have them.
//
//===----------------------------------------------------------------------===//

#include "ModuleStack.h"
#include "Throw.h"

#include "tripy/Runtime/Report.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

using namespace tripy;
using namespace tripy::frontend;

std::ostream &tripy::operator<<(std::ostream &os, Code code) {
  return os << codeName(code);
}

/// How many characters of `line` the expression at `column` has: a name or
/// number, what is in brackets behind it, and, behind an operator, the same
/// again.
static size_t expressionLength(std::string_view line, size_t column) {
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == ':' || c == '.';
  };
  size_t at = column - 1;
  auto skipWord = [&] {
    while (at < line.size() && isWord(line[at]))
      ++at;
    int depth = 0;
    while (at < line.size() &&
           (depth > 0 ||
            std::string_view("([{").find(line[at]) != std::string_view::npos)) {
      depth += std::string_view("([{").find(line[at]) != std::string_view::npos;
      depth -= std::string_view(")]}").find(line[at]) != std::string_view::npos;
      ++at;
    }
  };
  skipWord();
  size_t next = at;
  while (next < line.size() && line[next] == ' ')
    ++next;
  if (next < line.size() && std::string_view("+-*/%<>=!&|^").find(line[next]) !=
                                std::string_view::npos) {
    while (next < line.size() && !isWord(line[next]) && line[next] != '(')
      ++next;
    at = next;
    skipWord();
  }
  return std::max<size_t>(at - (column - 1), 1);
}

static std::string formatFrame(const ErrorFrame &frame,
                               const std::string &indent) {
  const SourceLoc &loc = frame.loc;
  if (loc.line == 0)
    return frame.role.empty() ? "" : indent + frame.role + "\n";
  std::string text = indent;
  if (!frame.role.empty())
    text += frame.role + ": ";
  text += "--> " + std::string(loc.file) + ":" + std::to_string(loc.line);
  if (*loc.function)
    text += " in " + std::string(loc.function) + "()";
  text += "\n";
  std::optional<std::string> line = runtime::readSourceLine(loc.file, loc.line);
  if (!line)
    return text;
  std::string number = std::to_string(loc.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  text += indent + "      |\n" + indent + number + " | " + *line + "\n";
  text += indent + "      | ";
  if (loc.column > 0 && loc.column <= line->size())
    text += std::string(loc.column - 1, ' ') +
            std::string(expressionLength(*line, loc.column), '^');
  return text + "\n";
}

static std::string formatError(const std::string &summary,
                               const std::vector<ErrorFrame> &frames) {
  std::string text;
  if (!frames.empty())
    text += formatFrame(frames.front(), "");
  text += "error: " + summary;
  for (size_t i = 1; i < frames.size(); ++i) {
    std::string frame = formatFrame(frames[i], "    ");
    text += "\n" + frame.substr(0, frame.size() - 1);
  }
  return text;
}

Error::Error(Code code, const std::string &summary,
             std::vector<ErrorFrame> frames)
    : std::runtime_error(formatError(summary, frames)), failCode(code),
      sentence(summary.substr(0, summary.find('\n'))),
      places(std::move(frames)) {}

Error::Error(Whole, Code code, const std::string &text, SourceLoc loc)
    : std::runtime_error((loc.line ? formatFrame({loc, ""}, "") : "") + text),
      failCode(code), places({{loc, ""}}) {
  size_t begin = text.find("error: ");
  begin = begin == std::string::npos ? 0 : begin + 7;
  sentence = text.substr(begin, text.find('\n', begin) - begin);
}

Error Error::withText(Code code, const std::string &text, SourceLoc loc) {
  return Error(Whole(), code, text, loc);
}

//===-- colours -----------------------------------------------------------===//

static constexpr std::string_view yellow = "\x1b[33m", cyan = "\x1b[36m",
                                  red = "\x1b[31m", plain = "\x1b[0m";

static std::string inColor(std::string_view text, std::string_view color) {
  return std::string(color) + std::string(text) + std::string(plain);
}

/// "--> file:11 in main()": the file yellow, the rest cyan.
static std::string colorPlace(std::string_view line, size_t arrow) {
  size_t file = arrow + 4, end = line.find(" in ", file);
  end = line.rfind(':', end);
  return std::string(line.substr(0, file)) +
         inColor(line.substr(file, end - file), yellow) +
         inColor(line.substr(end), cyan);
}

static std::string colorLine(std::string_view line) {
  size_t first = line.find_first_not_of(' ');
  if (first == line.npos)
    return std::string(line);
  size_t arrow = line.find("--> ");
  if (arrow != line.npos && line.find(':', arrow) != line.npos)
    return colorPlace(line, arrow);
  if (line.substr(first).starts_with("error: "))
    return std::string(line.substr(0, first)) + inColor("error:", red) +
           std::string(line.substr(first + 6));
  size_t mark = line.find_first_not_of(' ', first + 1);
  if (line[first] == '|' && mark != line.npos &&
      line.find_first_not_of("^~", mark) == line.npos)
    return std::string(line.substr(0, mark)) + inColor(line.substr(mark), red);
  return std::string(line);
}

std::string tripy::frontend::colored(std::string_view text) {
  std::string result;
  for (;;) {
    size_t end = text.find('\n');
    result += colorLine(text.substr(0, end));
    if (end == text.npos)
      return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

/// Whether colours are wanted on `os`, and seen.
static bool isColorful(const std::ostream &os) {
  int file = os.rdbuf() == std::cout.rdbuf()   ? STDOUT_FILENO
             : os.rdbuf() == std::cerr.rdbuf() ? STDERR_FILENO
                                               : -1;
  const char *without = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return file >= 0 && isatty(file) && (!without || !*without) && terminal &&
         std::string_view(terminal) != "dumb";
}

std::ostream &tripy::operator<<(std::ostream &os, const Error &error) {
  return isColorful(os) ? os << colored(error.what()) : os << error.what();
}

//===-- throwing ----------------------------------------------------------===//

void tripy::frontend::fail(Code code, const std::string &summary, SourceLoc loc,
                           std::vector<ErrorFrame> inputs) {
  ErrorFrame first{loc, ""};
  if (auto calls = currentModuleCalls()) {
    first.loc.function = calls->functionText(loc.function);
    for (const Place &caller : calls->callers)
      inputs.push_back(
          {{caller.file, caller.function, caller.line, caller.column},
           "called from"});
  }
  inputs.insert(inputs.begin(), first);
  throw Error(code, summary, std::move(inputs));
}

/// The runtime names options of the tools; programs have a variable instead.
static std::string forPrograms(std::string text) {
  static constexpr std::string_view variable =
      "set the environment variable TRIPY_DEVICE=cpu";
  for (std::string_view option :
       {"compile with --target=cpu and run with --device=cpu",
        "run on the CPU with --device=cpu"})
    if (size_t at = text.find(option); at != text.npos)
      text.replace(at, option.size(), variable);
  return text;
}

void tripy::frontend::check(const Status &status, SourceLoc loc) {
  if (!status.isOk())
    fail(status.code(), forPrograms(status.message()), loc);
}
