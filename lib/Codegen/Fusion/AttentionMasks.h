//===- AttentionMasks.h - What hides keys from queries ----------*- C++ -*-===//
//
// Reads masks that were written as comparisons of positions, as constants, or
// as one of two numbers. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_ATTENTIONMASKS_H
#define TRIPY_CODEGEN_FUSION_ATTENTIONMASKS_H

#include "tripy/Conversion/TensorSizes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "llvm/ADT/MapVector.h"

namespace tripy::fusion {

/// The number that all elements are, when it is known: of any element type.
std::optional<double> splatNumber(mlir::Value tensor);

/// A sum of multiples of sizes, and a number.
struct LinearSize {
  int64_t number = 0;
  llvm::SmallMapVector<mlir::Value, int64_t, 4> sizes;

  void add(mlir::OpFoldResult size, int64_t times);
  void add(const LinearSize &other, int64_t times);
  /// The number, where no size is left.
  std::optional<int64_t> constant() const;

private:
  void add(mlir::OpFoldResult size, int64_t times, unsigned depth);
};

/// A tensor that is true where position `factors` . index + offset >= 0.
struct HalfSpace {
  llvm::SmallVector<int64_t> factors;
  LinearSize offset;
};

/// Of a band of positions, |x| <= c, what is meant: all of it, or one side,
/// x <= c or x >= -c.
enum class Bound { All, Upper, Lower };

/// A tensor of i1, seen through views: `leaf`, of which `views`, innermost
/// first, make the tensor; true where the leaf is false if `isNegated`. With
/// one bound, the leaf is perhaps more: true where the other one is, too.
struct Condition {
  mlir::Value leaf;
  llvm::SmallVector<mlir::Operation *> views;
  bool isNegated = false;
  Bound bound = Bound::All;
};

/// What must all be true for `tensor`, or its negation, to be.
llvm::SmallVector<Condition> conditionsOf(mlir::Value tensor, bool isNegated);

/// What constants that are masks say; each is looked at once.
class ConstantMasks {
public:
  /// Elements of two dimensions: true, or the float 0, where row + first <=
  /// column <= row + last, as far as these are given. Other dimensions repeat
  /// these.
  struct Band {
    llvm::SmallVector<int64_t> dims;
    std::optional<int64_t> first, last;
  };
  /// Nothing where the elements are no band, or their negation is none.
  const std::optional<Band> &bandOf(flatir::ConstantOp op, bool isNegated);
  /// Of a constant whose elements are 0 and one other float: that one.
  std::optional<double> lowOf(flatir::ConstantOp op);

private:
  llvm::DenseMap<mlir::Attribute, std::optional<Band>> bands, others;
  llvm::DenseMap<mlir::Attribute, std::optional<double>> lows;
};

/// The condition by positions of the tensor's dimensions, if it is one: a
/// comparison of what iotas count, or a constant that is such. Its factors are
/// all 0 where the condition always holds.
std::optional<HalfSpace> halfSpaceOf(const Condition &condition,
                                     const TensorSizes &sizes,
                                     ConstantMasks &constants);

/// A tensor that has one of two numbers: `ifTrue` where the condition is.
struct Choice {
  Condition condition;
  double ifTrue, ifFalse;
};
std::optional<Choice> choiceOf(mlir::Value tensor);
/// A constant of 0 and one other float, which is the leaf: the condition is
/// true where it is 0.
std::optional<Choice> constantChoiceOf(mlir::Value tensor,
                                       ConstantMasks &constants);

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_ATTENTIONMASKS_H
