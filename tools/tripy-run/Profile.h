//===- Profile.h - Times of kernels and where they come from ----*- C++ -*-===//
//
// Kernels with their times, rates and the user's lines, as a table and as JSON.
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_PROFILE_H
#define TRIPY_TOOLS_TRIPYRUN_PROFILE_H

#include "Json.h"
#include "tripy/Base/Work.h"
#include "tripy/Runtime/Executable.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tripy::run {

/// A line of the user that a kernel comes from, once, whatever it is there for.
struct UserLine {
  const WhyLine *line = nullptr;
  /// Each once.
  std::vector<std::string_view> reasons;
};

/// The launches of one kernel.
struct KernelProfile {
  TableIndex kernel = 0;
  uint32_t calls = 0;
  double seconds = 0;
  Work work;
  /// What computed them, where there was a choice; each once.
  std::vector<std::string> backends;
  std::vector<UserLine> lines;
};

/// How fast a kernel was.
struct KernelRate {
  /// Bytes or operations in a second; 0: nothing to count, or no time.
  double perSecond = 0;
  bool isBytes = true;
  /// Share of what the machine can do; 0: unknown. For both, bytes and
  /// operations, the larger share counts.
  double ofPeak = 0;
};

class Profile {
public:
  /// The kernels of `executable` in the order of their first launch, with their
  /// lines.
  explicit Profile(const runtime::Executable &executable);
  /// Adds the times of the launches of a run, whose expressions had the values
  /// `sizes`; the slowest kernel comes first then.
  void addTimes(std::span<const double> seconds,
                std::span<const int64_t> sizes);

  /// For each kernel each user line once, with its reasons. Source text is
  /// shown where it can be read.
  std::string formatLines() const;
  /// A table, what the machine can do, and formatLines().
  std::string format() const;
  /// One object.
  void write(Json &json) const;

private:
  KernelRate rateOf(const KernelProfile &kernel) const;
  std::string formatTable() const;
  std::string formatPeaks() const;
  void writeKernel(Json &json, const KernelProfile &kernel) const;
  const std::string &nameOf(const KernelProfile &kernel) const {
    return executable.program().kernels[kernel.kernel].symbol;
  }
  double peakOf(WorkKind kind, DType dtype) const;

  const runtime::Executable &executable;
  std::vector<KernelProfile> kernels;
  double seconds = 0;
  /// Of what kernels do: Touched for bytes.
  std::map<std::pair<WorkKind, DType>, runtime::Peak> peaks;
};

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_PROFILE_H
