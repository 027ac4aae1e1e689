//===- StructureFamilies.cpp - Movement, reductions, contractions ---------===//
//
// Inputs of reductions are whole numbers, small enough for every order of
// summation to give the same result: comparison is exact.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

/// A sum of zeros may be 0 or -0.
static constexpr Tolerance anyZero{0, 0, 5e-324};

static std::string name(const char *family, DType dtype) {
  return std::string(family) + "_" + std::string(dtypeInfo(dtype).mlir);
}

namespace {
/// Shorthand for programs of one element type.
class Family {
public:
  Family(const char *family, DType dtype,
         std::vector<std::vector<int64_t>> runs = {{}})
      : b(name(family, dtype), 11, std::move(runs)), dtype(dtype) {}

  std::string input(const Dims &dims) {
    return b.input(dtype, dims, {Fill::Whole, -8, 8});
  }
  std::string type(const Dims &dims) const { return typeText(dtype, dims); }
  void result(const std::string &text, const Dims &dims,
              Tolerance tolerance = {}) {
    b.result(b.op(text), dtype, dims, tolerance, text);
  }

  void broadcast(const std::string &x, const Dims &from,
                 const std::vector<int64_t> &dims, const Dims &to) {
    result("flatir.broadcast " + x + " dims = " + listText(dims) + " sizes(" +
               sizesText(to) + ") : " + type(from) + " -> " + type(to),
           to);
  }
  void reshape(const std::string &x, const Dims &from, const Dims &to) {
    result("flatir.reshape " + x + " sizes(" + sizesText(to) +
               ") : " + type(from) + " -> " + type(to),
           to);
  }
  void transpose(const std::string &x, const Dims &from,
                 const std::vector<int64_t> &permutation) {
    Dims to;
    for (int64_t dim : permutation)
      to.push_back(from[dim]);
    result("flatir.transpose " + x + " " + listText(permutation) + " : " +
               type(from) + " -> " + type(to),
           to);
  }
  void slice(const std::string &x, const Dims &from, const std::string &offsets,
             const std::vector<int64_t> &strides, const Dims &to) {
    result("flatir.slice " + x + " " + offsets +
               " strides = " + listText(strides) + " sizes(" + sizesText(to) +
               ") : " + type(from) + " -> " + type(to),
           to);
  }
  void reduce(const std::string &kind, const std::string &x, const Dims &from,
              const std::vector<int64_t> &dims) {
    Dims to;
    for (size_t i = 0; i < from.size(); ++i)
      if (std::find(dims.begin(), dims.end(), int64_t(i)) == dims.end())
        to.push_back(from[i]);
    result("flatir.reduce " + kind + " " + x + " dims = " + listText(dims) +
               " : " + type(from) + " -> " + type(to),
           to, anyZero);
  }

  ProgramBuilder b;
  DType dtype;
};
} // namespace

//===-- movement ----------------------------------------------------------===//

static Case staticMovement(DType dtype) {
  Family f("movement", dtype);
  Dims a = Dims::of({3, 1, 37}), c = Dims::of({6, 19}), v = Dims::of({37}),
       s = Dims::of({});
  std::string x = f.input(a), y = f.input(c), z = f.input(v), u = f.input(s);
  f.broadcast(x, a, {0, 1, 2}, Dims::of({3, 5, 37}));
  f.broadcast(z, v, {1}, Dims::of({4, 37}));
  f.broadcast(z, v, {0}, Dims::of({37, 4}));
  f.broadcast(u, s, {}, Dims::of({7, 9}));
  f.reshape(y, c, Dims::of({2, 3, 19}));
  f.reshape(y, c, Dims::of({114}));
  f.reshape(y, c, Dims::of({19, 6}));
  f.reshape(x, a, Dims::of({37, 3, 1, 1}));
  f.transpose(y, c, {1, 0});
  f.transpose(x, a, {2, 0, 1});
  f.slice(y, c, "[1, 2]", {2, 3}, Dims::of({2, 5}));
  f.slice(y, c, "[5, 18]", {-1, -2}, Dims::of({6, 9}));
  f.slice(z, v, "[36]", {-36}, Dims::of({2}));
  f.slice(z, v, "[0]", {1}, Dims::of({0}));
  f.result("flatir.concatenate " + y + ", " + y + " dim = 0 : (" + f.type(c) +
               ", " + f.type(c) + ") -> " + f.type(Dims::of({12, 19})),
           Dims::of({12, 19}));
  Dims narrow = Dims::of({6, 4});
  std::string w = f.input(narrow);
  f.result("flatir.concatenate " + y + ", " + w + ", " + y + " dim = 1 : (" +
               f.type(c) + ", " + f.type(narrow) + ", " + f.type(c) + ") -> " +
               f.type(Dims::of({6, 42})),
           Dims::of({6, 42}));
  std::string flag = f.b.input(DType::Bool, c);
  std::string other = f.input(c);
  f.result("flatir.select " + flag + ", " + y + ", " + other + " : " +
               typeText(DType::Bool, c) + ", " + f.type(c),
           c);
  if (dtype != DType::Bool) {
    f.result("flatir.iota dim = 1 sizes() : " + f.type(Dims::of({3, 41})),
             Dims::of({3, 41}));
    f.result("flatir.iota dim = 0 sizes() : " + f.type(Dims::of({3, 41})),
             Dims::of({3, 41}));
  }
  return f.b.finish();
}

static Case dynamicMovement(DType dtype) {
  Family f("dynamic_movement", dtype,
           {{4, 9, 4}, {1, 1, 1}, {3, 17, 1}, {7, 2, 7}, {2, 0, 1}});
  // Symbol 2 is symbol 0 or 1: a broadcast that only a run decides.
  Dim n = Dim::of(0), m = Dim::of(1), maybe = Dim::of(2), five{5, -1};
  Dims a{n, m}, row{m}, column{n, {1, -1}}, third{n, five, m};
  std::string x = f.input(a), y = f.input(row), z = f.input(column),
              w = f.input(third), u = f.input({maybe, m});
  f.broadcast(y, row, {1}, {n, m});
  f.broadcast(y, row, {2}, {n, five, m});
  f.broadcast(z, column, {0, 1}, {n, m});
  f.broadcast(u, {maybe, m}, {0, 1}, {n, m});
  f.reshape(x, a, {n, {1, -1}, m});
  f.reshape(w, third, {n, m, five});
  f.transpose(x, a, {1, 0});
  f.transpose(w, third, {2, 1, 0});
  f.slice(w, third, "[0, 1, 0]", {1, 2, 1}, {n, {2, -1}, m});
  f.slice(w, third, "[0, 4, 0]", {1, -1, 1}, {n, five, m});
  std::string one = f.b.op("arith.constant 1 : index");
  std::string last = f.b.op("arith.subi %s0, " + one + " : index");
  f.slice(w, third, "[" + last + ", 0, 0]", {-1, 1, 1}, third);
  f.result("flatir.concatenate " + w + ", " + w + " dim = 1 : (" +
               f.type(third) + ", " + f.type(third) + ") -> " +
               f.type({n, {10, -1}, m}),
           {n, {10, -1}, m});
  if (dtype != DType::Bool) {
    f.result("flatir.iota dim = 0 sizes(%s0, %s1) : " + f.type(a), a);
    f.result("flatir.from_index %s1 : " + f.type({}), {});
  }
  return f.b.finish();
}

std::vector<Case> conformance::movementCases() {
  std::vector<Case> cases;
  for (DType dtype : storedTypes()) {
    cases.push_back(staticMovement(dtype));
    cases.push_back(dynamicMovement(dtype));
  }
  return cases;
}

//===-- reductions --------------------------------------------------------===//

static Case reduceCase(DType dtype, const char *family, const Dims &dims,
                       std::vector<std::vector<int64_t>> runs) {
  Family f(family, dtype, std::move(runs));
  bool isBool = dtype == DType::Bool;
  std::vector<std::string> kinds{"sum", "max", "min"};
  if (isBool)
    kinds = {"and", "or"};
  std::string x = f.input(dims);
  int64_t rank = dims.size();
  std::vector<std::vector<int64_t>> choices{{rank - 1}, {0}};
  if (rank > 1)
    choices.push_back({0, rank - 1});
  if (rank == 3)
    choices.insert(choices.end(), {{1}, {1, 2}, {0, 1}, {0, 1, 2}});
  for (const std::string &kind : kinds)
    for (const std::vector<int64_t> &choice : choices)
      f.reduce(kind, x, dims, choice);
  if (!isBool) {
    // Powers of two: exact in every order, as long as they stay in range.
    std::string p = f.b.input(dtype, dims, {Fill::Whole, 1, 2});
    std::string q = f.b.input(dtype, {{3, -1}, {7, -1}}, {Fill::Whole, -2, 2});
    f.reduce("prod", q, {{3, -1}, {7, -1}}, {1});
    f.reduce("max", p, dims, {0});
  }
  return f.b.finish();
}

std::vector<Case> conformance::reduceCases() {
  std::vector<Case> cases;
  for (DType dtype : allTypes()) {
    cases.push_back(reduceCase(dtype, "reduce", Dims::of({3, 11, 29}), {{}}));
    cases.push_back(
        reduceCase(dtype, "long_reduce", Dims::of({5, 1037}), {{}}));
    cases.push_back(reduceCase(dtype, "dynamic_reduce",
                               {Dim::of(0), {6, -1}, Dim::of(1)},
                               {{3, 40}, {1, 1}, {17, 5}, {0, 3}, {2, 0}}));
  }
  return cases;
}

//===-- contractions ------------------------------------------------------===//

static void dot(Family &f, const Dims &a, const Dims &b,
                const std::vector<int64_t> &lhsBatch,
                const std::vector<int64_t> &rhsBatch,
                const std::vector<int64_t> &lhsContract,
                const std::vector<int64_t> &rhsContract, DType to,
                const std::string &attributes = "") {
  auto has = [](const std::vector<int64_t> &list, int64_t dim) {
    return std::find(list.begin(), list.end(), dim) != list.end();
  };
  Dims result;
  for (int64_t dim : lhsBatch)
    result.push_back(a[dim]);
  for (size_t i = 0; i < a.size(); ++i)
    if (!has(lhsBatch, i) && !has(lhsContract, i))
      result.push_back(a[i]);
  for (size_t i = 0; i < b.size(); ++i)
    if (!has(rhsBatch, i) && !has(rhsContract, i))
      result.push_back(b[i]);
  std::string x = f.input(a), y = f.input(b);
  std::string text =
      "flatir.dot " + x + ", " + y + " batch = " + listText(lhsBatch) + " x " +
      listText(rhsBatch) + " contract = " + listText(lhsContract) + " x " +
      listText(rhsContract) + attributes + " : (" + f.type(a) + ", " +
      f.type(b) + ") -> " + typeText(to, result);
  f.b.result(f.b.op(text), to, result, anyZero, text);
}

static Case staticDot(DType dtype) {
  Family f("dot", dtype);
  Dims a = Dims::of({17, 33}), b = Dims::of({33, 19});
  dot(f, a, b, {}, {}, {1}, {0}, dtype);
  dot(f, Dims::of({17, 33}), Dims::of({19, 33}), {}, {}, {1}, {1}, dtype);
  dot(f, Dims::of({33, 17}), Dims::of({33, 19}), {}, {}, {0}, {0}, dtype);
  dot(f, Dims::of({64, 64}), Dims::of({64, 64}), {}, {}, {1}, {0}, dtype);
  dot(f, Dims::of({1, 129}), Dims::of({129, 70}), {}, {}, {1}, {0}, dtype);
  dot(f, Dims::of({3, 5, 7}), Dims::of({3, 7, 9}), {0}, {0}, {2}, {1}, dtype);
  dot(f, Dims::of({5, 3, 7}), Dims::of({7, 9, 3}), {1}, {2}, {2}, {0}, dtype);
  dot(f, Dims::of({4, 5, 6}), Dims::of({6, 8}), {}, {}, {2}, {0}, dtype);
  dot(f, Dims::of({31}), Dims::of({31}), {}, {}, {0}, {0}, dtype);
  dot(f, Dims::of({9}), Dims::of({11}), {}, {}, {}, {}, dtype);
  dot(f, Dims::of({3, 4, 5}), Dims::of({5, 4, 6}), {}, {}, {1, 2}, {1, 0},
      dtype);
  if (dtypeInfo(dtype).cls == DTypeClass::Float && dtype != DType::F64)
    dot(f, a, b, {}, {}, {1}, {0}, DType::F32);
  if (dtypeInfo(dtype).cls == DTypeClass::Int && dtypeSize(dtype) < 4) {
    dot(f, a, b, {}, {}, {1}, {0}, DType::I32);
    dot(f, Dims::of({1, 129}), Dims::of({70, 129}), {}, {}, {1}, {1},
        DType::I32);
    dot(f, Dims::of({9}), Dims::of({11}), {}, {}, {}, {}, DType::I32);
    dot(f, Dims::of({130, 257}), Dims::of({67, 257}), {}, {}, {1}, {1},
        DType::I32);
  }
  if (isFloat8(dtype))
    for (DType to : {DType::F16, DType::BF16}) {
      dot(f, a, b, {}, {}, {1}, {0}, to);
      dot(f, Dims::of({130, 257}), Dims::of({67, 257}), {}, {}, {1}, {1}, to);
    }
  // Small whole numbers are the same in TF32.
  if (dtype == DType::F32) {
    dot(f, a, b, {}, {}, {1}, {0}, dtype, " allow_tf32");
    dot(f, Dims::of({130, 72}), Dims::of({68, 72}), {}, {}, {1}, {1}, dtype,
        " allow_tf32");
  }
  return f.b.finish();
}

static Case dynamicDot(DType dtype) {
  Family f("dynamic_dot", dtype,
           {{4, 8, 5}, {1, 1, 1}, {0, 3, 2}, {3, 0, 2}, {33, 17, 35}});
  Dim m = Dim::of(0), k = Dim::of(1), n = Dim::of(2);
  dot(f, {m, k}, {k, n}, {}, {}, {1}, {0}, dtype);
  dot(f, {m, {12, -1}}, Dims::of({12, 9}), {}, {}, {1}, {0}, dtype);
  dot(f, {n, m, k}, {n, k, {6, -1}}, {0}, {0}, {2}, {1}, dtype);
  return f.b.finish();
}

/// Large enough for every tile of the emitters, several slices of K, and blocks
/// that share K.
static Case largeDot(DType dtype) {
  Family f("large_dot", dtype);
  dot(f, Dims::of({1409, 40}), Dims::of({1410, 40}), {}, {}, {1}, {1}, dtype);
  dot(f, Dims::of({20, 1300}), Dims::of({20, 1540}), {}, {}, {0}, {0}, dtype);
  dot(f, Dims::of({256, 136}), Dims::of({136, 384}), {}, {}, {1}, {0}, dtype);
  dot(f, Dims::of({70, 1001}), Dims::of({76, 1001}), {}, {}, {1}, {1}, dtype);
  dot(f, Dims::of({640, 9}), Dims::of({640, 128}), {}, {}, {0}, {0}, dtype);
  dot(f, Dims::of({5, 130, 65}), Dims::of({5, 65, 140}), {0}, {0}, {2}, {1},
      dtype);
  dot(f, Dims::of({3, 9, 20, 7}), Dims::of({9, 48, 7}), {}, {}, {1, 3}, {0, 2},
      dtype);
  return f.b.finish();
}

std::vector<Case> conformance::dotCases() {
  std::vector<Case> cases;
  for (DType dtype :
       {DType::F32, DType::I64, DType::F16, DType::I8, DType::F64})
    cases.push_back(largeDot(dtype));
  for (DType dtype : storedTypes())
    if (dtype != DType::Bool && dtype != DType::I4) {
      cases.push_back(staticDot(dtype));
      cases.push_back(dynamicDot(dtype));
    }
  return cases;
}
