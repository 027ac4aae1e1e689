//===- EmitCUDATranspose.cpp - CUDA code of loops that transpose ----------===//
//
// A loop kernel that reads a tensor across its contiguous dimension. Tiles of
// the tensor go through shared memory, so that memory is read and written along
// its contiguous dimension, 16 bytes at a time where the sizes allow. The rest
// of the kernel is emitted as for any loop; only the tensor's elements come
// from the tile.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "tripy/Codegen/TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Static shared memory of a block.
static constexpr int64_t sharedBytes = 48 * 1024;
/// From this number of elements on, large tiles are taken: 1024 of them. Such
/// tensors do not fit in the caches, so that reads and writes are streaming.
static constexpr int64_t manyElements = 1024 * 128 * 128;
/// Dimensions shorter than this are not worth a tile.
static constexpr int64_t shortest = 16;

namespace {
/// A tensor that goes through a tile. Its last dimension is the output's
/// dimension `contiguous`; its dimension `across` is the output's last one.
struct Staged {
  Value tensor;
  AffineMap map;
  unsigned contiguous, across;
  /// Elements of an access of 16 bytes, of a load, and of a row of the tile.
  int64_t vector, width, pitch;
  bool swizzled;
  Memory shared;
};

class TransposeEmitter {
public:
  explicit TransposeEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math) {}
  bool choose();
  void emit();

private:
  std::optional<Staged> stage(Value tensor, AffineMap map);
  void chooseTile();
  void locate();
  void fill(Staged &staged);
  void bind(const Staged &staged);
  void write();
  /// Element of the tile in row `row` and column `column`.
  Index placeOf(const Staged &staged, Index row, Index chunk, Index within);
  /// `global` less the tile's start, given that `at` is `local` of the tile.
  Index localOf(Index global, Index start, Index at, Index local);
  Index inside(Index index, Index size, bool whole, Value &valid);

  CUDAKernel &kernel;
  KernelEmission &e;
  IndexMath &math;
  /// Elements of a tile along the output's contiguous dimension, and along the
  /// tensors' one.
  int64_t tileRows = 64, tileColumns = 64, tileThreads = 256;
  unsigned last = 0, contiguous = 0;
  int64_t vectorSize = 1;
  SmallVector<Staged> tensors;
  SmallVector<Index> sizes;
  /// Whether the dimension is a multiple of the tile.
  bool wholeRows = false, wholeColumns = false;
  /// The tile's first output element; the thread's element and its place.
  SmallVector<Index> origin, at;
  Index column, row;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is read, and how
//===----------------------------------------------------------------------===//

std::optional<Staged> TransposeEmitter::stage(Value tensor, AffineMap map) {
  if (!map || map.getNumResults() < 2 || !memoryBehind(tensor))
    return std::nullopt;
  auto inner = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!inner || inner.getPosition() == last)
    return std::nullopt;
  Staged staged{tensor, map, inner.getPosition(), 0, 1, 1, tileColumns,
                false,  {}};
  bool found = false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return std::nullopt;
    if (dim && dim.getPosition() == last) {
      staged.across = i;
      found = true;
    }
  }
  if (!found)
    return std::nullopt;
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  int64_t bytes =
      ElementEmitter::storageType(element).getIntOrFloatBitWidth() / 8;
  staged.vector = std::min<int64_t>(8, 16 / bytes);
  std::optional<int64_t> size =
      IndexMath::constantOf(e.elements.sizesOf(tensor).back());
  staged.width = size && *size % staged.vector == 0 ? staged.vector : 1;
  staged.swizzled = vectorSize > 1;
  // One word more in each row spreads a column over the banks.
  staged.pitch = staged.swizzled
                     ? tileColumns
                     : tileColumns + std::max<int64_t>(1, 4 / bytes);
  return staged;
}

/// Larger tiles read longer runs of memory; they are used where enough of them
/// are left for the GPU. 512 threads load a tile of 32 KB in 4 accesses each,
/// and begin to store sooner than 256 threads with 8: 8192 x 16384 take 130.5
/// us, not 136.3. With registers for three such blocks instead of four, the
/// assembler issues all loads first: 131.4 us in another run, not 132.6.
void TransposeEmitter::chooseTile() {
  std::optional<int64_t> elements = IndexMath::constantOf(math.product(sizes));
  bool narrow =
      llvm::all_of(e.kernel.getFunctionType().getInputs(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return !tensor || tensor.getElementTypeBitWidth() <= 16;
      });
  if (narrow && elements && *elements >= manyElements) {
    tileRows = tileColumns = 128;
    tileThreads = 512;
    kernel.residentBlocks = 3;
  }
}

bool TransposeEmitter::choose() {
  sizes = e.results.front().sizes;
  if (sizes.size() < 2)
    return false;
  last = sizes.size() - 1;
  std::optional<int64_t> columns = IndexMath::constantOf(sizes.back());
  vectorSize = vectorSizeOf(e);
  if (!columns || *columns % vectorSize != 0)
    vectorSize = 1;
  chooseTile();
  int64_t bytes = 0;
  for (auto [tensor, map] : readsOf(e)) {
    std::optional<Staged> staged = stage(tensor, map);
    if (!staged || (!tensors.empty() && staged->contiguous != contiguous))
      continue;
    Type type = ElementEmitter::storageType(
        cast<RankedTensorType>(tensor.getType()).getElementType());
    bytes += tileRows * staged->pitch * type.getIntOrFloatBitWidth() / 8;
    if (bytes > sharedBytes)
      break;
    contiguous = staged->contiguous;
    tensors.push_back(*staged);
  }
  if (tensors.empty())
    return false;
  std::optional<int64_t> rows = IndexMath::constantOf(sizes[contiguous]);
  wholeRows = rows && *rows % tileColumns == 0;
  wholeColumns = columns && *columns % tileRows == 0;
  return (!rows || *rows >= shortest) && (!columns || *columns >= shortest);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void TransposeEmitter::locate() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  SmallVector<Index> blocks(sizes);
  auto divide = [&](unsigned dim, int64_t size) {
    exprs[dim] = exprs[dim].ceilDiv(size);
    blocks[dim] = math.ceilDiv(sizes[dim], math.constant(size));
  };
  divide(contiguous, tileColumns);
  divide(last, tileRows);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {tileThreads, 1, 1}, 0);
  origin = math.delinearize(kernel.blockId(), blocks);
  origin[contiguous] = math.mul(origin[contiguous], math.constant(tileColumns));
  origin[last] = math.mul(origin[last], math.constant(tileRows));
}

Index TransposeEmitter::placeOf(const Staged &staged, Index row, Index chunk,
                                Index within) {
  Index start = math.mul(row, math.constant(staged.pitch));
  if (staged.swizzled) {
    // Rows that a warp reads at once have their vectors at different banks.
    int64_t chunks = tileColumns / staged.vector;
    Index turn = math.rem(math.div(row, math.constant(vectorSize)),
                          math.constant(chunks));
    chunk =
        arith::XOrIOp::create(e.b, e.loc, math.value(chunk), math.value(turn))
            .getResult();
  }
  Index first = math.mul(chunk, math.constant(staged.vector));
  return math.add(start, math.add(first, within));
}

/// `index`, or an element inside where it lies past the end.
Index TransposeEmitter::inside(Index index, Index size, bool whole,
                               Value &valid) {
  if (whole)
    return index;
  Value fits = kernel.compare(arith::CmpIPredicate::ult, index, size);
  valid =
      valid ? arith::AndIOp::create(e.b, e.loc, valid, fits).getResult() : fits;
  return kernel.clampTo(fits, index);
}

/// Loads a tile, all of it before any of it is stored.
void TransposeEmitter::fill(Staged &staged) {
  auto type = cast<RankedTensorType>(staged.tensor.getType());
  unsigned number = &staged - tensors.data();
  staged.shared =
      kernel.sharedArray("tile" + std::to_string(number), type.getElementType(),
                         {tileRows * staged.pitch});
  int64_t perRow = tileColumns / staged.width;
  Index id = kernel.threadId();
  SmallVector<std::pair<Index, Elements>> loaded;
  for (int64_t pass = 0; pass * tileThreads < tileRows * perRow; ++pass) {
    Index piece = math.add(id, math.constant(pass * tileThreads));
    Index r = math.div(piece, math.constant(perRow));
    Index c = math.rem(piece, math.constant(perRow));
    Index offset = math.mul(c, math.constant(staged.width));
    Value valid;
    SmallVector<Index> point(origin);
    point[last] =
        inside(math.add(origin[last], r), sizes[last], wholeColumns, valid);
    point[contiguous] = inside(math.add(origin[contiguous], offset),
                               sizes[contiguous], wholeRows, valid);
    SmallVector<Index> index;
    for (AffineExpr expr : staged.map.getResults())
      index.push_back(math.evaluate(expr, point));
    Elements values = e.elements.emit(staged.tensor, index, staged.width);
    Index vector = math.constant(staged.vector);
    bool whole = staged.width == staged.vector;
    Index place = placeOf(staged, r, whole ? c : math.div(offset, vector),
                          whole ? math.constant(0) : math.rem(offset, vector));
    loaded.push_back({place, values});
  }
  for (auto &[place, values] : loaded)
    e.elements.store(staged.shared, {place}, values);
}

Index TransposeEmitter::localOf(Index global, Index start, Index at,
                                Index local) {
  if (global == at)
    return local;
  if (auto value = dyn_cast<Value>(global))
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      for (bool swapped : {false, true}) {
        std::optional<int64_t> more =
            getConstantIntValue(sum->getOperand(!swapped));
        if (more && Index(sum->getOperand(swapped)) == at)
          return math.add(local, math.constant(*more));
      }
  return math.sub(global, start);
}

/// From here on the tensor's elements come from the tile.
void TransposeEmitter::bind(const Staged &staged) {
  e.elements.bindSource(staged.tensor, [this, staged](ArrayRef<Index> index,
                                                      int64_t count) {
    Elements result;
    for (int64_t element = 0; element < count; ++element) {
      Index r = localOf(index[staged.across], origin[last], at[last], column);
      Index c = localOf(math.add(index.back(), math.constant(element)),
                        origin[contiguous], at[contiguous], row);
      Index vector = math.constant(staged.vector);
      Index place =
          placeOf(staged, r, math.div(c, vector), math.rem(c, vector));
      result.push_back(e.elements.load(staged.shared, {place}, 1).front());
    }
    return result;
  });
}

/// Computes the tile's elements of the results.
void TransposeEmitter::write() {
  int64_t perRow = tileRows / vectorSize;
  Index id = kernel.threadId();
  for (int64_t pass = 0; pass * tileThreads < tileColumns * perRow; ++pass) {
    Index piece = math.add(id, math.constant(pass * tileThreads));
    row = math.div(piece, math.constant(perRow));
    column = math.mul(math.rem(piece, math.constant(perRow)),
                      math.constant(vectorSize));
    at = origin;
    Value valid;
    at[last] = inside(math.add(origin[last], column), sizes[last], wholeColumns,
                      valid);
    at[contiguous] = inside(math.add(origin[contiguous], row),
                            sizes[contiguous], wholeRows, valid);
    if (!valid) {
      e.emitResults(at, vectorSize);
      continue;
    }
    e.when(valid, [&] { e.emitResults(at, vectorSize); });
  }
}

void TransposeEmitter::emit() {
  locate();
  // Tiles that are asked for before the wait cost 1 % more, not less.
  kernel.await();
  {
    ElementEmitter::Scope scope(e.elements);
    for (Staged &staged : tensors)
      fill(staged);
  }
  kernel.barrier();
  for (const Staged &staged : tensors)
    bind(staged);
  write();
}

bool codegen::emitCUDATranspose(CUDAKernel &kernel) {
  TransposeEmitter emitter(kernel);
  if (!emitter.choose())
    return false;
  emitter.emit();
  return true;
}
