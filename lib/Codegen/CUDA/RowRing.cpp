//===- RowRing.cpp - Rows that are fetched ahead into shared memory -------===//
//
// Why: a row of 131072 columns of 16 bits belongs to 8 blocks of 512 threads,
// two blocks on a processor. On 132 processors at 4.2 TB/s a processor moves 32
// bytes a nanosecond; memory answers within 0.8 to 1.2 us under load, so that
// 26 to 38 KB must be asked for at any time. A cluster that ends with its row
// has asked for its 32 KB for each block only while it waits for them: then
// follow two exchanges over the cluster of 1 to 1.5 us each and the stores, and
// the next cluster has to start. One row took 7 us of a cluster where the
// bandwidth, shared by 32 clusters, allows 4. With the rows that follow on
// their way all the time, 32 to 64 KB for each block, what is left of the row
// (some 3 us) passes while they arrive.
//
//===----------------------------------------------------------------------===//

#include "RowRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Shared memory for the ring of a block: two blocks on a processor with 228 KB
/// have it, and one where a block may have 99 KB (sm_120), of which what
/// reductions join takes some.
static constexpr int64_t ringBytes = 97 * 1024;
/// More slots bring nothing: two on their way are enough.
static constexpr int64_t mostStages = 3;
/// Bulk copies: the unit of addresses and sizes, bytes.
static constexpr int64_t copyUnit = 16;

//===----------------------------------------------------------------------===//
// What goes through the ring
//===----------------------------------------------------------------------===//

AffineExpr RowShares::clusters(AffineExpr rows) {
  AffineExpr share = rows.floorDiv(parts);
  // 1 where the share is not 0: no tensor has as many rows.
  AffineExpr hasShare = share.ceilDiv(int64_t(1) << 40);
  // rows - share * staying are left, here without a difference: the range of
  // the grid is computed from that of its terms.
  AffineExpr left = rows % parts + share * (parts - staying);
  return left + hasShare * staying;
}

/// The arguments that `tensor` is computed from.
static void findArguments(Value tensor, llvm::SetVector<Value> &seen) {
  if (!isa<RankedTensorType>(tensor.getType()) || !seen.insert(tensor))
    return;
  if (Operation *op = tensor.getDefiningOp())
    for (Value operand : op->getOperands())
      findArguments(operand, seen);
}

/// Whether `argument` has the sizes of the rows and is read element by element.
bool RowRing::isRow(Value argument) {
  SmallVector<Index> sizes(shape.rowSizes);
  llvm::append_range(sizes, shape.columnSizes);
  if (kernel->e.elements.sizesOf(argument) != ArrayRef<Index>(sizes))
    return false;
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && reader.getMatchingIndexingMap(&use).isIdentity();
  });
}

/// Parts are whole units of a copy also where an element is a byte. As many
/// slots as fit.
void RowRing::chooseStages() {
  columnsOfPart =
      llvm::alignTo(llvm::divideCeil(shape.columns, shape.blocks), copyUnit);
  for (Staged &staged : tensors) {
    staged.offset = slotBytes;
    slotBytes += columnsOfPart * staged.elementBytes;
  }
  stages = std::min(mostStages, ringBytes / std::max<int64_t>(1, slotBytes));
}

std::optional<RowRing> RowRing::plan(CUDAKernel &kernel,
                                     linalg::GenericOp first,
                                     const RowShape &shape) {
  IndexMath &math = kernel.e.math;
  std::optional<int64_t> rows =
      IndexMath::constantOf(math.product(shape.rowSizes));
  if (shape.blocks == 1 || (rows && *rows < 2 * RowShares::parts))
    return std::nullopt;
  llvm::SetVector<Value> read;
  for (Value input : first.getDpsInputs())
    findArguments(input, read);
  RowRing ring(kernel, shape);
  for (Value tensor : read) {
    if (!kernel.e.elements.memoryOf(tensor) || !ring.isRow(tensor))
      continue;
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    int64_t bytes =
        ElementEmitter::storageType(element).getIntOrFloatBitWidth() / 8;
    if (shape.columns * bytes % copyUnit == 0)
      ring.tensors.push_back({tensor, bytes, 0});
  }
  ring.chooseStages();
  if (ring.tensors.empty() || ring.stages == 0 || ring.lastPart() <= 0)
    return std::nullopt;
  return ring;
}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

Value RowRing::i32(Index index) {
  KernelEmission &e = kernel->e;
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                    e.math.value(index));
}

/// `pointer` and `bytes` behind it.
static Value offsetBy(KernelEmission &e, Value pointer, Index bytes) {
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          e.math.value(bytes));
  return LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), e.b.getI8Type(),
                             pointer, ArrayRef<LLVM::GEPArg>{wide},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value RowRing::barrierOf(Index slot) {
  IndexMath &math = kernel->e.math;
  return offsetBy(kernel->e, barriers.pointer,
                  math.mul(slot, math.constant(8)));
}

Value RowRing::slotOf(Index slot, const Staged &staged) {
  IndexMath &math = kernel->e.math;
  return offsetBy(kernel->e, base,
                  math.add(math.mul(slot, math.constant(slotBytes)),
                           math.constant(staged.offset)));
}

void RowRing::start(Index rank) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  base = kernel->dynamicShared();
  barriers = kernel->sharedArray("arrived", e.b.getI64Type(), {stages});
  begin = math.mul(rank, math.constant(part()));
  size = math.constant(part());
  if (lastPart() != part()) {
    Value isLast = kernel->compare(arith::CmpIPredicate::eq, rank,
                                   math.constant(shape.blocks - 1));
    size = kernel->select(isLast, math.value(math.constant(lastPart())),
                          math.value(math.constant(part())));
  }
  Value first = kernel->compare(arith::CmpIPredicate::eq, kernel->threadId(),
                                math.constant(0));
  e.when(first, [&] {
    for (int64_t slot = 0; slot < stages; ++slot)
      NVVM::MBarrierInitOp::create(e.b, e.loc, barrierOf(math.constant(slot)),
                                   i32(math.constant(1)), Value());
    NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
  });
  kernel->barrier();
}

/// One thread asks for this block's part of row `next`, if that is one of the
/// cluster's.
void RowRing::request(Index next, Index slot) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  Value first = kernel->compare(arith::CmpIPredicate::eq, kernel->threadId(),
                                math.constant(0));
  Value exists = kernel->compare(arith::CmpIPredicate::ult, next, end);
  e.when(arith::AndIOp::create(e.b, e.loc, first, exists), [&] {
    Value arrived = barrierOf(slot);
    int64_t columnBytes = 0;
    for (const Staged &staged : tensors)
      columnBytes += staged.elementBytes;
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), arrived,
        i32(math.mul(size, math.constant(columnBytes))),
        NVVM::MemScopeKind::CTA, false, Value());
    Index element =
        math.add(math.mul(next, math.constant(shape.columns)), begin);
    auto cluster = LLVM::LLVMPointerType::get(e.b.getContext(), 7);
    for (const Staged &staged : tensors) {
      Index bytes = math.constant(staged.elementBytes);
      Value from = offsetBy(e, e.elements.memoryOf(staged.tensor)->pointer,
                            math.mul(element, bytes));
      Value to = LLVM::AddrSpaceCastOp::create(e.b, e.loc, cluster,
                                               slotOf(slot, staged));
      NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
          e.b, e.loc, to, from, arrived, i32(math.mul(size, bytes)), Value(),
          Value());
    }
  });
}

void RowRing::requestFirst(Index cluster) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  Index share =
      math.div(math.product(shape.rowSizes), math.constant(RowShares::parts));
  Index staying = math.min(math.mul(share, math.constant(RowShares::staying)),
                           math.constant(RowShares::staying));
  Value stays = kernel->compare(arith::CmpIPredicate::ult, cluster, staying);
  Index single = math.add(math.mul(staying, share), math.sub(cluster, staying));
  firstRow = kernel->select(stays, math.value(math.mul(cluster, share)),
                            math.value(single));
  Index count =
      kernel->select(stays, math.value(share), math.value(math.constant(1)));
  end = math.add(firstRow, count);
  for (int64_t slot = 0; slot < stages; ++slot)
    request(math.add(firstRow, math.constant(slot)), math.constant(slot));
}

void RowRing::forEachRow(llvm::function_ref<void(Index, Index)> body) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  e.loop(firstRow, end, math.constant(1), [&](Index current) {
    row = current;
    turn = math.sub(row, firstRow);
    Index round = math.div(turn, math.constant(stages));
    awaitPhase(e.b, e.loc, barrierOf(math.rem(turn, math.constant(stages))),
               i32(math.rem(round, math.constant(2))));
    hideOthers();
    body(row, turn);
  });
}

/// What all rows read, as the weights of a norm, LLVM would load once in front
/// of the loop, into registers that there are none of. Pointers that a row
/// makes anew keep the loads in it.
void RowRing::hideOthers() {
  KernelEmission &e = kernel->e;
  for (BlockArgument argument : e.kernel.getBody().getArguments()) {
    Memory *memory = e.elements.memoryOf(argument);
    bool isStaged = llvm::any_of(tensors, [&](const Staged &staged) {
      return staged.tensor == argument;
    });
    if (!memory || isStaged)
      continue;
    Type type = memory->pointer.getType();
    memory->pointer =
        LLVM::InlineAsmOp::create(
            e.b, e.loc, TypeRange(type), ValueRange{memory->pointer},
            "mov.b64 $0, $1;", "=l,l", /*has_side_effects=*/true,
            /*is_align_stack=*/false, LLVM::TailCallKind::None,
            LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
  }
}

//===----------------------------------------------------------------------===//
// The elements
//===----------------------------------------------------------------------===//

void RowRing::bind(const Staged &staged) {
  ElementEmitter &elements = kernel->e.elements;
  IndexMath &math = kernel->e.math;
  Memory plain = *elements.memoryOf(staged.tensor), slot = plain;
  slot.pointer = slotOf(math.rem(turn, math.constant(stages)), staged);
  slot.sizes = {size};
  slot.alignment = copyUnit;
  slot.readOnly = false;
  elements.bindSource(staged.tensor, [this, plain, slot](ArrayRef<Index> index,
                                                         int64_t n) {
    KernelEmission &e = kernel->e;
    size_t rank = at.size();
    if (!isTaking || index.take_front(rank) != ArrayRef<Index>(at))
      return e.elements.load(plain, index, n);
    Index column = e.math.linearize(index.drop_front(rank), shape.columnSizes);
    return e.elements.load(slot, {e.math.sub(column, begin)}, n);
  });
}

void RowRing::take(ArrayRef<Index> indices) {
  at.assign(indices.begin(), indices.end());
  isTaking = true;
  for (const Staged &staged : tensors)
    bind(staged);
}

void RowRing::free() {
  IndexMath &math = kernel->e.math;
  isTaking = false;
  Index count = math.constant(stages);
  request(math.add(row, count), math.rem(turn, count));
}
