//===- TraceRules.h - Predicates and shapes that trace's rules name -------===//
//
// One section per family; defined in Infer/<Family>.cpp. Used in this folder
// alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_DIALECT_TRACE_TRACERULES_H
#define TRIPY_LIB_DIALECT_TRACE_TRACERULES_H

#include "tripy/Dialect/Trace/Fractions.h"
#include "tripy/Dialect/Trace/Trace.h"

namespace tripy::trace {

using Sizes = llvm::ArrayRef<int64_t>;

/// Whether two sizes may be equal at run time.
inline bool mayAgree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}
inline Sizes shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

//===-- creation ----------------------------------------------------------===//

/// Static sizes >= 0; dynamic ones are not looked at.
bool sizesNotNegative(Sizes sizes);

//===-- random numbers ----------------------------------------------------===//

/// Whether this is tensor<i64>, or may be tensor<2xi64>.
bool isSeed(mlir::Value seed);
/// From 0 to 1.
bool isProbability(const llvm::APFloat &p);

//===-- sorting -----------------------------------------------------------===//

/// Whether indices of dimension `dim` fit i32.
bool hasPositions(mlir::Value input, int64_t dim);
/// Whether dimension `dim` may have `count` elements or more.
bool isCount(mlir::Value input, int64_t dim, int64_t count);

//===-- movement ----------------------------------------------------------===//

/// As sizesNotNegative, but one may be -1.
bool sizesAllowInferred(Sizes sizes);
/// Whether a tensor may have these sizes, one of which may be -1.
bool canReshape(mlir::Value input, Sizes sizes);
Shape reshapedShape(mlir::Value input, Sizes sizes);

/// Whether -1 stands only where the input has a dimension, and no size is
/// below. There are at least as many sizes as dimensions.
bool expandSizesValid(mlir::Value input, Sizes sizes);
bool canExpand(mlir::Value input, Sizes sizes);
Shape expandedShape(mlir::Value input, Sizes sizes);

bool haveSizeOne(mlir::Value input, Sizes dims);
/// Whether dimension `dim` may be the sum of `sizes`, none negative.
bool sumsTo(Sizes sizes, mlir::Value input, int64_t dim);
/// Whether `mode` names a way to repeat a tensor at its borders.
bool isPadMode(llvm::StringRef mode);
/// Whether no dimension is empty and grows.
bool canRepeat(mlir::Value input, Sizes low, Sizes high);
/// 1 <= parts <= 1024.
bool partsValid(int64_t parts);
/// Shape of the input with borders.
Shape paddedShape(mlir::Value input, Sizes low, Sizes high);
/// Shape of inputs that agree but in `dim`.
Shape concatenatedShape(mlir::ValueRange inputs, int64_t dim);

//===-- arrangement -------------------------------------------------------===//

/// At most 2^40 in magnitude.
bool shiftsValid(Sizes shifts);
/// Shape of the input with counts[i] copies along dimension i.
Shape copiedShape(mlir::Value input, Sizes counts);

//===-- indexing ----------------------------------------------------------===//

/// Whether the tensor has this shape, or may have it at run time.
bool mayHaveShape(mlir::Value tensor, Sizes sizes);

/// Rank at most 8 and an allowed shape.
bool isAllowedTensor(Sizes sizes);
/// Shape of the input with the index's in the place of dimension `dim`.
Shape gatheredShape(mlir::Value input, mlir::Value index, int64_t dim);
/// Whether dimension `dim` is not empty, or nothing may be taken from it.
bool canTake(mlir::Value input, mlir::Value index, int64_t dim);

//===-- contraction -------------------------------------------------------===//

/// Whether the contracted dimensions of a matmul may agree.
bool canContract(mlir::Value lhs, mlir::Value rhs);
bool canBroadcastBatch(mlir::Value lhs, mlir::Value rhs);
Shape matmulShape(mlir::Value lhs, mlir::Value rhs);
bool lastDimsAgree(mlir::Value input, mlir::Value weight);
bool isBiasOf(mlir::Value bias, mlir::Value weight);
Shape linearShape(mlir::Value input, mlir::Value weight);

//===-- attention ---------------------------------------------------------===//

/// Whether the dimensions before the heads may agree.
bool haveOneBatch(mlir::Value query, mlir::Value key, mlir::Value value);
/// Whether heads and keys of both may agree.
bool haveOneKeys(mlir::Value key, mlir::Value value);
/// Whether heads of key and value are shared by a number of the query's.
bool canGroupHeads(mlir::Value query, mlir::Value key, mlir::Value value);
bool haveHeadSizes(mlir::Value query, mlir::Value key, mlir::Value value);
bool isAttentionMask(mlir::Type mask, mlir::Type element);
/// Whether a tensor of sizes `from` may become one of sizes `to`.
bool canBroadcastTo(Sizes from, Sizes to);
/// The dimensions before the heads.
Shape attentionBatch(mlir::Value query, mlir::Value key, mlir::Value value);
/// (batch..., heads, queries, keys).
Shape scoresShape(mlir::Value query, mlir::Value key, mlir::Value value);
Shape attentionShape(mlir::Value query, mlir::Value key, mlir::Value value);

//===-- windows -----------------------------------------------------------===//

/// The windows that an operation slides over its input.
class WindowSpace {
public:
  /// All windows, as flatir.window has them: the sizes of a window, then the
  /// input's dimensions, of which the last count windows.
  Shape windows;
  int64_t spatialRank = 0;
  /// Whether no dimension is known to be empty or too small for a window.
  bool isLarge = true;

  bool fits() const { return isLarge; }
  bool isAllowed() const { return isAllowedShape(windows); }
  /// The shape without the sizes of a window.
  Shape result() const { return Shape(llvm::drop_begin(windows, spatialRank)); }
};

/// Whether the sizes of a weight from dimension 2 on are static, and at least
/// 1.
bool hasKernelSizes(mlir::Value weight);
/// Whether each list is empty or has `rank` numbers.
bool areSpatial(int64_t rank, std::initializer_list<Sizes> lists);
/// From 1 to 2^20.
bool areWindowSteps(Sizes steps);
/// From 0 to 2^40.
bool areWidths(Sizes widths);
/// Whether channels agree and groups divide them.
bool hasGroups(mlir::Value input, mlir::Value weight, int64_t groups);
/// "; the input has 3 channels, and dimension 1 of the weight is 4": of the
/// weight's dimension `contracted`.
std::string describeChannels(mlir::Value input, mlir::Value weight,
                             size_t contracted);
/// "found [1], [], [] and []".
std::string describeSpatial(std::initializer_list<Sizes> lists);
bool hasTransposedGroups(mlir::Value input, mlir::Value weight, int64_t groups);
bool isTransposedBias(mlir::Value bias, mlir::Value weight, int64_t groups);
bool isOutputPadding(Sizes padding, int64_t rank, Sizes stride, Sizes dilation);
WindowSpace convolutionSpace(mlir::Value input, mlir::Value weight,
                             Sizes stride, Sizes dilation, Sizes low,
                             Sizes high);
Shape convolutionShape(mlir::Value input, mlir::Value weight, Sizes stride,
                       Sizes dilation, Sizes low, Sizes high);
WindowSpace transposedSpace(mlir::Value input, mlir::Value weight, Sizes stride,
                            Sizes dilation, Sizes low, Sizes high,
                            Sizes outputPadding);
Shape transposedShape(mlir::Value input, mlir::Value weight, Sizes stride,
                      Sizes dilation, Sizes low, Sizes high,
                      Sizes outputPadding, int64_t groups);
bool isPoolWindow(Sizes window, int64_t rank);
/// Whether each width is less than a window's extent.
bool isPoolPadding(Sizes window, Sizes dilation, Sizes widths);
WindowSpace poolSpace(mlir::Value input, Sizes window, Sizes stride,
                      Sizes dilation, Sizes low, Sizes high, bool ceilMode);

//===-- resize ------------------------------------------------------------===//

/// Whether elements can be averaged: floats, and i8 with one rounding.
bool isAveraged(mlir::Value input);
bool isResizeMode(llvm::StringRef mode);
bool areCoordinates(llvm::StringRef coordinates, llvm::StringRef mode);
/// Whether one of two lists is empty, and the other has a number for each
/// dimension.
bool hasEither(size_t sizes, size_t scales, int64_t rank);
bool areResizeSizes(Sizes sizes);
bool areScales(llvm::ArrayRef<double> scales);
/// "[0.5, 2]".
std::string describeScales(llvm::ArrayRef<double> scales);
bool canResize(mlir::Value input, Sizes sizes, llvm::ArrayRef<double> scales);
Shape resizedShape(mlir::Value input, Sizes sizes,
                   llvm::ArrayRef<double> scales);

//===-- reduction and normalization ---------------------------------------===//

/// 0 <= correction <= 2^40.
bool isCorrection(int64_t correction);
/// Whether the weight has the sizes of the input's last dimensions.
bool isTrailingShape(mlir::Value weight, mlir::Value input);

/// Whether the input has channels, and `vectors` a number for each.
bool areOfChannels(mlir::Value input, mlir::ValueRange vectors);
bool dividesChannels(mlir::Value input, int64_t groups);

/// How many elements argmax chooses from: `?` when unknown.
int64_t choices(mlir::Value input, std::optional<uint64_t> dim);
bool isArgCount(int64_t count);
mlir::Type argType(mlir::Value input, std::optional<uint64_t> dim,
                   bool keepdim);

//===-- quantization ------------------------------------------------------===//

/// Whether scales have this element type.
bool isScaled(mlir::Type element);
/// Whether this is an element type of quantized tensors.
bool isQuantized(mlir::Type element);
/// Whether the scale may have a number for each index of dimension `dim`.
bool isScaleOf(mlir::Value scale, mlir::Value input, int64_t dim);
/// Whether both have one rank, and there is one between for a dimension of
/// blocks.
bool isBlockRank(mlir::Value scale, mlir::Value input);
/// Whether the scale, of the input's rank, may have a number for each block
/// along the last dimension but one.
bool isBlockScale(mlir::Value scale, mlir::Value input);

} // namespace tripy::trace

#endif // TRIPY_LIB_DIALECT_TRACE_TRACERULES_H
