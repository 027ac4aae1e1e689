//===- PermuteBox.cpp - Boxes of tensors that are permuted ----------------===//

#include "PermuteBox.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace tripy;
using namespace tripy::codegen;

using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;

BoxRun codegen::runOf(ArrayRef<BoxDim> dims, ArrayRef<unsigned> order) {
  BoxRun run{order.size(), 1};
  while (run.first > 0) {
    const BoxDim &dim = dims[order[--run.first]];
    run.length *= dim.extent;
    if (!dim.isWhole())
      break;
  }
  return run;
}

int64_t codegen::volumeOf(ArrayRef<BoxDim> dims) {
  int64_t volume = 1;
  for (const BoxDim &dim : dims)
    volume *= dim.extent;
  return volume;
}

/// The dimension by which the run in `order` can grow; null for none.
static BoxDim *growing(MutableArrayRef<BoxDim> dims, ArrayRef<unsigned> order) {
  BoxDim &dim = dims[order[runOf(dims, order).first]];
  return dim.isWhole() || dim.extent >= dim.expected ? nullptr : &dim;
}

/// Boxes of 2^n indices leave most of the last one empty where the size is just
/// above a multiple. An eighth is accepted, for divisions that are shifts.
static void balance(BoxDim &dim, int64_t unit) {
  if (!dim.size || dim.isWhole())
    return;
  int64_t boxes = llvm::divideCeil(*dim.size, dim.extent);
  if ((boxes * dim.extent - *dim.size) * 8 <= *dim.size)
    return;
  int64_t even = llvm::divideCeil(*dim.size, boxes);
  dim.extent = even < unit ? even : llvm::alignTo(even, unit);
}

void codegen::growBox(MutableArrayRef<BoxDim> dims, ArrayRef<BoxOrder> orders,
                      int64_t volume, int64_t unit) {
  while (volumeOf(dims) < volume) {
    BoxDim *shortest = nullptr;
    int64_t length = 0;
    for (const BoxOrder &order : orders)
      if (BoxDim *dim = growing(dims, order)) {
        int64_t own = runOf(dims, order).length;
        if (!shortest || own < length) {
          shortest = dim;
          length = own;
        }
      }
    if (!shortest)
      break;
    shortest->extent *= 2;
    if (shortest->size)
      shortest->extent = std::min(shortest->extent, *shortest->size);
  }
  for (BoxDim &dim : dims)
    balance(dim, unit);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static constexpr int64_t warpSize = 32;
/// Bytes that shared memory, and the L1 cache, give in a cycle.
static constexpr int64_t cycleBytes = 128;

/// The cycles in which shared memory does one access of a warp, of words at
/// byte addresses `at`, each of `bytes`.
static int64_t cyclesOf(ArrayRef<int64_t> at, int64_t bytes) {
  int64_t cycles = 0;
  // Wide accesses take a part of the warp at a time.
  int64_t together =
      std::min<int64_t>(warpSize, cycleBytes / std::max<int64_t>(bytes, 4));
  for (size_t first = 0; first < at.size(); first += together) {
    SmallVector<int64_t, 4 * warpSize> words;
    for (int64_t address : at.slice(first, together))
      for (int64_t word = address / 4; word * 4 < address + bytes; ++word)
        words.push_back(word);
    llvm::sort(words);
    std::array<int64_t, cycleBytes / 4> banks = {};
    int64_t most = 0;
    for (auto it = words.begin(); it != words.end(); ++it)
      if (it == words.begin() || *it != *std::prev(it))
        most = std::max(most, ++banks[*it % (cycleBytes / 4)]);
    cycles += most;
  }
  return cycles;
}

/// The number in `order` of element `number` in the order `from`.
static int64_t renumber(ArrayRef<BoxDim> dims, ArrayRef<unsigned> from,
                        ArrayRef<unsigned> order, int64_t number) {
  SmallVector<int64_t> at(dims.size(), 0);
  for (unsigned dim : llvm::reverse(from)) {
    at[dim] = number % dims[dim].extent;
    number /= dims[dim].extent;
  }
  for (unsigned dim : order)
    number = number * dims[dim].extent + at[dim];
  return number;
}

/// Instructions of an access to memory with its address, in cycles in which a
/// multiprocessor could have done accesses: it issues four in a cycle. And
/// those of a single access to shared memory.
static constexpr double vectorCycles = 3, singleCycles = 1.5;

/// Cycles for each element of warps that take `width` elements of memory a
/// thread; `placeOf`: the place of each. `inOrder`: a thread's elements lie
/// side by side in shared memory.
static double costOf(int64_t width, int64_t bytes, bool inOrder,
                     llvm::function_ref<int64_t(int64_t)> placeOf) {
  double cost =
      std::max<double>(1, double(warpSize * width * bytes) / cycleBytes) +
      vectorCycles;
  int64_t accesses = inOrder ? 1 : width;
  for (int64_t access = 0; access < accesses; ++access) {
    SmallVector<int64_t, warpSize> at;
    for (int64_t lane = 0; lane < warpSize; ++lane)
      at.push_back(placeOf(lane * width + access) * bytes);
    cost += cyclesOf(at, inOrder ? bytes * width : bytes) + singleCycles;
  }
  return cost / double(warpSize * width);
}

/// The path with the fewest cycles, counted for the first warp of a box.
BoxPath codegen::choosePath(ArrayRef<BoxDim> dims, ArrayRef<unsigned> order,
                            ArrayRef<unsigned> output, int64_t bytes,
                            int64_t readWidth, int64_t writeWidth) {
  int64_t volume = volumeOf(dims);
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < warpSize * writeWidth; ++i)
    numbers.push_back(renumber(dims, output, order, i % volume));
  BoxPath best;
  auto consider = [&](BoxLayout layout) {
    auto written = [&](int64_t i) { return layout.placeOf(numbers[i]); };
    double out = costOf(writeWidth, bytes, /*inOrder=*/false, written);
    for (int64_t width = 1; width <= readWidth; width *= 2) {
      bool inOrder = layout.gap % width == 0 &&
                     (layout.gap == 0 || (1 << layout.shift) % width == 0);
      double cost = out + costOf(width, bytes, inOrder,
                                 [&](int64_t i) { return layout.placeOf(i); });
      if (best.cost == 0 || cost < best.cost)
        best = {width, writeWidth, layout, cost};
    }
  };
  consider({0, 0});
  // capacity() has a gap of a quarter.
  for (int64_t shift = 3; shift <= 12; ++shift)
    for (int64_t gap : {1, 2, 4, 8, 16})
      if (gap * 4 <= int64_t(1) << shift)
        consider({shift, gap});
  return best;
}
