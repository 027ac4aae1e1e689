//===- ProgramCheck.cpp - What a program may consist of -------------------===//

#include "ProgramCheck.h"

#include "tripy/Dialect/Common/ScalarOperations.h"
#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Trace/Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
  std::string elementTypes();

  func::FuncOp function;
};

} // namespace

std::string ProgramCheck::elementTypes() {
  return describeElementTypes(function.getContext());
}

//===-- types -------------------------------------------------------------===//

/// Whether values of a program may be of `type`: tensors, sizes, and numbers
/// that tensors are filled with.
static bool isValueType(Type type) {
  return isTensorType(type) || type.isIndex() || isTensorElementType(type);
}

LogicalResult ProgramCheck::checkArguments() {
  for (BlockArgument argument : function.getArguments())
    if (!isTensorType(argument.getType()) && !argument.getType().isIndex())
      return emitError(argument.getLoc(),
                       "arguments of a program must be ranked tensors of ")
             << elementTypes() << ", of rank at most " << maxRank
             << " and at most 2^40 elements, or sizes (index); found "
             << argument.getType();
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
                          "bytes as the tensor, one for an i1, half of one "
                          "for an i4; found ")
           << resourceBytes(value);
  return success();
}

/// Arithmetic on sizes is of the list. What is computed of tensors, or feeds
/// them, is raised to flatir or refused there.
LogicalResult ProgramCheck::checkArith(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return checkConstant(constant);
  bool onSizes = llvm::all_of(op->getOperandTypes(), isSizeType) &&
                 llvm::all_of(op->getResultTypes(), isSizeType);
  return onSizes ? checkSizeOp(op) : success();
}

LogicalResult ProgramCheck::checkOperation(Operation *op) {
  Dialect *dialect = op->getDialect();
  bool isArith = isa_and_nonnull<arith::ArithDialect>(dialect);
  bool isKnown = isArith ||
                 isa_and_nonnull<trace::TraceDialect, flatir::FlatIRDialect,
                                 linalg::LinalgDialect, math::MathDialect,
                                 tensor::TensorDialect>(dialect) ||
                 isa<func::ReturnOp>(op);
  if (!isKnown)
    return op->emitOpError(
        "cannot be compiled: a program consists of trace, flatir, linalg, "
        "tensor, arith and math operations");
  if (failed(checkTypes(op)))
    return failure();
  return isArith ? checkArith(op) : success();
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
