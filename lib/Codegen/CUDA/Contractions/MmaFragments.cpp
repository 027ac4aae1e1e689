//===- MmaFragments.cpp - What warps read from the ring -------------------===//
//
// An instruction's operand is made of 8 x 8 matrices of 16-bit numbers, or of
// 8 rows of 16 bytes whatever the type: lane l has word l % 4 of row l / 4.
// ldmatrix reads up to four, its lanes 8 i to 8 i + 7 have the addresses of the
// rows of matrix i. In the order of the words: of A rows 0 and 8 at the lower
// 16 bytes of K, then at the upper; of B columns 0 at the lower and the upper,
// then columns 8.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

Value Words::pointer(Value address) {
  return LLVM::IntToPtrOp::create(
      e.b, e.loc, LLVM::LLVMPointerType::get(e.b.getContext(), 3), address);
}

/// 8 lines that are read together, of 32-bit numbers across K 4 lines and two
/// pieces of each, lie in different banks.
Value Lines::permutation(Words &words, Value line) const {
  int64_t count = std::min<int64_t>(pieces(), 8);
  if (!alongK && bytesOf(elementType) == 4)
    return words.rem(words.mul(words.rem(line, 4), 2), count);
  return words.rem(words.div(line, 8 / count), count);
}

FragmentReader::FragmentReader(CUDAKernel &kernel, const Lines &lines, bool isA,
                               int64_t start, Value first)
    : e(kernel.e), words(kernel.e), lines(lines), isA(isA), start(start),
      first(first) {
  lane = words.rem(words.of(kernel.threadId()), 32);
}

SmallVector<Value> FragmentReader::read(Value stage, int64_t step, int64_t row,
                                        int64_t count) {
  if (lines.alongK)
    return readRows(stage, step, row, count);
  return bytesOf(lines.elementType) == 2
             ? readTransposed(stage, step, row, count)
             : readWords(stage, step, row, count);
}

SmallVector<Value> FragmentReader::matrices(Value address, int64_t count,
                                            bool transposed) {
  SmallVector<Type> types(count, e.b.getI32Type());
  auto layout = transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  Value loaded = NVVM::LdMatrixOp::create(
      e.b, e.loc, LLVM::LLVMStructType::getLiteral(e.b.getContext(), types),
      words.pointer(address), count, layout,
      NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, loaded, i));
  return result;
}

/// Lines along K: a matrix is 8 lines of one piece.
SmallVector<Value> FragmentReader::readRows(Value stage, int64_t step,
                                            int64_t row, int64_t count) {
  Value inMatrix = words.rem(lane, 8);
  Value upper = words.div(lane, 16), middle = words.rem(words.div(lane, 8), 2);
  Value line =
      words.add(words.add(first, words.mul(isA ? middle : upper, 8)), inMatrix);
  // The warp's first row and `row` are multiples of 8.
  Value piece = words.exclusiveOr(isA ? upper : middle,
                                  lines.permutation(words, inMatrix));
  piece = words.exclusiveOr(piece, step * stepBytes / pieceBytes);
  Value inStage =
      words.add(words.mul(line, lines.bytes), words.mul(piece, pieceBytes));
  return matrices(
      words.add(words.add(stage, inStage), start + row * lines.bytes), count,
      /*transposed=*/false);
}

/// Lines across K, of 16-bit numbers: a matrix is 8 values of K of one piece.
SmallVector<Value> FragmentReader::readTransposed(Value stage, int64_t step,
                                                  int64_t row, int64_t count) {
  Value inMatrix = words.rem(lane, 8);
  Value upper = words.div(lane, 16), middle = words.rem(words.div(lane, 8), 2);
  Value line = words.add(words.mul(isA ? upper : middle, 8), inMatrix);
  // The warp's first piece has no bits in common with those that follow.
  int64_t number = row / 8;
  Value piece = words.add(words.div(first, 8), isA ? middle : upper);
  piece = words.exclusiveOr(piece, lines.permutation(words, inMatrix));
  piece = words.exclusiveOr(piece, number % 8);
  Value inStage =
      words.add(words.mul(line, lines.bytes), words.mul(piece, pieceBytes));
  int64_t behind =
      start + step * 16 * lines.bytes + (number - number % 8) * pieceBytes;
  return matrices(words.add(words.add(stage, inStage), behind), count,
                  /*transposed=*/true);
}

/// Lines across K, of 32-bit numbers: word by word.
SmallVector<Value> FragmentReader::readWords(Value stage, int64_t step,
                                             int64_t row, int64_t count) {
  Value ofRow = words.div(lane, 4), line = words.rem(lane, 4);
  SmallVector<Value> result;
  for (int64_t word = 0; word < count; ++word) {
    int64_t lower = isA ? word % 2 : word / 2;
    int64_t upper = isA ? word / 2 : word % 2;
    int64_t number = (row + lower * 8) / 4;
    Value piece = words.add(words.div(first, 4), words.div(ofRow, 4));
    piece = words.exclusiveOr(piece, lines.permutation(words, line));
    piece = words.exclusiveOr(piece, number % 8);
    Value inStage = words.add(
        words.add(words.mul(line, lines.bytes), words.mul(piece, pieceBytes)),
        words.mul(words.rem(ofRow, 4), 4));
    int64_t behind = start + (step * 8 + upper * 4) * lines.bytes +
                     (number - number % 8) * pieceBytes;
    Value address = words.add(words.add(stage, inStage), behind);
    result.push_back(LLVM::LoadOp::create(e.b, e.loc, e.b.getI32Type(),
                                          words.pointer(address), 4));
  }
  return result;
}

Value FragmentReader::readF32(Value stage, Value row, Value depth) {
  int64_t perPiece = pieceBytes / 4;
  Value line = lines.alongK ? row : depth, along = lines.alongK ? depth : row;
  Value piece = words.exclusiveOr(words.div(along, perPiece),
                                  lines.permutation(words, line));
  Value inStage = words.add(
      words.add(words.mul(line, lines.bytes), words.mul(piece, pieceBytes)),
      words.mul(words.rem(along, perPiece), 4));
  Value address = words.add(words.add(stage, inStage), start);
  return LLVM::LoadOp::create(e.b, e.loc, e.b.getF32Type(),
                              words.pointer(address), 4);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// No operation of the NVVM dialect multiplies f8.
static Value multiplyF8(KernelEmission &e, ElementType elementType,
                        ArrayRef<Value> a, ArrayRef<Value> b,
                        ArrayRef<Value> sums) {
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, sums);
  SmallVector<Type> types(4, e.b.getF32Type());
  StringRef element = elementType == ElementType::E4M3 ? "e4m3" : "e5m2";
  std::string text =
      ("mma.sync.aligned.m16n8k32.row.col.f32." + element + "." + element +
       ".f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, "
       "{$10, $11, $12, $13};")
          .str();
  return LLVM::InlineAsmOp::create(
             e.b, e.loc,
             TypeRange(
                 LLVM::LLVMStructType::getLiteral(e.b.getContext(), types)),
             operands, text, "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f",
             /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

void mma::multiplyAdd(KernelEmission &e, ElementType elementType,
                      ArrayRef<Value> a, ArrayRef<Value> b,
                      MutableArrayRef<Value> sums) {
  Value result;
  if (isFloat8(elementType)) {
    result = multiplyF8(e, elementType, a, b, sums);
  } else {
    auto convert = [&](ArrayRef<Value> bits) {
      SmallVector<Value> operands(bits);
      if (elementType == ElementType::F16)
        for (Value &operand : operands)
          operand = LLVM::BitcastOp::create(
              e.b, e.loc, VectorType::get({2}, e.b.getF16Type()), operand);
      return operands;
    };
    bool isInteger = elementType == ElementType::S8;
    NVVM::MMATypes type = elementType == ElementType::F16 ? NVVM::MMATypes::f16
                          : elementType == ElementType::BF16
                              ? NVVM::MMATypes::bf16
                          : isInteger ? NVVM::MMATypes::s8
                                      : NVVM::MMATypes::tf32;
    SmallVector<Type> types(4, sums.front().getType());
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (isInteger)
      overflow = NVVM::MMAIntOverflow::wrapped;
    int64_t k = stepBytes / bytesOf(elementType);
    result = NVVM::MmaOp::create(
        e.b, e.loc, LLVM::LLVMStructType::getLiteral(e.b.getContext(), types),
        convert(a), convert(b), SmallVector<Value>(sums),
        ArrayRef<int64_t>{fragmentRows, fragmentColumns, k}, std::nullopt,
        overflow, std::array<NVVM::MMATypes, 2>{type, type},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(e.b, e.loc, result, int64_t(i));
}

void mma::storeFragments(CUDAKernel &kernel, ArrayRef<Value> sums,
                         Value address, int64_t rowFloats) {
  KernelEmission &e = kernel.e;
  Words words(e);
  Value lane = words.rem(words.of(kernel.threadId()), 32);
  Value at =
      words.add(address, words.add(words.mul(words.div(lane, 4), rowFloats * 4),
                                   words.mul(words.rem(lane, 4), 8)));
  auto pair = VectorType::get({2}, sums.front().getType());
  for (size_t i = 0; i < sums.size(); i += 2) {
    Value both =
        vector::FromElementsOp::create(e.b, e.loc, pair, sums.slice(i, 2));
    int64_t column = i / 4 * fragmentColumns, row = i % 4 / 2 * 8;
    Value to = words.add(at, (row * rowFloats + column) * 4);
    LLVM::StoreOp::create(e.b, e.loc, both, words.pointer(to), 8);
  }
}

Value mma::sharedAddress(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  return LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(),
                                  kernel.dynamicShared());
}
