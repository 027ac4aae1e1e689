//===- Convolving.h - Products of windows with a weight ---------*- C++ -*-===//
//
// What convolutions and transposed ones are made of. Used in this folder alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_TRACETOFLATIR_CONVOLVING_H
#define TRIPY_LIB_CONVERSION_TRACETOFLATIR_CONVOLVING_H

#include "Windows.h"

namespace tripy {

/// Operands: input (n, g * c, ...), weight (g * o, c, k...) and bias (g * o) or
/// null.
struct Convolved {
  mlir::Value input, weight, bias;
  int64_t groups;
  bool allowTF32;
  /// Why there is one of several products; empty where it is the user's.
  std::string reason;
};

/// Multiplies windows of the input by the weight, and adds the bias.
class Convolving {
public:
  /// `counts` windows of the input, one for each dimension of `sliding`.
  Convolving(const Convolved &of, llvm::ArrayRef<Sliding> sliding,
             llvm::ArrayRef<Size> counts, Lowering &b);

  /// (n, g * o, counts...).
  mlir::Value lower();

private:
  mlir::Value slide(mlir::Value tensor);
  mlir::Value weightRows();
  mlir::Value weightTaps();
  mlir::Value addBias(mlir::Value result, llvm::ArrayRef<int64_t> dims);
  template <typename OpTy, typename... Args>
  mlir::Value product(Args &&...args);
  mlir::Value contract(mlir::Value lhs, mlir::Value rhs, int64_t batchRank);
  mlir::Value multiplyElements();
  mlir::Value multiplyWindows();
  mlir::Value sumWindows();

  Lowering &b;
  mlir::Value input, weight, bias;
  llvm::ArrayRef<Sliding> sliding;
  /// The result's spatial sizes.
  SizeList counts;
  int64_t groups;
  bool allowTF32;
  std::string reason;
  int64_t spatial;
  mlir::Type element;
  /// Sizes: the batch, the channels and output channels of a group, and all
  /// output channels.
  Size batch, channels, outputs, allOutputs;
};

/// `tensor` with other `sizes`, and with its dimensions in another order: steps
/// of a convolution, which say `what` they do.
mlir::Value reshapeInConvolution(mlir::Value tensor, const SizeList &sizes,
                                 llvm::StringRef what, Lowering &b);
mlir::Value reorder(mlir::Value tensor, llvm::ArrayRef<int64_t> order,
                    llvm::StringRef what, Lowering &b);

/// Checks that the bias, if there is one, has `outputs` numbers.
void requireBias(mlir::Value bias, Size outputs, Lowering &b);

/// `result` with the type that trace inferred, which may know less.
mlir::Value giveShape(mlir::Value result, mlir::RankedTensorType type,
                      Lowering &b);

Lowered lowerConvTranspose(trace::ConvTransposeOp op,
                           trace::ConvTransposeOp::Adaptor in, Lowering &b);

} // namespace tripy

#endif // TRIPY_LIB_CONVERSION_TRACETOFLATIR_CONVOLVING_H
