//===- AttentionTilesBuilder.h - Attention as a tile function ---*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. BuildAttention.cpp has memory, the order of
// tiles and the producer, BuildConsumer.cpp the consumers.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILESBUILDER_H
#define TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILESBUILDER_H

#include "AttentionTiles.h"

#include "Codegen/Emit/AttentionSpace.h"

#include "tripy/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tripy::codegen::tiles {

/// What the powers of a row are relative to, and the exponent's factor there.
struct RowReference {
  /// The maximum, or its product with `scale` where products are bounded.
  mlir::Value maximum, scale;
};

class AttentionTilesBuilder {
public:
  AttentionTilesBuilder(KernelEmission &e, const AttentionProblem &problem,
                        const AttentionSchedule &schedule,
                        const CudaChip &chip);
  void build();

private:
  /// Where a tile lies, and the blocks of keys that it sees, which are counted
  /// from the last one on: of those in [masked, whole) all queries see all
  /// keys. `whole` is null, for all blocks, without a window's left side.
  struct TilePlace {
    llvm::SmallVector<mlir::Value> batch;
    mlir::Value head, keyHead, firstQuery, lastBlock, blocks, masked, whole;
  };
  /// What goes from block to block of keys.
  struct State {
    mlir::Value powers, sums, maximum, total, keyPos, valuePos;
  };
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x, y);
  }
  mlir::Value ceilDiv(mlir::Value x, int64_t by) {
    return binary<mlir::arith::DivUIOp>(
        binary<mlir::arith::AddIOp>(x, constant(by - 1)), constant(by));
  }
  mlir::Value splat(mlir::RankedTensorType type, double value);
  mlir::RankedTensorType fragment(int64_t columns, mlir::Type element,
                                  tile::FragKind kind = tile::FragKind::WgmmaD);
  mlir::RankedTensorType rowsType(bool partial);
  mlir::Value makeMap(const StridedOperand &operand, int64_t rows,
                      int64_t columns);
  mlir::Value makeRing(int64_t stages, int64_t rows, int64_t columns,
                       int64_t readers);
  mlir::Value awaitStage(mlir::Value ring, mlir::Value pos) {
    auto view = mlir::cast<tile::RingType>(ring.getType()).getView();
    return tile::RingWaitOp::create(b, loc, mlir::TypeRange(view), ring, pos)
        .getViews()
        .front();
  }
  void makeSizes();
  TilePlace placeOf(mlir::Value tile);
  mlir::Value pastOwnKey(mlir::Value query, int64_t keys);
  void placeKeys(TilePlace &at);
  std::pair<mlir::Value, mlir::Value> splitTile(mlir::Value tile);
  llvm::SmallVector<mlir::Value> coordinates(const StridedOperand &operand,
                                             const TilePlace &at,
                                             mlir::Value head, mlir::Value row);
  void overTiles(llvm::ArrayRef<mlir::Value> initial,
                 llvm::function_ref<llvm::SmallVector<mlir::Value>(
                     mlir::Value, mlir::ValueRange)>);
  void produce();
  void consume(mlir::Value number);
  mlir::Value firstKey(const TilePlace &at, mlir::Value number);
  mlir::Value scored(const TilePlace &at, mlir::Value products,
                     mlir::Value query, mlir::Value number, bool masked);
  mlir::Value exponent(mlir::Value scores, const RowReference &of,
                       bool isMaximum);
  mlir::Value powerOf(mlir::Value scores, const RowReference &of,
                      bool isMaximum = false);
  mlir::Value powerOfAll(mlir::Value scores, const RowReference &of);
  RowReference referenceOf(mlir::Value maximum);
  void takeKeys(const TilePlace &at, mlir::Value query, mlir::Value queries,
                mlir::Value number, mlir::Value member, State &state,
                bool masked);
  void startTile(const TilePlace &at, mlir::Value query, mlir::Value queries,
                 State &state);
  mlir::Value unlessEmpty(mlir::Value result, mlir::Value total);
  void finishTile(const TilePlace &at, mlir::Value query, State &state);
  State loopOver(const TilePlace &at, mlir::Value query, mlir::Value queries,
                 mlir::Value member, mlir::Value from, mlir::Value to,
                 const State &state, bool masked);
  bool isCausal() { return op.getCausal() != kernel::Causal::None; }
  bool isBanded() { return op.isBanded(); }
  /// Whether the last block of keys may go beyond the end.
  bool isRagged();

  KernelEmission &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const AttentionProblem &problem;
  const AttentionSchedule &schedule;
  const CudaChip &chip;
  kernel::AttentionOp op;
  tile::FuncOp function;
  mlir::Type element;
  int64_t group;
  ExponentScale exponents;
  /// Heads whose query tiles are walked together.
  int64_t section = 1;
  mlir::Value tiles, queryTiles, heads, allHeads, queries, keys;
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value queryMap, keyMap, valueMap, queryRing, keyRing, valueRing, order;
};

} // namespace tripy::codegen::tiles

#endif // TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILESBUILDER_H
