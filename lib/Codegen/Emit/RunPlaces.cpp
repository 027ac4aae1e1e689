//===- RunPlaces.cpp - Where the elements of a run are --------------------===//

#include "RunPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Of the trailing dimensions of `sizes`, how many have elements enough for
/// whole runs; none of the others changes within a run. Of a size that is not
/// known, a factor.
static size_t runDims(ArrayRef<int64_t> sizes, int64_t count) {
  int64_t product = 1;
  for (size_t dims = 1; dims <= sizes.size(); ++dims) {
    product *= sizes[sizes.size() - dims];
    if (product % count == 0)
      return dims;
  }
  return sizes.size();
}

/// `index`, which is below 2^32, in 32 bits: the GPU compares and chooses
/// numbers of 64 bits in two instructions.
static Value asWord(IndexMath &math, Index index) {
  return arith::IndexCastUIOp::create(math.b(), math.location(),
                                      math.b().getI32Type(), math.value(index));
}

static Value wordConstant(IndexMath &math, int64_t value) {
  return arith::ConstantOp::create(math.b(), math.location(),
                                   math.b().getI32IntegerAttr(value));
}

/// Of the elements `step` apart from `column` on, whether each is behind the
/// end of a row of `width`.
static SmallVector<Value> areBehind(IndexMath &math, Index column, Index width,
                                    size_t count, int64_t step) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  SmallVector<Value> behind = {
      arith::ConstantOp::create(b, loc, b.getBoolAttr(false))};
  bool isNarrow = math.isNarrow(width);
  Value room;
  if (isNarrow)
    room = arith::SubIOp::create(b, loc, asWord(math, width),
                                 asWord(math, column));
  for (size_t number = 1; number < count; ++number) {
    int64_t more = number * step;
    Value ends = isNarrow
                     ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                             room, wordConstant(math, more))
                     : arith::CmpIOp::create(
                           b, loc, arith::CmpIPredicate::uge,
                           math.value(math.add(column, math.constant(more))),
                           math.value(width));
    behind.push_back(ends);
  }
  return behind;
}

/// Of a run that at most one row ends in: the places of its elements in the
/// dimensions `sizes`, `rest` being the first element's number there.
void ElementEmitter::placeOverRow(Index rest, ArrayRef<Index> sizes,
                                  int64_t step, RunPlaces &places) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Index width = sizes.back(), row = math.div(rest, width);
  Index column = math.rem(rest, width);
  SmallVector<Index> here = math.delinearize(row, sizes.drop_back());
  SmallVector<Index> next =
      math.delinearize(math.add(row, math.constant(1)), sizes.drop_back());
  places.next = places.at.front();
  llvm::append_range(places.next, next);
  places.next.push_back(math.sub(column, width));
  places.isBehind = areBehind(math, column, width, places.at.size(), step);
  for (auto [number, place] : llvm::enumerate(places.at)) {
    Index at = math.add(column, math.constant(number * step));
    auto choose = [&](Index behind, Index before) -> Index {
      if (number == 0 || behind == before)
        return before;
      Value chosen =
          arith::SelectOp::create(b, loc, places.isBehind[number],
                                  math.value(behind), math.value(before));
      math.setFactor(chosen,
                     std::gcd(math.factorOf(behind), math.factorOf(before)));
      return chosen;
    };
    for (auto [behind, before] : llvm::zip(next, here))
      place.push_back(choose(behind, before));
    place.push_back(choose(math.sub(at, width), at));
  }
}

/// `at` and `more`, below 2^32: their sum, or 0 where that is `size`, and
/// whether it is, as a number.
static std::pair<Index, Index> countUpTo(IndexMath &math, Index at, Index more,
                                         Index size) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  bool isNarrow = math.isNarrow(size);
  auto of = [&](Index index) {
    return isNarrow ? asWord(math, index) : math.value(index);
  };
  Value zero = isNarrow ? wordConstant(math, 0) : math.value(math.constant(0));
  Value counted = arith::AddIOp::create(b, loc, of(at), of(more));
  Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, counted,
                                     of(size));
  Value chosen = arith::SelectOp::create(b, loc, ends, zero, counted);
  Type index = b.getIndexType();
  if (isNarrow)
    chosen = arith::IndexCastUIOp::create(b, loc, index, chosen);
  math.setFactor(chosen, std::gcd(math.factorOf(at), math.factorOf(more)));
  Value carried = arith::IndexCastUIOp::create(b, loc, index, ends);
  return {chosen, carried};
}

/// The same where several rows may end: indices count like an odometer, so that
/// one element is divided for all.
void ElementEmitter::placeOverRows(Index rest, ArrayRef<Index> sizes,
                                   int64_t step, RunPlaces &places) {
  SmallVector<Index> at = math.delinearize(rest, sizes);
  for (SmallVector<Index> &place : places.at) {
    llvm::append_range(place, at);
    Index more = math.constant(step);
    for (size_t dim = sizes.size(); dim-- > 1;)
      std::tie(at[dim], more) = countUpTo(math, at[dim], more, sizes[dim]);
    at.front() = math.add(at.front(), more);
  }
}

/// The indices of each `step`th element of a run. Rows are multiples of `step`.
RunPlaces ElementEmitter::runPlaces(Index first, ArrayRef<Index> sizes,
                                    int64_t count, int64_t step) {
  SmallVector<int64_t> known;
  for (Index size : sizes)
    known.push_back(math.factorOf(size));
  bool aligned = math.factorOf(first) % count == 0;
  size_t dims = aligned ? runDims(known, count) : known.size();
  // One division by what is no constant, by the size of rows, is enough.
  if (dims > 1 && !IndexMath::constantOf(math.product(sizes.take_back(dims))))
    dims = known.size();
  ArrayRef<Index> outer = sizes.drop_back(dims), inner = sizes.take_back(dims);
  Index rest = first;
  SmallVector<Index> fixed;
  if (!outer.empty()) {
    Index whole = math.product(inner);
    fixed = math.delinearize(math.div(first, whole), outer);
    rest = math.rem(first, whole);
  }
  RunPlaces places;
  places.at.assign(count / step, fixed);
  if (dims < 2) {
    for (auto [number, place] : llvm::enumerate(places.at))
      llvm::append_range(
          place, math.delinearize(math.add(rest, math.constant(number * step)),
                                  inner));
  } else if (math.leastOf(inner.back()) >= count) {
    placeOverRow(rest, inner, step, places);
  } else {
    placeOverRows(rest, inner, step, places);
  }
  return places;
}

/// The largest part of a run that no row of `size` elements ends within.
int64_t ElementEmitter::partOfRun(Index first, Index size, int64_t count) {
  return std::gcd(count, std::gcd(math.factorOf(first), math.factorOf(size)));
}
