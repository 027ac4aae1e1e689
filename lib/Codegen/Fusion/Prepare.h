//===- Prepare.h - Rewrites of flatir before fusion -------------*- C++ -*-===//
//
// Each rewrite gives the program a form that fewer or better kernels can be
// made of. Most run on functions whose composites are inlined. Internal to the
// fusion pass.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_PREPARE_H
#define TRIPY_CODEGEN_FUSION_PREPARE_H

#include "AttentionMasks.h"
#include "FusionOptions.h"
#include "OpInfo.h"

namespace tripy::fusion {

/// What an operation was part of: "gelu".
using Composites = llvm::DenseMap<mlir::Operation *, mlir::StringAttr>;

/// A function ready for fusion, with what is known of it. Rewrites keep it up
/// to date.
struct Program {
  mlir::func::FuncOp function;
  /// Of all tensors.
  TensorSizes &sizes;
  Estimates estimates;
  Composites &composites;
  FusionOptions options;
  ConstantMasks constantMasks = {};
};

/// Erases tensors that nothing needs. Sizes stay: other tensors' are known by
/// them.
void eraseDead(Program &program);

/// composite "attention" -> kernel.attention, and a conversion, where kernels
/// take the operands' types. Before other composites are inlined.
void takeAttention(mlir::func::FuncOp function, Composites &composites);

/// attention(q, reshape(broadcast(k)), reshape(broadcast(v))) -> attention(q,
/// k, v), where each head of keys and values was repeated for several of
/// queries.
void shareRepeatedHeads(Program &program);

/// dot(softmax(f(dot(q, k))), v) -> kernel.attention, in any order of
/// dimensions, where f is a scale, a mask and a bias, nothing else reads scores
/// or probabilities, and the kernel is not slower than its parts.
void recogniseAttention(Program &program);

/// Gives tensors of 0 elements, and reductions and contractions over a
/// dimension of size 0, a constant in place of their operands, where the types
/// say so. What is left in a kernel of another operation has elements to
/// compute.
void dropEmpty(mlir::func::FuncOp function, TensorSizes &sizes,
               Composites &composites);

/// dot(a, b) -> dot(slice(pad(a)), b), the same for b, where a large
/// contraction runs on tensor cores but for rows that are no multiple of 16
/// bytes. The padded tensor has zeros at the end of its rows.
void padOperands(Program &program);

/// slice(dot(a, b)) -> dot(a, slice(b)), through the element-wise operations
/// between, where ranges of columns of one contraction meet again in one
/// element-wise operation (gated linear units).
void splitContractions(Program &program);

/// sort(x) count = k -> slice(sort(x)), where k is more than a kernel selects
/// without sorting whole rows.
void sortInsteadOfSelect(Program &program);

/// sort(x) count = k -> sort(...(sort(reshape(x)) count = k)) count = k, where
/// few rows are long: parts of a row are selected from side by side, and then
/// from what they gave.
void splitSelections(Program &program);

/// sort(x) -> a kernel.digit_counts and a kernel.digit_scatter for each digit
/// of the keys, where rows are longer than what a block sorts.
void splitSorts(Program &program);

/// reduce(x) -> reduce(reduce(reshape(x))), where a large reduction keeps few
/// rows, or the last dimension and few columns: chunks fill the device, and
/// their results, of floats' sums in f32, are reduced by a second kernel.
/// reduce(x, [0, 2]) -> reduce(reduce(x, [2]), [0]).
void splitReductions(Program &program);

/// The divisor of `size` that is closest to `wanted`, from half to twice of it;
/// 0 if there is none. What it leaves is a multiple of `unit`.
int64_t divisorNear(int64_t size, int64_t wanted, int64_t unit);

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_PREPARE_H
