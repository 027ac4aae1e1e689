//===- AttentionTiles.h - Attention as a tile function ----------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA. Which kernels the tile form of attention can
// compute, and how it cuts them.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILES_H
#define TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILES_H

#include "StridedOperand.h"

#include "tripy/Codegen/CudaChip.h"

namespace tripy::codegen::tiles {

/// How attention is cut: queries of a block and keys at a time. Each consumer
/// has 64 of the queries.
struct AttentionSchedule {
  int64_t queries = 128, keys = 128;
  /// Stages of queries, and of keys and of values. With two of queries, a
  /// consumer begins a tile while others are at the one before.
  int64_t queryStages = 1, stages = 2;
  /// Registers of a thread of the producer, and of a consumer.
  int64_t producerRegisters = 24, consumerRegisters = 240;

  int64_t consumers() const { return queries / 64; }
  /// The rule that it breaks for any attention; nothing where it is legal.
  std::optional<std::string> brokenRule() const;
};

/// Columns of a TMA box of rows that have `padded` columns in shared memory:
/// 64, or 32 where that is no multiple.
int64_t boxColumns(int64_t padded);

/// Reads "128x176": queries and keys.
std::optional<AttentionSchedule> parseAttentionTile(llvm::StringRef text);

/// An attention that the form takes.
struct AttentionProblem {
  mutable kernel::AttentionOp op;
  StridedOperand query, key, value;
  /// Columns in shared memory of a query or key, and of a value.
  int64_t depth = 0, width = 0;
  int64_t batchRank = 0;

  /// Nothing, and why, where it does not.
  static std::optional<AttentionProblem>
  find(KernelEmission &e, const CudaChip &chip, std::string &why);

  /// Bytes of shared memory, barriers included.
  int64_t sharedBytes(const AttentionSchedule &schedule) const;
  /// Why `schedule` is illegal; nothing where it is not.
  std::optional<std::string> whyNot(const AttentionSchedule &schedule,
                                    const CudaChip &chip) const;
  /// The usual schedule, or another that is clearly faster by the model.
  AttentionSchedule choose(const CudaChip &chip) const;
  /// Cycles that the model expects; nothing where sizes are not known.
  std::optional<double> expectedCycles(const AttentionSchedule &schedule,
                                       const CudaChip &chip) const;
  /// As many stages as shared memory has room for, and as pay; registers for
  /// the producer that consumers have no need of.
  void refine(AttentionSchedule &schedule, const CudaChip &chip) const;

  /// With a causal mask: heads whose tiles are walked together, longest first.
  int64_t sectionHeads(const AttentionSchedule &schedule,
                       const CudaChip &chip) const;

private:
  /// Heads of all batches; queries and keys of one.
  struct Sizes {
    int64_t heads, queries, keys;
  };
  /// Nothing where one of them is dynamic, or none.
  std::optional<Sizes> known() const;
  bool isCausal() const { return op.getCausal() != kernel::Causal::None; }
  AttentionSchedule usual(const CudaChip &chip) const;
  double cycles(const AttentionSchedule &schedule, const Sizes &sizes,
                const CudaChip &chip) const;
  double copyCycles(const CudaChip &chip) const;
  double maxWork(const AttentionSchedule &schedule, const Sizes &sizes,
                 int64_t section, const CudaChip &chip) const;
  int64_t maxHeads(const Sizes &sizes, const CudaChip &chip) const;
  AttentionSchedule fitted(AttentionSchedule schedule,
                           const CudaChip &chip) const;
  /// Registers that a consumer's thread needs.
  int64_t registersNeeded(const AttentionSchedule &schedule) const;
};

/// Builds the tile function of `kernel` behind it.
void buildAttention(KernelEmission &e, const AttentionProblem &problem,
                    const AttentionSchedule &schedule, const CudaChip &chip);

} // namespace tripy::codegen::tiles

#endif // TRIPY_LIB_CODEGEN_CUDA_TILES_ATTENTIONTILES_H
