//===- ProgramBuilder.cpp - Programs and inputs for conformance -----------===//

#include "ProgramBuilder.h"

#include "tripy/Base/Float.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tripy;
using namespace tripy::conformance;

Dims Dims::of(std::initializer_list<int64_t> sizes) {
  Dims dims;
  for (int64_t size : sizes)
    dims.push_back({size, -1});
  return dims;
}

//===-- special values ----------------------------------------------------===//

static const double floatEdges[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.0,
                                    -3.0,
                                    2.5,
                                    -2.5,
                                    0.1f,
                                    -0.1f,
                                    7.0,
                                    30.0,
                                    -30.0,
                                    100,
                                    -100,
                                    65504,
                                    -65504,
                                    6.1e-05f,
                                    -1e-7f,
                                    1e-20f,
                                    1e-40f,
                                    -1e-45f,
                                    3.3895313892515355e+38,
                                    -3.3895313892515355e+38,
                                    INFINITY,
                                    -INFINITY,
                                    NAN};

static const int64_t intEdges[] = {0,     1,      -1,    2,       -2,   3,
                                   -3,    7,      -7,    100,     -100, 255,
                                   65536, -65536, 46341, 16777217};

int64_t conformance::edgeCount(DType dtype) {
  switch (dtypeInfo(dtype).cls) {
  case DTypeClass::Float:
    return std::size(floatEdges);
  case DTypeClass::Int:
    return std::size(intEdges) + 4;
  case DTypeClass::Bool:
    return 2;
  }
  return 0;
}

static int64_t lowest(DType dtype) {
  return dtype == DType::I32 ? std::numeric_limits<int32_t>::min()
                             : std::numeric_limits<int64_t>::min();
}

/// The type's own limits follow the shared values.
static int64_t intEdge(DType dtype, int64_t index) {
  int64_t low = lowest(dtype), high = -(low + 1);
  int64_t limits[] = {low, high, low + 1, high - 1};
  int64_t shared = std::size(intEdges);
  return index < shared ? intEdges[index] : limits[index - shared];
}

//===-- text --------------------------------------------------------------===//

std::string conformance::typeText(DType dtype, const Dims &dims) {
  std::string text = "tensor<";
  for (const Dim &dim : dims)
    text += (dim.isDynamic() ? "?" : std::to_string(dim.size)) + "x";
  return text + std::string(dtypeInfo(dtype).mlir) + ">";
}

std::string conformance::sizesText(const Dims &dims) {
  std::string text;
  for (const Dim &dim : dims)
    if (dim.isDynamic())
      text += (text.empty() ? "%s" : ", %s") + std::to_string(dim.symbol);
  return text;
}

std::string conformance::listText(const std::vector<int64_t> &list) {
  std::string text;
  for (int64_t value : list)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

//===-- building ----------------------------------------------------------===//

ProgramBuilder::ProgramBuilder(std::string name, uint64_t seed,
                               std::vector<std::vector<int64_t>> runs)
    : state(seed * 0x9e3779b97f4a7c15 + 1), symbolRuns(std::move(runs)) {
  out.name = std::move(name);
}

uint64_t ProgramBuilder::random(uint64_t n) {
  // splitmix64: the same numbers on every machine.
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return n ? (z ^ (z >> 31)) % n : (z ^ (z >> 31));
}

int64_t ProgramBuilder::largest(const Dims &dims) const {
  int64_t volume = 1;
  for (const Dim &dim : dims) {
    int64_t size = dim.size;
    for (const std::vector<int64_t> &run : symbolRuns)
      if (dim.isDynamic())
        size = std::max(size, run[dim.symbol]);
    volume *= size;
  }
  return volume;
}

std::string ProgramBuilder::input(DType dtype, const Dims &dims, Fill fill) {
  std::string name = "%x" + std::to_string(arguments.size());
  arguments.push_back({name, dtype, dims, fill});
  return name;
}

std::string ProgramBuilder::op(const std::string &text, int results) {
  std::string name = "%" + std::to_string(next++);
  std::string count = results == 1 ? "" : ":" + std::to_string(results);
  body += "  " + name + count + " = " + text + "\n";
  return name;
}

void ProgramBuilder::result(const std::string &value, DType dtype,
                            const Dims &dims, Tolerance tolerance,
                            const std::string &label) {
  outputs.push_back({value, typeText(dtype, dims)});
  out.tolerances.push_back(tolerance);
  out.labels.push_back(label.empty() ? value : label);
}

std::string ProgramBuilder::argumentText(const Argument &argument) const {
  std::string text =
      argument.name + ": " + typeText(argument.dtype, argument.dims);
  std::string least, usual, maximum, names;
  bool dynamic = false;
  for (const Dim &dim : argument.dims) {
    int64_t low = dim.size, mid = dim.size, high = dim.size;
    dynamic |= dim.isDynamic();
    if (dim.isDynamic()) {
      low = high = mid = symbolRuns.front()[dim.symbol];
      for (const std::vector<int64_t> &run : symbolRuns) {
        low = std::min(low, run[dim.symbol]);
        high = std::max(high, run[dim.symbol]);
      }
    }
    const char *comma = names.empty() ? "" : ", ";
    least += comma + std::to_string(low);
    usual += comma + std::to_string(mid);
    maximum += comma + std::to_string(high);
    names +=
        comma + (dim.isDynamic() ? "\"s" + std::to_string(dim.symbol) + "\""
                                 : std::string("\"\""));
  }
  if (!dynamic)
    return text;
  return text + " {tripy.profile = #tripy.profile<min = [" + least +
         "], opt = [" + usual + "], max = [" + maximum + "]>, tripy.dims = [" +
         names + "]}";
}

Case ProgramBuilder::finish(bool withSizes) {
  std::string head = "func.func @main(", sizes;
  std::vector<bool> known(symbolRuns.front().size());
  for (const Argument &argument : arguments) {
    head += (&argument == &arguments.front() ? "" : ",\n    ") +
            argumentText(argument);
    for (size_t i = 0; i < argument.dims.size(); ++i) {
      Dim dim = argument.dims[i];
      if (!withSizes || !dim.isDynamic() || known[dim.symbol])
        continue;
      known[dim.symbol] = true;
      sizes += "  %s" + std::to_string(dim.symbol) + " = flatir.dim " +
               argument.name + ", " + std::to_string(i) + " : " +
               typeText(argument.dtype, argument.dims) + "\n";
    }
  }
  std::string types, values;
  for (const Output &output : outputs) {
    types += (types.empty() ? "" : ", ") + output.type;
    values += (values.empty() ? "" : ", ") + output.value;
  }
  out.text = head + ") -> (" + types + ") {\n" + sizes + body +
             "  func.return " + values + " : " + types + "\n}\n";
  for (const std::vector<int64_t> &symbols : symbolRuns) {
    std::vector<Tensor> tensors;
    for (const Argument &argument : arguments)
      tensors.push_back(fill(argument, symbols));
    out.runs.push_back(std::move(tensors));
  }
  return std::move(out);
}

//===-- inputs ------------------------------------------------------------===//

double ProgramBuilder::draw(DType dtype, const Fill &fill) {
  if (dtype == DType::Bool)
    return random(2);
  if (fill.kind == Fill::Whole || dtypeInfo(dtype).cls == DTypeClass::Int)
    return std::floor(fill.low) +
           double(random(uint64_t(fill.high - fill.low) + 1));
  double unit = double(random(uint64_t(1) << 53)) / double(uint64_t(1) << 53);
  return fill.low + (fill.high - fill.low) * unit;
}

Tensor ProgramBuilder::fill(const Argument &argument,
                            const std::vector<int64_t> &symbols) {
  llvm::SmallVector<int64_t> shape;
  for (const Dim &dim : argument.dims)
    shape.push_back(dim.isDynamic() ? symbols[dim.symbol] : dim.size);
  Tensor tensor = *Tensor::create(argument.dtype, shape);
  // The evaluator has a byte for each i4.
  bool isI4 = argument.dtype == DType::I4;
  DType stored = isI4 ? DType::I8 : argument.dtype;
  bool isInt = dtypeInfo(argument.dtype).cls == DTypeClass::Int;
  auto storeInt = [&](int64_t i, int64_t value) {
    // Little endian: the low bytes come first.
    size_t size = dtypeSize(argument.dtype);
    if (isI4)
      value = unpackI4(uint8_t(value), 0);
    std::memcpy(static_cast<char *>(tensor.mutableData()) + i * size, &value,
                size);
  };
  const Fill &how = argument.fill;
  int64_t edges = edgeCount(argument.dtype);
  for (int64_t i = 0, n = tensor.elements(); i < n; ++i) {
    bool edge = how.kind == Fill::EdgeRow || how.kind == Fill::EdgeColumn;
    int64_t number = (how.kind == Fill::EdgeRow ? i / edges : i) % edges;
    if (edge && isInt)
      storeInt(i, intEdge(argument.dtype, number));
    else if (edge && argument.dtype != DType::Bool)
      storeFromDouble(argument.dtype, tensor.mutableData(), i,
                      floatEdges[number]);
    else if (edge)
      storeInt(i, number);
    else if (isInt && how.kind == Fill::Uniform && random(2))
      storeInt(i, static_cast<int64_t>(random(0)));
    else if (isI4)
      storeInt(i, std::clamp<int64_t>(
                      static_cast<int64_t>(draw(argument.dtype, how)), -8, 7));
    else
      storeFromDouble(stored, tensor.mutableData(), i,
                      draw(argument.dtype, how));
  }
  return tensor;
}
