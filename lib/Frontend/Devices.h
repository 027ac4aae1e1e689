//===- Devices.h - The devices of the process -------------------*- C++ -*-===//
//
// Each device of the runtime is opened once. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_DEVICES_H
#define TRIPY_LIB_FRONTEND_DEVICES_H

#include "tripy/Frontend/SourceLoc.h"
#include "tripy/Frontend/Types.h"
#include "tripy/Runtime/Device.h"

#include <memory>

namespace tripy::frontend {

/// The device of the runtime. Throws Error at `loc`.
std::shared_ptr<runtime::Device> openDevice(const Device &device,
                                            SourceLoc loc);

/// Starts to open a GPU in a thread, since the driver takes 100 ms or more for
/// it, in which programs are compiled. Throws Error at `loc` where there is no
/// such GPU; of another failure openDevice() tells.
void startOpening(const Device &gpu, SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_DEVICES_H
