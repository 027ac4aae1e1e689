//===- Peaks.cpp - What a GPU can do at most ------------------------------===//
//
// Clocks and numbers of units are the driver's; what a unit does in a cycle is
// in the table of chips. Asked for by profiles alone, where nothing fails: what
// the driver does not say is unknown.
//
//===----------------------------------------------------------------------===//

#include "DeviceImpl.h"

#include "tripy/Base/Chips.h"
#include "tripy/Base/Text.h"

using namespace tripy;
using namespace tripy::cuda;
using runtime::Peak;

/// 0 when the driver does not say.
double CudaDevice::attribute(DeviceAttribute attribute) {
  int value = 0;
  ContextScope scope(*this);
  if (!scope.status().isOk() ||
      api.deviceGetAttribute(&value, attribute, id) != DriverResult::Success)
    return 0;
  return value > 0 ? value : 0;
}

/// Multiply-adds of a multiprocessor in a cycle; 0: unknown.
static uint32_t multiplyAdds(const Chip &chip, bool hasFloat8, WorkKind kind,
                             DType dtype) {
  if (kind == WorkKind::ProductsTF32)
    return chip.peakProducts / 2;
  if (kind == WorkKind::Arithmetic || dtype == DType::F32)
    return chip.peakFMA;
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
    return chip.peakProducts;
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return hasFloat8 ? 2 * chip.peakProducts : chip.peakProducts;
  default:
    return 0;
  }
}

Peak CudaDevice::peak(WorkKind kind, DType dtype) {
  constexpr double hertz = 1e3;
  if (kind == WorkKind::Touched) {
    double clock = attribute(DeviceAttribute::MemoryClockRate) * hertz;
    double bits = attribute(DeviceAttribute::GlobalMemoryBusWidth);
    // Memory transfers at both edges of its clock.
    return {2 * clock * bits / 8, concat("2 x ", uint64_t(clock / 1e6),
                                         " MHz x ", uint64_t(bits), " bits")};
  }
  int capability = limits.computeMajor * 10 + limits.computeMinor;
  std::string name = concat("sm_", capability);
  const Chip *chip = findChip(name);
  if (!chip)
    return {};
  double clock = attribute(DeviceAttribute::ClockRate) * hertz;
  double units = attribute(DeviceAttribute::MultiprocessorCount);
  uint32_t each = 2 * multiplyAdds(*chip, capability >= 89, kind, dtype);
  return {units * clock * each,
          concat(uint64_t(units), " multiprocessors x ", uint64_t(clock / 1e6),
                 " MHz x ", each, ", ", name)};
}
