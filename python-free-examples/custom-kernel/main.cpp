// How fast points leave the Mandelbrot set: a loop of its own for each point,
// which no operation of Tripy is. On the CPU a function in C, on a GPU PTX.
#include <tripy/tripy.h>

#include <iostream>

namespace tp = tripy;

/// (rows, columns, 2) -> steps until a point has left the circle of radius 2.
static tp::Plugin declareEscape(const std::string &library,
                                const std::string &ptx) {
  constexpr int64_t any = tp::anyPluginSize;
  return tp::plugin({
      .name = "escape",
      .operands = {{tp::float32, {any, any, 2}}},
      .results = {{tp::int32, {any, any}}},
      .sources = {tp::PluginSource::cFunction(library, "escape"),
                  tp::PluginSource::ptxFile(ptx, "escape_f32", /*block=*/128,
                                            {"operand 0", "result 0",
                                             "number 0 as i32",
                                             "parameter limit"})},
      .sizes =
          [](const std::vector<tp::Shape> &operands) {
            tp::Size rows = operands[0][0], columns = operands[0][1];
            tp::Size count = rows * columns;
            return tp::PluginSizes{.results = {{rows, columns}},
                                   .grid = {(count + 127) / 128},
                                   .numbers = {count}};
          },
      .parameters = {{"limit", tp::int32}},
  });
}

/// Points of a rectangle: (rows, columns, 2).
static tp::Tensor makePoints(const tp::Tensor &y, const tp::Tensor &x) {
  tp::Shape shape = {y.shape()[0], x.shape()[0]};
  return tp::stack(
      {tp::expand(x, shape), tp::expand(tp::unsqueeze(y, 1), shape)}, 2);
}

static void print(const tp::Tensor &steps) {
  std::vector<int32_t> values = steps.toVector<int32_t>();
  int64_t columns = steps.shape()[1].value();
  for (size_t i = 0; i < values.size(); ++i)
    std::cout << " .:-=+*%#"[std::min(values[i] / 2, 8)]
              << (int64_t(i + 1) % columns ? "" : "\n");
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: custom-kernel libescape.so escape.ptx\n";
    return 1;
  }
  try {
    tp::Plugin escape = declareEscape(argv[1], argv[2]);
    tp::Tensor y = tp::arange(-1.125, 1.25, 0.125);
    tp::Tensor x = tp::arange(-2, 0.5625, 0.0625);
    print(escape({makePoints(y, x)}, {{"limit", 16}}));

    // As part of a compiled program, which is saved like any other.
    auto largest = tp::compile(
        [&](const tp::Tensor &points) {
          return tp::max(escape({points}, {{"limit", 1000}}) + 1);
        },
        tp::InputInfo({{1, 2, 64}, {1, 3, 64}, 2}, tp::float32, "points"));
    largest.save("largest.tpx");
    std::cout << largest(tp::ones({1, 1, 2})) << "\n";

    // Operands that it does not take are refused at this line.
    escape({tp::ones({2, 3})}, {{"limit", 16}});
  } catch (const tp::Error &error) {
    std::cout << error.what() << "\n";
  }
}
