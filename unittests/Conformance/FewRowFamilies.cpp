//===- FewRowFamilies.cpp - A matrix times a few vectors ------------------===//
//
// Contractions of 1 to 8 rows, on either side, whose matrices lie either way in
// memory, at sizes around those of an access, a warp and a cluster. Without an
// epilogue, inputs are whole numbers and the comparison is exact.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
class Family {
public:
  Family(const std::string &family, DType dtype,
         std::vector<std::vector<int64_t>> runs = {{}})
      : b(family + "_" + std::string(dtypeInfo(dtype).mlir), 37,
          std::move(runs)),
        dtype(dtype) {}

  std::string type(const Dims &dims) const { return typeText(dtype, dims); }
  std::string input(const Dims &dims, Fill fill) {
    return b.input(dtype, dims, fill);
  }

  /// Rows x k times k x columns, either side stored transposed, behind `batch`
  /// dimensions.
  void product(const Dims &batch, Dim rows, Dim columns, Dim k, bool turnsA,
               bool turnsB) {
    Fill whole{Fill::Whole, -2, 2};
    Dims a(batch), c(batch), y(batch);
    a.insert(a.end(), {turnsA ? k : rows, turnsA ? rows : k});
    c.insert(c.end(), {turnsB ? columns : k, turnsB ? k : columns});
    y.insert(y.end(), {rows, columns});
    std::vector<int64_t> numbers;
    int64_t first = batch.size();
    for (int64_t i = 0; i < first; ++i)
      numbers.push_back(i);
    std::string x = input(a, whole), w = input(c, whole);
    std::string text = "flatir.dot " + x + ", " + w +
                       " batch = " + listText(numbers) + " x " +
                       listText(numbers) +
                       " contract = " + listText({first + (turnsA ? 0 : 1)}) +
                       " x " + listText({first + (turnsB ? 1 : 0)}) + " : (" +
                       type(a) + ", " + type(c) + ") -> " + type(y);
    // A sum of zeros may be 0 or -0.
    b.result(b.op(text), dtype, y, {0, 0, 5e-324}, text);
  }

  /// gelu(x w^T + bias) + residual, as trace operations.
  std::string layer(const std::string &x, int64_t rows, int64_t columns,
                    int64_t k) {
    Dims from{{rows, -1}, {k, -1}}, weight{{columns, -1}, {k, -1}},
        to{{rows, -1}, {columns, -1}}, vector{{columns, -1}};
    std::string w = input(weight, {Fill::Uniform, -0.25, 0.25});
    std::string v = input(vector, {Fill::Uniform, -1, 1});
    std::string r = input(to, {Fill::Uniform, -1, 1});
    std::string y =
        b.op("trace.linear " + x + ", " + w + ", " + v + " : (" + type(from) +
             ", " + type(weight) + ", " + type(vector) + ") -> " + type(to));
    y = b.op("trace.gelu " + y + " : (" + type(to) + ") -> " + type(to));
    return b.op("trace.add " + y + ", " + r + " : (" + type(to) + ", " +
                type(to) + ") -> " + type(to));
  }

  ProgramBuilder b;
  DType dtype;
};
} // namespace

static Dim fixed(int64_t size) { return {size, -1}; }

/// Every number of rows; columns and K below, at and above what a thread, a
/// warp and a block take. The CPU, which has none of these, computes every
/// third product.
static Case staticCase(DType dtype, bool turnsA, bool turnsB, bool onGPU) {
  std::string name = "few_rows";
  name += turnsA ? "_t" : "_n";
  name += turnsB ? "t" : "n";
  Family f(name, dtype);
  static constexpr int64_t sizes[][3] = {
      {1, 1, 1},    {1, 1000, 8},  {2, 3, 4093},  {3, 1000, 7}, {4, 37, 1},
      {5, 64, 256}, {6, 8, 4096},  {7, 264, 520}, {8, 3, 1031}, {8, 1000, 40},
      {1, 5, 9000}, {2, 2050, 24}, {5, 3, 1}};
  for (size_t i = 0; i < std::size(sizes); i += onGPU ? 1 : 3) {
    auto [rows, columns, k] = sizes[i];
    f.product({}, fixed(rows), fixed(columns), fixed(k), turnsA, turnsB);
    f.product({}, fixed(columns), fixed(rows), fixed(k), turnsA, turnsB);
  }
  f.product({fixed(3)}, fixed(1), fixed(40), fixed(64), turnsA, turnsB);
  f.product({fixed(2), fixed(3)}, fixed(4), fixed(9), fixed(17), turnsA,
            turnsB);
  return f.b.finish();
}

/// What only a run knows: columns, K, the batch.
static Case dynamicCase(DType dtype) {
  Family f("few_rows_dynamic", dtype,
           {{5, 7}, {1000, 8}, {1, 1}, {33, 1030}, {264, 0}, {0, 9}});
  Dim n = Dim::of(0), k = Dim::of(1);
  for (bool turned : {false, true}) {
    f.product({}, fixed(1), n, k, false, turned);
    f.product({}, fixed(3), n, fixed(72), false, turned);
    f.product({}, fixed(8), fixed(48), k, false, turned);
    f.product({}, n, fixed(2), fixed(24), turned, false);
    f.product({n}, fixed(2), fixed(16), k, false, turned);
  }
  return f.b.finish();
}

/// Layers whose kernels take in what follows. The second one reads the result
/// of the first, and may start before it ends.
static Case layersCase(DType dtype, int64_t rows, int64_t inner, int64_t wide) {
  Family f("few_rows_layers" + std::to_string(rows), dtype);
  Dims in{fixed(rows), fixed(inner)};
  std::string x = f.input(in, {Fill::Uniform, -1, 1});
  std::string h = f.layer(x, rows, wide, inner);
  std::string y = f.layer(h, rows, inner, wide);
  Tolerance tolerance = roundings(dtype);
  f.b.result(h, dtype, {fixed(rows), fixed(wide)}, tolerance, "first layer");
  f.b.result(y, dtype, in, tolerance, "second layer");
  return f.b.finish(/*sizes=*/false);
}

std::vector<Case> conformance::fewRowCases(bool onGPU) {
  std::vector<Case> cases;
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::I32,
                      DType::I8, DType::F64}) {
    cases.push_back(staticCase(dtype, false, true, onGPU));
    cases.push_back(staticCase(dtype, true, false, onGPU));
    if (dtypeInfo(dtype).cls == DTypeClass::Int)
      continue;
    cases.push_back(staticCase(dtype, false, false, onGPU));
    cases.push_back(staticCase(dtype, true, true, onGPU));
    cases.push_back(dynamicCase(dtype));
    cases.push_back(layersCase(dtype, 1, 256, 1024));
    cases.push_back(layersCase(dtype, 3, 127, 250));
    cases.push_back(layersCase(dtype, 8, 72, 520));
  }
  return cases;
}
