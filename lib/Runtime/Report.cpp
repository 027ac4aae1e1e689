//===- Report.cpp - Programs and their reasons as text --------------------===//

#include "tripy/Runtime/Report.h"
#include "tripy/Base/File.h"
#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

using namespace tripy;
using namespace tripy::runtime;

namespace {

/// The ranges of a program's sizes, computed when first asked for.
class LazyBounds {
public:
  explicit LazyBounds(const Program &program) : program(program) {}
  /// "3..8", "4" where there is one value, "?" for a program that does not
  /// verify.
  std::string text(TableIndex expr) {
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
                            std::span<const TableIndex> dims) {
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
                                std::span<const TableIndex> dims) {
  LazyBounds bounds(program);
  return dimsText(program, bounds, dims);
}

//===-- user lines --------------------------------------------------------===//

/// More of a kind than this are counted, not shown.
static constexpr size_t maxShown = 8;

std::optional<std::string> runtime::readSourceLine(const std::string &path,
                                                   uint32_t number) {
  if (number == 0 || path.empty())
    return std::nullopt;
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

std::string runtime::formatPlaceName(const WhyLine &line) {
  if (line.operation.empty())
    return line.function.empty() ? "" : concat(" in ", line.function);
  return concat(" in ", line.operation, line.function.empty() ? "" : " of ",
                line.function);
}

/// "--> file:line", `name` and the line itself, which is indented.
static void appendPlace(std::string &text, const std::string &file,
                        uint32_t number, uint32_t column, std::string_view name,
                        size_t indent, bool showSource) {
  // The file name of an executable is foreign text, checked to be printable.
  text += concat("--> ", file, ":", number, name, "\n");
  std::optional<std::string> source;
  if (showSource)
    source = readSourceLine(file, number);
  if (!source)
    return;
  std::string digits = std::to_string(number);
  std::string margin(std::max<size_t>(5, digits.size()) + indent, ' ');
  text +=
      concat(margin, " |\n", std::string(margin.size() - digits.size(), ' '),
             digits, " | ", *source, "\n", margin, " | ");
  if (column > 0 && column <= source->size())
    text += std::string(column - 1, ' ') + "^";
  text += "\n";
}

static void appendLine(std::string &text, const Program &program,
                       const WhyLine &line, size_t indent, bool showSource) {
  appendPlace(text, line.file, line.line, line.column, formatPlaceName(line),
              indent, showSource);
  if (!line.reason.empty())
    text += concat("    note: ", line.reason, "\n");
  TableIndex caller = line.caller;
  for (size_t shown = 0; caller < program.frames.size(); ++shown) {
    if (shown == maxShown) {
      text += "    called from further lines\n";
      break;
    }
    const Frame &frame = program.frames[caller];
    text += "    called from: ";
    appendPlace(text, frame.file, frame.line, frame.column,
                frame.function.empty() ? "" : concat(" in ", frame.function), 4,
                showSource);
    caller = frame.caller;
  }
}

std::string runtime::formatWhy(const Program &program, TableIndex why,
                               bool showSource) {
  std::string text;
  if (why >= program.whys.size())
    return text;
  for (const WhyLine &line : program.whys[why].lines)
    appendLine(text, program, line, 0, showSource);
  return text;
}

/// The first line of a why; null where there is none.
static const WhyLine *firstLine(const Program &program, TableIndex why) {
  if (why >= program.whys.size() || program.whys[why].lines.empty())
    return nullptr;
  return &program.whys[why].lines.front();
}

std::string runtime::formatInput(const Program &program, TableIndex input,
                                 std::span<const int64_t> sizes,
                                 bool showSource) {
  const InputDescription &info = program.inputs[input];
  std::vector<int64_t> shape;
  for (TableIndex dim : info.dims)
    shape.push_back(sizes[dim]);
  bool isSize = info.kind == InputKind::Size;
  std::string text =
      concat("    input '", info.name, "' ", isSize ? "of value " : "of shape ",
             isSize ? std::to_string(shape.front()) : formatSizes(shape));
  if (const WhyLine *line = firstLine(program, info.why)) {
    text += ": ";
    appendLine(text, program, *line, 4, showSource);
    return text;
  }
  return text + "\n";
}

/// The inputs whose sizes decide the expressions `a` and `b`: first those that
/// are compared themselves, then those with ever more arithmetic in between.
static std::vector<TableIndex> inputsOf(const Program &program, TableIndex a,
                                        TableIndex b) {
  constexpr size_t unused = SIZE_MAX;
  std::vector<size_t> distances(size_t(std::max(a, b)) + 1, unused);
  std::vector<size_t> nearest(program.inputs.size(), unused);
  distances[a] = distances[b] = 0;
  // Operands come before what they are operands of.
  for (size_t i = distances.size(); i-- > 0;) {
    const SizeExpr &expr = program.exprs[i];
    size_t distance = distances[i];
    if (distance == unused || expr.op == SizeOp::Constant)
      continue;
    auto reach = [](size_t &known, size_t found) {
      known = std::min(known, found);
    };
    if (expr.op == SizeOp::Symbol) {
      reach(nearest[program.symbols[expr.a].input], distance);
      continue;
    }
    reach(distances[expr.a], distance + 1);
    reach(distances[expr.b], distance + 1);
  }
  std::vector<TableIndex> inputs;
  for (TableIndex i = 0; i < nearest.size(); ++i)
    if (nearest[i] != unused)
      inputs.push_back(i);
  std::sort(inputs.begin(), inputs.end(), [&](TableIndex x, TableIndex y) {
    return std::pair(nearest[x], x) < std::pair(nearest[y], y);
  });
  return inputs;
}

std::string runtime::formatOrigins(const Program &program,
                                   const SizeCheck &check,
                                   std::span<const int64_t> sizes,
                                   bool showSource) {
  std::string text;
  std::vector<TableIndex> inputs = inputsOf(program, check.a, check.b), shown;
  for (TableIndex input : inputs) {
    if (shown.size() == maxShown) {
      text += concat("    and ", inputs.size() - maxShown, " more inputs\n");
      break;
    }
    text += formatInput(program, input, sizes, showSource);
    shown.push_back(program.inputs[input].why);
  }
  for (size_t i = 0; i < std::min(check.operands.size(), maxShown); ++i) {
    const WhyLine *line = firstLine(program, check.operands[i]);
    if (!line ||
        std::find(shown.begin(), shown.end(), check.operands[i]) != shown.end())
      continue;
    text += concat("    operand ", i, ": ");
    appendLine(text, program, *line, 4, showSource);
  }
  return text;
}

//===-- programs ----------------------------------------------------------===//

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

/// "size n=1..8, tuned for 4", with a new line.
static std::string sizeText(const Program &program,
                            const InputDescription &input) {
  const SizeSymbol &symbol = program.symbols[program.exprs[input.dims[0]].a];
  return concat("size ", symbol.name, symbol.name.empty() ? "" : "=",
                symbol.min, "..", symbol.max, ", tuned for ", symbol.opt, "\n");
}

std::string runtime::formatProgram(const Program &program) {
  std::string text =
      concat("program '", program.name, "' for ",
             program.device == DeviceKind::CPU ? "the CPU" : "CUDA GPUs", "\n");
  LazyBounds bounds(program);
  for (const InputDescription &input : program.inputs) {
    text += concat(input.kind == InputKind::Parameter ? "  parameter '"
                                                      : "  input '",
                   input.name, "': ");
    if (input.kind == InputKind::Size) {
      text += sizeText(program, input);
      continue;
    }
    text += concat(dtypeName(input.dtype), " ",
                   dimsText(program, bounds, input.dims));
    for (TableIndex dim : input.dims)
      if (program.exprs[dim].op == SizeOp::Symbol) {
        const SizeSymbol &symbol = program.symbols[program.exprs[dim].a];
        text += concat(", dimension ", symbol.dim, " tuned for ", symbol.opt);
      }
    text += "\n";
  }
  for (const OutputDescription &output : program.outputs)
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
  for (const Kernel &kernel : program.kernels)
    if (!kernel.plugin.empty() || !kernel.library.empty())
      text += concat(
          "  plugin '", kernel.plugin, "': kernel '", kernel.symbol, "'",
          kernel.library.empty() ? std::string()
                                 : concat(" of library '", kernel.library, "'"),
          "\n");
  return text + formatCode(program);
}
