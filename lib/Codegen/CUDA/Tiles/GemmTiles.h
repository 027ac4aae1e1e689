//===- GemmTiles.h - Contractions as tile functions -------------*- C++ -*-===//
//
// Private to lib/Codegen/CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_CODEGEN_CUDA_TILES_GEMMTILES_H
#define TRIPY_LIB_CODEGEN_CUDA_TILES_GEMMTILES_H

#include "Codegen/CUDA/Contractions/WgmmaGemm.h"
#include "Codegen/Emit/KernelEmission.h"

namespace tripy::codegen::tiles {

/// Why contractions that are cut so have no form at the tile level yet; nothing
/// where they have one.
std::optional<std::string> whyNoGemmTiles(const WgmmaSchedule &schedule);

/// Builds the tile function of `e`'s kernel behind it.
void buildGemm(KernelEmission &e, const WgmmaSchedule &schedule);

} // namespace tripy::codegen::tiles

#endif // TRIPY_LIB_CODEGEN_CUDA_TILES_GEMMTILES_H
