//===- Lowering.h - From tile functions to NVVM -----------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. One walk over a tile.func in program order, an
// operation at a time: values become lists of scalars. Lowering.cpp has
// functions, roles, loops and arithmetic, LowerRings.cpp shared memory and
// barriers, LowerProducts.cpp products and fragments, LowerElements.cpp what
// linalg says of elements, LowerTiles.cpp the tiles of persistent kernels and
// the results of contractions.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TILES_LOWERING_H
#define TRIPY_LIB_CODEGEN_CUDA_TILES_LOWERING_H

#include "Codegen/CUDA/Common/EmitCUDA.h"
#include "Codegen/CUDA/Contractions/WgmmaEmitter.h"

#include "Codegen/Emit/AttentionSpace.h"
#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tripy::codegen::tiles {

/// A view of shared memory: where it begins (an address, i32), and bytes from
/// one panel to the next.
struct SharedView {
  mlir::Value address;
  int64_t panelBytes = 0;
};

/// What a ring lies in: bytes from the start of shared memory.
struct PlacedRing {
  int64_t at = 0, barriers = 0, stages = 1;
};

class TileLowering {
public:
  TileLowering(CUDAKernel &kernel, tile::FuncOp function,
               mlir::ValueRange sizes, mlir::ValueRange maps);

  mlir::LogicalResult lower(mlir::LLVM::GlobalOp shared);

private:
  using Registers = llvm::SmallVector<mlir::Value>;

  // Lowering.cpp
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  void lowerPart(mlir::Value result, mlir::Value view, mlir::Value number,
                 int64_t bytes);
  bool lowerMemory(mlir::Operation *op);
  bool lowerProduct(mlir::Operation *op);
  bool lowerFragment(mlir::Operation *op);
  bool lowerResults(mlir::Operation *op);
  mlir::LogicalResult lowerRoles(llvm::ArrayRef<tile::RoleOp> roles,
                                 int64_t firstGroup);
  mlir::LogicalResult lowerRole(tile::RoleOp role, int64_t firstGroup);
  mlir::Value warpGroup();
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerArithmetic(mlir::Operation *op);
  Registers lowerConstant(mlir::arith::ConstantOp constant);
  mlir::Value hide(mlir::Value value);
  mlir::Value divideHidden(mlir::Value a, mlir::Value divisor);
  unsigned count(mlir::Type type);
  const Registers &of(mlir::Value value);
  mlir::Value scalar(mlir::Value value) { return of(value).front(); }

  // LowerRings.cpp
  void initialiseBarriers();
  PlacedRing placed(mlir::Value ring);
  Registers nextPosition(mlir::Value ring, const Registers &position);
  void fill(tile::RingFillOp op);
  void clear(mlir::Value start, int64_t bytes);
  void copyBox(mlir::Value to, mlir::Value map, mlir::ValueRange box,
               mlir::Value barrier);
  mlir::Value barrierAt(mlir::Value ring, mlir::Value stage, bool empty);
  mlir::Value stageAt(mlir::Value ring, mlir::Value stage, size_t view = 0);
  Registers skipPositions(tile::RingSkipOp op);
  void copyMaps(tile::RingFillOp op, mlir::Value stage, mlir::Value start,
                mlir::Value full);
  void release(tile::RingReleaseOp op);
  void waitTurn(mlir::Value order, mlir::Value member);
  void passTurn(mlir::Value order, mlir::Value member);
  void startOrders(tile::RoleOp role);

  // LowerProducts.cpp
  mlir::Value pack(llvm::ArrayRef<mlir::Value> values);
  Registers unpack(mlir::ValueRange packed);
  void multiply(tile::MmaAsyncOp op);
  void await(tile::MmaWaitOp op);
  Registers keepHere(llvm::ArrayRef<mlir::Value> values);
  Registers multiplyShared(tile::MmaAsyncOp op, Registers sums);
  Registers multiplyWords(tile::MmaAsyncOp op, Registers sums);
  mlir::Value descriptor(const SharedView &view, tile::SmemType type,
                         bool transposed);
  mlir::Value advance(mlir::Value start, int64_t bytes);
  Registers narrow(mlir::arith::TruncFOp op);
  Registers reduce(tile::ReduceOp op);
  Registers broadcast(tile::BroadcastOp op);

  // LowerElements.cpp
  Registers score(tile::ScoreOp op);
  Registers scoreKeys(tile::ScoreOp op);
  void store(tile::StoreOp op);
  Index fragmentRow();
  Index fragmentColumn();

  // LowerTiles.cpp
  mlir::LogicalResult lowerTiles(tile::ForTilesOp loop);
  mlir::LogicalResult openEpilogue();
  void placeTile(tile::ForTilesOp loop, Index number);
  void storeSums(mlir::Operation *op, mlir::Value sums, mlir::Value staging);
  Index indexOf(mlir::Value value);
  void spread(mlir::ValueRange targets, mlir::ValueRange scalars);

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t y) {
    return mlir::arith::MulIOp::create(b, loc, x, i32(y));
  }
  mlir::Value toI32(Index index) {
    return mlir::arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                            math.value(index));
  }
  Index toIndex(mlir::Value number) {
    return mlir::arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number)
        .getResult();
  }
  mlir::Value pointer(mlir::Value address) {
    return mlir::LLVM::IntToPtrOp::create(
        b, loc, mlir::LLVM::LLVMPointerType::get(b.getContext(), 3), address);
  }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  mlir::OpBuilder &b;
  mlir::Location loc;
  tile::FuncOp function;
  /// Of attention.
  std::optional<AttentionSpace> space;
  /// Of contractions: what their results are.
  std::unique_ptr<wgmma::WgmmaEmitter> epilogue;
  llvm::DenseMap<mlir::Value, Registers> registers;
  /// Of sizes, and of what counts tiles and K: as the kernel has them.
  llvm::DenseMap<mlir::Value, Index> indices;
  llvm::DenseMap<mlir::Value, SharedView> views;
  /// Of each tile.map, in order.
  llvm::SmallVector<mlir::Value> maps;
  mlir::Value base; ///< address of shared memory, i32
  Index thread;     ///< of the block
  Index block;      ///< of the launch, where the function counts tiles
  mlir::Value warp; ///< warpNumber(), once warpGroup() was asked for
};

/// Places the rings of `function` in shared memory, and numbers its barriers.
/// Errors: what does not fit, at `function`.
mlir::LogicalResult place(tile::FuncOp function, const CudaChip &chip);

} // namespace tripy::codegen::tiles

#endif // TRIPY_LIB_CODEGEN_CUDA_TILES_LOWERING_H
