// What errors say: the call, the rule that it breaks, and where its inputs
// were made.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

int main() {
  tp::Tensor a = tp::ones({3, 4});
  tp::Tensor b = tp::zeros({3, 3});
  try {
    tp::Tensor sum = a + b;
  } catch (const tp::Error &error) {
    std::cout << error.what() << "\n\n";
  }
  try {
    tp::compile(
        [](const tp::Tensor &x) { return x.item<float>() > 0 ? x : -x; },
        tp::InputInfo({1}, tp::float32, "x"));
  } catch (const tp::Error &error) {
    std::cout << error.code() << ": " << error.summary() << "\n";
  }
  auto twice = tp::compile([](const tp::Tensor &x) { return x * 2; },
                           tp::InputInfo({{1, 2, 4}}, tp::float32, "x"));
  try {
    twice(tp::ones({5}));
  } catch (const tp::Error &error) {
    std::cout << error.code() << ": " << error.summary() << "\n";
  }
}
