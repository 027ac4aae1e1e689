//===- SafeTensors.h - Reading and writing .safetensors ---------*- C++ -*-===//
//
// A strict reader of safetensors files and a writer. The reader reads the
// header, then tensors one by one, and accepts only files in which every byte
// belongs to exactly one tensor (see docs/file-formats.md). For the runtime,
// the tools and the compiler; depends on Base and TensorView.h only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_SAFETENSORS_H
#define TRIPY_RUNTIME_IO_SAFETENSORS_H

#include "tripy/Base/Status.h"
#include "tripy/Runtime/TensorView.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tripy::io {

using runtime::HostTensor;
using runtime::Shape;
using runtime::TensorView;
class Source;

/// Largest header that is read: 100 MB.
inline constexpr uint64_t maxSafeTensorsHeader = 100'000'000;

/// Text pairs of the header's __metadata__, in file order.
using Metadata = std::vector<std::pair<std::string, std::string>>;
/// The same as parts of the header's text.
using MetadataView = std::vector<std::pair<std::string_view, std::string_view>>;

/// One tensor of a file. Elements are little endian, row-major, and start at
/// any address: read them with memcpy. Texts live as long as the file's object.
struct SafeTensor {
  std::string_view name;
  /// The type as the file spells it: "BF16".
  std::string_view dtypeText;
  Shape shape;
  /// Where its bytes are in the file.
  uint64_t offset = 0, bytes = 0;
  /// None for an element type of the format that Tripy does not have (U16,
  /// F4, ...): such a tensor can be skipped, not used.
  std::optional<DType> dtype;
};

/// A checked safetensors file. Movable. Memory: the header, and about three
/// times as much for what it says.
class SafeTensors {
public:
  /// Reads the header; the file stays open. Errors: Io, Truncated,
  /// LimitExceeded (header above 100 MB, rank above 8), Malformed (names the
  /// tensor or byte, and the rule), Unsupported (unknown element type),
  /// HostOutOfMemory.
  static Result<SafeTensors> open(const std::string &path);
  /// The same for a file in memory; `bytes` outlives the result, and its
  /// elements are checked at once.
  static Result<SafeTensors> parse(std::span<const uint8_t> bytes);

  /// All tensors in the order of their data.
  std::span<const SafeTensor> tensors() const { return list; }
  const MetadataView &metadata() const { return texts; }
  /// Null when there is no tensor of this name.
  const SafeTensor *find(std::string_view name) const;
  /// Type and shape of a tensor, with null for its data. Errors: NotFound (with
  /// the nearest name), Unsupported (no element type of Tripy's).
  Result<TensorView> describe(std::string_view name) const;
  /// Reads a tensor, and nothing else. Threads may do so at the same time.
  /// Errors: those of describe(), Io (also when the file has become shorter),
  /// Malformed (an element of BOOL that is not 0 or 1), HostOutOfMemory.
  Result<HostTensor> read(std::string_view name) const;

private:
  Result<const SafeTensor *> findUsable(std::string_view name) const;

  /// The text of the header, which names refer to.
  std::vector<char> header;
  std::vector<SafeTensor> list;
  /// Indices of `list`, sorted by name.
  std::vector<uint32_t> byName;
  MetadataView texts;
  std::shared_ptr<const Source> source;

  friend class SafeTensorsReader;
};

/// A tensor to write: `view` is dense and in host memory.
struct NamedTensor {
  std::string name;
  TensorView view;
};

/// Writes the tensors, widest element type first and then by name, to a
/// temporary file beside `path` that replaces it at the end. Errors:
/// InvalidArgument (empty, repeated or ill-formed name, tensor on a GPU),
/// LimitExceeded, Io.
Status writeSafeTensors(const std::string &path,
                        std::span<const NamedTensor> tensors,
                        const Metadata &metadata = {});

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_SAFETENSORS_H
