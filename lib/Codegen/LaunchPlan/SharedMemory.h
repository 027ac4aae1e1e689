//===- SharedMemory.h - Dynamic shared memory of plugins --------*- C++ -*-===//
//
// Internal to the plan.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_PLAN_SHAREDMEMORY_H
#define TRIPY_LIB_CODEGEN_PLAN_SHAREDMEMORY_H

#include "tripy/Dialect/Kernel/Kernel.h"

namespace tripy::codegen {

/// Reserves the dynamic shared memory of a plugin's kernel for its largest
/// sizes, in all launches. `largest` gives the largest value of an index
/// argument.
void reserveShared(kernel::FuncOp kernel,
                   llvm::function_ref<int64_t(int64_t argument)> largest);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_PLAN_SHAREDMEMORY_H
