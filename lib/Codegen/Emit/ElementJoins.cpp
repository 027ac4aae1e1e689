//===- ElementJoins.cpp - Runs of joined and padded tensors ---------------===//
//
// Where a run has elements of several tensors, places are chosen and loads
// follow, without branches: LLVM takes the loads of vectors apart when their
// elements meet behind branches. Where there is no vector to load, runs that
// are of one tensor, as most are, have a branch of their own.
//
//===----------------------------------------------------------------------===//

#include "RunPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===----------------------------------------------------------------------===//
// Tensors in memory
//===----------------------------------------------------------------------===//

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

/// Elements from one seam to the next, on average, from which on most warps,
/// which have 256 of 16 bits, have none.
static constexpr int64_t rareSeam = 512;

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
  bool loads = !loadsNothing(any->access);
  bool isOnGpu =
      cast<LLVM::LLVMPointerType>(any->pointer.getType()).getAddressSpace() > 0;
  // Where seams are near, most warps have both kinds of runs.
  std::optional<int64_t> length = math.expectedOf(run.length);
  bool isRare = length && *length >= rareSeam * int64_t(inputs.size());
  if (!loads || !isOnGpu || !isRare)
    return emitChosenParts(op, inputs, first, count);
  OpBuilder &b = math.b();
  Value isOfMany = isOfSeveral(inputs, run.at, count);
  auto one = [&](OpBuilder &, Location loc) {
    Scope scope(*this);
    scf::YieldOp::create(b, loc, chooseInput(inputs, run.row, run.at, count));
  };
  auto several = [&](OpBuilder &, Location loc) {
    Scope scope(*this);
    scf::YieldOp::create(b, loc, emitChosenParts(op, inputs, first, count));
  };
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, math.location(), isOfMany, several, one);
  return Elements(branch.getResults());
}

/// Whether no input has all elements of a run from column `at` on.
Value ElementEmitter::isOfSeveral(ArrayRef<Joined> inputs, Index at,
                                  int64_t count) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Index end = math.add(at, math.constant(count));
  Value isOutsideAll;
  for (const Joined &input : inputs) {
    Value begins = isBefore(math, at, input.begin);
    Value ends = isBefore(math, math.add(input.begin, input.own), end);
    Value isOutside = arith::OrIOp::create(b, loc, begins, ends);
    isOutsideAll =
        isOutsideAll
            ? arith::AndIOp::create(b, loc, isOutsideAll, isOutside).getResult()
            : isOutside;
  }
  return isOutsideAll;
}

/// A run of several inputs, in parts that are of one each.
Elements ElementEmitter::emitChosenParts(tensor::ConcatOp op,
                                         ArrayRef<Joined> inputs, Index first,
                                         int64_t count) {
  Elements found;
  ArrayRef<Index> sizes = sizesOf(op.getResult());
  Index rows = math.product(sizes.take_front(op.getDim()));
  Index length = math.product(sizes.drop_front(op.getDim()));
  int64_t part = partOfRun(first, length, count);
  for (const Joined &input : inputs)
    part = std::gcd(part, math.factorOf(input.own));
  for (ArrayRef<Index> at : runPlaces(first, {rows, length}, count, part).at)
    llvm::append_range(found, chooseInput(inputs, at[0], at[1], part));
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
  Elements found = loadUnaligned(chosen, offset, count);
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

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

namespace tripy::codegen {
/// A tensor with borders of one value.
struct Padded {
  Value inner;
  arith::ConstantOp border;
  /// The places of the tensor's first element.
  SmallVector<Index> low;
};
} // namespace tripy::codegen

/// The inputs of `op` but one are borders.
static bool addBorder(ElementEmitter &elements, tensor::ConcatOp op,
                      Padded &padded) {
  IndexMath &math = elements.indexMath();
  Value inner;
  Index low = math.constant(0);
  for (Value input : op.getInputs()) {
    auto border = input.getDefiningOp<arith::ConstantOp>();
    if (!border) {
      if (inner)
        return false;
      inner = input;
      continue;
    }
    auto valueOf = [](arith::ConstantOp constant) {
      return cast<SplatElementsAttr>(constant.getValue())
          .getSplatValue<Attribute>();
    };
    if (padded.border && valueOf(border) != valueOf(padded.border))
      return false;
    padded.border = border;
    if (!inner)
      low = math.add(low, elements.sizesOf(input)[op.getDim()]);
  }
  if (!inner)
    return false;
  padded.inner = inner;
  padded.low[op.getDim()] = math.add(padded.low[op.getDim()], low);
  return true;
}

/// What pads make, one dimension after the other. A border reads the first
/// element of the tensor, which therefore has one: its sizes are known.
static std::optional<Padded> paddedBy(ElementEmitter &elements,
                                      tensor::ConcatOp op) {
  Padded padded;
  padded.low.assign(op.getResultType().getRank(),
                    elements.indexMath().constant(0));
  if (!addBorder(elements, op, padded) || !padded.border)
    return std::nullopt;
  while (auto inner = padded.inner.getDefiningOp<tensor::ConcatOp>()) {
    Padded more = padded;
    if (!addBorder(elements, inner, more))
      break;
    padded = more;
  }
  auto type = cast<RankedTensorType>(padded.inner.getType());
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  return padded;
}

static Value isBelow(IndexMath &math, Index at, Index size) {
  return arith::CmpIOp::create(math.b(), math.location(),
                               arith::CmpIPredicate::ult, math.value(at),
                               math.value(size));
}

static Value both(IndexMath &math, Value a, Value b) {
  return a && b ? arith::AndIOp::create(math.b(), math.location(), a, b)
                      .getResult()
         : a    ? a
                : b;
}

/// The number in the tensor of sizes `own` of the row at `at` of the result's
/// `rows`, and whether it is there; null where all are.
static std::pair<Index, Value> rowInside(IndexMath &math, ArrayRef<Index> at,
                                         ArrayRef<Index> low,
                                         ArrayRef<Index> own,
                                         ArrayRef<Index> rows) {
  SmallVector<Index> outer;
  Value inside;
  for (size_t dim = 0; dim + 1 < rows.size(); ++dim) {
    outer.push_back(math.sub(at[dim], low[dim]));
    if (own[dim] != rows[dim])
      inside = both(math, inside, isBelow(math, outer[dim], own[dim]));
  }
  return {math.linearize(outer, own.drop_back()), inside};
}

namespace tripy::codegen {
/// A run of a padded tensor. A row is the dimensions from the last padded one
/// on.
struct PadRun {
  /// Of the result and of the tensor, the joined rows in the last dimension.
  SmallVector<Index> rows, own;
  /// The places of the tensor's first element.
  SmallVector<Index> low;
  /// Elements that no border begins or ends between.
  int64_t part = 0;
  /// Of each part.
  RunPlaces places = {};
};
} // namespace tripy::codegen

/// Whether at most one row ends within the run, and its parts are words that
/// CUDA loads under a predicate.
bool ElementEmitter::canPredicate(const Memory &memory, const PadRun &run) {
  std::optional<int64_t> width = IndexMath::constantOf(run.rows.back());
  int64_t bytes =
      run.part * storageType(memory.elementType).getIntOrFloatBitWidth() / 8;
  return !loadsNothing(memory.access) && !memory.packed &&
         !run.places.isBehind.empty() && width &&
         *width <= std::numeric_limits<int32_t>::max() &&
         (bytes == 2 || bytes == 4 || bytes == 8);
}

/// Of the row that the run begins in, and of the next one, a part's place is a
/// constant behind that of the first part. Its column says in which of the two
/// it is, if the tensor has it.
Elements ElementEmitter::emitPredicatedParts(const Memory &memory,
                                             const PadRun &run, Value border) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  auto word = [&](Index index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                      math.value(index));
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value own = word(run.own.back());
  Index column = math.sub(run.places.at.front().back(), run.low.back());
  Type storage = storageType(memory.elementType);
  SmallVector<Value> pointers, columns;
  for (bool isNext : {false, true}) {
    auto [row, isRow] =
        rowInside(math, isNext ? run.places.at.back() : run.places.at.front(),
                  run.low, run.own, run.rows);
    Index first = isNext ? math.sub(column, run.rows.back()) : column;
    Index place = math.add(math.mul(row, run.own.back()), first);
    Value offset =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), math.value(place));
    // It may be in front of the tensor, where its own parts are not.
    pointers.push_back(LLVM::GEPOp::create(
        b, loc, memory.pointer.getType(), storage, memory.pointer,
        ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::none));
    Value at = word(first);
    if (isRow)
      at = arith::SelectOp::create(b, loc, isRow, at, own);
    columns.push_back(at);
  }
  Elements found;
  for (size_t part = 0; part < run.places.at.size(); ++part) {
    int64_t ahead = part * run.part;
    SmallVector<GuardedPlace> places;
    for (auto [pointer, first] : llvm::zip(pointers, columns)) {
      Value at = arith::AddIOp::create(b, loc, first, number(ahead));
      places.push_back(
          {pointer,
           arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, own)});
    }
    llvm::append_range(found,
                       loadPredicated(memory, places, ahead, run.part, border));
  }
  return found;
}

/// The parts of a run, each loaded from its place or from a safe one, and
/// chosen, without a branch. Loads behind branches would follow each other.
Elements ElementEmitter::emitPadParts(const Padded &padded, const PadRun &run,
                                      Value border) {
  if (const Memory *memory = memoryOf(padded.inner);
      memory && canPredicate(*memory, run))
    return emitPredicatedParts(*memory, run, border);
  OpBuilder &b = math.b();
  Location loc = math.location();
  const RunPlaces &places = run.places;
  auto rowOf = [&](ArrayRef<Index> at) {
    return rowInside(math, at, run.low, run.own, run.rows);
  };
  auto [row, isRow] = rowOf(places.at.front());
  auto [lastRow, isLastRow] = rowOf(places.at.back());
  Elements found;
  for (auto [number, at] : llvm::enumerate(places.at)) {
    auto choose = [&](Value behind, Value before) -> Value {
      return behind == before
                 ? before
                 : arith::SelectOp::create(b, loc, places.isBehind[number],
                                           behind, before)
                       .getResult();
    };
    Index ownRow = row;
    Value inside = isRow;
    if (places.isBehind.empty()) {
      std::tie(ownRow, inside) = rowOf(at);
    } else if (row != lastRow) {
      ownRow = choose(math.value(lastRow), math.value(row));
      inside = isRow ? choose(isLastRow, isRow) : isRow;
    }
    Index column = math.sub(at.back(), run.low.back());
    inside = both(math, inside, isBelow(math, column, run.own.back()));
    Index place = math.add(math.mul(ownRow, run.own.back()), column);
    Value safe = arith::SelectOp::create(b, loc, inside, math.value(place),
                                         math.value(math.constant(0)));
    math.setFactor(safe, math.factorOf(place));
    for (Value value : emitRun(padded.inner, safe, run.part))
      found.push_back(arith::SelectOp::create(b, loc, inside, value, border));
  }
  return found;
}

/// Whether the run's first or last element is in a row that the tensor has;
/// null where it is not worth a branch: the tensor has most of the rows, or a
/// run may have several.
static Value mayBeInside(IndexMath &math, const PadRun &run) {
  if (run.places.isBehind.empty() && run.places.at.size() > 1)
    return {};
  std::optional<int64_t> all =
      IndexMath::constantOf(math.product(ArrayRef(run.rows).drop_back()));
  std::optional<int64_t> own =
      IndexMath::constantOf(math.product(ArrayRef(run.own).drop_back()));
  if (!all || !own || *own * 4 > *all * 3)
    return {};
  auto isInside = [&](ArrayRef<Index> at) {
    return rowInside(math, at, run.low, run.own, run.rows).second;
  };
  return arith::OrIOp::create(math.b(), math.location(),
                              isInside(run.places.at.front()),
                              isInside(run.places.at.back()));
}

/// Runs whose rows are all border read nothing.
Elements ElementEmitter::emitPadRun(const Padded &padded, Value result,
                                    Index first, int64_t count) {
  ArrayRef<Index> to = sizesOf(result), from = sizesOf(padded.inner);
  size_t cut = to.size();
  while (cut > 0 && from[cut - 1] == to[cut - 1])
    --cut;
  if (cut == 0)
    return emitRun(padded.inner, first, count);
  OpBuilder &b = math.b();
  Location loc = math.location();
  Index unit = math.product(to.drop_front(cut));
  PadRun run{SmallVector<Index>(to.take_front(cut)),
             SmallVector<Index>(from.take_front(cut)),
             SmallVector<Index>(ArrayRef(padded.low).take_front(cut))};
  for (SmallVector<Index> *list : {&run.rows, &run.own, &run.low})
    list->back() = math.mul(list->back(), unit);
  run.part = std::gcd(
      partOfRun(first, run.rows.back(), count),
      std::gcd(math.factorOf(run.low.back()), math.factorOf(run.own.back())));
  run.places = runPlaces(first, run.rows, count, run.part);
  Value border = emitOne(arith::ConstantOp(padded.border).getResult(),
                         SmallVector<Index>(to.size(), math.constant(0)));
  Value inside = mayBeInside(math, run);
  if (!inside)
    return emitPadParts(padded, run, border);
  auto branch = scf::IfOp::create(
      b, loc, SmallVector<Type>(count, border.getType()), inside, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  {
    Scope scope(*this);
    scf::YieldOp::create(b, loc, emitPadParts(padded, run, border));
  }
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, Elements(count, border));
  return Elements(branch.getResults());
}

//===----------------------------------------------------------------------===//
// All joined tensors
//===----------------------------------------------------------------------===//

/// Whether the `count` elements from `from` on, which may be negative, are
/// below `size`: from <= size - count, as one comparison.
static Value isWithin(IndexMath &math, Index from, Index size, int64_t count) {
  auto compare = [&](arith::CmpIPredicate predicate, Index a,
                     Index b) -> Value {
    return arith::CmpIOp::create(math.b(), math.location(), predicate,
                                 math.value(a), math.value(b));
  };
  Index length = math.constant(count);
  Value within =
      compare(arith::CmpIPredicate::ule, from, math.sub(size, length));
  if (IndexMath::constantOf(size))
    return within;
  Value hasAny = compare(arith::CmpIPredicate::uge, size, length);
  return arith::AndIOp::create(math.b(), math.location(), within, hasAny);
}

/// A run of one input as it lies there, or elements one by one where a seam is
/// within the run.
Elements ElementEmitter::emitConcatRun(tensor::ConcatOp op, Index first,
                                       int64_t count) {
  if (std::optional<Padded> padded = paddedBy(*this, op))
    return emitPadRun(*padded, op.getResult(), first, count);
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
    std::optional<int64_t> size = IndexMath::constantOf(own);
    if (size && *size < count)
      continue;
    Value inside = isWithin(math, from, own, count);
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
    for (ArrayRef<Index> at :
         runPlaces(first, sizesOf(op.getResult()), count).at)
      values.push_back(emitOne(op.getResult(), at));
    yield(values);
  }
  while (!scopes.empty())
    scopes.pop_back();
  return found;
}
