//===- Lowering.h - Lowers one operation of trace ---------------*- C++ -*-===//
//
// What the families' files share: the builder that replaces one operation of
// trace (or linalg: LinalgToFlatIR uses it too), and the pattern around it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_LOWERING_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_LOWERING_H

#include "SizeMath.h"

#include "tripy/Conversion/TensorSizes.h"
#include "tripy/Conversion/TraceToFlatIR.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Trace/Trace.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include <set>

namespace tripy {

/// What is known about a module's tensors while its operations are lowered.
struct TraceLowering::State {
  TensorSizes sizes;
  BuiltSizes built;
  /// Sizes of arguments by block and name of the dimension.
  std::map<std::pair<mlir::Block *, std::string>, mlir::Value> named;
  /// Where the next operation goes that reads a size of a block's argument.
  llvm::DenseMap<mlir::Block *, mlir::Operation *> lastRead;
  /// Conditions that hold once the block's checks passed.
  std::set<std::tuple<mlir::Block *, std::string, const void *, const void *>>
      required;
};

/// "add of tensors" in the user's words: names an operand for a reason.
struct NamedTensor {
  mlir::Value value;
  /// "the left operand".
  std::string name;
  int64_t operand;
};

/// Replaces one operation of trace or linalg.
class Lowering : public FlatIRBuilder {
public:
  Lowering(mlir::Operation *source, mlir::OpBuilder &rewriter,
           TraceLowering::State &state)
      : FlatIRBuilder(source, rewriter), math(*this, state.built),
        rewriter(rewriter), state(state) {}

  SizeMath math;

  //===-- sizes -----------------------------------------------------------===//

  /// The sizes of `tensor`; reads those of arguments where nothing else says.
  SizeList sizesOf(mlir::Value tensor);
  /// A list of sizes as operations write it: `?` stands for the next operand.
  SizeList mixedSizes(llvm::ArrayRef<int64_t> staticSizes,
                      mlir::ValueRange dynamicSizes);
  /// The sizes of the dynamic dimensions of `type`, as operands.
  llvm::SmallVector<mlir::Value> dynamicSizes(mlir::RankedTensorType type,
                                              llvm::ArrayRef<Size> sizes);
  /// Whether a tensor has this type and these sizes.
  bool hasShape(mlir::Value tensor, mlir::RankedTensorType type,
                llvm::ArrayRef<Size> sizes);

  /// Checks a condition before the program runs, unless it holds for all
  /// sizes: "equal", "broadcastable" or "at_most".
  void require(llvm::StringRef kind, Size lhs, Size rhs,
               const llvm::Twine &message);
  /// The size that two sizes broadcast to, checked.
  Size broadcastSize(Size a, Size b, const llvm::Twine &message);
  /// Checks that sizes that the user computed are not negative.
  void requireSizes(llvm::ArrayRef<Size> sizes);

  //===-- tensors ---------------------------------------------------------===//

  /// Broadcasts `tensor`, whose dimension i becomes dims[i], unless it has the
  /// shape already.
  mlir::Value broadcast(const NamedTensor &tensor, llvm::ArrayRef<int64_t> dims,
                        mlir::RankedTensorType type,
                        llvm::ArrayRef<Size> sizes);
  /// The same, aligned at the last dimension.
  mlir::Value broadcast(const NamedTensor &tensor, mlir::RankedTensorType type,
                        llvm::ArrayRef<Size> sizes);
  /// Broadcasts tensors against each other, and checks what only run-time sizes
  /// decide. `shape` is the shape that trace inferred.
  llvm::SmallVector<mlir::Value>
  broadcastTogether(llvm::ArrayRef<NamedTensor> tensors,
                    llvm::ArrayRef<int64_t> shape);
  /// A tensor of one value, of the shape of `like`, with another element type
  /// if `element` is given.
  mlir::Value splat(double value, mlir::Value like, mlir::Type element = {});
  /// A number of rank 0, of element type `element`.
  mlir::Value scalar(double value, mlir::Type element);
  /// Converts the element type, when it is another.
  mlir::Value convert(mlir::Value tensor, mlir::Type element,
                      const llvm::Twine &reason);
  /// Gives the elements another shape, when it is another.
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<Size> sizes,
                      mlir::RankedTensorType type, const Why &why);

  /// Builds flatir.composite: `body` gets what stands for `tensors` and builds
  /// the meaning, with step(). The result has the type of the first tensor, or
  /// `type` and `sizes`.
  mlir::Value composite(llvm::StringRef name,
                        llvm::ArrayRef<mlir::NamedAttribute> config,
                        mlir::ValueRange tensors,
                        llvm::function_ref<mlir::Value(mlir::ValueRange)> body,
                        mlir::RankedTensorType type = {}, SizeList sizes = {});
  /// An operation of a decomposition.
  template <typename OpTy, typename... Args>
  mlir::Value step(const llvm::Twine &reason, Args &&...args) {
    Why why{sourceName().str(), (reason + " for '" + sourceName() + "'").str()};
    return insert<OpTy>(why, std::forward<Args>(args)...);
  }

  /// States the sizes of a tensor.
  void setSizes(mlir::Value tensor, llvm::ArrayRef<Size> sizes) {
    state.sizes.set(tensor, sizes);
  }

protected:
  void created(mlir::Operation *op) override;

private:
  mlir::Value readSize(mlir::Value tensor, int64_t dim);

  mlir::OpBuilder &rewriter;
  TraceLowering::State &state;
};

/// "(2, ?)".
std::string describeShape(mlir::RankedTensorType type);

/// The tensor type with these sizes, `?` where they are no constants.
mlir::RankedTensorType typeWith(llvm::ArrayRef<Size> sizes, mlir::Type element);

/// 0, 1, ..., count - 1.
llvm::SmallVector<int64_t> leadingDims(int64_t count);

/// f32 for 16-bit floats, itself for all others.
mlir::Type accumulatorOf(mlir::Type element);

/// What a lowering function returns: one value for each result.
using Lowered = llvm::SmallVector<mlir::Value, 1>;

/// Adds the pattern that replaces OpTy by what `lower` builds.
template <typename OpTy>
using LowerFn = Lowered (*)(OpTy op, typename OpTy::Adaptor in, Lowering &b);

template <typename OpTy>
class LoweringPattern : public mlir::OpConversionPattern<OpTy> {
public:
  LoweringPattern(mlir::MLIRContext *context, TraceLowering::State &state,
                  LowerFn<OpTy> lower)
      : mlir::OpConversionPattern<OpTy>(context), state(state), lower(lower) {}

  llvm::LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor in,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Lowering builder(op, rewriter, state);
    rewriter.replaceOp(op, lower(op, in, builder));
    return llvm::success();
  }

private:
  TraceLowering::State &state;
  LowerFn<OpTy> lower;
};

/// Collects patterns that share a state.
class PatternAdder {
public:
  PatternAdder(mlir::RewritePatternSet &patterns, TraceLowering::State &state)
      : patterns(patterns), state(state) {}
  template <typename OpTy> PatternAdder &add(LowerFn<OpTy> lower) {
    patterns.add<LoweringPattern<OpTy>>(patterns.getContext(), state, lower);
    return *this;
  }

  mlir::RewritePatternSet &patterns;
  TraceLowering::State &state;
};

/// batch_norm(convolution) -> convolution, where all parameters are constants
/// of f32 or f64.
void foldBatchNorms(mlir::ModuleOp module);

void addElementwisePatterns(PatternAdder &adder);
void addActivationPatterns(PatternAdder &adder);
void addComposedPatterns(PatternAdder &adder);
void addArrangePatterns(PatternAdder &adder);
void addAttentionPatterns(PatternAdder &adder);
void addScatterPatterns(PatternAdder &adder);
void addCreationPatterns(PatternAdder &adder);
void addIndexingPatterns(PatternAdder &adder);
void addMovementPatterns(PatternAdder &adder);
void addPadPatterns(PatternAdder &adder);
void addSlicePatterns(PatternAdder &adder);
void addRandomPatterns(PatternAdder &adder);
void addReductionPatterns(PatternAdder &adder);
void addSortPatterns(PatternAdder &adder);
void addContractionPatterns(PatternAdder &adder);
void addConvolutionPatterns(PatternAdder &adder);
void addPoolPatterns(PatternAdder &adder);
void addNormalizationPatterns(PatternAdder &adder);
void addResizePatterns(PatternAdder &adder);
void addPluginPatterns(PatternAdder &adder);
void addQuantizationPatterns(PatternAdder &adder);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_LOWERING_H
