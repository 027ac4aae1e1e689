//===- ScheduleModel.cpp - What schedules of a contraction cost -----------===//

#include "ScheduleModel.h"
#include "Schedules.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

ScheduleModel::ScheduleModel(kernel::FuncOp kernel, const CudaChip &chip) {
  if (chip.hasWgmma())
    wgmma = recogniseWgmma(kernel);
  OpBuilder b(kernel);
  KernelEmission emission(kernel, b, EmitterOptions());
  FailureOr<Contractions> contractions = Contractions::of(emission);
  if (failed(contractions))
    return;
  if (auto problem =
          mma::Problem::find(contractions->groups, contractions->loops, chip))
    mma.emplace(std::move(*problem));
  simt = simt::Demand::of(contractions->groups, contractions->loops, chip);
}

std::optional<double> ScheduleModel::cycles(Attribute schedule) const {
  StringRef rule;
  if (auto of = dyn_cast<kernel::WgmmaScheduleAttr>(schedule); of && wgmma)
    return expectedCycles(*wgmma, tileOf(of));
  if (auto of = dyn_cast<kernel::MmaScheduleAttr>(schedule); of && mma)
    if (auto read = mma::readSchedule(of, *mma, rule))
      return mma::expectedCycles(*read, *mma);
  if (auto of = dyn_cast<kernel::SimtScheduleAttr>(schedule); of && simt)
    if (auto read = simt::readSchedule(of, *simt, rule))
      return simt::expectedCycles(*read, *simt);
  return std::nullopt;
}

bool ScheduleModel::leavesRoom(Attribute schedule) const {
  auto of = dyn_cast<kernel::SimtScheduleAttr>(schedule);
  if (!of || !simt)
    return false;
  StringRef rule;
  std::optional<simt::Schedule> read = simt::readSchedule(of, *simt, rule);
  return read && simt::leavesRoom(*read, *simt);
}

bool ScheduleModel::isLegal(Attribute schedule) const {
  if (auto of = dyn_cast<kernel::WgmmaScheduleAttr>(schedule)) {
    if (!wgmma)
      return false;
    // What sums take of shared memory depends on the rows that there may be.
    WgmmaSchedule cut = *wgmma;
    return cutInto(cut, of).empty();
  }
  return cycles(schedule).has_value();
}
