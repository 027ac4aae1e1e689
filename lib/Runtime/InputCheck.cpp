//===- InputCheck.cpp - What a user may pass to a program -----------------===//

#include "InputCheck.h"
#include "tripy/Base/SizeMath.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/Report.h"

#include <cstring>
#include <optional>

using namespace tripy;
using namespace tripy::runtime;

/// Puts lines after the sentence that they belong to.
static Status withLines(Status status, std::string lines) {
  if (lines.empty())
    return status;
  lines.pop_back();
  return Status(status.code(), concat(status.message(), "\n", lines));
}

/// Puts the lines that required a rule after the sentence that says it.
static Status withWhy(Status status, const Program &program, TableIndex why,
                      bool showSource) {
  return withLines(std::move(status), formatWhy(program, why, showSource));
}

static std::string typeName(DType dtype) {
  const DTypeInfo *info = findDTypeInfo(dtype);
  return info ? std::string(info->name)
              : concat("unknown (", unsigned(dtype), ")");
}

/// Name of a dimension for messages: "dimension 0" or "dimension 0 ('batch')".
static std::string dimName(const Program &program, TableIndex expr,
                           size_t dim) {
  std::string text = concat("dimension ", dim);
  if (program.exprs[expr].op == SizeOp::Symbol) {
    const std::string &name = program.symbols[program.exprs[expr].a].name;
    if (!name.empty())
      text += concat(" ('", name, "')");
  }
  return text;
}

/// Which dimension of an input an expression is: "dimension 0", or nothing
/// where it is the input's value.
static std::string partName(const Program &program,
                            const InputDescription &input, size_t dim) {
  return input.kind == InputKind::Size
             ? std::string()
             : concat(" ", dimName(program, input.dims[dim], dim));
}

static Status badDim(const Program &program, const InputDescription &input,
                     size_t dim, int64_t found) {
  const SizeExpr &expr = program.exprs[input.dims[dim]];
  std::string allowed;
  if (expr.op == SizeOp::Symbol) {
    const SizeSymbol &symbol = program.symbols[expr.a];
    allowed = symbol.min == symbol.max ? std::to_string(symbol.min)
                                       : concat(symbol.min, " to ", symbol.max);
  } else {
    allowed = std::to_string(expr.value);
  }
  return Status(Code::ShapeOutOfRange,
                concat("input '", input.name, "'",
                       partName(program, input, dim), " must be ", allowed,
                       ", but is ", found));
}

/// Reads the value of an input that is a size; without data, when its type
/// alone is asked about, there is none.
static Status readSize(const InputDescription &input, const TensorView &tensor,
                       bool needed, std::optional<int64_t> &value) {
  if (tensor.device != DeviceKind::CPU)
    return Status(Code::DeviceMismatch,
                  concat("input '", input.name,
                         "' is a size, whose value must be in host memory, "
                         "but is on GPU ",
                         tensor.ordinal));
  if (!tensor.data && needed)
    return Status(Code::InvalidArgument,
                  concat("input '", input.name, "' has elements, but no data"));
  if (tensor.data) {
    value.emplace();
    std::memcpy(&*value, tensor.data, sizeof(int64_t));
  }
  return Status::ok();
}

/// One size of an input, which becomes the value of its symbol.
static Status checkSize(const Program &program, const InputDescription &input,
                        size_t dim, int64_t size, std::span<int64_t> symbols,
                        bool showSource) {
  const SizeExpr &expr = program.exprs[input.dims[dim]];
  bool good = size == expr.value;
  if (expr.op == SizeOp::Symbol) {
    const SizeSymbol &symbol = program.symbols[expr.a];
    good = symbol.min <= size && size <= symbol.max;
    if (!symbols.empty())
      symbols[expr.a] = size;
  }
  return good ? Status::ok()
              : withWhy(badDim(program, input, dim, size), program, input.why,
                        showSource);
}

Status runtime::checkInput(const Program &program, TableIndex index,
                           const TensorView &tensor, std::span<int64_t> symbols,
                           bool showSource) {
  const InputDescription &input = program.inputs[index];
  if (tensor.dtype != input.dtype)
    return withWhy(
        Status(Code::DTypeMismatch,
               concat("input '", input.name, "' must have element type ",
                      typeName(input.dtype), ", but has ",
                      typeName(tensor.dtype))),
        program, input.why, showSource);
  if (tensor.shape.rank() != input.rank())
    return withWhy(
        Status(Code::ShapeOutOfRange,
               concat("input '", input.name, "' must have rank ", input.rank(),
                      " with sizes ",
                      formatDims(program,
                                 std::span(input.dims).first(input.rank())),
                      ", but has rank ", tensor.shape.rank(), " with sizes ",
                      tensor.shape.str())),
        program, input.why, showSource);
  if (input.kind == InputKind::Size) {
    std::optional<int64_t> value;
    if (Status status = readSize(input, tensor, !symbols.empty(), value);
        !status.isOk())
      return withWhy(std::move(status), program, input.why, showSource);
    return value ? checkSize(program, input, 0, *value, symbols, showSource)
                 : Status::ok();
  }
  for (uint32_t dim = 0; dim < tensor.shape.rank(); ++dim)
    if (Status status = checkSize(program, input, dim, tensor.shape[dim],
                                  symbols, showSource);
        !status.isOk())
      return status;
  return Status::ok();
}

static std::string symbolPlace(const Program &program,
                               const SizeSymbol &symbol) {
  const InputDescription &input = program.inputs[symbol.input];
  return input.kind == InputKind::Size
             ? concat("input '", input.name, "'")
             : concat("input '", input.name, "' dimension ", symbol.dim);
}

Status runtime::checkNamedDims(const Program &program,
                               std::span<const TableIndex> sameAs,
                               std::span<const int64_t> symbols,
                               bool showSource) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] == symbols[sameAs[i]])
      continue;
    const SizeSymbol &symbol = program.symbols[i];
    const SizeSymbol &other = program.symbols[sameAs[i]];
    std::string lines =
        formatWhy(program, program.inputs[other.input].why, showSource);
    if (symbol.input != other.input)
      lines += formatWhy(program, program.inputs[symbol.input].why, showSource);
    return withLines(
        Status(Code::ShapeOutOfRange,
               concat("dimension '", symbol.name,
                      "' must have one size everywhere, but is ",
                      symbols[sameAs[i]], " in ", symbolPlace(program, other),
                      " and ", symbols[i], " in ",
                      symbolPlace(program, symbol))),
        std::move(lines));
  }
  return Status::ok();
}

/// "3 (input 'x' dimension 0)", or the number alone where it is computed.
static std::string foundSize(const Program &program, TableIndex expr,
                             int64_t size) {
  const SizeExpr &found = program.exprs[expr];
  return found.op != SizeOp::Symbol
             ? std::to_string(size)
             : concat(size, " (",
                      symbolPlace(program, program.symbols[found.a]), ")");
}

/// "the sizes are 2 (input 'x' dimension 0) and 3"; of a limit, "7 is greater
/// than 5".
static std::string foundSizes(const Program &program, const SizeCheck &check,
                              std::span<const int64_t> sizes) {
  std::string a = foundSize(program, check.a, sizes[check.a]);
  std::string b = foundSize(program, check.b, sizes[check.b]);
  if (check.kind != CheckKind::LessEqual)
    return concat("the sizes are ", a, " and ", b);
  return program.exprs[check.a].op == SizeOp::Constant
             ? concat(b, " is less than ", a)
             : concat(a, " is greater than ", b);
}

Status runtime::checkSizes(const Program &program,
                           std::span<const int64_t> sizes, bool showSource) {
  for (const SizeCheck &check : program.checks)
    if (!holds(check.kind, sizes[check.a], sizes[check.b]))
      return withLines(Status(Code::ShapeOutOfRange,
                              concat(check.message, ", but ",
                                     foundSizes(program, check, sizes))),
                       formatWhy(program, check.why, showSource) +
                           formatOrigins(program, check, sizes, showSource));
  return Status::ok();
}

Status runtime::checkOutput(const Program &program, TableIndex index,
                            const TensorView &tensor,
                            std::span<const int64_t> sizes) {
  const OutputDescription &output = program.outputs[index];
  if (tensor.dtype != output.dtype)
    return Status(Code::DTypeMismatch,
                  concat("output '", output.name, "' must have element type ",
                         typeName(output.dtype), ", but has ",
                         typeName(tensor.dtype)));
  bool good = tensor.shape.rank() == output.dims.size();
  for (uint32_t dim = 0; good && dim < tensor.shape.rank(); ++dim)
    good = tensor.shape[dim] == sizes[output.dims[dim]];
  if (good)
    return Status::ok();
  Shape wanted;
  for (TableIndex dim : output.dims)
    wanted.push(sizes[dim]);
  return Status(Code::ShapeOutOfRange,
                concat("output '", output.name, "' must have shape ",
                       wanted.str(), ", but has ", tensor.shape.str()));
}

Status runtime::checkPlace(const TensorView &tensor, DeviceKind kind,
                           int32_t ordinal, std::string_view what,
                           std::string_view name) {
  if (!tensor.data && tensor.shape.elements() != 0)
    return Status(Code::InvalidArgument,
                  concat(what, " '", name, "' has elements, but no data"));
  if (tensor.device == DeviceKind::CPU ||
      (tensor.device == kind && tensor.ordinal == ordinal))
    return Status::ok();
  return Status(Code::DeviceMismatch,
                concat(what, " '", name,
                       "' must be in host memory or on the program's ",
                       kind == DeviceKind::CPU ? "CPU" : "GPU ",
                       kind == DeviceKind::CPU ? "" : std::to_string(ordinal),
                       ", but is on GPU ", tensor.ordinal));
}
