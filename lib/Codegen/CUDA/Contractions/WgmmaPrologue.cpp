//===- WgmmaPrologue.cpp - A left operand computed on the way -------------===//
//
// A may be an element-wise function of a tensor that TMA copies in its place.
// Consumers read their rows of a k-block from shared memory to registers, as
// the instruction wants A there, compute the function, round it to the
// operand's type, and multiply with A in registers.
//
// Matrix instructions read registers until they are waited for. So there are
// two sets: while one is multiplied, the other gets the next k-block. It
// becomes the first only after the wait.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

namespace {
/// Follows A back to what it is computed from.
class PrologueSearch {
public:
  PrologueSearch(Value a, int64_t batch) : a(a), batch(batch) {}
  std::optional<WgmmaPrologue> run();

private:
  bool visit(Value tensor, AffineMap access);
  bool visitBody(linalg::GenericOp op);
  bool isVector(AffineMap access) const;
  bool isOperand(Value tensor, AffineMap access) const;

  Value a;
  int64_t batch;
  WgmmaPrologue found;
};
} // namespace

/// Scalar operations of a body that are worth counting.
static int64_t costOf(Operation &op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, linalg::YieldOp>(
          op))
    return 0;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 4;
  bool isCheap =
      isa<arith::ArithDialect>(op.getDialect()) ||
      isa<math::AbsFOp, math::FloorOp, math::FmaOp, kernel::RoundOp>(op);
  return isCheap ? 1 : 20;
}

/// Whether an element depends on the row, on the position along K, or on
/// neither, but not on both. There is nothing to depend on in a dimension of
/// one element.
bool PrologueSearch::isVector(AffineMap access) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(a.getType()).getShape();
  unsigned k = access.getNumDims() - 1;
  bool ofRow = false;
  for (unsigned dim = batch; dim < k; ++dim)
    ofRow |= shape[dim] != 1 && access.isFunctionOfDim(dim);
  return !ofRow || !access.isFunctionOfDim(k);
}

/// Whether `tensor` can be copied in A's place: its type and its indices are
/// A's, but for dimensions of one element.
bool PrologueSearch::isOperand(Value tensor, AffineMap access) const {
  if (tensor.getType() != a.getType())
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(a.getType()).getShape();
  for (auto [i, expr] : llvm::enumerate(access.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool same = dim ? dim.getPosition() == i : shape[i] == 1;
    if (!same)
      return false;
  }
  return true;
}

bool PrologueSearch::visitBody(linalg::GenericOp op) {
  for (Operation &scalar : *op.getBlock()) {
    bool isKnown =
        isa<arith::ArithDialect, math::MathDialect>(scalar.getDialect()) ||
        isa<linalg::YieldOp, kernel::RoundOp>(scalar);
    if (!isKnown)
      return false;
    found.cost += costOf(scalar);
  }
  return true;
}

/// `access`: indices of `tensor` in terms of A's.
bool PrologueSearch::visit(Value tensor, AffineMap access) {
  if (isVector(access) && tensor != a) {
    found.vectors.push_back({tensor, access});
    return true;
  }
  if (auto op = tensor.getDefiningOp<linalg::GenericOp>()) {
    AffineMap result = op.getIndexingMapsArray().back();
    if (op.getNumReductionLoops() > 0 || op->getNumResults() != 1 ||
        !result.isIdentity())
      return false;
    if (!found.ops.insert(op).second)
      return true;
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.getMatchingBlockArgument(&operand).use_empty() ||
          !isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!visit(operand.get(), map.compose(access)))
        return false;
    }
    return visitBody(op);
  }
  if (isa_and_nonnull<arith::ConstantOp, linalg::FillOp>(
          tensor.getDefiningOp()))
    return true;
  if (!isOperand(tensor, access) || (found.input && found.input != tensor))
    return false;
  found.input = tensor;
  return true;
}

std::optional<WgmmaPrologue> PrologueSearch::run() {
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  auto access = AffineMap::getMultiDimIdentityMap(rank, a.getContext());
  if (!visit(a, access) || !found.input)
    return std::nullopt;
  return std::move(found);
}

std::optional<WgmmaPrologue>
codegen::findPrologue(const WgmmaSchedule &schedule) {
  int64_t k = schedule.extent(schedule.k, 0);
  // Groups of 8 are within K, or beyond it.
  if (schedule.elementBytes != 2 || k == 0 || k % 8 != 0)
    return std::nullopt;
  return PrologueSearch(schedule.op().getInputs()[0], schedule.batch.size())
      .run();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Indices of A.
SmallVector<Index> WgmmaEmitter::operandAt(Index row, Index k) {
  linalg::GenericOp op = schedule.op();
  SmallVector<Index> point(op.getNumLoops(), math.constant(0)), indices;
  space.spread(tileBatch, schedule.batch, point);
  space.spread(row, schedule.m, point);
  point[schedule.k.front()] = k;
  for (AffineExpr expr : op.getIndexingMapsArray()[0].getResults())
    indices.push_back(math.evaluate(expr, point));
  return indices;
}

/// Reads what does not vary along K, or what does, before it is needed: the
/// element emitter finds it again.
void WgmmaEmitter::readVectors(Index row, Index k, bool alongK) {
  SmallVector<Index> at = operandAt(row, k);
  for (auto [tensor, access] : schedule.prologue.vectors) {
    unsigned last = access.getNumDims() - 1;
    if (access.isFunctionOfDim(last) != alongK)
      continue;
    SmallVector<Index> index;
    for (AffineExpr expr : access.getResults())
      index.push_back(math.evaluate(expr, at));
    bool isRun = alongK && access.getResults().back() ==
                               getAffineDimExpr(last, b.getContext());
    if (isRun || !alongK)
      e.elements.emit(tensor, index, isRun ? 2 : 1);
  }
}

/// Rows of this thread: of the upper and the lower half of 16. Those beyond the
/// end count as the last: what they are multiplied into is stored nowhere, but
/// what is read for them must be there.
void WgmmaEmitter::findOperandRows() {
  operandRows.clear();
  for (int64_t half = 0; half < 2; ++half) {
    Index row = math.add(math.add(rowBegin, consumerRow()),
                         math.add(fragmentRow(), math.constant(half * 8)));
    if (isRagged(schedule.m, schedule.tileM * schedule.clusterM))
      row = math.min(row, math.sub(space.sizeOf(schedule.m), math.constant(1)));
    operandRows.push_back(row);
    readVectors(row, math.constant(0), /*alongK=*/false);
  }
}

/// A word of A: the function of the two numbers of `word`, at `row` and `k`.
Value WgmmaEmitter::computeWord(Value word, Index row, Index k) {
  auto type = cast<RankedTensorType>(schedule.op().getInputs()[0].getType());
  auto pair = VectorType::get({2}, type.getElementType());
  Value numbers = LLVM::BitcastOp::create(b, loc, pair, word);
  e.elements.bindSource(
      schedule.prologue.input, [&](ArrayRef<Index>, int64_t vectorSize) {
        assert(vectorSize == 2 && "A is read in pairs");
        Elements wide;
        for (int64_t i = 0; i < vectorSize; ++i)
          wide.push_back(arith::ExtFOp::create(
              b, loc, b.getF32Type(),
              vector::ExtractOp::create(b, loc, numbers, i).getResult()));
        return wide;
      });
  Elements stored;
  for (Value value :
       e.elements.emit(schedule.op().getInputs()[0], operandAt(row, k),
                       /*vectorSize=*/2))
    stored.push_back(e.elements.narrow(value, type.getElementType()));
  // The epilogue may read the same tensor from memory.
  e.elements.unbindSource(schedule.prologue.input);
  Value vector = vector::FromElementsOp::create(b, loc, pair, stored);
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector);
}

//===----------------------------------------------------------------------===//
// K-blocks
//===----------------------------------------------------------------------===//

/// This thread's positions along K in the k-block at `k`, one for each 8
/// columns, as indices may have them, and whether they are within K where that
/// is in question: TMA fills with zeros, but the function of zero may be any
/// number, and B's zeros do not undo infinity. One comparison is enough: what
/// lies beyond K in the last k-block, which counts as the one before, is known.
SmallVector<std::pair<Index, Value>> WgmmaEmitter::placesAlongK(Index k) {
  int64_t size = schedule.extent(schedule.k, 0), kBlock = schedule.tileK();
  int64_t last = size / kBlock * kBlock, left = size % kBlock;
  Value within;
  Index before = k;
  if (left > 0) {
    within =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(k),
                              math.value(math.constant(last)));
    Value chosen = arith::SelectOp::create(
        b, loc, within, math.value(k),
        math.value(math.constant(std::max<int64_t>(last - kBlock, 0))));
    math.setFactor(chosen, kBlock);
    before = chosen;
  }
  SmallVector<std::pair<Index, Value>> places;
  for (int64_t column = 0; column < kBlock; column += 8) {
    bool isSure = left == 0 || column < left;
    // There may be no k-block before.
    int64_t at = isSure || last > 0 ? column : 0;
    Index begin = math.add(isSure ? k : before, fragmentColumn());
    places.push_back(
        {math.add(begin, math.constant(at)), isSure ? Value() : within});
  }
  return places;
}

/// A as registers: for each step of K the four words of an instruction. `k`:
/// where the k-block begins.
SmallVector<Value> WgmmaEmitter::computeKBlock(RingPosition position, Index k) {
  int64_t steps = schedule.tileK() / schedule.stepK();
  // Two in a step.
  SmallVector<std::pair<Index, Value>> places = placesAlongK(k);
  for (auto [column, within] : places)
    readVectors(operandRows.front(), column, /*alongK=*/true);
  waitFor(fullBarrier(position.stage), position.parity);
  // Lane l has the address of row l % 8 of matrix l / 8: rows 0 and 8 of the
  // first 8 columns, then of the others. Pieces are swizzled.
  Index t = math.rem(thread, math.constant(128));
  Index lane = math.rem(t, math.constant(32));
  Index inMatrix = math.rem(lane, math.constant(8));
  Index lower = math.rem(math.div(lane, math.constant(8)), math.constant(2));
  Index row =
      math.add(math.mul(math.div(t, math.constant(32)), math.constant(16)),
               math.add(math.mul(lower, math.constant(8)), inMatrix));
  Value swizzle = arith::XOrIOp::create(
      b, loc, toI32(math.div(lane, math.constant(16))), toI32(inMatrix));
  Value start =
      add(ownRows(stageOfA(position.stage)), mul(toI32(row), rowBytes));
  auto four = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  SmallVector<Value> words;
  for (int64_t step = 0; step < steps; ++step) {
    Value piece = arith::XOrIOp::create(b, loc, swizzle, i32(2 * step));
    Value loaded = NVVM::LdMatrixOp::create(
        b, loc, four, pointer(add(start, mul(piece, 16))), 4,
        NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < 4; ++i) {
      auto [column, within] = places[step * 2 + i / 2];
      Value word = computeWord(LLVM::ExtractValueOp::create(b, loc, loaded, i),
                               operandRows[i % 2], column);
      words.push_back(
          within ? arith::SelectOp::create(b, loc, within, word, i32(0))
                 : word);
    }
  }
  return keepHere(words);
}

/// `words`, in registers of their own at this place. Where they were computed:
/// LLVM would do it where they are read, which is after the wait for the
/// instructions that this is to overlap with. After the wait: LLVM takes
/// registers for free that the instructions still read.
SmallVector<Value> WgmmaEmitter::keepHere(ArrayRef<Value> words) {
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(words.size(), b.getI32Type()));
  std::string outputs, inputs;
  for (size_t i = 0; i < words.size(); ++i) {
    outputs += "=r,";
    inputs += (i ? "," : "") + std::to_string(i);
  }
  Value kept = LLVM::InlineAsmOp::create(
                   b, loc, TypeRange(Type(type)), words, "", outputs + inputs,
                   /*has_side_effects=*/true,
                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                   LLVM::AsmDialectAttr(), ArrayAttr())
                   .getResult(0);
  SmallVector<Value> result;
  for (size_t i = 0; i < words.size(); ++i)
    result.push_back(LLVM::ExtractValueOp::create(b, loc, kept, i));
  return result;
}

/// One instruction with A in registers. MLIR's operation knows descriptors
/// alone.
Value WgmmaEmitter::multiplyWords(Value sums, ArrayRef<Value> words,
                                  Value right) {
  auto type = cast<LLVM::LLVMStructType>(sums.getType());
  int64_t count = type.getBody().size();
  SmallVector<Value> operands;
  std::string list, outputs, inputs;
  for (int64_t i = 0; i < count; ++i) {
    operands.push_back(
        LLVM::ExtractValueOp::create(b, loc, sums, ArrayRef<int64_t>{i}));
    list += (i ? ", $" : "$") + std::to_string(i);
    outputs += "=f,";
    inputs += std::to_string(i) + ",";
  }
  llvm::append_range(operands, words);
  operands.push_back(right);
  std::string left;
  for (int64_t i = 0; i < 4; ++i)
    left += (i ? ", $" : "$") + std::to_string(2 * count + i);
  std::string element = NVVM::stringifyWGMMATypes(schedule.type).str();
  std::string text = "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(schedule.tileN) + "k" +
                     std::to_string(schedule.stepK()) + ".f32." + element +
                     "." + element + " {" + list + "}, {" + left + "}, $" +
                     std::to_string(2 * count + 4) + ", p, 1, 1, " +
                     (schedule.b.front().kMajor ? "0" : "1") + ";\n}";
  return LLVM::InlineAsmOp::create(
             b, loc, TypeRange(Type(type)), operands, text,
             outputs + inputs + "r,r,r,r,l", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// Multiplies a k-block whose A `words` are; the instructions are under way.
Value WgmmaEmitter::multiplyComputed(Value stage, ArrayRef<Value> words,
                                     Value sums) {
  const WgmmaOperand &operand = schedule.b.front();
  Value right = descriptor(operand, stageOfB(stage));
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  for (int64_t step = 0; step < schedule.tileK() / schedule.stepK(); ++step)
    sums = multiplyWords(sums, words.slice(step * 4, 4),
                         advance(right, step * stepBytes(operand)));
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  return sums;
}

/// multiplyTile() for an A that is computed. The last k-block stands behind the
/// loop: there is no next one to compute.
Value WgmmaEmitter::multiplyComputedTile(RingPosition &position, Value zeros) {
  assert(!schedule.pingPong && "suits() leaves such tiles out");
  // Of this tile alone.
  ElementEmitter::Scope scope(e.elements);
  findOperandRows();
  auto [begin, size] = kRange();
  Index kBlock = math.constant(schedule.tileK());
  Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  SmallVector<Value> carriedIn = {position.stage, position.parity, zeros};
  llvm::append_range(carriedIn, computeKBlock(position, begin));
  auto finish = [&](Value stage, ArrayRef<Value> words) {
    NVVM::WgmmaWaitGroupSyncOp::create(b, loc, 0);
    keepHere(words);
    release(stage, always);
  };
  SmallVector<Value> end = e.reduceLoop(
      math.constant(1), math.ceilDiv(size, kBlock), math.constant(1), carriedIn,
      [&, begin = begin](Index number, ValueRange carried) {
        RingPosition at{carried[0], carried[1]};
        SmallVector<Value> words(carried.drop_front(3));
        Value sums = multiplyComputed(at.stage, words, carried[2]);
        RingPosition following = next(at);
        SmallVector<Value> out = {following.stage, following.parity, sums};
        llvm::append_range(
            out, computeKBlock(following,
                               math.add(begin, math.mul(number, kBlock))));
        finish(at.stage, words);
        return out;
      });
  RingPosition at{end[0], end[1]};
  ArrayRef<Value> words = ArrayRef(end).drop_front(3);
  Value sums = multiplyComputed(at.stage, words, end[2]);
  finish(at.stage, words);
  position = next(at);
  return sums;
}
