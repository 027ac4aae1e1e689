// The same network, evaluated eagerly and compiled.
#include <tripy/tripy.h>

#include <chrono>
#include <iostream>

namespace tp = tripy;

struct Classifier : tp::Module {
  tp::Linear first{64, 128}, second{128, 10};
  Classifier() {
    // Small numbers, so that no exponential overflows.
    for (tp::Linear *layer : {&first, &second})
      layer->weight = tp::sin(layer->weight.tensor()) * 0.1;
  }
  tp::Tensor forward(const tp::Tensor &x) const {
    return tp::softmax(second(tp::relu(first(x))));
  }
  TRIPY_MODULE(Classifier, first, second)
};

/// Microseconds of a call, the fastest of many.
template <typename F> static double fastest(F call) {
  double best = 1e30;
  for (int i = 0; i < 100; ++i) {
    auto start = std::chrono::steady_clock::now();
    call();
    std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

int main() {
  Classifier network;
  tp::Tensor x = tp::cos(tp::iota({16, 64}, 1)).eval();
  auto fast = tp::compile(network, tp::InputInfo({16, 64}, tp::float32));

  std::cout << "equal results: "
            << (tp::allclose(network(x), fast(x), 1e-5, 1e-7) ? "yes" : "no")
            << "\n";
  double eager = fastest([&] { network(x).eval(); });
  double compiled = fastest([&] { fast(x).eval(); });
  std::cout << "eager: " << eager << " us, compiled: " << compiled << " us\n";
}
