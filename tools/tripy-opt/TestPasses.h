//===- TestPasses.h - Passes that only tests run ----------------*- C++ -*-===//
#ifndef TRIPY_TOOLS_TRIPY_OPT_TESTPASSES_H
#define TRIPY_TOOLS_TRIPY_OPT_TESTPASSES_H

namespace tripy {

void registerTestPasses();

} // namespace tripy

#endif // TRIPY_TOOLS_TRIPY_OPT_TESTPASSES_H
