//===- ElementRuns.cpp - Neighbours across the ends of rows ---------------===//
//
// A run is a number of elements that follow each other in a tensor's row-major
// order. It begins at a multiple of its length, so that tensors of the same
// shape are read and written by whole vectors whatever the size of their rows;
// what is broadcast is read where each element's indices say.
//
//===----------------------------------------------------------------------===//

#include "RunPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===----------------------------------------------------------------------===//
// What has runs
//===----------------------------------------------------------------------===//

/// Whether `map` keeps the order of the loops: no two elements of an operand of
/// `shape` that follow each other are far apart. Dimensions of one element may
/// be anywhere.
static bool keepsOrder(AffineMap map, ArrayRef<int64_t> shape) {
  int64_t last = -1;
  for (auto [expr, size] : llvm::zip(map.getResults(), shape)) {
    if (isa<AffineConstantExpr>(expr) || size == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

/// Whether no two elements of a row are far apart in the operand: the last loop
/// is that of its last dimension, or none of it.
static bool keepsRows(AffineMap map) {
  unsigned last = map.getNumDims() - 1;
  return map.getNumDims() > 0 &&
         map.isProjectedPermutation(/*allowZero=*/true) &&
         (!map.isFunctionOfDim(last) ||
          map.getResults().back() == getAffineDimExpr(last, map.getContext()));
}

/// Whether the body of `op` depends on where it is.
static bool readsIndices(linalg::GenericOp op) {
  return llvm::any_of(*op.getBlock(),
                      llvm::IsaPred<linalg::IndexOp, tensor::ExtractOp>);
}

static bool hasRuns(linalg::GenericOp op, bool inOrder) {
  if (op.getNumReductionLoops() > 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto tensor = dyn_cast<RankedTensorType>(operand.get().getType());
    if (op.isDpsInit(&operand)) {
      if (!map.isIdentity())
        return false;
    } else if (tensor && !keepsOrder(map, tensor.getShape()) &&
               (inOrder || !keepsRows(map))) {
      return false;
    }
  }
  return !readsIndices(op);
}

/// Whether the elements of an operand of `type` are those of all `loops`, in
/// their order.
static bool isWhole(AffineMap map, Type type, ArrayRef<int64_t> loops) {
  auto tensor = cast<RankedTensorType>(type);
  // Of a loop, as many elements as it has: dimensions of one are broadcast.
  auto hasAll = [&](auto loop) {
    auto [number, size] = loop;
    for (auto [expr, own] : llvm::zip(map.getResults(), tensor.getShape()))
      if (expr == getAffineDimExpr(number, map.getContext()))
        return own == size;
    return size == 1;
  };
  return map.isIdentity() || (keepsOrder(map, tensor.getShape()) &&
                              llvm::all_of(llvm::enumerate(loops), hasAll));
}

/// Whether `index`, in the body of `op`, is computed from elements of tensors.
static bool isData(linalg::GenericOp op, Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return argument.getOwner() == op.getBlock();
  Operation *made = index.getDefiningOp();
  return made->getBlock() == op.getBlock() &&
         (isa<tensor::ExtractOp>(made) ||
          llvm::any_of(made->getOperands(),
                       [&](Value operand) { return isData(op, operand); }));
}

/// Whether `op` reads at indices that are elements of tensors.
static bool isGather(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 &&
         llvm::any_of(op.getBlock()->getOps<tensor::ExtractOp>(),
                      [&](tensor::ExtractOp extract) {
                        return llvm::any_of(
                            extract.getIndices(),
                            [&](Value index) { return isData(op, index); });
                      });
}

bool ElementEmitter::hasRuns(Block &body, bool inOrder, bool mayGather) {
  return llvm::all_of(body.without_terminator(), [&](Operation &op) {
    // Arithmetic on sizes.
    if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return true;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return (mayGather && isGather(generic)) || ::hasRuns(generic, inOrder);
    return isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::CastOp, tensor::ConcatOp, tensor::ExtractSliceOp,
               arith::ConstantOp, kernel::ScanOp>(op);
  });
}

bool ElementEmitter::isInOrder(Block &body) {
  auto isWholeIn = [](linalg::GenericOp op, OpOperand &operand) {
    auto tensor = dyn_cast<RankedTensorType>(operand.get().getType());
    auto result = cast<RankedTensorType>(op.getResult(0).getType());
    return !tensor ||
           (tensor.hasStaticShape() && tensor.getNumElements() == 1) ||
           isWhole(op.getMatchingIndexingMap(&operand), tensor,
                   result.getShape());
  };
  return llvm::all_of(body.without_terminator(), [&](Operation &op) {
    if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return true;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return ::hasRuns(generic, /*inOrder=*/true) &&
             llvm::all_of(generic->getOpOperands(), [&](OpOperand &operand) {
               return isWholeIn(generic, operand);
             });
    return isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::CastOp, arith::ConstantOp>(op);
  });
}

int64_t ElementEmitter::joinedParts(Block &body) {
  // Beyond it, there is nothing more to know.
  constexpr int64_t many = 1 << 20;
  llvm::DenseMap<Value, int64_t> parts;
  int64_t most = 1;
  for (Operation &op : body.without_terminator()) {
    int64_t sum = 0, largest = 1;
    for (Value operand : op.getOperands()) {
      auto known = parts.find(operand);
      int64_t own = known == parts.end() ? 1 : known->second;
      sum = std::min(many, sum + own);
      largest = std::max(largest, own);
    }
    int64_t own = isa<tensor::ConcatOp>(op) ? sum : largest;
    for (Value result : op.getResults())
      parts[result] = own;
    most = std::max(most, own);
  }
  return most;
}

bool ElementEmitter::hasSeams(Block &body, int64_t count) {
  return llvm::any_of(body.getOps<tensor::ConcatOp>(), [&](auto concat) {
    return llvm::any_of(concat.getInputs().getTypes(), [&](Type type) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      return concat.getDim() + 1 == shape.size() && shape.back() % count != 0;
    });
  });
}

int64_t ElementEmitter::runLength(Block &body, int64_t longest) {
  auto factorOf = [](ArrayRef<int64_t> shape) {
    int64_t product = 1;
    for (int64_t size : shape)
      product *= ShapedType::isDynamic(size) ? 1 : size;
    return product;
  };
  // Whether no run has a seam within it of what is computed while it is joined.
  // Of tensors in memory a run has parts.
  auto isWhole = [&](int64_t count) {
    return llvm::all_of(body.getOps<tensor::ConcatOp>(), [&](auto concat) {
      if (llvm::none_of(concat.getInputs(), [](Value input) {
            return input.getDefiningOp<linalg::GenericOp>();
          }))
        return true;
      return llvm::all_of(concat.getInputs().getTypes(), [&](Type type) {
        ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
        return factorOf(shape.drop_front(concat.getDim())) % count == 0;
      });
    });
  };
  int64_t half = longest / 2;
  return half > 1 && isWhole(half) && !isWhole(longest) ? half : longest;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

const Elements *ElementEmitter::foundRun(Value tensor, Index first,
                                         int64_t count) const {
  Key key{tensor.getAsOpaquePointer(), {first.getOpaqueValue()}, -count};
  for (const auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return &it->second;
  return nullptr;
}

Elements ElementEmitter::emitRun(Value tensor, Index first, int64_t count) {
  if (const Elements *found = foundRun(tensor, first, count))
    return *found;
  Elements made = emitRunUncached(tensor, first, count);
  bindRun(tensor, first, made);
  return made;
}

void ElementEmitter::bindRun(Value tensor, Index first, Elements elements) {
  int64_t count = elements.size();
  memo.back()[{tensor.getAsOpaquePointer(), {first.getOpaqueValue()}, -count}] =
      std::move(elements);
}

Elements ElementEmitter::loadOverEnd(const Memory &flat, Index first,
                                     Elements vector) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  auto wide = [&](Index index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                      math.value(index));
  };
  Value begin = wide(first);
  Value left = arith::SubIOp::create(b, loc, wide(flat.sizes.front()), begin);
  Value pointer = LLVM::GEPOp::create(
      b, loc, flat.pointer.getType(), storedType(flat.elementType),
      flat.pointer, ArrayRef<LLVM::GEPArg>{begin});
  auto compareLeft = [&](arith::CmpIPredicate predicate, int64_t with) {
    Value number = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(with));
    return arith::CmpIOp::create(b, loc, predicate, left, number);
  };
  int64_t count = vector.size();
  Value ends = compareLeft(arith::CmpIPredicate::slt, count);
  for (int64_t i = 0; i + 1 < count; ++i) {
    Value holds = arith::AndIOp::create(
        b, loc, ends, compareLeft(arith::CmpIPredicate::sgt, i));
    vector[i] =
        loadPredicated(flat, {{pointer, holds}}, i, 1, vector[i]).front();
  }
  return vector;
}

Elements ElementEmitter::emitRunUncached(Value tensor, Index first,
                                         int64_t count) {
  if (auto it = memories.find(tensor); it != memories.end()) {
    Memory flat = it->second;
    flat.sizes = {math.product(flat.sizes)};
    return load(flat, {first}, count);
  }
  return llvm::TypeSwitch<Operation *, Elements>(tensor.getDefiningOp())
      .Case<linalg::GenericOp>([&](auto generic) {
        if (readsIndices(generic))
          return emitRunElements(tensor, first, count);
        unsigned result = cast<OpResult>(tensor).getResultNumber();
        return emitGenericRun(generic, result, first, count);
      })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto view) { return emitRun(view.getSrc(), first, count); })
      .Case<tensor::CastOp>(
          [&](auto view) { return emitRun(view.getSource(), first, count); })
      .Case<tensor::ConcatOp>(
          [&](auto concat) { return emitConcatRun(concat, first, count); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto slice) { return emitSliceRun(slice, first, count); })
      .Default(
          [&](Operation *) { return emitRunElements(tensor, first, count); });
}

/// Element by element, each at its indices.
Elements ElementEmitter::emitRunElements(Value tensor, Index first,
                                         int64_t count) {
  Elements found;
  for (ArrayRef<Index> at : runPlaces(first, sizesOf(tensor), count).at)
    found.push_back(emitOne(tensor, at));
  return found;
}

/// A slice's rows, which lie in those of its source as they are, begin with the
/// innermost dimension that is cut: parts of a run that are in one of them are
/// runs of the source.
Elements ElementEmitter::emitSliceRun(tensor::ExtractSliceOp op, Index first,
                                      int64_t count) {
  ArrayRef<Index> to = sizesOf(op.getResult()), from = sizesOf(op.getSource());
  SmallVector<Index> offsets = op.getMixedOffsets();
  SmallVector<Index> strides = op.getMixedStrides();
  size_t cut = from.size();
  bool isSame = op.getDroppedDims().none();
  while (isSame && cut > 0 && from[cut - 1] == to[cut - 1] &&
         IndexMath::constantOf(mapped(offsets[cut - 1])) == int64_t(0) &&
         IndexMath::constantOf(mapped(strides[cut - 1])) == int64_t(1))
    --cut;
  bool isRow = isSame && cut > 0 &&
               IndexMath::constantOf(mapped(strides[cut - 1])) == int64_t(1);
  Elements found;
  if (isSame && cut == 0)
    return emitRun(op.getSource(), first, count);
  if (!isRow) {
    for (ArrayRef<Index> at : runPlaces(first, to, count).at)
      found.push_back(emitOne(op.getResult(), at));
    return found;
  }
  Index unit = math.product(to.drop_front(cut));
  SmallVector<Index> rows(to.take_front(cut)), sources(from.take_front(cut));
  rows.back() = math.mul(rows.back(), unit);
  sources.back() = math.mul(sources.back(), unit);
  auto offsetOf = [&](ArrayRef<Index> place) {
    SmallVector<Index> at(place);
    for (size_t dim = 0; dim < cut; ++dim) {
      Index offset = mapped(offsets[dim]);
      if (dim + 1 == cut)
        offset = math.mul(offset, unit);
      at[dim] = math.add(math.mul(at[dim], mapped(strides[dim])), offset);
    }
    return math.linearize(at, sources);
  };
  int64_t part = partOfRun(first, rows.back(), count);
  RunPlaces places = runPlaces(first, rows, count, part);
  const Memory *memory = memoryOf(op.getSource());
  if (memory && !memory->packed && !places.isBehind.empty())
    return loadOverRow(*memory, offsetOf(places.at.front()),
                       offsetOf(places.next), places, math.constant(1), part);
  for (ArrayRef<Index> place : places.at)
    llvm::append_range(found, emitRun(op.getSource(), offsetOf(place), part));
  return found;
}

namespace {
/// The loops of an operand that has not all of them, with those that follow
/// each other joined: 14 x 14 elements of a channel are 196 for what each
/// channel has one of.
struct JoinedLoops {
  SmallVector<Index> sizes;
  /// Of each dimension of the operand, the loop; none: it has one element.
  SmallVector<std::optional<unsigned>> loopOf;
  /// The operand's own dimensions joined, where it is in memory.
  SmallVector<Index> operandSizes;
};
} // namespace

static JoinedLoops joinLoops(IndexMath &math, AffineMap map,
                             ArrayRef<Index> sizes, ArrayRef<Index> own,
                             bool isMemory) {
  SmallVector<int64_t> placeOf(sizes.size(), -1);
  for (auto [place, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      placeOf[dim.getPosition()] = place;
  JoinedLoops joined;
  SmallVector<unsigned> joinedAs(sizes.size());
  for (size_t loop = 0; loop < sizes.size(); ++loop) {
    bool follows =
        loop > 0 &&
        (placeOf[loop] < 0 ? placeOf[loop - 1] < 0
                           : isMemory && placeOf[loop - 1] >= 0 &&
                                 placeOf[loop] == placeOf[loop - 1] + 1);
    if (follows)
      joined.sizes.back() = math.mul(joined.sizes.back(), sizes[loop]);
    else
      joined.sizes.push_back(sizes[loop]);
    joinedAs[loop] = joined.sizes.size() - 1;
  }
  for (auto [place, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    std::optional<unsigned> loop;
    if (dim)
      loop = joinedAs[dim.getPosition()];
    if (loop && !joined.loopOf.empty() && joined.loopOf.back() == loop) {
      joined.operandSizes.back() =
          math.mul(joined.operandSizes.back(), own[place]);
      continue;
    }
    joined.loopOf.push_back(loop);
    joined.operandSizes.push_back(own[place]);
  }
  return joined;
}

/// The elements of a run that at most one row ends within: those of a row are
/// `step` apart from `here` on, and those of the next one as if it began at
/// `next`, which may be in front of the tensor. Of two addresses, one is chosen
/// for each part; what is added to them is mostly constant.
Elements ElementEmitter::loadOverRow(const Memory &memory, Index here,
                                     Index next, const RunPlaces &places,
                                     Index step, int64_t part) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Type storage = storedType(memory.elementType);
  auto behind = [&](Value pointer, Index offset) -> Value {
    Value wide =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(offset));
    return LLVM::GEPOp::create(b, loc, pointer.getType(), storage, pointer,
                               ArrayRef<LLVM::GEPArg>{wide},
                               LLVM::GEPNoWrapFlags::none);
  };
  Value first = behind(memory.pointer, here);
  Value second = behind(memory.pointer, next);
  Memory chosen = memory;
  chosen.sizes = {math.constant(0)};
  int64_t factor = std::gcd(math.factorOf(here), math.factorOf(next));
  if (places.at.size() > 1)
    factor = std::gcd(factor, part * math.factorOf(step));
  chosen.alignment =
      std::gcd(memory.alignment, factor * storage.getIntOrFloatBitWidth() / 8);
  Elements found;
  for (auto [number, isBehind] : llvm::enumerate(places.isBehind)) {
    Value row = first;
    if (number > 0)
      row = arith::SelectOp::create(b, loc, isBehind, second, first);
    chosen.pointer = behind(row, math.mul(step, math.constant(number * part)));
    llvm::append_range(found, load(chosen, {math.constant(0)}, part));
  }
  return found;
}

/// An operand that has not all loops: whole parts of rows where it has the last
/// one, else one element for each row.
Elements ElementEmitter::emitBroadcastRun(Value tensor, AffineMap map,
                                          Index first, ArrayRef<Index> sizes,
                                          int64_t count) {
  const Memory *memory = memoryOf(tensor);
  JoinedLoops loops =
      joinLoops(math, map, sizes, sizesOf(tensor), memory != nullptr);
  Memory joined;
  if (memory) {
    joined = *memory;
    joined.sizes = loops.operandSizes;
  }
  auto emitAt = [&](ArrayRef<Index> place, int64_t width) {
    SmallVector<Index> at;
    for (std::optional<unsigned> loop : loops.loopOf)
      at.push_back(loop ? place[*loop] : math.constant(0));
    return memory ? load(joined, at, width) : emit(tensor, at, width);
  };
  Elements found;
  if (llvm::none_of(loops.loopOf, [](auto loop) { return loop.has_value(); }))
    return Elements(count, emitAt({}, 1).front());
  unsigned last = loops.sizes.size() - 1;
  bool varies = llvm::is_contained(loops.loopOf, last);
  // A dimension of one element may be behind the last loop's.
  bool isRow = !varies || loops.loopOf.back() == last;
  int64_t part = isRow ? partOfRun(first, loops.sizes.back(), count) : 1;
  RunPlaces places = runPlaces(first, loops.sizes, count, part);
  if (!varies && part < count && !places.isBehind.empty()) {
    Value before = emitAt(places.at.front(), 1).front();
    Value behind = emitAt(places.at.back(), 1).front();
    for (Value isBehind : places.isBehind)
      found.append(part, arith::SelectOp::create(math.b(), math.location(),
                                                 isBehind, behind, before)
                             .getResult());
    return found;
  }
  if (varies && memory && !memory->packed && !places.isBehind.empty()) {
    auto offsetOf = [&](ArrayRef<Index> place) {
      SmallVector<Index> at;
      for (std::optional<unsigned> loop : loops.loopOf)
        at.push_back(loop ? place[*loop] : math.constant(0));
      return math.linearize(at, joined.sizes);
    };
    const auto *dim = llvm::find(loops.loopOf, last);
    Index step = math.product(
        ArrayRef(joined.sizes).drop_front(dim - loops.loopOf.begin() + 1));
    return loadOverRow(joined, offsetOf(places.at.front()),
                       offsetOf(places.next), places, step, part);
  }
  for (ArrayRef<Index> place : places.at) {
    if (varies)
      llvm::append_range(found, emitAt(place, part));
    else
      found.append(part, emitAt(place, 1).front());
  }
  return found;
}

Elements ElementEmitter::emitGenericRun(linalg::GenericOp op, unsigned result,
                                        Index first, int64_t count) {
  ArrayRef<Index> sizes = sizesOf(op.getResult(result));
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getResult(result).getType()).getShape();
  SmallVector<Index> origin(op.getNumLoops(), math.constant(0));
  SmallVector<Elements> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Elements values;
    if (op.getMatchingBlockArgument(&operand).use_empty()) {
    } else if (!isa<RankedTensorType>(operand.get().getType())) {
      values = emitOperandElements(op, operand.getOperandNumber(), origin,
                                   /*vectorLoop=*/-1, count);
    } else if (isWhole(map, operand.get().getType(), shape)) {
      values = emitRun(operand.get(), first, count);
    } else {
      values = emitBroadcastRun(operand.get(), map, first, sizes, count);
    }
    operands.push_back(values);
  }
  return emitBodyElements(op, result, operands, origin, /*vectorLoop=*/-1,
                          count);
}
