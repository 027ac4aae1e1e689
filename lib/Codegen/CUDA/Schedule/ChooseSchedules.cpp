//===- ChooseSchedules.cpp - How each kernel is cut -----------------------===//
//
// contraction, attention -> the same with `schedule`: what is asked for, else
// what was measured to be the fastest, else what a model of costs expects to
// be.
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "Versions.h"

#include "Codegen/CUDA/Contractions/Mma.h"
#include "Codegen/CUDA/Contractions/SimtGemm.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tripy {
#define GEN_PASS_DEF_CHOOSESCHEDULESPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using kernel::Origin;

namespace {
/// Chooses the schedule of one kernel.
class Chooser {
public:
  Chooser(kernel::FuncOp kernel, const CudaChip &chip,
          const ScheduleRequests &requests)
      : kernel(kernel), chip(chip), requests(requests), b(kernel),
        emission(kernel, b, EmitterOptions()) {}

  LogicalResult choose();

  /// Where what would be reported goes instead, if anywhere.
  std::string *reported = nullptr;

private:
  LogicalResult chooseContraction();
  LogicalResult chooseWgmma(WgmmaSchedule schedule, bool &isChosen);
  LogicalResult chooseMma(const mma::Problem &problem, bool &isChosen);
  LogicalResult chooseSimt(const Contractions &contractions);
  bool isForCudaCores(const mma::Problem &problem,
                      const Contractions &contractions);
  LogicalResult chooseAttention();
  LogicalResult chooseAttentionTile(bool &isChosen);
  std::optional<double> maxSplitCycles();
  LogicalResult verify(Attribute schedule);

  void set(Attribute schedule) { kernel.setScheduleAttr(schedule); }
  void report(StringRef category, const Twine &text);
  LogicalResult miss(const std::string &why);

  kernel::FuncOp kernel;
  const CudaChip &chip;
  const ScheduleRequests &requests;
  OpBuilder b;
  /// Not bound: no code is emitted.
  KernelEmission emission;
};
} // namespace

static remark::RemarkOpts tileRemark(kernel::FuncOp kernel,
                                     StringRef category) {
  return remark::RemarkOpts::name("tile").category(category).function(
      kernel.getSymName());
}

void Chooser::report(StringRef category, const Twine &text) {
  if (reported) {
    *reported = text.str();
    return;
  }
  if (auto remark = remark::passed(placeOf(kernel.getLoc()),
                                   tileRemark(kernel, category)))
    remark << remark::add("{0}", text.str());
}

/// Says why there is no tile function.
LogicalResult Chooser::miss(const std::string &why) {
  if (auto remark = remark::missed(placeOf(kernel.getLoc()),
                                   tileRemark(kernel, "attention")))
    remark << remark::add("{0}", "no tile function: " + why);
  return success();
}

InFlightDiagnostic codegen::illegalSchedule(kernel::FuncOp kernel,
                                            StringRef rule) {
  return kernel.emitError("the schedule is illegal: ")
         << rule << "; found " << *kernel.getSchedule();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

WgmmaTile codegen::tileOf(kernel::WgmmaScheduleAttr schedule) {
  return {schedule.getTile()[0],
          schedule.getTile()[1],
          schedule.getConsumers() == kernel::Consumers::PingPong,
          schedule.getClusterM(),
          schedule.getClusterN(),
          schedule.getSplitK(),
          schedule.getStreamK(),
          schedule.getSwapAB(),
          schedule.getOverlap()};
}

kernel::WgmmaScheduleAttr codegen::attributeOf(const WgmmaSchedule &schedule,
                                               MLIRContext *context,
                                               Origin from) {
  return kernel::WgmmaScheduleAttr::get(
      context, {schedule.tileM, schedule.tileN}, schedule.stages,
      schedule.pingPong ? kernel::Consumers::PingPong
                        : kernel::Consumers::Cooperative,
      schedule.clusterM, schedule.clusterN, schedule.split, schedule.streamK,
      schedule.swapAB, schedule.overlap, from);
}

StringRef codegen::cutInto(WgmmaSchedule &schedule,
                           kernel::WgmmaScheduleAttr attribute) {
  WgmmaTile tile = tileOf(attribute);
  if (StringRef rule = brokenRule(schedule, tile); !rule.empty())
    return rule;
  cutInto(schedule, tile);
  return setStages(schedule, attribute.getStages());
}

FailureOr<WgmmaSchedule>
codegen::readWgmmaSchedule(kernel::FuncOp kernel,
                           kernel::WgmmaScheduleAttr attribute,
                           const CudaChip &chip) {
  if (!chip.hasWgmma())
    return illegalSchedule(kernel, "the GPU has wgmma");
  std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel);
  if (!schedule)
    return illegalSchedule(kernel, "wgmma multiplies tensors in memory, or "
                                   "parts of such, whose rows are multiples "
                                   "of 16 bytes");
  if (StringRef rule = cutInto(*schedule, attribute); !rule.empty())
    return illegalSchedule(kernel, rule);
  return std::move(*schedule);
}

LogicalResult Chooser::chooseWgmma(WgmmaSchedule schedule, bool &isChosen) {
  auto take = [&](const WgmmaTile &tile, Origin from, const Twine &why) {
    isChosen = true;
    cutInto(schedule, tile);
    set(attributeOf(schedule, b.getContext(), from));
    report("gemm", "tile " + tile.str() + ": " + why);
    return success();
  };
  if (requests.gemmTile) {
    StringRef rule = brokenRule(schedule, *requests.gemmTile);
    if (rule.empty()) {
      requests.tileUse->isUsed = true;
      return take(*requests.gemmTile, Origin::User, "asked for");
    }
    requests.tileUse->refused.emplace_back(kernel.getLoc(), rule);
  }
  std::optional<std::string> contraction = describeContraction(schedule);
  const TuningRecord *record =
      contraction ? findTuning(requests.tuning, chip.name,
                               requests.tuningDevice, *contraction)
                  : nullptr;
  if (record) {
    WgmmaTile measured = *parseWgmmaTile(record->tile);
    StringRef rule = brokenRule(schedule, measured);
    if (!rule.empty())
      return kernel.emitError("the tile of the tuning file for '")
             << *contraction << "', " << record->tile
             << ", is illegal: " << rule;
    return take(measured, Origin::Tuning,
                llvm::formatv("measured on {0}, {1:F1} us", record->device,
                              record->microseconds)
                    .str());
  }
  if (std::optional<WgmmaCandidate> chosen = chooseTile(schedule))
    return take(chosen->tile, Origin::Model,
                llvm::formatv("by the model, {0:F0} cycles for {1}",
                              chosen->cycles,
                              contraction.value_or("dynamic sizes"))
                    .str());
  return success();
}

LogicalResult Chooser::chooseMma(const mma::Problem &problem, bool &isChosen) {
  TileSize asked;
  if (requests.gemmTile)
    asked = {requests.gemmTile->m, requests.gemmTile->n};
  std::optional<mma::Schedule> schedule = mma::chooseSchedule(problem, asked);
  if (!schedule)
    return success();
  const mma::Tile &tile = schedule->tile;
  WgmmaTile plain{tile.m(), tile.n()};
  bool isAsked = requests.gemmTile && requests.gemmTile->str() == plain.str();
  if (isAsked)
    requests.tileUse->isUsed = true;
  if (requests.gemmTile && !isAsked)
    requests.tileUse->refused.emplace_back(
        kernel.getLoc(),
        "this contraction runs with mma.sync, whose tiles for it have "
        "other sizes, and no options");
  isChosen = true;
  set(kernel::MmaScheduleAttr::get(b.getContext(), {tile.m(), tile.n()},
                                   schedule->stages, schedule->rowBytes,
                                   schedule->tail.parts, schedule->resident,
                                   isAsked ? Origin::User : Origin::Model));
  report("gemm",
         llvm::formatv("tile {0} with mma.sync, {1} stages: {2}", plain.str(),
                       schedule->stages, isAsked ? "asked for" : "by the model")
             .str());
  return success();
}

/// Whether what mma.sync could multiply is for CUDA cores. Of f32 both are as
/// good, and the faster one is taken. Of 16-bit copies that pass through
/// registers, each k-block of mma.sync waits for memory, and few tiles do so
/// one k-block after the other. Blocks on CUDA cores can share K: 139x37x3072
/// took 52 us, and takes 18 (H100).
bool Chooser::isForCudaCores(const mma::Problem &problem,
                             const Contractions &contractions) {
  bool isF32 = problem.hasF32();
  if (isF32 && !requests.f32TensorCores)
    return true;
  bool waits = problem.shortKBlocks &&
               llvm::all_of(problem.extents, [](const mma::Extent &of) {
                 return of.bytes == 2;
               });
  if (requests.gemmTile || !(isF32 || waits))
    return false;
  double tensorCores = 0, cudaCores = 0, margin = isF32 ? 1 : 2;
  return mma::chooseSchedule(problem, {}, &tensorCores) &&
         simt::chooseSchedule(
             simt::Demand::of(contractions.groups, contractions.loops, chip),
             &cudaCores) &&
         margin * cudaCores < tensorCores;
}

LogicalResult Chooser::chooseSimt(const Contractions &contractions) {
  simt::Demand demand =
      simt::Demand::of(contractions.groups, contractions.loops, chip);
  std::optional<simt::Schedule> schedule = simt::chooseSchedule(demand);
  if (!schedule)
    return kernel.emitOpError("results must depend on few contractions: their "
                              "k-blocks must fit in shared memory; found ")
           << demand.paired;
  set(kernel::SimtScheduleAttr::get(
      b.getContext(), {schedule->tile.m(), schedule->tile.n()},
      schedule->tile.threads(), schedule->stages, schedule->depth,
      schedule->split, schedule->tail.parts, schedule->resident,
      Origin::Model));
  return success();
}

LogicalResult Chooser::chooseContraction() {
  if (std::optional<GemvSchedule> gemv = scheduleGemv(kernel, chip)) {
    set(kernel::GemvScheduleAttr::get(
        b.getContext(), gemv->width, gemv->groups, gemv->parts,
        gemv->columnsEach, gemv->depth, gemv->vectorSize, gemv->blocks,
        gemv->residentBlocks, Origin::Model));
    return success();
  }
  bool isChosen = false;
  if (chip.hasWgmma())
    if (std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel))
      if (failed(chooseWgmma(std::move(*schedule), isChosen)) || isChosen)
        return success(isChosen);
  FailureOr<Contractions> contractions = Contractions::of(emission);
  if (failed(contractions))
    return failure();
  if (auto problem =
          mma::Problem::find(contractions->groups, contractions->loops, chip);
      problem && !isForCudaCores(*problem, *contractions))
    if (failed(chooseMma(*problem, isChosen)) || isChosen)
      return success(isChosen);
  return chooseSimt(*contractions);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

FailureOr<tiles::AttentionSchedule> codegen::readAttentionSchedule(
    kernel::FuncOp kernel, kernel::AttentionScheduleAttr attribute,
    const tiles::AttentionProblem &problem, const CudaChip &chip) {
  tiles::AttentionSchedule schedule{
      attribute.getTile()[0],     attribute.getTile()[1],
      attribute.getQueryStages(), attribute.getStages(),
      attribute.getProducer(),    attribute.getConsumer()};
  if (std::optional<std::string> rule = problem.whyNot(schedule, chip))
    return illegalSchedule(kernel, *rule);
  return schedule;
}

FailureOr<AttentionSplit>
codegen::readAttentionSplit(kernel::FuncOp kernel,
                            kernel::SplitAttentionScheduleAttr attribute,
                            const CudaChip &chip) {
  AttentionSplitWish wish{attribute.getSplits(), attribute.getKeys(),
                          attribute.getWarps(), attribute.getStages()};
  FailureOr<std::optional<AttentionSplit>> split =
      planSplitAttention(kernel, chip, wish);
  if (failed(split))
    return failure();
  if (!*split)
    return illegalSchedule(kernel, "attention of f16 or bf16 with at most 128 "
                                   "rows of queries for each head of keys "
                                   "divides its keys, on GPUs with mma.sync");
  return **split;
}

LogicalResult Chooser::chooseAttentionTile(bool &isChosen) {
  std::string why;
  auto problem = tiles::AttentionProblem::find(emission, chip, why);
  if (!problem)
    return miss(why);
  auto query = cast<RankedTensorType>(problem->op.getQuery().getType());
  int64_t queries = query.getDimSize(query.getRank() - 2);
  if (requests.tiles == ScheduleRequests::Tiles::Auto &&
      !ShapedType::isDynamic(queries) && queries < minTileQueries)
    return miss("there are few queries");
  const auto &asked = requests.attentionTile;
  tiles::AttentionSchedule schedule = asked ? *asked : problem->choose(chip);
  std::string size =
      std::to_string(schedule.queries) + "x" + std::to_string(schedule.keys);
  if (std::optional<std::string> illegal = problem->whyNot(schedule, chip)) {
    if (asked)
      return kernel.emitError("the tile of attention ")
             << size << " is illegal: " << *illegal;
    return miss(*illegal);
  }
  problem->refine(schedule, chip);
  isChosen = true;
  set(kernel::AttentionScheduleAttr::get(
      b.getContext(), {schedule.queries, schedule.keys}, schedule.stages,
      schedule.queryStages, schedule.producerRegisters,
      schedule.consumerRegisters, asked ? Origin::User : Origin::Model));
  report("attention",
         "tile " + size + (asked ? ": asked for" : ": by the model"));
  return success();
}

/// Of the time of blocks that go through all keys, what blocks that divide them
/// may take at most, by models that are guesses: of tiles, whose launch the
/// model expects to take too long, and of mma.sync
/// (bench/results/notes-gemm.md, 54).
static constexpr double tileSplitGain = 0.4, mmaSplitGain = 0.8;

/// Cycles that blocks which divide the keys may take at most to be chosen;
/// nothing where sizes are not known.
std::optional<double> Chooser::maxSplitCycles() {
  std::string why;
  auto problem = tiles::AttentionProblem::find(emission, chip, why);
  auto query =
      cast<RankedTensorType>(emission.attention().getQuery().getType());
  if (chip.hasWgmma() && requests.tiles != ScheduleRequests::Tiles::Off &&
      problem && query.getDimSize(query.getRank() - 2) >= minTileQueries) {
    tiles::AttentionSchedule schedule = problem->choose(chip);
    std::optional<double> cycles = problem->expectedCycles(schedule, chip);
    if (!problem->whyNot(schedule, chip))
      return cycles ? std::optional(tileSplitGain *
                                    (*cycles - chip.attentionLaunchCycles))
                    : std::nullopt;
  }
  std::optional<double> cycles = cyclesOfMmaAttention(kernel, chip);
  return cycles ? std::optional(mmaSplitGain * *cycles) : std::nullopt;
}

LogicalResult Chooser::chooseAttention() {
  if (!emission.attention())
    return success();
  FailureOr<std::optional<AttentionSplit>> split = planSplitAttention(
      kernel, chip, requests.attentionSplit.value_or(AttentionSplitWish()));
  if (failed(split))
    return failure();
  bool isSplit = split->has_value();
  bool wantsTiles =
      requests.attentionTile || requests.tiles == ScheduleRequests::Tiles::All;
  if (isSplit && (*split)->allRows > oneTileRows &&
      (wantsTiles || !requests.attentionSplit)) {
    std::optional<double> most = maxSplitCycles();
    isSplit =
        most && !wantsTiles && (*split)->cycles > 0 && (*split)->cycles < *most;
  }
  bool isChosen = false, isWide = isSplit && (*split)->allRows > oneTileRows;
  if (chip.hasWgmma() && requests.tiles != ScheduleRequests::Tiles::Off &&
      !isWide)
    if (failed(chooseAttentionTile(isChosen)) || isChosen)
      return success(isChosen);
  if (isSplit)
    set(kernel::SplitAttentionScheduleAttr::get(
        b.getContext(), (*split)->splits, (*split)->keys, (*split)->warps,
        (*split)->stages,
        requests.attentionSplit ? Origin::User : Origin::Model));
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether a schedule that is there is legal; an error where it is not.
LogicalResult Chooser::verify(Attribute schedule) {
  StringRef rule;
  if (auto wgmma = dyn_cast<kernel::WgmmaScheduleAttr>(schedule))
    return readWgmmaSchedule(kernel, wgmma, chip);
  if (auto gemv = dyn_cast<kernel::GemvScheduleAttr>(schedule))
    return readGemvSchedule(kernel, gemv, chip, rule)
               ? success()
               : LogicalResult(illegalSchedule(kernel, rule));
  if (auto split = dyn_cast<kernel::SplitAttentionScheduleAttr>(schedule))
    return readAttentionSplit(kernel, split, chip);
  if (auto attention = dyn_cast<kernel::AttentionScheduleAttr>(schedule)) {
    std::string why = "the kernel has an attention";
    auto problem = emission.attention()
                       ? tiles::AttentionProblem::find(emission, chip, why)
                       : std::nullopt;
    return problem ? LogicalResult(readAttentionSchedule(kernel, attention,
                                                         *problem, chip))
                   : LogicalResult(illegalSchedule(kernel, why));
  }
  FailureOr<Contractions> contractions = Contractions::of(emission);
  if (failed(contractions))
    return failure();
  if (auto mma = dyn_cast<kernel::MmaScheduleAttr>(schedule)) {
    auto problem =
        mma::Problem::find(contractions->groups, contractions->loops, chip);
    rule = "mma.sync multiplies f16, bf16, f8, i8 and f32";
    return problem && mma::readSchedule(mma, *problem, rule)
               ? success()
               : LogicalResult(illegalSchedule(kernel, rule));
  }
  simt::Demand demand =
      simt::Demand::of(contractions->groups, contractions->loops, chip);
  return simt::readSchedule(cast<kernel::SimtScheduleAttr>(schedule), demand,
                            rule)
             ? success()
             : LogicalResult(illegalSchedule(kernel, rule));
}

LogicalResult Chooser::choose() {
  if (std::optional<Attribute> schedule = kernel.getSchedule())
    return verify(*schedule);
  if (kernel.getRoot() == kernel::FusionRoot::Gemm)
    return chooseContraction();
  if (kernel.getRoot() == kernel::FusionRoot::Attention)
    return chooseAttention();
  return success();
}

LogicalResult codegen::chooseSchedule(kernel::FuncOp kernel,
                                      const CudaChip &chip,
                                      const ScheduleRequests &requests) {
  return Chooser(kernel, chip, requests).choose();
}

LogicalResult codegen::trySchedule(kernel::FuncOp kernel, const CudaChip &chip,
                                   const ScheduleRequests &requests,
                                   std::string &reported) {
  Chooser chooser(kernel, chip, requests);
  chooser.reported = &reported;
  return chooser.choose();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ChooseSchedulesPass
    : tripy::impl::ChooseSchedulesPassBase<ChooseSchedulesPass> {
  using ChooseSchedulesPassBase::ChooseSchedulesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Result<const Machine *> machine = getMachine(chip);
    if (!machine) {
      emitError(module.getLoc(), machine.status().message());
      return signalPassFailure();
    }
    ScheduleRequests requests;
    ScheduleRequests::TileUse tileUse;
    requests.tileUse = &tileUse;
    if (failed(readRequests(module, requests)))
      return signalPassFailure();
    SymbolTable symbols(module);
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    for (kernel::FuncOp kernel : kernels) {
      if (failed(verifyForm(kernel)) ||
          failed(chooseVersions(kernel, **machine, requests, symbols)))
        return signalPassFailure();
      chooseRowVersions(kernel, **machine, symbols);
      chooseScanVersions(kernel, **machine, symbols);
      chooseReductionVersions(kernel, **machine, symbols);
      chooseLoopVersions(kernel, **machine, symbols);
    }
    if (failed(reportRefused(tileUse)))
      return signalPassFailure();
  }

  LogicalResult reportRefused(const ScheduleRequests::TileUse &use);
  LogicalResult readRequests(ModuleOp module, ScheduleRequests &requests);
  void readTuning(ModuleOp module, ScheduleRequests &requests);
};
} // namespace

/// A tile that is illegal for some contractions is a warning at each, and an
/// error where it is for all.
LogicalResult
ChooseSchedulesPass::reportRefused(const ScheduleRequests::TileUse &use) {
  for (const auto &[loc, rule] : use.refused) {
    auto diagnostic = use.isUsed ? emitWarning(loc) : emitError(loc);
    diagnostic << "the tile that is asked for, " << gemmTile
               << ", is illegal: " << rule;
  }
  return success(use.isUsed || use.refused.empty());
}

/// A file that cannot be read costs speed alone.
void ChooseSchedulesPass::readTuning(ModuleOp module,
                                     ScheduleRequests &requests) {
  requests.tuningDevice = tuningDevice;
  if (tuningFile.empty())
    return;
  if (Result<TuningRecords> found = readTuningFile(tuningFile))
    requests.tuning = std::move(*found);
  else
    emitWarning(module.getLoc(), "the tuning file is not used: ")
        << found.status().message();
}

LogicalResult ChooseSchedulesPass::readRequests(ModuleOp module,
                                                ScheduleRequests &requests) {
  using Tiles = ScheduleRequests::Tiles;
  Location loc = module.getLoc();
  requests.tiles = tiles == "off"   ? Tiles::Off
                   : tiles == "all" ? Tiles::All
                                    : Tiles::Auto;
  if (requests.tiles == Tiles::Auto && tiles != "auto")
    return emitError(loc, "tiles must be off, auto or all; found '")
           << tiles << "'";
  requests.gemmTile = parseWgmmaTile(gemmTile);
  if (!gemmTile.empty() && !requests.gemmTile)
    return emitError(loc, "a tile must be such as 128x256 or 64x64 with "
                          "',pingpong', ',cluster=2', ',split=2', ',stream' or "
                          "',swapAB'; found '")
           << gemmTile << "'";
  requests.f32TensorCores = f32TensorCores;
  requests.attentionTile = tiles::parseAttentionTile(attentionTile);
  if (!attentionTile.empty() && !requests.attentionTile)
    return emitError(loc, "a tile of attention must be such as 128x128: 64, "
                          "128 or 192 queries by a multiple of 16 keys; found "
                          "'")
           << attentionTile << "'";
  requests.attentionSplit = parseAttentionSplit(attentionSplit);
  if (!attentionSplit.empty() && !requests.attentionSplit)
    return emitError(loc, "a split of attention must be such as 8 or "
                          "8,keys=16,warps=4,stages=3; found '")
           << attentionSplit << "'";
  readTuning(module, requests);
  return success();
}
