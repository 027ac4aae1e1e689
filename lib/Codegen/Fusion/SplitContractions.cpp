//===- SplitContractions.cpp - Column ranges of a contraction that meet ---===//
//
// A gated linear unit is one contraction whose result is cut in two, and whose
// parts meet again: x[:, :n] * gelu(x[:, n:]). In one kernel, the same thread
// must compute column j and column j + n of the product. So the contraction
// becomes two, of the same left operand with two slices of the right one: their
// iteration spaces are equal, and PairContractions.cpp makes one kernel of
// them.
//
//===----------------------------------------------------------------------===//

#include "OpInfo.h"
#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Operations that are looked at from one contraction: bounds the time that a
/// hostile program can take.
static constexpr size_t maxRegion = 400;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `value`'s type with `size` in dimension `dim`.
static RankedTensorType resized(Value value, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = size;
  return typeOf(value).clone(shape);
}

/// Element-wise, with operands and result of the shape of `like`.
static bool isPointwiseLike(Operation *op, Value like) {
  return op->getNumResults() == 1 &&
         isa<flatir::FlatIRDialect>(op->getDialect()) &&
         isa<RankedTensorType>(op->getResult(0).getType()) && isPointwise(op) &&
         typeOf(op->getResult(0)).getShape() == typeOf(like).getShape();
}

/// Element-wise operations that follow from `value`.
static llvm::SetVector<Operation *> followers(Value value) {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> pending = {value};
  while (!pending.empty() && found.size() < maxRegion)
    for (Operation *user : pending.pop_back_val().getUsers())
      if (isPointwiseLike(user, value) && found.insert(user))
        pending.push_back(user->getResult(0));
  return found;
}

namespace {
/// The uses of one contraction, and its rewriting.
class ColumnSplit {
public:
  ColumnSplit(flatir::DotOp dot, Program &program)
      : dot(dot), program(program), dim(rankOf(dot.getResult()) - 1) {}

  /// Whether several ranges of columns are read.
  bool findRanges();
  /// Why the ranges had better stay one contraction; empty if they had not.
  StringRef whyNot() const;
  void rewrite();

  /// Bytes of what is cut, which is never stored then.
  int64_t bytesSaved() const;
  std::string describeRanges() const;

private:
  bool visit(Operation *user);
  std::optional<int64_t> rangeOf(flatir::SliceOp slice) const;
  bool doMeet() const;
  Value columns(Value value, int64_t at, int64_t offset, OpBuilder &b);
  Value cut(Value value, int64_t at, int64_t offset, OpBuilder &b);
  void eraseUnused();

  flatir::DotOp dot;
  Program &program;
  /// The dimension that is cut, and the columns of a range.
  int64_t dim, width = 0;
  /// Element-wise operations between the contraction and the slices.
  llvm::SetVector<Operation *> region;
  /// Slices by their first column.
  std::map<int64_t, SmallVector<flatir::SliceOp>> ranges;
  bool isReadWhole = false, widthsDiffer = false;
  std::map<std::tuple<void *, int64_t, int64_t>, Value> made;
};
} // namespace

/// First column of a slice that keeps all rows; none for other slices.
std::optional<int64_t> ColumnSplit::rangeOf(flatir::SliceOp slice) const {
  ArrayRef<int64_t> from = typeOf(slice.getInput()).getShape();
  ArrayRef<int64_t> to = slice.getResult().getType().getShape();
  if (!slice.getOffsets().empty() ||
      llvm::any_of(slice.getStrides(), [](int64_t s) { return s != 1; }) ||
      ShapedType::isDynamic(from[dim]) || ShapedType::isDynamic(to[dim]) ||
      to[dim] == 0)
    return std::nullopt;
  for (int64_t i = 0; i < dim; ++i)
    if (slice.getStaticOffsets()[i] != 0 || from[i] != to[i])
      return std::nullopt;
  return slice.getStaticOffsets()[dim];
}

/// Notes a reader of the region; false when there are too many.
bool ColumnSplit::visit(Operation *user) {
  if (auto slice = dyn_cast<flatir::SliceOp>(user)) {
    std::optional<int64_t> offset = rangeOf(slice);
    if (!offset) {
      isReadWhole = true;
      return true;
    }
    int64_t size = slice.getResult().getType().getDimSize(dim);
    widthsDiffer |= width != 0 && width != size;
    width = size;
    ranges[*offset].push_back(slice);
    return true;
  }
  if (isPointwiseLike(user, dot.getResult()))
    region.insert(user);
  else
    isReadWhole = true;
  return region.size() < maxRegion;
}

bool ColumnSplit::findRanges() {
  if (flatir::freeDims(rankOf(dot.getRhs()), dot.getRhsBatch(),
                       dot.getRhsContract())
          .empty())
    return false;
  for (Operation *user : dot.getResult().getUsers())
    if (!visit(user))
      return false;
  for (size_t i = 0; i < region.size(); ++i)
    for (Operation *user : region[i]->getUsers())
      if (!visit(user))
        return false;
  return ranges.size() > 1;
}

/// Whether one element-wise operation depends on all ranges.
bool ColumnSplit::doMeet() const {
  std::optional<llvm::SetVector<Operation *>> common;
  for (const auto &[offset, slices] : ranges) {
    llvm::SetVector<Operation *> reached;
    for (flatir::SliceOp slice : slices)
      reached.set_union(followers(slice.getResult()));
    if (!common)
      common = reached;
    else
      common->remove_if([&](Operation *op) { return !reached.contains(op); });
  }
  return !common->empty();
}

StringRef ColumnSplit::whyNot() const {
  if (isReadWhole)
    return "its whole result is needed as well";
  int64_t end = 0;
  for (const auto &[offset, slices] : ranges) {
    if (widthsDiffer || offset < end)
      return "the ranges overlap or differ in width";
    end = offset + width;
  }
  if (static_cast<int64_t>(ranges.size()) > program.options.pairedFor(dot))
    return "the emitter computes fewer contractions side by side";
  if (!doMeet())
    return "the ranges do not meet in one element-wise operation";
  return "";
}

int64_t ColumnSplit::bytesSaved() const {
  llvm::SetVector<Value> stored;
  for (const auto &[offset, slices] : ranges)
    for (flatir::SliceOp slice : slices)
      stored.insert(slice.getInput());
  int64_t bytes = 0;
  for (Value value : stored)
    bytes = saturatingAdd(bytes, program.estimates.bytes(value, program.sizes));
  return bytes;
}

std::string ColumnSplit::describeRanges() const {
  constexpr size_t shown = 4;
  SmallVector<std::string> texts;
  for (const auto &[offset, slices] : ranges)
    if (texts.size() < shown)
      texts.push_back("[" + std::to_string(offset) + ", " +
                      std::to_string(offset + width) + ")");
  return llvm::join(texts, ", ") + (ranges.size() > shown ? ", ..." : "");
}

/// A slice of `value`: `width` elements of dimension `at` from `offset` on.
Value ColumnSplit::cut(Value value, int64_t at, int64_t offset, OpBuilder &b) {
  Location loc = inserted(
      dot.getLoc(), {"split", "compute columns that meet in one result side by "
                              "side, and never store them"});
  RankedTensorType type = resized(value, at, width);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  offsets[at] = offset;
  // Dimension `at` is static.
  auto slice =
      flatir::SliceOp::create(b, loc, type, value, ValueRange(),
                              program.sizes.dynamic(value), offsets, strides);
  program.sizes.infer(slice, b);
  return slice;
}

/// The same, by slicing what `value` is computed from where that is possible.
Value ColumnSplit::columns(Value value, int64_t at, int64_t offset,
                           OpBuilder &b) {
  Value &known = made[{value.getAsOpaquePointer(), at, offset}];
  if (known)
    return known;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  if (op == dot) {
    int64_t column = flatir::freeDims(rankOf(dot.getRhs()), dot.getRhsBatch(),
                                      dot.getRhsContract())
                         .back();
    mapping.map(dot.getRhs(), cut(dot.getRhs(), column, offset, b));
  } else if (op && region.contains(op)) {
    for (Value operand : op->getOperands())
      mapping.map(operand, columns(operand, at, offset, b));
  } else if (auto broadcast = dyn_cast_or_null<flatir::BroadcastOp>(op)) {
    ArrayRef<int64_t> dims = broadcast.getDims();
    Value input = broadcast.getInput();
    const int64_t *from = llvm::find(dims, at);
    int64_t number = from - dims.begin();
    bool isSpread = from == dims.end() || typeOf(input).getDimSize(number) == 1;
    if (!isSpread && typeOf(input).isDynamicDim(number))
      return known = cut(value, at, offset, b);
    mapping.map(input, isSpread ? input : columns(input, number, offset, b));
  } else {
    return known = cut(value, at, offset, b);
  }
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(resized(value, at, width));
  if (StringAttr name = program.composites.lookup(op))
    program.composites[copy] = name;
  program.sizes.infer(copy, b);
  return known = copy->getResult(0);
}

void ColumnSplit::rewrite() {
  for (auto &[offset, slices] : ranges) {
    // What an earlier slice needs is made before it, and used again.
    llvm::sort(slices, [](flatir::SliceOp a, flatir::SliceOp b) {
      return a->isBeforeInBlock(b);
    });
    for (flatir::SliceOp slice : slices) {
      OpBuilder b(slice);
      Value part = columns(slice.getInput(), dim, offset, b);
      slice.getResult().replaceAllUsesWith(part);
    }
  }
  eraseUnused();
}

void ColumnSplit::eraseUnused() {
  auto erase = [&](Operation *op) {
    if (!op->use_empty())
      return;
    program.composites.erase(op);
    program.sizes.forget(op->getResult(0));
    op->erase();
  };
  for (auto &[offset, slices] : ranges)
    llvm::for_each(slices, erase);
  SmallVector<Operation *> between = region.takeVector();
  llvm::sort(between,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  llvm::for_each(between, erase);
  erase(dot);
}

void fusion::splitContractions(Program &program) {
  SmallVector<flatir::DotOp> dots;
  for (auto dot : program.function.getBody().front().getOps<flatir::DotOp>())
    if (classOf(dot) == OpClass::Dot)
      dots.push_back(dot);
  StringRef function = program.function.getName();
  for (flatir::DotOp dot : dots) {
    ColumnSplit split(dot, program);
    if (!split.findRanges())
      continue;
    std::string what = "columns " + split.describeRanges() + " of 'dot'";
    if (StringRef reason = split.whyNot(); !reason.empty()) {
      remarkNotTaken(dot.getLoc(), function,
                     "did not compute " + what + " side by side: " + reason);
      continue;
    }
    remarkTaken(dot.getLoc(), function,
                "computes " + what + " side by side: saves 2 x " +
                    Twine(split.bytesSaved()) + " bytes");
    split.rewrite();
  }
}
