//===- Npy.h - Reading and writing .npy and .npz ----------------*- C++ -*-===//
//
// NumPy's array files. The reader takes format versions 1 to 3, little endian,
// row-major or column-major; the writer emits version 1. No pickles, ever. For
// the runtime and the tools; depends on Base and TensorView.h only.
//
// NumPy has no bfloat16 and no 8-bit floats: they are stored as raw bytes,
// "|V2" and "|V1", as NumPy itself does with the ml_dtypes package.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_NPY_H
#define TRIPY_RUNTIME_IO_NPY_H

#include "tripy/Base/File.h"
#include "tripy/Base/Status.h"
#include "tripy/Runtime/TensorView.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::io {

using runtime::HostTensor;
using runtime::Shape;
using runtime::TensorView;
class Source;

/// Largest header text that is read: 1 MiB. NumPy's own are 118 bytes.
inline constexpr uint64_t maxNpyHeader = 1 << 20;

struct NpyOptions {
  /// What raw elements ("|V1", "|V2") are read as when the size fits; by
  /// default "|V2" is bfloat16 and "|V1" is float8.
  std::optional<DType> rawType;
  /// Asked for type and shape before memory is taken for the elements; may be
  /// empty. An error of it is the reader's.
  std::function<Status(DType, const Shape &)> check;
  /// Most bytes that a compressed array of a .npz file may expand to.
  uint64_t maxInflatedBytes = uint64_t(4) << 30;
};

/// Reads one array into memory, row-major. Errors: Io, BadMagic,
/// UnsupportedVersion, Truncated, Malformed, Unsupported (big endian, Python
/// objects, structured or unknown element types), LimitExceeded,
/// HostOutOfMemory.
Result<HostTensor> readNpy(const std::string &path,
                           const NpyOptions &options = {});
/// The same for a file in memory.
Result<HostTensor> parseNpy(std::span<const uint8_t> bytes,
                            const NpyOptions &options = {});

/// The bytes that stand before the elements in a .npy file.
std::string npyHeader(DType dtype, const Shape &shape);

/// Writes a dense host tensor to a temporary file that replaces `path` at the
/// end. Errors: InvalidArgument (tensor on a GPU), Io.
Status writeNpy(const std::string &path, const TensorView &tensor);
/// Writes the bytes of such a file.
Status writeNpy(ByteSink &sink, const TensorView &tensor);

/// One array of a .npz archive.
struct NpzEntry {
  /// Name without the ".npy" that NumPy appends.
  std::string name;
  /// Where the entry's bytes begin in the archive, their number there, and
  /// when expanded.
  uint64_t offset = 0, packed = 0, size = 0;
  uint32_t crc = 0;
  bool deflated = false;
};

/// Largest directory of a .npz archive that is read: 64 MiB.
inline constexpr uint64_t maxNpzDirectory = 64 << 20;

/// A checked .npz archive (a zip of .npy files, stored or deflated). Names are
/// keys, never paths. Movable; immutable, so threads may share it. The file
/// stays open.
class Npz {
public:
  /// Errors: Io, BadMagic, Truncated, Malformed (names the entry and the
  /// rule), Unsupported (encryption, other compression methods, several
  /// disks), LimitExceeded.
  static Result<Npz> open(const std::string &path);
  /// The same for a file in memory; `bytes` outlives the result.
  static Result<Npz> parse(std::span<const uint8_t> bytes);

  std::span<const NpzEntry> entries() const { return list; }
  /// Expands and reads one array, with memory for its elements alone. Errors:
  /// NotFound (with the nearest name), ChecksumMismatch, LimitExceeded, Io,
  /// and those of parseNpy.
  Result<HostTensor> read(std::string_view name,
                          const NpyOptions &options = {}) const;

private:
  std::vector<NpzEntry> list;
  std::shared_ptr<const Source> source;

  friend class ZipReader;
};

/// A tensor to write into an archive: dense and in host memory.
struct NpzTensor {
  std::string name;
  TensorView view;
};

/// Writes a .npz archive without compression to a temporary file that replaces
/// `path` at the end. Errors: InvalidArgument (name empty, repeated, above
/// 1024 bytes or ill-formed; tensor on a GPU), LimitExceeded, Io.
Status writeNpz(const std::string &path, std::span<const NpzTensor> tensors);

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_NPY_H
