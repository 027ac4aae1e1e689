//===- AttentionBuilder.h - kernel.attention of what was found --*- C++ -*-===//
//
// Brings what a pattern has to the kernel's order of dimensions, and its result
// to the user's. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_ATTENTIONBUILDER_H
#define TRIPY_CODEGEN_FUSION_ATTENTIONBUILDER_H

#include "AttentionPattern.h"

#include "mlir/IR/Builders.h"

#include <limits>

namespace tripy::fusion {

/// A product that comes near this would have overflowed on its way.
inline constexpr double nearOverflow = -0x1p126;

/// What hides keys, as the kernel takes it.
struct Visibility {
  kernel::Causal causal = kernel::Causal::None;
  /// Keys before each query's own and after it that it sees; none where all.
  std::optional<int64_t> left, right;
  /// The axis of the queries that the mask counts.
  std::optional<unsigned> queries;
  /// Whether each query sees a key for certain.
  bool seesSome = true;
  /// Conditions that are left, each with the axes of its tensor's dimensions.
  llvm::SmallVector<std::pair<Condition, DimAxes>> conditions;
  double hidden = -std::numeric_limits<double>::infinity();
};

/// A condition of which keys a query sees, and the number that the scores of
/// the others become. `origin`: both bounds of a band have one. `bias`: the
/// constant whose elements say so.
struct HiddenKeys {
  Condition condition;
  DimAxes dims;
  double number;
  unsigned origin;
  std::optional<ScoreBias> bias;
};

/// What `tensor` is a reshape of, which another reshape of it may as well read:
/// of 4x2048x256 as 4x524288 and back, no rows could be found that are apart in
/// memory.
mlir::Value reshapedFrom(mlir::Value tensor);

/// `tensor` with these sizes, as a part of an attention.
mlir::Value reshapedTo(mlir::Value tensor, const SizeList &sizes,
                       mlir::OpBuilder &b, mlir::Location loc,
                       Program &program);

/// Makes one kernel.attention of a pattern that matched.
class AttentionBuilder {
public:
  explicit AttentionBuilder(AttentionPattern &pattern)
      : pattern(pattern), program(pattern.program), axes(pattern.axes),
        b(pattern.product), loc(locate()) {}

  /// Replaces the second product. Else says why not.
  std::string rewrite();

private:
  mlir::Location locate();
  std::string chooseRows();
  std::string chooseHeads();
  void readFills();
  std::vector<HiddenKeys> takeHiddenKeys();
  void takePlaces(llvm::ArrayRef<HiddenKeys> all);
  void leaveToMask(const HiddenKeys &keys);
  bool readCondition(const Condition &condition, const DimAxes &dims,
                     bool areAfter);
  bool readKeysAfter(LinearSize offset);
  bool readKeysBefore(LinearSize offset);
  bool isBeyondScores(double number) const;

  mlir::Value reshaped(mlir::Value tensor, const SizeList &sizes);
  mlir::Value arranged(mlir::Value tensor, const DimAxes &dims,
                       const Axes &order, const SizeList &sizes);
  mlir::Value known(mlir::Operation *op);
  mlir::Value splat(double value, mlir::Value like);
  SizeList with(mlir::OpFoldResult heads, mlir::OpFoldResult rows,
                mlir::OpFoldResult columns);
  mlir::OpFoldResult product(llvm::ArrayRef<unsigned> list);
  mlir::Value ofScores(mlir::Value tensor, const DimAxes &dims);
  mlir::Value visible();
  mlir::Value inF32(mlir::Value tensor);
  mlir::Value bias();
  mlir::Value unscaled(mlir::Value tensor);
  mlir::Value narrowed(mlir::Value tensor, mlir::Type element);
  mlir::Value rebuilt(mlir::Value tensor,
                      llvm::function_ref<mlir::Value(mlir::Operation *)> inner);
  void dropConversions();
  void replaceBy(mlir::Value attention);

  AttentionPattern &pattern;
  Program &program;
  AxisSpace &axes;
  mlir::OpBuilder b;
  mlir::Location loc;
  Visibility seen;
  /// What was left to the mask last.
  std::optional<unsigned> lastLeft;
  /// Queries; heads that share keys; dimensions in front of the heads, and the
  /// heads of the keys.
  Axes queries, groups, outer, heads;
  SizeList batch;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_ATTENTIONBUILDER_H
