//===- Evaluate.cpp - Computes the values of nodes ------------------------===//

#include "Evaluate.h"

#include "ProgramCache.h"
#include "Streams.h"
#include "Throw.h"

#include <optional>

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
template <typename Storages>
static void publish(std::span<const Value> roots, const Storages &results) {
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

/// Evaluates what is on the device of the first value that is missing, in one
/// program; whether there was any. No copies are pending.
static bool evaluateOneDevice(std::span<const Value> values, SourceLoc loc) {
  std::vector<Value> roots;
  Collected collected;
  std::optional<Device> device;
  {
    std::lock_guard lock(graphMutex());
    for (const Value &root : missing(values, loc)) {
      if (!device)
        device = deviceOf(*root.node);
      if (deviceOf(*root.node) == *device)
        roots.push_back(root);
    }
    if (roots.empty())
      return false;
    collected = collectAndKeep(roots, [&](const Collected &program) {
      return ProgramCache::instance().has(program, *device);
    });
  }
  std::shared_ptr<CompiledProgram> compiled =
      ProgramCache::instance().find(collected, *device, loc);
  publish(
      roots,
      device->isGpu()
          ? threadStream(*device, loc)->start(compiled, collected.inputs, loc)
          : run(*compiled, collected, loc));
  return true;
}

std::shared_ptr<const Storage>
tripy::frontend::bringTo(const Device &device,
                         std::shared_ptr<const Storage> storage,
                         SourceLoc loc) {
  if (storage->device() == device)
    return storage;
  if (storage->device().isGpu()) {
    std::shared_ptr<Storage> host =
        allocate(Device::cpu(), storage->dtype(), storage->view().shape, loc);
    storage->copyToHost(host->view().data, loc);
    storage = std::move(host);
  }
  return device.isGpu() ? threadStream(device, loc)->bring(storage, loc)
                        : storage;
}

void tripy::frontend::makeCopies(std::span<const Value> values, SourceLoc loc) {
  bool hasCopies = false;
  for (const Value &value : values)
    hasCopies |= value.node->hasCopies;
  if (!hasCopies)
    return;
  std::vector<std::shared_ptr<Node>> copies;
  {
    std::lock_guard lock(graphMutex());
    copies = pendingCopies(values);
  }
  for (const std::shared_ptr<Node> &copy : copies) {
    Value source;
    {
      std::lock_guard lock(graphMutex());
      // Another thread may have made it.
      if (copy->outputs.front().storage)
        continue;
      source = copy->operands.front();
    }
    evaluateOneDevice({&source, 1}, loc);
    std::shared_ptr<const Storage> storage;
    {
      std::lock_guard lock(graphMutex());
      storage = source.node->outputs[source.result].storage;
    }
    Value made{copy, 0};
    storage = bringTo(deviceOf(*copy), storage, loc);
    publish({&made, 1}, std::span(&storage, 1));
  }
}

std::vector<std::shared_ptr<const Storage>>
tripy::frontend::evaluateWithoutWaiting(std::span<const Value> values,
                                        SourceLoc loc) {
  makeCopies(values, loc);
  while (evaluateOneDevice(values, loc)) {
  }
  std::vector<std::shared_ptr<const Storage>> found;
  std::lock_guard lock(graphMutex());
  for (const Value &value : values)
    found.push_back(value.node->outputs[value.result].storage);
  return found;
}
