//===- EmitCUDAFirstPlace.cpp - CUDA code of argmax and argmin ------------===//
//
// The first place of the largest or smallest element of each row, NaN being the
// first choice, in one pass. A thread compares the extreme of each vector that
// it reads with the one it has, and notes where the vector was that beat it;
// the place within it is found in the end, by the threads that have the row's
// extreme. So an element costs its part of a packed maximum, and no comparison.
//
// A row may begin and end within vectors: threads read the elements before its
// first vector and behind its last one alone.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "Codegen/Emit/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// What is such a kernel
//===----------------------------------------------------------------------===//

/// The only operation in front of the terminator of an element-wise generic
/// operation that computes `tensor`, or of the terminator alone.
static std::pair<linalg::GenericOp, Operation *> definition(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() > 0 || op.getNumResults() != 1)
    return {};
  Block &body = *op.getBlock();
  if (body.without_terminator().empty())
    return {op, body.getTerminator()};
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  return {op, last};
}

/// What `tensor` has the rounded or repeated elements of.
static Value sourceOf(Value tensor) {
  while (true) {
    auto [op, scalar] = definition(tensor);
    if (!op || op.getNumDpsInputs() != 1 ||
        !isa<linalg::YieldOp, kernel::RoundOp>(scalar) ||
        !isa<BlockArgument>(scalar->getOperand(0)))
      return tensor;
    tensor = op.getDpsInputs().front();
  }
}

/// Whether `flags` tells where an element of `x` equals the `extreme` of its
/// row, or is NaN.
static bool isFound(Value flags, Value x, Value extreme) {
  auto [op, scalar] = definition(flags);
  if (!op || op.getNumDpsInputs() != 2)
    return false;
  Value lhs = op.getDpsInputs()[0], rhs = op.getDpsInputs()[1];
  if (isa<arith::OrIOp>(scalar))
    return (isFound(lhs, x, extreme) && isFound(rhs, x, x)) ||
           (isFound(rhs, x, extreme) && isFound(lhs, x, x));
  if (lhs != x || sourceOf(rhs) != extreme ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
    return false;
  if (auto compare = dyn_cast<arith::CmpFOp>(scalar))
    return compare.getPredicate() ==
           (x == extreme ? CmpFPredicate::UNE : CmpFPredicate::OEQ);
  auto compare = dyn_cast<arith::CmpIOp>(scalar);
  return compare && x != extreme && compare.getPredicate() == CmpIPredicate::eq;
}

/// Whether `tensor` has the number of each element along the last dimension.
static bool isNumbers(Value tensor) {
  auto [op, scalar] = definition(tensor);
  while (scalar && isa<arith::IndexCastOp, arith::TruncIOp>(scalar))
    scalar = scalar->getOperand(0).getDefiningOp();
  auto index = dyn_cast_if_present<linalg::IndexOp>(scalar);
  return index && index.getDim() + 1 == op.getNumLoops();
}

/// Whether `place` is the least number of the elements of `x` that are the
/// `extreme` of their row.
static bool isFirstPlace(linalg::GenericOp place, Value x, Value extreme) {
  if (!isa_and_present<arith::MinSIOp>(combinerOf(place)) ||
      place.getNumDpsInputs() != 1)
    return false;
  auto [op, scalar] = definition(place.getDpsInputs().front());
  auto select = dyn_cast_if_present<arith::SelectOp>(scalar);
  APInt none;
  return select && op.getNumDpsInputs() == 2 &&
         select.getCondition() == op.getBlock()->getArgument(0) &&
         select.getTrueValue() == op.getBlock()->getArgument(1) &&
         matchPattern(select.getFalseValue(), m_ConstantInt(&none)) &&
         none.isMaxSignedValue() && isFound(op.getDpsInputs()[0], x, extreme) &&
         isNumbers(op.getDpsInputs()[1]);
}

/// Whether `op` reduces the last dimension of an argument, and nothing else.
static bool reducesRows(linalg::GenericOp op) {
  Operation *combiner = combinerOf(op);
  if (!isa_and_present<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                       arith::MinSIOp>(combiner) ||
      op.getBlock()->getOperations().size() != 2)
    return false;
  SmallVector<unsigned> reduced = loopDims(op).reduction;
  return op.getNumDpsInputs() == 1 && reduced.size() == 1 &&
         reduced.front() + 1 == op.getNumLoops() &&
         isa<BlockArgument>(op.getDpsInputs().front()) &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Threads of a block, vectors that a thread loads before it uses them, and
/// vectors of a row that the lanes of a warp or a part of it have at most.
static constexpr int64_t blockThreads = 256, vectorsInFlight = 4,
                         vectorsOfWarp = 256;
/// Lanes of a row: an element before its first vector is one lane's.
static constexpr int64_t minLanes = 8;

namespace {
class FirstPlaceEmitter {
public:
  FirstPlaceEmitter(CUDAKernel &kernel, linalg::GenericOp extreme,
                    linalg::GenericOp place)
      : kernel(kernel), e(kernel.e), math(e.math), b(e.b), loc(e.loc),
        extreme(extreme), place(place),
        input(cast<BlockArgument>(extreme.getDpsInputs().front())) {}

  /// False, and nothing emitted, where rows are few and long.
  bool choose();
  void emit();

private:
  /// The extreme that a thread has, and where: the first element of a vector,
  /// or -1 - i of element i alone.
  struct State {
    Value extreme, at;
  };
  void locate();
  State first();
  State update(State state, Value value, Value at);
  State updateAlone(State state, Index begin, Index end);
  State overVectors(State state);
  Elements load(Index vector);
  Value extremeOf(ArrayRef<Value> loaded);
  Value placeIn(State state, Value extreme);
  Value combine(linalg::GenericOp op, Value value, StringRef name);
  void write(Value ofRow, Value at);

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value narrow(Index index) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                      math.value(index));
  }
  Value inverted(Value value) {
    return arith::XOrIOp::create(b, loc, value, number(-1));
  }
  Value isBelow(Index a, Index limit) {
    return kernel.compare(CmpIPredicate::ult, a, limit);
  }
  /// Whether elements are compared two at a time as they are in memory.
  bool isPacked() {
    Type type = e.elements.memoryOf(input)->elementType;
    return (type.isF16() || type.isBF16()) && vectorSize % 2 == 0;
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  OpBuilder &b;
  Location loc;
  linalg::GenericOp extreme, place;
  BlockArgument input;
  int64_t vectorSize = 1, threads = blockThreads;
  SmallVector<Index> rowSizes, row;
  /// Of a row: its elements, those before its first vector, its vectors, and
  /// the first of them in the tensor.
  Index length, lead, vectors, firstVector;
  Index thread;
  Value isRow;
};
} // namespace

bool FirstPlaceEmitter::choose() {
  const Memory &memory = *e.elements.memoryOf(input);
  vectorSize = vectorSizeOf(e);
  ArrayRef<Index> sizes(memory.sizes);
  rowSizes.assign(sizes.drop_back());
  length = sizes.back();
  SmallVector<AffineExpr> exprs = e.tensorSizeExprs(input.getArgNumber());
  std::optional<int64_t> columns = expectedSize(e.kernel, exprs.back());
  exprs.pop_back();
  AffineExpr count = KernelEmission::product(exprs, e.kernel.getContext());
  std::optional<int64_t> rows = expectedSize(e.kernel, count);
  if (!columns || !rows || *columns < vectorSize * minLanes)
    return false;
  int64_t expected = *columns / vectorSize;
  if (expected <= vectorsOfWarp)
    threads = std::clamp<int64_t>(llvm::bit_floor(uint64_t(expected / 2)),
                                  minLanes, 32);
  int64_t ofBlock = blockThreads / threads;
  if (*rows < ofBlock * kernel.chip.multiprocessors)
    return false;
  e.setConfig({count.ceilDiv(ofBlock)}, {blockThreads, 1, 1}, 0);
  return true;
}

/// The row of this thread, and its parts.
void FirstPlaceEmitter::locate() {
  Index id = kernel.threadId(), lanes = math.constant(threads);
  Index v = math.constant(vectorSize), number = kernel.blockId();
  thread = math.rem(id, lanes);
  if (threads < blockThreads) {
    number = math.add(math.mul(number, math.constant(blockThreads / threads)),
                      math.div(id, lanes));
    isRow = isBelow(number, math.product(rowSizes));
    number = kernel.clampTo(isRow, number);
  }
  row = math.delinearize(number, rowSizes);
  Index start = math.mul(number, length);
  firstVector = math.ceilDiv(start, v);
  lead = math.constant(0);
  if (math.factorOf(length) % vectorSize != 0)
    lead = math.min(math.sub(math.mul(firstVector, v), start), length);
  vectors = math.div(math.sub(length, lead), v);
}

/// The elements of vector `vector` of the row, or words of two.
Elements FirstPlaceEmitter::load(Index vector) {
  Index at = math.add(firstVector, vector);
  if (!isPacked())
    return e.elements.emitRun(input, math.mul(at, math.constant(vectorSize)),
                              vectorSize);
  Memory words = *e.elements.memoryOf(input);
  words.elementType = b.getI32Type();
  words.sizes = {math.div(math.product(words.sizes), math.constant(2))};
  return e.elements.load(words, {math.mul(at, math.constant(vectorSize / 2))},
                         vectorSize / 2);
}

/// The extreme of a vector, in the compute type.
Value FirstPlaceEmitter::extremeOf(ArrayRef<Value> loaded) {
  SmallVector<Value> values(loaded);
  bool packed = isPacked();
  auto pair = VectorType::get(2, e.elements.memoryOf(input)->elementType);
  if (packed)
    for (Value &value : values)
      value = LLVM::BitcastOp::create(b, loc, pair, value);
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t i = 0; i < half; ++i)
      values[i] = e.combine(extreme, values[i], values[i + half]);
    values.resize(half);
  }
  if (!packed)
    return values.front();
  SmallVector<Value> halves;
  for (int32_t i = 0; i < 2; ++i) {
    Value half =
        LLVM::ExtractElementOp::create(b, loc, values.front(), number(i));
    halves.push_back(arith::ExtFOp::create(b, loc, b.getF32Type(), half));
  }
  return e.combine(extreme, halves[0], halves[1]);
}

/// `value` instead of what the thread has where it is better: what comes later
/// in a row must be more than equal.
FirstPlaceEmitter::State FirstPlaceEmitter::update(State state, Value value,
                                                   Value at) {
  Operation *combiner = combinerOf(extreme);
  Value isBetter;
  if (isa<FloatType>(value.getType())) {
    bool isMax = isa<arith::MaximumFOp>(combiner);
    isBetter = arith::CmpFOp::create(
        b, loc, isMax ? CmpFPredicate::UGT : CmpFPredicate::ULT, value,
        state.extreme);
    Value isNumber = arith::CmpFOp::create(b, loc, CmpFPredicate::ORD,
                                           state.extreme, state.extreme);
    isBetter = arith::AndIOp::create(b, loc, isBetter, isNumber);
  } else {
    bool isMax = isa<arith::MaxSIOp>(combiner);
    isBetter = arith::CmpIOp::create(
        b, loc, isMax ? CmpIPredicate::sgt : CmpIPredicate::slt, value,
        state.extreme);
  }
  return {kernel.select(isBetter, value, state.extreme),
          kernel.select(isBetter, at, state.at)};
}

/// What a thread starts from: its first element or vector, which may be no
/// better than the initial value.
FirstPlaceEmitter::State FirstPlaceEmitter::first() {
  Index v = math.constant(vectorSize);
  Index rest = math.add(lead, math.mul(vectors, v));
  Index last = math.add(rest, thread);
  Value none = number(std::numeric_limits<int32_t>::min());
  Value at = kernel.select(isBelow(last, length), inverted(narrow(last)), none);
  at = kernel.select(isBelow(thread, vectors),
                     narrow(math.add(lead, math.mul(thread, v))), at);
  at = kernel.select(isBelow(thread, lead), inverted(narrow(thread)), at);
  return {e.initialValue(extreme), at};
}

/// The elements from `begin` to `end`, fewer than the row has threads.
FirstPlaceEmitter::State
FirstPlaceEmitter::updateAlone(State state, Index begin, Index end) {
  Index own = math.add(begin, thread);
  Value inside = isBelow(own, end);
  Value value =
      kernel
          .valuesWhere(inside, 1, state.extreme,
                       [&] {
                         SmallVector<Index> at(row);
                         at.push_back(own);
                         return Elements{e.elements.emitOne(input, at)};
                       })
          .front();
  // The extreme that the thread has is no better than itself.
  return update(state, value, inverted(narrow(own)));
}

FirstPlaceEmitter::State FirstPlaceEmitter::overVectors(State state) {
  Index v = math.constant(vectorSize);
  auto round = [&](int64_t count) {
    return [&, count](Index first, ValueRange carried) {
      SmallVector<Elements> loaded;
      SmallVector<Index> numbers;
      for (int64_t i = 0; i < count; ++i) {
        numbers.push_back(math.add(first, math.constant(i * threads)));
        loaded.push_back(load(numbers.back()));
      }
      State next{carried[0], carried[1]};
      for (auto [vector, values] : llvm::zip(numbers, loaded))
        next = update(next, extremeOf(values),
                      narrow(math.add(lead, math.mul(vector, v))));
      return SmallVector<Value>{next.extreme, next.at};
    };
  };
  Index step = math.constant(threads * vectorsInFlight);
  Index whole = math.mul(math.div(vectors, step), step);
  SmallVector<Value> found{state.extreme, state.at};
  found = e.reduceLoop(thread, whole, step, found, round(vectorsInFlight));
  found = e.reduceLoop(math.add(whole, thread), vectors, math.constant(threads),
                       found, round(1));
  return {found[0], found[1]};
}

/// The first place of the row's extreme among this thread's elements.
Value FirstPlaceEmitter::placeIn(State state, Value ofRow) {
  auto isExtreme = [&](Value value) -> Value {
    if (!isa<FloatType>(value.getType()))
      return arith::CmpIOp::create(b, loc, CmpIPredicate::eq, value, ofRow);
    Value equal =
        arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, value, ofRow);
    Value isNaN =
        arith::CmpFOp::create(b, loc, CmpFPredicate::UNO, value, value);
    return arith::OrIOp::create(b, loc, equal, isNaN);
  };
  Value none = number(std::numeric_limits<int32_t>::max());
  Value isAlone =
      arith::CmpIOp::create(b, loc, CmpIPredicate::slt, state.at, number(0));
  Value has = isExtreme(state.extreme);
  Value alone = kernel.select(arith::AndIOp::create(b, loc, has, isAlone),
                              inverted(state.at), none);
  Value isVector = arith::AndIOp::create(
      b, loc, has,
      arith::CmpIOp::create(b, loc, CmpIPredicate::sge, state.at, number(0)));
  return kernel
      .valuesWhere(
          isVector, 1, alone,
          [&] {
            Index at =
                arith::IndexCastUIOp::create(b, loc, b.getIndexType(), state.at)
                    .getResult();
            Value found = none;
            for (int64_t i = vectorSize - 1; i >= 0; --i) {
              SmallVector<Index> element(row);
              element.push_back(math.add(at, math.constant(i)));
              Value is = isExtreme(e.elements.emitOne(input, element));
              found = kernel.select(
                  is, arith::AddIOp::create(b, loc, state.at, number(i)),
                  found);
            }
            return Elements{found};
          })
      .front();
}

/// What all threads of the row have.
Value FirstPlaceEmitter::combine(linalg::GenericOp op, Value value,
                                 StringRef name) {
  if (threads <= 32)
    return kernel.reduceWarp(op, value, threads);
  Memory shared = kernel.sharedArray(name, value.getType(), {32});
  return kernel.reduceBlock(op, value, threads, shared);
}

void FirstPlaceEmitter::write(Value ofRow, Value at) {
  auto bind = [&](linalg::GenericOp op, Value value) {
    e.elements.bindSource(op.getResult(0), [value](ArrayRef<Index>, int64_t n) {
      return Elements(n, value);
    });
  };
  bind(extreme, ofRow);
  bind(place, at);
  Value writes = kernel.compare(CmpIPredicate::eq, thread, math.constant(0));
  if (isRow)
    writes = arith::AndIOp::create(b, loc, writes, isRow);
  e.when(writes, [&] {
    for (unsigned i = 0; i < e.numResults(); ++i) {
      SmallVector<Index> to(row);
      to.resize(e.results[i].sizes.size(), math.constant(0));
      e.emitResult(i, to);
    }
  });
}

void FirstPlaceEmitter::emit() {
  SmallVector<Index> loops(rowSizes);
  loops.push_back(length);
  kernel.streamArguments(loops);
  kernel.await();
  locate();
  State state = first();
  Index begin = math.add(lead, math.mul(vectors, math.constant(vectorSize)));
  bool hasEnds = math.factorOf(length) % vectorSize != 0;
  if (hasEnds)
    state = updateAlone(state, math.constant(0), lead);
  state = overVectors(state);
  if (hasEnds)
    state = updateAlone(state, begin, length);
  Value ofRow = combine(extreme, state.extreme, "extremes");
  write(ofRow, combine(place, placeIn(state, ofRow), "places"));
}

bool codegen::emitCUDAFirstPlace(CUDAKernel &kernel) {
  SmallVector<linalg::GenericOp> ops = kernel.e.reductions();
  if (ops.size() != 2 || !reducesRows(ops[0]) ||
      !isFirstPlace(ops[1], ops[0].getDpsInputs().front(), ops[0].getResult(0)))
    return false;
  // Results have an element for each row.
  const Memory *input = kernel.e.elements.memoryOf(ops[0].getDpsInputs()[0]);
  size_t rank = input ? input->sizes.size() : 0;
  bool isOfRows = llvm::all_of(kernel.e.results, [&](const Memory &result) {
    ArrayRef<Index> sizes(result.sizes);
    return rank > 0 && sizes.size() + 1 >= rank &&
           sizes.take_front(rank - 1) ==
               ArrayRef<Index>(input->sizes).drop_back() &&
           IndexMath::constantOf(
               kernel.e.math.product(sizes.drop_front(rank - 1))) == int64_t(1);
  });
  if (!isOfRows || input->packed)
    return false;
  FirstPlaceEmitter emitter(kernel, ops[0], ops[1]);
  if (!emitter.choose())
    return false;
  emitter.emit();
  return true;
}
