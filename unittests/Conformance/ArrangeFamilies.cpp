//===- ArrangeFamilies.cpp - Turned, repeated and changed tensors ---------===//
//
// All of it moves elements, and is exact.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
/// Programs on one tensor %x.
class Arrangement {
public:
  Arrangement(const char *family, DType dtype, const Dims &dims,
              std::vector<std::vector<int64_t>> runs)
      : b(std::string(family) + "_" + std::string(dtypeInfo(dtype).mlir), 29,
          std::move(runs)),
        dtype(dtype), dims(dims),
        x(b.input(dtype, dims, {Fill::Whole, -8, 8})) {}

  /// Adds "trace.<name> %x<rest> : (<x><more>) -> <to>" as a result.
  void add(const std::string &name, const std::string &rest, const Dims &to,
           const std::string &more = "") {
    b.result(b.op("trace." + name + " " + x + rest + " : (" +
                  typeText(dtype, dims) + more + ") -> " + typeText(dtype, to)),
             dtype, to, {}, name + rest);
  }

  ProgramBuilder b;
  DType dtype;
  Dims dims;
  std::string x;
};
} // namespace

/// Of a matrix whose rows are `rows`, and of 6 columns.
static Case arranged(const char *family, DType dtype, Dim rows,
                     std::vector<std::vector<int64_t>> runs) {
  Dim columns{6, -1};
  Arrangement a(family, dtype, {rows, columns}, std::move(runs));
  Dims same = a.dims, wide{rows, {12, -1}}, padded{rows, {13, -1}};
  a.add("flip", " dims = [0, 1]", same);
  a.add("roll", " by [5, -2] dims = [0, 1]", same);
  a.add("tile", " by [1, 2]", wide);
  a.add("repeat", " by [1, 2]", wide);
  a.add("tril", " diagonal = 1", same);
  a.add("triu", " diagonal = -1", same);
  for (const char *mode : {"edge", "reflect", "wrap"})
    a.add("pad", " low [0, 3] high [0, 4] mode = \"" + std::string(mode) + "\"",
          padded);
  return a.b.finish(/*withSizes=*/false);
}

/// Slices that are replaced: inside, across the ends and beyond.
static Case changed(const char *family, DType dtype, Dim rows, Dim count,
                    std::vector<std::vector<int64_t>> runs) {
  Dim columns{5, -1};
  Arrangement a(family, dtype, {rows, columns}, std::move(runs));
  Dims update{count, columns}, index{count};
  Fill around{Fill::Whole, -12, 12};
  std::string u = a.b.input(dtype, update, {Fill::Whole, -8, 8});
  std::string i = a.b.input(DType::I32, index, around);
  std::string s = a.b.input(DType::I64, Dims::of({}), around);
  a.add("scatter", ", " + i + ", " + u + " dim = 0", a.dims,
        ", " + typeText(DType::I32, index) + ", " + typeText(dtype, update));
  a.add("update_slice", ", " + u + ", " + s + " dim = 0", a.dims,
        ", " + typeText(dtype, update) + ", tensor<i64>");
  return a.b.finish(/*withSizes=*/false);
}

std::vector<Case> conformance::arrangeCases() {
  std::vector<Case> cases;
  for (DType dtype : storedTypes()) {
    cases.push_back(arranged("arrange", dtype, {7, -1}, {{}}));
    cases.push_back(
        arranged("arrange_dynamic", dtype, Dim::of(0), {{4}, {0}, {1}, {33}}));
    cases.push_back(changed("change", dtype, {9, -1}, {4, -1}, {{}}));
    cases.push_back(changed("change_dynamic", dtype, Dim::of(0), Dim::of(1),
                            {{8, 3}, {0, 2}, {5, 0}, {1, 1}, {40, 70}}));
  }
  return cases;
}
