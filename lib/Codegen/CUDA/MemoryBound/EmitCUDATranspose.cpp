//===- EmitCUDATranspose.cpp - CUDA code of loops that transpose ----------===//
//
// A loop kernel that reads a tensor across its contiguous dimension. Tiles of
// the tensor go through shared memory, so that memory is read and written along
// its contiguous dimension, 16 bytes at a time where the sizes allow. The rest
// of the kernel is emitted as for any loop; only the tensor's elements come
// from the tile.
//
//===----------------------------------------------------------------------===//

#include "TransposeTile.h"

#include "Codegen/Emit/KernelSizes.h"
#include "Codegen/Emit/TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Static shared memory of a block.
static constexpr int64_t sharedBytes = 48 * 1024;
/// Dimensions shorter than this are not worth a tile.
static constexpr int64_t shortest = 16;

/// Registers of a thread for elements that do not go through a tile and are
/// loaded along with it: as many as 64 x 64 numbers of 4 bytes take 256
/// threads.
static constexpr int64_t wordsAhead = 16;

/// Expected tiles of a side from which on most do not go over its end.
static constexpr int64_t commonTiles = 2;

namespace {
/// Dimensions [first, last] of the output, which follow each other in the
/// tensors too: tiles take them as one.
struct Side {
  unsigned first = 0, last = 0;
  /// The product of their sizes.
  Index size;
  /// Of the tile's first element, and of the thread's.
  Index origin, at;
};

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

/// What a thread has of a tensor's tile, and where that is in the tile.
struct LoadedPiece {
  Memory shared;
  Index place;
  Elements values;
};

/// A vector of the output that a thread computes.
struct TilePiece {
  /// Its place in the tile, along the tensors' contiguous dimension and along
  /// the output's.
  Index row, column;
  SmallVector<Index> at;
  /// Null where all threads have it.
  Value valid;
  SmallVector<Elements> values;
};

class TransposeEmitter {
public:
  explicit TransposeEmitter(CUDAKernel &kernel)
      : kernel(kernel), e(kernel.e), math(e.math) {}
  bool choose();
  /// Whether more than half of the tiles' elements are none of the tensors'.
  bool mostlyEmpty();
  /// Its tiles.
  TransposeTile tile() const;
  /// Sets the kernel's grid, and declares the tiles, of as many elements as are
  /// needed and not below `least`.
  void begin(int64_t least);
  /// Computes where the block's elements are.
  void locate();
  /// Emits a block's tile. `arrays`: the memory of begin(). `waits`: for the
  /// kernels in front.
  void emit(ArrayRef<Value> arrays, bool waits);

  /// The tiles in shared memory.
  SmallVector<Value> arrays;

private:
  Value assumeInside();
  void emitTile(ArrayRef<Value> arrays);
  std::optional<Staged> stage(Value tensor, AffineMap map);
  void chooseSides();
  Elements loadPiece(const Staged &staged, ArrayRef<Index> point);
  void setPoint(SmallVectorImpl<Index> &point, const Side &side, Index at);
  void placePieces();
  void load(Staged &staged, Value array);
  void loadAhead();
  void bind(const Staged &staged);
  void write();
  /// Element of the tile in row `row` and column `column`.
  Index placeOf(const Staged &staged, Index row, Index chunk, Index within);
  /// The place in the tile of index `global` of the side's last dimension,
  /// given that the thread's element is at `local`.
  Index localOf(Index global, const Side &side, Index local);

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
  /// Of the output's contiguous dimension, and of the tensors' one.
  Side lastSide, contiguousSide;
  /// Whether the side is a multiple of the tile.
  bool wholeRows = false, wholeColumns = false;
  /// The tile's outer indices.
  SmallVector<Index> origin;
  /// What the thread has of the tensors' tiles, and of the output's.
  SmallVector<LoadedPiece> loaded;
  SmallVector<TilePiece> pieces;
  /// The piece that is computed.
  TilePiece *current = nullptr;
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
  staged.width =
      std::gcd(staged.vector, math.factorOf(e.elements.sizesOf(tensor).back()));
  staged.swizzled = vectorSize > 1;
  // One word more in each row spreads a column over the banks.
  staged.pitch = staged.swizzled
                     ? tileColumns
                     : tileColumns + std::max<int64_t>(1, 4 / bytes);
  return staged;
}

bool TransposeEmitter::choose() {
  sizes = e.results.front().sizes;
  if (sizes.size() < 2)
    return false;
  last = sizes.size() - 1;
  vectorSize = std::gcd(vectorSizeOf(e), math.factorOf(sizes.back()));
  TransposeTile tile = chooseTransposeTile(kernel);
  tileRows = tileColumns = tile.size;
  tileThreads = tile.threads;
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
  chooseSides();
  std::optional<int64_t> rows = IndexMath::constantOf(contiguousSide.size);
  std::optional<int64_t> columns = IndexMath::constantOf(lastSide.size);
  wholeRows = rows && *rows % tileColumns == 0;
  wholeColumns = columns && *columns % tileRows == 0;
  return (!rows || *rows >= shortest) && (!columns || *columns >= shortest);
}

bool TransposeEmitter::mostlyEmpty() {
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  double used = 1;
  auto visit = [&](const Side &side, int64_t tile) {
    auto whole = ArrayRef<AffineExpr>(exprs).slice(side.first,
                                                   side.last - side.first + 1);
    std::optional<int64_t> size = expectedSize(
        e.kernel, KernelEmission::product(whole, e.kernel.getContext()));
    if (size && *size > 0)
      used *= double(*size) / double(llvm::alignTo(*size, tile));
  };
  visit(contiguousSide, tileColumns);
  visit(lastSide, tileRows);
  return used < 0.5;
}

/// 7 x 7 elements of each channel are 49 of one dimension. The tensors
/// themselves are read along what is joined, not views of them.
void TransposeEmitter::chooseSides() {
  auto follow = [&](unsigned dim) {
    return llvm::all_of(tensors, [&](const Staged &staged) {
      if (!e.elements.memoryOf(staged.tensor))
        return false;
      ArrayRef<AffineExpr> exprs = staged.map.getResults();
      MLIRContext *context = e.kernel.getContext();
      const auto *place = llvm::find(exprs, getAffineDimExpr(dim, context));
      return place != exprs.end() && place != exprs.begin() &&
             *std::prev(place) == getAffineDimExpr(dim - 1, context);
    });
  };
  auto choose = [&](unsigned dim) {
    Side side;
    side.first = side.last = dim;
    side.size = sizes[dim];
    while (side.first > 0 && follow(side.first)) {
      --side.first;
      side.size = math.mul(sizes[side.first], side.size);
    }
    return side;
  };
  lastSide = choose(last);
  contiguousSide = choose(contiguous);
  for (Staged &staged : tensors)
    staged.width =
        std::gcd(staged.vector, contiguousSide.first == contiguous
                                    ? staged.width
                                    : math.factorOf(contiguousSide.size));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TransposeTile TransposeEmitter::tile() const {
  auto dimsOf = [](const Side &side) {
    return llvm::to_vector(llvm::seq(side.first, side.last + 1));
  };
  return {tileRows, tileThreads, unsigned(tensors.size()), dimsOf(lastSide),
          dimsOf(contiguousSide)};
}

void TransposeEmitter::begin(int64_t least) {
  if (tileThreads == 512)
    kernel.residentBlocks = 3;
  SmallVector<AffineExpr> exprs = e.sizeExprs(0);
  auto divide = [&](const Side &side, int64_t size) {
    auto whole = ArrayRef<AffineExpr>(exprs).slice(side.first,
                                                   side.last - side.first + 1);
    exprs[side.last] =
        KernelEmission::product(whole, e.kernel.getContext()).ceilDiv(size);
    for (unsigned dim = side.first; dim < side.last; ++dim)
      exprs[dim] = e.constantExpr(1);
  };
  divide(contiguousSide, tileColumns);
  divide(lastSide, tileRows);
  e.setConfig({KernelEmission::product(exprs, e.kernel.getContext())},
              {tileThreads, 1, 1}, 0);
  for (auto [number, staged] : llvm::enumerate(tensors)) {
    auto type = cast<RankedTensorType>(staged.tensor.getType());
    arrays.push_back(
        kernel
            .sharedArray("tile" + std::to_string(number), type.getElementType(),
                         {std::max(least, tileRows * staged.pitch)})
            .pointer);
  }
}

void TransposeEmitter::locate() {
  SmallVector<Index> blocks(sizes);
  auto divide = [&](const Side &side, int64_t size) {
    for (unsigned dim = side.first; dim < side.last; ++dim)
      blocks[dim] = math.constant(1);
    blocks[side.last] = math.ceilDiv(side.size, math.constant(size));
  };
  divide(contiguousSide, tileColumns);
  divide(lastSide, tileRows);
  origin = math.delinearize(kernel.blockId(), blocks);
  auto begin = [&](Side &side, Index tile, int64_t size) {
    side.origin = asNarrow(e, math.mul(tile, math.constant(size)), side.size);
  };
  begin(contiguousSide, origin[contiguous], tileColumns);
  begin(lastSide, origin[last], tileRows);
}

/// Sets the indices of the dimensions of `side` to those of its element `at`.
void TransposeEmitter::setPoint(SmallVectorImpl<Index> &point, const Side &side,
                                Index at) {
  size_t count = side.last - side.first + 1;
  if (count == 1) {
    point[side.last] = at;
    return;
  }
  SmallVector<Index> indices =
      math.delinearize(at, ArrayRef<Index>(sizes).slice(side.first, count));
  llvm::copy(indices, point.begin() + side.first);
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

/// The elements of a tensor at the output's element `point`, and those that
/// follow along its own rows.
Elements TransposeEmitter::loadPiece(const Staged &staged,
                                     ArrayRef<Index> point) {
  SmallVector<Index> index;
  for (AffineExpr expr : staged.map.getResults())
    index.push_back(math.evaluate(expr, point));
  size_t joined = contiguousSide.last - contiguousSide.first;
  if (joined == 0)
    return e.elements.emit(staged.tensor, index, staged.width);
  // Over the ends of rows.
  Memory memory = *e.elements.memoryOf(staged.tensor);
  memory.sizes.pop_back_n(joined + 1);
  memory.sizes.push_back(contiguousSide.size);
  index.pop_back_n(joined + 1);
  index.push_back(contiguousSide.at);
  return e.elements.load(memory, index, staged.width);
}

/// Loads a tile.
void TransposeEmitter::load(Staged &staged, Value array) {
  auto type = cast<RankedTensorType>(staged.tensor.getType());
  staged.shared = {array,
                   type.getElementType(),
                   {math.constant(tileRows * staged.pitch)},
                   16,
                   /*readOnly=*/false};
  int64_t perRow = tileColumns / staged.width;
  Index id = kernel.threadId();
  for (int64_t pass = 0; pass * tileThreads < tileRows * perRow; ++pass) {
    Index piece = math.add(id, math.constant(pass * tileThreads));
    Index r = math.div(piece, math.constant(perRow));
    Index c = math.rem(piece, math.constant(perRow));
    Index offset = math.mul(c, math.constant(staged.width));
    Value valid;
    SmallVector<Index> point(origin);
    setPoint(point, lastSide,
             clampInside(kernel, math.add(lastSide.origin, r), lastSide.size,
                         wholeColumns, valid));
    contiguousSide.at =
        clampInside(kernel, math.add(contiguousSide.origin, offset),
                    contiguousSide.size, wholeRows, valid);
    setPoint(point, contiguousSide, contiguousSide.at);
    Elements values = loadPiece(staged, point);
    Index vector = math.constant(staged.vector);
    bool whole = staged.width == staged.vector;
    Index place = placeOf(staged, r, whole ? c : math.div(offset, vector),
                          whole ? math.constant(0) : math.rem(offset, vector));
    loaded.push_back({staged.shared, place, values});
  }
}

Index TransposeEmitter::localOf(Index global, const Side &side, Index local) {
  ArrayRef<Index> at = current->at;
  if (global == at[side.last])
    return local;
  if (auto value = dyn_cast<Value>(global))
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      for (bool swapped : {false, true}) {
        std::optional<int64_t> more =
            getConstantIntValue(sum->getOperand(!swapped));
        if (more && Index(sum->getOperand(swapped)) == at[side.last])
          return math.add(local, math.constant(*more));
      }
  // Elements of a vector follow the thread's own.
  return math.add(local, math.sub(global, at[side.last]));
}

/// From here on the tensor's elements come from the tile.
void TransposeEmitter::bind(const Staged &staged) {
  e.elements.bindSource(
      staged.tensor, [this, staged](ArrayRef<Index> index, int64_t count) {
        Elements result;
        for (int64_t element = 0; element < count; ++element) {
          Index r = localOf(index[staged.across], lastSide, current->column);
          Index c = localOf(math.add(index.back(), math.constant(element)),
                            contiguousSide, current->row);
          Index vector = math.constant(staged.vector);
          Index place =
              placeOf(staged, r, math.div(c, vector), math.rem(c, vector));
          result.push_back(e.elements.load(staged.shared, {place}, 1).front());
        }
        return result;
      });
}

void TransposeEmitter::placePieces() {
  int64_t perRow = tileRows / vectorSize;
  Index id = kernel.threadId();
  for (int64_t pass = 0; pass * tileThreads < tileColumns * perRow; ++pass) {
    Index number = math.add(id, math.constant(pass * tileThreads));
    TilePiece &piece = pieces.emplace_back();
    piece.row = math.div(number, math.constant(perRow));
    piece.column = math.mul(math.rem(number, math.constant(perRow)),
                            math.constant(vectorSize));
    piece.at = origin;
    setPoint(piece.at, lastSide,
             clampInside(kernel, math.add(lastSide.origin, piece.column),
                         lastSide.size, wholeColumns, piece.valid));
    setPoint(piece.at, contiguousSide,
             clampInside(kernel, math.add(contiguousSide.origin, piece.row),
                         contiguousSide.size, wholeRows, piece.valid));
  }
}

/// Asks for what the results need besides the tiles, as far as there are
/// registers: it is on the way while the tiles are. Behind the barrier it is
/// found again.
void TransposeEmitter::loadAhead() {
  AffineExpr along = getAffineDimExpr(last, e.kernel.getContext());
  int64_t words = 0;
  for (auto [tensor, map] : readsOf(e)) {
    bool isStaged = llvm::any_of(
        tensors, [&](const Staged &staged) { return staged.tensor == tensor; });
    if (isStaged || !map || !e.elements.memoryOf(tensor) ||
        !map.isProjectedPermutation(/*allowZero=*/true))
      continue;
    bool isVector = map.isFunctionOfDim(last);
    if (isVector && map.getResults().back() != along)
      continue;
    int64_t width = isVector ? vectorSize : 1;
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    int64_t bits =
        ElementEmitter::storageType(type).getIntOrFloatBitWidth() * width;
    words += llvm::divideCeil(bits, 32) * pieces.size();
    if (words > wordsAhead)
      return;
    for (const TilePiece &piece : pieces) {
      SmallVector<Index> index;
      for (AffineExpr expr : map.getResults())
        index.push_back(math.evaluate(expr, piece.at));
      e.elements.emit(tensor, index, width);
    }
  }
}

/// Computes the tile's elements of the results. A thread may have no element in
/// some pieces: these are computed for one that exists, so that no piece waits
/// for another, and not stored.
void TransposeEmitter::write() {
  auto store = [&](TilePiece &piece) {
    for (auto [memory, values] : llvm::zip(e.results, piece.values))
      e.elements.store(memory, piece.at, values);
  };
  for (TilePiece &piece : pieces) {
    current = &piece;
    for (Value result : e.yielded())
      piece.values.push_back(e.elements.emit(result, piece.at, vectorSize));
    if (!piece.valid)
      store(piece);
  }
  for (TilePiece &piece : pieces)
    if (piece.valid)
      e.when(piece.valid, [&] { store(piece); });
}

void TransposeEmitter::emit(ArrayRef<Value> arrays, bool waits) {
  // A version with narrower rows may have place for more tiles.
  if (tensors.size() > arrays.size())
    tensors.truncate(arrays.size());
  locate();
  // Tiles that are asked for before the wait cost 1 % more, not less.
  if (waits)
    kernel.await();
  TransposeEmitter inside(*this);
  Value isInside = inside.assumeInside();
  if (!isInside)
    return emitTile(arrays);
  auto branch =
      scf::IfOp::create(e.b, e.loc, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  for (auto [block, emitter] :
       {std::pair(branch.thenBlock(), &inside), {branch.elseBlock(), this}}) {
    ElementEmitter::Scope scope(e.elements);
    e.b.setInsertionPoint(block->getTerminator());
    emitter->emitTile(arrays);
  }
}

/// Of a kernel whose sizes are known at run time: from here on this emits code
/// for tiles that do not go over the ends of the sides, as most do not: a
/// thread's elements are constants apart. Gives the condition; null for none.
Value TransposeEmitter::assumeInside() {
  bool isStatic = IndexMath::constantOf(contiguousSide.size) &&
                  IndexMath::constantOf(lastSide.size);
  Value all;
  auto assume = [&](const Side &side, int64_t tile, bool &whole) {
    std::optional<int64_t> expected = math.expectedOf(side.size);
    if (isStatic || whole || !expected || *expected < commonTiles * tile)
      return;
    Index end = math.add(side.origin, math.constant(tile));
    Value fits = kernel.compare(arith::CmpIPredicate::ule, end, side.size);
    all = all ? arith::AndIOp::create(e.b, e.loc, all, fits).getResult() : fits;
    whole = true;
  };
  assume(contiguousSide, tileColumns, wholeRows);
  assume(lastSide, tileRows, wholeColumns);
  return all;
}

void TransposeEmitter::emitTile(ArrayRef<Value> arrays) {
  {
    ElementEmitter::Scope scope(e.elements);
    for (auto [staged, array] : llvm::zip(tensors, arrays))
      load(staged, array);
  }
  placePieces();
  loadAhead();
  for (const LoadedPiece &piece : loaded)
    e.elements.store(piece.shared, {piece.place}, piece.values);
  kernel.barrier();
  for (const Staged &staged : tensors)
    bind(staged);
  write();
  for (const Staged &staged : tensors)
    e.elements.unbindSource(staged.tensor);
}

bool codegen::emitCUDATranspose(CUDAKernel &kernel) {
  if (emitCUDAPermuteImage(kernel))
    return true;
  TransposeEmitter emitter(kernel);
  bool isTiled = emitter.choose();
  if ((!isTiled || emitter.mostlyEmpty()) && emitCUDAPermute(kernel))
    return true;
  if (!isTiled)
    return false;
  std::optional<int64_t> elements = IndexMath::constantOf(
      kernel.e.math.product(kernel.e.results.front().sizes));
  if (elements && *elements < fewElements) {
    emitCUDALoop(kernel, 1);
    return true;
  }
  SmallVector<Value> inner = kernel.e.innerSizes();
  TransposeTile tile = emitter.tile();
  if (inner.empty() && emitCUDAOddRows(kernel, tile))
    return true;
  int64_t oddElements = inner.empty() ? 0 : oddRowsElements(kernel, tile);
  // Versions by width have registers for the loads of one of them. Where rows
  // are odd, loads are of single elements, and 1280 threads have registers.
  if (!inner.empty())
    kernel.residentBlocks = (readsOddRows(kernel) ? 1280 : 1024) / tile.threads;
  emitter.begin(oddElements);
  // Tiles of narrower versions have no fewer elements than those of wider ones.
  emitByWidth(kernel, emitter, inner, [&] {
    if (oddElements > 0)
      emitCUDAOddRowsBody(kernel, tile, emitter.arrays);
    else
      emitter.emit(emitter.arrays, /*waits=*/false);
  });
  return true;
}
