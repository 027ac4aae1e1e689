// What is computed when: a tensor is a plan until its value is needed.
#include <tripy/tripy.h>

#include <chrono>
#include <iostream>

namespace tp = tripy;

template <typename F> static void timed(const char *what, F work) {
  auto start = std::chrono::steady_clock::now();
  work();
  std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - start;
  std::cout << what << ": " << taken.count() << " ms\n";
}

int main() {
  tp::Tensor x, y, z;
  timed("making a graph", [&] {
    x = tp::ones({256, 256});
    y = tp::sum(tp::matmul(x, x) * 2.0);
  });
  timed("its value", [&] { y.eval(); }); // compiles one program, and runs it
  timed("its value again", [&] { y.eval(); }); // is there
  z = tp::sum(tp::matmul(x, x) * 3.0);
  timed("a graph of the same structure", [&] { z.eval(); }); // runs it
  std::cout << y << "\n" << z << "\n";
}
