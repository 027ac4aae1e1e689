//===- ElementRuns.cpp - Neighbours across the ends of rows ---------------===//
//
// A run is a number of elements that follow each other in a tensor's row-major
// order. It begins at a multiple of its length, so that tensors of the same
// shape are read and written by whole vectors whatever the size of their rows;
// what is broadcast is read where each element's indices say.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/ElementEmitter.h"

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

/// Whether `map` keeps the order of the loops: no two elements that follow each
/// other are far apart in the operand.
static bool keepsOrder(AffineMap map) {
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

static bool hasRuns(linalg::GenericOp op) {
  if (op.getNumReductionLoops() > 0)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (op.isDpsInit(&operand) ? !map.isIdentity() : !keepsOrder(map))
      return false;
  }
  return llvm::none_of(*op.getBlock(),
                       llvm::IsaPred<linalg::IndexOp, tensor::ExtractOp>);
}

bool ElementEmitter::hasRuns(Block &body) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return llvm::all_of(body.without_terminator(), [&](Operation &op) {
    if (!llvm::all_of(op.getResultTypes(), isStatic))
      return false;
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return ::hasRuns(generic);
    return isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               tensor::CastOp, tensor::ConcatOp, tensor::ExtractSliceOp,
               arith::ConstantOp>(op);
  });
}

/// Of the trailing dimensions of `sizes`, how many have elements enough for
/// whole runs; none of the others changes within a run.
static size_t runDims(ArrayRef<int64_t> sizes, int64_t count) {
  int64_t product = 1;
  for (size_t dims = 1; dims <= sizes.size(); ++dims) {
    product *= sizes[sizes.size() - dims];
    if (product % count == 0)
      return dims;
  }
  return sizes.size();
}

int64_t ElementEmitter::runLength(Block &body, ArrayRef<int64_t> sizes,
                                  int64_t longest) {
  // Whether no run has a seam of a concatenation within it.
  auto isWhole = [&](int64_t count) {
    return llvm::all_of(body.getOps<tensor::ConcatOp>(), [&](auto concat) {
      return llvm::all_of(concat.getInputs().getTypes(), [&](Type type) {
        ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
        return ShapedType::getNumElements(shape.drop_front(concat.getDim())) %
                   count ==
               0;
      });
    });
  };
  int64_t half = longest / 2;
  bool better = runDims(sizes, half) < runDims(sizes, longest) ||
                (isWhole(half) && !isWhole(longest));
  return half > 1 && better ? half : longest;
}

//===----------------------------------------------------------------------===//
// Where the elements are
//===----------------------------------------------------------------------===//

/// The indices of each element of a run. Those of the dimensions that do not
/// change are the same values.
SmallVector<SmallVector<Index>>
ElementEmitter::runPlaces(Index first, ArrayRef<Index> sizes, int64_t count) {
  SmallVector<int64_t> known;
  for (Index size : sizes)
    known.push_back(*IndexMath::constantOf(size));
  bool aligned = math.factorOf(first) % count == 0;
  size_t dims = aligned ? runDims(known, count) : known.size();
  ArrayRef<Index> outer = sizes.drop_back(dims), inner = sizes.take_back(dims);
  Index rest = first;
  SmallVector<Index> fixed;
  if (!outer.empty()) {
    Index whole = math.product(inner);
    fixed = math.delinearize(math.div(first, whole), outer);
    rest = math.rem(first, whole);
  }
  SmallVector<SmallVector<Index>> places(count, fixed);
  int64_t columns = known.empty() ? 0 : known.back();
  if (dims < 2 || columns < count) {
    for (int64_t i = 0; i < count; ++i)
      llvm::append_range(
          places[i], math.delinearize(math.add(rest, math.constant(i)), inner));
    return places;
  }
  // At most one row ends within the run.
  OpBuilder &b = math.b();
  Location loc = math.location();
  Index width = inner.back(), row = math.div(rest, width);
  Index column = math.rem(rest, width);
  SmallVector<Index> here = math.delinearize(row, inner.drop_back());
  SmallVector<Index> next =
      math.delinearize(math.add(row, math.constant(1)), inner.drop_back());
  for (int64_t i = 0; i < count; ++i) {
    Index at = math.add(column, math.constant(i));
    Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                       math.value(at), math.value(width));
    auto choose = [&](Index behind, Index before) -> Index {
      if (i == 0 || behind == before)
        return before;
      return arith::SelectOp::create(b, loc, ends, math.value(behind),
                                     math.value(before))
          .getResult();
    };
    for (auto [behind, before] : llvm::zip(next, here))
      places[i].push_back(choose(behind, before));
    places[i].push_back(choose(math.sub(at, width), at));
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Elements ElementEmitter::emitRun(Value tensor, Index first, int64_t count) {
  Key key{tensor.getAsOpaquePointer(), {first.getOpaqueValue()}, -count};
  for (auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  Elements made = emitRunUncached(tensor, first, count);
  memo.back()[key] = made;
  return made;
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
        unsigned result = cast<OpResult>(tensor).getResultNumber();
        return emitGenericRun(generic, result, first, count);
      })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto view) { return emitRun(view.getSrc(), first, count); })
      .Case<tensor::CastOp>(
          [&](auto view) { return emitRun(view.getSource(), first, count); })
      .Case<tensor::ConcatOp>(
          [&](auto concat) { return emitConcatRun(concat, first, count); })
      .Default([&](Operation *) {
        Elements result;
        for (ArrayRef<Index> at : runPlaces(first, sizesOf(tensor), count))
          result.push_back(emitOne(tensor, at));
        return result;
      });
}

Elements ElementEmitter::emitGenericRun(linalg::GenericOp op, unsigned result,
                                        Index first, int64_t count) {
  SmallVector<SmallVector<Index>> places =
      runPlaces(first, sizesOf(op.getResult(result)), count);
  SmallVector<Elements> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Elements values;
    if (op.getMatchingBlockArgument(&operand).use_empty()) {
    } else if (!isa<RankedTensorType>(operand.get().getType())) {
      values = emitOperandElements(op, operand.getOperandNumber(), places[0],
                                   /*vectorLoop=*/-1, count);
    } else if (map.isIdentity()) {
      values = emitRun(operand.get(), first, count);
    } else {
      for (ArrayRef<Index> loops : places) {
        SmallVector<Index> at;
        for (AffineExpr expr : map.getResults())
          at.push_back(math.evaluate(expr, loops));
        values.push_back(emitOne(operand.get(), at));
      }
    }
    operands.push_back(values);
  }
  return emitBodyElements(op, result, operands, places[0], /*vectorLoop=*/-1,
                          count);
}

namespace {
/// A run of a concatenation: the row that element 0 is in, a row being the
/// dimensions from the joined one on, and its place there.
struct JoinedRun {
  Index length, row, at;
  /// Elements of each input's part of a row.
  SmallVector<Index> own;
  /// No run has a seam within it.
  bool whole = false;
};
} // namespace

static JoinedRun joinedRun(ElementEmitter &elements, tensor::ConcatOp op,
                           Index first, int64_t count) {
  IndexMath &math = elements.indexMath();
  ArrayRef<Index> sizes = elements.sizesOf(op.getResult());
  Index unit = math.product(sizes.drop_front(op.getDim() + 1));
  JoinedRun run;
  run.length = math.mul(sizes[op.getDim()], unit);
  run.row = math.div(first, run.length);
  run.at = math.rem(first, run.length);
  run.whole = math.factorOf(first) % count == 0;
  for (Value input : op.getInputs()) {
    run.own.push_back(math.mul(elements.sizesOf(input)[op.getDim()], unit));
    run.whole &= math.factorOf(run.own.back()) % count == 0;
  }
  return run;
}

static Value isBefore(IndexMath &math, Index at, Index end) {
  return arith::CmpIOp::create(math.b(), math.location(),
                               arith::CmpIPredicate::ult, math.value(at),
                               math.value(end));
}

/// Where all inputs are in memory, or are one number: the place is chosen, and
/// one load follows. Branches around loads of vectors would be taken apart
/// later, load by load. Empty for others.
Elements ElementEmitter::emitChosenRun(tensor::ConcatOp op, Index first,
                                       int64_t count) {
  JoinedRun run = joinedRun(*this, op, first, count);
  SmallVector<Joined> inputs;
  const Memory *any = nullptr;
  Index begin = math.constant(0);
  for (auto [tensor, own] : llvm::zip(op.getInputs(), run.own)) {
    const Memory *memory = memoryOf(tensor);
    if (!memory && !tensor.getDefiningOp<arith::ConstantOp>())
      return {};
    if (IndexMath::constantOf(own) == int64_t(0))
      continue;
    inputs.push_back({tensor, begin, own});
    begin = math.add(begin, own);
    if (!memory)
      continue;
    if (memory->packed || (any && (memory->access != any->access ||
                                   memory->readOnly != any->readOnly ||
                                   memory->alignment != any->alignment)))
      return {};
    any = memory;
  }
  if (!any)
    return {};
  if (run.whole)
    return chooseInput(inputs, run.row, run.at, count);
  Elements found;
  ArrayRef<Index> sizes = sizesOf(op.getResult());
  Index rows = math.product(sizes.take_front(op.getDim()));
  for (ArrayRef<Index> at : runPlaces(first, {rows, run.length}, count))
    found.push_back(chooseInput(inputs, at[0], at[1], 1).front());
  return found;
}

/// `count` elements of the input that has element `at` of row `row`.
Elements ElementEmitter::chooseInput(ArrayRef<Joined> inputs, Index row,
                                     Index at, int64_t count) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Memory chosen = *memoryOf(llvm::find_if(inputs, [&](const Joined &input) {
                              return memoryOf(input.tensor);
                            })->tensor);
  // What is loaded where a number stands is not used.
  Value safe = chosen.pointer;
  Index offset = math.constant(0);
  int64_t factor = math.factorOf(offset);
  for (const Joined &input : llvm::reverse(inputs)) {
    const Memory *memory = memoryOf(input.tensor);
    Value pointer = memory ? memory->pointer : safe;
    Index place = math.constant(0);
    if (memory)
      place = math.add(math.mul(row, input.own), math.sub(at, input.begin));
    factor = std::gcd(factor, math.factorOf(place));
    if (&input == &inputs.back()) {
      chosen.pointer = pointer;
      offset = place;
      continue;
    }
    Value here = isBefore(math, at, math.add(input.begin, input.own));
    if (pointer != chosen.pointer)
      chosen.pointer =
          arith::SelectOp::create(b, loc, here, pointer, chosen.pointer);
    if (place != offset)
      offset = arith::SelectOp::create(b, loc, here, math.value(place),
                                       math.value(offset))
                   .getResult();
  }
  if (auto value = dyn_cast<Value>(offset))
    math.setFactor(value, factor);
  chosen.sizes = {math.constant(0)};
  Elements found = load(chosen, {offset}, count);
  for (const Joined &input : inputs) {
    if (memoryOf(input.tensor))
      continue;
    SmallVector<Index> origin(sizesOf(input.tensor).size(), math.constant(0));
    Value number = emitOne(input.tensor, origin);
    Value here = isBefore(math, math.sub(at, input.begin), input.own);
    for (Value &value : found)
      value = arith::SelectOp::create(b, loc, here, number, value);
  }
  return found;
}

/// A run of one input as it lies there, or elements one by one where a seam is
/// within the run.
Elements ElementEmitter::emitConcatRun(tensor::ConcatOp op, Index first,
                                       int64_t count) {
  if (Elements chosen = emitChosenRun(op, first, count); !chosen.empty())
    return chosen;
  JoinedRun run = joinedRun(*this, op, first, count);
  SmallVector<Type> types(count,
                          computeType(op.getResultType().getElementType()));
  OpBuilder &b = math.b();
  Location loc = math.location();
  OpBuilder::InsertionGuard guard(b);
  Elements found;
  bool isInside = false, isComplete = false;
  SmallVector<std::unique_ptr<Scope>> scopes;
  auto yield = [&](const Elements &values) {
    if (isInside)
      scf::YieldOp::create(b, loc, values);
    else
      found = values;
  };
  Index begin = math.constant(0);
  for (auto [input, own] : llvm::zip(op.getInputs(), run.own)) {
    Index from = math.sub(run.at, begin);
    begin = math.add(begin, own);
    auto emitOwn = [&] {
      yield(emitRun(input, math.add(math.mul(run.row, own), from), count));
    };
    if (run.whole && begin == run.length) {
      emitOwn();
      isComplete = true;
      break;
    }
    if (*IndexMath::constantOf(own) < count)
      continue;
    // begin <= at <= end - count, as one comparison.
    Value inside = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ule, math.value(from),
        math.value(math.sub(own, math.constant(count))));
    auto branch = scf::IfOp::create(b, loc, types, inside, true);
    yield(Elements(branch.getResults()));
    isInside = true;
    {
      Scope scope(*this);
      b.setInsertionPointToStart(branch.thenBlock());
      emitOwn();
    }
    scopes.push_back(std::make_unique<Scope>(*this));
    b.setInsertionPointToStart(branch.elseBlock());
  }
  if (!isComplete) {
    Elements values;
    for (ArrayRef<Index> at : runPlaces(first, sizesOf(op.getResult()), count))
      values.push_back(emitOne(op.getResult(), at));
    yield(values);
  }
  while (!scopes.empty())
    scopes.pop_back();
  return found;
}
