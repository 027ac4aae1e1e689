//===- Generic.cpp - Raises structured operations -------------------------===//
//
// Each operation of a body becomes one on tensors over the iteration space.
// Operands are read through their maps: transposes, broadcasts and gathers.
//
//===----------------------------------------------------------------------===//

#include "Generic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;

//===-- bodies ------------------------------------------------------------===//

Value BodyRaising::lookup(Value value, const Space &space) {
  if (Value found = known.lookup(value))
    return found;
  auto argument = dyn_cast<BlockArgument>(value);
  Value made;
  if (argument && argument.getOwner() == &body) {
    made = this->argument(argument, space);
  } else {
    Lowering b = program.builderFor(written);
    made = program.valueAt(value, space, b);
  }
  known[value] = made;
  return made;
}

Value BodyRaising::raise(Operation *op, const Space &space) {
  Lowering b = builderFor(op);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return countAlong(static_cast<int64_t>(index.getDim()), space, b);
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  SmallVector<Value> in;
  ValueRange operands =
      extract ? ValueRange(extract.getIndices()) : op->getOperands();
  for (Value operand : operands) {
    in.push_back(lookup(operand, space));
    if (!in.back())
      return {};
  }
  if (!extract) {
    Operation *end = body.getTerminator();
    bool isOwn = !isShared && (own || llvm::is_contained(end->getOperands(),
                                                         op->getResult(0)));
    return raiseScalar({op, in, isOwn}, space, program.table, b);
  }
  Value tensor = program.valueOf(extract.getTensor(), op);
  return tensor ? readAt(tensor, in, space, b) : Value();
}

Value BodyRaising::evaluate(Value value, const Space &space) {
  llvm::DenseSet<Value> wanted = {value};
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(body)) {
    bool isWanted = llvm::any_of(op.getResults(), [&](Value result) {
      return wanted.contains(result) && !known.contains(result);
    });
    if (!isWanted)
      continue;
    ops.push_back(&op);
    wanted.insert_range(op.getOperands());
  }
  for (Operation *op : llvm::reverse(ops)) {
    Value made = raise(op, space);
    if (!made)
      return {};
    known[op->getResult(0)] = made;
  }
  return lookup(value, space);
}

//===-- loops -------------------------------------------------------------===//

GenericRaising::GenericRaising(linalg::GenericOp op, Operation *written,
                               Raising &program)
    : BodyRaising(*op.getBlock(), written, op == written, program), op(op),
      b(program.builderFor(written)) {}

LogicalResult GenericRaising::checkForm() {
  if (!op.hasPureTensorSemantics())
    return written->emitOpError("must work on tensors to be compiled");
  for (Operation &inner : body)
    if (inner.getNumRegions())
      return inner.emitOpError("cannot be compiled: a body of linalg must be "
                               "straight-line code on numbers");
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? parallel : reduced)
        .push_back(static_cast<int64_t>(loop));
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    bool namesEach =
        map.isProjectedPermutation() && map.getNumResults() == parallel.size();
    for (int64_t loop : parallel)
      namesEach &= map.isFunctionOfDim(loop);
    if (!namesEach)
      return written->emitOpError("the map of a result must name each parallel "
                                  "loop once to be compiled; found ")
             << AffineMapAttr::get(map);
  }
  return success();
}

/// A loop has the size of the dimensions that it is.
LogicalResult GenericRaising::findLoops() {
  loops.shape.assign(op.getNumLoops(), ShapedType::kDynamic);
  loops.sizes.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    SizeList sizes = b.sizesOf(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      unsigned number = loop.getPosition();
      bool isBetter =
          !type.isDynamicDim(dim) && ShapedType::isDynamic(loops.shape[number]);
      if (loops.sizes[number] && !isBetter)
        continue;
      loops.shape[number] = type.getDimSize(dim);
      loops.sizes[number] = sizes[dim];
    }
  }
  for (auto [loop, size] : llvm::enumerate(loops.sizes))
    if (!size)
      return written->emitOpError("each loop must be a dimension of an operand "
                                  "to be compiled; loop ")
             << loop << " is none";
  return success();
}

//===-- operands ----------------------------------------------------------===//

std::optional<View> GenericRaising::read(OpOperand &operand) {
  Value tensor = program.valueOf(operand.get(), written);
  if (!tensor)
    return std::nullopt;
  View view;
  view.tensor = readThrough(tensor, op.getMatchingIndexingMap(&operand), loops,
                            view.loops, b);
  return view;
}

bool GenericRaising::isWindow(OpOperand &operand) {
  return !op.getMatchingIndexingMap(&operand).isProjectedPermutation(
      /*allowZeroInResults=*/true);
}

Value GenericRaising::argument(BlockArgument argument, const Space &space) {
  std::optional<View> view = read(op->getOpOperand(argument.getArgNumber()));
  return view ? spreadLoops(view->tensor, view->loops, space, b) : Value();
}

//===-- results -----------------------------------------------------------===//

Value GenericRaising::inOrder(const View &view, AffineMap map) {
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : map.getResults())
    permutation.push_back(
        llvm::find(view.loops, cast<AffineDimExpr>(expr).getPosition()) -
        view.loops.begin());
  return transpose(view.tensor, permutation, b);
}

Value GenericRaising::result(unsigned number) {
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap map = op.getMatchingIndexingMap(init);
  Value yielded = body.getTerminator()->getOperand(number);
  Operation *combiner = nullptr;
  std::optional<View> view;
  if (!reduced.empty()) {
    Value element;
    combiner = combinerOf(number, element);
    if (!combiner)
      return {};
    view = contract(number, combiner, element);
    if (!view)
      view = reduce(number, combiner, element);
  } else if (loops.rank() > maxRank) {
    written->emitOpError("must have at most ")
        << maxRank << " loops to be compiled; found " << loops.rank();
  } else if (Value made = evaluate(yielded, loops)) {
    view = View{made, parallel};
  }
  if (!view || !view->tensor)
    return {};
  Value made = combiner ? withStart(number, combiner, {inOrder(*view, map), {}})
                        : inOrder(*view, map);
  auto type = cast<RankedTensorType>(init->get().getType());
  return made ? withType(made, type, b) : Value();
}

Raised GenericRaising::run() {
  if (failed(checkForm()) || failed(findLoops()))
    return {};
  Raised results;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    results.push_back(result(i));
    if (!results.back())
      return {};
  }
  return results;
}

Raised raise::raiseGeneric(linalg::GenericOp form, Operation *written,
                           Raising &program) {
  return GenericRaising(form, written, program).run();
}

//===-- tensor.generate ---------------------------------------------------===//

namespace {
/// A body of indices.
class GenerateRaising : public BodyRaising {
public:
  GenerateRaising(tensor::GenerateOp op, Raising &program)
      : BodyRaising(op.getBody().front(), op, /*own=*/true, program) {}

private:
  Value argument(BlockArgument argument, const Space &space) override {
    Lowering b = program.builderFor(written);
    return countAlong(argument.getArgNumber(), space, b);
  }
};
} // namespace

Raised raise::raiseGenerate(tensor::GenerateOp op, Raising &program) {
  Lowering b = program.builderFor(op);
  RankedTensorType type = op.getType();
  Space space{Shape(type.getShape()),
              b.mixedSizes(type.getShape(), op.getDynamicExtents())};
  b.requireSizes(space.sizes);
  Block &body = op.getBody().front();
  for (Operation &inner : body)
    if (inner.getNumRegions()) {
      inner.emitOpError("cannot be compiled: a body must be straight-line code "
                        "on numbers");
      return {};
    }
  Value made = GenerateRaising(op, program)
                   .evaluate(body.getTerminator()->getOperand(0), space);
  return made ? Raised{made} : Raised();
}
