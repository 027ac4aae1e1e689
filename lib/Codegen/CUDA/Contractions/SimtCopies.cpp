//===- SimtCopies.cpp - K-blocks of operands in shared memory -------------===//
//
// A k-block lies in the ring as rows of the tile's M or N, one for each k, so
// that a thread reads four neighbours at once. Elements that need no conversion
// are copied by cp.async: 16 bytes at a time where memory is contiguous along M
// or N, one element at a time where it is contiguous along K. Everything else
// (conversions, views, 16-bit elements) passes through registers. What lies
// outside of the operand is 0.
//
//===----------------------------------------------------------------------===//

#include "SimtGemm.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::simt;

KBlockCopy::KBlockCopy(CUDAKernel &kernel, linalg::GenericOp op,
                       const ContractionSpace &space, const Schedule &schedule,
                       const BlockPlace &place, const Memory &ring,
                       Target target)
    : kernel(kernel), e(kernel.e), math(kernel.e.math), op(op), space(space),
      schedule(schedule), block(place), ring(ring), target(target) {
  asyncSource = findSource();
  choosePattern();
}

//===----------------------------------------------------------------------===//
// Where the operand lies
//===----------------------------------------------------------------------===//

/// The argument of the kernel that the operand is, or is a part of, when its
/// numbers can be copied as they are.
std::optional<OperandSource> KBlockCopy::findSource() {
  std::optional<OperandSource> source =
      OperandSource::find(e, op, target.operand, space, target.outer);
  if (!source || elementTypeOf(source->tensor) != ring.elementType)
    return std::nullopt;
  return source;
}

/// The element of the first k-block that this thread copies first.
Index KBlockCopy::firstOffset(Place place) {
  SmallVector<Index> loops = block.batchLoops;
  space.spread(math.add(target.begin, place.row), target.outer, loops);
  space.spread(math.add(block.kBegin, place.depth), space.k, loops);
  return math.linearize(asyncSource->at(math, loops), asyncSource->sizes);
}

//===----------------------------------------------------------------------===//
// What each thread copies
//===----------------------------------------------------------------------===//

/// Divides the k-block into runs of `width` numbers along the contiguous
/// direction; false when the threads don't divide it evenly.
bool KBlockCopy::setPattern(int64_t width) {
  int64_t threads = schedule.tile.threads();
  vectorSize = width;
  int64_t inner = (alongK ? schedule.depth : target.rows) / width;
  int64_t outer = alongK ? target.rows : schedule.depth;
  // Along K, 8 neighbours are 32 bytes of memory, and the 4 rows of a warp fill
  // all banks of shared memory.
  units = std::min(inner, alongK && width == 1 ? 8 : threads);
  perPass = threads / units;
  innerPasses = inner / units;
  outerPasses = outer / perPass;
  return outerPasses > 0;
}

/// Whether runs of `width` numbers are aligned, and inside of the operand or
/// outside as a whole.
bool KBlockCopy::areRunsAligned(int64_t width) {
  ArrayRef<unsigned> along = alongK ? ArrayRef(space.k) : target.outer;
  if (along.empty() || math.factorOf(space.sizeOf(along.back())) % width != 0)
    return false;
  if (!asyncSource)
    return true;
  ArrayRef<unsigned> across = alongK ? target.outer : ArrayRef(space.k);
  return math.factorOf(firstOffset(placeOfThread())) % width == 0 &&
         math.factorOf(asyncSource->strideOf(math, across)) % width == 0;
}

void KBlockCopy::choosePattern() {
  OpOperand &operand = op->getOpOperand(target.operand);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineDimExpr last(nullptr);
  if (map.getNumResults() > 0)
    last = dyn_cast<AffineDimExpr>(map.getResults().back());
  alongK = last && llvm::is_contained(space.k, last.getPosition());
  // Only the last loop of several is contiguous.
  ArrayRef<unsigned> along = alongK ? ArrayRef(space.k) : target.outer;
  bool contiguous =
      last && !along.empty() && last.getPosition() == along.back();
  int64_t bytes = std::max<int64_t>(
      1, elementTypeOf(operand.get()).getIntOrFloatBitWidth() / 8);
  int64_t width = contiguous ? std::min<int64_t>(8, 16 / bytes) : 1;
  // What is copied along K is transposed on the way, number by number.
  if (asyncSource && alongK)
    width = 1;
  while (!setPattern(width) || (width > 1 && !areRunsAligned(width)))
    width /= 2;
}

KBlockCopy::Place KBlockCopy::placeOf(int64_t piece) {
  Index unit = math.add(math.rem(block.thread, math.constant(units)),
                        math.constant(piece % innerPasses * units));
  Index inner = math.mul(unit, math.constant(vectorSize));
  Index outer = math.add(math.div(block.thread, math.constant(units)),
                         math.constant(piece / innerPasses * perPass));
  return alongK ? Place{outer, inner} : Place{inner, outer};
}

/// Whether all rows of the tile are inside of the operand, everywhere.
bool KBlockCopy::isWholeRows() const {
  return math.factorOf(space.sizeOf(target.outer)) % target.rows == 0 &&
         IndexMath::constantOf(space.sizeOf(target.outer));
}

/// Whether the k-block at `k` has the piece; with `wholeRows` K alone decides.
Value KBlockCopy::isInside(Place place, Index k, bool wholeRows) {
  Index size = space.sizeOf(space.k);
  std::optional<int64_t> known = IndexMath::constantOf(size);
  // K-blocks that K divides into are inside from their first element to the
  // last.
  Index depth =
      known && *known % schedule.depth == 0 ? k : math.add(k, place.depth);
  Value inside = kernel.compare(arith::CmpIPredicate::ult, depth, block.kEnd);
  if (wholeRows)
    return inside;
  Value isRow = kernel.compare(arith::CmpIPredicate::ult,
                               math.add(target.begin, place.row),
                               space.sizeOf(target.outer));
  return arith::AndIOp::create(e.b, e.loc, inside, isRow);
}

/// Where in the ring a piece goes, or its first number.
Index KBlockCopy::elementOf(Place place, Index stage) {
  Index row = math.add(math.constant(target.start), place.row);
  Index inStage =
      math.add(math.mul(place.depth, math.constant(target.stride)), row);
  return math.add(stage, inStage);
}

//===----------------------------------------------------------------------===//
// Copies past the registers
//===----------------------------------------------------------------------===//

Value KBlockCopy::firstPointer() {
  return offsetPointer(e, asyncSource->pointer, ring.elementType,
                       firstOffset(placeOfThread()));
}

Value KBlockCopy::nextPointer(Value pointer) {
  return offsetPointer(e, pointer, ring.elementType,
                       math.mul(asyncSource->strideOf(math, space.k),
                                math.constant(schedule.depth)));
}

/// Rows of the tile that are inside of the operand, from the thread's first one
/// on, i32; none where `isInK` is false. LLVM does not see where the number is
/// from: else it would compare it with each row before the loop, and keep all
/// answers in registers that there are not.
Value KBlockCopy::rowsFrom(Value isInK) {
  OpBuilder &b = e.b;
  Value first = math.value(math.add(target.begin, placeOfThread().row));
  Value size = math.value(space.sizeOf(target.outer));
  Value left = arith::SubIOp::create(b, e.loc, size, first);
  left = arith::MinSIOp::create(b, e.loc, left,
                                math.value(math.constant(target.rows)));
  left = arith::IndexCastOp::create(b, e.loc, b.getI32Type(), left);
  Value none = arith::ConstantOp::create(b, e.loc, b.getI32IntegerAttr(0));
  left = kernel.select(isInK, left, none);
  return hideFromLLVM(b, e.loc, left);
}

void KBlockCopy::startPiece(int64_t piece, Value pointer, Index k,
                            Index stage) {
  Place place = placeOf(piece);
  // From the thread's first piece to this one.
  Index inner = math.constant(piece % innerPasses * units * vectorSize);
  Index outer = math.constant(piece / innerPasses * perPass);
  Index rows = alongK ? outer : inner, depth = alongK ? inner : outer;
  Value from = offsetPointer(
      e, pointer, ring.elementType,
      math.add(math.mul(rows, asyncSource->strideOf(math, target.outer)),
               math.mul(depth, asyncSource->strideOf(math, space.k))));
  Value to =
      offsetPointer(e, ring.pointer, ring.elementType, elementOf(place, stage));
  int32_t bytes = vectorSize * schedule.bytes;
  auto constant = [&](int32_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
  };
  // What is not read is filled with zeros.
  Value inside = isInside(place, k, /*wholeRows=*/true);
  if (!isWholeRows())
    inside = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt,
                                   rowsFrom(inside),
                                   constant(*IndexMath::constantOf(rows)));
  Value read = kernel.select(inside, constant(bytes), constant(0));
  NVVM::CpAsyncOp::create(e.b, e.loc, to, from, bytes,
                          bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                      : NVVM::LoadCacheModifierKind::CA,
                          read);
}

//===----------------------------------------------------------------------===//
// Copies through registers
//===----------------------------------------------------------------------===//

/// The numbers of a piece, read from element 0 where it is outside: the operand
/// is not empty.
Elements KBlockCopy::loadPiece(Place place, Index k, Value inside) {
  ArrayRef<unsigned> along = alongK ? ArrayRef(space.k) : target.outer;
  int64_t vectorLoop = along.empty() ? -1 : along.back();
  SmallVector<Index> loops = block.batchLoops;
  Index row = math.add(target.begin, place.row);
  space.spread(kernel.clampTo(inside, row), target.outer, loops);
  space.spread(kernel.clampTo(inside, math.add(k, place.depth)), space.k,
               loops);
  return e.elements.emitFactors(op, target.operand, loops, vectorLoop,
                                vectorSize);
}

SmallVector<Elements> KBlockCopy::load(Index k, bool mayBeEmpty) {
  Value zero =
      arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(ring.elementType));
  SmallVector<Elements> values;
  for (int64_t piece = 0; piece < pieces(); ++piece) {
    Place place = placeOf(piece);
    Value inside = isInside(place, k, isWholeRows());
    if (mayBeEmpty) {
      values.push_back(kernel.valuesWhere(inside, vectorSize, zero, [&] {
        return loadPiece(place, k, inside);
      }));
      continue;
    }
    Elements loaded = loadPiece(place, k, inside);
    for (Value &value : loaded)
      value = kernel.select(inside, value, zero);
    values.push_back(loaded);
  }
  return values;
}

void KBlockCopy::store(ArrayRef<Elements> values, Index stage) {
  for (int64_t piece = 0; piece < pieces(); ++piece) {
    Place place = placeOf(piece);
    const Elements &own = values[piece];
    if (!alongK) {
      e.elements.store(ring, {elementOf(place, stage)}, own);
      continue;
    }
    for (auto [element, value] : llvm::enumerate(own)) {
      Place of{place.row, math.add(place.depth, math.constant(element))};
      e.elements.store(ring, {elementOf(of, stage)}, {value});
    }
  }
}
