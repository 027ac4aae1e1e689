//===- Partition.cpp - Kernels spread over threads ------------------------===//

#include "Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tripy;

void target::prepareContext(MLIRContext &context) {
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  registerNVVMDialectTranslation(context);
  registerGPUDialectTranslation(context);
  context
      .loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                   func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                   NVVM::NVVMDialect, ub::UBDialect, vector::VectorDialect>();
}

using Groups = llvm::MapVector<Operation *, SmallVector<Operation *>>;

/// The symbols of `container` by who refers to each other, in the order of the
/// module, so that the result is the same every time.
static Groups groupSymbols(Operation *container) {
  SymbolTable symbols(container);
  llvm::EquivalenceClasses<Operation *> together;
  Block &body = container->getRegion(0).front();
  for (Operation &op : body) {
    together.insert(&op);
    op.walk([&](Operation *user) {
      for (NamedAttribute attribute : user->getAttrs())
        attribute.getValue().walk([&](SymbolRefAttr ref) {
          if (Operation *used = symbols.lookup(ref.getRootReference()))
            together.unionSets(&op, used);
        });
    });
  }
  Groups groups;
  for (Operation &op : body)
    groups[together.getLeaderValue(&op)].push_back(&op);
  return groups;
}

size_t target::countThreads(MLIRContext *context) {
  return context->isMultithreadingEnabled() ? context->getNumThreads() : 1;
}

size_t target::countParts(Operation *container, size_t most) {
  return std::min(groupSymbols(container).size(), most);
}

SmallVector<size_t> target::largestFirst(ArrayRef<size_t> sizes) {
  auto order = llvm::to_vector(llvm::seq<size_t>(sizes.size()));
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

SmallVector<size_t> target::spread(ArrayRef<size_t> sizes, size_t parts) {
  SmallVector<size_t> places(sizes.size()), filled(parts, 0);
  for (size_t i : largestFirst(sizes)) {
    places[i] = llvm::min_element(filled) - filled.begin();
    filled[places[i]] += sizes[i];
  }
  // Parts are in the order of the first things in them.
  llvm::SmallMapVector<size_t, size_t, 16> numbers;
  for (size_t &place : places)
    place = numbers.try_emplace(place, numbers.size()).first->second;
  return places;
}

size_t target::countOperations(Operation *root) {
  size_t count = 0;
  root->walk([&](Operation *) { ++count; });
  return count;
}

std::vector<OwningOpRef<Operation *>> target::partition(Operation *container,
                                                        size_t most) {
  Groups groups = groupSymbols(container);
  std::vector<OwningOpRef<Operation *>> parts;
  for (size_t i = 0, count = std::min(groups.size(), most); i < count; ++i) {
    parts.push_back(container->cloneWithoutRegions());
    parts.back()->getRegion(0).emplaceBlock();
  }
  size_t next = 0;
  for (auto &[leader, members] : groups) {
    Operation *part = *parts[next++ % parts.size()];
    for (Operation *op : members) {
      op->remove();
      part->getRegion(0).front().push_back(op);
    }
  }
  return parts;
}

SmallVector<StringRef> target::symbolOrder(Operation *container) {
  SmallVector<StringRef> order;
  for (Operation &op : container->getRegion(0).front())
    if (auto name = op.getAttrOfType<StringAttr>("sym_name"))
      order.push_back(name.getValue());
  return order;
}

void target::restoreOrder(Operation *container, ArrayRef<StringRef> order) {
  llvm::StringMap<size_t> places;
  for (auto [place, name] : llvm::enumerate(order))
    places.try_emplace(name, place);
  std::vector<std::pair<size_t, SmallVector<Operation *>>> groups;
  for (auto &[leader, members] : groupSymbols(container)) {
    size_t first = order.size();
    for (Operation *op : members)
      if (auto name = op->getAttrOfType<StringAttr>("sym_name"))
        if (auto place = places.find(name.getValue()); place != places.end())
          first = std::min(first, place->getValue());
    groups.emplace_back(first, members);
  }
  llvm::stable_sort(groups, llvm::less_first());
  Block &block = container->getRegion(0).front();
  for (auto &[first, members] : groups)
    for (Operation *op : members)
      op->moveBefore(&block, block.end());
}

/// `text` with the number of each symbol in `names` in place of its name.
static std::string withoutNames(StringRef text,
                                const llvm::StringMap<unsigned> &names) {
  auto isNameChar = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  std::string result;
  while (!text.empty()) {
    auto [before, after] = text.split('@');
    result += before;
    if (before.size() == text.size())
      break;
    result += '@';
    bool quoted = after.consume_front("\"");
    StringRef name = after.take_while(isNameChar);
    text = after.drop_front(name.size());
    auto number = names.find(name);
    if (number == names.end())
      result += (Twine(quoted ? "\"" : "") + name).str();
    else
      result += std::to_string(number->second);
    if (number != names.end() && quoted)
      text.consume_front("\"");
  }
  return result;
}

llvm::StringMap<std::string>
target::mergeEqualKernels(Operation *container,
                          const llvm::StringMap<Attribute> &launched) {
  // Emitters leave index arithmetic behind that nobody uses.
  IRRewriter rewriter(container->getContext());
  for (Operation &op : container->getRegion(0).front())
    (void)runRegionDCE(rewriter, op.getRegions());
  llvm::StringMap<std::string> replaced, known;
  for (auto &[leader, members] : groupSymbols(container)) {
    llvm::StringMap<unsigned> names;
    StringRef kernel;
    unsigned kernels = 0;
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (Operation *op : members) {
      auto symbol = op->getAttrOfType<StringAttr>("sym_name");
      if (!symbol)
        continue;
      names.try_emplace(symbol.getValue(), names.size());
      if (auto found = launched.find(symbol.getValue());
          found != launched.end()) {
        kernel = found->getKey();
        ++kernels;
        stream << found->getValue();
      }
      op->print(stream, OpPrintingFlags().useLocalScope());
      stream << "\n";
    }
    // Of several kernels together, one alone cannot be replaced.
    if (kernels != 1)
      continue;
    auto [first, isNew] =
        known.try_emplace(withoutNames(text, names), kernel.str());
    if (isNew)
      continue;
    replaced[kernel] = first->getValue();
    for (Operation *op : llvm::reverse(members))
      op->erase();
  }
  return replaced;
}
