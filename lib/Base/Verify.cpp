//===- Verify.cpp - Rules of sizes and of the interface -------------------===//

#include "tripy/Base/Verify.h"
#include "Verifier.h"
#include "tripy/Base/CheckedMath.h"

#include <algorithm>
#include <limits>
#include <new>

using namespace tripy;

Status Verifier::checkText(std::string_view text, uint32_t limit,
                           std::string_view what) const {
  if (text.size() > limit)
    return Status(Code::LimitExceeded,
                  concat(what, ": may have at most ", limit, " bytes, but has ",
                         text.size()));
  if (!isPrintable(text))
    return malformed(concat(what,
                            ": must be UTF-8 without control "
                            "characters, but is '",
                            printable(text), "'"));
  return Status::ok();
}

Status Verifier::checkWhy(TableIndex why, std::string_view what) const {
  if (why != noIndex && why >= program.whys.size())
    return malformed(concat(what, ": the why must be one of ",
                            program.whys.size(), ", but is ", why));
  return Status::ok();
}

Status Verifier::boundOf(TableIndex expr, std::string_view what,
                         Interval &bound) const {
  if (expr >= bounds.size())
    return malformed(concat(what, ": the size expression must be one of ",
                            bounds.size(), ", but is ", expr));
  bound = bounds[expr];
  return Status::ok();
}

Status Verifier::checkCounts() const {
  struct Row {
    size_t count;
    uint32_t limit;
    std::string_view what;
  };
  for (const Row &row : {Row{program.symbols.size(), limits.symbols, "symbols"},
                         {program.exprs.size(), limits.exprs, "expressions"},
                         {program.checks.size(), limits.checks, "checks"},
                         {program.inputs.size(), limits.tensors, "inputs"},
                         {program.outputs.size(), limits.tensors, "outputs"},
                         {program.buffers.size(), limits.tensors, "buffers"},
                         {program.tensorMaps.size(), limits.tensors, "maps"},
                         {program.products.size(), limits.tensors, "products"},
                         {program.kernels.size(), limits.kernels, "kernels"},
                         {program.images.size(), limits.images, "images"},
                         {program.launches.size(), limits.launches, "launches"},
                         {program.frames.size(), limits.frames, "frames"},
                         {program.whys.size(), limits.whys, "whys"}})
    if (row.count > row.limit)
      return Status(Code::LimitExceeded,
                    concat("a program may have at most ", row.limit, " ",
                           row.what, ", but has ", row.count));
  if (program.arenaBytes > limits.arenaBytes)
    return Status(Code::LimitExceeded,
                  concat("the arena may have at most ",
                         formatBytes(limits.arenaBytes), ", but needs ",
                         formatBytes(program.arenaBytes)));
  if (program.device != DeviceKind::CPU && program.device != DeviceKind::CUDA)
    return malformed(concat("the device must be 1 (CPU) or 2 (CUDA), but is ",
                            unsigned(program.device)));
  return checkText(program.name, limits.nameBytes, "the program's name");
}

/// Who called is there, and before frame `number`: calls have an end.
Status Verifier::checkCaller(TableIndex caller, size_t number) const {
  if (caller != noIndex && caller >= number)
    return malformed(concat("a caller must be one of the ", number,
                            " frames before it, but is ", caller));
  return Status::ok();
}

Status Verifier::checkFrames() const {
  for (size_t i = 0; i < program.frames.size(); ++i) {
    const Frame &frame = program.frames[i];
    for (std::string_view text :
         {std::string_view(frame.file), std::string_view(frame.function)})
      if (Status status = checkText(text, limits.textBytes, "a frame");
          !status.isOk())
        return status;
    if (Status status = checkCaller(frame.caller, i); !status.isOk())
      return status;
  }
  return Status::ok();
}

Status Verifier::checkWhys() const {
  for (const WhyEntry &why : program.whys) {
    if (why.lines.size() > limits.whyLines)
      return Status(Code::LimitExceeded,
                    concat("a why may have at most ", limits.whyLines,
                           " lines, but one has ", why.lines.size()));
    for (const WhyLine &line : why.lines) {
      for (std::string_view text :
           {std::string_view(line.file), std::string_view(line.operation),
            std::string_view(line.reason), std::string_view(line.function)})
        if (Status status = checkText(text, limits.textBytes, "a why");
            !status.isOk())
          return status;
      if (Status status = checkCaller(line.caller, program.frames.size());
          !status.isOk())
        return status;
    }
  }
  return Status::ok();
}

Status Verifier::checkSymbol(size_t number) const {
  const SizeSymbol &symbol = program.symbols[number];
  std::string what = concat("symbol ", number);
  if (Status status = checkText(symbol.name, limits.nameBytes, what);
      !status.isOk())
    return status;
  if (symbol.min < 0 || symbol.min > symbol.opt || symbol.opt > symbol.max ||
      symbol.max > maxDimension)
    return malformed(concat(what,
                            ": must have 0 <= min <= opt <= max < 2^40, "
                            "but has min ",
                            symbol.min, ", opt ", symbol.opt, ", max ",
                            symbol.max));
  if (symbol.input >= program.inputs.size())
    return malformed(concat(what, ": the input must be one of ",
                            program.inputs.size(), ", but is ", symbol.input));
  const InputDescription &input = program.inputs[symbol.input];
  if (symbol.dim >= input.dims.size())
    return malformed(concat(what, ": the dimension must be one of ",
                            input.dims.size(), " of the input, but is ",
                            symbol.dim));
  TableIndex dim = input.dims[symbol.dim];
  if (dim >= program.exprs.size() || program.exprs[dim].op != SizeOp::Symbol ||
      program.exprs[dim].a != number)
    return malformed(concat(what, ": dimension ", symbol.dim, " of input ",
                            symbol.input, " must be this symbol"));
  return Status::ok();
}

Status Verifier::checkSymbols() const {
  for (size_t i = 0; i < program.symbols.size(); ++i)
    if (Status status = checkSymbol(i); !status.isOk())
      return status;
  return Status::ok();
}

Status Verifier::checkSizeChecks() const {
  for (size_t i = 0; i < program.checks.size(); ++i) {
    const SizeCheck &check = program.checks[i];
    std::string what = concat("check ", i);
    if (!findCheckKind(check.kind))
      return malformed(concat(what, ": unknown kind ", unsigned(check.kind)));
    Interval bound;
    for (TableIndex operand : {check.a, check.b})
      if (Status status = boundOf(operand, what, bound); !status.isOk())
        return status;
    if (Status status = checkText(check.message, limits.textBytes, what);
        !status.isOk())
      return status;
    if (Status status = checkWhy(check.why, what); !status.isOk())
      return status;
    if (check.operands.size() > limits.arguments)
      return Status(Code::LimitExceeded,
                    concat(what, ": may have at most ", limits.arguments,
                           " operands, but has ", check.operands.size()));
    for (TableIndex operand : check.operands)
      if (Status status = checkWhy(operand, what); !status.isOk())
        return status;
  }
  return Status::ok();
}

Status Verifier::checkNames(const std::vector<std::string_view> &names,
                            std::string_view what) const {
  std::vector<std::string_view> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].empty())
      return malformed(concat("each ", what, " must have a name"));
    if (i > 0 && sorted[i] == sorted[i - 1])
      return malformed(concat("names of ", what, "s must differ, but '",
                              sorted[i], "' is there twice"));
    if (Status status = checkText(sorted[i], limits.nameBytes,
                                  concat("a name of an ", what));
        !status.isOk())
      return status;
  }
  return Status::ok();
}

Status Verifier::maxBytes(DType dtype, const std::vector<TableIndex> &dims,
                          std::string_view what, uint64_t &bytes) const {
  const DTypeInfo *info = findDTypeInfo(dtype);
  if (!info)
    return malformed(concat(what, ": unknown element type ", unsigned(dtype)));
  if (dims.size() > limits.rank)
    return Status(Code::LimitExceeded,
                  concat(what, ": the rank may be at most ", limits.rank,
                         ", but is ", dims.size()));
  std::optional<int64_t> product = 1;
  bool empty = false;
  for (TableIndex dim : dims) {
    Interval bound;
    if (Status status = boundOf(dim, what, bound); !status.isOk())
      return status;
    if (bound.lo < 0 || bound.hi > maxDimension)
      return malformed(concat(what,
                              ": sizes must be 0 to 2^40 - 1, but one "
                              "may be from ",
                              bound.lo, " to ", bound.hi));
    // A partial product may not overflow either, whatever a later zero does.
    if (product)
      product = checkedMul(*product, std::max<int64_t>(bound.hi, 1));
    empty |= bound.hi == 0;
  }
  std::optional<uint64_t> most;
  if (product)
    most = byteCount(dtype, uint64_t(*product));
  if (!most || *most > uint64_t(std::numeric_limits<int64_t>::max()))
    return malformed(concat(what, ": the bytes of its largest size must be "
                                  "below 2^63"));
  bytes = empty ? 0 : *most;
  return Status::ok();
}

/// Dimensions of an input are constants, or the symbol made for this place.
Status Verifier::checkInputDims(size_t number) const {
  const InputDescription &input = program.inputs[number];
  for (size_t dim = 0; dim < input.dims.size(); ++dim) {
    const SizeExpr &expr = program.exprs[input.dims[dim]];
    if (expr.op == SizeOp::Constant)
      continue;
    std::string what = concat("input '", input.name, "' dimension ", dim);
    if (expr.op != SizeOp::Symbol)
      return malformed(concat(what, ": must be a constant or a symbol"));
    if (input.kind == InputKind::Parameter)
      return malformed(concat(what, ": a parameter must have static sizes"));
    const SizeSymbol &symbol = program.symbols[expr.a];
    if (symbol.input != number || symbol.dim != dim)
      return malformed(concat(what, ": must be the symbol of this dimension"));
  }
  return Status::ok();
}

/// The value of a size is an i64, and one symbol.
Status Verifier::checkSizeInput(size_t number) const {
  const InputDescription &input = program.inputs[number];
  std::string what = concat("input '", input.name, "'");
  if (input.dtype != DType::I64)
    return malformed(concat(what, ": a size must have element type ",
                            unsigned(DType::I64), " (i64), but has ",
                            unsigned(input.dtype)));
  if (input.dims.size() != 1 ||
      program.exprs[input.dims[0]].op != SizeOp::Symbol)
    return malformed(concat(what, ": a size must have one symbol, its value"));
  return Status::ok();
}

Status Verifier::checkInputs() {
  // Names first: what is said of inputs quotes them.
  std::vector<std::string_view> names;
  for (const InputDescription &input : program.inputs)
    names.push_back(input.name);
  if (Status status = checkNames(names, "input"); !status.isOk())
    return status;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const InputDescription &input = program.inputs[i];
    std::string what = concat("input ", i);
    if (Status status =
            checkText(input.path, limits.nameBytes, concat(what, ": the path"));
        !status.isOk())
      return status;
    if (input.kind != InputKind::Argument &&
        input.kind != InputKind::Parameter && input.kind != InputKind::Size)
      return malformed(concat(what, ": unknown kind ", unsigned(input.kind)));
    uint64_t bytes = 0;
    if (Status status = maxBytes(input.dtype, input.dims, what, bytes);
        !status.isOk())
      return status;
    inputBytes.push_back(bytes);
    if (input.kind == InputKind::Size)
      if (Status status = checkSizeInput(i); !status.isOk())
        return status;
    if (Status status = checkInputDims(i); !status.isOk())
      return status;
    if (Status status = checkWhy(input.why, what); !status.isOk())
      return status;
  }
  return Status::ok();
}

Status Verifier::checkOutputs() {
  // Names first: what is said of outputs quotes them.
  std::vector<std::string_view> names;
  for (const OutputDescription &output : program.outputs)
    names.push_back(output.name);
  if (Status status = checkNames(names, "output"); !status.isOk())
    return status;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const OutputDescription &output = program.outputs[i];
    std::string what = concat("output ", i);
    uint64_t bytes = 0;
    if (Status status = maxBytes(output.dtype, output.dims, what, bytes);
        !status.isOk())
      return status;
    outputBytes.push_back(bytes);
    if (Status status = checkWhy(output.why, what); !status.isOk())
      return status;
  }
  return Status::ok();
}

Status Verifier::run() {
  for (auto check : {&Verifier::checkCounts, &Verifier::checkFrames,
                     &Verifier::checkWhys, &Verifier::checkSymbols})
    if (Status status = (this->*check)(); !status.isOk())
      return status;
  Result<std::vector<Interval>> ranges = boundSizes(program);
  if (!ranges)
    return ranges.status();
  bounds = std::move(*ranges);
  for (auto check : {&Verifier::checkInputs, &Verifier::checkOutputs,
                     &Verifier::checkBuffers})
    if (Status status = (this->*check)(); !status.isOk())
      return status;
  for (auto check : {&Verifier::checkSizeChecks, &Verifier::checkImages,
                     &Verifier::checkKernels, &Verifier::checkTensorMaps,
                     &Verifier::checkProducts})
    if (Status status = (this->*check)(); !status.isOk())
      return status;
  return checkLaunches();
}

Status tripy::verifyProgram(const Program &program, const ProgramLimits &limits,
                            std::optional<uint64_t> constantBytes) {
  try {
    return Verifier(program, limits,
                    constantBytes.value_or(program.constants.size()))
        .run();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory("to verify the program");
  }
}

uint64_t tripy::tensorBytes(DType dtype, std::span<const TableIndex> dims,
                            std::span<const int64_t> sizes) {
  uint64_t elements = 1;
  for (TableIndex dim : dims)
    elements *= uint64_t(sizes[dim]);
  return byteCount(dtype, elements).value_or(UINT64_MAX);
}
