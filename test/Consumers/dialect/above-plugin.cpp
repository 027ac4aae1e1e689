// For tripy-opt --load-dialect-plugin and --load-pass-plugin.
#include "Above.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "above", "0.1",
          [](mlir::DialectRegistry *registry) {
            registry->insert<above::AboveDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "above", "0.1",
          [] { mlir::registerPass(above::createLowerPass); }};
}
