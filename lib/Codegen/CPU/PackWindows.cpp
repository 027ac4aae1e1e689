//===- PackWindows.cpp - Windows as a panel of a contraction --------------===//
//
// A vector is one position of the window in as many windows as it has elements,
// which are columns of the panel. What each adds to the number of an element of
// the input and to its place in each bounded dimension is computed once for a
// k-block; a position adds the same to all. Neighbouring windows mostly read
// neighbours (steps of 1, and as much padding as keeps the size): such a vector
// is loaded, others are gathered. What is outside of the input is masked.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "RegisterBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

using Part = SlidingWindow::Part;

namespace {
/// A form at the columns of a vector: `all`, of i64, plus what each adds,
/// of i32.
struct VectorForm {
  Value all, each;
};

/// Emits vectors of one strip.
class WindowPacker {
public:
  WindowPacker(KernelEmission &e, VectorType type, const SlidingWindow &window,
               const Memory &memory);

  /// Adds the position `index` of a dimension of the operand that is the same
  /// for all elements.
  void add(const Part &part, Index index);
  /// Adds those of the columns, of which the first is `column`.
  void addColumns(const Part &part, Index column);
  /// Elements from `count` on are no columns.
  void limit(Index count);
  /// Whether elements are neighbours in the input.
  Value areNeighbours();
  /// The vector at position `k` of the window.
  Value load(const Part &rows, Index k, bool neighbours);

private:
  Value number(int64_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(value));
  }
  Value wide(Index index) {
    return arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(),
                                      e.math.value(index));
  }
  Value splat(int64_t value) {
    return arith::ConstantOp::create(
        e.b, e.loc,
        DenseElementsAttr::get(indexType,
                               e.b.getI32IntegerAttr(int32_t(value))));
  }
  Value splat(Value value) {
    if (value.getType().isInteger(64))
      value = arith::TruncIOp::create(e.b, e.loc, e.b.getI32Type(), value);
    return vector::BroadcastOp::create(e.b, e.loc, indexType, value);
  }
  Value elementNumbers();
  Value multiplyAdd(Value sum, Value index, int64_t factor);
  Value address(Value pointer, Value offset, Type type) {
    return LLVM::GEPOp::create(e.b, e.loc, type, memory.elementType, pointer,
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  /// `form` for each: of the offset, then of the bounds.
  template <typename Fn> void forForms(Fn &&fn) {
    fn(offset, window.offset);
    for (auto [place, bound] : llvm::zip(places, window.bounds))
      fn(place, bound.place);
  }
  SmallVector<Index> positions(const Part &part, Index index);

  KernelEmission &e;
  VectorType type, indexType;
  const SlidingWindow &window;
  const Memory &memory;
  VectorForm offset;
  SmallVector<VectorForm> places;
  /// Elements that are columns.
  Value isColumn;
};
} // namespace

WindowPacker::WindowPacker(KernelEmission &e, VectorType type,
                           const SlidingWindow &window, const Memory &memory)
    : e(e), type(type), window(window), memory(memory) {
  indexType = VectorType::get(type.getShape(), e.b.getI32Type());
  places.resize(window.bounds.size());
  forForms([&](VectorForm &own, const LinearForm &form) {
    own = {number(form.constant), splat(int64_t(0))};
  });
}

Value WindowPacker::elementNumbers() {
  SmallVector<int32_t> all(
      llvm::to_vector(llvm::seq<int32_t>(indexType.getNumElements())));
  return arith::ConstantOp::create(
      e.b, e.loc, DenseIntElementsAttr::get(indexType, ArrayRef<int32_t>(all)));
}

/// `sum` plus `index` times `factor`, of i64 or of vectors.
Value WindowPacker::multiplyAdd(Value sum, Value index, int64_t factor) {
  if (factor == 0)
    return sum;
  if (factor != 1) {
    Value scale = index.getType() == indexType ? splat(factor) : number(factor);
    index = arith::MulIOp::create(e.b, e.loc, index, scale);
  }
  return arith::AddIOp::create(e.b, e.loc, sum, index);
}

SmallVector<Index> WindowPacker::positions(const Part &part, Index index) {
  SmallVector<Index> sizes;
  for (int64_t size : part.sizes)
    sizes.push_back(e.math.constant(size));
  return e.math.delinearize(index, sizes);
}

void WindowPacker::add(const Part &part, Index index) {
  SmallVector<Index> at = positions(part, index);
  forForms([&](VectorForm &own, const LinearForm &form) {
    for (auto [position, i] : llvm::zip(part.positions, at))
      own.all = multiplyAdd(own.all, wide(i), form.factors[position]);
  });
}

/// The outermost position is that of element 0; each has those inside, and
/// how many of the outermost it goes on.
void WindowPacker::addColumns(const Part &part, Index column) {
  Index inner = e.math.constant(part.inner());
  Value outermost = wide(e.math.div(column, inner));
  forForms([&](VectorForm &own, const LinearForm &form) {
    own.all =
        multiplyAdd(own.all, outermost, form.factors[part.positions.front()]);
  });
  Value left = arith::AddIOp::create(
      e.b, e.loc, splat(wide(e.math.rem(column, inner))), elementNumbers());
  for (int64_t i = part.positions.size() - 1; i >= 0; --i) {
    Value at = left;
    if (i > 0) {
      Value size = splat(part.sizes[i]);
      at = arith::RemUIOp::create(e.b, e.loc, left, size);
      left = arith::DivUIOp::create(e.b, e.loc, left, size);
    }
    forForms([&](VectorForm &own, const LinearForm &form) {
      own.each = multiplyAdd(own.each, at, form.factors[part.positions[i]]);
    });
  }
}

void WindowPacker::limit(Index count) {
  isColumn = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult,
                                   elementNumbers(), splat(wide(count)));
}

Value WindowPacker::areNeighbours() {
  Value first = vector::ExtractOp::create(e.b, e.loc, offset.each, 0);
  Value inOrder =
      arith::AddIOp::create(e.b, e.loc, splat(first), elementNumbers());
  Value equal = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq,
                                      offset.each, inOrder);
  return vector::ReductionOp::create(e.b, e.loc, vector::CombiningKind::AND,
                                     equal);
}

Value WindowPacker::load(const Part &rows, Index k, bool neighbours) {
  SmallVector<Index> at = positions(rows, k);
  auto with = [&](Value sum, const LinearForm &form) {
    for (auto [position, i] : llvm::zip(rows.positions, at))
      sum = multiplyAdd(sum, wide(i), form.factors[position]);
    return sum;
  };
  Value mask = isColumn;
  for (auto [place, bound] : llvm::zip(places, window.bounds)) {
    Value whole = arith::AddIOp::create(e.b, e.loc, place.each,
                                        splat(with(place.all, bound.place)));
    Value isInside = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::ult, whole, splat(bound.size));
    mask = arith::AndIOp::create(e.b, e.loc, mask, isInside);
  }
  Value outside = vector::BroadcastOp::create(
      e.b, e.loc, type,
      arith::ConstantOp::create(
          e.b, e.loc,
          window.outside ? window.outside
                         : TypedAttr(e.b.getZeroAttr(type.getElementType()))));
  Type pointer = memory.pointer.getType();
  Value start =
      address(memory.pointer, with(offset.all, window.offset), pointer);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (neighbours) {
    Value first = vector::ExtractOp::create(e.b, e.loc, offset.each, 0);
    return LLVM::MaskedLoadOp::create(e.b, e.loc, type,
                                      address(start, first, pointer), mask,
                                      outside, e.b.getI32IntegerAttr(bytes));
  }
  Value addresses =
      address(start, offset.each, VectorType::get(type.getShape(), pointer));
  return LLVM::masked_gather::create(e.b, e.loc, type, addresses, mask,
                                     ValueRange{outside}, bytes);
}

/// How far the indices of `part` reach in a form.
static double reach(const LinearForm &form, const Part &part) {
  double sum = double(part.inner()) + std::abs(double(form.constant));
  for (auto [position, size] : llvm::zip(part.positions, part.sizes))
    sum += std::abs(double(form.factors[position])) * double(size);
  return sum;
}

/// Whether elements can compute with 32 bits: their share of an offset, and the
/// places in bounded dimensions.
static bool fits32Bits(const SlidingWindow &window, const Part &part,
                       bool isColumns, int64_t width) {
  constexpr double limit = 1 << 28;
  Part vector = part;
  if (isColumns)
    vector.sizes.front() = width;
  else if (ShapedType::isDynamic(part.sizes.front()))
    return false;
  if (isColumns && reach(window.offset, vector) > limit)
    return false;
  return llvm::all_of(window.bounds, [&](const SlidingWindow::Bound &bound) {
    const Part &reached =
        bound.place.factors[part.positions.front()] ? part : vector;
    return !ShapedType::isDynamic(reached.sizes.front()) &&
           reach(bound.place, reached) < limit && double(bound.size) < limit;
  });
}

/// The windows that are the second operand of `from`, where the processor has
/// loads and gathers with masks for them.
std::optional<SlidingWindow>
GemmEmitter::slidingWindow(linalg::GenericOp from) {
  unsigned bits = number.getIntOrFloatBitWidth();
  if (items.vectorBits < 256 || (bits != 32 && bits != 64) ||
      dims.k.size() != 1 || dims.n.size() != 1 || isAlongK(from, 1))
    return std::nullopt;
  std::optional<SlidingWindow> window = SlidingWindow::of(from, 1);
  const Memory *memory = window ? e.elements.memoryOf(window->source) : nullptr;
  if (!memory || memory->packed || memory->elementType != number)
    return std::nullopt;
  AffineMap map = from.getMatchingIndexingMap(&from->getOpOperand(1));
  for (auto [expr, part] : llvm::zip(map.getResults(), window->parts)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !fits32Bits(*window, part, dim.getPosition() == dims.n.front(),
                            blocking.width))
      return std::nullopt;
  }
  return window;
}

void GemmEmitter::packWindows(const PanelStrip &strip,
                              const SlidingWindow &window) {
  linalg::GenericOp from = strip.from;
  AffineMap map = from.getMatchingIndexingMap(&from->getOpOperand(1));
  Index width = math.constant(blocking.width);
  RegisterBlock registers{e, vectorType, 1, 1};
  auto packVector = [&](Index vector) {
    WindowPacker packer(e, vectorType, window,
                        *e.elements.memoryOf(window.source));
    Index column = math.mul(vector, width);
    const Part *rows = nullptr;
    for (auto [expr, part] : llvm::zip(map.getResults(), window.parts)) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (loop == dims.k.front())
        rows = &part;
      else if (loop == dims.n.front())
        packer.addColumns(part, math.add(strip.row, column));
      else
        packer.add(part, batchLoops[loop]);
    }
    packer.limit(
        math.min(width, math.sub(math.max(strip.count, column), column)));
    auto packRows = [&](bool neighbours) {
      e.loop(math.constant(0), strip.kCount, math.constant(1), [&](Index k) {
        Value loaded =
            packer.load(*rows, math.add(strip.kBegin, k), neighbours);
        Index to = math.add(math.mul(k, math.constant(strip.width)), column);
        registers.store(strip.panel, math.add(strip.base, to), loaded);
      });
    };
    Value areNeighbours = packer.areNeighbours();
    Value areApart = arith::XOrIOp::create(
        e.b, e.loc, areNeighbours,
        arith::ConstantOp::create(e.b, e.loc, e.b.getBoolAttr(true)));
    e.when(areNeighbours, [&] { packRows(true); });
    e.when(areApart, [&] { packRows(false); });
  };
  e.loop(math.constant(0), math.constant(strip.width / blocking.width),
         math.constant(1), packVector);
}
