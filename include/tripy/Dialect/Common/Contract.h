//===- Contract.h - The trait of operations with numbered rules -*- C++ -*-===//
//
// Verifies the rules that tripy-tblgen generates (checkRules), and the result
// types where they are inferred, with one error for one mistake. Operations
// list the trait (Tripy_ContractTrait) before InferTypeOpInterface, which would
// report a second error. All dialects may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_COMMON_CONTRACT_H
#define TRIPY_DIALECT_COMMON_CONTRACT_H

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/IR/OpDefinition.h"

namespace tripy {

/// The error that type inference of operation `name` starts: at `loc`, or
/// nowhere when the caller wants no diagnostics.
mlir::InFlightDiagnostic inferenceError(mlir::MLIRContext *context,
                                        std::optional<mlir::Location> loc,
                                        llvm::StringRef name);

namespace detail {
/// Compares declared and inferred result types; they are equal or an error.
llvm::LogicalResult verifyResultTypes(mlir::Operation *op,
                                      mlir::TypeRange inferred);
} // namespace detail

template <typename ConcreteOp>
class Contract : public mlir::OpTrait::TraitBase<ConcreteOp, Contract> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    auto emit = [op] { return op->emitOpError(); };
    if constexpr (requires { &ConcreteOp::inferResults; }) {
      typename ConcreteOp::Adaptor in(llvm::cast<ConcreteOp>(op));
      if (mlir::failed(ConcreteOp::checkRules(in, emit)))
        return mlir::failure();
      llvm::SmallVector<mlir::Type> inferred;
      ConcreteOp::inferResults(in, inferred);
      return detail::verifyResultTypes(op, inferred);
    } else {
      return ConcreteOp::checkRules(op, emit);
    }
  }
};

} // namespace tripy

#endif // TRIPY_DIALECT_COMMON_CONTRACT_H
