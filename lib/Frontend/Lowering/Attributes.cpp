//===- Attributes.cpp - Attributes and types in MLIR ----------------------===//

#include "Attributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::frontend;

//===-- types -------------------------------------------------------------===//

Type tripy::frontend::elementType(DType dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case DType::F64:
    return b.getF64Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(context);
  case DType::U8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case DType::Bool:
    return b.getI1Type();
  case DType::I4:
    return b.getIntegerType(4);
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    return b.getIntegerType(8 * dtypeSize(dtype));
  }
  return {};
}

Type tripy::frontend::toMlir(const TypeInfo &type, MLIRContext *context) {
  if (type.isSize)
    return IndexType::get(context);
  SmallVector<int64_t> sizes(type.sizes.begin(), type.sizes.end());
  return RankedTensorType::get(sizes, elementType(type.dtype, context));
}

static DType dtypeOf(Type element) {
  for (const DTypeInfo &info : dtypeTable)
    if (elementType(info.dtype, element.getContext()) == element)
      return info.dtype;
  return DType::F32;
}

TypeInfo tripy::frontend::fromMlir(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {/*isSize=*/true, DType::F32, {}};
  return {false,
          dtypeOf(tensor.getElementType()),
          {tensor.getShape().begin(), tensor.getShape().end()}};
}

//===-- attributes --------------------------------------------------------===//

TypedAttr tripy::frontend::numberAttribute(const TypedNumber &number,
                                           Builder &b) {
  Type type = elementType(number.dtype, b.getContext());
  return std::visit(
      [&](auto value) -> TypedAttr {
        if (isa<FloatType>(type))
          return b.getFloatAttr(type, double(value));
        APInt bits(type.getIntOrFloatBitWidth(), uint64_t(int64_t(value)),
                   /*isSigned=*/true, /*implicitTrunc=*/true);
        return IntegerAttr::get(type, bits);
      },
      number.value);
}

static Attribute attributeOf(Kind kind, const AttributeValue &value,
                             Builder &b) {
  auto integer = [&] { return std::get<int64_t>(value); };
  auto number = [&] { return std::get<double>(value); };
  switch (kind) {
  case Kind::Integer:
    return b.getI64IntegerAttr(integer());
  case Kind::Index:
    return b.getIndexAttr(integer());
  case Kind::Integer32:
    return b.getI32IntegerAttr(int32_t(integer()));
  case Kind::Float:
    return b.getF64FloatAttr(number());
  case Kind::Float32:
    return b.getF32FloatAttr(float(number()));
  case Kind::Unit:
    return std::get<bool>(value) ? b.getUnitAttr() : Attribute();
  case Kind::Bool:
    return b.getBoolAttr(std::get<bool>(value));
  case Kind::String:
    return b.getStringAttr(std::get<std::string>(value));
  case Kind::Type:
    return TypeAttr::get(elementType(std::get<DType>(value), b.getContext()));
  case Kind::Integers:
    return b.getDenseI64ArrayAttr(std::get<std::vector<int64_t>>(value));
  case Kind::DenseFloats:
    return b.getDenseF64ArrayAttr(std::get<std::vector<double>>(value));
  case Kind::Floats:
    return b.getF64ArrayAttr(std::get<std::vector<double>>(value));
  case Kind::Number:
    return numberAttribute(std::get<TypedNumber>(value), b);
  default:
    return {};
  }
}

DictionaryAttr tripy::frontend::toMlir(const OperationView &operation,
                                       RegisteredOperationName name) {
  Builder b(name.getContext());
  NamedAttrList list;
  for (auto [field, value] :
       llvm::zip_equal(opInfo(operation.op).attributes, operation.attributes)) {
    if (std::holds_alternative<std::monostate>(value))
      continue;
    if (Attribute attribute = attributeOf(field.kind, value, b))
      list.append(StringRef(field.name), attribute);
  }
  if (name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    SmallVector<int32_t> sizes(operation.groups.begin(),
                               operation.groups.end());
    list.append("operandSegmentSizes", b.getDenseI32ArrayAttr(sizes));
  }
  return list.getDictionary(name.getContext());
}
