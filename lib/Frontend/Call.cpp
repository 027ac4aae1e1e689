//===- Call.cpp - Records a call of an operation --------------------------===//

#include "Call.h"

#include "EqualSizes.h"
#include "Explain.h"
#include "Numbers.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"

#include <array>

using namespace tripy;
using namespace tripy::frontend;

Call::Call(Op op, SourceLoc loc) : node(std::make_shared<Node>(op, loc)) {
  const OpInfo &info = opInfo(op);
  node->operands.reserve(info.operands.size());
  node->groups.reserve(info.operands.size());
  node->attributes.reserve(info.attributes.size());
}

//===-- operands ----------------------------------------------------------===//

const Value &Call::use(const Tensor &tensor, SourceLoc loc,
                       std::string_view what) {
  if (!tensor.source)
    fail(Code::InvalidArgument,
         std::string(what) + " is empty: it was never assigned", loc);
  return tensor.source;
}

void Call::add(const Value &value) { node->operands.push_back(value); }

void Call::add(const Tensor &tensor) {
  if (tensor.isEmpty()) {
    const OpInfo &info = opInfo(node->op);
    std::string_view name = info.operands[node->groups.size() - 1].name;
    use(tensor, node->loc,
        "the operand '" + std::string(name) + "' of '" +
            std::string(info.shortName()) + "'");
  }
  add(tensor.source);
}

void Call::operand(const TensorLike &value) {
  node->groups.push_back(1);
  if (value.isNumber() || value.isSize()) {
    numbers.push_back(
        {uint32_t(node->groups.size() - 1), uint32_t(node->operands.size()),
         value.literal().value_or(Number(0)), value.tensor(), value.loc()});
    node->operands.emplace_back();
    return;
  }
  add(value.tensor());
}

void Call::operand(const std::optional<Tensor> &value) {
  bool isGiven = value && !value->isEmpty();
  node->groups.push_back(isGiven);
  if (isGiven)
    add(value->source);
}

void Call::operand(const std::vector<Tensor> &values) {
  node->groups.push_back(values.size());
  for (const Tensor &value : values)
    add(value);
}

/// A number as a size that an operation reads.
static Size sizeConstant(int64_t number, SourceLoc loc) {
  Call call(Op::SizeConstant, loc);
  call.attribute(number);
  call.record();
  Size size = call.size();
  Call::valueOf(size).node->device = anywhere;
  return size;
}

void Call::operand(const Size &value) {
  node->groups.push_back(1);
  add(value.isStatic() ? sizeConstant(value.number, node->loc).symbol
                       : value.symbol);
}

void Call::operand(const Shape &sizes) {
  uint32_t count = 0;
  for (const Size &size : sizes)
    if (!size.isStatic()) {
      add(size.symbol);
      ++count;
    }
  node->groups.push_back(count);
}

void Call::staticSizes(const Shape &sizes) {
  std::vector<int64_t> list;
  for (const Size &size : sizes) {
    // The number that stands for a size of the run.
    if (size.isStatic() && size.number == dynamicSize)
      fail(Code::InvalidArgument,
           "a size is a number from 0 to 2^40; found " + size.str(), node->loc);
    list.push_back(size.isStatic() ? size.number : dynamicSize);
  }
  set(std::move(list));
}

//===-- numbers -----------------------------------------------------------===//

void Call::sameElement(std::initializer_list<uint32_t> groups) {
  if (numbers.empty())
    return;
  uint32_t set = 0;
  for (uint32_t group : groups)
    set |= uint32_t(1) << group;
  sameGroups.push_back(set);
}

static runtime::HostTensor makeScalar(const Number &number, DType dtype,
                                      SourceLoc loc) {
  auto tensor = runtime::HostTensor::create(dtype, {});
  check(tensor.status(), loc);
  storeNumber(tensor->data(), dtype, number);
  return std::move(*tensor);
}

Tensor tripy::frontend::numberTensor(const Number &number, DType dtype,
                                     SourceLoc loc) {
  Number converted = number.as(dtype, loc);
  return Call::makeTensor(
      makeLeaf(std::make_shared<Storage>(makeScalar(converted, dtype, loc)),
               anywhere, loc));
}

/// The element type of a number that stands beside no tensor. Seeds of random
/// numbers are int64.
static DType typeAlone(const Number &number, Op op) {
  bool hasSeed = op == Op::RandomUniform || op == Op::RandomNormal ||
                 op == Op::RandomBernoulli;
  return hasSeed && number.dtype() == int32 ? int64 : number.dtype();
}

/// The element type of the first operand with a known one in groups that have
/// it together with `group`; several sets may, of which the last one decides.
std::optional<DType> Call::typeBeside(uint32_t group) const {
  std::optional<DType> dtype;
  for (uint32_t same : sameGroups) {
    if (!(same >> group & 1))
      continue;
    uint32_t begin = 0;
    for (uint32_t other = 0; other < node->groups.size(); ++other) {
      const Value *value = same >> other & 1 && node->groups[other] > 0
                               ? &node->operands[begin]
                               : nullptr;
      begin += node->groups[other];
      if (value && *value) {
        dtype = value->node->outputs[value->result].type->dtype;
        break;
      }
    }
  }
  return dtype;
}

void Call::resolveNumbers() {
  for (const PendingNumber &pending : numbers) {
    bool isSize = !pending.size.isEmpty();
    DType dtype =
        typeBeside(pending.group)
            .value_or(isSize ? int32 : typeAlone(pending.number, node->op));
    Tensor tensor = !isSize ? numberTensor(pending.number, dtype, pending.loc)
                    : dtype == int32
                        ? pending.size
                        : cast({pending.size, pending.loc}, dtype, pending.loc);
    node->operands[pending.operand] = valueOf(tensor);
  }
}

//===-- recording ---------------------------------------------------------===//

void Call::failWith(const Status &status,
                    std::span<const TypeInfo *const> types) const {
  std::vector<ErrorFrame> inputs;
  for (std::string &note : explain(node->op, status.message(), types))
    inputs.push_back({SourceLoc(), std::move(note)});
  // Of thousands, the first ones show what they are like.
  constexpr size_t maxShown = 16;
  for (size_t i = 0; i < std::min(node->operands.size(), maxShown); ++i) {
    const Value &value = node->operands[i];
    const Node &source = *value.node;
    std::string role = "Input " + std::to_string(i);
    if (!source.name.empty())
      role += " '" + source.name + "'";
    inputs.push_back(
        {source.loc,
         role + ", " + describe(*source.outputs[value.result].type)});
  }
  fail(status.code(), status.message(), node->loc, std::move(inputs));
}

/// Of operands on several devices.
void Call::failDevices(const Node &first, const Node &second) const {
  std::vector<ErrorFrame> inputs;
  for (size_t i = 0; i < node->operands.size(); ++i) {
    const Node &source = *node->operands[i].node;
    std::string role = "Input " + std::to_string(i);
    if (!source.name.empty())
      role += " '" + source.name + "'";
    if (source.device != anywhere)
      inputs.push_back({source.loc, role + ", on " + deviceOf(source).str()});
  }
  std::string wanted = deviceOf(first).str();
  fail(Code::DeviceMismatch,
       "the operands of '" + std::string(opInfo(node->op).shortName()) +
           "' are on one device; found " + wanted + " and " +
           deviceOf(second).str() + "; tripy::copy(" +
           (second.name.empty() ? "x" : second.name) + ", \"" + wanted +
           "\") brings one to the other",
       node->loc, std::move(inputs));
}

/// The result is where the operands are. Of a function that is compiled it is
/// where the program runs: others that it uses become a part of the program.
void Call::place() {
  const Node *known = nullptr;
  for (const Value &operand : node->operands) {
    const Node &source = *operand.node;
    node->hasCopies |= source.hasCopies;
    if (source.device == anywhere)
      continue;
    if (!known || (source.isTraced && !known->isTraced))
      known = &source;
    else if (source.device != known->device && !node->isTraced &&
             deviceOf(source) != deviceOf(*known))
      failDevices(*known, source);
  }
  if (known)
    node->device = known->device;
}

void Call::record() {
  if (!numbers.empty())
    resolveNumbers();
  // Few operands are the rule.
  std::array<const TypeInfo *, 8> few;
  std::vector<const TypeInfo *> many;
  std::span<const TypeInfo *> types(few.data(), node->operands.size());
  if (types.size() > few.size()) {
    many.resize(types.size());
    types = many;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Value &operand = node->operands[i];
    types[i] = operand.node->outputs[operand.result].type;
    node->isTraced |= operand.node->isTraced;
  }
  if (node->op == Op::Reshape)
    inferReshapedSize(*node);
  auto results = resultTypes(node->view(), types);
  if (!results)
    failWith(results.status(), types);
  place();
  node->outputs.reserve(results->size());
  for (const TypeInfo *type : *results)
    node->outputs.push_back({type, nullptr});
  numberSizes(*node);
}

std::vector<Tensor> Call::tensors() const {
  std::vector<Tensor> list;
  for (uint32_t i = 0; i < node->outputs.size(); ++i)
    list.push_back(tensor(i));
  return list;
}
