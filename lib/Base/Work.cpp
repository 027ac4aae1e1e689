//===- Work.cpp - What a launch has to do ---------------------------------===//

#include "tripy/Base/Work.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace tripy;

double Work::allOperations() const {
  double sum = 0;
  for (const auto &[kind, count] : operations)
    sum += count;
  return sum;
}

Work &Work::operator+=(const Work &other) {
  read += other.read;
  written += other.written;
  for (const auto &[kind, count] : other.operations)
    operations[kind] += count;
  return *this;
}

/// Whether a tensor map's buffer is touched through another argument, too.
static bool isCounted(const Program &program, const Launch &launch,
                      const Arg &map) {
  TableIndex buffer = program.tensorMaps[map.index].buffer;
  return std::any_of(
      launch.args.begin(), launch.args.end(), [&](const Arg &other) {
        if (other.kind == ArgKind::TensorMap)
          return &other < &map &&
                 program.tensorMaps[other.index].buffer == buffer;
        return other.kind == ArgKind::Buffer && other.index == buffer;
      });
}

Work tripy::workOf(const Program &program, const Launch &launch,
                   std::span<const int64_t> sizes) {
  Work work;
  std::vector<std::optional<double>> touched(launch.accesses.size());
  for (const WorkTerm &term : launch.work) {
    double value = double(term.factor);
    // The range of a size may reach below 0 where its value cannot.
    for (TableIndex size : term.sizes)
      value *= double(std::max<int64_t>(sizes[size], 0));
    if (term.kind == WorkKind::Touched)
      touched[term.access] = touched[term.access].value_or(0) + value;
    else
      work.operations[{term.kind, term.dtype}] += value;
  }
  size_t number = 0;
  for (const Arg &arg : launch.args) {
    if (isNumber(arg.kind))
      continue;
    const Access &access = launch.accesses[number];
    double bytes = double(sizes[access.bytes]);
    bytes = std::min(bytes, touched[number++].value_or(bytes));
    if (arg.kind == ArgKind::TensorMap && isCounted(program, launch, arg))
      continue;
    work.read += access.reads ? bytes : 0;
    work.written += access.writes ? bytes : 0;
  }
  return work;
}
