// The first program: a tensor that is computed when it is printed.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

int main() {
  auto c = tp::arange(5) + 1.5; // nothing has run yet
  std::cout << c << "\n";       // compiles, runs, prints
}
