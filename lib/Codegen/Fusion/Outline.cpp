//===- Outline.cpp - From dispatches to kernel functions ------------------===//
//
// Equal dispatches, such as the layers of a transformer, become one function.
// It keeps the locations of all of them; each call keeps its own.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <unordered_map>

namespace tripy {
#define GEN_PASS_DEF_OUTLINEDISPATCHESPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

static constexpr size_t maxNameLength = 100;

/// Equal for equal dispatches; ignores locations.
static llvm::hash_code hashOf(kernel::DispatchOp dispatch) {
  llvm::hash_code hash =
      llvm::hash_combine(dispatch.getRoot(), dispatch.getSizeArgs(),
                         llvm::hash_combine_range(dispatch->getOperandTypes()),
                         llvm::hash_combine_range(dispatch.getResultTypes()));
  for (Operation &op : dispatch.getBody().front())
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     &op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  return hash;
}

/// Whether two dispatches compute the same, whatever their operands are.
static bool areEqual(kernel::DispatchOp a, kernel::DispatchOp b) {
  return a.getRoot() == b.getRoot() && a.getSizeArgs() == b.getSizeArgs() &&
         a.getInputs().getTypes() == b.getInputs().getTypes() &&
         a.getResultTypes() == b.getResultTypes() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// The more of it, the larger the sizes are.
static int64_t workOf(kernel::SizesAttr sizes) {
  return llvm::accumulate(sizes.getOpt(), int64_t(1), saturatingMul);
}

/// The kernel is planned for the call with most work, and right for all.
static void mergeSizes(kernel::FuncOp function, kernel::DispatchOp dispatch) {
  kernel::SizesAttr a = function.getSizesAttr(), b = dispatch.getSizesAttr();
  if (a == b)
    return;
  if (!a || !b) {
    function.removeSizesAttr();
    return;
  }
  SmallVector<int64_t> min, max;
  for (auto [x, y] : llvm::zip_equal(a.getMin(), b.getMin()))
    min.push_back(std::min(x, y));
  for (auto [x, y] : llvm::zip_equal(a.getMax(), b.getMax()))
    max.push_back(std::max(x, y));
  bool isMore = workOf(b) > workOf(a);
  auto merged = kernel::SizesAttr::get(a.getContext(), min,
                                       isMore ? b.getOpt() : a.getOpt(), max);
  function.setSizesAttr(merged);
  if (a.getOpt() == b.getOpt())
    return;
  auto options = remark::RemarkOpts::name("sizes").category("sizes").function(
      function.getSymName());
  auto text = [](ArrayRef<int64_t> sizes) {
    return llvm::join(
        llvm::map_range(sizes,
                        [](int64_t size) { return std::to_string(size); }),
        ", ");
  };
  if (auto remark = remark::analysis(placeOf(dispatch.getLoc()), options))
    remark << remark::add("{0}", "planned for sizes " + text(merged.getOpt()) +
                                     "; another call expects " +
                                     text((isMore ? a : b).getOpt()));
}

/// Letters, digits and '_' of `text`.
static std::string identifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  return name;
}

namespace {
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  void outline(func::FuncOp function);
  /// Gives each kernel the locations of its dispatches, and erases these.
  void finish();

private:
  kernel::FuncOp functionFor(kernel::DispatchOp dispatch, StringRef prefix);
  std::string uniqueName(kernel::DispatchOp dispatch, StringRef prefix);

  struct Known {
    kernel::DispatchOp dispatch;
    kernel::FuncOp function;
    SmallVector<Location> locations;
  };

  ModuleOp module;
  SymbolTable symbols;
  /// In order of creation, and by hash.
  std::vector<Known> known;
  std::unordered_map<size_t, SmallVector<size_t, 1>> byHash;
  /// Dispatches whose regions later ones are compared with.
  SmallVector<Operation *> replaced;
  unsigned number = 0;
};
} // namespace

std::string Outliner::uniqueName(kernel::DispatchOp dispatch,
                                 StringRef prefix) {
  auto label = dispatch->getAttrOfType<StringAttr>("name");
  // The function's own name may be long; kernels stay apart by their number.
  std::string name =
      identifier(prefix.take_front(maxNameLength / 3)) + "_" +
      stringifyEnum(dispatch.getRoot()).str() + "_" + std::to_string(number++) +
      (label ? "_" + identifier(label.getValue()) : std::string());
  name.resize(std::min(name.size(), maxNameLength - 8));
  std::string unique = name;
  for (unsigned i = 0; symbols.lookup(unique); ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

kernel::FuncOp Outliner::functionFor(kernel::DispatchOp dispatch,
                                     StringRef prefix) {
  SmallVector<size_t, 1> &same = byHash[hashOf(dispatch)];
  for (size_t index : same)
    if (areEqual(known[index].dispatch, dispatch)) {
      known[index].locations.push_back(dispatch.getLoc());
      mergeSizes(known[index].function, dispatch);
      return known[index].function;
    }
  OpBuilder b(module.getContext());
  auto type =
      b.getFunctionType(SmallVector<Type>(dispatch.getInputs().getTypes()),
                        dispatch.getResultTypes());
  auto function = kernel::FuncOp::create(
      b, dispatch.getLoc(), uniqueName(dispatch, prefix), dispatch.getRoot(),
      type, dispatch.getSizeArgs(), /*config=*/nullptr, /*waitsFor=*/nullptr,
      /*product=*/nullptr, dispatch.getSizesAttr(), /*schedule=*/nullptr,
      /*guard=*/nullptr,
      /*versions=*/nullptr);
  IRMapping mapping;
  dispatch.getBody().cloneInto(&function.getBody(), mapping);
  symbols.insert(function, module.getBody()->end());
  same.push_back(known.size());
  known.push_back({dispatch, function, {dispatch.getLoc()}});
  return function;
}

void Outliner::outline(func::FuncOp function) {
  number = 0;
  SmallVector<kernel::DispatchOp> dispatches;
  function.walk([&](kernel::DispatchOp op) { dispatches.push_back(op); });
  for (kernel::DispatchOp dispatch : dispatches) {
    kernel::FuncOp callee = functionFor(dispatch, function.getName());
    OpBuilder b(dispatch);
    auto call = kernel::CallOp::create(
        b, dispatch.getLoc(), dispatch.getResultTypes(), callee.getSymName(),
        dispatch.getInputs(), dispatch.getResultSizes());
    dispatch.replaceAllUsesWith(call.getResults());
    replaced.push_back(dispatch);
  }
}

void Outliner::finish() {
  for (Known &entry : known)
    entry.function->setLoc(fuseLocations(entry.locations));
  for (Operation *op : replaced)
    op->erase();
}

namespace {
class OutlineDispatches
    : public tripy::impl::OutlineDispatchesPassBase<OutlineDispatches> {
  void runOnOperation() override {
    Outliner outliner(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      outliner.outline(function);
    outliner.finish();
  }
};
} // namespace
