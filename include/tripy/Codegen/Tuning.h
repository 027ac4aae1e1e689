//===- Tuning.h - Measured tiles of tensor-core kernels ---------*- C++ -*-===//
//
// Which tiles a tensor-core kernel may have, and the file that records which
// one was the fastest on a device. docs/tuning.md is for users. Nothing here
// touches a device: tools measure. Layer codegen.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_TUNING_H
#define TRIPY_CODEGEN_TUNING_H

#include "tripy/Base/Status.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::codegen {

/// The generation of the kernels that measurements are of. To be raised with
/// every change to them that may make another tile the fastest.
inline constexpr uint32_t tunedKernels = 2;

/// The fastest tile of one contraction on one device, or what computes one
/// product the fastest. Texts are not empty, at most 200 bytes, and printable
/// without '|'.
struct TuningRecord {
  /// "sm_90a".
  std::string chip;
  /// Model of the GPU: "NVIDIA H200".
  std::string device;
  uint32_t kernels = tunedKernels;
  /// "f16 4096x4096x1024 nt batch=1 parts=1 store=tma16": element type,
  /// M x N x K, layouts, batch, contractions side by side, stores.
  std::string contraction;
  /// "128x256" or "64x64,cluster=4". Where `contraction` is a product
  /// (describeProduct()), ownBackend or libraryBackend.
  std::string tile;
  /// Median time of the kernel; positive.
  double microseconds = 0;

  friend bool operator==(const TuningRecord &, const TuningRecord &) = default;
};

/// What computes a product: the program's kernel with its fastest tile, or
/// cuBLASLt.
inline constexpr std::string_view ownBackend = "own",
                                  libraryBackend = "cublaslt";
/// The product that a library may compute in place of `kernel`, which is on
/// linalg: "product f16 4096x4096x1024 nt batch=1 result=f16 bias=0". Nothing
/// for other kernels.
std::optional<std::string> describeProduct(kernel::FuncOp kernel);

/// Records of a file, oldest first; not two of the same chip, device, kernels
/// and contraction.
using TuningRecords = std::vector<TuningRecord>;

/// Most records that a file has. With more, the oldest are dropped.
inline constexpr size_t maxTuningRecords = 4096;

/// The text of a file, and the records of such a text. Errors: BadMagic (not a
/// tuning file), UnsupportedVersion, Truncated, Malformed, LimitExceeded.
std::string printTuning(const TuningRecords &records);
Result<TuningRecords> parseTuning(std::string_view text);

/// Errors: those of readFile and parseTuning.
Result<TuningRecords> readTuningFile(const std::string &path);

/// Adds `found` to the file, in place of what it says of the same. Waits for
/// other processes that do so; readers see the old file or the new one. A
/// damaged file is replaced, one that is not a tuning file or of a later
/// version is left alone. Errors: InvalidArgument (a record that cannot be
/// written), BadMagic, UnsupportedVersion, LimitExceeded, NotFound, Io.
Status mergeIntoTuningFile(const std::string &path, const TuningRecords &found);

/// The record of `contraction`, measured with this generation of kernels on
/// `device`. Where `device` is empty, on the one device that there are such
/// records of; with several there is none.
const TuningRecord *findTuning(const TuningRecords &records,
                               std::string_view chip, std::string_view device,
                               std::string_view contraction);

/// A tile and the cycles that the model expects it to take.
struct TileChoice {
  std::string tile;
  double cycles = 0;
};
/// What there is to choose for a kernel.
struct TileChoices {
  std::string contraction;
  /// The compiler's own choice, then others from the least cost on.
  std::vector<TileChoice> tiles;
};
/// At most `limit` tiles for `kernel`, which is on linalg. Nothing for kernels
/// that have no tile to choose, and for sizes that only the run tells.
std::optional<TileChoices>
listTileChoices(kernel::FuncOp kernel, std::string_view chip, unsigned limit);

} // namespace tripy::codegen

#endif // TRIPY_CODEGEN_TUNING_H
