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
/// lie behind it: follows views to an argument.
std::optional<PanelCopy::Source> PanelCopy::find(ArrayRef<Index> at) {
  std::optional<ViewedElement> element = findElement(e, tensor, at);
  if (!element)
    return std::nullopt;
  Memory *memory = e.elements.memoryOf(element->tensor);
  return Source{memory->pointer, math.linearize(element->at, memory->sizes)};
}

/// Numbers that one asynchronous copy may have; 0: none.
int64_t PanelCopy::widthOf(const std::optional<Source> &source) {
  if (!source)
    return 0;
  for (int64_t width = perPiece; width >= 2; width /= 2)
    if (panel.columns % width == 0 &&
        math.factorOf(source->offset) % width == 0)
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
  int64_t all = rows * panel.pieces();
  Index thread = kernel.threadId();
  for (int64_t first = 0; first < all; first += attentionThreads) {
    Index number = math.add(thread, math.constant(first));
    auto copy = [&] {
      Index row = math.div(number, math.constant(panel.pieces()));
      Index piece = math.rem(number, math.constant(panel.pieces()));
      Value line = words.of(row);
      Value to =
          words.exclusiveOr(words.of(piece), lines.permutation(words, line));
      to = words.add(words.mul(line, panel.lineBytes),
                     words.mul(to, pieceBytes));
      copyPiece(row, math.mul(piece, math.constant(perPiece)),
                words.add(address, to),
                kernel.compare(arith::CmpIPredicate::ult, row, valid), place);
    };
    if (first + attentionThreads <= all)
      copy();
    else
      e.when(
          kernel.compare(arith::CmpIPredicate::ult, number, math.constant(all)),
          copy);
  }
}
