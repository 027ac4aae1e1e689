//===- Reshape.cpp - Reshapes to linalg -----------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace tripy;

namespace {
/// Runs of dimensions of the input and of the result that hold the same
/// elements.
struct Groups {
  SmallVector<ReassociationIndices> from, to;
};

/// Matches dimensions of two shapes from one end.
class Matcher {
public:
  Matcher(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to)
      : from(from), to(to) {}

  /// Takes the next pair of runs of equal volume from the front of
  /// [fromBegin, fromEnd) and [toBegin, toEnd); false when none is known.
  bool takeFront(int64_t &fromBegin, int64_t fromEnd, int64_t &toBegin,
                 int64_t toEnd, Groups &groups) const;
  bool takeBack(int64_t fromBegin, int64_t &fromEnd, int64_t toBegin,
                int64_t &toEnd, Groups &groups) const;

private:
  static ReassociationIndices range(int64_t begin, int64_t end) {
    return llvm::to_vector<2>(llvm::seq(begin, end));
  }

  ArrayRef<OpFoldResult> from, to;
};
} // namespace

/// Extends two runs, `i` and `j` being the next dimensions and `step` the
/// direction, until their volumes agree. False when a dynamic size or an end
/// comes before that.
static bool extend(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to,
                   int64_t &i, int64_t iEnd, int64_t &j, int64_t jEnd,
                   int64_t step) {
  int64_t left = 0, right = 0;
  auto take = [&](ArrayRef<OpFoldResult> sizes, int64_t &at, int64_t end,
                  int64_t &volume) {
    if (at == end)
      return false;
    std::optional<int64_t> size = getConstantIntValue(sizes[at]);
    if (!size)
      return false;
    volume = volume == 0 ? *size : saturatingMul(volume, *size);
    at += step;
    return true;
  };
  if (!take(from, i, iEnd, left) || !take(to, j, jEnd, right))
    return false;
  while (left != right)
    if (left < right ? !take(from, i, iEnd, left) : !take(to, j, jEnd, right))
      return false;
  return true;
}

bool Matcher::takeFront(int64_t &fromBegin, int64_t fromEnd, int64_t &toBegin,
                        int64_t toEnd, Groups &groups) const {
  if (fromBegin == fromEnd || toBegin == toEnd)
    return false;
  int64_t i = fromBegin, j = toBegin;
  if (from[i] == to[j])
    ++i, ++j;
  else if (!extend(from, to, i, fromEnd, j, toEnd, 1))
    return false;
  groups.from.push_back(range(fromBegin, i));
  groups.to.push_back(range(toBegin, j));
  fromBegin = i;
  toBegin = j;
  return true;
}

bool Matcher::takeBack(int64_t fromBegin, int64_t &fromEnd, int64_t toBegin,
                       int64_t &toEnd, Groups &groups) const {
  if (fromBegin == fromEnd || toBegin == toEnd)
    return false;
  int64_t i = fromEnd - 1, j = toEnd - 1;
  if (from[i] == to[j])
    --i, --j;
  else if (!extend(from, to, i, fromBegin - 1, j, toBegin - 1, -1))
    return false;
  groups.from.push_back(range(i + 1, fromEnd));
  groups.to.push_back(range(j + 1, toEnd));
  fromEnd = i + 1;
  toEnd = j + 1;
  return true;
}

/// The finest grouping that is known. What is not known to match in between is
/// one group; dimensions left over on one side (all of size 1) join a
/// neighbour. Empty when one side has rank 0.
static Groups matchShapes(ArrayRef<OpFoldResult> from,
                          ArrayRef<OpFoldResult> to) {
  Matcher matcher(from, to);
  Groups front, back;
  int64_t i = 0, j = 0, iEnd = from.size(), jEnd = to.size();
  while (matcher.takeFront(i, iEnd, j, jEnd, front))
    ;
  while (matcher.takeBack(i, iEnd, j, jEnd, back))
    ;
  ReassociationIndices fromRest = llvm::to_vector<2>(llvm::seq(i, iEnd));
  ReassociationIndices toRest = llvm::to_vector<2>(llvm::seq(j, jEnd));
  if (!fromRest.empty() && !toRest.empty()) {
    front.from.push_back(fromRest);
    front.to.push_back(toRest);
  } else if (!front.from.empty()) {
    llvm::append_range(front.from.back(), fromRest);
    llvm::append_range(front.to.back(), toRest);
  } else if (!back.from.empty()) {
    auto prepend = [](ReassociationIndices &group, ReassociationIndices &rest) {
      group.insert(group.begin(), rest.begin(), rest.end());
    };
    prepend(back.from.back(), fromRest);
    prepend(back.to.back(), toRest);
  }
  llvm::append_range(front.from, llvm::reverse(back.from));
  llvm::append_range(front.to, llvm::reverse(back.to));
  return front;
}

/// Whether all sizes of a group are static.
static bool isStatic(RankedTensorType type, ArrayRef<int64_t> group) {
  return llvm::none_of(group,
                       [&](int64_t dim) { return type.isDynamicDim(dim); });
}

static bool isTrivial(ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups,
                      [](const auto &group) { return group.size() == 1; });
}

/// The number of elements of a static group.
static int64_t volume(RankedTensorType type, ArrayRef<int64_t> group) {
  int64_t product = 1;
  for (int64_t dim : group)
    product = saturatingMul(product, type.getDimSize(dim));
  return product;
}

/// Whether collapse_shape and expand_shape can say this: a group is static on
/// both sides or on none. Static ones have equal volumes, unless a size of
/// another group is 0 whenever the program gets here.
static bool isView(const Groups &groups, RankedTensorType from,
                   RankedTensorType to) {
  if (from.getRank() == 0 || to.getRank() == 0)
    return from.getNumDynamicDims() == 0 && to.getNumDynamicDims() == 0;
  return llvm::all_of(llvm::zip(groups.from, groups.to), [&](auto pair) {
    auto &[left, right] = pair;
    bool isKnown = isStatic(from, left);
    return isKnown == isStatic(to, right) &&
           (!isKnown || volume(from, left) == volume(to, right));
  });
}

// flatir.reshape -> tensor.collapse_shape, tensor.expand_shape, or both
Value LinalgLowering::reshape(flatir::ReshapeOp op) {
  Value input = op.getInput();
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType to = op.getResult().getType();
  Sizes fromSizes = sizes.get(input), toSizes = sizes.get(op.getResult());
  if (from == to && fromSizes == toSizes)
    return input;
  if (llvm::is_contained(from.getShape(), 0) ||
      llvm::is_contained(to.getShape(), 0)) {
    TypedAttr zero = b.getZeroAttr(to.getElementType());
    return generic(op.getLoc(), to, toSizes, {},
                   [&](OpBuilder &inner, ValueRange) {
                     return scalarConstant(inner, op.getLoc(), zero);
                   });
  }
  Groups groups = matchShapes(fromSizes, toSizes);
  if (!isView(groups, from, to))
    return reshapeByIndex(op);
  Value value = input;
  if (to.getRank() == 0 || !isTrivial(groups.from))
    value = tensor::CollapseShapeOp::create(b, op.getLoc(), value, groups.from);
  if (from.getRank() == 0 || !isTrivial(groups.to))
    value = tensor::ExpandShapeOp::create(b, op.getLoc(), to, value, groups.to,
                                          toSizes);
  if (value.getType() == to)
    return value;
  // Upstream's size of a cast tensor is that of the tensor in front.
  if (!sizes.contains(value))
    sizes.set(value, toSizes);
  return tensor::CastOp::create(b, op.getLoc(), to, value);
}

/// The general form: finds each element by its number in row-major order.
Value LinalgLowering::reshapeByIndex(flatir::ReshapeOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  Sizes from = sizes.get(op.getInput()), to = sizes.get(op.getResult());
  return generic(loc, type, to, {}, [&](OpBuilder &inner, ValueRange) {
    auto valueOf = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(inner, loc, size);
    };
    Value linear = arith::ConstantIndexOp::create(inner, loc, 0);
    for (auto [i, size] : llvm::enumerate(to)) {
      Value scaled = arith::MulIOp::create(inner, loc, linear, valueOf(size));
      Value index = linalg::IndexOp::create(inner, loc, i);
      linear = arith::AddIOp::create(inner, loc, scaled, index);
    }
    SmallVector<Value> at(from.size());
    for (size_t i = from.size(); i-- > 0;) {
      if (i == 0) {
        at[i] = linear;
        break;
      }
      Value size = valueOf(from[i]);
      at[i] = arith::RemUIOp::create(inner, loc, linear, size);
      linear = arith::DivUIOp::create(inner, loc, linear, size);
    }
    return tensor::ExtractOp::create(inner, loc, op.getInput(), at).getResult();
  });
}
