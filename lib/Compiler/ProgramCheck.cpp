//===- ProgramCheck.cpp - What a program may consist of -------------------===//

#include "ProgramCheck.h"

#include "LinalgPrograms.h"
#include "ScalarOperations.h"

#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Trace/Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tripy;

namespace {

class ProgramCheck {
public:
  explicit ProgramCheck(func::FuncOp function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult checkArguments();
  LogicalResult checkResults();
  LogicalResult checkOperation(Operation *op);
  LogicalResult checkTypes(Operation *op);
  LogicalResult checkArith(Operation *op);
  LogicalResult checkConstant(arith::ConstantOp op);
  LogicalResult checkEmpty(tensor::EmptyOp op);
  LogicalResult checkBody(Operation *op);
  LogicalResult checkScalar(Operation *op, Operation *parent);
  std::string elementTypes();

  func::FuncOp function;
  /// Made when the first body of linalg is met.
  std::optional<ScalarOperations> scalars;
};

} // namespace

/// "f32, f16, bf16, ... or i1".
std::string ProgramCheck::elementTypes() {
  std::string text;
  SmallVector<Type> types = tensorElementTypes(function.getContext());
  llvm::raw_string_ostream stream(text);
  for (auto [i, type] : llvm::enumerate(types))
    stream << (i == 0 ? "" : i + 1 < types.size() ? ", " : " or ") << type;
  return text;
}

//===-- types -------------------------------------------------------------===//

/// Whether values of a program may be of `type`: tensors, sizes, and numbers
/// that tensors are filled with.
static bool isValueType(Type type) {
  return isTensorType(type) || type.isIndex() || isTensorElementType(type);
}

LogicalResult ProgramCheck::checkArguments() {
  for (BlockArgument argument : function.getArguments())
    if (!isTensorType(argument.getType()))
      return emitError(argument.getLoc(),
                       "arguments of a program must be ranked tensors of ")
             << elementTypes() << ", of rank at most " << maxRank
             << " and at most 2^40 elements; found " << argument.getType();
  return success();
}

LogicalResult ProgramCheck::checkResults() {
  Operation *end = function.getBody().front().getTerminator();
  for (Type type : end->getOperandTypes())
    if (!isTensorType(type))
      return emitError(end->getLoc(),
                       "results of a program must be ranked tensors of ")
             << elementTypes() << ", of rank at most " << maxRank
             << " and at most 2^40 elements; found " << type;
  return success();
}

LogicalResult ProgramCheck::checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    if (isValueType(type))
      return success();
    return op->emitOpError("cannot be compiled: values of a program are ranked "
                           "tensors of ")
           << elementTypes() << ", of rank at most " << maxRank
           << " and at most 2^40 elements, such numbers, and sizes; found "
           << type;
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(check(type)))
          return failure();
  return success();
}

//===-- operations --------------------------------------------------------===//

LogicalResult ProgramCheck::checkConstant(arith::ConstantOp op) {
  auto value = dyn_cast<ElementsAttr>(op.getValue());
  if (!value)
    return success();
  if (!isConstantData(value))
    return op.emitOpError("cannot be compiled: a constant must be a dense "
                          "tensor; found another form");
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (resource && !loadedResourceBytes(value))
    return op.emitOpError("cannot be compiled: a resource's data must be in "
                          "the program; found none of '")
           << resource.getRawHandle().getKey() << "'";
  if (!hasConstantBytes(value))
    return op.emitOpError("cannot be compiled: a resource must have as many "
                          "bytes as the tensor, one for an i1; found ")
           << resourceBytes(value);
  return success();
}

/// Arithmetic of a program is on sizes.
LogicalResult ProgramCheck::checkArith(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return checkConstant(constant);
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                SmallVector<Type>(op->getResultTypes())))
    if (!type.isIntOrIndex())
      return op->emitOpError("cannot be compiled: arithmetic of a program, "
                             "outside of linalg's bodies, must be on sizes; "
                             "found ")
             << type;
  return checkSizeOp(op);
}

/// The elements of tensor.empty have no value: nothing may read them.
LogicalResult ProgramCheck::checkEmpty(tensor::EmptyOp op) {
  for (OpOperand &use : op->getUses()) {
    auto writer = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (isa<tensor::DimOp>(use.getOwner()) ||
        (writer && writer.isDpsInit(&use)))
      continue;
    return use.getOwner()->emitOpError("must not read elements without a "
                                       "value; found those of a "
                                       "'tensor.empty'");
  }
  return success();
}

/// An operation of a body of linalg; `parent` has the body.
LogicalResult ProgramCheck::checkScalar(Operation *op, Operation *parent) {
  if (isa<linalg::IndexOp, linalg::YieldOp>(op))
    return success();
  if (isa<arith::ConstantOp>(op))
    return checkTypes(op);
  if (!scalars)
    scalars.emplace(function.getContext());
  if (scalars->knows(op))
    return success();
  // What the user wrote is the body of a generic operation alone.
  Operation *written = isa<linalg::GenericOp>(parent) ? op : parent;
  InFlightDiagnostic diagnostic = written->emitOpError("cannot be compiled: ");
  if (written != op)
    diagnostic << "it computes with '" << op->getName().getStringRef() << "'"
               << (scalars->knowsName(op) ? "" : ", ");
  if (!scalars->knowsName(op))
    return diagnostic << (written != op ? "which" : "it is an operation that")
                      << " kernels cannot compute";
  diagnostic << (written != op ? " on" : "it is on")
             << " types for which kernels cannot compute it; found (";
  llvm::interleaveComma(op->getOperandTypes(), diagnostic);
  diagnostic << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), diagnostic);
  return diagnostic << ")";
}

LogicalResult ProgramCheck::checkBody(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block) {
        if (inner.getNumRegions())
          return inner.emitOpError("cannot be compiled: a body of linalg must "
                                   "be straight-line code on numbers");
        if (failed(checkScalar(&inner, op)))
          return failure();
      }
  return success();
}

LogicalResult ProgramCheck::checkOperation(Operation *op) {
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<trace::TraceDialect, flatir::FlatIRDialect>(dialect) ||
      isa<func::ReturnOp>(op))
    return checkTypes(op);
  bool isArith = isa_and_nonnull<arith::ArithDialect>(dialect);
  bool isKernel = isKernelOperation(op);
  bool onSizes = isa<tensor::DimOp, tensor::EmptyOp, linalg::FillOp>(op);
  if (!isArith && !isKernel && !onSizes &&
      isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(dialect))
    return refuseKernel(op);
  if (!isArith && !isKernel && !onSizes)
    return op->emitOpError(
        "cannot be compiled: a program consists of trace, flatir or linalg "
        "operations and arithmetic on sizes");
  if (failed(checkTypes(op)))
    return failure();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return checkEmpty(empty);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!number || *number < 0 || *number >= rankOf(dim.getSource()))
      return dim.emitOpError(
          "must name a dimension of its tensor by a constant "
          "to be compiled");
  }
  return isArith ? checkArith(op) : checkBody(op);
}

LogicalResult ProgramCheck::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc(),
                     "a program must be straight-line code; found several "
                     "blocks");
  if (failed(checkArguments()))
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (failed(checkOperation(&op)))
      return failure();
    // The bodies of composites.
    if (auto composite = dyn_cast<flatir::CompositeOp>(op))
      if (composite
              ->walk([&](Operation *inner) {
                return failed(checkOperation(inner)) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
              })
              .wasInterrupted())
        return failure();
  }
  return checkResults();
}

LogicalResult tripy::checkProgram(func::FuncOp function) {
  return ProgramCheck(function).run();
}
