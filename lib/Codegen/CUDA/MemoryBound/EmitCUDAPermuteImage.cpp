//===- EmitCUDAPermuteImage.cpp - CUDA code of odd permutations -----------===//
//
// A loop kernel that reads one tensor in another order of dimensions, whose
// runs of memory do not begin with vectors. A block copies a box to shared
// memory by whole vectors (PermuteImage.h), and writes the output by whole
// vectors, whose elements it gathers there. Vectors that the box has only some
// elements of are stored one by one.
//
//===----------------------------------------------------------------------===//

#include "PermuteImage.h"
#include "PermutedTensors.h"

#include "Codegen/Emit/TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpIPredicate;

/// With fewer elements for each multiprocessor, boxes are too small for runs.
static constexpr int64_t fewElements = 1 << 11;

namespace {
class ImageEmitter : PermutedTensors {
public:
  explicit ImageEmitter(CUDAKernel &kernel) : PermutedTensors(kernel) {}
  bool choose();
  void emit();

private:
  bool isPlain();
  void locate();
  /// A vector that covers a part of a run.
  struct Piece {
    /// Its first element in memory; where that is in the run, before it where
    /// the run begins within the vector; and where the run is in shared memory.
    Index flat;
    Value inRun, inShared;
    /// Whether all, and any, of its elements are of the box.
    Value isWhole, isSome;
  };
  Piece placeAt(ArrayRef<unsigned> order, ArrayRef<int64_t> strides,
                Index origin, int64_t first, bool isAligned);
  void load();
  void loadPast(const Piece &piece, const Memory &flat);
  void write();
  SmallVector<Value> sharedPlaces(const Piece &piece);
  Value sharedPlaceOf(Value inRun, Value inShared);
  void store(const Piece &piece);
  void storeElements(Index at, const SmallVector<Value> &places);

  Value number(int64_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
  }
  Value toNumber(Index index) {
    return arith::IndexCastUIOp::create(e.b, e.loc, e.b.getI32Type(),
                                        math.value(index));
  }
  Index toIndex(Value value, int64_t factor = 1) {
    Value index =
        arith::IndexCastUIOp::create(e.b, e.loc, e.b.getIndexType(), value);
    math.setFactor(index, factor);
    return index;
  }
  template <typename Op> Value make(Value a, Value b) {
    return Op::create(e.b, e.loc, a, b);
  }
  Value compare(CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(e.b, e.loc, predicate, a, b);
  }
  Value both(Value a, Value b) {
    return a && b ? make<arith::AndIOp>(a, b) : a ? a : b;
  }
  BoxRun outputRun() { return runOf(image.dims, output); }

  PermuteImage image;
  Memory shared;
  /// Of the box: its first indices, its first element in the tensor and in the
  /// output, and where the former is in a vector (i32).
  SmallVector<Index> origin;
  Index inOrigin, outOrigin;
  Value phase;
  /// Of each dimension, how many indices of it the box has (i32); null: all of
  /// its extent.
  SmallVector<Value> counts;
};
} // namespace

/// Whether nothing but the tensor is read, wherever an element is.
bool ImageEmitter::isPlain() {
  bool plain = true;
  e.kernel.getBody().walk([&](Operation *op) {
    if (isa<linalg::IndexOp, tensor::ExtractOp, tensor::ConcatOp>(op))
      plain = false;
  });
  if (!plain || staged.size() != 1 || !along.empty())
    return false;
  for (auto [tensor, map] : readsOf(e))
    if (e.elements.memoryOf(tensor) && tensor != staged.front().tensor)
      return false;
  Memory *memory = e.elements.memoryOf(staged.front().tensor);
  return memory && !memory->packed;
}

bool ImageEmitter::choose() {
  if (!collect([](const PermutedTensor &) { return true; }) || !isPlain())
    return false;
  for (unsigned dim = 0; dim < parts.size(); ++dim) {
    std::optional<int64_t> size = IndexMath::constantOf(sizeOf(dim));
    if (!size || *size < 1)
      return false;
    image.dims.push_back({*size, *size, 1});
  }
  image.input = staged.front().order;
  image.output = output;
  image.bytes = staged.front().bytes;
  image.vectorSize = vectorSizeOf(e);
  int64_t v = image.vectorSize, count = image.elements();
  if (v < 2 || count < fewElements * kernel.chip.multiprocessors ||
      count > INT32_MAX || image.bytes * v > 16)
    return false;
  // Several rows would end within a vector.
  if (*image.dims[output.back()].size < v ||
      *image.dims[image.input.back()].size < v)
    return false;
  bool isEven = *image.dims[image.input.back()].size % v == 0 &&
                *image.dims[output.back()].size % v == 0;
  return !isEven && chooseImage(image, kernel.chip);
}

/// Finds the block's box.
void ImageEmitter::locate() {
  SmallVector<Index> boxes;
  for (const BoxDim &dim : image.dims)
    boxes.push_back(math.constant(llvm::divideCeil(*dim.size, dim.extent)));
  origin = math.delinearize(kernel.blockId(), boxes);
  inOrigin = outOrigin = math.constant(0);
  for (auto [number, dim] : llvm::enumerate(image.dims)) {
    origin[number] = math.mul(origin[number], math.constant(dim.extent));
    inOrigin = math.add(
        inOrigin, math.mul(origin[number], math.constant(image.from[number])));
    outOrigin = math.add(
        outOrigin, math.mul(origin[number], math.constant(image.to[number])));
    counts.push_back(Value());
    if (*dim.size % dim.extent != 0)
      counts.back() = toNumber(
          math.min(math.constant(dim.extent),
                   math.sub(math.constant(*dim.size), origin[number])));
  }
  phase = toNumber(math.rem(inOrigin, math.constant(image.vectorSize)));
}

/// The vector number `first` of this thread, if threads take the vectors of the
/// runs of `order`, which has `strides` in memory, one after the other.
ImageEmitter::Piece ImageEmitter::placeAt(ArrayRef<unsigned> order,
                                          ArrayRef<int64_t> strides,
                                          Index origin, int64_t first,
                                          bool isAligned) {
  int64_t v = image.vectorSize;
  BoxRun run = runOf(image.dims, order);
  ArrayRef<unsigned> outer = order.take_front(run.first);
  int64_t ofRun = isAligned ? run.length / v : image.vectorsOf(order);
  SmallVector<Index> extents;
  int64_t all = ofRun;
  for (unsigned dim : outer) {
    extents.push_back(math.constant(image.dims[dim].extent));
    all *= image.dims[dim].extent;
  }
  extents.push_back(math.constant(ofRun));
  Index id = math.add(kernel.threadId(), math.constant(first));
  Piece piece;
  if (first + image.threads > all)
    piece.isSome = kernel.compare(CmpIPredicate::ult, id, math.constant(all));
  SmallVector<Index> at = math.delinearize(id, extents);
  Index begin = origin;
  piece.inShared = phase;
  for (auto [dim, local] : llvm::zip(outer, at)) {
    begin = math.add(begin, math.mul(local, math.constant(strides[dim])));
    piece.inShared = make<arith::AddIOp>(
        piece.inShared,
        make<arith::MulIOp>(toNumber(local), number(image.pitch[dim])));
    if (counts[dim])
      piece.isSome = both(piece.isSome, compare(CmpIPredicate::ult,
                                                toNumber(local), counts[dim]));
  }
  Index size = math.constant(v);
  Value ahead = toNumber(math.rem(begin, size));
  piece.flat = math.add(math.mul(math.div(begin, size), size),
                        math.mul(at.back(), size));
  piece.inRun = make<arith::SubIOp>(
      make<arith::MulIOp>(toNumber(at.back()), number(v)), ahead);
  // The run's first dimension may not be all there.
  Value length = number(run.length);
  unsigned front = order[run.first];
  if (counts[front])
    length = make<arith::MulIOp>(counts[front],
                                 number(run.length / image.dims[front].extent));
  piece.isWhole =
      both(piece.isSome,
           compare(CmpIPredicate::sle,
                   make<arith::AddIOp>(piece.inRun, number(v)), length));
  if (!isAligned)
    piece.isWhole = both(piece.isWhole,
                         compare(CmpIPredicate::sge, piece.inRun, number(0)));
  piece.isSome =
      both(piece.isSome, compare(CmpIPredicate::slt, piece.inRun, length));
  return piece;
}

/// The last vector of the tensor, which passes its end.
void ImageEmitter::loadPast(const Piece &piece, const Memory &flat) {
  Value first = make<arith::AddIOp>(piece.inShared, piece.inRun);
  for (int64_t i = 0; i < image.vectorSize; ++i) {
    Index at = math.add(piece.flat, math.constant(i));
    e.when(kernel.compare(CmpIPredicate::ult, at, flat.sizes.front()), [&] {
      e.elements.store(shared, {toIndex(make<arith::AddIOp>(first, number(i)))},
                       e.elements.load(flat, {at}, 1));
    });
  }
}

/// Copies the box with what is next to its runs.
void ImageEmitter::load() {
  int64_t v = image.vectorSize, total = image.elements();
  Memory flat = *e.elements.memoryOf(staged.front().tensor);
  flat.sizes = {math.constant(total)};
  BoxRun run = runOf(image.dims, image.input);
  int64_t vectors =
      volumeOf(image.dims) / run.length * image.vectorsOf(image.input);
  struct Loaded {
    Piece piece;
    Value isSafe;
    Elements values;
  };
  std::vector<Loaded> loaded;
  for (int64_t first = 0; first < vectors; first += image.threads) {
    Loaded &own = loaded.emplace_back();
    own.piece = placeAt(image.input, image.from, inOrigin, first,
                        /*isAligned=*/false);
    own.isSafe = own.piece.isSome;
    if (total % v != 0)
      own.isSafe =
          both(own.isSafe, kernel.compare(CmpIPredicate::ule, own.piece.flat,
                                          math.constant(total - v)));
    own.values =
        e.elements.load(flat, {kernel.clampTo(own.isSafe, own.piece.flat)}, v);
  }
  for (const Loaded &own : loaded) {
    Value first = make<arith::AddIOp>(own.piece.inShared, own.piece.inRun);
    e.when(own.isSafe,
           [&] { e.elements.store(shared, {toIndex(first, v)}, own.values); });
  }
  if (total % v == 0)
    return;
  for (const Loaded &own : loaded) {
    Value isPast = compare(CmpIPredicate::ne, own.isSafe, own.piece.isSome);
    e.when(isPast, [&] { loadPast(own.piece, flat); });
  }
}

/// Where the element `inRun` of a run of the output is in shared memory.
Value ImageEmitter::sharedPlaceOf(Value inRun, Value inShared) {
  BoxRun run = outputRun();
  ArrayRef<unsigned> inner = ArrayRef(output).drop_front(run.first);
  for (size_t i = inner.size(); i-- > 0;) {
    unsigned dim = inner[i];
    Value local = inRun;
    if (i > 0) {
      Value extent = number(image.dims[dim].extent);
      local = make<arith::RemUIOp>(inRun, extent);
      inRun = make<arith::DivUIOp>(inRun, extent);
    }
    inShared = make<arith::AddIOp>(
        inShared, make<arith::MulIOp>(local, number(image.pitch[dim])));
  }
  return inShared;
}

/// Where the elements of a vector are. At most one row of the last dimension
/// ends within.
SmallVector<Value> ImageEmitter::sharedPlaces(const Piece &piece) {
  BoxRun run = outputRun();
  int64_t pitch = image.pitch[output.back()];
  Value first = make<arith::MaxSIOp>(piece.inRun, number(0));
  bool isRow = run.first + 1 == output.size();
  // Of the row that the vector begins in: the place of its element that the
  // vector would begin with.
  Value begin = sharedPlaceOf(first, piece.inShared);
  begin = make<arith::AddIOp>(
      begin, make<arith::MulIOp>(make<arith::SubIOp>(piece.inRun, first),
                                 number(pitch)));
  Value room, next;
  if (!isRow) {
    Value extent = number(image.dims[output.back()].extent);
    Value column = make<arith::RemUIOp>(first, extent);
    room = make<arith::SubIOp>(
        make<arith::AddIOp>(extent, make<arith::SubIOp>(first, piece.inRun)),
        column);
    Value behind = make<arith::MinSIOp>(make<arith::AddIOp>(piece.inRun, room),
                                        number(run.length - 1));
    next = make<arith::SubIOp>(sharedPlaceOf(behind, piece.inShared),
                               make<arith::MulIOp>(room, number(pitch)));
  }
  SmallVector<Value> places;
  for (int64_t i = 0; i < image.vectorSize; ++i) {
    Value own = begin;
    if (room)
      own = kernel.select(compare(CmpIPredicate::sgt, room, number(i)), begin,
                          next);
    places.push_back(make<arith::AddIOp>(own, number(i * pitch)));
  }
  return places;
}

/// Computes and stores the elements whose sources are at `places`.
void ImageEmitter::storeElements(Index at, const SmallVector<Value> &places) {
  Elements sources;
  for (Value place : places)
    sources.push_back(e.elements.load(shared, {toIndex(place)}, 1).front());
  // Where elements are says nothing: what is computed from one has its place in
  // all dimensions.
  Value source;
  e.elements.bindSource(staged.front().tensor,
                        [&](auto &&, int64_t) { return Elements{source}; });
  for (auto [memory, result] : llvm::zip(e.results, e.yielded())) {
    Elements values;
    for (auto [i, value] : llvm::enumerate(sources)) {
      source = value;
      SmallVector<Index> point(sizes.size(), math.add(at, math.constant(i)));
      values.push_back(e.elements.emitOne(result, point));
    }
    Memory flat = memory;
    flat.sizes = {math.constant(image.elements())};
    e.elements.store(flat, {at}, values);
  }
  e.elements.unbindSource(staged.front().tensor);
}

void ImageEmitter::store(const Piece &piece) {
  SmallVector<Value> places = sharedPlaces(piece);
  e.when(piece.isWhole, [&] { storeElements(piece.flat, places); });
  bool isAligned = image.isAligned();
  bool mayEnd = llvm::any_of(counts, [](Value count) { return !!count; });
  if (isAligned && !mayEnd)
    return;
  Value isCut = compare(CmpIPredicate::ne, piece.isWhole, piece.isSome);
  BoxRun run = outputRun();
  Value length = number(run.length);
  unsigned front = output[run.first];
  if (counts[front])
    length = make<arith::MulIOp>(counts[front],
                                 number(run.length / image.dims[front].extent));
  e.when(isCut, [&] {
    for (auto [i, place] : llvm::enumerate(places)) {
      Value own = make<arith::AddIOp>(piece.inRun, number(i));
      // Below 0, as a number without a sign, it is not.
      e.when(compare(CmpIPredicate::ult, own, length), [&] {
        storeElements(math.add(piece.flat, math.constant(i)), {place});
      });
    }
  });
}

void ImageEmitter::write() {
  int64_t v = image.vectorSize;
  BoxRun run = outputRun();
  bool isAligned = image.isAligned();
  int64_t vectors = volumeOf(image.dims) / run.length *
                    (isAligned ? run.length / v : image.vectorsOf(output));
  for (int64_t first = 0; first < vectors; first += image.threads)
    store(placeAt(output, image.to, outOrigin, first, isAligned));
}

void ImageEmitter::emit() {
  e.setConfig({e.constantExpr(image.boxes())}, {image.threads, 1, 1}, 0);
  kernel.residentBlocks = 1024 / image.threads;
  auto type = cast<RankedTensorType>(staged.front().tensor.getType());
  shared = kernel.sharedArray("image", type.getElementType(), {image.capacity});
  locate();
  kernel.await();
  load();
  kernel.barrier();
  write();
}

bool codegen::emitCUDAPermuteImage(CUDAKernel &kernel) {
  ImageEmitter emitter(kernel);
  if (!emitter.choose())
    return false;
  emitter.emit();
  return true;
}
