//===- WgmmaStreamK.cpp - Stream-K: equal shares of the last tiles --------===//
//
// Tiles seldom fill whole waves of blocks. The tiles of one to two waves are
// therefore cut along K: their k-blocks, one tile's after the other's, are
// dealt out as one run of equal length to each worker, a worker being a
// cluster. What is left are whole waves, a tile for each worker, which follow
// the cut tiles.
//
// A tile is finished by the worker that has its first k-block, its owner.
// Others leave their sums in global memory, each in a place of its own, and
// raise a flag; the owner adds them in the order of K, so that the bits are the
// same every time.
//
// The waits cannot deadlock. A worker leaves sums only for the first tile of
// its run, and it multiplies that tile before it waits for anything. It waits
// only for workers whose runs follow its own, and these are blocks with lower
// numbers: the GPU has started them earlier, even if it has room for few blocks
// at a time.
//
// Flags are zero when a kernel starts. Each has one writer and one reader, who
// clears it, so that they are zero again for the next launch, and when a graph
// is replayed. All of this is behind the wait for the kernel's predecessor.
//
//===----------------------------------------------------------------------===//

#include "WgmmaEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// K-blocks that a worker has at least of the cut tiles, on average: the sums
/// of a tile are not moved for less.
static constexpr int64_t leastShare = 4;
/// Workers that may share a tile, one of which reads the sums of all.
static constexpr int64_t maxSharers = 8;

StreamKShares::StreamKShares(int64_t groups, int64_t kBlocks, int64_t clusters)
    : kBlocks(kBlocks),
      workers(std::max<int64_t>(1, std::min({clusters, groups * maxSharers,
                                             groups * kBlocks / leastShare}))),
      whole(std::max<int64_t>(0, groups / workers - 1)),
      cut(groups - whole * workers) {}

StreamKShares WgmmaSchedule::shares() const {
  int64_t rows = llvm::divideCeil(extent(m, 1), tileM * clusterM);
  int64_t columns = llvm::divideCeil(extent(n, 1), partN() * clusterN);
  return StreamKShares(extent(batch, 1) * rows * columns,
                       llvm::divideCeil(extent(k, 1), tileK()),
                       residentClusters(cluster()));
}

SmallVector<int64_t> WgmmaSchedule::workspace() const {
  if (!streamK)
    return {};
  int64_t blocks = shares().workers * cluster();
  return {blocks * tileM * tileN * 4, blocks * consumers() * 4};
}

Value WgmmaEmitter::isBelow(Index x, Index y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x),
                               math.value(y));
}

Index WgmmaEmitter::select(Value condition, Index x, Index y) {
  return arith::SelectOp::create(b, loc, condition, math.value(x),
                                 math.value(y))
      .getResult();
}

/// The first k-block of worker `number`, counted over all cut tiles. The first
/// workers have a k-block more than the others.
Index WgmmaEmitter::firstKBlock(Index number) {
  StreamKShares of = schedule.shares();
  int64_t total = of.cut * of.kBlocks;
  return math.add(math.mul(number, math.constant(total / of.workers)),
                  math.min(number, math.constant(total % of.workers)));
}

/// The worker that has k-block `kBlock` of the cut tiles.
Index WgmmaEmitter::workerOf(Index kBlock) {
  StreamKShares of = schedule.shares();
  int64_t total = of.cut * of.kBlocks;
  int64_t least = total / of.workers, longer = total % of.workers;
  Index rest = math.constant(longer * (least + 1));
  // Both are computed; the one that does not apply means nothing.
  Index beyond = math.sub(math.max(kBlock, rest), rest);
  return select(
      isBelow(kBlock, rest), math.div(kBlock, math.constant(least + 1)),
      math.add(math.constant(longer), math.div(beyond, math.constant(least))));
}

/// Makes tile `i` of this worker the current one: its first `cut` tiles are cut
/// ones, of which it has k-blocks from `begin` to `end`.
void WgmmaEmitter::takeShare(Index i, Index cut, Index begin, Index end) {
  StreamKShares of = schedule.shares();
  Index kBlocks = math.constant(of.kBlocks), one = math.constant(1);
  Index kBlock = math.constant(schedule.tileK());
  auto beyond = [&](Index x, Index y) { return math.sub(math.max(x, y), y); };
  Value isCut = isBelow(i, cut);
  Index tile = math.add(math.div(begin, kBlocks), i);
  Index ofTile = math.mul(tile, kBlocks);
  Index from = select(isCut, beyond(begin, ofTile), math.constant(0));
  Index to = select(isCut, math.min(beyond(end, ofTile), kBlocks), kBlocks);
  Index wave = math.mul(beyond(i, cut), math.constant(of.workers));
  Index whole = math.add(math.constant(of.cut), math.add(worker, wave));
  Index last = workerOf(math.sub(math.add(ofTile, kBlocks), one));
  share.begin = math.mul(from, kBlock);
  share.size = math.mul(math.sub(to, from), kBlock);
  share.owns = isBelow(from, one);
  share.last = select(isBelow(to, kBlocks), last, worker);
  locate(select(isCut, tile, whole));
}

/// The k-blocks of the cut tiles that this worker has, from the first to the
/// end, and how many of these tiles.
std::array<Index, 3> WgmmaEmitter::ownShares() {
  StreamKShares of = schedule.shares();
  Index kBlocks = math.constant(of.kBlocks), one = math.constant(1);
  Index block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x).getResult();
  worker = math.sub(math.constant(of.workers - 1),
                    math.div(block, math.constant(schedule.cluster())));
  Index begin = firstKBlock(worker), end = firstKBlock(math.add(worker, one));
  return {begin, end,
          math.sub(math.ceilDiv(end, kBlocks), math.div(begin, kBlocks))};
}

/// The cut tiles that this worker has k-blocks of, then its whole tiles.
void WgmmaEmitter::forEachShare(RingPosition start, TileBody body) {
  auto [begin, end, cut] = ownShares();
  int64_t whole = schedule.shares().whole;
  e.reduceLoop(
      math.constant(0), math.add(cut, math.constant(whole)), math.constant(1),
      {start.stage, start.parity},
      [&, begin = begin, end = end, cut = cut](Index i, ValueRange carried) {
        isFirstTile = isBelow(i, math.constant(1));
        takeShare(i, cut, begin, end);
        RingPosition next = body({carried[0], carried[1]});
        return SmallVector<Value>{next.stage, next.parity};
      });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Number of this consumer of worker `number` among all consumers.
Value WgmmaEmitter::consumerOf(Index number) {
  Value ofBlock = toI32(
      math.add(math.mul(number, math.constant(schedule.cluster())), rank));
  return add(mul(ofBlock, schedule.consumers()), consumer);
}

/// Where this thread's sums lie that worker `number` leaves. Four neighbours
/// among its sums are 16 bytes, and those of the next thread follow.
Value WgmmaEmitter::sumsAt(Index number) {
  int64_t bytes = schedule.tileM * schedule.tileN * 4 / schedule.consumers();
  Type wide = b.getI64Type();
  auto extend = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, loc, wide, value);
  };
  Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes));
  Value offset =
      arith::MulIOp::create(b, loc, extend(consumerOf(number)), size);
  Value ofThread =
      mul(toI32(math.rem(thread, math.constant(128))), 4 * sizeof(float));
  offset = arith::AddIOp::create(b, loc, offset, extend(ofThread));
  return LLVM::GEPOp::create(b, loc, workspace[0].getType(), b.getI8Type(),
                             workspace[0], ArrayRef<LLVM::GEPArg>{offset});
}

Value WgmmaEmitter::flagOf(Index number) {
  Value offset = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                        mul(consumerOf(number), 4));
  return LLVM::GEPOp::create(b, loc, workspace[1].getType(), b.getI8Type(),
                             workspace[1], ArrayRef<LLVM::GEPArg>{offset});
}

/// Calls `use` with the place of each four neighbours among `sums`, counted
/// over all groups of rows, from `from` on.
void WgmmaEmitter::forEachQuad(
    ValueRange sums, Value from,
    llvm::function_ref<void(size_t group, int64_t first, Value place)> use) {
  int64_t quad = 0;
  for (auto [group, accumulators] : llvm::enumerate(sums)) {
    auto type = cast<LLVM::LLVMStructType>(accumulators.getType());
    for (int64_t i = 0; i < int64_t(type.getBody().size()); i += 4, ++quad) {
      int32_t offset = quad * 128 * 4 * sizeof(float);
      Value place = LLVM::GEPOp::create(b, loc, from.getType(), b.getI8Type(),
                                        from, ArrayRef<LLVM::GEPArg>{offset});
      use(group, i, place);
    }
  }
}

/// Finishes the tile, with what others left of it, or leaves the sums to its
/// owner.
void WgmmaEmitter::finishShare(ValueRange sums) {
  Value leaves = arith::XOrIOp::create(
      b, loc, share.owns,
      arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  e.when(leaves, [&] { leaveSums(sums); });
  e.when(share.owns, [&] { storeTile(reduceShares(sums)); });
}

/// The barrier orders the stores of all threads before the one of the flag,
/// whose release makes them visible to the GPU.
void WgmmaEmitter::leaveSums(ValueRange sums) {
  auto type = VectorType::get({4}, sumType());
  forEachQuad(sums, sumsAt(worker), [&](size_t group, int64_t first, Value to) {
    Elements elements;
    for (int64_t i = first; i < first + 4; ++i)
      elements.push_back(LLVM::ExtractValueOp::create(b, loc, sums[group],
                                                      ArrayRef<int64_t>{i}));
    Value quad = vector::FromElementsOp::create(b, loc, type, elements);
    LLVM::StoreOp::create(b, loc, quad, to, 16);
  });
  syncConsumer();
  e.when(isFirstOfConsumer(), [&] {
    LLVM::InlineAsmOp::create(
        b, loc, TypeRange(), ValueRange{flagOf(worker)},
        "fence.acq_rel.gpu;\nst.release.gpu.global.u32 [$0], 1;", "l,~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  });
}

/// Waits for the flag of worker `number`, and clears it: nobody else reads it.
/// A flag that never comes, after a minute or so, ends the kernel with an error
/// instead of keeping the GPU.
void WgmmaEmitter::awaitSums(Index number) {
  e.when(isFirstOfConsumer(), [&] {
    LLVM::InlineAsmOp::create(
        b, loc, TypeRange(), ValueRange{flagOf(number)},
        "{\n.reg .pred done, late;\n.reg .b32 flag, looks;\n"
        "mov.b32 looks, 0;\n"
        "LOOK: ld.acquire.gpu.global.u32 flag, [$0];\n"
        "setp.ne.u32 done, flag, 0;\n"
        "@done bra DONE;\n"
        "add.u32 looks, looks, 1;\n"
        "setp.gt.u32 late, looks, 0x4000000;\n"
        "@late trap;\n"
        "bra LOOK;\n"
        "DONE: st.relaxed.gpu.global.u32 [$0], 0;\n}",
        "l,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  });
  syncConsumer();
}

/// `sums` and those that the workers behind this one left, in their order.
SmallVector<Value> WgmmaEmitter::reduceShares(ValueRange sums) {
  Index one = math.constant(1);
  auto type = VectorType::get({4}, sumType());
  return e.reduceLoop(
      math.add(worker, one), math.add(share.last, one), one, sums,
      [&](Index number, ValueRange carried) {
        awaitSums(number);
        SmallVector<Value> joined(carried);
        forEachQuad(
            carried, sumsAt(number),
            [&](size_t group, int64_t first, Value from) {
              Value found = LLVM::LoadOp::create(b, loc, type, from, 16);
              for (int64_t i = 0; i < 4; ++i) {
                Value theirs = vector::ExtractOp::create(b, loc, found, i);
                Value ours = LLVM::ExtractValueOp::create(
                    b, loc, carried[group], ArrayRef<int64_t>{first + i});
                joined[group] = LLVM::InsertValueOp::create(
                    b, loc, joined[group], addSum(ours, theirs),
                    ArrayRef<int64_t>{first + i});
              }
            });
        return joined;
      });
}
