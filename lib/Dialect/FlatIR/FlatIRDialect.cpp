//===- FlatIRDialect.cpp - The flatir dialect -----------------------------===//

#include "Folds.h"

#include "tripy/Dialect/Common/Inliner.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

#include "tripy/Dialect/FlatIR/FlatIRDialect.cpp.inc"
#include "tripy/Dialect/FlatIR/FlatIREnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/FlatIR/FlatIRAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/FlatIR/FlatIROps.cpp.inc"

void FlatIRDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tripy/Dialect/FlatIR/FlatIRAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tripy/Dialect/FlatIR/FlatIROps.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
}

Operation *FlatIRDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  if (isa<IndexType>(type))
    return arith::ConstantOp::materialize(builder, value, type, loc);
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

bool tripy::flatir::isTensorArithmetic(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") &&
         op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}
