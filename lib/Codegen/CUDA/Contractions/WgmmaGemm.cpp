//===- WgmmaGemm.cpp - Contractions on Hopper's tensor cores --------------===//
//
// Shared memory: a ring of k-blocks of A and of B, a staging area for the
// epilogue of each consumer, and two barriers for each k-block: full (the
// copies arrived) and empty (the consumers are done). Blocks are persistent:
// they take one tile after another, or equal shares of all (WgmmaStreamK.cpp).
// Blocks that split K have one tile each.
//
//===----------------------------------------------------------------------===//

#include "OperandSource.h"
#include "WgmmaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::wgmma;

RingPosition WgmmaEmitter::next(RingPosition position) {
  Value following = add(position.stage, i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      following, i32(schedule.stages));
  Value flipped = arith::XOrIOp::create(b, loc, position.parity, i32(1));
  return {arith::SelectOp::create(b, loc, wraps, i32(0), following),
          arith::SelectOp::create(b, loc, wraps, flipped, position.parity)};
}

/// The position `kBlocks` further on.
RingPosition WgmmaEmitter::skip(RingPosition position, Value kBlocks) {
  Value total = add(position.stage, kBlocks);
  Value rounds = arith::DivUIOp::create(b, loc, total, i32(schedule.stages));
  Value odd = arith::AndIOp::create(b, loc, rounds, i32(1));
  return {arith::RemUIOp::create(b, loc, total, i32(schedule.stages)),
          arith::XOrIOp::create(b, loc, position.parity, odd)};
}

void WgmmaEmitter::initialiseBarriers() {
  Value first =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            math.value(thread), math.value(math.constant(0)));
  e.when(first, [&] {
    for (int64_t stage = 0; stage < schedule.stages; ++stage) {
      NVVM::MBarrierInitOp::create(b, loc, fullBarrier(i32(stage)), i32(1),
                                   Value());
      // One arrival for each warp that reads a k-block.
      int64_t readers = schedule.pingPong ? 1 : schedule.consumers();
      NVVM::MBarrierInitOp::create(b, loc, emptyBarrier(i32(stage)),
                                   i32(4 * readers * schedule.sharers()),
                                   Value());
    }
    initialiseSources();
    initialiseExchanges();
    if (schedule.splitsK())
      NVVM::MBarrierInitOp::create(b, loc, sumsBarrier(), i32(1), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
  });
  gpu::BarrierOp::create(b, loc);
  // The fence orders what others need.
  syncCluster(/*ordersMemory=*/false);
}

/// What threads wrote to shared memory is there for TMA and matrix
/// instructions.
void WgmmaEmitter::fenceAsync() {
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// All threads of all blocks of the cluster. To order memory, every thread
/// waits first until what it stored is visible to the whole GPU.
void WgmmaEmitter::syncCluster(bool ordersMemory) {
  if (schedule.cluster() == 1)
    return;
  if (ordersMemory)
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  else
    NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

/// The tiles of this block from its tile number `first` on, every `step`-th.
void WgmmaEmitter::forEachTile(
    Index first, int64_t step, RingPosition start,
    llvm::function_ref<RingPosition(RingPosition)> body) {
  if (schedule.streamK)
    return forEachShare(start, body);
  Index groups =
      math.mul(space.sizeOf(schedule.batch), math.mul(groupsM, groupsN));
  int64_t clusters = residentClusters(schedule.cluster());
  Index block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x).getResult();
  Index own = math.div(block, math.constant(schedule.cluster()));
  if (schedule.splitsK()) {
    isFirstTile = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    locate(own);
    body(start);
    return;
  }
  Index begin = math.add(own, math.mul(first, math.constant(clusters)));
  e.reduceLoop(begin, groups, math.constant(clusters * step),
               {start.stage, start.parity, i32(0)},
               [&](Index tile, ValueRange carried) {
                 locate(tile);
                 isFirstTile = isBelow(tile, math.constant(clusters));
                 tileNumber = carried[2];
                 RingPosition end = body({carried[0], carried[1]});
                 return SmallVector<Value>{end.stage, end.parity,
                                           add(carried[2], i32(1))};
               });
}

/// Quotient of numbers of tiles, which are below 2^32. The assembler calls a
/// function for quotients of 64 and of 16 bits, and in a function with calls it
/// serialises matrix instructions: the divisor's range is hidden from LLVM,
/// which would make 32 bits 16.
Index WgmmaEmitter::divideTiles(Index a, Index divisor) {
  if (IndexMath::constantOf(divisor))
    return math.div(a, divisor);
  Value hidden = hideFromLLVM(b, loc, toI32(divisor));
  Value quotient = arith::DivUIOp::create(b, loc, toI32(a), hidden);
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), quotient)
      .getResult();
}

/// Where this block lies in its cluster of `clusterM` x `clusterN`.
Index WgmmaEmitter::rankRow() {
  return schedule.clusterM == 1
             ? math.constant(0)
             : math.div(rank, math.constant(schedule.clusterN));
}
Index WgmmaEmitter::rankColumn() {
  return schedule.clusterN == 1
             ? math.constant(0)
             : math.rem(rank, math.constant(schedule.clusterN));
}

/// Where this block's tile of the cluster's group `tile` lies. Groups go in an
/// order where `groupRows` rows of them are walked column by column.
void WgmmaEmitter::locate(Index tile) {
  Index plane = math.mul(groupsM, groupsN);
  bool single = IndexMath::constantOf(space.sizeOf(schedule.batch)) == 1;
  tileBatch = single ? math.constant(0) : divideTiles(tile, plane);
  Index inPlane = math.sub(tile, math.mul(tileBatch, plane));
  Index band = math.mul(math.constant(groupRows), groupsN);
  Index bands = divideTiles(inPlane, band);
  Index firstRow = math.mul(bands, math.constant(groupRows));
  Index rows = math.min(math.constant(groupRows), math.sub(groupsM, firstRow));
  Index inBand = math.sub(inPlane, math.mul(bands, band));
  Index column = divideTiles(inBand, rows);
  Index row = math.add(firstRow, math.sub(inBand, math.mul(column, rows)));
  row = math.add(math.mul(row, math.constant(schedule.clusterM)), rankRow());
  column = math.add(math.mul(column, math.constant(schedule.clusterN)),
                    rankColumn());
  rowBegin = math.mul(row, math.constant(schedule.tileM));
  columnBegin = math.mul(column, math.constant(schedule.stepN()));
}

/// What this block multiplies of K: where it begins, and how much it is. Blocks
/// that split K get as many k-blocks each, or one more: never none, which keeps
/// what is known of the accumulators in one place.
std::pair<Index, Index> WgmmaEmitter::kRange() {
  Index size = space.sizeOf(schedule.k);
  if (schedule.streamK)
    return {share.begin, share.size};
  if (!schedule.splitsK())
    return {math.constant(0), size};
  int64_t kBlocks =
      llvm::divideCeil(*IndexMath::constantOf(size), schedule.tileK());
  Index maximum = math.constant(kBlocks % schedule.split);
  Index least = math.constant(kBlocks / schedule.split);
  Index kBlock = math.constant(schedule.tileK());
  Value hasMore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        math.value(rank), math.value(maximum));
  Index more =
      arith::ExtUIOp::create(b, loc, b.getI32Type(), hasMore).getResult();
  more =
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), math.value(more))
          .getResult();
  Index begin = math.add(math.mul(rank, least), math.min(rank, maximum));
  return {math.mul(begin, kBlock), math.mul(math.add(least, more), kBlock)};
}

//===----------------------------------------------------------------------===//
// The producer
//===----------------------------------------------------------------------===//

void WgmmaEmitter::produce() {
  inOneThread(e, warp, /*number=*/0, [&] {
    if (stagesAhead() > 0) {
      copyAhead();
      await();
    }
    forEachTile(math.constant(0), 1, {i32(0), i32(0)},
                [&](RingPosition p) { return produceTile(p); });
  });
}

/// Until the kernels in front have ended.
void WgmmaEmitter::await() {
  awaitPredecessors(e);
  releaseDependents(e);
}

/// Makes the first tile of this block the current one. Returns how many
/// k-blocks it has: none where there is no such tile.
Index WgmmaEmitter::locateFirst() {
  Index block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x).getResult();
  Index own = math.div(block, math.constant(schedule.cluster()));
  if (schedule.streamK) {
    auto [begin, end, cut] = ownShares();
    takeShare(math.constant(0), cut, begin, end);
  } else {
    locate(own);
  }
  Index kBlocks =
      math.ceilDiv(kRange().second, math.constant(schedule.tileK()));
  if (schedule.streamK || schedule.splitsK())
    return kBlocks;
  Index groups =
      math.mul(space.sizeOf(schedule.batch), math.mul(groupsM, groupsN));
  return select(isBelow(own, groups), kBlocks, math.constant(0));
}

/// `k` of the `size` elements of K that a tile is made of, in the order in
/// which k-blocks are copied. Clusters side by side begin with different ones,
/// where all would read the same few lines of A at the same time; with stream-K
/// they do so anyway.
Index WgmmaEmitter::rotated(Index k, Index size) {
  auto known = IndexMath::constantOf(space.sizeOf(schedule.k));
  int64_t kBlocks = known ? *known / schedule.tileK() / schedule.split : 0;
  if (!schedule.swapAB || schedule.streamK || kBlocks < 2)
    return k;
  Index column = math.div(columnBegin,
                          math.constant(schedule.partN() * schedule.clusterN));
  Index first = math.mul(math.rem(column, math.constant(kBlocks)),
                         math.constant(schedule.tileK()));
  Index end = math.mul(math.ceilDiv(size, math.constant(schedule.tileK())),
                       math.constant(schedule.tileK()));
  Index at = math.add(k, first);
  Index before = math.sub(math.max(at, end), end);
  return select(isBelow(at, end), at, before);
}

RingPosition WgmmaEmitter::produceTile(RingPosition position) {
  auto [begin, size] = kRange();
  SmallVector<Value> last = e.reduceLoop(
      math.constant(0), size, math.constant(schedule.tileK()),
      {position.stage, position.parity},
      [&, begin = begin, size = size](Index k, ValueRange carried) {
        RingPosition at{carried[0], carried[1]};
        fillStage(at, k, math.add(begin, rotated(k, size)));
        RingPosition following = next(at);
        return SmallVector<Value>{following.stage, following.parity};
      });
  return {last[0], last[1]};
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void WgmmaEmitter::emit(LLVM::GlobalOp shared) {
  groupsM = math.ceilDiv(space.sizeOf(schedule.m),
                         math.constant(schedule.tileM * schedule.clusterM));
  groupsN = math.ceilDiv(space.sizeOf(schedule.n),
                         math.constant(schedule.partN() * schedule.clusterN));
  if (schedule.overlap)
    groupsN = math.constant(schedule.tilesN());
  rank = math.rem(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x).getResult(),
                  math.constant(schedule.cluster()));
  base = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                  LLVM::AddressOfOp::create(b, loc, shared));
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x).getResult();
  clearRows();
  initialiseBarriers();
  if (stagesAhead() == 0)
    await();
  warp = warpNumber(e, thread);
  Value group = arith::ShRUIOp::create(b, loc, warp, i32(2));
  Value producer =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group, i32(0));
  auto roles = scf::IfOp::create(b, loc, producer, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  std::optional<RoleRegisters> moved = roleRegisters(schedule.consumers());
  {
    ElementEmitter::Scope scope(e.elements);
    b.setInsertionPoint(roles.thenBlock()->getTerminator());
    if (moved)
      NVVM::SetMaxRegisterOp::create(b, loc, moved->producer,
                                     NVVM::SetMaxRegisterAction::decrease);
    produce();
  }
  {
    ElementEmitter::Scope scope(e.elements);
    b.setInsertionPoint(roles.elseBlock()->getTerminator());
    if (moved)
      NVVM::SetMaxRegisterOp::create(b, loc, moved->consumer,
                                     NVVM::SetMaxRegisterAction::increase);
    if (stagesAhead() > 0)
      await();
    consumer = arith::SubIOp::create(b, loc, group, i32(1));
    consume();
  }
  // No block may end while others still write to its shared memory, or read
  // what it sent. Sums have arrived, so that nothing needs to be ordered. What
  // is sent for a norm has been waited for.
  b.setInsertionPointAfter(roles);
  if (!schedule.hasNorm())
    syncCluster(/*ordersMemory=*/!schedule.splitsK());
}

static LLVM::LLVMFuncOp declareWithMaps(kernel::FuncOp kernel, OpBuilder &b,
                                        unsigned pointers, unsigned sizes,
                                        unsigned maps, int64_t threads) {
  MLIRContext *context = b.getContext();
  Type global = LLVM::LLVMPointerType::get(context, 1);
  SmallVector<Type> types(pointers, global);
  types.append(sizes, b.getI64Type());
  types.append(maps, LLVM::LLVMPointerType::get(context));
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto func =
      LLVM::LLVMFuncOp::create(b, kernel.getLoc(), kernel.getSymName(), type);
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                b.getI32IntegerAttr(1));
  describePointers(kernel, func);
  Type bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  for (unsigned i = pointers + sizes; i < types.size(); ++i) {
    func.setArgAttr(i, "llvm.byval", TypeAttr::get(bytes));
    func.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(64));
    func.setArgAttr(i, "nvvm.grid_constant", b.getUnitAttr());
  }
  return func;
}

FunctionWithMaps codegen::openWithMaps(kernel::FuncOp kernel, OpBuilder &b,
                                       unsigned pointers, unsigned sizes,
                                       unsigned maps, int64_t threads) {
  Location loc = kernel.getLoc();
  auto shared = LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), false,
      LLVM::Linkage::External, (kernel.getSymName() + "_shared").str(),
      Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  LLVM::LLVMFuncOp function =
      declareWithMaps(kernel, b, pointers, sizes, maps, threads);
  Block *body = function.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  auto end = LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPoint(end);
  ValueRange arguments = body->getArguments();
  SmallVector<Value> indices;
  for (Value size : arguments.slice(pointers, sizes))
    indices.push_back(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), size));
  return {function, shared, arguments.take_front(pointers), indices,
          arguments.drop_front(pointers + sizes)};
}

/// A tensor map whose boxes have rows of 128 bytes, or 64, and that swizzle.
static kernel::TensorMapAttr swizzledMap(KernelEmission &e, int64_t tensor,
                                         ArrayRef<AffineExpr> dims,
                                         ArrayRef<AffineExpr> strides,
                                         ArrayRef<int64_t> box,
                                         int64_t swizzle = 128) {
  MLIRContext *context = e.kernel.getContext();
  unsigned symbols = llvm::count_if(e.kernel.getFunctionType().getInputs(),
                                    [](Type type) { return type.isIndex(); });
  return kernel::TensorMapAttr::get(
      context, tensor, AffineMap::get(0, symbols, dims, context),
      AffineMap::get(0, symbols, strides, context), box, swizzle);
}

/// The tensor map of an operand: K-contiguous, boxes of a k-block's K x `rows`;
/// otherwise of 64 rows x a k-block's K.
static kernel::TensorMapAttr operandMap(KernelEmission &e,
                                        const WgmmaSchedule &schedule,
                                        const WgmmaOperand &operand,
                                        int64_t rows) {
  MLIRContext *context = e.kernel.getContext();
  SmallVector<AffineExpr> sizes = e.tensorSizeExprs(operand.buffer);
  unsigned first = operand.batched ? schedule.batch.size() : 0;
  ArrayRef<AffineExpr> batch = ArrayRef<AffineExpr>(sizes).take_front(first);
  AffineExpr row = sizes.back() * schedule.elementBytes;
  AffineExpr outer = KernelEmission::product(
      ArrayRef<AffineExpr>(sizes).drop_front(first).drop_back(), context);
  SmallVector<AffineExpr> dims = {sizes.back(), outer}, strides = {row};
  if (operand.innerEnd >= 0)
    dims[0] = e.constantExpr(operand.innerEnd);
  if (operand.outerEnd >= 0)
    dims[1] = e.constantExpr(operand.outerEnd);
  SmallVector<int64_t> box = {operand.kMajor ? schedule.tileK() : 64,
                              operand.kMajor ? rows : schedule.tileK()};
  if (operand.batched) {
    dims.push_back(KernelEmission::product(batch, context));
    strides.push_back(row * outer);
    box.push_back(1);
  }
  return swizzledMap(e, operand.buffer, dims, strides, box);
}

/// The tensor map of `tensor`, result `number` or like it.
static kernel::TensorMapAttr resultMap(KernelEmission &e,
                                       const WgmmaSchedule &schedule,
                                       unsigned tensor, unsigned number) {
  MLIRContext *context = e.kernel.getContext();
  auto type =
      cast<RankedTensorType>(e.kernel.getFunctionType().getResult(number));
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  SmallVector<AffineExpr> sizes = e.sizeExprs(number);
  ArrayRef<AffineExpr> all(sizes);
  unsigned first = schedule.batch.size();
  AffineExpr row = sizes.back() * bytes;
  AffineExpr rows =
      KernelEmission::product(all.drop_front(first).drop_back(), context);
  SmallVector<AffineExpr> dims = {sizes.back(), rows}, strides = {row};
  SmallVector<int64_t> box = {schedule.boxRowBytes / bytes, schedule.boxRows};
  if (first > 0) {
    dims.push_back(KernelEmission::product(all.take_front(first), context));
    strides.push_back(row * rows);
    box.push_back(1);
  }
  return swizzledMap(e, tensor, dims, strides, box, schedule.boxRowBytes);
}

SmallVector<int64_t> WgmmaSchedule::endBoxes(const WgmmaOperand &operand,
                                             ArrayRef<unsigned> rows,
                                             int64_t edge,
                                             int64_t slice) const {
  if (!operand.kMajor || edge == 0 || edge == slice)
    return {};
  if (extent(rows, 0) > 0)
    return {edge};
  SmallVector<int64_t> boxes;
  for (int64_t some = edge; some < std::min(slice, wgmma::longEndBox);
       some += edge)
    boxes.push_back(some);
  for (int64_t some = wgmma::longEndBox; some < slice;
       some += wgmma::longEndBox)
    boxes.push_back(some);
  return boxes;
}

SmallVector<kernel::TensorMapAttr>
codegen::wgmmaTensorMaps(KernelEmission &e, const WgmmaSchedule &schedule,
                         unsigned inputs) {
  SmallVector<kernel::TensorMapAttr> maps = {
      operandMap(e, schedule, schedule.a, schedule.copiedA())};
  for (const WgmmaOperand &operand : schedule.b)
    maps.push_back(operandMap(e, schedule, operand, schedule.copiedB()));
  for (int64_t rows : schedule.endBoxesA())
    maps.push_back(operandMap(e, schedule, schedule.a, rows));
  for (const WgmmaOperand &operand : schedule.b)
    for (int64_t rows : schedule.endBoxesB())
      maps.push_back(operandMap(e, schedule, operand, rows));
  if (schedule.store == WgmmaStore::TMA) {
    for (unsigned i = 0; i < e.numResults(); ++i)
      maps.push_back(resultMap(e, schedule, inputs + i, i));
    if (schedule.source >= 0)
      maps.push_back(resultMap(e, schedule, schedule.source, 0));
  }
  return maps;
}

/// Blocks: one for each multiprocessor, or of each tile those that split K.
static AffineExpr gridOf(KernelEmission &e, const WgmmaSchedule &schedule,
                         const ContractionSpace &space) {
  if (schedule.streamK)
    return e.constantExpr(schedule.shares().workers * schedule.cluster());
  if (!schedule.splitsK())
    return e.constantExpr(residentClusters(schedule.cluster()) *
                          schedule.cluster());
  AffineExpr rows = space.extentOf(schedule.m).ceilDiv(schedule.tileM);
  AffineExpr columns = space.extentOf(schedule.n).ceilDiv(schedule.partN());
  return space.extentOf(schedule.batch) * rows * columns * schedule.split;
}

LogicalResult codegen::emitWgmma(kernel::FuncOp kernel,
                                 const WgmmaSchedule &schedule,
                                 gpu::GPUModuleOp module, OpBuilder &b,
                                 bool prefetches) {
  FunctionType type = kernel.getFunctionType();
  unsigned sizes =
      llvm::count_if(type.getInputs(), [](Type t) { return t.isIndex(); });
  unsigned inputs = type.getNumInputs() - sizes;
  SmallVector<int64_t> workspace = schedule.workspace();
  unsigned tensors = inputs + type.getNumResults();
  unsigned pointers = tensors + workspace.size();
  bool boxes = schedule.store == WgmmaStore::TMA;
  unsigned ofResults = type.getNumResults() + (schedule.source >= 0 ? 1 : 0);
  unsigned maps = schedule.operandMaps() + (boxes ? ofResults : 0);
  int64_t threads = 128 * (1 + schedule.consumers());
  FunctionWithMaps opened =
      openWithMaps(kernel, b, pointers, sizes, maps, threads);
  KernelEmission emission(kernel, b, EmitterOptions());
  if (failed(emission.bind(opened.pointers.take_front(tensors), opened.sizes)))
    return failure();
  markAccuracy(kernel, schedule.prologue.input ? schedule.op().getInputs()[0]
                                               : Value());
  FailureOr<ContractionSpace> space =
      ContractionSpace::of(schedule.op(), emission);
  if (failed(space))
    return failure();
  emission.setConfig({gridOf(emission, schedule, *space)}, {threads, 1, 1},
                     WgmmaEmitter::sharedBytes(schedule),
                     {schedule.cluster(), 1, 1},
                     wgmmaTensorMaps(emission, schedule, inputs), workspace);
  if (prefetches)
    prefetchParameters(emission);
  WgmmaEmitter(emission, schedule, *space, opened.maps,
               opened.pointers.drop_front(tensors), prefetches)
      .emit(opened.shared);
  return success();
}
