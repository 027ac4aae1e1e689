//===- ScanEmission.cpp - What emitters of running sums share -------------===//

#include "ScanEmission.h"

#include "Codegen/Emit/KernelSizes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

std::optional<ExpectedScan> codegen::expectedScan(kernel::FuncOp kernel) {
  OpBuilder b(kernel.getContext());
  KernelEmission e(kernel, b, EmitterOptions());
  kernel::ScanOp op = e.scan();
  if (!op || kernel.getRoot() != kernel::FusionRoot::Scan)
    return std::nullopt;
  ExpectedScan scan;
  scan.op = op;
  scan.dim = op.getDim();
  scan.type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<AffineExpr> sizes = e.sizeExprs(0);
  auto product = [&](ArrayRef<AffineExpr> factors) {
    return KernelEmission::product(factors, kernel.getContext());
  };
  scan.outerSize = product(ArrayRef(sizes).take_front(scan.dim));
  scan.size = sizes[scan.dim];
  scan.outer = expectedSize(kernel, scan.outerSize);
  scan.length = expectedSize(kernel, scan.size);
  scan.inner =
      expectedSize(kernel, product(ArrayRef(sizes).drop_front(scan.dim + 1)));
  return scan;
}

AffineExpr PartedScan::outerCount() {
  return KernelEmission::product(ArrayRef(e.sizeExprs(0)).take_front(dim),
                                 e.kernel.getContext());
}

void PartedScan::findSizes() {
  ArrayRef<Index> all(e.results.front().sizes);
  outerSizes.assign(all.take_front(dim));
  innerSizes.assign(all.drop_front(dim + 1));
  length = all[dim];
}

void PartedScan::setParts(AffineExpr count, AffineExpr most, int64_t tile,
                          ArrayRef<Index> rows) {
  AffineExpr tiles = atLeastOne(e.sizeExprs(0)[dim].ceilDiv(tile));
  AffineExpr ofRow = tiles.ceilDiv(tiles.ceilDiv(most));
  e.setConfig({count * ofRow}, {layout.threads, 1, 1}, 0, {1, 1, 1}, {},
              layout.workspace());
  blocks = gpu::GridDimOp::create(e.b, e.loc, gpu::Dimension::x).getResult();
  if (auto known = dyn_cast<AffineConstantExpr>(ofRow))
    parts = math.constant(known.getValue());
  else
    parts = math.div(blocks, math.product(rows));
}

void PartedScan::start() {
  thread = kernel.threadId();
  lane = math.rem(thread, math.constant(32));
  warp = math.div(thread, math.constant(32));
  kernel.await();
  partSums.start(thread, blocks);
}

void PartedScan::takePart() {
  std::optional<int64_t> known = IndexMath::constantOf(parts);
  mayShare = !known || *known > 1;
  number = kernel.blockId();
  if (mayShare && known) {
    number = partSums.takeNumber();
  } else if (mayShare) {
    isShared = kernel.compare(CmpIPredicate::ugt, parts, math.constant(1));
    number = partSums.takeNumber(isShared);
  }
  row = math.div(number, parts);
  rank = math.rem(number, parts);
}

void PartedScan::whereShared(llvm::function_ref<void()> body) {
  if (isShared)
    e.when(isShared, body);
  else if (mayShare)
    body();
}

SmallVector<Value>
PartedScan::valuesWhereShared(int64_t count,
                              llvm::function_ref<Elements()> body) {
  if (isShared)
    return kernel.valuesWhere(isShared, count, zero(), body);
  return mayShare ? SmallVector<Value>(body()) : zeros(count);
}
