//===- GemvEmitter.h - Code of contractions with few rows -------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. EmitCUDAGemv.cpp has the loads and the products,
// GemvResults.cpp the sums of a block and the epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_GEMVEMITTER_H
#define TRIPY_LIB_CODEGEN_CUDA_GEMVEMITTER_H

#include "Gemv.h"

#include "Codegen/Emit/ContractionSpace.h"

namespace tripy::codegen {

class GemvEmitter {
public:
  GemvEmitter(CUDAKernel &kernel, const GemvSchedule &schedule,
              ContractionSpace space)
      : kernel(kernel), e(kernel.e), math(e.math), schedule(schedule),
        space(std::move(space)) {}

  void emit();

private:
  /// What a thread reads of the matrices at once: the elements of each
  /// contraction and column.
  using Fragment = llvm::SmallVector<Elements>;
  /// A position along K, and whether it is inside where it may be past the end.
  struct At {
    Index k;
    mlir::Value inside;
  };

  void locate();
  bool isMatrixSteady();
  void loadAhead();
  void loadEarly(mlir::scf::IfOp branch);
  void stageVectors();
  llvm::SmallVector<mlir::Value> accumulate();
  llvm::SmallVector<Fragment> loadRound(Index begin, int64_t depth,
                                        bool masked);
  llvm::SmallVector<mlir::Value>
  multiplyRound(llvm::ArrayRef<Fragment> fragments, Index begin,
                mlir::ValueRange sums, bool masked);
  llvm::SmallVector<mlir::Value>
  foldAcrossLanes(llvm::SmallVector<mlir::Value> sums);
  void storeFolded(llvm::ArrayRef<mlir::Value> sums);
  void storeColumns(llvm::ArrayRef<mlir::Value> sums, int64_t firstRow,
                    int64_t rows);
  Elements addUp(int64_t count, llvm::function_ref<Elements(int64_t)> load);
  Elements reduceParts(Index row, Index column, int64_t vectorSize);
  void reduceToTotals(int64_t firstRow, int64_t rows);
  Elements reduceBlocks(Index row, Index column, int64_t vectorSize);
  int64_t resultVectorSize(int64_t rows);
  void finish(int64_t firstRow, int64_t rows);
  void finishVector(Index row, int64_t firstRow, Index column,
                    int64_t vectorSize);

  llvm::SmallVector<Index> pointAt(Index row, Index column, Index k);
  At kAt(Index begin, int64_t access, int64_t depth, bool masked);
  Index columnAt(int64_t number);
  Fragment matrixAt(const At &at);
  Elements vectorAt(int64_t row, const At &at, int64_t count);
  llvm::SmallVector<mlir::Value>::iterator
  multiply(const Elements &elements, const Elements &vector,
           llvm::SmallVector<mlir::Value>::iterator sum);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value zero() {
    return mlir::arith::ConstantOp::create(e.b, e.loc, e.b.getZeroAttr(number));
  }
  void setAccess(Access access);
  /// Sums of one row of all contractions, counted in rows of shared memory.
  int64_t each() const { return schedule.contractions(); }

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  GemvSchedule schedule;
  ContractionSpace space;
  mlir::Type number;
  mlir::Value initial;
  /// The kernel's arguments that the matrices are made of.
  llvm::SmallVector<mlir::BlockArgument> sources;
  /// Sums of the block's parts, [part][row, contraction][column], of some rows
  /// at a time; where a cluster shares K, those of the block, of all rows.
  Memory parts, totals;
  /// Point of the first element of this block's batch.
  llvm::SmallVector<Index> origin;
  /// Of this thread: its place along K or along the columns, its group, its
  /// part, and its block's place in the cluster.
  Index thread, place, group, part, rank;
  Index columnBegin;
  /// The last operation in front of the wait for the kernels in front, and the
  /// last one of the wait.
  mlir::Operation *beforeWait = nullptr, *wait = nullptr;
  /// The conversions of the first round. They follow the computation of the
  /// vectors, since elements as loaded take half the registers.
  llvm::SmallVector<mlir::Operation *> ofAhead;
  /// The first round of accesses, where it is loaded before the wait.
  llvm::SmallVector<Fragment> ahead;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_GEMVEMITTER_H
