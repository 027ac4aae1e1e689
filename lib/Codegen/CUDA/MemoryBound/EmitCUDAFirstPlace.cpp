//===- EmitCUDAFirstPlace.cpp - CUDA code of argmax and argmin ------------===//
//
// The first place of the largest or smallest element of each row, NaN being the
// first choice, in one pass. A thread compares the extreme of each vector that
// it reads with the one it has, and notes where the vector was that beat it;
// the place within it is found in the end, by the threads that have the row's
// extreme. So an element costs its part of a packed maximum, and no comparison.
// A row that the threads hold in registers is loaded at once: none of it waits
// for another part, and no vector is read again.
//
// A row may begin and end within vectors: threads read the elements before its
// first vector and behind its last one alone.
//
//===----------------------------------------------------------------------===//

#include "FirstPlace.h"

#include "Codegen/CUDA/Common/EmitCUDA.h"
#include "Codegen/Emit/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Vectors that a thread loads before it uses them, where it holds none, and
/// threads of a multiprocessor that have registers for those that are held.
static constexpr int64_t vectorsInFlight = 4, residentThreads = 1024;
/// What a thread notes of single elements, where it notes the numbers of the
/// vectors that it holds.
static constexpr int64_t beforeVectors = -1, behindVectors = -2;

namespace {
class FirstPlaceEmitter {
public:
  FirstPlaceEmitter(CUDAKernel &kernel, linalg::GenericOp extreme,
                    linalg::GenericOp place)
      : kernel(kernel), e(kernel.e), math(e.math), b(e.b), loc(e.loc),
        extreme(extreme), place(place),
        input(cast<BlockArgument>(extreme.getDpsInputs().front())) {}

  /// False, and nothing emitted, where another form is better.
  bool choose();
  void emit();

private:
  /// The extreme that a thread has, and where: the first element of a vector,
  /// or -1 - i of element i alone. Where vectors are held: the number of one,
  /// or which single element.
  struct State {
    Value extreme, at;
  };
  /// What a thread has of a row: its vectors, and its elements before the row's
  /// first one and behind its last one.
  struct Held {
    /// The first vector, and whether there are such elements.
    Index first;
    Value isBefore, isBehind, before, behind;
    SmallVector<Elements> vectors;
  };
  void locate();
  RowFacts facts(ArrayRef<AffineExpr> sizes);
  std::pair<Value, Value> loadAlone(Index begin, Index end);
  Held hold();
  State update(const Held &held);
  Value placeIn(const Held &held, State state, Value ofRow);
  Elements unpacked(ArrayRef<Value> loaded);
  Value isExtreme(Value value, Value ofRow);
  void emitHeld();
  void emitLooping();
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
  /// Whether rows may begin or end within vectors.
  bool hasEnds() { return math.factorOf(length) % vectorSize != 0; }
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
  int64_t vectorSize = 1;
  FirstPlacePlan plan;
  SmallVector<Index> rowSizes, row;
  /// Of a row: its elements, those before its first vector, its vectors, and
  /// the first of them in the tensor.
  Index length, lead, vectors, firstVector;
  Index thread;
  Value isRow;
};
} // namespace

/// `sizes`: of the argument.
RowFacts FirstPlaceEmitter::facts(ArrayRef<AffineExpr> sizes) {
  Type element = e.elements.memoryOf(input)->elementType;
  RowFacts facts;
  facts.vectorSize = vectorSize;
  facts.columns = expectedSize(e.kernel, sizes.back());
  facts.rows =
      expectedSize(e.kernel, KernelEmission::product(sizes.drop_back(),
                                                     e.kernel.getContext()));
  std::optional<int64_t> known = IndexMath::constantOf(length);
  if (!known)
    facts.maxColumns = std::numeric_limits<int64_t>::max();
  facts.inner = known.value_or(0);
  facts.hasRuns = true;
  facts.elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  facts.bytes = facts.columns.value_or(0) * facts.elementBytes;
  facts.rowInputs = 1;
  facts.reductions = 2;
  return facts;
}

bool FirstPlaceEmitter::choose() {
  const Memory &memory = *e.elements.memoryOf(input);
  vectorSize = vectorSizeOf(e);
  ArrayRef<Index> sizes(memory.sizes);
  rowSizes.assign(sizes.drop_back());
  length = sizes.back();
  SmallVector<AffineExpr> exprs = e.tensorSizeExprs(input.getArgNumber());
  std::optional<FirstPlacePlan> planned =
      planFirstPlaces(facts(exprs), memory.elementType, kernel.chip);
  if (!planned)
    return false;
  plan = *planned;
  exprs.pop_back();
  AffineExpr count = KernelEmission::product(exprs, e.kernel.getContext());
  e.setConfig({count.ceilDiv(plan.rowsPerBlock)}, {plan.blockThreads(), 1, 1},
              0);
  if (plan.held > 0)
    kernel.residentBlocks = residentThreads / plan.blockThreads();
  return true;
}

/// The row of this thread, and its parts.
void FirstPlaceEmitter::locate() {
  Index id = kernel.threadId(), lanes = math.constant(plan.threads);
  Index v = math.constant(vectorSize), number = kernel.blockId();
  thread = math.rem(id, lanes);
  if (plan.rowsPerBlock > 1) {
    number = math.add(math.mul(number, math.constant(plan.rowsPerBlock)),
                      math.div(id, lanes));
    isRow = isBelow(number, math.product(rowSizes));
    number = kernel.clampTo(isRow, number);
  }
  row = math.delinearize(number, rowSizes);
  Index start = math.mul(number, length);
  firstVector = math.ceilDiv(start, v);
  lead = math.constant(0);
  if (hasEnds())
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
  Elements halves = unpacked(values);
  return e.combine(extreme, halves[0], halves[1]);
}

/// The elements of words of two, in the compute type.
Elements FirstPlaceEmitter::unpacked(ArrayRef<Value> loaded) {
  if (!isPacked())
    return Elements(loaded);
  auto pair = VectorType::get(2, e.elements.memoryOf(input)->elementType);
  Elements halves;
  for (Value word : loaded) {
    if (word.getType() != pair)
      word = LLVM::BitcastOp::create(b, loc, pair, word);
    for (int32_t i = 0; i < 2; ++i) {
      Value half = LLVM::ExtractElementOp::create(b, loc, word, number(i));
      halves.push_back(arith::ExtFOp::create(b, loc, b.getF32Type(), half));
    }
  }
  return halves;
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
        numbers.push_back(math.add(first, math.constant(i * plan.threads)));
        loaded.push_back(load(numbers.back()));
      }
      State next{carried[0], carried[1]};
      for (auto [vector, values] : llvm::zip(numbers, loaded))
        next = update(next, extremeOf(values),
                      narrow(math.add(lead, math.mul(vector, v))));
      return SmallVector<Value>{next.extreme, next.at};
    };
  };
  Index step = math.constant(plan.threads * vectorsInFlight);
  Index whole = math.mul(math.div(vectors, step), step);
  SmallVector<Value> found{state.extreme, state.at};
  found = e.reduceLoop(thread, whole, step, found, round(vectorsInFlight));
  found = e.reduceLoop(math.add(whole, thread), vectors,
                       math.constant(plan.threads), found, round(1));
  return {found[0], found[1]};
}

/// Whether `value` is the row's extreme, or is NaN.
Value FirstPlaceEmitter::isExtreme(Value value, Value ofRow) {
  if (!isa<FloatType>(value.getType()))
    return arith::CmpIOp::create(b, loc, CmpIPredicate::eq, value, ofRow);
  Value equal = arith::CmpFOp::create(b, loc, CmpFPredicate::OEQ, value, ofRow);
  Value isNaN = arith::CmpFOp::create(b, loc, CmpFPredicate::UNO, value, value);
  return arith::OrIOp::create(b, loc, equal, isNaN);
}

/// The first place of the row's extreme among this thread's elements.
Value FirstPlaceEmitter::placeIn(State state, Value ofRow) {
  Value none = number(std::numeric_limits<int32_t>::max());
  Value isAlone =
      arith::CmpIOp::create(b, loc, CmpIPredicate::slt, state.at, number(0));
  Value has = isExtreme(state.extreme, ofRow);
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
              Value is = isExtreme(e.elements.emitOne(input, element), ofRow);
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
  if (plan.threads <= 32)
    return kernel.reduceWarp(op, value, plan.threads);
  Memory shared = kernel.sharedArray(name, value.getType(), {32});
  return kernel.reduceBlock(op, value, plan.threads, shared);
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

//===----------------------------------------------------------------------===//
// Rows that threads hold
//===----------------------------------------------------------------------===//

/// This thread's element of those from `begin` to `end`, which are fewer than
/// threads, and whether there is one; else another element of the row.
std::pair<Value, Value> FirstPlaceEmitter::loadAlone(Index begin, Index end) {
  Index own = math.add(begin, thread);
  Value inside = isBelow(own, end);
  SmallVector<Index> at(row);
  at.push_back(kernel.clampTo(inside, own));
  return {inside, e.elements.emitOne(input, at)};
}

/// Loads this thread's part of the row. Instead of a vector that is not of the
/// row, a thread has its first one again, and one without any that of the first
/// thread: the same element twice is found where it is.
FirstPlaceEmitter::Held FirstPlaceEmitter::hold() {
  Held held;
  int64_t columns = *IndexMath::constantOf(length);
  int64_t least = hasEnds() ? (columns - vectorSize + 1) / vectorSize
                            : columns / vectorSize;
  held.first = plan.threads > least
                   ? kernel.clampTo(isBelow(thread, vectors), thread)
                   : thread;
  for (int64_t i = 0; i < plan.held; ++i) {
    Index vector = math.add(held.first, math.constant(i * plan.threads));
    if (i > 0 && (i + 1) * plan.threads > least)
      vector = kernel.select(isBelow(vector, vectors), math.value(vector),
                             math.value(held.first));
    held.vectors.push_back(load(vector));
  }
  if (!hasEnds())
    return held;
  Index end = math.add(lead, math.mul(vectors, math.constant(vectorSize)));
  std::tie(held.isBefore, held.before) = loadAlone(math.constant(0), lead);
  std::tie(held.isBehind, held.behind) = loadAlone(end, length);
  return held;
}

/// The extreme of what a thread holds, and the number of the vector, or of the
/// single element, that has it.
FirstPlaceEmitter::State FirstPlaceEmitter::update(const Held &held) {
  State state{e.initialValue(extreme), number(0)};
  if (held.before) {
    state.at = kernel.select(held.isBefore, number(beforeVectors), state.at);
    state.extreme = kernel.select(held.isBefore, held.before, state.extreme);
  }
  for (auto [i, vector] : llvm::enumerate(held.vectors))
    state = update(state, extremeOf(vector), number(i));
  // The extreme that the thread has is no better than itself.
  if (held.behind)
    state =
        update(state, kernel.select(held.isBehind, held.behind, state.extreme),
               number(behindVectors));
  return state;
}

/// The first place of the row's extreme in what this thread holds.
Value FirstPlaceEmitter::placeIn(const Held &held, State state, Value ofRow) {
  auto at = [&](int64_t value) -> Value {
    return arith::CmpIOp::create(b, loc, CmpIPredicate::eq, state.at,
                                 number(value));
  };
  auto find = [&] {
    SmallVector<Value> vector(held.vectors.front());
    Value begin = narrow(held.first);
    for (int64_t i = 1; i < plan.held; ++i) {
      Value isIt = at(i);
      Index own = math.add(held.first, math.constant(i * plan.threads));
      begin = kernel.select(isIt, narrow(own), begin);
      for (auto [value, other] : llvm::zip(vector, held.vectors[i]))
        value = kernel.select(isIt, other, value);
    }
    begin = arith::MulIOp::create(b, loc, begin, number(vectorSize));
    begin = arith::AddIOp::create(b, loc, begin, narrow(lead));
    Value found = number(std::numeric_limits<int32_t>::max());
    Elements values = unpacked(vector);
    for (int64_t i = vectorSize - 1; i >= 0; --i)
      found =
          kernel.select(isExtreme(values[i], ofRow),
                        arith::AddIOp::create(b, loc, begin, number(i)), found);
    if (held.before) {
      Index end = math.add(lead, math.mul(vectors, math.constant(vectorSize)));
      found = kernel.select(at(beforeVectors), narrow(thread), found);
      found = kernel.select(at(behindVectors), narrow(math.add(end, thread)),
                            found);
    }
    return Elements{found};
  };
  return kernel
      .valuesWhere(isExtreme(state.extreme, ofRow), 1,
                   number(std::numeric_limits<int32_t>::max()), find)
      .front();
}

void FirstPlaceEmitter::emitHeld() {
  Held held = hold();
  State state = update(held);
  Value ofRow = combine(extreme, state.extreme, "extremes");
  write(ofRow, combine(place, placeIn(held, state, ofRow), "places"));
}

void FirstPlaceEmitter::emitLooping() {
  State state = first();
  Index begin = math.add(lead, math.mul(vectors, math.constant(vectorSize)));
  if (hasEnds())
    state = updateAlone(state, math.constant(0), lead);
  state = overVectors(state);
  if (hasEnds())
    state = updateAlone(state, begin, length);
  Value ofRow = combine(extreme, state.extreme, "extremes");
  write(ofRow, combine(place, placeIn(state, ofRow), "places"));
}

void FirstPlaceEmitter::emit() {
  SmallVector<Index> loops(rowSizes);
  loops.push_back(length);
  kernel.streamArguments(loops);
  if (plan.held == 0) {
    kernel.await();
    locate();
    return emitLooping();
  }
  locate();
  kernel.await([&] { hold(); }, math.product(loops));
  emitHeld();
}

bool codegen::emitCUDAFirstPlace(CUDAKernel &kernel) {
  SmallVector<linalg::GenericOp> ops = kernel.e.reductions();
  if (!findsFirstPlaces(ops))
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
