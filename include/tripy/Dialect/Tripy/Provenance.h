//===- Provenance.h - Why does this operation exist? ------------*- C++ -*-===//
//
// Reads and makes the locations that answer two questions: which line of the
// user, and why. All dialects and everything above them may use it.
//
// Conventions of locations:
// - FileLineColLoc (or a range): a place in the user's text.
// - CallSiteLoc: the callee's place, called from the caller's.
// - NameLoc: a name that ends in "()" is the function that the place is in;
//   any other is the name of the tensor.
// - FusedLoc with #tripy.why: an operation that a lowering inserted; its parts
//   are the operations that it was inserted for.
// - FusedLoc without: an operation made of several others.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_TRIPY_PROVENANCE_H
#define TRIPY_DIALECT_TRIPY_PROVENANCE_H

#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

namespace tripy {

/// Why an operation was inserted. `reason` completes "in order to".
struct Why {
  std::string rule;
  std::string reason;
  /// Number of the user operation's operand that is concerned, or -1.
  int64_t operand = -1;
};

/// The location of an operation that was inserted for the one at `parent`.
mlir::Location inserted(mlir::Location parent, const Why &why);

/// The location of one operation made of several: their union, without
/// duplicates; `locations` is not empty.
mlir::Location fuseLocations(llvm::ArrayRef<mlir::Location> locations);

/// A place in the user's text.
struct UserPlace {
  mlir::FileLineColRange range;
  /// The function that the place is in ("main()"), or "".
  llvm::StringRef function;
};

/// The calls that led to the first user operation of `location`, innermost
/// first; empty when there is none.
llvm::SmallVector<UserPlace> callStack(mlir::Location location);

/// All user operations of `location`, each by its innermost place, once.
llvm::SmallVector<UserPlace> userPlaces(mlir::Location location);

/// The innermost place of the first user operation of `location`, alone, for
/// those who know no other locations; `location` when there is none.
mlir::Location placeOf(mlir::Location location);

/// All reasons in `location`, outermost first, once each.
llvm::SmallVector<WhyAttr> whysOf(mlir::Location location);

/// The parts of `location` that no lowering made: what is under reasons and
/// unions, once each.
llvm::SmallVector<mlir::Location> userLocations(mlir::Location location);

/// Whether `location` has a place or at least a name.
bool isKnownLocation(mlir::Location location);

/// Builds the operations that replace one user operation. Each is either the
/// user's own or has a reason: there is no third way.
class FlatIRBuilder {
public:
  FlatIRBuilder(mlir::Operation *source, mlir::OpBuilder &builder)
      : source(source), builder(builder) {}
  virtual ~FlatIRBuilder() = default;

  /// Creates the operation that is the user's.
  template <typename OpTy, typename... Args> OpTy primary(Args &&...args) {
    return finish(
        OpTy::create(builder, source->getLoc(), std::forward<Args>(args)...));
  }
  /// The same for an operation known by name.
  mlir::Operation *
  primary(llvm::StringRef name, mlir::TypeRange types,
          mlir::ValueRange operands,
          llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return createNamed(source->getLoc(), name, types, operands, attributes);
  }

  /// Creates an operation that the user did not write.
  template <typename OpTy, typename... Args>
  OpTy insert(const Why &why, Args &&...args) {
    return finish(OpTy::create(builder, inserted(source->getLoc(), why),
                               std::forward<Args>(args)...));
  }

  /// The same for an operation known by name.
  mlir::Operation *
  insert(const Why &why, llvm::StringRef name, mlir::TypeRange types,
         mlir::ValueRange operands,
         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return createNamed(inserted(source->getLoc(), why), name, types, operands,
                       attributes);
  }

  /// The user's operation.
  mlir::Operation *getSource() const { return source; }
  /// Its name without the dialect: "add".
  llvm::StringRef sourceName() const {
    return source->getName().stripDialect();
  }
  mlir::OpBuilder &getBuilder() { return builder; }

protected:
  /// Called after each creation.
  virtual void created(mlir::Operation *op) {}

private:
  mlir::Operation *
  createNamed(mlir::Location location, llvm::StringRef name,
              mlir::TypeRange types, mlir::ValueRange operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes) {
    mlir::OperationState state(location, name, operands, types, attributes);
    mlir::Operation *op = builder.create(state);
    created(op);
    return op;
  }
  template <typename OpTy> OpTy finish(OpTy op) {
    created(op);
    return op;
  }

  mlir::Operation *source;
  mlir::OpBuilder &builder;
};

} // namespace tripy

#endif // TRIPY_DIALECT_TRIPY_PROVENANCE_H
