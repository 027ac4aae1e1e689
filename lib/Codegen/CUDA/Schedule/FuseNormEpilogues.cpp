//===- FuseNormEpilogues.cpp - Norms behind contractions ------------------===//
//
// A norm of a product's rows, as in a transformer between two layers, takes a
// launch and brings the rows from the L2 cache and back. Where a cluster's
// blocks can have all columns of some rows, they exchange the sums of the rows
// (WgmmaNorm.cpp), and the product's kernel stores the norm, beside the product
// where others read that.
//
// The cost model decides: the tile of such a cluster may be a slower one.
//
//===----------------------------------------------------------------------===//

#include "FuseNorms.h"
#include "Schedules.h"
#include "WgmmaCosts.h"

#include "Codegen/Emit/RoundValues.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// What `rows` computes, as in "layer_norm" of "main_row_4_layer_norm".
static StringRef labelOf(kernel::FuncOp rows) {
  StringRef name = rows.getSymName();
  auto [before, label] = name.rsplit("_row_");
  label = label.drop_while([](char c) { return llvm::isDigit(c) || c == '_'; });
  return label.empty() ? name : label;
}

/// Of the time of two kernels, what one must promise to be below. BERT's feed-
/// forward norm, 3072x768x3072, takes 3 us more in the epilogue than apart,
/// where the model expects 0.975; GPT-2's, 1024x768x3072, gains at 0.95
/// (bench/results/notes-gemm.md, 47 and 51).
static constexpr double fusedGain = 0.96;

/// Notes that `function` is not expected to gain enough over two kernels.
static void reportSlower(kernel::FuncOp function,
                         const WgmmaCandidate &candidate, double apart) {
  auto options = remark::RemarkOpts::name("not fused")
                     .category("fusion")
                     .function(function.getSymName());
  if (auto remark = remark::missed(placeOf(function.getLoc()), options))
    remark << remark::add(
        "{0}",
        llvm::formatv("a norm is not fused into the epilogue: with "
                      "tile {0}, whose cluster has whole rows, the model "
                      "expects {1:F0} cycles, and {2:F0} for two kernels, of "
                      "which one kernel must take less than {3:P0}",
                      candidate.tile.str(), candidate.cycles, apart, fusedGain)
            .str());
}

/// Sets the schedule of `function`: false where it is not expected to gain
/// enough over the two kernels that it is made of.
bool NormEpilogues::schedule(kernel::FuncOp function, kernel::FuncOp product) {
  std::optional<WgmmaSchedule> fused = recogniseWgmma(function);
  std::optional<WgmmaSchedule> alone = recogniseWgmma(product);
  if (!fused || !fused->hasNorm() || !alone)
    return false;
  std::optional<WgmmaCandidate> chosen = chooseTile(*fused);
  // Of both, without the clock under load.
  WgmmaProblem problem(*alone);
  problem.mayBeLoaded = false;
  std::optional<WgmmaCandidate> own = chooseTile(*alone, problem);
  if (!chosen || !own)
    return false;
  double apart = own->cycles + rowKernelCycles(problem);
  // In ping-pong, a consumer's epilogue holds up the other one's main loop.
  if (!chosen->tile.pingPong)
    chosen->cycles *= wgmmaChip().wholeRowShare;
  if (chosen->cycles >= fusedGain * apart) {
    reportSlower(function, *chosen, apart);
    return false;
  }
  cutInto(*fused, chosen->tile);
  function.setScheduleAttr(
      attributeOf(*fused, function.getContext(), kernel::Origin::Model));
  return true;
}

/// The fused kernel, made where it is not there yet; null where there is none.
kernel::FuncOp NormEpilogues::fused(const Key &key) {
  auto [it, isNew] = known.insert({key, {}});
  if (!isNew)
    return it->second;
  auto [product, rows, argument, keeps] = key;
  auto schedule = dyn_cast_if_present<kernel::WgmmaScheduleAttr>(
      product.getSchedule().value_or(Attribute()));
  if (!schedule || schedule.getFrom() != kernel::Origin::Model ||
      rows.getRoot() != kernel::FusionRoot::Row || !isPlain(rows) ||
      !isPlain(product) || rows.getFunctionType().getNumResults() != 1 ||
      product.getFunctionType().getNumResults() != 1 ||
      rows.getFunctionType().getNumInputs() +
              product.getFunctionType().getNumInputs() + 2 >
          maxTensors)
    return {};
  kernel::FuncOp function =
      joinKernels(product, rows, argument, product,
                  product.getSymName() + "_" + labelOf(rows), keeps);
  roundValues(function);
  if (!this->schedule(function, product)) {
    function.erase();
    return {};
  }
  symbols.insert(function);
  return it->second = function;
}

/// Notes what became one launch.
static void report(kernel::CallOp call, kernel::CallOp product) {
  auto options = remark::RemarkOpts::name("fused").category("fusion").function(
      product.getCallee());
  if (auto remark = remark::passed(placeOf(call.getLoc()), options))
    remark << remark::add("{0}", "fused '" + call.getCallee().str() +
                                     "' into the epilogue: the blocks of a "
                                     "cluster have whole rows and exchange "
                                     "their sums; saves a launch");
}

/// Where the fused call may stand: where the product is computed, if all that
/// the norm reads is there; else where the norm is, if nothing in between reads
/// the product; else null.
static Operation *placeFor(kernel::CallOp product, kernel::CallOp rows,
                           unsigned argument) {
  bool isThere = true;
  for (auto [number, input] : llvm::enumerate(rows.getInputs())) {
    Operation *definition = input.getDefiningOp();
    isThere &= number == argument || !definition ||
               (definition->getBlock() == product->getBlock() &&
                definition->isBeforeInBlock(product));
  }
  if (isThere)
    return product;
  for (Operation *user : product->getUsers())
    if (user != rows &&
        (user->getBlock() != rows->getBlock() || user->isBeforeInBlock(rows)))
      return nullptr;
  return rows;
}

void NormEpilogues::fuse(kernel::CallOp rows) {
  auto callee = symbols.lookup<kernel::FuncOp>(rows.getCallee());
  if (!callee)
    return;
  for (auto [number, input] : llvm::enumerate(rows.getInputs())) {
    auto product = input.getDefiningOp<kernel::CallOp>();
    auto of = product ? symbols.lookup<kernel::FuncOp>(product.getCallee())
                      : kernel::FuncOp();
    if (!of || product->getBlock() != rows->getBlock() ||
        llvm::count(rows.getInputs(), input) != 1)
      continue;
    Operation *place = placeFor(product, rows, number);
    bool keeps = !input.hasOneUse();
    kernel::FuncOp function =
        place ? fused({of, callee, number, keeps}) : kernel::FuncOp();
    if (!function)
      continue;
    SmallVector<Value> inputs(product.getInputs());
    llvm::append_range(inputs, rows.getInputs());
    inputs.erase(inputs.begin() + product.getInputs().size() + number);
    report(rows, product);
    OpBuilder b(place);
    auto made = kernel::CallOp::create(
        b, fuseLocations({product.getLoc(), rows.getLoc()}),
        function.getFunctionType().getResults(), function.getSymName(), inputs,
        ValueRange());
    rows.getResult(0).replaceAllUsesWith(made.getResults().back());
    rows.erase();
    if (keeps)
      product.getResult(0).replaceAllUsesWith(made.getResult(0));
    product.erase();
    return;
  }
}

void NormEpilogues::run(ModuleOp module) {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    SmallVector<kernel::CallOp> calls;
    function.walk([&](kernel::CallOp call) { calls.push_back(call); });
    for (kernel::CallOp call : calls)
      fuse(call);
  }
}

void NormEpilogues::addReplaced(llvm::SetVector<Operation *> &kernels) const {
  for (auto &[key, function] : known)
    if (function) {
      kernels.insert(std::get<0>(key));
      kernels.insert(std::get<1>(key));
    }
}
