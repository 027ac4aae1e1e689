//===- PadOperands.cpp - Rows that tensor cores can be fed with -----------===//
//
// The tensor memory accelerator copies rows whose size is a multiple of 16
// bytes. For a large contraction with other rows, it can pay to copy the
// operand to a tensor with longer rows, in a kernel of its own; the contraction
// then reads a slice of it. Otherwise mma.sync multiplies the rows as they are.
// What element-wise operations compute is written with longer rows to begin
// with, and constants are padded when they are compiled.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

namespace {
class OperandPadding {
public:
  explicit OperandPadding(Program &program) : program(program) {}

  void pad(flatir::DotOp dot);

private:
  bool needsPadding(flatir::DotOp dot, unsigned number);
  bool isCopied(Value tensor);
  double copyCycles(Value tensor);
  double tensorCycles(flatir::DotOp dot);
  double wordCopies(flatir::DotOp dot, int64_t rows, int64_t columns, double k);
  double warpCycles(flatir::DotOp dot);
  double memoryCycles(flatir::DotOp dot);
  double wavesOf(flatir::DotOp dot, int64_t rows, int64_t columns,
                 int64_t resident);
  double extent(Value tensor, int64_t begin, int64_t end);
  Value zeros(RankedTensorType type, Value like, OpBuilder &b, Location loc);
  Value padded(Value tensor, int64_t size, Location user);

  Program &program;
  /// Parts of padded tensors, by what they are copies of.
  llvm::DenseMap<Value, Value> parts;
};
} // namespace

/// Elements that a row has when it is a multiple of 16 bytes.
static int64_t paddedSize(RankedTensorType type) {
  int64_t unit = tensorRowBytes * 8 / type.getElementTypeBitWidth();
  return llvm::divideCeil(type.getShape().back(), unit) * unit;
}

/// A border with the dynamic sizes of `like`.
Value OperandPadding::zeros(RankedTensorType type, Value like, OpBuilder &b,
                            Location loc) {
  TypedAttr zero = b.getZeroAttr(type.getElementType());
  auto constant = [&](RankedTensorType of) {
    return flatir::ConstantOp::create(b, loc, DenseElementsAttr::get(of, zero));
  };
  if (type.hasStaticShape())
    return constant(type);
  auto scalar = constant(RankedTensorType::get({}, type.getElementType()));
  auto border = flatir::BroadcastOp::create(
      b, loc, type, scalar, program.sizes.dynamic(like), ArrayRef<int64_t>());
  program.sizes.infer(border, b);
  return border;
}

/// The first elements of the rows of a copy of `tensor` with rows of `size`.
Value OperandPadding::padded(Value tensor, int64_t size, Location user) {
  Value &part = parts[tensor];
  if (part)
    return part;
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t dim = type.getRank() - 1;
  OpBuilder b(program.function.getContext());
  if (Operation *made = tensor.getDefiningOp())
    b.setInsertionPointAfter(made);
  else
    b.setInsertionPointToStart(&program.function.getBody().front());
  // Sizes of arguments are computed first.
  for (Value dynamic : program.sizes.dynamic(tensor))
    if (Operation *made = dynamic.getDefiningOp();
        made && !made->isBeforeInBlock(&*b.getInsertionPoint()))
      b.setInsertionPointAfter(made);
  Location loc = inserted(
      user, {"pad", "give rows a multiple of 16 bytes, for tensor cores"});
  SmallVector<int64_t> shape(type.getShape());
  int64_t own = shape[dim];
  shape[dim] = size - own;
  Value border = zeros(type.clone(shape), tensor, b, loc);
  shape[dim] = size;
  auto copy = flatir::ConcatenateOp::create(b, loc, type.clone(shape),
                                            ValueRange{tensor, border}, dim);
  program.sizes.infer(copy, b);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  auto slice =
      flatir::SliceOp::create(b, loc, type, copy.getResult(), ValueRange(),
                              program.sizes.dynamic(tensor), offsets, strides);
  program.sizes.infer(slice, b);
  return parts[tensor] = slice;
}

/// Whether the kernel can tell where a part of such a tensor ends: a dynamic
/// size is that of the rows, in one dimension.
static bool hasKnownEnds(RankedTensorType type, flatir::DotOp dot) {
  int64_t rows = dot.getLhsBatch().size();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && !(dim == rows && type.getRank() == rows + 2))
      return false;
  return true;
}

bool OperandPadding::needsPadding(flatir::DotOp dot, unsigned number) {
  auto type = cast<RankedTensorType>(dot->getOperand(number).getType());
  int64_t own = type.getShape().back();
  return hasKnownEnds(type, dot) && own != 0 && paddedSize(type) != own;
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Whether a padded tensor takes a kernel that does nothing else. A kernel of
/// element-wise operations writes longer rows to begin with, those of
/// reductions, contractions and the like do not.
bool OperandPadding::isCopied(Value tensor) {
  if (parts.contains(tensor))
    return false;
  Operation *made = tensor.getDefiningOp();
  while (isa_and_nonnull<flatir::ReshapeOp, flatir::SliceOp>(made))
    made = made->getOperand(0).getDefiningOp();
  if (!made)
    return true;
  // More operations than these are taken for element-wise.
  constexpr size_t maxOps = 64;
  llvm::SetVector<Operation *> cone;
  cone.insert(made);
  for (size_t i = 0; i < cone.size() && i < maxOps; ++i) {
    if (isSeed(cone[i]))
      return true;
    for (Value operand : cone[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        cone.insert(op);
  }
  return false;
}

/// Cycles of the whole device: the tensor is read and, where both do not stay
/// in the L2 cache, written.
double OperandPadding::copyCycles(Value tensor) {
  const Machine &machine = *program.options.machine;
  double bytes = program.estimates.bytes(tensor, program.sizes);
  double moved = 2 * bytes <= double(machine.keptBytes) ? bytes : 2 * bytes;
  return moved / machine.memoryBytes + machine.prologueLaunchCycles;
}

/// Elements of dimensions [begin, end).
double OperandPadding::extent(Value tensor, int64_t begin, int64_t end) {
  auto all = program.sizes.get(tensor);
  TensorSizes::Sizes some(all.begin() + begin, all.begin() + end);
  return program.estimates.elements(some);
}

double OperandPadding::memoryCycles(flatir::DotOp dot) {
  double bytes = 0;
  for (Value tensor : {dot.getLhs(), dot.getRhs(), dot.getResult()})
    bytes += program.estimates.bytes(tensor, program.sizes);
  return bytes / program.options.machine->memoryBytes;
}

/// The product at the rate of wgmma.
double OperandPadding::tensorCycles(flatir::DotOp dot) {
  const Machine &machine = *program.options.machine;
  double work = program.estimates.multiplications(dot, program.sizes);
  double rate = double(machine.multiprocessors * machine.peakProducts);
  return std::max(memoryCycles(dot), work / rate / machine.ownMmaReached);
}

/// Times that the device is filled with blocks of such tiles.
double OperandPadding::wavesOf(flatir::DotOp dot, int64_t rows, int64_t columns,
                               int64_t resident) {
  int64_t batch = dot.getLhsBatch().size();
  int64_t left = rankOf(dot.getLhs()) - dot.getLhsContract().size();
  Value result = dot.getResult();
  double blocks =
      extent(result, 0, batch) *
      std::ceil(extent(result, batch, left) / double(rows)) *
      std::ceil(extent(result, left, rankOf(result)) / double(columns));
  return blocks / double(program.options.machine->multiprocessors * resident);
}

/// Cycles in which a multiprocessor copies what a block of `rows` x `columns`
/// multiplies, where rows are words but no more.
double OperandPadding::wordCopies(flatir::DotOp dot, int64_t rows,
                                  int64_t columns, double k) {
  double copied = 0;
  for (auto [tensor, lines] :
       {std::pair(dot.getLhs(), rows), std::pair(dot.getRhs(), columns)})
    if (int64_t own =
            cast<RankedTensorType>(tensor.getType()).getShape().back();
        own % 2 == 0 && own % 8 != 0)
      copied += 2 * k * double(lines) / (own % 4 == 0 ? 2 : 1);
  return copied / program.options.machine->mmaWordBytes;
}

/// The product with mma.sync, of rows as they are: memory, the instructions of
/// whole tiles, copies, or the k-blocks of a block one after the other.
double OperandPadding::warpCycles(flatir::DotOp dot) {
  constexpr int64_t tiles[][3] = {{128, 64, 3}, {64, 64, 4}, {16, 128, 6}};
  const Machine &machine = *program.options.machine;
  double k = extent(dot.getResult(), 0, rankOf(dot.getResult()));
  k = k == 0
          ? 0
          : double(program.estimates.multiplications(dot, program.sizes)) / k;
  bool odd = llvm::any_of(dot->getOperands().take_front(2), [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape().back() % 2 != 0;
  });
  double least = std::numeric_limits<double>::max();
  for (auto [rows, columns, resident] : tiles) {
    double waves = wavesOf(dot, rows, columns, resident);
    double blocks = std::min(waves, 1.0) * double(resident);
    double products = double(rows * columns) * k / double(machine.products) /
                      machine.ownMmaReached;
    double kBlocks =
        odd ? std::ceil(k / 32) * (machine.mmaShiftedKBlockCycles +
                                   machine.mmaShiftedBlockCycles * blocks)
            : std::ceil(k / 64) * machine.mmaKBlockCycles;
    double each = std::max(products, wordCopies(dot, rows, columns, k));
    least = std::min(least, std::max(waves * double(resident) * each,
                                     std::ceil(waves) * kBlocks));
  }
  return std::max(memoryCycles(dot), least);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Other elements than those of 16 bits are padded wherever the products are
/// many.
void OperandPadding::pad(flatir::DotOp dot) {
  SmallVector<unsigned> numbers;
  for (unsigned number : {0, 1})
    if (needsPadding(dot, number))
      numbers.push_back(number);
  if (numbers.empty())
    return;
  int64_t work = program.estimates.multiplications(dot, program.sizes);
  bool isLarge = work >= program.options.machine->copiedProducts,
       pays = isLarge;
  std::string reason =
      std::to_string(work) + " multiplications are not worth the copy";
  if (isLarge) {
    double copies = 0;
    for (unsigned number : numbers)
      if (isCopied(dot->getOperand(number)))
        copies += copyCycles(dot->getOperand(number));
    double with = copies + tensorCycles(dot), without = warpCycles(dot);
    pays = copies == 0 || with < without ||
           elementTypeOf(dot.getLhs()).getIntOrFloatBitWidth() != 16;
    reason = std::to_string(work) + " multiplications take about " +
             std::to_string(int64_t(with)) + " cycles with copies, and " +
             std::to_string(int64_t(without)) + " of rows as they are";
  }
  for (unsigned number : numbers) {
    OpOperand &operand = dot->getOpOperand(number);
    auto type = cast<RankedTensorType>(operand.get().getType());
    int64_t size = paddedSize(type);
    std::string what = std::string("the ") + (number == 0 ? "left" : "right") +
                       " operand of 'dot' from rows of " +
                       std::to_string(type.getShape().back()) + " to " +
                       std::to_string(size) + " elements: " + reason;
    StringRef function = program.function.getName();
    if (!pays) {
      remarkNotTaken(dot.getLoc(), function, "did not pad " + what);
      continue;
    }
    remarkTaken(dot.getLoc(), function, "padded " + what);
    operand.set(padded(operand.get(), size, dot.getLoc()));
  }
}

void fusion::padOperands(Program &program) {
  SmallVector<flatir::DotOp> dots;
  for (auto dot : program.function.getBody().front().getOps<flatir::DotOp>())
    if (classOf(dot) == OpClass::Dot && program.options.onTensorCores(dot))
      dots.push_back(dot);
  OperandPadding padding(program);
  for (flatir::DotOp dot : dots)
    padding.pad(dot);
}
