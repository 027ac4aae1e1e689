//===- ElementMemory.cpp - Accesses, conversions and sizes ----------------===//
//
// The leaves of the element emitter: loads and stores as wide as alignment
// allows, conversion between storage and compute types, and the sizes of a
// kernel's tensors.
//
//===----------------------------------------------------------------------===//

#include "Software16.h"

#include "ElementEmitter.h"
#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

Type ElementEmitter::computeType(Type element) {
  auto number = dyn_cast<FloatType>(element);
  if (isUnsigned(element) || isInt4(element))
    return storageType(element);
  return number && number.getWidth() < 32
             ? Float32Type::get(element.getContext())
             : element;
}

Type ElementEmitter::storageType(Type element) {
  return element.isInteger(1) || isFloat8(element) || isUnsigned(element) ||
                 isInt4(element)
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

bool ElementEmitter::isSoftware(Type element) const {
  return (element.isBF16() && options.softwareBF16) ||
         (element.isF16() && options.softwareF16);
}

Type ElementEmitter::storedType(Type element) const {
  return isSoftware(element) ? IntegerType::get(element.getContext(), 16)
                             : storageType(element);
}

static int64_t storageBytes(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// A stored value in its compute type.
Value ElementEmitter::widen(Value stored, Type element) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored,
                                 zero);
  }
  Type type = computeType(element);
  if (type == stored.getType())
    return stored;
  if (isFloat8(element)) {
    Value number = arith::BitcastOp::create(b, loc, element, stored);
    return scalar::createCast(b, loc, number, type);
  }
  if (isSoftware(element))
    return widenBits(b, loc, stored, element);
  return arith::ExtFOp::create(b, loc, type, stored);
}

/// The stored value that `computed` was widened from: an element that only
/// moves is not rounded, and keeps the bits of a NaN. Null for all else, and
/// for f16 where software converts it.
static Value movedFrom(Value computed, Type element, bool isSoftware) {
  if (isSoftware)
    return element.isBF16() ? widenedBF16(computed) : nullptr;
  auto extend = computed.getDefiningOp<arith::ExtFOp>();
  if (!extend || extend.getIn().getType() != element)
    return nullptr;
  if (!isFloat8(element))
    return extend.getIn();
  auto bits = extend.getIn().getDefiningOp<arith::BitcastOp>();
  return bits && bits.getIn().getType().isInteger(8) ? bits.getIn() : nullptr;
}

/// A computed value as it is stored.
Value ElementEmitter::narrow(Value computed, Type element) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), computed);
  if (computed.getType() == storageType(element))
    return computed;
  if (Value stored = rounded.lookup({computed, element}))
    return stored;
  if (Value stored = movedFrom(computed, element, isSoftware(element)))
    return stored;
  if (isFloat8(element))
    return arith::BitcastOp::create(
        b, loc, b.getI8Type(), scalar::createCast(b, loc, computed, element));
  if (isSoftware(element))
    return roundToBits(b, loc, computed, element);
  return arith::TruncFOp::create(b, loc, element, computed);
}

Value ElementEmitter::round(Value computed, Type element) {
  if (rounded.contains({computed, element}))
    return computed;
  Value stored = narrow(computed, element);
  Value wide = widen(stored, element);
  rounded[{wide, element}] = stored;
  return wide;
}

/// Elements that one access may cover: the largest power of two that divides
/// `vectorSize` and whose bytes divide the alignment.
static int64_t accessWidth(int64_t vectorSize, int64_t bytes, int64_t alignment,
                           int64_t widest) {
  int64_t width = 1;
  while (vectorSize % (width * 2) == 0 && width * 2 * bytes <= widest &&
         alignment % (width * 2 * bytes) == 0)
    width *= 2;
  return width;
}

static Value addressOf(IndexMath &math, Value pointer, Type storage,
                       Index offset) {
  OpBuilder &b = math.b();
  if (IndexMath::constantOf(offset) == int64_t(0))
    return pointer;
  Value wide = arith::IndexCastOp::create(b, math.location(), b.getI64Type(),
                                          math.value(offset));
  return LLVM::GEPOp::create(b, math.location(), pointer.getType(), storage,
                             pointer, ArrayRef<LLVM::GEPArg>{wide},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// A load of 4, 8 or 16 bytes that leaves nothing in the L1 cache. From memory
/// that others may write it stays behind what was waited for.
static Value loadStreamed(OpBuilder &b, Location loc, Value address, Type type,
                          int64_t bytes, bool readOnly) {
  bool isVector = bytes > 4;
  std::string text = readOnly ? "ld.global.nc" : "ld.global";
  text += ".L1::no_allocate";
  text += bytes == 16  ? ".v4.b32 {$0, $1, $2, $3}, [$4];"
          : bytes == 8 ? ".v2.b32 {$0, $1}, [$2];"
                       : ".b32 $0, [$1];";
  SmallVector<Type> words(bytes / 4, b.getI32Type());
  Type returned = b.getI32Type();
  if (isVector)
    returned = LLVM::LLVMStructType::getLiteral(b.getContext(), words);
  std::string constraints;
  for (size_t i = 0; i < words.size(); ++i)
    constraints += "=r,";
  constraints += readOnly ? "l" : "l,~{memory}";
  Value loaded =
      LLVM::InlineAsmOp::create(
          b, loc, TypeRange(returned), ValueRange{address}, text, constraints,
          /*has_side_effects=*/!readOnly, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  if (isVector) {
    SmallVector<Value> parts;
    for (size_t i = 0; i < words.size(); ++i)
      parts.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
    loaded = vector::FromElementsOp::create(
        b, loc, VectorType::get({int64_t(words.size())}, b.getI32Type()),
        parts);
  }
  return LLVM::BitcastOp::create(b, loc, type, loaded);
}

/// Brings the 32 bytes at `address`, the L2 cache's sector, to that cache.
/// Unless they are apart, threads read side by side: the one whose address
/// begins the sector asks.
static void prefetch(OpBuilder &b, Location loc, Value address, bool isApart) {
  StringRef text = isApart
                       ? "prefetch.global.L2 [$0];"
                       : "{\n.reg .pred begins;\n.reg .b64 within;\n"
                         "and.b64 within, $0, 31;\nsetp.eq.b64 begins, within, "
                         "0;\n@begins prefetch.global.L2 [$0];\n}";
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange{address}, text, "l",
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
}

/// The values that lie at `address`, as the memory's `access` says.
static Value loadAt(OpBuilder &b, Location loc, Value address, Type type,
                    int64_t bytes, int64_t alignment, const Memory &memory) {
  bool isApart = memory.access == Access::PrefetchApart;
  if (isApart || memory.access == Access::Prefetch)
    prefetch(b, loc, address, isApart);
  if (loadsNothing(memory.access))
    return LLVM::ZeroOp::create(b, loc, type);
  if (memory.access == Access::Streamed && bytes >= 4 && alignment >= bytes)
    return loadStreamed(b, loc, address, type, bytes, memory.readOnly);
  return LLVM::LoadOp::create(b, loc, type, address, alignment,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/memory.readOnly);
}

/// Stores the 16 bytes of `value` so that their line is the first to leave the
/// L2 cache.
static void storeStreamed(OpBuilder &b, Location loc, Value value,
                          Value address) {
  Value words = LLVM::BitcastOp::create(
      b, loc, VectorType::get({4}, b.getI32Type()), value);
  SmallVector<Value> operands = {address};
  for (int64_t i = 0; i < 4; ++i)
    operands.push_back(vector::ExtractOp::create(b, loc, words, i));
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands,
                            "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};",
                            "l,r,r,r,r,~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// The elements of i4 that bytes hold, each in its i8: all where the first is
/// in a low half, else the one that each element's own load found.
Elements ElementEmitter::loadPacked(const Memory &memory, ArrayRef<Index> index,
                                    int64_t vectorSize) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Value four = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(4));
  auto signExtend = [&](Value highHalf) -> Value {
    return arith::ShRSIOp::create(b, loc, highHalf, four);
  };
  auto lowHalf = [&](Value byte) -> Value {
    return arith::ShLIOp::create(b, loc, byte, four);
  };
  Index offset = math.linearize(index, memory.sizes);
  Index two = math.constant(2);
  Memory bytes = memory;
  bytes.elementType = b.getI8Type();
  bytes.packed = false;
  bytes.sizes = {math.ceilDiv(math.product(memory.sizes), two)};
  Elements result;
  if (vectorSize % 2 == 0 && math.factorOf(offset) % 2 == 0) {
    Index first = math.div(offset, two);
    if (auto value = dyn_cast<Value>(first))
      math.setFactor(value, math.factorOf(offset) / 2);
    for (Value byte : load(bytes, {first}, vectorSize / 2)) {
      result.push_back(signExtend(lowHalf(byte)));
      result.push_back(signExtend(byte));
    }
    return result;
  }
  for (int64_t element = 0; element < vectorSize; ++element) {
    Index at = math.add(offset, math.constant(element));
    Value byte = load(bytes, {math.div(at, two)}, 1).front();
    Value isHigh = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         math.value(math.rem(at, two)),
                                         math.value(math.constant(0)));
    result.push_back(signExtend(
        arith::SelectOp::create(b, loc, isHigh, byte, lowHalf(byte))));
  }
  return result;
}

Elements ElementEmitter::load(const Memory &memory, ArrayRef<Index> index,
                              int64_t vectorSize) {
  if (memory.packed)
    return loadPacked(memory, index, vectorSize);
  OpBuilder &b = math.b();
  Location loc = math.location();
  Type storage = storedType(memory.elementType);
  int64_t bytes = storageBytes(storage);
  Index offset = math.linearize(index, memory.sizes);
  int64_t alignment = std::gcd(memory.alignment, math.factorOf(offset) * bytes);
  int64_t width =
      accessWidth(vectorSize, bytes, alignment, options.accessBytes);
  Elements result;
  for (int64_t element = 0; element < vectorSize; element += width) {
    Index at = math.add(offset, math.constant(element));
    Type type = width == 1 ? storage : VectorType::get({width}, storage);
    Value loaded =
        loadAt(b, loc, addressOf(math, memory.pointer, storage, at), type,
               width * bytes, std::min(alignment, width * bytes), memory);
    for (int64_t i = 0; i < width; ++i) {
      Value element =
          width == 1 ? loaded
                     : vector::ExtractOp::create(b, loc, loaded, i).getResult();
      result.push_back(widen(element, memory.elementType));
    }
  }
  return result;
}

/// `count` elements from number `offset` on, of whatever alignment. Those of 16
/// bits are shifted out of words of 32; the last is loaded alone, so that no
/// word is read that has none of them.
Elements ElementEmitter::loadUnaligned(const Memory &memory, Index offset,
                                       int64_t count) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Type storage = storedType(memory.elementType), word = b.getI32Type();
  Memory flat = memory;
  flat.sizes = {math.constant(0)};
  if (storageBytes(storage) != 2 || count % 2 != 0 ||
      memory.alignment % 4 != 0 || math.factorOf(offset) % 2 == 0)
    return load(flat, {offset}, count);
  Memory words = flat, single = flat;
  words.elementType = word;
  single.elementType = b.getI16Type();
  Index first = math.div(offset, math.constant(2));
  Elements read;
  for (int64_t i = 0; i < count / 2; ++i)
    llvm::append_range(read,
                       load(words, {math.add(first, math.constant(i))}, 1));
  Index last = math.add(offset, math.constant(count - 1));
  read.push_back(
      arith::ExtUIOp::create(b, loc, word, load(single, {last}, 1).front()));
  Value half = arith::IndexCastOp::create(
      b, loc, word, math.value(math.rem(offset, math.constant(2))));
  Value shift = arith::MulIOp::create(
      b, loc, half, arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16)));
  Elements result;
  for (int64_t i = 0; i < count / 2; ++i) {
    Value both =
        LLVM::FshrOp::create(b, loc, word, read[i + 1], read[i], shift);
    Value pair =
        LLVM::BitcastOp::create(b, loc, VectorType::get({2}, storage), both);
    for (int64_t element : {0, 1})
      result.push_back(widen(vector::ExtractOp::create(b, loc, pair, element),
                             memory.elementType));
  }
  return result;
}

Elements ElementEmitter::loadPredicated(const Memory &memory,
                                        ArrayRef<GuardedPlace> places,
                                        int64_t offset, int64_t count,
                                        Value otherwise) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Type storage = storedType(memory.elementType);
  int64_t bytes = storageBytes(storage);
  Type word = b.getIntegerType(8 * bytes * count);
  // There are no registers of one byte.
  bool isByte = bytes * count == 1;
  Type held = isByte ? Type(b.getI16Type()) : word;
  auto type = VectorType::get({count}, storage);
  Value stored = narrow(otherwise, memory.elementType);
  Value border = LLVM::BitcastOp::create(
      b, loc, word,
      vector::FromElementsOp::create(b, loc, type,
                                     SmallVector<Value>(count, stored)));
  if (isByte)
    border = arith::ExtUIOp::create(b, loc, held, border);
  StringRef constraint = bytes * count <= 2   ? "h"
                         : bytes * count == 4 ? "r"
                                              : "l";
  std::string kind = ".b" + std::to_string(8 * bytes * count);
  std::string text = isByte ? "mov.b16" : "mov" + kind, constraints = "=&";
  text += " $0, $1;";
  constraints += (constraint + "," + constraint).str();
  SmallVector<Value> operands = {border};
  for (const GuardedPlace &place : places) {
    std::string number = std::to_string(operands.size() + 1);
    std::string holds = std::to_string(operands.size() + 2);
    text += "\n@$" + holds + " ld.global" + (memory.readOnly ? ".nc" : "") +
            kind + " $0, [$" + number + "+" + std::to_string(offset * bytes) +
            "];";
    constraints += ",l,b";
    llvm::append_values(operands, place.pointer, place.holds);
  }
  if (!memory.readOnly)
    constraints += ",~{memory}";
  Value loaded =
      LLVM::InlineAsmOp::create(
          b, loc, TypeRange(held), operands, text, constraints,
          /*has_side_effects=*/!memory.readOnly, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  if (isByte)
    loaded = arith::TruncIOp::create(b, loc, word, loaded);
  Value elements = LLVM::BitcastOp::create(b, loc, type, loaded);
  Elements result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(widen(vector::ExtractOp::create(b, loc, elements, i),
                           memory.elementType));
  return result;
}

void ElementEmitter::store(const Memory &memory, ArrayRef<Index> index,
                           ArrayRef<Value> elements) {
  OpBuilder &b = math.b();
  Location loc = math.location();
  Type storage = storedType(memory.elementType);
  int64_t bytes = storageBytes(storage);
  Index offset = math.linearize(index, memory.sizes);
  int64_t alignment = std::gcd(memory.alignment, math.factorOf(offset) * bytes);
  int64_t count = elements.size();
  int64_t width = accessWidth(count, bytes, alignment, options.accessBytes);
  for (int64_t element = 0; element < count; element += width) {
    Index at = math.add(offset, math.constant(element));
    Value address = addressOf(math, memory.pointer, storage, at);
    SmallVector<Value> values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(narrow(elements[element + i], memory.elementType));
    Value value = width == 1
                      ? values.front()
                      : vector::FromElementsOp::create(
                            b, loc, VectorType::get({width}, storage), values)
                            .getResult();
    if (memory.access == Access::Streamed && width * bytes == 16)
      storeStreamed(b, loc, value, address);
    else
      LLVM::StoreOp::create(b, loc, value, address,
                            std::min(alignment, width * bytes));
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Index ElementEmitter::mapped(Index index) {
  auto value = dyn_cast<Value>(index);
  if (!value)
    return index;
  if (auto it = indices.find(value); it != indices.end())
    return it->second;
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return math.constant(*known);
  return value;
}

ArrayRef<Index> ElementEmitter::sizesOf(Value tensor) const {
  auto it = sizes.find(tensor);
  assert(it != sizes.end() && "prepare() was not called");
  return it->second;
}

LogicalResult ElementEmitter::prepareIndex(Operation *op) {
  for (Value result : op->getResults()) {
    if (!result.getType().isIndex())
      continue;
    if (std::optional<int64_t> known = getConstantIntValue(result)) {
      indices[result] = math.constant(*known);
      continue;
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> number = dim.getConstantIndex();
      if (!number)
        return op->emitOpError("the dimension must be a constant");
      indices[result] = sizesOf(dim.getSource())[*number];
      continue;
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (operand.getType().isIndex())
        mapping.map(operand, math.value(mapped(operand)));
    // An i1 of a comparison feeds a select; both are cloned in order.
    for (Value operand : op->getOperands())
      if (Operation *other = operand.getDefiningOp();
          other && !operand.getType().isIndex()) {
        IRMapping inner;
        for (Value input : other->getOperands())
          inner.map(input, math.value(mapped(input)));
        mapping.map(operand, math.b().clone(*other, inner)->getResult(0));
      }
    indices[result] =
        getAsOpFoldResult(math.b().clone(*op, mapping)->getResult(0));
  }
  return success();
}

void ElementEmitter::setSizes(Value tensor, ArrayRef<Index> mixed) {
  SmallVector<Index> list;
  for (Index index : mixed)
    list.push_back(mapped(index));
  sizes[tensor] = list;
}

void ElementEmitter::prepareCollapse(tensor::CollapseShapeOp view) {
  SmallVector<Index> from(sizesOf(view.getSrc())), to;
  for (auto &group : view.getReassociationIndices()) {
    SmallVector<Index> factors;
    for (int64_t dim : group)
      factors.push_back(from[dim]);
    to.push_back(math.product(factors));
  }
  setSizes(view, to);
}

void ElementEmitter::prepareSlice(tensor::ExtractSliceOp view) {
  llvm::SmallBitVector dropped = view.getDroppedDims();
  SmallVector<Index> to;
  for (auto [dim, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped[dim])
      to.push_back(size);
  setSizes(view, to);
}

void ElementEmitter::prepareConcat(tensor::ConcatOp concat) {
  uint64_t dim = concat.getDim();
  SmallVector<Index> to(sizesOf(concat.getInputs().front()));
  for (Value input : concat.getInputs().drop_front())
    to[dim] = math.add(to[dim], sizesOf(input)[dim]);
  setSizes(concat, to);
}

LogicalResult ElementEmitter::prepareConstant(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!type)
    return success();
  if (!isa<SplatElementsAttr>(constant.getValue()))
    return constant.emitOpError("must be a splat inside a kernel");
  setSizes(constant,
           getAsIndexOpFoldResult(type.getContext(), type.getShape()));
  return success();
}

LogicalResult ElementEmitter::prepareSizes(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::EmptyOp>(
          [&](auto empty) { setSizes(empty, empty.getMixedSizes()); })
      .Case<linalg::GenericOp, linalg::FillOp>([&](auto structured) {
        for (auto [result, init] :
             llvm::zip(structured->getResults(), structured.getDpsInits()))
          setSizes(result, SmallVector<Index>(sizesOf(init)));
      })
      .Case<tensor::ExpandShapeOp>(
          [&](auto view) { setSizes(view, view.getMixedOutputShape()); })
      .Case<tensor::CollapseShapeOp>([&](auto view) { prepareCollapse(view); })
      .Case<tensor::ExtractSliceOp>([&](auto view) { prepareSlice(view); })
      .Case<tensor::ConcatOp>([&](auto concat) { prepareConcat(concat); })
      .Case<tensor::CastOp>([&](auto cast) {
        setSizes(cast, SmallVector<Index>(sizesOf(cast.getSource())));
      });
  if (auto scan = dyn_cast<kernel::ScanOp>(op))
    setSizes(scan.getResult(), SmallVector<Index>(sizesOf(scan.getInput())));
  if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
    SmallVector<Index> to(sizesOf(attention.getQuery()));
    to.back() = sizesOf(attention.getValue()).back();
    setSizes(attention.getResult(), to);
  }
  // A count is a static size of the type.
  if (auto sort = dyn_cast<kernel::SortOp>(op))
    setSizes(sort.getResult(), SmallVector<Index>(sizesOf(sort.getInput())));
  if (auto scatter = dyn_cast<kernel::DigitScatterOp>(op))
    setSizes(scatter.getResult(),
             SmallVector<Index>(sizesOf(scatter.getRows())));
  if (auto count = dyn_cast<kernel::DigitCountsOp>(op)) {
    // The last two are static.
    SmallVector<Index> to(sizesOf(count.getRows()));
    to.push_back(to.back());
    setSizes(count.getResult(), to);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return prepareConstant(constant);
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && !sizes.contains(result))
      return op->emitOpError("is an operation that no emitter knows");
  return success();
}

LogicalResult ElementEmitter::prepare(Block &body) {
  for (auto &[tensor, memory] : memories)
    sizes[tensor] = memory.sizes;
  for (Operation &op : body.without_terminator()) {
    if (failed(prepareIndex(&op)) || failed(prepareSizes(&op)))
      return failure();
    // Static sizes are constants, whatever the operands say.
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        for (auto [i, size] : llvm::enumerate(type.getShape()))
          if (!ShapedType::isDynamic(size))
            sizes[result][i] = math.constant(size);
  }
  return success();
}
