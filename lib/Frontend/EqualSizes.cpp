//===- EqualSizes.cpp - Sizes that are equal in every run -----------------===//

#include "EqualSizes.h"

#include <algorithm>
#include <atomic>
#include <optional>

using namespace tripy;
using namespace tripy::frontend;

/// Of a size that is equal to no other one, as far as is known.
static constexpr uint64_t noNumber = 0;

static uint64_t newNumber() {
  static std::atomic<uint64_t> last = noNumber;
  return ++last;
}

static const TypeInfo &typeOf(const Value &value) {
  return *value.node->outputs[value.result].type;
}
static int64_t rankOf(const Value &value) { return typeOf(value).sizes.size(); }

/// The number of a dimension, or of a size, whose only one it is.
static uint64_t numberOf(const Value &value, int64_t dim = 0) {
  const std::vector<uint64_t> &numbers =
      value.node->outputs[value.result].sizeNumbers;
  return size_t(dim) < numbers.size() ? numbers[dim] : noNumber;
}

static const std::vector<int64_t> &listOf(const Node &node, size_t attribute) {
  return std::get<std::vector<int64_t>>(node.attributes[attribute]);
}

/// A dimension that an attribute names, of `rank`.
static int64_t dimOf(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}
static int64_t dimOf(const Node &node, size_t attribute, int64_t rank) {
  return dimOf(std::get<int64_t>(node.attributes[attribute]), rank);
}

//===-- reshape -----------------------------------------------------------===//

namespace {
/// The sizes of a tensor, or those that it gets, as factors.
struct Factors {
  int64_t number = 1;
  std::vector<uint64_t> others;
  bool isKnown = true;

  /// `number` is that of a dynamic size.
  void add(int64_t size, uint64_t sizeNumber) {
    if (size != dynamicSize)
      isKnown &= !__builtin_mul_overflow(number, size, &number);
    else if (sizeNumber != noNumber)
      others.push_back(sizeNumber);
    else
      isKnown = false;
  }
};
} // namespace

/// What the -1 of a reshape stands for; nothing where it is not known.
static std::optional<Factors> inferredFactors(const Node &reshape) {
  const Value &input = reshape.operands.front();
  const std::vector<int64_t> &sizes = listOf(reshape, 0);
  if (std::count(sizes.begin(), sizes.end(), -1) != 1)
    return std::nullopt;
  Factors from, to;
  for (int64_t dim = 0; dim < rankOf(input); ++dim)
    from.add(typeOf(input).sizes[dim], numberOf(input, dim));
  size_t next = 1;
  for (int64_t size : sizes) {
    if (size == -1)
      continue;
    bool isDynamic = size == dynamicSize;
    to.isKnown &= isDynamic || size > 0;
    to.add(size, isDynamic ? numberOf(reshape.operands[next++]) : noNumber);
  }
  if (!from.isKnown || !to.isKnown || from.number % to.number != 0)
    return std::nullopt;
  from.number /= to.number;
  for (uint64_t number : to.others) {
    auto found = std::find(from.others.begin(), from.others.end(), number);
    if (found == from.others.end())
      return std::nullopt;
    from.others.erase(found);
  }
  return from;
}

void tripy::frontend::inferReshapedSize(Node &reshape) {
  std::optional<Factors> factors = inferredFactors(reshape);
  if (!factors || !factors->others.empty())
    return;
  auto &sizes = std::get<std::vector<int64_t>>(reshape.attributes[0]);
  std::replace(sizes.begin(), sizes.end(), int64_t(-1), factors->number);
}

/// Of the -1 that remains: the input's one other size, or none.
static uint64_t numberOfInferred(const Node &reshape) {
  std::optional<Factors> factors = inferredFactors(reshape);
  bool isOne = factors && factors->number == 1 && factors->others.size() == 1;
  return isOne ? factors->others.front() : noNumber;
}

//===-- other operations --------------------------------------------------===//

/// Of a dimension, counted from the end, of tensors that broadcast.
static uint64_t numberOfBroadcast(const Node &node, int64_t fromEnd) {
  uint64_t common = noNumber;
  for (const Value &operand : node.operands) {
    int64_t dim = rankOf(operand) - fromEnd;
    if (dim < 0 || typeOf(operand).sizes[dim] == 1)
      continue;
    uint64_t number = numberOf(operand, dim);
    if (number == noNumber || (common != noNumber && common != number))
      return noNumber;
    common = number;
  }
  return common;
}

/// Of a dimension whose size is given: a constant's, a reshape's. `first` is
/// the first operand that is a size.
static uint64_t numberOfGiven(const Node &node, int64_t dim, size_t first) {
  const std::vector<int64_t> &sizes = listOf(node, 0);
  if (sizes[dim] == dynamicSize)
    return numberOf(
        node.operands[first + std::count(sizes.begin(), sizes.begin() + dim,
                                         dynamicSize)]);
  if (node.op == Op::Reshape)
    return numberOfInferred(node);
  // An expand's -1 keeps the input's size.
  const Value &input = node.operands.front();
  return numberOf(input, dim - int64_t(sizes.size()) + rankOf(input));
}

static uint64_t numberOfProduct(const Node &matmul, int64_t fromEnd) {
  const Value &lhs = matmul.operands[0], &rhs = matmul.operands[1];
  if (rankOf(lhs) < 2 || rankOf(rhs) < 2)
    return noNumber;
  if (fromEnd == 1)
    return numberOf(rhs, rankOf(rhs) - 1);
  return fromEnd == 2 ? numberOf(lhs, rankOf(lhs) - 2)
                      : numberOfBroadcast(matmul, fromEnd);
}

/// The index's dimensions are in the place of the input's dimension `at`.
static uint64_t numberOfGathered(const Node &gather, int64_t dim, int64_t at) {
  const Value &input = gather.operands[0], &index = gather.operands[1];
  if (dim < at)
    return numberOf(input, dim);
  return dim < at + rankOf(index) ? numberOf(index, dim - at)
                                  : numberOf(input, dim - rankOf(index) + 1);
}

/// Where some of the input's dimensions are dropped, or have size 1.
static uint64_t numberOfKept(const Node &node, int64_t dim, int64_t rank) {
  const Value &input = node.operands.front();
  if (rankOf(input) == rank)
    return numberOf(input, dim);
  std::vector<bool> isDropped(rankOf(input));
  for (int64_t dropped : listOf(node, 0))
    isDropped[dimOf(dropped, rankOf(input))] = true;
  for (int64_t from = 0; from < rankOf(input); ++from)
    if (!isDropped[from] && dim-- == 0)
      return numberOf(input, from);
  return noNumber;
}

static uint64_t numberOfSlice(const Node &slice, int64_t dim) {
  bool isWhole = listOf(slice, 0)[dim] == 0 &&
                 listOf(slice, 1)[dim] >= maxElements &&
                 listOf(slice, 2)[dim] == 1;
  return isWhole ? numberOf(slice.operands.front(), dim) : noNumber;
}

static uint64_t numberOfMoved(const Node &node, int64_t dim, int64_t rank) {
  const Value &input = node.operands.front();
  if (node.op == Op::Permute)
    return numberOf(input, dimOf(listOf(node, 0)[dim], rank));
  int64_t first = dimOf(node, 0, rank);
  if (node.op == Op::Unsqueeze)
    return numberOf(input, dim < first ? dim : dim - 1);
  int64_t second = dimOf(node, 1, rank);
  return numberOf(input, dim == first ? second : dim == second ? first : dim);
}

/// Whether the result has the shape of the first operand.
static bool keepsShape(Op op) {
  switch (op) {
  case Op::Flip:
  case Op::Roll:
  case Op::Tril:
  case Op::Triu:
  case Op::Cumsum:
  case Op::Softmax:
  case Op::LayerNorm:
  case Op::RmsNorm:
  case Op::GroupNorm:
  case Op::InstanceNorm:
  case Op::BatchNorm:
  case Op::Quantize:
  case Op::Dequantize:
  case Op::Scatter:
  case Op::UpdateSlice:
  case Op::Sort:
    return true;
  default:
    return false;
  }
}

/// Whether the operation drops dimensions of a list, or gives them size 1.
static bool dropsDims(Op op) {
  switch (op) {
  case Op::Squeeze:
  case Op::Sum:
  case Op::Prod:
  case Op::Max:
  case Op::Min:
  case Op::All:
  case Op::Any:
  case Op::Mean:
  case Op::Var:
    return true;
  default:
    return false;
  }
}

/// Whether all operands broadcast. Operations of nothing but tensors do, apart
/// from those that passedOn() names.
static bool isElementwise(Op op) {
  switch (op) {
  case Op::Cast:
  case Op::Gelu:
  case Op::Elu:
  case Op::LeakyRelu:
  case Op::HardSigmoid:
    return true;
  default:
    break;
  }
  const OpInfo &info = opInfo(op);
  return info.attributes.empty() && !info.operands.empty() &&
         std::all_of(
             info.operands.begin(), info.operands.end(),
             [](const OpField &field) { return field.kind == Kind::Tensor; });
}

/// The number that dimension `dim` of a result has from the operands.
static uint64_t passedOn(const Node &node, int64_t dim, int64_t rank) {
  const std::vector<Value> &operands = node.operands;
  switch (node.op) {
  case Op::Linear:
    return dim + 1 < rank ? numberOf(operands[0], dim) : numberOf(operands[1]);
  case Op::Attention:
    return dim + 1 < rank ? numberOf(operands[0], dim) : noNumber;
  case Op::Convolution:
    return dim == 0 ? numberOf(operands[0]) : noNumber;
  case Op::Matmul:
    return numberOfProduct(node, rank - dim);
  case Op::Embedding:
    return numberOfGathered(node, dim, 0);
  case Op::Gather:
    return numberOfGathered(node, dim, dimOf(node, 0, rankOf(operands[0])));
  case Op::Permute:
  case Op::Transpose:
  case Op::Unsqueeze:
    return numberOfMoved(node, dim, rank);
  case Op::Slice:
    return numberOfSlice(node, dim);
  case Op::Split:
  case Op::Concatenate:
    return dim == dimOf(node, 0, rank) ? noNumber : numberOf(operands[0], dim);
  case Op::Full:
  case Op::Iota:
    return numberOfGiven(node, dim, /*first=*/0);
  case Op::Reshape:
  case Op::Expand:
  case Op::RandomUniform:
  case Op::RandomNormal:
  case Op::RandomBernoulli:
    return numberOfGiven(node, dim, /*first=*/1);
  default:
    break;
  }
  if (keepsShape(node.op))
    return numberOf(operands[0], dim);
  if (dropsDims(node.op))
    return numberOfKept(node, dim, rank);
  return isElementwise(node.op) ? numberOfBroadcast(node, rank - dim)
                                : noNumber;
}

/// Of the size that is read from a tensor.
static uint64_t numberOfRead(const Node &dim) {
  const Value &input = dim.operands.front();
  return numberOf(input, dimOf(dim, 0, rankOf(input)));
}

void tripy::frontend::numberSizes(Node &node) {
  for (Node::Output &output : node.outputs) {
    const std::vector<int64_t> &sizes = output.type->sizes;
    std::vector<uint64_t> &numbers = output.sizeNumbers;
    auto orNew = [](uint64_t number) {
      return number == noNumber ? newNumber() : number;
    };
    if (output.type->isSize)
      numbers = {orNew(node.op == Op::Dim ? numberOfRead(node) : noNumber)};
    if (std::count(sizes.begin(), sizes.end(), dynamicSize) == 0)
      continue;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      numbers.push_back(sizes[dim] == dynamicSize
                            ? orNew(passedOn(node, dim, sizes.size()))
                            : noNumber);
  }
}
