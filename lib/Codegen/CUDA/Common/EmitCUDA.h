//===- EmitCUDA.h - CUDA code of kernels ------------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. Each emitter fills the body of a gpu.func for
// one thread and sets the launch configuration.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_EMITCUDA_H
#define TRIPY_LIB_CODEGEN_CUDA_EMITCUDA_H

#include "Codegen/Emit/KernelEmission.h"
#include "tripy/Codegen/CudaChip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tripy::codegen {

/// Rows and columns of the results that a block computes; 0: any.
struct TileSize {
  int64_t m = 0, n = 0;
};

/// One kernel's function and what its threads share.
struct CUDAKernel {
  KernelEmission &e;
  mlir::gpu::GPUModuleOp module;
  const CudaChip &chip;
  /// Blocks may form clusters that read each other's shared memory.
  bool hasClusters = chip.hasClusters();
  /// Blocks that a multiprocessor must have registers for; 0: as it happens.
  int64_t residentBlocks = 0;
  /// Blocks that start early ask for what they load first.
  bool prefetches = false;
  /// No program of several launches begins with this kernel: it lets the next
  /// one start before it waits itself.
  bool releasesEarly = false;
  /// Memory of the kernel's own, and memory that it finds and leaves zero.
  llvm::SmallVector<mlir::Value> workspace = {};

  /// Waits for the kernels in front, and lets the next one start. Every thread
  /// executes it once, in front of all accesses. `firstLoads` emits what the
  /// block loads first, under the same conditions: blocks that start before the
  /// kernels in front have ended bring that to the L2 cache meanwhile. What it
  /// computes is meaningless, and it stores nothing. Behind setConfig().
  /// `points`: only arguments with so many elements or more are brought (where
  /// sizes are dynamic, with as many). Of a smaller
  /// one, thousands of threads would ask for the same few lines, which one
  /// slice of the L2 answers one after the other: a bias of 64 f32, added
  /// to 3.5 MB, took 15 us, and torch.compile 3 (H200).
  void await(llvm::function_ref<void()> firstLoads = {},
             std::optional<Index> points = std::nullopt);
  /// In front of await(): computes the quotients of indices by sizes that the
  /// code of `body` needs, which is emitted again behind the wait and finds
  /// them there. It is executed in all threads, and reads and stores nothing.
  void divideAhead(llvm::function_ref<void()> body);
  /// Both without prefetches.
  void awaitAndRelease();
  /// The kernel does not wait, but starts when the one in front has ended: for
  /// few long blocks of which several fit a multiprocessor. They would go where
  /// there is room first, two to a multiprocessor that is idle. 1500x1280x1280
  /// in f32 took 193 us, and alone 112 (H100).
  void startAlone() { e.kernel.removeWaitsForAttr(); }
  /// For reductions: arguments with as many elements as the space of `loops`
  /// has, each of which is read once, leave the L1 cache alone.
  void streamArguments(llvm::ArrayRef<Index> loops);
  /// For `firstLoads`: emits the results from `at` on, and stores nothing.
  void loadFor(llvm::ArrayRef<Index> at, int64_t vectorSize = 1);
  /// Moves the loads from global memory in `branch`, or those of them that are
  /// invariant, to in front of `place`, an operation of the function's body,
  /// with all that their addresses and the condition are computed from: their
  /// latency then counts beside that of the work in between.
  static void loadEarly(mlir::scf::IfOp branch, mlir::Operation *place,
                        bool areInvariant = false);
  /// Moves the invariant loads that follow in the function's body, and in
  /// branches there, to in front of `place`, the wait for the kernels in front.
  static void loadSteadyEarly(mlir::Operation *place);
  /// To be called when all of `function` is emitted: drops what nothing uses,
  /// which is most of `firstLoads`, and divisions by sizes, by which equal
  /// kernels would differ.
  static void finish(mlir::Operation *function);

  Index threadId();
  Index blockId();
  void barrier();
  /// Waits for all threads of the cluster; their shared memory is up to date.
  void clusterBarrier() {
    clusterArrive();
    clusterWait();
  }
  void clusterArrive();
  void clusterWait();
  /// `shared` as block `rank` of the cluster has it. All its blocks must run.
  Memory sharedOf(const Memory &shared, Index rank);
  /// The array `memory` from element `index` on.
  Memory elementOf(const Memory &memory, Index index);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index a, Index b);
  /// `index` where `valid`, 0 elsewhere; keeps the factors of `index`.
  Index clampTo(mlir::Value valid, Index index);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The `count` values of `body`, which is executed only where `condition`
  /// holds; `otherwise` for each elsewhere.
  Elements valuesWhere(mlir::Value condition, int64_t count,
                       mlir::Value otherwise,
                       llvm::function_ref<Elements()> body);
  /// The same with as many values as `otherwise` has.
  Elements valuesWhere(mlir::Value condition, mlir::ValueRange otherwise,
                       llvm::function_ref<Elements()> body);
  /// An array of `elements` numbers in static shared memory: the same one for
  /// the same name.
  Memory sharedArray(llvm::StringRef name, mlir::Type type,
                     llvm::ArrayRef<int64_t> sizes);
  /// The block's shared memory whose size is `scratch` of the configuration.
  mlir::Value dynamicShared();
  /// Value of the lane `lane XOR distance`; any number type.
  mlir::Value
  shuffle(mlir::Value value, int32_t distance,
          mlir::gpu::ShuffleMode mode = mlir::gpu::ShuffleMode::XOR);
  /// The same; `distance`, or the lane, is an i32.
  mlir::Value shuffle(mlir::Value value, mlir::Value distance,
                      mlir::gpu::ShuffleMode mode);
  /// Combines the values of `lanes` neighbours, a power of 2 of at most 32;
  /// each of them gets the result.
  mlir::Value
  overLanes(mlir::Value value, int64_t lanes,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  /// The sum of the integers of the lanes of a warp up to `lane`, which is the
  /// thread's own.
  mlir::Value sumUpTo(mlir::Value value, Index lane);
  /// Combines the values of `lanes` neighbours, a power of 2: every lane gets
  /// the result. All lanes of the warp take part.
  mlir::Value reduceWarp(mlir::linalg::GenericOp op, mlir::Value value,
                         int64_t lanes = 32);
  /// Combines the values of the `threads` threads of a block; every thread
  /// gets the result. `shared` has 32 elements that nothing else uses.
  mlir::Value reduceBlock(mlir::linalg::GenericOp op, mlir::Value value,
                          int64_t threads, const Memory &shared);
  /// Adds 1 to the number of 32 bits at `counter`, in global memory, or makes
  /// it 0 where it is `last`; gives what it was. What this thread has seen
  /// before is visible to threads that count later.
  mlir::Value countUp(mlir::Value counter, Index last);
  /// Counts this block as one of the `parts` of `strip`, one of `strips`, for
  /// all threads, `thread` being this one. Whether all other parts were there
  /// before: what their blocks have stored is visible then.
  mlir::Value isLastPart(Index strip, Index strips, Index parts, Index thread);

  /// sharedArray() by names.
  std::map<std::string, mlir::LLVM::GlobalOp> sharedArrays = {};
  /// blockId(), at the start of the function; null before it is asked for.
  mlir::Value block = {};

private:
  void prefetch(llvm::function_ref<void()> firstLoads,
                std::optional<Index> points);
};

/// Declares what the pointers of `kernel`, the first arguments of `function`,
/// may do: tensor arguments are read alone, and keep their values while the
/// kernel runs when no other writes them.
void describePointers(kernel::FuncOp kernel,
                      mlir::FunctionOpInterface function);

/// The function of a kernel whose block has a multiprocessor for itself.
struct FunctionWithMaps {
  mlir::LLVM::LLVMFuncOp function;
  /// All shared memory, of a size that the launch says.
  mlir::LLVM::GlobalOp shared;
  /// Arguments in this order; sizes as `index`, and tensor maps by value.
  mlir::ValueRange pointers;
  llvm::SmallVector<mlir::Value> sizes;
  mlir::ValueRange maps;
};

/// Creates it; `b` is left in front of its return.
FunctionWithMaps openWithMaps(kernel::FuncOp kernel, mlir::OpBuilder &b,
                              unsigned pointers, unsigned sizes, unsigned maps,
                              int64_t threads);

/// Arguments of which `kernel` reads a slice of single elements, or of every
/// other element: neighbours of the results are apart in them.
llvm::SetVector<mlir::Value> readApart(kernel::FuncOp kernel);

/// Whether `argument` keeps its values from the start of `kernel` on, also when
/// that starts early.
bool isSteady(kernel::FuncOp kernel, mlir::BlockArgument argument);

/// Waits until the kernels before this one in its program have ended and their
/// results are visible; nothing before it may read what `waitsFor` names (a
/// prefetch reads nothing), or write. Every thread executes it once. Nothing
/// when the kernel does not start early. docs/overlap.md says why this
/// suffices.
void awaitPredecessors(KernelEmission &e);
/// Lets the next kernel of the program start, as far as there is room. In
/// kernels that programs begin with after awaitPredecessors(): what is in front
/// of the program is complete when the second kernel starts.
void releaseDependents(KernelEmission &e);

/// Brings the `bytes` (i32, a multiple of 16) at `from` to the L2 cache.
void prefetchBulk(KernelEmission &e, mlir::Value from, mlir::Value bytes);
/// Emits, for one thread of the grid, prefetches to the L2 cache of all small
/// arguments that no kernel in front writes, such as a bias or the weights of
/// a norm: blocks load these after the wait, some of them last of all, and a
/// model of any size has driven them out of the cache since its last run. One
/// thread, since thousands would wait for the same lines.
void prefetchParameters(KernelEmission &e);

/// The number (i32) of this warp in its block: the same in all lanes, and known
/// to be so, as what is computed from it.
mlir::Value warpNumber(KernelEmission &e, Index thread);

/// Emits `body` for one thread of warp `number`, always the same one.
/// elect.sync chooses it: behind another condition the assembler makes a loop
/// over threads of each TMA instruction, and keeps its operands in registers of
/// threads. `warp` is warpNumber().
void inOneThread(KernelEmission &e, mlir::Value warp, int64_t number,
                 llvm::function_ref<void()> body);

/// A byte address in this block's shared memory (i32), for copies that reach
/// all blocks of a cluster: such addresses are addresses in a cluster.
mlir::Value clusterPointer(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value address);

/// Waits until the phase of `parity` (i32) of the mbarrier at `barrier` is
/// complete: what was copied under it is there for this thread.
void awaitPhase(mlir::OpBuilder &b, mlir::Location loc, mlir::Value barrier,
                mlir::Value parity);

/// `index`, which is computed in 32 bits where `size` is below 2^32 by `room`
/// or more: it is right where it is not above `size + room`.
Index asNarrow(KernelEmission &e, Index index, Index size, int64_t room = 0);

/// All values that `value` is computed from, itself among them; also what the
/// bodies of operations read.
llvm::SetVector<mlir::Value> computedFrom(mlir::Value value);

/// Elements that a thread handles side by side: 16 bytes of the smallest
/// element type among the kernel's tensors, at most 8.
int64_t vectorSizeOf(kernel::FuncOp kernel);
inline int64_t vectorSizeOf(KernelEmission &e) {
  return vectorSizeOf(e.kernel);
}

/// The widths, in elements, that kernels have versions for where sizes are
/// known at run time only, the widest first: vectorSizeOf() and a word of 4
/// bytes. Between these a warp's accesses differ in number, not in the lines
/// they touch.
llvm::SmallVector<int64_t> widthsOf(kernel::FuncOp kernel);

/// Where the element at `index` of a tensor of `sizes` is in `result`, which
/// may have other dimensions of size 1.
llvm::SmallVector<Index> placeIn(const Memory &result,
                                 llvm::ArrayRef<Index> index,
                                 llvm::ArrayRef<Index> sizes, IndexMath &math);

/// Marks the functions and divisions of `kernel` whose results all end in 16
/// bits (see requiredAccuracy()). `roundedOperand`: a contraction's operand
/// that the emitter rounds to its type before it multiplies, or null.
void markAccuracy(kernel::FuncOp kernel, mlir::Value roundedOperand = {});

/// `longest`: elements of a thread that lie side by side at most.
void emitCUDALoop(CUDAKernel &kernel, int64_t longest = 8);
/// Emits a loop kernel that reads a tensor across its contiguous dimension,
/// through tiles in shared memory. False, and nothing emitted, for others.
bool emitCUDATranspose(CUDAKernel &kernel);
/// The same for tensors whose last dimensions are short, or those of the
/// results: through boxes of more than two dimensions. False, and nothing
/// emitted, for others.
bool emitCUDAPermute(CUDAKernel &kernel);
/// The same for one tensor of static sizes, where rows are no whole vectors.
/// False, and nothing emitted, for others.
bool emitCUDAPermuteImage(CUDAKernel &kernel);
/// A reduction that keeps the last dimension.
void emitCUDAColumn(CUDAKernel &kernel, mlir::linalg::GenericOp op);
void emitCUDARow(CUDAKernel &kernel);
/// The first places of extremes of many rows. False, and nothing emitted, for
/// other kernels.
bool emitCUDAFirstPlace(CUDAKernel &kernel);
void emitCUDAReduce(CUDAKernel &kernel);
/// Running sums.
void emitCUDAScan(CUDAKernel &kernel);
/// Attention, of any types and sizes.
void emitCUDAAttention(CUDAKernel &kernel);
/// Positions in sorted order.
void emitCUDASort(CUDAKernel &kernel);
/// Contractions on the tensor cores of warps or on CUDA cores, as the kernel's
/// schedule says.
mlir::LogicalResult emitCUDAGemm(CUDAKernel &kernel);

/// Keeps loads where they are: LLVM would move them to where their values are
/// used, or to the start of a loop that carries these. Nothing is emitted.
void pinLoads(mlir::OpBuilder &b, mlir::Location loc);

/// `value`, i32, of which LLVM does not see where it is from: what it knew, or
/// would compute of it in front of a loop, is not. Nothing is emitted.
mlir::Value hideFromLLVM(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_EMITCUDA_H
