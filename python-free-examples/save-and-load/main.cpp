// A compiled program and a network's parameters as files.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

int main() {
  // Parameters, in the format of safetensors: Python reads them as well.
  tp::Linear trained(2, 2), network(2, 2);
  trained.weight = tp::Tensor({{1.5, 0.0}, {0.0, 2.5}});
  trained.saveSafetensors("network.safetensors");
  network.loadSafetensors("network.safetensors");

  // A program, with its parameters inside.
  tp::compile(network, tp::InputInfo({{1, 1, 8}, 2}, tp::float32, "x"))
      .save("network.tpx");
  auto program = tp::Executable::load("network.tpx");
  std::cout << program.inputs().front() << "\n";
  std::cout << program(tp::ones({1, 2})) << "\n";

  // Names and shapes are checked before anything changes.
  try {
    tp::Linear(3, 2).loadSafetensors("network.safetensors");
  } catch (const tp::Error &error) {
    std::cout << error.summary() << "\n";
  }
}
