//===- Generic.h - Raises one structured operation --------------*- C++ -*-===//
//
// Used in this folder alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CONVERSION_LINALGTOFLATIR_GENERIC_H
#define TRIPY_LIB_CONVERSION_LINALGTOFLATIR_GENERIC_H

#include "Raise.h"

namespace tripy::raise {

/// A tensor whose dimensions are `loops`, in this order.
struct View {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> loops;
};

/// What a body computes at each point of an iteration space.
class BodyRaising {
public:
  /// `written` is what errors are about where `own` is false: bodies that
  /// upstream made have no lines.
  BodyRaising(mlir::Block &body, mlir::Operation *written, bool own,
              Raising &program)
      : program(program), body(body), written(written), own(own) {}
  virtual ~BodyRaising() = default;

  /// The values of `value`, of the body or from outside, over `space`.
  mlir::Value evaluate(mlir::Value value, const Space &space);

protected:
  /// What stands for an argument of the body, or null after an error.
  virtual mlir::Value argument(mlir::BlockArgument argument,
                               const Space &space) = 0;
  /// The builder for what `op` of the body becomes.
  Lowering builderFor(mlir::Operation *op) {
    return program.builderFor(own ? op : written);
  }

  Raising &program;
  mlir::Block &body;
  mlir::Operation *written;
  bool own;
  /// Whether other results' bodies raise the same operations.
  bool isShared = false;

private:
  mlir::Value raise(mlir::Operation *op, const Space &space);
  mlir::Value lookup(mlir::Value value, const Space &space);

  llvm::DenseMap<mlir::Value, mlir::Value> known;
};

class GenericRaising : public BodyRaising {
public:
  GenericRaising(mlir::linalg::GenericOp op, mlir::Operation *written,
                 Raising &program);
  Raised run();

private:
  mlir::Value argument(mlir::BlockArgument argument,
                       const Space &space) override;
  llvm::LogicalResult checkForm();
  llvm::LogicalResult findLoops();
  mlir::Value result(unsigned number);
  /// An operand as a tensor over the loops that its map reads.
  std::optional<View> read(mlir::OpOperand &operand);
  bool isWindow(mlir::OpOperand &operand);

  // Reduction.cpp
  std::optional<View> reduce(unsigned number, mlir::Operation *combiner,
                             mlir::Value element);
  mlir::Operation *combinerOf(unsigned number, mlir::Value &element);
  mlir::Value withStart(unsigned number, mlir::Operation *combiner, View view);
  mlir::Value withNumber(mlir::TypedAttr start, mlir::Operation *combiner,
                         mlir::Value result);
  mlir::Value inOrder(const View &view, mlir::AffineMap map);

  // Contraction.cpp
  struct Factor;
  struct Contraction;
  std::optional<Factor> factorOf(mlir::Value value);
  std::optional<View> contract(unsigned number, mlir::Operation *combiner,
                               mlir::Value element);
  std::optional<Contraction> rolesOf(const Factor &lhs, const Factor &rhs,
                                     unsigned number);
  std::optional<View> factorTensor(const Factor &factor, bool asIs);
  View multiply(const Contraction &roles, const View &lhs, const View &rhs,
                mlir::Type element);

  mlir::linalg::GenericOp op;
  Lowering b;
  Space loops;
  llvm::SmallVector<int64_t> parallel, reduced;
};

} // namespace tripy::raise

#endif // TRIPY_LIB_CONVERSION_LINALGTOFLATIR_GENERIC_H
