//===- MmaAttention.cpp - Attention on the tensor cores of warps ----------===//
//
// A warp has 16 or 32 rows of queries. While it multiplies them with a block of
// keys, and what becomes of the scores with the values, the next block of both
// is being copied to shared memory. Scores, sums and the running maximum and
// sum stay in registers: what an instruction gives as results, two neighbours
// in a row, is what the next one takes as 16-bit factors.
//
// Shared memory is the limit: each warp reads all keys and values. 64 keys of
// 128 numbers and their values are 32 KiB for a warp, which shared memory
// delivers in 256 cycles (128 bytes a cycle); the tensor cores of a warp's
// quarter multiply 16 rows with them in about 208. Hence 32 rows, where there
// are as many and registers suffice.
//
//===----------------------------------------------------------------------===//

#include "AttentionWarp.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::mma;

//===----------------------------------------------------------------------===//
// Blocks of queries
//===----------------------------------------------------------------------===//

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(CUDAKernel &kernel, ElementType elementType,
                   int64_t fragments)
      : kernel(kernel), e(kernel.e), math(e.math), words(e), space(e),
        warp(kernel, space, elementType, fragments,
             std::max(Panel(space.depth).read, Panel(space.width).read) <= 128
                 ? 64
                 : 32) {}

  /// Whether a warp has rows, blocks, and registers for 32 rows.
  bool suitsPairs();
  int64_t sharedBytes() const {
    return std::max(queryBytes() + 2 * warp.stageBytes(),
                    blockRows() * warp.stagedFloats() * 4);
  }
  void emit();

private:
  /// What the loop over keys carries.
  struct State {
    AttentionWarp::State warp;
    /// Addresses: of the block of keys and values, and of the next one.
    Value stage, next;
  };
  Index constant(int64_t value) { return math.constant(value); }
  int64_t blockRows() const { return blockWarps * warp.warpRows(); }
  int64_t queryBytes() const { return blockRows() * warp.depth.lineBytes; }
  SmallVector<Value> pack(const State &state) const;
  State unpack(ValueRange all) const;

  void locate();
  State start();
  void takeKeys(State &state, Index first, bool areOfAll);
  SmallVector<Value> takeRange(Index from, Index to, bool areOfAll,
                               ValueRange carried);
  void finish(const State &state);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  Words words;
  AttentionSpace space;
  AttentionWarp warp;
  Value query;
  AttentionSpace::Block block;
  Index thread, lane, warpRow;
};
} // namespace

/// Sums and scores of 32 rows take 4 registers a column and key. A block a
/// multiprocessor is the least that pays.
bool AttentionEmitter::suitsPairs() {
  if (std::max(warp.depth.read, warp.width.read) > 128)
    return false;
  std::optional<int64_t> rows = IndexMath::constantOf(space.rows);
  if (rows && *rows <= blockWarps * fragmentRows)
    return false;
  auto blocks = dyn_cast<AffineConstantExpr>(
      space.numBlocks(2 * blockWarps * fragmentRows));
  return !blocks || blocks.getValue() >= kernel.chip.multiprocessors;
}

SmallVector<Value> AttentionEmitter::pack(const State &state) const {
  SmallVector<Value> all = warp.pack(state.warp);
  all.append({state.stage, state.next});
  return all;
}

AttentionEmitter::State AttentionEmitter::unpack(ValueRange all) const {
  size_t values = all.size() - 2;
  return {warp.unpack(all.take_front(values)), all[values], all[values + 1]};
}

void AttentionEmitter::locate() {
  query = sharedAddress(kernel);
  thread = kernel.threadId();
  lane = math.rem(thread, constant(32));
  warpRow = math.mul(math.div(thread, constant(32)), constant(warp.warpRows()));
  block = space.blockAt(kernel.blockId(), blockRows());
  warp.locate(block, query, warpRow);
}

AttentionEmitter::State AttentionEmitter::start() {
  State state{warp.start(), words.add(query, queryBytes()), Value()};
  state.next = words.add(state.stage, warp.stageBytes());
  warp.startQuery(blockRows(), attentionThreads);
  warp.startKeys(state.stage, space.firstKey(block, warp.keys), block.end,
                 thread, attentionThreads);
  return state;
}

void AttentionEmitter::takeKeys(State &state, Index first, bool areOfAll) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, 0);
  // All have copied these keys, and have read what the next ones overwrite.
  kernel.barrier();
  warp.startKeys(state.next, math.add(first, constant(warp.keys)), block.end,
                 thread, attentionThreads);
  warp.take(state.warp, state.stage, first, areOfAll);
  std::swap(state.stage, state.next);
}

/// The keys between two multiples of a block of keys.
SmallVector<Value> AttentionEmitter::takeRange(Index from, Index to,
                                               bool areOfAll,
                                               ValueRange carried) {
  return e.reduceLoop(from, to, constant(warp.keys), carried,
                      [&](Index first, ValueRange carried) {
                        State state = unpack(carried);
                        takeKeys(state, first, areOfAll);
                        return pack(state);
                      });
}

//===-- results -----------------------------------------------------------===//

/// Each warp brings its rows to shared memory, so that a thread gets neighbours
/// of a row.
void AttentionEmitter::finish(const State &state) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, 0);
  kernel.barrier();
  SmallVector<Value> results(state.warp.sums);
  SmallVector<Value> divisors;
  for (Value total : warp.rowTotals(state.warp))
    divisors.push_back(space.divisor(total));
  for (auto [i, result] : llvm::enumerate(results))
    result = arith::DivFOp::create(e.b, e.loc, result,
                                   divisors[warp.rowOf(i, warp.width.read)]);
  Value own =
      words.add(query, words.mul(words.of(warpRow), warp.stagedFloats() * 4));
  size_t sumsOfFragment = results.size() / warp.fragments;
  for (int64_t fragment = 0; fragment < warp.fragments; ++fragment)
    storeFragments(
        kernel,
        ArrayRef(results).slice(fragment * sumsOfFragment, sumsOfFragment),
        words.add(own, fragment * fragmentRows * warp.stagedFloats() * 4),
        warp.stagedFloats());
  NVVM::SyncWarpOp::create(e.b, e.loc, words.constant(-1));
  Memory staging{words.pointer(own),
                 e.b.getF32Type(),
                 {constant(warp.warpRows()), constant(warp.stagedFloats())},
                 16,
                 false};
  int64_t vectorSize = std::gcd(space.width, perPiece);
  int64_t runs = space.width / vectorSize;
  e.loop(lane, constant(warp.warpRows() * runs), constant(32), [&](Index run) {
    Index row = math.div(run, constant(runs));
    Index column =
        math.mul(math.rem(run, constant(runs)), constant(vectorSize));
    Index number = math.add(math.add(block.firstRow, warpRow), row);
    Value inside =
        kernel.compare(arith::CmpIPredicate::ult, number, space.rows);
    e.when(inside, [&] {
      Elements values = e.elements.load(staging, {row, column}, vectorSize);
      SmallVector<Index> at =
          space.ofQuery(block, space.rowAt(block, number), column);
      bindNeighbours(kernel, space.op.getResult(), values, at);
      e.emitResults(at, vectorSize);
    });
  });
}

void AttentionEmitter::emit() {
  e.setConfig({space.numBlocks(blockRows())}, {attentionThreads, 1, 1},
              sharedBytes());
  kernel.await();
  locate();
  Index each = constant(warp.keys), first = space.firstKey(block, warp.keys);
  Index whole = first, rest = math.mul(math.div(block.endOfAll, each), each);
  if (space.op.getWindowLeft()) {
    whole =
        math.max(first, math.mul(math.ceilDiv(block.firstOfAll, each), each));
    rest = math.max(whole, rest);
  }
  SmallVector<Value> state = pack(start());
  // Sizes that are known leave one of the loops.
  auto take = [&](Index from, Index to, bool areOfAll) {
    std::optional<int64_t> begin = IndexMath::constantOf(from);
    if (!begin || begin != IndexMath::constantOf(to))
      state = takeRange(from, to, areOfAll, state);
  };
  if (space.op.getWindowLeft())
    take(first, math.min(whole, block.end), false);
  take(whole, rest, true);
  take(rest, block.end, false);
  finish(unpack(state));
}

bool codegen::emitMmaAttention(CUDAKernel &kernel) {
  Type element = elementTypeOf(kernel.e.attention().getQuery());
  if (!kernel.chip.hasMma() || !(element.isF16() || element.isBF16()))
    return false;
  auto type = element.isF16() ? ElementType::F16 : ElementType::BF16;
  for (int64_t fragments : {2, 1}) {
    AttentionEmitter emitter(kernel, type, fragments);
    if (fragments > 1 && !emitter.suitsPairs())
      continue;
    if (emitter.sharedBytes() + kernel.chip.reservedBytes >
        kernel.chip.sharedBytes)
      continue;
    emitter.emit();
    return true;
  }
  return false;
}
