// A gated layer, eager and compiled for batches from 1 to 4.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

struct GatedGelu : tp::Module {
  tp::Linear proj;
  GatedGelu(int64_t in, int64_t out) : proj(in, 2 * out) {}
  tp::Tensor forward(const tp::Tensor &x) const {
    auto parts = tp::split(proj(x), 2, -1);
    return parts[0] * tp::gelu(parts[1]);
  }
  TRIPY_MODULE(GatedGelu, proj)
};

int main() {
  GatedGelu layer(2, 1);
  std::cout << layer(tp::ones({1, 2})) << "\n";

  auto fast =
      tp::compile(layer, tp::InputInfo({{1, 2, 4}, 2}, tp::float32, "x"));
  std::cout << fast.inputs().front() << "\n";
  std::cout << fast(tp::Tensor({{1.0, 2.0}, {2.0, 3.0}})) << "\n";
}
