//===- EmitCPU.cpp - Host code of kernels ---------------------------------===//
//
// kernel.func on linalg -> two functions in @host_code: `<name>` unpacks the
// runtime's arrays and calls `<name>.items`, whose pointers are noalias, so
// that LLVM vectorises without run-time checks.
//
//===----------------------------------------------------------------------===//

#include "EmitCPU.h"

#include "Codegen/Emit/PluginEmission.h"
#include "Codegen/Emit/TensorReads.h"
#include "tripy/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tripy {
#define GEN_PASS_DEF_EMITCPUPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Elements of the innermost dimension that one work item covers.
static constexpr int64_t loopBlock = 4096;

/// Rows and columns of a work item that reads across a tensor's contiguous
/// dimension, and of the squares that it goes through: a line of the cache is
/// 16 numbers of f32, and few lines of one set are open at a time even where
/// the rows lie a power of two apart.
static constexpr int64_t crossBlock = 64, crossSquare = 16;

/// The dimension of the result along which a tensor that is read across lies in
/// memory: it is the tensor's last one, and the result's last one is another of
/// the tensor's.
static std::optional<unsigned> dimensionReadAcross(KernelEmission &e) {
  unsigned rank = e.results.front().sizes.size();
  if (rank < 2)
    return std::nullopt;
  for (auto [tensor, map] : readsOf(e)) {
    if (!map || map.getNumResults() < 2 || !memoryBehind(tensor))
      continue;
    auto inner = dyn_cast<AffineDimExpr>(map.getResults().back());
    AffineExpr last = getAffineDimExpr(rank - 1, e.kernel.getContext());
    if (inner && inner != last && llvm::is_contained(map.getResults(), last))
      return inner.getPosition();
  }
  return std::nullopt;
}

/// A work item is a block of `across` and the last dimension.
static void emitSquares(KernelEmission &e, const CPUItems &items,
                        unsigned across) {
  IndexMath &math = e.math;
  SmallVector<Index> shape(e.results.front().sizes), itemSizes(shape);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  unsigned last = shape.size() - 1;
  Index block = math.constant(crossBlock), square = math.constant(crossSquare);
  for (unsigned dim : {across, last}) {
    itemSizes[dim] = math.ceilDiv(shape[dim], block);
    exprs[dim] = exprs[dim].ceilDiv(crossBlock);
  }
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, 0);
  Index one = math.constant(1);
  e.loop(items.begin, items.end, one, [&](Index item) {
    SmallVector<Index> at = math.delinearize(item, itemSizes);
    Index row = math.mul(at[across], block), column = math.mul(at[last], block);
    Index rowEnd = math.min(math.add(row, block), shape[across]);
    Index columnEnd = math.min(math.add(column, block), shape[last]);
    e.loop(column, columnEnd, square, [&](Index columns) {
      e.loop(row, rowEnd, square, [&](Index rows) {
        e.loop(rows, math.min(math.add(rows, square), rowEnd), one,
               [&](Index r) {
                 at[across] = r;
                 e.loop(columns, math.min(math.add(columns, square), columnEnd),
                        one, [&](Index c) {
                          at[last] = c;
                          e.emitResults(at);
                        });
               });
      });
    });
  });
}

/// Where a result's last dimension is several of what it is a view of, the size
/// of the innermost of these: a loop along it alone needs no division. 1 where
/// it is not known, or short.
static int64_t innermostOfView(KernelEmission &e) {
  constexpr int64_t shortest = 16;
  auto view = e.yielded().front().getDefiningOp<tensor::CollapseShapeOp>();
  if (e.numResults() != 1 || !view || view.getResultType().getRank() == 0 ||
      view.getReassociationIndices().back().size() < 2)
    return 1;
  std::optional<int64_t> size =
      IndexMath::constantOf(e.elements.sizesOf(view.getSrc()).back());
  return size && *size >= shortest ? *size : 1;
}

/// Elements [from, to) of the last dimension at `at`, in runs of `size`.
static void emitRuns(KernelEmission &e, SmallVector<Index> at, Index from,
                     Index to, Index size) {
  IndexMath &math = e.math;
  Index one = math.constant(1);
  e.loop(math.div(from, size), math.ceilDiv(to, size), one, [&](Index run) {
    Index start = math.mul(run, size);
    Index begin = math.sub(math.max(from, start), start);
    Index end = math.sub(math.min(to, math.add(start, size)), start);
    e.loop(begin, end, one, [&](Index i) {
      at.back() = math.join(run, i, size);
      e.emitResults(at);
    });
  });
}

void codegen::emitCPULoop(KernelEmission &e, const CPUItems &items) {
  if (std::optional<unsigned> across = dimensionReadAcross(e))
    return emitSquares(e, items, *across);
  SmallVector<Index> shape(e.results.front().sizes);
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  SmallVector<Index> whole = shape;
  bool flat = e.isPointwise() || shape.empty();
  if (flat) {
    shape = {e.math.product(shape)};
    exprs = {KernelEmission::product(exprs, e.kernel.getContext())};
  }
  int64_t run = innermostOfView(e);
  Index block = e.math.constant(loopBlock);
  Index inner = shape.back();
  SmallVector<Index> itemSizes(shape);
  itemSizes.back() = e.math.ceilDiv(inner, block);
  exprs.back() = exprs.back().ceilDiv(loopBlock);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {1, 1, 1}, 0);
  e.loop(items.begin, items.end, e.math.constant(1), [&](Index item) {
    SmallVector<Index> at = e.math.delinearize(item, itemSizes);
    Index from = e.math.mul(at.back(), block);
    Index to = e.math.min(e.math.add(from, block), inner);
    if (!flat && run > 1)
      return emitRuns(e, at, from, to, e.math.constant(run));
    e.loop(from, to, e.math.constant(1), [&](Index i) {
      at.back() = i;
      e.emitResults(flat ? e.math.delinearize(i, whole) : at);
    });
  });
}

namespace {
struct EmitCPUPass : tripy::impl::EmitCPUPassBase<EmitCPUPass> {
  using EmitCPUPassBase::EmitCPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    if (kernels.empty())
      return;
    OpBuilder b(module.getBody(), module.getBody()->end());
    auto host = ModuleOp::create(b, module.getLoc(), "host_code");
    for (kernel::FuncOp kernel : kernels) {
      b.setInsertionPointToEnd(host.getBody());
      if (failed(emitKernel(kernel, b)))
        return signalPassFailure();
    }
  }

  LogicalResult emitKernel(kernel::FuncOp kernel, OpBuilder &b);
  func::FuncOp declareItems(kernel::FuncOp kernel, OpBuilder &b,
                            unsigned pointers, unsigned sizes);
  void emitEntry(kernel::FuncOp kernel, func::FuncOp itemsFunc, OpBuilder &b,
                 unsigned pointers, unsigned sizes);
};
} // namespace

LogicalResult EmitCPUPass::emitKernel(kernel::FuncOp kernel, OpBuilder &b) {
  if (failed(verifyForm(kernel)))
    return failure();
  if (kernel::PluginOp plugin = KernelEmission::pluginOf(kernel))
    return emitHostPlugin(kernel, plugin);
  FunctionType type = kernel.getFunctionType();
  unsigned sizes =
      llvm::count_if(type.getInputs(), [](Type t) { return t.isIndex(); });
  unsigned pointers = type.getNumInputs() - sizes + type.getNumResults();
  func::FuncOp itemsFunc = declareItems(kernel, b, pointers, sizes);
  emitEntry(kernel, itemsFunc, b, pointers, sizes);

  Block *body = itemsFunc.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto end = func::ReturnOp::create(b, kernel.getLoc());
  b.setInsertionPoint(end);
  EmitterOptions options;
  options.accessBytes = vectorBits / 8;
  options.softwareBF16 = true;
  options.softwareF16 = !f16Conversion;
  // With AVX there are masked loads, with AVX-512 those of any width.
  options.guardedReads = vectorBits >= 256;
  KernelEmission emission(kernel, b, options);
  ValueRange arguments = body->getArguments();
  if (failed(emission.bind(arguments.take_front(pointers),
                           arguments.slice(pointers, sizes))))
    return failure();
  ValueRange rest = arguments.drop_front(pointers + sizes);
  CPUItems items{rest[0], rest[1], rest[2], vectorBits, f16Conversion};
  switch (emission.root()) {
  case kernel::FusionRoot::Loop:
    emitCPULoop(emission, items);
    return success();
  case kernel::FusionRoot::Row:
    emitCPURow(emission, items);
    return success();
  case kernel::FusionRoot::Reduce:
    emitCPUReduce(emission, items);
    return success();
  case kernel::FusionRoot::Scan:
    emitCPUScan(emission, items);
    return success();
  case kernel::FusionRoot::Attention:
    emitCPUAttention(emission, items);
    return success();
  case kernel::FusionRoot::Sort:
    if (!emission.sort())
      return kernel.emitOpError("is half of a pass of a sort, which kernels "
                                "for CUDA alone do");
    emitCPUSort(emission, items);
    return success();
  case kernel::FusionRoot::Gemm:
    return emitCPUGemm(emission, items);
  case kernel::FusionRoot::Plugin:
    break; // It has code of its own.
  }
  llvm_unreachable("all fusion roots are above");
}

/// `<name>.items(pointers..., sizes..., begin, end, scratch)`.
func::FuncOp EmitCPUPass::declareItems(kernel::FuncOp kernel, OpBuilder &b,
                                       unsigned pointers, unsigned sizes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types(pointers, pointer);
  types.append(sizes + 2, b.getIndexType());
  types.push_back(pointer);
  auto made = func::FuncOp::create(b, kernel.getLoc(),
                                   (kernel.getSymName() + ".items").str(),
                                   b.getFunctionType(types, {}));
  made.setPrivate();
  made->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                    b.getContext(), LLVM::Linkage::Internal));
  for (unsigned i = 0; i < types.size(); ++i)
    if (isa<LLVM::LLVMPointerType>(types[i]))
      made.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  return made;
}

/// `<name>(buffers, sizes, begin, end, scratch)`: the runtime's entry point.
void EmitCPUPass::emitEntry(kernel::FuncOp kernel, func::FuncOp itemsFunc,
                            OpBuilder &b, unsigned pointers, unsigned sizes) {
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type wide = b.getI64Type();
  auto entry = func::FuncOp::create(
      b, loc, kernel.getSymName(),
      b.getFunctionType({pointer, pointer, wide, wide, pointer}, {}));
  OpBuilder::InsertionGuard guard(b);
  Block *body = entry.addEntryBlock();
  b.setInsertionPointToStart(body);
  SmallVector<Value> arguments;
  auto loadFrom = [&](Value array, int32_t number, Type type) -> Value {
    Value address = LLVM::GEPOp::create(b, loc, pointer, type, array,
                                        ArrayRef<LLVM::GEPArg>{number});
    return LLVM::LoadOp::create(b, loc, type, address, 8);
  };
  for (unsigned i = 0; i < pointers; ++i)
    arguments.push_back(loadFrom(body->getArgument(0), i, pointer));
  for (unsigned i = 0; i < sizes; ++i)
    arguments.push_back(arith::IndexCastOp::create(
        b, loc, b.getIndexType(), loadFrom(body->getArgument(1), i, wide)));
  for (unsigned i : {2, 3})
    arguments.push_back(arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                   body->getArgument(i)));
  arguments.push_back(body->getArgument(4));
  func::CallOp::create(b, loc, itemsFunc, arguments);
  func::ReturnOp::create(b, loc);
}
