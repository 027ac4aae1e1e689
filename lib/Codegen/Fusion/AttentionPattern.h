//===- AttentionPattern.h - Attention that users wrote out ------*- C++ -*-===//
//
// What was found of an attention: two contractions, with a softmax and a
// function of scores between. Internal to the fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_ATTENTIONPATTERN_H
#define TRIPY_CODEGEN_FUSION_ATTENTIONPATTERN_H

#include "AttentionAxes.h"
#include "AttentionMasks.h"
#include "Prepare.h"

#include "llvm/ADT/SetVector.h"

namespace tripy::fusion {

/// A tensor, and what its dimensions are.
struct Viewed {
  mlir::Value tensor;
  DimAxes dims;
};

/// A number for each score, added `factor` times.
struct ScoreBias {
  Viewed tensor;
  double factor;
};

/// Scores that a number takes the place of where the tensor is true, or false.
struct ScoreFill {
  Viewed tensor;
  bool isSeenWhereTrue;
  double fill;
};

/// Reads what leads to a contraction of probabilities and values, from its end
/// to the contraction of queries and keys.
class AttentionPattern {
public:
  AttentionPattern(Program &program, flatir::DotOp product)
      : program(program), product(product) {}

  /// Whether the contraction's operand `side` are probabilities. Else `reason`
  /// says why not, or is empty where this is no attention at all.
  bool match(unsigned side);

  Program &program;
  /// The contraction with the values, and that of queries and keys.
  flatir::DotOp product, scores;
  AxisSpace axes;
  Viewed query, key, value;
  /// Of the result of `product`.
  DimAxes result;
  /// Axes of the operands, of query, key and value: those that all have, that
  /// the query has alone (rows), and one each.
  Axes batch, rows, keys, depth, width;
  double scale = 1;
  /// Scaled products s become cap * tanh(s / cap).
  std::optional<double> cap;
  /// Whether the program rounds its capped scores to 16 bits.
  bool isCapRounded = false;
  llvm::SmallVector<ScoreBias> biases;
  llvm::SmallVector<ScoreFill> fills;
  /// All operations that the attention takes the place of.
  llvm::SetVector<mlir::Operation *> replaced;
  std::string reason;

private:
  using Users = llvm::SmallPtrSet<mlir::Operation *, 4>;
  bool fail(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return false;
  }
  bool readsAlone(mlir::Value tensor, const Users &readers,
                  llvm::StringRef what);
  mlir::Value throughProbabilities(mlir::Value tensor);
  bool matchSoftmax(mlir::Value weights);
  bool matchScores();
  bool takeStep(Viewed &at, double &factor);
  bool takeFill(flatir::SelectOp op, Viewed &at, double factor);
  bool takeBias(mlir::Operation *op, Viewed &at, double factor);
  bool matchProbabilities();
  bool matchProducts(unsigned side);
  bool matchBatch();

  /// The scores that softmax takes, and the dimension of its keys.
  mlir::Value input;
  int64_t dim = 0;
  /// Of these, of the first contraction's result, and of the probabilities as
  /// the second one reads them.
  DimAxes ofInput, ofScores, ofWeights;
  /// Views and conversions behind the softmax, the last one first.
  llvm::SmallVector<mlir::Operation *> behind;
};

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_ATTENTIONPATTERN_H
