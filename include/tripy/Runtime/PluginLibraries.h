//===- PluginLibraries.h - Shared libraries of plugins ----------*- C++ -*-===//
//
// A program for the CPU may call functions of libraries that it names. The
// runtime never looks for these: they are loaded by whoever runs the program.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_PLUGINLIBRARIES_H
#define TRIPY_RUNTIME_PLUGINLIBRARIES_H

#include "tripy/Base/Status.h"

#include <string>

namespace tripy::runtime {

/// Loads the shared library at `path`, a file and never a name to search for,
/// for programs that are loaded from then on in this process. They call it by
/// the last part of the path. It stays loaded; the same file again changes
/// nothing. Runs the library's initializers: load what you trust. Thread-safe.
///
/// Errors: InvalidArgument (another file of this name is loaded), NotFound, Io
/// (the dynamic linker's own words), HostOutOfMemory.
Status loadPluginLibrary(const std::string &path);

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_PLUGINLIBRARIES_H
