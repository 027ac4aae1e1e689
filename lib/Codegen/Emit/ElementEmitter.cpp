//===- ElementEmitter.cpp - Scalar code for elements of tensors -----------===//

#include "ElementEmitter.h"

#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

Elements ElementEmitter::emit(Value tensor, ArrayRef<Index> index,
                              int64_t vectorSize) {
  Key key{tensor.getAsOpaquePointer(), {}, vectorSize};
  for (Index i : index)
    key.index.push_back(i.getOpaqueValue());
  for (auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  Elements made = emitUncached(tensor, index, vectorSize);
  memo.back()[key] = made;
  return made;
}

Elements ElementEmitter::emitUncached(Value tensor, ArrayRef<Index> index,
                                      int64_t vectorSize) {
  if (auto it = sources.find(tensor); it != sources.end())
    return it->second(index, vectorSize);
  if (auto it = memories.find(tensor); it != memories.end())
    return load(it->second, index, vectorSize);
  Operation *op = tensor.getDefiningOp();
  assert(op && "an argument without memory");
  return llvm::TypeSwitch<Operation *, Elements>(op)
      .Case<linalg::GenericOp>([&](auto generic) {
        unsigned result = cast<OpResult>(tensor).getResultNumber();
        return emitGeneric(generic, result, index, vectorSize);
      })
      .Case<tensor::CollapseShapeOp>(
          [&](auto view) { return emitCollapse(view, index, vectorSize); })
      .Case<tensor::ExpandShapeOp>(
          [&](auto view) { return emitExpand(view, index, vectorSize); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto view) { return emitSlice(view, index, vectorSize); })
      .Case<tensor::ConcatOp>(
          [&](auto concat) { return emitConcat(concat, index, vectorSize); })
      .Case<tensor::CastOp>(
          [&](auto view) { return emit(view.getSource(), index, vectorSize); })
      .Case<linalg::FillOp>([&](linalg::FillOp fill) {
        IRMapping mapping;
        Value value = fill.getInputs().front();
        if (Operation *constant = value.getDefiningOp())
          value = emitScalarOp(constant, mapping);
        return Elements(vectorSize, value);
      })
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        Type type = computeType(splat.getElementType());
        auto value = splat.getSplatValue<TypedAttr>();
        if (auto number = dyn_cast<FloatAttr>(value))
          value = FloatAttr::get(type, number.getValueAsDouble());
        else
          value =
              IntegerAttr::get(type, cast<IntegerAttr>(value).getValue().sext(
                                         type.getIntOrFloatBitWidth()));
        return Elements(
            vectorSize,
            arith::ConstantOp::create(math.b(), math.location(), type, value));
      });
}

/// Elements one by one, for what is not contiguous.
Elements ElementEmitter::emitPerElement(Value tensor, ArrayRef<Index> index,
                                        int64_t vectorSize) {
  Elements result;
  SmallVector<Index> at(index);
  for (int64_t element = 0; element < vectorSize; ++element) {
    if (!at.empty())
      at.back() = math.add(index.back(), math.constant(element));
    result.push_back(emitOne(tensor, at));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

Value ElementEmitter::emitOperand(linalg::GenericOp op, unsigned number,
                                  ArrayRef<Index> loops) {
  return emitOperandElements(op, number, loops, /*vectorLoop=*/-1, 1).front();
}

Elements ElementEmitter::emitOperandElements(linalg::GenericOp op,
                                             unsigned number,
                                             ArrayRef<Index> loops,
                                             int64_t vectorLoop,
                                             int64_t vectorSize) {
  OpOperand &operand = op->getOpOperand(number);
  if (!isa<RankedTensorType>(operand.get().getType())) {
    IRMapping mapping;
    Operation *constant = operand.get().getDefiningOp();
    return Elements(vectorSize, constant ? emitScalarOp(constant, mapping)
                                         : math.value(mapped(operand.get())));
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool varies =
      vectorLoop >= 0 && vectorSize > 1 && map.isFunctionOfDim(vectorLoop);
  auto at = [&](ArrayRef<Index> point) {
    SmallVector<Index> index;
    for (AffineExpr expr : map.getResults())
      index.push_back(math.evaluate(expr, point));
    return index;
  };
  if (!varies)
    return Elements(vectorSize, emitOne(operand.get(), at(loops)));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool contiguous =
      last && last.getPosition() == vectorLoop &&
      llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(vectorLoop);
      });
  if (contiguous)
    return emit(operand.get(), at(loops), vectorSize);
  Elements result;
  SmallVector<Index> point(loops);
  for (int64_t element = 0; element < vectorSize; ++element) {
    point[vectorLoop] = math.add(loops[vectorLoop], math.constant(element));
    result.push_back(emitOne(operand.get(), at(point)));
  }
  return result;
}

Value ElementEmitter::asFactor(linalg::GenericOp op, unsigned number,
                               Value element) {
  Type type = getElementTypeOrSelf(op.getOperand(number).getType());
  Type sum = computeType(getElementTypeOrSelf(op.getResult(0).getType()));
  if (element.getType() == sum)
    return element;
  if (isUnsigned(type))
    return arith::ExtUIOp::create(math.b(), math.location(), sum, element);
  return scalar::createCast(math.b(), math.location(), element, sum);
}

Elements ElementEmitter::emitFactors(linalg::GenericOp op, unsigned number,
                                     ArrayRef<Index> loops, int64_t vectorLoop,
                                     int64_t vectorSize) {
  Elements factors =
      emitOperandElements(op, number, loops, vectorLoop, vectorSize);
  for (Value &factor : factors)
    factor = asFactor(op, number, factor);
  return factors;
}

Elements ElementEmitter::emitGeneric(linalg::GenericOp op, unsigned result,
                                     ArrayRef<Index> index,
                                     int64_t vectorSize) {
  assert(op.getNumReductionLoops() == 0 && "a reduction without a source");
  AffineMap map = op.getIndexingMapsArray()[op.getNumDpsInputs() + result];
  SmallVector<Index> loops(op.getNumLoops(), math.constant(0));
  int64_t vectorLoop = -1;
  for (auto [expr, i] : llvm::zip(map.getResults(), index))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops[dim.getPosition()] = i;
      vectorLoop = dim.getPosition();
    }
  if (!map.getResults().empty() && !isa<AffineDimExpr>(map.getResults().back()))
    vectorLoop = -1;
  SmallVector<Elements> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    operands.push_back(argument.use_empty()
                           ? Elements()
                           : emitOperandElements(op, operand.getOperandNumber(),
                                                 loops, vectorLoop,
                                                 vectorSize));
  }
  return emitBodyElements(op, result, operands, loops, vectorLoop, vectorSize);
}

/// Several elements of a tensor.extract at once: its last index is the loop of
/// the vector and the other indices are the same for all elements, so that they
/// are neighbours. Empty for other reads.
Elements ElementEmitter::emitExtractElements(tensor::ExtractOp op,
                                             ArrayRef<IRMapping> mappings,
                                             ArrayRef<Index> loops,
                                             int64_t vectorLoop) {
  if (op.getIndices().empty() || mappings.size() == 1)
    return {};
  auto last = op.getIndices().back().getDefiningOp<linalg::IndexOp>();
  if (!last || static_cast<int64_t>(last.getDim()) != vectorLoop)
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
  at.push_back(loops[vectorLoop]);
  return emit(op.getTensor(), at, mappings.size());
}

/// Emits the body once for each element of the vector; operations whose
/// operands are the same for all elements are emitted once.
Elements ElementEmitter::emitBodyElements(linalg::GenericOp op, unsigned result,
                                          ArrayRef<Elements> operands,
                                          ArrayRef<Index> loops,
                                          int64_t vectorLoop,
                                          int64_t vectorSize) {
  SmallVector<IRMapping> mappings(vectorSize);
  for (auto [argument, values] :
       llvm::zip(op.getBlock()->getArguments(), operands))
    for (int64_t element = 0; element < vectorSize && !values.empty();
         ++element)
      mappings[element].map(argument, values[element]);
  for (Operation &scalar : op.getBlock()->without_terminator()) {
    Elements read;
    if (auto extract = dyn_cast<tensor::ExtractOp>(scalar))
      read = emitExtractElements(extract, mappings, loops, vectorLoop);
    for (int64_t element = 0; element < vectorSize; ++element) {
      Value made;
      if (!read.empty()) {
        mappings[element].map(scalar.getResult(0), read[element]);
        continue;
      }
      if (auto loop = dyn_cast<linalg::IndexOp>(scalar)) {
        Index at = loops[loop.getDim()];
        if (static_cast<int64_t>(loop.getDim()) == vectorLoop)
          at = math.add(at, math.constant(element));
        made = math.value(at);
      } else if (element > 0 &&
                 llvm::all_of(scalar.getOperands(), [&](Value v) {
                   return mappings[element].lookupOrDefault(v) ==
                          mappings[0].lookupOrDefault(v);
                 })) {
        made = mappings[0].lookup(scalar.getResult(0));
      } else {
        made = emitScalarOp(&scalar, mappings[element]);
      }
      mappings[element].map(scalar.getResult(0), made);
    }
  }
  Elements yielded;
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
    if (arith::SelectOp guard = guardOf(extract))
      return emitGuardedRead(extract, guard, mapping);
    SmallVector<Index> at;
    for (Value index : extract.getIndices()) {
      Value value = mapping.lookupOrDefault(index);
      at.push_back(getAsOpFoldResult(value));
    }
    return emitOne(extract.getTensor(), at);
  }
  // What a guarded read gives is chosen already.
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (auto read = select.getTrueValue().getDefiningOp<tensor::ExtractOp>())
      if (guardOf(read) == select)
        return mapping.lookup(read.getResult());
  // The bits of an unsigned integer are what is computed with.
  if (isa<UnrealizedConversionCastOp>(op))
    return mapping.lookupOrDefault(op->getOperand(0));
  Type type = computeType(op->getResult(0).getType());
  // An i4 is an i8 already.
  if (isa<arith::ExtFOp, arith::ExtSIOp>(op))
    if (Value in = mapping.lookupOrDefault(op->getOperand(0));
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

/// Whether `tensor` is memory in another shape, or computed from such element
/// by element: its elements are where its row-major order says.
bool ElementEmitter::isFlat(Value tensor, unsigned depth) {
  if (sources.contains(tensor) || depth == 0 ||
      !cast<RankedTensorType>(tensor.getType()).hasStaticShape())
    return false;
  if (memories.contains(tensor))
    return !memories.find(tensor)->second.packed;
  Operation *op = tensor.getDefiningOp();
  if (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return isFlat(op->getOperand(0), depth - 1);
  auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
  auto isSame = [](AffineMap map) { return map.isIdentity(); };
  return generic && generic.getNumReductionLoops() == 0 &&
         llvm::all_of(generic.getIndexingMapsArray(), isSame) &&
         llvm::none_of(*generic.getBlock(),
                       llvm::IsaPred<linalg::IndexOp, tensor::ExtractOp>) &&
         llvm::all_of(generic.getDpsInputs(),
                      [&](Value input) { return isFlat(input, depth - 1); });
}

Elements ElementEmitter::emitCollapse(tensor::CollapseShapeOp op,
                                      ArrayRef<Index> index,
                                      int64_t vectorSize) {
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
    // A run of elements may not cross the end of the last dimension.
    std::optional<int64_t> last = IndexMath::constantOf(groupSizes.back());
    contiguous = last && *last % vectorSize == 0 &&
                 math.factorOf(index[g]) % vectorSize == 0;
  }
  if (vectorSize == 1 || contiguous)
    return emit(source, at, vectorSize);
  if (isFlat(source))
    return emitRun(source, math.linearize(index, sizesOf(op.getResult())),
                   vectorSize);
  return emitPerElement(op.getResult(), index, vectorSize);
}

Elements ElementEmitter::emitExpand(tensor::ExpandShapeOp op,
                                    ArrayRef<Index> index, int64_t vectorSize) {
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
  return emit(op.getSrc(), at, vectorSize);
}

Elements ElementEmitter::emitSlice(tensor::ExtractSliceOp op,
                                   ArrayRef<Index> index, int64_t vectorSize) {
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
  if (vectorSize == 1 || contiguous)
    return emit(op.getSource(), at, vectorSize);
  return emitPerElement(op.getResult(), index, vectorSize);
}

Elements ElementEmitter::emitConcat(tensor::ConcatOp op, ArrayRef<Index> index,
                                    int64_t vectorSize) {
  bool alongVector =
      op.getDim() + 1 == static_cast<uint64_t>(op.getResultType().getRank());
  if (vectorSize > 1 && alongVector) {
    // A run of elements may not cross a seam.
    bool whole = math.factorOf(index.back()) % vectorSize == 0;
    for (Value input : op.getInputs())
      whole &= math.factorOf(sizesOf(input).back()) % vectorSize == 0;
    if (!whole)
      return emitPerElement(op.getResult(), index, vectorSize);
  }
  return emitConcatFrom(op, 0, index, vectorSize);
}

/// Element of inputs `input`, `input + 1`, ... where `index` counts from the
/// start of `input`.
Elements ElementEmitter::emitConcatFrom(tensor::ConcatOp op, unsigned input,
                                        ArrayRef<Index> index,
                                        int64_t vectorSize) {
  Value tensor = op.getInputs()[input];
  if (input + 1 == op.getInputs().size())
    return emit(tensor, index, vectorSize);
  OpBuilder &b = math.b();
  Index size = sizesOf(tensor)[op.getDim()];
  Value inside =
      arith::CmpIOp::create(b, math.location(), arith::CmpIPredicate::ult,
                            math.value(index[op.getDim()]), math.value(size));
  SmallVector<Type> types(vectorSize,
                          computeType(op.getResultType().getElementType()));
  auto branch = scf::IfOp::create(b, math.location(), types, inside, true);
  OpBuilder::InsertionGuard guard(b);
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.thenBlock());
    Elements values = emit(tensor, index, vectorSize);
    scf::YieldOp::create(b, math.location(), values);
  }
  {
    Scope scope(*this);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Index> rest(index);
    rest[op.getDim()] = math.sub(rest[op.getDim()], size);
    Elements values = emitConcatFrom(op, input + 1, rest, vectorSize);
    scf::YieldOp::create(b, math.location(), values);
  }
  return Elements(branch.getResults());
}
