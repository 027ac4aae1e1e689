//===- Progress.cpp - How far a compilation is ----------------------------===//

#include "Progress.h"

#include "tripy/Base/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace tripy;
using namespace tripy::compile;

/// Back to the start of the line, which becomes empty.
static constexpr std::string_view emptyLine = "\r\x1b[K";

Progress::Progress(bool enabled)
    : enabled(enabled), isTerminal(llvm::errs().is_displayed()) {}

void Progress::show(const std::string &text) {
  isShown = isTerminal;
  llvm::errs() << (isTerminal ? emptyLine : "") << text
               << (isTerminal ? "" : "\n");
  llvm::errs().flush();
}

void Progress::clear() {
  std::lock_guard lock(mutex);
  if (isShown)
    llvm::errs() << emptyLine;
  isShown = false;
  llvm::errs().flush();
}

void Progress::begin(std::string_view what) {
  std::lock_guard lock(mutex);
  if (enabled)
    show(std::string(what));
}

void Progress::count(std::string_view step, size_t done, size_t all) {
  constexpr size_t parts = 10;
  std::lock_guard lock(mutex);
  if (!enabled || all == 0)
    return;
  if (step != counted) {
    counted = step;
    tenths = 0;
  }
  size_t reached = done * parts / all;
  if (!isTerminal && reached == tenths)
    return;
  tenths = reached;
  show(
      concat(step, ": ", done, " of ", all, all == 1 ? " kernel" : " kernels"));
}
