//===- FusionFamilies.cpp - Several contractions in one kernel ------------===//
//
// Gated units, with one weight or two, recurrent cells, and projections of one
// input. Sizes are odd, so that tiles are partial. Where functions are exact,
// inputs are whole numbers and so is the comparison.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
/// Programs of projections: rows x inner times columns x inner.
class Projections {
public:
  Projections(const std::string &family, DType dtype, Dim rows, int64_t inner,
              std::vector<std::vector<int64_t>> runs, bool exact)
      : b(family + "_" + std::string(dtypeInfo(dtype).mlir), 29,
          std::move(runs)),
        dtype(dtype), rows(rows), inner(inner), exact(exact),
        x(input({rows, {inner, -1}}, 2)) {}

  std::string type(const Dims &dims) const { return typeText(dtype, dims); }
  Dims of(int64_t columns) const { return {rows, {columns, -1}}; }

  std::string input(const Dims &dims, double largest) {
    return b.input(dtype, dims,
                   exact ? Fill{Fill::Whole, -2, 2}
                         : Fill{Fill::Uniform, -largest, largest});
  }

  /// Adds "trace.<text> : (<from>) -> <to>".
  std::string add(const std::string &text, const std::vector<Dims> &from,
                  const Dims &to) {
    std::string types;
    for (const Dims &dims : from)
      types += (types.empty() ? "" : ", ") + type(dims);
    return b.op("trace." + text + " : (" + types + ") -> " + type(to));
  }
  std::string unary(const std::string &name, const std::string &a,
                    int64_t columns) {
    return name.empty() ? a : add(name + " " + a, {of(columns)}, of(columns));
  }
  std::string binary(const std::string &name, const std::string &a,
                     const std::string &c, int64_t columns) {
    return add(name + " " + a + ", " + c, {of(columns), of(columns)},
               of(columns));
  }

  std::string linear(int64_t columns, bool bias) {
    Dims weight{{columns, -1}, {inner, -1}}, vector{{columns, -1}};
    std::string w = input(weight, 0.25);
    if (!bias)
      return add("linear " + x + ", " + w, {of(inner), weight}, of(columns));
    std::string v = input(vector, 1);
    return add("linear " + x + ", " + w + ", " + v, {of(inner), weight, vector},
               of(columns));
  }
  /// The weight has its columns last.
  std::string matmul(int64_t columns) {
    Dims weight{{inner, -1}, {columns, -1}};
    return add("matmul " + x + ", " + input(weight, 0.25), {of(inner), weight},
               of(columns));
  }
  /// Columns [number * width, (number + 1) * width) of `count` such ranges.
  std::string part(const std::string &a, int64_t number, int64_t count,
                   int64_t width) {
    return add("slice " + a + " [0, " + std::to_string(number * width) +
                   "] to [9223372036854775807, " +
                   std::to_string((number + 1) * width) + "] by [1, 1]",
               {of(count * width)}, of(width));
  }
  void result(const std::string &value, int64_t columns,
              const std::string &label) {
    b.result(value, dtype, of(columns), tolerance(), label);
  }

  ProgramBuilder b;
  DType dtype;
  Dim rows;
  int64_t inner;
  bool exact;
  std::string x;

private:
  /// The reference rounds after each operation, a kernel at its end. A product
  /// of zeros may be 0 or -0.
  Tolerance tolerance() const {
    if (exact)
      return {0, 0, 5e-324};
    return roundings(dtype);
  }
};

struct Shape {
  const char *name;
  Dim rows;
  int64_t inner, columns;
  std::vector<std::vector<int64_t>> runs;
};
} // namespace

static std::vector<Shape> shapes() {
  return {{"odd", {17, -1}, 33, 19, {{}}},
          {"one_row", {1, -1}, 40, 24, {{}}},
          {"tiles", {97, -1}, 264, 72, {{}}},
          {"dynamic", Dim::of(0), 16, 8, {{1}, {5}, {0}, {130}}}};
}

/// x[:, :n] * f(x[:, n:]), with more element-wise operations around it.
static Case gatedUnit(DType dtype, const Shape &shape,
                      const std::string &activation, const char *label,
                      bool bias) {
  bool exact = activation.empty() || activation == "relu";
  Projections p(std::string("glu_") + label + "_" + shape.name, dtype,
                shape.rows, shape.inner, shape.runs, exact);
  int64_t n = shape.columns;
  std::string both = bias ? p.linear(2 * n, true) : p.matmul(2 * n);
  std::string value = p.part(both, 0, 2, n), gate = p.part(both, 1, 2, n);
  std::string active = p.unary(activation, gate, n);
  std::string out = p.binary("mul", value, active, n);
  p.result(out, n, "gated");
  // Scaled before it is cut, and with another tensor after.
  std::string wide = p.linear(2 * n, bias);
  std::string other = p.input(p.of(2 * n), 1), more = p.input(p.of(n), 1);
  std::string sum = p.binary("add", wide, other, 2 * n);
  std::string g = p.part(sum, 0, 2, n), v = p.part(sum, 1, 2, n);
  std::string product = p.binary("mul", p.unary(activation, g, n), v, n);
  p.result(p.binary("add", product, more, n), n, "gate first, residual");
  // Separate weights.
  std::string up = p.linear(n, bias), down = p.linear(n, false);
  p.result(p.binary("mul", up, p.unary(activation, down, n), n), n,
           "two weights");
  return p.b.finish(false);
}

/// Four ranges of columns that meet: the cell of a recurrent network.
static Case cell(DType dtype, const Shape &shape) {
  Projections p(std::string("cell_") + shape.name, dtype, shape.rows,
                shape.inner, shape.runs, false);
  int64_t n = shape.columns;
  std::string gates = p.linear(4 * n, true), state = p.input(p.of(n), 1);
  auto gate = [&](int64_t number, const char *activation) {
    return p.unary(activation, p.part(gates, number, 4, n), n);
  };
  std::string kept = p.binary("mul", gate(0, "sigmoid"), state, n);
  std::string fresh = p.binary("mul", gate(1, "sigmoid"), gate(2, "tanh"), n);
  std::string next = p.binary("add", kept, fresh, n);
  std::string out =
      p.binary("mul", gate(3, "sigmoid"), p.unary("tanh", next, n), n);
  p.result(next, n, "state");
  p.result(out, n, "output");
  return p.b.finish(false);
}

/// Independent projections of one input: of one width, of several, with
/// different functions behind them.
static Case projections(DType dtype, const Shape &shape) {
  // Sums of whole numbers round in bf16.
  Projections p(std::string("projections_") + shape.name, dtype, shape.rows,
                shape.inner, shape.runs, dtype != DType::BF16);
  int64_t n = shape.columns, fewer = (n + 2) / 3;
  p.result(p.linear(n, true), n, "q");
  p.result(p.unary("relu", p.linear(n, false), n), n, "k");
  p.result(p.matmul(n), n, "v");
  p.result(p.unary("neg", p.linear(fewer, true), fewer), fewer, "narrow");
  return p.b.finish(false);
}

/// What is applied to operands on their way: scales of whole-number weights, an
/// activation of few rows.
static Case operandFunctions(DType dtype, const Shape &shape) {
  Projections p(std::string("operands_") + shape.name, dtype, shape.rows,
                shape.inner, shape.runs, false);
  int64_t n = shape.columns;
  Dims weight{{n, -1}, {shape.inner, -1}}, column{{n, -1}, {1, -1}};
  std::string w = p.b.input(DType::I32, weight, {Fill::Whole, -8, 8});
  std::string cast =
      p.b.op("trace.cast " + w + " to " + std::string(dtypeInfo(dtype).mlir) +
             " : (" + typeText(DType::I32, weight) + ") -> " + p.type(weight));
  std::string scaled = p.add("mul " + cast + ", " + p.input(column, 0.03125),
                             {weight, column}, weight);
  std::string active = p.unary("relu", p.x, shape.inner);
  p.result(p.add("linear " + p.x + ", " + scaled, {p.of(shape.inner), weight},
                 p.of(n)),
           n, "scaled weight");
  p.result(p.add("linear " + active + ", " + scaled,
                 {p.of(shape.inner), weight}, p.of(n)),
           n, "both");
  return p.b.finish(false);
}

/// Contractions large enough to be worth a copy of their operands: rows that
/// are no multiple of 16 bytes, conversions, parts.
static Case largeOperands(DType dtype) {
  int64_t inner = 257, n = 254;
  Projections p("large_operands", dtype, {259, -1}, inner, {{}}, false);
  p.result(p.linear(n, true), n, "rows of both");
  p.result(p.matmul(n), n, "columns last");
  std::string both = p.linear(2 * n, false);
  p.result(p.binary("mul", p.part(both, 0, 2, n),
                    p.unary("silu", p.part(both, 1, 2, n), n), n),
           n, "gated");
  Dims wide = {{261, -1}, {264, -1}}, weight = {{n, -1}, {264, -1}};
  Dims rows = {{259, -1}, {264, -1}};
  std::string x = p.b.input(DType::F32, wide, {Fill::Uniform, -2, 2});
  std::string w = p.input(weight, 0.25);
  std::string cast =
      p.b.op("trace.cast " + x + " to " + std::string(dtypeInfo(dtype).mlir) +
             " : (" + typeText(DType::F32, wide) + ") -> " + p.type(wide));
  std::string part =
      p.add("slice " + cast + " [1, 0] to [260, 264] by [1, 1]", {wide}, rows);
  p.result(p.add("linear " + part + ", " + w, {rows, weight}, p.of(n)), n,
           "part of a conversion");
  return p.b.finish(false);
}

std::vector<Case> conformance::fusionCases() {
  std::vector<Case> cases;
  cases.push_back(largeOperands(DType::F16));
  cases.push_back(largeOperands(DType::BF16));
  for (DType dtype : {DType::F32, DType::F16, DType::BF16})
    for (const Shape &shape : shapes()) {
      // Whole numbers stay exact in f32 alone.
      if (dtype == DType::F32) {
        cases.push_back(gatedUnit(dtype, shape, "", "bilinear", true));
        cases.push_back(gatedUnit(dtype, shape, "relu", "relu", false));
      }
      cases.push_back(projections(dtype, shape));
      cases.push_back(operandFunctions(dtype, shape));
      cases.push_back(gatedUnit(dtype, shape, "gelu", "gelu", true));
      cases.push_back(gatedUnit(dtype, shape, "silu", "silu", false));
      cases.push_back(gatedUnit(dtype, shape, "sigmoid", "sigmoid", true));
      cases.push_back(cell(dtype, shape));
    }
  return cases;
}
