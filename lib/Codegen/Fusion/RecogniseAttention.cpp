//===- RecogniseAttention.cpp - Attention that users wrote out ------------===//
//
// dot(softmax(f(dot(q, k))), v) -> kernel.attention, where f is a scale, a mask
// and a bias, and dimensions are in any order: transposes and reshapes bring
// operands to the kernel's order, and its result to the user's. The kernel
// reads through those in front of it.
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "Remarks.h"

#include "tripy/Codegen/AttentionCosts.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/TensorTypes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// The number of queries that go through one head of keys.
static int64_t queriesOf(const AttentionPattern &pattern) {
  return pattern.program.estimates.elements(pattern.axes.sizesOf(pattern.rows));
}

/// Whether tiles whose operands TMA copies may compute it (sm_90a).
static bool mayHaveTiles(const AttentionPattern &pattern) {
  // Heads of dynamic size are no attention in any case.
  auto isSuitable = [&](const Axes &axes) {
    return pattern.program.estimates.elements(pattern.axes.sizesOf(axes)) % 8 ==
           0;
  };
  return pattern.program.options.machine->hasWgmma() &&
         queriesOf(pattern) >= codegen::minTileQueries &&
         isSuitable(pattern.depth) && isSuitable(pattern.width);
}

/// Cycles of tiles of 128 queries, one on a multiprocessor, that go through
/// `keys` by 128.
static int64_t cyclesOfTiles(const Machine &machine, int64_t heads,
                             int64_t queries, int64_t keys, int64_t columns) {
  constexpr int64_t tileRows = 128, tileKeys = 128;
  int64_t tiles = saturatingMul(heads, llvm::divideCeil(queries, tileRows));
  int64_t waves = llvm::divideCeil(tiles, machine.multiprocessors);
  double block =
      codegen::attentionBlockCycles(machine, tileRows, tileKeys, columns);
  return saturatingMul(saturatingMul(waves, llvm::divideCeil(keys, tileKeys)),
                       static_cast<int64_t>(block));
}

/// Cycles that the kernel on tensor cores takes, of two blocks side by side on
/// a multiprocessor or of tiles, and its parts.
static std::pair<int64_t, int64_t> cyclesOf(const AttentionPattern &pattern) {
  constexpr int64_t blockRows = 64, blockKeys = 64, blockWidth = 128;
  constexpr int64_t resident = 2;
  const Machine &machine = *pattern.program.options.machine;
  const Estimates &estimates = pattern.program.estimates;
  auto count = [&](const Axes &axes) {
    return estimates.elements(pattern.axes.sizesOf(axes));
  };
  auto bytes = [&](Value tensor) {
    return estimates.bytes(tensor, pattern.program.sizes);
  };
  int64_t blocks = saturatingMul(
      count(pattern.batch), llvm::divideCeil(queriesOf(pattern), blockRows));
  int64_t width = std::max(count(pattern.depth), count(pattern.width));
  int64_t waves = llvm::divideCeil(blocks, resident * machine.multiprocessors);
  int64_t steps = llvm::divideCeil(count(pattern.keys), blockKeys);
  int64_t fused =
      saturatingMul(saturatingMul(waves, steps), machine.attentionBlockCycles);
  fused =
      saturatingMul(fused, width) / blockWidth + machine.attentionLaunchCycles;
  int64_t columns = count(pattern.depth) + count(pattern.width);
  if (mayHaveTiles(pattern))
    fused = std::min(fused, cyclesOfTiles(machine, count(pattern.batch),
                                          queriesOf(pattern),
                                          count(pattern.keys), columns) +
                                machine.attentionLaunchCycles);
  int64_t read = 0;
  for (Value tensor : {pattern.key.tensor, pattern.value.tensor})
    read = saturatingAdd(read, bytes(tensor));
  // Blocks divide the keys of few rows (SplitAttention.cpp).
  auto bytesPerCycle = static_cast<int64_t>(machine.memoryBytes);
  if (queriesOf(pattern) <= codegen::oneTileRows)
    fused =
        std::min(fused, read / bytesPerCycle + machine.attentionLaunchCycles +
                            static_cast<int64_t>(machine.attentionJoinCycles));
  // Scores and probabilities are stored and read; products take as long as on
  // all multiprocessors at least.
  int64_t moved = saturatingAdd(
      read, saturatingMul(4, bytes(pattern.scores->getResult(0))));
  int64_t products = saturatingMul(estimates.elements(pattern.program.sizes.get(
                                       pattern.scores->getResult(0))),
                                   columns);
  int64_t parts = 3 * machine.attentionLaunchCycles + moved / bytesPerCycle +
                  products / (machine.peakProducts * machine.multiprocessors);
  return {fused, parts};
}

/// Why the kernel would be slower than its parts; empty where it is not.
static std::string whySlower(const AttentionPattern &pattern) {
  const FusionOptions &options = pattern.program.options;
  if (options.attention == FusionOptions::When::Always)
    return "";
  Type element = elementTypeOf(pattern.value.tensor);
  if (!options.onHost && (!options.tensorCores || element.isF32()))
    return "attention of " + std::string(element.isF32() ? "f32" : "16 bits") +
           " runs on CUDA cores, where separate products are faster";
  // The host's kernel packs keys and values for each block of queries: with
  // few of these, that takes longer than products that read them once.
  constexpr int64_t fewQueries = 16;
  int64_t queries = queriesOf(pattern);
  if (options.onHost && queries < fewQueries)
    return "with " + std::to_string(queries) +
           " queries, packing keys and values takes longer than products that "
           "read them where they are";
  if (options.onHost)
    return "";
  auto [fused, parts] = cyclesOf(pattern);
  if (fused > parts)
    return "few blocks of queries go through many keys: about " +
           std::to_string(fused) + " cycles instead of " +
           std::to_string(parts);
  return "";
}

static void recognise(flatir::DotOp product, Program &program) {
  StringRef function = program.function.getName();
  for (unsigned side : {0, 1}) {
    AttentionPattern pattern(program, product);
    std::string why;
    if (!pattern.match(side))
      why = pattern.reason;
    else
      why = whySlower(pattern);
    int64_t bytes = 0;
    if (pattern.scores)
      bytes =
          program.estimates.bytes(pattern.scores.getResult(), program.sizes);
    Location loc = product.getLoc();
    if (why.empty() && pattern.reason.empty() && pattern.scores &&
        !pattern.width.empty()) {
      why = AttentionBuilder(pattern).rewrite();
      if (why.empty()) {
        remarkTaken(
            loc, function,
            "fused two products and a softmax into 'attention': scores of " +
                Twine(bytes) + " bytes are not stored");
        return;
      }
    }
    if (!why.empty())
      return remarkNotTaken(loc, function,
                            "did not fuse two products and a softmax into "
                            "'attention': " +
                                why);
  }
}

void fusion::eraseDead(Program &program) {
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(program.function.getBody().front()))) {
    if (op.getNumResults() != 1 ||
        !isa<RankedTensorType>(op.getResult(0).getType()) ||
        !isOpTriviallyDead(&op))
      continue;
    program.composites.erase(&op);
    program.sizes.forget(op.getResult(0));
    op.erase();
  }
}

void fusion::recogniseAttention(Program &program) {
  if (program.options.attention == FusionOptions::When::Never)
    return;
  SmallVector<flatir::DotOp> dots;
  for (auto dot : program.function.getBody().front().getOps<flatir::DotOp>())
    if (classOf(dot) == OpClass::Dot)
      dots.push_back(dot);
  for (flatir::DotOp dot : dots)
    recognise(dot, program);
  eraseDead(program);
}
