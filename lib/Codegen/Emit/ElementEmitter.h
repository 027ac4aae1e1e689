//===- ElementEmitter.h - Scalar code for elements of tensors ---*- C++ -*-===//
//
// The core of the emitters: given a tensor in a kernel's linalg body, and
// indices, it emits the code that computes these elements, by composing index
// maps from the tensor back to memory. It handles linalg.generic and the tensor
// dialect's views, but no operation of Tripy's dialects.
//
// Floats of 16 bits and less are computed in f32 and rounded where they are
// stored, explicitly converted, or where kernel.round says so.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_ELEMENTEMITTER_H
#define TRIPY_CODEGEN_ELEMENTEMITTER_H

#include "IndexMath.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <functional>
#include <map>

namespace tripy::codegen {

using Index = IndexMath::Index;
using Elements = llvm::SmallVector<mlir::Value>;

/// How a memory is read and written; what is not Plain is for CUDA alone.
enum class Access : uint8_t {
  Plain,
  /// Read or written once: loads of 4 to 16 bytes leave the L1 cache to others,
  /// stores of 16 bytes are the first to leave the L2 cache.
  Streamed,
  /// Brings the elements to the L2 cache; the values are meaningless.
  Prefetch,
  /// The same where no two threads read the same sector of it.
  PrefetchApart,
  /// No access; the values are meaningless.
  None,
};

/// Whether an access yields no values.
inline bool loadsNothing(Access access) {
  return access == Access::Prefetch || access == Access::PrefetchApart ||
         access == Access::None;
}

/// A tensor in memory: row-major, dense.
struct Memory {
  mlir::Value pointer; ///< !llvm.ptr
  mlir::Type elementType;
  llvm::SmallVector<Index> sizes;
  /// Bytes that divide the address of element 0.
  int64_t alignment = 16;
  /// Nothing writes it while the kernel runs.
  bool readOnly = true;
  Access access = Access::Plain;
  /// Two elements, of i4, in a byte; it is only read. Shared memory has a byte
  /// for each.
  bool packed = false;
};

/// Private to lib/Codegen/Emit.
struct RunPlaces;
struct Padded;
struct PadRun;

struct EmitterOptions {
  /// Widest access in bytes.
  int64_t accessBytes = 16;
  /// The processor has no instructions that round to and widen these: they are
  /// integers in the code.
  bool softwareBF16 = false, softwareF16 = false;
  /// Elements that may be outside of a tensor are read behind a branch: the
  /// processor loads vectors with masks.
  bool guardedReads = false;
};

class ElementEmitter {
public:
  ElementEmitter(IndexMath &math, const EmitterOptions &options)
      : math(math), options(options) {
    memo.emplace_back();
  }

  /// Says where the elements of `tensor` (an argument) lie.
  void bindMemory(mlir::Value tensor, Memory memory) {
    memories[tensor] = std::move(memory);
  }
  /// Where they lie; null when that was not said. What is changed holds for
  /// code emitted from then on.
  Memory *memoryOf(mlir::Value tensor) {
    auto it = memories.find(tensor);
    return it == memories.end() ? nullptr : &it->second;
  }
  /// Gives the elements of `tensor` by other means: the result of a reduction.
  using Source =
      std::function<Elements(llvm::ArrayRef<Index>, int64_t vectorSize)>;
  void bindSource(mlir::Value tensor, Source source) {
    sources[tensor] = std::move(source);
  }
  void unbindSource(mlir::Value tensor) { sources.erase(tensor); }
  /// Says what an index value of the kernel is in the emitted code.
  void bindIndex(mlir::Value value, Index index) { indices[value] = index; }

  /// Computes the sizes of all tensors and the index values of `body` at the
  /// insertion point; to be called once, at the start of the emitted code.
  mlir::LogicalResult prepare(mlir::Block &body);

  llvm::ArrayRef<Index> sizesOf(mlir::Value tensor) const;

  /// Where tensors lie, and all sizes and indices that are known.
  struct Shapes {
    llvm::DenseMap<mlir::Value, Memory> memories;
    llvm::DenseMap<mlir::Value, Index> indices;
    llvm::DenseMap<mlir::Value, llvm::SmallVector<Index>> sizes;
  };
  Shapes shapes() const { return {memories, indices, sizes}; }
  void setShapes(Shapes shapes) {
    memories = std::move(shapes.memories);
    indices = std::move(shapes.indices);
    sizes = std::move(shapes.sizes);
  }

  /// Elements at `index` and the `vectorSize - 1` ones that follow along the
  /// last dimension, in the compute type.
  Elements emit(mlir::Value tensor, llvm::ArrayRef<Index> index,
                int64_t vectorSize = 1);
  mlir::Value emitOne(mlir::Value tensor, llvm::ArrayRef<Index> index) {
    return emit(tensor, index, 1).front();
  }

  /// `count` elements of `tensor` from number `first` on, in row-major order:
  /// they may go on in the next rows. For bodies that have runs, on tensors
  /// with `first + count` elements or more.
  Elements emitRun(mlir::Value tensor, Index first, int64_t count);
  /// Elements of a flat tensor from number `first` on, as many as `vector` has,
  /// one by one where the tensor ends within them; else `vector`. Without a
  /// branch: the assembler leaves loads in front of one until those of its own
  /// block have come.
  Elements loadOverEnd(const Memory &flat, Index first, Elements vector);
  /// What emitRun() gave before in a scope that is open; null for none.
  const Elements *foundRun(mlir::Value tensor, Index first,
                           int64_t count) const;
  /// Says what emitRun() gives for `first` and as many elements, in the current
  /// scope.
  void bindRun(mlir::Value tensor, Index first, Elements elements);
  /// Whether all tensors of `body` are computed element by element in the order
  /// of the results, but for broadcasts and views; without `inOrder`, rows may
  /// have another order. `mayGather`: or computed at the index of each, as
  /// where it is read at elements of other tensors.
  static bool hasRuns(mlir::Block &body, bool inOrder, bool mayGather = false);

  /// Whether each element of all tensors of `body` is computed from those of
  /// the same number in their row-major orders, and from tensors of one
  /// element.
  static bool isInOrder(mlir::Block &body);

  /// Of how many tensors the elements of a concatenation in `body` are chosen
  /// at most, those of nested ones included.
  static int64_t joinedParts(mlir::Block &body);
  /// Whether seams of concatenations may be within vectors of `count` elements
  /// of a row.
  static bool hasSeams(mlir::Block &body, int64_t count);
  /// Elements of a run: `longest`, a power of two, or half of it where that
  /// leaves all runs within one computed input of a concatenation.
  static int64_t runLength(mlir::Block &body, int64_t longest);

  /// Body of `op` for one iteration: `inputs` are the values of the operands.
  /// Returns what it yields.
  llvm::SmallVector<mlir::Value> emitBody(mlir::linalg::GenericOp op,
                                          mlir::ValueRange operands,
                                          llvm::ArrayRef<Index> loops);
  /// Values of operand `number` of `op` at a point of its iteration space.
  mlir::Value emitOperand(mlir::linalg::GenericOp op, unsigned number,
                          llvm::ArrayRef<Index> loops);
  /// The same for `vectorSize` points along loop `vectorLoop`.
  Elements emitOperandElements(mlir::linalg::GenericOp op, unsigned number,
                               llvm::ArrayRef<Index> loops, int64_t vectorLoop,
                               int64_t vectorSize);
  /// The same of a contraction, as factors: in the type of its sums.
  Elements emitFactors(mlir::linalg::GenericOp op, unsigned number,
                       llvm::ArrayRef<Index> loops, int64_t vectorLoop,
                       int64_t vectorSize);
  /// An element of that operand, in its compute type, as a factor.
  mlir::Value asFactor(mlir::linalg::GenericOp op, unsigned number,
                       mlir::Value element);

  Elements load(const Memory &memory, llvm::ArrayRef<Index> index,
                int64_t vectorSize);
  void store(const Memory &memory, llvm::ArrayRef<Index> index,
             llvm::ArrayRef<mlir::Value> elements);

  /// A computed value as it is stored.
  mlir::Value narrow(mlir::Value computed, mlir::Type element);
  /// The type that values of `element` are computed in. Of unsigned integers it
  /// has the same bits, and no sign; of i4 it is i8, with the same value.
  static mlir::Type computeType(mlir::Type element);
  /// The type that `element` has in memory.
  static mlir::Type storageType(mlir::Type element);

  /// Elements emitted inside are forgotten at its end. Open one for each block.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) {
      emitter.memo.emplace_back();
      emitter.math.pushScope();
    }
    ~Scope() {
      emitter.memo.pop_back();
      emitter.math.popScope();
    }

  private:
    ElementEmitter &emitter;
  };

  /// Emits code whose elements are forgotten: indices that it computes are
  /// found again later.
  void emitIndices(llvm::function_ref<void()> body) {
    memo.emplace_back();
    body();
    memo.pop_back();
  }

  IndexMath &indexMath() { return math; }

private:
  struct Key {
    const void *tensor;
    llvm::SmallVector<const void *> index;
    int64_t vectorSize;
    bool operator<(const Key &other) const {
      return std::tie(tensor, vectorSize, index) <
             std::tie(other.tensor, other.vectorSize, other.index);
    }
  };

  Elements emitUncached(mlir::Value tensor, llvm::ArrayRef<Index> index,
                        int64_t vectorSize);
  Elements emitRunUncached(mlir::Value tensor, Index first, int64_t count);
  Elements emitRunElements(mlir::Value tensor, Index first, int64_t count);
  Elements emitGenericRun(mlir::linalg::GenericOp op, unsigned result,
                          Index first, int64_t count);
  Elements emitConcatRun(mlir::tensor::ConcatOp op, Index first, int64_t count);
  /// An input of a concatenation: where its part of a row begins, a row being
  /// the dimensions of the result from the joined one on, and its elements.
  struct Joined {
    mlir::Value tensor;
    Index begin, own;
  };
  Elements emitPadParts(const Padded &padded, const PadRun &run,
                        mlir::Value border);
  bool canPredicate(const Memory &memory, const PadRun &run);
  Elements emitPredicatedParts(const Memory &memory, const PadRun &run,
                               mlir::Value border);
  Elements emitPadRun(const Padded &padded, mlir::Value result, Index first,
                      int64_t count);
  Elements emitChosenRun(mlir::tensor::ConcatOp op, Index first, int64_t count);
  Elements emitChosenParts(mlir::tensor::ConcatOp op,
                           llvm::ArrayRef<Joined> inputs, Index first,
                           int64_t count);
  mlir::Value isOfSeveral(llvm::ArrayRef<Joined> inputs, Index at,
                          int64_t count);
  Elements chooseInput(llvm::ArrayRef<Joined> inputs, Index row, Index at,
                       int64_t count);
  Elements emitSliceRun(mlir::tensor::ExtractSliceOp op, Index first,
                        int64_t count);
  Elements loadOverRow(const Memory &memory, Index here, Index next,
                       const RunPlaces &places, Index step, int64_t part);
  Elements emitBroadcastRun(mlir::Value tensor, mlir::AffineMap map,
                            Index first, llvm::ArrayRef<Index> sizes,
                            int64_t count);
  RunPlaces runPlaces(Index first, llvm::ArrayRef<Index> sizes, int64_t count,
                      int64_t step = 1);
  void placeOverRow(Index rest, llvm::ArrayRef<Index> sizes, int64_t step,
                    RunPlaces &places);
  void placeOverRows(Index rest, llvm::ArrayRef<Index> sizes, int64_t step,
                     RunPlaces &places);
  int64_t partOfRun(Index first, Index size, int64_t count);
  Elements emitPerElement(mlir::Value tensor, llvm::ArrayRef<Index> index,
                          int64_t vectorSize);
  Elements emitGeneric(mlir::linalg::GenericOp op, unsigned result,
                       llvm::ArrayRef<Index> index, int64_t vectorSize);
  bool isFlat(mlir::Value tensor, unsigned depth = 8);
  Elements emitCollapse(mlir::tensor::CollapseShapeOp op,
                        llvm::ArrayRef<Index> index, int64_t vectorSize);
  Elements emitExpand(mlir::tensor::ExpandShapeOp op,
                      llvm::ArrayRef<Index> index, int64_t vectorSize);
  Elements emitSlice(mlir::tensor::ExtractSliceOp op,
                     llvm::ArrayRef<Index> index, int64_t vectorSize);
  Elements emitConcat(mlir::tensor::ConcatOp op, llvm::ArrayRef<Index> index,
                      int64_t vectorSize);
  Elements emitConcatFrom(mlir::tensor::ConcatOp op, unsigned input,
                          llvm::ArrayRef<Index> index, int64_t vectorSize);
  Elements emitBodyElements(mlir::linalg::GenericOp op, unsigned result,
                            llvm::ArrayRef<Elements> operands,
                            llvm::ArrayRef<Index> loops, int64_t vectorLoop,
                            int64_t vectorSize);
  Elements emitExtractElements(mlir::tensor::ExtractOp op,
                               llvm::ArrayRef<mlir::IRMapping> mappings,
                               llvm::ArrayRef<Index> loops, int64_t vectorLoop);
  Elements loadPacked(const Memory &memory, llvm::ArrayRef<Index> index,
                      int64_t vectorSize);
  mlir::Value emitScalarOp(mlir::Operation *op, mlir::IRMapping &mapping);
  /// The choice between `read` and a constant outside, if `read` is emitted as
  /// a branch.
  mlir::arith::SelectOp guardOf(mlir::tensor::ExtractOp read);
  mlir::Value emitGuardedRead(mlir::tensor::ExtractOp read,
                              mlir::arith::SelectOp guard,
                              mlir::IRMapping &mapping);
  /// Where a predicated load may find its elements: `offset` elements behind
  /// `pointer`, if `holds`.
  struct GuardedPlace {
    mlir::Value pointer, holds;
  };
  Elements loadUnaligned(const Memory &memory, Index offset, int64_t count);
  /// `count` elements of 1 byte to 8 bytes together, without a branch: from the
  /// place that holds, or `otherwise`. At most one place holds.
  Elements loadPredicated(const Memory &memory,
                          llvm::ArrayRef<GuardedPlace> places, int64_t offset,
                          int64_t count, mlir::Value otherwise);
  mlir::Value widen(mlir::Value stored, mlir::Type element);
  /// A computed value as memory would hold it, in the compute type.
  mlir::Value round(mlir::Value computed, mlir::Type element);
  bool isSoftware(mlir::Type element) const;
  /// storageType(), or i16 for what integer operations convert.
  mlir::Type storedType(mlir::Type element) const;
  mlir::LogicalResult prepareIndex(mlir::Operation *op);
  mlir::LogicalResult prepareSizes(mlir::Operation *op);
  mlir::LogicalResult prepareConstant(mlir::arith::ConstantOp constant);
  void prepareCollapse(mlir::tensor::CollapseShapeOp view);
  void prepareSlice(mlir::tensor::ExtractSliceOp view);
  void prepareConcat(mlir::tensor::ConcatOp concat);
  void setSizes(mlir::Value tensor, llvm::ArrayRef<Index> mixed);
  Index mapped(Index index);

  IndexMath &math;
  EmitterOptions options;
  llvm::DenseMap<mlir::Value, Memory> memories;
  llvm::DenseMap<mlir::Value, Source> sources;
  llvm::DenseMap<mlir::Value, Index> indices;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Index>> sizes;
  std::vector<std::map<Key, Elements>> memo;
  /// Values that were just rounded to an element type, as they are stored.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> rounded;
};

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_ELEMENTEMITTER_H
