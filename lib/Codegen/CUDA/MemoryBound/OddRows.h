//===- OddRows.h - Transposes of rows that are no words ---------*- C++ -*-===//
//
// Private to EmitCUDAOddRows.cpp and OddRowsEnds.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_ODDROWS_H
#define TRIPY_LIB_CODEGEN_CUDA_ODDROWS_H

#include "PermutedTensors.h"
#include "TransposeTile.h"

#include <vector>

namespace tripy::codegen {

/// A tensor as the block reads it: element (row, column) of its part is at
/// begin + row * stride + column.
struct OddTensor {
  PermutedTensor tensor;
  Index begin, stride;
};

/// What a thread has of the tile.
struct OddLoad {
  Memory shared;
  Index place;
  Elements values;
  /// Null where all threads have it.
  mlir::Value valid;
};

/// A word of the results.
struct OddPiece {
  Index at;
  mlir::Value valid;
  llvm::SmallVector<llvm::SmallVector<Index>> points;
  /// Of each tensor, where its elements are in shared memory.
  llvm::SmallVector<llvm::SmallVector<Index>> sources;
  /// Of each tensor in the order of the output.
  llvm::SmallVector<Elements> along;
  llvm::SmallVector<Elements> values;
};

class OddRowsEmitter : PermutedTensors {
public:
  OddRowsEmitter(CUDAKernel &kernel, const TransposeTile &tile)
      : PermutedTensors(kernel), tile(tile.size), threads(tile.threads) {}
  bool choose();
  int64_t tileElements() const { return (tile + per) * slots() * per; }
  /// Whether both sides' rows may begin within words. Of one side alone, the
  /// wide accesses of the other are worth more.
  bool isOdd() const { return oddReads && oddWrites; }
  unsigned count() const { return staged.size(); }
  bool sidesAre(llvm::ArrayRef<unsigned> rows,
                llvm::ArrayRef<unsigned> columns);
  void begin();
  void emit(llvm::ArrayRef<mlir::Value> arrays);
  llvm::SmallVector<mlir::Value> arrays;

private:
  /// Rows of the tile with the same place in a word.
  int64_t slots() const { return tile / per + 1; }
  int64_t words() const { return tile / per; }
  /// Elements in front of the tile's first one.
  int64_t lead() const { return oddWrites ? per - 1 : 0; }
  int64_t rows() const { return tile + lead(); }
  Index number(int64_t value) { return math.constant(value); }
  /// The place of element `index` in its word.
  Index within(Index index) {
    return math.factorOf(index) % per == 0 ? number(0)
                                           : math.rem(index, number(per));
  }
  Index narrow(Index index);
  Index wordOf(Index index);
  Index strideIn(llvm::ArrayRef<unsigned> order, unsigned dim);
  Index beginOf(llvm::ArrayRef<unsigned> order);
  mlir::Value both(mlir::Value a, mlir::Value b);
  Memory flat(const Memory &memory);
  void locate();
  /// Whether tiles have all of dimension `dim`, and nothing else of it.
  bool isWhole(unsigned dim) {
    std::optional<int64_t> size = IndexMath::constantOf(sizeOf(dim));
    return size && *size % tile == 0;
  }
  Index slotOf(Index row);
  void loadPiece(const OddTensor &odd, const Memory &shared, Index row,
                 int64_t more, Index word, mlir::Value valid, bool behind);
  void load(const OddTensor &odd, const Memory &shared);
  void loadTail(const OddTensor &odd, const Memory &shared);
  void placePieces();
  llvm::SmallVector<llvm::SmallVector<Index>> sourcesOf(Index word, Index row,
                                                        Index shift);
  void loadAlong();
  void loadAlong(OddPiece &piece, const PermutedTensor &tensor);
  void bind();
  llvm::SmallVector<Index> pointOf(Index row, Index column);
  Elements compute(mlir::Value result, OddPiece &piece);
  void write();
  void writeEnd(Index column, Index row, mlir::Value valid);
  void writeEnds();

  int64_t tile, threads, bytes = 0, per = 1;
  /// Whether rows of the tensors, or of the results, may begin within words.
  bool oddReads = false, oddWrites = false;
  /// The output's last dimension, and that of the tensors.
  unsigned inner = 0, across = 0;
  llvm::SmallVector<OddTensor> tensors;
  llvm::SmallVector<Memory> shared;
  llvm::SmallVector<Index> origin;
  Index innerFirst, acrossFirst, outBegin, outStride;
  std::vector<OddLoad> loaded;
  std::vector<OddPiece> pieces;
  OddPiece *current = nullptr;
  int64_t element = 0;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_ODDROWS_H
