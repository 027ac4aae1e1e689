//===- Graph.cpp - The graph that tensors are handles on ------------------===//

#include "Graph.h"

#include "PluginDeclaration.h"

#include <cstring>
#include <unordered_map>
#include <unordered_set>

using namespace tripy;
using namespace tripy::frontend;

//===-- types -------------------------------------------------------------===//

namespace {
struct TypeHash {
  size_t operator()(const TypeInfo &type) const {
    size_t hash = size_t(type.dtype) * 2 + type.isSize;
    for (int64_t size : type.sizes)
      hash = hash * 0x9e3779b97f4a7c15u + size_t(size) + 1;
    return hash;
  }
};

struct TypeTable {
  std::mutex mutex;
  /// Nodes of a set stay where they are. Buckets for the first types: to grow
  /// takes a function that libstdc++ looks up by name, in a process' first
  /// tensor.
  std::unordered_set<TypeInfo, TypeHash> types{64};
};
} // namespace

const TypeInfo *tripy::frontend::internType(TypeInfo type) {
  static TypeTable *table = new TypeTable; // tensors may outlive statics
  std::lock_guard lock(table->mutex);
  return &*table->types.insert(std::move(type)).first;
}

//===-- nodes -------------------------------------------------------------===//

std::mutex &tripy::frontend::graphMutex() {
  static std::mutex *mutex = new std::mutex;
  return *mutex;
}

Place Node::place() const {
  if (!calls)
    return {loc.file, loc.function, loc.line, loc.column};
  return {loc.file, calls->functionText(loc.function), loc.line, loc.column,
          &calls->callers};
}

/// A chain of nodes is let go one by one, not each within the one before.
Node::~Node() {
  static thread_local std::vector<Value> *pending = nullptr;
  if (operands.empty())
    return;
  if (pending) {
    for (Value &operand : operands)
      pending->push_back(std::move(operand));
    return;
  }
  std::vector<Value> list = std::move(operands);
  pending = &list;
  while (!list.empty()) {
    Value last = std::move(list.back());
    list.pop_back();
    last.node.reset();
  }
  pending = nullptr;
}

DeviceNumber tripy::frontend::numberOf(const Device &device) {
  return device.isGpu() ? DeviceNumber(device.index()) : onCpu;
}

Device tripy::frontend::deviceOf(const Node &node) {
  if (node.device == onCpu)
    return Device::cpu();
  return node.device >= 0 ? Device::gpu(node.device) : defaultDevice(node.loc);
}

Value tripy::frontend::makeLeaf(std::shared_ptr<const Storage> storage,
                                DeviceNumber device, SourceLoc loc) {
  auto node = std::make_shared<Node>(Op::Leaf, loc);
  node->device = device;
  const runtime::TensorView &view = storage->view();
  std::span<const int64_t> sizes = view.shape.sizes();
  const TypeInfo *type =
      internType({false, view.dtype, {sizes.begin(), sizes.end()}});
  node->outputs.push_back({type, std::move(storage)});
  return {std::move(node), 0};
}

//===-- operations as bytes -----------------------------------------------===//

template <typename T> static void append(std::string &out, const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

static void appendValue(std::string &out, std::monostate) {}
static void appendValue(std::string &out, bool value) { append(out, value); }
static void appendValue(std::string &out, int64_t value) { append(out, value); }
static void appendValue(std::string &out, double value) { append(out, value); }
static void appendValue(std::string &out, DType value) { append(out, value); }
static void appendValue(std::string &out, const std::string &value) {
  append(out, value.size());
  out += value;
}
static void appendValue(std::string &out, const TypedNumber &number) {
  append(out, number.dtype);
  out += char(number.value.index());
  std::visit([&](auto value) { append(out, value); }, number.value);
}
static void
appendValue(std::string &out,
            const std::shared_ptr<const PluginDeclaration> &declaration) {
  appendValue(out, declaration->identity);
}
template <typename T>
static void appendValue(std::string &out, const std::vector<T> &list) {
  append(out, list.size());
  for (T value : list)
    append(out, value);
}

void tripy::frontend::encodeOperation(const OperationView &operation,
                                      std::string &out) {
  append(out, operation.op);
  for (uint32_t group : operation.groups)
    append(out, group);
  for (const AttributeValue &attribute : operation.attributes) {
    out += char(attribute.index());
    std::visit([&](const auto &value) { appendValue(out, value); }, attribute);
  }
}

//===-- result types ------------------------------------------------------===//

namespace {
struct TypeMemory {
  std::mutex mutex;
  std::unordered_map<std::string, std::vector<const TypeInfo *>> known;
};
} // namespace

/// Programs with ever new shapes do not fill the memory. Lists that callers
/// still read stay, so that the oldest half could not simply go.
static constexpr size_t maxKnownTypes = size_t(1) << 20;

/// The type of what a creation makes, where there is nothing to object to. The
/// first tensor of a process needs no compiler for it, which takes milliseconds
/// to start; the compiler checks the type all the same before it compiles.
static const TypeInfo *createdType(const OperationView &operation) {
  bool isFull = operation.op == Op::Full;
  if (!isFull && operation.op != Op::Iota)
    return nullptr;
  const auto &sizes = std::get<std::vector<int64_t>>(operation.attributes[0]);
  int64_t elements = 1;
  for (int64_t size : sizes) {
    if (size < 0 || size > maxElements)
      return nullptr;
    elements = size == 0 || elements <= maxElements / size ? elements * size
                                                           : maxElements + 1;
    if (elements > maxElements)
      return nullptr;
  }
  if (sizes.size() > runtime::maxRank)
    return nullptr;
  if (isFull)
    return internType(
        {false, std::get<TypedNumber>(operation.attributes[1]).dtype, sizes});
  int64_t dim = std::get<int64_t>(operation.attributes[1]);
  DType dtype = std::get<DType>(operation.attributes[2]);
  int64_t rank = sizes.size();
  if (dim < -rank || dim >= rank || dtype == DType::Bool)
    return nullptr;
  return internType({false, dtype, sizes});
}

/// The same for arithmetic of two tensors of known sizes: `arange(5) + 1.5`
/// does not start the compiler, either.
static const TypeInfo *computedType(const OperationView &operation,
                                    std::span<const TypeInfo *const> operands) {
  if (operation.op != Op::Add && operation.op != Op::Sub &&
      operation.op != Op::Mul && operation.op != Op::Div)
    return nullptr;
  const TypeInfo &a = *operands[0], &b = *operands[1];
  DTypeClass cls = dtypeInfo(a.dtype).cls;
  bool isComputed = (cls == DTypeClass::Float && !isFloat8(a.dtype)) ||
                    (cls == DTypeClass::Int && a.dtype != DType::I4);
  if (a.isSize || b.isSize || a.dtype != b.dtype || !isComputed)
    return nullptr;
  const TypeInfo &longer = a.sizes.size() >= b.sizes.size() ? a : b;
  const TypeInfo &shorter = &longer == &a ? b : a;
  std::vector<int64_t> sizes = longer.sizes;
  size_t offset = sizes.size() - shorter.sizes.size();
  int64_t elements = 1;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    int64_t other = dim < offset ? 1 : shorter.sizes[dim - offset];
    if (sizes[dim] < 0 || other < 0 ||
        (sizes[dim] != other && sizes[dim] != 1 && other != 1))
      return nullptr;
    sizes[dim] = sizes[dim] == 1 ? other : sizes[dim];
    if (__builtin_mul_overflow(elements, sizes[dim], &elements) ||
        elements > maxElements)
      return nullptr;
  }
  return internType({false, a.dtype, std::move(sizes)});
}

/// Those that the compiler infers, and has inferred before.
[[gnu::noinline]] static Result<std::span<const TypeInfo *const>>
inferredTypes(const OperationView &operation,
              std::span<const TypeInfo *const> operands) {
  using Types = std::span<const TypeInfo *const>;
  static TypeMemory *memory = new TypeMemory;
  static thread_local std::vector<const TypeInfo *> unkept;
  static thread_local std::string key;
  key.clear();
  encodeOperation(operation, key);
  for (const TypeInfo *type : operands)
    append(key, type);
  {
    std::lock_guard lock(memory->mutex);
    auto found = memory->known.find(key);
    if (found != memory->known.end())
      return Types(found->second);
  }
  Result<std::vector<TypeInfo>> types = inferTypes(operation, operands);
  if (!types)
    return types.status();
  std::vector<const TypeInfo *> list;
  for (TypeInfo &type : *types)
    list.push_back(internType(std::move(type)));
  std::lock_guard lock(memory->mutex);
  if (memory->known.size() >= maxKnownTypes) {
    unkept = std::move(list);
    return Types(unkept);
  }
  return Types(memory->known.emplace(key, std::move(list)).first->second);
}

/// What a process' first tensor needs comes without the tables above.
Result<std::span<const TypeInfo *const>>
tripy::frontend::resultTypes(const OperationView &operation,
                             std::span<const TypeInfo *const> operands) {
  static thread_local const TypeInfo *single;
  single = operands.empty() ? createdType(operation)
                            : computedType(operation, operands);
  if (single)
    return std::span<const TypeInfo *const>(&single, 1);
  return inferredTypes(operation, operands);
}
