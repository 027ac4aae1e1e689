//===- PadOperands.cpp - Rows that tensor cores can be fed with -----------===//
//
// The tensor memory accelerator copies rows whose size is a multiple of 16
// bytes. For a large contraction with other rows, it pays to copy the operand
// to a tensor with longer rows, in a kernel of its own; the contraction then
// reads a slice of it.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "Remarks.h"

#include "tripy/Dialect/Tripy/Provenance.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

namespace {
class OperandPadding {
public:
  explicit OperandPadding(Program &program) : program(program) {}

  void pad(flatir::DotOp dot, unsigned number);

private:
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

void OperandPadding::pad(flatir::DotOp dot, unsigned number) {
  OpOperand &operand = dot->getOpOperand(number);
  auto type = cast<RankedTensorType>(operand.get().getType());
  int64_t own = type.getShape().back();
  if (!hasKnownEnds(type, dot) || own == 0)
    return;
  int64_t size = paddedSize(type);
  if (size == own)
    return;
  StringRef function = program.function.getName();
  std::string what = std::string("the ") + (number == 0 ? "left" : "right") +
                     " operand of 'dot' from rows of " + std::to_string(own) +
                     " to " + std::to_string(size) + " elements";
  int64_t work = program.estimates.multiplications(dot, program.sizes);
  if (work < program.options.machine->copiedProducts)
    return remarkNotTaken(dot.getLoc(), function,
                          "did not pad " + what + ": " + Twine(work) +
                              " multiplications are not worth the copy");
  remarkTaken(dot.getLoc(), function,
              "padded " + what + ": a copy of " +
                  Twine(program.estimates.bytes(operand.get(), program.sizes)) +
                  " bytes brings " + Twine(work) +
                  " multiplications to the tensor cores");
  operand.set(padded(operand.get(), size, dot.getLoc()));
}

void fusion::padOperands(Program &program) {
  SmallVector<flatir::DotOp> dots;
  for (auto dot : program.function.getBody().front().getOps<flatir::DotOp>())
    if (classOf(dot) == OpClass::Dot && program.options.onTensorCores(dot))
      dots.push_back(dot);
  OperandPadding padding(program);
  for (flatir::DotOp dot : dots)
    for (unsigned number : {0, 1})
      padding.pad(dot, number);
}
