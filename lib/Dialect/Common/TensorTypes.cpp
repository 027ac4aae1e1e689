//===- TensorTypes.cpp - The tensors of all dialects ----------------------===//

#include "tripy/Dialect/Common/TensorTypes.h"

#include "tripy/Base/CheckedMath.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tripy;

/// Entries of a list or of shapes that a diagnostic shows.
static constexpr size_t maxDescribed = 16;

static ArrayRef<int64_t> sizesOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===-- types -------------------------------------------------------------===//

/// The row of an integer with these bits; i1 is the truth value.
static std::optional<DType> dtypeOf(IntegerType type) {
  if (type.isSignlessInteger(1))
    return DType::Bool;
  if (type.isSignlessInteger(4))
    return DType::I4;
  for (const DTypeInfo &info : dtypeTable)
    if (info.cls == DTypeClass::Int && !isPacked(info.dtype) &&
        8u * info.size == type.getWidth() &&
        (info.isUnsigned() ? type.isUnsigned() : type.isSignless()))
      return info.dtype;
  return std::nullopt;
}

std::optional<DType> tripy::dtypeOf(Type type) {
  using Row = std::optional<DType>;
  return llvm::TypeSwitch<Type, Row>(type)
      .Case([](Float64Type) { return DType::F64; })
      .Case([](Float32Type) { return DType::F32; })
      .Case([](Float16Type) { return DType::F16; })
      .Case([](BFloat16Type) { return DType::BF16; })
      .Case([](Float8E4M3FNType) { return DType::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return DType::F8E5M2; })
      .Case([](IntegerType integer) { return ::dtypeOf(integer); })
      .Default(Row());
}

bool tripy::isTensorElementType(Type type) {
  return type && dtypeOf(type).has_value();
}

bool tripy::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool tripy::isInt4(Type type) { return type.isSignlessInteger(4); }

bool tripy::isUnsigned(Type type) { return type.isUnsignedInteger(); }

bool tripy::isTensorType(Type type) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() &&
         isTensorElementType(tensor.getElementType()) &&
         isAllowedShape(tensor.getShape());
}

bool tripy::isAllowedShape(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes)
    if (size > 0)
      elements = saturatingMul(elements, size);
  return static_cast<int64_t>(sizes.size()) <= maxRank &&
         elements <= maxElements;
}

int64_t tripy::rankOf(Type type) {
  return cast<RankedTensorType>(type).getRank();
}
int64_t tripy::rankOf(Value value) { return rankOf(value.getType()); }
Type tripy::elementTypeOf(Type type) { return getElementTypeOrSelf(type); }
Type tripy::elementTypeOf(Value value) {
  return elementTypeOf(value.getType());
}

bool tripy::isContractible(Value value) {
  Type element = elementTypeOf(value);
  return !element.isInteger(1) && !isInt4(element);
}

bool tripy::isContractionResult(Type operand, Type result) {
  if (operand == result)
    return true;
  if (isFloat8(operand) && (result.isF16() || result.isBF16()))
    return true;
  if (operand.getIntOrFloatBitWidth() >= 32)
    return false;
  return isa<FloatType>(operand) ? result.isF32()
                                 : result.isSignlessInteger(32);
}

RankedTensorType tripy::withElementType(Type type, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                               element);
}

bool tripy::scalar::isOneOf(Type type, bool floats, bool integers, bool bools) {
  Type element = getElementTypeOrSelf(type);
  if (isFloat8(element) || isInt4(element))
    return false;
  if (isa<FloatType>(element))
    return floats;
  if (element.isInteger(1))
    return bools;
  return isa<IntegerType>(element) && integers;
}

//===-- values ------------------------------------------------------------===//

bool tripy::sameElement(ValueRange values) {
  return llvm::all_equal(llvm::map_range(
      values, [](Value value) { return elementTypeOf(value); }));
}

bool tripy::sameRankAndElement(ValueRange values) {
  return sameElement(values) &&
         llvm::all_equal(llvm::map_range(
             values, [](Value value) { return rankOf(value); }));
}

bool tripy::agreeExcept(ValueRange values, int64_t dim) {
  if (values.empty())
    return true;
  int64_t rank = rankOf(values.front());
  dim = normalizeDim(dim, rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = ShapedType::kDynamic;
    for (Value value : values) {
      int64_t other = sizesOf(value)[i];
      if (i == dim || ShapedType::isDynamic(other))
        continue;
      if (!ShapedType::isDynamic(size) && size != other)
        return false;
      size = other;
    }
  }
  return true;
}

/// The size at `fromEnd` positions before the end, 1 beyond the first.
static int64_t alignedSize(ArrayRef<int64_t> sizes, size_t fromEnd) {
  return fromEnd < sizes.size() ? sizes[sizes.size() - 1 - fromEnd] : 1;
}

/// Broadcasts two sizes; none when they are different and neither is 1.
static std::optional<int64_t> broadcastSize(int64_t a, int64_t b) {
  if (a == b || b == 1)
    return a;
  if (a == 1)
    return b;
  if (ShapedType::isDynamic(a)) // A `?` beside a size over 1 is that or 1.
    return b;
  if (ShapedType::isDynamic(b))
    return a;
  return std::nullopt;
}

bool tripy::canBroadcast(ValueRange values) {
  size_t rank = 0;
  for (Value value : values)
    rank = std::max(rank, sizesOf(value).size());
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = 1;
    for (Value value : values) {
      std::optional<int64_t> next =
          broadcastSize(size, alignedSize(sizesOf(value), i));
      if (!next)
        return false;
      size = *next;
    }
  }
  return true;
}

Shape tripy::broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (size_t i = 0; i < rank; ++i)
    for (ArrayRef<int64_t> shape : shapes) {
      int64_t &size = result[rank - 1 - i];
      size = broadcastSize(size, alignedSize(shape, i)).value_or(size);
    }
  return result;
}

Shape tripy::broadcastShape(ValueRange values) {
  return broadcastShapes(llvm::map_to_vector(values, sizesOf));
}

RankedTensorType tripy::broadcastType(ValueRange values, Type element) {
  return RankedTensorType::get(broadcastShape(values), element);
}

RankedTensorType tripy::reducedType(Type type, ArrayRef<int64_t> dims,
                                    bool keepdim) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t rank = tensor.getRank();
  llvm::SmallBitVector reduced(rank, dims.empty());
  for (int64_t dim : dims)
    reduced.set(normalizeDim(dim, rank));
  Shape sizes;
  for (int64_t i = 0; i < rank; ++i)
    if (!reduced[i])
      sizes.push_back(tensor.getDimSize(i));
    else if (keepdim)
      sizes.push_back(1);
  return RankedTensorType::get(sizes, tensor.getElementType());
}

//===-- lists of dimensions and sizes -------------------------------------===//

bool tripy::isDim(int64_t dim, int64_t rank) {
  return -rank <= dim && dim < rank;
}

int64_t tripy::normalizeDim(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

bool tripy::areDims(ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : dims) {
    if (!isDim(dim, rank) || seen.test(normalizeDim(dim, rank)))
      return false;
    seen.set(normalizeDim(dim, rank));
  }
  return true;
}

bool tripy::isPermutation(ArrayRef<int64_t> dims, int64_t rank) {
  return static_cast<int64_t>(dims.size()) == rank && areDims(dims, rank);
}

bool tripy::stepsValid(ArrayRef<int64_t> steps) {
  return llvm::all_of(steps, [](int64_t step) {
    return step != 0 && -maxElements <= step && step <= maxElements;
  });
}

size_t tripy::dynamicCount(ArrayRef<int64_t> sizes) {
  return llvm::count_if(sizes, ShapedType::isDynamic);
}

int64_t tripy::saturatingAdd(int64_t a, int64_t b) {
  return checkedAdd(a, b).value_or(std::numeric_limits<int64_t>::max());
}

int64_t tripy::saturatingMul(int64_t a, int64_t b) {
  return checkedMul(a, b).value_or(std::numeric_limits<int64_t>::max());
}

int64_t tripy::bytesOf(Type type, int64_t elements) {
  std::optional<DType> dtype = dtypeOf(type);
  assert(dtype && "not an element type");
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  std::optional<uint64_t> bytes = byteCount(*dtype, elements);
  return bytes ? static_cast<int64_t>(std::min<uint64_t>(*bytes, most)) : most;
}

//===-- attributes --------------------------------------------------------===//

bool tripy::isConstantData(Attribute value) {
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(value))
    return false;
  ShapedType type = cast<ElementsAttr>(value).getShapedType();
  return isTensorType(type) && type.hasStaticShape();
}

std::optional<uint64_t> tripy::loadedResourceBytes(Attribute value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return std::nullopt;
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return std::nullopt;
  return blob->getData().size();
}

bool tripy::hasConstantBytes(ElementsAttr value) {
  std::optional<uint64_t> bytes = loadedResourceBytes(value);
  if (!bytes)
    return true;
  int64_t expected =
      bytesOf(value.getElementType(), value.getShapedType().getNumElements());
  return *bytes == static_cast<uint64_t>(expected);
}

uint64_t tripy::resourceBytes(Attribute value) {
  return loadedResourceBytes(value).value_or(0);
}

bool tripy::isScalarNumber(Attribute value) {
  auto typed = dyn_cast<TypedAttr>(value);
  return typed && isa<FloatAttr, IntegerAttr>(value) &&
         isTensorElementType(typed.getType());
}

//===-- diagnostics -------------------------------------------------------===//

std::string tripy::describeShapes(ValueRange values) {
  std::string text = "found ";
  llvm::raw_string_ostream stream(text);
  size_t shown = 0;
  for (Value value : values) {
    if (!value)
      continue;
    if (shown == maxDescribed) {
      stream << ", ...";
      break;
    }
    stream << (shown++ ? ", " : "") << value.getType();
  }
  return text;
}

std::string tripy::describeList(ArrayRef<int64_t> list) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(list.take_front(maxDescribed), stream,
                        [&](int64_t entry) {
                          if (ShapedType::isDynamic(entry))
                            stream << '?';
                          else
                            stream << entry;
                        });
  stream << (list.size() > maxDescribed ? ", ...]" : "]");
  return text;
}
