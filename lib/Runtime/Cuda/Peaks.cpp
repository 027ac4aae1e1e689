//===- Peaks.cpp - What a GPU can do at most ------------------------------===//
//
// Clocks and numbers of units are the driver's; what a unit does in a cycle is
// in Machines.td. Asked for by profiles alone, where nothing fails: what
// the driver does not say is unknown.
//
//===----------------------------------------------------------------------===//

#include "DeviceImpl.h"

#include "tripy/Base/Machines.h"
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
static int64_t multiplyAdds(const Machine &machine, int capability,
                            WorkKind kind, DType dtype) {
  bool hasTF32 = capability >= 80, hasFloat8 = capability >= 89;
  int64_t ofTF32 = machine.peakProducts / 2;
  if (kind == WorkKind::ProductsTF32)
    return ofTF32;
  if (kind == WorkKind::Arithmetic)
    return machine.peakFMA;
  // Three products of TF32 are one of f32 (docs/accuracy.md).
  if (dtype == DType::F32)
    return std::max(machine.peakFMA, hasTF32 ? ofTF32 / 3 : 0);
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
    return machine.peakProducts;
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return hasFloat8 ? 2 * machine.peakProducts : machine.peakProducts;
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
  const Machine *machine = findMachine(name);
  if (!machine)
    return {};
  double clock = attribute(DeviceAttribute::ClockRate) * hertz;
  double units = attribute(DeviceAttribute::MultiprocessorCount);
  int64_t each = 2 * multiplyAdds(*machine, capability, kind, dtype);
  return {units * clock * double(each),
          concat(uint64_t(units), " multiprocessors x ", uint64_t(clock / 1e6),
                 " MHz x ", each, ", ", name)};
}
