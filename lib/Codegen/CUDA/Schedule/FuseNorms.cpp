//===- FuseNorms.cpp - Norms in front of contractions with few rows -------===//
//
// Those behind contractions with many rows are fused as well
// (FuseNormEpilogues.cpp).
//
// Between two kernels lie some two microseconds, and a norm of a few rows takes
// less in itself. So each block of the contraction that reads its result
// computes all of it: the rows come from the L2 cache, and the block's first
// part of the matrix is on its way meanwhile.
//
// This is done where all blocks of the contraction run at once or nearly: each
// wave of them computes the rows again.
//
//===----------------------------------------------------------------------===//

#include "FuseNorms.h"

#include "Codegen/CUDA/Contractions/Gemv.h"

#include "tripy/Codegen/CudaChip.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace tripy {
#define GEN_PASS_DEF_FUSENORMSPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Waves of a contraction's blocks that may compute the rows, at most.
static constexpr int64_t maxWaves = 2;
bool codegen::isPlain(kernel::FuncOp kernel) {
  FunctionType type = kernel.getFunctionType();
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return !kernel.getProduct() && !kernel.getGuard() && !kernel.getVersions() &&
         llvm::all_of(type.getInputs(), isStatic) &&
         llvm::all_of(type.getResults(), isStatic);
}

kernel::FuncOp codegen::joinKernels(kernel::FuncOp first, kernel::FuncOp second,
                                    unsigned argument,
                                    kernel::FuncOp contraction,
                                    const Twine &name, bool keeps) {
  OpBuilder b(contraction);
  FunctionType of = first.getFunctionType(), then = second.getFunctionType();
  SmallVector<Type> inputs(of.getInputs()), results;
  llvm::append_range(inputs, then.getInputs());
  inputs.erase(inputs.begin() + of.getNumInputs() + argument);
  if (keeps)
    results.push_back(of.getResult(0));
  llvm::append_range(results, then.getResults());
  Location loc = fuseLocations({first.getLoc(), second.getLoc()});
  auto function = kernel::FuncOp::create(
      b, loc, name.str(), contraction.getRoot(),
      b.getFunctionType(inputs, results), ArrayRef<int64_t>(),
      /*config=*/nullptr, /*waitsFor=*/nullptr, /*product=*/nullptr,
      contraction.getSizesAttr(), *contraction.getSchedule(),
      /*guard=*/nullptr, /*versions=*/nullptr);
  Block *body = b.createBlock(&function.getBody());
  IRMapping mapping;
  auto add = [&](Value value) {
    mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
  };
  for (BlockArgument value : first.getBody().getArguments())
    add(value);
  for (BlockArgument value : second.getBody().getArguments())
    if (value.getArgNumber() != argument)
      add(value);
  for (Operation &op : first.getBody().front().without_terminator())
    b.clone(op, mapping);
  Value result =
      mapping.lookup(first.getBody().front().getTerminator()->getOperand(0));
  mapping.map(second.getBody().getArgument(argument), result);
  for (Operation &op : second.getBody().front())
    b.clone(op, mapping);
  if (keeps)
    body->getTerminator()->insertOperands(0, result);
  return function;
}

/// Waves of the blocks of a contraction.
static int64_t wavesOf(const GemvSchedule &schedule, const CudaChip &chip) {
  linalg::GenericOp op = schedule.ops.front();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t columns = 1;
  for (unsigned loop : schedule.columns)
    columns *= sizes[loop];
  int64_t blocks = llvm::divideCeil(columns, schedule.tile()) * schedule.blocks;
  return llvm::divideCeil(blocks,
                          chip.multiprocessors * schedule.residentBlocks);
}

namespace {
class FuseNormsPass : public tripy::impl::FuseNormsPassBase<FuseNormsPass> {
public:
  using FuseNormsPassBase::FuseNormsPassBase;

  void runOnOperation() override;

private:
  /// What a contraction's argument `argument` is computed by.
  using Key = std::tuple<Operation *, Operation *, unsigned>;

  void fuse(kernel::CallOp call, SymbolTable &symbols);
  kernel::FuncOp fused(kernel::FuncOp rows, kernel::FuncOp reader,
                       unsigned argument, SymbolTable &symbols);
  void report(kernel::CallOp call, kernel::CallOp rows);

  std::map<Key, kernel::FuncOp> known;
};
} // namespace

/// The fused kernel, made where it is not there yet; null where there is none.
kernel::FuncOp FuseNormsPass::fused(kernel::FuncOp rows, kernel::FuncOp reader,
                                    unsigned argument, SymbolTable &symbols) {
  auto [it, isNew] = known.insert({Key(rows, reader, argument), {}});
  if (!isNew)
    return it->second;
  auto schedule = dyn_cast_if_present<kernel::GemvScheduleAttr>(
      reader.getSchedule().value_or(Attribute()));
  if (!schedule || rows.getRoot() != kernel::FusionRoot::Row ||
      !isPlain(rows) || !isPlain(reader) ||
      rows.getFunctionType().getNumResults() != 1 ||
      rows.getFunctionType().getNumInputs() +
              reader.getFunctionType().getNumInputs() +
              reader.getFunctionType().getNumResults() >
          maxTensors)
    return {};
  kernel::FuncOp function = joinKernels(rows, reader, argument, reader,
                                        reader.getSymName(), /*keeps=*/false);
  const CudaChip &target = CudaChip::of(chip);
  StringRef rule;
  std::optional<GemvSchedule> read =
      readGemvSchedule(function, schedule, target, rule);
  if (!read || read->ofRows.empty() || wavesOf(*read, target) > maxWaves) {
    function.erase();
    return {};
  }
  symbols.insert(function);
  return it->second = function;
}

/// Notes what became one launch.
void FuseNormsPass::report(kernel::CallOp call, kernel::CallOp rows) {
  auto options = remark::RemarkOpts::name("fused").category("fusion").function(
      call.getCallee());
  if (auto remark = remark::passed(placeOf(call.getLoc()), options))
    remark << remark::add("{0}", "fused '" + rows.getCallee().str() +
                                     "' as a prologue: each block of the "
                                     "contraction recomputes the rows that it "
                                     "reads; saves a launch");
}

/// Joins `call` with a kernel whose result it alone reads.
void FuseNormsPass::fuse(kernel::CallOp call, SymbolTable &symbols) {
  auto reader = symbols.lookup<kernel::FuncOp>(call.getCallee());
  if (!reader)
    return;
  for (auto [number, input] : llvm::enumerate(call.getInputs())) {
    auto rows = input.getDefiningOp<kernel::CallOp>();
    if (!rows || !input.hasOneUse())
      continue;
    auto callee = symbols.lookup<kernel::FuncOp>(rows.getCallee());
    if (!callee)
      continue;
    kernel::FuncOp function = fused(callee, reader, number, symbols);
    if (!function)
      continue;
    SmallVector<Value> inputs(rows.getInputs());
    llvm::append_range(inputs, call.getInputs());
    inputs.erase(inputs.begin() + rows.getInputs().size() + number);
    OpBuilder b(call);
    report(call, rows);
    auto made = kernel::CallOp::create(
        b, fuseLocations({rows.getLoc(), call.getLoc()}), call.getResultTypes(),
        function.getSymName(), inputs, ValueRange());
    call.replaceAllUsesWith(made.getResults());
    call.erase();
    rows.erase();
    return;
  }
}

void FuseNormsPass::runOnOperation() {
  ModuleOp module = getOperation();
  known.clear();
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> left;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    SmallVector<kernel::CallOp> calls;
    function.walk([&](kernel::CallOp call) { calls.push_back(call); });
    for (kernel::CallOp call : calls)
      fuse(call, symbols);
  }
  NormEpilogues epilogues(symbols);
  if (CudaChip::of(chip).hasWgmma())
    epilogues.run(module);
  epilogues.addReplaced(left);
  for (auto &[key, function] : known)
    if (function) {
      left.insert(std::get<0>(key));
      left.insert(std::get<1>(key));
    }
  for (Operation *kernel : left)
    if (SymbolTable::symbolKnownUseEmpty(kernel, module))
      symbols.erase(kernel);
}
