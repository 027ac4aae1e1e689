//===- Math.h - Scalar functions without a math library ---------*- C++ -*-===//
//
// Expands the functions of the math dialect on f32 and f64 to straight-line
// arithmetic that has the same result bits on every device (docs/accuracy.md
// gives the bounds). For the code generators of all devices.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_MATH_H
#define TRIPY_CODEGEN_MATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

#include <cstdint>

namespace tripy::codegen {

/// What becomes of a function's f32 result.
enum class Accuracy : uint8_t {
  /// Anything: the bounds of docs/accuracy.md hold, bits are the same on every
  /// device.
  F32,
  /// More f32 arithmetic, whose results are all rounded to 16 bits. On CUDA,
  /// exp, tanh, rsqrt and division use the hardware's approximations, of a few
  /// f32 ULP.
  Feeds16,
  /// It is rounded to f16, or bf16, at once: at most 1 ULP of that type.
  F16,
  BF16,
};

struct MathOptions {
  /// The code is for an NVIDIA GPU: PTX instructions may be used.
  bool cuda = false;
  /// Other devices may ignore it and give the f32 form.
  Accuracy accuracy = Accuracy::F32;
  /// All results end in f16: what is below the normal f32 may become 0.
  bool flushDenormals = false;
};

/// Attributes that the emitters leave on an operation whose results, followed
/// through reductions and shared memory, all end in 16 bits, or all in f16.
inline constexpr llvm::StringLiteral feeds16Name = "tripy.feeds16";
inline constexpr llvm::StringLiteral feedsF16Name = "tripy.feeds_f16";
/// On an operation whose result may be off by 2^-11 of itself, as what is
/// rounded to f16 once is.
inline constexpr llvm::StringLiteral withinF16Name = "tripy.within_f16";

/// Expands `op`, one of the functions below, on `operands`: f32 or f64, or
/// vectors of them, which stand for the operands of `op` (those may have
/// another float type: see populateMathExpansionPatterns). Returns the result,
/// of the operands' type, or null when `op` needs no expansion, is none of the
/// functions, or has no form for these operands.
///
/// Functions: math.exp exp2 expm1 log log2 log10 log1p tanh sinh cosh asinh
/// acosh atanh erf sin cos tan asin acos atan atan2 powf cbrt rsqrt,
/// arith.remf, and with an accuracy below F32 on CUDA arith.divf. Left to LLVM,
/// which has instructions for them: sqrt absf copysign, and on all but old
/// processors floor ceil trunc round roundeven fma (populateBaselinePatterns).
mlir::Value expandMath(mlir::Operation *op, mlir::ValueRange operands,
                       mlir::OpBuilder &b, mlir::Location loc,
                       const MathOptions &options);

/// Whether kernels compute `op`, of any dialect, on f64: false for a function
/// of `math` that is expanded for f32 alone.
bool hasF64Form(mlir::Operation *op);

/// How accurate the f32 result of `op` must be: found from its users, and from
/// the attributes above.
Accuracy requiredAccuracy(mlir::Operation *op);

/// math function -> arith, for all functions of expandMath() on f32, f16 and
/// math.ipowi -> arith, on integers of any width.
/// With `fast16`, each op's accuracy comes from requiredAccuracy(); otherwise
/// it is F32. Off CUDA, arith.truncf to bf16 is expanded as well, because x86
/// without AVX512-BF16 calls a library for it and with it flushes denormals.
/// The pass tripy-expand-math applies these to all ops below one.
void populateMathExpansionPatterns(mlir::RewritePatternSet &patterns, bool cuda,
                                   bool fast16);

/// math.fma -> arith, unless the processor has `fma`, and math.floor, ceil,
/// trunc, round, roundeven -> arith, unless it has `rounding`: f32 and f64,
/// with the same result bits. What the patterns above make needs these in turn.
void populateBaselinePatterns(mlir::RewritePatternSet &patterns, bool fma,
                              bool rounding);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_MATH_H
