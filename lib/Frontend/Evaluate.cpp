//===- Evaluate.cpp - Computes the values of nodes ------------------------===//

#include "Evaluate.h"

#include "ProgramCache.h"
#include "Streams.h"
#include "Throw.h"

using namespace tripy;
using namespace tripy::frontend;

/// All results of the nodes that have no value yet, once each. Under
/// graphMutex().
static std::vector<Value> missing(std::span<const Value> values,
                                  SourceLoc loc) {
  std::vector<Value> roots;
  for (const Value &value : values) {
    const Node &node = *value.node;
    if (node.outputs[value.result].storage)
      continue;
    if (node.isTraced)
      fail(Code::InvalidArgument,
           isTracing()
               ? "cannot evaluate a tensor while compiling: its value is known "
                 "when the program runs"
               : "the tensor is one of a function that was compiled: its value "
                 "is known when the program runs, which returns it if the "
                 "function does",
           loc, {{node.loc, "the tensor"}});
    bool isThere = false;
    for (const Value &root : roots)
      isThere |= root.node == value.node;
    if (!isThere)
      for (uint32_t i = 0; i < node.outputs.size(); ++i)
        roots.push_back({value.node, i});
  }
  return roots;
}

/// Gives the nodes their values; what they were computed from may go, after
/// the lock: destroying it takes time.
static void publish(std::span<const Value> roots,
                    std::span<const std::shared_ptr<Storage>> results) {
  std::vector<Value> unneeded;
  std::lock_guard lock(graphMutex());
  for (size_t i = 0; i < roots.size(); ++i) {
    Node &node = *roots[i].node;
    if (!node.outputs[roots[i].result].storage)
      node.outputs[roots[i].result].storage = results[i];
    for (Value &operand : node.operands)
      unneeded.push_back(std::move(operand));
    node.operands.clear();
  }
}

/// Runs a program on the CPU. To hand it to a thread would take longer than
/// most programs of this kind.
static std::vector<std::shared_ptr<Storage>>
run(CompiledProgram &compiled, const Collected &collected, SourceLoc loc) {
  std::vector<runtime::TensorView> inputs, outputs;
  for (const std::shared_ptr<const Storage> &input : collected.inputs) {
    input->wait(loc);
    inputs.push_back(input->alignedView(loc));
  }
  const std::vector<OutputDescription> &described = compiled.program().outputs;
  std::vector<runtime::Shape> shapes(described.size());
  check(compiled.outputShapes(inputs, shapes), loc);
  std::vector<std::shared_ptr<Storage>> results;
  for (size_t i = 0; i < described.size(); ++i) {
    results.push_back(
        allocate(Device::cpu(), described[i].dtype, shapes[i], loc));
    outputs.push_back(results.back()->view());
  }
  check(compiled.run(inputs, outputs), loc);
  return results;
}

std::vector<std::shared_ptr<const Storage>>
tripy::frontend::evaluate(std::span<const Value> values, SourceLoc loc) {
  auto found = evaluateWithoutWaiting(values, loc);
  for (const std::shared_ptr<const Storage> &storage : found)
    storage->wait(loc);
  return found;
}

std::vector<std::shared_ptr<const Storage>>
tripy::frontend::evaluateWithoutWaiting(std::span<const Value> values,
                                        SourceLoc loc) {
  std::vector<Value> roots;
  Collected collected;
  {
    std::lock_guard lock(graphMutex());
    roots = missing(values, loc);
    if (!roots.empty())
      collected = collect(roots);
  }
  if (!roots.empty()) {
    Device device = defaultDevice();
    std::shared_ptr<CompiledProgram> compiled =
        ProgramCache::instance().find(collected, device, loc);
    publish(
        roots,
        device.isGpu()
            ? threadStream(device, loc)->start(compiled, collected.inputs, loc)
            : run(*compiled, collected, loc));
  }
  std::vector<std::shared_ptr<const Storage>> found;
  std::lock_guard lock(graphMutex());
  for (const Value &value : values)
    found.push_back(value.node->outputs[value.result].storage);
  return found;
}
