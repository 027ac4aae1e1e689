//===- AttentionPanel.cpp - Copies of queries, keys and values ------------===//

#include "AttentionPanel.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

/// Where the element of `tensor` at `at` lies, when those behind it in its row
/// lie behind it: follows views to an argument, or to one of two.
std::optional<PanelCopy::Source> PanelCopy::find(ArrayRef<Index> at) {
  auto sourceOf = [&](const ViewedElement &element) {
    Memory *memory = e.elements.memoryOf(element.tensor);
    Index offset = math.linearize(element.at, memory->sizes);
    return Source{memory->pointer, offset, math.factorOf(offset)};
  };
  if (std::optional<ViewedElement> element = findElement(e, tensor, at))
    return sourceOf(*element);
  std::optional<ChosenElement> choice = findChoice(e, tensor, at);
  if (!choice)
    return std::nullopt;
  Source chosen = sourceOf(choice->chosen), other = sourceOf(choice->other);
  auto pointerOf = [&](const Source &source) {
    return offsetPointer(e, source.pointer, e.b.getI16Type(), source.offset);
  };
  return Source{
      kernel.select(choice->condition, pointerOf(chosen), pointerOf(other)),
      math.constant(0), std::gcd(chosen.factor, other.factor)};
}

/// Numbers that one asynchronous copy may have; 0: none.
int64_t PanelCopy::widthOf(const std::optional<Source> &source) {
  if (!source)
    return 0;
  for (int64_t width = perPiece; width >= 2; width /= 2)
    if (panel.columns % width == 0 && source->factor % width == 0)
      return width;
  return 0;
}

void PanelCopy::copyAsync(const Source &source, int64_t width, Index column,
                          Value to, Value valid) {
  Type bits = e.b.getI16Type();
  int32_t bytes = width * 2;
  auto caching = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
  for (int64_t i = 0; i < perPiece; i += width) {
    Value isThere = valid;
    if (panel.columns != panel.read)
      isThere = arith::AndIOp::create(
          e.b, e.loc, valid,
          kernel.compare(arith::CmpIPredicate::ult,
                         math.add(column, math.constant(i)),
                         math.constant(panel.columns)));
    // What is not read is filled with zeros.
    Value read =
        kernel.select(isThere, words.constant(bytes), words.constant(0));
    Value from = offsetPointer(e, source.pointer, bits,
                               math.add(source.offset, math.constant(i)));
    NVVM::CpAsyncOp::create(e.b, e.loc, words.pointer(words.add(to, i * 2)),
                            from, bytes, caching, read);
  }
}

void PanelCopy::copyThrough(Index row, Index column, Value to, Value valid,
                            Place place) {
  Type element = elementTypeOf(tensor), bits = e.b.getI16Type();
  Value zero = arith::ConstantOp::create(e.b, e.loc, e.b.getI16IntegerAttr(0));
  int64_t width = std::gcd(panel.columns, perPiece);
  Elements piece;
  for (int64_t i = 0; i < perPiece; i += width) {
    Index from = math.add(column, math.constant(i));
    Value isThere =
        arith::AndIOp::create(e.b, e.loc, valid,
                              kernel.compare(arith::CmpIPredicate::ult, from,
                                             math.constant(panel.columns)));
    llvm::append_range(piece, kernel.valuesWhere(isThere, width, zero, [&] {
      Elements values = e.elements.emit(tensor, place(row, from), width);
      for (Value &value : values)
        value = arith::BitcastOp::create(e.b, e.loc, bits,
                                         e.elements.narrow(value, element));
      return values;
    }));
  }
  Value all = vector::FromElementsOp::create(
      e.b, e.loc, VectorType::get({perPiece}, bits), piece);
  LLVM::StoreOp::create(e.b, e.loc, all, words.pointer(to), pieceBytes);
}

void PanelCopy::copyPiece(Index row, Index column, Value to, Value valid,
                          Place place) {
  // An address that is not read may be any.
  std::optional<Source> source = find(place(row, column));
  if (int64_t width = widthOf(source))
    copyAsync(*source, width, column, to, valid);
  else
    copyThrough(row, column, to, valid, place);
}

void PanelCopy::start(Value address, Index valid, Place place) {
  int64_t pieces = panel.pieces(), all = rows * pieces;
  // A thread has the same pieces of all its rows, where they are so many.
  bool isEven = threads % pieces == 0;
  Index first = math.div(thread, math.constant(pieces));
  Index same = math.rem(thread, math.constant(pieces));
  for (int64_t begin = 0; begin < all; begin += threads) {
    Index number = math.add(thread, math.constant(begin));
    auto copy = [&] {
      Index row = isEven ? math.add(first, math.constant(begin / pieces))
                         : math.div(number, math.constant(pieces));
      Index piece = isEven ? same : math.rem(number, math.constant(pieces));
      Value line = words.of(row);
      Value to =
          words.exclusiveOr(words.of(piece), lines.permutation(words, line));
      to = words.add(words.mul(line, panel.lineBytes),
                     words.mul(to, pieceBytes));
      copyPiece(row, math.mul(piece, math.constant(perPiece)),
                words.add(address, to),
                kernel.compare(arith::CmpIPredicate::ult, row, valid), place);
    };
    if (begin + threads <= all)
      copy();
    else
      e.when(
          kernel.compare(arith::CmpIPredicate::ult, number, math.constant(all)),
          copy);
  }
}
