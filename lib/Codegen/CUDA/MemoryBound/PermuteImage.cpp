//===- PermuteImage.cpp - Boxes of odd tensors that are permuted ----------===//

#include "PermuteImage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace tripy;
using namespace tripy::codegen;

using llvm::ArrayRef;
using llvm::SmallVector;

/// Bytes of shared memory of a block, such that several run at a time, and
/// vectors that a thread has under way.
static constexpr int64_t imageBytes = 32 * 1024, maxVectors = 8;
/// Bytes of memory that a multiprocessor moves in a cycle, and warps'
/// instructions.
static constexpr double cycleBytes = 18, cycleInstructions = 2.5;
/// What a run costs besides its bytes, read and written: sectors that are not
/// used, and such that are read first.
static constexpr double readWaste = 32, writeWaste = 48;
/// Instructions for a vector that is read, one that is written, and one of
/// which only some elements are.
static constexpr double readCost = 20, writeCost = 55, cutCost = 60;
/// Instructions of a warp for 512 bytes read, and written, through tiles of two
/// dimensions, and for an element of each of its threads.
static constexpr double tileCost = 12, tileElementCost = 96;
/// Of odd tensors, the part of such tiles below which boxes are faster: 49x8
/// planes of 151x75 f16, which fill 0.46, took 5.3 us and 15.9 through tiles;
/// 39x197x9x49 with the last three dimensions turned, 0.76, 6.7 and 5.6.
static constexpr double maxFilled = 0.5;
/// Rows and columns of such a tile.
static constexpr int64_t tileSize = 64;
/// Cycles of a block that nothing hides: the ways to memory and back.
static constexpr double blockCycles = 1500;
/// Blocks that run on a multiprocessor at a time.
static constexpr double residentBlocks = 4;

int64_t PermuteImage::boxes() const {
  int64_t count = 1;
  for (const BoxDim &dim : dims)
    count *= llvm::divideCeil(*dim.size, dim.extent);
  return count;
}

int64_t PermuteImage::elements() const {
  int64_t count = 1;
  for (const BoxDim &dim : dims)
    count *= *dim.size;
  return count;
}

int64_t PermuteImage::vectorsOf(ArrayRef<unsigned> order) const {
  return llvm::divideCeil(runOf(dims, order).length + vectorSize - 1,
                          vectorSize);
}

bool PermuteImage::isAligned() const {
  BoxRun run = runOf(dims, output);
  if (run.length % vectorSize != 0)
    return false;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    int64_t step = number < run.first ? to[number] : dim.extent * to[number];
    bool moves = number < run.first || !dim.isWhole();
    if (moves && step % vectorSize != 0)
      return false;
  }
  return true;
}

/// Where neighbours of each dimension are in memory in `order`.
static SmallVector<int64_t> stridesOf(ArrayRef<BoxDim> dims,
                                      ArrayRef<unsigned> order) {
  SmallVector<int64_t> strides(dims.size(), 1);
  int64_t stride = 1;
  for (unsigned dim : llvm::reverse(order)) {
    strides[dim] = stride;
    stride *= *dims[dim].size;
  }
  return strides;
}

/// Places runs behind each other, with room for what is next to them.
static void placeRuns(PermuteImage &image) {
  int64_t v = image.vectorSize;
  BoxRun run = runOf(image.dims, image.input);
  image.pitch = image.from;
  int64_t size = run.length + 2 * (v - 1);
  for (unsigned dim :
       llvm::reverse(ArrayRef(image.input).take_front(run.first))) {
    int64_t pitch = llvm::alignTo(size, v) + image.from[dim] % v;
    if (pitch - v >= size)
      pitch -= v;
    image.pitch[dim] = pitch;
    size += pitch * (image.dims[dim].extent - 1);
  }
  image.capacity = llvm::alignTo(size + v, v);
}

/// Instructions of a warp for all of a box.
static double instructionsOf(const PermuteImage &image) {
  double volume = volumeOf(image.dims);
  BoxRun in = runOf(image.dims, image.input);
  BoxRun out = runOf(image.dims, image.output);
  bool isAligned = image.isAligned();
  double ofRun = isAligned ? double(out.length) / double(image.vectorSize)
                           : double(image.vectorsOf(image.output));
  double cut = isAligned ? 0 : std::min(1.0, 64 / ofRun);
  double read =
      volume / double(in.length) * double(image.vectorsOf(image.input));
  double written = volume / double(out.length) * ofRun;
  return (read * readCost + written * (writeCost + cut * cutCost)) / 32;
}

/// Cycles of the busiest multiprocessor.
static double costOf(const PermuteImage &image, const CudaChip &chip) {
  double volume = volumeOf(image.dims);
  auto runs = [&](ArrayRef<unsigned> order) {
    return volume / double(runOf(image.dims, order).length);
  };
  double bytes = double(image.bytes) * volume * 2 +
                 runs(image.input) * readWaste +
                 (image.isAligned() ? 0 : runs(image.output) * writeWaste);
  double cycles =
      bytes / cycleBytes + instructionsOf(image) / cycleInstructions;
  // The last boxes of a dimension are not whole.
  double boxes = 1, some = 1;
  for (const BoxDim &dim : image.dims) {
    boxes *= double(llvm::divideCeil(*dim.size, dim.extent));
    some *= double(*dim.size) / double(dim.extent);
  }
  double used = some / boxes;
  double mine = std::ceil(boxes / chip.multiprocessors);
  // One block alone reads and writes in turn.
  double alone = mine < 2 ? 1.5 : mine < 3 ? 1.2 : 1;
  return alone * mine * cycles * (0.5 + 0.5 * used) +
         std::ceil(mine / residentBlocks) * blockCycles;
}

/// The part of tiles that a dimension of `size` elements fills.
static double filled(int64_t size) {
  return double(size) / double(llvm::alignTo(size, tileSize));
}

/// Extents to try for a dimension of `size` elements.
static SmallVector<int64_t> extentsOf(int64_t size) {
  SmallVector<int64_t> extents = {size};
  for (int64_t parts = 2; parts <= size;
       parts += std::max<int64_t>(1, parts / 3))
    extents.push_back(llvm::divideCeil(size, parts));
  extents.push_back(1);
  return extents;
}

namespace {
/// Tries boxes, and keeps the best.
struct Search {
  PermuteImage &image;
  const CudaChip &chip;
  double best = std::numeric_limits<double>::infinity();
  SmallVector<BoxDim> found = {};

  void consider() {
    placeRuns(image);
    if (image.capacity * image.bytes > imageBytes)
      return;
    int64_t vectors = volumeOf(image.dims) /
                      runOf(image.dims, image.input).length *
                      image.vectorsOf(image.input);
    if (vectors > maxVectors * image.threads)
      return;
    double cost = costOf(image, chip);
    if (cost >= best)
      return;
    best = cost;
    found = image.dims;
  }
  /// Boxes that have all of the last `in` dimensions of the tensor and of the
  /// last `out` of the output, and some of the ones in front.
  void withWhole(size_t in, size_t out) {
    for (BoxDim &dim : image.dims)
      dim.extent = 1;
    for (unsigned dim : ArrayRef(image.input).take_back(in))
      image.dims[dim].extent = *image.dims[dim].size;
    for (unsigned dim : ArrayRef(image.output).take_back(out))
      image.dims[dim].extent = *image.dims[dim].size;
    int64_t most = imageBytes / image.bytes;
    if (volumeOf(image.dims) > most)
      return;
    auto next = [&](ArrayRef<unsigned> order) -> BoxDim * {
      for (unsigned dim : llvm::reverse(order))
        if (image.dims[dim].extent < *image.dims[dim].size)
          return &image.dims[dim];
      return nullptr;
    };
    BoxDim *first = next(image.input), *second = next(image.output);
    if (!first)
      return consider();
    int64_t volume = volumeOf(image.dims);
    for (int64_t some : extentsOf(*first->size)) {
      first->extent = some;
      if (first == second || !second) {
        if (volume * some <= most)
          consider();
        continue;
      }
      for (int64_t more : extentsOf(*second->size)) {
        second->extent = more;
        if (volume * some * more <= most)
          consider();
      }
      second->extent = 1;
    }
    first->extent = 1;
  }
};
} // namespace

bool codegen::chooseImage(PermuteImage &image, const CudaChip &chip) {
  image.from = stridesOf(image.dims, image.input);
  image.to = stridesOf(image.dims, image.output);
  Search search{.image = image, .chip = chip};
  size_t rank = image.dims.size();
  for (size_t in = 0; in <= rank; ++in)
    for (size_t out = 0; out <= rank; ++out)
      search.withWhole(in, out);
  if (search.found.empty())
    return false;
  image.dims = search.found;
  placeRuns(image);
  auto vectorsOf = [&](ArrayRef<unsigned> order) {
    return volumeOf(image.dims) / runOf(image.dims, order).length *
           image.vectorsOf(order);
  };
  int64_t vectors = std::max(vectorsOf(image.input), vectorsOf(image.output));
  image.threads =
      std::clamp<int64_t>(llvm::alignTo(vectors, 32), 64, image.threads);
  const BoxDim &last = image.dims[image.output.back()];
  const BoxDim &own = image.dims[image.input.back()];
  if (&last == &own)
    return true;
  // Tiles of two dimensions take single elements of odd tensors.
  if (rank > 2 && *last.size % 2 != 0 && *own.size % 2 != 0)
    return filled(*last.size) * filled(*own.size) < maxFilled;
  double tile = tileCost + tileElementCost / double(image.bytes);
  double read = double(volumeOf(image.dims) * image.bytes) / 512;
  return instructionsOf(image) < tile * read;
}
