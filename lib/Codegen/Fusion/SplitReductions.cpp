//===- SplitReductions.cpp - Reductions in two steps ----------------------===//
//
// Few long rows have a block each, as many as there are rows: a sum of a whole
// tensor has one. In two steps, the blocks that fill the device reduce parts of
// rows, and a second kernel reduces their results. Dimensions that do not lie
// together are reduced one after the other: each step reads along memory.
//
// A reduction over rows with few columns has too few strips of columns to fill
// the device with blocks. The blocks of a cluster can share a strip's rows, but
// a cluster has at most 8 of them, and all wait for the last. In two steps,
// independent blocks reduce as many chunks of rows as fill the device, and a
// second kernel reduces their results, a small tensor. It starts while the
// first one ends. The order of summation depends on the program alone. 16384 x
// 8192 of f16 take 62.6 us instead of 68.9.
//
//===----------------------------------------------------------------------===//

#include "OpInfo.h"
#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Blocks of a cluster.
static constexpr int64_t clusterBlocks = 8;

/// Rows from which on one step over the last dimensions fills warps.
static constexpr int64_t warpColumns = 32;
/// Parts of a row from which on reducing them side by side gains more than the
/// second kernel costs.
static constexpr int64_t worthParts = 16;

/// Partial results that the second kernel reduces quickly.
static constexpr int64_t maxChunks = 16 * 1024;

/// Elements of a vector in memory, at most. What is reduced may have a wider
/// type.
static constexpr int64_t widestVector = 8;

/// Readers that are looked at.
static constexpr size_t maxReaders = 64;

namespace {
class ReductionSplit {
public:
  ReductionSplit(flatir::ReduceOp reduce, Program &program)
      : reduce(reduce), program(program), input(reduce.getInput().getType()),
        element(input.getElementType()) {}

  /// Whether dimensions are reduced that do not lie together, the last one
  /// among them.
  bool isApart();
  /// Whether one kernel would leave the device so empty that two are faster.
  bool pays();
  /// Chooses the chunks; says why there are none, else returns "".
  std::string choose();
  std::string describe() const;

  /// Reduces the dimensions that lie together at the end in a step of their
  /// own. Returns both steps.
  SmallVector<flatir::ReduceOp> rewriteApart();
  void rewriteChunks();

private:
  std::string chooseDims();
  bool columnsPay();
  bool rowsPay();
  bool staysInCluster();
  int64_t trailing();
  SmallVector<int64_t> trailingColumns();
  int64_t elementsOf(ArrayRef<int64_t> dims);
  Value cutInChunks(OpBuilder &b, Location loc);
  SmallVector<flatir::ReduceOp> reduceInTurn(ArrayRef<int64_t> first,
                                             ArrayRef<int64_t> second,
                                             OpBuilder &b, Location loc);
  Value flattened(OpBuilder &b, Location loc);
  Value accumulated(Value tensor, OpBuilder &b, Location loc);
  flatir::ReduceOp step(Value tensor, ArrayRef<int64_t> dims, OpBuilder &b,
                        Location loc);
  void finish(Value joined, Operation *before, OpBuilder &b, Location loc);

  flatir::ReduceOp reduce;
  Program &program;
  RankedTensorType input;
  Type element;
  /// Whether rows are cut, which lie together in memory, and not columns.
  bool cutsRows = false;
  /// Chunks that would fill the device; the dimension that is cut, in how many.
  int64_t wanted = 1, dim = -1, chunks = 0;
};
} // namespace

/// Dimensions that are reduced at the end, without one between that is not.
int64_t ReductionSplit::trailing() {
  int64_t count = 0;
  for (int64_t reduced : llvm::reverse(reduce.getDims())) {
    if (reduced != input.getRank() - 1 - count)
      break;
    ++count;
  }
  return count;
}

/// Dimensions behind the last one that is reduced: its columns.
SmallVector<int64_t> ReductionSplit::trailingColumns() {
  int64_t first = reduce.getDims().back() + 1;
  return llvm::to_vector(llvm::seq(first, input.getRank()));
}

int64_t ReductionSplit::elementsOf(ArrayRef<int64_t> dims) {
  TensorSizes::Sizes sizes = program.sizes.get(reduce.getInput()), chosen;
  for (int64_t reduced : dims)
    chosen.push_back(sizes[reduced]);
  return program.estimates.elements(chosen);
}

bool ReductionSplit::isApart() {
  int64_t last = trailing();
  return program.options.rowBlocks > 0 && !program.options.reducesApart &&
         program.estimates.bytes(reduce.getInput(), program.sizes) >=
             worthParts * program.options.rowPartBytes &&
         last > 0 && last < static_cast<int64_t>(reduce.getDims().size());
}

bool ReductionSplit::pays() {
  cutsRows = trailing() == static_cast<int64_t>(reduce.getDims().size());
  if (cutsRows)
    return rowsPay();
  return trailing() == 0 && columnsPay();
}

/// Few rows have as few blocks, each of which is as slow as one multiprocessor.
bool ReductionSplit::rowsPay() {
  int64_t blocks = program.options.rowBlocks;
  int64_t rows =
      program.estimates.elements(program.sizes.get(reduce.getResult()));
  if (rows == 0 || rows > blocks / 4 || staysInCluster())
    return false;
  int64_t parts = program.estimates.bytes(reduce.getInput(), program.sizes) /
                  rows / program.options.rowPartBytes;
  wanted = std::min(blocks / rows, parts);
  return parts >= worthParts;
}

/// Whether what is read once would be read again for each step: the blocks of
/// a cluster keep a row, or read it from the L2 cache, and what needs its sum
/// comes behind in the same kernel. A softmax of 111 x 65536 was six kernels.
bool ReductionSplit::staysInCluster() {
  if (elementsOf(reduce.getDims()) > program.options.clusterColumns)
    return false;
  int64_t points =
      program.estimates.elements(program.sizes.get(reduce.getInput()));
  llvm::SetVector<Operation *> readers;
  readers.insert_range(reduce->getUsers());
  for (size_t i = 0; i < readers.size() && i < maxReaders; ++i) {
    Operation *reader = readers[i];
    if (reader->getNumResults() != 1 ||
        (!isa<flatir::BroadcastOp, flatir::ReshapeOp>(reader) &&
         !isPointwise(reader)))
      continue;
    if (program.estimates.elements(program.sizes.get(reader->getResult(0))) >=
        points)
      return true;
    readers.insert_range(reader->getUsers());
  }
  return false;
}

bool ReductionSplit::columnsPay() {
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t strip = codegen::columnVectors * std::min<int64_t>(8, 128 / bits);
  int64_t all =
      program.estimates.elements(program.sizes.get(reduce.getResult()));
  int64_t columns = elementsOf(trailingColumns());
  int64_t strips =
      columns == 0 ? 0 : all / columns * llvm::divideCeil(columns, strip);
  int64_t blocks = program.options.columnBlocks;
  if (strips == 0 || strips >= blocks)
    return false;
  wanted = llvm::divideCeil(blocks, strips);
  bool fills = strips * clusterBlocks >= blocks / 4;
  return program.estimates.bytes(reduce.getInput(), program.sizes) >=
         (fills ? program.options.columnBytesFull
                : program.options.columnBytesEmpty);
}

int64_t fusion::divisorNear(int64_t size, int64_t wanted, int64_t unit) {
  for (int64_t more = 0; more <= wanted; ++more)
    for (int64_t divisor : {wanted + more, wanted - more / 2})
      if (divisor > 1 && size % divisor == 0 && size / divisor % unit == 0)
        return divisor;
  return 0;
}

/// Of dynamic rows, the first dimensions, as far as they are static, are those
/// of the chunks, and so is a part of the last of these.
std::string ReductionSplit::chooseDims() {
  ArrayRef<int64_t> dims = reduce.getDims();
  // The product of two sizes may have more than 64 bits, also where a third one
  // is 0 and nothing is reduced.
  auto isDynamic = [&](int64_t reduced) { return input.isDynamicDim(reduced); };
  if (llvm::count_if(dims, isDynamic) > 1)
    return "several of its sizes are not static";
  chunks = 1;
  for (size_t cut = 0; cutsRows && cut < dims.size(); ++cut) {
    if (input.isDynamicDim(dims[cut]))
      break;
    int64_t size = input.getDimSize(dims[cut]);
    int64_t left = elementsOf(dims.drop_front(cut + 1));
    int64_t parts = size;
    if (chunks * size > 2 * wanted) {
      int64_t most = llvm::divideCeil(wanted, chunks);
      parts = divisorNear(size, most, widestVector);
      parts = parts > 0 ? parts : divisorNear(size, most, 1);
    }
    bool isWhole = parts == size;
    if (parts > 0 && chunks * parts >= wanted / 2 &&
        chunks * parts <= maxChunks && size / parts * left >= warpColumns &&
        (!isWhole || cut + 1 < dims.size())) {
      chunks *= parts;
      return "";
    }
    chunks *= size;
  }
  return "its sizes are not static";
}

/// The input with the dimensions of a dynamic row as three: the chunks, the
/// vectors of each, as far as they are whole whatever the dynamic sizes are,
/// and the elements of a vector.
Value ReductionSplit::cutInChunks(OpBuilder &b, Location loc) {
  int64_t kept = reduce.getDims().front(), rest = 1;
  SmallVector<int64_t> shape(input.getShape().take_front(kept));
  TensorSizes::Sizes sizes = program.sizes.get(reduce.getInput());
  SmallVector<Value> dynamic;
  for (OpFoldResult size : ArrayRef(sizes).take_front(kept))
    if (auto value = dyn_cast<Value>(size))
      dynamic.push_back(value);
  Value each;
  for (int64_t reduced : reduce.getDims())
    if (auto size = dyn_cast<Value>(sizes[reduced]))
      each = size;
    else
      rest *= input.getDimSize(reduced);
  rest /= chunks;
  int64_t width = std::gcd(rest, widestVector);
  rest /= width;
  shape.append({chunks, each ? ShapedType::kDynamic : rest, width});
  if (each && rest != 1)
    each = arith::MulIOp::create(b, loc, each,
                                 arith::ConstantIndexOp::create(b, loc, rest));
  if (each)
    dynamic.push_back(each);
  auto reshape = flatir::ReshapeOp::create(b, loc, input.clone(shape),
                                           reduce.getInput(), dynamic);
  program.sizes.infer(reshape, b);
  return reshape;
}

std::string ReductionSplit::choose() {
  if (!input.hasStaticShape())
    return chooseDims();
  if (cutsRows) {
    // Rows are cut as one dimension, the first that is reduced.
    dim = reduce.getDims().front();
    int64_t columns = elementsOf(reduce.getDims());
    int64_t vector =
        std::max<int64_t>(1, 128 / element.getIntOrFloatBitWidth());
    for (int64_t unit : {vector, int64_t(1)})
      if ((chunks = divisorNear(columns, wanted, unit)) > 0)
        return "";
  } else {
    for (int64_t candidate : reduce.getDims()) {
      dim = candidate;
      chunks = divisorNear(input.getDimSize(dim), wanted, 1);
      if (chunks > 0)
        return "";
    }
  }
  return "no reduced dimension can be cut evenly in " +
         std::to_string(llvm::divideCeil(wanted, 2)) + " to " +
         std::to_string(2 * wanted) + " chunks";
}

/// `tensor` in the type that partial results have: sums and products of short
/// floats are f32.
Value ReductionSplit::accumulated(Value tensor, OpBuilder &b, Location loc) {
  using flatir::ReduceKind;
  ReduceKind kind = reduce.getKind();
  bool isRounded = kind == ReduceKind::Sum || kind == ReduceKind::Prod;
  if (!isRounded || !isa<FloatType>(element) ||
      element.getIntOrFloatBitWidth() >= 32)
    return tensor;
  auto convert = flatir::ConvertOp::create(
      b, loc, cast<RankedTensorType>(tensor.getType()).clone(b.getF32Type()),
      tensor);
  program.sizes.infer(convert, b);
  return convert;
}

flatir::ReduceOp ReductionSplit::step(Value tensor, ArrayRef<int64_t> dims,
                                      OpBuilder &b, Location loc) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto made = flatir::ReduceOp::create(b, loc, reducedType(type, dims, false),
                                       reduce.getKind(), tensor, dims);
  program.sizes.infer(made, b);
  return made;
}

/// Puts `joined` in the place of the reduction. What was built after `before`
/// is part of what the reduction was part of.
void ReductionSplit::finish(Value joined, Operation *before, OpBuilder &b,
                            Location loc) {
  if (joined.getType() != reduce.getResult().getType()) {
    joined =
        flatir::ConvertOp::create(b, loc, reduce.getResult().getType(), joined);
    program.sizes.infer(joined.getDefiningOp(), b);
  }
  StringAttr name = program.composites.lookup(reduce);
  for (Operation *op = reduce->getPrevNode(); name && op != before;
       op = op->getPrevNode())
    program.composites[op] = name;
  reduce.getResult().replaceAllUsesWith(joined);
  program.composites.erase(reduce);
  program.sizes.forget(reduce.getResult());
  reduce.erase();
}

//===-- dimensions that lie apart -----------------------------------------===//

// reduce(x, [a..., z...]) -> reduce(reduce(x, [z...]), [a...]), or the other
// dimensions first where those at the end are short.
SmallVector<flatir::ReduceOp> ReductionSplit::rewriteApart() {
  OpBuilder b(reduce);
  Location loc = inserted(
      reduce.getLoc(), {"split", "reduce dimensions that do not lie together "
                                 "one after the other"});
  ArrayRef<int64_t> dims = reduce.getDims();
  ArrayRef<int64_t> rows = dims.take_back(trailing());
  ArrayRef<int64_t> outer = dims.drop_back(trailing());
  if (elementsOf(rows) >= warpColumns)
    return reduceInTurn(rows, outer, b, loc);
  SmallVector<int64_t> last;
  for (int64_t row : rows)
    last.push_back(row - static_cast<int64_t>(outer.size()));
  return reduceInTurn(outer, last, b, loc);
}

/// Reduces the dimensions `first`, and those of its result that are `second`.
SmallVector<flatir::ReduceOp>
ReductionSplit::reduceInTurn(ArrayRef<int64_t> first, ArrayRef<int64_t> second,
                             OpBuilder &b, Location loc) {
  Operation *before = reduce->getPrevNode();
  Value start = accumulated(reduce.getInput(), b, loc);
  SmallVector<flatir::ReduceOp> steps = {step(start, first, b, loc)};
  steps.push_back(step(steps.front().getResult(), second, b, reduce.getLoc()));
  finish(steps.back().getResult(), before, b, loc);
  return steps;
}

//===-- chunks ------------------------------------------------------------===//

/// The input with the dimensions of a row as one.
Value ReductionSplit::flattened(OpBuilder &b, Location loc) {
  if (!cutsRows || reduce.getDims().size() == 1)
    return reduce.getInput();
  SmallVector<int64_t> shape(input.getShape().take_front(dim));
  shape.push_back(elementsOf(reduce.getDims()));
  return flatir::ReshapeOp::create(b, loc, input.clone(shape),
                                   reduce.getInput(), ValueRange());
}

// reduce(x, dims) -> convert(reduce(reduce(convert(reshape(x)), dims'), [c]))
void ReductionSplit::rewriteChunks() {
  OpBuilder b(reduce);
  Location loc =
      inserted(reduce.getLoc(),
               {"split", "reduce chunks of the rows side by side, and then "
                         "their results"});
  Operation *before = reduce->getPrevNode();
  if (!input.hasStaticShape()) {
    Value cut = accumulated(cutInChunks(b, loc), b, loc);
    int64_t kept = reduce.getDims().front();
    Value parts = step(cut, {kept + 1, kept + 2}, b, loc).getResult();
    finish(step(parts, {kept}, b, reduce.getLoc()).getResult(), before, b, loc);
    return;
  }
  Value whole = flattened(b, loc);
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<int64_t> shape(type.getShape()), dims;
  shape[dim] /= chunks;
  shape.insert(shape.begin() + dim, chunks);
  if (cutsRows)
    dims.push_back(dim + 1);
  else
    for (int64_t reduced : reduce.getDims())
      dims.push_back(reduced < dim ? reduced : reduced + 1);
  Value cut =
      flatir::ReshapeOp::create(b, loc, type.clone(shape), whole, ValueRange());
  Value parts = step(accumulated(cut, b, loc), dims, b, loc).getResult();
  int64_t kept = dim - llvm::count_if(reduce.getDims(), [&](int64_t reduced) {
                   return reduced < dim;
                 });
  finish(step(parts, {kept}, b, reduce.getLoc()).getResult(), before, b, loc);
}

std::string ReductionSplit::describe() const {
  return "reduces " + std::to_string(chunks) + " chunks of " +
         (cutsRows ? "each row" : "dimension " + std::to_string(dim)) +
         " side by side, and their results in a second kernel: its " +
         (cutsRows ? "rows" : "columns") + " alone leave the device empty";
}

void fusion::splitReductions(Program &program) {
  SmallVector<flatir::ReduceOp> reductions(
      program.function.getBody().front().getOps<flatir::ReduceOp>());
  StringRef function = program.function.getName();
  for (size_t i = 0; i < reductions.size(); ++i) {
    flatir::ReduceOp reduce = reductions[i];
    ReductionSplit split(reduce, program);
    std::string name = shortName(reduce).str();
    Location loc = reduce.getLoc();
    if (split.isApart()) {
      remarkTaken(loc, function,
                  "'" + name +
                      "' reduces dimensions that are not adjacent "
                      "one after the other");
      reductions.append(split.rewriteApart());
      continue;
    }
    if (!split.pays())
      continue;
    if (std::string reason = split.choose(); !reason.empty()) {
      remarkNotTaken(loc, function,
                     "did not compute '" + name + "' in two steps: " + reason);
      continue;
    }
    remarkTaken(loc, function, "'" + name + "' " + split.describe());
    split.rewriteChunks();
  }
}
