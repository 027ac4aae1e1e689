//===- SplitTail.cpp - Tiles that blocks share along K --------------------===//

#include "SplitTail.h"
#include "Mma.h"
#include "SimtGemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Sums that a thread stores and loads in one access.
static constexpr int64_t quad = 4;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int64_t codegen::countTiles(int64_t batch, int64_t rows, int64_t columns) {
  uint64_t all = llvm::SaturatingMultiply<uint64_t>(batch, rows);
  all = llvm::SaturatingMultiply<uint64_t>(all, columns);
  return static_cast<int64_t>(std::min<uint64_t>(all, INT64_MAX));
}

SmallVector<int64_t> codegen::tailWorkspace(kernel::FuncOp kernel,
                                            const CudaChip &chip) {
  Attribute attribute = kernel.getScheduleAttr();
  auto mma = dyn_cast_if_present<kernel::MmaScheduleAttr>(attribute);
  auto simt = dyn_cast_if_present<kernel::SimtScheduleAttr>(attribute);
  int64_t parts = mma ? mma.getTailSplitK() : simt ? simt.getTailSplitK() : 1;
  if (parts == 1)
    return {};
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  FailureOr<Contractions> all = Contractions::of(emission);
  if (failed(all))
    return {};
  auto of = [](auto &problem, auto schedule) {
    return schedule ? schedule->tail.workspace(problem.tailTiles(*schedule))
                    : SmallVector<int64_t>();
  };
  StringRef rule;
  if (simt) {
    auto demand = simt::Demand::of(all->groups, all->loops, chip);
    return of(demand, simt::readSchedule(simt, demand, rule));
  }
  auto problem = mma::Problem::find(all->groups, all->loops, chip);
  return problem ? of(*problem, mma::readSchedule(mma, *problem, rule))
                 : SmallVector<int64_t>();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Index TailShare::left(Index tiles) {
  return split.parts == 1 ? math.constant(0)
                          : math.rem(tiles, math.constant(split.wave));
}

Index TailShare::blocks(Index tiles) {
  if (split.parts == 1)
    return tiles;
  return math.add(tiles, math.mul(left(tiles), math.constant(split.parts - 1)));
}

AffineExpr TailShare::blocks(AffineExpr tiles) {
  if (split.parts == 1)
    return tiles;
  return tiles + tiles % split.wave * (split.parts - 1);
}

/// Whole tiles come first, then the parts of one tile after the other.
Index TailShare::locate(Index number, Index all) {
  if (split.parts == 1)
    return number;
  Index ofTail = left(all), parts = math.constant(split.parts);
  Index whole = math.sub(all, ofTail);
  isPart = kernel.compare(arith::CmpIPredicate::uge, number, whole);
  Index inTail = math.sub(math.max(number, whole), whole);
  Index own = math.div(inTail, parts);
  rank = math.rem(inTail, parts);
  tile = math.add(before, own);
  tiles = math.add(before, ofTail);
  return math.min(number, math.add(whole, own));
}

std::pair<Index, Index> TailShare::kBlocks(Index all) {
  if (split.parts == 1)
    return {math.constant(0), all};
  Index ofPart = math.ceilDiv(all, math.constant(split.parts));
  Index own = kernel.select(isPart, math.value(ofPart), math.value(all));
  Index begin = math.mul(rank, own);
  return {begin, math.min(all, math.add(begin, own))};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Leaves the sums in memory, those of neighbouring threads side by side.
/// Returns those of all parts, which the last block of the tile has, and
/// whether this one is the last.
SmallVector<Value> TailShare::join(ArrayRef<Value> sums, OpOf opOf,
                                   int64_t threads, Index thread) {
  int64_t quads = static_cast<int64_t>(sums.size()) / quad;
  Index parts = math.constant(split.parts), zero = math.constant(0);
  Index first = math.mul(tile, parts);
  Type type = sums.front().getType();
  int64_t ofPart = split.partBytes / (type.getIntOrFloatBitWidth() / 8);
  Index size = math.mul(math.mul(tiles, parts), math.constant(ofPart));
  Memory memory{kernel.workspace[0], type, {size}, 16, false};
  auto place = [&](Index part, int64_t number) {
    Index own = math.add(math.constant(number * threads), thread);
    return math.add(math.mul(part, math.constant(ofPart)),
                    math.mul(own, math.constant(quad)));
  };
  for (int64_t i = 0; i < quads; ++i)
    e.elements.store(memory, {place(math.add(first, rank), i)},
                     sums.slice(i * quad, quad));
  Value isLast = kernel.isLastPart(tile, tiles, parts, thread);
  // All sums of an unrolled loop would be under way at once.
  Value count = kernel.select(isLast, math.value(parts), math.value(zero));
  count = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), count);
  count = hideFromLLVM(e.b, e.loc, count);
  Index end =
      arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), count)
          .getResult();
  SmallVector<Value> none;
  for (size_t i = 0; i < sums.size(); ++i)
    none.push_back(e.initialValue(opOf(i)));
  SmallVector<Value> all = e.reduceLoop(
      zero, end, math.constant(1), none, [&](Index part, ValueRange carried) {
        SmallVector<Value> joined(carried);
        Index from = math.add(first, part);
        for (int64_t i = 0; i < quads; ++i) {
          Elements own = e.elements.load(memory, {place(from, i)}, quad);
          for (auto [at, value] : llvm::enumerate(own)) {
            size_t number = i * quad + at;
            joined[number] = e.combine(opOf(number), joined[number], value);
          }
        }
        return joined;
      });
  all.push_back(isLast);
  return all;
}

/// One epilogue for blocks with whole tiles and for the last ones of others: of
/// two, LLVM computes in front what both need, and registers spill.
void TailShare::finish(ArrayRef<Value> sums, OpOf opOf, int64_t threads,
                       Index thread,
                       llvm::function_ref<void(ArrayRef<Value>)> store) {
  if (split.parts == 1)
    return store(sums);
  SmallVector<Type> types = llvm::to_vector(TypeRange(ValueRange(sums)));
  types.push_back(e.b.getI1Type());
  auto choice =
      scf::IfOp::create(e.b, e.loc, types, isPart, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(e.b, e.loc, join(sums, opOf, threads, thread));
    e.b.setInsertionPointToStart(choice.elseBlock());
    SmallVector<Value> own(sums);
    own.push_back(arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
    scf::YieldOp::create(e.b, e.loc, own);
  }
  SmallVector<Value> joined(choice.getResults().drop_back());
  e.when(choice.getResults().back(), [&] { store(joined); });
}
