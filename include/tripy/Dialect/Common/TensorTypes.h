//===- TensorTypes.h - The tensors of all dialects --------------*- C++ -*-===//
//
// Which types are tensors, and the predicates on types, shapes and lists of
// dimensions that rules (Rule in OpBase.td) name. Any size is accepted: sums
// and products saturate, so that a rule sees "too large" and never a wrapped
// value. All dialects and everything above them may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_TENSORTYPES_H
#define TRIPY_DIALECT_COMMON_TENSORTYPES_H

#include "tripy/Base/DType.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"

namespace tripy {

/// Shapes hold a size for each dimension; ShapedType::kDynamic is `?`.
using Shape = llvm::SmallVector<int64_t>;

constexpr int64_t maxRank = 8;
constexpr int64_t maxElements = int64_t(1) << 40;

//===-- types -------------------------------------------------------------===//

/// The row of DType.h that `type` is, or none.
std::optional<DType> dtypeOf(mlir::Type type);
/// Whether `type` is one of DType.h.
bool isTensorElementType(mlir::Type type);
/// A float of 8 bits. It is moved, converted and contracted, nothing else.
bool isFloat8(mlir::Type type);
/// The integer of 4 bits, two to a byte in memory. It is moved, converted and
/// compared, nothing else.
bool isInt4(mlir::Type type);
/// An integer that a program declares unsigned, as ui8.
bool isUnsigned(mlir::Type type);
/// Ranked, without encoding, of an element type and an allowed shape.
bool isTensorType(mlir::Type type);
/// Rank at most 8, and at most 2^40 elements when sizes that are dynamic or 0
/// count as 1 (so that a part of an allowed shape is allowed). -1, an inferred
/// size, counts as 1 too.
bool isAllowedShape(llvm::ArrayRef<int64_t> sizes);

/// Of a tensor, or of a value of that type.
int64_t rankOf(mlir::Type type);
int64_t rankOf(mlir::Value value);
mlir::Type elementTypeOf(mlir::Type type);
mlir::Type elementTypeOf(mlir::Value value);

/// Whether contractions multiply and sum elements of this tensor: floats,
/// those of 8 bits too, and integers, not i1 and i4.
bool isContractible(mlir::Value value);
/// Whether a contraction of operands of element type `operand` may give
/// `result`: the same, f32 for floats of fewer bits, f16 or bf16 for those of 8
/// bits, and i32 for integers of fewer bits.
bool isContractionResult(mlir::Type operand, mlir::Type result);

/// `type` with another element type.
mlir::RankedTensorType withElementType(mlir::Type type, mlir::Type element);

namespace scalar {
/// Whether the element type of `type` (itself, when it is no tensor) is of one
/// of the classes asked for; i1 is a bool and no integer. Floats of 8 bits and
/// i4 are of no class (isFloat8, isInt4).
bool isOneOf(mlir::Type type, bool floats, bool integers, bool bools);
} // namespace scalar

//===-- values ------------------------------------------------------------===//

bool sameElement(mlir::ValueRange values);
bool sameRankAndElement(mlir::ValueRange values);
/// Whether all dimensions but `dim` may be equal; ranks are equal. Negative
/// dimensions count from the end.
bool agreeExcept(mlir::ValueRange values, int64_t dim);

/// NumPy's broadcasting: aligned at the last dimension, sizes are equal or one
/// of them is 1, or `?`, which decides at run time.
bool canBroadcast(mlir::ValueRange values);
/// Shape of values that broadcast. `?` with a size over 1 gives that size.
Shape broadcastShape(mlir::ValueRange values);
Shape broadcastShapes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);
mlir::RankedTensorType broadcastType(mlir::ValueRange values,
                                     mlir::Type element);

/// `type` without the dimensions `dims`, or with size 1 there. Negative ones
/// count from the end; none stands for all.
mlir::RankedTensorType reducedType(mlir::Type type,
                                   llvm::ArrayRef<int64_t> dims, bool keepdim);

//===-- lists of dimensions and sizes -------------------------------------===//

/// An attribute of 64 bits as the user wrote it.
inline int64_t asSigned(uint64_t value) { return static_cast<int64_t>(value); }
/// -rank <= dim < rank.
bool isDim(int64_t dim, int64_t rank);
/// `dim`, counted from the front.
int64_t normalizeDim(int64_t dim, int64_t rank);
/// Whether all name a dimension, none twice.
bool areDims(llvm::ArrayRef<int64_t> dims, int64_t rank);
/// Whether each dimension is named once.
bool isPermutation(llvm::ArrayRef<int64_t> dims, int64_t rank);
/// Steps of a slice: not 0, magnitude at most 2^40.
bool stepsValid(llvm::ArrayRef<int64_t> steps);
/// How many sizes are dynamic.
size_t dynamicCount(llvm::ArrayRef<int64_t> sizes);

/// min(a + b, INT64_MAX) and min(a * b, INT64_MAX) of sizes, which are not
/// negative.
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMul(int64_t a, int64_t b);

/// The bytes of `elements` elements of `type`, an element type of DType.h: i1
/// takes one, two of i4 share one. Saturates.
int64_t bytesOf(mlir::Type type, int64_t elements);

//===-- attributes --------------------------------------------------------===//

/// Whether this is a dense (or dense_resource) constant of a tensor type of
/// static shape.
bool isConstantData(mlir::Attribute value);
/// Bytes of a dense_resource; none of other constants, and none while the
/// resource is not loaded (its section ends a file) or was elided.
std::optional<uint64_t> loadedResourceBytes(mlir::Attribute value);
/// Whether a loaded resource has the bytes of its type.
bool hasConstantBytes(mlir::ElementsAttr value);
/// The number for hasConstantBytes' diagnostic; 0 when there is none.
uint64_t resourceBytes(mlir::Attribute value);
/// Whether this is a number, or a truth value, of an element type.
bool isScalarNumber(mlir::Attribute value);

//===-- diagnostics -------------------------------------------------------===//

/// "found tensor<2xf32>, tensor<3xf32>"; missing optional values are left out.
std::string describeShapes(mlir::ValueRange values);
/// "[1, ?, 2]"; a long list is cut.
std::string describeList(llvm::ArrayRef<int64_t> list);

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_TENSORTYPES_H
