//===- EmitCUDAOddRows.cpp - Transposes of rows that are no words ---------===//
//
// The form of EmitCUDATranspose.cpp for elements of 1 and 2 bytes whose rows,
// on either side, are not whole words of 4 bytes: such rows begin anywhere in a
// word, and single elements would take 2 to 4 times the accesses.
//
// A row of the tile is read as the words of memory that have its elements, and
// keeps its place within words in shared memory. The tile's columns, which are
// written along the rows of the results, begin at a word in each of these: up
// to 3 elements in front of the tile's first one, so the tile has as many rows
// more. What is left are the ends of the results' rows and the last elements of
// a tensor, which are handled one by one.
//
//===----------------------------------------------------------------------===//

#include "OddRows.h"
#include "TransposeTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Static shared memory of a block.
static constexpr int64_t sharedBytes = 48 * 1024;
static constexpr int64_t wordBytes = 4;
/// Registers of a thread for words that do not go through the tile and are
/// loaded along with it.
static constexpr int64_t wordsAhead = 16;

//===----------------------------------------------------------------------===//
// What is read, and how
//===----------------------------------------------------------------------===//

bool OddRowsEmitter::choose() {
  auto crosses = [&](const PermutedTensor &tensor) {
    return tensor.order.back() != output.back();
  };
  if (!collect(crosses))
    return false;
  inner = output.back();
  across = staged.front().order.back();
  bytes = staged.front().bytes;
  if (bytes >= wordBytes)
    return false;
  per = wordBytes / bytes;
  auto isSame = [&](const PermutedTensor &tensor) {
    Memory *memory = e.elements.memoryOf(tensor.tensor);
    return tensor.bytes == bytes && memory && !memory->packed;
  };
  for (const PermutedTensor &tensor : staged)
    if (!isSame(tensor) || tensor.order.back() != across)
      return false;
  if (!llvm::all_of(along, isSame))
    return false;
  for (const Memory &result : e.results)
    if (ElementEmitter::storageType(result.elementType)
            .getIntOrFloatBitWidth() != 8 * bytes)
      return false;
  oddReads = math.factorOf(sizeOf(across)) % per != 0;
  oddWrites = math.factorOf(sizeOf(inner)) % per != 0;
  int64_t elements = tileElements() * int64_t(staged.size());
  return (oddReads || oddWrites) && elements * bytes <= sharedBytes;
}

bool OddRowsEmitter::sidesAre(ArrayRef<unsigned> rows,
                              ArrayRef<unsigned> columns) {
  return ArrayRef<unsigned>(parts[inner]) == rows &&
         ArrayRef<unsigned>(parts[across]) == columns;
}

void OddRowsEmitter::begin() {
  SmallVector<AffineExpr> counts;
  for (unsigned dim = 0; dim < parts.size(); ++dim) {
    AffineExpr size = sizeExpr(dim);
    counts.push_back(dim == inner || dim == across ? size.ceilDiv(tile) : size);
  }
  e.setConfig({KernelEmission::product(counts, e.kernel.getContext())},
              {threads, 1, 1}, 0);
  for (auto [number, tensor] : llvm::enumerate(staged)) {
    auto type = cast<RankedTensorType>(tensor.tensor.getType());
    arrays.push_back(kernel
                         .sharedArray("tile" + std::to_string(number),
                                      type.getElementType(), {tileElements()})
                         .pointer);
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The place `index` in a tensor, in 32 bits where all places are that are
/// computed: also of rows that the tensor has not, which lie in front of it or
/// behind.
Index OddRowsEmitter::narrow(Index index) {
  Index outside = math.mul(sizeOf(output), number(2 * (tile + per)));
  return math.isNarrow(outside) ? asNarrow(e, index, outside) : index;
}

/// The first element of the word that has element `index`.
Index OddRowsEmitter::wordOf(Index index) {
  if (math.factorOf(index) % per == 0)
    return index;
  return math.mul(math.div(index, number(per)), number(per));
}

Index OddRowsEmitter::strideIn(ArrayRef<unsigned> order, unsigned dim) {
  const auto *place = llvm::find(order, dim);
  return sizeOf(order.drop_front(place - order.begin() + 1));
}

/// The element of a tensor of `order` from which on the block's are counted.
Index OddRowsEmitter::beginOf(ArrayRef<unsigned> order) {
  Index begin = number(0);
  for (unsigned dim : order)
    if (dim != inner && dim != across)
      begin = math.add(begin, math.mul(origin[dim], strideIn(order, dim)));
  return begin;
}

Value OddRowsEmitter::both(Value a, Value b) {
  return !a ? b : arith::AndIOp::create(e.b, e.loc, a, b).getResult();
}

Memory OddRowsEmitter::flat(const Memory &memory) {
  Memory run = memory;
  run.sizes = {sizeOf(output)};
  return run;
}

void OddRowsEmitter::locate() {
  SmallVector<Index> counts;
  for (unsigned dim = 0; dim < parts.size(); ++dim)
    counts.push_back(dim == inner || dim == across
                         ? math.ceilDiv(sizeOf(dim), number(tile))
                         : sizeOf(dim));
  origin = math.delinearize(kernel.blockId(), counts);
  auto begin = [&](unsigned dim) {
    return asNarrow(e, math.mul(origin[dim], number(tile)), sizeOf(dim));
  };
  innerFirst = begin(inner);
  acrossFirst = begin(across);
  outBegin = beginOf(output);
  outStride = strideIn(output, across);
  for (const PermutedTensor &tensor : staged)
    tensors.push_back(
        {tensor, beginOf(tensor.order), strideIn(tensor.order, inner)});
}

/// Where row `row` of a tile begins: a warp writes rows that are a word apart,
/// which then follow each other, and whose number of words is odd.
Index OddRowsEmitter::slotOf(Index row) {
  Index slot = math.add(math.div(row, number(per)),
                        math.mul(within(row), number(slots())));
  return math.mul(slot, number(tile + per));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Loads word `word` of row `row + more` of the tile, where `more` is a
/// multiple of `per`: such rows begin at the same place in a word, and most of
/// what is computed here is computed once. `behind`: the last word may be
/// meant, which has elements only of rows that begin within a word.
void OddRowsEmitter::loadPiece(const OddTensor &odd, const Memory &shared,
                               Index row, int64_t more, Index word, Value valid,
                               bool behind) {
  using arith::CmpIPredicate;
  Index at = math.sub(math.add(innerFirst, row), number(lead()));
  Index first =
      math.add(math.add(odd.begin, math.mul(at, odd.stride)), acrossFirst);
  Index own = math.mul(word, number(per));
  Index place = math.add(math.add(wordOf(first), own),
                         math.mul(number(more), odd.stride));
  Value exists = valid;
  if (behind || !isWhole(across))
    exists = both(exists,
                  kernel.compare(CmpIPredicate::ult, math.add(acrossFirst, own),
                                 math.add(sizeOf(across),
                                          number(oddReads ? per - 1 : 0))));
  // Rows that the tensor has not are others, or outside of it.
  place = narrow(place);
  if (oddReads || oddWrites || !isWhole(inner))
    exists =
        both(exists,
             kernel.compare(CmpIPredicate::ult, place,
                            narrow(math.sub(sizeOf(output), number(per - 1)))));
  if (exists)
    place = kernel.clampTo(exists, place);
  Memory memory = flat(*e.elements.memoryOf(odd.tensor.tensor));
  Index target =
      math.add(math.add(slotOf(row), own), number(more / per * (tile + per)));
  loaded.push_back(
      {shared, target, e.elements.load(memory, {place}, per), valid});
}

void OddRowsEmitter::load(const OddTensor &odd, const Memory &shared) {
  Index id = kernel.threadId();
  Index word = math.rem(id, number(words()));
  Index row = math.div(id, number(words()));
  for (int64_t more = 0; more < tile; more += threads / words())
    loadPiece(odd, shared, row, more, word, Value(), /*behind=*/false);
  // The rows in front, and the words behind, in one pass.
  int64_t inRows = lead() * words(), all = inRows + (oddReads ? rows() : 0);
  assert(all <= threads && "a pass has all that a tile has more");
  if (all == 0)
    return;
  Value valid = kernel.compare(arith::CmpIPredicate::ult, id, number(all));
  Value isRow = kernel.compare(arith::CmpIPredicate::ult, id, number(inRows));
  Index own = kernel.clampTo(valid, id);
  Index rowOf = kernel.select(
      isRow, math.value(math.add(math.div(own, number(words())), number(tile))),
      math.value(math.sub(own, number(inRows))));
  Index wordIn =
      kernel.select(isRow, math.value(word), math.value(number(words())));
  loadPiece(odd, shared, rowOf, 0, wordIn, valid, /*behind=*/true);
}

SmallVector<Index> OddRowsEmitter::pointOf(Index row, Index column) {
  SmallVector<Index> point(sizes.size(), number(0));
  for (unsigned dim = 0; dim < parts.size(); ++dim)
    setPoint(point, {dim},
             dim == inner    ? column
             : dim == across ? row
                             : origin[dim]);
  return point;
}

/// The words of the results that this thread computes. A row's first word is
/// the one that has its first element in the tile. A thread's rows begin at the
/// same place in a word.
void OddRowsEmitter::placePieces() {
  using arith::CmpIPredicate;
  Index id = kernel.threadId(), word = math.rem(id, number(words()));
  Index row = math.div(id, number(words())), own = math.mul(word, number(per));
  Index begin =
      math.add(outBegin, math.mul(math.add(acrossFirst, row), outStride));
  Index shift = oddWrites ? within(begin) : number(0);
  Index along = math.add(innerFirst, own);
  Index at = math.add(wordOf(begin), along), column = math.sub(along, shift);
  SmallVector<SmallVector<Index>> sources = sourcesOf(word, row, shift);
  for (int64_t more = 0; more < tile; more += threads / words()) {
    OddPiece &piece = pieces.emplace_back();
    Index global =
        clampInside(kernel, math.add(math.add(acrossFirst, row), number(more)),
                    sizeOf(across), isWhole(across), piece.valid);
    for (int64_t i = 0; i < per && !isWhole(inner); i += per - 1)
      piece.valid =
          both(piece.valid,
               kernel.compare(CmpIPredicate::ult, math.add(column, number(i)),
                              sizeOf(inner)));
    Index first = column;
    piece.at = narrow(math.add(at, math.mul(number(more), outStride)));
    if (piece.valid) {
      first = kernel.clampTo(piece.valid, first);
      piece.at = kernel.clampTo(piece.valid, piece.at);
    }
    for (int64_t i = 0; i < per; ++i)
      piece.points.push_back(pointOf(global, math.add(first, number(i))));
    piece.sources = sources;
    for (SmallVector<Index> &places : piece.sources)
      for (Index &place : places)
        place = math.add(place, number(more));
  }
}

/// Where in shared memory the elements of word `word` of row `row` are, which
/// begins `shift` elements in front of the tile's.
SmallVector<SmallVector<Index>> OddRowsEmitter::sourcesOf(Index word, Index row,
                                                          Index shift) {
  SmallVector<SmallVector<Index>> sources(tensors.size());
  for (int64_t i = 0; i < per; ++i) {
    Index local = math.sub(number(lead() + i), shift);
    Index slot = math.add(math.mul(word, number(tile + per)), slotOf(local));
    // Of the tile's rows: tiles begin at words.
    Index turn = within(math.sub(number(per + i), shift));
    for (auto [odd, places] : llvm::zip(tensors, sources)) {
      Index offset = math.add(math.mul(turn, within(odd.stride)),
                              within(math.add(odd.begin, acrossFirst)));
      places.push_back(
          math.add(math.add(slot, oddReads ? within(offset) : number(0)), row));
    }
  }
  return sources;
}

void OddRowsEmitter::loadAlong(OddPiece &piece, const PermutedTensor &tensor) {
  Memory memory = flat(*e.elements.memoryOf(tensor.tensor));
  piece.along.push_back(e.elements.load(memory, {piece.at}, per));
}

/// Loads what is in the order of the output, as far as there are registers: it
/// is on the way while the tiles are.
void OddRowsEmitter::loadAlong() {
  int64_t count = 0;
  for (const PermutedTensor &tensor : along) {
    count += int64_t(pieces.size());
    if (count > wordsAhead)
      return;
    for (OddPiece &piece : pieces)
      loadAlong(piece, tensor);
  }
}

/// From here on the tensors' elements are those of the piece that is computed.
void OddRowsEmitter::bind() {
  for (auto [number, tensor] : llvm::enumerate(staged))
    e.elements.bindSource(tensor.tensor, [this, number](auto &&, int64_t) {
      return e.elements.load(shared[number],
                             {current->sources[number][element]}, 1);
    });
  for (auto [number, tensor] : llvm::enumerate(along))
    e.elements.bindSource(tensor.tensor, [this, number](auto &&, int64_t) {
      return Elements{current->along[number][element]};
    });
}

Elements OddRowsEmitter::compute(Value result, OddPiece &piece) {
  Elements values;
  current = &piece;
  for (element = 0; element < int64_t(piece.points.size()); ++element)
    values.push_back(e.elements.emitOne(result, piece.points[element]));
  return values;
}

/// Computes all words of the results, and then stores those that exist.
void OddRowsEmitter::write() {
  auto store = [&](OddPiece &piece) {
    for (auto [memory, values] : llvm::zip(e.results, piece.values))
      e.elements.store(flat(memory), {piece.at}, values);
  };
  for (OddPiece &piece : pieces) {
    for (const PermutedTensor &tensor :
         ArrayRef<PermutedTensor>(along).drop_front(piece.along.size()))
      loadAlong(piece, tensor);
    for (Value result : e.yielded())
      piece.values.push_back(compute(result, piece));
    if (!piece.valid)
      store(piece);
  }
  for (OddPiece &piece : pieces)
    if (piece.valid)
      e.when(piece.valid, [&] { store(piece); });
}

void OddRowsEmitter::emit(ArrayRef<Value> arrays) {
  locate();
  for (auto [odd, array] : llvm::zip(tensors, arrays)) {
    auto type = cast<RankedTensorType>(odd.tensor.tensor.getType());
    shared.push_back({array,
                      type.getElementType(),
                      {number(tileElements())},
                      16,
                      /*readOnly=*/false});
    load(odd, shared.back());
  }
  placePieces();
  loadAlong();
  for (const OddLoad &piece : loaded) {
    auto store = [&] {
      e.elements.store(piece.shared, {piece.place}, piece.values);
    };
    if (piece.valid)
      e.when(piece.valid, store);
    else
      store();
  }
  for (auto [odd, memory] : llvm::zip(tensors, shared))
    loadTail(odd, memory);
  kernel.barrier();
  bind();
  write();
  writeEnds();
  for (const PermutedTensor &tensor : staged)
    e.elements.unbindSource(tensor.tensor);
  for (const PermutedTensor &tensor : along)
    e.elements.unbindSource(tensor.tensor);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Whether a tensor has a word in any case.
static bool hasWords(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  AffineExpr elements =
      KernelEmission::product(e.sizeExprs(0), e.kernel.getContext());
  SmallVector<AffineExpr> least;
  if (kernel::SizesAttr sizes = e.kernel.getSizesAttr())
    for (int64_t size : sizes.getMin())
      least.push_back(e.constantExpr(size));
  auto known =
      dyn_cast<AffineConstantExpr>(elements.replaceDimsAndSymbols({}, least));
  return known && known.getValue() >= wordBytes;
}

/// Larger tiles than 64 x 64 would leave a thread more addresses than it has
/// registers.
static constexpr int64_t largestTile = 64, maxThreads = 256;

bool codegen::emitCUDAOddRows(CUDAKernel &kernel, TransposeTile tile) {
  if (tile.size > largestTile) {
    tile.size = largestTile;
    tile.threads = maxThreads;
  }
  OddRowsEmitter emitter(kernel, tile);
  if (!hasWords(kernel) || !emitter.choose() || !emitter.isOdd())
    return false;
  // Registers for all of a thread's loads.
  kernel.residentBlocks = 1024 / tile.threads;
  emitter.begin();
  kernel.await();
  emitter.emit(emitter.arrays);
  return true;
}

int64_t codegen::oddRowsElements(CUDAKernel &kernel,
                                 const TransposeTile &tile) {
  OddRowsEmitter emitter(kernel, tile);
  bool fits = tile.size <= largestTile && hasWords(kernel) &&
              emitter.choose() && emitter.isOdd() &&
              emitter.count() == tile.tensors &&
              emitter.sidesAre(tile.rows, tile.columns);
  return fits ? emitter.tileElements() : 0;
}

void codegen::emitCUDAOddRowsBody(CUDAKernel &kernel, const TransposeTile &tile,
                                  ArrayRef<Value> arrays) {
  OddRowsEmitter emitter(kernel, tile);
  if (emitter.choose())
    emitter.emit(arrays);
}
