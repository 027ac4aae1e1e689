//===- UnpackI4.cpp - Elements of i4 are i8 inside a program --------------===//
//
// Two elements of i4 share a byte of an argument, a constant or a result. Only
// there: docs/rationale/quantization.md says why.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tripy {
#define GEN_PASS_DEF_UNPACKI4PASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

static bool holdsI4(Type type) {
  return isa<RankedTensorType>(type) && isInt4(elementTypeOf(type));
}

/// Whether an argument of `function`, or a result of an operation in it, is of
/// i4.
static bool usesI4(func::FuncOp function) {
  if (llvm::any_of(function.getArgumentTypes(), holdsI4))
    return true;
  return function.getBody()
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), holdsI4)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Inserts operations behind, or in front of, an operation of the program.
class Inserter {
public:
  Inserter(OpBuilder &b, Location parent) : b(b), parent(parent) {}

  template <typename OpTy, typename... Args>
  auto insert(StringRef reason, Args &&...args) {
    return OpTy::create(b, inserted(parent, {"pack", reason.str()}),
                        std::forward<Args>(args)...);
  }
  /// The dynamic sizes of `value`.
  SmallVector<Value> sizesOf(Value value);
  /// `value` for each element of a tensor.
  Value splat(int64_t value, RankedTensorType type, ValueRange sizes);
  /// The four low bits of `value`, an i8, as a number from -8 to 7.
  Value keepFourBits(Value value);
  /// `value`, an i8, limited to -8 and 7.
  Value limit(Value value);
  /// The bytes of `value`, elements of i8 from -8 to 7.
  Value pack(Value value);

private:
  Value countOf(RankedTensorType type, ValueRange sizes);
  Value flatten(Value value, ValueRange sizes);
  Value pairUp(Value flat, Value count, bool isEven);
  Value half(Value pairs, int64_t which, Value count);
  Value constant(int64_t value) {
    return insert<arith::ConstantIndexOp>("compute the size of packed bytes",
                                          value);
  }
  RankedTensorType bytesType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getI8Type());
  }

  OpBuilder &b;
  Location parent;
};

/// Rewrites one function.
class Unpacker {
public:
  explicit Unpacker(func::FuncOp function)
      : function(function), b(function.getContext()) {}
  LogicalResult run();

private:
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  void visitResult(Operation *op);
  void unpack(Value stored, Location loc);
  void unpackConstant(Operation *op, Attribute value);
  void convertToI4(flatir::ConvertOp op);
  void retypeRefined(Operation *op, bool limits);
  void retypeWindow(flatir::WindowOp op);
  void packResults(Operation *end);
  /// Makes `value` a tensor of i8.
  void retype(Value value) {
    value.setType(withElementType(value.getType(), b.getI8Type()));
    unpacked.insert(value);
  }
  void redirect(ArrayRef<OpOperand *> readers, Value made);

  func::FuncOp function;
  OpBuilder b;
  /// Values that were of i4.
  llvm::DenseSet<Value> unpacked;
};
} // namespace

//===-- arithmetic --------------------------------------------------------===//

SmallVector<Value> Inserter::sizesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(insert<flatir::DimOp>("read a size of packed elements",
                                            value, b.getI64IntegerAttr(dim)));
  return sizes;
}

Value Inserter::splat(int64_t value, RankedTensorType type, ValueRange sizes) {
  StringRef reason = "compute with elements of 4 bits";
  APInt bits(8, value, /*isSigned=*/true);
  if (type.hasStaticShape())
    return insert<flatir::ConstantOp>(reason,
                                      DenseElementsAttr::get(type, bits));
  Value scalar = insert<flatir::ConstantOp>(
      reason, DenseElementsAttr::get(bytesType({}), bits));
  return insert<flatir::BroadcastOp>(reason, type, scalar, sizes,
                                     ArrayRef<int64_t>());
}

Value Inserter::keepFourBits(Value value) {
  StringRef reason = "keep the low 4 bits";
  auto type = cast<RankedTensorType>(value.getType());
  Value four = splat(4, type, sizesOf(value));
  value = insert<flatir::ShiftLeftOp>(reason, value, four);
  return insert<flatir::ShiftRightOp>(reason, value, four);
}

Value Inserter::limit(Value value) {
  StringRef reason = "limit to the numbers of i4";
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes = sizesOf(value);
  value = insert<flatir::MaximumOp>(reason, value, splat(-8, type, sizes));
  return insert<flatir::MinimumOp>(reason, value, splat(7, type, sizes));
}

//===-- bytes -------------------------------------------------------------===//

Value Inserter::countOf(RankedTensorType type, ValueRange sizes) {
  StringRef reason = "compute the size of packed bytes";
  int64_t known = 1;
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value count = constant(known);
  for (Value size : sizes)
    count = insert<arith::MulIOp>(reason, count, size);
  return count;
}

Value Inserter::flatten(Value value, ValueRange sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  bool isStatic = type.hasStaticShape();
  int64_t size = isStatic ? type.getNumElements() : ShapedType::kDynamic;
  SmallVector<Value> counts;
  if (!isStatic)
    counts.push_back(countOf(type, sizes));
  return insert<flatir::ReshapeOp>("pack the elements in row-major order",
                                   bytesType({size}), value, counts);
}

/// Rows of two elements; a missing last one is 0. `count` is the number of
/// rows, null when the type says it.
Value Inserter::pairUp(Value flat, Value count, bool isEven) {
  StringRef reason = "fill the last byte";
  int64_t size = cast<RankedTensorType>(flat.getType()).getDimSize(0);
  bool isStatic = !ShapedType::isDynamic(size);
  int64_t rows = isStatic ? size / 2 + size % 2 : size;
  SmallVector<Value> sizes;
  if (count)
    sizes.push_back(count);
  if (!isEven) {
    SmallVector<Value> rest;
    if (!isStatic) {
      Value whole =
          insert<arith::MulIOp>(reason, count, constant(2)).getResult();
      Value given = sizesOf(flat).front();
      rest.push_back(insert<arith::SubIOp>(reason, whole, given));
    }
    Value zeros = splat(
        0, bytesType({isStatic ? int64_t(1) : ShapedType::kDynamic}), rest);
    flat = insert<flatir::ConcatenateOp>(
        reason, bytesType({isStatic ? 2 * rows : size}),
        ValueRange{flat, zeros}, b.getI64IntegerAttr(0));
  }
  return insert<flatir::ReshapeOp>("pack two elements in a byte",
                                   bytesType({rows, 2}), flat, sizes);
}

/// The first or the second element of each byte.
Value Inserter::half(Value pairs, int64_t which, Value count) {
  StringRef reason = "pack two elements in a byte";
  int64_t rows = cast<RankedTensorType>(pairs.getType()).getDimSize(0);
  SmallVector<Value> sizes;
  if (count)
    sizes.push_back(count);
  Value column = insert<flatir::SliceOp>(
      reason, bytesType({rows, 1}), pairs, ValueRange(), sizes,
      ArrayRef<int64_t>{0, which}, ArrayRef<int64_t>{1, 1});
  return insert<flatir::ReshapeOp>(reason, bytesType({rows}), column, sizes);
}

Value Inserter::pack(Value value) {
  StringRef reason = "pack two elements in a byte";
  auto type = cast<RankedTensorType>(value.getType());
  bool isEven = llvm::any_of(type.getShape(), [](int64_t size) {
    return !ShapedType::isDynamic(size) && size % 2 == 0;
  });
  Value flat = flatten(value, sizesOf(value)), count;
  if (!type.hasStaticShape())
    count =
        insert<arith::CeilDivSIOp>("compute the size of packed bytes",
                                   countOf(type, sizesOf(value)), constant(2));
  Value pairs = pairUp(flat, count, isEven);
  Value low = half(pairs, 0, count), high = half(pairs, 1, count);
  auto bytes = cast<RankedTensorType>(low.getType());
  SmallVector<Value> sizes;
  if (count)
    sizes.push_back(count);
  low = insert<flatir::BitwiseAndOp>(reason, low, splat(15, bytes, sizes));
  high = insert<flatir::ShiftLeftOp>(reason, high, splat(4, bytes, sizes));
  return insert<flatir::BitwiseOrOp>(reason, low, high);
}

//===-- the program -------------------------------------------------------===//

/// What reads `value` now, but for its sizes.
static SmallVector<OpOperand *> readersOf(Value value) {
  SmallVector<OpOperand *> readers;
  for (OpOperand &use : value.getUses())
    if (!isa<flatir::DimOp>(use.getOwner()))
      readers.push_back(&use);
  return readers;
}

void Unpacker::redirect(ArrayRef<OpOperand *> readers, Value made) {
  for (OpOperand *reader : readers)
    reader->set(made);
  unpacked.insert(made);
}

/// Lets what reads the packed tensor `stored` read its elements as i8.
void Unpacker::unpack(Value stored, Location loc) {
  SmallVector<OpOperand *> readers = readersOf(stored);
  if (readers.empty())
    return;
  Value made = Inserter(b, loc).insert<flatir::ConvertOp>(
      "unpack elements of 4 bits",
      withElementType(stored.getType(), b.getI8Type()), stored);
  redirect(readers, made);
}

// constant -> constant of i8 where it repeats one element, else convert
void Unpacker::unpackConstant(Operation *op, Attribute value) {
  b.setInsertionPointAfter(op);
  Value result = op->getResult(0);
  auto splat = dyn_cast<SplatElementsAttr>(value);
  if (!splat)
    return unpack(result, op->getLoc());
  auto type = withElementType(result.getType(), b.getI8Type());
  auto elements =
      DenseElementsAttr::get(type, splat.getSplatValue<APInt>().sext(8));
  Value made = flatir::ConstantOp::create(b, op->getLoc(), elements);
  result.replaceAllUsesWith(made);
  unpacked.insert(made);
  op->erase();
}

// convert to i4 -> convert to i8, then the low bits or the nearest number
void Unpacker::convertToI4(flatir::ConvertOp op) {
  Value input = op.getInput(), result = op.getResult();
  Type from = elementTypeOf(input);
  bool isI8 = from.isSignlessInteger(8);
  if (unpacked.contains(input)) {
    result.replaceAllUsesWith(input);
    op.erase();
    return;
  }
  SmallVector<OpOperand *> readers;
  for (OpOperand &use : result.getUses())
    readers.push_back(&use);
  retype(result);
  if (from.isInteger(1))
    return;
  b.setInsertionPointAfter(op);
  Inserter inserter(b, op.getLoc());
  redirect(readers, isa<FloatType>(from)
                        ? inserter.limit(result)
                        : inserter.keepFourBits(isI8 ? input : result));
  if (isI8)
    op.erase();
}

/// A number of 4 bits that an operation makes of its own, or a sum of such.
void Unpacker::retypeRefined(Operation *op, bool limits) {
  Value result = op->getResult(0);
  SmallVector<OpOperand *> readers = readersOf(result);
  retype(result);
  b.setInsertionPointAfter(op);
  Inserter inserter(b, op->getLoc());
  redirect(readers,
           limits ? inserter.limit(result) : inserter.keepFourBits(result));
}

// window of i4 -> window of i8
void Unpacker::retypeWindow(flatir::WindowOp op) {
  auto value = cast<IntegerAttr>(op.getValue());
  op.setValueAttr(
      b.getI8IntegerAttr(static_cast<int8_t>(value.getValue().getSExtValue())));
  retype(op.getResult());
}

void Unpacker::visitResult(Operation *op) {
  using flatir::ReduceKind;
  llvm::TypeSwitch<Operation *>(op)
      .Case<flatir::ConstantOp, arith::ConstantOp>(
          [&](auto constant) { unpackConstant(op, constant.getValue()); })
      .Case([&](flatir::ConvertOp convert) { convertToI4(convert); })
      .Case<flatir::IotaOp, flatir::FromIndexOp, flatir::ScanOp>(
          [&](auto) { retypeRefined(op, /*limits=*/false); })
      // The lowest of no elements is beyond the numbers of i4.
      .Case([&](flatir::ReduceOp reduce) {
        retypeRefined(op, reduce.getKind() == ReduceKind::Max ||
                              reduce.getKind() == ReduceKind::Min);
      })
      .Case([&](flatir::WindowOp window) { retypeWindow(window); })
      .Case<flatir::BroadcastOp, flatir::ReshapeOp, flatir::TransposeOp,
            flatir::SliceOp, flatir::ConcatenateOp, flatir::GatherOp,
            flatir::SelectOp, flatir::CompositeOp>([&](auto) {
        for (Value result : op->getResults())
          if (holdsI4(result.getType()))
            retype(result);
      });
}

LogicalResult Unpacker::visit(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visit(block)))
        return failure();
  bool makes = llvm::any_of(op->getResultTypes(), holdsI4);
  bool reads = llvm::any_of(op->getOperands(),
                            [&](Value v) { return unpacked.contains(v); });
  bool isKnown = isa<arith::ConstantOp>(op) ||
                 isa_and_nonnull<flatir::FlatIRDialect>(op->getDialect());
  bool computes = isa<flatir::DotOp, flatir::RandomBitsOp>(op) ||
                  scalar::lookupScalarFn(op->getName().stripDialect());
  if ((makes && (!isKnown || computes)) ||
      (reads && flatir::isTensorArithmetic(op)))
    return op->emitOpError("cannot compute with elements of i4: they are "
                           "moved, converted and compared, nothing else");
  if (makes) {
    visitResult(op);
    return success();
  }
  // An i8 that was an i4 needs no conversion to i8.
  if (auto convert = dyn_cast<flatir::ConvertOp>(op);
      convert && convert.getInput().getType() == convert.getType()) {
    convert.replaceAllUsesWith(convert.getInput());
    convert.erase();
  }
  return success();
}

LogicalResult Unpacker::visit(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (holdsI4(argument.getType()))
      retype(argument);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(&op)))
      return failure();
  return success();
}

// return %r -> kernel.packed of the bytes of %r
void Unpacker::packResults(Operation *end) {
  b.setInsertionPoint(end);
  for (auto [operand, type] :
       llvm::zip_equal(end->getOpOperands(), function.getResultTypes())) {
    if (!holdsI4(type))
      continue;
    Inserter inserter(b, end->getLoc());
    Value bytes = inserter.pack(operand.get());
    operand.set(inserter.insert<kernel::PackedOp>(
        "return a result of i4", type, bytes, inserter.sizesOf(operand.get())));
  }
}

LogicalResult Unpacker::run() {
  Block &body = function.getBody().front();
  b.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments())
    if (holdsI4(argument.getType()))
      unpack(argument, argument.getLoc());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  packResults(body.getTerminator());
  return success();
}

namespace {
struct UnpackI4 : tripy::impl::UnpackI4PassBase<UnpackI4> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      // --flatir-form-dispatches says what is wrong with several blocks.
      if (!function.isExternal() && function.getBody().hasOneBlock() &&
          usesI4(function) && failed(Unpacker(function).run()))
        return signalPassFailure();
  }
};
} // namespace
