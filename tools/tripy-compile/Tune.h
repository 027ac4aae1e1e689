//===- Tune.h - Measures the tiles of tensor-core kernels -------*- C++ -*-===//
//
// Private to tripy-compile. docs/tuning.md is for users.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_TUNE_H
#define TRIPY_TOOLS_TRIPYCOMPILE_TUNE_H

#include "Options.h"

#include "tripy/Codegen/Tuning.h"
#include "tripy/Runtime/Device.h"

namespace tripy::compile {

/// One tile, or a library in its place, and what was measured of it.
struct MeasuredTile {
  codegen::TileChoice choice;
  /// cuBLASLt, under the name codegen::libraryBackend.
  bool isLibrary() const { return choice.tile == codegen::libraryBackend; }
  /// Seconds of the kernel; the quartiles' distance as a share of the median.
  double median = 0, least = 0, spread = 0;
  /// Why it was dropped, or empty.
  std::string problem;
};

struct TunedKernel {
  /// `contraction` is empty for kernels without a tile to choose, `product` for
  /// those that no library is measured for.
  std::string name, contraction, product;
  /// Calls of the kernel in one graph, and timed replays of that graph.
  uint32_t copies = 0, runs = 0;
  /// The compiler's own choice first.
  std::vector<MeasuredTile> tiles;

  /// What has the least median, the library included or not; null when all were
  /// dropped.
  const MeasuredTile *best(bool withLibrary) const;
};

/// Whether every tensor of `kernel` has a static shape, so that it can run
/// alone.
bool canRunAlone(kernel::FuncOp kernel);

/// Compiles `kernel`, which is on linalg, with each of the tiles and times it
/// on `device`: a graph of several calls on tensors of their own, replayed in
/// turns with the other tiles. A tile that fails, or whose results differ from
/// those of the first that works, is dropped. Errors: out of memory,
/// ContextLost (a tile broke the device).
Result<TunedKernel> tuneKernel(kernel::FuncOp kernel,
                               const codegen::TileChoices &choices,
                               std::shared_ptr<runtime::Device> device,
                               const Options &options);

/// Tunes every tensor-core kernel of the program, prints a table, and puts the
/// fastest tiles into the tuning file, which `options` names from then on. With
/// Backends::Auto also every product that a library may compute.
/// `module` is not changed. Returns the exit status.
int tuneProgram(mlir::ModuleOp module, Options &options);

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_TUNE_H
