// Computes and prints a tensor.
#include <tripy/tripy.h>

#include <iostream>

#ifdef LLVM_VERSION_MAJOR
#error "a header of LLVM is included"
#endif

namespace tp = tripy;

int main() {
  auto c = tp::arange(5) + 1.5;
  std::cout << c << "\n";
  try {
    std::cout << c + tp::ones({3});
  } catch (const tp::Error &error) {
    std::cout << error.what() << "\n";
    return error.code() == tp::Code::InvalidArgument ? 0 : 1;
  }
  return 1;
}
