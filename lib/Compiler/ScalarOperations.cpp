//===- ScalarOperations.cpp - What bodies of linalg may compute -----------===//

#include "ScalarOperations.h"

#include "tripy/Base/DType.h"
#include "tripy/Dialect/Common/ScalarFns.h"
#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;

SmallVector<Type> tripy::tensorElementTypes(MLIRContext *context) {
  SmallVector<Type> types;
  for (const DTypeInfo &info : dtypeTable)
    if (Type type = parseType(info.mlir, context); isTensorElementType(type))
      types.push_back(type);
  return types;
}

static std::vector<const void *> keyOf(Operation *op) {
  std::vector<const void *> key = {op->getName().getAsOpaquePointer()};
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  key.push_back(nullptr);
  for (Type type : op->getResultTypes())
    key.push_back(type.getAsOpaquePointer());
  return key;
}

/// What is made for elements of type `element`.
static void buildAll(OpBuilder &b, Block &block, Type element,
                     ArrayRef<Type> elements) {
  Location loc = b.getUnknownLoc();
  Value x = block.addArgument(element, loc),
        y = block.addArgument(element, loc);
  Value condition = block.addArgument(b.getI1Type(), loc);
  for (Type to : elements)
    scalar::createCast(b, loc, x, to);
  arith::SelectOp::create(b, loc, condition, x, y);
  if (isa<Float8E4M3FNType>(element))
    return; // Moved, converted and contracted, nothing else.
  SmallVector<Value> operands = {x, y};
  for (auto [i, info] : llvm::enumerate(scalar::scalarFns()))
    scalar::build(static_cast<scalar::ScalarFn>(i), b, loc,
                  ArrayRef(operands).take_front(info.arity));
  for (size_t i = 0; i < scalar::comparisons().size(); ++i)
    scalar::build(static_cast<scalar::ComparisonFn>(i), b, loc, operands);
}

/// What is made of the loops' indices.
static void buildIndices(OpBuilder &b, Block &block) {
  Location loc = b.getUnknownLoc();
  Value index = block.addArgument(b.getIndexType(), loc);
  for (Type type : {b.getI32Type(), b.getI64Type()})
    arith::IndexCastOp::create(b, loc, type, index);
  arith::AddIOp::create(b, loc, index, index);
  arith::MulIOp::create(b, loc, index, index);
  arith::SubIOp::create(b, loc, index, index);
  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, index);
}

ScalarOperations::ScalarOperations(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, math::MathDialect>();
  SmallVector<Type> elements = tensorElementTypes(context);
  Block block;
  OpBuilder b(context);
  b.setInsertionPointToStart(&block);
  for (Type element : elements)
    buildAll(b, block, element, elements);
  buildIndices(b, block);
  record(block);
}

void ScalarOperations::record(Block &block) {
  for (Operation &op : block) {
    names.insert(op.getName().getAsOpaquePointer());
    operations.insert(keyOf(&op));
  }
}

bool ScalarOperations::knowsName(Operation *op) const {
  return names.count(op->getName().getAsOpaquePointer());
}

bool ScalarOperations::knows(Operation *op) const {
  return operations.count(keyOf(op));
}
