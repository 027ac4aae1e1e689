//===- Collect.cpp - What values depend on, as a program ------------------===//

#include "Evaluate.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::frontend;

static uint64_t lastWalk = 0; // under graphMutex()

namespace {

/// Walks the graph below some values. Nodes keep their number of this walk.
class Collector {
public:
  explicit Collector(Collected &out) : out(out), walk(++lastWalk) {}

  void addInput(const Value &value);
  void visit(const Value &root);
  void finish(std::span<const Value> values);
  void addOutputs(std::span<const Value> values);

private:
  bool isVisited(const Node &node) const { return node.visit == walk; }
  bool enter(const Value &value);

  /// Numbers of inputs that are results of nodes with several: by node and
  /// result, all of them.
  uint32_t numberOf(const Value &value) const;

  Collected &out;
  uint64_t walk;
  struct Entry {
    Node *node;
    std::shared_ptr<Node> owner;
    size_t next = 0;
  };
  std::vector<Entry> stack;
};

} // namespace

/// All results become inputs: a node has one number, that of the first.
void Collector::addInput(const Value &value) {
  Node &node = *value.node;
  node.visit = walk;
  node.firstValue = out.program.inputs.size();
  for (uint32_t i = 0; i < node.outputs.size(); ++i) {
    ProgramInput input;
    input.type = node.outputs[i].type;
    input.place = node.place();
    out.program.inputs.push_back(std::move(input));
    out.inputs.push_back(node.outputs[i].storage);
    out.leaves.push_back({value.node, i});
  }
}

/// Whether the operands of the node are still to be visited.
bool Collector::enter(const Value &value) {
  Node &node = *value.node;
  if (isVisited(node))
    return false;
  if (node.op == Op::Leaf || node.outputs[value.result].storage) {
    addInput(value);
    return false;
  }
  node.visit = walk;
  stack.push_back({&node, value.node});
  return true;
}

void Collector::visit(const Value &root) {
  enter(root);
  while (!stack.empty()) {
    Entry &entry = stack.back();
    if (entry.next < entry.node->operands.size()) {
      enter(entry.node->operands[entry.next++]);
      continue;
    }
    out.nodes.push_back(std::move(entry.owner));
    stack.pop_back();
  }
}

uint32_t Collector::numberOf(const Value &value) const {
  return value.node->firstValue + value.result;
}

void Collector::finish(std::span<const Value> values) {
  uint32_t next = out.program.inputs.size();
  out.program.steps.reserve(out.nodes.size());
  for (const std::shared_ptr<Node> &node : out.nodes) {
    node->firstValue = next;
    next += node->outputs.size();
    ProgramStep &step = out.program.steps.emplace_back();
    step.operation = node->view();
    step.place = node->place();
    step.name = node->name;
    for (const Value &operand : node->operands)
      step.operands.push_back(numberOf(operand));
    for (const Node::Output &output : node->outputs)
      step.results.push_back(output.type);
  }
  addOutputs(values);
}

void Collector::addOutputs(std::span<const Value> values) {
  for (const Value &value : values)
    out.program.outputs.push_back(numberOf(value));
}

Collected tripy::frontend::collect(std::span<const Value> values,
                                   std::span<const Value> arguments) {
  Collected out;
  Collector collector(out);
  for (const Value &argument : arguments)
    collector.addInput(argument);
  for (const Value &value : values)
    collector.visit(value);
  collector.finish(values);
  return out;
}

/// Evaluations that may compute a node again, while there is a program that
/// does so: compiling one that keeps the node takes as long as thousands of
/// small kernels, and as few large ones.
static constexpr uint8_t maxComputations = 16;

/// Values without storage that earlier evaluations have computed, and that
/// something new is computed from. What is computed from nothing costs no more
/// than to keep it.
static std::vector<Value> computedAgain(const Collected &collected,
                                        std::span<const Value> roots) {
  std::vector<const Node *> seen;
  for (const Value &root : roots)
    seen.push_back(root.node.get());
  std::vector<Value> found;
  for (const std::shared_ptr<Node> &user : collected.nodes) {
    if (user->computations)
      continue;
    for (const Value &operand : user->operands) {
      const Node &node = *operand.node;
      if (!node.computations || node.operands.empty() ||
          node.outputs[operand.result].storage ||
          std::find(seen.begin(), seen.end(), &node) != seen.end())
        continue;
      seen.push_back(&node);
      for (uint32_t i = 0; i < node.outputs.size(); ++i)
        found.push_back({operand.node, i});
    }
  }
  return found;
}

Collected tripy::frontend::collectAndKeep(
    std::vector<Value> &values,
    const std::function<bool(const Collected &)> &isCompiled) {
  Collected out;
  Collector collector(out);
  for (const Value &value : values)
    collector.visit(value);
  collector.finish(values);
  std::vector<Value> again = computedAgain(out, values);
  bool isOften =
      std::any_of(again.begin(), again.end(), [](const Value &value) {
        return value.node->computations >= maxComputations;
      });
  if (!again.empty() && (isOften || !isCompiled(out))) {
    collector.addOutputs(again);
    values.insert(values.end(), again.begin(), again.end());
  }
  for (const std::shared_ptr<Node> &node : out.nodes)
    node->computations += node->computations < maxComputations;
  return out;
}

std::vector<std::shared_ptr<Node>>
tripy::frontend::pendingCopies(std::span<const Value> values) {
  std::vector<std::shared_ptr<Node>> copies;
  std::vector<std::pair<std::shared_ptr<Node>, size_t>> stack;
  uint64_t walk = ++lastWalk;
  auto enter = [&](const Value &value) {
    Node &node = *value.node;
    if (node.visit == walk || !node.hasCopies ||
        node.outputs[value.result].storage)
      return;
    node.visit = walk;
    stack.emplace_back(value.node, 0);
  };
  for (const Value &value : values) {
    enter(value);
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next < node->operands.size()) {
        enter(node->operands[next++]);
        continue;
      }
      if (node->isCopy)
        copies.push_back(node);
      stack.pop_back();
    }
  }
  return copies;
}

//===-- the structure -----------------------------------------------------===//

static void appendNumber(std::string &out, uint64_t value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out.append(bytes, sizeof(value));
}

static void appendNumbers(std::string &out, std::span<const uint32_t> list) {
  appendNumber(out, list.size());
  for (uint32_t number : list)
    appendNumber(out, number);
}

std::string tripy::frontend::structureOf(const Collected &collected) {
  const GraphProgram &program = collected.program;
  std::string out;
  out.reserve(64 * (program.inputs.size() + program.steps.size()));
  appendNumber(out, program.inputs.size());
  for (const ProgramInput &input : program.inputs) {
    out += char(input.type->dtype);
    appendNumber(out, input.type->sizes.size());
    for (int64_t size : input.type->sizes)
      appendNumber(out, size);
  }
  for (const ProgramStep &step : program.steps) {
    encodeOperation(step.operation, out);
    appendNumbers(out, step.operands);
  }
  appendNumbers(out, program.outputs);
  return out;
}
