//===- Graph.h - The graph that tensors are handles on ----------*- C++ -*-===//
//
// A node is an operation of trace with its attributes, its operands and the
// user's line, or a leaf, which has a value. Nodes never change, but for their
// value, which evaluation adds; what they were computed from is then let go.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_GRAPH_H
#define TRIPY_LIB_FRONTEND_GRAPH_H

#include "Lowering.h"
#include "ModuleStack.h"
#include "Storage.h"

#include "tripy/Frontend/Error.h"
#include "tripy/Frontend/Shape.h"
#include "tripy/Frontend/SourceLoc.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tripy::frontend {

/// Most elements of a tensor (docs/input.md).
inline constexpr int64_t maxElements = int64_t(1) << 40;

/// Where the value of a node is, or will be: the number of a GPU, or one of
/// these. The default device is looked for where it matters, since the driver
/// takes milliseconds to say which GPUs there are.
enum DeviceNumber : int32_t {
  onCpu = -1,
  onDefaultDevice = -2,
  /// A number, or a size: it is where the operands beside it are.
  anywhere = -3,
};
DeviceNumber numberOf(const Device &device);

/// The one object of an equal type; it is never freed.
const TypeInfo *internType(TypeInfo type);

class Node {
public:
  struct Output {
    const TypeInfo *type;
    /// Null until it is evaluated. Under graphMutex().
    std::shared_ptr<const Storage> storage;
    /// Of each dimension, for dynamic sizes; of a size, its own. Sizes of one
    /// number are equal in every run (EqualSizes.h).
    std::vector<uint64_t> sizeNumbers = {};
  };

  Node(Op op, SourceLoc loc) : op(op), loc(loc), calls(tracedModuleCalls()) {}
  ~Node();
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

  OperationView view() const { return {op, groups, attributes}; }
  Place place() const;

  const Op op;
  const SourceLoc loc;
  /// Modules that it is in, where that is of use.
  const std::shared_ptr<const ModuleCalls> calls;
  /// Computed from the arguments of a function that is being compiled.
  bool isTraced = false;
  /// A leaf whose value is that of its operand, brought to `device`.
  bool isCopy = false;
  /// It is computed from such a leaf, or is one.
  bool hasCopies = false;
  DeviceNumber device = onDefaultDevice;
  /// Of the evaluation that looked at the node last, and the number of its
  /// first result there. Under graphMutex().
  uint64_t visit = 0;
  uint32_t firstValue = 0;
  /// Evaluations that have computed it on the way to other values; stays at
  /// the limit of collectAndKeep(). Under graphMutex().
  uint8_t computations = 0;
  std::vector<uint32_t> groups;
  std::vector<AttributeValue> attributes;
  /// Under graphMutex() once the node is recorded.
  std::vector<Value> operands;
  std::vector<Output> outputs;
  std::string name;
};

/// Guards values and operands of all nodes.
std::mutex &graphMutex();

/// A leaf with a value. The memory may be on the host until the value is used
/// on `device`.
Value makeLeaf(std::shared_ptr<const Storage> storage, DeviceNumber device,
               SourceLoc loc);

/// Where the value is, or will be.
Device deviceOf(const Node &node);

/// Appends what identifies the operation of a node, without its operands.
void encodeOperation(const OperationView &operation, std::string &out);

/// Result types of an operation, until the thread asks again; remembers those
/// of equal ones. Errors: see inferTypes().
Result<std::span<const TypeInfo *const>>
resultTypes(const OperationView &operation,
            std::span<const TypeInfo *const> operands);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_GRAPH_H
