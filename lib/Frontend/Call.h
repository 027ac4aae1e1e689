//===- Call.h - Records a call of an operation ------------------*- C++ -*-===//
//
// What the functions that tripy-tblgen makes consist of.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_CALL_H
#define TRIPY_LIB_FRONTEND_CALL_H

#include "Graph.h"
#include "Numbers.h"

#include "tripy/Frontend/Tensor.h"

namespace tripy::frontend {

/// One call: its operands and attributes in the order of the definition, then
/// record(), then the results.
class Call {
public:
  Call(Op op, SourceLoc loc);

  void operand(const TensorLike &value);
  void operand(const std::optional<Tensor> &value);
  void operand(const std::vector<Tensor> &values);
  void operand(const Size &value);
  /// The sizes that only the run decides.
  void operand(const Shape &sizes);
  /// All others.
  void staticSizes(const Shape &sizes);

  void attribute(bool value) { set(value); }
  void attribute(int64_t value) { set(value); }
  void attribute(double value) { set(value); }
  void attribute(DType value) {
    checkDType(value, node->loc);
    set(value);
  }
  void attribute(const std::string &value) { set(value); }
  void attribute(const Number &value) {
    set(TypedNumber{value.value(), value.dtype()});
  }
  void attribute(const Dims &value) { set(value.numbers()); }
  void attribute(const std::vector<double> &value) { set(value); }
  void attribute(const std::shared_ptr<const PluginDeclaration> &value) {
    set(value);
  }
  template <typename T> void attribute(const std::optional<T> &value) {
    if (value)
      attribute(*value);
    else
      set(std::monostate());
  }

  /// Groups of operands that have one element type: numbers get that of the
  /// tensors beside them. After all operands.
  void sameElement(std::initializer_list<uint32_t> groups);

  /// Makes the node. Throws Error at the call where a rule is broken.
  void record();

  Tensor tensor(uint32_t result) const { return Tensor(Value{node, result}); }
  std::vector<Tensor> tensors() const;
  Size size() const { return Size(Value{node, 0}); }

  /// What handles hold.
  static const Value &valueOf(const Tensor &tensor) { return tensor.source; }
  static const Value &valueOf(const Size &size) { return size.symbol; }
  static Tensor makeTensor(Value value) { return Tensor(std::move(value)); }
  static Size makeSize(Value value) { return Size(std::move(value)); }
  /// A tensor that nobody else has yet is on the device of `other`.
  static Tensor placedAs(const Tensor &other, const Tensor &tensor) {
    tensor.source.node->device = other.source.node->device;
    return tensor;
  }
  /// The same, after a check that there is a tensor. Throws Error at `loc`,
  /// which names `what`.
  static const Value &use(const Tensor &tensor, SourceLoc loc,
                          std::string_view what = "the tensor");

private:
  template <typename T> void set(T value) {
    node->attributes.emplace_back(std::move(value));
  }
  void add(const Value &value);
  /// Adds an operand of the group that is last.
  void add(const Tensor &tensor);
  std::optional<DType> typeBeside(uint32_t group) const;
  void resolveNumbers();
  /// Finds the device of the results. Throws Error.
  void place();
  [[noreturn]] void failDevices(const Node &first, const Node &second) const;
  [[noreturn]] void failWith(const Status &status,
                             std::span<const TypeInfo *const> types) const;

  /// A number, or a size that is known to the run: then the tensor of it.
  struct PendingNumber {
    uint32_t group, operand;
    Number number;
    Tensor size;
    SourceLoc loc;
  };
  std::shared_ptr<Node> node;
  std::vector<PendingNumber> numbers;
  /// Bits of groups.
  std::vector<uint32_t> sameGroups;
};

/// A number as a tensor of rank 0. Throws Error at `loc` where the number is
/// none of `dtype`.
Tensor numberTensor(const Number &number, DType dtype, SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_CALL_H
