//===- AttentionCosts.h - What tiles of attention cost ----------*- C++ -*-===//
//
// Read by fusion, which decides whether attention pays, and by the choice of
// its tile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_ATTENTIONCOSTS_H
#define TRIPY_CODEGEN_ATTENTIONCOSTS_H

#include "tripy/Base/Machines.h"

#include <algorithm>

namespace tripy::codegen {

/// Cycles that a tile of `queries` takes for a block of `keys`: products with
/// `columns` of keys and values, and what is done with scores, of which the
/// longer does not hide all of the shorter. A consumer has 64 queries.
inline double attentionBlockCycles(const Machine &machine, int64_t queries,
                                   int64_t keys, int64_t columns) {
  auto scores = double(queries * keys);
  double products = scores * double(columns) / double(machine.peakProducts);
  double powers = scores / machine.attentionScores;
  int64_t consumers = std::min<int64_t>(queries / 64, 8);
  double exposed = double(machine.attentionExposed[consumers - 1]) / 100;
  return std::max(products, powers) + exposed * std::min(products, powers) +
         machine.attentionBlockStart;
}

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_ATTENTIONCOSTS_H
