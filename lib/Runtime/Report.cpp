//===- Report.cpp - Programs and their reasons as text --------------------===//

#include "tripy/Runtime/Report.h"
#include "tripy/Base/File.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <optional>

using namespace tripy;
using namespace tripy::runtime;

namespace {

/// The ranges of a program's sizes, computed when first asked for.
class LazyBounds {
public:
  explicit LazyBounds(const Program &program) : program(program) {}
  /// "3..8", "4" where there is one value, "?" for a program that does not
  /// verify.
  std::string text(Index expr) {
    if (!computed)
      computed.emplace(boundSizes(program));
    if (!*computed)
      return "?";
    Interval bound = (**computed)[expr];
    return bound.isPoint() ? std::to_string(bound.lo)
                           : concat(bound.lo, "..", bound.hi);
  }

private:
  const Program &program;
  std::optional<Result<std::vector<Interval>>> computed;
};

} // namespace

static std::string dimsText(const Program &program, LazyBounds &bounds,
                            std::span<const Index> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    const SizeExpr &expr = program.exprs[dims[i]];
    text += i ? ", " : "";
    if (expr.op == SizeOp::Constant) {
      text += std::to_string(expr.value);
    } else if (expr.op == SizeOp::Symbol) {
      const SizeSymbol &symbol = program.symbols[expr.a];
      text += symbol.name.empty() ? "" : symbol.name + "=";
      text += concat(symbol.min, "..", symbol.max);
    } else {
      text += bounds.text(dims[i]);
    }
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

std::string runtime::formatDims(const Program &program,
                                std::span<const Index> dims) {
  LazyBounds bounds(program);
  return dimsText(program, bounds, dims);
}

/// Line `number` (from 1) of a file, when there is one.
static std::optional<std::string> sourceLine(const std::string &path,
                                             uint32_t number) {
  Result<std::vector<uint8_t>> bytes = readFile(path, uint64_t(16) << 20);
  if (!bytes)
    return std::nullopt;
  std::string_view rest(reinterpret_cast<const char *>(bytes->data()),
                        bytes->size());
  for (uint32_t line = 1; line < number; ++line) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      return std::nullopt;
    rest.remove_prefix(end + 1);
  }
  std::string text(rest.substr(0, std::min<size_t>(rest.find('\n'), 4096)));
  std::replace(text.begin(), text.end(), '\t', ' ');
  while (!text.empty() && (text.back() == '\r' || text.back() == ' '))
    text.pop_back();
  return text.empty() ? std::nullopt : std::optional(printable(text, 200));
}

static void appendLine(std::string &text, const WhyLine &line,
                       bool showSource) {
  // The file name of an executable is foreign text, checked to be printable.
  text += concat("--> ", line.file, ":", line.line);
  if (!line.operation.empty())
    text += concat(" in ", line.operation);
  text += "\n";
  std::optional<std::string> source;
  if (showSource && line.line > 0 && !line.file.empty())
    source = sourceLine(line.file, line.line);
  if (source) {
    std::string number = std::to_string(line.line);
    std::string margin(std::max<size_t>(5, number.size()), ' ');
    text +=
        concat(margin, " |\n", std::string(margin.size() - number.size(), ' '),
               number, " | ", *source, "\n", margin, " | ");
    if (line.column > 0 && line.column <= source->size())
      text += std::string(line.column - 1, ' ') + "^";
    text += "\n";
  }
  if (!line.reason.empty())
    text += concat("    note: ", line.reason, "\n");
}

std::string runtime::formatWhy(const Program &program, Index why,
                               bool showSource) {
  std::string text;
  if (why >= program.whys.size())
    return text;
  for (const WhyLine &line : program.whys[why].lines)
    appendLine(text, line, showSource);
  return text;
}

static std::string formatCode(const Program &program) {
  std::string text;
  for (const Image &image : program.images) {
    std::string_view kind = image.kind == ImageKind::HostCode ? "x86-64 code"
                            : image.kind == ImageKind::PTX    ? "PTX"
                                                              : "cubin";
    text += concat("  ", kind);
    if (!image.arch.empty())
      text += concat(" for ", image.arch);
    text += concat(", ", formatBytes(image.size), "\n");
  }
  return text;
}

std::string runtime::formatProgram(const Program &program) {
  std::string text =
      concat("program '", program.name, "' for ",
             program.device == DeviceKind::CPU ? "the CPU" : "CUDA GPUs", "\n");
  LazyBounds bounds(program);
  for (const InputInfo &input : program.inputs) {
    text += concat(input.kind == InputKind::Parameter ? "  parameter '"
                                                      : "  input '",
                   input.name, "': ", dtypeName(input.dtype), " ",
                   dimsText(program, bounds, input.dims));
    for (Index dim : input.dims)
      if (program.exprs[dim].op == SizeOp::Symbol) {
        const SizeSymbol &symbol = program.symbols[program.exprs[dim].a];
        text += concat(", dimension ", symbol.dim, " tuned for ", symbol.opt);
      }
    text += "\n";
  }
  for (const OutputInfo &output : program.outputs)
    text += concat("  output '", output.name, "': ", dtypeName(output.dtype),
                   " ", dimsText(program, bounds, output.dims), "\n");
  text += concat("  arena: ", formatBytes(program.arenaBytes),
                 ", constants: ", formatBytes(program.constants.size()), "\n");
  text += concat("  kernels: ", program.kernels.size(),
                 ", launches: ", program.launches.size());
  if (auto products = std::count_if(
          program.launches.begin(), program.launches.end(),
          [](const Launch &launch) { return launch.product != noIndex; }))
    text += concat(", of which cuBLASLt may compute ", products);
  text += "\n";
  return text + formatCode(program);
}
