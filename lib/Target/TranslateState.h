//===- TranslateState.h - State of one translation --------------*- C++ -*-===//
//
// Private to lib/Target: Translate.cpp reads the function, Constants.cpp lays
// out constants, Whys.cpp turns locations into text.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_TRANSLATESTATE_H
#define TRIPY_LIB_TARGET_TRANSLATESTATE_H

#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Target/Translate.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tripy::target {

/// Rows of Program::whys, equal ones once.
class WhyTable {
public:
  explicit WhyTable(const OperationNames &names) : names(names) {}
  /// The row for `location`, or noIndex when it is unknown.
  Index add(mlir::Location location);
  std::vector<WhyEntry> take() { return std::move(rows); }

private:
  const OperationNames &names;
  std::vector<WhyEntry> rows;
  llvm::DenseMap<mlir::Attribute, Index> known;
};

/// Lays out constants as pieces of the executable's section.
class ConstantTable {
public:
  explicit ConstantTable(TranslatedProgram &result) : result(result) {}
  /// Bytes of `value` (dense or dense_resource); errors at `loc`.
  mlir::FailureOr<std::span<const uint8_t>> bytesOf(mlir::Attribute value,
                                                    mlir::Location loc);
  /// Places `bytes`, the same ones once, and returns their buffer.
  Buffer place(std::span<const uint8_t> bytes);

private:
  std::span<uint8_t> allocate(uint64_t bytes);
  mlir::FailureOr<std::span<const uint8_t>>
  resourceBytes(mlir::DenseResourceElementsAttr value, mlir::Location loc);

  TranslatedProgram &result;
  llvm::DenseMap<const uint8_t *, Buffer> placed;
};

/// The element type for `type`; none when tensors of a program cannot have it.
std::optional<DType> dtypeOf(mlir::Type type);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_TRANSLATESTATE_H
