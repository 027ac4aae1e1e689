//===- SafeTensors.h - Reading and writing .safetensors ---------*- C++ -*-===//
//
// A strict reader of safetensors files and a writer. The reader maps the file,
// copies nothing but the header, and accepts only files in which every byte
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

/// Largest header that is read: 100 MB.
inline constexpr uint64_t maxSafeTensorsHeader = 100'000'000;

/// Text pairs of the header's __metadata__, in file order.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// One tensor of a file. Elements are little endian, row-major, and start at
/// any address: read them with memcpy.
struct SafeTensor {
  std::string name;
  /// None for an element type of the format that Tripy does not have (U16,
  /// F4, ...): such a tensor can be skipped, not used.
  std::optional<DType> dtype;
  /// The type as the file spells it: "BF16".
  std::string dtypeText;
  Shape shape;
  std::span<const uint8_t> data;
};

/// A checked safetensors file. Movable; immutable, so threads may share it.
/// Tensors of an open()ed file live in a mapping of it: the file must not
/// shrink while this object lives.
class SafeTensors {
public:
  /// Errors: Io, Truncated, LimitExceeded (header above 100 MB, rank above 8),
  /// Malformed (names the tensor or byte, and the rule), Unsupported (unknown
  /// element type).
  static Result<SafeTensors> open(const std::string &path);
  /// The same for a file in memory; `bytes` outlives the result.
  static Result<SafeTensors> parse(std::span<const uint8_t> bytes);

  /// All tensors in the order of their data.
  std::span<const SafeTensor> tensors() const { return list; }
  const Metadata &metadata() const { return texts; }
  /// Null when there is no tensor of this name.
  const SafeTensor *find(std::string_view name) const;
  /// A host view of a tensor whose element type Tripy has; its data is
  /// read-only. Errors: NotFound (with the nearest name), Unsupported.
  Result<TensorView> view(std::string_view name) const;

private:
  std::vector<SafeTensor> list;
  /// Indices of `list`, sorted by name.
  std::vector<uint32_t> byName;
  Metadata texts;
  /// Keeps the mapping alive.
  std::shared_ptr<void> owner;

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
