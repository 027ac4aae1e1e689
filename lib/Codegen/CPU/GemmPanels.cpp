//===- GemmPanels.cpp - Operands of contractions on the host --------------===//
//
// Where the elements of an operand lie, and how they are packed into panels in
// scratch: an operand along K is transposed, in registers where it lies in
// memory; what is computed on the way is computed one element after the other.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "RegisterBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===-- operands ----------------------------------------------------------===//

Value GemmEmitter::factor(linalg::GenericOp from, unsigned operand,
                          ArrayRef<Index> point) {
  return e.elements.emitFactors(from, operand, point, /*vectorLoop=*/-1, 1)
      .front();
}

/// Whether the operand's last dimension is contracted.
bool GemmEmitter::isAlongK(linalg::GenericOp from, unsigned operand) {
  AffineMap map = from.getMatchingIndexingMap(&from->getOpOperand(operand));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && llvm::is_contained(dims.k, last.getPosition());
}

/// Where the operand's elements lie, in row-major order; null when they are
/// computed.
const Memory *GemmEmitter::memoryBehind(linalg::GenericOp from,
                                        unsigned operand) {
  Value tensor = from->getOperand(operand);
  while (auto view = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    tensor = view.getSrc();
  const Memory *memory = e.elements.memoryOf(tensor);
  return memory && !memory->packed ? memory : nullptr;
}

/// Whether the first operand's rows lie in memory along K: the register block
/// then reads them from there.
bool GemmEmitter::liesInRows() {
  return dims.k.size() == 1 && isAlongK(op, 0) && memoryBehind(op, 0);
}

/// The number, in memory, of the element at `point`, which may be outside of
/// the operand.
Index GemmEmitter::offsetOf(linalg::GenericOp from, unsigned operand,
                            ArrayRef<Index> point) {
  AffineMap map = from.getMatchingIndexingMap(&from->getOpOperand(operand));
  SmallVector<Index> at;
  for (AffineExpr index : map.getResults())
    at.push_back(math.evaluate(index, point));
  return math.linearize(at, e.elements.sizesOf(from->getOperand(operand)));
}

Value GemmEmitter::addressOf(linalg::GenericOp from, unsigned operand,
                             ArrayRef<Index> point) {
  const Memory &memory = *memoryBehind(from, operand);
  Value offset = arith::IndexCastOp::create(
      e.b, e.loc, e.b.getI64Type(), math.value(offsetOf(from, operand, point)));
  return LLVM::GEPOp::create(e.b, e.loc, memory.pointer.getType(),
                             ElementEmitter::storageType(memory.elementType),
                             memory.pointer, ArrayRef<LLVM::GEPArg>{offset});
}

/// The factor at `point` of an operand that lies in memory. What it is a view
/// of does not matter, so that its position along K is not taken apart.
Value GemmEmitter::factorInPlace(linalg::GenericOp from, unsigned operand,
                                 ArrayRef<Index> point) {
  Memory flat = *memoryBehind(from, operand);
  flat.sizes = {math.product(flat.sizes)};
  Value element =
      e.elements.load(flat, {offsetOf(from, operand, point)}, 1).front();
  return e.elements.asFactor(from, operand, element);
}

/// Where the operand's last dimension is several of what it is a view of, as
/// that of windows is, the size of the innermost of these: a loop along it
/// alone needs no division. 1 where it is not known, or short.
int64_t GemmEmitter::innermostOf(linalg::GenericOp from, unsigned operand) {
  constexpr int64_t shortest = 4;
  auto view =
      from->getOperand(operand).getDefiningOp<tensor::CollapseShapeOp>();
  if (!view || view.getResultType().getRank() == 0 ||
      view.getReassociationIndices().back().size() < 2)
    return 1;
  std::optional<int64_t> size =
      IndexMath::constantOf(e.elements.sizesOf(view.getSrc()).back());
  return size && *size >= shortest ? *size : 1;
}

//===-- strips of a panel -------------------------------------------------===//

/// Elements along K that are packed from one row after the other: they fill
/// lines of the cache together.
static constexpr int64_t packedRun = 16;

void GemmEmitter::store(const PanelStrip &strip, Index k, Index row,
                        Value element) {
  Index offset = math.add(
      strip.base, math.add(math.mul(k, math.constant(strip.width)), row));
  e.elements.store(strip.panel, {offset}, {element});
}

/// `count` elements of each of `rows` rows, one after the other.
void GemmEmitter::packAlongK(const PanelStrip &strip, Index firstRow,
                             Index rows, Index firstK, Index count) {
  Index run = math.constant(packedRun);
  e.loop(math.constant(0), count, run, [&](Index begin) {
    Index first = math.add(firstK, begin);
    Index length = math.min(run, math.sub(count, begin));
    forRuns(strip.outer, math.add(strip.row, firstRow), rows, batchLoops,
            [&](ArrayRef<Index> at, Index row) {
              forRuns(dims.k, math.add(strip.kBegin, first), length, at,
                      [&](ArrayRef<Index> point, Index k) {
                        store(strip, math.add(first, k),
                              math.add(firstRow, row),
                              factor(strip.from, strip.operand, point));
                      });
            });
  });
}

/// The rows of each k.
void GemmEmitter::packAcrossK(const PanelStrip &strip) {
  forRuns(dims.k, strip.kBegin, strip.kCount, batchLoops,
          [&](ArrayRef<Index> at, Index k) {
            forRuns(
                strip.outer, strip.row, strip.count, at,
                [&](ArrayRef<Index> point, Index row) {
                  store(strip, k, row,
                        factor(strip.from, strip.operand, point));
                },
                innermostOf(strip.from, strip.operand));
          });
}

/// Whether squares of elements are read along K as vectors, transposed in
/// registers and stored as rows of the panel.
bool GemmEmitter::canTranspose(const PanelStrip &strip) {
  if (strip.width % blocking.width != 0 || blocking.width < 4 ||
      strip.outer.size() != 1 || dims.k.size() != 1)
    return false;
  const Memory *memory = memoryBehind(strip.from, strip.operand);
  if (!memory)
    return false;
  Type element = memory->elementType;
  return element == number ||
         (number.isF32() &&
          (element.isBF16() || (element.isF16() && items.f16Conversion)));
}

/// Elements along K from `point` on, in the type of the sums.
Value GemmEmitter::loadVector(const PanelStrip &strip, ArrayRef<Index> point) {
  Value address = addressOf(strip.from, strip.operand, point);
  Type element = memoryBehind(strip.from, strip.operand)->elementType;
  bool isBF16 = element.isBF16();
  auto type = VectorType::get({blocking.width},
                              isBF16 ? e.b.getIntegerType(16) : element);
  Value loaded = LLVM::LoadOp::create(e.b, e.loc, type, address,
                                      element.getIntOrFloatBitWidth() / 8);
  if (element == number)
    return loaded;
  if (!isBF16)
    return arith::ExtFOp::create(e.b, e.loc, vectorType, loaded);
  auto words = VectorType::get({blocking.width}, e.b.getI32Type());
  Value low = arith::ExtUIOp::create(e.b, e.loc, words, loaded);
  Value sixteen = arith::ConstantOp::create(
      e.b, e.loc, DenseElementsAttr::get(words, e.b.getI32IntegerAttr(16)));
  Value high = arith::ShLIOp::create(e.b, e.loc, low, sixteen);
  return arith::BitcastOp::create(e.b, e.loc, vectorType, high);
}

/// The columns of a square matrix that has these rows: each of log2(width)
/// rounds interleaves row i of the upper half with row i of the lower half.
SmallVector<Value> GemmEmitter::transpose(SmallVector<Value> rows) {
  int64_t width = blocking.width, half = width / 2;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < half; ++i) {
    low.append({i, width + i});
    high.append({half + i, width + half + i});
  }
  for (int64_t round = 1; round < width; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < half; ++i)
      for (const SmallVector<int64_t> &mask : {low, high})
        next.push_back(vector::ShuffleOp::create(e.b, e.loc, rows[i],
                                                 rows[half + i], mask));
    rows = std::move(next);
  }
  return rows;
}

/// The first `rows` rows and `count` elements of each, both multiples of a
/// vector's width.
void GemmEmitter::packTransposed(const PanelStrip &strip, Index rows,
                                 Index count) {
  Index zero = math.constant(0), width = math.constant(blocking.width);
  RegisterBlock registers{e, vectorType, 1, 1};
  e.loop(zero, count, width, [&](Index k) {
    e.loop(zero, rows, width, [&](Index row) {
      SmallVector<Value> vectors;
      SmallVector<Index> point(batchLoops);
      for (int64_t i = 0; i < blocking.width; ++i) {
        point[strip.outer.front()] =
            math.add(strip.row, math.add(row, math.constant(i)));
        point[dims.k.front()] = math.add(strip.kBegin, k);
        vectors.push_back(loadVector(strip, point));
      }
      for (auto [i, column] : llvm::enumerate(transpose(std::move(vectors)))) {
        Index to =
            math.mul(math.add(k, math.constant(i)), math.constant(strip.width));
        registers.store(strip.panel, math.add(strip.base, math.add(to, row)),
                        column);
      }
    });
  });
}

void GemmEmitter::packStrip(const PanelStrip &strip) {
  Index zero = math.constant(0), one = math.constant(1);
  std::optional<SlidingWindow> window;
  if (strip.operand == 1)
    window = slidingWindow(strip.from);
  if (window)
    return packWindows(strip, *window);
  if (!isAlongK(strip.from, strip.operand)) {
    packAcrossK(strip);
  } else if (!canTranspose(strip)) {
    packAlongK(strip, zero, strip.count, zero, strip.kCount);
  } else {
    Index width = math.constant(blocking.width);
    Index rows = math.mul(math.div(strip.count, width), width);
    Index count = math.mul(math.div(strip.kCount, width), width);
    packTransposed(strip, rows, count);
    packAlongK(strip, rows, math.sub(strip.count, rows), zero, count);
    packAlongK(strip, zero, strip.count, count, math.sub(strip.kCount, count));
  }
  Value none = arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  e.loop(zero, strip.kCount, one, [&](Index k) {
    e.loop(strip.count, math.constant(strip.width), one,
           [&](Index row) { store(strip, k, row, none); });
  });
}

/// Copies rows [first, first + valid) of an operand, K from kBegin on, into
/// strips of `width` rows: panel[row / width][k][row % width]. What is missing
/// of the last strip is 0. The inner loop runs along the operand's contiguous
/// side.
void GemmEmitter::pack(linalg::GenericOp from, unsigned operand,
                       ArrayRef<unsigned> outer, Index first, Index valid,
                       int64_t width, Index kBegin, const Memory &panel) {
  Index kCount = math.min(math.constant(blocking.tileK),
                          math.sub(dims.sizeOf(dims.k), kBegin));
  Index size = math.constant(width);
  e.loop(math.constant(0), math.ceilDiv(valid, size), math.constant(1),
         [&](Index number) {
           Index begin = math.mul(number, size);
           Index count = math.min(size, math.sub(valid, begin));
           Index base = math.mul(number, math.constant(width * blocking.tileK));
           packStrip({from, operand, outer, math.add(first, begin), count,
                      kBegin, kCount, width, panel, base});
         });
}

/// Brings a part of what strip `nStrip` has in the next k-block to the caches,
/// part `mStrip` of as many as the tile has strips of rows: while this k-block
/// is multiplied, not all at once, for which the processor has too few buffers.
void GemmEmitter::prefetchNext(linalg::GenericOp contraction, Index nStrip,
                               Index mStrip, Index mStrips, Index kBegin) {
  const Memory *memory = memoryBehind(contraction, 1);
  if (!memory || dims.n.size() != 1 || dims.k.size() != 1)
    return;
  constexpr int64_t lineBits = 64 * 8;
  int64_t line = lineBits / memory->elementType.getIntOrFloatBitWidth();
  bool alongK = isAlongK(contraction, 1);
  int64_t outer = alongK ? blocking.columns() : blocking.tileK;
  int64_t inner = alongK ? blocking.tileK : blocking.columns();
  Index lines = math.constant(llvm::divideCeil(inner, line));
  Index part = math.ceilDiv(math.mul(math.constant(outer), lines), mStrips);
  Index first = math.mul(mStrip, part);
  e.loop(math.constant(0), part, math.constant(1), [&](Index i) {
    Index number = math.add(first, i);
    Index at = math.mul(math.rem(number, lines), math.constant(line));
    Index k = math.div(number, lines), column = at;
    if (alongK)
      std::swap(k, column);
    SmallVector<Index> point(batchLoops);
    point[dims.n.front()] = math.add(
        math.add(nBegin, math.mul(nStrip, math.constant(blocking.columns()))),
        column);
    point[dims.k.front()] =
        math.add(math.add(kBegin, math.constant(blocking.tileK)), k);
    LLVM::Prefetch::create(e.b, e.loc, addressOf(contraction, 1, point),
                           /*rw=*/0, /*hint=*/2, /*cache=*/1);
  });
}
