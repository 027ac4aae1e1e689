//===- AttentionSpace.h - Queries, keys and scores of a kernel --*- C++ -*-===//
//
// What the emitters of attention share: how the queries of a kernel are cut in
// blocks, which keys a block goes through, and what a score is.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_ATTENTIONSPACE_H
#define TRIPY_CODEGEN_ATTENTIONSPACE_H

#include "KernelEmission.h"

#include <cmath>

namespace tripy::codegen {

/// Products of scores and the exponent's factor are rounded before they are
/// subtracted. From this size on, that may be 2^16 times what powers of 16 bits
/// can be: rows whose maximum is as large have a power of two for a factor,
/// whose products are exact. Scores of such rows are so far apart that powers
/// of all but the largest are 0 in 16 bits, with either factor.
constexpr double maxRoundedProduct = 268435456; // 2^28

/// That power of two, not below `factor`.
inline double exactFactor(double factor) {
  return std::exp2(std::ceil(std::log2(factor)));
}

/// How scores become exponents of 2.
struct ExponentScale {
  /// Scores are products that were not scaled: the factor scales.
  bool isLate;
  float factor;
  /// No product with `factor` is beyond f32: differences of such products may
  /// be fused.
  bool isBounded;

  static ExponentScale of(kernel::AttentionOp op);
};

/// Rows are the queries of all heads that share a head of the key, one head
/// after the other, so that a block of them reads keys and values once.
class AttentionSpace {
public:
  /// The attention of a kernel, which has one.
  explicit AttentionSpace(KernelEmission &emission);

  /// A block of rows.
  struct Block {
    llvm::SmallVector<Index> batch;
    Index keyHead, firstRow;
    /// Keys that `lengths` leaves.
    Index limit;
    /// Keys from the first that some row sees to the last, and those between
    /// that all rows see: a mask apart. The others may be none.
    Index begin, end, firstOfAll, endOfAll;
  };
  /// A query of a block.
  struct Row {
    Index head, query;
  };

  /// Blocks of `rows` rows, for the launch grid.
  mlir::AffineExpr numBlocks(int64_t rows) const;
  Block blockAt(Index number, int64_t rows);
  /// The first key of the block of `keys` keys that has `block.begin`.
  Index firstKey(const Block &block, int64_t keys) {
    Index each = math.constant(keys);
    return math.mul(math.div(block.begin, each), each);
  }
  /// Row `row` of all rows, which is one.
  Row rowAt(const Block &block, Index row);
  /// Indices of an element of the query, or of the result.
  llvm::SmallVector<Index> ofQuery(const Block &block, const Row &row,
                                   Index column) const;
  /// Indices of an element of the key or of the value.
  llvm::SmallVector<Index> ofKey(const Block &block, Index key,
                                 Index column) const;
  /// The score of `key`, which is one: the product scaled, with the mask; minus
  /// infinity, or what the operation says, where it is hidden; minus infinity
  /// where it is not `inside`, where that is given.
  mlir::Value score(const Block &block, const Row &row, Index key,
                    mlir::Value product, mlir::Value inside = {}) {
    return unlessHidden(block, row, key, scaled(block, row, key, product),
                        inside);
  }
  /// Whether the mask is a number that is added to scores.
  bool hasBias();
  /// The product scaled, with a mask that is added.
  mlir::Value scaled(const Block &block, const Row &row, Index key,
                     mlir::Value product);
  /// `score`; minus infinity where the key is hidden, or not `inside` where
  /// that is given. `isOfAll`: all rows see the key, a mask apart.
  mlir::Value unlessHidden(const Block &block, const Row &row, Index key,
                           mlir::Value score, mlir::Value inside = {},
                           bool isOfAll = false);

  mlir::Value number(double value);
  mlir::Value minusInfinity();
  /// The larger one of a maximum so far and a score; the maximum, of a NaN.
  mlir::Value larger(mlir::Value max, mlir::Value score);
  /// What a score is compared with: `max`, or 0 where no key is seen.
  mlir::Value reference(mlir::Value max);
  /// What a row's sum divides: 1 where no key is seen, unless that is to be
  /// NaN.
  mlir::Value divisor(mlir::Value sum);
  mlir::Value exp(mlir::Value value);

  kernel::AttentionOp op;
  /// Last sizes of query and value.
  int64_t depth, width;
  /// Heads of the key, rows with one of them, queries of a head, keys.
  Index heads, rows, queries, keys;

private:
  Index pastOwnKey(const Block &block, Index query, int64_t keys);
  void placeKeys(Block &block, int64_t rows);
  mlir::Value isSeen(const Block &block, const Row &row, Index key,
                     mlir::Value inside, bool isOfAll);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index a, Index b);

  KernelEmission *e;
  IndexMath &math;
  int64_t group;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_ATTENTIONSPACE_H
