//===- EmitCUDALoop.cpp - CUDA code of element-wise kernels ---------------===//
//
// A thread has some neighbouring elements of the results, 16 bytes of the
// smallest type: of one row where rows are whole vectors, else in row-major
// order over the ends of rows (ElementRuns.cpp). Where the size of rows is
// known at run time only, a kernel has code for both.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block of element-wise kernels.
static constexpr int64_t loopThreads = 256;

/// Bytes of the smallest element type among the tensors of `kernel`, or 16.
static int64_t smallestBytes(kernel::FuncOp kernel) {
  int64_t bytes = 16;
  auto visit = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes = std::min<int64_t>(
          bytes, ElementEmitter::storageType(tensor.getElementType())
                         .getIntOrFloatBitWidth() /
                     8);
  };
  for (Type type : kernel.getFunctionType().getInputs())
    visit(type);
  for (Type type : kernel.getFunctionType().getResults())
    visit(type);
  return bytes;
}

int64_t codegen::vectorSizeOf(kernel::FuncOp kernel) {
  return std::min<int64_t>(8, 16 / smallestBytes(kernel));
}

SmallVector<int64_t> codegen::widthsOf(kernel::FuncOp kernel) {
  SmallVector<int64_t> widths;
  for (int64_t width : {vectorSizeOf(kernel), 4 / smallestBytes(kernel)})
    if (width > 1 && !llvm::is_contained(widths, width))
      widths.push_back(width);
  return widths;
}

/// From this number of vectors for each thread that the GPU has room for, a
/// thread takes several.
static constexpr int64_t manyRounds = 4;

/// Vectors of a thread that nearly only writes.
static constexpr int64_t writtenPieces = 2;

/// Threads that the GPU has room for.
static int64_t fullThreads(const CudaChip &chip) {
  return chip.multiprocessors * chip.maxResident(loopThreads) * loopThreads;
}

/// Whether `index` of a read is an element of a tensor.
static bool isData(Value index) {
  return !index.getDefiningOp<linalg::IndexOp>() &&
         !matchPattern(index, m_Constant());
}

static bool readsWhere(KernelEmission &e,
                       llvm::function_ref<bool(tensor::ExtractOp)> holds) {
  return e.kernel.getBody()
      .walk([&](tensor::ExtractOp extract) {
        return holds(extract) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a body reads at indices that are elements of tensors.
static bool gathers(KernelEmission &e) {
  return readsWhere(e, [](tensor::ExtractOp extract) {
    return llvm::any_of(extract.getIndices(), isData);
  });
}

/// Whether it does so in the last dimension: neighbours may be anywhere.
static bool gathersSingles(KernelEmission &e) {
  return readsWhere(e, [](tensor::ExtractOp extract) {
    return !extract.getIndices().empty() &&
           llvm::any_of(computedFrom(extract.getIndices().back()),
                        llvm::IsaPred<BlockArgument>);
  });
}

namespace {
/// Of a thread that has several vectors, spaced by the block's threads.
struct Piece {
  SmallVector<Index> at;
  /// Null where all threads have it.
  Value inside;
  SmallVector<Elements> values;
};
} // namespace

/// The places of the `pieces` vectors of each thread; sets the configuration,
/// for `all` vectors or more.
static SmallVector<Piece> takePieces(CUDAKernel &kernel,
                                     ArrayRef<Index> vectors, AffineExpr all,
                                     int64_t vectorSize, int64_t pieces) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  Index count = math.product(vectors);
  std::optional<int64_t> known = IndexMath::constantOf(count);
  int64_t perBlock = loopThreads * pieces;
  e.setConfig({all.ceilDiv(perBlock)}, {loopThreads, 1, 1}, 0);
  Index first = math.add(math.mul(kernel.blockId(), math.constant(perBlock)),
                         kernel.threadId());
  SmallVector<Piece> taken(pieces);
  for (auto [number, piece] : llvm::enumerate(taken)) {
    Index id = math.add(first, math.constant(number * loopThreads));
    piece.at = math.delinearize(id, vectors);
    if (!known || *known % perBlock != 0) {
      piece.inside = kernel.compare(arith::CmpIPredicate::ult, id, count);
      // All indices but the first one are inside in any case, and divisions of
      // what is not chosen have 32 bits.
      piece.at.front() = kernel.clampTo(piece.inside, piece.at.front());
    }
    piece.at.back() = math.mul(piece.at.back(), math.constant(vectorSize));
  }
  return taken;
}

/// All vectors of a thread are read before any is written.
static void emitPieces(KernelEmission &e, SmallVector<Piece> &pieces,
                       int64_t vectorSize) {
  for (Piece &piece : pieces)
    for (Value result : e.yielded())
      piece.values.push_back(e.elements.emit(result, piece.at, vectorSize));
  for (Piece &piece : pieces) {
    auto store = [&] {
      for (auto [memory, values] : llvm::zip(e.results, piece.values))
        e.elements.store(memory, piece.at, values);
    };
    if (piece.inside)
      e.when(piece.inside, store);
    else
      store();
  }
}

/// Stores do not stay in the caches, which are for rows read again.
static void emitGatheringLoop(CUDAKernel &kernel, ArrayRef<Index> vectors,
                              AffineExpr all, int64_t vectorSize,
                              int64_t pieces) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  SmallVector<Piece> taken =
      takePieces(kernel, vectors, all, vectorSize, pieces);
  for (Memory &result : e.results)
    result.access = Access::Streamed;
  // One thread of each row asks for its index: all of them would ask for the
  // same line. Rows without vectors may be indices themselves. What has fewer
  // elements than there are rows is the same for many.
  Index rows = math.product(vectors.drop_back());
  kernel.await(
      [&] {
        for (Piece &piece : taken)
          if (vectorSize > 1)
            e.when(kernel.compare(arith::CmpIPredicate::eq, piece.at.back(),
                                  math.constant(0)),
                   [&] { kernel.loadFor(piece.at, vectorSize); });
      },
      rows);
  emitPieces(e, taken, vectorSize);
}

/// Whether threads take runs of the results, which are the same for all.
/// `inOrder`: all operands' elements are in the order of the results.
static bool takesRuns(KernelEmission &e, bool inOrder) {
  auto isLike = [&](const Memory &result) {
    return result.sizes == e.results.front().sizes && !result.packed;
  };
  return llvm::all_of(e.results, isLike) &&
         ElementEmitter::hasRuns(e.kernel.getBody().front(), inOrder,
                                 /*mayGather=*/true);
}

/// Whether nearly all that the kernel moves are its results, as of an outer
/// product: 256 threads with 16 bytes each are 4 KB, and the GPU starts 0.83
/// blocks in a nanosecond, which is less than what memory takes.
static bool mostlyWrites(KernelEmission &e) {
  int64_t read = 0, written = 0;
  auto add = [&](const Memory &memory, int64_t &bytes) {
    std::optional<int64_t> elements =
        e.math.expectedOf(e.math.product(memory.sizes));
    Type type = ElementEmitter::storageType(memory.elementType);
    bytes += elements.value_or(0) * type.getIntOrFloatBitWidth() / 8;
    return elements.has_value();
  };
  bool isKnown = true;
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument))
      isKnown &= add(*memory, read);
  for (const Memory &result : e.results)
    isKnown &= add(result, written);
  return isKnown && read * 4 <= written;
}

namespace {
/// What the threads of an element-wise kernel take.
struct LoopShape {
  /// All elements in row-major order, as vectors that may go over the ends of
  /// rows; else vectors of the last dimension.
  bool flat = false;
  /// Such vectors have elements at computed indices.
  bool runs = false;
  bool even = false;
  /// Rows may be whole vectors or not, as is known at run time.
  bool versions = false;
  int64_t vectorSize = 1;
  /// Vectors of a thread, where there are enough threads.
  int64_t pieces = 1;
  SmallVector<Index> sizes;
  SmallVector<AffineExpr> exprs;
};
} // namespace

/// Parts of a concatenation that a vector chooses from: each element has a
/// condition for each. With more, a thread has one element.
static constexpr int64_t maxParts = 16;

/// Narrower vectors where what is read has no vectors and there is little of
/// it: what its elements wait for, of a gather an index and then an element
/// somewhere, takes as long for one as for many, and more multiprocessors ask
/// for more of them at a time.
static void spreadOut(KernelEmission &e, const CudaChip &chip,
                      LoopShape &shape) {
  std::optional<int64_t> elements =
      e.math.expectedOf(e.math.product(shape.sizes));
  SmallVector<int64_t> widths = widthsOf(e.kernel);
  int64_t least = widths.empty() ? 1 : widths.back();
  while (elements && shape.vectorSize > least &&
         *elements < shape.vectorSize * chip.multiprocessors * loopThreads)
    shape.vectorSize /= 2;
}

static LoopShape shapeOf(KernelEmission &e, const CudaChip &chip,
                         int64_t longest) {

  IndexMath &math = e.math;
  SmallVector<Index> whole(e.results.front().sizes);
  LoopShape shape{.vectorSize = std::min(longest, vectorSizeOf(e)),
                  .sizes = whole,
                  .exprs = e.sizeExprs(0)};
  shape.flat = e.isPointwise() || whole.empty();
  bool isRows = !shape.flat;
  std::optional<int64_t> inner =
      isRows ? IndexMath::constantOf(whole.back()) : std::nullopt;
  Block &body = e.kernel.getBody().front();
  bool isVectors = inner && *inner % shape.vectorSize == 0 &&
                   !ElementEmitter::hasSeams(body, shape.vectorSize);
  bool hasMany = ElementEmitter::joinedParts(body) > maxParts;
  if (isRows && !isVectors && hasMany)
    shape.vectorSize = 1;
  shape.versions = isRows && !inner && shape.vectorSize > 1;
  // Where dividing is dear, a run divides once, whatever the order of rows.
  bool isStatic = llvm::all_of(
      whole, [](Index size) { return IndexMath::constantOf(size); });
  if (isRows && !isVectors && !hasMany && takesRuns(e, isStatic)) {
    shape.runs = true;
    // There are no rows where only dimensions of one element move.
    shape.versions &= !ElementEmitter::isInOrder(body);
    if (inner)
      shape.vectorSize = ElementEmitter::runLength(body, shape.vectorSize);
  }
  if (shape.runs || shape.versions)
    shape.flat = true;
  if (shape.flat) {
    shape.sizes = {math.product(whole)};
    shape.exprs = {KernelEmission::product(shape.exprs, e.kernel.getContext())};
  }
  // Narrower vectors, and more of them, where others do not fit in rows.
  inner = IndexMath::constantOf(shape.sizes.back());
  if (!shape.flat && inner) {
    int64_t fitting = std::gcd(shape.vectorSize, *inner);
    shape.pieces =
        std::max<int64_t>(shape.vectorSize / fitting,
                          mostlyWrites(e) && !hasMany ? writtenPieces : 1);
    shape.vectorSize = fitting;
  }
  if (shape.runs && !shape.versions && mostlyWrites(e))
    shape.pieces = writtenPieces;
  if (gathersSingles(e) || !readApart(e.kernel).empty())
    spreadOut(e, chip, shape);
  shape.even = e.math.factorOf(shape.sizes.back()) % shape.vectorSize == 0;
  return shape;
}

/// `memory` with one dimension.
static Memory flattened(KernelEmission &e, Memory memory) {
  memory.sizes = {e.math.product(memory.sizes)};
  return memory;
}

/// Emits the run of all results from element `first` on, and stores it.
static void emitRuns(KernelEmission &e, Index first, int64_t count,
                     bool stores) {
  SmallVector<Elements> values;
  for (Value result : e.yielded())
    values.push_back(e.elements.emitRun(result, first, count));
  if (!stores)
    return;
  for (auto [memory, elements] : llvm::zip(e.results, values))
    e.elements.store(flattened(e, memory), {first}, elements);
}

namespace {
/// Emits a loop of one shape.
class LoopEmitter {
public:
  LoopEmitter(CUDAKernel &kernel, int64_t longest)
      : kernel(kernel), e(kernel.e), math(e.math),
        whole(e.results.front().sizes), shape(shapeOf(e, kernel.chip, longest)),
        width(math.constant(shape.vectorSize)) {}
  void emit();

private:
  SmallVector<Index> elementAt(Index number);
  void emitVector(bool stores);
  bool emitSeveral(ArrayRef<Index> vectors);
  void emitVersions();
  void emitRows();
  void emitSingles();
  void emitRest();
  void emitRunPieces(MutableArrayRef<Piece> taken);
  void prefetchAligned();

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  SmallVector<Index> whole;
  LoopShape shape;
  Index width;
  /// Of this thread, its first element in the order of the results, and the
  /// number of all whole vectors.
  Index id, first, count;
  Value isVector;
};
} // namespace

/// Indices of an element of the results. Where all operands are read at the
/// same ones, kernels of equal element counts have equal code.
SmallVector<Index> LoopEmitter::elementAt(Index number) {
  return math.delinearize(number, e.results.front().sizes,
                          /*joinedAgain=*/e.isPointwise());
}

void LoopEmitter::emitVector(bool stores) {
  SmallVector<Index> vectors(shape.sizes);
  vectors.back() = math.div(shape.sizes.back(), width);
  SmallVector<Index> at = math.delinearize(id, vectors);
  at.back() = math.mul(at.back(), width);
  if (shape.runs)
    return emitRuns(e, first, shape.vectorSize, stores);
  if (shape.flat)
    at = elementAt(at.back());
  if (stores)
    e.emitResults(at, shape.vectorSize);
  else
    kernel.loadFor(at, shape.vectorSize);
}

/// The elements behind the last whole vector, one for each thread behind those
/// that have vectors.
void LoopEmitter::emitRest() {
  Index element = math.add(math.mul(count, width), math.sub(id, count));
  Value isRest = arith::AndIOp::create(
      e.b, e.loc, kernel.compare(arith::CmpIPredicate::uge, id, count),
      kernel.compare(arith::CmpIPredicate::ult, element, shape.sizes.back()));
  e.when(isRest, [&] { e.emitResults(elementAt(element)); });
}

/// As many elements for each thread as a vector has, one by one: neighbouring
/// threads have neighbours.
void LoopEmitter::emitSingles() {
  Index block =
      math.mul(kernel.blockId(), math.constant(loopThreads * shape.vectorSize));
  Index first = math.add(block, kernel.threadId());
  e.loop(math.constant(0), width, math.constant(1), [&](Index pass) {
    Index element = math.add(first, math.mul(pass, math.constant(loopThreads)));
    e.when(
        kernel.compare(arith::CmpIPredicate::ult, element, shape.sizes.back()),
        [&] { e.emitResults(elementAt(element)); });
  });
}

/// Arguments of the results' shape.
void LoopEmitter::prefetchAligned() {
  for (BlockArgument argument : e.kernel.getBody().getArguments())
    if (Memory *memory = e.elements.memoryOf(argument);
        memory && memory->sizes == whole && !memory->packed) {
      Memory flat = *memory;
      flat.sizes = shape.sizes;
      e.elements.load(flat, {math.mul(id, width)}, shape.vectorSize);
    }
}

/// Several runs of each thread, which nearly only write: all are computed
/// before any is stored. The first blocks have what is behind the last whole
/// run.
void LoopEmitter::emitRunPieces(MutableArrayRef<Piece> taken) {
  kernel.await();
  Index all = shape.sizes.back();
  for (Piece &piece : taken) {
    piece.at = {asNarrow(e, piece.at.back(), all)};
    for (Value result : e.yielded())
      piece.values.push_back(
          e.elements.emitRun(result, piece.at.front(), shape.vectorSize));
  }
  for (const Piece &piece : taken) {
    auto store = [&] {
      for (auto [memory, values] : llvm::zip(e.results, piece.values))
        e.elements.store(flattened(e, memory), piece.at, values);
    };
    if (piece.inside)
      e.when(piece.inside, store);
    else
      store();
  }
  if (shape.even)
    return;
  count = math.mul(math.div(all, width), width);
  Index element = math.add(
      count, math.add(math.mul(kernel.blockId(), math.constant(loopThreads)),
                      kernel.threadId()));
  e.when(kernel.compare(arith::CmpIPredicate::ult, element, all),
         [&] { e.emitResults(elementAt(element)); });
}

/// Code for rows of whole vectors, and code for others. Of these, some are
/// multiples of a word, and in some at most one row ends within a run.
void LoopEmitter::emitVersions() {
  kernel.await([&] { e.when(isVector, [&] { prefetchAligned(); }); });
  using Version = KernelEmission::Version;
  SmallVector<Version> versions = {{shape.vectorSize, shape.vectorSize}};
  if (shape.runs) {
    for (int64_t width : widthsOf(e.kernel))
      if (width < shape.vectorSize)
        versions.push_back({width, shape.vectorSize});
    versions.push_back({1, shape.vectorSize});
  }
  e.versions(e.innerSizes(), versions, [&](Version version) {
    if (version.factor == shape.vectorSize)
      return emitRows();
    if (!shape.runs)
      return emitSingles();
    e.when(isVector, [&] { emitVector(true); });
    emitRest();
  });
}

/// A vector of a row.
void LoopEmitter::emitRows() {
  e.when(isVector, [&] {
    if (shape.runs)
      return emitRuns(e, first, shape.vectorSize, /*stores=*/true);
    e.emitResults(math.delinearize(first, e.results.front().sizes),
                  shape.vectorSize);
  });
}

/// Code of threads that have several vectors each, where there are enough for
/// that; else returns false.
bool LoopEmitter::emitSeveral(ArrayRef<Index> vectors) {
  std::optional<int64_t> expected = math.expectedOf(math.product(vectors));
  if (!expected)
    return false;
  int64_t full = fullThreads(kernel.chip);
  // Where what is behind the last whole vector is taken too, there are blocks
  // for it in any case.
  SmallVector<AffineExpr> exprs(shape.exprs);
  exprs.back() = shape.runs ? exprs.back().ceilDiv(shape.vectorSize)
                            : exprs.back().floorDiv(shape.vectorSize);
  AffineExpr all = KernelEmission::product(exprs, e.kernel.getContext());
  if (!shape.flat && *expected >= manyRounds * full && gathers(e)) {
    emitGatheringLoop(kernel, vectors, all, shape.vectorSize,
                      std::max(kernel.chip.gatheredVectors, shape.pieces));
    return true;
  }
  while (shape.pieces > 1 && *expected < shape.pieces * full)
    shape.pieces /= 2;
  // What has no whole vector is of no piece, but is read where one would be.
  std::optional<kernel::SizeRange> size = math.rangeOf(shape.sizes.back());
  bool hasVectors =
      !shape.runs || (size && size->values.lo >= shape.vectorSize);
  if (shape.pieces == 1 || shape.versions || !hasVectors)
    return false;
  SmallVector<Piece> taken =
      takePieces(kernel, vectors, all, shape.vectorSize, shape.pieces);
  if (shape.runs) {
    emitRunPieces(taken);
    return true;
  }
  kernel.await(
      [&] {
        for (Piece &piece : taken)
          kernel.loadFor(piece.at, shape.vectorSize);
      },
      math.product(whole));
  emitPieces(e, taken, shape.vectorSize);
  return true;
}

/// One thread handles `vectorSize` neighbours; where they can't be cut evenly,
/// threads beyond the vectors take the rest one by one.
void LoopEmitter::emit() {
  SmallVector<Index> vectors(shape.sizes);
  vectors.back() = math.div(shape.sizes.back(), width);
  if (emitSeveral(vectors))
    return;
  // The cache is for what is gathered.
  if (gathers(e))
    for (Memory &result : e.results)
      result.access = Access::Streamed;
  AffineExpr rest = e.constantExpr(0);
  bool singles = shape.versions && !shape.runs;
  if (singles)
    shape.exprs.back() = shape.exprs.back().ceilDiv(shape.vectorSize);
  else if (!shape.even)
    rest = shape.exprs.back() % shape.vectorSize;
  if (!singles)
    shape.exprs.back() = shape.exprs.back().floorDiv(shape.vectorSize);
  AffineExpr threads =
      KernelEmission::product(shape.exprs, e.kernel.getContext()) + rest;
  e.setConfig({threads.ceilDiv(loopThreads)}, {loopThreads, 1, 1}, 0);

  id = math.add(math.mul(kernel.blockId(), math.constant(loopThreads)),
                kernel.threadId());
  count = math.product(vectors);
  // The last block has threads that have nothing.
  if (Index all = math.product(whole); !IndexMath::constantOf(all)) {
    id = asNarrow(e, id, all, 2 * loopThreads);
    count = asNarrow(e, count, all);
  }
  isVector = kernel.compare(arith::CmpIPredicate::ult, id, count);
  if (shape.flat)
    first = asNarrow(e, math.mul(id, width), shape.sizes.back());
  kernel.divideAhead([&] {
    if (shape.versions && !shape.runs)
      math.delinearize(first, whole);
    else
      emitVector(/*stores=*/false);
  });
  if (shape.versions)
    return emitVersions();
  kernel.await([&] { e.when(isVector, [&] { emitVector(false); }); },
               math.product(whole));
  e.when(isVector, [&] { emitVector(true); });
  // Only the flat form has a rest.
  if (!shape.even && shape.vectorSize > 1)
    emitRest();
}

void codegen::emitCUDALoop(CUDAKernel &kernel, int64_t longest) {
  LoopEmitter(kernel, longest).emit();
}
