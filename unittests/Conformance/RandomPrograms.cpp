//===- RandomPrograms.cpp - Random programs with exact results ------------===//
//
// Chains of operations of all shapes, so that kernels of many forms come from
// fusion. Every operation is exact (integers, truth values) or correctly
// rounded (f32): whatever is fused, results are equal to the last bit.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
struct Value {
  std::string name;
  DType dtype;
  Dims dims;
  bool used = false;
};

/// Grows a program, one operation at a time. A step that does not apply to the
/// value chosen does nothing.
class RandomProgram {
public:
  RandomProgram(uint64_t seed, std::vector<std::vector<int64_t>> runs)
      : b("random_" + std::to_string(seed), seed, std::move(runs)) {}

  Case build(bool dynamic);

private:
  using Step = void (RandomProgram::*)();

  uint64_t pick(uint64_t n) { return b.random(n); }
  /// A copy: adding values moves those there are.
  Value any();
  std::string type(const Value &v) { return typeText(v.dtype, v.dims); }
  void add(const std::string &text, DType dtype, const Dims &dims);
  Dim randomDim();
  Value *partner(const Value &v);

  void unary();
  void binary();
  void compareAndSelect();
  void convert();
  void broadcast();
  void broadcastOnes();
  void transpose();
  void addOne();
  void merge();
  void slice();
  void concatenate();
  void reduce();
  void dot();
  void create();

  static constexpr int64_t maxElements = 20000;
  ProgramBuilder b;
  std::vector<Value> values;
  bool dynamic = false;
};
} // namespace

Value RandomProgram::any() {
  // Recent values more often, so that chains get long.
  size_t n = values.size(), recent = std::min<size_t>(n, 6);
  size_t i = pick(3) ? n - 1 - pick(recent) : pick(n);
  values[i].used = true;
  return values[i];
}

void RandomProgram::add(const std::string &text, DType dtype,
                        const Dims &dims) {
  values.push_back({b.op(text), dtype, dims});
}

Dim RandomProgram::randomDim() {
  static const int64_t sizes[] = {1, 2, 3, 5, 8, 13};
  if (dynamic && pick(3) == 0)
    return Dim::of(pick(2));
  return {sizes[pick(std::size(sizes))], -1};
}

/// Another value of the same type, or the same one.
Value *RandomProgram::partner(const Value &v) {
  std::vector<Value *> found;
  for (Value &other : values)
    if (other.dtype == v.dtype && other.dims == v.dims)
      found.push_back(&other);
  Value *chosen = found[pick(found.size())];
  chosen->used = true;
  return chosen;
}

//===-- element-wise ------------------------------------------------------===//

void RandomProgram::unary() {
  Value v = any();
  static const char *const floats[] = {"neg", "abs", "floor", "ceil", "sqrt"};
  static const char *const ints[] = {"neg", "abs"};
  const char *op = v.dtype == DType::Bool  ? "logical_not"
                   : v.dtype == DType::F32 ? floats[pick(5)]
                                           : ints[pick(2)];
  add("flatir." + std::string(op) + " " + v.name + " : " + type(v), v.dtype,
      v.dims);
}

void RandomProgram::binary() {
  Value v = any();
  std::string other = partner(v)->name;
  static const char *const floats[] = {"add", "sub",     "mul",
                                       "div", "maximum", "minimum"};
  static const char *const ints[] = {"add",     "sub",     "mul", "div",
                                     "maximum", "minimum", "mod", "floor_div"};
  static const char *const bools[] = {"logical_and", "logical_or", "maximum",
                                      "minimum"};
  const char *op = v.dtype == DType::Bool  ? bools[pick(4)]
                   : v.dtype == DType::F32 ? floats[pick(6)]
                                           : ints[pick(8)];
  add("flatir." + std::string(op) + " " + v.name + ", " + other + " : " +
          type(v),
      v.dtype, v.dims);
}

void RandomProgram::compareAndSelect() {
  Value v = any();
  std::string other = partner(v)->name, another = partner(v)->name;
  static const char *const directions[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::string flags = typeText(DType::Bool, v.dims);
  add("flatir.compare " + std::string(directions[pick(6)]) + " " + v.name +
          ", " + other + " : " + type(v) + " -> " + flags,
      DType::Bool, v.dims);
  values.back().used = true;
  std::string condition = values.back().name;
  add("flatir.select " + condition + ", " + another + ", " + v.name + " : " +
          flags + ", " + type(v),
      v.dtype, v.dims);
}

void RandomProgram::convert() {
  Value v = any();
  static const DType types[] = {DType::F32, DType::I32, DType::I64,
                                DType::Bool};
  DType to = types[pick(4)];
  if (to != v.dtype)
    add("flatir.convert " + v.name + " : " + type(v) + " -> " +
            typeText(to, v.dims),
        to, v.dims);
}

//===-- movement ----------------------------------------------------------===//

void RandomProgram::broadcast() {
  Value v = any();
  if (v.dims.size() >= 4)
    return;
  size_t at = pick(v.dims.size() + 1);
  Dims to = v.dims;
  to.insert(to.begin() + at, randomDim());
  if (b.largest(to) > maxElements)
    return;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < to.size(); ++i)
    if (i != at)
      dims.push_back(i);
  add("flatir.broadcast " + v.name + " dims = " + listText(dims) + " sizes(" +
          sizesText(to) + ") : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

void RandomProgram::broadcastOnes() {
  Value v = any();
  Dims to = v.dims;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < to.size(); ++i) {
    dims.push_back(i);
    if (to[i] == Dim{1, -1})
      to[i] = randomDim();
  }
  if (to == v.dims || b.largest(to) > maxElements)
    return;
  add("flatir.broadcast " + v.name + " dims = " + listText(dims) + " sizes(" +
          sizesText(to) + ") : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

void RandomProgram::transpose() {
  Value v = any();
  std::vector<int64_t> permutation;
  for (size_t i = 0; i < v.dims.size(); ++i)
    permutation.insert(permutation.begin() + pick(i + 1), i);
  Dims to;
  for (int64_t dim : permutation)
    to.push_back(v.dims[dim]);
  add("flatir.transpose " + v.name + " " + listText(permutation) + " : " +
          type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

/// A reshape that adds or drops a dimension of size 1.
void RandomProgram::addOne() {
  Value v = any();
  Dims to = v.dims;
  size_t at = pick(to.size() + 1);
  if (at < to.size() && to[at] == Dim{1, -1})
    to.erase(to.begin() + at);
  else if (to.size() < 4)
    to.insert(to.begin() + at, Dim{1, -1});
  else
    return;
  add("flatir.reshape " + v.name + " sizes(" + sizesText(to) +
          ") : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

/// A reshape that joins two static neighbours, or splits one.
void RandomProgram::merge() {
  Value v = any();
  if (v.dims.empty())
    return;
  Dims to = v.dims;
  size_t at = pick(to.size());
  if (to[at].isDynamic())
    return;
  if (at + 1 < to.size() && !to[at + 1].isDynamic()) {
    to[at].size *= to[at + 1].size;
    to.erase(to.begin() + at + 1);
  } else if (to[at].size % 2 == 0 && to.size() < 4) {
    to[at].size /= 2;
    to.insert(to.begin() + at, Dim{2, -1});
  } else {
    return;
  }
  add("flatir.reshape " + v.name + " sizes(" + sizesText(to) +
          ") : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

void RandomProgram::slice() {
  Value v = any();
  if (v.dims.empty())
    return;
  Dims to = v.dims;
  std::vector<int64_t> offsets(to.size()), strides(to.size(), 1);
  size_t at = pick(to.size());
  if (to[at].isDynamic() || to[at].size == 0)
    return;
  int64_t size = to[at].size, stride = 1 + pick(3);
  int64_t count = 1 + pick((size - 1) / stride + 1);
  int64_t slack = size - 1 - (count - 1) * stride;
  int64_t offset = pick(slack + 1);
  if (pick(3) == 0) {
    offset += (count - 1) * stride;
    stride = -stride;
  }
  offsets[at] = offset;
  strides[at] = stride;
  to[at].size = count;
  add("flatir.slice " + v.name + " " + listText(offsets) +
          " strides = " + listText(strides) + " sizes(" + sizesText(to) +
          ") : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

void RandomProgram::concatenate() {
  Value v = any();
  if (v.dims.empty())
    return;
  size_t at = pick(v.dims.size());
  if (v.dims[at].isDynamic())
    return;
  auto fits = [&](const Value &other) {
    if (other.dtype != v.dtype || other.dims.size() != v.dims.size() ||
        other.dims[at].isDynamic())
      return false;
    for (size_t i = 0; i < v.dims.size(); ++i)
      if (i != at && !(other.dims[i] == v.dims[i]))
        return false;
    return true;
  };
  std::vector<size_t> found;
  for (size_t i = 0; i < values.size(); ++i)
    if (fits(values[i]))
      found.push_back(i);
  Value &other = values[found[pick(found.size())]];
  other.used = true;
  Dims to = v.dims;
  to[at].size += other.dims[at].size;
  if (b.largest(to) > maxElements)
    return;
  add("flatir.concatenate " + v.name + ", " + other.name +
          " dim = " + std::to_string(at) + " : (" + type(v) + ", " +
          type(other) + ") -> " + typeText(v.dtype, to),
      v.dtype, to);
}

//===-- reductions, contractions, creation --------------------------------===//

void RandomProgram::reduce() {
  Value v = any();
  std::vector<int64_t> dims;
  Dims to;
  for (size_t i = 0; i < v.dims.size(); ++i)
    if (pick(2))
      dims.push_back(i);
    else
      to.push_back(v.dims[i]);
  if (dims.empty())
    return;
  static const char *const ints[] = {"sum", "prod", "max", "min"};
  static const char *const bools[] = {"and", "or"};
  // A sum of floats depends on its order.
  const char *kind = v.dtype == DType::Bool  ? bools[pick(2)]
                     : v.dtype == DType::F32 ? ints[2 + pick(2)]
                                             : ints[pick(4)];
  add("flatir.reduce " + std::string(kind) + " " + v.name + " dims = " +
          listText(dims) + " : " + type(v) + " -> " + typeText(v.dtype, to),
      v.dtype, to);
}

/// The product of a value and another of its type, transposed.
void RandomProgram::dot() {
  Value v = any();
  if ((v.dtype != DType::I32 && v.dtype != DType::I64) || v.dims.empty() ||
      v.dims.size() > 2)
    return;
  std::string other = partner(v)->name;
  size_t last = v.dims.size() - 1;
  Dims to;
  if (last == 1)
    to = {v.dims[0], v.dims[0]};
  std::string contracted = "[" + std::to_string(last) + "]";
  add("flatir.dot " + v.name + ", " + other +
          " batch = [] x [] contract = " + contracted + " x " + contracted +
          " : (" + type(v) + ", " + type(v) + ") -> " + typeText(v.dtype, to),
      v.dtype, to);
}

void RandomProgram::create() {
  Dims dims{randomDim(), randomDim()};
  DType dtype = pick(2) ? DType::I32 : DType::F32;
  bool isStatic = sizesText(dims).empty();
  if (pick(2) && isStatic)
    add("flatir.constant dense<" +
            std::string(dtype == DType::I32 ? "3" : "1.5") +
            "> : " + typeText(dtype, dims),
        dtype, dims);
  else
    add("flatir.iota dim = " + std::to_string(pick(2)) + " sizes(" +
            sizesText(dims) + ") : " + typeText(dtype, dims),
        dtype, dims);
}

Case RandomProgram::build(bool isDynamic) {
  dynamic = isDynamic;
  Dim first = dynamic ? Dim::of(0) : Dim{7, -1};
  Dim second = dynamic ? Dim::of(1) : Dim{12, -1};
  for (auto [dtype, dims] :
       {std::pair(DType::F32, Dims{first, second}),
        std::pair(DType::I32, Dims{first, second}),
        std::pair(DType::I64, Dims{second}),
        std::pair(DType::Bool, Dims{first, {1, -1}}),
        std::pair(DType::F32, Dims{{4, -1}, {1, -1}, second})})
    values.push_back({b.input(dtype, dims), dtype, dims});
  static constexpr Step steps[] = {
      &RandomProgram::unary,         &RandomProgram::binary,
      &RandomProgram::binary,        &RandomProgram::compareAndSelect,
      &RandomProgram::convert,       &RandomProgram::broadcast,
      &RandomProgram::broadcastOnes, &RandomProgram::transpose,
      &RandomProgram::addOne,        &RandomProgram::merge,
      &RandomProgram::slice,         &RandomProgram::concatenate,
      &RandomProgram::reduce,        &RandomProgram::dot,
      &RandomProgram::create};
  for (uint64_t i = 0, n = 12 + pick(36); i < n; ++i)
    (this->*steps[pick(std::size(steps))])();
  // What nothing uses is a result, and so are a few others.
  for (size_t i = 5; i < values.size(); ++i)
    if (!values[i].used || pick(8) == 0)
      b.result(values[i].name, values[i].dtype, values[i].dims);
  if (b.results() == 0)
    b.result(values[0].name, values[0].dtype, values[0].dims);
  return b.finish();
}

Case conformance::randomCase(uint64_t seed) {
  bool dynamic = seed % 2;
  std::vector<std::vector<int64_t>> runs{{}};
  if (dynamic)
    runs = {{6, 9}, {1, 1}, {3, 17}, {2, 0}};
  return RandomProgram(seed, std::move(runs)).build(dynamic);
}
