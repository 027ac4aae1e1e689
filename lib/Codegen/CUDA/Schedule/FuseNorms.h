//===- FuseNorms.h - Norms before and behind contractions -------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_FUSENORMS_H
#define TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_FUSENORMS_H

#include "tripy/Dialect/Kernel/Kernel.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tripy::codegen {

/// Tensors of a kernel, as in flatir-form-dispatches.
inline constexpr unsigned maxTensors = 24;

/// Whether a kernel's sizes are all known, and nothing but its body says what
/// it does.
bool isPlain(kernel::FuncOp kernel);

/// A kernel with the body of `first`, and behind it that of `second`, which
/// reads its result as an argument. The arguments are those of `first`, and
/// then the other ones; the results are that of `first`, if it `keeps` it, and
/// those of `second`. One of them is the `contraction` whose schedule it has.
kernel::FuncOp joinKernels(kernel::FuncOp first, kernel::FuncOp second,
                           unsigned argument, kernel::FuncOp contraction,
                           const llvm::Twine &name, bool keeps);

/// Fuses norms into the epilogues of the contractions that they read.
class NormEpilogues {
public:
  explicit NormEpilogues(mlir::SymbolTable &symbols) : symbols(symbols) {}

  void run(mlir::ModuleOp module);
  /// Adds the kernels that were fused, which may still have calls.
  void addReplaced(llvm::SetVector<mlir::Operation *> &kernels) const;

private:
  /// The contraction, the norm, its argument that is the contraction's result,
  /// and whether others read that as well.
  using Key = std::tuple<kernel::FuncOp, kernel::FuncOp, unsigned, bool>;
  struct Order {
    bool operator()(const Key &a, const Key &b) const {
      auto plain = [](const Key &key) {
        auto [product, rows, argument, keeps] = key;
        return std::tuple(product.getOperation(), rows.getOperation(), argument,
                          keeps);
      };
      return plain(a) < plain(b);
    }
  };

  void fuse(kernel::CallOp rows);
  kernel::FuncOp fused(const Key &key);
  bool schedule(kernel::FuncOp function, kernel::FuncOp product);

  mlir::SymbolTable &symbols;
  std::map<Key, kernel::FuncOp, Order> known;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_FUSENORMS_H
