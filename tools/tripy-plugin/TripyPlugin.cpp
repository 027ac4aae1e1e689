//===- TripyPlugin.cpp - Tripy for a stock mlir-opt -----------------------===//
//
//   mlir-opt --load-dialect-plugin=TripyPlugin.so
//            --load-pass-plugin=TripyPlugin.so --tripy-cuda model.mlir
//
// Gives mlir-opt Tripy's dialects, passes and pipelines, which are in
// libTripy.so. Upstream's are there already and are not registered twice.
//
// The C++ interfaces of LLVM change with each version, and a process that loads
// two copies of LLVM aborts. So this library links nothing: it loads
// libTripy.so after it has found the MLIR that libTripy.so was linked to in the
// host.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {
/// The layout of mlir::DialectPluginLibraryInfo and
/// mlir::PassPluginLibraryInfo.
struct PluginInfo {
  uint32_t apiVersion;
  const char *name;
  const char *version;
  void (*registerCallback)();
};
} // namespace

/// Hosts go on after a plugin that could not be loaded, and fail later.
[[noreturn]] static void fail(const char *rule, const char *found) {
  std::fprintf(stderr, "TripyPlugin: error: %s%s\n", rule, found);
  std::exit(EXIT_FAILURE);
}

static PluginInfo infoFrom(const char *function) {
  if (!dlopen(TRIPY_MLIR_LIBRARY, RTLD_LAZY | RTLD_NOLOAD))
    fail("the host must be linked to " TRIPY_MLIR_LIBRARY
         ", as the mlir-opt of this version of LLVM is, but it is not",
         "");
  void *library = dlopen(TRIPY_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  void *symbol = library ? dlsym(library, function) : nullptr;
  if (!symbol)
    fail("cannot load " TRIPY_LIBRARY ": ", dlerror());
  return reinterpret_cast<PluginInfo (*)()>(symbol)();
}

extern "C" PluginInfo mlirGetDialectPluginInfo() {
  return infoFrom("tripyDialectPluginInfo");
}

extern "C" PluginInfo mlirGetPassPluginInfo() {
  return infoFrom("tripyPassPluginInfo");
}
