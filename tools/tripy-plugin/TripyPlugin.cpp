//===- TripyPlugin.cpp - Tripy for a stock mlir-opt -----------------------===//
//
//   mlir-opt --load-dialect-plugin=TripyPlugin.so
//            --load-pass-plugin=TripyPlugin.so --tripy-cuda model.mlir
//
// Gives mlir-opt Tripy's dialects, passes and pipelines. Upstream's are there
// already and are not registered twice. The host must be of the same version
// of LLVM, whose C++ interfaces are not stable: another one is refused.
//
//===----------------------------------------------------------------------===//
#include "tripy/Pipelines/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/TargetSelect.h"

static constexpr const char *pluginVersion = "0.1.0";

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tripy", pluginVersion,
          [](mlir::DialectRegistry *registry) {
            tripy::registerTripyDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tripy", pluginVersion,
          [] { tripy::registerTripyPasses(); }};
}
