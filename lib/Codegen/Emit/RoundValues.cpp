//===- RoundValues.cpp - Where a 16-bit value must be one value -----------===//
//
// Emitters compute floats of less than 32 bits in f32 and round them where they
// are stored. That is allowed only where two readers of a value cannot differ
// visibly. This pass finds the readers of each value of a kernel, backwards
// from the results, and inserts a kernel.round after the value where its
// readers could differ. docs/levels.md has the rule.
//
//===----------------------------------------------------------------------===//

#include "RoundValues.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

namespace tripy {
#define GEN_PASS_DEF_ROUNDVALUESPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

namespace {
/// Who reads a value, as a set.
enum Readers : uint8_t {
  None = 0,
  /// A narrow float is stored, which rounds it.
  Stored = 1,
  /// A contraction: tensor cores take rounded operands, other code may not.
  Multiplied = 2,
  /// Arithmetic that a small change changes little, and that is rounded to 16
  /// bits, or to the value's own type, before anybody sees it.
  Smooth = 4,
  /// A reader that jumps, or one that shows all bits.
  Exact = 8,
  /// Another kernel computes the value.
  Repeated = 16,
  /// Of a wide float: arithmetic that ends in f16, or in bf16.
  EndsInF16 = 32,
  EndsInBF16 = 64,
};

/// Rounds the values of one kernel.
class ValueRounder {
public:
  explicit ValueRounder(kernel::FuncOp kernel) : kernel(kernel) {}
  void run();

private:
  void add(Value value, unsigned readers) {
    if (readers != None)
      known[value] |= readers;
  }
  unsigned readersOf(Value value) const { return known.lookup(value); }

  void visit(Operation *op);
  void visitYield(kernel::YieldOp op);
  void visitGeneric(linalg::GenericOp op);
  void visitContraction(linalg::GenericOp op);
  void visitScalar(Operation *op);
  unsigned readersThrough(Operation *op, Value operand) const;
  unsigned readersThroughExtension(arith::ExtFOp op) const;
  void visitUnknown(Operation *op);
  bool isContraction(linalg::GenericOp op);

  void roundIn(linalg::GenericOp op);
  void roundBehind(Value result, Location loc);

  kernel::FuncOp kernel;
  llvm::DenseMap<Value, uint8_t> known;
};
} // namespace

//===----------------------------------------------------------------------===//
// Who reads a value
//===----------------------------------------------------------------------===//

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// Whether values of the type are computed in f32.
static bool isNarrow(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return type && type.getWidth() < 32;
}

/// The set of a wide float that ends in `type`.
static unsigned endsIn(Type type) {
  if (type.isF16())
    return EndsInF16;
  return type.isBF16() ? EndsInBF16 : Exact;
}

bool ValueRounder::isContraction(linalg::GenericOp op) {
  return kernel.getRoot() == kernel::FusionRoot::Gemm &&
         op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2;
}

/// What is stored as a wide float is seen in all its bits.
void ValueRounder::visitYield(kernel::YieldOp op) {
  for (Value value : op.getValues())
    if (isFloat(value))
      add(value, isNarrow(value) ? Stored : Exact);
}

/// `value` is extended: what ends in its own type is as good as arithmetic in
/// it. Another type shows more bits, or a wider range.
unsigned ValueRounder::readersThroughExtension(arith::ExtFOp op) const {
  unsigned readers = readersOf(op.getOut());
  if (!isNarrow(op.getIn()))
    return readers;
  if (isNarrow(op.getOut()))
    return Exact;
  unsigned ends = readers & (EndsInF16 | EndsInBF16);
  unsigned own = endsIn(op.getIn().getType());
  unsigned through = readers & (Exact | Multiplied);
  if (ends != None)
    through |= ends == own ? Smooth : Exact;
  return through;
}

/// How the readers of the result of `op` read `operand` through it.
unsigned ValueRounder::readersThrough(Operation *op, Value operand) const {
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return readersThroughExtension(extend);
  Value result = op->getResult(0);
  if (isa<arith::TruncFOp>(op)) {
    if (isNarrow(operand))
      return Exact;
    return isNarrow(result) ? endsIn(result.getType()) : readersOf(result);
  }
  if (isa<kernel::RoundOp>(op))
    return Stored;
  if (isa<arith::SelectOp>(op))
    return readersOf(result);
  switch (scalar::readingOf(op)) {
  case scalar::Reading::Jumps:
    return Exact;
  case scalar::Reading::Passes:
    return readersOf(result);
  case scalar::Reading::Continuous:
    return isNarrow(result) ? unsigned(Smooth) : readersOf(result);
  }
  llvm_unreachable("all readings are covered");
}

/// Nothing is known: all that is read is read exactly.
void ValueRounder::visitUnknown(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isFloat(operand))
        add(operand, Exact);
  });
}

void ValueRounder::visitScalar(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return add(extract.getTensor(), readersOf(extract.getResult()));
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return visitUnknown(op);
  for (Value operand : op->getOperands())
    if (isFloat(operand))
      add(operand, readersThrough(op, operand));
}

/// The body is not followed: it is a product and a sum, which no emitter
/// executes as it stands.
void ValueRounder::visitContraction(linalg::GenericOp op) {
  unsigned readers = readersOf(op.getResult(0));
  for (Value input : op.getInputs()) {
    if (!isFloat(input))
      continue;
    if (!isNarrow(input))
      add(input, readers);
    else
      add(input, Multiplied | (isNarrow(op.getResult(0)) ? unsigned(None)
                                                         : readers & Exact));
  }
}

void ValueRounder::visitGeneric(linalg::GenericOp op) {
  if (isContraction(op))
    return visitContraction(op);
  unsigned repeated = op->hasAttr(kernel::repeatedAttrName) ? Repeated : None;
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  for (auto [value, result] : llvm::zip(yield.getValues(), op.getResults()))
    if (isFloat(value))
      add(value, readersOf(result) | repeated);
  for (Operation &scalar : llvm::reverse(op.getBlock()->without_terminator()))
    visitScalar(&scalar);
  for (OpOperand &operand : op->getOpOperands())
    if (isFloat(operand.get()))
      add(operand.get(), readersOf(op.getMatchingBlockArgument(&operand)));
}

void ValueRounder::visit(Operation *op) {
  if (auto yield = dyn_cast<kernel::YieldOp>(op))
    return visitYield(yield);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return visitGeneric(generic);
  if (isa<tensor::EmptyOp, tensor::DimOp, arith::ConstantOp>(op))
    return;
  bool passes =
      isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp, tensor::ConcatOp, linalg::FillOp>(op);
  // Sums of floats, as a scan has them, are arithmetic.
  if (!passes && !isa<kernel::ScanOp>(op))
    return visitUnknown(op);
  Value result = op->getResult(0);
  for (Value operand : op->getOperands())
    if (isFloat(operand))
      add(operand,
          passes || !isNarrow(operand) ? readersOf(result) : unsigned(Smooth));
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Whether readers could tell that they read a value that is not rounded.
static bool couldTell(unsigned readers) {
  return (readers & (Exact | Repeated)) != 0 ||
         llvm::popcount(readers & (Stored | Multiplied | Smooth)) > 1;
}

/// Whether `op` computes a narrow float that is not one of that type yet.
static bool computes(Operation *op) {
  if (op->getNumResults() != 1 || !isNarrow(op->getResult(0)))
    return false;
  bool isExact =
      isa<arith::TruncFOp, arith::ExtFOp, arith::ConstantOp, arith::SelectOp,
          arith::BitcastOp, tensor::ExtractOp, kernel::RoundOp>(op);
  return !isExact && scalar::readingOf(op) != scalar::Reading::Passes;
}

/// Rounds `result`, of a reduction, after its last step: not its partial
/// results. A largest element is a number of its type already; that this is
/// seen lets LLVM compare it without widening what it is compared with.
void ValueRounder::roundBehind(Value result, Location loc) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointAfterValue(result);
  auto type = cast<RankedTensorType>(result.getType());
  auto reduction = result.getDefiningOp<linalg::GenericOp>();
  Value init =
      reduction.getDpsInits()[cast<OpResult>(result).getResultNumber()];
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto rounding = linalg::GenericOp::create(
      b, loc, type, result, init, maps, loops,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        Value rounded = kernel::RoundOp::create(
            inner, at, type.getElementType(), arguments.front());
        linalg::YieldOp::create(inner, at, rounded);
      });
  result.replaceAllUsesExcept(rounding.getResult(0), rounding);
}

void ValueRounder::roundIn(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  bool reduces = op.getNumReductionLoops() > 0;
  for (Value result : op.getResults())
    if (reduces && isNarrow(result) && couldTell(readersOf(result)))
      roundBehind(result, op.getLoc());
  if (isContraction(op))
    return;
  for (Operation &scalar :
       llvm::make_early_inc_range(op.getBlock()->without_terminator())) {
    bool isLastStep =
        reduces && llvm::is_contained(yield.getValues(), scalar.getResult(0));
    if (isLastStep || !computes(&scalar) ||
        !couldTell(readersOf(scalar.getResult(0))))
      continue;
    OpBuilder b(op.getContext());
    b.setInsertionPointAfter(&scalar);
    Value value = scalar.getResult(0);
    Operation *rounded =
        kernel::RoundOp::create(b, scalar.getLoc(), value.getType(), value);
    value.replaceAllUsesExcept(rounded->getResult(0), rounded);
  }
}

void ValueRounder::run() {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::reverse(body))
    visit(&op);
  for (auto op : llvm::make_early_inc_range(body.getOps<linalg::GenericOp>()))
    roundIn(op);
}

void codegen::roundValues(kernel::FuncOp kernel) { ValueRounder(kernel).run(); }

namespace {
class RoundValues : public tripy::impl::RoundValuesPassBase<RoundValues> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<kernel::FuncOp>())
      codegen::roundValues(kernel);
  }
};
} // namespace
