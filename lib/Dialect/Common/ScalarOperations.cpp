//===- ScalarOperations.cpp - What kernels compute on numbers -------------===//

#include "tripy/Dialect/Common/ScalarOperations.h"

#include "tripy/Base/DType.h"
#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tripy;

SmallVector<Type> tripy::tensorElementTypes(MLIRContext *context) {
  SmallVector<Type> types;
  for (const DTypeInfo &info : dtypeTable)
    if (Type type = parseType(info.mlir, context); isTensorElementType(type))
      types.push_back(type);
  return types;
}

std::string tripy::describeElementTypes(MLIRContext *context) {
  std::string text;
  SmallVector<Type> types = tensorElementTypes(context);
  llvm::raw_string_ostream stream(text);
  for (auto [i, type] : llvm::enumerate(types))
    stream << (i == 0 ? "" : i + 1 < types.size() ? ", " : " or ") << type;
  return text;
}

ScalarOperations::Key ScalarOperations::keyOf(Operation *op) {
  Key key = {op->getName().getAsOpaquePointer()};
  auto append = [&](TypeRange types) {
    for (Type type : types) {
      Type element = getElementTypeOrSelf(type);
      if (element.isIndex())
        element = IntegerType::get(op->getContext(), 64);
      key.push_back(element.getAsOpaquePointer());
    }
  };
  append(op->getOperandTypes());
  key.push_back(nullptr);
  append(op->getResultTypes());
  return key;
}

/// Shifts and divisions that linalg programs have and trace has not.
static void buildBitwise(OpBuilder &b, Location loc, Value x, Value y) {
  arith::ShLIOp::create(b, loc, x, y);
  arith::ShRSIOp::create(b, loc, x, y);
  arith::ShRUIOp::create(b, loc, x, y);
  // By divisors that are not 0.
  arith::DivUIOp::create(b, loc, x, y);
  arith::RemUIOp::create(b, loc, x, y);
}

/// What is made for elements of type `element`, but for functions.
static void buildOthers(OpBuilder &b, Block &block, Type element,
                        ArrayRef<Type> elements) {
  Location loc = b.getUnknownLoc();
  Value x = block.addArgument(element, loc),
        y = block.addArgument(element, loc);
  Value condition = block.addArgument(b.getI1Type(), loc);
  for (Type to : elements)
    scalar::createCast(b, loc, x, to);
  arith::SelectOp::create(b, loc, condition, x, y);
  if (isFloat8(element) || isInt4(element))
    return; // Moved, converted and contracted, nothing else.
  for (size_t i = 0; i < scalar::comparisons().size(); ++i)
    scalar::build(static_cast<scalar::ComparisonFn>(i), b, loc, {x, y});
  if (!element.isSignlessInteger() || element.isInteger(1))
    return;
  buildBitwise(b, loc, x, y);
  for (Type to : elements)
    if (to.isSignlessInteger() &&
        element.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      arith::ExtUIOp::create(b, loc, to, x);
}

ScalarOperations::ScalarOperations(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, math::MathDialect>();
  SmallVector<Type> elements = tensorElementTypes(context);
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  for (Type element : elements) {
    Block others;
    b.setInsertionPointToStart(&others);
    buildOthers(b, others, element, elements);
    record(others);
    if (isFloat8(element) || isInt4(element))
      continue;
    for (auto [i, info] : llvm::enumerate(scalar::scalarFns())) {
      Block block;
      b.setInsertionPointToStart(&block);
      for (unsigned operand = 0; operand < info.arity; ++operand)
        block.addArgument(element, loc);
      auto fn = static_cast<scalar::ScalarFn>(i);
      scalar::build(fn, b, loc, block.getArguments());
      record(block);
      recordFunction(fn, block);
    }
  }
}

void ScalarOperations::record(Block &block) {
  for (Operation &op : block) {
    names.insert(op.getName().getAsOpaquePointer());
    operations.insert(keyOf(&op));
  }
}

/// A function is one operation where its form has no other, on its operands in
/// order. Of functions of truth values that are the same, the last one, which
/// has logic's name.
void ScalarOperations::recordFunction(scalar::ScalarFn fn, Block &block) {
  if (llvm::hasSingleElement(block) &&
      llvm::equal(block.front().getOperands(), block.getArguments()))
    functions.insert_or_assign(keyOf(&block.front()), fn);
}

bool ScalarOperations::knowsName(Operation *op) const {
  return names.count(op->getName().getAsOpaquePointer());
}

bool ScalarOperations::knows(Operation *op) const {
  return operations.count(keyOf(op));
}

std::optional<scalar::ScalarFn>
ScalarOperations::functionOf(Operation *op) const {
  auto row = functions.find(keyOf(op));
  return row == functions.end() ? std::nullopt : std::optional(row->second);
}
