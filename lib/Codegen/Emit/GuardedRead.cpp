//===- GuardedRead.cpp - Reads of elements that may be outside ------------===//
//
// A window's body reads the first element where its place is outside of the
// tensor, and chooses another value then:
//
//   select(isInside, extract(t, [select(isInside, place, 0)]), outside)
//
// As it stands, a vector of such places is gathered. As a branch
//
//   isInside ? t[place] : outside
//
// LLVM loads a vector of neighbours with a mask.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Whether `whole` holds only where `part` does: it is `part`, or a conjunction
/// with it.
static bool implies(Value whole, Value part) {
  if (whole == part)
    return true;
  auto both = whole.getDefiningOp<arith::AndIOp>();
  return both && (implies(both.getLhs(), part) || implies(both.getRhs(), part));
}

/// `index` where `condition` holds.
static Value chosen(Value index, Value condition) {
  auto select = index.getDefiningOp<arith::SelectOp>();
  return select && implies(condition, select.getCondition())
             ? select.getTrueValue()
             : index;
}

arith::SelectOp ElementEmitter::guardOf(tensor::ExtractOp read) {
  if (!options.guardedReads || !read->hasOneUse())
    return {};
  auto select = dyn_cast<arith::SelectOp>(*read->user_begin());
  if (!select || select.getTrueValue() != read.getResult() ||
      !select.getFalseValue().getDefiningOp<arith::ConstantOp>())
    return {};
  // What would have to be computed first is not worth a branch.
  Value memory = memoryBehind(read.getTensor());
  return memory && memories.contains(memory) ? select : arith::SelectOp();
}

Value ElementEmitter::emitGuardedRead(tensor::ExtractOp read,
                                      arith::SelectOp guard,
                                      IRMapping &mapping) {
  OpBuilder &b = math.b();
  Value condition = guard.getCondition();
  SmallVector<Index> at;
  for (Value index : read.getIndices())
    at.push_back(
        getAsOpFoldResult(mapping.lookupOrDefault(chosen(index, condition))));
  Value outside = emitScalarOp(guard.getFalseValue().getDefiningOp(), mapping);
  auto branch = scf::IfOp::create(b, math.location(), outside.getType(),
                                  mapping.lookupOrDefault(condition),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.thenBlock());
    Value element = emitOne(read.getTensor(), at);
    scf::YieldOp::create(b, math.location(), element);
  }
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, math.location(), outside);
  return branch.getResult(0);
}
