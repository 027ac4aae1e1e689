//===- CUDAKernel.cpp - Threads, shared memory, and their reductions ------===//

#include "EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Pointers and overlap with the kernels around
//===----------------------------------------------------------------------===//

bool codegen::isSteady(kernel::FuncOp kernel, BlockArgument argument) {
  std::optional<ArrayRef<bool>> waitsFor = kernel.getWaitsFor();
  if (!waitsFor || !isa<RankedTensorType>(argument.getType()))
    return true;
  auto before =
      kernel.getBody().getArguments().take_front(argument.getArgNumber());
  return !(*waitsFor)[llvm::count_if(before, [](BlockArgument other) {
    return isa<RankedTensorType>(other.getType());
  })];
}

/// LLVM takes loads from a kernel's `noalias` pointer that is only read for
/// invariant: it would move them across the wait, and read them through a cache
/// that does not see writes. The pointers of results are `noalias` in any case,
/// which tells loads from stores.
void codegen::describePointers(kernel::FuncOp kernel,
                               FunctionOpInterface function) {
  OpBuilder b(kernel.getContext());
  unsigned number = 0;
  auto describe = [&](bool isSteady, bool isInput) {
    if (isSteady)
      function.setArgAttr(number, "llvm.noalias", b.getUnitAttr());
    if (isSteady && isInput)
      function.setArgAttr(number, "llvm.readonly", b.getUnitAttr());
    function.setArgAttr(number++, "llvm.align", b.getI64IntegerAttr(16));
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      describe(isSteady(kernel, argument), /*isInput=*/true);
  for (unsigned i = 0; i < kernel.getFunctionType().getNumResults(); ++i)
    describe(/*isSteady=*/true, /*isInput=*/false);
}

/// nvvm.griddepcontrol is not used: LLVM takes it to touch no memory.
static void controlGrid(KernelEmission &e, StringRef instruction) {
  LLVM::InlineAsmOp::create(e.b, e.loc, TypeRange(), ValueRange(), instruction,
                            "~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

void codegen::awaitPredecessors(KernelEmission &e) {
  if (!e.kernel.getWaitsFor())
    return;
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument))
      memory->readOnly = isSteady(e.kernel, argument);
  controlGrid(e, "griddepcontrol.wait;");
}

void codegen::releaseDependents(KernelEmission &e) {
  if (e.kernel.getWaitsFor())
    controlGrid(e, "griddepcontrol.launch_dependents;");
}

static Value constantI32(KernelEmission &e, int64_t value) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
}

Value codegen::warpNumber(KernelEmission &e, Index thread) {
  OpBuilder &b = e.b;
  Value number = arith::IndexCastOp::create(
      b, e.loc, b.getI32Type(),
      e.math.value(e.math.div(thread, e.math.constant(32))));
  return NVVM::ShflOp::create(b, e.loc, b.getI32Type(), constantI32(e, -1),
                              number, constantI32(e, 0), constantI32(e, 31),
                              NVVM::ShflKind::idx, UnitAttr());
}

void codegen::inOneThread(KernelEmission &e, Value warp, int64_t number,
                          llvm::function_ref<void()> body) {
  Value isWarp = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                       warp, constantI32(e, number));
  e.when(isWarp, [&] {
    e.when(NVVM::ElectSyncOp::create(e.b, e.loc, e.b.getI1Type(), Value()),
           body);
  });
}

Value codegen::clusterPointer(OpBuilder &b, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), 7), address);
}

/// What `kernel` reads at indices that are elements of other tensors, and
/// everything that those tensors are computed from.
static llvm::SetVector<Value> readAtData(kernel::FuncOp kernel) {
  auto isElement = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? isa<linalg::GenericOp>(argument.getOwner()->getParentOp())
                    : isa<tensor::ExtractOp>(value.getDefiningOp());
  };
  llvm::SetVector<Value> found;
  kernel.getBody().walk([&](tensor::ExtractOp extract) {
    if (llvm::any_of(extract.getIndices(), [&](Value index) {
          return llvm::any_of(computedFrom(index), isElement);
        }))
      found.insert_range(computedFrom(extract.getTensor()));
  });
  return found;
}

llvm::SetVector<Value> codegen::readApart(kernel::FuncOp kernel) {
  llvm::SetVector<Value> found;
  for (auto slice : kernel.getBody().front().getOps<tensor::ExtractSliceOp>()) {
    if (slice.getSourceType().getRank() == 0)
      continue;
    bool isSingle = slice.getStaticSizes().back() == 1 &&
                    slice.getSourceType().getShape().back() != 1;
    if (isSingle || slice.getStaticStrides().back() != 1)
      found.insert_range(computedFrom(slice.getSource()));
  }
  return found;
}

void CUDAKernel::prefetch(llvm::function_ref<void()> firstLoads,
                          std::optional<Index> points) {
  llvm::SetVector<Value> gathered = readAtData(e.kernel);
  llvm::SetVector<Value> apart = readApart(e.kernel);
  std::optional<int64_t> least =
      points ? e.math.expectedOf(*points) : std::nullopt;
  auto isShared = [&](const Memory &memory) {
    if (!points)
      return false;
    Index own = e.math.product(memory.sizes);
    std::optional<int64_t> expected = e.math.expectedOf(own);
    return least && expected ? *expected < *least : own != *points;
  };
  SmallVector<std::pair<Memory *, Access>> usual;
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument)) {
      usual.push_back({memory, memory->access});
      if (isShared(*memory) || gathered.contains(argument))
        memory->access = Access::None;
      else
        memory->access =
            apart.contains(argument) ? Access::PrefetchApart : Access::Prefetch;
    }
  int64_t blocks = chip.multiprocessors *
                   chip.maxResident(e.kernel.getConfigAttr().getBlock()[0]);
  e.when(compare(arith::CmpIPredicate::ult, blockId(), e.math.constant(blocks)),
         firstLoads);
  for (auto [memory, access] : usual)
    memory->access = access;
}

/// The text of the instruction that keeps a quotient where it is.
static constexpr StringRef keptWord = "mov.b32 $0, $1;",
                           keptNumber = "mov.b64 $0, $1;";

/// `value`, an index, as LLVM and the assembler compute it here: they would
/// compute it where it is used, behind the wait.
static Value keptHere(KernelEmission &e, Value value) {
  OpBuilder &b = e.b;
  auto keep = [&](Value number, StringRef text, StringRef constraints) {
    return LLVM::InlineAsmOp::create(
               b, e.loc, TypeRange(number.getType()), ValueRange{number}, text,
               constraints, /*has_side_effects=*/true,
               /*is_align_stack=*/false, LLVM::TailCallKind::None,
               LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  };
  auto wide = value.getDefiningOp<arith::IndexCastUIOp>();
  if (wide && wide.getIn().getType().isInteger(32))
    return arith::IndexCastUIOp::create(b, e.loc, b.getIndexType(),
                                        keep(wide.getIn(), keptWord, "=r,r"));
  Value number = arith::IndexCastUIOp::create(b, e.loc, b.getI64Type(), value);
  return arith::IndexCastUIOp::create(b, e.loc, b.getIndexType(),
                                      keep(number, keptNumber, "=l,l"));
}

/// Whether `op` keeps a quotient that nothing uses.
static bool isUnusedQuotient(Operation *op) {
  auto text = dyn_cast<LLVM::InlineAsmOp>(op);
  return text && op->use_empty() &&
         (text.getAsmString() == keptWord || text.getAsmString() == keptNumber);
}

void CUDAKernel::divideAhead(llvm::function_ref<void()> body) {
  bool isStatic = llvm::none_of(e.kernel.getFunctionType().getInputs(),
                                llvm::IsaPred<IndexType>);
  if (!e.kernel.getWaitsFor() || isStatic)
    return;
  SmallVector<std::pair<Memory *, Access>> usual;
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument)) {
      usual.push_back({memory, memory->access});
      memory->access = Access::None;
    }
  e.math.setKeep([&](Value quotient) { return keptHere(e, quotient); });
  e.elements.emitIndices(body);
  e.math.setKeep({});
  for (auto [memory, access] : usual)
    memory->access = access;
}

void CUDAKernel::await(llvm::function_ref<void()> firstLoads,
                       std::optional<Index> points) {
  if (firstLoads && prefetches && e.kernel.getWaitsFor())
    prefetch(firstLoads, points);
  awaitAndRelease();
}

void CUDAKernel::awaitAndRelease() {
  if (releasesEarly)
    releaseDependents(e);
  awaitPredecessors(e);
  if (!releasesEarly)
    releaseDependents(e);
}

/// Not while code is emitted: what is known of values is found by their
/// addresses.
void CUDAKernel::finish(Operation *function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op) || isUnusedQuotient(op))
      op->erase();
  });
}

void CUDAKernel::streamArguments(ArrayRef<Index> loops) {
  std::optional<int64_t> points = IndexMath::constantOf(e.math.product(loops));
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument)) {
      bool isWhole =
          points
              ? IndexMath::constantOf(e.math.product(memory->sizes)) == points
              : loops.equals(memory->sizes);
      if (isWhole)
        memory->access = Access::Streamed;
    }
}

void CUDAKernel::loadFor(ArrayRef<Index> at, int64_t vectorSize) {
  for (Value result : e.yielded())
    e.elements.emit(result, at, vectorSize);
}

Index codegen::asNarrow(KernelEmission &e, Index index, Index size,
                        int64_t room) {
  std::optional<kernel::SizeRange> range = e.math.rangeOf(size);
  auto number = dyn_cast<Value>(index);
  if (!number || !range || range->values.lo < 0 ||
      range->values.hi > int64_t(UINT32_MAX) - room)
    return index;
  Value low =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(), number);
  Value wide =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), low);
  e.math.setFactor(wide, e.math.factorOf(index));
  return wide;
}

llvm::SetVector<Value> codegen::computedFrom(Value value) {
  llvm::SetVector<Value> found;
  found.insert(value);
  for (size_t i = 0; i < found.size(); ++i)
    if (Operation *op = found[i].getDefiningOp())
      op->walk([&](Operation *inside) {
        found.insert(inside->operand_begin(), inside->operand_end());
      });
  return found;
}

SmallVector<Index> codegen::placeIn(const Memory &result, ArrayRef<Index> index,
                                    ArrayRef<Index> sizes, IndexMath &math) {
  if (ArrayRef<Index>(result.sizes).equals(sizes))
    return llvm::to_vector(index);
  auto isOne = [](Index size) {
    return IndexMath::constantOf(size) == int64_t(1);
  };
  SmallVector<Index> others;
  for (auto [at, size] : llvm::zip_equal(index, sizes))
    if (!isOne(size))
      others.push_back(at);
  SmallVector<Index> place;
  size_t next = 0;
  for (Index size : result.sizes)
    place.push_back(isOne(size) ? math.constant(0) : others[next++]);
  return place;
}

//===----------------------------------------------------------------------===//
// Threads and shared memory
//===----------------------------------------------------------------------===//

Index CUDAKernel::threadId() {
  return gpu::ThreadIdOp::create(e.b, e.loc, gpu::Dimension::x).getResult();
}

Index CUDAKernel::blockId() {
  if (block)
    return block;
  OpBuilder::InsertionGuard guard(e.b);
  Operation *parent = e.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<FunctionOpInterface>(parent);
  if (!function)
    function = parent->getParentOfType<FunctionOpInterface>();
  e.b.setInsertionPointToStart(&function.getFunctionBody().front());
  block = gpu::BlockIdOp::create(e.b, e.loc, gpu::Dimension::x);
  return block;
}

void CUDAKernel::barrier() { gpu::BarrierOp::create(e.b, e.loc); }

void CUDAKernel::clusterArrive() {
  NVVM::ClusterArriveOp::create(e.b, e.loc, e.b.getUnitAttr());
}

void CUDAKernel::clusterWait() {
  NVVM::ClusterWaitOp::create(e.b, e.loc, e.b.getUnitAttr());
}

Memory CUDAKernel::sharedOf(const Memory &shared, Index rank) {
  Memory other = shared;
  Value number = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                            e.math.value(rank));
  other.pointer = NVVM::MapaOp::create(
      e.b, e.loc, LLVM::LLVMPointerType::get(e.b.getContext(), 7),
      shared.pointer, number);
  return other;
}

Memory CUDAKernel::elementOf(const Memory &memory, Index index) {
  Memory element = memory;
  Type type = ElementEmitter::storageType(memory.elementType);
  Value wide = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                          e.math.value(index));
  element.pointer = LLVM::GEPOp::create(
      e.b, e.loc, memory.pointer.getType(), type, memory.pointer,
      ArrayRef<LLVM::GEPArg>{wide}, LLVM::GEPNoWrapFlags::inbounds);
  element.alignment = std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
  return element;
}

Value CUDAKernel::compare(arith::CmpIPredicate predicate, Index a, Index b) {
  Value lhs = e.math.value(a), rhs = e.math.value(b);
  return arith::CmpIOp::create(e.b, e.loc, predicate, lhs, rhs);
}

Value CUDAKernel::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(e.b, e.loc, condition, a, b);
}

Index CUDAKernel::clampTo(Value valid, Index index) {
  Value clamped =
      select(valid, e.math.value(index), e.math.value(e.math.constant(0)));
  e.math.setFactor(clamped, e.math.factorOf(index));
  return clamped;
}

Elements CUDAKernel::valuesWhere(Value condition, int64_t count,
                                 Value otherwise,
                                 llvm::function_ref<Elements()> body) {
  return valuesWhere(condition, Elements(count, otherwise), body);
}

Elements CUDAKernel::valuesWhere(Value condition, ValueRange otherwise,
                                 llvm::function_ref<Elements()> body) {
  auto branch =
      scf::IfOp::create(e.b, e.loc, otherwise.getTypes(), condition, true);
  OpBuilder::InsertionGuard guard(e.b);
  {
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(e.b, e.loc, body());
  }
  e.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e.b, e.loc, otherwise);
  return Elements(branch.getResults());
}

Memory CUDAKernel::sharedArray(StringRef name, Type type,
                               ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  Memory memory{{}, type, {}, 16, false};
  for (int64_t size : sizes) {
    elements *= size;
    memory.sizes.push_back(e.math.constant(size));
  }
  Type array =
      LLVM::LLVMArrayType::get(ElementEmitter::storageType(type), elements);
  std::string symbol = (e.kernel.getSymName() + "." + name).str();
  LLVM::GlobalOp &global = sharedArrays[symbol];
  if (!global) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    global =
        LLVM::GlobalOp::create(e.b, e.loc, array, /*isConstant=*/false,
                               LLVM::Linkage::Internal, symbol, Attribute(),
                               /*alignment=*/16, /*addrSpace=*/3);
  }
  memory.pointer = LLVM::AddressOfOp::create(e.b, e.loc, global);
  return memory;
}

Value CUDAKernel::dynamicShared() {
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        e.b, e.loc, LLVM::LLVMArrayType::get(e.b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External,
        (e.kernel.getSymName() + "_shared").str(), Attribute(),
        /*alignment=*/128, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(e.b, e.loc, global);
}

/// Without a time limit, unlike nvvm.mbarrier.try_wait.parity: a thread that
/// the hardware suspends for a long time also wakes up late.
void codegen::awaitPhase(OpBuilder &b, Location loc, Value barrier,
                         Value parity) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrier);
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange{address, parity},
      "{\n.reg .pred done;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
      "@!done bra WAIT;\n}",
      "r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

/// A value as 32-bit words, shuffled, and put together again.
Value CUDAKernel::shuffle(Value value, int32_t distance,
                          gpu::ShuffleMode mode) {
  return shuffle(
      value,
      arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(distance)),
      mode);
}

Value CUDAKernel::shuffle(Value value, Value distance, gpu::ShuffleMode mode) {
  OpBuilder &b = e.b;
  Value lanes = arith::ConstantOp::create(b, e.loc, b.getI32IntegerAttr(32));
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto shuffleWord = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, e.loc, word, distance, lanes, mode)
        .getShuffleResult();
  };
  if (bits == 32)
    return shuffleWord(value);
  Type word = b.getI32Type();
  if (bits < 32) {
    Value wide = arith::ExtUIOp::create(b, e.loc, word, value);
    return arith::TruncIOp::create(b, e.loc, type, shuffleWord(wide));
  }
  Type wide = b.getI64Type();
  Value whole =
      type.isInteger()
          ? value
          : arith::BitcastOp::create(b, e.loc, wide, value).getResult();
  Value by = arith::ConstantOp::create(b, e.loc, b.getI64IntegerAttr(32));
  Value low = arith::TruncIOp::create(b, e.loc, word, whole);
  Value high = arith::TruncIOp::create(
      b, e.loc, word, arith::ShRUIOp::create(b, e.loc, whole, by));
  low = arith::ExtUIOp::create(b, e.loc, wide, shuffleWord(low));
  high = arith::ExtUIOp::create(b, e.loc, wide, shuffleWord(high));
  Value joined = arith::OrIOp::create(
      b, e.loc, low, arith::ShLIOp::create(b, e.loc, high, by));
  return type.isInteger()
             ? joined
             : arith::BitcastOp::create(b, e.loc, type, joined).getResult();
}

Value CUDAKernel::overLanes(Value value, int64_t lanes,
                            llvm::function_ref<Value(Value, Value)> combine) {
  for (int32_t distance = 1; distance < lanes; distance *= 2)
    value = combine(value, shuffle(value, distance));
  return value;
}

Value CUDAKernel::sumUpTo(Value value, Index lane) {
  for (int32_t distance = 1; distance < 32; distance *= 2) {
    Value below = shuffle(value, distance, gpu::ShuffleMode::UP);
    Value inside =
        compare(arith::CmpIPredicate::uge, lane, e.math.constant(distance));
    Value sum = arith::AddIOp::create(e.b, e.loc, value, below);
    value = select(inside, sum, value);
  }
  return value;
}

Value CUDAKernel::reduceWarp(linalg::GenericOp op, Value value, int64_t lanes) {
  for (int32_t distance = lanes / 2; distance > 0; distance /= 2)
    value = e.combine(op, value, shuffle(value, distance));
  return value;
}

Value CUDAKernel::reduceBlock(linalg::GenericOp op, Value value,
                              int64_t threads, const Memory &shared) {
  value = reduceWarp(op, value);
  int64_t warps = threads / 32;
  if (warps == 1)
    return value;
  IndexMath &math = e.math;
  Index lane = math.rem(threadId(), math.constant(32));
  Index warp = math.div(threadId(), math.constant(32));
  e.when(compare(arith::CmpIPredicate::eq, lane, math.constant(0)),
         [&] { e.elements.store(shared, {warp}, {value}); });
  barrier();
  // All lanes get the result, of as few exchanges as there are warps for.
  if (llvm::isPowerOf2_64(warps)) {
    lane = math.rem(lane, math.constant(warps));
    return reduceWarp(op, e.elements.load(shared, {lane}, 1).front(), warps);
  }
  Value inside = compare(arith::CmpIPredicate::ult, lane, math.constant(warps));
  Value partial = e.elements.load(shared, {clampTo(inside, lane)}, 1).front();
  return reduceWarp(op, select(inside, partial, e.initialValue(op)));
}

Value CUDAKernel::countUp(Value counter, Index last) {
  Type word = e.b.getI32Type();
  Value limit =
      arith::IndexCastOp::create(e.b, e.loc, word, e.math.value(last));
  return LLVM::InlineAsmOp::create(
             e.b, e.loc, TypeRange(word), ValueRange{counter, limit},
             "atom.acq_rel.gpu.global.inc.u32 $0, [$1], $2;",
             "=r,l,r,~{memory}",
             /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// The release of the first thread, behind the barrier, makes what all have
/// stored visible to the thread that acquires it. The counter is 0 again when
/// the last one has counted.
Value CUDAKernel::isLastPart(Index strip, Index strips, Index parts,
                             Index thread) {
  IndexMath &math = e.math;
  barrier();
  Type word = e.b.getI32Type();
  Memory told = sharedArray("last", word, {1});
  Index zero = math.constant(0);
  e.when(compare(CmpIPredicate::eq, thread, zero), [&] {
    Memory counters{workspace[1], word, {strips}, 16, false};
    Value counter = elementOf(counters, strip).pointer;
    Index last = math.sub(parts, math.constant(1));
    Value before = countUp(counter, last);
    Value is = arith::CmpIOp::create(
        e.b, e.loc, CmpIPredicate::eq, before,
        arith::IndexCastOp::create(e.b, e.loc, word, math.value(last)));
    e.elements.store(told, {zero},
                     {arith::ExtUIOp::create(e.b, e.loc, word, is)});
  });
  barrier();
  Value is = e.elements.load(told, {zero}, 1).front();
  return arith::CmpIOp::create(
      e.b, e.loc, CmpIPredicate::ne, is,
      arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(0)));
}
