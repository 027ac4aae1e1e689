//===- EarlyLoads.cpp - What is loaded before kernels need it -------------===//
//
// What a kernel reads last, the bias of an epilogue or the weights of a norm,
// has left the L2 cache since the model ran before. Loaded where it is used, it
// costs a kernel of a few microseconds the latency of memory.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===----------------------------------------------------------------------===//
// To the L2 cache
//===----------------------------------------------------------------------===//

/// Bytes of `argument` that a prefetch brings, a multiple of 16; 0 where it
/// has more than `maximum`, or an unknown number.
static int64_t prefetchedBytes(BlockArgument argument, const Memory &memory,
                               int64_t maximum) {
  auto type = cast<RankedTensorType>(argument.getType());
  if (!type.hasStaticShape() || type.getNumElements() > maximum)
    return 0;
  int64_t bits = memory.packed ? 4
                               : ElementEmitter::storageType(memory.elementType)
                                     .getIntOrFloatBitWidth();
  int64_t bytes = type.getNumElements() * bits / 8;
  return bytes > maximum ? 0 : bytes / 16 * 16;
}

void codegen::prefetchBulk(KernelEmission &e, Value from, Value bytes) {
  LLVM::InlineAsmOp::create(e.b, e.loc, TypeRange(), ValueRange{from, bytes},
                            "cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
}

void codegen::prefetchParameters(KernelEmission &e) {
  /// Vectors of parameters have less: 16384 features in f32.
  constexpr int64_t maximum = 64 * 1024;
  if (!e.kernel.getWaitsFor())
    return;
  SmallVector<std::pair<Value, int64_t>> found;
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument))
      if (isSteady(e.kernel, argument))
        if (int64_t bytes = prefetchedBytes(argument, *memory, maximum))
          found.push_back({memory->pointer, bytes});
  if (found.empty())
    return;
  Value block = gpu::BlockIdOp::create(e.b, e.loc, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(e.b, e.loc, gpu::Dimension::x);
  Value isFirst =
      arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                            arith::OrIOp::create(e.b, e.loc, block, thread),
                            e.math.value(e.math.constant(0)));
  e.when(isFirst, [&] {
    for (auto [pointer, bytes] : found)
      prefetchBulk(
          e, pointer,
          arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(bytes)));
  });
}

//===----------------------------------------------------------------------===//
// To registers
//===----------------------------------------------------------------------===//

/// Adds what `value` is computed from, and what is not there in front of
/// `place`, to `slice`, operands first. False where that has an effect, or is a
/// block's argument.
static bool addSlice(Value value, Operation *place,
                     llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock() == place->getBlock();
  bool isThere =
      op->getBlock() == place->getBlock() && op->isBeforeInBlock(place);
  if (isThere || slice.contains(op))
    return true;
  bool isMovable = op->getNumRegions() == 0 && isPure(op) &&
                   llvm::all_of(op->getOperands(), [&](Value operand) {
                     return addSlice(operand, place, slice);
                   });
  if (isMovable)
    slice.insert(op);
  return isMovable;
}

/// Those of `loads`, from global memory, that may be executed in front of
/// `place`, and what their addresses are computed from.
static SmallVector<LLVM::LoadOp>
movableLoads(Block &block, Operation *place, bool areInvariant,
             llvm::SetVector<Operation *> &slice) {
  SmallVector<LLVM::LoadOp> loads;
  for (auto load : block.getOps<LLVM::LoadOp>()) {
    auto pointer = cast<LLVM::LLVMPointerType>(load.getAddr().getType());
    llvm::SetVector<Operation *> own = slice;
    bool isThere =
        load->getBlock() == place->getBlock() && load->isBeforeInBlock(place);
    if (pointer.getAddressSpace() != 1 || isThere ||
        (areInvariant && !load.getInvariant()) ||
        !addSlice(load.getAddr(), place, own))
      continue;
    slice = std::move(own);
    loads.push_back(load);
  }
  return loads;
}

/// Clones `loads`, and what is in `slice`, and replaces them by the clones.
static SmallVector<Value> cloneLoads(OpBuilder &b, ArrayRef<LLVM::LoadOp> loads,
                                     ArrayRef<Operation *> slice,
                                     IRMapping &mapping) {
  for (Operation *op : slice)
    b.clone(*op, mapping);
  SmallVector<Value> loaded;
  for (LLVM::LoadOp load : loads) {
    auto clone = cast<LLVM::LoadOp>(b.clone(*load, mapping));
    // LLVM moves invariant loads to where their value is used.
    clone.setInvariant(false);
    loaded.push_back(clone);
  }
  return loaded;
}

static void replaceLoads(ArrayRef<LLVM::LoadOp> loads, ValueRange loaded) {
  for (auto [load, value] : llvm::zip_equal(loads, loaded)) {
    LLVM::LoadOp old = load;
    old.replaceAllUsesWith(value);
    old.erase();
  }
}

void CUDAKernel::loadEarly(scf::IfOp branch, Operation *place,
                           bool areInvariant) {
  llvm::SetVector<Operation *> condition;
  if (!addSlice(branch.getCondition(), place, condition))
    return;
  llvm::SetVector<Operation *> slice = condition;
  SmallVector<LLVM::LoadOp> loads =
      movableLoads(*branch.thenBlock(), place, areInvariant, slice);
  if (loads.empty())
    return;
  OpBuilder b(place);
  IRMapping mapping;
  for (Operation *op : condition)
    b.clone(*op, mapping);
  SmallVector<Type> types;
  for (LLVM::LoadOp load : loads)
    types.push_back(load.getType());
  auto early = scf::IfOp::create(b, branch.getLoc(), types,
                                 mapping.lookupOrDefault(branch.getCondition()),
                                 /*withElseRegion=*/true);
  b.setInsertionPointToStart(early.thenBlock());
  scf::YieldOp::create(
      b, branch.getLoc(),
      cloneLoads(b, loads, slice.getArrayRef().drop_front(condition.size()),
                 mapping));
  b.setInsertionPointToStart(early.elseBlock());
  SmallVector<Value> nothing;
  for (Type type : types)
    nothing.push_back(LLVM::PoisonOp::create(b, branch.getLoc(), type));
  scf::YieldOp::create(b, branch.getLoc(), nothing);
  replaceLoads(loads, early.getResults());
}

void CUDAKernel::loadSteadyEarly(Operation *place) {
  Block &block = *place->getBlock();
  for (auto branch : llvm::to_vector(block.getOps<scf::IfOp>()))
    if (place->isBeforeInBlock(branch))
      loadEarly(branch, place, /*areInvariant=*/true);
  llvm::SetVector<Operation *> slice;
  SmallVector<LLVM::LoadOp> loads =
      movableLoads(block, place, /*areInvariant=*/true, slice);
  OpBuilder b(place);
  IRMapping mapping;
  replaceLoads(loads, cloneLoads(b, loads, slice.getArrayRef(), mapping));
}
