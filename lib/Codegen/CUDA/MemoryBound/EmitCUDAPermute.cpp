//===- EmitCUDAPermute.cpp - CUDA code of loops that permute --------------===//
//
// A loop kernel that reads a tensor in another order of dimensions, where the
// last ones are short on either side: a tile of two dimensions
// (EmitCUDATranspose.cpp) would be nearly empty. A block takes a box of the
// tensor, which may have several dimensions as a whole (PermuteBox.h), and
// passes it through shared memory: both sides are long runs of memory.
//
//===----------------------------------------------------------------------===//

#include "PermutedTensors.h"
#include "TransposeTile.h"

#include "Codegen/Emit/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Static shared memory of a block.
static constexpr int64_t sharedBytes = 48 * 1024;
/// The sector of a line of the caches: what a shorter run brings is not used.
static constexpr int64_t sectorBytes = 32;
/// The widest access of a thread. A loop reads runs of it as they are.
static constexpr int64_t accessBytes = 16;
/// Registers of a thread for elements that do not go through shared memory and
/// are loaded along with those that do.
static constexpr int64_t wordsAhead = 16;

namespace {
/// Some elements side by side of a run.
struct BoxPlace {
  /// In the box, and in the tensor: where that has no such element, of one that
  /// exists.
  SmallVector<Index> local, global;
  /// The place in the run: from the box's first element of it on, and in all of
  /// the tensor's.
  Index inBox, inRun;
  /// Null where the tensor has all.
  Value valid;
};

/// A vector of the results.
struct BoxPiece {
  BoxPlace place;
  /// Of each of its elements.
  SmallVector<SmallVector<Index>> points;
  /// Of each staged tensor, where in shared memory its elements are.
  SmallVector<SmallVector<Index>> sources;
  /// Of each tensor in the order of the output, if they are loaded.
  SmallVector<Elements> along;
  SmallVector<Elements> values;
};

class PermuteEmitter : PermutedTensors {
public:
  explicit PermuteEmitter(CUDAKernel &kernel) : PermutedTensors(kernel) {}
  bool choose();
  /// Sets the kernel's grid, and declares the boxes in shared memory.
  void begin();
  /// Computes where the block's elements are.
  void locate();
  /// Emits a block's box. `arrays`: the memory of begin(). `waits`: for the
  /// kernels in front.
  void emit(ArrayRef<Value> arrays, bool waits);

  SmallVector<Value> arrays;

private:
  bool isShort(const PermutedTensor &tensor);
  bool measure();
  bool grow();
  void choosePaths();
  bool isLoop();
  int64_t widthOf(ArrayRef<unsigned> order, int64_t widest);
  Index runSize(ArrayRef<unsigned> order);
  BoxPlace placeAt(ArrayRef<unsigned> order, int64_t first, int64_t width);
  SmallVector<Index> pointOf(ArrayRef<unsigned> order, const BoxPlace &place,
                             int64_t element);
  Elements loadRun(const PermutedTensor &tensor, const BoxPlace &place,
                   int64_t width);
  Index sharedPlace(const PermutedTensor &tensor, Index number);
  void load(PermutedTensor &staged, Value array);
  void placePieces();
  void loadAlong();
  void bind();
  void write();

  SmallVector<BoxDim> dims;
  /// Of the results, that are expected.
  int64_t expectedElements = 1;
  int64_t vectorSize = 1, writeWidth = 1, threads = 256;
  /// The block's first element.
  SmallVector<Index> origin;
  struct Loaded {
    Memory shared;
    SmallVector<Index> places;
    Elements values;
  };
  std::vector<Loaded> loaded;
  std::vector<BoxPiece> pieces;
  /// What is computed: an element of a piece.
  BoxPiece *current = nullptr;
  int64_t element = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is read, and how
//===----------------------------------------------------------------------===//

/// Whether what the tensor and the output have in common of their last
/// dimensions is less than an access.
bool PermuteEmitter::isShort(const PermutedTensor &tensor) {
  int64_t common = tensor.bytes;
  for (auto [own, other] :
       llvm::zip(llvm::reverse(tensor.order), llvm::reverse(output))) {
    if (own != other)
      return common < accessBytes;
    std::optional<int64_t> size = IndexMath::constantOf(sizes[own]);
    if (!size)
      return false;
    common *= *size;
  }
  return false;
}

/// Finds the sizes that are expected. False where that is not known. A dynamic
/// one gets a sector of its box: runs of the box end there.
bool PermuteEmitter::measure() {
  int64_t bytes = accessBytes;
  for (const PermutedTensor &tensor : staged)
    bytes = std::min(bytes, tensor.bytes);
  for (unsigned number = 0; number < parts.size(); ++number) {
    AffineExpr size = sizeExpr(number);
    std::optional<int64_t> expected = expectedSize(e.kernel, size);
    if (!expected)
      return false;
    BoxDim dim;
    if (auto known = dyn_cast<AffineConstantExpr>(size))
      dim.size = known.getValue();
    expectedElements *= std::max<int64_t>(1, *expected);
    dim.expected =
        dim.size ? *expected : std::max(*expected, sectorBytes / bytes);
    dims.push_back(dim);
  }
  return true;
}

/// Boxes of as many elements as tiles of 64 x 64, or 32 x 32 where not every
/// multiprocessor would have one.
bool PermuteEmitter::grow() {
  int64_t bytes = 0, total = 0;
  if (expectedElements < fewElements)
    return false;
  for (const PermutedTensor &tensor : staged)
    bytes = std::max(bytes, tensor.bytes);
  int64_t volume = 64 * 64;
  if (expectedElements < volume * kernel.chip.multiprocessors) {
    volume = 32 * 32;
    threads = 128;
  }
  SmallVector<BoxOrder> orders = {output};
  for (const PermutedTensor &tensor : staged)
    orders.push_back(tensor.order);
  growBox(dims, orders, std::min(volume, (1 << 14) / bytes), vectorSize);
  for (const BoxOrder &order : orders)
    if (runOf(dims, order).length * bytes < sectorBytes)
      return false;
  llvm::erase_if(staged, [&](const PermutedTensor &tensor) {
    int64_t own = BoxLayout::capacity(volumeOf(dims) + threads * vectorSize) *
                  tensor.bytes;
    if (total + own > sharedBytes)
      return true;
    total += own;
    return false;
  });
  return !staged.empty();
}

/// The elements of a whole run.
Index PermuteEmitter::runSize(ArrayRef<unsigned> order) {
  return sizeOf(order.drop_front(runOf(dims, order).first));
}

/// Elements of accesses along the runs of `order`.
int64_t PermuteEmitter::widthOf(ArrayRef<unsigned> order, int64_t widest) {
  return std::gcd(std::gcd(runOf(dims, order).length, widest),
                  math.factorOf(runSize(order)));
}

void PermuteEmitter::choosePaths() {
  double least = 0;
  for (int64_t width = widthOf(output, vectorSize); width >= 1; width /= 2) {
    SmallVector<BoxPath> paths;
    double cost = 0;
    for (PermutedTensor &tensor : staged) {
      int64_t widest = std::min<int64_t>(8, accessBytes / tensor.bytes);
      bool isMemory = e.elements.memoryOf(tensor.tensor);
      paths.push_back(choosePath(dims, tensor.order, output, tensor.bytes,
                                 isMemory ? widthOf(tensor.order, widest) : 1,
                                 width));
      cost += paths.back().cost;
    }
    if (least != 0 && cost >= least)
      continue;
    least = cost;
    writeWidth = width;
    for (auto [tensor, path] : llvm::zip(staged, paths))
      tensor.path = path;
  }
}

/// Whether a loop that reads the tensors as they are is as good: no access
/// would be wider, and neighbours of the output are so close to each other that
/// a warp uses a quarter of what it reads.
bool PermuteEmitter::isLoop() {
  return llvm::all_of(staged, [&](const PermutedTensor &tensor) {
    const auto *place = llvm::find(tensor.order, output.back());
    auto between = ArrayRef<unsigned>(tensor.order)
                       .drop_front(place - tensor.order.begin() + 1);
    std::optional<int64_t> stride = IndexMath::constantOf(sizeOf(between));
    return writeWidth == 1 && tensor.path.readWidth == 1 && stride &&
           *stride <= 4;
  });
}

bool PermuteEmitter::choose() {
  vectorSize = vectorSizeOf(e);
  auto isShortIn = [&](const PermutedTensor &tensor) {
    return isShort(tensor);
  };
  if (!collect(isShortIn) || !measure() || !grow())
    return false;
  choosePaths();
  return !isLoop();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void PermuteEmitter::begin() {
  // Registers for all of a thread's loads.
  kernel.residentBlocks = 1024 / threads;
  SmallVector<AffineExpr> counts;
  for (auto [number, dim] : llvm::enumerate(dims))
    counts.push_back(sizeExpr(number).ceilDiv(dim.extent));
  e.setConfig({KernelEmission::product(counts, e.kernel.getContext())},
              {threads, 1, 1}, 0);
  for (auto [number, tensor] : llvm::enumerate(staged)) {
    auto type = cast<RankedTensorType>(tensor.tensor.getType());
    int64_t elements =
        BoxLayout::capacity(volumeOf(dims) + threads * vectorSize);
    arrays.push_back(kernel
                         .sharedArray("box" + std::to_string(number),
                                      type.getElementType(), {elements})
                         .pointer);
  }
}

void PermuteEmitter::locate() {
  SmallVector<Index> counts;
  for (auto [number, dim] : llvm::enumerate(dims))
    counts.push_back(math.ceilDiv(sizeOf(number), math.constant(dim.extent)));
  origin = math.delinearize(kernel.blockId(), counts);
  for (auto [first, dim] : llvm::zip(origin, dims))
    first = math.mul(first, math.constant(dim.extent));
}

/// Where this thread's vector of `width` elements is that is `first` vectors
/// behind its first one, if threads take vectors in `order`.
BoxPlace PermuteEmitter::placeAt(ArrayRef<unsigned> order, int64_t first,
                                 int64_t width) {
  BoxRun run = runOf(dims, order);
  auto outer = order.take_front(run.first), inner = order.drop_front(run.first);
  BoxPlace place;
  place.local.assign(dims.size(), math.constant(0));
  place.global = place.local;
  Index number = math.add(kernel.threadId(), math.constant(first));
  int64_t vectors = volumeOf(dims) / width;
  // The last vectors may be none of the box.
  number = clampInside(kernel, number, math.constant(vectors),
                       first + threads <= vectors, place.valid);
  SmallVector<Index> extents;
  for (unsigned dim : outer)
    extents.push_back(math.constant(dims[dim].extent));
  extents.push_back(math.constant(run.length / width));
  SmallVector<Index> at = math.delinearize(number, extents);
  auto isWhole = [&](const BoxDim &dim) {
    return dim.size && *dim.size % dim.extent == 0;
  };
  for (auto [dim, local] : llvm::zip(outer, at)) {
    place.local[dim] = local;
    place.global[dim] =
        clampInside(kernel, math.add(origin[dim], local), sizeOf(dim),
                    isWhole(dims[dim]), place.valid);
  }
  place.inBox = math.mul(at.back(), math.constant(width));
  Index begin = origin[inner.front()];
  for (unsigned dim : inner.drop_front())
    begin = math.mul(begin, math.constant(*dims[dim].size));
  place.inRun =
      clampInside(kernel, math.add(begin, place.inBox), runSize(order),
                  isWhole(dims[inner.front()]), place.valid);
  return place;
}

/// The indices in the output.
SmallVector<Index> PermuteEmitter::pointOf(ArrayRef<unsigned> order,
                                           const BoxPlace &place,
                                           int64_t element) {
  SmallVector<Index> point(sizes.size(), math.constant(0));
  size_t first = runOf(dims, order).first;
  for (unsigned dim : order.take_front(first))
    setPoint(point, {dim}, place.global[dim]);
  setPoint(point, order.drop_front(first),
           math.add(place.inRun, math.constant(element)));
  return point;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// `memory` with one dimension for the runs of `order`.
static Memory withRuns(Memory memory, ArrayRef<Index> outer, Index run) {
  memory.sizes.assign(outer.begin(), outer.end());
  memory.sizes.push_back(run);
  return memory;
}

Elements PermuteEmitter::loadRun(const PermutedTensor &tensor,
                                 const BoxPlace &place, int64_t width) {
  Memory *memory = e.elements.memoryOf(tensor.tensor);
  if (!memory) {
    SmallVector<Index> index, point = pointOf(tensor.order, place, 0);
    for (AffineExpr expr : tensor.map.getResults())
      index.push_back(math.evaluate(expr, point));
    return e.elements.emit(tensor.tensor, index, width);
  }
  SmallVector<Index> outer, index;
  ArrayRef<unsigned> order = tensor.order;
  for (unsigned dim : order.take_front(runOf(dims, order).first)) {
    outer.push_back(sizeOf(dim));
    index.push_back(place.global[dim]);
  }
  index.push_back(place.inRun);
  return e.elements.load(withRuns(*memory, outer, runSize(order)), index,
                         width);
}

Index PermuteEmitter::sharedPlace(const PermutedTensor &tensor, Index number) {
  const BoxLayout &layout = tensor.path.layout;
  if (layout.gap == 0)
    return number;
  Index gaps = math.div(number, math.constant(int64_t(1) << layout.shift));
  Index place = math.add(number, math.mul(gaps, math.constant(layout.gap)));
  return place;
}

/// Loads a box.
void PermuteEmitter::load(PermutedTensor &tensor, Value array) {
  auto type = cast<RankedTensorType>(tensor.tensor.getType());
  int64_t width = tensor.path.readWidth, volume = volumeOf(dims);
  int64_t elements = BoxLayout::capacity(volume + threads * vectorSize);
  tensor.shared = {array,
                   type.getElementType(),
                   {math.constant(elements)},
                   16,
                   /*readOnly=*/false};
  const BoxLayout &layout = tensor.path.layout;
  bool inOrder = layout.gap % width == 0 &&
                 (layout.gap == 0 || (1 << layout.shift) % width == 0);
  for (int64_t first = 0; first * width < volume; first += threads) {
    BoxPlace place = placeAt(tensor.order, first, width);
    Loaded &piece = loaded.emplace_back();
    piece.shared = tensor.shared;
    piece.values = loadRun(tensor, place, width);
    Index number = math.mul(math.add(kernel.threadId(), math.constant(first)),
                            math.constant(width));
    for (int64_t i = 0; i < (inOrder ? 1 : width); ++i)
      piece.places.push_back(
          sharedPlace(tensor, math.add(number, math.constant(i))));
  }
}

/// Where the elements of the results are that this thread computes.
void PermuteEmitter::placePieces() {
  BoxRun run = runOf(dims, output);
  auto inner = ArrayRef<unsigned>(output).drop_front(run.first);
  SmallVector<Index> extents, all;
  for (unsigned dim : inner)
    extents.push_back(math.constant(dims[dim].extent));
  for (int64_t first = 0; first * writeWidth < volumeOf(dims);
       first += threads) {
    BoxPiece &piece = pieces.emplace_back();
    piece.place = placeAt(output, first, writeWidth);
    piece.sources.resize(staged.size());
    for (int64_t i = 0; i < writeWidth; ++i) {
      piece.points.push_back(pointOf(output, piece.place, i));
      SmallVector<Index> local(piece.place.local);
      Index at = math.add(piece.place.inBox, math.constant(i));
      for (auto [dim, index] : llvm::zip(inner, math.delinearize(at, extents)))
        local[dim] = index;
      for (auto [tensor, places] : llvm::zip(staged, piece.sources)) {
        SmallVector<Index> indices, within;
        for (unsigned dim : tensor.order) {
          indices.push_back(local[dim]);
          within.push_back(math.constant(dims[dim].extent));
        }
        places.push_back(sharedPlace(tensor, math.linearize(indices, within)));
      }
    }
  }
}

/// Loads what is in the order of the output, as far as there are registers: it
/// is on the way while the boxes are.
void PermuteEmitter::loadAlong() {
  int64_t words = 0;
  for (const PermutedTensor &tensor : along) {
    words += llvm::divideCeil(tensor.bytes * writeWidth, 4) * pieces.size();
    if (words > wordsAhead)
      return;
    for (BoxPiece &piece : pieces)
      piece.along.push_back(loadRun(tensor, piece.place, writeWidth));
  }
}

/// From here on the tensors' elements are those of the piece that is computed.
void PermuteEmitter::bind() {
  for (auto [number, tensor] : llvm::enumerate(staged))
    e.elements.bindSource(tensor.tensor, [this, number](auto &&, int64_t) {
      return e.elements.load(staged[number].shared,
                             {current->sources[number][element]}, 1);
    });
  for (auto [number, tensor] : llvm::enumerate(along))
    e.elements.bindSource(tensor.tensor, [this, number](auto &&, int64_t) {
      return Elements{current->along[number][element]};
    });
}

/// Computes all elements of the results, and then stores those that exist.
void PermuteEmitter::write() {
  SmallVector<Index> outer;
  BoxRun run = runOf(dims, output);
  for (unsigned dim : ArrayRef<unsigned>(output).take_front(run.first))
    outer.push_back(sizeOf(dim));
  auto store = [&](BoxPiece &piece) {
    SmallVector<Index> index;
    for (unsigned dim : ArrayRef<unsigned>(output).take_front(run.first))
      index.push_back(piece.place.global[dim]);
    index.push_back(piece.place.inRun);
    for (auto [memory, values] : llvm::zip(e.results, piece.values))
      e.elements.store(withRuns(memory, outer, runSize(output)), index, values);
  };
  for (BoxPiece &piece : pieces) {
    current = &piece;
    for (const PermutedTensor &tensor :
         ArrayRef<PermutedTensor>(along).drop_front(piece.along.size()))
      piece.along.push_back(loadRun(tensor, piece.place, writeWidth));
    for (Value result : e.yielded()) {
      Elements &values = piece.values.emplace_back();
      for (element = 0; element < writeWidth; ++element)
        values.push_back(e.elements.emitOne(result, piece.points[element]));
    }
    if (!piece.place.valid)
      store(piece);
  }
  for (BoxPiece &piece : pieces)
    if (piece.place.valid)
      e.when(piece.place.valid, [&] { store(piece); });
}

void PermuteEmitter::emit(ArrayRef<Value> arrays, bool waits) {
  locate();
  if (waits)
    kernel.await();
  for (auto [tensor, array] : llvm::zip(staged, arrays))
    load(tensor, array);
  placePieces();
  loadAlong();
  for (const Loaded &piece : loaded) {
    bool inOrder = piece.places.size() == 1;
    for (auto [number, place] : llvm::enumerate(piece.places))
      e.elements.store(piece.shared, {place},
                       inOrder ? ArrayRef<Value>(piece.values)
                               : ArrayRef<Value>(piece.values[number]));
  }
  kernel.barrier();
  bind();
  write();
  for (const PermutedTensor &tensor : staged)
    e.elements.unbindSource(tensor.tensor);
  for (const PermutedTensor &tensor : along)
    e.elements.unbindSource(tensor.tensor);
}

bool codegen::emitCUDAPermute(CUDAKernel &kernel) {
  PermuteEmitter emitter(kernel);
  if (!emitter.choose())
    return false;
  emitter.begin();
  emitByWidth(kernel, emitter, kernel.e.innerSizes(),
              [&] { emitter.emit(emitter.arrays, /*waits=*/false); });
  return true;
}
