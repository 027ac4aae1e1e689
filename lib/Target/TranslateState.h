//===- TranslateState.h - State of one translation --------------*- C++ -*-===//
//
// Private to lib/Target: Translate.cpp reads the function, Constants.cpp lays
// out constants, Whys.cpp turns locations into text, Work.cpp counts what
// launches have to do, FailingSizes.cpp warns of sizes that are refused.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_TRANSLATESTATE_H
#define TRIPY_LIB_TARGET_TRANSLATESTATE_H

#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Target/Translate.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <map>
#include <tuple>

namespace tripy::target {

/// Rows of Program::whys and Program::frames, equal ones once.
class WhyTable {
public:
  explicit WhyTable(const UserOperations &operations)
      : operations(operations) {}
  /// The row for `location`, or noIndex when it is unknown.
  TableIndex add(mlir::Location location);
  /// The rows of the operands of the user's operation at `location`.
  std::vector<TableIndex> addOperands(mlir::Location location);
  std::vector<WhyEntry> takeRows() { return std::move(rows); }
  std::vector<Frame> takeFrames() { return std::move(frames); }

private:
  WhyEntry makeRow(mlir::Location location);
  TableIndex addFrames(mlir::Location caller, TableIndex outer);

  const UserOperations &operations;
  std::vector<WhyEntry> rows;
  llvm::DenseMap<mlir::Attribute, TableIndex> known;
  std::vector<Frame> frames;
  /// By place, function and caller.
  std::map<std::tuple<const void *, llvm::StringRef, TableIndex>, TableIndex>
      knownFrames;
};

/// What a launch of `callee` has to do, besides touching its accesses once:
/// terms of the launch's size arguments.
std::vector<WorkTerm> countWork(kernel::FuncOp callee, const Launch &launch);

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
  packI4(mlir::DenseElementsAttr dense, mlir::Location loc);
  mlir::FailureOr<std::span<const uint8_t>>
  resourceBytes(mlir::DenseResourceElementsAttr value, mlir::Location loc);

  TranslatedProgram &result;
  llvm::DenseMap<const uint8_t *, Buffer> placed;
};

/// Of a condition that fails for all sizes: "the sizes are 5 and 1 to 4"; of a
/// limit, "found 1 to 4, which is less than 6".
std::string describeSizes(CheckKind kind, Interval a, Interval b);

/// Says which of a program's checks, each at its location, the profile does not
/// imply, with the smallest sizes that break them. Fails where that is an
/// error.
mlir::LogicalResult reportFailingSizes(const Program &program,
                                       llvm::ArrayRef<mlir::Location> locations,
                                       FailingSizes severity);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_TRANSLATESTATE_H
