//===- RecogniseNorm.cpp - Norms that an epilogue can compute -------------===//
//
// Behind a contraction whose blocks have all columns of some rows: operations
// on each element and on each row, and reductions over the columns, all of them
// computed from one tensor like the contraction's result.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
class NormFinder {
public:
  NormFinder(kernel::FuncOp kernel, WgmmaSchedule &schedule)
      : body(kernel.getBody().front()), schedule(schedule),
        product(schedule.op().getResult(0)),
        shape(cast<RankedTensorType>(product.getType()).getShape()) {}

  bool find();

private:
  void findDependents();
  Value findInput();
  bool isOnlyWayTo(Value input, Block::iterator from);
  bool isOfRows(Operation &op);
  bool isElementOrRow(AffineMap map, Type type);
  bool isReduction(linalg::GenericOp op);
  llvm::SmallPtrSet<Value, 8> readForInput(Value input);

  Block &body;
  WgmmaSchedule &schedule;
  Value product;
  ArrayRef<int64_t> shape;
  /// What is computed from the product, that among them.
  llvm::SetVector<Value> dependents;
};
} // namespace

void NormFinder::findDependents() {
  dependents.insert(product);
  for (Operation &op : body)
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return dependents.contains(value); }))
      dependents.insert_range(op.getResults());
}

/// Whether operations from `from` on read of what is computed from the product
/// only `input` and what they compute themselves.
bool NormFinder::isOnlyWayTo(Value input, Block::iterator from) {
  llvm::SmallPtrSet<Value, 16> known = {input};
  for (Operation &op : llvm::make_range(from, body.end())) {
    for (Value operand : op.getOperands())
      if (dependents.contains(operand) && !known.contains(operand))
        return false;
    known.insert_range(op.getResults());
  }
  return true;
}

/// The last tensor like the product that everything behind it is computed from;
/// null where there is none in front of the first reduction.
Value NormFinder::findInput() {
  Value found;
  for (Operation &op : body) {
    if (&op == schedule.norm.reductions.front())
      return found;
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && type.getShape() == shape && dependents.contains(result) &&
          isOnlyWayTo(result, std::next(op.getIterator())))
        found = result;
    }
  }
  return {};
}

/// Whether `map` reads, of a tensor of rows, the element of the iteration, or,
/// of one number for each row, that of its row.
bool NormFinder::isElementOrRow(AffineMap map, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  unsigned rows = shape.size() - 1;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    if (i < rows
            ? map.getResult(i) != getAffineDimExpr(i, map.getContext())
            : !map.getResult(i).isSymbolicOrConstant() &&
                  map.getResult(i) != getAffineDimExpr(i, map.getContext()))
      return false;
  if (tensor.getShape() == shape)
    return map.isIdentity();
  return tensor.getRank() >= rows &&
         tensor.getShape().take_front(rows) == shape.take_front(rows) &&
         llvm::all_of(tensor.getShape().drop_front(rows),
                      [](int64_t size) { return size == 1; });
}

/// Of one tensor of rows over the columns, by an operation whose order does not
/// matter.
bool NormFinder::isReduction(linalg::GenericOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInputs().front().getType());
  if (op.getNumResults() != 1 || !combinerOf(op) || !input ||
      input.getShape() != shape ||
      !op.getIndexingMapsArray().front().isIdentity())
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  AffineMap rows =
      AffineMap::getMultiDimIdentityMap(shape.size() - 1, op.getContext());
  return op.getNumReductionLoops() == 1 &&
         iterators.back() == utils::IteratorType::reduction &&
         op.getIndexingMapsArray().back().getResults() == rows.getResults() &&
         cast<RankedTensorType>(op.getResult(0).getType())
             .getElementType()
             .isF32();
}

/// Whether `op`, behind the norm's input, computes elements of rows, or numbers
/// of rows, each from those at its place.
bool NormFinder::isOfRows(Operation &op) {
  bool depends = llvm::any_of(op.getOperands(), [&](Value value) {
    return dependents.contains(value);
  });
  auto generic = dyn_cast<linalg::GenericOp>(op);
  // All reductions become exchanges of the rows' numbers.
  if (generic && generic.getNumReductionLoops() > 0)
    return depends && isReduction(generic);
  if (!depends || isa<kernel::YieldOp>(op))
    return true;
  if (!generic || generic.getNumDpsInits() != 1)
    return false;
  auto result = cast<RankedTensorType>(generic.getResult(0).getType());
  AffineMap map = generic.getIndexingMapsArray().back();
  if (!map.isIdentity() || !isElementOrRow(map, result))
    return false;
  for (OpOperand *input : generic.getDpsInputOperands())
    if (dependents.contains(input->get()) &&
        !isElementOrRow(generic.getMatchingIndexingMap(input),
                        input->get().getType()))
      return false;
  return true;
}

/// The tensor that comes in the boxes of the norm's input, and what is computed
/// from it for that alone: it is gone when the norm is computed.
llvm::SmallPtrSet<Value, 8> NormFinder::readForInput(Value input) {
  llvm::SmallPtrSet<Value, 8> found;
  int64_t number = 0;
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType()) &&
        number++ == schedule.source)
      found.insert(argument);
  auto isFound = [&](Value value) { return found.contains(value); };
  for (Operation &op :
       llvm::make_range(body.begin(), input.getDefiningOp()->getIterator()))
    if (llvm::any_of(op.getOperands(), isFound))
      found.insert_range(op.getResults());
  return found;
}

bool NormFinder::find() {
  if (schedule.parts() != 1 || schedule.prologue.input ||
      schedule.isInteger() || !schedule.boxColumns ||
      ShapedType::isDynamic(shape.back()))
    return false;
  findDependents();
  // Elements that are read at computed places.
  auto isComputed = [&](tensor::ExtractOp read) {
    return dependents.contains(read.getTensor()) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
  };
  if (body.walk(isComputed).wasInterrupted())
    return false;
  Value input = findInput();
  if (!input)
    return false;
  llvm::SmallPtrSet<Value, 8> gone = readForInput(input);
  auto isGone = [&](Value value) { return gone.contains(value); };
  for (Operation &op : llvm::make_range(
           std::next(input.getDefiningOp()->getIterator()), body.end()))
    if (!isOfRows(op) || llvm::any_of(op.getOperands(), isGone))
      return false;
  for (Value result : body.getTerminator()->getOperands())
    if (cast<RankedTensorType>(result.getType()).getShape() != shape ||
        !dependents.contains(result))
      return false;
  schedule.norm.input = input;
  return true;
}

bool codegen::recogniseNorm(kernel::FuncOp kernel, WgmmaSchedule &schedule) {
  return NormFinder(kernel, schedule).find();
}
