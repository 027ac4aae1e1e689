//===- Copy.cpp - Tensors on other devices --------------------------------===//

#include "Call.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"

using namespace tripy;
using namespace tripy::frontend;

/// That there is the GPU, which starts to be opened.
static void checkGpu(const Device &gpu, const Tensor &input, SourceLoc loc) {
  try {
    startOpening(gpu, loc);
  } catch (const Error &error) {
    fail(error.code(), "a copy to " + gpu.str() + ": " + error.summary(), loc,
         {{input.loc(), "the tensor"}});
  }
}

Tensor tripy::copy(const Tensor &input, const Device &device, SourceLoc loc) {
  const Value &value = Call::use(input, loc);
  const Node &source = *value.node;
  Device from = deviceOf(source);
  if (from == device)
    return input;
  if (source.isTraced)
    fail(Code::DeviceMismatch,
         "a function that is compiled runs on one device, " + from.str() +
             " here; found a copy to " + device.str() +
             "; copy arguments before the call, and results after it",
         loc, {{source.loc, "the tensor"}});
  if (device.isGpu())
    checkGpu(device, input, loc);
  auto node = std::make_shared<Node>(Op::Leaf, loc);
  node->isCopy = node->hasCopies = true;
  node->device = numberOf(device);
  node->operands.push_back(value);
  node->outputs.push_back({source.outputs[value.result].type, nullptr});
  return Call::makeTensor({std::move(node), 0});
}
