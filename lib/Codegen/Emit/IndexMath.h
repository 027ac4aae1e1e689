//===- IndexMath.h - Folding index arithmetic -------------------*- C++ -*-===//
//
// Index arithmetic for emitters: folds constants, finds equal computations
// again, knows factors of values (for the alignment of accesses), and undoes a
// delinearization when the parts are put together again. All indices are
// non-negative.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_INDEXMATH_H
#define TRIPY_CODEGEN_INDEXMATH_H

#include "tripy/Dialect/Kernel/SizeRange.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace tripy::codegen {

class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {
    pushScope();
  }

  using Index = mlir::OpFoldResult;

  Index constant(int64_t value) { return builder.getIndexAttr(value); }
  /// `index` as a value of type index.
  mlir::Value value(Index index);
  static std::optional<int64_t> constantOf(Index index);

  Index add(Index a, Index b);
  Index sub(Index a, Index b);
  Index mul(Index a, Index b);
  /// Quotient rounded down; `b` is not 0 where this is executed.
  Index div(Index a, Index b);
  Index rem(Index a, Index b);
  Index ceilDiv(Index a, Index b);
  Index min(Index a, Index b);
  Index max(Index a, Index b);
  Index product(llvm::ArrayRef<Index> factors);
  /// `expr` with dimension i standing for dims[i].
  Index evaluate(mlir::AffineExpr expr, llvm::ArrayRef<Index> dims);

  /// From here on indices below 2^32 are divided as numbers of 32 bits.
  void divideNarrow() { narrowDivisions = true; }
  /// From here on linearize() undoes delinearizations of some of the indices,
  /// not of the first ones alone.
  void joinInside() { joinsInside = true; }
  /// States that `value` is a multiple of `factor`.
  void setFactor(mlir::Value value, int64_t factor) {
    known.factors[value] = factor;
  }
  /// A factor known of `index`; 2^30 for 0.
  int64_t factorOf(Index index) const;
  /// States that `value` is not below `least`.
  void setLeast(mlir::Value value, int64_t least) {
    known.leasts[value] = least;
  }
  /// What `index` is not below.
  int64_t leastOf(Index index) const;
  /// States what `value`, a size, may be.
  void setRange(mlir::Value value, kernel::SizeRange range) {
    known.ranges[value] = range;
  }
  /// What is known of values.
  struct Facts {
    llvm::DenseMap<mlir::Value, int64_t> factors, leasts;
    llvm::DenseMap<mlir::Value, kernel::SizeRange> ranges;
  };
  const Facts &facts() const { return known; }
  void setFacts(Facts facts) { known = std::move(facts); }
  /// From here on `keep` gets the results of divisions by what is no constant,
  /// and gives what is used in their place; null: nothing does.
  using Keep = std::function<mlir::Value(mlir::Value)>;
  void setKeep(Keep function) { keep = std::move(function); }
  /// What `index`, a size, may be; nothing where it is not known.
  std::optional<kernel::SizeRange> rangeOf(Index index) const;
  /// The optimum of `index`, a size.
  std::optional<int64_t> expectedOf(Index index) const;
  /// Whether `index`, a size, is below 2^32.
  bool isNarrow(Index index) const;

  /// Row-major offset of `indices` in a box of `sizes`.
  Index linearize(llvm::ArrayRef<Index> indices, llvm::ArrayRef<Index> sizes);
  /// The inverse. `joinedAgain`: only linearize() of equal sizes reads what it
  /// gives, so nothing is divided.
  llvm::SmallVector<Index> delinearize(Index linear,
                                       llvm::ArrayRef<Index> sizes,
                                       bool joinedAgain = false);

  /// `high * size + low`, where low < size: delinearize() finds the two again.
  Index join(Index high, Index low, Index size);

  /// Values found again must dominate: computations of an inner block are
  /// forgotten when its scope ends.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  mlir::OpBuilder &b() { return builder; }
  mlir::Location location() const { return loc; }

private:
  Index narrowed(Index linear, llvm::ArrayRef<Index> sizes);
  template <typename Op> mlir::Value narrowDivision(Index a, Index by);
  std::optional<kernel::SizeRange> rangeOf(Index index, unsigned depth) const;

  using Key = std::tuple<int, const void *, const void *>;
  template <typename Op> Index build(int kind, Index a, Index b, bool commutes);

  struct Split {
    Index whole, size;
  };

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::vector<std::map<Key, mlir::Value>> scopes;
  Facts known;
  Keep keep;
  bool narrowDivisions = false, joinsInside = false;
  /// (quotient, remainder) of a delinearization -> what was split by what.
  std::map<std::pair<const void *, const void *>, Split> splits;
  struct Joined {
    Index high, low, size;
  };
  std::map<const void *, Joined> joins;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_INDEXMATH_H
