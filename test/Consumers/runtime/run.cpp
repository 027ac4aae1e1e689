// Prints the inputs of the executable that is named.
#include <cstdio>
#include <tripy/runtime.h>

int main(int, char **argv) {
  tripy_load_options options = tripy_load_options_default();
  options.inspect_only = 1;
  tripy_executable *executable = nullptr;
  size_t inputs = 0;
  if (tripy_executable_load(argv[1], &options, &executable) ||
      tripy_executable_input_count(executable, &inputs)) {
    std::fprintf(stderr, "%s\n", tripy_last_error());
    return 1;
  }
  for (size_t i = 0; i < inputs; ++i) {
    tripy_tensor_info info;
    if (tripy_executable_input(executable, i, &info))
      return 1;
    std::printf("%s has %d dimensions\n", info.name, info.ndim);
  }
  tripy_executable_free(executable);
  return 0;
}
