//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//
//
// Kernels of warp groups: rings, roles, fragments, products under way. See
// TileOps.td. Internal: not promised to other projects.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TILE_TILE_H
#define TRIPY_DIALECT_TILE_TILE_H

#include "tripy/Dialect/Common/Contract.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tripy/Dialect/Tile/TileEnums.h.inc"

#include "tripy/Dialect/Tile/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tripy/Dialect/Tile/TileTypes.h.inc"

namespace tripy::tile {

/// Threads of a warp group; rows of a fragment.
inline constexpr int64_t groupThreads = 128, groupRows = 64;
/// What stages begin at multiples of: the pattern of the widest swizzle, bytes.
inline constexpr int64_t stageAlignment = 1024;
/// Bytes of an mbarrier. Named barriers of a block.
inline constexpr int64_t barrierBytes = 8, namedBarriers = 16;
/// Registers of a multiprocessor, which a block's threads divide in eights.
inline constexpr int64_t multiprocessorRegisters = 65536;
/// Registers that each of a block's `threads` begins with, when the block has a
/// multiprocessor to itself: a multiple of 8, and no more than an instruction
/// can name.
constexpr int64_t registersOfThread(int64_t threads) {
  int64_t share = multiprocessorRegisters / threads / 8 * 8;
  return share < 248 ? share : 248;
}

/// The layout of a tensor; null where it has none.
FragAttr layoutOf(mlir::Type type);
bool isFragment(mlir::Type type);
/// Elements that a thread has of a fragment.
int64_t elementsPerThread(mlir::RankedTensorType fragment);
/// Where element `number` of a thread lies behind the thread's first row and
/// column.
std::pair<int64_t, int64_t> placeOf(mlir::RankedTensorType fragment,
                                    int64_t number);

} // namespace tripy::tile

#define GET_OP_CLASSES
#include "tripy/Dialect/Tile/TileOps.h.inc"

namespace tripy::tile {

/// `number`, which IR may give as anything, as far as sums and products of some
/// are numbers too.
int64_t bounded(uint64_t number);
/// Warp groups of all roles.
int64_t numGroups(FuncOp function);
/// Registers of a thread at the start.
int64_t registersOfLaunch(FuncOp function);

} // namespace tripy::tile

#endif // TRIPY_DIALECT_TILE_TILE_H
