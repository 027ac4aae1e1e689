//===- ClusterExchange.h - Results of a cluster's blocks --------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. The blocks of a cluster tell each other their
// part of a reduction: each sends it to a place in the shared memory of every
// block, under an mbarrier of that block, and waits for its own mbarrier.
//
// A barrier of the cluster would do as well, but it orders all of memory: each
// thread first waits until what it stored, a row of results, is visible to the
// whole GPU.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_CLUSTEREXCHANGE_H
#define TRIPY_LIB_CODEGEN_CUDA_CLUSTEREXCHANGE_H

#include "EmitCUDA.h"

namespace tripy::codegen {

/// A kernel makes its `exchanges` once, in their order. What others send can be
/// ahead of a block that still waits for, or reads, the parts of an earlier
/// one: each has places of its own.
///
/// No block needs to wait for others at its end: it has all that they send it.
class ClusterExchange {
public:
  ClusterExchange(CUDAKernel &kernel, int64_t blocks, unsigned exchanges)
      : kernel(kernel), e(kernel.e), blocks(blocks), exchanges(exchanges) {}

  /// Makes the mbarriers. `rank`: of this block in the cluster.
  void start(Index rank);
  /// Behind start() and before the first exchange: all blocks have started.
  void awaitStart();
  /// Exchange `number`: combines the `value` of the blocks,
  /// which all threads of a block have. Every thread gets the result, the same
  /// bits in all blocks.
  mlir::Value combine(mlir::linalg::GenericOp op, unsigned number,
                      mlir::Value value);

  /// Instead of combine(), where only the first block needs what the others
  /// have: `values` neighbours of `place`, an array of wordType(), from each of
  /// `senders` threads. The first block expects them, all others send theirs
  /// and may end, and a thread of the first that awaits them finds them all.
  void expect(int64_t senders, int64_t values, mlir::Type type);
  void sendToFirst(llvm::ArrayRef<mlir::Value> values, const Memory &place);
  void await();
  /// What a value of `type` is sent as: 32 or 64 bits.
  mlir::Type wordType(mlir::Type type);
  mlir::Value fromWord(mlir::Value word, mlir::Type type);

private:
  mlir::Value toWord(mlir::Value value);
  void storeAsync(llvm::ArrayRef<mlir::Value> words, mlir::Value to,
                  mlir::Value barrier);
  void send(mlir::Value word, const Memory &place, mlir::Value barrier);

  CUDAKernel &kernel;
  KernelEmission &e;
  int64_t blocks;
  unsigned exchanges;
  Index rank;
  Memory barriers;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_CLUSTEREXCHANGE_H
