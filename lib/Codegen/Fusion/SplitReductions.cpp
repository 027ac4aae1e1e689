//===- SplitReductions.cpp - Reductions of many rows in two steps ---------===//
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

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// From this number of input bytes on, the first kernel should gain more than
/// the 2 us that the second one costs: where the blocks of clusters reach the
/// memory's bandwidth (a quarter of those that fill the device do), and where
/// they do not.
static constexpr int64_t worthFull = int64_t(128) << 20;
static constexpr int64_t worthEmpty = int64_t(16) << 20;
/// Blocks of a cluster.
static constexpr int64_t clusterBlocks = 8;

namespace {
class ReductionSplit {
public:
  ReductionSplit(flatir::ReduceOp reduce, Program &program)
      : reduce(reduce), program(program), input(reduce.getInput().getType()),
        element(input.getElementType()) {}

  /// Whether blocks for strips of columns alone leave the device so empty that
  /// two kernels are faster.
  bool pays();
  /// Chooses the chunks; says why there are none, else returns "".
  std::string choose();
  void rewrite();
  std::string describe() const;

private:
  Value partial(OpBuilder &b, Location loc);

  flatir::ReduceOp reduce;
  Program &program;
  RankedTensorType input;
  Type element;
  /// Chunks that would fill the device; the dimension that is cut, in how many.
  int64_t wanted = 1, dim = -1, chunks = 0;
};
} // namespace

bool ReductionSplit::pays() {
  if (reduce.getDims().back() + 1 == input.getRank())
    return false;
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t strip = codegen::columnVectors * std::min<int64_t>(8, 128 / bits);
  int64_t columns =
      program.estimates.elements(program.sizes.get(reduce.getResult()));
  int64_t strips = llvm::divideCeil(columns, strip);
  int64_t blocks = program.options.columnBlocks;
  if (strips == 0 || strips >= blocks)
    return false;
  wanted = llvm::divideCeil(blocks, strips);
  bool fills = strips * clusterBlocks >= blocks / 4;
  return program.estimates.bytes(reduce.getInput(), program.sizes) >=
         (fills ? worthFull : worthEmpty);
}

/// The divisor of `size` that is closest to `wanted`, from half to twice of it;
/// 0 if there is none.
static int64_t divisorNear(int64_t size, int64_t wanted) {
  for (int64_t more = 0; more <= wanted; ++more)
    for (int64_t divisor : {wanted + more, wanted - more / 2})
      if (divisor > 1 && size % divisor == 0)
        return divisor;
  return 0;
}

std::string ReductionSplit::choose() {
  using flatir::ReduceKind;
  ReduceKind kind = reduce.getKind();
  if (kind != ReduceKind::Sum && kind != ReduceKind::Max &&
      kind != ReduceKind::Min)
    return "only sums, maxima and minima are joined from parts";
  if (!input.hasStaticShape())
    return "its sizes are not static";
  for (int64_t candidate : reduce.getDims()) {
    dim = candidate;
    chunks = divisorNear(input.getDimSize(dim), wanted);
    if (chunks > 0)
      return "";
  }
  return "no reduced dimension can be cut evenly in " +
         std::to_string(llvm::divideCeil(wanted, 2)) + " to " +
         std::to_string(2 * wanted) + " chunks";
}

/// The chunks' results, sums of floats in f32.
Value ReductionSplit::partial(OpBuilder &b, Location loc) {
  SmallVector<int64_t> shape(input.getShape()), dims;
  shape[dim] /= chunks;
  shape.insert(shape.begin() + dim, chunks);
  for (int64_t reduced : reduce.getDims())
    dims.push_back(reduced < dim ? reduced : reduced + 1);
  Value tensor =
      flatir::ReshapeOp::create(b, loc, RankedTensorType::get(shape, element),
                                reduce.getInput(), ValueRange());
  Type sum = element;
  if (reduce.getKind() == flatir::ReduceKind::Sum && isa<FloatType>(element) &&
      element.getIntOrFloatBitWidth() < 32)
    sum = b.getF32Type();
  if (sum != element)
    tensor = flatir::ConvertOp::create(
        b, loc, RankedTensorType::get(shape, sum), tensor);
  return flatir::ReduceOp::create(b, loc,
                                  reducedType(tensor.getType(), dims, false),
                                  reduce.getKind(), tensor, dims);
}

// reduce(x, dims) -> convert(reduce(reduce(convert(reshape(x)), dims'), [c]))
void ReductionSplit::rewrite() {
  OpBuilder b(reduce);
  Location loc =
      inserted(reduce.getLoc(),
               {"split", "reduce chunks of the rows side by side, and then "
                         "their results"});
  Operation *before = reduce->getPrevNode();
  Value parts = partial(b, loc);
  int64_t kept = dim - llvm::count_if(reduce.getDims(), [&](int64_t reduced) {
                   return reduced < dim;
                 });
  Value joined = flatir::ReduceOp::create(
      b, reduce.getLoc(), reducedType(parts.getType(), {kept}, false),
      reduce.getKind(), parts, ArrayRef<int64_t>{kept});
  if (joined.getType() != reduce.getResult().getType())
    joined =
        flatir::ConvertOp::create(b, loc, reduce.getResult().getType(), joined);
  StringAttr name = program.composites.lookup(reduce);
  for (Operation *op = reduce->getPrevNode(); name && op != before;
       op = op->getPrevNode())
    program.composites[op] = name;
  reduce.getResult().replaceAllUsesWith(joined);
  program.composites.erase(reduce);
  program.sizes.forget(reduce.getResult());
  reduce.erase();
}

std::string ReductionSplit::describe() const {
  return "reduces " + std::to_string(chunks) + " chunks of dimension " +
         std::to_string(dim) +
         " side by side, and their results in a second "
         "kernel: its columns alone leave the device empty";
}

void fusion::splitReductions(Program &program) {
  if (program.options.columnBlocks == 0)
    return;
  SmallVector<flatir::ReduceOp> reductions(
      program.function.getBody().front().getOps<flatir::ReduceOp>());
  StringRef function = program.function.getName();
  for (flatir::ReduceOp reduce : reductions) {
    ReductionSplit split(reduce, program);
    if (!split.pays())
      continue;
    std::string name = shortName(reduce).str();
    Location loc = reduce.getLoc();
    if (std::string reason = split.choose(); !reason.empty()) {
      remarkNotTaken(loc, function,
                     "did not compute '" + name + "' in two steps: " + reason);
      continue;
    }
    remarkTaken(loc, function, "'" + name + "' " + split.describe());
    split.rewrite();
  }
}
