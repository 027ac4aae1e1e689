//===- Passes.cpp - To tile functions, and from them to code --------------===//

#include "AttentionTiles.h"
#include "Codegen/CUDA/Contractions/Gemv.h"
#include "Codegen/CUDA/Lower/Lowering.h"
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
    wanted = parseAttentionTile(attentionTile);
    if (!attentionTile.empty() && !wanted) {
      emitError(module.getLoc(),
                "a tile of attention must be such as 128x128: 64, 128 or 192 "
                "queries by a multiple of 16 keys; found '")
          << attentionTile << "'";
      return signalPassFailure();
    }
    if (tiles == "off")
      return;
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    for (kernel::FuncOp kernel : kernels) {
      if (kernel.getRoot() == kernel::FusionRoot::Attention &&
          failed(build(kernel)))
        return signalPassFailure();
      if (kernel.getRoot() == kernel::FusionRoot::Gemm)
        buildContraction(kernel);
    }
  }

  LogicalResult build(kernel::FuncOp kernel);
  void buildContraction(kernel::FuncOp kernel);

  std::optional<AttentionSchedule> wanted;
};
} // namespace

/// Tiles of 64 queries and more are mostly empty below so many.
static constexpr int64_t leastQueries = 33;

LogicalResult BuildTilesPass::build(kernel::FuncOp kernel) {
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  if (!emission.attention())
    return success();
  const CudaChip &target = CudaChip::of(chip);
  auto options = remark::RemarkOpts::name("tile")
                     .category("attention")
                     .function(kernel.getSymName());
  auto miss = [&](const std::string &why) {
    if (auto remark = remark::missed(placeOf(kernel.getLoc()), options))
      remark << remark::add("{0}", "no tile function: " + why);
    return success();
  };
  std::string why;
  std::optional<AttentionProblem> problem =
      AttentionProblem::find(emission, target, why);
  if (!problem)
    return miss(why);
  auto query = cast<RankedTensorType>(problem->op.getQuery().getType());
  int64_t queries = query.getDimSize(query.getRank() - 2);
  if (tiles == "auto" && !ShapedType::isDynamic(queries) &&
      queries < leastQueries)
    return miss("there are few queries");
  AttentionSchedule schedule = wanted ? *wanted : problem->choose(target);
  if (std::optional<std::string> illegal = problem->whyNot(schedule, target)) {
    if (wanted)
      return kernel.emitError("the tile of attention ")
             << attentionTile << " is illegal: " << *illegal;
    return miss(*illegal);
  }
  problem->refine(schedule, target);
  buildAttention(emission, *problem, schedule, target);
  if (auto remark = remark::passed(placeOf(kernel.getLoc()), options))
    remark << remark::add("{0}",
                          "tile " + std::to_string(schedule.queries) + "x" +
                              std::to_string(schedule.keys) +
                              (wanted ? ": asked for" : ": by head size"));
  return success();
}

/// Contractions whose form is cut as --kernel-emit-cuda cuts it. With `auto`,
/// that emits them.
void BuildTilesPass::buildContraction(kernel::FuncOp kernel) {
  CudaChip target = CudaChip::of(chip);
  if (tiles != "all" || !target.hasWgmma() || scheduleGemv(kernel, target))
    return;
  std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel);
  if (!schedule)
    return;
  std::optional<WgmmaTile> asked = parseWgmmaTile(gemmTile);
  bool isAsked = asked && cutInto(*schedule, *asked);
  WgmmaTile tile = isAsked ? *asked : chooseTile(*schedule)->tile;
  if (!isAsked)
    cutInto(*schedule, tile);
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  auto options = remark::RemarkOpts::name("tile").category("gemm").function(
      kernel.getSymName());
  if (std::optional<std::string> why = whyNoGemmTiles(*schedule)) {
    if (auto remark = remark::missed(placeOf(kernel.getLoc()), options))
      remark << remark::add("{0}", "no tile function: " + *why);
    return;
  }
  buildGemm(emission, *schedule);
  if (auto remark = remark::passed(placeOf(kernel.getLoc()), options))
    remark << remark::add("{0}",
                          "tile " + tile.str() +
                              (isAsked ? ": asked for" : ": by the model"));
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
