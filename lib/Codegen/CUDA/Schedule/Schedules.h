//===- Schedules.h - How kernels are cut ------------------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. --kernel-choose-schedules sets the attribute
// `schedule` of contractions and attention; what emits their code does as it
// says, and refuses an illegal one with the rule that it breaks.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULES_H
#define TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULES_H

#include "Codegen/CUDA/Contractions/Gemv.h"
#include "Codegen/CUDA/Contractions/SplitAttention.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"
#include "Codegen/CUDA/Tiles/AttentionTiles.h"

#include "tripy/Codegen/Tuning.h"

namespace tripy::codegen {

/// What users ask for all kernels of a program that have such a form.
struct ScheduleRequests {
  std::optional<WgmmaTile> gemmTile;
  /// Products of f32 may be sums of products of TF32 on tensor cores.
  bool f32TensorCores = true;
  std::optional<tiles::AttentionSchedule> attentionTile;
  std::optional<AttentionSplitWish> attentionSplit;
  /// Attention becomes tile functions: never, where that should be faster, or
  /// wherever it can.
  enum class Tiles { Off, Auto, All } tiles = Tiles::Auto;
  /// Contractions that `gemmTile` is illegal for, with the rule, and whether
  /// there are others. They get the model's.
  struct TileUse {
    bool isUsed = false;
    llvm::SmallVector<std::pair<mlir::Location, std::string>> refused;
  } *tileUse = nullptr;
  TuningRecords tuning;
  /// The GPU that records are for; empty: the only one that there are any of.
  std::string tuningDevice;
};

/// Sets the schedule of a kernel that is a contraction or an attention and has
/// none; one that is there has to be legal. A remark says what was chosen. A
/// schedule that is asked for, or was measured, and is illegal is an error.
mlir::LogicalResult chooseSchedule(kernel::FuncOp kernel, const CudaChip &chip,
                                   const ScheduleRequests &requests);

/// The same, but where a contraction's rows are known at run time only, and one
/// schedule does not suit all of them, makes versions of the kernel, each with
/// a guard. `symbols`: of the kernel's module.
mlir::LogicalResult chooseVersions(kernel::FuncOp kernel, const CudaChip &chip,
                                   const ScheduleRequests &requests,
                                   mlir::SymbolTable &symbols);

/// What chooseSchedule() chooses, and its remark goes to `reported`.
mlir::LogicalResult trySchedule(kernel::FuncOp kernel, const CudaChip &chip,
                                const ScheduleRequests &requests,
                                std::string &reported);

/// "the schedule is illegal: <rule>; found <schedule>", an error of `kernel`.
mlir::InFlightDiagnostic illegalSchedule(kernel::FuncOp kernel,
                                         llvm::StringRef rule);

/// How `schedule` is cut, as an attribute.
kernel::WgmmaScheduleAttr attributeOf(const WgmmaSchedule &schedule,
                                      mlir::MLIRContext *context,
                                      kernel::Origin from);
WgmmaTile tileOf(kernel::WgmmaScheduleAttr schedule);
/// Cuts `schedule` as `attribute` says; returns the rule that this breaks,
/// empty where it is legal.
llvm::StringRef cutInto(WgmmaSchedule &schedule,
                        kernel::WgmmaScheduleAttr attribute);

/// What the kernel's schedule says; an error where it is illegal.
mlir::FailureOr<WgmmaSchedule>
readWgmmaSchedule(kernel::FuncOp kernel, kernel::WgmmaScheduleAttr attribute,
                  const CudaChip &chip);
mlir::FailureOr<AttentionSplit>
readAttentionSplit(kernel::FuncOp kernel,
                   kernel::SplitAttentionScheduleAttr attribute,
                   const CudaChip &chip);
mlir::FailureOr<tiles::AttentionSchedule> readAttentionSchedule(
    kernel::FuncOp kernel, kernel::AttentionScheduleAttr attribute,
    const tiles::AttentionProblem &problem, const CudaChip &chip);

} // namespace tripy::codegen

#endif // TRIPY_LIB_CODEGEN_CUDA_SCHEDULE_SCHEDULES_H
