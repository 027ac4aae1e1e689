//===- Profile.cpp - Times of kernels and where they come from ------------===//

#include "Profile.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/TensorPrinter.h"
#include "tripy/Runtime/Report.h"

#include <algorithm>
#include <cstdio>

using namespace tripy;
using namespace tripy::run;
using namespace tripy::runtime;

/// More lines of a kernel, and reasons of a line, are counted, not shown.
static constexpr size_t maxLines = 12, maxReasons = 3;
/// Longest kernel name in the table, and source text behind a line.
static constexpr size_t nameWidth = 48, sourceWidth = 80;

//===-- collecting --------------------------------------------------------===//

template <typename T>
static void addOnce(std::vector<T> &list, const T &value) {
  if (std::find(list.begin(), list.end(), value) == list.end())
    list.push_back(value);
}

/// Adds the lines of a why, those of one place once.
static void addLines(std::vector<UserLine> &lines, const WhyEntry &why) {
  for (const WhyLine &line : why.lines) {
    auto known = std::find_if(lines.begin(), lines.end(), [&](UserLine &other) {
      return other.line->file == line.file && other.line->line == line.line &&
             other.line->operation == line.operation;
    });
    if (known == lines.end())
      known = lines.insert(known, {&line, {}});
    if (!line.reason.empty())
      addOnce(known->reasons, std::string_view(line.reason));
  }
}

Profile::Profile(const Executable &executable) : executable(executable) {
  const Program &program = executable.program();
  std::map<TableIndex, size_t> known;
  for (TableIndex i = 0; i < program.launches.size(); ++i) {
    const Launch &launch = program.launches[i];
    auto [entry, isNew] = known.try_emplace(launch.kernel, kernels.size());
    if (isNew)
      kernels.emplace_back().kernel = launch.kernel;
    KernelProfile &kernel = kernels[entry->second];
    ++kernel.calls;
    if (std::string text = executable.backend(i).text; !text.empty())
      addOnce(kernel.backends, text);
    if (launch.why != noIndex)
      addLines(kernel.lines, program.whys[launch.why]);
  }
}

void Profile::addTimes(std::span<const double> times,
                       std::span<const int64_t> sizes) {
  const Program &program = executable.program();
  std::map<TableIndex, KernelProfile *> byNumber;
  for (KernelProfile &kernel : kernels)
    byNumber[kernel.kernel] = &kernel;
  for (size_t i = 0; i < times.size(); ++i) {
    const Launch &launch = program.launches[i];
    KernelProfile &kernel = *byNumber[launch.kernel];
    kernel.seconds += times[i];
    kernel.work += workOf(program, launch, sizes);
    seconds += times[i];
  }
  Device &device = *executable.device();
  for (const KernelProfile &kernel : kernels) {
    if (kernel.work.bytes() > 0)
      peaks.try_emplace({WorkKind::Touched, DType::F32},
                        device.peak(WorkKind::Touched, DType::F32));
    for (const auto &[key, count] : kernel.work.operations)
      peaks.try_emplace(key, device.peak(key.first, key.second));
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const KernelProfile &a, const KernelProfile &b) {
              return a.seconds != b.seconds ? a.seconds > b.seconds
                                            : a.kernel < b.kernel;
            });
}

//===-- rates -------------------------------------------------------------===//

double Profile::peakOf(WorkKind kind, DType dtype) const {
  auto found = peaks.find({kind, dtype});
  return found == peaks.end() ? 0 : found->second.perSecond;
}

KernelRate Profile::rateOf(const KernelProfile &kernel) const {
  KernelRate rate;
  if (kernel.seconds <= 0)
    return rate;
  double bytes = kernel.work.bytes();
  // The time that each would take at least; 0 where that is unknown.
  double memory = peakOf(WorkKind::Touched, DType::F32), moving = 0;
  if (memory > 0)
    moving = bytes / memory;
  double computing = 0;
  bool hasProducts = false;
  for (const auto &[key, count] : kernel.work.operations) {
    double peak = peakOf(key.first, key.second);
    computing += peak > 0 ? count / peak : 0;
    hasProducts |= key.first != WorkKind::Arithmetic;
  }
  bool known = moving > 0 && computing > 0;
  rate.isBytes = known ? moving >= computing : !hasProducts;
  rate.perSecond =
      (rate.isBytes ? bytes : kernel.work.allOperations()) / kernel.seconds;
  rate.ofPeak = (rate.isBytes ? moving : computing) / kernel.seconds;
  return rate;
}

/// "123.4 GB/s", "12.3 TFLOP/s".
static std::string formatRate(double perSecond, bool isBytes) {
  if (perSecond <= 0)
    return "-";
  bool tera = !isBytes && perSecond >= 1e12;
  char text[48];
  std::snprintf(text, sizeof(text), "%.1f %s",
                perSecond * (tera ? 1e-12 : 1e-9),
                isBytes ? "GB/s"
                : tera  ? "TFLOP/s"
                        : "GFLOP/s");
  return text;
}

static std::string formatShare(double share) {
  char text[24];
  std::snprintf(text, sizeof(text), "%.1f %%", 100 * share);
  return text;
}

/// "products of float16".
static std::string kindName(WorkKind kind, DType dtype) {
  switch (kind) {
  case WorkKind::Touched:
    return "memory";
  case WorkKind::Arithmetic:
    return "arithmetic";
  case WorkKind::Products:
    return concat("products of ", dtypeName(dtype));
  case WorkKind::ProductsTF32:
    return concat("products of ", dtypeName(dtype), " as TF32");
  }
  return "";
}

//===-- text --------------------------------------------------------------===//

std::string Profile::formatTable() const {
  std::vector<std::array<std::string, 6>> rows = {
      {"kernel", "calls", "time", "share", "rate", "of peak"}};
  bool anyPeak = false;
  for (const KernelProfile &kernel : kernels) {
    KernelRate rate = rateOf(kernel);
    anyPeak |= rate.ofPeak > 0;
    rows.push_back({printable(nameOf(kernel), nameWidth),
                    std::to_string(kernel.calls), formatSeconds(kernel.seconds),
                    seconds > 0 ? formatShare(kernel.seconds / seconds) : "-",
                    formatRate(rate.perSecond, rate.isBytes),
                    rate.ofPeak > 0 ? formatShare(rate.ofPeak) : "-"});
  }
  size_t columns = anyPeak ? 6 : 5;
  std::array<size_t, 6> widths = {};
  for (const auto &row : rows)
    for (size_t i = 0; i < columns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    text += row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (size_t i = 1; i < columns; ++i)
      text += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
    text += "\n";
  }
  return text;
}

std::string Profile::formatPeaks() const {
  std::string text;
  for (const auto &[key, peak] : peaks)
    if (peak.perSecond > 0)
      text += concat("peak of ", kindName(key.first, key.second), ": ",
                     formatRate(peak.perSecond, key.first == WorkKind::Touched),
                     " (", peak.source, ")\n");
  return text;
}

std::string Profile::formatLines() const {
  std::string text;
  for (const KernelProfile &kernel : kernels) {
    text += nameOf(kernel);
    for (const std::string &backend : kernel.backends)
      text += concat(" (", backend, ")");
    text += "\n";
    for (size_t i = 0; i < kernel.lines.size(); ++i) {
      const UserLine &line = kernel.lines[i];
      if (i == maxLines) {
        text += concat("  and ", kernel.lines.size() - maxLines, " more\n");
        break;
      }
      text += concat("  ", line.line->file, ":", line.line->line,
                     formatPlaceName(*line.line));
      if (std::optional<std::string> source =
              readSourceLine(line.line->file, line.line->line))
        text += concat(" | ",
                       printable(source->substr(source->find_first_not_of(' ')),
                                 sourceWidth));
      text += "\n";
      for (size_t k = 0; k < std::min(line.reasons.size(), maxReasons); ++k)
        text += concat("      ", line.reasons[k], "\n");
      if (line.reasons.size() > maxReasons)
        text += concat("      and ", line.reasons.size() - maxReasons,
                       " more reasons\n");
    }
  }
  return text;
}

std::string Profile::format() const {
  const Device &device = *executable.device();
  size_t launches = executable.program().launches.size();
  return concat(
      launches, launches == 1 ? " launch of " : " launches of ", kernels.size(),
      kernels.size() == 1 ? " kernel, " : " kernels, ", formatSeconds(seconds),
      " on ", io::formatLocation(device.kind(), device.ordinal()), " (",
      printable(device.name()), ")\n", formatPeaks(), "\n", formatTable(), "\n",
      formatLines());
}

//===-- JSON --------------------------------------------------------------===//

void Profile::writeKernel(Json &json, const KernelProfile &kernel) const {
  KernelRate rate = rateOf(kernel);
  json.beginObject().key("kernel").text(nameOf(kernel));
  json.key("calls").number(uint64_t(kernel.calls));
  json.key("seconds").number(kernel.seconds);
  json.key("bytes_read").number(kernel.work.read);
  json.key("bytes_written").number(kernel.work.written);
  json.key("operations").number(kernel.work.allOperations());
  json.key("bound_by").text(rate.isBytes ? "memory" : "operations");
  json.key("per_second").number(rate.perSecond);
  if (rate.ofPeak > 0)
    json.key("of_peak").number(rate.ofPeak);
  json.key("backends").beginArray();
  for (const std::string &backend : kernel.backends)
    json.text(backend);
  json.endArray().key("lines").beginArray();
  for (const UserLine &line : kernel.lines) {
    json.beginObject().key("file").text(line.line->file);
    json.key("line").number(uint64_t(line.line->line));
    json.key("column").number(uint64_t(line.line->column));
    json.key("operation").text(line.line->operation);
    json.key("function").text(line.line->function);
    json.key("reasons").beginArray();
    for (std::string_view reason : line.reasons)
      json.text(reason);
    json.endArray().endObject();
  }
  json.endArray().endObject();
}

void Profile::write(Json &json) const {
  json.beginObject().key("launches");
  json.number(uint64_t(executable.program().launches.size()));
  json.key("seconds").number(seconds).key("peaks").beginArray();
  for (const auto &[key, peak] : peaks)
    if (peak.perSecond > 0) {
      json.beginObject().key("of").text(kindName(key.first, key.second));
      json.key("per_second").number(peak.perSecond);
      json.key("source").text(peak.source).endObject();
    }
  json.endArray().key("kernels").beginArray();
  for (const KernelProfile &kernel : kernels)
    writeKernel(json, kernel);
  json.endArray().endObject();
}
