//===- StagedRow.cpp - A long row in shared memory ------------------------===//
//
// Why shared memory: each of an H200's multiprocessors has to move 32 bytes a
// nanosecond for 4.2 TB/s, and memory answers within 0.8 to 1.2 us under load,
// so that a multiprocessor needs 26 to 38 KB in flight at any time. A cluster
// loads its row, waits, and has no loads in flight during its two exchanges and
// its stores: other clusters must have them. A row of 131072 columns of 16 bits
// is 32 KB for each of 8 blocks. In registers, it leaves room for two blocks of
// 512 threads on a multiprocessor; in shared memory, where every pass reads it
// again, for five blocks of 256 threads with few registers. Then some 80 rows
// are being processed at once, in different phases.
//
//===----------------------------------------------------------------------===//

#include "StagedRow.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Shared memory of a block besides its part: partial results of reductions.
static constexpr int64_t otherBytes = 2 * 1024;
/// Blocks on a multiprocessor that are fastest for parts of 32 KB.
static constexpr int64_t maxResident = 5;
/// Bulk copies: the unit of addresses and sizes, bytes.
static constexpr int64_t copyUnit = 16;

//===----------------------------------------------------------------------===//
// What is staged
//===----------------------------------------------------------------------===//

/// Whether `argument` has the sizes of the rows and is read element by element.
bool StagedRow::isRow(Value argument) {
  SmallVector<Index> sizes(shape.rowSizes);
  llvm::append_range(sizes, shape.columnSizes);
  if (kernel->e.elements.sizesOf(argument) != ArrayRef<Index>(sizes))
    return false;
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && reader.getMatchingIndexingMap(&use).isIdentity();
  });
}

int64_t StagedRow::residentBlocks(int64_t atOnce) const {
  int64_t room = std::clamp<int64_t>(
      kernel->chip.sharedBytes / (partBytes + otherBytes), 1, maxResident);
  return atOnce > 0 ? std::min(room, atOnce) : room;
}

std::optional<StagedRow> StagedRow::schedule(CUDAKernel &kernel,
                                             linalg::GenericOp first,
                                             const RowShape &shape) {
  llvm::SetVector<Value> read;
  for (Value input : first.getDpsInputs())
    read.insert_range(computedFrom(input));
  StagedRow staged(kernel, shape);
  // Whole units of a copy also where an element is a byte.
  staged.columnsOfPart =
      llvm::alignTo(llvm::divideCeil(shape.columns, shape.blocks), copyUnit);
  for (Value tensor : read) {
    if (!kernel.e.elements.memoryOf(tensor) || !staged.isRow(tensor))
      continue;
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (isInt4(element))
      continue; // A row may begin within a byte.
    int64_t bytes =
        ElementEmitter::storageType(element).getIntOrFloatBitWidth() / 8;
    if (shape.columns * bytes % copyUnit != 0)
      continue;
    staged.tensors.push_back({tensor, bytes, staged.partBytes});
    staged.partBytes += staged.columnsOfPart * bytes;
  }
  if (staged.tensors.empty() ||
      staged.partBytes > kernel.chip.blockSharedBytes - otherBytes)
    return std::nullopt;
  return staged;
}

//===----------------------------------------------------------------------===//
// The copies
//===----------------------------------------------------------------------===//

Value StagedRow::i32(Index index) {
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

Value StagedRow::placeOf(const Staged &staged) {
  return offsetBy(kernel->e, base, kernel->e.math.constant(staged.offset));
}

std::pair<Value, Value> StagedRow::sourceOf(const Staged &staged) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  Index bytes = math.constant(staged.elementBytes);
  Index element = math.add(math.mul(row, math.constant(shape.columns)), begin);
  Value from = offsetBy(e, e.elements.memoryOf(staged.tensor)->pointer,
                        math.mul(element, bytes));
  return {from, i32(math.mul(size, bytes))};
}

void StagedRow::copy(const Staged &staged) {
  KernelEmission &e = kernel->e;
  auto [from, bytes] = sourceOf(staged);
  auto cluster = LLVM::LLVMPointerType::get(e.b.getContext(), 7);
  Value to =
      LLVM::AddrSpaceCastOp::create(e.b, e.loc, cluster, placeOf(staged));
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      e.b, e.loc, to, from, arrived.pointer, bytes, Value(), Value());
}

void StagedRow::locate(Index number, Index rank) {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  row = number;
  base = kernel->dynamicShared();
  arrived = kernel->sharedArray("arrived", e.b.getI64Type(), {1});
  begin = math.mul(rank, math.constant(part()));
  size = math.constant(part());
  if (lastPart() != part()) {
    Value isLast = kernel->compare(arith::CmpIPredicate::eq, rank,
                                   math.constant(shape.blocks - 1));
    size = kernel->select(isLast, math.value(math.constant(lastPart())),
                          math.value(math.constant(part())));
  }
  isFirst = kernel->compare(arith::CmpIPredicate::eq, kernel->threadId(),
                            math.constant(0));
  e.when(isFirst, [&] {
    NVVM::MBarrierInitOp::create(e.b, e.loc, arrived.pointer,
                                 i32(math.constant(1)), Value());
    NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
  });
}

void StagedRow::prefetch() {
  KernelEmission &e = kernel->e;
  e.when(isFirst, [&] {
    for (const Staged &staged : tensors) {
      auto [from, bytes] = sourceOf(staged);
      prefetchBulk(e, from, bytes);
    }
  });
}

void StagedRow::request() {
  KernelEmission &e = kernel->e;
  IndexMath &math = e.math;
  int64_t columnBytes = 0;
  for (const Staged &staged : tensors)
    columnBytes += staged.elementBytes;
  e.when(isFirst, [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), arrived.pointer,
        i32(math.mul(size, math.constant(columnBytes))),
        NVVM::MemScopeKind::CTA, false, Value());
    for (const Staged &staged : tensors)
      copy(staged);
  });
}

void StagedRow::await(ArrayRef<RowPiece> pieces) {
  KernelEmission &e = kernel->e;
  // The mbarrier is made.
  kernel->barrier();
  awaitPhase(e.b, e.loc, arrived.pointer, i32(e.math.constant(0)));
  for (const Staged &staged : tensors)
    bind(staged, pieces);
}

void StagedRow::bind(const Staged &staged, ArrayRef<RowPiece> pieces) {
  ElementEmitter &elements = kernel->e.elements;
  Memory plain = *elements.memoryOf(staged.tensor), shared = plain;
  shared.pointer = placeOf(staged);
  shared.sizes = {size};
  shared.alignment = copyUnit;
  shared.readOnly = false;
  elements.bindSource(staged.tensor, [&elements, plain, shared,
                                      pieces = SmallVector<RowPiece>(pieces)](
                                         ArrayRef<Index> index, int64_t n) {
    const RowPiece *piece =
        llvm::find_if(pieces, [&](const RowPiece &candidate) {
          return index == ArrayRef<Index>(candidate.at);
        });
    if (piece == pieces.end())
      return elements.load(plain, index, n);
    return elements.load(shared, {piece->local}, n);
  });
}
