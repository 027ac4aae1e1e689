//===- InputCheck.cpp - What a user may pass to a program -----------------===//

#include "InputCheck.h"
#include "tripy/Base/SizeMath.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/Report.h"

using namespace tripy;
using namespace tripy::runtime;

/// Puts the lines that required a rule after the sentence that says it.
static Status withWhy(Status status, const Program &program, Index why,
                      bool showSource) {
  std::string lines = formatWhy(program, why, showSource);
  if (lines.empty())
    return status;
  lines.pop_back();
  return Status(status.code(), concat(status.message(), "\n", lines));
}

static std::string typeName(DType dtype) {
  const DTypeInfo *info = findDTypeInfo(dtype);
  return info ? std::string(info->name)
              : concat("unknown (", unsigned(dtype), ")");
}

/// Name of a dimension for messages: "dimension 0" or "dimension 0 ('batch')".
static std::string dimName(const Program &program, Index expr, size_t dim) {
  std::string text = concat("dimension ", dim);
  if (program.exprs[expr].op == SizeOp::Symbol) {
    const std::string &name = program.symbols[program.exprs[expr].a].name;
    if (!name.empty())
      text += concat(" ('", name, "')");
  }
  return text;
}

static Status badDim(const Program &program, const InputInfo &input, size_t dim,
                     int64_t found) {
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
                concat("input '", input.name, "' ",
                       dimName(program, input.dims[dim], dim), " must be ",
                       allowed, ", but is ", found));
}

Status runtime::checkInput(const Program &program, Index index,
                           const TensorView &tensor, std::span<int64_t> symbols,
                           bool showSource) {
  const InputInfo &input = program.inputs[index];
  if (tensor.dtype != input.dtype)
    return withWhy(
        Status(Code::DTypeMismatch,
               concat("input '", input.name, "' must have element type ",
                      typeName(input.dtype), ", but has ",
                      typeName(tensor.dtype))),
        program, input.why, showSource);
  if (tensor.shape.rank() != input.dims.size())
    return withWhy(
        Status(Code::ShapeOutOfRange,
               concat("input '", input.name, "' must have rank ",
                      input.dims.size(), " with sizes ",
                      formatDims(program, input.dims), ", but has rank ",
                      tensor.shape.rank(), " with sizes ", tensor.shape.str())),
        program, input.why, showSource);
  for (uint32_t dim = 0; dim < tensor.shape.rank(); ++dim) {
    const SizeExpr &expr = program.exprs[input.dims[dim]];
    int64_t size = tensor.shape[dim];
    bool good = size == expr.value;
    if (expr.op == SizeOp::Symbol) {
      const SizeSymbol &symbol = program.symbols[expr.a];
      good = symbol.min <= size && size <= symbol.max;
      if (!symbols.empty())
        symbols[expr.a] = size;
    }
    if (!good)
      return withWhy(badDim(program, input, dim, size), program, input.why,
                     showSource);
  }
  return Status::ok();
}

static std::string symbolPlace(const Program &program,
                               const SizeSymbol &symbol) {
  return concat("input '", program.inputs[symbol.input].name, "' dimension ",
                symbol.dim);
}

Status runtime::checkNamedDims(const Program &program,
                               std::span<const Index> sameAs,
                               std::span<const int64_t> symbols) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] == symbols[sameAs[i]])
      continue;
    const SizeSymbol &symbol = program.symbols[i];
    const SizeSymbol &other = program.symbols[sameAs[i]];
    return Status(Code::ShapeOutOfRange,
                  concat("dimension '", symbol.name,
                         "' must have one size everywhere, but is ",
                         symbols[sameAs[i]], " in ",
                         symbolPlace(program, other), " and ", symbols[i],
                         " in ", symbolPlace(program, symbol)));
  }
  return Status::ok();
}

Status runtime::checkSizes(const Program &program,
                           std::span<const int64_t> sizes, bool showSource) {
  for (const SizeCheck &check : program.checks) {
    int64_t a = sizes[check.a], b = sizes[check.b];
    if (!holds(check.kind, a, b))
      return withWhy(
          Status(Code::ShapeOutOfRange,
                 concat(check.message, ", but the sizes are ", a, " and ", b)),
          program, check.why, showSource);
  }
  return Status::ok();
}

Status runtime::checkOutput(const Program &program, Index index,
                            const TensorView &tensor,
                            std::span<const int64_t> sizes) {
  const OutputInfo &output = program.outputs[index];
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
  for (Index dim : output.dims)
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
