//===- SortOrder.h - Numbers in the order of a sort -------------*- C++ -*-===//
//
// Elements as unsigned integers, keys, that compare as flatir.sort orders the
// elements. For the emitters of sorts.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_SORTORDER_H
#define TRIPY_CODEGEN_SORTORDER_H

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace tripy::codegen {

/// Positions that a kernel selects without sorting whole rows; a sort with a
/// larger count is a sort of all and a slice.
constexpr int64_t maxSelected = 2048;

/// CUDA: elements of a row that a block sorts in shared memory. Longer rows are
/// sorted by several kernels, whose chunks are multiples of such tiles.
constexpr int64_t maxBlockSorted = 4096;

/// Keys of elements of one type in one direction.
class SortOrder {
public:
  /// `element` is the tensor's element type. With `shortKeys`, the processor
  /// rounds to f16 by an instruction, and keys of f16 have 16 significant bits
  /// instead of 20.
  SortOrder(mlir::Type element, bool descending, bool shortKeys = false)
      : element(element), descending(descending),
        isShortF16(shortKeys && element.isF16()) {}

  /// i64 for elements of 64 bits, i32 for all others.
  mlir::IntegerType keyType() const {
    bool wide = element.getIntOrFloatBitWidth() == 64;
    return mlir::IntegerType::get(element.getContext(), wide ? 64 : 32);
  }
  /// The upper bits of a key that can differ between two elements; the others
  /// follow from them.
  int64_t significantBits() const;
  /// Digits of 8 bits of a key, and the first of those that can differ, counted
  /// from the lowest bits on.
  int64_t digits() const { return keyType().getWidth() / 8; }
  int64_t firstDigit() const {
    return digits() - llvm::divideCeil(significantBits(), 8);
  }
  /// The key of `value`, which is in the compute type of the element type.
  mlir::Value key(mlir::OpBuilder &b, mlir::Location loc,
                  mlir::Value value) const;
  /// Whether (key, position) `a` comes before `b`.
  static mlir::Value precedes(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value aKey, mlir::Value aPosition,
                              mlir::Value bKey, mlir::Value bPosition);

private:
  mlir::Value floatBits(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value) const;
  mlir::Value floatKey(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value) const;
  mlir::Value ascendingKey(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value) const;

  mlir::Type element;
  bool descending, isShortF16;
};

inline int64_t SortOrder::significantBits() const {
  auto real = mlir::dyn_cast<mlir::FloatType>(element);
  if (!real || real.getWidth() >= 32 || isShortF16)
    return element.getIntOrFloatBitWidth();
  // Keys are made of f32: a sign, 8 bits of exponent, and the fraction.
  return 1 + 8 + (real.getFPMantissaWidth() - 1);
}

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_SORTORDER_H
