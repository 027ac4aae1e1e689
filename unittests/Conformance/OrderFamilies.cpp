//===- OrderFamilies.cpp - Sorts, selections, random numbers --------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
/// Sorts and selections of one tensor %x, whose elements are few values, so
/// that many are equal, or special values.
class Ordering {
public:
  Ordering(const char *family, DType dtype, const Dims &dims, Fill fill,
           std::vector<std::vector<int64_t>> runs)
      : b(std::string(family) + "_" + std::string(dtypeInfo(dtype).mlir), 31,
          std::move(runs)),
        dtype(dtype), dims(dims), x(b.input(dtype, dims, fill)) {}

  void sort(int64_t dim, bool descending) {
    add("sort",
        "dim = " + std::to_string(dim) + (descending ? " descending" : ""),
        dims);
  }
  void topk(int64_t k, size_t dim, bool smallest) {
    Dims to = dims;
    to[dim] = {k, -1};
    add("topk",
        "k = " + std::to_string(k) + " dim = " + std::to_string(dim) +
            (smallest ? " smallest" : ""),
        to);
  }

  ProgramBuilder b;

private:
  /// Values and indices of "trace.<name> %x <words>".
  void add(const std::string &name, const std::string &words, const Dims &to) {
    std::string value = typeText(dtype, to), index = typeText(DType::I32, to);
    std::string both =
        b.op("trace." + name + " " + x + " " + words + " : (" +
                 typeText(dtype, dims) + ") -> (" + value + ", " + index + ")",
             /*results=*/2);
    b.result(both + "#0", dtype, to, {}, name + " " + words);
    b.result(both + "#1", DType::I32, to, {}, name + " " + words);
  }

  DType dtype;
  Dims dims;
  std::string x;
};
} // namespace

static constexpr Fill few{Fill::Whole, -3, 3}, edges{Fill::EdgeRow},
    any{Fill::Uniform, -4, 4};

/// Both directions, along both dimensions of a matrix; `onlyRows`: along the
/// last one alone.
static Case sorts(const char *family, DType dtype, const Dims &dims, Fill fill,
                  std::vector<std::vector<int64_t>> runs,
                  bool onlyRows = false) {
  Ordering o(family, dtype, dims, fill, std::move(runs));
  o.sort(1, false);
  o.sort(-1, true);
  if (!onlyRows)
    o.sort(0, false);
  return o.b.finish(/*withSizes=*/false);
}

static Case selections(const char *family, DType dtype, const Dims &dims,
                       std::vector<int64_t> counts, Fill fill,
                       std::vector<std::vector<int64_t>> runs) {
  Ordering o(family, dtype, dims, fill, std::move(runs));
  for (int64_t k : counts) {
    o.topk(k, 1, false);
    o.topk(k, 1, true);
  }
  return o.b.finish(/*withSizes=*/false);
}

/// Rows that shared memory holds, and longer ones.
static void addLong(DType dtype, std::vector<Case> &cases) {
  Dims dynamic{Dim::of(0), Dim::of(1)};
  std::vector<std::vector<int64_t>> runs = {{2, 9000}, {1, 4097}, {3, 1}};
  cases.push_back(
      sorts("sort_long", dtype, Dims::of({2, 5001}), any, {{}}, true));
  cases.push_back(sorts("sort_run", dtype, dynamic, few, runs, true));
  cases.push_back(selections("topk_long", dtype, Dims::of({3, 6008}),
                             {1, 50, 2048}, any, {{}}));
  cases.push_back(selections("topk_ties", dtype, Dims::of({2, 4999}),
                             {1, 777, 3000}, few, {{}}));
}

static Case numbers(const char *family, DType dtype, const Dims &dims,
                    std::vector<std::vector<int64_t>> runs) {
  ProgramBuilder b(std::string(family) + "_" +
                       std::string(dtypeInfo(dtype).mlir),
                   37, std::move(runs));
  Fill fill{Fill::Uniform, -1000, 1000};
  std::string seed = b.input(DType::I64, Dims::of({}), fill);
  std::string pair = b.input(DType::I64, Dims::of({2}), fill);
  if (dims.front().isDynamic())
    b.input(DType::I8, dims); // Has the sizes.
  std::string sizes = "[";
  for (const Dim &dim : dims)
    sizes += (sizes.size() > 1 ? ", " : "") +
             (dim.isDynamic() ? "%s" + std::to_string(dim.symbol)
                              : std::to_string(dim.size));
  sizes += "]";
  auto add = [&](const std::string &name, const std::string &from,
                 const std::string &words, DType result, Tolerance tolerance) {
    std::string type = from == seed ? "tensor<i64>" : "tensor<2xi64>";
    b.result(b.op("trace." + name + " " + from + " " + sizes + " " + words +
                  " : (" + type + ") -> " + typeText(result, dims)),
             result, dims, tolerance, name + " of " + type);
  };
  std::string word = "dtype = " + std::string(dtypeInfo(dtype).mlir);
  // Angles near a zero of the cosine are rounded.
  double absolute = dtype == DType::F64 ? 1e-14 : 4e-6;
  for (const std::string &from : {seed, pair}) {
    add("random_uniform", from, word, dtype, {});
    add("random_normal", from, word, dtype, {4, 0, absolute});
    add("random_bernoulli", from, "p = 0.3", DType::Bool, {});
  }
  return b.finish();
}

std::vector<Case> conformance::orderCases() {
  std::vector<Case> cases;
  Dims dynamic{Dim::of(0), Dim::of(1)};
  for (DType dtype : storedTypes()) {
    cases.push_back(sorts("sort_edges", dtype, Dims::of({3, 70}), edges, {{}}));
    cases.push_back(sorts("sort", dtype, Dims::of({5, 37}), few, {{}}));
    cases.push_back(sorts("sort_dynamic", dtype, dynamic, few,
                          {{4, 9}, {1, 1}, {0, 5}, {3, 0}, {33, 129}}));
    cases.push_back(selections("topk", dtype, Dims::of({6, 65}), {0, 1, 7, 65},
                               edges, {{}}));
    cases.push_back(selections("topk_dynamic", dtype, dynamic, {1, 5}, few,
                               {{4, 9}, {0, 5}, {1, 300}}));
    addLong(dtype, cases);
  }
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
    cases.push_back(numbers("random", dtype, Dims::of({7, 41}), {{}}));
    cases.push_back(numbers("random_dynamic", dtype, dynamic,
                            {{3, 5}, {1, 1}, {0, 2}, {17, 129}}));
  }
  return cases;
}
