// A network with parameters, and its state dict.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

struct Perceptron : tp::Module {
  tp::Linear c_fc, c_proj;
  explicit Perceptron(int64_t width)
      : c_fc(width, 4 * width), c_proj(4 * width, width) {}
  tp::Tensor forward(const tp::Tensor &x) const {
    return c_proj(tp::gelu(c_fc(x)));
  }
  TRIPY_MODULE(Perceptron, c_fc, c_proj)
};

int main() {
  Perceptron network(2);
  std::cout << network << "\n";
  // Parameters count from 0 until they are set.
  std::cout << network(tp::iota({1, 2}, 1)) << "\n";

  tp::Linear layer(2, 1);
  std::cout << layer.stateDict() << "\n";
  layer.loadStateDict(
      {{"weight", tp::Tensor({{0.5, 0.25}})}, {"bias", tp::Tensor({1.0})}});
  std::cout << layer(tp::ones({1, 2})) << "\n";
}
