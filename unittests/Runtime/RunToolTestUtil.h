//===- RunToolTestUtil.h - Calls of tripy-run as a function -----*- C++ -*-===//
//
// For the tests of tripy-run.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_RUNTOOLTESTUTIL_H
#define TRIPY_UNITTESTS_RUNTIME_RUNTOOLTESTUTIL_H

#include "RunTestUtil.h"
#include "RunTool.h"

namespace tripy::runtests {

inline run::ToolResult callTool(const std::vector<std::string> &arguments) {
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  return run::runTool(pointers);
}

} // namespace tripy::runtests

#endif // TRIPY_UNITTESTS_RUNTIME_RUNTOOLTESTUTIL_H
