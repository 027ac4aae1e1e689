//===- IndexingFamilies.cpp - Gather, pad, argmax, cumsum -----------------===//
//
// Everything here is exact: elements are moved, places are whole numbers, and
// sums are of small whole numbers.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
/// Shorthand for programs on one matrix %x of n x m elements.
class Matrix {
public:
  Matrix(const char *family, DType dtype, const Dims &dims,
         std::vector<std::vector<int64_t>> runs)
      : b(std::string(family) + "_" + std::string(dtypeInfo(dtype).mlir), 23,
          std::move(runs)),
        dtype(dtype), dims(dims),
        x(b.input(dtype, dims, {Fill::Whole, -8, 8})) {}

  std::string type() const { return typeText(dtype, dims); }
  /// Adds "trace.<text> : (<x>[, <more>]) -> <to>" as a result.
  void add(const std::string &text, DType result, const Dims &to,
           const std::string &more = "") {
    b.result(b.op("trace." + text + " : (" + type() + more + ") -> " +
                  typeText(result, to)),
             result, to, Tolerance(), text);
  }
  void gather(const std::string &index, DType indexType, const Dims &shape) {
    std::string more = ", " + typeText(indexType, shape);
    Dims rows(shape), columns{dims[0]};
    rows.push_back(dims[1]);
    columns.insert(columns.end(), shape.begin(), shape.end());
    add("gather " + x + ", " + index + " dim = 0", dtype, rows, more);
    add("gather " + x + ", " + index + " dim = 1", dtype, columns, more);
    add("embedding " + x + ", " + index, dtype, rows, more);
  }
  void arg(const std::string &name) {
    Dims rows{dims[0]}, columns{dims[1]}, kept{{1, -1}, dims[1]};
    add(name + " " + x + " dim = 1", DType::I32, rows);
    add(name + " " + x + " dim = 0", DType::I32, columns);
    add(name + " " + x + " dim = 0 keepdim", DType::I32, kept);
    add(name + " " + x, DType::I32, Dims::of({}));
  }

  ProgramBuilder b;
  DType dtype;
  Dims dims;
  std::string x;
};
} // namespace

/// Indices from both ends, and beyond them.
static Case gathers(DType dtype, const char *family, const Dims &dims,
                    const Dims &index, std::vector<std::vector<int64_t>> runs) {
  Matrix m(family, dtype, dims, std::move(runs));
  Fill around{Fill::Whole, -50, 50};
  std::string i = m.b.input(DType::I32, index, around);
  std::string j = m.b.input(DType::I64, Dims::of({}), around);
  m.gather(i, DType::I32, index);
  m.gather(j, DType::I64, Dims::of({}));
  return m.b.finish(false);
}

static Case pads(DType dtype) {
  Dims dims = Dims::of({6, 40});
  Matrix m("pad", dtype, dims, {{}});
  bool isFloat = dtypeInfo(dtype).cls == DTypeClass::Float;
  std::string value = dtype == DType::Bool ? "true"
                      : isFloat
                          ? "2.5 : " + std::string(dtypeInfo(dtype).mlir)
                          : (dtypeInfo(dtype).isUnsigned() ? "7 : " : "-7 : ") +
                                std::string(dtypeInfo(dtype).mlir);
  auto pad = [&](const char *widths, const Dims &to) {
    m.add("pad " + m.x + " " + widths + " value = " + value, dtype, to);
  };
  pad("low [1, 0] high [0, 2]", Dims::of({7, 42}));
  pad("low [0, 8] high [3, 16]", Dims::of({9, 64}));
  pad("low [0, 0] high [0, 0]", dims);
  pad("low [0, 5] high [0, 0]", Dims::of({6, 45}));
  return m.b.finish();
}

static Case places(DType dtype, const char *family, const Dims &dims,
                   std::vector<std::vector<int64_t>> runs) {
  Matrix m(family, dtype, dims, std::move(runs));
  m.arg("argmax");
  m.arg("argmin");
  return m.b.finish(false);
}

static Case sums(DType dtype, const char *family, const Dims &dims,
                 std::vector<std::vector<int64_t>> runs) {
  Matrix m(family, dtype, dims, std::move(runs));
  m.add("cumsum " + m.x + " dim = 0", dtype, dims);
  m.add("cumsum " + m.x + " dim = 1", dtype, dims);
  // With neighbours in the kernel.
  std::string type = m.type();
  std::string twice = m.b.op("trace.add " + m.x + ", " + m.x + " : (" + type +
                             ", " + type + ") -> " + type);
  std::string sum =
      m.b.op("trace.cumsum " + twice + " dim = 1 : (" + type + ") -> " + type);
  m.b.result(m.b.op("trace.neg " + sum + " : (" + type + ") -> " + type), dtype,
             dims, {0, 0, 5e-324}, "neg of cumsum of add");
  return m.b.finish(false);
}

std::vector<Case> conformance::indexingCases() {
  Dims matrix = Dims::of({5, 72}), dynamic{Dim::of(0), Dim::of(1)};
  Dims index = Dims::of({3, 7}), dynamicIndex{Dim::of(2)};
  std::vector<std::vector<int64_t>> runs = {
      {4, 9, 3}, {1, 1, 1}, {3, 300, 0}, {1, 2050, 5}};
  std::vector<Case> cases;
  for (DType dtype : storedTypes()) {
    cases.push_back(gathers(dtype, "gather", matrix, index, {{}}));
    cases.push_back(
        gathers(dtype, "dynamic_gather", dynamic, dynamicIndex, runs));
    cases.push_back(pads(dtype));
    if (dtype == DType::Bool || isFloat8(dtype) || dtype == DType::I4)
      continue;
    cases.push_back(places(dtype, "arg", matrix, {{}}));
    cases.push_back(places(dtype, "dynamic_arg", dynamic, runs));
    cases.push_back(sums(dtype, "cumsum", Dims::of({5, 24}), {{}}));
    if (dtypeSize(dtype) >= 4 || dtypeInfo(dtype).cls == DTypeClass::Int) {
      cases.push_back(sums(dtype, "wide_cumsum", Dims::of({3, 600}), {{}}));
      cases.push_back(sums(dtype, "dynamic_cumsum", dynamic,
                           {{4, 9}, {1, 1}, {0, 5}, {3, 0}, {300, 700}}));
    }
  }
  return cases;
}
