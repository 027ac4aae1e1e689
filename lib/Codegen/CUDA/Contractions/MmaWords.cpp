//===- MmaWords.cpp - K-blocks of operands with odd rows ------------------===//
//
// Lines of an odd number of 16-bit elements begin anywhere in a word of 4
// bytes. A piece of 8 elements is read as the 4 or 5 words that have them, and
// shifted by half a word or not when it is stored to the ring. All lines of a
// thread begin at the same half: they are an even number of lines apart, and
// k-blocks are.
//
// Within K all words are loaded that have an element of the operand; what they
// have beside these are numbers of other rows, which belong to results that do
// not exist. The last k-block of K is loaded with zeros behind the end. Nothing
// is read but words that lie in the tensor, whose last element may be half of
// one.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// 8 elements that begin in the upper half of a word lie in five.
static constexpr int64_t wordBytes = 4, wordsOfPiece = 5, elementsOfPiece = 8;

/// Whether lines can be read as words. Where a k-block is whole, the last word
/// of a piece may have an element behind the piece. A tensor does not have it
/// where its last element is half of a word: then the number of elements is
/// odd, and so is K, which divides it, so that the k-block with the last
/// element is not whole.
bool KBlockCopy::canBeInWords() {
  return source && layout.bytes() == 2 &&
         (isa<BlockArgument>(op->getOpOperand(target.operand).get()) ||
          math.factorOf(math.product(source->sizes)) % 2 == 0);
}

//===----------------------------------------------------------------------===//
// What the operand has
//===----------------------------------------------------------------------===//

/// Null stands for what always holds.
Value KBlockCopy::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(e.b, e.loc, a, b);
}

Value KBlockCopy::isBelow(int64_t number, Value limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult,
                                         words.constant(number), limit);
}

bool KBlockCopy::areRowsInside() {
  std::optional<int64_t> rows =
      IndexMath::constantOf(space.sizeOf(target.outer));
  return rows && *rows % target.rows == 0;
}

/// How many of the `most` numbers from `begin` on are below `end`, i32.
Value KBlockCopy::numbersLeft(Index begin, Index end, int64_t most) {
  Value isAny = kernel.compare(arith::CmpIPredicate::ult, begin, end);
  Index left = math.min(math.sub(end, begin), math.constant(most));
  return kernel.select(isAny, words.of(left), words.constant(0));
}

/// Of the tile's rows, and of the k-block at `k`.
Value KBlockCopy::rowsLeft() {
  return numbersLeft(target.begin, space.sizeOf(target.outer), target.rows);
}

Value KBlockCopy::depthLeft(Index k) {
  return numbersLeft(k, space.sizeOf(space.k), layout.depth());
}

/// Whether the line of `piece` is one of `left`, null where it is in any case.
/// Without `left` all of the tile's are meant.
Value KBlockCopy::hasLine(Piece piece, Value left) {
  if (!left && areLinesInTile())
    return Value();
  return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult,
                               words.of(piece.line),
                               left ? left : words.constant(numLines()));
}

/// Where the elements of `piece` end that are among the first `left` of its
/// line, counted from the start of its first word; 0 where there are none.
Value KBlockCopy::endOf(Piece piece, Value left) {
  Value begin = words.mul(words.of(piece.number), elementsOfPiece);
  Value most = words.add(words.div(shift, 16), elementsOfPiece);
  Value end = arith::SubIOp::create(
      e.b, e.loc, words.add(left, words.div(shift, 16)), begin);
  end = arith::MinSIOp::create(e.b, e.loc, end, most);
  Value exists =
      arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, begin, left);
  return kernel.select(exists, end, words.constant(0));
}

/// Whether K has all of the k-block at `k`.
Value KBlockCopy::isWholeKBlock(Index k) {
  return kernel.compare(arith::CmpIPredicate::ule,
                        math.add(k, math.constant(layout.depth())),
                        space.sizeOf(space.k));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value KBlockCopy::loadWhere(Value condition, Value pointer, int64_t number,
                            int64_t byte, int64_t bytes, Value otherwise) {
  // Distances that fit go into the instruction.
  constexpr int64_t farthest = int64_t(1) << 22;
  ArrayRef<unsigned> across = alongK ? target.outer : ArrayRef(space.k);
  Index apart = math.mul(source->strideOf(math, across),
                         math.constant(number * linesApart()));
  std::optional<int64_t> known = IndexMath::constantOf(apart);
  if (known && *known <= farthest)
    byte += *known * layout.bytes();
  else
    pointer = offsetPointer(e, pointer, bits(), apart);
  bool readOnly = e.elements.memoryOf(source->tensor)->readOnly;
  std::string text = condition ? "@$2 " : "", constraints = "=r,l";
  text += readOnly ? "ld.global.nc" : "ld.global";
  text += (bytes == wordBytes ? ".b32" : ".b16");
  text += " $0, [$1+" + std::to_string(byte) + "];";
  SmallVector<Value> operands{pointer};
  Type type = bytes == wordBytes ? e.b.getI32Type() : e.b.getI16Type();
  if (bytes != wordBytes)
    constraints = "=h,l";
  if (condition) {
    operands.push_back(condition);
    constraints += ",b";
  }
  if (otherwise) {
    operands.push_back(otherwise);
    constraints += ",0";
  }
  if (!readOnly)
    constraints += ",~{memory}";
  return LLVM::InlineAsmOp::create(
             e.b, e.loc, TypeRange(type), operands, text, constraints,
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// Words of a k-block that is whole. Those without elements of the operand are
/// not read, and have no value.
Elements KBlockCopy::loadWhole(Value pointer) {
  Elements loaded;
  bool areWhole = alongK || areRowsInside();
  Value rows = areRowsInside() ? Value() : rowsLeft();
  for (int64_t number = 0; number < perThread(); ++number) {
    Piece piece = pieceOf(number);
    Value line = hasLine(piece, alongK ? rows : Value());
    Value end = areWhole ? Value() : endOf(piece, rows);
    for (int64_t word = 0; word < wordsOfPiece; ++word) {
      Value exists = line;
      if (!areWhole)
        exists = both(exists, isBelow(2 * word, end));
      if (word == wordsOfPiece - 1)
        exists = both(exists, isBelow(0, shift));
      loaded.push_back(loadWhere(exists, pointer, number, word * wordBytes,
                                 wordBytes, Value()));
    }
  }
  return loaded;
}

/// The same of any k-block: what lies outside of the operand is 0, and a word
/// that is inside by half is read by half.
Elements KBlockCopy::loadEnd(Value pointer, Index k) {
  Elements loaded;
  Value zero = words.constant(0), rows = rowsLeft(), depth = depthLeft(k);
  Value none =
      arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(bits(), 0));
  SmallVector<Value> ends, lasts;
  for (int64_t number = 0; number < perThread(); ++number) {
    Piece piece = pieceOf(number);
    Value exists = hasLine(piece, alongK ? rows : depth);
    ends.push_back(
        kernel.select(exists, endOf(piece, alongK ? depth : rows), zero));
    for (int64_t word = 0; word < wordsOfPiece; ++word)
      loaded.push_back(loadWhere(isBelow(2 * word + 1, ends.back()), pointer,
                                 number, word * wordBytes, wordBytes, zero));
    // The word in front of the end begins at this element.
    Value last = words.mul(words.div(ends.back(), 2), 2);
    Value place = LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), bits(),
                                      pointer, ArrayRef<LLVM::GEPArg>{last});
    Value isHalf = isBelow(0, words.rem(ends.back(), 2));
    lasts.push_back(loadWhere(isHalf, place, number, 0, 2, none));
  }
  for (auto [number, end] : llvm::enumerate(ends))
    for (int64_t word = 0; word < wordsOfPiece; ++word) {
      Value &value = loaded[number * wordsOfPiece + word];
      Value isHalf = e.b.createOrFold<arith::CmpIOp>(
          e.loc, arith::CmpIPredicate::eq, end, words.constant(2 * word + 1));
      Value last =
          arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), lasts[number]);
      value = kernel.select(isHalf, last, value);
    }
  return loaded;
}

SmallVector<Elements> KBlockCopy::loadWords(Value pointer, Index k) {
  SmallVector<Type> types(perThread() * wordsOfPiece, e.b.getI32Type());
  auto branch = scf::IfOp::create(e.b, e.loc, types, isWholeKBlock(k),
                                  /*withElseRegion=*/true);
  auto fill = [&](Block *block, llvm::function_ref<Elements()> load) {
    OpBuilder::InsertionGuard guard(e.b);
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPointToStart(block);
    scf::YieldOp::create(e.b, e.loc, load());
  };
  fill(branch.thenBlock(), [&] { return loadWhole(pointer); });
  // Nothing but what lies behind K.
  std::optional<int64_t> known = IndexMath::constantOf(space.sizeOf(space.k));
  bool endsWhole = known && *known % layout.depth() == 0;
  fill(branch.elseBlock(), [&] {
    return endsWhole ? Elements(types.size(), words.constant(0))
                     : loadEnd(pointer, k);
  });
  SmallVector<Elements> pieces;
  for (int64_t number = 0; number < perThread(); ++number)
    pieces.emplace_back(
        branch.getResults().slice(number * wordsOfPiece, wordsOfPiece));
  return pieces;
}

void KBlockCopy::storeWords(ArrayRef<Elements> values, Value stage) {
  forEachPiece([&](int64_t number, Piece piece) {
    SmallVector<Value> shifted;
    for (int64_t word = 0; word + 1 < wordsOfPiece; ++word)
      shifted.push_back(LLVM::FshrOp::create(
          e.b, e.loc, values[number][word + 1], values[number][word], shift));
    Value all = vector::FromElementsOp::create(
        e.b, e.loc, VectorType::get({wordsOfPiece - 1}, e.b.getI32Type()),
        shifted);
    LLVM::StoreOp::create(e.b, e.loc, all,
                          words.pointer(addressOf(piece, stage)), pieceBytes);
  });
}
