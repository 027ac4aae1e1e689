//===- TransposeTile.cpp - Tiles of loops that transpose ------------------===//

#include "TransposeTile.h"

#include "Codegen/Emit/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Of the results: those of the profile's `opt` where sizes are dynamic.
static std::optional<int64_t> expectedElements(CUDAKernel &kernel) {
  AffineExpr elements = KernelEmission::product(kernel.e.sizeExprs(0),
                                                kernel.e.kernel.getContext());
  if (auto known = dyn_cast<AffineConstantExpr>(elements))
    return known.getValue();
  return expectedSize(kernel.e.kernel, elements);
}

/// Elements of small and of large tiles.
static constexpr int64_t smallTile = 32 * 32, largeTile = 64 * 64;

/// Whether small tiles leave less to the busiest multiprocessor than large
/// ones: where some would have none of these, and where the busiest one would
/// have a quarter more.
static bool wantsSmallTiles(int64_t elements, const CudaChip &chip) {
  auto loadOf = [&](int64_t tile) {
    int64_t tiles = llvm::divideCeil(elements, tile);
    return llvm::divideCeil(tiles, chip.multiprocessors) * tile;
  };
  return elements < chip.multiprocessors * largeTile ||
         loadOf(largeTile) * 4 > loadOf(smallTile) * 5;
}

/// From one large tile for each multiprocessor on, boxes are large
/// (EmitCUDAPermute.cpp), and tiles from behind half a second one on.
SmallVector<int64_t> codegen::transposeTileLimits(const CudaChip &chip) {
  int64_t each = chip.multiprocessors * largeTile;
  return {each, each * 3 / 2 + 1, chip.streamedElements};
}

/// Whether all tensors that `kernel` reads have elements of 16 bits or fewer.
static bool readsNarrow(kernel::FuncOp kernel) {
  return llvm::all_of(kernel.getFunctionType().getInputs(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getElementTypeBitWidth() <= 16;
  });
}

bool codegen::readsOddRows(CUDAKernel &kernel) {
  auto isOdd = [&](BlockArgument argument) {
    Memory *memory = kernel.e.elements.memoryOf(argument);
    std::optional<int64_t> size;
    if (memory && !memory->sizes.empty())
      size = IndexMath::constantOf(memory->sizes.back());
    return size && *size % 2 != 0;
  };
  kernel::FuncOp function = kernel.e.kernel;
  return readsNarrow(function) &&
         llvm::any_of(function.getBody().getArguments(), isOdd);
}

/// Larger tiles read longer runs of memory; they are used where enough of them
/// are left for the GPU. 512 threads load a tile of 32 KB in 4 accesses each,
/// and begin to store sooner than 256 threads with 8: 8192 x 16384 take 130.5
/// us, not 136.3. With registers for three such blocks instead of four, the
/// assembler issues all loads first: 131.4 us in another run, not 132.6. Those
/// are too few for the version of a kernel whose rows are no words.
TransposeTile codegen::chooseTransposeTile(CUDAKernel &kernel) {
  std::optional<int64_t> elements = expectedElements(kernel);
  TransposeTile tile;
  if (readsNarrow(kernel.e.kernel) && elements &&
      *elements >= kernel.chip.streamedElements &&
      kernel.e.innerSizes().empty()) {
    tile.size = 128;
    tile.threads = 512;
  } else if (elements && wantsSmallTiles(*elements, kernel.chip)) {
    tile.size = 32;
    tile.threads = 128;
  }
  return tile;
}

/// Elements of a tile at most, which may be behind the end.
static constexpr int64_t maxOutside = 1 << 16;

Index codegen::clampInside(CUDAKernel &kernel, Index index, Index size,
                           bool whole, Value &valid) {
  if (whole)
    return index;
  KernelEmission &e = kernel.e;
  Index narrow = asNarrow(e, index, size, maxOutside);
  Value fits;
  if (narrow != index) {
    auto word = [&](Index of) {
      return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                          e.math.value(of));
    };
    fits = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult,
                                 word(narrow), word(size));
    index = narrow;
  } else {
    fits = kernel.compare(arith::CmpIPredicate::ult, index, size);
  }
  valid =
      valid ? arith::AndIOp::create(e.b, e.loc, valid, fits).getResult() : fits;
  return kernel.clampTo(fits, index);
}
