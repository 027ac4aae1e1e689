//===- ProgramBuilder.h - Programs and inputs for conformance ---*- C++ -*-===//
//
// Writes the text of a program, and makes inputs for it. Dimensions are
// numbers, or symbols that are dynamic in the program and get several values.
// For the conformance tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_CONFORMANCE_PROGRAMBUILDER_H
#define TRIPY_UNITTESTS_CONFORMANCE_PROGRAMBUILDER_H

#include "Compare.h"

#include "tripy/Reference/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tripy::conformance {

using reference::Tensor;

/// A size: a number, or the number of a symbol.
struct Dim {
  int64_t size = 0;
  int symbol = -1;

  static Dim of(int symbol) { return {0, symbol}; }
  bool isDynamic() const { return symbol >= 0; }
  friend bool operator==(const Dim &, const Dim &) = default;
};

struct Dims : std::vector<Dim> {
  using std::vector<Dim>::vector;
  /// All static.
  static Dims of(std::initializer_list<int64_t> sizes);
};

/// How an input is filled. Floats of 16 bits round.
struct Fill {
  enum Kind {
    /// Uniform in [low, high]; integers: half of them any value.
    Uniform,
    /// Whole numbers in [low, high], for every type.
    Whole,
    /// Element i is the special value number i / k, or i % k, of k: two inputs
    /// together have all pairs.
    EdgeRow,
    EdgeColumn,
  };
  Kind kind = Uniform;
  double low = -4, high = 4;
};

/// How many special values a type has.
int64_t edgeCount(DType dtype);

/// A generated test: a program, inputs for some runs, and what its results
/// are compared by.
struct Case {
  std::string name, text;
  std::vector<std::vector<Tensor>> runs;
  std::vector<Tolerance> tolerances;
  std::vector<std::string> labels;
};

/// "tensor<?x3xf32>".
std::string typeText(DType dtype, const Dims &dims);
/// "%s0, %s2": the size operands of a type.
std::string sizesText(const Dims &dims);
std::string listText(const std::vector<int64_t> &list);

class ProgramBuilder {
public:
  /// The symbols take the values of `symbolRuns[i]` in run i; one run when
  /// there are none.
  explicit ProgramBuilder(std::string name, uint64_t seed = 1,
                          std::vector<std::vector<int64_t>> symbolRuns = {{}});

  /// Adds an argument; returns its name.
  std::string input(DType dtype, const Dims &dims, Fill fill = {});
  /// Adds "%n = <text>", or "%n:2 = <text>" for 2 results; returns "%n".
  std::string op(const std::string &text, int results = 1);
  void result(const std::string &value, DType dtype, const Dims &dims,
              Tolerance tolerance = {}, const std::string &label = "");
  /// `sizes`: the program uses the symbols' values, as %s0, %s1, ...
  Case finish(bool sizes = true);

  /// Uniform in [0, n).
  uint64_t random(uint64_t n);
  size_t results() const { return outputs.size(); }
  int64_t largest(const Dims &dims) const;

private:
  struct Argument {
    std::string name;
    DType dtype;
    Dims dims;
    Fill fill;
  };
  struct Output {
    std::string value, type;
  };

  std::string argumentText(const Argument &argument) const;
  Tensor fill(const Argument &argument, const std::vector<int64_t> &symbols);
  double draw(DType dtype, const Fill &fill);

  Case out;
  uint64_t state;
  std::vector<std::vector<int64_t>> symbolRuns;
  std::vector<Argument> arguments;
  std::vector<Output> outputs;
  std::string body;
  int next = 0;
};

} // namespace tripy::conformance

#endif // TRIPY_UNITTESTS_CONFORMANCE_PROGRAMBUILDER_H
