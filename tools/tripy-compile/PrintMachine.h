//===- PrintMachine.h - --print-machine -------------------------*- C++ -*-===//
//
// Private to tripy-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_PRINTMACHINE_H
#define TRIPY_TOOLS_TRIPYCOMPILE_PRINTMACHINE_H

#include "tripy/Base/Status.h"

#include <string>
#include <string_view>

namespace tripy::compile {

/// The constants of Machines.td about this GPU. Errors: InvalidArgument.
Result<std::string> describeMachine(std::string_view name);

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_PRINTMACHINE_H
