// One program for many shapes.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

int main() {
  // Sentences of 1 to 16 words and any batch up to 8; both inputs have the
  // same number of sentences.
  tp::NamedDimension batch("batch", 1, 4, 8);
  auto mean = tp::compile(
      [](const tp::Tensor &words, const tp::Tensor &lengths) {
        // Sizes are values that the function can compute with.
        tp::Size count = words.shape()[1];
        tp::Tensor position = tp::iota({count}, 0, tp::int32);
        tp::Tensor isWord = position < tp::unsqueeze(lengths, 1);
        tp::Tensor kept = tp::where(isWord, words, 0.0);
        return tp::sum(kept, 1) / tp::cast(lengths, tp::float32);
      },
      tp::InputInfo({batch, {1, 8, 16}}, tp::float32, "words"),
      tp::InputInfo({batch}, tp::int32, "lengths"));

  std::cout << mean(tp::iota({2, 4}, 1), tp::Tensor({4, 2})) << "\n";
  std::cout << mean(tp::iota({3, 10}, 1), tp::Tensor({1, 9, 10})) << "\n";
  try {
    mean(tp::ones({2, 4}), tp::Tensor({1, 1, 1}));
  } catch (const tp::Error &error) {
    std::cout << error.summary() << "\n";
  }
  try {
    mean(tp::ones({2, 17}), tp::Tensor({1, 1}));
  } catch (const tp::Error &error) {
    std::cout << error.summary() << "\n";
  }
}
