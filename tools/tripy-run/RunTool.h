//===- RunTool.h - What tripy-run does --------------------------*- C++ -*-===//
//
// The tool as a function, so that tests call it without a process.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_RUNTOOL_H
#define TRIPY_TOOLS_TRIPYRUN_RUNTOOL_H

#include <span>
#include <string>

namespace tripy::run {

struct ToolResult {
  /// 0: success; 1: an output differs from its reference; 2: an error.
  int status = 0;
  std::string out, err;
  /// Memory ended, and there is none for `err`: whoever prints says so.
  bool outOfMemory = false;
};

/// Runs the tool with the arguments after the program's name.
ToolResult runTool(std::span<const char *const> arguments);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_RUNTOOL_H
