//===- PermutedTensors.cpp - What a loop reads in other orders ------------===//

#include "PermutedTensors.h"

#include "Codegen/Emit/TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static bool isOne(Index size) {
  return IndexMath::constantOf(size) == int64_t(1);
}

/// Where `tensor` is read at all elements of the output.
std::optional<PermutedTensor> PermutedTensors::orderOf(Value tensor,
                                                       AffineMap map) {
  if (!map || !memoryBehind(tensor))
    return std::nullopt;
  Type type = ElementEmitter::storageType(
      cast<RankedTensorType>(tensor.getType()).getElementType());
  PermutedTensor found{tensor, map, type.getIntOrFloatBitWidth() / 8,
                       {},     {},  {}};
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && expr != e.constantExpr(0))
      return std::nullopt;
    if (!dim || isOne(sizes[dim.getPosition()]))
      continue;
    if (llvm::is_contained(found.order, dim.getPosition()))
      return std::nullopt;
    found.order.push_back(dim.getPosition());
  }
  if (found.order.size() != output.size())
    return std::nullopt;
  return found;
}

bool PermutedTensors::collect(
    llvm::function_ref<bool(const PermutedTensor &)> goesThrough) {
  sizes = e.results.front().sizes;
  for (const Memory &result : e.results)
    if (result.sizes != sizes || result.packed)
      return false;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!isOne(size))
      output.push_back(dim);
  for (auto [tensor, map] : readsOf(e)) {
    std::optional<PermutedTensor> found = orderOf(tensor, map);
    if (!found)
      continue;
    if (found->order == output) {
      if (e.elements.memoryOf(tensor))
        along.push_back(*found);
    } else if (goesThrough(*found)) {
      staged.push_back(*found);
    }
  }
  if (staged.empty())
    return false;
  joinDims();
  return true;
}

/// Dimensions that follow each other in all tensors become one.
void PermutedTensors::joinDims() {
  SmallVector<unsigned> numberOf(sizes.size(), 0);
  for (auto [at, dim] : llvm::enumerate(output)) {
    bool follows =
        at > 0 && llvm::all_of(staged, [&](const PermutedTensor &tensor) {
          const auto *place = llvm::find(tensor.order, dim);
          return place != tensor.order.begin() &&
                 *std::prev(place) == output[at - 1];
        });
    if (!follows)
      parts.emplace_back();
    parts.back().push_back(dim);
    numberOf[dim] = parts.size() - 1;
  }
  auto renumber = [&](BoxOrder &order) {
    for (unsigned &dim : order)
      dim = numberOf[dim];
    order.erase(llvm::unique(order), order.end());
  };
  for (PermutedTensor &tensor : staged)
    renumber(tensor.order);
  for (PermutedTensor &tensor : along)
    renumber(tensor.order);
  renumber(output);
}

Index PermutedTensors::sizeOf(unsigned dim) {
  Index size = math.constant(1);
  for (unsigned part : parts[dim])
    size = math.mul(size, sizes[part]);
  return size;
}

Index PermutedTensors::sizeOf(ArrayRef<unsigned> of) {
  Index size = math.constant(1);
  for (unsigned dim : of)
    size = math.mul(size, sizeOf(dim));
  return size;
}

AffineExpr PermutedTensors::sizeExpr(unsigned dim) {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0), factors;
  for (unsigned part : parts[dim])
    factors.push_back(exprs[part]);
  return KernelEmission::product(factors, e.kernel.getContext());
}

void PermutedTensors::setPoint(SmallVectorImpl<Index> &point,
                               ArrayRef<unsigned> of, Index at) {
  SmallVector<unsigned> all;
  SmallVector<Index> each;
  for (unsigned dim : of)
    for (unsigned part : parts[dim]) {
      all.push_back(part);
      each.push_back(sizes[part]);
    }
  for (auto [dim, index] : llvm::zip(all, math.delinearize(at, each)))
    point[dim] = index;
}
