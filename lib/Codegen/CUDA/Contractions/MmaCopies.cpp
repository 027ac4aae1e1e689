//===- MmaCopies.cpp - K-blocks of operands for the tensor cores ----------===//
//
// An operand that is contiguous along K becomes lines along K, one for each
// row. An operand that is contiguous along rows becomes lines across K, which
// are transposed when they are read, so that no operand is transposed in
// memory. Elements that need no conversion are copied by cp.async, 16 bytes at
// a time, or 8 or 4 where rows are aligned to no more. Odd rows of 16-bit
// elements pass through registers in words (MmaWords.cpp); everything else
// (conversions, views) does so element by element. What lies outside of the
// operand is 0.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

KBlockCopy::KBlockCopy(CUDAKernel &kernel, linalg::GenericOp op,
                       const ContractionSpace &space, const Layout &layout,
                       const BlockPlace &place, Target target)
    : kernel(kernel), e(kernel.e), math(kernel.e.math), words(kernel.e), op(op),
      space(space), layout(layout), block(place), target(target) {
  source = OperandSource::find(e, op, target.operand, space, target.outer);
  choosePattern();
}

//===----------------------------------------------------------------------===//
// What each thread copies
//===----------------------------------------------------------------------===//

SmallVector<Index> KBlockCopy::loopsAt(Index row, Index depth) {
  SmallVector<Index> loops = block.batchLoops;
  space.spread(row, target.outer, loops);
  space.spread(depth, space.k, loops);
  return loops;
}

/// The element of the first k-block that this thread copies first.
Index KBlockCopy::firstOffset() {
  Place place = placeOf(pieceOf(0), 0);
  SmallVector<Index> loops =
      loopsAt(math.add(target.begin, place.row), place.depth);
  // K of a part begins at whole k-blocks.
  Index first = math.linearize(source->at(math, loops), source->sizes);
  return math.add(first,
                  math.mul(block.kBegin, source->strideOf(math, space.k)));
}

/// Whether runs of `width` numbers are inside of the operand or outside as a
/// whole.
bool KBlockCopy::areRunsWhole() {
  ArrayRef<unsigned> along = alongK ? ArrayRef(space.k) : target.outer;
  return math.factorOf(space.sizeOf(along.back())) % width == 0;
}

/// Whether one access can have `width` numbers. Copies past the registers may
/// end within a run.
bool KBlockCopy::areRunsAligned() {
  if (!source)
    return areRunsWhole();
  ArrayRef<unsigned> across = alongK ? target.outer : ArrayRef(space.k);
  return math.factorOf(firstOffset()) % width == 0 &&
         math.factorOf(source->strideOf(math, across)) % width == 0 &&
         (isAsync() || areRunsWhole());
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
  // No instruction transposes bytes.
  bool linesAlongK = alongK || layout.bytes() == 1;
  inRing = {linesAlongK, layout.elementType,
            linesAlongK ? layout.schedule.rowBytes
                        : target.rows * layout.bytes()};
  width = contiguous && linesAlongK == alongK ? layout.perPiece() : 1;
  int64_t widest = width;
  while (width > 1 && !areRunsAligned())
    width /= 2;
  inWords = widest > 1 && width == 1 && canBeInWords();
}

/// Neighbouring threads have neighbours in memory: pieces of a line, or, where
/// lines are put together number by number, the same piece of many lines.
KBlockCopy::Piece KBlockCopy::pieceOf(int64_t number) {
  Index all = math.add(block.thread,
                       math.constant(number * layout.schedule.tile.threads()));
  if (inRing.alongK != alongK) {
    Index count = math.constant(numLines());
    return {math.rem(all, count), math.div(all, count)};
  }
  int64_t pieces = inRing.pieces();
  Index line =
      math.add(math.div(block.thread, math.constant(pieces)),
               math.constant(number * layout.schedule.tile.threads() / pieces));
  return {line, math.rem(block.thread, math.constant(pieces))};
}

KBlockCopy::Place KBlockCopy::placeOf(Piece piece, int64_t element) {
  Index along = math.mul(piece.number, math.constant(layout.perPiece()));
  along = math.add(along, math.constant(element));
  return inRing.alongK ? Place{piece.line, along} : Place{along, piece.line};
}

/// The address of a piece in the ring, i32.
Value KBlockCopy::addressOf(Piece piece, Value stage) {
  Value line = words.of(piece.line);
  Value number = words.exclusiveOr(words.of(piece.number),
                                   inRing.permutation(words, line));
  Value inStage =
      words.add(words.mul(line, inRing.bytes), words.mul(number, pieceBytes));
  return words.add(words.add(stage, inStage), target.start);
}

/// Whether the operand has the number at `place` of the k-block at `k`.
Value KBlockCopy::isInside(Place place, Index k) {
  Index size = space.sizeOf(space.k), rows = space.sizeOf(target.outer);
  std::optional<int64_t> known = IndexMath::constantOf(size);
  // Threads beyond the pieces have places beyond the tile and the k-block.
  bool isInTile = numPieces() >= layout.schedule.tile.threads();
  // K-blocks that K divides into are inside from their first number to the
  // last.
  Index depth = isInTile && known && *known % layout.depth() == 0
                    ? k
                    : math.add(k, place.depth);
  Value inside = kernel.compare(arith::CmpIPredicate::ult, depth, size);
  std::optional<int64_t> knownRows = IndexMath::constantOf(rows);
  if (isInTile && knownRows && *knownRows % target.rows == 0)
    return inside;
  Value isRow = kernel.compare(arith::CmpIPredicate::ult,
                               math.add(target.begin, place.row), rows);
  return arith::AndIOp::create(e.b, e.loc, inside, isRow);
}

void KBlockCopy::forEachPiece(llvm::function_ref<void(int64_t, Piece)> body) {
  int64_t pieces = numPieces();
  if (pieces < layout.schedule.tile.threads()) {
    Value isOne = kernel.compare(arith::CmpIPredicate::ult, block.thread,
                                 math.constant(pieces));
    return e.when(isOne, [&] { body(0, pieceOf(0)); });
  }
  for (int64_t number = 0; number < perThread(); ++number)
    body(number, pieceOf(number));
}

//===----------------------------------------------------------------------===//
// Copies past the registers
//===----------------------------------------------------------------------===//

Type KBlockCopy::bits() { return e.b.getIntegerType(8 * layout.bytes()); }

Value KBlockCopy::firstPointer() {
  if (inWords) {
    Index first = firstOffset();
    Index half = math.rem(first, math.constant(2));
    shift = words.mul(words.of(half), 16);
    return offsetPointer(e, source->pointer, bits(), math.sub(first, half));
  }
  return offsetPointer(e, source->pointer, bits(), firstOffset());
}

Value KBlockCopy::nextPointer(Value pointer) {
  return offsetPointer(
      e, pointer, bits(),
      math.mul(source->strideOf(math, space.k), math.constant(layout.depth())));
}

/// Bytes of the run at `place` of the k-block at `k` that the operand has, i32.
Value KBlockCopy::bytesInside(Place place, Index k) {
  Value all = words.constant(width * layout.bytes());
  if (!areRunsWhole()) {
    Index end = space.sizeOf(alongK ? ArrayRef(space.k) : target.outer);
    Index at =
        alongK ? math.add(k, place.depth) : math.add(target.begin, place.row);
    Index count = math.min(math.sub(end, at), math.constant(width));
    all = words.mul(words.of(count), layout.bytes());
  }
  return kernel.select(isInside(place, k), all, words.constant(0));
}

void KBlockCopy::start(Value pointer, Index k, Value stage) {
  ArrayRef<unsigned> across = alongK ? target.outer : ArrayRef(space.k);
  Index stride = source->strideOf(math, across);
  int32_t bytes = width * layout.bytes();
  auto caching = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
  forEachPiece([&](int64_t number, Piece piece) {
    Value to = addressOf(piece, stage);
    Index line = math.mul(stride, math.constant(number * linesApart()));
    for (int64_t element = 0; element < layout.perPiece(); element += width) {
      Value from = offsetPointer(e, pointer, bits(),
                                 math.add(line, math.constant(element)));
      // What is not read is filled with zeros.
      Value read = bytesInside(placeOf(piece, element), k);
      NVVM::CpAsyncOp::create(
          e.b, e.loc, words.pointer(words.add(to, element * layout.bytes())),
          from, bytes, caching, read);
    }
  });
}

//===----------------------------------------------------------------------===//
// Copies through registers
//===----------------------------------------------------------------------===//

/// `width` numbers as bits, read from element 0 where they are outside: the
/// operand is not empty.
Elements KBlockCopy::loadInside(Place place, Index k, Value inside) {
  SmallVector<Index> loops =
      loopsAt(kernel.clampTo(inside, math.add(target.begin, place.row)),
              kernel.clampTo(inside, math.add(k, place.depth)));
  if (source) {
    Memory memory = *e.elements.memoryOf(source->tensor);
    memory.elementType = bits();
    return e.elements.load(memory, source->at(math, loops), width);
  }
  ArrayRef<unsigned> along = alongK ? ArrayRef(space.k) : target.outer;
  Elements values = e.elements.emitOperandElements(op, target.operand, loops,
                                                   along.back(), width);
  Type element = elementTypeOf(op.getInputs()[target.operand]);
  for (Value &value : values) {
    value = e.elements.narrow(value, element);
    if (value.getType() != bits())
      value = arith::BitcastOp::create(e.b, e.loc, bits(), value);
  }
  return values;
}

/// The same, 0 where they are outside; nothing is read there when the operand
/// `mayBeEmpty`.
Elements KBlockCopy::loadRun(Place place, Index k, bool mayBeEmpty) {
  Value inside = isInside(place, k);
  Value zero =
      arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(bits(), 0));
  if (!mayBeEmpty) {
    Elements values = loadInside(place, k, inside);
    for (Value &value : values)
      value = kernel.select(inside, value, zero);
    return values;
  }
  return kernel.valuesWhere(inside, width, zero,
                            [&] { return loadInside(place, k, inside); });
}

SmallVector<Elements> KBlockCopy::load(Index k, bool mayBeEmpty) {
  SmallVector<Elements> values;
  // Threads without a piece load one as well, and store none.
  for (int64_t number = 0; number < perThread(); ++number) {
    Elements &piece = values.emplace_back();
    for (int64_t element = 0; element < layout.perPiece(); element += width)
      llvm::append_range(
          piece, loadRun(placeOf(pieceOf(number), element), k, mayBeEmpty));
  }
  return values;
}

void KBlockCopy::store(ArrayRef<Elements> values, Value stage) {
  if (inWords)
    return storeWords(values, stage);
  forEachPiece([&](int64_t number, Piece piece) {
    Value all = vector::FromElementsOp::create(
        e.b, e.loc, VectorType::get({layout.perPiece()}, bits()),
        values[number]);
    LLVM::StoreOp::create(e.b, e.loc, all,
                          words.pointer(addressOf(piece, stage)), pieceBytes);
  });
}
