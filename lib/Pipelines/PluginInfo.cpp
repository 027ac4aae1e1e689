//===- PluginInfo.cpp - What TripyPlugin.so tells its host ----------------===//
//
// TripyPlugin.so passes on what these two functions of libTripy.so return, once
// it knows that the host has the same MLIR.
//
//===----------------------------------------------------------------------===//
#include "tripy/Pipelines/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *pluginVersion = "0.1.0";

extern "C" mlir::DialectPluginLibraryInfo tripyDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tripy", pluginVersion,
          [](mlir::DialectRegistry *registry) {
            tripy::registerTripyDialects(*registry);
          }};
}

extern "C" mlir::PassPluginLibraryInfo tripyPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tripy", pluginVersion,
          [] { tripy::registerTripyPasses(); }};
}
