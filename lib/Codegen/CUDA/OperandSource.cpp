//===- OperandSource.cpp - Where operands of contractions lie -------------===//

#include "OperandSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Whether the results of `map` have `loops` side by side and in order, so that
/// a position in their common space is an offset in memory.
static bool areNeighbours(AffineMap map, ArrayRef<unsigned> loops) {
  if (loops.size() <= 1)
    return true;
  std::optional<unsigned> first =
      map.getResultPosition(getAffineDimExpr(loops.front(), map.getContext()));
  if (!first || *first + loops.size() > map.getNumResults())
    return false;
  for (auto [i, loop] : llvm::enumerate(loops))
    if (map.getResult(*first + i) != getAffineDimExpr(loop, map.getContext()))
      return false;
  return true;
}

/// The code's pointer for a tensor argument of the kernel: pointers come first,
/// in order.
static Value pointerOf(KernelEmission &e, BlockArgument tensor) {
  unsigned number = llvm::count_if(
      tensor.getOwner()->getArguments().take_front(tensor.getArgNumber()),
      [](Value other) { return isa<RankedTensorType>(other.getType()); });
  Operation *parent = e.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<gpu::GPUFuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<gpu::GPUFuncOp>();
  return function.getArgument(number);
}

std::optional<OperandSource>
OperandSource::find(KernelEmission &e, linalg::GenericOp op, unsigned number,
                    const ContractionSpace &space, ArrayRef<unsigned> outer) {
  OpOperand &operand = op->getOpOperand(number);
  OperandSource source;
  source.map = op.getMatchingIndexingMap(&operand);
  Value tensor = operand.get();
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice)
    tensor = slice.getSource();
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || !source.map.isProjectedPermutation())
    return std::nullopt;
  source.tensor = argument;
  source.sizes = llvm::to_vector(e.elements.sizesOf(argument));
  source.offsets.assign(source.sizes.size(), e.math.constant(0));
  if (slice) {
    ArrayRef<int64_t> offsets = slice.getStaticOffsets();
    bool plain = !slice.getDroppedDims().any() && slice.hasUnitStride() &&
                 !ShapedType::isDynamicShape(offsets) && outer.size() <= 1 &&
                 space.k.size() <= 1;
    if (!plain)
      return std::nullopt;
    for (auto [offset, given] : llvm::zip(source.offsets, offsets))
      offset = e.math.constant(given);
  }
  if (!areNeighbours(source.map, outer) || !areNeighbours(source.map, space.k))
    return std::nullopt;
  source.pointer = pointerOf(e, argument);
  return source;
}

SmallVector<Index> OperandSource::at(IndexMath &math,
                                     ArrayRef<Index> loops) const {
  SmallVector<Index> indices;
  for (auto [expr, offset] : llvm::zip(map.getResults(), offsets))
    indices.push_back(math.add(offset, math.evaluate(expr, loops)));
  return indices;
}

Index OperandSource::strideOf(IndexMath &math, ArrayRef<unsigned> loops) const {
  if (loops.empty())
    return math.constant(0);
  auto expr = getAffineDimExpr(loops.back(), map.getContext());
  std::optional<unsigned> at = map.getResultPosition(expr);
  return at ? math.product(ArrayRef(sizes).drop_front(*at + 1))
            : math.constant(0);
}

Value codegen::offsetPointer(KernelEmission &e, Value pointer, Type element,
                             Index offset) {
  if (IndexMath::constantOf(offset) == int64_t(0))
    return pointer;
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          e.math.value(offset));
  // Not inbounds: nothing is read where the offset leaves the tensor.
  return LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{wide});
}

void codegen::bindNeighbours(CUDAKernel &kernel,
                             ArrayRef<linalg::GenericOp> ops,
                             ArrayRef<Elements> values, ArrayRef<Index> at) {
  IndexMath &math = kernel.e.math;
  Index first = at.empty() ? Index(math.constant(0)) : at.back();
  for (auto [op, own] : llvm::zip(ops, values)) {
    linalg::GenericOp each = op;
    kernel.e.elements.bindSource(
        each.getResult(0), [&kernel, &math, own = Elements(own),
                            first](ArrayRef<Index> index, int64_t vectorSize) {
          if (own.size() == 1 || static_cast<size_t>(vectorSize) == own.size())
            return own;
          // One of them, for code that goes number by number.
          Value chosen = own.front();
          Index element = math.sub(index.back(), first);
          for (size_t i = 1; i < own.size(); ++i) {
            Value isThis = kernel.compare(arith::CmpIPredicate::eq, element,
                                          math.constant(i));
            chosen = kernel.select(isThis, own[i], chosen);
          }
          return Elements(vectorSize, chosen);
        });
  }
}
