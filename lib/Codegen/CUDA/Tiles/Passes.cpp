//===- Passes.cpp - To tile functions, and from them to code --------------===//

#include "Codegen/CUDA/Lower/Lowering.h"
#include "Codegen/CUDA/Schedule/Schedules.h"
#include "GemmTiles.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/Barriers.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

namespace tripy {
#define GEN_PASS_DEF_BUILDTILESPASS
#define GEN_PASS_DEF_TILETONVVMPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

namespace {
struct BuildTilesPass : tripy::impl::BuildTilesPassBase<BuildTilesPass> {
  using BuildTilesPassBase::BuildTilesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (tiles != "off" && tiles != "auto" && tiles != "all") {
      emitError(module.getLoc(), "tiles must be off, auto or all; found '")
          << tiles << "'";
      return signalPassFailure();
    }
    if (tiles == "off")
      return;
    ScheduleRequests requests;
    if (tiles == "all")
      requests.tiles = ScheduleRequests::Tiles::All;
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    for (kernel::FuncOp kernel : kernels)
      if (!kernel.getConfig() && failed(build(kernel, requests)))
        return signalPassFailure();
  }

  LogicalResult build(kernel::FuncOp kernel, const ScheduleRequests &requests);
  LogicalResult buildAttention(kernel::FuncOp kernel,
                               kernel::AttentionScheduleAttr attribute);
  LogicalResult buildContraction(kernel::FuncOp kernel,
                                 kernel::WgmmaScheduleAttr attribute);
};
} // namespace

LogicalResult BuildTilesPass::build(kernel::FuncOp kernel,
                                    const ScheduleRequests &requests) {
  if (failed(verifyForm(kernel)) ||
      (!kernel.getSchedule() &&
       failed(chooseSchedule(kernel, CudaChip::of(chip), requests))))
    return failure();
  Attribute schedule = kernel.getScheduleAttr();
  using Attention = kernel::AttentionScheduleAttr;
  if (auto attention = dyn_cast_if_present<Attention>(schedule))
    return buildAttention(kernel, attention);
  auto wgmma = dyn_cast_if_present<kernel::WgmmaScheduleAttr>(schedule);
  return wgmma && tiles == "all" ? buildContraction(kernel, wgmma) : success();
}

LogicalResult
BuildTilesPass::buildAttention(kernel::FuncOp kernel,
                               kernel::AttentionScheduleAttr attribute) {
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  const CudaChip &target = CudaChip::of(chip);
  std::string why = "the kernel has an attention";
  std::optional<AttentionProblem> problem =
      emission.attention() ? AttentionProblem::find(emission, target, why)
                           : std::nullopt;
  if (!problem)
    return illegalSchedule(kernel, why);
  FailureOr<AttentionSchedule> schedule =
      readAttentionSchedule(kernel, attribute, *problem, target);
  if (failed(schedule))
    return failure();
  tiles::buildAttention(emission, *problem, *schedule, target);
  kernel.removeScheduleAttr();
  return success();
}

/// With `auto`, --kernel-emit-cuda emits contractions.
LogicalResult
BuildTilesPass::buildContraction(kernel::FuncOp kernel,
                                 kernel::WgmmaScheduleAttr attribute) {
  FailureOr<WgmmaSchedule> schedule =
      readWgmmaSchedule(kernel, attribute, CudaChip::of(chip));
  if (failed(schedule))
    return failure();
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  if (std::optional<std::string> why = whyNoGemmTiles(*schedule)) {
    auto options = remark::RemarkOpts::name("tile").category("gemm").function(
        kernel.getSymName());
    if (auto remark = remark::missed(placeOf(kernel.getLoc()), options))
      remark << remark::add("{0}", "no tile function: " + *why);
    return success();
  }
  buildGemm(emission, *schedule);
  kernel.removeScheduleAttr();
  return success();
}

namespace {
struct TileToNVVMPass : tripy::impl::TileToNVVMPassBase<TileToNVVMPass> {
  using TileToNVVMPassBase::TileToNVVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::FuncOp> functions(module.getOps<tile::FuncOp>());
    if (functions.empty())
      return;
    auto devices = module.getOps<gpu::GPUModuleOp>();
    if (devices.empty()) {
      functions.front().emitError(
          "code of tile functions follows that of other kernels: "
          "--kernel-emit-cuda comes first");
      return signalPassFailure();
    }
    gpu::GPUModuleOp device = *devices.begin();
    OpBuilder b(&getContext());
    for (tile::FuncOp function : functions) {
      b.setInsertionPointToEnd(device.getBody());
      if (failed(emit(function, device, b)))
        return signalPassFailure();
      function.erase();
    }
    useBarrierIntrinsics(device);
  }

  LogicalResult emit(tile::FuncOp function, gpu::GPUModuleOp device,
                     OpBuilder &b);
};
} // namespace

/// The attributes that --tile-place sets, and others.
static SmallVector<DictionaryAttr> placesIn(tile::FuncOp function) {
  SmallVector<DictionaryAttr> places = {function->getAttrDictionary()};
  for (Operation &op : function.getBody().front())
    if (isa<tile::RingOp, tile::OrderOp, tile::StagingOp>(op))
      places.push_back(op.getAttrDictionary());
  return places;
}

/// Operations that ask the kernel for elements have as many coordinates as it
/// takes.
static LogicalResult verifyPlaces(tile::FuncOp function,
                                  kernel::FuncOp kernel) {
  kernel::AttentionOp attention;
  kernel.walk([&](kernel::AttentionOp op) { attention = op; });
  bool asks = function
                  .walk([](Operation *op) {
                    return isa<tile::ScoreOp, tile::StoreOp>(op)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  })
                  .wasInterrupted();
  if (!asks)
    return success();
  if (!attention)
    return function.emitError("the kernel ")
           << kernel.getSymName() << " has no attention";
  auto verify = [&](Operation *op, size_t found, size_t wanted) {
    if (found == wanted)
      return WalkResult::advance();
    op->emitError("has a coordinate for each dimension of ")
        << attention.getQuery().getType() << " before the last"
        << (isa<tile::ScoreOp>(op) ? ", and the key" : "") << "; found "
        << found;
    return WalkResult::interrupt();
  };
  size_t rank = attention.getQuery().getType().getRank();
  return failure(function
                     .walk([&](Operation *op) {
                       if (auto score = dyn_cast<tile::ScoreOp>(op))
                         return verify(op, score.getAt().size(), rank);
                       if (auto store = dyn_cast<tile::StoreOp>(op))
                         return verify(op, store.getAt().size(), rank - 1);
                       return WalkResult::advance();
                     })
                     .wasInterrupted());
}

LogicalResult TileToNVVMPass::emit(tile::FuncOp function,
                                   gpu::GPUModuleOp device, OpBuilder &b) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<kernel::FuncOp>(
      function, function.getKernelAttr());
  if (!kernel)
    return function.emitError("there is no kernel ") << function.getKernel();
  if (!function.getShared())
    return function.emitError("has no place in shared memory yet: --tile-place "
                              "comes first");
  if (failed(verifyPlaces(function, kernel)))
    return failure();
  SmallVector<DictionaryAttr> places = placesIn(function);
  if (failed(place(function, CudaChip::of(chip))))
    return failure();
  if (places != placesIn(function))
    return function.emitError("rings, barriers and shared memory are not where "
                              "--tile-place puts them");
  FunctionType type = kernel.getFunctionType();
  unsigned sizes =
      llvm::count_if(type.getInputs(), [](Type t) { return t.isIndex(); });
  unsigned pointers = type.getNumInputs() - sizes + type.getNumResults();
  SmallVector<kernel::TensorMapAttr> maps;
  for (auto map : function.getBody().getOps<tile::MapOp>())
    maps.push_back(map.getMap());
  int64_t threads = tile::numGroups(function) * tile::groupThreads;
  FunctionWithMaps opened =
      openWithMaps(kernel, b, pointers, sizes, maps.size(), threads);
  KernelEmission emission(kernel, b, EmitterOptions());
  if (failed(emission.bind(opened.pointers, opened.sizes)))
    return failure();
  markAccuracy(kernel);
  AffineMap grid = function.getGrid();
  emission.setConfig({grid.getResult(0)}, {threads, 1, 1},
                     asSigned(*function.getShared()), {1, 1, 1}, maps);
  CUDAKernel state{emission, device, CudaChip::of(chip)};
  if (failed(TileLowering(state, function, opened.sizes, opened.maps)
                 .lower(opened.shared)))
    return failure();
  CUDAKernel::finish(opened.function);
  return success();
}
