//===- TileRules.cpp - Predicates of tile's rules -------------------------===//
//
// The functions that the rules in the .td files name, and the generated checks
// that call them.
//
//===----------------------------------------------------------------------===//

#include "tripy/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::tile;

//===-- functions and roles -----------------------------------------------===//

static bool takesSizes(Operation *op) {
  return llvm::all_of(op->getRegion(0).getArgumentTypes(),
                      [](Type type) { return type.isIndex(); });
}

static bool rolesAreLast(Operation *op) {
  int64_t roles = 0;
  for (Operation &inside : op->getRegion(0).front()) {
    bool isRole = isa<RoleOp>(inside);
    if (roles > 0 && !isRole)
      return false;
    roles += isRole;
  }
  return roles >= 2;
}

static int64_t groupsOf(Operation *op) {
  return tile::numGroups(cast<FuncOp>(op));
}

/// Of a thread of each warp group together.
static int64_t registersGiven(Operation *op) {
  return tile::registersOfLaunch(cast<FuncOp>(op)) * groupsOf(op);
}

static int64_t registersAsked(Operation *op) {
  int64_t registers = 0;
  for (auto role : op->getRegion(0).getOps<RoleOp>())
    registers += bounded(role.getGroups()) * bounded(role.getRegisters());
  return registers;
}

static bool hasGroupArgument(Operation *op) {
  Region &body = op->getRegion(0);
  return body.getNumArguments() == 1 && body.getArgument(0).getType().isIndex();
}

static bool usesOwnState(Operation *op) {
  Region &body = op->getRegion(0);
  return !body.walk([&](Operation *inside) {
                for (Value operand : inside->getOperands()) {
                  bool isState = isFragment(operand.getType()) ||
                                 isa<PosType, PendingType>(operand.getType());
                  if (isState && !body.isAncestor(operand.getParentRegion()))
                    return WalkResult::interrupt();
                }
                return WalkResult::advance();
              })
              .wasInterrupted();
}

//===-- shared memory and copies ------------------------------------------===//

static bool isPanelBox(kernel::TensorMapAttr map, MapType type) {
  ArrayRef<int64_t> box = map.getBox();
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  return box.size() >= 2 && box[0] == type.getSwizzle() / bytes &&
         box[1] == type.getShape()[0] &&
         llvm::all_of(box.drop_front(2),
                      [](int64_t size) { return size == 1; });
}

static bool isAtPattern(std::optional<uint64_t> at, RingType ring) {
  return (!at || *at % stageAlignment == 0) &&
         llvm::all_of(ring.getViews(), [](SmemType view) {
           return view.getBytes() % stageAlignment == 0;
         });
}

/// Whether maps bring what views hold, several of them rows of one panel, or
/// panels.
static bool fillViews(RingType ring, OperandRange maps) {
  auto map = maps.begin();
  for (SmemType view : ring.getViews()) {
    for (int64_t bytes = view.getBytes(); bytes > 0; ++map) {
      if (map == maps.end())
        return false;
      auto type = cast<MapType>((*map).getType());
      auto brought = SmemType::get(type.getContext(), type.getShape(),
                                   type.getElementType(), type.getSwizzle());
      bool isPart = (brought.getColumns() == view.getColumns() &&
                     view.getPanels() == 1) ||
                    brought.getRows() == view.getRows();
      bytes -= brought.getBytes();
      if (bytes < 0 || !(isPart || brought.getShape() == view.getShape()) ||
          brought.getElementType() != view.getElementType() ||
          brought.getSwizzle() != view.getSwizzle())
        return false;
    }
  }
  return map == maps.end();
}

static bool areViews(RingType ring, ResultRange views) {
  return llvm::equal(views.getTypes(), ring.getViews(),
                     [](Type a, SmemType b) { return a == b; });
}

/// -1 where a map is not known here.
static int64_t coordinatesOf(OperandRange maps) {
  int64_t count = 0;
  for (Value map : maps) {
    auto op = map.getDefiningOp<MapOp>();
    if (!op)
      return -1;
    count += static_cast<int64_t>(op.getMap().getBox().size());
  }
  return count;
}

static bool isInOneThread(Value ring) {
  return llvm::all_of(ring.getUsers(), [](Operation *user) {
    auto role = user->getParentOfType<RoleOp>();
    return !isa<RingFillOp>(user) || (role && role.getOneThread());
  });
}

static bool areRowsOf(SmemType part, SmemType whole) {
  return part.getElementType() == whole.getElementType() &&
         part.getSwizzle() == whole.getSwizzle() &&
         part.getColumns() == whole.getColumns() &&
         whole.getRows() % part.getRows() == 0;
}

static bool areColumnsOf(SmemType part, SmemType whole) {
  return part.getElementType() == whole.getElementType() &&
         part.getSwizzle() == whole.getSwizzle() &&
         part.getRows() == whole.getRows() &&
         whole.getColumns() % part.getColumns() == 0;
}

//===-- tiles of a persistent kernel --------------------------------------===//

static bool arePositive(Operation *op) {
  auto loop = cast<ForTilesOp>(op);
  return llvm::all_of(ArrayRef<int64_t>{asSigned(loop.getTileRows()),
                                        asSigned(loop.getTileColumns()),
                                        asSigned(loop.getStep()),
                                        asSigned(loop.getBand())},
                      [](int64_t n) { return n > 0 && n <= 1 << 20; });
}

static bool takesTile(Operation *op) {
  auto loop = cast<ForTilesOp>(op);
  TypeRange types = loop.getBody().getArgumentTypes();
  return types.size() == 3 + loop.getInits().size() &&
         llvm::all_of(types.take_front(3),
                      [](Type type) { return type.isIndex(); });
}

static bool carriesTypes(Operation *op) {
  auto loop = cast<ForTilesOp>(op);
  auto yield = dyn_cast<YieldOp>(loop.getBody().front().back());
  TypeRange types = loop.getInits().getTypes();
  return yield && yield.getOperandTypes() == types &&
         loop.getResultTypes() == types &&
         TypeRange(loop.getBody().getArgumentTypes()).drop_front(3) == types;
}

static bool isNumberOfBlocks(Operation *op) {
  auto function = op->getParentOfType<FuncOp>();
  return function && function.getGrid().isSingleConstant() &&
         function.getGrid().getSingleConstantResult() > 0;
}

//===-- products ----------------------------------------------------------===//

static bool isOperandA(Value a, bool transposed) {
  if (isa<SmemType>(a.getType()))
    return true;
  FragAttr layout = layoutOf(a.getType());
  return layout && isFragment(a.getType()) && !transposed &&
         layout.getKind() == FragKind::WgmmaA;
}

/// Of a fragment, or one that is pending.
static Type sumsOf(Type type) {
  auto pending = dyn_cast<PendingType>(type);
  return pending ? Type(pending.getFragment()) : type;
}

static bool isSum(RankedTensorType type) {
  FragAttr layout = layoutOf(type);
  return layout && isFragment(type) && type.getElementType().isF32() &&
         layout.getKind() == FragKind::WgmmaD && layout.getReduced() == -1;
}

/// Rows, and columns, which are K.
static std::pair<int64_t, int64_t> sizesOfA(Value a, bool transposed) {
  if (auto view = dyn_cast<SmemType>(a.getType()))
    return transposed ? std::pair(view.getColumns(), view.getRows())
                      : std::pair(view.getRows(), view.getColumns());
  auto tensor = cast<RankedTensorType>(a.getType());
  return {tensor.getDimSize(0), tensor.getDimSize(1)};
}

static bool productsAgree(Value a, bool transposedA, TypedValue<SmemType> b,
                          bool transposed, RankedTensorType sums) {
  SmemType view = b.getType();
  int64_t n = transposed ? view.getColumns() : view.getRows();
  int64_t k = transposed ? view.getRows() : view.getColumns();
  return sizesOfA(a, transposedA) == std::pair(sums.getDimSize(0), k) &&
         sums.getDimSize(1) == n;
}

static bool isProductType(Value a, TypedValue<SmemType> b) {
  Type type = isa<SmemType>(a.getType())
                  ? cast<SmemType>(a.getType()).getElementType()
                  : cast<RankedTensorType>(a.getType()).getElementType();
  return type == b.getType().getElementType() && !type.isF32();
}

static bool holdsOperand(Value pending, OperandRange holding) {
  auto product = pending.getDefiningOp<MmaAsyncOp>();
  return !product || isa<SmemType>(product.getA().getType()) ||
         llvm::is_contained(holding, product.getA());
}

/// A product is waited for in the block of code that starts it, or behind the
/// loop that goes on with it.
static bool countsNewer(Value pending, int64_t newer) {
  auto product = pending.getDefiningOp<MmaAsyncOp>();
  Operation *wait = *pending.getUsers().begin();
  // What a loop carries.
  if (!product)
    return newer == 0;
  if (wait->getBlock() != product->getBlock())
    return false;
  int64_t started = 0;
  for (Operation *op = product->getNextNode(); op && op != wait;
       op = op->getNextNode())
    started += isa<MmaAsyncOp>(op);
  return started == newer;
}

//===-- fragments ---------------------------------------------------------===//

static bool sameRows(RankedTensorType a, RankedTensorType b) {
  return a.getElementType() == b.getElementType() &&
         a.getDimSize(0) == b.getDimSize(0) &&
         layoutOf(a).getKind() == layoutOf(b).getKind();
}

static bool isReduced(TypedValue<RankedTensorType> input,
                      TypedValue<RankedTensorType> result) {
  RankedTensorType from = input.getType(), to = result.getType();
  FragAttr before = layoutOf(from), after = layoutOf(to);
  return sameRows(from, to) && after.getReduced() == 1 &&
         (before.getReduced() == -1 ||
          (before.getPartial() && !after.getPartial()));
}

static bool isRowOf(TypedValue<RankedTensorType> input,
                    TypedValue<RankedTensorType> result) {
  RankedTensorType from = input.getType(), to = result.getType();
  FragAttr before = layoutOf(from), after = layoutOf(to);
  return sameRows(from, to) && before.getReduced() == 1 &&
         !before.getPartial() && after.getReduced() == -1;
}

static bool isRelabelling(TypedValue<RankedTensorType> input,
                          TypedValue<RankedTensorType> result) {
  RankedTensorType from = input.getType(), to = result.getType();
  FragAttr before = layoutOf(from), after = layoutOf(to);
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return false;
  if (before.getReduced() == 1)
    return after.getReduced() == 1 && !before.getPartial() &&
           after.getPartial();
  return before.getKind() == FragKind::WgmmaD &&
         after.getKind() == FragKind::WgmmaA &&
         from.getElementTypeBitWidth() == 16;
}

//===-- results of contractions -------------------------------------------===//

static bool areResultBoxes(OperandRange maps) {
  if (maps.empty())
    return false;
  auto first = cast<MapType>(maps.front().getType());
  return first.getSwizzle() >= 64 && llvm::all_of(maps, [&](Value map) {
           auto type = cast<MapType>(map.getType());
           return type.getShape()[0] == groupRows &&
                  type.getSwizzle() == first.getSwizzle() &&
                  type.getElementType().getIntOrFloatBitWidth() ==
                      first.getElementType().getIntOrFloatBitWidth();
         });
}

/// The columns of several contractions lie side by side.
static bool isTileOf(Operation *op, RankedTensorType sums, bool cooperative) {
  auto loop = cast<ForTilesOp>(op->getParentOp());
  auto role = op->getParentOfType<RoleOp>();
  int64_t groups = role && cooperative ? bounded(role.getGroups()) : 1;
  return role && sums.getDimSize(0) * groups == asSigned(loop.getTileRows()) &&
         sums.getDimSize(1) % asSigned(loop.getTileColumns()) == 0;
}

#include "tripy/Dialect/Tile/TileContracts.cpp.inc"
