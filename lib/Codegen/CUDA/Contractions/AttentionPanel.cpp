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

PanelCopy::Source PanelCopy::sourceOf(const ViewedElement &element) {
  Memory *memory = e.elements.memoryOf(element.tensor);
  Index offset = math.linearize(element.at, memory->sizes);
  return {memory->pointer, offset, math.factorOf(offset)};
}

/// Where the element of `tensor` at `at` lies, when those behind it in its row
/// lie behind it: follows views to an argument, or to one of two.
std::optional<PanelCopy::Sources> PanelCopy::find(ArrayRef<Index> at) {
  if (std::optional<ViewedElement> element = findElement(e, tensor, at)) {
    Source source = sourceOf(*element);
    return Sources{source, source, Value(),
                   isSteady(e.kernel, element->tensor)};
  }
  std::optional<ChosenElement> choice = findChoice(e, tensor, at);
  if (!choice)
    return std::nullopt;
  return Sources{sourceOf(choice->chosen), sourceOf(choice->other),
                 choice->condition, choice->isOtherSteady};
}

bool PanelCopy::hasSteady(ArrayRef<Index> at) {
  std::optional<Sources> sources = find(at);
  return widthOf(sources) > 0 && sources->isSteady;
}

/// Numbers that one asynchronous copy may have; 0: none.
int64_t PanelCopy::widthOf(const std::optional<Sources> &sources) {
  if (!sources)
    return 0;
  int64_t factor = std::gcd(sources->first.factor, sources->second.factor);
  for (int64_t width = perPiece; width >= 2; width /= 2)
    if (panel.columns % width == 0 && factor % width == 0)
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
                          Place place, Copied which) {
  // An address that is not read may be any.
  std::optional<Sources> sources = find(place(row, column));
  int64_t width = widthOf(sources);
  bool isSteady = width > 0 && sources->isSteady;
  bool isWhole = which == Copied::All || !isSteady || !sources->isFirst;
  if (isWhole && which != Copied::All && isSteady != (which == Copied::Steady))
    return;
  if (width == 0)
    return copyThrough(row, column, to, valid, place);
  if (!sources->isFirst)
    return copyAsync(sources->first, width, column, to, valid);
  if (isWhole) {
    auto pointerOf = [&](const Source &source) {
      return offsetPointer(e, source.pointer, e.b.getI16Type(), source.offset);
    };
    Value pointer = kernel.select(sources->isFirst, pointerOf(sources->first),
                                  pointerOf(sources->second));
    return copyAsync({pointer, math.constant(0), 1}, width, column, to, valid);
  }
  // One of the two copies fills what is not there with zeros.
  bool isFirst = which == Copied::Rest;
  Value condition = sources->isFirst;
  if (!isFirst) {
    Value one = arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true));
    condition = arith::XOrIOp::create(e.b, e.loc, condition, one);
  }
  e.when(condition, [&] {
    copyAsync(isFirst ? sources->first : sources->second, width, column, to,
              valid);
  });
}

void PanelCopy::start(Value address, Index valid, Place place, Copied which) {
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
      copyPiece(
          row, math.mul(piece, math.constant(perPiece)), words.add(address, to),
          kernel.compare(arith::CmpIPredicate::ult, row, valid), place, which);
    };
    if (begin + threads <= all)
      copy();
    else
      e.when(
          kernel.compare(arith::CmpIPredicate::ult, number, math.constant(all)),
          copy);
  }
}
