//===- ElementEmitter.cpp - Scalar code for elements of tensors -----------===//

#include "tripy/Codegen/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy::codegen;

Lanes ElementEmitter::emit(Value tensor, ArrayRef<Index> index, int64_t lanes) {
  Key key{tensor.getAsOpaquePointer(), {}, lanes};
  for (Index i : index)
    key.index.push_back(i.getOpaqueValue());
  for (auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  Lanes made = emitUncached(tensor, index, lanes);
  memo.back()[key] = made;
  return made;
}

Lanes ElementEmitter::emitUncached(Value tensor, ArrayRef<Index> index,
                                   int64_t lanes) {
  if (auto it = sources.find(tensor); it != sources.end())
    return it->second(index, lanes);
  if (auto it = memories.find(tensor); it != memories.end())
    return load(it->second, index, lanes);
  Operation *op = tensor.getDefiningOp();
  assert(op && "an argument without memory");
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case<linalg::GenericOp>([&](auto generic) {
        unsigned result = cast<OpResult>(tensor).getResultNumber();
        return emitGeneric(generic, result, index, lanes);
      })
      .Case<tensor::CollapseShapeOp>(
          [&](auto view) { return emitCollapse(view, index, lanes); })
      .Case<tensor::ExpandShapeOp>(
          [&](auto view) { return emitExpand(view, index, lanes); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto view) { return emitSlice(view, index, lanes); })
      .Case<tensor::ConcatOp>(
          [&](auto concat) { return emitConcat(concat, index, lanes); })
      .Case<tensor::CastOp>(
          [&](auto view) { return emit(view.getSource(), index, lanes); })
      .Case<linalg::FillOp>([&](linalg::FillOp fill) {
        IRMapping mapping;
        Value value = fill.getInputs().front();
        if (Operation *constant = value.getDefiningOp())
          value = emitScalarOp(constant, mapping);
        return Lanes(lanes, value);
      })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        Type type = computeType(splat.getElementType());
        auto value = splat.getSplatValue<TypedAttr>();
        if (auto number = dyn_cast<FloatAttr>(value))
          value = FloatAttr::get(type, number.getValueAsDouble());
        return Lanes(lanes, arith::ConstantOp::create(math.b(), math.location(),
                                                      type, value));
      });
}

/// Lanes one by one, for what is not contiguous.
Lanes ElementEmitter::emitPerLane(Value tensor, ArrayRef<Index> index,
                                  int64_t lanes) {
  Lanes result;
  SmallVector<Index> at(index);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (!at.empty())
      at.back() = math.add(index.back(), math.constant(lane));
    result.push_back(emitOne(tensor, at));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

Value ElementEmitter::emitOperand(linalg::GenericOp op, unsigned number,
                                  ArrayRef<Index> loops) {
  return emitOperandLanes(op, number, loops, /*laneLoop=*/-1, 1).front();
}

Lanes ElementEmitter::emitOperandLanes(linalg::GenericOp op, unsigned number,
                                       ArrayRef<Index> loops, int64_t laneLoop,
                                       int64_t lanes) {
  OpOperand &operand = op->getOpOperand(number);
  if (!isa<RankedTensorType>(operand.get().getType())) {
    IRMapping mapping;
    Operation *constant = operand.get().getDefiningOp();
    return Lanes(lanes, constant ? emitScalarOp(constant, mapping)
                                 : math.value(mapped(operand.get())));
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool varies = laneLoop >= 0 && lanes > 1 && map.isFunctionOfDim(laneLoop);
  auto at = [&](ArrayRef<Index> point) {
    SmallVector<Index> index;
    for (AffineExpr expr : map.getResults())
      index.push_back(math.evaluate(expr, point));
    return index;
  };
  if (!varies)
    return Lanes(lanes, emitOne(operand.get(), at(loops)));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool contiguous =
      last && last.getPosition() == laneLoop &&
      llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(laneLoop);
      });
  if (contiguous)
    return emit(operand.get(), at(loops), lanes);
  Lanes result;
  SmallVector<Index> point(loops);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    point[laneLoop] = math.add(loops[laneLoop], math.constant(lane));
    result.push_back(emitOne(operand.get(), at(point)));
  }
  return result;
}

Lanes ElementEmitter::emitGeneric(linalg::GenericOp op, unsigned result,
                                  ArrayRef<Index> index, int64_t lanes) {
  assert(op.getNumReductionLoops() == 0 && "a reduction without a source");
  AffineMap map = op.getIndexingMapsArray()[op.getNumDpsInputs() + result];
  SmallVector<Index> loops(op.getNumLoops(), math.constant(0));
  int64_t laneLoop = -1;
  for (auto [expr, i] : llvm::zip(map.getResults(), index))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops[dim.getPosition()] = i;
      laneLoop = dim.getPosition();
    }
  if (!map.getResults().empty() && !isa<AffineDimExpr>(map.getResults().back()))
    laneLoop = -1;
  SmallVector<Lanes> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    operands.push_back(argument.use_empty()
                           ? Lanes()
                           : emitOperandLanes(op, operand.getOperandNumber(),
                                              loops, laneLoop, lanes));
  }
  return emitBodyLanes(op, result, operands, loops, laneLoop, lanes);
}

/// The lanes of an element read whose last index is the loop of the lanes and
/// whose other indices are the same in all lanes: neighbours. Empty for others.
Lanes ElementEmitter::emitExtractLanes(tensor::ExtractOp op,
                                       ArrayRef<IRMapping> mappings,
                                       ArrayRef<Index> loops,
                                       int64_t laneLoop) {
  if (op.getIndices().empty() || mappings.size() == 1)
    return {};
  auto last = op.getIndices().back().getDefiningOp<linalg::IndexOp>();
  if (!last || static_cast<int64_t>(last.getDim()) != laneLoop)
    return {};
  SmallVector<Index> at;
  for (Value index : op.getIndices().drop_back()) {
    Value value = mappings.front().lookupOrNull(index);
    if (!value || llvm::any_of(mappings, [&](const IRMapping &mapping) {
          return mapping.lookupOrNull(index) != value;
        }))
      return {};
    at.push_back(getAsOpFoldResult(value));
  }
  at.push_back(loops[laneLoop]);
  return emit(op.getTensor(), at, mappings.size());
}

/// Emits the body once for each lane; operations whose operands are the same
/// in all lanes are emitted once.
Lanes ElementEmitter::emitBodyLanes(linalg::GenericOp op, unsigned result,
                                    ArrayRef<Lanes> operands,
                                    ArrayRef<Index> loops, int64_t laneLoop,
                                    int64_t lanes) {
  SmallVector<IRMapping> mappings(lanes);
  for (auto [argument, values] :
       llvm::zip(op.getBlock()->getArguments(), operands))
    for (int64_t lane = 0; lane < lanes && !values.empty(); ++lane)
      mappings[lane].map(argument, values[lane]);
  for (Operation &scalar : op.getBlock()->without_terminator()) {
    Lanes read;
    if (auto extract = dyn_cast<tensor::ExtractOp>(scalar))
      read = emitExtractLanes(extract, mappings, loops, laneLoop);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value made;
      if (!read.empty()) {
        mappings[lane].map(scalar.getResult(0), read[lane]);
        continue;
      }
      if (auto loop = dyn_cast<linalg::IndexOp>(scalar)) {
        Index at = loops[loop.getDim()];
        if (static_cast<int64_t>(loop.getDim()) == laneLoop)
          at = math.add(at, math.constant(lane));
        made = math.value(at);
      } else if (lane > 0 && llvm::all_of(scalar.getOperands(), [&](Value v) {
                   return mappings[lane].lookupOrDefault(v) ==
                          mappings[0].lookupOrDefault(v);
                 })) {
        made = mappings[0].lookup(scalar.getResult(0));
      } else {
        made = emitScalarOp(&scalar, mappings[lane]);
      }
      mappings[lane].map(scalar.getResult(0), made);
    }
  }
  Lanes yielded;
  Value value = op.getBlock()->getTerminator()->getOperand(result);
  IRMapping none;
  for (IRMapping &mapping : mappings) {
    Operation *outside =
        mapping.contains(value) ? nullptr : value.getDefiningOp();
    yielded.push_back(outside ? emitScalarOp(outside, none)
                              : mapping.lookup(value));
  }
  return yielded;
}

SmallVector<Value> ElementEmitter::emitBody(linalg::GenericOp op,
                                            ValueRange operands,
                                            ArrayRef<Index> loops) {
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip(op.getBlock()->getArguments(), operands))
    if (value)
      mapping.map(argument, value);
  for (Operation &scalar : op.getBlock()->without_terminator()) {
    Value made;
    if (auto loop = dyn_cast<linalg::IndexOp>(scalar))
      made = math.value(loops[loop.getDim()]);
    else
      made = emitScalarOp(&scalar, mapping);
    mapping.map(scalar.getResult(0), made);
  }
  SmallVector<Value> yielded;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  return yielded;
}

/// Clones one operation of a body with 16-bit floats computed in f32.
Value ElementEmitter::emitScalarOp(Operation *op, IRMapping &mapping) {
  OpBuilder &b = math.b();
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    if (auto it = indices.find(operand); it != indices.end())
      mapping.map(operand, math.value(it->second));
    else if (Operation *outside = operand.getDefiningOp())
      if (!isa<RankedTensorType>(operand.getType()))
        mapping.map(operand, emitScalarOp(outside, mapping));
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<Index> at;
    for (Value index : extract.getIndices()) {
      Value value = mapping.lookupOrDefault(index);
      at.push_back(getAsOpFoldResult(value));
    }
    return emitOne(extract.getTensor(), at);
  }
  Type type = computeType(op->getResult(0).getType());
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    if (Value in = mapping.lookupOrDefault(extend.getIn());
        in.getType() == type)
      return in;
  if (isa<arith::TruncFOp>(op)) {
    Type element = op->getResult(0).getType();
    Value in = mapping.lookupOrDefault(op->getOperand(0));
    if (type == element)
      return arith::TruncFOp::create(b, math.location(), type, in);
    return round(in, element);
  }
  if (auto asStored = dyn_cast<kernel::RoundOp>(op))
    return round(mapping.lookupOrDefault(asStored.getValue()),
                 asStored.getResult().getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return arith::ConstantOp::create(
          b, math.location(), FloatAttr::get(type, number.getValueAsDouble()));
  Operation *clone = b.clone(*op, mapping);
  clone->getResult(0).setType(type);
  clone->setLoc(op->getLoc());
  return clone->getResult(0);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Lanes ElementEmitter::emitCollapse(tensor::CollapseShapeOp op,
                                   ArrayRef<Index> index, int64_t lanes) {
  Value source = op.getSrc();
  ArrayRef<Index> from = sizesOf(source);
  SmallVector<Index> at(from.size(), math.constant(0));
  bool contiguous = true;
  auto groups = op.getReassociationIndices();
  for (auto [g, group] : llvm::enumerate(groups)) {
    SmallVector<Index> groupSizes;
    for (int64_t dim : group)
      groupSizes.push_back(from[dim]);
    SmallVector<Index> parts = math.delinearize(index[g], groupSizes);
    for (auto [dim, part] : llvm::zip(group, parts))
      at[dim] = part;
    if (g + 1 != groups.size() || group.size() == 1)
      continue;
    // A run of lanes may not cross the end of the last dimension.
    std::optional<int64_t> last = IndexMath::constantOf(groupSizes.back());
    contiguous =
        last && *last % lanes == 0 && math.factorOf(index[g]) % lanes == 0;
  }
  if (lanes == 1 || contiguous)
    return emit(source, at, lanes);
  return emitPerLane(op.getResult(), index, lanes);
}

Lanes ElementEmitter::emitExpand(tensor::ExpandShapeOp op,
                                 ArrayRef<Index> index, int64_t lanes) {
  ArrayRef<Index> to = sizesOf(op.getResult());
  SmallVector<Index> at;
  for (auto &group : op.getReassociationIndices()) {
    SmallVector<Index> parts, groupSizes;
    for (int64_t dim : group) {
      parts.push_back(index[dim]);
      groupSizes.push_back(to[dim]);
    }
    at.push_back(math.linearize(parts, groupSizes));
  }
  return emit(op.getSrc(), at, lanes);
}

Lanes ElementEmitter::emitSlice(tensor::ExtractSliceOp op,
                                ArrayRef<Index> index, int64_t lanes) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Index> offsets = op.getMixedOffsets();
  SmallVector<Index> strides = op.getMixedStrides();
  SmallVector<Index> at;
  size_t next = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Index i = dropped[dim] ? math.constant(0) : index[next++];
    at.push_back(math.add(mapped(offset), math.mul(i, mapped(strides[dim]))));
  }
  bool contiguous = !offsets.empty() && !dropped[offsets.size() - 1] &&
                    IndexMath::constantOf(strides.back()) == int64_t(1);
  if (lanes == 1 || contiguous)
    return emit(op.getSource(), at, lanes);
  return emitPerLane(op.getResult(), index, lanes);
}

Lanes ElementEmitter::emitConcat(tensor::ConcatOp op, ArrayRef<Index> index,
                                 int64_t lanes) {
  bool alongLanes =
      op.getDim() + 1 == static_cast<uint64_t>(op.getResultType().getRank());
  if (lanes > 1 && alongLanes) {
    // A run of lanes may not cross a seam.
    bool whole = math.factorOf(index.back()) % lanes == 0;
    for (Value input : op.getInputs())
      whole &= math.factorOf(sizesOf(input).back()) % lanes == 0;
    if (!whole)
      return emitPerLane(op.getResult(), index, lanes);
  }
  return emitConcatFrom(op, 0, index, lanes);
}

/// Element of inputs `input`, `input + 1`, ... where `index` counts from the
/// start of `input`.
Lanes ElementEmitter::emitConcatFrom(tensor::ConcatOp op, unsigned input,
                                     ArrayRef<Index> index, int64_t lanes) {
  Value tensor = op.getInputs()[input];
  if (input + 1 == op.getInputs().size())
    return emit(tensor, index, lanes);
  OpBuilder &b = math.b();
  Index size = sizesOf(tensor)[op.getDim()];
  Value inside =
      arith::CmpIOp::create(b, math.location(), arith::CmpIPredicate::ult,
                            math.value(index[op.getDim()]), math.value(size));
  SmallVector<Type> types(lanes,
                          computeType(op.getResultType().getElementType()));
  auto branch = scf::IfOp::create(b, math.location(), types, inside, true);
  OpBuilder::InsertionGuard guard(b);
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.thenBlock());
    Lanes values = emit(tensor, index, lanes);
    scf::YieldOp::create(b, math.location(), values);
  }
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Index> rest(index);
    rest[op.getDim()] = math.sub(rest[op.getDim()], size);
    Lanes values = emitConcatFrom(op, input + 1, rest, lanes);
    scf::YieldOp::create(b, math.location(), values);
  }
  return Lanes(branch.getResults());
}
