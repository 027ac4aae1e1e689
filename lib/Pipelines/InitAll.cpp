//===- InitAll.cpp - Everything a tool registers --------------------------===//

#include "tripy/Pipelines/InitAll.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Conversion/Passes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tile/Tile.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Pipelines/InlineCalls.h"
#include "tripy/Pipelines/LoadPlugins.h"
#include "tripy/Pipelines/Pipelines.h"
#include "tripy/Reference/Passes.h"
#include "tripy/Target/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

void tripy::registerTripyDialects(mlir::DialectRegistry &registry) {
  registry.insert<TripyDialect, trace::TraceDialect, flatir::FlatIRDialect,
                  kernel::KernelDialect, tile::TileDialect>();
}

void tripy::registerTripyAndUpstreamDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  registerTripyDialects(registry);
}

void tripy::registerTripyPasses() {
  registerTripyReferencePasses();
  registerTraceToFlatIRPass();
  registerLinalgToFlatIRPass();
  registerInlineCompositesPass();
  registerFlatIRToLinalgPass();
  registerUnpackI4Pass();
  registerFormDispatchesPass();
  registerOutlineDispatchesPass();
  registerRoundValuesPass();
  registerLibraryCandidatesPass();
  registerEmitCPUPass();
  registerBuildTilesPass();
  registerChooseSchedulesPass();
  registerFuseNormsPass();
  registerTilePlacePass();
  registerTileCheckProtocolPass();
  registerEmitCUDAPass();
  registerTileToNVVMPass();
  registerKernelPlanPass();
  registerExpandMathPass();
  registerKernelToGPUPass();
  registerMergeEqualKernelsPass();
  registerCodeToLLVMPass();
  registerDeviceCodeToBinaryPass();
  registerTripyPipelines();
  registerSimplifyPasses();
  registerInlineCallsPass();
  registerLoadPluginsPass();
}

void tripy::registerTripyAndUpstreamPasses() {
  mlir::registerAllPasses();
  registerTripyPasses();
}
