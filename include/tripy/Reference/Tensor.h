//===- Tensor.h - Tensors of the reference evaluator ------------*- C++ -*-===//
//
// A dense row-major tensor in host memory, in the element type that the
// program declares. Layer reference: above the dialects, below conversions.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_REFERENCE_TENSOR_H
#define TRIPY_REFERENCE_TENSOR_H

#include "tripy/Base/DType.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace tripy::reference {

/// Copies share the elements, which are written once, by whoever made the
/// tensor. The layout is row-major, a bool is one byte, and so is an i4, from
/// -8 to 7. All but the latter is the runtime's layout: see fromRuntime() and
/// toRuntime().
class Tensor {
public:
  Tensor() = default;
  /// Uninitialised elements. None for a negative size, a size in bytes beyond
  /// 2^48, or when there is no memory. While the elements are alive, `*meter`
  /// counts their bytes.
  static std::optional<Tensor>
  create(DType dtype, llvm::ArrayRef<int64_t> shape,
         const std::shared_ptr<uint64_t> &meter = {});
  /// Elements that somebody else keeps alive, aligned to their size.
  static Tensor borrow(DType dtype, llvm::ArrayRef<int64_t> shape,
                       const void *data);

  /// A tensor that lies in memory as the runtime has it: borrowed, but for i4,
  /// which is copied; none when there is no memory.
  static std::optional<Tensor>
  fromRuntime(DType dtype, llvm::ArrayRef<int64_t> shape, const void *data);
  /// Its byteCount() bytes, as the runtime has them.
  void toRuntime(void *data) const;

  DType dtype() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  int64_t rank() const { return dims.size(); }
  int64_t elements() const;
  uint64_t bytes() const { return elements() * dtypeSize(type); }
  const void *data() const { return first; }
  /// For the maker of the tensor, before it is copied.
  void *mutableData() { return storage.get(); }
  /// Whether the elements are this tensor's (and its copies') own.
  bool ownsData() const { return storage != nullptr; }

  /// Element `index` in row-major order; of a float or a bool, toInt() is the
  /// value converted as flatir.convert does.
  double toDouble(int64_t index) const;
  int64_t toInt(int64_t index) const;

  /// The same elements under another shape of as many elements.
  Tensor withShape(llvm::ArrayRef<int64_t> shape) const;

private:
  DType type = DType::F32;
  llvm::SmallVector<int64_t, 4> dims;
  std::shared_ptr<void> storage;
  const void *first = nullptr;
};

/// Number of elements of a shape; none on overflow or a negative size.
std::optional<int64_t> volumeOf(llvm::ArrayRef<int64_t> shape);

/// The value of a constant: `dense<...>` or `dense_resource<...>`. Data that
/// lies in memory as the runtime wants it is borrowed from the attribute, not
/// copied; `*meter` counts copies. None when the attribute holds no such data
/// (a resource without a blob, or with one of the wrong size).
std::optional<Tensor> readConstant(mlir::ElementsAttr value,
                                   const std::shared_ptr<uint64_t> &meter = {});

/// `tensor` as an attribute of `type`, whose shape and element type are the
/// tensor's. A tensor of equal elements becomes a splat.
mlir::DenseElementsAttr toAttribute(const Tensor &tensor,
                                    mlir::RankedTensorType type);

} // namespace tripy::reference

#endif // TRIPY_REFERENCE_TENSOR_H
