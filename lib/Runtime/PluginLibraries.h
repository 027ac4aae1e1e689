//===- PluginLibraries.h - Functions of plugin libraries --------*- C++ -*-===//
//
// Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_PLUGINLIBRARIES_H
#define TRIPY_LIB_RUNTIME_PLUGINLIBRARIES_H

#include "tripy/Base/Status.h"
#include "tripy/plugin.h"

#include <string>

namespace tripy::runtime {

/// tripy_plugin_function, but for the pointers to constants: those of a launch
/// are one list.
using PluginFunction = int32_t (*)(void *const *operands, void *const *results,
                                   const int64_t *sizes,
                                   const void *parameters);

/// A function of a library that loadPluginLibrary() loaded. Errors: Unsupported
/// (no such library was loaded), NotFound (it has no such function).
Result<PluginFunction> findPluginFunction(const std::string &library,
                                          const std::string &symbol);

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_PLUGINLIBRARIES_H
