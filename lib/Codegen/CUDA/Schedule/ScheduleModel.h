//===- ScheduleModel.h - What schedules of a contraction cost ---*- C++ -*-===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULEMODEL_H
#define TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULEMODEL_H

#include "Codegen/CUDA/Contractions/Mma.h"
#include "Codegen/CUDA/Contractions/SimtGemm.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

namespace tripy::codegen {

/// Compares schedules of one kernel, a contraction, for the sizes that its
/// profile and its guard, as it is now, expect.
class ScheduleModel {
public:
  ScheduleModel(kernel::FuncOp kernel, const CudaChip &chip);

  /// Cycles of a schedule; nothing where there is no model of its form, as for
  /// what streams a matrix, or where it suits no size of this contraction.
  std::optional<double> cycles(mlir::Attribute schedule) const;
  /// Whether blocks of a schedule for CUDA cores leave multiprocessors room for
  /// more: such a kernel waits for others to end before it starts.
  bool leavesRoom(mlir::Attribute schedule) const;
  /// Whether a schedule that has cycles is legal for all sizes of the guard.
  bool isLegal(mlir::Attribute schedule) const;

private:
  std::optional<WgmmaSchedule> wgmma;
  std::optional<mma::Problem> mma;
  std::optional<simt::Demand> simt;
};

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULEMODEL_H
