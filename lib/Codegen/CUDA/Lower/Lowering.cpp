//===- Lowering.cpp - Functions, roles and arithmetic of tiles ------------===//

#include "Lowering.h"

#include "Codegen/CUDA/Contractions/OperandSource.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

TileLowering::TileLowering(CUDAKernel &kernel, tile::FuncOp function,
                           ValueRange sizes, ValueRange maps)
    : kernel(kernel), e(kernel.e), math(e.math), b(e.b), loc(e.loc),
      function(function), maps(maps.begin(), maps.end()) {
  if (e.attention())
    space.emplace(e);
  for (auto [argument, size] :
       llvm::zip(function.getBody().getArguments(), sizes)) {
    registers[argument] = {toI32(size)};
    indices[argument] = size;
  }
}

LogicalResult TileLowering::lower(LLVM::GlobalOp shared) {
  base = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                  LLVM::AddressOfOp::create(b, loc, shared));
  thread = kernel.threadId();
  if (failed(openEpilogue()))
    return failure();
  initialiseBarriers();
  SmallVector<tile::RoleOp> roles;
  size_t number = 0;
  for (Operation &op : function.getBody().front()) {
    if (auto role = dyn_cast<tile::RoleOp>(op))
      roles.push_back(role);
    else if (auto map = dyn_cast<tile::MapOp>(op))
      registers[map.getResult()] = {maps[number++]};
    else if (failed(lowerOp(&op)))
      return failure();
  }
  return lowerRoles(roles, 0);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// The number of this warp group, for roles: the first call stands in front of
/// all of them.
Value TileLowering::warpGroup() {
  if (!warp)
    warp = warpNumber(e, thread);
  return arith::ShRUIOp::create(b, loc, warp, i32(2));
}

/// The role of warp groups from `firstGroup` on, else one of the others.
LogicalResult TileLowering::lowerRoles(ArrayRef<tile::RoleOp> roles,
                                       int64_t firstGroup) {
  tile::RoleOp role = roles.front();
  if (roles.size() == 1)
    return lowerRole(role, firstGroup);
  int64_t next = firstGroup + asSigned(role.getGroups());
  Value group = warpGroup();
  Value isThis = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, group,
                                       i32(next));
  auto branch = scf::IfOp::create(b, loc, isThis, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  {
    ElementEmitter::Scope scope(e.elements);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    if (failed(lowerRole(role, firstGroup)))
      return failure();
  }
  ElementEmitter::Scope scope(e.elements);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  return lowerRoles(roles.drop_front(), next);
}

LogicalResult TileLowering::lowerRole(tile::RoleOp role, int64_t firstGroup) {
  int64_t wanted = asSigned(role.getRegisters());
  int64_t given = tile::registersOfLaunch(function);
  if (wanted != given)
    NVVM::SetMaxRegisterOp::create(b, loc, wanted,
                                   wanted < given
                                       ? NVVM::SetMaxRegisterAction::decrease
                                       : NVVM::SetMaxRegisterAction::increase);
  Value group = warpGroup();
  Value number = arith::SubIOp::create(b, loc, group, i32(firstGroup));
  registers[role.getBody().getArgument(0)] = {number};
  startOrders(role);
  Block &body = role.getBody().front();
  if (!role.getOneThread())
    return lowerBlock(body);
  LogicalResult result = success();
  inOneThread(e, warp, firstGroup * tile::groupThreads / 32,
              [&] { result = lowerBlock(body); });
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Scalars that a value of `type` is.
unsigned TileLowering::count(Type type) {
  if (isa<tile::PosType>(type))
    return 2;
  if (auto pending = dyn_cast<tile::PendingType>(type))
    return tile::elementsPerThread(pending.getFragment());
  if (!tile::isFragment(type))
    return 1;
  auto tensor = cast<RankedTensorType>(type);
  int64_t elements = tile::elementsPerThread(tensor);
  // 16-bit elements are pairs.
  return tensor.getElementType().isFloat() &&
                 tensor.getElementTypeBitWidth() == 16
             ? elements / 2
             : elements;
}

const TileLowering::Registers &TileLowering::of(Value value) {
  auto it = registers.find(value);
  assert(it != registers.end() && "values are lowered in program order");
  return it->second;
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp, tile::YieldOp>(op) && failed(lowerOp(&op)))
      return failure();
  return success();
}

LogicalResult TileLowering::lowerOp(Operation *op) {
  if (isa<tile::RingOp, tile::OrderOp, tile::StagingOp>(op))
    return success();
  if (lowerMemory(op) || lowerProduct(op) || lowerFragment(op) ||
      lowerResults(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ForTilesOp loop) { return lowerTiles(loop); })
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Default([&](Operation *other) { return lowerArithmetic(other); });
}

/// The part of `view` that begins `bytes` times `number` behind it.
void TileLowering::lowerPart(Value result, Value view, Value number,
                             int64_t bytes) {
  SharedView whole = views[view];
  views[result] = {add(whole.address, mul(scalar(number), bytes)),
                   whole.panelBytes};
}

/// Rings, views and ordered barriers. Returns whether `op` is of these; so do
/// the next ones.
bool TileLowering::lowerMemory(Operation *op) {
  auto set = [&](Registers values) {
    registers[op->getResult(0)] = std::move(values);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::AwaitPredecessorsOp) {
        awaitPredecessors(e);
        releaseDependents(e);
        return true;
      })
      .Case([&](tile::RingStartOp) { return set({i32(0), i32(0)}); })
      .Case([&](tile::RingNextOp next) {
        return set(nextPosition(next.getRing(), of(next.getPos())));
      })
      .Case([&](tile::RingNoneOp) { return set({i32(-1), i32(0)}); })
      .Case([&](tile::RingSkipOp skip) { return set(skipPositions(skip)); })
      .Case([&](tile::RingFillOp fillOp) { return fill(fillOp), true; })
      .Case([&](tile::RingWaitOp wait) {
        const Registers &at = of(wait.getPos());
        awaitPhase(b, loc, barrierAt(wait.getRing(), at[0], /*empty=*/false),
                   at[1]);
        for (auto [number, view] : llvm::enumerate(wait.getViews()))
          views[view] = {stageAt(wait.getRing(), at[0], number),
                         cast<tile::SmemType>(view.getType()).getPanelBytes()};
        return true;
      })
      .Case([&](tile::RingReleaseOp rel) { return release(rel), true; })
      .Case([&](tile::RowsOp rows) {
        lowerPart(rows.getResult(), rows.getView(), rows.getNumber(),
                  rows.getResult().getType().getPanelBytes());
        return true;
      })
      .Case([&](tile::ColumnsOp columns) {
        lowerPart(columns.getResult(), columns.getView(), columns.getNumber(),
                  columns.getResult().getType().getBytes());
        return true;
      })
      .Case([&](tile::OrderWaitOp turn) {
        return waitTurn(turn.getOrder(), scalar(turn.getMember())), true;
      })
      .Case([&](tile::OrderPassOp turn) {
        return passTurn(turn.getOrder(), scalar(turn.getMember())), true;
      })
      .Default(false);
}

bool TileLowering::lowerProduct(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::MmaAsyncOp mma) { return multiply(mma), true; })
      .Case([&](tile::MmaRetireOp retire) {
        NVVM::WgmmaWaitGroupSyncOp::create(b, loc, retire.getNewer());
        return true;
      })
      .Case([&](tile::ZeroOp zero) {
        Value none = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
        registers[zero.getResult()] = Registers(count(zero.getType()), none);
        return true;
      })
      .Case([&](tile::MmaWaitOp wait) { return await(wait), true; })
      .Case([&](tile::HoldOp hold) {
        registers[hold.getResult()] = keepHere(of(hold.getInput()));
        return true;
      })
      .Default(false);
}

bool TileLowering::lowerFragment(Operation *op) {
  auto set = [&](Registers values) {
    registers[op->getResult(0)] = std::move(values);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ReduceOp each) { return set(reduce(each)); })
      .Case([&](tile::BroadcastOp each) { return set(broadcast(each)); })
      .Case([&](tile::RelabelOp each) { return set(of(each.getInput())); })
      .Case([&](tile::ScoreOp each) { return set(score(each)); })
      .Case([&](arith::ConstantOp constant) {
        return set(lowerConstant(constant));
      })
      .Default(false);
}

bool TileLowering::lowerResults(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::StoreOp each) { return store(each), true; })
      .Case<tile::StoreBoxesOp, tile::StoreRowsOp>([&](auto each) {
        storeSums(each, each.getSums(), each.getStaging());
        return true;
      })
      .Case([&](tile::StoreWaitOp) {
        NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, 0, UnitAttr());
        return true;
      })
      .Default(false);
}

/// Makes `scalars` what `targets` are, in order.
void TileLowering::spread(ValueRange targets, ValueRange scalars) {
  for (Value target : targets) {
    unsigned taken = count(target.getType());
    registers[target] = Registers(scalars.take_front(taken));
    scalars = scalars.drop_front(taken);
  }
}

/// A loop carries the scalars of what it carries. Over K of a tile it counts
/// with the kernel's sizes.
LogicalResult TileLowering::lowerFor(scf::ForOp loop) {
  SmallVector<Value> initial;
  for (Value value : loop.getInitArgs())
    llvm::append_range(initial, of(value));
  bool isInTile = static_cast<bool>(loop->getParentOfType<tile::ForTilesOp>());
  auto bound = [&](Value value) {
    return isInTile ? indexOf(value) : Index(scalar(value));
  };
  LogicalResult result = success();
  Index stop = bound(loop.getUpperBound()), step = bound(loop.getStep());
  bool carriesSums = llvm::any_of(loop.getInitArgs().getTypes(),
                                  llvm::IsaPred<tile::PendingType>);
  if (std::optional<int64_t> known = IndexMath::constantOf(step);
      carriesSums && known)
    stop = endOfSums(e, stop, *known);
  SmallVector<Value> end = e.reduceLoop(
      bound(loop.getLowerBound()), stop, step, initial,
      [&](Index number, ValueRange carried) {
        if (isInTile)
          indices[loop.getInductionVar()] = number;
        registers[loop.getInductionVar()] = {isInTile ? toI32(number)
                                                      : math.value(number)};
        spread(loop.getRegionIterArgs(), carried);
        result = lowerBlock(*loop.getBody());
        SmallVector<Value> next;
        for (Value value : loop.getBody()->getTerminator()->getOperands())
          llvm::append_range(next, of(value));
        return next;
      });
  spread(loop.getResults(), end);
  return result;
}

TileLowering::Registers
TileLowering::lowerConstant(arith::ConstantOp constant) {
  TypedAttr value = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = cast<TypedAttr>(splat.getSplatValue<Attribute>());
  if (constant.getType().isIndex())
    return {i32(cast<IntegerAttr>(value).getInt())};
  Value one = arith::ConstantOp::create(b, loc, value);
  return Registers(count(constant.getType()), one);
}

/// A divisor of numbers below 2^32. The assembler calls a function
/// for quotients of 64 and of 16 bits, and in a function with calls it
/// serialises matrix instructions: the divisor's range is hidden from LLVM,
/// which would make 32 bits 16.
Value TileLowering::hide(Value value) { return hideFromLLVM(b, loc, value); }

Value TileLowering::divideHidden(Value a, Value divisor) {
  return arith::DivUIOp::create(b, loc, a, hide(divisor));
}

/// The same operation on each element of a thread. Indices have 32 bits: there
/// are fewer tiles, queries and keys, and addresses are made elsewhere.
LogicalResult TileLowering::lowerArithmetic(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() > 0)
    return op->emitOpError("has no form in a tile function");
  Type type = op->getResult(0).getType();
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && type.isIndex() &&
      !op->getOperand(1).getDefiningOp<arith::ConstantOp>()) {
    Value dividend = scalar(op->getOperand(0));
    Value divisor = hide(scalar(op->getOperand(1)));
    registers[op->getResult(0)] = {
        isa<arith::DivUIOp>(op)
            ? arith::DivUIOp::create(b, loc, dividend, divisor).getResult()
            : arith::RemUIOp::create(b, loc, dividend, divisor).getResult()};
    return success();
  }
  if (auto truncation = dyn_cast<arith::TruncFOp>(op);
      truncation && tile::isFragment(type)) {
    registers[op->getResult(0)] = narrow(truncation);
    return success();
  }
  if (isa<gpu::BlockIdOp, gpu::GridDimOp>(op)) {
    registers[op->getResult(0)] = {toI32(b.clone(*op)->getResult(0))};
    return success();
  }
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    element = b.getI32Type();
  Registers results;
  for (unsigned i = 0, size = count(type); i < size; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      const Registers &own = of(operand);
      operands.push_back(own.size() == 1 ? own.front() : own[i]);
    }
    OperationState state(loc, op->getName(), operands, TypeRange(element),
                         op->getAttrs());
    results.push_back(b.create(state)->getResult(0));
  }
  registers[op->getResult(0)] = results;
  return success();
}
