//===- Log.cpp - What the frontend reports --------------------------------===//

#include "Log.h"

#include "tripy/Base/Text.h"

#include <array>
#include <cstdio>
#include <cstdlib>

using namespace tripy;
using namespace tripy::frontend;

static constexpr std::array<std::string_view, 3> componentNames = {
    "compile", "eager", "run"};
static constexpr std::array<std::string_view, 4> levelNames = {"off", "warning",
                                                               "info", "debug"};

namespace {
using LogLevels = std::array<LogLevel, componentNames.size()>;
} // namespace

/// Which of `names` is `name`; their number if none.
template <size_t N>
static size_t find(const std::array<std::string_view, N> &names,
                   std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name)
      return i;
  return N;
}

/// One entry of TRIPY_LOG. Returns what is wrong with it, or "".
static std::string readEntry(std::string_view entry, LogLevels &levels) {
  size_t colon = entry.find(':');
  std::string_view name = entry.substr(0, colon);
  bool isOfAll = colon == std::string_view::npos;
  size_t component = isOfAll ? 0 : find(componentNames, name);
  if (component == componentNames.size())
    return concat("components are compile, eager and run; found '",
                  printable(name), "'");
  std::string_view text = isOfAll ? entry : entry.substr(colon + 1);
  size_t level = find(levelNames, text);
  if (level == levelNames.size())
    return concat("levels are off, warning, info and debug; found '",
                  printable(text), "'");
  for (size_t i = 0; i < levels.size(); ++i)
    if (isOfAll || i == component)
      levels[i] = LogLevel(level);
  return "";
}

static LogLevels readLevels() {
  LogLevels levels;
  levels.fill(LogLevel::Warning);
  const char *value = std::getenv("TRIPY_LOG");
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    size_t comma = std::min(rest.find(','), rest.size());
    std::string problem = readEntry(rest.substr(0, comma), levels);
    if (!problem.empty())
      std::fprintf(stderr, "tripy: TRIPY_LOG: %s\n", problem.c_str());
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return levels;
}

bool tripy::frontend::isLogged(LogComponent component, LogLevel level) {
  static const LogLevels levels = readLevels();
  return levels[size_t(component)] >= level;
}

void tripy::frontend::log(LogComponent component, LogLevel level,
                          std::string_view text) {
  if (!isLogged(component, level))
    return;
  // One call, so that lines of threads do not mix.
  std::string line = concat("tripy: ", componentNames[size_t(component)], ": ",
                            levelNames[size_t(level)], ": ", text, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string_view frontend::dumpFolder() {
  const char *folder = std::getenv("TRIPY_DUMP_IR");
  return folder ? folder : "";
}

std::string LogTimer::text() const {
  std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - start;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", taken.count());
  return text;
}
